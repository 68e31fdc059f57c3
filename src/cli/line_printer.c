/* line_printer.c: see line_printer.h. */
#include "cli/line_printer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_OFFSET_WIDTH 19 /* digits of the largest offset */

bool line_printer_wanted(const line_style *style)
{
    return !style->silent && (style->context || style->colours || style->tab || style->heading ||
                              style->json || (style->only && (style->every || style->empties)));
}

static void put_json(void *user, const void *bytes, size_t length)
{
    printer_put(user, bytes, length);
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
        s->json = (lines_json){ .put = put_json, .user = s->out };
        s->began = now();
    }
    c->width = known ? (int)(put_decimal(digits, (uint64_t)file->facts.st_size) - digits)
                     : NO_OFFSET_WIDTH;
}

void line_printer_end(line_search *s)
{
    if (!s->style->json || !s->context_lines.began)
        return;
    s->json.stats.seconds = now() - s->began;
    s->json.stats.lines = s->selected;
    s->json.stats.bytes = s->bytes;
    lines_json_end(&s->json, s->binary ? s->binary_offset : UINT64_MAX);
}

void line_printer_free(line_search *s)
{
    free(s->context_lines.kept);
    line_matches_free(&s->matches);
    s->context_lines.kept = NULL;
    s->context_lines.room = 0;
}

bool line_printer_lose(line_search *s, const char *why)
{
    snprintf(s->error.message, sizeof s->error.message, "%s", why);
    s->broken = s->finished = true;
    return false;
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

void line_printer_name(const line_style *style, printer *out, const char *name, char after)
{
    const sgr_colours *colours = style->colours;
    char *shown = style->terminal ? shown_text(name, false) : NULL;
    const char *printed = !style->terminal ? name : shown ? shown : "?";
    begin_colour(out, colours, colours ? colours->name : "");
    printer_put(out, printed, strlen(printed));
    free(shown);
    end_colour(out, colours, colours ? colours->name : "");
    if (style->null_name || after == '\n') {
        printer_put(out, style->null_name ? "" : "\n", 1);
        return;
    }
    begin_colour(out, colours, colours ? colours->separator : "");
    printer_put(out, &after, 1);
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
    for (size_t i = 0; i < s->matches.count; i++) {
        const line_match m = s->matches.items[i];
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
    for (size_t i = 0; i < s->matches.count; i++) {
        const line_match m = s->matches.items[i];
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
void line_printer_line(line_search *s, const shown_line *line)
{
    const line_style *style = s->style;
    s->matches.count = 0;
    if (line->matches && (style->only || style->json || *match_colour(s, line)))
        if (!line_matches_find(&s->matches, line->text, line->length))
            line_printer_lose(s, s->matches.error.message);
    if (s->broken)
        return;
    if (style->json) {
        lines_json_line(&s->json, line, s->matches.items, s->matches.count);
        s->broken |= s->json.failed;
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

/* ---- groups -------------------------------------------------------------- */

static void put_heading(line_search *s)
{
    printer_joint(s->out, "\n", 1);
    if (s->name)
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
        line_printer_lose(s, "out of memory for a separator");
    free(joint);
}

void line_printer_group(line_search *s)
{
    const line_style *style = s->style;
    line_context *c = &s->context_lines;
    const char *separator = style->context ? style->separator : NULL;
    if (style->json) {
        s->json.path = strcmp(s->name, shown_name("-")) == 0 ? "<stdin>" : s->name;
        if (!c->began)
            lines_json_begin(&s->json);
    } else if (c->began && separator) {
        put_separator(s, separator, strlen(separator));
        put(s, "\n", 1);
    } else if (!c->began && style->heading) {
        put_heading(s);
    } else if (!c->began && separator) {
        put_joint(s, separator);
    }
    c->began = true;
}
