/* progress.c: see cli/progress.h.
 *
 * Idea. One thread sleeps, looks ten times a second at how far the others are, and draws. They add
 * to a counter, or not even that: a descriptor knows how far it was read, whatever is unpacked from
 * it, and a context how much it has scanned.
 *
 * Invariant: the line is on the terminal only while nobody holds the lock. Who writes holds it,
 * and takes the line away first; so it is never mixed with what others write. What is printed to
 * the same terminal keeps it away for another second.
 */
#include "cli/progress.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "formats/writers/text.h"

#define BEFORE 1.0 /* seconds of work, or without output */
#define EVERY 0.1  /* seconds between two lines */

enum { MAX_LINE = 200, USUAL_WIDTH = 80, MIN_BAR = 10, MAX_BAR = 50 };

static struct {
    enum { NEVER, AUTO, ALWAYS } when;
    bool running; /* the thread; set while there is no other one */
    bool shared;  /* standard output goes where the line is */
    bool terminal;
    pthread_mutex_t lock;
    pthread_cond_t ended_changed;
    pthread_t thread;

    /* Under the lock: */
    bool ended;
    double began, quiet; /* no line before this time */
    size_t drawn;        /* columns on the terminal */
    uint64_t total;
    int descriptor;               /* -1: none */
    uint64_t first_offset;        /* of it, where the file began */
    const trawl_context *context; /* that scans it; NULL: it is read */
    uint64_t first_scanned;       /* by that, when it began */
    uint64_t units, bytes;        /* units that it shall scan, and the bytes that they count for */

    _Atomic uint64_t done; /* of the files before, */
    _Atomic uint64_t read; /* and what was made of the present one */
} bar;

static const char *const when_names[] = { "never", "auto", "always", NULL };

const option_row progress_rows[] = {
    { OPT_PROGRESS, "progress", "[WHEN]", .values = when_names,
      .about = "show how far it is, on standard error, after a second of work:\n"
               "auto (on a terminal; the default), always or never" },
    { 0 },
};

bool progress_option(const char *command, const char *when)
{
    uint32_t choice = AUTO;
    const bool known = !when || choice_option(command, "--progress", when_names, when, &choice);
    bar.when = choice == NEVER ? NEVER : choice == AUTO ? AUTO : ALWAYS;
    return known;
}

/* ---- how far it is ------------------------------------------------------------- */

static uint64_t offset_of(int descriptor)
{
    const off_t at = lseek(descriptor, 0, SEEK_CUR);
    return at < 0 ? UINT64_MAX : (uint64_t)at;
}

/* Bytes of the present file. */
static uint64_t file_done(void)
{
    if (bar.context) {
        const uint64_t scanned = trawl_context_scanned(bar.context) - bar.first_scanned;
        return scanned >= bar.units
                   ? bar.bytes
                   : (uint64_t)((double)scanned / (double)bar.units * (double)bar.bytes);
    }
    if (bar.descriptor < 0)
        return 0;
    const uint64_t at = offset_of(bar.descriptor);
    if (at == UINT64_MAX)
        return atomic_load_explicit(&bar.read, memory_order_relaxed);
    return at > bar.first_offset ? at - bar.first_offset : 0;
}

void progress_file(int descriptor)
{
    if (!bar.running)
        return;
    pthread_mutex_lock(&bar.lock);
    atomic_fetch_add_explicit(&bar.done, file_done(), memory_order_relaxed);
    atomic_store_explicit(&bar.read, 0, memory_order_relaxed);
    bar.descriptor = descriptor;
    bar.context = NULL;
    bar.first_offset = descriptor >= 0 ? offset_of(descriptor) : 0;
    pthread_mutex_unlock(&bar.lock);
}

void progress_scans(const trawl_context *context, uint64_t units, uint64_t bytes)
{
    if (!bar.running)
        return;
    pthread_mutex_lock(&bar.lock);
    bar.context = context;
    bar.first_scanned = trawl_context_scanned(context);
    bar.units = units;
    bar.bytes = bytes;
    pthread_mutex_unlock(&bar.lock);
}

void progress_read(uint64_t bytes)
{
    if (bar.running)
        atomic_fetch_add_explicit(&bar.read, bytes, memory_order_relaxed);
}

void progress_add(uint64_t bytes)
{
    if (bar.running)
        atomic_fetch_add_explicit(&bar.done, bytes, memory_order_relaxed);
}

uint64_t progress_total(char **paths, size_t count)
{
    return bar.when == NEVER ? 0 : operand_bytes(paths, count, 0);
}

/* ---- the line ---------------------------------------------------------------------- */

static size_t terminal_width(void)
{
    struct winsize size = { .ws_col = 0 };
    const bool known = bar.terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
    const size_t columns = known && size.ws_col ? size.ws_col : USUAL_WIDTH;
    return columns < MAX_LINE ? columns : MAX_LINE;
}

/* "[=====>     ]  45%  " of as many columns as are left. */
static int put_bar(char *text, size_t room, double part, size_t columns)
{
    const size_t width = columns < MIN_BAR ? 0 : columns < MAX_BAR ? columns : MAX_BAR;
    const size_t full = (size_t)(part * (double)width);
    char line[MAX_BAR + 1];
    memset(line, ' ', sizeof line);
    memset(line, '=', full);
    if (full < width)
        line[full] = '>';
    if (!width)
        return snprintf(text, room, "%3d%%  ", (int)(part * 100));
    return snprintf(text, room, "[%.*s] %3d%%  ", (int)width, line, (int)(part * 100));
}

