/* build.c: Kärkkäinen-Ukkonen's test strings. The walk and the essay are in vector.c.
 *
 * Idea: a lattice of test points costs look-ups, the fewer the farther the points lie from each
 * other, and comparisons, the fewer the rarer the strings. For each length of a string and each
 * distance down and across, every needle gives the rectangle of its strings with the least sum of
 * rarity; the cheapest of these shapes is built. Large sets are judged by some of their needles,
 * large needles by the piece that changes colour most.
 *
 * How often a text has a string is guessed from what is known: strings of one colour are common,
 * since pictures have margins; each change of colour within a string makes it rarer, the more so
 * the more colours the needles have; strings that needles share will be in texts made of them; and
 * strings in the caller's sample are counted.
 *
 * Cost: O(cells judged * shapes), bounded; O(cells of the needles) to build.
 */
#include "engines/grid/ku/layout.h"

#include <stdlib.h>
#include <string.h>

#include "engines/papers/byr/build.h"
#include "engines/shared/costs.h"
#include "engines/shared/grid/needles.h"

#define MAX_SIDE 32u         /* rows and columns of a needle from which strings are taken */
#define MAX_JUDGED 24u       /* needles */
#define MAX_TESTS (1u << 18) /* in all, where needles are not more */
#define MAX_DISTANCES 6u     /* that are tried, down and across */
#define CHANGED_SHARE 0.1    /* of places where others begin, before their changes are counted */
#define EVEN_STUBBORN 5.0    /* a needle of one colour, in a text of one */
#define GPU_EVEN 0.4         /* of a string: as often as where needle and text are even */
#define SKETCH_BITS 14u      /* of counters of strings */

enum { SIDE = MAX_SIDE + 1 };

/* ---- how rare strings are ------------------------------------------------------ */

typedef struct rarity {
    uint32_t cells, cell_size;  /* of a string */
    uint32_t colours;           /* of the needles, as far as they count */
    double often[KU_MAX_CELLS]; /* how often a string is met, by its changes of colour; with none,
                                    for each colour */
    double weight;              /* of what was counted */
    uint32_t *counts; /* by hash, SKETCH_BITS of it: strings of the needles, of the sample */
    uint64_t total;
} rarity;

static uint64_t string_hash(const uint8_t *p, uint32_t bytes)
{
    switch (bytes) {
    case 1:
        return ku_hash(p, 1);
    case 2:
        return ku_hash(p, 2);
    case 3:
        return ku_hash(p, 3);
    case 4:
        return ku_hash(p, 4);
    case 6:
        return ku_hash(p, 6);
    case 8:
        return ku_hash(p, 8);
    case 12:
        return ku_hash(p, 12);
    default:
        return ku_hash(p, 16);
    }
}

static bool size_fits(uint32_t bytes)
{
    static const uint32_t sizes =
        1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 6 | 1u << 8 | 1u << 12 | 1u << 16;
    return bytes <= KU_MAX_BYTES && (sizes >> bytes & 1);
}

/* Bytes of a string that vectors look at: spread over it. */
static uint32_t spread_places(uint32_t bytes, uint32_t place[KU_MAX_PLACES])
{
    const uint32_t count = bytes < KU_MAX_PLACES ? bytes : KU_MAX_PLACES;
    for (uint32_t i = 0; i < count; i++)
        place[i] = count > 1 ? i * (bytes - 1) / (count - 1) : 0;
    return count;
}

/* How often vectors let it pass. */
static double how_often_seen(const rarity *r, const uint8_t *p)
{
    uint32_t place[KU_MAX_PLACES], changes = 0;
    const uint32_t places = spread_places(r->cells * r->cell_size, place);
    for (uint32_t i = 1; i < places; i++)
        changes += grid_cell(p, r->cell_size, place[i - 1] / r->cell_size) !=
                   grid_cell(p, r->cell_size, place[i] / r->cell_size);
    return r->often[changes];
}

