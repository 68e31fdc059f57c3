/* replace.c: see io/replace.h. */
#define _GNU_SOURCE /* realpath */
#include "io/replace.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void free_names(replacement *r)
{
    const int cause = errno;
    free(r->path);
    free(r->temporary);
    r->path = r->temporary = NULL;
    errno = cause;
}

/* With the rights of the file that it replaces, or those of a new one. */
static mode_t mode_of(const struct stat *old)
{
    const mode_t mask = umask(0);
    umask(mask);
    return old ? old->st_mode & 0777 : 0666 & ~mask;
}

/* The path of what is replaced and a pattern for mkstemp beside it. */
static bool name_files(replacement *r, const char *path, bool there)
{
    static const char behind[] = ".XXXXXX";
    char found[PATH_MAX];
    const char *name = there ? realpath(path, found) : path;
    if (!name)
        return false;
    const size_t length = strlen(name);
    r->path = malloc(length + 1);
    r->temporary = r->path ? malloc(length + sizeof behind) : NULL;
    if (!r->temporary)
        return false;
    memcpy(r->path, name, length + 1);
    memcpy(r->temporary, name, length);
    memcpy(r->temporary + length, behind, sizeof behind);
    return true;
}

/* `old`: of the file that is there already; NULL: none is. */
static bool make_file(replacement *r, const struct stat *old)
{
    const int fd = mkstemp(r->temporary);
    if (fd < 0)
        return false;
    r->file = fchmod(fd, mode_of(old)) == 0 ? fdopen(fd, "wb") : NULL;
    if (r->file)
        return true;
    const int cause = errno;
    close(fd);
    unlink(r->temporary);
    errno = cause;
    return false;
}

bool replace_begin(replacement *r, const char *path)
{
    struct stat old;
    const bool there = stat(path, &old) == 0;
    *r = (replacement){ 0 };
    if (!there && lstat(path, &old) == 0 && S_ISLNK(old.st_mode)) {
        errno = ENOENT; /* a link that leads nowhere stays one */
        return false;
    }
    if (there && !S_ISREG(old.st_mode))
        return (r->file = fopen(path, "wb")) != NULL;
    if (name_files(r, path, there) && make_file(r, there ? &old : NULL))
        return true;
    free_names(r);
    return false;
}

bool replace_is(const char *path, const char *input)
{
    struct stat output, in;
    return stat(path, &output) == 0 &&
           (strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &in) : stat(input, &in)) == 0 &&
           S_ISREG(output.st_mode) && output.st_dev == in.st_dev && output.st_ino == in.st_ino;
}

bool replace_end(replacement *r, bool fine)
{
    if (fine)
        fine = fflush(r->file) == 0 && (!r->path || fsync(fileno(r->file)) == 0);
    int cause = errno;
    if (fclose(r->file) != 0 && fine) {
        cause = errno;
        fine = false;
    }
    if (fine && r->path && rename(r->temporary, r->path) != 0) {
        cause = errno;
        fine = false;
    }
    if (r->path && !fine)
        unlink(r->temporary);
    free_names(r);
    errno = cause;
    return fine;
}
