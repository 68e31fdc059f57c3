/* progress.h: a line on standard error that says how far the search is: a bar, the rate, the time
 * that is left.
 *
 * The line belongs to the process, as standard error does, so there is one and no handle to it.
 * All calls do nothing, and cost a load of a flag, unless it was asked for.
 */
#ifndef TRAWL_PROGRESS_H
#define TRAWL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"
#include "trawl.h"

/* --progress[=WHEN] of find, grep and grid. */
enum { OPT_PROGRESS = 1500 };
extern const option_row progress_rows[];

/* Take WHEN; NULL is auto. False after a complaint. */
bool progress_option(const char *command, const char *when);

/* The work begins: a thread draws the line from the first second on, if it was asked for. */
void progress_begin(uint64_t total);
/* It ends, and the line is gone. */
void progress_end(void);

/* How many bytes the files have together; UINT64_MAX: nobody knows, for one of them is no regular
 * file. No path is standard input. */
uint64_t progress_total(char **paths, size_t count);

/* What was done is one of these, or their sum. */

/* `bytes` more. Several threads may say so. */
void progress_add(uint64_t bytes);

/* As far as the descriptor is read from now on, whatever is made of it. -1 ends it. */
void progress_file(int descriptor);
/* The context scans `units` bytes, or cells, for which `bytes` of the files count: what is mapped,
 * or was read already. NULL: it has, and they are added another way. */
void progress_scans(const trawl_context *context, uint64_t units, uint64_t bytes);
/* `bytes` of what the present file holds were searched: it counts where a descriptor cannot
 * say, as a pipe's. */
void progress_read(uint64_t bytes);

/* Around what is written to standard output or, unless `output`, to standard error: the line is
 * away meanwhile if it would be in its way. They may be nested. */
void progress_hold(bool output);
void progress_release(bool output);

#endif
