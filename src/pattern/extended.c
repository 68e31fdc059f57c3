/* extended.c: regular expressions, such as (?:GET|POST) /[a-f]\d{2,4}.+
 *
 * Idea: the text becomes a tree (parse.c), and the tree the cheapest form that it has:
 *
 *   - a literal, or a sequence of elements with conditions on its sides;
 *   - a few of these as alternatives. Those of the outermost level are read one in each call, as
 *     they are written; those that are left of groups when the tree is made smaller (simplify.c)
 *     only where priorities cannot matter: what the longest match of a sequence is, is its first
 *     one in Perl's order too;
 *   - else a program of all of it (links.c). A sequence with lazy repeats has both: its matches are
 *     those of its elements, and the program tells which of them comes first.
 *
 * In a dialect an element is a letter of the dialect or a class of letters, and there are no
 * groups, so there is always a sequence. Everything is ASCII: there is no locale.
 * Cost: O(length) time for sequences; of alternatives the whole text is read twice.
 */
#include "pattern/extended.h"

#include <string.h>

#include "pattern/border.h"
#include "pattern/bytes.h"
#include "pattern/expression.h"
#include "pattern/syntax.h"

#define QUOTE_MAX 40 /* a message quotes an element up to this length */

/* Bounds of what groups leave as alternatives, since each call makes the tree again. */
#define MAX_ALTERNATIVES 64u
#define MAX_READ (1u << 20) /* bytes, by all calls together */
#define MAX_SPELLED 4096u   /* elements of all alternatives */

/* A row of elements, and what is asked for on its two sides. */
typedef struct sequence {
    const node *run; /* NULL: there are no elements */
    border before, after;
    size_t after_at; /* where the conditions after the elements begin, or 0 */
} sequence;

/* ---- conditions as borders --------------------------------------------------------------- */

/* The kinds that may come before one kind, as a set of bits. */
static uint32_t priors_of(condition asks, unsigned next)
{
    uint32_t priors = 0;
    for (unsigned prior = 0; prior < PRIORS; prior++)
        priors |= (asks >> (prior * NEXTS + next) & 1) << prior;
    return priors;
}

static byte_class kind_bytes(uint32_t flags, bool line, bool word, bool other)
{
    const byte_class words = word_bytes(), lines = line_border(flags);
    byte_class set = { { 0 } };
    for (unsigned byte = 0; byte < 256; byte++)
        if (class_has(&words, byte) ? word : class_has(&lines, byte) ? line : other)
            class_add(&set, byte);
    return set;
}

/* Add what stands before a match to a border. False: it depends on more than whether the first byte
 * belongs to a word. */
static bool add_before(condition asks, uint32_t flags, border *b)
{
    const uint32_t other = priors_of(asks, NEXT_OTHER);
    if (priors_of(asks, NEXT_LINE) != other || priors_of(asks, NEXT_LAST) != other)
        return false;
    for (unsigned own = 0; own < 2; own++) {
        const uint32_t may = own ? priors_of(asks, NEXT_WORD) : other;
        border_add_own(
            b, own != 0,
            kind_bytes(flags, may >> PRIOR_LINE & 1, may >> PRIOR_WORD & 1, may >> PRIOR_OTHER & 1),
            may >> PRIOR_BEGIN & 1);
    }
    return true;
}

static bool add_after(condition asks, uint32_t flags, border *b)
{
    const uint32_t word = condition_nexts(asks, PRIOR_WORD);
    const uint32_t other = condition_nexts(asks, PRIOR_OTHER);
    const uint32_t lines = 1u << NEXT_LINE | 1u << NEXT_LAST;
    const bool last = (word & lines) == 1u << NEXT_LAST;
    if (condition_nexts(asks, PRIOR_LINE) != other || last != ((other & lines) == 1u << NEXT_LAST))
        return false;
    for (unsigned own = 0; own < 2; own++) {
        const uint32_t may = own ? word : other;
        border_add_own(
            b, own != 0,
            kind_bytes(flags, may >> NEXT_LINE & 1, may >> NEXT_WORD & 1, may >> NEXT_OTHER & 1),
            may >> NEXT_END & 1);
    }
    b->last = last ? line_terminator(flags) + 1u : 0;
    return true;
}

