/* plain.h: those words of vec.h that can be made of others. An instruction set that has a better
 * way defines VEC_OWN_... beside its own.
 */
#ifndef TRAWL_ENGINES_SHARED_VEC_PLAIN_H
#define TRAWL_ENGINES_SHARED_VEC_PLAIN_H

#ifndef VEC_OWN_PART
WALK_INTO vec vec_load_part(const void *p, u32 n)
{
    u8 bytes[VEC_BYTES] = { 0 };
    memcpy(bytes, p, n);
    return vec_load(bytes);
}
#endif

#ifndef VEC_SHIFTS
#define VEC_SHIFTS 0
typedef u32 vec_shift;

WALK_INTO vec_shift vec_shift_by(u32 n)
{
    return n;
}
#endif

#ifndef VEC_MASKS
#define VEC_MASKS 0
#endif

WALK_INTO vec vec_low(vec v)
{
    return vec_and(v, vec_all(15));
}

#ifndef VEC_OWN_SETS
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
#endif

#ifndef VEC_OWN_PLACES
WALK_INTO void vec_places(u16 *out, u32 n, u64 mask)
{
    for (; mask; mask &= mask - 1)
        *out++ = (u16)(n + PORT_CTZ64(mask));
}
#endif

/* ---- words of 32 bits ---- */

#ifndef VEC_OWN_LOAD32
WALK_INTO vec vec_load32(const u32 *p)
{
    return vec_load(p);
}

WALK_INTO void vec_store32(u32 *p, vec v)
{
    vec_store(p, v);
}
#endif

#ifndef VEC_OWN_EVERY
typedef u32 vec_every; /* the stride */

WALK_INTO vec_every vec_every_of(u32 stride)
{
    return stride;
}

WALK_INTO vec vec_load_every(vec_every every, const u8 *p)
{
    u32 words[16];
    for (u32 i = 0; i < 16; i++, p += every)
        words[i] = (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
    return vec_load32(words);
}
#endif

#ifndef VEC_OWN_ASKING32
WALK_INTO u32 vec_bits32(vec words, vec places)
{
    u32 word[16], place[16], mask = 0;
    vec_store32(word, words);
    vec_store32(place, places);
    for (u32 i = 0; i < 16; i++)
        mask |= (word[i] >> (place[i] % 32) & 1) << i;
    return mask;
}

WALK_INTO u32 vec_pack32(u32 *to, vec v, u32 mask)
{
    u32 word[16], count = 0;
    vec_store32(word, v);
    for (u32 i = 0; i < 16; i++) {
        to[count] = word[i];
        count += mask >> i & 1;
    }
    return count;
}

WALK_INTO u32 vec_fits(const u64 *p, u64 x)
{
    u32 mask = 0;
    for (u32 i = 0; i < 4; i++)
        mask |= (u32)(((p[2 * i] ^ x) & p[2 * i + 1]) == 0) << i;
    return mask;
}
#endif

#endif
