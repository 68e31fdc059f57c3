/* stream.c: the public calls for a text that comes in feeds. Each feed is a window of a text_scan,
 * after the bytes that its reach may read.
 *
 * If the plan has opened patterns, the opening is fed before the text, like a byte; places in the
 * stream count it. If the plan asks what comes after a match, the last one or two bytes that were
 * fed wait: they are scanned when what comes after them is known, or the text ends.
 */
#include <string.h>

#include "scan/delivery.h"
#include "scan/facts.h"
#include "scan/saved.h"

#define MAX_PIECE (8u << 20) /* bytes that are scanned at once */

/* `text` holds bytes [begin, end) of the stream, which are scanned, and `waiting` more. Old bytes
 * stay as long as the walk's reach, the reporter or borders need them. */
struct trawl_stream {
    trawl_context *context;
    text_scan scan;
    delivery out;
    uint64_t max_steps; /* for each call */
    double max_seconds;
    uint8_t *text;
    size_t room;
    uint64_t begin, end;
    uint32_t waiting;    /* bytes after `end`: `waits`, or as many as there are */
    uint32_t waits;      /* bytes after a match that the plan asks for: 0, 1 or 2 */
    uint64_t look_back;  /* bytes before the next one that scanning reads */
    int status;          /* what the scan ended with; feeding on does nothing */
    trawl_error failure; /* its message, when it is an error */
};

static int check_open(const trawl_plan *plan, const trawl_scan_options *options,
                      trawl_scan_options *read, trawl_error *error)
{
    int status = check_text(plan, options, 0, read, error);
    if (status != TRAWL_OK)
        return status;
    if (plan_head(plan)->to_end)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "a place that counts from the end of the text (TRAWL_PLACE_END) is not known "
                    "in a stream: scan the whole text with trawl_scan");
    if (report_waits(plan, read->report))
        return fail(
            error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
            "matches of an unbounded repeat that no byte ends are known when the text ends, "
            "which a stream does not keep: take TRAWL_REPORT_ENDS, bound the repeat, or "
            "scan the whole text");
    return TRAWL_OK;
}

static void stream_free(trawl_stream *s)
{
    memory *memory = &s->context->memory;
    text_scan_close(&s->scan);
    delivery_close(&s->out);
    memory_give(memory, s->text);
    memory_give(memory, s);
}

static int begin_text(trawl_stream *s, trawl_error *error);

static int stream_make(trawl_context *context, const trawl_plan *plan,
                       const trawl_scan_options *read, trawl_match_fn fn, void *user,
                       trawl_stream **stream, trawl_error *error)
{
    trawl_stream *made = memory_take_zeroed(&context->memory, 1, sizeof *made);
    if (!made)
        return memory_failed(&context->memory, error, "a stream");
    made->context = made->scan.context = context;
    made->max_steps = read->max_steps;
    made->max_seconds = read->max_seconds;
    int status = delivery_open(&made->out, context, plan, read, fn, user, NULL, error);
    if (status == TRAWL_OK)
        status = text_scan_open(&made->scan, context, plan, true, deliver, &made->out, error);
    if (status == TRAWL_OK) {
        stream_borders(plan, &made->waits, &made->look_back);
        status = begin_text(made, error);
    }
    if (status == TRAWL_OK)
        *stream = made;
    else
        stream_free(made);
    return status;
}

int trawl_stream_open(trawl_context *context, const trawl_plan *plan,
                      const trawl_scan_options *options, trawl_match_fn fn, void *user,
                      trawl_stream **stream, trawl_error *error)
{
    trawl_scan_options read;
    if (!stream || !fn)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL",
                    stream ? "fn" : "stream");
    *stream = NULL;
    int status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = check_open(plan, options, &read, error);
    if (status == TRAWL_OK)
        status = stream_make(context, plan, &read, fn, user, stream, error);
    context_leave(context);
    return status;
}

/* The number of bytes that are put before the text. */
static uint64_t opening(const trawl_stream *s)
{
    return plan_head(s->scan.plan)->opened ? 1 : 0;
}

/* The first byte that is read again. */
static uint64_t first_wanted(const trawl_stream *s)
{
    const uint64_t before = plan_head(s->scan.plan)->beside;
    uint64_t first = s->end > s->look_back ? s->end - s->look_back : 0;
    if (s->out.reports) {
        const uint64_t kept = reporter_keeps(s->out.reports) + opening(s);
        const uint64_t wanted = kept > before ? kept - before : 0;
        first = wanted < first ? wanted : first;
    }
    return first > s->begin ? first : s->begin;
}

