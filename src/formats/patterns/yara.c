/* yara.c: YARA's rule files, as far as their strings go.
 *
 * Idea: one pass. Only the name and the section `strings` of a rule are read; all else is passed,
 * as far as strings, comments and regular expressions must be known to see where it ends. A string
 * that is not understood is left out, with its place and the reason, and so is a rule that cannot
 * be read: the next one begins with a line. A rule whose name another one has, or with two strings
 * of one name, is read and then left out. A file that does not begin as YARA's ends the run.
 *
 * Cost: what cannot be read is looked at twice at most. Nothing that is not closed is looked for
 * beyond what may not stand in it, and after a comment that is not closed nothing is read.
 */
#include "formats/patterns/yara.h"

#include <stdlib.h>
#include <string.h>

#include "formats/patterns/name_set.h"
#include "formats/sources/source.h"

/* What stands after a string. */
typedef struct yara_modifiers {
    bool nocase, wide, ascii, fullword;
    const char *unknown; /* one that is not read; NULL */
} yara_modifiers;

typedef struct yara {
    pattern_set *set;
    const char *file;
    const char *begin, *at, *end;
    const char *counted; /* lines up to here: */
    size_t line;
    const char *rule; /* name of the present one */
    size_t rule_length;
    const char *string; /* ... with its dollar */
    size_t string_length;
    name_set rules, strings; /* the names of rules that were read, and of strings in this one */
    const char *twice;       /* a string of this rule whose name is that of another one, or NULL */
    bool begun;              /* something of YARA's was read */
    bool whole;              /* the rule that is left out was read to its end */
    bool failed;             /* the list ends */
} yara;

static size_t line_at(yara *y, const char *place)
{
    for (; y->counted < place; y->counted++)
        y->line += *y->counted == '\n';
    for (; y->counted > place; y->counted--)
        y->line -= y->counted[-1] == '\n';
    return y->line;
}

/* The list ends here. Always false. */
static bool fail_at(yara *y, const char *place, const char *why)
{
    y->failed = true;
    return pattern_set_fail(y->set, y->file, line_at(y, place), "%s", why);
}

static bool out_of_memory(yara *y)
{
    return fail_at(y, y->at, "out of memory for a string");
}

/* The rule, which cannot be read at `place`, is left out. Always false. */
static bool refuse(yara *y, const char *place, const char *why)
{
    pattern_set_warn(y->set, y->file, line_at(y, place), "%.*s%sleft out: %s", (int)y->rule_length,
                     y->rule, y->rule_length ? ": " : "", why);
    y->set->left_out[LEFT_RULES]++;
    y->at = place;
    return false;
}

/* Say that a string is left out; what of it, and why. */
static void leave_out(yara *y, const char *place, const char *what, const char *why)
{
    pattern_set_warn(y->set, y->file, line_at(y, place), "%.*s:%.*s: %sleft out: %s",
                     (int)y->rule_length, y->rule, (int)y->string_length, y->string, what, why);
    y->set->left_out[LEFT_STRINGS]++;
}

/* ---- what files are made of ------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool at_text(const yara *y, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(y->end - y->at) >= length && memcmp(y->at, text, length) == 0;
}

/* A comment begins here that does not end: nothing after it is read. */
static void end_in_comment(yara *y)
{
    pattern_set_warn(y->set, y->file, line_at(y, y->at),
                     "the comment is not closed: what follows is left out");
    y->set->left_out[LEFT_ENTRIES]++;
    y->end = y->at;
}

/* Pass blanks and comments. */
static void skip(yara *y)
{
    for (;;) {
        while (y->at < y->end && strchr(" \t\r\n\f\v", *y->at) && *y->at)
            y->at++;
        if (at_text(y, "//")) {
            const char *stop = memchr(y->at, '\n', (size_t)(y->end - y->at));
            y->at = stop ? stop : y->end;
        } else if (at_text(y, "/*")) {
            const char *stop = y->at + 2;
            while (y->end - stop >= 2 && (stop[0] != '*' || stop[1] != '/'))
                stop++;
            if (y->end - stop >= 2)
                y->at = stop + 2;
            else
                end_in_comment(y);
        } else {
            return;
        }
    }
}

