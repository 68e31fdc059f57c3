/* ignore.h: what .gitignore, .ignore and .rgignore files leave out of a tree, and hidden files, as
 * ripgrep does it by default.
 *
 * Such a file is for the folder that it is in and all below. A deeper one goes before those above
 * it, and .rgignore before .ignore before .gitignore before the repository's info/exclude before
 * the user's git/ignore; the last three count only below a folder that has a .git.
 */
#ifndef TRAWL_IGNORE_H
#define TRAWL_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ignore ignore;

/* `hidden`: names that begin with a dot are not left out for that. NULL: no memory. */
ignore *ignore_open(bool hidden);

/* A walk begins below the folder: what is above it counts. False: no memory. */
bool ignore_begin(ignore *i, const char *folder);

/* The folder that is entered next has a name that begins with a dot. */
void ignore_note(ignore *i, const char *name);

/* The walk enters a folder, which is open and has this path in the walk; it leaves the last one. */
void ignore_enter(ignore *i, int folder, const char *path, size_t length);
void ignore_leave(ignore *i);

/* Whether a name of the folder entered last is left out; it ends the path. `listed` says that
 * something else asks for it: then only a file that names it leaves it out. */
bool ignore_leaves_out(ignore *i, const char *path, const char *name, bool folder, bool listed);

/* The errno of a file that could not be read, or memory that was short: something may have been
 * left out, or not, wrongly. 0: there was none. */
int ignore_failed(const ignore *i);

void ignore_free(ignore *i);

#endif
