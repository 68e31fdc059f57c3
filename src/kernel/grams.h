/* grams.h: a bitmap of the strings with which the occurrences of a trie's patterns can begin, for
 * the filter of pfac.k.
 */
#ifndef TRAWL_KERNEL_GRAMS_H
#define TRAWL_KERNEL_GRAMS_H

#include <stdint.h>

#include "trawl.h"

enum { GRAMS_LEAST_LOG = 15, GRAMS_MOST_LOG = 18 /* 32 KiB */ };

/* String `s`, the first byte lowest, has bit (s | fold) * PFAC_HASH >> (32 - log). */
typedef struct gram_filter {
    uint32_t q;     /* bytes of a string: 2, 3 or 4 */
    uint32_t log;   /* there are 2^log bits */
    uint32_t fold;  /* 0x20202020 when the trie folds case, else 0 */
    uint32_t set;   /* how many bits are set */
    uint32_t *bits; /* freed by the caller */
} gram_filter;

/* The best filter of at most 2^most bits for the tables of a trie without failure links
 * (table/pfac.h). */
int grams_find(const uint32_t *tables, uint32_t most, gram_filter *found, trawl_error *error);

#endif
