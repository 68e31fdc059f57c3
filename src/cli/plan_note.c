/* plan_note.c: see cli/plan_note.h. The first line is filter_starts of the set; the others are
 * pattern, filter, offset, shift, head. */
#include "cli/plan_note.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE 100 /* five numbers */

static bool has_line(const pattern_origin *o)
{
    return o->filter != FILTER_NONE || o->head;
}

char *plan_note_write(const pattern_set *set)
{
    size_t lines = 1;
    for (size_t i = 0; i < set->count; i++)
        lines += has_line(&set->origins[i]);
    char *note = lines <= SIZE_MAX / LONGEST_LINE ? malloc(lines * LONGEST_LINE) : NULL;
    if (!note)
        return NULL;
    note[0] = '\0';
    if (lines == 1)
        return note;
    char *at = note + snprintf(note, LONGEST_LINE, "%d\n", set->filter_starts);
    for (size_t i = 0; i < set->count; i++) {
        const pattern_origin *o = &set->origins[i];
        if (has_line(o))
            at += snprintf(at, LONGEST_LINE, "%zu %d %" PRIu64 " %" PRIu64 " %zu\n", i,
                           (int)o->filter, o->offset, o->shift, o->head);
    }
    return note;
}

/* So many numbers with blanks between them and a newline behind. NULL: they are not there. */
static const char *read_line(const char *at, uint64_t *numbers, size_t count)
{
    for (size_t i = 0; at && i < count; i++) {
        const char *end = read_digits(at, UINT64_MAX, &numbers[i]);
        at = end && end > at && *end == (i + 1 < count ? ' ' : '\n') ? end + 1 : NULL;
    }
    return at;
}

static bool take_line(pattern_set *set, const uint64_t numbers[5])
{
    if (numbers[0] >= set->count || numbers[1] > FILTER_FULL_WIDE_WORD || numbers[4] > 4)
        return false;
    pattern_origin *o = &set->origins[numbers[0]];
    o->filter = (match_filter)numbers[1];
    o->offset = numbers[2];
    o->shift = numbers[3];
    o->head = (size_t)numbers[4];
    set->filtered |= o->filter != FILTER_NONE;
    set->filter_text |= o->filter != FILTER_NONE && o->filter != FILTER_FROM_BEGIN;
    return true;
}

bool plan_note_read(pattern_set *set, const char *note, size_t length)
{
    uint64_t numbers[5] = { 0 };
    if (length == 0)
        return true;
    if (note[length - 1] != '\n' ||
        memchr(note, '\0', length)) /* numbers end before the note does */
        return false;
    const char *at = read_line(note, numbers, 1), *end = note + length;
    if (!at)
        return false;
    set->filter_starts = numbers[0];
    while (at && at < end) {
        at = read_line(at, numbers, 5);
        if (!at || !take_line(set, numbers))
            return false;
    }
    return true;
}
