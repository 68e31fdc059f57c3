/* memory.h: memory that is counted, has a limit, and may come from a caller's allocator.
 *
 * A call that allocates has one such object and passes it down. Each block has its size in a header
 * before it, so giving it back needs none, and the count is exact: what is asked for, and these
 * headers.
 */
#ifndef TRAWL_BASE_MEMORY_H
#define TRAWL_BASE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl.h"

/* Threads may share it. A count that is read while other threads allocate may be out of date at
 * once. */
typedef struct memory {
    trawl_allocator from; /* allocate NULL: malloc */
    uint64_t limit;       /* bytes held at once; UINT64_MAX: none */
    const char *option;   /* the limit's name for callers, as "trawl_compile_options.max_memory" */
    const char *advice;   /* what they can do with less, as "compile fewer patterns at once" */
    _Atomic uint64_t used, peak;
    _Atomic int failure; /* why the last failed request failed: TRAWL_ERROR_LIMIT or _MEMORY, or
                            TRAWL_CANCELLED, which stays; TRAWL_OK: none has failed */
    int (*interrupted)(void *user); /* each request calls it, since whoever works allocates.
                                       Non-zero: no more memory is given. May be NULL */
    void *interrupted_user;
} memory;

/* Check that the allocator of a caller's options has both functions; NULL is right too. */
int allocator_check(const trawl_allocator *allocator, trawl_error *error);

/* `from` is NULL for malloc. The strings are not copied, so they must outlive *m. There is nothing
 * to close. */
void memory_open(memory *m, const trawl_allocator *from, uint64_t limit, const char *option,
                 const char *advice);

/* Take a block, aligned for any object, also if its size is 0. NULL: the limit or the allocator
 * allows no more; m->failure says which. */
void *memory_take(memory *m, size_t size);
void *memory_take_zeroed(memory *m, size_t count, size_t size);
void *memory_take_array(memory *m, size_t count, size_t size);

/* Whether the limit would let `bytes` more bytes be taken now. */
bool memory_fits(const memory *m, uint64_t bytes);

/* Give `block` another size; NULL is a block of size 0. If it fails, the block is left as it is. */
void *memory_grow(memory *m, void *block, size_t size);
void memory_give(memory *m, void *block); /* NULL: nothing */

/* Give back a block that was taken from this allocator, and whose memory object is gone. */
void memory_free(const trawl_allocator *from, void *block);

/* Say that a request failed. `what` is what it was for, as printf takes it; it follows "for". */
int memory_failed(const memory *m, trawl_error *error, const char *what, ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#endif
