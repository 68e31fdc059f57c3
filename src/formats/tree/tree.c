/* tree.c: the files below a folder.
 *
 * Idea. A stack of levels, one for each folder from the first one down to where the walk is. A
 * level's names are read at once and sorted; what they name is opened by name in the open folder,
 * so no path is too long and none is looked up again. Links are not followed, or not into a folder
 * that is on the stack, so the walk ends.
 *
 * Invariant: the deepest MAX_OPEN levels are open, or are opened again by their path in pieces
 * when the walk comes back to them and they have more to open. A folder is closed when neither the
 * walk nor anybody else holds it.
 *
 * Cost: of memory the names on the stack; of the system, per folder, opening and listing it.
 */
#define _DEFAULT_SOURCE /* d_type */
#include "formats/tree/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/sources/grow.h"

#define MAX_OPEN 16
#define PIECE 4000 /* bytes of a path opened at once: below PATH_MAX everywhere */

typedef enum kind { OTHER, PLAIN, FOLDER, LINK, UNKNOWN } kind;

/* A name and, before it, its kind, so that both move as one when names are sorted. */
typedef struct entry {
    char *name;
    kind kind;
} entry;

struct tree_folder {
    DIR *list;
    atomic_uint holders;
};

typedef struct level {
    tree_folder *folder; /* NULL: closed meanwhile */
    dev_t device;        /* known then, and where links are followed */
    ino_t inode;
    entry *entries;
    size_t count, next;
    size_t path_length; /* of the folder's path */
    bool slash;         /* one stands between it and a name */
} level;

struct tree {
    level *levels;
    size_t depth, room;
    char *path; /* of the present file */
    size_t path_room;
    bool begun, bare;
    const tree_filter *filter;
};

/* ---- folders ------------------------------------------------------------ */

void tree_hold(tree_folder *folder)
{
    atomic_fetch_add_explicit(&folder->holders, 1, memory_order_relaxed);
}

void tree_release(tree_folder *folder)
{
    if (folder && atomic_fetch_sub(&folder->holders, 1) == 1) {
        closedir(folder->list);
        free(folder);
    }
}

int tree_descriptor(const tree_folder *folder)
{
    return dirfd(folder->list);
}

/* Takes `fd` over, on failure too. NULL: errno. */
static tree_folder *make_folder(int fd)
{
    tree_folder *made = malloc(sizeof *made);
    DIR *list = made ? fdopendir(fd) : NULL;
    if (list) {
        made->list = list;
        atomic_init(&made->holders, 1);
        return made;
    }
    const int cause = errno;
    close(fd);
    free(made);
    errno = cause;
    return NULL;
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
           : d->d_type == DT_LNK     ? LINK
           : d->d_type == DT_UNKNOWN ? UNKNOWN
                                     : OTHER;
#else
    (void)d;
    return UNKNOWN;
#endif
}

static bool add_entry(const tree *t, level *l, size_t *room, const struct dirent *d)
{
    const kind kind = kind_of(d);
    if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
        return true;
    if (d->d_name[0] == '.' && t->filter->note)
        t->filter->note(t->filter->user, d->d_name);
    if (kind == OTHER || (kind == LINK && !t->filter->follow))
        return true;
    if (!grow_array(&l->entries, l->count + 1, room, sizeof *l->entries))
        return false;
    char *name = strdup(d->d_name);
    l->entries[l->count] = (entry){ name, kind };
    l->count += name != NULL;
    return name;
}

/* Read and sort the names. Returns 0, or the errno of what cut them short. */
static int list_names(const tree *t, level *l)
{
    const struct dirent *d;
    size_t room = 0;
    errno = 0;
    while ((d = readdir(l->folder->list)) && add_entry(t, l, &room, d))
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
    if (!l->folder || fstat(tree_descriptor(l->folder), &facts) != 0)
        return;
    l->device = facts.st_dev;
    l->inode = facts.st_ino;
    tree_release(l->folder);
    l->folder = NULL;
}

static void leave(tree *t)
{
    level *l = &t->levels[--t->depth];
    if (t->filter->leave)
        t->filter->leave(t->filter->user);
    tree_release(l->folder);
    for (size_t i = 0; i < l->count; i++)
        free(l->entries[i].name);
    free(l->entries);
}

/* Whether the walk is in the folder already; if not, its level is told where it is. */
static bool is_loop(const tree *t, level *l)
{
    struct stat facts;
    if (!t->filter->follow || fstat(tree_descriptor(l->folder), &facts) != 0)
        return false;
    l->device = facts.st_dev;
    l->inode = facts.st_ino;
    for (size_t i = 0; i < t->depth; i++)
        if (t->levels[i].device == l->device && t->levels[i].inode == l->inode)
            return true;
    return false;
}

/* Go down into the folder t->path, of `length` bytes, that was opened, or was not: -1. Returns 0,
 * or the errno of what cannot be read there. */
