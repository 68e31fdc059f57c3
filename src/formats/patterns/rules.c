/* rules.c: Snort's and Suricata's rules: their contents become patterns.
 *
 * Idea: one pass over the options of each rule, which end with ';' outside of quotes. A content is
 * a literal, nocase its flag; the rule's sid, wherever it stands, is the id of its contents. What
 * else is said of a content is kept for verdicts (formats/verdicts/), with the names of what we
 * cannot evaluate. Two of these reach further: a buffer, of which the contents that follow (or the
 * one before) are parts, and what moves the cursor that relative contents begin from.
 */
#include "formats/patterns/rules.h"

#include <stdlib.h>
#include <string.h>

#include "formats/patterns/entries.h"
#include "formats/sources/grow.h"
#include "formats/sources/source.h"

typedef struct rules {
    pattern_set *set;
    rule_list *list;
    const char *file;
    size_t line; /* of the present rule, and how many it has */
    size_t lines;
    const char *text, *end; /* of its options */
    rule rule;
    size_t first;    /* of its patterns */
    bool sticky;     /* a buffer's name stands before its contents, not after it */
    bool buffered;   /* what follows is in a buffer */
    bool lost;       /* the cursor is not known */
    bool positional; /* some content was in the payload */
    bool failed;     /* the run ends */
    char *unchecked; /* room for as many names as the file could have */
    size_t unchecked_used;
} rules;

/* The rule is left out. Always false. */
static bool leave_out(rules *r, const char *why)
{
    pattern_set_warn(r->set, r->file, r->line, "the rule is left out: %s", why);
    r->set->left_out[LEFT_RULES]++;
    return false;
}

/* The run ends. Always false. */
static bool no_memory(rules *r)
{
    pattern_set_fail(r->set, r->file, r->line, "out of memory for the rule");
    r->failed = true;
    return false;
}

/* ---- text -------------------------------------------------------------------- */

/* The end of what begins at `at`: a byte of `ends` that no backslash stands before, or the rule's
 * end. */
static const char *find_plain_end(const rules *r, const char *at, const char *ends)
{
    for (; at < r->end && (!*at || !strchr(ends, *at)); at++)
        at += *at == '\\' && at + 1 < r->end;
    return at;
}

/* The same, outside of quotes. These open where a value begins: at the begin, after the first
 * colon, or, after a quoted value, after a comma. Elsewhere, or if it is not closed, a quote is a
 * byte like others, as in pcre:/a"b/. */
static const char *find_end(const rules *r, const char *begin, const char *ends)
{
    bool named = false, opens = true, quotes = false;
    for (const char *at = begin; at < r->end; at++) {
        if (*at == '"' && opens) {
            at = find_plain_end(r, at + 1, "\"");
            if (at == r->end)
                return find_plain_end(r, begin, ends);
            named = quotes = true;
            opens = false;
        } else if (*at && strchr(ends, *at)) {
            return at;
        } else if (*at == ':' && !named) {
            named = opens = true;
        } else if (*at == ',') {
            opens = quotes;
        } else if (!strchr(" \t\r\n!", *at)) {
            opens = false;
            at += *at == '\\' && at + 1 < r->end;
        }
    }
    return r->end;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && rule_blank(*at))
        at++;
    return at;
}

/* The name at `at`: up to a colon, a blank or the end. */
static rule_span read_name(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && !strchr(": \t\r\n", *at))
        at++;
    return (rule_span){ begin, (size_t)(at - begin) };
}

static bool is_one_of(rule_span s, const char *const *words)
{
    while (*words && !rule_span_is(s, *words))
        words++;
    return *words;
}

/* A whole number, with a sign where one may be; false: it is none, as the name of a variable. */
static bool read_whole(const char *at, const char *end, int64_t *number)
{
    const bool minus = at < end && *at == '-';
    int64_t value = 0;
    at += minus;
    const char *digits = at;
    for (; at < end && *at >= '0' && *at <= '9' && value <= INT32_MAX; at++)
        value = 10 * value + (*at - '0');
    *number = minus ? -value : value;
    return at > digits && skip_blanks(at, end) == end;
}

/* ---- what is not evaluated -------------------------------------------------- */

