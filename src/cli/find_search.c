/* find_search.c: see cli/find_search.h.
 *
 * Idea. A text is searched as one (formats/search/text.h); what has records is searched record by
 * record. Only places that count from the text's end, and patterns without a longest match under
 * --matched, or under a report that needs starts where no byte ends them (a.*b), need the whole
 * text of a pipe. Either way memory stays small, unless that byte is far.
 */
#include "cli/find_search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/find_ranks.h"
#include "cli/progress.h"
#include "formats/records/texts.h"

#define LARGE_TEXT (16u << 20) /* of several; below, a device does little but begin and end */

/* What cannot be printed ends the search. Only now errno says why. */
static void look_at_output(find_search *f)
{
    if (!f->cause && ferror(stdout))
        f->cause = errno;
    f->finished = f->finished || ferror(stdout);
}

void find_search_print(void *user, const char *bytes, size_t length)
{
    (void)user;
    fwrite(bytes, 1, length, stdout);
}

bool find_search_written(const find_search *f, bool worked)
{
    if (!worked)
        complain(f->run->command, "out of memory for what is printed");
    return worked;
}

static bool write_record(const find_search *f, const record *r)
{
    const writer_place place = { record_scan_name(f->records, r),
                                 f->records->kind->numbered ? r->number : 0, r->number };
    return find_search_written(f, writer_record(f->output, &place));
}

/* ---- matches -------------------------------------------------------------- */

/* Its bytes, where they are asked for and known, else NULL. False after a complaint. */
static bool find_bytes(find_search *f, const trawl_match *match, const uint8_t **bytes)
{
    *bytes = NULL;
    if (!f->output->matched || match->start == TRAWL_UNKNOWN)
        return true;
    *bytes = f->records ? record_scan_match(f->records, match) : text_scan_match(&f->texts, match);
    if (f->records && !*bytes)
        complain(f->run->command, "out of memory for the bytes of a match");
    return *bytes || !f->records;
}

static void take_match(find_search *f, const trawl_match *match)
{
    const uint8_t *bytes;
    if (!writer_wants(f->output, match->pattern))
        return;
    f->last_end = match->end;
    f->stats.matches++;
    if (f->quiet)
        f->finished = true;
    else if (f->output->count)
        f->counts[match->pattern]++;
    else if (!find_bytes(f, match, &bytes) ||
             !find_search_written(f, writer_match(f->output, match, bytes)))
        f->failed = f->finished = true;
}

static int take_matches(const trawl_match *matches, size_t count, find_search *f)
{
    for (size_t i = 0; i < count && !f->finished; i++) {
        const record *r = f->records ? record_scan_of(f->records, &matches[i]) : NULL;
        if (r && !write_record(f, r)) {
            f->failed = f->finished = true;
            return 1;
        }
        if (source_lost(&f->file, matches[i].end))
            return 1;
        take_match(f, &matches[i]);
        if (f->most && f->stats.matches == f->most)
            return 1;
    }
    return f->finished;
}

int find_search_take(const trawl_match *matches, size_t count, void *user)
{
    find_search *f = (find_search *)user;
    progress_hold(true);
    const int ended = take_matches(matches, count, f);
    writer_flush(f->output);
    look_at_output(f);
    progress_release(true);
    return ended || f->finished;
}

int find_search_count(const trawl_match *matches, size_t count, void *user)
{
    find_search *f = (find_search *)user;
    for (size_t i = 0; i < count; i++)
        f->counts[matches[i].pattern]++;
    f->stats.matches += count;
    return 0;
}

static void out_of_verdicts(find_search *f)
{
    complain(f->run->command, "out of memory for verdicts");
    f->failed = f->finished = true;
}

/* As many verdicts were found as are asked for. */
static bool is_enough(const find_search *f)
{
    const uint64_t most = f->quiet ? 1 : f->most;
    return most && f->stats.matches >= most;
}

static int judge_matches(const trawl_match *matches, size_t count, void *user)
{
    find_search *f = (find_search *)user;
    if (!verdicts_take(f->verdicts, matches, count))
        out_of_verdicts(f);
    return f->finished;
}

/* Print the rules that hold, or count them. */
static void print_held(find_search *f, const record *r, const verdicts_held *held)
{
    bool fine = f->quiet || !held->count || write_record(f, r);
    for (size_t i = 0; fine && i < held->count && !is_enough(f); i++) {
        fine = f->quiet || find_search_written(f, writer_verdict(f->output, held->rules[i]));
        f->stats.matches += fine;
    }
    f->failed |= !fine;
    f->finished |= !fine || ferror(stdout) || is_enough(f);
}

