/* clamav_logical.c: ClamAV's logical signatures,
 * NAME;DESCRIPTION;EXPRESSION;PART0;PART1...
 *
 * Idea: each part is a pattern, or two of them where it is wide and ascii, and the signature a rule
 * that holds by how often these occur. Patterns are added after all lines, which become patterns
 * themselves where they are no such signatures; their numbers are settled when it is known which
 * the library takes (clamav_leave_out_malformed).
 */
#include <stdio.h>
#include <string.h>

#include "formats/patterns/clamav.h"
#include "formats/patterns/rules.h"

#define MAX_FIELDS (3 + LOGICAL_PARTS)

typedef struct reader {
    pattern_set *set;
    clamav_left *left;
    const char *file;
    size_t line;
    rule rule;
    const char *name;
    char *unchecked;
    size_t unchecked_used;
    const char *why; /* the signature is left out; NULL: or there is no memory */
} reader;

static bool refuse(reader *r, const char *why)
{
    r->why = why;
    return false;
}

/* ---- fields ----------------------------------------------------------------- */

/* Fields between bytes `cut`; more than `most` are as one more. */
static size_t split(list_line l, char cut, list_line *fields, size_t most)
{
    size_t count = 0;
    for (;;) {
        const char *stop = memchr(l.text, cut, l.length);
        const size_t length = stop ? (size_t)(stop - l.text) : l.length;
        if (count < most)
            fields[count] = (list_line){ l.text, length };
        if (++count > most || !stop)
            return count;
        l.text += length + 1;
        l.length -= length + 1;
    }
}

static bool has(list_line l, char c)
{
    return memchr(l.text, c, l.length);
}

/* What the part asks for that is not evaluated; CLAMAV_KINDS: nothing. */
static clamav_kind kind_of(list_line part)
{
    const char *mark = memchr(part.text, '#', part.length);
    const size_t after = mark ? part.length - (size_t)(mark + 1 - part.text) : 0;
    return list_line_begins(part, "$")                               ? CLAMAV_MACRO
           : has(part, '/')                                          ? CLAMAV_PCRE
           : list_line_begins(part, "fuzzy_img#")                    ? CLAMAV_FUZZY
           : has(part, '(') && after && memchr(mark + 1, '#', after) ? CLAMAV_BYTES
                                                                     : CLAMAV_KINDS;
}

static void leave_unchecked(reader *r, const char *name, size_t length)
{
    r->unchecked_used = rule_name_once(r->unchecked, r->unchecked_used, name, length);
}

/* A number without anything after it. */
static bool read_whole(list_line l, uint64_t *number)
{
    size_t at = 0;
    for (*number = 0;
         at < l.length && l.text[at] >= '0' && l.text[at] <= '9' && *number < UINT64_MAX / 16; at++)
        *number = *number * 10 + (uint64_t)(l.text[at] - '0');
    return at && at == l.length;
}

/* "10-20". */
static bool read_range(list_line l, uint64_t *least, uint64_t *most)
{
    list_line ends[2];
    return split(l, '-', ends, 2) == 2 && read_whole(ends[0], least) && read_whole(ends[1], most);
}

/* What the file must be: "Engine:51-255,Target:0,FileSize:10-20". */
static bool read_description(reader *r, list_line l)
{
    uint64_t least, most;
    for (bool more = true; more;) {
        list_line fields[2], word;
        more = split(l, ',', fields, 1) > 1;
        const size_t length = fields[0].length;
        if (split(fields[0], ':', fields, 2) != 2 || !fields[0].length)
            return refuse(r, "its description is not of NAME:VALUE with commas between");
        word = fields[0];
        l.text += length + more;
        l.length -= length + more;
        if (list_line_is(word, "FileSize")) {
            if (!read_range(fields[1], &r->rule.least, &r->rule.most))
                return refuse(r, "FileSize is MIN-MAX");
        } else if (list_line_is(word, "Target")) {
            r->left->types += !list_line_is(fields[1], "0");
            if (!list_line_is(fields[1], "0"))
                leave_unchecked(r, "target", 6);
        } else if (!list_line_is(word, "Engine") || !read_range(fields[1], &least, &most) ||
                   most < 255) { /* which all of today are below */
            leave_unchecked(r, word.text, word.length);
        }
    }
    return true;
}

/* ---- parts --------------------------------------------------------------------- */

/* A zero after each byte; jumps stay as long as they are. NULL: no memory. */
static char *widen(pattern_set *set, list_line l, size_t *length)
{
    char *wide = pattern_set_room(set, 2 * l.length + 2), *to = wide;
    bool jump = false;
    if (!wide)
        return NULL;
    for (size_t i = 0; i < l.length; i++) {
        const char c = l.text[i];
        jump = (jump || c == '{' || c == '[') && c != '}' && c != ']';
        *to++ = c;
        if (jump || strchr("}]()|*!", c) || i + 1 == l.length)
            continue;
        *to++ = l.text[++i];
        *to++ = '0';
        *to++ = '0';
    }
    *length = (size_t)(to - wide);
    return wide;
}

typedef struct modifiers {
    bool nocase, wide, ascii, fullword;
} modifiers;

static bool read_modifiers(reader *r, list_line l, modifiers *m)
{
    bool *const flags[] = { &m->nocase, &m->wide, &m->ascii, &m->fullword };
    static const char names[] = "iwaf";
    for (size_t i = 0; i < l.length; i++) {
        const char *found = l.text[i] ? strchr(names, l.text[i]) : NULL;
        if (!found)
            return refuse(r, "what stands after :: of a part is of i, w, a and f");
        *flags[found - names] = true;
    }
    return true;
}

