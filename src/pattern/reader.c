/* reader.c: see reader.h. */
#include "pattern/reader.h"

#include <string.h>

#include "pattern/bytes.h"
#include "pattern/elements.h"

int reader_reject(reader *r, size_t offset, const char *advice)
{
    return fail(r->error, TRAWL_ERROR_PATTERN, offset, "%s", advice);
}

bool reader_at(const reader *r, const char *word)
{
    size_t i = 0;
    while (word[i] && reader_peek(r, i) == (uint8_t)word[i])
        i++;
    return !word[i];
}

/* For \` and \' it is that of \A and \z. */
char reader_condition(const reader *r, size_t *length)
{
    static const char known[] = "bB<>AzZG`'";
    const int c = reader_peek(r, 0), next = reader_peek(r, 1);
    *length = 1;
    if (c == '^' || c == '$')
        return (char)c;
    *length = 2;
    if (c != '\\' || next <= 0 || !strchr(known, next))
        return 0;
    return (char)(next == '`' ? 'A' : next == '\'' ? 'z' : next);
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
    { "ascii", 2, { 0, 127 } },
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

size_t reader_utf8_length(const reader *r)
{
    int lead = reader_peek(r, 0), second = reader_peek(r, 1);
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
        if (reader_peek(r, i) < 0x80 || reader_peek(r, i) > 0xbf)
            return 0;
    return length;
}

/* ---- escapes ------------------------------------------------------------ */

static bool is_punctuation(int c)
{
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
           (c >= 123 && c <= 126);
}

static bool is_octal(int c)
{
    return c >= '0' && c <= '7';
}

/* Why \c, an escape of other languages, is refused; NULL when it is not one of these. Three octal
 * digits are a byte. */
static const char *refused_escape(const reader *r, int c, bool in_class)
{
    const bool octal = is_octal(reader_peek(r, 2)) && is_octal(reader_peek(r, 3)) && c < '4';
    if ((c >= '1' && c <= '9' && !octal) || c == 'k' || c == 'g')
        return "back-references are not supported: write out what repeats, or \\xHH for a byte";
    if (c == 'p' || c == 'P' || c == 'X')
        return "properties of characters are not supported: write a class of bytes, as [[:alpha:]]";
    if (c == 'K')
        return "a match begins where its first byte is: remove the \\K, and cut off what stands "
               "before it";
    if (c == 'V')
        return "\\v is the vertical tab alone: write [^\\n\\v\\f\\r] for what ends no line";
    if (in_class && c > 0 && strchr("AzBZGNR", c))
        return "a class holds bytes: conditions, \\N and \\R stand outside of classes";
    return NULL;
}

/* \d and its kin: the class of \c in lower case, or NULL. */
static const named_class *shorthand(int c)
{
    static const struct {
        char lower, upper;
        const char *name;
    } known[] = {
        { 'd', 'D', "digit" }, { 'w', 'W', "word" }, { 's', 'S', "space" }, { 'h', 'H', "blank" }
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (c == known[i].lower || c == known[i].upper)
            return find_named((const uint8_t *)known[i].name, strlen(known[i].name));
    return NULL;
}

static int digit_value(int c)
{
    c = c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c;
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* \x{..} and \o{..}, with digits to the base. */
static int parse_number_escape(reader *r, int base, int *byte)
{
    const size_t begin = r->at;
    int value = 0;
    r->at += 3;
    const size_t digits = r->at;
    for (; digit_value(reader_peek(r, 0)) < base; r->at++) {
        value = value * base + digit_value(reader_peek(r, 0));
        if (value > 255)
            return reader_reject(r, begin,
                                 "characters above \\x{ff} are not supported: write the bytes of "
                                 "the character, one after the other");
    }
    if (r->at == digits || reader_peek(r, 0) != '}')
        return reader_reject(r, begin,
                             "\\x{..} holds hexadecimal digits and \\o{..} octal ones, as in "
                             "\\x{0a} and \\o{12}");
    r->at++;
    *byte = value;
    return TRAWL_OK;
}

/* \cX: the control character of a letter, or of another one of ASCII's. */
static int parse_control(reader *r, int *byte)
{
    const int c = reader_peek(r, 2);
    if (c <= ' ' || c >= 127)
        return reader_reject(r, r->at, "\\c needs a letter, as in \\cA, which is \\x01");
    *byte = (c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c) ^ 64;
    r->at += 3;
    return TRAWL_OK;
}

/* An escape stands for one byte, or for a set: then *byte is -1. */
static int parse_backslash(reader *r, bool in_class, byte_class *set, int *byte)
{
    const int c = reader_peek(r, 1), after = reader_peek(r, 2);
    const named_class *named = shorthand(c);
    if (named) {
        add_named(set, named);
        if (c < 'a')
            class_invert(set);
        *byte = -1;
        r->at += 2;
        return TRAWL_OK;
    }
    const char *advice = refused_escape(r, c, in_class);
    if (advice)
        return reader_reject(r, r->at, advice);
    if (c == 'c')
        return parse_control(r, byte);
    if ((c == 'x' || c == 'o') && after == '{')
        return parse_number_escape(r, c == 'x' ? 16 : 8, byte);
    uint8_t value = (uint8_t)c;
    if (is_punctuation(c) || (c == ' ' && r->modes & MODE_SPACED)) {
        r->at += 2;
    } else {
        int status = parse_escape(r->text, r->length, &r->at, &value, r->error);
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
static size_t bracket_name(const reader *r)
{
    int kind = reader_peek(r, 1);
    if (reader_peek(r, 0) != '[' || (kind != ':' && kind != '.' && kind != '='))
        return 0;
    size_t length = 0;
    while (is_name(reader_peek(r, 2 + length)))
        length++;
    return reader_peek(r, 2 + length) == kind && reader_peek(r, 3 + length) == ']' ? length : 0;
}

static int parse_posix(reader *r, size_t length, byte_class *set)
{
    if (reader_peek(r, 1) != ':')
        return reader_reject(r, r->at,
                             "collating elements are not supported: write the bytes themselves, "
                             "or \\[ for a bracket");
    const bool negated = reader_peek(r, 2) == '^';
    const named_class *named = find_named(r->text + r->at + 2 + negated, length - negated);
    byte_class own = { { 0 } };
    if (!named)
        return reader_reject(r, r->at,
                             "unknown class name: use alnum alpha ascii blank cntrl digit graph "
                             "lower print punct space upper word xdigit, or \\[ for a bracket");
    add_named(&own, named);
    class_fold(r->flags, &own); /* before it is negated */
    if (negated)
        class_invert(&own);
    class_unite(set, &own);
    r->at += length + 4;
    return TRAWL_OK;
}

/* A letter of the dialect. */
static int parse_letter(reader *r, byte_class *set)
{
    if (!r->dialect->letter(r->src, r->text[r->at], set))
        return reader_reject(r, r->at, r->dialect->advice);
    r->at++;
    return TRAWL_OK;
}

static int reject_character(reader *r)
{
    return reader_reject(r, r->at,
                         "a class holds bytes and this character is several: give each character "
                         "as an alternative or a pattern of its own, or write its bytes as \\xHH");
}

/* One item of a class: a byte, or a set: then *byte is -1. */
static int parse_item(reader *r, byte_class *set, int *byte)
{
    if (r->dialect) {
        *byte = -1;
        return parse_letter(r, set);
    }
    size_t name = bracket_name(r);
    if (name) {
        *byte = -1;
        return parse_posix(r, name, set);
    }
    if (r->text[r->at] == '\\')
        return parse_backslash(r, true, set, byte);
    if (reader_utf8_length(r))
        return reject_character(r);
    *byte = r->text[r->at++];
    return TRAWL_OK;
}

/* An item or a range of two. A '-' at either end of the class is itself. */
static int parse_range(reader *r, byte_class *set)
{
    size_t start = r->at;
    byte_class item = { { 0 } };
    int low, high;
    int status = parse_item(r, &item, &low);
    if (status != TRAWL_OK)
        return status;
    bool range = reader_peek(r, 0) == '-' && reader_peek(r, 1) >= 0 && reader_peek(r, 1) != ']';
    high = low;
    if (range) {
        r->at++;
        status = parse_item(r, &item, &high);
        if (status != TRAWL_OK)
            return status;
        if (low < 0 || high < 0)
            return reader_reject(
                r, start, "a range takes a single byte on both sides: write \\- for a hyphen");
        if (high < low)
            return reader_reject(
                r, start,
                "the range is reversed: write the smaller byte first, or \\- for a hyphen");
    }
    if (low < 0)
        class_unite(set, &item);
    else
        class_add_range(set, (unsigned)low, (unsigned)high);
    return TRAWL_OK;
}

/* \Q..\E within a class: bytes as they are. */
static int parse_quoted_items(reader *r, byte_class *set)
{
    for (r->at += 2; r->at < r->length && !reader_at(r, "\\E"); r->at++) {
        if (reader_utf8_length(r))
            return reject_character(r);
        class_add(set, r->text[r->at]);
    }
    return TRAWL_OK;
}

static int parse_class(reader *r, byte_class *set, bool *negated)
{
    size_t open = r->at;
    size_t name = r->dialect ? 0 : bracket_name(r);
    if (name && reader_peek(r, 1) == ':' && find_named(r->text + r->at + 2, name))
        return reader_reject(r, open,
                             "a named class stands in a class of its own: write [[:name:]]");
    r->at++;
    *negated = reader_peek(r, 0) == '^';
    if (*negated)
        r->at++;
    size_t first = r->at;
    while (r->at < r->length && (r->text[r->at] != ']' || r->at == first)) {
        int status = TRAWL_OK;
        if (!r->dialect && reader_at(r, "\\E"))
            r->at += 2;
        else if (!r->dialect && reader_at(r, "\\Q"))
            status = parse_quoted_items(r, set);
        else
            status = parse_range(r, set);
        if (status != TRAWL_OK)
            return status;
    }
    if (r->at == r->length)
        return reader_reject(
            r, open,
            "unmatched '[': close it with ']' (one that comes first is a byte of the "
            "class), or write \\[ for the byte");
    r->at++;
    return TRAWL_OK;
}

/* ---- quantifiers -------------------------------------------------------- */

static bool is_quantifier(int c)
{
    return c == '?' || c == '*' || c == '+' || c == '{';
}

/* Digits to a number that stops growing past every limit. False when there are none. */
static bool parse_number(reader *r, uint32_t *number)
{
    size_t start = r->at;
    for (*number = 0; reader_peek(r, 0) >= '0' && reader_peek(r, 0) <= '9'; r->at++) {
        *number = *number * 10 + (uint32_t)(reader_peek(r, 0) - '0');
        if (*number > PATTERN_MAX_STATES)
            *number = PATTERN_MAX_STATES + 1;
    }
    return r->at > start;
}

static int parse_braces(reader *r, uint32_t *min, uint32_t *max)
{
    size_t open = r->at++;
    bool has_min = parse_number(r, min), has_max = false, comma = reader_peek(r, 0) == ',';
    *max = *min;
    if (comma) {
        r->at++;
        has_max = parse_number(r, max);
    }
    if (reader_peek(r, 0) != '}' || (!has_min && !has_max))
        return reader_reject(
            r, open, "malformed repeat: write {x}, {x,}, {x,y} or {,y}, or [{] for the byte");
    r->at++;
    if (comma && !has_max)
        *max = REPEAT_UNBOUNDED;
    if (*max == 0)
        return reader_reject(r, open, "a repeat of zero matches nothing: remove the element");
    if (*min > *max)
        return reader_reject(r, open, "the repeat is reversed: write the smaller number first");
    return TRAWL_OK;
}

static int reject_second_quantifier(reader *r)
{
    const int c = reader_peek(r, 0);
    if (c == '?' && r->dialect)
        return reader_reject(r, r->at,
                             "lazy repeats are not supported: all matches are found; remove the "
                             "'?' and report the shortest, or write [?] for the byte");
    if (c == '+' && r->dialect)
        return reader_reject(r, r->at,
                             "possessive repeats are not supported: all matches are found; remove "
                             "the '+' and report the longest, or write [+] for the byte");
    return reader_reject(r, r->at,
                         "a repeat cannot be repeated: merge the two, as a{4} for a{2}{2}, or "
                         "write the second as a class for the byte, as in [*]");
}

int reader_repeat(reader *r, repeat *found)
{
    const int c = reader_peek(r, 0);
    *found = (repeat){ c == '?' || c == '*' ? 0 : 1, c == '*' || c == '+' ? REPEAT_UNBOUNDED : 1,
                       false, false };
    if (!is_quantifier(c))
        return TRAWL_OK;
    if (c == '{') {
        int status = parse_braces(r, &found->min, &found->max);
        if (status != TRAWL_OK)
            return status;
    } else {
        r->at++;
    }
    if (!r->dialect) {
        found->lazy = reader_peek(r, 0) == '?';
        found->possessive = reader_peek(r, 0) == '+';
        r->at += found->lazy || found->possessive;
    }
    return is_quantifier(reader_peek(r, 0)) ? reject_second_quantifier(r) : TRAWL_OK;
}

static int reject_leading_quantifier(reader *r)
{
    size_t offset = r->at;
    uint32_t min, max;
    if (r->text[offset] == '{') {
        int status = parse_braces(r, &min, &max);
        if (status != TRAWL_OK)
            return status;
    }
    return fail(r->error, TRAWL_ERROR_PATTERN, offset,
                "nothing before the repeat: put an element before it, or write [%c] for the byte",
                r->text[offset]);
}

/* ---- elements ------------------------------------------------------------ */

/* All but the byte that ends lines. */
static void add_no_line(reader *r, byte_class *set, bool *negated)
{
    class_add(set, line_terminator(r->flags));
    *negated = true;
}

/* A byte, an escape or '.', as parse_set. */
static int parse_bytes(reader *r, byte_class *set, bool *negated)
{
    int c = reader_peek(r, 0), byte, status;
    if (reader_at(r, "\\N")) {
        r->at += 2;
        add_no_line(r, set, negated);
        return TRAWL_OK;
    }
    switch (c) {
    case '.':
        r->at++;
        if (r->modes & MODE_DOT_ALL)
            *negated = true; /* any byte: all bytes but none */
        else
            add_no_line(r, set, negated);
        return TRAWL_OK;
    case '\\':
        status = parse_backslash(r, false, set, &byte);
        if (status == TRAWL_OK && byte >= 0)
            class_add(set, (unsigned)byte);
        return status;
    default:
        r->at++;
        class_add(set, (unsigned)c);
        return TRAWL_OK;
    }
}

/* The set of bytes at `at`; *negated tells that its complement is meant. */
static int parse_set(reader *r, byte_class *set, bool *negated)
{
    int c = reader_peek(r, 0);
    switch (c) {
    case '(':
    case ')':
        return fail(r->error, TRAWL_ERROR_PATTERN, r->at,
                    "groups are not supported: write the alternatives out, as ab|ac for a(b|c), or "
                    "write [%c] for the byte",
                    c);
    case '?':
    case '*':
    case '+':
    case '{':
        return reject_leading_quantifier(r);
    case '[':
        return parse_class(r, set, negated);
    default:
        return r->dialect ? parse_letter(r, set) : parse_bytes(r, set, negated);
    }
}

int reader_set(reader *r, byte_class *set)
{
    const size_t begin = r->at;
    bool negated = false;
    *set = (byte_class){ { 0 } };
    const int status = parse_set(r, set, &negated);
    if (status != TRAWL_OK)
        return status;
    if (r->dialect) {
        r->dialect->finish(r->flags, negated, set);
        negated = false;
    }
    return class_settle(r->flags, begin, negated, set, r->error);
}
