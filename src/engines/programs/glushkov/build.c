/* build.c: units and literals of position automata. The loop and the essay are in vector.c. */
#include "engines/programs/glushkov/layout.h"

#include <stdlib.h>
#include <string.h>

#include "engines/programs/glushkov/cut.h"
#include "engines/shared/costs.h"
#include "engines/shared/positions.h"

enum {
    MAX_SEQUENCE = 256, /* positions of a pattern that is no program */
    WORD = 64
};

/* A unit that is built, with its literals, and those that are to be packed into one word. */
typedef struct builder {
    const problem *problem;
    memory *memory;
    rarity *rarity;
    block *tables;
    block awake, sleeping; /* glushkov_unit[] */
    block literals;        /* known_literal[] */
    block quiets;          /* byte_class[] */
    block waits;           /* scratch of a unit: numbers of these, u32[] */
    graph packed;          /* small automata that never sleep */
    uint64_t words;        /* of state so far */
    double cost;           /* nanoseconds a byte */
    bool failed;
} builder;

/* A literal, and the sleeping unit that it wakes. */
typedef struct known_literal {
    cut_literal what;
    uint32_t unit;
} known_literal;

static const char *glushkov_refuses(const pattern_list *list)
{
    if (list->needles)
        return "it takes byte patterns, not grids: use bb or byr";
    for (size_t i = 0; i < list->count; i++)
        if (!pattern_is_program(&list->patterns[i]) &&
            position_count(&list->patterns[i]) > MAX_SEQUENCE)
            return "it takes no sequences of more than 256 positions: use shiftand";
    return NULL;
}

/* How many of the patterns from `first` on are one automaton. */
static size_t siblings(const pattern_list *list, size_t first)
{
    const bool is = pattern_is_program(&list->patterns[first]);
    const program *p = list->patterns[first].program;
    size_t count = 1;
    while (is && first + count < list->count && list->patterns[first + count].program == p)
        count++;
    return count;
}

/* ---- units ------------------------------------------------------------------------- */

static uint64_t *masks_at(const block *b, size_t offset)
{
    return (uint64_t *)(void *)(b->bytes + offset);
}

/* Split the bytes by the classes of a graph. */
static uint32_t graph_classes(const graph *g, uint8_t map[256], uint8_t sample[256])
{
    uint32_t count = 1;
    memset(map, 0, 256);
    for (uint32_t p = 0; p < g->count; p++)
        count = split_classes(&g->sets[p], map, count);
    for (unsigned b = 0; b < 256; b++)
        sample[map[b]] = (uint8_t)b;
    return count;
}

static bool is_exception(const graph *g, uint32_t p)
{
    for (uint32_t l = g->first[p]; l < g->first[p + 1]; l++)
        if (g->links[l] < p || g->links[l] > p + 2)
            return true;
    return false;
}

/* Fill the masks of the words; returns how many exceptions there are. */
static uint32_t fill_words(const graph *g, glushkov_word *words, uint32_t count)
{
    uint32_t exceptions = 0;
    for (uint32_t p = 0; p < g->count; p++) {
        glushkov_word *w = &words[p / WORD];
        const uint64_t bit = (uint64_t)1 << (p % WORD);
        w->init |= g->begins[p] & GRAPH_INIT ? bit : 0;
        w->opens |= g->begins[p] & GRAPH_OPENS ? bit : 0;
        const bool except = is_exception(g, p);
        w->except |= except ? bit : 0;
        exceptions += except;
        for (uint32_t l = g->first[p]; l < g->first[p + 1]; l++) {
            w->loop |= g->links[l] == p ? bit : 0;
            if (g->links[l] == p + 1)
                words[(p + 1) / WORD].shift |= (uint64_t)1 << ((p + 1) % WORD);
            if (g->links[l] == p + 2)
                words[(p + 2) / WORD].skip |= (uint64_t)1 << ((p + 2) % WORD);
        }
    }
    for (size_t i = 0; i < g->end_count; i++)
        words[g->ends[i].position / WORD].last |= (uint64_t)1 << (g->ends[i].position % WORD);
    for (uint32_t w = 1; w < count; w++) {
        words[w].rank = words[w - 1].rank;
        for (uint64_t bits = words[w - 1].except; bits; bits &= bits - 1)
            words[w].rank++;
    }
    return exceptions;
}