/* Make room for `more` bytes. Bytes that nobody reads again are dropped, but not at every call:
 * half of the room is free then, so that a byte is moved once or twice. */
static int make_room(trawl_stream *s, size_t more, trawl_error *error)
{
    if (s->end + s->waiting - s->begin + more <= s->room)
        return TRAWL_OK;
    const uint64_t keep = first_wanted(s);
    const size_t kept = (size_t)(s->end + s->waiting - keep);
    if (kept && keep != s->begin)
        memmove(s->text, s->text + (keep - s->begin), kept);
    s->begin = keep;
    const size_t room = kept + more > s->room / 2 ? 2 * (kept + more) : s->room;
    if (room > s->room) {
        uint8_t *grown = memory_grow(&s->context->memory, s->text, room);
        if (!grown)
            return memory_failed(&s->context->memory, error, "%zu bytes of a stream", room);
        s->text = grown;
        s->room = room;
    }
    return TRAWL_OK;
}

/* Scan `fresh` bytes after `end`, and keep what waits after them. */
static int scan_fresh(trawl_stream *s, size_t fresh, uint32_t waiting, trawl_error *error)
{
    const uint64_t reach = plan_head(s->scan.plan)->reach, before = s->begin ? 0 : opening(s);
    const uint64_t lead = s->end - s->begin < reach ? s->end - s->begin : reach;
    const uint8_t *window = s->text + (s->end - lead - s->begin);
    s->scan.opens = before > 0 && s->end == lead;
    s->out.text = s->text + before; /* without the opening */
    s->out.text_begin = s->begin + before - opening(s);
    s->out.window_begin = s->end - lead - opening(s);
    s->end += fresh;
    s->waiting = waiting;
    s->out.known = s->end + waiting - opening(s);
    return text_scan_window(&s->scan, window, (uint32_t)lead, (uint32_t)fresh, error);
}

static int scan_piece(trawl_stream *s, const uint8_t *bytes, size_t length, trawl_error *error)
{
    const uint64_t there = s->waiting + (uint64_t)length;
    const uint32_t waiting = there < s->waits ? (uint32_t)there : s->waits;
    int status = make_room(s, length, error);
    if (status != TRAWL_OK)
        return status;
    memcpy(s->text + (s->end + s->waiting - s->begin), bytes, length);
    return scan_fresh(s, s->waiting + length - waiting, waiting, error);
}

/* Begin a text, of which nothing was fed yet. */
static int begin_text(trawl_stream *s, trawl_error *error)
{
    const uint8_t byte = delivery_opening(s->scan.plan);
    s->begin = s->end = s->waiting = 0;
    return opening(s) ? scan_piece(s, &byte, 1, error) : TRAWL_OK;
}

/* End a text: no more will be fed. */
static int end_text(trawl_stream *s, trawl_error *error)
{
    int status = s->waiting ? scan_fresh(s, s->waiting, 0, error) : TRAWL_OK;
    return status == TRAWL_OK ? delivery_end(&s->out, s->end - opening(s), error) : status;
}

/* ---- calls ---------------------------------------------------------------- */

/* Begin a call on a stream that has not ended: its matches go through `batch`. */
static int stream_enter(trawl_stream *s, trawl_match *batch, trawl_error *error)
{
    int status = context_enter(s->context, error);
    if (status != TRAWL_OK)
        return status;
    s->out.out.batch = batch;
    budget_open(&s->out.out.budget, &s->context->state, s->max_steps, s->max_seconds);
    return TRAWL_OK;
}

/* Hand on what was found. Returns the stream's status. */
static int stream_leave(trawl_stream *s, trawl_error *error)
{
    s->status = delivery_flush(&s->out, s->status);
    if (s->status < 0 && error)
        *error = s->failure;
    context_leave(s->context);
    return s->status;
}

