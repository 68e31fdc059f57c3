/* wm.h: Wu-Manber on a device.
 *
 * Idea: every item takes a page of the text, and the windows that begin in it. Whether a match
 * that runs over the page's end is its business, there are two answers:
 *
 *   borders 0   it is: an item reads on behind its page, and owns every match that begins there;
 *   borders 1   the paper's: the page's item reports what lies wholly in the page, and a second
 *               kernel, one item a border, takes what begins in the page before the border and
 *               ends behind it. A match that crosses several borders belongs to the first.
 *
 * and where text and tables lie, three:
 *
 *   wm_pages, wm_borders                   in global memory;
 *   wm_texture, wm_texture_borders         SHIFT, HASH and text through textures; PREFIX and the
 *                                          patterns in constant memory, sorted as HASH wants them;
 *   wm_staged                              text in local memory, SHIFT too, with 4 bits an entry.
 *
 * Invariant: each pair of start and pattern belongs to one item, so each match is reported once.
 *
 * Cost: wm_pages and wm_texture wait for a line of cache for every byte they look at, as each
 * lane of a warp is on a page of its own; wm_staged reads the text once, 16 bytes a load, and
 * looks up SHIFT in a bank of local memory. Cutting shifts to 15 costs little: a window of 17
 * bytes is the longest that would use more.
 * Source: Wu-Manber on CUDA (pages of 0.5 to 4 KiB, borders, textures and constant memory).
 */
#ifndef TRAWL_KERNEL_WM_H
#define TRAWL_KERNEL_WM_H

#include "kernel/device_port.h"
#include "kernel/tile.h"
#include "table/wm.h"

/* Matches that begin in [lo, hi) and end at e with after < e <= limit. */
typedef struct wm_part {
    u32 lo, hi, after, limit;
} wm_part;

/* How the text is cut. Pages of `page` bytes begin at `first`, so far before `begin` that every
 * match that ends behind begin starts in one. */
#define WM_CUT u32 first, u32 begin, u32 end, u32 page, u32 reach
#define WM_PAGES ((end - first + page - 1) / page)

/* `inside`: only what ends in the page too. */
INLINE wm_part wm_page(u32 number, u32 first, u32 begin, u32 end, u32 page, u32 inside)
{
    wm_part p;
    p.lo = first + number * page;
    p.hi = end - p.lo > page ? p.lo + page : end;
    p.after = begin;
    p.limit = inside ? p.hi : end;
    return p;
}

/* What crosses the end of page `number`. */
INLINE wm_part wm_border(u32 number, u32 first, u32 begin, u32 end, u32 page, u32 reach)
{
    wm_part p = wm_page(number, first, begin, end, page, 1);
    if (p.hi - p.lo > reach)
        p.lo = p.hi - reach;
    if (p.after < p.hi)
        p.after = p.hi;
    p.limit = end;
    return p;
}

/* ---- tables in global memory --------------------------------------------- */

/* Patterns shorter than a block. */
INLINE void wm_short_starts(GLOBAL const u32 *tables, GLOBAL const u8 *text, const wm_part *part,
                          const sink *out)
{
    GLOBAL const wm_tables *t = (GLOBAL const wm_tables *)tables;
    GLOBAL const wm_member *members = (GLOBAL const wm_member *)(tables + t->short_members);
    GLOBAL const u8 *fold = (GLOBAL const u8 *)(tables + t->literals.fold);
    GLOBAL const u32 *lists = tables + t->shorts;
    for (u32 start = part->lo; start < part->hi && start < part->limit; start++) {
        const u32 byte = fold[text[start]];
        const u32 stop = lists[byte + 1];
        for (u32 i = lists[byte]; i < stop; i++) {
            const u32 length = members[i].prefix == WM_SHORT_ANY ? 1 : 2;
            const u32 index = members[i].index;
            if (length <= part->limit - start && start + length > part->after &&
                (length == 1 || fold[text[start + 1]] == members[i].prefix) &&
                literal_equal(tables, t->literals.entries, t->literals.bytes, index, text, start))
                sink_put(out, start + length, index);
        }
    }
}

