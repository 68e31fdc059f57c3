/* text.c: the public calls that scan a text in memory, and streams.
 *
 * Both push windows through a text_scan. Its records go to a `delivery`, which either
 * reports ends as they are or passes them to the reporter of the other modes.
 */
#include <stdlib.h>
#include <string.h>

#include "scan/scan.h"

#define LARGEST_PIECE (8u << 20) /* bytes of a stream that are scanned at once */

/* ---- from records to matches ------------------------------------------ */

typedef struct delivery {
    const trawl_plan *plan;
    match_out out;
    reporter *reports;   /* NULL: ENDS */
    const uint8_t *text; /* what may be read: text[0] has offset text_begin */
    uint64_t text_begin;
    uint64_t window_begin; /* offset of the window that records refer to */
} delivery;

static int deliver_ends(delivery *d, const record *records, size_t count)
{
    const plan_pattern *patterns = plan_patterns(d->plan);
    int status = TRAWL_OK;
    for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
        const plan_pattern *p = &patterns[records[i].index];
        uint64_t end = d->window_begin + records[i].pos;
        bool fixed = plan_fixed_length(p);
        if (fixed && p->min_length > end)
            continue; /* only a forged plan says so */
        status = match_emit(&d->out, p, fixed ? end - p->min_length : TRAWL_UNKNOWN, end);
    }
    return status;
}

static int deliver(void *user, const record *records, size_t count, uint32_t upto,
                   trawl_error *error)
{
    delivery *d = (delivery *)user;
    if (!d->reports)
        return deliver_ends(d, records, count);
    return reporter_feed(d->reports, records, count, d->window_begin, d->text, d->text_begin,
                         d->window_begin + upto, false, error);
}

static int delivery_open(delivery *d, const trawl_plan *plan, const trawl_scan_options *options,
                         trawl_match_fn fn, void *user, trawl_error *error)
{
    memset(d, 0, sizeof *d);
    d->plan = plan;
    d->out.fn = fn;
    d->out.user = user;
    d->out.base = options->base;
    d->out.left = options->max_matches ? options->max_matches : UINT64_MAX;
    if (options->report == TRAWL_REPORT_ENDS)
        return TRAWL_OK;
    return reporter_open(plan, options->report, &d->out, &d->reports, error);
}

/* The text ends at `upto`. */
static int delivery_finish(delivery *d, uint64_t upto, trawl_error *error)
{
    if (!d->reports)
        return TRAWL_OK;
    return reporter_feed(d->reports, NULL, 0, 0, d->text, d->text_begin, upto, true, error);
}

/* ---- a text in memory ------------------------------------------------- */

static int check_call(const trawl_context *context, const trawl_plan *plan, trawl_error *error)
{
    if (!context || !plan)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL",
                    context ? "plan" : "context");
    if (plan_head(plan)->cell_size)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the plan is for grids: scan it with trawl_scan_grid");
    return TRAWL_OK;
}

/* Offsets up to base + length must fit, TRAWL_UNKNOWN left over. */
static int check_end(uint64_t base, uint64_t length, trawl_error *error)
{
    if (base < UINT64_MAX - length)
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                "base + length exceeds 64 bits: take a smaller base");
}

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

/* ---- streams ---------------------------------------------------------- */

/* Bytes [begin, end) of the stream stand in `text`; those before `end` are scanned. Old
 * bytes stay as long as the walk's reach or the reporter needs them. */
struct trawl_stream {
    text_scan scan;
    delivery out;
    uint8_t *text;
    size_t room;
    uint64_t begin, end;
    int status;          /* what the scan ended with; feeding on does nothing */
    trawl_error failure; /* its message, when it is an error */
};

