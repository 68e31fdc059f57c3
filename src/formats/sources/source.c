/* source.c: files and pipes as texts.
 *
 * Idea. Lines are read in blocks into one buffer, which keeps the line not yet ended; it serves
 * file after file. Reading is faster than mapping where every byte is looked at once more before
 * the search, and what was read cannot change. The whole text is mapped.
 *
 * Invariant: buffer[given .. used) is what has been read but not handed out: a line not yet
 * ended, or what source_peek looked at.
 */
#include "formats/sources/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_BLOCK (1u << 20)
#define MAX_BLOCK (8u << 20)
#define MAX_PEEKED (64u << 10)
#define SPOOL_PIECE (1u << 20)
#define UNKNOWN UINT64_MAX

static const char shortened[] =
    "was shortened while it was searched: search it again, its rest was not read";
static const char changed[] =
    "changed while it was searched: search it again, its rest could not be read";

static bool fail(source *s)
{
    s->why = strerror(errno);
    return false;
}

/* ---- open and close ---------------------------------------------------- */

/* Look at the open file: fills facts and what follows from them. */
static bool examine(source *s)
{
    if (fstat(s->fd, &s->facts) != 0)
        return false;
    if (S_ISDIR(s->facts.st_mode)) {
        errno = EISDIR;
        return false;
    }
    const off_t position = s->fd == STDIN_FILENO ? lseek(s->fd, 0, SEEK_CUR) : 0;
    const uint64_t size = S_ISREG(s->facts.st_mode) ? (uint64_t)s->facts.st_size : 0;
    s->seekable = s->fd == STDIN_FILENO && position >= 0;
    s->begin = position > 0 ? (uint64_t)position : 0;
    s->at = 0;
    s->mappable = size > s->begin;
    s->length = size == 0 ? UNKNOWN : s->mappable ? size - s->begin : 0;
    return true;
}

static void unmap(source *s)
{
    guard_release(s->guard);
    if (s->map)
        munmap(s->map, s->map_length);
    s->guard = NULL;
    s->map = NULL;
}

static void close_file(source *s)
{
    unmap(s);
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    if (s->layer)
        s->layer->close(s->state);
    s->layer = NULL;
    s->fd = -1;
}

/* Go on with another file, or -1 after an error. */
static bool begin_file(source *s, int fd)
{
    close_file(s);
    *s = (source){ .fd = fd, .buffer = s->buffer, .room = s->room, .block = FIRST_BLOCK };
    return fd >= 0 && examine(s);
}

bool source_open(source *s, const char *path)
{
    memset(s, 0, sizeof *s);
    return source_reopen(s, path);
}

bool source_reopen(source *s, const char *path)
{
    return begin_file(s, strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC));
}

void source_open_layer(source *s, const source_layer *layer, void *state, const uint64_t *taken)
{
    close_file(s);
    *s = (source){ .fd = -1,
                   .layer = layer,
                   .state = state,
                   .taken = taken,
                   .length = UNKNOWN,
                   .buffer = s->buffer,
                   .room = s->room,
                   .block = FIRST_BLOCK };
}

static ptrdiff_t read_memory(void *state, void *bytes, size_t length, const char **why)
{
    source_memory *m = state;
    (void)why;
    length = length < m->left ? length : m->left;
    if (length)
        memcpy(bytes, m->bytes, length);
    m->bytes += length;
    m->left -= length;
    return (ptrdiff_t)length;
}

static void close_memory(void *state)
{
    (void)state;
}

void source_open_memory(source *s, source_memory *memory)
{
    static const source_layer layer = { read_memory, close_memory };
    memory->length = memory->left;
    memset(s, 0, sizeof *s);
    s->fd = -1;
    source_open_layer(s, &layer, memory, &memory->length);
}

/* Something else may have taken the file's place: a pipe must not keep us waiting. */
bool source_open_below(source *s, int folder, const char *name)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    if (!begin_file(s, openat(folder, name, flags)))
        return false;
    s->ended = !S_ISREG(s->facts.st_mode);
    return true;
}

