/* vec.h: the vocabulary of vector walks: 64 bytes as one value.
 *
 * The walks of vector/ are written once over these words and compiled once for each instruction
 * set (cmake/vector.cmake), each time with one of VEC_AVX512, VEC_AVX2, VEC_NEON and
 * VEC_PORTABLE defined. A header of vec/ defines the words for an instruction set, and
 * engines/shared/vec/plain.h those that can be made of others:
 *
 *   vec                      64 bytes, of no particular alignment in memory
 *   vec_load(p)              p[0 .. 63]
 *   vec_load_part(p, n)      p[0 .. n - 1], n <= 64, zeros after it; no other byte is read
 *   vec_store(p, v)
 *   vec_all(b)               b, 64 times
 *   vec_and, vec_or, vec_xor
 *   vec_any(v)               whether some bit is set
 *   vec_both(a, b)           bytes that are 0 where that of a or that of b is 0, and only there
 *   vec_any_zero(v)          whether some byte is 0
 *   vec_eq(a, b)             bit i of a u64: byte i is equal
 *   vec_nonzero(v)           bit i: byte i is not 0
 *   vec_nonzero64(v)         bit i < 8 of a u32: word i, of 64 bits, is not 0
 *   vec_outside(v, low, high)
 *                            bytes that are 0 where low <= v <= high, and only there
 *   vec_fold(v)              ASCII letters in lower case
 *   vec_shift                a distance of less than 64 bytes, made by
 *   vec_shift_by(n)          n; and
 *   VEC_SHIFTS               1: values in registers are shifted, which for text that is in no near
 *                            cache is better than several loads of a line; with
 *   vec_behind(s, now, next) 64 bytes of these two, from byte n on, and
 *   vec_one_behind(now, next)  from byte 1 on. 0: a vec_shift is a u32, and text is loaded again
 *   VEC_MASKS                1: vec_nonzero costs no more than vec_both
 *   vec_low(v), vec_high(v)  the lower, the upper four bits of every byte, as numbers 0 .. 15
 *   vec_table16              sixteen bytes to look up in, by
 *   vec_table16_load(p)      p[0 .. 15], and
 *   vec_lookup16(t, v)       t[v], byte by byte; bytes of v are 0 .. 15
 *   vec_sets                 a set of eight for every byte, to look up in, by
 *   vec_sets_load(p)         p[0 .. 127] = half, p[128 .. 143] = low, p[144 .. 159] = high, and
 *   vec_sets_of(t, v)        byte by byte half[v & 127] or low[v & 15] & high[v >> 4], whichever
 *                            is cheaper: tables hold what has to be found in both forms
 *   vec_places(out, n, mask) n + i for every bit i that is set, u16 that rise; out has room for 64
 *
 * and of the same 64 bytes as sixteen words of 32 bits, the lowest byte first:
 *
 *   vec_load32(p), vec_store32(p, v)    p[0 .. 15], as the machine keeps u32
 *   vec_all32(w)             w, 16 times
 *   vec_add32(a, b), vec_times32(a, b)  modulo 2^32
 *   vec_down32(v, n)         shifted down by n, 0 .. 31
 *   vec_every                a stride of bytes, 1 .. 8, to read words at:
 *   vec_every_of(stride), and
 *   vec_load_every(e, p)     word i is p[i * stride .. i * stride + 3]; p[0 .. 127] may be read
 *   vec_bits32(a, b)         bit i of a u32: bit (word i of b) % 32 of word i of a
 *   vec_pack32(to, v, mask)  the words of v for which bit i < 16 of the mask is set, from to[0] on;
 *                            returns how many; to[0 .. 15] may be written
 *
 * and of four pairs of a u64 and its mask:
 *
 *   vec_fits(p, x)           bit i < 4 of a u32: (p[2 * i] ^ x) & p[2 * i + 1] is 0
 *   vec_pack2_store(p, v)    p[0 .. 15]: two bits a byte of v, whose bytes are 0 .. 3, four of them
 *                            in a byte, the first one lowest
 *
 * and of the same 64 bytes as eight words of 64 bits, one number of 512 bits, the lowest first:
 *
 *   vec_load64(p), vec_store64(p, v)    p[0 .. 7], as the machine keeps u64
  *   vec_up64(v, n)           each word by itself moved up by n bits, 1 .. 63
 *   vec_up(v, before)        moved up by one bit; the lowest one is the highest of `before`
 *   vec_sum(a, b, &carry)    a + b + carry, 0 or 1, which becomes that of the sum
 *
 * A value is in registers: pass it by value, to functions that are WALK_INTO.
 */
