/* plan_file.c: see cli/plan_file.h.
 *
 * A plan is read, not mapped: a file that changes under a plan would be searched by tables that
 * nobody has verified.
 */
#define _GNU_SOURCE /* MADV_HUGEPAGE */
#include "cli/plan_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/plan_note.h"
#include "formats/sources/replace.h"
#include "formats/sources/source.h"

/* That trawl_plan_view asks for; and of pages for large plans. */
#define ALIGN ((size_t)64)
#define LARGE ((size_t)2 << 20)
#define MIN_ROOM ((size_t)1 << 20)

/* Before a plan that only grep may search with: a head of that size, the rest of it 0. The plan
 * keeps its alignment. */
#define HEAD ALIGN
static const uint8_t conditional[HEAD] = TRAWL_PLAN_CONDITIONAL;

/* ---- reading ------------------------------------------------------------- */

const option_row plan_rows[] = {
    { OPT_PLAN, "plan", "PLAN", .about = "the patterns that `trawl compile` has made a plan of" },
    { 0 },
};

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

trawl_plan *plan_file_read(const char *command, const char *path, void **block)
{
    const char *shown = shown_name(path);
    trawl_plan *plan = NULL;
    trawl_error error;
    source file = { .fd = -1 };
    size_t length = 0;
    uint8_t *bytes = NULL;
    size_t head = 0;
    *block = NULL;
    if (!source_open(&file, path)) {
        complain(command, "%s: %s", shown, strerror(errno));
    } else if (!may_be_plan(&file)) {
        complain(command, "%s: is no plan: `trawl compile -f LIST -o FILE` makes one", shown);
    } else if (!(bytes = read_all(&file, &length))) {
        complain(command, "%s: %s", shown, file.why);
    } else if (head = has_head(bytes, length) ? HEAD : 0,
               trawl_plan_view(bytes + head, length - head, &plan, &error) != TRAWL_OK) {
        complain(command, "%s: %s", shown, error.message);
        free(bytes);
        bytes = NULL;
    }
    source_close(&file);
    *block = bytes;
    return plan;
}

/* ---- writing --------------------------------------------------------------- */

static bool write_plan(FILE *file, const trawl_plan *plan, bool headed)
{
    size_t length;
    const uint8_t *bytes = trawl_plan_save(plan, &length);
    return (!headed || fwrite(conditional, 1, HEAD, file) == HEAD) &&
           fwrite(bytes, 1, length, file) == length && fflush(file) == 0;
}

bool plan_file_write(const char *command, const char *path, const trawl_plan *plan, bool headed)
{
    const bool to_output = strcmp(path, "-") == 0;
    if (to_output && isatty(STDOUT_FILENO)) {
        complain(command, "a plan is no text, and standard output is a terminal: name a file, or "
                          "a command that takes it (... -o - | trawl find --plan - FILE)");
        return false;
    }
    replacement made;
    bool fine;
    if (to_output) {
        fine = write_plan(stdout, plan, headed);
    } else {
        fine = replace_begin(&made, path);
        if (fine)
            fine = replace_end(&made, write_plan(made.file, plan, headed));
    }
    if (!fine)
        complain(command, "%s: cannot write the plan: %s", to_output ? "(standard output)" : path,
                 strerror(errno));
    return fine;
}

/* ---- its patterns ------------------------------------------------------------ */

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

static bool out_of_memory(const char *command, const char *path)
{
    complain(command, "%s: out of memory for its patterns", shown_name(path));
    return false;
}

bool pattern_set_load(pattern_set *set, const run_options *o, const char *path, uint32_t purpose,
                      bool others)
{
    trawl_plan_info info = { .size = sizeof info };
    void *block = NULL;
    if (!options_fit(o, others))
        return false;
    set->given = true;
    set->plan = plan_file_read(o->command, path, &block);
    if (!set->plan)
        return false;
    trawl_plan_get_info(set->plan, &info);
    set->tag = info.tag;
    set->patterns = calloc(info.patterns, sizeof *set->patterns);
    set->origins = calloc(info.patterns, sizeof *set->origins);
    if (!pattern_set_own(set, block)) { /* it is freed already */
        trawl_plan_free(set->plan);
        set->plan = NULL;
    }
    if (!set->plan || !set->patterns || !set->origins)
        return out_of_memory(o->command, path);
    if (!purpose_fits(o->command, path, set->plan, purpose))
        return false;
    size_t length;
    const char *note = trawl_plan_get_note(set->plan, &length);
    set->count = set->room = info.patterns;
    if (!plan_note_read(set, note, length)) {
        complain(o->command,
                 "%s: what the plan says of its patterns cannot be read: compile it again",
                 shown_name(path));
        return false;
    }
    for (size_t i = 0; i < info.patterns; i++)
        if (!take_pattern(set, i))
            return out_of_memory(o->command, path);
    return true;
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
