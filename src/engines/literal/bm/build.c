/* build.c: Boyer-Moore's shift tables. The loop and the essay are in cpu.c. */
#include "engines/literal/bm/layout.h"

#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/engine.h"
#include "engines/shared/literals.h"

static const char *bm_refuses(const pattern_list *list)
{
    if (list->needles)
        return "it takes byte patterns, not grids: use bb or byr";
    if (list->count != 1)
        return "it takes one literal: use ac, pfac or wm for several";
    return list->patterns[0].literal ? NULL
                                     : "it takes a literal: use shiftand or hnfa for classes "
                                       "and repeats";
}

static void fill_bad(const pattern *p, const uint8_t *fold, uint32_t *bad)
{
    const uint32_t m = (uint32_t)p->length;
    uint32_t folded[256];
    for (int c = 0; c < 256; c++)
        folded[c] = m;
    for (uint32_t i = 0; i < m; i++)
        folded[p->bytes[i]] = m - 1 - i;
    for (int c = 0; c < 256; c++)
        bad[c] = folded[fold[c]];
}

/* The mean shift by the last byte of an alignment, on the sample. */
static double bm_cost(const problem *p)
{
    const pattern *literal = &p->list->patterns[0];
    const uint32_t m = (uint32_t)literal->length;
    double shifts = 0, compares = 0;
    uint32_t bad[256];
    uint8_t fold[256];
    if (p->target.gpu)
        return COST_GPU_BM;
    fold_table(p->list, fold);
    fill_bad(literal, fold, bad);
    for (size_t i = 0; i < p->sample.length; i++) {
        const uint32_t shift = bad[p->sample.bytes[i]];
        shifts += shift ? shift : 1;
        compares += shift == 0;
    }
    const double mean = shifts / (double)p->sample.length;
    const double often = compares / (double)p->sample.length;
    return (COST_BM_ALIGN + COST_BM_COMPARE * often) / (mean < m ? mean : m);
}

/* border[i]: where the widest border of pattern[i .. m) begins; border[m] = m + 1. */
static void good_suffix(const uint8_t *pattern, uint32_t m, uint32_t *border, uint32_t *good)
{
    uint32_t *shift = good; /* shift[j]: after a mismatch at j - 1, matched from j on */
    uint32_t i = m, j = m + 1;
    border[m] = m + 1;
    while (i > 0) {
        while (j <= m && pattern[i - 1] != pattern[j - 1]) {
            if (shift[j] == 0)
                shift[j] = j - i;
            j = border[j];
        }
        i--;
        j--;
        border[i] = j;
    }
    j = border[0];
    for (i = 0; i <= m; i++) {
        if (shift[i] == 0)
            shift[i] = j;
        if (i == j)
            j = border[j];
    }
}

/* bm_tables.rare: by the sample. */
static uint32_t rare_place(const problem *p, const pattern *literal, const uint8_t *fold)
{
    uint32_t often[256] = { 0 }, best = (uint32_t)literal->length;
    for (size_t i = 0; i < p->sample.length; i++)
        often[p->sample.bytes[i]]++;
    for (uint32_t i = 0; i < literal->length; i++) {
        const uint8_t byte = literal->bytes[i];
        const bool folds = byte >= 'a' && byte <= 'z' && fold[byte - 'a' + 'A'] == byte;
        if (!folds && (best == literal->length || often[byte] < often[literal->bytes[best]]))
            best = i;
    }
    return best;
}

static void bm_build(const problem *problem, stage_draft *out)
{
    const pattern_list *list = problem->list;
    const pattern *p = &list->patterns[0];
    const uint32_t m = (uint32_t)p->length;
    uint32_t *border = memory_take_zeroed(problem->memory, (size_t)m + 1, sizeof *border);
    uint32_t *good = memory_take_zeroed(problem->memory, (size_t)m + 1, sizeof *good);
    bm_tables head;
    uint32_t bad[256];

    memset(&head, 0, sizeof head);
    if (border && good) {
        good_suffix(p->bytes, m, border, good);
        uint8_t fold[256];
        fold_table(list, fold);
        fill_bad(p, fold, bad);

        block *b = &out->tables;
        block_words(b, NULL, sizeof head / 4);
        head.length = m;
        head.period = good[0];
        head.rare = rare_place(problem, p, fold);
        head.pattern = (uint32_t)(block_append(b, p->bytes, m, 8) / 4);
        head.fold = (uint32_t)(block_append(b, fold, 256, 8) / 4);
        head.bad = block_words(b, bad, 256);
        head.good = block_words(b, good + 1, m);
        if (!b->failed)
            memcpy(b->bytes, &head, sizeof head);
    } else {
        out->tables.failed = true;
    }
    memory_give(problem->memory, border);
    memory_give(problem->memory, good);
}

static bool bm_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const bm_tables *t = (const bm_tables *)tables;
    if (words < sizeof *t / 4 || facts->pattern_count != 1 || t->length != facts->max_length ||
        t->length < 1 || t->length > PATTERN_MAX_LENGTH || t->period < 1 || t->period > t->length ||
        t->rare > t->length || t->index != 0 || facts->carries || facts->state_words ||
        !words_inside(words, t->pattern, (t->length + 3) / 4) ||
        !words_inside(words, t->fold, 64) || !words_inside(words, t->bad, 256) ||
        !words_inside(words, t->good, t->length))
        return false;
    for (int c = 0; c < 256; c++)
        if (tables[t->bad + c] > t->length)
            return false;
    for (uint32_t j = 0; j < t->length; j++)
        if (tables[t->good + j] < 1 || tables[t->good + j] > t->length)
            return false;
    return true;
}

const engine engine_bm = {
    .name = "bm",
    .about = "Boyer-Moore with Galil's rule: one literal",
    .kind = WALK_BM,
    .refuses = bm_refuses,
    .cost = bm_cost,
    .build = bm_build,
    .check = bm_check,
};
