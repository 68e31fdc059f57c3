/* word_form.h: one word of extended SHIFT-AND in a register, over a stretch of text.
 *
 * The text comes 32 bytes at a time, the next ones on their way while these are stepped through.
 * Whether a match ended is asked once for all of them; then they are run again byte by byte.
 * The step itself is that of walk/shiftand.c.
 *
 * Before including define
 *   WORD_RUN            name of the function
 *   WORD_FEATURES       SHIFTAND_REPEATS | SHIFTAND_SKIPS, as a constant
 *   WORD_SPACE          address space of move and repeat: LOCAL or GLOBAL
 *   WORD_ENTRY(byte)    index in move and repeat; may use `map` and `width`
 * All are undefined at the end.
 */
#define WORD_STEP(byte)                                                                            \
    do {                                                                                           \
        const size_t entry = WORD_ENTRY(byte);                                                     \
        const u64 moves = move[entry];                                                             \
        const u64 step = (s << 1) & moves;                                                         \
        u64 stay = init & moves;                                                                   \
        if (WORD_FEATURES & SHIFTAND_REPEATS)                                                      \
            stay |= s & repeat[entry];                                                             \
        u64 moved = step | stay;                                                                   \
        if (WORD_FEATURES & SHIFTAND_SKIPS) {                                                      \
            const u64 z = step | (stay | eend);                                                    \
            moved |= eblk & ~((z - ebeg) ^ z);                                                     \
        }                                                                                          \
        s = moved;                                                                                 \
    } while (0)
#define WORD_STEP4(bytes)                                                                          \
    do {                                                                                           \
        WORD_STEP((bytes)&255u);                                                                   \
        hits |= s;                                                                                 \
        WORD_STEP((bytes) >> 8 & 255u);                                                            \
        hits |= s;                                                                                 \
        WORD_STEP((bytes) >> 16 & 255u);                                                           \
        hits |= s;                                                                                 \
        WORD_STEP((bytes) >> 24);                                                                  \
        hits |= s;                                                                                 \
    } while (0)

/* text[at .. stop) from state s; reports ends beyond `begin`. `at` is a multiple of 16 or not
 * below stop; up to 64 bytes behind stop are read. A hit belongs to owner[bit]. */
INLINE u64 WORD_RUN(u64 s, u64 init, u64 last, u64 ebeg, u64 eend, u64 eblk,
                    WORD_SPACE const u64 *move, WORD_SPACE const u64 *repeat, LOCAL const u8 *map,
                    u32 width, GLOBAL const u32 *owner, u32 owner_step, GLOBAL const u8 *text,
                    u32 at, u32 begin, u32 stop, const sink *out)
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
            WORD_STEP4(a.x);
            WORD_STEP4(a.y);
            WORD_STEP4(a.z);
            WORD_STEP4(a.w);
            WORD_STEP4(b.x);
            WORD_STEP4(b.y);
            WORD_STEP4(b.z);
            WORD_STEP4(b.w);
            if (!(hits & last) || at + 32 <= begin) {
                at += 32;
                continue;
            }
            s = was;
        }
        const u32 upto = stop - at < 32 ? stop : at + 32;
        for (; at < upto; at++) {
            WORD_STEP(text[at]);
            if (at < begin)
                continue;
            for (u64 hits = s & last; hits; hits &= hits - 1)
                sink_put(out, at + 1, owner[PORT_CTZ64(hits) * owner_step]);
        }
    }
    (void)repeat;
    (void)map;
    (void)width;
    (void)ebeg;
    (void)eend;
    (void)eblk;
    return s;
}

#undef WORD_STEP
#undef WORD_STEP4
#undef WORD_RUN
#undef WORD_FEATURES
#undef WORD_SPACE
#undef WORD_ENTRY
