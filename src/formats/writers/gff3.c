/* gff3.c: matches as features of GFF3: where, from 1, to the last byte. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/writers/format.h"
#include "formats/writers/text.h"

static char *header(const writer *w)
{
    (void)w;
    return format_text("##gff-version 3\n");
}

/* A copy in which bytes of ASCII but letters, digits and those of `plain` are written %HH;
 * malloc'ed. Others are UTF-8's, which the format takes. */
static char *percent_encode(const char *text, size_t length, const char *plain)
{
    static const char alphanumeric[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    char *made = malloc(3 * length + 1), *at = made;
    for (size_t i = 0; made && i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c >= 0x80 || (c && (strchr(alphanumeric, c) || strchr(plain, c))))
            *at++ = text[i];
        else
            at += snprintf(at, 4, "%%%02X", c);
    }
    if (made)
        *at = '\0';
    return made;
}

static char *sequence_id(const char *name)
{
    return percent_encode(name, strlen(name), ".:^*$@!+_?-|");
}

/* As in BED. */
static char *opening(const writer *w, const writer_place *place)
{
    char *name = place->number                 ? format_text("%" PRIu64, place->number)
                 : place->name && *place->name ? sequence_id(place->name)
                                               : format_text("%s", w->file);
    char *made = name ? format_text("%s\ttrawl\tsequence_feature", name) : NULL;
    free(name);
    return made;
}

static char *label(const writer *w, const trawl_pattern *p)
{
    const char *strand = writer_strand(p);
    size_t length;
    const char *text = writer_name(w, p, &length);
    char *name = percent_encode(text, length, " !\"#$'()*+-./:<>?@[\\]^_`{|}~");
    char *made = name ? format_text("\t.\t%s\t.\tName=%s;pattern=%" PRIu32, strand ? strand : ".",
                                    name, p->id)
                      : NULL;
    free(name);
    return made;
}

static char *put_match(char *at, const trawl_match *match)
{
    *at++ = '\t';
    at = put_decimal(at, match->start + 1);
    *at++ = '\t';
    return put_decimal(at, match->end);
}

static char *put_index(char *at, uint64_t index)
{
    return put_decimal(writer_put(at, ";record="), index);
}

const writer_format writer_gff3 = { .header = header,
                                    .file = sequence_id,
                                    .opening = opening,
                                    .label = label,
                                    .label_last = true,
                                    .match = put_match,
                                    .index = put_index,
                                    .end = "\n",
                                    .name = "gff3",
                                    .track = true };
