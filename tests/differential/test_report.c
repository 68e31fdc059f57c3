/* test_report.c: the reporter against the oracle. The oracle finds the ends, the reporter
 * makes of them what each mode asks for, and the oracle says whether that is right. The
 * text is handed over in pieces of random size, each in memory of its own, so that the
 * address sanitizer sees any byte that is read outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "each.h"
#include "fence.h"
#include "match/match.h"
#include "oracle.h"
#include "pattern/pattern.h"
#include "plan/plan.h"
#include "random.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

enum { MAX_PATTERNS = 5, MAX_WRITTEN = 160, MAX_TEXT = 400, CASES = 4000 };

static const uint32_t modes[] = { TRAWL_REPORT_PAIRS,          TRAWL_REPORT_LONGEST,
                                  TRAWL_REPORT_SHORTEST,       TRAWL_REPORT_LEFTMOST_LONGEST,
                                  TRAWL_REPORT_LEFTMOST_FIRST, TRAWL_REPORT_EACH };

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct collector {
    trawl_match *matches;
    size_t count, capacity;
    size_t stop_after; /* 0: never */
} collector;

static int collect_match_one(const trawl_match *match, void *user)
{
    collector *c = user;
    if (c->count == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 64;
        c->matches = realloc(c->matches, c->capacity * sizeof *c->matches);
        assert_non_null(c->matches);
    }
    c->matches[c->count++] = *match;
    return c->count == c->stop_after;
}

EACH_MATCH(collect_match)

/* ---- a reporter by itself ---------------------------------------------- */

static memory heap = { .limit = UINT64_MAX };
static trawl_match batch[MATCH_BATCH];
static const atomic_uint running = CALL_RUNNING;

static match_out out_to(trawl_match_fn fn, void *user, uint64_t base, uint64_t left)
{
    match_out out = {
        .fn = fn, .user = user, .base = base, .left = left, .batch = batch, .open = UINT64_MAX
    };
    budget_open(&out.budget, &running, 0, 0);
    return out;
}

/* Feed, and hand on what that brought. */
static int feed(reporter *r, match_out *out, const record *records, size_t count, uint64_t shift,
                const uint8_t *text, uint64_t text_begin, uint64_t upto, bool last,
                trawl_error *error)
{
    int status = reporter_feed(r, records, count, shift, (text_view){ text, text_begin, upto, 0 },
                               upto, last, error);
    const int flushed = match_flush(out);
    return status == TRAWL_OK ? flushed : status;
}

static trawl_plan *make_plan(const trawl_pattern *patterns, size_t count)
{
    pattern_list list;
    trawl_plan *plan = NULL;
    trawl_error error;
    part_draft part = { .list = &list, .stage_count = 1 };
    assert_int_equal(pattern_list_make(&heap, patterns, count, NULL, &list, &error), TRAWL_OK);
    assert_int_equal(plan_assemble(&list, &part, 1, "", "", &plan, &error), TRAWL_OK);
    pattern_list_free(&list);
    return plan;
}

static trawl_pattern extended(const char *text, uint32_t id)
{
    return (trawl_pattern){ text, strlen(text), TRAWL_SYNTAX_EXTENDED, 0, id, NULL };
}

/* ---- random cases ------------------------------------------------------- */

typedef struct random_case {
    uint64_t seed;
    char written[MAX_PATTERNS][MAX_WRITTEN];
    trawl_pattern patterns[MAX_PATTERNS];
    size_t count;
    char text[MAX_TEXT + 1];
    size_t length;
    trawl_plan *plan;
    record *ends;
    size_t end_count;
} random_case;

static unsigned pick(uint64_t *seed, unsigned below)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (unsigned)((*seed * 0x2545f4914f6cdd1du) >> 33) % below;
}

/* A pattern that does not match the empty string; with `gaps` none that has a blank. */
static void write_alternative(char *out, uint64_t *seed, bool bounded, bool gaps)
{
    static const char *const sets[] = { "a", "b", "c", "[ab]", "[bc]", ".", "[^a]" };
    static const char *const repeats[] = { "",      "",      "",      "?", "{0,2}", "{1,3}", "{2}",
                                           "{2,5}", "{0,9}", "{3,4}", "*", "+",     "{2,}" };
    unsigned elements = 1 + pick(seed, 5), required = pick(seed, elements);
    out[0] = 0;
    for (unsigned i = 0; i < elements; i++) {
        strcat(out, sets[pick(seed, COUNT(sets) - (gaps ? 2 : 0))]);
        if (i != required)
            strcat(out, repeats[pick(seed, COUNT(repeats) - (bounded ? 3 : 0))]);
        else if (!bounded && pick(seed, 4) == 0)
            strcat(out, "+");
    }
}

static void write_pattern(char *out, uint64_t *seed, bool bounded, bool gaps)
{
    write_alternative(out, seed, bounded, gaps);
    while (pick(seed, 3) == 0 && strlen(out) < MAX_WRITTEN - 64) {
        strcat(out, "|");
        write_alternative(out + strlen(out), seed, bounded, gaps);
    }
}

