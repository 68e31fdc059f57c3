/* line_printer.c: see line_printer.h.
 *
 * Idea. A selected line prints the lines around it: those behind the last one, as many as it may
 * have, those before it, and itself. Lines before it may stand in blocks that are gone, so the last
 * lines of each block are kept that were not printed. What matches in a line is found by scanning
 * it once more, alone, for only few lines are printed.
 *
 * A piece of a file begins as if nothing was before it, and leaves out what stands between groups
 * before its first line. It notes its edges, and when its turn comes the lines between it and what
 * was printed last are read again.
 *
 * Invariant: lines are printed in order, none twice: all before `shown` are decided. Lines are kept
 * only when no line of the block was printed behind them.
 *
 * Cost: a scan of each line that shows its matches; a copy of the lines kept.
 */
#define _GNU_SOURCE /* memrchr */
#include "cli/line_printer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/line_json.h"

#define NO_OFFSET_WIDTH 19    /* digits of the largest offset */
#define FIRST_READ (4u << 10) /* between pieces */
#define MOST_READ (256u << 10)

bool line_printer_wanted(const line_style *style)
{
    return !style->silent && (style->context || style->colours || style->tab || style->heading ||
                              style->json || (style->only && style->every));
}

void line_printer_begin(line_search *s, const source *file)
{
    line_context *c = &s->context_lines;
    const bool known = S_ISREG(file->facts.st_mode);
    char digits[20];
    c->shown = c->begin = c->end = 0;
    c->lines = c->left = 0;
    c->began = s->broken = false;
    if (s->style->json) {
        memset(&s->stats, 0, sizeof s->stats);
        s->began = now();
    }
    c->width = known ? (int)(put_decimal(digits, (uint64_t)file->facts.st_size) - digits)
                     : NO_OFFSET_WIDTH;
}

void line_printer_end(line_search *s)
{
    if (s->style->json && s->context_lines.began)
        line_json_end(s);
}

void line_printer_free(line_search *s)
{
    free(s->context_lines.kept);
    free(s->matches);
    trawl_context_free(s->inner);
    s->context_lines.kept = NULL;
    s->context_lines.room = 0;
    s->matches = NULL;
    s->match_room = 0;
    s->inner = NULL;
}

/* ---- matches in a line --------------------------------------------------- */

static bool lose(line_search *s, const char *why)
{
    snprintf(s->error.message, sizeof s->error.message, "%s", why);
    s->broken = s->finished = true;
    return false;
}

static int keep_matches(const trawl_match *matches, size_t count, void *user)
{
    line_search *s = user;
    if (s->match_count + count > s->match_room) {
        const size_t room = 2 * (s->match_count + count);
        line_match *grown = realloc(s->matches, room * sizeof *grown);
        if (!grown)
            return !lose(s, "out of memory for the matches of a line");
        s->matches = grown;
        s->match_room = room;
    }
    for (size_t i = 0; i < count; i++)
        s->matches[s->match_count++] =
            (line_match){ (size_t)matches[i].start, (size_t)matches[i].end };
    return 0;
}

static bool open_inner(line_search *s)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    options.backend = "serial";
    options.isa = s->isa;
    return s->inner || trawl_context_open(&options, &s->inner, &s->error) == TRAWL_OK;
}

/* The leftmost longest matches of a line, into s->matches. */
static void find_matches(line_search *s, const shown_line *line)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    options.report = TRAWL_REPORT_LEFTMOST_LONGEST;
    if (!s->plan || s->broken)
        return;
    if (!open_inner(s) || trawl_scan(s->inner, s->plan, line->text, line->length, &options,
                                     keep_matches, s, &s->error) < 0)
        s->broken = s->finished = true;
}

/* ---- fields -------------------------------------------------------------- */

static void put(const line_search *s, const void *bytes, size_t length)
{
    printer_put(s->out, bytes, length);
}

