/* report.c: the reporter, which turns ends into the other report modes.
 *
 * A pattern of fixed length has one start for each end, end - length: nothing is to be
 * found out. For the others pairs.c (PAIRS) finds the starts, or backward.c runs the pattern
 * back over the text.
 *
 *   PAIRS     complete at each end: all its starts, at once. Those of the patterns that end
 *             there are merged through a heap, so none of them is copied.
 *   LONGEST, SHORTEST
 *             per start and pattern the farthest or nearest end. A start is settled when all
 *             its ends are known. Its match goes out when no unsettled start can end before
 *             it.
 *   LEFTMOST_LONGEST, LEFTMOST_FIRST
 *             of the longest matches per start and pattern, sorted by start and, where they
 *             share it, by preference, each one that starts at the cursor or after it goes
 *             out and moves the cursor to its end. Greed and length agree: the language
 *             has no alternation, so the first pattern's preferred match is its longest.
 *   EACH      of the longest matches per start and pattern, each one that starts at the cursor of
 *             its pattern or after it; in the order of ends, with those of fixed length.
 *
 * A start s is settled
 *   for patterns with a longest match   when the text is known to s + horizon, the length of
 *                                       the longest one;
 *   for unbounded patterns              when a gap is known at s or after it: a byte that is
 *                                       in no class of any of them, so that no match of
 *                                       theirs crosses it. For [a-z]+ that is any byte but a
 *                                       letter, for a.*b under TRAWL_LINES a newline. Without
 *                                       it, a.*b has no gaps: its starts are settled at
 *                                       the end of the text.
 * Starts are settled when they are more than `horizon`, so no byte of the text is read more
 * than three times for a pattern: O(text * elements) in all. A large batch is taken in
 * steps, so what waits is bounded by the matches in two horizons, a step and the distance
 * between gaps.
 *
 * Invariant between feeds: every match with a start below `settled` has been found, and
 * what `found` and the lists of ends hold is what later output may need.
 */
#include <stdlib.h>
#include <string.h>

#include "match/backward.h"
#include "match/match.h"
#include "match/order.h"
#include "match/pairs.h"
#include "match/sieve.h"

#define MIN_STEP (UINT64_C(1) << 16)

/* A pattern of variable length that has occurred. */
typedef struct variable {
    struct variable *next; /* of all that were made */
    struct variable *next_seen;
    bool seen; /* it occurred in this text */
    const plan_pattern *pattern;
    pairs *pairs;   /* PAIRS */
    backward *pass; /* the other modes */
    uint64_t *ends; /* those after `settled`, ascending */
    size_t count, capacity;
} variable;

/* The starts of one pattern's matches that share their end: `start`, then [rest, end). */
typedef struct start_list {
    const plan_pattern *pattern;
    uint64_t start;
    const uint64_t *rest, *end;
} start_list;

struct reporter {
    const trawl_plan *plan;
    uint32_t report;
    match_out *out;
    memory *memory;
    size_t first_variable; /* patterns before it have a fixed length */
    uint64_t span;         /* the longest match of variable length, 0: there are none */
    uint64_t horizon;      /* the longest match, of bounded ones, that settling must wait for */
    byte_class unbroken;   /* bytes of unbounded patterns; only when span is unbounded */
    uint64_t gap;          /* the offset after the last byte up to `done` not in it; 0: none */
    uint64_t step;         /* a batch is taken in steps of so many bytes */
    uint64_t done;         /* ends up to here have been fed */
    uint64_t settled;      /* starts below it are */
    uint64_t cursor;       /* LEFTMOST_...: where the next match may start */
    match_list found;      /* not handed out yet */
    variable **variables;  /* by pattern index - first_variable; NULL: not seen yet */
    variable *made;        /* all of them, linked */
    variable *seen;        /* those of this text, linked */
    uint64_t *cursors;     /* EACH: by the caller's index, where its next match may start */
    start_list *lists;     /* a heap: of each pattern that ends at one place */
    size_t list_count, list_room;
};

static bool is_leftmost(const reporter *r)
{
    return r->report == TRAWL_REPORT_LEFTMOST_LONGEST || r->report == TRAWL_REPORT_LEFTMOST_FIRST;
}

/* Matches are complete as soon as their end is known, and need not wait for others. */
static bool is_immediate(const reporter *r)
{
    return r->report == TRAWL_REPORT_PAIRS || (r->span == 0 && !is_leftmost(r));
}