/* The index in `plan` of pattern `order` or, if it has alternatives, of the one that reads like
 * `alone`. Those of one length are one to the reporter. */
static uint32_t index_of(const trawl_plan *plan, uint32_t order, const trawl_plan *alone)
{
    const plan_pattern *patterns = plan_patterns(plan), *q = plan_patterns(alone);
    for (uint32_t i = 0; i < plan_head(plan)->pattern_count; i++) {
        const plan_pattern *p = &patterns[i];
        const bool same =
            p->order == order && p->min_length == q->min_length && p->max_length == q->max_length;
        if (same && (plan_one_length(p) || (p->elements == q->elements &&
                                            memcmp(plan_elements(plan, p), plan_elements(alone, q),
                                                   p->elements * sizeof(element)) == 0)))
            return i;
    }
    fail_msg("no pattern %u of the plan is that alternative", (unsigned)order);
    return 0;
}

/* Add the ends of pattern `order`, or of one of its alternatives. */
static void add_ends(random_case *c, uint32_t order, const char *written)
{
    const trawl_pattern p = extended(written, 0);
    trawl_plan *alone = make_plan(&p, 1);
    trawl_match *matches = NULL;
    const size_t count = oracle_scan(&p, 1, c->text, c->length, TRAWL_REPORT_ENDS, &matches);
    const uint32_t index = index_of(c->plan, order, alone);
    c->ends = realloc(c->ends, 2 * (c->end_count + count + 1) * sizeof *c->ends);
    assert_non_null(c->ends);
    for (size_t i = 0; i < count; i++)
        c->ends[c->end_count++] = (record){ (u32)matches[i].end, index };
    free(matches);
    trawl_plan_free(alone);
}

/* What the engines would find, sorted. */
static void find_ends(random_case *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        char copy[MAX_WRITTEN];
        strcpy(copy, c->written[i]);
        for (char *one = copy, *bar; one != NULL; one = bar) {
            bar = strchr(one, '|');
            if (bar != NULL)
                *bar++ = 0;
            add_ends(c, i, one);
        }
    }
    records_sort(c->ends, c->end_count, c->ends + c->end_count);
    c->end_count = records_distinct(c->ends, c->end_count);
}

static void make_case(random_case *c, uint64_t *seed)
{
    bool bounded = pick(seed, 3) > 0, fixed = pick(seed, 6) == 0;
    bool gaps = pick(seed, 3) == 0;
    unsigned letters = gaps ? 4 : 2 + pick(seed, 2);
    c->length = pick(seed, pick(seed, 8) ? 60 : MAX_TEXT + 1);
    for (size_t i = 0; i < c->length; i++)
        c->text[i] = "abc "[pick(seed, letters)];
    c->count = 1 + pick(seed, MAX_PATTERNS);
    for (size_t i = 0; i < c->count; i++) {
        static const char *const literals[] = { "a",   "ab",    "bab", "aab",     "bbbb",
                                                "cab", "[ab]b", "b a", "a|bb|ccc" };
        if (fixed || pick(seed, 4) == 0)
            strcpy(c->written[i], literals[pick(seed, COUNT(literals))]);
        else
            write_pattern(c->written[i], seed, bounded, gaps);
        c->patterns[i] = extended(c->written[i], pick(seed, 3));
    }
    c->plan = make_plan(c->patterns, c->count);
    find_ends(c);
}

static void free_case(random_case *c)
{
    trawl_plan_free(c->plan);
    free(c->ends);
}

/* Feed one piece from memory that holds just what may be read. */
static int feed_piece(reporter *r, match_out *out, const random_case *c, size_t *fed, size_t upto,
                      uint64_t text_begin, uint32_t shift)
{
    size_t count = 0, bytes = upto - (size_t)text_begin;
    record *piece = malloc((c->end_count + 1) * sizeof *piece);
    uint8_t *text = fenced_copy(c->text + text_begin, bytes, upto % 2);
    trawl_error error;
    assert_non_null(piece);
    for (; *fed < c->end_count && c->ends[*fed].pos <= upto; (*fed)++) {
        piece[count] = c->ends[*fed];
        piece[count++].pos -= shift;
    }
    int status =
        feed(r, out, piece, count, shift, text, text_begin, upto, upto == c->length, &error);
    free(piece);
    fenced_free(text, bytes);
    return status;
}

/* Text is kept only as far back as twice the longest match that needs it, and for programs the byte
 * before that. */
static void check_keeps(const reporter *r, const random_case *c, size_t done)
{
    uint64_t longest = plan_head(c->plan)->max_length, keeps = reporter_keeps(r);
    if (longest != LENGTH_UNBOUNDED)
        assert_true(keeps <= done && done - keeps <= 2 * longest);
    else
        assert_true(keeps <= done);
}

