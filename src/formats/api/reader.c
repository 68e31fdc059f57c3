/* reader.c: the readers of trawl/formats.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/api/common.h"
#include "formats/records/reader.h"
#include "formats/records/texts.h"
#include "trawl/formats.h"

struct trawl_reader {
    trawl_reader_options options;
    source file;
    source_memory memory;
    texts *inside;

    /* The present text, and its reader; `kind` is NULL between texts. */
    const reader_kind *kind;
    void *state;
    source *text;
    const char *name;
    uint32_t format;
    batch batch;
    bool begun;      /* the batch was filled */
    int more;        /* what the last fill said */
    const char *why; /* of -1 */

    /* What is handed out: of `room` records. */
    size_t room;
    trawl_text *texts;
    const char **names;
    const uint8_t **qualities;
};

/* ---- warnings -------------------------------------------------------------------- */

static const char no_memory[] = "out of memory for its records";

static void warn(const trawl_reader *r, const content_doubt *doubt, const char *done)
{
    trawl_file_error warning;
    char odd[CONTENT_DOUBT_TEXT];
    if (!doubt || !doubt->why || !r->options.warn || r->options.format != TRAWL_FORMAT_AUTO)
        return;
    content_doubt_words(doubt, odd);
    api_fail(&warning, TRAWL_OK, r->name, doubt->line, "%s: %s", odd, done);
    r->options.warn(&warning, r->options.user);
}

/* ---- open and close ---------------------------------------------------------------- */

static int take_options(trawl_reader_options *to, const trawl_reader_options *from,
                        const char *name, trawl_file_error *error)
{
    *to = (trawl_reader_options)TRAWL_READER_OPTIONS_INIT;
    const int status = api_options(to, sizeof *to, sizeof *to, from, "trawl_reader_options",
                                   "TRAWL_READER_OPTIONS_INIT", name, error);
    const char *wrong = to->format > TRAWL_FORMAT_PCAP      ? "format"
                        : to->flags & ~TRAWL_READ_QUALITIES ? "flags"
                        : to->unused                        ? "unused"
                                                            : NULL;
    return status == TRAWL_OK && wrong
               ? api_fail(error, TRAWL_ERROR_ARGUMENT, name, 0,
                          "trawl_reader_options.%s is none of trawl/formats.h", wrong)
               : status;
}

void trawl_reader_close(trawl_reader *r)
{
    if (!r)
        return;
    if (r->state)
        r->kind->close(r->state);
    texts_close(r->inside);
    source_close(&r->file);
    batch_free(&r->batch);
    free(r->texts);
    free(r->names);
    free(r->qualities);
    free(r);
}

/* `path` NULL: r->memory. */
static int open_any(trawl_reader *r, const char *path, const char *name, trawl_file_error *error)
{
    const uint64_t ratio = r->options.max_ratio;
    const unpack_options unpack = { ratio == UINT64_MAX ? 0
                                    : ratio             ? ratio
                                                        : UNPACK_RATIO,
                                    r->options.threads ? r->options.threads : 1,
                                    UNPACK_TOO_MUCH
                                    "; trawl_reader_options.max_ratio allows more" };
    if (path && !source_open(&r->file, path))
        return api_fail(error, TRAWL_ERROR_ARGUMENT, name, 0, "cannot be opened: %s",
                        strerror(errno));
    if (!path)
        source_open_memory(&r->file, &r->memory);
    r->inside = texts_open(&r->file, name, &unpack);
    if (!r->inside || !batch_open(&r->batch, true) ||
        ((r->options.flags & TRAWL_READ_QUALITIES) && !batch_keep_qualities(&r->batch)))
        return api_fail(error, TRAWL_ERROR_MEMORY, name, 0, no_memory);
    return TRAWL_OK;
}

static int open_reader(const char *path, const source_memory *memory, const char *name,
                       const trawl_reader_options *options, trawl_reader **reader,
                       trawl_file_error *error)
{
    trawl_reader *r = calloc(1, sizeof *r);
    *reader = NULL;
    if (!r)
        return api_fail(error, TRAWL_ERROR_MEMORY, name, 0, no_memory);
    r->memory = *memory;
    int status = take_options(&r->options, options, name, error);
    if (status == TRAWL_OK)
        status = open_any(r, path, name, error);
    if (status == TRAWL_OK)
        *reader = r;
    else
        trawl_reader_close(r);
    return status;
}

int trawl_reader_open(const char *path, const trawl_reader_options *options, trawl_reader **reader,
                      trawl_file_error *error)
{
    const source_memory none = { .bytes = NULL };
    return open_reader(path, &none, path, options, reader, error);
}

int trawl_reader_open_memory(const void *bytes, size_t length, const char *name,
                             const trawl_reader_options *options, trawl_reader **reader,
                             trawl_file_error *error)
{
    const source_memory memory = { .bytes = bytes, .left = length, .length = length };
    return open_reader(NULL, &memory, name, options, reader, error);
}

/* ---- records ------------------------------------------------------------------------- */

