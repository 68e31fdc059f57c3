/* extended.c: patterns of byte classes and repeats, such as [a-f]\d{2,4}.+
 *
 * Idea: recursive descent without recursion, since the language has no nesting: a pattern is a row
 * of elements, an element is a set of bytes with an optional quantifier.
 *
 *     pattern    = alternative ("|" alternative)*
 *     alternative = ("^" | "\A" | word)* element+ ("$" | "\z" | word)*
 *     word       = "\b" | "\B" | "\<" | "\>"
 *     element    = (byte | . | class | escape) quantifier?
 *     class      = "[" "^"? (item | item "-" item)+ "]"
 *     quantifier = ? | * | + | {x} | {x,} | {x,y} | {,y}
 *
 * What the language leaves out (groups, lazy repeats ...) is refused at its
 * column with advice, never taken for a byte. In a dialect an element is a letter of the dialect or
 * a class of letters. Everything is ASCII: there is no locale.
 * Cost: O(length) time; 40 bytes for each element.
 */
#include <string.h>

#include "pattern/border.h"
#include "pattern/bytes.h"
#include "pattern/elements.h"
#include "pattern/extended.h"
#include "pattern/syntax.h"

#define QUOTE_MAX 40 /* a message quotes an element up to this length */

typedef struct parser {
    const trawl_pattern *src;
    const dialect *dialect; /* NULL: letters are bytes */
    const uint8_t *text;
    size_t length;
    size_t at; /* the next byte to read */
    uint32_t flags;
    size_t first, first_end; /* in the text: the first element, with its quantifier */
    char words[2];           /* the condition on words before and after the match; 0: none */
    size_t words_at[2];
    elements elements;
    trawl_error *error;
} parser;

static int reject(parser *p, size_t offset, const char *advice)
{
    return fail(p->error, TRAWL_ERROR_PATTERN, offset, "%s", advice);
}

/* The byte `ahead` places on, or -1 past the end. */
static int peek(const parser *p, size_t ahead)
{
    return ahead < p->length - p->at ? p->text[p->at + ahead] : -1;
}

/* ---- sets of bytes ------------------------------------------------------ */

typedef struct named_class {
    const char *name;
    size_t count; /* of bytes in `ranges`: a low and a high one for each range */
    uint8_t ranges[8];
} named_class;

static const named_class named_classes[] = {
    { "digit", 2, { '0', '9' } },
    { "word", 8, { '0', '9', 'A', 'Z', '_', '_', 'a', 'z' } },
    { "space", 4, { '\t', '\r', ' ', ' ' } },
    { "alnum", 6, { '0', '9', 'A', 'Z', 'a', 'z' } },
    { "alpha", 4, { 'A', 'Z', 'a', 'z' } },
    { "blank", 4, { '\t', '\t', ' ', ' ' } },
    { "cntrl", 4, { 0, 31, 127, 127 } },
    { "graph", 2, { 33, 126 } },
    { "lower", 2, { 'a', 'z' } },
    { "print", 2, { 32, 126 } },
    { "punct", 8, { 33, 47, 58, 64, 91, 96, 123, 126 } },
    { "upper", 2, { 'A', 'Z' } },
    { "xdigit", 6, { '0', '9', 'A', 'F', 'a', 'f' } },
};

static const named_class *find_named(const uint8_t *name, size_t length)
{
    for (size_t i = 0; i < sizeof named_classes / sizeof *named_classes; i++) {
        const named_class *c = &named_classes[i];
        if (strlen(c->name) == length && memcmp(c->name, name, length) == 0)
            return c;
    }
    return NULL;
}

static void add_named(byte_class *set, const named_class *named)
{
    for (size_t i = 0; i < named->count; i += 2)
        class_add_range(set, named->ranges[i], named->ranges[i + 1]);
}

/* ---- UTF-8 -------------------------------------------------------------- */