static int feed_all(reporter *r, match_out *out, const random_case *c, uint64_t *seed)
{
    size_t done = 0, fed = 0;
    unsigned largest = 1 + pick(seed, pick(seed, 2) ? 8 : MAX_TEXT);
    int status;
    do {
        size_t upto = done + pick(seed, largest + 1);
        upto = upto > c->length ? c->length : upto;
        uint64_t begin = pick(seed, 4) ? reporter_keeps(r) : 0;
        status = feed_piece(r, out, c, &fed, upto, begin, (uint32_t)pick(seed, (unsigned)done + 1));
        done = upto;
        if (status == TRAWL_OK && done < c->length)
            check_keeps(r, c, done);
    } while (status == TRAWL_OK && done < c->length);
    return status;
}

static bool same_matches(const trawl_match *a, const trawl_match *b, size_t count, uint64_t base)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].start != b[i].start + base || a[i].end != b[i].end + base || a[i].id != b[i].id ||
            a[i].pattern != b[i].pattern)
            return false;
    return true;
}

static void describe(const random_case *c, uint32_t report)
{
    print_message("seed %llu, report %u, text '%.*s', patterns", (unsigned long long)c->seed,
                  (unsigned)report, (int)c->length, c->text);
    for (size_t i = 0; i < c->count; i++)
        print_message(" '%s':%u", c->written[i], (unsigned)c->patterns[i].id);
    print_message("\n");
}

/* Report the case in one mode, at times with a limit or a callback that stops. */
static bool mode_agrees(const random_case *c, uint32_t report, uint64_t *seed)
{
    trawl_match *wanted = NULL;
    size_t count = oracle_scan(c->patterns, c->count, c->text, c->length, report, &wanted);
    collector got = { 0 };
    match_out out = out_to(collect_match, &got, pick(seed, 2) ? 1000 : 0, UINT64_MAX);
    int expected = TRAWL_OK;
    if (count > 0 && pick(seed, 8) == 0) {
        count = 1 + pick(seed, (unsigned)count);
        out.left = count;
        expected = TRAWL_LIMITED;
    } else if (count > 0 && pick(seed, 8) == 0) {
        count = 1 + pick(seed, (unsigned)count);
        got.stop_after = count;
        expected = TRAWL_STOPPED;
    }
    reporter *r = NULL;
    assert_int_equal(reporter_open(c->plan, report, &out, &heap, &r, NULL), TRAWL_OK);
    bool agrees = feed_all(r, &out, c, seed) == expected && got.count == count &&
                  same_matches(got.matches, wanted, count, out.base);
    reporter_free(r);
    free(got.matches);
    free(wanted);
    return agrees;
}

static void random_cases_agree_with_the_oracle(void **state)
{
    (void)state;
    const uint64_t cases = test_cases(CASES);
    print_message("seeds 1 to %llu\n", (unsigned long long)cases);
    for (uint64_t number = 1; number <= cases; number++) {
        random_case c = { .seed = number };
        uint64_t seed = number * 0x9e3779b97f4a7c15u;
        make_case(&c, &seed);
        for (size_t m = 0; m < COUNT(modes); m++) {
            if (!mode_agrees(&c, modes[m], &seed)) {
                describe(&c, modes[m]);
                fail_msg("the reporter disagrees with the oracle");
            }
        }
        free_case(&c);
    }
}

/* ---- pairs: nests of repeats on long runs ---------------------------------- */

/* Texts and sets made so that many ends share their starts, wholly or in part. */
static const char *const nests[][MAX_PATTERNS] = {
    { "x.*c" },
    { ".{0,50}c" },
    { "a+a+" },
    { "a+a+a+a+" },
    { "[ab]*b" },
    { "x[^c]*b", "[^b]{2,}[^c]+" },
    { "a[^c]{0,30}b", "a[^x]+[^c]*b+" },
    { "a{1,40}" },
    { "a{3,7}b?a{2,}" },
    { "x.*[ab]{2}.*c" },
    { "x.{0,9}.{5,30}a.{0,20}c?b" },
    { "a?a?a?a?a?a?a?a?b+" },
    { "x?.{30}" },
    { "[ab]{10,12}[bc]{0,3}[ab]{10,12}" },
    { "x.*bc", "a.*bb", "[^b]+" },
    { "x.*c", ".{0,50}c", "a+a+", "[ab]*b", "ab" },
    { "a{1,9}", "a{2,8}", "aa", "a+", "a" },
    { "a+|aa", "aa|a+b", "[ab]+|ab|x" },
    { "a{2,5}|a+c", "x.*b|b{3}|b", "aaa" },
    { "[ab]+[ab]{0,3}x", "a*b{4,}", "a.?b", "bb", "c.*.*.*a" },
};

/* Runs of 1 to `longest` equal letters. */
static void write_runs(random_case *c, uint64_t *seed, size_t length, unsigned longest)
{
    for (c->length = 0; c->length < length;) {
        char letter = "aaabbcx"[pick(seed, 7)];
        for (unsigned left = 1 + pick(seed, longest); left > 0 && c->length < length; left--)
            c->text[c->length++] = letter;
    }
}