static int out_of_memory(const memory *m, trawl_error *error)
{
    return memory_failed(m, error,
                         "matches that are put together (the report mode 'ends' keeps none)");
}

/* ---- open and close -------------------------------------------------- */

static void add_classes(byte_class *sum, const element *elements, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 4; k++)
            sum->bits[k] |= elements[i].set.bits[k];
}

/* Fill first_variable, span, horizon and unbroken. */
static void measure(reporter *r)
{
    const plan_pattern *patterns = plan_patterns(r->plan);
    size_t count = plan_head(r->plan)->pattern_count;
    r->first_variable = count;
    for (size_t i = count; i-- > 0;) {
        const plan_pattern *p = &patterns[i];
        bool fixed = plan_fixed_length(p);
        if (!fixed) {
            r->first_variable = i;
            r->span = p->max_length > r->span ? p->max_length : r->span;
        }
        if (p->max_length == LENGTH_UNBOUNDED)
            add_classes(&r->unbroken, plan_elements(r->plan, p), p->elements);
        else if ((!fixed || is_leftmost(r)) && p->max_length > r->horizon)
            r->horizon = p->max_length;
    }
}

bool reporter_gaps(const trawl_plan *plan, byte_class *unbroken)
{
    const plan_pattern *patterns = plan_patterns(plan);
    *unbroken = (byte_class){ { 0 } };
    for (size_t i = 0; i < plan_head(plan)->pattern_count; i++)
        if (patterns[i].max_length == LENGTH_UNBOUNDED)
            add_classes(unbroken, plan_elements(plan, &patterns[i]), patterns[i].elements);
    const uint64_t *bits = unbroken->bits;
    return (bits[0] & bits[1] & bits[2] & bits[3]) != UINT64_MAX;
}

bool reporter_settles(const trawl_plan *plan, uint32_t report)
{
    byte_class unbroken;
    if (plan_head(plan)->max_length != LENGTH_UNBOUNDED)
        return true;
    return report != TRAWL_REPORT_PAIRS && reporter_gaps(plan, &unbroken);
}

int reporter_open(const trawl_plan *plan, uint32_t report, match_out *out, memory *memory,
                  reporter **r, trawl_error *error)
{
    reporter *made = memory_take_zeroed(memory, 1, sizeof *made);
    if (made == NULL)
        return out_of_memory(memory, error);
    made->memory = memory;
    made->plan = plan;
    made->report = report;
    made->out = out;
    measure(made);
    made->step = made->horizon > MIN_STEP ? made->horizon : MIN_STEP;
    size_t variables = plan_head(plan)->pattern_count - made->first_variable;
    const size_t cursors = report == TRAWL_REPORT_EACH ? plan_head(plan)->given : 0;
    if (variables > 0)
        made->variables = memory_take_zeroed(memory, variables, sizeof *made->variables);
    if (cursors > 0)
        made->cursors = memory_take_zeroed(memory, cursors, sizeof *made->cursors);
    if ((variables > 0 && made->variables == NULL) || (cursors > 0 && made->cursors == NULL)) {
        reporter_free(made);
        return out_of_memory(memory, error);
    }
    *r = made;
    return TRAWL_OK;
}

static void variable_free(memory *memory, variable *v)
{
    if (v != NULL) {
        pairs_free(v->pairs);
        backward_free(v->pass);
        memory_give(memory, v->ends);
        memory_give(memory, v);
    }
}

void reporter_free(reporter *r)
{
    if (r == NULL)
        return;
    while (r->made != NULL) {
        variable *next = r->made->next;
        variable_free(r->memory, r->made);
        r->made = next;
    }
    memory_give(r->memory, r->variables);
    memory_give(r->memory, r->cursors);
    memory_give(r->memory, r->lists);
    match_list_free(&r->found, r->memory);
    memory_give(r->memory, r);
}

/* What a pattern needs stays with it, for it will occur again. */
void reporter_restart(reporter *r)
{
    for (variable *v = r->seen; v != NULL; v = v->next_seen) {
        pairs_free(v->pairs);
        v->pairs = NULL;
        v->count = 0;
        v->seen = false;
        if (r->cursors != NULL)
            r->cursors[v->pattern->order] = 0;
    }
    r->seen = NULL;
    r->found.count = r->list_count = 0;
    r->gap = r->done = r->settled = r->cursor = 0;
}

void reporter_begin(reporter *r, uint64_t cursor)
{
    if (is_leftmost(r))
        r->cursor = cursor;
    for (size_t i = 0; r->cursors != NULL && i < plan_head(r->plan)->given; i++)
        r->cursors[i] = cursor;
}

