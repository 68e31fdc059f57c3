/* patterns.c: the files of patterns of trawl/formats.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/api/common.h"
#include "formats/patterns/rules.h"
#include "formats/patterns/style.h"
#include "formats/verdicts/verdicts.h"

struct trawl_patterns {
    pattern_set set;
    trawl_patterns_options options;
    const char *path;        /* while the file is read */
    trawl_file_error *error; /* while the file is read: what ended it */
    bool failed;
    bool judged; /* as rules that hold or do not */
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
        if (!p->judged)
            rules_for_listing(set);
        break;
    default:
        set->takes_fasta = true;
        set->with_names = p->options.kind == TRAWL_PATTERNS_NAMED;
        if (!pattern_set_add_file(set, p->path))
            return false;
    }
    if (set->count && !pattern_set_style(set, p->options.syntax, p->options.flags))
        return false;
    if (!set->count)
        return pattern_set_fail(set, p->path, 0, "has no patterns");
    if (p->judged)
        return rules_are_alone(set) && rules_for_verdicts(set);
    rules_warn_of_parts(set);
    return true;
}

static int take_options(trawl_patterns_options *to, const trawl_patterns_options *from,
                        const char *name, trawl_file_error *error)
{
    *to = (trawl_patterns_options)TRAWL_PATTERNS_OPTIONS_INIT;
    const int status = api_options(to, sizeof *to, sizeof *to, from, "trawl_patterns_options",
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

static int open_patterns(const char *path, const trawl_patterns_options *options, bool judged,
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
        p->judged = judged;
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

int trawl_patterns_open(const char *path, const trawl_patterns_options *options,
                        trawl_patterns **patterns, trawl_file_error *error)
{
    return open_patterns(path, options, false, patterns, error);
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

static int fail(trawl_error *error, int code, const char *why)
{
    if (error) {
        *error = (trawl_error){ .code = code, .pattern = TRAWL_NONE, .offset = TRAWL_NONE };
        snprintf(error->message, sizeof error->message, "%.*s", (int)sizeof error->message - 1,
                 why);
    }
    return code;
}

int trawl_patterns_compile(const trawl_patterns *patterns, const trawl_compile_options *options,
                           trawl_plan **plan, trawl_error *error)
{
    /* Structs of trawl.h may be as small as they were when this member was the next to come. */
    const size_t least = offsetof(trawl_compile_options, likeness);
    trawl_compile_options asked = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_file_error refused;
    const int status = api_options(&asked, sizeof asked, least, options, "trawl_compile_options",
                                   "TRAWL_COMPILE_OPTIONS_INIT", "", &refused);
    *plan = NULL;
    asked.conditions = NULL;
    return status == TRAWL_OK
               ? pattern_set_make(&patterns->set, 0, patterns->set.count, &asked, plan, error)
               : fail(error, status, refused.message);
}

void trawl_patterns_close(trawl_patterns *patterns)
{
    if (patterns)
        pattern_set_free(&patterns->set);
    free(patterns);
}

/* ---- rules ---------------------------------------------------------------------------- */

struct trawl_rules {
    trawl_patterns *patterns;
    verdicts *verdicts;
    trawl_plan *plan;
    bool lost; /* no memory for a match */
    trawl_held_rule *held;
    size_t room;
};

void trawl_rules_close(trawl_rules *rules)
{
    if (!rules)
        return;
    verdicts_close(rules->verdicts);
    trawl_plan_free(rules->plan);
    trawl_patterns_close(rules->patterns);
    free(rules->held);
    free(rules);
}

static int open_rules(trawl_rules *r, const char *path, const trawl_patterns_options *options,
                      trawl_file_error *error)
{
    trawl_error compiling;
    int status = open_patterns(path, options, true, &r->patterns, error);
    if (status != TRAWL_OK)
        return status;
    r->verdicts = verdicts_open(&r->patterns->set);
    if (!r->verdicts)
        return api_fail(error, TRAWL_ERROR_MEMORY, path, 0, "out of memory for its rules");
    verdicts_choose(r->verdicts, false);
    status = trawl_patterns_compile(r->patterns, NULL, &r->plan, &compiling);
    return status == TRAWL_OK
               ? TRAWL_OK
               : api_fail(error, status, path, trawl_patterns_line(r->patterns, compiling.pattern),
                          "%s", compiling.message);
}

int trawl_rules_open(const char *path, const trawl_patterns_options *options, trawl_rules **rules,
                     trawl_file_error *error)
{
    trawl_rules *r = calloc(1, sizeof *r);
    *rules = NULL;
    const int status =
        r ? open_rules(r, path, options, error)
          : api_fail(error, TRAWL_ERROR_MEMORY, path, 0, "out of memory for its rules");
    if (status == TRAWL_OK)
        *rules = r;
    else
        trawl_rules_close(r);
    return status;
}

static int take(const trawl_match *matches, size_t count, void *user)
{
    trawl_rules *r = user;
    r->lost = !verdicts_take(r->verdicts, matches, count);
    return r->lost;
}

/* Hand out the rules that hold. False: no memory. */
static bool hand_out(trawl_rules *r, const verdicts_held *held)
{
    if (held->count > r->room) {
        free(r->held);
        r->held = malloc(held->count * sizeof *r->held);
        r->room = r->held ? held->count : 0;
    }
    for (size_t i = 0; i < held->count && r->held; i++)
        r->held[i] = (trawl_held_rule){ .sid = held->rules[i]->sid,
                                        .message = held->rules[i]->message,
                                        .unchecked = held->rules[i]->unchecked };
    return r->held || !held->count;
}

int trawl_rules_judge(trawl_rules *rules, trawl_context *context, const trawl_text *record,
                      const char *flow, const trawl_held_rule **held, size_t *count,
                      trawl_error *error)
{
    static const char no_memory[] = "out of memory for verdicts";
    const verdicts_record ended = { record->bytes, record->length, flow ? flow : "" };
    verdicts_held found = { .count = 0 };
    *count = 0;
    *held = NULL;
    if (record->length == 0)
        return TRAWL_OK;
    rules->lost = false;
    const int status =
        trawl_scan(context, rules->plan, record->bytes, record->length, NULL, take, rules, error);
    /* Whatever came of the search, the record has ended. */
    const verdicts_status judged = verdicts_judge(rules->verdicts, &ended, &found);
    if (status < 0)
        return status;
    if (rules->lost || judged == VERDICTS_NO_MEMORY || !hand_out(rules, &found))
        return fail(error, TRAWL_ERROR_MEMORY, no_memory);
    if (judged == VERDICTS_TOO_MANY)
        return fail(
            error, TRAWL_ERROR_LIMIT,
            "contents occur at more places of the record than are kept: it has no verdicts");
    *held = rules->held;
    *count = found.count;
    return status == TRAWL_STOPPED ? TRAWL_OK : status;
}