static int judge_record(void *user, const record *r, uint64_t length)
{
    find_search *f = (find_search *)user;
    const verdicts_record ended = { record_scan_bytes(f->records, r), length,
                                    record_scan_flow(f->records, r) };
    verdicts_held held;
    const verdicts_status status = verdicts_judge(f->verdicts, &ended, &held);
    progress_hold(true);
    print_held(f, r, &held);
    if (status == VERDICTS_NO_MEMORY)
        out_of_verdicts(f);
    if (status == VERDICTS_TOO_MANY) {
        fflush(stdout);
        complain(f->run->command,
                 "record %" PRIu64 ": contents occur at more than %zu places: it has no verdicts",
                 r->number, VERDICTS_PLACES);
        f->failed = true;
    }
    progress_release(true);
    return f->finished;
}

/* Records that come in pieces are searched for all patterns of rules. */
static const trawl_plan *plan_of_pieces(void *user)
{
    find_search *f = (find_search *)user;
    if (!f->plan_of_pieces) {
        verdicts_choose(f->verdicts, true);
        f->plan_of_pieces = pattern_set_compile(f->patterns, f->run, f->context, NULL, 0);
        verdicts_choose(f->verdicts, false);
    }
    return f->plan_of_pieces;
}

/* ---- scanning: false after a complaint ---------------------------------- */

static bool file_failed(find_search *f, const char *path, const char *why)
{
    fflush(stdout); /* the matches found before come first */
    complain(f->run->command, "%s: %s", shown_name(path), why);
    f->failed = true;
    return false;
}

static bool scan_source(find_search *f, source *file, const char *path)
{
    text_scan *t = &f->texts;
    t->options.max_matches = f->most && !f->output->only_ids ? f->most - f->stats.matches : 0;
    const bool fine = text_scan_source(t, file);
    f->stats.matches += t->counted;
    return fine || file_failed(f, path, t->why);
}

static void note_scan(void *user, const trawl_context *context, size_t length)
{
    (void)user;
    progress_scans(context, length, length);
}

static void device_failed(void *user, const trawl_context *device, const char *why)
{
    find_search *f = user;
    fflush(stdout);
    complain(f->run->command, "warning: the CPU goes on without %s, which failed: %s",
             trawl_context_backend(device), why);
}

/* Whether all of a mapped file was there to the end of the scan. */
static bool is_sound(find_search *f, source *file, const char *path)
{
    return !file->map || source_sound(file) == file->length || file_failed(f, path, file->why);
}

static void warn_of(const find_search *f, const char *path, const char *doubt, const char *done)
{
    fflush(stdout); /* the matches found before come first */
    complain(f->run->command, "warning: %s: %s: %s", shown_name(path), doubt, done);
}

/* The lines of what begins at that byte of its file. */
static void tell_doubt(const find_search *f, const char *path, const content_doubt *doubt,
                       uint64_t begin)
{
    char text[CONTENT_DOUBT_TEXT + 60];
    content_doubt_text(doubt, text);
    if (begin)
        snprintf(text + strlen(text), 60, ", lines counted from byte %" PRIu64, begin);
    warn_of(f, path, text,
            doubt->letters ? "it is taken for a part of its sequence" : "it is read as one");
}

static void note_searched(void *user, uint64_t bytes)
{
    ((find_search *)user)->stats.bytes += bytes;
    progress_read(bytes);
}

/* `begin`: where in its file the text begins. */
static bool scan_records(find_search *f, source *file, const char *path, const reader_kind *kind,
                         uint64_t begin)
{
    record_scan r = { .context = f->context,
                      .plan = f->plan,
                      .options = TRAWL_SCAN_OPTIONS_INIT,
                      .whole = f->texts.whole || f->output->matched,
                      .circular = f->circular,
                      .take = find_search_take,
                      .searched = note_searched,
                      .user = f };
    r.options.report = f->report;
    if (f->verdicts) {
        r.take = judge_matches;
        r.ended = judge_record;
        r.plan_of_pieces = plan_of_pieces;
    }
    f->records = &r;
    const int status = record_scan_text(&r, kind, file);
    f->records = NULL;
    if (f->format == FORMAT_AUTO && r.doubt.why)
        tell_doubt(f, path, &r.doubt, begin);
    return status >= 0 || file_failed(f, path, r.why);
}

