/* tree.h: the files below a folder. */
#ifndef TRAWL_TREE_H
#define TRAWL_TREE_H

#include <stdbool.h>
#include <stddef.h>

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
    bool linked; /* by a symbolic link: open it by its path */
    int cause;   /* 0: none */
} tree_file;

/* The cause of a link to a folder that it is in. */
#define TREE_LOOP (-1)

/* What of a folder is visited. Calls that are NULL are not made. */
typedef struct tree_filter {
    bool follow; /* symbolic links below it */
    void *user;

    /* A name that begins with a dot, in the folder that is entered next. */
    void (*note)(void *user, const char *name);
    /* A folder is entered: it is open, and its path has `length` bytes. */
    void (*enter)(void *user, int folder, const char *path, size_t length);
    void (*leave)(void *user);
    /* Whether to visit a file, or a folder, of the folder entered last; its name ends the path. */
    bool (*wanted)(void *user, const char *path, const char *name, bool folder);
} tree_filter;

/* What is below `folder`, sorted by name, folders in their place. Devices and pipes below it are
 * passed over, and symbolic links unless the filter says otherwise; it is kept. Paths are
 * folder/name; with `bare` they come without the folder, for the one that is ".". NULL: no memory.
 */
tree *tree_open(const char *folder, bool bare, const tree_filter *filter);

/* The next one. False: there is none. */
bool tree_next(tree *t, tree_file *file);

void tree_close(tree *t);

#endif
