/* share.h: which of several searchers, by their rank, searches what of some files: their shares
 * follow each other, of equal lengths, in all files one after the other.
 *
 * So what they find, rank after rank, is in the order of the files; a file may be shared by
 * neighbours, and of a rank only the first file may have begun before, and only the last go on
 * after it.
 */
#ifndef TRAWL_SHARE_H
#define TRAWL_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum share_kind {
    SHARE_RANGES,    /* a text that can be cut anywhere, or at bytes that the library finds */
    SHARE_SEQUENCES, /* FASTA: at the begin of a record */
    SHARE_WHOLE      /* not: one rank takes it */
} share_kind;

typedef struct shared_file {
    const char *path;
    uint64_t begin, length; /* where it stands after all others */
    share_kind kind;
} shared_file;

typedef struct share {
    shared_file *files;
    size_t count;
    uint64_t total;
    char *paths; /* of all */
    int ranks;
} share;

/* What a rank has of a file: false, nothing. With SHARE_WHOLE it is all or nothing. Bytes [*begin,
 * *end) of the file, as far as lengths say. */
bool share_piece(const share *s, const shared_file *file, int rank, uint64_t *begin, uint64_t *end);

/* The ranks that have the first, and the last byte of a file. */
int share_first(const share *s, const shared_file *file);
int share_last(const share *s, const shared_file *file);

#endif
