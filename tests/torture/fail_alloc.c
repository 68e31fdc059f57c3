/* fail_alloc.c: a library to preload (LD_PRELOAD), which fails one allocation of a program: malloc,
 * calloc, realloc, aligned_alloc or posix_memalign.
 *
 *     TRAWL_FAIL=K            the K-th one fails, counted from 1; with 0 none does
 *     TRAWL_FAIL_COUNT=FILE   when the program ends, FILE gets their number
 *
 * Counting begins when the program's libraries are ready, shortly before main. What the C library
 * takes for itself is seen too. Not for sanitizers, which replace the same calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ready;
static unsigned long failing;
static atomic_ulong calls;

__attribute__((constructor)) static void choose(void)
{
    const char *wish = getenv("TRAWL_FAIL");
    failing = wish ? strtoul(wish, NULL, 10) : 0;
    ready = true;
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
static bool fails(void)
{
    if (!ready || atomic_fetch_add(&calls, 1) + 1 != failing)
        return false;
    errno = ENOMEM;
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
    return fails() ? NULL : real(size);
}

void *calloc(size_t count, size_t size)
{
    REAL(calloc)
    return fails() ? NULL : real(count, size);
}

void *realloc(void *memory, size_t size)
{
    REAL(realloc)
    return fails() ? NULL : real(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    REAL(aligned_alloc)
    return fails() ? NULL : real(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    REAL(posix_memalign)
    return fails() ? ENOMEM : real(memory, alignment, size);
}
