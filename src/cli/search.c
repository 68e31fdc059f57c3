/* search.c: see search.h.
 *
 * Idea. A job is an operand, a few files below a folder, or a piece of a large operand; threads
 * share them as ordered.h says, each with a context of one thread and a buffer of its own, so that
 * what was read is still in the core's cache when it is searched. What is printed waits in the
 * job's printer for its turn.
 *
 * A large regular file is cut into pieces of equal size. A piece has the lines that begin in it,
 * and reads on to the end of its last one; the lines before it are counted by those who have the
 * pieces before, when they have read them and before they search. What needs a history (a NUL byte,
 * a line longer than a piece, a file that shrinks) is not searched so: at its turn the file is
 * searched from there on as one that cannot be cut. Lines of context that stand in other pieces are
 * read again when the piece is taken (line_context.c).
 *
 * What cannot be cut, is large, or may keep us waiting (a pipe) is searched at its turn with the
 * context that the options ask for, and printed as it comes. So is everything where the options
 * name a backend or how it cuts: they are the library's business.
 *
 * Cost: of memory, a buffer of lines for each thread, and what waits in printers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/crew.h"

#define MAX_DESCRIPTORS 65536 /* that are reckoned with */
#define OTHER_DESCRIPTORS 24  /* the walk's, and what was open before */

/* ---- taking results ---------------------------------------------------------- */

static bool take_job(void *user, unsigned number, unsigned slot)
{
    crew *c = user;
    search *s = c->search;
    job *j = &c->jobs[slot];
    (void)number;
    if (!atomic_load(&c->finished)) {
        j->out.direct = true;
        if (j->kind == PIECE_OF_FILE)
            take_piece(c, j);
        printer_write(&j->out);
        s->matched |= j->matched;
        s->failed |= j->failed;
        s->bytes += j->bytes;
        s->selected += j->selected;
        line_stats_add(&s->stats, &j->stats);
        note_packed(c, j);
        s->write_error = j->out.failed;
        if (j->out.failed || (s->quiet && s->matched))
            atomic_store(&c->finished, true);
    }
    if (j->kind == PIECE_OF_FILE)
        leave_large(j->large);
    return !atomic_load(&c->finished);
}

/* ---- the crew ---------------------------------------------------------------- */

static void open_lines(const crew *c, line_search *lines, trawl_context *context)
{
    const bool alone =
        context != c->search->context || strcmp(trawl_context_backend(context), "serial") == 0;
    lines->largest = alone ? PIECE : 0; /* who shares it out, or sends it off, wants more */
    lines->style = c->search->style;
    lines->plan = c->search->plan;
    lines->matches.plan = c->search->plan;
    lines->matches.isa = c->search->run->context.isa;
    lines->matches.empties = c->search->style->empties;
    lines->context = context;
}

/* A worker's own context; without memory for it the work waits for its turn. */
static void ready_worker(const crew *c, worker *w)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    if (w->lines.context)
        return;
    options.backend = "serial";
    options.isa = c->search->run->context.isa;
    if (c->workers == 1)
        open_lines(c, &w->lines, c->search->context);
    else if (trawl_context_open(&options, &w->context, NULL) == TRAWL_OK)
        open_lines(c, &w->lines, w->context);
    else
        open_lines(c, &w->lines, NULL);
}

static void do_job(void *user, unsigned number, unsigned slot)
{
    crew *c = user;
    worker *w = &c->worker[number];
    job *j = &c->jobs[slot];
    ready_worker(c, w);
    if (j->kind == PIECE_OF_FILE)
        search_piece(c, j, w);
    else if (j->kind == MEMBERS)
        search_members(c, j, w);
    else
        search_operand(c, j, w);
}

/* Workers hold files and folders while they wait for their turn: at most an eighth of what may be
 * open are files, and a quarter folders; or one each. */
static void share_descriptors(crew *c)
{
    struct rlimit limit;
    unsigned left = MAX_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < left)
        left = (unsigned)limit.rlim_cur;
    left = left > OTHER_DESCRIPTORS ? left - OTHER_DESCRIPTORS : 0;
    if (c->workers > left / 8)
        c->workers = left < 8 ? 1 : left / 8;
    c->folders = left / 4 < c->workers ? 1 : left / 4 / c->workers;
}

/* Who names a backend, or how it cuts, is given it. */
static unsigned count_workers(const search *s)
{
    const trawl_context_options *o = &s->run->context;
    const uint32_t threads = trawl_context_threads(s->context);
    if ((o->backend && strcmp(o->backend, "auto") != 0) || o->chunks ||
        o->schedule != TRAWL_SCHEDULE_DYNAMIC ||
        strcmp(trawl_context_backend(s->context), "threads") != 0)
        return 1;
    return threads < 1 ? 1 : threads < MAX_WORKERS ? threads : MAX_WORKERS;
}

static void free_crew(crew *c)
{
    for (unsigned i = 0; i < c->workers; i++) {
        worker *w = &c->worker[i];
        lines_free(&w->lines);
        source_close(&w->file);
        trawl_context_close(w->context);
        free(w->piece.buffer);
    }
    for (unsigned i = 0; i < c->ordered.slots; i++) { /* the others were never touched */
        printer_free(&c->jobs[i].out);
        free(c->jobs[i].names);
    }
    lines_free(&c->alone);
    printer_free(&c->between);
    leave_large(c->large);
    tree_close(c->tree);
    free(c->first_packed);
    pthread_cond_destroy(&c->counted);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void search_all(search *s, char **paths, int count)
{
    static char input[] = "-", here[] = ".";
    char *no_path[] = { input };
    if (s->style->most == 0 && s->list != LIST_OTHERS)
        return;
    crew *c = calloc(1, sizeof *c);
    if (!c) {
        complain(s->run->command, "out of memory for the search");
        s->failed = true;
        return;
    }
    c->search = s;
    c->workers = count_workers(s);
    share_descriptors(c);
    c->paths = count || s->recursive ? paths : no_path;
    c->count = count || s->recursive ? count : 1;
    c->with_names = count > 1;
    c->output_known = fstat(STDOUT_FILENO, &c->output) == 0;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->counted, NULL);
    open_lines(c, &c->alone, s->context);
    if (count == 0 && s->recursive)
        c->tree = open_tree(s, here, true);
    const bool ready = c->tree || count || !s->recursive;
    if (ready) {
        const ordered_calls calls = { deal_job, do_job, take_job, c };
        ordered_run(&c->ordered, &calls, c->workers);
        warn_of_members(c);
    } else {
        complain(s->run->command, "%s: %s", here, strerror(ENOMEM));
        s->failed = true;
    }
    free_crew(c);
    if (file_filter_failed(&s->filter)) {
        complain(s->run->command, "what is to be ignored is not known: %s",
                 strerror(file_filter_failed(&s->filter)));
        s->failed = true;
    }
}
