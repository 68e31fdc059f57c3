/* range.c: the public calls for a text that is searched by ranges.
 *
 * Idea: a range is searched as a separate text, with enough text on either side that what is wrong
 * at its borders ends, or begins, outside the range; the matches that end in the range are handed
 * on. That is all for patterns with a longest match and reports in which no match depends on
 * others. Else a state comes from the range before, and goes on to the next (seam.h):
 *
 *   ENDS, unbounded repeats   the range is windows of one text_scan, whose set of states it is;
 *   reports that choose       the reporter begins with the matches that were taken before, and the
 *                             state that goes on is those it takes that begin in the range and end
 *                             after it. What a report of unbounded repeats needs would have no
 *                             bound, so there ranges meet at bytes that end all these repeats.
 *
 * Invariant: the parts of a range, between places whose states are kept, are searched as ranges
 * are. Cost: `before` and `after` are read again for each part; there is a part for each time a
 * range is halved.
 */
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "scan/carry.h"
#include "scan/seam.h"
#include "scan/text.h"

#define FIRST_PART 4096u /* bytes of the first part of a range that follows others; the next ones
                            double */
#define TELLING 512u     /* bytes before it that tell what it may begin with */

/* ---- what ranges need ------------------------------------------------------ */

/* The longest match of the patterns that have one. */
static uint64_t longest_bounded(const trawl_plan *plan)
{
    const plan_pattern *patterns = plan_patterns(plan);
    uint64_t longest = 0;
    if (!range_unbounded(plan))
        return plan_head(plan)->max_length;
    for (size_t i = 0; i < plan_head(plan)->pattern_count; i++)
        if (patterns[i].max_length != LENGTH_UNBOUNDED && patterns[i].max_length > longest)
            longest = patterns[i].max_length;
    return longest;
}

/* What is read around a range, or a part of one. */
typedef struct surround {
    uint64_t before, after;
} surround;

static surround surround_of(const trawl_plan *plan, uint32_t report)
{
    const uint64_t longest = longest_bounded(plan), beside = plan_head(plan)->beside;
    const bool ahead = report != TRAWL_REPORT_ENDS && report != TRAWL_REPORT_PAIRS;
    return (surround){ longest + (beside > 1 ? beside : 1),
                       ahead ? longest + (beside > 1 ? beside : 1) : beside };
}

/* Check that a report of a plan can be made by ranges. If they need cuts, *unbroken is set to the
 * bytes that are none. */
static int check_report(const trawl_plan *plan, uint32_t report, bool *cuts, byte_class *unbroken,
                        trawl_error *error)
{
    *cuts = false;
    if (!plan || plan_head(plan)->cell_size)
        return no_text_plan(plan, error);
    if (report > TRAWL_REPORT_EACH)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "there is no report mode %u", report);
    *cuts = plan_report(plan, report) != TRAWL_REPORT_ENDS && range_unbounded(plan);
    if (!*cuts && plan->doubtful && range_unbounded(plan))
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "of a place, a wide word or \\A before what varies in length, with an "
                    "unbounded repeat in the plan, a text is not searched by ranges under "
                    "TRAWL_REPORT_ENDS: take another report, bound the repeat, or scan the whole "
                    "text");
    if (plan_head(plan)->to_end)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "a place that counts from the end of the text (TRAWL_PLACE_END) is not known "
                    "in a range: scan the whole text with trawl_scan");
    if (!*cuts || reporter_gaps(plan, unbroken))
        return TRAWL_OK;
    return fail(
        error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
        "matches of an unbounded repeat that no byte ends may be as long as the text, which "
        "cannot be cut under this report: take TRAWL_REPORT_ENDS, bound the repeat, or "
        "scan the whole text");
}

/* `report` is plan_report's. */
static trawl_range_needs needs_of(const trawl_plan *plan, uint32_t report, bool cuts,
                                  const surround *around)
{
    const uint32_t follows = range_follows(plan, report);
    return (trawl_range_needs){ .size = sizeof(trawl_range_needs),
                                .before = around->before + (follows ? TELLING : 0),
                                .after = around->after,
                                .follows = follows,
                                .cuts = cuts };
}

