/* device_trie.h: what the kernels of ac and pfac share: a box in local memory for the matches of
 * a group, and the report of a state's output list into it.
 *
 * Idea: one cursor serves the whole device, so a group collects its matches and takes room for
 * all of them with one atomic. A match that finds the box full is sent by itself. A scan that only
 * counts keeps its number in a register, and a group adds once, at its end.
 *
 * Between box_open or box_flush and the next box_put of any item there is a barrier; box_flush
 * and box_close begin with one.
 */
#ifndef TRAWL_ENGINES_LITERAL_AC_DEVICE_TRIE_H
#define TRAWL_ENGINES_LITERAL_AC_DEVICE_TRIE_H

#include "engines/literal/ac/device_sizes.h"
#include "engines/shared/device/port.h"

#define BOX_COUNTED (1u << 20) /* matches that are sent at once: 1024 items cannot overflow 32
                                  bits */

/* The box's memory, BOX_WORDS(group) at `words`: matches held, matches counted, the slot of the
 * first one (two words); then pos and index of each. It is a parameter of its own: nvcc 13 takes
 * pointers to records for pointers to local memory when one struct holds both. */
typedef struct box {
    sink out;
    u32 counted; /* matches of this item, when the scan only counts */
} box;

INLINE void box_open(box *b, LOCAL u32 *words, GLOBAL u64 *cursor, GLOBAL record *records,
                     u64 capacity)
{
    b->out.cursor = cursor;
    b->out.records = records;
    b->out.capacity = capacity;
    b->counted = 0;
    if (PORT_LID == 0)
        for (u32 i = 0; i < BOX_HEAD; i++)
            words[i] = 0;
}

/* Count matches, in a scan that only counts. */
INLINE void box_count(box *b, u32 matches)
{
    b->counted += matches;
    if (b->counted >= BOX_COUNTED) {
        PORT_GLOBAL_ADD64(b->out.cursor, b->counted);
        b->counted = 0;
    }
}

INLINE void box_put(box *b, LOCAL u32 *words, u32 pos, u32 index)
{
    if (b->out.capacity == 0) {
        box_count(b, 1);
        return;
    }
    const u32 slot = PORT_LOCAL_ADD(words, 1);
    if (slot < PORT_GROUP_SIZE) {
        words[BOX_HEAD + 2 * slot] = pos;
        words[BOX_HEAD + 2 * slot + 1] = index;
    } else {
        PORT_LOCAL_ADD(words, ~0u); /* takes its 1 back, so that the number cannot wrap */
        sink_put(&b->out, pos, index);
    }
}

/* Send the matches off when there are `least` or more. All items of the group call it. No barrier
 * stands in a branch, which compilers for CPUs do not handle well. */
INLINE void box_flush(const box *b, LOCAL u32 *words, u32 least)
{
    PORT_BARRIER();
    u32 count = words[0];
    if (count > PORT_GROUP_SIZE)
        count = PORT_GROUP_SIZE;
    if (count < least)
        count = 0;
    if (PORT_LID == 0 && count > 0) {
        const u64 slot = PORT_GLOBAL_ADD64(b->out.cursor, count);
        words[2] = (u32)slot;
        words[3] = (u32)(slot >> 32);
    }
    PORT_BARRIER();
    const u64 first = words[2] | (u64)words[3] << 32;
    if (PORT_LID == 0 && count > 0)
        words[0] = 0;
    for (u32 i = PORT_LID; i < count && first + i < b->out.capacity; i += PORT_GROUP_SIZE) {
        b->out.records[first + i].pos = words[BOX_HEAD + 2 * i];
        b->out.records[first + i].index = words[BOX_HEAD + 2 * i + 1];
    }
}

/* Send the rest. All items of the group call it, as the last thing they do. */
INLINE void box_close(const box *b, LOCAL u32 *words)
{
    if (b->counted > 0)
        PORT_LOCAL_ADD(words + 1, b->counted);
    box_flush(b, words, 1);
    if (PORT_LID == 0 && words[1] > 0)
        PORT_GLOBAL_ADD64(b->out.cursor, words[1]);
}

/* ac_report of cpu.c, into a box. */
INLINE void trie_report(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 s, u32 from, u32 pos,
                        box *b, LOCAL u32 *words)
{
    GLOBAL const ac_tables *t = (GLOBAL const ac_tables *)tables;
    GLOBAL const u32 *outputs = tables + t->outputs;
    u32 list = s & AC_SPARSE ? tables[t->sparse + (s & AC_PLACE) + SPARSE_OUTPUT]
                             : tables[t->rows + (s & AC_PLACE) + t->classes];
    while (list) {
        const u32 count = outputs[list + OUTPUT_COUNT];
        for (u32 i = 0; i < count; i++) {
            u32 index = outputs[list + OUTPUT_INDEXES + i];
            if (index & AC_VERIFY) {
                index &= ~AC_VERIFY;
                const u32 length = literal_length(tables, t->literals.entries, index);
                if (length > pos - from ||
                    !literal_equal(tables, t->literals.entries, t->literals.bytes, index, text,
                                   pos - length))
                    continue;
            }
            box_put(b, words, pos, index);
        }
        list = outputs[list + OUTPUT_LINK];
    }
}

/* Copy the transitions of the root by byte, and the classes of all bytes, to local memory. */
INLINE void trie_copy_first(GLOBAL const u32 *tables, LOCAL u32 *first)
{
    GLOBAL const ac_tables *t = (GLOBAL const ac_tables *)tables;
    GLOBAL const u8 *map = (GLOBAL const u8 *)(tables + t->map);
    for (u32 c = PORT_LID; c < 256; c += PORT_GROUP_SIZE)
        first[c] = tables[t->rows + map[c]];
    for (u32 w = PORT_LID; w < 64; w += PORT_GROUP_SIZE)
        first[256 + w] = tables[t->map + w];
}

/* Copy text[from .. to) to local memory, 16 bytes at a time; `from` is a multiple of 16, and the
 * bytes after `to` that fill the last 16 may be read. */
INLINE void trie_stage(GLOBAL const u8 *text, u32 from, u32 to, LOCAL u32 *tile)
{
    for (u32 i = from + 16 * PORT_LID; i < to; i += 16 * PORT_GROUP_SIZE)
        *(LOCAL u32x4 *)(tile + (i - from) / 4) = PORT_LOAD4(text + i);
}

#endif
