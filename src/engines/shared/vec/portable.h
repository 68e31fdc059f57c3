/* portable.h: the words of vec.h in plain C: eight words of 8 bytes, byte 0 lowest, and the
 * arithmetic of bytes within words. Compilers make vectors of what is the same for all words.
 */
#ifndef TRAWL_ENGINES_SHARED_VEC_PORTABLE_H
#define TRAWL_ENGINES_SHARED_VEC_PORTABLE_H

typedef struct vec {
    u64 word[8];
} vec;

typedef struct vec_table16 {
    u8 bytes[16];
} vec_table16;

#define VEC_ONES 0x0101010101010101u
#define VEC_TOPS 0x8080808080808080u

/* Where byte 0 of memory is not the lowest of a word. */
WALK_INTO u64 vec_order_(u64 word)
{
    const u16 probe = 1;
    u64 other = 0;
    if (*(const u8 *)&probe == 1)
        return word;
    for (u32 i = 0; i < 8; i++)
        other |= (word >> (8 * i) & 255) << (8 * (7 - i));
    return other;
}

WALK_INTO vec vec_load(const void *p)
{
    vec v;
    memcpy(&v, p, sizeof v);
    for (u32 i = 0; i < 8; i++)
        v.word[i] = vec_order_(v.word[i]);
    return v;
}

WALK_INTO void vec_store(void *p, vec v)
{
    for (u32 i = 0; i < 8; i++)
        v.word[i] = vec_order_(v.word[i]);
    memcpy(p, &v, sizeof v);
}

WALK_INTO vec vec_all(u8 b)
{
    vec v;
    for (u32 i = 0; i < 8; i++)
        v.word[i] = VEC_ONES * b;
    return v;
}

/* A word that applies an expression to each `a` and `b`. */
#define VEC_EACH(name, expression)                                                                 \
    WALK_INTO vec name(vec x, vec y)                                                               \
    {                                                                                              \
        for (u32 i = 0; i < 8; i++) {                                                              \
            const u64 a = x.word[i], b = y.word[i];                                                \
            x.word[i] = (expression);                                                              \
        }                                                                                          \
        return x;                                                                                  \
    }
VEC_EACH(vec_and, a &b)
VEC_EACH(vec_or, a | b)
VEC_EACH(vec_xor, a ^ b)

WALK_INTO bool vec_any(vec v)
{
    u64 all = 0;
    for (u32 i = 0; i < 8; i++)
        all |= v.word[i];
    return all != 0;
}

#define VEC_NONZERO_TOPS(w) (((((w) & ~VEC_TOPS) + ~VEC_TOPS) | (w)) & VEC_TOPS)
VEC_EACH(vec_both, VEC_NONZERO_TOPS(a) & VEC_NONZERO_TOPS(b))

/* A byte below which none is 0 keeps its top bit clear unless it is 0: there may be more such bytes
 * than zeros, but none if there is no zero. */
WALK_INTO bool vec_any_zero(vec v)
{
    u64 zeros = 0;
    for (u32 i = 0; i < 8; i++)
        zeros |= (v.word[i] - VEC_ONES) & ~v.word[i] & VEC_TOPS;
    return zeros != 0;
}

/* Bit i: byte i is not 0. First the top bit of a byte says so: no sum overflows its byte. Then one
 * product brings the eight top bits together. */
WALK_INTO u64 vec_nonzero(vec v)
{
    u64 mask = 0;
    for (u32 i = 0; i < 8; i++) {
        const u64 tops = VEC_NONZERO_TOPS(v.word[i]);
        mask |= ((tops >> 7) * 0x0102040810204080u >> 56) << (8 * i);
    }
    return mask;
}

WALK_INTO u32 vec_nonzero64(vec v)
{
    u32 mask = 0;
    for (u32 i = 0; i < 8; i++)
        mask |= (u32)(v.word[i] != 0) << i;
    return mask;
}

WALK_INTO u64 vec_eq(vec a, vec b)
{
    return ~vec_nonzero(vec_xor(a, b));
}

WALK_INTO vec vec_outside(vec v, vec low, vec high)
{
    u8 bytes[VEC_BYTES], least[VEC_BYTES], most[VEC_BYTES];
    vec_store(bytes, v);
    vec_store(least, low);
    vec_store(most, high);
    for (u32 i = 0; i < VEC_BYTES; i++)
        bytes[i] = (u8)((bytes[i] < least[i]) | (bytes[i] > most[i]));
    return vec_load(bytes);
}

