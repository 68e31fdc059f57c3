/* yara_regex.c: YARA's regular expressions in the extended syntax.
 *
 * Idea: recursive descent. An expression is a list of alternatives, each a row of elements, which
 * are sets of bytes with repeats. A group is written out: what stood before it is continued with
 * each of its alternatives. In the wide form each byte is followed by a zero; there a repeat that
 * may vary is written out as well, for a repeat of two bytes is none of ours.
 *
 * Left out, with a reason: more than MOST alternatives, repeats of groups but for ? and {n}, and
 * conditions that do not stand at an end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/patterns/yara.h"
#include "formats/sources/grow.h"

#define MOST 1024u          /* alternatives */
#define MAX_ELEMENTS 65536u /* in all of them */
#define DEEPEST 64u         /* groups within each other */
#define UNBOUNDED UINT32_MAX
#define HIGHEST 100000000u /* number that is told from higher ones */

typedef struct set {
    uint64_t bits[4];
} set;

typedef struct element {
    set bytes;
    uint32_t low, high;
} element;

/* An alternative. What it asks for beside it: "" or a condition of the extended syntax. */
typedef struct row {
    const char *before, *behind;
    element *elements;
    size_t count, room;
} row;

typedef struct rows {
    row *rows;
    size_t count, room;
} rows;

typedef struct parser {
    const char *at, *end;
    const yara_regex *regex;
    size_t elements; /* in all rows */
    const char *why;
    bool failed; /* *why, or memory */
} parser;

/* ---- lists ------------------------------------------------------------------------ */

static bool refuse(parser *p, const char *why)
{
    if (!p->failed)
        p->why = why;
    p->failed = true;
    return false;
}

static void rows_free(parser *p, rows *list)
{
    for (size_t i = 0; i < list->count; i++) {
        p->elements -= list->rows[i].count;
        free(list->rows[i].elements);
    }
    free(list->rows);
    *list = (rows){ .rows = NULL };
}

static bool add_element(parser *p, row *to, const element *e)
{
    if (p->elements == MAX_ELEMENTS)
        return refuse(p, "it is too long, its groups written out");
    if (!grow_array(&to->elements, to->count + 1, &to->room, sizeof *to->elements))
        return refuse(p, NULL);
    to->elements[to->count++] = *e;
    p->elements++;
    return true;
}

static bool add_row(parser *p, rows *to, const row *like)
{
    if (to->count == MOST)
        return refuse(p, "its groups have more than 1024 choices");
    if (!grow_array(&to->rows, to->count + 1, &to->room, sizeof *to->rows))
        return refuse(p, NULL);
    to->rows[to->count++] = (row){ .before = like->before, .behind = like->behind };
    bool fine = true;
    for (size_t i = 0; fine && i < like->count; i++)
        fine = add_element(p, &to->rows[to->count - 1], &like->elements[i]);
    return fine;
}

static bool add_rows(parser *p, rows *to, const rows *like)
{
    bool fine = true;
    for (size_t i = 0; fine && i < like->count; i++)
        fine = add_row(p, to, &like->rows[i]);
    return fine;
}

/* Continue a row with another one, whose conditions must come to stand at its ends. */
static bool continue_row(parser *p, row *to, const row *with)
{
    if ((*with->before && to->count) || (*to->behind && with->count) ||
        (*with->before && *to->before) || (*with->behind && *to->behind))
        return refuse(p, "a condition (^ $ \\b \\B) stands within it");
    if (*with->before)
        to->before = with->before;
    if (*with->behind)
        to->behind = with->behind;
    bool fine = true;
    for (size_t i = 0; fine && i < with->count; i++)
        fine = add_element(p, to, &with->elements[i]);
    return fine;
}

