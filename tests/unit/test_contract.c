/* test_contract.c: what trawl.h promises under "What holds": one call at a time, callbacks, fork,
 * signals, threads, texts that change. Right matches are the business of the other tests,
 * cancelling and budgets that of test_budget.c.
 */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/time.h>
#include <sys/wait.h>

#include "contract.h"
#include "fence.h"
#include "random.h"
#include "targets.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define PATIENCE 20 /* seconds that a child may take */

/* ---- one call at a time ------------------------------------------------ */

typedef struct occupied {
    trawl_context *context;
    trawl_stream *stream;  /* of that context */
    trawl_stream *another; /* too */
} occupied;

static bool busy(int status, const trawl_error *error)
{
    return status == TRAWL_ERROR_BUSY && error->code == status && error->message[0];
}

static void try_text(const occupied *o)
{
    const trawl_text one = { "abc", 3 };
    const trawl_device_text there = TRAWL_DEVICE_TEXT_INIT;
    trawl_device_result result = TRAWL_DEVICE_RESULT_INIT;
    trawl_timing timing = { .size = sizeof timing };
    trawl_match *matches = NULL;
    trawl_stream *stream = NULL;
    recorder r = { 0 };
    uint64_t count, counts[3];
    size_t found;
    trawl_error e = { 0 };
    expect(busy(trawl_scan(o->context, plan, "abc", 3, NULL, record, &r, &e), &e), "scan: BUSY");
    expect(busy(trawl_count(o->context, plan, "abc", 3, NULL, &count, &e), &e), "count: BUSY");
    expect(busy(trawl_count_each(o->context, plan, "abc", 3, NULL, counts, &e), &e),
           "count_each: BUSY");
    expect(busy(trawl_collect(o->context, plan, "abc", 3, NULL, &matches, &found, &e), &e),
           "collect: BUSY");
    expect(busy(trawl_scan_many(o->context, plan, &one, 1, NULL, record, &r, &e), &e),
           "scan_many: BUSY");
    expect(trawl_scan_device(o->context, plan, &there, NULL, record, &r, &e) < 0,
           "scan_device: refused");
    expect(trawl_count_device(o->context, plan, &there, NULL, &count, &e) < 0,
           "count_device: refused");
    expect(trawl_collect_device(o->context, plan, &there, NULL, &result, &e) < 0,
           "collect_device: refused");
    expect(busy(trawl_stream_open(o->context, plan, NULL, record, &r, &stream, &e), &e),
           "stream_open: BUSY");
    expect(trawl_context_get_timing(o->context, &timing) == TRAWL_ERROR_BUSY, "get_timing: BUSY");
    expect(r.count == 0 && !matches && !stream, "nothing is done");
}

static void try_stream(trawl_stream *stream)
{
    trawl_error e = { 0 };
    size_t bytes = 0;
    expect(busy(trawl_stream_feed(stream, "abc", 3, &e), &e), "feed: BUSY");
    expect(busy(trawl_stream_break(stream, &e), &e), "break: BUSY");
    expect(busy(trawl_stream_save(stream, NULL, &bytes, &e), &e), "save: BUSY");
    expect(busy(trawl_stream_restore(stream, "x", 1, &e), &e), "restore: BUSY");
    expect(busy(trawl_stream_close(stream, &e), &e), "close: BUSY");
}

static void try_grid(const occupied *o)
{
    const trawl_grid grid = { cells, 2, 2, 0 };
    trawl_grid_match *matches = NULL;
    const trawl_device_grid there = TRAWL_DEVICE_GRID_INIT;
    recorder r = { 0 };
    uint64_t count;
    size_t found;
    trawl_error e = { 0 };
    expect(busy(trawl_scan_grid(o->context, grid_plan, &grid, NULL, record_grid, &r, &e), &e),
           "scan_grid: BUSY");
    expect(busy(trawl_count_grid(o->context, grid_plan, &grid, NULL, &count, &e), &e),
           "count_grid: BUSY");
    expect(busy(trawl_collect_grid(o->context, grid_plan, &grid, NULL, &matches, &found, &e), &e),
           "collect_grid: BUSY");
    expect(
        busy(trawl_scan_grid_device(o->context, grid_plan, &there, NULL, record_grid, &r, &e), &e),
        "scan_grid_device: BUSY");
    expect(busy(trawl_count_grid_device(o->context, grid_plan, &there, NULL, &count, &e), &e),
           "count_grid_device: BUSY");
    expect(r.count == 0 && !matches, "nothing is done");
}

