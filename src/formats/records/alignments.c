/* alignments.c: the reads of SAM and BAM files. A record is a read: its bases as they stand there,
 * those of one that is aligned to the minus strand as of the plus strand, by its name. One without
 * bases ('*') is empty.
 *
 * In BAM a machine goes over the blocks: what is fixed, the name, the bases, four bits each; the
 * rest is passed over. In SAM it goes over the columns, of which the first and the tenth count. So
 * memory stays small whatever a block or a line claims to be.
 *
 * Why not htslib: it reads files alone, no members of archives, and takes the memory that a file
 * asks for; four fields are needed of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/records/input.h"

enum { NAME_COLUMN, BASES_COLUMN = 9 };

typedef enum state {
    HEADER,     /* BAM: at the begin, after the signature; SAM: within a line of it */
    REFERENCES, /* how many they are */
    REFERENCE,  /* one of them, or after the last one */
    BLOCK,      /* at the begin of a read */
    NAME,
    BASES,
    LINE, /* SAM: at the begin of a line */
    COLUMNS
} state;

typedef struct alignments {
    bool binary; /* BAM */
    state state;
    uint64_t skip;       /* bytes that are passed over before */
    uint64_t number;     /* of the read, from 1 */
    uint64_t line;       /* of SAM, from 1 */
    uint32_t references; /* that are still to come */
    uint32_t letters;    /* of BAM: of this read, still to come */
    uint64_t rest;       /* bytes of its block after them */
    uint32_t cigar;      /* bytes before them */
    unsigned column;
    size_t name_length;
    char name[RECORD_NAME];
    input in;
} alignments;

static void *open_alignments(source *text, const char **why)
{
    const uint8_t *head;
    size_t length;
    alignments *a = malloc(sizeof *a);
    if (!a) {
        *why = "out of memory";
        return NULL;
    }
    memset(a, 0, offsetof(alignments, in));
    a->in.text = text;
    a->in.ended = false;
    a->in.at = a->in.used = 0;
    a->line = 1;
    a->binary = source_look(text, 4, &head, &length) && length >= 4 && !memcmp(head, "BAM\1", 4);
    a->state = a->binary ? HEADER : LINE;
    a->skip = a->binary ? 4 : 0;
    return a;
}

static input_state damaged(const char *what, const char **why)
{
    *why = what;
    return INPUT_FAILED;
}

/* ---- BAM ------------------------------------------------------------------------- */

static const char cut_off[] = "is cut off (BAM): it ends within a record";
static const char contradicts[] = "is damaged (BAM): lengths in it contradict each other";

