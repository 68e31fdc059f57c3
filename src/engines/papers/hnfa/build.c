/* build.c: lower and upper modules of RunHNFA. The loop and the essay are in cpu.c. */
#include "engines/papers/hnfa/layout.h"

#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/positions.h"

static const char *hnfa_refuses(const pattern_list *list)
{
    return list->needles ? "it takes byte patterns, not grids: use bb or byr" : NULL;
}

static bool skips(const pattern *p)
{
    for (size_t i = 0; !p->literal && i < p->length; i++)
        if (p->elements[i].min == 0 ||
            (p->elements[i].max != REPEAT_UNBOUNDED && p->elements[i].min < p->elements[i].max))
            return true;
    return false;
}

static double hnfa_cost(const problem *p)
{
    double single = 0, joined = 0, skipping = 0; /* modules of patterns with one, with several */
    for (size_t i = 0; i < p->list->count; i++) {
        const double modules = (double)((position_count(&p->list->patterns[i]) + 63) / 64);
        single += modules == 1;
        joined += modules > 1 ? modules : 0;
        skipping += modules > 1 && skips(&p->list->patterns[i]) ? modules : 0;
    }
    if (p->target.gpu)
        return COST_GPU_BYTE + COST_GPU_HNFA_MODULE * single + COST_GPU_HNFA_JOINED * joined;
    return COST_HNFA_MODULE * single + COST_HNFA_JOINED * joined + COST_HNFA_SKIPS * skipping;
}

/* The masks of lower module j; returns true when all its positions are optional. */
static bool fill_module(const position *positions, uint32_t count, hnfa_module *m)
{
    memset(m, 0, sizeof *m);
    size_t lead = mark_runs(positions, count, 0, &m->ebeg, &m->eend, &m->eblk);
    m->lead = lead == 64 ? UINT64_MAX : ((uint64_t)1 << lead) - 1;
    m->top = (uint64_t)1 << (count - 1);
    return lead == count;
}

static uint32_t module_size(size_t positions, uint32_t j)
{
    size_t left = positions - (size_t)j * 64;
    return left < 64 ? (uint32_t)left : 64;
}

/* Runs of modules that can be skipped are runs of optional positions of the upper module:
 * skipping module j leads from border j to border j + 1. */
static void fill_upper(const bool *skippable, uint32_t k, uint64_t *masks)
{
    const size_t words = k / 64 + 1;
    for (uint32_t j = 0; j < k; j++) {
        if (!skippable[j])
            continue;
        if (j == 0 || !skippable[j - 1])
            set_bit(masks, j);
        if (j + 1 == k || !skippable[j + 1])
            set_bit(masks + words, j + 1);
        set_bit(masks + 2 * words, j + 1);
    }
}

static void fill_moves(const position *positions, size_t count, uint32_t classes, uint32_t k,
                       const uint8_t *sample, uint64_t *move, uint64_t *repeat)
{
    for (size_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < classes; c++) {
            if (!class_has(&positions[i].set, sample[c]))
                continue;
            set_bit(move + (size_t)c * k, i);
            if (positions[i].repeat)
                set_bit(repeat + (size_t)c * k, i);
        }
    }
}

static uint64_t append_pattern(const pattern *p, uint32_t index, const hnfa_tables *head,
                               const uint8_t *sample, uint64_t state, block *b)
{
    const size_t count = position_count(p);
    const uint32_t k = (uint32_t)((count + 63) / 64);
    const size_t upper_words = k / 64 + 1;
    hnfa_pattern entry = { index, k, 0, 0, 0, 0, (uint32_t)state, 0 };
    entry.module = block_words(b, NULL, k * sizeof(hnfa_module) / 4);
    entry.move = block_words(b, NULL, (size_t)k * head->classes * 2);
    entry.repeat = block_words(b, NULL, (size_t)k * head->classes * 2);
    entry.upper = block_words(b, NULL, 3 * upper_words * 2);

    position *positions = memory_take_array(b->memory, count, sizeof *positions);
    bool *skippable = memory_take_zeroed(b->memory, k, sizeof *skippable);
    if (positions && skippable && !b->failed) {
        uint32_t *words = (uint32_t *)(void *)b->bytes;
        hnfa_module *modules = (hnfa_module *)(void *)(words + entry.module);
        expand_positions(p, positions);
        for (uint32_t j = 0; j < k; j++) {
            skippable[j] =
                fill_module(positions + (size_t)j * 64, module_size(count, j), &modules[j]);
            entry.skips |= skippable[j];
        }
        fill_upper(skippable, k, (uint64_t *)(void *)(words + entry.upper));
        fill_moves(positions, count, head->classes, k, sample,
                   (uint64_t *)(void *)(words + entry.move),
                   (uint64_t *)(void *)(words + entry.repeat));
        memcpy((hnfa_pattern *)(void *)(words + head->patterns) + index, &entry, sizeof entry);
    } else {
        b->failed = true;
    }
    memory_give(b->memory, positions);
    memory_give(b->memory, skippable);
    return state + k + upper_words;
}

