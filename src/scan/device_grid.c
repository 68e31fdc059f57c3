/* device_grid.c: the public calls that scan a grid in a device's memory. The backend holds the
 * bytes from its first cell to its last, as it holds a text (backend/held.h), and its rows are
 * searched as in any grid, without an address on the host.
 */
#include "base/error.h"
#include "base/options.h"
#include "scan/grid.h"

static int read_device_grid(const trawl_device_grid *given, trawl_device_grid *grid,
                            trawl_error *error)
{
    const trawl_device_grid none = TRAWL_DEVICE_GRID_INIT;
    *grid = none;
    if (!given)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "grid is NULL");
    int status = read_options(grid, sizeof none, SIZE_UP_TO(trawl_device_grid, device), given,
                              "device grid", error);
    if (status != TRAWL_OK)
        return status;
    if (grid->reserved)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "device grid: `reserved` must be 0: fill it with TRAWL_DEVICE_GRID_INIT");
    if (!grid->memory && grid->rows && grid->cols)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "the grid's memory is NULL");
    return TRAWL_OK;
}

/* A whole grid as one text; an empty grid as no bytes. */
static trawl_device_text text_of(const trawl_device_grid *grid, const grid_request *r)
{
    trawl_device_text text = TRAWL_DEVICE_TEXT_INIT;
    text.memory = grid->memory;
    text.offset = grid->offset;
    text.queue = grid->queue;
    text.device = grid->device;
    if (!grid_request_empty(r))
        text.length = (size_t)((r->text.rows - 1) * r->text.stride +
                               r->text.cols * plan_head(r->plan)->cell_size);
    return text;
}

static int check(const trawl_context *context, const trawl_plan *plan,
                 const trawl_device_grid *given, const trawl_scan_options *options,
                 trawl_device_text *text, grid_request *r, trawl_error *error)
{
    trawl_device_grid grid;
    int status = context_on_device(context, "trawl_scan_grid", error);
    if (status == TRAWL_OK)
        status = read_device_grid(given, &grid, error);
    if (status != TRAWL_OK)
        return status;
    const trawl_grid shape = { NULL, grid.rows, grid.cols, grid.stride };
    status = grid_request_read(plan, &shape, true, options, r, error);
    if (status == TRAWL_OK)
        *text = text_of(&grid, r);
    return status;
}

/* Enter the context and have its backend hold the grid. Call context_drop() afterwards, unless this
 * fails. */
static int enter(trawl_context *context, const trawl_plan *plan, const trawl_device_grid *grid,
                 const trawl_scan_options *options, grid_request *r, trawl_error *error)
{
    trawl_device_text text;
    int status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = check(context, plan, grid, options, &text, r, error);
    return context_hold(context, status, &text, error);
}

int trawl_scan_grid_device(trawl_context *context, const trawl_plan *plan,
                           const trawl_device_grid *grid, const trawl_scan_options *options,
                           trawl_grid_match_fn fn, void *user, trawl_error *error)
{
    grid_request request;
    uint64_t count;
    if (!fn)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "fn is NULL");
    int status = enter(context, plan, grid, options, &request, error);
    if (status != TRAWL_OK)
        return status;
    status = grid_deliver(context, &request, fn, user, &count, error);
    context_drop(context);
    return status;
}

int trawl_count_grid_device(trawl_context *context, const trawl_plan *plan,
                            const trawl_device_grid *grid, const trawl_scan_options *options,
                            uint64_t *count, trawl_error *error)
{
    grid_request request;
    if (!count)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "count is NULL");
    *count = 0;
    int status = enter(context, plan, grid, options, &request, error);
    if (status != TRAWL_OK)
        return status;
    status = grid_count(context, &request, count, error);
    context_drop(context);
    return status;
}