static uint32_t number_at(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Pass over what is to be. */
static input_state pass(alignments *a, const batch *b, const char **why)
{
    while (a->skip) {
        const input_state there = input_need(&a->in, 1, b, why);
        if (there != INPUT_THERE)
            return there == INPUT_ENDED ? damaged(cut_off, why) : there;
        const size_t left = a->in.used - a->in.at;
        const size_t some = a->skip < left ? (size_t)a->skip : left;
        a->in.at += some;
        a->skip -= some;
    }
    return INPUT_THERE;
}

/* The fixed part of a read, 36 bytes. */
static bool read_block(alignments *a)
{
    const uint8_t *block = a->in.bytes + a->in.at;
    const uint64_t size = number_at(block);
    a->name_length = block[12];
    a->cigar = 4 * (uint32_t)(block[16] | block[17] << 8);
    a->letters = number_at(block + 20);
    const uint64_t known = 32 + a->name_length + a->cigar + (a->letters + (uint64_t)1) / 2;
    a->rest = size - known;
    a->in.at += 36;
    a->state = NAME;
    return size >= known && a->name_length > 0 && size <= INT32_MAX;
}

/* Decode bases that are there. False: *why, or the batch is full. */
static bool add_bases(alignments *a, batch *b, const char **why)
{
    static const char codes[] = "=ACMGRSVTWYHKDBN";
    const size_t left = a->in.used - a->in.at, all = ((size_t)a->letters + 1) / 2;
    size_t bytes = left < all ? left : all;
    bytes = bytes < 4096 ? bytes : 4096;
    const size_t letters = 2 * bytes < a->letters ? 2 * bytes : a->letters;
    uint8_t *to = batch_room(b, letters, why);
    if (!to)
        return false;
    for (size_t i = 0; i < letters; i++) {
        const uint8_t byte = a->in.bytes[a->in.at + i / 2];
        to[i] = (uint8_t)codes[i % 2 ? byte & 15 : byte >> 4];
    }
    b->used += letters;
    b->records[b->count - 1].length += letters;
    a->in.at += bytes;
    a->letters -= (uint32_t)letters;
    return true;
}

/* The bytes that the next step of BAM needs. */
static size_t needed(const alignments *a)
{
    return a->state == REFERENCE ? (a->references ? 4 : 0)
           : a->state == BLOCK   ? 36
           : a->state == NAME    ? a->name_length
           : a->state == BASES   ? a->letters > 0
                                 : 4;
}

/* INPUT_LATER: the batch is full. */
static input_state step_block(alignments *a, batch *b, const char **why)
{
    const uint8_t *at = a->in.bytes + a->in.at;
    switch (a->state) {
    case HEADER: /* of the text: its length */
        a->skip = number_at(at);
        a->in.at += 4;
        a->state = REFERENCES;
        return INPUT_THERE;
    case REFERENCES:
        a->references = number_at(at);
        a->in.at += 4;
        a->state = REFERENCE;
        return a->references <= INT32_MAX ? INPUT_THERE : damaged(contradicts, why);
    case REFERENCE:
        if (!a->references) {
            a->state = BLOCK;
            return INPUT_THERE;
        }
        a->references--;
        a->skip = (uint64_t)number_at(at) + 4; /* its name and length */
        a->in.at += 4;
        return INPUT_THERE;
    case BLOCK:
        return read_block(a) ? INPUT_THERE : damaged(contradicts, why);
    case NAME:
        if (!batch_begin(b, a->number + 1, (const char *)at, a->name_length - 1, why))
            return *why ? INPUT_FAILED : INPUT_LATER;
        a->number++;
        a->in.at += a->name_length;
        a->skip = a->cigar;
        a->state = BASES;
        return INPUT_THERE;
    default:
        if (a->letters && !add_bases(a, b, why))
            return *why ? INPUT_FAILED : INPUT_LATER;
        if (!a->letters) {
            batch_end(b);
            a->skip = a->rest;
            a->state = BLOCK;
        }
        return INPUT_THERE;
    }
}

static input_state read_blocks(alignments *a, batch *b, const char **why)
{
    input_state there = pass(a, b, why);
    while (there == INPUT_THERE) {
        there = input_need(&a->in, needed(a), b, why);
        if (there == INPUT_ENDED && (a->state != BLOCK || a->in.used > a->in.at))
            return damaged(cut_off, why);
        if (there == INPUT_THERE)
            there = step_block(a, b, why);
        if (there == INPUT_THERE)
            there = pass(a, b, why);
    }
    return there;
}

/* ---- SAM ------------------------------------------------------------------------- */

static const char no_columns[] =
    "an alignment of SAM has eleven columns at least, with tabs between them";

static input_state end_line(alignments *a, const char **why)
{
    if (a->state == COLUMNS && a->column < BASES_COLUMN + 1)
        return damaged(no_columns, why);
    a->line++;
    a->state = LINE;
    return INPUT_THERE;
}

/* What is there of a column. */
static input_state take_column(alignments *a, batch *b, const uint8_t *bytes, size_t length,
                               const char **why)
{
    if (a->column == NAME_COLUMN) {
        const size_t room = RECORD_NAME - a->name_length;
        const size_t some = length < room ? length : room;
        memcpy(a->name + a->name_length, bytes, some);
        a->name_length += some;
    } else if (a->column == BASES_COLUMN) {
        const bool none = length && *bytes == '*';
        if (!b->open) {
            if (!batch_begin(b, a->number + 1, a->name, a->name_length, why))
                return *why ? INPUT_FAILED : INPUT_LATER;
            a->number++;
        }
        if (!batch_add(b, bytes + none, length - none, why))
            return *why ? INPUT_FAILED : INPUT_LATER;
    }
    return INPUT_THERE;
}

/* What is there of a line. */
static input_state step_line(alignments *a, batch *b, const char **why)
{
    const uint8_t *from = a->in.bytes + a->in.at;
    const size_t left = a->in.used - a->in.at;
    if (a->state == LINE) {
        a->state = *from == '@' || *from == '\n' || *from == '\r' ? HEADER : COLUMNS;
        a->column = NAME_COLUMN;
        a->name_length = 0;
    }
    const uint8_t *newline = memchr(from, '\n', left);
    const size_t rest = newline ? (size_t)(newline - from) : left;
    const uint8_t *tab = a->state == COLUMNS ? memchr(from, '\t', rest) : NULL;
    size_t length = tab ? (size_t)(tab - from) : rest;
    if (a->state == COLUMNS) {
        const input_state taken = take_column(a, b, from, length, why);
        if (taken != INPUT_THERE)
            return taken;
        if (tab && a->column++ == BASES_COLUMN)
            batch_end(b);
    }
    a->in.at += length + (tab || newline);
    return !tab && newline ? end_line(a, why) : INPUT_THERE;
}

static input_state read_lines(alignments *a, batch *b, const char **why)
{
    input_state there = INPUT_THERE;
    while (there == INPUT_THERE) {
        there = input_need(&a->in, 1, b, why);
        if (there == INPUT_THERE)
            there = step_line(a, b, why);
    }
    if (there == INPUT_ENDED && a->state == COLUMNS)
        there = end_line(a, why) == INPUT_FAILED ? INPUT_FAILED : INPUT_ENDED;
    return there;
}

/* ---- both ------------------------------------------------------------------------ */

static int fill(void *user, batch *b, const char **why)
{
    alignments *a = user;
    *why = NULL;
    const input_state there = a->binary ? read_blocks(a, b, why) : read_lines(a, b, why);
    if (there == INPUT_FAILED)
        batch_cut(b);
    b->line = *why == no_columns ? a->line : 0;
    return there == INPUT_LATER ? 1 : (int)there;
}

const reader_kind reader_alignments = {
    .named = true, .open = open_alignments, .fill = fill, .close = free
};
