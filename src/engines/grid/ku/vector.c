/* vector.c: Kärkkäinen-Ukkonen for any number of needles of any sizes.
 *
 * Idea: a lattice of test points lies over the text, in every down-th row at every across-th
 * column. A needle has a rectangle of down * across places, so wherever it lies in the text,
 * exactly one of them lies on a test point. So at each test point the few cells that begin there,
 * the test string, are looked up among the test strings of all needles, first in a bitmap of
 * hashes; where they are found, the needles are compared row by row. Nearly all of the text is
 * never read.
 *
 * If needles are narrow or mostly even, there must be a point in every column. Then vectors first
 * find where a test string may begin, by four bytes of it, 64 columns at once. A byte's halves are
 * looked up in two tables of sixteen bytes, whose bits are buckets of strings; where a bucket's bit
 * is set in all of them, the string is looked up as above.
 *
 * Which rectangle of a needle it is does not matter for the result. The builder chooses the one
 * whose strings are rarest, and how close the points lie: close points need few strings of each
 * needle, so none of blank margins; distant points are few. Points in every row and column (1 by 1)
 * with one string for each needle are a search for its rarest row.
 *
 * For needles with masks the test strings come from a rectangle in which all cells are compared,
 * and rows are compared under the mask.
 *
 * Invariant: an occurrence is seen exactly once, from the test point under its rectangle.
 *
 * Tops are taken stretch by stretch. When a stretch takes too long, what it has found is
 * forgotten, and the next stage begins with it.
 *
 * Cost: cells / (down * across) look-ups, and the comparisons; in texts that are as even as a
 * needle, at worst the needle is compared for each of its strings at every test point, so the walk
 * gives up.
 * Source: Kärkkäinen and Ukkonen 1994, 1999 (test points); Baeza-Yates and Regnier 1993 (every
 * m-th row); Tarhio 1996; Wang et al. 2019 (Teddy's buckets and shuffles).
 */
#include "engines/grid/ku/layout.h"

#include "engines/shared/vec.h"

/* Work, in nanoseconds, for a place that vectors let pass, for a test that is looked at, for a
 * needle row that is compared; and what a cell of the text is worth before Baker-Bird is faster. */
#define LOOK_WORK 2u
#define TEST_WORK 2u
#define ROW_WORK(bytes) (4u + (bytes) / 16u)
#define WORK_A_CELL 4u

/* Stretches are STRETCH_SHARE times as high as what two of them both read, and have STRETCH_CELLS
 * cells. */
#define STRETCH_SHARE 16u
#define STRETCH_CELLS (256u << 10)

typedef struct ku_scan {
    const u32 *tables;
    const ku_tables *head;
    const byr_needle *needles;
    const u32 *bitmap, *test_first;
    const ku_test *tests;
    const u32 *masks; /* NULL: there are none */
    const u8 *cells;
    u64 stride;
    u32 rows, cols;
    u32 begin, end; /* tops of the stretch */
    u64 work, most;
    u64 candidates;
    const sink *out;
} ku_scan;

/* Are all bytes equal that the mask lets see? */
WALK_APART bool ku_masked_same(const u8 *a, const u8 *b, const u8 *mask, u32 count)
{
    u32 i = 0;
    for (; count - i >= 8; i += 8)
        if ((grid_word(a + i) ^ grid_word(b + i)) & grid_word(mask + i))
            return false;
    for (; i < count; i++)
        if ((a[i] ^ b[i]) & mask[i])
            return false;
    return true;
}

static bool ku_row_same(const ku_scan *scan, const byr_needle *n, u32 row, u32 top, u32 left)
{
    const u8 *text =
        scan->cells + ((u64)top + row) * scan->stride + (u64)left * scan->head->cell_size;
    const u64 line = (u64)row * n->row_words;
    const u32 mask = scan->masks ? scan->masks[n - scan->needles] : 0;
    const u8 *cells = (const u8 *)(scan->tables + n->cells + line);
    return mask
               ? ku_masked_same(text, cells, (const u8 *)(scan->tables + mask + line), n->row_bytes)
               : grid_equal(text, cells, n->row_bytes);
}

/* Is the needle at (top, left)? First its row `near` is compared, whose text was just read: the
 * others are far away in memory. */
static bool ku_same(ku_scan *scan, const byr_needle *n, u32 near, u32 top, u32 left)
{
    const u32 *order = scan->tables + n->order;
    bool same = ku_row_same(scan, n, near, top, left);
    u32 i = 0;
    while (same && i < n->rows)
        same = ku_row_same(scan, n, order[i++], top, left);
    scan->work += (u64)(i + 1) * ROW_WORK(n->row_bytes);
    return same;
}

/* The string at a test point has this hash: try the needles that may have put it there. False when
 * that took too long. */
