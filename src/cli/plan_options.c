/* plan_options.c: see cli/plan_options.h. */
#include "cli/plan_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/sources/replace.h"

const option_row plan_rows[] = {
    { OPT_PLAN, "plan", "PLAN", .about = "the patterns that `trawl compile` has made a plan of" },
    { 0 },
};

trawl_plan *plan_read(const char *command, const char *path, void **block)
{
    char why[sizeof((trawl_error *)0)->message];
    trawl_plan *plan = plan_file_read(path, block, why, sizeof why);
    if (!plan)
        complain(command, "%s: %s%s", shown_name(path), why,
                 strcmp(why, PLAN_FILE_NONE) ? "" : ": `trawl compile -f LIST -o FILE` makes one");
    return plan;
}

bool plan_write(const char *command, const char *path, const trawl_plan *plan, bool headed)
{
    const bool to_output = strcmp(path, "-") == 0;
    if (to_output && isatty(STDOUT_FILENO)) {
        complain(command, "a plan is no text, and standard output is a terminal: name a file, or "
                          "a command that takes it (... -o - | trawl find --plan - FILE)");
        return false;
    }
    replacement made;
    const bool fine = to_output ? plan_file_write(stdout, plan, headed)
                                : replace_begin(&made, path) &&
                                      replace_end(&made, plan_file_write(made.file, plan, headed));
    if (!fine)
        complain(command, "%s: cannot write the plan: %s", to_output ? "(standard output)" : path,
                 strerror(errno));
    return fine;
}

/* Options that mean nothing to a plan that is made. */
static bool options_fit(const run_options *o, bool others)
{
    if (others)
        complain(o->command,
                 "--plan: the patterns, and what they mean, are in the plan: leave the other "
                 "patterns and their options out, or give them all to `trawl compile`");
    else if (o->engine || o->wm_block || o->max_memory)
        complain(o->command, "--plan: the plan was made for its engine: give %s to `trawl compile`",
                 o->engine     ? "--engine"
                 : o->wm_block ? "--wm-block"
                               : "--max-memory");
    return !others && !o->engine && !o->wm_block && !o->max_memory;
}

static bool purpose_fits(const char *command, const char *path, const trawl_plan *plan,
                         uint32_t purpose)
{
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan_get_info(plan, &info);
    const uint32_t found = info.tag & PLAN_FOR;
    const char *shown = shown_name(path);
    if (found == purpose && info.keeps_texts)
        return true;
    if (info.cell_size)
        complain(command, "%s: is a plan of needles, for grids: give -e PATTERN or -f LIST", shown);
    else if (found == PLAN_FOR_FIND)
        complain(command,
                 "%s: the plan is for trawl find: for lines compile it with `trawl compile --grep`",
                 shown);
    else if (found == PLAN_FOR_GREP)
        complain(command,
                 "%s: the plan is for lines, as trawl grep takes them: leave --grep out of `trawl "
                 "compile`",
                 shown);
    else
        complain(command, "%s: the plan does not say what it is for: make it with `trawl compile`",
                 shown);
    return false;
}

bool pattern_set_load(pattern_set *set, const run_options *o, const char *path, uint32_t purpose,
                      bool others)
{
    void *block;
    trawl_plan *plan = NULL;
    if (!options_fit(o, others) || !(plan = plan_read(o->command, path, &block)))
        return false;
    set->given = true;
    if (purpose_fits(o->command, path, plan, purpose))
        return pattern_set_take_plan(set, plan, block, path);
    trawl_plan_free(plan);
    free(block);
    return false;
}

bool plan_leaves_input(const char *command, const char *plan, char **texts, int count)
{
    bool both = count == 0;
    if (!plan || strcmp(plan, "-") != 0)
        return true;
    for (int i = 0; i < count; i++)
        both |= strcmp(texts[i], "-") == 0;
    if (both)
        complain(command, "standard input is the plan already: name the files to search");
    return !both;
}
