/* test_budget.c: calls that would take for ever, and end when they are told to: trawl_cancel from
 * a thread, a signal handler and a callback, max_seconds, max_steps.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/time.h>

#include "contract.h"
#include "random.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

/* Seconds within which a call ends that is told to. It takes a tenth of one; a machine that has
 * other work, or a sanitizer, must not fail here, and what is not told to takes far longer. */
#define SOON 10.0
#define DELAY 0.15 /* seconds that it is left alone before */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- calls that take long ---------------------------------------------- */

#define TEXTS (1u << 16)
static trawl_text texts[TEXTS]; /* ENDLESS bytes together */

typedef int (*long_call)(trawl_context *context, const trawl_scan_options *options);

static int long_scan(trawl_context *context, const trawl_scan_options *options)
{
    recorder r = { 0 };
    return trawl_scan(context, plan, zeros, ENDLESS, options, record, &r, NULL);
}

static int long_count(trawl_context *context, const trawl_scan_options *options)
{
    const trawl_pattern word = { .text = "abc", .length = 3 };
    trawl_plan *counting = NULL;
    uint64_t count;
    expect(trawl_compile(&word, 1, NULL, &counting, NULL) == TRAWL_OK, "a plan for counting");
    const int status = trawl_count(context, counting, zeros, ENDLESS, options, &count, NULL);
    trawl_plan_free(counting);
    return status;
}

static int long_count_each(trawl_context *context, const trawl_scan_options *options)
{
    uint64_t counts[3];
    return trawl_count_each(context, plan, zeros, ENDLESS, options, counts, NULL);
}

static int long_collect(trawl_context *context, const trawl_scan_options *options)
{
    trawl_match *matches = NULL;
    size_t count = 1;
    const int status =
        trawl_collect(context, plan, zeros, ENDLESS, options, &matches, &count, NULL);
    expect(!matches && count == 0, "zeros hold no match");
    return status;
}

static int long_many(trawl_context *context, const trawl_scan_options *options)
{
    recorder r = { 0 };
    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = (trawl_text){ zeros + i * (ENDLESS / TEXTS), ENDLESS / TEXTS };
    return trawl_scan_many(context, plan, texts, TEXTS, options, record, &r, NULL);
}

/* Long texts only, of which one takes all the time there is. */
static int long_few(trawl_context *context, const trawl_scan_options *options)
{
    const trawl_text few[] = { { zeros, ENDLESS / 2 }, { zeros, ENDLESS / 2 } };
    recorder r = { 0 };
    return trawl_scan_many(context, plan, few, COUNT(few), options, record, &r, NULL);
}

static int long_stream(trawl_context *context, const trawl_scan_options *options)
{
    recorder r = { 0 };
    trawl_stream *stream = NULL;
    expect(trawl_stream_open(context, plan, options, record, &r, &stream, NULL) == TRAWL_OK,
           "a stream");
    const int status = trawl_stream_feed(stream, zeros, ENDLESS, NULL);
    expect(trawl_stream_feed(stream, zeros, 10, NULL) == status, "the stream has ended");
    expect(trawl_stream_close(stream, NULL) == status, "closing says why");
    return status;
}

static const trawl_grid endless_grid = { NULL, 1u << 17, ENDLESS >> 17, 0 };

static int long_grid(trawl_context *context, const trawl_scan_options *options)
{
    trawl_grid grid = endless_grid;
    recorder r = { 0 };
    grid.cells = zeros;
    return trawl_scan_grid(context, grid_plan, &grid, options, record_grid, &r, NULL);
}

static int long_count_grid(trawl_context *context, const trawl_scan_options *options)
{
    trawl_grid grid = endless_grid;
    uint64_t count;
    grid.cells = zeros;
    return trawl_count_grid(context, grid_plan, &grid, options, &count, NULL);
}

/* Every report but the ends keeps the text that its matches may come from. */
static int long_report(trawl_context *context, const trawl_scan_options *options)
{
    trawl_scan_options longest = *options;
    recorder r = { 0 };
    longest.report = TRAWL_REPORT_LEFTMOST_LONGEST;
    return trawl_scan(context, plan, zeros, ENDLESS, &longest, record, &r, NULL);
}

static const struct {
    const char *name;
    long_call call;
} long_calls[] = {
    { "scan", long_scan },
    { "count", long_count },
    { "count_each", long_count_each },
    { "collect", long_collect },
    { "scan_many, many", long_many },
    { "scan_many, few", long_few },
    { "stream_feed", long_stream },
    { "scan_grid", long_grid },
    { "count_grid", long_count_grid },
    { "scan, another report", long_report },
};

/* ---- cancelling -------------------------------------------------------- */