/* The name at y->at, which may be empty. */
static size_t pass_name(yara *y)
{
    const char *begin = y->at;
    while (y->at < y->end && is_letter(*y->at))
        y->at++;
    return (size_t)(y->at - begin);
}

/* Go after what ends with `quote`, which a backslash keeps from it; a newline may not stand in it.
 * False: it does not end. */
static bool pass_quoted(yara *y, char quote)
{
    const char *begin = y->at++;
    while (y->at < y->end && *y->at != quote && *y->at != '\n')
        y->at += *y->at == '\\' && y->at + 1 < y->end ? 2 : 1;
    if (y->at < y->end && *y->at == quote) {
        y->at++;
        return true;
    }
    return refuse(y, begin,
                  quote == '"' ? "the string is not closed on its line"
                               : "the regular expression is not closed on its line");
}

/* One token of a section that is not read. */
static bool pass_token(yara *y)
{
    if (*y->at == '"' || *y->at == '/')
        return pass_quoted(y, *y->at);
    if (!pass_name(y))
        y->at++;
    return true;
}

/* Whether the name before y->at, of `length` bytes, opens a section of that name. */
static bool opens(yara *y, size_t length, const char *name)
{
    const char *begin = y->at - length;
    if (length != strlen(name) || memcmp(begin, name, length) != 0)
        return false;
    const char *after = y->at;
    skip(y);
    const bool colon = y->at < y->end && *y->at == ':';
    y->at = colon ? y->at + 1 : after;
    return colon;
}

/* ---- strings --------------------------------------------------------------------- */

static bool append(yara *y, const char *text, size_t length, uint32_t syntax, uint32_t word)
{
    const size_t name_length = y->rule_length + 1 + y->string_length;
    char *name = pattern_set_room(y->set, name_length);
    if (!name || !pattern_set_append(y->set, text, length, y->file, line_at(y, y->string)))
        return out_of_memory(y);
    memcpy(name, y->rule, y->rule_length);
    name[y->rule_length] = ':';
    memcpy(name + y->rule_length + 1, y->string, y->string_length);
    name[name_length] = '\0';
    const size_t index = y->set->count - 1;
    y->set->patterns[index].syntax = syntax;
    y->set->patterns[index].name = name;
    y->set->origins[index].styled = true;
    if (word != TRAWL_WORD_ANY)
        pattern_set_word(y->set, index, word);
    return true;
}

/* Compile the last pattern alone. */
static int try_last(const yara *y, const char *engine, trawl_error *error)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    options.engine = engine;
    const int status = pattern_set_make(y->set, y->set->count - 1, 1, &options, &plan, error);
    trawl_plan_free(plan);
    return status;
}

/* Whether the library takes the last pattern; else it is taken back, and left out. One engine is
 * soon built. */
static bool keep_last(yara *y, const char *what)
{
    trawl_error error;
    int status = try_last(y, "shiftand", &error);
    if (status == TRAWL_ERROR_UNSUPPORTED)
        status = try_last(y, NULL, &error);
    if (status == TRAWL_OK)
        return true;
    if (status == TRAWL_ERROR_MEMORY)
        return out_of_memory(y);
    leave_out(y, y->string, what, error.message);
    y->set->count--;
    return true;
}

/* What an escape after a backslash stands for, at *at, which moves after it; -1: for nothing. */
static int escaped(const char **at, const char *end)
{
    static const char names[] = "tnr\"\\", bytes[] = "\t\n\r\"\\";
    const char *found = strchr(names, **at);
    if (**at == 'x' && end - *at > 2 && hex_digit((*at)[1]) >= 0 && hex_digit((*at)[2]) >= 0) {
        *at += 3;
        return hex_digit((*at)[-2]) * 16 + hex_digit((*at)[-1]);
    }
    if (!**at || !found)
        return -1;
    ++*at;
    return (uint8_t)bytes[found - names];
}

/* The bytes between quotes, each `step` bytes after the other, with zeros between. NULL: an escape
 * is none, or *count is SIZE_MAX: without memory. */