static void nest_open(random_case *c, const char *const *written)
{
    for (c->count = 0; c->count < MAX_PATTERNS && written[c->count] != NULL; c->count++)
        c->patterns[c->count] =
            extended(strcpy(c->written[c->count], written[c->count]), (uint32_t)(c->count * 2 % 3));
    c->plan = make_plan(c->patterns, c->count);
    find_ends(c);
}

/* Report pairs of the text cut at `cuts`, ascending and ended by c->length, and stop after
 * `most` of them. */
static bool pairs_agree(const random_case *c, const size_t *cuts, const trawl_match *wanted,
                        size_t count, size_t most)
{
    collector got = { 0 };
    match_out out = out_to(collect_match, &got, 0, most < count ? most : UINT64_MAX);
    reporter *r = NULL;
    size_t fed = 0;
    int status;
    assert_int_equal(reporter_open(c->plan, TRAWL_REPORT_PAIRS, &out, &heap, &r, NULL), TRAWL_OK);
    do {
        status = feed_piece(r, &out, c, &fed, *cuts, reporter_keeps(r), 0);
        size_t complete = 0; /* matches of ends fed must have come */
        while (complete < count && wanted[complete].end <= *cuts)
            complete++;
        if (status == TRAWL_OK && got.count != complete)
            break;
    } while (status == TRAWL_OK && *cuts++ < c->length);
    size_t due = most < count ? most : count;
    bool agrees = status == (most < count ? TRAWL_LIMITED : TRAWL_OK) && got.count == due &&
                  same_matches(got.matches, wanted, due, 0);
    reporter_free(r);
    free(got.matches);
    return agrees;
}

/* In one piece; in two, cut at every place; byte by byte; and with limits. */
static bool all_cuts_agree(const random_case *c)
{
    size_t cuts[MAX_TEXT + 1];
    trawl_match *wanted = NULL;
    size_t count =
        oracle_scan(c->patterns, c->count, c->text, c->length, TRAWL_REPORT_PAIRS, &wanted);
    bool agrees = true;
    for (size_t cut = 0; agrees && cut < c->length; cut++) {
        cuts[0] = cut;
        cuts[1] = c->length;
        agrees = pairs_agree(c, cuts, wanted, count, SIZE_MAX);
    }
    agrees = agrees && pairs_agree(c, &(size_t){ c->length }, wanted, count, SIZE_MAX);
    for (size_t i = 0; i < c->length; i++)
        cuts[i] = i + 1;
    for (size_t most = count; agrees && most > 0; most -= 1 + most / 7)
        agrees = pairs_agree(c, cuts, wanted, count, most);
    free(wanted);
    return agrees;
}

static void pairs_on_runs_agree_with_the_oracle(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(nests); i++) {
        for (unsigned round = 0; round < 6; round++) {
            random_case c = { .seed = round };
            uint64_t seed = (i * 6 + round + 1) * 0x9e3779b97f4a7c15u;
            write_runs(&c, &seed, 40 + 20 * round, 1 + round * round);
            nest_open(&c, nests[i]);
            if (!all_cuts_agree(&c)) {
                describe(&c, TRAWL_REPORT_PAIRS);
                fail_msg("the pairs disagree with the oracle's");
            }
            for (size_t m = 0; m < COUNT(modes); m++) {
                if (!mode_agrees(&c, modes[m], &seed)) {
                    describe(&c, modes[m]);
                    fail_msg("the reporter disagrees with the oracle");
                }
            }
            free_case(&c);
        }
    }
}

/* Random nests of elements that share letters, with wide repeats. */
static void write_nest(char *out, uint64_t *seed)
{
    static const char *const sets[] = { "a", "b", "c", "x", "[ab]", "[bc]", "[^c]", "." };
    static const char *const repeats[] = { "",      "",      "?",       "*",       "+",
                                           "{0,3}", "{2,9}", "{0,40}",  "{5,25}",  "{7,}",
                                           "{3}",   "{12}",  "{20,21}", "{1,100}", "{0,1}" };
    unsigned elements = 1 + pick(seed, 7), required = pick(seed, elements);
    out[0] = 0;
    for (unsigned i = 0; i < elements; i++) {
        strcat(out, sets[pick(seed, COUNT(sets))]);
        if (i != required)
            strcat(out, repeats[pick(seed, COUNT(repeats))]);
    }
}

