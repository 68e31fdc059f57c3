/* advice.h: whether a text is searched sooner by a device than by the CPU's threads.
 *
 * Idea: a text takes what a byte costs, times its bytes; threads share it, but
 * read it no faster than memory gives it; a device gets it no faster than the link and those who
 * copy, and must be opened first, which is most of what a small text would take. So as long as the
 * CPU is done before a device could be open, nobody looks whether there is one. Matches are handed
 * on by one thread: after the search of the CPU, beside that of a device.
 */
#ifndef TRAWL_SCAN_ADVICE_H
#define TRAWL_SCAN_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "scan/context.h"

typedef struct advice_facts {
    uint64_t length;  /* bytes */
    double cpu;       /* nanoseconds a byte, of one thread; 0: not known */
    double matches;   /* expected of a byte, */
    handing handed;   /* and what becomes of them */
    uint32_t threads; /* that search, */
    uint32_t cores;   /* or copy for a device */
    bool open;      /* the device is; else what follows is not known yet, and supposed to be good */
    double device;  /* nanoseconds a byte; 0: not known */
    uint32_t units; /* of the device */
    double link;    /* bytes a second; 0: text does not come to it by one */
} advice_facts;

typedef struct outlook {
    double cpu, device; /* seconds */
    bool pays;          /* the device: enough to be taken */
} outlook;

outlook advice_weigh(const advice_facts *f);

#endif
