/* pfac.h: PFAC on devices.
 *
 * Idea: every start is walked by itself (walk/pfac.h), so neighbouring work items take
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
 * Invariant: the bitmap holds every string of q bytes, whatever follows, with which an occurrence
 * can begin; one shorter than q stands there with all continuations. So no start of an occurrence
 * is lost, also near the end of the text, where what follows is arbitrary.
 *
 * Cost: a byte costs one access to local memory, and a walk for the few percent of starts that
 * pass.
 * Source: Lin, Liu, Chien and Chang 2010 (PFAC); the choices but for the filter are those that
 * studies of PFAC in OpenCL on embedded GPUs compare.
 */
#ifndef TRAWL_KERNEL_PFAC_H
#define TRAWL_KERNEL_PFAC_H

#include "kernel/device_port.h"
#include "kernel/trie.h"
#include "walk/pfac.h"

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
#define FORM_FILTER 0
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s1r0t0
#define FORM_STAGED 1
#define FORM_ROW 0
#define FORM_TEXTURE 0
#define FORM_FILTER 0
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s0r1t0
#define FORM_STAGED 0
#define FORM_ROW 1
#define FORM_TEXTURE 0
#define FORM_FILTER 0
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s1r1t0
#define FORM_STAGED 1
#define FORM_ROW 1
#define FORM_TEXTURE 0
#define FORM_FILTER 0
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s0r0t1
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 1
#define FORM_FILTER 0
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s1r0t1
#define FORM_STAGED 1
#define FORM_ROW 0
#define FORM_TEXTURE 1
#define FORM_FILTER 0
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s0r1t1
#define FORM_STAGED 0
#define FORM_ROW 1
#define FORM_TEXTURE 1
#define FORM_FILTER 0
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_s1r1t1
#define FORM_STAGED 1
#define FORM_ROW 1
#define FORM_TEXTURE 1
#define FORM_FILTER 0
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_fr0t0
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 0
#define FORM_FILTER 1
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_fr1t0
#define FORM_STAGED 0
#define FORM_ROW 1
#define FORM_TEXTURE 0
#define FORM_FILTER 1
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_fr0t1
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 1
#define FORM_FILTER 1
#include "kernel/pfac_form.h"

#define FORM_NAME pfac_fr1t1
#define FORM_STAGED 0
#define FORM_ROW 1
#define FORM_TEXTURE 1
#define FORM_FILTER 1
#include "kernel/pfac_form.h"

#endif
