/* oracle.c: what a pattern means, computed the plainest way.
 *
 * Idea: a pattern is a list of elements, an element a set of bytes with a repeat
 * {min, max}. To match it at a start, keep the set of text positions that can be
 * reached: first the start alone, then, element by element, all positions that a
 * permitted number of bytes of its class leads to. What is left after the last
 * element are the ends of the matches.
 *
 * Invariant: a set holds a position exactly when the elements so far match the text
 * from some start to it. Sets are plain arrays of bool with their bounds.
 *
 * Cost: O(length) for an element and start at worst, so O(length^2 * elements) for a
 * pattern; a start whose first byte does not fit costs one look-up.
 */
#include "oracle.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expressions.h"
#include "written.h"

typedef struct oracle_element {
    bool set[256]; /* the bytes that it matches */
    size_t min;
    size_t max; /* or UNBOUNDED */
} oracle_element;

typedef struct oracle_pattern {
    oracle_element *elements;
    size_t count;
    size_t min_length;
    size_t max_length; /* or UNBOUNDED */
    uint32_t id;
    uint32_t index;
    char begins[8], ends[8];            /* conditions on where a match begins and ends */
    const trawl_conditions *conditions; /* NULL: none */
    struct oracle_pattern *next;        /* another alternative */
    expression *expression;             /* or all of it */
} oracle_pattern;

