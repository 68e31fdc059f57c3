/* build.c: rows and tables of bit-sliced search. The loop and the essay are in vector.c, the choice
 * of tests in design.c.
 *
 * Rows of classes are unions of rows for groups of bytes that no class of a test tells apart. The
 * largest group, mostly the bytes that are in no class, has no row: classes that include it are
 * complements.
 */
#include "engines/classes/bitslice/build.h"

#include <stdlib.h>
#include <string.h>

#include "engines/shared/costs.h"

enum { ROWS_BYTES = 768 << 10, MAX_HELD = 128, MAX_LENGTH = 240 };
enum { DEFAULT_LOCAL = 48 << 10 };               /* bytes of local memory of a GPU */
enum { ESTIMATED = 4096, SOME_PATTERNS = 1024 }; /* patterns; of more, the cost is told by some */

/* As many properties as there may be, and the fewest rows of each. */
_Static_assert((uint64_t)BITSLICE_MAX_ROWS *(2 * BITSLICE_STEP + 1) * BITSLICE_ROW <
                   (uint64_t)ENGINE_MAX_STATE * 8 - (1 << 20),
               "no more state than a plan may ask for");

/* ---- rows --------------------------------------------------------------------------- */

/* Groups of bytes that no class of a test tells apart: the group of each byte, the size of each
 * group, and in *rest the largest. Returns their number. */
static uint32_t find_groups(const design *d, uint8_t map[256], uint32_t size[256], uint32_t *rest)
{
    uint32_t count = 1;
    memset(map, 0, 256);
    memset(size, 0, 256 * sizeof *size);
    *rest = 0;
    for (uint32_t i = 0; i < d->property_count; i++)
        if (d->properties[i].used && d->properties[i].wide == 1)
            count = split_classes(&d->classes[d->properties[i].class], map, count);
    for (unsigned b = 0; b < 256; b++)
        size[map[b]]++;
    for (uint32_t g = 1; g < count; g++)
        *rest = size[g] > size[*rest] ? g : *rest;
    return count;
}

/* How many rows there will be: of groups, and of properties that are not a group. */
static uint32_t count_rows(const design *d)
{
    uint8_t map[256];
    uint32_t size[256], rest;
    uint32_t rows = find_groups(d, map, size, &rest) - 1;
    for (uint32_t i = 0; i < d->property_count; i++) {
        const byte_class *set = &d->classes[d->properties[i].class];
        unsigned first = 0;
        while (first < 255 && !class_has(set, first))
            first++;
        rows += d->properties[i].used && (d->properties[i].wide > 1 || map[first] == rest ||
                                          class_size(set) != size[map[first]]);
    }
    return rows;
}

/* A row that is there, and of which groups of bytes it is the union. */
typedef struct made_row {
    byte_class groups;
    uint32_t row;
} made_row;

typedef struct row_maker {
    design *d;
    block *b;
    bitslice_tables *head;
    uint8_t map[256]; /* group of a byte */
    uint32_t rest;    /* the group that has no row */
    made_row *made;
    uint32_t made_count;
    bitslice_operation *operations;
    uint32_t *inputs;
    uint32_t operation_count, input_count;
} row_maker;

static uint32_t add_operation(row_maker *m, uint32_t kind, uint32_t first)
{
    m->operations[m->operation_count] = (bitslice_operation){ kind, first, m->input_count - first };
    return m->head->letters + m->operation_count++;
}

/* The row of a class: unions of the largest rows that fit. */
static uint32_t make_class(row_maker *m, const byte_class *set)
{
    byte_class groups = { { 0 } };
    bool rest = false;
    const uint32_t first = m->input_count;
    for (unsigned b = 0; b < 256; b++)
        rest = rest || (m->map[b] == m->rest && class_has(set, b));
    for (unsigned b = 0; b < 256; b++)
        if (m->map[b] != m->rest && class_has(set, b) != rest)
            class_add(&groups, m->map[b]);
    byte_class left = groups;
    while (!class_empty(&left)) {
        const made_row *best = NULL;
        unsigned most = 0;
        for (uint32_t i = 0; i < m->made_count; i++)
            if (class_inside(&m->made[i].groups, &left)) {
                const unsigned size = class_size(&m->made[i].groups);
                best = size > most ? &m->made[i] : best;
                most = size > most ? size : most;
            }
        m->inputs[m->input_count++] = best->row;
        for (int i = 0; i < 4; i++)
            left.bits[i] &= ~best->groups.bits[i];
    }
    if (!rest && m->input_count == first + 1) /* it is there */
        return m->inputs[--m->input_count];
    const uint32_t row = add_operation(m, rest ? BITSLICE_NONE : BITSLICE_OR, first);
    if (!rest)
        m->made[m->made_count++] = (made_row){ groups, row };
    return row;
}

