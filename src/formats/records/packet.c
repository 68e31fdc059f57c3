/* packet.c: see packet.h.
 *
 * Invariant: bytes[at .. end) is what is left; each header moves `at` after itself if it is whole.
 * A header that is cut off, or says it is shorter than it can be, is payload with what follows; of
 * a transport the flow says so then: ip-6 in place of tcp.
 */
#include "formats/records/packet.h"

#include <stdbool.h>
#include <string.h>

enum { LINK_NULL = 0, LINK_ETHERNET = 1, LINK_PPP = 9, LINK_RAW = 12, LINK_RAW_BSD = 14 };
enum { LINK_RAW_FILE = 101, LINK_LOOP = 108, LINK_SLL = 113, LINK_IPV4 = 228, LINK_IPV6 = 229 };
enum { LINK_SLL2 = 276 };
enum { ETHER_IPV4 = 0x0800, ETHER_IPV6 = 0x86dd, ETHER_VLAN = 0x8100, ETHER_QINQ = 0x88a8 };
enum { ETHER_QINQ_OLD = 0x9100, ETHER_PPPOE = 0x8864, ETHER_MPLS = 0x8847 };
enum { ETHER_MPLS_MANY = 0x8848 };
enum { PPP_IPV4 = 0x21, PPP_IPV6 = 0x57 };
enum { IP_TCP = 6, IP_UDP = 17, IP_ICMP = 1, IP_ICMP6 = 58, IP_SCTP = 132, IP_NONE = 59 };

typedef struct view {
    const uint8_t *bytes;
    size_t at, end;
} view;