void source_close(source *s)
{
    close_file(s);
    free(s->buffer);
    s->buffer = NULL;
    s->room = 0;
}

void source_leave(const source *s, uint64_t offset)
{
    if (s->seekable && s->fd == STDIN_FILENO)
        lseek(s->fd, (off_t)(s->begin + offset), SEEK_SET);
}

/* ---- reading ----------------------------------------------------------- */

/* Whether the file is shorter than it was. */
static bool is_shorter(const source *s, uint64_t *size)
{
    struct stat facts;
    if (fstat(s->fd, &facts) != 0 || (uint64_t)facts.st_size >= s->begin + s->length)
        return false;
    *size = (uint64_t)facts.st_size;
    return true;
}

static ptrdiff_t read_layer(source *s, void *bytes, size_t length)
{
    const ptrdiff_t got = s->layer->read(s->state, bytes, length, &s->why);
    if (got > 0)
        s->at += (uint64_t)got;
    if (got < 0)
        errno = EIO; /* for who does not ask why */
    return got;
}

/* A file's end before its length is no error where the length was not meant: in /sys. */
static ptrdiff_t read_more(source *s, void *bytes, size_t length)
{
    const uint64_t left = s->length - s->at;
    uint64_t size;
    ssize_t got;
    if (s->layer)
        return read_layer(s, bytes, length);
    if (left == 0)
        return 0;
    do
        got = read(s->fd, bytes, length < left ? length : (size_t)left);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        s->at += (uint64_t)got;
    } else if (got < 0) {
        fail(s);
    } else if (s->length != UNKNOWN && is_shorter(s, &size)) {
        s->why = shortened;
        errno = EIO; /* for who does not ask why */
        got = -1;
    }
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

/* Make room for some more bytes after buffer[0 .. used). */
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
        return fail(s);
    s->buffer = grown;
    s->room = room;
    return true;
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

bool source_lines(source *s, uint8_t **text, size_t *length)
{
    size_t lines =
        s->used > s->given ? whole_lines(s, s->buffer + s->given, s->used - s->given) : 0;
    bool more = !lines || s->length != UNKNOWN; /* of a pipe, what came is enough */
    while (more && !s->ended) {
        if (!make_room(s))
            return false;
        const size_t room = s->largest > s->used ? s->largest - s->used : s->room - s->used;
        const ptrdiff_t got = read_more(s, s->buffer + s->used, room);
        if (got < 0 && lines) /* they come first, and the next call fails again */
            break;
        if (got < 0)
            return false;
        s->ended = got == 0 || s->at == s->length;
        /* Without a newline so far, only what is new can bring one. */
        const size_t fresh = whole_lines(s, s->buffer + s->used, (size_t)got);
        if (fresh)
            lines = s->used + fresh;
        s->used += (size_t)got;
        more = !lines;
    }
    *length = s->ended ? s->used - s->given : lines;
    *text = s->buffer + s->given;
    s->given += *length;
    if (!s->largest)
        s->block = s->block < MAX_BLOCK ? 2 * s->block : MAX_BLOCK;
    return true;
}

/* ---- pieces -------------------------------------------------------------- */

bool source_place(source *s, uint64_t offset)
{
    if (lseek(s->fd, (off_t)(s->begin + offset), SEEK_SET) < 0)
        return fail(s);
    s->at = offset;
    s->used = s->given = 0;
    s->ended = false;
    return true;
}

