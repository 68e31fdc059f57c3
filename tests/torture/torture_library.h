/* torture_library.h: what the runs of the library share. */
#ifndef TRAWL_TORTURE_LIBRARY_H
#define TRAWL_TORTURE_LIBRARY_H

#include "torture.h"
#include "trawl.h"

/* Ways to open a context, by number; NULL past the last one. `name` is for messages. */
typedef struct torture_way {
    const char *name, *backend;
    uint32_t threads, chunks, schedule;
    bool runner, allocator;
} torture_way;

enum { SERIAL = 0, WAYS = 7 };

extern const torture_way torture_ways[WAYS], torture_opencl;

/* Open a context; when that fails as it may, again without failures. NULL: it cannot be had. */
trawl_context *torture_context(const torture_way *way);

/* Whether the call must be repeated: it failed, as it may when something does, and said so. From
 * then on nothing fails. */
bool torture_refused(const char *call, int status, const trawl_error *error);

/* A kind of call that leaves its matches where `keep` and `check` find them. */
typedef struct torture_call {
    int (*call)(const void *recipe, trawl_context *context, trawl_error *error);
    void (*keep)(void);                          /* as what all later calls must find */
    void (*check)(const char *what, bool whole); /* against that: the same, or how it begins */
} torture_call;

/* Open a context, call, and when that fails as it may, call twice again without failures; else
 * once. `first`: what is found is kept. */
void torture_on_context(const torture_call *c, const torture_way *way, const void *recipe,
                        const char *name, bool first);

/* An allocator that takes from malloc. */
extern const trawl_allocator torture_allocator;

#endif
