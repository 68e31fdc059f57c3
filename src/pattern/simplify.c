/* simplify.c: make the tree of an expression smaller (expression.h), from the leaves up.
 *
 * Each rule keeps the matches, and the order in which ways to match are tried:
 *
 *   - what lies within a sequence, or a choice within a choice, is lifted into it; runs that touch
 *     become one, and so do conditions;
 *   - alternatives of one byte that touch are a class: a|b is [ab];
 *   - alternatives that begin alike share what they begin with, if that has one length: abc|abd is
 *     ab[cd]. They need not touch: alternatives with first bytes that exclude each other may change
 *     places. Those that end alike share any end: foo|boo is [fb]oo;
 *   - a choice with nothing in it is a repeat: a|(nothing) is a?, and (nothing)|a is a??;
 *   - repeats of repeats are one: (?:a?){9} is a{0,9}, (?:a+)* is a*; (?:ab){3} is ababab.
 *
 * Cost: linear in the tree but for alternatives that begin alike, which are looked at once for each
 * place at which some of them part, SHARE_DEPTH times at most.
 */
#include <string.h>

#include "pattern/expression.h"

#define SHARE_DEPTH 200u  /* beginnings within each other that are shared */
#define SPELLED_MAX 4096u /* elements that a repeated run is written out to */
#define NO_BUCKET UINT32_MAX

/* Children that are collected. */
typedef struct series {
    node *first, *last;
    size_t count;
} series;

static node *simple(expression *x, node *n, bool share);
static node *finish_choice(expression *x, series found, size_t at, bool share, unsigned depth);

static void append(series *s, node *n)
{
    n->sibling = NULL;
    if (s->last)
        s->last->sibling = n;
    else
        s->first = n;
    s->last = n;
    s->count++;
}

static node *add_nothing(expression *x, size_t at)
{
    return expression_add(x, NODE_SEQUENCE, at);
}

/* What matches nothing, and where: as a condition. False: it may take a byte. */
static bool is_condition(const node *n, condition *asks)
{
    *asks = n->kind == NODE_CONDITION ? n->asks : CONDITION_ANY;
    return n->kind == NODE_CONDITION || node_is_nothing(n);
}

