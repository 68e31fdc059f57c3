/* device.c: bit-sliced class patterns on devices: which tiles, and lists for them. The kernel is in
 * device.k; the one for devices that are CPUs, which needs no lists, in device_alone.k.
 *
 * The longest tile is taken that leaves room for two groups on a multiprocessor: while one makes
 * rows, the other tests. If there are too many rows for long tiles, the patterns are divided into
 * batches, each with fewer rows; some rows are then made for several batches. A test is a word's
 * place among the rows, ready to be added to an item's; classes have levels, so that all of a level
 * can be made at once.
 */
#include "engines/classes/bitslice/device.h"
#include "engines/classes/bitslice/device_alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engines/shared/device/kernel.h"

enum {
    GPU_GROUP = 512,
    SMALL_GROUP = 128, /* of a GPU with little local memory, */
    MIN_GROUP = 64,    /* and what planners go by */
    MAX_BATCHES = 16,
    MAX_ROWS = 1024,   /* that are divided */
    UNIT_ITEMS = 1024, /* items of all groups of a multiprocessor */
    GROUPS_A_UNIT = 2,
    LARGE_LOCAL = 96 << 10, /* a device with more lets several groups share it */
    LOCAL_KEPT = 1 << 10,   /* by the device, of each group's */
    MIN_PATIENCE = 1 << 16,
    UNIT_ALONE = 2, /* items of a CPU's core that have rows of their own */
    MIN_LANE = 64   /* bytes, as long as there are others to share with */
};

typedef struct bitslice_device {
    bool alone;                                   /* device_alone.k */
    uint32_t group, groups, blocks, local_bytes;  /* blocks 0: rows do not fit */
    uint32_t planes, batches, batch, level, test; /* as in slice_args */
    uint32_t *batch_of;                           /* each pattern's */
    uint32_t *rows_of;                            /* bits of each batch: rows besides letters; */
    uint32_t words;                               /* words of these bits */
    uint32_t steps, held;                         /* rows of all batches, of the largest */
    uint32_t full;                                /* as in slice_args */
    device_buffer lists;
} bitslice_device;

static const bitslice_tables *tables_of(const device_plan *p)
{
    return (const bitslice_tables *)p->facts.tables;
}

/* What planners are told. */
_Static_assert(SLICE_ROWS(MIN_GROUP, 32u) == BITSLICE_LOCAL, "no more, and no less");
_Static_assert(32 + SLICE_AHEAD + 1 == BITSLICE_LOCAL_ROW, "as stride_of says");

/* ---- sizes --------------------------------------------------------------------------- */

static uint32_t stride_of(uint32_t blocks)
{
    return 32 * blocks + SLICE_AHEAD + 1;
}

static uint64_t local_of(const device_plan *p, uint32_t blocks, uint32_t rows)
{
    const bitslice_device *d = p->state;
    return 4 * (SLICE_ROWS((uint64_t)d->group, 32 * blocks) + (uint64_t)rows * stride_of(blocks));
}

/* How many rows of tiles of `blocks` blocks find room in local memory. */
static uint32_t rows_in(const device_plan *p, uint32_t blocks, uint64_t bytes)
{
    const uint64_t room = bytes > local_of(p, blocks, 0) ? bytes - local_of(p, blocks, 0) : 0;
    return smaller(room / 4, SLICE_NO_TEST) / stride_of(blocks);
}

/* ---- batches ----------------------------------------------------------------------------- */

static bool bit_of(const uint32_t *bits, uint32_t i)
{
    return bits[i / 32] >> (i % 32) & 1;
}

/* The rows besides letters that each pattern's early tests need, `words` words of bits each. */
static void find_needs(const bitslice_tables *t, const uint32_t *tables, uint32_t words,
                       uint32_t *row_needs, uint32_t *needs)
{
    const bitslice_operation *operations = (const bitslice_operation *)(tables + t->operation);
    const uint32_t *early = tables + t->early;
    for (uint32_t i = 0; i < t->rows - t->letters; i++) {
        const bitslice_operation *op = &operations[i];
        uint32_t *need = row_needs + (size_t)i * words;
        need[i / 32] |= 1u << i % 32;
        for (uint32_t k = 0; k < (op->kind == BITSLICE_WIDEN ? 1 : op->count); k++) {
            const uint32_t row = tables[t->inputs + op->first + k];
            for (uint32_t w = 0; row >= t->letters && w < words; w++)
                need[w] |= row_needs[(size_t)(row - t->letters) * words + w];
        }
    }
    for (uint32_t i = 0, run = 0, left = t->runs[0]; i < t->count; i++, left--) {
        while (!left)
            left = t->runs[++run];
        for (uint32_t k = 0; k <= run; k++) {
            const uint32_t row = *early++ / (t->held + 1);
            for (uint32_t w = 0; row >= t->letters && w < words; w++)
                needs[(size_t)i * words + w] |= row_needs[(size_t)(row - t->letters) * words + w];
        }
    }
}

