/* backend.c: the table of backends, and how a CPU runs one slice. */
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

static const backend *const backends[] = { &backend_serial, &backend_threads, &backend_opencl,
                                           &backend_cuda };

const backend *backend_at(size_t index)
{
    return index < sizeof backends / sizeof *backends ? backends[index] : NULL;
}

const backend *backend_by_name(const char *name)
{
    for (size_t i = 0; backend_at(i); i++)
        if (strcmp(backend_at(i)->name, name) == 0)
            return backend_at(i);
    return NULL;
}

size_t trawl_backend_count(void)
{
    return sizeof backends / sizeof *backends;
}

const char *trawl_backend_name(size_t index)
{
    return backend_at(index) ? backend_at(index)->name : NULL;
}

const char *trawl_backend_about(size_t index)
{
    return backend_at(index) ? backend_at(index)->about : NULL;
}

/* A slice that carries is run piece by piece, so that the driver learns the state at every
 * snapshot. */
static void run_carrying(const text_job *job, slice *s, const sink *out)
{
    const plan_header *head = plan_head(job->plan);
    const size_t words = (size_t)head->state_words;
    const text_walk walk = walk_text((walk_kind)head->engine);
    u64 *snapshot = s->snapshots;
    for (u32 at = s->begin; at < s->end;) {
        u32 next = s->end - at > job->snapshot_bytes ? at + job->snapshot_bytes : s->end;
        walk(plan_tables(job->plan), job->window, at, at, next, s->state, out);
        if (snapshot) {
            memcpy(snapshot, s->state, words * sizeof *snapshot);
            snapshot += words;
        }
        at = next;
    }
}

int slice_run_text(const text_job *job, slice *s)
{
    const plan_header *head = plan_head(job->plan);
    u64 count = 0; /* not in the slice, whose neighbours other threads write */
    const sink out = { &count, s->records, s->capacity };
    u64 *scratch = NULL;
    if (head->carries) {
        run_carrying(job, s, &out);
        s->count = count;
        return TRAWL_OK;
    }
    if (head->state_words) {
        scratch = calloc((size_t)head->state_words, sizeof *scratch);
        if (!scratch)
            return TRAWL_ERROR_MEMORY;
    }
    walk_text((walk_kind)head->engine)(plan_tables(job->plan), job->window, s->from, s->begin,
                                       s->end, scratch, &out);
    s->count = count;
    free(scratch);
    return TRAWL_OK;
}

int slice_run_grid(const grid_job *job, slice *s)
{
    const plan_header *head = plan_head(job->plan);
    u64 count = 0;
    const sink out = { &count, s->records, s->capacity };
    u32 *scratch = NULL;
    if (head->state_words) {
        scratch = malloc((size_t)head->state_words * job->cols * sizeof *scratch);
        if (!scratch)
            return TRAWL_ERROR_MEMORY;
    }
    walk_grid((walk_kind)head->engine)(plan_tables(job->plan), job->window, job->rows, job->cols,
                                       job->stride, s->begin, s->end, scratch, &out);
    s->count = count;
    free(scratch);
    return TRAWL_OK;
}