static void begin_colour(printer *out, const sgr_colours *colours, const char *colour)
{
    if (!colours || !*colour)
        return;
    printer_put(out, "\33[", 2);
    printer_put(out, colour, strlen(colour));
    printer_put(out, "m\33[K", colours->plain ? 1 : 4);
}

static void end_colour(printer *out, const sgr_colours *colours, const char *colour)
{
    if (colours && *colour)
        printer_put(out, "\33[m\33[K", colours->plain ? 3 : 6);
}

static void put_coloured(const line_search *s, const char *colour, const void *bytes, size_t length)
{
    begin_colour(s->out, s->style->colours, colour);
    put(s, bytes, length);
    end_colour(s->out, s->style->colours, colour);
}

void line_printer_name(const line_style *style, printer *out, const char *name, char behind)
{
    const sgr_colours *colours = style->colours;
    begin_colour(out, colours, colours ? colours->name : "");
    printer_put(out, name, strlen(name));
    end_colour(out, colours, colours ? colours->name : "");
    if (style->null_name || behind == '\n') {
        printer_put(out, style->null_name ? "" : "\n", 1);
        return;
    }
    begin_colour(out, colours, colours ? colours->separator : "");
    printer_put(out, &behind, 1);
    end_colour(out, colours, colours ? colours->separator : "");
}

#define COLOUR(s, field) ((s)->style->colours ? (s)->style->colours->field : "")

static void put_separator(const line_search *s, const char *bytes, size_t length)
{
    put_coloured(s, COLOUR(s, separator), bytes, length);
}

static void put_number(const line_search *s, const char *colour, uint64_t number,
                       const char *separator)
{
    char field[NO_OFFSET_WIDTH + 20], *digits = field + NO_OFFSET_WIDTH;
    const char *end = put_decimal(digits, number);
    const char *begin = s->style->tab ? end - s->context_lines.width : digits;
    memset(field, ' ', NO_OFFSET_WIDTH);
    begin = begin < digits ? begin : digits;
    put_coloured(s, colour, begin, (size_t)(end - begin));
    put_separator(s, separator, 1);
}

/* "name:number:offset:" before `length` bytes of the line from `at` on; a context line has "-". */
static void put_head(const line_search *s, const shown_line *line, size_t at, size_t length)
{
    const line_style *style = s->style;
    const char *separator = line->selected ? ":" : "-";
    const bool named = s->name && !style->heading;
    if (named)
        line_printer_name(style, s->out, s->name, *separator);
    if (style->number)
        put_number(s, COLOUR(s, number), line->number, separator);
    if (style->offset)
        put_number(s, COLOUR(s, offset), line->offset + at, separator);
    if (style->tab && length && (named || style->number || style->offset))
        put(s, "\t", 1);
}

/* ---- lines --------------------------------------------------------------- */

static void put_end(const line_search *s)
{
    put(s, &s->style->end, 1);
}

/* The colour of matches in the line; empty: none. */
static const char *match_colour(const line_search *s, const shown_line *line)
{
    return line->selected ? COLOUR(s, selected_match) : COLOUR(s, context_match);
}

static void put_only(const line_search *s, const shown_line *line)
{
    for (size_t i = 0; i < s->match_count; i++) {
        const line_match m = s->matches[i];
        put_head(s, line, m.begin, m.end - m.begin);
        put_coloured(s, match_colour(s, line), line->text + m.begin, m.end - m.begin);
        put_end(s);
    }
}

static void put_coloured_line(const line_search *s, const shown_line *line)
{
    const sgr_colours *colours = s->style->colours;
    const bool as_selected = line->selected != (s->style->invert && colours->reverse);
    const char *whole = as_selected ? colours->selected_line : colours->context_line;
    size_t at = 0, length = line->length;
    for (size_t i = 0; i < s->match_count; i++) {
        const line_match m = s->matches[i];
        begin_colour(s->out, colours, whole);
        put(s, line->text + at, m.begin - at);
        put_coloured(s, match_colour(s, line), line->text + m.begin, m.end - m.begin);
        at = m.end;
    }
    length -= length > at && line->text[length - 1] == '\r';
    if (*whole && length > at) {
        put_coloured(s, whole, line->text + at, length - at);
        at = length;
    }
    put(s, line->text + at, line->length - at);
    put_end(s);
}

