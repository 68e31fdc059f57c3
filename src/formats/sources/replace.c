/* replace.c: see replace.h.
 *
 * Invariant: while a temporary file is there its name is where a handler of signals finds it.
 */
#define _GNU_SOURCE /* realpath */
#include "formats/sources/replace.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40 /* that follow one another, as on Linux */

/* ---- signals --------------------------------------------------------------- */

static char pending[PATH_MAX]; /* while is_pending */
static atomic_bool is_pending;

void replace_abandon(void)
{
    if (atomic_load(&is_pending))
        unlink(pending);
}

static void on_end(int number)
{
    const int before = errno;
    replace_abandon();
    raise(number); /* delivered when this handler returns, and then it ends the process */
    errno = before;
}

/* Signals that somebody waits for, or wants to be without, stay as they are. */
static void watch_signals(void)
{
    static const int ends[] = { SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGPIPE, SIGALRM,
                                SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ };
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_end;
    action.sa_flags = (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(ends[i], &action, NULL);
}

/* As mkstemp, but no signal comes between the file and its name's being noted. */
static int make_pending(char *temporary)
{
    sigset_t all, old;
    if (strlen(temporary) >= sizeof pending) {
        errno = ENAMETOOLONG;
        return -1;
    }
    watch_signals();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const int fd = mkstemp(temporary);
    const int cause = errno;
    if (fd >= 0) {
        memcpy(pending, temporary, strlen(temporary) + 1);
        atomic_store(&is_pending, true);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = cause;
    return fd;
}

/* ---- names ----------------------------------------------------------------- */

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

/* Where the link at `path` leads; malloc'ed, NULL: errno. */
static char *read_link(const char *path)
{
    char leads[PATH_MAX];
    const ssize_t length = readlink(path, leads, sizeof leads);
    const char *slash = strrchr(path, '/');
    if (length < 0)
        return NULL;
    const size_t folder = slash && leads[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    char *made = malloc(folder + (size_t)length + 1);
    if (made) {
        memcpy(made, path, folder);
        memcpy(made + folder, leads, (size_t)length);
        made[folder + (size_t)length] = '\0';
    }
    return made;
}

/* The path that symbolic links lead to, whether there is a file or not; malloc'ed, NULL: errno. */
static char *linked_path(const char *path)
{
    struct stat facts;
    char *name = strdup(path);
    for (int links = 0; name && lstat(name, &facts) == 0 && S_ISLNK(facts.st_mode); links++) {
        char *next = links < MAX_LINKS ? read_link(name) : NULL;
        const int cause = links < MAX_LINKS ? errno : ELOOP;
        free(name);
        name = next;
        errno = cause;
    }
    return name;
}

/* The path of what is replaced and a pattern for mkstemp beside it. */
static bool name_files(replacement *r, const char *path)
{
    static const char suffix[] = ".XXXXXX";
    r->path = linked_path(path);
    const char *slash = r->path ? strrchr(r->path, '/') : NULL;
    const size_t folder = slash ? (size_t)(slash + 1 - r->path) : 0;
    const size_t all = r->path ? strlen(r->path) : 0, most = folder + NAME_MAX + 1 - sizeof suffix;
    const size_t length = all < most ? all : most; /* the name with those letters is one, too */
    r->temporary = r->path ? malloc(length + sizeof suffix) : NULL;
    if (!r->temporary)
        return false;
    memcpy(r->temporary, r->path, length);
    memcpy(r->temporary + length, suffix, sizeof suffix);
    return true;
}

/* The descriptor of which the path is a name; it may be in the midst of a file. -1: of none. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0)
            return (int)strtol(path + length, NULL, 10);
    }
    return strcmp(path, "/dev/stdout") == 0   ? STDOUT_FILENO
           : strcmp(path, "/dev/stderr") == 0 ? STDERR_FILENO
                                              : -1;
}

/* Write to a descriptor of the process as it stands. */
static bool open_descriptor(replacement *r, int fd)
{
    const int copy = dup(fd);
    r->file = copy >= 0 ? fdopen(copy, "wb") : NULL;
    if (!r->file && copy >= 0)
        close(copy);
    return r->file;
}

/* ---- files ----------------------------------------------------------------- */

/* The owner of the file that is replaced, as far as the process may give files away, and its
 * rights; NULL: those of a new one. */
static bool set_rights(int fd, const struct stat *old)
{
    if (old && fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, (uid_t)-1, old->st_gid) != 0)
        errno = 0; /* it is the process's own then */
    return fchmod(fd, mode_of(old)) == 0;
}

static bool make_file(replacement *r, const struct stat *old)
{
    const int fd = make_pending(r->temporary);
    if (fd < 0)
        return false;
    r->file = set_rights(fd, old) ? fdopen(fd, "wb") : NULL;
    if (r->file)
        return true;
    const int cause = errno;
    close(fd);
    unlink(r->temporary);
    atomic_store(&is_pending, false);
    errno = cause;
    return false;
}

bool replace_begin(replacement *r, const char *path)
{
    struct stat old;
    const bool there = stat(path, &old) == 0;
    *r = (replacement){ 0 };
    if (there && descriptor_of(path) >= 0)
        return open_descriptor(r, descriptor_of(path));
    if (there && !S_ISREG(old.st_mode))
        return (r->file = fopen(path, "wb")) != NULL;
    if (there && access(path, W_OK) != 0)
        return false;
    if (name_files(r, path) && make_file(r, there ? &old : NULL))
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

bool replace_is_below(const char *path, const char *folder)
{
    char *file = realpath(path, NULL), *place = realpath(folder, NULL);
    const size_t length = place ? strlen(place) : 0;
    const bool below = file && place && strncmp(file, place, length) == 0 &&
                       (file[length] == '/' || place[length - 1] == '/');
    free(file);
    free(place);
    return below;
}

bool replace_is_output(const char *path)
{
    struct stat there, out;
    return strcmp(path, "-") == 0 || (stat(path, &there) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
                                      there.st_dev == out.st_dev && there.st_ino == out.st_ino);
}

/* Where nothing can take the file's place, for it is mounted there, as into a container. */
static bool copy_over(const char *from, const char *path)
{
    char bytes[1u << 14];
    FILE *in = fopen(from, "rb"), *out = in ? fopen(path, "wb") : NULL;
    size_t got = 1;
    bool fine = out;
    while (fine && (got = fread(bytes, 1, sizeof bytes, in)) > 0)
        fine = fwrite(bytes, 1, got, out) == got;
    fine = fine && !ferror(in) && fflush(out) == 0 && fsync(fileno(out)) == 0;
    const int cause = errno;
    if (in)
        fclose(in);
    if (out)
        fclose(out);
    errno = cause;
    return fine;
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
        fine = errno == EBUSY && copy_over(r->temporary, r->path);
        cause = errno;
    }
    if (r->path) {
        unlink(r->temporary); /* where it was renamed there is none */
        atomic_store(&is_pending, false);
    }
    free_names(r);
    errno = cause;
    return fine;
}
