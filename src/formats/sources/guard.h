/* guard.h: mapped files, of which somebody may cut off pages while they are read. */
#ifndef TRAWL_GUARD_H
#define TRAWL_GUARD_H

#include <stddef.h>

/* What is known of a mapping; NULL where none is meant. */
typedef struct guard guard;

/* Watch all mappings from now on: a page that cannot be read is zero then, instead of ending the
 * program. Any other SIGBUS acts as by default. */
void guard_install(void);

/* Watch a mapping until it is released, which comes before munmap. NULL: too many are watched. */
guard *guard_mapping(const void *map, size_t length);
void guard_release(guard *g);

/* Bytes of the mapping before the first page that could not be read: all, if every one could. */
size_t guard_kept(const guard *g);

#endif
