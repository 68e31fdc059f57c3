/* bench.h: what a measurement is made of. */
#ifndef TRAWL_BENCH_H
#define TRAWL_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl.h"

#define BENCH_PATTERNS 1000u

/* One text case: an engine, its patterns, and the peer that does the same work. */
typedef struct text_case {
    const char *engine;
    const char *what;
    trawl_pattern *patterns;
    size_t count;
    double (*peer)(const struct text_case *c, const void *text, size_t length, uint64_t *count);
    const char *peer_name;
    void *peer_state;
} text_case;

/* The cases over a text; words are drawn from it with the seed. *count is set. */
text_case *make_text_cases(const uint8_t *text, size_t length, uint64_t seed, size_t *count);

/* One grid case: a photograph-like or bilevel grid, a needle cut from it. */
typedef struct grid_case {
    const char *engine;
    const char *what;
    uint32_t cell_size;
    uint64_t rows, cols, needle;
    void *cells;
} grid_case;

grid_case *make_grid_cases(uint64_t seed, size_t *count);

/* Peers: seconds for one pass; *count is what they found. libc's memmem takes one literal;
 * hyperscan, where installed, any set (its streams of ends equal TRAWL_REPORT_ENDS). */
double peer_memmem(const text_case *c, const void *text, size_t length, uint64_t *count);
#ifdef TRAWL_HAVE_HS
double peer_hyperscan(const text_case *c, const void *text, size_t length, uint64_t *count);
/* Compile the case's patterns; NULL when hyperscan does not take them. */
void *peer_hyperscan_prepare(const text_case *c);
#endif

/* Monotonic seconds. */
double seconds(void);

#endif