/* What --format says of a text, or its first bytes; NULL: it has no records. */
static const reader_kind *choose_reader(const find_search *f, content kind)
{
    static const reader_kind *const readers[FORMAT_RAW + 1] = {
        [FORMAT_FASTA] = &reader_fasta,     [FORMAT_FASTQ] = &reader_fastq,
        [FORMAT_PCAP] = &reader_capture,    [FORMAT_SAM] = &reader_alignments,
        [FORMAT_GENBANK] = &reader_entries, [FORMAT_LINES] = &reader_lines,
    };
    return f->format == FORMAT_AUTO ? reader_of(kind) : readers[f->format];
}

content find_search_content(const find_search *f, content kind, const uint8_t *head, size_t length)
{
    const bool open = f->format == FORMAT_AUTO && kind == CONTENT_TEXT && f->sequences;
    return open && content_doubts(head, length).begins ? CONTENT_FASTA : kind;
}

void find_search_doubt(const find_search *f, const char *name, content kind, const uint8_t *head,
                       size_t length)
{
    content_doubt doubt = { .why = NULL };
    char text[CONTENT_DOUBT_TEXT];
    if (f->format == FORMAT_AUTO && kind == CONTENT_TEXT && !f->sequences)
        doubt = content_doubts(head, length);
    if (!doubt.why)
        return;
    content_doubt_text(&doubt, text);
    warn_of(f, name, text,
            "it is searched as a text, though it begins as FASTA does; --format fasta joins its "
            "lines to sequences, --format text is without this warning");
}

bool find_search_begin(find_search *f, const char *name)
{
    if (f->output->count)
        memset(f->counts, 0, f->patterns->count * sizeof *f->counts);
    const bool fine = find_search_written(f, writer_file(f->output, name));
    f->failed = f->failed || !fine;
    f->finished = f->finished || !fine;
    return fine;
}

void find_search_sequences(find_search *f, const char *name, uint64_t begin)
{
    f->failed |= !scan_records(f, &f->file, name, &reader_fasta, begin);
}

/* The text of a file, or one of those in it. */
static bool take_text(find_search *f, const char *name, source *file, content kind)
{
    const uint8_t *head;
    size_t length;
    if (f->format == FORMAT_AUTO && source_peek(file, &head, &length)) {
        find_search_doubt(f, name, kind, head, length);
        kind = find_search_content(f, kind, head, length);
    }
    const reader_kind *reader = choose_reader(f, kind);
    if (!reader && (f->circular || f->verdicts ||
                    (file->layer && !source_waits(file) && !f->texts.whole && !f->output->matched)))
        reader = &reader_text; /* a circle, a rule's payload; or unpacked while it is searched */
    if (!find_search_begin(f, name))
        return false;
    const bool searched =
        reader ? scan_records(f, file, name, reader, 0) : scan_source(f, file, name);
    progress_hold(true);
    if (searched && is_sound(f, file, name) && f->output->count &&
        !find_search_written(f, writer_counts(f->output, f->counts)))
        f->failed = f->finished = true;
    look_at_output(f);
    progress_release(true);
    f->finished = f->finished || (f->most && f->stats.matches >= f->most);
    return !f->finished;
}

/* Every text of f->file, until no more is wanted. */
static void take_texts(find_search *f, const char *file)
{
    const unpack_options options = { f->ratio, trawl_context_threads(f->context), RATIO_TOO_MUCH };
    texts *inside = texts_open(&f->file, file, &options);
    const char *name, *why;
    source *text;
    content kind;
    if (!inside)
        file_failed(f, file, strerror(ENOMEM));
    for (int got = 1; inside && got;) {
        got = texts_next(inside, &name, &text, &kind, &why);
        if (got < 0)
            file_failed(f, name, why);
        else if (got && !take_text(f, name, text, kind))
            break;
    }
    texts_close(inside);
}

static bool is_file(const struct stat *facts, const source *file)
{
    return facts->st_nlink && S_ISREG(facts->st_mode) && facts->st_dev == file->facts.st_dev &&
           facts->st_ino == file->facts.st_ino;
}

/* Search f->file, which is open, unless it is what is printed to: what is found in it would be
 * searched for in turn, and what is to be replaced would be lost. */