static int by_size(const void *a, const void *b)
{
    const property *x = *(const property *const *)a, *y = *(const property *const *)b;
    return x->row < y->row ? -1 : x->row > y->row ? 1 : x < y ? -1 : x > y;
}

/* The last `wide` rows, from those of the largest power of two below. */
static void make_wide(row_maker *m, property *p)
{
    design *d = m->d;
    uint32_t half = 1;
    while (2 * half < p->wide)
        half *= 2;
    const uint32_t number = d->property_of[(size_t)p->class * (MAX_WIDE + 1) + half];
    const uint32_t first = m->input_count;
    m->inputs[m->input_count++] = d->properties[number].row;
    m->inputs[m->input_count++] = p->wide - half;
    p->row = add_operation(m, BITSLICE_WIDEN, first);
}

/* Rows of bytes: a group each, but for the largest. */
static void make_letters(row_maker *m)
{
    bitslice_letter letters[256];
    uint32_t size[256], bytes = 0;
    uint8_t of[256] = { 0 };
    const uint32_t count = find_groups(m->d, m->map, size, &m->rest);
    for (uint32_t g = 0; g < count; g++) {
        made_row *made = &m->made[m->made_count];
        if (g == m->rest)
            continue;
        memset(made, 0, sizeof *made);
        class_add(&made->groups, g);
        made->row = m->made_count;
        letters[m->made_count++] = (bitslice_letter){ bytes, size[g] };
        for (unsigned b = 0; b < 256; b++)
            if (m->map[b] == g)
                of[bytes++] = (uint8_t)b;
    }
    m->head->letters = m->made_count;
    m->head->byte_count = bytes;
    m->head->letter = block_words(m->b, letters, (size_t)m->made_count * sizeof *letters / 4);
    m->head->bytes = block_words(m->b, of, (bytes + 3) / 4);
}

static void make_rows(row_maker *m, property **order)
{
    design *d = m->d;
    uint32_t narrow = 0, wide = 0;
    make_letters(m);
    for (uint32_t i = 0; i < d->property_count; i++) {
        property *p = &d->properties[i];
        if (!p->used || p->wide != 1)
            continue;
        p->row = class_size(&d->classes[p->class]); /* for the order */
        order[narrow++] = p;
    }
    qsort(order, narrow, sizeof(property *), by_size);
    for (uint32_t i = 0; i < narrow; i++)
        order[i]->row = make_class(m, &d->classes[order[i]->class]);
    for (wide = 2; wide <= MAX_WIDE; wide++)
        for (uint32_t i = 0; i < d->property_count; i++)
            if (d->properties[i].used && d->properties[i].wide == wide)
                make_wide(m, &d->properties[i]);
    m->head->rows = m->head->letters + m->operation_count;
    m->head->operation =
        block_words(m->b, m->operations, (size_t)m->operation_count * sizeof *m->operations / 4);
    m->head->inputs = block_words(m->b, m->inputs, m->input_count);
    m->head->input_count = m->input_count;
}

/* ---- tables -------------------------------------------------------------------------- */

static void add_word(block *b, uint32_t what, uint32_t where)
{
    const uint32_t word = what | where << 16;
    block_append(b, &word, sizeof word, sizeof word);
}

static uint32_t words_of(const block *b)
{
    return (uint32_t)(b->size / 4);
}

/* Add checks of the positions [from, upto), the rarest first: of all, or of those that the tests of
 * `by` leave open, or, if `tested`, settle. Returns their number. */
static uint32_t add_checks(design *d, size_t from, size_t upto, const chosen *by, bool tested,
                           block *b)
{
    uint32_t count = 0;
    for (size_t k = from; k < upto; k++) {
        const uint32_t class = d->position_class[k];
        if (class_size(&d->classes[class]) == 256 ||
            (by && tested != (k >= by->anchor &&
                              design_has_test(d, by, class, 1, (uint32_t)(k - by->anchor)))))
            continue;
        d->landmarks[count].property = class;
        d->landmarks[count].behind = (uint32_t)(k - from);
        d->landmarks[count++].worth = 1 - d->class_often[class];
    }
    landmarks_sort(d->landmarks, count);
    for (uint32_t k = 0; k < count; k++)
        add_word(b, d->landmarks[k].property, d->landmarks[k].behind);
    return count;
}

