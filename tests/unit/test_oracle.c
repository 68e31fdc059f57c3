/* test_oracle.c: the oracle against the truth by hand, and against a check so plain
 * that it needs no truth: a matcher that asks of each start and end whether the
 * pattern fits exactly between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle.h"

#define ENDS TRAWL_REPORT_ENDS
#define PAIRS TRAWL_REPORT_PAIRS
#define LONGEST TRAWL_REPORT_LONGEST
#define SHORTEST TRAWL_REPORT_SHORTEST
#define LEFTMOST_LONGEST TRAWL_REPORT_LEFTMOST_LONGEST
#define LEFTMOST_FIRST TRAWL_REPORT_LEFTMOST_FIRST
#define EACH TRAWL_REPORT_EACH

/* A string literal, which may hold NUL, as pointer and length. */
#define BYTES(string) (string), sizeof(string) - 1

#define PATTERN(string, syntax, flags, id)                                                         \
    {                                                                                              \
        BYTES(string), (syntax), (flags), (id), NULL                                               \
    }
#define LITERAL(string, id) PATTERN(string, TRAWL_SYNTAX_LITERAL, 0, id)
#define ESCAPED(string, id) PATTERN(string, TRAWL_SYNTAX_ESCAPED, 0, id)
#define EXTENDED(string, id) PATTERN(string, TRAWL_SYNTAX_EXTENDED, 0, id)

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* "0-3 ?-5": start-end of each match, ? for an unknown start. With more than one
 * pattern "0-3:7.1": the id and the index, too. */
static void render(const trawl_match *matches, size_t count, bool one_pattern, char *out,
                   size_t room)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const trawl_match *m = &matches[i];
        char start[24] = "?", id[32] = "";
        if (m->start != TRAWL_UNKNOWN)
            snprintf(start, sizeof start, "%llu", (unsigned long long)m->start);
        if (!one_pattern)
            snprintf(id, sizeof id, ":%u.%u", (unsigned)m->id, (unsigned)m->pattern);
        used += (size_t)snprintf(out + used, room - used, "%s%s-%llu%s", i ? " " : "", start,
                                 (unsigned long long)m->end, id);
        assert_true(used < room);
    }
}

static void expect(const trawl_pattern *patterns, size_t count, const char *text, size_t length,
                   uint32_t report, const char *expected)
{
    char found[4096];
    trawl_match *matches = NULL;
    size_t matched = oracle_scan(patterns, count, text, length, report, &matches);
    assert_true((matches == NULL) == (matched == 0));
    render(matches, matched, count == 1, found, sizeof found);
    free(matches);
    assert_string_equal(found, expected);
}

/* One extended pattern. */
static void expect_one(const char *pattern, uint32_t flags, const char *text, uint32_t report,
                       const char *expected)
{
    trawl_pattern p = { pattern, strlen(pattern), TRAWL_SYNTAX_EXTENDED, flags, 0, NULL };
    expect(&p, 1, text, strlen(text), report, expected);
}

static void expect_pairs(const char *pattern, const char *text, const char *expected)
{
    expect_one(pattern, 0, text, PAIRS, expected);
}

/* The offsets of the bytes 0 .. 255 that a one-byte pattern matches, as ranges. */
static void expect_bytes(const char *pattern, uint32_t flags, const char *expected)
{
    unsigned char text[256];
    char found[4096] = "";
    size_t used = 0;
    trawl_pattern p = { pattern, strlen(pattern), TRAWL_SYNTAX_EXTENDED, flags, 0, NULL };
    trawl_match *matches = NULL;
    for (unsigned byte = 0; byte < 256; byte++)
        text[byte] = (unsigned char)byte;
    size_t count = oracle_scan(&p, 1, text, sizeof text, ENDS, &matches);
    for (size_t i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && matches[j].start == matches[j - 1].start + 1;)
            j++;
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%02x-%02x", i ? " " : "",
                                 (unsigned)matches[i].start, (unsigned)matches[j - 1].start);
        assert_true(used < sizeof found);
    }
    free(matches);
    assert_string_equal(found, expected);
}

/* ---- report modes ---------------------------------------------------- */

static void design_example_in_all_modes(void **state)
{
    const char *pattern = "A.{1,3}C", *text = "ABCDCACCCC";
    (void)state;
    expect_one(pattern, 0, text, ENDS, "?-3 ?-5 ?-8 ?-9 ?-10");
    expect_one(pattern, 0, text, PAIRS, "0-3 0-5 5-8 5-9 5-10");
    expect_one(pattern, 0, text, LONGEST, "0-5 5-10");
    expect_one(pattern, 0, text, SHORTEST, "0-3 5-8");
    expect_one(pattern, 0, text, LEFTMOST_LONGEST, "0-5 5-10");
    expect_one(pattern, 0, text, LEFTMOST_FIRST, "0-5 5-10");
}

