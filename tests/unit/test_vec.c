/* test_vec.c: the vocabulary of vector walks, under every instruction set of this machine; which of
 * them a context takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "random.h"
#include "vec_words.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

enum { BYTES = 64, ROUNDS = 20000 };

static const vec_words_fn words[ISA_COUNT] = {
#ifdef TRAWL_HAVE_AVX512
    [ISA_AVX512] = vec_words_avx512,
#endif
#ifdef TRAWL_HAVE_AVX2
    [ISA_AVX2] = vec_words_avx2,
#endif
#ifdef TRAWL_HAVE_NEON
    [ISA_NEON] = vec_words_neon,
#endif
    [ISA_PORTABLE] = vec_words_portable,
};

/* Bytes of a few kinds: any, few, at the borders of letters and signs. */
static void fill(rng *r, u8 *bytes)
{
    static const u8 borders[] = {
        0, 1, '@', 'A', 'Z', '[', '`', 'a', 'z', '{', 127, 128, 193, 255
    };
    const uint64_t kind = rng_below(r, 4);
    for (u32 i = 0; i < BYTES; i++)
        bytes[i] = kind == 0   ? (u8)rng_below(r, 256)
                   : kind == 1 ? borders[rng_below(r, sizeof borders)]
                   : kind == 2 ? (u8)rng_below(r, 2)
                               : (u8)(rng_below(r, 64) == 0);
}

static void test_words(void **state)
{
    rng r = { test_seed() };
    (void)state;
    for (isa set = ISA_PORTABLE; set < ISA_COUNT; set = (isa)(set + 1)) {
        if (!isa_runs(set))
            continue;
        assert_non_null(words[set]);
        printf("words of %s\n", isa_name(set));
        for (u32 round = 0; round < ROUNDS; round++) {
            /* At the end of what was allocated, so that a byte too many is seen. */
            const u32 part = round % (BYTES + 1);
            u8 *a = malloc(BYTES), *b = malloc(BYTES);
            assert_true(a && b);
            fill(&r, a);
            fill(&r, b);
            if (round % 5 == 0)
                memcpy(b, a, BYTES / 2);
            const char *wrong = words[set](a, b, part);
            free(a);
            free(b);
            if (wrong)
                fail_msg("%s: vec_%s", isa_name(set), wrong);
        }
    }
}

static const char *best(void)
{
    size_t count = 1;
    while (trawl_isa_name(count))
        count++;
    return trawl_isa_name(count - 1);
}

static void expect_isa(const char *option, const char *environment, int expected)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    options.isa = option;
    if (environment)
        assert_int_equal(setenv("TRAWL_ISA", environment, 1), 0);
    assert_int_equal(trawl_context_open(&options, &context, &error), expected);
    if (expected != TRAWL_OK)
        assert_non_null(strstr(error.message, "portable"));
    const char *wanted = option && *option ? option : environment;
    const bool automatic = !wanted || !*wanted || strcmp(wanted, "auto") == 0;
    if (expected == TRAWL_OK)
        assert_string_equal(trawl_context_isa(context), automatic ? best() : wanted);
    trawl_context_close(context);
    assert_int_equal(unsetenv("TRAWL_ISA"), 0);
}

static void test_choice(void **state)
{
    size_t count = 0;
    (void)state;
    assert_string_equal(trawl_isa_name(0), "portable");
    for (; trawl_isa_name(count); count++) {
        expect_isa(trawl_isa_name(count), NULL, TRAWL_OK);
        expect_isa(NULL, trawl_isa_name(count), TRAWL_OK);
    }
    expect_isa(NULL, "", TRAWL_OK);
    expect_isa("", NULL, TRAWL_OK);
    expect_isa("portable", "no such set", TRAWL_OK); /* the option is asked first */
    expect_isa("auto", NULL, TRAWL_OK);
    expect_isa(NULL, "auto", TRAWL_OK);
    expect_isa("auto", "no such set", TRAWL_OK);
    expect_isa("avx1024", NULL, TRAWL_ERROR_ARGUMENT);
    expect_isa(NULL, "AVX2", TRAWL_ERROR_ARGUMENT);
    for (isa set = ISA_PORTABLE; set < ISA_COUNT; set = (isa)(set + 1))
        if (!isa_runs(set))
            expect_isa(isa_name(set), NULL, TRAWL_ERROR_UNSUPPORTED);
}

/* What the library asks the processor, Linux has asked it, too. */
static void test_flags(void **state)
{
    static const struct {
        isa set;
        const char *flags;
    } needs[] = {
        { ISA_AVX2, "avx2 bmi1 bmi2 popcnt" },
        { ISA_AVX512, "avx2 bmi1 bmi2 popcnt avx512f avx512bw avx512vl avx512vbmi avx512_vbmi2" },
    };
    char line[8192] = "", flag[24];
    (void)state;
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f) && strncmp(line, "flags", 5) != 0)
        ;
    if (f)
        fclose(f);
    if (strncmp(line, "flags", 5) != 0) {
        printf("/proc/cpuinfo has no flags of a processor: not compared\n");
        skip();
    }
    line[strcspn(line, "\n")] = ' ';
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        bool all = words[needs[i].set] != NULL;
        for (const char *at = needs[i].flags; *at; at += strcspn(at, " "), at += *at == ' ') {
            snprintf(flag, sizeof flag, " %.*s ", (int)strcspn(at, " "), at);
            all = all && strstr(line, flag);
        }
        printf("%s: %s\n", isa_name(needs[i].set), all ? "runs" : "does not run");
        assert_int_equal(isa_runs(needs[i].set), all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
