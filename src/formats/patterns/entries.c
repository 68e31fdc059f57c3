/* entries.c: files of patterns with names, from their lines to patterns.
 *
 * Idea: a file is read as a list first, whatever it is, for the syntax may be said after it. Then
 * its lines are read again and those that are left move up, in the same arrays.
 */
#include "formats/patterns/entries.h"

#include <ctype.h>
#include <string.h>

#include "formats/patterns/clamav.h"
#include "formats/patterns/residues.h"

/* What files say and is not done. */
typedef struct left_out {
    size_t entries; /* of PROSITE, without a pattern */
    size_t tabbed;  /* patterns that hold a tab, of lines with names, and the first one */
    size_t first_tabbed;
    clamav_left signatures;
} left_out;

static bool out_of_memory(const pattern_set *set)
{
    return pattern_set_fail(set, NULL, 0, "out of memory for the names of patterns");
}

/* What is wrong with the line that pattern `index` was. */
static bool refuse_line(const pattern_set *set, size_t index, const char *why)
{
    const pattern_origin *o = &set->origins[index];
    return pattern_set_fail(set, o->file, o->line, "%s", why);
}

/* ---- names before tabs ----------------------------------------------------------- */

static const char no_name[] = "in a list with names a line is NAME, a tab and a pattern";

static bool read_named(pattern_set *set, uint32_t syntax, size_t from, size_t *kept, left_out *left)
{
    const list_line l = list_line_of(set, from);
    const char *tab = memchr(l.text, '\t', l.length);
    const size_t before = tab ? (size_t)(tab - l.text) : 0;
    if (!tab || before == 0 || before + 1 == l.length)
        return refuse_line(set, from, no_name);
    list_line pattern = { tab + 1, l.length - before - 1 };
    const char *name = list_line_name(set, (list_line){ l.text, before });
    const char *fault = NULL;
    if (!name)
        return out_of_memory(set);
    if (residues_are(syntax)) {
        pattern = residues_column(pattern);
        fault = pattern.length ? residues_fault(pattern, syntax) : no_name;
    } else if (memchr(pattern.text, '\t', pattern.length) && left->tabbed++ == 0) {
        left->first_tabbed = *kept;
    }
    list_line_move(set, (*kept)++, from, pattern.text, pattern.length, name);
    return !fault || refuse_line(set, *kept - 1, fault);
}

/* ---- FASTA ------------------------------------------------------------------------ */

static bool is_title(list_line l)
{
    return l.length > 1 && l.text[0] == '>' && isgraph((unsigned char)l.text[1]);
}

bool looks_like_fasta(const char *text, size_t length)
{
    const char *at = memchr(text, '\n', length), *end = text + length;
    while (at && at < end && (*at == '\n' || *at == '\r'))
        at++;
    return is_title((list_line){ text, length }) && at && at < end && *at != '>';
}

/* The first word of a title. */
static list_line title_word(list_line l)
{
    size_t length = 1;
    while (length < l.length && isgraph((unsigned char)l.text[length]))
        length++;
    return (list_line){ l.text + 1, length - 1 };
}

/* Lines `from` to `to` after a title, joined without blanks. NULL: no memory. */
static char *join_sequence(pattern_set *set, size_t from, size_t to, size_t *length)
{
    size_t bytes = 0;
    for (size_t i = from; i < to; i++)
        bytes += set->patterns[i].length;
    char *text = pattern_set_room(set, bytes), *at = text;
    for (size_t i = from; text && i < to; i++) {
        const list_line l = list_line_of(set, i);
        for (size_t k = 0; k < l.length && l.text[0] != ';'; k++)
            if (l.text[k] != ' ' && l.text[k] != '\t')
                *at++ = l.text[k];
    }
    *length = (size_t)(at - text);
    return text;
}