/* The tree as a row of elements with borders. False: it is none. */
static bool find_sequence(const node *n, uint32_t flags, sequence *s)
{
    const node *parts[4] = { n }, *before = NULL, *after = NULL;
    size_t count = 1, i = 0;
    if (n->kind == NODE_SEQUENCE)
        for (count = 0, n = n->child; n && count < 4; n = n->sibling)
            parts[count++] = n;
    *s = (sequence){ .run = NULL };
    if (i < count && parts[i]->kind == NODE_CONDITION)
        before = parts[i++];
    if (i < count && parts[i]->kind == NODE_RUN)
        s->run = parts[i++];
    if (s->run && i < count && parts[i]->kind == NODE_CONDITION) {
        after = parts[i++];
        s->after_at = after->at;
    }
    return i == count && (!s->run || ((!before || add_before(before->asks, flags, &s->before)) &&
                                      (!after || add_after(after->asks, flags, &s->after))));
}

/* Whether the states of all elements are within the limit. Those that were read are; copies that
 * repeats were written out to may not be. */
static bool is_small(const expression *x, const node *run)
{
    uint64_t states = 0;
    for (size_t i = 0; i < run->count; i++) {
        const element *e = expression_elements(x, run) + i;
        states += e->max != REPEAT_UNBOUNDED ? e->max : e->min;
    }
    return states <= PATTERN_MAX_STATES;
}

/* Give the pattern the elements of a sequence. */
static int take_sequence(expression *x, const sequence *s, pattern *out)
{
    elements made = { .memory = x->memory, .out = out, .error = x->error };
    out->before = s->before;
    out->after = s->after;
    out->length = s->run->count;
    if (s->run->first == 0) {
        out->elements = x->spelled.elements;
        x->spelled.elements = NULL;
    } else {
        out->elements = memory_take_array(x->memory, out->length, sizeof *out->elements);
        if (!out->elements)
            return memory_failed(x->memory, x->error, "a pattern of %zu elements", out->length);
        memcpy(out->elements, expression_elements(x, s->run), out->length * sizeof *out->elements);
    }
    int status = elements_settle(&made);
    if (status != TRAWL_OK || out->literal || !x->flagged || out->flags & TRAWL_NOCASE)
        return status;
    out->flags |= TRAWL_NOCASE; /* (?i)abc is a literal */
    status = elements_settle(&made);
    if (out->literal)
        out->folded = true;
    else
        out->flags &= ~(uint32_t)TRAWL_NOCASE;
    return status;
}

/* ---- what is read one alternative in each call ------------------------------------------- */

static const char no_element[] = "the pattern matches no byte: put an element here";

/* There are conditions alone, or nothing: an element is missing before the first one that stands
 * after a match. */
static int reject_conditions(reader *r, size_t begin)
{
    size_t length;
    r->at = begin;
    for (char kind; (kind = reader_condition(r, &length)) && !strchr("$z>Z", kind);)
        r->at += length;
    return reader_reject(r, r->at, no_element);
}

/* Every element may be left out. Any of them could be changed: name the first. */
static int reject_empty_match(reader *r, const sequence *s, size_t end)
{
    const uint8_t *text = r->text;
    const size_t first = s->run->at;
    byte_class set;
    repeat times;
    if (first > 0 && text[first - 1] == '^' && s->after_at && text[end - 1] == '$')
        return fail(r->error, TRAWL_ERROR_PATTERN, s->after_at,
                    "the pattern can match an empty line, of which there is no byte to report: "
                    "write %s, which ends the line, in place of its $",
                    r->flags & TRAWL_NULS ? "\\0" : "\\n");
    r->at = first;
    int status = reader_set(r, &set);
    if (status == TRAWL_OK)
        status = reader_repeat(r, &times);
    if (status != TRAWL_OK)
        return status;
    const char quantifier = (char)text[r->at - 1];
    const size_t length = r->at - first;
    const bool shown = length <= QUOTE_MAX;
    return fail(r->error, TRAWL_ERROR_PATTERN, 0,
                "the pattern can match the empty string, and so everywhere, because every element "
                "may be left out, '%.*s%s' first: %s",
                shown ? (int)length : QUOTE_MAX, (const char *)text + first, shown ? "" : "...",
                quantifier == '*'   ? "put + in place of its *"
                : quantifier == '?' ? "remove its ?"
                                    : "let its repeat begin at 1, as {1,3} does");
}

