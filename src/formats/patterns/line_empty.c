/* line_empty.c: see line_empty.h.
 *
 * Idea. A place of a line is of one of nine kinds: left and right of it the border of the line, a
 * byte of a word, or another one. Which kinds an empty match may have follows from the conditions
 * beside it, and each kind is a pattern: that of a place between a blank and a letter \W\w. The
 * other matches of x*y? are those of x+y?|y, where one element after the other is the first that is
 * there.
 */
#include "formats/patterns/line_empty.h"

#include <stdio.h>
#include <string.h>

#include "formats/patterns/entries.h"

enum { EDGE, WORD, OTHER, SIDES };
#define ALL_KINDS 0x1ffu

static unsigned kind_of(unsigned left, unsigned right)
{
    return 1u << (left * SIDES + right);
}

static bool fits_condition(char condition, unsigned left, unsigned right)
{
    switch (condition) {
    case '^':
        return left == EDGE;
    case '$':
        return right == EDGE;
    case 'b':
        return (left == WORD) != (right == WORD);
    case 'B':
        return (left == WORD) == (right == WORD);
    case '<':
        return left != WORD && right == WORD;
    default:
        return left == WORD && right != WORD;
    }
}

static unsigned kinds_of(char condition)
{
    unsigned kinds = 0;
    for (unsigned left = 0; left < SIDES; left++)
        for (unsigned right = 0; right < SIDES; right++)
            kinds |= fits_condition(condition, left, right) ? kind_of(left, right) : 0u;
    return kinds;
}

/* The kinds that the flags of a pattern leave. */
static unsigned kinds_under(uint32_t flags)
{
    unsigned kinds = flags & TRAWL_WHOLE_LINES ? kind_of(EDGE, EDGE) : ALL_KINDS;
    if (flags & TRAWL_WORDS)
        kinds &= ~(kinds_of('b') | kind_of(WORD, WORD));
    return kinds;
}

/* ---- reading patterns ----------------------------------------------------- */

size_t pattern_class_end(const char *text, size_t length, size_t at)
{
    at += at + 1 < length && text[at + 1] == '^' ? 2 : 1;
    for (const size_t first = at; at < length && (text[at] != ']' || at == first); at++) {
        const size_t left = length - at;
        const char *close = left > 3 && text[at] == '[' && text[at + 1] == ':'
                                ? memchr(text + at + 3, ']', left - 3)
                                : NULL;
        if (text[at] == '\\')
            at++;
        else if (close && close > text + at + 3 && close[-1] == ':') /* [:name:] */
            at = (size_t)(close - text);
    }
    return at < length ? at : length;
}

typedef struct reader {
    const char *text;
    size_t length, at;
} reader;

/* An alternative of a pattern: text[begin .. first) are the conditions before it, [first .. behind)
 * its elements, [behind .. end) the conditions after it. */
typedef struct alternative {
    size_t begin, first, behind, end;
    size_t elements;
    bool known;      /* it was understood; */
    bool may_vanish; /* and all of its elements may be left out */
    unsigned kinds;  /* of places, by its conditions */
} alternative;

static int peek(const reader *r, size_t ahead)
{
    return r->at + ahead < r->length ? (unsigned char)r->text[r->at + ahead] : -1;
}

/* The condition here, \A and \z as ^ and $; 0: none. */
static char condition_at(const reader *r, size_t *length)
{
    const int c = peek(r, 0), next = peek(r, 1);
    *length = c == '\\' ? 2 : 1;
    if (c == '^' || c == '$')
        return (char)c;
    if (c != '\\' || next <= 0 || !strchr("bB<>Az`'", next))
        return 0;
    return (char)(strchr("A`", next) ? '^' : strchr("z'", next) ? '$' : next);
}

static unsigned read_conditions(reader *r)
{
    unsigned kinds = ALL_KINDS;
    size_t length;
    for (char c; (c = condition_at(r, &length)) != 0; r->at += length)
        kinds &= kinds_of(c);
    return kinds;
}

