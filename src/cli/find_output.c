/* find_output.c: see cli/find_output.h. */
#include "cli/find_output.h"

#include <stdlib.h>
#include <string.h>

#include "cli/find_format.h"

static bool out_of_memory(const find_output *o, const char *what)
{
    complain(o->command, "out of memory for the names of %s", what);
    return false;
}

bool find_output_open(find_output *o)
{
    o->labels = calloc(o->patterns->count, sizeof *o->labels);
    for (size_t i = 0; i < o->patterns->count; i++)
        o->named |= o->patterns->patterns[i].name != NULL;
    return o->labels || out_of_memory(o, "patterns");
}

void find_output_close(find_output *o)
{
    for (size_t i = 0; o->labels && i < o->patterns->count; i++)
        free(o->labels[i]);
    free(o->labels);
    free(o->opening);
    free(o->file);
}

void find_output_header(const find_output *o)
{
    o->format->header(o);
}

/* ---- what lines open with ----------------------------------------------- */

static bool set_opening(find_output *o, const find_place *place)
{
    free(o->opening);
    o->opening = o->file ? o->format->opening(o, place) : NULL;
    o->opening_length = o->opening ? strlen(o->opening) : 0;
    return o->opening || out_of_memory(o, "a file or record");
}

bool find_output_file(find_output *o, const char *name)
{
    free(o->file);
    o->file = o->format->file(name);
    o->record = 0;
    return set_opening(o, &(find_place){ NULL, 0 });
}

bool find_output_record(find_output *o, const record_scan *scan, const record *r)
{
    if (o->count || r->number == o->record)
        return true;
    o->record = r->number;
    return set_opening(
        o, &(find_place){ record_scan_name(scan, r), scan->kind->numbered ? r->number : 0 });
}

/* ---- lines ---------------------------------------------------------------- */

/* Print what a line says before its numbers. */
static bool begin_line(find_output *o, size_t pattern)
{
    char **label = &o->labels[pattern];
    if (!*label)
        *label = o->format->label(o, &o->patterns->patterns[pattern]);
    if (!*label)
        return out_of_memory(o, "patterns");
    fwrite(o->opening, 1, o->opening_length, stdout);
    fputs(*label, stdout);
    return true;
}

bool find_output_match(find_output *o, const trawl_match *match)
{
    if (!begin_line(o, match->pattern))
        return false;
    o->format->match(o, match);
    return true;
}

bool find_output_counts(find_output *o, const uint64_t *counts)
{
    for (size_t i = 0; i < o->patterns->count; i++) {
        if (!begin_line(o, i))
            return false;
        o->format->count(o, counts[i]);
    }
    return true;
}