static void overlaps_of_a_literal(void **state)
{
    const trawl_pattern p = LITERAL("aba", 0);
    const uint32_t all[] = { ENDS, PAIRS, LONGEST, SHORTEST, EACH };
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++)
        expect(&p, 1, BYTES("abababa"), all[i], "0-3 2-5 4-7");
    expect(&p, 1, BYTES("abababa"), LEFTMOST_LONGEST, "0-3 4-7");
    expect(&p, 1, BYTES("abababa"), LEFTMOST_FIRST, "0-3 4-7");
}

static void unbounded_repeat_in_all_modes(void **state)
{
    (void)state;
    expect_one("a+", 0, "aaba", ENDS, "?-1 ?-2 ?-4");
    expect_one("a+", 0, "aaba", PAIRS, "0-1 0-2 1-2 3-4");
    expect_one("a+", 0, "aaba", LONGEST, "0-2 1-2 3-4");
    expect_one("a+", 0, "aaba", SHORTEST, "0-1 1-2 3-4");
    expect_one("a+", 0, "aaba", LEFTMOST_LONGEST, "0-2 3-4");
    expect_one("a+", 0, "aaba", LEFTMOST_FIRST, "0-2 3-4");
}

/* An earlier start wins over any length, order and id; the next search begins at the end. */
static void leftmost_start_wins(void **state)
{
    const trawl_pattern set[] = { LITERAL("bcdef", 0), LITERAL("abc", 7) };
    (void)state;
    expect(set, COUNT(set), BYTES("abcdef"), LEFTMOST_LONGEST, "0-3:7.1");
    expect(set, COUNT(set), BYTES("abcdef"), LEFTMOST_FIRST, "0-3:7.1");
    expect_one("a.a?", 0, "aaaaaaa", LEFTMOST_LONGEST, "0-3 3-6");
    expect_one("a.*b", 0, "xaabab", LEFTMOST_LONGEST, "1-6");
    expect_one("ab?c?", 0, "abcacaab", LEFTMOST_FIRST, "0-3 3-5 5-6 6-8");
}

static void leftmost_longest_chooses_by_length_then_id(void **state)
{
    const trawl_pattern set[] = { LITERAL("ab", 9), LITERAL("abcd", 5), EXTENDED("ab[c]d", 3),
                                  LITERAL("abcd", 3), LITERAL("bcdefg", 0) };
    (void)state;
    expect(set, COUNT(set), BYTES("abcdefgab"), LEFTMOST_LONGEST, "0-4:3.2 7-9:9.0");
    expect(set, COUNT(set), BYTES("bcdefg"), LEFTMOST_LONGEST, "0-6:0.4");
}

/* A pattern of fixed length has all matches, overlapping ones too; others none that overlap. */
static void each_pattern_has_its_own_matches(void **state)
{
    const trawl_pattern set[] = { LITERAL("aba", 0), EXTENDED("b+a?", 1), EXTENDED("[ab]{2,3}", 2),
                                  EXTENDED("ab|b", 3) };
    (void)state;
    expect(set, COUNT(set), BYTES("ababa"), EACH,
           "0-2:3.3 0-3:0.0 0-3:2.2 1-3:1.1 2-4:3.3 2-5:0.0 3-5:1.1 3-5:2.2");
}

static void leftmost_first_chooses_by_order(void **state)
{
    const trawl_pattern set[] = { LITERAL("sam", 9), LITERAL("samwise", 1), EXTENDED("sa+", 0) };
    const trawl_pattern turned[] = { EXTENDED("sa+", 0), LITERAL("samwise", 1), LITERAL("sam", 9) };
    (void)state;
    expect(set, COUNT(set), BYTES("samwise saas"), LEFTMOST_FIRST, "0-3:9.0 8-11:0.2");
    expect(turned, COUNT(turned), BYTES("samwise saas"), LEFTMOST_FIRST, "0-2:0.0 8-11:0.0");
}

/* ---- order and identity ---------------------------------------------- */

