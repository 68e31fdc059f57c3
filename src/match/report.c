/* report.c: the reporter, which turns ends into the other report modes.
 *
 * A pattern of fixed length has one start for each end, end - length: nothing must be found out.
 * For other sequences pairs.c finds the starts. Those that reach an end are all between its first
 * and its last start, and both grow with the end. So, end by end,
 *
 *   ENDS      for plans with doubtful patterns (plan.h): the ends of these that have a start, and
 *             all ends of the others. What may start is followed from the text's begin on.
 *   PAIRS     complete at each end: all its starts, at once. Those of the patterns that end there
 *             are merged through a heap (merge.h), so none of them is copied.
 *   SHORTEST  the same for the starts that reached no end before.
 *   LONGEST   a start before the first start of an end reaches no end any more, so the end before
 *             was its farthest. Its match is handed on when no pattern can bring one that stands
 *             before it.
 *   EACH      among the longest matches of a pattern, each one that starts at the cursor of the
 *             pattern or after it, in the order of ends, together with those of fixed length. When
 *             the first such start has reached an end, no other start before that end can follow:
 *             pairs.c forgets them.
 *   LEFTMOST_LONGEST, LEFTMOST_FIRST
 *             the longest matches per start and pattern are sorted by start and, where they share
 *             it, by preference. Each one that starts at the cursor or after it is handed on, and
 *             moves the cursor to its end. Greed and length agree: a sequence's preferred match is
 *             its longest. For a single pattern of variable length they are the same as EACH.
 *
 * For programs spans.c finds all starts of an end for PAIRS, and follows them for ENDS. Under the
 * other reports their ends wait until starts are settled. Then it finds the wanted match of each of
 * these, the longest, the shortest or under LEFTMOST_FIRST the one that Perl prefers, and these
 * stand for the longest matches above.
 *
 * Starts that follow one another and share their end are kept as one run, so a run of equal letters
 * takes no more memory than one letter. Alternatives of one pattern are united once all their
 * matches below some start are known (unite.c). Until then matches of one length that follow one
 * another are also kept as one, and matches that another alternative outdoes are not kept.
 *
 * A start s is settled
 *   for patterns with a longest match   when the text is known to s + horizon, the length of the
 *                                       longest one;
 *   for unbounded patterns              when a gap is known at s or after it: a byte that is in no
 *                                       class of any of them, so that no match of theirs crosses
 *                                       it. For [a-z]+ that is any byte but a letter, for a.*b
 *                                       under TRAWL_LINES a newline. Without it, a.*b has no gaps:
 *                                       its starts are settled at the end of the text.
 * Starts are settled when they are more than `horizon`. A large batch is taken in steps, so what
 * waits is bounded by the matches in two horizons, a step and the distance between gaps.
 *
 * Invariant between feeds: every match with a start below `settled` has been found, and
 * what `found`, `apart` and the lists of starts hold is what later output may need.
 */
#include <string.h>

#include "match/reporter.h"
#include "match/unite.h"

#define MIN_STEP (UINT64_C(1) << 16)

#define MANY_FOUND 4096u /* matches that wait before it is checked which may be handed on */

static bool is_leftmost(const reporter *r)
{
    return r->report == TRAWL_REPORT_LEFTMOST_LONGEST || r->report == TRAWL_REPORT_LEFTMOST_FIRST;
}

/* Matches are complete as soon as their end is known, and need not wait for others. */
static bool is_immediate(const reporter *r)
{
    if (r->span == 0)
        return !is_leftmost(r);
    return r->report == TRAWL_REPORT_PAIRS ||
           (r->report == TRAWL_REPORT_SHORTEST && !r->programs && !plan_has_alternatives(r->plan));
}

/* The leftmost matches of a single pattern are its own. */
static uint32_t report_of(const trawl_plan *plan, uint32_t report)
{
    const bool leftmost =
        report == TRAWL_REPORT_LEFTMOST_LONGEST || report == TRAWL_REPORT_LEFTMOST_FIRST;
    return leftmost && plan_head(plan)->pattern_count == 1 &&
                   !plan_fixed_length(&plan_patterns(plan)[0])
               ? TRAWL_REPORT_EACH
               : report;
}

int reporter_memory_failed(const memory *m, trawl_error *error)
{
    return memory_failed(m, error,
                         "matches that are put together (the report mode 'ends' keeps none)");
}

/* ---- open and close -------------------------------------------------- */

