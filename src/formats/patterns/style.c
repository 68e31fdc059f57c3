/* style.c: see style.h. */
#include "formats/patterns/style.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/patterns/clamav.h"
#include "formats/patterns/entries.h"
#include "formats/patterns/line_empty.h"

#define MAX_WARNED 5 /* patterns that are warned of one by one */

static bool is_between(char c, char low, char high)
{
    return c >= low && c <= high;
}

/* What stands after a backslash: is it x80 to xff, or 200 to 377? */
static bool is_high_escape(const char *text, size_t length)
{
    if (length < 3)
        return false;
    if (text[0] == 'x')
        return is_between(text[1], '8', '9') || is_between(text[1], 'a', 'f') ||
               is_between(text[1], 'A', 'F');
    return is_between(text[0], '2', '3') && is_between(text[1], '0', '7') &&
           is_between(text[2], '0', '7');
}

/* Does the pattern name ASCII bytes only? */
static bool is_ascii(const trawl_pattern *p)
{
    const char *text = p->text;
    for (size_t i = 0; i < p->length; i++) {
        if ((unsigned char)text[i] >= 0x80)
            return false;
        if (text[i] != '\\' || p->syntax == TRAWL_SYNTAX_LITERAL)
            continue;
        i++; /* the byte after it may be a backslash itself */
        if (is_high_escape(text + i, p->length - i))
            return false;
    }
    return true;
}

/* Offset of the first backslash outside a class that makes an operator in the basic syntax of
 * GNU grep, and a plain byte here; the length when there is none. */
static size_t basic_operator(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '[')
            i = pattern_class_end(text, length, i);
        else if (text[i] == '\\' && ++i < length && text[i] && strchr("|+?{}()", text[i]))
            return i - 1;
    }
    return length;
}

static const char *basic_remedy(char operator)
{
    switch (operator) {
    case '|':
        return "for alternatives write |";
    case '+':
        return "for a repeat write +";
    case '?':
        return "for what may be left out write ?";
    case '{':
    case '}':
        return "for a repeat write {x,y}";
    default:
        return "for a group write ( )";
    }
}

static void warn_of(const pattern_set *set, size_t index, const char *message)
{
    const pattern_origin *origin = &set->origins[index];
    if (origin->file)
        pattern_set_warn(set, NULL, 0, "pattern %zu (from %s line %zu): %s", index + 1,
                         origin->file, origin->line, message);
    else
        pattern_set_warn(set, NULL, 0, "pattern %zu: %s", index + 1, message);
}

/* Who writes for grep without -E means an operator, and would wonder why nothing is found. */
static void warn_of_basic(const pattern_set *set)
{
    size_t warned = 0;
    for (size_t i = 0; i < set->count; i++) {
        const trawl_pattern *p = &set->patterns[i];
        const char *text = p->text;
        const size_t at = basic_operator(text, p->length);
        char message[160];
        if (at == p->length || p->syntax != TRAWL_SYNTAX_EXTENDED || ++warned > MAX_WARNED)
            continue;
        const char c = text[at + 1];
        snprintf(message, sizeof message,
                 "column %zu: '\\%c' is a plain %c here; %s; write [%c] to silence this", at + 1, c,
                 c, basic_remedy(c), c);
        warn_of(set, i, message);
    }
    if (warned > MAX_WARNED)
        pattern_set_warn(set, NULL, 0, "%zu more patterns hold such a byte", warned - MAX_WARNED);
}

static void warn_of_case(const pattern_set *set)
{
    size_t i = 0;
    while (i < set->count &&
           (!(set->patterns[i].flags & TRAWL_NOCASE) || is_ascii(&set->patterns[i])))
        i++;
    if (i < set->count)
        pattern_set_warn(set, NULL, 0,
                         "in either case match the letters A to Z only: other letters of pattern "
                         "%zu match as they are written",
                         i + 1);
}

/* Take the flag before a pattern that is no literal. */
static void take_head(trawl_pattern *p, pattern_origin *origin)
{
    static const char head[] = "(?i)";
    const size_t length = sizeof head - 1;
    if (p->syntax == TRAWL_SYNTAX_LITERAL || p->syntax == TRAWL_SYNTAX_ESCAPED ||
        p->length <= length || memcmp(p->text, head, length) != 0)
        return;
    p->text = (const char *)p->text + length;
    p->length -= length;
    p->flags |= TRAWL_NOCASE;
    origin->head = length;
}

