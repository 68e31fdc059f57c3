/* cache.h: programs built for a device, kept on disk.
 *
 * A program is found by a key made of all that decides what it compiles to: its source, the
 * options, the device and the driver. The cache is only an optimisation: a file that is missing,
 * cut short, altered or of another key is ignored, and where no folder can be written nothing is
 * kept. None of this is an error.
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

/* hash[0] and hash[1] name the file; hash[2] and length, stored in it, tell programs apart whose
 * files have the same name by chance. */
typedef struct cache_key {
    uint64_t hash[3];
    uint64_t length; /* bytes added */
} cache_key;

/* Begin a key, then add everything that decides what the program is. */
cache_key cache_key_begin(void);
void cache_key_add(cache_key *key, const void *bytes, size_t size);

/* True when the program was there: *bytes, taken from `m`, holds it. */
bool cache_load(const cache_key *key, memory *m, unsigned char **bytes, size_t *size);

/* Keep the program, in place of any with the same key. */
void cache_store(const cache_key *key, const void *bytes, size_t size);

#endif
