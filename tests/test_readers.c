/* test_readers.c: what is in compressed files and archives, and records, from good bytes and from
 * bytes that somebody changed.
 *
 * TRAWL_TEST_CASES inputs of each format are changed at a few places, cut or lengthened. Each gives
 * an error or a right answer, in bounded time (SIGALRM ends the test) and memory (RLIMIT_AS does).
 * Right is what was compressed, or what a second reader of this file says, written as plainly as
 * can be.
 */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/ahead.h"
#include "io/packet.h"
#include "io/reader.h"
#include "io/texts.h"
#include "packed_bytes.h"
#include "random.h"

#include <cmocka.h>

#define LONGEST ((size_t)1 << 20)
#define SECONDS 20 /* for one input; they take microseconds */

/* ---- what a file holds ----------------------------------------------------- */

typedef struct found {
    unsigned texts, failures, strange;
    char names[1000], why[300];
    uint8_t bytes[LONGEST];
    size_t length;
    content kind; /* of the last */
} found;

static char original[4096];
static size_t original_length;

static void make_original(void)
{
    for (int i = 0; i < 60; i++)
        original_length +=
            (size_t)snprintf(original + original_length, sizeof original - original_length,
                             "%d needle in line %d\n", i, i * i);
}

/* The text, some times over: a compressed file may follow another. Or its first bytes, "two". */
static bool is_original(const found *f)
{
    if (f->length == 200)
        return memcmp(f->bytes, original, 200) == 0;
    for (size_t at = 0; at < f->length; at += original_length)
        if (f->length - at < original_length ||
            memcmp(f->bytes + at, original, original_length) != 0)
            return false;
    return f->length > 0;
}

static bool take(void *user, const char *name, source *text, content kind)
{
    found *f = user;
    ptrdiff_t got;
    f->length = 0;
    f->kind = kind;
    while ((got = source_read(text, f->bytes + f->length, LONGEST - f->length)) > 0)
        f->length += (size_t)got < LONGEST / 2 - f->length ? (size_t)got : 0; /* read on */
    f->texts++;
    f->failures += got < 0;
    if (got < 0)
        snprintf(f->why, sizeof f->why, "%s", text->why);
    /* Of a zip file that cannot be positioned, a header that says "empty" is believed. */
    f->strange += got == 0 && !is_original(f) && !(f->length == 0 && strchr(name, ':'));
    if (strlen(f->names) + strlen(name) + 2 < sizeof f->names)
        strcat(strcat(f->names, name), "|");
    return true;
}

static void refuse(void *user, const char *name, const char *why)
{
    found *f = user;
    (void)name;
    f->failures++;
    snprintf(f->why, sizeof f->why, "%s", why);
}

static found result;
static const char *name_of_file;

static void remove_file(void)
{
    unlink(name_of_file);
}

static const found *look_into_source(source *file, uint64_t ratio)
{
    const texts t = { { ratio, 2 }, take, refuse, &result };
    memset(&result, 0, offsetof(found, bytes));
    result.kind = CONTENT_TEXT;
    assert_true(texts_of(&t, "f", file));
    source_close(file);
    return &result;
}

/* What is in these bytes, as they come from a pipe. */
static const found *look_into(const uint8_t *bytes, size_t length, uint64_t ratio)
{
    source_memory memory = { .bytes = bytes, .left = length };
    source file;
    source_open_memory(&file, &memory);
    return look_into_source(&file, ratio);
}

/* And in a file, where a zip file is read from its end. */
static const found *look_into_file(const uint8_t *bytes, size_t length)
{
    static char path[] = "/tmp/trawl-readers-XXXXXX";
    static int fd = -1;
    source file;
    if (fd < 0) {
        fd = mkstemp(path);
        assert_true(fd >= 0);
        atexit(remove_file);
        name_of_file = path;
    }
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, bytes, length, 0), (ssize_t)length);
    assert_true(source_open(&file, path));
    return look_into_source(&file, UNPACK_RATIO);
}

typedef struct packed {
    const char *name;
    const uint8_t *bytes;
    size_t length;
    const char *names; /* of its texts */
    bool sums;         /* every byte that comes out is covered by a sum */
} packed;

#define PACKED(format, names, sums)                                                                \
    {                                                                                              \
#format, format##_bytes, sizeof format##_bytes, names, sums                                \
    }