/* How many rows a set has not, of another. */
static uint32_t more_of(const uint32_t *set, const uint32_t *other, uint32_t words)
{
    uint32_t more = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint32_t left = other[w] & ~set[w]; left; left &= left - 1)
            more++;
    return more;
}

/* Divide the patterns into batches of at most `most` rows, besides letters: always that which needs
 * the fewest rows more comes next. False: one pattern needs more, or there are too many. */
static bool divide(const device_plan *p, const uint32_t *needs, uint32_t most, uint32_t *batch_of,
                   uint32_t *rows_of)
{
    const bitslice_tables *t = tables_of(p);
    bitslice_device *d = p->state;
    const uint32_t words = d->words;
    uint32_t done = 0, held = 0;
    memset(batch_of, 0xff, t->count * sizeof *batch_of);
    memset(rows_of, 0, (size_t)MAX_BATCHES * words * sizeof *rows_of);
    d->steps = d->held = 0;
    for (d->batches = 1; done < t->count;) {
        uint32_t *rows = rows_of + (size_t)(d->batches - 1) * words;
        uint32_t least = UINT32_MAX, next = 0;
        for (uint32_t i = 0; i < t->count && least; i++) {
            if (batch_of[i] != UINT32_MAX)
                continue;
            const uint32_t more = more_of(rows, needs + (size_t)i * words, words);
            if (more < least) {
                least = more;
                next = i;
            }
        }
        if (held + least > most) {
            if (held == 0 || d->batches == MAX_BATCHES)
                return false;
            held = 0;
            d->batches++;
            continue;
        }
        for (uint32_t w = 0; w < words; w++)
            rows[w] |= needs[(size_t)next * words + w];
        held += least;
        d->steps += least;
        d->held = held > d->held ? held : d->held;
        batch_of[next] = d->batches - 1;
        done++;
    }
    return true;
}

/* The longest tiles for which not too many rows are made several times; else any. blocks 0: none.
 */
static void choose_blocks(device_plan *p, const uint32_t *needs, uint32_t most, uint64_t bytes)
{
    const bitslice_tables *t = tables_of(p);
    bitslice_device *d = p->state;
    const uint32_t own = t->rows - t->letters;
    for (d->blocks = most; d->blocks; d->blocks--) {
        const uint32_t rows = rows_in(p, d->blocks, bytes);
        if (rows >= t->letters && divide(p, needs, rows - t->letters, d->batch_of, d->rows_of) &&
            (d->steps <= 2 * own || d->blocks == 1))
            return;
    }
}

static int choose_batches(device_plan *p, uint32_t most, uint64_t bytes, trawl_error *error)
{
    const bitslice_tables *t = tables_of(p);
    bitslice_device *d = p->state;
    const uint32_t rows = t->rows - t->letters;
    d->words = rows / 32 + 1;
    memory *m = p->memory;
    uint32_t *row_needs = memory_take_zeroed(m, (size_t)rows * d->words + 1, sizeof *row_needs);
    uint32_t *needs = memory_take_zeroed(m, (size_t)t->count * d->words, sizeof *needs);
    d->batch_of = memory_take_zeroed(m, t->count, sizeof *d->batch_of);
    d->rows_of = memory_take_zeroed(m, (size_t)MAX_BATCHES * d->words, sizeof *d->rows_of);
    const bool enough = row_needs && needs && d->batch_of && d->rows_of;
    if (enough) {
        find_needs(t, p->facts.tables, d->words, row_needs, needs);
        choose_blocks(p, needs, most, bytes);
        if (!d->blocks)
            choose_blocks(p, needs, most, p->device->info.local_bytes);
        while (!d->blocks && p->tuning.group == TUNE_AUTO && d->group > MIN_GROUP) {
            d->group /= 2; /* the box of a large one takes the room of rows */
            choose_blocks(p, needs, most, p->device->info.local_bytes);
        }
    }
    memory_give(m, row_needs);
    memory_give(m, needs);
    return enough ? TRAWL_OK : memory_failed(m, error, "bitslice's rows");
}