static void search_open_file(find_search *f, const char *name)
{
    source *file = &f->file;
    if (is_file(&f->printed_to, file) || is_file(&f->replaced, file)) {
        file_failed(f, name, "the input file is also the output: write elsewhere");
        f->finished |= is_file(&f->replaced, file);
        source_close(file);
        return;
    }
    f->last_end = 0;
    progress_file(file->fd);
    if (f->format == FORMAT_RAW)
        take_text(f, name, file, CONTENT_TEXT);
    else
        take_texts(f, name);
    const bool limited = f->most && f->stats.matches >= f->most;
    if (file->map)
        source_leave(file, limited || f->quiet ? f->last_end : file->length);
    progress_file(-1);
    source_close(file);
    if (limited) {
        limit_reached(f->run->command, f->most);
        f->finished = true;
    }
    look_at_output(f);
}

/* ---- folders --------------------------------------------------------------- */

static void search_member(find_search *f, const tree_file *member)
{
    if (member->cause)
        file_failed(f, member->path, strerror(member->cause));
    else if (!source_open_below(&f->file, tree_descriptor(member->folder), member->name))
        file_failed(f, member->path, strerror(errno));
    else if (f->makes_file && is_file(&f->printed_to, &f->file))
        source_close(&f->file); /* what is printed, which has no name of its own yet */
    else
        search_open_file(f, member->path);
}

static void search_folder(find_search *f, const char *folder)
{
    static const tree_filter all = { .follow = false };
    tree *t = tree_open(folder, f->bare, &all);
    tree_file member;
    if (!t)
        file_failed(f, folder, strerror(ENOMEM));
    while (t && !f->finished && tree_next(t, &member))
        search_member(f, &member);
    tree_close(t);
}

void find_search_path(find_search *f, const char *path)
{
    const char *name = shown_name(path);
    if (sample_open(&f->sample, &f->file, path))
        search_open_file(f, name);
    else if (errno == EISDIR && f->recursive && name == path)
        search_folder(f, path);
    else
        file_failed(f, path,
                    errno == EISDIR ? "Is a directory; -r searches what is in it"
                                    : strerror(errno));
}

/* ---- all files ------------------------------------------------------------- */

/* ---- a GPU instead of the CPU ------------------------------------------------ */

static trawl_plan *compile_again(void *user, const trawl_context *context)
{
    const find_search *f = (const find_search *)user;
    return pattern_set_compile(f->patterns, f->run, context, f->sample.bytes, f->sample.length);
}

static int ignore_matches(const trawl_match *matches, size_t count, void *user)
{
    (void)matches;
    (void)count;
    (void)user;
    return 0;
}

/* As the files will be: what is counted, or reported, has kernels of its own. */
static int try_sample(void *user, const searcher *by, trawl_error *error)
{
    find_search *f = (find_search *)user;
    return text_scan_by(&f->texts, by, f->sample.bytes, f->sample.length, ignore_matches, error);
}

static void explain_backend(void *user, const trawl_context *context, const char *why)
{
    const run_options *o = ((find_search *)user)->run;
    if (o->explain)
        complain(o->command, "backend %s (%s)", trawl_context_backend(context), why);
}

static void warn_of_device(void *user, const char *backend, const char *why)
{
    complain(((find_search *)user)->run->command,
             "warning: %s would be quicker, but cannot be used: %s", backend,
             why ? why : "see above");
}

/* Who says how the CPU is to search means the CPU. */
static bool backend_is_open(const run_options *o)
{
    const trawl_context_options *c = &o->context;
    return (!c->backend || strcmp(c->backend, "auto") == 0) && !c->threads && !c->chunks &&
           !c->schedule && !c->isa;
}

/* Devices are for large texts that are searched to their end, each as one; what opening them costs
 * is shared by all. */
static searcher choose_device(find_search *f, char **paths, int count)
{
    const bool raw =
        f->format == FORMAT_RAW || f->format == FORMAT_TEXT || f->format == FORMAT_AUTO;
    const bool texts = raw && !f->cluster && !f->recursive && !f->circular && !f->verdicts &&
                       !f->quiet && !f->most && sample_is_text(&f->sample);
    const device_choice choice = {
        .length = texts ? operand_bytes(paths, (size_t)count, f->texts.least) : 0,
        .user = f,
        .compile = compile_again,
        .try = try_sample,
        .explain = explain_backend,
        .warn = warn_of_device
    };
    const searcher cpu = { f->context, f->plan };
    return backend_is_open(f->run) ? device_choose(&choice, &cpu) : (searcher){ NULL, NULL };
}

