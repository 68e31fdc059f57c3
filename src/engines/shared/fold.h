/* fold.h: the two cases of a letter made equal, four bytes at a time, in grams.
 *
 * An ASCII letter has bit 6, and its cases differ in bit 5 alone. So bit 5 is set where bit 6 is,
 * and nowhere else: a few other pairs fall together ('[' and '{'), which lets more places through
 * and none less. Bit 5 set in every byte would do that, too, but a NUL would be a space: grams of
 * binary signatures would be those of indented source code.
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