int trawl_stream_open(trawl_context *context, const trawl_plan *plan,
                      const trawl_scan_options *options, trawl_match_fn fn, void *user,
                      trawl_stream **stream, trawl_error *error)
{
    trawl_scan_options read;
    if (!stream || !fn)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL",
                    stream ? "fn" : "stream");
    *stream = NULL;
    int status = check_call(context, plan, error);
    if (status == TRAWL_OK)
        status = read_scan_options(options, &read, error);
    if (status != TRAWL_OK)
        return status;
    if (read.report != TRAWL_REPORT_ENDS && plan_head(plan)->max_length == LENGTH_UNBOUNDED)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "an unbounded repeat has no last possible start, so a stream can report its "
                    "ends only: take TRAWL_REPORT_ENDS, bound the repeat, or scan the whole text");
    trawl_stream *made = calloc(1, sizeof *made);
    if (!made)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for a stream");
    status = delivery_open(&made->out, plan, &read, fn, user, error);
    if (status == TRAWL_OK)
        status = text_scan_open(&made->scan, context, plan, true, deliver, &made->out, error);
    if (status != TRAWL_OK) {
        reporter_free(made->out.reports);
        free(made);
        return status;
    }
    *stream = made;
    return TRAWL_OK;
}

/* Make room for `more` bytes. What nobody reads again is forgotten, not at every call: half of
 * the room is free then, so that a byte is moved once or twice. */
static int make_room(trawl_stream *s, size_t more, trawl_error *error)
{
    const uint64_t reach = plan_head(s->scan.plan)->reach;
    if (s->end - s->begin + more <= s->room)
        return TRAWL_OK;
    uint64_t keep = s->end - s->begin > reach ? s->end - reach : s->begin;
    const uint64_t wanted = s->out.reports ? reporter_keeps(s->out.reports) : keep;
    if (wanted < keep)
        keep = wanted > s->begin ? wanted : s->begin;
    size_t kept = (size_t)(s->end - keep);
    if (kept && keep != s->begin)
        memmove(s->text, s->text + (keep - s->begin), kept);
    s->begin = keep;
    const size_t room = kept + more > s->room / 2 ? 2 * (kept + more) : s->room;
    if (room > s->room) {
        uint8_t *grown = realloc(s->text, room);
        if (!grown)
            return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                        "out of memory for %zu bytes of a stream", room);
        s->text = grown;
        s->room = room;
    }
    return TRAWL_OK;
}

static int scan_piece(trawl_stream *s, const uint8_t *bytes, size_t length, trawl_error *error)
{
    int status = make_room(s, length, error);
    if (status != TRAWL_OK)
        return status;
    const uint64_t reach = plan_head(s->scan.plan)->reach;
    uint64_t lead = s->end - s->begin < reach ? s->end - s->begin : reach;
    memcpy(s->text + (s->end - s->begin), bytes, length);
    s->out.text = s->text;
    s->out.text_begin = s->begin;
    s->out.window_begin = s->end - lead;
    s->end += length;
    return text_scan_window(&s->scan, s->text + (s->out.window_begin - s->begin), (uint32_t)lead,
                            (uint32_t)length, error);
}

int trawl_stream_feed(trawl_stream *s, const void *bytes, size_t length, trawl_error *error)
{
    if (!s || (!bytes && length))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "stream or bytes is NULL");
    const uint8_t *at = (const uint8_t *)bytes;
    if (s->status == TRAWL_OK)
        s->status = check_end(s->out.out.base + s->end, length, &s->failure);
    while (length && s->status == TRAWL_OK) {
        uint64_t most = s->scan.window < LARGEST_PIECE ? s->scan.window : LARGEST_PIECE;
        size_t piece = length < most ? length : (size_t)most;
        s->status = scan_piece(s, at, piece, &s->failure);
        at += piece;
        length -= piece;
    }
    if (s->status < 0 && error)
        *error = s->failure;
    return s->status;
}

int trawl_stream_close(trawl_stream *s, trawl_error *error)
{
    if (!s)
        return TRAWL_OK;
    int status = s->status;
    if (status == TRAWL_OK)
        status = delivery_finish(&s->out, s->end, error);
    else if (status < 0 && error)
        *error = s->failure;
    text_scan_close(&s->scan);
    reporter_free(s->out.reports);
    free(s->text);
    free(s);
    return status;
}