int trawl_plan_get_range_needs(const trawl_plan *plan, uint32_t report, trawl_range_needs *needs,
                               trawl_error *error)
{
    byte_class unbroken;
    bool cuts;
    if (!needs)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "needs is NULL");
    const int status = check_report(plan, report, &cuts, &unbroken, error);
    if (status != TRAWL_OK)
        return status;
    report = plan_report(plan, report);
    const surround around = surround_of(plan, report);
    const trawl_range_needs own = needs_of(plan, report, cuts, &around);
    return write_info(needs, &own, sizeof own, SIZE_UP_TO(trawl_range_needs, cuts))
               ? TRAWL_OK
               : fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                      "trawl_range_needs.size is %zu: set it to sizeof(trawl_range_needs)",
                      needs->size);
}

/* The number of bytes up to and with the first that is not unbroken; or TRAWL_NONE. */
static size_t first_cut(const byte_class *unbroken, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!class_has(unbroken, bytes[i]))
            return i + 1;
    return TRAWL_NONE;
}

int trawl_range_cut(const trawl_plan *plan, uint32_t report, const void *bytes, size_t length,
                    size_t *at, trawl_error *error)
{
    byte_class unbroken;
    bool cuts;
    if (!at || (!bytes && length))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL", at ? "bytes" : "at");
    *at = TRAWL_NONE;
    const int status = check_report(plan, report, &cuts, &unbroken, error);
    if (status == TRAWL_OK)
        *at = cuts ? first_cut(&unbroken, (const uint8_t *)bytes, length) : 0;
    return status;
}

/* ---- what is handed on ------------------------------------------------------ */

/* Matches that begin before a place and end after it, in order; offsets of the text. */
typedef struct taken_list {
    trawl_match *items;
    size_t count, room;
} taken_list;

/* A search of one range, part by part. */
typedef struct course {
    trawl_context *context;
    const trawl_plan *plan;
    const trawl_range *range;
    trawl_scan_options options;
    bool chooses, flows; /* one of the two ways to follow, or neither */
    bool cuts;
    surround around;
    byte_class unbroken;
    budget budget;

    /* Where matches go. */
    trawl_match_fn fn;
    void *user;
    bool mute;          /* nowhere */
    uint64_t left;      /* still allowed; UINT64_MAX: no limit */
    uint64_t *reported; /* TRAWL_ONCE: a bit for each of the caller's patterns; else NULL */
    int stopped;        /* why no more are wanted */

    uint64_t at, upto;       /* the part is (at, upto] */
    taken_list taken, going; /* chooses: at `at`, from `given` on; at `upto` */
    size_t given;

    /* flows */
    text_scan scan;
    delivery out;
    trawl_match batch[MATCH_BATCH];
} course;

static bool is_first(course *c, const trawl_match *m)
{
    const plan_pattern *p = &plan_patterns(c->plan)[c->plan->by_order[m->pattern]];
    uint64_t *word = &c->reported[m->pattern / 64], bit = UINT64_C(1) << m->pattern % 64;
    if (!(p->flags & TRAWL_ONCE))
        return true;
    const bool first = !(*word & bit);
    *word |= bit;
    return first;
}

/* Non-zero: no more are wanted. */
static int hand(course *c, const trawl_match *matches, size_t count)
{
    if (count == 0 || c->mute)
        return 0;
    count = count < c->left ? count : (size_t)c->left;
    if (c->left != UINT64_MAX)
        c->left -= count;
    if (c->fn(matches, count, c->user) != 0)
        c->stopped = TRAWL_STOPPED;
    else if (c->left == 0)
        c->stopped = TRAWL_LIMITED;
    return c->stopped;
}

static int hand_on(course *c, const trawl_match *matches, size_t count)
{
    if (!c->reported || c->mute)
        return hand(c, matches, count);
    for (size_t i = 0; i < count && !c->stopped; i++)
        if (is_first(c, &matches[i]))
            hand(c, &matches[i], 1);
    return c->stopped;
}