/* Its matches come first: without them nothing is printed of it. */
static void put_line(line_search *s, const shown_line *line)
{
    const line_style *style = s->style;
    s->match_count = 0;
    if (line->matches && (style->only || style->json || *match_colour(s, line)))
        find_matches(s, line);
    if (s->broken)
        return;
    if (style->json) {
        line_json_line(s, line);
    } else if (style->only) {
        put_only(s, line);
    } else {
        put_head(s, line, 0, line->length);
        if (style->colours) {
            put_coloured_line(s, line);
        } else {
            put(s, line->text, line->length);
            put_end(s);
        }
    }
}

/* ---- lines of the block -------------------------------------------------- */

static size_t line_stop(const line_search *s, size_t begin)
{
    const uint8_t *newline = memchr(s->text + begin, s->style->end, s->length - begin);
    return newline ? (size_t)(newline - s->text) : s->length;
}

/* The begin of the line before text[end]. */
static size_t line_start(const uint8_t *text, size_t low, size_t end, uint8_t terminator)
{
    end--; /* its newline, or the last byte of a text without one */
#ifdef __GLIBC__
    const uint8_t *newline = end > low ? memrchr(text + low, terminator, end - low) : NULL;
    return newline ? (size_t)(newline - text) + 1 : low;
#else
    while (end > low && text[end - 1] != terminator)
        end--;
    return end;
#endif
}

static uint64_t number_at(line_search *s, size_t begin)
{
    if (!s->style->number)
        return 0;
    if (begin > s->counted) {
        s->line += lines_count(s->text + s->counted, begin - s->counted, s->style->end);
        s->counted = begin;
    }
    return s->line + 1;
}

/* The line text[begin .. end) of the block. Returns where the next one begins. */
static size_t show(line_search *s, size_t begin, size_t end, bool selected)
{
    line_context *c = &s->context_lines;
    const shown_line line = { .text = s->text + begin,
                              .length = end - begin,
                              .ended = end < s->length,
                              .number = number_at(s, begin),
                              .offset = s->offset + begin,
                              .selected = selected,
                              .matches = selected != s->style->invert };
    put_line(s, &line);
    c->shown = end < s->length ? end + 1 : end;
    c->shown_to = s->offset + c->shown;
    return c->shown;
}

/* The lines before `limit` that follow the last selected one, as many as are wanted. */
static void show_behind(line_search *s, size_t limit)
{
    line_context *c = &s->context_lines;
    for (; c->left && c->shown < limit; c->left--)
        show(s, c->shown, line_stop(s, c->shown), false);
}

/* ---- lines that were kept ------------------------------------------------ */

/* Of the lines kept, where the last `count` begin. */
static size_t kept_from(const line_search *s, uint64_t count)
{
    const line_context *c = &s->context_lines;
    size_t at = c->end;
    while (count--)
        at = line_start(c->kept, c->begin, at, s->style->end);
    return at;
}

static void show_kept(line_search *s, uint64_t count)
{
    line_context *c = &s->context_lines;
    size_t at = kept_from(s, count);
    for (; count; count--) {
        const uint8_t *from = c->kept + at;
        const size_t length =
            (size_t)((const uint8_t *)memchr(from, s->style->end, c->end - at) - from);
        const shown_line line = { .text = from,
                                  .length = length,
                                  .ended = true,
                                  .number = s->line + 1 - count,
                                  .offset = s->offset - (c->end - at),
                                  .matches = s->style->invert };
        put_line(s, &line);
        at += length + 1;
    }
}

