/* streams.c: steps, rows and windows of SHIFT-AND by bit streams. The loop and the essay are in
 * streams_vector.c.
 */
#include "engines/classes/shiftand/streams.h"

#include <string.h>

#include "engines/classes/shiftand/streams_layout.h"
#include "engines/shared/costs.h"
#include "engines/shared/positions.h"

enum { POSITIONS = 1024 }; /* of a set, those of gaps with them */
enum { PLACES = 4096 };    /* of the sample, in which windows are counted */
enum { RUN = 1024 };       /* bytes that are run where a window ends */
enum { RECTANGLES = 8 };   /* of a table */
enum { MIN_GAP = 48 };     /* positions of any byte: fewer are cheaper one by one */
#define RARE 0.05          /* windows; the walk finds out whether they pay */
#define TRUST 0.25         /* in that neighbouring bytes know nothing of one another */

/* A set as it will be searched. */
typedef struct draft {
    byte_class classes[BITSTREAMS_ROWS]; /* in the order of their rows */
    uint32_t class_count;
    bitstreams_step steps[BITSTREAMS_STEPS]; /* rows: UINT16_MAX is that of all bytes */
    uint32_t step_count, gap_count;
    bitstreams_window windows[BITSTREAMS_WINDOWS];
    uint32_t window_count, back;
    bitstreams_fit fits[BITSTREAMS_ROWS];
    uint32_t fit_count, seek_fits;
    bitstreams_test tests[BITSTREAMS_ROWS * 16];
    uint32_t test_count, seek_tests;
    uint8_t tables[BITSTREAMS_ROWS * 2][2][16];
    uint8_t used[BITSTREAMS_ROWS * 2]; /* rectangles of each table */
    uint32_t table_count, seek_tables;
    double rate; /* of windows */
} draft;

/* ---- steps -------------------------------------------------------------------------- */

enum { ALL_BYTES = UINT16_MAX };

static bool is_full(const byte_class *set)
{
    return (set->bits[0] & set->bits[1] & set->bits[2] & set->bits[3]) == UINT64_MAX;
}

/* The number of a class; BITSTREAMS_ROWS: there are too many. */
static uint32_t class_number(draft *d, const byte_class *set)
{
    for (uint32_t i = 0; i < d->class_count; i++)
        if (memcmp(&d->classes[i], set, sizeof *set) == 0)
            return i;
    if (d->class_count == BITSTREAMS_ROWS - 1)
        return BITSTREAMS_ROWS;
    d->classes[d->class_count] = *set;
    return d->class_count++;
}

/* How many positions from q[0] on are a gap: positions of any byte, first those that may not be
 * left out, *least of them. */
static size_t gap_length(const position *q, size_t count, size_t *least)
{
    size_t most = 0;
    for (*least = 0; most < count && most < MAX_BITSTREAMS_GAP; most++) {
        if (!is_full(&q[most].set) || q[most].repeat || (!q[most].optional && *least < most))
            break;
        *least += !q[most].optional;
    }
    return most;
}

/* A pattern's positions, from bit `base` of the state on. False: too many classes or steps. */
static bool add_steps(draft *d, const pattern *p, uint32_t number, size_t base)
{
    position positions[POSITIONS];
    const size_t count = position_count(p);
    size_t lead = 0;
    expand_positions(p, positions);
    while (lead < count && positions[lead].optional)
        lead++;
    for (size_t i = 0; i < count; i++) {
        const position *q = &positions[i];
        if (d->step_count == BITSTREAMS_STEPS)
            return false;
        size_t least, most = i > lead ? gap_length(q, count - 1 - i, &least) : 0;
        if (most >= MIN_GAP && d->gap_count < BITSTREAMS_GAPS) {
            d->gap_count++;
            d->steps[d->step_count++] = (bitstreams_step){ .kind = BITSTREAMS_GAP,
                                                           .row = ALL_BYTES,
                                                           .bit = (uint32_t)(base + i),
                                                           .least = (uint16_t)least,
                                                           .most = (uint16_t)most };
            i += most - 1;
            continue;
        }
        const uint32_t row = is_full(&q->set) ? ALL_BYTES : class_number(d, &q->set);
        if (row == BITSTREAMS_ROWS)
            return false;
        bitstreams_step *step = &d->steps[d->step_count++];
        step->kind = i <= lead ? BITSTREAMS_FIRST : q->repeat ? BITSTREAMS_STAY : 0;
        step->kind |= q->optional && i > 0 ? BITSTREAMS_SKIP : 0;
        step->row = (uint16_t)row;
        step->bit = (uint32_t)(base + i);
        step->last = i == count - 1;
        step->pattern = number;
        step->least = step->most = 0;
    }
    return true;
}

