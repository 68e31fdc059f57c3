/* search.h: the operands of `trawl grep` and what is below them, searched and printed in order. */
#ifndef TRAWL_SEARCH_H
#define TRAWL_SEARCH_H

#include "cli/lines.h"
#include "formats/sources/unpack.h"
#include "formats/tree/file_filter.h"

typedef enum file_list { LIST_NONE, LIST_MATCHING, LIST_OTHERS } file_list;

typedef struct search {
    const run_options *run;
    const line_style *style;
    bool count, quiet; /* print the number of lines, nothing */
    file_list list;    /* print the names of files */
    bool no_messages;  /* of files that cannot be read */
    bool recursive;
    bool decompress; /* search what files are compressed from */
    unpack_options unpack;
    file_filter filter;
    int names; /* 1: print them with lines and counts, -1: do not, 0: of several files, and below
                  folders */
    const trawl_plan *plan; /* NULL: no pattern */
    trawl_context *context; /* as the options ask */
    sample sample;

    /* Results. */
    bool matched, failed;
    uint64_t bytes, selected;
    line_stats stats; /* of --json */
    int write_error;  /* errno of standard output */
} search;

/* Search all operands. */
void search_all(search *s, char **paths, int count);

#endif