static bool stands_before(const trawl_match *a, const trawl_match *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    if (a->start != b->start)
        return a->start < b->start;
    return a->id != b->id ? a->id < b->id : a->pattern < b->pattern;
}

/* A match as it is reported. */
static trawl_match shifted(const trawl_match *m, uint64_t base)
{
    trawl_match moved = *m;
    moved.start += base;
    moved.end += base;
    return moved;
}

/* Hand on those matches taken before the part that stand before `m`; if `m` is NULL, those that end
 * in the part. */
static int hand_taken(course *c, const trawl_match *m)
{
    while (!c->stopped && c->given < c->taken.count) {
        const trawl_match t = shifted(&c->taken.items[c->given], c->options.base);
        if (m ? !stands_before(&t, m) : t.end > c->upto + c->options.base)
            break;
        c->given++;
        hand_on(c, &t, 1);
    }
    return c->stopped;
}

static bool taken_add(course *c, taken_list *list, const trawl_match *m)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 16;
        trawl_match *grown = memory_grow(&c->context->memory, list->items, room * sizeof *grown);
        if (!grown)
            return false;
        list->items = grown;
        list->room = room;
    }
    list->items[list->count++] = *m;
    return true;
}

/* Whether the match may not overlap others: under EACH those of a pattern of fixed length may. */
static bool overlaps_none(const course *c, const trawl_match *m)
{
    return c->options.report != TRAWL_REPORT_EACH ||
           !plan_fixed_length(&plan_patterns(c->plan)[c->plan->by_order[m->pattern]]);
}

/* Note the matches that end after the part, and begin in it or before. */
static void note_going(course *c, const trawl_match *matches, size_t count)
{
    for (size_t i = 0; i < count && !c->stopped; i++) {
        const trawl_match m = shifted(&matches[i], -c->options.base);
        if (m.start < c->upto && overlaps_none(c, &m) && !taken_add(c, &c->going, &m))
            c->stopped = TRAWL_ERROR_MEMORY;
    }
}

/* A trawl_match_fn. */
static int sort_out(const trawl_match *matches, size_t count, void *user)
{
    course *c = (course *)user;
    const uint64_t after = c->at + c->options.base, upto = c->upto + c->options.base;
    size_t first = 0, next;
    while (first < count && matches[first].end <= after)
        first++;
    for (next = first; next < count && matches[next].end <= upto; next++) {
        if (c->given < c->taken.count) { /* they come in between */
            hand_on(c, matches + first, next - first);
            first = next;
            if (hand_taken(c, &matches[next]))
                return c->stopped;
        }
    }
    hand_on(c, matches + first, next - first);
    if (c->chooses)
        note_going(c, matches + next, count - next);
    return c->stopped;
}

/* The status of the course, after a call of the library whose matches went there ended with
 * `status`. */
static int ended_with(const course *c, int status, trawl_error *error)
{
    if (status != TRAWL_STOPPED)
        return status;
    return c->stopped == TRAWL_ERROR_MEMORY
               ? memory_failed(&c->context->memory, error, "matches that cross a part of a range")
               : c->stopped;
}

/* ---- a part as a text of its own ---------------------------------------------- */

/* Offset `x` less `count`, but not before the text. */
static uint64_t back_from(const course *c, uint64_t x, uint64_t count)
{
    return x - c->range->offset > count ? x - count : c->range->offset;
}

static uint64_t at_hand(const course *c)
{
    return c->range->offset + c->range->length;
}

static const uint8_t *byte_at(const course *c, uint64_t offset)
{
    return (const uint8_t *)c->range->bytes + (offset - c->range->offset);
}

static int open_delivery(course *c, delivery *d, trawl_match *batch, uint64_t begin,
                         trawl_error *error)
{
    trawl_scan_options options = c->options;
    options.base += begin;
    options.max_matches = 0;
    const int status = delivery_open(d, c->context, c->plan, &options, sort_out, c, batch, error);
    memory_give(d->memory, d->out.reported); /* matches outside of the part do not count */
    d->out.reported = NULL;
    d->out.open = UINT64_MAX;
    d->out.budget = c->budget;
    d->origin = begin;
    return status;
}

