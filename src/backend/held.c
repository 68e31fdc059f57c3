/* held.c: see held.h. */
#include "backend/held.h"

#include "engines/shared/device/kernel.h"

#define HELD_COPY (64u << 10) /* no more than a launch takes */

/* The most bytes that a piece which is copied owns. Two alignments: one for its end, which is
 * where the next piece begins, and one for that piece's lead, which must not reach back before the
 * text. */
static u32 most_copied(const held_text *h, u32 reach)
{
    return HELD_COPY + 2 * h->of->info.part_align + reach;
}

size_t held_room(const held_text *h, u32 reach)
{
    return (size_t)most_copied(h, reach) + h->of->info.part_align + reach;
}

u32 held_lead(const held_text *h, u64 at, u32 lead, bool carries)
{
    const u64 over = (at - lead) % h->of->info.part_align;
    return carries || over > at - lead - h->begin ? lead : lead + (u32)over;
}

u32 held_length(const held_text *h, u64 at, u32 lead, u32 length, u32 reach)
{
    const u64 room = h->buffer.bytes - at;
    const u32 most = most_copied(h, reach), align = h->of->info.part_align;
    if (length <= most)
        return length;
    if ((at - lead) % align)
        return most - (u32)((at + most) % align);
    return length + TEXT_PADDING <= room ? length : (u32)(room - TEXT_PADDING);
}

bool held_in_place(const held_text *h, u64 first, size_t bytes)
{
    return first % h->of->info.part_align == 0 && bytes + TEXT_PADDING <= h->buffer.bytes - first;
}

u64 held_rows_first(const held_text *h, const held_rows *g, u32 top)
{
    const u64 at = g->at + top * g->stride, lead = at < ROW_LEAD ? at : ROW_LEAD;
    return (at - lead) / h->of->info.part_align * h->of->info.part_align;
}

u64 held_rows_stop(const held_text *h, const held_rows *g)
{
    const u64 needed = g->bytes + TEXT_PADDING, there = h->buffer.bytes - g->at;
    const u64 steps = g->at | g->stride; /* what divides them divides all places of rows */
    const bool cells_suit = g->cell_size == 3 || steps % g->cell_size == 0;
    const u64 odd = g->at + (g->at % ROW_ALIGN == 0 ? g->stride : 0); /* the first one, if any */
    const bool rows_suit = steps % ROW_ALIGN == 0 || odd >= ROW_LEAD;
    return !cells_suit || !rows_suit || there < needed ? 0 : (there - needed) / g->stride + 1;
}
