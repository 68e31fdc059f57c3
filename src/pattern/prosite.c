/* prosite.c: PROSITE's patterns of amino acids, such as <C-x(2,4)-[ST]-{P}-[G>].
 *
 * Idea: the elements of the extended syntax in another dress, over the letters A to Z.
 *
 *     pattern = "<"? element ("-"? element)* ">"? "."?
 *     element = (letter | "x" | "[" "<"? letter+ ">"? "]" | "{" letter+ "}") repeat?
 *     repeat  = "(" n ")" | "(" n "," m ")" | "*"
 *
 * "<" and ">" are the begin and the end of a line or of the text, as ^ and $ are. In the class of
 * the last element, ">" is an alternative to its letters: the pattern without that element, at the
 * end. So is "<" in the class of the first element, at the begin. So there are up to four
 * alternatives; the bits of an alternative's number say which of the two elements stand for their
 * border.
 * Invariant: a set holds only letters, in both cases (TRAWL_NOCASE is implied): x is a residue,
 * never a newline or a gap.
 * Cost: O(length) time for each alternative.
 */
#include <string.h>

#include "pattern/border.h"
#include "pattern/elements.h"
#include "pattern/syntax.h"

enum { NOTHING = -1 }; /* after the last byte */

typedef struct parser {
    const uint8_t *text;
    size_t length;
    size_t at; /* the next byte to read */
    uint32_t flags;
    bool borders[2]; /* "<" stands in the class of the first element, ">" in that of the last */
    bool chosen[2];  /* this alternative is the one with the border */
    elements elements;
    trawl_error *error;
} parser;

enum { FIRST, LAST };

static int reject(parser *p, size_t offset, const char *advice)
{
    return fail(p->error, TRAWL_ERROR_PATTERN, offset, "%s", advice);
}

/* The next byte that is no space. Patterns may be broken into lines. */
static int peek(parser *p)
{
    while (p->at < p->length && p->text[p->at] && strchr(" \t\r\n", p->text[p->at]))
        p->at++;
    return p->at < p->length ? p->text[p->at] : NOTHING;
}

/* The letter in upper case, or 0. */
static unsigned letter(int c)
{
    if (c >= 'a' && c <= 'z')
        return (unsigned)c - 32;
    return c >= 'A' && c <= 'Z' ? (unsigned)c : 0;
}

/* ---- repeats --------------------------------------------------------------- */

static bool read_number(parser *p, uint32_t *number)
{
    bool any = false;
    for (*number = 0; peek(p) >= '0' && peek(p) <= '9'; p->at++, any = true)
        if (*number <= PATTERN_MAX_STATES)
            *number = *number * 10 + (uint32_t)(peek(p) - '0');
    return any;
}

static int read_counts(parser *p, uint32_t *min, uint32_t *max)
{
    const size_t open = p->at++;
    bool fine = read_number(p, min);
    *max = *min;
    if (fine && peek(p) == ',') {
        p->at++;
        fine = read_number(p, max);
    }
    if (!fine || peek(p) != ')')
        return reject(p, open, "malformed repeat: write (n) or (n,m), as in x(2,4)");
    p->at++;
    if (*max == 0)
        return reject(p, open, "a repeat of zero matches nothing: remove the element");
    if (*min > *max)
        return reject(p, open, "the repeat is reversed: write the smaller number first");
    return TRAWL_OK;
}

static int read_repeat(parser *p, uint32_t *min, uint32_t *max)
{
    *min = *max = 1;
    if (peek(p) == '(')
        return read_counts(p, min, max);
    if (peek(p) == '*') {
        p->at++;
        *min = 0;
        *max = REPEAT_UNBOUNDED;
    }
    return TRAWL_OK;
}

/* ---- elements -------------------------------------------------------------- */

/* Read what is between the brackets, except a border. */
static int read_letters(parser *p, int close, byte_class *set)
{
    const size_t open = p->at++;
    bool any = false;
    for (int c = peek(p); c != close; c = peek(p)) {
        const bool first = c == '<' && p->elements.out->length == 0 && !p->borders[FIRST];
        const bool last = c == '>' && !p->borders[LAST];
        if (c == NOTHING)
            return fail(p->error, TRAWL_ERROR_PATTERN, open, "unmatched '%c': close it with '%c'",
                        p->text[open], close);
        if (close == ']' && (first || last))
            p->borders[last ? LAST : FIRST] = true;
        else if (letter(c))
            class_add(set, letter(c));
        else
            return reject(p, p->at,
                          "between brackets stand the letters of amino acids; besides, '<' in the "
                          "class that comes first, '>' in the one that comes last, once");
        any = any || letter(c);
        p->at++;
    }
    p->at++;
    if (!any)
        return reject(p, open,
                      "no letter stands between the brackets: write those of amino acids, as "
                      "[ST] or {P}; x is any of them");
    return TRAWL_OK;
}

