/* sample.c: see cli/sample.h. */
#include "cli/sample.h"

#include <string.h>

/* Whether this is the operand that counts; if not, it is closed. */
static bool take_sample(sample *s, const char *path)
{
    const bool opened = source_open(&s->file, path);
    const mode_t mode = s->file.facts.st_mode;
    if (opened && !source_peek(&s->file, &s->bytes, &s->length))
        s->length = 0;
    /* A pipe that was opened once stays so, though it may be empty. */
    const bool counts = opened && (s->length || S_ISFIFO(mode) || S_ISSOCK(mode));
    s->path = counts ? path : NULL;
    if (!counts)
        source_close(&s->file);
    return counts;
}

trawl_plan *sample_compile(sample *s, const pattern_set *set, const run_options *o,
                           const trawl_context *context, char **paths, int count)
{
    if (o->engine && strcmp(o->engine, "auto") != 0)
        return pattern_set_compile(set, o, context, NULL, 0);
    if (!pattern_set_check(set, o)) /* said before a pipe may keep us waiting */
        return NULL;
    bool taken = count == 0 && take_sample(s, "-");
    for (int i = 0; i < count && !taken; i++)
        taken = take_sample(s, paths[i]);
    return pattern_set_compile(set, o, context, s->bytes, s->length);
}

bool sample_open(sample *s, source *file, const char *path)
{
    if (!s->path || strcmp(s->path, path) != 0)
        return source_reopen(file, path);
    const source other = *file; /* and its buffer, which sample_close frees */
    *file = s->file;
    s->file = other;
    s->path = NULL;
    return true;
}

void sample_close(sample *s)
{
    source_close(&s->file);
    s->path = NULL;
}
