/* walk.h: the walks by their kind, compiled as C.
 *
 * A walk is the inner loop of an algorithm over one slice. Backends know walks by
 * kind only; the kind stands in the plan. Kinds are stored in saved plans: append,
 * never renumber.
 */
#ifndef TRAWL_WALK_H
#define TRAWL_WALK_H

#include "table/port.h"

typedef enum walk_kind {
    WALK_BM = 0,
    WALK_WM,
    WALK_AC,
    WALK_PFAC,
    WALK_SHIFTAND,
    WALK_HNFA,
    WALK_BB,
    WALK_BYR,
    WALK_KINDS
} walk_kind;

/* Report every occurrence whose end e satisfies begin < e <= end. Bytes text[from .. end)
 * may be read; from <= begin - reach unless the text itself begins there. Plans that
 * carry have from == begin, and `state` (plan_header.state_words) goes in and out; all
 * zero is the state before the first byte. Other text walks ignore a state but for
 * scratch: bit-parallel ones need it zeroed. */
typedef void (*text_walk)(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end,
                          u64 *state, const sink *out);

/* Report every occurrence whose top row r satisfies begin <= r < end. rows * cols < 2^32.
 * `state`: state_words u32 for each column, scratch, any content. */
typedef void (*grid_walk)(const u32 *tables, const u8 *cells, u32 rows, u32 cols, u64 stride,
                          u32 begin, u32 end, u32 *state, const sink *out);

/* One file each: walk/NAME.c. */
void bm_walk(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end, u64 *state,
             const sink *out);
void wm_walk(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end, u64 *state,
             const sink *out);
void ac_walk(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end, u64 *state,
             const sink *out);
void pfac_walk(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end, u64 *state,
               const sink *out);
void shiftand_walk(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end, u64 *state,
                   const sink *out);
void hnfa_walk(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end, u64 *state,
               const sink *out);
void bb_walk(const u32 *tables, const u8 *cells, u32 rows, u32 cols, u64 stride, u32 begin, u32 end,
             u32 *state, const sink *out);
void byr_walk(const u32 *tables, const u8 *cells, u32 rows, u32 cols, u64 stride, u32 begin,
              u32 end, u32 *state, const sink *out);

/* The walk of a kind, or NULL when the kind is of the other dimension. */
text_walk walk_text(walk_kind kind);
grid_walk walk_grid(walk_kind kind);

#endif