static void append_follow(builder *b, const graph *g, glushkov_unit *u)
{
    const size_t at = block_append(b->tables, NULL, (size_t)u->exceptions * u->words * 8, 8);
    u->follow = (uint32_t)(at / 4);
    if (b->tables->failed)
        return;
    uint64_t *row = masks_at(b->tables, at);
    for (uint32_t p = 0; p < g->count; p++) {
        if (!is_exception(g, p))
            continue;
        for (uint32_t l = g->first[p]; l < g->first[p + 1]; l++)
            if (g->links[l] < p || g->links[l] > p + 2)
                set_bit(row, g->links[l]);
        row += u->words;
    }
}

static int compare_ends(const void *left, const void *right)
{
    const graph_end *a = left, *b = right;
    return (a->pattern > b->pattern) - (a->pattern < b->pattern);
}

static void append_ends(builder *b, graph *g, glushkov_unit *u)
{
    const size_t each = 1 + u->words;
    qsort(g->ends, g->end_count, sizeof *g->ends, compare_ends);
    for (size_t i = 0; i < g->end_count; i++)
        u->end_count += i == 0 || g->ends[i].pattern != g->ends[i - 1].pattern;
    const size_t at = block_append(b->tables, NULL, u->end_count * each * 8, 8);
    u->ends = (uint32_t)(at / 4);
    if (b->tables->failed)
        return;
    uint64_t *row = masks_at(b->tables, at);
    for (size_t i = 0; i < g->end_count; i++) {
        row += i > 0 && g->ends[i].pattern != g->ends[i - 1].pattern ? each : 0;
        row[0] = g->ends[i].pattern | (u->pack ? (uint64_t)(g->ends[i].position / WORD) << 32 : 0);
        set_bit(row + 1, g->ends[i].position);
    }
}

/* The number of a class that units wait in; GLUSHKOV_QUIETS: there are too many. */
static uint32_t quiet_number(builder *b, const byte_class *set)
{
    const byte_class *all = (const void *)b->quiets.bytes;
    const uint32_t count = (uint32_t)(b->quiets.size / sizeof *all);
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(&all[i], set, sizeof *set) == 0)
            return i;
    if (count < GLUSHKOV_QUIETS)
        block_append(&b->quiets, set, sizeof *set, 8);
    return count;
}

/* Add the classes that a unit waits in, in b->waits. False: there are too many in all. */
static bool add_waits(builder *b, const graph *g, const uint8_t *waits)
{
    b->waits.size = 0;
    for (uint32_t p = 0; p < g->count; p++) {
        const uint32_t number = waits[p] ? quiet_number(b, &g->sets[p]) : 0;
        if (number == GLUSHKOV_QUIETS)
            return false;
        if (waits[p])
            block_append(&b->waits, &number, sizeof number, 4);
    }
    return true;
}

/* The positions that a quiet unit waits in. */
static void fill_waits(const graph *g, const uint8_t *waits, glushkov_word *words, uint32_t count)
{
    for (uint32_t p = 0; p < g->count; p++)
        words[p / WORD].waits |= (uint64_t)(waits[p] != 0) << (p % WORD);
    for (uint32_t w = 1; w < count; w++) {
        words[w].waited = words[w - 1].waited;
        for (uint64_t bits = words[w - 1].waits; bits; bits &= bits - 1)
            words[w].waited++;
    }
}

/* Append the tables of a unit. `waits`: the positions that it waits in, whose classes are in
 * b->waits; or NULL. */
