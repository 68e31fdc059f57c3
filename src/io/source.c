/* source.c: files and pipes as texts.
 *
 * Idea. Blocks of lines are windows of the file, mapped one at a time, so no byte is
 * copied and memory stays small for a file of any size. What cannot be mapped (a pipe, a
 * device, a file of /proc) is read into a buffer that keeps the line not yet ended.
 *
 * Invariant: between calls of source_lines, `at` is the offset of the first byte of a
 * line, and buffer[given .. used) what has been read but not handed out: a line not yet
 * ended, or what source_peek looked at.
 */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_BLOCK (1u << 20)
#define LARGEST_BLOCK (8u << 20)
#define MOST_PEEKED (64u << 10)
#define SPOOL_PIECE (1u << 20)

/* ---- open and close ---------------------------------------------------- */

/* Look at the open file: fills facts, mappable, length and at. */
static bool examine(source *s)
{
    if (fstat(s->fd, &s->facts) != 0)
        return false;
    if (S_ISDIR(s->facts.st_mode)) {
        errno = EISDIR;
        return false;
    }
    off_t position = S_ISREG(s->facts.st_mode) ? lseek(s->fd, 0, SEEK_CUR) : -1;
    s->at = 0;
    s->mappable = position == 0 && s->facts.st_size > 0;
    s->length = s->mappable ? (uint64_t)s->facts.st_size : 0;
    return true;
}

bool source_open(source *s, const char *path)
{
    memset(s, 0, sizeof *s);
    s->block = FIRST_BLOCK;
    s->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    return s->fd >= 0 && examine(s);
}

static void unmap(source *s)
{
    if (s->map)
        munmap(s->map, s->map_length);
    s->map = NULL;
}

void source_close(source *s)
{
    unmap(s);
    free(s->buffer);
    s->buffer = NULL;
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    s->fd = -1;
}

/* ---- reading ----------------------------------------------------------- */

static ptrdiff_t read_more(const source *s, void *bytes, size_t length)
{
    ssize_t got;
    do
        got = read(s->fd, bytes, length);
    while (got < 0 && errno == EINTR);
    return got;
}

ptrdiff_t source_read(source *s, void *bytes, size_t length)
{
    const size_t ready = s->used - s->given < length ? s->used - s->given : length;
    if (ready == 0)
        return read_more(s, bytes, length);
    memcpy(bytes, s->buffer + s->given, ready);
    s->given += ready;
    return (ptrdiff_t)ready;
}

/* ---- blocks of lines --------------------------------------------------- */

/* Bytes up to and with the last line's end; 0: no line ends here. */
static size_t whole_lines(const source *s, const uint8_t *text, size_t length)
{
    const uint8_t other = s->nul_ends ? '\0' : '\n';
    while (length && text[length - 1] != '\n' && text[length - 1] != other)
        length--;
    return length;
}

/* Map `length` bytes at s->at; the mapping itself starts at a page. NULL: it cannot be. */
static const uint8_t *map_window(source *s, size_t length)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t lead = (size_t)(s->at % page);
    unmap(s);
    void *map = mmap(NULL, lead + length, PROT_READ, MAP_SHARED, s->fd, (off_t)(s->at - lead));
    if (map == MAP_FAILED) { /* some file systems cannot: read it instead */
        s->mappable = lseek(s->fd, (off_t)s->at, SEEK_SET) < 0;
        return NULL;
    }
    s->map = map;
    s->map_length = lead + length;
    posix_madvise(map, s->map_length, POSIX_MADV_SEQUENTIAL);
    return (const uint8_t *)map + lead;
}

static bool mapped_lines(source *s, const uint8_t **text, size_t *length)
{
    const uint64_t left = s->length - s->at;
    uint64_t size = s->block;
    *length = 0;
    while (left && !*length) {
        bool last = size >= left;
        size_t window = last ? (size_t)left : (size_t)size;
        *text = map_window(s, window);
        if (!*text)
            return false;
        *length = last ? window : whole_lines(s, *text, window);
        size *= 2;
    }
    return true;
}

