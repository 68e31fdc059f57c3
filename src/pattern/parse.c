/* parse.c: from a pattern's text to the tree of an expression (expression.h).
 *
 * Idea: recursive descent, one function for each rule:
 *
 *     choice     = sequence ("|" sequence)*
 *     sequence   = (condition | flags | (group | quote | \R | element) quantifier?)*
 *     condition  = ^ | $ | \A | \z | \Z | \G | \b | \B | \< | \>
 *     flags      = "(?" [imsx]* ("-" [imsx]+)? ")"
 *     group      = "(" (nothing | "?:" | "?>" | "?<name>" | "?P<name>" | "?" flags ":") choice ")"
 *     quote      = "\Q" byte* "\E"
 *     element    = byte | "." | class | escape
 *     quantifier = (? | * | + | {x} | {x,} | {x,y} | {,y}) ("?" | "+")?
 *
 * Elements and conditions that stand together become one node, so a pattern without groups has up
 * to three nodes for each alternative. A group is no node of its own. Flags hold up to the end of
 * the group in which they stand, also for its later alternatives, as in Perl.
 * What the language leaves out is refused at its column with advice, never taken for bytes.
 * Cost: O(length) time; recursion as deep as groups, EXPRESSION_MAX_DEPTH at most.
 */
#include <string.h>

#include "pattern/bytes.h"
#include "pattern/expression.h"

typedef struct parser {
    expression *x;
    reader *r;
    unsigned depth; /* of groups that are open */
} parser;

/* A sequence that grows. */
typedef struct series {
    node *whole;
    node *last; /* its last child, or NULL */
} series;

static int parse_choice(parser *p, node **made);

static void append(series *s, node *n)
{
    if (s->last)
        s->last->sibling = n;
    else
        s->whole->child = n;
    s->last = n;
}

static bool is_name_byte(int c)
{
    return c >= 0 && is_word_byte((uint8_t)c);
}

/* ---- what stands for nothing ----------------------------------------------------------- */

/* Step over comments, and over blanks where a flag says that they stand for nothing. */
static int skip(reader *r)
{
    for (;;) {
        const int c = reader_peek(r, 0);
        const bool spaced = (r->modes & MODE_SPACED) != 0;
        const size_t open = r->at;
        if (spaced && ((c >= '\t' && c <= '\r') || c == ' ')) {
            r->at++;
        } else if (spaced && c == '#') {
            while (r->at < r->length && r->text[r->at] != '\n')
                r->at++;
        } else if (!r->dialect && reader_at(r, "(?#")) {
            while (r->at < r->length && r->text[r->at] != ')')
                r->at++;
            if (r->at++ == r->length)
                return reader_reject(r, open, "unmatched '(': close the comment with ')'");
        } else {
            return TRAWL_OK;
        }
    }
}

/* ---- elements -------------------------------------------------------------------------- */

static int read_repeat(reader *r, repeat *times)
{
    const int status = skip(r);
    return status == TRAWL_OK ? reader_repeat(r, times) : status;
}

/* The quantifier ends at r->at. */
static void set_repeat(parser *p, node *n, const repeat *times)
{
    n->min = times->min;
    n->max = times->max;
    n->lazy = times->lazy;
    n->atomic = times->possessive;
    n->mark = p->r->at - 1;
    p->x->atomic |= n->atomic;
}

/* Read a quantifier, and append what stands before it, which is of one node. */
static int repeat_node(parser *p, series *s, node *n)
{
    repeat times;
    int status = read_repeat(p->r, &times);
    if (status != TRAWL_OK)
        return status;
    if (times.min == 1 && times.max == 1) {
        append(s, n);
        return TRAWL_OK;
    }
    node *whole = expression_add(p->x, NODE_REPEAT, n->at);
    if (!whole)
        return p->x->status;
    set_repeat(p, whole, &times);
    whole->child = n;
    append(s, whole);
    return TRAWL_OK;
}

