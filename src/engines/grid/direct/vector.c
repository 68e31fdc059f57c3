/* vector.c: direct comparison, for needles that a place may differ from.
 *
 * Idea: 64 bytes of a row are the cells of 16 to 64 places at once. Cell after cell of the needle,
 * its bounds are compared with the text's cells under it, for all these places; a place at which
 * too many cells are out of bounds is dead, and where all are dead the next 64 bytes begin. Cells
 * that match anything are not in the list.
 *
 * Which cells come first decides how soon all are dead. So before the rows are searched, some of
 * their places are tried with the first cells of the list; the cell that leaves the fewest alive
 * leads, then comes the one that leaves the fewest of these, and so on. The order does not matter
 * for the result.
 *
 * Wrong cells are counted for all places at once: bit j of every place's counter stands in one word
 * (a bit-sliced counter), which begins so that the carry out of the highest bit says `too many`.
 * With none allowed there are no such words; with many, cells are counted by eight.
 *
 * Invariant: a place is alive as long as the cells compared so far allow it; what is alive when all
 * have been compared is an occurrence. Nothing is guessed and nothing left out.
 *
 * Boxes: in a text that nearly is the needle everywhere, or with many wrong cells allowed, each
 * place needs most cells of the needle. But needles with such texts are even: they consist of
 * boxes, rectangles of cells of one colour. From one row to the next a box loses its first row of
 * cells and gains one, and from one column to the next the cells of these rows that are out of
 * bounds change at the box's two ends only. So when the cells compared for some rows of the text
 * have cost what boxes would, the rest of these rows is searched by boxes: a counter for every
 * column has the number of wrong cells of its place, and each box changes it from row to row.
 *
 * With a tolerance the cells of a box may differ a little. Then two counts are kept: of text that
 * is out of bounds for all of them, and of text that is not within bounds for all. A place has at
 * least as many wrong cells as the first says, and at most as many as the second. Only where these
 * lead to different answers are cells compared.
 *
 * Cost: about (wrong + 2) * cells * cell_size / 64 comparisons of 64 bytes for a needle; at worst,
 * in a text that nearly is the needle everywhere, as many for each cell of the needle, or twice
 * what its boxes take, whatever their size: 4 comparisons of 64 bytes for each, and a pass over the
 * counters where the text changes; and the cells where boxes cannot tell. Bounds of channels of
 * more than a byte are compared one by one.
 * Source: the bit-sliced counters are Harley and Seal's, and Baeza-Yates and Gonnet's way (1992) of
 * counting mismatches in all places at once; the rest is brute force.
 */
#include "engines/grid/direct/layout.h"

#include <string.h>

#include "engines/shared/vec.h"

#define MAX_BITS 32u
#define BATCH 8u                  /* cells that are counted at once, */
#define BATCH_BITS 4u             /* by counters of at least this many bits */
#define TRIED_CELLS 64u           /* cells of the list that are tried, */
#define TRIED_GROUPS 32u          /* at 64 bytes of the text each, */
#define LEADING 8u                /* to find this number of leading cells, */
#define WORTH_TRYING (256u << 10) /* in stretches of at least this many bytes */
#define STRETCH_BYTES (2u << 20)
#define BOX_WORK 24u /* comparisons of 64 bytes that a box is worth for 64 bytes of a row */

typedef struct direct_scan {
    const direct_tables *head;
    const direct_needle *needle;
    const direct_cell *all;
    const direct_box *boxes;
    const u8 *cells;
    u64 stride, row_bytes;
    u32 cols, number;
    u32 bits;                      /* of a counter */
    u64 start;                     /* of every counter */
    direct_cell lead[TRIED_CELLS]; /* the first cells of the needle, those that lead in front */
    u32 led;
    u32 groups;    /* of the cells of a row */
    u32 *counters; /* of boxes: for each column, cells that are out of bounds */
    u64 *gains,
        *lost; /* for each group, and one more, where a box has one more of them, one less */
    u64 work;  /* comparisons since it was 0 */
    const sink *out;
} direct_scan;

/* The bytes of a bound of `c`, over and over: those of `low`, or of `high`, which are its last two
 * words. Three bytes are looked up in all sixteen of `c`. */
