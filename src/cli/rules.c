/* rules.c: the contents of Snort's and Suricata's rules as patterns.
 *
 * Idea: one pass over the options of each rule, which end with ';' outside of quotes. A content is
 * a literal, nocase its flag; sid comes later and gives all of a rule's contents their id.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/entries.h"

typedef struct rules {
    pattern_set *set;
    const char *command, *file;
    size_t line; /* of the present rule, and how many it has */
    size_t lines;
    const char *text, *end; /* of its options */
    size_t first;           /* of its patterns */
    bool has_sid;
    size_t negated, without; /* contents and rules that are left out */
} rules;

static bool complain_rule(const rules *r, const char *why)
{
    complain(r->command, "%s:%zu: %s", r->file, r->line, why);
    return false;
}

/* ---- one content -------------------------------------------------------------- */

static int digit(char c)
{
    const char *hex = "0123456789abcdef", lower = c >= 'A' && c <= 'F' ? (char)(c + 32) : c;
    const char *found = c ? strchr(hex, lower) : NULL;
    return found ? (int)(found - hex) : -1;
}

/* What the text between quotes stands for: bytes, |4d 5a| and escapes. SIZE_MAX: it is malformed.
 */
static size_t decode(const char *text, size_t length, char *bytes)
{
    size_t count = 0;
    bool hex = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '|') {
            hex = !hex;
        } else if (hex && text[i] != ' ') {
            const int high = digit(text[i]), low = i + 1 < length ? digit(text[i + 1]) : -1;
            if (high < 0 || low < 0)
                return SIZE_MAX;
            bytes[count++] = (char)(high * 16 + low);
            i++;
        } else if (!hex) {
            i += text[i] == '\\' && i + 1 < length;
            bytes[count++] = text[i];
        }
    }
    return hex ? SIZE_MAX : count;
}

/* `text` is what is between the quotes. The name is the content as it is written. */
static bool add_content(rules *r, const char *text, size_t length)
{
    char *bytes = pattern_set_room(r->set, length), *name = pattern_set_room(r->set, length);
    if (!bytes || !name)
        return complain_rule(r, "out of memory for a content");
    memcpy(name, text, length);
    name[length] = '\0';
    const size_t count = decode(text, length, bytes);
    if (count == SIZE_MAX || count == 0)
        return complain_rule(r, count ? "a content's hexadecimal digits must come in pairs between "
                                        "two |, as |4D 5A|"
                                      : "a content is empty: give one byte at least");
    if (!pattern_set_append(r->set, bytes, count, r->file, r->line))
        return complain_rule(r, "out of memory for a content");
    r->set->origins[r->set->count - 1].styled = true;
    r->set->patterns[r->set->count - 1].syntax = TRAWL_SYNTAX_LITERAL;
    r->set->patterns[r->set->count - 1].name = name;
    return true;
}

/* ---- one rule ------------------------------------------------------------------ */

/* The end of what begins at `at`: a byte of `ends` outside of quotes, or the rule's end. */
static const char *find_end(const rules *r, const char *at, const char *ends)
{
    bool quoted = false;
    for (; at < r->end && (quoted || !*at || !strchr(ends, *at)); at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (*at == '\\' && at + 1 < r->end)
            at++;
    }
    return at;
}

static bool is_word(const char *text, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - text) >= length && memcmp(text, word, length) == 0 &&
           (text + length == end || strchr(" :\t", text[length]));
}

/* Behind blanks, and the backslashes at the ends of a rule's lines. */
static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r' ||
                        (*at == '\\' && at + 1 < end && (at[1] == '\n' || at[1] == '\r'))))
        at++;
    return at;
}

static void set_nocase(rules *r)
{
    if (r->set->count > r->first)
        r->set->patterns[r->set->count - 1].flags |= TRAWL_NOCASE;
}

/* content:"...", or !"..."; Snort 3 writes what follows behind commas: content:"...",nocase; */
static bool read_content(rules *r, const char *value, const char *end)
{
    const bool negated = value < end && *value == '!';
    const char *open = skip_blanks(value + negated, end);
    const char *close = find_end(r, open, ",;");
    const char *more = close;
    close = close < end ? close : end;
    while (close > open + 1 && close[-1] != '"')
        close--;
    if (close - open < 2 || *open != '"')
        return complain_rule(r, "a content stands in quotes, as content:\"abc|0d 0a|\"");
    if (negated) {
        r->negated++;
        return true;
    }
    if (!add_content(r, open + 1, (size_t)(close - open) - 2))
        return false;
    while (more < end) {
        more = skip_blanks(more + 1, end);
        if (is_word(more, find_end(r, more, ",;"), "nocase"))
            set_nocase(r);
        more = find_end(r, more, ",;");
    }
    return true;
}

