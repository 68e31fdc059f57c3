/* avx2.h: the words of vec.h: two registers of 32 bytes. */
#ifndef TRAWL_ENGINES_SHARED_VEC_AVX2_H
#define TRAWL_ENGINES_SHARED_VEC_AVX2_H

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

/* A word that applies an intrinsic to both halves. */
#define VEC_BOTH(name, intrinsic)                                                                  \
    WALK_INTO vec name(vec a, vec b)                                                               \
    {                                                                                              \
        return (vec){ { intrinsic(a.half[0], b.half[0]), intrinsic(a.half[1], b.half[1]) } };      \
    }
VEC_BOTH(vec_and, _mm256_and_si256)
VEC_BOTH(vec_or, _mm256_or_si256)
VEC_BOTH(vec_xor, _mm256_xor_si256)

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

WALK_INTO u32 vec_nonzero64(vec v)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256d low = _mm256_castsi256_pd(_mm256_cmpeq_epi64(v.half[0], zero));
    const __m256d high = _mm256_castsi256_pd(_mm256_cmpeq_epi64(v.half[1], zero));
    return 255 ^ (u32)(_mm256_movemask_pd(low) | _mm256_movemask_pd(high) << 4);
}

VEC_BOTH(vec_above_, _mm256_subs_epu8)

WALK_INTO vec vec_outside(vec v, vec low, vec high)
{
    return vec_or(vec_above_(low, v), vec_above_(v, high));
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

#define VEC_OWN_PLACES
/* Four are written at a time, however many are left, so that few branches depend on their
 * number. */
WALK_INTO void vec_places(u16 *out, u32 n, u64 mask)
{
    const u64 last = (u64)1 << 63;
    while (mask)
        for (u32 i = 0; i < 4; i++, mask &= mask - 1)
            *out++ = (u16)(n + PORT_CTZ64(mask | last));
}

/* ---- words of 32 bits ---- */

#define VEC_OWN_EVERY
typedef struct vec_every {
    __m256i bytes; /* which, of 16: four words in each half */
    u32 stride;    /* above 4 the words are fetched one by one */
} vec_every;

WALK_INTO vec_every vec_every_of(u32 stride)
{
    u8 bytes[32];
    for (u32 i = 0; i < 32; i++)
        bytes[i] = (u8)(i % 16 / 4 * stride + i % 4);
    return (vec_every){ _mm256_loadu_si256((const __m256i *)bytes), stride };
}

WALK_INTO __m256i vec_every_half_(vec_every every, const u8 *p)
{
    if (every.stride <= 4) {
        const __m128i low = _mm_loadu_si128((const __m128i *)p);
        const __m128i high = _mm_loadu_si128((const __m128i *)(p + 4 * every.stride));
        return _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1),
                                   every.bytes);
    }
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_i32gather_epi32((const int *)(const void *)p,
                                  _mm256_mullo_epi32(lanes, _mm256_set1_epi32((int)every.stride)),
                                  1);
}

WALK_INTO vec vec_load_every(vec_every every, const u8 *p)
{
    return (vec){ { vec_every_half_(every, p), vec_every_half_(every, p + 8 * every.stride) } };
}

WALK_INTO vec vec_all32(u32 word)
{
    const __m256i all = _mm256_set1_epi32((int)word);
    return (vec){ { all, all } };
}

VEC_BOTH(vec_add32, _mm256_add_epi32)
VEC_BOTH(vec_times32, _mm256_mullo_epi32)

WALK_INTO vec vec_down32(vec v, u32 n)
{
    const __m128i by = _mm_cvtsi32_si128((int)n);
    return (vec){ { _mm256_srl_epi32(v.half[0], by), _mm256_srl_epi32(v.half[1], by) } };
}

#define VEC_OWN_ASKING32
WALK_INTO u32 vec_bits_half_(__m256i words, __m256i places)
{
    const __m256i left = _mm256_andnot_si256(places, _mm256_set1_epi32(31));
    const __m256i top = _mm256_sllv_epi32(words, left);
    return (u32)_mm256_movemask_ps(_mm256_castsi256_ps(top));
}

WALK_INTO u32 vec_bits32(vec words, vec places)
{
    return vec_bits_half_(words.half[0], places.half[0]) |
           vec_bits_half_(words.half[1], places.half[1]) << 8;
}

/* The bytes of a mask's set bits become one number, which a permutation takes apart. */
WALK_INTO u32 vec_pack_half_(u32 *to, __m256i v, u32 mask)
{
    const u64 bytes = _pdep_u64(mask, 0x0101010101010101u) * 255;
    const u64 picked = _pext_u64(0x0706050403020100u, bytes);
    const __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)picked));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(v, lanes));
    return (u32)_mm_popcnt_u32(mask);
}

WALK_INTO u32 vec_pack32(u32 *to, vec v, u32 mask)
{
    const u32 count = vec_pack_half_(to, v.half[0], mask & 255);
    return count + vec_pack_half_(to + count, v.half[1], mask >> 8);
}

WALK_INTO u32 vec_fits_half_(const u64 *p, __m256i x)
{
    const __m256i prints = _mm256_loadu_si256((const __m256i *)(const void *)p);
    const __m256i masks = _mm256_shuffle_epi32(prints, 0x4e);
    const __m256i differ = _mm256_and_si256(_mm256_xor_si256(prints, x), masks);
    const __m256i equal = _mm256_cmpeq_epi64(differ, _mm256_setzero_si256());
    return (u32)_mm256_movemask_pd(_mm256_castsi256_pd(equal));
}

WALK_INTO u32 vec_fits(const u64 *p, u64 x)
{
    const __m256i all = _mm256_set1_epi64x((long long)x);
    return _pext_u32(vec_fits_half_(p, all) | vec_fits_half_(p + 4, all) << 4, 0x55);
}

WALK_INTO __m256i vec_fours_(__m256i v)
{
    const __m256i pairs = _mm256_maddubs_epi16(v, _mm256_set1_epi16(0x0401));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00100001));
}

WALK_INTO void vec_pack2_store(void *p, vec v)
{
    /* The lanes of 16 bytes hold bytes 0 .. 15 and 32 .. 47, and the others. */
    const __m256i words = _mm256_packs_epi32(vec_fours_(v.half[0]), vec_fours_(v.half[1]));
    const __m256i bytes = _mm256_packus_epi16(words, words);
    const __m256i ordered =
        _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5));
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(ordered));
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

WALK_INTO __m256i vec_up_half_(__m256i v, __m256i before)
{
    /* Words 3 of `before`, 0, 1, 2 of v. */
    const __m256i words = _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x93),
                                             _mm256_permute4x64_epi64(before, 0x93), 3);
    return _mm256_or_si256(_mm256_add_epi64(v, v), _mm256_srli_epi64(words, 63));
}

WALK_INTO vec vec_up64(vec v, u32 n)
{
    return (vec){ { _mm256_slli_epi64(v.half[0], (int)n), _mm256_slli_epi64(v.half[1], (int)n) } };
}

WALK_INTO vec vec_up(vec v, vec before)
{
    return (vec){ { vec_up_half_(v.half[0], before.half[1]), vec_up_half_(v.half[1], v.half[0]) } };
}

#endif
