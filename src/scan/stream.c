/* stream.c: the public calls for a text that comes in pieces. Each piece is a window of a
 * text_scan, behind what its reach may read.
 */
#include <stdlib.h>
#include <string.h>

#include "scan/delivery.h"

#define LARGEST_PIECE (8u << 20) /* bytes that are scanned at once */

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
