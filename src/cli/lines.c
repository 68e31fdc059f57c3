/* lines.c: the lines of a file that match, printed as GNU grep prints them.
 *
 * Idea. Patterns are compiled so that no match holds a newline. So a block of whole lines is
 * scanned as one text, not line by line; each match says by its end which line it is on, and
 * further matches on that line are passed over. Under -o the library reports the leftmost
 * longest matches, which are those of each line, for the same reason.
 *
 * A line that holds a NUL byte makes its file binary from its begin on: NUL bytes end lines there,
 * and none is printed. Lines decide that, not blocks, so a pipe gives what its file gives. Only
 * under -I a NUL byte near the file's begin hides what is before it, too.
 *
 * Invariant: matches come in order of their ends, so `done`, the begin of the first line not
 * decided yet, only moves on. Under -v the lines between `done` and a match's line are the
 * selected ones.
 *
 * Cost: the scan, plus the bytes of selected lines. Newlines elsewhere are counted only when
 * line numbers are asked for, or lines under -v.
 */
#include "cli/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/line_context.h"
#include "cli/line_printer.h"
#include "cli/progress.h"
#include "formats/sources/compressed.h"
#include "formats/sources/grow.h"

#define NUMBER_ROOM 21   /* 20 digits and a colon */
#define HEAD (64u << 10) /* bytes that tell under -I what a file is */

/* ---- finding lines ----------------------------------------------------- */

/* The newline, or the block's end, that is next from `at`. */
static size_t line_end(const line_search *s, size_t at)
{
    return line_stop(s->text, at, s->length, s->style->end);
}

static size_t after(const line_search *s, size_t end)
{
    return end < s->length ? end + 1 : end;
}

uint64_t lines_number(line_search *s, size_t at)
{
    if (at > s->counted) {
        s->line += line_count(s->text + s->counted, at - s->counted, s->style->end);
        s->counted = at;
    }
    return s->line + 1;
}

/* Lines in text[begin .. end), which starts at a line's begin and ends at one's end. */
static uint64_t count_lines(const line_search *s, size_t begin, size_t end)
{
    if (begin == end)
        return 0;
    return line_count(s->text + begin, end - begin, s->style->end) +
           (s->text[end - 1] != s->style->end);
}

/* ---- printing ---------------------------------------------------------- */

static bool silent(const line_search *s)
{
    const line_style *style = s->style;
    return style->silent || s->binary || (style->only && style->invert && !style->apart);
}

/* What stands before text that begins at `at`, on the line that begins at `begin`:
 * "name:number:offset:" in s->prefix. Returns its length. */
static size_t make_prefix(line_search *s, size_t begin, size_t at)
{
    char *end = s->prefix + s->prefix_length;
    if (s->style->number) {
        end = put_decimal(end, lines_number(s, begin));
        *end++ = ':';
    }
    if (s->style->offset) {
        end = put_decimal(end, s->bytes + at);
        *end++ = ':';
    }
    return (size_t)(end - s->prefix);
}

/* Print text[begin .. end) and a newline, after the first bytes of s->prefix. */
static void print_bytes(const line_search *s, size_t prefix, size_t begin, size_t end)
{
    const size_t length = end - begin;
    char *at = printer_room(s->out, prefix + length + 1);
    if (at) {
        memcpy(at, s->prefix, prefix);
        memcpy(at + prefix, s->text + begin, length);
        at[prefix + length] = (char)s->style->end;
        printer_took(s->out, prefix + length + 1);
    } else {
        printer_put(s->out, s->prefix, prefix);
        printer_put(s->out, s->text + begin, length);
        printer_put(s->out, &s->style->end, 1);
    }
}

/* ---- selecting --------------------------------------------------------- */

static void count_selected(line_search *s, uint64_t lines)
{
    const line_style *style = s->style;
    const uint64_t left = style->most - s->selected;
    s->selected += lines < left ? lines : left;
    if (s->binary && lines)
        s->binary_matched = true;
    if (s->selected == style->most || (s->selected && style->first_only) ||
        (s->binary_matched && !style->silent))
        s->finished = true;
}

static void select_line(line_search *s, size_t begin, size_t end)
{
    if (s->style->apart && !silent(s))
        line_context_select(s, begin, end);
    else if (!silent(s))
        print_bytes(s, make_prefix(s, begin, begin), begin, end);
    s->used = after(s, end);
    count_selected(s, 1);
}

/* Whether no selected line can be the last one that is wanted. */
static bool wants_all(const line_search *s)
{
    const line_style *style = s->style;
    return style->most == UINT64_MAX && !style->first_only && (style->silent || !s->binary);
}