static unsigned two(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static size_t left(const view *v)
{
    return v->end - v->at;
}

/* ---- text --------------------------------------------------------------------- */

static char *put_text(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

/* Digits are written whether they count or not: a branch on them would be guessed wrongly often. */
static char *put_octet(char *to, unsigned number)
{
    *to = (char)('0' + number / 100);
    to += number >= 100;
    *to = (char)('0' + number / 10 % 10);
    to += number >= 10;
    *to = (char)('0' + number % 10);
    return to + 1;
}

/* Write a number of at most 16 bits. */
static char *put_port(char *to, unsigned number)
{
    *to = (char)('0' + number / 10000);
    to += number >= 10000;
    *to = (char)('0' + number / 1000 % 10);
    to += number >= 1000;
    *to = (char)('0' + number / 100 % 10);
    to += number >= 100;
    *to = (char)('0' + number / 10 % 10);
    to += number >= 10;
    *to = (char)('0' + number % 10);
    return to + 1;
}

static char *put_ipv4(char *to, const uint8_t *address)
{
    for (int i = 0; i < 4; i++) {
        to = put_octet(to, address[i]);
        *to++ = '.';
    }
    return to - 1;
}

/* RFC 5952: the longest run of zero groups, of two at least, is "::". */
static char *put_ipv6(char *to, const uint8_t *address)
{
    int best = 8, most = 1;
    for (int i = 0, run; i < 8; i += run + 1) {
        for (run = 0; i + run < 8 && two(address + 2 * (i + run)) == 0; run++)
            ;
        if (run > most) {
            most = run;
            best = i;
        }
    }
    for (int i = 0; i < 8; i++) {
        if (i == best) {
            *to++ = ':';
            if (i + most == 8)
                *to++ = ':';
            i += most - 1;
            continue;
        }
        if (i)
            *to++ = ':';
        const unsigned group = two(address + 2 * i);
        for (int shift = group > 0xfff  ? 12
                         : group > 0xff ? 8
                         : group > 0xf  ? 4
                                        : 0;
             shift >= 0; shift -= 4)
            *to++ = "0123456789abcdef"[group >> shift & 15];
    }
    return to;
}

static char *put_end(char *to, const uint8_t *address, bool six, const uint8_t *port)
{
    if (six && port)
        *to++ = '[';
    to = six ? put_ipv6(to, address) : put_ipv4(to, address);
    if (six && port)
        *to++ = ']';
    if (port) {
        *to++ = ':';
        to = put_port(to, two(port));
    }
    return to;
}

/* What a transport is called whose header is not there `whole` is "ip-" and its number. */
static char *put_protocol(char *to, unsigned protocol, bool whole)
{
    switch (whole ? protocol : IP_NONE) {
    case IP_TCP:
        return put_text(to, "tcp ");
    case IP_UDP:
        return put_text(to, "udp ");
    case IP_SCTP:
        return put_text(to, "sctp ");
    case IP_ICMP:
    case IP_ICMP6:
        return put_text(to, "icmp ");
    default:
        to = put_octet(put_text(to, "ip-"), protocol);
        *to++ = ' ';
        return to;
    }
}

/* ---- headers -------------------------------------------------------------------- */

static bool is_transport(unsigned protocol)
{
    return protocol == IP_TCP || protocol == IP_UDP || protocol == IP_SCTP;
}

/* Bytes of the header of a transport; 0: it is not known, or cut off. */
static size_t transport_header(const view *v, unsigned protocol)
{
    const size_t length = protocol == IP_TCP && left(v) >= 20 ? 4u * (v->bytes[v->at + 12] >> 4)
                          : protocol == IP_UDP                ? 8
                          : protocol == IP_SCTP               ? 12
                                                              : 0;
    return length <= left(v) && (protocol != IP_TCP || length >= 20) ? length : 0;
}

static void parse_transport(view *v, unsigned protocol, bool begins, const uint8_t *from,
                            const uint8_t *to, bool six, packet *p)
{
    const size_t header = begins ? transport_header(v, protocol) : 0;
    const uint8_t *ports = header ? v->bytes + v->at : NULL;
    char *flow = put_protocol(p->flow, protocol, header || !begins || !is_transport(protocol));
    flow = put_end(flow, from, six, ports);
    flow = put_text(flow, " > ");
    flow = put_end(flow, to, six, ports ? ports + 2 : NULL);
    *flow = '\0';
    v->at += header;
}

static void parse_ipv4(view *v, packet *p)
{
    const uint8_t *h = v->bytes + v->at;
    const size_t header = left(v) >= 20 && h[0] >> 4 == 4 ? 4u * (h[0] & 15) : 0;
    if (header < 20 || header > left(v))
        return;
    const size_t total = two(h + 2); /* 0 where the card cuts large segments itself */
    if (total && total < header)
        return;
    if (total && total < left(v))
        v->end = v->at + total; /* what follows fills the frame */
    v->at += header;
    parse_transport(v, h[9], (two(h + 6) & 0x1fff) == 0, h + 12, h + 16, false, p);
}

/* Hop by hop, routing, fragment, authentication, destination, mobility, host identity, shim. */
static bool is_extension(unsigned next)
{
    return next == 0 || next == 43 || next == 44 || next == 51 || next == 60 || next == 135 ||
           next == 139 || next == 140;
}

/* Pass the extension headers. None stands after that of a later fragment. */
static unsigned pass_extensions(view *v, unsigned next, bool *begins)
{
    while (*begins && left(v) >= 8 && is_extension(next)) {
        const uint8_t *h = v->bytes + v->at;
        const size_t length = next == 44 ? 8 : next == 51 ? 4u * (h[1] + 2u) : 8u * (h[1] + 1u);
        if (length > left(v))
            break;
        if (next == 44 && two(h + 2) & 0xfff8)
            *begins = false;
        next = h[0];
        v->at += length;
    }
    return next;
}

static void parse_ipv6(view *v, packet *p)
{
    const uint8_t *h = v->bytes + v->at;
    bool begins = true;
    if (left(v) < 40 || h[0] >> 4 != 6)
        return;
    const size_t total = two(h + 4);
    v->at += 40;
    if (total && total < left(v))
        v->end = v->at + total;
    const unsigned next = pass_extensions(v, h[6], &begins);
    parse_transport(v, next, begins, h + 8, h + 24, true, p);
}

static void parse_ip(view *v, packet *p)
{
    if (left(v) && v->bytes[v->at] >> 4 == 6)
        parse_ipv6(v, p);
    else
        parse_ipv4(v, p);
}

/* What stands after a protocol of PPP. */
static void parse_ppp(view *v, unsigned protocol, packet *p)
{
    if (protocol == PPP_IPV4)
        parse_ipv4(v, p);
    else if (protocol == PPP_IPV6)
        parse_ipv6(v, p);
}

/* What stands after labels, of which the last one has a bit set; what follows them is not named. */
static void parse_mpls(view *v, packet *p)
{
    bool last = false;
    while (!last && left(v) >= 4) {
        last = v->bytes[v->at + 2] & 1;
        v->at += 4;
    }
    if (last)
        parse_ip(v, p);
}

/* What stands after the number of a family of addresses, in either order of bytes: IPv6 has one by
 * each system. */
static void parse_family(view *v, packet *p)
{
    const uint8_t *h = v->bytes + v->at;
    if (left(v) < 4)
        return;
    const unsigned family = h[0] | h[1] ? h[0] + 256u * h[1] : two(h + 2);
    v->at += 4;
    if (family == 2)
        parse_ipv4(v, p);
    else if (family == 10 || family == 24 || family == 28 || family == 30)
        parse_ipv6(v, p);
}

/* What stands after an EtherType, of which some say that another follows. */
static void parse_ether(view *v, unsigned type, packet *p)
{
    while ((type == ETHER_VLAN || type == ETHER_QINQ || type == ETHER_QINQ_OLD) && left(v) >= 4) {
        type = two(v->bytes + v->at + 2);
        v->at += 4;
    }
    if (type == ETHER_PPPOE && left(v) >= 8) {
        v->at += 8;
        parse_ppp(v, two(v->bytes + v->at - 2), p);
    }
    if (type == ETHER_MPLS || type == ETHER_MPLS_MANY)
        parse_mpls(v, p);
    if (type == ETHER_IPV4)
        parse_ipv4(v, p);
    else if (type == ETHER_IPV6)
        parse_ipv6(v, p);
}

/* Pass a header of `length` bytes with an EtherType in it. */
static void parse_after(view *v, size_t length, size_t type, packet *p)
{
    if (left(v) < length)
        return;
    v->at += length;
    parse_ether(v, two(v->bytes + type), p);
}

void packet_parse(int link, const uint8_t *bytes, size_t length, packet *p)
{
    view v = { bytes, 0, length };
    strcpy(p->flow, "-");
    switch (link) {
    case LINK_ETHERNET:
        parse_after(&v, 14, 12, p);
        break;
    case LINK_SLL:
        parse_after(&v, 16, 14, p);
        break;
    case LINK_SLL2:
        parse_after(&v, 20, 0, p);
        break;
    case LINK_NULL:
    case LINK_LOOP:
        parse_family(&v, p);
        break;
    case LINK_PPP:
        v.at = length >= 4 && bytes[0] == 0xff ? 2 : 0; /* address and control of HDLC */
        v.at += length >= 4 ? 2 : 0;
        parse_ppp(&v, v.at ? two(bytes + v.at - 2) : 0, p);
        break;
    case LINK_RAW:
    case LINK_RAW_BSD:
    case LINK_RAW_FILE:
    case LINK_IPV4:
    case LINK_IPV6:
        parse_ip(&v, p);
        break;
    default:
        strcpy(p->flow, "?");
        break;
    }
    p->payload = bytes + v.at;
    p->length = left(&v);
}