static double how_often(const rarity *r, const uint8_t *p)
{
    double often = r->often[row_changes(p, r->cell_size, r->cells)];
    if (r->total) {
        const uint64_t hash = string_hash(p, r->cells * r->cell_size);
        const uint32_t count = r->counts[hash >> (64 - SKETCH_BITS)];
        const double counted = r->weight * (count ? count - 1.0 : 0) / (double)r->total;
        if (counted > often)
            often = counted;
    }
    return often;
}

/* ---- what is judged ------------------------------------------------------------ */

/* The piece of a needle from which test strings are taken. */
typedef struct piece {
    const needle *of;
    uint32_t top, left, rows, cols;
    double stubborn; /* comparisons of the needle until one fails, about */
} piece;

typedef struct judging {
    const pattern_list *list;
    piece *pieces;       /* of each needle */
    uint32_t *heights;   /* of the columns of the widest needle with a mask, while they are made */
    uint32_t rows, cols; /* the fewest of any */
    uint32_t judged;     /* needles */
} judging;

static const uint8_t *piece_at(const judging *j, const piece *p, uint32_t row, uint32_t col)
{
    return p->of->cells +
           ((size_t)(p->top + row) * p->of->cols + p->left + col) * j->list->cell_size;
}

/* Changes of colour in row `at`, between column `at` and the one before it, of a piece. */
typedef uint32_t (*changes_at)(const judging *j, const piece *p, uint32_t at);

static uint32_t changes_of_row(const judging *j, const piece *p, uint32_t at)
{
    return row_changes(piece_at(j, p, at, 0), j->list->cell_size, p->cols);
}

static uint32_t changes_of_col(const judging *j, const piece *p, uint32_t at)
{
    uint32_t changes = 0;
    for (uint32_t row = 0; at > 0 && row < p->rows; row++)
        changes += row_changes(piece_at(j, p, row, at - 1), j->list->cell_size, 2);
    return changes;
}

/* Where the MAX_SIDE neighbouring ones of `count` rows (columns) begin that have the most
 * changes. */
static uint32_t busiest(const judging *j, const piece *p, uint32_t count, changes_at changes)
{
    uint32_t best = 0, most = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count && count > MAX_SIDE; i++) {
        sum += changes(j, p, i);
        if (i >= MAX_SIDE)
            sum -= changes(j, p, i - MAX_SIDE);
        if (i + 1 >= MAX_SIDE && sum > most) {
            most = (uint32_t)sum;
            best = i + 1 - MAX_SIDE;
        }
    }
    return best;
}

/* The largest rectangle of cells that are all compared, of which MAX_SIDE rows and columns count.
 * From row to row, `heights` says how many such cells stand above each other in each column; the
 * columns beside it that are as high make the rectangle that one ends in. */
static piece clear_piece(const needle *n, uint32_t *heights)
{
    piece best = { .of = n, .rows = n->rows, .cols = n->cols };
    uint64_t largest = 0;
    for (uint32_t col = 0; n->mask && col < n->cols; col++)
        heights[col] = 0;
    for (uint32_t row = 0; n->mask && row < n->rows; row++) {
        const uint8_t *mask = n->mask + (size_t)row * n->cols;
        for (uint32_t col = 0; col < n->cols; col++)
            heights[col] = !mask[col] ? 0 : heights[col] < MAX_SIDE ? heights[col] + 1 : MAX_SIDE;
        for (uint32_t col = 0; col < n->cols; col++) {
            uint32_t height = heights[col], cols = 0;
            for (; height && cols < MAX_SIDE && col + cols < n->cols; cols++) {
                height = heights[col + cols] < height ? heights[col + cols] : height;
                if (height && (uint64_t)height * (cols + 1) > largest) {
                    largest = (uint64_t)height * (cols + 1);
                    best.top = row + 1 - height;
                    best.left = col;
                    best.rows = height;
                    best.cols = cols + 1;
                }
            }
        }
    }
    return best;
}