void reporter_taken(reporter *r, uint32_t order, uint64_t end)
{
    uint64_t *cursor = r->cursors != NULL ? &r->cursors[order] : &r->cursor;
    *cursor = end > *cursor ? end : *cursor;
}

/* ---- patterns of variable length ------------------------------------- */

/* Whether there is what the report mode needs. */
static bool variable_ready(reporter *r, variable *v)
{
    if (r->report == TRAWL_REPORT_PAIRS && v->pairs == NULL)
        v->pairs = pairs_open(r->memory, r->plan, v->pattern);
    else if (r->report != TRAWL_REPORT_PAIRS && v->pass == NULL)
        v->pass = backward_open(r->memory, r->plan, v->pattern);
    return v->pairs != NULL || v->pass != NULL;
}

/* What is kept for pattern `index`, made when it is first asked for; NULL: no memory. */
static variable *variable_of(reporter *r, uint32_t index)
{
    variable **place = &r->variables[index - r->first_variable];
    variable *v = *place;
    if (v != NULL && v->seen)
        return v;
    if (v == NULL) {
        v = *place = memory_take_zeroed(r->memory, 1, sizeof *v);
        if (v == NULL)
            return NULL;
        v->pattern = &plan_patterns(r->plan)[index];
        v->next = r->made;
        r->made = v;
    }
    if (!variable_ready(r, v))
        return NULL;
    v->next_seen = r->seen;
    v->seen = true;
    r->seen = v;
    return v;
}

static bool variable_add(memory *memory, variable *v, uint64_t end)
{
    if (v->count == v->capacity) {
        size_t capacity = v->capacity == 0 ? 16 : 2 * v->capacity;
        uint64_t *ends = memory_grow(memory, v->ends, capacity * sizeof *ends);
        if (ends == NULL)
            return false;
        v->ends = ends;
        v->capacity = capacity;
    }
    v->ends[v->count++] = end;
    return true;
}

/* Forget the ends up to `settled`: a match is not empty, so no later start has them. */
static void variable_forget(variable *v, uint64_t settled)
{
    size_t gone = 0;
    while (gone < v->count && v->ends[gone] <= settled)
        gone++;
    v->count -= gone;
    if (gone > 0 && v->count > 0)
        memmove(v->ends, v->ends + gone, v->count * sizeof *v->ends);
}

/* ---- handing out ----------------------------------------------------- */

static int emit(reporter *r, const found_match *m)
{
    const plan_pattern *p = &plan_patterns(r->plan)[r->plan->by_order[m->pattern]];
    return match_emit(r->out, p, m->start, m->end);
}

/* Hand out, in the order of output, all that was found with an end up to `limit`. */
static int release_by_end(reporter *r, uint64_t limit)
{
    match_list_sort(&r->found, match_before_by_end);
    size_t i = 0;
    int status = TRAWL_OK;
    while (status == TRAWL_OK && i < r->found.count && r->found.items[i].end <= limit)
        status = emit(r, &r->found.items[i++]);
    match_list_drop(&r->found, i);
    return status;
}

/* Hand out what does not overlap of all that was found with a start below `settled`. */
static int release_leftmost(reporter *r)
{
    match_list_sort(&r->found, r->report == TRAWL_REPORT_LEFTMOST_LONGEST ? match_before_longest
                                                                          : match_before_first);
    size_t i = 0;
    int status = TRAWL_OK;
    for (; status == TRAWL_OK && i < r->found.count; i++) {
        const found_match *m = &r->found.items[i];
        if (m->start >= r->settled)
            break;
        if (m->start >= r->cursor) {
            status = emit(r, m);
            r->cursor = m->end;
        }
    }
    match_list_drop(&r->found, i);
    return status;
}

/* Of two starts of matches with one end: the order of output. */
static bool list_before(const start_list *a, const start_list *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    const plan_pattern *p = a->pattern, *q = b->pattern;
    return p->id != q->id ? p->id < q->id : p->order < q->order;
}

static void lists_sink(reporter *r, size_t i)
{
    const start_list item = r->lists[i];
    for (size_t k = 2 * i + 1; k < r->list_count; k = 2 * i + 1) {
        k += k + 1 < r->list_count && list_before(&r->lists[k + 1], &r->lists[k]);
        if (!list_before(&r->lists[k], &item))
            break;
        r->lists[i] = r->lists[k];
        i = k;
    }
    r->lists[i] = item;
}