static void append_unit(builder *b, graph *g, uint32_t back, const uint8_t *waits, bool pack)
{
    uint8_t map[256], sample[256];
    glushkov_unit u = { .word = (uint32_t)b->words, .words = (g->count + WORD - 1) / WORD };
    u.back = back;
    u.pack = pack;
    u.quiet_count = waits ? (uint32_t)(b->waits.size / sizeof(uint32_t)) : 0;
    u.quiet = block_words(b->tables, b->waits.bytes, u.quiet_count);
    u.classes = graph_classes(g, map, sample);
    u.map = (uint32_t)(block_append(b->tables, map, sizeof map, 8) / 4);
    const size_t rows = block_append(b->tables, NULL, (size_t)u.classes * u.words * 8, 8);
    const size_t masks = block_append(b->tables, NULL, u.words * sizeof(glushkov_word), 8);
    u.rows = (uint32_t)(rows / 4);
    u.masks = (uint32_t)(masks / 4);
    if (b->tables->failed)
        return;
    for (uint32_t c = 0; c < u.classes; c++)
        for (uint32_t p = 0; p < g->count; p++)
            if (class_has(&g->sets[p], sample[c]))
                set_bit(masks_at(b->tables, rows) + (size_t)c * u.words, p);
    glushkov_word *words = (glushkov_word *)(void *)(b->tables->bytes + masks);
    u.exceptions = fill_words(g, words, u.words);
    if (waits)
        fill_waits(g, waits, words, u.words);
    for (uint32_t p = 0; p < g->count; p++)
        u.opens |= g->begins[p] & GRAPH_OPENS ? 1 : 0;
    append_follow(b, g, &u);
    append_ends(b, g, &u);
    b->words += u.words;
    block_append(back ? &b->sleeping : &b->awake, &u, sizeof u, 4);
}

/* ---- what sleeps --------------------------------------------------------------------- */

/* What a byte costs a unit that runs alone, and one that does not sleep: those of one word are
 * packed, so each costs its share of a pack. */
static double alone_cost(const graph *g)
{
    uint32_t exceptions = 0;
    for (uint32_t p = 0; p < g->count; p++)
        exceptions += is_exception(g, p);
    return COST_GLUSHKOV_WORD * (double)((g->count + WORD - 1) / WORD) +
           (exceptions ? COST_GLUSHKOV_EXCEPTION : 0);
}

static double awake_cost(const builder *b, const graph *g)
{
    if (g->count > WORD)
        return alone_cost(g);
    return cost_of_vector(COST_GLUSHKOV_PACKED * g->count / WORD, &b->problem->target);
}

/* Note the literals of a cut for the next sleeping unit. */
static void add_literals(builder *b, const cut *found)
{
    const uint32_t unit = (uint32_t)(b->sleeping.size / sizeof(glushkov_unit));
    const cut_literal *all = (const void *)found->literals.bytes;
    for (size_t i = 0; i < found->literals.size / sizeof *all; i++) {
        const known_literal known = { all[i], unit };
        block_append(&b->literals, &known, sizeof known, 4);
    }
}

static void flush_packed(builder *b)
{
    const bool pack = b->packed.count > WORD;
    if (pack)
        graph_pad(&b->packed, GLUSHKOV_PACK * WORD);
    b->failed |= b->packed.failed;
    if (b->packed.count && !b->failed)
        append_unit(b, &b->packed, 0, NULL, pack);
    graph_free(&b->packed);
}

/* No unit lies in two words of a pack. */
static void add_awake(builder *b, graph *g)
{
    const uint32_t used = b->packed.count % WORD;
    b->cost += awake_cost(b, g);
    if (g->count > WORD) {
        append_unit(b, g, 0, NULL, false);
        return;
    }
    if (used + g->count > WORD)
        graph_pad(&b->packed, b->packed.count - used + WORD);
    if (b->packed.count + g->count > GLUSHKOV_PACK * WORD)
        flush_packed(b);
    graph_add(&b->packed, g);
}