/* The element before x->elements.out->length, which was read at `at`, belongs to the last run, or
 * is a new one. */
static int extend_run(parser *p, series *s, size_t at)
{
    const size_t index = p->x->spelled.length - 1;
    if (s->last && s->last->kind == NODE_RUN && s->last->first + s->last->count == index) {
        s->last->count++;
        return TRAWL_OK;
    }
    node *run = expression_add_run(p->x, index, 1, at);
    if (!run)
        return p->x->status;
    append(s, run);
    return TRAWL_OK;
}

/* Append one byte or set that was read at `at`, without a quantifier. */
static int append_set(parser *p, series *s, const byte_class *set, size_t at)
{
    const int status = elements_append(&p->x->elements, at, set, 1, 1);
    return status == TRAWL_OK ? extend_run(p, s, at) : status;
}

/* Read the quantifier after a set that was read at `at`, and append both. */
static int repeat_set(parser *p, series *s, const byte_class *set, size_t at)
{
    repeat times;
    int status = read_repeat(p->r, &times);
    if (status != TRAWL_OK)
        return status;
    if ((!times.lazy && !times.possessive) || times.min == times.max) {
        status = elements_append(&p->x->elements, at, set, times.min, times.max);
        return status == TRAWL_OK ? extend_run(p, s, at) : status;
    }
    series one = { .whole = expression_add(p->x, NODE_REPEAT, at) };
    if (!one.whole)
        return p->x->status;
    set_repeat(p, one.whole, &times);
    status = append_set(p, &one, set, at);
    append(s, one.whole);
    return status;
}

static int reject_repeated_character(parser *p)
{
    return reader_reject(p->r, p->r->at,
                         "the repeat would apply to the last byte of the character only: put the "
                         "character into a group, as in (?:x)*, or write its bytes as \\xHH");
}

static bool at_quantifier(const reader *r)
{
    const int c = reader_peek(r, 0);
    return c == '?' || c == '*' || c == '+' || c == '{';
}

/* A multi-byte character: its bytes one after the other, with no quantifier. */
static int parse_character(parser *p, series *s, size_t length)
{
    int status = TRAWL_OK;
    for (; status == TRAWL_OK && length > 0; length--, p->r->at++) {
        byte_class set = { { 0 } };
        class_add(&set, p->r->text[p->r->at]);
        status = append_set(p, s, &set, p->r->at);
    }
    return status == TRAWL_OK && at_quantifier(p->r) ? reject_repeated_character(p) : status;
}

static int parse_element(parser *p, series *s)
{
    const size_t at = p->r->at, length = p->r->dialect ? 0 : reader_utf8_length(p->r);
    if (length)
        return parse_character(p, s, length);
    byte_class set;
    const int status = reader_set(p->r, &set);
    return status == TRAWL_OK ? repeat_set(p, s, &set, at) : status;
}

/* \Q..\E, or \Q up to the end: a quantifier after it repeats its last byte. */
static int parse_quote(parser *p, series *s)
{
    reader *r = p->r;
    int status = TRAWL_OK;
    for (r->at += 2; status == TRAWL_OK && r->at < r->length && !reader_at(r, "\\E");) {
        const size_t at = r->at;
        const uint8_t byte = r->text[r->at++];
        byte_class set = { { 0 } };
        class_add(&set, byte);
        status = class_settle(r->flags, at, false, &set, r->error);
        if (status != TRAWL_OK || !reader_at(r, "\\E")) {
            status = status == TRAWL_OK ? append_set(p, s, &set, at) : status;
            continue;
        }
        r->at += 2;
        return at_quantifier(r) && byte >= 0x80 ? reject_repeated_character(p)
                                                : repeat_set(p, s, &set, at);
    }
    r->at += reader_at(r, "\\E") ? 2 : 0;
    return status;
}