static _Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("oracle: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

static void *grow(void *block, size_t count, size_t size)
{
    void *grown = realloc(block, (count ? count : 1) * size);
    if (!grown)
        die("out of memory for %zu items of %zu bytes", count, size);
    return grown;
}

/* ---- reading patterns ------------------------------------------------ */

static void read_repeat(reader *r, oracle_element *e)
{
    e->min = e->max = 1;
    if (reader_skip(r, '?')) {
        e->min = 0;
    } else if (reader_skip(r, '*')) {
        e->min = 0;
        e->max = UNBOUNDED;
    } else if (reader_skip(r, '+')) {
        e->max = UNBOUNDED;
    } else if (reader_skip(r, '{')) {
        read_counts(r, &e->min, &e->max);
    }
}

static void read_extended(reader *r, bool nocase, oracle_element *e)
{
    if (reader_skip(r, '.')) {
        memset(e->set, true, sizeof e->set);
    } else if (reader_skip(r, '[')) {
        read_class(r, nocase, e->set);
    } else if (!read_named_class(r, e->set)) {
        if (!reader_ended(r) && r->text[r->at] && strchr("?*+{(|)^$", r->text[r->at]))
            reader_fail(r, "an operator that must be escaped here");
        e->set[read_byte(r)] = true;
        if (nocase)
            add_both_cases(e->set);
    }
    read_repeat(r, e);
}

/* Literal and escaped syntax: one byte. */
static void read_plain(reader *r, bool escapes, bool nocase, oracle_element *e)
{
    e->set[escapes ? read_byte(r) : reader_take(r)] = true;
    e->min = e->max = 1;
    if (nocase)
        add_both_cases(e->set);
}

/* Conditions that stand at `at`, each by the byte that names it. */
static void read_conditions(reader *r, char *list)
{
    size_t count = strlen(list);
    for (;;) {
        const bool escaped = reader_sees(r, '\\') && r->at + 1 < r->length && r->text[r->at + 1] &&
                             strchr("AzbB<>", r->text[r->at + 1]);
        if (!escaped && !reader_sees(r, '^') && !reader_sees(r, '$'))
            return;
        if (count == 6) {
            reader_fail(r, "too many conditions");
            return;
        }
        r->at += escaped;
        list[count++] = (char)reader_take(r);
    }
}

static size_t plus(size_t a, size_t b)
{
    return a == UNBOUNDED || b == UNBOUNDED ? UNBOUNDED : a + b;
}

static oracle_pattern read_alternative(const trawl_pattern *source, reader *r, size_t index)
{
    const bool extended = source->syntax == TRAWL_SYNTAX_EXTENDED;
    bool nocase = source->flags & TRAWL_NOCASE;
    oracle_pattern p = { .id = source->id, .index = (uint32_t)index };
    p.elements = grow(NULL, source->length, sizeof *p.elements);
    if (source->flags & TRAWL_WORDS)
        p.begins[0] = p.ends[0] = 'w';
    if (source->flags & TRAWL_WHOLE_LINES) {
        p.begins[strlen(p.begins)] = '^';
        p.ends[strlen(p.ends)] = '$';
    }
    while (!reader_ended(r) && !(extended && reader_sees(r, '|'))) {
        if (extended) {
            const size_t before = r->at;
            read_conditions(r, p.count ? p.ends : p.begins);
            if (r->at > before)
                continue;
        }
        oracle_element *e = &p.elements[p.count++];
        memset(e, 0, sizeof *e);
        if (extended)
            read_extended(r, nocase, e);
        else
            read_plain(r, source->syntax == TRAWL_SYNTAX_ESCAPED, nocase, e);
        if (source->flags & TRAWL_LINES)
            e->set['\n'] = false;
        p.min_length = plus(p.min_length, e->min);
        p.max_length = plus(p.max_length, e->max);
    }
    if (p.min_length == 0)
        reader_fail(r, "it matches the empty string");
    if (r->wrong)
        die("pattern %zu, before byte %zu: %s", index, r->at, r->wrong);
    return p;
}

/* Its lengths are those of all its alternatives. */
static oracle_pattern read_elements(const trawl_pattern *source, size_t index)
{
    reader r = { source->text, source->length, 0, NULL };
    oracle_pattern p = read_alternative(source, &r, index);
    for (oracle_pattern **last = &p.next; reader_skip(&r, '|'); last = &(*last)->next) {
        *last = grow(NULL, 1, sizeof **last);
        **last = read_alternative(source, &r, index);
        p.min_length = (*last)->min_length < p.min_length ? (*last)->min_length : p.min_length;
        p.max_length = (*last)->max_length > p.max_length ? (*last)->max_length : p.max_length;
    }
    return p;
}

static oracle_pattern read_expression(const trawl_pattern *source, size_t index)
{
    const char *why = "it matches the empty string";
    oracle_pattern p = { .id = source->id, .index = (uint32_t)index };
    p.expression = expression_read(source, &why);
    if (!p.expression || !expression_shortest(p.expression))
        die("pattern %zu: %s", index, why);
    p.min_length = expression_shortest(p.expression);
    p.max_length = expression_longest(p.expression);
    return p;
}

static void free_pattern(oracle_pattern *p)
{
    free(p->elements);
    expression_free(p->expression);
    for (oracle_pattern *a = p->next, *next; a; a = next) {
        next = a->next;
        free(a->elements);
        free(a);
    }
}

/* ---- matching one pattern -------------------------------------------- */

/* Positions of the text: at[lo] and at[hi] hold, outside lo .. hi none does. */
typedef struct positions {
    bool *at;
    bool any; /* false: the set is empty */
    size_t lo, hi;
} positions;

typedef struct search {
    const unsigned char *text;
    size_t length;
    positions now, next, all; /* scratch */
    size_t *ends;             /* likewise, of expressions */
    trawl_match *matches;
    size_t count, room;
} search;

static void include(positions *set, size_t position)
{
    if (!set->any)
        set->lo = position;
    set->any = true;
    set->hi = position;
}

/* From the positions `now`, min .. max bytes of the element's class further: `next`.
 *
 * For each position q only the nearest p of `now` with q - p >= min matters: it is
 * within max, and text[p, q) within the class, if that holds for any p before it. */
static void step(search *s, const oracle_element *e)
{
    const positions *now = &s->now;
    positions *next = &s->next;
    size_t run = now->lo; /* text[run, q) is all in the class */
    size_t nearest = 0;
    bool found = false;
    next->any = false;
    for (size_t q = now->lo; q <= s->length; q++) {
        if (q > now->lo && !e->set[s->text[q - 1]])
            run = q;
        if (run > now->hi || (q > now->hi && q - now->hi > e->max))
            break;
        if (q - now->lo >= e->min && q - e->min <= now->hi && now->at[q - e->min]) {
            nearest = q - e->min;
            found = true;
        }
        next->at[q] = found && nearest >= run && q - nearest <= e->max;
        if (next->at[q])
            include(next, q);
    }
}

static bool word_at(const search *s, size_t position)
{
    return position < s->length && is_word(s->text[position]);
}

/* Do conditions hold between two bytes: the one before `position` and the one there? */
static bool holds(const search *s, const char *conditions, bool at_begin, size_t position)
{
    const bool left = position > 0 && word_at(s, position - 1), right = word_at(s, position);
    for (const char *c = conditions; *c; c++) {
        bool fits = false;
        switch (*c) {
        case '^':
            fits = position == 0 || s->text[position - 1] == '\n';
            break;
        case '$':
            fits = position == s->length || s->text[position] == '\n';
            break;
        case 'A':
            fits = position == 0;
            break;
        case 'z':
            fits = position == s->length;
            break;
        case 'b':
            fits = left != right;
            break;
        case 'B':
            fits = left == right;
            break;
        case '<':
            fits = !left && right;
            break;
        case '>':
            fits = left && !right;
            break;
        default: /* of TRAWL_WORDS */
            fits = at_begin ? !left : !right;
        }
        if (!fits)
            return false;
    }
    return true;
}

/* A letter or digit; wide: and a byte 0. */
static bool is_letter(const search *s, size_t position, bool wide)
{
    return position < s->length && isalnum(s->text[position]) && s->text[position] < 128 &&
           (!wide || (position + 1 < s->length && s->text[position + 1] == 0));
}

static bool begins_well(const search *s, const trawl_conditions *c, size_t start)
{
    const size_t width = c && c->word == TRAWL_WORD_FULL_WIDE ? 2 : 1;
    if (!c)
        return true;
    if (c->word != TRAWL_WORD_ANY && start >= width && is_letter(s, start - width, width == 2))
        return false;
    if (c->place == TRAWL_PLACE_BEGIN)
        return start >= c->offset && start <= c->offset + c->within;
    if (c->place == TRAWL_PLACE_END)
        return s->length >= c->offset && start >= s->length - c->offset &&
               start <= s->length - c->offset + c->within;
    return true;
}

static bool ends_well(const search *s, const trawl_conditions *c, size_t end)
{
    return !c || c->word == TRAWL_WORD_ANY || !is_letter(s, end, c->word == TRAWL_WORD_FULL_WIDE);
}

/* Leave the positions where a match may end. */
static void leave_ends(const search *s, const char *conditions, const trawl_conditions *more,
                       positions *ends)
{
    const size_t lo = ends->lo, hi = ends->hi;
    const bool any = ends->any;
    ends->any = false;
    for (size_t end = lo; any && end <= hi; end++) {
        ends->at[end] =
            ends->at[end] && holds(s, conditions, false, end) && ends_well(s, more, end);
        if (ends->at[end])
            include(ends, end);
    }
}

/* The ends of all matches of one alternative that start in first .. last. */
static const positions *ends_of(search *s, const oracle_pattern *p, size_t first, size_t last)
{
    s->now.any = false;
    for (size_t start = first; start <= last; start++) {
        s->now.at[start] = holds(s, p->begins, true, start) && begins_well(s, p->conditions, start);
        if (s->now.at[start])
            include(&s->now, start);
    }
    for (size_t i = 0; i < p->count && s->now.any; i++) {
        step(s, &p->elements[i]);
        positions swap = s->now;
        s->now = s->next;
        s->next = swap;
    }
    leave_ends(s, p->ends, p->conditions, &s->now);
    return &s->now;
}

/* The ends of all matches that start in first .. last. The set is valid until the
 * next call. */
static const positions *ends_from(search *s, const oracle_pattern *p, size_t first, size_t last)
{
    if (!p->next && !p->expression)
        return ends_of(s, p, first, last);
    s->all.any = false;
    memset(s->all.at, 0, (s->length + 1) * sizeof *s->all.at);
    if (p->expression) {
        size_t count = expression_ends(p->expression, s->text, s->length, first, last, s->ends);
        for (size_t i = 0; i < count; i++) {
            s->all.at[s->ends[i]] = true;
            include(&s->all, s->ends[i]);
        }
        return &s->all;
    }
    for (const oracle_pattern *a = p; a; a = a->next) {
        const positions *ends = ends_of(s, a, first, last);
        for (size_t end = ends->lo; ends->any && end <= ends->hi; end++)
            s->all.at[end] |= ends->at[end];
    }
    for (size_t end = first; end <= s->length; end++)
        if (s->all.at[end])
            include(&s->all, end);
    return &s->all;
}

/* A cheap look at the first byte, to pass over most starts. */
static bool may_start(const search *s, const oracle_pattern *p, size_t start)
{
    if (p->expression)
        return expression_begins(p->expression, s->text[start]);
    for (; p; p = p->next)
        if (p->elements[0].min == 0 || p->elements[0].set[s->text[start]])
            return true;
    return false;
}

static void add_match(search *s, const oracle_pattern *p, uint64_t start, uint64_t end)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->matches = grow(s->matches, s->room, sizeof *s->matches);
    }
    s->matches[s->count++] = (trawl_match){ start, end, p->id, p->index, 0 };
}