/* Positions to segments, of which that with the anchor is said in *out. Returns their number. */
static uint32_t add_segments(design *d, const chosen *c, size_t count, block *b,
                             bitslice_segment *segments, bitslice_pattern *out)
{
    uint32_t made = 0;
    for (size_t i = 0; i < count;) {
        bitslice_segment *g = &segments[made];
        const size_t first = i;
        memset(g, 0, sizeof *g);
        while (i < count && !d->positions[i].optional)
            i++;
        g->length = (uint32_t)(i - first);
        g->checks = words_of(b);
        if (c->anchor >= first && c->anchor < i) {
            out->at = made;
            out->length = g->length;
            out->anchor = (uint32_t)(c->anchor - first);
            out->checks = g->checks;
            out->check_count = add_checks(d, first, i, c, false, b);
            out->full_count = out->check_count + add_checks(d, first, i, c, true, b);
            g->check_count = out->full_count;
        } else {
            g->check_count = add_checks(d, first, i, NULL, false, b);
        }
        g->gap_class = i < count ? d->position_class[i] : 0;
        while (i < count && d->positions[i].optional && d->position_class[i] == g->gap_class) {
            g->gap++;
            i++;
        }
        made++;
    }
    return made;
}

static void add_test(const row_maker *m, const landmark *l)
{
    const uint32_t line = bitslice_line(m->head, m->d->properties[l->property].row, l->behind);
    block_append(m->b, &line, sizeof line, sizeof line);
}

static void add_pattern(row_maker *m, uint32_t i, bitslice_pattern *out)
{
    design *d = m->d;
    block *b = m->b;
    bitslice_segment segments[BITSLICE_LONGEST];
    const chosen *c = &d->patterns[i];
    const size_t count = design_read(d, i);
    out->index = i;
    out->before = c->anchor;
    out->test_count = c->count;
    out->tests = words_of(b);
    for (uint32_t k = 0; k < c->count; k++)
        add_test(m, &d->tests[c->first + k]);
    const uint32_t made = add_segments(d, c, count, b, segments, out);
    out->segment_count = out->length < count ? made : 0;
    out->segments = words_of(b);
    block_append(b, segments, out->segment_count * sizeof *segments, 4);
}

static void add_sets(const design *d, bitslice_tables *head, block *b)
{
    head->classes = d->class_count;
    head->sets = block_words(b, NULL, 0);
    for (uint32_t c = 0; c < d->class_count; c++) {
        uint32_t words[8];
        for (int i = 0; i < 8; i++)
            words[i] = (uint32_t)(d->classes[c].bits[i / 2] >> (i % 2 * 32));
        block_words(b, words, 8);
    }
}

/* ---- the order of patterns ------------------------------------------------------------ */

/* Patterns of as many early tests stand together, for the loop has one branch for each number; and
 * of these such whose tests ask for the same rows, those first that few others ask for: so rows
 * are in the first cache when the next pattern wants them. */
typedef struct place_key {
    uint32_t pattern, early, tests[MAX_EARLY]; /* property and distance */
} place_key;

static int by_key(const void *a, const void *b)
{
    const place_key *x = a, *y = b;
    if (x->early != y->early)
        return x->early < y->early ? -1 : 1;
    for (uint32_t k = 0; k < x->early; k++)
        if (x->tests[k] != y->tests[k])
            return x->tests[k] < y->tests[k] ? -1 : 1;
    return x->pattern < y->pattern ? -1 : 1;
}

/* Fill keys[] in the order of patterns; asked[property] is zero. */
static void order_patterns(const design *d, uint32_t *asked, place_key *keys)
{
    for (uint32_t i = 0; i < d->list->count; i++)
        for (uint32_t k = 0; k < d->patterns[i].early; k++)
            asked[d->tests[d->patterns[i].first + k].property]++;
    for (uint32_t i = 0; i < d->list->count; i++) {
        const chosen *c = &d->patterns[i];
        place_key *key = &keys[i];
        memset(key, 0, sizeof *key);
        key->pattern = i;
        key->early = c->early;
        for (uint32_t k = 0; k < c->early; k++) {
            const landmark *l = &d->tests[c->first + k];
            uint32_t at = k;
            for (; at > 0 && asked[key->tests[at - 1] >> 8] > asked[l->property]; at--)
                key->tests[at] = key->tests[at - 1];
            key->tests[at] = l->property << 8 | l->behind;
        }
    }
    qsort(keys, d->list->count, sizeof *keys, by_key);
}