#define WM_WINDOWS wm_global_windows
#define WM_PLACES GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 shifts
#define WM_WORD(i) (((GLOBAL const u32 *)text)[i])
#define WM_SHIFT(number) (((GLOBAL const u8 *)(tables + shifts))[number])
#define WM_FOUND(start, number, part, out)                                                         \
    wm_candidates(tables, text, start, number, (part)->after, (part)->limit, out)
#include "kernel/wm_form.h"

INLINE void wm_global_part(GLOBAL const u32 *tables, GLOBAL const u8 *text, const wm_part *part,
                         const sink *out)
{
    GLOBAL const wm_tables *t = (GLOBAL const wm_tables *)tables;
    if (t->short_count)
        wm_short_starts(tables, text, part, out);
    if (!t->window)
        return;
    if (t->block == 2 && t->folded)
        wm_global_windows(tables, text, t->shift, t->window, part, 2, 1, out);
    else if (t->block == 2)
        wm_global_windows(tables, text, t->shift, t->window, part, 2, 0, out);
    else if (t->folded)
        wm_global_windows(tables, text, t->shift, t->window, part, 3, 1, out);
    else
        wm_global_windows(tables, text, t->shift, t->window, part, 3, 0, out);
}

KERNEL void wm_pages(GLOBAL const u32 *tables, GLOBAL const u8 *text, WM_CUT, u32 inside,
                     GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity)
{
    sink out;
    out.cursor = cursor;
    out.records = records;
    out.capacity = capacity;
    (void)reach;
    if (PORT_ITEM < WM_PAGES) {
        const wm_part part = wm_page(PORT_ITEM, first, begin, end, page, inside);
        wm_global_part(tables, text, &part, &out);
    }
}

KERNEL void wm_borders(GLOBAL const u32 *tables, GLOBAL const u8 *text, WM_CUT, GLOBAL u64 *cursor,
                       GLOBAL record *records, u64 capacity)
{
    sink out;
    out.cursor = cursor;
    out.records = records;
    out.capacity = capacity;
    if (PORT_ITEM + 1 < WM_PAGES) {
        const wm_part part = wm_border(PORT_ITEM, first, begin, end, page, reach);
        wm_global_part(tables, text, &part, &out);
    }
}

/* ---- tables in textures and constant memory ------------------------------- */

/* Constant memory as wm.c fills it: this head, two words for each pattern, in HASH's order and
 * then in that of the short ones, and the bytes of all. */
enum {
    WM_HEAD_BLOCK,
    WM_HEAD_WINDOW,
    WM_HEAD_SHIFT, /* in the tables, words: see wm_tables */
    WM_HEAD_HASH,
    WM_HEAD_SHORTS,      /* likewise; 0 when there are none */
    WM_HEAD_SHORT_FIRST, /* the first short pattern's place among the members here */
    WM_HEAD_BYTES,       /* where the patterns' bytes begin, words */
    WM_HEAD_FOLDED,
    WM_HEAD_WORDS
};
#define WM_MEMBER_PREFIX 0xffffu /* first word; its upper half is the length */
#define WM_MEMBER_LENGTH 16
#define WM_MEMBER_FIRST 0xffffu /* second word: where the bytes begin */
#define WM_MEMBER_INDEX 16      /* then the pattern's index, 15 bits */
#define WM_MEMBER_FOLDED 0x80000000u

INLINE u32 wm_texture_byte(TEXTURE text, u32 at)
{
    return PORT_TEXEL(text, at >> 2) >> ((at & 3) * 8) & 0xff;
}

