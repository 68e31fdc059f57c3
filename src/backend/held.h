/* held.h: a text that is in a device's memory already.
 *
 * It is searched where it is: a piece is a part of the caller's buffer. But kernels (kernel.h) want
 * a piece to begin at an aligned place, read up to TEXT_PADDING bytes after it, and take all that
 * lies before its end for text. So where the text itself begins elsewhere, or has the buffer's end
 * within TEXT_PADDING bytes, a short piece is cut off and copied, on the device, to where a lane
 * has its text: nothing outside of the caller's buffer is read, and nothing before the text is
 * taken for some. A piece that is read through a texture is copied too.
 *
 * Invariant: a piece of held_length(..) bytes with a lead of held_lead(..) bytes lies in place, or
 * fits into held_room(..) bytes.
 *
 * Cost: a text that begins aligned and does not end with its buffer is not copied at all; else a
 * copy and a piece of at most HELD_COPY bytes, the alignment and the reach at each end.
 */
#ifndef TRAWL_HELD_H
#define TRAWL_HELD_H

#include "base/port.h"
#include "device/device.h"

typedef struct held_text {
    device *of;
    u32 index; /* of the device, among the context's */
    device_buffer buffer;
    size_t begin;       /* of the text in it */
    device_event ready; /* in the caller's queue; zero: the text is there */
} held_text;

/* Below, a piece owns what begins at byte `at` of the buffer, and has a lead before that. */

/* The lead of a piece that needs `lead` bytes: a few more where that lets it begin aligned. Parts
 * that carry have none. */
u32 held_lead(const held_text *h, u64 at, u32 lead, bool carries);

/* How long the piece is to be, when `length` bytes are wanted. */
u32 held_length(const held_text *h, u64 at, u32 lead, u32 length, u32 reach);

/* Whether the kernels may have bytes [first, first + bytes) of the buffer where they are. */
bool held_in_place(const held_text *h, u64 first, size_t bytes);

/* Room for the longest piece that is copied. */
size_t held_room(const held_text *h, u32 reach);

/* The same of a grid. Kernels may have rows where they are, as grid_piece says, but for the last
 * ones where the buffer ends within TEXT_PADDING bytes after them. These, and all where cells of
 * 2 or 4 bytes lie across multiples of that, or where a row begins within the buffer's first
 * ROW_LEAD bytes and not at a multiple of ROW_ALIGN, are brought to a lane's memory on the device,
 * some at a time (rows.k). */

/* The rows of the held grid that jobs are of: from byte `at` of the buffer on, `stride` bytes
 * apart. */
typedef struct held_rows {
    u64 at, stride, bytes; /* of a row */
    u32 cell_size;
} held_rows;

/* Rows [0, ..) that may be had where they are, as far as the buffer goes. */
u64 held_rows_stop(const held_text *h, const held_rows *g);

/* The byte of the buffer at which a piece begins that has rows from `top` on where they are. */
u64 held_rows_first(const held_text *h, const held_rows *g, u32 top);

#endif