static const packed formats[] = {
    PACKED(gzip, "f|", true), PACKED(bzip2, "f|", true), PACKED(xz, "f|", true),
    PACKED(zstd, "f|", true), PACKED(lz4, "f|", true),   PACKED(zip, "f:one|f:two|f:three|", true),
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool left_out(const char *name)
{
#ifndef TRAWL_HAVE_ZLIB
    if (strcmp(name, "gzip") == 0 || strcmp(name, "tar") == 0)
        return true;
#endif
#ifndef TRAWL_HAVE_ARCHIVE
    if (strcmp(name, "gzip") != 0)
        return true;
#endif
    return *name == '\0';
}

static void test_packed(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++) {
        if (left_out(formats[i].name))
            continue;
        const found *f = look_into(formats[i].bytes, formats[i].length, UNPACK_RATIO);
        if (f->failures)
            fail_msg("%s: %s", formats[i].name, f->why);
        assert_int_equal(f->strange, 0);
        assert_string_equal(f->names, formats[i].names);
    }
}

static void test_tar(void **state)
{
    char want[400] = "f:one|f:two|f:";
    (void)state;
    if (left_out("tar"))
        skip();
    for (int i = 0; i < 40; i++)
        strcat(want, "three");
    const found *f = look_into(tar_gzip_bytes, sizeof tar_gzip_bytes, UNPACK_RATIO);
    assert_int_equal(f->failures + f->strange, 0);
    assert_string_equal(f->names, strcat(want, "|"));
}

/* Every prefix is an error: or, of a few bytes, a text. */
static void test_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t length = 12; length < formats[i].length && !left_out(formats[i].name);
             length++) {
            const found *f = look_into(formats[i].bytes, length, UNPACK_RATIO);
            /* bytes of a zip file behind its members say again what they are */
            if (!f->failures && f->strange)
                fail_msg("%s, %zu bytes of %zu", formats[i].name, length, formats[i].length);
        }
}

/* ---- changed bytes --------------------------------------------------------- */

/* A few bytes of the copy become others; it may be cut or lengthened. Returns its length. */
static size_t change(rng *r, uint8_t *bytes, size_t length, size_t room)
{
    for (uint32_t changes = rng_between(r, 1, 4); changes && length; changes--) {
        const size_t at = rng_below(r, (uint32_t)length);
        const size_t other = rng_below(r, (uint32_t)length);
        switch (rng_below(r, 8)) {
        case 0:
            bytes[at] = (uint8_t)rng_next(r);
            break;
        case 1:
            bytes[at] = rng_chance(r, 2) ? 0xff : 0;
            break;
        case 2:
            length = rng_chance(r, 4) ? at : length;
            break;
        case 3: /* a piece again */
            if (length + (length - at) <= room && length - at < 600) {
                memmove(bytes + length, bytes + at, length - at);
                length += length - at;
            }
            break;
        case 4: /* a piece elsewhere */
            memmove(bytes + at, bytes + other, length - (at > other ? at : other));
            break;
        default:
            bytes[at] ^= (uint8_t)(1u << rng_below(r, 8));
        }
    }
    return length;
}

static void again(uint64_t seed, const char *format)
{
    fail_msg("%s; again: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_readers", format,
             (unsigned long long)seed);
}

static void test_changed(void **state)
{
    static uint8_t bytes[1 << 16];
    uint64_t right = 0, refused = 0, other = 0;
    const uint64_t seed = test_seed(), cases = test_cases(10000);
    (void)state;
    for (size_t i = 0; i < FORMATS; i++)
        for (uint64_t c = 0; c < cases && !left_out(formats[i].name); c++) {
            rng r = { seed + c };
            memcpy(bytes, formats[i].bytes, formats[i].length);
            const size_t length = change(&r, bytes, formats[i].length, sizeof bytes);
            alarm(SECONDS);
            const bool in_file = rng_chance(&r, 2);
            const found *f =
                in_file ? look_into_file(bytes, length) : look_into(bytes, length, UNPACK_RATIO);
            const bool untold = f->texts == 1 && strcmp(f->names, "f|") == 0 &&
                                f->length == length && memcmp(f->bytes, bytes, length) == 0;
            right += !f->failures && !f->strange;
            refused += f->failures > 0;
            other += !f->failures && untold; /* its first bytes are another's, or nobody's */
            if (f->strange && !f->failures && !untold)
                again(seed + c, formats[i].name);
        }
    alarm(0);
    printf("%llu right, %llu refused, %llu texts as they stand\n", (unsigned long long)right,
           (unsigned long long)refused, (unsigned long long)other);
}

