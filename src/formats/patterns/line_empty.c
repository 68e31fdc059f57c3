/* line_empty.c: see line_empty.h.
 *
 * Idea. A place of a line is of one of nine kinds: left and right of it the border of the line, a
 * byte of a word, or another one. Which kinds an empty match may have follows from the conditions
 * beside it, and each kind is a pattern: that of a place between a blank and a letter \W\w. The
 * other matches of x*y? are those of x+y?|y, where one element after the other is the first that is
 * there. Groups are treated alike, from the outermost one inwards: those of (x*|y)* are
 * (x+|y)(x*|y)*. What comes before that first one matches nothing, but its conditions stay: those
 * of (^|x)y? are x y?|^y.
 *
 * Cost: what is written grows with the square of a row of parts that may all vanish, times the
 * depth of the groups around it, up to MAX_WRITTEN.
 */
#include "formats/patterns/line_empty.h"

#include <ctype.h>
#include <inttypes.h>
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

/* What a pattern or a part of it matches. */
typedef struct nature {
    bool vanishes;  /* nothing, */
    unsigned kinds; /* at places of these kinds; */
    bool takes;     /* one byte or more */
} nature;

#define NO_MAXIMUM UINT32_MAX
#define MAX_REPEAT 100000u /* a greater one is left to the library */
#define MAX_DEPTH 250u     /* groups within each other */
#define MAX_WRITTEN (1u << 20)

/* A condition, or an element or a group with its repeat. */
typedef struct part {
    size_t begin, atom_end, end; /* in the text: the repeat is between the latter two */
    size_t inner, inner_end;     /* of a group: what its parentheses hold; else 0 */
    uint32_t min, max;           /* max may be NO_MAXIMUM */
    bool condition;
    nature atom;  /* without the repeat, */
    nature whole; /* and with it */
} part;

static bool read_choice(reader *r, unsigned depth, nature *n);

static int peek(const reader *r, size_t ahead)
{
    return r->at + ahead < r->length ? (unsigned char)r->text[r->at + ahead] : -1;
}

/* The condition here; 0: none. */
static char condition_at(const reader *r, size_t *length)
{
    const int c = peek(r, 0), next = peek(r, 1);
    *length = c == '\\' ? 2 : 1;
    if (c == '^' || c == '$')
        return (char)c;
    return (char)(c == '\\' && next > 0 && strchr("bB<>", next) ? next : 0);
}

/* The length of the escape here, which stands for one element; 0: it is not known. */
static size_t escape_length(const reader *r)
{
    const int next = peek(r, 1);
    size_t length = next == 'x' ? 4 : next == 'c' ? 3 : 2;
    if (next < 0 || strchr("QEAzZG`'", next))
        return 0;
    if ((next == 'x' || next == 'o') && peek(r, 2) == '{') {
        const char *close = memchr(r->text + r->at, '}', r->length - r->at);
        return close ? (size_t)(close - r->text) + 1 - r->at : 0;
    }
    while (next >= '0' && next <= '7' && length < 4 && peek(r, length) >= '0' &&
           peek(r, length) <= '7')
        length++;
    return length;
}

/* Pass over a class, an escape or a byte. False: it is none. */
static bool skip_element(reader *r)
{
    const int c = peek(r, 0);
    size_t length = 1;
    if (c < 0 || strchr("()|{?*+", c))
        return false;
    if (c == '[') {
        const size_t end = pattern_class_end(r->text, r->length, r->at);
        length = end < r->length ? end + 1 - r->at : 0;
    } else if (c == '\\') {
        length = escape_length(r);
    }
    if (length == 0 || length > r->length - r->at)
        return false;
    r->at += length;
    return true;
}

/* Pass over what a group opens with. False: it is not a group, or an atomic one, or its flags are
 * others than that of case. */