WALK_INTO vec direct_pattern(const direct_cell *c, bool high, u32 size)
{
    u8 places[VEC_BYTES];
    const u8 *p = high ? c->high : c->low;
    const u32 word = p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
    if (size == 1)
        return vec_all(p[0]);
    if (size == 2)
        return vec_all32((word & 0xffffu) * 0x10001u);
    if (size == 4)
        return vec_all32(word);
    for (u32 i = 0; i < VEC_BYTES; i++)
        places[i] = (u8)((high ? 12 : 8) + i % 3);
    return vec_lookup16(vec_table16_load(c), vec_load(places));
}

/* Bit i: the cell that begins at byte i is out of its bounds. Other bits mean nothing. */
WALK_INTO u64 direct_out(const direct_cell *c, vec text, u32 size, bool exact)
{
    const vec low = direct_pattern(c, false, size);
    u64 bytes = vec_nonzero(exact ? vec_xor(text, low)
                                  : vec_outside(text, low, direct_pattern(c, true, size)));
    if (size == 3)
        return bytes | bytes >> 1 | bytes >> 2;
    if (size > 1)
        bytes |= bytes >> 1;
    return size == 4 ? bytes | bytes >> 2 : bytes;
}

/* The same for channels of more than a byte. */
static u64 direct_out_wide(const direct_tables *head, const direct_cell *c, const u8 *p, u64 places)
{
    u64 out = 0;
    for (; places; places &= places - 1) {
        const u32 at = VEC_FIRST(places);
        for (u32 k = 0; k < head->cell_size; k += head->channel) {
            const u32 value = direct_channel(p + at + k, head->channel);
            const bool below = value < direct_channel(c->low + k, head->channel);
            const bool above = value > direct_channel(c->high + k, head->channel);
            out |= (u64)(below || above) << at;
        }
    }
    return out;
}

/* Count where `out` has bits; those whose counters run over. */
WALK_INTO u64 direct_count(u64 *counters, u32 bits, u64 out)
{
    for (u32 j = 0; j < bits && out; j++) {
        const u64 carry = counters[j] & out;
        counters[j] ^= out;
        out = carry;
    }
    return out;
}

/* Bits of three numbers are added: `a` becomes those of the sum; returns those of the carry. */
WALK_INTO u64 direct_add(u64 *a, u64 b, u64 c)
{
    const u64 some = *a ^ b, carry = (*a & b) | (some & c);
    *a = some ^ c;
    return carry;
}

/* Count eight times at once, as direct_count does; of counters of four bits and more. First the
 * eight make a number of four bits for each place, then that is added. */
WALK_INTO u64 direct_count_batch(u64 *counters, u32 bits, const u64 out[BATCH])
{
    u64 ones = out[0], more = out[3], twos, fours, eights, carry;
    const u64 a = direct_add(&ones, out[1], out[2]), b = direct_add(&more, out[4], out[5]);
    const u64 c = direct_add(&ones, out[6], out[7]), d = direct_add(&ones, more, 0);
    twos = a;
    fours = direct_add(&twos, b, c);
    eights = direct_add(&twos, d, 0);
    carry = direct_add(&fours, eights, 0);
    eights = carry;
    carry = direct_add(&counters[0], ones, 0);
    carry = direct_add(&counters[1], twos, carry);
    carry = direct_add(&counters[2], fours, carry);
    carry = direct_add(&counters[3], eights, carry);
    for (u32 j = 4; j < bits; j++)
        carry = direct_add(&counters[j], carry, 0);
    return carry;
}

/* Where cells of this size begin, of 64 bytes; of 3 bytes 63 are looked at. */
WALK_INTO u64 direct_begins(u32 size)
{
    return size == 1   ? UINT64_MAX
           : size == 2 ? 0x5555555555555555u
           : size == 3 ? 0x1249249249249249u
                       : 0x1111111111111111u;
}

/* Bytes of a group of cells. */
WALK_INTO u32 direct_step(u32 size)
{
    return size == 3 ? 63 : VEC_BYTES;
}

/* Where the cell is out of its bounds, for the needle at the places of `alive` that begin at byte
 * `at` of row `top` and after it. `inside`: no 64 bytes under them pass the end of the row. */
WALK_INTO u64 direct_at(const direct_scan *scan, const direct_cell *c, u32 top, u64 at, u64 alive,
                        bool inside, u32 size, bool exact, bool wide)
{
    const u64 begin = at + (u64)c->col * size;
    const u8 *p = scan->cells + ((u64)top + c->row) * scan->stride + begin;
    const u64 left = scan->row_bytes - begin;
    if (wide)
        return direct_out_wide(scan->head, c, p, alive);
    if (inside || left >= VEC_BYTES)
        return direct_out(c, vec_load(p), size, exact);
    return direct_out(c, vec_load_part(p, (u32)left), size, exact);
}

