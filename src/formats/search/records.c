/* records.c: see records.h.
 *
 * Idea. A reader fills a batch with records, which are scanned in one call. One that is longer than
 * a batch comes in pieces, which go through a stream; so memory stays small whatever a record's
 * length. Circles are fed to theirs (circle.h), but for the end of one that was cut off.
 */
#include "formats/search/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const record *record_scan_of(const record_scan *r, const trawl_match *match)
{
    return &r->batch->records[r->first + match->record];
}

const uint8_t *record_scan_match(record_scan *r, const trawl_match *match)
{
    const record *of = record_scan_of(r, match);
    const uint8_t *bytes = r->batch->bytes + of->begin;
    if (!r->circular || match->end <= of->length)
        return bytes + match->start;
    const size_t before = (size_t)(of->length - match->start);
    const size_t after = (size_t)(match->end - of->length);
    uint8_t *joined = realloc(r->joined, before + after);
    if (!joined)
        return NULL;
    r->joined = joined;
    memcpy(joined, bytes + match->start, before);
    memcpy(joined + before, bytes, after);
    return joined;
}

const char *record_scan_name(const record_scan *r, const record *which)
{
    return r->kind->named ? r->batch->names + which->name : NULL;
}

const uint8_t *record_scan_bytes(const record_scan *r, const record *which)
{
    return r->stream ? NULL : r->batch->bytes + which->begin;
}

const char *record_scan_flow(const record_scan *r, const record *which)
{
    return r->kind == &reader_capture ? r->batch->names + which->name : "";
}

/* ---- what is handed on ---------------------------------------------------- */

/* The records before this one have ended. */
static bool tell(record_scan *r, size_t end)
{
    bool more = true;
    for (; more && r->ended && r->told < end; r->told++) {
        const record *ended = &r->batch->records[r->told];
        more = !r->ended(r->user, ended, r->stream ? r->length : ended->length);
    }
    return more;
}

/* The matches of a record, when it is known that those before it have ended. */
static int hand_on(const trawl_match *matches, size_t count, void *user)
{
    record_scan *r = (record_scan *)user;
    for (size_t i = 0, next; i < count; i = next) {
        next = i + 1;
        while (next < count && matches[next].record == matches[i].record)
            next++;
        if (!tell(r, r->first + matches[i].record) || r->take(matches + i, next - i, r->user))
            return 1;
    }
    return 0;
}

/* ---- scanning --------------------------------------------------------------- */

static int end_stream(record_scan *r)
{
    trawl_stream *stream = r->stream;
    int status = trawl_stream_close(stream, &r->error);
    if (status == TRAWL_OK && !tell(r, r->first + 1))
        status = TRAWL_STOPPED;
    r->stream = NULL;
    return status;
}

static int open_stream(record_scan *r)
{
    const trawl_plan *plan = r->plan_of_pieces ? r->plan_of_pieces(r->user) : r->plan;
    snprintf(r->error.message, sizeof r->error.message, "a long record needs another plan");
    return !plan ? TRAWL_ERROR_MEMORY
                 : trawl_stream_open(r->context, plan, &r->options, r->ended ? hand_on : r->take,
                                     r->ended ? r : r->user, &r->stream, &r->error);
}

/* A record's next piece; `last`: it ends with it. */
static int scan_piece(record_scan *r, size_t index, bool last)
{
    const record *piece = &r->batch->records[index];
    int status = TRAWL_OK;
    r->first = r->told = index;
    r->length = (r->stream ? r->length : 0) + piece->length;
    if (!r->stream)
        status = open_stream(r);
    if (status == TRAWL_OK)
        status =
            trawl_stream_feed(r->stream, r->batch->bytes + piece->begin, piece->length, &r->error);
    return status == TRAWL_OK && last ? end_stream(r) : status;
}

