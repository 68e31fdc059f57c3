/* device.h: what the kernel of qgrams (device.k) and its host (device.c) agree on.
 *
 * The device has its own tables, which the host makes from the plan's: grams of Q bytes, and STRIDE
 * neighbouring ones, a power of two, of each pattern. They are parts of one buffer:
 *   bits      bit h >> shift of the hash h of each gram, the lowest bit of a word at its top
 *   heads     which slots have a key, by its upper bits
 *   slots     one for each entry: a gram of a pattern
 *   literals  the patterns' bytes, each from a multiple of 8 on, and 0 up to the next
 */
#ifndef TRAWL_ENGINES_LITERAL_QGRAMS_DEVICE_H
#define TRAWL_ENGINES_LITERAL_QGRAMS_DEVICE_H

#include "engines/literal/qgrams/layout.h"
#include "engines/shared/device/queue_sizes.h"

/* The hash of a gram of 1 to 4 bytes is the word that begins with it, times this, so that the bytes
 * after it have no part in the product; that of a longer one is gram_hash. */
#define QGRAMS_FACTOR(q) (GRAM_FIRST << (8 * (4 - (q))))

/* A slot's key is the hash of its gram; or, where many slots share a gram and the slot says so, of
 * the gram and the byte after it: qgrams_key. Few slots share both. */
#define QGRAMS_NEXT 0xC2B2AE3Du
#define QGRAMS_NO_NEXT 64u /* the byte after the gram is not among the 8 bytes */

INLINE u32 qgrams_key(u32 hash, u32 next, u32 fold)
{
    return hash + (gram_fold(next, fold) + 1) * QGRAMS_NEXT;
}

#define QGRAMS_GROUP 1024u /* the largest */

/* A head is a u64: the first slot; 16 bits for the number of slots, where HEAD_MANY means up to the
 * next head's first; and 16 bits, one of which is set for each of its keys (HEAD_BIT). */
#define HEAD_MANY 0xffffu
#define HEAD_BIT(key) (16 + ((((key) ^ (key) >> 15) * GRAM_SECOND) >> 28))

/* A text of 8 bytes, `before` of them before the gram, fits when it has `bytes` under `mask`. */
typedef struct qgrams_slot {
    u64 bytes, mask;
    u32 index;  /* the pattern */
    u32 length; /* its bytes, and LITERAL_FOLDED */
    u32 first;  /* where they are in `literals`, in words of 8 bytes */
    u32 offset; /* where the gram begins in it, and SLOT_WHOLE: what fits is the pattern */
} qgrams_slot;

#define SLOT_WHOLE 0x10000u
#define SLOT_OFFSET 0xffffu

SHARED_SIZE(qgrams_slot, 32);

/* Text as in text_piece; the rest in words of the buffer. */
typedef struct qgrams_args {
    u64 capacity;
    u64 may_stop; /* how many slots and words of patterns all lanes together may look at; 0: any
                     number */
    u64 worth;    /* a lane that has looked at this many adds them to those of all */
    u32 from, begin, end;
    u32 bits_log; /* 2^bits_log bits */
    u32 heads, heads_shift, slots, literals;
    u32 before, fold, factor;
    u32 next;  /* how many of the 8 bytes' bits are below the byte after the gram; or
                  QGRAMS_NO_NEXT: the hash is the key of all slots */
    u32 alone; /* 1: of some slots only */
    u32 page;  /* without warps: bytes that an item takes, a multiple of 16 */
} qgrams_args;

SHARED_SIZE(qgrams_args, 80);

/* Words of local memory of a warp: the queue of what passed the bitmap, the queue of what fits, the
 * box.
 */
#define QGRAMS_QUEUE 128u /* at least 64: while fewer than 32 wait, a lane's 32 have room */
#define QGRAMS_WARP_WORDS (QGRAMS_QUEUE + 2 * BOX_PLACES)

#endif