/* A tar file has sums of its headers only: its members end, whatever they hold. */
static void test_changed_tar(void **state)
{
    static uint8_t tar[1 << 16], bytes[1 << 16];
    const uint64_t seed = test_seed(), cases = test_cases(10000);
    source_memory memory = { .bytes = tar_gzip_bytes, .left = sizeof tar_gzip_bytes };
    const unpack_options options = { UNPACK_RATIO, 1 };
    source s;
    (void)state;
    if (left_out("tar"))
        skip();
    source_open_memory(&s, &memory);
    assert_true(unpack_source(&s, "gzip", &options));
    size_t whole = 0;
    for (ptrdiff_t got = 1; got > 0; whole += (size_t)got)
        got = source_read(&s, tar + whole, sizeof tar - whole);
    source_close(&s);
    for (uint64_t c = 0; c < cases; c++) {
        rng r = { seed + c };
        memcpy(bytes, tar, whole);
        const size_t length = change(&r, bytes, whole, sizeof bytes);
        alarm(SECONDS);
        const found *f = look_into(bytes, length, UNPACK_RATIO);
        if (f->texts > 200)
            again(seed + c, "tar");
    }
    alarm(0);
}

/* ---- records --------------------------------------------------------------- */

/* "NAME=LETTERS|" of each record, as far as there is room. */
typedef struct listing {
    char *text;
    size_t length, room;
    unsigned records;
    char why[200]; /* "": none */
} listing;

static void put(listing *l, const void *bytes, size_t length)
{
    if (l->length + length > l->room) {
        l->room = 2 * (l->length + length);
        l->text = realloc(l->text, l->room);
        assert_non_null(l->text);
    }
    if (length)
        memcpy(l->text + l->length, bytes, length);
    l->length += length;
}

static void put_record(listing *l, const batch *b, const record *r, bool ends)
{
    if (!r->goes_on) {
        put(l, b->names + r->name, strlen(b->names + r->name));
        put(l, "=", 1);
    }
    put(l, b->bytes + r->begin, r->length);
    if (ends)
        put(l, "|", 1);
    l->records += ends;
}

/* What a reader says of bytes, as if they were in a file, or every other time came from a pipe;
 * `whole`: of whole records. */
static listing read_records(const reader_kind *kind, const void *bytes, size_t length, bool whole)
{
    static unsigned pipes;
    source_memory memory = { .bytes = bytes, .left = length };
    listing l = { .text = NULL };
    const char *why = NULL;
    source text;
    batch *b;
    int more = 1;
    source_open_memory(&text, &memory);
    text.facts.st_mode = pipes++ % 2 ? S_IFIFO : S_IFREG;
    void *reader = kind->open(&text, &why);
    assert_non_null(reader);
    ahead *batches = ahead_open(kind, reader, &text, whole);
    assert_non_null(batches);
    while (more > 0) {
        more = ahead_next(batches, &b, &why);
        for (size_t i = 0; i < b->count; i++) {
            const bool open = b->open && i == b->count - 1;
            if (!open || b->records[i].begin == 0)
                put_record(&l, b, &b->records[i], !open);
        }
    }
    ahead_close(batches);
    if (more < 0)
        snprintf(l.why, sizeof l.why, "%s", why);
    kind->close(reader);
    source_close(&text);
    put(&l, "", 1);
    return l;
}

static void expect_records(const reader_kind *kind, const char *text, const char *want,
                           const char *why)
{
    listing l = read_records(kind, text, strlen(text), false);
    assert_string_equal(l.text, want);
    if (why ? !strstr(l.why, why) : l.why[0])
        fail_msg("%s: %s", text, l.why);
    free(l.text);
}