/* Add what release_lists makes a heap of: `start` and the `count` ones at `rest`. */
static bool lists_add(reporter *r, const plan_pattern *p, uint64_t start, const uint64_t *rest,
                      size_t count)
{
    if (r->list_count == r->list_room) {
        size_t room = r->list_room == 0 ? 16 : 2 * r->list_room;
        start_list *lists = memory_grow(r->memory, r->lists, room * sizeof *lists);
        if (lists == NULL)
            return false;
        r->lists = lists;
        r->list_room = room;
    }
    r->lists[r->list_count++] = (start_list){ p, start, rest, count > 0 ? rest + count : rest };
    return true;
}

/* Hand out the matches that end at `end`, in the order of output. */
static int release_lists(reporter *r, uint64_t end)
{
    const plan_pattern *last = NULL;
    uint64_t start = 0;
    int status = TRAWL_OK;
    for (size_t i = r->list_count / 2; i-- > 0;)
        lists_sink(r, i);
    while (status == TRAWL_OK && r->list_count > 0) {
        start_list *top = &r->lists[0];
        if (!last || start != top->start || last->order != top->pattern->order) /* alternatives */
            status = match_emit(r->out, top->pattern, top->start, end);
        last = top->pattern;
        start = top->start;
        if (top->rest < top->end)
            top->start = *top->rest++;
        else
            *top = r->lists[--r->list_count];
        lists_sink(r, 0);
    }
    return status;
}

/* ---- feeding --------------------------------------------------------- */

/* All have a fixed length, so the records are in the order of output already. Here and below
 * an end too near to the text's begin is left out: only a forged plan has one. */
static int feed_fixed(reporter *r, const record *records, size_t count, uint64_t shift)
{
    const plan_pattern *patterns = plan_patterns(r->plan);
    int status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        const plan_pattern *p = &patterns[records[i].index];
        uint64_t end = records[i].pos + shift;
        if (end >= p->min_length)
            status = match_emit(r->out, p, end - p->min_length, end);
    }
    return status;
}

/* Put the starts of pattern `index` that reach `end` on the heap. */
static bool add_starts(reporter *r, uint32_t index, uint64_t end, text_view text)
{
    const plan_pattern *p = &plan_patterns(r->plan)[index];
    if (plan_fixed_length(p))
        return end < p->min_length || lists_add(r, p, end - p->min_length, NULL, 0);
    variable *v = variable_of(r, index);
    const uint64_t *starts;
    size_t count;
    if (v == NULL || !pairs_at(v->pairs, text, end, &starts, &count))
        return false;
    return count == 0 || lists_add(r, p, starts[0], starts + 1, count - 1);
}

/* All starts of each end. */
static int feed_pairs(reporter *r, const record *records, size_t count, uint64_t shift,
                      text_view text, trawl_error *error)
{
    int status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        uint64_t end = records[i].pos + shift;
        if (!add_starts(r, records[i].index, end, text))
            return out_of_memory(r->memory, error);
        if (i + 1 == count || records[i + 1].pos != records[i].pos)
            status = release_lists(r, end);
    }
    return status;
}

/* Keep what the batch brings until its starts are settled. */
static bool collect(reporter *r, const record *records, size_t count, uint64_t shift)
{
    const plan_pattern *patterns = plan_patterns(r->plan);
    bool added = true;
    for (size_t i = 0; added && i < count; i++) {
        const plan_pattern *p = &patterns[records[i].index];
        uint64_t end = records[i].pos + shift;
        if (!plan_fixed_length(p)) {
            variable *v = variable_of(r, records[i].index);
            added = v != NULL && variable_add(r->memory, v, end);
        } else if (end >= p->min_length + r->cursor) {
            added = match_list_add(&r->found, r->memory, p, end - p->min_length, end);
        }
    }
    return added;
}

/* Of the matches of one pattern that were found from number `first` on, those that may start there.
 */
static void drop_starts(reporter *r, const plan_pattern *p, text_view text, size_t first)
{
    const plan_borders *b = plan_borders_of(r->plan, p);
    size_t kept = first;
    for (size_t i = first; b && i < r->found.count; i++) {
        r->found.items[kept] = r->found.items[i];
        kept += border_before(b, text, r->found.items[i].start);
    }
    r->found.count = b ? kept : r->found.count;
}

