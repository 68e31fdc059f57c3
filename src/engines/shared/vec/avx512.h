/* avx512.h: the words of vec.h: one register, masks in registers of their own. */
#ifndef TRAWL_ENGINES_SHARED_VEC_AVX512_H
#define TRAWL_ENGINES_SHARED_VEC_AVX512_H

#include <immintrin.h>

typedef __m512i vec;
typedef __m512i vec_table16;

WALK_INTO vec vec_load(const void *p)
{
    return _mm512_loadu_si512(p);
}

#define VEC_OWN_PART
WALK_INTO vec vec_load_part(const void *p, u32 n)
{
    return _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, n), p);
}

WALK_INTO void vec_store(void *p, vec v)
{
    _mm512_storeu_si512(p, v);
}

WALK_INTO vec vec_all(u8 b)
{
    return _mm512_set1_epi8((char)b);
}

WALK_INTO vec vec_and(vec a, vec b)
{
    return _mm512_and_si512(a, b);
}

WALK_INTO vec vec_or(vec a, vec b)
{
    return _mm512_or_si512(a, b);
}

WALK_INTO vec vec_xor(vec a, vec b)
{
    return _mm512_xor_si512(a, b);
}

WALK_INTO bool vec_any(vec v)
{
    return _mm512_test_epi64_mask(v, v) != 0;
}

WALK_INTO vec vec_both(vec a, vec b)
{
    return _mm512_min_epu8(a, b);
}

WALK_INTO bool vec_any_zero(vec v)
{
    return _mm512_testn_epi8_mask(v, v) != 0;
}

WALK_INTO u64 vec_eq(vec a, vec b)
{
    return _mm512_cmpeq_epi8_mask(a, b);
}

WALK_INTO u64 vec_nonzero(vec v)
{
    return _mm512_test_epi8_mask(v, v);
}

WALK_INTO u32 vec_nonzero64(vec v)
{
    return _mm512_test_epi64_mask(v, v);
}

WALK_INTO vec vec_outside(vec v, vec low, vec high)
{
    return _mm512_or_si512(_mm512_subs_epu8(low, v), _mm512_subs_epu8(v, high));
}

WALK_INTO vec vec_fold(vec v)
{
    const __mmask64 upper =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8('A')), _mm512_set1_epi8(26));
    return _mm512_mask_add_epi8(v, upper, v, _mm512_set1_epi8('a' - 'A'));
}

#define VEC_SHIFTS 1
#define VEC_MASKS 1

typedef __m512i vec_shift;

WALK_INTO vec_shift vec_shift_by(u32 n)
{
    u8 places[VEC_BYTES];
    for (u32 i = 0; i < VEC_BYTES; i++)
        places[i] = (u8)i;
    return _mm512_add_epi8(vec_load(places), _mm512_set1_epi8((char)n));
}

WALK_INTO vec vec_behind(vec_shift n, vec now, vec next)
{
    return _mm512_permutex2var_epi8(now, n, next);
}

/* It uses instructions of two operands: those of three wait for one another. */
WALK_INTO vec vec_one_behind(vec now, vec next)
{
    return _mm512_alignr_epi8(_mm512_alignr_epi64(next, now, 2), now, 1);
}

WALK_INTO vec vec_high(vec v)
{
    return _mm512_and_si512(_mm512_srli_epi16(v, 4), _mm512_set1_epi8(15));
}

WALK_INTO vec_table16 vec_table16_load(const void *p)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)p));
}

WALK_INTO vec vec_lookup16(vec_table16 t, vec v)
{
    return _mm512_shuffle_epi8(t, v);
}

#define VEC_OWN_SETS
typedef struct vec_sets {
    __m512i first, second;
} vec_sets;

WALK_INTO vec_sets vec_sets_load(const void *p)
{
    return (vec_sets){ _mm512_loadu_si512(p), _mm512_loadu_si512((const u8 *)p + 64) };
}

