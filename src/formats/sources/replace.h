/* replace.h: a file that takes another's place when it is whole, or not at all.
 *
 * A signal that ends the process takes along what is not in its place yet. That is noted for one
 * file at a time, as a process writes one.
 */
#ifndef TRAWL_REPLACE_H
#define TRAWL_REPLACE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct replacement {
    FILE *file;      /* to write to */
    char *path;      /* of the file whose place it takes; NULL: `file` is written to as it stands */
    char *temporary; /* where it is until then */
} replacement;

/* Begin a file that is to be at `path`. It is made beside what is there, with its rights, which
 * must allow writing; a symbolic link stays one, and what it leads to is replaced. What is no
 * regular file, such as a pipe, is written to as it stands, and so are the process's own
 * descriptors, such as /dev/stdout. False: errno, and nothing has changed. */
bool replace_begin(replacement *r, const char *path);

/* Whether what is at `path` is the file `input` ("-": standard input), by whatever name. */
bool replace_is(const char *path, const char *input);

/* Whether `path`, of a file that is there, leads into the folder, or one below it. */
bool replace_is_below(const char *path, const char *folder);

/* Whether what is at `path` is what standard output goes to already. */
bool replace_is_output(const char *path);

/* Put the file in its place, if all is `fine` and all of it could be written; else it goes, and
 * what was at `path` is as it was. Whether it is there; false: errno, as it was if not `fine`. */
bool replace_end(replacement *r, bool fine);

/* For who ends the process at once: the file that is under way goes, if one is. */
void replace_abandon(void);

#endif
