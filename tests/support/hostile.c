/* hostile.c: see hostile.h. */
#include "hostile.h"

#include "choices.h"
#include "each.h"
#include "trawl/experimental.h"
#include "trawl/range.h"

#include <stdlib.h>
#include <string.h>

#define MAX_MATCHES 20000
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- plans of every engine --------------------------------------------------- */

#define LITERAL(text, flags, id, name)                                                             \
    {                                                                                              \
        text, sizeof(text) - 1, TRAWL_SYNTAX_LITERAL, flags, id, name                              \
    }
#define EXTENDED(text, id)                                                                         \
    {                                                                                              \
        text, sizeof(text) - 1, TRAWL_SYNTAX_EXTENDED, 0, id, NULL                                 \
    }

static const trawl_pattern one_literal[] = { LITERAL("abcab", 0, 1, "one") };
static const trawl_pattern literals[] = {
    LITERAL("abcab", 0, 1, "first"), LITERAL("ab", 0, 2, NULL), LITERAL("a", 0, 9, "short"),
    LITERAL("needle", 0, 4, "n"),    LITERAL("ab", 0, 2, ""),
};
static const trawl_pattern mixed_case[] = { LITERAL("abcA", TRAWL_NOCASE, 1, "folded"),
                                            LITERAL("AbC", 0, 2, "exact") };
static const trawl_pattern bounded[] = { EXTENDED("a[bc]{1,3}.?c", 5), EXTENDED("ab", 6) };
static const trawl_pattern mixed[] = { LITERAL("abcab", 0, 1, "first"),
                                       EXTENDED("a[bc]{1,3}.?c", 5), LITERAL("b", 0, 2, NULL),
                                       EXTENDED("a[^c]*c", 5), LITERAL("needle", 0, 4, "n") };
static const trawl_pattern unbounded[] = { EXTENDED("a[^c]*c", 5), EXTENDED("b{2,70}a+", 6) };
static const trawl_pattern one_end[] = { EXTENDED("[0-9]{2,5}", 5),
                                         EXTENDED("k.{1,4}=[a-f]{3}", 6) };
static const trawl_pattern bordered[] = {
    EXTENDED("^ab+\\>", 5),
    EXTENDED("b|\\B..|a{2,3}$", 5),
    { "needle", 6, TRAWL_SYNTAX_LITERAL, TRAWL_WORDS | TRAWL_ONCE, 4, NULL },
};
static const trawl_pattern long_ones[] = { EXTENDED("ab{60,80}b?b?c", 5),
                                           EXTENDED("[ab]{130}", 6) };

static const trawl_pattern runs[] = { EXTENDED("[ab]{3,}", 5), EXTENDED("b+|bb|a{2,}c", 6) };
static const trawl_pattern one_run[] = { EXTENDED("[abc]{4,}", 5) };

typedef struct text_set {
    const trawl_pattern *patterns;
    size_t count;
} text_set;

static const text_set text_sets[] = {
    { one_literal, COUNT(one_literal) },
    { literals, COUNT(literals) },
    { mixed_case, COUNT(mixed_case) },
    { bounded, COUNT(bounded) },
    { unbounded, COUNT(unbounded) },
    { long_ones, COUNT(long_ones) },
    { mixed, COUNT(mixed) },
    { one_end, COUNT(one_end) },
    { bordered, COUNT(bordered) },
    { runs, COUNT(runs) },
    { one_run, COUNT(one_run) },
};

static const uint32_t cells[] = { 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0 };
static const trawl_needle needles[] = { { cells, 2, 3, 0, 3, "wide" },
                                        { cells, 3, 2, 0, 4, NULL },
                                        { cells, 1, 1, 0, 5, "dot" } };

static const uint8_t wide_mask[] = { 1, 1, 0, 0, 1, 1 }, tall_mask[] = { 0, 1, 1, 1, 1, 0 };
static const uint8_t *const masks[] = { wide_mask, tall_mask, NULL };

