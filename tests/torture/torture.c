/* torture.c: see torture.h. A run whose failures are counted is repeated for each of them.
 *
 *     torture [GROUP...]
 *
 *     TRAWL_TORTURE_EVERY=N   of the cases about one in N, at random (TRAWL_TEST_SEED)
 *
 * Invariant: after a case there are as many blocks and open files as before it.
 */
#include "torture.h"

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CASE_SECONDS 60 /* after which a case that hangs is ended */
#define MAX_SHOWN 40

static char name[256], message[512];
static failing_kind kind;
static unsigned long call, cases, left_out, faults;
static bool onwards, skipped;
static uint64_t seed, state, every;
static int report = STDOUT_FILENO; /* the standard ones may be led elsewhere */

failing_kind torture_kind(void)
{
    return kind;
}

void torture_fault(const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (faults++ < MAX_SHOWN)
        dprintf(report, "not ok - %s, %s %lu%s: %s\n", name, failing_names[kind], call,
                onwards ? " and all after" : "", text);
}

void torture_skip(const char *why)
{
    skipped = true;
    dprintf(report, "skipped: %s\n", why);
}

/* A case that crashes or hangs ends all; which one it was is known. */
static void on_signal(int number)
{
    failing_end();
    const int length = snprintf(message, sizeof message, "not ok - %s, %s %lu%s: signal %d\n", name,
                                failing_names[kind], call, onwards ? " and all after" : "", number);
    if (write(report, message, (size_t)length) != length)
        _exit(3);
    signal(number, SIG_DFL);
    raise(number);
}

static void watch(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM };
    for (size_t i = 0; i < COUNT(signals); i++)
        signal(signals[i], on_signal);
}

/* splitmix64 */
static bool chosen(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % every == 0;
}

/* The lowest number that is no open file's. */
static int free_file(void)
{
    const int file = dup(report);
    close(file);
    return file;
}

static unsigned long run_case(torture_run run, void *user, bool first)
{
    const long blocks = failing_blocks();
    const int file = free_file();
    alarm(CASE_SECONDS);
    failing_begin(kind, call, onwards);
    run(user, first);
    const unsigned long calls = failing_end();
    cases++;
    if (failing_blocks() != blocks)
        torture_fault("%ld blocks were not given back", failing_blocks() - blocks);
    if (free_file() != file)
        torture_fault("files were left open");
    return calls;
}

static void fail_each(torture_run run, void *user, unsigned long calls)
{
    for (call = 1; call <= calls; call++) {
        if (chosen())
            run_case(run, user, false);
        else
            left_out++;
    }
}

void torture(unsigned kinds, torture_run run, void *user, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    bool first = true;
    for (kind = 0; kind < FAILING_KINDS; kind++) {
        if (!(kinds & KIND(kind)))
            continue;
        call = 0;
        onwards = false;
        const unsigned long calls = run_case(run, user, first);
        first = false;
        fail_each(run, user, calls);
        onwards = true;
        fail_each(run, user, calls);
    }
}

static bool wanted(const char *group, int argc, char **argv)
{
    bool named = argc == 1;
    for (int i = 1; i < argc; i++)
        named = named || strcmp(argv[i], group) == 0;
    return named;
}

static uint64_t environment(const char *variable, uint64_t usual)
{
    const char *value = getenv(variable);
    return value ? strtoull(value, NULL, 10) : usual;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } groups[] = {
        { "compile", torture_compile }, { "scan", torture_scan },
        { "stream", torture_stream },   { "grid", torture_grid },
        { "device", torture_device },   { "command", torture_command },
    };
    every = environment("TRAWL_TORTURE_EVERY", 1);
    seed = state = environment("TRAWL_TEST_SEED", (uint64_t)time(NULL));
    report = dup(STDOUT_FILENO);
    if (report < 0 || every == 0)
        return 2;
    watch();
    for (size_t i = 0; i < COUNT(groups); i++)
        if (wanted(groups[i].name, argc, argv))
            groups[i].run();
    dprintf(report, "%lu cases, %lu faults", cases, faults);
    if (every > 1)
        dprintf(report, "; %lu were left out: TRAWL_TEST_SEED=%llu", left_out,
                (unsigned long long)seed);
    dprintf(report, "\n");
    return faults ? 1 : cases ? 0 : skipped ? 77 : 1;
}