static void invert_letters(byte_class *set)
{
    byte_class all = { { 0 } };
    class_add_range(&all, 'A', 'Z');
    for (int i = 0; i < 4; i++)
        set->bits[i] = all.bits[i] & ~set->bits[i];
}

static int read_set(parser *p, byte_class *set)
{
    const int c = peek(p);
    int status = TRAWL_OK;
    if (c == '[' || c == '{')
        status = read_letters(p, c == '[' ? ']' : '}', set);
    else if (c == '(')
        return reject(p, p->at,
                      "'(' stands after an element, for a repeat, as in x(2,4): one of several "
                      "letters is written [DE]");
    else if (!letter(c))
        return reject(p, p->at,
                      "an element is a letter, x, [letters] or {letters}, with (n), (n,m) or * "
                      "after it; '<' stands before the first one, '>' and '.' after the last");
    else
        p->at++;
    if (c == '{' || letter(c) == 'X')
        invert_letters(set);
    else if (letter(c))
        class_add(set, letter(c));
    return status;
}

/* Whether a border stands for the element; those in `before` were read before it. If so, the border
 * is asked for. */
static bool is_border(parser *p, const bool *before)
{
    bool left_out = false;
    for (int side = FIRST; side <= LAST; side++) {
        if (before[side] == p->borders[side] || !p->chosen[side])
            continue;
        pattern *out = p->elements.out;
        border_add(side == FIRST ? &out->before : &out->after, line_border(0), true);
        left_out = true;
    }
    return left_out;
}

static int read_element(parser *p)
{
    const size_t start = p->at;
    const bool before[2] = { p->borders[FIRST], p->borders[LAST] };
    byte_class set = { { 0 } };
    uint32_t min, max;
    if (before[LAST])
        return reject(p, start, "a class with '>' in it is the last element: nothing follows it");
    int status = read_set(p, &set);
    if (status == TRAWL_OK)
        status = class_settle(p->flags, start, false, &set, p->error);
    if (status == TRAWL_OK)
        status = read_repeat(p, &min, &max);
    if (status != TRAWL_OK)
        return status;
    if ((before[FIRST] != p->borders[FIRST] || before[LAST] != p->borders[LAST]) &&
        (min != 1 || max != 1))
        return reject(p, start, "a class with '<' or '>' in it cannot be repeated");
    if (is_border(p, before))
        return TRAWL_OK;
    return elements_append(&p->elements, start, &set, min, max);
}

/* ---- the whole pattern ----------------------------------------------------- */

static int read_elements(parser *p)
{
    int status = TRAWL_OK;
    bool more = true;
    if (p->length > 5 && memcmp(p->text, "PA   ", 5) == 0)
        return reject(p, 0, "this is a line of a PROSITE file: leave its 'PA' out");
    if (peek(p) == '<') {
        border_add(&p->elements.out->before, line_border(0), true);
        p->at++;
    }
    while (status == TRAWL_OK && more) {
        peek(p);
        status = read_element(p);
        const int c = status == TRAWL_OK ? peek(p) : NOTHING;
        if (c == '-')
            p->at++;
        more = c != NOTHING && c != '>' && c != '.';
    }
    if (status == TRAWL_OK && peek(p) == '>') {
        border_add(&p->elements.out->after, line_border(0), true);
        p->at++;
    }
    if (status == TRAWL_OK && peek(p) == '.')
        p->at++;
    if (status == TRAWL_OK && peek(p) != NOTHING)
        status = reject(p, p->at,
                        "the pattern ended before: '>' and '.' stand after the last "
                        "element");
    return status;
}

/* A match has at least one byte, so a single element that repeats, as in <{C}*>, does so once or
 * more. */
static int require_byte(parser *p)
{
    pattern *out = p->elements.out;
    if (out->length == 0)
        return reject(p, 0,
                      "the pattern matches no residue without the class of the border: put "
                      "an element beside it");
    if (!p->elements.required && out->length > 1)
        return reject(p, 0,
                      "the pattern can match without any residue, and so everywhere: let an "
                      "element occur once at least");
    if (!p->elements.required)
        out->elements[0].min = 1;
    return TRAWL_OK;
}

int parse_prosite(memory *m, const trawl_pattern *src, size_t *next, pattern *out,
                  trawl_error *error)
{
    const size_t number = *next;
    parser p = { .text = src->text,
                 .length = src->length,
                 .flags = src->flags,
                 .chosen = { (number & 1) != 0, (number & 2) != 0 },
                 .elements = { .memory = m, .out = out, .error = error },
                 .error = error };
    int status = read_elements(&p);
    if (status == TRAWL_OK)
        status = require_byte(&p);
    if (status != TRAWL_OK)
        return status;
    const size_t borders = (size_t)p.borders[FIRST] | (size_t)p.borders[LAST] << 1;
    size_t following = number + 1; /* the next number whose bits are among those of the borders */
    while (following < 4 && (following & ~borders))
        following++;
    *next = following < 4 ? following : LAST_ONE;
    return elements_settle(&p.elements);
}
