/* spans.c: the matches of a pattern that is a program, by their starts.
 *
 * Engines report the ends of a program. Which starts belong to an end cannot be told by a first and
 * a last one, as in pairs.c: walks through a program that cross need not meet in one position. But
 * from right to left each start knows its matches at once.
 *
 * Idea. Let value(q, i) be what is wanted of the matches that go on with position q taking the byte
 * at offset i: the farthest of their ends, the nearest, the one that Perl prefers, or the set of
 * them. Where q does not take that byte, or no end is reached, there is none. Else it joins, over
 * the links of q,
 *
 *   a link to the end     i + 1, if a match is known to end there, and what follows is as the link
 *                         asks for;
 *   a link to position r  value(r, i + 1), if there is one.
 *
 * They are joined by taking the greatest, the least, that of the first link in the list, or the
 * union. Perl goes on with a later link only where an earlier one leads to no match, so the first
 * link that has a value is Perl's choice, lazy repeats and alternatives included. A start joins the
 * links with which a match may begin in the same way.
 *
 * So a pass goes from right to left over the text and keeps the live positions, those with a value,
 * and hands each value to the links that lead to its position. These are listed by the bytes that
 * the positions before them take, so that links from many positions with one class are passed over
 * together. Where nothing lives, the pass sleeps until the next known end.
 *
 * Sets of ends have 64 members, one bit for each: the starts of that many ends are found in one
 * pass (spans_at). Where such passes go far back, the next ones need not: a mark is left, an offset
 * with all starts up to it and the positions that each of them may have take the byte there.
 * Another pass finds them, back to the mark before. A pass that comes to the mark knows from its
 * live positions which ends these starts have. Starts that follow one another and have the same
 * value are one run.
 *
 * Where only the ends that have a start are wanted, the program is run forward from the text's
 * begin (spans_follow), as a set of positions.
 *
 * Invariant of a pass, at offset i: `now` has the positions that are live there, each once, and
 * `found` all starts after i.
 *
 * Cost. A byte costs the links to the positions that are live after it, but for those passed over
 * in groups; a position is live only where it leads to an end. spans_choose is linear: a byte is
 * passed once, and once more within a longest match after the starts that are asked for. spans_at
 * passes a byte once for its mark, and an end costs a few bytes before the others of its set, and
 * the starts at the mark, nearly all of which are pairs. But a program of more than 64 positions
 * has no marks: there a byte is passed once for every 64 ends that it leads to.
 *
 * Memory: 16 bytes for each link, 40 for each position, 24 for each run of ends that wait, and 60
 * for each run of starts of a pass.
 *
 * Source: Glushkov 1961 for the positions; that a pass from the right tells each start its match is
 * dynamic programming as for suffixes (Frisch and Cardelli 2004, "Greedy regular expression
 * matching", who find Perl's choice so).
 */
#include <stdlib.h>
#include <string.h>

#include "match/spans.h"

enum {
    SPANS_ALL = SPANS_FIRST + 1,
    BATCH = 64,
    MARKED = 64, /* the most positions of a program that has marks */
    SPACING = 64 /* how far back passes go at least before a mark is left */
};

/* A link, as it is seen from where it leads to. The start is the position after all others; the
 * byte that its links ask for is the one before the match. */
typedef struct into {
    uint32_t from;
    uint32_t rank; /* its number in the program: the least of those in one list is preferred */
    uint32_t skip; /* how many links after it have the same set, of the next lists too */
    uint32_t set : 24;
    uint32_t when : 8;
} into;

typedef struct live {
    uint64_t value;
    uint32_t position, rank; /* the rank of the link that the value came by */
} live;

typedef struct front {
    live *items;
    uint32_t count;
} front;

/* Ends that follow one another. */
typedef struct end_run {
    uint64_t first, last;
    uint32_t kind; /* what follows them, an AFTER_... bit; or AFTER_ANY if that does not matter */
} end_run;

