/* plan_note.c: see cli/plan_note.h. A line is pattern, head. */
#include "cli/plan_note.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 50 /* two numbers */

char *plan_note_write(const pattern_set *set)
{
    size_t lines = 1;
    for (size_t i = 0; i < set->count; i++)
        lines += set->origins[i].head > 0;
    char *note = lines <= SIZE_MAX / MAX_LINE ? malloc(lines * MAX_LINE) : NULL, *at = note;
    if (!note)
        return NULL;
    note[0] = '\0';
    for (size_t i = 0; i < set->count; i++)
        if (set->origins[i].head)
            at += snprintf(at, MAX_LINE, "%zu %zu\n", i, set->origins[i].head);
    return note;
}

/* Two numbers with a blank between them and a newline after it. NULL: they are not there. */
static const char *read_line(const char *at, uint64_t numbers[2])
{
    for (size_t i = 0; at && i < 2; i++) {
        const char *end = read_digits(at, UINT64_MAX, &numbers[i]);
        at = end && end > at && *end == (i == 0 ? ' ' : '\n') ? end + 1 : NULL;
    }
    return at;
}

bool plan_note_read(pattern_set *set, const char *note, size_t length)
{
    uint64_t numbers[2];
    if (length == 0)
        return true;
    if (note[length - 1] != '\n' ||
        memchr(note, '\0', length)) /* numbers end before the note does */
        return false;
    for (const char *at = note; at < note + length;) {
        at = read_line(at, numbers);
        if (!at || numbers[0] >= set->count || numbers[1] > 4)
            return false;
        set->origins[numbers[0]].head = (size_t)numbers[1];
    }
    return true;
}