/* The cell that is the i-th to be compared. */
WALK_INTO const direct_cell *direct_ranked(const direct_scan *scan, u32 i)
{
    return i < scan->led ? &scan->lead[i] : &scan->all[i];
}

/* Those places of `alive` at which the needle lies. */
WALK_INTO u64 direct_places(direct_scan *scan, u32 top, u64 at, u64 alive, bool inside, u32 size,
                            bool exact, bool wide)
{
    u64 counters[MAX_BITS];
    const direct_needle *n = scan->needle;
    for (u32 j = 0; j < scan->bits; j++)
        counters[j] = scan->start >> j & 1 ? UINT64_MAX : 0;
    u32 i = 0;
    for (; scan->bits >= BATCH_BITS && n->count - i >= BATCH && alive; i += BATCH) {
        u64 out[BATCH];
        for (u32 k = 0; k < BATCH; k++)
            out[k] = direct_at(scan, direct_ranked(scan, i + k), top, at, alive, inside, size,
                               exact, wide);
        alive &= ~direct_count_batch(counters, scan->bits, out);
    }
    for (; i < n->count && alive; i++) {
        const u64 out =
            direct_at(scan, direct_ranked(scan, i), top, at, alive, inside, size, exact, wide);
        alive &= ~direct_count(counters, scan->bits, out);
    }
    scan->work += i;
    return alive;
}

/* ---- which cells lead --------------------------------------------------------- */

/* Fill `out` for the cells that are tried, at some places of rows [begin, end). */
WALK_INTO void direct_try(const direct_scan *scan, u32 begin, u32 end, u64 out[][TRIED_GROUPS],
                          u32 size, bool exact, bool wide)
{
    const direct_needle *n = scan->needle;
    const u64 places = (u64)(scan->cols - n->cols + 1), rows = end - begin;
    for (u32 g = 0; g < TRIED_GROUPS; g++) {
        const u32 top = begin + (u32)(rows * g / TRIED_GROUPS);
        const u64 col = (u64)g * 0x9e3779b9u % places, left = (places - col) * size;
        const u64 all = left < VEC_BYTES ? vec_mask((u32)left) : UINT64_MAX;
        const u64 alive = direct_begins(size) & all;
        for (u32 i = 0; i < scan->led; i++)
            out[i][g] =
                direct_at(scan, &scan->all[i], top, col * size, alive, false, size, exact, wide) |
                ~alive;
    }
}

/* The cells that lead, from what all that were tried leave alive. */
static void direct_order(direct_scan *scan, u64 out[][TRIED_GROUPS])
{
    u64 dead[TRIED_GROUPS] = { 0 };
    bool taken[TRIED_CELLS] = { false };
    u32 count = 0;
    for (u32 k = 0; k < LEADING && k < scan->led; k++) {
        u32 best = 0, fewest = UINT32_MAX;
        for (u32 i = 0; i < scan->led; i++) {
            u32 alive = 0;
            for (u32 g = 0; g < TRIED_GROUPS && !taken[i]; g++)
                alive += VEC_COUNT(~(dead[g] | out[i][g]));
            if (!taken[i] && alive < fewest) {
                fewest = alive;
                best = i;
            }
        }
        taken[best] = true;
        scan->lead[count++] = scan->all[best];
        for (u32 g = 0; g < TRIED_GROUPS; g++) /* when all are dead, from the beginning */
            dead[g] = fewest ? dead[g] | out[best][g] : 0;
    }
    for (u32 i = 0; i < scan->led; i++)
        if (!taken[i])
            scan->lead[count++] = scan->all[i];
}

/* ---- rows ---------------------------------------------------------------------- */

