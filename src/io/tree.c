/* tree.c: the files below a folder.
 *
 * Idea. A stack of levels, one for each folder from the first one down to where the walk is. A
 * level's names are read at once and sorted; what they name is opened by name in the open folder,
 * so no path is too long and none is looked up again. Links are not followed, so the walk ends.
 *
 * Invariant: the deepest MOST_OPEN levels are open, or are opened again by their path in pieces
 * when the walk comes back to them and they have more to open.
 *
 * Cost: of memory the names on the stack; of the system, per folder, opening and listing it.
 */
#define _DEFAULT_SOURCE /* d_type */
#include "io/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_OPEN 16
#define PIECE 4000 /* bytes of a path opened at once: below PATH_MAX everywhere */

typedef enum kind { OTHER, PLAIN, FOLDER, UNKNOWN } kind;

/* A name and, before it, its kind, so that both move as one when names are sorted. */
typedef struct entry {
    char *name;
    kind kind;
} entry;

typedef struct level {
    DIR *folder; /* NULL: closed meanwhile */
    dev_t device;
    ino_t inode;
    entry *entries;
    size_t count, next;
    size_t path_length; /* of the path before a name */
} level;

typedef struct walk {
    tree_visit visit;
    void *user;
    level *levels;
    size_t depth, room;
    char *path; /* of what is visited */
    size_t path_room;
} walk;

static bool report(const walk *w, int cause)
{
    return w->visit(-1, NULL, w->path, cause, w->user);
}

/* ---- levels ------------------------------------------------------------ */

static int by_name(const void *a, const void *b) /* byte order, whatever the locale */
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static kind kind_of_mode(mode_t mode)
{
    return S_ISDIR(mode) ? FOLDER : S_ISREG(mode) ? PLAIN : OTHER;
}

/* Some file systems do not say it in the listing, nor do some C libraries. */
static kind kind_of(const struct dirent *d)
{
#ifdef DT_UNKNOWN
    return d->d_type == DT_DIR       ? FOLDER
           : d->d_type == DT_REG     ? PLAIN
           : d->d_type == DT_UNKNOWN ? UNKNOWN
                                     : OTHER;
#else
    (void)d;
    return UNKNOWN;
#endif
}

static bool add_entry(level *l, size_t *room, const struct dirent *d)
{
    if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 || kind_of(d) == OTHER)
        return true;
    if (l->count == *room) {
        const size_t wanted = *room ? 2 * *room : 32;
        entry *grown = realloc(l->entries, wanted * sizeof *grown);
        if (!grown)
            return false;
        l->entries = grown;
        *room = wanted;
    }
    char *name = strdup(d->d_name);
    l->entries[l->count] = (entry){ name, kind_of(d) };
    l->count += name != NULL;
    return name;
}

/* Read and sort the names. Returns 0, or the errno of what cut them short. */
static int list_names(level *l)
{
    const struct dirent *d;
    size_t room = 0;
    errno = 0;
    while ((d = readdir(l->folder)) && add_entry(l, &room, d))
        errno = 0;
    const int cause = errno;
    if (l->count)
        qsort(l->entries, l->count, sizeof *l->entries, by_name);
    return cause;
}

/* It stays open when it could not be known again. */
static void close_folder(level *l)
{
    struct stat facts;
    if (!l->folder || fstat(dirfd(l->folder), &facts) != 0)
        return;
    l->device = facts.st_dev;
    l->inode = facts.st_ino;
    closedir(l->folder);
    l->folder = NULL;
}

static void leave(walk *w)
{
    level *l = &w->levels[--w->depth];
    if (l->folder)
        closedir(l->folder);
    for (size_t i = 0; i < l->count; i++)
        free(l->entries[i].name);
    free(l->entries);
}