static void feed_pieces(trawl_stream *s, const uint8_t *at, size_t length)
{
    while (length && s->status == TRAWL_OK) {
        uint64_t most = s->scan.window < MAX_PIECE ? s->scan.window : MAX_PIECE;
        most = most < s->out.out.budget.steps ? most : s->out.out.budget.steps;
        size_t piece = length < most ? length : (size_t)most;
        s->status = budget_check(&s->out.out.budget);
        if (s->status != TRAWL_OK)
            return;
        budget_spend(&s->out.out.budget, piece);
        s->status = scan_piece(s, at, piece, &s->failure);
        at += piece;
        length -= piece;
    }
}

int trawl_stream_feed(trawl_stream *s, const void *bytes, size_t length, trawl_error *error)
{
    trawl_match batch[MATCH_BATCH];
    if (!s || (!bytes && length))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "stream or bytes is NULL");
    int status = stream_enter(s, batch, error);
    if (status != TRAWL_OK)
        return status;
    if (s->status == TRAWL_OK)
        s->status = check_end(s->out.out.base + s->end + s->waiting, length, &s->failure);
    feed_pieces(s, (const uint8_t *)bytes, length);
    return stream_leave(s, error);
}

int trawl_stream_break(trawl_stream *s, trawl_error *error)
{
    trawl_match batch[MATCH_BATCH];
    if (!s)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "stream is NULL");
    int status = stream_enter(s, batch, error);
    if (status != TRAWL_OK)
        return status;
    if (s->status == TRAWL_OK)
        s->status = end_text(s, &s->failure);
    if (s->status == TRAWL_OK)
        s->status = delivery_next(&s->out, s->out.out.record + 1, &s->failure);
    if (s->status == TRAWL_OK) {
        text_scan_restart(&s->scan);
        s->status = begin_text(s, &s->failure);
    }
    return stream_leave(s, error);
}

int trawl_stream_drop(trawl_stream *s, trawl_error *error)
{
    if (!s)
        return TRAWL_OK;
    trawl_context *context = s->context;
    const int status = context_enter(context, error);
    if (status == TRAWL_ERROR_BUSY)
        return status;
    stream_free(s);
    if (status == TRAWL_OK)
        context_leave(context);
    return TRAWL_OK;
}

int trawl_stream_close(trawl_stream *s, trawl_error *error)
{
    trawl_match batch[MATCH_BATCH];
    if (!s)
        return TRAWL_OK;
    trawl_context *context = s->context;
    int status = stream_enter(s, batch, error);
    if (status != TRAWL_OK) {
        if (status != TRAWL_ERROR_BUSY)
            stream_free(s);
        return status;
    }
    if (s->status == TRAWL_OK)
        s->status = end_text(s, &s->failure);
    status = s->status = delivery_flush(&s->out, s->status);
    if (status < 0 && error)
        *error = s->failure;
    stream_free(s);
    context_leave(context);
    return status;
}

/* ---- saving and restoring ---------------------------------------------- */

/* How a saved state begins. Then follow: u64[plan_header.state_words], the states of the parts that
 * carry, in which any bits are valid; u64[], if the plan has TRAWL_ONCE, a bit for each pattern
 * that was reported; and the text before `offset`, as far as the plan reaches, from which the other
 * parts begin anew. */
typedef struct state_header {
    saved_head head;
    uint64_t offset; /* bytes that the stream was fed since the last break */
    uint64_t record; /* breaks */
} state_header;

_Static_assert(sizeof(state_header) == 56, "saved");

static const saved_kind saved_states = { "TRAWLSTA", 3, "stream's state", "trawl_stream_save",
                                         "feed the text here" };

static size_t carried_bytes(const trawl_stream *s)
{
    return (size_t)plan_head(s->scan.plan)->state_words * sizeof(uint64_t);
}

/* Bytes of text in the state of a stream that was fed `offset` bytes: those before the next byte to
 * be scanned, and those that wait. */
static size_t kept_bytes(const trawl_stream *s, uint64_t offset)
{
    const uint64_t all = offset + opening(s), wanted = s->look_back + s->waits;
    return (size_t)(all < wanted ? all : wanted);
}

/* Bytes that the stream was fed since the text began. */
static uint64_t fed_bytes(const trawl_stream *s)
{
    return s->end + s->waiting - opening(s);
}

static size_t whole_bytes(const trawl_stream *s, uint64_t offset)
{
    return sizeof(state_header) + carried_bytes(s) + delivery_once_bytes(&s->out) +
           kept_bytes(s, offset);
}

