/* line_json.c: see line_json.h. */
#include "cli/line_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages are put with what is printed of the file counted. */
static void put(line_search *s, const char *bytes, size_t length)
{
    printer_put(s->out, bytes, length);
    s->stats.printed += length;
}

static void put_text(line_search *s, const char *text)
{
    put(s, text, strlen(text));
}

static void put_number(line_search *s, const char *name, uint64_t number)
{
    char digits[20];
    put_text(s, name);
    put(s, digits, (size_t)(put_decimal(digits, number) - digits));
}

/* ---- strings ------------------------------------------------------------- */

static bool is_plain(uint8_t byte)
{
    return byte >= ' ' && byte != '"' && byte != '\\';
}

/* {"text":"..."}, or {"bytes":"..."} in base64 when it is not UTF-8. */
static void put_string(line_search *s, const void *text, size_t length)
{
    const uint8_t *bytes = text;
    char escape[7];
    if (!is_utf8(text, length)) {
        char *encoded = base64(text, length);
        put_text(s, "{\"bytes\":\"");
        put_text(s, encoded ? encoded : "");
        put_text(s, "\"}");
        s->broken |= !encoded;
        free(encoded);
        return;
    }
    put_text(s, "{\"text\":\"");
    for (size_t i = 0, run; i < length; i += run + (i + run < length)) {
        for (run = 0; i + run < length && is_plain(bytes[i + run]);)
            run++;
        put(s, (const char *)bytes + i, run);
        if (i + run < length)
            put(s, escape, (size_t)(put_json_escape(escape, bytes[i + run]) - escape));
    }
    put_text(s, "\"}");
}

static void put_path(line_search *s)
{
    const char *name = strcmp(s->name, shown_name("-")) == 0 ? "<stdin>" : s->name;
    put_text(s, "\"path\":");
    put_string(s, name, strlen(name));
}

/* ---- messages ------------------------------------------------------------ */

void line_json_begin(line_search *s)
{
    put_text(s, "{\"type\":\"begin\",\"data\":{");
    put_path(s);
    put_text(s, "}}\n");
}

static void put_matches(line_search *s, const shown_line *line)
{
    put_text(s, ",\"submatches\":[");
    for (size_t i = 0; i < s->match_count; i++) {
        const line_match m = s->matches[i];
        put_text(s, i ? ",{\"match\":" : "{\"match\":");
        put_string(s, line->text + m.begin, m.end - m.begin);
        put_number(s, ",\"start\":", m.begin);
        put_number(s, ",\"end\":", m.end);
        put_text(s, "}");
    }
    put_text(s, "]");
    s->stats.matches += line->selected ? s->match_count : 0;
}

void line_json_line(line_search *s, const shown_line *line)
{
    put_text(s, line->selected ? "{\"type\":\"match\",\"data\":{"
                               : "{\"type\":\"context\",\"data\":{");
    put_path(s);
    put_text(s, ",\"lines\":");
    put_string(s, line->text, line->length + line->ended);
    put_number(s, ",\"line_number\":", line->number);
    put_number(s, ",\"absolute_offset\":", line->offset);
    put_matches(s, line);
    put_text(s, "}}\n");
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

void line_json_end(line_search *s)
{
    char elapsed[100], binary[24] = "null";
    const uint64_t printed = s->stats.printed;
    s->stats.seconds = now() - s->began;
    s->stats.files = 1;
    s->stats.lines = s->selected;
    s->stats.bytes = s->bytes;
    format_seconds(elapsed, sizeof elapsed, false, s->stats.seconds);
    if (s->binary)
        snprintf(binary, sizeof binary, "%" PRIu64, s->binary_offset);
    put_text(s, "{\"type\":\"end\",\"data\":{");
    put_path(s);
    put_text(s, ",\"binary_offset\":");
    put_text(s, binary);
    put_text(s, ",\"stats\":{\"elapsed\":");
    put_text(s, elapsed);
    put_number(s, ",\"searches\":", 1);
    put_number(s, ",\"searches_with_match\":", 1);
    put_number(s, ",\"bytes_searched\":", s->stats.bytes);
    put_number(s, ",\"bytes_printed\":", printed);
    put_number(s, ",\"matched_lines\":", s->stats.lines);
    put_number(s, ",\"matches\":", s->stats.matches);
    put_text(s, "}}}\n");
    s->stats.printed = printed;
}

void line_json_summary(printer *out, const line_stats *stats, double seconds)
{
    char total[100], elapsed[100];
    format_seconds(total, sizeof total, true, seconds);
    format_seconds(elapsed, sizeof elapsed, true, stats->seconds);
    char *text =
        format_text("{\"data\":{\"elapsed_total\":%s,\"stats\":{\"bytes_printed\":%" PRIu64
                    ",\"bytes_searched\":%" PRIu64 ",\"elapsed\":%s,\"matched_lines\":%" PRIu64
                    ",\"matches\":%" PRIu64 ",\"searches\":%" PRIu64
                    ",\"searches_with_match\":%" PRIu64 "}},\"type\":\"summary\"}\n",
                    total, stats->printed, stats->bytes, elapsed, stats->lines, stats->matches,
                    stats->files, stats->files);
    if (text)
        printer_put(out, text, strlen(text));
    free(text);
}