/* ---- all of it ------------------------------------------------------------------------ */

static void lay_out(const problem *p, design *d, row_maker *m, property **order,
                    const place_key *keys, bitslice_pattern *patterns)
{
    bitslice_tables head;
    block *b = m->b;
    memset(&head, 0, sizeof head);
    m->head = &head;
    block_words(b, NULL, sizeof head / 4);
    make_rows(m, order);
    add_sets(d, &head, b);
    head.count = (uint32_t)p->list->count;
    head.ahead = d->ahead;
    const uint32_t each = ROWS_BYTES / BITSLICE_ROW / (head.rows ? head.rows : 1);
    const uint32_t least = BITSLICE_STEP + bitslice_rows_ahead(&head);
    head.length = MAX_LENGTH;
    head.held = each < least ? least : each > MAX_HELD ? MAX_HELD : each;
    head.held = head.held / BITSLICE_STEP * BITSLICE_STEP;
    head.early = words_of(b);
    for (uint32_t i = 0; i < head.count; i++) {
        const chosen *c = &d->patterns[keys[i].pattern];
        for (uint32_t k = 0; k < c->early; k++)
            add_test(m, &d->tests[c->first + k]);
        head.runs[c->early - 1]++;
        head.early_count += c->early;
    }
    for (uint32_t i = 0; i < head.count; i++)
        add_pattern(m, keys[i].pattern, &patterns[i]);
    head.pattern = block_words(b, patterns, head.count * sizeof *patterns / 4);
    if (head.rows >= BITSLICE_MAX_ROWS)
        b->failed = true;
    if (!b->failed)
        memcpy(b->bytes, &head, sizeof head);
}

static void bitslice_build(const problem *p, stage_draft *out)
{
    design d;
    row_maker m;
    memset(&m, 0, sizeof m);
    m.d = &d;
    m.b = &out->tables;
    if (!design_make(p, &d)) {
        out->tables.failed = true;
        design_free(&d);
        return;
    }
    design_use_parts(&d);
    const size_t rows = d.property_count;
    property **order = memory_take_array(d.memory, rows, sizeof(property *));
    bitslice_pattern *patterns = memory_take_zeroed(d.memory, p->list->count, sizeof *patterns);
    place_key *keys = memory_take_array(d.memory, p->list->count, sizeof *keys);
    uint32_t *asked = memory_take_zeroed(d.memory, rows, sizeof *asked);
    m.made = memory_take_array(d.memory, 256 + rows, sizeof *m.made);
    m.operations = memory_take_array(d.memory, rows, sizeof *m.operations);
    m.inputs = memory_take_array(d.memory, rows * 256, sizeof *m.inputs);
    if (order && patterns && keys && asked && m.made && m.operations && m.inputs) {
        order_patterns(&d, asked, keys);
        lay_out(p, &d, &m, order, keys, patterns);
        if (!out->tables.failed)
            out->state_words =
                bitslice_scratch((const bitslice_tables *)(const void *)out->tables.bytes);
    } else {
        out->tables.failed = true;
    }
    memory_give(d.memory, m.inputs);
    memory_give(d.memory, m.operations);
    memory_give(d.memory, m.made);
    memory_give(d.memory, asked);
    memory_give(d.memory, keys);
    memory_give(d.memory, patterns);
    memory_give(d.memory, order);
    design_free(&d);
}

/* ---- what it takes ------------------------------------------------------------------- */

static bool bitslice_takes(const pattern *p)
{
    return p->max_length <= BITSLICE_LONGEST;
}

static const char *bitslice_refuses(const pattern_list *list)
{
    if (list->needles)
        return "it takes byte patterns, not grids: use bb or byr";
    for (size_t i = 0; i < list->count; i++)
        if (!bitslice_takes(&list->patterns[i]))
            return "some pattern may be longer than 255 bytes: use shiftand";
    return NULL;
}

/* Literals alone have engines with Aho-Corasick after them, which no text makes as slow as many
 * words of SHIFT-AND. */
static bool only_literals(const pattern_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (!list->patterns[i].literal)
            return false;
    return true;
}

/* Whether a GPU has room for a tile of `rows` rows. One without it leaves all to the fallback. */
static bool rows_fit(uint32_t rows, const target *t)
{
    const uint32_t words = (t->local_bytes ? t->local_bytes : DEFAULT_LOCAL) / 4;
    return BITSLICE_LOCAL + (uint64_t)BITSLICE_LOCAL_ROW * rows <= words;
}