struct spans {
    memory *memory;
    const program *program;
    demands asks;
    bool looks; /* some link to the end asks for what follows */
    into *links;
    uint32_t *first; /* the links to position q are those from first[q] on; then those to the end */
    byte_class *sets;  /* the different ones that links ask for */
    byte_class begins; /* the first bytes of matches */
    front now, next;
    uint32_t *slot; /* by position: where it is in `next`, if it is */

    end_run *ends; /* ascending, from `head` on up to `count` */
    size_t head, count, room;

    match_list found;      /* the last starts first; in spans_at `end` is a set of ends */
    uint64_t batch[BATCH]; /* the ends that the sets' bits stand for */
    uint32_t batched, asked;
    uint64_t mark;     /* 0: none is left */
    match_list marked; /* starts up to it, as in `found`; `end` is a set of positions */
    uint64_t reached;  /* how far back the last pass went */

    uint64_t at; /* where spans_follow stands, with `now` */
};

/* ---- open and close -------------------------------------------------- */

/* A class, and what has it: a position, or, after these, a condition of the start. */
typedef struct owner {
    byte_class set;
    uint32_t of;
} owner;

static int by_set(const void *left, const void *right)
{
    const owner *a = left, *b = right;
    const int order = memcmp(&a->set, &b->set, sizeof a->set);
    return order ? order : (a->of > b->of) - (a->of < b->of);
}

/* What a link leads to, as a number of a list of `first`. */
static uint32_t list_of(const program *p, const program_link *l)
{
    return l->to == PROGRAM_END ? p->positions : l->to;
}

/* Put the links of `list` with the condition `when`, or all if it is 0, after those that are there
 * already: next[] says where. */
static void add_links(spans *s, uint32_t list, uint32_t when, uint32_t set, uint32_t *next)
{
    const program *p = s->program;
    const program_link *l, *end;
    program_list(p, list, &l, &end);
    for (; l < end; l++)
        if (!when || l->when == when)
            s->links[next[list_of(p, l)]++] =
                (into){ list ? list - 1 : p->positions, (uint32_t)(l - program_links(p)), 0, set,
                        l->when };
}

/* Turn the links round. `owners` are sorted. */
static void turn_links(spans *s, const owner *owners, uint32_t count, uint32_t *next)
{
    const program *p = s->program;
    uint32_t set = 0;
    for (uint32_t i = 0; i < p->links; i++)
        s->first[list_of(p, &program_links(p)[i]) + 1]++;
    for (uint32_t q = 0; q <= p->positions; q++) {
        next[q] = s->first[q];
        s->first[q + 1] += s->first[q];
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t of = owners[i].of, when = of < p->positions ? 0 : of - p->positions;
        set += i > 0 && memcmp(&owners[i].set, &owners[i - 1].set, sizeof owners->set) != 0;
        s->sets[set] = owners[i].set;
        add_links(s, when ? 0 : of + 1, when, set, next);
    }
    for (uint32_t i = p->links; i-- > 1;)
        if (s->links[i - 1].set == s->links[i].set)
            s->links[i - 1].skip = s->links[i].skip + 1;
}

static bool fill(spans *s)
{
    const program *p = s->program;
    const program_link *l, *end;
    uint32_t count = p->positions;
    owner *owners = memory_take_array(s->memory, (size_t)p->positions + BEFORE_ANY + 1,
                                      sizeof *owners + sizeof(uint32_t));
    if (!owners)
        return false;
    for (uint32_t q = 0; q < p->positions; q++)
        owners[q] = (owner){ program_sets(p)[q], q };
    for (uint32_t when = 1; when <= BEFORE_ANY; when++)
        owners[count++] = (owner){ program_bytes_before(p, when), p->positions + when };
    qsort(owners, count, sizeof *owners, by_set);
    turn_links(s, owners, count, (uint32_t *)(void *)(owners + count));
    memory_give(s->memory, owners);
    for (program_list(p, 0, &l, &end); l < end; l++)
        for (int k = 0; k < 4; k++)
            s->begins.bits[k] |= program_sets(p)[l->to].bits[k];
    return true;
}

