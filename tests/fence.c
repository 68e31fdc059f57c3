/* fence.c: see fence.h. */
#include "fence.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

fence fence_open(size_t bytes)
{
    const size_t page = page_size(), room = (bytes + page - 1) / page * page;
    const int nothing = open("/dev/zero", O_RDONLY);
    uint8_t *pages = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE, nothing, 0);
    close(nothing);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, room, PROT_READ | PROT_WRITE), 0);
    return (fence){ pages + page, pages + page + room };
}

void fence_close(const fence *f)
{
    const size_t page = page_size();
    munmap(f->first - page, (size_t)(f->stop - f->first) + 2 * page);
}
