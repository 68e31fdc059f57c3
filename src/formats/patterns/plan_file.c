/* plan_file.c: see plan_file.h. A line of a note is pattern, head.
 *
 * A plan is read, not mapped: a file that changes under a plan would be searched by tables that
 * nobody has verified.
 */
#define _GNU_SOURCE /* MADV_HUGEPAGE */
#include "formats/patterns/plan_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "formats/sources/source.h"

/* That trawl_plan_view asks for; and of pages for large plans. */
#define ALIGN ((size_t)64)
#define LARGE ((size_t)2 << 20)
#define MIN_ROOM ((size_t)1 << 20)
#define MAX_LINE 50 /* of a note: two numbers */
#define MAX_HEAD 4  /* bytes of (?i) */

/* Before a plan that only grep may search with: a head of that size, the rest of it 0. The plan
 * keeps its alignment. */
#define HEAD ALIGN
static const uint8_t conditional[HEAD] = TRAWL_PLAN_CONDITIONAL;

/* ---- files ----------------------------------------------------------------- */

/* Room for *room bytes, or a few more, with the first `used` of `old`, which is freed. */
static uint8_t *larger(uint8_t *old, size_t used, size_t *room)
{
    const size_t align = *room < 2 * LARGE ? ALIGN : LARGE;
    const bool fits = *room < SIZE_MAX / 4;
    *room = (*room + align - 1) / align * align;
    uint8_t *made = fits ? aligned_alloc(align, *room) : NULL;
#ifdef MADV_HUGEPAGE
    if (made && align == LARGE)
        madvise(made, *room, MADV_HUGEPAGE);
#endif
    if (made && used)
        memcpy(made, old, used);
    free(old);
    return made;
}

/* All bytes of an open file. NULL: file->why. */
static uint8_t *read_all(source *file, size_t *length)
{
    const uint64_t known = file->mappable ? file->length : 0;
    size_t used = 0, room = MIN_ROOM;
    ptrdiff_t got = 1;
    if (known > SIZE_MAX / 4) {
        file->why = strerror(EFBIG);
        return NULL;
    }
    if (known >= room) /* and a byte more, so that the end is seen */
        room = (size_t)known + 1;
    uint8_t *bytes = larger(NULL, 0, &room);
    while (bytes && got > 0) {
        if (used == room) {
            room *= 2;
            bytes = larger(bytes, used, &room);
        }
        got = bytes ? source_read(file, bytes + used, room - used) : 0;
        used += got > 0 ? (size_t)got : 0;
    }
    if (!bytes)
        file->why = strerror(ENOMEM);
    if (bytes && got < 0) {
        free(bytes);
        bytes = NULL;
    }
    *length = used;
    return bytes;
}

static bool has_head(const uint8_t *bytes, size_t length)
{
    return length >= HEAD && memcmp(bytes, conditional, HEAD) == 0;
}

/* Whether the file begins as plans do; an empty one, or one that cannot be read, is for others to
 * complain of. */
static bool may_be_plan(source *file)
{
    const uint8_t *head;
    size_t length;
    return !source_look(file, HEAD, &head, &length) || length == 0 || has_head(head, length) ||
           (length >= 8 && memcmp(head, "TRAWLPLN", 8) == 0);
}

trawl_plan *plan_file_read(const char *path, void **block, char *why, size_t room)
{
    trawl_plan *plan = NULL;
    trawl_error error;
    source file = { .fd = -1 };
    size_t length = 0;
    uint8_t *bytes = NULL;
    *block = NULL;
    if (!source_open(&file, path))
        snprintf(why, room, "%s", strerror(errno));
    else if (!may_be_plan(&file))
        snprintf(why, room, PLAN_FILE_NONE);
    else if (!(bytes = read_all(&file, &length)))
        snprintf(why, room, "%s", file.why);
    source_close(&file);
    const size_t head = bytes && has_head(bytes, length) ? HEAD : 0;
    if (bytes && trawl_plan_view(bytes + head, length - head, &plan, &error) != TRAWL_OK) {
        snprintf(why, room, "%s", error.message);
        free(bytes);
        bytes = NULL;
    }
    *block = bytes;
    return plan;
}

