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
 * searched from there on as one that cannot be cut.
 *
 * What cannot be cut, is large, or may keep us waiting (a pipe) is searched at its turn with the
 * context that the options ask for, and printed as it comes. So is everything where the options
 * name a backend or how it cuts: they are the library's business.
 *
 * Cost: of memory, a buffer of lines for each thread, and what waits in printers.
 */
#include "cli/search.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/ordered.h"
#include "io/compressed.h"
#include "io/tree.h"

#define PIECE (256u << 10)
#define SLACK (16u << 10)       /* read behind a piece at first */
#define LARGEST_TAIL (4u << 20) /* of a piece's last line */
#define LEAST_PIECES 3          /* of a file that is cut */
#define LARGE_FILE (8u << 20)   /* below a folder: all threads search it */
#define BATCH_FILES 16          /* below a folder, of one job */
#define MANY_OPERANDS 8         /* worth threads, whatever their size */
#define MOST_DESCRIPTORS 65536  /* that are reckoned with */
#define OTHER_DESCRIPTORS 24    /* the walk's, and what was open before */
#define SLOTS (MOST_WORKERS * SLOTS_A_WORKER)
#define KNOWN (2 * SLOTS) /* pieces of which something is kept: those dealt, and one more */

/* A file that is cut into pieces. */
typedef struct large {
    source file;
    const char *name; /* in output and messages */
    uint64_t pieces, dealt;
    atomic_uint users;
    atomic_bool ended; /* no further piece is wanted */

    /* Of the pieces that were taken: */
    uint64_t selected, lines;
    uint64_t bytes; /* where the next line begins */

    /* Lines before pieces, under the crew's lock. */
    uint64_t known;                         /* so many pieces are counted, one behind the other */
    uint64_t counted[KNOWN], before[KNOWN]; /* of piece i at i % KNOWN */
    bool is_counted[KNOWN];
} large;

/* A file below a folder. */
typedef struct member {
    tree_folder *folder; /* NULL: there is a cause */
    size_t path, name;   /* where they begin in the job's names */
    int cause;
} member;

typedef enum job_kind { OPERAND, MEMBERS, PIECE_OF_FILE } job_kind;

typedef struct crew crew;

typedef struct job {
    crew *crew;
    unsigned slot;
    job_kind kind;
    printer out;
    bool named; /* lines and counts have the file's name */

    /* OPERAND */
    const char *path;
    int cause;   /* errno of opening it */
    bool opened; /* in the worker's file */

    /* MEMBERS */
    member members[BATCH_FILES];
    unsigned count;
    unsigned folders;        /* that are held, or fewer */
    const tree_folder *last; /* of them */
    char *names;
    size_t names_used, names_room;

    /* PIECE_OF_FILE */
    large *large;
    uint64_t piece, lines;
    uint64_t end;   /* of what was searched; 0: nothing was there */
    uint64_t found; /* lines selected in it */
    bool unfit;     /* it needs a history */
    line_result result;
    const char *why;                               /* it could not be read */
    char error[sizeof((trawl_error *)0)->message]; /* or searched */

    /* Results. */
    bool matched, failed;
    uint64_t bytes, selected;
} job;

typedef struct worker {
    trawl_context *context; /* of one thread */
    source file;
    line_search lines;
    uint8_t *buffer; /* of pieces */
    size_t room;
} worker;

/* The search and all that works for it. */
struct crew {
    search *search;
    ordered ordered;
    unsigned workers;
    unsigned folders; /* held by a job, at most */
    worker worker[MOST_WORKERS];
    line_search alone; /* with the search's context, at its turn */
    job jobs[SLOTS];

    /* Dealing. */
    char **paths;
    int count, next;
    tree *tree;
    large *large; /* being dealt */
    bool input_opened;

    struct stat output; /* of standard output */
    bool output_known, with_names;
    atomic_bool finished;
    pthread_mutex_t lock; /* of the lines that are counted */
    pthread_cond_t counted;
};