size_t rule_name_once(char *names, size_t used, const char *name, size_t length)
{
    const char *at = names, *end = names + used;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        if ((size_t)(stop - at) == length && memcmp(at, name, length) == 0)
            return used;
        at = stop + (comma != NULL);
    }
    if (used)
        names[used++] = ',';
    memcpy(names + used, name, length);
    return used + length;
}

static void leave_unchecked(rules *r, const char *name, size_t length)
{
    r->unchecked_used = rule_name_once(r->unchecked, r->unchecked_used, name, length);
}

/* ---- one content -------------------------------------------------------------- */

/* What the text between quotes stands for: bytes, |4d 5a| (blanks may stand anywhere in it) and
 * escapes. SIZE_MAX: it is malformed. */
static size_t decode(const char *text, size_t length, char *bytes)
{
    size_t count = 0;
    int high = -1; /* a digit that waits for the second one */
    bool hex = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '|') {
            hex = !hex;
        } else if (hex && text[i] != ' ') {
            const int low = hex_digit(text[i]);
            if (low < 0)
                return SIZE_MAX;
            if (high >= 0)
                bytes[count++] = (char)(high * 16 + low);
            high = high >= 0 ? -1 : low;
        } else if (!hex) {
            i += text[i] == '\\' && i + 1 < length;
            bytes[count++] = text[i];
        }
        if (!hex && high >= 0)
            return SIZE_MAX;
    }
    return hex ? SIZE_MAX : count;
}

/* `text` is what is between the quotes. The name is the content as it is written. */
static bool add_content(rules *r, const char *text, size_t length, bool negated)
{
    char *bytes = pattern_set_room(r->set, length), *name = pattern_set_room(r->set, length);
    if (!rule_list_of(r->set) || !bytes || !name)
        return no_memory(r);
    memcpy(name, text, length);
    name[length] = '\0';
    const size_t count = decode(text, length, bytes);
    if (count == SIZE_MAX || count == 0)
        return leave_out(r, count ? "a content's hexadecimal digits must come in pairs between "
                                    "two |, as |4D 5A|"
                                  : "a content is empty: give one byte at least");
    if (!pattern_set_append(r->set, bytes, count, r->file, r->line))
        return no_memory(r);
    const size_t index = r->set->count - 1;
    r->set->origins[index].styled = true;
    r->set->origins[index].negated = negated;
    r->set->patterns[index].syntax = TRAWL_SYNTAX_LITERAL;
    r->set->patterns[index].name = name;
    r->list->contents[r->list->content_count++] = (rule_content){ .pattern = index,
                                                                  .length = count,
                                                                  .depth = RULE_ANY,
                                                                  .within = RULE_ANY,
                                                                  .negated = negated,
                                                                  .buffered = r->buffered,
                                                                  .lost = r->lost };
    r->rule.count++;
    r->positional |= !r->buffered;
    r->lost = false;
    return true;
}

/* What is said of a content, after it or, as in Snort 3, in it. */
static const char *const modifiers[] = { "nocase", "offset",     "depth",    "distance",
                                         "within", "startswith", "endswith", NULL };

static void modify(rules *r, rule_span name, const char *value, const char *end)
{
    rule_content *c = r->rule.count ? &r->list->contents[r->list->content_count - 1] : NULL;
    int64_t number = 0;
    if (!c)
        return;
    if (rule_span_is(name, "nocase")) {
        r->set->patterns[c->pattern].flags |= TRAWL_NOCASE;
    } else if (rule_span_is(name, "endswith")) {
        c->ends = true;
    } else if (rule_span_is(name, "startswith")) {
        c->windowed = true;
        c->depth = c->length;
    } else if (!read_whole(value, end, &number)) {
        leave_unchecked(r, name.text, name.length); /* a variable */
        c->lost = c->relative = true;
    } else if (rule_span_is(name, "offset")) {
        c->windowed = true;
        c->offset = number;
    } else if (rule_span_is(name, "depth")) {
        c->windowed = true;
        c->depth = number < 0 ? 0 : (uint64_t)number;
    } else if (rule_span_is(name, "distance")) {
        c->relative = true;
        c->distance = number;
    } else {
        c->relative = true;
        c->within = number < 0 ? 0 : (uint64_t)number;
    }
}

