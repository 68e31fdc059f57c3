/* bed.c: matches as BED, six columns: where, from 0, half open; name, score 0, strand. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/writers/format.h"
#include "formats/writers/text.h"

#define MAX_NAME 255u /* bytes, as the format has it */

/* A copy in which no byte ends a column, and that is no comment. */
static char *word(const char *text, size_t length, bool blanks)
{
    const size_t most = length < MAX_NAME ? length : MAX_NAME;
    char *made = malloc(most + 1);
    for (size_t i = 0; made && i < most; i++) {
        const unsigned char c = (unsigned char)text[i];
        const bool plain = isgraph(c) || (blanks && c == ' ') || c >= 0x80;
        made[i] = plain && !(c == '#' && i == 0) ? text[i] : '_';
    }
    if (made)
        made[most] = '\0';
    return made;
}

static char *file(const char *name)
{
    return word(name, strlen(name), false);
}

/* A sequence is called by its name, a record without one by its number, a file that is not divided
 * by its own. */
static char *opening(const writer *w, const writer_place *place)
{
    if (place->number)
        return format_text("%" PRIu64, place->number);
    return place->name && *place->name ? word(place->name, strlen(place->name), false)
                                       : format_text("%s", w->file);
}

static char *label(const writer *w, const trawl_pattern *p)
{
    const char *strand = writer_strand(p);
    size_t length;
    const char *text = writer_name(w, p, &length);
    char *name = word(text, length, true);
    char *made = name ? format_text("\t%s\t0\t%s", name, strand ? strand : ".") : NULL;
    free(name);
    return made;
}

static char *put_match(char *at, const trawl_match *match)
{
    *at++ = '\t';
    at = put_decimal(at, match->start);
    *at++ = '\t';
    return put_decimal(at, match->end);
}

const writer_format writer_bed = { .file = file,
                                   .opening = opening,
                                   .label = label,
                                   .label_last = true,
                                   .match = put_match,
                                   .end = "\n",
                                   .name = "bed",
                                   .track = true };
