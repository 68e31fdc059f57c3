/* atomic.c: whether possessive repeats and atomic groups change no match (expression.h).
 *
 * All matches are found, so what never goes back to another way through a group means the group
 * itself just where there is no other way: where at each choice within it the next byte decides, as
 * in \d++[.] and (?>ab|cd)e. That is shown by the sets of bytes that may come next, as for a
 * grammar that is read with one byte ahead. Conditions are not looked at: they only take ways away.
 * What would leave the group before it looks at the next byte, a lazy repeat or an alternative that
 * may be empty before others, is refused.
 *
 * Cost: the size of the tree times the depth of its groups.
 */
#include "pattern/expression.h"

/* What may come next. */
typedef struct coming {
    byte_class set;
    bool end; /* or the match may end */
} coming;

typedef struct checker {
    expression *x;
    const node *atomic; /* the innermost one that is being looked at, or NULL */
} checker;

static void add_coming(coming *all, const coming *more)
{
    class_unite(&all->set, &more->set);
    all->end |= more->end;
}

/* Whether the next byte tells two ways apart. */
static bool decided(const coming *one, const coming *other)
{
    return class_avoids(&one->set, &other->set) && !one->end && !other->end;
}

/* What may come at the begin of a node, `after` being what may come after it. */
static coming begin_of(const expression *x, const node *n, const coming *after)
{
    coming all = { .end = false };
    bool passed = true; /* it may be left out up to here */
    if (n->kind == NODE_RUN) {
        for (size_t i = 0; passed && i < n->count; i++) {
            class_unite(&all.set, &expression_elements(x, n)[i].set);
            passed = expression_elements(x, n)[i].min == 0;
        }
    } else if (n->kind == NODE_SEQUENCE) {
        for (const node *part = n->child; passed && part; part = part->sibling) {
            const coming begin = begin_of(x, part, &(coming){ .end = false });
            add_coming(&all, &begin);
            passed = part->empty != 0;
        }
    } else {
        passed = n->empty != 0;
        for (const node *part = n->child; part; part = part->sibling) {
            const coming begin = begin_of(x, part, &(coming){ .end = false });
            add_coming(&all, &begin);
        }
    }
    if (passed)
        add_coming(&all, after);
    return all;
}

static int reject_atomic(const checker *c)
{
    const bool group = c->atomic->kind != NODE_REPEAT;
    return fail(c->x->error, TRAWL_ERROR_PATTERN, c->atomic->mark, "%s",
                group ? "atomic groups are not supported where they hide matches, since all are "
                        "found: write (?: ), and report the longest"
                      : "possessive repeats are not supported where they hide matches, since all "
                        "are found: remove the '+' and report the longest, or write [+] for the "
                        "byte");
}

static int check(checker *c, const node *n, const coming *after);

static int check_run(const checker *c, const node *n, const coming *after)
{
    coming next = *after;
    for (size_t i = n->count; c->atomic && i-- > 0;) {
        const element *e = expression_elements(c->x, n) + i;
        const coming own = { e->set, false };
        if (e->min != e->max && !decided(&own, &next))
            return reject_atomic(c);
        if (e->min > 0)
            next = own;
        else
            add_coming(&next, &own);
    }
    return TRAWL_OK;
}

static int check_choice(checker *c, const node *n, const coming *after)
{
    coming all = { .end = false };
    int status = TRAWL_OK;
    for (const node *part = n->child; status == TRAWL_OK && part; part = part->sibling) {
        const coming begin = begin_of(c->x, part, after);
        if (c->atomic &&
            ((part != n->child && !decided(&all, &begin)) || (part->empty && part->sibling)))
            return reject_atomic(c);
        add_coming(&all, &begin);
        status = check(c, part, after);
    }
    return status;
}

static int check_repeat(checker *c, const node *n, const coming *after)
{
    const coming begin = begin_of(c->x, n->child, &(coming){ .end = false });
    coming next = *after;
    if (c->atomic && n->min != n->max && (n->lazy || n->child->empty || !decided(&begin, after)))
        return reject_atomic(c);
    if (n->max > 1)
        add_coming(&next, &begin);
    return check(c, n->child, &next);
}

/* From the last part to the first, as each depends on what comes after it. */
static int check_sequence(checker *c, const node *n, const coming *after)
{
    size_t count;
    const node **parts = expression_children(c->x, n, &count);
    coming next = *after;
    int status = parts ? TRAWL_OK : c->x->status;
    while (status == TRAWL_OK && count-- > 0) {
        status = check(c, parts[count], &next);
        next = begin_of(c->x, parts[count], &next);
    }
    memory_give(c->x->memory, parts);
    return status;
}

static int check(checker *c, const node *n, const coming *after)
{
    const node *outer = c->atomic;
    int status = TRAWL_OK;
    if (n->atomic)
        c->atomic = n;
    switch ((enum node_kind)n->kind) {
    case NODE_RUN:
        status = check_run(c, n, after);
        break;
    case NODE_CHOICE:
        status = check_choice(c, n, after);
        break;
    case NODE_REPEAT:
        status = check_repeat(c, n, after);
        break;
    case NODE_SEQUENCE:
        status = check_sequence(c, n, after);
        break;
    case NODE_CONDITION:
        break;
    }
    c->atomic = outer;
    return status;
}

int expression_check_atomic(expression *x)
{
    checker c = { .x = x };
    return check(&c, x->root, &(coming){ .end = true });
}
