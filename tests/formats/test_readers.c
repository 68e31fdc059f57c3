/* test_readers.c: records of sequences, lines and captures, from good bytes and from bytes that
 * somebody changed: changed.h. Right is what a second reader of this file says, written as plainly
 * as can be.
 */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "changed.h"
#include "formats/records/ahead.h"
#include "formats/records/packet.h"
#include "formats/records/reader.h"

#include <cmocka.h>

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
            if (!open || !batch_comes_again(b))
                put_record(&l, b, &b->records[i], !open);
        }
    }
    const uint64_t line = b->line;
    ahead_close(batches);
    if (more < 0 && line)
        snprintf(l.why, sizeof l.why, "line %" PRIu64 ": %s", line, why);
    else if (more < 0)
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
    expect_records(q, "@a\nACG\n+\nII\n@b\nA\n+\nI\n", "a=ACG|",
                   "line 5: more qualities than the 3 letters of the record that begins on line 1");
    expect_records(a, "#old\n;old\n>a\nAC\n#GT\n", "a=AC#GT|", NULL);
    expect_records(q, "@a\nAC\n+\nI\n", "a=AC|", "the text ends within a record");
    expect_records(q, "@a\nAC\n", "a=AC|", "the text ends within a record");
    expect_records(q, "@a\nAC\n+\nII\n>b\n", "a=AC|", "line 5: a record of FASTQ should begin");
    expect_records(a, ">a one\rAC\rGT\r>b\r\rNN", "a=ACGT|b=NN|", NULL);
    expect_records(q, "@a\rAC\r+\rII\r@b\rA\r+\rI\r", "a=AC|b=A|", NULL);
    expect_records(q, "@a\rAC\r+\rIII\r", "a=AC|", "line 4: more qualities than the 2 letters");
    expect_records(&reader_lines, "a\n\nb\r\nc", "=a|=|=b\r|=c|", NULL);
}

static void test_alignments(void **state)
{
    const reader_kind *a = &reader_alignments;
    (void)state;
    expect_records(a,
                   "@HD\tVN:1.6\n@CO\tr0\t1\t2\t3\t4\t5\t6\t7\t8\tACGT\t*\n"
                   "r1\t0\tc\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:0\n\n"
                   "r1\t16\tc\t1\t60\t4M\t*\t0\t0\tAC=N\t*\r\nr2\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*",
                   "r1=ACGT|r1=AC=N|r2=|", NULL);
    expect_records(a, "r1\t0\tc\t1\t60\t4M\t*\t0\t0\tACGT\n", "r1=ACGT|", "line 1: an alignment");
    expect_records(a, "@HD\nr1\t0\tc\n", "", "line 2: an alignment of SAM has eleven columns");
    expect_records(a, "r1\t0\tc\t1\t60\t4M\t*\t0\t0\tAC", "r1=AC|", "line 1: an alignment");
}

static void test_entries(void **state)
{
    const reader_kind *e = &reader_entries;
    (void)state;
    expect_records(e,
                   "LOCUS       X 12 bp\nVERSION     U1.2  GI:1\n   /note=\"ORIGIN\nORIGIN      x\n"
                   "        1 gatc ctcc\n       11 at\n//\n\nLOCUS       Y\nORIGIN\n//\n",
                   "U1.2=gatcctccat|Y=|", NULL);
    expect_records(e, "ID   X5; SV 3; linear; 4 BP.\r\nSQ   Sequence\r\n     ac gt   4\r\n//",
                   "X5.3=acgt|", NULL);
    expect_records(e, "ID   1A_HS   Reviewed;  2 AA.\nSQ   SEQUENCE\n     MK\n//\n", "1A_HS=MK|",
                   NULL);
    expect_records(e, "LOCUS       X\nORIGIN\n 1 ac/gt\n//\n", "X=ac|",
                   "line 3: a byte (0x2f) that is no letter");
    expect_records(e, "LOCUS       X\nORIGIN\n 1 ac\n", "X=ac|", "cut off: the entry of line 1");
    expect_records(e, "LOCUS       X\nCONTIG\n//\nLOCUS       Y\nORIGIN\n 1 ac\n//\n", "Y=ac|",
                   "without a sequence: 1, of which the first begins on line 1");
}

