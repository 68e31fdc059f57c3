/* plan_file.h: plans in files, and the patterns that one keeps.
 *
 * What trawl.h does not know of patterns is in the plan's note: pattern_origin.head. It is text, a
 * line for each pattern of which there is something to say, so that nothing in it needs to be
 * trusted: what cannot be read is refused.
 */
#ifndef TRAWL_PLAN_FILE_H
#define TRAWL_PLAN_FILE_H

#include <stdio.h>

#include "formats/patterns/pattern_set.h"

/* The plan in a file ("-" is standard input), which is verified whole, and its bytes: free first
 * the one, then the other. NULL: why. */
trawl_plan *plan_file_read(const char *path, void **block, char *why, size_t room);

/* ... of a file that holds something else. */
#define PLAN_FILE_NONE "is no plan"

/* Write all of it. `headed`: lines are selected that no match tells, so the library shall refuse
 * the file (TRAWL_PLAN_CONDITIONAL). False: errno. */
bool plan_file_write(FILE *file, const trawl_plan *plan, bool headed);

/* The note of a set's plan, malloc'ed; "" where there is nothing to say. NULL: no memory. */
char *plan_note_write(const pattern_set *set);

/* The set, which has no patterns yet, takes over a plan and its block, with the names, texts and
 * ids of its patterns, and the plan's tag. `path` is for messages. False after telling why. */
bool pattern_set_take_plan(pattern_set *set, trawl_plan *plan, void *block, const char *path);

#endif