static int enter(tree *t, int fd, size_t length)
{
    if (fd < 0)
        return errno;
    tree_folder *folder = make_folder(fd);
    if (!folder)
        return errno;
    if (!grow_array(&t->levels, t->depth + 1, &t->room, sizeof *t->levels)) {
        tree_release(folder);
        return ENOMEM;
    }
    level *l = &t->levels[t->depth];
    *l = (level){ .folder = folder, .path_length = length };
    if (is_loop(t, l)) {
        tree_release(folder);
        return TREE_LOOP;
    }
    if (t->depth >= MAX_OPEN)
        close_folder(&t->levels[t->depth - MAX_OPEN]);
    t->depth++;
    const int cause = list_names(t, l);
    if (t->filter->enter)
        t->filter->enter(t->filter->user, tree_descriptor(folder), t->path, length);
    l->slash = length && t->path[length - 1] != '/';
    return cause;
}

/* ---- paths ------------------------------------------------------------- */

/* Make the path's bytes from `at` on `name`; room for a slash stays after it. */
static bool put_name(tree *t, size_t at, const char *name)
{
    const size_t length = strlen(name);
    if (!grow_array(&t->path, at + length + 2, &t->path_room, 1))
        return false;
    memcpy(t->path + at, name, length + 1);
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
        const char next_byte = path[end];
        path[end] = '\0';
        const int next = at < end ? open_folder(folder, path + at, 0) : dup(folder);
        const int cause = errno;
        path[end] = next_byte;
        close(folder);
        errno = cause;
        folder = next;
        at = end;
    }
    return folder;
}

/* The level's folder, opened again if it was closed; NULL: errno. */
static tree_folder *folder_of(tree *t, level *l)
{
    if (!l->folder) {
        struct stat facts;
        const int fd = open_long(t->path, l->path_length);
        if (fd < 0)
            return NULL;
        l->folder = make_folder(fd);
        if (!l->folder || fstat(fd, &facts) != 0)
            return NULL;
        if (facts.st_dev != l->device || facts.st_ino != l->inode) {
            errno = ENOENT; /* another folder has its name */
            return NULL;
        }
    }
    return l->folder;
}

/* ---- the walk ---------------------------------------------------------- */

tree *tree_open(const char *folder, bool bare, const tree_filter *filter)
{
    tree *t = calloc(1, sizeof *t);
    if (t && !put_name(t, 0, folder)) {
        free(t);
        return NULL;
    }
    if (t) {
        t->bare = bare;
        t->filter = filter;
    }
    return t;
}

static bool is_wanted(const tree *t, const char *name, kind kind)
{
    const tree_filter *f = t->filter;
    return !f->wanted || f->wanted(f->user, t->path, name, kind == FOLDER);
}

/* The name e of the level l: true when there is something to say of it. */
static bool visit(tree *t, level *l, const entry *e, tree_file *file)
{
    const size_t at = l->path_length + l->slash;
    tree_folder *folder = folder_of(t, l);
    struct stat facts;
    kind kind = e->kind;
    if (l->slash)
        t->path[at - 1] = '/';
    if (!folder || !put_name(t, at, e->name)) {
        file->cause = errno;
        l->next = l->count; /* the rest of it is left out */
        t->path[at] = '\0';
        return true;
    }
    if (kind == UNKNOWN || kind == LINK) {
        const int flags = t->filter->follow ? 0 : AT_SYMLINK_NOFOLLOW;
        file->linked = t->filter->follow;
        if (fstatat(tree_descriptor(folder), e->name, &facts, flags) != 0) {
            const int cause = errno;
            file->cause = is_wanted(t, e->name, PLAIN) ? cause : 0;
            return file->cause;
        }
        kind = kind_of_mode(facts.st_mode);
    }
    if (kind == OTHER || !is_wanted(t, e->name, kind))
        return false; /* its level may be left before there is something to say */
    if (kind == FOLDER) {
        const int flags = file->linked ? 0 : O_NOFOLLOW;
        const int fd = open_folder(tree_descriptor(folder), e->name, flags);
        file->cause = enter(t, fd, at + strlen(e->name));
        return file->cause;
    }
    file->folder = folder;
    file->name = e->name;
    return true;
}

bool tree_next(tree *t, tree_file *file)
{
    bool found = false;
    *file = (tree_file){ .cause = 0 };
    if (!t->begun) {
        t->begun = true;
        file->cause = enter(t, open_folder(AT_FDCWD, t->path, 0), t->bare ? 0 : strlen(t->path));
        found = file->cause;
    }
    while (t->depth && !found) {
        level *l = &t->levels[t->depth - 1];
        if (l->next == l->count)
            leave(t);
        else
            found = visit(t, l, &l->entries[l->next++], file);
    }
    file->path = t->path;
    return found;
}

void tree_close(tree *t)
{
    if (!t)
        return;
    while (t->depth)
        leave(t);
    free(t->levels);
    free(t->path);
    free(t);
}
