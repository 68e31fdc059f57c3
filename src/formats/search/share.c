/* share.c: see share.h. */
#include "formats/search/share.h"

/* Where the share of a rank begins. */
static uint64_t border(const share *s, int rank)
{
    const uint64_t ranks = (uint64_t)s->ranks, r = (uint64_t)rank;
    return s->total / ranks * r + s->total % ranks * r / ranks;
}

/* Whose share has the byte at `offset`; one after the last one is the last rank's. */
static int rank_of(const share *s, uint64_t offset)
{
    int low = 0, high = s->ranks - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (border(s, middle + 1) > offset)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int share_first(const share *s, const shared_file *file)
{
    return rank_of(s, file->begin);
}

int share_last(const share *s, const shared_file *file)
{
    return file->length && file->kind != SHARE_WHOLE ? rank_of(s, file->begin + file->length - 1)
                                                     : share_first(s, file);
}

bool share_piece(const share *s, const shared_file *file, int rank, uint64_t *begin, uint64_t *end)
{
    const uint64_t from = border(s, rank), to = border(s, rank + 1);
    const uint64_t file_end = file->begin + file->length;
    *begin = 0;
    *end = file->length;
    if (file->kind == SHARE_WHOLE || file->length == 0)
        return share_first(s, file) == rank;
    if (from >= to || from >= file_end || to <= file->begin)
        return false;
    *begin = from > file->begin ? from - file->begin : 0;
    *end = to < file_end ? to - file->begin : file->length;
    return true;
}
