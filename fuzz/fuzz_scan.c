/* fuzz_scan.c: libFuzzer target for scanning: do all engines find the same?
 *
 * An input is read as patterns and a text. Whatever engine takes the patterns must report
 * the same ends in the same order, count as many, and find them again when the text is fed
 * piece by piece. No oracle is needed: they check each other.
 *
 *     byte 0      number of patterns - 1, syntax, cutting
 *     a pattern   flags and length, then its text
 *     the rest    the text
 */
#include "each.h"
#include "trawl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATTERNS = 4, MAX_LENGTH = 63, MAX_TEXT = 2000, CONTEXTS = 2 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static trawl_context *contexts[CONTEXTS]; /* one chunk, and as many as there are bytes */

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    (void)argc;
    (void)argv;
    options.backend = "serial";
    options.chunks = 1;
    require(trawl_context_open(&options, &contexts[0], NULL) == TRAWL_OK);
    options.chunks = MAX_TEXT;
    require(trawl_context_open(&options, &contexts[1], NULL) == TRAWL_OK);
    return 0;
}

/* ---- reading an input ----------------------------------------------------------- */

typedef struct input {
    trawl_pattern patterns[MAX_PATTERNS];
    size_t count;
    const uint8_t *text;
    size_t length;
    size_t piece; /* of a stream */
} input;

static bool read_input(const uint8_t *data, size_t size, input *in)
{
    if (size < 2)
        return false;
    const uint8_t first = *data++;
    size--;
    memset(in, 0, sizeof *in);
    in->count = first % MAX_PATTERNS + 1u;
    in->piece = (first >> 4) + 1u;
    for (size_t i = 0; i < in->count; i++) {
        if (size == 0)
            return false;
        const size_t length = *data & MAX_LENGTH;
        const uint32_t flags = *data >> 6; /* TRAWL_NOCASE, TRAWL_LINES */
        data++;
        size--;
        if (length > size)
            return false;
        in->patterns[i] = (trawl_pattern){
            .text = data,
            .length = length,
            .syntax = first >> 2 & 1 ? TRAWL_SYNTAX_EXTENDED : TRAWL_SYNTAX_LITERAL,
            .flags = flags,
            .id = (uint32_t)i / 2,
        };
        data += length;
        size -= length;
    }
    in->text = data;
    in->length = size < MAX_TEXT ? size : MAX_TEXT;
    return true;
}

/* ---- what an engine finds --------------------------------------------------------- */

typedef struct found {
    trawl_match *matches;
    size_t count, seen;
} found;

static bool in_order(const trawl_match *a, const trawl_match *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    if (a->start != b->start)
        return a->start < b->start;
    return a->id != b->id ? a->id < b->id : a->pattern < b->pattern;
}

static bool same(const trawl_match *a, const trawl_match *b)
{
    return a->start == b->start && a->end == b->end && a->id == b->id && a->pattern == b->pattern;
}

/* The matches of the first engine must be possible, and stand in order. */
static void check_first(const input *in, const found *first)
{
    for (size_t i = 0; i < first->count; i++) {
        const trawl_match *m = &first->matches[i];
        require(m->end >= 1 && m->end <= in->length && m->pattern < in->count);
        require(m->id == in->patterns[m->pattern].id);
        require(m->start == TRAWL_UNKNOWN || m->start < m->end);
        require(i == 0 || in_order(m - 1, m));
    }
}

static void check_others(const found *first, const found *other)
{
    require(first->count == other->count);
    for (size_t i = 0; i < first->count; i++)
        require(same(&first->matches[i], &other->matches[i]));
}

static int check_fed_one(const trawl_match *m, void *user)
{
    found *first = user;
    require(first->seen < first->count && same(m, &first->matches[first->seen]));
    first->seen++;
    return 0;
}

EACH_MATCH(check_fed)

static void check_stream(const input *in, const trawl_plan *plan, found *first)
{
    trawl_stream *stream = NULL;
    first->seen = 0;
    require(trawl_stream_open(contexts[0], plan, NULL, check_fed, first, &stream, NULL) ==
            TRAWL_OK);
    for (size_t at = 0; at < in->length; at += in->piece) {
        const size_t left = in->length - at;
        require(trawl_stream_feed(stream, in->text + at, left < in->piece ? left : in->piece,
                                  NULL) == TRAWL_OK);
    }
    require(trawl_stream_close(stream, NULL) == TRAWL_OK && first->seen == first->count);
}

static void check_plan(const input *in, const trawl_plan *plan, found *first, bool is_first)
{
    for (size_t i = 0; i < CONTEXTS; i++) {
        found other = { NULL, 0, 0 };
        uint64_t count = 0;
        require(trawl_collect(contexts[i], plan, in->text, in->length, NULL, &other.matches,
                              &other.count, NULL) == TRAWL_OK);
        require(trawl_count(contexts[i], plan, in->text, in->length, NULL, &count, NULL) ==
                    TRAWL_OK &&
                count == other.count);
        if (is_first && i == 0) {
            *first = other;
            check_first(in, first);
        } else {
            check_others(first, &other);
            trawl_matches_free(other.matches);
        }
    }
    check_stream(in, plan, first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in;
    found first = { NULL, 0, 0 };
    bool is_first = true;
    if (!read_input(data, size, &in))
        return 0;
    for (size_t i = 0; trawl_engine_name(i); i++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL;
        options.engine = trawl_engine_name(i);
        if (trawl_compile(in.patterns, in.count, &options, &plan, NULL) == TRAWL_OK) {
            check_plan(&in, plan, &first, is_first);
            is_first = false;
        }
        trawl_plan_free(plan);
    }
    trawl_matches_free(first.matches);
    return 0;
}
