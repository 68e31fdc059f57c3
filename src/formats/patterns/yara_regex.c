/* yara_regex.c: YARA's regular expressions in the extended syntax.
 *
 * Idea: recursive descent that writes as it reads. Both languages have the same groups,
 * alternatives and repeats, so these are copied. What they spell in different ways is written as
 * sets of bytes and as \A and \z: the flags of the expression are in the sets. In the wide form
 * each byte is followed by a zero, and what a repeat applies to is the group of both.
 *
 * Lazy repeats are written as greedy ones, since starts of matches are the same.
 * Left out, with a reason: \b and \B in the wide form. What the library refuses its caller sees.
 * Cost: O(length) time and space; recursion as deep as groups, DEEPEST at most.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/patterns/yara.h"
#include "formats/sources/grow.h"

#define DEEPEST 64u /* groups within each other */
#define UNBOUNDED UINT32_MAX
#define HIGHEST 100000000u /* number that is told from higher ones */

typedef struct set {
    uint64_t bits[4];
} set;

/* How long the matches of a part are. */
typedef struct extent {
    uint64_t length;
    bool varies; /* and then length says nothing */
} extent;

typedef struct parser {
    const char *at, *end;
    const yara_regex *regex;
    char *made; /* the expression so far */
    size_t length, room;
    const char *why;
    bool failed; /* *why, or memory */
} parser;

static bool refuse(parser *p, const char *why)
{
    if (!p->failed)
        p->why = why;
    p->failed = true;
    return false;
}

/* ---- sets of bytes -------------------------------------------------------------- */

static void set_add(set *s, unsigned byte)
{
    s->bits[byte / 64] |= (uint64_t)1 << byte % 64;
}

static bool set_has(const set *s, unsigned byte)
{
    return s->bits[byte / 64] >> byte % 64 & 1;
}

static void set_invert(set *s)
{
    for (int i = 0; i < 4; i++)
        s->bits[i] = ~s->bits[i];
}

/* Letters in both cases. */
static void set_fold(set *s)
{
    for (unsigned c = 'a'; c <= 'z'; c++)
        if (set_has(s, c) || set_has(s, c - 32)) {
            set_add(s, c);
            set_add(s, c - 32);
        }
}

static void set_range(set *s, unsigned low, unsigned high)
{
    for (; low <= high; low++)
        set_add(s, low);
}

/* \w \s \d and their complements; false: it is none of these. */
static bool set_named(set *s, char name)
{
    set named = { { 0 } };
    switch (name | 32) {
    case 'w':
        set_range(&named, 'a', 'z');
        set_range(&named, 'A', 'Z');
        set_add(&named, '_');
        set_range(&named, '0', '9');
        break;
    case 'd':
        set_range(&named, '0', '9');
        break;
    case 's':
        set_range(&named, '\t', '\r');
        set_add(&named, ' ');
        break;
    default:
        return false;
    }
    if (!(name & 32))
        set_invert(&named);
    for (int i = 0; i < 4; i++)
        s->bits[i] |= named.bits[i];
    return true;
}

/* The byte that an escape stands for, after its backslash; moves after it. */
static unsigned escaped(parser *p)
{
    static const char names[] = "ntrfa", bytes[] = "\n\t\r\f\a";
    const char c = *p->at++;
    const char *found = c ? strchr(names, c) : NULL;
    if (c == 'x' && p->end - p->at >= 2 && hex_digit(p->at[0]) >= 0 && hex_digit(p->at[1]) >= 0) {
        p->at += 2;
        return (unsigned)(hex_digit(p->at[-2]) * 16 + hex_digit(p->at[-1]));
    }
    return found ? (uint8_t)bytes[found - names] : (uint8_t)c;
}

/* A byte of a class, or a named set, which is added: -1. */
static int class_item(parser *p, set *s)
{
    if (*p->at != '\\' || p->at + 1 == p->end)
        return (uint8_t)*p->at++;
    p->at++;
    if (set_named(s, *p->at)) {
        p->at++;
        return -1;
    }
    return (int)escaped(p);
}