spans *spans_open(memory *memory, const program *p, demands asks)
{
    const size_t positions = (size_t)p->positions + 1;
    spans *s = memory_take_zeroed(memory, 1, sizeof *s);
    if (!s)
        return NULL;
    s->memory = memory;
    s->program = p;
    s->asks = asks;
    for (uint32_t i = 0; i < p->links; i++)
        s->looks |= program_links(p)[i].to == PROGRAM_END && program_links(p)[i].when != AFTER_ANY;
    s->links = memory_take_array(memory, p->links, sizeof *s->links);
    s->first = memory_take_zeroed(memory, positions + 1, sizeof *s->first);
    s->sets = memory_take_array(memory, positions + BEFORE_ANY, sizeof *s->sets);
    s->slot = memory_take_zeroed(memory, positions, sizeof *s->slot);
    s->now.items = memory_take_array(memory, positions, sizeof *s->now.items);
    s->next.items = memory_take_array(memory, positions, sizeof *s->next.items);
    if (s->links && s->first && s->sets && s->slot && s->now.items && s->next.items && fill(s))
        return s;
    spans_free(s);
    return NULL;
}

void spans_free(spans *s)
{
    if (!s)
        return;
    memory_give(s->memory, s->links);
    memory_give(s->memory, s->first);
    memory_give(s->memory, s->sets);
    memory_give(s->memory, s->slot);
    memory_give(s->memory, s->now.items);
    memory_give(s->memory, s->next.items);
    memory_give(s->memory, s->ends);
    match_list_free(&s->found, s->memory);
    match_list_free(&s->marked, s->memory);
    memory_give(s->memory, s);
}

void spans_restart(spans *s)
{
    s->now.count = 0;
    s->head = s->count = 0;
    s->batched = s->asked = 0;
    s->mark = s->at = 0;
    s->marked.count = 0;
}

/* ---- ends ---------------------------------------------------------------- */

static bool add_end(spans *s, end_run r)
{
    if (s->count == s->room && s->head > s->room / 2) {
        s->count -= s->head;
        memmove(s->ends, s->ends + s->head, s->count * sizeof *s->ends);
        s->head = 0;
    } else if (s->count == s->room) {
        const size_t room = s->room ? 2 * s->room : 16;
        end_run *grown = memory_grow(s->memory, s->ends, room * sizeof *grown);
        if (!grown)
            return false;
        s->ends = grown;
        s->room = room;
    }
    s->ends[s->count++] = r;
    return true;
}

/* What follows `end`. */
static uint32_t kind_after(const spans *s, text_view text, uint64_t end)
{
    return !s->looks ? AFTER_ANY
           : end == text.known
               ? AFTER_END
               : program_after(s->program, text.bytes[end - text.begin], end + 1 == text.known);
}

bool spans_note(spans *s, text_view text, uint64_t end)
{
    const end_run r = { end, end, kind_after(s, text, end) };
    end_run *tail = s->head < s->count ? &s->ends[s->count - 1] : NULL;
    if (tail && tail->last == end)
        return true;
    if (!tail || tail->last + 1 != end || tail->kind != r.kind)
        return add_end(s, r);
    tail->last = end;
    return true;
}

uint64_t spans_least(const spans *s)
{
    return s->head < s->count ? s->ends[s->head].first : UINT64_MAX;
}

void spans_drop(spans *s, uint64_t below)
{
    while (s->head < s->count && s->ends[s->head].last < below)
        s->head++;
    if (s->head == s->count)
        s->head = s->count = 0;
    else if (s->ends[s->head].first < below)
        s->ends[s->head].first = below;
}

/* An end, while they are gone through from the last one on. */
typedef struct end_cursor {
    size_t run;
    uint64_t end;
    uint32_t kind; /* 0: there are no more */
} end_cursor;