static size_t add_plan(trawl_plan *plans[], size_t count, trawl_plan *plan)
{
    if (!plan)
        return count;
    if (count == HOSTILE_PLANS)
        abort(); /* make HOSTILE_PLANS larger */
    plans[count] = plan;
    return count + 1;
}

size_t hostile_plans(trawl_plan *plans[HOSTILE_PLANS])
{
    size_t count = 0;
    for (size_t e = 0; engine_choice(e); e++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL; /* stays so when the engine does not take the set */
        options.engine = engine_choice(e);
        options.keep_texts = e % 2;
        options.tag = (uint32_t)e;
        options.note = e % 3 ? "a note" : NULL;
        options.note_length = e % 3 ? 6 : 0;
        const trawl_likeness masked = { sizeof masked, masks, 0, 0, 0 };
        for (size_t i = 0; i < COUNT(text_sets); i++) {
            trawl_compile(text_sets[i].patterns, text_sets[i].count, &options, &plan, NULL);
            count = add_plan(plans, count, plan);
        }
        for (uint32_t size = 1; size <= 4; size++) {
            options.likeness = NULL;
            trawl_compile_grid(needles, COUNT(needles), size, &options, &plan, NULL);
            count = add_plan(plans, count, plan);
            options.likeness = &masked;
            trawl_compile_grid(needles, COUNT(needles), size, &options, &plan, NULL);
            count = add_plan(plans, count, plan);
        }
    }
    return count;
}

/* ---- changing a block ---------------------------------------------------- */

/* The words that edit->where means: the header, a section, or all. */
static plan_range range_of(const void *block, size_t bytes, uint8_t where)
{
    const plan_header *head = block;
    const plan_range whole = { 0, bytes }, header = { 0, sizeof *head };
    if (where % 12 == 0 || bytes < sizeof *head)
        return whole;
    if (where % 12 == 1)
        return header;
    const plan_range r =
        head->section[where % 12 < 2 + PLAN_SECTIONS ? where % 12 - 2 : PLAN_TABLES];
    return r.offset < bytes && r.bytes <= bytes - r.offset ? r : whole;
}

void hostile_edit(void *block, size_t bytes, const plan_edit *edit)
{
    const plan_range r = range_of(block, bytes, edit->where);
    const size_t words = (size_t)r.bytes / 4;
    if (words == 0)
        return;
    uint8_t *first = (uint8_t *)block + r.offset;
    uint8_t *at = first + edit->place % words * 4;
    uint32_t word;
    memcpy(&word, at, 4);
    switch (edit->how % 4) {
    case 0:
        word = edit->value;
        break;
    case 1:
        word += edit->value;
        break;
    case 2:
        word ^= 1u << edit->value % 32;
        break;
    default:
        memcpy(&word, first + edit->value % words * 4, 4);
    }
    memcpy(at, &word, 4);
}

void hostile_repair(void *block, size_t bytes)
{
    plan_header head;
    if (bytes < sizeof head)
        return;
    memcpy(&head, block, sizeof head);
    memcpy(head.magic, PLAN_MAGIC, sizeof head.magic);
    head.version = PLAN_VERSION;
    head.byte_order = PLAN_BYTE_ORDER;
    head.bytes = bytes;
    memcpy(block, &head, sizeof head);
    head.checksum = plan_checksum(block, bytes);
    memcpy(block, &head, sizeof head);
}

/* ---- scanning with it -------------------------------------------------------- */

static int take_match_one(const trawl_match *match, void *user)
{
    *(uint64_t *)user += match->end;
    return 0;
}

EACH_MATCH(take_match)

static int take_grid_match_one(const trawl_grid_match *match, void *user)
{
    *(uint64_t *)user += match->row + match->col;
    return 0;
}

EACH_GRID_MATCH(take_grid_match)

/* A text, a plan and the way to search it. */
typedef struct search {
    trawl_context *context;
    const trawl_plan *plan;
    trawl_scan_options options;
    const uint8_t *text;
    size_t length;
    uint64_t sum;
} search;

