/* match_filter.c: see cli/match_filter.h. */
#include "cli/match_filter.h"

static bool is_alphanumeric(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_full_word(const trawl_match *m, const uint8_t *text, uint64_t length)
{
    return (m->start == 0 || !is_alphanumeric(text[m->start - 1])) &&
           (m->end == length || !is_alphanumeric(text[m->end]));
}

/* The same of characters of two bytes, the second one 0. */
static bool is_full_wide_word(const trawl_match *m, const uint8_t *text, uint64_t length)
{
    const uint8_t *before = text + m->start, *behind = text + m->end;
    return (m->start < 2 || before[-1] != 0 || !is_alphanumeric(before[-2])) &&
           (length - m->end < 2 || behind[1] != 0 || !is_alphanumeric(behind[0]));
}

bool match_fits(const pattern_origin *o, const trawl_match *match, const uint8_t *text,
                uint64_t length)
{
    const uint64_t start = match->start;
    if (o->filter != FILTER_NONE && start == TRAWL_UNKNOWN)
        return false;
    switch (o->filter) {
    case FILTER_FROM_BEGIN:
        return start >= o->offset && start - o->offset <= o->shift;
    case FILTER_FROM_END:
        return length >= o->offset && start >= length - o->offset &&
               start - (length - o->offset) <= o->shift;
    case FILTER_FULL_WORD:
        return is_full_word(match, text, length);
    case FILTER_FULL_WIDE_WORD:
        return is_full_wide_word(match, text, length);
    default:
        return true;
    }
}