/* Members [i, stop) that stand at text[start]. */
INLINE void wm_texture_members(TEXTURE text, CONSTANT const u32 *head, u32 i, u32 stop, u32 start,
                             const wm_part *part, const sink *out)
{
    CONSTANT const u8 *bytes = (CONSTANT const u8 *)(head + head[WM_HEAD_BYTES]);
    if (i >= stop)
        return;
    u32 prefix = wm_texture_byte(text, start) | wm_texture_byte(text, start + 1) << 8;
    if (head[WM_HEAD_FOLDED])
        prefix = tile_fold(prefix);
    for (; i < stop; i++) {
        const u32 what = head[WM_HEAD_WORDS + 2 * i];
        const u32 which = head[WM_HEAD_WORDS + 2 * i + 1];
        const u32 length = what >> WM_MEMBER_LENGTH;
        if ((length > 1 && (what & WM_MEMBER_PREFIX) != prefix) || length > part->limit - start ||
            start + length <= part->after)
            continue;
        const u32 at = which & WM_MEMBER_FIRST;
        u32 same = 0;
        while (same < length) {
            const u32 byte = wm_texture_byte(text, start + same);
            if ((which & WM_MEMBER_FOLDED ? literal_fold((u8)byte) : byte) != bytes[at + same])
                break;
            same++;
        }
        if (same == length)
            sink_put(out, start + length, (which & ~WM_MEMBER_FOLDED) >> WM_MEMBER_INDEX);
    }
}

INLINE void wm_texture_found(TEXTURE tables, TEXTURE text, CONSTANT const u32 *head, u32 start,
                           u32 number, const wm_part *part, const sink *out)
{
    const u32 list = head[WM_HEAD_HASH] + number;
    wm_texture_members(text, head, PORT_TEXEL(tables, list), PORT_TEXEL(tables, list + 1), start,
                       part, out);
}

INLINE void wm_texture_short_starts(TEXTURE tables, TEXTURE text, CONSTANT const u32 *head,
                                  const wm_part *part, const sink *out)
{
    const u32 members = head[WM_HEAD_SHORT_FIRST];
    for (u32 start = part->lo; start < part->hi && start < part->limit; start++) {
        u32 byte = wm_texture_byte(text, start);
        if (head[WM_HEAD_FOLDED])
            byte = tile_fold(byte);
        const u32 list = head[WM_HEAD_SHORTS] + byte;
        wm_texture_members(text, head, members + PORT_TEXEL(tables, list),
                           members + PORT_TEXEL(tables, list + 1), start, part, out);
    }
}

#define WM_WINDOWS wm_texture_windows
#define WM_PLACES TEXTURE tables, TEXTURE text, CONSTANT const u32 *head
#define WM_WORD(i) PORT_TEXEL(text, i)
#define WM_SHIFT(number)                                                                           \
    (PORT_TEXEL(tables, head[WM_HEAD_SHIFT] + ((number) >> 2)) >> (((number)&3) * 8) & 0xff)
#define WM_FOUND(start, number, part, out)                                                         \
    wm_texture_found(tables, text, head, start, number, part, out)
#include "kernel/wm_form.h"

INLINE void wm_texture_part(TEXTURE tables, TEXTURE text, CONSTANT const u32 *head,
                          const wm_part *part, const sink *out)
{
    const u32 window = head[WM_HEAD_WINDOW];
    if (head[WM_HEAD_SHORTS])
        wm_texture_short_starts(tables, text, head, part, out);
    if (!window)
        return;
    if (head[WM_HEAD_BLOCK] == 2 && head[WM_HEAD_FOLDED])
        wm_texture_windows(tables, text, head, window, part, 2, 1, out);
    else if (head[WM_HEAD_BLOCK] == 2)
        wm_texture_windows(tables, text, head, window, part, 2, 0, out);
    else if (head[WM_HEAD_FOLDED])
        wm_texture_windows(tables, text, head, window, part, 3, 1, out);
    else
        wm_texture_windows(tables, text, head, window, part, 3, 0, out);
}

