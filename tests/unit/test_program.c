/* test_program.c: the programs that expressions become: their links in order, their size, the
 * limits, and each allocation failed in turn.
 *
 * Programs are printed as lists of links: that of the start, then for each position its bytes and
 * its list; a link is a position or E, the end, with the bits of its condition unless it allows
 * all. What they match is compared in differential/test_programs.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Before cmocka.h, whose macro fail() would swallow the declaration of the function. */
#include "pattern/program.h"
#include "pattern/syntax.h"

#include <cmocka.h>

static memory heap = { .limit = UINT64_MAX };

/* Parse a pattern that is one, whatever its form. */
static int parse(const char *text, uint32_t flags, pattern *out, trawl_error *error)
{
    trawl_pattern src = { text, strlen(text), TRAWL_SYNTAX_EXTENDED, flags, 1, NULL };
    size_t next = 0;
    *out = (pattern){ .flags = flags };
    return parse_extended(&heap, &src, &next, out, error);
}

static void give(pattern *p)
{
    memory_give(&heap, p->bytes);
    memory_give(&heap, p->elements);
    memory_give(&heap, p->program);
    assert_true(heap.used == 0);
}

static void parse_program(const char *text, uint32_t flags, pattern *out)
{
    trawl_error error = { 0 };
    if (parse(text, flags, out, &error) != TRAWL_OK)
        fail_msg("%s: %s", text, error.message);
    if (!out->program)
        fail_msg("%s: no program", text);
    const program *p = out->program;
    assert_true(program_check(&heap, p, program_size(p->positions, p->links)));
}

/* ---- links ------------------------------------------------------------------------------ */

typedef struct printer {
    char text[1024];
    size_t length;
} printer;

static void print(printer *out, const char *format, unsigned value)
{
    out->length +=
        (size_t)snprintf(out->text + out->length, sizeof out->text - out->length, format, value);
    assert_true(out->length < sizeof out->text);
}

static void print_list(printer *out, const program *p, uint32_t list)
{
    const program_link *l, *end;
    program_list(p, list, &l, &end);
    for (; l < end; l++) {
        const bool ends = l->to == PROGRAM_END;
        const uint32_t all = ends ? AFTER_ANY : list == 0 ? BEFORE_ANY : 0;
        print(out, ends ? " E" : " %u", l->to);
        if (l->when != all)
            print(out, "?%u", l->when);
    }
}

static void print_program(printer *out, const program *p)
{
    print_list(out, p, 0);
    for (uint32_t q = 0; q < p->positions; q++) {
        print(out, ", ", 0);
        for (unsigned b = 0; b < 256; b++) {
            const bool in = class_has(&program_sets(p)[q], b);
            if (in && (b == 0 || !class_has(&program_sets(p)[q], b - 1)))
                print(out, b > ' ' && b < 127 ? "%c" : "\\%u", b);
            else if (in && (b == 255 || !class_has(&program_sets(p)[q], b + 1)))
                print(out, b > ' ' && b < 127 ? "-%c" : "-\\%u", b);
        }
        print(out, ":", 0);
        print_list(out, p, q + 1);
    }
}