/* ---- windows ------------------------------------------------------------------------- */

/* The text that windows are counted in. */
typedef struct counting {
    const uint8_t *text;
    uint32_t length;
    double share[256]; /* of each byte */
} counting;

static void open_counting(const problem *p, counting *c)
{
    memset(c, 0, sizeof *c);
    c->text = p->sample.bytes;
    c->length = (uint32_t)(p->sample.length < PLACES ? p->sample.length : PLACES);
    for (size_t i = 0; i < p->sample.length; i++)
        c->share[p->sample.bytes[i]] += 1 / (double)p->sample.length;
}

static double class_share(const counting *c, const byte_class *set)
{
    double share = 0;
    for (unsigned b = 0; b < 256; b++)
        share += class_has(set, b) ? c->share[b] : 0;
    return share + 1e-4;
}

/* The places that are left of those where the window so far stands. */
static uint32_t thin_out(const counting *c, uint16_t *places, uint32_t count, const byte_class *set,
                         uint32_t behind)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        places[left] = places[i];
        left += places[i] + behind < c->length && class_has(set, c->text[places[i] + behind]);
    }
    return left;
}

static double window_cost(uint32_t count, double rate, double program)
{
    const double runs = rate * RUN;
    return COST_STREAM_BYTE + (COST_STREAM_ROW + COST_STREAM_STEP) * count +
           (runs < 1 ? runs : 1) * program;
}

/* The cheapest window of the steps [first, stop), a pattern; its rate. */
static double choose_window(const draft *d, const counting *c, uint32_t first, uint32_t stop,
                            double program, bitstreams_window *best)
{
    double least = COST_IMPOSSIBLE, rate = 1;
    uint16_t places[PLACES];
    *best = (bitstreams_window){ first, 0, first, stop };
    while (first + 1 < stop && d->steps[first + 1].kind & BITSTREAMS_FIRST)
        first++; /* only the last of these is there in every match */
    for (uint32_t a = first; a < stop; a++) {
        const bitstreams_step *step = d->steps + a;
        uint32_t count = c->length;
        double both = 1;
        for (uint32_t i = 0; i < count; i++)
            places[i] = (uint16_t)i;
        for (uint32_t w = 0; w < BITSTREAMS_WINDOW && a + w < stop; w++) {
            if (step[w].kind & (BITSTREAMS_SKIP | BITSTREAMS_GAP) || step->row == ALL_BYTES)
                break;
            if (step[w].row != ALL_BYTES) {
                const byte_class *set = &d->classes[step[w].row];
                count = thin_out(c, places, count, set, w);
                both *= class_share(c, set);
            }
            const double often = count / (double)c->length * (1 - TRUST) + TRUST * both;
            const double cost = window_cost(w + 1, often, program);
            if (cost < least && step[w].row != ALL_BYTES) {
                least = cost;
                rate = often;
                const bool ends = a + w + 1 == stop && !(step[w].kind & BITSTREAMS_STAY);
                *best = (bitstreams_window){ a, w + 1, ends ? stop : a + w, stop };
            }
            if (step[w].kind & BITSTREAMS_STAY)
                break;
        }
        if (step->kind & BITSTREAMS_STAY) /* what is after it may be far from the begin */
            break;
    }
    return rate;
}

static double program_cost(const draft *d)
{
    double cost = COST_STREAM_BYTE + COST_STREAM_ROW * d->class_count;
    for (uint32_t i = 0; i < d->step_count; i++)
        cost += d->steps[i].kind & BITSTREAMS_GAP    ? COST_STREAM_GAP
                : d->steps[i].kind & BITSTREAMS_STAY ? COST_STREAM_STAY
                                                     : COST_STREAM_STEP;
    return cost;
}

