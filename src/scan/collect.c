/* collect.c: the public calls that give all matches as an array, and the one that also compiles. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trawl/grid.h"

typedef struct collection {
    void *items;
    size_t count, room;
    bool failed;
} collection;

/* Append `count` items; non-zero: no memory. */
static int add(collection *c, const void *items, size_t count, size_t size)
{
    if (count > c->room - c->count) {
        const size_t twice = 2 * c->room, least = c->count + count;
        const size_t room = twice > least ? twice : least;
        void *grown = room <= SIZE_MAX / size ? realloc(c->items, room * size) : NULL;
        c->failed = !grown;
        if (!grown)
            return 1;
        c->items = grown;
        c->room = room;
    }
    memcpy((char *)c->items + c->count * size, items, count * size);
    c->count += count;
    return 0;
}

/* Give what a scan found that ended with `status`: on an error no items. */
static int finish(collection *c, int status, const char *instead, trawl_error *error)
{
    if (c->failed)
        status = fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                      "out of memory after %zu matches: use %s", c->count, instead);
    if (status < 0) {
        free(c->items);
        c->items = NULL;
        c->count = 0;
    }
    return status;
}

static int no_place(trawl_error *error)
{
    return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "matches or count is NULL");
}

static int add_matches(const trawl_match *matches, size_t count, void *user)
{
    return add((collection *)user, matches, count, sizeof *matches);
}

int trawl_collect(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                  const trawl_scan_options *options, trawl_match **matches, size_t *count,
                  trawl_error *error)
{
    collection c = { 0 };
    if (!matches || !count)
        return no_place(error);
    int status = trawl_scan(context, plan, text, length, options, add_matches, &c, error);
    status = finish(&c, status, "trawl_scan", error);
    *matches = c.items;
    *count = c.count;
    return status;
}

int trawl_collect_many(trawl_context *context, const trawl_plan *plan, const trawl_text *texts,
                       size_t count, const trawl_scan_options *options, trawl_match **matches,
                       size_t *found, trawl_error *error)
{
    collection c = { 0 };
    if (!matches || !found)
        return no_place(error);
    int status = trawl_scan_many(context, plan, texts, count, options, add_matches, &c, error);
    status = finish(&c, status, "trawl_scan_many", error);
    *matches = c.items;
    *found = c.count;
    return status;
}

static int add_grid_matches(const trawl_grid_match *matches, size_t count, void *user)
{
    return add((collection *)user, matches, count, sizeof *matches);
}

int trawl_collect_grid(trawl_context *context, const trawl_plan *plan, const trawl_grid *text,
                       const trawl_scan_options *options, trawl_grid_match **matches, size_t *count,
                       trawl_error *error)
{
    collection c = { 0 };
    if (!matches || !count)
        return no_place(error);
    int status = trawl_scan_grid(context, plan, text, options, add_grid_matches, &c, error);
    status = finish(&c, status, "trawl_scan_grid", error);
    *matches = c.items;
    *count = c.count;
    return status;
}

int trawl_collect_grid_device(trawl_context *context, const trawl_plan *plan,
                              const trawl_device_grid *grid, const trawl_scan_options *options,
                              trawl_grid_match **matches, size_t *count, trawl_error *error)
{
    collection c = { 0 };
    if (!matches || !count)
        return no_place(error);
    int status = trawl_scan_grid_device(context, plan, grid, options, add_grid_matches, &c, error);
    status = finish(&c, status, "trawl_scan_grid_device", error);
    *matches = c.items;
    *count = c.count;
    return status;
}

int trawl_find(const trawl_pattern *patterns, size_t count, const void *text, size_t length,
               uint32_t report, trawl_match **matches, size_t *found, trawl_error *error)
{
    trawl_compile_options compiled = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_plan *plan = NULL;
    compiled.sample = text;
    compiled.sample_length = length;
    options.report = report;
    if (matches && found) {
        *matches = NULL;
        *found = 0;
    }
    int status = trawl_compile(patterns, count, &compiled, &plan, error);
    if (status == TRAWL_OK)
        status = trawl_context_open(NULL, &context, error);
    if (status == TRAWL_OK)
        status = trawl_collect(context, plan, text, length, &options, matches, found, error);
    trawl_context_close(context);
    trawl_plan_free(plan);
    return status;
}

void trawl_matches_free(trawl_match *matches)
{
    free(matches);
}

void trawl_grid_matches_free(trawl_grid_match *matches)
{
    free(matches);
}