/* Select all lines of text[begin .. end), as -v does. */
static void select_range(line_search *s, size_t begin, size_t end)
{
    const line_style *style = s->style;
    const bool marked = s->prefix_length || style->number || style->offset || style->apart;
    if (wants_all(s) && (silent(s) || !marked)) {
        if (!silent(s) && begin < end)
            print_bytes(s, 0, begin, s->text[end - 1] == s->style->end ? end - 1 : end);
        count_selected(s, count_lines(s, begin, end));
    } else {
        while (begin < end && !s->finished) {
            size_t stop = line_end(s, begin);
            select_line(s, begin, stop);
            begin = after(s, stop);
        }
    }
}

static bool write_failed(const line_search *s)
{
    return s->out->failed || s->out->dropped;
}

static int stop_scan(const line_search *s)
{
    return s->finished || write_failed(s);
}

/* A match, of which only the end counts, on a line that is not decided. */
static void take_end(line_search *s, size_t at)
{
    const size_t end = line_end(s, at);
    const size_t begin =
        silent(s) && !s->style->invert ? 0 : line_begin(s->text, s->done, at, s->style->end);
    if (s->style->invert)
        select_range(s, s->done, begin);
    else
        select_line(s, begin, end);
    s->done = after(s, end);
}

static int on_ends(const trawl_match *matches, size_t count, void *user)
{
    line_search *s = (line_search *)user;
    for (size_t i = 0; i < count; i++) {
        const size_t end = (size_t)matches[i].end;
        if (end <= s->done)
            continue;
        take_end(s, end - (s->text[end - 1] == s->style->end)); /* which ends with an empty line */
        if (stop_scan(s))
            return 1;
    }
    return 0;
}

/* A match to be printed. */
static bool take_piece(line_search *s, const trawl_match *match)
{
    const size_t begin = (size_t)match->start, end = (size_t)match->end;
    if (begin >= s->done) { /* the first one on its line */
        if (s->finished)
            return false;
        s->used = s->done = after(s, line_end(s, end));
        count_selected(s, 1);
    }
    if (match->id != NO_PIECE)
        print_bytes(s, make_prefix(s, begin, begin), begin, end);
    return !write_failed(s);
}

static int on_pieces(const trawl_match *matches, size_t count, void *user)
{
    for (size_t i = 0; i < count; i++)
        if (!take_piece((line_search *)user, &matches[i]))
            return 1;
    return 0;
}

/* ---- blocks ------------------------------------------------------------ */

/* The bytes of text[0 .. length), whole lines, before the line of the file's first NUL byte. */
static size_t plain_length(const line_search *s, const uint8_t *text, size_t length)
{
    if (s->binary)
        return 0;
    const uint8_t *nul = s->style->text ? NULL : memchr(text, '\0', length);
    if (!nul)
        return length;
    size_t plain = (size_t)(nul - text);
    while (plain && text[plain - 1] != '\n')
        plain--;
    return plain;
}

static size_t first_nul(const uint8_t *text, size_t length)
{
    const uint8_t *nul = memchr(text, '\0', length);
    return nul ? (size_t)(nul - text) : length;
}

/* NUL bytes end lines in binary files. */
static void end_lines_at_nul(uint8_t *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] ? text[i] : '\n';
}

static line_result search_block(line_search *s, const uint8_t *text, size_t length)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    const bool printed = s->style->apart && !silent(s);
    const bool pieces = s->style->only && !silent(s) && !printed;
    const bool wanted = !s->finished; /* or the lines after the last one are to be printed */
    int status = TRAWL_OK;
    s->text = text;
    s->length = length;
    s->done = s->used = s->counted = 0;
    options.report = pieces ? TRAWL_REPORT_LEFTMOST_LONGEST : TRAWL_REPORT_ENDS;
    if (s->plan && !s->style->every && wanted)
        status = trawl_scan(s->context, s->plan, s->text, s->length, &options,
                            pieces ? on_pieces : on_ends, s, &s->error);
    progress_add(length);
    if (status < 0)
        return LINES_SCAN_FAILED;
    if (s->style->invert != s->style->every && !stop_scan(s))
        select_range(s, s->done, s->length);
    if (printed)
        line_context_end_block(s);
    else if (s->binary_matched && s->style->apart && s->style->context)
        printer_joint(s->out, "", 0); /* as GNU grep has it: a group without a line */
    if (wanted)
        s->bytes += s->finished ? s->used : s->length;
    s->offset += s->length;
    if (s->broken)
        return LINES_SCAN_FAILED;
    return write_failed(s) ? LINES_WRITE_FAILED : LINES_OK;
}