static bool same_element(const element *a, const element *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Whether it is a run of one byte. */
static bool is_set(const expression *x, const node *n)
{
    const element *e = n->kind == NODE_RUN ? expression_elements(x, n) : NULL;
    return e && n->count == 1 && e->min == 1 && e->max == 1;
}

/* Let a run be one new element. */
static bool make_element(expression *x, node *run, element e)
{
    run->first = x->spelled.length;
    run->count = 1;
    x->status = elements_add(&x->elements, e);
    return x->status == TRAWL_OK;
}

/* ---- sequences ------------------------------------------------------------------------- */

static bool copy_elements(expression *x, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((x->status = elements_add(&x->elements, x->spelled.elements[first + i])) != TRAWL_OK)
            return false;
    return true;
}

/* Append the run `more` to the run before it. */
static bool join_runs(expression *x, node *run, const node *more)
{
    if (run->first + run->count != more->first) {
        const size_t first = run->first, length = x->spelled.length;
        if (first + run->count != length) {
            run->first = length;
            if (!copy_elements(x, first, run->count))
                return false;
        }
        if (!copy_elements(x, more->first, more->count))
            return false;
    }
    run->count += more->count;
    return true;
}

/* Append what is simple to a sequence. */
static bool add_part(expression *x, series *s, node *n)
{
    if (n->kind == NODE_SEQUENCE) {
        for (node *part = n->child, *next; part; part = next) {
            next = part->sibling;
            if (!add_part(x, s, part))
                return false;
        }
        return true;
    }
    if (n->kind == NODE_CONDITION && n->asks == CONDITION_ANY)
        return true;
    if (s->last && s->last->kind == n->kind && n->kind == NODE_RUN)
        return join_runs(x, s->last, n);
    if (s->last && s->last->kind == n->kind && n->kind == NODE_CONDITION)
        s->last->asks &= n->asks;
    else
        append(s, n);
    return true;
}

static node *finish_sequence(expression *x, series *s, size_t at)
{
    if (s->count == 1)
        return s->first;
    node *whole = expression_add(x, NODE_SEQUENCE, at);
    if (whole)
        whole->child = s->first;
    return whole;
}

static node *simple_sequence(expression *x, node *n)
{
    series s = { .first = NULL };
    for (node *part = n->child, *next; part; part = next) {
        next = part->sibling;
        part = simple(x, part, true);
        if (!part || !add_part(x, &s, part))
            return NULL;
    }
    return finish_sequence(x, &s, n->at);
}

/* ---- repeats --------------------------------------------------------------------------- */

static uint32_t times(uint32_t a, uint32_t b)
{
    const uint64_t product = (uint64_t)a * b;
    return a == REPEAT_UNBOUNDED || b == REPEAT_UNBOUNDED || product >= REPEAT_UNBOUNDED
               ? REPEAT_UNBOUNDED
               : (uint32_t)product;
}

/* Merge {min,max}, greedy, of what repeats {*inner_min,*inner_max}, greedy, into the latter. False:
 * they are not one repeat of the same order. Of a set (`set`) that order is from long to short;
 * what a repeat of anything else must find after its last one may decide in which way it ends. */
static bool merge_repeats(uint32_t min, uint32_t max, bool set, uint32_t *inner_min,
                          uint32_t *inner_max)
{
    const bool fixed = min == max && *inner_min == *inner_max;
    if (*inner_min == 1 && *inner_max == 1) {
        *inner_min = min;
        *inner_max = max;
    } else if (fixed && times(min, *inner_min) < PATTERN_MAX_STATES) {
        *inner_min = *inner_max = times(min, *inner_min);
    } else if (*inner_min == 0 && (*inner_max == 1 || *inner_max == REPEAT_UNBOUNDED)) {
        *inner_max = times(max, *inner_max);
    } else if (*inner_min == 1 && *inner_max == REPEAT_UNBOUNDED && (set || min <= 1)) {
        *inner_min = min;
    } else {
        return false;
    }
    return true;
}

/* A run that is repeated a fixed number of times, written out. */
static node *spell_repeat(expression *x, const node *run, uint32_t count, size_t at)
{
    const size_t first = x->spelled.length;
    for (uint32_t i = 0; i < count; i++)
        if (!copy_elements(x, run->first, run->count))
            return NULL;
    return expression_add_run(x, first, count * run->count, at);
}

/* A repeat whose child is simple. */
static node *finish_repeat(expression *x, node *n)
{
    condition asks;
    node *child = n->child;
    child->sibling = NULL;
    n->lazy = n->lazy && n->min != n->max;
    if (n->min == 1 && n->max == 1)
        return child;
    if (is_condition(child, &asks))
        return n->min ? child : add_nothing(x, n->at);
    if (child->kind == NODE_RUN && child->count == 1 && !n->lazy) {
        element e = *expression_elements(x, child);
        if (merge_repeats(n->min, n->max, true, &e.min, &e.max))
            return make_element(x, child, e) ? child : NULL;
    }
    if (child->kind == NODE_RUN && n->min == n->max && n->min <= SPELLED_MAX / child->count &&
        x->spelled.length < PATTERN_MAX_STATES)
        return spell_repeat(x, child, n->min, n->at);
    if (child->kind == NODE_REPEAT && !n->lazy && !child->lazy &&
        !expression_empty(x, child->child) &&
        merge_repeats(n->min, n->max, false, &child->min, &child->max))
        return child;
    return n;
}

/* ---- alternatives that begin alike ----------------------------------------------------- */

/* The run that the alternative begins with, or NULL. */
static const node *head_run(const node *n)
{
    const node *head = n->kind == NODE_SEQUENCE ? n->child : n;
    return head && head->kind == NODE_RUN ? head : NULL;
}

/* How many elements with a fixed length all alternatives begin with. */
static size_t common_head(const expression *x, const node *alternatives)
{
    const node *model = head_run(alternatives);
    size_t length = model->count;
    for (const node *n = alternatives; n; n = n->sibling) {
        const node *run = head_run(n);
        size_t same = 0;
        while (
            same < length && same < run->count &&
            expression_elements(x, run)[same].min == expression_elements(x, run)[same].max &&
            same_element(expression_elements(x, run) + same, expression_elements(x, model) + same))
            same++;
        length = same;
    }
    return length;
}

/* The alternative without the first `length` elements of its run. */
static node *without_head(expression *x, node *n, size_t length)
{
    const node *run = head_run(n);
    node *rest = run->count > length
                     ? expression_add_run(x, run->first + length, run->count - length, n->at)
                     : NULL;
    if (run->count > length && !rest)
        return NULL;
    if (n == run)
        return rest ? rest : add_nothing(x, n->at);
    series s = { .first = NULL };
    if (rest)
        append(&s, rest);
    for (node *part = run->sibling, *next; part; part = next) {
        next = part->sibling;
        append(&s, part);
    }
    return finish_sequence(x, &s, n->at);
}

/* Alternatives that begin with the same set: what all of them begin with, then a choice. Append it
 * or, if it has no fixed length, them. */
static bool share_head(expression *x, series members, unsigned depth, series *shared)
{
    const size_t length = members.count > 1 ? common_head(x, members.first) : 0;
    const size_t at = members.first->at;
    series rests = { .first = NULL }, both = { .first = NULL };
    for (node *n = members.first, *next; n; n = next) {
        next = n->sibling;
        if (length == 0) {
            append(shared, n);
            continue;
        }
        if (!both.first) {
            node *head = expression_add_run(x, head_run(n)->first, length, at);
            if (!head)
                return false;
            append(&both, head);
        }
        node *rest = without_head(x, n, length);
        if (!rest)
            return false;
        append(&rests, rest);
    }
    if (length == 0)
        return true;
    node *choice = finish_choice(x, rests, at, true, depth + 1);
    if (!choice || !add_part(x, &both, choice))
        return false;
    node *whole = finish_sequence(x, &both, at);
    if (whole)
        append(shared, whole);
    return whole != NULL;
}

/* The members of one bucket begin with the same set; sets of different buckets exclude each
 * other, so that no place of the text is one for two of them. */
typedef struct buckets {
    series members[256];
    byte_class sets[256];
    uint32_t count;
    uint32_t owner[256]; /* of each byte */
} buckets;

static void buckets_open(buckets *b)
{
    b->count = 0;
    for (unsigned byte = 0; byte < 256; byte++)
        b->owner[byte] = NO_BUCKET;
}

/* The bucket of an alternative, a new one if need be; NO_BUCKET: it goes into none, since it may
 * begin with anything, or with a part of a bucket's bytes. */
static uint32_t choose_bucket(const expression *x, buckets *b, const node *n)
{
    const node *run = head_run(n);
    const element *e = run ? expression_elements(x, run) : NULL;
    if (!e || e->min == 0)
        return NO_BUCKET;
    uint32_t owner = NO_BUCKET;
    bool owned = false;
    for (unsigned byte = 0; byte < 256; byte++) {
        if (!class_has(&e->set, byte))
            continue;
        if (owned && b->owner[byte] != owner)
            return NO_BUCKET;
        owner = b->owner[byte];
        owned = true;
    }
    if (owner != NO_BUCKET)
        return memcmp(&b->sets[owner], &e->set, sizeof e->set) == 0 ? owner : NO_BUCKET;
    b->sets[b->count] = e->set;
    b->members[b->count] = (series){ .first = NULL };
    for (unsigned byte = 0; byte < 256; byte++)
        if (class_has(&e->set, byte))
            b->owner[byte] = b->count;
    return b->count++;
}

static bool empty_buckets(expression *x, buckets *b, unsigned depth, series *shared)
{
    for (uint32_t i = 0; i < b->count; i++)
        if (!share_head(x, b->members[i], depth, shared))
            return false;
    buckets_open(b);
    return true;
}

static bool share_heads(expression *x, series *found, unsigned depth)
{
    series shared = { .first = NULL };
    buckets *b = memory_take(x->memory, sizeof *b);
    bool enough = b != NULL;
    if (!enough)
        x->status = memory_failed(x->memory, x->error, "alternatives");
    else
        buckets_open(b);
    for (node *n = found->first, *next; enough && n; n = next) {
        next = n->sibling;
        uint32_t chosen = choose_bucket(x, b, n);
        if (chosen == NO_BUCKET) {
            enough = empty_buckets(x, b, depth, &shared);
            chosen = enough ? choose_bucket(x, b, n) : NO_BUCKET;
        }
        if (enough)
            append(chosen == NO_BUCKET ? &shared : &b->members[chosen], n);
    }
    enough = enough && empty_buckets(x, b, depth, &shared);
    memory_give(x->memory, b);
    *found = shared;
    return enough;
}

/* ---- alternatives that end alike --------------------------------------------------------- */

/* The run that the alternative ends with, or NULL. */
static node *tail_run(node *n)
{
    node *tail = n;
    if (n->kind == NODE_SEQUENCE)
        for (tail = n->child; tail && tail->sibling;)
            tail = tail->sibling;
    return tail && tail->kind == NODE_RUN ? tail : NULL;
}

/* How many elements all alternatives end with. */
static size_t common_tail(const expression *x, node *alternatives)
{
    const node *model = tail_run(alternatives);
    size_t length = model ? model->count : 0;
    for (node *n = alternatives->sibling; n && length > 0; n = n->sibling) {
        const node *run = tail_run(n);
        size_t same = 0;
        while (run && same < length && same < run->count &&
               same_element(expression_elements(x, run) + run->count - 1 - same,
                            expression_elements(x, model) + model->count - 1 - same))
            same++;
        length = same;
    }
    return length;
}

/* The alternative without the last `length` elements of its run. */
static node *without_tail(expression *x, node *n, size_t length)
{
    node *run = tail_run(n);
    run->count -= length;
    if (run->count > 0)
        return n;
    if (n == run)
        return add_nothing(x, n->at);
    series s = { .first = NULL };
    for (node *part = n->child, *next; part != run; part = next) {
        next = part->sibling;
        append(&s, part);
    }
    return finish_sequence(x, &s, n->at);
}

static node *share_tail(expression *x, series found, size_t length, size_t at, unsigned depth)
{
    const node *model = tail_run(found.first);
    node *tail = expression_add_run(x, model->first + model->count - length, length, at);
    series heads = { .first = NULL }, both = { .first = NULL };
    for (node *n = found.first, *next; tail && n; n = next) {
        next = n->sibling;
        node *head = without_tail(x, n, length);
        if (!head)
            return NULL;
        append(&heads, head);
    }
    node *choice = tail ? finish_choice(x, heads, at, true, depth + 1) : NULL;
    if (!choice || !add_part(x, &both, choice) || !add_part(x, &both, tail))
        return NULL;
    return finish_sequence(x, &both, at);
}

/* ---- choices --------------------------------------------------------------------------- */

/* Append an alternative that is simple. `covered` is where those before it may match nothing. */
static bool add_alternative(expression *x, series *s, condition *covered, node *n)
{
    condition asks, last;
    if (n->kind == NODE_CHOICE) {
        for (node *one = n->child, *next; one; one = next) {
            next = one->sibling;
            if (!add_alternative(x, s, covered, one))
                return false;
        }
        return true;
    }
    if (is_condition(n, &asks)) {
        if (s->count > 0 && (asks & ~*covered) == 0)
            return true;
        *covered |= asks;
        if (s->last && is_condition(s->last, &last)) {
            s->last->kind = NODE_CONDITION;
            s->last->asks = asks | last;
            return true;
        }
    }
    if (s->last && is_set(x, n) && is_set(x, s->last)) {
        element e = *expression_elements(x, s->last);
        class_unite(&e.set, &expression_elements(x, n)->set);
        return make_element(x, s->last, e);
    }
    append(s, n);
    return true;
}

/* What may be left out, tried first (lazy) or last. */
static node *make_optional(expression *x, node *n, bool lazy, size_t at)
{
    node *whole = expression_add(x, NODE_REPEAT, at);
    if (!whole)
        return NULL;
    whole->max = 1;
    whole->lazy = lazy;
    whole->child = n;
    return finish_repeat(x, whole);
}

static bool is_nothing(const node *n)
{
    condition asks;
    return is_condition(n, &asks) && asks == CONDITION_ANY;
}

static node *make_choice(expression *x, const series *found, size_t at)
{
    node *whole = found->count > 1 ? expression_add(x, NODE_CHOICE, at) : found->first;
    if (whole && found->count > 1)
        whole->child = found->first;
    return whole;
}

/* A choice of simple alternatives, one at least; `share` what they have in common. */
static node *finish_choice(expression *x, series found, size_t at, bool share, unsigned depth)
{
    series s = { .first = NULL };
    condition covered = 0;
    for (node *n = found.first, *next; n; n = next) {
        next = n->sibling;
        if (!add_alternative(x, &s, &covered, n))
            return NULL;
    }
    if (s.count == 1 || !share)
        return make_choice(x, &s, at);
    if (is_nothing(s.first)) {
        s.first = s.first->sibling;
        s.count--;
        node *rest = finish_choice(x, s, at, true, depth);
        return rest ? make_optional(x, rest, true, at) : NULL;
    }
    if (is_nothing(s.last)) {
        series rest = { .first = NULL };
        for (node *n = s.first, *next; n != s.last; n = next) {
            next = n->sibling;
            append(&rest, n);
        }
        node *choice = finish_choice(x, rest, at, true, depth);
        return choice ? make_optional(x, choice, false, at) : NULL;
    }
    if (depth < SHARE_DEPTH) {
        if (!share_heads(x, &s, depth))
            return NULL;
        const size_t tail = s.count > 1 ? common_tail(x, s.first) : 0;
        if (tail > 0)
            return share_tail(x, s, tail, at, depth);
    }
    return make_choice(x, &s, at);
}

static node *simple(expression *x, node *n, bool share)
{
    series found = { .first = NULL };
    switch ((enum node_kind)n->kind) {
    case NODE_SEQUENCE:
        return simple_sequence(x, n);
    case NODE_REPEAT:
        n->child = simple(x, n->child, true);
        return n->child ? finish_repeat(x, n) : NULL;
    case NODE_CHOICE:
        for (node *one = n->child, *next; one; one = next) {
            next = one->sibling;
            one = simple(x, one, true);
            if (!one)
                return NULL;
            append(&found, one);
        }
        return finish_choice(x, found, n->at, share, 0);
    case NODE_RUN:
    case NODE_CONDITION:
        break;
    }
    return n;
}

/* Append a part of a sequence without its laziness. *fits is false if it is no set or run. */
static bool add_greedy(expression *x, series *s, const node *part, bool *fits)
{
    const node *child = part->kind == NODE_REPEAT ? part->child : part;
    element e;
    if (part->kind == NODE_CONDITION) {
        node *asks = expression_add(x, NODE_CONDITION, part->at);
        if (asks) {
            asks->asks = part->asks;
            append(s, asks);
        }
        return asks != NULL;
    }
    *fits = child->kind == NODE_RUN && (child == part || is_set(x, child));
    if (!*fits)
        return true;
    node *run = expression_add_run(x, child->first, child->count, part->at);
    if (!run)
        return false;
    if (part->kind == NODE_REPEAT) {
        e = *expression_elements(x, child);
        e.min = part->min;
        e.max = part->max;
        if (!make_element(x, run, e))
            return false;
    }
    return add_part(x, s, run);
}

int expression_greedy(expression *x, node **made)
{
    const node *root = x->root;
    series s = { .first = NULL };
    bool fits = root->kind == NODE_SEQUENCE || root->kind == NODE_REPEAT;
    *made = NULL;
    if (root->kind == NODE_REPEAT && !add_greedy(x, &s, root, &fits))
        return x->status;
    for (const node *part = root->kind == NODE_SEQUENCE ? root->child : NULL; fits && part;
         part = part->sibling)
        if (!add_greedy(x, &s, part, &fits))
            return x->status;
    if (fits)
        *made = finish_sequence(x, &s, root->at);
    return fits && !*made ? x->status : TRAWL_OK;
}

int expression_simplify(expression *x)
{
    while (x->root->kind == NODE_SEQUENCE && x->root->child && !x->root->child->sibling)
        x->root = x->root->child;
    node *root = simple(x, x->root, false);
    x->root = root ? root : x->root;
    return root ? TRAWL_OK : x->status;
}

int expression_share(expression *x)
{
    if (x->root->kind != NODE_CHOICE)
        return TRAWL_OK;
    series found = { .first = NULL };
    for (node *one = x->root->child, *next; one; one = next) {
        next = one->sibling;
        append(&found, one);
    }
    node *root = finish_choice(x, found, x->root->at, true, 0);
    x->root = root ? root : x->root;
    return root ? TRAWL_OK : x->status;
}