static void try_all(void *with)
{
    const occupied *o = with;
    try_text(o);
    try_grid(o);
    try_stream(o->stream);
    try_stream(o->another);
}

static void *try_all_thread(void *with)
{
    try_all(with);
    return NULL;
}

static void try_all_elsewhere(void *with)
{
    pthread_t thread;
    expect(pthread_create(&thread, NULL, try_all_thread, with) == 0, "a thread");
    pthread_join(thread, NULL);
}

/* Every call that has a callback, in whose midst all others are tried. */
static void occupy(trawl_context *context, void (*try)(void *))
{
    const trawl_grid grid = { cells, 2, 2, 0 };
    const trawl_text texts[] = { { text, LENGTH } };
    occupied o = { context, NULL, NULL };
    recorder r, one = { 0 }, two = { 0 };
    trawl_error e = { 0 };
    const size_t half = LENGTH / 2;
    assert_int_equal(trawl_stream_open(context, plan, NULL, record, &one, &o.stream, &e), TRAWL_OK);
    assert_int_equal(trawl_stream_open(context, plan, NULL, record, &two, &o.another, &e),
                     TRAWL_OK);

    r = (recorder){ .first = try, .with = &o };
    expect(trawl_scan(context, plan, text, LENGTH, NULL, record, &r, &e) == TRAWL_OK, "scan");
    expect_prefix(&r, true);
    r = (recorder){ .first = try, .with = &o };
    expect(trawl_scan_many(context, plan, texts, 1, NULL, record, &r, &e) == TRAWL_OK, "many");
    expect_prefix(&r, true);
    r = (recorder){ .first = try, .with = &o };
    expect(trawl_scan_grid(context, grid_plan, &grid, NULL, record_grid, &r, &e) == TRAWL_OK,
           "grid");
    expect(r.count == 1, "the match of the grid");

    /* A stream is in a call itself, between feeds its state is left alone. */
    one.first = two.first = try;
    one.with = two.with = &o;
    expect(trawl_stream_feed(o.stream, text, half, &e) == TRAWL_OK, "feed");
    expect(trawl_stream_feed(o.another, text, half + 1, &e) == TRAWL_OK, "feed of another");
    expect(trawl_stream_feed(o.stream, text + half, LENGTH - half, &e) == TRAWL_OK, "feed on");
    expect(trawl_stream_feed(o.another, text + half + 1, LENGTH - half - 1, &e) == TRAWL_OK,
           "feed another on");
    expect(trawl_stream_close(o.stream, &e) == TRAWL_OK, "close");
    expect(trawl_stream_close(o.another, &e) == TRAWL_OK, "close another");
    expect_prefix(&one, true);
    expect_prefix(&two, true);
    nothing_wrong();
}

static void test_busy(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++) {
        occupy(both[i], try_all);
        occupy(both[i], try_all_elsewhere);
    }
}

/* Breaks and closes have callbacks too, where a report holds matches back. */
static void test_busy_at_the_end(void **state)
{
    const trawl_pattern pattern = { .text = "ab{1,9}", .length = 7, .syntax = 2 };
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_plan *held = NULL;
    (void)state;
    assert_int_equal(trawl_compile(&pattern, 1, NULL, &held, NULL), TRAWL_OK);
    options.report = TRAWL_REPORT_LONGEST;
    for (size_t i = 0; i < COUNT(both); i++) {
        occupied o = { both[i], NULL, NULL };
        recorder one = { .first = try_all, .with = &o }, two = { 0 };
        trawl_stream **const streams[] = { &o.stream, &o.another };
        for (size_t k = 0; k < COUNT(streams); k++)
            assert_int_equal(trawl_stream_open(both[i], held, &options, record, k ? &two : &one,
                                               streams[k], NULL),
                             TRAWL_OK);
        assert_int_equal(trawl_stream_feed(o.stream, "abb", 3, NULL), TRAWL_OK);
        assert_int_equal(one.count, 0);
        assert_int_equal(trawl_stream_break(o.stream, NULL), TRAWL_OK);
        assert_int_equal(one.count, 1);
        one.count = 0; /* so that the next is the first */
        assert_int_equal(trawl_stream_feed(o.stream, "abb", 3, NULL), TRAWL_OK);
        assert_int_equal(trawl_stream_close(o.stream, NULL), TRAWL_OK);
        assert_int_equal(one.count, 1);
        assert_int_equal(one.matches[0].record, 1);
        assert_int_equal(trawl_stream_close(o.another, NULL), TRAWL_OK);
        free(one.matches);
        nothing_wrong();
    }
    trawl_plan_free(held);
}

