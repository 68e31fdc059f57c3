/* failing.h: calls of the system that fail when a test wants it.
 *
 * The linker has these calls of the library and of the command come to failing.c (--wrap); those
 * of other libraries do not, so they see a system that works. The calls of one kind are counted
 * from failing_begin on, and those that were chosen fail. What was taken from malloc and its kin is
 * counted always.
 */
#ifndef TRAWL_FAILING_H
#define TRAWL_FAILING_H

#include <stdbool.h>

typedef enum failing_kind {
    FAIL_MEMORY,    /* malloc and its kin, strdup, opendir, fopen, pthread_attr_init ... */
    FAIL_THREAD,    /* pthread_create */
    FAIL_MAP,       /* mmap */
    FAIL_READ,      /* read, pread, fread: EIO */
    FAIL_OPEN,      /* open, openat, mkstemp: EMFILE */
    FAIL_WRITE,     /* write: ENOSPC */
    FAIL_FACTS,     /* fstat, fstatat, lseek: EIO */
    FAIL_INTERRUPT, /* read: EINTR; in a row at most once */
    FAIL_SHORT,     /* read: a byte */
    FAILING_KINDS
} failing_kind;

extern const char *const failing_names[FAILING_KINDS];

/* From now on count the calls of a kind, and fail the k-th one, from 1; with `onwards` all after
 * it too. 0: none. */
void failing_begin(failing_kind kind, unsigned long k, bool onwards);

/* No call fails any more. Returns how many were counted. */
unsigned long failing_end(void);

/* Whether a call has failed since failing_begin. */
bool failing_hit(void);

/* Blocks that are taken and were not given back. */
long failing_blocks(void);

#endif
