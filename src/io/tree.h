/* tree.h: the files below a folder. */
#ifndef TRAWL_TREE_H
#define TRAWL_TREE_H

#include <stdbool.h>

/* Called for each regular file, which is `name` in the open folder `folder`, or with the errno of
 * a folder that cannot be read (0: none). `path` is for messages: it may be longer than the system
 * takes. False stops the walk. */
typedef bool (*tree_visit)(int folder, const char *name, const char *path, int cause, void *user);

/* Visit what is below `folder`, sorted by name, folders in their place. Symbolic links,
 * devices and pipes below it are passed over. Paths are folder/name; with `bare` they come
 * without the folder, for the one that is ".". False: a visit said stop. */
bool tree_walk(const char *folder, bool bare, tree_visit visit, void *user);

#endif
