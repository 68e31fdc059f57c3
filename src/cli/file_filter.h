/* file_filter.h: which files of a folder, and which operands, `trawl grep` searches. */
#ifndef TRAWL_FILE_FILTER_H
#define TRAWL_FILE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "io/tree.h"

/* --include, --exclude and --exclude-dir, in the order given: the last one that matches decides. */
typedef struct name_globs {
    struct name_glob *globs;
    size_t count, room;
} name_globs;

/* All zero at first. */
typedef struct file_filter {
    name_globs files, folders;
    bool follow;      /* symbolic links below folders: -R */
    tree_filter tree; /* set by file_filter_ready */
} file_filter;

/* The glob, GNU grep's, outlives the filter. False: no memory. */
bool file_filter_include(file_filter *f, const char *glob);
bool file_filter_exclude(file_filter *f, const char *glob);
bool file_filter_exclude_folder(file_filter *f, char *glob);

/* All options are known. */
void file_filter_ready(file_filter *f);

/* Whether an operand is searched. */
bool file_filter_takes(const file_filter *f, const char *path, bool folder);

/* Whether some operand is not. */
bool file_filter_asks(const file_filter *f);

void file_filter_free(file_filter *f);

#endif
