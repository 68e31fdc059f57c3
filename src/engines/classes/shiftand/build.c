/* build.c: masks of extended SHIFT-AND. The loop and the essay are in vector.c. */
#include "engines/classes/shiftand/layout.h"

#include <string.h>

#include "engines/classes/shiftand/streams.h"
#include "engines/shared/costs.h"
#include "engines/shared/positions.h"

typedef struct layout {
    size_t *base;  /* first bit of each pattern */
    size_t *count; /* its positions */
    size_t words, packed;
} layout;

static const char *shiftand_refuses(const pattern_list *list)
{
    return list->needles ? "it takes byte patterns, not grids: use bb or byr" : NULL;
}

static double cost_of_words(double packed, double chained)
{
    if (packed <= 1 && chained == 0)
        return COST_SHIFTAND_WORD;
    if (packed <= SHIFTAND_FEW - 1 && chained == 0) /* none fits a word exactly */
        return COST_SHIFTAND_FEW;
    return COST_SHIFTAND_BYTE + COST_SHIFTAND_PACKED * packed + COST_SHIFTAND_CHAINED * chained;
}

/* The walk takes words or streams, whichever is faster, about. */
static double shiftand_cost(const problem *p)
{
    double packed = 0, chained = 0;
    for (size_t i = 0; i < p->list->count; i++) {
        const double words = (double)position_count(&p->list->patterns[i]) / 64;
        packed += words > 1 ? 0 : words;
        chained += words > 1 ? words : 0;
    }
    if (p->target.gpu)
        return COST_GPU_BYTE + COST_GPU_SHIFTAND_PACKED * packed +
               (needs_carry(p->list) ? COST_GPU_SHIFTAND_CARRIED : COST_GPU_SHIFTAND_CHAINED) *
                   chained;
    const double streamed = cost_of_vector(bitstreams_cost(p), &p->target);
    const double words = cost_of_words(packed, chained);
    return streamed < words ? streamed : words;
}

/* Short patterns first, packed in their order into words; then the chains. */
static bool place(memory *m, const pattern_list *list, layout *at)
{
    at->base = memory_take_array(m, list->count, sizeof *at->base);
    at->count = memory_take_array(m, list->count, sizeof *at->count);
    if (!at->base || !at->count)
        return false;
    size_t bit = 0;
    for (size_t i = 0; i < list->count; i++) {
        at->count[i] = position_count(&list->patterns[i]);
        if (at->count[i] > 64)
            continue;
        if (bit % 64 + at->count[i] > 64)
            bit = (bit / 64 + 1) * 64;
        at->base[i] = bit;
        bit += at->count[i];
    }
    at->packed = (bit + 63) / 64;
    at->words = at->packed;
    for (size_t i = 0; i < list->count; i++) {
        if (at->count[i] <= 64)
            continue;
        at->base[i] = at->words * 64;
        at->words += (at->count[i] + 63) / 64;
    }
    return at->words <= UINT32_MAX / 64 / 2;
}

static uint64_t *words_at(block *b, uint32_t offset)
{
    return (uint64_t *)(void *)(b->bytes + (size_t)offset * 4);
}

static void fill_pattern(block *b, const shiftand_tables *head, const position *positions,
                         size_t count, size_t base, uint32_t index, const uint8_t *sample)
{
    const size_t words = head->words;
    uint64_t *move = words_at(b, head->move), *repeat = words_at(b, head->repeat);
    size_t lead = mark_runs(positions, count, base, words_at(b, head->ebeg),
                            words_at(b, head->eend), words_at(b, head->eblk));
    for (size_t i = 0; i <= lead && i < count; i++)
        set_bit(words_at(b, head->init), base + i);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < head->classes; c++) {
            if (!class_has(&positions[i].set, sample[c]))
                continue;
            set_bit(move + c * words, base + i);
            if (positions[i].repeat)
                set_bit(repeat + c * words, base + i);
        }
    }
    for (size_t w = base / 64 + 1; w < (base + count + 63) / 64; w++)
        words_at(b, head->link)[w] = UINT64_MAX;
    size_t last = base + count - 1;
    set_bit(words_at(b, head->last), last);
    ((uint32_t *)(void *)(b->bytes + (size_t)head->owner * 4))[last] = index;
}

static void note_features(const pattern_list *list, shiftand_tables *head)
{
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        for (size_t k = 0; !p->literal && k < p->length; k++) {
            if (p->elements[k].max == REPEAT_UNBOUNDED)
                head->features |= SHIFTAND_REPEATS;
            if (p->elements[k].min != p->elements[k].max && p->elements[k].min != 1)
                head->features |= SHIFTAND_SKIPS;
            if (p->elements[k].max != REPEAT_UNBOUNDED && p->elements[k].min < p->elements[k].max)
                head->features |= SHIFTAND_SKIPS;
        }
    }
}

