/* search_deal.c: jobs for the crew: operands, files below folders, pieces of large files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/crew.h"
#include "formats/sources/grow.h"

#define MANY_OPERANDS 8 /* worth threads, whatever their size */

/* Put the name of a file below a folder into the job. False: no memory. */
static bool add_member(job *j, const tree_file *file)
{
    const size_t length = strlen(file->path), wanted = j->names_used + length + 1;
    if (!grow_array(&j->names, wanted, &j->names_room, 1))
        return false;
    memcpy(j->names + j->names_used, file->path, length + 1);
    const size_t name = file->name ? length - strlen(file->name) : 0;
    j->members[j->count++] =
        (member){ file->folder, j->names_used, j->names_used + name, file->linked, file->cause };
    j->names_used = wanted;
    if (file->folder) {
        tree_hold(file->folder);
        j->folders += j->last != file->folder;
        j->last = file->folder;
    }
    return true;
}

/* Some files of the tree. False: there is none. */
static bool deal_members(crew *c, job *j)
{
    tree_file file;
    j->kind = MEMBERS;
    j->named = has_name(c, true);
    while (j->count < BATCH_FILES && j->folders < c->folders && tree_next(c->tree, &file))
        if (!add_member(j, &file)) {
            file_failed(c, j, file.path, strerror(ENOMEM));
            return true;
        }
    return j->count;
}

/* Whether opening it may wait for somebody, or must wait for its turn: standard input stands where
 * the operand before has left it. */
static bool may_wait(const crew *c, const char *path)
{
    struct stat facts;
    if (strcmp(path, "-") == 0)
        return c->input_opened;
    return c->workers > 1 && stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) &&
           !S_ISDIR(facts.st_mode);
}

/* Whether --exclude and its kin leave the operand out. One that is not there is not. */
static bool is_left_out(const search *s, const char *path)
{
    struct stat facts;
    return file_filter_asks(&s->filter) && strcmp(path, "-") != 0 && stat(path, &facts) == 0 &&
           !file_filter_takes(&s->filter, path, S_ISDIR(facts.st_mode));
}

/* False: it is a folder to be walked, or left out. */
static bool deal_operand(crew *c, job *j, worker *w, char *path)
{
    search *s = c->search;
    const bool kept = s->sample.path && strcmp(s->sample.path, path) == 0;
    if (is_left_out(s, path))
        return false;
    j->kind = OPERAND;
    j->named = has_name(c, c->with_names);
    j->path = path;
    if (!kept && may_wait(c, path))
        return true;
    c->input_opened |= strcmp(path, "-") == 0;
    j->opened = sample_open(&s->sample, &w->file, path);
    j->cause = j->opened ? 0 : errno;
    if (j->opened) {
        cut_file(c, j, w);
    } else if (j->cause == EISDIR && s->recursive && strcmp(path, "-") != 0) {
        c->tree = open_tree(s, path, false);
        j->cause = ENOMEM;
        return !c->tree;
    }
    return true;
}

tree *open_tree(search *s, const char *folder, bool bare)
{
    return file_filter_begin(&s->filter, folder) ? tree_open(folder, bare, &s->filter.tree) : NULL;
}

static bool wait_turn(void *waiter)
{
    job *j = waiter;
    crew *c = j->crew;
    ordered_wait(&c->ordered, j->slot);
    if (atomic_load(&c->finished))
        return false;
    if (j->kind == PIECE_OF_FILE && !atomic_load(&j->large->ended))
        join_piece(c, j);
    return j->kind != PIECE_OF_FILE || !atomic_load(&j->large->ended);
}

static void begin_job(crew *c, job *j)
{
    printer_reset(&j->out);
    j->count = j->folders = 0;
    j->last = NULL;
    j->names_used = 0;
    j->cause = 0;
    j->opened = j->unfit = j->joined = j->matched = j->failed = false;
    j->large = NULL;
    j->result = j->join_result = LINES_OK;
    j->why = NULL;
    memset(&j->stats, 0, sizeof j->stats);
    memset(&j->edges, 0, sizeof j->edges);
    j->lines = j->end = j->found = j->bytes = j->selected = j->packed = 0;
    j->out.wait = wait_turn;
    j->out.waiter = j;
    j->out.joined = &c->joined;
    j->crew = c;
}

bool deal_job(void *user, unsigned number, unsigned slot)
{
    crew *c = user;
    job *j = &c->jobs[slot];
    begin_job(c, j);
    j->slot = slot;
    for (;;) {
        if (c->large && !atomic_load(&c->large->ended)) {
            deal_piece(c, j);
            break;
        }
        leave_large(c->large);
        c->large = NULL;
        if (c->tree && deal_members(c, j))
            break;
        tree_close(c->tree);
        c->tree = NULL;
        if (c->next == c->count)
            return false;
        if (deal_operand(c, j, &c->worker[number], c->paths[c->next++]))
            break;
    }
    if (c->large || j->count == BATCH_FILES || j->folders == c->folders || c->next == MANY_OPERANDS)
        ordered_share(&c->ordered, number);
    return true;
}