/* The state of the stream goes on in another, which is given back. */
static trawl_stream *move_on(search *s, trawl_stream *stream)
{
    trawl_stream *next = NULL;
    size_t bytes = 0;
    if (trawl_stream_save(stream, NULL, &bytes, NULL) != TRAWL_OK)
        return stream;
    void *state = malloc(bytes ? bytes : 1);
    if (state && trawl_stream_save(stream, state, &bytes, NULL) == TRAWL_OK &&
        trawl_stream_open(s->context, s->plan, &s->options, take_match, &s->sum, &next, NULL) ==
            TRAWL_OK) {
        trawl_stream_restore(next, state, bytes, NULL);
        trawl_stream_drop(stream, NULL);
        stream = next;
    }
    free(state);
    return stream;
}

/* In pieces, with another text and another stream in between. */
static void feed(search *s)
{
    trawl_stream *stream = NULL;
    if (trawl_stream_open(s->context, s->plan, &s->options, take_match, &s->sum, &stream, NULL) !=
        TRAWL_OK)
        return;
    for (size_t at = 0; at < s->length; at += 7) {
        trawl_stream_feed(stream, s->text + at, s->length - at < 7 ? s->length - at : 7, NULL);
        if (at == 35)
            stream = move_on(s, stream);
        if (at == 70)
            trawl_stream_break(stream, NULL);
    }
    trawl_stream_close(stream, NULL);
}

enum { RANGES = 3 };

/* One range, with no more bytes than it needs. */
static void search_range(search *s, const trawl_range_needs *needs, uint64_t begin, uint64_t end,
                         trawl_seam *seam)
{
    trawl_range range = TRAWL_RANGE_INIT;
    const uint64_t left = s->length - end;
    range.begin = begin;
    range.end = end;
    range.offset = begin > needs->before ? begin - needs->before : 0;
    range.last = left <= needs->after;
    range.length = (size_t)(end - range.offset + (range.last ? left : needs->after));
    uint8_t *bytes = malloc(range.length ? range.length : 1);
    if (!bytes)
        return;
    memcpy(bytes, s->text + range.offset, range.length);
    range.bytes = bytes;
    trawl_scan_range(s->context, s->plan, &range, &s->options, seam, take_match, &s->sum, NULL,
                     NULL);
    free(bytes);
}

/* In ranges, which are searched again where their seams say so. */
static void scan_ranges(search *s)
{
    trawl_range_needs needs = { .size = sizeof needs };
    uint64_t border[RANGES + 1] = { 0 };
    trawl_seam *seams[RANGES] = { NULL };
    const uint32_t report = s->options.report;
    bool opened = trawl_plan_get_range_needs(s->plan, report, &needs, NULL) == TRAWL_OK;
    for (size_t i = 1; i <= RANGES; i++) {
        const size_t wanted = s->length * i / RANGES;
        size_t more = 0;
        if (opened && i < RANGES && wanted)
            trawl_range_cut(s->plan, report, s->text + wanted - 1, s->length - wanted + 1, &more,
                            NULL);
        const size_t most = s->length - wanted, at = more ? more - 1 : 0;
        border[i] = wanted + (at < most ? at : most);
    }
    for (size_t i = 0; i < RANGES; i++)
        opened = opened && trawl_seam_open(s->plan, report, &seams[i], NULL) == TRAWL_OK;
    for (size_t i = 0; opened && i < RANGES; i++)
        search_range(s, &needs, border[i], border[i + 1], seams[i]);
    for (size_t i = 1; opened && i < RANGES; i++) {
        uint32_t again = 0;
        trawl_seam_follow(seams[i], (const trawl_seam *const *)seams, i, &again, NULL);
        if (again)
            search_range(s, &needs, border[i], border[i + 1], seams[i]);
    }
    for (size_t i = 0; i < RANGES; i++)
        trawl_seam_close(seams[i]);
}

/* The text, a part of it and none, each by itself. */
static void scan_many(search *s)
{
    const trawl_text texts[] = { { s->text, s->length },
                                 { s->text + s->length / 2, s->length - s->length / 2 },
                                 { NULL, 0 },
                                 { s->text, s->length } };
    trawl_scan_many(s->context, s->plan, texts, COUNT(texts), &s->options, take_match, &s->sum,
                    NULL);
}