static int scan_whole(record_scan *r, size_t begin, size_t end)
{
    const batch *b = r->batch;
    r->first = r->told = begin;
    for (size_t i = begin; i < end; i++)
        r->texts[i - begin] = (trawl_text){ b->bytes + b->records[i].begin, b->records[i].length };
    const int status =
        trawl_scan_many(r->context, r->plan, r->texts, end - begin, &r->options,
                        r->ended ? hand_on : r->take, r->ended ? r : r->user, &r->error);
    return status == TRAWL_OK && !tell(r, end) ? TRAWL_STOPPED : status;
}

/* The records that are ended, and the piece of one that fills the batch. */
static int scan_records(record_scan *r, size_t ended)
{
    const batch *b = r->batch;
    int status = TRAWL_OK;
    size_t begin = 0;
    if (b->count && b->records[0].goes_on) {
        status = scan_piece(r, 0, ended > 0);
        begin = 1;
    }
    if (status == TRAWL_OK && ended > begin)
        status = scan_whole(r, begin, ended);
    if (status == TRAWL_OK && b->open && ended >= begin && !batch_comes_again(b))
        status = scan_piece(r, ended, false);
    return status;
}

static int scan_circles(record_scan *r, size_t ended)
{
    const batch *b = r->batch;
    int status = TRAWL_OK;
    for (size_t i = 0; i < b->count && status == TRAWL_OK; i++) {
        const record *piece = &b->records[i];
        if (i == ended && batch_comes_again(b))
            break;
        r->first = i;
        status = circle_feed(r->circle, b->bytes + piece->begin, piece->length, &r->error);
        if (status == TRAWL_OK && i < ended && !(b->cut && i + 1 == b->count))
            status = circle_end(r->circle, &r->error);
    }
    return status;
}

/* What the batch holds, but for an open record that does not fill it. */
static int scan_batch(record_scan *r)
{
    const batch *b = r->batch;
    const size_t ended = b->count - b->open;
    const int status = r->circle ? scan_circles(r, ended) : scan_records(r, ended);
    const size_t searched = batch_comes_again(b) ? b->records[ended].begin : b->used;
    if (r->searched)
        r->searched(r->user, searched);
    return status;
}

static int scan_all(record_scan *r, ahead *batches)
{
    int more = 1, status = TRAWL_OK;
    while (more > 0 && status == TRAWL_OK) {
        more = ahead_next(batches, &r->batch, &r->why);
        r->damaged = more < 0;
        status = scan_batch(r);
        if (status < 0)
            r->why = r->error.message;
    }
    if (r->stream) {
        const int closed = end_stream(r);
        status = status == TRAWL_OK ? closed : status;
    }
    return status == TRAWL_OK && more < 0 ? TRAWL_ERROR_ARGUMENT : status;
}

/* The reader's words are its own: they are kept. */
static int scan_state(record_scan *r, void *state, const source *text)
{
    ahead *batches = ahead_open(r->kind, state, text, r->whole);
    if (!batches)
        return TRAWL_ERROR_MEMORY;
    const int status = scan_all(r, batches);
    const uint64_t line = r->damaged && r->why != r->error.message ? r->batch->line : 0;
    ahead_close(batches);
    if (status < 0 && line)
        snprintf(r->message, sizeof r->message, "line %" PRIu64 ": %s", line, r->why);
    else if (status < 0)
        snprintf(r->message, sizeof r->message, "%s", r->why);
    r->why = r->message;
    return status;
}

int record_scan_text(record_scan *r, const reader_kind *kind, source *text)
{
    static const char no_memory[] = "out of memory for its records";
    int status = TRAWL_ERROR_MEMORY;
    r->why = no_memory;
    r->kind = kind;
    r->texts = malloc(BATCH_RECORDS * sizeof *r->texts);
    if (r->circular)
        r->circle = circle_open(r->context, r->plan, &r->options, r->take, r->user);
    const bool ready = r->texts && (r->circle || !r->circular);
    void *state = ready ? kind->open(text, &r->why) : NULL;
    if (state) {
        r->why = no_memory;
        status = scan_state(r, state, text);
        if (kind->doubt && kind->doubt(state))
            r->doubt = *kind->doubt(state);
        kind->close(state);
    }
    circle_close(r->circle);
    free(r->joined);
    r->joined = NULL;
    free(r->texts);
    return status;
}
