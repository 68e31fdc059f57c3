/* held.c: see held.h. */
#include "backend/held.h"

#include "kernel/kernel.h"

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
