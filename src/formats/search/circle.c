/* circle.c: see circle.h.
 *
 * Idea. A record is fed to a stream, and its first bytes again after it: as many as the longest
 * match has, less one. So a match from any start is in what was fed, and those that begin after
 * the record's end, which are others come round again, are left out.
 *
 * A record that is shorter than the longest match is held whole and written twice: there a match
 * may be longer than the circle, and is left out, too. The report `longest` would show nothing but
 * the longest of these, so under it each start is a text of its own, as long as the circle.
 *
 * Cost: the longest match is copied and searched twice for each record. A record of n bytes, fewer
 * than the longest match has, costs n scans of n bytes under `longest`.
 */
#include "formats/search/circle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sources/grow.h"

#define HANDED_ON 64

struct circle {
    trawl_context *context;
    const trawl_plan *plan;
    trawl_scan_options options;
    trawl_match_fn take;
    void *user;

    size_t reach;         /* of the longest match, less one */
    uint8_t *head;        /* the record's first bytes, up to reach; with room for as many */
    uint64_t length;      /* of the record, as far as it came; what is longer than reach was fed */
    trawl_stream *stream; /* of all records that are longer than reach; NULL: there was none */

    uint64_t start;     /* the matches of this start are wanted, of all that are found */
    trawl_match *found; /* of a short record */
    size_t count, room;
    bool out_of_memory;
};

/* ---- what fits ---------------------------------------------------------------- */

static const char *what_is_wrong(const trawl_plan *plan)
{
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan_get_info(plan, &info);
    if (info.conditions)
        return "it asks for what stands beside a match, or where it begins, and a circle has no "
               "begin and no end: leave ^ $ < > \\b and their kin out, an offset, or `fullword`";
    if (info.max_length == UINT64_MAX)
        return "it may match any number of bytes: give each repeat a bound, as in "
               "{0,500}";
    return NULL;
}

const char *circle_misfit(const trawl_plan *plan, const trawl_pattern *patterns, size_t count,
                          size_t *at)
{
    const char *wrong = what_is_wrong(plan), *why = NULL;
    trawl_conditions asked = TRAWL_CONDITIONS_INIT;
    *at = TRAWL_NONE;
    for (size_t i = 0; wrong && !why && i < count; i++) {
        trawl_plan *one = NULL;
        const bool made = trawl_compile(&patterns[i], 1, NULL, &one, NULL) == TRAWL_OK;
        trawl_plan_get_conditions(plan, i, &asked);
        why = asked.place || asked.word ? wrong : made ? what_is_wrong(one) : NULL;
        trawl_plan_free(one);
        *at = why ? i : TRAWL_NONE;
    }
    return why ? why : wrong;
}

/* ---- open and close ------------------------------------------------------------- */

circle *circle_open(trawl_context *context, const trawl_plan *plan,
                    const trawl_scan_options *options, trawl_match_fn take, void *user)
{
    trawl_plan_info info = { .size = sizeof info };
    circle *c = malloc(sizeof *c);
    if (!c)
        return NULL;
    trawl_plan_get_info(plan, &info);
    *c = (circle){ .context = context,
                   .plan = plan,
                   .options = *options,
                   .take = take,
                   .user = user,
                   .reach = (size_t)info.max_length - 1 };
    c->head = malloc(2 * c->reach + 1);
    if (c->head)
        return c;
    free(c);
    return NULL;
}

void circle_close(circle *c)
{
    if (!c)
        return;
    if (c->stream)
        trawl_stream_drop(c->stream, NULL);
    free(c->head);
    free(c->found);
    free(c);
}

/* ---- records that are longer than any match -------------------------------------- */

/* Hand on what begins in the circle and goes round it once at most. */
static int on_matches(const trawl_match *matches, size_t count, void *user)
{
    circle *c = user;
    trawl_match kept[HANDED_ON];
    int stop = 0;
    for (size_t i = 0; i < count && !stop;) {
        size_t used = 0;
        for (; i < count && used < HANDED_ON; i++) {
            kept[used] = matches[i];
            kept[used].record = 0;
            used += matches[i].start < c->length && matches[i].end - matches[i].start <= c->length;
        }
        stop = used ? c->take(kept, used, c->user) : 0;
    }
    return stop;
}

static int feed(circle *c, const uint8_t *bytes, size_t length, trawl_error *error)
{
    int status = TRAWL_OK;
    if (!c->stream)
        status =
            trawl_stream_open(c->context, c->plan, &c->options, on_matches, c, &c->stream, error);
    return status == TRAWL_OK ? trawl_stream_feed(c->stream, bytes, length, error) : status;
}

int circle_feed(circle *c, const uint8_t *bytes, size_t length, trawl_error *error)
{
    const size_t held = c->length < c->reach ? (size_t)c->length : c->reach;
    const size_t more = c->reach - held < length ? c->reach - held : length;
    const bool was_short = c->length <= c->reach;
    int status = TRAWL_OK;
    if (more)
        memcpy(c->head + held, bytes, more);
    c->length += length;
    if (c->length <= c->reach)
        return TRAWL_OK;
    if (was_short && held)
        status = feed(c, c->head, held, error);
    return status == TRAWL_OK ? feed(c, bytes, length, error) : status;
}

/* ---- records that are not --------------------------------------------------------- */

static int on_start(const trawl_match *matches, size_t count, void *user)
{
    circle *c = user;
    for (size_t i = 0; i < count && !c->out_of_memory; i++) {
        if (matches[i].start)
            continue;
        c->out_of_memory = !grow_array(&c->found, c->count + 1, &c->room, sizeof *c->found);
        if (c->out_of_memory)
            continue;
        c->found[c->count] = matches[i];
        c->found[c->count].start += c->start;
        c->found[c->count++].end += c->start;
    }
    return c->out_of_memory;
}

/* The order in which matches are reported. */
static int compare(const void *left, const void *right)
{
    const trawl_match *a = left, *b = right;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a->pattern > b->pattern) - (a->pattern < b->pattern);
}

static int scan_starts(circle *c, trawl_error *error)
{
    const size_t length = (size_t)c->length;
    int status = TRAWL_OK;
    c->count = 0;
    for (size_t start = 0; start < length && status == TRAWL_OK; start++) {
        c->start = start;
        status = trawl_scan(c->context, c->plan, c->head + start, length, &c->options, on_start, c,
                            error);
    }
    if (c->out_of_memory) {
        *error = (trawl_error){ TRAWL_ERROR_MEMORY, TRAWL_NONE, TRAWL_NONE,
                                "out of memory for the matches of a short circle" };
        return TRAWL_ERROR_MEMORY;
    }
    if (status != TRAWL_OK || c->count == 0)
        return status;
    qsort(c->found, c->count, sizeof *c->found, compare);
    return c->take(c->found, c->count, c->user) ? TRAWL_STOPPED : TRAWL_OK;
}

static int scan_short(circle *c, trawl_error *error)
{
    const size_t length = (size_t)c->length;
    memcpy(c->head + length, c->head, length - 1);
    if (c->options.report == TRAWL_REPORT_LONGEST)
        return scan_starts(c, error);
    return trawl_scan(c->context, c->plan, c->head, 2 * length - 1, &c->options, on_matches, c,
                      error);
}

int circle_end(circle *c, trawl_error *error)
{
    int status = TRAWL_OK;
    if (c->length > c->reach) {
        status = feed(c, c->head, c->reach, error);
        if (status == TRAWL_OK)
            status = trawl_stream_break(c->stream, error);
    } else if (c->length) {
        status = scan_short(c, error);
    }
    c->length = 0;
    return status;
}
