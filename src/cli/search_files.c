/* search_files.c: files that are searched whole: operands, and members of folders. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/crew.h"
#include "cli/line_printer.h"
#include "formats/records/texts.h"
#include "formats/sources/compressed.h"

#define LARGE_FILE (8u << 20) /* below a folder: all threads search it */

/* ---- results of a file -------------------------------------------------- */

void file_failed(crew *c, job *j, const char *name, const char *why)
{
    if (!c->search->no_messages)
        printer_complain(&j->out, true, c->search->run->command, "%s: %s", name, why);
    j->failed = true;
}

/* Lines printed to a file that is being searched would be found in turn, without end. */
bool is_output(const crew *c, const source *file)
{
    const line_style *style = c->search->style;
    return c->output_known && !style->silent && style->most > 1 && S_ISREG(c->output.st_mode) &&
           c->output.st_dev == file->facts.st_dev && c->output.st_ino == file->facts.st_ino;
}

bool has_name(const crew *c, bool several)
{
    return c->search->names > 0 || (c->search->names == 0 && several);
}

/* What is said of a file after its lines. */
static void print_result(crew *c, job *j, const char *name, uint64_t selected, bool binary_matched)
{
    const search *s = c->search;
    if (binary_matched && !s->style->silent)
        printer_complain(&j->out, true, s->run->command, "%s: binary file matches", name);
    if (s->count) {
        char number[21];
        char *end = put_decimal(number, selected);
        *end++ = '\n';
        if (j->named)
            line_printer_name(s->style, &j->out, name, ':');
        printer_put(&j->out, number, (size_t)(end - number));
    }
    if (s->list && (selected > 0) == (s->list == LIST_MATCHING))
        line_printer_name(s->style, &j->out, name, '\n');
}

void count_selected(job *j, uint64_t selected)
{
    j->matched |= selected > 0;
    j->selected += selected;
}

void file_ended(crew *c, job *j, const char *name, line_result result, const char *why,
                uint64_t selected, bool binary_matched)
{
    if (result == LINES_OK || (result == LINES_READ_FAILED && !c->search->count))
        print_result(c, j, name, selected, binary_matched); /* a part of the count would be a
                                                                wrong one */
    if (result == LINES_READ_FAILED || result == LINES_SCAN_FAILED)
        file_failed(c, j, name, why);
}

/* ---- files that are not cut ---------------------------------------------- */

/* Whether the file is for its turn, and for the search's own context. */
static bool wants_turn(const crew *c, const source *file)
{
    return c->workers > 1 && !file->ended &&
           (!S_ISREG(file->facts.st_mode) || file->fd == STDIN_FILENO ||
            (file->mappable && file->length >= LARGE_FILE));
}

static bool go_on(const crew *c, const job *j)
{
    return !(c->search->quiet && j->matched) && !j->out.failed && !j->out.dropped;
}

/* Returns whether it is compressed, and was searched as it stands. */
static bool search_file(crew *c, job *j, worker *w, const char *name)
{
    const search *s = c->search;
    if (s->decompress && !w->file.ended && !texts_unpack(&w->file, &s->unpack)) {
        const char *also = TEXTS_ARCHIVE ": `trawl find` searches the files in it";
        file_failed(c, j, name, strcmp(w->file.why, TEXTS_ARCHIVE) ? w->file.why : also);
        return false;
    }
    const bool turn = wants_turn(c, &w->file) || !w->lines.context;
    line_search *lines = turn ? &c->alone : &w->lines;
    if (is_output(c, &w->file)) {
        file_failed(c, j, name, "the input file is also the output: write elsewhere");
        return false;
    }
    if (turn && !printer_turn(&j->out))
        return false;
    lines->out = &j->out;
    const line_result result = lines_search(lines, &w->file, j->named ? name : NULL);
    j->bytes += lines->bytes;
    if (c->search->style->json)
        line_stats_add(&j->stats, &lines->json.stats);
    count_selected(j, lines->selected);
    file_ended(c, j, name, result, result == LINES_READ_FAILED ? w->file.why : lines->error.message,
               lines->selected, lines->binary_matched);
    return lines->packed && !s->decompress;
}

static void warn_of_loop(const crew *c, job *j, const char *path)
{
    if (!c->search->no_messages)
        printer_complain(&j->out, true, c->search->run->command,
                         "%s: warning: recursive directory loop", path);
}

static bool open_member(const job *j, const member *m, source *file)
{
    if (m->linked)
        return source_reopen(file, j->names + m->path);
    return source_open_below(file, tree_descriptor(m->folder), j->names + m->name);
}

/* Who passes over binary files has asked for no word of them. */
static void count_packed(const crew *c, job *j, const member *m, bool packed)
{
    if (!packed || c->search->style->no_binary)
        return;
    if (!j->packed++)
        j->first_packed = m->path;
}

void note_packed(crew *c, const job *j)
{
    if (j->packed && !c->packed)
        c->first_packed = strdup(j->names + j->first_packed);
    c->packed += j->packed;
}

void warn_of_members(const crew *c)
{
    if (c->search->no_messages || !c->packed || !c->first_packed)
        return;
    complain(c->search->run->command,
             "warning: %" PRIu64 " file%s below folders %s compressed, %s first: their bytes were "
             "searched as they stand; --decompress (of zip files, trawl find) searches what they "
             "hold",
             c->packed, c->packed > 1 ? "s" : "", c->packed > 1 ? "are" : "is", c->first_packed);
}

void search_members(crew *c, job *j, worker *w)
{
    for (unsigned i = 0; i < j->count; i++) {
        const member *m = &j->members[i];
        bool packed = false;
        const char *path = j->names + m->path;
        if (!go_on(c, j))
            ; /* folders are released all the same */
        else if (m->cause == TREE_LOOP)
            warn_of_loop(c, j, path);
        else if (m->cause)
            file_failed(c, j, path, strerror(m->cause));
        else if (open_member(j, m, &w->file))
            packed = search_file(c, j, w, path);
        else
            file_failed(c, j, path, strerror(errno));
        count_packed(c, j, m, packed);
        tree_release(m->folder);
    }
}

void warn_of(crew *c, job *j, const char *path, source *file)
{
    const search *s = c->search;
    const uint8_t *head;
    size_t length;
    if (s->decompress || s->no_messages || !source_peek(file, &head, &length))
        return;
    const char *kind = compressed_kind(head, length);
    if (kind)
        printer_complain(&j->out, false, s->run->command,
                         "warning: %s: is compressed (%s): its bytes are searched as they stand; "
                         "%s searches what it holds",
                         shown_name(path), kind,
                         strcmp(kind, "zip") == 0 ? "trawl find" : "--decompress");
}

void search_operand(crew *c, job *j, worker *w)
{
    const char *name = shown_name(j->path);
    if (!j->opened && !j->cause) { /* it may keep us waiting */
        if (!printer_turn(&j->out))
            return;
        if (!source_reopen(&w->file, j->path))
            j->cause = errno;
    }
    if (!j->cause) {
        if (!S_ISREG(w->file.facts.st_mode) && !printer_turn(&j->out))
            return; /* looking at it may keep us waiting */
        warn_of(c, j, j->path, &w->file);
        search_file(c, j, w, name);
        return;
    }
    const bool folder = j->cause == EISDIR;
    file_failed(c, j, name,
                folder && !c->search->recursive ? "Is a directory; -r searches what is in it"
                                                : strerror(j->cause));
    if (folder) /* GNU grep -c has a count for it, and -L its name */
        print_result(c, j, name, 0, false);
}