/* To the end before that of the cursor, or to the last one up to `upto` where `run` is the number
 * after the last run. */
static void previous_end(const spans *s, end_cursor *c, uint64_t upto)
{
    if (c->run < s->count && c->end > s->ends[c->run].first) {
        c->end--;
        return;
    }
    while (c->run > s->head && s->ends[c->run - 1].first > upto)
        c->run--;
    c->kind = 0;
    if (c->run > s->head) {
        const end_run *r = &s->ends[--c->run];
        c->end = r->last < upto ? r->last : upto;
        c->kind = r->kind;
    }
}

/* ---- a pass from right to left ---------------------------------------------------- */

static bool add_found(spans *s, uint64_t start, uint64_t last, uint64_t value, uint32_t wanted)
{
    found_match *next = s->found.count ? &s->found.items[s->found.count - 1] : NULL;
    if (next && next->start == last + 1) {
        const bool single = next->start == next->last;
        const bool same = next->end == value && (single || next->step == 0);
        const bool moves = next->end == value + 1 && (single || next->step == 1);
        if (same || (moves && wanted != SPANS_ALL)) {
            *next = (found_match){ start, next->last, value, 0, 0, same ? 0 : 1 };
            return true;
        }
    }
    return match_list_add(&s->found, s->memory, (found_match){ start, last, value, 0, 0, 0 });
}

/* Join a value to those of the position that the link comes from. */
static inline void join(spans *s, const into *l, uint64_t value, uint32_t wanted)
{
    live *known = &s->next.items[s->slot[l->from]];
    if (s->slot[l->from] >= s->next.count || known->position != l->from) {
        s->slot[l->from] = s->next.count;
        s->next.items[s->next.count++] = (live){ value, l->from, l->rank };
        return;
    }
    const bool better = wanted == SPANS_FARTHEST  ? value > known->value
                        : wanted == SPANS_NEAREST ? value < known->value
                                                  : l->rank < known->rank;
    if (wanted == SPANS_ALL) {
        known->value |= value;
    } else if (better) {
        known->value = value;
        known->rank = l->rank;
    }
}

/* Hand a value to those links to `position` that the byte before it allows; or, where `kind` is
 * what follows an end, of those to the end. */
static inline void hand_back(spans *s, uint32_t position, uint64_t value, unsigned byte,
                             uint32_t kind, uint32_t wanted)
{
    const into *l = s->links + s->first[position], *end = s->links + s->first[position + 1];
    for (; l < end; l++) {
        if (!class_has(&s->sets[l->set], byte))
            l += l->skip;
        else if (kind == 0 || l->when & kind)
            join(s, l, value, wanted);
    }
}

/* The start's value, which is taken out of `next`. False: there is none. */
static bool take_start(spans *s, uint64_t *value)
{
    const uint32_t start = s->program->positions, at = s->slot[start];
    if (at >= s->next.count || s->next.items[at].position != start)
        return false;
    *value = s->next.items[at].value;
    s->next.items[at] = s->next.items[--s->next.count];
    s->slot[s->next.items[at].position] = at;
    return true;
}

/* The links with which a match may begin where the text does. */
static void begin_text(spans *s, uint32_t wanted)
{
    for (uint32_t k = 0; k < s->now.count; k++) {
        const live *a = &s->now.items[k];
        for (uint32_t i = s->first[a->position]; i < s->first[a->position + 1]; i++)
            if (s->links[i].from == s->program->positions && s->links[i].when & BEFORE_BEGIN)
                join(s, &s->links[i], a->value, wanted);
    }
}

static void swap_fronts(spans *s)
{
    const front now = s->now;
    s->now = s->next;
    s->next = now;
}

