/* ku.c: Kärkkäinen-Ukkonen on devices: what the kernel reads beside the text, and how large a
 * launch is. The kernel is in ku.k.
 *
 * The plan says of each needle which strings of it are tested; where they fill a rectangle its left
 * column is taken, for a device tests in every column. The hashes are the kernel's own: they take
 * 32 bits and few instructions. Beside each string stand its needle's shape and two probes, so that
 * a candidate costs few loads one behind the other, and needles are laid out for loads of 16 bytes.
 *
 * Cost: 64 bytes a string, the needles, and a bitmap: BITMAP_SHARE bits a string, of which a group
 * holds up to NEAR_BITS.
 */
#include "kernel/ku.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "kernel/grid_launch.h"

enum {
    GPU_GROUP = 256,
    CPU_GROUP = 16,
    WARP = 32,
    LEAST_BITS = 10,
    NEAR_BITS = 17, /* 16 KiB */
    MOST_BITS = 23,
    BITMAP_SHARE = 64, /* bits a string */
    LARGE = 512,       /* 16 bytes of a needle that groups compare */
    PROBE_ROWS = 2,    /* in which probes are looked for */
    PROBE_PLACES = 64, /* of a row */
    PATIENCE = 32      /* cells for which a unit of work is too much */
};

typedef struct ku_device {
    device_buffer tables;
    uint32_t group;
    uint32_t words; /* of a test string, as the variant has them */
    bool near;
    ku_args numbers; /* those of the tables */
} ku_device;

/* The buffer in the making. */
typedef struct maker {
    const uint32_t *tables; /* the plan's */
    const ku_tables *head;
    const byr_needle *needles;
    uint32_t needle_count, string_count;
    uint32_t *left;  /* of each needle, the least column of its strings */
    uint32_t *cells; /* word of the buffer at which it begins */
    uint32_t *masks; /* the same of its mask, or 0 */
    uint32_t *words; /* the buffer */
    uint64_t size;   /* words */
} maker;

static const ku_test *tests_of(const maker *m)
{
    return (const ku_test *)(m->tables + m->head->tests);
}

static uint32_t test_count(const maker *m)
{
    return m->tables[m->head->test_first + (1u << m->head->list_bits)];
}

/* Words of a needle with its rows filled up to 16 bytes. */
static uint64_t laid_out_words(const byr_needle *n)
{
    return (uint64_t)(n->row_bytes + 15) / 16 * 4 * n->rows;
}

static uint32_t mask_of(const maker *m, uint32_t needle)
{
    return m->head->masks ? m->tables[m->head->masks + needle] : 0;
}

/* ---- strings ---------------------------------------------------------------- */

static const uint8_t *needle_row(const maker *m, uint32_t cells, const byr_needle *n, uint32_t row)
{
    return (const uint8_t *)(m->tables + cells + (uint64_t)row * n->row_words);
}

static uint32_t hash_of(const ku_args *a, const uint8_t *string, uint32_t bytes)
{
    uint32_t hash = 0;
    for (uint32_t at = 0; at < bytes; at += 4) {
        uint32_t word = 0;
        memcpy(&word, string + at, bytes - at < 4 ? bytes - at : 4);
        hash += word * a->factors[at / 4];
    }
    return hash;
}

/* The probe at byte `col` of a needle's row. */
static ku_probe probe_at(const maker *m, uint32_t needle, uint32_t row, uint32_t col)
{
    const byr_needle *n = &m->needles[needle];
    const uint32_t bytes = n->row_bytes - col < 4 ? n->row_bytes - col : 4;
    const uint32_t mask = mask_of(m, needle);
    ku_probe p = { .row = row, .col = col };
    memcpy(&p.word, needle_row(m, n->cells, n, row) + col, bytes);
    p.mask = bytes < 4 ? (1u << 8 * bytes) - 1 : UINT32_MAX;
    if (mask)
        memcpy(&p.mask, needle_row(m, mask, n, row) + col, bytes);
    p.word &= p.mask;
    return p;
}

/* How much a probe differs within itself: what a text is least likely to have. */
static uint32_t variety(const ku_probe *p)
{
    uint32_t differing = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t byte = p->word >> 8 * i & 255, next = p->word >> 8 * ((i + 1) & 3) & 255;
        differing += (p->mask >> 8 * i & 255) != 0 ? 2 : 0;
        differing += byte != next;
    }
    return differing;
}

/* The two best probes of a needle, in the most varied rows of it, none in row `but` if there are
 * others; the second in the same row as the first if that has two. */