static void equal_patterns_are_reported_each(void **state)
{
    const trawl_pattern set[] = { LITERAL("ab", 7), LITERAL("ab", 2), LITERAL("ab", 7) };
    const uint32_t all[] = { ENDS, PAIRS, LONGEST, SHORTEST };
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++)
        expect(set, 3, BYTES("abab"), all[i], "0-2:2.1 0-2:7.0 0-2:7.2 2-4:2.1 2-4:7.0 2-4:7.2");
    expect(set, 3, BYTES("abab"), LEFTMOST_LONGEST, "0-2:2.1 2-4:2.1");
    expect(set, 3, BYTES("abab"), LEFTMOST_FIRST, "0-2:7.0 2-4:7.0");
}

static void order_is_end_start_id_index(void **state)
{
    const trawl_pattern set[] = { LITERAL("c", 1), LITERAL("abc", 9), LITERAL("bc", 5),
                                  EXTENDED("[b]c", 4), LITERAL("ab", 8) };
    (void)state;
    expect(set, COUNT(set), BYTES("abc"), ENDS, "0-2:8.4 0-3:9.1 1-3:4.3 1-3:5.2 2-3:1.0");
}

static void unknown_starts_come_last(void **state)
{
    const trawl_pattern set[] = { EXTENDED("b?c", 0), LITERAL("c", 6), EXTENDED("bc+", 0),
                                  LITERAL("bc", 9) };
    (void)state;
    expect(set, COUNT(set), BYTES("bc"), ENDS, "0-2:9.3 1-2:6.1 ?-2:0.0 ?-2:0.2");
    expect(set, COUNT(set), BYTES("bc"), PAIRS, "0-2:0.0 0-2:0.2 0-2:9.3 1-2:0.0 1-2:6.1");
}

/* The start is known when all matches have one length, whatever the syntax. */
static void ends_know_the_start_of_fixed_lengths(void **state)
{
    (void)state;
    expect_one("a.{2}[bc]", 0, "aaaab", ENDS, "1-5");
    expect_one("a{2}b{3,3}", 0, "aaabbb", ENDS, "1-6");
    expect_one("a{2,3}", 0, "aaaa", ENDS, "?-2 ?-3 ?-4");
    expect_one("ab?b", 0, "abb", ENDS, "?-2 ?-3");
}

/* ---- repeats --------------------------------------------------------- */

static void repeats(void **state)
{
    (void)state;
    expect_pairs("ab?c", "ac abc abbc", "0-2 3-6");
    expect_pairs("ab*c", "ac abc abbc", "0-2 3-6 7-11");
    expect_pairs("ab+c", "ac abc abbc", "3-6 7-11");
    expect_pairs("ab{2}c", "abc abbc abbbc", "4-8");
    expect_pairs("ab{2,}c", "abc abbc abbbc", "4-8 9-14");
    expect_pairs("ab{1,2}c", "ac abc abbc abbbc", "3-6 7-11");
    expect_pairs("ab{,1}c", "ac abc abbc", "0-2 3-6");
    expect_pairs("ab{12}c", "abbbbbbbbbbbbc abbbbbbbbbbbc", "0-14");
    expect_pairs("a{2}", "aaaa", "0-2 1-3 2-4");
    expect_pairs("a{2,3}", "aaaa", "0-2 0-3 1-3 1-4 2-4");
    expect_pairs("x?y?z", "xyz", "0-3 1-3 2-3");
    expect_pairs("a*b", "aab", "0-3 1-3 2-3");
    expect_pairs("ba*", "baab", "0-1 0-2 0-3 3-4");
}

static void neighbours_that_share_bytes(void **state)
{
    (void)state;
    expect_pairs("a*a", "aaa", "0-1 0-2 1-2 0-3 1-3 2-3");
    expect_pairs("a+ab", "aaab", "0-4 1-4");
    expect_pairs(".*a", "ba", "0-2 1-2");
    expect_pairs("a.{0,2}.{0,2}b", "axxxxb axxxxxb", "0-6");
    expect_pairs("[ab]{1,2}[bc]{2}", "abbc", "0-3 0-4 1-4");
    expect_one("a.*b.*c", 0, "abcabc", LONGEST, "0-6 3-6");
    expect_one("a.*b.*c", 0, "abcabc", SHORTEST, "0-3 3-6");
}

/* ---- classes, escapes, flags ----------------------------------------- */

