/* origin.c: see origin.h. */
#ifdef __linux__
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_WIPEONFORK */
#include <sys/mman.h>
#endif
#include "base/origin.h"

#include <unistd.h>

#ifdef MADV_WIPEONFORK
static unsigned char *wiped_page(size_t bytes)
{
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (madvise(page, bytes, MADV_WIPEONFORK) == 0) /* since Linux 4.14 */
        return page;
    munmap(page, bytes);
    return NULL;
}
#endif

void origin_open(origin *o)
{
    *o = (origin){ .process = (long)getpid() };
#ifdef MADV_WIPEONFORK
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    o->page = wiped_page(bytes);
    if (o->page) {
        o->page[0] = 1;
        o->bytes = bytes;
    }
#endif
}

bool origin_here(const origin *o)
{
    return o->process == (long)getpid() && (!o->page || *o->page);
}

void origin_close(origin *o)
{
#ifdef MADV_WIPEONFORK
    if (o->page)
        munmap(o->page, o->bytes);
#endif
    *o = (origin){ 0 };
}
