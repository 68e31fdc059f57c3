/* vec_words.c: the words of walk/vec.h against loops over bytes. Compiled for each instruction set
 * like a vector walk; test_vec.c calls those that this machine runs. */
#include "walk/vec.h"

#include "vec_words.h"

static u8 fold(u8 c)
{
    return c >= 'A' && c <= 'Z' ? (u8)(c + 32) : c;
}

static bool same(vec v, const u8 *expected)
{
    u8 got[VEC_BYTES];
    vec_store(got, v);
    return memcmp(got, expected, VEC_BYTES) == 0;
}

/* Every set is that of one of the two forms. */
static bool sets_right(const u8 *a, const u8 *b)
{
    u8 table[160], got[VEC_BYTES];
    for (u32 i = 0; i < sizeof table; i++)
        table[i] = (u8)(b[i % VEC_BYTES] + i * 7);
    vec_store(got, vec_sets_of(vec_sets_load(table), vec_load(a)));
    for (u32 i = 0; i < VEC_BYTES; i++)
        if (got[i] != table[a[i] & 127] &&
            got[i] != (table[128 + (a[i] & 15)] & table[144 + (a[i] >> 4)]))
            return false;
    return true;
}

static bool places_right(u64 mask, u32 n)
{
    u16 out[VEC_BYTES];
    u32 count = 0;
    vec_places(out, n, mask);
    for (u32 i = 0; i < VEC_BYTES; i++)
        if ((mask >> i & 1) && out[count++] != n + i)
            return false;
    return count == VEC_COUNT(mask);
}

const char *VEC_NAME(vec_words)(const u8 *a, const u8 *b, u32 part)
{
    const vec x = vec_load(a), y = vec_load(b);
    u8 and[VEC_BYTES], or [VEC_BYTES], xor[VEC_BYTES], andnot[VEC_BYTES], folded[VEC_BYTES];
    u8 low[VEC_BYTES], high[VEC_BYTES], looked[VEC_BYTES], first[VEC_BYTES], all[VEC_BYTES];
    u64 equal = 0, nonzero = 0, zero = 0, either = 0;
    bool any = false;
    for (u32 i = 0; i < VEC_BYTES; i++) {
        and[i] = a[i] & b[i];
        or [i] = a[i] | b[i];
        xor[i] = a[i] ^ b[i];
        andnot[i] = a[i] & (u8)~b[i];
        folded[i] = fold(a[i]);
        low[i] = a[i] & 15;
        high[i] = a[i] >> 4;
        looked[i] = b[a[i] & 15];
        first[i] = i < part ? a[i] : 0;
        all[i] = a[0];
        equal |= (u64)(a[i] == b[i]) << i;
        nonzero |= (u64)(a[i] != 0) << i;
        any = any || a[i] != 0;
        zero |= (u64)(a[i] == 0) << i;
        either |= (u64)(a[i] == 0 || b[i] == 0) << i;
    }
    return !same(x, a)                                                    ? "load, store"
           : !same(vec_load_part(a, part), first)                         ? "load_part"
           : !same(vec_all(a[0]), all)                                    ? "all"
           : !same(vec_and(x, y), and)                                    ? "and"
           : !same(vec_or(x, y), or)                                      ? "or"
           : !same(vec_xor(x, y), xor)                                    ? "xor"
           : !same(vec_andnot(x, y), andnot)                              ? "andnot"
           : vec_any(x) != any                                            ? "any"
           : vec_any_zero(x) != (zero != 0)                               ? "any_zero"
           : ~vec_nonzero(vec_both(x, y)) != either                       ? "both"
           : vec_eq(x, y) != equal                                        ? "eq"
           : vec_nonzero(x) != nonzero                                    ? "nonzero"
           : !same(vec_fold(x), folded)                                   ? "fold"
           : !same(vec_low(x), low)                                       ? "low"
           : !same(vec_high(x), high)                                     ? "high"
           : !same(vec_lookup16(vec_table16_load(b), vec_low(x)), looked) ? "lookup16"
           : !sets_right(a, b)                                            ? "sets_of"
           : !places_right(nonzero, part * 8)                             ? "places"
                                                                          : NULL;
}
