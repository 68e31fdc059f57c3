/* lines_json.c: see lines_json.h. */
#include "formats/writers/lines_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/writers/text.h"

/* Messages are put with what is printed of the file counted. */
static void put(lines_json *w, const void *bytes, size_t length)
{
    w->put(w->user, bytes, length);
    w->stats.printed += length;
}

static void put_text(lines_json *w, const char *text)
{
    put(w, text, strlen(text));
}

static void put_number(lines_json *w, const char *name, uint64_t number)
{
    char digits[20];
    put_text(w, name);
    put(w, digits, (size_t)(put_decimal(digits, number) - digits));
}

/* ---- strings ------------------------------------------------------------- */

static bool is_plain(uint8_t byte)
{
    return byte >= ' ' && byte != '"' && byte != '\\';
}

/* {"text":"..."}, or {"bytes":"..."} in base64 when it is not UTF-8. */
static void put_string(lines_json *w, const void *text, size_t length)
{
    const uint8_t *bytes = text;
    char escape[7];
    if (!is_utf8(text, length)) {
        char *encoded = base64(text, length);
        put_text(w, "{\"bytes\":\"");
        put_text(w, encoded ? encoded : "");
        put_text(w, "\"}");
        w->failed |= !encoded;
        free(encoded);
        return;
    }
    put_text(w, "{\"text\":\"");
    for (size_t i = 0, run; i < length; i += run + (i + run < length)) {
        for (run = 0; i + run < length && is_plain(bytes[i + run]);)
            run++;
        put(w, bytes + i, run);
        if (i + run < length)
            put(w, escape, (size_t)(put_json_escape(escape, bytes[i + run]) - escape));
    }
    put_text(w, "\"}");
}

static void put_path(lines_json *w)
{
    put_text(w, "\"path\":");
    put_string(w, w->path, strlen(w->path));
}

/* ---- messages ------------------------------------------------------------ */

void lines_json_begin(lines_json *w)
{
    put_text(w, "{\"type\":\"begin\",\"data\":{");
    put_path(w);
    put_text(w, "}}\n");
}

static void put_matches(lines_json *w, const shown_line *line, const line_match *matches,
                        size_t count)
{
    put_text(w, ",\"submatches\":[");
    for (size_t i = 0; i < count; i++) {
        const line_match m = matches[i];
        put_text(w, i ? ",{\"match\":" : "{\"match\":");
        put_string(w, line->text + m.begin, m.end - m.begin);
        put_number(w, ",\"start\":", m.begin);
        put_number(w, ",\"end\":", m.end);
        put_text(w, "}");
    }
    put_text(w, "]");
    w->stats.matches += line->selected ? count : 0;
}

void lines_json_line(lines_json *w, const shown_line *line, const line_match *matches, size_t count)
{
    put_text(w, line->selected ? "{\"type\":\"match\",\"data\":{"
                               : "{\"type\":\"context\",\"data\":{");
    put_path(w);
    put_text(w, ",\"lines\":");
    put_string(w, line->text, line->length + line->ended);
    put_number(w, ",\"line_number\":", line->number);
    put_number(w, ",\"absolute_offset\":", line->offset);
    put_matches(w, line, matches, count);
    put_text(w, "}}\n");
}

/* Members stand in the order of ripgrep's, which is another one in the summary. */
static void format_seconds(char *text, size_t size, bool summary, double seconds)
{
    const uint64_t whole = (uint64_t)seconds;
    const uint64_t nanos = (uint64_t)((seconds - (double)whole) * 1e9);
    if (summary)
        snprintf(text, size, "{\"human\":\"%.6fs\",\"nanos\":%" PRIu64 ",\"secs\":%" PRIu64 "}",
                 seconds, nanos, whole);
    else
        snprintf(text, size, "{\"secs\":%" PRIu64 ",\"nanos\":%" PRIu64 ",\"human\":\"%.6fs\"}",
                 whole, nanos, seconds);
}

void lines_json_end(lines_json *w, uint64_t binary_offset)
{
    char elapsed[100], binary[24] = "null";
    const uint64_t printed = w->stats.printed;
    w->stats.files = 1;
    format_seconds(elapsed, sizeof elapsed, false, w->stats.seconds);
    if (binary_offset != UINT64_MAX)
        snprintf(binary, sizeof binary, "%" PRIu64, binary_offset);
    put_text(w, "{\"type\":\"end\",\"data\":{");
    put_path(w);
    put_text(w, ",\"binary_offset\":");
    put_text(w, binary);
    put_text(w, ",\"stats\":{\"elapsed\":");
    put_text(w, elapsed);
    put_number(w, ",\"searches\":", 1);
    put_number(w, ",\"searches_with_match\":", 1);
    put_number(w, ",\"bytes_searched\":", w->stats.bytes);
    put_number(w, ",\"bytes_printed\":", printed);
    put_number(w, ",\"matched_lines\":", w->stats.lines);
    put_number(w, ",\"matches\":", w->stats.matches);
    put_text(w, "}}}\n");
    w->stats.printed = printed;
}

char *lines_json_summary(const line_stats *stats, double seconds)
{
    char total[100], elapsed[100];
    format_seconds(total, sizeof total, true, seconds);
    format_seconds(elapsed, sizeof elapsed, true, stats->seconds);
    return format_text("{\"data\":{\"elapsed_total\":%s,\"stats\":{\"bytes_printed\":%" PRIu64
                       ",\"bytes_searched\":%" PRIu64 ",\"elapsed\":%s,\"matched_lines\":%" PRIu64
                       ",\"matches\":%" PRIu64 ",\"searches\":%" PRIu64
                       ",\"searches_with_match\":%" PRIu64 "}},\"type\":\"summary\"}\n",
                       total, stats->printed, stats->bytes, elapsed, stats->lines, stats->matches,
                       stats->files, stats->files);
}

void line_stats_add(line_stats *sum, const line_stats *more)
{
    sum->files += more->files;
    sum->lines += more->lines;
    sum->matches += more->matches;
    sum->bytes += more->bytes;
    sum->printed += more->printed;
    sum->seconds += more->seconds;
}
