/* patterns.c: the files of patterns of trawl/formats.h. */
#include <stdlib.h>
#include <string.h>

#include "formats/api/common.h"
#include "formats/patterns/rules.h"
#include "formats/patterns/style.h"

struct trawl_patterns {
    pattern_set set;
    trawl_patterns_options options;
    const char *path;        /* while the file is read */
    trawl_file_error *error; /* likewise; what ended the reading */
    bool failed;
};

static void tell(void *user, const pattern_message *message)
{
    trawl_patterns *p = user;
    trawl_file_error warning;
    if (message->warning && !p->options.warn)
        return;
    p->failed = p->failed || !message->warning;
    api_fail(message->warning ? &warning : p->error,
             message->warning ? TRAWL_OK : TRAWL_ERROR_ARGUMENT,
             message->file ? message->file : p->path, message->line, "%s", message->text);
    if (message->warning)
        p->options.warn(&warning, p->options.user);
}

static bool read_patterns(trawl_patterns *p)
{
    pattern_set *set = &p->set;
    switch (p->options.kind) {
    case TRAWL_PATTERNS_YARA:
        if (!pattern_set_add_yara(set, p->path))
            return false;
        break;
    case TRAWL_PATTERNS_RULES:
        if (!pattern_set_add_rules(set, p->path))
            return false;
        rules_for_listing(set);
        break;
    default:
        set->takes_fasta = true;
        set->with_names = p->options.kind == TRAWL_PATTERNS_NAMED;
        if (!pattern_set_add_file(set, p->path))
            return false;
    }
    if (!pattern_set_style(set, p->options.syntax, p->options.flags))
        return false;
    rules_warn_of_parts(set);
    return set->count || pattern_set_fail(set, p->path, 0, "has no patterns");
}

static int take_options(trawl_patterns_options *to, const trawl_patterns_options *from,
                        const char *name, trawl_file_error *error)
{
    *to = (trawl_patterns_options)TRAWL_PATTERNS_OPTIONS_INIT;
    const int status = api_options(to, sizeof *to, from, "trawl_patterns_options",
                                   "TRAWL_PATTERNS_OPTIONS_INIT", name, error);
    const char *wrong = to->kind > TRAWL_PATTERNS_RULES ? "kind"
                        : to->syntax > TRAWL_SYNTAX_HEX ? "syntax"
                        : to->unused                    ? "unused"
                                                        : NULL;
    return status == TRAWL_OK && wrong
               ? api_fail(error, TRAWL_ERROR_ARGUMENT, name, 0,
                          "trawl_patterns_options.%s is none of trawl/formats.h", wrong)
               : status;
}

int trawl_patterns_open(const char *path, const trawl_patterns_options *options,
                        trawl_patterns **patterns, trawl_file_error *error)
{
    trawl_patterns *p = calloc(1, sizeof *p);
    *patterns = NULL;
    if (!p)
        return api_fail(error, TRAWL_ERROR_MEMORY, path, 0, "out of memory for its patterns");
    int status = take_options(&p->options, options, path, error);
    if (status == TRAWL_OK) {
        p->set.tell = tell;
        p->set.teller = p;
        p->path = path;
        p->error = error;
        if (!read_patterns(p))
            status = p->failed ? TRAWL_ERROR_ARGUMENT
                               : api_fail(error, TRAWL_ERROR_MEMORY, path, 0,
                                          "out of memory for its patterns");
        p->set.tell = NULL;
        p->error = NULL;
    }
    if (status == TRAWL_OK)
        *patterns = p;
    else
        trawl_patterns_close(p);
    return status;
}

const trawl_pattern *trawl_patterns_get(const trawl_patterns *patterns, size_t *count)
{
    *count = patterns->set.count;
    return patterns->set.patterns;
}

uint64_t trawl_patterns_line(const trawl_patterns *patterns, size_t index)
{
    return index < patterns->set.count ? patterns->set.origins[index].line : 0;
}

int trawl_patterns_compile(const trawl_patterns *patterns, const trawl_compile_options *options,
                           trawl_plan **plan, trawl_error *error)
{
    const trawl_compile_options defaults = TRAWL_COMPILE_OPTIONS_INIT;
    return pattern_set_make(&patterns->set, 0, patterns->set.count, options ? options : &defaults,
                            plan, error);
}

void trawl_patterns_close(trawl_patterns *patterns)
{
    if (patterns)
        pattern_set_free(&patterns->set);
    free(patterns);
}
