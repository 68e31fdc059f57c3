/* tree.h: the files below a folder. */
#ifndef TRAWL_TREE_H
#define TRAWL_TREE_H

#include <stdbool.h>

typedef struct tree tree;

/* A folder that is open. Who wants to open files in it after the walk has gone on holds it; that
 * may be other threads than the walk's. */
typedef struct tree_folder tree_folder;
void tree_hold(tree_folder *folder);
void tree_release(tree_folder *folder); /* NULL: nothing is released */
int tree_descriptor(const tree_folder *folder);

/* A regular file, which is `name` in the open folder `folder`, or the errno of a folder that cannot
 * be read. `path` is for messages: it may be longer than the system takes. All valid until the next
 * call. */
typedef struct tree_file {
    tree_folder *folder; /* NULL: there is a cause */
    const char *name, *path;
    int cause; /* 0: none */
} tree_file;

/* What is below `folder`, sorted by name, folders in their place. Symbolic links, devices and pipes
 * below it are passed over. Paths are folder/name; with `bare` they come without the folder, for
 * the one that is ".". NULL: no memory. */
tree *tree_open(const char *folder, bool bare);

/* The next one. False: there is none. */
bool tree_next(tree *t, tree_file *file);

void tree_close(tree *t);

#endif
