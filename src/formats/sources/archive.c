/* archive.c: compressed files and archives through libarchive.
 *
 * It is loaded when the first such file is met. A filter (bzip2, xz, zstd, lz4) is one "raw" member
 * to it; of tar and zip each member is a source in its turn. Filters below tar are layers of their
 * own, so libarchive is told of one filter or of one format at a time, and guesses nothing.
 *
 * Its blocks are handed out one by one: its archive_read_data throws away what it has copied when a
 * later block fails. What a filter had made of the block that failed is lost, up to 128 KiB.
 *
 * Memory: libarchive's own limits, 1 GiB for xz, 128 MiB for zstd, a few MiB for the others.
 */
#include "formats/sources/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool archive_is_zip(const uint8_t *bytes, size_t length)
{
    /* a file's header: signature, version below 6.4; or the end of an empty one */
    return length >= 10 && memcmp(bytes, "PK", 2) == 0 &&
           ((bytes[2] == 3 && bytes[3] == 4 && bytes[4] < 64 && bytes[9] == 0) ||
            (bytes[2] == 5 && bytes[3] == 6 && length >= 22));
}

/* The sum of a tar header's bytes, its own field as blanks, stands there in octal digits. */
bool archive_is_tar(const uint8_t *bytes, size_t length)
{
    unsigned sum = 0, said = 0;
    bool digits = false;
    if (length < 512)
        return false;
    if (memcmp(bytes + 257, "ustar", 5) == 0)
        return true;
    for (size_t i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? ' ' : bytes[i];
    for (size_t i = 148; i < 155 && (bytes[i] == ' ' || (bytes[i] & 0xf8) == '0'); i++) {
        digits = digits || bytes[i] != ' ';
        said = bytes[i] == ' ' ? said : 8 * said + (bytes[i] & 7u);
    }
    return digits && sum == said && bytes[0];
}

#ifdef TRAWL_HAVE_ARCHIVE

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>

#include "formats/sources/library.h"

#define PIECE (128u << 10)

/* clang-format off */
#define CALLS(LINE)                                                                            \
    LINE(struct archive *, archive_read_new, (void))                                           \
    LINE(int, archive_read_free, (struct archive *))                                           \
    LINE(int, archive_read_support_filter_bzip2, (struct archive *))                           \
    LINE(int, archive_read_support_filter_xz, (struct archive *))                              \
    LINE(int, archive_read_support_filter_zstd, (struct archive *))                            \
    LINE(int, archive_read_support_filter_lz4, (struct archive *))                             \
    LINE(int, archive_read_support_format_raw, (struct archive *))                             \
    LINE(int, archive_read_support_format_empty, (struct archive *))                           \
    LINE(int, archive_read_support_format_tar, (struct archive *))                             \
    LINE(int, archive_read_support_format_zip, (struct archive *))                             \
    LINE(int, archive_read_set_read_callback, (struct archive *, archive_read_callback *))     \
    LINE(int, archive_read_set_seek_callback, (struct archive *, archive_seek_callback *))     \
    LINE(int, archive_read_set_callback_data, (struct archive *, void *))                      \
    LINE(int, archive_read_open1, (struct archive *))                                          \
    LINE(int, archive_read_next_header, (struct archive *, struct archive_entry **))           \
    LINE(int, archive_read_data_block,                                                         \
         (struct archive *, const void **, size_t *, la_int64_t *))                            \
    LINE(const char *, archive_error_string, (struct archive *))                               \
    LINE(int, archive_errno, (struct archive *))                                               \
    LINE(int, archive_filter_code, (struct archive *, int))                                    \
    LINE(la_int64_t, archive_filter_bytes, (struct archive *, int))                            \
    LINE(const char *, archive_entry_pathname, (struct archive_entry *))                       \
    LINE(const char *, archive_entry_hardlink, (struct archive_entry *))                       \
    LINE(mode_t, archive_entry_filetype, (struct archive_entry *))
/* clang-format on */

static locale_t utf8; /* or none: then names that are not ASCII get lost */

LIBRARY(CALLS, utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), "libarchive.so.13",
        "libarchive.so")