static piece piece_of(const judging *j, const needle *n)
{
    piece p = clear_piece(n, j->heights);
    const uint32_t rows = p.rows, cols = p.cols;
    const uint32_t top = busiest(j, &p, rows, changes_of_row);
    uint32_t changes = 0;
    p.top += top;
    p.rows = rows < MAX_SIDE ? rows : MAX_SIDE;
    p.left += busiest(j, &p, cols, changes_of_col);
    p.cols = cols < MAX_SIDE ? cols : MAX_SIDE;
    for (uint32_t row = 0; row < p.rows; row++)
        changes += changes_of_row(j, &p, row);
    p.stubborn = changes == 0 ? EVEN_STUBBORN : 1;
    return p;
}

/* False: no memory. The caller gives j->pieces back. */
static bool judge(const problem *p, judging *j)
{
    const pattern_list *list = p->list;
    *j = (judging){ .list = list, .rows = MAX_SIDE, .cols = MAX_SIDE };
    j->pieces = memory_take_array(p->memory, list->count, sizeof *j->pieces);
    j->judged = list->count < MAX_JUDGED ? (uint32_t)list->count : MAX_JUDGED;
    uint32_t widest = 1;
    for (size_t i = 0; i < list->count; i++)
        if (list->needles[i].mask && list->needles[i].cols > widest)
            widest = list->needles[i].cols;
    j->heights = memory_take_array(p->memory, widest, sizeof *j->heights);
    for (size_t i = 0; i < list->count && j->pieces && j->heights; i++) {
        const piece of = piece_of(j, &list->needles[i]);
        j->pieces[i] = of;
        j->rows = of.rows < j->rows ? of.rows : j->rows;
        j->cols = of.cols < j->cols ? of.cols : j->cols;
    }
    memory_give(p->memory, j->heights);
    return j->pieces && j->heights;
}

/* The needle that is judged as the i-th. */
static const piece *judged_piece(const judging *j, uint32_t i)
{
    return &j->pieces[(uint64_t)i * j->list->count / j->judged];
}

/* Distinct cells of what is judged, as far as they count; and of those that fill a string. */
static void count_colours(const judging *j, uint32_t cells, uint32_t *colours, uint32_t *even)
{
    colour_set seen = { { 0 } }, filling = { { 0 } };
    const uint32_t size = j->list->cell_size;
    for (uint32_t i = 0; i < j->judged; i++) {
        const piece *p = judged_piece(j, i);
        for (uint32_t row = 0; row < p->rows; row++) {
            const uint8_t *line = piece_at(j, p, row, 0);
            for (uint32_t col = 0, same = 0; col < p->cols; col++) {
                const uint32_t cell = grid_cell(line, size, col);
                same = col && cell == grid_cell(line, size, col - 1) ? same + 1 : 1;
                colours_add(&seen, cell);
                if (same >= cells)
                    colours_add(&filling, cell);
            }
        }
    }
    *colours = colours_count(&seen);
    *even = colours_count(&filling);
}

static void count_string(rarity *r, const uint8_t *p)
{
    r->counts[string_hash(p, r->cells * r->cell_size) >> (64 - SKETCH_BITS)]++;
    r->total++;
}

/* `counts`: room for 2^SKETCH_BITS. */
static rarity rarity_of(const problem *p, const judging *j, uint32_t cells, uint32_t *counts)
{
    const uint32_t size = j->list->cell_size;
    rarity r = { .cells = cells, .cell_size = size, .counts = counts };
    uint32_t colours, even;
    count_colours(j, cells, &colours, &even);
    r.colours = colours;
    r.often[0] = CHANGED_SHARE;
    for (uint32_t changes = 1; changes < cells; changes++)
        r.often[changes] = r.often[changes - 1] / (1.5 + colours / 4.0);
    r.often[0] = COST_EVEN_SHARE / (even ? even : 1);
    memset(counts, 0, sizeof *counts << SKETCH_BITS);
    if (p->sampled) {
        r.weight = 1;
        for (size_t at = 0; at + (size_t)cells * size <= p->sample.length; at += size)
            count_string(&r, p->sample.bytes + at);
        return r;
    }
    r.weight = (double)j->judged / (j->judged + 8.0);
    for (uint32_t i = 0; i < j->judged; i++) {
        const piece *of = judged_piece(j, i);
        for (uint32_t row = 0; row < of->rows; row++)
            for (uint32_t col = 0; col + cells <= of->cols; col++)
                count_string(&r, piece_at(j, of, row, col));
    }
    return r;
}

