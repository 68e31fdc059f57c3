/* choose.h: on --backend auto, whether a GPU searches what is given instead of the CPU. */
#ifndef TRAWL_CLI_CHOOSE_H
#define TRAWL_CLI_CHOOSE_H

#include "cli/cli.h"

/* Bytes of all operands (none: standard input) that are regular files, of those that have `least`
 * at least; UINT64_MAX: there is another kind. */
uint64_t operand_bytes(char **paths, size_t count, uint64_t least);

/* A context and a plan for it; NULL: none. */
typedef struct searcher {
    trawl_context *context;
    trawl_plan *plan;
} searcher;

typedef struct backend_choice {
    const run_options *run;
    uint64_t length; /* bytes, or cells, that will be searched; 0: it is not known */
    void *user;
    /* A plan for the context; NULL after a complaint. */
    trawl_plan *(*compile)(void *user, const trawl_context *context);
    /* Search a little with it: what cannot be on a device shows here, and how many matches there
     * are. */
    int (*try)(void *user, trawl_context *context, const trawl_plan *plan, trawl_error *error);
} backend_choice;

/* The device that is to search instead of the CPU where that pays, else none. What a device cannot
 * do is a warning. --explain says why. */
searcher choose_backend(const backend_choice *c, const searcher *cpu);
void searcher_close(searcher *s);

#endif
