/* engine.h: what an algorithm must say of itself. One engine is one file here (what it
 * accepts, how its tables are built and verified) and one in walk/ (the loop).
 */
#ifndef TRAWL_ENGINE_H
#define TRAWL_ENGINE_H

#include "pattern/pattern.h"
#include "plan/plan.h"
#include "walk/walk.h"

/* What build leaves besides the section. */
typedef struct engine_section {
    block tables;
    uint32_t carries;     /* see plan_header */
    uint64_t state_words; /* see plan_header */
} engine_section;

typedef struct engine {
    const char *name;  /* what --engine takes */
    const char *about; /* one line: algorithm, what it accepts, source */
    walk_kind kind;
    bool grid; /* takes needles, not patterns */

    /* NULL when the engine takes this list; else why not (static storage, fits
     * "engine 'x' does not take this set: ..."). */
    const char *(*refuses)(const pattern_list *list);

    /* Estimated cost in nanoseconds a byte (a cell for grids), serial, on a text without
     * many matches: the planner takes the cheapest engine that does not refuse. */
    double (*cost)(const pattern_list *list);

    /* Build the tables. On an error the caller frees out->tables. */
    int (*build)(const pattern_list *list, const trawl_compile_options *options,
                 engine_section *out, trawl_error *error);

    /* Verify tables of a loaded plan: after a true no walk reads or writes outside the
     * section, the text it is given, or its state, and every index is < patterns. Tables
     * are `words` long and 64-byte aligned. */
    bool (*check)(const plan_header *head, const uint32_t *tables, size_t words);
} engine;

/* All engines, in the order of walk_kind. */
const engine *engine_at(size_t index); /* NULL past the end */
const engine *engine_by_name(const char *name);

/* True when words [offset, offset + count) lie inside a section of `words`. */
static inline bool words_inside(size_t words, uint64_t offset, uint64_t count)
{
    return offset <= words && count <= words - offset;
}

extern const engine engine_bm, engine_wm, engine_ac, engine_pfac, engine_shiftand, engine_hnfa,
    engine_bb, engine_byr;

#endif