/* ---- rectangles ----------------------------------------------------------------- */

/* sums[row][col]: how often strings that begin above and left of a place of a piece are, in all. */
typedef double place_sums[SIDE][SIDE];

static void sum_places(const judging *j, const rarity *r, const piece *p,
                       double (*often)(const rarity *r, const uint8_t *p), place_sums sums)
{
    for (uint32_t col = 0; col < SIDE; col++)
        sums[0][col] = 0;
    for (uint32_t row = 0; row < p->rows; row++) {
        double line = 0;
        sums[row + 1][0] = 0;
        for (uint32_t col = 0; col + r->cells <= p->cols; col++) {
            line += often(r, piece_at(j, p, row, col));
            sums[row + 1][col + 1] = sums[row][col + 1] + line;
        }
    }
}

/* The rectangle of down * across strings with the least sum, which is returned. */
static double best_place(const rarity *r, const piece *p, place_sums sums, uint32_t down,
                         uint32_t across, uint32_t *best_row, uint32_t *best_col)
{
    double best = COST_IMPOSSIBLE;
    for (uint32_t row = 0; row + down <= p->rows; row++)
        for (uint32_t col = 0; col + across + r->cells - 1 <= p->cols; col++) {
            const double sum = sums[row + down][col + across] - sums[row][col + across] -
                               sums[row + down][col] + sums[row][col];
            if (sum < best) {
                best = sum;
                *best_row = row;
                *best_col = col;
            }
        }
    return best;
}

/* ---- shapes --------------------------------------------------------------------- */

typedef struct shape {
    uint32_t cells, down, across;
    bool swept;  /* by vectors; then across is 1 */
    double cost; /* nanoseconds a cell */
} shape;

static uint32_t bitmap_bits(uint64_t tests)
{
    uint32_t bits = 12;
    while (bits < 22 && ((uint64_t)1 << bits) < 32 * tests)
        bits++;
    return bits;
}

/* What a shape costs whose strings the text has at `often` of its test points. */
static double shape_cost(const judging *j, const shape *s, double often)
{
    const uint32_t size = j->list->cell_size;
    const uint64_t tests = (uint64_t)j->list->count * s->down * s->across;
    const uint32_t bits = bitmap_bits(tests);
    double by_chance = (double)tests / ((double)((uint64_t)1 << bits));
    if (by_chance > 1)
        by_chance = 1;
    const double point = COST_KU_POINT + (bits > 18 ? COST_KU_CACHED : 0) +
                         by_chance * COST_KU_LIST + often * COST_KU_TEST;
    const double line = s->across * size < 64 ? s->across * size : 64;
    return COST_KU_CELL + (point + line * COST_KU_BYTE) / ((double)s->down * s->across);
}

/* What such a shape costs with points in every column and vectors before them. They let pass what
 * has the four cells of some string, and, of strings that share a bucket, the crosses of halves of
 * their bytes. */
static double sweep_cost(const problem *p, const judging *j, const shape *s, double often,
                         double seen)
{
    const double tests = (double)j->list->count * s->down, each = tests / KU_BUCKETS;
    double crossed = 1;
    for (uint32_t i = 0; i < KU_MAX_PLACES && i < s->cells * j->list->cell_size; i++)
        crossed *= each > 1 ? (each * each < 64 ? each * each / 64 : 1) : 0;
    const double pass = seen + crossed < 1 ? seen + crossed : 1;
    const double byte = cost_of_vector(COST_KU_SWEEP, &p->target) + COST_KU_BYTE;
    return COST_KU_CELL + (byte * j->list->cell_size + pass * COST_KU_LOOK + often * COST_KU_TEST) /
                              (double)s->down;
}