static void put_number(listing *l, uint32_t number)
{
    const uint8_t bytes[] = { (uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                              (uint8_t)(number >> 24) };
    put(l, bytes, 4);
}

/* A BAM file of reads r0, r1, ..., with bases that differ in number, and what is in it. */
static void make_bam(listing *bam, listing *want)
{
    static const char codes[] = "=ACMGRSVTWYHKDBN";
    put(bam, "BAM\1", 4);
    put_number(bam, 3);
    put(bam, "@CO", 3);
    put_number(bam, 1);
    put_number(bam, 2);
    put(bam, "c\0\12\0\0\0", 6);
    for (uint32_t i = 0; i < 40; i++) {
        char name[20];
        const uint32_t width = (uint32_t)snprintf(name, sizeof name, "r%u", (unsigned)i) + 1;
        const uint32_t letters = i * i * 37 % 5000, cigar = i % 3, tags = i % 5;
        put_number(bam, 32 + width + 4 * cigar + (letters + 1) / 2 + letters + tags);
        put(bam, "\0\0\0\0\0\0\0\0", 8);
        put_number(bam, width);
        put_number(bam, cigar);
        put_number(bam, letters);
        put(bam, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
        put(bam, name, width);
        put(bam, "BAM\1BAM\1", 4 * (size_t)cigar);
        put(want, name, width - 1);
        put(want, "=", 1);
        for (uint32_t k = 0; k < letters; k += 2) {
            const uint32_t one = (k * 7 + i) % 16, two = k + 1 < letters ? (k * 3 + 5) % 16 : 0;
            const char byte = (char)(one << 4 | two);
            put(bam, &byte, 1);
            put(want, &codes[one], 1);
            put(want, &codes[two], k + 1 < letters);
        }
        for (uint32_t k = 0; k < letters + tags; k++)
            put(bam, "I", 1);
        put(want, "|", 1);
    }
    put(want, "", 1);
}

static void test_changed_bam(void **state)
{
    static uint8_t bytes[1 << 18];
    const uint64_t seed = test_seed(), cases = test_cases(2000);
    listing bam = { .text = NULL }, want = { .text = NULL };
    uint64_t refused = 0;
    size_t least;
    (void)state;
    make_bam(&bam, &want);
    assert_true(bam.length < sizeof bytes);
    assert_int_equal(content_of((const uint8_t *)bam.text, bam.length, true, &least), CONTENT_BAM);
    for (int way = 0; way < 4; way++) {
        listing l = read_records(&reader_alignments, bam.text, bam.length, way / 2);
        assert_string_equal(l.why, "");
        assert_string_equal(l.text, want.text);
        free(l.text);
        l = read_records(&reader_alignments, bam.text, bam.length - 1, way / 2);
        assert_non_null(strstr(l.why, "cut off"));
        free(l.text);
    }
    for (uint64_t c = 0; c < cases; c++) {
        rng r = { seed + c };
        memcpy(bytes, bam.text, bam.length);
        const size_t now = change(&r, bytes, bam.length, sizeof bytes);
        alarm(SECONDS);
        listing l = read_records(&reader_alignments, bytes, now, rng_chance(&r, 2));
        if (l.length > 3 * now + 1)
            changed_failed("test_readers", seed + c, "BAM");
        refused += l.why[0] != '\0';
        free(l.text);
    }
    alarm(0);
    assert_true(refused > 0);
    free(bam.text);
    free(want.text);
}

/* Records around the size of a batch, in pieces and whole: none is lost, doubled or joined. */
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
            size_t i = 0; /* blanks may stand before what begins a record */
            while (i < width && (line[i] == '\r' || line[i] == ' ' || line[i] == '\t'))
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
            changed_failed("test_readers", seed + c, "FASTA");
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
            changed_failed("test_readers", seed + c, "FASTQ");
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

/* What has no transport's header is not called by its name, so that no rule of it is asked. */
#define IPV4(protocol) "\x45\0\0\x1a\0\1\0\0\x40" protocol "\0\0\x0a\0\0\1\x0a\0\0\2"
#define IPV6(next) "\x60\0\0\0\0\x0e" next "\x40" FROM6 TO6
#define FROM6 "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1"
#define TO6 "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x11"
#define ETHER(type) "\1\2\3\4\5\6\6\5\4\3\2\1" type
#define UDP6 "\0\x35\x10\1\0\x0e\0\0needle"
static const struct {
    int link;
    const char *bytes;
    size_t length;
    const char *flow;
    size_t payload; /* where it begins */
} frames[] = {
#define FRAME(link, bytes, flow, payload)                                                          \
    {                                                                                              \
        link, bytes, sizeof bytes - 1, flow, payload                                               \
    }
    FRAME(1, ETHER("\x08\6") "\0\1\x08\0\6\4\0\1needle", "-", 14), /* ARP */
    FRAME(1, ETHER("\x88\xcc") "needle", "-", 14),                 /* LLDP */
    FRAME(1, ETHER("\0\6") "\x45needl", "-", 14),                  /* a length: IEEE 802.3 */
    FRAME(1, ETHER("\x81\0\0\1\x08\6") "needle", "-", 18),         /* ARP in a VLAN */
    FRAME(1, ETHER("\x88\xa8\0\1\x81\0\0\1\x08\0") IPV4("\x11") "needle",
          "ip-17 10.0.0.1 > 10.0.0.2", 42),
    FRAME(1, ETHER("\x81\0"), "-", 14), /* cut off in its tag */
    FRAME(1, ETHER("\x08\0") IPV4("\6") "needle", "ip-6 10.0.0.1 > 10.0.0.2", 34), /* cut off */
    FRAME(1, ETHER("\x08\0") IPV4("\x84") "needle", "ip-132 10.0.0.1 > 10.0.0.2", 34),
    FRAME(1, ETHER("\x08\0") IPV4("\1") "needle", "icmp 10.0.0.1 > 10.0.0.2", 34),
    FRAME(1, ETHER("\x08\0") IPV4("\x3b") "needle", "ip-59 10.0.0.1 > 10.0.0.2", 34),
    FRAME(1,
          ETHER("\x08\0") "\x45\0\0\x2e\0\1\0\0\x40\6\0\0\x0a\0\0\1\x0a\0\0\2"
                          "\x10\0\0\x50\0\0\0\1\0\0\0\1\x40\x18\4\0\0\0\0\0needle",
          "ip-6 10.0.0.1 > 10.0.0.2", 34), /* its header would have 16 bytes */
    FRAME(1, ETHER("\x08\0") "\x45\0\0\x13\0\1\0\0\x40\6\0\0\x0a\0\0\1\x0a\0\0\2", "-", 14),
    FRAME(1, ETHER("\x08\0") "\x44\0\0\x14\0\1\0\0\x40\6\0\0\x0a\0\0\1\x0a\0\0\2", "-", 14),
    FRAME(1, ETHER("\x08\0") "\x45\0\0\x14\0\1\0\0\x40\6", "-", 14),
    FRAME(1, ETHER("\x86\xdd") IPV6("\x11") UDP6, "udp [2001:db8::1]:53 > [fe80::11]:4097", 62),
    FRAME(1, ETHER("\x86\xdd") "\x60\0\0\0\0\x16\x87\x40" FROM6 TO6 "\x11\0\0\0\0\0\0\0" UDP6,
          "udp [2001:db8::1]:53 > [fe80::11]:4097", 70), /* mobility */
    FRAME(1, ETHER("\x86\xdd") IPV6("\x2c") "\x3c\0\0\x08\0\0\0\1\x11needl",
          "ip-60 2001:db8::1 > fe80::11", 62), /* a later fragment, which begins with no header */
    FRAME(1, ETHER("\x86\xdd") IPV6("\x2c") "\x11\0\0\x08\0\0\0\1needle",
          "udp 2001:db8::1 > fe80::11", 62),
    FRAME(1, ETHER("\x86\xdd") IPV6("\0") "\6\3needle", "ip-0 2001:db8::1 > fe80::11", 54),
    FRAME(1, ETHER("\x86\xdd") "\x60\0\0\0\0\x0e", "-", 14),
    FRAME(1, ETHER("\x88\x47") "\0\1\0\xff\0\2\1\xff" IPV4("\1") "needle",
          "icmp 10.0.0.1 > 10.0.0.2", 42),                                 /* two labels of MPLS */
    FRAME(1, ETHER("\x88\x64") "\x11\0\0\1\0\x1c\xc0\x21needle", "-", 22), /* LCP in PPPoE */
    FRAME(9, "\xff\3\xc0\x21\x45needle", "-", 4),
    FRAME(9, "\xff\3\0\x21" IPV4("\1") "needle", "icmp 10.0.0.1 > 10.0.0.2", 24),
    FRAME(9, "\0\x21" IPV4("\1") "needle", "icmp 10.0.0.1 > 10.0.0.2", 22),
    FRAME(0, "\2\0\0\0" IPV4("\1") "needle", "icmp 10.0.0.1 > 10.0.0.2", 24),
    FRAME(0, "\x1e\0\0\0" IPV6("\x11") UDP6, "udp [2001:db8::1]:53 > [fe80::11]:4097", 52),
    FRAME(0, "\7\0\0\0\x45needle", "-", 4),
    FRAME(108, "\0\0\0\2" IPV4("\1") "needle", "icmp 10.0.0.1 > 10.0.0.2", 24),
    FRAME(101, "\x55needle", "-", 0),
    FRAME(105, "needle", "?", 0), /* a link type that is not known */
};

static void test_frames(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        packet p;
        uint8_t *bytes = malloc(frames[i].length);
        assert_non_null(bytes);
        memcpy(bytes, frames[i].bytes, frames[i].length);
        packet_parse(frames[i].link, bytes, frames[i].length, &p);
        assert_string_equal(p.flow, frames[i].flow);
        assert_int_equal(p.payload - bytes, frames[i].payload);
        free(bytes);
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
                changed_failed("test_readers", seed + c, ng ? "pcapng" : "pcap");
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
        { "@a\nACGT\n+\nII", CONTENT_FASTQ },
        { "@a\nACGT\n+a\nIIIII\n@b\n", CONTENT_FASTQ },
        { "@a b\nACGT\n+a b\nII\n", CONTENT_FASTQ },
        { "@a b\nACGT\n+a c\nII\n", CONTENT_TEXT },
        { "@ a\nACGT\n+\nIIII\n", CONTENT_FASTQ },
        { "@a\nT01.2\n+\n!!!!!\n", CONTENT_FASTQ },
        { "@@ -1 +1 @@\n-old\n+new\n", CONTENT_TEXT },
        { "@@ -1 +1 @@\n-old\n+\n", CONTENT_TEXT },
        { ">a\nACGT\n> b\nACGT\n>\nA\n", CONTENT_FASTA },
        { ">a\n;note 1\nACGT\n", CONTENT_FASTA },
        { "#made by x\n;and y\n>a\nACGT\n", CONTENT_FASTA },
        { "# a head\n\n> a quotation\nof words\n", CONTENT_TEXT },
        { "@HD\tVN:1.6\n", CONTENT_SAM },
        { "@SQ\tSN:c\tLN:1\n", CONTENT_SAM },
        { "r1\t0\tc\t1\t60\t2M1I1M\t=\t0\t-7\tACGT\tIIII\tNM:i:0\n@x", CONTENT_SAM },
        { "r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\t*\r\n", CONTENT_SAM },
        { "r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIII\n", CONTENT_TEXT },
        { "r1\t4\t*\t0\t0\t4\t*\t0\t0\tACGT\tIIII\n", CONTENT_TEXT },
        { "r1\t65536\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n", CONTENT_TEXT },
        { "r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\twords\n", CONTENT_TEXT },
        { "r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\n", CONTENT_TEXT },
        { ">a x\rACGT\rAC\r>b\rA", CONTENT_FASTA },
        { ">a x\rACGT\nAC\n>b\nA", CONTENT_TEXT },
        { "@a\rACGT\r+a\rIIII\r", CONTENT_FASTQ },
        { "CRAM\3\1", CONTENT_CRAM },
        { "LOCUS       AB000001\n", CONTENT_ENTRIES },
        { "LOCUS of control\n", CONTENT_TEXT },
        { "ID   X56734; SV 1; linear; mRNA; STD; PLN; 1859 BP.\r\nXX\n", CONTENT_ENTRIES },
        { "ID   a text; of words.\n", CONTENT_TEXT },
        { "@a\n\n+\n\n@b\nA\n+\nI\n", CONTENT_FASTQ },
        { "@a\r\n+\r\n\r\n", CONTENT_FASTQ },
        { "@a\n\n+\nII\n", CONTENT_FASTQ },
        { "@a\n\nwords\n", CONTENT_TEXT },
        { " \n\r\n>a\nACGT \nAC GT\n \t\n>b\nA", CONTENT_FASTA },
        { "\xef\xbb\xbf>a\nACGT\n", CONTENT_FASTA },
        { ">a\nMKTAYIAKQR QISFVKSHFS RQ\n", CONTENT_FASTA },
        { ">a\nMKTAYIAKQ RQISFVKSHFS RQ\n", CONTENT_TEXT },
        { ">a\nmotherhood is\n", CONTENT_TEXT },
        { "\n\nACGT\n>a\nACGT\n", CONTENT_TEXT },
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
        const content kind = kind_of("@a\nACGT\n+\nIIII\n", length, false, &least);
        assert_int_equal(kind, length < 9 ? CONTENT_TEXT : CONTENT_FASTQ);
        assert_true(least > length || length >= 9);
    }
    for (size_t length = 1; length < 8; length++) {
        kind_of("@HD\tVN:1.6\n", length, false, &least);
        assert_true(least > length || length == 7);
    }
    assert_int_equal(kind_of("\x43\x27\x41\x1a\0\0\0\0\1\0\0\0", 12, true, &least), CONTENT_TWOBIT);
    for (size_t length = 1; length < 7; length++) {
        const content kind = kind_of("@a\n\n+\n\n", length, false, &least);
        assert_true(least > length || (kind == CONTENT_FASTQ && length > 4));
    }
    static const char row[] = "r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n";
    for (size_t length = 10; length < sizeof row; length++) { /* the third field has ended */
        const content kind = kind_of(row, length, false, &least);
        assert_true(kind == CONTENT_SAM ? length == sizeof row - 1 : least > length);
    }
}

/* What is not taken for FASTA, though it may be meant so, is told with its line. */
static void test_doubts(void **state)
{
    static char long_title[70000];
    static const struct {
        const char *text, *said; /* NULL: nothing */
        bool begins;
    } texts[] = {
        { "> a\nACGT\n", "line 1 is a title without a word after its '>'", true },
        { ">\nACGT\n", "line 1 is a title without a word", true },
        { "\n;c\n> a\nACGT\n", NULL, true },
        { ">a\nACGT\n  1 acgt 4\n", "line 3 has a byte that is no letter of a sequence ('1')",
          true },
        { ">a\nAC?T\n", "line 2 has a byte that is no letter of a sequence ('?')", true },
        { ">a\nACGT\n>b\nAC/T\n", "line 4 has a byte that is no letter of a sequence ('/')", true },
        { ">a\nAC\xe9T\n", "(0xe9)", true },
        { ">a\nACGT\nsome words here\n", "line 3 has words with blanks", true },
        { ">a\nACGT\n>b\1\2\nAC\n", "line 3 is a title with a control character", true },
        { ">a\nACGT\n>b\rAC\n>c\r\r\nAC\n", "line 3 is a title with a control character", true },
        { ">a\rACGT\rAC?T\r", "line 3 has a byte that is no letter of a sequence ('?')", true },
        { long_title, "line 1 is a title that is longer", true },
        { "> a quotation\n> of words\nHello there\n", NULL, true },
        { "# a head\n\n>quotation\nof words\n", NULL, true },
        { ">a\nACGT\n", NULL, true },
        { "ACGT\n>a\n1\n", NULL, false },
        { "a text\n", NULL, false },
        { "", NULL, false },
    };
    char said[CONTENT_DOUBT_TEXT];
    (void)state;
    memset(long_title, 'x', sizeof long_title - 1);
    long_title[0] = '>';
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const size_t length = strlen(texts[i].text);
        const content_doubt d = content_doubts((const uint8_t *)texts[i].text,
                                               length < CONTENT_LOOK ? length : CONTENT_LOOK);
        if (d.why)
            content_doubt_text(&d, said);
        if (d.begins != texts[i].begins || (d.why == NULL) != (texts[i].said == NULL) ||
            (d.why && !strstr(said, texts[i].said)))
            fail_msg("%.40s: %s", texts[i].text, d.why ? said : "nothing");
    }
    assert_false(content_doubts((const uint8_t *)">a\nAC\0GT1\n", 10).begins);
}

