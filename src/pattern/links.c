/* links.c: from an expression's tree to positions with links in Perl's order (program.h).
 *
 * Idea: the tree becomes steps, as in Thompson's construction: take a byte, try one way and then
 * another, ask for a condition. What may follow a position is what a walk meets that goes on from
 * it through steps that take no byte, the first way before the second one. As in Pike's machine a
 * step that was met before leads to nothing new.
 *
 * A walk has a condition: the pairs of kinds (expression.h) under which the way so far is open. It
 * is a set, so a walk is one walk for each pair; a step is met again by those pairs that have not
 * met it yet, 20 times at most.
 *
 * What a loop repeats may match nothing. As in Perl that ends the loop: the way goes on after it,
 * and other ways through the loop come later. So for each loop of that kind a walk knows whether a
 * byte was taken since the repeat began. Loops within each other begin anew together, from some
 * loop inwards; so the depth of that loop tells it all (`level`), and steps are met once for each
 * level.
 *
 * Counted repeats are written out, x{2,4} as xx(x(x)?)?, so that the links grow with the bound and
 * not with its square. Steps are made from the last to the first, since each knows what comes after
 * it; positions are numbered from the first to the last.
 *
 * Cost: the sum of the steps that walks meet. Positions, links, steps and their sum are bounded.
 * Source: Thompson 1968; Glushkov 1961; Cox 2009.
 */
#include "pattern/links.h"

#include <string.h>

#include "pattern/bytes.h"

#define MAX_STEPS (1u << 22)
#define MAX_SEEN (1u << 24)   /* steps times levels */
#define MAX_VISITS (1u << 27) /* steps that all walks meet */
#define NO_STEP UINT32_MAX

enum step_kind {
    STEP_DONE,  /* the match ends */
    STEP_TAKE,  /* a byte of position `a`; then `b` */
    STEP_TRY,   /* `a`, then `b` */
    STEP_ASK,   /* for the condition `a`; then `b` */
    STEP_ENTER, /* a repeat, which may match nothing, of the loop at `depth`; then `b` */
    STEP_LEAVE  /* such a repeat: `a` if it took a byte, else `b`, after the loop */
};

typedef struct step {
    uint16_t kind, depth;
    uint32_t a, b;
} step;

typedef struct position {
    byte_class set;
    uint32_t after; /* the step after it */
    uint32_t level; /* loops that may match nothing and hold it */
} position;

typedef struct builder {
    expression *x;
    step *steps;
    uint32_t count, room;
    position *positions; /* the last one first */
    uint32_t position_count, position_room;
    uint32_t levels; /* of loops that may match nothing, within each other */
    size_t at;       /* in the text: what is being built */
    int status;
} builder;

/* ---- steps ------------------------------------------------------------------------------- */

static void give_up(builder *b, int status)
{
    if (b->status == TRAWL_OK)
        b->status = status;
}

static uint32_t add_step(builder *b, enum step_kind kind, uint32_t first, uint32_t second)
{
    if (b->status != TRAWL_OK)
        return NO_STEP;
    if (b->count == b->room) {
        const uint32_t room = b->room ? 2 * b->room : 64;
        step *grown =
            room <= MAX_STEPS ? memory_grow(b->x->memory, b->steps, room * sizeof *grown) : NULL;
        if (!grown) {
            give_up(b,
                    room > MAX_STEPS
                        ? fail(b->x->error, TRAWL_ERROR_LIMIT, b->at,
                               "the repeats here are too many parts when they are written out: "
                               "lower them")
                        : memory_failed(b->x->memory, b->x->error, "a pattern of %u steps", room));
            return NO_STEP;
        }
        b->steps = grown;
        b->room = room;
    }
    b->steps[b->count] = (step){ (uint16_t)kind, 0, first, second };
    return b->count++;
}

static uint32_t add_position(builder *b, const byte_class *set, uint32_t level, uint32_t after)
{
    if (b->position_count == PROGRAM_MAX_POSITIONS) {
        give_up(b, fail(b->x->error, TRAWL_ERROR_LIMIT, b->at,
                        "the pattern has more than %u positions, since repeats of groups are "
                        "written out: lower the repeats here, or divide the pattern",
                        PROGRAM_MAX_POSITIONS));
        return NO_STEP;
    }
    if (b->position_count == b->position_room) {
        const uint32_t room = b->position_room ? 2 * b->position_room : 32;
        position *grown = memory_grow(b->x->memory, b->positions, room * sizeof *grown);
        if (!grown) {
            give_up(b, memory_failed(b->x->memory, b->x->error, "a pattern of %u positions", room));
            return NO_STEP;
        }
        b->positions = grown;
        b->position_room = room;
    }
    b->positions[b->position_count] = (position){ *set, after, level };
    return add_step(b, STEP_TAKE, b->position_count++, after);
}

