/* memory.c: memory that is counted and has a limit. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* What stands before each block. */
typedef struct header {
    _Alignas(max_align_t) size_t bytes; /* of the header and the block */
} header;

static header *header_of(void *block)
{
    return (header *)block - 1;
}

int allocator_check(const trawl_allocator *allocator, trawl_error *error)
{
    if (!allocator || (allocator->allocate && allocator->release))
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                "the allocator lacks a function: set both allocate and release");
}

void memory_open(memory *m, const trawl_allocator *from, uint64_t limit, const char *option,
                 const char *advice)
{
    memset(m, 0, sizeof *m);
    if (from)
        m->from = *from;
    m->limit = limit;
    m->option = option;
    m->advice = advice;
}

/* ---- counting --------------------------------------------------------------- */

static void *refuse(memory *m, int why)
{
    atomic_store_explicit(&m->failure, why, memory_order_relaxed);
    return NULL;
}

bool memory_fits(const memory *m, uint64_t bytes)
{
    const uint64_t used = atomic_load_explicit(&m->used, memory_order_relaxed);
    return used <= m->limit && bytes <= m->limit - used;
}

/* Count `bytes` more, unless that exceeds the limit. */
static bool reserve(memory *m, uint64_t bytes)
{
    uint64_t used = atomic_load_explicit(&m->used, memory_order_relaxed);
    do {
        if (used > m->limit || bytes > m->limit - used)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&m->used, &used, used + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    uint64_t peak = atomic_load_explicit(&m->peak, memory_order_relaxed);
    while (peak < used + bytes &&
           !atomic_compare_exchange_weak_explicit(&m->peak, &peak, used + bytes,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
    return true;
}

static void unreserve(memory *m, uint64_t bytes)
{
    atomic_fetch_sub_explicit(&m->used, bytes, memory_order_relaxed);
}

/* ---- taking ----------------------------------------------------------------- */

/* Whether the caller wants the call to end. */
static bool is_interrupted(memory *m)
{
    return m->interrupted && (atomic_load_explicit(&m->failure, memory_order_relaxed) ==
                                  TRAWL_CANCELLED ||
                              m->interrupted(m->interrupted_user) != 0);
}

static void *take(memory *m, size_t size, bool zeroed)
{
    const size_t bytes = size + sizeof(header);
    header *made;
    if (is_interrupted(m))
        return refuse(m, TRAWL_CANCELLED);
    if (bytes < size || !reserve(m, bytes))
        return refuse(m, TRAWL_ERROR_LIMIT);
    if (m->from.allocate)
        made = m->from.allocate(m->from.user, bytes);
    else
        made = zeroed ? calloc(1, bytes) : malloc(bytes);
    if (!made) {
        unreserve(m, bytes);
        return refuse(m, TRAWL_ERROR_MEMORY);
    }
    if (m->from.allocate && zeroed)
        memset(made, 0, bytes);
    made->bytes = bytes;
    return made + 1;
}

void *memory_take(memory *m, size_t size)
{
    return take(m, size, false);
}

void *memory_take_array(memory *m, size_t count, size_t size)
{
    return size && count > SIZE_MAX / size ? refuse(m, TRAWL_ERROR_LIMIT)
                                           : take(m, count * size, false);
}

void *memory_take_zeroed(memory *m, size_t count, size_t size)
{
    return size && count > SIZE_MAX / size ? refuse(m, TRAWL_ERROR_LIMIT)
                                           : take(m, count * size, true);
}

/* Resize with realloc, which rarely needs both blocks at once: only the difference is counted. */
static void *resize(memory *m, void *block, size_t size)
{
    const size_t old = header_of(block)->bytes, bytes = size + sizeof(header);
    if (is_interrupted(m))
        return refuse(m, TRAWL_CANCELLED);
    if (bytes < size || (bytes > old && !reserve(m, bytes - old)))
        return refuse(m, TRAWL_ERROR_LIMIT);
    header *made = realloc(header_of(block), bytes);
    if (!made) {
        unreserve(m, bytes > old ? bytes - old : 0);
        return refuse(m, TRAWL_ERROR_MEMORY);
    }
    unreserve(m, bytes < old ? old - bytes : 0);
    made->bytes = bytes;
    return made + 1;
}

void *memory_grow(memory *m, void *block, size_t size)
{
    if (!block)
        return memory_take(m, size);
    if (!m->from.allocate)
        return resize(m, block, size);
    const size_t old = header_of(block)->bytes - sizeof(header);
    void *made = memory_take(m, size);
    if (!made)
        return NULL;
    memcpy(made, block, old < size ? old : size);
    memory_give(m, block);
    return made;
}

/* ---- giving back ------------------------------------------------------------ */

void memory_free(const trawl_allocator *from, void *block)
{
    if (!block)
        return;
    header *h = header_of(block);
    if (from->allocate)
        from->release(from->user, h, h->bytes);
    else
        free(h);
}

void memory_give(memory *m, void *block)
{
    if (!block)
        return;
    unreserve(m, header_of(block)->bytes);
    memory_free(&m->from, block);
}

int memory_failed(const memory *m, trawl_error *error, const char *what, ...)
{
    char purpose[128];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(purpose, sizeof purpose, what, arguments);
    va_end(arguments);
    if (m->failure == TRAWL_CANCELLED)
        return fail(error, TRAWL_CANCELLED, TRAWL_NONE, "compiling was interrupted");
    if (m->failure == TRAWL_ERROR_LIMIT)
        return fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                    "%s of %llu bytes is too small for %s: raise it, or %s", m->option,
                    (unsigned long long)m->limit, purpose, m->advice);
    return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for %s: %s", purpose,
                m->advice);
}