/* What stands after [. */
static bool read_class(parser *p, set *s)
{
    const bool inverted = p->at < p->end && *p->at == '^';
    p->at += inverted;
    const char *first = p->at;
    while (p->at < p->end && (*p->at != ']' || p->at == first)) {
        const int low = class_item(p, s);
        int high = low;
        if (low >= 0 && p->end - p->at >= 2 && p->at[0] == '-' && p->at[1] != ']') {
            p->at++;
            high = class_item(p, s);
            if (high < low)
                return refuse(p, "a range in a class goes backwards");
        }
        if (low >= 0)
            set_range(s, (unsigned)low, (unsigned)high);
    }
    if (p->at++ >= p->end)
        return refuse(p, "a class is not closed");
    if (p->regex->nocase)
        set_fold(s);
    if (inverted)
        set_invert(s);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- what is written -------------------------------------------------------------- */

static void put(parser *p, const char *what)
{
    const size_t length = strlen(what);
    if (!p->failed && !grow_array(&p->made, p->length + length, &p->room, 1))
        refuse(p, NULL);
    if (p->failed || !length)
        return;
    memcpy(p->made + p->length, what, length);
    p->length += length;
}

static void put_byte(parser *p, unsigned byte)
{
    const char *hex = "0123456789abcdef";
    const char escape[] = { '\\', 'x', hex[byte >> 4], hex[byte & 15], '\0' };
    put(p, escape);
}

/* The only byte of a set; -1: it has none, or more. */
static int only_byte(const set *s)
{
    int only = -1;
    for (int word = 0; word < 4; word++) {
        const uint64_t bits = s->bits[word];
        if (!bits)
            continue;
        if (only >= 0 || bits & (bits - 1))
            return -1;
        for (only = 64 * word; !(bits >> only % 64 & 1);)
            only++;
    }
    return only;
}

static void put_set(parser *p, const set *s)
{
    const int only = only_byte(s);
    if (only >= 0) {
        put_byte(p, (unsigned)only);
        return;
    }
    put(p, "[");
    for (unsigned c = 0, last; c < 256; c = last + 1) {
        for (last = c; last < 255 && set_has(s, c) && set_has(s, last + 1);)
            last++;
        if (!set_has(s, c))
            continue;
        put_byte(p, c);
        if (last > c)
            put(p, "-");
        if (last > c)
            put_byte(p, last);
    }
    put(p, "]");
}

static void put_repeat(parser *p, uint32_t low, uint32_t high)
{
    char repeat[32];
    if (low == 1 && high == 1)
        return;
    if (high == UNBOUNDED)
        snprintf(repeat, sizeof repeat, "{%u,}", (unsigned)low);
    else
        snprintf(repeat, sizeof repeat, "{%u,%u}", (unsigned)low, (unsigned)high);
    put(p, repeat);
}

/* ---- expressions ----------------------------------------------------------------- */

/* The digits at *at, or `number` where there are none. A number above all limits stays above them.
 */
static uint32_t read_number(const char **at, const char *end, uint32_t number)
{
    if (*at == end || !is_digit(**at))
        return number;
    for (number = 0; *at < end && is_digit(**at); ++*at)
        number = number < HIGHEST ? number * 10 + (uint32_t)(**at - '0') : HIGHEST;
    return number;
}

/* {n}, {n,}, {,m}, {n,m} or {,}. False: it is none, and so plain bytes. */
static bool read_bounds(parser *p, uint32_t *low, uint32_t *high)
{
    const char *at = p->at + 1;
    const bool digits = at < p->end && is_digit(*at);
    const uint32_t least = read_number(&at, p->end, 0);
    const bool comma = at < p->end && *at == ',';
    at += comma;
    const uint32_t most = comma ? read_number(&at, p->end, UNBOUNDED) : least;
    if ((!digits && !comma) || at == p->end || *at != '}')
        return false;
    p->at = at + 1;
    *low = least;
    *high = most;
    return true;
}

/* A repeat after an element or group. */
static bool read_repeat(parser *p, uint32_t *low, uint32_t *high)
{
    const char c = p->at < p->end ? *p->at : 0;
    *low = *high = 1;
    if (c == '*' || c == '+' || c == '?') {
        p->at++;
        *low = c == '+';
        *high = c == '?' ? 1 : UNBOUNDED;
    } else if (c != '{' || !read_bounds(p, low, high)) {
        return true;
    }
    p->at += p->at < p->end && *p->at == '?';
    return *low <= *high || refuse(p, "a repeat is reversed: the smaller number comes first");
}

/* Add a part that is repeated to what stands before it. */
static void extend(extent *whole, extent part, uint32_t low, uint32_t high)
{
    whole->length += part.length * low;
    whole->varies |= part.varies || low != high || whole->length > HIGHEST;
    if (whole->varies)
        whole->length = 0;
}

static bool read_alternatives(parser *p, extent *whole, unsigned depth);

static bool read_group(parser *p, extent *whole, unsigned depth)
{
    const size_t begin = p->length;
    extent group;
    uint32_t low, high;
    if (depth == DEEPEST)
        return refuse(p, "groups are too deep");
    put(p, "(?:");
    if (!read_alternatives(p, &group, depth + 1))
        return false;
    if (p->at == p->end || *p->at++ != ')')
        return refuse(p, "a group is not closed");
    put(p, ")");
    if (!read_repeat(p, &low, &high))
        return false;
    if (high == 0) {
        p->length = begin;
        return true;
    }
    put_repeat(p, low, high);
    extend(whole, group, low, high);
    return true;
}

/* ^ $ \b \B. False: it is none. */
static bool read_condition(parser *p)
{
    const char c = *p->at, next = p->end - p->at > 1 ? p->at[1] : 0;
    const bool word = c == '\\' && (next == 'b' || next == 'B');
    if (c != '^' && c != '$' && !word)
        return false;
    p->at += word ? 2 : 1;
    if (word && p->regex->wide)
        refuse(p, "\\b of characters of two bytes");
    put(p, c == '^' ? "\\A" : c == '$' ? "\\z" : next == 'b' ? "\\b" : "\\B");
    return true;
}

/* The set of bytes that an element stands for. */
static bool read_set(parser *p, set *s)
{
    const char c = *p->at++;
    if (c == '[')
        return read_class(p, s);
    if (c == '*' || c == '+' || c == '?')
        return refuse(p, "a repeat stands after nothing, or after another one");
    if (c == '.') {
        set_invert(s);
        if (!p->regex->dot_all)
            s->bits[0] &= ~((uint64_t)1 << '\n');
    } else if (c != '\\' || p->at == p->end || !set_named(s, *p->at)) {
        set_add(s, c == '\\' && p->at < p->end ? escaped(p) : (uint8_t)c);
        if (p->regex->nocase)
            set_fold(s);
    } else {
        p->at++;
    }
    return true;
}

static bool read_element(parser *p, extent *whole)
{
    set s = { { 0 } };
    uint32_t low, high;
    if (*p->at == '{' && read_bounds(p, &low, &high))
        return refuse(p, "a repeat stands after nothing, or after another one");
    if (!read_set(p, &s) || !read_repeat(p, &low, &high))
        return false;
    if (!(s.bits[0] | s.bits[1] | s.bits[2] | s.bits[3]))
        return refuse(p, "a class has no byte");
    if (high == 0)
        return true;
    const bool group = p->regex->wide && (low != 1 || high != 1);
    put(p, group ? "(?:" : "");
    put_set(p, &s);
    put(p, p->regex->wide ? "\\x00" : "");
    put(p, group ? ")" : "");
    put_repeat(p, low, high);
    extend(whole, (extent){ .length = 1 }, low, high);
    return true;
}

/* Up to a bar, a closing parenthesis or the end. */
static bool read_row(parser *p, extent *whole, unsigned depth)
{
    *whole = (extent){ .length = 0 };
    while (!p->failed && p->at < p->end && *p->at != '|' && *p->at != ')') {
        if (*p->at == '(') {
            p->at++;
            read_group(p, whole, depth);
        } else if (!read_condition(p)) {
            read_element(p, whole);
        }
    }
    return !p->failed;
}

static bool read_alternatives(parser *p, extent *whole, unsigned depth)
{
    if (!read_row(p, whole, depth))
        return false;
    while (p->at < p->end && *p->at == '|') {
        extent other;
        p->at++;
        put(p, "|");
        if (!read_row(p, &other, depth))
            return false;
        whole->varies |= other.varies || other.length != whole->length;
    }
    return true;
}

char *yara_regex_pattern(pattern_set *set, yara_regex *r, size_t *length, const char **why)
{
    parser p = { .at = r->text, .end = r->text + r->length, .regex = r };
    extent whole;
    char *made = NULL;
    if (read_alternatives(&p, &whole, 0) && p.at < p.end)
        refuse(&p, "a parenthesis closes nothing");
    if (!p.failed && !p.length)
        refuse(&p, "it matches what has no bytes");
    if (!p.failed) {
        r->one_length = !whole.varies;
        *length = p.length;
        made = pattern_set_room(set, p.length);
        if (made)
            memcpy(made, p.made, p.length);
    }
    free(p.made);
    *why = p.why;
    return made;
}
