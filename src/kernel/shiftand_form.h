/* shiftand_form.h: a kernel for the independent words of SHIFT-AND. Before including define
 *   SHIFTAND_KERNEL      its name
 *   SHIFTAND_FEATURES    as in walk/shiftand.c, a constant
 *   SHIFTAND_TABLE       TABLE_BYTE, TABLE_CLASS or TABLE_GLOBAL, a constant
 * All are undefined at the end.
 */
#define SHIFTAND_PASTE(a, b) a##b
#define SHIFTAND_NAME(a, b) SHIFTAND_PASTE(a, b)

#define WORD_RUN SHIFTAND_NAME(SHIFTAND_KERNEL, _run)
#define WORD_FEATURES SHIFTAND_FEATURES
#if SHIFTAND_TABLE == TABLE_BYTE
#define WORD_SPACE LOCAL
#define WORD_ENTRY(byte) ((byte)*width)
#elif SHIFTAND_TABLE == TABLE_CLASS
#define WORD_SPACE LOCAL
#define WORD_ENTRY(byte) (map[byte] * width)
#else
#define WORD_SPACE GLOBAL
#define WORD_ENTRY(byte) ((size_t)map[byte] * width)
#endif
#include "kernel/word_form.h"

/* `block`: words that a group takes, a power of two that divides the group. */
KERNEL void SHIFTAND_KERNEL(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 block,
                            CUT_PARAMETERS, GLOBAL u64 *cursor, GLOBAL record *records,
                            u64 capacity LOCAL_ARG)
{
    LOCAL_MEMORY
    GLOBAL const shiftand_tables *t = (GLOBAL const shiftand_tables *)tables;
    const cut c = CUT_MEMBERS;
    const sink out = { cursor, records, capacity };
    const u32 blocks = (t->packed + block - 1) / block;
    const u32 lane = PORT_LID % block;
    const u32 first = PORT_GROUP % blocks * block;
    const u32 chunk = PORT_GROUP / blocks * (PORT_GROUP_SIZE / block) + PORT_LID / block;
    const u32 w = first + lane;
    LOCAL const u8 *map = (LOCAL const u8 *)local;
    for (u32 i = PORT_LID; i < 64; i += PORT_GROUP_SIZE)
        local[i] = tables[t->map + i];
#if SHIFTAND_TABLE == TABLE_GLOBAL
    PORT_BARRIER();
    const u32 width = words;
    GLOBAL const u64 *move = (GLOBAL const u64 *)(tables + t->move) + w;
    GLOBAL const u64 *repeat = (GLOBAL const u64 *)(tables + t->repeat) + w;
#else
    {
        GLOBAL const u8 *classes = (GLOBAL const u8 *)(tables + t->map);
        const u32 rows = SHIFTAND_TABLE == TABLE_BYTE ? 256 : t->classes;
        LOCAL u64 *staged = (LOCAL u64 *)(local + 64);
        for (u32 i = PORT_LID; i < rows * block; i += PORT_GROUP_SIZE) {
            const u32 row = SHIFTAND_TABLE == TABLE_BYTE ? classes[i / block] : i / block;
            const u32 from_word = first + i % block;
            const size_t at = (size_t)row * words + from_word;
            const int inside = from_word < t->packed;
            staged[i] = inside ? ((GLOBAL const u64 *)(tables + t->move))[at] : 0;
            if (SHIFTAND_FEATURES & SHIFTAND_REPEATS)
                staged[rows * block + i] =
                    inside ? ((GLOBAL const u64 *)(tables + t->repeat))[at] : 0;
        }
        PORT_BARRIER();
    }
    const u32 width = block;
    LOCAL const u64 *move = (LOCAL const u64 *)(local + 64) + lane;
    LOCAL const u64 *repeat = move + (SHIFTAND_TABLE == TABLE_BYTE ? 256 : t->classes) * block;
#endif
    if (w >= t->packed)
        return;
    const u64 init = ((GLOBAL const u64 *)(tables + t->init))[w];
    const u64 last = ((GLOBAL const u64 *)(tables + t->last))[w];
    const u64 ebeg = ((GLOBAL const u64 *)(tables + t->ebeg))[w];
    const u64 eend = ((GLOBAL const u64 *)(tables + t->eend))[w];
    const u64 eblk = ((GLOBAL const u64 *)(tables + t->eblk))[w];
    GLOBAL const u32 *owner = tables + t->owner + (size_t)w * 64;
#define WORD_INITIAL init
#define WORD_HERE(s, initial, at, begin, stop)                                                     \
    SHIFTAND_NAME(SHIFTAND_KERNEL, _run)                                                           \
    (s, initial, last, ebeg, eend, eblk, move, repeat, map, width, owner, 1, text, at, begin,      \
     stop, &out)
#include "kernel/slices_form.h"
#undef WORD_INITIAL
#undef WORD_HERE
}

#undef SHIFTAND_PASTE
#undef SHIFTAND_NAME
#undef SHIFTAND_KERNEL
#undef SHIFTAND_FEATURES
#undef SHIFTAND_TABLE