/* What some of the patterns take, `times` as many of which the set has. */
static double cost_of_some(const problem *p, double times)
{
    design d;
    double tests = 0, hits = 0, rows = 0;
    const bool gpu = p->target.gpu && !p->target.cpu;
    if (!design_make(p, &d)) {
        design_free(&d);
        return COST_IMPOSSIBLE;
    }
    design_use_parts(&d);
    for (size_t i = 0; i < p->list->count; i++) {
        tests += d.patterns[i].early * times;
        hits += design_hits_cost(&d, &d.patterns[i]) / 4 * times;
    }
    for (uint32_t i = 0; i < d.property_count; i++)
        rows += d.properties[i].used;
    const bool fits = !gpu || rows_fit(count_rows(&d), &p->target);
    design_free(&d);
    const double patterns = (double)p->list->count * times;
    if (gpu)
        return !fits ? COST_IMPOSSIBLE
                     : COST_GPU_SLICE_BYTE + hits / BITSLICE_LANES +
                           (COST_GPU_SLICE_ROW * rows + COST_GPU_SLICE_TEST * (tests + patterns)) /
                               1024;
    const double cost =
        cost_of_vector(COST_SLICE_BYTE + (COST_SLICE_ROW * rows + COST_SLICE_TEST * tests +
                                          COST_SLICE_PATTERN * patterns) /
                                             BITSLICE_LANES,
                       &p->target) +
        hits / BITSLICE_LANES;
    return p->target.cpu ? cost * COST_GPU_AS_CPU : cost;
}

/* A large set is judged by some of its patterns, as many from each of its stretches; but not
 * whether all rows find room on a GPU. */
static double bitslice_cost(const problem *p)
{
    const size_t step = p->list->count > ESTIMATED ? p->list->count / SOME_PATTERNS : 1;
    problem of = *p;
    pattern_list some = *p->list;
    if (only_literals(p->list) || (step > 1 && p->target.gpu && !p->target.cpu))
        return COST_IMPOSSIBLE;
    if (step == 1)
        return cost_of_some(p, 1);
    some.count = 0;
    some.patterns = memory_take_array(p->memory, p->list->count / step + 1, sizeof *some.patterns);
    if (!some.patterns)
        return COST_IMPOSSIBLE;
    for (size_t i = 0; i < p->list->count; i += step)
        some.patterns[some.count++] = p->list->patterns[i];
    of.list = &some;
    const double cost = cost_of_some(&of, (double)p->list->count / (double)some.count);
    memory_give(p->memory, some.patterns);
    return cost;
}

/* ---- loaded plans -------------------------------------------------------------------- */

static bool letters_check(const bitslice_tables *t, const uint32_t *tables, size_t words)
{
    const bitslice_letter *letters = (const bitslice_letter *)(tables + t->letter);
    if (t->letters > 255 || t->byte_count > 256 ||
        !words_inside(words, t->letter, (uint64_t)t->letters * sizeof *letters / 4) ||
        !words_inside(words, t->bytes, (t->byte_count + 3) / 4))
        return false;
    for (uint32_t i = 0; i < t->letters; i++)
        if (letters[i].first > t->byte_count || letters[i].count > t->byte_count - letters[i].first)
            return false;
    return true;
}

static bool operations_check(const bitslice_tables *t, const uint32_t *tables, size_t words)
{
    const bitslice_operation *operations = (const bitslice_operation *)(tables + t->operation);
    const uint32_t *inputs = tables + t->inputs;
    if (t->rows < t->letters || t->rows >= BITSLICE_MAX_ROWS ||
        !words_inside(words, t->operation,
                      (uint64_t)(t->rows - t->letters) * sizeof *operations / 4) ||
        !words_inside(words, t->inputs, t->input_count))
        return false;
    for (uint32_t row = t->letters; row < t->rows; row++) {
        const bitslice_operation *op = &operations[row - t->letters];
        const bool widens = op->kind == BITSLICE_WIDEN;
        if (op->kind > BITSLICE_WIDEN || op->first > t->input_count ||
            op->count > t->input_count - op->first || (widens && op->count != 2))
            return false;
        for (uint32_t k = 0; k < op->count; k++)
            if (inputs[op->first + k] >= (widens && k == 1 ? t->ahead + 1 : row))
                return false;
    }
    return true;
}

