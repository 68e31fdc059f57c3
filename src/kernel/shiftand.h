/* shiftand.h: extended SHIFT-AND on devices: slices of text times words of state.
 *
 * Idea: words that hold whole patterns know nothing of one another, so a work item takes one
 * word over one slice, the state in a register. A group takes a block of up to 32 words over
 * some slices: neighbouring items have neighbouring words of the same slice, so they read the
 * same text and one row of Ch and Rep side by side; with few words neighbours have
 * neighbouring slices. The group copies its part of the tables to local memory, by byte where
 * that is small (one look-up a byte), else by class, and reads them in place where they are too
 * large. A pattern of more than 64 positions is a chain of words: one item takes it over a
 * slice, its state in scratch memory. That form is plain; RunHNFA is for such patterns.
 *
 * Invariant: as in walk/shiftand.c, for every slice. How slices meet: carry_form.h.
 *
 * Cost: a step of about fifteen instructions a byte and word.
 * Source: Navarro and Raffinot 2001 (extended Shift-And).
 */
#ifndef TRAWL_KERNEL_SHIFTAND_H
#define TRAWL_KERNEL_SHIFTAND_H

#include "kernel/device_port.h"
#include "table/shiftand.h"

#include "kernel/carry_form.h"

#define TABLE_BYTE 0
#define TABLE_CLASS 1
#define TABLE_GLOBAL 2

#define SHIFTAND_KERNEL shiftand_byte_plain
#define SHIFTAND_FEATURES 0u
#define SHIFTAND_TABLE TABLE_BYTE
#include "kernel/shiftand_form.h"

#define SHIFTAND_KERNEL shiftand_byte_skips
#define SHIFTAND_FEATURES SHIFTAND_SKIPS
#define SHIFTAND_TABLE TABLE_BYTE
#include "kernel/shiftand_form.h"

#define SHIFTAND_KERNEL shiftand_byte_full
#define SHIFTAND_FEATURES (SHIFTAND_REPEATS | SHIFTAND_SKIPS)
#define SHIFTAND_TABLE TABLE_BYTE
#include "kernel/shiftand_form.h"

#define SHIFTAND_KERNEL shiftand_class_plain
#define SHIFTAND_FEATURES 0u
#define SHIFTAND_TABLE TABLE_CLASS
#include "kernel/shiftand_form.h"

#define SHIFTAND_KERNEL shiftand_class_skips
#define SHIFTAND_FEATURES SHIFTAND_SKIPS
#define SHIFTAND_TABLE TABLE_CLASS
#include "kernel/shiftand_form.h"

#define SHIFTAND_KERNEL shiftand_class_full
#define SHIFTAND_FEATURES (SHIFTAND_REPEATS | SHIFTAND_SKIPS)
#define SHIFTAND_TABLE TABLE_CLASS
#include "kernel/shiftand_form.h"

#define SHIFTAND_KERNEL shiftand_global_plain
#define SHIFTAND_FEATURES 0u
#define SHIFTAND_TABLE TABLE_GLOBAL
#include "kernel/shiftand_form.h"

#define SHIFTAND_KERNEL shiftand_global_skips
#define SHIFTAND_FEATURES SHIFTAND_SKIPS
#define SHIFTAND_TABLE TABLE_GLOBAL
#include "kernel/shiftand_form.h"

#define SHIFTAND_KERNEL shiftand_global_full
#define SHIFTAND_FEATURES (SHIFTAND_REPEATS | SHIFTAND_SKIPS)
#define SHIFTAND_TABLE TABLE_GLOBAL
#include "kernel/shiftand_form.h"

/* One chain: the words [low, high), its state in a row. */
INLINE void shiftand_chain(GLOBAL const u32 *tables, GLOBAL u64 *state, u32 low, u32 high,
                         u32 matches_begin, GLOBAL const u8 *text, u32 at, u32 begin, u32 stop,
                         const sink *out)
{
    GLOBAL const shiftand_tables *t = (GLOBAL const shiftand_tables *)tables;
    GLOBAL const u8 *map = (GLOBAL const u8 *)(tables + t->map);
    GLOBAL const u64 *init = (GLOBAL const u64 *)(tables + t->init);
    GLOBAL const u64 *last = (GLOBAL const u64 *)(tables + t->last);
    GLOBAL const u64 *ebeg = (GLOBAL const u64 *)(tables + t->ebeg);
    GLOBAL const u64 *eend = (GLOBAL const u64 *)(tables + t->eend);
    GLOBAL const u64 *eblk = (GLOBAL const u64 *)(tables + t->eblk);
    for (u32 i = at; i < stop; i++) {
        const size_t row = (size_t)map[text[i]] * t->words;
        GLOBAL const u64 *move = (GLOBAL const u64 *)(tables + t->move) + row;
        GLOBAL const u64 *repeat = (GLOBAL const u64 *)(tables + t->repeat) + row;
        u64 carry = 0, borrow = 0;
        for (u32 w = low; w < high; w++) {
            const u64 old = state[w];
            const u64 begins = matches_begin ? init[w] : 0;
            const u64 moved = (((old << 1) | carry | begins) & move[w]) | (old & repeat[w]);
            const u64 z = moved | eend[w];
            const u64 less = z - ebeg[w];
            const u64 lent = less - borrow;
            borrow = (u64)((z < ebeg[w]) | (less < borrow));
            carry = old >> 63;
            const u64 s = moved | (eblk[w] & ~(lent ^ z));
            state[w] = s;
            if (PORT_UNLIKELY(s & last[w]) && i >= begin)
                shiftand_report(tables + t->owner + (size_t)w * 64, s & last[w], i + 1, out);
        }
    }
}

/* One item a chain and slice. bounds[chains + 1]: where the chains begin. */
KERNEL void shiftand_chained(GLOBAL const u32 *tables, GLOBAL const u8 *text,
                             GLOBAL const u32 *bounds, u32 chains, CUT_PARAMETERS,
                             GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity)
{
    const cut c = CUT_MEMBERS;
    const sink out = { cursor, records, capacity };
    const u32 chunk = PORT_ITEM / chains;
    const u32 low = bounds[PORT_ITEM % chains], high = bounds[PORT_ITEM % chains + 1];
#define ROWS_RUN(row, at, begin, stop)                                                             \
    shiftand_chain(tables, row, low, high, c.mode != CUT_NEWS, text, at, begin, stop, &out)
#include "kernel/rows_form.h"
#undef ROWS_RUN
}

#endif