/* A window for each pattern, if that pays. Returns what a byte takes. */
static double choose_windows(const problem *p, draft *d)
{
    const double program = program_cost(d);
    double seeking = COST_STREAM_BYTE, rate = 0;
    counting c;
    if (p->list->count > BITSTREAMS_WINDOWS)
        return program;
    open_counting(p, &c);
    for (uint32_t first = 0, stop; first < d->step_count; first = stop) {
        bitstreams_window *w = &d->windows[d->window_count++];
        for (stop = first + 1; !d->steps[stop - 1].last;)
            stop++;
        rate += choose_window(d, &c, first, stop, program, w);
        seeking += (COST_STREAM_ROW + COST_STREAM_STEP) * w->count;
        uint32_t back = w->first + w->count - first;
        for (uint32_t i = first; i < w->first; i++)
            back += d->steps[i].kind & BITSTREAMS_GAP ? d->steps[i].most - 1u : 0;
        d->back = back > d->back ? back : d->back;
    }
    const double cost = seeking + (rate * RUN < 1 ? rate * RUN : 1) * program;
    if (rate > RARE)
        d->window_count = d->back = 0;
    return cost < program ? cost : program;
}

static bool make_steps(const problem *p, const size_t *base, draft *d)
{
    size_t positions = 0;
    d->step_count = d->gap_count = d->class_count = d->window_count = d->back = 0;
    d->fit_count = d->test_count = d->table_count = 0;
    for (size_t i = 0; i < p->list->count && positions <= POSITIONS; i++)
        positions += position_count(&p->list->patterns[i]);
    if (p->list->needles || positions > POSITIONS)
        return false;
    for (size_t i = 0; i < p->list->count; i++)
        if (!add_steps(d, &p->list->patterns[i], (uint32_t)i, base ? base[i] : 0))
            return false;
    return true;
}

/* ---- rows --------------------------------------------------------------------------- */

/* The classes of windows get the first rows. Returns how many. */
static uint32_t order_rows(draft *d)
{
    uint16_t row[BITSTREAMS_ROWS];
    byte_class classes[BITSTREAMS_ROWS];
    uint32_t count = 0, seek;
    memset(row, 0xff, sizeof row);
    for (uint32_t i = 0; i < d->window_count; i++)
        for (uint32_t k = 0; k < d->windows[i].count; k++) {
            const uint32_t old = d->steps[d->windows[i].first + k].row;
            if (old != ALL_BYTES && row[old] == UINT16_MAX)
                row[old] = (uint16_t)count++;
        }
    seek = count;
    for (uint32_t i = 0; i < d->class_count; i++)
        if (row[i] == UINT16_MAX)
            row[i] = (uint16_t)count++;
    for (uint32_t i = 0; i < d->class_count; i++)
        classes[row[i]] = d->classes[i];
    memcpy(d->classes, classes, count * sizeof *classes);
    for (uint32_t i = 0; i < d->step_count; i++)
        d->steps[i].row =
            d->steps[i].row == ALL_BYTES ? (uint16_t)d->class_count : row[d->steps[i].row];
    return seek;
}

/* A rectangle in a table from `from` on: its table, and in *bit its bit there. */
static uint32_t place_rectangle(draft *d, uint32_t from, uint32_t low, uint32_t high, uint8_t *bit)
{
    for (uint32_t t = from; t < d->table_count; t++)
        for (uint32_t r = 0; r < d->used[t]; r++) {
            uint32_t lows = 0, highs = 0;
            for (uint32_t i = 0; i < 16; i++) {
                lows |= (uint32_t)(d->tables[t][0][i] >> r & 1) << i;
                highs |= (uint32_t)(d->tables[t][1][i] >> r & 1) << i;
            }
            *bit = (uint8_t)(1u << r);
            if (lows == low && highs == high)
                return t;
        }
    if (d->table_count == from || d->used[d->table_count - 1] == RECTANGLES) {
        memset(d->tables[d->table_count], 0, sizeof *d->tables);
        d->used[d->table_count++] = 0;
    }
    const uint32_t t = d->table_count - 1;
    *bit = (uint8_t)(1u << d->used[t]++);
    for (uint32_t i = 0; i < 16; i++) {
        d->tables[t][0][i] |= low >> i & 1 ? *bit : 0;
        d->tables[t][1][i] |= high >> i & 1 ? *bit : 0;
    }
    return t;
}

