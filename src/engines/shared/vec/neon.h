/* neon.h: the words of vec.h: four registers of 16 bytes. */
#ifndef TRAWL_ENGINES_SHARED_VEC_NEON_H
#define TRAWL_ENGINES_SHARED_VEC_NEON_H

#include <arm_neon.h>

typedef uint8x16x4_t vec;
typedef uint8x16_t vec_table16;

WALK_INTO vec vec_load(const void *p)
{
    const u8 *from = (const u8 *)p;
    return (
        vec){ { vld1q_u8(from), vld1q_u8(from + 16), vld1q_u8(from + 32), vld1q_u8(from + 48) } };
}

WALK_INTO void vec_store(void *p, vec v)
{
    for (int i = 0; i < 4; i++)
        vst1q_u8((u8 *)p + 16 * i, v.val[i]);
}

WALK_INTO vec vec_all(u8 b)
{
    const uint8x16_t all = vdupq_n_u8(b);
    return (vec){ { all, all, all, all } };
}

/* A word that applies an intrinsic to all four quarters. */
#define VEC_FOUR(name, intrinsic)                                                                  \
    WALK_INTO vec name(vec a, vec b)                                                               \
    {                                                                                              \
        return (vec){ { intrinsic(a.val[0], b.val[0]), intrinsic(a.val[1], b.val[1]),              \
                        intrinsic(a.val[2], b.val[2]), intrinsic(a.val[3], b.val[3]) } };          \
    }
VEC_FOUR(vec_and, vandq_u8)
VEC_FOUR(vec_or, vorrq_u8)
VEC_FOUR(vec_xor, veorq_u8)
VEC_FOUR(vec_equal_, vceqq_u8)
VEC_FOUR(vec_common_, vtstq_u8)

WALK_INTO bool vec_any(vec v)
{
    const uint8x16_t all = vorrq_u8(vorrq_u8(v.val[0], v.val[1]), vorrq_u8(v.val[2], v.val[3]));
    return vmaxvq_u8(all) != 0;
}

VEC_FOUR(vec_both, vminq_u8)

WALK_INTO bool vec_any_zero(vec v)
{
    const uint8x16_t least = vminq_u8(vminq_u8(v.val[0], v.val[1]), vminq_u8(v.val[2], v.val[3]));
    return vminvq_u8(least) == 0;
}

/* Bit i: byte i, which is 0 or 255. Each byte keeps the bit of its place among eight; three
 * rounds of adding neighbours bring eight of them into one. */