typedef struct canceller {
    trawl_context *context;
    double delay;
    double at; /* when it did */
} canceller;

static void *cancel_later(void *with)
{
    canceller *c = with;
    pause_for(c->delay);
    c->at = now();
    trawl_cancel(c->context);
    return NULL;
}

/* A guard, so that a call that is not cancelled ends all the same. */
static trawl_scan_options guarded(void)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    options.max_seconds = 10;
    return options;
}

static void test_cancel(void **state)
{
    const trawl_scan_options options = guarded();
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++)
        for (size_t k = 0; k < COUNT(long_calls); k++) {
            canceller c = { both[i], DELAY, 0 };
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, cancel_later, &c), 0);
            const int status = long_calls[k].call(both[i], &options);
            const double ended = now();
            pthread_join(thread, NULL);
            nothing_wrong();
            if (status != TRAWL_CANCELLED || ended - c.at > SOON)
                fail_msg("%s, %s: status %d, %.2f s after the cancel", long_calls[k].name,
                         trawl_context_backend(both[i]), status, ended - c.at);
            expect_working(both[i]);
        }
}

static trawl_context *cancelled_by_signal;

static void cancel_now(int number)
{
    (void)number;
    trawl_cancel(cancelled_by_signal);
}

static void test_cancel_by_signal(void **state)
{
    const trawl_scan_options options = guarded();
    const struct itimerval once = { { 0, 0 }, { 0, (long)(DELAY * 1e6) } };
    struct sigaction handler = { .sa_handler = cancel_now }, before;
    (void)state;
    sigaction(SIGALRM, &handler, &before);
    for (size_t i = 0; i < COUNT(both); i++)
        for (size_t k = 0; k < COUNT(long_calls); k++) {
            cancelled_by_signal = both[i];
            const double began = now();
            setitimer(ITIMER_REAL, &once, NULL);
            const int status = long_calls[k].call(both[i], &options);
            const double took = now() - began;
            nothing_wrong();
            if (status != TRAWL_CANCELLED || took > DELAY + SOON)
                fail_msg("%s, %s: status %d after %.2f s", long_calls[k].name,
                         trawl_context_backend(both[i]), status, took);
            expect_working(both[i]);
        }
    sigaction(SIGALRM, &before, NULL);
}

/* Whenever it comes, what was handed on is right and in order. */
static void test_cancel_prefix(void **state)
{
    rng r = { test_seed() };
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++) {
        const double began = now();
        expect_working(both[i]);
        const double whole = now() - began;
        size_t cut = 0;
        for (uint32_t round = 0; round < 20; round++) {
            canceller c = { both[i], whole < 0.9 ? whole * rng_below(&r, 1000) / 1000 : 0.01, 0 };
            recorder all = { 0 };
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, cancel_later, &c), 0);
            const int status = trawl_scan(both[i], plan, text, LENGTH, NULL, record, &all, NULL);
            pthread_join(thread, NULL);
            expect(status == TRAWL_OK || status == TRAWL_CANCELLED, "cancelled or through");
            cut += status == TRAWL_CANCELLED;
            expect_prefix(&all, status == TRAWL_OK);
            nothing_wrong();
        }
        printf("%s: %zu of 20 were cut off\n", trawl_context_backend(both[i]), cut);
    }
}

static void cancel_here(void *with)
{
    trawl_cancel(with);
}

/* From a callback too, and then not much more is handed on. */
static void test_cancel_in_callback(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++) {
        recorder r = { .first = cancel_here, .with = both[i] };
        assert_int_equal(trawl_scan(both[i], plan, text, LENGTH, NULL, record, &r, NULL),
                         TRAWL_CANCELLED);
        assert_true(r.count > 0 && r.count < expected_count);
        expect_prefix(&r, false);
        nothing_wrong();
        expect_working(both[i]);
    }
}

static void test_cancel_nothing(void **state)
{
    (void)state;
    trawl_cancel(NULL);
    for (size_t i = 0; i < COUNT(both); i++) {
        trawl_cancel(both[i]);
        expect_working(both[i]);
    }
}

/* ---- budgets ----------------------------------------------------------- */

static void test_max_seconds(void **state)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    (void)state;
    options.max_seconds = DELAY;
    for (size_t i = 0; i < COUNT(both); i++)
        for (size_t k = 0; k < COUNT(long_calls); k++) {
            const double began = now();
            const int status = long_calls[k].call(both[i], &options);
            const double took = now() - began;
            nothing_wrong();
            if (status != TRAWL_EXPIRED || took < DELAY || took > DELAY + SOON)
                fail_msg("%s, %s: status %d after %.2f s", long_calls[k].name,
                         trawl_context_backend(both[i]), status, took);
            expect_working(both[i]);
        }
}

