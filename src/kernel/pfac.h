/* pfac.h: PFAC on devices.
 *
 * Idea: every start is walked by itself (walk/pfac.c), so neighbouring work items take
 * neighbouring starts and read the same lines of text. Choices, each a part of the name of the
 * kernel:
 *   s1  the text of a group stands in local memory; a walk that leaves it goes on in global
 *       memory
 *   r1  the root's transitions by byte, and the class map, stand in local memory
 *   t1  rows are read through a texture
 *   f   starts pass a filter first
 *
 * The filter is ours. Nearly all starts die within the first bytes, but one that lives on holds
 * up the others of its warp, and each step is an access to a large table. So a bitmap in local
 * memory holds the hashes of all strings of q bytes (2, 3 or 4) with which a match can begin. An
 * item takes 16 bytes in one load and tests the 16 starts in registers; starts that pass go into
 * a queue, and then all items take starts from the queue and walk full warps. Groups stay for
 * many tiles, so that the bitmap is loaded rarely.
 *
 * So is the hand-over. A walk along a long pattern takes a hundred steps, each of which waits for
 * the one before, and the whole group would wait with it. So the walks that are alive after some
 * bytes (PFAC_DEPTH of trie_sizes.h) go into a list in global memory, those of a tile together,
 * and a second kernel (pfac_deep), launched behind the first, takes them from there to their
 * ends; neighbours in the list go to different groups, so that all multiprocessors have some. A
 * walk that finds no place goes on where it is.
 *
 * Invariants: the bitmap holds every string of q bytes, whatever follows, with which an occurrence
 * can begin; one shorter than q stands there with all continuations. So no start of an occurrence
 * is lost, also near the end of the text, where what follows is arbitrary. A walk is in one
 * place at a time: it is handed over before the state that it has reached is reported, and at one
 * depth only, so each state is reported once.
 *
 * Cost: a byte costs one access to local memory, and a walk of at most PFAC_DEPTH steps for the
 * few percent of starts that pass. Then an atomic for each tile that hands walks over, one
 * launch more, and the time of the longest walk.
 * Source: Lin, Liu, Chien and Chang 2010 (PFAC); the choices but for filter and hand-over are
 * those that studies of PFAC in OpenCL on embedded GPUs compare.
 */
#ifndef TRAWL_KERNEL_PFAC_H
#define TRAWL_KERNEL_PFAC_H

#include "kernel/device_port.h"
#include "kernel/trie.h"
#include "table/pfac.h"

/* Forms of the kernel, for FORM_KIND. */
#define PFAC_PLAIN 0
#define PFAC_FILTERED 1
#define PFAC_DEEP 2

/* Where walks go that are alive after `depth` bytes (0: none do): `count` of them have asked for
 * a place, and there are `room`. A walk is a record of start and state. */
typedef struct pfac_list {
    GLOBAL u64 *count;
    GLOBAL record *walks;
    u32 room, depth;
} pfac_list;

/* The list as the kernels get it: the number, then the walks. */
#define PFAC_LIST_ARGS GLOBAL u64 *handed, u32 room, u32 depth
#define PFAC_LIST_GIVEN                                                                            \
    {                                                                                              \
        handed, (GLOBAL record *)(handed + 1), room, depth                                         \
    }

/* Put a walk among those of the group that wait for a place. `deep`: how many there are, and
 * the place of the first (two words); from BOX_HEAD start and state of each. 0: there is no
 * room. */
INLINE u32 pfac_put_deep(LOCAL u32 *deep, u32 start, u32 s)
{
    const u32 slot = PORT_LOCAL_ADD(deep, 1);
    if (slot >= PFAC_DEEP_PLACES(PORT_GROUP_SIZE))
        return 0;
    deep[BOX_HEAD + 2 * slot] = start;
    deep[BOX_HEAD + 2 * slot + 1] = s;
    return 1;
}

/* ac_child of table/ac.h. Most deep states have one child, so its key and its state are read
 * together with the number of children, and not one after the other: a record without children
 * gives words of the next one, or the last word there is, which are not used. */
INLINE u32 pfac_child(GLOBAL const u32 *sparse, u32 last, u32 place, u32 c)
{
    const u32 key_at = place + SPARSE_KEYS < last ? place + SPARSE_KEYS : last;
    const u32 child_at = place + SPARSE_KEYS + 1 < last ? place + SPARSE_KEYS + 1 : last;
    const u32 children = sparse[place + SPARSE_CHILDREN];
    const u32 key = *(GLOBAL const u8 *)(sparse + key_at);
    const u32 child = sparse[child_at];
    u32 found = (children == 1) & (key == c) ? child : AC_DEAD;
    if (children > 1)
        found = ac_child(sparse + place, c);
    return found;
}

/* Bit k of `passed`: the string of q bytes that begins in `low` (with `fold` and `gram` laid
 * over it) is in the bitmap. */
#define PFAC_TEST(low, k)                                                                          \
    {                                                                                              \
        const u32 h = ((((low) | fold) & gram) * PFAC_HASH) >> shift;                              \
        passed |= (bits[h >> 5] >> (h & 31) & 1) << (k);                                           \
    }
#define PFAC_TEST4(low, high, k)                                                                   \
    PFAC_TEST(low, k)                                                                              \
    PFAC_TEST((low) >> 8 | (high) << 24, (k) + 1)                                                  \
    PFAC_TEST((low) >> 16 | (high) << 16, (k) + 2)                                                 \
    PFAC_TEST((low) >> 24 | (high) << 8, (k) + 3)

#define FORM_NAME pfac_s0r0t0
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 0
#define FORM_KIND PFAC_PLAIN
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s1r0t0
#define FORM_STAGED 1
#define FORM_ROW 0
#define FORM_TEXTURE 0
#define FORM_KIND PFAC_PLAIN
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s0r1t0
#define FORM_STAGED 0
#define FORM_ROW 1
#define FORM_TEXTURE 0
#define FORM_KIND PFAC_PLAIN
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s1r1t0
#define FORM_STAGED 1
#define FORM_ROW 1
#define FORM_TEXTURE 0
#define FORM_KIND PFAC_PLAIN
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s0r0t1
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 1
#define FORM_KIND PFAC_PLAIN
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s1r0t1
#define FORM_STAGED 1
#define FORM_ROW 0
#define FORM_TEXTURE 1
#define FORM_KIND PFAC_PLAIN
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s0r1t1
#define FORM_STAGED 0
#define FORM_ROW 1
#define FORM_TEXTURE 1
#define FORM_KIND PFAC_PLAIN
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s1r1t1
#define FORM_STAGED 1
#define FORM_ROW 1
#define FORM_TEXTURE 1
#define FORM_KIND PFAC_PLAIN
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_fr0t0
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 0
#define FORM_KIND PFAC_FILTERED
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_fr1t0
#define FORM_STAGED 0
#define FORM_ROW 1
#define FORM_TEXTURE 0
#define FORM_KIND PFAC_FILTERED
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_fr0t1
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 1
#define FORM_KIND PFAC_FILTERED
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_fr1t1
#define FORM_STAGED 0
#define FORM_ROW 1
#define FORM_TEXTURE 1
#define FORM_KIND PFAC_FILTERED
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_deep_t0
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 0
#define FORM_KIND PFAC_DEEP
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_deep_t1
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 1
#define FORM_KIND PFAC_DEEP
#include "kernel/pfac_form.h"

#endif
