/* writer.c: see writer.h. */
#include <stdlib.h>
#include <string.h>

#include "formats/sources/grow.h"
#include "formats/writers/format.h"
#include "formats/writers/text.h"

#define PAGE ((size_t)16 << 10) /* handed on at once: many lines, which a core's cache holds */

bool writer_open(writer *w)
{
    w->labels = calloc(w->patterns->count, sizeof *w->labels);
    w->page = malloc(PAGE);
    for (size_t i = 0; i < w->patterns->count; i++)
        w->named |= w->patterns->patterns[i].name != NULL;
    if (w->only_ids)
        w->said = calloc(w->patterns->count, sizeof *w->said);
    return w->labels && w->page && (w->said || !w->only_ids);
}

void writer_close(writer *w)
{
    for (size_t i = 0; w->labels && i < w->patterns->count; i++)
        free(w->labels[i]);
    free(w->labels);
    free(w->said);
    free(w->line);
    free(w->page);
    free(w->opening);
    free(w->file);
}

/* ---- the page ------------------------------------------------------------- */

void writer_flush(writer *w)
{
    if (w->used)
        w->put(w->user, w->page, w->used);
    w->used = 0;
}

static void put(writer *w, const char *bytes, size_t length)
{
    if (PAGE - w->used < length)
        writer_flush(w);
    if (length > PAGE) {
        w->put(w->user, bytes, length);
        return;
    }
    memcpy(w->page + w->used, bytes, length);
    w->used += length;
}

/* A malloc'ed text, which is freed. False: it is NULL. */
static bool put_text(writer *w, char *text)
{
    if (text)
        put(w, text, strlen(text));
    free(text);
    return text;
}

bool writer_header(writer *w)
{
    const bool fine = w->headless || !w->format->header || put_text(w, w->format->header(w));
    writer_flush(w);
    return fine;
}

/* ---- what lines open with ----------------------------------------------- */

static bool set_opening(writer *w, const writer_place *place)
{
    free(w->opening);
    w->opening = w->file ? terminal_text(w->terminal, w->format->opening(w, place)) : NULL;
    w->begun = 0;
    w->place++;
    return w->opening;
}

bool writer_file(writer *w, const char *name)
{
    free(w->file);
    w->file = w->format->file(name);
    w->record = 0;
    return set_opening(w, &(writer_place){ NULL, 0, 1 });
}

bool writer_record(writer *w, const writer_place *place)
{
    if (w->count || place->index == w->record)
        return true;
    w->record = place->index;
    return set_opening(w, place);
}

/* ---- lines ---------------------------------------------------------------- */

char *writer_put(char *at, const char *text)
{
    const size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

const char *writer_strand(const trawl_pattern *p)
{
    if (p->syntax != TRAWL_SYNTAX_IUPAC)
        return NULL;
    return p->flags & TRAWL_OTHER_STRAND ? "-" : "+";
}

const char *writer_name(const writer *w, const trawl_pattern *p, size_t *length)
{
    const size_t head = w->patterns->origins[p - w->patterns->patterns].head;
    *length = p->name ? strlen(p->name) : p->length + head;
    return p->name ? p->name : (const char *)p->text - head;
}

/* The labels are kept: few patterns occur, and those often. */
static const char *label_of(writer *w, size_t pattern)
{
    char **label = &w->labels[pattern];
    if (!*label)
        *label = terminal_text(w->terminal, w->format->label(w, &w->patterns->patterns[pattern]));
    return *label;
}

/* Begin a line of that pattern: what it says before its numbers is in w->line then. */
static bool begin_line(writer *w, size_t pattern)
{
    if (w->begun && w->pattern == pattern)
        return true;
    const char *label = label_of(w, pattern);
    if (!label)
        return false;
    const size_t needed = strlen(w->opening) + strlen(label) + WRITER_NUMBERS;
    if (!grow_array(&w->line, needed, &w->line_room, 1))
        return false;
    char *at = writer_put(w->line, w->opening);
    w->label = w->format->label_last ? label : "";
    w->begun = (size_t)(writer_put(at, w->format->label_last ? "" : label) - w->line);
    w->pattern = pattern;
    return true;
}

bool writer_wants(writer *w, uint32_t pattern)
{
    if (!w->only_ids)
        return true;
    const bool first = w->said[pattern] != w->place;
    w->said[pattern] = w->place;
    return first;
}

bool writer_match(writer *w, const trawl_match *match, const uint8_t *bytes)
{
    const size_t length = bytes ? (size_t)(match->end - match->start) : 0;
    char *matched = w->matched ? w->format->matched(bytes, length) : NULL;
    if ((w->matched && !matched) || !begin_line(w, match->pattern)) {
        free(matched);
        return false;
    }
    char *at = w->line + w->begun;
    if (!w->only_ids)
        at = writer_put(w->format->match(at, match), w->label);
    if (w->numbers && w->format->index)
        at = w->format->index(at, w->record ? w->record : 1);
    if (!matched)
        at = writer_put(at, w->format->end);
    put(w, w->line, (size_t)(at - w->line));
    if (put_text(w, matched))
        put(w, w->format->end, strlen(w->format->end));
    return true;
}

bool writer_verdict(writer *w, const rule *r)
{
    char *text = terminal_text(w->terminal, w->format->verdict(r));
    if (!text)
        return false;
    put(w, w->opening, strlen(w->opening));
    put_text(w, text);
    put(w, w->format->end, strlen(w->format->end));
    writer_flush(w);
    return true;
}

bool writer_counts(writer *w, const uint64_t *counts)
{
    bool fine = true;
    for (size_t i = 0; fine && i < w->patterns->count; i++) {
        if (!w->all && !counts[i])
            continue;
        fine = begin_line(w, i);
        if (!fine)
            break;
        char *at = writer_put(w->format->count(w->line + w->begun, counts[i]), w->format->end);
        put(w, w->line, (size_t)(at - w->line));
    }
    writer_flush(w);
    return fine;
}
