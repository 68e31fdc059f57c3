/* tally.c: see tally.h; and the public calls that count by them. */
#include "scan/tally.h"

#include <string.h>

#include "base/error.h"

int tally_all(const trawl_match *matches, size_t count, void *user)
{
    (void)matches;
    *(uint64_t *)user += count;
    return 0;
}

int tally_all_grid(const trawl_grid_match *matches, size_t count, void *user)
{
    (void)matches;
    *(uint64_t *)user += count;
    return 0;
}

int tally_each(const trawl_match *matches, size_t count, void *user)
{
    uint64_t *counts = user;
    for (size_t i = 0; i < count; i++)
        counts[matches[i].pattern]++;
    return 0;
}

int tally_each_grid(const trawl_grid_match *matches, size_t count, void *user)
{
    uint64_t *counts = user;
    for (size_t i = 0; i < count; i++)
        counts[matches[i].needle]++;
    return 0;
}

int clear_counts(const trawl_plan *plan, uint64_t *counts, trawl_error *error)
{
    if (!plan || !counts)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL",
                    plan ? "counts" : "plan");
    memset(counts, 0, plan_head(plan)->given * sizeof *counts);
    return TRAWL_OK;
}

int trawl_count_many(trawl_context *context, const trawl_plan *plan, const trawl_text *texts,
                     size_t count, const trawl_scan_options *options, uint64_t *matches,
                     trawl_error *error)
{
    if (!matches)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "matches is NULL");
    *matches = 0;
    return trawl_scan_many(context, plan, texts, count, options, tally_all, matches, error);
}

int trawl_count_each_many(trawl_context *context, const trawl_plan *plan, const trawl_text *texts,
                          size_t count, const trawl_scan_options *options, uint64_t *counts,
                          trawl_error *error)
{
    const int status = clear_counts(plan, counts, error);
    return status == TRAWL_OK
               ? trawl_scan_many(context, plan, texts, count, options, tally_each, counts, error)
               : status;
}

int trawl_count_each_grid(trawl_context *context, const trawl_plan *plan, const trawl_grid *text,
                          const trawl_scan_options *options, uint64_t *counts, trawl_error *error)
{
    const int status = clear_counts(plan, counts, error);
    return status == TRAWL_OK
               ? trawl_scan_grid(context, plan, text, options, tally_each_grid, counts, error)
               : status;
}

int trawl_count_each_grid_device(trawl_context *context, const trawl_plan *plan,
                                 const trawl_device_grid *grid, const trawl_scan_options *options,
                                 uint64_t *counts, trawl_error *error)
{
    const int status = clear_counts(plan, counts, error);
    return status == TRAWL_OK ? trawl_scan_grid_device(context, plan, grid, options,
                                                       tally_each_grid, counts, error)
                              : status;
}