static void add_class(byte_class *sum, const byte_class *set)
{
    for (size_t k = 0; k < 4; k++)
        sum->bits[k] |= set->bits[k];
}

/* Add the bytes that matches of the pattern may hold. */
static void add_classes(byte_class *sum, const trawl_plan *plan, const plan_pattern *p)
{
    const program *own = plan_program(plan, p);
    for (uint32_t i = 0; i < p->elements; i++)
        add_class(sum, &plan_elements(plan, p)[i].set);
    for (uint32_t q = 0; own && q < own->positions; q++)
        add_class(sum, &program_sets(own)[q]);
}

/* Fill first_variable, programs, span, horizon and unbroken. */
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
            r->programs |= has_program(r, p);
        }
        if (p->max_length == LENGTH_UNBOUNDED)
            add_classes(&r->unbroken, r->plan, p);
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
            add_classes(unbroken, plan, &patterns[i]);
    return !class_full(unbroken);
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
        return reporter_memory_failed(memory, error);
    made->memory = memory;
    made->plan = plan;
    made->wanted = report == TRAWL_REPORT_SHORTEST         ? SPANS_NEAREST
                   : report == TRAWL_REPORT_LEFTMOST_FIRST ? SPANS_FIRST
                                                           : SPANS_FARTHEST;
    made->by_priority = report == TRAWL_REPORT_LEFTMOST_FIRST;
    made->report = report = report_of(plan, report);
    made->looked = MANY_FOUND;
    made->out = out;
    measure(made);
    made->step = made->horizon > MIN_STEP ? made->horizon : MIN_STEP;
    size_t variables = plan_head(plan)->pattern_count - made->first_variable;
    const bool counted = report == TRAWL_REPORT_EACH || report == TRAWL_REPORT_ENDS;
    const size_t cursors = counted ? plan_head(plan)->given : 0;
    const bool immediate = is_immediate(made) || report == TRAWL_REPORT_ENDS;
    const bool united = plan_has_alternatives(plan) || report == TRAWL_REPORT_SHORTEST;
    const size_t siblings = !immediate && united ? plan_head(plan)->given : 0;
    const size_t latest = siblings > 0 || (is_leftmost(made) && made->span == LENGTH_UNBOUNDED)
                              ? plan_head(plan)->pattern_count
                              : 0;
    if (variables > 0)
        made->variables = memory_take_zeroed(memory, variables, sizeof *made->variables);
    if (cursors > 0)
        made->cursors = memory_take_zeroed(memory, cursors, sizeof *made->cursors);
    if (siblings > 0)
        made->siblings = memory_take_zeroed(memory, siblings, sizeof *made->siblings);
    if (latest > 0)
        made->latest = memory_take_zeroed(memory, latest, sizeof *made->latest);
    if ((variables > 0 && made->variables == NULL) || (cursors > 0 && made->cursors == NULL) ||
        (siblings > 0 && made->siblings == NULL) || (latest > 0 && made->latest == NULL)) {
        reporter_free(made);
        return reporter_memory_failed(memory, error);
    }
    *r = made;
    return TRAWL_OK;
}

