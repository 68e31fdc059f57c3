/* build.c: patterns found by rare factors. The loop and the essay are in cpu.c, the
 * choice of factors in draft.c.
 */
#include "engines/classes/factors/layout.h"

#include <string.h>

#include "engines/classes/factors/draft.h"
#include "engines/classes/factors/pieces.h"
#include "engines/classes/shiftand/layout.h"
#include "engines/shared/costs.h"
#include "engines/shared/engine.h"
#include "engines/shared/positions.h"

enum { SOME_PATTERNS = 500, SOME_UNBOUNDED = 5000 }; /* that a cost is told from */
enum { MIN_LOG = 10, MAX_LOG = 20, SPARSE = 32 };    /* of a bitmap; bits for each gram */
#define MAX_LENGTH (1u << 20)                        /* of a match */
#define MAX_STATE_WORDS (1u << 20)                   /* of all rings */
#define MAX_BEHIND (256u * 64)       /* positions for which shiftand stands after it, */
#define MAX_UNITS_BEHIND (576u * 64) /* and after units: more are worth MAX_ON_DEVICES */
#define MAX_POSITIONS (1u << 22)     /* of sets with an unbounded repeat: half a gigabyte */
#define AWAKE 0.02 /* how often a unit is awake, of all bytes, besides what its grams say */
#define MAX_ON_DEVICES                                                                             \
    360.0                /* nanoseconds a byte by shiftand: more, and only factors is worth it */
#define RARE_ENOUGH 0.02 /* grams of a pattern that are met, for each byte of text, */
#define RARE_ENOUGH_ON_GPU 0.0005  /* and there, where bitslice takes a pattern in 0.00005 ns */
#define GPU_BITS (double)(1 << 20) /* of the bitmap there */

/* ---- what it takes ------------------------------------------------------------------- */

/* Words of state for a pattern's jumps, at least; 0 when it is not taken. */
static uint64_t jump_words(const pattern *p, const char **refusal)
{
    steps s = { .of = p };
    uint64_t words = 1;
    bool cells = false;
    for (step next = steps_next(&s); next.kind != STEP_END; next = steps_next(&s)) {
        cells = cells || next.kind == STEP_CELLS;
        if (next.kind != STEP_JUMP)
            continue;
        if (!cells)
            *refusal = "two long repeats stand side by side: use shiftand";
        words += next.high / 64 + 4;
        cells = false;
    }
    if (!cells && s.slack)
        *refusal = "nothing but repeats stands behind a long one: use shiftand";
    return words;
}

static bool is_unbounded(const pattern_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->patterns[i].max_length == LENGTH_UNBOUNDED)
            return true;
    return false;
}

static const char *refuses_units(const pattern_list *list)
{
    size_t positions = 0;
    for (size_t i = 0; i < list->count && positions <= MAX_POSITIONS; i++)
        positions += position_count(&list->patterns[i]);
    return positions > MAX_POSITIONS
               ? "a repeat is unbounded, and there are too many patterns beside it: use shiftand"
               : NULL;
}

static const char *factors_refuses(const pattern_list *list)
{
    const char *refusal = NULL;
    uint64_t words = 0;
    if (list->needles)
        return "it takes byte patterns, not grids: use bb or byr";
    if (is_unbounded(list))
        return refuses_units(list);
    for (size_t i = 0; i < list->count && !refusal; i++) {
        const pattern *p = &list->patterns[i];
        if (p->max_length > MAX_LENGTH)
            return "a pattern is longer than 1 MiB: use ac, or shiftand";
        if (!p->literal)
            words += jump_words(p, &refusal);
        if (words > MAX_STATE_WORDS)
            return "the long repeats are too many: compile fewer patterns at once";
    }
    return refusal;
}

/* The state of units is shiftand's. Rings are no state that shiftand could go on from: where it
 * would carry one it is none. */
static const engine *factors_fallback_of(const pattern_list *list)
{
    const bool units = is_unbounded(list);
    const size_t most = units ? MAX_UNITS_BEHIND : MAX_BEHIND;
    size_t positions = 0;
    for (size_t i = 0; i < list->count && positions <= most; i++)
        positions += position_count(&list->patterns[i]);
    return positions <= most && (units || !needs_carry(list)) ? &engine_shiftand : NULL;
}

