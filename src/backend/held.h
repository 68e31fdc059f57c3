/* held.h: a text that is in a device's memory already.
 *
 * It is searched where it is: a piece is a part of the caller's buffer. But kernels (kernel.h) need
 * a piece to begin at an aligned place, read up to TEXT_PADDING bytes after it, and take all that
 * lies before its end for text. So if the text does not begin aligned, or ends within TEXT_PADDING
 * bytes of the buffer's end, a short piece there is copied, on the device, to a lane's text buffer:
 * no byte outside the caller's buffer is read, and no byte before the text is taken for text. A
 * piece that is read through a texture is copied too.
 *
 * Invariant: a piece of held_length(..) bytes with a lead of held_lead(..) bytes lies in place, or
 * fits into held_room(..) bytes.
 *
 * Cost: a text that begins aligned and does not end with its buffer is not copied at all. Else each
 * end costs a copy and a piece of at most HELD_COPY bytes, the alignment and the reach.
 */
#ifndef TRAWL_HELD_H
#define TRAWL_HELD_H

#include "base/port.h"
#include "device/device.h"

typedef struct held_text {
    device *of;
    u32 index; /* of the device among the context's */
    device_buffer buffer;
    size_t begin;       /* of the text in the buffer */
    device_event ready; /* in the caller's queue; zero: the text is there */
} held_text;

/* In what follows, a piece owns the bytes from byte `at` of the buffer on, and has a lead before
 * them. */

/* The lead, in bytes, of a piece that needs `lead` of them: a few more if it then begins aligned.
 * It is 0 for parts that carry. */
u32 held_lead(const held_text *h, u64 at, u32 lead, bool carries);

/* How long the piece should be, in bytes, when `length` are wanted. */
u32 held_length(const held_text *h, u64 at, u32 lead, u32 length, u32 reach);

/* Whether kernels may read bytes [first, first + bytes) of the buffer where they are. */
bool held_in_place(const held_text *h, u64 first, size_t bytes);

/* Bytes of room for the longest piece that is copied. */
size_t held_room(const held_text *h, u32 reach);

/* The same for a grid. Kernels may read rows where they are, as grid_piece says, except the last
 * ones, if the buffer ends within TEXT_PADDING bytes after them. These are brought to a lane's
 * memory on the device, some at a time (rows.k); so are all rows if cells of 2 or 4 bytes do not
 * lie at multiples of that, or if a row begins within the buffer's first ROW_LEAD bytes and not at
 * a multiple of ROW_ALIGN. */

/* The rows of the held grid that jobs search: from byte `at` of the buffer on, `stride` bytes
 * apart. */
typedef struct held_rows {
    u64 at, stride, bytes; /* of a row */
    u32 cell_size;
} held_rows;

/* How many rows, from row 0 on, may be read where they are, if the grid had rows to the end of the
 * buffer. */
u64 held_rows_stop(const held_text *h, const held_rows *g);

/* The byte of the buffer at which a piece begins that reads rows from `top` on where they are. */
u64 held_rows_first(const held_text *h, const held_rows *g, u32 top);

#endif