struct archive_reader {
    struct archive *handle;
    source *below;
    unpack_limit limit;
    const char *kind; /* of a filter; NULL: an archive */
    const char *why;  /* no member more */
    bool told;        /* and a member has said why */
    bool streamed;    /* a zip file of which the directory at its end is not read */
    bool fed_all;     /* nothing is below any more */
    uint64_t fed;     /* bytes in all, */
    size_t last;      /* and of the piece at the end */
    bool member_ended, member_failed;
    uint64_t gap;         /* zero bytes to hand out, of a sparse file, */
    const uint8_t *block; /* and after them `left` bytes of a block */
    size_t left;
    uint64_t block_end; /* where the block ends in the member */
    char message[200];  /* what `why`, or a member's, points to */
    uint8_t piece[PIECE];
};

/* ---- what libarchive calls --------------------------------------------------- */

/* Beginning after what was handed out, it cannot say why it failed: below->why does. */
static la_ssize_t feed(struct archive *handle, void *user, const void **bytes)
{
    archive_reader *a = user;
    (void)handle;
    *bytes = a->piece;
    const ptrdiff_t got = source_read(a->below, a->piece, PIECE);
    a->fed_all = got == 0;
    a->fed += got > 0 ? (uint64_t)got : 0;
    a->last = got > 0 ? (size_t)got : a->last;
    return got < 0 ? ARCHIVE_FATAL : (la_ssize_t)got;
}

static la_int64_t seek(struct archive *handle, void *user, la_int64_t offset, int whence)
{
    archive_reader *a = user;
    const uint64_t length = a->below->length;
    const la_int64_t from = whence == SEEK_END   ? (la_int64_t)length
                            : whence == SEEK_CUR ? (la_int64_t)a->below->at
                                                 : 0;
    (void)handle;
    if (offset < -from || (uint64_t)(from + offset) > length ||
        !source_place(a->below, (uint64_t)(from + offset)))
        return ARCHIVE_FATAL;
    return from + offset;
}

/* ---- opening and closing ------------------------------------------------------ */

/* What went wrong, in a's message. EILSEQ is libarchive's for what does not fit its format. */
static const char *said(archive_reader *a, const char *otherwise)
{
    const char *text = lib.archive_error_string(a->handle);
    const char *below = a->below ? a->below->why : NULL;
    const bool unlike = a->streamed && !below && lib.archive_errno(a->handle) == EILSEQ;
    text = below ? below : text && *text ? text : otherwise;
    if (a->kind && a->fed_all && !below)
        snprintf(a->message, sizeof a->message,
                 "is cut off (%s): the end of what is compressed is missing", a->kind);
    else
        snprintf(a->message, sizeof a->message, "%s%s", text,
                 unlike
                     ? " (it was read as it came, without the zip file's directory: save the zip "
                       "file, and search that)"
                     : "");
    return a->message;
}

void archive_close(archive_reader *a)
{
    if (!a)
        return;
    if (a->handle)
        lib.archive_read_free(a->handle);
    if (a->below)
        source_close(a->below);
    free(a->below);
    free(a);
}

/* A reader with a handle that knows no format yet; NULL: s->why. */
static archive_reader *begin(source *s, const unpack_options *options)
{
    if (!library_there()) {
        s->why =
            "is compressed or an archive, which takes libarchive to read: install libarchive13";
        return NULL;
    }
    archive_reader *a = malloc(sizeof *a);
    if (a)
        memset(a, 0, offsetof(archive_reader, piece));
    if (a)
        a->handle = lib.archive_read_new();
    if (!a || !a->handle) {
        s->why = strerror(ENOMEM);
        archive_close(a);
        return NULL;
    }
    a->limit = unpack_limit_of(options, NULL);
    return a;
}

/* Take the source over, and read what is in front. */
static bool take_over(archive_reader *a, source *s, bool zip)
{
    struct archive *handle = a->handle;
    const bool seeks = zip && s->mappable && source_place(s, 0);
    a->below = unpack_below(s);
    if (!a->below)
        return false;
    a->below->why = NULL;
    a->streamed = zip && !seeks;
    a->limit.taken = seeks ? &a->below->length : unpack_taken(a->below);
    lib.archive_read_set_callback_data(handle, a);
    lib.archive_read_set_read_callback(handle, feed);
    if (seeks)
        lib.archive_read_set_seek_callback(handle, seek);
    if (lib.archive_read_open1(handle) != ARCHIVE_OK)
        a->why = said(a, "cannot be unpacked");
    return true;
}