static int by_pattern(const void *left, const void *right)
{
    const found_match *a = left, *b = right;
    if (a->pattern != b->pattern)
        return a->pattern < b->pattern ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Of the matches from number `first` on, found by alternatives, the farthest or nearest end for
 * each pattern and start. */
static void unite_alternatives(reporter *r, size_t first, bool nearest)
{
    found_match *items = r->found.items;
    size_t kept = first;
    if (!plan_has_alternatives(r->plan) || r->found.count - first < 2)
        return;
    qsort(items + first, r->found.count - first, sizeof *items, by_pattern);
    for (size_t i = first; i < r->found.count; i++) {
        const bool same = kept > first && items[kept - 1].pattern == items[i].pattern &&
                          items[kept - 1].start == items[i].start;
        if (same && !nearest)
            items[kept - 1] = items[i];
        else if (!same)
            items[kept++] = items[i];
    }
    r->found.count = kept;
}

/* Of the matches from number `first` on, those that begin where the one before of their pattern has
 * ended, or after it. Each pattern's come by start. */
static void drop_overlaps(reporter *r, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < r->found.count; i++) {
        const found_match m = r->found.items[i];
        if (m.start < r->cursors[m.pattern])
            continue;
        r->cursors[m.pattern] = m.end;
        r->found.items[kept++] = m;
    }
    r->found.count = kept;
}

/* Settle all starts below `settled` and hand out what that makes sure. */
static int settle(reporter *r, uint64_t settled, text_view text, trawl_error *error)
{
    const bool nearest = r->report == TRAWL_REPORT_SHORTEST;
    const size_t before = r->found.count;
    for (variable *v = r->seen; v != NULL; v = v->next_seen) {
        const size_t first = r->found.count;
        if (!backward_run(v->pass, v->ends, v->count, nearest, text, r->settled, settled,
                          &r->found))
            return out_of_memory(r->memory, error);
        drop_starts(r, v->pattern, text, first);
        variable_forget(v, settled);
    }
    unite_alternatives(r, before, nearest);
    if (r->report == TRAWL_REPORT_EACH)
        drop_overlaps(r, before);
    r->settled = settled;
    return is_leftmost(r) ? release_leftmost(r) : release_by_end(r, settled);
}

/* Note the last gap in the bytes [done, upto). */
static void find_gap(reporter *r, text_view text, uint64_t upto)
{
    for (uint64_t p = upto; p > r->done; p--) {
        if (!class_has(&r->unbroken, text.bytes[p - 1 - text.begin])) {
            r->gap = p;
            return;
        }
    }
}

/* All matches with a start below it are known, now that the text is up to `done`. */
static uint64_t known_below(const reporter *r)
{
    if (r->done < r->horizon)
        return 0;
    uint64_t below = r->done - r->horizon + 1;
    return r->span == LENGTH_UNBOUNDED && r->gap < below ? r->gap : below;
}

/* Take what ends in (done, upto], and settle when it is worth a pass. */
static int feed_step(reporter *r, const record *records, size_t count, uint64_t shift,
                     text_view text, uint64_t upto, bool last, trawl_error *error)
{
    if (!collect(r, records, count, shift))
        return out_of_memory(r->memory, error);
    if (r->span == LENGTH_UNBOUNDED)
        find_gap(r, text, upto);
    r->done = upto;
    uint64_t below = last ? upto + 1 : known_below(r);
    return last || below > r->settled + r->horizon ? settle(r, below, text, error) : TRAWL_OK;
}

int reporter_feed(reporter *r, const record *records, size_t count, uint64_t shift,
                  const uint8_t *text, uint64_t text_begin, uint64_t upto, bool last,
                  trawl_error *error)
{
    text_view view = { text, text_begin };
    if (is_immediate(r)) {
        r->done = upto;
        return r->span == 0 ? feed_fixed(r, records, count, shift)
                            : feed_pairs(r, records, count, shift, view, error);
    }
    int status;
    do {
        uint64_t to = upto - r->done > r->step ? r->done + r->step : upto;
        size_t taken = 0;
        while (taken < count && records[taken].pos + shift <= to)
            taken++;
        status = feed_step(r, records, taken, shift, view, to, last && to == upto, error);
        if (taken) /* records may be NULL when there are none */
            records += taken;
        count -= taken;
    } while (status == TRAWL_OK && r->done < upto);
    return status;
}

uint64_t reporter_keeps(const reporter *r)
{
    if (r->span == 0)
        return r->done; /* no text is read */
    if (is_immediate(r))
        return r->done >= r->span ? r->done - r->span + 1 : 0;
    return r->settled;
}
