/* torture_library.c: see torture_library.h. */
#include "torture_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void release(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

const trawl_allocator torture_allocator = { allocate, release, NULL };

/* The caller's threads: its only one. */
static int run_tasks(void *user, trawl_task_fn task, void *job, uint32_t count)
{
    (void)user;
    for (uint32_t i = count; i > 0; i--)
        task(job, i - 1);
    return 0;
}

const torture_way torture_ways[WAYS] = {
    { "serial", "serial", 1, 0, TRAWL_SCHEDULE_DYNAMIC, false, false },
    { "serial in slices", "serial", 1, 7, TRAWL_SCHEDULE_DYNAMIC, false, true },
    { "threads", "threads", 3, 5, TRAWL_SCHEDULE_DYNAMIC, false, false },
    { "static threads", "threads", 2, 0, TRAWL_SCHEDULE_STATIC, false, false },
    { "auto", NULL, 4, 4, TRAWL_SCHEDULE_DYNAMIC, false, true },
    { "runner", NULL, 3, 6, TRAWL_SCHEDULE_DYNAMIC, true, false },
    { "openmp", "openmp", 2, 3, TRAWL_SCHEDULE_DYNAMIC, false, false },
};

const torture_way torture_opencl = {
    "opencl", "opencl", 0, 0, TRAWL_SCHEDULE_DYNAMIC, false, false
};

trawl_context *torture_context(const torture_way *way)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error;
    options.backend = way->backend;
    options.threads = way->threads;
    options.chunks = way->chunks;
    options.schedule = way->schedule;
    options.runner = way->runner ? run_tasks : NULL;
    options.allocator = way->allocator ? &torture_allocator : NULL;
    int status = trawl_context_open(&options, &context, &error);
    if (status == TRAWL_ERROR_UNSUPPORTED && !failing_hit())
        return NULL; /* a build without it */
    if (torture_refused("trawl_context_open", status, &error)) {
        if (context)
            torture_fault("trawl_context_open failed and gave a context");
        status = trawl_context_open(&options, &context, &error);
    }
    if (status != TRAWL_OK)
        torture_fault("trawl_context_open: %d", status);
    return context;
}

bool torture_refused(const char *call, int status, const trawl_error *error)
{
    const int expected = torture_kind() == FAIL_THREAD ? TRAWL_ERROR_THREAD : TRAWL_ERROR_MEMORY;
    if (status == TRAWL_OK)
        return false;
    if (status != expected || !failing_hit())
        torture_fault("%s: status %d (%s)", call, status, error->message);
    else if (error->code != status || !error->message[0] ||
             strlen(error->message) + 1 >= sizeof error->message || strchr(error->message, '\n') ||
             strstr(error->message, "(null)"))
        torture_fault("%s: code %d, message '%s'", call, error->code, error->message);
    failing_end();
    return true;
}

void torture_on_context(const torture_call *c, const torture_way *way, const void *recipe,
                        const char *name, bool first)
{
    trawl_error error;
    trawl_context *context = torture_context(way);
    if (!context)
        return;
    int status = c->call(recipe, context, &error);
    if (first)
        c->keep();
    c->check(name, status == TRAWL_OK);
    const bool refused = torture_refused(name, status, &error);
    failing_end();
    for (int i = refused ? 0 : 1; i < 2; i++) { /* with the same context */
        status = c->call(recipe, context, &error);
        if (status != TRAWL_OK)
            torture_fault("%s, again: %s", name, error.message);
        else
            c->check("again", true);
    }
    trawl_context_close(context);
}