/* The same on a GPU: whole lines come from memory, whatever `across`, which is 1, 2 or 4. Where
 * colours are few it may compare bits of two rows instead, which are that rare. */
static double gpu_cost(const judging *j, const shape *s, double often, uint32_t colours)
{
    const uint32_t size = j->list->cell_size, words = (s->cells * size + 3) / 4;
    const uint64_t tests = (uint64_t)j->list->count * s->down * s->across;
    const double point = COST_GPU_KU_POINT + COST_GPU_KU_WORD * words + COST_GPU_KU_TEST * often;
    if (s->across > 1 && (words > 2 || tests > KU_NEAR))
        return COST_IMPOSSIBLE;
    const double cost =
        (COST_GPU_READ * size + point * (tests > KU_NEAR ? 3 : 1) / s->across) / s->down;
    if (colours > KU_FEW_COLOURS || s->across > 1 || s->cells > KU_WIDTH || s->down < 2)
        return cost;
    /* What a text has everywhere it has in pairs; what is varied is as rare as its bits. */
    const double each = often / (double)tests;
    const double pair = each > GPU_EVEN ? each * each : 1.0 / (1u << 2 * s->cells);
    const double pairs = (double)(tests - j->list->count);
    const double bits = (2 * COST_GPU_READ * size + COST_GPU_KU_BITS +
                         pairs * (COST_GPU_KU_PAIR + COST_GPU_KU_TEST * pair)) /
                        (s->down - 1);
    return bits < cost ? bits : cost;
}

/* The distances to try from 1 to `most`, the most first; how many. */
static uint32_t distances(uint32_t most, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MAX_DISTANCES; i++) {
        static const uint32_t eighths[MAX_DISTANCES] = { 8, 6, 4, 2, 1, 0 };
        const uint32_t distance = most * eighths[i] / 8 ? most * eighths[i] / 8 : 1;
        if (count == 0 || distance < out[count - 1])
            out[count++] = distance;
    }
    return count;
}

/* The distances across that devices know. */
static uint32_t gpu_distances(uint32_t most, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t distance = KU_MAX_ACROSS; distance > 0; distance /= 2)
        if (distance <= most)
            out[count++] = distance;
    return count;
}

/* Try the cheapest shape with strings of `cells` cells; it becomes *best if it is cheaper. */
static void try_cells(const problem *p, const judging *j, uint32_t cells, uint32_t *counts,
                      place_sums sums, shape *best)
{
    uint32_t downs[MAX_DISTANCES], acrosses[MAX_DISTANCES], row, col;
    double often[MAX_DISTANCES][MAX_DISTANCES] = { { 0 } }, seen[MAX_DISTANCES] = { 0 };
    const uint32_t down_count = distances(j->rows, downs);
    const uint32_t most_across = j->cols - cells + 1;
    const uint32_t across_count =
        p->target.gpu ? gpu_distances(most_across, acrosses) : distances(most_across, acrosses);
    const rarity r = rarity_of(p, j, cells, counts);
    for (uint32_t i = 0; i < j->judged; i++) {
        const piece *of = judged_piece(j, i);
        sum_places(j, &r, of, how_often, sums);
        for (uint32_t d = 0; d < down_count; d++)
            for (uint32_t a = 0; a < across_count; a++)
                often[d][a] +=
                    of->stubborn * best_place(&r, of, sums, downs[d], acrosses[a], &row, &col);
        sum_places(j, &r, of, how_often_seen, sums);
        for (uint32_t d = 0; d < down_count; d++)
            seen[d] += best_place(&r, of, sums, downs[d], 1, &row, &col);
    }
    const double all = (double)j->list->count / j->judged;
    for (uint32_t d = 0; d < down_count; d++)
        for (uint32_t a = 0; a < across_count; a++) {
            shape s = { .cells = cells, .down = downs[d], .across = acrosses[a] };
            const uint64_t each = (uint64_t)s.down * s.across;
            if (each > 1 && each * j->list->count > MAX_TESTS)
                continue;
            if (p->target.gpu) {
                s.swept = s.across == 1; /* where a CPU takes over */
                s.cost = gpu_cost(j, &s, often[d][a] * all, r.colours);
                if (s.cost < best->cost)
                    *best = s;
                continue;
            }
            s.cost = shape_cost(j, &s, often[d][a] * all);
            if (s.cost < best->cost)
                *best = s;
            s.swept = true;
            s.cost = sweep_cost(p, j, &s, often[d][a] * all, seen[d] * all);
            if (s.across == 1 && s.cost < best->cost)
                *best = s;
        }
}

