/* find_blocks.h: a rank's work: its share of the files, searched and printed block by block. */
#ifndef TRAWL_FIND_BLOCKS_H
#define TRAWL_FIND_BLOCKS_H

#include "cli/find_bytes.h"
#include "cli/find_share.h"
#include "cli/find_spool.h"
#include "trawl/range.h"

typedef struct block {
    size_t file;
    uint64_t begin, end;
    trawl_seam *seam; /* NULL: nothing depends on it */
    segment printed;
    uint64_t matches; /* printed, or counted */
} block;

typedef struct rank_matches {
    trawl_match *items;
    size_t count, room;
} rank_matches;

typedef struct rank_work {
    find_search *f;
    const cluster *c;
    share share;
    uint64_t limit;
    trawl_range_needs needs;
    bool ranges; /* texts are cut */

    block *blocks;
    size_t count, room;
    bool maps; /* files, where that can be */
    shared_bytes bytes;
    size_t open; /* whose bytes; SIZE_MAX: no file's */

    /* The piece of a file that began before this rank's share. */
    bool continues;     /* there is one */
    size_t first_count; /* its blocks */
    rank_matches head;  /* matches of its first block, where they may change */
    rank_matches *holding;
    rank_matches ids; /* -g: of the others the first of each pattern */
    uint8_t *seen;    /* -g: those patterns, a byte each */
    uint64_t *counts; /* -c: of the others */

    /* What is known of the last file, where it goes on after the share. */
    bool goes_on;
    uint8_t *last_seen; /* -g and -c: as above, if it is not the first one, too */
    uint64_t *last_counts;

    spool spool;           /* what is printed */
    segment header, first; /* first: what of `continues` was printed last */
    uint64_t again, twice; /* blocks searched, and bytes read, a second time */
} rank_work;

/* End all ranks: a file, or what else, and why; for want of memory; or, `works` being false, after
 * a complaint that was made. */
void rank_fails(const rank_work *k, const char *path, const char *why);
void rank_no_memory(const rank_work *k);
void rank_must(const rank_work *k, bool works);

/* As realloc, but for that it does not fail. */
void *rank_grow(const rank_work *k, void *old, size_t bytes);
void rank_matches_add(const rank_work *k, rank_matches *list, const trawl_match *matches,
                      size_t count);

/* So much was printed, as spool_at. */
uint64_t rank_at(const rank_work *k);

const char *rank_path(const rank_work *k, size_t file);

/* Search the rank's share and print it, but for the matches of a first block that may change. */
void rank_search(rank_work *k);

/* What a block depends on; NULL: nothing. */
trawl_seam *rank_seam(const rank_work *k);

/* Whether the seam's block is to be searched (again), told by those before it. */
bool rank_told(const rank_work *k, trawl_seam *seam, const trawl_seam *const *before, size_t count);

/* Search block `i`, which the one before it tells, and print what it finds. */
void rank_print_block(rank_work *k, size_t i, bool tell);

/* The first block of a file that began before, with its matches into a list: to where they are
 * known now. */
uint64_t rank_hold_block(rank_work *k, rank_matches *list);

/* The bytes that the search of a block looks at become f->texts.text. Their number. */
size_t rank_look(rank_work *k, const block *b);

/* Close the file that is open: it was there to the end, or all ranks end. */
void rank_close_file(rank_work *k);

/* ---- find_rounds.c: what ranks tell each other, and what they search again for it ---------- */

/* Collective: rounds until no rank has news for another. How many there were. */
uint64_t rank_settle(rank_work *k);

/* What is printed next is of the file that began before the share. */
void rank_begin_first(const rank_work *k);

/* The file of the share's last block, of which there is one. */
size_t rank_last_file(const rank_work *k);

/* Collective: what a rank tells those after it: the number of the file that goes on there, plus 1
 * (0: none does), and of that `length` bytes. All ranks' come back, in lengths[rank]. */
uint8_t *rank_tell(rank_work *k, const void *bytes, size_t length, size_t *lengths);

/* The bytes after that number, of a rank before this one that has some of the file that this one
 * goes on with; NULL: it has none. */
const uint8_t *rank_told_of_first(const rank_work *k, const uint8_t *at, size_t length);

/* ---- find_totals.c: what is said once for a file, and put together by the ranks that share it:
 * counts, patterns that occur ---------- */

/* Before the rounds, for what is printed again is of another file: what was found in this rank's
 * piece of the last one. */
void rank_note_last(rank_work *k);

/* Collective, after the rounds: print what a rank has of the file that began before its share. */
void rank_print_first(rank_work *k);

#endif
