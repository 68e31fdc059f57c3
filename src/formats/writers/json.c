/* json.c: matches as JSON, one object a line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/writers/format.h"
#include "formats/writers/text.h"

static char *file_member(const char *name)
{
    return json_member("file", name, strlen(name));
}

/* A record is called by its name or number; the name of one that has both is its flow. */
static char *record_members(const writer_place *place)
{
    const uint64_t number = place->number ? place->number : 1;
    if (!place->name)
        return format_text("\"record\":%" PRIu64 ",", number);
    char *name = json_member(place->number ? "flow" : "record", place->name, strlen(place->name));
    char *made = NULL;
    if (name && place->number)
        made = format_text("\"record\":%" PRIu64 ",%s,", number, name);
    else if (name)
        made = format_text("%s,", name);
    free(name);
    return made;
}

static char *opening(const writer *w, const writer_place *place)
{
    char *record = w->count ? format_text("%s", "") : record_members(place);
    char index[40] = "";
    if (w->numbers)
        snprintf(index, sizeof index, "\"number\":%" PRIu64 ",", place->index);
    char *made = record ? format_text("{%s,%s%s\"%s\":", w->file, record, index,
                                      w->verdicts ? "sid" : "pattern")
                        : NULL;
    free(record);
    return made;
}

/* A pattern without a name is called by its text. */
static char *label(const writer *w, const trawl_pattern *p)
{
    const char *strand = p->flags & TRAWL_OTHER_STRAND ? ",\"strand\":\"-\"" : ",\"strand\":\"+\"";
    size_t length;
    const char *text = writer_name(w, p, &length);
    char *name = json_member("name", text, length);
    char *made =
        name ? format_text("%" PRIu32 ",%s%s", p->id, name, w->stranded ? strand : "") : NULL;
    free(name);
    return made;
}

static char *put_match(char *at, const trawl_match *match)
{
    at = writer_put(at, ",\"start\":");
    at = match->start == TRAWL_UNKNOWN ? writer_put(at, "null") : put_decimal(at, match->start);
    return put_decimal(writer_put(at, ",\"end\":"), match->end);
}

static char *put_count(char *at, uint64_t count)
{
    return put_decimal(writer_put(at, ",\"count\":"), count);
}

static char *matched(const uint8_t *bytes, size_t length)
{
    char *member = bytes ? json_member("matched", (const char *)bytes, length)
                         : format_text("\"matched\":null");
    char *made = member ? format_text(",%s", member) : NULL;
    free(member);
    return made;
}

static char *verdict(const rule *r)
{
    char *message = json_member("msg", r->message, strlen(r->message));
    char *unchecked = json_member("unchecked", r->unchecked, strlen(r->unchecked));
    char *made =
        message && unchecked ? format_text("%" PRIu32 ",%s,%s", r->sid, message, unchecked) : NULL;
    free(message);
    free(unchecked);
    return made;
}

const writer_format writer_json = { .file = file_member,
                                    .opening = opening,
                                    .label = label,
                                    .match = put_match,
                                    .count = put_count,
                                    .matched = matched,
                                    .verdict = verdict,
                                    .end = "}\n",
                                    .name = "json" };