/* The occurrences whose top row is `top`. Cells of 3 bytes go 63 bytes at a time. */
WALK_INTO void direct_row(direct_scan *scan, u32 top, u32 size, bool exact, bool wide)
{
    const u64 stop = (u64)(scan->cols - scan->needle->cols + 1) * size;
    const u64 last = (u64)(scan->needle->cols - 1) * size + VEC_BYTES;
    for (u64 at = 0; at < stop; at += direct_step(size)) {
        u64 alive = direct_begins(size);
        if (stop - at < VEC_BYTES)
            alive &= vec_mask((u32)(stop - at));
        alive =
            direct_places(scan, top, at, alive, at + last <= scan->row_bytes, size, exact, wide);
        for (; PORT_UNLIKELY(alive != 0); alive &= alive - 1)
            sink_put(scan->out, top * scan->cols + (u32)((at + VEC_FIRST(alive)) / size),
                     scan->number);
    }
}

/* ---- boxes --------------------------------------------------------------------- */

/* Where the cells of a row are out of bounds, in the group that begins at byte `at`. */
WALK_INTO u64 direct_line(const direct_scan *scan, const direct_cell *c, const u8 *row, u64 at,
                          u32 size, bool exact, bool wide)
{
    const u64 left = scan->row_bytes - at;
    u64 cells = direct_begins(size);
    if (left < VEC_BYTES)
        cells &= vec_mask((u32)left);
    if (wide)
        return direct_out_wide(scan->head, c, row + at, cells);
    return cells &
           direct_out(c, left < VEC_BYTES ? vec_load_part(row + at, (u32)left) : vec_load(row + at),
                      size, exact);
}

/* A box loses row `lost` of the text (NULL: none) and gains another one: how many of their cells
 * are out of bounds `c`, group by group. False: both have them in the same columns. */
WALK_INTO bool direct_change(direct_scan *scan, const direct_cell *c, const u8 *gained,
                             const u8 *lost, u32 size, bool exact, bool wide)
{
    u64 any = 0;
    for (u32 g = 0; g < scan->groups; g++) {
        const u64 at = (u64)g * direct_step(size);
        const u64 more = direct_line(scan, c, gained, at, size, exact, wide);
        const u64 less = lost ? direct_line(scan, c, lost, at, size, exact, wide) : 0;
        any |= more ^ less;
        scan->gains[g] = more & ~less;
        scan->lost[g] = less & ~more;
    }
    return any != 0;
}

/* By how many more of the `count` cells from column `col` on are out of bounds now. */
static u32 direct_sum(const direct_scan *scan, u32 col, u32 count, u32 size)
{
    const u32 each = direct_step(size) / size;
    u32 sum = 0;
    while (count) {
        const u32 first = col % each, n = count < each - first ? count : each - first;
        const u64 mask = vec_mask(n * size) << first * size;
        sum += VEC_COUNT(scan->gains[col / each] & mask) - VEC_COUNT(scan->lost[col / each] & mask);
        col += n;
        count -= n;
    }
    return sum;
}

/* The same of one cell. */
WALK_INTO u32 direct_one(u64 gains, u64 lost, u32 bit)
{
    return (u32)(gains >> bit & 1) - (u32)(lost >> bit & 1);
}

/* Counters of all places change by what direct_change found: `sum` is what the box's own columns
 * make at a place, and to the next one a column comes at its right end and one goes at its left. */
WALK_INTO void direct_slide(const direct_scan *scan, const direct_box *box, u32 *counters, u32 size)
{
    const u32 each = direct_step(size) / size, places = scan->cols - scan->needle->cols + 1;
    u32 sum = direct_sum(scan, box->outer.col, box->cols, size);
    for (u32 place = 0; place < places;) {
        const u32 goes = box->outer.col + place, comes = goes + box->cols;
        const u32 from = goes % each, to = comes % each;
        const u32 rest = each - (from > to ? from : to);
        const u32 n = places - place < rest ? places - place : rest;
        const u64 mask = vec_mask(n * size);
        const u64 gains = scan->gains[comes / each] >> to * size & mask;
        const u64 lost = scan->lost[comes / each] >> to * size & mask;
        const u64 gains_before = scan->gains[goes / each] >> from * size & mask;
        const u64 lost_before = scan->lost[goes / each] >> from * size & mask;
        u32 *here = counters + place;
        place += n;
        if (!(gains | lost | gains_before | lost_before)) {
            for (u32 i = 0; sum && i < n; i++)
                here[i] += sum;
            continue;
        }
        for (u32 i = 0; i < n; i++) {
            here[i] += sum;
            sum +=
                direct_one(gains, lost, i * size) - direct_one(gains_before, lost_before, i * size);
        }
    }
}

