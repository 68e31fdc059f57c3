/* clamav.c: see formats/patterns/clamav.h. */
#include "formats/patterns/clamav.h"

#include <stdlib.h>
#include <string.h>

#include "formats/patterns/rules.h"

void clamav_leave_out(pattern_set *set, size_t index, const char *why)
{
    const pattern_origin *o = &set->origins[index];
    const char *name = set->patterns[index].name;
    pattern_set_warn(set, o->file, o->line, "%s%sis left out: %s", name ? name : "",
                     name ? " " : "the signature ", why);
    set->left_out[LEFT_SIGNATURES]++;
}

/* Name:Target:Offset:Signature, and more fields at times. False: it is no such line. */
static bool split_signature(list_line l, list_line field[4])
{
    for (size_t i = 0; i < 4; i++) {
        const char *colon = memchr(l.text, ':', l.length);
        if (!colon && i < 3)
            return false;
        field[i] = (list_line){ l.text, colon ? (size_t)(colon - l.text) : l.length };
        l.text += field[i].length + (colon != NULL);
        l.length -= field[i].length + (colon != NULL);
    }
    return field[0].length && field[3].length &&
           (!field[1].length || strspn(field[1].text, "0123456789*") > 0);
}

/* A number, after `word`; *rest is what follows it. */
static bool read_number(list_line l, const char *word, uint64_t *number, list_line *rest)
{
    const size_t head = strlen(word);
    size_t at = head;
    *number = 0;
    if (!list_line_begins(l, word))
        return false;
    for (; at < l.length && l.text[at] >= '0' && l.text[at] <= '9' && *number <= UINT32_MAX; at++)
        *number = *number * 10 + (uint64_t)(l.text[at] - '0');
    *rest = (list_line){ l.text + at, l.length - at };
    return at > head;
}

/* "100", "EOF-100", both with ",50" for what it may be more. False: it is another one. */
static bool read_place(pattern_set *set, size_t index, list_line l)
{
    list_line rest;
    uint64_t offset, shift = 0;
    const bool end = read_number(l, "EOF-", &offset, &rest);
    if (!end && !read_number(l, "", &offset, &rest))
        return false;
    if (rest.length && (!read_number(rest, ",", &shift, &rest) || rest.length))
        return false;
    pattern_set_place(set, index, end ? TRAWL_PLACE_END : TRAWL_PLACE_BEGIN, offset, shift);
    return true;
}

static unsigned place_kind(list_line l)
{
    return list_line_begins(l, "EP")   ? ENTRY_POINT
           : list_line_begins(l, "S")  ? SECTION
           : list_line_begins(l, "VI") ? VERSION
                                       : OTHER;
}

void clamav_take_starts(pattern_set *set, list_line signature)
{
    for (size_t i = 0; i < signature.length; i++)
        set->every_start |= strchr("*-|", signature.text[i]) != NULL;
}

bool clamav_take_place(pattern_set *set, size_t index, list_line place, list_line signature,
                       clamav_left *left)
{
    if (place.length == 0 || (place.length == 1 && *place.text == '*'))
        return true;
    if (!read_place(set, index, place)) {
        left->places[place_kind(place)]++;
        return false;
    }
    clamav_take_starts(set, signature);
    return true;
}

/* NAME:TARGET:OFFSET:HEX becomes pattern *kept. False: no memory. */
static bool read_extended(pattern_set *set, size_t from, size_t *kept, list_line fields[4],
                          clamav_left *left)
{
    char *name = list_line_name(set, fields[0]);
    if (!name)
        return false;
    left->types += fields[1].length && *fields[1].text != '0';
    set->origins[from].signature = ++set->signatures;
    clamav_take_place(set, from, fields[2], fields[3], left);
    list_line_move(set, (*kept)++, from, fields[3].text, fields[3].length, name);
    return true;
}

/* A colon before a comment, which may have one. */
static bool has_colon(list_line l)
{
    const char *colon = memchr(l.text, ':', l.length), *slash = memchr(l.text, '/', l.length);
    return colon && (!slash || colon < slash);
}

bool clamav_read_line(pattern_set *set, size_t from, size_t *kept, clamav_left *left)
{
    const list_line l = list_line_of(set, from);
    list_line fields[4];
    if (l.length && *l.text == '#')
        return true;
    if (memchr(l.text, ';', l.length))
        return clamav_read_logical(set, from, left);
    if (split_signature(l, fields))
        return read_extended(set, from, kept, fields, left);
    if (has_colon(l))
        clamav_leave_out(set, from, "it is none of NAME:TARGET:OFFSET:HEX");
    else
        list_line_move(set, (*kept)++, from, l.text, l.length, NULL);
    return true;
}

/* ---- what the library does not take --------------------------------------------- */