/* Begin the reporter: no match may begin before the part, or before what was taken ends. */
static void begin_reporter(const course *c, reporter *r, uint64_t begin)
{
    reporter_begin(r, c->at - begin);
    for (size_t i = 0; i < c->taken.count; i++)
        reporter_taken(r, c->taken.items[i].pattern, c->taken.items[i].end - begin);
}

static int by_end(const void *left, const void *right)
{
    const trawl_match *a = left, *b = right;
    return stands_before(a, b) ? -1 : stands_before(b, a);
}

/* The part is over: matches that were taken and do not end in it go on. */
static int leave_taken(course *c, trawl_error *error)
{
    hand_taken(c, NULL);
    for (; !c->stopped && c->given < c->taken.count; c->given++)
        if (!taken_add(c, &c->going, &c->taken.items[c->given]))
            c->stopped = TRAWL_ERROR_MEMORY;
    if (c->stopped)
        return ended_with(c, TRAWL_STOPPED, error);
    const taken_list old = c->taken;
    c->taken = c->going;
    c->going = old;
    c->going.count = c->given = 0;
    if (c->taken.count)
        qsort(c->taken.items, c->taken.count, sizeof *c->taken.items, by_end);
    return TRAWL_OK;
}

static int search_apart(course *c, trawl_error *error)
{
    const uint64_t begin = back_from(c, c->at, c->around.before);
    const uint64_t end =
        at_hand(c) - c->upto > c->around.after ? c->upto + c->around.after : at_hand(c);
    delivery d;
    int status = open_delivery(c, &d, c->batch, begin, error);
    if (status == TRAWL_OK) {
        if (c->chooses)
            begin_reporter(c, d.reports, begin);
        status = text_deliver(c->context, &d, byte_at(c, begin), (size_t)(end - begin), error);
        status = ended_with(c, delivery_flush(&d, status), error);
    }
    c->budget = d.out.budget;
    delivery_close(&d);
    return status == TRAWL_OK ? leave_taken(c, error) : status;
}

/* ---- a part as windows of a text that goes on ----------------------------------- */

/* The text begins here, with the opening before it: scan the next bytes, in a copy after the
 * opening and all before them. */
static int scan_opened(course *c, uint64_t at, uint64_t room, trawl_error *error)
{
    memory *m = &c->context->memory;
    uint8_t *window = memory_take(m, (size_t)(at + room) + 1);
    if (!window)
        return memory_failed(m, error, "%llu bytes of text", (unsigned long long)(at + room));
    window[0] = delivery_opening(c->plan);
    memcpy(window + 1, c->range->bytes, (size_t)(at + room));
    c->out.window_begin = delivery_begins(c->plan);
    const uint32_t lead = at ? (uint32_t)at + 1 : 0;
    c->scan.opens = true;
    const int status =
        text_scan_window(&c->scan, window, lead, (uint32_t)(at + room) + 1 - lead, error);
    c->scan.opens = false;
    memory_give(m, window);
    return status;
}

/* Scan some bytes from `at` on, up to `end`; *next is where the next ones begin. */
static int scan_some(course *c, uint64_t at, uint64_t end, uint64_t *next, trawl_error *error)
{
    const uint64_t reach = plan_head(c->plan)->reach;
    const bool opened = plan_head(c->plan)->opened && c->range->offset == 0 && at <= reach;
    budget *b = &c->out.out.budget;
    uint64_t room = end - at < c->scan.window ? end - at : c->scan.window;
    room = room < b->steps ? room : b->steps;
    if (opened && room > reach + 1 - at)
        room = reach + 1 - at;
    const int status = budget_check(b);
    if (status != TRAWL_OK)
        return status;
    budget_spend(b, room);
    context_scanned(c->context, room);
    *next = at + room;
    if (opened)
        return scan_opened(c, at, room, error);
    const uint64_t from = back_from(c, at, reach);
    c->out.window_begin = from;
    return text_scan_window(&c->scan, byte_at(c, from), (uint32_t)(at - from), (uint32_t)room,
                            error);
}