/* \R: what ends a line on any system, \r\n before \r alone. */
static int parse_line_end(parser *p, series *s)
{
    static const char pair[] = "\r\n";
    const size_t at = p->r->at;
    expression *x = p->x;
    byte_class any = { { 0 } };
    class_add_range(&any, '\n', '\r');
    int status = class_settle(p->r->flags, at, false, &any, p->r->error);
    series ends = { .whole = expression_add(x, NODE_CHOICE, at) }, both = { .whole = NULL };
    p->r->at += 2;
    if (status == TRAWL_OK && class_has(&any, '\n'))
        both.whole = expression_add(x, NODE_SEQUENCE, at);
    if (!ends.whole || (!both.whole && class_has(&any, '\n')))
        return x->status;
    for (size_t i = 0; status == TRAWL_OK && both.whole && i < 2; i++) {
        byte_class set = { { 0 } };
        class_add(&set, (uint8_t)pair[i]);
        status = append_set(p, &both, &set, at);
    }
    if (both.whole)
        append(&ends, both.whole);
    if (status == TRAWL_OK)
        status = append_set(p, &ends, &any, at);
    return status == TRAWL_OK ? repeat_node(p, s, ends.whole) : status;
}

/* ---- conditions ------------------------------------------------------------------------ */

enum {
    PRIORS_ANY = (1u << PRIORS) - 1,
    PRIORS_WORD = 1u << PRIOR_WORD,
    PRIORS_LINE = 1u << PRIOR_BEGIN | 1u << PRIOR_LINE,
    NEXTS_WORD = 1u << NEXT_WORD,
    NEXTS_LINE = 1u << NEXT_END | 1u << NEXT_LINE | 1u << NEXT_LAST,
    NEXTS_LAST = 1u << NEXT_END | 1u << NEXT_LAST
};

/* What the condition asks for that the byte `kind` tells apart (reader_condition). */
static condition condition_kind(char kind, bool lines)
{
    const condition begins = condition_of(PRIORS_ANY & ~PRIORS_WORD, NEXTS_WORD);
    const condition ends = condition_of(PRIORS_WORD, NEXT_ANY & ~NEXTS_WORD);
    switch (kind) {
    case '^':
        return condition_of(lines ? PRIORS_LINE : 1u << PRIOR_BEGIN, NEXT_ANY);
    case '$':
        return condition_of(PRIORS_ANY, lines ? NEXTS_LINE : NEXTS_LAST);
    case 'Z':
        return condition_of(PRIORS_ANY, NEXTS_LAST);
    case 'z':
        return condition_of(PRIORS_ANY, 1u << NEXT_END);
    case 'b':
        return begins | ends;
    case 'B':
        return CONDITION_ANY & ~(begins | ends);
    case '<':
        return begins;
    case '>':
        return ends;
    default: /* \A, and \G, since every search begins with the text */
        return condition_of(1u << PRIOR_BEGIN, NEXT_ANY);
    }
}

static int parse_condition(parser *p, series *s, char kind, size_t length)
{
    const condition asks = condition_kind(kind, (p->r->modes & MODE_LINES) != 0);
    if (s->last && s->last->kind == NODE_CONDITION) {
        s->last->asks &= asks;
    } else {
        node *n = expression_add(p->x, NODE_CONDITION, p->r->at);
        if (!n)
            return p->x->status;
        n->asks = asks;
        append(s, n);
    }
    p->r->at += length;
    return TRAWL_OK;
}

/* ---- groups ---------------------------------------------------------------------------- */