/* Whether the whole pattern is a sequence as it is written, or alternatives that are. */
static bool is_plain(const expression *x, const reader *r)
{
    sequence s;
    if (x->root->kind != NODE_CHOICE)
        return find_sequence(x->root, r->flags, &s);
    for (const node *n = x->root->child; n; n = n->sibling)
        if (x->flagged || !find_sequence(n, r->flags, &s))
            return false;
    return true;
}

/* Make the first alternative of a plain pattern, or the only one. */
static int take_plain(expression *x, reader *r, size_t *next, pattern *out)
{
    const node *n = x->root->kind == NODE_CHOICE ? x->root->child : x->root;
    const size_t end = n->sibling ? n->sibling->at - 1 : r->at;
    sequence s;
    find_sequence(n, out->flags, &s);
    *next = end < r->length ? end + 1 : LAST_ONE; /* after the '|' */
    if (!s.run)
        return reject_conditions(r, n->at);
    for (size_t i = 0; i < s.run->count; i++)
        if (expression_elements(x, s.run)[i].min > 0)
            return take_sequence(x, &s, out);
    return reject_empty_match(r, &s, end);
}

/* ---- what groups leave ------------------------------------------------------------------- */

/* The smallest part that may be left out, as all beside it. */
static const node *empty_part(const node *n)
{
    while (n->kind == NODE_CHOICE || (n->kind == NODE_SEQUENCE && n->child && !n->child->sibling)) {
        n = n->child;
        while (!n->empty)
            n = n->sibling;
    }
    return n;
}

static int reject_empty(const expression *x, reader *r)
{
    return reader_reject(r, empty_part(x->root)->at,
                         "the pattern can match the empty string, because all from here on to the "
                         "end of this alternative may be left out: let some part of it occur at "
                         "least once");
}

/* The bytes of a sequence of fixed length; 0: it has none. */
static size_t fixed_length(const expression *x, const node *run)
{
    size_t length = 0;
    for (size_t i = 0; i < run->count; i++) {
        const element *e = expression_elements(x, run) + i;
        if (e->min != e->max)
            return 0;
        length += e->min;
    }
    return length;
}

/* Whether no text begins with a match of both runs, of fixed lengths. */
static bool exclude_each_other(const expression *x, const node *one, const node *other)
{
    const element *a = expression_elements(x, one), *a_end = a + one->count;
    const element *b = expression_elements(x, other), *b_end = b + other->count;
    for (uint32_t a_done = 0, b_done = 0; a < a_end && b < b_end;) {
        if (class_avoids(&a->set, &b->set))
            return true;
        const uint32_t a_left = a->min - a_done, b_left = b->min - b_done;
        const uint32_t step = a_left < b_left ? a_left : b_left;
        a_done = step == a_left ? 0 : a_done + step;
        b_done = step == b_left ? 0 : b_done + step;
        a += step == a_left;
        b += step == b_left;
    }
    return false;
}

/* Whether the alternatives are few sequences of fixed lengths, of which the first one that matches
 * is the longest. */
static bool are_few(const expression *x, const reader *r)
{
    const node *runs[MAX_ALTERNATIVES];
    size_t lengths[MAX_ALTERNATIVES], count = 0, spelled = 0;
    for (const node *n = x->root->child; n; n = n->sibling) {
        sequence s;
        if (count == MAX_ALTERNATIVES || !find_sequence(n, r->flags, &s) || !s.run)
            return false;
        runs[count] = s.run;
        lengths[count] = fixed_length(x, s.run);
        spelled += lengths[count];
        for (size_t i = 0; i < count; i++)
            if (lengths[i] < lengths[count] && !exclude_each_other(x, runs[i], s.run))
                return false;
        if (lengths[count++] == 0 || spelled > MAX_SPELLED)
            return false;
    }
    return count * r->length <= MAX_READ;
}

/* Make the alternative with that number. */
static int take_one(expression *x, size_t number, const reader *r, size_t *next, pattern *out)
{
    const node *n = x->root->child;
    sequence s;
    for (size_t i = 0; i < number; i++)
        n = n->sibling;
    find_sequence(n, r->flags, &s);
    *next = n->sibling ? r->length + number + 1 : LAST_ONE;
    return take_sequence(x, &s, out);
}

