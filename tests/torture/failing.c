/* failing.c: see failing.h. */
#include "failing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define POISON 0xa5
#define MAX_POISONED 4096u /* bytes of a block */

const char *const failing_names[FAILING_KINDS] = { "memory", "thread", "map",       "read", "open",
                                                   "write",  "facts",  "interrupt", "short" };

static atomic_int chosen = FAILING_KINDS;
static atomic_ulong calls, failing;
static atomic_bool on, hit;
static atomic_long blocks;
static FILE *_Atomic broken; /* the last fread of it failed */

void failing_begin(failing_kind kind, unsigned long k, bool onwards)
{
    atomic_store(&calls, 0);
    atomic_store(&failing, k);
    atomic_store(&on, onwards);
    atomic_store(&hit, false);
    atomic_store(&broken, NULL);
    atomic_store(&chosen, (int)kind);
}

unsigned long failing_end(void)
{
    atomic_store(&chosen, FAILING_KINDS);
    return atomic_load(&calls);
}

bool failing_hit(void)
{
    return atomic_load(&hit);
}

long failing_blocks(void)
{
    return atomic_load(&blocks);
}

/* Whether this call is to fail, and then why. */
static bool fails(failing_kind kind, int error)
{
    if ((int)kind != atomic_load(&chosen))
        return false;
    const unsigned long call = atomic_fetch_add(&calls, 1) + 1, k = atomic_load(&failing);
    if (k == 0 || call < k || (call > k && !atomic_load(&on)))
        return false;
    atomic_store(&hit, true);
    errno = error;
    return true;
}

/* ---- memory ------------------------------------------------------------------ */

/* Each stands before the one of the C library, __real_NAME. */
#define WRAPPED(result, name, parameters)                                                          \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters

static void *took(void *block)
{
    atomic_fetch_add(&blocks, block != NULL);
    return block;
}

/* What is read before it was written shall not happen to be zero. */
WRAPPED(void *, malloc, (size_t size))
{
    void *made = fails(FAIL_MEMORY, ENOMEM) ? NULL : took(__real_malloc(size));
    if (made)
        memset(made, POISON, size < MAX_POISONED ? size : MAX_POISONED);
    return made;
}

WRAPPED(void *, calloc, (size_t count, size_t size))
{
    return fails(FAIL_MEMORY, ENOMEM) ? NULL : took(__real_calloc(count, size));
}

WRAPPED(void *, realloc, (void *block, size_t size))
{
    if (fails(FAIL_MEMORY, ENOMEM))
        return NULL;
    return block ? __real_realloc(block, size) : took(__real_realloc(NULL, size));
}

WRAPPED(void *, aligned_alloc, (size_t alignment, size_t size))
{
    return fails(FAIL_MEMORY, ENOMEM) ? NULL : took(__real_aligned_alloc(alignment, size));
}

WRAPPED(char *, strdup, (const char *text))
{
    return fails(FAIL_MEMORY, ENOMEM) ? NULL : took(__real_strdup(text));
}

WRAPPED(void, free, (void *block))
{
    atomic_fetch_sub(&blocks, block != NULL);
    __real_free(block);
}

/* The text is the caller's to free. */
WRAPPED(FILE *, open_memstream, (char **text, size_t *length))
{
    return fails(FAIL_MEMORY, ENOMEM) ? NULL : took(__real_open_memstream(text, length));
}

WRAPPED(DIR *, opendir, (const char *path))
{
    return fails(FAIL_MEMORY, ENOMEM) ? NULL : __real_opendir(path);
}

WRAPPED(DIR *, fdopendir, (int file))
{
    return fails(FAIL_MEMORY, ENOMEM) ? NULL : __real_fdopendir(file);
}

/* ---- threads, mappings ---------------------------------------------------------- */

WRAPPED(int, pthread_attr_init, (pthread_attr_t * attributes))
{
    return fails(FAIL_MEMORY, ENOMEM) ? ENOMEM : __real_pthread_attr_init(attributes);
}

WRAPPED(int, pthread_create,
        (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *),
         void *argument))
{
    return fails(FAIL_THREAD, EAGAIN) ? EAGAIN
                                      : __real_pthread_create(thread, attributes, run, argument);
}