WALK_APART bool ku_hits(ku_scan *scan, u64 hash, u32 row, u32 col)
{
    const u32 list = (u32)(hash >> (64 - scan->head->list_bits));
    const u64 row_bytes = (u64)scan->cols * scan->head->cell_size;
    const u32 stop = scan->test_first[list + 1];
    for (u32 i = scan->test_first[list]; i < stop; i++) {
        const ku_test t = scan->tests[i];
        const u32 top = row - t.row, left = col - t.col;
        scan->work += TEST_WORK;
        if (t.check != ku_check(hash) || top < scan->begin || top >= scan->end || t.col > col)
            continue;
        const byr_needle *n = &scan->needles[t.needle];
        if (n->rows > scan->rows - top ||
            (u64)left * scan->head->cell_size + n->row_bytes > row_bytes)
            continue;
        scan->candidates++;
        if (ku_same(scan, n, t.row, top, left))
            sink_put(scan->out, top * scan->cols + left, t.needle);
        if (scan->work > scan->most)
            return false;
    }
    return scan->work <= scan->most;
}

/* The test points of a row; the same of them. */
WALK_INTO bool ku_along(ku_scan *scan, u32 bytes, u32 row)
{
    const ku_tables *head = scan->head;
    const u32 *bitmap = scan->bitmap;
    const u32 shift = 64 - head->bits;
    const u64 step = (u64)head->across * head->cell_size;
    const u64 first = (u64)head->first_col + head->across - 1;
    if (scan->cols < head->cells || first > scan->cols - head->cells)
        return true;
    const u8 *start = scan->cells + row * scan->stride, *p = start + first * head->cell_size;
    const u64 points = (scan->cols - head->cells - first) / head->across + 1;
    for (u64 i = 0; i < points; i++, p += step) {
        const u64 hash = ku_hash(p, bytes);
        const u32 bit = (u32)(hash >> shift);
        if (PORT_UNLIKELY(bitmap[bit >> 5] >> (bit & 31) & 1) &&
            !ku_hits(scan, hash, row, (u32)(first + i * head->across)))
            return false;
    }
    return true;
}

/* The same for strings of each size, by a loop of its own. */
#define KU_ROW(bytes)                                                                              \
    WALK_APART bool ku_row_##bytes(ku_scan *scan, u32 row)                                         \
    {                                                                                              \
        return ku_along(scan, bytes, row);                                                         \
    }
KU_ROW(1)
KU_ROW(2)
KU_ROW(3)
KU_ROW(4)
KU_ROW(6)
KU_ROW(8)
KU_ROW(12)
KU_ROW(16)

typedef bool (*ku_row)(ku_scan *scan, u32 row);

/* By bytes of a test string: build.c makes no others. */
static const ku_row ku_point_rows[KU_MAX_BYTES + 1] = {
    [1] = ku_row_1, [2] = ku_row_2, [3] = ku_row_3,   [4] = ku_row_4,
    [6] = ku_row_6, [8] = ku_row_8, [12] = ku_row_12, [16] = ku_row_16,
};

static u64 ku_hash_of(const u8 *p, u32 bytes)
{
    return bytes == 1   ? ku_hash(p, 1)
           : bytes == 2 ? ku_hash(p, 2)
           : bytes == 3 ? ku_hash(p, 3)
           : bytes == 4 ? ku_hash(p, 4)
           : bytes == 6 ? ku_hash(p, 6)
           : bytes == 8 ? ku_hash(p, 8)
                        : ku_hash(p, bytes);
}

/* Bit i of `mask`: a test string may begin at byte `at` + i of a row. False: it took too long. */
WALK_APART bool ku_look(ku_scan *scan, u64 mask, u32 row, u64 at)
{
    const ku_tables *head = scan->head;
    const u8 *start = scan->cells + row * scan->stride;
    for (; mask; mask &= mask - 1) {
        const u64 place = at + VEC_FIRST(mask);
        const u64 hash = ku_hash_of(start + place, head->cells * head->cell_size);
        const u32 bit = (u32)(hash >> (64 - head->bits));
        scan->work += LOOK_WORK;
        if (scan->bitmap[bit >> 5] >> (bit & 31) & 1 &&
            !ku_hits(scan, hash, row, (u32)(place / head->cell_size)))
            return false;
    }
    return scan->work <= scan->most;
}

typedef struct ku_classes {
    vec_table16 low, high;
} ku_classes;

/* Those of VEC_BYTES places where the strings of some bucket have all their classes. */
WALK_INTO u64 ku_seen(u32 places, const ku_classes *classes, const vec *bytes)
{
    vec buckets = vec_and(vec_lookup16(classes[0].low, vec_low(bytes[0])),
                          vec_lookup16(classes[0].high, vec_high(bytes[0])));
    for (u32 i = 1; i < places; i++) {
        buckets = vec_and(buckets, vec_lookup16(classes[i].low, vec_low(bytes[i])));
        buckets = vec_and(buckets, vec_lookup16(classes[i].high, vec_high(bytes[i])));
    }
    return vec_nonzero(buckets);
}

