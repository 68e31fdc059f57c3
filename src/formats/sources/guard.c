/* guard.c: mapped files, of which somebody may cut off pages while they are read.
 *
 * Idea. Reading a page that is gone, or that the disk cannot read, raises SIGBUS in the thread that
 * reads. The handler puts zero pages in the place of that page and all after it, notes where they
 * begin, and returns: the search goes on, unaware, in all its threads. Who mapped the file asks at
 * its end how much of it was there, and drops what was found after it.
 *
 * Invariant: what lies before `kept` was never replaced.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "formats/sources/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_MAPPINGS 4

/* Set before other threads read the mapping; they change `kept` alone. */
struct guard {
    atomic_uintptr_t begin; /* 0: free */
    atomic_size_t length;
    atomic_size_t kept;
};

static guard guards[MAX_MAPPINGS];
static size_t page_size;

static guard *guard_at(uintptr_t address)
{
    for (size_t i = 0; i < MAX_MAPPINGS; i++) {
        const uintptr_t begin = atomic_load(&guards[i].begin);
        if (begin && address - begin < atomic_load(&guards[i].length))
            return &guards[i];
    }
    return NULL;
}

/* Turn the mapping to zeros from the page of `address` on. mmap is a bare system call, so a handler
 * may use it. */
static bool blank(guard *g, uintptr_t address)
{
    const uintptr_t page = address / page_size * page_size;
    const size_t lost = (size_t)(page - atomic_load(&g->begin));
    size_t kept = atomic_load(&g->kept);
    while (lost < kept && !atomic_compare_exchange_weak(&g->kept, &kept, lost))
        ;
    return mmap((void *)page, atomic_load(&g->length) - lost, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    const int before = errno;
    const uintptr_t address = (uintptr_t)info->si_addr;
    (void)context;
    guard *g = info->si_code > 0 ? guard_at(address) : NULL; /* not one that a process sent */
    if (!g || !blank(g, address)) {
        signal(number, SIG_DFL);
        raise(number); /* delivered when this handler returns */
    }
    errno = before;
}

void guard_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, NULL);
}

guard *guard_mapping(const void *map, size_t length)
{
    for (size_t i = 0; i < MAX_MAPPINGS; i++) {
        guard *g = &guards[i];
        if (!atomic_load(&g->begin)) {
            atomic_store(&g->length, length);
            atomic_store(&g->kept, length);
            atomic_store(&g->begin, (uintptr_t)map);
            return g;
        }
    }
    return NULL;
}

void guard_release(guard *g)
{
    if (g)
        atomic_store(&g->begin, 0);
}

size_t guard_kept(const guard *g)
{
    return atomic_load(&g->kept);
}
