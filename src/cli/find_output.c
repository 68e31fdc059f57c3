/* find_output.c: see cli/find_output.h.
 *
 * Idea: what a line opens with is made once a record, what stands behind its pattern's number once
 * a pattern; so a match costs three copies and its numbers, about 30 ns.
 */
#include "cli/find_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    free(o->prefix);
    free(o->shown);
}

void find_output_header(const find_output *o)
{
    if (!o->json)
        printf("file%s\tpattern%s%s%s\n", o->count ? "" : "\trecord", o->named ? "\tname" : "",
               o->stranded ? "\tstrand" : "", o->count ? "\tcount" : "\tstart\tend");
}

/* ---- what lines open with ----------------------------------------------- */

/* `record` is malloc'ed and freed here; NULL is out of memory. */
static bool set_prefix(find_output *o, char *record)
{
    free(o->prefix);
    o->prefix = NULL;
    if (o->shown && record && o->json)
        o->prefix = format_text("{%s,%s%s\"pattern\":", o->shown, o->count ? "" : record,
                                o->count ? "" : ",");
    else if (o->shown && record)
        o->prefix = format_text("%s\t%s%s", o->shown, o->count ? "" : record, o->count ? "" : "\t");
    free(record);
    o->prefix_length = o->prefix ? strlen(o->prefix) : 0;
    return o->prefix || out_of_memory(o, "a file or record");
}

bool find_output_file(find_output *o, const char *name)
{
    free(o->shown);
    o->shown = o->json ? json_member("file", name, strlen(name)) : tsv_quote(name);
    o->record = 0;
    return set_prefix(o, format_text(o->json ? "\"record\":1" : "1"));
}

bool find_output_record(find_output *o, const record_scan *scan, const record *r)
{
    if (o->count || r->number == o->record)
        return true;
    o->record = r->number;
    return set_prefix(o, record_scan_name(scan, r, o->json));
}

/* ---- matches ------------------------------------------------------------- */

static char *put_text(char *at, const char *text)
{
    const size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

static char *json_label(const find_output *o, const trawl_pattern *p, const char *strand)
{
    char *name = p->name ? json_member("name", p->name, strlen(p->name))
                         : json_member("name", p->text, p->length);
    char *made = name && o->stranded ? format_text("%s,\"strand\":\"%s\"", name, strand) : name;
    if (made != name)
        free(name);
    return made;
}

static char *tsv_label(const find_output *o, const trawl_pattern *p, const char *strand)
{
    char *name = tsv_quote(p->name ? p->name : "");
    char *made = name ? format_text("%s%s%s%s", o->named ? "\t" : "", name, o->stranded ? "\t" : "",
                                    o->stranded ? strand : "")
                      : NULL;
    free(name);
    return made;
}

/* What stands behind a pattern's number: in JSON its name, or its text, as a member; in TSV the
 * name as a column, if any pattern has one; the strand, with --strand. NULL after a complaint. */
static const char *label(find_output *o, size_t index)
{
    const trawl_pattern *p = &o->patterns->patterns[index];
    const char *strand = p->flags & TRAWL_OTHER_STRAND ? "-" : "+";
    char **made = &o->labels[index];
    if (!*made)
        *made = o->json ? json_label(o, p, strand) : tsv_label(o, p, strand);
    if (!*made)
        out_of_memory(o, "patterns");
    return *made;
}

static bool print_tsv_match(find_output *o, const trawl_match *match)
{
    const char *name = o->named || o->stranded ? label(o, match->pattern) : "";
    char numbers[3 * 21], *at = put_decimal(numbers, match->id);
    if (!name)
        return false;
    fwrite(o->prefix, 1, o->prefix_length, stdout);
    if (*name) {
        fwrite(numbers, 1, (size_t)(at - numbers), stdout);
        fputs(name, stdout);
        at = numbers;
    }
    *at++ = '\t';
    if (match->start == TRAWL_UNKNOWN)
        *at++ = '-';
    else
        at = put_decimal(at, match->start);
    *at++ = '\t';
    at = put_decimal(at, match->end);
    *at++ = '\n';
    fwrite(numbers, 1, (size_t)(at - numbers), stdout);
    return true;
}

static bool print_json_match(find_output *o, const trawl_match *match)
{
    const char *name = label(o, match->pattern);
    char numbers[2 * 32], *at;
    if (!name)
        return false;
    fwrite(o->prefix, 1, o->prefix_length, stdout);
    at = put_decimal(numbers, match->id);
    *at++ = ',';
    fwrite(numbers, 1, (size_t)(at - numbers), stdout);
    fputs(name, stdout);
    at = put_text(numbers, ",\"start\":");
    at = match->start == TRAWL_UNKNOWN ? put_text(at, "null") : put_decimal(at, match->start);
    at = put_text(at, ",\"end\":");
    at = put_decimal(at, match->end);
    at = put_text(at, "}\n");
    fwrite(numbers, 1, (size_t)(at - numbers), stdout);
    return true;
}

bool find_output_match(find_output *o, const trawl_match *match)
{
    return o->json ? print_json_match(o, match) : print_tsv_match(o, match);
}

bool find_output_counts(find_output *o, const uint64_t *counts)
{
    for (size_t i = 0; i < o->patterns->count; i++) {
        const char *name = label(o, i);
        if (!name)
            return false;
        printf(o->json ? "%s%zu,%s,\"count\":%" PRIu64 "}\n" : "%s%zu%s\t%" PRIu64 "\n", o->prefix,
               (size_t)o->patterns->patterns[i].id, name, counts[i]);
    }
    return true;
}