static int take_tree(expression *x, reader *r, size_t *next, pattern *out)
{
    const size_t number = *next > r->length ? *next - r->length : 0;
    sequence s;
    if (expression_empty(x, x->root))
        return reject_empty(x, r);
    int status = x->atomic ? expression_check_atomic(x) : TRAWL_OK;
    if (status == TRAWL_OK)
        status = expression_simplify(x);
    if (status != TRAWL_OK)
        return status;
    if (x->root->kind == NODE_CHOICE && are_few(x, r))
        return take_one(x, number, r, next, out);
    *next = LAST_ONE;
    status = expression_share(x);
    if (status != TRAWL_OK)
        return status;
    if (find_sequence(x->root, r->flags, &s) && s.run && is_small(x, s.run))
        return take_sequence(x, &s, out);
    status = expression_program(x, r->src, &out->program);
    node *greedy = NULL;
    if (status == TRAWL_OK)
        status = expression_greedy(x, &greedy);
    if (status == TRAWL_OK && greedy && find_sequence(greedy, r->flags, &s) && s.run &&
        is_small(x, s.run))
        return take_sequence(x, &s, out);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* The first condition of a dialect's pattern that does not stand beside it. */
static int reject_inner_condition(const expression *x, reader *r)
{
    const node *n = x->root;
    sequence s;
    if (n->kind == NODE_CHOICE)
        for (n = n->child; find_sequence(n, r->flags, &s);)
            n = n->sibling;
    n = n->child;
    if (n->kind != NODE_CONDITION || add_before(n->asks, r->flags, &s.before)) {
        do
            n = n->sibling;
        while (n->kind != NODE_CONDITION);
    }
    return reader_reject(r, n->at,
                         "^ stands before a pattern, $ after it: give each part as its own "
                         "pattern");
}

/* Sets are closed under case where a pattern's flag says so: (?-i: ) takes it away. */
static void settle_case(const expression *x, pattern *out)
{
    for (size_t i = 0; x->flagged && i < x->spelled.length; i++)
        if (!class_is_folded(&x->spelled.elements[i].set))
            out->flags &= ~(uint32_t)TRAWL_NOCASE;
}

int parse_extended(memory *m, const trawl_pattern *src, size_t *next, pattern *out,
                   trawl_error *error)
{
    return parse_dialect(NULL, m, src, next, out, error);
}

int extended_program(memory *m, const trawl_pattern *src, program **made, trawl_error *error)
{
    expression x;
    reader r = { .src = src,
                 .text = src->text,
                 .length = src->length,
                 .flags = src->flags,
                 .modes = MODE_DOT_ALL | MODE_LINES,
                 .error = error };
    expression_open(m, error, &x);
    int status = expression_parse(&x, &r, false);
    if (status == TRAWL_OK)
        status = expression_simplify(&x);
    if (status == TRAWL_OK)
        status = expression_share(&x);
    if (status == TRAWL_OK) {
        (void)expression_empty(&x, x.root);
        status = expression_program(&x, src, made);
    }
    expression_close(&x);
    return status;
}

/* *next is where an alternative begins that is read by itself; or, if it is greater than the
 * length, that length and the number of an alternative of the tree. */
int parse_dialect(const dialect *of, memory *m, const trawl_pattern *src, size_t *next,
                  pattern *out, trawl_error *error)
{
    const bool one = *next > 0 && *next <= src->length;
    expression x;
    reader r = { .src = src,
                 .dialect = of,
                 .text = src->text,
                 .length = src->length,
                 .at = one ? *next : 0,
                 .flags = src->flags,
                 .modes = MODE_DOT_ALL | MODE_LINES,
                 .error = error };
    expression_open(m, error, &x);
    int status = expression_parse(&x, &r, one);
    if (status == TRAWL_OK) {
        r.flags = src->flags;
        settle_case(&x, out);
        if (one || is_plain(&x, &r))
            status = take_plain(&x, &r, next, out);
        else if (of)
            status = reject_inner_condition(&x, &r);
        else
            status = take_tree(&x, &r, next, out);
    }
    expression_close(&x);
    return status;
}
