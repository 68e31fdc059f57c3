/* hex.c: bytes in hexadecimal with wildcards, as in YARA's hex strings and ClamAV's signatures:
 * 4D 5A ?? [4-6] ( 50 45 | 4? ) 00
 *
 *     pattern  = sequence | "{" sequence "}"
 *     sequence = (byte | jump | group)+
 *     byte     = "~"? nibble nibble,  nibble = a hexadecimal digit or "?"
 *     jump     = "[" n "]" | "[" n? "-" m? "]", the same in braces, or "*": n to m of any byte
 *     group    = "!"? "(" sequence ("|" sequence)* ")"
 *
 * Blanks and comments of C may stand between them. "~" and "!" mean all bytes but those. A jump
 * stands between bytes; but "{n}" is n bytes "??", and may stand anywhere, as in ClamAV's
 * signatures.
 *
 * Idea: a group whose alternatives are single bytes is a class. Others are expanded: the pattern
 * has an alternative for each choice, up to MAX_CHOICES. Choices are numbered: a number divided by
 * the count of choices of the first group leaves a remainder that says which of these it is, and a
 * quotient that says so for the groups after it. Only the number is kept from one alternative to
 * the next.
 * Cost: for each alternative twice the length times the depth of its groups.
 */
#include <string.h>

#include "pattern/elements.h"
#include "pattern/syntax.h"

#define MAX_CHOICES 1024
#define DEEPEST 16 /* groups in groups */

typedef struct parser {
    const uint8_t *text;
    size_t end;
    size_t at;
    uint32_t flags;
    bool counting;      /* choices are counted, no elements are made */
    uint32_t any, most; /* how often "any byte" is to come before the next element */
    unsigned depth;
    elements elements;
    trawl_error *error;
} parser;

static int reject(parser *p, size_t offset, const char *advice)
{
    return fail(p->error, TRAWL_ERROR_PATTERN, offset, "%s", advice);
}

/* ---- what stands at a place ------------------------------------------------ */

static bool is_at(const parser *p, const char *word)
{
    const size_t length = strlen(word);
    return p->end - p->at >= length && memcmp(p->text + p->at, word, length) == 0;
}

/* Step over the rest of a comment. If one of several lines does not end, it is then met as a
 * byte. */
static bool skip_comment(parser *p)
{
    if (!is_at(p, "//") && !is_at(p, "/*"))
        return false;
    const char *close = is_at(p, "//") ? "\n" : "*/";
    const size_t start = p->at;
    for (p->at += 2; p->at < p->end; p->at++) {
        if (is_at(p, close)) {
            p->at += strlen(close);
            return true;
        }
    }
    if (*close == '*')
        p->at = start;
    return *close != '*';
}

/* The next byte after blanks and comments, or -1. */
static int peek(parser *p)
{
    do
        while (p->at < p->end && p->text[p->at] && strchr(" \t\r\n", p->text[p->at]))
            p->at++;
    while (skip_comment(p));
    return p->at < p->end ? p->text[p->at] : -1;
}