static int choose_sizes(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const bitslice_tables *t = tables_of(p);
    bitslice_device *d = p->state;
    const bool large = !info->cpu && info->local_bytes > LARGE_LOCAL;
    int status = plan_warps(p, "bitslice", large ? GPU_GROUP : SMALL_GROUP, SLICE_MAX_GROUP,
                            &d->group, error);
    if (status != TRAWL_OK)
        return status;
    d->group = parts(d->group, WARP) * WARP; /* without warps, too */
    const uint32_t chars = tuned(p->tuning.chars, 32 * SLICE_BLOCKS);
    const uint32_t most = smaller(chars < 64 ? 1 : chars / 32, SLICE_BLOCKS);
    d->groups = tuned(p->tuning.blocks, info->cpu ? 1 : parts(UNIT_ITEMS, d->group));
    const uint64_t bytes = large ? info->local_bytes / d->groups - LOCAL_KEPT : info->local_bytes;
    if (t->count < SLICE_PATTERNS && t->rows <= MAX_ROWS)
        status = choose_batches(p, most, bytes, error);
    if (status == TRAWL_OK && !d->blocks && !p->facts.may_stop)
        return fail(
            error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
            "bitslice: %s has no local memory for %u rows of %u bytes: name bitslice/shiftand",
            info->name, t->rows, 4 * stride_of(1));
    d->local_bytes = (uint32_t)local_of(p, d->blocks, t->letters + d->held);
    return status;
}

/* ---- lists ----------------------------------------------------------------------------- */

/* Where the rows of a batch stand among those that are held together: letters, and then its own.
 * slots[row]; UINT32_MAX: not there. */
static void find_slots(const bitslice_device *d, const bitslice_tables *t, uint32_t batch,
                       uint32_t *slots)
{
    uint32_t next = t->letters;
    for (uint32_t row = 0; row < t->rows; row++) {
        const bool there =
            row >= t->letters && bit_of(d->rows_of + (size_t)batch * d->words, row - t->letters);
        slots[row] = row < t->letters ? row : there ? next++ : UINT32_MAX;
    }
}

/* The word among the rows of a test as the tables have it; SLICE_NO_TEST: its row is not there. */
static uint32_t word_of(const bitslice_tables *t, uint32_t stride, const uint32_t *slots,
                        uint32_t line)
{
    const uint32_t slot = slots[line / (t->held + 1)];
    return slot == UINT32_MAX ? SLICE_NO_TEST : slot * stride + line % (t->held + 1);
}

/* Levels of rows, 0 for letters; returns how many there are besides. */
static uint32_t find_levels(const bitslice_tables *t, const uint32_t *tables, uint32_t *level)
{
    const bitslice_operation *operations = (const bitslice_operation *)(tables + t->operation);
    uint32_t most = 0;
    for (uint32_t row = 0; row < t->rows; row++) {
        level[row] = row >= t->letters;
        if (row < t->letters)
            continue;
        const bitslice_operation *op = &operations[row - t->letters];
        const uint32_t count = op->kind == BITSLICE_WIDEN ? 1 : op->count;
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t below = level[tables[t->inputs + op->first + k]];
            level[row] = below >= level[row] ? below + 1 : level[row];
        }
        most = level[row] > most ? level[row] : most;
    }
    return most;
}

/* Lists that are being made, and what of them is for the batch at hand. */
typedef struct list_maker {
    bitslice_device *d;
    const bitslice_tables *t;
    const uint32_t *tables;
    uint32_t *lists;
    uint32_t *slots, *level;         /* of each row */
    uint32_t step, step_level, more; /* the next step, level, word of inputs */
    uint32_t entry, share;           /* the next entry, word of shares */
} list_maker;

static void add_step(list_maker *m, uint32_t row)
{
    const uint32_t stride = stride_of(m->d->blocks), *slots = m->slots;
    const bitslice_operation *op =
        (const bitslice_operation *)(m->tables + m->t->operation) + (row - m->t->letters);
    const uint32_t *inputs = m->tables + m->t->inputs + op->first;
    slice_step s = { slots[row] * stride | op->kind << 16 | op->count << 24, m->more, 0, 0 };
    if (op->count)
        s.first = s.second = slots[inputs[0]] * stride;
    if (op->kind == BITSLICE_WIDEN)
        s.second = inputs[1];
    else if (op->count > 1)
        s.second = slots[inputs[1]] * stride;
    ((slice_step *)m->lists)[m->step++] = s;
    for (uint32_t k = 0; op->kind != BITSLICE_WIDEN && k < op->count; k++)
        m->lists[m->more++] = slots[inputs[k]] * stride;
}