/* ---- callbacks --------------------------------------------------------- */

typedef struct watched {
    pthread_t caller;
    trawl_context *other; /* which the callback may use */
    atomic_bool inside;
    uint64_t counted;
} watched;

static int watch(const trawl_match *matches, size_t count, void *user)
{
    watched *w = user;
    uint64_t found = 0;
    (void)matches;
    expect(pthread_equal(w->caller, pthread_self()), "callbacks run on the thread that called");
    expect(!atomic_exchange(&w->inside, true), "one callback at a time");
    if (w->counted == 0)
        expect(trawl_count(w->other, plan, text, LENGTH, NULL, &found, NULL) == TRAWL_OK &&
                   found == expected_count,
               "another context serves in a callback");
    w->counted += count;
    atomic_store(&w->inside, false);
    return 0;
}

static void test_callbacks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++)
        for (size_t k = 0; k < 2; k++) {
            trawl_context *other = k ? open_threads(2) : both[1 - i];
            watched w = { .caller = pthread_self(), .other = other };
            assert_int_equal(trawl_scan(both[i], plan, text, LENGTH, NULL, watch, &w, NULL),
                             TRAWL_OK);
            assert_int_equal(w.counted, expected_count);
            nothing_wrong();
            if (k)
                trawl_context_close(other);
        }
}

/* ---- fork -------------------------------------------------------------- */

/* Runs `work` in a child, which says through its status whether anything was wrong. */
static void in_child(void (*work)(void *with), void *with)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(PATIENCE);
        work(with);
        const bool bad = anything_wrong();
        fflush(stdout);
        _exit(bad);
    }
    int status = 0;
    expect(child > 0 && waitpid(child, &status, 0) == child, "a child");
    expect(!WIFSIGNALED(status), "the child ends by itself");
    expect(status == 0, "in the child nothing is wrong");
}

static void scan_and_free(void *context)
{
    scan_all_of_it(context);
    scan_all_of_it(context);
    trawl_context_close(context);
}

/* After scans with threads, and again in a child's child. */
static void scan_and_fork(void *context)
{
    scan_all_of_it(context);
    in_child(scan_and_free, context);
    scan_all_of_it(context);
}

static void test_fork(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++) {
        expect_working(both[i]);
        in_child(scan_and_fork, both[i]);
        expect_working(both[i]);
        nothing_wrong();
    }
}

/* In a child of a call's midst: its context is refused, all others work, and it can be freed. */
static void find_busy(void *with)
{
    occupied *o = with;
    trawl_context *fresh = open_threads(2);
    try_all(o);
    scan_all_of_it(fresh);
    trawl_context_close(fresh);
    trawl_context_close(o->context);
}

static void fork_here(void *with)
{
    in_child(find_busy, with);
}

static void test_fork_in_callback(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++)
        occupy(both[i], fork_here);
}

static void *fork_thread(void *with)
{
    in_child(find_busy, with);
    return NULL;
}

/* From one thread, while another is in the call. */
static void fork_elsewhere(void *with)
{
    pthread_t thread;
    expect(pthread_create(&thread, NULL, fork_thread, with) == 0, "a thread");
    pthread_join(thread, NULL);
}

static void test_fork_beside_a_call(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++)
        occupy(both[i], fork_elsewhere);
}

/* A pool may be anywhere at the fork: again and again, at any moment of a scan. Before the first
 * scan memory is taken, whose lock the sanitizers' allocator does not give up in a child. */
typedef struct scanning {
    atomic_bool begun, stop;
} scanning;

static void *scan_on(void *with)
{
    scanning *s = with;
    trawl_context *own = open_threads(3);
    while (!atomic_load(&s->stop)) {
        scan_all_of_it(own);
        atomic_store(&s->begun, true);
    }
    trawl_context_close(own);
    return NULL;
}

static void scan_afresh(void *unused)
{
    trawl_context *fresh = open_threads(2);
    (void)unused;
    scan_all_of_it(fresh);
    scan_and_free(threads);
    trawl_context_close(fresh);
}