/* Add the starts up to the mark, where the pass has come to. */
static bool add_marked(spans *s)
{
    uint64_t values[MARKED], live = 0;
    bool added = true;
    for (uint32_t k = 0; k < s->now.count; k++) {
        values[s->now.items[k].position] = s->now.items[k].value;
        live |= UINT64_C(1) << s->now.items[k].position;
    }
    for (size_t i = 0; added && i < s->marked.count; i++) {
        const found_match *m = &s->marked.items[i];
        uint64_t value = 0;
        for (uint64_t left = m->end & live; left; left &= left - 1)
            value |= values[PORT_CTZ64(left)];
        added = !value || add_found(s, m->start, m->last, value, SPANS_ALL);
    }
    return added;
}

/* Find the starts in [from, below), from offset i on, where `now` is. Ends are those from the
 * cursor on. */
static inline bool run_back(spans *s, text_view text, uint64_t from, uint64_t below, uint64_t i,
                            end_cursor c, uint32_t wanted)
{
    uint32_t bit = s->batched;
    uint64_t value;
    s->found.count = 0;
    for (;; i--) {
        if (s->now.count == 0) { /* sleep */
            if (!c.kind || c.end <= from)
                break;
            i = c.end;
        } else if (wanted == SPANS_ALL && s->mark > 0 && i == s->mark) {
            s->reached = i;
            return add_marked(s);
        }
        s->next.count = 0;
        if (i == 0) {
            begin_text(s, wanted);
        } else if (i == text.begin) {
            break;
        } else {
            const unsigned byte = text.bytes[i - 1 - text.begin];
            for (uint32_t k = 0; k < s->now.count; k++)
                hand_back(s, s->now.items[k].position, s->now.items[k].value, byte, 0, wanted);
            if (c.kind && c.end == i) {
                hand_back(s, s->program->positions, wanted == SPANS_ALL ? UINT64_C(1) << --bit : i,
                          byte, c.kind, wanted);
                previous_end(s, &c, UINT64_MAX);
            }
        }
        if (take_start(s, &value) && i < below && demands_before(&s->asks, text, i) &&
            !add_found(s, i, i, value, wanted))
            return false;
        if (i <= from)
            break;
        swap_fronts(s);
    }
    s->reached = i;
    return true;
}

/* A cursor at the last end up to `upto`; nothing is live there. */
static end_cursor ends_from(spans *s, uint64_t upto)
{
    end_cursor c = { s->count, 0, 0 };
    previous_end(s, &c, upto);
    s->now.count = 0;
    return c;
}

bool spans_choose(spans *s, text_view text, uint64_t from, uint64_t below, uint64_t upto,
                  uint32_t wanted, const found_match **found, size_t *count)
{
    const end_cursor c = ends_from(s, upto);
    const bool enough =
        wanted == SPANS_FARTHEST  ? run_back(s, text, from, below, upto, c, SPANS_FARTHEST)
        : wanted == SPANS_NEAREST ? run_back(s, text, from, below, upto, c, SPANS_NEAREST)
                                  : run_back(s, text, from, below, upto, c, SPANS_FIRST);
    *found = s->found.items;
    *count = s->found.count;
    return enough;
}

/* ---- all starts of an end --------------------------------------------------------- */

/* Leave a mark at the last end of the batch, if passes for those after it, of which there is one,
 * would go far. */
static bool leave_mark(spans *s, text_view text)
{
    const program *p = s->program;
    const uint64_t mark = s->batched ? s->batch[s->batched - 1] : 0;
    const end_cursor none = { s->count, 0, 0 };
    if (p->positions > MARKED || mark <= text.begin ||
        s->batch[0] - s->reached < SPACING + s->marked.count)
        return true;
    s->now.count = 0;
    for (uint32_t q = 0; q < p->positions; q++)
        if (class_has(&program_sets(p)[q], text.bytes[mark - text.begin]))
            s->now.items[s->now.count++] = (live){ UINT64_C(1) << q, q, 0 };
    const bool enough = run_back(s, text, 0, UINT64_MAX, mark, none, SPANS_ALL);
    const match_list marked = s->marked;
    s->marked = s->found;
    s->found = marked;
    s->mark = mark;
    return enough;
}