static char *decode(yara *y, const char *text, const char *end, size_t step, size_t *count)
{
    char *bytes = pattern_set_room(y->set, step * (size_t)(end - text));
    *count = 0;
    if (!bytes) {
        *count = SIZE_MAX;
        return NULL;
    }
    while (text < end) {
        int byte = (uint8_t)*text++;
        if (byte == '\\' && text < end)
            byte = escaped(&text, end);
        if (byte < 0)
            return NULL;
        bytes[*count] = (char)byte;
        if (step == 2)
            bytes[*count + 1] = 0;
        *count += step;
    }
    return bytes;
}

static uint32_t word_of(const yara_modifiers *m, bool wide)
{
    return !m->fullword ? TRAWL_WORD_ANY : wide ? TRAWL_WORD_FULL_WIDE : TRAWL_WORD_FULL;
}

static bool add_text(yara *y, const char *text, const char *end, const yara_modifiers *m)
{
    const uint32_t id = (uint32_t)y->set->count + 1;
    for (size_t step = 1; step <= 2; step++) {
        size_t count;
        if (step == 1 ? m->wide && !m->ascii : !m->wide)
            continue;
        const char *bytes = decode(y, text, end, step, &count);
        if (!bytes && count == SIZE_MAX)
            return out_of_memory(y);
        if (!bytes || !count) {
            leave_out(y, text, "",
                      bytes ? "it is empty" : "an escape is none of \\\" \\\\ \\t \\n \\r \\xHH");
            return true;
        }
        if (!append(y, bytes, count, TRAWL_SYNTAX_LITERAL, word_of(m, step == 2)))
            return false;
        y->set->patterns[y->set->count - 1].id = id;
        y->set->patterns[y->set->count - 1].flags = m->nocase ? TRAWL_NOCASE : 0;
    }
    return true;
}

static bool add_regex(yara *y, const char *text, size_t length, const char *flags,
                      size_t flag_count, const yara_modifiers *m)
{
    const uint32_t id = (uint32_t)y->set->count + 1;
    for (int wide = 0; wide <= 1; wide++) {
        if (wide ? !m->wide : m->wide && !m->ascii)
            continue;
        yara_regex r = { .text = text,
                         .length = length,
                         .nocase = m->nocase || memchr(flags, 'i', flag_count),
                         .dot_all = memchr(flags, 's', flag_count),
                         .wide = wide };
        const char *why, *what = wide ? "wide form " : m->wide ? "ascii form " : "";
        size_t count;
        const char *pattern = yara_regex_pattern(y->set, &r, &count, &why);
        if (!pattern && !why)
            return out_of_memory(y);
        if (pattern && m->fullword && !r.one_length) {
            pattern = NULL;
            why = "fullword of matches of several lengths";
        }
        if (!pattern) {
            leave_out(y, text, what, why);
            continue;
        }
        if (!append(y, pattern, count, TRAWL_SYNTAX_EXTENDED, word_of(m, wide)))
            return false;
        y->set->patterns[y->set->count - 1].id = id;
        if (!keep_last(y, what))
            return false;
    }
    return true;
}

/* Go after a modifier's parentheses, between which numbers and strings stand. */
static bool pass_arguments(yara *y)
{
    skip(y);
    const char *begin = y->at;
    if (y->at == y->end || *y->at != '(')
        return true;
    for (y->at++; y->at < y->end && !strchr("(){}$=:/", *y->at);)
        if (*y->at != '"')
            y->at++;
        else if (!pass_quoted(y, '"'))
            return false;
    if (y->at == y->end || *y->at != ')')
        return refuse(y, begin, "the parenthesis after a modifier is not closed");
    y->at++;
    return true;
}

/* Modifiers, up to what is none: the next string, a section, the end. */
static bool read_modifiers(yara *y, yara_modifiers *m)
{
    static const char *const names[] = { "nocase",  "wide",   "ascii",      "fullword",
                                         "private", "base64", "base64wide", "xor" };
    bool *const flags[] = { &m->nocase, &m->wide, &m->ascii, &m->fullword };
    for (;;) {
        skip(y);
        const char *begin = y->at;
        const size_t length = pass_name(y);
        size_t i = 0;
        while (i < 8 && (length != strlen(names[i]) || memcmp(begin, names[i], length) != 0))
            i++;
        if (i == 8) {
            y->at = begin;
            return true;
        }
        if (i < 4)
            *flags[i] = true;
        else if (i > 4)
            m->unknown = names[i];
        if (!pass_arguments(y))
            return false;
    }
}

