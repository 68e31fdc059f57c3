/* residues.c: see formats/patterns/residues.h.
 *
 * REBASE marks a cut in a site by '^' (G^AATTC), one beside it by the bases between, on both
 * strands (GACGC(5/10), (8/13)GACNNNNNNTGG(12/7)). The mark of a site that is cut before its first
 * base is what asks for the begin of a sequence elsewhere; other marks in the list tell which it
 * is.
 */
#include "formats/patterns/residues.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool residues_are(uint32_t syntax)
{
    return syntax == TRAWL_SYNTAX_IUPAC || syntax == TRAWL_SYNTAX_PROSITE;
}

static list_line trimmed(list_line l)
{
    while (l.length && is_blank(l.text[l.length - 1]))
        l.length--;
    for (; l.length && is_blank(*l.text); l.length--)
        l.text++;
    return l;
}

list_line residues_line(list_line l)
{
    l = trimmed(l);
    l.length = l.length && *l.text == '#' ? 0 : l.length;
    return l;
}

list_line residues_column(list_line l)
{
    const char *tab = l.length ? memchr(l.text, '\t', l.length) : NULL;
    return trimmed((list_line){ l.text, tab ? (size_t)(tab - l.text) : l.length });
}

/* Length of a mark "(5/10)" at `at`, 0: it is none. */
static size_t cut_length(list_line l, size_t at)
{
    size_t i = at, digits = 0, numbers = 0;
    if (at == l.length || l.text[i++] != '(')
        return 0;
    for (; i < l.length && l.text[i] != ')'; i++) {
        const char c = l.text[i];
        numbers += c == '/';
        digits += c >= '0' && c <= '9';
        if (!strchr("0123456789-/", c))
            return 0;
    }
    return i < l.length && digits && numbers == 1 ? i + 1 - at : 0;
}

const char *residues_fault(list_line l, uint32_t syntax)
{
    for (size_t i = 0; i < l.length; i++) {
        size_t to = i;
        while (to < l.length && is_blank(l.text[to]))
            to++;
        if (to == i)
            continue;
        const bool joins = syntax == TRAWL_SYNTAX_PROSITE
                               ? l.text[i - 1] == '-' || l.text[to] == '-'
                               : cut_length(l, to) > 0 || l.text[i - 1] == ')';
        if (!joins)
            return "a blank stands within the pattern: a line is a pattern alone, or, in a "
                   "list with names, a name, a tab and a pattern, after which other columns may "
                   "stand";
        i = to;
    }
    return NULL;
}

/* ---- REBASE ---------------------------------------------------------------------- */

/* What stands at `at`: bytes of a mark, 0: none. *first: it is one if others are. */
static size_t mark_length(list_line l, size_t at, bool *first)
{
    const char before = at ? l.text[at - 1] : '|';
    *first = false;
    if (l.text[at] != '^')
        return cut_length(l, at);
    *first = before == '|';
    return before != '[';
}

/* Whether it has a mark that can be nothing else. */
static bool has_cut(list_line l)
{
    bool first;
    for (size_t i = 0; i < l.length; i++)
        if (mark_length(l, i, &first) && !first)
            return true;
    return false;
}

/* Without marks and blanks, in the set's memory. False: there is none. */
static bool uncut(pattern_set *set, size_t index)
{
    const list_line l = list_line_of(set, index);
    char *text = pattern_set_room(set, l.length);
    size_t kept = 0;
    bool first;
    for (size_t i = 0; text && i < l.length;) {
        const size_t mark = mark_length(l, i, &first);
        if (!mark && !is_blank(l.text[i]))
            text[kept++] = l.text[i];
        i += mark ? mark : 1;
    }
    set->patterns[index].text = text;
    set->patterns[index].length = kept;
    return text;
}

bool residues_uncut(pattern_set *set, size_t from, size_t to)
{
    size_t cuts = 0, begins = 0, first = to;
    for (size_t i = from; i < to; i++) {
        const list_line l = list_line_of(set, i);
        cuts += has_cut(l);
        begins += l.length && *l.text == '^';
        if (first == to && l.length && *l.text == '^')
            first = i;
    }
    if (!cuts && begins)
        pattern_set_warn(
            set, set->origins[first].file, set->origins[first].line,
            "'^' before a pattern is the begin of a sequence here: a cut of "
            "REBASE before the first base is not told from it; leave it out if it is one "
            "(patterns that begin so: %zu)",
            begins);
    if (!cuts)
        return true;
    for (size_t i = from; i < to; i++) {
        const list_line l = list_line_of(set, i);
        if ((has_cut(l) || (l.length && *l.text == '^')) && !uncut(set, i)) {
            return pattern_set_fail(set, NULL, 0, "out of memory for patterns");
        }
    }
    pattern_set_warn(set, set->origins[from].file, 0,
                     "REBASE's marks of cuts, '^' and (n/m), are left out of the sites: where "
                     "these are is found, not where they are cut");
    return true;
}

/* ---- entries --------------------------------------------------------------------- */

bool residues_read(pattern_set *set, size_t index, uint32_t syntax)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_pattern p = set->patterns[index];
    const pattern_origin *o = &set->origins[index];
    trawl_plan *plan = NULL;
    trawl_error error;
    p.syntax = syntax;
    options.engine = "bm"; /* which has little to do, or refuses: then the pattern was read */
    const int status = trawl_compile(&p, 1, &options, &plan, &error);
    trawl_plan_free(plan);
    if (status != TRAWL_ERROR_PATTERN && status != TRAWL_ERROR_LIMIT)
        return true;
    pattern_set_warn(set, o->file, o->line, "%s is left out: %s", p.name ? p.name : "the pattern",
                     error.message);
    set->left_out[LEFT_ENTRIES]++;
    return false;
}
