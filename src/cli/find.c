/* find.c: `trawl find`, which prints where patterns occur, by byte offset.
 *
 * Idea. A file is mapped and scanned whole; a pipe, or what a compressed file holds, goes through a
 * stream as it comes; what has records is searched record by record. Only a report that needs
 * starts, of patterns without a longest match, needs the whole text of a pipe: then it is spooled
 * to a file without a name first. Either way memory stays small.
 *
 * Cost: the scan, and about 30 ns a printed match.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records.h"
#include "cli/sample.h"
#include "io/texts.h"

#define PIECE (1u << 20) /* bytes read of a pipe at once */

typedef struct find {
    run_options run;
    pattern_set patterns;
    uint32_t syntax, flags;
    uint32_t report;
    bool json, count;
    uint32_t strand; /* an index of strand_names */
    bool stranded;   /* --strand was given: it is a column */
    uint64_t most;   /* --max-matches; 0: no limit */
    uint32_t format; /* an index of format_names */
    uint64_t ratio;  /* --max-ratio; 0: no limit */

    sample sample;
    source file;       /* the present one */
    uint64_t last_end; /* of its matches so far */
    trawl_plan *plan;
    trawl_context *context;
    bool unbounded;   /* some pattern has no longest match */
    bool named;       /* some pattern has a name */
    char **labels;    /* of each pattern, made when it is first printed */
    uint64_t *counts; /* --count: of each pattern in the present file */

    char *shown;  /* the present file's name, as a field of TSV or a member of JSON */
    char *prefix; /* what opens each line of it, or of its present record */
    size_t prefix_length;
    record_scan *records; /* while records are searched */
    uint64_t record;      /* number of the record in the prefix */
    bool failed, finished;
    run_stats stats;
} find;

/* ---- help and options -------------------------------------------------- */

static const char help_text[] =
    "Usage: trawl find [OPTION...] PATTERN [FILE...]\n"
    "       trawl find [OPTION...] -e PATTERN [-e PATTERN...] [-f LIST] [FILE...]\n"
    "Print all occurrences of all patterns, overlapping ones too, by byte offset. FILE - is\n"
    "standard input, which is also read when there is no FILE.\n"
    "\n"
    "Patterns:\n"
    "  -e, --regexp PATTERN     a pattern; may be given many times\n"
    "  -f, --file LIST          the lines of LIST are patterns\n"
    "  -F, --fixed-strings      literals with C escapes: \\xHH \\0 \\n \\t \\\\ ...\n"
    "      --rules FILE         the contents of Snort's or Suricata's rules; their numbers are "
    "sids\n"
    "      --syntax NAME        extended (default: classes and repeats), escaped (as -F), or\n"
    "                           literal (the bytes as they are, a backslash too)\n"
    "      --iupac              nucleotides, as GTYRAC or GGCCN{5}GGCC\n"
    "      --ambiguous          ... in a text, N, R and the like stand for any of their bases\n"
    "      --strand WHICH       ... plus (default), minus (the reverse complement), both; the\n"
    "                           offsets are those of the plus strand\n"
    "      --prosite            motifs of amino acids, as C-x(2,4)-C-[LIVM]>; LIST may be a\n"
    "                           PROSITE file (.dat)\n"
    "      --hex                bytes as in YARA's and ClamAV's signatures, 4D5A??[4-6](50|4?);\n"
    "                           LIST may be a ClamAV file (.ndb; its offsets are left out)\n"
    "  -i, --ignore-case        the letters A to Z match both cases\n"
    "\n"
    "Files, recognised by their first bytes: what gzip, bzip2, xz, zstd and lz4 files are\n"
    "compressed from, the members of tar and zip files (FILE:MEMBER), sequences of FASTA and\n"
    "FASTQ (lines joined), payloads of packets in pcap and pcapng files.\n"
    "      --format NAME        take them for fasta, fastq, pcap, lines (each a record), text (no\n"
    "                           records) or raw (the bytes as they stand) instead of auto\n"
    "      --max-ratio N        let a byte unpack to N at most (250; 0: any number)\n"
    "\n"
    "Output:\n"
    "      --report MODE        which matches of patterns of variable length:\n"
    "                           ends (default: every end once; start is - where unknown),\n"
    "                           pairs (every start and end), longest, shortest (a start),\n"
    "                           leftmost-longest, leftmost-first (no overlaps)\n"
    "      --json               JSON, one object a line, instead of TSV\n"
    "      --count              a line for each file and pattern with the number of matches\n"
    "      --max-matches N      stop after N matches in all, and say so\n"
    "\n"
    "The columns are file, record (a sequence's name, a packet's number and flow, a line's "
    "number,\n"
    "else 1), pattern (its number, from 1), start and end: the match is bytes start to end - 1 of\n"
    "the record, from 0.\n"
    "\n" TEXT_RUN_OPTIONS_HELP "\n"
    "Exit status: 0 something was found, 1 nothing was, 2 an error.\n"
    "\n"
    "Examples:\n"
    "  trawl find -F -e '\\x7fELF' -e 'PK\\x03\\x04' disk.img     signatures\n"
    "  trawl find --count -F -f words.txt book.txt             how often each word occurs\n"
    "  trawl find --report leftmost-longest '\\d+' log.txt      each whole number\n"
    "  trawl find --json -i -e GAATTC -e 'CC[AT]GG' reads.txt  restriction sites, as JSON\n"
    "  trawl find -e 'key=[0-9a-f]{64}' dumps.tar.gz           in each member, decompressed\n";