static int search_on(course *c, trawl_error *error)
{
    uint64_t at = c->at;
    int status = TRAWL_OK;
    while (at < c->upto && status == TRAWL_OK)
        status = scan_some(c, at, c->upto, &at, error);
    return ended_with(c, delivery_flush(&c->out, status), error);
}

/* ---- part by part ------------------------------------------------------------- */

/* Search (c->at, upto]. */
static int search_upto(course *c, uint64_t upto, trawl_error *error)
{
    c->upto = upto;
    const int status = c->at == upto ? TRAWL_OK
                       : c->flows    ? search_on(c, error)
                                     : search_apart(c, error);
    c->at = upto;
    return status;
}

/* Keep the state at c->at. */
static int keep_state(const course *c, memory *m, seam_state *state, trawl_error *error)
{
    bool kept;
    if (c->chooses) {
        uint64_t *words = memory_take_array(m, SEAM_TAKEN * c->taken.count + 1, sizeof *words);
        for (size_t i = 0; words && i < c->taken.count; i++) {
            const trawl_match *t = &c->taken.items[i];
            const uint64_t one[SEAM_TAKEN] = { t->start, t->end, t->pattern };
            memcpy(words + SEAM_TAKEN * i, one, sizeof one);
        }
        kept = words && seam_state_set(m, state, c->at, words, SEAM_TAKEN * c->taken.count);
        memory_give(m, words);
    } else {
        kept = seam_state_set(m, state, c->at, c->flows ? c->scan.state : NULL,
                              c->flows ? plan_head(c->plan)->state_words : 0);
    }
    return kept ? TRAWL_OK : memory_failed(m, error, "a range's state");
}

/* Begin with a state. */
static int take_state(course *c, const seam_state *state, trawl_error *error)
{
    c->at = state->at;
    if (c->flows && state->count)
        memcpy(c->scan.state, state->words, (size_t)state->count * sizeof *state->words);
    for (uint64_t w = 0; c->chooses && w < state->count; w += SEAM_TAKEN) {
        const uint32_t order = (uint32_t)state->words[w + 2];
        const trawl_match m = { .start = state->words[w],
                                .end = state->words[w + 1],
                                .id = plan_patterns(c->plan)[c->plan->by_order[order]].id,
                                .pattern = order };
        if (!taken_add(c, &c->taken, &m))
            return memory_failed(&c->context->memory, error, "a range's state");
    }
    return TRAWL_OK;
}

/* Where a part ends that should end at `wanted`. */
static uint64_t part_end(const course *c, uint64_t wanted)
{
    if (wanted >= c->range->end)
        return c->range->end;
    if (!c->cuts)
        return wanted;
    const size_t at =
        first_cut(&c->unbroken, byte_at(c, wanted - 1), (size_t)(c->range->end - wanted + 1));
    return at == TRAWL_NONE ? c->range->end : wanted - 1 + at;
}

/* Bring the course to the range's begin, with what the bytes before it tell. */
static int begin_by_telling(course *c, trawl_error *error)
{
    const uint64_t begin = c->range->begin;
    uint64_t from = back_from(c, begin, TELLING);
    if (c->cuts && from > 0 && from < begin) {
        const size_t at = first_cut(&c->unbroken, byte_at(c, from), (size_t)(begin - from));
        from = at == TRAWL_NONE ? begin : from + at;
    }
    c->at = from;
    c->mute = true;
    const int status = search_upto(c, begin, error);
    c->mute = false;
    return status;
}

static int search_first(course *c, memory *m, const trawl_seam *seam, seam_marks *marks,
                        trawl_error *error)
{
    int status = seam->told.words ? take_state(c, &seam->told, error) : begin_by_telling(c, error);
    uint64_t length = FIRST_PART;
    do {
        if (status == TRAWL_OK)
            status = keep_state(c, m, &marks->mark[marks->count++], error);
        if (status != TRAWL_OK || c->at == c->range->end)
            return status;
        const bool much = c->range->end - c->range->begin > length && marks->count < SEAM_MARKS - 1;
        status =
            search_upto(c, much ? part_end(c, c->range->begin + length) : c->range->end, error);
        while (c->at - c->range->begin >= length && length <= UINT64_MAX / 4)
            length *= 2;
    } while (true);
}