static const struct {
    const char *text;
    uint32_t flags;
    const char *expected;
} programs[] = {
    /* priorities: many before few, few before many, alternatives from left to right */
    { "(ab)+c", 0, " 0, a: 1, b: 0 2, c: E" },
    { "(ab)+?c", 0, " 0, a: 1, b: 2 0, c: E" },
    { "a+?b", 0, " 0, a: 1 0, b: E" },
    { "x(ab|cd|)", 0, " 0, x: 1 3 E, a: 2, b: E, c: 4, d: E" },
    { "x(|ab|cd)", 0, " 0, x: E 1 3, a: 2, b: E, c: 4, d: E" },
    { "x(ab||cd)", 0, " 0, x: 1 E 3, a: 2, b: E, c: 4, d: E" },
    { "x(?:ab){0,2}", 0, " 0, x: 1 E, a: 2, b: 3 E, a: 4, b: E" },
    { "x(?:ab){1,2}?", 0, " 0, x: 1, a: 2, b: E 3, a: 4, b: E" },
    /* a repeat that matches nothing ends its loop, and other ways come later */
    { "(?:|a)+b", 0, " 1 0, a: 1 0, b: E" },
    { "(?:ab|)+c", 0, " 0 2, a: 1, b: 0 2, c: E" },
    { "(?:a?|b)*c", 0, " 0 2 1, a: 0 2 1, b: 0 2 1, c: E" },
    /* the second repeat must be found, which decides how the first one ends: ab of abc */
    { "((ab|a|c)+){2}", 0, " 0 2, a: 1, b: 0 2 3 5, ac: 0 2 3 5, a: 4, b: 3 5 E, ac: 3 5 E" },
    /* what alternatives have in common is there once, where the order stays */
    { "x(abc|abd|ae)y", 0, " 0, x: 1, a: 2 4, b: 3, c-d: 5, e: 5, y: E" },
    { "x(abc|dee|abf)", 0, " 0, x: 1 4, a: 2, b: 3, cf: E, d: 5, e: 6, e: E" },
    { "x(abc|[a-d]e|abf)", 0, " 0, x: 1 4 6, a: 2, b: 3, c: E, a-d: 5, e: E, a: 7, b: 8, f: E" },
    { "x(a*b|a*c)", 0, " 0, x: 1 2 3 4, a: 1 2, b: E, a: 3 4, c: E" },
    { "x(ab|cdb|b)", 0, " 0, x: 1 2 4, a: 4, c: 3, d: 4, b: E" },
    /* conditions: only those outside of matches are left */
    { "(^|,)a+", 0, " 1?3 0, ,: 1, a: 1 E" },
    { "a(b|$)", 0, " 0, a: 1 E?7, b: E" },
    { "a(b|(?-m)$)", 0, " 0, a: 1 E?5, b: E" },
    { "(a|\\bb)c", 0, " 0 1?19, a: 2, b: 2, c: E" },
    { "(a|\\b)[a ]c", 0, " 0 1?19 2?12, a: 1 2, a: 3, \\32: 3, c: E" },
    { "a[ b]\\b[ c]", 0, " 0, a: 1 2, b: 4, \\32: 3, c: E, \\32: E" },
    { "a.^b", 0, " 0, a: 1, \\10: 2, b: E" },
    { "a.^b", TRAWL_NULS, " 0, a: 1, \\0: 2, b: E" },
    { "a(?-m:$)[ \\n]", 0, " 0, a: 1, \\10: E?1" },
    { "(a|b\\Z)(c|\\n)", 0, " 0 1, a: 2 3, b: 4, \\10: E, c: E, \\10: E?1" },
};

static void test_links(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        pattern p;
        printer out = { .length = 0 };
        parse_program(programs[i].text, programs[i].flags, &p);
        print_program(&out, p.program);
        if (strcmp(out.text, programs[i].expected) != 0)
            fail_msg("%s:%s, expected%s", programs[i].text, out.text, programs[i].expected);
        assert_true(!p.length == !p.elements && !p.literal && !p.bytes);
        give(&p);
    }
}

/* Lazy repeats of sets are greedy ones to those who want all matches; of groups they are not. */
static void test_lazy_sequences(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t elements;
    } lazy[] = {
        { "a+?", 1 },        { "a.*?b", 3 },    { "\\bab{2,3}?c??d*?\\b", 4 },
        { "a.*?(b|cd)", 0 }, { "a(bc)*?d", 0 }, { "a*?\\bb", 0 },
    };
    for (size_t i = 0; i < sizeof lazy / sizeof *lazy; i++) {
        pattern p;
        parse_program(lazy[i].text, 0, &p);
        assert_int_equal(p.length, lazy[i].elements);
        assert_int_equal(p.elements != NULL, lazy[i].elements > 0);
        assert_int_equal(p.before.given, p.length == 4);
        give(&p);
    }
}

/* ---- sizes and limits ------------------------------------------------------------------------ */

/* Repeats cost links in proportion to their bounds, and loops within each other are one. */
static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t positions, links;
    } sizes[] = {
        { "(ab|c){0,1000}d", 3001, 7000 },
        { "(ab|c){0,1000}?d", 3001, 7000 },
        { "x(?:(?:ab?)?){1000}y", 2002, 5002 },
        { "(?:(?:(?:ab)*)+)*c", 3, 6 },
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pattern p;
        parse_program(sizes[i].text, 0, &p);
        if (p.program->positions != sizes[i].positions || p.program->links != sizes[i].links)
            fail_msg("%s: %u positions, %u links", sizes[i].text, p.program->positions,
                     p.program->links);
        give(&p);
    }
}