static const char short_options[] = "e:f:Fi";

enum {
    OPT_SYNTAX = OPT_OWN,
    OPT_RULES,
    OPT_IUPAC,
    OPT_AMBIGUOUS,
    OPT_STRAND,
    OPT_PROSITE,
    OPT_HEX,
    OPT_REPORT,
    OPT_JSON,
    OPT_COUNT,
    OPT_MAX_MATCHES,
    OPT_FORMAT,
    OPT_RATIO
};

static const struct option long_options[] = {
    { "regexp", required_argument, NULL, 'e' },
    { "file", required_argument, NULL, 'f' },
    { "fixed-strings", no_argument, NULL, 'F' },
    { "ignore-case", no_argument, NULL, 'i' },
    { "syntax", required_argument, NULL, OPT_SYNTAX },
    { "rules", required_argument, NULL, OPT_RULES },
    { "iupac", no_argument, NULL, OPT_IUPAC },
    { "ambiguous", no_argument, NULL, OPT_AMBIGUOUS },
    { "strand", required_argument, NULL, OPT_STRAND },
    { "prosite", no_argument, NULL, OPT_PROSITE },
    { "hex", no_argument, NULL, OPT_HEX },
    { "report", required_argument, NULL, OPT_REPORT },
    { "json", no_argument, NULL, OPT_JSON },
    { "count", no_argument, NULL, OPT_COUNT },
    { "max-matches", required_argument, NULL, OPT_MAX_MATCHES },
    { "format", required_argument, NULL, OPT_FORMAT },
    { "max-ratio", required_argument, NULL, OPT_RATIO },
    TEXT_RUN_LONG_OPTIONS,
    { NULL, 0, NULL, 0 },
};

/* By their number in trawl_syntax and trawl_report. */
static const char *const syntax_names[] = { "literal", "escaped", "extended", "prosite",
                                            "iupac",   "hex",     NULL };
static const char *const report_names[] = {
    "ends", "pairs", "longest", "shortest", "leftmost-longest", "leftmost-first", NULL
};

enum {
    FORMAT_AUTO,
    FORMAT_FASTA,
    FORMAT_FASTQ,
    FORMAT_PCAP,
    FORMAT_LINES,
    FORMAT_TEXT,
    FORMAT_RAW
};
static const char *const format_names[] = { "auto",  "fasta", "fastq", "pcap",
                                            "lines", "text",  "raw",   NULL };

enum { STRAND_PLUS, STRAND_MINUS, STRAND_BOTH };
static const char *const strand_names[] = { "plus", "minus", "both", NULL };

static bool choice_option(const find *f, const char *option, const char *const *names,
                          const char *value, uint32_t *choice)
{
    for (uint32_t i = 0; names[i]; i++) {
        if (strcmp(names[i], value) == 0) {
            *choice = i;
            return true;
        }
    }
    fprintf(stderr, "trawl %s: %s: '%s' is none of", f->run.command, option, value);
    for (size_t i = 0; names[i]; i++)
        fprintf(stderr, " %s", names[i]);
    fputc('\n', stderr);
    return false;
}

