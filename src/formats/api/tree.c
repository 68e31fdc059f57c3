/* tree.c: the trees of trawl/formats.h. */
#include <stdlib.h>
#include <string.h>

#include "formats/api/common.h"
#include "formats/tree/tree.h"

struct trawl_tree {
    tree_filter filter; /* the tree's, too */
    tree *tree;
};

int trawl_tree_open(const char *folder, uint32_t flags, trawl_tree **opened,
                    trawl_file_error *error)
{
    *opened = NULL;
    if (flags & ~(uint32_t)TRAWL_TREE_FOLLOW)
        return api_fail(error, TRAWL_ERROR_ARGUMENT, folder, 0,
                        "flags of trawl_tree_open are none of trawl/formats.h");
    trawl_tree *t = calloc(1, sizeof *t);
    if (t) {
        t->filter.follow = flags & TRAWL_TREE_FOLLOW;
        t->tree = tree_open(folder, false, &t->filter);
    }
    if (t && t->tree) {
        *opened = t;
        return TRAWL_OK;
    }
    free(t);
    return api_fail(error, TRAWL_ERROR_MEMORY, folder, 0, "out of memory for a walk");
}

int trawl_tree_next(trawl_tree *walk, const char **path, trawl_file_error *error)
{
    tree_file file;
    if (!tree_next(walk->tree, &file))
        return TRAWL_END;
    *path = file.path;
    if (!file.cause)
        return TRAWL_OK;
    return api_fail(error, TRAWL_ERROR_ARGUMENT, file.path, 0, "%s",
                    file.cause == TREE_LOOP
                        ? "is a link to a folder that it is in: it is passed over"
                        : strerror(file.cause));
}

void trawl_tree_close(trawl_tree *walk)
{
    if (walk)
        tree_close(walk->tree);
    free(walk);
}