static bool read_fasta(pattern_set *set, size_t from, size_t to, size_t *kept)
{
    for (size_t begin = from, end; begin < to; begin = end) {
        for (end = begin + 1; end < to && !list_line_begins(list_line_of(set, end), ">");)
            end++;
        size_t length;
        const char *name = list_line_name(set, title_word(list_line_of(set, begin)));
        const char *text = join_sequence(set, begin + 1, end, &length);
        if (!name || !text)
            return out_of_memory(set);
        if (length == 0)
            return refuse_line(set, begin,
                               "the sequence is empty, and an empty pattern would match "
                               "everywhere: remove its title");
        list_line_move(set, (*kept)++, begin, text, length, name);
    }
    return true;
}

/* ---- PROSITE ----------------------------------------------------------------- */

/* An entry ends with "//"; these are the lines that count. */
typedef struct entry {
    list_line id, accession;
    size_t first, lines, bytes; /* its PA lines */
} entry;

/* What stands after the two letters of a line, up to a semicolon. */
static list_line field(list_line l)
{
    l.text += 5;
    l.length -= 5;
    const char *end = memchr(l.text, ';', l.length);
    l.length = end ? (size_t)(end - l.text) : l.length;
    return l;
}

/* "PS00237 G_PROTEIN_RECEP_F1_1", or the accession alone where it is the ID too. NULL: no memory.
 */
static char *entry_name(pattern_set *set, const entry *e)
{
    const bool same = e->id.length == 0 || (e->id.length == e->accession.length &&
                                            !memcmp(e->id.text, e->accession.text, e->id.length));
    char *name = pattern_set_room(set, e->accession.length + 1 + e->id.length);
    if (!name)
        return NULL;
    size_t used = e->accession.length;
    if (used)
        memcpy(name, e->accession.text, used);
    if (!same && used)
        name[used++] = ' ';
    if (!same)
        memcpy(name + used, e->id.text, e->id.length);
    name[used + (same ? 0 : e->id.length)] = '\0';
    return name;
}

static bool add_entry(pattern_set *set, const entry *e, size_t *kept)
{
    char *name = entry_name(set, e), *text = pattern_set_room(set, e->bytes), *at = text;
    if (!name || !text)
        return false;
    for (size_t i = e->first; i < e->first + e->lines; i++) {
        const list_line l = list_line_of(set, i);
        memcpy(at, l.text + 5, l.length - 5);
        at += l.length - 5;
    }
    list_line_move(set, *kept, e->first, text, e->bytes, name);
    ++*kept;
    return true;
}

/* Lines `from` to `to` are a PROSITE file. */
static bool read_prosite(pattern_set *set, size_t from, size_t to, size_t *kept, left_out *left)
{
    entry e = { .lines = 0 };
    for (size_t i = from; i <= to; i++) {
        const list_line l = i < to ? list_line_of(set, i) : (list_line){ "//", 2 };
        if (list_line_begins(l, "ID   ")) {
            e.id = field(l);
        } else if (list_line_begins(l, "AC   ")) {
            e.accession = field(l);
        } else if (list_line_begins(l, "PA   ")) {
            e.first = e.lines ? e.first : i;
            e.lines++;
            e.bytes += l.length - 5;
        } else if (list_line_begins(l, "//")) {
            left->entries += !e.lines && e.accession.length;
            if (e.lines && !add_entry(set, &e, kept))
                return false;
            if (e.lines && !residues_read(set, *kept - 1, TRAWL_SYNTAX_PROSITE))
                --*kept;
            e = (entry){ .lines = 0 };
        }
    }
    return true;
}

/* ---- any file ---------------------------------------------------------------- */

/* The pattern after the last of the file of `from`; those of the command line are each alone. */
static size_t file_end(const pattern_set *set, size_t from, size_t lines)
{
    size_t to = from + 1;
    while (set->origins[from].file && to < lines &&
           set->origins[to].file == set->origins[from].file)
        to++;
    return to;
}

