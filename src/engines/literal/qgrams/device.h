/* device.h: what the kernel of qgrams (device.k) and its host (device.c) agree on.
 *
 * The device has tables of its own, which the host makes of the plan's: grams of Q bytes, and of
 * each pattern STRIDE neighbouring ones, a power of two. They are parts of one buffer:
 *   bits      bit h >> shift of the hash h of each gram, the lowest bit of a word at its top
 *   heads     by upper bits of a key: which slots have it
 *   slots     an entry each: a gram of a pattern
 *   literals  the patterns' bytes, each from a multiple of 8 on, and 0 up to the next
 */
#ifndef TRAWL_ENGINES_LITERAL_QGRAMS_DEVICE_H
#define TRAWL_ENGINES_LITERAL_QGRAMS_DEVICE_H

#include "engines/literal/qgrams/layout.h"
#include "engines/shared/device/queue_sizes.h"

/* The hash of a gram of 1 to 4 bytes is the word that begins with it times this, so that what is
 * after it has no part in the product; that of a longer one is gram_hash. */
#define QGRAMS_FACTOR(q) (GRAM_FIRST << (8 * (4 - (q))))

/* A slot's key is the hash of its gram; where many slots share a gram, of that and of the byte
 * which follows, if the slot says so: qgrams_key. Few have that, too. */
#define QGRAMS_NEXT 0xC2B2AE3Du
#define QGRAMS_NO_NEXT 64u /* of the 8 bytes no bit is the byte after the gram */

INLINE u32 qgrams_key(u32 hash, u32 next, u32 fold)
{
    return hash + (gram_fold(next, fold) + 1) * QGRAMS_NEXT;
}

#define QGRAMS_GROUP 1024u /* the largest */

/* A head is a u64: the first slot; 16 bits of how many, where HEAD_MANY means up to the next
 * head's; and 16 bits, of which one is set for each of its keys (HEAD_BIT). */
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
    u64 may_stop; /* slots and words of patterns that all lanes may look at; 0: any number */
    u64 worth;    /* so many, and a lane adds them to those of all */
    u32 from, begin, end;
    u32 bits_log; /* 2^bits_log bits */
    u32 heads, heads_shift, slots, literals;
    u32 before, fold, factor;
    u32 next;  /* of the 8 bytes, how many bits are below the byte after the gram, or
                  QGRAMS_NO_NEXT: of all slots the hash is the key */
    u32 alone; /* 1: of some slots only */
    u32 page;  /* without warps: bytes that an item takes, a multiple of 16 */
} qgrams_args;

SHARED_SIZE(qgrams_args, 80);

/* Words of local memory of a warp: the queue of what passed the bitmap, that of what fits, the box.
 */
#define QGRAMS_QUEUE 128u /* at least 64: what finds no room there leaves room for a lane's 32 */
#define QGRAMS_WARP_WORDS (QGRAMS_QUEUE + 2 * BOX_PLACES)

#endif