/* Begin with what the seam was told, and go on until that makes no difference. */
static int search_again(course *c, memory *m, const trawl_seam *seam, seam_marks *marks,
                        trawl_error *error)
{
    const seam_marks *old = &seam->marks;
    int status = take_state(c, &seam->told, error);
    bool same = false;
    for (uint32_t i = 0; i < old->count && status == TRAWL_OK; i++) {
        if (!same)
            status = search_upto(c, old->mark[i].at, error);
        if (status == TRAWL_OK && !same)
            status = keep_state(c, m, &marks->mark[marks->count], error);
        else if (status == TRAWL_OK &&
                 !seam_state_set(m, &marks->mark[marks->count], old->mark[i].at, old->mark[i].words,
                                 old->mark[i].count))
            status = memory_failed(m, error, "a range's state");
        marks->count++;
        same = same || (i > 0 && status == TRAWL_OK &&
                        seam_same(c->plan, seam->report, &marks->mark[i], &old->mark[i]));
    }
    return status;
}

/* ---- the call --------------------------------------------------------------------- */

static int course_open(course *c, trawl_error *error)
{
    const plan_header *head = plan_head(c->plan);
    int status = TRAWL_OK;
    budget_open(&c->budget, &c->context->state, c->options.max_steps, c->options.max_seconds);
    if (head->once) {
        c->reported = memory_take_zeroed(&c->context->memory, head->given / 64 + (size_t)1,
                                         sizeof *c->reported);
        if (!c->reported)
            return memory_failed(&c->context->memory, error, "the patterns that are reported once");
    }
    if (!c->flows)
        return TRAWL_OK;
    status = open_delivery(c, &c->out, c->batch, 0, error);
    if (status == TRAWL_OK)
        status = text_scan_open(&c->scan, c->context, c->plan, false, deliver, &c->out, error);
    c->out.text = (const uint8_t *)c->range->bytes;
    c->out.text_begin = c->range->offset;
    c->out.known = at_hand(c);
    return status;
}

static void course_close(course *c)
{
    memory *m = &c->context->memory;
    if (c->flows) {
        if (c->scan.context)
            text_scan_close(&c->scan);
        delivery_close(&c->out);
    }
    memory_give(m, c->reported);
    memory_give(m, c->taken.items);
    memory_give(m, c->going.items);
}

/* Renew the seam with what was found out. */
static void seam_renew(trawl_seam *seam, const seam_marks *marks)
{
    seam_marks_free(&seam->memory, &seam->marks);
    seam->marks = *marks;
    memory_give(&seam->memory, seam->told.words);
    seam->told = (seam_state){ 0, 0, NULL };
}

static int search_range(course *c, trawl_seam *seam, uint64_t *settled, trawl_error *error)
{
    seam_marks marks = { .count = 0 };
    int status = course_open(c, error);
    if (status == TRAWL_OK && !seam) {
        c->at = c->range->begin;
        status = search_upto(c, c->range->end, error);
    } else if (status == TRAWL_OK) {
        status = seam->marks.count && seam->told.words
                     ? search_again(c, &seam->memory, seam, &marks, error)
                     : search_first(c, &seam->memory, seam, &marks, error);
    }
    if (status == TRAWL_OK && settled)
        *settled = c->at;
    if (status == TRAWL_OK && seam)
        seam_renew(seam, &marks);
    else if (seam)
        seam_marks_free(&seam->memory, &marks);
    course_close(c);
    return status;
}

static bool cut_between(const course *c, uint64_t place)
{
    const trawl_range *r = c->range;
    if (!c->cuts || place == 0 || (r->last && place == at_hand(c)))
        return true;
    return place > r->offset && !class_has(&c->unbroken, *byte_at(c, place - 1));
}

