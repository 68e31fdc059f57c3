/* file_filter.h: which files of a folder, and which operands, `trawl grep` searches. */
#ifndef TRAWL_FILE_FILTER_H
#define TRAWL_FILE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/tree/file_types.h"
#include "formats/tree/glob.h"
#include "formats/tree/ignore.h"
#include "formats/tree/tree.h"

/* --include, --exclude and --exclude-dir, in the order given: the last one that matches decides. */
typedef struct name_globs {
    struct name_glob *globs;
    size_t count, room;
} name_globs;

/* -t, and --type-not, which goes before it. */
typedef struct type_choice {
    struct chosen_type *types;
    size_t count, room;
} type_choice;

/* All zero at first. */
typedef struct file_filter {
    name_globs files, folders;
    glob_list globs; /* -g */
    type_choice types;
    bool ignores; /* what .gitignore files and their kin name, and hidden files: --ignore */
    bool hidden;  /* but not these: --hidden */
    ignore *ignore;
    char *here;       /* the working directory, where -g may be asked for a path from the root */
    bool follow;      /* symbolic links below folders: -R */
    tree_filter tree; /* set by file_filter_ready */
} file_filter;

/* The glob, GNU grep's, outlives the filter. False: no memory. */
bool file_filter_include(file_filter *f, const char *glob);
bool file_filter_exclude(file_filter *f, const char *glob);
bool file_filter_exclude_folder(file_filter *f, char *glob);

/* As ripgrep's -g: GLOB, or !GLOB. */
bool file_filter_glob(file_filter *f, const char *glob);
bool file_filter_type(file_filter *f, const file_type *type, bool leave_out);

/* All options are known. False: no memory. */
bool file_filter_ready(file_filter *f);

/* A walk begins, below this folder. False: no memory. */
bool file_filter_begin(file_filter *f, const char *folder);

/* The errno of a file with rules that a walk could not read, or ENOMEM; 0: none. */
int file_filter_failed(const file_filter *f);

/* Whether an operand is searched. */
bool file_filter_takes(const file_filter *f, const char *path, bool folder);

/* Whether some operand is not. */
bool file_filter_asks(const file_filter *f);

void file_filter_free(file_filter *f);

#endif
