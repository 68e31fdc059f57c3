/* patterns.c: the patterns of a run: their style, what is said of them, and compiling them. */
#include <stdlib.h>
#include <string.h>

#include "formats/patterns/clamav.h"
#include "cli/cli.h"
#include "formats/patterns/entries.h"
#include "cli/line_empty.h"

#define LONGEST_SHOWN 200 /* a longer pattern is not shown in messages */
#define MOST_WARNED 5     /* patterns that are warned of one by one */

/* ---- messages ---------------------------------------------------------- */

/* Of a pattern_set whose teller is a run_options. */
static void complain_message(void *user, const pattern_message *m)
{
    const run_options *o = user;
    const char *command = o->command, *kind = m->warning ? "warning: " : "";
    if (m->file && m->line)
        complain(command, "%s%s:%zu: %s", kind, m->file, m->line, m->text);
    else if (m->file)
        complain(command, "%s%s: %s", kind, m->file, m->text);
    else
        complain(command, "%s%s", kind, m->text);
}

void pattern_set_complains(pattern_set *set, run_options *o)
{
    set->tell = complain_message;
    set->teller = o;
}

/* The pattern on a line of its own, and a caret under the byte at `offset`. */
static void show_pattern(const trawl_pattern *p, size_t offset)
{
    const char *text = p->text;
    if (p->length == 0 || p->length > LONGEST_SHOWN)
        return;
    for (size_t i = 0; i < p->length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return;
    fprintf(stderr, "  %.*s\n", (int)p->length, text);
    if (offset <= p->length)
        fprintf(stderr, "  %*s^\n", (int)offset, "");
}

/* "pattern 2 (from list line 7): message" */
static void complain_of(const pattern_set *set, const char *command, size_t index,
                        const char *message)
{
    const pattern_origin *origin = &set->origins[index];
    if (origin->file)
        complain(command, "pattern %zu (from %s line %zu): %s", index + 1, origin->file,
                 origin->line, message);
    else
        complain(command, "pattern %zu: %s", index + 1, message);
}

void pattern_set_complain(const pattern_set *set, const char *command, size_t index,
                          const char *message)
{
    complain_of(set, command, index, message);
    show_pattern(&set->patterns[index], TRAWL_NONE);
}

static void complain_pattern(const pattern_set *set, const char *command, const trawl_error *error)
{
    if (error->pattern >= set->count) {
        complain(command, "%s", error->message);
        return;
    }
    complain_of(set, command, error->pattern, error->message);
    show_pattern(&set->patterns[error->pattern], error->offset);
}

/* Compiling failed. The library names its own option for what --max-memory sets. */
static void complain_compile(const pattern_set *set, const char *command, const trawl_error *error)
{
    static const char of_library[] = "trawl_compile_options.max_memory", own[] = "--max-memory";
    trawl_error shown = *error;
    char *at = strstr(shown.message, of_library);
    if (at) {
        const char *rest = at + sizeof of_library - 1;
        memcpy(at, own, sizeof own - 1);
        memmove(at + sizeof own - 1, rest, strlen(rest) + 1);
    }
    complain_pattern(set, command, &shown);
}

/* ---- style --------------------------------------------------------------- */

static bool is_between(char c, char low, char high)
{
    return c >= low && c <= high;
}

/* What stands behind a backslash: is it x80 to xff, or 200 to 377? */
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
        i++; /* the byte behind may be a backslash itself */
        if (is_high_escape(text + i, p->length - i))
            return false;
    }
    return true;
}

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
        return "there are no groups: write the alternatives out, as ab|ac for a(b|c)";
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
        if (at == p->length || p->syntax != TRAWL_SYNTAX_EXTENDED || ++warned > MOST_WARNED)
            continue;
        const char c = text[at + 1];
        snprintf(message, sizeof message,
                 "column %zu: '\\%c' is a plain %c here; %s; write [%c] to silence this", at + 1, c,
                 c, basic_remedy(c), c);
        warn_of(set, i, message);
    }
    if (warned > MOST_WARNED)
        pattern_set_warn(set, NULL, 0, "%zu more patterns hold such a byte", warned - MOST_WARNED);
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

/* ---- compiling ----------------------------------------------------------- */

/* False, after a complaint, when --wm-block means nothing to the engine. */
static bool fits_wm_block(const trawl_plan *plan, const run_options *o)
{
    trawl_plan_info info = { .size = sizeof info, .engine = "" };
    trawl_plan_get_info(plan, &info);
    if (!o->wm_block || strncmp(info.engine, "wm", 2) == 0 || strstr(info.engine, " wm"))
        return true;
    complain(o->command,
             "--wm-block is for the engine wm, but the engine is %s: add --engine wm, or leave "
             "--wm-block out",
             info.engine);
    return false;
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
        else if (text[i] == '\\' && (text[++i] == 'x' || is_between(text[i], '0', '9')))
            number = i + 3;
        if (i + 1 >= p->length || i < number)
            element = false; /* the + belongs to the class or escape, or may do */
    }
    return element;
}

/* A copy of the patterns without such ends, malloc'ed; NULL: nothing is gained. */
static trawl_pattern *shorter_patterns(const pattern_set *set)
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

/* The engine for one literal has little to do: the patterns are read first. */
bool pattern_set_check(const pattern_set *set, const run_options *o)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error;
    options.engine = "bm";
    options.max_memory = o->max_memory;
    const int status = trawl_compile(set->patterns, set->count, &options, &plan, &error);
    trawl_plan_free(plan);
    if (status == TRAWL_OK || status == TRAWL_ERROR_UNSUPPORTED)
        return true;
    complain_compile(set, o->command, &error);
    return false;
}

trawl_plan *pattern_set_compile(pattern_set *set, const run_options *o,
                                const trawl_context *context, const void *sample,
                                size_t sample_length)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error;
    if (set->plan) {
        plan = set->plan;
        set->plan = NULL; /* it is the caller's now */
        explain_print(o, plan);
        return plan;
    }
    options.engine = o->engine;
    options.wm_block = o->wm_block;
    options.max_memory = o->max_memory;
    options.keep_texts = set->keeps_texts;
    options.tag = set->tag;
    options.note = set->note;
    options.note_length = set->note ? strlen(set->note) : 0;
    options.sample = sample;
    options.sample_length = sample_length;
    options.context = context;
    const bool chosen = o->engine && strcmp(o->engine, "auto") != 0;
    trawl_pattern *shorter = chosen ? NULL : shorter_patterns(set);
    if (shorter)
        trawl_compile(shorter, set->count, &options, &plan, NULL);
    free(shorter);
    if (!plan && trawl_compile(set->patterns, set->count, &options, &plan, &error) != TRAWL_OK)
        complain_compile(set, o->command, &error);
    else
        explain_print(o, plan);
    if (!plan || fits_wm_block(plan, o))
        return plan;
    trawl_plan_free(plan);
    return NULL;
}