/* ---- files ------------------------------------------------------------- */

static bool put_name(line_search *s, const char *name)
{
    const size_t length = name ? strlen(name) : 0, room = length + 1 + 2 * NUMBER_ROOM;
    if (!grow_array(&s->prefix, room, &s->prefix_room, 1))
        return false;
    if (name) {
        memcpy(s->prefix, name, length);
        s->prefix[length] = s->style->null_name ? '\0' : ':';
    }
    s->prefix_length = name ? length + 1 : 0;
    return true;
}

static bool set_prefix(line_search *s, const char *name)
{
    const bool shows = name && s->style->terminal;
    char *shown = shows ? shown_text(name, false) : NULL;
    const bool made = (shown || !shows) && put_name(s, shows ? shown : name);
    free(shown);
    s->name = name;
    return made;
}

static bool next_lines(line_search *s, source *file, uint8_t **text, size_t *length)
{
    return s->style->end ? source_lines(file, text, length)
                         : null_lines_next(&s->nulls, file, text, length);
}

static void count_rest(line_search *s)
{
    if (s->style->number && (!s->finished || s->context_lines.left))
        lines_number(s, s->length);
}

/* Search the next lines, first those that are text, then those that are binary. */
static line_result search_lines(line_search *s, uint8_t *text, size_t length)
{
    const size_t head = length < HEAD ? length : HEAD;
    const bool hidden = s->style->no_binary && s->offset == 0 && memchr(text, '\0', head);
    const size_t plain = hidden ? 0 : plain_length(s, text, length);
    line_result result = plain ? search_block(s, text, plain) : LINES_OK;
    if (plain)
        count_rest(s);
    if (plain == length || result != LINES_OK)
        return result;
    s->binary = true;
    s->context_lines.left = 0;
    s->finished = s->finished || s->style->no_binary || s->style->json;
    s->binary_offset = s->offset + first_nul(text + plain, length - plain);
    if (s->finished)
        return LINES_OK;
    end_lines_at_nul(text + plain, length - plain);
    result = search_block(s, text + plain, length - plain);
    count_rest(s);
    return result;
}

static bool begin_file(line_search *s, const source *file, const char *name, uint64_t at,
                       uint64_t selected, uint64_t line)
{
    s->selected = selected;
    s->bytes = s->offset = at;
    s->edges = NULL;
    line_printer_begin(s, file);
    s->line = line;
    s->binary = s->binary_matched = s->packed = false;
    s->finished = s->style->most == 0;
    return set_prefix(s, name);
}

/* From where it stands. */
static line_result search_on(line_search *s, source *file)
{
    line_result result = LINES_OK;
    uint8_t *text;
    size_t length = 1;
    s->nulls.used = s->nulls.given = 0;
    file->nul_ends = !s->style->text;
    file->largest = s->largest;
    while (result == LINES_OK && length && (!s->finished || s->context_lines.left)) {
        if (!next_lines(s, file, &text, &length))
            return LINES_READ_FAILED;
        if (s->offset == 0)
            s->packed = compressed_kind(text, length);
        if (length)
            result = search_lines(s, text, length);
        if (s->out->direct) /* who reads a pipe waits for it */
            printer_write(s->out);
    }
    if (s->finished)
        source_leave(file, s->bytes);
    line_printer_end(s);
    return result;
}

static line_result no_memory(source *file)
{
    file->why = strerror(ENOMEM);
    return LINES_READ_FAILED;
}

line_result lines_search(line_search *s, source *file, const char *name)
{
    return begin_file(s, file, name, 0, 0, 0) ? search_on(s, file) : no_memory(file);
}

line_result lines_resume(line_search *s, source *file, const char *name, uint64_t at,
                         uint64_t selected, uint64_t line, line_edges *last)
{
    if (!begin_file(s, file, name, at, selected, line))
        return no_memory(file);
    if (!line_context_resume(s, file, last))
        return s->broken ? LINES_SCAN_FAILED : LINES_READ_FAILED;
    return source_place(file, at) ? search_on(s, file) : LINES_READ_FAILED;
}

line_result lines_piece(line_search *s, const source *file, const line_piece *p, const char *name,
                        uint64_t line, line_edges *edges)
{
    if (!begin_file(s, file, name, p->at, 0, line))
        return LINES_READ_FAILED;
    s->edges = edges;
    return search_block(s, p->text, p->length);
}

void lines_free(line_search *s)
{
    line_printer_free(s);
    free(s->nulls.bytes);
    s->nulls = (null_lines){ .bytes = NULL };
    free(s->prefix);
    s->prefix = NULL;
    s->prefix_room = 0;
}