/* fast_pattern, fast_pattern_offset and the like say how to search, not what. */
static bool begins_fast_pattern(const char *text, const char *end)
{
    static const char word[] = "fast_pattern";
    const size_t length = sizeof word - 1;
    return (size_t)(end - text) >= length && memcmp(text, word, length) == 0;
}

/* content:"...", or !"..."; Snort 3 writes what follows after commas: content:"...",nocase; */
static bool read_content(rules *r, const char *value, const char *end)
{
    const bool negated = value < end && *value == '!';
    const char *open = skip_blanks(value + negated, end);
    const char *close = open < end && *open == '"' ? find_plain_end(r, open + 1, "\"") : end;
    if (close >= end)
        return leave_out(r, "a content stands in quotes, as content:\"abc|0d 0a|\"");
    const char *more = skip_blanks(close + 1, end);
    if (more < end && *more != ',')
        return leave_out(r,
                         "after a content's quotes stands ';', or ',' and what is said of it, as "
                         "content:\"abc\",nocase;");
    if (!add_content(r, open + 1, (size_t)(close - open) - 1, negated))
        return false;
    while (more < end) {
        r->sticky = true;
        more = skip_blanks(more + 1, end);
        const char *stop = find_end(r, more, ",;");
        const rule_span name = read_name(more, stop);
        if (is_one_of(name, modifiers))
            modify(r, name, skip_blanks(name.text + name.length, stop), stop);
        else if (!begins_fast_pattern(more, stop))
            leave_unchecked(r, name.length ? name.text : more,
                            name.length ? name.length : (size_t)(stop - more));
        more = stop;
    }
    return true;
}

/* ---- other options -------------------------------------------------------------- */

static bool read_sid(rules *r, const char *value, const char *end)
{
    uint64_t sid = 0;
    for (; value < end && *value >= '0' && *value <= '9' && sid <= UINT32_MAX; value++)
        sid = sid * 10 + (uint64_t)(*value - '0');
    if (sid == 0 || sid > UINT32_MAX)
        return leave_out(r, "a sid is a number from 1 to 4294967295");
    if (r->rule.sid)
        return leave_out(r, "it has two sids");
    r->rule.sid = (uint32_t)sid;
    return true;
}

/* What stands in quotes, without the backslashes of escapes. */
static bool read_message(rules *r, const char *value, const char *end)
{
    char *message = pattern_set_room(r->set, (size_t)(end - value)), *to = message;
    if (!message)
        return no_memory(r);
    value += value < end && *value == '"';
    for (; value < end && *value != '"'; value++) {
        value += *value == '\\' && value + 1 < end;
        *to++ = *value;
    }
    *to = '\0';
    r->rule.message = message;
    return true;
}

/* dsize:100, !100, <100, >100. */
static void read_size(rules *r, rule_span name, const char *value, const char *end)
{
    const bool compared = value < end && strchr("!<>", *value);
    int64_t number;
    if (!read_whole(skip_blanks(value + compared, end), end, &number) || number < 0) {
        leave_unchecked(r, name.text, name.length);
        return;
    }
    r->rule.size_test = '=';
    if (compared)
        r->rule.size_test = *value;
    r->rule.size = (uint64_t)number;
}

/* They say nothing of the record, or are evaluated without a word here. */
static const char *const quiet[] = { "rev",          "gid",       "classtype", "reference",
                                     "metadata",     "priority",  "target",    "tag",
                                     "fast_pattern", "rawbytes",  "noalert",   "bypass",
                                     "prefilter",    "filestore", "tls.store", "rem",
                                     "soid",         "logto",     NULL };

/* They move the cursor. */
static const char *const movers[] = { "pcre",       "byte_jump", "byte_extract", "byte_math",
                                      "regex",      "asn1",      "ber_data",     "ber_skip",
                                      "sd_pattern", "pkt_data",  "frame",        NULL };

/* An option that is not evaluated. One without a value is a buffer (or leads to one, as its
 * transformations do), but for http_uri and its kin after contents, which say so of the last. */
