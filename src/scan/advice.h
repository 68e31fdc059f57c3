/* advice.h: whether a device searches a text sooner than the CPU's threads.
 *
 * Idea: a text takes the cost of a byte times its length. Threads share that, but read no faster
 * than memory allows. A device gets the text no faster than the link and the copying threads bring
 * it, and must be opened first, which is most of the time of a small text. So if the CPU is done
 * before a device could be open, nobody looks whether there is one. One thread hands on the
 * matches: after a search by the CPU, during one by a device.
 */
#ifndef TRAWL_SCAN_ADVICE_H
#define TRAWL_SCAN_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "scan/context.h"

typedef struct advice_facts {
    uint64_t length;  /* bytes */
    double cpu;       /* nanoseconds a byte, of one thread; 0: not known */
    double matches;   /* expected per byte, */
    handing handed;   /* and what is done with them */
    uint32_t threads; /* that search, or */
    uint32_t cores;   /* that copy for a device */
    bool open;      /* the device is open; else what follows is not known yet, and assumed to be
                       good */
    double device;  /* nanoseconds a byte; 0: not known */
    uint32_t units; /* of the device */
    double link;    /* bytes a second; 0: text does not come over one */
} advice_facts;

typedef struct outlook {
    double cpu, device; /* seconds */
    bool pays;          /* the device is enough faster to be taken */
} outlook;

outlook advice_weigh(const advice_facts *f);

#endif