/* What other languages write after "(?", or "(", and why it is refused. */
static const struct refusal {
    const char *begin, *advice;
} refused_groups[] = {
    { "(?=", "lookahead is not supported: write what follows as a part of the pattern, or \\b, \\> "
             "or $ where it asks for a border" },
    { "(?!", "lookahead is not supported: write a class of what may follow, as in foo[^b], or \\B, "
             "\\b or $ where it asks for a border" },
    { "(?<=", "lookbehind is not supported: write what precedes as a part of the pattern, or \\b, "
              "\\< or ^ where it asks for a border" },
    { "(?<!", "lookbehind is not supported: write a class of what may precede, as in [^a]foo, or "
              "\\b, \\B or ^ where it asks for a border" },
    { "(?|", "groups that share their numbers are not supported: write (?: )" },
    { "(?P=", "back-references are not supported: write out what repeats" },
    { "(?(", "conditional groups are not supported: write both cases as alternatives, each with "
             "its condition" },
    { "(?C", "callouts are not supported: remove it" },
    { "(?R", "recursion is not supported: write the levels out that may occur" },
    { "(?P>", "recursion is not supported: write out what the group holds" },
    { "(?&", "recursion is not supported: write out what the group holds" },
    { "(*", "verbs as (*UTF8) are not supported: remove it, or write [(] for the byte" },
};

/* Whether (?1), (?+1) or (?-1) stands here. */
static bool at_recursion(const reader *r)
{
    const int c = reader_peek(r, 2), next = reader_peek(r, 3);
    return (c >= '0' && c <= '9') || ((c == '+' || c == '-') && next >= '0' && next <= '9');
}

static int refuse_group(parser *p)
{
    for (size_t i = 0; i < sizeof refused_groups / sizeof *refused_groups; i++)
        if (reader_at(p->r, refused_groups[i].begin))
            return reader_reject(p->r, p->r->at, refused_groups[i].advice);
    if (reader_at(p->r, "(?") && at_recursion(p->r))
        return reader_reject(p->r, p->r->at,
                             "recursion is not supported: write out what the group holds");
    return TRAWL_OK;
}

/* The name in (?<name>, (?P<name> or (?'name', which begins at r->at. */
static int parse_name(reader *r, size_t open, int end)
{
    const size_t begin = r->at;
    while (is_name_byte(reader_peek(r, 0)))
        r->at++;
    const bool digit = r->at > begin && r->text[begin] >= '0' && r->text[begin] <= '9';
    if (r->at == begin || digit || reader_peek(r, 0) != end)
        return reader_reject(r, open,
                             "malformed name of a group: write letters, digits and _, no digit "
                             "first, as in (?<name> )");
    r->at++;
    return TRAWL_OK;
}

static void turn(reader *r, uint32_t mode, bool on)
{
    r->modes = on ? r->modes | mode : r->modes & ~mode;
}

/* The letters of (?i-s) or (?i-s: up to the ')' or ':'. */
static int parse_flags(reader *r, size_t open)
{
    bool on = true;
    for (;; r->at++) {
        switch (reader_peek(r, 0)) {
        case 'i':
            r->flags = on ? r->flags | TRAWL_NOCASE : r->flags & ~(uint32_t)TRAWL_NOCASE;
            break;
        case 's':
            turn(r, MODE_DOT_ALL, on);
            break;
        case 'm':
            turn(r, MODE_LINES, on);
            break;
        case 'x':
            turn(r, MODE_SPACED, on);
            break;
        case '-':
            if (!on)
                return reader_reject(r, open, "a second '-' among the flags: remove it");
            on = false;
            break;
        case ')':
        case ':':
            return TRAWL_OK;
        case -1:
            return reader_reject(r, open,
                                 "unmatched '(': close it with ')', or write [(] for the "
                                 "byte");
        default:
            return reader_reject(r, r->at,
                                 "unknown flag: those of a group are i, s, m and x, as in (?i) or "
                                 "(?s-m: ); \\( is the byte");
        }
    }
}

