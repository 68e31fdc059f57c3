/* test_threads.c: the threads of contexts: equal matches however a job is shared, forks, threads
 * that cannot be had, the caller's own threads, and none left behind.
 */
#ifdef __linux__
#define _GNU_SOURCE /* unshare */
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
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
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/pool.h" /* before cmocka, which has a macro fail */

#include <cmocka.h>

#include "each.h"
#include "random.h"
#include "targets.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SECONDS 120 /* after which a test that hangs is ended */
#define LENGTH (700u << 10)
#define ROWS 300u
#define COLS 200u

/* ---- threads that cannot be had ------------------------------------------------ */

static atomic_int may_start = INT_MAX; /* threads that may start yet */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

/* The linker has every pthread_create of this program come here (--wrap). */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    if (atomic_fetch_sub(&may_start, 1) <= 0) {
        atomic_store(&may_start, 0);
        return EAGAIN;
    }
    return __real_pthread_create(thread, attributes, run, argument);
}

/* ---- what is scanned ------------------------------------------------------------- */

enum { PLANS = 4 };

static trawl_plan *plans[PLANS], *grid_plan;
static uint8_t *text;
static uint8_t cells[ROWS * COLS];

static trawl_plan *compile(const char *const *patterns, size_t count, const char *engine)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_pattern list[4] = { 0 };
    trawl_plan *plan = NULL;
    trawl_error error;
    options.engine = engine;
    for (size_t i = 0; i < count; i++) {
        list[i].text = patterns[i];
        list[i].length = strlen(patterns[i]);
        list[i].syntax = TRAWL_SYNTAX_EXTENDED;
        list[i].id = (uint32_t)i;
    }
    if (trawl_compile(list, count, &options, &plan, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return plan;
}

static trawl_plan *compile_needles(void)
{
    const trawl_needle needles[] = { { cells, 2, 3, COLS, 0, NULL },
                                     { cells + 50 * COLS + 20, 3, 2, COLS, 1, NULL } };
    trawl_plan *plan = NULL;
    trawl_error error;
    if (trawl_compile_grid(needles, COUNT(needles), 1, NULL, &plan, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return plan;
}

/* Literals, sets, a plan that carries from slice to slice, and all at once. */
static int make_all(void **state)
{
    static const char *const words[] = { "abca", "cab", "bbbbb", "x[ab]*y" };
    rng r = { 1 };
    (void)state;
    text = malloc(LENGTH);
    if (!text)
        return -1;
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (uint8_t)("abc"[rng_below(&r, 3)] + (rng_chance(&r, 40) ? 23 : 0));
    for (size_t i = 0; i < sizeof cells; i++)
        cells[i] = (uint8_t)rng_below(&r, 3);
    plans[0] = compile(words, 1, "bm");
    plans[1] = compile(words, 3, "auto");
    plans[2] = compile(words + 3, 1, "auto");
    plans[3] = compile(words, 4, "auto");
    grid_plan = compile_needles();
    return 0;
}

static int free_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < PLANS; i++)
        trawl_plan_free(plans[i]);
    trawl_plan_free(grid_plan);
    free(text);
    return 0;
}

static int begin_test(void **state)
{
    (void)state;
    alarm(SECONDS);
    return 0;
}

static int end_test(void **state)
{
    (void)state;
    alarm(0);
    atomic_store(&may_start, INT_MAX);
    return 0;
}

/* ---- scanning -------------------------------------------------------------------- */

static trawl_context *open_threads(const char *backend, uint32_t threads, uint32_t schedule,
                                   uint32_t chunks)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error;
    options.backend = backend;
    options.threads = threads;
    options.schedule = schedule;
    options.chunks = chunks;
    if (trawl_context_open(&options, &context, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return context;
}

/* Everything that a scan reported, in its order, as one number. */
typedef struct digest {
    uint64_t count, sum;
} digest;

static void digest_add(digest *d, uint64_t value)
{
    d->sum = (d->sum ^ value) * 0x9e3779b97f4a7c15u;
    d->sum ^= d->sum >> 29;
}

static int on_match_one(const trawl_match *match, void *user)
{
    digest *d = user;
    d->count++;
    digest_add(d, match->start);
    digest_add(d, match->end);
    digest_add(d, match->pattern);
    return 0;
}

EACH_MATCH(on_match)

static int on_grid_match_one(const trawl_grid_match *match, void *user)
{
    digest *d = user;
    d->count++;
    digest_add(d, match->row);
    digest_add(d, match->col);
    digest_add(d, match->needle);
    return 0;
}

EACH_GRID_MATCH(on_grid_match)

static memory heap = { .limit = UINT64_MAX };

static int scan_text(trawl_context *context, const trawl_plan *plan, size_t length, digest *d,
                     trawl_error *error)
{
    *d = (digest){ 0, 0 };
    return trawl_scan(context, plan, text, length, NULL, on_match, d, error);
}

static int scan_cells(trawl_context *context, digest *d, trawl_error *error)
{
    const trawl_grid grid = { cells, ROWS, COLS, 0 };
    *d = (digest){ 0, 0 };
    return trawl_scan_grid(context, grid_plan, &grid, NULL, on_grid_match, d, error);
}

/* What one thread finds with plan 3 in the whole text. */
static digest expected_digest(void)
{
    trawl_context *serial = open_threads("serial", 0, 0, 0);
    digest d;
    assert_int_equal(scan_text(serial, plans[3], LENGTH, &d, NULL), TRAWL_OK);
    assert_true(d.count > 1000);
    trawl_context_close(serial);
    return d;
}

static bool finds(trawl_context *context, digest expected)
{
    digest d;
    return scan_text(context, plans[3], LENGTH, &d, NULL) == TRAWL_OK &&
           d.count == expected.count && d.sum == expected.sum;
}

/* ---- equal matches --------------------------------------------------------------- */

static void compare_all(trawl_context *context, trawl_context *serial, uint32_t turn)
{
    static const size_t lengths[] = { 0, 1, 7, 5000, 65537, 262143, 262144, 262145, LENGTH };
    digest got, want;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        const trawl_plan *plan = plans[(i + turn) % PLANS];
        assert_int_equal(scan_text(serial, plan, lengths[i], &want, NULL), TRAWL_OK);
        assert_int_equal(scan_text(context, plan, lengths[i], &got, NULL), TRAWL_OK);
        if (got.count != want.count || got.sum != want.sum)
            fail_msg("%zu bytes, plan %zu: %llu matches, not %llu", lengths[i], (i + turn) % PLANS,
                     (unsigned long long)got.count, (unsigned long long)want.count);
    }
    assert_int_equal(scan_cells(serial, &want, NULL), TRAWL_OK);
    assert_int_equal(scan_cells(context, &got, NULL), TRAWL_OK);
    assert_true(want.count > 100 && got.count == want.count && got.sum == want.sum);
}

static void check_equal(const char *backend)
{
    static const uint32_t chunks[] = { 0, 2, 3, 64, 1, 1000, 17 };
    trawl_context *serial = open_threads("serial", 0, 0, 0);
    uint32_t turn = 0;
    for (uint32_t threads = 1; threads <= 9; threads++) {
        for (uint32_t schedule = 0; schedule < 2; schedule++) {
            for (uint32_t i = 0; i < 2; i++, turn++) {
                trawl_context *context =
                    open_threads(backend, threads, schedule, chunks[turn % COUNT(chunks)]);
                compare_all(context, serial, turn);
                trawl_context_close(context);
            }
        }
    }
    trawl_context_close(serial);
}

static void test_equal(void **state)
{
    (void)state;
    check_equal("threads");
}

static void test_equal_openmp(void **state)
{
    (void)state;
    if (!target_runs("openmp"))
        skip();
    check_equal("openmp");
}

/* ---- the pool itself --------------------------------------------------------------- */

enum { TASKS = 64 };

typedef struct noted {
    atomic_uint runs[TASKS];
    pthread_t on[TASKS];
} noted;

static void note(void *job, uint32_t index)
{
    noted *n = job;
    atomic_fetch_add(&n->runs[index], 1);
    n->on[index] = pthread_self();
}

static void test_dealing(void **state)
{
    pool *p = pool_open(&heap);
    (void)state;
    for (uint32_t helpers = 1; helpers < 6; helpers++) {
        noted n = { 0 };
        assert_int_equal(pool_grow(p, helpers), 0);
        pool_run(p, helpers, true, note, &n, TASKS);
        for (uint32_t i = 0; i < TASKS; i++) {
            assert_int_equal(atomic_load(&n.runs[i]), 1);
            if (i > helpers)
                assert_true(pthread_equal(n.on[i], n.on[i - helpers - 1]));
            for (uint32_t k = 0; k < i && i <= helpers; k++)
                assert_false(pthread_equal(n.on[i], n.on[k]));
        }
        assert_true(pthread_equal(n.on[0], pthread_self()));
    }
    pool_close(p);
}

static void test_many_jobs(void **state)
{
    pool *p = pool_open(&heap);
    rng r = { 7 };
    (void)state;
    for (uint32_t job = 0; job < 5000; job++) {
        const uint32_t helpers = rng_below(&r, 5), count = rng_between(&r, 1, TASKS);
        noted n = { 0 };
        assert_int_equal(pool_grow(p, helpers), 0);
        pool_run(p, helpers, rng_chance(&r, 3), note, &n, count);
        for (uint32_t i = 0; i < TASKS; i++)
            assert_int_equal(atomic_load(&n.runs[i]), i < count);
    }
    pool_close(p);
}

/* ---- threads that come and go -------------------------------------------------------- */

/* Threads of this process; -1 where /proc does not say. */
static int count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* A thread that was joined may be listed for a moment yet. */
static void expect_threads(int expected)
{
    const struct timespec moment = { 0, 1000000 };
    for (int i = 0; i < 2000 && count_threads() > expected; i++)
        nanosleep(&moment, NULL);
    assert_int_equal(count_threads(), expected);
}

static void test_growing(void **state)
{
    const digest expected = expected_digest();
    digest d;
    (void)state;
    const int before = count_threads(); /* OpenMP and sanitizers have theirs */
    if (before < 0)
        skip();
    trawl_context *context = open_threads("threads", 5, TRAWL_SCHEDULE_STATIC, 0);
    expect_threads(before);
    assert_int_equal(scan_text(context, plans[1], 100000, &d, NULL), TRAWL_OK);
    assert_int_equal(scan_cells(context, &d, NULL), TRAWL_OK);
    expect_threads(before); /* not worth it */
    assert_true(finds(context, expected));
    expect_threads(before + 4);
    trawl_context_close(context);
    expect_threads(before);
    context = open_threads("threads", 5, TRAWL_SCHEDULE_DYNAMIC, 2);
    assert_true(finds(context, expected));
    expect_threads(before + 1); /* two slices want one more thread */
    trawl_context_close(context);
    expect_threads(before);
}

static void test_many_contexts(void **state)
{
    const digest expected = expected_digest();
    (void)state;
    const int before = count_threads();
    for (uint32_t i = 0; i < 30; i++) {
        trawl_context *context = open_threads("threads", 3, i % 2, 6);
        assert_true(finds(context, expected));
        trawl_context_close(context);
    }
    expect_threads(before);
}

typedef struct scanner {
    digest expected;
    atomic_bool *stop; /* NULL: a few scans */
    bool right;
} scanner;

static void *scan_often(void *argument)
{
    scanner *s = argument;
    trawl_context *context = open_threads("threads", 3, TRAWL_SCHEDULE_DYNAMIC, 9);
    s->right = true;
    for (uint32_t i = 0; s->stop ? !atomic_load(s->stop) : i < 5; i++)
        s->right = finds(context, s->expected) && s->right;
    trawl_context_close(context);
    return NULL;
}

static void test_contexts_at_once(void **state)
{
    const digest expected = expected_digest();
    pthread_t threads[8];
    scanner scanners[COUNT(threads)];
    (void)state;
    for (size_t i = 0; i < COUNT(threads); i++) {
        scanners[i] = (scanner){ expected, NULL, false };
        assert_int_equal(pthread_create(&threads[i], NULL, scan_often, &scanners[i]), 0);
    }
    for (size_t i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
        assert_true(scanners[i].right);
    }
}

/* ---- forks ------------------------------------------------------------------------- */

/* In a child: with its parent's context, and one of its own. */
static void scan_as_child(trawl_context *inherited, digest expected)
{
    alarm(SECONDS);
    if (test_sanitized()) /* the thread sanitizer takes a child's threads for the parent's */
        atomic_store(&may_start, 0);
    trawl_context *own = open_threads("auto", 3, TRAWL_SCHEDULE_DYNAMIC, 9);
    bool right = finds(own, expected);
    if (inherited) {
        right = finds(inherited, expected) && right;
        trawl_context_close(inherited);
    }
    right = finds(own, expected) && right;
    trawl_context_close(own);
    _exit(right ? 0 : 1);
}

static void expect_child(pid_t child)
{
    int status;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the child's status is %d", status);
}

static void test_fork(void **state)
{
    const digest expected = expected_digest();
    (void)state;
    for (uint32_t schedule = 0; schedule < 2; schedule++) {
        trawl_context *context = open_threads("auto", 3, schedule, 0);
        for (int i = 0; i < 3; i++) {
            assert_true(finds(context, expected));
            const pid_t child = fork();
            if (child == 0)
                scan_as_child(context, expected);
            assert_true(finds(context, expected)); /* the parent's threads are there yet */
            expect_child(child);
        }
        const pid_t child = fork();
        if (child == 0) { /* not used at all */
            alarm(SECONDS);
            trawl_context_close(context);
            _exit(0);
        }
        expect_child(child);
        trawl_context_close(context);
    }
}

#ifdef CLONE_NEWPID
enum { FORBIDDEN = 77 };

static void hangs(int number)
{
    (void)number;
    _exit(3); /* the first process of a namespace is ended by no signal without a handler */
}

/* The first process of a namespace forks one that is the first of another: both have number 1. */
static void scan_as_first(digest expected)
{
    trawl_context *context = open_threads("auto", 3, TRAWL_SCHEDULE_DYNAMIC, 9);
    int status = 0;
    if (getpid() != 1 || !finds(context, expected))
        _exit(1);
    if (unshare(CLONE_NEWPID) != 0)
        _exit(FORBIDDEN);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, hangs);
        if (getpid() != 1)
            _exit(1);
        scan_as_child(context, expected);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        _exit(2);
    _exit(WEXITSTATUS(status));
}

