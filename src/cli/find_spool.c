/* find_spool.c: see cli/find_spool.h. */
#include "cli/find_spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define PIECE (1u << 20) /* bytes at once */

static const char spooled[] = "the copy of the output in $TMPDIR";

static void give_up(const spool *s, const char *what, const char *why)
{
    cluster_fail(s->c, s->command, what, why);
}

/* What was printed is where it belongs, or all ranks end: for the reason that the first write to
 * fail had, `cause`; 0: errno has it. */
static void must_print(const spool *s, int cause)
{
    const bool failed = ferror(stdout);
    cause = cause ? cause : errno;
    if (fflush(stdout) == 0 && !failed)
        return;
    cause = failed ? cause : errno;
    const bool copies = s->standard >= 0;
    if (!copies && !s->output && cause == EPIPE)
        cluster_abort(s->c, EXIT_MATCH); /* who reads it wants no more */
    give_up(s,
            copies      ? spooled
            : s->output ? s->output
                        : "cannot write the output",
            strerror(cause));
}

/* Rank 0 prints into the file itself. */
static bool is_direct(const spool *s)
{
    return s->output && s->c->rank == 0 && s->fd < 0;
}

uint64_t spool_at(const spool *s, int cause)
{
    must_print(s, cause);
    return s->fd >= 0 || is_direct(s) ? (uint64_t)lseek(STDOUT_FILENO, 0, SEEK_CUR) : 0;
}

void spool_open(spool *s)
{
    size_t length = 0;
    if (s->c->rank == 0) {
        if (!output_to(&s->made, s->command, s->output))
            cluster_abort(s->c, EXIT_ERROR);
        s->made_at = strdup(s->made.temporary ? s->made.temporary : s->output);
        length = s->made_at ? strlen(s->made_at) + 1 : 0;
    }
    s->c->broadcast(&length, sizeof length);
    if (s->c->rank && length)
        s->made_at = malloc(length);
    if (!s->made_at)
        give_up(s, s->output, strerror(ENOMEM));
    s->c->broadcast(s->made_at, length);
}

void spool_close(spool *s, bool fine)
{
    free(s->made_at);
    s->made_at = NULL;
    if (s->made.file && !replace_end(&s->made, fine) && fine)
        give_up(s, s->output, strerror(errno));
}

void spool_begin(spool *s)
{
    const char *folder = getenv("TMPDIR");
    char *path = format_text("%s/trawl-XXXXXX", folder && *folder ? folder : "/tmp");
    fflush(stdout);
    s->standard = dup(STDOUT_FILENO);
    s->fd = path ? mkstemp(path) : -1;
    if (s->fd < 0 || s->standard < 0)
        give_up(s, path ? path : spooled, strerror(errno));
    unlink(path);
    free(path);
    dup2(s->fd, STDOUT_FILENO);
}

void spool_end(spool *s)
{
    if (s->fd < 0)
        return;
    must_print(s, 0);
    dup2(s->standard, STDOUT_FILENO);
    close(s->standard);
    s->standard = -1;
}

/* Takes the output piece by piece. */
typedef struct taker {
    const spool *s;
    void *file;                /* --output; NULL: standard output, or messages to rank 0 */
    bool counts_only;          /* nothing goes anywhere */
    uint64_t at, lines, limit; /* limit: UINT64_MAX: none */
} taker;

/* As much of it as the limit of lines lets through. */
static size_t within(taker *t, const uint8_t *bytes, size_t length)
{
    size_t at = t->limit == UINT64_MAX ? length : 0;
    while (at < length && t->lines < t->limit) {
        const uint8_t *end = memchr(bytes + at, '\n', length - at);
        at = end ? (size_t)(end - bytes) + 1 : length;
        t->lines += end != NULL;
    }
    return at;
}

/* To rank 0; of no bytes: that was all. */
static void send_piece(const cluster *c, const uint8_t *bytes, uint64_t length)
{
    c->send(0, &length, sizeof length);
    c->send(0, bytes, (size_t)length);
}

/* Rank 0's. */
static void print(const spool *s, const uint8_t *bytes, size_t length)
{
    fwrite(bytes, 1, length, stdout);
    must_print(s, 0);
}