#ifndef TRAWL_ENGINES_SHARED_VEC_H
#define TRAWL_ENGINES_SHARED_VEC_H

#include <stdbool.h>
#include <string.h>

#include "engines/shared/walk.h"

#define VEC_BYTES 64u

#if defined(VEC_AVX512)
#define VEC_ISA avx512
#include "engines/shared/vec/avx512.h"
#elif defined(VEC_AVX2)
#define VEC_ISA avx2
#include "engines/shared/vec/avx2.h"
#elif defined(VEC_NEON)
#define VEC_ISA neon
#include "engines/shared/vec/neon.h"
#elif defined(VEC_PORTABLE)
#define VEC_ISA portable
#include "engines/shared/vec/portable.h"
#else
#error "vector walks are compiled with the instruction set's VEC_... defined"
#endif
#include "engines/shared/vec/plain.h"

#ifndef VEC_HAS_SUM
WALK_INTO vec vec_sum(vec a, vec b, u32 *carry)
{
    u64 x[8], y[8];
    vec_store64(x, a);
    vec_store64(y, b);
    for (u32 i = 0; i < 8; i++) {
        const u64 sum = x[i] + y[i], more = sum + *carry;
        *carry = (sum < x[i]) | (more < sum);
        x[i] = more;
    }
    return vec_load64(x);
}
#endif

/* The name of a function that exists once for each instruction set: walk_of knows them. */
#define VEC_JOIN_(name, isa) name##_##isa
#define VEC_JOIN(name, isa) VEC_JOIN_(name, isa)
#define VEC_NAME(name) VEC_JOIN(name, VEC_ISA)

/* The number of the lowest set bit of a mask that is not 0; how many bits are set. */
#define VEC_FIRST(mask) PORT_CTZ64(mask)
#if defined(__GNUC__) || defined(__clang__)
#define VEC_COUNT(mask) ((u32)__builtin_popcountll(mask))
#else
static inline u32 vec_count_(u64 mask)
{
    u32 n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}
#define VEC_COUNT(mask) vec_count_(mask)
#endif

/* The bytes at p, which need not exist, will be read soon. */
#if defined(__GNUC__) || defined(__clang__)
#define VEC_PREFETCH(p) __builtin_prefetch(p)
#else
#define VEC_PREFETCH(p) ((void)(p))
#endif

/* The lowest n bits, n <= 64. */
WALK_INTO u64 vec_mask(u32 n)
{
    return n >= 64 ? UINT64_MAX : ((u64)1 << n) - 1;
}

/* A match at pos + i for every bit i of `mask`, in order. While there is room, four are written at
 * a time, however many are left, so that few branches depend on their number. */
WALK_INTO void vec_report(const sink *out, u32 pos, u64 mask, u32 index)
{
    enum { STEP = 4 };
    const u64 slot = *out->cursor, last = (u64)1 << 63;
    *out->cursor = slot + VEC_COUNT(mask);
    if (slot >= out->capacity)
        return;
    record *to = out->records + slot, *const stop = out->records + out->capacity;
    while (stop - to >= STEP) {
        for (u32 i = 0; i < STEP; i++, mask &= mask - 1)
            to[i] = (record){ pos + VEC_FIRST(mask | last), index };
        to += STEP;
        if (PORT_LIKELY(!mask))
            return;
    }
    for (; mask && to < stop; mask &= mask - 1)
        *to++ = (record){ pos + VEC_FIRST(mask), index };
}

#endif