/* A process's number does not tell it from its child. */
static void test_fork_of_the_same_number(void **state)
{
    const digest expected = expected_digest();
    int status = 0;
    (void)state;
    const pid_t outside = fork();
    if (outside == 0) {
        if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
            _exit(FORBIDDEN);
        const pid_t first = fork();
        if (first == 0)
            scan_as_first(expected);
        if (first < 0 || waitpid(first, &status, 0) != first || !WIFEXITED(status))
            _exit(2);
        _exit(WEXITSTATUS(status));
    }
    assert_int_equal(waitpid(outside, &status, 0), outside);
    if (WIFEXITED(status) && WEXITSTATUS(status) == FORBIDDEN) {
        print_message("namespaces of processes are not permitted here\n");
        skip();
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}
#endif

static void test_fork_during_a_scan(void **state)
{
    const digest expected = expected_digest();
    const struct timespec moment = { 0, 3000000 };
    atomic_bool stop = false;
    scanner other = { expected, &stop, false };
    pthread_t thread;
    (void)state;
#ifdef __SANITIZE_ADDRESS__ /* the other thread may hold a lock of its allocator for ever */
    skip();
#endif
    trawl_context *context = open_threads("auto", 3, TRAWL_SCHEDULE_DYNAMIC, 9);
    assert_true(finds(context, expected));
    assert_int_equal(pthread_create(&thread, NULL, scan_often, &other), 0);
    for (int i = 0; i < 20; i++) {
        nanosleep(&moment, NULL);
        const pid_t child = fork();
        if (child == 0)
            scan_as_child(context, expected);
        expect_child(child);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    assert_true(other.right);
    trawl_context_close(context);
}

/* ---- signals ----------------------------------------------------------------------- */

/* A signal of the process is not delivered on a helper: it waits while the caller blocks it. */
static void test_signals_are_the_callers(void **state)
{
    const digest expected = expected_digest();
    sigset_t blocked, before, pending;
    (void)state;
    trawl_context *context = open_threads("threads", 3, TRAWL_SCHEDULE_STATIC, 0);
    assert_true(finds(context, expected));
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    kill(getpid(), SIGUSR1); /* ends the process where somebody takes it */
    assert_true(finds(context, expected));
    sigpending(&pending);
    assert_true(sigismember(&pending, SIGUSR1));
    signal(SIGUSR1, SIG_IGN);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    signal(SIGUSR1, SIG_DFL);
    trawl_context_close(context);
}

static void on_bus_error(int number)
{
    (void)number;
    _exit(7);
}

/* The second half of a mapped file is gone, and the second thread's slice with it. */
static void scan_shortened(void)
{
    char path[] = "/tmp/trawl-test-XXXXXX";
    digest d;
    alarm(SECONDS);
    signal(SIGBUS, on_bus_error);
    const int file = mkstemp(path);
    unlink(path);
    if (file < 0 || ftruncate(file, LENGTH) != 0)
        _exit(1);
    uint8_t *mapped = mmap(NULL, LENGTH, PROT_READ, MAP_SHARED, file, 0);
    trawl_context *context = open_threads("threads", 2, TRAWL_SCHEDULE_STATIC, 0);
    if (mapped == MAP_FAILED || ftruncate(file, LENGTH / 2) != 0)
        _exit(1);
    text = mapped;
    scan_text(context, plans[1], LENGTH, &d, NULL);
    _exit(2);
}

static void test_bus_errors_reach_their_handler(void **state)
{
    int status;
    (void)state;
    const pid_t child = fork();
    if (child == 0)
        scan_shortened();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

/* ---- threads that cannot be had -------------------------------------------------------- */

static void test_no_thread(void **state)
{
    const digest expected = expected_digest();
    trawl_error error;
    digest d;
    (void)state;
    trawl_context *context = open_threads("threads", 4, TRAWL_SCHEDULE_DYNAMIC, 0);
    atomic_store(&may_start, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(scan_text(context, plans[3], LENGTH, &d, &error), TRAWL_ERROR_THREAD);
        assert_non_null(strstr(error.message, strerror(EAGAIN)));
        assert_non_null(strstr(error.message, "ulimit -u"));
        assert_non_null(strstr(error.message, "serial"));
    }
    atomic_store(&may_start, INT_MAX); /* mended */
    assert_true(finds(context, expected));
    trawl_context_close(context);
}

static void test_some_threads(void **state)
{
    static const char *const backends[] = { "threads", "auto" };
    const digest expected = expected_digest();
    (void)state;
    for (size_t b = 0; b < COUNT(backends); b++) {
        for (uint32_t schedule = 0; schedule < 2; schedule++) {
            for (int some = b == 0 ? 1 : 0; some < 4; some++) {
                trawl_context *context = open_threads(backends[b], 5, schedule, 0);
                atomic_store(&may_start, some);
                assert_true(finds(context, expected));
                assert_true(finds(context, expected));
                assert_int_equal(trawl_context_threads(context), some + 1);
                trawl_context_close(context);
            }
        }
    }
}

/* ---- the caller's threads ---------------------------------------------------------------- */

typedef enum habit { HONEST, GIVES_UP, SKIPS, TWICE, TWICE_AT_ONCE, BEYOND, EARLY } habit;

typedef struct toy {
    habit habit;
    uint32_t calls; /* of the runner */
    trawl_task_fn task;
    void *job;
    uint32_t count;
    atomic_uint next;
    pthread_t threads[3];
} toy;

static void *toy_thread(void *argument)
{
    const struct timespec moment = { 0, 20000000 };
    toy *t = argument;
    for (uint32_t i; (i = atomic_fetch_add(&t->next, 1)) < t->count;) {
        if (t->habit == EARLY)
            nanosleep(&moment, NULL);
        t->task(t->job, t->habit == TWICE_AT_ONCE ? i / 2 : i);
    }
    return NULL;
}

static void toy_join(toy *t)
{
    for (size_t i = 0; i < COUNT(t->threads); i++)
        pthread_join(t->threads[i], NULL);
}

static int run_toy(void *user, trawl_task_fn task, void *job, uint32_t count)
{
    toy *t = user;
    t->calls++;
    t->task = task;
    t->job = job;
    t->count = t->habit == SKIPS ? count - 1 : count;
    atomic_store(&t->next, 0);
    if (t->habit == GIVES_UP)
        return 5;
    for (size_t i = 0; i < COUNT(t->threads); i++)
        assert_int_equal(pthread_create(&t->threads[i], NULL, toy_thread, t), 0);
    if (t->habit == EARLY)
        return 0;
    toy_join(t);
    if (t->habit == TWICE)
        task(job, 1);
    if (t->habit == BEYOND)
        task(job, count);
    return 0;
}

static trawl_context *open_toy(toy *t, const char *backend)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error;
    options.backend = backend;
    options.threads = 3;
    options.chunks = 8;
    options.runner = run_toy;
    options.runner_user = t;
    if (trawl_context_open(&options, &context, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return context;
}

static void test_runner(void **state)
{
    static const char *const backends[] = { NULL, "auto", "threads" };
    trawl_context *serial = open_threads("serial", 0, 0, 0);
    toy t = { .habit = HONEST };
    (void)state;
    for (uint32_t i = 0; i < COUNT(backends); i++) {
        trawl_context *context = open_toy(&t, backends[i]);
        t.calls = 0;
        compare_all(context, serial, i);
        assert_true(t.calls > 3);
        assert_int_equal(trawl_context_threads(context), 3);
        trawl_context_close(context);
    }
    trawl_context_close(serial);
}

static void test_runner_that_errs(void **state)
{
    static const struct {
        habit habit;
        int status;
        const char *says;
    } cases[] = {
        { GIVES_UP, TRAWL_ERROR_THREAD, "returned 5, having run 0 of 8 tasks" },
        { SKIPS, TRAWL_ERROR_THREAD, "7 of 8 tasks had ended" },
        { TWICE, TRAWL_ERROR_THREAD, "twice" },
        { TWICE_AT_ONCE, TRAWL_ERROR_THREAD, "twice" },
        { BEYOND, TRAWL_ERROR_THREAD, "that there are not" },
        { EARLY, TRAWL_ERROR_THREAD, "of 8 tasks had ended" },
    };
    const digest expected = expected_digest();
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        trawl_error error;
        digest d;
        toy t = { .habit = cases[i].habit };
        trawl_context *context = open_toy(&t, NULL);
        assert_int_equal(scan_text(context, plans[3], LENGTH, &d, &error), cases[i].status);
        if (!strstr(error.message, cases[i].says))
            fail_msg("%s", error.message);
        if (t.habit == EARLY)
            toy_join(&t);
        assert_int_equal(scan_cells(context, &d, &error), cases[i].status);
        if (t.habit == EARLY)
            toy_join(&t);
        t.habit = HONEST; /* the context is as good as before */
        assert_true(finds(context, expected));
        trawl_context_close(context);
    }
}

static void test_runner_options(void **state)
{
    static const char *const backends[] = { "serial", "openmp", "opencl", "cuda" };
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error;
    (void)state;
    options.runner = run_toy;
    for (size_t i = 0; i < COUNT(backends); i++) {
        options.backend = backends[i];
        assert_int_equal(trawl_context_open(&options, &context, &error), TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "runner"));
        assert_null(context);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_test, end_test)
    const struct CMUnitTest tests[] = {
        TEST(test_dealing),
        TEST(test_many_jobs),
        TEST(test_fork),
#ifdef CLONE_NEWPID
        TEST(test_fork_of_the_same_number),
#endif
        TEST(test_fork_during_a_scan),
        TEST(test_growing),
        TEST(test_many_contexts),
        TEST(test_contexts_at_once),
        TEST(test_signals_are_the_callers),
        TEST(test_bus_errors_reach_their_handler),
        TEST(test_no_thread),
        TEST(test_some_threads),
        TEST(test_runner),
        TEST(test_runner_that_errs),
        TEST(test_runner_options),
        TEST(test_equal),
        TEST(test_equal_openmp), /* last: its threads stay */
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
