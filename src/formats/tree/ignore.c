/* ignore.c: see ignore.h.
 *
 * Idea. A stack of lists for each kind of file, with the lists of the folders that the walk is in;
 * the walk says which names begin with a dot, so no file is opened that is not there. Paths are
 * made whole, from the root of the file system, for rules above the walk's folder are for its path,
 * too; each list knows how much of it is its own folder's.
 *
 * Cost: for each name, a copy of its path, and the rules that could be for it.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "formats/tree/ignore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/sources/grow.h"
#include "formats/tree/glob.h"

#define MAX_PATH 4096        /* that the system takes: PATH_MAX at least */
#define MAX_READ (16u << 20) /* of one file */

/* In the order in which they decide. */
typedef enum list_kind { RGIGNORE, IGNORE, GITIGNORE, EXCLUDE, GLOBAL, KINDS } list_kind;

static const char *const file_names[KINDS] = { ".rgignore", ".ignore", ".gitignore",
                                               ".git/info/exclude", "git/ignore" };

#define NO_LEVEL SIZE_MAX

/* The rules of one file. */
typedef struct rules {
    glob_list list;
    size_t level; /* of the folder it is in */
    size_t base;  /* bytes of whole paths that are this folder's, with a slash */
} rules;

typedef struct rules_stack {
    rules *items;
    size_t count, room;
} rules_stack;

/* The deepest level, up to a folder's own, that has a .git. */
typedef struct folder_level {
    size_t git;
} folder_level;

struct ignore {
    bool hidden;
    int cause; /* errno of what failed */
    bool noted[KINDS];
    rules_stack stacks[KINDS];
    folder_level *levels;
    size_t depth, room;
    size_t above; /* of them are not the walk's */
    char *whole;  /* path of what is asked for */
    size_t whole_room;
    size_t root;  /* bytes of it that are the walk's folder, with a slash */
    size_t strip; /* bytes of the walk's paths that are this folder's, with a slash */
};

/* ---- reading ------------------------------------------------------------- */

/* A regular file, malloc'ed; NULL: there is none, or it cannot be opened. What cannot be read of it
 * makes the whole fail. */
static char *read_whole(ignore *i, int folder, const char *name, size_t *length)
{
    struct stat facts;
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *text = NULL;
    *length = 0;
    const bool regular =
        fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size <= MAX_READ;
    if (regular)
        text = malloc((size_t)facts.st_size + 1);
    if (regular && !text)
        i->cause = ENOMEM;
    while (text && *length < (size_t)facts.st_size) {
        const ssize_t got = read(fd, text + *length, (size_t)facts.st_size - *length);
        if (got < 0 && errno != EINTR)
            i->cause = errno;
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        *length += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    return text;
}

static void add_file(ignore *i, list_kind kind, int folder, const char *name, size_t base)
{
    rules_stack *s = &i->stacks[kind];
    size_t length;
    char *text = read_whole(i, folder, name, &length);
    if (!text)
        return;
    if (!grow_array(&s->items, s->count + 1, &s->room, sizeof *s->items)) {
        i->cause = ENOMEM;
        free(text);
        return;
    }
    rules *r = &s->items[s->count++];
    *r = (rules){ .level = i->depth - 1, .base = base };
    if (!glob_list_add_lines(&r->list, text, length))
        i->cause = ENOMEM;
    free(text);
}

/* ---- folders ------------------------------------------------------------- */

static bool push_level(ignore *i, bool git)
{
    if (!grow_array(&i->levels, i->depth + 1, &i->room, sizeof *i->levels))
        return false;
    i->levels[i->depth].git = git ? i->depth : i->depth ? i->levels[i->depth - 1].git : NO_LEVEL;
    i->depth++;
    return true;
}

static void pop_level(ignore *i)
{
    i->depth--;
    for (size_t kind = 0; kind < KINDS; kind++) {
        rules_stack *s = &i->stacks[kind];
        while (s->count && s->items[s->count - 1].level >= i->depth)
            glob_list_free(&s->items[--s->count].list);
    }
}

static bool whole_room(ignore *i, size_t length)
{
    const bool grown = grow_array(&i->whole, length, &i->whole_room, 1);
    i->cause = grown ? i->cause : ENOMEM;
    return grown;
}

/* The files in the folder whole[0 .. length), which is above the walk's. */
static bool add_above(ignore *i, size_t length)
{
    char *name = malloc(length + sizeof ".git/info/exclude" + 1);
    struct stat facts;
    if (!name)
        return false;
    memcpy(name, i->whole, length);
    strcpy(name + length, ".git");
    const bool git = stat(name, &facts) == 0;
    const bool pushed = push_level(i, git);
    for (list_kind kind = RGIGNORE; pushed && kind <= (git ? EXCLUDE : GITIGNORE); kind++) {
        strcpy(name + length, file_names[kind]);
        add_file(i, kind, AT_FDCWD, name, length);
    }
    free(name);
    return pushed;
}

/* The user's, for the walk's folder. */
static void add_global(ignore *i)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const bool own = config && *config;
    char name[MAX_PATH];
    const int length = snprintf(name, sizeof name, "%s%s%s",
                                own    ? config
                                : home ? home
                                       : "",
                                own ? "/" : "/.config/", file_names[GLOBAL]);
    if ((own || (home && *home)) && length > 0 && (size_t)length < sizeof name)
        add_file(i, GLOBAL, AT_FDCWD, name, i->root);
}

