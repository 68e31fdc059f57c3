/* bitslice.c: bit-sliced class patterns on devices: which tiles, and lists for them. The kernel is
 * in bitslice.k; that for devices that are CPUs, which needs no lists, in bitslice_alone.k.
 *
 * The longest tile is taken that leaves room for two groups on a multiprocessor: while one makes
 * rows the other one tests. A test is a word among the rows, ready to be added to an item's;
 * classes stand in levels, so that all of a level can be made at once.
 */
#include "kernel/bitslice.h"
#include "kernel/bitslice_alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "kernel/kernel.h"

enum {
    GPU_GROUP = 512,
    LEAST_GROUP = 64,  /* of a GPU with little local memory */
    UNIT_ITEMS = 1024, /* groups of a multiprocessor have so many items */
    GROUPS_A_UNIT = 2,
    LARGE_LOCAL = 96 << 10, /* a device with more lets several groups share it */
    LOCAL_KEPT = 1 << 10,   /* by the device, of each group's */
    LEAST_MOST = 1 << 16,
    UNIT_ALONE = 2, /* items of a CPU's core that have rows of their own */
    LEAST_LANE = 64 /* bytes, as long as there are others to share with */
};

typedef struct bitslice_device {
    bool alone;                                  /* bitslice_alone.k */
    uint32_t group, groups, blocks, local_bytes; /* blocks 0: rows do not fit */
    uint32_t planes, levels, level, test, share; /* as in slice_args */
    device_buffer lists;
} bitslice_device;

static const bitslice_tables *tables_of(const device_plan *p)
{
    return (const bitslice_tables *)p->facts.tables;
}

/* What planners are told. */
_Static_assert(SLICE_ROWS(LEAST_GROUP, 32u) == BITSLICE_LOCAL, "no more, and no less");
_Static_assert(32 + SLICE_AHEAD + 1 == BITSLICE_LOCAL_ROW, "as stride_of says");

/* ---- sizes --------------------------------------------------------------------------- */

static uint32_t stride_of(uint32_t blocks)
{
    return 32 * blocks + SLICE_AHEAD + 1;
}

static uint64_t local_of(const device_plan *p, uint32_t blocks)
{
    const bitslice_device *d = p->state;
    return 4 * (SLICE_ROWS((uint64_t)d->group, 32 * blocks) +
                (uint64_t)tables_of(p)->rows * stride_of(blocks));
}

/* The most blocks a tile may have within so many bytes; 0: not even one. */
static uint32_t blocks_in(const device_plan *p, uint64_t bytes)
{
    uint32_t blocks = SLICE_BLOCKS;
    while (blocks && (local_of(p, blocks) > bytes ||
                      (uint64_t)tables_of(p)->rows * stride_of(blocks) > SLICE_NO_TEST))
        blocks--;
    return blocks;
}

static int choose_sizes(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    bitslice_device *d = p->state;
    const bool several = !info->cpu && info->local_bytes > LARGE_LOCAL;
    int status = plan_warps(p, "bitslice", GPU_GROUP, SLICE_MOST_GROUP, &d->group, error);
    if (status != TRAWL_OK)
        return status;
    d->group = parts(d->group, WARP) * WARP; /* without warps, too */
    while (p->tuning.group == TUNE_AUTO && d->group > LEAST_GROUP &&
           !blocks_in(p, info->local_bytes)) /* the box of a large one takes the room of rows */
        d->group /= 2;
    const uint32_t chars = tuned(p->tuning.chars, 32 * SLICE_BLOCKS);
    const uint32_t most = chars < 64 ? 1 : chars / 32;
    d->groups = tuned(p->tuning.blocks, info->cpu ? 1 : parts(UNIT_ITEMS, d->group));
    d->blocks = several ? blocks_in(p, info->local_bytes / d->groups - LOCAL_KEPT) : 0;
    if (!d->blocks)
        d->blocks = blocks_in(p, info->local_bytes);
    d->blocks = d->blocks < most ? d->blocks : most;
    if (tables_of(p)->count >= SLICE_PATTERNS)
        d->blocks = 0;
    if (!d->blocks && !p->facts.may_stop)
        return fail(
            error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
            "bitslice: %s has no local memory for %u rows of %u bytes: name bitslice/shiftand",
            info->name, tables_of(p)->rows, 4 * stride_of(1));
    d->local_bytes = (uint32_t)local_of(p, d->blocks);
    return status;
}

