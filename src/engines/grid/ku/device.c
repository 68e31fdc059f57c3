/* device.c: Kärkkäinen-Ukkonen on devices: what the kernel reads besides the text, and how large a
 * launch is. The kernel is in device.k.
 *
 * The plan says which strings of each needle are tested, a rectangle of them. The kernel takes as
 * many of its columns as test points are apart: 1, 2 or 4, since memory gives whole lines. The
 * hashes are the kernel's own: they take 32 bits and few instructions. Each string has its needle's
 * shape and two probes beside it, so that a candidate costs few loads that wait for one another,
 * and needles are laid out for loads of 16 bytes.
 *
 * Cost: 64 bytes for each string, the needles, and the filter: SHARE words for each string, and as
 * many for the lists. Groups hold both, for up to KU_NEAR strings.
 */
#include "engines/grid/ku/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engines/shared/grid/launch.h"

enum {
    GPU_GROUP = 256,
    CPU_GROUP = 16,
    MAX_GROUP = 512, /* of a GPU */
    MIN_BITS = 5,    /* of the number of a word of the filter */
    NEAR_BITS = 12,  /* the same, 16 KiB, of sets that are near */
    MAX_BITS = 17,
    SHARE = 8,   /* words a string */
    LARGE = 512, /* 16 bytes of a needle that groups compare */
    MAX_BIT_STRINGS = 32,
    MAX_SKEW = ROW_ALIGN - 1, /* cells of 1 or 3 bytes that a chunk has before its row */
    FETCHED = 4096,           /* lines of the buffer that are fetched before they are asked for */
    PROBE_ROWS = 2,           /* in which probes are looked for */
    PROBE_PLACES = 64,        /* of a row */
    PATIENCE = 128            /* cells for which a unit of work is too much */
};
/* A row's first chunk, of bits, and that of the row below after it. */
_Static_assert(ROW_LEAD >= 2 * MAX_SKEW * 3, "what is read before a row");

typedef struct ku_device {
    device_buffer tables;
    uint32_t group, blocks; /* work items of a group, groups of a multiprocessor */
    uint32_t words;         /* of a test string, as the variant has them */
    ku_args numbers;        /* those of the tables */
    uint32_t across;        /* columns from point to point */
} ku_device;

#define COMMON (1.0 / 512) /* strings at a place of the text, of which rows of bits are better */

