/* fence.c: see fence.h. */
#include "fence.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__)
#define POISONED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISONED
#endif
#endif
#ifdef POISONED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(from, bytes) ((void)(from), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(from, bytes) ((void)(from), (void)(bytes))
#endif

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
    /* An emulator may refuse no bytes at all. */
    assert_true(room == 0 || mprotect(pages + page, room, PROT_READ | PROT_WRITE) == 0);
    return (fence){ pages + page, pages + page + room };
}

void fence_close(const fence *f)
{
    const size_t page = page_size();
    ASAN_UNPOISON_MEMORY_REGION(f->first, (size_t)(f->stop - f->first));
    munmap(f->first - page, (size_t)(f->stop - f->first) + 2 * page);
}

/* So many bytes at the end, or the begin, of its own, and nothing else may be touched. */
static uint8_t *place(const fence *f, size_t bytes, bool last)
{
    const size_t room = (size_t)(f->stop - f->first);
    uint8_t *text = last ? f->stop - bytes : f->first;
    ASAN_POISON_MEMORY_REGION(f->first, room);
    ASAN_UNPOISON_MEMORY_REGION(text, bytes);
    return text;
}

uint8_t *fence_copy(const fence *f, const void *from, size_t bytes, bool last)
{
    assert_true(bytes <= (size_t)(f->stop - f->first));
    uint8_t *text = place(f, bytes, last);
    if (bytes)
        memcpy(text, from, bytes);
    return text;
}

/* What `text` lies between. */
static fence fence_around(const uint8_t *text, size_t bytes)
{
    const size_t page = page_size(), within = (uintptr_t)text % page;
    uint8_t *first = (uint8_t *)(uintptr_t)text - within;
    return (fence){ first, first + (within + bytes + page - 1) / page * page };
}

uint8_t *fenced_text(size_t bytes, bool last)
{
    const fence f = fence_open(bytes);
    return place(&f, bytes, last);
}

uint8_t *fenced_copy(const void *from, size_t bytes, bool last)
{
    const fence f = fence_open(bytes);
    return fence_copy(&f, from, bytes, last);
}

void fenced_free(const void *text, size_t bytes)
{
    if (!text)
        return;
    const fence f = fence_around(text, bytes);
    fence_close(&f);
}