/* False: no memory. */
static bool choose_shape(const problem *p, const judging *j, shape *best)
{
    uint32_t *counts = memory_take_array(p->memory, (size_t)1 << SKETCH_BITS, sizeof *counts);
    double(*sums)[SIDE] = memory_take(p->memory, sizeof(place_sums));
    const bool fine = counts && sums;
    *best = (shape){ .cost = COST_IMPOSSIBLE };
    for (uint32_t cells = 1; fine && cells <= KU_MAX_CELLS && cells <= j->cols; cells++)
        if (size_fits(cells * j->list->cell_size))
            try_cells(p, j, cells, counts, sums, best);
    memory_give(p->memory, counts);
    memory_give(p->memory, sums);
    return fine;
}

static double ku_cost(const problem *p)
{
    shape s;
    judging j;
    const bool fine = judge(p, &j) && choose_shape(p, &j, &s);
    memory_give(p->memory, j.pieces);
    return fine ? s.cost : COST_IMPOSSIBLE;
}

/* ---- building ------------------------------------------------------------------- */

typedef struct found_test {
    uint64_t hash;
    uint8_t seen[KU_MAX_PLACES]; /* its bytes at the places that vectors look at */
    ku_test test;
} found_test;

static int compare_seen(const void *left, const void *right)
{
    const found_test *a = left, *b = right;
    return memcmp(a->seen, b->seen, sizeof a->seen);
}

/* The strings of all needles in their best places. */
static void find_tests(const problem *p, const judging *j, const shape *s, uint32_t *counts,
                       place_sums sums, found_test *tests, ku_tables *head)
{
    const rarity r = rarity_of(p, j, s->cells, counts);
    head->first_row = head->first_col = UINT32_MAX;
    for (uint32_t i = 0; i < j->list->count; i++) {
        const piece *of = &j->pieces[i];
        uint32_t top = 0, left = 0;
        sum_places(j, &r, of, s->swept && !p->target.gpu ? how_often_seen : how_often, sums);
        best_place(&r, of, sums, s->down, s->across, &top, &left);
        const uint32_t row = of->top + top, col = of->left + left;
        head->first_row = row < head->first_row ? row : head->first_row;
        head->last_row = row > head->last_row ? row : head->last_row;
        head->first_col = col < head->first_col ? col : head->first_col;
        for (uint32_t d = 0; d < s->down; d++)
            for (uint32_t a = 0; a < s->across; a++) {
                const uint8_t *string = piece_at(j, of, top + d, left + a);
                const uint64_t hash = string_hash(string, s->cells * j->list->cell_size);
                found_test found = { .hash = hash,
                                     .test = { ku_check(hash), i, row + d, col + a } };
                for (uint32_t k = 0; k < head->places; k++)
                    found.seen[k] = string[head->place[k]];
                *tests++ = found;
            }
    }
}