static void put(taker *t, const uint8_t *bytes, size_t length)
{
    const cluster *c = t->s->c;
    const char *why;
    t->at += length;
    if (t->counts_only || length == 0)
        return;
    if (t->file && !c->write(t->file, t->at - length, bytes, length, &why))
        give_up(t->s, t->s->output, why);
    else if (!t->file && c->rank)
        send_piece(c, bytes, length);
    else if (!t->file)
        print(t->s, bytes, length);
}

static void put_segment(taker *t, segment s, uint8_t *piece)
{
    if (t->counts_only && t->limit == UINT64_MAX) { /* its lines need not be seen */
        t->at += s.length;
        return;
    }
    for (uint64_t at = 0; at < s.length && t->lines < t->limit;) {
        const size_t wanted = s.length - at < PIECE ? (size_t)(s.length - at) : PIECE;
        const ssize_t got = pread(t->s->fd, piece, wanted, (off_t)(s.at + at));
        if (got <= 0)
            give_up(t->s, spooled, strerror(errno));
        put(t, piece, within(t, piece, (size_t)got));
        at += (uint64_t)got;
    }
}

static void put_all(taker *t, const segment *segments, size_t count, uint64_t lines)
{
    uint8_t *piece = malloc(PIECE);
    if (!piece)
        give_up(t->s, spooled, strerror(ENOMEM));
    for (size_t i = 0; i < count && t->s->fd >= 0; i++) {
        t->limit = i ? lines : UINT64_MAX;
        put_segment(t, segments[i], piece);
    }
    free(piece);
}

/* What rank 0 gets from the others, one after the other. */
static void relay(const spool *s)
{
    uint8_t *piece = malloc(PIECE);
    if (!piece)
        give_up(s, "standard output", strerror(ENOMEM));
    for (int r = 1; r < s->c->size; r++) {
        uint64_t length = 1;
        while (length) {
            s->c->receive(r, &length, sizeof length);
            s->c->receive(r, piece, (size_t)length);
            print(s, piece, (size_t)length);
        }
    }
    free(piece);
}

/* Before the others open it by its name: that is still the file which rank 0 has opened, with what
 * it has printed, and NFS shows both to other machines. */
static void must_be_there(const spool *s)
{
    struct stat opened, named;
    const off_t printed = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    if (fsync(STDOUT_FILENO) != 0 && errno != EINVAL) /* EINVAL: there is nothing to wait for */
        give_up(s, s->output, strerror(errno));
    if (fstat(STDOUT_FILENO, &opened) != 0 || stat(s->made_at, &named) != 0 ||
        opened.st_dev != named.st_dev || opened.st_ino != named.st_ino || named.st_size != printed)
        give_up(s, s->output,
                "it was moved, deleted or changed by others while the ranks searched, so what they "
                "found is not there: leave it alone until they end, and search again");
}

/* All ranks' at once, each where those before it end. */
static void write_all(const spool *s, const segment *segments, size_t count, uint64_t lines)
{
    const char *why;
    taker counting = { .s = s, .counts_only = true };
    const bool direct = is_direct(s);
    put_all(&counting, segments, count, lines);
    if (direct)
        counting.at = spool_at(s, 0);
    const uint64_t before = s->c->sum_before(counting.at), all = s->c->sum(counting.at);
    if (s->c->rank == 0) /* when all have searched */
        must_be_there(s);
    taker t = { .s = s, .at = before };
    t.file = s->c->open_all(s->made_at, all, &why);
    if (!t.file)
        give_up(s, s->output, why);
    put_all(&t, segments, count, lines);
    s->c->close_all(t.file);
}

void spool_put(spool *s, const segment *segments, size_t count, uint64_t limit, uint64_t before)
{
    const uint64_t lines = !limit ? UINT64_MAX : limit > before ? limit - before : 0;
    taker t = { .s = s };
    if (s->output) {
        write_all(s, segments, count, lines);
    } else {
        put_all(&t, segments, count, lines);
        if (s->c->rank)
            send_piece(s->c, NULL, 0);
        else
            relay(s);
    }
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}