static void read_unknown(rules *r, rule_span name, bool valued)
{
    const bool of_http = name.length > 5 && memcmp(name.text, "http_", 5) == 0;
    if (rule_span_is(name, "pkt_data")) {
        r->buffered = false;
        r->lost = r->positional;
        return;
    }
    leave_unchecked(r, name.text, name.length);
    if (is_one_of(name, movers))
        r->lost = true;
    if (of_http && !r->sticky && r->rule.count)
        r->list->contents[r->list->content_count - 1].buffered = true;
    else if (!valued || of_http || rule_span_is(name, "frame"))
        r->buffered = r->sticky = true;
}

static bool read_option(rules *r, const char *at, const char *end)
{
    const rule_span name = read_name(at, end);
    const char *value = skip_blanks(name.text + name.length, end);
    const bool valued = value < end && *value == ':';
    bool fine = true;
    value = valued ? skip_blanks(value + 1, end) : end;
    if (rule_span_is(name, "content")) {
        fine = read_content(r, value, end);
    } else if (rule_span_is(name, "uricontent")) {
        fine = read_content(r, value, end);
        leave_unchecked(r, name.text, name.length);
        if (fine)
            r->list->contents[r->list->content_count - 1].buffered = true;
    } else if (rule_span_is(name, "sid")) {
        fine = read_sid(r, value, end);
    } else if (rule_span_is(name, "msg")) {
        fine = read_message(r, value, end);
    } else if (rule_span_is(name, "dsize")) {
        read_size(r, name, value, end);
    } else if (is_one_of(name, modifiers)) {
        modify(r, name, value, end);
    } else if (name.length && !is_one_of(name, quiet)) {
        read_unknown(r, name, valued);
    }
    return fine;
}

/* ---- one rule ------------------------------------------------------------------ */

static bool is_evaluated(const rule_content *c)
{
    return !c->negated || !(c->buffered || (c->relative && c->lost));
}

/* What moved the cursor before a content did so for those after it, up to the next one that has
 * the cursor after itself. */
static void carry_lost(rules *r)
{
    bool lost = false;
    for (size_t i = r->rule.first; i < r->rule.first + r->rule.count; i++) {
        rule_content *c = &r->list->contents[i];
        lost = lost || c->lost;
        c->lost = lost;
        lost = lost && (c->negated || c->buffered);
    }
}

/* The rule was read: it is kept if there is something to evaluate. */
static bool keep_rule(rules *r)
{
    rule_list *list = r->list;
    bool some = r->rule.size_test;
    carry_lost(r);
    char *names = pattern_set_room(r->set, r->unchecked_used);
    if (!rule_list_of(r->set) || !names)
        return no_memory(r);
    memcpy(names, r->unchecked, r->unchecked_used);
    names[r->unchecked_used] = '\0';
    r->rule.unchecked = names;
    for (size_t i = r->first; i < r->set->count; i++)
        r->set->patterns[i].id = r->rule.sid;
    for (size_t i = r->rule.first; i < r->rule.first + r->rule.count; i++)
        some = some || is_evaluated(&list->contents[i]);
    list->empty += !some;
    list->partial += some && r->unchecked_used;
    if (some)
        list->rules[list->count++] = r->rule;
    return true;
}

static void begin_rule(rules *r, const char *open)
{
    r->first = r->set->count;
    r->sticky = r->buffered = r->lost = r->positional = false;
    r->unchecked_used = 0;
    r->rule = (rule){ .message = "",
                      .head = rule_head_read(r->text, open),
                      .first = r->list->content_count };
    for (size_t i = 0; i < 3; i++)
        if (r->rule.head.unchecked[i])
            leave_unchecked(r, r->rule.head.unchecked[i], strlen(r->rule.head.unchecked[i]));
}

/* The options of a rule, whose head ends with the first parenthesis. False: it is left out, or the
 * run ends. */