/* ---- the draft ------------------------------------------------------------------------ */

/* Whether devices search the set. */
static bool is_near(const pattern_list *list, const factor_draft *d)
{
    return d->near && !is_unbounded(list) && d->sets.size / sizeof(byte_class) <= FACTORS_SETS;
}

/* What a stride costs on a device, with `times` times the patterns of the draft. */
static double stride_cost(const factor_draft *d, uint32_t s, double times)
{
    const double met = (s ? d->window_rate[s] : d->q_rate[d->q - 1]) * times;
    const double passes = met + d->window_grams[s] * times / GPU_BITS;
    return COST_GPU_QGRAMS_BYTE +
           (COST_GPU_QGRAMS_PROBE + COST_GPU_QGRAMS_LOOK_UP * passes + COST_GPU_FACTORS_MET * met) /
               (double)(1u << s);
}

/* The cheapest one. */
static uint32_t best_stride(const factor_draft *d, double times)
{
    uint32_t best = 0;
    for (uint32_t s = 1; s < DRAFT_STRIDES; s++)
        if (d->strided && d->windowed[s] && stride_cost(d, s, times) < stride_cost(d, best, times))
            best = s;
    return best;
}

/* Draft every `step`-th pattern. `works` is as in the draft. False: no memory. `d` must be closed
 * in either case.
 */
static bool make_draft(const problem *p, size_t step, bool works, factor_draft *d)
{
    rarity *r = rarity_of(p);
    const bool units = is_unbounded(p->list);
    draft_open(d, p->memory, r, p->target.gpu);
    d->works = works;
    for (size_t i = 0; r && i < p->list->count; i += step)
        (units ? draft_add_first : draft_add)(d, &p->list->patterns[i], (uint32_t)i);
    memory_give(p->memory, r);
    return r && !draft_failed(d);
}

/* What units take: each gram wakes one, for as long as its piece may have begun before; and what is
 * seen of the text keeps some awake. Patterns stand in words as shiftand packs them. */
static double unit_cost(const problem *p, const factor_draft *d)
{
    const factors_piece *pieces = (const void *)d->pieces.bytes;
    const draft_met *met = (const void *)d->met.bytes;
    size_t bits = 0;
    double cost = 0, awake = AWAKE; /* of the word that is filled */
    for (size_t i = 0; i < d->pieces.size / sizeof *pieces; i++) {
        const size_t positions = position_count(&p->list->patterns[pieces[i].pattern]);
        const double often = met[i].rate * (pieces[i].back + 1 + met[i].goes_on);
        cost += COST_FACTORS_WAKE * met[i].rate;
        if (positions > 64) {
            cost += (AWAKE + (often < 1 ? often : 1)) * COST_SHIFTAND_CHAINED *
                    (double)((positions + 63) / 64);
            continue;
        }
        if (bits + positions > 64) {
            cost += COST_SHIFTAND_CHAINED * awake;
            bits = 0;
            awake = AWAKE;
        }
        bits += positions;
        awake = awake + often < 1 ? awake + often : 1;
    }
    return cost + COST_SHIFTAND_CHAINED * (bits ? awake : 0);
}

/* What shiftand would take for the class patterns, in nanoseconds a byte. */
static double class_cost(const pattern_list *list)
{
    double cost = 0;
    for (size_t i = 0; i < list->count; i++) {
        const double words =
            list->patterns[i].literal ? 0 : (double)position_count(&list->patterns[i]) / 64;
        cost += words * (words > 1 ? COST_SHIFTAND_CHAINED : COST_SHIFTAND_PACKED);
    }
    return cost;
}

/* What is not near has its fallback on devices. A part for a CPU that has none is not run there, so
 * it must be worth that. */