/* Steps of a batch, level by level, one level at least: items wait for each other there. */
static void list_steps(list_maker *m, uint32_t levels)
{
    for (uint32_t l = 1; l <= levels || l == 1; l++) {
        m->lists[m->d->level + m->step_level++] = m->step;
        for (uint32_t row = m->t->letters; row < m->t->rows; row++)
            if (m->level[row] == l && m->slots[row] != UINT32_MAX)
                add_step(m, row);
    }
    m->lists[m->d->level + m->step_level] = m->step;
}

/* A pattern and its tests, as words among the rows. */
typedef struct listed {
    uint32_t pattern, count, tests[BITSLICE_EARLY];
} listed;

static int by_tests(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    if (x->tests[0] != y->tests[0])
        return x->tests[0] < y->tests[0] ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

/* The patterns of a batch to all[], in the order of the lists; asked[word] is zero, and will be.
 * The tests of a pattern that most others have come first. Returns how many there are. */
static uint32_t order_patterns(const list_maker *m, uint32_t batch, listed *all, uint32_t *asked)
{
    const bitslice_tables *t = m->t;
    const uint32_t stride = stride_of(m->d->blocks), *early = m->tables + t->early;
    uint32_t count = 0;
    for (uint32_t i = 0, run = 0, left = t->runs[0]; i < t->count; i++, left--) {
        while (!left)
            left = t->runs[++run];
        if (m->d->batch_of[i] == batch) {
            listed *l = &all[count++];
            l->pattern = i;
            l->count = run + 1;
            for (uint32_t k = 0; k <= run; k++) {
                l->tests[k] = word_of(t, stride, m->slots, early[k]);
                asked[l->tests[k]]++;
            }
        }
        early += run + 1;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 1; k < all[i].count; k++)
            for (uint32_t n = k, *at = all[i].tests;
                 n > 0 && (asked[at[n - 1]] < asked[at[n]] ||
                           (asked[at[n - 1]] == asked[at[n]] && at[n - 1] > at[n]));
                 n--) {
                const uint32_t other = at[n - 1];
                at[n - 1] = at[n];
                at[n] = other;
            }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < all[i].count; k++)
            asked[all[i].tests[k]] = 0;
    qsort(all, count, sizeof *all, by_tests);
    return count;
}

/* What a pattern costs after `before`: loads, and about as much as three for all else, and for
 * another first test. */
static uint32_t cost_behind(const listed *l, const listed *before)
{
    const bool alike = before && before->tests[0] == l->tests[0] && before->count == l->count;
    return 3 + l->count + (alike ? 0 : 3);
}

/* Even shares of the patterns for as many rows of items as a group has: the number of the first
 * entry of each. */
static void list_shares(const bitslice_device *d, const listed *all, uint32_t count,
                        uint32_t *share)
{
    const uint32_t shares = d->group / 32;
    uint64_t whole = 0, done = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        whole += cost_behind(&all[i], i ? &all[i - 1] : NULL);
    for (uint32_t i = 0; i < count; i++) {
        for (; next < shares && done * shares >= whole * next; next++)
            share[next] = i + next;
        done += cost_behind(&all[i], i ? &all[i - 1] : NULL);
    }
    for (; next <= shares; next++)
        share[next] = count + next;
}

/* A pattern as the lists have it. Tables that were made here have no more late tests; those whose
 * rows are of other batches are left out, and checked for. */
static void list_pattern(const list_maker *m, const listed *l, uint32_t *entry)
{
    const bitslice_tables *t = m->t;
    const bitslice_pattern *p = (const bitslice_pattern *)(m->tables + t->pattern) + l->pattern;
    const uint32_t stride = stride_of(m->d->blocks);
    bool left_out = false;
    for (uint32_t k = 0; k < l->count; k++)
        entry[k] = 4 * l->tests[k];
    entry[0] |= l->count << SLICE_COUNT;
    for (uint32_t k = 0; k < SLICE_MAX_LATE; k++) {
        const uint32_t number = l->count + k;
        const uint32_t word = number < p->test_count
                                  ? word_of(t, stride, m->slots, m->tables[p->tests + number])
                                  : SLICE_NO_TEST;
        if (number < p->test_count && word == SLICE_NO_TEST)
            left_out = true;
        entry[SLICE_LATE + k / 2] |= word << (k % 2 * 16);
    }
    if (left_out)
        m->d->full = 1;
    const bool whole = !p->check_count && !p->segment_count && !left_out;
    entry[SLICE_NUMBER] = l->pattern | (whole ? SLICE_WHOLE : 0);
}