static void classes(void **state)
{
    (void)state;
    expect_bytes("[a-cx]", 0, "61-63 78-78");
    expect_bytes("[^a-c]", 0, "00-60 64-ff");
    expect_bytes("[a-]", 0, "2d-2d 61-61");
    expect_bytes("[-a]", 0, "2d-2d 61-61");
    expect_bytes("[a^]", 0, "5e-5e 61-61");
    expect_bytes("[.*+?{(|$]", 0, "24-24 28-28 2a-2b 2e-2e 3f-3f 7b-7c");
    expect_bytes("[\\]\\\\]", 0, "5c-5d");
    expect_bytes("[]a]", 0, "5d-5d 61-61");
    expect_bytes("[^]a]", 0, "00-5c 5e-60 62-ff");
    expect_bytes("[\\x00-\\x1f\\xfe-\\xff]", 0, "00-1f fe-ff");
    expect_bytes("[a\\-c]", 0, "2d-2d 61-61 63-63");
    expect_bytes("[\\d\\n]", 0, "0a-0a 30-39");
    expect_bytes("[^\\W_]", 0, "30-39 41-5a 61-7a");
    expect_bytes("[\\D5]", 0, "00-2f 35-35 3a-ff");
    expect_bytes("[\\d-]", 0, "2d-2d 30-39");
}

static void named_classes(void **state)
{
    (void)state;
    expect_bytes("\\d", 0, "30-39");
    expect_bytes("\\D", 0, "00-2f 3a-ff");
    expect_bytes("\\w", 0, "30-39 41-5a 5f-5f 61-7a");
    expect_bytes("\\W", 0, "00-2f 3a-40 5b-5e 60-60 7b-ff");
    expect_bytes("\\s", 0, "09-0d 20-20");
    expect_bytes("\\S", 0, "00-08 0e-1f 21-ff");
    expect_bytes(".", 0, "00-ff");
    expect_bytes("[[:punct:]]", 0, "21-2f 3a-40 5b-60 7b-7e");
    expect_bytes("[^[:print:]\\t]", 0, "00-08 0a-1f 7f-ff");
    expect_bytes("[[:upper:][:cntrl:]-]", 0, "00-1f 2d-2d 41-5a 7f-7f");
    expect_bytes("[[:lower:]]", TRAWL_NOCASE, "41-5a 61-7a");
    expect_bytes("[[:]", 0, "3a-3a 5b-5b");
}

