/* sample.c: see sample.h. */
#include "formats/records/sample.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/records/texts.h"

#define MAX_UNPACKED ((size_t)64 << 10)

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

/* Take what the bytes stand for in their place; without memory there is no sample. */
static void unpack(sample *s)
{
    size_t least;
    if (content_of(s->bytes, s->length, false, &least) == CONTENT_TEXT)
        return;
    s->unpacked = malloc(MAX_UNPACKED);
    s->length = s->unpacked ? texts_sample(s->bytes, s->length, s->unpacked, MAX_UNPACKED) : 0;
    s->bytes = s->unpacked;
}

/* Whether opening or reading it may wait for somebody. */
static bool may_wait(const char *path)
{
    struct stat facts;
    const int known = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &facts) : stat(path, &facts);
    return known == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

bool sample_take(sample *s, char **paths, int count, bool (*ready)(void *user), void *user)
{
    bool taken = false, asked = false;
    for (int i = 0; i < (count ? count : 1) && !taken; i++) {
        const char *path = count ? paths[i] : "-";
        if (!asked && may_wait(path)) {
            if (!ready(user))
                return false;
            asked = true;
        }
        taken = take_sample(s, path);
    }
    if (s->inside)
        unpack(s);
    return true;
}

bool sample_is_text(const sample *s)
{
    return s->length > 0 && !s->unpacked;
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
    free(s->unpacked);
    s->unpacked = NULL;
    s->path = NULL;
}

uint64_t operand_bytes(char **paths, size_t count, uint64_t least)
{
    uint64_t total = 0;
    struct stat facts;
    for (size_t i = 0; i < (count ? count : 1); i++) {
        const bool input = count == 0 || strcmp(paths[i], "-") == 0;
        const int known = input ? fstat(STDIN_FILENO, &facts) : stat(paths[i], &facts);
        if (known == 0 && !S_ISREG(facts.st_mode))
            return UINT64_MAX;
        const off_t at = input ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
        const off_t left = facts.st_size - (at > 0 ? at : 0);
        if (known == 0 && left > 0 && (uint64_t)left >= least)
            total += (uint64_t)left;
    }
    return total;
}