static void add_unit(builder *b, size_t first, size_t count)
{
    graph g;
    cut found = { .back = 0 };
    graph_make(b->memory, b->problem->list, first, count, &g);
    b->failed |= g.failed;
    if (!b->failed) {
        const double hit = COST_GLUSHKOV_WAKE + COST_GLUSHKOV_RUN * alone_cost(&g);
        cut_find(&g, b->rarity, hit, awake_cost(b, &g), &found);
        b->cost += found.back ? found.rate * hit : 0;
        b->failed |= found.literals.failed;
    }
    uint8_t *waits = found.waits ? memory_take_zeroed(b->memory, g.count, 1) : NULL;
    b->failed |= found.waits && !waits;
    if (waits)
        cut_waits(&g, waits);
    if (!b->failed && found.back && (!waits || add_waits(b, &g, waits))) {
        add_literals(b, &found);
        append_unit(b, &g, found.back, waits, false);
    } else if (!b->failed) {
        add_awake(b, &g);
    }
    memory_give(b->memory, waits);
    block_free(&found.literals);
    graph_free(&g);
}

/* ---- the filter ---------------------------------------------------------------------- */

static int compare_literals(const void *left, const void *right)
{
    const known_literal *a = left, *b = right;
    const wake_literal *l = &a->what.literal, *r = &b->what.literal;
    if (l->length != r->length)
        return l->length < r->length ? 1 : -1; /* long ones first, as lists have */
    const int order = memcmp(l, r, sizeof *l);
    if (order != 0)
        return order;
    return a->unit != b->unit ? (a->unit > b->unit ? 1 : -1) : a->what.goes_on - b->what.goes_on;
}

/* The engine whose walk finds the literals soonest. */
static const engine *choose_filter(const problem *p, const pattern_list *list, uint32_t *choice,
                                   double *cost)
{
    static const engine *const all[] = { &engine_packed, &engine_teddy, &engine_qgrams,
                                         &engine_ac };
    const engine *best = NULL;
    problem of = *p;
    of.list = list;
    of.behind = true;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t chosen = 0;
        of.choice = &chosen;
        if (all[i]->refuses(list))
            continue;
        const double its = all[i]->cost(&of);
        if (best && its >= *cost)
            continue;
        best = all[i];
        *cost = its;
        *choice = chosen;
    }
    return best;
}

/* The distinct literals as a list of patterns, which keeps pointers into them. */
static bool list_literals(builder *b, glushkov_tables *t, pattern_list *list, uint32_t *heads,
                          uint32_t *members)
{
    const size_t count = b->literals.size / sizeof(known_literal);
    known_literal *all = (void *)b->literals.bytes;
    pattern *patterns = memory_take_zeroed(b->memory, count, sizeof *patterns);
    *list = (pattern_list){ .memory = b->memory, .opening = -1, .patterns = patterns };
    if (!patterns)
        return false;
    for (size_t i = 0; i < count; i++) {
        wake_literal *l = &all[i].what.literal;
        const bool again = i > 0 && memcmp(l, &all[i - 1].what.literal, sizeof *l) == 0;
        if (!again) {
            heads[list->count] = t->member_count;
            patterns[list->count] = (pattern){ .id = (uint32_t)list->count,
                                               .order = (uint32_t)list->count,
                                               .flags = l->folded ? TRAWL_NOCASE : 0,
                                               .literal = true,
                                               .bytes = l->bytes,
                                               .length = l->length,
                                               .min_length = l->length,
                                               .max_length = l->length };
            list->count++;
        }
        if (!again || all[i].unit != all[i - 1].unit)
            members[t->member_count++] = all[i].unit | (all[i].what.goes_on ? GLUSHKOV_GOES_ON : 0);
    }
    list->given = list->count;
    heads[list->count] = t->member_count;
    t->literals = (uint32_t)list->count;
    t->longest = all[0].what.literal.length;
    t->shortest = all[count - 1].what.literal.length;
    return true;
}