static void choose_probes(const maker *m, uint32_t needle, uint32_t but, ku_probe probes[2])
{
    const byr_needle *n = &m->needles[needle];
    const uint32_t *order = m->tables + n->order;
    uint32_t best[2] = { 0, 0 };
    memset(probes, 0, 2 * sizeof *probes);
    for (uint32_t i = 0, rows = 0; i < n->rows && rows < PROBE_ROWS && !best[1]; i++) {
        if (order[i] == but && n->rows > 1)
            continue;
        rows++;
        for (uint32_t col = 0; col < n->row_bytes && col / 4 < PROBE_PLACES; col += 4) {
            const ku_probe p = probe_at(m, needle, order[i], col);
            const uint32_t varied = variety(&p);
            const uint32_t worse = best[0] < best[1] ? 0 : 1;
            if (varied > best[worse]) {
                probes[worse] = p;
                best[worse] = varied;
            }
        }
    }
}

static ku_string string_of(const maker *m, const ku_args *a, const ku_test *t)
{
    const byr_needle *n = &m->needles[t->needle];
    const uint32_t size = m->head->cell_size;
    ku_string s = { .needle = t->needle,
                    .row = t->row,
                    .col = t->col,
                    .rows = n->rows,
                    .row_bytes = n->row_bytes,
                    .cells = m->cells[t->needle],
                    .mask = m->masks[t->needle] };
    s.hash = hash_of(a, needle_row(m, n->cells, n, t->row) + (size_t)t->col * size,
                     m->head->cells * size);
    choose_probes(m, t->needle, t->row, s.probes);
    return s;
}

static int compare_strings(const void *left, const void *right)
{
    const ku_string *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->needle != b->needle)
        return a->needle < b->needle ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Strings by hash, so that a list is what has the same upper bits. */
static void put_strings(maker *m, const ku_args *a)
{
    ku_string *strings = (ku_string *)(m->words + a->strings);
    uint32_t *lists = m->words + a->lists;
    uint32_t count = 0;
    for (uint32_t i = 0; i < test_count(m); i++) {
        const ku_test *t = &tests_of(m)[i];
        if (t->col == m->left[t->needle])
            strings[count++] = string_of(m, a, t);
    }
    qsort(strings, count, sizeof *strings, compare_strings);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bit = strings[i].hash >> (32 - a->bits);
        m->words[bit >> 5] |= 1u << (31 - (bit & 31));
        lists[(strings[i].hash >> a->list_shift) + 1] = i + 1;
    }
    for (uint32_t i = 1; i <= 1u << (32 - a->list_shift); i++)
        if (lists[i] < lists[i - 1])
            lists[i] = lists[i - 1];
}

/* ---- the buffer -------------------------------------------------------------- */

static bool count_strings(maker *m)
{
    const ku_test *tests = tests_of(m);
    for (uint32_t i = 0; i < test_count(m); i++)
        if (tests[i].needle >= m->needle_count)
            m->needle_count = tests[i].needle + 1;
    m->left = malloc(m->needle_count * sizeof *m->left);
    m->cells = calloc(m->needle_count, sizeof *m->cells);
    m->masks = calloc(m->needle_count, sizeof *m->masks);
    if (!m->left || !m->cells || !m->masks)
        return false;
    memset(m->left, 255, m->needle_count * sizeof *m->left);
    for (uint32_t i = 0; i < test_count(m); i++)
        m->left[tests[i].needle] = smaller(m->left[tests[i].needle], tests[i].col);
    for (uint32_t i = 0; i < test_count(m); i++)
        m->string_count += tests[i].col == m->left[tests[i].needle];
    return true;
}

/* Room for `words` more, at a multiple of 4 words; returns where. */
static uint32_t room_for(maker *m, uint64_t words)
{
    const uint64_t at = m->size;
    m->size = (at + words + 3) / 4 * 4;
    return (uint32_t)at;
}

/* Where everything goes. */
static void lay_out(maker *m, ku_args *a)
{
    uint32_t list_bits = 1;
    while (list_bits < 22 && 1u << list_bits < 2 * m->string_count)
        list_bits++;
    a->bits = LEAST_BITS;
    while (a->bits < MOST_BITS && (uint64_t)1 << a->bits < (uint64_t)BITMAP_SHARE * m->string_count)
        a->bits++;
    a->list_shift = 32 - list_bits;
    room_for(m, (uint64_t)1 << (a->bits - 5));
    a->lists = room_for(m, ((uint64_t)1 << list_bits) + 1);
    a->strings = room_for(m, (uint64_t)m->string_count * sizeof(ku_string) / 4);
    for (uint32_t i = 0; i < m->needle_count; i++) {
        m->cells[i] = room_for(m, laid_out_words(&m->needles[i]));
        if (mask_of(m, i))
            m->masks[i] = room_for(m, laid_out_words(&m->needles[i]));
    }
}

static void put_needle(maker *m, uint32_t i)
{
    const byr_needle *n = &m->needles[i];
    const uint64_t words = laid_out_words(n) / n->rows;
    for (uint32_t row = 0; row < n->rows; row++) {
        memcpy(m->words + m->cells[i] + row * words, needle_row(m, n->cells, n, row), n->row_bytes);
        if (m->masks[i])
            memcpy(m->words + m->masks[i] + row * words, needle_row(m, mask_of(m, i), n, row),
                   n->row_bytes);
    }
}

