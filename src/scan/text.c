/* text.c: the public calls that scan a text in memory: windows of it go through a text_scan. */
#include <stdlib.h>

#include "scan/delivery.h"

/* ---- windows ---------------------------------------------------------- */

/* Window by window; *window_begin is the offset of the present one. */
static int scan_all(text_scan *scan, uint64_t *window_begin, const uint8_t *text, size_t length,
                    trawl_error *error)
{
    const uint64_t reach = plan_head(scan->plan)->reach;
    uint64_t at = 0;
    int status = TRAWL_OK;
    while (at < length && status == TRAWL_OK) {
        uint64_t lead = at < reach ? at : reach;
        uint64_t room = scan->window < length - at ? scan->window : length - at;
        *window_begin = at - lead;
        status = text_scan_window(scan, text + (at - lead), (uint32_t)lead, (uint32_t)room, error);
        at += room;
    }
    return status;
}

int trawl_scan(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
               const trawl_scan_options *options, trawl_match_fn fn, void *user, trawl_error *error)
{
    trawl_scan_options read;
    text_scan scan;
    delivery d;
    int status = check_call(context, plan, error);
    if (status == TRAWL_OK)
        status = read_scan_options(options, &read, error);
    if (status == TRAWL_OK && (!fn || (!text && length)))
        status = fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL", fn ? "text" : "fn");
    if (status == TRAWL_OK)
        status = check_end(read.base, length, error);
    if (status != TRAWL_OK)
        return status;
    status = delivery_open(&d, plan, &read, fn, user, error);
    if (status != TRAWL_OK)
        return status;
    d.text = (const uint8_t *)text;
    status = text_scan_open(&scan, context, plan, false, deliver, &d, error);
    if (status == TRAWL_OK)
        status = scan_all(&scan, &d.window_begin, (const uint8_t *)text, length, error);
    if (status == TRAWL_OK)
        status = delivery_finish(&d, length, error);
    text_scan_close(&scan);
    reporter_free(d.reports);
    return status;
}

/* ---- counting and collecting ------------------------------------------ */

static int count_match(const trawl_match *match, void *user)
{
    (void)match;
    ++*(uint64_t *)user;
    return 0;
}

int trawl_count(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                const trawl_scan_options *options, uint64_t *count, trawl_error *error)
{
    trawl_scan_options read;
    if (!count)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "count is NULL");
    *count = 0;
    int status = check_call(context, plan, error);
    if (status == TRAWL_OK)
        status = read_scan_options(options, &read, error);
    if (status == TRAWL_OK)
        status = check_end(read.base, length, error);
    if (status != TRAWL_OK)
        return status;
    if (read.report != TRAWL_REPORT_ENDS || read.max_matches || plan_head(plan)->carries || !text)
        return trawl_scan(context, plan, text, length, &read, count_match, count, error);
    text_scan scan;
    uint64_t window_begin;
    status = text_scan_open(&scan, context, plan, false, NULL, NULL, error);
    if (status == TRAWL_OK)
        status = scan_all(&scan, &window_begin, (const uint8_t *)text, length, error);
    *count = scan.counted;
    text_scan_close(&scan);
    return status;
}

typedef struct collection {
    trawl_match *matches;
    size_t count, room;
    bool failed;
} collection;

static int collect_match(const trawl_match *match, void *user)
{
    collection *c = (collection *)user;
    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 256;
        trawl_match *grown = realloc(c->matches, room * sizeof *grown);
        if (!grown) {
            c->failed = true;
            return 1;
        }
        c->matches = grown;
        c->room = room;
    }
    c->matches[c->count++] = *match;
    return 0;
}

int trawl_collect(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                  const trawl_scan_options *options, trawl_match **matches, size_t *count,
                  trawl_error *error)
{
    collection c = { NULL, 0, 0, false };
    if (!matches || !count)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "matches or count is NULL");
    *matches = NULL;
    *count = 0;
    int status = trawl_scan(context, plan, text, length, options, collect_match, &c, error);
    if (c.failed)
        status = fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                      "out of memory after %zu matches: use trawl_scan", c.count);
    if (status < 0) {
        free(c.matches);
        return status;
    }
    *matches = c.matches;
    *count = c.count;
    return status;
}

void trawl_matches_free(trawl_match *matches)
{
    free(matches);
}