WALK_INTO vec vec_sets_of(vec_sets t, vec v)
{
    return _mm512_permutex2var_epi8(t.first, v, t.second);
}

#define VEC_OWN_PLACES
WALK_INTO void vec_places(u16 *out, u32 n, u64 mask)
{
    static const u16 numbers[32] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    };
    const __m512i low = _mm512_add_epi16(_mm512_loadu_si512(numbers), _mm512_set1_epi16((short)n));
    const __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(32));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi16((__mmask32)mask, low));
    _mm512_storeu_si512(out + _mm_popcnt_u32((u32)mask),
                        _mm512_maskz_compress_epi16((__mmask32)(mask >> 32), high));
}

/* ---- words of 32 bits ---- */

#define VEC_OWN_EVERY
typedef struct vec_every {
    __m512i bytes; /* which, of 128 */
    bool far;      /* they leave the first 64 */
} vec_every;

WALK_INTO vec_every vec_every_of(u32 stride)
{
    u8 bytes[64];
    for (u32 i = 0; i < 64; i++)
        bytes[i] = (u8)(i / 4 * stride + i % 4);
    return (vec_every){ _mm512_loadu_si512(bytes), stride > 4 };
}

WALK_INTO vec vec_load_every(vec_every every, const u8 *p)
{
    const __m512i first = _mm512_loadu_si512(p);
    return every.far ? _mm512_permutex2var_epi8(first, every.bytes, _mm512_loadu_si512(p + 64))
                     : _mm512_permutexvar_epi8(every.bytes, first);
}

WALK_INTO vec vec_all32(u32 word)
{
    return _mm512_set1_epi32((int)word);
}

WALK_INTO vec vec_add32(vec a, vec b)
{
    return _mm512_add_epi32(a, b);
}

WALK_INTO vec vec_times32(vec a, vec b)
{
    return _mm512_mullo_epi32(a, b);
}

WALK_INTO vec vec_down32(vec v, u32 n)
{
    return _mm512_srl_epi32(v, _mm_cvtsi32_si128((int)n));
}

#define VEC_OWN_ASKING32
WALK_INTO u32 vec_bits32(vec words, vec places)
{
    return _mm512_test_epi32_mask(_mm512_rorv_epi32(words, places), _mm512_set1_epi32(1));
}

WALK_INTO u32 vec_pack32(u32 *to, vec v, u32 mask)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)mask, v));
    return (u32)_mm_popcnt_u32(mask);
}

WALK_INTO u32 vec_fits(const u64 *p, u64 x)
{
    const __m512i prints = _mm512_loadu_si512(p);
    const __m512i masks = _mm512_shuffle_epi32(prints, _MM_PERM_BADC);
    const __m512i differ = _mm512_xor_si512(prints, _mm512_set1_epi64((long long)x));
    return _pext_u32(_mm512_testn_epi64_mask(differ, masks), 0x55);
}

WALK_INTO void vec_pack2_store(void *p, vec v)
{
    const __m512i pairs = _mm512_maddubs_epi16(v, _mm512_set1_epi16(0x0401));
    const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00100001));
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(fours));
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

WALK_INTO vec vec_up64(vec v, u32 n)
{
    return _mm512_slli_epi64(v, n);
}

WALK_INTO vec vec_up(vec v, vec before)
{
    return _mm512_shldi_epi64(v, _mm512_alignr_epi64(v, before, 7), 1);
}

/* A word that overflows adds one to the next, and through words of all ones to the one after it. */
#define VEC_HAS_SUM
WALK_INTO vec vec_sum(vec a, vec b, u32 *carry)
{
    const __m512i sum = _mm512_add_epi64(a, b), ones = _mm512_set1_epi64(-1);
    const u32 over = _mm512_cmplt_epu64_mask(sum, a), full = _mm512_cmpeq_epi64_mask(sum, ones);
    const u32 next = 2 * over + *carry + full;
    *carry = next >> 8;
    return _mm512_mask_sub_epi64(sum, (__mmask8)(next ^ full), sum, ones);
}

#endif