/* Of 60,000 positions too, each of which is met once. */
static void test_lengths(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t min, max;
    } lengths[] = {
        { "(?:ab|c){2,3}d", 3, 7 },
        { "(?:ab|c)+?d", 2, LENGTH_UNBOUNDED },
        { "x(abc|)*(^|y)z", 3, LENGTH_UNBOUNDED },
        { "(?:abcdefghijklmnopqrstuvwxyz|0123456789abcdefghijklmnopqrstuvwxyz.){900}|[^a]b", 2,
          33300 },
    };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        pattern p;
        uint64_t min, max;
        parse_program(lengths[i].text, 0, &p);
        assert_true(program_measure(&heap, p.program, &min, &max));
        if (min != lengths[i].min || max != lengths[i].max)
            fail_msg("%s: %u to %u", lengths[i].text, (unsigned)min, (unsigned)max);
        give(&p);
    }
}

/* One of all alternatives owns the program that tells their order, also where kinds of first bytes
 * have divided the first one. */
static void test_owners(void **state)
{
    (void)state;
    const trawl_pattern src = { "\\b.?b|aa", 8, TRAWL_SYNTAX_EXTENDED, 0, 1, NULL };
    pattern_list list;
    size_t owners = 0;
    assert_int_equal(pattern_list_make(&heap, &src, 1, NULL, &list, NULL), TRAWL_OK);
    assert_true(list.count > 2);
    for (size_t i = 0; i < list.count; i++) {
        assert_ptr_equal(list.patterns[i].program, list.patterns[0].program);
        owners += !list.patterns[i].shared;
    }
    assert_int_equal(owners, 1);
    pattern_list_free(&list);
    assert_true(heap.used == 0);
}

static void test_limits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t offset;
        const char *message;
    } limits[] = {
        { "a(bc|d){40000}", 1, "more than 65536 positions" },
        { "a((bc|d){300}){300}", 2, "more than 65536 positions" },
        { "x((^|\\ba|\\B|$)?){3000}a", 0, "more than 4194304 ways" },
        { "x(\\b|y){9999999}", 1, "more than 65536 positions" },
    };
    char deep[2 * 251 + 2] = { 0 };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        pattern p;
        trawl_error error = { 0 };
        assert_int_equal(parse(limits[i].text, 0, &p, &error), TRAWL_ERROR_LIMIT);
        if (error.offset != limits[i].offset || !strstr(error.message, limits[i].message))
            fail_msg("%s: %zu, %s", limits[i].text, error.offset, error.message);
        assert_int_equal(parse(limits[i].text, 0, &p, NULL), TRAWL_ERROR_LIMIT);
        give(&p);
    }
    for (size_t depth = 250; depth <= 251; depth++) {
        pattern p;
        trawl_error error = { 0 };
        memset(deep, '(', depth);
        deep[depth] = 'a';
        memset(deep + depth + 1, ')', depth);
        assert_int_equal(parse(deep, 0, &p, &error), depth == 250 ? TRAWL_OK : TRAWL_ERROR_LIMIT);
        assert_true(depth == 250 ||
                    (error.offset == 250 && strstr(error.message, "more than 250 deep")));
        give(&p);
    }
}

/* Whatever the memory is, there is a program or an error, and nothing is left of either. */
static void test_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "(?i)(\\bab|^c)+(de|df|g(?>h|i)j){2,9}?(\\R|k$)",
        "(foo|barn)",
        "ab|cd",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int status = TRAWL_ERROR_LIMIT;
        for (uint64_t limit = 0; status != TRAWL_OK; limit += 8) {
            pattern p;
            heap.limit = limit;
            status = parse(texts[i], 0, &p, NULL);
            assert_true(status == TRAWL_OK || status == TRAWL_ERROR_LIMIT);
            give(&p);
            assert_true(limit < 1u << 20);
        }
        heap.limit = UINT64_MAX;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),  cmocka_unit_test(test_lazy_sequences),
        cmocka_unit_test(test_sizes),  cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_owners), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