/* ---- report modes ---------------------------------------------------- */

/* Every end once, when the start is not known. */
static void report_variable_ends(search *s, const oracle_pattern *p)
{
    const positions *ends = ends_from(s, p, 0, s->length);
    for (size_t end = ends->lo; ends->any && end <= ends->hi; end++)
        if (ends->at[end])
            add_match(s, p, TRAWL_UNKNOWN, end);
}

/* The modes that look at each start of one pattern by itself. A pattern of fixed
 * length has one end a start, so they all agree with TRAWL_REPORT_ENDS there. */
static void report_starts(search *s, const oracle_pattern *p, uint32_t report)
{
    for (size_t start = 0; start < s->length; start++) {
        if (!may_start(s, p, start))
            continue;
        const positions *ends = ends_from(s, p, start, start);
        if (!ends->any)
            continue;
        if (report == TRAWL_REPORT_LONGEST) {
            add_match(s, p, start, ends->hi);
        } else if (report == TRAWL_REPORT_SHORTEST) {
            add_match(s, p, start, ends->lo);
        } else {
            for (size_t end = ends->lo; end <= ends->hi; end++)
                if (ends->at[end])
                    add_match(s, p, start, end);
        }
    }
}

/* The end of the match that a pattern would have at a start if it won there; SIZE_MAX: none. */
static size_t best_of(search *s, const oracle_pattern *p, uint32_t report, size_t start)
{
    if (!may_start(s, p, start))
        return SIZE_MAX;
    if (p->expression && report == TRAWL_REPORT_LEFTMOST_FIRST)
        return expression_first(p->expression, s->text, s->length, start);
    if (report == TRAWL_REPORT_LEFTMOST_FIRST) { /* the first alternative that matches, greedily */
        for (; p; p = p->next) {
            const positions *ends = ends_of(s, p, start, start);
            if (ends->any)
                return ends->hi;
        }
        return SIZE_MAX;
    }
    const positions *ends = ends_from(s, p, start, start);
    return ends->any ? ends->hi : SIZE_MAX;
}