static uint32_t add_try(builder *b, bool lazy, uint32_t in, uint32_t out)
{
    return lazy ? add_step(b, STEP_TRY, out, in) : add_step(b, STEP_TRY, in, out);
}

/* An element, a set with a repeat. */
static uint32_t build_element(builder *b, const element *e, uint32_t level, uint32_t next)
{
    uint32_t entry = next;
    uint32_t needed = e->min;
    if (e->max == REPEAT_UNBOUNDED) {
        const uint32_t again = add_step(b, STEP_TRY, NO_STEP, next);
        entry = add_position(b, &e->set, level, again);
        if (b->status != TRAWL_OK)
            return NO_STEP;
        b->steps[again].a = entry;
        if (needed == 0)
            return again;
        needed--;
    }
    for (uint32_t i = e->min; e->max != REPEAT_UNBOUNDED && b->status == TRAWL_OK && i < e->max;
         i++)
        entry = add_try(b, false, add_position(b, &e->set, level, entry), next);
    for (uint32_t i = 0; b->status == TRAWL_OK && i < needed; i++)
        entry = add_position(b, &e->set, level, entry);
    return entry;
}

/* Elements, from the last to the first; aa* is a+. */
static uint32_t build_run(builder *b, const node *n, uint32_t level, uint32_t next)
{
    const element *all = expression_elements(b->x, n);
    for (size_t i = n->count; b->status == TRAWL_OK && i > 0;) {
        element e = all[--i];
        while (i > 0 && memcmp(&all[i - 1].set, &e.set, sizeof e.set) == 0 &&
               (e.max == REPEAT_UNBOUNDED || all[i - 1].max == REPEAT_UNBOUNDED) &&
               e.min <= PROGRAM_MAX_POSITIONS) {
            e.min += all[--i].min;
            e.max = REPEAT_UNBOUNDED;
        }
        next = build_element(b, &e, level, next);
    }
    return next;
}

static uint32_t build(builder *b, const node *n, uint32_t level, uint32_t next);

/* One repeat of n's child, which goes on at `again`, or after all repeats if it may match nothing
 * and took no byte. */
static uint32_t build_once(builder *b, const node *n, uint32_t level, uint32_t again, uint32_t next)
{
    if (!n->child->empty || again == next)
        return build(b, n->child, level, again);
    const uint32_t leave = add_step(b, STEP_LEAVE, again, next);
    const uint32_t body = build(b, n->child, level + 1, leave);
    const uint32_t enter = add_step(b, STEP_ENTER, NO_STEP, body);
    if (b->status != TRAWL_OK)
        return NO_STEP;
    b->steps[leave].depth = b->steps[enter].depth = (uint16_t)level;
    if (b->levels < level + 1)
        b->levels = level + 1;
    return enter;
}

static uint32_t build_repeat(builder *b, const node *n, uint32_t level, uint32_t next)
{
    uint32_t entry = next, needed = n->min;
    const size_t at = b->at;
    b->at = n->at;
    if (n->max == REPEAT_UNBOUNDED) {
        const uint32_t again = add_step(b, STEP_TRY, NO_STEP, NO_STEP);
        entry = build_once(b, n, level, again, next);
        if (b->status != TRAWL_OK)
            return NO_STEP;
        b->steps[again].a = n->lazy ? next : entry;
        b->steps[again].b = n->lazy ? entry : next;
        if (needed == 0)
            entry = again;
        else
            needed--;
    }
    for (uint32_t i = n->min; n->max != REPEAT_UNBOUNDED && b->status == TRAWL_OK && i < n->max;
         i++)
        entry = add_try(b, n->lazy, build_once(b, n, level, entry, next), next);
    for (uint32_t i = 0; b->status == TRAWL_OK && i < needed; i++)
        entry = build(b, n->child, level, entry);
    b->at = at;
    return entry;
}

