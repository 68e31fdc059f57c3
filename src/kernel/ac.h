/* ac.h: Aho-Corasick with failure links on devices.
 *
 * Idea: the text is cut into pages, one for each work item, and an item runs the automaton over
 * its page and over the reach before it (the longest pattern less one byte), from the root. At the
 * first byte of its page the state is then the one that a run over the whole text has, or is too
 * short by what cannot matter any more. Choices, each a part of the name of the kernel:
 *   s1  the pages of a group stand in local memory, loaded by neighbouring items from neighbouring
 *       places; otherwise each item reads its page by 16 bytes
 *   r1  the root's transitions by byte, and the class map, stand in local memory
 *   t1  rows are read through a texture
 *
 * Pages begin at multiples of 16, and so do reaches. Staged pages are an odd multiple of 16 bytes
 * long: then the 16-byte reads of eight neighbouring items fall into different banks.
 *
 * Invariant: that of walk/ac.c; an item reports the ends in its page only.
 *
 * Cost: one access to a row for each byte of a page and its reach; a page should be several times
 * as long as the reach.
 * Source: Aho and Corasick 1975; the choices are those of PFAC's kernels (pfac.h).
 */
#ifndef TRAWL_KERNEL_AC_H
#define TRAWL_KERNEL_AC_H

#include "kernel/device_port.h"
#include "kernel/trie.h"
#include "table/ac.h"

#define FORM_NAME ac_s0r0t0
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 0
#include "kernel/ac_form.h"

#define FORM_NAME ac_s1r0t0
#define FORM_STAGED 1
#define FORM_ROW 0
#define FORM_TEXTURE 0
#include "kernel/ac_form.h"

#define FORM_NAME ac_s0r1t0
#define FORM_STAGED 0
#define FORM_ROW 1
#define FORM_TEXTURE 0
#include "kernel/ac_form.h"

#define FORM_NAME ac_s1r1t0
#define FORM_STAGED 1
#define FORM_ROW 1
#define FORM_TEXTURE 0
#include "kernel/ac_form.h"

#define FORM_NAME ac_s0r0t1
#define FORM_STAGED 0
#define FORM_ROW 0
#define FORM_TEXTURE 1
#include "kernel/ac_form.h"

#define FORM_NAME ac_s1r0t1
#define FORM_STAGED 1
#define FORM_ROW 0
#define FORM_TEXTURE 1
#include "kernel/ac_form.h"

#define FORM_NAME ac_s0r1t1
#define FORM_STAGED 0
#define FORM_ROW 1
#define FORM_TEXTURE 1
#include "kernel/ac_form.h"

#define FORM_NAME ac_s1r1t1
#define FORM_STAGED 1
#define FORM_ROW 1
#define FORM_TEXTURE 1
#include "kernel/ac_form.h"

#endif