/* Is a match of `p` up to `end` better than the one of `best` up to `best_end`, both
 * from one start? `p` comes later in the caller's array. */
static bool is_better(uint32_t report, const oracle_pattern *p, size_t end,
                      const oracle_pattern *best, size_t best_end)
{
    if (report == TRAWL_REPORT_LEFTMOST_FIRST)
        return false;
    return end > best_end || (end == best_end && p->id < best->id);
}

/* The modes without overlaps: all patterns compete at each start. */
static void report_leftmost(search *s, const oracle_pattern *patterns, size_t count,
                            uint32_t report)
{
    size_t start = 0;
    while (start < s->length) {
        const oracle_pattern *best = NULL;
        size_t best_end = start + 1; /* where to go on when nothing matches here */
        for (size_t i = 0; i < count; i++) {
            const oracle_pattern *p = &patterns[i];
            const size_t end = best_of(s, p, report, start);
            if (end != SIZE_MAX && (!best || is_better(report, p, end, best, best_end))) {
                best = p;
                best_end = end;
            }
        }
        if (best)
            add_match(s, best, start, best_end);
        start = best_end;
    }
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_matches(const void *left, const void *right)
{
    const trawl_match *a = left, *b = right;
    int order = compare(a->end, b->end);
    if (!order)
        order = compare(a->start, b->start);
    if (!order)
        order = compare(a->id, b->id);
    return order ? order : compare(a->pattern, b->pattern);
}

static void report_all(search *s, const oracle_pattern *patterns, size_t count, uint32_t report)
{
    if (report == TRAWL_REPORT_LEFTMOST_LONGEST || report == TRAWL_REPORT_LEFTMOST_FIRST) {
        report_leftmost(s, patterns, count, report);
        return;
    }
    if (report > TRAWL_REPORT_SHORTEST && report != TRAWL_REPORT_EACH)
        die("unknown report mode %u", (unsigned)report);
    for (size_t i = 0; i < count; i++) {
        const oracle_pattern *p = &patterns[i];
        if (report == TRAWL_REPORT_ENDS && p->min_length != p->max_length)
            report_variable_ends(s, p);
        else if (report == TRAWL_REPORT_EACH && p->min_length != p->max_length)
            report_leftmost(s, p, 1, TRAWL_REPORT_LEFTMOST_LONGEST);
        else
            report_starts(s, p, report);
    }
}

/* The list is freed. */
static size_t scan(oracle_pattern *list, size_t count, const void *text, size_t length,
                   uint32_t report, trawl_match **matches)
{
    search s = { .text = text, .length = length };
    s.now.at = grow(NULL, length + 1, sizeof *s.now.at);
    s.next.at = grow(NULL, length + 1, sizeof *s.next.at);
    s.all.at = grow(NULL, length + 1, sizeof *s.all.at);
    s.ends = grow(NULL, length + 1, sizeof *s.ends);

    report_all(&s, list, count, report);

    for (size_t i = 0; i < count; i++)
        free_pattern(&list[i]);
    free(list);
    free(s.now.at);
    free(s.next.at);
    free(s.all.at);
    free(s.ends);
    if (s.count)
        qsort(s.matches, s.count, sizeof *s.matches, compare_matches);
    *matches = s.matches;
    return s.count;
}

size_t oracle_scan(const trawl_pattern *patterns, size_t count, const void *text, size_t length,
                   uint32_t report, trawl_match **matches)
{
    return oracle_scan_if(patterns, NULL, count, text, length, report, matches);
}

size_t oracle_scan_if(const trawl_pattern *patterns, const trawl_conditions *const *conditions,
                      size_t count, const void *text, size_t length, uint32_t report,
                      trawl_match **matches)
{
    oracle_pattern *list = grow(NULL, count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        list[i] = read_elements(&patterns[i], i);
        for (oracle_pattern *p = &list[i]; conditions && p; p = p->next)
            p->conditions = conditions[i];
    }
    return scan(list, count, text, length, report, matches);
}

size_t oracle_scan_expressions(const trawl_pattern *patterns, const bool *one_length, size_t count,
                               const void *text, size_t length, uint32_t report,
                               trawl_match **matches)
{
    oracle_pattern *list = grow(NULL, count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        list[i] = patterns[i].syntax == TRAWL_SYNTAX_EXTENDED ? read_expression(&patterns[i], i)
                                                              : read_elements(&patterns[i], i);
        if (one_length && one_length[i])
            list[i].max_length = list[i].min_length;
    }
    return scan(list, count, text, length, report, matches);
}

/* ---- grids ----------------------------------------------------------- */

static size_t row_bytes(size_t stride, uint64_t cols, uint32_t cell_size)
{
    return stride ? stride : (size_t)cols * cell_size;
}

static bool needle_at(const trawl_needle *needle, uint32_t cell_size, const trawl_grid *text,
                      uint64_t row, uint64_t col)
{
    size_t width = (size_t)needle->cols * cell_size;
    size_t needle_stride = row_bytes(needle->stride, needle->cols, cell_size);
    size_t text_stride = row_bytes(text->stride, text->cols, cell_size);
    if (needle->rows > text->rows - row || needle->cols > text->cols - col)
        return false;
    for (uint64_t r = 0; r < needle->rows; r++) {
        const unsigned char *want = needle->cells, *have = text->cells;
        want += r * needle_stride;
        have += (row + r) * text_stride + col * cell_size;
        if (memcmp(want, have, width) != 0)
            return false;
    }
    return true;
}

static int compare_grid_matches(const void *left, const void *right)
{
    const trawl_grid_match *a = left, *b = right;
    int order = compare(a->row, b->row);
    if (!order)
        order = compare(a->col, b->col);
    if (!order)
        order = compare(a->id, b->id);
    return order ? order : compare(a->needle, b->needle);
}

size_t oracle_scan_grid(const trawl_needle *needles, size_t count, uint32_t cell_size,
                        const trawl_grid *text, trawl_grid_match **matches)
{
    trawl_grid_match *list = NULL;
    size_t found = 0, room = 0;
    for (uint64_t row = 0; row < text->rows; row++)
        for (uint64_t col = 0; col < text->cols; col++)
            for (size_t i = 0; i < count; i++) {
                if (!needle_at(&needles[i], cell_size, text, row, col))
                    continue;
                if (found == room) {
                    room = room ? 2 * room : 16;
                    list = grow(list, room, sizeof *list);
                }
                list[found++] = (trawl_grid_match){ row, col, needles[i].id, (uint32_t)i };
            }
    if (found)
        qsort(list, found, sizeof *list, compare_grid_matches);
    *matches = list;
    return found;
}
