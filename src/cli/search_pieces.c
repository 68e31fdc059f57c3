/* search_pieces.c: large files, cut into pieces that several threads search: see search.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/crew.h"
#include "cli/line_context.h"
#include "cli/line_printer.h"
#include "formats/records/texts.h"

#define MIN_PIECES 3 /* of a file that is cut */

/* ---- pieces of a large file ------------------------------------------------ */

void leave_large(large *l)
{
    if (l && atomic_fetch_sub(&l->users, 1) == 1) {
        source_close(&l->file);
        free(l);
    }
}

/* Note the lines of a piece, and wait until all before it are known. Returns their number. */
static uint64_t count_before(crew *c, large *l, uint64_t piece, uint64_t count)
{
    pthread_mutex_lock(&c->lock);
    l->counted[piece % KNOWN] = count;
    l->is_counted[piece % KNOWN] = true;
    for (size_t i = l->known % KNOWN; l->is_counted[i]; i = l->known % KNOWN) {
        l->is_counted[i] = false;
        l->known++;
        l->before[l->known % KNOWN] = l->before[i] + l->counted[i];
    }
    pthread_cond_broadcast(&c->counted);
    while (l->known < piece)
        pthread_cond_wait(&c->counted, &c->lock);
    const uint64_t before = l->before[piece % KNOWN];
    pthread_mutex_unlock(&c->lock);
    return before;
}

void search_piece(crew *c, job *j, worker *w)
{
    const line_style *style = c->search->style;
    line_search *lines = &w->lines;
    large *l = j->large;
    line_piece *p = &w->piece;
    uint64_t before = 0;
    const bool wanted = !atomic_load(&l->ended);
    j->unfit = !lines->context || !wanted || !line_piece_read(p, &l->file, j->piece, PIECE) ||
               (p->length && !style->text && memchr(p->text, '\0', p->length));
    if (style->number) { /* in any case: others wait for it */
        j->lines = j->unfit ? 0 : line_count(p->text, p->length, style->end);
        before = count_before(c, l, j->piece, j->lines);
    }
    if (j->unfit || !p->length)
        return;
    lines->out = &j->out;
    j->result = lines_piece(lines, &l->file, p, j->named ? l->name : NULL, before, &j->edges);
    j->found = lines->selected;
    j->end = lines->bytes;
    if (j->result == LINES_READ_FAILED)
        j->why = strerror(ENOMEM);
    else if (j->result == LINES_SCAN_FAILED)
        snprintf(j->error, sizeof j->error, "%s", lines->error.message);
}

/* ---- taking results ---------------------------------------------------------- */

static line_result between_failed(job *j, const line_search *lines)
{
    j->why = j->large->file.why;
    if (lines->broken)
        snprintf(j->error, sizeof j->error, "%s", lines->error.message);
    return lines->broken ? LINES_SCAN_FAILED : LINES_READ_FAILED;
}

/* Print lines around those of pieces, with the search's own context. */
static line_search *begin_between(crew *c, const job *j, printer *out)
{
    line_search *lines = &c->alone;
    lines->out = out;
    lines->name = j->named ? j->large->name : NULL;
    line_printer_begin(lines, &j->large->file);
    return lines;
}

void join_piece(crew *c, job *j)
{
    large *l = j->large;
    printer *out = &c->between;
    if (j->joined || !j->edges.began)
        return;
    j->joined = true;
    printer_reset(out);
    out->direct = true;
    out->joined = &c->joined;
    line_search *lines = begin_between(c, j, out);
    if (!line_context_join(lines, &l->file, &l->last, &j->edges))
        j->join_result = between_failed(j, lines);
    printer_write(out);
    j->out.failed = out->failed;
}

/* The lines of context at the file's end. */
static void end_pieces(crew *c, job *j)
{
    large *l = j->large;
    line_search *lines = begin_between(c, j, &j->out);
    if (!line_context_after(lines, &l->file, &l->last, l->file.length))
        j->result = between_failed(j, lines);
}

/* A piece that needs a history: it, and all after it. */
static line_result search_rest(crew *c, job *j)
{
    large *l = j->large;
    line_search *lines = &c->alone;
    lines->out = &j->out;
    const line_result result = lines_resume(lines, &l->file, j->named ? l->name : NULL, l->bytes,
                                            l->selected, l->lines, &l->last);
    j->why = result == LINES_READ_FAILED ? l->file.why : lines->error.message;
    l->selected = lines->selected;
    l->bytes = lines->bytes;
    return result;
}

void take_piece(crew *c, job *j)
{
    large *l = j->large;
    const uint64_t selected = l->selected, bytes = l->bytes;
    const bool ends = j->piece + 1 == l->pieces || j->unfit;
    bool binary_matched = false;
    if (atomic_load(&l->ended)) {
        j->out.dropped = true;
        return;
    }
    if (j->unfit) {
        j->result = search_rest(c, j);
        binary_matched = c->alone.binary_matched;
    } else {
        join_piece(c, j);
        if (j->edges.began)
            l->last = j->edges;
        if (j->result == LINES_OK)
            j->result = j->join_result;
        if (j->piece + 1 == l->pieces && j->result == LINES_OK)
            end_pieces(c, j);
        l->selected += j->found;
        l->lines += j->lines;
        l->bytes = j->end ? j->end : l->bytes;
        j->why = j->result == LINES_SCAN_FAILED ? j->error : j->why;
    }
    j->bytes = l->bytes - bytes;
    count_selected(j, l->selected - selected);
    if (!ends && j->result == LINES_OK && !(j->matched && c->search->style->first_only))
        return;
    atomic_store(&l->ended, true);
    if (!j->unfit)
        source_leave(&l->file, l->bytes);
    file_ended(c, j, l->name, j->result, j->why, l->selected, binary_matched);
}

/* ---- dealing ---------------------------------------------------------------- */

void deal_piece(crew *c, job *j)
{
    large *l = c->large;
    j->kind = PIECE_OF_FILE;
    j->named = has_name(c, c->with_names);
    j->large = l;
    j->piece = l->dealt++;
    atomic_fetch_add(&l->users, 1);
    if (l->dealt == l->pieces) {
        c->large = NULL;
        leave_large(l);
    }
}

bool cut_file(crew *c, job *j, worker *w)
{
    source *file = &w->file;
    if (c->workers == 1 || !S_ISREG(file->facts.st_mode) || !file->mappable ||
        file->length < (uint64_t)MIN_PIECES * PIECE || c->search->style->most != UINT64_MAX ||
        c->search->style->json || !c->search->style->end || is_output(c, file) ||
        (c->search->decompress && texts_packed(file)))
        return false;
    large *l = calloc(1, sizeof *l);
    if (!l)
        return false;
    warn_of(c, j, j->path, file);
    l->file = *file;
    l->file.buffer = NULL;
    l->file.room = l->file.used = l->file.given = 0;
    *file = (source){ .fd = -1, .buffer = file->buffer, .room = file->room };
    l->name = shown_name(j->path);
    l->pieces = (l->file.length - 1) / PIECE + 1;
    atomic_init(&l->users, 1);
    c->large = l;
    deal_piece(c, j);
    return true;
}