static void escapes(void **state)
{
    static const char *const table[][2] = {
        { "\\n", "0a-0a" },   { "\\t", "09-09" },   { "\\r", "0d-0d" },   { "\\a", "07-07" },
        { "[\\b]", "08-08" }, { "\\e", "1b-1b" },   { "\\f", "0c-0c" },   { "\\v", "0b-0b" },
        { "\\\\", "5c-5c" },  { "\\x7F", "7f-7f" }, { "\\xfF", "ff-ff" }, { "\\0", "00-00" },
        { "\\012", "0a-0a" }, { "\\.", "2e-2e" },   { "\\{", "7b-7b" },   { "\\-", "2d-2d" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++)
        expect_bytes(table[i][0], 0, table[i][1]);
    expect_pairs("\\0101", "\b1", "0-2");
    expect_pairs("\\x414", "A4", "0-2");
}

static void plain_syntaxes(void **state)
{
    const trawl_pattern dots = ESCAPED("a.*\\x42\\\\", 0), zero = ESCAPED("\\0\\n", 0);
    const trawl_pattern octal = ESCAPED("\\101\\b\\377", 0), raw = LITERAL("\\n[a]+", 0);
    (void)state;
    expect(&dots, 1, BYTES("a.*B\\ axxB\\"), ENDS, "0-5");
    expect(&zero, 1, BYTES("x\0\n"), ENDS, "1-3");
    expect(&octal, 1, BYTES("A\b\xff"), ENDS, "0-3");
    expect(&raw, 1, BYTES("\na \\n[a]+"), ENDS, "3-9");
}

static void nocase(void **state)
{
    const trawl_pattern literal = PATTERN("aB[\xc4", TRAWL_SYNTAX_LITERAL, TRAWL_NOCASE, 0);
    const trawl_pattern escaped = PATTERN("\\x41b", TRAWL_SYNTAX_ESCAPED, TRAWL_NOCASE, 0);
    const trawl_pattern set[] = { PATTERN("a", TRAWL_SYNTAX_EXTENDED, TRAWL_NOCASE, 0),
                                  EXTENDED("a", 1) };
    (void)state;
    expect(set, 2, BYTES("Aa"), ENDS, "0-1:0.0 1-2:0.0 1-2:1.1");
    expect_bytes("k", TRAWL_NOCASE, "4b-4b 6b-6b");
    expect_bytes("[A-C]", TRAWL_NOCASE, "41-43 61-63");
    expect_bytes("[^a]", TRAWL_NOCASE, "00-40 42-60 62-ff");
    expect_bytes("[Z-a]", TRAWL_NOCASE, "41-41 5a-61 7a-7a");
    expect_bytes("@", TRAWL_NOCASE, "40-40");
    expect_bytes("\\xe4", TRAWL_NOCASE, "e4-e4");
    expect_bytes("\\x5a", TRAWL_NOCASE, "5a-5a 7a-7a");
    expect(&literal, 1, BYTES("Ab[\xc4 aB[\xe4 AB{\xc4"), ENDS, "0-4");
    expect(&escaped, 1, BYTES("AB ab aB Ab"), ENDS, "0-2 3-5 6-8 9-11");
}

static void lines(void **state)
{
    (void)state;
    expect_bytes(".", TRAWL_LINES, "00-09 0b-ff");
    expect_bytes("[^a]", TRAWL_LINES, "00-09 0b-60 62-ff");
    expect_bytes("\\s", TRAWL_LINES, "09-09 0b-0d 20-20");
    expect_bytes("[\\n\\r]", TRAWL_LINES, "0d-0d");
    expect_one("a.*b", 0, "a\nb ab", PAIRS, "0-3 0-6 4-6");
    expect_one("a.*b", TRAWL_LINES, "a\nb ab", PAIRS, "4-6");
    expect_one("a\\s?b", TRAWL_LINES, "a\nb a\tb", PAIRS, "4-7");
}

static void any_byte(void **state)
{
    const trawl_pattern nul = LITERAL("\0", 1), high = LITERAL("\xff\xff", 2);
    const trawl_pattern mixed = EXTENDED("\\0.\xff", 3), raw = EXTENDED("\0+", 4);
    const trawl_pattern range = EXTENDED("[\x80-\xff]{2}", 5);
    (void)state;
    expect(&nul, 1, BYTES("\0a\0\0"), ENDS, "0-1 2-3 3-4");
    expect(&high, 1, BYTES("\xff\xff\xff\0\xff\xff"), ENDS, "0-2 1-3 4-6");
    expect(&mixed, 1, BYTES("\0\0\xff\xff"), ENDS, "0-3 1-4");
    expect(&raw, 1, BYTES("\0\0a"), PAIRS, "0-1 0-2 1-2");
    expect(&range, 1, BYTES("\x7f\x80\xc0\xff\x7f"), ENDS, "1-3 2-4");
}

static void edges(void **state)
{
    const trawl_pattern whole = LITERAL("abc", 0);
    (void)state;
    expect(&whole, 1, BYTES("abc"), ENDS, "0-3");
    expect(&whole, 1, BYTES("ab"), ENDS, "");
    expect(&whole, 1, BYTES("bcab"), ENDS, "");
    for (uint32_t report = ENDS; report <= EACH; report++) {
        expect(&whole, 1, NULL, 0, report, "");
        expect_one("a+", 0, "", report, "");
    }
}

/* ---- property: against all starts and ends --------------------------- */

enum {
    MAX_ELEMENTS = 5,
    MAX_PATTERNS = 3,
    MAX_TEXT = 12,
    MAX_MATCHES = MAX_PATTERNS * MAX_TEXT * MAX_TEXT,
    NO_MAXIMUM = 1000
};

typedef struct plain_element {
    const char *members; /* the bytes that it matches */
    unsigned min, max;
} plain_element;

typedef struct plain_pattern {
    plain_element elements[MAX_ELEMENTS];
    size_t count;
    char written[64]; /* the same in extended syntax */
} plain_pattern;

typedef struct plain_case {
    plain_pattern patterns[MAX_PATTERNS];
    trawl_pattern given[MAX_PATTERNS];
    size_t count;
    char text[MAX_TEXT + 1];
    size_t length;
    trawl_match pairs[MAX_MATCHES]; /* the truth, by pattern */
    size_t pair_count;
} plain_case;

/* xorshift64*: never zero, good enough to pick cases. */
static unsigned pick(uint64_t *seed, unsigned below)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (unsigned)((*seed * 0x2545f4914f6cdd1du) >> 33) % below;
}