bool source_piece(const source *s, uint64_t offset, void *bytes, size_t length)
{
    uint8_t *to = bytes;
    while (length) {
        const ssize_t got = pread(s->fd, to, length, (off_t)(s->begin + offset));
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        to += got > 0 ? got : 0;
        offset += got > 0 ? (uint64_t)got : 0;
        length -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* ---- looking ahead ----------------------------------------------------- */

bool source_peek(source *s, const uint8_t **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    if (S_ISCHR(s->facts.st_mode))
        return true;
    if (!make_room(s))
        return false;
    const ptrdiff_t got = s->used ? 0 : read_more(s, s->buffer, MAX_PEEKED);
    if (got < 0)
        return false;
    s->used += (size_t)got;
    *bytes = s->buffer;
    *length = s->used;
    return true;
}

bool source_look(source *s, size_t least, const uint8_t **bytes, size_t *length)
{
    if (!source_peek(s, bytes, length))
        return false;
    while (*length && *length < least) {
        const ptrdiff_t got = read_more(s, s->buffer + s->used, MAX_PEEKED - s->used);
        if (got <= 0)
            break;
        *length = s->used += (size_t)got;
    }
    return true;
}

bool source_waits(const source *s)
{
    return !S_ISREG(s->facts.st_mode);
}

/* ---- the whole text ---------------------------------------------------- */

bool source_map(source *s, const uint8_t **text, size_t *length)
{
    const size_t lead = (size_t)(s->begin % (uint64_t)sysconf(_SC_PAGESIZE));
    *length = s->mappable && s->length != UNKNOWN ? (size_t)s->length : 0;
    *text = NULL;
    if (*length == 0)
        return true;
    if (s->length > SIZE_MAX - lead) {
        errno = EFBIG;
        return fail(s);
    }
    s->map_length = lead + *length;
    void *map = mmap(NULL, s->map_length, PROT_READ, MAP_SHARED, s->fd, (off_t)(s->begin - lead));
    s->map = map == MAP_FAILED ? NULL : map;
    s->guard = s->map ? guard_mapping(map, s->map_length) : NULL;
    if (!s->guard) { /* some file systems cannot: read it instead */
        fail(s);
        unmap(s);
        return s->mappable = false;
    }
    posix_madvise(map, s->map_length, POSIX_MADV_SEQUENTIAL);
    *text = (const uint8_t *)map + lead;
    return true;
}

/* Bytes of the text before the first page that is zero now. */
static uint64_t kept_length(const source *s)
{
    const uint64_t lead = s->map_length - s->length;
    const uint64_t kept = guard_kept(s->guard);
    return kept > lead ? kept - lead : 0;
}

bool source_lost(const source *s, uint64_t end)
{
    return s->guard && end > kept_length(s);
}

size_t source_sound(source *s)
{
    uint64_t sound = s->guard ? kept_length(s) : 0, size;
    uint8_t byte;
    if (sound < s->length && s->guard) /* told apart from a file that is cut off below */
        s->why = pread(s->fd, &byte, 1, (off_t)(s->begin + sound)) < 0 ? strerror(errno) : changed;
    if (s->guard && is_shorter(s, &size)) {
        s->why = shortened;
        size = size > s->begin ? size - s->begin : 0;
        sound = size < sound ? size : sound;
    }
    return (size_t)sound;
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

static bool copy_rest(source *s, int fd, char *damage, size_t room)
{
    uint8_t *piece = malloc(SPOOL_PIECE);
    ptrdiff_t got = 1;
    bool fine = piece || fail(s);
    while (fine && got > 0) {
        got = source_read(s, piece, SPOOL_PIECE);
        if (got < 0)
            snprintf(damage, room, "%s", s->why);
        else if (!write_all(fd, piece, (size_t)got))
            fine = fail(s);
    }
    free(piece);
    return fine;
}

bool source_spool(source *s, char *damage, size_t room)
{
    const int fd = nameless_file();
    if (fd < 0)
        return fail(s);
    if (!copy_rest(s, fd, damage, room)) {
        close(fd);
        return false;
    }
    close_file(s);
    s->fd = fd;
    if (lseek(fd, 0, SEEK_SET) != 0 || !examine(s))
        return fail(s);
    s->mappable = true;
    return true;
}

const char *shown_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "(standard input)" : path;
}