/* `tables`: where they go; NULL: only the cost is wanted. */
static void add_filter(builder *b, glushkov_tables *t, block *tables)
{
    const size_t count = b->literals.size / sizeof(known_literal);
    pattern_list list;
    uint32_t *heads = memory_take_array(b->memory, 2 * count + 1, sizeof *heads), choice = 0;
    if (heads && count)
        qsort(b->literals.bytes, count, sizeof(known_literal), compare_literals);
    if (!heads || !list_literals(b, t, &list, heads, heads + count + 1)) {
        b->failed = true;
        memory_give(b->memory, heads);
        return;
    }
    double cost = 0;
    const engine *e = choose_filter(b->problem, &list, &choice, &cost);
    b->cost += cost;
    if (tables && e) {
        problem of = *b->problem;
        stage_draft stage = { .kind = e->kind, .tables = { .memory = b->memory } };
        of.list = &list;
        of.choice = &choice;
        of.behind = true;
        e->build(&of, &stage);
        b->failed |= stage.tables.failed || stage.state_words > GLUSHKOV_STATE;
        t->kind = e->kind;
        t->filter_state = (uint32_t)stage.state_words;
        t->filter_words = (uint32_t)(stage.tables.size / 4);
        t->filter =
            (uint32_t)(block_append(tables, stage.tables.bytes, t->filter_words * 4, 64) / 4);
        block_free(&stage.tables);
        t->heads = block_words(tables, heads, t->literals + 1);
        t->members = block_words(tables, heads + count + 1, t->member_count);
    }
    memory_give(b->memory, list.patterns);
    memory_give(b->memory, heads);
}

/* ---- the whole ------------------------------------------------------------------------- */

static void builder_open(builder *b, const problem *p, block *tables)
{
    memory *m = p->memory;
    *b = (builder){ .problem = p, .memory = m, .tables = tables };
    b->awake.memory = b->sleeping.memory = b->literals.memory = b->quiets.memory = b->waits.memory =
        m;
    b->packed.memory = m;
    b->rarity = rarity_of(p);
    b->failed = !b->rarity;
}

static void builder_close(builder *b)
{
    block_free(&b->awake);
    block_free(&b->sleeping);
    block_free(&b->literals);
    block_free(&b->quiets);
    block_free(&b->waits);
    graph_free(&b->packed);
    memory_give(b->memory, b->rarity);
}

static void add_units(builder *b)
{
    const pattern_list *list = b->problem->list;
    for (size_t i = 0, count; i < list->count && !b->failed; i += count) {
        count = siblings(list, i);
        add_unit(b, i, count);
    }
    flush_packed(b);
    b->failed |= b->awake.failed || b->sleeping.failed || b->literals.failed || b->quiets.failed ||
                 b->waits.failed;
}

static double glushkov_cost(const problem *p)
{
    block scratch = { .memory = p->memory };
    glushkov_tables t = { .units = 0 };
    builder b;
    /* Other sets have engines with kernels: any device may get their plan. */
    if (!pattern_list_has_programs(p->list) || p->target.gpu)
        return COST_IMPOSSIBLE;
    builder_open(&b, p, &scratch);
    if (!b.failed)
        add_units(&b);
    if (!b.failed && b.literals.size)
        add_filter(&b, &t, NULL);
    const double cost = b.failed ? COST_IMPOSSIBLE / 2 : b.cost;
    builder_close(&b);
    block_free(&scratch);
    return cost;
}

/* plan_stage.masks: what follows itself on every byte stays for ever; all is news. */
static void append_masks(const glushkov_tables *t, stage_draft *out)
{
    block *b = &out->tables;
    out->masks = block_append(b, NULL, (size_t)out->state_words * 16, 8);
    if (b->failed)
        return;
    const glushkov_unit *units = (const void *)(b->bytes + (size_t)t->units * 4);
    uint64_t *masks = masks_at(b, out->masks);
    for (uint32_t i = 0; i < t->unit_count; i++) {
        const glushkov_unit *u = &units[i];
        const uint64_t *rows = masks_at(b, (size_t)u->rows * 4);
        const glushkov_word *words = (const void *)(b->bytes + (size_t)u->masks * 4);
        for (uint32_t w = 0; w < u->words; w++) {
            uint64_t all = words[w].loop;
            for (uint32_t c = 0; c < u->classes; c++)
                all &= rows[(size_t)c * u->words + w];
            masks[u->word + w] = all;
            masks[t->words + u->word + w] = UINT64_MAX;
        }
    }
}