static void test_sequences(void **state)
{
    const reader_kind *a = &reader_fasta, *q = &reader_fastq;
    (void)state;
    expect_records(a, ">a one\nAC\nGT\n>b\n\nNN", "a=ACGT|b=NN|", NULL);
    expect_records(a, "\r\n>a\r\nA C\r\n\tG\r\n\r\n> b c\r\nT\r\n", "a=ACG|b=T|", NULL);
    expect_records(a, ";old\n>a\n;more\nAC\n;more\nGT*\n>\n>c", "a=ACGT*|=|c=|", NULL);
    expect_records(a, "", "", NULL);
    expect_records(a, "ACGT\n", "", "line 1: a record of FASTA should begin here, with '>'");
    expect_records(q, "@a x\nACGT\n+\n!!!!\n\n@b\nAC\nGT\n+b\n@@\n++\n", "a=ACGT|b=ACGT|", NULL);
    expect_records(q, "@a\r\nAC\r\n+\r\nII\r\n@b\n\n+\n\n@c\nA\n+\nI", "a=AC|b=|c=A|", NULL);
    expect_records(q, "@a\nAC\n+\nIII\n", "a=AC|", "line 4: more qualities than the 2 letters");
    expect_records(q, "@a\nAC\n+\nI\n", "a=AC|", "the text ends within a record");
    expect_records(q, "@a\nAC\n", "a=AC|", "the text ends within a record");
    expect_records(q, "@a\nAC\n+\nII\n>b\n", "a=AC|", "line 5: a record of FASTQ should begin");
    expect_records(&reader_lines, "a\n\nb\r\nc", "=a|=|=b\r|=c|", NULL);
}

/* Of records around the size of a batch, in pieces and whole: nothing is lost, doubled or joined.
 */
static void test_long_records(void **state)
{
    static const size_t lengths[] = { 1,
                                      BATCH_BYTES - 1,
                                      3,
                                      BATCH_BYTES,
                                      0,
                                      BATCH_BYTES + 1,
                                      5,
                                      3 * BATCH_BYTES,
                                      9,
                                      BATCH_BYTES / 2,
                                      BATCH_BYTES / 2 + 7 };
    listing text = { .text = NULL }, want = { .text = NULL };
    char name[20];
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        put(&text, name, (size_t)snprintf(name, sizeof name, ">r%zu\n", i));
        put(&want, name, (size_t)snprintf(name, sizeof name, "r%zu=", i));
        for (size_t at = 0; at < lengths[i]; at++) {
            const char letter = "ACGT"[(at * 7 + at / 13 + i) % 4];
            put(&want, &letter, 1);
            put(&text, &letter, 1);
            if (at % 61 == 60)
                put(&text, "\n", 1);
        }
        put(&text, "\n", 1);
        put(&want, "|", 1);
    }
    put(&want, "", 1);
    for (int way = 0; way < 4; way++) {
        listing l = read_records(&reader_fasta, text.text, text.length, way / 2);
        assert_string_equal(l.why, "");
        assert_int_equal(l.length, want.length);
        assert_memory_equal(l.text, want.text, l.length);
        free(l.text);
    }
    listing l = read_records(&reader_text, text.text, text.length, false);
    assert_int_equal(l.length, text.length + 3);
    assert_memory_equal(l.text + 1, text.text, text.length);
    free(l.text);
    free(text.text);
    free(want.text);
}

/* ---- records, from a second reader ----------------------------------------- */

/* The line at *at without its newline, as a string in `line`; false at the end. */
static bool next_line(const char *text, size_t length, size_t *at, char *line, size_t *width)
{
    if (*at >= length)
        return false;
    for (*width = 0; *at < length && text[*at] != '\n'; (*at)++)
        line[(*width)++] = text[*at];
    (*at)++;
    return true;
}

static void put_letters(listing *l, const char *line, size_t width)
{
    for (size_t i = 0; i < width; i++)
        if ((uint8_t)line[i] > ' ')
            put(l, &line[i], 1);
}

static void put_name(listing *l, const char *title, size_t width)
{
    size_t i = 0;
    while (i < width && (uint8_t)title[i] <= ' ')
        i++;
    for (; i < width && (uint8_t)title[i] > ' '; i++)
        put(l, &title[i], 1);
    put(l, "=", 1);
}