/* Find the starts of the first ends, as many as a set has members. */
static bool take_batch(spans *s, text_view text)
{
    if (!leave_mark(s, text))
        return false;
    s->batched = s->asked = 0;
    for (size_t k = s->head; k < s->count && s->batched < BATCH; k++)
        for (uint64_t e = s->ends[k].first; e <= s->ends[k].last && s->batched < BATCH; e++)
            s->batch[s->batched++] = e;
    if (s->batched == 0)
        return true;
    const uint64_t last = s->batch[s->batched - 1];
    if (!run_back(s, text, 0, UINT64_MAX, last, ends_from(s, last), SPANS_ALL))
        return false;
    spans_drop(s, last + 1);
    return true;
}

/* The next run of those that have the end that was asked for last. */
static bool next_run(start_run *r)
{
    const spans *s = r->of;
    while (r->next > 0) {
        const found_match *m = &s->found.items[--r->next];
        if (m->end >> (s->asked - 1) & 1) {
            r->first = m->start;
            r->last = m->last;
            return true;
        }
    }
    return false;
}

bool spans_at(spans *s, text_view text, uint64_t end, start_run *r, bool *any)
{
    *any = false;
    if (s->asked > 0 && s->batch[s->asked - 1] == end)
        return true;
    if (s->asked == s->batched && !take_batch(s, text))
        return false;
    if (s->asked == s->batched || s->batch[s->asked] != end)
        return true;
    s->asked++;
    *r = (start_run){ next_run, s, 0, 0, s->found.count };
    *any = next_run(r);
    return true;
}

/* ---- forward ------------------------------------------------------------------------ */

static inline void add_position(spans *s, uint32_t position)
{
    const uint32_t at = s->slot[position];
    if (at < s->next.count && s->next.items[at].position == position)
        return;
    s->slot[position] = s->next.count;
    s->next.items[s->next.count++].position = position;
}

/* Go from `list` to the positions that take the byte; `when`: what links of the start may ask for.
 */
static inline void hand_on(spans *s, uint32_t list, unsigned byte, uint32_t when)
{
    const program_link *l, *end;
    for (program_list(s->program, list, &l, &end); l < end; l++)
        if (l->to != PROGRAM_END && (list > 0 || l->when & when) &&
            class_has(&program_sets(s->program)[l->to], byte))
            add_position(s, l->to);
}

/* What stands before offset i, as BEFORE_... bits. */
static uint32_t stands_before(const spans *s, text_view text, uint64_t i)
{
    return i == 0            ? BEFORE_BEGIN
           : i == text.begin ? 0
                             : program_before(s->program, text.bytes[i - 1 - text.begin]);
}

void spans_follow(spans *s, text_view text, uint64_t upto)
{
    const start_range starts = place_starts(&s->asks, text);
    for (uint64_t i = s->at; i < upto; i++) {
        if (s->now.count == 0) {
            if (i > starts.last)
                break;
            if (i < starts.first)
                i = starts.first < upto ? starts.first : upto;
            while (i < upto && !class_has(&s->begins, text.bytes[i - text.begin]))
                i++;
            if (i == upto)
                break;
        }
        const unsigned byte = text.bytes[i - text.begin];
        s->next.count = 0;
        for (uint32_t k = 0; k < s->now.count; k++)
            hand_on(s, s->now.items[k].position + 1, byte, 0);
        if (class_has(&s->begins, byte) && demands_before(&s->asks, text, i))
            hand_on(s, 0, byte, stands_before(s, text, i));
        swap_fronts(s);
    }
    s->at = upto;
}

bool spans_ends(const spans *s, text_view text)
{
    const uint32_t kind = kind_after(s, text, s->at);
    for (uint32_t k = 0; k < s->now.count; k++) {
        const program_link *l, *end;
        program_list(s->program, s->now.items[k].position + 1, &l, &end);
        for (; l < end; l++)
            if (l->to == PROGRAM_END && l->when & kind)
                return true;
    }
    return false;
}
