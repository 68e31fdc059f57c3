/* patterns.c: the patterns of a run: what is said of them, and compiling them. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "formats/patterns/style.h"

#define MAX_SHOWN 200 /* a longer pattern is not shown in messages */

/* ---- messages ---------------------------------------------------------- */

/* A pattern_tell; `user` is a run_options. */
static void complain_message(void *user, const pattern_message *m)
{
    const run_options *o = user;
    const char *command = o->command, *kind = m->warning ? "warning: " : "";
    if (m->file && m->line)
        complain(command, "%s%s:%zu: %s", kind, m->file, m->line, m->text);
    else if (m->file)
        complain(command, "%s%s: %s", kind, m->file, m->text);
    else
        complain(command, "%s%s", kind, m->text);
}

void pattern_set_complains(pattern_set *set, run_options *o)
{
    set->tell = complain_message;
    set->teller = o;
}

/* The pattern on a line of its own, and a caret under the byte at `offset`. */
static void show_pattern(const trawl_pattern *p, size_t offset)
{
    const char *text = p->text;
    if (p->length == 0 || p->length > MAX_SHOWN)
        return;
    for (size_t i = 0; i < p->length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return;
    fprintf(stderr, "  %.*s\n", (int)p->length, text);
    if (offset <= p->length)
        fprintf(stderr, "  %*s^\n", (int)offset, "");
}

/* "pattern 2 (from list line 7): message" */
static void complain_of(const pattern_set *set, const char *command, size_t index,
                        const char *message)
{
    const pattern_origin *origin = &set->origins[index];
    if (origin->file)
        complain(command, "pattern %zu (from %s line %zu): %s", index + 1, origin->file,
                 origin->line, message);
    else
        complain(command, "pattern %zu: %s", index + 1, message);
}

void pattern_set_complain(const pattern_set *set, const char *command, size_t index,
                          const char *message)
{
    complain_of(set, command, index, message);
    show_pattern(&set->patterns[index], TRAWL_NONE);
}

static void complain_pattern(const pattern_set *set, const char *command, const trawl_error *error)
{
    if (error->pattern >= set->count) {
        complain(command, "%s", error->message);
        return;
    }
    complain_of(set, command, error->pattern, error->message);
    show_pattern(&set->patterns[error->pattern], error->offset);
}

/* Compiling failed. The library names its own option for what --max-memory sets. */
static void complain_compile(const pattern_set *set, const char *command, const trawl_error *error)
{
    static const char of_library[] = "trawl_compile_options.max_memory", own[] = "--max-memory";
    trawl_error shown = *error;
    char *at = strstr(shown.message, of_library);
    if (at && error->code == TRAWL_ERROR_LIMIT) {
        const char *rest = at + sizeof of_library - 1;
        memcpy(at, own, sizeof own - 1);
        memmove(at + sizeof own - 1, rest, strlen(rest) + 1);
    }
    complain_pattern(set, command, &shown);
}

/* ---- compiling ----------------------------------------------------------- */

/* False, after a complaint, when --wm-block means nothing to the engine. */
static bool fits_wm_block(const trawl_plan *plan, const run_options *o)
{
    trawl_plan_info info = { .size = sizeof info, .engine = "" };
    trawl_plan_get_info(plan, &info);
    if (!o->wm_block || strncmp(info.engine, "wm", 2) == 0 || strstr(info.engine, " wm"))
        return true;
    complain(o->command,
             "--wm-block is for the engine wm, but the engine is %s: add --engine wm, or leave "
             "--wm-block out",
             info.engine);
    return false;
}

trawl_plan *pattern_set_compile(pattern_set *set, const run_options *o,
                                const trawl_context *context, const void *sample,
                                size_t sample_length)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error;
    if (set->plan) {
        plan = set->plan;
        set->plan = NULL; /* it is the caller's now */
        explain_print(o, plan);
        return plan;
    }
    options.engine = o->engine;
    options.wm_block = o->wm_block;
    options.max_memory = o->max_memory;
    options.sample = sample;
    options.sample_length = sample_length;
    options.context = context;
    if (pattern_set_plan(set, &options, &plan, &error) != TRAWL_OK)
        complain_compile(set, o->command, &error);
    else
        explain_print(o, plan);
    if (!plan || fits_wm_block(plan, o))
        return plan;
    trawl_plan_free(plan);
    return NULL;
}

/* A set that is to be compiled. */
typedef struct compiled {
    const pattern_set *set;
    const run_options *run;
} compiled;

/* What is wrong with patterns is said before anybody waits. The engine for one literal has little
 * to do: the patterns are read first. */
static bool can_compile(void *user)
{
    const compiled *c = user;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error;
    options.engine = "bm";
    options.max_memory = c->run->max_memory;
    const int status = trawl_compile(c->set->patterns, c->set->count, &options, &plan, &error);
    trawl_plan_free(plan);
    if (status == TRAWL_OK || status == TRAWL_ERROR_UNSUPPORTED)
        return true;
    complain_compile(c->set, c->run->command, &error);
    return false;
}

trawl_plan *sample_compile(sample *s, pattern_set *set, const run_options *o,
                           const trawl_context *context, char **paths, int count)
{
    compiled c = { set, o };
    if (set->plan || (o->engine && strcmp(o->engine, "auto") != 0))
        return pattern_set_compile(set, o, context, NULL, 0);
    return sample_take(s, paths, count, can_compile, &c)
               ? pattern_set_compile(set, o, context, s->bytes, s->length)
               : NULL;
}
