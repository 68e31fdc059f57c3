/* find_spool.h: what a rank prints, until its turn comes.
 *
 * Standard output goes to a file without a name in $TMPDIR. In the end its segments, in an order
 * that may be another one, go to standard output through rank 0, which prints rank after rank; or
 * all ranks write theirs at once into one file. Rank 0, whose output comes first, may print where
 * it belongs at once. Any failure ends all ranks.
 */
#ifndef TRAWL_FIND_SPOOL_H
#define TRAWL_FIND_SPOOL_H

#include "cli/cluster.h"
#include "formats/sources/replace.h"

typedef struct segment {
    uint64_t at, length;
} segment;

typedef struct spool {
    const cluster *c;
    const char *command; /* for messages */
    const char *output;  /* the file; NULL: standard output */
    char *made_at;       /* where it is made (formats/sources/replace.h) */
    replacement made;    /* rank 0's */
    int fd, standard;    /* the file without a name, and, while it is printed to, the real standard
                            output; -1: rank 0 prints at once */
} spool;

/* Collective, of an `output`: what rank 0 prints goes there from now on. */
void spool_open(spool *s);
/* Rank 0's: all have printed, and the file takes its place if that is `fine`. */
void spool_close(spool *s, bool fine);

/* What is printed is kept from now on. */
void spool_begin(spool *s);
void spool_end(spool *s);

/* So much was printed. What could not be ends all ranks, of which others would wait for this one;
 * `cause` is errno of a write that failed before, 0: none is known. */
uint64_t spool_at(const spool *s, int cause);

/* Collective: all that was printed, the first segment first. `limit` (0: none) is of the lines of
 * all ranks together, but for those of the first segment; `before` are those of the ranks before.
 */
void spool_put(spool *s, const segment *segments, size_t count, uint64_t limit, uint64_t before);

#endif