/* The value of a string, with its modifiers. */
static bool read_string(yara *y)
{
    yara_modifiers m = { .unknown = NULL };
    const char *begin = y->at, kind = y->at < y->end ? *y->at : 0;
    if (kind == '"' || kind == '/') {
        if (!pass_quoted(y, kind))
            return false;
    } else if (kind == '{') {
        for (y->at++, skip(y); y->at < y->end && !strchr("{}\"$=:", *y->at); skip(y))
            y->at++;
        if (y->at == y->end || *y->at != '}')
            return refuse(y, begin, "the hex string is not closed");
        y->at++;
    } else {
        return refuse(y, begin, "a string's value is \"text\", { 4D 5A } or /regex/");
    }
    const char *end = y->at - 1, *flags = y->at;
    const size_t flag_count = kind == '/' ? pass_name(y) : 0;
    if (!read_modifiers(y, &m))
        return false;
    if (m.unknown) {
        leave_out(y, begin, "", m.unknown);
        return true;
    }
    if (kind == '"')
        return add_text(y, begin + 1, end, &m);
    if (kind == '/')
        return add_regex(y, begin + 1, (size_t)(end - begin - 1), flags, flag_count, &m);
    return append(y, begin, (size_t)(end + 1 - begin), TRAWL_SYNTAX_HEX, TRAWL_WORD_ANY) &&
           keep_last(y, "");
}

/* ---- rules ------------------------------------------------------------------------ */

/* Remember the name of the string; those without one are `$` alone, and may be many. */
static bool note_string(yara *y)
{
    if (y->string_length > 1 && name_set_has(&y->strings, y->string, y->string_length))
        y->twice = y->twice ? y->twice : y->string;
    return name_set_add(&y->strings, y->string, y->string_length) || out_of_memory(y);
}

/* $name = value ... up to the next section, before which y->at is left. */
static bool read_strings(yara *y)
{
    for (;;) {
        skip(y);
        if (y->at == y->end || *y->at != '$')
            return true;
        y->string = y->at++;
        pass_name(y);
        y->string_length = (size_t)(y->at - y->string);
        if (!note_string(y))
            return false;
        skip(y);
        if (y->at == y->end || *y->at != '=')
            return refuse(y, y->string, "a string is $name = value");
        y->at++;
        skip(y);
        if (!read_string(y))
            return false;
    }
}

/* What stands between a rule's braces, where no name is "rule". */
static bool read_body(yara *y, const char *begin)
{
    for (skip(y); y->at < y->end && *y->at != '}'; skip(y)) {
        const char *name = y->at;
        const size_t length = is_letter(*name) ? pass_name(y) : 0;
        if (length == 4 && memcmp(name, "rule", 4) == 0)
            return refuse(y, begin, "the rule is not closed");
        if (length ? opens(y, length, "strings") && !read_strings(y) : !pass_token(y))
            return false;
    }
    if (y->at == y->end)
        return refuse(y, begin, "the rule is not closed");
    y->at++;
    return true;
}

/* What stands between a rule's name and its brace: a colon and tags. */
static bool pass_tags(yara *y, const char *begin)
{
    skip(y);
    if (y->at < y->end && *y->at == ':')
        y->at++;
    for (skip(y); y->at < y->end && *y->at != '{'; skip(y)) {
        const char *tag = y->at;
        const size_t length = pass_name(y);
        if (!length || (length == 4 && memcmp(tag, "rule", 4) == 0))
            break;
    }
    if (y->at == y->end || *y->at != '{')
        return refuse(y, begin, "the rule is not opened");
    y->at++;
    return true;
}

