/* pool.c: contexts that are kept open from cell to cell.
 *
 * Opening a context on a device builds kernels and allocates buffers, which takes longer than
 * most scans. So contexts are kept, the one used longest ago goes first. A context holds one
 * plan at a time, so two engines that take turns have one each. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/pool.h"

enum { POOL_CONTEXTS = 64 };
#define POOL_BYTES (8ull << 30)
#define USUAL_BYTES (64ull << 20)

typedef struct pooled {
    char key[256];
    trawl_context *context;
    uint64_t bytes, used;
} pooled;

struct context_pool {
    pooled entries[POOL_CONTEXTS];
    uint64_t clock;
};

struct context_pool *pool_open(void)
{
    return bench_alloc(1, sizeof(struct context_pool));
}

static void release(pooled *entry)
{
    trawl_context_free(entry->context);
    memset(entry, 0, sizeof *entry);
}

void pool_close(struct context_pool *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < POOL_CONTEXTS; i++)
        release(&pool->entries[i]);
    free(pool);
}

static pooled *oldest(struct context_pool *pool)
{
    pooled *found = NULL;
    for (size_t i = 0; i < POOL_CONTEXTS; i++) {
        pooled *entry = &pool->entries[i];
        if (entry->context && (!found || entry->used < found->used))
            found = entry;
    }
    return found;
}

static pooled *free_entry(struct context_pool *pool)
{
    for (size_t i = 0; i < POOL_CONTEXTS; i++)
        if (!pool->entries[i].context)
            return &pool->entries[i];
    pooled *entry = oldest(pool);
    release(entry);
    return entry;
}

static uint64_t held(const struct context_pool *pool)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < POOL_CONTEXTS; i++)
        bytes += pool->entries[i].bytes;
    return bytes;
}

trawl_context *pool_get(struct context_pool *pool, const char *engine,
                        const trawl_context_options *options, uint64_t bytes, trawl_error *error)
{
    char key[256];
    snprintf(key, sizeof key, "%s %s %u %u %u %s %s", engine, options->backend, options->threads,
             options->schedule, options->chunks, options->device ? options->device : "",
             options->tuning ? options->tuning : "");
    for (size_t i = 0; i < POOL_CONTEXTS; i++) {
        pooled *entry = &pool->entries[i];
        if (entry->context && strcmp(entry->key, key) == 0) {
            entry->used = ++pool->clock;
            return entry->context;
        }
    }
    bytes = bytes ? bytes : USUAL_BYTES;
    while (held(pool) && held(pool) + bytes > POOL_BYTES)
        release(oldest(pool));
    pooled *entry = free_entry(pool);
    if (trawl_context_open(options, &entry->context, error) != TRAWL_OK) {
        entry->context = NULL;
        return NULL;
    }
    memcpy(entry->key, key, sizeof key);
    entry->bytes = bytes;
    entry->used = ++pool->clock;
    return entry->context;
}
