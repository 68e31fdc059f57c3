/* fold.h: makes the two cases of letters in a gram equal, four bytes at a time.
 *
 * An ASCII letter has bit 6, and its cases differ in bit 5 alone. So bit 5 is set where bit 6 is,
 * and nowhere else. This also makes a few other pairs equal ('[' and '{'), which lets more places
 * through and none less. Setting bit 5 in every byte would do so, too, but would make a NUL a
 * space, and so grams of binary signatures those of indented source code.
 */
#ifndef TRAWL_ENGINES_SHARED_FOLD_H
#define TRAWL_ENGINES_SHARED_FOLD_H

#include "base/port.h"

#define GRAM_FOLD 0x20202020u /* for patterns without case; 0: bytes stay as they are */

/* `fold` is one of these two. */
INLINE u32 gram_fold(u32 bytes, u32 fold)
{
    return bytes | (bytes >> 1 & fold);
}

#endif