/* False: it is none. */
static bool plain_fasta(const char *text, size_t length, listing *l)
{
    static char line[1 << 16];
    size_t at = 0, width;
    bool open = false;
    while (next_line(text, length, &at, line, &width)) {
        const char first = width ? line[0] : '\0';
        if (width && first == '>') {
            put(l, "|", open);
            put_name(l, line + 1, width - 1);
            open = true;
        } else if (open && !(width && first == ';')) {
            put_letters(l, line, width);
        } else if (!open) {
            size_t i = 0; /* returns may stand before what begins a record */
            while (i < width && line[i] == '\r')
                i++;
            if (i < width && line[i] == '>') {
                put_name(l, line + i + 1, width - i - 1);
                open = true;
            } else if (i < width && line[i] != ';') {
                return false;
            }
        }
    }
    put(l, "|", open);
    put(l, "", 1);
    return true;
}

static size_t make_fasta(char *text, size_t room)
{
    size_t length = 0;
    for (int i = 0; i < 12; i++) {
        length += (size_t)snprintf(text + length, room - length, ">seq%d some words\n", i);
        for (int k = 0; k < 1 + i % 3; k++)
            length += (size_t)snprintf(text + length, room - length, "ACGTNacgtn*-%d\n", k);
    }
    return length;
}

static void test_changed_fasta(void **state)
{
    static char text[1 << 14], changed[1 << 16];
    const size_t length = make_fasta(text, sizeof text);
    const uint64_t seed = test_seed(), cases = test_cases(10000);
    uint64_t refused = 0;
    (void)state;
    for (uint64_t c = 0; c < cases; c++) {
        rng r = { seed + c };
        listing want = { .text = NULL };
        memcpy(changed, text, length);
        const size_t now = change(&r, (uint8_t *)changed, length, sizeof changed);
        for (size_t i = 0; i < now; i++) /* names end at a NUL byte here */
            changed[i] = changed[i] ? changed[i] : 'N';
        const bool good = plain_fasta(changed, now, &want);
        alarm(SECONDS);
        listing l = read_records(&reader_fasta, changed, now, rng_chance(&r, 2));
        refused += l.why[0] != '\0';
        if (good != (l.why[0] == '\0') ||
            (good && (l.length != want.length || memcmp(l.text, want.text, l.length) != 0)))
            again(seed + c, "FASTA");
        free(l.text);
        free(want.text);
    }
    alarm(0);
    printf("%llu refused\n", (unsigned long long)refused);
}

/* Records of four lines each; NULL where it is none. */
static void test_changed_fastq(void **state)
{
    static char text[1 << 14], changed[1 << 16], line[4][1 << 16];
    const uint64_t seed = test_seed(), cases = test_cases(10000);
    size_t length = 0, width[4];
    uint64_t good = 0;
    (void)state;
    for (int i = 0; i < 20; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "@read%d x\nACGTNACGT%.*s\n+\nIII@+>III%.*s\n", i, i % 4, "ACG",
                                   i % 4, "+@!");
    for (uint64_t c = 0; c < cases; c++) {
        rng r = { seed + c };
        listing want = { .text = NULL };
        memcpy(changed, text, length);
        const size_t now = change(&r, (uint8_t *)changed, length, sizeof changed);
        size_t at = 0;
        bool plain = now > 0;
        while (plain && at < now) {
            for (int i = 0; i < 4 && plain; i++)
                plain = next_line(changed, now, &at, line[i], &width[i]);
            for (int i = 0; i < 4 && plain; i++)
                for (size_t k = 0; k < width[i]; k++)
                    plain = plain && (uint8_t)line[i][k] >= ' ';
            plain = plain && width[0] && line[0][0] == '@' && width[2] && line[2][0] == '+' &&
                    width[1] == width[3] && width[1] && line[1][0] != '+' &&
                    !memchr(line[1], ' ', width[1]) && !memchr(line[3], ' ', width[3]);
            if (plain) {
                put_name(&want, line[0] + 1, width[0] - 1);
                put(&want, line[1], width[1]);
                put(&want, "|", 1);
            }
        }
        put(&want, "", 1);
        alarm(SECONDS);
        listing l = read_records(&reader_fastq, changed, now, false);
        if (plain &&
            (l.why[0] || l.length != want.length || memcmp(l.text, want.text, l.length) != 0))
            again(seed + c, "FASTQ");
        good += plain;
        free(l.text);
        free(want.text);
    }
    alarm(0);
    printf("%llu as four lines each\n", (unsigned long long)good);
}