static double factors_cost(const problem *p)
{
    factor_draft d;
    double cost = COST_IMPOSSIBLE;
    bool literals = true; /* which have engines of their own */
    for (size_t i = 0; i < p->list->count; i++)
        literals = literals && p->list->patterns[i].literal;
    if (literals || (p->target.gpu && is_unbounded(p->list)))
        return cost;
    if (!p->target.gpu && !factors_fallback_of(p->list) && class_cost(p->list) < MAX_ON_DEVICES)
        return cost;
    const bool units = is_unbounded(p->list);
    const size_t step = p->list->count / (units ? SOME_UNBOUNDED : SOME_PATTERNS) + 1;
    const double times = (double)step;
    if (make_draft(p, step, !p->target.gpu, &d) && p->target.gpu) {
        if (is_near(p->list, &d))
            cost = stride_cost(&d, best_stride(&d, times), times);
    } else if (!draft_failed(&d)) {
        const double met = d.rate * times;
        cost = COST_FACTORS_BYTE + COST_FACTORS_PLACE * (met < 1 ? met : 1);
        for (uint32_t i = 0; i + 1 < FACTORS_GRAM; i++)
            cost += d.grams[i].size ? COST_FACTORS_LEVEL : 0;
        cost += (units ? unit_cost(p, &d) : COST_FACTORS_ENTRY * d.rate + d.work) * times;
    }
    draft_close(&d);
    return cost;
}

/* On devices one pattern with a shorter gram would shorten those of all. */
static void factors_mark(const problem *p, uint8_t *kinds, uint8_t from, uint8_t to,
                         uint8_t unbounded)
{
    factor_draft d;
    rarity *r = rarity_of(p);
    const bool gpu = p->target.gpu;
    draft_open(&d, p->memory, r, false);
    for (size_t i = 0; r && i < p->list->count; i++) {
        const pattern_list one = { .count = 1, .patterns = &p->list->patterns[i] };
        if (kinds[i] != from || factors_refuses(&one) || (gpu && is_unbounded(&one)))
            continue;
        d.rate = 0;
        (is_unbounded(&one) ? draft_add_first : draft_add)(&d, one.patterns, 0);
        if (d.rate < (gpu ? RARE_ENOUGH_ON_GPU : RARE_ENOUGH) &&
            (!gpu || (is_near(&one, &d) && d.q == FACTORS_GRAM)) && !draft_failed(&d))
            kinds[i] = is_unbounded(&one) ? unbounded : to;
        draft_clear(&d);
    }
    memory_give(p->memory, r);
    draft_close(&d);
}

/* ---- tables ---------------------------------------------------------------------------- */

/* The least number of bits to write `n` places with. */
static uint32_t log_of(uint64_t n)
{
    uint32_t log = 0;
    while (((uint64_t)1 << log) < n)
        log++;
    return log;
}

static uint32_t clamp(uint32_t log)
{
    return log < MIN_LOG ? MIN_LOG : log > MAX_LOG ? MAX_LOG : log;
}

/* Bitmap and buckets of the grams of one length; these go to `entries` from `first` on. */
static void build_level(block *b, const block *grams, factors_level *level, factors_entry *entries,
                        uint32_t first)
{
    const factors_entry *from = (const void *)grams->bytes;
    const uint32_t count = (uint32_t)(grams->size / sizeof *from);
    const uint32_t log = clamp(log_of((uint64_t)count * SPARSE)), buckets = clamp(log_of(count));
    memset(level, 0, sizeof *level);
    if (count == 0)
        return;
    level->shift = 32 - log;
    level->less = log - (buckets < log ? buckets : log);
    level->bits = block_words(b, NULL, (size_t)1 << (log - 5));
    level->heads = block_words(b, NULL, ((size_t)1 << (log - level->less)) + 1);
    if (b->failed)
        return;
    uint32_t *bits = (uint32_t *)(void *)b->bytes + level->bits;
    uint32_t *heads = (uint32_t *)(void *)b->bytes + level->heads;
    const uint32_t all = 1u << (log - level->less);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t hash = factors_hash(from[i].gram, level->shift);
        bits[hash / 32] |= 1u << (hash % 32);
        heads[hash >> level->less]++;
    }
    uint32_t sum = first; /* heads become the ends of buckets, then, filled from the end, begins */
    for (uint32_t i = 0; i < all; i++)
        heads[i] = sum += heads[i];
    heads[all] = sum;
    for (uint32_t i = count; i-- > 0;)
        entries[--heads[factors_hash(from[i].gram, level->shift) >> level->less]] = from[i];
}