static bool keep_room(line_context *c, size_t length)
{
    const size_t used = c->end - c->begin;
    if (c->begin && c->begin >= used) { /* so each byte is moved once on average */
        memmove(c->kept, c->kept + c->begin, used);
        c->begin = 0;
        c->end = used;
    }
    if (length <= c->room - c->end)
        return true;
    const size_t room = 2 * (c->end + length);
    uint8_t *grown = realloc(c->kept, room);
    if (grown) {
        c->kept = grown;
        c->room = room;
    }
    return grown;
}

/* Keep the last lines of the block; of those kept before, what is still among the last ones. */
static void keep_lines(line_search *s)
{
    line_context *c = &s->context_lines;
    const uint64_t most = s->style->before;
    size_t from = s->length;
    uint64_t count = 0;
    for (; count < most && from > c->shown; count++)
        from = line_start(s->text, c->shown, from, s->style->end);
    if (c->shown || count == most) {
        c->begin = c->end = 0;
        c->lines = 0;
    }
    for (; c->lines + count > most; c->lines--)
        c->begin =
            (size_t)((uint8_t *)memchr(c->kept + c->begin, s->style->end, c->end - c->begin) + 1 -
                     c->kept);
    if (!keep_room(c, s->length - from)) {
        lose(s, "out of memory for lines of context");
        return;
    }
    if (s->length > from)
        memcpy(c->kept + c->end, s->text + from, s->length - from);
    c->end += s->length - from;
    c->lines += count;
}

/* ---- groups -------------------------------------------------------------- */

static void put_heading(line_search *s)
{
    printer_joint(s->out, "\n", 1);
    line_printer_name(s->style, s->out, s->name, '\n');
}

/* The separator before the first group of a file. */
static void put_joint(line_search *s, const char *separator)
{
    const char *colour = COLOUR(s, separator);
    const char *end = *colour ? "\33[m" : "", *clear = *colour ? "\33[K" : "";
    if (*colour && s->style->colours->plain)
        clear = "";
    char *joint = format_text("%s%s%s%s%s%s%s\n", *colour ? "\33[" : "", colour, *colour ? "m" : "",
                              clear, separator, end, clear);
    if (joint)
        printer_joint(s->out, joint, strlen(joint));
    else
        lose(s, "out of memory for a separator");
    free(joint);
}

/* Lines do not follow those that were printed before: say so. */
static void begin_group(line_search *s)
{
    const line_style *style = s->style;
    line_context *c = &s->context_lines;
    const char *separator = style->context ? style->separator : NULL;
    if (style->json) {
        if (!c->began)
            line_json_begin(s);
    } else if (c->began && separator) {
        put_separator(s, separator, strlen(separator));
        put(s, "\n", 1);
    } else if (!c->began && style->heading && s->name) {
        put_heading(s);
    } else if (!c->began && separator) {
        put_joint(s, separator);
    }
    c->began = true;
}

/* The first lines of a piece begin here, and `wanted` lines before it may belong to them. */
static void begin_piece(line_search *s, size_t from, uint64_t wanted)
{
    line_edges *e = s->edges;
    e->began = s->context_lines.began = true;
    e->from = s->offset + from;
    e->from_line = s->style->number ? number_at(s, from) - 1 : 0;
    e->before = wanted;
}

void line_printer_select(line_search *s, size_t begin, size_t end)
{
    line_context *c = &s->context_lines;
    uint64_t wanted = s->style->before;
    size_t from = begin;
    show_behind(s, begin);
    for (; wanted && from > c->shown; wanted--)
        from = line_start(s->text, c->shown, from, s->style->end);
    const uint64_t kept = c->shown || from ? 0 : wanted < c->lines ? wanted : c->lines;
    const uint64_t first = s->offset + from - (kept ? c->end - kept_from(s, kept) : 0);
    if (!c->began && s->edges)
        begin_piece(s, from, wanted);
    else if (!c->began || first != c->shown_to)
        begin_group(s);
    show_kept(s, kept);
    while (from < begin)
        from = show(s, from, line_stop(s, from), false);
    show(s, begin, end, true);
    c->left = s->style->behind;
}