/* One pattern of a part, which is the whole part, or its wide form. */
static bool add_pattern(reader *r, uint32_t part, list_line text, list_line place,
                        const modifiers *m, bool wide)
{
    pattern_set *set = r->set;
    size_t length = text.length;
    char *name = pattern_set_room(set, strlen(r->name) + 4);
    const char *bytes = wide ? widen(set, text, &length) : text.text;
    rule_list *list = rule_list_of(set);
    if (!name || !bytes || !list || !pattern_set_append(set, bytes, length, r->file, r->line))
        return refuse(r, NULL);
    sprintf(name, "%s:%u", r->name, (unsigned)part);
    const size_t index = set->count - 1;
    pattern_origin *o = &set->origins[index];
    o->styled = true;
    o->signature = r->rule.signature;
    set->patterns[index].name = name;
    set->patterns[index].syntax = TRAWL_SYNTAX_HEX;
    set->patterns[index].flags = m->nocase ? TRAWL_NOCASE : 0;
    if (!clamav_take_place(set, index, place, text, r->left))
        leave_unchecked(r, "offset", 6);
    if (m->fullword) {
        pattern_set_word(set, index, wide ? TRAWL_WORD_FULL_WIDE : TRAWL_WORD_FULL);
        clamav_take_starts(set, text);
    }
    list->contents[list->content_count++] = (rule_content){ .pattern = index, .part = part };
    r->rule.count++;
    return true;
}

/* "OFFSET:HEX::MODIFIERS". */
static bool read_part(reader *r, uint32_t part, list_line l)
{
    static const list_line none = { "", 0 };
    list_line fields[4];
    modifiers m = { .nocase = false };
    const size_t count = split(l, ':', fields, 4);
    if (count > 4)
        return refuse(r, "a part is HEX, OFFSET:HEX, HEX::MODIFIERS or OFFSET:HEX::MODIFIERS");
    const bool placed = count % 2 == 0;
    if (count > 2 && !read_modifiers(r, fields[count - 1], &m))
        return false;
    const list_line text = fields[placed], place = placed ? fields[0] : none;
    return (m.wide && !m.ascii ? true : add_pattern(r, part, text, place, &m, false)) &&
           (!m.wide || add_pattern(r, part, text, place, &m, true));
}

/* ---- a signature ------------------------------------------------------------------ */

static bool read_expression(reader *r, list_line l)
{
    char *text = pattern_set_room(r->set, l.length);
    logical_node *nodes = (logical_node *)(void *)pattern_set_room(
        r->set,
        LOGICAL_NODES(l.length < LOGICAL_LONGEST ? l.length : LOGICAL_LONGEST) * sizeof *nodes);
    size_t length = 0;
    if (!text || !nodes)
        return refuse(r, NULL);
    for (size_t i = 0; i < l.length; i++)
        if (l.text[i] != ' ')
            text[length++] = l.text[i];
    r->rule.logical = logical_read(text, length, nodes, &r->rule.parts, &r->why);
    return r->rule.logical;
}

static bool read_signature(reader *r, list_line l)
{
    list_line fields[MAX_FIELDS];
    const size_t count = split(l, ';', fields, MAX_FIELDS);
    if (count < 4 || !fields[0].length)
        return refuse(r, "it is none of NAME;DESCRIPTION;EXPRESSION;PART;PART...");
    r->name = list_line_name(r->set, fields[0]);
    r->unchecked =
        pattern_set_room(r->set, l.length + 2 * LOGICAL_PARTS * sizeof "fullword,offset,");
    if (!r->name || !r->unchecked)
        return refuse(r, NULL);
    if (!read_description(r, fields[1]) || !read_expression(r, fields[2]))
        return false;
    if (count > MAX_FIELDS || count - 3 != r->rule.parts)
        return refuse(r, "its expression has another number of parts than follow");
    for (uint32_t i = 0; i < r->rule.parts; i++)
        if (!read_part(r, i, fields[3 + i]))
            return false;
    r->unchecked[r->unchecked_used] = '\0';
    r->rule.message = r->name;
    r->rule.unchecked = r->unchecked;
    return true;
}

/* The first part that is not evaluated: any with a slash may hold a semicolon. */
static clamav_kind kind_in(list_line l)
{
    list_line fields[MAX_FIELDS];
    const size_t count = split(l, ';', fields, MAX_FIELDS);
    clamav_kind kind = count > 3 && has(l, '/') ? CLAMAV_PCRE : CLAMAV_KINDS;
    for (size_t i = 3; kind == CLAMAV_KINDS && i < count && i < MAX_FIELDS; i++)
        kind = kind_of(fields[i]);
    return kind;
}

bool clamav_read_logical(pattern_set *set, size_t index, clamav_left *left)
{
    const list_line l = list_line_of(set, index);
    const pattern_origin o = set->origins[index];
    const size_t patterns = set->count;
    const clamav_kind kind = kind_in(l);
    rule_list *list = rule_list_of(set);
    reader r = { .set = set,
                 .left = left,
                 .file = o.file,
                 .line = o.line,
                 .rule = { .most = UINT64_MAX, .signature = ++set->signatures } };
    if (!list)
        return false;
    if (kind != CLAMAV_KINDS) {
        left->kinds[kind]++;
        set->left_out[LEFT_SIGNATURES]++;
        return true;
    }
    r.rule.first = list->content_count;
    r.rule.sid = (uint32_t)r.rule.signature;
    if (read_signature(&r, l)) {
        list->partial += r.unchecked_used > 0;
        list->rules[list->count++] = r.rule;
        return true;
    }
    set->count = patterns;
    list->content_count = r.rule.first;
    if (r.why)
        clamav_leave_out(set, index, r.why);
    return r.why;
}