/* The patterns of a batch, and shares of them. */
static void list_patterns(list_maker *m, const listed *all, uint32_t count)
{
    const uint32_t shares = m->d->group / 32, first = m->entry;
    uint32_t *share = m->lists + m->share, *entry = m->lists + m->d->test + SLICE_ENTRY * first;
    uint32_t next = 1; /* the share after it */
    list_shares(m->d, all, count, share);
    for (uint32_t i = 0; i < count; i++, entry += SLICE_ENTRY) {
        for (; share[next] == i + next; next++, entry += SLICE_ENTRY)
            entry[0] = SLICE_END;
        list_pattern(m, &all[i], entry);
    }
    for (; next <= shares; next++, entry += SLICE_ENTRY)
        entry[0] = SLICE_END;
    for (uint32_t i = 0; i <= shares; i++)
        share[i] += first;
    m->entry += count + shares;
    m->share += shares + 1;
}

/* Where what stands in the lists. Returns how many words they have: no more are wanted. */
static size_t place_lists(list_maker *m, uint32_t levels)
{
    bitslice_device *d = m->d;
    const uint32_t shares = d->group / 32;
    d->test = 4 * d->steps; /* after the steps; an entry more is read than there is */
    d->batch = d->test + SLICE_ENTRY * (m->t->count + d->batches * shares + 1);
    d->level = d->batch + 4 * d->batches;
    m->share = d->level + d->batches * (levels + 1) + 1;
    m->more = m->share + d->batches * (shares + 1);
    return (size_t)m->more + (size_t)d->batches * m->t->input_count;
}

static void fill_lists(list_maker *m, uint32_t levels, listed *all, uint32_t *asked)
{
    slice_batch *batches = (slice_batch *)(m->lists + m->d->batch);
    for (uint32_t i = 0; i < m->d->batches; i++) {
        batches[i].level = m->step_level;
        batches[i].share = m->share;
        find_slots(m->d, m->t, i, m->slots);
        list_steps(m, levels);
        batches[i].stop = m->step_level;
        list_patterns(m, all, order_patterns(m, i, all, asked));
    }
}

static int make_lists(device_plan *p, trawl_error *error)
{
    bitslice_device *d = p->state;
    list_maker m = { .d = d, .t = tables_of(p), .tables = p->facts.tables };
    m.slots = memory_take_zeroed(p->memory, (size_t)m.t->rows + 1, sizeof *m.slots);
    m.level = memory_take_zeroed(p->memory, (size_t)m.t->rows + 1, sizeof *m.level);
    uint32_t *asked = memory_take_zeroed(p->memory, 1 << 16, sizeof *asked);
    listed *all = memory_take_zeroed(p->memory, m.t->count, sizeof *all);
    int status = TRAWL_OK;
    if (m.slots && m.level && asked && all) {
        const uint32_t levels = find_levels(m.t, m.tables, m.level);
        const size_t words = place_lists(&m, levels);
        m.lists = memory_take_zeroed(p->memory, words, sizeof *m.lists);
        if (m.lists) {
            fill_lists(&m, levels, all, asked);
            status = plan_upload(p, &d->lists, m.lists, words * sizeof *m.lists, error);
        }
    }
    if (!m.lists)
        status = memory_failed(p->memory, error, "bitslice's lists");
    memory_give(p->memory, all);
    memory_give(p->memory, asked);
    memory_give(p->memory, m.level);
    memory_give(p->memory, m.slots);
    memory_give(p->memory, m.lists);
    return status;
}

static int bitslice_prepare(device_plan *p, trawl_error *error)
{
    bitslice_device *d = p->state;
    d->alone = p->device->info.cpu && p->tuning.group == TUNE_AUTO;
    const int status = d->alone ? TRAWL_OK : choose_sizes(p, error);
    if (status != TRAWL_OK || !d->blocks) /* or alone */
        return status;
    while (tables_of(p)->letters >> d->planes)
        d->planes++;
    return make_lists(p, error);
}