static bool read_option(void *user, int option, const char *value)
{
    find *f = (find *)user;
    switch (option) {
    case 'e':
        return pattern_set_add(&f->patterns, f->run.command, value, strlen(value));
    case 'f':
        return pattern_set_add_file(&f->patterns, f->run.command, value);
    case 'F':
        f->syntax = TRAWL_SYNTAX_ESCAPED;
        return true;
    case 'i':
        f->flags |= TRAWL_NOCASE;
        return true;
    case OPT_RULES:
        return pattern_set_add_rules(&f->patterns, f->run.command, value);
    case OPT_IUPAC:
        f->syntax = TRAWL_SYNTAX_IUPAC;
        return true;
    case OPT_AMBIGUOUS:
        f->flags |= TRAWL_AMBIGUOUS;
        return true;
    case OPT_STRAND:
        f->stranded = true;
        return choice_option(f, "--strand", strand_names, value, &f->strand);
    case OPT_HEX:
        f->syntax = TRAWL_SYNTAX_HEX;
        return true;
    case OPT_PROSITE:
        f->syntax = TRAWL_SYNTAX_PROSITE;
        return true;
    case OPT_SYNTAX:
        return choice_option(f, "--syntax", syntax_names, value, &f->syntax);
    case OPT_REPORT:
        return choice_option(f, "--report", report_names, value, &f->report);
    case OPT_JSON:
        return f->json = json_available(f->run.command);
    case OPT_COUNT:
        return f->count = true;
    case OPT_MAX_MATCHES:
        return limit_option(f->run.command, value, &f->most);
    case OPT_FORMAT:
        return choice_option(f, "--format", format_names, value, &f->format);
    case OPT_RATIO:
        return parse_number(f->run.command, "--max-ratio", value, UINT64_MAX, &f->ratio);
    default:
        return run_option(&f->run, option, value);
    }
}

/* ---- output ------------------------------------------------------------ */