static bool read_sid(rules *r, const char *value, const char *end)
{
    uint64_t sid = 0;
    for (; value < end && *value >= '0' && *value <= '9' && sid <= UINT32_MAX; value++)
        sid = sid * 10 + (uint64_t)(*value - '0');
    if (sid == 0 || sid > UINT32_MAX)
        return complain_rule(r, "a sid is a number from 1 to 4294967295");
    for (size_t i = r->first; i < r->set->count; i++)
        r->set->patterns[i].id = (uint32_t)sid;
    return r->has_sid = true;
}

static bool read_option(rules *r, const char *at, const char *end, bool *positive)
{
    const char *colon = memchr(at, ':', (size_t)(end - at));
    const char *value = colon ? skip_blanks(colon + 1, end) : end;
    const size_t before = r->set->count;
    bool fine = true;
    if (is_word(at, end, "content") || is_word(at, end, "uricontent"))
        fine = read_content(r, value, end);
    else if (is_word(at, end, "nocase") && *positive)
        set_nocase(r);
    else if (is_word(at, end, "sid"))
        fine = read_sid(r, value, end);
    else
        return true;
    if (is_word(at, end, "content") || is_word(at, end, "uricontent"))
        *positive = r->set->count > before;
    return fine;
}

/* The options of a rule, whose head ends with the first parenthesis. */
static bool read_rule(rules *r)
{
    bool fine = true, positive = false; /* the last content was not negated */
    const char *open = memchr(r->text, '(', (size_t)(r->end - r->text));
    r->first = r->set->count;
    r->has_sid = false;
    if (!open)
        return complain_rule(r, "a rule has options in parentheses: ACTION PROTOCOL ... (content:"
                                "\"...\"; sid:1;)");
    while (r->end > open && r->end[-1] != ')')
        r->end--;
    if (r->end == open)
        return complain_rule(r, "the rule's parenthesis is not closed");
    r->end--;
    for (const char *at = open + 1; fine && (at = skip_blanks(at, r->end)) < r->end;) {
        const char *end = find_end(r, at, ";");
        fine = read_option(r, at, end, &positive);
        at = end + (end < r->end);
    }
    if (fine && !r->has_sid)
        return complain_rule(r, "the rule has no sid, which would be its patterns' number");
    r->without += fine && r->set->count == r->first;
    return fine;
}

/* ---- a file --------------------------------------------------------------------- */

/* The rule at `at`: a line, and those behind a line that ends with a backslash. Returns the end. */
static const char *find_rule(rules *r, const char *at, const char *end)
{
    r->line += r->lines;
    r->lines = 1;
    r->text = at;
    for (; at < end && *at != '\n'; at++) {
        const size_t left = (size_t)(end - at);
        const bool crlf = left > 2 && at[0] == '\\' && at[1] == '\r' && at[2] == '\n';
        if (crlf || (left > 1 && at[0] == '\\' && at[1] == '\n')) {
            at += crlf ? 2 : 1;
            r->lines++;
        }
    }
    r->end = at;
    return at < end ? at + 1 : at;
}

bool pattern_set_add_rules(pattern_set *set, const char *command, const char *path)
{
    size_t length;
    const char *text = pattern_set_read(set, command, path, &length);
    rules r = { .set = set, .command = command, .file = shown_name(path), .line = 1 };
    bool fine = text != NULL;
    set->given = true;
    for (const char *at = text, *end = at + (fine ? length : 0); fine && at < end;) {
        at = find_rule(&r, at, end);
        r.text = skip_blanks(r.text, r.end);
        if (r.text < r.end && *r.text != '#')
            fine = read_rule(&r);
    }
    if (fine && r.negated + r.without)
        complain(command,
                 "warning: %s: %zu negated contents, and %zu rules without another content, are "
                 "left out",
                 r.file, r.negated, r.without);
    return fine;
}