/* ---- lists ----------------------------------------------------------------------------- */

/* The word among the rows of a test as the tables have it. */
static uint32_t word_of(const bitslice_tables *t, uint32_t stride, uint32_t line)
{
    return line / (t->held + 1) * stride + line % (t->held + 1);
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

static slice_step step_of(const bitslice_tables *t, const uint32_t *tables, uint32_t stride,
                          uint32_t row, uint32_t more)
{
    const bitslice_operation *op =
        (const bitslice_operation *)(tables + t->operation) + (row - t->letters);
    const uint32_t *inputs = tables + t->inputs + op->first;
    slice_step s = { row * stride | op->kind << 16 | op->count << 24, more, 0, 0 };
    if (op->count)
        s.first = s.second = inputs[0] * stride;
    if (op->count > 1)
        s.second = op->kind == BITSLICE_WIDEN ? inputs[1] : inputs[1] * stride;
    return s;
}

/* Steps level by level, and their inputs. */
static void list_steps(bitslice_device *d, const bitslice_tables *t, const uint32_t *tables,
                       const uint32_t *level, uint32_t *lists, uint32_t inputs)
{
    const uint32_t stride = stride_of(d->blocks);
    slice_step *steps = (slice_step *)lists;
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->input_count; i++)
        lists[inputs + i] = tables[t->inputs + i] * stride;
    for (uint32_t l = 1; l <= d->levels; l++) {
        lists[d->level + l - 1] = count;
        for (uint32_t row = t->letters; row < t->rows; row++)
            if (level[row] == l) {
                const bitslice_operation *op =
                    (const bitslice_operation *)(tables + t->operation) + (row - t->letters);
                steps[count++] = step_of(t, tables, stride, row, inputs + op->first);
            }
    }
    lists[d->level + d->levels] = count;
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

/* Fill all[] in the order of the lists; asked[word] is zero. The tests of a pattern that most
 * others have come first. */
static void order_patterns(const bitslice_device *d, const bitslice_tables *t,
                           const uint32_t *tables, listed *all, uint32_t *asked)
{
    const uint32_t stride = stride_of(d->blocks), *early = tables + t->early;
    uint32_t run = 0, left = t->runs[0];
    for (uint32_t i = 0; i < t->count; i++, left--) {
        while (!left)
            left = t->runs[++run];
        all[i].pattern = i;
        all[i].count = run + 1;
        for (uint32_t k = 0; k <= run; k++) {
            all[i].tests[k] = word_of(t, stride, *early++);
            asked[all[i].tests[k]]++;
        }
    }
    for (uint32_t i = 0; i < t->count; i++)
        for (uint32_t k = 1; k < all[i].count; k++)
            for (uint32_t n = k, *at = all[i].tests;
                 n > 0 && (asked[at[n - 1]] < asked[at[n]] ||
                           (asked[at[n - 1]] == asked[at[n]] && at[n - 1] > at[n]));
                 n--) {
                const uint32_t other = at[n - 1];
                at[n - 1] = at[n];
                at[n] = other;
            }
    qsort(all, t->count, sizeof *all, by_tests);
}

/* What a pattern costs behind `before`: loads, and about as much as three for all else, and for
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

/* Patterns as the lists have them. Tables that were made here have no more late tests. */
static void list_patterns(const bitslice_device *d, const bitslice_tables *t,
                          const uint32_t *tables, const listed *all, uint32_t *lists)
{
    const bitslice_pattern *patterns = (const bitslice_pattern *)(tables + t->pattern);
    const uint32_t *share = lists + d->share;
    uint32_t *entry = lists + d->test, next = 1; /* the share behind */
    for (uint32_t i = 0; i < t->count; i++, entry += SLICE_ENTRY) {
        const bitslice_pattern *p = &patterns[all[i].pattern];
        for (; share[next] == i + next; next++, entry += SLICE_ENTRY)
            entry[0] = SLICE_END;
        uint32_t *late = entry + SLICE_LATE;
        for (uint32_t k = 0; k < all[i].count; k++)
            entry[k] = 4 * all[i].tests[k];
        entry[0] |= all[i].count << SLICE_COUNT;
        entry[SLICE_NUMBER] =
            all[i].pattern | (p->check_count || p->segment_count ? 0 : SLICE_WHOLE);
        for (uint32_t k = 0; k < SLICE_MOST_LATE; k++) {
            const uint32_t number = all[i].count + k;
            const uint32_t word = number < p->test_count
                                      ? word_of(t, stride_of(d->blocks), tables[p->tests + number])
                                      : SLICE_NO_TEST;
            late[k / 2] |= word << (k % 2 * 16);
        }
    }
    for (; next <= d->group / 32; next++, entry += SLICE_ENTRY)
        entry[0] = SLICE_END;
}

/* Where what stands in the lists; returns where inputs of steps do. */
static uint32_t place_lists(bitslice_device *d, const bitslice_tables *t)
{
    d->test = 4 * (t->rows - t->letters); /* behind the steps */
    d->level = d->test + SLICE_ENTRY * (t->count + d->group / 32 + 1);
    d->share = d->level + d->levels + 1;
    return d->share + d->group / 32 + 1;
}

static int make_lists(device_plan *p, trawl_error *error)
{
    const bitslice_tables *t = tables_of(p);
    const uint32_t *tables = p->facts.tables;
    bitslice_device *d = p->state;
    uint32_t *level = calloc((size_t)t->rows + 1, sizeof *level), *lists = NULL;
    uint32_t *asked = calloc(1 << 16, sizeof *asked);
    listed *all = calloc(t->count, sizeof *all);
    int status = TRAWL_OK;
    if (level && asked && all) {
        d->levels = find_levels(t, tables, level);
        const uint32_t inputs = place_lists(d, t);
        const size_t words = (size_t)inputs + t->input_count;
        lists = calloc(words, sizeof *lists);
        if (lists) {
            order_patterns(d, t, tables, all, asked);
            list_steps(d, t, tables, level, lists, inputs);
            list_shares(d, all, t->count, lists + d->share);
            list_patterns(d, t, tables, all, lists);
            status = plan_upload(p, &d->lists, lists, words * sizeof *lists, error);
        }
    }
    if (!lists)
        status = fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for bitslice's lists");
    free(all);
    free(asked);
    free(level);
    free(lists);
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
}

/* ---- alone, on a CPU ----------------------------------------------------------------------- */

/* Bytes of a lane: all cores have a tile, if these are long. */
static uint32_t lane_of(const device_plan *p, uint32_t length)
{
    const uint32_t share = parts(length, (uint64_t)BITSLICE_LANES * p->device->info.units);
    const uint32_t asked = tuned(p->tuning.chars, share > LEAST_LANE ? share : LEAST_LANE);
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
    const uint64_t most =
        p->facts.may_stop ? LEAST_MOST + (uint64_t)(piece->end - piece->from) * t->patience / 4 : 0;
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
        .levels = d->levels,
        .level = d->level,
        .test = d->test,
        .share = d->share,
    };
    const uint32_t groups = smaller(numbers.tiles, p->device->info.units * (uint64_t)d->groups);
    launch l = launch_of("bitslice", "bitslice", groups, d->group, d->local_bytes);
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
