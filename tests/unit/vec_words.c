/* vec_words.c: the words of engines/shared/vec.h against loops over bytes. Compiled for each
 * instruction set like a vector walk; test_vec.c calls those that this machine runs. */
#include "engines/shared/vec.h"

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

static u32 word_at(const u8 *p)
{
    return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

static void put_word(u8 *p, u32 word)
{
    for (u32 k = 0; k < 4; k++)
        p[k] = (u8)(word >> (8 * k));
}

/* The words that take 64 bytes for sixteen numbers. */
static const char *words_of_32(const u8 *a, const u8 *b, u32 part)
{
    const vec x = vec_load(a), y = vec_load(b);
    const u32 stride = part % 8 + 1;
    u8 sum[VEC_BYTES], product[VEC_BYTES], all[VEC_BYTES], every[VEC_BYTES], both[2 * VEC_BYTES];
    u8 down[VEC_BYTES];
    u32 words[16], packed[16], mask = 0, count = 0;
    memcpy(both, a, VEC_BYTES);
    memcpy(both + VEC_BYTES, b, VEC_BYTES);
    for (u32 i = 0; i < 16; i++) {
        const u32 one = word_at(a + 4 * i), other = word_at(b + 4 * i);
        words[i] = one;
        put_word(sum + 4 * i, one + other);
        put_word(product + 4 * i, one * other);
        put_word(down + 4 * i, one >> part % 32);
        put_word(all + 4 * i, word_at(a));
        put_word(every + 4 * i, word_at(both + i * stride));
        mask |= (one >> (other % 32) & 1) << i;
    }
    vec_store32(packed, x);
    if (!same(vec_load32(words), a) || memcmp(packed, words, sizeof words) != 0)
        return "load32, store32";
    if (!same(vec_all32(word_at(a)), all))
        return "all32";
    if (!same(vec_add32(x, y), sum) || !same(vec_times32(x, y), product))
        return "add32, times32";
    if (!same(vec_load_every(vec_every_of(stride), both), every))
        return "load_every";
    if (!same(vec_down32(x, part % 32), down))
        return "down32";
    if (vec_bits32(x, y) != mask)
        return "bits32";
    mask = word_at(b) & 0xffff;
    const u32 found = vec_pack32(packed, x, mask);
    for (u32 i = 0; i < 16; i++)
        if (mask >> i & 1 && packed[count++] != words[i])
            return "pack32";
    if (found != count)
        return "pack32";
    u64 pairs[8];
    memcpy(pairs, a, sizeof pairs);
    u64 one = pairs[2 * (part % 4)] ^ (pairs[1] & pairs[3]);
    for (u32 i = 0; i < 4; i++)
        count += ((pairs[2 * i] ^ one) & pairs[2 * i + 1]) == 0 && !(vec_fits(pairs, one) >> i & 1);
    return found != count || vec_fits(pairs, one) > 15 ? "fits" : NULL;
}

/* The words that take 64 bytes for one number. */
static const char *words_of_512(const u8 *a, const u8 *b, u32 part)
{
    u64 x[8], y[8], up[8], sum[8], got[8];
    u32 carry = part % 2, over = carry;
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (u32 i = 0; i < 8; i++) {
        x[i] = part % 3 ? x[i] : ~(u64)0 * (x[i] % 2); /* carries that go far */
        y[i] = part % 3 == 1 ? y[i] & 1 : y[i];
    }
    for (u32 i = 0; i < 8; i++) {
        up[i] = x[i] << 1 | (i ? x[i - 1] : y[7]) >> 63;
        sum[i] = x[i] + y[i] + over;
        over = sum[i] < x[i] || (over && sum[i] == x[i]);
    }
    vec_store64(got, vec_up(vec_load64(x), vec_load64(y)));
    if (memcmp(got, up, sizeof up) != 0)
        return "up";
    for (u32 n = 1; n < 64; n += 1 + part % 5) {
        vec_store64(got, vec_up64(vec_load64(x), n));
        for (u32 i = 0; i < 8; i++)
            if (got[i] != x[i] << n)
                return "up64";
    }
    vec_store64(got, vec_sum(vec_load64(x), vec_load64(y), &carry));
    return memcmp(got, sum, sizeof sum) != 0 || carry != over ? "sum" : NULL;
}

const char *VEC_NAME(vec_words)(const u8 *a, const u8 *b, u32 part)
{
    const vec x = vec_load(a), y = vec_load(b);
    u8 and[VEC_BYTES], or [VEC_BYTES], xor[VEC_BYTES], folded[VEC_BYTES];
    u8 low[VEC_BYTES], high[VEC_BYTES], looked[VEC_BYTES], first[VEC_BYTES], all[VEC_BYTES];
    u64 equal = 0, nonzero = 0, zero = 0, either = 0, outside = 0;
    u32 words = 0;
    u8 packed[VEC_BYTES / 4] = { 0 }, twos[VEC_BYTES / 4];
    bool any = false;
    for (u32 i = 0; i < VEC_BYTES; i++) {
        and[i] = a[i] & b[i];
        or [i] = a[i] | b[i];
        xor[i] = a[i] ^ b[i];
        folded[i] = fold(a[i]);
        outside |= (u64)(a[i] < b[i] || a[i] > (b[i] | part)) << i;
        low[i] = a[i] & 15;
        high[i] = a[i] >> 4;
        looked[i] = b[a[i] & 15];
        first[i] = i < part ? a[i] : 0;
        words |= (u32)(first[i] != 0) << i / 8;
        all[i] = a[0];
        packed[i / 4] |= (u8)((a[i] & 3) << (2 * (i % 4)));
        equal |= (u64)(a[i] == b[i]) << i;
        nonzero |= (u64)(a[i] != 0) << i;
        any = any || a[i] != 0;
        zero |= (u64)(a[i] == 0) << i;
        either |= (u64)(a[i] == 0 || b[i] == 0) << i;
    }
    vec_pack2_store(twos, vec_and(x, vec_all(3)));
    return !same(x, a)                                                               ? "load, store"
           : !same(vec_load_part(a, part), first)                                    ? "load_part"
           : !same(vec_all(a[0]), all)                                               ? "all"
           : !same(vec_and(x, y), and)                                               ? "and"
           : !same(vec_or(x, y), or)                                                 ? "or"
           : !same(vec_xor(x, y), xor)                                               ? "xor"
           : vec_any(x) != any                                                       ? "any"
           : vec_any_zero(x) != (zero != 0)                                          ? "any_zero"
           : ~vec_nonzero(vec_both(x, y)) != either                                  ? "both"
           : vec_eq(x, y) != equal                                                   ? "eq"
           : vec_nonzero(x) != nonzero                                               ? "nonzero"
           : vec_nonzero64(vec_load(first)) != words                                 ? "nonzero64"
           : vec_nonzero(vec_outside(x, y, vec_or(y, vec_all((u8)part)))) != outside ? "outside"
           : !same(vec_fold(x), folded)                                              ? "fold"
           : !same(vec_low(x), low)                                                  ? "low"
           : !same(vec_high(x), high)                                                ? "high"
           : !same(vec_lookup16(vec_table16_load(b), vec_low(x)), looked)            ? "lookup16"
           : !sets_right(a, b)                                                       ? "sets_of"
           : !places_right(nonzero, part * 8)                                        ? "places"
           : memcmp(twos, packed, sizeof packed) != 0                                ? "pack2_store"
           : words_of_512(a, b, part) ? words_of_512(a, b, part)
                                      : words_of_32(a, b, part);
}
