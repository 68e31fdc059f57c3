/* file_filter.c: see file_filter.h. */
#include "cli/file_filter.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct name_glob {
    const char *glob;
    bool include;
};

/* ---- globs of names ------------------------------------------------------ */

static bool add_glob(name_globs *g, const char *glob, bool include)
{
    if (g->count == g->room) {
        const size_t room = g->room ? 2 * g->room : 8;
        struct name_glob *grown = realloc(g->globs, room * sizeof *grown);
        if (!grown)
            return false;
        g->globs = grown;
        g->room = room;
    }
    g->globs[g->count++] = (struct name_glob){ glob, include };
    return true;
}

/* The glob matches the path, or what is behind one of its slashes. */
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

/* ---- the walk ------------------------------------------------------------ */

static bool is_wanted(void *user, const char *path, const char *name, bool folder)
{
    const file_filter *f = user;
    (void)path;
    return is_taken(folder ? &f->folders : &f->files, name, false);
}

void file_filter_ready(file_filter *f)
{
    f->tree.follow = f->follow;
    f->tree.user = f;
    f->tree.wanted = file_filter_asks(f) ? is_wanted : NULL;
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
}
