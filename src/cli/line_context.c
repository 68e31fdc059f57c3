/* line_context.c: see line_context.h.
 *
 * Idea. A selected line prints the lines around it: those after the last one, as many as it may
 * have, those before it, and itself. Lines before it may stand in blocks that are gone, so the last
 * lines of each block are kept that were not printed.
 *
 * A piece of a file begins as if nothing was before it, and leaves out what stands between groups
 * before its first line. It notes its edges, and when its turn comes the lines between it and what
 * was printed last are read again.
 *
 * Invariant: lines are printed in order, none twice: all before `shown` are decided. Lines are kept
 * only when no line of the block was printed after them.
 *
 * Cost: a copy of the lines kept; between pieces a read or two of some KiB.
 */
#include "cli/line_context.h"

#include <stdlib.h>
#include <string.h>

#include "cli/line_printer.h"
#include "formats/sources/grow.h"

#define FIRST_READ (4u << 10) /* between pieces */
#define MAX_READ (256u << 10)

/* ---- lines of the block -------------------------------------------------- */

static size_t stop_of(const line_search *s, size_t begin)
{
    return line_stop(s->text, begin, s->length, s->style->end);
}

static uint64_t number_at(line_search *s, size_t begin)
{
    return s->style->number ? lines_number(s, begin) : 0;
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
    line_printer_line(s, &line);
    c->shown = end < s->length ? end + 1 : end;
    c->shown_to = s->offset + c->shown;
    return c->shown;
}

/* The lines before `limit` that follow the last selected one, as many as are wanted. */
static void show_after(line_search *s, size_t limit)
{
    line_context *c = &s->context_lines;
    for (; c->left && c->shown < limit; c->left--)
        show(s, c->shown, stop_of(s, c->shown), false);
}

/* ---- lines that were kept ------------------------------------------------ */

/* Where the last `count` of the lines kept begin. */
static size_t kept_from(const line_search *s, uint64_t count)
{
    const line_context *c = &s->context_lines;
    size_t at = c->end;
    while (count--)
        at = line_begin(c->kept, c->begin, at - 1, s->style->end);
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
        line_printer_line(s, &line);
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
    return grow_array(&c->kept, c->end + length, &c->room, 1);
}

/* Keep the last lines of the block; of those kept before, what is still among the last ones. */
static void keep_lines(line_search *s)
{
    line_context *c = &s->context_lines;
    const uint64_t most = s->style->before;
    size_t from = s->length;
    uint64_t count = 0;
    for (; count < most && from > c->shown; count++)
        from = line_begin(s->text, c->shown, from - 1, s->style->end);
    if (c->shown || count == most) {
        c->begin = c->end = 0;
        c->lines = 0;
    }
    for (; c->lines + count > most; c->lines--)
        c->begin =
            (size_t)((uint8_t *)memchr(c->kept + c->begin, s->style->end, c->end - c->begin) + 1 -
                     c->kept);
    if (!keep_room(c, s->length - from)) {
        line_printer_lose(s, "out of memory for lines of context");
        return;
    }
    if (s->length > from)
        memcpy(c->kept + c->end, s->text + from, s->length - from);
    c->end += s->length - from;
    c->lines += count;
}

/* ---- selecting, and blocks ------------------------------------------------ */

/* The first lines of a piece begin here, and `wanted` lines before it may belong to them. */
static void begin_piece(line_search *s, size_t from, uint64_t wanted)
{
    line_edges *e = s->edges;
    e->began = s->context_lines.began = true;
    e->from = s->offset + from;
    e->from_line = s->style->number ? number_at(s, from) - 1 : 0;
    e->before = wanted;
}

void line_context_select(line_search *s, size_t begin, size_t end)
{
    line_context *c = &s->context_lines;
    uint64_t wanted = s->style->before;
    size_t from = begin;
    show_after(s, begin);
    for (; wanted && from > c->shown; wanted--)
        from = line_begin(s->text, c->shown, from - 1, s->style->end);
    const uint64_t kept = c->shown || from ? 0 : wanted < c->lines ? wanted : c->lines;
    const uint64_t first = s->offset + from - (kept ? c->end - kept_from(s, kept) : 0);
    if (!c->began && s->edges)
        begin_piece(s, from, wanted);
    else if (!c->began || first != c->shown_to)
        line_printer_group(s);
    show_kept(s, kept);
    while (from < begin)
        from = show(s, from, stop_of(s, from), false);
    show(s, begin, end, true);
    c->left = s->style->after;
}

static void end_piece(line_search *s)
{
    const line_context *c = &s->context_lines;
    line_edges *e = s->edges;
    if (!e->began)
        return;
    e->to = c->shown_to;
    e->to_line = s->style->number ? number_at(s, c->shown) - 1 : 0;
    e->after = c->left;
}

void line_context_end_block(line_search *s)
{
    line_context *c = &s->context_lines;
    show_after(s, s->length);
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

bool line_context_after(line_search *s, source *file, line_edges *last, uint64_t end)
{
    line_context *c = &s->context_lines;
    uint8_t *text;
    size_t length = 1;
    if (!last->after || last->to >= end)
        return true;
    if (!source_place(file, last->to))
        return false;
    c->left = last->after;
    s->line = last->to_line;
    file->largest = FIRST_READ;
    for (s->offset = last->to; length && c->left && s->offset < end; s->offset += length) {
        if (!source_lines(file, &text, &length))
            return false;
        length = end - s->offset < length ? (size_t)(end - s->offset) : length;
        begin_block(s, text, length);
        show_after(s, length);
        if (c->shown)
            last->to = c->shown_to;
        if (s->style->number)
            last->to_line = number_at(s, c->shown) - 1;
        file->largest = MAX_READ;
    }
    last->after = c->left;
    return !s->broken;
}

static bool read_at(source *file, uint64_t at, uint8_t *to, size_t length)
{
    if (!source_place(file, at))
        return false;
    while (length) {
        const ptrdiff_t got = source_read(file, to, length);
        if (got == 0)
            file->why = "is shorter than it was";
        if (got <= 0)
            return false;
        to += got;
        length -= (size_t)got;
    }
    return true;
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
            return line_printer_lose(s, "out of memory for lines of context");
        if (!read_at(file, end - length, c->kept, length))
            return false;
        for (; lines < s->style->before && at; lines++)
            at = line_begin(c->kept, 0, at - 1, s->style->end);
        if (at || length == all) { /* or the first one may begin before it */
            c->begin = at;
            c->end = length;
            c->lines = lines;
            return true;
        }
    }
}

bool line_context_join(line_search *s, source *file, line_edges *last, const line_edges *next)
{
    line_context *c = &s->context_lines;
    if (!line_context_after(s, file, last, next->from) ||
        (next->before && !keep_before(s, file, last->began ? last->to : 0, next->from)))
        return false;
    const uint64_t kept = next->before < c->lines ? next->before : c->lines;
    const uint64_t first = next->from - (c->end - kept_from(s, kept));
    s->offset = next->from;
    s->line = next->from_line;
    c->began = last->began;
    if (!last->began || first != last->to)
        line_printer_group(s);
    show_kept(s, kept);
    return !s->broken;
}

bool line_context_resume(line_search *s, source *file, line_edges *last)
{
    line_context *c = &s->context_lines;
    const uint64_t at = s->offset, line = s->line;
    if (!line_context_after(s, file, last, at) ||
        (s->style->before && !keep_before(s, file, last->began ? last->to : 0, at)))
        return false;
    s->offset = at;
    s->line = line;
    c->began = last->began;
    c->shown_to = last->to;
    c->left = last->after;
    c->shown = 0;
    return true;
}