/* What the first doubt of a reader of FASTA says of a text; "" where it has none. */
static void doubt_of(const char *text, size_t length, char said[CONTENT_DOUBT_TEXT])
{
    source_memory memory = { .bytes = (const uint8_t *)text, .left = length };
    const char *why = NULL;
    source s;
    batch b;
    source_open_memory(&s, &memory);
    void *state = reader_fasta.open(&s, &why);
    assert_true(state && batch_open(&b, false));
    while (reader_fasta.fill(state, &b, &why) > 0)
        batch_next(&b, &b);
    assert_null(why);
    const content_doubt *doubt = reader_fasta.doubt(state);
    said[0] = '\0';
    if (doubt)
        content_doubt_text(doubt, said);
    batch_free(&b);
    reader_fasta.close(state);
    source_close(&s);
}

/* Lines after the head are looked at as those of the head are: each place of a long text, among
 * them those where what is read at once ends. */
static void test_late_doubts(void **state)
{
    static const struct {
        const char *line, *said; /* "": nothing */
    } lines[] = {
        { "> blank before the name\n", "" },
        { ">\n", "" },
        { "AC-GT*N.\r\n", "" },
        { ";note ?\n", "" },
        { "AC GT AC\n", "" },
        { "MKTAYIAKQR QISFVKSHFS RQ\n", "" },
        { "MKTAYIAKQR QISFVKSHF SRQ\n", "has words with blanks between them" },
        { "ACGT?ACGT\n", "has a byte that is no letter of a sequence ('?')" },
        { "#ACGT\n", "has a byte that is no letter of a sequence ('#')" },
        { "//\n", "has a byte that is no letter of a sequence ('/')" },
        { "   1 ACGT\n", "has a byte that is no letter of a sequence ('1')" },
        { "AC\1GT\n", "has a byte that is no letter of a sequence (0x01)" },
        { "ACGT\xc3\xa9\n", "has a byte that is no letter of a sequence (0xc3)" },
        { ">a\2\n", "is a title with a control character in it" },
        { ">a\rACGT\n", "is a title with a control character in it" },
    };
    const size_t before = (256u << 10) - 70, whole = before + 2000;
    char *text = malloc(whole + 100), said[CONTENT_DOUBT_TEXT], want[CONTENT_DOUBT_TEXT];
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const size_t length = strlen(lines[i].line);
        for (size_t at = before; at < before + 120; at += i % 5 + 1) {
            memset(text, 'A', whole);
            memcpy(text, ">a\n", 3);
            uint64_t line = 2;
            for (size_t end = 63; end < at; end += 61, line++)
                text[end] = '\n';
            text[at - 1] = '\n';
            line += (at - 1 - 63) % 61 != 0;
            memcpy(text + at, lines[i].line, length);
            doubt_of(text, whole, said);
            snprintf(want, sizeof want, "line %" PRIu64 " %s", line, lines[i].said);
            if (lines[i].said[0] ? strncmp(said, want, strlen(want)) != 0 : said[0])
                fail_msg("%s at %zu: \"%s\", not \"%s\"", lines[i].line, at, said, want);
        }
    }
    doubt_of(">a\nACGT\nAC?T", 12, said);
    assert_string_equal(said, "line 3 has a byte that is no letter of a sequence ('?')");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),     cmocka_unit_test(test_long_records),
        cmocka_unit_test(test_changed_fasta), cmocka_unit_test(test_changed_fastq),
        cmocka_unit_test(test_packets),       cmocka_unit_test(test_frames),
        cmocka_unit_test(test_captures),      cmocka_unit_test(test_recognised),
        cmocka_unit_test(test_alignments),    cmocka_unit_test(test_entries),
        cmocka_unit_test(test_changed_bam),   cmocka_unit_test(test_doubts),
        cmocka_unit_test(test_late_doubts),
    };
    changed_limit_memory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