/* The buffer in the making. */
typedef struct maker {
    memory *memory;
    const uint32_t *tables; /* the plan's */
    const ku_tables *head;
    const byr_needle *needles;
    uint32_t needle_count, string_count;
    uint32_t across;
    bool cpu;      /* the device is one: it is given few variants, for it takes a second for each */
    bool bits;     /* rows of bits are compared: a string and the row below it */
    uint32_t *top; /* of each needle, the least row of its strings, */
    uint32_t *left;  /* and the least column */
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

/* The two best probes of a needle, in the most varied rows of it, none in row `but`, or in the one
 * below it where bits of it are compared, if there are others; the second in the same row as the
 * first if that has two. */
static void choose_probes(const maker *m, uint32_t needle, uint32_t but, ku_probe probes[2])
{
    const byr_needle *n = &m->needles[needle];
    const uint32_t *order = m->tables + n->order;
    const uint32_t buts = m->bits ? 2 : 1;
    uint32_t best[2] = { 0, 0 };
    memset(probes, 0, 2 * sizeof *probes);
    for (uint32_t i = 0, rows = 0; i < n->rows && rows < PROBE_ROWS && !(best[0] && best[1]); i++) {
        if (order[i] >= but && order[i] < but + buts && n->rows > buts)
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
    if (!m->bits)
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

/* ---- rows of bits ------------------------------------------------------------- */

static uint32_t cell_of(const maker *m, uint32_t needle, uint32_t row, uint32_t col)
{
    const byr_needle *n = &m->needles[needle];
    const uint32_t size = m->head->cell_size;
    uint32_t cell = 0;
    memcpy(&cell, needle_row(m, n->cells, n, row) + (size_t)col * size, size);
    return cell;
}

/* Count the cells of all strings with each bit set; returns how many cells there are. Also count
 * the colours, up to KU_FEW_COLOURS + 1. */
static uint32_t count_bits(const maker *m, uint32_t ones[32], uint32_t *colours)
{
    uint32_t seen[KU_FEW_COLOURS], cells = 0;
    *colours = 0;
    memset(ones, 0, 32 * sizeof *ones);
    for (uint32_t i = 0; i < test_count(m) && *colours <= KU_FEW_COLOURS; i++) {
        const ku_test *t = &tests_of(m)[i];
        for (uint32_t k = 0; k < m->head->cells; k++, cells++) {
            const uint32_t cell = cell_of(m, t->needle, t->row, t->col + k);
            uint32_t colour = 0;
            for (uint32_t bit = 0; bit < 32; bit++)
                ones[bit] += cell >> bit & 1;
            while (colour < *colours && colour < KU_FEW_COLOURS && seen[colour] != cell)
                colour++;
            if (colour == *colours && colour < KU_FEW_COLOURS)
                seen[colour] = cell;
            *colours += colour == *colours;
        }
    }
    return cells;
}

/* Whether rows of bits let through much less than strings, in a text of the needles' colours: then
 * a->bit is the one that divides the cells best. */
static bool bits_are_better(const maker *m, ku_args *a)
{
    uint32_t ones[32], colours, best = 0;
    const uint32_t down = m->head->down, width = m->head->cells;
    const uint32_t tested = m->needle_count * (down - 1);
    if (down < 2 || width > KU_WIDTH || tested > MAX_BIT_STRINGS)
        return false;
    const uint32_t cells = count_bits(m, ones, &colours);
    if (colours < 2 || colours > KU_FEW_COLOURS)
        return false;
    for (uint32_t bit = 0; bit < 32; bit++) {
        const uint32_t fewer = smaller(ones[bit], cells - ones[bit]);
        if (fewer > best) {
            best = fewer;
            a->bit = bit;
        }
    }
    double strings = (double)m->needle_count * down, pairs = tested; /* at a place of the text */
    for (uint32_t i = 0; i < width; i++) {
        strings /= colours;
        pairs /= 4;
    }
    return strings > COMMON && pairs < strings / 4;
}

/* Put the bits of each string, as ku_args has them. */
static void put_bits(maker *m, const ku_args *a, const ku_string *strings)
{
    for (uint32_t i = 0; i < m->string_count; i++)
        for (uint32_t k = 0; k < 2 * KU_WIDTH; k++) {
            const uint32_t col = smaller(k % KU_WIDTH, a->width - 1); /* the last one again */
            const uint32_t cell =
                cell_of(m, strings[i].needle, strings[i].row + k / KU_WIDTH, strings[i].col + col);
            m->words[2 * KU_WIDTH * i + k] = 0 - (cell >> a->bit & 1);
        }
}

/* ---- what is tested ------------------------------------------------------------- */

/* Whether the device tests this test of the plan. With rows of bits it cannot be in the last row,
 * which has none below. */
static bool is_tested(const maker *m, const ku_test *t)
{
    return t->col - m->left[t->needle] < m->across &&
           (!m->bits || (t->row - m->top[t->needle] + 1 < m->head->down &&
                         t->row + 1 < m->needles[t->needle].rows));
}

/* The lists and the filter of strings that are sorted by hash: a list is what shares a word. */
static void put_filter(maker *m, const ku_args *a, const ku_string *strings)
{
    uint32_t *lists = m->words + a->lists;
    for (uint32_t i = 0; i < m->string_count; i++) {
        const uint32_t hash = strings[i].hash;
        m->words[hash >> a->shift] |= 0x80000000u >> KU_FIRST_BIT(hash);
        m->words[hash >> a->shift] |= 0x80000000u >> KU_SECOND_BIT(hash);
        lists[(hash >> a->shift) + 1] = i + 1;
    }
    for (uint32_t i = 1; i <= 1u << (32 - a->shift); i++)
        if (lists[i] < lists[i - 1])
            lists[i] = lists[i - 1];
}

static void put_strings(maker *m, const ku_args *a)
{
    ku_string *strings = (ku_string *)(m->words + a->strings);
    for (uint32_t i = 0, count = 0; i < test_count(m); i++)
        if (is_tested(m, &tests_of(m)[i]))
            strings[count++] = string_of(m, a, &tests_of(m)[i]);
    qsort(strings, m->string_count, sizeof *strings, compare_strings);
    if (m->bits)
        put_bits(m, a, strings);
    else
        put_filter(m, a, strings);
}

/* ---- the buffer -------------------------------------------------------------- */

/* What a device tests of the plan's strings. */
static void choose_kind(maker *m, ku_args *a)
{
    const uint64_t lines = (uint64_t)m->needle_count * m->head->down;
    m->across = 1;
    m->bits = bits_are_better(m, a);
    if (!m->bits && m->head->cells * m->head->cell_size <= 8)
        while (2 * m->across <= m->head->across && m->across < KU_MAX_ACROSS &&
               2 * m->across * lines <= KU_NEAR)
            m->across *= 2;
    if (m->cpu && m->across == 2)
        m->across = 1;
    for (uint32_t i = 0; i < test_count(m); i++)
        m->string_count += is_tested(m, &tests_of(m)[i]);
}

static bool count_strings(maker *m, ku_args *a)
{
    const ku_test *tests = tests_of(m);
    for (uint32_t i = 0; i < test_count(m); i++)
        if (tests[i].needle >= m->needle_count)
            m->needle_count = tests[i].needle + 1;
    m->top = memory_take_array(m->memory, m->needle_count, sizeof *m->top);
    m->left = memory_take_array(m->memory, m->needle_count, sizeof *m->left);
    m->cells = memory_take_zeroed(m->memory, m->needle_count, sizeof *m->cells);
    m->masks = memory_take_zeroed(m->memory, m->needle_count, sizeof *m->masks);
    if (!m->top || !m->left || !m->cells || !m->masks)
        return false;
    memset(m->top, 255, m->needle_count * sizeof *m->top);
    memset(m->left, 255, m->needle_count * sizeof *m->left);
    for (uint32_t i = 0; i < test_count(m); i++) {
        m->top[tests[i].needle] = smaller(m->top[tests[i].needle], tests[i].row);
        m->left[tests[i].needle] = smaller(m->left[tests[i].needle], tests[i].col);
    }
    choose_kind(m, a);
    return true;
}

/* Room for `words` more, at a multiple of 4 words; returns where. */
static uint32_t room_for(maker *m, uint64_t words)
{
    const uint64_t at = m->size;
    m->size = (at + words + 3) / 4 * 4;
    return (uint32_t)at;
}

/* Where the filter and its lists go. */
static void lay_out_filter(maker *m, ku_args *a)
{
    const bool near = m->string_count <= KU_NEAR;
    const uint32_t most = near ? NEAR_BITS : MAX_BITS;
    uint32_t bits = MIN_BITS;
    while (bits < most && 1u << bits < SHARE * m->string_count)
        bits++;
    a->shift = 32 - bits;
    room_for(m, (uint64_t)1 << bits);
    a->lists = room_for(m, ((uint64_t)1 << bits) + 1);
    a->near = near ? (uint32_t)m->size : 0;
}

/* Where everything goes. */
static void lay_out(maker *m, ku_args *a)
{
    if (m->bits) {
        a->width = m->head->cells;
        a->count = m->string_count;
        room_for(m, (uint64_t)2 * KU_WIDTH * a->count);
        a->near = (uint32_t)m->size;
    } else {
        lay_out_filter(m, a);
    }
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
    if (!count_strings(m, a))
        return;
    lay_out(m, a);
    if (m->size <= UINT32_MAX)
        m->words = memory_take_zeroed(m->memory, (size_t)m->size, sizeof *m->words);
    if (!m->words)
        return;
    put_strings(m, a);
    for (uint32_t i = 0; i < m->needle_count; i++)
        put_needle(m, i);
}

/* Odd numbers; that of a last word with fewer bytes than four is shifted up. */
static void set_factors(ku_args *a, uint32_t bytes)
{
    static const uint32_t odd[KU_MAX_WORDS] = { 0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du,
                                                0x27d4eb2fu };
    for (uint32_t i = 0; i < KU_MAX_WORDS; i++) {
        const uint32_t left = bytes > 4 * i ? bytes - 4 * i : 0;
        a->factors[i] = left >= 4 ? odd[i] : left ? odd[i] << (8 * (4 - left)) : 0;
    }
}

static uint32_t local_bytes(const device_plan *p, const ku_device *d)
{
    const uint32_t warps = p->device->info.lanes ? d->group / WARP : 0;
    return 4 * (d->numbers.near + (warps ? KU_GROUP_WORDS + warps * KU_WARP_WORDS : 0));
}

static int ku_prepare(device_plan *p, trawl_error *error)
{
    ku_device *d = p->state;
    const ku_tables *head = (const ku_tables *)p->facts.tables;
    const uint32_t bytes = head->cells * head->cell_size;
    maker m = { .memory = p->memory,
                .tables = p->facts.tables,
                .head = head,
                .cpu = p->device->info.cpu,
                .needles = (const byr_needle *)(p->facts.tables + head->needles) };
    const device_info *info = &p->device->info;
    int status = plan_warps(p, "ku", info->cpu ? CPU_GROUP : GPU_GROUP,
                            info->lanes ? MAX_GROUP : info->most_group, &d->group, error);
    if (status != TRAWL_OK)
        return status;
    d->blocks = tuned(p->tuning.blocks, parts(KU_UNIT_ITEMS, d->group));
    set_factors(&d->numbers, bytes);
    make(&m, &d->numbers);
    d->across = m.across;
    d->numbers.large = KU_NEVER;
    for (uint32_t i = 0; i < m.needle_count; i++)
        if (laid_out_words(&m.needles[i]) / 4 >= LARGE)
            d->numbers.large = LARGE;
    d->words = m.bits                          ? 0
               : !d->numbers.near || bytes > 8 ? KU_MAX_WORDS
               : m.cpu                         ? 2
                                               : (bytes + 3) / 4;
    if (m.words)
        status = plan_upload(p, &d->tables, m.words, (size_t)m.size * sizeof *m.words, error);
    else
        status = memory_failed(m.memory, error, "%u needle%s", (unsigned)m.needle_count,
                               plural(m.needle_count));
    memory_give(m.memory, m.top);
    memory_give(m.memory, m.left);
    memory_give(m.memory, m.cells);
    memory_give(m.memory, m.masks);
    memory_give(m.memory, m.words);
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
    const bool bits = d->words == 0;
    const uint32_t size = head->cell_size, quads = size == 3 ? 3 : 1;
    const uint32_t down = head->down - bits, rows = piece->rows - bits; /* rows: where one may be */
    const uint64_t first = (uint64_t)piece->begin + head->first_row + down - 1;
    const uint64_t last = (uint64_t)piece->end + head->last_row + down - 1;
    const uint64_t stop = last < rows ? last : rows;
    if (piece->begin >= piece->end || first >= stop || piece->cols < head->cells)
        return TRAWL_OK;
    const bool skewed = (piece->from | piece->stride) % ROW_ALIGN != 0;
    const uint32_t skew = skewed ? MAX_SKEW / (size == 3 ? 1 : size) : 0; /* rounded down */
    ku_args numbers = d->numbers;
    numbers.capacity = piece->sink.capacity;
    numbers.lines = smaller(d->tables.bytes / 128, FETCHED);
    numbers.from = piece->from;
    numbers.stride = piece->stride;
    numbers.rows = piece->rows;
    numbers.cols = piece->cols;
    numbers.begin = piece->begin;
    numbers.end = piece->end;
    numbers.first = (uint32_t)first;
    numbers.down = down;
    numbers.points = piece->cols - head->cells + 1;
    /* With bits a chunk gets the columns after it from its neighbour, so a row's last chunk must
     * need none, also in the row below, whose skew may add to this row's. */
    numbers.chunks = bits ? parts((uint64_t)piece->cols + 2 * skew, 32)
                          : parts((uint64_t)numbers.points + skew, 16 * quads / size);
    numbers.all = parts(stop - first, down) * numbers.chunks;
    if (p->facts.may_stop)
        numbers.patience = (uint64_t)piece->rows * piece->cols / PATIENCE + 65536;
    /* Where bits are compared the last lane of a warp has no chunk of its own. */
    const uint32_t each = bits && p->device->info.lanes ? d->group / WARP * (WARP - 1) : d->group;
    const uint32_t groups = smaller(parts(numbers.all, each), p->device->info.units * d->blocks);
    const uint32_t items = groups * each;
    numbers.step = items / numbers.chunks;
    numbers.rest = items % numbers.chunks;
    launch l = launch_of("ku", "ku", groups, d->group, local_bytes(p, d));
    l.bound = KU_UNIT_ITEMS;
    launch_define(&l, "NEAR", d->numbers.near != 0);
    launch_define(&l, "WORDS", d->words);
    launch_define(&l, "CELL", size);
    launch_define(&l, "ACROSS", d->across);
    launch_define(&l, "SKEW", skewed);
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