KERNEL void wm_texture(TEXTURE tables, TEXTURE text, CONSTANT_ARG WM_CUT, u32 inside,
                       GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity)
{
    sink out;
    out.cursor = cursor;
    out.records = records;
    out.capacity = capacity;
    (void)reach;
    if (PORT_ITEM < WM_PAGES) {
        const wm_part part = wm_page(PORT_ITEM, first, begin, end, page, inside);
        wm_texture_part(tables, text, constants, &part, &out);
    }
}

KERNEL void wm_texture_borders(TEXTURE tables, TEXTURE text, CONSTANT_ARG WM_CUT,
                               GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity)
{
    sink out;
    out.cursor = cursor;
    out.records = records;
    out.capacity = capacity;
    if (PORT_ITEM + 1 < WM_PAGES) {
        const wm_part part = wm_border(PORT_ITEM, first, begin, end, page, reach);
        wm_texture_part(tables, text, constants, &part, &out);
    }
}

/* ---- text and SHIFT in local memory ---------------------------------------- */

#define WM_NIBBLES (WM_BLOCKS / 8) /* words: 4 bits an entry, the even one low, at most 15 */

/* `tile` begins at word `base` of the text and is folded; `number` is that of the folded block,
 * as HASH wants it. */
#define WM_WINDOWS wm_staged_windows
#define WM_PLACES                                                                                  \
    GLOBAL const u32 *tables, GLOBAL const u8 *text, LOCAL const u8 *nibbles,                      \
        LOCAL const u32 *tile, u32 base
#define WM_WORD(i) (tile[(i)-base])
#define WM_SHIFT(number) (nibbles[(number) >> 1] >> (((number)&1) * 4) & 15)
#define WM_FOUND(start, number, part, out)                                                         \
    wm_candidates(tables, text, start, number, (part)->after, (part)->limit, out)
#include "kernel/wm_form.h"

/* A group strides over the tiles of group * page bytes, so it fills its SHIFT once. The plan has
 * a window. */
KERNEL void wm_staged(GLOBAL const u32 *tables, GLOBAL const u32 *shifts, GLOBAL const u8 *text,
                      WM_CUT, u32 inside, u32 window, u32 block, u32 folded, u32 shorts,
                      GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity LOCAL_ARG)
{
    LOCAL_MEMORY
    const u32 size = PORT_GROUP_SIZE * page;
    const u32 tiles = (end - first + size - 1) / size;
    LOCAL u32 *staged = local + WM_NIBBLES;
    sink out;
    out.cursor = cursor;
    out.records = records;
    out.capacity = capacity;
    (void)reach;

    tile_load(shifts, local, WM_NIBBLES / 4, 0);
    for (u32 tile = PORT_GROUP; tile < tiles; tile += PORT_GROUPS) {
        const u32 lo = first + tile * size;
        const u32 starts = end - lo > size ? lo + size : end;
        /* The blocks of all windows that begin in the tile. */
        const u32 base = (lo + window - block) & ~15u;
        const u32 stop = starts + window - 1 < end ? starts + window - 1 : end;
        PORT_BARRIER(); /* all have left the tile before */
        if (base < stop)
            tile_load((GLOBAL const u32 *)text + base / 4, staged, (stop - base + 15) / 16, folded);
        PORT_BARRIER();
        if (PORT_LID * page < starts - lo) {
            const wm_part part =
                wm_page(tile * PORT_GROUP_SIZE + PORT_LID, first, begin, end, page, inside);
            LOCAL const u8 *nibbles = (LOCAL const u8 *)local;
            if (shorts)
                wm_short_starts(tables, text, &part, &out);
            if (block == 2)
                wm_staged_windows(tables, text, nibbles, staged, base / 4, window, &part, 2, 0,
                                  &out);
            else
                wm_staged_windows(tables, text, nibbles, staged, base / 4, window, &part, 3, 0,
                                  &out);
        }
    }
}

#endif
