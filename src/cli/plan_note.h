/* plan_note.h: what the command alone knows of patterns, as a plan keeps it
 * (trawl_compile_options.note): pattern_origin.head.
 *
 * It is text, a line for each pattern of which there is something to say, so that nothing in it
 * needs to be trusted: what cannot be read is refused.
 */
#ifndef TRAWL_PLAN_NOTE_H
#define TRAWL_PLAN_NOTE_H

#include "cli/cli.h"

/* malloc'ed; "" where there is nothing to say. NULL: no memory. */
char *plan_note_write(const pattern_set *set);

/* Take it into a set that has its patterns and origins. False: it is no note of ours. */
bool plan_note_read(pattern_set *set, const char *note, size_t length);

#endif
