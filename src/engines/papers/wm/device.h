/* device.h: what the kernels of Wu-Manber (device.k) and their host (device.c) agree on. */
#ifndef TRAWL_ENGINES_PAPERS_WM_DEVICE_H
#define TRAWL_ENGINES_PAPERS_WM_DEVICE_H

#include "device/constant.h"
#include "engines/papers/wm/layout.h"

/* Which of the matches that begin in a page a kernel reports. */
#define WM_ALL 0
#define WM_INSIDE 1 /* those that end there too */
#define WM_ACROSS 2 /* those that end after it */

/* Text as in text_piece. Its pages of `page` bytes begin at `first`, a multiple of 16, far enough
 * before `begin` that every match that ends after `begin` begins in one; a match begins up to
 * `reach` bytes before its last byte. */
typedef struct wm_args {
    u64 capacity;
    u32 first, begin, end;
    u32 page, reach;
    u32 share;   /* WM_ALL and so on */
    wm_tables t; /* textured: members, short_members and literals.bytes are in constant memory */
} wm_args;

SHARED_SIZE(wm_args, 88);

/* Staged: local memory holds SHIFT with 4 bits for each entry, the even one low, and from this word
 * on the text. */
#define WM_TILE (WM_BLOCKS / 8)
#define WM_STAGED_SHIFT 15u /* the largest */

/* Textured: a member in constant memory is two words. The lower half of the first has the pattern's
 * first two bytes, folded when the text is, the upper half its length; the lower half of the second
 * says where its bytes begin, above that are its index, and LITERAL_FOLDED on top. */
#define WM_LOW 0xffffu
#define WM_HIGH 16
#define WM_MAX_INDEX 0x7fffu

#endif