static void test_max_steps(void **state)
{
    trawl_scan_options options = guarded();
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++)
        for (uint64_t steps = 1; steps < 1u << 24; steps *= 91)
            for (size_t k = 0; k < COUNT(long_calls); k++) {
                options.max_steps = steps;
                const double began = now();
                const int status = long_calls[k].call(both[i], &options);
                nothing_wrong();
                if (status != TRAWL_EXPIRED || now() - began > SOON)
                    fail_msg("%s, %s, %llu steps: status %d after %.2f s", long_calls[k].name,
                             trawl_context_backend(both[i]), (unsigned long long)steps, status,
                             now() - began);
            }
}

/* A byte is a step and a match is one; their sum is enough, and fewer are not, but for the last
 * batch, which may be handed on whole. */
static void test_steps_of_a_text(void **state)
{
    const uint64_t all = LENGTH + expected_count, batch = 128;
    const uint64_t some[] = { 1,          2,          100,         5000, all / 7,
                              LENGTH / 2, LENGTH - 1, all - batch, all,  all + 1000 };
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++)
        for (size_t k = 0; k < COUNT(some); k++) {
            recorder r = { 0 };
            options.max_steps = some[k];
            const int status = trawl_scan(both[i], plan, text, LENGTH, &options, record, &r, NULL);
            const size_t handed = r.count;
            const uint64_t end = handed ? r.matches[handed - 1].end : 0;
            expect_prefix(&r, some[k] >= all);
            nothing_wrong();
            if (status != (some[k] < all ? TRAWL_EXPIRED : TRAWL_OK) || handed > some[k] ||
                end > some[k])
                fail_msg("%s, %llu of %llu steps: status %d, %zu matches, the last at %llu",
                         trawl_context_backend(both[i]), (unsigned long long)some[k],
                         (unsigned long long)all, status, handed, (unsigned long long)end);
        }
}

/* They are steps of one call: a stream goes on as long as each feed keeps to them. */
static void test_steps_of_feeds(void **state)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    const size_t piece = 1000;
    (void)state;
    options.max_steps = 4 * piece; /* no byte ends more than three matches */
    for (size_t i = 0; i < COUNT(both); i++) {
        recorder r = { 0 };
        trawl_stream *stream = NULL;
        assert_int_equal(trawl_stream_open(both[i], plan, &options, record, &r, &stream, NULL),
                         TRAWL_OK);
        for (size_t at = 0; at < LENGTH; at += piece)
            assert_int_equal(trawl_stream_feed(stream, text + at,
                                               piece < LENGTH - at ? piece : LENGTH - at, NULL),
                             TRAWL_OK);
        assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
        expect_prefix(&r, true);
        nothing_wrong();
    }
}

/* A grid that one round would take is not scanned beyond its steps, but for the rest of a row. */
static void test_steps_of_a_grid(void **state)
{
    static uint8_t cells[1000][1000];
    const uint8_t one = 1;
    const trawl_needle needle = { &one, 1, 1, 0, 0, NULL };
    const trawl_grid text = { cells, 1000, 1000, 0 };
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_context *context = both[0];
    trawl_plan *plan;
    uint64_t count;
    (void)state;
    cells[500][3] = 1;
    assert_int_equal(trawl_compile_grid(&needle, 1, 1, NULL, &plan, NULL), TRAWL_OK);
    options.max_steps = 499999;
    assert_int_equal(trawl_count_grid(context, plan, &text, &options, &count, NULL), TRAWL_EXPIRED);
    assert_int_equal(count, 0);
    options.max_steps = 1000002;
    assert_int_equal(trawl_count_grid(context, plan, &text, &options, &count, NULL), TRAWL_OK);
    assert_int_equal(count, 1);
    trawl_plan_free(plan);
}

static void test_bad_budgets(void **state)
{
    const double bad[] = { -1, -1e-300, -INFINITY, NAN };
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        trawl_error error = { 0 };
        uint64_t count;
        options.max_seconds = bad[i];
        assert_int_equal(trawl_count(both[0], plan, text, LENGTH, &options, &count, &error),
                         TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "max_seconds"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel),         cmocka_unit_test(test_cancel_by_signal),
        cmocka_unit_test(test_cancel_prefix),  cmocka_unit_test(test_cancel_in_callback),
        cmocka_unit_test(test_cancel_nothing), cmocka_unit_test(test_max_seconds),
        cmocka_unit_test(test_max_steps),      cmocka_unit_test(test_steps_of_a_text),
        cmocka_unit_test(test_steps_of_feeds), cmocka_unit_test(test_steps_of_a_grid),
        cmocka_unit_test(test_bad_budgets),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