/* The first pattern from `from` on that is malformed; set->count: none is. SIZE_MAX: no memory. One
 * literal's engine has little to do: the patterns are read first. */
static size_t find_malformed(const pattern_set *set, size_t from, trawl_error *error)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    options.engine = "bm";
    const int status = pattern_set_make(set, from, set->count - from, &options, &plan, error);
    trawl_plan_free(plan);
    return status == TRAWL_ERROR_MEMORY ? SIZE_MAX
           : status == TRAWL_OK || status == TRAWL_ERROR_UNSUPPORTED ||
                   error->pattern >= set->count - from
               ? set->count
               : from + error->pattern;
}

/* Patterns `from` to `to` stand at *kept then, and after it what comes next. */
static void keep(pattern_set *set, size_t *kept, size_t from, size_t to)
{
    memmove(set->patterns + *kept, set->patterns + from, (to - from) * sizeof *set->patterns);
    memmove(set->origins + *kept, set->origins + from, (to - from) * sizeof *set->origins);
    *kept += to - from;
}

/* The rules of logical signatures know their patterns by numbers, which are settled here; the parts
 * of a signature that was left out are gone, and so is it. False: no memory. */
static bool settle_logical(pattern_set *set)
{
    rule_list *list = set->rules;
    size_t *first = malloc((set->signatures + 1) * sizeof *first), rules = 0, contents = 0;
    for (size_t i = 0; first && i <= set->signatures; i++)
        first[i] = SIZE_MAX;
    for (size_t i = set->count; first && i-- > 0;)
        first[set->origins[i].signature] = i;
    for (size_t i = 0; first && i < list->count; i++) {
        rule r = list->rules[i];
        if (r.logical && first[r.signature] == SIZE_MAX) {
            list->partial -= *r.unchecked != '\0';
            continue;
        }
        for (size_t k = 0; k < r.count; k++) {
            rule_content c = list->contents[r.first + k];
            c.pattern = r.logical ? first[r.signature] + k : c.pattern;
            const bool again = r.logical && k && c.part == list->contents[contents + k - 1].part;
            if (r.logical)
                set->patterns[c.pattern].id = (uint32_t)(c.pattern + !again);
            list->contents[contents + k] = c;
        }
        r.first = contents;
        contents += r.count;
        list->rules[rules++] = r;
    }
    free(first);
    if (!first)
        return false;
    list->count = rules;
    list->content_count = contents;
    return true;
}

/* The signatures that the library reads stay. False: no memory. */
static bool keep_well_formed(pattern_set *set)
{
    size_t kept = 0, from = 0;
    trawl_error error;
    while (from < set->count) {
        const size_t index = find_malformed(set, from, &error);
        if (index == SIZE_MAX)
            return false;
        const size_t signature = index < set->count ? set->origins[index].signature : 0;
        if (!signature)
            break;
        clamav_leave_out(set, index, error.message);
        keep(set, &kept, from, index);
        while (kept && set->origins[kept - 1].signature == signature)
            kept--;
        for (from = index + 1; from < set->count && set->origins[from].signature == signature;)
            from++;
    }
    keep(set, &kept, from, set->count);
    set->count = kept;
    return true;
}

bool clamav_leave_out_malformed(pattern_set *set)
{
    if (!set->signatures || (keep_well_formed(set) && (!set->rules || settle_logical(set))))
        return true;
    return pattern_set_fail(set, NULL, 0, "out of memory for signatures");
}

void clamav_warn(const pattern_set *set, const clamav_left *left)
{
    const size_t *p = left->places, places = p[0] + p[1] + p[2] + p[3];
    if (left->types)
        pattern_set_warn(set, NULL, 0,
                         left->types == 1
                             ? "%zu signature is for one type of file: it is searched in any"
                             : "%zu signatures are for one type of file: they are searched in any",
                         left->types);
    if (places)
        pattern_set_warn(
            set, NULL, 0,
            "%zu %s an offset from an entry point (EP, %zu), from a "
            "section (S, %zu), in version information (VI, %zu) or of another kind (%zu): %s "
            "searched anywhere",
            places, places == 1 ? "signature has" : "signatures have", p[ENTRY_POINT], p[SECTION],
            p[VERSION], p[OTHER], places == 1 ? "it is" : "they are");
    const size_t *k = left->kinds, kinds = k[0] + k[1] + k[2] + k[3];
    if (kinds)
        pattern_set_warn(
            set, NULL, 0,
            "%zu logical %s left out: %s for a regular expression "
            "(PCRE, %zu), a comparison of bytes (%zu), a macro (%zu) or a fuzzy hash (%zu)",
            kinds, kinds == 1 ? "signature is" : "signatures are",
            kinds == 1 ? "it asks" : "they ask", k[CLAMAV_PCRE], k[CLAMAV_BYTES], k[CLAMAV_MACRO],
            k[CLAMAV_FUZZY]);
}
