/* text.c: see text.h. */
#include "formats/search/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE (1u << 20) /* bytes read of a pipe at once */

static bool fail(text_scan *t, const char *why)
{
    t->why = why;
    return false;
}

static bool scanned(text_scan *t, int status)
{
    return status >= 0 || fail(t, t->error.message);
}

/* ---- streams ------------------------------------------------------------------ */

/* A room for pieces of a text, and as much before them as is to be kept. */
typedef struct piece_room {
    uint8_t *bytes;
    size_t used;
} piece_room;

/* Where the next piece goes. */
static uint8_t *next_place(text_scan *t, piece_room *room)
{
    if (room->used > t->keep + PIECE || !t->keep) {
        const size_t gone = room->used - t->keep;
        memmove(room->bytes, room->bytes + gone, t->keep);
        t->begin += gone;
        room->used = t->keep;
    }
    return room->bytes + room->used;
}

/* Read what is left of a text and feed it to a stream. */
static bool feed(text_scan *t, source *text, trawl_stream *stream, piece_room *room)
{
    int status = TRAWL_OK;
    while (status == TRAWL_OK) {
        uint8_t *piece = next_place(t, room);
        const ptrdiff_t got = source_read(text, piece, PIECE);
        if (got < 0)
            return fail(t, text->why);
        if (got == 0)
            break;
        room->used += (size_t)got;
        t->searched(t->user, (uint64_t)got);
        status = trawl_stream_feed(stream, piece, (size_t)got, &t->error);
    }
    return scanned(t, status);
}

bool text_scan_wants_whole(text_scan *t)
{
    trawl_stream *stream = NULL;
    const int status =
        trawl_stream_open(t->context, t->plan, &t->options, t->take, t->user, &stream, NULL);
    trawl_stream_drop(stream, NULL);
    return status == TRAWL_ERROR_UNSUPPORTED;
}

static bool scan_stream(text_scan *t, source *text)
{
    trawl_stream *stream;
    piece_room room = { malloc(t->keep + 2 * PIECE), 0 };
    if (!room.bytes)
        return fail(t, strerror(ENOMEM));
    t->text = room.bytes;
    t->begin = 0;
    bool fine = scanned(t, trawl_stream_open(t->context, t->plan, &t->options, t->take, t->user,
                                             &stream, &t->error));
    if (fine) {
        fine = feed(t, text, stream, &room);
        const int closed = trawl_stream_close(stream, fine ? &t->error : NULL);
        fine = fine && scanned(t, closed);
    }
    free(room.bytes);
    return fine;
}

/* ---- texts in memory ----------------------------------------------------------- */

int text_scan_by(text_scan *t, const searcher *by, const uint8_t *text, size_t length,
                 trawl_match_fn take, trawl_error *error)
{
    const trawl_scan_options *o = &t->options;
    if (!t->counts)
        return trawl_scan(by->context, by->plan, text, length, o, take, t, error);
    return t->patterns == 1
               ? trawl_count(by->context, by->plan, text, length, o, t->counts, error)
               : trawl_count_each(by->context, by->plan, text, length, o, t->counts, error);
}

/* When a device has failed a text is searched again from its begin: all backends find the same
 * matches in the same order. */
static int take_anew(const trawl_match *matches, size_t count, void *user)
{
    text_scan *t = user;
    const uint64_t old = t->known > t->found ? t->known - t->found : 0;
    const size_t skipped = old < count ? (size_t)old : count;
    t->found += count;
    return skipped < count ? t->take(matches + skipped, count - skipped, t->user) : 0;
}

/* A device was taken because it would be quicker: when it fails the CPU goes on without it. */
static int scan_by_best(text_scan *t, const uint8_t *text, size_t length)
{
    const searcher cpu = { t->context, (trawl_plan *)t->plan };
    t->found = t->known = 0;
    if (t->device.context && length >= t->least) {
        t->scans(t->user, t->device.context, length);
        const int status = text_scan_by(t, &t->device, text, length, take_anew, &t->error);
        if (status != TRAWL_ERROR_DEVICE && status != TRAWL_ERROR_MEMORY)
            return status;
        t->failed(t->user, t->device.context, t->error.message);
        searcher_close(&t->device);
        t->known = t->found;
        t->found = 0;
    }
    t->scans(t->user, t->context, length);
    return text_scan_by(t, &cpu, text, length, take_anew, &t->error);
}

static bool scan_text(text_scan *t, const uint8_t *text, size_t length)
{
    t->text = text;
    t->begin = 0;
    t->searched(t->user, length);
    const int status = scan_by_best(t, text, length);
    for (size_t i = 0; t->counts && i < t->patterns; i++)
        t->counted += t->counts[i];
    return scanned(t, status);
}

/* ---- what a text is searched as ------------------------------------------------ */

/* Scan the text of a file mapped whole, or that of its spooled copy when it cannot be mapped
 * itself, as far as it can be read. */
static bool scan_whole(text_scan *t, source *file)
{
    const uint8_t *text;
    size_t length;
    char damage[200] = "";
    if ((file->mappable && source_map(file, &text, &length)) ||
        (source_spool(file, damage, sizeof damage) && source_map(file, &text, &length))) {
        if (!scan_text(t, text, length))
            return false;
        snprintf(t->message, sizeof t->message, "%s", damage);
        return !*damage || fail(t, t->message);
    }
    snprintf(t->message, sizeof t->message,
             "cannot keep the text in a temporary file, which these patterns, or this report of "
             "them, need (set TMPDIR to a folder with room): %s",
             file->why);
    return fail(t, t->message);
}

bool text_scan_source(text_scan *t, source *file)
{
    const uint8_t *text;
    size_t length;
    t->counted = 0;
    if (t->whole)
        return scan_whole(t, file);
    if (file->mappable && source_map(file, &text, &length))
        return scan_text(t, text, length);
    return file->mappable ? fail(t, file->why) : scan_stream(t, file);
}
