/* find_output.c: see cli/find_output.h. */
#include "cli/find_output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/find_format.h"

#define PAGE (16u << 10) /* written at once: many lines, which a core's cache holds */

static bool out_of_memory(const find_output *o, const char *what)
{
    complain(o->command, "out of memory for %s", what);
    return false;
}

bool find_output_open(find_output *o)
{
    o->terminal = isatty(STDOUT_FILENO);
    o->labels = calloc(o->patterns->count, sizeof *o->labels);
    for (size_t i = 0; i < o->patterns->count; i++)
        o->named |= o->patterns->patterns[i].name != NULL;
    if (o->only_ids)
        o->said = calloc(o->patterns->count, sizeof *o->said);
    return (o->labels && (o->said || !o->only_ids)) || out_of_memory(o, "the names of patterns");
}

void find_output_close(find_output *o)
{
    for (size_t i = 0; o->labels && i < o->patterns->count; i++)
        free(o->labels[i]);
    free(o->labels);
    free(o->said);
    free(o->line);
    free(o->page);
    free(o->opening);
    free(o->file);
}

void find_output_header(const find_output *o)
{
    if (!o->headless)
        o->format->header(o);
}

/* ---- what lines open with ----------------------------------------------- */

static bool set_opening(find_output *o, const find_place *place)
{
    free(o->opening);
    o->opening = o->file ? terminal_text(o->terminal, o->format->opening(o, place)) : NULL;
    o->begun = 0;
    o->place++;
    return o->opening || out_of_memory(o, "the name of a file or record");
}

bool find_output_file(find_output *o, const char *name)
{
    free(o->file);
    o->file = o->format->file(name);
    o->record = 0;
    return set_opening(o, &(find_place){ NULL, 0, 1 });
}

bool find_output_record(find_output *o, const record_scan *scan, const record *r)
{
    if (o->count || r->number == o->record)
        return true;
    o->record = r->number;
    return set_opening(o, &(find_place){ record_scan_name(scan, r),
                                         scan->kind->numbered ? r->number : 0, r->number });
}

/* ---- lines ---------------------------------------------------------------- */

char *find_put(char *at, const char *text)
{
    const size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

const char *find_strand(const trawl_pattern *p)
{
    if (p->syntax != TRAWL_SYNTAX_IUPAC)
        return NULL;
    return p->flags & TRAWL_OTHER_STRAND ? "-" : "+";
}

const char *find_name(const find_output *o, const trawl_pattern *p, size_t *length)
{
    const size_t head = o->patterns->origins[p - o->patterns->patterns].head;
    *length = p->name ? strlen(p->name) : p->length + head;
    return p->name ? p->name : (const char *)p->text - head;
}

/* The labels are kept: few patterns occur, and those often. */
static const char *label_of(find_output *o, size_t pattern)
{
    char **label = &o->labels[pattern];
    if (!*label)
        *label = terminal_text(o->terminal, o->format->label(o, &o->patterns->patterns[pattern]));
    if (!*label)
        out_of_memory(o, "the names of patterns");
    return *label;
}

/* Begin a line of that pattern: what it says before its numbers is in o->line then. */
static bool begin_line(find_output *o, size_t pattern)
{
    if (o->begun && o->pattern == pattern)
        return true;
    const char *label = label_of(o, pattern);
    if (!label)
        return false;
    const size_t needed = strlen(o->opening) + strlen(label) + FIND_NUMBERS;
    if (needed > o->line_room) {
        char *grown = realloc(o->line, 2 * needed);
        if (!grown)
            return out_of_memory(o, "the name of a file or record");
        o->line = grown;
        o->line_room = 2 * needed;
    }
    char *at = find_put(o->line, o->opening);
    o->label = o->format->label_last ? label : "";
    o->begun = (size_t)(find_put(at, o->format->label_last ? "" : label) - o->line);
    o->pattern = pattern;
    return true;
}

bool find_output_wants(find_output *o, uint32_t pattern)
{
    if (!o->only_ids)
        return true;
    const bool first = o->said[pattern] != o->place;
    o->said[pattern] = o->place;
    return first;
}

/* Where there is room for a line on the page; NULL after a complaint. */
static char *next_line(find_output *o)
{
    if (o->page_room - o->page_used >= o->line_room)
        return o->page + o->page_used;
    find_output_flush(o);
    if (o->page_room < o->line_room) {
        char *grown = realloc(o->page, o->line_room + PAGE);
        if (!grown) {
            out_of_memory(o, "the name of a file or record");
            return NULL;
        }
        o->page = grown;
        o->page_room = o->line_room + PAGE;
    }
    return o->page;
}

void find_output_flush(find_output *o)
{
    if (o->page_used)
        fwrite(o->page, 1, o->page_used, stdout);
    o->page_used = 0;
}

bool find_output_match(find_output *o, const trawl_match *match, const uint8_t *bytes)
{
    char *at = begin_line(o, match->pattern) ? next_line(o) : NULL;
    if (!at)
        return false;
    memcpy(at, o->line, o->begun);
    at += o->begun;
    if (!o->only_ids)
        at = find_put(o->format->match(at, match), o->label);
    if (o->numbers && o->format->index)
        at = o->format->index(at, o->record ? o->record : 1);
    if (!o->matched)
        at = find_put(at, o->format->end);
    o->page_used = (size_t)(at - o->page);
    if (!o->matched)
        return true;
    find_output_flush(o);
    const bool fine = o->format->matched(bytes, bytes ? (size_t)(match->end - match->start) : 0);
    fputs(o->format->end, stdout);
    return fine || out_of_memory(o, "the bytes of a match");
}

bool find_output_verdict(find_output *o, const rule *r)
{
    char *text = terminal_text(o->terminal, o->format->verdict(r));
    if (!text)
        return out_of_memory(o, "rules");
    fputs(o->opening, stdout);
    fputs(text, stdout);
    fputs(o->format->end, stdout);
    free(text);
    return true;
}

bool find_output_counts(find_output *o, const uint64_t *counts)
{
    for (size_t i = 0; i < o->patterns->count; i++) {
        if (!o->all && !counts[i])
            continue;
        if (!begin_line(o, i))
            return false;
        char *at = o->format->count(o->line + o->begun, counts[i]);
        fwrite(o->line, 1, (size_t)(find_put(at, o->format->end) - o->line), stdout);
    }
    return true;
}