static uint32_t put(block *b, const block *from, size_t size, uint32_t *count)
{
    *count = (uint32_t)(from->size / size);
    if (from->size / size > UINT32_MAX)
        b->failed = true;
    return (uint32_t)(block_append(b, from->bytes, (from->size + 7) / 8 * 8, 64) / 4);
}

/* The masks of shiftand, word by word, and the rows of each unit. */
static void copy_words(const uint32_t *from, factors_unit *units, factors_tables *t, block *b)
{
    const shiftand_tables *a = (const void *)from;
    const uint64_t *move = (const void *)(from + a->move),
                   *repeat = (const void *)(from + a->repeat);
    const uint64_t *masks[] = { (const void *)(from + a->init), (const void *)(from + a->last),
                                (const void *)(from + a->ebeg), (const void *)(from + a->eend),
                                (const void *)(from + a->eblk) };
    t->classes = a->classes;
    t->map = (uint32_t)(block_append(b, from + a->map, 256, 8) / 4);
    t->owner = block_words(b, from + a->owner, (size_t)a->words * 64);
    t->words = (uint32_t)(block_append(b, NULL, (size_t)a->words * sizeof(factors_word), 64) / 4);
    for (uint32_t u = 0; u < t->unit_count; u++)
        units[u].rows = block_words(b, NULL, (size_t)a->classes * units[u].words * 4);
    if (b->failed)
        return;
    factors_word *words = (void *)((uint32_t *)(void *)b->bytes + t->words);
    for (uint32_t w = 0; w < a->words; w++)
        words[w] = (factors_word){ masks[0][w], masks[1][w], masks[2][w],
                                   masks[3][w], masks[4][w], { 0 } };
    for (uint32_t u = 0; u < t->unit_count; u++) {
        uint64_t *row = (void *)((uint32_t *)(void *)b->bytes + units[u].rows);
        for (uint32_t c = 0; c < a->classes; c++)
            for (uint32_t w = units[u].word; w < units[u].word + units[u].words; w++) {
                *row++ = move[(size_t)c * a->words + w];
                *row++ = repeat[(size_t)c * a->words + w];
            }
    }
}

/* The units, and these in place of pieces in the entries. */
static void build_units(const problem *p, const factor_draft *d, factors_entry *entries,
                        uint32_t count, factors_tables *t, stage_draft *out)
{
    block *b = &out->tables;
    stage_draft behind = { .tables = { .memory = p->memory } };
    uint32_t *of = memory_take_array(p->memory, p->list->count, sizeof *of);
    engine_shiftand.build(p, &behind);
    const uint32_t *tables = (const void *)behind.tables.bytes;
    const shiftand_tables *a = (const void *)tables;
    factors_unit *units = NULL;
    if (of && !behind.tables.failed)
        units = memory_take_zeroed(p->memory, a->words, sizeof *units);
    b->failed = b->failed || !units;
    if (!b->failed) {
        const uint64_t *link = (const void *)(tables + a->link);
        const uint64_t *last = (const void *)(tables + a->last);
        const factors_piece *pieces = (const void *)d->pieces.bytes;
        for (uint32_t w = 0; w < a->words; w++) {
            if (!link[w])
                units[t->unit_count++] = (factors_unit){ .word = w };
            units[t->unit_count - 1].words++;
            for (uint64_t bits = last[w]; bits; bits &= bits - 1)
                of[tables[a->owner + w * 64 + PORT_CTZ64(bits)]] = t->unit_count - 1;
        }
        for (uint32_t i = 0; i < count; i++)
            entries[i].piece = of[entries[i].piece];
        for (size_t i = 0; i < p->list->count; i++)
            if (units[of[i]].back < pieces[i].back)
                units[of[i]].back = pieces[i].back;
        copy_words(tables, units, t, b);
        t->units = block_words(b, units, (size_t)t->unit_count * 4);
        out->masks =
            block_append(b, behind.tables.bytes + behind.masks, (size_t)behind.state_words * 16, 8);
        out->state_words = behind.state_words;
        out->carries = behind.carries;
    }
    memory_give(p->memory, of);
    memory_give(p->memory, units);
    block_free(&behind.tables);
}