static void pairs_of_random_nests_agree_with_the_oracle(void **state)
{
    (void)state;
    const uint64_t cases = test_cases(CASES);
    for (uint64_t number = 1; number <= cases; number++) {
        random_case c = { .seed = number };
        uint64_t seed = number * 0x2545f4914f6cdd1du;
        char written[MAX_PATTERNS][MAX_WRITTEN];
        const char *set[MAX_PATTERNS] = { NULL };
        write_runs(&c, &seed, pick(&seed, number % 16 ? 120 : MAX_TEXT), 1 + pick(&seed, 40));
        for (unsigned i = 0, count = 1 + pick(&seed, MAX_PATTERNS); i < count; i++) {
            write_nest(written[i], &seed);
            set[i] = written[i];
        }
        nest_open(&c, set);
        if (!mode_agrees(&c, TRAWL_REPORT_PAIRS, &seed)) {
            describe(&c, TRAWL_REPORT_PAIRS);
            fail_msg("the pairs disagree with the oracle's");
        }
        free_case(&c);
    }
}

/* ---- offsets beyond 32 bits ---------------------------------------------- */

static void offsets_beyond_four_gibibytes(void **state)
{
    (void)state;
    const uint64_t far = UINT64_C(5) << 32;
    const trawl_pattern patterns[] = { extended("ab{0,3}c", 1), extended("bc", 2) };
    const record ends[] = { { 4, 0 }, { 4, 1 }, { 6, 0 } };
    static const uint8_t text[] = "##########abbcbc"; /* its last six bytes are at `far` */
    static const char *const wanted[] = { "0-4:1 2-4:2 4-6:2", "0-4:1 2-4:2 4-6:2",
                                          "0-4:1 2-4:2 4-6:2", "0-4:1 4-6:2",
                                          "0-4:1 4-6:2",       "0-4:1 2-4:2 4-6:2" };
    trawl_plan *plan = make_plan(patterns, 2);
    assert_int_equal(plan_patterns(plan)[0].id, 2);
    for (size_t m = 0; m < COUNT(modes); m++) {
        collector got = { 0 };
        match_out out = out_to(collect_match, &got, 0, UINT64_MAX);
        reporter *r = NULL;
        assert_int_equal(reporter_open(plan, modes[m], &out, &heap, &r, NULL), TRAWL_OK);
        /* Nothing ends before `far`, so none of the bytes before it that are not here is read. */
        assert_int_equal(feed(r, &out, NULL, 0, 0, text, far - 10, far, false, NULL), TRAWL_OK);
        assert_true(reporter_keeps(r) >= far - 10);
        assert_int_equal(feed(r, &out, ends, COUNT(ends), far, text, far - 10, far + 6, true, NULL),
                         TRAWL_OK);
        char list[128] = "";
        for (size_t i = 0; i < got.count; i++) {
            char one[40];
            snprintf(one, sizeof one, "%s%llu-%llu:%u", i ? " " : "",
                     (unsigned long long)(got.matches[i].start - far),
                     (unsigned long long)(got.matches[i].end - far), (unsigned)got.matches[i].id);
            strcat(list, one);
        }
        assert_string_equal(list, wanted[m]);
        free(got.matches);
        reporter_free(r);
    }
    trawl_plan_free(plan);
}

/* ---- patterns without a longest match ------------------------------------ */

static int count_match_one(const trawl_match *match, void *user)
{
    (void)match;
    ++*(size_t *)user;
    return 0;
}

EACH_MATCH(count_match)

/* A blank is in no match of [a-z]+, so nothing waits for the end of the text, and no text
 * before the last blank is asked for again. A match of 'b a' crosses the blanks. */
static void unbounded_matches_come_at_gaps(void **state)
{
    (void)state;
    enum { WORDS = 100000, LENGTH = 3 * WORDS };
    const trawl_pattern patterns[] = { extended("[a-z]+", 1), extended("b a", 2) };
    trawl_plan *plan = make_plan(patterns, 2);
    assert_int_equal(plan_patterns(plan)[0].id, 2);
    uint8_t *text = fenced_text(LENGTH, true);
    record *records = malloc(LENGTH * sizeof *records);
    assert_non_null(records);
    size_t ends = 0;
    for (u32 i = 0; i < LENGTH; i += 3) {
        memcpy(text + i, "ab ", 3);
        if (i > 0)
            records[ends++] = (record){ i + 1, 0 };
        records[ends++] = (record){ i + 1, 1 };
        records[ends++] = (record){ i + 2, 1 };
    }
    for (size_t m = 1; m < COUNT(modes); m++) {
        bool all_starts = modes[m] == TRAWL_REPORT_LONGEST || modes[m] == TRAWL_REPORT_SHORTEST;
        size_t wanted = all_starts ? 3 * WORDS - 1 : WORDS, count = 0;
        if (modes[m] == TRAWL_REPORT_EACH)
            wanted = 2 * WORDS - 1; /* all of 'b a', though they overlap words */
        match_out out = out_to(count_match, &count, 0, UINT64_MAX);
        reporter *r = NULL;
        assert_int_equal(reporter_open(plan, modes[m], &out, &heap, &r, NULL), TRAWL_OK);
        assert_int_equal(feed(r, &out, records, ends, 0, text, 0, LENGTH, false, NULL), TRAWL_OK);
        assert_true(count >= wanted - 3);
        assert_true(LENGTH - reporter_keeps(r) <= 3);
        assert_int_equal(feed(r, &out, NULL, 0, 0, text, 0, LENGTH, true, NULL), TRAWL_OK);
        assert_int_equal(count, wanted);
        reporter_free(r);
    }
    trawl_plan_free(plan);
    fenced_free(text, LENGTH);
    free(records);
}

