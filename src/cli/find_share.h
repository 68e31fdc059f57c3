/* find_share.h: which rank searches what of the files: the ranks' shares follow each other, of
 * equal lengths, in all files one after the other.
 *
 * So the output of the ranks, one after the other, is in the order of the files; a file may be
 * shared by neighbours, and of a rank only the first file may have begun before, and only the last
 * go on after it.
 */
#ifndef TRAWL_FIND_SHARE_H
#define TRAWL_FIND_SHARE_H

#include "cli/cluster.h"
#include "cli/find_search.h"

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

/* Rank 0 lists the files, all get the list. `ranges`: texts may be cut. Rank 0 ends all after a
 * complaint. False: no memory. */
bool share_open(share *s, const cluster *c, find_search *f, char **paths, int count, bool ranges,
                const char *output);
void share_close(share *s);

/* What a rank has of a file: false, nothing. Of SHARE_WHOLE it is all or nothing. Bytes [*begin,
 * *end) of the file, as far as lengths say. */
bool share_piece(const share *s, const shared_file *file, int rank, uint64_t *begin, uint64_t *end);

/* The ranks that have the first, and the last byte of a file. */
int share_first(const share *s, const shared_file *file);
int share_last(const share *s, const shared_file *file);

#endif
