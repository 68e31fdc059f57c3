/* find_search.h: what `trawl find` does with its files: open, read, scan, hand on to the output. */
#ifndef TRAWL_FIND_SEARCH_H
#define TRAWL_FIND_SEARCH_H

#include "cli/cli.h"
#include "formats/search/records.h"
#include "formats/search/text.h"
#include "formats/tree/tree.h"
#include "formats/verdicts/verdicts.h"
#include "formats/writers/writer.h"

/* What --format takes files for. */
enum {
    FORMAT_AUTO,
    FORMAT_FASTA,
    FORMAT_FASTQ,
    FORMAT_PCAP,
    FORMAT_SAM, /* or BAM */
    FORMAT_GENBANK,
    FORMAT_LINES,
    FORMAT_TEXT,
    FORMAT_RAW
};

typedef struct find_search {
    run_options *run;
    writer *output; /* `put` is find_search_print */
    pattern_set *patterns;
    const struct cluster *cluster; /* the ranks that search together; NULL: this process alone */
    uint32_t report;
    uint32_t format;
    uint64_t most;      /* matches; 0: no limit */
    uint64_t ratio;     /* of unpacking; 0: no limit */
    bool recursive;     /* folders are searched, with all below them */
    bool bare;          /* names of files do not show the folder, which is the working one */
    bool quiet;         /* nothing is printed, and the first match ends it all */
    bool circular;      /* records are circles */
    bool sequences;     /* the patterns are of residues: what begins with '>' is FASTA */
    verdicts *verdicts; /* are wanted instead of matches, unless NULL; closed by its owner */

    sample sample;
    source file;       /* the present one */
    uint64_t last_end; /* of its matches so far */
    trawl_plan *plan;
    trawl_plan *plan_of_pieces; /* of long records, for verdicts; NULL: there was none */
    trawl_context *context;
    uint64_t *counts;     /* of each pattern in the present file, where they are asked for */
    text_scan texts;      /* of what has no records */
    record_scan *records; /* while records are searched */
    bool failed, finished;
    int cause; /* errno of the first write to standard output that failed; 0: none has */
    struct stat printed_to; /* standard output, unless st_nlink is 0 */
    struct stat replaced;   /* the file in whose place it will be, unless st_nlink is 0 */
    bool makes_file;        /* standard output is a file that is not in its place yet */
    run_stats stats;
} find_search;

/* What stands before `sample` is set, the rest is zero. The plan is chosen for these files. False
 * after a complaint; close then as well. */
bool find_search_open(find_search *f, char **paths, int count);

/* Search them, or standard input where there is none, and print. The command's status. */
int find_search_files(find_search *f, char **paths, int count);

/* Whether what was printed is all that there is to print: nothing ended the search before its end,
 * and something could be searched. */
bool find_search_whole(const find_search *f);

void find_search_close(find_search *f);

/* ---- for who goes through the files himself (cli/find_ranks.c): failures set f->failed ------- */

/* What a text is taken for that begins so, and of which its first bytes say `kind`. */
content find_search_content(const find_search *f, content kind, const uint8_t *head, size_t length);
/* Where it begins as FASTA does and is searched as a text, a warning says so. */
void find_search_doubt(const find_search *f, const char *name, content kind, const uint8_t *head,
                       size_t length);
/* What a writer says: whether it worked; if not, after a complaint. */
bool find_search_written(const find_search *f, bool worked);
/* A writer's `put`: to standard output, of which ferror knows. */
void find_search_print(void *user, const char *bytes, size_t length);
/* A text begins, of that name: nothing is counted of it. False after a complaint. */
bool find_search_begin(find_search *f, const char *name);
/* A trawl_match_fn: print or count matches of f->texts.text; `user` is the find_search. */
int find_search_take(const trawl_match *matches, size_t count, void *user);
/* The same, where all are counted. */
int find_search_count(const trawl_match *matches, size_t count, void *user);
/* Search f->file, the sequences that begin at that byte of the file of that name. */
void find_search_sequences(find_search *f, const char *name, uint64_t begin);
/* Open and search a file, and all that is in it. */
void find_search_path(find_search *f, const char *path);

#endif
