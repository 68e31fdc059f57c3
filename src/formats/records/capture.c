/* capture.c: pcap and pcapng through libpcap. A record is a packet's payload, with its number as
 * Wireshark counts and its flow as the name.
 *
 * libpcap is loaded when the first capture is met. It reads from a FILE, which is made over the
 * source, so captures may be compressed, and members of archives, as all texts.
 *
 * Memory: a packet, at most as libpcap allows for the link type: 256 KiB, of USB 128 MiB.
 */
#define _GNU_SOURCE /* fopencookie */
#include "formats/records/reader.h"

#if defined(TRAWL_HAVE_PCAP) && defined(TRAWL_HAVE_FOPENCOOKIE)

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <stdio_ext.h>
#endif

#include "formats/records/packet.h"
#include "formats/sources/library.h"

#define PIECE ((size_t)256 << 10)
#define SMALL_PIECE ((size_t)4 << 10)
#define USUAL_PACKET 2048u /* is not longer, with its header */

/* clang-format off */
#define CALLS(LINE)                                                                            \
    LINE(pcap_t *, pcap_fopen_offline, (FILE *, char *))                                       \
    LINE(int, pcap_next_ex, (pcap_t *, struct pcap_pkthdr **, const u_char **))                \
    LINE(int, pcap_datalink, (pcap_t *))                                                       \
    LINE(char *, pcap_geterr, (pcap_t *))                                                      \
    LINE(void, pcap_close, (pcap_t *))
/* clang-format on */

LIBRARY(CALLS, (void)0, "libpcap.so.0.8", "libpcap.so.1", "libpcap.so")

typedef struct capture {
    source *text;
    FILE *file; /* libpcap's, once it is open */
    pcap_t *pcap;
    int link;
    uint64_t number;
    uint64_t fed; /* bytes of the file that libpcap has */
    bool failed;  /* what is below could not be read */
    bool classic; /* pcap, not pcapng */
    bool waiting; /* `packet` still needs a batch */
    packet packet;
    char message[PCAP_ERRBUF_SIZE];
    bool waits;
    size_t at, used; /* of a pipe, buffer[at .. used) was read and is not the FILE's yet */
    uint8_t buffer[PIECE];
    char stdio[PIECE];
} capture;

/* libpcap cuts packets off after the length that the file's header names, and says nothing; 0
 * there means any length. */
static void forget_snaplen(capture *c, char *bytes, size_t length)
{
    static const size_t from = 16, to = 20;
    if (c->fed == 0 && length)
        c->classic = bytes[0] != '\n'; /* as pcapng begins */
    for (size_t i = from; c->classic && i < to; i++)
        if (i >= c->fed && i - c->fed < length)
            bytes[i - c->fed] = 0;
    c->fed += length;
}

/* Into the FILE's own buffer; of a pipe by way of ours, so that we know how much is left of it. */
static ssize_t feed(void *user, char *bytes, size_t length)
{
    capture *c = user;
    if (c->at == c->used) {
        void *to = c->waits ? (void *)c->buffer : bytes;
        const ptrdiff_t got = source_read(c->text, to, c->waits ? PIECE : length);
        c->failed = c->failed || got < 0;
        if (got > 0)
            forget_snaplen(c, to, (size_t)got);
        if (got <= 0 || !c->waits)
            return (ssize_t)got;
        c->at = 0;
        c->used = (size_t)got;
    }
    length = length < c->used - c->at ? length : c->used - c->at;
    memcpy(bytes, c->buffer + c->at, length);
    c->at += length;
    return (ssize_t)length;
}

static const char *said(capture *c, const char *text)
{
    if (c->failed)
        return c->text->why;
    if (strstr(text, "different from the snapshot length"))
        return "its interfaces differ in snapshot length, which libpcap does not read: the rest "
               "was "
               "not searched; `editcap -F pcap FILE NEW` writes a capture that it reads";
    if (strstr(text, "different from the type"))
        return "its interfaces differ in link type, which libpcap does not read: the rest was not "
               "searched; write one capture an interface";
    if (text != c->message)
        snprintf(c->message, sizeof c->message, "%s", text);
    return c->message;
}

static void close_capture(void *user)
{
    capture *c = user;
    if (c->pcap)
        lib.pcap_close(c->pcap); /* and the FILE */
    else if (c->file)
        fclose(c->file);
    free(c);
}

static void *open_capture(source *text, const char **why)
{
    const cookie_io_functions_t calls = { .read = feed };
    if (!library_there()) {
        *why = "is a capture, which takes libpcap to read: install libpcap0.8";
        return NULL;
    }
    capture *c = malloc(sizeof *c);
    *why = "out of memory";
    if (!c)
        return NULL;
    memset(c, 0, offsetof(capture, buffer));
    c->text = text;
    c->file = fopencookie(c, "rb", calls);
    c->waits = source_waits(text);
    if (!c->file || setvbuf(c->file, c->stdio, _IOFBF, c->waits ? SMALL_PIECE : PIECE) != 0) {
        close_capture(c);
        return NULL;
    }
#ifdef __GLIBC__
    __fsetlocking(c->file, FSETLOCKING_BYCALLER); /* a packet is two reads, and nobody else's */
#endif
    c->pcap = lib.pcap_fopen_offline(c->file, c->message);
    if (c->pcap)
        c->link = lib.pcap_datalink(c->pcap);
    return c;
}

static bool add_packet(capture *c, batch *b, const char **why)
{
    const char *flow = c->packet.flow;
    if (!c->waiting)
        return true;
    if (!b->open && !batch_begin(b, c->number, flow, strlen(flow), why))
        return false;
    if (!batch_add(b, c->packet.payload, c->packet.length, why))
        return false;
    batch_end(b);
    c->waiting = false;
    return true;
}

static int fill(void *user, batch *b, const char **why)
{
    capture *c = user;
    struct pcap_pkthdr *header;
    const u_char *bytes;
    *why = c->pcap ? NULL : said(c, c->message);
    while (c->pcap && add_packet(c, b, why)) {
        if (c->used - c->at < USUAL_PACKET && batch_ready(b) && c->waits)
            return 1; /* the next one may be there in part only */
        const int status = lib.pcap_next_ex(c->pcap, &header, &bytes);
        if (status == PCAP_ERROR_BREAK)
            return 0;
        if (status < 0) {
            *why = said(c, lib.pcap_geterr(c->pcap));
            return -1;
        }
        packet_parse(c->link, bytes, header->caplen, &c->packet);
        c->number++;
        c->waiting = true;
    }
    if (*why)
        batch_cut(b);
    return *why ? -1 : 1;
}

#else

static void *open_capture(source *text, const char **why)
{
    (void)text;
    *why = "is a capture, which this build does not read: install libpcap-dev and build again, or "
           "read it as one text (format text)";
    return NULL;
}

static int fill(void *user, batch *b, const char **why)
{
    (void)user;
    (void)b;
    (void)why;
    return 0;
}

static void close_capture(void *user)
{
    (void)user;
}

#endif

const reader_kind reader_capture = {
    .named = true, .numbered = true, .open = open_capture, .fill = fill, .close = close_capture
};