archive_reader *archive_open(source *s, const unpack_options *options)
{
    const uint8_t *head;
    size_t length;
    if (!source_look(s, 512, &head, &length))
        return NULL;
    const bool tar = archive_is_tar(head, length);
    archive_reader *a = begin(s, options);
    if (!a)
        return NULL;
    const int status = tar ? lib.archive_read_support_format_tar(a->handle)
                           : lib.archive_read_support_format_zip(a->handle);
    if (status < ARCHIVE_WARN || !take_over(a, s, !tar)) {
        s->why = strerror(ENOMEM);
        archive_close(a);
        return NULL;
    }
    return a;
}

/* ---- the bytes of a member ------------------------------------------------------ */

static bool is_zero(const uint8_t *bytes, size_t length)
{
    while (length && !bytes[length - 1])
        length--;
    return !length;
}

/* The filter has ended: after it there may be zeros, as in gzip.c. Those of bzip2 and lz4 leave
 * other bytes where they are. */
static void end_filter(archive_reader *a)
{
    const uint64_t left = a->fed - (uint64_t)lib.archive_filter_bytes(a->handle, -1);
    const size_t kept = left < a->last ? (size_t)left : a->last;
    bool zero = is_zero(a->piece + a->last - kept, kept);
    ptrdiff_t got = 1;
    a->member_ended = true;
    while (zero && (got = source_read(a->below, a->piece, PIECE)) > 0)
        zero = is_zero(a->piece, (size_t)got);
    if (!zero)
        a->why = "other bytes follow the end of what is compressed: they were not searched";
    else if (got < 0)
        a->why = a->below->why;
}

/* Have bytes to hand out. False: the member has ended, or what came of it was the last. */
static bool next_block(archive_reader *a)
{
    const void *block = NULL;
    size_t size = 0;
    la_int64_t offset = (la_int64_t)a->block_end;
    int status;
    if (a->why || a->member_ended)
        return false;
    do
        status = lib.archive_read_data_block(a->handle, &block, &size, &offset);
    while (status == ARCHIVE_RETRY);
    a->member_failed = status < ARCHIVE_OK || offset < (la_int64_t)a->block_end;
    a->member_ended = status != ARCHIVE_OK || a->member_failed;
    if (a->member_failed)
        said(a, "is damaged: its rest could not be unpacked");
    if (a->kind && status == ARCHIVE_EOF)
        end_filter(a);
    if (offset < (la_int64_t)a->block_end || status <= ARCHIVE_FATAL)
        return false;
    a->gap = (uint64_t)offset - a->block_end;
    a->block = block;
    a->left = block ? size : 0;
    a->block_end = (uint64_t)offset + a->left;
    return true;
}

static size_t hand_out(archive_reader *a, uint8_t *to, size_t length)
{
    size_t made = a->gap < length ? (size_t)a->gap : length;
    memset(to, 0, made);
    a->gap -= made;
    const size_t copied = a->left < length - made ? a->left : length - made;
    if (copied)
        memcpy(to + made, a->block, copied);
    a->block = a->left > copied ? a->block + copied : NULL;
    a->left -= copied;
    return made + copied;
}

static ptrdiff_t member_read(void *state, void *bytes, size_t length, const char **why)
{
    archive_reader *a = state;
    size_t made = 0;
    while (made < length && !a->why && (a->gap || a->left || next_block(a)))
        made += hand_out(a, (uint8_t *)bytes + made, length - made);
    if (made) {
        unpack_allows(&a->limit, made, &a->why);
        return (ptrdiff_t)made;
    }
    a->told = a->why != NULL;
    *why = a->why ? a->why : a->message;
    return a->why || a->member_failed ? -1 : 0;
}

static void member_close(void *state)
{
    (void)state;
}

static void filter_close(void *state)
{
    archive_close(state);
}

/* ---- one compressed text ---------------------------------------------------------- */

