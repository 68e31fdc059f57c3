/* find_tsv.c: matches as tab separated columns. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/find_format.h"

static void print_header(const find_output *o)
{
    const char *numbers = o->count ? "\tcount" : o->only_ids ? "" : "\tstart\tend";
    if (o->verdicts)
        printf("file\trecord%s\tsid\tmsg\tunchecked\n", o->numbers ? "\tnumber" : "");
    else
        printf("file%s%s\tpattern%s%s%s%s\n", o->count ? "" : "\trecord",
               o->numbers ? "\tnumber" : "", o->named ? "\tname" : "",
               o->stranded ? "\tstrand" : "", numbers, o->matched ? "\tmatched" : "");
}

/* A record is called by its name, its number or both; a file that is not divided is record 1. */
static char *opening(const find_output *o, const find_place *place)
{
    char number[21] = "", index[22] = "";
    char *name = tsv_quote(place->name ? place->name : "");
    char *made = NULL;
    if (place->number || !place->name)
        *put_decimal(number, place->number ? place->number : 1) = '\0';
    if (o->numbers)
        snprintf(index, sizeof index, "%" PRIu64 "\t", place->index);
    if (name && o->count)
        made = format_text("%s\t", o->file);
    else if (name)
        made = format_text("%s\t%s%s%s\t%s", o->file, number, *number && *name ? " " : "", name,
                           index);
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
    return put_decimal(at, match->end);
}

static char *put_count(char *at, uint64_t count)
{
    *at++ = '\t';
    return put_decimal(at, count);
}

/* How many bytes from the first one on may stand in a field as they are; 0: it must be escaped. */
static size_t plain_bytes(const char *bytes, size_t length)
{
    size_t plain = 0, size = 1;
    while (plain < length && size) {
        size = bytes[plain] == '\\' ? 0 : printable_length(bytes + plain, length - plain);
        plain += size;
    }
    return plain;
}

static void print_escape(unsigned char byte)
{
    static const char bytes[] = "\t\n\r\\", letters[] = "tnr\\";
    const char *at = byte ? strchr(bytes, byte) : NULL;
    if (at)
        printf("\\%c", letters[at - bytes]);
    else
        printf("\\x%02x", byte);
}

static bool print_matched(const uint8_t *bytes, size_t length)
{
    const char *at = (const char *)bytes, *const end = at + length;
    putchar('\t');
    if (!bytes)
        putchar('-');
    while (bytes && at < end) {
        const size_t plain = plain_bytes(at, (size_t)(end - at));
        fwrite(at, 1, plain, stdout);
        at += plain;
        if (at < end)
            print_escape((unsigned char)*at++);
    }
    return true;
}

static char *verdict(const rule *r)
{
    char *message = tsv_quote(r->message);
    char *made = message ? format_text("%" PRIu32 "\t%s\t%s", r->sid, message,
                                       *r->unchecked ? r->unchecked : "-")
                         : NULL;
    free(message);
    return made;
}

const find_format find_tsv = { .header = print_header,
                               .file = tsv_quote,
                               .opening = opening,
                               .label = label,
                               .match = put_match,
                               .count = put_count,
                               .matched = print_matched,
                               .verdict = verdict,
                               .end = "\n",
                               .option = "--tsv" };