static void test_fork_any_time(void **state)
{
    scanning other = { false, false };
    pthread_t thread;
    (void)state;
    expect_working(threads);
    assert_int_equal(pthread_create(&thread, NULL, scan_on, &other), 0);
    while (!atomic_load(&other.begun))
        pause_for(0.001);
    for (uint32_t i = 0; i < 10; i++) {
        pause_for(0.003 * i);
        in_child(scan_afresh, NULL);
    }
    atomic_store(&other.stop, true);
    pthread_join(thread, NULL);
    nothing_wrong();
}

/* A device's context does not survive; plans do. */
static void refuse_and_free(void *device)
{
    trawl_context *fresh = open_threads(2);
    uint64_t count;
    trawl_error e = { 0 };
    expect(trawl_count(device, plan, text, LENGTH, NULL, &count, &e) == TRAWL_ERROR_UNSUPPORTED &&
               strstr(e.message, "fork"),
           "a device's context is refused after a fork");
    scan_all_of_it(fresh);
    trawl_context_close(fresh);
    trawl_context_close(device);
}

static void test_fork_device(void **state)
{
    test_target targets[MAX_TARGETS];
    (void)state;
    if (targets_find(targets) == 0)
        skip();
    trawl_context *device = target_open(&targets[0], targets[0].device, NULL);
    expect_working(device);
    in_child(refuse_and_free, device);
    expect_working(device);
    trawl_context_close(device);
    nothing_wrong();
}

/* ---- signals ----------------------------------------------------------- */

static atomic_uint alarms;

static void count_alarm(int number)
{
    (void)number;
    atomic_fetch_add(&alarms, 1);
}

typedef struct hammer {
    pthread_t at;
    atomic_bool stop;
} hammer;

static void *strike(void *with)
{
    hammer *h = with;
    while (!atomic_load(&h->stop)) {
        pthread_kill(h->at, SIGALRM);
        pause_for(0.0001);
    }
    return NULL;
}

static void test_signals(void **state)
{
    const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
    struct sigaction handler = { .sa_handler = count_alarm }, before; /* no SA_RESTART */
    hammer h = { .at = pthread_self() };
    pthread_t thread;
    (void)state;
    sigaction(SIGALRM, &handler, &before);
    assert_int_equal(pthread_create(&thread, NULL, strike, &h), 0);
    setitimer(ITIMER_REAL, &often, NULL);
    for (size_t i = 0; i < COUNT(both); i++)
        for (uint32_t round = 0; round < 10; round++) {
            trawl_context *fresh = open_threads(3);
            expect_working(both[i]);
            expect_working(fresh);
            trawl_context_close(fresh);
        }
    setitimer(ITIMER_REAL, &never, NULL);
    atomic_store(&h.stop, true);
    pthread_join(thread, NULL);
    sigaction(SIGALRM, &before, NULL);
    printf("%u signals\n", atomic_load(&alarms));
    assert_true(atomic_load(&alarms) > 20);
}

/* The signals that a thread of this process blocks, from /proc. */
static unsigned long long blocked_by(const char *thread)
{
    char path[64], line[256];
    unsigned long long mask = 0;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "SigBlk: %llx", &mask);
    if (file)
        fclose(file);
    return mask;
}

static size_t threads_seen;

/* All threads but this one, which is the only one of the test, are the library's. */
static void look_at_threads(void *own)
{
    static const int numbers[] = { SIGALRM, SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                                   SIGUSR2, SIGCHLD, SIGPIPE, SIGPROF, SIGWINCH };
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    (void)own;
    while (tasks && (task = readdir(tasks))) {
        const long id = strtol(task->d_name, NULL, 10);
        if (id == 0 || id == (long)getpid())
            continue;
        threads_seen++;
        const unsigned long long mask = blocked_by(task->d_name);
        for (size_t i = 0; i < COUNT(numbers); i++)
            expect(mask >> (numbers[i] - 1) & 1, "the library's threads block all signals");
    }
    if (tasks)
        closedir(tasks);
}

static void test_threads_block_signals(void **state)
{
    recorder r = { .first = look_at_threads };
    (void)state;
    threads_seen = 0;
    expect_working(threads); /* which has threads by now */
    assert_int_equal(trawl_scan(threads, plan, text, LENGTH, NULL, record, &r, NULL), TRAWL_OK);
    look_at_threads(NULL);
    expect_prefix(&r, true);
    printf("%zu threads\n", threads_seen / 2);
    nothing_wrong();
}