/* The tables of a forged plan may report an end before which there is no room for a match. */
static void ends_without_room_for_a_match_are_left_out(void **state)
{
    (void)state;
    const struct {
        trawl_pattern patterns[2];
        size_t count;
    } sets[] = {
        /* The end tells the start; starts are sought; a run is all; both passes. */
        { { extended("abc", 1) }, 1 },
        { { extended("abc", 1), extended("b+", 2) }, 2 },
        { { extended("[abc]{3,}", 1) }, 1 },
        { { extended("ab?c+", 1) }, 1 },
    };
    const record ends[] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
    for (size_t i = 0; i < COUNT(sets); i++) {
        trawl_plan *plan = make_plan(sets[i].patterns, sets[i].count);
        for (size_t m = 0; m < COUNT(modes); m++) {
            size_t matches = 0;
            match_out out = out_to(count_match, &matches, 0, UINT64_MAX);
            reporter *r = NULL;
            assert_int_equal(reporter_open(plan, modes[m], &out, &heap, &r, NULL), TRAWL_OK);
            assert_int_equal(
                feed(r, &out, ends, COUNT(ends), 0, (const uint8_t *)"abc", 0, 3, true, NULL),
                TRAWL_OK);
            assert_int_equal(matches, 1);
            reporter_free(r);
        }
        trawl_plan_free(plan);
    }
}

/* ---- texts on which a careless method takes hours ------------------------ */

typedef struct summary {
    uint64_t count;
    trawl_match last;
} summary;

static int summarize_one(const trawl_match *match, void *user)
{
    summary *s = user;
    s->count++;
    s->last = *match;
    return 0;
}

EACH_MATCH(summarize)

/* Whether the pattern or alternative, all of which but the last element is in every byte of the
 * text below, ends there. */
static bool ends_after_b(const trawl_plan *plan, const plan_pattern *p, size_t starts, size_t end)
{
    const element *e = plan_elements(plan, p);
    return end >= p->min_length && (p->elements == 0 || class_has(&e[p->elements - 1].set, 'b')) &&
           (p->max_length == LENGTH_UNBOUNDED || end - starts < p->max_length || starts == 0);
}

/* One pattern on a text of a's, then of b's: `starts` + `ends` bytes. The ends are all the
 * offsets after a b, at which an alternative may end. Fed in pieces of `piece` bytes. */
static summary feed_a_then_b(const char *written, size_t starts, size_t ends, uint32_t report,
                             size_t piece)
{
    const size_t length = starts + ends;
    trawl_pattern p = extended(written, 7);
    trawl_plan *plan = make_plan(&p, 1);
    const uint32_t alternatives = plan_head(plan)->pattern_count;
    uint8_t *text = fenced_text(length, true);
    record *records = malloc(ends * alternatives * sizeof *records);
    summary s = { 0 };
    match_out out = out_to(summarize, &s, 0, UINT64_MAX);
    reporter *r = NULL;
    assert_non_null(records);
    memset(text, 'a', starts);
    memset(text + starts, 'b', ends);
    assert_int_equal(reporter_open(plan, report, &out, &heap, &r, NULL), TRAWL_OK);
    for (size_t done = 0; done < length;) {
        size_t upto = length - done < piece ? length : done + piece, count = 0;
        for (size_t end = done + 1; end <= upto; end++)
            for (uint32_t i = 0; end > starts && i < alternatives; i++)
                if (ends_after_b(plan, &plan_patterns(plan)[i], starts, end))
                    records[count++] = (record){ (u32)end, i };
        assert_int_equal(feed(r, &out, records, count, 0, text, 0, upto, upto == length, NULL),
                         TRAWL_OK);
        done = upto;
    }
    reporter_free(r);
    trawl_plan_free(plan);
    fenced_free(text, length);
    free(records);
    return s;
}

/* In pieces that the reporter takes in steps. */
static summary run_a_then_b(const char *written, size_t starts, size_t ends, uint32_t report)
{
    return feed_a_then_b(written, starts, ends, report, 300000);
}

static void long_texts_take_linear_time(void **state)
{
    (void)state;
    const size_t n = 1000000, m = 60000;
    summary s = run_a_then_b("a.*b", n, m, TRAWL_REPORT_LONGEST);
    assert_true(s.count == n && s.last.start == n - 1 && s.last.end == n + m);
    s = run_a_then_b("a.*b", n, m, TRAWL_REPORT_SHORTEST);
    assert_true(s.count == n && s.last.start == n - 1 && s.last.end == n + 1);
    s = run_a_then_b("a.*b", n, m, TRAWL_REPORT_LEFTMOST_LONGEST);
    assert_true(s.count == 1 && s.last.start == 0 && s.last.end == n + m);
    s = run_a_then_b("[ab]*b", n, m, TRAWL_REPORT_LONGEST);
    assert_true(s.count == n + m && s.last.start == n + m - 1 && s.last.end == n + m);
}

