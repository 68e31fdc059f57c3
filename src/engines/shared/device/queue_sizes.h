/* queue_sizes.h: words of local memory that queue.h needs, for kernels and hosts. */
#ifndef TRAWL_ENGINES_SHARED_DEVICE_QUEUE_SIZES_H
#define TRAWL_ENGINES_SHARED_DEVICE_QUEUE_SIZES_H

#define QUEUE_PLACES 64u              /* of a queue of one word each */
#define BOX_PLACES (2 * QUEUE_PLACES) /* of a queue of pairs, and of the box for matches */

#endif
