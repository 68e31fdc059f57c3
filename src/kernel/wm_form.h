/* wm_form.h: the windows that begin in a part of the text, once for each place where text and
 * tables may lie. Included by wm.k three times, with these defined before and undefined here:
 *
 *   WM_WINDOWS                    name of the function
 *   WM_PLACES                     its first parameters: where text and tables lie
 *   WM_WORD(i)                    u32 number i of the text
 *   WM_SHIFT(number)              SHIFT of a block
 *   WM_FOUND(start, number, part, out)   what is done where SHIFT is 0
 *
 * `block` and `folded` are constants at each call. The inner loop ends at a candidate, and only
 * the outer one looks at it: so the lanes of a warp run on to a candidate each and settle theirs
 * together, instead of each waiting for the candidates of all others.
 */
INLINE void WM_WINDOWS(WM_PLACES, u32 window, const wm_part *part, u32 block, u32 folded,
                       const sink *out)
{
    const u32 starts = part->hi + window - 1;
    const u32 stop = starts < part->limit ? starts : part->limit;
    u32 last = part->lo + window - 1;
    while (last < stop) {
        u32 number = 0, shift = 0;
        while (last < stop) {
            const u32 first = last - (block - 1);
            const u32 bits = (first & 3) * 8;
            u32 bytes = WM_WORD(first >> 2) >> bits;
            if (bits + 8 * block > 32)
                bytes |= WM_WORD(last >> 2) << (32 - bits);
            if (folded)
                bytes = tile_fold(bytes);
            number = block == 2
                         ? bytes & 0xffff
                         : wm_block_number(3, (u8)bytes, (u8)(bytes >> 8), (u8)(bytes >> 16));
            shift = WM_SHIFT(number);
            if (shift == 0)
                break;
            last += shift;
        }
        if (last < stop) {
            WM_FOUND(last - (window - 1), number, part, out);
            last++;
        }
    }
}

#undef WM_WINDOWS
#undef WM_PLACES
#undef WM_WORD
#undef WM_SHIFT
#undef WM_FOUND