/* Tests of a class, whose rectangles are in tables from `from` on. */
static void add_tests(draft *d, uint32_t row, uint32_t from)
{
    const byte_class *set = &d->classes[row];
    const uint32_t first = d->test_count;
    for (uint32_t h = 0, done = 0; h < 16; h++) {
        const uint32_t low = (uint32_t)(set->bits[h / 4] >> (h % 4 * 16) & 0xffff);
        uint32_t high = 0, table, i;
        uint8_t bit;
        if (low == 0 || done >> h & 1)
            continue;
        for (uint32_t k = h; k < 16; k++)
            high |= (set->bits[k / 4] >> (k % 4 * 16) & 0xffff) == low ? 1u << k : 0;
        done |= high;
        table = place_rectangle(d, from, low, high, &bit);
        for (i = first; i < d->test_count && d->tests[i].table != table; i++)
            ;
        if (i == d->test_count)
            d->tests[d->test_count++] = (bitstreams_test){ table, 0, row, 0 };
        d->tests[i].rectangles |= bit;
    }
}

/* Whether a class is a value with some bits that may be either: which, and that with all of them.
 */
static bool find_fit(const draft *d, uint32_t row, bitstreams_fit *fit)
{
    uint32_t size = 0, every = 0xff, any = 0, different = 1;
    for (unsigned b = 0; b < 256; b++)
        if (class_has(&d->classes[row], b)) {
            size++;
            every &= b;
            any |= b;
        }
    for (uint32_t bits = every ^ any; bits; bits &= bits - 1)
        different *= 2;
    *fit = (bitstreams_fit){ row, every ^ any, any };
    return size == different;
}

/* By table, and rows within it; those of one row after the first are `more`. */
static void order_tests(bitstreams_test *tests, uint32_t count)
{
    bool seen[BITSTREAMS_ROWS] = { false };
    for (uint32_t i = 1; i < count; i++) {
        const bitstreams_test test = tests[i];
        uint32_t k = i;
        for (; k > 0 && tests[k - 1].table > test.table; k--)
            tests[k] = tests[k - 1];
        tests[k] = test;
    }
    for (uint32_t i = 0; i < count; i++) {
        tests[i].more = seen[tests[i].row];
        seen[tests[i].row] = true;
    }
}

/* Rows [first, stop), by tables from `from` on, or, when that does for all, without tables. */
static void make_some(draft *d, uint32_t first, uint32_t stop, uint32_t from)
{
    bitstreams_fit *fits = d->fits + d->fit_count;
    bool fit = true;
    for (uint32_t row = first; row < stop; row++)
        fit = find_fit(d, row, &fits[row - first]) && fit;
    d->fit_count += fit ? stop - first : 0;
    for (uint32_t row = first; row < stop && !fit; row++)
        add_tests(d, row, from);
}

/* The rows of windows are made by the first fits and tables. */
static void make_rows(draft *d)
{
    const uint32_t seek = order_rows(d);
    make_some(d, 0, seek, 0);
    d->seek_fits = d->fit_count;
    d->seek_tables = d->table_count;
    d->seek_tests = d->test_count;
    make_some(d, seek, d->class_count, d->seek_tables);
    order_tests(d->tests, d->test_count);
}

/* ---- cost and tables ------------------------------------------------------------------ */

double bitstreams_cost(const problem *p)
{
    draft d;
    return make_steps(p, NULL, &d) ? choose_windows(p, &d) : COST_IMPOSSIBLE;
}

uint32_t bitstreams_append(const problem *p, const size_t *base, block *b)
{
    draft d;
    if (!make_steps(p, base, &d))
        return 0;
    choose_windows(p, &d);
    make_rows(&d);
    bitstreams_tables t = { .step_count = d.step_count,
                            .gap_count = d.gap_count,
                            .rows = d.class_count + 1,
                            .table_count = d.table_count,
                            .fit_count = d.fit_count,
                            .test_count = d.test_count,
                            .window_count = d.window_count,
                            .seek_fits = d.seek_fits,
                            .seek_tables = d.seek_tables,
                            .seek_tests = d.seek_tests,
                            .back = d.back };
    t.steps = block_words(b, d.steps, d.step_count * sizeof *d.steps / 4);
    t.tables = block_words(b, d.tables, d.table_count * sizeof *d.tables / 4);
    t.fits = block_words(b, d.fits, d.fit_count * sizeof *d.fits / 4);
    t.tests = block_words(b, d.tests, d.test_count * sizeof *d.tests / 4);
    t.windows = block_words(b, d.windows, d.window_count * sizeof *d.windows / 4);
    return block_words(b, &t, sizeof t / 4);
}

/* ---- loaded plans ---------------------------------------------------------------------- */