/* Pass over a class, an escape or a byte. False: it is none. */
static bool skip_atom(reader *r)
{
    const int c = peek(r, 0), next = peek(r, 1);
    size_t length = 1;
    if (c < 0 || strchr("()|{?*+", c))
        return false;
    if (c == '[') {
        const size_t end = pattern_class_end(r->text, r->length, r->at);
        length = end < r->length ? end + 1 - r->at : r->length;
    } else if (c == '\\') {
        length = next == 'x' ? 4 : 2;
        while (next >= '0' && next <= '7' && length < 4 && peek(r, length) >= '0' &&
               peek(r, length) <= '7')
            length++;
    }
    if (length > r->length - r->at)
        return false;
    r->at += length;
    return true;
}

static size_t count_digits(const reader *r, size_t ahead)
{
    size_t count = 0;
    while (peek(r, ahead + count) >= '0' && peek(r, ahead + count) <= '9')
        count++;
    return count;
}

/* Pass over a repeat, if there is one. *from_zero: the element may be left out. False: it is not
 * well formed. */
static bool skip_repeat(reader *r, bool *from_zero)
{
    const int c = peek(r, 0);
    size_t length = 1;
    *from_zero = c == '?' || c == '*';
    if (c == '{') {
        const size_t low = count_digits(r, 1);
        const bool comma = peek(r, 1 + low) == ',';
        length = 1 + low + comma;
        length += comma ? count_digits(r, length) : 0;
        *from_zero = strspn(r->text + r->at + 1, "0") >= low;
        if (peek(r, length++) != '}')
            return false;
    }
    r->at += c == '{' || c == '?' || c == '*' || c == '+' ? length : 0;
    return true;
}

static bool skip_element(reader *r, bool *from_zero)
{
    *from_zero = false;
    return skip_atom(r) && skip_repeat(r, from_zero);
}

/* The alternative here; it ends before a '|' or with the pattern, or is not known. */
static alternative read_alternative(reader *r)
{
    alternative a = { .begin = r->at, .known = true, .may_vanish = true };
    size_t length;
    a.kinds = read_conditions(r);
    a.first = a.behind = r->at;
    while (a.known && r->at < r->length && peek(r, 0) != '|' && !condition_at(r, &length)) {
        bool from_zero;
        a.known = skip_element(r, &from_zero);
        a.may_vanish &= from_zero;
        a.elements++;
        a.behind = r->at;
    }
    a.kinds &= read_conditions(r);
    a.end = r->at;
    a.known &= r->at == r->length || peek(r, 0) == '|';
    return a;
}

/* ---- writing patterns ------------------------------------------------------ */

typedef struct writer {
    char *text; /* NULL: it is only counted */
    size_t length;
} writer;

static void put(writer *w, const char *text, size_t length)
{
    if (w->text && length)
        memcpy(w->text + w->length, text, length);
    w->length += length;
}

/* Conditions, \A and \z as ^ and $. */
static void put_conditions(writer *w, const char *text, size_t begin, size_t end)
{
    reader r = { text, end, begin };
    size_t length;
    for (char c; (c = condition_at(&r, &length)) != 0; r.at += length)
        put(w, c == '^' || c == '$' ? &c : text + r.at, c == '^' || c == '$' ? 1 : length);
}

/* The element at r, once at least: x+ of x*. */
static void put_present(writer *w, reader *r)
{
    const size_t begin = r->at;
    bool from_zero = false;
    skip_atom(r);
    const size_t repeat = r->at;
    skip_repeat(r, &from_zero);
    put(w, r->text + begin, repeat - begin);
    if (r->at == repeat)
        return;
    const char *comma = memchr(r->text + repeat, ',', r->at - repeat);
    if (r->text[repeat] == '*' || (comma && comma[1] == '}')) {
        put(w, "+", 1);
    } else if (comma) {
        put(w, "{1", 2);
        put(w, comma, (size_t)(r->text + r->at - comma));
    } else if (r->text[repeat] == '{') { /* {0}, which the library refuses */
        put(w, r->text + repeat, r->at - repeat);
    }
}

static void put_alternative(writer *w, const char *text, const alternative *a, size_t from)
{
    reader r = { text, a->behind, from };
    if (w->length)
        put(w, "|", 1);
    put_conditions(w, text, a->begin, a->first);
    if (a->may_vanish)
        put_present(w, &r);
    put(w, text + r.at, a->behind - r.at);
    put_conditions(w, text, a->behind, a->end);
}

