/* find_tsv.c: matches as tab separated columns. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/find_format.h"

static void print_header(const find_output *o)
{
    const char *numbers = o->count ? "\tcount" : o->only_ids ? "" : "\tstart\tend";
    printf("file%s\tpattern%s%s%s\n", o->count ? "" : "\trecord", o->named ? "\tname" : "",
           o->stranded ? "\tstrand" : "", numbers);
}

/* A record is called by its name, its number or both; a file that is not divided is record 1. */
static char *opening(const find_output *o, const find_place *place)
{
    char number[21] = "";
    char *name = tsv_quote(place->name ? place->name : "");
    char *made = NULL;
    if (place->number || !place->name)
        *put_decimal(number, place->number ? place->number : 1) = '\0';
    if (name && o->count)
        made = format_text("%s\t", o->file);
    else if (name)
        made = format_text("%s\t%s%s%s\t", o->file, number, *number && *name ? " " : "", name);
    free(name);
    return made;
}

static char *label(const find_output *o, const trawl_pattern *p)
{
    const char *strand = p->flags & TRAWL_OTHER_STRAND ? "\t-" : "\t+";
    char *name = tsv_quote(p->name ? p->name : "");
    char *made = name ? format_text("%" PRIu32 "%s%s%s", p->id, o->named ? "\t" : "", name,
                                    o->stranded ? strand : "")
                      : NULL;
    free(name);
    return made;
}

static char *put_match(char *at, const trawl_match *match)
{
    *at++ = '\t';
    at = match->start == TRAWL_UNKNOWN ? find_put(at, "-") : put_decimal(at, match->start);
    *at++ = '\t';
    at = put_decimal(at, match->end);
    *at++ = '\n';
    return at;
}

static char *put_id(char *at)
{
    return find_put(at, "\n");
}

static char *put_count(char *at, uint64_t count)
{
    *at++ = '\t';
    at = put_decimal(at, count);
    *at++ = '\n';
    return at;
}

const find_format find_tsv = {
    print_header, tsv_quote, opening, label, put_match, put_id, put_count
};
