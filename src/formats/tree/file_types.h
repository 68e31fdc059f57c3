/* file_types.h: kinds of files by their names, for -t. */
#ifndef TRAWL_FILE_TYPES_H
#define TRAWL_FILE_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct file_type file_type;

/* NULL: there is none of this name. */
const file_type *file_type_find(const char *name);

/* The name of each, from 0 to NULL, and its globs with spaces between them. */
const char *file_type_name(size_t number);
const char *file_type_globs(size_t number);

bool file_type_matches(const file_type *type, const char *name);

#endif
