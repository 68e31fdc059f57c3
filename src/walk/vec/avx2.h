/* avx2.h: the words of vec.h: two registers of 32 bytes. */
#ifndef TRAWL_WALK_VEC_AVX2_H
#define TRAWL_WALK_VEC_AVX2_H

#include <immintrin.h>

typedef struct vec {
    __m256i half[2];
} vec;

typedef __m256i vec_table16;

WALK_INTO vec vec_load(const void *p)
{
    const __m256i *from = (const __m256i *)p;
    return (vec){ { _mm256_loadu_si256(from), _mm256_loadu_si256(from + 1) } };
}

WALK_INTO vec vec_load_part(const void *p, u32 n)
{
    u8 bytes[VEC_BYTES] = { 0 };
    memcpy(bytes, p, n);
    return vec_load(bytes);
}

WALK_INTO void vec_store(void *p, vec v)
{
    _mm256_storeu_si256((__m256i *)p, v.half[0]);
    _mm256_storeu_si256((__m256i *)p + 1, v.half[1]);
}

WALK_INTO vec vec_all(u8 b)
{
    const __m256i all = _mm256_set1_epi8((char)b);
    return (vec){ { all, all } };
}

/* A word of both halves. */
#define VEC_BOTH(name, intrinsic)                                                                  \
    WALK_INTO vec name(vec a, vec b)                                                               \
    {                                                                                              \
        return (vec){ { intrinsic(a.half[0], b.half[0]), intrinsic(a.half[1], b.half[1]) } };      \
    }
VEC_BOTH(vec_and, _mm256_and_si256)
VEC_BOTH(vec_or, _mm256_or_si256)
VEC_BOTH(vec_xor, _mm256_xor_si256)
VEC_BOTH(vec_not_and_, _mm256_andnot_si256)

WALK_INTO vec vec_andnot(vec a, vec b)
{
    return vec_not_and_(b, a);
}

WALK_INTO bool vec_any(vec v)
{
    const __m256i all = _mm256_or_si256(v.half[0], v.half[1]);
    return !_mm256_testz_si256(all, all);
}

VEC_BOTH(vec_both, _mm256_min_epu8)

WALK_INTO bool vec_any_zero(vec v)
{
    const __m256i least = _mm256_min_epu8(v.half[0], v.half[1]);
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8(least, _mm256_setzero_si256())) != 0;
}

WALK_INTO u64 vec_tops_(__m256i low, __m256i high)
{
    return (u32)_mm256_movemask_epi8(low) | (u64)(u32)_mm256_movemask_epi8(high) << 32;
}

WALK_INTO u64 vec_eq(vec a, vec b)
{
    return vec_tops_(_mm256_cmpeq_epi8(a.half[0], b.half[0]),
                     _mm256_cmpeq_epi8(a.half[1], b.half[1]));
}

WALK_INTO u64 vec_nonzero(vec v)
{
    return ~vec_eq(v, vec_all(0));
}

WALK_INTO __m256i vec_fold_half_(__m256i v)
{
    /* Signed bytes: letters are moved to the lowest 26. */
    const __m256i moved = _mm256_add_epi8(v, _mm256_set1_epi8((char)(128 - 'A')));
    const __m256i other = _mm256_cmpgt_epi8(moved, _mm256_set1_epi8(-128 + 25));
    return _mm256_add_epi8(v, _mm256_andnot_si256(other, _mm256_set1_epi8('a' - 'A')));
}

WALK_INTO vec vec_fold(vec v)
{
    return (vec){ { vec_fold_half_(v.half[0]), vec_fold_half_(v.half[1]) } };
}

WALK_INTO vec vec_low(vec v)
{
    return vec_and(v, vec_all(15));
}

WALK_INTO vec vec_high(vec v)
{
    const vec moved = { { _mm256_srli_epi16(v.half[0], 4), _mm256_srli_epi16(v.half[1], 4) } };
    return vec_and(moved, vec_all(15));
}

WALK_INTO vec_table16 vec_table16_load(const void *p)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p));
}

WALK_INTO vec vec_lookup16(vec_table16 t, vec v)
{
    return (vec){ { _mm256_shuffle_epi8(t, v.half[0]), _mm256_shuffle_epi8(t, v.half[1]) } };
}

typedef struct vec_sets {
    vec_table16 low, high;
} vec_sets;

WALK_INTO vec_sets vec_sets_load(const void *p)
{
    const u8 *from = (const u8 *)p + 128;
    return (vec_sets){ vec_table16_load(from), vec_table16_load(from + 16) };
}

WALK_INTO vec vec_sets_of(vec_sets t, vec v)
{
    return vec_and(vec_lookup16(t.low, vec_low(v)), vec_lookup16(t.high, vec_high(v)));
}

WALK_INTO void vec_places(u16 *out, u32 n, u64 mask)
{
    for (; mask; mask &= mask - 1)
        *out++ = (u16)(n + PORT_CTZ64(mask));
}

#endif