/* All of a pattern's alternatives without their empty matches. False: one is not known. */
static bool put_pattern(writer *w, const trawl_pattern *p, unsigned *kinds, bool *changed)
{
    reader r = { p->text, p->length, 0 };
    for (;; r.at++) {
        const alternative a = read_alternative(&r);
        reader from = { p->text, a.behind, a.first };
        if (!a.known)
            return false;
        if (a.may_vanish) {
            *kinds |= a.kinds;
            bool from_zero;
            for (; from.at < a.behind; skip_element(&from, &from_zero))
                put_alternative(w, p->text, &a, from.at);
        } else {
            put_alternative(w, p->text, &a, a.first);
        }
        *changed |= a.may_vanish;
        if (r.at == r.length) {
            *changed |= w->length != p->length; /* ^ is shorter than \A */
            return true;
        }
    }
}

/* ---- the set ----------------------------------------------------------------- */

/* Put what a pattern matches besides nothing in its place. Its length is 0 then if that is all that
 * it matches. */
static bool divide(pattern_set *set, trawl_pattern *p, unsigned *kinds)
{
    writer w = { NULL, 0 };
    unsigned of_it = 0;
    bool changed = false;
    if (!put_pattern(&w, p, &of_it, &changed))
        return true; /* the library says what is wrong with it */
    *kinds |= of_it & kinds_under(p->flags);
    if (!changed)
        return true;
    w.text = pattern_set_room(set, w.length);
    if (!w.text)
        return false;
    w.length = 0;
    put_pattern(&w, p, &of_it, &changed);
    p->text = w.text;
    p->length = w.length;
    return true;
}

/* A line that holds such a place. */
static bool append_place(pattern_set *set, unsigned left, unsigned right, uint32_t nuls)
{
    static const char *const lefts[] = { "^", "\\w", "\\W" };
    static const char *const rights[] = { "$", "\\w", "\\W" };
    const bool empty = left == EDGE && right == EDGE;
    char text[8];
    snprintf(text, sizeof text, "%s%s", lefts[left], !empty ? rights[right] : nuls ? "\\0" : "\\n");
    const size_t length = strlen(text);
    char *kept = pattern_set_room(set, length);
    if (!kept || !pattern_set_append(set, memcpy(kept, text, length), length, NULL, 0))
        return false;
    trawl_pattern *p = &set->patterns[set->count - 1];
    p->syntax = TRAWL_SYNTAX_EXTENDED;
    p->flags = empty ? nuls : TRAWL_LINES | nuls;
    p->id = NO_PIECE;
    return true;
}

/* Whether every line has such a place: the empty one, and the others at their begin or end. */
static bool is_everywhere(unsigned kinds)
{
    const unsigned begins = kind_of(EDGE, WORD) | kind_of(EDGE, OTHER);
    const unsigned ends = kind_of(WORD, EDGE) | kind_of(OTHER, EDGE);
    return kinds & kind_of(EDGE, EDGE) && (!(begins & ~kinds) || !(ends & ~kinds));
}

bool line_empty_settle(pattern_set *set, uint32_t syntax, uint32_t flags)
{
    unsigned kinds = set->has_empty ? kinds_under(flags) : 0;
    size_t kept = 0;
    bool divided = true;
    for (size_t i = 0; divided && i < set->count; i++) {
        if (syntax == TRAWL_SYNTAX_EXTENDED)
            divided = divide(set, &set->patterns[i], &kinds);
        set->origins[kept] = set->origins[i];
        set->patterns[kept] = set->patterns[i];
        kept += set->patterns[i].length > 0;
    }
    set->count = divided ? kept : set->count;
    set->has_empty = is_everywhere(kinds);
    for (unsigned k = 0; divided && !set->has_empty && k < SIDES * SIDES; k++)
        if (kinds >> k & 1)
            divided = append_place(set, k / SIDES, k % SIDES, flags & TRAWL_NULS);
    return divided;
}

bool line_empty_some(const pattern_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->patterns[i].id == NO_PIECE)
            return true;
    return false;
}