/* Make room for some more bytes behind buffer[0 .. used). */
static bool make_room(source *s)
{
    if (s->given) {
        memmove(s->buffer, s->buffer + s->given, s->used - s->given);
        s->used -= s->given;
        s->given = 0;
    }
    if (s->used < s->room && s->block <= s->room)
        return true;
    size_t room = s->used < s->block ? s->block : 2 * s->used;
    uint8_t *grown = realloc(s->buffer, room);
    if (!grown)
        return false;
    s->buffer = grown;
    s->room = room;
    return true;
}

static bool buffered_lines(source *s, const uint8_t **text, size_t *length)
{
    *length = s->used > s->given ? whole_lines(s, s->buffer + s->given, s->used - s->given) : 0;
    while (!s->ended && !*length) {
        if (!make_room(s))
            return false;
        ptrdiff_t got = read_more(s, s->buffer + s->used, s->room - s->used);
        if (got < 0)
            return false;
        s->ended = got == 0;
        /* Without a newline so far, only what is new can bring one. */
        size_t fresh = whole_lines(s, s->buffer + s->used, (size_t)got);
        if (fresh)
            *length = s->used + fresh;
        s->used += (size_t)got;
    }
    if (s->ended)
        *length = s->used - s->given;
    *text = s->buffer + s->given;
    s->given += *length;
    return true;
}

bool source_lines(source *s, const uint8_t **text, size_t *length)
{
    bool given = s->mappable && mapped_lines(s, text, length);
    if (!given && !s->mappable)
        given = buffered_lines(s, text, length);
    if (!given)
        return false;
    s->at += *length;
    s->block = s->block < LARGEST_BLOCK ? 2 * s->block : LARGEST_BLOCK;
    return true;
}

/* ---- looking ahead ----------------------------------------------------- */

bool source_peek(source *s, const uint8_t **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    if (s->mappable) {
        const size_t most = s->length < MOST_PEEKED ? (size_t)s->length : MOST_PEEKED;
        *bytes = map_window(s, most);
        *length = *bytes ? most : 0;
    }
    if (*length || S_ISCHR(s->facts.st_mode))
        return true;
    if (!make_room(s))
        return false;
    const ptrdiff_t got = read_more(s, s->buffer, MOST_PEEKED);
    if (got < 0)
        return false;
    *bytes = s->buffer;
    *length = s->used = (size_t)got;
    return true;
}

/* ---- the whole text ---------------------------------------------------- */

bool source_map(source *s, const uint8_t **text, size_t *length)
{
    if (s->length > SIZE_MAX) {
        errno = EFBIG;
        return false;
    }
    *length = (size_t)s->length;
    *text = *length ? map_window(s, *length) : NULL;
    return *text || !*length;
}

/* A new file without a name; -1: errno. */
static int nameless_file(void)
{
    static const char name[] = "/trawl-XXXXXX";
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/tmp";
    size_t length = strlen(folder);
    char *path = malloc(length + sizeof name);
    if (!path)
        return -1;
    memcpy(path, folder, length);
    memcpy(path + length, name, sizeof name);
    int fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

static bool write_all(int fd, const uint8_t *bytes, size_t length)
{
    while (length) {
        ssize_t done = write(fd, bytes, length);
        if (done < 0 && errno != EINTR)
            return false;
        bytes += done > 0 ? done : 0;
        length -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

bool source_spool(source *s)
{
    int fd = nameless_file();
    uint8_t *piece = malloc(SPOOL_PIECE);
    ptrdiff_t got = fd >= 0 && piece ? 1 : -1;
    while (got > 0) {
        got = source_read(s, piece, SPOOL_PIECE);
        if (got > 0 && !write_all(fd, piece, (size_t)got))
            got = -1;
    }
    free(piece);
    if (got < 0) {
        int cause = errno;
        if (fd >= 0)
            close(fd);
        errno = cause;
        return false;
    }
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    s->fd = fd;
    if (lseek(fd, 0, SEEK_SET) != 0 || !examine(s))
        return false;
    s->mappable = true;
    return true;
}