static bool is_prosite(const pattern_set *set, size_t from, size_t to)
{
    for (size_t i = from; set->origins[from].file && !set->origins[from].styled && i < to; i++)
        if (list_line_begins(list_line_of(set, i), "PA   "))
            return true;
    return false;
}

static bool is_fasta(const pattern_set *set, size_t from, size_t to, uint32_t syntax)
{
    return set->takes_fasta && syntax != TRAWL_SYNTAX_HEX && set->origins[from].file &&
           !set->origins[from].styled && to > from + 1 && is_title(list_line_of(set, from)) &&
           !list_line_begins(list_line_of(set, from + 1), ">");
}

/* One line of a file, or a pattern of the command line or a rule, which stays as it is. */
static bool read_line(pattern_set *set, uint32_t syntax, size_t from, size_t *kept, left_out *left)
{
    list_line l = list_line_of(set, from);
    const bool plain = !set->origins[from].file || set->origins[from].styled;
    const bool residues = residues_are(syntax) && !plain;
    if (residues)
        l = residues_line(l);
    if (l.length == 0 && (residues || syntax == TRAWL_SYNTAX_HEX))
        return true;
    if (l.length == 0 && !plain)
        return refuse_line(set, from,
                           "the line is empty, and an empty pattern would match everywhere: "
                           "remove the line (grep -v '^$' FILE writes the others)");
    if (set->with_names && !plain)
        return read_named(set, syntax, from, kept, left);
    const char *fault = residues ? residues_fault(l, syntax) : NULL;
    if (fault)
        return refuse_line(set, from, fault);
    if (syntax == TRAWL_SYNTAX_HEX && !plain)
        return clamav_read_line(set, from, kept, &left->signatures) || out_of_memory(set);
    list_line_move(set, (*kept)++, from, l.text, l.length, NULL);
    return true;
}

static bool read_file_entries(pattern_set *set, uint32_t syntax, size_t from, size_t to,
                              size_t *kept, left_out *left)
{
    if (is_fasta(set, from, to, syntax))
        return read_fasta(set, from, to, kept);
    if (syntax == TRAWL_SYNTAX_PROSITE && is_prosite(set, from, to))
        return read_prosite(set, from, to, kept, left) || out_of_memory(set);
    bool fine = true;
    for (size_t i = from; fine && i < to; i++)
        fine = read_line(set, syntax, i, kept, left);
    return fine;
}

bool pattern_set_read_entries(pattern_set *set, uint32_t syntax)
{
    size_t kept = 0;
    const size_t lines = set->count; /* logical signatures add patterns after them */
    left_out left = { .entries = 0 };
    bool fine = true;
    if (!set->with_names && !set->takes_fasta)
        return true;
    for (size_t from = 0, to; fine && from < lines; from = to) {
        const size_t first = kept;
        const bool bases =
            syntax == TRAWL_SYNTAX_IUPAC && set->origins[from].file && !set->origins[from].styled;
        to = file_end(set, from, lines);
        fine = read_file_entries(set, syntax, from, to, &kept, &left) &&
               (!bases || residues_uncut(set, first, kept));
    }
    if (!fine)
        return false;
    memmove(set->patterns + kept, set->patterns + lines,
            (set->count - lines) * sizeof *set->patterns);
    memmove(set->origins + kept, set->origins + lines, (set->count - lines) * sizeof *set->origins);
    set->count -= lines - kept;
    if (left.entries)
        pattern_set_warn(set, NULL, 0,
                         left.entries == 1
                             ? "%zu entry without a pattern (PA), such as a profile, is left out"
                             : "%zu entries without a pattern (PA), such as profiles, are left out",
                         left.entries);
    if (left.tabbed)
        pattern_set_warn(
            set, set->origins[left.first_tabbed].file, set->origins[left.first_tabbed].line,
            "the pattern holds a tab, and is sought with it: in a list "
            "with names a line is NAME, a tab and a pattern, and no more columns (lines with "
            "more: %zu)",
            left.tabbed);
    clamav_warn(set, &left.signatures);
    return true;
}