/* Where devices find each piece. */
static uint32_t build_windows(factor_draft *d)
{
    const uint32_t s = best_stride(d, 1);
    factors_piece *pieces = (void *)d->pieces.bytes;
    const draft_windows *windows = (const void *)d->windows.bytes;
    for (size_t i = 0; i < d->pieces.size / sizeof *pieces; i++)
        pieces[i].window = windows[i].at[s];
    return FACTORS_WINDOWS(s ? FACTORS_GRAM : d->q, 1u << s);
}

static void build_tables(factor_draft *d, factors_entry *entries, uint32_t count, const problem *p,
                         stage_draft *out)
{
    block *b = &out->tables;
    factors_tables t;
    memset(&t, 0, sizeof t);
    t.forward = (uint32_t)d->furthest;
    block_append(&d->bytes, NULL, 8, 8); /* so that its size is a multiple of 8 */
    block_words(b, NULL, sizeof t / 4);
    for (uint32_t i = 0, first = 0; i < FACTORS_GRAM; i++) {
        build_level(b, &d->grams[i], &t.level[i], entries, first);
        first += (uint32_t)(d->grams[i].size / sizeof *entries);
    }
    out->state_words = d->state_words;
    if (is_near(p->list, d))
        t.windows = build_windows(d);
    if (is_unbounded(p->list)) {
        build_units(p, d, entries, count, &t, out);
        d->pieces.size = d->atoms.size = d->checks.size = d->sets.size = d->bytes.size = 0;
    }
    t.entries = block_words(b, entries, (size_t)count * 2);
    t.entry_count = count;
    t.pieces = put(b, &d->pieces, sizeof(factors_piece), &t.piece_count);
    t.atoms = put(b, &d->atoms, sizeof(factors_atom), &t.atom_count);
    t.checks = put(b, &d->checks, sizeof(factors_check), &t.check_count);
    t.sets = put(b, &d->sets, sizeof(byte_class), &t.set_count);
    t.bytes = put(b, &d->bytes, 1, &t.byte_count);
    b->failed = b->failed || b->size / 4 > UINT32_MAX;
    if (!b->failed)
        memcpy(b->bytes, &t, sizeof t);
}

static void factors_build(const problem *p, stage_draft *out)
{
    factor_draft d;
    uint64_t count = 0;
    factors_entry *entries = NULL;
    const bool made = make_draft(p, 1, false, &d);
    for (uint32_t i = 0; i < FACTORS_GRAM; i++)
        count += d.grams[i].size / sizeof *entries;
    if (made && count <= UINT32_MAX && d.bytes.size < UINT32_MAX)
        entries = memory_take_array(p->memory, (size_t)count, sizeof *entries);
    if (entries)
        build_tables(&d, entries, (uint32_t)count, p, out);
    else
        out->tables.failed = true;
    memory_give(p->memory, entries);
    draft_close(&d);
}

/* ---- tables of a loaded plan -------------------------------------------------------------- */

static bool level_valid(const factors_tables *t, const factors_level *l, const uint32_t *tables,
                        size_t words)
{
    if (l->shift == 0)
        return true;
    if (l->shift > 32 - MIN_LOG || l->shift < 32 - MAX_LOG || l->less > 32 - l->shift)
        return false;
    const uint64_t buckets = (uint64_t)1 << (32 - l->shift - l->less);
    if (!words_inside(words, l->bits, ((uint64_t)1 << (32 - l->shift)) / 32) ||
        !words_inside(words, l->heads, buckets + 1))
        return false;
    const uint32_t *heads = tables + l->heads;
    for (uint64_t i = 0; i < buckets; i++)
        if (heads[i] > heads[i + 1])
            return false;
    return heads[buckets] <= t->entry_count;
}