WALK_INTO u64 vec_bits_(vec v)
{
    static const u8 places[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    const uint8x16_t place = vld1q_u8(places);
    const uint8x16_t low = vpaddq_u8(vandq_u8(v.val[0], place), vandq_u8(v.val[1], place));
    const uint8x16_t high = vpaddq_u8(vandq_u8(v.val[2], place), vandq_u8(v.val[3], place));
    uint8x16_t sums = vpaddq_u8(low, high);
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
}

WALK_INTO u64 vec_eq(vec a, vec b)
{
    return vec_bits_(vec_equal_(a, b));
}

WALK_INTO u64 vec_nonzero(vec v)
{
    return vec_bits_(vec_common_(v, v));
}

WALK_INTO u32 vec_nonzero64(vec v)
{
    u32 mask = 0;
    for (int i = 0; i < 4; i++) {
        const uint64x2_t words = vreinterpretq_u64_u8(v.val[i]);
        mask |= (u32)(vgetq_lane_u64(words, 0) != 0) << (2 * i);
        mask |= (u32)(vgetq_lane_u64(words, 1) != 0) << (2 * i + 1);
    }
    return mask;
}

VEC_FOUR(vec_above_, vqsubq_u8)

WALK_INTO vec vec_outside(vec v, vec low, vec high)
{
    return vec_or(vec_above_(low, v), vec_above_(v, high));
}

WALK_INTO vec vec_fold(vec v)
{
    vec folded = v;
    for (int i = 0; i < 4; i++) {
        const uint8x16_t upper = vcltq_u8(vsubq_u8(v.val[i], vdupq_n_u8('A')), vdupq_n_u8(26));
        folded.val[i] = vaddq_u8(v.val[i], vandq_u8(upper, vdupq_n_u8('a' - 'A')));
    }
    return folded;
}

WALK_INTO vec vec_high(vec v)
{
    return (vec){ { vshrq_n_u8(v.val[0], 4), vshrq_n_u8(v.val[1], 4), vshrq_n_u8(v.val[2], 4),
                    vshrq_n_u8(v.val[3], 4) } };
}

WALK_INTO vec_table16 vec_table16_load(const void *p)
{
    return vld1q_u8((const u8 *)p);
}

WALK_INTO vec vec_lookup16(vec_table16 t, vec v)
{
    return (vec){ { vqtbl1q_u8(t, v.val[0]), vqtbl1q_u8(t, v.val[1]), vqtbl1q_u8(t, v.val[2]),
                    vqtbl1q_u8(t, v.val[3]) } };
}

/* ---- words of 32 bits ---- */

WALK_INTO vec vec_all32(u32 word)
{
    const uint8x16_t all = vreinterpretq_u8_u32(vdupq_n_u32(word));
    return (vec){ { all, all, all, all } };
}

WALK_INTO uint8x16_t vec_add32_(uint8x16_t a, uint8x16_t b)
{
    return vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}

WALK_INTO uint8x16_t vec_times32_(uint8x16_t a, uint8x16_t b)
{
    return vreinterpretq_u8_u32(vmulq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}

VEC_FOUR(vec_add32, vec_add32_)
VEC_FOUR(vec_times32, vec_times32_)

WALK_INTO vec vec_down32(vec v, u32 n)
{
    for (int i = 0; i < 4; i++)
        v.val[i] =
            vreinterpretq_u8_u32(vshlq_u32(vreinterpretq_u32_u8(v.val[i]), vdupq_n_s32(-(int)n)));
    return v;
}

/* Two bytes into one, of `bits` bits each. */
#define VEC_JOIN_BYTES_(name, bits)                                                                \
    WALK_INTO uint8x16_t name(uint8x16_t low, uint8x16_t high)                                     \
    {                                                                                              \
        const uint16x8_t a = vreinterpretq_u16_u8(low), b = vreinterpretq_u16_u8(high);            \
        return vcombine_u8(vmovn_u16(vsraq_n_u16(a, a, 8 - (bits))),                               \
                           vmovn_u16(vsraq_n_u16(b, b, 8 - (bits))));                              \
    }
VEC_JOIN_BYTES_(vec_twos_, 2)
VEC_JOIN_BYTES_(vec_fours_, 4)

WALK_INTO void vec_pack2_store(void *p, vec v)
{
    vst1q_u8((u8 *)p, vec_fours_(vec_twos_(v.val[0], v.val[1]), vec_twos_(v.val[2], v.val[3])));
}

/* ---- one number of 512 bits ---- */

WALK_INTO vec vec_load64(const u64 *p)
{
    return vec_load(p);
}

WALK_INTO void vec_store64(u64 *p, vec v)
{
    vec_store(p, v);
}

WALK_INTO uint8x16_t vec_up_quarter_(uint8x16_t v, uint8x16_t before)
{
    const uint64x2_t words = vreinterpretq_u64_u8(v);
    const uint64x2_t below = vextq_u64(vreinterpretq_u64_u8(before), words, 1);
    return vreinterpretq_u8_u64(vsliq_n_u64(vshrq_n_u64(below, 63), words, 1));
}

WALK_INTO vec vec_up64(vec v, u32 n)
{
    for (int i = 0; i < 4; i++)
        v.val[i] = vreinterpretq_u8_u64(
            vshlq_u64(vreinterpretq_u64_u8(v.val[i]), vdupq_n_s64((int64_t)n)));
    return v;
}

WALK_INTO vec vec_up(vec v, vec before)
{
    return (vec){ { vec_up_quarter_(v.val[0], before.val[3]), vec_up_quarter_(v.val[1], v.val[0]),
                    vec_up_quarter_(v.val[2], v.val[1]), vec_up_quarter_(v.val[3], v.val[2]) } };
}

#endif
