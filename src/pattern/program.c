/* program.c: see program.h. */
#include "pattern/program.h"

#include <string.h>

byte_class program_bytes_before(const program *p, uint32_t when)
{
    byte_class set = { { 0 } };
    for (unsigned b = 0; b < 256; b++)
        if (program_before(p, (uint8_t)b) & when)
            class_add(&set, b);
    return set;
}

byte_class program_bytes_after(const program *p, uint32_t when)
{
    byte_class set = { { 0 } };
    for (unsigned b = 0; b < 256; b++)
        if (program_after(p, (uint8_t)b, false) & when)
            class_add(&set, b);
    return set;
}

program *program_make(memory *m, uint32_t positions, const byte_class *sets, const uint32_t *first,
                      const program_link *links, uint32_t line)
{
    const uint32_t count = first[positions + 1];
    program *p = memory_take_zeroed(m, program_size(positions, count), 1);
    if (!p)
        return NULL;
    p->positions = positions;
    p->links = count;
    p->line = line;
    memcpy((void *)program_sets(p), sets, positions * sizeof *sets);
    memcpy((void *)program_first(p), first, ((size_t)positions + 2) * sizeof *first);
    memcpy((void *)program_links(p), links, count * sizeof *links);
    return p;
}

/* ---- which positions matches have ------------------------------------------------ */

/* What is known of the positions while links are followed. */
typedef struct survey {
    uint32_t *stack;
    uint8_t *reached; /* from the start */
    uint8_t *ends;    /* the end is reached from it */
} survey;

static bool survey_open(memory *m, uint32_t positions, survey *s)
{
    s->stack = memory_take_array(m, positions, sizeof *s->stack + 2);
    s->reached = (uint8_t *)(s->stack + positions);
    s->ends = s->reached + positions;
    if (s->stack)
        memset(s->reached, 0, 2 * (size_t)positions);
    return s->stack != NULL;
}

/* Whether a link counts, whose condition is cut to what is allowed. */
static bool link_counts(uint32_t list, const program_link *l, uint32_t before, uint32_t after)
{
    return (list > 0 || l->when & before) && (l->to != PROGRAM_END || l->when & after);
}

static void follow_from_start(const program *p, uint32_t before, survey *s)
{
    const program_link *l, *end;
    uint32_t depth = 0;
    for (uint32_t list = 0;; list = s->stack[--depth] + 1) {
        program_list(p, list, &l, &end);
        for (; l < end; l++)
            if (link_counts(list, l, before, AFTER_ANY) && l->to != PROGRAM_END &&
                !s->reached[l->to]) {
                s->reached[l->to] = 1;
                s->stack[depth++] = l->to;
            }
        if (depth == 0)
            return;
    }
}

/* Lists are looked at again until nothing changes, from the last position on: nearly all links lead
 * to later positions, so two or three rounds do. */
static void follow_to_end(const program *p, uint32_t after, survey *s)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t q = p->positions; q-- > 0;) {
            const program_link *l, *end;
            program_list(p, q + 1, &l, &end);
            for (; !s->ends[q] && l < end; l++)
                if (l->to == PROGRAM_END ? (l->when & after) != 0 : s->ends[l->to])
                    s->ends[q] = changed = true;
        }
    }
}

bool program_restrict(memory *m, const program *p, uint32_t before, uint32_t after, program **made)
{
    survey s;
    *made = NULL;
    if (!survey_open(m, p->positions, &s))
        return false;
    follow_from_start(p, before, &s);
    follow_to_end(p, after, &s);
    uint32_t *number = s.stack, kept = 0; /* the stack is free by now */
    for (uint32_t q = 0; q < p->positions; q++)
        number[q] = s.reached[q] && s.ends[q] ? kept++ : PROGRAM_END;
    byte_class *sets = memory_take_array(m, (size_t)kept + 1, sizeof *sets);
    uint32_t *first = memory_take_array(m, (size_t)kept + 2, sizeof *first);
    program_link *links = memory_take_array(m, p->links, sizeof *links);
    uint32_t lists = 0, count = 0;
    for (uint32_t list = 0; sets && first && links && list <= p->positions; list++) {
        const program_link *l, *end;
        if (list > 0 && number[list - 1] == PROGRAM_END)
            continue;
        if (list > 0)
            sets[number[list - 1]] = program_sets(p)[list - 1];
        first[lists++] = count;
        program_list(p, list, &l, &end);
        for (; l < end; l++) {
            const uint32_t to = l->to == PROGRAM_END ? PROGRAM_END : number[l->to];
            if (!link_counts(list, l, before, after) || (to == PROGRAM_END && l->to != to))
                continue;
            const uint32_t when = list == 0 ? l->when & before : l->when & after;
            links[count++] = (program_link){ to, when };
        }
    }
    bool enough = sets && first && links;
    if (enough && kept > 0) {
        first[lists] = count;
        *made = program_make(m, kept, sets, first, links, p->line);
        enough = *made != NULL;
    }
    memory_give(m, sets);
    memory_give(m, first);
    memory_give(m, links);
    memory_give(m, s.stack);
    return enough;
}