/* Length of the multi-byte UTF-8 character at `at`, or 0 when there is none. */
static size_t utf8_length(const parser *p)
{
    int lead = peek(p, 0), second = peek(p, 1);
    int low = 0x80, high = 0xbf; /* bounds of the second byte: no overlong form, no surrogate */
    size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    if (lead == 0xe0)
        low = 0xa0;
    else if (lead == 0xed)
        high = 0x9f;
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;
    if (second < low || second > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (peek(p, i) < 0x80 || peek(p, i) > 0xbf)
            return 0;
    return length;
}

/* ---- escapes ------------------------------------------------------------ */

static bool is_punctuation(int c)
{
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
           (c >= 123 && c <= 126);
}

/* Why \c, an escape of other languages, is refused; NULL when it is not one of these. */
static const char *refused_escape(int c, bool in_class)
{
    if ((c >= '1' && c <= '9') || c == 'k' || c == 'g')
        return "back-references are not supported: write out what repeats, or \\xHH for a byte";
    if (c == 'Z' || c == 'G')
        return "it is not supported: \\A is the begin of the text, \\z its end";
    if (in_class && (c == 'A' || c == 'z' || c == 'B'))
        return "a class holds bytes: \\A, \\z and \\B stand before or after a pattern";
    return NULL;
}

/* \d and its kin: the class of \c in lower case, or NULL. */
static const named_class *shorthand(int c)
{
    switch (c) {
    case 'd':
    case 'D':
        return find_named((const uint8_t *)"digit", 5);
    case 'w':
    case 'W':
        return find_named((const uint8_t *)"word", 4);
    case 's':
    case 'S':
        return find_named((const uint8_t *)"space", 5);
    default:
        return NULL;
    }
}

/* An escape stands for one byte, or for a set: then *byte is -1. */
static int parse_backslash(parser *p, bool in_class, byte_class *set, int *byte)
{
    int c = peek(p, 1);
    const named_class *named = shorthand(c);
    if (named) {
        add_named(set, named);
        if (c < 'a')
            class_invert(set);
        *byte = -1;
        p->at += 2;
        return TRAWL_OK;
    }
    const char *advice = refused_escape(c, in_class);
    if (advice)
        return reject(p, p->at, advice);
    uint8_t value = (uint8_t)c;
    if (is_punctuation(c)) {
        p->at += 2;
    } else {
        int status = parse_escape(p->text, p->length, &p->at, &value, p->error);
        if (status != TRAWL_OK)
            return status;
    }
    *byte = value;
    return TRAWL_OK;
}

/* ---- classes ------------------------------------------------------------ */

static bool is_name(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '^';
}

/* Length of the name in [:name:], [.name.] or [=name=] at `at`, or 0 when there is none. */
static size_t bracket_name(const parser *p)
{
    int kind = peek(p, 1);
    if (peek(p, 0) != '[' || (kind != ':' && kind != '.' && kind != '='))
        return 0;
    size_t length = 0;
    while (is_name(peek(p, 2 + length)))
        length++;
    return peek(p, 2 + length) == kind && peek(p, 3 + length) == ']' ? length : 0;
}

static int parse_posix(parser *p, size_t length, byte_class *set)
{
    if (peek(p, 1) != ':')
        return reject(p, p->at,
                      "collating elements are not supported: write the bytes themselves, "
                      "or \\[ for a bracket");
    const named_class *named = find_named(p->text + p->at + 2, length);
    if (!named)
        return reject(p, p->at,
                      "unknown class name: use alnum alpha blank cntrl digit graph lower print "
                      "punct space upper word xdigit, or \\[ for a bracket");
    add_named(set, named);
    p->at += length + 4;
    return TRAWL_OK;
}

/* A letter of the dialect. */
static int parse_letter(parser *p, byte_class *set)
{
    if (!p->dialect->letter(p->src, p->text[p->at], set))
        return reject(p, p->at, p->dialect->advice);
    p->at++;
    return TRAWL_OK;
}

/* One item of a class: a byte, or a set: then *byte is -1. */
static int parse_item(parser *p, byte_class *set, int *byte)
{
    if (p->dialect) {
        *byte = -1;
        return parse_letter(p, set);
    }
    size_t name = bracket_name(p);
    if (name) {
        *byte = -1;
        return parse_posix(p, name, set);
    }
    if (p->text[p->at] == '\\')
        return parse_backslash(p, true, set, byte);
    if (utf8_length(p))
        return reject(p, p->at,
                      "a class holds bytes and this character is several: give each character as "
                      "its own pattern, or write its bytes as \\xHH");
    *byte = p->text[p->at++];
    return TRAWL_OK;
}

/* An item or a range of two. A '-' at either end of the class is itself. */
static int parse_range(parser *p, byte_class *set)
{
    size_t start = p->at;
    byte_class item = { { 0 } };
    int low, high;
    int status = parse_item(p, &item, &low);
    if (status != TRAWL_OK)
        return status;
    bool range = peek(p, 0) == '-' && peek(p, 1) >= 0 && peek(p, 1) != ']';
    high = low;
    if (range) {
        p->at++;
        status = parse_item(p, &item, &high);
        if (status != TRAWL_OK)
            return status;
        if (low < 0 || high < 0)
            return reject(p, start,
                          "a range takes a single byte on both sides: write \\- for a hyphen");
        if (high < low)
            return reject(
                p, start,
                "the range is reversed: write the smaller byte first, or \\- for a hyphen");
    }
    if (low < 0)
        class_unite(set, &item);
    else
        class_add_range(set, (unsigned)low, (unsigned)high);
    return TRAWL_OK;
}

static int parse_class(parser *p, byte_class *set, bool *negated)
{
    size_t open = p->at;
    size_t name = p->dialect ? 0 : bracket_name(p);
    if (name && peek(p, 1) == ':' && find_named(p->text + p->at + 2, name))
        return reject(p, open, "a named class stands in a class of its own: write [[:name:]]");
    p->at++;
    *negated = peek(p, 0) == '^';
    if (*negated)
        p->at++;
    size_t first = p->at;
    while (p->at < p->length && (p->text[p->at] != ']' || p->at == first)) {
        int status = parse_range(p, set);
        if (status != TRAWL_OK)
            return status;
    }
    if (p->at == p->length)
        return reject(p, open,
                      "unmatched '[': close it with ']' (one that comes first is a byte of the "
                      "class), or write \\[ for the byte");
    p->at++;
    return TRAWL_OK;
}

/* ---- quantifiers -------------------------------------------------------- */

static bool is_quantifier(int c)
{
    return c == '?' || c == '*' || c == '+' || c == '{';
}

/* Digits to a number that stops growing past every limit. False when there are none. */
static bool parse_number(parser *p, uint32_t *number)
{
    size_t start = p->at;
    for (*number = 0; peek(p, 0) >= '0' && peek(p, 0) <= '9'; p->at++) {
        *number = *number * 10 + (uint32_t)(peek(p, 0) - '0');
        if (*number > PATTERN_MAX_STATES)
            *number = PATTERN_MAX_STATES + 1;
    }
    return p->at > start;
}

static int parse_braces(parser *p, uint32_t *min, uint32_t *max)
{
    size_t open = p->at++;
    bool has_min = parse_number(p, min), has_max = false, comma = peek(p, 0) == ',';
    *max = *min;
    if (comma) {
        p->at++;
        has_max = parse_number(p, max);
    }
    if (peek(p, 0) != '}' || (!has_min && !has_max))
        return reject(p, open,
                      "malformed repeat: write {x}, {x,}, {x,y} or {,y}, or [{] for the byte");
    p->at++;
    if (comma && !has_max)
        *max = REPEAT_UNBOUNDED;
    if (*max == 0)
        return reject(p, open, "a repeat of zero matches nothing: remove the element");
    if (*min > *max)
        return reject(p, open, "the repeat is reversed: write the smaller number first");
    return TRAWL_OK;
}

static int reject_second_quantifier(parser *p)
{
    switch (peek(p, 0)) {
    case '?':
        return reject(p, p->at,
                      "lazy repeats are not supported: all matches are found; remove the '?' and "
                      "report the shortest, or write [?] for the byte");
    case '+':
        return reject(p, p->at,
                      "possessive repeats are not supported: all matches are found; remove the "
                      "'+' and report the longest, or write [+] for the byte");
    default:
        return reject(
            p, p->at,
            "a repeat cannot be repeated: merge the two, as a{4} for a{2}{2}, or write the "
            "second as a class for the byte, as in [*]");
    }
}

/* The quantifier at `at`, or {1,1} when there is none. */
static int parse_quantifier(parser *p, uint32_t *min, uint32_t *max)
{
    int c = peek(p, 0);
    *min = c == '?' || c == '*' ? 0 : 1;
    *max = c == '*' || c == '+' ? REPEAT_UNBOUNDED : 1;
    if (!is_quantifier(c))
        return TRAWL_OK;
    if (c == '{') {
        int status = parse_braces(p, min, max);
        if (status != TRAWL_OK)
            return status;
    } else {
        p->at++;
    }
    return is_quantifier(peek(p, 0)) ? reject_second_quantifier(p) : TRAWL_OK;
}

static int reject_leading_quantifier(parser *p)
{
    size_t offset = p->at;
    uint32_t min, max;
    if (p->text[offset] == '{') {
        int status = parse_braces(p, &min, &max);
        if (status != TRAWL_OK)
            return status;
    }
    return fail(p->error, TRAWL_ERROR_PATTERN, offset,
                "nothing before the repeat: put an element before it, or write [%c] for the byte",
                p->text[offset]);
}

/* ---- elements ----------------------------------------------------------- */

/* A multi-byte character: its bytes one after the other, with no quantifier. */
static int parse_character(parser *p, size_t length)
{
    for (; length > 0; length--, p->at++) {
        byte_class set = { { 0 } };
        class_add(&set, p->text[p->at]);
        int status = elements_append(&p->elements, p->at, &set, 1, 1);
        if (status != TRAWL_OK)
            return status;
    }
    if (is_quantifier(peek(p, 0)))
        return reject(p, p->at,
                      "the repeat would apply to the last byte of the character only: write the "
                      "character out as often as it repeats, or its bytes as \\xHH");
    return TRAWL_OK;
}

/* A byte, an escape or '.', as parse_set. */
static int parse_bytes(parser *p, byte_class *set, bool *negated)
{
    int c = peek(p, 0), byte, status;
    switch (c) {
    case '.':
        p->at++;
        *negated = true; /* any byte: all bytes but none */
        return TRAWL_OK;
    case '\\':
        status = parse_backslash(p, false, set, &byte);
        if (status == TRAWL_OK && byte >= 0)
            class_add(set, (unsigned)byte);
        return status;
    default:
        p->at++;
        class_add(set, (unsigned)c);
        return TRAWL_OK;
    }
}

/* The set of bytes at `at`; *negated tells that its complement is meant. */
static int parse_set(parser *p, byte_class *set, bool *negated)
{
    int c = peek(p, 0);
    switch (c) {
    case '(':
    case ')':
        return fail(p->error, TRAWL_ERROR_PATTERN, p->at,
                    "groups are not supported: write the alternatives out, as ab|ac for a(b|c), or "
                    "write [%c] for the byte",
                    c);
    case '?':
    case '*':
    case '+':
    case '{':
        return reject_leading_quantifier(p);
    case '[':
        return parse_class(p, set, negated);
    default:
        return p->dialect ? parse_letter(p, set) : parse_bytes(p, set, negated);
    }
}

static int parse_element(parser *p)
{
    size_t start = p->at, length = p->dialect ? 0 : utf8_length(p);
    if (length)
        return parse_character(p, length);

    byte_class set = { { 0 } };
    bool negated = false;
    uint32_t min, max;
    int status = parse_set(p, &set, &negated);
    if (status == TRAWL_OK && p->dialect) {
        p->dialect->finish(p->flags, negated, &set);
        negated = false;
    }
    if (status == TRAWL_OK)
        status = class_settle(p->flags, start, negated, &set, p->error);
    if (status == TRAWL_OK)
        status = parse_quantifier(p, &min, &max);
    if (status == TRAWL_OK)
        status = elements_append(&p->elements, start, &set, min, max);
    if (p->elements.out->length == 1)
        p->first_end = p->at;
    return status;
}

/* ---- what stands beside a match ------------------------------------------ */

enum { BEFORE, BEHIND };

static const char no_element[] = "the pattern matches no byte: put an element here";

/* The condition at `at`, as the byte that tells it apart: for \` and \' it is that of \A and \z. 0:
 * there is none. */
static char condition(const parser *p)
{
    static const char known[] = "bB<>Az`'";
    const int c = peek(p, 0), next = peek(p, 1);
    if (c == '^' || c == '$')
        return (char)c;
    if (c != '\\' || next <= 0 || !strchr(known, next))
        return 0;
    return (char)(next == '`' ? 'A' : next == '\'' ? 'z' : next);
}

/* \b \B \< \>: whether the byte beside a match belongs to a word follows from the match's own. */
static void add_words(border *b, char kind)
{
    byte_class word = word_bytes(), other = word;
    class_invert(&other);
    if (kind == 'b' || kind == 'B') {
        border_add_own(b, kind == 'b', other, true);
        border_add_own(b, kind != 'b', word, false);
    } else {
        border_add_own(b, true, other, true);
        border_add_own(b, false, (byte_class){ { 0 } }, false);
    }
}

/* The condition that was found at `at`, on that side of the match. */
static int parse_condition(parser *p, char kind, int side)
{
    border *b = side == BEFORE ? &p->elements.out->before : &p->elements.out->after;
    const bool elsewhere = side == BEFORE ? kind == '$' || kind == 'z' || kind == '>'
                                          : kind == '^' || kind == 'A' || kind == '<';
    const size_t length = kind == '^' || kind == '$' ? 1 : 2;
    if (elsewhere && side == BEFORE &&
        (p->at + length == p->length || p->text[p->at + length] == '|'))
        return reject(p, p->at, no_element);
    if (elsewhere)
        return fail(
            p->error, TRAWL_ERROR_PATTERN, p->at,
            "^, \\A and \\< stand before a pattern, $, \\z and \\> after it: give each part as "
            "its own pattern, or write [%.*s] for the byte",
            1, (const char *)p->text + p->at + length - 1);
    if (kind == '^' || kind == '$') {
        border_add(b, line_border(p->flags), true);
    } else if (kind == 'A' || kind == 'z') {
        border_add(b, (byte_class){ { 0 } }, true);
    } else {
        add_words(b, kind);
    }
    p->at += length;
    return TRAWL_OK;
}

static int parse_sides(parser *p, int side)
{
    int status = TRAWL_OK;
    for (char kind; status == TRAWL_OK && (kind = condition(p)) != 0;)
        status = parse_condition(p, kind, side);
    return status;
}

/* ---- the whole pattern -------------------------------------------------- */

/* Every element may be left out. Any of them could be changed: name the first. */
static int reject_empty_match(const parser *p, size_t after)
{
    const bool line =
        p->first > 0 && p->text[p->first - 1] == '^' && p->at > after && p->text[p->at - 1] == '$';
    if (line)
        return fail(p->error, TRAWL_ERROR_PATTERN, after,
                    "the pattern can match an empty line, of which there is no byte to report: "
                    "write %s, which ends the line, in place of its $",
                    p->flags & TRAWL_NULS ? "\\0" : "\\n");
    const char quantifier = (char)p->text[p->first_end - 1];
    const size_t length = p->first_end - p->first;
    bool shown = length <= QUOTE_MAX;
    return fail(p->error, TRAWL_ERROR_PATTERN, 0,
                "the pattern can match the empty string, and so everywhere, because every element "
                "may be left out, '%.*s%s' first: %s",
                shown ? (int)length : QUOTE_MAX, (const char *)p->text + p->first,
                shown ? "" : "...",
                quantifier == '*'   ? "put + in place of its *"
                : quantifier == '?' ? "remove its ?"
                                    : "let its repeat begin at 1, as {1,3} does");
}

/* The alternative ends here. */
static bool at_end(const parser *p)
{
    return p->at == p->length || p->text[p->at] == '|';
}

int parse_extended(memory *m, const trawl_pattern *src, size_t *next, pattern *out,
                   trawl_error *error)
{
    return parse_dialect(NULL, m, src, next, out, error);
}

int parse_dialect(const dialect *of, memory *m, const trawl_pattern *src, size_t *next,
                  pattern *out, trawl_error *error)
{
    parser p = { .src = src,
                 .dialect = of,
                 .text = src->text,
                 .length = src->length,
                 .at = *next,
                 .flags = src->flags,
                 .elements = { .memory = m, .out = out, .error = error },
                 .error = error };
    int status = parse_sides(&p, BEFORE);
    p.first = p.at;
    while (status == TRAWL_OK && !at_end(&p) && !condition(&p))
        status = parse_element(&p);
    if (status == TRAWL_OK && p.elements.out->length == 0)
        return reject(&p, p.at, no_element);
    const size_t after = p.at;
    if (status == TRAWL_OK)
        status = parse_sides(&p, BEHIND);
    if (status == TRAWL_OK && !at_end(&p))
        return reject(&p, after,
                      "a pattern ends with the conditions after it: $, \\z, \\b or \\>; write what "
                      "follows as its own pattern");
    if (status == TRAWL_OK && !p.elements.required)
        return reject_empty_match(&p, after);
    if (status != TRAWL_OK)
        return status;
    *next = p.at < p.length ? p.at + 1 : LAST_ONE; /* after the '|' */
    return elements_settle(&p.elements);
}
