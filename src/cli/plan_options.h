/* plan_options.h: plans in files: what `trawl compile` writes, and find, grep and info read. */
#ifndef TRAWL_PLAN_OPTIONS_H
#define TRAWL_PLAN_OPTIONS_H

#include "cli/cli.h"
#include "formats/patterns/plan_file.h"

/* --plan FILE: see pattern_set_load. */
enum { OPT_PLAN = 1400 };
extern const option_row plan_rows[];

/* trawl_plan_info.tag of what `trawl compile` makes: the command that it is for, and what patterns
 * do not say. */
enum {
    PLAN_FOR = 0xffff << 8, /* the bits of these: */
    PLAN_FOR_FIND = 'f' << 16 | 't' << 8,
    PLAN_FOR_GREP = 'g' << 16 | 't' << 8,
    PLAN_STRANDED = 1,   /* find prints the strand */
    PLAN_EVERY_LINE = 2, /* an empty pattern was there too: every line matches */
    PLAN_EVERY_START = 4 /* find prints all starts, unless it is told otherwise */
};

/* As plan_file_read. NULL after a complaint. */
trawl_plan *plan_read(const char *command, const char *path, void **block);

/* Write it into a file with another name first, so that nobody ever finds half a plan there; "-" is
 * standard output. `headed` as of plan_file_write. False after a complaint. */
bool plan_write(const char *command, const char *path, const trawl_plan *plan, bool headed);

/* False, after a complaint, where standard input is both the plan and a text. */
bool plan_leaves_input(const char *command, const char *plan, char **texts, int count);

/* Take the patterns of a plan in a file, with their names, texts and ids, and the plan itself for
 * pattern_set_compile. `others`: options were given that say what patterns mean. False after a
 * complaint, also when the plan is not for `purpose` (PLAN_FOR_...). */
bool pattern_set_load(pattern_set *set, const run_options *o, const char *path, uint32_t purpose,
                      bool others);

#endif