/* ---- captures -------------------------------------------------------------- */

static size_t put_bytes(uint8_t *to, const char *bytes, size_t length)
{
    memcpy(to, bytes, length);
    return length;
}

#define ETHER_IPV4 "\1\2\3\4\5\6\6\5\4\3\2\1\x08\0"
#define TCP "\x10\0\0\x50\0\0\0\1\0\0\0\1\x50\x18\4\0\0\0\0\0"
#define UDP "\0\x35\x10\1\0\x0c\0\0"
static const struct {
    const char *bytes;
    size_t length;
    const char *flow, *payload;
} packets[] = {
#define PACKET(bytes, flow, payload)                                                               \
    {                                                                                              \
        bytes, sizeof bytes - 1, flow, payload                                                     \
    }
    PACKET(ETHER_IPV4 "\x45\0\0\x2e\0\1\0\0\x40\6\0\0\x0a\0\0\1\x0a\0\0\2" TCP "needle",
           "tcp 10.0.0.1:4096 > 10.0.0.2:80", "needle"),
    PACKET(ETHER_IPV4 "\x45\0\0\x20\0\1\0\0\x40\x11\0\0\x0a\0\0\1\xff\0\0\2" UDP "hays"
                      "filling",
           "udp 10.0.0.1:53 > 255.0.0.2:4097", "hays"),
    PACKET("\1\2\3\4\5\6\6\5\4\3\2\1\x81\0\0\1\x86\xdd\x60\0\0\0\0\x10\0\x40\x20\1\x0d\xb8\0\0\0\0"
           "\0\0\0\0\0\0\0\1\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x11\0\0\0\0\0\0\0" UDP,
           "udp [2001:db8::1]:53 > [fe80::]:4097", ""),
    PACKET(ETHER_IPV4 "\x45\0\0\x1a\0\1\0\3\x40\6\0\0\x0a\0\0\1\x0a\0\0\2"
                      "needle",
           "tcp 10.0.0.1 > 10.0.0.2", "needle"), /* a later fragment */
    PACKET("\1\2\3\4\5\6\6\5\4\3\2\1\x08\6arp", "-", "arp"),
    PACKET("short", "-", "short"),
};
enum { PACKETS = sizeof packets / sizeof packets[0] };

static void test_packets(void **state)
{
    (void)state;
    for (size_t i = 0; i < PACKETS; i++) {
        packet p;
        packet_parse(1, (const uint8_t *)packets[i].bytes, packets[i].length, &p);
        assert_string_equal(p.flow, packets[i].flow);
        assert_int_equal(p.length, strlen(packets[i].payload));
        assert_memory_equal(p.payload, packets[i].payload, p.length);
    }
}

static size_t make_pcap(uint8_t *to)
{
    size_t at = put_bytes(to, "\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\1\0\0\0", 24);
    for (size_t i = 0; i < PACKETS; i++) {
        const uint8_t length = (uint8_t)packets[i].length;
        at += put_bytes(to + at, "\0\0\0\0\0\0\0\0", 8);
        at += put_bytes(to + at, (const char[]){ (char)length, 0, 0, 0, (char)length, 0, 0, 0 }, 8);
        at += put_bytes(to + at, packets[i].bytes, length);
    }
    return at;
}

static size_t make_pcapng(uint8_t *to)
{
    size_t at = put_bytes(to,
                          "\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\1\0\0\0\xff\xff\xff\xff\xff"
                          "\xff\xff\xff\x1c\0\0\0\1\0\0\0\x14\0\0\0\1\0\0\0\xff\xff\0\0\x14\0\0\0",
                          48);
    for (size_t i = 0; i < PACKETS; i++) {
        const uint8_t length = (uint8_t)packets[i].length, padded = (uint8_t)((length + 3) & ~3);
        const char block[] = { 6,
                               0,
                               0,
                               0,
                               (char)(padded + 32),
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               (char)length,
                               0,
                               0,
                               0,
                               (char)length,
                               0,
                               0,
                               0 };
        at += put_bytes(to + at, block, 28);
        at += put_bytes(to + at, packets[i].bytes, length);
        at += put_bytes(to + at, "\0\0\0", (size_t)(padded - length));
        at += put_bytes(to + at, block + 4, 4);
    }
    return at;
}

