/* choose.h: on --backend auto, whether a GPU searches what is given instead of the CPU. */
#ifndef TRAWL_CLI_CHOOSE_H
#define TRAWL_CLI_CHOOSE_H

#include "cli/cli.h"

/* Bytes of all operands (none: standard input) that are regular files; UINT64_MAX: there is another
 * kind. */
uint64_t operand_bytes(char **paths, size_t count);

typedef struct backend_choice {
    const run_options *run;
    uint64_t length; /* bytes, or cells, that will be searched; 0: it is not known */
    void *user;
    /* A plan for the context; NULL after a complaint. */
    trawl_plan *(*compile)(void *user, const trawl_context *context);
    /* Search a little with it: what cannot be on a device shows here. */
    int (*try)(void *user, trawl_context *context, const trawl_plan *plan, trawl_error *error);
} backend_choice;

/* *context is of the CPU, and *plan for it: put a device's in their place where that pays. What a
 * device cannot do is a warning, and the CPU does it. --explain says why. */
void choose_backend(const backend_choice *c, trawl_context **context, trawl_plan **plan);

#endif
