/* grid.h: one grid, from its arguments to its last match (grid.c). */
#ifndef TRAWL_SCAN_GRID_H
#define TRAWL_SCAN_GRID_H

#include "scan/context.h"

/* What a call asks for, checked. */
typedef struct grid_request {
    const trawl_plan *plan;
    trawl_grid text; /* with its stride; without cells if it is held */
    bool held;       /* the context's worker holds it (backend.hold) */
    trawl_scan_options options;
} grid_request;

/* Check a call's arguments. The cells of a grid that will be held are not looked at. */
int grid_request_read(const trawl_plan *plan, const trawl_grid *text, bool held,
                      const trawl_scan_options *options, grid_request *r, trawl_error *error);

/* Whether nothing can be found. */
static inline bool grid_request_empty(const grid_request *r)
{
    return r->text.rows == 0 || r->text.cols == 0;
}

/* grid_deliver hands on the matches, or only counts them if fn is NULL; grid_count counts them,
 * whatever the options say. The context has been entered. */
int grid_deliver(trawl_context *context, const grid_request *r, trawl_grid_match_fn fn, void *user,
                 uint64_t *count, trawl_error *error);
int grid_count(trawl_context *context, const grid_request *r, uint64_t *count, trawl_error *error);

#endif