static void test_captures(void **state)
{
#if defined(TRAWL_HAVE_PCAP) && defined(TRAWL_HAVE_FOPENCOOKIE)
    static uint8_t good[1 << 12], bytes[1 << 16];
    const uint64_t seed = test_seed(), cases = test_cases(10000);
    listing want = { .text = NULL };
    (void)state;
    for (size_t i = 0; i < PACKETS; i++) {
        put(&want, packets[i].flow, strlen(packets[i].flow));
        put(&want, "=", 1);
        put(&want, packets[i].payload, strlen(packets[i].payload));
        put(&want, "|", 1);
    }
    put(&want, "", 1);
    for (int ng = 0; ng < 2; ng++) {
        const size_t length = ng ? make_pcapng(good) : make_pcap(good);
        size_t least;
        assert_int_equal(content_of(good, length, true, &least), CONTENT_CAPTURE);
        listing l = read_records(&reader_capture, good, length, false);
        assert_string_equal(l.why, "");
        assert_string_equal(l.text, want.text);
        free(l.text);
        for (uint64_t c = 0; c < cases; c++) {
            rng r = { seed + c };
            memcpy(bytes, good, length);
            const size_t now = change(&r, bytes, length, sizeof bytes);
            alarm(SECONDS);
            l = read_records(&reader_capture, bytes, now, rng_chance(&r, 2));
            if (l.length > now * 40 + PACKETS * PACKET_FLOW * 40)
                again(seed + c, ng ? "pcapng" : "pcap");
            free(l.text);
        }
    }
    alarm(0);
    free(want.text);
#else
    (void)state;
    (void)make_pcap;
    (void)make_pcapng;
    skip();
#endif
}

/* ---- what is recognised, and when ------------------------------------------ */

static content kind_of(const char *text, size_t length, bool whole, size_t *least)
{
    return content_of((const uint8_t *)text, length, whole, least);
}

static void test_recognised(void **state)
{
    static const struct {
        const char *text;
        content kind;
    } texts[] = {
        { ">a\nACGT\n", CONTENT_FASTA },
        { ">sp|P1|X_Y words, and more\r\nMKV*\r\nW\r\n\r\n>b\nA", CONTENT_FASTA },
        { "> a quoted line\nACGT\n", CONTENT_TEXT },
        { ">a\nwords in a line\n", CONTENT_TEXT },
        { ">a\nACGT\n1234\n", CONTENT_TEXT },
        { ">a\n", CONTENT_TEXT },
        { ">", CONTENT_TEXT },
        { "@a\nACGT\n+\nIIII\n", CONTENT_FASTQ },
        { "@a\nAC\nGT\n+a\nII\nII\n@b\nA\n+\nI\n", CONTENT_FASTQ },
        { "@a\nACGT\n+\nII", CONTENT_TEXT },
        { "@echo off\ndir\n", CONTENT_TEXT },
        { "a\n", CONTENT_TEXT },
        { "", CONTENT_TEXT },
    };
    size_t least;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (kind_of(texts[i].text, strlen(texts[i].text), true, &least) != texts[i].kind)
            fail_msg("%s: not %d", texts[i].text, (int)texts[i].kind);
    assert_int_equal(kind_of("a text\n", 7, false, &least), CONTENT_TEXT);
    assert_int_equal(least, 0); /* a pipe's lines do not wait */
    kind_of(">a\n", 3, false, &least);
    assert_true(least > 3);
    kind_of("\x1f", 1, false, &least);
    assert_true(least > 1);
    for (size_t length = 1; length < 15; length++) {
        kind_of("@a\nACGT\n+\nIIII\n", length, false, &least);
        assert_true(least > length || length == 14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed),        cmocka_unit_test(test_tar),
        cmocka_unit_test(test_cut),           cmocka_unit_test(test_changed),
        cmocka_unit_test(test_changed_tar),   cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_long_records),  cmocka_unit_test(test_changed_fasta),
        cmocka_unit_test(test_changed_fastq), cmocka_unit_test(test_packets),
        cmocka_unit_test(test_captures),      cmocka_unit_test(test_recognised),
    };
    make_original();
    if (!test_sanitized()) {
        struct rlimit memory = { (rlim_t)3 << 30, (rlim_t)3 << 30 };
        setrlimit(RLIMIT_AS, &memory);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