static void lay_out(const problem *p, const layout *at, position *positions, block *b)
{
    const pattern_list *list = p->list;
    shiftand_tables head;
    uint8_t map[256], sample[256];
    memset(&head, 0, sizeof head);
    block_words(b, NULL, sizeof head / 4);
    head.words = (uint32_t)at->words;
    head.packed = (uint32_t)at->packed;
    head.classes = byte_classes(list, map, sample);
    note_features(list, &head);
    /* Six masks, move and repeat, the owners of 64 bits, and the two masks of a stage. */
    block_reserve(b,
                  sizeof head + sizeof map + 8 + at->words * (6 + 2 * head.classes + 32 + 2) * 8);
    head.map = (uint32_t)(block_append(b, map, sizeof map, 8) / 4);
    uint32_t *masks[] = { &head.init, &head.last, &head.link, &head.ebeg, &head.eend, &head.eblk };
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        *masks[i] = block_words(b, NULL, at->words * 2);
    head.move = block_words(b, NULL, at->words * head.classes * 2);
    head.repeat = block_words(b, NULL, at->words * head.classes * 2);
    head.owner = block_words(b, NULL, at->words * 64);
    head.streams = bitstreams_append(p, at->base, b);
    if (b->failed)
        return;
    memcpy(b->bytes, &head, sizeof head);
    for (size_t i = 0; i < list->count; i++) {
        expand_positions(&list->patterns[i], positions);
        fill_pattern(b, &head, positions, at->count[i], at->base[i], (uint32_t)i, sample);
    }
}

/* plan_stage.masks: what repeats on every byte stays for ever; all is news. */
static void append_masks(block *b, stage_draft *out)
{
    out->masks = block_append(b, NULL, (size_t)out->state_words * 16, 8);
    if (b->failed)
        return;
    const shiftand_tables *t = (const shiftand_tables *)(const void *)b->bytes;
    const uint64_t *repeat = words_at(b, t->repeat);
    uint64_t *masks = (uint64_t *)(void *)(b->bytes + out->masks);
    for (uint32_t w = 0; w < t->words; w++) {
        masks[w] = masks[t->words + w] = UINT64_MAX;
        for (uint32_t c = 0; c < t->classes; c++)
            masks[w] &= repeat[(size_t)c * t->words + w];
    }
}

static void shiftand_build(const problem *problem, stage_draft *out)
{
    const pattern_list *list = problem->list;
    layout at = { NULL, NULL, 0, 0 };
    position *positions = NULL;
    if (place(problem->memory, list, &at)) {
        size_t longest = 0;
        for (size_t i = 0; i < list->count; i++)
            longest = at.count[i] > longest ? at.count[i] : longest;
        positions = memory_take_array(problem->memory, longest, sizeof *positions);
    }
    if (positions)
        lay_out(problem, &at, positions, &out->tables);
    else
        out->tables.failed = true;
    out->carries = needs_carry(list);
    out->state_words = at.words;
    if (out->carries && !out->tables.failed)
        append_masks(&out->tables, out);
    memory_give(problem->memory, positions);
    memory_give(problem->memory, at.base);
    memory_give(problem->memory, at.count);
}

static bool shiftand_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const shiftand_tables *t = (const shiftand_tables *)tables;
    if (words < sizeof *t / 4 || t->words < 1 || t->packed > t->words || t->classes < 1 ||
        t->classes > 256 || t->words != facts->state_words || t->map % 2 ||
        !words_inside(words, t->map, 64))
        return false;
    const uint32_t masks[] = { t->init, t->last, t->link, t->ebeg, t->eend, t->eblk };
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        if (masks[i] % 2 || !words_inside(words, masks[i], (uint64_t)t->words * 2))
            return false;
    const uint64_t rows = (uint64_t)t->words * t->classes * 2;
    if (t->move % 2 || t->repeat % 2 || !words_inside(words, t->move, rows) ||
        !words_inside(words, t->repeat, rows) ||
        !words_inside(words, t->owner, (uint64_t)t->words * 64) ||
        (t->streams &&
         !bitstreams_check(facts, tables, words, t->streams, (uint64_t)t->words * 64)))
        return false;
    const uint8_t *map = (const uint8_t *)(tables + t->map);
    for (int c = 0; c < 256; c++)
        if (map[c] >= t->classes)
            return false;
    for (uint64_t i = 0; i < (uint64_t)t->words * 64; i++)
        if (tables[t->owner + i] >= facts->pattern_count)
            return false;
    return facts->carries || facts->max_length != LENGTH_UNBOUNDED;
}

const engine engine_shiftand = {
    .name = "shiftand",
    .about = "extended SHIFT-AND, bit-parallel: classes and repeats, many patterns a word",
    .kind = WALK_SHIFTAND,
    .refuses = shiftand_refuses,
    .cost = shiftand_cost,
    .build = shiftand_build,
    .check = shiftand_check,
};