static bool set_valid(const factors_tables *t, uint32_t set)
{
    return set == FACTORS_ANY || set < t->set_count;
}

static bool jump_valid(const factors_tables *t, const factors_jump *j)
{
    return set_valid(t, j->set) && j->low <= j->high && j->high <= MAX_LENGTH;
}

static bool atom_valid(const factors_tables *t, const factors_atom *a)
{
    if (a->length)
        return a->length <= MAX_LENGTH && words_inside(t->byte_count, a->bytes, 2ull * a->length) &&
               words_inside(t->check_count, a->check, a->checks);
    return set_valid(t, a->set) && a->low <= a->high && a->high <= MAX_LENGTH;
}

/* Its checks are inside its run, as they read the text there. */
static bool checks_valid(const factors_tables *t, const factors_check *checks,
                         const factors_atom *a)
{
    for (uint32_t i = 0; a->length && i < a->checks; i++)
        if (checks[a->check + i].at >= a->length || checks[a->check + i].set >= t->set_count)
            return false;
    return true;
}

/* Rings follow one another, and none is larger than matches ask for: else a small plan that was
 * forged takes much memory for its state. `words` of it have been seen. */
static bool ring_valid(const factors_piece *p, uint64_t *words)
{
    if (p->mask == 0)
        return true;
    const bool fits = p->mask >= 63 && p->mask < 16 * MAX_LENGTH &&
                      (p->mask & (p->mask + 1)) == 0 && p->ring == *words;
    *words += FACTORS_RING + (p->mask + 1) / 64;
    return fits;
}

/* `before`: the piece in front of it in the table, or NULL; `state`: words of it that rings have.
 */
static bool piece_valid(const factors_tables *t, const stage_facts *facts, const uint32_t *tables,
                        const factors_piece *p, const factors_piece *before, uint64_t *state)
{
    const factors_atom *atoms = (const void *)(tables + t->atoms);
    uint64_t varies = 0, length = 0;
    if (p->pattern >= facts->pattern_count || !words_inside(t->atom_count, p->atom, p->atoms) ||
        p->anchor >= p->atoms || !atoms[p->atom + p->anchor].length || !ring_valid(p, state))
        return false;
    for (uint32_t i = 0; i < p->atoms; i++) {
        const factors_atom *a = &atoms[p->atom + i];
        if (!atom_valid(t, a) || !checks_valid(t, (const void *)(tables + t->checks), a))
            return false;
        varies += a->length ? 0 : a->high - a->low;
        length += a->length ? a->length : a->high;
    }
    if (!(p->flags & FACTORS_FIRST) && (!before || !before->mask || !jump_valid(t, &p->before)))
        return false;
    if (!(p->flags & FACTORS_LAST) && !p->mask)
        return false;
    if (p->flags & FACTORS_TAIL && (!p->mask || !jump_valid(t, &p->behind)))
        return false;
    return varies <= FACTORS_SLACK && length <= UINT32_MAX / 4;
}

/* Whether atoms and window are what devices expect: a near piece, alone. */
static bool window_valid(const factors_tables *t, const uint32_t *tables, const factors_piece *p)
{
    const factors_atom *atoms = (const factors_atom *)(tables + t->atoms) + p->atom;
    const uint32_t atom = FACTORS_WINDOW_ATOM(p->window), byte = FACTORS_WINDOW_BYTE(p->window);
    uint64_t length = 0;
    for (uint32_t i = 0; i < p->atoms; i++)
        length += atoms[i].length ? atoms[i].length : atoms[i].high;
    return p->flags == (FACTORS_FIRST | FACTORS_LAST) && p->atoms <= 2 * FACTORS_NEAR &&
           length <= FACTORS_NEAR && atom < p->atoms &&
           words_inside(atoms[atom].length, byte,
                        FACTORS_Q(t->windows) + FACTORS_STRIDE(t->windows) - 1);
}