/* Complains of the first pattern that no circle can be searched for. */
static bool circles_fit(const find_search *f)
{
    const pattern_set *set = f->patterns;
    char message[200];
    size_t at;
    const char *why = circle_misfit(f->plan, set->patterns, set->count, &at);
    snprintf(message, sizeof message, "--circular: %s", why ? why : "");
    if (why && at < set->count)
        pattern_set_complain(set, f->run->command, at, message);
    else if (why)
        complain(f->run->command, "%s", message);
    return !why;
}

bool find_search_open(find_search *f, char **paths, int count)
{
    pattern_set *patterns = f->patterns;
    trawl_plan_info info = { .size = sizeof info };
    f->context = f->cluster ? find_ranks_context(f->cluster, f->run) : open_context(f->run);
    if (!f->context)
        return false;
    f->sample.inside = f->format != FORMAT_RAW;
    if (f->cluster)
        find_ranks_same(f->cluster, f->run->command, patterns);
    const bool own = !f->cluster || f->cluster->rank == 0;
    if (own)
        f->plan = sample_compile(&f->sample, patterns, f->run, f->context, paths, count);
    if (own && f->plan && f->circular && !circles_fit(f))
        return false;
    if (f->cluster)
        f->plan = find_ranks_plan(f->cluster, f->run->command, f->plan);
    if (!f->plan)
        return false;
    f->counts = calloc(patterns->count, sizeof *f->counts);
    if (!f->counts) {
        complain(f->run->command, "out of memory for %zu pattern%s", patterns->count,
                 plural(patterns->count));
        return false;
    }
    trawl_plan_get_info(f->plan, &info);
    f->texts = (text_scan){ .context = f->context,
                            .plan = f->plan,
                            .least = count > 1 ? LARGE_TEXT : 0,
                            .options = TRAWL_SCAN_OPTIONS_INIT,
                            .counts = f->output->count ? f->counts : NULL,
                            .patterns = patterns->count,
                            .take = find_search_take,
                            .user = f,
                            .searched = note_searched,
                            .scans = note_scan,
                            .failed = device_failed };
    f->texts.options.report = f->report;
    if (f->output
            ->matched) /* a report may hold a match back until twice the longest has followed */
        f->texts.keep = 3 * (size_t)info.max_length + 2;
    f->texts.whole =
        (info.max_length == UINT64_MAX && f->output->matched) || text_scan_wants_whole(&f->texts);
    f->texts.device = choose_device(f, paths, count);
    for (size_t i = 0; i < patterns->count; i++)
        f->sequences |= patterns->patterns[i].syntax == TRAWL_SYNTAX_IUPAC ||
                        patterns->patterns[i].syntax == TRAWL_SYNTAX_PROSITE;
    return true;
}

int find_search_files(find_search *f, char **paths, int count)
{
    char standard_input[] = "-";
    stats_begin(&f->stats, f->run);
    if (!f->quiet && !find_search_written(f, writer_header(f->output)))
        f->failed = f->finished = true;
    if ((f->quiet && !f->makes_file) || fstat(STDOUT_FILENO, &f->printed_to) != 0)
        f->printed_to.st_nlink = 0;
    progress_begin(progress_total(paths, (size_t)count));
    if (count == 0)
        find_search_path(f, standard_input);
    for (int i = 0; i < count && !f->finished; i++)
        find_search_path(f, paths[i]);
    progress_end();
    const bool found = f->stats.matches > 0;
    int status = f->failed && !(f->quiet && found) ? EXIT_ERROR : found ? EXIT_MATCH : EXIT_NONE;
    status = finish_output(f->run->command, status);
    stats_print(&f->stats, f->run, f->texts.device.plan ? f->texts.device.plan : f->plan,
                f->texts.device.context ? f->texts.device.context : f->context);
    return status;
}

bool find_search_whole(const find_search *f)
{
    const bool limited = f->most && f->stats.matches >= f->most;
    const bool ended = f->failed && f->finished && !limited && !f->quiet;
    return !ferror(stdout) && !ended && !(f->failed && f->stats.bytes == 0);
}

void find_search_close(find_search *f)
{
    free(f->counts);
    source_close(&f->file);
    sample_close(&f->sample);
    trawl_plan_free(f->plan);
    trawl_plan_free(f->plan_of_pieces);
    if (f->texts.device.context && trawl_context_warning(f->texts.device.context))
        complain(f->run->command, "warning: %s", trawl_context_warning(f->texts.device.context));
    searcher_close(&f->texts.device);
    close_context(f->run, f->context);
}