static void large_counts_cost_no_more_than_small_ones(void **state)
{
    (void)state;
    const size_t n = 1000000, m = 60000, gap = 50000;
    summary s = run_a_then_b("a.{0,50000}b", n, m, TRAWL_REPORT_LONGEST);
    assert_true(s.count == gap + 1 && s.last.start == n - 1 && s.last.end == n + gap + 1);
    s = run_a_then_b("a.{0,50000}b", n, m, TRAWL_REPORT_SHORTEST);
    assert_true(s.count == gap + 1 && s.last.start == n - 1 && s.last.end == n + 1);
    s = run_a_then_b("a.{0,50000}b", n, m, TRAWL_REPORT_LEFTMOST_FIRST);
    assert_true(s.count == 1 && s.last.start == n - gap - 1 && s.last.end == n + 1);
}

/* What starts one after the other, and what waits for a later end, is not listed byte by byte: the
 * same little memory is taken of every text. */
static void runs_take_little_memory(void **state)
{
    (void)state;
    static const struct {
        const char *written;
        uint64_t longest, chosen; /* matches: one of each start, and those that do not overlap */
        size_t starts;
    } cases[] = { { "[ab]+", 400000, 1, 200000 },      { "a+b", 200000, 1, 200000 },
                  { "a+b+", 200000, 1, 200000 },       { "a.*b", 200000, 1, 200000 },
                  { "a*.{3}a*b+", 399997, 1, 200000 }, { "b+|bb", 400000, 1, 0 },
                  { "bb|b+c", 399999, 200000, 0 },     { "b{2,5}|bbb|b+c", 399999, 80000, 0 } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t m = 1; m < COUNT(modes); m++) {
            const bool all = modes[m] == TRAWL_REPORT_LONGEST || modes[m] == TRAWL_REPORT_SHORTEST;
            const uint64_t before = heap.used;
            heap.peak = before;
            const summary s =
                run_a_then_b(cases[i].written, cases[i].starts, 400000 - cases[i].starts, modes[m]);
            if (s.count != (all ? cases[i].longest : cases[i].chosen))
                fail_msg("%s, report %u: %llu matches", cases[i].written, (unsigned)modes[m],
                         (unsigned long long)s.count);
            if (heap.peak - before > 100000)
                fail_msg("%s, report %u: %llu bytes", cases[i].written, (unsigned)modes[m],
                         (unsigned long long)(heap.peak - before));
        }
    }
}

/* The processor time that `count` patterns take on a run of `length` bytes, each of which has
 * matches of two bytes all over it. */
static double time_of_set(size_t count, size_t length, uint32_t report)
{
    trawl_pattern *patterns = calloc(count + 1, sizeof *patterns);
    char(*written)[24] = calloc(count + 1, sizeof *written);
    record *records = malloc(count * length * sizeof *records);
    uint8_t *text = fenced_text(length, true);
    assert_true(patterns && written && records);
    for (size_t i = 0; i < count; i++) {
        snprintf(written[i], sizeof written[i], "a{1,2}b{0,%zu}", i + 1);
        patterns[i] = extended(written[i], 0);
    }
    patterns[count] = extended("a+c", 0); /* matches wait for the end of the run */
    trawl_plan *plan = make_plan(patterns, count + 1);
    memset(text, 'a', length);
    size_t ends = 0, matches = 0;
    for (size_t end = 1; end <= length; end++)
        for (uint32_t i = 0; i < count + 1; i++)
            if (plan_patterns(plan)[i].order < count)
                records[ends++] = (record){ (u32)end, i };
    match_out out = out_to(count_match, &matches, 0, UINT64_MAX);
    reporter *r = NULL;
    assert_int_equal(reporter_open(plan, report, &out, &heap, &r, NULL), TRAWL_OK);
    const clock_t begun = clock();
    assert_int_equal(feed(r, &out, records, ends, 0, text, 0, length, true, NULL), TRAWL_OK);
    const clock_t taken = clock() - begun;
    assert_int_equal(matches, report == TRAWL_REPORT_EACH ? count * length / 2 : length / 2);
    reporter_free(r);
    trawl_plan_free(plan);
    fenced_free(text, length);
    free(records);
    free(written);
    free(patterns);
    return (double)taken / CLOCKS_PER_SEC;
}

/* What many patterns take for an end is what few take: many on a short run, few on a long one. */
static void time_goes_by_ends_not_by_the_square_of_patterns(void **state)
{
    (void)state;
    static const uint32_t chosen[] = { TRAWL_REPORT_LEFTMOST_LONGEST, TRAWL_REPORT_LEFTMOST_FIRST,
                                       TRAWL_REPORT_EACH };
    for (size_t m = 0; m < COUNT(chosen); m++) {
        const double few = time_of_set(300, 6000, chosen[m]);
        const double many = time_of_set(6000, 300, chosen[m]);
        if (many > 4 * few + 0.5)
            fail_msg("report %u: 300 patterns %.2f s, 6000 patterns %.2f s", chosen[m], few, many);
    }
}