static char *put_text(char *at, const char *text)
{
    const size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

static char *json_label(const find *f, const trawl_pattern *p, const char *strand)
{
    char *name = p->name ? json_member("name", p->name, strlen(p->name))
                         : json_member("name", p->text, p->length);
    char *made = name && f->stranded ? format_text("%s,\"strand\":\"%s\"", name, strand) : name;
    if (made != name)
        free(name);
    return made;
}

static char *tsv_label(const find *f, const trawl_pattern *p, const char *strand)
{
    char *name = tsv_quote(p->name ? p->name : "");
    char *made = name ? format_text("%s%s%s%s", f->named ? "\t" : "", name, f->stranded ? "\t" : "",
                                    f->stranded ? strand : "")
                      : NULL;
    free(name);
    return made;
}

/* What stands behind a pattern's number: in JSON its name, or its text, as a member; in TSV the
 * name as a column, if any pattern has one; the strand, with --strand. NULL after a complaint,
 * which ends the search. */
static const char *label(find *f, size_t index)
{
    const trawl_pattern *p = &f->patterns.patterns[index];
    const char *strand = p->flags & TRAWL_OTHER_STRAND ? "-" : "+";
    char **made = &f->labels[index];
    if (!*made)
        *made = f->json ? json_label(f, p, strand) : tsv_label(f, p, strand);
    if (!*made) {
        complain(f->run.command, "out of memory for the name of pattern %zu", index + 1);
        f->failed = f->finished = true;
    }
    return *made;
}

static void print_tsv_match(find *f, const trawl_match *match)
{
    const char *name = f->named || f->stranded ? label(f, match->pattern) : "";
    char numbers[3 * 21], *at = put_decimal(numbers, match->id);
    if (!name)
        return;
    fwrite(f->prefix, 1, f->prefix_length, stdout);
    if (*name) {
        fwrite(numbers, 1, (size_t)(at - numbers), stdout);
        fputs(name, stdout);
        at = numbers;
    }
    *at++ = '\t';
    if (match->start == TRAWL_UNKNOWN)
        *at++ = '-';
    else
        at = put_decimal(at, match->start);
    *at++ = '\t';
    at = put_decimal(at, match->end);
    *at++ = '\n';
    fwrite(numbers, 1, (size_t)(at - numbers), stdout);
}

static void print_json_match(find *f, const trawl_match *match)
{
    const char *name = label(f, match->pattern);
    char numbers[2 * 32], *at;
    if (!name)
        return;
    fwrite(f->prefix, 1, f->prefix_length, stdout);
    at = put_decimal(numbers, match->id);
    *at++ = ',';
    fwrite(numbers, 1, (size_t)(at - numbers), stdout);
    fputs(name, stdout);
    at = put_text(numbers, ",\"start\":");
    at = match->start == TRAWL_UNKNOWN ? put_text(at, "null") : put_decimal(at, match->start);
    at = put_text(at, ",\"end\":");
    at = put_decimal(at, match->end);
    at = put_text(at, "}\n");
    fwrite(numbers, 1, (size_t)(at - numbers), stdout);
}

static void take_match(find *f, const trawl_match *match)
{
    f->last_end = match->end;
    f->stats.matches++;
    if (f->count) {
        f->counts[match->pattern]++;
        return;
    }
    if (f->json)
        print_json_match(f, match);
    else
        print_tsv_match(f, match);
    if (ferror(stdout))
        f->finished = true;
}

static bool set_prefix(find *f, const record *r);

static int on_matches(const trawl_match *matches, size_t count, void *user)
{
    find *f = (find *)user;
    for (size_t i = 0; i < count && !f->finished; i++) {
        const record *r = f->records ? record_scan_of(f->records, &matches[i]) : NULL;
        if (r && r->number != f->record && !f->count && !set_prefix(f, r))
            return 1;
        if (source_lost(&f->file, matches[i].end))
            return 1;
        take_match(f, &matches[i]);
        if (f->records && f->stats.matches == f->most)
            return 1;
    }
    return f->finished;
}

static void print_counts(find *f)
{
    for (size_t i = 0; i < f->patterns.count && !f->finished; i++) {
        const char *name = label(f, i);
        if (name)
            printf(f->json ? "%s%zu,%s,\"count\":%" PRIu64 "}\n" : "%s%zu%s\t%" PRIu64 "\n",
                   f->prefix, (size_t)f->patterns.patterns[i].id, name, f->counts[i]);
    }
}

static void print_header(const find *f)
{
    if (!f->json)
        printf("file%s\tpattern%s%s%s\n", f->count ? "" : "\trecord", f->named ? "\tname" : "",
               f->stranded ? "\tstrand" : "", f->count ? "\tcount" : "\tstart\tend");
}

/* ---- what lines open with ----------------------------------------------- */

/* What each line of a file opens with, up to the pattern's number; `r`: of its record, NULL: it has
 * none. False after a complaint. */
static bool set_prefix(find *f, const record *r)
{
    char *record =
        r ? record_scan_name(f->records, r, f->json) : format_text(f->json ? "\"record\":1" : "1");
    free(f->prefix);
    f->prefix = NULL;
    if (f->shown && record && f->json)
        f->prefix = format_text("{%s,%s%s\"pattern\":", f->shown, f->count ? "" : record,
                                f->count ? "" : ",");
    else if (f->shown && record)
        f->prefix = format_text("%s\t%s%s", f->shown, f->count ? "" : record, f->count ? "" : "\t");
    free(record);
    f->prefix_length = f->prefix ? strlen(f->prefix) : 0;
    f->record = r ? r->number : 0;
    if (!f->prefix) {
        complain(f->run.command, "out of memory for the name of a file or record");
        f->failed = f->finished = true;
    }
    return f->prefix;
}

static bool set_file(find *f, const char *name)
{
    free(f->shown);
    f->shown = f->json ? json_member("file", name, strlen(name)) : tsv_quote(name);
    return set_prefix(f, NULL);
}

/* ---- scanning: false after a complaint ---------------------------------- */

static bool file_failed(find *f, const char *path, const char *why)
{
    fflush(stdout); /* the matches found before come first */
    complain(f->run.command, "%s: %s", shown_name(path), why);
    f->failed = true;
    return false;
}

static bool scanned(find *f, const char *path, int status, const trawl_error *error)
{
    return status >= 0 || file_failed(f, path, error->message);
}

/* Read what is left of a file and feed it to a stream. */
static bool feed(find *f, source *file, const char *path, trawl_stream *stream, uint8_t *piece)
{
    trawl_error error;
    int status = TRAWL_OK;
    ptrdiff_t got;
    while (status == TRAWL_OK && (got = source_read(file, piece, PIECE)) != 0) {
        if (got < 0)
            return file_failed(f, path, file->why);
        f->stats.bytes += (uint64_t)got;
        status = trawl_stream_feed(stream, piece, (size_t)got, &error);
    }
    return scanned(f, path, status, &error);
}

static bool scan_stream(find *f, source *file, const char *path, const trawl_scan_options *options)
{
    trawl_stream *stream;
    trawl_error error;
    uint8_t *piece = malloc(PIECE);
    if (!piece)
        return file_failed(f, path, strerror(ENOMEM));
    bool fine = scanned(
        f, path, trawl_stream_open(f->context, f->plan, options, on_matches, f, &stream, &error),
        &error);
    if (fine) {
        fine = feed(f, file, path, stream, piece);
        const int closed = trawl_stream_close(stream, &error);
        fine = fine && scanned(f, path, closed, &error);
    }
    free(piece);
    return fine;
}

static bool scan_text(find *f, const char *path, const uint8_t *text, size_t length,
                      const trawl_scan_options *options)
{
    trawl_error error;
    int status;
    f->stats.bytes += length;
    if (f->count && f->patterns.count == 1) {
        status = trawl_count(f->context, f->plan, text, length, options, &f->counts[0], &error);
        f->stats.matches += f->counts[0];
    } else {
        status = trawl_scan(f->context, f->plan, text, length, options, on_matches, f, &error);
    }
    return scanned(f, path, status, &error);
}

/* Map the text of a file whole, or of its spooled copy when it cannot be mapped itself. */
static bool map_whole(find *f, source *file, const char *path, const uint8_t **text, size_t *length)
{
    if (file->mappable && source_map(file, text, length))
        return true;
    if (source_spool(file) && source_map(file, text, length))
        return true;
    complain(f->run.command,
             "%s: cannot keep the text in a temporary file, which this report of unbounded "
             "patterns needs (set TMPDIR to a folder with room): %s",
             shown_name(path), file->why);
    f->failed = true;
    return false;
}

static bool scan_source(find *f, source *file, const char *path)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    const uint8_t *text;
    size_t length;
    options.report = f->report;
    options.max_matches = f->most ? f->most - f->stats.matches : 0;
    if (f->unbounded && f->report != TRAWL_REPORT_ENDS)
        return map_whole(f, file, path, &text, &length) &&
               scan_text(f, path, text, length, &options);
    if (file->mappable && source_map(file, &text, &length))
        return scan_text(f, path, text, length, &options);
    if (!file->mappable)
        return scan_stream(f, file, path, &options);
    return file_failed(f, path, file->why);
}