static void add_tests(block *b, const found_test *found, uint32_t count, ku_tables *head)
{
    uint32_t *keys = memory_take_array(b->memory, count, sizeof *keys);
    uint32_t *place = memory_take_array(b->memory, count, sizeof *place);
    if (!keys || !place)
        b->failed = true;
    head->bits = bitmap_bits(count);
    head->list_bits = 1;
    while (head->list_bits < 22 && (1u << head->list_bits) < 2 * count)
        head->list_bits++;
    head->bitmap = block_words(b, NULL, (size_t)1 << (head->bits - 5));
    for (uint32_t i = 0; i < count && !b->failed; i++) {
        const uint32_t bit = (uint32_t)(found[i].hash >> (64 - head->bits));
        ((uint32_t *)b->bytes)[head->bitmap + (bit >> 5)] |= 1u << (bit & 31);
        keys[i] = (uint32_t)(found[i].hash >> (64 - head->list_bits));
    }
    if (!b->failed)
        head->test_first = grid_lists_build(b, keys, count, 1u << head->list_bits, place);
    head->tests = block_words(b, NULL, (size_t)count * sizeof(ku_test) / 4);
    if (!b->failed) {
        ku_test *tests = (ku_test *)(b->bytes + (size_t)head->tests * 4);
        for (uint32_t i = 0; i < count; i++)
            tests[place[i]] = found[i].test;
    }
    memory_give(b->memory, keys);
    memory_give(b->memory, place);
}

/* The tables of vectors: those that look alike share a bucket. */
static void add_classes(block *b, found_test *found, uint32_t count, ku_tables *head)
{
    head->classes = block_words(b, NULL, (size_t)head->places * 8);
    if (b->failed || head->places == 0)
        return;
    uint8_t(*classes)[2][16] = (uint8_t(*)[2][16])(b->bytes + (size_t)head->classes * 4);
    qsort(found, count, sizeof *found, compare_seen);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t bucket = (uint8_t)(1u << (uint64_t)i * KU_BUCKETS / count);
        for (uint32_t k = 0; k < head->places; k++) {
            classes[k][0][found[i].seen[k] & 15] |= bucket;
            classes[k][1][found[i].seen[k] >> 4] |= bucket;
        }
    }
}

/* The masks of a list of needles, some of which have one. */
static uint32_t add_masks(block *b, const pattern_list *list)
{
    const uint32_t offsets = block_words(b, NULL, list->count);
    for (size_t i = 0; i < list->count && !b->failed; i++) {
        const needle *n = &list->needles[i];
        if (!n->mask)
            continue;
        const size_t row_words = ((size_t)n->cols * list->cell_size + 3) / 4;
        const uint32_t offset = block_words(b, NULL, row_words * n->rows);
        if (b->failed)
            break;
        ((uint32_t *)(void *)b->bytes)[offsets + i] = offset;
        for (size_t at = 0; at < (size_t)n->rows * n->cols; at++)
            if (n->mask[at])
                memset(b->bytes + (offset + at / n->cols * row_words) * 4 +
                           at % n->cols * list->cell_size,
                       255, list->cell_size);
    }
    return offsets;
}

static void ku_build(const problem *p, stage_draft *out)
{
    block *b = &out->tables;
    judging j;
    shape s;
    if (!judge(p, &j) || !choose_shape(p, &j, &s)) {
        memory_give(p->memory, j.pieces);
        b->failed = true;
        return;
    }
    ku_tables head = {
        .cell_size = p->list->cell_size, .down = s.down, .across = s.across, .cells = s.cells
    };
    if (s.swept)
        head.places = spread_places(s.cells * p->list->cell_size, head.place);
    const uint32_t count = (uint32_t)p->list->count * s.down * s.across;
    found_test *tests = memory_take_array(p->memory, count, sizeof *tests);
    uint32_t *counts = memory_take_array(p->memory, (size_t)1 << SKETCH_BITS, sizeof *counts);
    double(*sums)[SIDE] = memory_take(p->memory, sizeof(place_sums));
    if (tests && counts && sums) {
        find_tests(p, &j, &s, counts, sums, tests, &head);
        block_words(b, NULL, sizeof head / 4);
        add_classes(b, tests, count, &head);
        add_tests(b, tests, count, &head);
        head.needles = byr_needles_build(b, p->list);
        if (p->list->alike)
            head.masks = add_masks(b, p->list);
        if (!b->failed)
            memcpy(b->bytes, &head, sizeof head);
    } else {
        b->failed = true;
    }
    memory_give(p->memory, j.pieces);
    memory_give(p->memory, tests);
    memory_give(p->memory, counts);
    memory_give(p->memory, sums);
}

