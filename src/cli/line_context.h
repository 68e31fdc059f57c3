/* line_context.h: which lines are printed around those that are selected. */
#ifndef TRAWL_LINE_CONTEXT_H
#define TRAWL_LINE_CONTEXT_H

#include "cli/lines.h"

/* Print the selected line text[begin .. end) of the block, with the lines around it that may be
 * printed by now. In order. */
void line_context_select(line_search *s, size_t begin, size_t end);

/* The block ends: print what is still to come after the last selected line, and keep what the next
 * block may print before its first one; of a piece, note its edges. */
void line_context_end_block(line_search *s);

/* Between pieces, of a file that was begun. Print the lines up to `end` that were still wanted
 * after the last ones, and note it there. False: the file's why, or s->broken. */
bool line_context_after(line_search *s, source *file, line_edges *last, uint64_t end);

/* Print all that belongs between the last lines and those of the next piece. False as above.
 */
bool line_context_join(line_search *s, source *file, line_edges *last, const line_edges *next);

/* Go on at s->offset as if all before had been one file, printed up to `last`. False as above.
 */
bool line_context_resume(line_search *s, source *file, line_edges *last);

#endif