/* The rule was read to its end: whether its names are its own. */
static bool keep_rule(yara *y)
{
    const bool again = name_set_has(&y->rules, y->rule, y->rule_length);
    const char *after = y->at;
    if (!again && !y->twice)
        return name_set_add(&y->rules, y->rule, y->rule_length) || out_of_memory(y);
    refuse(y, again ? y->rule : y->twice,
           again ? "another rule before it has the same name"
                 : "another string of the rule has the same name");
    y->at = after;
    y->whole = true;
    return false;
}

static bool read_rule(yara *y)
{
    skip(y);
    y->rule = y->at;
    y->rule_length = pass_name(y);
    y->twice = NULL;
    name_set_free(&y->strings);
    const char *begin = y->rule;
    if (!y->rule_length)
        return refuse(y, begin, "a rule has a name");
    return pass_tags(y, begin) && read_body(y, begin) && keep_rule(y);
}

/* ---- files ------------------------------------------------------------------------ */

/* Which of the words that parts of a file begin with stands at y->at, which moves after it; PARTS:
 * none, and y->at stays. */
enum { RULE, PRIVATE, GLOBAL, IMPORT, INCLUDE, PARTS };

static int pass_word(yara *y)
{
    static const char *const words[PARTS] = { "rule", "private", "global", "import", "include" };
    const char *begin = y->at;
    const size_t length = pass_name(y);
    int word = 0;
    while (word < PARTS &&
           (length != strlen(words[word]) || memcmp(begin, words[word], length) != 0))
        word++;
    if (word == PARTS)
        y->at = begin;
    return word;
}

/* Whether a part begins at y->at: a word, and what must stand after it. */
static bool at_part(yara *y)
{
    const char *begin = y->at;
    const int word = pass_word(y);
    skip(y);
    const char next = y->at < y->end ? *y->at : 0;
    y->at = begin;
    return word < PARTS && (word == RULE || (word < IMPORT ? is_letter(next) : next == '"'));
}

/* Say that no part of a file begins here, and pass over it up to the next one. */
static bool pass_stray(yara *y)
{
    const char *begin = y->at;
    if (!y->begun)
        return fail_at(y, begin, "a YARA file is made of rules: rule NAME { strings: ... }");
    const size_t name = pass_name(y), length = name ? name : 1;
    pattern_set_warn(y->set, y->file, line_at(y, begin),
                     "left out: '%.*s' and what follows, up to the next rule, import or include",
                     (int)(length < 40 ? length : 40), begin);
    y->set->left_out[LEFT_ENTRIES]++;
    y->at = begin + length;
    for (skip(y); y->at < y->end && !at_part(y); skip(y))
        if (!pass_name(y))
            y->at++;
    return true;
}

/* A rule, or what stands between rules: import, include, private, global. */
static bool read_part(yara *y)
{
    const char *begin = y->at;
    if (!at_part(y))
        return pass_stray(y);
    const int word = pass_word(y);
    y->begun = true;
    if (word == RULE)
        return read_rule(y);
    skip(y);
    if (word == INCLUDE)
        pattern_set_warn(y->set, y->file, line_at(y, begin),
                         "include is left out: give that file, too");
    return word < IMPORT || pass_quoted(y, '"');
}

/* After what cannot be read: the next line that begins as what read_part takes. */
static void pass_to_part(yara *y)
{
    do {
        const char *stop = memchr(y->at, '\n', (size_t)(y->end - y->at));
        y->at = stop ? stop : y->end;
        skip(y);
    } while (y->at < y->end && !at_part(y));
}

static bool read_rules(yara *y)
{
    for (skip(y); !y->failed && y->at < y->end; skip(y)) {
        const size_t patterns = y->set->count;
        y->rule_length = 0;
        y->whole = false;
        if (read_part(y) || y->failed)
            continue;
        y->set->count = patterns;
        if (!y->whole)
            pass_to_part(y);
    }
    name_set_free(&y->rules);
    name_set_free(&y->strings);
    return !y->failed;
}

bool pattern_set_add_yara(pattern_set *set, const char *path)
{
    size_t length;
    const char *text = pattern_set_read(set, path, &length);
    yara y = { .set = set, .file = shown_name(path), .line = 1 };
    set->given = set->every_start = true;
    if (!text)
        return false;
    y.begin = y.at = y.counted = text;
    y.end = text + length;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        y.at += 3;
    return read_rules(&y);
}
