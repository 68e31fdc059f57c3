/* pattern_set.c: see formats/patterns/pattern_set.h.
 *
 * A file is read whole and stays in memory; its patterns point into it. So a list of
 * hundreds of thousands costs two allocations and one pass.
 */
#include "formats/patterns/pattern_set.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/patterns/entries.h"
#include "formats/patterns/rules.h"
#include "formats/records/texts.h"
#include "formats/sources/grow.h"

/* ---- messages ---------------------------------------------------------- */

static void tell(const pattern_set *set, bool warning, const char *file, size_t line,
                 const char *format, va_list arguments)
{
    va_list again;
    if (!set->tell)
        return;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    set->tell(set->teller,
              &(pattern_message){ warning, file, line, text ? text : "out of memory" });
    free(text);
}

bool pattern_set_fail(const pattern_set *set, const char *file, size_t line, const char *format,
                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(set, false, file, line, format, arguments);
    va_end(arguments);
    return false;
}

void pattern_set_warn(const pattern_set *set, const char *file, size_t line, const char *format,
                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(set, true, file, line, format, arguments);
    va_end(arguments);
}

/* ---- the set ----------------------------------------------------------- */

int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool pattern_set_own(pattern_set *set, char *text)
{
    if (!text ||
        !grow_array(&set->owned, set->owned_count + 1, &set->owned_room, sizeof *set->owned)) {
        free(text);
        return false;
    }
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

char *pattern_set_room(pattern_set *set, size_t count)
{
    char *room = count < SIZE_MAX ? malloc(count + 1) : NULL;
    return room && pattern_set_own(set, room) ? room : NULL;
}

bool pattern_set_append(pattern_set *set, const char *text, size_t length, const char *file,
                        size_t line)
{
    size_t room = set->room;
    if (!grow_array(&set->origins, set->count + 1, &room, sizeof *set->origins) ||
        !grow_array(&set->patterns, set->count + 1, &set->room, sizeof *set->patterns))
        return false;
    set->origins[set->count] = (pattern_origin){ .file = file, .line = line };
    set->patterns[set->count] =
        (trawl_pattern){ .text = text, .length = length, .id = (uint32_t)(set->count + 1) };
    set->count++;
    return true;
}

static trawl_conditions *conditions_of(pattern_set *set, size_t index)
{
    trawl_conditions *c = &set->origins[index].conditions;
    if (!c->size)
        *c = (trawl_conditions)TRAWL_CONDITIONS_INIT;
    set->conditional = true;
    return c;
}

void pattern_set_place(pattern_set *set, size_t index, uint32_t place, uint64_t offset,
                       uint64_t within)
{
    trawl_conditions *c = conditions_of(set, index);
    c->place = place;
    c->offset = offset;
    c->within = within;
}

void pattern_set_word(pattern_set *set, size_t index, uint32_t word)
{
    conditions_of(set, index)->word = word;
}

int pattern_set_make(const pattern_set *set, size_t first, size_t count,
                     const trawl_compile_options *options, trawl_plan **plan, trawl_error *error)
{
    trawl_compile_options asked = *options;
    const trawl_conditions **conditions = NULL;
    if (set->conditional && !(conditions = malloc(count * sizeof *conditions))) {
        if (error)
            *error = (trawl_error){ .code = TRAWL_ERROR_MEMORY,
                                    .pattern = TRAWL_NONE,
                                    .offset = TRAWL_NONE,
                                    .message = "out of memory for what patterns ask for" };
        return TRAWL_ERROR_MEMORY;
    }
    for (size_t i = 0; conditions && i < count; i++) {
        const trawl_conditions *c = &set->origins[first + i].conditions;
        conditions[i] = c->size ? c : NULL;
    }
    asked.conditions = conditions;
    const int status = trawl_compile(set->patterns + first, count, &asked, plan, error);
    free(conditions);
    return status;
}

bool pattern_set_add(pattern_set *set, const char *text, size_t length)
{
    if (length == 0 && set->takes_empty)
        return set->given = set->has_empty = true;
    char *copy = copy_bytes(text, length);
    const bool added = pattern_set_own(set, copy) && pattern_set_append(set, copy, length, NULL, 0);
    set->given = true;
    if (!added)
        pattern_set_fail(set, NULL, 0, "out of memory for a pattern");
    return added;
}

bool pattern_set_add_lines(pattern_set *set, const char *text)
{
    for (;; text++) {
        const size_t length = strcspn(text, "\n");
        if (!pattern_set_add(set, text, length))
            return false;
        text += length;
        if (!*text)
            return true;
    }
}

void pattern_set_free(pattern_set *set)
{
    trawl_plan_free(set->plan);
    for (size_t i = 0; i < set->owned_count; i++)
        free(set->owned[i]);
    free(set->owned);
    free(set->patterns);
    free(set->origins);
    rule_list_free(set->rules);
    memset(set, 0, sizeof *set);
}

/* ---- files ------------------------------------------------------------- */

/* The whole file, or what it is compressed from, malloc'ed; NULL after telling why. */
static char *read_file(const pattern_set *set, const char *path, size_t *length)
{
    const unpack_options usual = { UNPACK_RATIO, 1, NULL };
    source file;
    size_t room = 1u << 16, used = 0;
    const char *why = NULL;
    char *text = source_open(&file, path) ? malloc(room) : NULL;
    ptrdiff_t got = text ? 1 : -1;
    if (text && texts_packed(&file) && !texts_unpack(&file, &usual))
        got = -1;
    while (got > 0) {
        if (used == room) {
            char *grown = room <= SIZE_MAX / 2 ? realloc(text, 2 * room) : NULL;
            if (!grown) {
                why = strerror(ENOMEM);
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
        why = why ? why : text && file.why ? file.why : strerror(errno);
        pattern_set_fail(set, shown_name(path), 0, "%s", why);
        free(text);
        text = NULL;
    }
    source_close(&file);
    *length = used;
    return text;
}

char *pattern_set_read(pattern_set *set, const char *path, size_t *length)
{
    char *text = read_file(set, path, length);
    if (!text || pattern_set_own(set, text))
        return text;
    pattern_set_fail(set, shown_name(path), 0, "out of memory for its patterns");
    return NULL;
}

bool pattern_set_add_file(pattern_set *set, const char *path)
{
    const char *shown = shown_name(path);
    size_t length, line = 0;
    char *text = read_file(set, path, &length);
    char *name = text ? copy_bytes(shown, strlen(shown)) : NULL;
    set->given = true;
    if (!text)
        return false;
    bool added = pattern_set_own(set, text);
    added = pattern_set_own(set, name) && added;
    const char *at = text, *end = text + length;
    const bool fasta = added && set->takes_fasta && looks_like_fasta(text, length);
    while (added && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *next = stop ? stop + 1 : end;
        stop = stop ? stop : end;
        if (stop > at && stop[-1] == '\r')
            stop--;
        line++;
        if (stop == at && (set->takes_empty || fasta)) {
            set->has_empty |= set->takes_empty;
            at = next;
            continue;
        }
        added = pattern_set_append(set, at, (size_t)(stop - at), name, line);
        at = next;
    }
    if (!added)
        pattern_set_fail(set, shown, 0, "out of memory for its patterns");
    return added;
}
