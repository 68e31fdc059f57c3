/* tsv.c: matches as tab separated columns. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/writers/format.h"
#include "formats/writers/text.h"

static char *header(const writer *w)
{
    const char *numbers = w->count ? "\tcount" : w->only_ids ? "" : "\tstart\tend";
    if (w->verdicts)
        return format_text("file\trecord%s\tsid\tmsg\tunchecked\n", w->numbers ? "\tnumber" : "");
    return format_text("file%s%s\tpattern%s%s%s%s\n", w->count ? "" : "\trecord",
                       w->numbers ? "\tnumber" : "", w->named ? "\tname" : "",
                       w->stranded ? "\tstrand" : "", numbers, w->matched ? "\tmatched" : "");
}

/* A record is called by its name, its number or both; a file that is not divided is record 1. */
static char *opening(const writer *w, const writer_place *place)
{
    char number[21] = "", index[22] = "";
    char *name = tsv_quote(place->name ? place->name : "");
    char *made = NULL;
    if (place->number || !place->name)
        *put_decimal(number, place->number ? place->number : 1) = '\0';
    if (w->numbers)
        snprintf(index, sizeof index, "%" PRIu64 "\t", place->index);
    if (name && w->count)
        made = format_text("%s\t", w->file);
    else if (name)
        made = format_text("%s\t%s%s%s\t%s", w->file, number, *number && *name ? " " : "", name,
                           index);
    free(name);
    return made;
}

static char *label(const writer *w, const trawl_pattern *p)
{
    const char *strand = p->flags & TRAWL_OTHER_STRAND ? "\t-" : "\t+";
    char *name = tsv_quote(p->name ? p->name : "");
    char *made = name ? format_text("%" PRIu32 "%s%s%s", p->id, w->named ? "\t" : "", name,
                                    w->stranded ? strand : "")
                      : NULL;
    free(name);
    return made;
}

static char *put_match(char *at, const trawl_match *match)
{
    *at++ = '\t';
    at = match->start == TRAWL_UNKNOWN ? writer_put(at, "-") : put_decimal(at, match->start);
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

static char *put_escape(char *at, unsigned char byte)
{
    static const char bytes[] = "\t\n\r\\", letters[] = "tnr\\";
    const char *found = byte ? strchr(bytes, byte) : NULL;
    return at +
           (found ? sprintf(at, "\\%c", letters[found - bytes]) : sprintf(at, "\\x%02x", byte));
}

static char *matched(const uint8_t *bytes, size_t length)
{
    if (!bytes)
        return format_text("\t-");
    const char *at = (const char *)bytes, *const end = at + length;
    char *made = malloc(4 * length + 2), *to = made;
    if (!made)
        return NULL;
    for (*to++ = '\t'; at < end;) {
        const size_t plain = plain_bytes(at, (size_t)(end - at));
        memcpy(to, at, plain);
        at += plain;
        to += plain;
        if (at < end)
            to = put_escape(to, (unsigned char)*at++);
    }
    *to = '\0';
    return made;
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

const writer_format writer_tsv = { .header = header,
                                   .file = tsv_quote,
                                   .opening = opening,
                                   .label = label,
                                   .match = put_match,
                                   .count = put_count,
                                   .matched = matched,
                                   .verdict = verdict,
                                   .end = "\n",
                                   .name = "tsv" };