static const reader_kind *choose(trawl_reader *r, content kind)
{
    static const reader_kind *const kinds[] = {
        NULL,          &reader_lines,      &reader_text,    &reader_fasta,
        &reader_fastq, &reader_alignments, &reader_entries, &reader_capture
    };
    const reader_kind *found = r->options.format ? kinds[r->options.format] : reader_of(kind);
    found = found ? found : &reader_text;
    r->format = 0;
    for (uint32_t i = 1; i < sizeof kinds / sizeof *kinds; i++)
        r->format = kinds[i] == found ? i : r->format;
    return found;
}

/* The next text: TRAWL_OK, TRAWL_END, or an error. */
static int next_text(trawl_reader *r, trawl_file_error *error)
{
    const uint8_t *head;
    size_t length;
    content kind;
    const char *why = NULL;
    const int got = texts_next(r->inside, &r->name, &r->text, &kind, &why);
    if (got == 0)
        return TRAWL_END;
    if (got < 0)
        return api_fail(error, TRAWL_ERROR_ARGUMENT, r->name, 0, "%s", why);
    if (kind == CONTENT_TEXT && source_peek(r->text, &head, &length)) {
        const content_doubt doubt = content_doubts(head, length);
        warn(r, &doubt,
             "it is read as one text, though it begins as FASTA does: the format fasta "
             "joins its lines to sequences, the format text is without this warning");
    }
    r->kind = choose(r, kind);
    r->begun = false;
    r->state = r->kind->open(r->text, &why);
    if (r->state)
        return TRAWL_OK;
    r->kind = NULL;
    return api_fail(error, r->format ? TRAWL_ERROR_ARGUMENT : TRAWL_ERROR_UNSUPPORTED, r->name, 0,
                    "%s", why ? why : no_memory);
}

static void end_text(trawl_reader *r)
{
    const content_doubt *doubt = r->kind->doubt ? r->kind->doubt(r->state) : NULL;
    warn(r, doubt,
         doubt && doubt->letters ? "it is taken for a part of its sequence" : "it is read as one");
    r->kind->close(r->state);
    r->kind = NULL;
    r->state = NULL;
    batch_end(&r->batch);
    r->batch.count = 0;
}

static bool make_room(trawl_reader *r, size_t count)
{
    if (count <= r->room)
        return true;
    free(r->texts);
    free(r->names);
    free(r->qualities);
    r->texts = malloc(count * sizeof *r->texts);
    r->names = malloc(count * sizeof *r->names);
    r->qualities = malloc(count * sizeof *r->qualities);
    r->room = r->texts && r->names && r->qualities ? count : 0;
    return r->room > 0;
}

static void hand_out(trawl_reader *r, size_t count, trawl_records *to)
{
    const batch *b = &r->batch;
    const bool qualities = b->qualities && r->kind == &reader_fastq;
    for (size_t i = 0; i < count; i++) {
        const record *from = &b->records[i];
        r->texts[i] = (trawl_text){ b->bytes + from->begin, from->length };
        r->names[i] = b->names + from->name;
        r->qualities[i] = qualities ? b->qualities + from->begin : NULL;
    }
    const trawl_records given = { .size = to->size,
                                  .count = count,
                                  .format = r->format,
                                  .cut = b->cut && count == b->count,
                                  .first = b->records[0].number,
                                  .text = r->name,
                                  .texts = r->texts,
                                  .names = r->kind->named ? r->names : NULL,
                                  .qualities = qualities ? r->qualities : NULL };
    memset(to, 0, to->size);
    memcpy(to, &given, sizeof given);
}

/* Fill the batch; how many of its records are whole. */
static size_t fill(trawl_reader *r)
{
    batch *b = &r->batch;
    if (r->begun)
        batch_next(b, b);
    else
        b->used = b->names_used = b->count = 0;
    r->begun = true;
    r->more = r->kind->fill(r->state, b, &r->why);
    const bool long_one = r->more < 0 && b->room >= BATCH_LARGEST && b->used > BATCH_LARGEST / 2;
    if (long_one)
        r->why = "has a record of more than 1 GiB: map the file, or feed it to a stream";
    return b->count - (b->count && (long_one || b->open));
}

int trawl_reader_next(trawl_reader *r, trawl_records *records, trawl_file_error *error)
{
    if (records->size < sizeof *records || records->size > 4096)
        return api_fail(error, TRAWL_ERROR_ARGUMENT, r->name ? r->name : "", 0,
                        "trawl_records of %zu bytes, where %zu are expected: fill them with "
                        "TRAWL_RECORDS_INIT",
                        records->size, sizeof *records);
    for (;;) {
        int status = r->kind ? TRAWL_OK : next_text(r, error);
        if (status != TRAWL_OK)
            return status;
        size_t count = 0;
        if (!r->begun || r->more > 0) {
            count = fill(r);
            if (count && make_room(r, count)) {
                hand_out(r, count, records);
                return TRAWL_OK;
            }
            if (count) {
                r->more = -1;
                r->why = no_memory;
            }
        }
        if (r->more < 0)
            status = api_fail(error,
                              r->why == no_memory              ? TRAWL_ERROR_MEMORY
                              : r->batch.room >= BATCH_LARGEST ? TRAWL_ERROR_LIMIT
                                                               : TRAWL_ERROR_ARGUMENT,
                              r->name, r->batch.line, "%s", r->why);
        if (r->more <= 0)
            end_text(r);
        if (status != TRAWL_OK)
            return status;
    }
}