/* ---- verifying ------------------------------------------------------------------ */

static bool places_valid(const ku_tables *t, size_t words)
{
    if (t->places > KU_MAX_PLACES || (t->places > 0 && t->across != 1))
        return false;
    for (uint32_t i = 0; i < t->places; i++)
        if (t->place[i] >= t->cells * t->cell_size)
            return false;
    return words_inside(words, t->classes, (uint64_t)t->places * 8);
}

static bool masks_valid(const stage_facts *facts, const ku_tables *t, const uint32_t *tables,
                        size_t words)
{
    const byr_needle *needles = (const byr_needle *)(tables + t->needles);
    if (t->masks == 0)
        return true;
    if (!words_inside(words, t->masks, facts->pattern_count))
        return false;
    for (uint32_t i = 0; i < facts->pattern_count; i++)
        if (!words_inside(words, tables[t->masks + i],
                          (uint64_t)needles[i].rows * needles[i].row_words))
            return false;
    return true;
}

static bool ku_check_tables(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const ku_tables *t = (const ku_tables *)tables;
    if (words < sizeof *t / 4 || t->cell_size != facts->cell_size || facts->state_words != 0 ||
        t->down == 0 || t->across == 0 || t->cells == 0 || t->cells > KU_MAX_CELLS ||
        !size_fits(t->cells * t->cell_size) || t->first_row > t->last_row || t->bits < 5 ||
        t->bits > 30 || !places_valid(t, words) || t->list_bits < 1 || t->list_bits > 30 ||
        !words_inside(words, t->bitmap, (uint64_t)1 << (t->bits - 5)) ||
        !byr_needles_valid(facts, t->needles, 1, tables, words) ||
        !masks_valid(facts, t, tables, words) ||
        !grid_lists_valid(tables, words, t->test_first, 1u << t->list_bits, t->tests,
                          sizeof(ku_test) / 4))
        return false;
    const byr_needle *needles = (const byr_needle *)(tables + t->needles);
    const ku_test *tests = (const ku_test *)(tables + t->tests);
    for (uint32_t i = 0; i < tables[t->test_first + (1u << t->list_bits)]; i++) {
        if (tests[i].needle >= facts->pattern_count)
            return false;
        const byr_needle *n = &needles[tests[i].needle];
        if (tests[i].row >= n->rows ||
            ((uint64_t)tests[i].col + t->cells) * t->cell_size > n->row_bytes)
            return false;
    }
    return true;
}

static const char *ku_refuses(const pattern_list *list)
{
    return list->alike && !list->tolerance && !list->wrong ? NULL : refuses_unless_needles(list);
}

/* Baker-Bird knows no masks. */
static const engine *ku_fallback_of(const pattern_list *list)
{
    return list->alike ? &engine_direct : &engine_bb;
}

const engine engine_ku = {
    .name = "ku",
    .about = "Kärkkäinen-Ukkonen: needles of any sizes; reads a lattice of test points (1994)",
    .kind = WALK_KU,
    .grid = true,
    .refuses = ku_refuses,
    .cost = ku_cost,
    .build = ku_build,
    .check = ku_check_tables,
    .fallback = &engine_bb,
    .instead = &engine_direct,
    .fallback_of = ku_fallback_of,
};