/* The classes as the loop reads them; returns where they are, in words. */
static uint32_t append_quiets(builder *b)
{
    const byte_class *all = (const void *)b->quiets.bytes;
    const size_t count = b->quiets.size / sizeof *all;
    const uint32_t at = block_words(b->tables, NULL, count * 8);
    uint32_t *words = (uint32_t *)(void *)(b->tables->bytes + (size_t)at * 4);
    for (size_t i = 0; !b->tables->failed && i < count * 8; i++)
        words[i] = (uint32_t)(all[i / 8].bits[i % 8 / 2] >> (32 * (i % 2)));
    return at;
}

static void glushkov_build(const problem *p, stage_draft *out)
{
    block *tables = &out->tables;
    glushkov_tables t = { .units = 0 };
    builder b;
    builder_open(&b, p, tables);
    block_append(tables, &t, sizeof t, 8);
    if (!b.failed)
        add_units(&b);
    if (!b.failed && b.literals.size)
        add_filter(&b, &t, tables);
    tables->failed |= b.failed || p->memory->failure || b.words > UINT32_MAX / WORD;
    if (!tables->failed) {
        t.awake = (uint32_t)(b.awake.size / sizeof(glushkov_unit));
        t.unit_count = t.awake + (uint32_t)(b.sleeping.size / sizeof(glushkov_unit));
        t.words = (uint32_t)b.words;
        t.units = (uint32_t)(block_append(tables, b.awake.bytes, b.awake.size, 8) / 4);
        block_append(tables, b.sleeping.bytes, b.sleeping.size, 4);
        t.quiet_count = (uint32_t)(b.quiets.size / sizeof(byte_class));
        t.quiets = append_quiets(&b);
    }
    out->carries = needs_carry(p->list);
    out->state_words = b.words;
    if (out->carries && !tables->failed)
        append_masks(&t, out);
    if (!tables->failed)
        memcpy(tables->bytes, &t, sizeof t);
    builder_close(&b);
}

/* ---- checking -------------------------------------------------------------------------- */

static bool unit_valid(const uint32_t *tables, size_t words, const glushkov_unit *u,
                       uint32_t patterns)
{
    const uint64_t each = u->words;
    const glushkov_word *w;
    if (u->words < 1 || u->words > ENGINE_MAX_STATE || u->classes < 1 || u->classes > 256 ||
        u->opens > 1 || u->pack > 1 || (u->pack && u->words != GLUSHKOV_PACK) || u->rows % 2 ||
        u->masks % 2 || u->follow % 2 || u->ends % 2 || !words_inside(words, u->map, 64) ||
        !words_inside(words, u->rows, u->classes * each * 2) ||
        !words_inside(words, u->masks, each * (sizeof *w / 4)) || u->exceptions > each * WORD ||
        !words_inside(words, u->follow, u->exceptions * each * 2) || u->end_count > patterns ||
        !words_inside(words, u->ends, u->end_count * (each + 1) * 2))
        return false;
    const uint8_t *map = (const uint8_t *)(tables + u->map);
    for (int b = 0; b < 256; b++)
        if (map[b] >= u->classes)
            return false;
    w = (const void *)(tables + u->masks);
    uint64_t rank = 0, waited = 0;
    for (uint32_t i = 0; i < u->words; i++) {
        if (w[i].rank != rank || w[i].waited != waited)
            return false;
        for (uint64_t bits = w[i].waits; bits; bits &= bits - 1)
            waited++;
        for (uint64_t bits = w[i].except; bits; bits &= bits - 1)
            rank++;
    }
    const uint64_t *ends = (const void *)(tables + u->ends);
    for (uint32_t i = 0; i < u->end_count; i++)
        if ((uint32_t)ends[i * (each + 1)] >= patterns || ends[i * (each + 1)] >> 32 >= each)
            return false;
    return rank == u->exceptions && waited == u->quiet_count;
}

