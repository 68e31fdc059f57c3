/* patterns.c: the patterns of a run, from the command line and from files.
 *
 * A file is read whole and stays in memory; its patterns point into it. So a list of
 * hundreds of thousands costs two allocations and one pass.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "io/source.h"

#define LONGEST_SHOWN 200 /* a longer pattern is not shown in messages */

/* ---- the set ----------------------------------------------------------- */

/* Room for one more in an array of `count`: the grown array, or NULL. */
static void *grow(void *array, size_t count, size_t *room, size_t item)
{
    if (count < *room)
        return array;
    size_t more = *room ? 2 * *room : 16;
    void *grown = more <= SIZE_MAX / item ? realloc(array, more * item) : NULL;
    if (grown)
        *room = more;
    return grown;
}

/* Takes `text` (malloc'ed) over, on failure too; NULL is a failure. */
static bool own(pattern_set *set, char *text)
{
    char **owned =
        text ? grow(set->owned, set->owned_count, &set->owned_room, sizeof *owned) : NULL;
    if (!owned) {
        free(text);
        return false;
    }
    set->owned = owned;
    set->owned[set->owned_count++] = text;
    return true;
}

static char *copy_bytes(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* `text` and `file` outlive the set, or are owned by it. */
static bool append(pattern_set *set, const char *text, size_t length, const char *file, size_t line)
{
    size_t room = set->room;
    pattern_origin *origins = grow(set->origins, set->count, &room, sizeof *origins);
    if (!origins)
        return false;
    set->origins = origins;
    trawl_pattern *patterns = grow(set->patterns, set->count, &set->room, sizeof *patterns);
    if (!patterns)
        return false;
    set->patterns = patterns;
    origins[set->count] = (pattern_origin){ file, line };
    patterns[set->count] =
        (trawl_pattern){ .text = text, .length = length, .id = (uint32_t)(set->count + 1) };
    set->count++;
    return true;
}

bool pattern_set_add(pattern_set *set, const char *command, const char *text, size_t length)
{
    char *copy = copy_bytes(text, length);
    const bool added = own(set, copy) && append(set, copy, length, NULL, 0);
    set->given = true;
    if (!added)
        complain(command, "out of memory for a pattern");
    return added;
}

void pattern_set_free(pattern_set *set)
{
    for (size_t i = 0; i < set->owned_count; i++)
        free(set->owned[i]);
    free(set->owned);
    free(set->patterns);
    free(set->origins);
    memset(set, 0, sizeof *set);
}

/* ---- files ------------------------------------------------------------- */

/* The whole file, malloc'ed; NULL after a complaint. */
static char *read_file(const char *command, const char *path, size_t *length)
{
    source file;
    size_t room = 1u << 16, used = 0;
    char *text = source_open(&file, path) ? malloc(room) : NULL;
    ptrdiff_t got = text ? 1 : -1;
    while (got > 0) {
        if (used == room) {
            char *grown = room <= SIZE_MAX / 2 ? realloc(text, 2 * room) : NULL;
            if (!grown) {
                got = -1;
                break;
            }
            text = grown;
            room *= 2;
        }
        got = source_read(&file, text + used, room - used);
        used += got > 0 ? (size_t)got : 0;
    }
    if (got < 0) {
        complain(command, "%s: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    source_close(&file);
    *length = used;
    return text;
}

bool pattern_set_add_file(pattern_set *set, const char *command, const char *path)
{
    size_t length, line = 0;
    char *text = read_file(command, path, &length);
    char *name = text ? copy_bytes(path, strlen(path)) : NULL;
    set->given = true;
    if (!text)
        return false;
    bool added = own(set, text) && own(set, name);
    const char *at = text, *end = text + length;
    while (added && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *next = stop ? stop + 1 : end;
        stop = stop ? stop : end;
        if (stop > at && stop[-1] == '\r')
            stop--;
        line++;
        if (stop == at) {
            complain(command,
                     "%s:%zu: the line is empty, and an empty pattern would match everywhere: "
                     "remove the line (grep -v '^$' FILE writes the others)",
                     path, line);
            return false;
        }
        added = append(set, at, (size_t)(stop - at), name, line);
        at = next;
    }
    if (!added)
        complain(command, "%s: out of memory for its patterns", path);
    return added;
}

/* ---- compiling --------------------------------------------------------- */

static bool is_between(char c, char low, char high)
{
    return c >= low && c <= high;
}

/* What stands behind a backslash: is it x80 to xff, or 200 to 377? */
static bool is_high_escape(const char *text, size_t length)
{
    if (length < 3)
        return false;
    if (text[0] == 'x')
        return is_between(text[1], '8', '9') || is_between(text[1], 'a', 'f') ||
               is_between(text[1], 'A', 'F');
    return is_between(text[0], '2', '3') && is_between(text[1], '0', '7') &&
           is_between(text[2], '0', '7');
}

/* Does the pattern name ASCII bytes only? */
static bool is_ascii(const trawl_pattern *p)
{
    const char *text = p->text;
    for (size_t i = 0; i < p->length; i++) {
        if ((unsigned char)text[i] >= 0x80)
            return false;
        if (text[i] != '\\' || p->syntax == TRAWL_SYNTAX_LITERAL)
            continue;
        i++; /* the byte behind may be a backslash itself */
        if (is_high_escape(text + i, p->length - i))
            return false;
    }
    return true;
}

void pattern_set_style(pattern_set *set, const char *command, uint32_t syntax, uint32_t flags)
{
    bool warned = !(flags & TRAWL_NOCASE);
    for (size_t i = 0; i < set->count; i++) {
        trawl_pattern *p = &set->patterns[i];
        p->syntax = syntax;
        p->flags = flags;
        if (!warned && !is_ascii(p)) {
            complain(command,
                     "warning: -i knows the letters A to Z only: other letters of pattern %zu "
                     "match as they are written",
                     i + 1);
            warned = true;
        }
    }
}

/* The pattern on a line of its own, and a caret under the byte at `offset`. */
static void show_pattern(const trawl_pattern *p, size_t offset)
{
    const char *text = p->text;
    if (p->length == 0 || p->length > LONGEST_SHOWN)
        return;
    for (size_t i = 0; i < p->length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return;
    fprintf(stderr, "  %.*s\n", (int)p->length, text);
    if (offset <= p->length)
        fprintf(stderr, "  %*s^\n", (int)offset, "");
}

static void complain_pattern(const pattern_set *set, const char *command, const trawl_error *error)
{
    if (error->pattern >= set->count) {
        complain(command, "%s", error->message);
        return;
    }
    const pattern_origin *origin = &set->origins[error->pattern];
    if (origin->file)
        complain(command, "pattern %zu (from %s line %zu): %s", error->pattern + 1, origin->file,
                 origin->line, error->message);
    else
        complain(command, "pattern %zu: %s", error->pattern + 1, error->message);
    show_pattern(&set->patterns[error->pattern], error->offset);
}

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

/* The engine for one literal has little to do: the patterns are read first. */
bool pattern_set_check(const pattern_set *set, const run_options *o)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error;
    options.engine = "bm";
    const int status = trawl_compile(set->patterns, set->count, &options, &plan, &error);
    trawl_plan_free(plan);
    if (status == TRAWL_OK || status == TRAWL_ERROR_UNSUPPORTED)
        return true;
    complain_pattern(set, o->command, &error);
    return false;
}

trawl_plan *pattern_set_compile(const pattern_set *set, const run_options *o,
                                const trawl_context *context, const void *sample,
                                size_t sample_length)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error;
    options.engine = o->engine;
    options.wm_block = o->wm_block;
    options.sample = sample;
    options.sample_length = sample_length;
    options.context = context;
    if (trawl_compile(set->patterns, set->count, &options, &plan, &error) != TRAWL_OK)
        complain_pattern(set, o->command, &error);
    else
        explain_print(o, plan);
    if (!plan || fits_wm_block(plan, o))
        return plan;
    trawl_plan_free(plan);
    return NULL;
}