static void make_pattern(plain_pattern *p, uint64_t *seed)
{
    static const struct {
        const char *written, *members;
    } sets[] = { { "a", "a" },      { "b", "b" },       { "[ab]", "ab" },
                 { "[^a]", "bc" },  { ".", "abc" },     { "\\x63", "c" },
                 { "[b-c]", "bc" }, { "[\\D]", "abc" }, { "\\d", "" } };
    static const struct {
        const char *written;
        unsigned min, max;
    } repeats_of[] = { { "", 1, 1 },           { "", 1, 1 },
                       { "", 1, 1 },           { "?", 0, 1 },
                       { "{2}", 2, 2 },        { "{1,3}", 1, 3 },
                       { "{,2}", 0, 2 },       { "*", 0, NO_MAXIMUM },
                       { "+", 1, NO_MAXIMUM }, { "{2,}", 2, NO_MAXIMUM } };
    unsigned shortest;
    do {
        p->count = 1 + pick(seed, MAX_ELEMENTS);
        p->written[0] = 0;
        shortest = 0;
        for (size_t i = 0; i < p->count; i++) {
            unsigned set = pick(seed, pick(seed, 4) ? COUNT(sets) - 1 : COUNT(sets));
            unsigned repeat = pick(seed, COUNT(repeats_of));
            p->elements[i] = (plain_element){ sets[set].members, repeats_of[repeat].min,
                                              repeats_of[repeat].max };
            strcat(p->written, sets[set].written);
            strcat(p->written, repeats_of[repeat].written);
            shortest += repeats_of[repeat].min;
        }
    } while (shortest == 0);
}

/* Do the elements, of which the first has matched `used` bytes, fit text exactly? */
static bool fits(const plain_element *e, size_t count, unsigned used, const char *text,
                 size_t length)
{
    if (count == 0)
        return length == 0;
    if (used >= e->min && fits(e + 1, count - 1, 0, text, length))
        return true;
    return used < e->max && length > 0 && strchr(e->members, text[0]) &&
           fits(e, count, used + 1, text + 1, length - 1);
}

static void make_case(plain_case *c, uint64_t *seed)
{
    c->length = pick(seed, MAX_TEXT + 1);
    for (size_t i = 0; i < c->length; i++)
        c->text[i] = "abc"[pick(seed, 3)];
    c->text[c->length] = 0;
    c->count = 1 + pick(seed, MAX_PATTERNS);
    c->pair_count = 0;
    for (size_t i = 0; i < c->count; i++) {
        plain_pattern *p = &c->patterns[i];
        make_pattern(p, seed);
        c->given[i] = (trawl_pattern){ p->written, strlen(p->written), TRAWL_SYNTAX_EXTENDED,
                                       0,          pick(seed, 3),      NULL };
        for (size_t start = 0; start < c->length; start++)
            for (size_t end = start + 1; end <= c->length; end++)
                if (fits(p->elements, p->count, 0, c->text + start, end - start))
                    c->pairs[c->pair_count++] =
                        (trawl_match){ start, end, c->given[i].id, (uint32_t)i, 0 };
    }
}

static bool has_fixed_length(const plain_pattern *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->elements[i].min != p->elements[i].max)
            return false;
    return true;
}

/* Is another pair of this pattern and start longer (or shorter)? */
static bool has_rival(const plain_case *c, const trawl_match *m, bool longer)
{
    for (size_t i = 0; i < c->pair_count; i++) {
        const trawl_match *other = &c->pairs[i];
        if (other->pattern == m->pattern && other->start == m->start &&
            (longer ? other->end > m->end : other->end < m->end))
            return true;
    }
    return false;
}

static bool holds(const trawl_match *list, size_t count, const trawl_match *m)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].start == m->start && list[i].end == m->end && list[i].pattern == m->pattern)
            return true;
    return false;
}

/* Does `a` win over `b` in a mode without overlaps? */
static bool wins(const trawl_match *a, const trawl_match *b, uint32_t report)
{
    if (a->start != b->start)
        return a->start < b->start;
    if (report == LEFTMOST_FIRST)
        return a->pattern != b->pattern ? a->pattern < b->pattern : a->end > b->end;
    if (a->end != b->end)
        return a->end > b->end;
    return a->id != b->id ? a->id < b->id : a->pattern < b->pattern;
}

/* `patterns` of them compete, from number `first` on. */
static size_t without_overlaps(const plain_case *c, uint32_t report, uint32_t first,
                               uint32_t patterns, trawl_match *list)
{
    size_t count = 0;
    uint64_t from = 0;
    for (;;) {
        const trawl_match *best = NULL;
        for (size_t i = 0; i < c->pair_count; i++)
            if (c->pairs[i].pattern - first < patterns && c->pairs[i].start >= from &&
                (!best || wins(&c->pairs[i], best, report)))
                best = &c->pairs[i];
        if (!best)
            return count;
        list[count++] = *best;
        from = best->end;
    }
}