static bool skip_opening(reader *r)
{
    size_t length = 1;
    if (peek(r, 1) == '?') {
        const int c = peek(r, 2);
        const bool named = c == '<' || c == '\'' || (c == 'P' && peek(r, 3) == '<');
        length = c == 'P' ? 4 : named ? 3 : 2;
        for (int n; named && (n = peek(r, length)) > 0 && (n == '_' || isalnum(n));)
            length++;
        while (!named && (peek(r, length) == 'i' || peek(r, length) == '-'))
            length++;
        if (peek(r, length++) != (!named ? ':' : c == '\'' ? '\'' : '>'))
            return false;
    }
    r->at += length;
    return true;
}

/* Pass over digits. False: they are no number that a repeat may have. */
static bool skip_number(reader *r, uint32_t *value)
{
    const size_t begin = r->at;
    for (*value = 0; peek(r, 0) >= '0' && peek(r, 0) <= '9' && *value <= MAX_REPEAT; r->at++)
        *value = *value * 10 + (uint32_t)(peek(r, 0) - '0');
    return r->at > begin && *value <= MAX_REPEAT;
}

static bool skip_braces(reader *r, part *p)
{
    r->at++;
    const bool open = peek(r, 0) == ',';
    p->min = 0;
    if (!open && !skip_number(r, &p->min))
        return false;
    p->max = p->min;
    if (peek(r, 0) == ',') {
        r->at++;
        p->max = NO_MAXIMUM;
        if ((open || peek(r, 0) != '}') && !skip_number(r, &p->max))
            return false;
    }
    return peek(r, 0) == '}' && p->max > 0 && p->min <= p->max;
}

/* Pass over a repeat, if there is one; a lazy one has the same matches. False: it is not well
 * formed, or possessive. */
static bool skip_repeat(reader *r, part *p)
{
    const int c = peek(r, 0);
    p->min = c == '?' || c == '*' ? 0 : 1;
    p->max = c == '*' || c == '+' ? NO_MAXIMUM : 1;
    if (c == '{' && !skip_braces(r, p))
        return false;
    if (c != '{' && c != '?' && c != '*' && c != '+')
        return true;
    r->at++;
    r->at += peek(r, 0) == '?';
    return peek(r, 0) != '+';
}

/* Read one part. False: it is not known. */
static bool read_part(reader *r, unsigned depth, part *p)
{
    size_t length;
    const char kind = condition_at(r, &length);
    *p = (part){ .begin = r->at, .min = 1, .max = 1, .condition = kind != 0 };
    if (kind) {
        p->atom = p->whole = (nature){ true, kinds_of(kind), false };
        p->atom_end = p->end = r->at += length;
        return true;
    }
    p->atom = (nature){ false, 0, true };
    if (peek(r, 0) == '(') {
        if (depth == MAX_DEPTH || !skip_opening(r))
            return false;
        p->inner = r->at;
        if (!read_choice(r, depth + 1, &p->atom) || peek(r, 0) != ')')
            return false;
        p->inner_end = r->at++;
    } else if (!skip_element(r)) {
        return false;
    }
    p->atom_end = r->at;
    if (!skip_repeat(r, p))
        return false;
    p->end = r->at;
    p->whole = p->min ? p->atom : (nature){ true, ALL_KINDS, p->atom.takes };
    return true;
}

/* Read up to a '|', or the ')' of a group, or the end. */
static bool read_sequence(reader *r, unsigned depth, nature *n)
{
    *n = (nature){ true, ALL_KINDS, false };
    while (r->at < r->length && peek(r, 0) != '|' && (depth == 0 || peek(r, 0) != ')')) {
        part p;
        if (!read_part(r, depth, &p))
            return false;
        n->vanishes &= p.whole.vanishes;
        n->kinds &= p.whole.kinds;
        n->takes |= p.whole.takes;
    }
    return true;
}

static bool read_choice(reader *r, unsigned depth, nature *n)
{
    *n = (nature){ false, 0, false };
    for (;; r->at++) {
        nature one;
        if (!read_sequence(r, depth, &one))
            return false;
        n->vanishes |= one.vanishes;
        n->kinds |= one.kinds;
        n->takes |= one.takes;
        if (peek(r, 0) != '|')
            return true;
    }
}