static void end_piece(line_search *s)
{
    const line_context *c = &s->context_lines;
    line_edges *e = s->edges;
    if (!e->began)
        return;
    e->to = c->shown_to;
    e->to_line = s->style->number ? number_at(s, c->shown) - 1 : 0;
    e->behind = c->left;
}

void line_printer_end_block(line_search *s)
{
    line_context *c = &s->context_lines;
    show_behind(s, s->length);
    if (s->edges)
        end_piece(s);
    else if (s->style->before && !s->finished)
        keep_lines(s);
    c->shown = 0;
}

/* ---- between pieces -------------------------------------------------------- */

/* A block of lines, of which none was printed; the one before was counted. */
static void begin_block(line_search *s, const uint8_t *text, size_t length)
{
    s->text = text;
    s->length = length;
    s->counted = s->context_lines.shown = 0;
}

bool line_printer_behind(line_search *s, source *file, line_edges *last, uint64_t end)
{
    line_context *c = &s->context_lines;
    uint8_t *text;
    size_t length = 1;
    if (!last->behind || last->to >= end)
        return true;
    if (!source_place(file, last->to))
        return false;
    c->left = last->behind;
    s->line = last->to_line;
    file->largest = FIRST_READ;
    for (s->offset = last->to; length && c->left && s->offset < end; s->offset += length) {
        if (!source_lines(file, &text, &length))
            return false;
        length = end - s->offset < length ? (size_t)(end - s->offset) : length;
        begin_block(s, text, length);
        show_behind(s, length);
        if (c->shown)
            last->to = c->shown_to;
        if (s->style->number)
            last->to_line = number_at(s, c->shown) - 1;
        file->largest = MOST_READ;
    }
    last->behind = c->left;
    return !s->broken;
}

/* Keep the last lines of the file's [low .. end). */
static bool keep_before(line_search *s, source *file, uint64_t low, uint64_t end)
{
    line_context *c = &s->context_lines;
    const uint64_t all = end - low;
    for (size_t wanted = FIRST_READ;; wanted *= 2) {
        const size_t length = all < wanted ? (size_t)all : wanted;
        size_t at = length;
        uint64_t lines = 0;
        c->begin = c->end = 0;
        if (!keep_room(c, length))
            return lose(s, "out of memory for lines of context");
        if (!source_piece(file, end - length, c->kept, length)) {
            file->why = "could not be read again, for the lines around others";
            return false;
        }
        for (; lines < s->style->before && at; lines++)
            at = line_start(c->kept, 0, at, s->style->end);
        if (at || length == all) { /* or the first one may begin before it */
            c->begin = at;
            c->end = length;
            c->lines = lines;
            return true;
        }
    }
}

bool line_printer_join(line_search *s, source *file, line_edges *last, const line_edges *next)
{
    line_context *c = &s->context_lines;
    if (!line_printer_behind(s, file, last, next->from) ||
        (next->before && !keep_before(s, file, last->began ? last->to : 0, next->from)))
        return false;
    const uint64_t kept = next->before < c->lines ? next->before : c->lines;
    const uint64_t first = next->from - (c->end - kept_from(s, kept));
    s->offset = next->from;
    s->line = next->from_line;
    c->began = last->began;
    if (!last->began || first != last->to)
        begin_group(s);
    show_kept(s, kept);
    return !s->broken;
}

bool line_printer_resume(line_search *s, source *file, line_edges *last)
{
    line_context *c = &s->context_lines;
    const uint64_t at = s->offset, line = s->line;
    if (!line_printer_behind(s, file, last, at) ||
        (s->style->before && !keep_before(s, file, last->began ? last->to : 0, at)))
        return false;
    s->offset = at;
    s->line = line;
    c->began = last->began;
    c->shown_to = last->to;
    c->left = last->behind;
    c->shown = 0;
    return true;
}
