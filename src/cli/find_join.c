/* find_join.c: how the ranks of `trawl find` come together: one command line, one plan, each its
 * share of the machine. See cli/find_ranks.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/find_ranks.h"
#include "formats/writers/format.h"
#include "trawl/device.h"

#define READ_BLOCK (1u << 20)    /* a thread: what was read is still in its core's caches */
#define MAPPED_BLOCK (16u << 20) /* a thread: what a block costs is nothing beside its search */
#define DEVICE_BLOCK (64u << 20)
#define ERROR_BUFFER (4u << 10) /* a message */

static bool on_device(const run_options *o)
{
    const char *name = o->context.backend;
    return name && (strcmp(name, "cuda") == 0 || strcmp(name, "opencl") == 0);
}

uint64_t find_ranks_block(const run_options *o, const trawl_context *context, bool mapped)
{
    const uint64_t block = mapped ? MAPPED_BLOCK : READ_BLOCK;
    return on_device(o) ? DEVICE_BLOCK : block * trawl_context_threads(context);
}

static int hushed[2] = { -1, -1 }; /* output and error of other ranks than 0, meanwhile */

static void hush(const cluster *c)
{
    FILE *nowhere = c->rank ? fopen("/dev/null", "w") : NULL;
    for (int fd = STDOUT_FILENO; nowhere && fd <= STDERR_FILENO; fd++) {
        hushed[fd - STDOUT_FILENO] = dup(fd);
        dup2(fileno(nowhere), fd);
    }
    if (nowhere)
        fclose(nowhere);
}

static void speak(void)
{
    fflush(stdout);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (hushed[fd - STDOUT_FILENO] >= 0) {
            dup2(hushed[fd - STDOUT_FILENO], fd);
            close(hushed[fd - STDOUT_FILENO]);
            hushed[fd - STDOUT_FILENO] = -1;
        }
}

void find_ranks_hush(const cluster *c)
{
    setvbuf(stdout, NULL, _IOFBF, OUTPUT_BUFFER); /* mpirun gives ranks a terminal of its own */
    setvbuf(stderr, NULL, _IOLBF, ERROR_BUFFER);  /* and its own words come between writes */
    hush(c);
}

static void rank_fails(const cluster *c, const char *command, const char *why)
{
    char rank[32];
    snprintf(rank, sizeof rank, "rank %d", c->rank);
    cluster_fail(c, command, rank, why);
}

trawl_context *find_ranks_context(const cluster *c, run_options *o)
{
    hush(c);
    trawl_context *context = open_context(o);
    speak();
    const bool first = c->sum_before(!context) == 0;
    if (c->sum(!context) == 0 || (!context && c->rank == 0))
        return context;
    if (!context && first) {
        if (open_context(o)) /* which says aloud why it cannot be */
            rank_fails(c, o->command,
                       "could not open what it searches with, and now it can: start it again");
        cluster_abort(c, EXIT_ERROR);
    }
    c->sum(0); /* until that one has ended all */
    return context;
}

bool find_ranks_agree(const cluster *c, const char *command, int *status)
{
    int first = *status;
    speak();
    c->broadcast(&first, sizeof first);
    if (first < 0 && *status >= 0)
        rank_fails(c, command,
                   "cannot read the patterns, or the options, that rank 0 could: give all the "
                   "same, in files that each can read");
    *status = c->rank ? EXIT_MATCH : first;
    return first >= 0;
}

static void share_cores(const cluster *c, run_options *o)
{
    const trawl_context_options all = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context;
    if (trawl_context_open(&all, &context, NULL) != TRAWL_OK)
        return;
    const uint32_t usable = trawl_context_threads(context);
    trawl_context_close(context);
    /* Fewer than there are: mpirun has bound the rank to its own. */
    if (usable >= (uint32_t)sysconf(_SC_NPROCESSORS_ONLN))
        o->context.threads = usable / (uint32_t)c->locals ? usable / (uint32_t)c->locals : 1;
}

void find_ranks_settle(const cluster *c, run_options *o)
{
    static char device[16];
    const bool cpu = !on_device(o);
    if (cpu && !o->context.threads)
        share_cores(c, o);
    if (!cpu && !o->context.device) {
        const size_t count = trawl_device_count(o->context.backend, NULL);
        snprintf(device, sizeof device, "%d", count ? c->local % (int)count : 0);
        o->context.device = device;
    }
}

#define DIGEST UINT64_C(0xcbf29ce484222325) /* of nothing */

static uint64_t digest_add(uint64_t digest, const void *bytes, size_t length)
{
    const uint8_t *b = (const uint8_t *)bytes;
    for (size_t i = 0; i < length; i++)
        digest = (digest ^ b[i]) * UINT64_C(0x100000001b3);
    return digest;
}

static void must_equal(const cluster *c, const char *command, uint64_t own, const char *why)
{
    uint64_t first = own;
    c->broadcast(&first, sizeof first);
    if (first != own)
        rank_fails(c, command, why);
}

/* Those that what is found, or printed, depends on. */
void find_ranks_same_options(const find_search *f, const cluster *c, const char *output)
{
    const writer *o = f->output;
    const uint64_t numbers[] = { f->report,  f->format,   f->most,     f->ratio,      f->recursive,
                                 f->quiet,   f->circular, o->count,    o->all,        o->only_ids,
                                 o->matched, o->headless, o->verdicts, output != NULL };
    uint64_t own = digest_add(DIGEST, numbers, sizeof numbers);
    own = digest_add(own, o->format->name, strlen(o->format->name));
    if (output)
        own = digest_add(own, output, strlen(output));
    must_equal(c, f->run->command, own, "has other options than rank 0: give all ranks the same");
}

void find_ranks_same(const cluster *c, const char *command, const pattern_set *set)
{
    uint64_t own = digest_add(DIGEST, &set->count, sizeof set->count);
    for (size_t i = 0; i < set->count; i++) {
        const trawl_pattern *p = &set->patterns[i];
        const uint64_t numbers[] = { p->length, p->id, p->syntax, p->flags };
        own = digest_add(own, numbers, sizeof numbers);
        own = digest_add(own, p->text, p->length);
        if (p->name)
            own = digest_add(own, p->name, strlen(p->name) + 1);
    }
    must_equal(c, command, own,
               "reads other patterns than rank 0: give all the same, in files that each can read "
               "(standard input is rank 0's)");
}

trawl_plan *find_ranks_plan(const cluster *c, const char *command, trawl_plan *plan)
{
    uint64_t bytes = 0;
    size_t size = 0;
    trawl_error error;
    const void *own = plan ? trawl_plan_save(plan, &size) : NULL;
    if (c->rank == 0 && !own)
        cluster_abort(c, EXIT_ERROR); /* which was said */
    bytes = size;
    c->broadcast(&bytes, sizeof bytes);
    if (c->rank == 0) {
        c->broadcast((void *)own, size);
        return plan;
    }
    void *block = malloc((size_t)bytes);
    if (!block)
        rank_fails(c, command, "out of memory for the plan");
    c->broadcast(block, (size_t)bytes);
    if (trawl_plan_load(block, (size_t)bytes, &plan, &error) != TRAWL_OK)
        rank_fails(c, command, error.message);
    free(block);
    return plan;
}