/* What the report mode should give, in any order. */
static size_t select_pairs(const plain_case *c, uint32_t report, trawl_match *list)
{
    size_t count = 0;
    if (report == LEFTMOST_LONGEST || report == LEFTMOST_FIRST)
        return without_overlaps(c, report, 0, (uint32_t)c->count, list);
    for (uint32_t i = 0; report == EACH && i < c->count; i++)
        if (!has_fixed_length(&c->patterns[i]))
            count += without_overlaps(c, LEFTMOST_LONGEST, i, 1, list + count);
    for (size_t i = 0; i < c->pair_count; i++) {
        trawl_match m = c->pairs[i];
        if (report == ENDS && !has_fixed_length(&c->patterns[m.pattern]))
            m.start = TRAWL_UNKNOWN;
        if ((report == LONGEST && has_rival(c, &m, true)) ||
            (report == SHORTEST && has_rival(c, &m, false)) ||
            (report == EACH && !has_fixed_length(&c->patterns[m.pattern])) ||
            holds(list, count, &m))
            continue;
        list[count++] = m;
    }
    return count;
}

static bool in_order(const trawl_match *a, const trawl_match *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    if (a->start != b->start)
        return a->start < b->start;
    return a->id != b->id ? a->id < b->id : a->pattern < b->pattern;
}

/* The same matches, each once, in the promised order? */
static bool agrees(const plain_case *c, uint32_t report)
{
    trawl_match wanted[MAX_MATCHES], *found = NULL;
    size_t count = select_pairs(c, report, wanted);
    bool same = oracle_scan(c->given, c->count, c->text, c->length, report, &found) == count;
    for (size_t i = 0; same && i < count; i++)
        same = holds(wanted, count, &found[i]) && found[i].id == c->given[found[i].pattern].id &&
               (i == 0 || in_order(&found[i - 1], &found[i]));
    free(found);
    return same;
}

static void random_cases_agree_with_all_starts_and_ends(void **state)
{
    (void)state;
    for (uint64_t number = 1; number <= 5000; number++) {
        plain_case c;
        uint64_t seed = number * 0x9e3779b97f4a7c15u;
        make_case(&c, &seed);
        for (uint32_t report = ENDS; report <= EACH; report++) {
            if (agrees(&c, report))
                continue;
            for (size_t i = 0; i < c.count; i++)
                print_error("pattern %s id %u\n", c.patterns[i].written, (unsigned)c.given[i].id);
            fail_msg("case %u, report mode %u, text %s", (unsigned)number, (unsigned)report,
                     c.text);
        }
    }
}

/* ---- grids ----------------------------------------------------------- */

/* "row,col:id.index" of each match. */
static void expect_grid(const trawl_needle *needles, size_t count, uint32_t cell_size,
                        const trawl_grid *text, const char *expected)
{
    char found[4096] = "";
    size_t used = 0;
    trawl_grid_match *matches = NULL;
    size_t matched = oracle_scan_grid(needles, count, cell_size, text, &matches);
    assert_true((matches == NULL) == (matched == 0));
    for (size_t i = 0; i < matched; i++) {
        const trawl_grid_match *m = &matches[i];
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%u,%u:%u.%u", i ? " " : "",
                                 (unsigned)m->row, (unsigned)m->col, (unsigned)m->id,
                                 (unsigned)m->needle);
        assert_true(used < sizeof found);
    }
    free(matches);
    assert_string_equal(found, expected);
}

static void grid_finds_overlaps(void **state)
{
    const trawl_grid text = { "aaab"
                              "aaaa"
                              "baaa",
                              3, 4, 0 };
    const trawl_needle needle = { "aaaa", 2, 2, 0, 5, NULL };
    (void)state;
    expect_grid(&needle, 1, 1, &text, "0,0:5.0 0,1:5.0 1,1:5.0 1,2:5.0");
}

static void grid_order_is_row_col_id_index(void **state)
{
    const trawl_grid text = { "abab", 2, 2, 0 };
    const trawl_needle needles[] = { { "ab", 1, 2, 0, 9, NULL },
                                     { "a", 1, 1, 0, 9, NULL },
                                     { "aa", 2, 1, 0, 3, NULL },
                                     { "b", 1, 1, 0, 1, NULL } };
    (void)state;
    expect_grid(needles, COUNT(needles), 1, &text,
                "0,0:3.2 0,0:9.0 0,0:9.1 0,1:1.3 1,0:9.0 1,0:9.1 1,1:1.3");
}

