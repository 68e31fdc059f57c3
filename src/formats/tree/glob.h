/* glob.h: globs as .gitignore files have them, in lists of which the last one that matches decides.
 *
 * ? is a character, * any number of them and [a-z], [!a-z] one of a class, none of them a slash;
 * \ takes the next one as it is. Between slashes ** is any number of folders. A glob with a slash
 * before its end is matched with the whole path, others with its last name; a slash at its end
 * means folders only.
 */
#ifndef TRAWL_GLOB_H
#define TRAWL_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the glob matches the whole path. Neither begins with a slash. */
bool glob_matches(const char *glob, const char *path);

/* What is wrong with a glob, which then matches little or nothing; NULL: nothing is. */
const char *glob_fault(const char *glob);

typedef struct glob_rule glob_rule;

/* All zero at first. */
typedef struct glob_list {
    glob_rule *rules;
    size_t count, room;
    char **owned; /* texts */
    size_t owned_count, owned_room;
    size_t plain; /* rules without a "!" before them */
} glob_list;

/* Which rule decides. */
typedef enum glob_verdict { GLOB_NONE, GLOB_PLAIN, GLOB_NEGATED } glob_verdict;

/* The lines of a .gitignore file, which are copied. False: no memory. */
bool glob_list_add_lines(glob_list *list, const char *text, size_t length);

/* One glob, in which {a,b} stands for either. False: no memory, or too many alternatives. */
bool glob_list_add(glob_list *list, const char *glob);

/* The path's last name begins at `name`. */
glob_verdict glob_list_match(const glob_list *list, const char *path, const char *name,
                             bool folder);

void glob_list_free(glob_list *list);

#endif