/* Report what the counters allow. What only the outer bounds allow is compared cell by cell. */
WALK_INTO void direct_counted(direct_scan *scan, u32 top, const u32 *outer, const u32 *inner,
                              u32 size, bool exact, bool wide)
{
    const u32 places = scan->cols - scan->needle->cols + 1, wrong = scan->head->wrong;
    const u32 each = direct_step(size) / size;
    for (u32 first = 0; first < places; first += each) {
        const u32 count = places - first < each ? places - first : each;
        u32 some = 0;
        u64 alive = 0;
        for (u32 i = 0; i < count; i++)
            some |= outer[first + i] <= wrong;
        for (u32 i = 0; some && i < count; i++) {
            if (inner[first + i] <= wrong)
                sink_put(scan->out, top * scan->cols + first + i, scan->number);
            else
                alive |= (u64)(outer[first + i] <= wrong) << i * size;
        }
        if (PORT_UNLIKELY(alive != 0))
            alive = direct_places(scan, top, (u64)first * size, alive, false, size, exact, wide);
        for (; PORT_UNLIKELY(alive != 0); alive &= alive - 1)
            sink_put(scan->out, top * scan->cols + first + VEC_FIRST(alive) / size, scan->number);
    }
}

/* The occurrences whose top row is one of [begin, end), by boxes. */
WALK_INTO void direct_by_boxes(direct_scan *scan, u32 begin, u32 end, u32 size, bool exact,
                               bool wide)
{
    const u32 places = scan->cols - scan->needle->cols + 1, count = scan->needle->box_count;
    u32 *const outer = scan->counters, *inner = outer; /* which are others if bounds are */
    for (u32 i = 0; i < count; i++)
        if (memcmp(&scan->boxes[i].outer, &scan->boxes[i].inner, sizeof(direct_cell)) != 0)
            inner = outer + scan->cols;
    memset(outer, 0, places * sizeof *outer);
    memset(inner, 0, places * sizeof *inner);
    for (u32 top = begin; top < end; top++) {
        for (u32 i = 0; i < count; i++) {
            const direct_box *b = &scan->boxes[i];
            const bool two = memcmp(&b->outer, &b->inner, sizeof b->outer) != 0;
            const u8 *first = scan->cells + ((u64)top + b->outer.row) * scan->stride;
            const u8 *lost = top == begin ? NULL : first - scan->stride;
            for (u32 k = top == begin ? 0 : b->rows - 1; k < b->rows; k++) { /* that it gains */
                const u8 *gained = first + k * scan->stride;
                bool changed = direct_change(scan, &b->outer, gained, lost, size, exact, wide);
                if (changed)
                    direct_slide(scan, b, outer, size);
                if (two)
                    changed = direct_change(scan, &b->inner, gained, lost, size, exact, wide);
                if (changed && inner != outer)
                    direct_slide(scan, b, inner, size);
            }
        }
        direct_counted(scan, top, outer, inner, size, exact, wide);
    }
}

/* What direct_by_boxes does for these rows, in comparisons of 64 bytes; or never, without boxes. */
static u64 direct_box_work(const direct_scan *scan, u32 begin, u32 end)
{
    u64 rows = 0;
    for (u32 i = 0; i < scan->needle->box_count; i++)
        rows += (u64)end - begin + scan->boxes[i].rows;
    return scan->needle->box_count ? rows * scan->groups * BOX_WORK : UINT64_MAX;
}

/* ---- stretches ------------------------------------------------------------------- */

/* The occurrences whose top row is one of [begin, end), cell by cell. Returns `end`, or the row
 * from which on boxes are worth it. */
WALK_INTO u32 direct_stretch(direct_scan *scan, u32 begin, u32 end, u32 size, bool exact, bool wide)
{
    u64 out[TRIED_CELLS][TRIED_GROUPS];
    const u32 count = scan->needle->count;
    scan->led = count < TRIED_CELLS ? count : TRIED_CELLS;
    if ((u64)(end - begin) * scan->row_bytes < WORTH_TRYING)
        scan->led = 0;
    if (scan->led) {
        direct_try(scan, begin, end, out, size, exact, wide);
        direct_order(scan, out);
    }
    const u64 most = direct_box_work(scan, begin, end);
    u32 row = begin;
    for (scan->work = 0; row < end && scan->work <= most; row++)
        direct_row(scan, row, size, exact, wide);
    return row;
}

