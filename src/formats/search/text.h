/* text.h: texts of files and pipes that are searched, each as one.
 *
 * Idea. A file is mapped and scanned whole; a pipe, or what a compressed file holds, goes through a
 * stream as it comes. Where the whole text is needed a pipe is copied to a file without a name
 * first. Either way memory stays small.
 */
#ifndef TRAWL_SEARCH_TEXT_H
#define TRAWL_SEARCH_TEXT_H

#include "formats/search/device.h"
#include "formats/sources/source.h"

typedef struct text_scan {
    trawl_context *context;
    const trawl_plan *plan;
    searcher device; /* searches mapped texts of `least` bytes and more, unless it is none; when it
                        fails, it is closed, and the CPU goes on */
    uint64_t least;
    trawl_scan_options options;
    bool whole;  /* the text must be there whole */
    size_t keep; /* bytes before a piece of a stream that `take` may look at */
    /* Each pattern's matches are added up here, of a mapped text without `take`; NULL: they are
     * not. */
    uint64_t *counts;
    size_t patterns;
    trawl_match_fn take;
    void *user;
    void (*searched)(void *user, uint64_t bytes); /* `bytes` more are */
    /* The context begins with a mapped text of `length` bytes. */
    void (*scans)(void *user, const trawl_context *context, size_t length);
    void (*failed)(void *user, const trawl_context *device, const char *why);

    /* The present text. */
    const uint8_t *text;   /* what `take` may look at: text[0] has offset `begin` */
    uint64_t begin;        /* of it */
    uint64_t counted;      /* matches that `counts` has more */
    uint64_t found, known; /* matches of this run; of those, were handed on before */
    const char *why;
    trawl_error error;
    char message[400];
} text_scan;

/* Search a text. False: why, after what was found before. */
bool text_scan_source(text_scan *t, source *text);

/* The bytes of a match whose start is known, while `take` has it; NULL: they are gone. */
static inline const uint8_t *text_scan_match(const text_scan *t, const trawl_match *match)
{
    return match->start < t->begin ? NULL : t->text + (match->start - t->begin);
}

/* Whether a stream does not take the plan, or the report. */
bool text_scan_wants_whole(text_scan *t);

/* Search bytes with the call that suits: trawl_scan, which hands matches to `take`, or counting.
 * As trawl_scan. */
int text_scan_by(text_scan *t, const searcher *by, const uint8_t *text, size_t length,
                 trawl_match_fn take, trawl_error *error);

#endif
