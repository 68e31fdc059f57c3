/* options.h: the structs of the public interface that open with their size.
 *
 * A struct only grows, at its end, by members of 8 bytes or pairs of 4. So a size says which
 * members its owner knew: this library's or an older one's from 0.2 on (`least`), and of a newer
 * one the members that are unknown here must be zero, which means their default.
 */
#ifndef TRAWL_BASE_OPTIONS_H
#define TRAWL_BASE_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"

/* Every struct with a size begins with a size_t, so its size is a multiple of this. */
#define SIZE_ALIGN _Alignof(size_t)

/* The least size of a struct whose last member is this one. */
#define SIZE_UP_TO(type, member)                                                                   \
    ((offsetof(type, member) + sizeof(((type *)0)->member) + SIZE_ALIGN - 1) / SIZE_ALIGN *        \
     SIZE_ALIGN)

/* Copy the option struct `from` of a caller, or nothing if it is NULL, over the defaults in `to`,
 * of which this library knows `known` bytes. `what` is its name in messages. */
int read_options(void *to, size_t known, size_t least, const void *from, const char *what,
                 trawl_error *error);

/* Fill the caller's struct `to`, whose size is set, from `from`, of which this library knows
 * `known` bytes. What the library does not know becomes zero. False: the size is none that such a
 * struct can have. */
bool write_info(void *to, const void *from, size_t known, size_t least);

#endif