/* The same for each size of cells and kind of bounds, by loops of its own. */
typedef struct direct_loops {
    u32 (*stretch)(direct_scan *scan, u32 begin, u32 end);
    void (*by_boxes)(direct_scan *scan, u32 begin, u32 end);
} direct_loops;

#define DIRECT_LOOPS(name, size, exact, wide)                                                      \
    WALK_APART u32 direct_stretch_##name(direct_scan *scan, u32 begin, u32 end)                    \
    {                                                                                              \
        return direct_stretch(scan, begin, end, size, exact, wide);                                \
    }                                                                                              \
    WALK_APART void direct_boxes_##name(direct_scan *scan, u32 begin, u32 end)                     \
    {                                                                                              \
        direct_by_boxes(scan, begin, end, size, exact, wide);                                      \
    }                                                                                              \
    static const direct_loops direct_##name = { direct_stretch_##name, direct_boxes_##name };
DIRECT_LOOPS(exact_1, 1, true, false)
DIRECT_LOOPS(exact_2, 2, true, false)
DIRECT_LOOPS(exact_3, 3, true, false)
DIRECT_LOOPS(exact_4, 4, true, false)
DIRECT_LOOPS(bytes_1, 1, false, false)
DIRECT_LOOPS(bytes_2, 2, false, false)
DIRECT_LOOPS(bytes_3, 3, false, false)
DIRECT_LOOPS(bytes_4, 4, false, false)
DIRECT_LOOPS(wide_2, 2, false, true)
DIRECT_LOOPS(wide_3, 3, false, true)
DIRECT_LOOPS(wide_4, 4, false, true)

static const direct_loops *direct_choose(const direct_tables *head)
{
    static const direct_loops *const all[3][4] = {
        { &direct_exact_1, &direct_exact_2, &direct_exact_3, &direct_exact_4 },
        { &direct_bytes_1, &direct_bytes_2, &direct_bytes_3, &direct_bytes_4 },
        { NULL, &direct_wide_2, &direct_wide_3, &direct_wide_4 },
    };
    return all[head->exact ? 0 : head->channel == 1 ? 1 : 2][head->cell_size - 1];
}

static u32 bits_of(u32 number)
{
    u32 bits = 0;
    while (bits < MAX_BITS && number >> bits)
        bits++;
    return bits;
}

/* DIRECT_BOX_STATE words a column, if any needle has boxes. */
static void direct_room(direct_scan *scan, u32 *state)
{
    if (!state)
        return;
    scan->gains = (u64 *)state;
    scan->lost = scan->gains + scan->groups + 1;
    scan->counters = (u32 *)(scan->lost + scan->groups + 1);
    scan->gains[scan->groups] = scan->lost[scan->groups] = 0;
}

/* Needle by needle, some rows at a time, which stay in a cache for the next needle. */
static u32 direct_walk(grid_task *t)
{
    const direct_tables *head = (const direct_tables *)t->tables;
    const direct_needle *needles = (const direct_needle *)(t->tables + head->needles);
    const direct_loops *loops = direct_choose(head);
    direct_scan scan = { .head = head,
                         .cells = t->cells,
                         .stride = t->stride,
                         .row_bytes = (u64)t->cols * head->cell_size,
                         .cols = t->cols,
                         .bits = bits_of(head->wrong),
                         .out = t->out };
    const u64 height = 1 + STRETCH_BYTES / scan.row_bytes;
    scan.groups = (u32)((scan.row_bytes - 1) / direct_step(head->cell_size) + 1);
    direct_room(&scan, t->state);
    scan.start = (((u64)1 << scan.bits) - 1) - head->wrong;
    for (u32 top = t->begin, stop; top < t->end; top = stop) {
        stop = t->end - top > height ? top + (u32)height : t->end;
        for (u32 i = 0; i < head->count; i++) {
            const direct_needle *n = scan.needle = &needles[i];
            scan.all = (const direct_cell *)(t->tables + n->cells);
            scan.boxes = (const direct_box *)(t->tables + n->boxes);
            scan.number = i;
            if (n->cols > t->cols || n->rows > t->rows || top > t->rows - n->rows)
                continue;
            const u32 last = t->rows - n->rows + 1; /* where no needle begins */
            const u32 end = stop < last ? stop : last, row = loops->stretch(&scan, top, end);
            if (row < end)
                loops->by_boxes(&scan, row, end);
        }
    }
    return t->end;
}

const walk VEC_NAME(walk_direct) = { .grid = direct_walk };