/* Children are a list from the first to the last, and are built from the last on. */
static uint32_t build_children(builder *b, const node *n, uint32_t level, uint32_t next)
{
    size_t count;
    const node **all = expression_children(b->x, n, &count);
    if (!all) {
        give_up(b, b->x->status);
        return NO_STEP;
    }
    uint32_t entry = n->kind == NODE_CHOICE ? NO_STEP : next;
    for (size_t i = count; b->status == TRAWL_OK && i-- > 0;) {
        if (n->kind == NODE_SEQUENCE) {
            entry = build(b, all[i], level, entry);
            continue;
        }
        const uint32_t one = build(b, all[i], level, next);
        entry = i + 1 == count ? one : add_try(b, false, one, entry);
    }
    memory_give(b->x->memory, all);
    return entry;
}

static uint32_t build(builder *b, const node *n, uint32_t level, uint32_t next)
{
    if (b->status != TRAWL_OK)
        return NO_STEP;
    switch ((enum node_kind)n->kind) {
    case NODE_RUN:
        return build_run(b, n, level, next);
    case NODE_CONDITION:
        return add_step(b, STEP_ASK, n->asks, next);
    case NODE_REPEAT:
        return build_repeat(b, n, level, next);
    case NODE_SEQUENCE:
    case NODE_CHOICE:
        break;
    }
    return build_children(b, n, level, next);
}

/* ---- walks ------------------------------------------------------------------------------- */

typedef struct visit {
    uint32_t step, level;
    condition open;
} visit;

typedef struct walker {
    const builder *b;
    condition *seen; /* by step and level */
    uint32_t *met;   /* where `seen` is not 0 */
    visit *stack;
    size_t stack_room;
    uint64_t visits;
    links *out;
} walker;

static int push(walker *w, size_t *depth, uint32_t to, uint32_t level, condition open)
{
    if (*depth == w->stack_room) {
        const size_t room = w->stack_room ? 2 * w->stack_room : 64;
        visit *grown = memory_grow(w->out->memory, w->stack, room * sizeof *grown);
        if (!grown)
            return memory_failed(w->out->memory, w->out->error, "a pattern's links");
        w->stack = grown;
        w->stack_room = room;
    }
    w->stack[(*depth)++] = (visit){ to, level, open };
    return TRAWL_OK;
}

/* Append a link, or let the one before it have more pairs. */
static int add_link(walker *w, uint32_t to, condition open)
{
    links *out = w->out;
    if (out->count > out->first[out->positions] && out->items[out->count - 1].to == to) {
        out->items[out->count - 1].when |= open;
        return TRAWL_OK;
    }
    return links_append(out, to, open);
}

static int visit_step(walker *w, size_t *depth, visit v)
{
    const step s = w->b->steps[v.step];
    int status = TRAWL_OK;
    switch ((enum step_kind)s.kind) {
    case STEP_DONE:
        return add_link(w, PROGRAM_END, v.open);
    case STEP_TAKE:
        return add_link(w, w->b->position_count - 1 - s.a, v.open);
    case STEP_TRY:
        status = push(w, depth, s.b, v.level, v.open);
        return status == TRAWL_OK ? push(w, depth, s.a, v.level, v.open) : status;
    case STEP_ASK:
        return push(w, depth, s.b, v.level, v.open & s.a);
    case STEP_ENTER:
        return push(w, depth, s.b, v.level < s.depth ? v.level : s.depth, v.open);
    case STEP_LEAVE:
        break;
    }
    return s.depth < v.level ? push(w, depth, s.a, s.depth + 1u, v.open)
                             : push(w, depth, s.b, v.level, v.open);
}

/* Append the links of one list: what a walk from the step meets. */
static int walk(walker *w, uint32_t from, uint32_t level)
{
    const uint32_t levels = w->b->levels + 1;
    size_t depth = 0, met = 0;
    int status = push(w, &depth, from, level, CONDITION_ANY);
    while (status == TRAWL_OK && depth > 0) {
        visit v = w->stack[--depth];
        const uint16_t kind = w->b->steps[v.step].kind;
        const bool takes = kind == STEP_DONE || kind == STEP_TAKE; /* its level is over */
        const size_t index = (size_t)v.step * levels + (takes ? 0 : v.level);
        v.open &= ~w->seen[index];
        if (!v.open)
            continue;
        if (!w->seen[index])
            w->met[met++] = (uint32_t)index;
        w->seen[index] |= v.open;
        if (++w->visits > MAX_VISITS)
            return fail(w->out->error, TRAWL_ERROR_LIMIT, 0,
                        "too many parts of the pattern may follow one another: let fewer of them "
                        "be left out, or divide the pattern");
        status = visit_step(w, &depth, v);
    }
    while (met > 0)
        w->seen[w->met[--met]] = 0;
    return status;
}