/* 0 to 15, 16 for "?", or -1. */
static int nibble(const parser *p, size_t at)
{
    const int c = at < p->end ? p->text[at] : 0;
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c == '?')
        return 16;
    const int lower = fold_byte((uint8_t)c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* ---- bytes and jumps ------------------------------------------------------- */

static int read_byte(parser *p, byte_class *set)
{
    const bool negated = peek(p) == '~';
    if (negated)
        p->at++;
    const int high = nibble(p, p->at), low = nibble(p, p->at + 1);
    if (high < 0 || low < 0)
        return reject(p, p->at,
                      "a byte is two hexadecimal digits, either of which may be ?; between bytes "
                      "stand jumps, as [4-6], {4-6} or *, and alternatives, as (4D|5A 00)");
    for (unsigned byte = 0; byte < 256; byte++)
        if ((high == 16 || byte >> 4 == (unsigned)high) &&
            (low == 16 || (byte & 15) == (unsigned)low))
            class_add(set, byte);
    if (negated) {
        class_fold(p->flags, set);
        class_invert(set);
    }
    p->at += 2;
    return TRAWL_OK;
}

static uint32_t add_most(uint32_t a, uint32_t b)
{
    if (a == REPEAT_UNBOUNDED || b == REPEAT_UNBOUNDED)
        return REPEAT_UNBOUNDED;
    return a + b <= PATTERN_MAX_STATES ? a + b : PATTERN_MAX_STATES + 1;
}

static void add_any(parser *p, uint32_t least, uint32_t most)
{
    p->any = add_most(p->any, least);
    p->most = add_most(p->most, most);
}

/* Add the element of the jump that was read before. */
static int settle_any(parser *p, size_t offset)
{
    byte_class any = { { 0 } };
    class_invert(&any);
    int status = TRAWL_OK;
    if (p->most > 0 && !p->counting)
        status = class_settle(p->flags, offset, false, &any, p->error);
    if (p->most > 0 && !p->counting && status == TRAWL_OK)
        status = elements_append(&p->elements, offset, &any, p->any, p->most);
    p->any = p->most = 0;
    return status;
}

static int add_set(parser *p, size_t offset, byte_class *set)
{
    byte_class any = { { 0 } };
    class_invert(&any);
    if (p->counting)
        return TRAWL_OK;
    if (class_holds(set, &any)) {
        add_any(p, 1, 1);
        return TRAWL_OK;
    }
    int status = settle_any(p, offset);
    if (status == TRAWL_OK)
        status = class_settle(p->flags, offset, false, set, p->error);
    return status == TRAWL_OK ? elements_append(&p->elements, offset, set, 1, 1) : status;
}

static bool read_number(parser *p, uint32_t *number)
{
    bool any = false;
    for (*number = 0; peek(p) >= '0' && peek(p) <= '9'; p->at++, any = true)
        if (*number <= PATTERN_MAX_STATES)
            *number = *number * 10 + (uint32_t)(peek(p) - '0');
    return any;
}

static int read_jump(parser *p)
{
    const size_t open = p->at;
    const int first = p->text[p->at++], close = first == '[' ? ']' : '}';
    uint32_t least = 0, most = REPEAT_UNBOUNDED;
    if (first != '*') {
        const bool from = read_number(p, &least), dash = peek(p) == '-';
        p->at += dash;
        const bool to = dash ? read_number(p, &most) : false;
        if (!dash)
            most = least;
        else if (!to)
            most = REPEAT_UNBOUNDED;
        if (peek(p) != close || (!from && !dash))
            return reject(p, open,
                          "malformed jump: write [n], [n-m], [n-] or [-], or the same in "
                          "braces");
        p->at++;
    }
    if (least > most)
        return reject(p, open, "the jump is reversed: write the smaller number first");
    if (!p->counting)
        add_any(p, least, most);
    return TRAWL_OK;
}

/* ---- groups ---------------------------------------------------------------- */

static int read_sequence(parser *p, size_t *number);

/* Read a group of single bytes as one class. False, and nothing is read, when it is another
 * group. */
static bool read_single(parser *p, byte_class *set)
{
    const size_t open = p->at;
    trawl_error *error = p->error;
    p->error = NULL;
    bool single = true, more = true;
    while (single && more) {
        p->at++;
        peek(p);
        byte_class one = { { 0 } };
        single = read_byte(p, &one) == TRAWL_OK;
        class_unite(set, &one);
        const int c = peek(p);
        more = c == '|';
        single = single && (more || c == ')');
    }
    p->error = error;
    p->at = single ? p->at + 1 : open;
    return single;
}

static size_t times(size_t a, size_t b)
{
    return a * b > MAX_CHOICES ? MAX_CHOICES + 1 : a * b;
}

/* Read the alternatives of a group, from its "(" on. When counting, *number is set to how many
 * choices there are; else choice *number is made. */
static int read_branches(parser *p, size_t *number)
{
    const size_t open = p->at;
    const bool counting = p->counting;
    size_t total = 0, chosen = *number;
    bool made = counting;
    int c = '|';
    while (c == '|') {
        const size_t start = ++p->at;
        size_t choices = 1;
        p->counting = true;
        int status = read_sequence(p, &choices);
        if (status == TRAWL_OK && !made && chosen < choices) {
            p->at = start;
            p->counting = false;
            status = read_sequence(p, &chosen);
            made = true;
        } else if (!made) {
            chosen -= choices;
        }
        p->counting = counting;
        if (status != TRAWL_OK)
            return status;
        total = total + choices > MAX_CHOICES ? MAX_CHOICES + 1 : total + choices;
        c = peek(p);
    }
    if (c != ')')
        return reject(p, open, "unmatched '(': close it with ')'");
    p->at++;
    if (counting)
        *number = total;
    return TRAWL_OK;
}

/* As read_sequence, for one element. */
static int read_group(parser *p, size_t *number)
{
    const size_t open = p->at;
    size_t choices = 0;
    if (++p->depth > DEEPEST)
        return fail(p->error, TRAWL_ERROR_PATTERN, open,
                    "groups stand in groups, more than %d deep: write the alternatives out",
                    DEEPEST);
    const bool counting = p->counting;
    p->counting = true;
    int status = read_branches(p, &choices);
    p->counting = counting;
    if (status == TRAWL_OK && !counting) {
        size_t one = *number % choices;
        p->at = open;
        status = read_branches(p, &one);
    }
    *number = counting ? times(*number, choices) : *number / choices;
    p->depth--;
    return status;
}

static int read_parenthesis(parser *p, size_t *number)
{
    const size_t open = p->at;
    byte_class set = { { 0 } };
    const bool negated = p->text[p->at] == '!';
    if (negated) {
        p->at++;
        if (peek(p) != '(' || !read_single(p, &set))
            return reject(p, open,
                          "!(...) is supported for single bytes, as !(00|FF): leave it out, and "
                          "compare what stands there in the matches");
        class_fold(p->flags, &set);
        class_invert(&set);
        return add_set(p, open, &set);
    }
    return read_single(p, &set) ? add_set(p, open, &set) : read_group(p, number);
}

/* ---- the whole pattern ----------------------------------------------------- */

static bool is_jump(int c)
{
    return c == '[' || c == '{' || c == '*';
}

/* Whether {n} stands at p->at; *after is what follows it. */
static bool is_fixed(const parser *p, size_t *after)
{
    size_t at = p->at + 1;
    if (p->at >= p->end || p->text[p->at] != '{')
        return false;
    while (at < p->end && p->text[at] >= '0' && p->text[at] <= '9')
        at++;
    *after = at + 1;
    return at > p->at + 1 && at < p->end && p->text[at] == '}';
}

/* Read up to a "|", a ")" or the end. When counting, *number is multiplied by the choices of the
 * groups; else these are made, and *number is divided. */
static int read_sequence(parser *p, size_t *number)
{
    int status = TRAWL_OK, c = peek(p);
    const size_t start = p->at;
    size_t jump = TRAWL_NONE, after;
    while (status == TRAWL_OK && c >= 0 && c != '|' && c != ')') {
        const size_t offset = p->at;
        byte_class set = { { 0 } };
        const bool varies = is_jump(c) && !is_fixed(p, &after);
        if (varies && offset == start && p->depth == 0)
            return reject(p, offset,
                          "a jump stands between bytes: leave out the one that comes "
                          "first");
        jump = varies ? offset : TRAWL_NONE;
        if (is_jump(c)) {
            status = read_jump(p);
        } else if (c == '(' || c == '!') {
            status = read_parenthesis(p, number);
        } else {
            status = read_byte(p, &set);
            if (status == TRAWL_OK)
                status = add_set(p, offset, &set);
        }
        c = peek(p);
    }
    if (status == TRAWL_OK && p->at == start)
        return reject(p, p->at, "there is no byte here: write one, as 4D");
    if (status == TRAWL_OK && jump != TRAWL_NONE && p->depth == 0)
        return reject(p, jump, "a jump stands between bytes: leave out the one that comes last");
    return status;
}

/* Step into braces around the whole, as YARA has them. */
static int enter_braces(parser *p)
{
    const size_t open = p->at;
    size_t after;
    if (peek(p) != '{')
        return TRAWL_OK;
    while (p->end > p->at + 1 && p->text[p->end - 1] && strchr(" \t\r\n", p->text[p->end - 1]))
        p->end--;
    if (is_fixed(p, &after) && after < p->end)
        return TRAWL_OK; /* a jump, and more */
    if (p->text[p->end - 1] != '}')
        return reject(p, open,
                      "unmatched '{': close the pattern with '}'; a jump cannot come "
                      "first");
    p->at++;
    p->end--;
    return TRAWL_OK;
}

static int read_whole(parser *p, size_t *number)
{
    const int status = read_sequence(p, number);
    if (status == TRAWL_OK && p->at < p->end)
        return reject(p, p->at, "it has no '(' before it: alternatives stand in parentheses");
    return status;
}

int parse_hex(memory *m, const trawl_pattern *src, size_t *next, pattern *out, trawl_error *error)
{
    parser p = { .text = src->text,
                 .end = src->length,
                 .flags = src->flags,
                 .counting = true,
                 .elements = { .memory = m, .out = out, .error = error },
                 .error = error };
    size_t choices = 1, number = *next;
    int status = enter_braces(&p);
    const size_t begin = p.at;
    if (status == TRAWL_OK)
        status = read_whole(&p, &choices);
    if (status == TRAWL_OK && choices > MAX_CHOICES)
        return fail(error, TRAWL_ERROR_LIMIT, 0,
                    "its alternatives are more than %d patterns when they are written out: divide "
                    "it into patterns of fewer groups",
                    MAX_CHOICES);
    p.at = begin;
    p.counting = false;
    if (status == TRAWL_OK)
        status = read_whole(&p, &number);
    if (status == TRAWL_OK)
        status = settle_any(&p, begin);
    if (status == TRAWL_OK && !p.elements.required)
        return reject(&p, begin,
                      "the pattern can match no byte at all, and so everywhere: let it "
                      "have a byte outside of jumps");
    if (status != TRAWL_OK)
        return status;
    *next = *next + 1 < choices ? *next + 1 : LAST_ONE;
    return elements_settle(&p.elements);
}