/* ---- results of a file -------------------------------------------------- */

static void file_failed(crew *c, job *j, const char *name, const char *why)
{
    printer_complain(&j->out, true, c->search->run->command, "%s: %s", name, why);
    j->failed = true;
}

/* Lines printed to a file that is being searched would be found in turn, without end. */
static bool is_output(const crew *c, const source *file)
{
    const line_style *style = c->search->style;
    return c->output_known && !style->silent && style->most > 1 && S_ISREG(c->output.st_mode) &&
           c->output.st_dev == file->facts.st_dev && c->output.st_ino == file->facts.st_ino;
}

static bool has_name(const crew *c, bool several)
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
        char number[22] = ":";
        char *end = put_decimal(number + 1, selected);
        *end++ = '\n';
        if (j->named)
            printer_put(&j->out, name, strlen(name));
        printer_put(&j->out, number + !j->named, (size_t)(end - number) - !j->named);
    }
    if (s->list && selected) {
        printer_put(&j->out, name, strlen(name));
        printer_put(&j->out, "\n", 1);
    }
}

static void count_selected(job *j, uint64_t selected)
{
    j->matched |= selected > 0;
    j->selected += selected;
}

/* A file was searched with this result. */
static void file_ended(crew *c, job *j, const char *name, line_result result, const char *why,
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
    count_selected(j, lines->selected);
    file_ended(c, j, name, result, result == LINES_READ_FAILED ? w->file.why : lines->error.message,
               lines->selected, lines->binary_matched);
}

static void search_members(crew *c, job *j, worker *w)
{
    for (unsigned i = 0; i < j->count; i++) {
        const member *m = &j->members[i];
        const char *path = j->names + m->path;
        if (!go_on(c, j))
            ; /* folders are released all the same */
        else if (m->cause)
            file_failed(c, j, path, strerror(m->cause));
        else if (source_open_below(&w->file, tree_descriptor(m->folder), j->names + m->name))
            search_file(c, j, w, path);
        else
            file_failed(c, j, path, strerror(errno));
        tree_release(m->folder);
    }
}

static void warn_of(crew *c, job *j, const char *path, source *file)
{
    const uint8_t *head;
    size_t length;
    const char *command = c->search->run->command;
    if (strcmp(path, "-") == 0 || !source_peek(file, &head, &length))
        return;
    const char *kind = compressed_kind(head, length);
    if (kind)
        printer_complain(&j->out, false, command, COMPRESSED_WARNING, path, kind,
                         compressed_remedy(kind), " ", path, command);
}

static void search_operand(crew *c, job *j, worker *w)
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
    if (folder) /* GNU grep -c has a count for it */
        print_result(c, j, name, 0, false);
}

/* ---- pieces of a large file ------------------------------------------------ */

static void leave_large(large *l)
{
    if (l && atomic_fetch_sub(&l->users, 1) == 1) {
        source_close(&l->file);
        free(l);
    }
}

static bool piece_room(worker *w, size_t room)
{
    if (room <= w->room)
        return true;
    uint8_t *grown = realloc(w->buffer, room);
    if (grown) {
        w->buffer = grown;
        w->room = room;
    }
    return grown;
}

/* Read on behind w->buffer[0 .. length), which is the file's [from ..), to the end of the line
 * there. Returns the end of the lines in the buffer; 0: they cannot be had so. */
static size_t read_tail(const large *l, worker *w, uint64_t from, size_t length, size_t known)
{
    const uint64_t size = l->file.length;
    for (size_t wanted = SLACK;; wanted *= 2) {
        const uint8_t *newline =
            known > length ? memchr(w->buffer + length, '\n', known - length) : NULL;
        if (newline)
            return (size_t)(newline - w->buffer) + 1;
        if (from + known == size)
            return known;
        const uint64_t left = size - from - known;
        const size_t more = left < wanted ? (size_t)left : wanted;
        if (known > LARGEST_TAIL || !piece_room(w, known + more) ||
            !source_piece(&l->file, from + known, w->buffer + known, more))
            return 0;
        length = known;
        known += more;
    }
}

