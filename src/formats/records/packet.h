/* packet.h: what a packet carries, and between whom. */
#ifndef TRAWL_PACKET_H
#define TRAWL_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define PACKET_FLOW 128u /* bytes of the longest flow, with its NUL byte */

typedef struct packet {
    const uint8_t *payload;
    size_t length;
    char flow[PACKET_FLOW]; /* "tcp 10.0.0.1:49152 > 10.0.0.2:80", "-" where it is not IP, "?"
                               where the link type is not known */
} packet;

/* Take a captured packet apart, of a link type as libpcap numbers them (DLT_...). Its payload is
 * what stands after the headers of TCP, UDP, or what is known before: all of it, if nothing is. */
void packet_parse(int link, const uint8_t *bytes, size_t length, packet *p);

#endif