/* The pieces are of one byte at times: what is known must be kept from one to the next. */
static void pairs_take_time_by_their_number(void **state)
{
    (void)state;
    const size_t n = 1000000, gap = 50000;
    for (size_t piece = 1; piece <= n; piece *= 1000) {
        summary s = feed_a_then_b("a.*b", 1, n, TRAWL_REPORT_PAIRS, piece);
        assert_true(s.count == n && s.last.start == 0 && s.last.end == n + 1);
        s = feed_a_then_b("a.*.*.{3,}.*b?b", 1, n, TRAWL_REPORT_PAIRS, piece);
        assert_true(s.count == n - 3 && s.last.start == 0 && s.last.end == n + 1);
        s = feed_a_then_b("a.{0,50000}b", 1, n, TRAWL_REPORT_PAIRS, piece);
        assert_true(s.count == gap + 1 && s.last.start == 0 && s.last.end == gap + 2);
        s = feed_a_then_b("a.{50000}b", gap, n, TRAWL_REPORT_PAIRS, piece);
        assert_true(s.count == gap && s.last.start == gap - 1 && s.last.end == 2 * gap + 1);
        s = feed_a_then_b("a+b", n, 1, TRAWL_REPORT_PAIRS, piece);
        assert_true(s.count == n && s.last.start == n - 1 && s.last.end == n + 1);
        s = feed_a_then_b("[ab]*b", 3, 2000, TRAWL_REPORT_PAIRS, piece);
        assert_true(s.count == 2007000 && s.last.start == 2002 && s.last.end == 2003);
    }
}

/* ---- records and single matches ------------------------------------------ */

static void records_are_sorted_by_position_then_index(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        uint64_t seed = round + 1;
        size_t count = pick(&seed, 200);
        unsigned spread = 1u << pick(&seed, 31), kinds = 1u << pick(&seed, 25);
        record records[200], scratch[200];
        uint64_t sum = 0, sorted_sum = 0;
        for (size_t i = 0; i < count; i++) {
            records[i] = (record){ 2 * pick(&seed, spread), pick(&seed, kinds) };
            sum += records[i].pos * UINT64_C(31) + records[i].index;
        }
        records_sort(records, count, scratch);
        for (size_t i = 0; i < count; i++) {
            sorted_sum += records[i].pos * UINT64_C(31) + records[i].index;
            if (i > 0)
                assert_true(records[i - 1].pos < records[i].pos ||
                            (records[i - 1].pos == records[i].pos &&
                             records[i - 1].index <= records[i].index));
        }
        assert_true(sum == sorted_sum);
    }
}

static void emit_adds_the_base_and_counts_down(void **state)
{
    (void)state;
    const plan_pattern p = { .id = 9, .order = 4 };
    collector got = { 0 };
    match_out out = out_to(collect_match, &got, 100, 2);
    assert_int_equal(match_emit(&out, &p, 1, 3), TRAWL_OK);
    assert_int_equal(match_emit(&out, &p, TRAWL_UNKNOWN, 4), TRAWL_LIMITED);
    assert_int_equal(match_emit(&out, &p, 2, 4), TRAWL_LIMITED);
    assert_int_equal(got.count, 2);
    const trawl_match wanted[] = { { 101, 103, 9, 4, 0 }, { TRAWL_UNKNOWN, 104, 9, 4, 0 } };
    assert_true(same_matches(got.matches, wanted, 2, 0));

    out.left = UINT64_MAX;
    got.stop_after = 3;
    assert_int_equal(match_emit(&out, &p, 5, 6), TRAWL_OK);
    assert_int_equal(match_flush(&out), TRAWL_STOPPED);
    assert_true(out.left == UINT64_MAX);
    free(got.matches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_sorted_by_position_then_index),
        cmocka_unit_test(emit_adds_the_base_and_counts_down),
        cmocka_unit_test(random_cases_agree_with_the_oracle),
        cmocka_unit_test(pairs_on_runs_agree_with_the_oracle),
        cmocka_unit_test(pairs_of_random_nests_agree_with_the_oracle),
        cmocka_unit_test(offsets_beyond_four_gibibytes),
        cmocka_unit_test(unbounded_matches_come_at_gaps),
        cmocka_unit_test(ends_without_room_for_a_match_are_left_out),
        cmocka_unit_test(long_texts_take_linear_time),
        cmocka_unit_test(large_counts_cost_no_more_than_small_ones),
        cmocka_unit_test(runs_take_little_memory),
        cmocka_unit_test(time_goes_by_ends_not_by_the_square_of_patterns),
        cmocka_unit_test(pairs_take_time_by_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
