/* options.h: the structs of the public interface whose first member is their size.
 *
 * A struct only grows, at its end, by members of 8 bytes or pairs of 4. So its size says which
 * members its owner knew: those of this library, of an older one from 0.2 on (`least`), or of a
 * newer one. Members that are unknown here must be zero, which means their default.
 */
#ifndef TRAWL_BASE_OPTIONS_H
#define TRAWL_BASE_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"

/* Every struct with a size begins with a size_t, so its size is a multiple of this. */
#define SIZE_ALIGN _Alignof(size_t)

/* The least size of a struct whose last member is `member`. */
#define SIZE_UP_TO(type, member)                                                                   \
    ((offsetof(type, member) + sizeof(((type *)0)->member) + SIZE_ALIGN - 1) / SIZE_ALIGN *        \
     SIZE_ALIGN)

/* Copy a caller's option struct `from`, or nothing if it is NULL, over the defaults in `to`; this
 * library knows `known` bytes of it. `what` is its name in messages. */
int read_options(void *to, size_t known, size_t least, const void *from, const char *what,
                 trawl_error *error);

/* Fill the caller's struct `to`, whose size is set, from `from`; this library knows `known` bytes
 * of it. What the library does not know becomes zero. False: such a struct cannot have that
 * size. */
bool write_info(void *to, const void *from, size_t known, size_t least);

#endif