/* Whether all of a mapped file was there to the end of the scan. */
static bool is_sound(find *f, source *file, const char *path)
{
    return !file->map || source_sound(file) == file->length || file_failed(f, path, file->why);
}

static bool scan_records(find *f, source *file, const char *path, const reader_kind *kind)
{
    record_scan r = { .context = f->context,
                      .plan = f->plan,
                      .options = TRAWL_SCAN_OPTIONS_INIT,
                      .whole = f->unbounded && f->report != TRAWL_REPORT_ENDS,
                      .take = on_matches,
                      .user = f };
    r.options.report = f->report;
    f->records = &r;
    const int status = record_scan_text(&r, kind, file);
    f->records = NULL;
    f->stats.bytes += r.bytes;
    return status >= 0 || file_failed(f, path, r.why);
}

/* What --format says of a text, or its first bytes. */
static const reader_kind *choose_reader(const find *f, content kind)
{
    switch (f->format) {
    case FORMAT_AUTO:
        return reader_of(kind);
    case FORMAT_FASTA:
        return &reader_fasta;
    case FORMAT_FASTQ:
        return &reader_fastq;
    case FORMAT_PCAP:
        return &reader_capture;
    case FORMAT_LINES:
        return &reader_lines;
    default:
        return NULL;
    }
}

/* The text of a file, or one of those in it. */
static bool take_text(void *user, const char *name, source *file, content kind)
{
    find *f = (find *)user;
    const bool whole = f->unbounded && f->report != TRAWL_REPORT_ENDS;
    const reader_kind *reader = choose_reader(f, kind);
    if (!reader && file->layer && !source_waits(file) && !whole)
        reader = &reader_text; /* unpacked while it is searched */
    if (f->count)
        memset(f->counts, 0, f->patterns.count * sizeof *f->counts);
    if (!set_file(f, name))
        return false;
    const bool searched = reader ? scan_records(f, file, name, reader) : scan_source(f, file, name);
    if (searched && is_sound(f, file, name) && f->count)
        print_counts(f);
    f->finished = f->finished || ferror(stdout) || (f->most && f->stats.matches >= f->most);
    return !f->finished;
}

static void fail_text(void *user, const char *name, const char *why)
{
    file_failed((find *)user, name, why);
}

