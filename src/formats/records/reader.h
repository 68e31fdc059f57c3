/* reader.h: a reader gives the records of a text one after another: name, bytes.
 *
 * They come in batches, which a reader fills. A record that is not ended where a batch is full
 * begins the next one; if it fills one alone it comes in pieces, or, where it is wanted whole, the
 * batch grows with it.
 *
 * Invariant of a batch: records follow each other in its bytes, and only the last may be open.
 */
#ifndef TRAWL_READER_H
#define TRAWL_READER_H

#include "formats/records/content.h"
#include "formats/sources/source.h"

#define BATCH_BYTES ((size_t)1 << 20) /* which a core's second cache holds */
#define BATCH_RECORDS 16384u
#define BATCH_LARGEST ((size_t)1 << 30) /* of a record that is wanted whole */
#define RECORD_NAME 4096u               /* bytes of a name; a longer one is cut */

typedef struct record {
    size_t begin, length; /* its bytes in the batch, or those of this piece */
    size_t name;          /* in the batch's names, ended by a NUL byte */
    uint64_t number;      /* from 1, in its text */
    bool goes_on;         /* pieces came before */
} record;

typedef struct batch {
    uint8_t *bytes;
    uint8_t *qualities; /* of FASTQ: each stands where its letter does in `bytes`. NULL: not kept */
    size_t room, used;
    char *names;
    size_t names_room, names_used;
    record *records;
    size_t count;
    bool open;     /* the last record is not ended */
    bool cut;      /* after an error: the last record is, but lacks what follows in it */
    bool whole;    /* records are wanted whole */
    uint64_t line; /* after an error: where in the text, from 1; 0: not known */
} batch;

/* One kind of records. */
typedef struct reader_kind {
    bool named;    /* records have names */
    bool numbered; /* their number tells them apart */
    /* NULL: *why. */
    void *(*open)(source *text, const char **why);
    /* Add records until the batch is full, or more of them would have to be waited for (1), or the
     * text has ended (0); -1: *why, after what was added. */
    int (*fill)(void *state, batch *b, const char **why);
    /* The first line so far of which what it holds may not be meant so. NULL: it looks at none. */
    const content_doubt *(*doubt)(const void *state);
    void (*close)(void *state);
} reader_kind;

extern const reader_kind reader_fasta, reader_fastq, reader_capture;
extern const reader_kind reader_lines, reader_text; /* lines, and all as one record */

extern const reader_kind reader_alignments, reader_entries;
extern const reader_kind reader_cram, reader_twobit; /* they say what is to be done */

/* For what has records; NULL: it is a text, or packed. */
const reader_kind *reader_of(content kind);

/* Where the next record of FASTA begins in the bytes, after a line's end; SIZE_MAX: none does. */
size_t sequence_next(const uint8_t *bytes, size_t length);

/* A batch without records. False: out of memory; to be freed all the same. */
bool batch_open(batch *b, bool whole);
/* Have it keep qualities, of records that are wanted whole. False: out of memory. */
bool batch_keep_qualities(batch *b);
void batch_free(batch *b);

/* Empty a batch, but for the open record of the one before, which may be itself, or what comes of
 * it after its piece. */
void batch_next(batch *b, const batch *before);

/* For readers: begin a record, add bytes, end it, or before an error end it where it is. What is
 * refused is to be given again in the next batch, which is the answer 1 of `fill`; *why is set
 * where that helps nothing. */
bool batch_begin(batch *b, uint64_t number, const char *name, size_t length, const char **why);
bool batch_add(batch *b, const uint8_t *bytes, size_t length, const char **why);
void batch_end(batch *b);
void batch_cut(batch *b);

/* Whether it has a record that is ended. */
bool batch_ready(const batch *b);

/* Whether its open record comes again, with what follows it: it is no piece. */
bool batch_comes_again(const batch *b);

/* Room for as many bytes at least, of `length` that are to come: the place, or NULL as above. */
uint8_t *batch_room(batch *b, size_t length, const char **why);

#endif
