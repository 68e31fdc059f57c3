/* device.h: whether a GPU searches what is given instead of the CPU. */
#ifndef TRAWL_SEARCH_DEVICE_H
#define TRAWL_SEARCH_DEVICE_H

#include "trawl.h"

/* A context and a plan for it; NULL: none. */
typedef struct searcher {
    trawl_context *context;
    trawl_plan *plan;
} searcher;

void searcher_close(searcher *s);

typedef struct device_choice {
    uint64_t length; /* bytes that will be searched as texts; 0, UINT64_MAX: it is not known */
    void *user;
    /* A plan for the context; NULL: none, and it was told why. */
    trawl_plan *(*compile)(void *user, const trawl_context *context);
    /* Search a little with it: what cannot be on a device shows here, and how many matches there
     * are. */
    int (*try)(void *user, const searcher *by, trawl_error *error);
    /* Which context will search, and why. */
    void (*explain)(void *user, const trawl_context *context, const char *why);
    /* A device of that backend would be quicker, but cannot be used; `why` is NULL where `compile`
     * has told it. */
    void (*warn)(void *user, const char *backend, const char *why);
} device_choice;

/* The device that is to search instead of the CPU where that pays, else none. */
searcher device_choose(const device_choice *c, const searcher *cpu);

#endif
