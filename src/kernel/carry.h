/* carry.h: text in slices, and states that cross their borders: the host's side of
 * carry_form.h, for the two bit-parallel walks.
 */
#ifndef TRAWL_KERNEL_CARRY_H
#define TRAWL_KERNEL_CARRY_H

#include "kernel/kernel.h"

enum { CUT_ALONE, CUT_FIRST, CUT_NEWS }; /* as in carry_form.h */

/* How a piece is cut. */
typedef struct text_cut {
    uint32_t page, lead, slices, stride, marks, words;
    size_t scratch; /* bytes */
} text_cut;

/* The bytes to cut: from the 16 bytes in which the piece begins, where the borders count from. */
static inline uint32_t cut_length(const text_piece *piece)
{
    return piece->end - (piece->begin & ~15u);
}

/* Cut `length` bytes. `items`: work items a slice has; `works`: whether plans of bounded reach
 * need working memory. Pages grow until the scratch memory fits into `room`. */
text_cut cut_choose(const device_plan *p, uint64_t length, uint64_t items, bool works, size_t room);

/* Upload what carry_hand reads: a row of states that no byte kills, a row of those that are
 * handed on. */
int carry_prepare(device_plan *p, const uint64_t *masks, device_buffer *to, trawl_error *error);

/* Queue the kernels of one mode; every work item takes `span` slices. */
typedef int (*cut_run)(const device_plan *p, device_queue *q, text_piece *piece,
                       const text_cut *cut, uint32_t mode, uint32_t span, trawl_error *error);

/* Scan a piece: one run, or the rounds of a plan that carries. `unit` has carry_hand; `masks`
 * are those of carry_prepare. */
int carry_run(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
              const char *unit, const device_buffer *masks, cut_run run, trawl_error *error);

/* CUT_PARAMETERS. */
void launch_cut(launch *l, const device_plan *p, const text_piece *piece, const text_cut *cut,
                uint32_t mode, uint32_t span);

/* Groups for `chunks` chunks of which a group takes `each`, times `times`. */
static inline uint32_t groups_for(uint32_t chunks, uint32_t each, uint32_t times)
{
    return ((chunks - 1) / each + 1) * times;
}

static inline uint32_t chunks_of(const text_cut *cut, uint32_t span)
{
    return (cut->slices - 1) / span + 1;
}

static inline uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

#endif
