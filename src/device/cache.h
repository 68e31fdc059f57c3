/* cache.h: programs built for a device, kept on disk.
 *
 * A program is found by a key over all that decides what it compiles to: its source, the
 * options, the device and the driver. The cache is an optimisation and nothing else: a file
 * that is missing, cut short, altered or of another key is no program, and where no folder can
 * be written nothing is kept. None of it is an error.
 *
 * The folder is $TRAWL_CACHE_DIR, else $XDG_CACHE_HOME/trawl, else $HOME/.cache/trawl. An empty
 * TRAWL_CACHE_DIR switches the cache off.
 */
#ifndef TRAWL_CACHE_H
#define TRAWL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* hash[0] and hash[1] name the file; hash[2] and length, stored in it, tell files apart whose
 * names are the same by chance. */
typedef struct cache_key {
    uint64_t hash[3];
    uint64_t length; /* bytes added */
} cache_key;

/* A key is begun, then everything that decides about the program is added to it. */
cache_key cache_key_begin(void);
void cache_key_add(cache_key *key, const void *bytes, size_t size);

/* True when the program was there: *bytes is of `m`. */
bool cache_load(const cache_key *key, memory *m, unsigned char **bytes, size_t *size);

/* Keep the program, in place of one of the same key. */
void cache_store(const cache_key *key, const void *bytes, size_t size);

#endif