int links_append(links *l, uint32_t to, uint32_t when)
{
    if (l->count == l->room) {
        const uint32_t room = l->room ? 2 * l->room : 64;
        if (l->count == PROGRAM_MAX_LINKS)
            return fail(l->error, TRAWL_ERROR_LIMIT, 0,
                        "the pattern has more than %u ways from one of its bytes to the next: let "
                        "fewer parts be left out or repeated, or divide the pattern",
                        PROGRAM_MAX_LINKS);
        program_link *grown = memory_grow(l->memory, l->items, room * sizeof *grown);
        if (!grown)
            return memory_failed(l->memory, l->error, "a pattern of %u links", room);
        l->items = grown;
        l->room = room;
    }
    l->items[l->count++] = (program_link){ to, when };
    return TRAWL_OK;
}

/* Walk from the start, and from each position. */
static int walk_all(const builder *b, uint32_t start, links *out)
{
    memory *m = out->memory;
    const size_t seen = (size_t)b->count * (b->levels + 1);
    walker w = { .b = b, .out = out };
    int status = TRAWL_OK;
    if (seen > MAX_SEEN)
        return fail(out->error, TRAWL_ERROR_LIMIT, 0,
                    "the pattern has too many repeats, within each other, of what may be empty: "
                    "let a part of each occur at least once");
    w.seen = memory_take_zeroed(m, seen, sizeof *w.seen);
    w.met = memory_take_array(m, seen, sizeof *w.met);
    out->sets = memory_take_array(m, b->position_count, sizeof *out->sets);
    out->first = memory_take_zeroed(m, (size_t)b->position_count + 2, sizeof *out->first);
    if (!w.seen || !w.met || !out->sets || !out->first)
        status = memory_failed(m, out->error, "a pattern of %u positions", b->position_count);
    if (status == TRAWL_OK)
        status = walk(&w, start, 0);
    for (uint32_t i = b->position_count; status == TRAWL_OK && i-- > 0;) {
        const position *p = &b->positions[i];
        out->sets[out->positions++] = p->set;
        out->first[out->positions] = out->count;
        status = walk(&w, p->after, p->level);
    }
    if (status == TRAWL_OK)
        out->first[out->positions + 1] = out->count;
    memory_give(m, w.seen);
    memory_give(m, w.met);
    memory_give(m, w.stack);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* The first condition after the pattern's begin, SIZE_MAX if there is none. */
static size_t find_condition(const node *n)
{
    size_t least = n->kind == NODE_CONDITION && n->at > 0 ? n->at : SIZE_MAX;
    for (const node *child = n->child; child; child = child->sibling) {
        const size_t at = find_condition(child);
        least = at < least ? at : least;
    }
    return least;
}

static int reject_impossible(const expression *x)
{
    const size_t at = find_condition(x->root);
    return fail(x->error, TRAWL_ERROR_PATTERN, at == SIZE_MAX ? 0 : at,
                "no text matches the pattern, because what its conditions ask for excludes the "
                "bytes beside them: remove the one here, or another one");
}

int expression_program(expression *x, const trawl_pattern *src, program **made)
{
    builder b = { .x = x, .at = x->root->at };
    links all = { .memory = x->memory, .error = x->error };
    expression_empty(x, x->root);
    const uint32_t done = add_step(&b, STEP_DONE, 0, 0);
    const uint32_t start = build(&b, x->root, 0, done);
    int status = b.status;
    if (status == TRAWL_OK)
        status = walk_all(&b, start, &all);
    memory_give(x->memory, b.steps);
    memory_give(x->memory, b.positions);
    if (status == TRAWL_OK)
        status = links_resolve(&all, line_terminator(src->flags), made);
    links_close(&all);
    return status == TRAWL_OK && !*made ? reject_impossible(x) : status;
}