/* Read what a group opens with. *alone: it was a flag without a group. */
static int parse_opening(parser *p, bool *alone, bool *atomic)
{
    reader *r = p->r;
    const size_t open = r->at;
    const int status = refuse_group(p);
    *alone = *atomic = false;
    if (status != TRAWL_OK)
        return status;
    r->at++;
    if (reader_peek(r, 0) != '?')
        return TRAWL_OK;
    r->at++;
    const int c = reader_peek(r, 0);
    if (c == '>') {
        r->at++;
        *atomic = true;
        return TRAWL_OK;
    }
    if (c == '<' || c == '\'' || reader_at(r, "P<")) {
        r->at += c == 'P' ? 2 : 1;
        return parse_name(r, open, c == '\'' ? '\'' : '>');
    }
    p->x->flagged |= c != ':';
    const int found = parse_flags(r, open);
    if (found != TRAWL_OK)
        return found;
    *alone = r->text[r->at++] == ')';
    return TRAWL_OK;
}

static int parse_group(parser *p, series *s)
{
    reader *r = p->r;
    const size_t open = r->at;
    const uint32_t flags = r->flags, modes = r->modes;
    bool alone, atomic;
    int status = parse_opening(p, &alone, &atomic);
    if (status != TRAWL_OK || alone)
        return status;
    if (++p->depth > EXPRESSION_MAX_DEPTH)
        return fail(r->error, TRAWL_ERROR_LIMIT, open,
                    "groups are more than %u deep: write fewer within each other",
                    EXPRESSION_MAX_DEPTH);
    node *n;
    status = parse_choice(p, &n);
    if (status != TRAWL_OK)
        return status;
    if (r->at == r->length)
        return reader_reject(r, open,
                             "unmatched '(': close it with ')', or write [(] for the byte");
    p->depth--;
    r->at++;
    r->flags = flags;
    r->modes = modes;
    n->at = n->mark = open;
    n->atomic = atomic;
    p->x->atomic |= atomic;
    return repeat_node(p, s, n);
}

/* ---- the whole ------------------------------------------------------------------------- */

static int parse_sequence(parser *p, node **made)
{
    reader *r = p->r;
    series s = { .whole = *made = expression_add(p->x, NODE_SEQUENCE, r->at) };
    int status = s.whole ? skip(r) : p->x->status;
    while (status == TRAWL_OK && r->at < r->length && r->text[r->at] != '|') {
        size_t length;
        const int c = r->text[r->at];
        const char kind = reader_condition(r, &length);
        if (kind) {
            status = parse_condition(p, &s, kind, length);
        } else if (r->dialect) {
            status = parse_element(p, &s);
        } else if (c == ')') {
            break;
        } else if (c == '(') {
            status = parse_group(p, &s);
        } else if (reader_at(r, "\\Q")) {
            status = parse_quote(p, &s);
        } else if (reader_at(r, "\\E")) {
            r->at += 2;
        } else if (reader_at(r, "\\R")) {
            status = parse_line_end(p, &s);
        } else {
            status = parse_element(p, &s);
        }
        if (status == TRAWL_OK)
            status = skip(r);
    }
    return status;
}

static int parse_choice(parser *p, node **made)
{
    const size_t begin = p->r->at;
    int status = parse_sequence(p, made);
    if (status != TRAWL_OK || reader_peek(p->r, 0) != '|')
        return status;
    node *one = *made;
    series s = { .whole = *made = expression_add(p->x, NODE_CHOICE, begin) };
    if (!s.whole)
        return p->x->status;
    append(&s, one);
    while (status == TRAWL_OK && reader_peek(p->r, 0) == '|') {
        p->r->at++;
        status = parse_sequence(p, &one);
        if (status == TRAWL_OK)
            append(&s, one);
    }
    return status;
}

int expression_parse(expression *x, reader *r, bool one)
{
    parser p = { .x = x, .r = r };
    const int status = one ? parse_sequence(&p, &x->root) : parse_choice(&p, &x->root);
    if (status == TRAWL_OK && !one && r->at < r->length)
        return reader_reject(r, r->at,
                             "unmatched ')': put a '(' before it, or write [)] for the byte");
    return status;
}