/* Whether the stream has a state to be saved or replaced. */
static int check_running(const trawl_stream *s, trawl_error *error)
{
    if (s->out.reports && s->out.report == TRAWL_REPORT_ENDS)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "of a place, a wide word or \\A before what varies in length a stream follows "
                    "the text from its begin, which no state keeps: let its repeats be fixed, or "
                    "feed the text again");
    if (s->out.reports)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "a stream with this report holds matches that are not settled, which no state "
                    "keeps: open it with TRAWL_REPORT_ENDS, or feed the text again");
    if (s->status < 0 && error)
        *error = s->failure;
    if (s->status <= 0)
        return s->status;
    return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                "the stream has ended (%s) in the midst of what it was fed: save after a feed that "
                "returns TRAWL_OK, restore into a new stream",
                trawl_error_text(s->status));
}

static int save(const trawl_stream *s, void *state, size_t *bytes, trawl_error *error)
{
    const size_t room = *bytes;
    int status = check_running(s, error);
    *bytes = 0;
    if (status != TRAWL_OK)
        return status;
    *bytes = whole_bytes(s, fed_bytes(s));
    if (!state)
        return TRAWL_OK;
    if (room < *bytes)
        return fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                    "the stream's state takes %zu bytes, but there is room for %zu: call with NULL "
                    "first, which says how many",
                    *bytes, room);
    const state_header head = { saved_begin(&saved_states, s->scan.plan, *bytes), fed_bytes(s),
                                s->out.out.record };
    uint8_t *to = (uint8_t *)state + sizeof head;
    const size_t carried = carried_bytes(s), once = delivery_once_bytes(&s->out);
    const size_t kept = kept_bytes(s, fed_bytes(s));
    if (carried)
        memcpy(to, s->scan.state, carried);
    if (once)
        memcpy(to + carried, s->out.out.reported, once);
    if (kept)
        memcpy(to + carried + once, s->text + (s->end + s->waiting - s->begin - kept), kept);
    memcpy(state, &head, sizeof head);
    saved_seal(state);
    return TRAWL_OK;
}

int trawl_stream_save(const trawl_stream *s, void *state, size_t *bytes, trawl_error *error)
{
    if (!s || !bytes)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL", s ? "bytes" : "stream");
    int status = context_enter(s->context, error);
    if (status != TRAWL_OK)
        return status;
    status = save(s, state, bytes, error);
    context_leave(s->context);
    return status;
}

static int check_state(const trawl_stream *s, const void *state, size_t bytes, state_header *head,
                       trawl_error *error)
{
    const int status = saved_check(&saved_states, s->scan.plan, state, bytes, error);
    if (status != TRAWL_OK)
        return status;
    if (bytes >= sizeof *head)
        memcpy(head, state, sizeof *head);
    if (bytes < sizeof *head || whole_bytes(s, head->offset) != bytes)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the state contradicts its plan: it was not written by Trawl");
    return check_end(s->out.out.base, head->offset, error);
}

static int restore(trawl_stream *s, const void *state, size_t bytes, trawl_error *error)
{
    state_header head;
    int status = check_running(s, error);
    if (status == TRAWL_OK)
        status = check_state(s, state, bytes, &head, error);
    if (status != TRAWL_OK)
        return status;
    const uint8_t *from = (const uint8_t *)state + sizeof head;
    const size_t carried = carried_bytes(s), once = delivery_once_bytes(&s->out);
    const size_t kept = kept_bytes(s, head.offset);
    s->begin = s->end = s->waiting = 0;
    status = make_room(s, kept, error);
    if (status != TRAWL_OK)
        return status;
    if (carried)
        memcpy(s->scan.state, from, carried);
    if (once)
        delivery_set_reported(&s->out, from + carried);
    if (kept)
        memcpy(s->text, from + carried + once, kept);
    s->begin = head.offset + opening(s) - kept;
    s->waiting = kept < s->waits ? (uint32_t)kept : s->waits;
    s->end = s->begin + kept - s->waiting;
    s->out.out.record = head.record;
    text_scan_forget_flow(&s->scan);
    return TRAWL_OK;
}

int trawl_stream_restore(trawl_stream *s, const void *state, size_t bytes, trawl_error *error)
{
    if (!s || (!state && bytes))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL", s ? "state" : "stream");
    int status = context_enter(s->context, error);
    if (status != TRAWL_OK)
        return status;
    status = restore(s, state, bytes, error);
    context_leave(s->context);
    return status;
}