static void variable_free(memory *memory, variable *v)
{
    if (v != NULL) {
        pairs_free(v->pairs);
        spans_free(v->spans);
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
    memory_give(r->memory, r->siblings);
    memory_give(r->memory, r->latest);
    merge_free(&r->heads, r->memory);
    match_list_free(&r->found, r->memory);
    match_list_free(&r->back, r->memory);
    match_list_free(&r->apart, r->memory);
    memory_give(r->memory, r);
}

/* A pattern keeps what it needs, since it will occur again. */
void reporter_restart(reporter *r)
{
    for (variable *v = r->seen; v != NULL; v = v->next_seen) {
        if (v->spans != NULL)
            spans_restart(v->spans);
        else
            pairs_restart(v->pairs);
        v->end = v->last = 0;
        v->seen = false;
        if (r->cursors != NULL)
            r->cursors[v->pattern->order] = 0;
        if (r->siblings != NULL)
            r->siblings[v->pattern->order] = NULL;
    }
    if (r->report == TRAWL_REPORT_ENDS)
        memset(r->cursors, 0, plan_head(r->plan)->given * sizeof *r->cursors);
    r->began = false;
    r->seen = NULL;
    r->found.count = r->apart.count = r->heads.count = 0;
    r->looked = MANY_FOUND;
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

/* The pattern by whose index that is kept: the first one of its order, if it is a program. */
static uint32_t leader_of(const reporter *r, uint32_t index)
{
    const plan_pattern *p = &plan_patterns(r->plan)[index];
    const uint32_t first = r->plan->by_order[p->order];
    return has_program(r, p) && has_program(r, &plan_patterns(r->plan)[first]) ? first : index;
}

/* Open what finds the starts of a pattern. */
static bool variable_open(reporter *r, variable *v)
{
    const program *own = has_program(r, v->pattern) ? plan_program(r->plan, v->pattern) : NULL;
    const plan_borders *b = plan_borders_of(r->plan, v->pattern);
    if (own != NULL && v->spans == NULL)
        v->spans = spans_open(r->memory, own, b != NULL ? b->asks : (demands){ 0 });
    else if (own == NULL && v->pairs == NULL)
        v->pairs = pairs_open(r->memory, r->plan, v->pattern, r->report == TRAWL_REPORT_SHORTEST);
    return v->spans != NULL || v->pairs != NULL;
}

/* What the last element of a sequence repeats: a match that such a byte follows is not the longest.
 * NULL: nothing, or other alternatives ask where this one ended. */
static const byte_class *passed_by(const reporter *r, const plan_pattern *p)
{
    const plan_borders *b = plan_borders_of(r->plan, p);
    const element *e = plan_elements(r->plan, p), *last = p->elements > 0 ? &e[p->elements - 1] : e;
    const bool asks = b != NULL && (b->after.given || b->asks.word == TRAWL_WORD_FULL_WIDE);
    const bool repeats = p->elements > 0 && last->max == REPEAT_UNBOUNDED;
    return r->siblings == NULL && repeats && !asks ? &last->set : NULL;
}

variable *reporter_variable(reporter *r, uint32_t index)
{
    variable **place = &r->variables[index - r->first_variable];
    if (*place != NULL && (*place)->seen)
        return *place;
    const uint32_t leader = leader_of(r, index);
    variable *v = r->variables[leader - r->first_variable];
    if (v == NULL) {
        v = memory_take_zeroed(r->memory, 1, sizeof *v);
        if (v == NULL)
            return NULL;
        r->variables[leader - r->first_variable] = v;
        v->pattern = &plan_patterns(r->plan)[leader];
        v->passes = passed_by(r, v->pattern);
        v->next = r->made;
        r->made = v;
    }
    *place = v;
    if (v->seen)
        return v;
    if (!variable_open(r, v))
        return NULL;
    v->next_seen = r->seen;
    v->seen = true;
    r->seen = v;
    if (r->siblings != NULL && v->pairs != NULL && !plan_one_length(v->pattern)) {
        v->sibling = r->siblings[v->pattern->order];
        r->siblings[v->pattern->order] = v;
    }
    return v;
}

bool reporter_note(reporter *r, uint32_t index, uint64_t end, text_view text)
{
    const variable *v = reporter_variable(r, index);
    return v != NULL && spans_note(v->spans, text, end);
}

/* The first end at which a match may still be found, or become a longer one; of a program, one that
 * has been fed. UINT64_MAX: there is none. */
static uint64_t variable_waits(const variable *v)
{
    if (v->spans != NULL)
        return spans_least(v->spans);
    return v->end > 0 && pairs_least(v->pairs) <= v->last ? v->end : UINT64_MAX;
}

/* ---- handing out ----------------------------------------------------- */

static const plan_pattern *pattern_of(const reporter *r, const found_match *m)
{
    return &plan_patterns(r->plan)[r->plan->by_order[m->pattern]];
}

bool reporter_add_run(reporter *r, const plan_pattern *p, uint64_t first, uint64_t last)
{
    merge_item *item = merge_add(&r->heads, r->memory);
    if (item == NULL)
        return false;
    item->pattern = p;
    item->starts.go_on = NULL;
    item->starts.first = first;
    item->starts.last = last;
    return true;
}

/* Leave what was not handed on for later. */
static int released(reporter *r, match_queue *q, int status, trawl_error *error)
{
    if (status == TRAWL_OK && !match_queue_close(q, r->memory))
        return reporter_memory_failed(r->memory, error);
    return status;
}

/* Hand on all matches of `found` with an end up to `limit`, in the order of output. */
static int release_by_end(reporter *r, uint64_t limit, trawl_error *error)
{
    match_queue q = match_queue_open(&r->found, &r->back, match_before_by_end);
    const found_match *next;
    int status = TRAWL_OK;
    while (status == TRAWL_OK && (next = match_queue_next(&q)) != NULL && next->end <= limit) {
        const uint64_t end = next->end;
        do {
            found_match m = match_queue_take(&q);
            bool added =
                reporter_add_run(r, pattern_of(r, &m), m.start, m.step > 0 ? m.start : m.last);
            if (added && m.step > 0 && m.last - m.start >= m.step) {
                found_begin(&m, m.start + m.step);
                added = match_queue_put(&q, r->memory, m);
            }
            if (!added)
                return reporter_memory_failed(r->memory, error);
        } while ((next = match_queue_next(&q)) != NULL && next->end == end);
        status = merge_release(&r->heads, r->out, end);
    }
    return released(r, &q, status, error);
}

/* Hand on the matches with a start below `settled` that do not overlap. */
static int release_leftmost(reporter *r, trawl_error *error)
{
    match_queue q = match_queue_open(
        &r->found, &r->back,
        r->report == TRAWL_REPORT_LEFTMOST_LONGEST ? match_before_longest : match_before_first);
    const found_match *next;
    int status = TRAWL_OK;
    while (status == TRAWL_OK && (next = match_queue_next(&q)) != NULL &&
           next->start < r->settled) {
        found_match m = match_queue_take(&q);
        if (m.start >= r->cursor) {
            status = match_emit(r->out, pattern_of(r, &m), m.start, m.end);
            r->cursor = m.end;
        }
        if (m.last >= r->cursor) {
            found_begin(&m, r->cursor);
            if (!match_queue_put(&q, r->memory, m))
                return reporter_memory_failed(r->memory, error);
        }
    }
    return released(r, &q, status, error);
}

/* ---- feeding --------------------------------------------------------- */

/* Whether another alternative of p's pattern is known to bring a match from `start` that is wanted
 * as much as one to `end`. */
static bool is_outdone(const reporter *r, const plan_pattern *p, uint64_t start, uint64_t end)
{
    const bool nearest = r->report == TRAWL_REPORT_SHORTEST;
    for (const variable *v = r->siblings[p->order]; v != NULL; v = v->sibling) {
        const size_t latest = r->latest[v->pattern - plan_patterns(r->plan)];
        start_run run;
        if (v->pattern == p)
            continue;
        if (!nearest && v->end >= end && start <= v->last && pairs_run(v->pairs, &run) &&
            run.first <= start && start <= run.last)
            return true;
        if (latest >= r->apart.count)
            continue;
        const found_match *m = &r->apart.items[latest];
        if (m->pattern == p->order && m->start <= start && start <= m->last &&
            (nearest ? found_end(m, start) <= end : found_end(m, start) >= end))
            return true;
    }
    return false;
}

/* Put matches of a pattern into the list; they extend its latest match if they follow it. */
static bool keep(reporter *r, match_list *to, uint32_t index, found_match m)
{
    if (r->latest != NULL) {
        const size_t latest = r->latest[index];
        if (latest < to->count && found_continue(&to->items[latest], &m))
            return true;
        r->latest[index] = to->count;
    }
    return match_list_add(to, r->memory, m);
}

/* The same for the matches of alternatives, unless better ones are known. */
static bool keep_apart(reporter *r, uint32_t index, found_match m)
{
    const plan_pattern *p = &plan_patterns(r->plan)[index];
    return (m.start == m.last && is_outdone(r, p, m.start, m.end)) || keep(r, &r->apart, index, m);
}

/* Put the longest matches of a pattern into `found`. They come by start, so that EACH can choose at
 * once. */
static bool keep_found(reporter *r, uint32_t index, found_match m)
{
    if (r->report == TRAWL_REPORT_EACH) {
        uint64_t *cursor = &r->cursors[m.pattern];
        if (m.last < *cursor)
            return true;
        found_begin(&m, m.start > *cursor ? m.start : *cursor);
        const uint64_t length = m.end - m.start;
        const uint64_t more = m.step > 0 ? (m.last - m.start) / length : 0;
        m.last = m.start + more * length;
        m.step = more > 0 ? (uint32_t)length : 0;
        *cursor = m.last + length;
    }
    return keep(r, &r->found, index, m);
}

/* The starts below `below` reach no later end than the one that was found last. */
static bool end_starts(reporter *r, variable *v, uint64_t below)
{
    const plan_pattern *p = v->pattern;
    const uint32_t index = (uint32_t)(p - plan_patterns(r->plan));
    bool added = true;
    for (;;) {
        start_run run;
        if (!added || !pairs_run(v->pairs, &run) || run.first >= below)
            return added;
        const uint64_t last = run.last < below ? run.last : below - 1;
        if (v->end > 0 && run.first <= v->last) {
            const found_match m = { run.first, last < v->last ? last : v->last,
                                    v->end,    p->id,
                                    p->order,  0 };
            added = r->siblings != NULL ? keep_apart(r, index, m) : keep_found(r, index, m);
        }
        pairs_drop(v->pairs, last + 1);
    }
}

/* Collect an end of a pattern of variable length. */
static bool collect_end(reporter *r, uint32_t index, uint64_t end, text_view text, uint64_t upto)
{
    variable *v = reporter_variable(r, index);
    const bool chooses = r->report == TRAWL_REPORT_EACH && !plan_has_alternatives(r->plan);
    pairs_end found;
    if (v != NULL && v->passes != NULL && end < upto &&
        class_has(v->passes, text.bytes[end - text.begin]))
        return true;
    if (v == NULL || !pairs_at(v->pairs, text, end, &found))
        return false;
    if (found.first > found.last)
        return true;
    if (pairs_least(v->pairs) < found.first && !end_starts(r, v, found.first))
        return false;
    v->end = end;
    v->last = found.last;
    if (chooses) {
        pairs_drop(v->pairs, r->cursors[v->pattern->order]);
        pairs_keep_first(v->pairs, end);
    }
    return true;
}

/* Under SHORTEST, for alternatives: collect the starts that reached no end of theirs before. */
static bool collect_nearest(reporter *r, uint32_t index, uint64_t end, text_view text)
{
    if (!reporter_add_starts(r, index, end, text))
        return false;
    bool added = true;
    while (added && r->heads.count > 0) {
        merge_item *head = &r->heads.items[--r->heads.count];
        const plan_pattern *p = head->pattern;
        start_run *run = &head->starts;
        do
            added = keep_apart(r, index,
                               (found_match){ run->first, run->last, end, p->id, p->order, 0 });
        while (added && start_run_next(run));
    }
    reporter_drop_starts(r, &(record){ 0, index }, 1, end);
    return added;
}

/* Collect an end of a pattern, or of an alternative, of one length, which tells its start. */
static bool collect_fixed(reporter *r, uint32_t index, uint64_t end)
{
    const plan_pattern *p = &plan_patterns(r->plan)[index];
    const uint64_t start = end - p->min_length;
    const found_match m = { start, start, end, p->id, p->order, 0 };
    if (end < p->min_length + r->cursor)
        return true;
    if (plan_fixed_length(p))
        return keep(r, &r->found, index, m);
    /* its cursor needs to know that it occurred */
    return (r->cursors == NULL || reporter_variable(r, index) != NULL) && keep_apart(r, index, m);
}

static bool collect_one(reporter *r, uint32_t index, uint64_t end, text_view text, uint64_t upto)
{
    if (has_program(r, &plan_patterns(r->plan)[index]))
        return reporter_note(r, index, end, text);
    if (plan_one_length(&plan_patterns(r->plan)[index]))
        return collect_fixed(r, index, end);
    return r->report == TRAWL_REPORT_SHORTEST ? collect_nearest(r, index, end, text)
                                              : collect_end(r, index, end, text, upto);
}

/* Keep what the batch brings until its starts are settled. Among alternatives that end at one
 * place, those of one length come last, since others may outdo them. */
static bool collect(reporter *r, const record *records, size_t count, uint64_t shift,
                    text_view text, uint64_t upto)
{
    const plan_pattern *patterns = plan_patterns(r->plan);
    bool added = true;
    for (size_t i = 0, k = 0; added && i < count; i = k) {
        const uint64_t end = records[i].pos + shift;
        for (; added && k < count && records[k].pos == records[i].pos; k++)
            if (r->siblings == NULL || !plan_one_length(&patterns[records[k].index]))
                added = collect_one(r, records[k].index, end, text, upto);
        for (; added && r->siblings != NULL && i < k; i++)
            if (plan_one_length(&patterns[records[i].index]))
                added = collect_one(r, records[i].index, end, text, upto);
    }
    return added;
}

/* ---- alternatives ------------------------------------------------------- */

static bool take_united(void *user, found_match m)
{
    reporter *r = user;
    return keep_found(r, r->plan->by_order[m.pattern], m);
}

/* ---- settling ------------------------------------------------------------- */

/* The offset up to which matches may be handed on: what has been fed, but less than the end of any
 * match that still waits. */
static uint64_t known_ends(const reporter *r)
{
    uint64_t limit = r->siblings != NULL ? r->settled : r->done;
    for (const variable *v = r->seen; v != NULL; v = v->next_seen)
        if (variable_waits(v) <= limit)
            limit = variable_waits(v) - 1;
    return limit;
}

static int release(reporter *r, trawl_error *error)
{
    int status =
        is_leftmost(r) ? release_leftmost(r, error) : release_by_end(r, known_ends(r), error);
    r->looked = 2 * r->found.count > MANY_FOUND ? 2 * r->found.count : MANY_FOUND;
    return status;
}

/* Take the wanted matches of a program that begin from `from` on and are settled: so they end
 * before `horizon` bytes have followed, or the next gap, or the end of the text. */
static bool settle_program(reporter *r, variable *v, text_view text, uint64_t from)
{
    const plan_pattern *p = v->pattern;
    const uint64_t cursor = r->cursors != NULL ? r->cursors[p->order] : r->cursor;
    const uint64_t left = r->done > r->settled - 1 ? r->done - (r->settled - 1) : 0;
    const uint64_t upto = left > r->horizon ? r->settled - 1 + r->horizon : r->done;
    const found_match *found;
    size_t count;
    if (spans_least(v->spans) > upto)
        return true;
    bool added = spans_choose(v->spans, text, cursor > from ? cursor : from, r->settled, upto,
                              r->wanted, &found, &count);
    while (added && count-- > 0) {
        found_match m = found[count];
        m.id = p->id;
        m.pattern = p->order;
        added = keep_found(r, (uint32_t)(p - plan_patterns(r->plan)), m);
    }
    spans_drop(v->spans, r->settled + 1);
    return added;
}

/* Settle all starts below `settled`, and hand on what is then sure. */
static int settle(reporter *r, uint64_t settled, text_view text, trawl_error *error)
{
    const uint64_t from = r->settled;
    r->settled = settled;
    for (variable *v = r->seen; v != NULL; v = v->next_seen)
        if (v->spans != NULL ? !settle_program(r, v, text, from)
                             : pairs_least(v->pairs) < settled && !end_starts(r, v, settled))
            return reporter_memory_failed(r->memory, error);
    if (!unite(&r->apart, r->memory, settled, r->report == TRAWL_REPORT_SHORTEST, take_united, r))
        return reporter_memory_failed(r->memory, error);
    return release(r, error);
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

/* The offset below which all starts' matches are known, now that the text is known up to `done`. */
static uint64_t known_below(const reporter *r)
{
    if (r->done < r->horizon)
        return 0;
    uint64_t below = r->done - r->horizon + 1;
    return r->span == LENGTH_UNBOUNDED && r->gap < below ? r->gap : below;
}

/* Take what ends in (done, upto], and settle when it is worth it. */
static int feed_step(reporter *r, const record *records, size_t count, uint64_t shift,
                     text_view text, uint64_t upto, bool last, trawl_error *error)
{
    const bool immediate = is_immediate(r);
    int status = TRAWL_OK;
    if (immediate)
        status = reporter_feed_pairs(r, records, count, shift, text, error);
    else if (!collect(r, records, count, shift, text, upto))
        status = reporter_memory_failed(r->memory, error);
    if (status != TRAWL_OK)
        return status;
    if (r->span == LENGTH_UNBOUNDED)
        find_gap(r, text, upto);
    r->done = upto;
    uint64_t below = last ? upto + 1 : known_below(r);
    if (immediate)
        r->settled = below;
    else if (last || below > r->settled + r->horizon)
        return settle(r, below, text, error);
    return !immediate && r->found.count >= r->looked ? release(r, error) : TRAWL_OK;
}

int reporter_feed(reporter *r, const record *records, size_t count, uint64_t shift, text_view view,
                  uint64_t upto, bool last, trawl_error *error)
{
    int status;
    if (r->report == TRAWL_REPORT_ENDS)
        return reporter_feed_ends(r, records, count, shift, view, upto, error);
    if (r->span == 0 && is_immediate(r)) {
        r->done = upto;
        return reporter_feed_fixed(r, records, count, shift);
    }
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
    return r->programs && r->settled > 0 ? r->settled - 1 : r->settled;
}