static void search_file(find *f, const char *path)
{
    source *file = &f->file;
    const texts inside = {
        { f->ratio, trawl_context_threads(f->context) }, take_text, fail_text, f
    };
    const char *name = shown_name(path);
    f->last_end = 0;
    if (!sample_open(&f->sample, file, path))
        file_failed(f, path,
                    errno == EISDIR ? "Is a directory; give the files in it" : strerror(errno));
    else if (f->format == FORMAT_RAW)
        take_text(f, name, file, CONTENT_TEXT);
    else
        texts_of(&inside, name, file);
    const bool stopped = f->most && f->stats.matches >= f->most;
    if (file->map)
        source_leave(file, stopped ? f->last_end : file->length);
    source_close(file);
    if (stopped) {
        limit_reached(f->run.command, f->most);
        f->finished = true;
    }
    f->finished = f->finished || ferror(stdout);
}

/* ---- the command ------------------------------------------------------- */

/* Status to leave with at once, or -1. */
static int read_command_line(find *f, int argc, char **argv)
{
    const char *command = f->run.command;
    int status =
        parse_options(command, help_text, argc, argv, short_options, long_options, read_option, f);
    if (status >= 0)
        return status;
    if (!f->patterns.given && optind == argc) {
        complain(command, "give a pattern");
        return usage_hint(command);
    }
    if (!f->patterns.given && !read_option(f, 'e', argv[optind++]))
        return EXIT_ERROR;
    if (!limit_fits(command, f->most, f->count))
        return EXIT_ERROR;
    if (f->patterns.count == 0) {
        complain(command, "the list of patterns is empty");
        return EXIT_ERROR;
    }
    if ((f->flags & TRAWL_AMBIGUOUS || f->stranded) && f->syntax != TRAWL_SYNTAX_IUPAC) {
        complain(command, "%s is for patterns of nucleotides: add --iupac",
                 f->stranded ? "--strand" : "--ambiguous");
        return EXIT_ERROR;
    }
    if (!pattern_set_style(&f->patterns, command, f->syntax, f->flags) ||
        (f->strand != STRAND_PLUS &&
         !pattern_set_other_strand(&f->patterns, command, f->strand == STRAND_BOTH)))
        return EXIT_ERROR;
    return -1;
}

static bool prepare(find *f, char **paths, int count)
{
    trawl_plan_info info = { .size = sizeof info };
    f->context = open_context(&f->run);
    if (!f->context)
        return false;
    f->sample.inside = f->format != FORMAT_RAW;
    f->plan = sample_compile(&f->sample, &f->patterns, &f->run, f->context, paths, count);
    if (!f->plan)
        return false;
    trawl_plan_get_info(f->plan, &info);
    f->unbounded = info.max_length == UINT64_MAX;
    f->labels = calloc(f->patterns.count, sizeof *f->labels);
    f->counts = calloc(f->patterns.count, sizeof *f->counts);
    for (size_t i = 0; i < f->patterns.count; i++)
        f->named |= f->patterns.patterns[i].name != NULL;
    if (f->labels && f->counts)
        return true;
    complain(f->run.command, "out of memory for %zu patterns", f->patterns.count);
    return false;
}

static int search_all(find *f, char **paths, int count)
{
    char standard_input[] = "-";
    stats_begin(&f->stats, &f->run);
    print_header(f);
    if (count == 0)
        search_file(f, standard_input);
    for (int i = 0; i < count && !f->finished; i++)
        search_file(f, paths[i]);
    int status = f->failed ? EXIT_ERROR : f->stats.matches ? EXIT_MATCH : EXIT_NONE;
    status = finish_output(f->run.command, status);
    stats_print(&f->stats, &f->run, f->plan, f->context);
    return status;
}

static void release(find *f)
{
    for (size_t i = 0; f->labels && i < f->patterns.count; i++)
        free(f->labels[i]);
    free(f->labels);
    free(f->counts);
    free(f->prefix);
    free(f->shown);
    source_close(&f->file);
    sample_close(&f->sample);
    trawl_plan_free(f->plan);
    close_context(&f->run, f->context);
    pattern_set_free(&f->patterns);
}

int command_find(int argc, char **argv)
{
    find f;
    memset(&f, 0, sizeof f);
    run_options_init(&f.run, "find");
    f.syntax = TRAWL_SYNTAX_EXTENDED;
    f.report = TRAWL_REPORT_ENDS;
    f.ratio = UNPACK_RATIO;
    int status = read_command_line(&f, argc, argv);
    char **paths = argv + optind;
    const int count = argc - optind;
    if (status < 0)
        status = prepare(&f, paths, count) ? search_all(&f, paths, count) : EXIT_ERROR;
    release(&f);
    return status;
}
