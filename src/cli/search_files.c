/* search_files.c: files that are searched whole: operands, and members of folders. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/crew.h"
#include "cli/line_printer.h"
#include "io/compressed.h"
#include "io/texts.h"

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

/* What is said of a file behind its lines. */
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

static void search_file(crew *c, job *j, worker *w, const char *name)
{
    const search *s = c->search;
    if (s->decompress && !w->file.ended && !texts_unpack(&w->file, &s->unpack)) {
        file_failed(c, j, name, w->file.why);
        return;
    }
    const bool turn = wants_turn(c, &w->file) || !w->lines.context;
    line_search *lines = turn ? &c->alone : &w->lines;
    if (is_output(c, &w->file)) {
        file_failed(c, j, name, "the input file is also the output: write to another folder");
        return;
    }
    if (turn && !printer_turn(&j->out))
        return;
    lines->out = &j->out;
    const line_result result = lines_search(lines, &w->file, j->named ? name : NULL);
    j->bytes += lines->bytes;
    if (c->search->style->json)
        line_stats_add(&j->stats, &lines->stats);
    count_selected(j, lines->selected);
    file_ended(c, j, name, result, result == LINES_READ_FAILED ? w->file.why : lines->error.message,
               lines->selected, lines->binary_matched);
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

void search_members(crew *c, job *j, worker *w)
{
    for (unsigned i = 0; i < j->count; i++) {
        const member *m = &j->members[i];
        const char *path = j->names + m->path;
        if (!go_on(c, j))
            ; /* folders are released all the same */
        else if (m->cause == TREE_LOOP)
            warn_of_loop(c, j, path);
        else if (m->cause)
            file_failed(c, j, path, strerror(m->cause));
        else if (open_member(j, m, &w->file))
            search_file(c, j, w, path);
        else
            file_failed(c, j, path, strerror(errno));
        tree_release(m->folder);
    }
}

void warn_of(crew *c, job *j, const char *path, source *file)
{
    const uint8_t *head;
    size_t length;
    const char *command = c->search->run->command;
    if (c->search->decompress || strcmp(path, "-") == 0 || !source_peek(file, &head, &length))
        return;
    const char *kind = compressed_kind(head, length);
    if (kind && !c->search->no_messages)
        printer_complain(&j->out, false, command, COMPRESSED_WARNING, path, kind,
                         compressed_remedy(kind), " ", path, command);
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