/* What the line says. Returns its length. */
static size_t compose(char *line, size_t room)
{
    char done[24], total[24], rate[24], left[24], rest[120];
    const uint64_t bytes = atomic_load_explicit(&bar.done, memory_order_relaxed) + file_done();
    const double seconds = now() - bar.began, speed = (double)bytes / seconds;
    const bool known = bar.total != UINT64_MAX && bar.total > 0;
    const double part = known ? (double)bytes / (double)bar.total : 0;
    put_bytes(done, sizeof done, (double)bytes);
    put_bytes(rate, sizeof rate, speed);
    if (!known || part > 1.0) { /* more than there was: nobody knows any more */
        put_time(left, sizeof left, seconds);
        return (size_t)snprintf(line, room, "%s  %s/s  %s", done, rate, left);
    }
    put_bytes(total, sizeof total, (double)bar.total);
    if (bytes)
        put_time(left, sizeof left, ((double)bar.total - (double)bytes) / speed);
    else
        snprintf(left, sizeof left, "-:--");
    const int length =
        snprintf(rest, sizeof rest, "%s of %s  %s/s  %s left", done, total, rate, left);
    const size_t width = terminal_width(), taken = (size_t)length + 11; /* "[] 100%  ", the edge */
    const int head = put_bar(line, room, part, width > taken ? width - taken : 0);
    return (size_t)head + (size_t)snprintf(line + head, room - (size_t)head, "%s", rest);
}

static void put_line(const char *line, size_t length)
{
    const char *at = line;
    while (length) {
        const ssize_t put = write(STDERR_FILENO, at, length);
        if (put <= 0 && errno != EINTR)
            return;
        at += put > 0 ? put : 0;
        length -= put > 0 ? (size_t)put : 0;
    }
}

static void erase(void)
{
    char line[MAX_LINE + 3];
    if (!bar.drawn)
        return;
    memset(line, ' ', sizeof line);
    line[0] = line[bar.drawn + 1] = '\r';
    put_line(line, bar.drawn + 2);
    bar.drawn = 0;
}

/* A process in the background leaves the terminal to others. */
static bool in_front(void)
{
    return !bar.terminal || tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static void draw(void)
{
    char line[2 * MAX_LINE + 2];
    size_t width = terminal_width();
    if (now() < bar.quiet || !in_front())
        return;
    line[0] = '\r';
    size_t length = compose(line + 1, MAX_LINE);
    width = width > 1 ? width - 1 : 1; /* the last column would begin the next line */
    length = length < width ? length : width;
    const size_t old = bar.drawn;
    bar.drawn = length;
    for (; length < old; length++)
        line[1 + length] = ' ';
    put_line(line, 1 + length);
}

/* ---- the thread ---------------------------------------------------------------------- */

static void sleep_until(double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const long wait = (long)((seconds - now()) * 1e9);
    until.tv_nsec += wait > 0 ? wait % 1000000000 : 0;
    until.tv_sec += (wait > 0 ? wait / 1000000000 : 0) + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!bar.ended && now() < seconds)
        if (pthread_cond_timedwait(&bar.ended_changed, &bar.lock, &until) != 0)
            return;
}

static void *draw_lines(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&bar.lock);
    sleep_until(bar.quiet);
    while (!bar.ended) {
        draw();
        sleep_until(now() + EVERY);
    }
    pthread_mutex_unlock(&bar.lock);
    return NULL;
}

static bool same_file(int a, int b)
{
    struct stat x, y;
    return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool open_locks(void)
{
    pthread_mutexattr_t nested;
    pthread_condattr_t steady;
    if (pthread_mutexattr_init(&nested) != 0)
        return false;
    pthread_mutexattr_settype(&nested, PTHREAD_MUTEX_RECURSIVE);
    bool fine = pthread_mutex_init(&bar.lock, &nested) == 0;
    pthread_mutexattr_destroy(&nested);
    if (!fine || pthread_condattr_init(&steady) != 0)
        return false;
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    fine = pthread_cond_init(&bar.ended_changed, &steady) == 0;
    pthread_condattr_destroy(&steady);
    return fine;
}

void progress_begin(uint64_t total)
{
    const char *kind = getenv("TERM");
    sigset_t all, old;
    bar.terminal = bar.when != NEVER && isatty(STDERR_FILENO);
    const bool dumb = kind && strcmp(kind, "dumb") == 0;
    if (bar.when == NEVER || (bar.when == AUTO && (!bar.terminal || dumb)) || !open_locks())
        return;
    bar.shared = same_file(STDOUT_FILENO, STDERR_FILENO);
    bar.total = total;
    bar.descriptor = -1;
    bar.began = now();
    bar.quiet = bar.began + BEFORE;
    sigfillset(&all); /* signals are for the others */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bar.running = pthread_create(&bar.thread, NULL, draw_lines, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void progress_end(void)
{
    if (!bar.running)
        return;
    pthread_mutex_lock(&bar.lock);
    erase();
    bar.ended = true;
    pthread_cond_signal(&bar.ended_changed);
    pthread_mutex_unlock(&bar.lock);
    pthread_join(bar.thread, NULL);
    bar.running = false;
    pthread_cond_destroy(&bar.ended_changed);
    pthread_mutex_destroy(&bar.lock);
}

/* ---- others' output -------------------------------------------------------------------- */

void progress_hold(bool output)
{
    if (!bar.running || (output && !bar.shared))
        return;
    pthread_mutex_lock(&bar.lock);
    erase();
}

void progress_release(bool output)
{
    if (!bar.running || (output && !bar.shared))
        return;
    if (output)
        fflush(stdout);
    bar.quiet = now() + BEFORE;
    pthread_mutex_unlock(&bar.lock);
}