/* A row of points in every column, by vectors. Cells of 3 bytes go 63 bytes at a time. */
WALK_INTO bool ku_sweep(ku_scan *scan, const u32 places, u32 row)
{
    static const u64 begins[] = { UINT64_MAX, 0x5555555555555555u, 0x1249249249249249u,
                                  0x1111111111111111u };
    const ku_tables *head = scan->head;
    const u32 size = head->cell_size;
    const u32 step = size == 3 ? 63 : VEC_BYTES;
    const u64 mask = begins[size - 1];
    const u8 *start = scan->cells + row * scan->stride;
    ku_classes classes[KU_MAX_PLACES];
    vec bytes[KU_MAX_PLACES];
    u32 furthest = 0;
    if (scan->cols < head->cells || head->first_col > scan->cols - head->cells)
        return true;
    for (u32 i = 0; i < places; i++) {
        const u8 *p = (const u8 *)(scan->tables + head->classes) + 32 * i;
        classes[i].low = vec_table16_load(p);
        classes[i].high = vec_table16_load(p + 16);
        furthest = head->place[i] > furthest ? head->place[i] : furthest;
    }
    const u64 row_bytes = (u64)scan->cols * size;
    const u64 stop = row_bytes - (u64)head->cells * size + 1; /* where no string begins */
    u64 at = (u64)head->first_col * size;
    for (; at + furthest + VEC_BYTES <= row_bytes && at < stop; at += step) {
        for (u32 i = 0; i < places; i++)
            bytes[i] = vec_load(start + at + head->place[i]);
        u64 seen = ku_seen(places, classes, bytes) & mask;
        if (stop - at < VEC_BYTES)
            seen &= vec_mask((u32)(stop - at));
        if (PORT_UNLIKELY(seen != 0) && !ku_look(scan, seen, row, at))
            return false;
    }
    for (; at < stop; at += step) {
        for (u32 i = 0; i < places; i++) {
            const u64 left = row_bytes - at - head->place[i];
            bytes[i] = vec_load_part(start + at + head->place[i],
                                     left < VEC_BYTES ? (u32)left : VEC_BYTES);
        }
        u64 seen = ku_seen(places, classes, bytes) & mask;
        if (stop - at < VEC_BYTES)
            seen &= vec_mask((u32)(stop - at));
        if (seen != 0 && !ku_look(scan, seen, row, at))
            return false;
    }
    return true;
}

/* The same for each number of places, by a loop of its own. */
#define KU_SWEEP(places)                                                                           \
    WALK_APART bool ku_sweep_##places(ku_scan *scan, u32 row)                                      \
    {                                                                                              \
        return ku_sweep(scan, places, row);                                                        \
    }
KU_SWEEP(1)
KU_SWEEP(2)
KU_SWEEP(3)
KU_SWEEP(4)

static const ku_row ku_sweeps[KU_MAX_PLACES + 1] = { NULL, ku_sweep_1, ku_sweep_2, ku_sweep_3,
                                                     ku_sweep_4 };

static u32 ku_walk(grid_task *task)
{
    const ku_tables *head = (const ku_tables *)task->tables;
    ku_scan scan = { .tables = task->tables,
                     .head = head,
                     .needles = (const byr_needle *)(task->tables + head->needles),
                     .bitmap = task->tables + head->bitmap,
                     .test_first = task->tables + head->test_first,
                     .tests = (const ku_test *)(task->tables + head->tests),
                     .masks = head->masks ? task->tables + head->masks : NULL,
                     .cells = task->cells,
                     .stride = task->stride,
                     .rows = task->rows,
                     .cols = task->cols,
                     .out = task->out };
    const ku_row along =
        head->places ? ku_sweeps[head->places] : ku_point_rows[head->cells * head->cell_size];
    const u64 spread = (u64)head->last_row - head->first_row;
    u64 height = spread ? STRETCH_SHARE * (spread + head->down) : 1;
    if (height < STRETCH_CELLS / task->cols)
        height = STRETCH_CELLS / task->cols;
    height = (height / head->down + 1) * head->down;
    u32 done = task->begin;
    for (bool pays = true; done < task->end && pays;) {
        const u64 found = *task->out->cursor;
        scan.begin = done;
        scan.end = task->end - done > height ? done + (u32)height : task->end;
        const u64 stop = (u64)scan.end + head->last_row + head->down - 1;
        u64 row = (u64)done + head->first_row + head->down - 1;
        for (; row < stop && row < task->rows && pays; row += head->down) {
            scan.most = task->allowance + WORK_A_CELL * (row + 1 - task->begin) * scan.cols;
            pays = along(&scan, (u32)row);
        }
        if (pays)
            done = scan.end;
        else
            *task->out->cursor = found;
    }
    task->candidates += scan.candidates;
    return done;
}

const walk VEC_NAME(walk_ku) = { .grid = ku_walk };