static bool filter_valid(const stage_facts *facts, const glushkov_tables *t, const uint32_t *tables,
                         size_t words)
{
    const stage_facts own = { .pattern_count = t->literals,
                              .min_length = t->shortest,
                              .max_length = t->longest,
                              .state_words = t->filter_state,
                              .memory = facts->memory };
    const bool known = t->kind == WALK_PACKED || t->kind == WALK_TEDDY || t->kind == WALK_QGRAMS ||
                       t->kind == WALK_AC;
    if (!known || t->filter % 16 || t->filter_state > GLUSHKOV_STATE || t->shortest < 1 ||
        t->shortest > t->longest || t->longest > GLUSHKOV_LITERAL ||
        !words_inside(words, t->filter, t->filter_words) ||
        !words_inside(words, t->heads, (uint64_t)t->literals + 1) ||
        !words_inside(words, t->members, t->member_count) ||
        !engine_of_kind(t->kind)->check(&own, tables + t->filter, t->filter_words))
        return false;
    const uint32_t *heads = tables + t->heads;
    if (heads[0] != 0 || heads[t->literals] != t->member_count)
        return false;
    for (uint32_t i = 0; i < t->literals; i++)
        if (heads[i] > heads[i + 1])
            return false;
    for (uint32_t i = 0; i < t->member_count; i++)
        if ((tables[t->members + i] & ~GLUSHKOV_GOES_ON) >= t->unit_count - t->awake)
            return false;
    return true;
}

/* After unit_valid, which looks at the words. */
static bool waits_valid(const glushkov_tables *t, const uint32_t *tables, size_t words,
                        const glushkov_unit *u)
{
    if (!words_inside(words, u->quiet, u->quiet_count))
        return false;
    for (uint32_t i = 0; i < u->quiet_count; i++)
        if (tables[u->quiet + i] >= t->quiet_count)
            return false;
    return true;
}

static bool glushkov_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const glushkov_tables *t = (const glushkov_tables *)(const void *)tables;
    if (words < sizeof *t / 4 || t->unit_count < 1 || t->awake > t->unit_count || t->units % 2 ||
        t->words != facts->state_words || t->quiet_count > GLUSHKOV_QUIETS ||
        !words_inside(words, t->quiets, (uint64_t)t->quiet_count * 8) ||
        !words_inside(words, t->units, (uint64_t)t->unit_count * (sizeof(glushkov_unit) / 4)))
        return false;
    const glushkov_unit *units = (const void *)(tables + t->units);
    uint64_t state = 0;
    for (uint32_t i = 0; i < t->unit_count; i++) {
        const bool sleeps = i >= t->awake;
        if (units[i].word > t->words || units[i].words > t->words - units[i].word ||
            (units[i].back > 0) != sleeps || !waits_valid(t, tables, words, &units[i]) ||
            !unit_valid(tables, words, &units[i], facts->pattern_count) ||
            !waits_valid(t, tables, words, &units[i]))
            return false;
        state += units[i].words;
    }
    return state == t->words && (!t->literals || filter_valid(facts, t, tables, words)) &&
           (facts->carries || facts->max_length != LENGTH_UNBOUNDED);
}

const engine engine_glushkov = {
    .name = "glushkov",
    .about = "position automata with groups and alternatives, woken by rare literals",
    .kind = WALK_GLUSHKOV,
    .programs = true,
    .refuses = glushkov_refuses,
    .cost = glushkov_cost,
    .build = glushkov_build,
    .check = glushkov_check,
};