/* ---- thread-safe ------------------------------------------------------- */

/* Whatever may be called at any time, all of it at once. */
static void *live(void *unused)
{
    (void)unused;
    for (uint32_t round = 0; round < 5; round++) {
        static const trawl_pattern pattern = { .text = "a[bc]+", .length = 6, .syntax = 2 };
        trawl_plan_info info = { .size = sizeof info };
        trawl_context *own = NULL;
        trawl_plan *made = NULL, *loaded = NULL;
        size_t bytes = 0;
        expect(trawl_context_open(NULL, &own, NULL) == TRAWL_OK, "opens");
        expect(trawl_compile(&pattern, 1, NULL, &made, NULL) == TRAWL_OK, "compiles");
        const void *block = trawl_plan_save(plan, &bytes);
        expect(trawl_plan_load(block, bytes, &loaded, NULL) == TRAWL_OK, "loads");
        expect(trawl_plan_get_info(plan, &info) == TRAWL_OK && info.patterns == 3, "info");
        expect(trawl_engine_name(round) && trawl_backend_name(0) && trawl_version(), "names");
        scan_all_of_it(own);
        trawl_plan_free(loaded);
        trawl_plan_free(made);
        trawl_context_close(own);
    }
    return NULL;
}

static void test_thread_safe(void **state)
{
    pthread_t many[6];
    (void)state;
    for (size_t i = 0; i < COUNT(many); i++)
        assert_int_equal(pthread_create(&many[i], NULL, live, NULL), 0);
    for (size_t i = 0; i < COUNT(many); i++)
        pthread_join(many[i], NULL);
    nothing_wrong();
}

/* ---- texts that change ------------------------------------------------- */

typedef struct changer {
    volatile uint8_t *bytes;
    atomic_bool stop;
} changer;

static void *change(void *with)
{
    changer *c = with;
    rng r = { 5 };
    while (!atomic_load(&c->stop))
        for (uint32_t i = 0; i < 1000; i++)
            c->bytes[rng_below(&r, 1u << 20)] = (uint8_t) "abc."[rng_below(&r, 4)];
    return NULL;
}

static int look(const trawl_match *matches, size_t count, void *user)
{
    for (size_t i = 0; i < count; i++)
        expect(matches[i].end <= 1u << 20, "matches lie in the text");
    *(uint64_t *)user += count;
    return 0;
}

/* Matches are undefined then, but nothing is read or written elsewhere: the text lies between
 * pages that nobody may touch. */
static void test_changing_text(void **state)
{
    static const char *const engines[] = { "wm",    "ac",   "pfac",   "shiftand", "hnfa",
                                           "teddy", "auto", "qgrams", "factors" };
    static const trawl_pattern patterns[] = { { .text = "abc", .length = 3 },
                                              { .text = "bcab", .length = 4 } };
    const size_t room = 1u << 20;
    const fence around = fence_open(room);
    changer c = { .bytes = around.first };
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, change, &c), 0);
    for (size_t e = 0; e < COUNT(engines); e++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_scan_options scanning = TRAWL_SCAN_OPTIONS_INIT;
        trawl_plan *made = NULL;
        uint64_t count = 0;
        options.engine = engines[e];
        assert_int_equal(trawl_compile(patterns, COUNT(patterns), &options, &made, NULL), TRAWL_OK);
        for (uint32_t report = 0; report <= TRAWL_REPORT_EACH; report++)
            for (size_t i = 0; i < COUNT(both); i++) {
                scanning.report = report;
                expect(trawl_scan(both[i], made, around.first, room, &scanning, look, &count,
                                  NULL) == TRAWL_OK,
                       "a text that changes is scanned");
                expect(trawl_count(both[i], made, around.first, room, &scanning, &count, NULL) ==
                           TRAWL_OK,
                       "and counted");
            }
        trawl_plan_free(made);
    }
    atomic_store(&c.stop, true);
    pthread_join(thread, NULL);
    fence_close(&around);
    nothing_wrong();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_block_signals), /* first: no thread is the test's yet */
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_busy_at_the_end),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_thread_safe),
        cmocka_unit_test(test_changing_text),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_in_callback),
        cmocka_unit_test(test_fork_beside_a_call),
        cmocka_unit_test(test_fork_any_time),
        cmocka_unit_test(test_fork_device), /* last: drivers have threads of their own */
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