static void bitslice_release(device_plan *p)
{
    bitslice_device *d = p->state;
    p->give(p, &d->lists);
    memory_give(p->memory, d->batch_of);
    memory_give(p->memory, d->rows_of);
}

/* ---- alone, on a CPU ----------------------------------------------------------------------- */

/* Bytes of a lane: all cores have a tile, if these are long. */
static uint32_t lane_of(const device_plan *p, uint32_t length)
{
    const uint32_t share = parts(length, (uint64_t)BITSLICE_LANES * p->device->info.units);
    const uint32_t asked = tuned(p->tuning.chars, share > MIN_LANE ? share : MIN_LANE);
    const uint32_t lane = parts(smaller(asked, parts(length, BITSLICE_LANES)), BITSLICE_STEP);
    return smaller(lane * BITSLICE_STEP, tables_of(p)->length);
}

static uint32_t items_of(const device_plan *p, uint64_t length)
{
    const uint32_t tiles = parts(length, (uint64_t)BITSLICE_LANES * BITSLICE_STEP);
    return smaller(tiles, UNIT_ALONE * (uint64_t)p->device->info.units);
}

static size_t bitslice_scratch_bytes(const device_plan *p, uint64_t length, uint64_t cols)
{
    const bitslice_device *d = p->state;
    const bitslice_tables *t = tables_of(p);
    (void)cols;
    return d->alone ? (size_t)items_of(p, length) * t->rows * (t->held + 1) * BITSLICE_ROW : 0;
}

static int run_alone(const device_plan *p, device_queue *q, text_piece *piece, uint64_t most,
                     trawl_error *error)
{
    const uint32_t length = piece->end - piece->from, lane = lane_of(p, length);
    const alone_args numbers = {
        .capacity = piece->sink.capacity,
        .most = most,
        .from = piece->from,
        .begin = piece->begin,
        .end = piece->end,
        .length = lane,
        .tiles = parts(length, (uint64_t)BITSLICE_LANES * lane),
    };
    const uint32_t items = smaller(numbers.tiles, items_of(p, length));
    launch l = launch_of("bitslice_alone", "bitslice_alone", items, 1, 0);
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, piece->text);
    launch_buffer(&l, piece->scratch);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

/* ---- running ---------------------------------------------------------------------------- */

/* Rows do not fit: the fallback does all of it. */
static int leave_all(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    static const uint64_t gave_up = 1;
    return p->device->api->write(q, piece->sink.cursor, offsetof(piece_cursor, gave_up), &gave_up,
                                 sizeof gave_up, NULL, error);
}

static int bitslice_run(const device_plan *p, device_queue *q, text_piece *piece,
                        trawl_error *error)
{
    const bitslice_tables *t = tables_of(p);
    const bitslice_device *d = p->state;
    const uint64_t bytes = piece->end - piece->from;
    const uint64_t most =
        p->facts.may_stop ? MIN_PATIENCE + bytes * (1 + p->facts.patience / 2) / 4 : 0;
    if (d->alone)
        return run_alone(p, q, piece, most, error);
    if (!d->blocks)
        return leave_all(p, q, piece, error);
    const slice_args numbers = {
        .capacity = piece->sink.capacity,
        .most = most,
        .from = piece->from,
        .begin = piece->begin,
        .end = piece->end,
        .tiles = parts(piece->end - piece->from, (uint64_t)SLICE_LANES * 32 * d->blocks),
        .stride = stride_of(d->blocks),
        .letters = t->letters,
        .planes = d->planes,
        .batches = d->batches,
        .batch = d->batch,
        .level = d->level,
        .test = d->test,
        .full = d->full,
    };
    const uint32_t groups = smaller(numbers.tiles, p->device->info.units * (uint64_t)d->groups);
    launch l = launch_of("bitslice", "bitslice", groups, d->group, d->local_bytes);
    l.bound = SLICE_MAX_GROUP;
    launch_define(&l, "BLOCKS", d->blocks);
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, &d->lists);
    launch_buffer(&l, piece->text);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

const device_walk device_bitslice = {
    .kind = WALK_BITSLICE,
    .state_bytes = sizeof(bitslice_device),
    .prepare = bitslice_prepare,
    .release = bitslice_release,
    .scratch_bytes = bitslice_scratch_bytes,
    .run_text = bitslice_run,
};