/* The last step ends a match; a gap is after a step of its pattern. */
static bool steps_valid(const stage_facts *facts, const bitstreams_tables *t,
                        const bitstreams_step *steps, uint64_t bits)
{
    uint32_t gaps = 0;
    for (uint32_t i = 0; i < t->step_count; i++) {
        const bitstreams_step *step = &steps[i];
        if (step->row >= t->rows || step->bit >= bits || step->pattern >= facts->pattern_count)
            return false;
        if (!(step->kind & BITSTREAMS_GAP))
            continue;
        if (++gaps > BITSTREAMS_GAPS || i == 0 || steps[i - 1].last || step->last ||
            step->bit < 1 || step->most < 1 || step->most > MAX_BITSTREAMS_GAP ||
            step->least > step->most || step->most > bits - step->bit)
            return false;
    }
    return gaps == t->gap_count && steps[t->step_count - 1].last;
}

/* Every row but the last is made, those of windows by the first ones; tests rise by table. */
static bool rows_valid(const bitstreams_tables *t, const bitstreams_fit *fits,
                       const bitstreams_test *tests, bool *seek)
{
    bool made[BITSTREAMS_ROWS] = { false };
    uint32_t count = 1;
    for (uint32_t i = 0; i < t->fit_count; i++) {
        if (fits[i].row >= t->rows - 1 || made[fits[i].row])
            return false;
        made[fits[i].row] = true;
        seek[fits[i].row] = i < t->seek_fits;
        count++;
    }
    for (uint32_t i = 0; i < t->test_count; i++) {
        const bitstreams_test *test = &tests[i];
        const uint32_t least = i ? tests[i - 1].table : 0;
        if (test->table < least || test->table >= t->table_count || test->row >= t->rows - 1 ||
            (i < t->seek_tests && test->table >= t->seek_tables) || !made[test->row] != !test->more)
            return false;
        count += !made[test->row];
        made[test->row] = true;
        seek[test->row] = seek[test->row] || i < t->seek_tests;
    }
    seek[t->rows - 1] = true;
    return count == t->rows;
}

static bool windows_valid(const bitstreams_tables *t, const bitstreams_step *steps,
                          const bitstreams_window *windows, const bool *seek)
{
    for (uint32_t i = 0; i < t->window_count; i++) {
        const bitstreams_window *w = &windows[i];
        if (w->count < 1 || w->count > BITSTREAMS_WINDOW || w->first > t->step_count ||
            w->count > t->step_count - w->first || w->live > w->stop || w->stop > t->step_count)
            return false;
        for (uint32_t k = 0; k < w->count; k++)
            if (!seek[steps[w->first + k].row])
                return false;
    }
    return true;
}

bool bitstreams_check(const stage_facts *facts, const uint32_t *tables, size_t words, uint32_t at,
                      uint64_t bits)
{
    const bitstreams_tables *t = (const bitstreams_tables *)(tables + at);
    bool seek[BITSTREAMS_ROWS] = { false };
    if (!words_inside(words, at, sizeof *t / 4) || t->step_count < 1 ||
        t->step_count > BITSTREAMS_STEPS || t->rows < 1 || t->rows > BITSTREAMS_ROWS ||
        t->fit_count >= BITSTREAMS_ROWS || t->seek_fits > t->fit_count ||
        t->window_count > BITSTREAMS_WINDOWS || t->seek_tests > t->test_count ||
        t->seek_tables > t->table_count || (t->window_count && t->back < 1) ||
        !words_inside(words, t->steps, t->step_count * (uint64_t)sizeof(bitstreams_step) / 4) ||
        !words_inside(words, t->tables, t->table_count * UINT64_C(8)) ||
        !words_inside(words, t->fits, t->fit_count * UINT64_C(3)) ||
        !words_inside(words, t->tests, t->test_count * (uint64_t)sizeof(bitstreams_test) / 4) ||
        !words_inside(words, t->windows, t->window_count * (uint64_t)sizeof(bitstreams_window) / 4))
        return false;
    const bitstreams_step *steps = (const bitstreams_step *)(tables + t->steps);
    return steps_valid(facts, t, steps, bits) &&
           rows_valid(t, (const bitstreams_fit *)(tables + t->fits),
                      (const bitstreams_test *)(tables + t->tests), seek) &&
           windows_valid(t, steps, (const bitstreams_window *)(tables + t->windows), seek);
}