bool plan_file_write(FILE *file, const trawl_plan *plan, bool headed)
{
    size_t length;
    const uint8_t *bytes = trawl_plan_save(plan, &length);
    return (!headed || fwrite(conditional, 1, HEAD, file) == HEAD) &&
           fwrite(bytes, 1, length, file) == length && fflush(file) == 0;
}

/* ---- notes ----------------------------------------------------------------- */

char *plan_note_write(const pattern_set *set)
{
    size_t lines = 1;
    for (size_t i = 0; i < set->count; i++)
        lines += set->origins[i].head > 0;
    char *note = lines <= SIZE_MAX / MAX_LINE ? malloc(lines * MAX_LINE) : NULL, *at = note;
    if (!note)
        return NULL;
    note[0] = '\0';
    for (size_t i = 0; i < set->count; i++)
        if (set->origins[i].head)
            at += snprintf(at, MAX_LINE, "%zu %zu\n", i, set->origins[i].head);
    return note;
}

/* A number that is written as plan_note_write does, and what follows it. NULL: none is there. */
static const char *read_number(const char *at, size_t most, size_t *number)
{
    const char *begin = at;
    for (*number = 0; *at >= '0' && *at <= '9' && *number <= most; at++)
        *number = 10 * *number + (size_t)(*at - '0');
    return at > begin && *number <= most ? at : NULL;
}

/* Take a note into a set that has its patterns and origins. False: it is no note of ours. */
static bool read_note(pattern_set *set, const char *note, size_t length)
{
    size_t pattern, head;
    if (length && (note[length - 1] != '\n' || memchr(note, '\0', length)))
        return false; /* numbers end before the note does */
    for (const char *at = note; at < note + length; at++) {
        at = read_number(at, set->count - 1, &pattern);
        at = at && *at == ' ' ? read_number(at + 1, MAX_HEAD, &head) : NULL;
        if (!at || *at != '\n')
            return false;
        set->origins[pattern].head = head;
    }
    return true;
}

/* ---- its patterns ------------------------------------------------------------ */

/* A pattern as it was given, with its conditions: what stood before its text (pattern_origin.head)
 * stands there again. */
static bool take_pattern(pattern_set *set, size_t index)
{
    trawl_conditions asked = TRAWL_CONDITIONS_INIT;
    trawl_pattern *p = &set->patterns[index];
    const size_t head = set->origins[index].head;
    trawl_plan_get_pattern(set->plan, index, p);
    trawl_plan_get_conditions(set->plan, index, &asked);
    if (asked.place != TRAWL_PLACE_ANY)
        pattern_set_place(set, index, asked.place, asked.offset, asked.within);
    if (asked.word != TRAWL_WORD_ANY)
        pattern_set_word(set, index, asked.word);
    if (!head)
        return true;
    char *text = pattern_set_room(set, head + p->length);
    if (!text)
        return false;
    memcpy(text, "(?i)", head);
    memcpy(text + head, p->text, p->length);
    p->text = text + head;
    return true;
}

bool pattern_set_take_plan(pattern_set *set, trawl_plan *plan, void *block, const char *path)
{
    trawl_plan_info info = { .size = sizeof info };
    size_t length;
    trawl_plan_get_info(plan, &info);
    set->plan = plan;
    set->tag = info.tag;
    set->patterns = calloc(info.patterns, sizeof *set->patterns);
    set->origins = calloc(info.patterns, sizeof *set->origins);
    if (!pattern_set_own(set, block)) { /* it is freed already */
        trawl_plan_free(set->plan);
        set->plan = NULL;
    }
    bool fine = set->plan && set->patterns && set->origins;
    if (fine) {
        const char *note = trawl_plan_get_note(plan, &length);
        set->count = set->room = info.patterns;
        if (!read_note(set, note, length))
            return pattern_set_fail(
                set, shown_name(path), 0,
                "what the plan says of its patterns cannot be read: compile it again");
    }
    for (size_t i = 0; fine && i < info.patterns; i++)
        fine = take_pattern(set, i);
    return fine || pattern_set_fail(set, shown_name(path), 0, "out of memory for its patterns");
}