bool pattern_set_style(pattern_set *set, uint32_t syntax, uint32_t flags)
{
    if (!pattern_set_read_entries(set, syntax))
        return false;
    for (size_t i = 0; i < set->count; i++) {
        set->patterns[i].flags |= flags;
        if (set->origins[i].styled)
            continue;
        set->patterns[i].syntax = syntax;
        take_head(&set->patterns[i], &set->origins[i]);
    }
    if (set->takes_empty && !line_empty_settle(set, syntax, flags))
        return pattern_set_fail(set, NULL, 0, "out of memory for a pattern");
    if (!clamav_leave_out_malformed(set))
        return false;
    warn_of_case(set);
    if (syntax == TRAWL_SYNTAX_EXTENDED && !set->extended)
        warn_of_basic(set);
    return true;
}

bool pattern_set_other_strand(pattern_set *set, bool too)
{
    const size_t count = set->count;
    for (size_t i = 0; too && i < count; i++) {
        const pattern_origin *o = &set->origins[i];
        if (!pattern_set_append(set, set->patterns[i].text, set->patterns[i].length, o->file,
                                o->line))
            return pattern_set_fail(set, NULL, 0,
                                    "out of memory for the patterns of the other strand");
    }
    for (size_t i = count; i-- > 0;) {
        const size_t plus = too ? 2 * i : i, minus = too ? plus + 1 : i;
        set->patterns[minus] = set->patterns[plus] = set->patterns[i];
        set->origins[minus] = set->origins[plus] = set->origins[i];
        set->patterns[minus].flags |= TRAWL_OTHER_STRAND;
    }
    return true;
}

/* Whether the pattern ends with x+, x being a class, a byte of ASCII or an escape that is no
 * number: then the lines that match are those that match x there. */
static bool ends_with_plus(const trawl_pattern *p)
{
    const char *text = p->text;
    size_t number = 0;    /* where one may end */
    bool element = false; /* stands before text[i], and may be repeated */
    if (p->syntax != TRAWL_SYNTAX_EXTENDED || p->flags & (TRAWL_WORDS | TRAWL_WHOLE_LINES) ||
        p->length < 2 || text[p->length - 1] != '+')
        return false;
    for (size_t i = 0; i + 1 < p->length; i++) {
        element = text[i] > 0 && text[i] <= '~' && !strchr("^$(|){}*+?", text[i]) && i >= number;
        if (text[i] == '[')
            i = pattern_class_end(text, p->length, i);
        else if (text[i] == '\\' && text[i + 1] == 'Q')
            return false; /* the + may be quoted */
        else if (text[i] == '\\' && (text[++i] == 'x' || is_between(text[i], '0', '9')))
            number = i + 3;
        if (i + 1 >= p->length || i < number)
            element = false; /* the + belongs to the class or escape, or may do */
    }
    return element;
}

/* A copy of the patterns, malloc'ed, of which none ends with such a repeat; NULL: nothing is
 * gained. */
static trawl_pattern *make_shorter(const pattern_set *set)
{
    trawl_pattern *shorter = NULL;
    for (size_t i = 0; i < set->count && set->by_line; i++) {
        if (!ends_with_plus(&set->patterns[i]))
            continue;
        if (!shorter) {
            shorter = malloc(set->count * sizeof *shorter);
            if (!shorter)
                return NULL;
            memcpy(shorter, set->patterns, set->count * sizeof *shorter);
        }
        shorter[i].length--;
    }
    return shorter;
}

int pattern_set_plan(const pattern_set *set, const trawl_compile_options *asked, trawl_plan **plan,
                     trawl_error *error)
{
    trawl_compile_options options = *asked;
    const bool named = options.engine && strcmp(options.engine, "auto") != 0;
    trawl_pattern *shorter = named ? NULL : make_shorter(set);
    options.keep_texts = set->keeps_texts;
    options.tag = set->tag;
    options.note = set->note;
    options.note_length = set->note ? strlen(set->note) : 0;
    const int status = shorter ? trawl_compile(shorter, set->count, &options, plan, NULL)
                               : TRAWL_ERROR_UNSUPPORTED;
    free(shorter);
    return status == TRAWL_OK ? status
                              : pattern_set_make(set, 0, set->count, &options, plan, error);
}