/* ---- files ------------------------------------------------------------------------ */

WRAPPED(ssize_t, read, (int file, void *bytes, size_t length))
{
    static atomic_bool interrupted;
    if (!atomic_exchange(&interrupted, false) && fails(FAIL_INTERRUPT, EINTR)) {
        atomic_store(&interrupted, true);
        return -1;
    }
    if (fails(FAIL_READ, EIO))
        return -1;
    return __real_read(file, bytes, length && fails(FAIL_SHORT, 0) ? 1 : length);
}

#define READS_AT(name)                                                                             \
    WRAPPED(ssize_t, name, (int file, void *bytes, size_t length, off_t offset))                   \
    {                                                                                              \
        return fails(FAIL_READ, EIO) ? -1 : __real_##name(file, bytes, length, offset);            \
    }

WRAPPED(size_t, fread, (void *bytes, size_t size, size_t count, FILE *file))
{
    if (!fails(FAIL_READ, EIO))
        return __real_fread(bytes, size, count, file);
    atomic_store(&broken, file);
    return 0;
}

WRAPPED(int, ferror, (FILE * file))
{
    return file == atomic_load(&broken) || __real_ferror(file);
}

/* Those of large files have names of their own. */
#define MAPS(name)                                                                                 \
    WRAPPED(void *, name,                                                                          \
            (void *at, size_t length, int protection, int flags, int file, off_t offset))          \
    {                                                                                              \
        return fails(FAIL_MAP, ENOMEM)                                                             \
                   ? MAP_FAILED                                                                    \
                   : __real_##name(at, length, protection, flags, file, offset);                   \
    }

#define STREAMS(name)                                                                              \
    WRAPPED(FILE *, name, (const char *path, const char *mode))                                    \
    {                                                                                              \
        return fails(FAIL_MEMORY, ENOMEM) || fails(FAIL_OPEN, EMFILE) ? NULL                       \
                                                                      : __real_##name(path, mode); \
    }

#define TEMPORARY(name)                                                                            \
    WRAPPED(int, name, (char *path))                                                               \
    {                                                                                              \
        return fails(FAIL_OPEN, EMFILE) ? -1 : __real_##name(path);                                \
    }

/* The mode is there when a file may be made. */
#define OPENS(name, parameters, arguments)                                                         \
    int __real_##name parameters;                                                                  \
    int __wrap_##name parameters;                                                                  \
    int __wrap_##name parameters                                                                   \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        const mode_t mode = flags & O_CREAT ? (mode_t)va_arg(more, unsigned) : 0;                  \
        va_end(more);                                                                              \
        return fails(FAIL_OPEN, EMFILE) ? -1 : __real_##name arguments;                            \
    }

#define FACTS(name)                                                                                \
    WRAPPED(int, name, (int file, struct stat *facts))                                             \
    {                                                                                              \
        return fails(FAIL_FACTS, EIO) ? -1 : __real_##name(file, facts);                           \
    }

#define FACTS_AT(name)                                                                             \
    WRAPPED(int, name, (int folder, const char *path, struct stat *facts, int flags))              \
    {                                                                                              \
        return fails(FAIL_FACTS, EIO) ? -1 : __real_##name(folder, path, facts, flags);            \
    }

#define PLACES(name)                                                                               \
    WRAPPED(off_t, name, (int file, off_t offset, int from))                                       \
    {                                                                                              \
        return fails(FAIL_FACTS, EIO) ? -1 : __real_##name(file, offset, from);                    \
    }

WRAPPED(ssize_t, write, (int file, const void *bytes, size_t length))
{
    return fails(FAIL_WRITE, ENOSPC) ? -1 : __real_write(file, bytes, length);
}

READS_AT(pread)
FACTS(fstat)
FACTS_AT(fstatat)
PLACES(lseek)
MAPS(mmap)
STREAMS(fopen)
TEMPORARY(mkstemp)
OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
#ifdef __GLIBC__
READS_AT(pread64)
FACTS(fstat64)
FACTS_AT(fstatat64)
PLACES(lseek64)
MAPS(mmap64)
STREAMS(fopen64)
TEMPORARY(mkstemp64)
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
#endif