/* ---- writing patterns ------------------------------------------------------ */

/* What is read here was read before, so it is known. */
typedef struct writer {
    const char *from; /* the pattern, from which it writes */
    char *text;       /* NULL: it is only counted */
    size_t length;    /* nothing more is written above MAX_WRITTEN */
} writer;

static void put_present(writer *w, size_t begin, size_t end);
static void put_nothing(writer *w, size_t begin, size_t end);

static void put(writer *w, const char *text, size_t length)
{
    if (w->length > MAX_WRITTEN)
        return;
    if (w->text && length)
        memcpy(w->text + w->length, text, length);
    w->length += length;
}

static void put_range(writer *w, size_t begin, size_t end)
{
    put(w, w->from + begin, end - begin);
}

/* An element or a group, `min` to `max` times. */
static void put_times(writer *w, const part *p, uint32_t min, uint32_t max)
{
    char repeat[32] = "";
    if (max == 0)
        return;
    if (max == NO_MAXIMUM)
        snprintf(repeat, sizeof repeat, "{%" PRIu32 ",}", min);
    else if (min != 1 || max != 1)
        snprintf(repeat, sizeof repeat, "{%" PRIu32 ",%" PRIu32 "}", min, max);
    put_range(w, p->begin, p->atom_end);
    put(w, repeat, strlen(repeat));
}

/* One less of a repeat's bounds. */
static uint32_t less(uint32_t times, uint32_t by)
{
    return times == NO_MAXIMUM ? times : times > by ? times - by : 0;
}

/* A group, of which nothing is matched. */
static void put_group_nothing(writer *w, const part *p)
{
    if (p->atom.kinds == ALL_KINDS)
        return;
    put_range(w, p->begin, p->inner);
    put_nothing(w, p->inner, p->inner_end);
    put(w, ")", 1);
}

static void put_group_present(writer *w, const part *p)
{
    put_range(w, p->begin, p->inner);
    put_present(w, p->inner, p->inner_end);
    put(w, ")", 1);
}

/* The part, of which something is matched. If what is repeated may vanish, some repeat is the first
 * one that does not: the first of all, or one after others that vanish. */
static void put_part_present(writer *w, const part *p)
{
    if (!p->atom.vanishes) {
        put_times(w, p, p->min ? p->min : 1, p->max);
        return;
    }
    put(w, "(?:", 3);
    put_group_present(w, p);
    put_times(w, p, less(p->min, 1), less(p->max, 1));
    if (p->min > 1) {
        put(w, "|", 1);
        put_group_nothing(w, p);
        put_group_present(w, p);
        put_times(w, p, 0, less(p->max, 2));
    }
    put(w, ")", 1);
}

/* The alternatives of text[begin .. end) that match nothing, as conditions. */
static void put_nothing(writer *w, size_t begin, size_t end)
{
    bool first = true;
    for (reader r = { w->from, end, begin }; r.at <= end && w->length <= MAX_WRITTEN; r.at++) {
        reader again = r;
        nature n;
        read_sequence(&r, 0, &n);
        if (!n.vanishes)
            continue;
        if (!first)
            put(w, "|", 1);
        first = false;
        while (again.at < r.at) {
            part p;
            read_part(&again, 0, &p);
            if (p.condition)
                put_range(w, p.begin, p.end);
            else if (p.min > 0)
                put_group_nothing(w, &p);
        }
    }
}

/* A sequence that may vanish, as alternatives: one part after the other is the first that does
 * not. */
static void put_sequence_present(writer *w, size_t begin, size_t end, bool *first)
{
    for (reader r = { w->from, end, begin }; r.at < end && w->length <= MAX_WRITTEN;) {
        part p;
        read_part(&r, 0, &p);
        if (!p.whole.takes)
            continue;
        if (!*first)
            put(w, "|", 1);
        *first = false;
        if (p.begin > begin)
            put_nothing(w, begin, p.begin);
        put_part_present(w, &p);
        put_range(w, p.end, end);
    }
}

