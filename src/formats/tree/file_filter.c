/* file_filter.c: see file_filter.h. */
#include "formats/tree/file_filter.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/sources/grow.h"

struct name_glob {
    const char *glob;
    bool include;
};

/* ---- globs of names ------------------------------------------------------ */

static bool add_glob(name_globs *g, const char *glob, bool include)
{
    if (!grow_array(&g->globs, g->count + 1, &g->room, sizeof *g->globs))
        return false;
    g->globs[g->count++] = (struct name_glob){ glob, include };
    return true;
}

/* The glob matches the path, or what is after one of its slashes. */
static bool matches_end(const char *glob, const char *path)
{
    bool matches = fnmatch(glob, path, 0) == 0;
    for (const char *p = path; *p && !matches; p++)
        matches = p[0] == '/' && p[1] != '/' && fnmatch(glob, p + 1, 0) == 0;
    return matches;
}

/* Without a match, what the first glob does not say is done. */
static bool is_taken(const name_globs *g, const char *path, bool operand)
{
    for (size_t i = g->count; i > 0; i--) {
        const struct name_glob *n = &g->globs[i - 1];
        if (operand ? matches_end(n->glob, path) : fnmatch(n->glob, path, 0) == 0)
            return n->include;
    }
    return !g->count || !g->globs[0].include;
}

bool file_filter_include(file_filter *f, const char *glob)
{
    return add_glob(&f->files, glob, true);
}

bool file_filter_exclude(file_filter *f, const char *glob)
{
    return add_glob(&f->files, glob, false);
}

bool file_filter_exclude_folder(file_filter *f, char *glob)
{
    size_t length = strlen(glob);
    while (length > 1 && glob[length - 1] == '/')
        glob[--length] = '\0';
    return add_glob(&f->folders, glob, false);
}

/* The working directory's path, malloc'ed; NULL: it is not known. */
static char *getcwd_copy(void)
{
    char path[4096];
    return getcwd(path, sizeof path) ? strdup(path) : NULL;
}

/* ---- globs of paths, and types ------------------------------------------- */

struct chosen_type {
    const file_type *type;
    bool leave_out;
};

bool file_filter_glob(file_filter *f, const char *glob)
{
    if (!f->here)
        f->here = getcwd_copy();
    return glob_list_add(&f->globs, glob);
}

bool file_filter_type(file_filter *f, const file_type *type, bool leave_out)
{
    type_choice *c = &f->types;
    if (!grow_array(&c->types, c->count + 1, &c->room, sizeof *c->types))
        return false;
    c->types[c->count++] = (struct chosen_type){ type, leave_out };
    return true;
}

typedef enum choice { ASKED_FOR, LEFT_OUT, NOT_SAID } choice;

/* A file that no glob names is left out, if one was to name some. */
static choice by_globs(const file_filter *f, const char *path, const char *name, bool folder)
{
    const size_t here = f->here && *path == '/' ? strlen(f->here) : 0;
    if (here && strncmp(path, f->here, here) == 0 && path[here] == '/')
        path += here + 1;
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    const glob_verdict verdict = glob_list_match(&f->globs, path, name, folder);
    if (verdict == GLOB_NONE)
        return f->globs.plain && !folder ? LEFT_OUT : NOT_SAID;
    return verdict == GLOB_PLAIN ? ASKED_FOR : LEFT_OUT;
}

static choice by_types(const file_filter *f, const char *name)
{
    choice said = NOT_SAID;
    for (size_t i = 0; i < f->types.count && said != ASKED_FOR; i++)
        if (!f->types.types[i].leave_out)
            said = file_type_matches(f->types.types[i].type, name) ? ASKED_FOR : LEFT_OUT;
    for (size_t i = 0; i < f->types.count; i++)
        if (f->types.types[i].leave_out && file_type_matches(f->types.types[i].type, name))
            return LEFT_OUT;
    return said;
}

/* ---- the walk ------------------------------------------------------------ */

static bool is_wanted(void *user, const char *path, const char *name, bool folder)
{
    file_filter *f = user;
    if (!is_taken(folder ? &f->folders : &f->files, name, false))
        return false;
    const choice globs = f->globs.count ? by_globs(f, path, name, folder) : NOT_SAID;
    if (globs != NOT_SAID)
        return globs == ASKED_FOR;
    const choice types = f->types.count && !folder ? by_types(f, name) : NOT_SAID;
    return types != LEFT_OUT &&
           !(f->ignore && ignore_leaves_out(f->ignore, path, name, folder, types == ASKED_FOR));
}

static void note(void *user, const char *name)
{
    ignore_note(((file_filter *)user)->ignore, name);
}

static void enter(void *user, int folder, const char *path, size_t length)
{
    ignore_enter(((file_filter *)user)->ignore, folder, path, length);
}

static void leave(void *user)
{
    ignore_leave(((file_filter *)user)->ignore);
}

bool file_filter_ready(file_filter *f)
{
    const bool asks =
        f->ignores || f->globs.count || f->types.count || f->files.count || f->folders.count;
    f->ignore = f->ignores ? ignore_open(f->hidden) : NULL;
    f->tree = (tree_filter){ .follow = f->follow, .user = f, .wanted = asks ? is_wanted : NULL };
    if (f->ignore) {
        f->tree.note = note;
        f->tree.enter = enter;
        f->tree.leave = leave;
    }
    return f->ignore || !f->ignores;
}

bool file_filter_begin(file_filter *f, const char *folder)
{
    return !f->ignore || ignore_begin(f->ignore, folder);
}

int file_filter_failed(const file_filter *f)
{
    return f->ignore ? ignore_failed(f->ignore) : 0;
}

bool file_filter_takes(const file_filter *f, const char *path, bool folder)
{
    return is_taken(folder ? &f->folders : &f->files, path, true);
}

bool file_filter_asks(const file_filter *f)
{
    return f->files.count || f->folders.count;
}

void file_filter_free(file_filter *f)
{
    free(f->files.globs);
    free(f->folders.globs);
    free(f->types.types);
    free(f->here);
    glob_list_free(&f->globs);
    ignore_free(f->ignore);
}