static void scan_text(trawl_context *context, const trawl_plan *plan, const char *source,
                      size_t length)
{
    uint8_t *text = malloc(length ? length : 1); /* of its exact length */
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan_get_info(plan, &info);
    uint64_t *counts = calloc(info.patterns, sizeof *counts);
    search s = { context, plan, TRAWL_SCAN_OPTIONS_INIT, text, length, 0 };
    if (text && counts) {
        memcpy(text, source, length);
        trawl_count(context, plan, text, length, NULL, &s.sum, NULL);
        trawl_count_each(context, plan, text, length, NULL, counts, NULL);
        s.options.max_matches = MAX_MATCHES;
        for (uint32_t mode = 0; mode <= TRAWL_REPORT_EACH; mode++) {
            s.options.report = mode;
            trawl_scan(context, plan, text, length, &s.options, take_match, &s.sum, NULL);
            feed(&s);
            scan_ranges(&s);
            scan_many(&s);
        }
    }
    free(counts);
    free(text);
}

static void scan_grid(trawl_context *context, const trawl_plan *plan, uint32_t cell_size,
                      uint64_t rows, uint64_t cols, uint8_t colours)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    const size_t bytes = (size_t)(rows * cols) * cell_size;
    uint8_t *cells = calloc(bytes ? bytes : 1, 1);
    const trawl_grid grid = { cells, rows, cols, 0 };
    uint64_t sum = 0;
    if (!cells)
        return;
    for (size_t i = 0; i < bytes; i += cell_size)
        cells[i] = (uint8_t)(i * i / 7 % colours);
    options.max_matches = MAX_MATCHES;
    trawl_scan_grid(context, plan, &grid, &options, take_grid_match, &sum, NULL);
    free(cells);
}

/* All that can be asked of a plan. */
static void read_facts(const trawl_plan *plan, const trawl_plan_info *info, size_t *sum)
{
    trawl_stage_info stage = { .size = sizeof stage };
    trawl_pattern pattern;
    for (size_t i = 0; i < info->patterns; i++) {
        *sum += strlen(trawl_plan_pattern_name(plan, i));
        if (trawl_plan_get_pattern(plan, i, &pattern) != TRAWL_OK)
            continue;
        for (size_t k = 0; k < pattern.length; k++)
            *sum += ((const uint8_t *)pattern.text)[k];
    }
    size_t length = 0;
    const uint8_t *note = trawl_plan_get_note(plan, &length);
    for (size_t i = 0; i < length; i++)
        *sum += note[i];
    for (size_t i = 0; trawl_plan_get_stage(plan, i, &stage) == TRAWL_OK; i++)
        *sum += stage.bytes + strlen(stage.engine) + strlen(stage.role);
}

bool hostile_scan(const void *block, size_t bytes, trawl_context *context)
{
    static const char text[] = "abcabababcbcaaaaaaaaaaaaaaaabaabaaabAbCAB\0\xff\x00\xff"
                               "abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
                               "bbbbbbbbbbbc needle.needleneedle\n"
                               "ab 12345 k7=abc k1234=fed1234567 aaa";
    trawl_plan *plan = NULL;
    trawl_plan_info info = { .size = sizeof info };
    volatile size_t facts = 0;
    size_t sum = 0;
    if (trawl_plan_load(block, bytes, &plan, NULL) != TRAWL_OK)
        return false;
    trawl_plan_get_info(plan, &info);
    read_facts(plan, &info, &sum);
    facts = sum;
    (void)facts;
    if (info.cell_size) {
        scan_grid(context, plan, info.cell_size, 9, 11, 2);
        scan_grid(context, plan, info.cell_size, 1, 1, 1);
        scan_grid(context, plan, info.cell_size, 20, 3, 1);
    } else {
        scan_text(context, plan, text, sizeof text - 1);
        scan_text(context, plan, "a", 1);
        scan_text(context, plan, "", 0);
    }
    trawl_plan_free(plan);
    return true;
}