/* m->words stays NULL when memory ran out. */
static void make(maker *m, ku_args *a)
{
    if (!count_strings(m))
        return;
    lay_out(m, a);
    if (m->size <= UINT32_MAX)
        m->words = calloc((size_t)m->size, sizeof *m->words);
    if (!m->words)
        return;
    put_strings(m, a);
    for (uint32_t i = 0; i < m->needle_count; i++)
        put_needle(m, i);
}

/* Odd numbers; that of a last word with fewer bytes than four is shifted up. */
static void set_factors(ku_args *a, uint32_t bytes)
{
    static const uint32_t odd[KU_MOST_WORDS] = { 0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du,
                                                 0x27d4eb2fu };
    for (uint32_t i = 0; i < KU_MOST_WORDS; i++) {
        const uint32_t left = bytes > 4 * i ? bytes - 4 * i : 0;
        a->factors[i] = left >= 4 ? odd[i] : left ? odd[i] << (8 * (4 - left)) : 0;
    }
}

static uint32_t local_bytes(const device_plan *p, const ku_device *d)
{
    const uint32_t bitmap = d->near ? 1u << (d->numbers.bits - 5) : 0;
    const uint32_t warps = p->device->info.lanes ? d->group / WARP : 0;
    return 4 * (bitmap + (warps ? KU_GROUP_WORDS + warps * KU_WARP_WORDS : 0));
}

static int ku_prepare(device_plan *p, trawl_error *error)
{
    ku_device *d = p->state;
    const ku_tables *head = (const ku_tables *)p->facts.tables;
    const uint32_t bytes = head->cells * head->cell_size;
    maker m = { .tables = p->facts.tables,
                .head = head,
                .needles = (const byr_needle *)(p->facts.tables + head->needles) };
    int status = plan_group(p, p->device->info.cpu ? CPU_GROUP : GPU_GROUP, &d->group, error);
    if (status != TRAWL_OK)
        return status;
    if (p->device->info.lanes) /* whole warps */
        d->group = (d->group + WARP - 1) / WARP * WARP;
    set_factors(&d->numbers, bytes);
    make(&m, &d->numbers);
    d->numbers.large = LARGE;
    d->near = d->numbers.bits <= NEAR_BITS;
    d->words = d->near && bytes <= 8 ? (bytes + 3) / 4 : KU_MOST_WORDS;
    if (m.words)
        status = plan_upload(p, &d->tables, m.words, (size_t)m.size * sizeof *m.words, error);
    else
        status = fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for %u needles",
                      (unsigned)m.needle_count);
    free(m.left);
    free(m.cells);
    free(m.masks);
    free(m.words);
    return status ? status : plan_local(p, "ku", d->group, local_bytes(p, d), "", error);
}

static void ku_release(device_plan *p)
{
    ku_device *d = p->state;
    p->give(p, &d->tables);
}

/* ---- running ------------------------------------------------------------------- */

static int ku_run_grid(const device_plan *p, device_queue *q, grid_piece *piece, trawl_error *error)
{
    const ku_tables *head = (const ku_tables *)p->facts.tables;
    const ku_device *d = p->state;
    const uint32_t size = head->cell_size, quads = size == 3 ? 3 : 1;
    const uint64_t first = (uint64_t)piece->begin + head->first_row + head->down - 1;
    const uint64_t last = (uint64_t)piece->end + head->last_row + head->down - 1;
    const uint64_t stop = last < piece->rows ? last : piece->rows;
    if (piece->begin >= piece->end || first >= stop || piece->cols < head->cells)
        return TRAWL_OK;
    ku_args numbers = d->numbers;
    numbers.capacity = piece->sink.capacity;
    numbers.stride = piece->stride;
    numbers.rows = piece->rows;
    numbers.cols = piece->cols;
    numbers.begin = piece->begin;
    numbers.end = piece->end;
    numbers.first = (uint32_t)first;
    numbers.down = head->down;
    numbers.points = piece->cols - head->cells + 1;
    numbers.chunks = parts(numbers.points, 16 * quads / size);
    numbers.all = parts(stop - first, head->down) * numbers.chunks;
    if (p->facts.may_stop)
        numbers.patience = (uint64_t)piece->rows * piece->cols / PATIENCE + 65536;
    const uint32_t groups = smaller(parts(numbers.all, d->group), grid_most_groups(p, d->group));
    numbers.step = groups * d->group / numbers.chunks;
    numbers.rest = groups * d->group % numbers.chunks;
    launch l = launch_of("ku", "ku", groups, d->group, local_bytes(p, d));
    launch_define(&l, "NEAR", d->near);
    launch_define(&l, "WORDS", d->words);
    launch_define(&l, "CELL", size);
    launch_buffer(&l, &d->tables);
    launch_buffer(&l, piece->text);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

const device_walk device_ku = {
    .kind = WALK_KU,
    .state_bytes = sizeof(ku_device),
    .prepare = ku_prepare,
    .release = ku_release,
    .run_grid = ku_run_grid,
};
