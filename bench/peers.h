/* peers.h: other tools that do the same work, in the same process and run. */
#ifndef TRAWL_BENCH_PEERS_H
#define TRAWL_BENCH_PEERS_H

#include <stdbool.h>

#include "trawl.h"

typedef struct peer peer;

/* "memmem" of libc takes one pattern; "hyperscan", where it is installed, any set (its ends are
 * those of TRAWL_REPORT_ENDS). Texts without escapes mean the same to all. "reading" only reads the
 * text, by words: how quickly memory comes. NULL: it is not there, or does not take them. */
peer *peer_open(const char *name, const trawl_pattern *patterns, size_t count);
bool peer_searches(const peer *p); /* else its count says nothing */
uint64_t peer_count(const peer *p, const void *text, size_t length);
void peer_close(peer *p); /* may be NULL */

#endif