/* Read the lines of a piece, which begin at the offset *at. False: they cannot be had so. */
static bool read_piece(const job *j, worker *w, uint64_t *at, uint8_t **text, size_t *length)
{
    const large *l = j->large;
    const uint64_t low = j->piece * PIECE, size = l->file.length;
    const uint64_t high = size - low > PIECE ? low + PIECE : size;
    const uint64_t from = low ? low - 1 : 0; /* the byte there may be the newline before it */
    const size_t own = (size_t)(high - from);
    const size_t known = size - high > SLACK ? own + SLACK : (size_t)(size - from);
    size_t begin = 0, end = own;
    *at = low;
    *text = NULL;
    *length = 0;
    if (!piece_room(w, 1 + PIECE + SLACK) || !source_piece(&l->file, from, w->buffer, known))
        return false;
    if (low) {
        const uint8_t *newline = memchr(w->buffer, '\n', own - 1);
        if (!newline)
            return true; /* no line begins here */
        begin = (size_t)(newline - w->buffer) + 1;
    }
    if (w->buffer[own - 1] != '\n')
        end = read_tail(l, w, from, own, known);
    *at = from + begin;
    *text = w->buffer + begin;
    *length = end > begin ? end - begin : 0;
    return end;
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

static void search_piece(crew *c, job *j, worker *w)
{
    const line_style *style = c->search->style;
    line_search *lines = &w->lines;
    large *l = j->large;
    uint8_t *text = NULL;
    size_t length = 0;
    uint64_t at = 0, before = 0;
    const bool wanted = !atomic_load(&l->ended);
    j->unfit = !lines->context || !wanted || !read_piece(j, w, &at, &text, &length) ||
               (length && !style->text && memchr(text, '\0', length));
    if (style->number) { /* in any case: others wait for it */
        j->lines = j->unfit ? 0 : lines_count(text, length);
        before = count_before(c, l, j->piece, j->lines);
    }
    if (j->unfit || !length)
        return;
    lines->out = &j->out;
    j->result = lines_piece(lines, text, length, j->named ? l->name : NULL, at, before);
    j->found = lines->selected;
    j->end = lines->bytes;
    if (j->result == LINES_READ_FAILED)
        j->why = strerror(ENOMEM);
    else if (j->result == LINES_SCAN_FAILED)
        snprintf(j->error, sizeof j->error, "%s", lines->error.message);
}

/* ---- taking results ---------------------------------------------------------- */

/* A piece that needs a history: it, and all behind it. */
static line_result search_rest(crew *c, job *j)
{
    large *l = j->large;
    line_search *lines = &c->alone;
    lines->out = &j->out;
    lines->selected = l->selected;
    lines->bytes = l->bytes;
    lines->binary_matched = false;
    const line_result result = source_place(&l->file, l->bytes)
                                   ? lines_resume(lines, &l->file, j->named ? l->name : NULL,
                                                  l->bytes, l->selected, l->lines)
                                   : LINES_READ_FAILED;
    j->why = result == LINES_READ_FAILED ? l->file.why : lines->error.message;
    l->selected = lines->selected;
    l->bytes = lines->bytes;
    return result;
}

/* Each piece is counted when it is taken: when writing it fails, no other one is. */
static void take_piece(crew *c, job *j)
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
        s->write_error = j->out.failed;
        if (j->out.failed || (s->quiet && s->matched))
            atomic_store(&c->finished, true);
    }
    if (j->kind == PIECE_OF_FILE)
        leave_large(j->large);
    return !atomic_load(&c->finished);
}

/* ---- dealing ------------------------------------------------------------------- */