static bool read_options(rules *r)
{
    bool fine = true;
    const char *open = memchr(r->text, '(', (size_t)(r->end - r->text));
    if (!open)
        return leave_out(r, "a rule has options in parentheses: ACTION PROTOCOL ... (content:"
                            "\"...\"; sid:1;)");
    while (r->end > open && r->end[-1] != ')')
        r->end--;
    if (r->end == open)
        return leave_out(r, "its parenthesis is not closed");
    r->end--;
    begin_rule(r, open);
    for (const char *at = open + 1; fine && (at = skip_blanks(at, r->end)) < r->end;) {
        if (*at == ')')
            return leave_out(r, "after its closing parenthesis there is more text: a "
                                "rule has lines of its own");
        const char *end = find_end(r, at, ";");
        fine = read_option(r, at, end);
        at = end + (end < r->end);
    }
    if (fine && !r->rule.sid)
        return leave_out(r, "it has no sid, which would be its patterns' number");
    return fine && keep_rule(r);
}

/* What a rule that is left out has added goes. */
static void read_rule(rules *r)
{
    const size_t patterns = r->set->count, contents = r->list->content_count;
    if (read_options(r))
        return;
    r->set->count = patterns;
    r->list->content_count = contents;
}

/* ---- a file --------------------------------------------------------------------- */

/* The rule at `at`: a line, and those after a line that ends with a backslash, which are joined
 * where they are, as Suricata does; a comment is its line alone. Returns the end. */
static char *find_rule(rules *r, char *at, char *end)
{
    const char *first = skip_blanks(at, end);
    const bool comment = first < end && *first == '#';
    char *to = at;
    r->line += r->lines;
    r->lines = 0;
    r->text = at;
    for (bool more = true; more && at < end;) {
        char *stop = memchr(at, '\n', (size_t)(end - at)), *last = stop ? stop : end;
        char *next = stop ? stop + 1 : end;
        while (last > at && rule_blank(last[-1]))
            last--;
        more = !comment && stop && last > at && last[-1] == '\\';
        last -= more;
        memmove(to, at, (size_t)(last - at));
        to += last - at;
        at = next;
        r->lines++;
    }
    r->end = to;
    return at;
}

/* Room for the names of all options, and of a head's parts. */
static bool open_list(rules *r, size_t length)
{
    r->list = rule_list_of(r->set);
    r->unchecked = malloc(length + sizeof "protocol,addresses,ports,");
    if (r->list && r->unchecked)
        return true;
    return pattern_set_fail(r->set, r->file, 0, "out of memory for its rules");
}

bool pattern_set_add_rules(pattern_set *set, const char *path)
{
    size_t length;
    char *text = pattern_set_read(set, path, &length);
    rules r = { .set = set, .file = shown_name(path), .line = 1 };
    set->given = true;
    r.failed = !text || !open_list(&r, length);
    for (char *at = text, *end = r.failed ? at : at + length; at < end;) {
        at = find_rule(&r, at, end);
        r.text = skip_blanks(r.text, r.end);
        if (r.text < r.end && *r.text != '#')
            read_rule(&r);
    }
    free(r.unchecked);
    return !r.failed;
}

rule_list *rule_list_of(pattern_set *set)
{
    if (!set->rules)
        set->rules = calloc(1, sizeof *set->rules);
    rule_list *list = set->rules;
    return list && grow_array(&list->rules, list->count + 1, &list->room, sizeof *list->rules) &&
                   grow_array(&list->contents, list->content_count + 1, &list->content_room,
                              sizeof *list->contents)
               ? list
               : NULL;
}

void rule_list_free(rule_list *list)
{
    if (!list)
        return;
    free(list->rules);
    free(list->contents);
    free(list);
}

/* ---- the patterns as they are searched for --------------------------------------- */

void rules_for_listing(pattern_set *set)
{
    size_t kept = 0, without = set->rules ? set->rules->empty : 0;
    for (size_t i = 0; i < set->count; i++) {
        if (set->origins[i].negated)
            continue;
        set->patterns[kept] = set->patterns[i];
        set->origins[kept] = set->origins[i];
        if (!set->origins[kept].styled)
            set->patterns[kept].id = (uint32_t)(kept + 1);
        kept++;
    }
    for (size_t i = 0; set->rules && i < set->rules->count; i++) {
        const rule *r = &set->rules->rules[i];
        size_t positive = 0;
        for (size_t c = r->first; c < r->first + r->count; c++)
            positive += !set->rules->contents[c].negated;
        without += positive == 0;
    }
    if (set->count > kept)
        pattern_set_warn(set, NULL, 0, "%zu negated content%s left out", set->count - kept,
                         set->count - kept == 1 ? " is" : "s are");
    if (without)
        pattern_set_warn(set, NULL, 0,
                         "%zu rule%s without a content that is not negated %s left out", without,
                         without == 1 ? "" : "s", without == 1 ? "is" : "are");
    set->count = kept;
}