/* The bytes between the end of a row and the stride belong to nothing. */
static void grid_strides(void **state)
{
    const trawl_grid text = { "xabZZ"
                              "xcdZZ"
                              "abcdZ",
                              3, 4, 5 };
    const trawl_needle needle = { "ab??cd", 2, 2, 4, 0, NULL };
    const trawl_needle across = { "Z", 1, 1, 0, 0, NULL };
    (void)state;
    expect_grid(&needle, 1, 1, &text, "0,1:0.0");
    expect_grid(&across, 1, 1, &text, "0,3:0.0 1,3:0.0");
}

/* A match begins at a whole cell, never in the middle of one. */
static void grid_cells_of_two_to_four_bytes(void **state)
{
    const uint16_t wide[] = { 0x0101, 0x0101, 0x0102, 0x0101, 0x0102, 0x0101 };
    const uint16_t wide_needle[] = { 0x0101, 0x0102 };
    const uint32_t full[] = { 1, 2, 0xffffffffu, 2, 0xffffffffu, 2 };
    const uint32_t full_needle[] = { 2, 0xffffffffu };
    const trawl_grid colours = { "aabaab"
                                 "-"
                                 "abaaba",
                                 2, 2, 7 };
    const trawl_needle colour = { "aba", 1, 1, 0, 0, NULL };
    const trawl_grid wide_text = { wide, 2, 3, 0 }, full_text = { full, 3, 2, 0 };
    const trawl_needle pair = { wide_needle, 1, 2, 0, 0, NULL };
    const trawl_needle column = { full_needle, 2, 1, 0, 0, NULL };
    const trawl_needle last = { full_needle, 1, 2, 0, 0, NULL };
    (void)state;
    expect_grid(&pair, 1, 2, &wide_text, "0,1:0.0 1,0:0.0");
    expect_grid(&colour, 1, 3, &colours, "1,0:0.0 1,1:0.0");
    expect_grid(&column, 1, 4, &full_text, "");
    expect_grid(&last, 1, 4, &full_text, "");
    expect_grid(&(trawl_needle){ full + 2, 2, 2, 0, 7, NULL }, 1, 4, &full_text, "1,0:7.0");
}

static void grid_edges(void **state)
{
    const trawl_grid text = { "abcd", 2, 2, 0 }, none = { NULL, 0, 0, 0 }, flat = { "", 3, 0, 0 };
    const trawl_needle whole = { "abcd", 2, 2, 0, 0, NULL }, wide = { "abc", 1, 3, 0, 0, NULL };
    const trawl_needle tall = { "acb", 3, 1, 0, 0, NULL }, corner = { "d", 1, 1, 0, 0, NULL };
    (void)state;
    expect_grid(&whole, 1, 1, &text, "0,0:0.0");
    expect_grid(&wide, 1, 1, &text, "");
    expect_grid(&tall, 1, 1, &text, "");
    expect_grid(&corner, 1, 1, &text, "1,1:0.0");
    expect_grid(&corner, 1, 1, &none, "");
    expect_grid(&corner, 1, 1, &flat, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(design_example_in_all_modes),
        cmocka_unit_test(overlaps_of_a_literal),
        cmocka_unit_test(unbounded_repeat_in_all_modes),
        cmocka_unit_test(leftmost_start_wins),
        cmocka_unit_test(leftmost_longest_chooses_by_length_then_id),
        cmocka_unit_test(each_pattern_has_its_own_matches),
        cmocka_unit_test(leftmost_first_chooses_by_order),
        cmocka_unit_test(equal_patterns_are_reported_each),
        cmocka_unit_test(order_is_end_start_id_index),
        cmocka_unit_test(unknown_starts_come_last),
        cmocka_unit_test(ends_know_the_start_of_fixed_lengths),
        cmocka_unit_test(repeats),
        cmocka_unit_test(neighbours_that_share_bytes),
        cmocka_unit_test(classes),
        cmocka_unit_test(named_classes),
        cmocka_unit_test(escapes),
        cmocka_unit_test(plain_syntaxes),
        cmocka_unit_test(nocase),
        cmocka_unit_test(lines),
        cmocka_unit_test(any_byte),
        cmocka_unit_test(edges),
        cmocka_unit_test(random_cases_agree_with_all_starts_and_ends),
        cmocka_unit_test(grid_finds_overlaps),
        cmocka_unit_test(grid_order_is_row_col_id_index),
        cmocka_unit_test(grid_strides),
        cmocka_unit_test(grid_cells_of_two_to_four_bytes),
        cmocka_unit_test(grid_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