/* plan_stage.masks: what repeats on every byte stays for ever; all is news but the first border of
 * an upper module, which says that matches begin here. */
static void append_masks(block *b, stage_draft *out)
{
    const size_t words = (size_t)out->state_words;
    out->masks = block_append(b, NULL, words * 16, 8);
    if (b->failed)
        return;
    const uint32_t *tables = (const uint32_t *)(const void *)b->bytes;
    const hnfa_tables *t = (const hnfa_tables *)tables;
    const hnfa_pattern *patterns = (const hnfa_pattern *)(tables + t->patterns);
    for (uint32_t i = 0; i < t->count; i++) {
        const uint64_t *repeat = (const uint64_t *)(tables + patterns[i].repeat);
        const uint32_t k = patterns[i].modules;
        uint64_t *immortal = (uint64_t *)(void *)(b->bytes + out->masks) + patterns[i].lower_state;
        uint64_t *passes = immortal + words;
        for (uint32_t j = 0; j < k; j++) {
            immortal[j] = passes[j] = UINT64_MAX;
            for (uint32_t c = 0; c < t->classes; c++)
                immortal[j] &= repeat[(size_t)c * k + j];
        }
        for (uint32_t j = k; k > 1 && j < k + k / 64 + 1; j++)
            passes[j] = j == k ? ~(uint64_t)1 : UINT64_MAX;
    }
}

static void hnfa_build(const problem *problem, stage_draft *out)
{
    const pattern_list *list = problem->list;
    block *b = &out->tables;
    hnfa_tables head;
    uint8_t map[256], sample[256];
    uint64_t state = 0;
    block_words(b, NULL, sizeof head / 4);
    head.classes = byte_classes(list, map, sample);
    head.map = (uint32_t)(block_append(b, map, sizeof map, 8) / 4);
    head.count = (uint32_t)list->count;
    head.patterns = block_words(b, NULL, list->count * (sizeof(hnfa_pattern) / 4));
    for (size_t i = 0; i < list->count && !b->failed; i++)
        state = append_pattern(&list->patterns[i], (uint32_t)i, &head, sample, state, b);
    if (state > UINT32_MAX)
        b->failed = true;
    if (b->failed)
        return;
    memcpy(b->bytes, &head, sizeof head);
    out->carries = needs_carry(list);
    out->state_words = state;
    if (out->carries)
        append_masks(b, out);
}

/* `state`: where the state of this pattern must begin; moved to its end. */
static bool pattern_valid(const hnfa_tables *t, const hnfa_pattern *p, uint32_t index, size_t words,
                          uint64_t *state)
{
    const uint64_t k = p->modules, upper_words = k / 64 + 1;
    if (p->index != index || p->lower_state != *state || k < 1 || k > PATTERN_MAX_STATES ||
        (p->module | p->move | p->repeat | p->upper) % 2 ||
        !words_inside(words, p->module, k * (sizeof(hnfa_module) / 4)) ||
        !words_inside(words, p->move, k * t->classes * 2) ||
        !words_inside(words, p->repeat, k * t->classes * 2) ||
        !words_inside(words, p->upper, upper_words * 6))
        return false;
    *state += k + upper_words;
    return true;
}

static bool hnfa_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const hnfa_tables *t = (const hnfa_tables *)tables;
    if (words < sizeof *t / 4 || t->classes < 1 || t->classes > 256 ||
        t->count != facts->pattern_count || !words_inside(words, t->map, 64) ||
        !words_inside(words, t->patterns, (uint64_t)t->count * (sizeof(hnfa_pattern) / 4)))
        return false;
    const uint8_t *map = (const uint8_t *)(tables + t->map);
    for (int c = 0; c < 256; c++)
        if (map[c] >= t->classes)
            return false;
    const hnfa_pattern *patterns = (const hnfa_pattern *)(tables + t->patterns);
    uint64_t state = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (!pattern_valid(t, &patterns[i], i, words, &state))
            return false;
    return state == facts->state_words && (facts->carries || facts->max_length != LENGTH_UNBOUNDED);
}

const engine engine_hnfa = {
    .name = "hnfa",
    .about = "RunHNFA, hierarchical bit-parallel NFA: classes and repeats, patterns of any length",
    .kind = WALK_HNFA,
    .refuses = hnfa_refuses,
    .cost = hnfa_cost,
    .build = hnfa_build,
    .check = hnfa_check,
};