void rules_warn_of_parts(const pattern_set *set)
{
    size_t signatures = 0;
    for (size_t i = 0; set->rules && i < set->rules->count; i++)
        signatures += set->rules->rules[i].logical != NULL;
    if (signatures)
        pattern_set_warn(set, NULL, 0,
                         "of %zu logical signatures the parts are searched for, wherever they are: "
                         "their verdicts say which of the signatures hold",
                         signatures);
}

bool rules_are_alone(const pattern_set *set)
{
    const rule_list *list = set->rules;
    size_t signatures = 0;
    for (size_t i = 0; list && i < list->count; i++)
        signatures += list->rules[i].logical != NULL;
    if (!list || list->content_count != set->count || (signatures && signatures < list->count)) {
        return pattern_set_fail(
            set, NULL, 0,
            "verdicts are those of rules, or of ClamAV's logical signatures: give a file of the "
            "one or of the other, and no pattern beside them");
    }
    if (list->partial + list->empty)
        pattern_set_warn(set, NULL, 0,
                         "of %zu of %zu %s not all is evaluated: the column unchecked names "
                         "what; %zu %s with nothing to evaluate are left out",
                         list->partial, list->count, signatures ? "signatures" : "rules",
                         list->empty, signatures ? "signatures" : "rules");
    return true;
}

typedef struct numbered {
    trawl_pattern pattern;
    pattern_origin origin;
    size_t number;
} numbered;

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* By what makes patterns of rules equal. */
static int compare_patterns(const numbered *left, const numbered *right)
{
    const trawl_pattern *a = &left->pattern, *b = &right->pattern;
    const trawl_conditions *x = &left->origin.conditions, *y = &right->origin.conditions;
    const int orders[] = { compare_numbers(a->flags, b->flags),
                           compare_numbers(a->length, b->length),
                           memcmp(a->text, b->text, a->length < b->length ? a->length : b->length),
                           compare_numbers(x->place, y->place),
                           compare_numbers(x->word, y->word),
                           compare_numbers(x->offset, y->offset),
                           compare_numbers(x->within, y->within) };
    size_t i = 0;
    while (i + 1 < sizeof orders / sizeof orders[0] && !orders[i])
        i++;
    return orders[i];
}

static int compare_numbered(const void *a, const void *b)
{
    const numbered *left = (const numbered *)a, *right = (const numbered *)b;
    const int order = compare_patterns(left, right);
    return order ? order : left->number < right->number ? -1 : 1;
}

bool rules_for_verdicts(pattern_set *set)
{
    numbered *sorted = malloc((set->count + 1) * sizeof *sorted);
    size_t *merged = malloc((set->count + 1) * sizeof *merged), kept = 0;
    for (size_t i = 0; sorted && i < set->count; i++)
        sorted[i] = (numbered){ set->patterns[i], set->origins[i], i };
    if (sorted)
        qsort(sorted, set->count, sizeof *sorted, compare_numbered);
    for (size_t i = 0; sorted && merged && i < set->count; i++) {
        kept += i == 0 || compare_patterns(&sorted[i - 1], &sorted[i]) != 0;
        merged[sorted[i].number] = kept - 1;
        set->patterns[kept - 1] = sorted[i].pattern;
        set->origins[kept - 1] = sorted[i].origin;
    }
    for (size_t i = 0; sorted && merged && i < set->rules->content_count; i++)
        set->rules->contents[i].pattern = merged[set->rules->contents[i].pattern];
    const bool fine = sorted && merged;
    if (fine)
        set->count = kept;
    else
        pattern_set_fail(set, NULL, 0, "out of memory for the patterns of rules");
    free(sorted);
    free(merged);
    return fine;
}
