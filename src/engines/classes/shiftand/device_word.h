/* device_word.h: one word of extended SHIFT-AND, its state in a register, over the slices of a work
 * item; for shiftand and for the patterns of hnfa that have one module.
 *
 * The text comes 32 bytes at a time; the next ones are on their way while these are stepped
 * through. Whether a match ended is asked once for all 32; if one did, they are run again byte by
 * byte. The step itself is that of vector.c.
 *
 * In all functions `masks` (MASKS_*) and `features` (SHIFTAND_*) are constants.
 */
#ifndef TRAWL_ENGINES_CLASSES_SHIFTAND_DEVICE_WORD_H
#define TRAWL_ENGINES_CLASSES_SHIFTAND_DEVICE_WORD_H

#include "engines/classes/shiftand/device.h"
#include "engines/shared/device/port.h"

typedef struct word {
    u64 init, last, ebeg, eend, eblk; /* as in shiftand_tables; init is 0 for news */
    GLOBAL const u64 *move, *repeat;  /* MASKS_GLOBAL: column of Ch and of Rep */
    u32 width;                        /* words of a row of Ch or Rep, wherever they are */
    GLOBAL const u32 *owner;          /* the pattern of a hit: owner[bit * owner_step] */
    u32 owner_step;
} word;

/* What of a word is in local memory. */
typedef struct word_local {
    LOCAL const u64 *move, *repeat; /* MASKS_BYTE, MASKS_CLASS */
    LOCAL const u8 *map;            /* MASKS_CLASS, MASKS_GLOBAL: class of a byte */
} word_local;

INLINE u64 word_step(const word *v, const word_local *l, u32 masks, u32 features, u64 s, u32 byte)
{
    const u32 row = masks == MASKS_BYTE ? byte : l->map[byte];
    const size_t entry = masks == MASKS_GLOBAL ? (size_t)row * v->width : row * v->width;
    const u64 move = masks == MASKS_GLOBAL ? v->move[entry] : l->move[entry];
    const u64 step = (s << 1) & move;
    u64 stay = v->init & move;
    if (features & SHIFTAND_REPEATS)
        stay |= s & (masks == MASKS_GLOBAL ? v->repeat[entry] : l->repeat[entry]);
    const u64 moved = step | stay;
    if (!(features & SHIFTAND_SKIPS))
        return moved;
    const u64 z = step | (stay | v->eend);
    return moved | (v->eblk & ~((z - v->ebeg) ^ z));
}

#define WORD_STEP(byte)                                                                            \
    {                                                                                              \
        s = word_step(v, l, masks, features, s, byte);                                             \
        hits |= s;                                                                                 \
    }
#define WORD_STEP4(bytes)                                                                          \
    WORD_STEP((bytes)&255u)                                                                        \
    WORD_STEP((bytes) >> 8 & 255u)                                                                 \
    WORD_STEP((bytes) >> 16 & 255u)                                                                \
    WORD_STEP((bytes) >> 24)

/* Run text[at .. stop) from state s, and report ends after `begin`. Returns the state. `at` is a
 * multiple of 16 or not below stop; up to 64 bytes after stop are read. */
INLINE u64 word_run(const word *v, const word_local *l, u32 masks, u32 features, u64 s,
                    GLOBAL const u8 *text, u32 at, u32 begin, u32 stop, const sink *out)
{
    if (at >= stop)
        return s;
    u32x4 low = PORT_LOAD4((GLOBAL const u32 *)(text + at));
    u32x4 high = PORT_LOAD4((GLOBAL const u32 *)(text + at + 16));
    while (at < stop) {
        if (stop - at >= 32) {
            const u32x4 a = low, b = high;
            const u64 was = s;
            u64 hits = 0;
            low = PORT_LOAD4((GLOBAL const u32 *)(text + at + 32));
            high = PORT_LOAD4((GLOBAL const u32 *)(text + at + 48));
            WORD_STEP4(a.x)
            WORD_STEP4(a.y)
            WORD_STEP4(a.z)
            WORD_STEP4(a.w)
            WORD_STEP4(b.x)
            WORD_STEP4(b.y)
            WORD_STEP4(b.z)
            WORD_STEP4(b.w)
            if (!(hits & v->last) || at + 32 <= begin) {
                at += 32;
                continue;
            }
            s = was;
        }
        const u32 upto = stop - at < 32 ? stop : at + 32;
        for (; at < upto; at++) {
            s = word_step(v, l, masks, features, s, text[at]);
            if (at < begin)
                continue;
            for (u64 hits = s & v->last; hits; hits &= hits - 1)
                sink_put(out, at + 1, v->owner[PORT_CTZ64(hits) * v->owner_step]);
        }
    }
    return s;
}

/* Run the slices of a chunk; the word is number w of a row of state. */
INLINE void word_slices(const word *v, const word_local *l, u32 masks, u32 features,
                        const text_cut *c, GLOBAL u64 *scratch, u32 chunk, u32 w,
                        GLOBAL const u8 *text, const sink *out)
{
    u64 s = 0;
    for (u32 n = 0; n < c->span; n++) {
        const u32 slice = cut_slice(c, chunk, n);
        if (slice >= c->slices)
            break;
        s = cut_begin(c, scratch, slice, w, s);
        u32 at = cut_start(c, slice);
        for (u32 m = 0; m < c->marks && (s || c->mode != CUT_NEWS); m++) {
            const u32 stop = cut_stop(c, slice, m);
            s = word_run(v, l, masks, features, s, text, at, cut_at(c, slice), stop, out);
            at = stop;
            s = cut_mark(c, scratch, slice, m, w, s);
        }
    }
}

#undef WORD_STEP
#undef WORD_STEP4

#endif