/* `count` lines at `at` where some test may begin. */
static bool tests_check(const bitslice_tables *t, const uint32_t *tables, size_t words, uint32_t at,
                        uint32_t count)
{
    if (!words_inside(words, at, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (tables[at + i] / (t->held + 1) >= t->rows || tables[at + i] % (t->held + 1) > t->ahead)
            return false;
    return true;
}

/* `count` words at `at` that say a number below `what`, and where, at most `where`. */
static bool words_check(const uint32_t *tables, size_t words, uint32_t at, uint32_t count,
                        uint32_t what, uint32_t where)
{
    if (!words_inside(words, at, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (BITSLICE_WHAT(tables[at + i]) >= what || BITSLICE_WHERE(tables[at + i]) > where)
            return false;
    return true;
}

static bool segments_check(const bitslice_tables *t, const bitslice_pattern *p,
                           const uint32_t *tables, size_t words)
{
    const bitslice_segment *segments = (const bitslice_segment *)(tables + p->segments);
    if (p->segment_count > BITSLICE_LONGEST || (p->segment_count && p->at >= p->segment_count) ||
        !words_inside(words, p->segments, (uint64_t)p->segment_count * sizeof *segments / 4))
        return false;
    for (uint32_t i = 0; i < p->segment_count; i++) {
        const bitslice_segment *g = &segments[i];
        if (g->length > BITSLICE_LONGEST || g->check_count > g->length ||
            g->gap > BITSLICE_LONGEST || (g->gap && g->gap_class >= t->classes) ||
            (g->length &&
             !words_check(tables, words, g->checks, g->check_count, t->classes, g->length - 1)))
            return false;
    }
    return p->segment_count == 0 || segments[p->at].length == p->length;
}

static bool pattern_check(const stage_facts *facts, const bitslice_tables *t,
                          const bitslice_pattern *p, const uint32_t *tables, size_t words)
{
    return p->index < facts->pattern_count && p->test_count <= MAX_EARLY + MAX_LATE &&
           p->length >= 1 && p->length <= BITSLICE_LONGEST && p->anchor < p->length &&
           p->before <= BITSLICE_LONGEST && p->full_count <= BITSLICE_LONGEST &&
           p->check_count <= p->full_count &&
           tests_check(t, tables, words, p->tests, p->test_count) &&
           words_check(tables, words, p->checks, p->full_count, t->classes, p->length - 1) &&
           segments_check(t, p, tables, words);
}

/* That early tests are those of all patterns. */
static bool runs_check(const bitslice_tables *t)
{
    uint64_t patterns = 0, tests = 0;
    for (uint32_t i = 0; i < BITSLICE_EARLY; i++) {
        patterns += t->runs[i];
        tests += (uint64_t)t->runs[i] * (i + 1);
    }
    return patterns == t->count && tests == t->early_count;
}

static bool bitslice_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const bitslice_tables *t = (const bitslice_tables *)tables;
    if (words < sizeof *t / 4 || facts->carries || t->length < BITSLICE_STEP ||
        t->length > MAX_LENGTH || t->length % BITSLICE_STEP || t->ahead >= BITSLICE_AHEAD ||
        t->held > MAX_HELD || t->held % BITSLICE_STEP ||
        t->held < BITSLICE_STEP + bitslice_rows_ahead(t) || t->classes > BITSLICE_MAX_ROWS ||
        !letters_check(t, tables, words) || !operations_check(t, tables, words) ||
        facts->state_words != bitslice_scratch(t) || !runs_check(t) ||
        !tests_check(t, tables, words, t->early, t->early_count) ||
        !words_inside(words, t->sets, (uint64_t)t->classes * 8) ||
        !words_inside(words, t->pattern, (uint64_t)t->count * sizeof(bitslice_pattern) / 4))
        return false;
    const bitslice_pattern *patterns = (const bitslice_pattern *)(tables + t->pattern);
    for (uint32_t i = 0; i < t->count; i++)
        if (!pattern_check(facts, t, &patterns[i], tables, words))
            return false;
    return true;
}

const engine engine_bitslice = {
    .name = "bitslice",
    .about = "bit-sliced SHIFT-AND: many class patterns, of bounded length, 512 starts a step",
    .kind = WALK_BITSLICE,
    .takes = bitslice_takes,
    .refuses = bitslice_refuses,
    .cost = bitslice_cost,
    .build = bitslice_build,
    .check = bitslice_check,
    .fallback = &engine_shiftand,
};
