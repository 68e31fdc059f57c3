/* peers.c: other tools that do the same work, in the same process and run. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double peer_memmem(const text_case *c, const void *text, size_t length, uint64_t *count)
{
    const char *at = (const char *)text, *end = at + length;
    double began = seconds();
    *count = 0;
    while ((at = memmem(at, (size_t)(end - at), c->patterns[0].text, c->patterns[0].length))) {
        ++*count;
        at++;
    }
    return seconds() - began;
}

#ifdef TRAWL_HAVE_HS
#include <hs.h>

typedef struct hs_state {
    hs_database_t *database;
    hs_scratch_t *scratch;
} hs_state;

void *peer_hyperscan_prepare(const text_case *c)
{
    const char **texts = calloc(c->count, sizeof *texts);
    unsigned *flags = calloc(c->count, sizeof *flags), *ids = calloc(c->count, sizeof *ids);
    hs_state *state = calloc(1, sizeof *state);
    hs_compile_error_t *error = NULL;
    for (size_t i = 0; texts && flags && ids && i < c->count; i++) {
        texts[i] = c->patterns[i].text; /* words and expressions that mean the same in both */
        flags[i] = HS_FLAG_DOTALL;
        ids[i] = (unsigned)i;
    }
    int failed = !texts || !flags || !ids || !state ||
                 hs_compile_multi(texts, flags, ids, (unsigned)c->count, HS_MODE_BLOCK, NULL,
                                  &state->database, &error) != HS_SUCCESS ||
                 hs_alloc_scratch(state->database, &state->scratch) != HS_SUCCESS;
    if (error)
        hs_free_compile_error(error);
    free(texts);
    free(flags);
    free(ids);
    if (!failed)
        return state;
    free(state);
    return NULL;
}

static int count_one(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                     void *user)
{
    (void)id;
    (void)from;
    (void)to;
    (void)flags;
    ++*(uint64_t *)user;
    return 0;
}

double peer_hyperscan(const text_case *c, const void *text, size_t length, uint64_t *count)
{
    const hs_state *state = c->peer_state;
    double began = seconds();
    *count = 0;
    hs_scan(state->database, text, (unsigned)length, 0, state->scratch, count_one, count);
    return seconds() - began;
}
#endif
