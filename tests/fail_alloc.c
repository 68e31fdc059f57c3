/* fail_alloc.c: a library to preload (LD_PRELOAD), which fails one call of a program.
 *
 *     TRAWL_FAIL=KIND:K       the K-th call of KIND fails, counted from 1; with 0 none does
 *     TRAWL_FAIL_COUNT=FILE   when the program ends, FILE gets the number of such calls
 *
 *     KIND             calls                                                     error
 *     malloc           malloc, calloc, realloc, aligned_alloc, posix_memalign    ENOMEM
 *     mmap             mmap, mmap64                                              ENOMEM
 *     read             read                                                      EIO
 *     pthread_create   pthread_create                                            EAGAIN
 *
 * Counting begins when the program's libraries are ready, shortly before main. What the C library
 * asks itself for is seen where it calls as others do: malloc, but neither mmap nor read.
 * Not for sanitizers, which replace the same calls.
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* so that mmap and mmap64 are two names */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KIND_MALLOC, KIND_MMAP, KIND_READ, KIND_PTHREAD_CREATE, KINDS };

static const char *const kind_names[KINDS] = { "malloc", "mmap", "read", "pthread_create" };
static int chosen = KINDS; /* none, until the libraries are ready */
static unsigned long failing;
static atomic_ulong calls;

__attribute__((constructor)) static void choose(void)
{
    const char *wish = getenv("TRAWL_FAIL");
    for (int kind = 0; wish && kind < KINDS; kind++) {
        const size_t length = strlen(kind_names[kind]);
        if (strncmp(wish, kind_names[kind], length) == 0 && wish[length] == ':') {
            failing = strtoul(wish + length + 1, NULL, 10);
            chosen = kind;
        }
    }
}

__attribute__((destructor)) static void write_count(void)
{
    const char *path = getenv("TRAWL_FAIL_COUNT");
    char text[32];
    const int length = snprintf(text, sizeof text, "%lu\n", atomic_load(&calls));
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file >= 0 && write(file, text, (size_t)length) != length)
        abort();
}

/* Whether this call is the one to fail. */
static bool fails(int kind, int error)
{
    if (kind != chosen || atomic_fetch_add(&calls, 1) + 1 != failing)
        return false;
    errno = error;
    return true;
}

/* The function that this one stands before; looking it up allocates nothing. */
#define REAL(name)                                                                                 \
    static __typeof__(name) *real;                                                                 \
    if (!real) {                                                                                   \
        void *found = dlsym(RTLD_NEXT, #name);                                                     \
        memcpy(&real, &found, sizeof real);                                                        \
    }

void *malloc(size_t size)
{
    REAL(malloc)
    return fails(KIND_MALLOC, ENOMEM) ? NULL : real(size);
}

void *calloc(size_t count, size_t size)
{
    REAL(calloc)
    return fails(KIND_MALLOC, ENOMEM) ? NULL : real(count, size);
}

void *realloc(void *memory, size_t size)
{
    REAL(realloc)
    return fails(KIND_MALLOC, ENOMEM) ? NULL : real(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    REAL(aligned_alloc)
    return fails(KIND_MALLOC, ENOMEM) ? NULL : real(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    REAL(posix_memalign)
    return fails(KIND_MALLOC, ENOMEM) ? ENOMEM : real(memory, alignment, size);
}

void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset)
{
    REAL(mmap)
    return fails(KIND_MMAP, ENOMEM) ? MAP_FAILED
                                    : real(at, length, protection, flags, file, offset);
}

void *mmap64(void *at, size_t length, int protection, int flags, int file, off64_t offset)
{
    REAL(mmap64)
    return fails(KIND_MMAP, ENOMEM) ? MAP_FAILED
                                    : real(at, length, protection, flags, file, offset);
}

ssize_t read(int file, void *bytes, size_t length)
{
    REAL(read)
    return fails(KIND_READ, EIO) ? -1 : real(file, bytes, length);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *user)
{
    REAL(pthread_create)
    return fails(KIND_PTHREAD_CREATE, EAGAIN) ? EAGAIN : real(thread, attributes, run, user);
}
