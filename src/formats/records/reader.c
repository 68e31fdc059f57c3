/* reader.c: see reader.h. */
#include "formats/records/reader.h"

#include <stdlib.h>
#include <string.h>

static const char no_memory[] = "out of memory for its records";

const reader_kind *reader_of(content kind)
{
    switch (kind) {
    case CONTENT_FASTA:
        return &reader_fasta;
    case CONTENT_FASTQ:
        return &reader_fastq;
    case CONTENT_CAPTURE:
        return &reader_capture;
    case CONTENT_BAM:
    case CONTENT_SAM:
        return &reader_alignments;
    case CONTENT_CRAM:
        return &reader_cram;
    case CONTENT_ENTRIES:
        return &reader_entries;
    case CONTENT_TWOBIT:
        return &reader_twobit;
    default:
        return NULL;
    }
}

bool batch_open(batch *b, bool whole)
{
    *b = (batch){ .room = BATCH_BYTES, .names_room = 64u << 10, .whole = whole };
    b->bytes = malloc(b->room);
    b->names = malloc(b->names_room);
    b->records = malloc(BATCH_RECORDS * sizeof *b->records);
    return b->bytes && b->names && b->records;
}

bool batch_keep_qualities(batch *b)
{
    b->qualities = malloc(b->room);
    return b->qualities != NULL;
}

void batch_free(batch *b)
{
    free(b->bytes);
    free(b->qualities);
    free(b->names);
    free(b->records);
    *b = (batch){ 0 };
}

void batch_next(batch *b, const batch *before)
{
    record last = { 0 };
    const bool again = batch_comes_again(before);
    b->open = before->open;
    if (b->open)
        last = before->records[before->count - 1];
    b->used = b->names_used = b->count = 0;
    if (!b->open)
        return;
    const size_t name = strlen(before->names + last.name) + 1;
    memmove(b->names, before->names + last.name, name);
    if (!again) { /* it was a piece */
        last.goes_on = true;
        last.length = 0;
    }
    memmove(b->bytes, before->bytes + last.begin, last.length);
    if (b->qualities && before->qualities)
        memmove(b->qualities, before->qualities + last.begin, last.length);
    last.begin = last.name = 0;
    b->records[b->count++] = last;
    b->used = last.length;
    b->names_used = name;
}

static bool grow_names(batch *b, size_t more)
{
    while (b->names_room - b->names_used < more) {
        char *grown = realloc(b->names, 2 * b->names_room);
        if (!grown)
            return false;
        b->names = grown;
        b->names_room *= 2;
    }
    return true;
}

bool batch_begin(batch *b, uint64_t number, const char *name, size_t length, const char **why)
{
    length = length < RECORD_NAME ? length : RECORD_NAME;
    if (b->count == BATCH_RECORDS)
        return false;
    if (!grow_names(b, length + 1)) {
        *why = no_memory;
        return false;
    }
    b->records[b->count++] = (record){ .begin = b->used, .name = b->names_used, .number = number };
    if (length)
        memcpy(b->names + b->names_used, name, length);
    for (char *nul = b->names + b->names_used; /* a name is text */
         (nul = memchr(nul, '\0', (size_t)(b->names + b->names_used + length - nul)));)
        *nul = ' ';
    b->names[b->names_used + length] = '\0';
    b->names_used += length + 1;
    b->open = true;
    return true;
}

/* Twice the room. */
static bool grow(batch *b)
{
    uint8_t *grown = realloc(b->bytes, 2 * b->room);
    b->bytes = grown ? grown : b->bytes;
    if (grown && b->qualities) {
        grown = realloc(b->qualities, 2 * b->room);
        b->qualities = grown ? grown : b->qualities;
    }
    b->room *= grown ? 2 : 1;
    return grown != NULL;
}

uint8_t *batch_room(batch *b, size_t length, const char **why)
{
    const bool alone = b->open && b->records[b->count - 1].begin == 0;
    while (b->room - b->used < length) {
        /* Pieces are handed out; a line that is longer than a batch is not, and has it grow. */
        if (!alone || (b->used && !b->whole))
            return NULL;
        if (b->room >= BATCH_LARGEST) {
            *why = "has a record of more than 1 GiB, which the bytes of matches, signatures that "
                   "ask for a word or the end, and all reports of unbounded patterns but ends need "
                   "in memory";
            return NULL;
        }
        if (!grow(b)) {
            *why = no_memory;
            return NULL;
        }
    }
    return b->bytes + b->used;
}

bool batch_add(batch *b, const uint8_t *bytes, size_t length, const char **why)
{
    uint8_t *to = batch_room(b, length, why);
    if (!to)
        return false;
    if (length)
        memcpy(to, bytes, length);
    b->used += length;
    b->records[b->count - 1].length += length;
    return true;
}

void batch_end(batch *b)
{
    b->open = b->cut = false;
}

void batch_cut(batch *b)
{
    b->cut = b->open;
    b->open = false;
}

bool batch_ready(const batch *b)
{
    return b->count > b->open;
}

bool batch_comes_again(const batch *b)
{
    return b->open && (b->whole || b->records[b->count - 1].begin);
}
