/* engine.h: what an algorithm must say about itself. An engine is a folder: build.c (what it
 * accepts, what it costs, how its tables are built and verified), layout.h (the tables), cpu.c or
 * vector.c (the loop), device.{c,h,k} (the same on devices).
 */
#ifndef TRAWL_ENGINES_SHARED_ENGINE_H
#define TRAWL_ENGINES_SHARED_ENGINE_H

#include "engines/shared/problem.h"
#include "engines/shared/walk.h"
#include "plan/plan.h"

/* The most words of state of a stage, in any plan, compiled or loaded. */
#define ENGINE_MAX_STATE (1u << 24)

typedef struct engine {
    const char *name;  /* what --engine takes */
    const char *about; /* one line: algorithm, what it accepts, source */
    walk_kind kind;    /* the kind of its stage */
    bool grid;         /* takes needles, not patterns */
    bool programs;     /* takes patterns that are programs, too */

    /* NULL when the engine takes this list; else why not (static storage, fits
     * "engine 'x' does not take this set: ..."). */
    const char *(*refuses)(const pattern_list *list);

    /* Estimated cost in nanoseconds a byte of text (a cell for grids) on the problem's text and
     * target: the planner takes the cheapest engine that does not refuse. */
    double (*cost)(const problem *p);

    /* Build the tables of its stage in out->tables, whose `failed` is set when memory runs out or
     * offsets grow too large: the planner reports that. The caller frees them. */
    void (*build)(const problem *p, stage_draft *out);

    /* Verify tables of a loaded plan: after a true no walk reads or writes outside the
     * tables, the text it is given, or its state, and every number that it reports is below
     * pattern_count. Tables are `words` long and 64-byte aligned. */
    bool (*check)(const stage_facts *facts, const uint32_t *tables, size_t words);

    /* What a planner may divide a set by; each may be NULL. `takes`, for an engine that takes some
     * class patterns: whether it takes this one, and so every list of such patterns. */
    bool (*takes)(const pattern *p);
    /* Among the patterns that are `from` in kinds[list->count], those that it suits on the
     * problem's text become `to`, or `unbounded` when they have no longest match. */
    void (*mark)(const problem *p, uint8_t *kinds, uint8_t from, uint8_t to, uint8_t unbounded);

    /* The engine whose stage takes over where this one gives up; NULL: this one never does. It
     * takes every list that this one takes. */
    const struct engine *fallback;
    const struct engine *instead; /* another one, which takes over for some lists; or NULL */
    /* Which of the two it is for a list that this engine takes; it returns NULL where none is worth
     * having. NULL: always `fallback`. A stage without a fallback never gives up, and a device runs
     * it only if it knows its kind. */
    const struct engine *(*fallback_of)(const pattern_list *list);
} engine;

/* All engines that can be asked for by name. */
const engine *engine_at(size_t index); /* NULL past the end */
const engine *engine_by_name(const char *name);

/* The engine whose stages have this kind; NULL when there is none. */
const engine *engine_of_kind(uint32_t kind);

/* As `refuses`, of a list that may have programs. */
static inline const char *engine_refusal(const engine *e, const pattern_list *list)
{
    return !e->programs && pattern_list_has_programs(list)
               ? "it takes sequences of classes, and no groups of them: use glushkov"
               : e->refuses(list);
}

static inline const engine *fallback_of(const engine *e, const pattern_list *list)
{
    return e->fallback_of ? e->fallback_of(list) : e->fallback;
}

/* True when words [offset, offset + count) lie inside a section of `words`. */
static inline bool words_inside(size_t words, uint64_t offset, uint64_t count)
{
    return offset <= words && count <= words - offset;
}

#define ENGINE(name, NAME, kind, room, loop, device, title) extern const engine engine_##name;
#include "engines/engines.def"

#endif