static int check_range(const course *c, const trawl_seam *seam, const trawl_range_needs *needs,
                       trawl_error *error)
{
    const trawl_range *r = c->range;
    if ((!r->bytes && r->length) || r->reserved || r->last > 1)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "trawl_range: %s: begin with TRAWL_RANGE_INIT",
                    !r->bytes && r->length ? "bytes is NULL"
                    : r->reserved          ? "reserved is not 0"
                                           : "last is neither 0 nor 1");
    if (r->length > UINT64_MAX - r->offset || r->begin > r->end || r->begin < r->offset ||
        r->end > at_hand(c))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the range [%llu, %llu) does not lie in the bytes at hand, [%llu, %llu)",
                    (unsigned long long)r->begin, (unsigned long long)r->end,
                    (unsigned long long)r->offset, (unsigned long long)(r->offset + r->length));
    if ((r->offset && r->begin - r->offset < needs->before) ||
        (!r->last && at_hand(c) - r->end < needs->after))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the search reads %llu bytes before the range and %llu after it, of which %llu "
                    "and %llu are at hand (trawl_plan_get_range_needs)",
                    (unsigned long long)needs->before, (unsigned long long)needs->after,
                    (unsigned long long)(r->begin - r->offset),
                    (unsigned long long)(at_hand(c) - r->end));
    if (!cut_between(c, r->begin) || !cut_between(c, r->end))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the range %s at %llu, where a match of an unbounded repeat may go on: ranges "
                    "meet where trawl_range_cut says",
                    cut_between(c, r->begin) ? "ends" : "begins",
                    (unsigned long long)(cut_between(c, r->begin) ? r->end : r->begin));
    if (needs->follows && !seam)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "seam is NULL, but the range depends on those before it: open one with "
                    "trawl_seam_open");
    return TRAWL_OK;
}

static int check_seam(const course *c, const trawl_seam *seam, trawl_error *error)
{
    if (!seam)
        return TRAWL_OK;
    if (plan_head(seam->plan)->checksum != plan_head(c->plan)->checksum ||
        seam->report != c->options.report)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the seam is of another plan or report");
    const seam_marks *m = &seam->marks;
    if ((seam->told.words && seam->told.at != c->range->begin) ||
        (m->count &&
         (m->mark[0].at != c->range->begin || m->mark[m->count - 1].at != c->range->end)))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "the seam is of another range");
    return TRAWL_OK;
}

static int read_range(const trawl_range *given, trawl_range *range, trawl_error *error)
{
    const trawl_range defaults = TRAWL_RANGE_INIT;
    *range = defaults;
    return given ? read_options(range, sizeof *range, SIZE_UP_TO(trawl_range, reserved), given,
                                "range", error)
                 : fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "range is NULL");
}

int trawl_scan_range(trawl_context *context, const trawl_plan *plan, const trawl_range *given,
                     const trawl_scan_options *options, trawl_seam *seam, trawl_match_fn fn,
                     void *user, uint64_t *settled, trawl_error *error)
{
    trawl_range range;
    course c = { .context = context, .plan = plan, .range = &range, .fn = fn, .user = user };
    if (settled)
        *settled = 0;
    if (!fn)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "fn is NULL");
    int status = read_range(given, &range, error);
    if (status == TRAWL_OK)
        status = check_text(plan, options, range.end, &c.options, error);
    if (status == TRAWL_OK)
        status = check_report(plan, c.options.report, &c.cuts, &c.unbroken, error);
    if (status != TRAWL_OK)
        return status;
    c.around = surround_of(plan, c.options.report);
    const trawl_range_needs needs = needs_of(plan, c.options.report, c.cuts, &c.around);
    c.chooses = range_chooses(c.options.report);
    c.flows = needs.follows && !c.chooses;
    c.left = c.options.max_matches ? c.options.max_matches : UINT64_MAX;
    status = check_range(&c, seam, &needs, error);
    if (status == TRAWL_OK)
        status = check_seam(&c, seam, error);
    if (status == TRAWL_OK)
        status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = search_range(&c, seam, settled, error);
    context_leave(context);
    return status;
}
