/* cmocka.h: as much of cmocka as the differential tests use, for machines that this one only
 * emulates and has no libraries for. A failure ends the program. TRAWL_TEST_LEAVE_OUT (environment)
 * has the names of tests that are left out, a blank before and after each: those that take long.
 */
#ifndef TRAWL_TESTS_CROSS_CMOCKA_H
#define TRAWL_TESTS_CROSS_CMOCKA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
};

static jmp_buf cmocka_left; /* by a test that is skipped */

#define fail_msg(...)                                                                              \
    do {                                                                                           \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                            \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fputc('\n', stderr);                                                                       \
        exit(1);                                                                                   \
    } while (0)

#define assert_true(condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s does not hold", #condition);                                              \
    } while (0)
#define assert_false(condition) assert_true(!(condition))
#define assert_null(pointer) assert_true((pointer) == NULL)
#define assert_non_null(pointer) assert_true((pointer) != NULL)
#define assert_ptr_equal(a, b) assert_true((a) == (b))
#define assert_ptr_not_equal(a, b) assert_true((a) != (b))
#define assert_int_equal(a, b) assert_true((unsigned long long)(a) == (unsigned long long)(b))
#define assert_string_equal(a, b) assert_true(strcmp((a), (b)) == 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp((a), (b), (size)) == 0)
#define fail() fail_msg("it fails")
#define skip() longjmp(cmocka_left, 1)

#define cmocka_unit_test(test) { #test, test }
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    cmocka_run_all(tests, sizeof(tests) / sizeof *(tests), setup, teardown)

static inline bool cmocka_left_out(const char *name)
{
    const char *left_out = getenv("TRAWL_TEST_LEAVE_OUT");
    char blank[64];
    snprintf(blank, sizeof blank, " %s ", name);
    return left_out && strstr(left_out, blank);
}

static inline int cmocka_run_all(const struct CMUnitTest *tests, size_t count,
                                 int (*setup)(void **state), int (*teardown)(void **state))
{
    void *state = NULL;
    if (setup && setup(&state) != 0)
        return 1;
    for (volatile size_t i = 0; i < count; i++) {
        printf("%s\n", tests[i].name);
        fflush(stdout);
        if (cmocka_left_out(tests[i].name)) {
            printf("%s is left out\n", tests[i].name);
            continue;
        }
        if (setjmp(cmocka_left) == 0)
            tests[i].test(&state);
        else
            printf("%s is skipped\n", tests[i].name);
    }
    return teardown ? teardown(&state) : 0;
}

#endif