/* Continue each row with each of the others. */
static bool multiply(parser *p, rows *to, const rows *with)
{
    bool fine = true;
    if (with->count == 1) {
        for (size_t i = 0; fine && i < to->count; i++)
            fine = continue_row(p, &to->rows[i], &with->rows[0]);
        return fine;
    }
    rows made = { .rows = NULL };
    for (size_t i = 0; fine && i < to->count; i++)
        for (size_t k = 0; fine && k < with->count; k++)
            fine = add_row(p, &made, &to->rows[i]) &&
                   continue_row(p, &made.rows[made.count - 1], &with->rows[k]);
    rows_free(p, to);
    *to = made;
    return fine;
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

/* Behind [. */
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

/* A repeat after an element or group; what is lazy is none, for starts are the same. */
static void read_repeat(parser *p, uint32_t *low, uint32_t *high)
{
    const char c = p->at < p->end ? *p->at : 0;
    *low = *high = 1;
    if (c == '*' || c == '+' || c == '?') {
        p->at++;
        *low = c == '+';
        *high = c == '?' ? 1 : UNBOUNDED;
    } else if (c != '{' || !read_bounds(p, low, high)) {
        return;
    }
    p->at += p->at < p->end && *p->at == '?';
}

static bool read_alternatives(parser *p, rows *to, unsigned depth);

/* A group was read: its repeat, and what it continues. */
static bool repeat_group(parser *p, rows *to, rows *group)
{
    static const row nothing = { "", "", NULL, 0, 0 };
    uint32_t low, high;
    read_repeat(p, &low, &high);
    if (high == 1 && low == 0)
        return add_row(p, group, &nothing) && multiply(p, to, group);
    if (low != high || !low)
        return refuse(p, "a group is repeated: only ? and {n} are read behind one");
    if (low > MAX_ELEMENTS / 16)
        return refuse(p, "a group is repeated too often");
    bool fine = true;
    for (uint32_t i = 0; fine && i < low; i++)
        fine = multiply(p, to, group);
    return fine;
}

static bool read_group(parser *p, rows *to, unsigned depth)
{
    rows group = { .rows = NULL };
    bool fine = depth < DEEPEST || refuse(p, "groups are too deep");
    fine = fine && read_alternatives(p, &group, depth + 1);
    if (fine && (p->at == p->end || *p->at++ != ')'))
        fine = refuse(p, "a group is not closed");
    fine = fine && repeat_group(p, to, &group);
    rows_free(p, &group);
    return fine;
}

/* ^ $ \b \B, which end up before a row that is empty so far, or after one. False: it is none. */
static bool read_condition(parser *p, rows *to)
{
    const char c = *p->at, next = p->end - p->at > 1 ? p->at[1] : 0;
    const bool word = c == '\\' && (next == 'b' || next == 'B');
    if (c != '^' && c != '$' && !word)
        return false;
    const char *text = c == '^' ? "\\A" : c == '$' ? "\\z" : next == 'b' ? "\\b" : "\\B";
    p->at += word ? 2 : 1;
    if (word && p->regex->wide)
        return refuse(p, "\\b of characters of two bytes");
    for (size_t i = 0; !p->failed && i < to->count; i++) {
        row *r = &to->rows[i];
        const char **side = r->count ? &r->behind : &r->before;
        if (**side || (c == '^' && r->count) || (c == '$' && !r->count))
            refuse(p, "a condition (^ $ \\b \\B) stands within it");
        *side = text;
    }
    return true;
}

static bool read_element(parser *p, rows *to)
{
    element e = { .low = 1, .high = 1 };
    if (*p->at == '{' && read_bounds(p, &e.low, &e.high))
        return refuse(p, "a repeat stands behind nothing, or behind another one");
    const char c = *p->at++;
    if (c == '[') {
        if (!read_class(p, &e.bytes))
            return false;
    } else if (c == '.') {
        set_invert(&e.bytes);
        if (!p->regex->dot_all)
            e.bytes.bits[0] &= ~((uint64_t)1 << '\n');
    } else if (c == '*' || c == '+' || c == '?') {
        return refuse(p, "a repeat stands behind nothing, or behind another one");
    } else if (c != '\\' || p->at == p->end || !set_named(&e.bytes, *p->at)) {
        set_add(&e.bytes, c == '\\' && p->at < p->end ? escaped(p) : (uint8_t)c);
        if (p->regex->nocase)
            set_fold(&e.bytes);
    } else {
        p->at++;
    }
    read_repeat(p, &e.low, &e.high);
    if (e.low > e.high)
        return refuse(p, "a repeat is reversed: the smaller number comes first");
    row one = { "", "", &e, 1, 1 };
    const rows with = { &one, 1, 1 };
    return e.high == 0 || multiply(p, to, &with);
}

/* Up to a bar, a closing parenthesis or the end. */
static bool read_row(parser *p, rows *to, unsigned depth)
{
    static const row nothing = { "", "", NULL, 0, 0 };
    if (!add_row(p, to, &nothing))
        return false;
    while (!p->failed && p->at < p->end && *p->at != '|' && *p->at != ')') {
        if (*p->at == '(') {
            p->at++;
            read_group(p, to, depth);
        } else if (!read_condition(p, to)) {
            read_element(p, to);
        }
    }
    return !p->failed;
}

static bool read_alternatives(parser *p, rows *to, unsigned depth)
{
    bool more = true;
    while (more && !p->failed) {
        rows part = { .rows = NULL };
        if (read_row(p, &part, depth))
            add_rows(p, to, &part);
        rows_free(p, &part);
        more = p->at < p->end && *p->at == '|';
        p->at += more;
    }
    return !p->failed;
}

/* ---- the wide form ---------------------------------------------------------------- */

/* A row with zeros after its bytes: repeats that vary are written out, so it may become many. */
static bool widen_row(parser *p, const row *from, rows *to)
{
    static const set zero = { { 1 } };
    rows made = { .rows = NULL };
    const row head = { from->before, "", NULL, 0, 0 };
    bool fine = add_row(p, &made, &head);
    for (size_t i = 0; fine && i < from->count; i++) {
        const element *e = &from->elements[i];
        element pair[2] = { { e->bytes, 1, 1 }, { zero, 1, 1 } };
        const row one = { "", "", pair, 2, 2 };
        rows choices = { .rows = NULL };
        const row nothing = { "", "", NULL, 0, 0 };
        if (e->high == UNBOUNDED || e->high - e->low > 64)
            fine = refuse(p, "a repeat of more than 64 lengths of characters of two bytes");
        for (uint32_t n = e->low; fine && n <= e->high; n++) {
            fine = add_row(p, &choices, &nothing);
            for (uint32_t k = 0; fine && k < n; k++)
                fine = continue_row(p, &choices.rows[choices.count - 1], &one);
        }
        fine = fine && multiply(p, &made, &choices);
        rows_free(p, &choices);
    }
    for (size_t i = 0; i < made.count; i++)
        made.rows[i].behind = from->behind;
    fine = fine && add_rows(p, to, &made);
    rows_free(p, &made);
    return fine;
}

static bool widen(parser *p, rows *list)
{
    rows made = { .rows = NULL };
    bool fine = true;
    for (size_t i = 0; fine && i < list->count; i++)
        fine = widen_row(p, &list->rows[i], &made);
    rows_free(p, list);
    *list = made;
    return fine;
}

/* ---- as text ----------------------------------------------------------------------- */

typedef struct text {
    char *bytes; /* NULL: only the length is wanted */
    size_t length;
} text;

static void put(text *t, const char *what)
{
    const size_t length = strlen(what);
    if (t->bytes)
        memcpy(t->bytes + t->length, what, length);
    t->length += length;
}

static void put_byte(text *t, unsigned byte)
{
    const char *hex = "0123456789abcdef";
    const char escape[] = { '\\', 'x', hex[byte >> 4], hex[byte & 15], '\0' };
    put(t, escape);
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

static void put_set(text *t, const set *s)
{
    const int only = only_byte(s);
    if (only >= 0) {
        put_byte(t, (unsigned)only);
        return;
    }
    put(t, "[");
    for (unsigned c = 0, last; c < 256; c = last + 1) {
        for (last = c; last < 255 && set_has(s, c) && set_has(s, last + 1);)
            last++;
        if (!set_has(s, c))
            continue;
        put_byte(t, c);
        if (last > c)
            put(t, "-");
        if (last > c)
            put_byte(t, last);
    }
    put(t, "]");
}

static void put_repeat(text *t, const element *e)
{
    char repeat[32];
    if (e->low == 1 && e->high == 1)
        return;
    if (e->high == UNBOUNDED)
        snprintf(repeat, sizeof repeat, "{%u,}", (unsigned)e->low);
    else
        snprintf(repeat, sizeof repeat, "{%u,%u}", (unsigned)e->low, (unsigned)e->high);
    put(t, repeat);
}

static size_t write_rows(const rows *list, char *bytes)
{
    text t = { bytes, 0 };
    for (size_t i = 0; i < list->count; i++) {
        const row *r = &list->rows[i];
        put(&t, i ? "|" : "");
        put(&t, r->before);
        for (size_t k = 0; k < r->count; k++) {
            put_set(&t, &r->elements[k].bytes);
            put_repeat(&t, &r->elements[k]);
        }
        put(&t, r->behind);
    }
    return t.length;
}

static bool has_one_length(const rows *list)
{
    uint64_t first = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint64_t length = 0;
        for (size_t k = 0; k < list->rows[i].count; k++) {
            const element *e = &list->rows[i].elements[k];
            if (e->low != e->high)
                return false;
            length += e->low;
        }
        first = i ? first : length;
        if (length != first)
            return false;
    }
    return true;
}

/* What cannot be said in the extended syntax, and is left to us to see. */
static bool can_write(parser *p, const rows *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const row *r = &list->rows[i];
        if (!r->count)
            return refuse(p, "it matches what has no bytes");
        for (size_t k = 0; k < r->count; k++) {
            const uint64_t *b = r->elements[k].bytes.bits;
            if (!(b[0] | b[1] | b[2] | b[3]))
                return refuse(p, "a class has no byte");
        }
    }
    return true;
}

char *yara_regex_pattern(pattern_set *set, yara_regex *r, size_t *length, const char **why)
{
    parser p = { .at = r->text, .end = r->text + r->length, .regex = r };
    rows list = { .rows = NULL };
    char *made = NULL;
    bool fine = read_alternatives(&p, &list, 0);
    if (fine && p.at < p.end)
        fine = refuse(&p, "a parenthesis closes nothing");
    fine = fine && (!r->wide || widen(&p, &list)) && can_write(&p, &list);
    if (fine) {
        r->one_length = has_one_length(&list);
        *length = write_rows(&list, NULL);
        made = pattern_set_room(set, *length);
        if (made)
            write_rows(&list, made);
    }
    rows_free(&p, &list);
    *why = fine ? NULL : p.why;
    return made;
}