static bool windows_valid(const factors_tables *t, const uint32_t *tables)
{
    const uint32_t q = FACTORS_Q(t->windows), stride = FACTORS_STRIDE(t->windows);
    const factors_piece *pieces = (const void *)(tables + t->pieces);
    if (!t->windows)
        return true;
    if (t->unit_count || q < 1 || q > FACTORS_GRAM || (stride != 1 && stride != 2 && stride != 4) ||
        t->set_count > FACTORS_SETS)
        return false;
    for (uint32_t i = 0; i < t->piece_count; i++)
        if (!window_valid(t, tables, &pieces[i]))
            return false;
    return true;
}

static bool words_valid(const factors_tables *t, const stage_facts *facts, const uint32_t *tables,
                        size_t words)
{
    if (t->words % 16 || !words_inside(words, t->words, 16 * facts->state_words) ||
        !words_inside(words, t->map, 64) || t->classes < 1 || t->classes > 256 ||
        !words_inside(words, t->owner, 64 * facts->state_words))
        return false;
    const uint8_t *map = (const uint8_t *)(tables + t->map);
    for (int b = 0; b < 256; b++)
        if (map[b] >= t->classes)
            return false;
    for (uint64_t i = 0; i < 64 * facts->state_words; i++)
        if (tables[t->owner + i] >= facts->pattern_count)
            return false;
    return true;
}

static bool units_valid(const factors_tables *t, const stage_facts *facts, const uint32_t *tables,
                        size_t words)
{
    if (!facts->carries || t->units % 2 || !words_inside(words, t->units, 4ull * t->unit_count) ||
        !words_valid(t, facts, tables, words))
        return false;
    const factors_unit *units = (const void *)(tables + t->units);
    for (uint32_t i = 0; i < t->unit_count; i++)
        if (!words_inside(facts->state_words, units[i].word, units[i].words) || units[i].rows % 2 ||
            !words_inside(words, units[i].rows, 4ull * t->classes * units[i].words) ||
            units[i].back > 2 * MAX_LENGTH)
            return false;
    return true;
}

static bool factors_check_tables(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const factors_tables *t = (const factors_tables *)tables;
    if (words < sizeof *t / 4 || t->forward > 2 * MAX_LENGTH)
        return false;
    if (t->unit_count ? !units_valid(t, facts, tables, words)
                      : facts->carries || facts->max_length == LENGTH_UNBOUNDED ||
                            facts->max_length > MAX_LENGTH)
        return false;
    if ((t->entries | t->pieces | t->atoms | t->checks | t->sets | t->bytes) % 2 ||
        !words_inside(words, t->entries, 2ull * t->entry_count) ||
        !words_inside(words, t->pieces, 16ull * t->piece_count) ||
        !words_inside(words, t->atoms, 8ull * t->atom_count) ||
        !words_inside(words, t->checks, 2ull * t->check_count) ||
        !words_inside(words, t->sets, 8ull * t->set_count) ||
        !words_inside(words, t->bytes, ((uint64_t)t->byte_count + 3) / 4))
        return false;
    for (uint32_t i = 0; i < FACTORS_GRAM; i++)
        if (!level_valid(t, &t->level[i], tables, words))
            return false;
    const factors_entry *entries = (const void *)(tables + t->entries);
    for (uint32_t i = 0; i < t->entry_count; i++)
        if (entries[i].piece >= (t->unit_count ? t->unit_count : t->piece_count))
            return false;
    const factors_piece *pieces = (const void *)(tables + t->pieces);
    uint64_t state = 0;
    for (uint32_t i = 0; i < t->piece_count; i++)
        if (!piece_valid(t, facts, tables, &pieces[i], i ? &pieces[i - 1] : NULL, &state))
            return false;
    return (t->unit_count || state == facts->state_words) && windows_valid(t, tables);
}

const engine engine_factors = {
    .name = "factors",
    .about = "rare factors of patterns, verified around: classes, bounded repeats, long jumps",
    .kind = WALK_FACTORS,
    .mark = factors_mark,
    .refuses = factors_refuses,
    .cost = factors_cost,
    .build = factors_build,
    .check = factors_check_tables,
    .fallback = &engine_shiftand,
    .fallback_of = factors_fallback_of,
};
