/* tree.c: the files below a folder.
 *
 * Idea: scandir gives a folder's names in order; a folder among them is walked in its
 * place. Links are not followed, so the walk ends. Only names are kept in memory.
 */
#include "io/tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Byte order, whatever the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* folder/name, malloc'ed; a folder that ends in a slash gets no second one. */
static char *join(const char *folder, const char *name)
{
    size_t length = strlen(folder), more = strlen(name) + 1;
    char *path = malloc(length + 1 + more);
    if (path) {
        memcpy(path, folder, length);
        if (length && folder[length - 1] != '/')
            path[length++] = '/';
        memcpy(path + length, name, more);
    }
    return path;
}

static bool walk_entry(const char *path, tree_visit visit, void *user)
{
    struct stat facts;
    if (lstat(path, &facts) != 0)
        return visit(path, errno, user);
    if (S_ISDIR(facts.st_mode))
        return tree_walk(path, false, visit, user);
    return !S_ISREG(facts.st_mode) || visit(path, 0, user);
}

bool tree_walk(const char *folder, bool bare, tree_visit visit, void *user)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_entry, by_name);
    bool go_on = count >= 0 || visit(folder, errno, user);
    for (int i = 0; i < count; i++) {
        char *path = go_on ? join(bare ? "" : folder, entries[i]->d_name) : NULL;
        if (path)
            go_on = walk_entry(path, visit, user);
        else if (go_on)
            go_on = visit(folder, ENOMEM, user);
        free(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return go_on;
}