/* Go down into the folder w->path, of `length` bytes, that was opened, or was not: -1. */
static bool enter(walk *w, int fd, size_t length)
{
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        const int cause = errno;
        if (fd >= 0)
            close(fd);
        return report(w, cause);
    }
    if (w->depth == w->room) {
        const size_t room = w->room ? 2 * w->room : MOST_OPEN;
        level *grown = realloc(w->levels, room * sizeof *grown);
        if (!grown) {
            closedir(folder);
            return report(w, ENOMEM);
        }
        w->levels = grown;
        w->room = room;
    }
    if (w->depth >= MOST_OPEN)
        close_folder(&w->levels[w->depth - MOST_OPEN]);
    level *l = &w->levels[w->depth++];
    *l = (level){ .folder = folder, .path_length = length };
    const int cause = list_names(l);
    const bool go_on = !cause || report(w, cause);
    if (length && w->path[length - 1] != '/')
        w->path[l->path_length++] = '/';
    return go_on;
}

/* ---- paths ------------------------------------------------------------- */

/* Make the path's bytes from `at` on `name`; room for a slash stays behind it. */
static bool put_name(walk *w, size_t at, const char *name)
{
    const size_t length = strlen(name), wanted = at + length + 2;
    if (wanted > w->path_room) {
        char *grown = realloc(w->path, 2 * wanted);
        if (!grown)
            return false;
        w->path = grown;
        w->path_room = 2 * wanted;
    }
    memcpy(w->path + at, name, length + 1);
    return true;
}

static int open_folder(int at, const char *name, int flags)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
}

/* Open the folder path[0 .. length), piece after piece. -1: errno. */
static int open_long(char *path, size_t length)
{
    int folder = open_folder(AT_FDCWD, *path == '/' && length ? "/" : ".", 0);
    for (size_t at = 0; at < length && folder >= 0;) {
        size_t end = length - at > PIECE ? at + PIECE : length;
        while (end < length && end > at + 1 && path[end] != '/')
            end--;
        while (at < end && path[at] == '/')
            at++;
        const char behind = path[end];
        path[end] = '\0';
        const int next = at < end ? open_folder(folder, path + at, 0) : dup(folder);
        const int cause = errno;
        path[end] = behind;
        close(folder);
        errno = cause;
        folder = next;
        at = end;
    }
    return folder;
}

/* The level's folder, opened again if it was closed; -1: errno. */
static int folder_of(walk *w, level *l)
{
    if (!l->folder) {
        struct stat facts;
        const int fd = open_long(w->path, l->path_length);
        if (fd < 0)
            return -1;
        l->folder = fdopendir(fd);
        if (!l->folder) {
            const int cause = errno;
            close(fd);
            errno = cause;
            return -1;
        }
        if (fstat(fd, &facts) != 0)
            return -1;
        if (facts.st_dev != l->device || facts.st_ino != l->inode) {
            errno = ENOENT; /* another folder has its name */
            return -1;
        }
    }
    return dirfd(l->folder);
}

/* ---- the walk ---------------------------------------------------------- */

static bool visit_entry(walk *w, level *l, const entry *e)
{
    const size_t at = l->path_length;
    const int folder = folder_of(w, l);
    struct stat facts;
    kind kind = e->kind;
    if (folder < 0 || !put_name(w, at, e->name)) {
        l->next = l->count; /* the rest of it is left out */
        w->path[at] = '\0';
        return report(w, errno);
    }
    if (kind == UNKNOWN && fstatat(folder, e->name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return report(w, errno);
    if (kind == UNKNOWN)
        kind = kind_of_mode(facts.st_mode);
    if (kind == FOLDER)
        return enter(w, open_folder(folder, e->name, O_NOFOLLOW), at + strlen(e->name));
    return kind != PLAIN || w->visit(folder, e->name, w->path, 0, w->user);
}

bool tree_walk(const char *folder, bool bare, tree_visit visit, void *user)
{
    walk w = { .visit = visit, .user = user };
    bool go_on = put_name(&w, 0, folder)
                     ? enter(&w, open_folder(AT_FDCWD, folder, 0), bare ? 0 : strlen(folder))
                     : visit(-1, NULL, folder, ENOMEM, user);
    while (w.depth && go_on) {
        level *l = &w.levels[w.depth - 1];
        if (l->next == l->count)
            leave(&w);
        else
            go_on = visit_entry(&w, l, &l->entries[l->next++]);
    }
    while (w.depth)
        leave(&w);
    free(w.levels);
    free(w.path);
    return go_on;
}