bool ignore_begin(ignore *i, const char *folder)
{
    while (i->depth)
        pop_level(i);
    memset(i->noted, 0, sizeof i->noted);
    i->strip = NO_LEVEL;
    char room[MAX_PATH], *real = realpath(folder, room); /* NULL: one too long, say */
    const size_t length = real ? strlen(real) : 0;
    const bool had = !real || whole_room(i, length + 2);
    if (real && had) {
        memcpy(i->whole, real, length + 1);
        if (i->whole[length - 1] != '/')
            strcpy(i->whole + length, "/");
    }
    i->root = real && had ? strlen(i->whole) : 0;
    bool good = had && push_level(i, false);
    if (good && i->root)
        add_global(i);
    for (size_t at = 0; good && at + 1 < i->root; at++) /* the last slash is the folder's own */
        if (i->whole[at] == '/')
            good = add_above(i, at + 1);
    i->above = i->depth;
    return good;
}

void ignore_note(ignore *i, const char *name)
{
    for (size_t kind = 0; kind <= GITIGNORE; kind++)
        i->noted[kind] |= strcmp(name, file_names[kind]) == 0;
    i->noted[EXCLUDE] |= strcmp(name, ".git") == 0;
}

/* The path of the walk as one from the root. NULL: no memory. */
static char *whole_path(ignore *i, const char *path, size_t length)
{
    const size_t strip = length < i->strip ? length : i->strip;
    if (!whole_room(i, i->root + length - strip + 2))
        return NULL;
    memcpy(i->whole + i->root, path + strip, length - strip);
    i->whole[i->root + length - strip] = '\0';
    return i->whole;
}

void ignore_enter(ignore *i, int folder, const char *path, size_t length)
{
    if (i->strip == NO_LEVEL) /* the walk's first one */
        i->strip = length + (length && path[length - 1] != '/');
    const char *whole = whole_path(i, path, length);
    size_t base = whole ? strlen(whole) : 0;
    base += whole && base > i->root;
    if (push_level(i, i->noted[EXCLUDE])) {
        for (list_kind kind = RGIGNORE; whole && kind <= EXCLUDE; kind++)
            if (i->noted[kind])
                add_file(i, kind, folder, file_names[kind], base);
    } else {
        i->cause = ENOMEM;
    }
    memset(i->noted, 0, sizeof i->noted);
}

void ignore_leave(ignore *i)
{
    if (i->depth > i->above)
        pop_level(i);
}

/* ---- verdicts ------------------------------------------------------------ */

static glob_verdict ask(const ignore *i, list_kind kind, const char *whole, const char *name,
                        bool folder)
{
    const rules_stack *s = &i->stacks[kind];
    const size_t git = i->levels[i->depth - 1].git;
    glob_verdict verdict = GLOB_NONE;
    if (kind >= GITIGNORE && git == NO_LEVEL)
        return GLOB_NONE;
    for (size_t k = s->count; k > 0 && verdict == GLOB_NONE; k--) {
        const rules *r = &s->items[k - 1];
        if ((kind == GITIGNORE || kind == EXCLUDE) && r->level < git)
            break; /* another repository's */
        verdict = glob_list_match(&r->list, whole + r->base, name, folder);
    }
    return verdict;
}

bool ignore_leaves_out(ignore *i, const char *path, const char *name, bool folder, bool listed)
{
    const char *whole = whole_path(i, path, strlen(path));
    glob_verdict verdict = GLOB_NONE;
    for (list_kind kind = RGIGNORE; kind < KINDS && whole && verdict == GLOB_NONE; kind++)
        if (i->stacks[kind].count)
            verdict = ask(i, kind, whole, name, folder);
    if (verdict != GLOB_NONE)
        return verdict == GLOB_PLAIN;
    return name[0] == '.' && !i->hidden && !listed;
}

/* ---- open and free ------------------------------------------------------- */

ignore *ignore_open(bool hidden)
{
    ignore *i = calloc(1, sizeof *i);
    if (i)
        i->hidden = hidden;
    return i;
}

int ignore_failed(const ignore *i)
{
    return i->cause;
}

void ignore_free(ignore *i)
{
    if (!i)
        return;
    while (i->depth)
        pop_level(i);
    for (size_t kind = 0; kind < KINDS; kind++)
        free(i->stacks[kind].items);
    free(i->levels);
    free(i->whole);
    free(i);
}