static int support(struct archive *handle, const char *kind)
{
    switch (kind[0]) {
    case 'b':
        return lib.archive_read_support_filter_bzip2(handle);
    case 'x':
        return lib.archive_read_support_filter_xz(handle);
    case 'z':
        return lib.archive_read_support_filter_zstd(handle);
    default:
        return lib.archive_read_support_filter_lz4(handle);
    }
}

bool unpack_filter(source *s, const char *kind, const unpack_options *options)
{
    static const source_layer layer = { member_read, filter_close };
    struct archive_entry *entry;
    archive_reader *a = begin(s, options);
    if (!a)
        return false;
    a->kind = kind;
    if (support(a->handle, kind) < ARCHIVE_WARN ||
        lib.archive_read_support_format_raw(a->handle) < ARCHIVE_WARN ||
        lib.archive_read_support_format_empty(a->handle) < ARCHIVE_WARN ||
        !take_over(a, s, false)) {
        s->why = strerror(ENOMEM);
        archive_close(a);
        return false;
    }
    int status = a->why ? ARCHIVE_FATAL : lib.archive_read_next_header(a->handle, &entry);
    if (status < ARCHIVE_WARN && !a->why)
        a->why = said(a, "is damaged");
    else if (!a->why && lib.archive_filter_code(a->handle, 0) == ARCHIVE_FILTER_NONE)
        a->why = strcpy(a->message, "is damaged: its first bytes say that it is compressed, those "
                                    "after them do not");
    else if (!a->why && status == ARCHIVE_EOF)
        end_filter(a);
    source_open_layer(s, &layer, a, a->limit.taken);
    return true;
}

/* ---- members ------------------------------------------------------------------------ */

/* libarchive converts names to the characters of the thread, which are UTF-8 for that. */
static int next_header(archive_reader *a, struct archive_entry **entry)
{
    const locale_t before = utf8 ? uselocale(utf8) : utf8;
    const int status = lib.archive_read_next_header(a->handle, entry);
    if (utf8)
        uselocale(before);
    return status;
}

/* The bytes of a name that is in no known characters are as they stand in the archive. */
static const char *member_name(struct archive_entry *entry)
{
    const char *name = lib.archive_entry_pathname(entry);
    return name ? name : "(no name)";
}

/* What is compressed is checked at its end, which libarchive does not read up to. */
static bool sound_to_its_end(archive_reader *a)
{
    ptrdiff_t got = a->below->layer ? 1 : 0;
    while (got > 0)
        got = source_read(a->below, a->piece, PIECE);
    if (got < 0)
        a->why = a->below->why;
    return got == 0;
}

int archive_next(archive_reader *a, const char **name, source *member, const char **why)
{
    static const source_layer layer = { member_read, member_close };
    struct archive_entry *entry;
    int status = ARCHIVE_OK;
    while (!a->why) {
        a->member_failed = a->member_ended = false;
        a->gap = a->left = 0;
        a->block_end = 0;
        status = next_header(a, &entry);
        if (status == ARCHIVE_EOF && sound_to_its_end(a))
            return 0;
        if (status == ARCHIVE_EOF)
            break;
        if (status == ARCHIVE_RETRY)
            continue;
        if (status < ARCHIVE_WARN) {
            a->why = said(a, "is damaged: its rest could not be read");
            break;
        }
        if (lib.archive_entry_filetype(entry) != AE_IFREG || lib.archive_entry_hardlink(entry))
            continue;
        *name = member_name(entry);
        memset(member, 0, sizeof *member);
        member->fd = -1;
        source_open_layer(member, &layer, a, a->limit.taken);
        member->facts = a->below->facts;
        return 1;
    }
    *why = a->why;
    return a->told ? 0 : -1;
}

#else

static const char missing[] =
    "is compressed or an archive, which this build does not read: install "
    "libarchive-dev and build again, or unpack it first";

bool unpack_filter(source *s, const char *kind, const unpack_options *options)
{
    (void)kind;
    (void)options;
    s->why = missing;
    return false;
}

archive_reader *archive_open(source *s, const unpack_options *options)
{
    (void)options;
    s->why = missing;
    return NULL;
}

int archive_next(archive_reader *a, const char **name, source *member, const char **why)
{
    (void)a;
    (void)name;
    (void)member;
    *why = missing;
    return -1;
}

void archive_close(archive_reader *a)
{
    (void)a;
}

#endif