/* Put the name of a file below a folder into the job. False: no memory. */
static bool add_member(job *j, const tree_file *file)
{
    const size_t length = strlen(file->path), wanted = j->names_used + length + 1;
    if (wanted > j->names_room) {
        char *grown = realloc(j->names, 2 * wanted);
        if (!grown)
            return false;
        j->names = grown;
        j->names_room = 2 * wanted;
    }
    memcpy(j->names + j->names_used, file->path, length + 1);
    const size_t name = file->name ? length - strlen(file->name) : 0;
    j->members[j->count++] =
        (member){ file->folder, j->names_used, j->names_used + name, file->cause };
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

static void deal_piece(crew *c, job *j)
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

/* Whether the operand that was opened is cut; then its first piece is dealt. */
static bool cut_file(crew *c, job *j, worker *w)
{
    source *file = &w->file;
    if (c->workers == 1 || !S_ISREG(file->facts.st_mode) || !file->mappable ||
        file->length < (uint64_t)LEAST_PIECES * PIECE || c->search->style->most != UINT64_MAX ||
        is_output(c, file))
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

/* False: it is a folder to be walked. */
static bool deal_operand(crew *c, job *j, worker *w, char *path)
{
    search *s = c->search;
    const bool kept = s->sample.path && strcmp(s->sample.path, path) == 0;
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
        c->tree = tree_open(path, false);
        j->cause = ENOMEM;
        return !c->tree;
    }
    return true;
}

static bool wait_turn(void *waiter)
{
    const job *j = waiter;
    crew *c = j->crew;
    ordered_wait(&c->ordered, j->slot);
    return !atomic_load(&c->finished) &&
           !(j->kind == PIECE_OF_FILE && atomic_load(&j->large->ended));
}

static void begin_job(crew *c, job *j)
{
    printer_reset(&j->out);
    j->count = j->folders = 0;
    j->last = NULL;
    j->names_used = 0;
    j->cause = 0;
    j->opened = j->unfit = j->matched = j->failed = false;
    j->large = NULL;
    j->result = LINES_OK;
    j->why = NULL;
    j->lines = j->end = j->found = j->bytes = j->selected = 0;
    j->out.wait = wait_turn;
    j->out.waiter = j;
    j->crew = c;
}

static bool deal_job(void *user, unsigned number, unsigned slot)
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

/* ---- the crew ---------------------------------------------------------------- */

static void open_lines(const crew *c, line_search *lines, trawl_context *context)
{
    const bool alone =
        context != c->search->context || strcmp(trawl_context_backend(context), "serial") == 0;
    lines->largest = alone ? PIECE : 0; /* who shares it out, or sends it off, wants more */
    lines->style = c->search->style;
    lines->plan = c->search->plan;
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
    unsigned left = MOST_DESCRIPTORS;
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
    return threads < 1 ? 1 : threads < MOST_WORKERS ? threads : MOST_WORKERS;
}

static void free_crew(crew *c)
{
    for (unsigned i = 0; i < c->workers; i++) {
        worker *w = &c->worker[i];
        lines_free(&w->lines);
        source_close(&w->file);
        trawl_context_free(w->context);
        free(w->buffer);
    }
    for (unsigned i = 0; i < c->ordered.slots; i++) { /* the others were never touched */
        printer_free(&c->jobs[i].out);
        free(c->jobs[i].names);
    }
    lines_free(&c->alone);
    leave_large(c->large);
    tree_close(c->tree);
    pthread_cond_destroy(&c->counted);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void search_all(search *s, char **paths, int count)
{
    static char input[] = "-", here[] = ".";
    char *no_path[] = { input };
    if (s->style->most == 0)
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
        c->tree = tree_open(here, true);
    const bool ready = c->tree || count || !s->recursive;
    if (ready) {
        const ordered_calls calls = { deal_job, do_job, take_job, c };
        ordered_run(&c->ordered, &calls, c->workers);
    } else {
        complain(s->run->command, "%s: %s", here, strerror(ENOMEM));
        s->failed = true;
    }
    free_crew(c);
}