WALK_INTO vec vec_fold(vec v)
{
    for (u32 i = 0; i < 8; i++) {
        const u64 w = v.word[i], low = w & ~VEC_TOPS;
        const u64 from_a = low + VEC_ONES * (128 - 'A'), behind_z = low + VEC_ONES * (127 - 'Z');
        v.word[i] = w | (from_a & ~behind_z & ~w & VEC_TOPS) >> 2;
    }
    return v;
}

WALK_INTO vec vec_high(vec v)
{
    for (u32 i = 0; i < 8; i++)
        v.word[i] = v.word[i] >> 4 & VEC_ONES * 15;
    return v;
}

WALK_INTO vec_table16 vec_table16_load(const void *p)
{
    vec_table16 t;
    memcpy(t.bytes, p, sizeof t.bytes);
    return t;
}

WALK_INTO vec vec_lookup16(vec_table16 t, vec v)
{
    u8 bytes[VEC_BYTES];
    vec_store(bytes, v);
    for (u32 i = 0; i < VEC_BYTES; i++)
        bytes[i] = t.bytes[bytes[i] & 15];
    return vec_load(bytes);
}

#define VEC_OWN_SETS
typedef struct vec_sets {
    const u8 *half;
} vec_sets;

WALK_INTO vec_sets vec_sets_load(const void *p)
{
    return (vec_sets){ (const u8 *)p };
}

WALK_INTO vec vec_sets_of(vec_sets t, vec v)
{
    u8 bytes[VEC_BYTES];
    vec_store(bytes, v);
    for (u32 i = 0; i < VEC_BYTES; i++)
        bytes[i] = t.half[bytes[i] & 127];
    return vec_load(bytes);
}

/* ---- words of 32 bits ---- */

#define VEC_OWN_LOAD32
WALK_INTO vec vec_load32(const u32 *p)
{
    vec v;
    for (u32 i = 0; i < 8; i++)
        v.word[i] = (u64)p[2 * i + 1] << 32 | p[2 * i];
    return v;
}

WALK_INTO void vec_store32(u32 *p, vec v)
{
    for (u32 i = 0; i < 8; i++) {
        p[2 * i] = (u32)v.word[i];
        p[2 * i + 1] = (u32)(v.word[i] >> 32);
    }
}

WALK_INTO vec vec_all32(u32 word)
{
    vec v;
    for (u32 i = 0; i < 8; i++)
        v.word[i] = (u64)word << 32 | word;
    return v;
}

VEC_EACH(vec_add32, (u64)((u32)(a >> 32) + (u32)(b >> 32)) << 32 | (u32)((u32)a + (u32)b))
VEC_EACH(vec_times32, (u64)((u32)(a >> 32) * (u32)(b >> 32)) << 32 | (u32)((u32)a * (u32)b))

WALK_INTO vec vec_down32(vec v, u32 n)
{
    for (u32 i = 0; i < 8; i++)
        v.word[i] = v.word[i] >> 32 >> n << 32 | (u32)v.word[i] >> n;
    return v;
}

WALK_INTO void vec_pack2_store(void *p, vec v)
{
    u8 *to = (u8 *)p;
    for (u32 i = 0; i < 8; i++) {
        u64 w = v.word[i];
        w |= w >> 6;
        w |= w >> 12;
        to[2 * i] = (u8)w;
        to[2 * i + 1] = (u8)(w >> 32);
    }
}

/* ---- one number of 512 bits ---- */

WALK_INTO vec vec_load64(const u64 *p)
{
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

WALK_INTO void vec_store64(u64 *p, vec v)
{
    memcpy(p, &v, sizeof v);
}

WALK_INTO vec vec_up64(vec v, u32 n)
{
    for (u32 i = 0; i < 8; i++)
        v.word[i] <<= n;
    return v;
}

WALK_INTO vec vec_up(vec v, vec before)
{
    vec up = { { v.word[0] << 1 | before.word[7] >> 63 } };
    for (u32 i = 1; i < 8; i++)
        up.word[i] = v.word[i] << 1 | v.word[i - 1] >> 63;
    return up;
}

#endif