/* All matches of text[begin .. end) that are not empty. */
static void put_present(writer *w, size_t begin, size_t end)
{
    bool first = true;
    for (reader r = { w->from, end, begin }; r.at <= end && w->length <= MAX_WRITTEN; r.at++) {
        const size_t from = r.at;
        nature n;
        read_sequence(&r, 0, &n);
        if (n.vanishes) {
            put_sequence_present(w, from, r.at, &first);
            continue;
        }
        if (!first)
            put(w, "|", 1);
        first = false;
        put_range(w, from, r.at);
    }
}

/* ---- the line is the text ---------------------------------------------------- */

/* The flags here, up to their ')' or ':', without -m, which would make of ^ the begin of the text:
 * (?s-m) is written (?sm-). Returns where they end. */
static size_t keep_lines(char *text, size_t length, size_t at)
{
    const size_t begin = at;
    while (at < length && text[at] && strchr("imsx-", text[at]))
        at++;
    if (at == length || (text[at] != ')' && text[at] != ':'))
        return at;
    char *minus = memchr(text + begin, '-', at - begin), *m;
    while (minus && (m = memchr(minus, 'm', (size_t)(text + at - minus))) != NULL) {
        memmove(minus + 1, minus, (size_t)(m - minus));
        *minus++ = 'm';
    }
    return at;
}

static size_t find_quote_end(const char *text, size_t length, size_t at)
{
    while (at + 1 < length && (text[at] != '\\' || text[at + 1] != 'E'))
        at++;
    return at + 1;
}

/* Write \A, \G, \z, \Z and their kin as ^^ and $$, which are as long, so that columns stay. */
static void write_borders(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char next = i + 1 < length ? text[i + 1] : '\0';
        const bool comment = i + 2 < length && text[i + 2] == '#';
        if (text[i] == '[') {
            i = pattern_class_end(text, length, i);
        } else if (text[i] == '(' && next == '?') {
            const char *close = comment ? memchr(text + i, ')', length - i) : NULL;
            i = close     ? (size_t)(close - text)
                : comment ? length
                          : keep_lines(text, length, i + 2) - 1;
        } else if (text[i] == '\\' && next == 'Q') {
            i = find_quote_end(text, length, i + 2);
        } else if (text[i] == '\\' && next) {
            const bool begin = strchr("AG`", next) != NULL;
            if (begin || strchr("zZ'", next))
                text[i] = text[i + 1] = begin ? '^' : '$';
            i++;
        }
    }
}

/* ---- the set ----------------------------------------------------------------- */

static bool has_escape_or_flags(const char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == '\\' || (text[i] == '(' && text[i + 1] == '?'))
            return true;
    return false;
}

/* The line is the text: put a pattern that says so in its place. */
static bool settle_borders(pattern_set *set, trawl_pattern *p)
{
    if (!has_escape_or_flags(p->text, p->length))
        return true;
    char *copy = pattern_set_room(set, p->length);
    if (!copy)
        return false;
    memcpy(copy, p->text, p->length);
    write_borders(copy, p->length);
    p->text = copy;
    return true;
}

/* Put what a pattern matches besides nothing in its place. Its length is 0 then if that is all that
 * it matches. One that is not known, or too long then, is left to the library, which takes it if it
 * matches one byte at least, and else says what is wrong with it. */
static bool divide(pattern_set *set, trawl_pattern *p, unsigned *kinds)
{
    reader r = { p->text, p->length, 0 };
    writer w = { .from = p->text };
    nature n;
    if (!read_choice(&r, 0, &n) || !n.vanishes)
        return true;
    put_present(&w, 0, p->length);
    if (w.length > MAX_WRITTEN)
        return true;
    *kinds |= n.kinds & kinds_under(p->flags);
    w.text = pattern_set_room(set, w.length);
    if (!w.text)
        return false;
    w.length = 0;
    put_present(&w, 0, p->length);
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
            divided =
                settle_borders(set, &set->patterns[i]) && divide(set, &set->patterns[i], &kinds);
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