/* ---- lengths ---------------------------------------------------------------------- */

/* Append what a list leads to and was not met before to the queue; true: to the end, too. */
static bool queue_links(const program *p, uint32_t list, survey *s, uint32_t *queued)
{
    const program_link *l, *end;
    program_list(p, list, &l, &end);
    for (; l < end; l++) {
        if (l->to == PROGRAM_END)
            return true;
        if (s->reached[l->to])
            continue;
        s->reached[l->to] = 1;
        s->stack[(*queued)++] = l->to;
    }
    return false;
}

/* The shortest way to the end, in rounds of one byte, each of the positions that the one before met
 * first. */
static uint64_t shortest(const program *p, survey *s)
{
    uint32_t next = 0, queued = 0;
    queue_links(p, 0, s, &queued);
    for (uint64_t length = 1;; length++)
        for (const uint32_t round = queued; next < round; next++)
            if (queue_links(p, s->stack[next] + 1, s, &queued))
                return length;
}

/* The longest way to the end, by the lengths of all ways on, last positions first; a circle of
 * links has no longest one. */
static bool longest(memory *m, const program *p, uint64_t *max)
{
    enum { UNSEEN, OPEN, DONE };
    uint64_t *length = memory_take_zeroed(m, p->positions, sizeof *length);
    uint32_t *stack = memory_take_array(m, p->positions, 2 * sizeof *stack);
    uint8_t *state = memory_take_zeroed(m, p->positions, 1);
    uint32_t *turn = stack ? stack + p->positions : NULL;
    const bool enough = length && stack && state;
    *max = 0;
    for (uint32_t root = 0; enough && root < p->positions && *max != LENGTH_UNBOUNDED; root++) {
        uint32_t depth = 0;
        if (state[root] == DONE)
            continue;
        stack[depth++] = root;
        turn[root] = program_first(p)[root + 1];
        state[root] = OPEN;
        while (depth > 0) {
            const uint32_t q = stack[depth - 1];
            if (turn[q] == program_first(p)[q + 2]) {
                state[q] = DONE;
                depth--;
                *max = length[q] + 1 > *max ? length[q] + 1 : *max;
                if (depth > 0) {
                    uint64_t *before = &length[stack[depth - 1]];
                    *before = length[q] + 1 > *before ? length[q] + 1 : *before;
                }
                continue;
            }
            const uint32_t to = program_links(p)[turn[q]++].to;
            if (to == PROGRAM_END)
                continue;
            if (state[to] == OPEN) {
                *max = LENGTH_UNBOUNDED;
                break;
            }
            if (state[to] == DONE) {
                length[q] = length[to] + 1 > length[q] ? length[to] + 1 : length[q];
                continue;
            }
            stack[depth++] = to;
            turn[to] = program_first(p)[to + 1];
            state[to] = OPEN;
        }
    }
    memory_give(m, length);
    memory_give(m, stack);
    memory_give(m, state);
    return enough;
}

bool program_measure(memory *m, const program *p, uint64_t *min, uint64_t *max)
{
    survey s;
    if (!survey_open(m, p->positions, &s))
        return false;
    *min = shortest(p, &s);
    memory_give(m, s.stack);
    return longest(m, p, max);
}

/* ---- checking --------------------------------------------------------------------- */

static bool links_valid(const program *p)
{
    for (uint32_t list = 0; list <= p->positions; list++) {
        const program_link *l, *end;
        program_list(p, list, &l, &end);
        for (; l < end; l++) {
            const bool ends = l->to == PROGRAM_END;
            const uint32_t may = ends ? AFTER_ANY : list == 0 ? BEFORE_ANY : 0;
            if ((ends ? list == 0 : l->to >= p->positions) || l->when & ~may ||
                (may != 0) != (l->when != 0))
                return false;
        }
    }
    return true;
}

bool program_check(memory *m, const void *block, size_t size)
{
    const program *p = block;
    if (size < sizeof *p || p->positions < 1 || p->positions > PROGRAM_MAX_POSITIONS ||
        p->links > PROGRAM_MAX_LINKS || p->line > 255 || p->reserved ||
        program_size(p->positions, p->links) != size)
        return false;
    const uint32_t *first = program_first(p);
    if (first[0] != 0 || first[p->positions + 1] != p->links)
        return false;
    for (uint32_t list = 0; list <= p->positions; list++)
        if (first[list] > first[list + 1])
            return false;
    for (uint32_t q = 0; q < p->positions; q++)
        if (class_empty(&program_sets(p)[q]))
            return false;
    survey s;
    if (!links_valid(p) || !survey_open(m, p->positions, &s))
        return false;
    follow_from_start(p, BEFORE_ANY, &s);
    follow_to_end(p, AFTER_ANY, &s);
    bool valid = true;
    for (uint32_t q = 0; q < p->positions; q++)
        valid = valid && s.reached[q] && s.ends[q];
    memory_give(m, s.stack);
    return valid;
}
