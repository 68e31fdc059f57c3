/* planner.c: divides a set into parts and chooses the stages of each.
 *
 * Idea: an engine that is asked for by name gives one part, with one stage ("wm"), or with its
 * fallback too ("wm/ac"). "auto" asks every engine what a byte would cost, for the set as it is and
 * for its shares: literals apart from class patterns, literals of one or two bytes, or of up to
 * four, apart from longer ones, class patterns with rare factors apart from others. It takes the
 * cheapest division, and the cheapest engine for each part, with the fallback that the engine
 * names. So one class pattern does not slow ten thousand literals, and no text makes a plan of
 * literals much slower than Aho-Corasick.
 *
 * The reason is kept in the plan, so that `--explain` can say it.
 */
#include "engines/planner/planner.h"

#include <stdio.h>
#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/engine.h"

enum {
    SHORT = 3,
    SHORTER_THAN_GRAMS = 5,
    TEXT = 256,
    JOINED = 8192,      /* bytes of literals that are joined, */
    JOINED_STEP = 8191, /* numbers from one of these to the next */
    MIN_PATIENCE = 2,
    MAX_PATIENCE = 1 << 20
};

/* ---- shares of a set ------------------------------------------------------------ */

/* Patterns of the whole list that are searched alike; they belong to that list. */
typedef struct share {
    pattern_list list;
    uint32_t *indexes; /* NULL: the whole list */
    const engine *best, *second;
    double cost, second_cost;
    uint32_t choice; /* problem.choice of the best */
} share;

/* What divisions tell apart. */
enum {
    LONG_LITERALS = 1,
    MIDDLE_LITERALS = 2, /* filters want 5 bytes and more */
    SHORT_LITERALS = 4,
    RARE_CLASSES = 8,    /* class patterns that an engine marks (factors) */
    RARE_UNBOUNDED = 16, /* the same, without a longest match */
    SLICED_CLASSES = 32, /* of the others, those that an engine for some takes (bitslice) */
    OTHER_CLASSES = 64,
    RARE_LONG = 128, /* class patterns that are marked, and not sliced */
    KINDS = 256,     /* of shares: sets of these */
    LITERALS = LONG_LITERALS | MIDDLE_LITERALS | SHORT_LITERALS,
    COMMON_CLASSES = SLICED_CLASSES | OTHER_CLASSES,
    RARE = RARE_CLASSES | RARE_LONG,
    CLASSES = RARE | RARE_UNBOUNDED | COMMON_CLASSES,
    PROGRAMS = 0 /* always a share of their own */
};

static bool some_takes(const pattern *p)
{
    for (size_t i = 0; engine_at(i); i++)
        if (engine_at(i)->takes && engine_at(i)->takes(p))
            return true;
    return false;
}

static uint8_t kind_of(const pattern *p)
{
    if (pattern_is_program(p))
        return PROGRAMS;
    if (p->literal)
        return p->length < SHORT                ? SHORT_LITERALS
               : p->length < SHORTER_THAN_GRAMS ? MIDDLE_LITERALS
                                                : LONG_LITERALS;
    return some_takes(p) ? SLICED_CLASSES : OTHER_CLASSES;
}

/* The kind of each pattern of the list, and in *all those that there are; NULL: no memory. */
static uint8_t *kinds_of(const problem *p, uint32_t *all)
{
    uint8_t *kinds = memory_take_array(p->memory, p->list->count, 1);
    *all = 0;
    if (!kinds)
        return NULL;
    for (size_t i = 0; i < p->list->count; i++) {
        kinds[i] = kind_of(&p->list->patterns[i]);
        *all |= kinds[i];
    }
    for (size_t i = 0; engine_at(i) && *all & CLASSES; i++) {
        const engine *e = engine_at(i);
        if (!e->mark)
            continue;
        e->mark(p, kinds, SLICED_CLASSES, RARE_CLASSES, RARE_UNBOUNDED);
        e->mark(p, kinds, OTHER_CLASSES, RARE_LONG, RARE_UNBOUNDED);
    }
    *all = 0;
    for (size_t i = 0; i < p->list->count; i++)
        *all |= kinds[i];
    return kinds;
}

static void share_free(memory *m, share *s)
{
    if (s->indexes)
        memory_give(m, s->list.patterns);
    memory_give(m, s->indexes);
}

static bool is_of(uint8_t kind, uint32_t some)
{
    return some == PROGRAMS ? kind == PROGRAMS : (kind & some) != 0;
}

/* The patterns of some kinds. False: no memory. */
static bool share_take(const problem *p, const uint8_t *kinds, uint32_t some, share *s)
{
    const pattern_list *all = p->list;
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < all->count; i++)
        s->list.count += is_of(kinds[i], some);
    s->indexes = memory_take_array(p->memory, s->list.count, sizeof *s->indexes);
    if (s->indexes)
        s->list.patterns = memory_take_array(p->memory, s->list.count, sizeof *s->list.patterns);
    if (!s->list.patterns)
        return false;
    for (size_t i = 0, n = 0; i < all->count; i++)
        if (is_of(kinds[i], some)) {
            s->indexes[n] = (uint32_t)i;
            s->list.patterns[n++] = all->patterns[i];
        }
    return true;
}

static double part_cost(const problem *p)
{
    return p->target.gpu ? COST_GPU_PART : COST_PART;
}

static double reading_cost(const problem *p)
{
    return p->target.gpu ? COST_GPU_OF_READING : COST_OF_READING;
}

/* The cheapest engine for a share, and the next one; once one costs what reading does, no other is
 * asked: that takes longer than it could save. */
static void share_choose(const problem *p, share *s)
{
    const double reading = reading_cost(p);
    problem of = *p;
    of.list = &s->list;
    for (size_t i = 0; engine_at(i) && (!s->best || s->cost > reading); i++) {
        const engine *e = engine_at(i);
        uint32_t choice = 0;
        if (engine_refusal(e, &s->list))
            continue;
        of.choice = &choice;
        const double cost = e->cost(&of);
        if (s->best && cost >= COST_IMPOSSIBLE)
            continue;
        if (!s->best || cost < s->cost) {
            s->second = s->best;
            s->second_cost = s->cost;
            s->best = e;
            s->cost = cost;
            s->choice = choice;
        } else if (!s->second || cost < s->second_cost) {
            s->second = e;
            s->second_cost = cost;
        }
    }
}

/* ---- dividing -------------------------------------------------------------------- */

enum { WAY_PARTS = MAX_PARTS - 1 }; /* besides that of programs */

typedef struct division {
    share shares[MAX_PARTS];
    uint32_t count;
    double cost;
} division;

static void division_free(memory *m, division *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        share_free(m, &d->shares[i]);
    d->count = 0;
}

/* The share of some kinds, chosen for once and kept in seen[some]. NULL: no memory. */
static const share *share_of(const problem *p, const uint8_t *kinds, uint32_t some, share *seen)
{
    if (!seen[some].indexes) {
        if (!share_take(p, kinds, some, &seen[some]))
            return NULL;
        share_choose(p, &seen[some]);
    }
    return &seen[some];
}

/* What a way costs, whose shares are kept in `seen`; COST_IMPOSSIBLE also where memory ends.
 * `programs`: there are some. */
static double way_cost(const problem *p, const uint8_t *kinds, const uint8_t way[WAY_PARTS],
                       uint32_t all, bool programs, share *seen)
{
    double cost = -part_cost(p);
    if (programs) {
        const share *s = share_of(p, kinds, PROGRAMS, seen);
        if (!s || !s->best)
            return COST_IMPOSSIBLE;
        cost += s->cost + part_cost(p);
    }
    for (uint32_t i = 0; i < WAY_PARTS; i++) {
        const share *s = way[i] & all ? share_of(p, kinds, way[i] & all, seen) : NULL;
        if (way[i] & all && (!s || !s->best))
            return COST_IMPOSSIBLE;
        cost += s ? s->cost + part_cost(p) : 0;
    }
    return cost;
}

/* The shares of a way move from `seen` to the division. */
static void take_way(division *d, const uint8_t way[WAY_PARTS], uint32_t all, bool programs,
                     share *seen)
{
    d->count = 0;
    for (uint32_t i = 0; i < WAY_PARTS; i++)
        if (way[i] & all) {
            d->shares[d->count++] = seen[way[i] & all];
            memset(&seen[way[i] & all], 0, sizeof *seen);
        }
    if (programs) {
        d->shares[d->count++] = seen[PROGRAMS];
        memset(&seen[PROGRAMS], 0, sizeof *seen);
    }
}

/* Whether a way divides a set of these kinds at all, and otherwise than the ways before it. */
static bool way_differs(const uint8_t ways[][WAY_PARTS], uint32_t way, uint32_t all, bool programs)
{
    uint32_t shares = 0;
    for (uint32_t i = 0; i < WAY_PARTS; i++)
        shares += (ways[way][i] & all) != 0;
    for (uint32_t k = 0; k < way; k++) {
        uint32_t same = 0;
        for (uint32_t i = 0; i < WAY_PARTS; i++)
            for (uint32_t j = 0; j < WAY_PARTS; j++)
                same += (ways[way][i] & all) != 0 && (ways[way][i] & all) == (ways[k][j] & all);
        if (same == shares)
            return false;
    }
    return shares + programs > 1;
}

/* The set as it is, or the cheapest of its divisions. p->memory says if there was enough. */
static void choose_division(const problem *p, division *best)
{
    static const uint8_t ways[][WAY_PARTS] = {
        { LITERALS | CLASSES },
        { LITERALS, CLASSES },
        { LONG_LITERALS | MIDDLE_LITERALS, SHORT_LITERALS, CLASSES },
        { LONG_LITERALS, MIDDLE_LITERALS | SHORT_LITERALS, CLASSES },
        { LITERALS, RARE, RARE_UNBOUNDED, COMMON_CLASSES },
        { LITERALS, RARE, SLICED_CLASSES, RARE_UNBOUNDED | OTHER_CLASSES },
        { LONG_LITERALS | MIDDLE_LITERALS, SHORT_LITERALS, RARE, RARE_UNBOUNDED | COMMON_CLASSES },
        { LONG_LITERALS, MIDDLE_LITERALS | SHORT_LITERALS, RARE, RARE_UNBOUNDED | COMMON_CLASSES },
        { LITERALS, RARE_CLASSES | SLICED_CLASSES, RARE_LONG | RARE_UNBOUNDED | OTHER_CLASSES },
    };
    enum { WAYS = sizeof ways / sizeof *ways };
    const bool programs = pattern_list_has_programs(p->list);
    uint32_t all = 0, taken = WAYS;
    memset(best, 0, sizeof *best);
    best->count = 1;
    best->shares[0].list = *p->list;
    share_choose(p, &best->shares[0]);
    best->cost = best->shares[0].best ? best->shares[0].cost : COST_IMPOSSIBLE;
    uint8_t *kinds = p->list->patterns ? kinds_of(p, &all) : NULL;
    share *seen = kinds ? memory_take_zeroed(p->memory, KINDS, sizeof *seen) : NULL;
    for (uint32_t way = 0; seen && way < WAYS; way++) {
        if (!way_differs(ways, way, all, programs))
            continue;
        const double cost = way_cost(p, kinds, ways[way], all, programs, seen);
        if (cost < best->cost) {
            best->cost = cost;
            taken = way;
        }
    }
    if (taken < WAYS)
        take_way(best, ways[taken], all, programs, seen);
    for (uint32_t some = 0; seen && some < KINDS; some++)
        share_free(p->memory, &seen[some]);
    memory_give(p->memory, seen);
    memory_give(p->memory, kinds);
}

/* ---- building ---------------------------------------------------------------------- */

static int build_stage(const problem *p, stage_draft *stage, trawl_error *error)
{
    const engine *e = engine_of_kind(stage->kind);
    stage->tables.memory = p->memory;
    e->build(p, stage);
    if (!stage->tables.failed && stage->state_words > ENGINE_MAX_STATE)
        return fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                    "a scan for the patterns would keep more than %u MiB of state with engine "
                    "'%s': compile fewer at once, or name another engine",
                    ENGINE_MAX_STATE >> 17, e->name);
    if (!stage->tables.failed)
        return TRAWL_OK;
    if (p->memory->failure)
        return memory_failed(p->memory, error, "the tables of engine '%s'", e->name);
    return fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                "the patterns are too large for the tables of engine '%s', whose offsets have 32 "
                "bits: compile fewer at once, or name another engine",
                e->name);
}

/* What a byte costs the fallback, in nanoseconds, where it must take over: with literals, on a text
 * that is full of them. */
static uint32_t patience_of(const problem *p, const engine *fallback)
{
    const pattern_list *list = p->list;
    uint8_t text[JOINED];
    size_t length = 0;
    problem full = *p;
    full.choice = NULL;
    full.target.gpu = false;
    for (size_t i = 0; list->patterns && i < list->count && length < JOINED; i++) {
        const pattern *one = &list->patterns[i * JOINED_STEP % list->count];
        const size_t left = JOINED - length, more = one->length < left ? one->length : left;
        if (one->literal) {
            memcpy(text + length, one->bytes, more);
            length += more;
        }
    }
    if (length)
        full.sample = (profile){ text, length };
    const double cost = fallback->cost(&full);
    return cost < MIN_PATIENCE ? MIN_PATIENCE : cost > MAX_PATIENCE ? MAX_PATIENCE : (uint32_t)cost;
}

/* The stage of an engine, and that of its fallback. `bare`: as it was asked for by name, without.
 * Built from its end: a fallback takes the most memory, and may be refused before the rest is made.
 */
static int build_part(const problem *p, const engine *e, bool bare, part_draft *part,
                      trawl_error *error)
{
    const engine *fallback = bare ? NULL : fallback_of(e, p->list);
    problem other = *p; /* that of the fallback */
    int status = TRAWL_OK;
    other.choice = NULL;
    other.behind = true;
    part->stage_count = fallback ? 2 : 1;
    part->stages[0].kind = e->kind;
    if (fallback) {
        part->stages[1].kind = fallback->kind;
        status = build_stage(&other, &part->stages[1], error);
    }
    if (status == TRAWL_OK)
        status = build_stage(p, &part->stages[0], error);
    if (fallback && status == TRAWL_OK) {
        part->stages[0].patience = patience_of(p, fallback);
        if (p->memory->failure)
            status = memory_failed(p->memory, error, "what engine '%s' costs", fallback->name);
    }
    return status;
}

static void append(char *text, size_t room, const char *more)
{
    const size_t length = strlen(text);
    snprintf(text + length, room - length, "%s", more);
}

static int build_division(const problem *p, const division *d, bool bare, const char *why,
                          trawl_plan **plan, trawl_error *error)
{
    part_draft parts[MAX_PARTS];
    char names[TEXT] = "";
    int status = TRAWL_OK;
    memset(parts, 0, sizeof parts);
    for (uint32_t i = 0; i < d->count && status == TRAWL_OK; i++) {
        const engine *e = d->shares[i].best;
        uint32_t choice = d->shares[i].choice;
        problem of = *p;
        of.list = &d->shares[i].list;
        of.choice = &choice;
        parts[i].list = of.list;
        parts[i].indexes = d->shares[i].indexes;
        status = build_part(&of, e, bare, &parts[i], error);
        append(names, sizeof names, i > 0 ? " + " : "");
        append(names, sizeof names, e->name);
        if (parts[i].stage_count > 1 && !bare) {
            append(names, sizeof names, "/");
            append(names, sizeof names, fallback_of(e, of.list)->name);
        }
    }
    if (status == TRAWL_OK)
        status = plan_assemble(p->list, parts, d->count, names, why, plan, error);
    if (status == TRAWL_OK)
        (*plan)->cost = d->cost;
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t k = 0; k < parts[i].stage_count; k++)
            block_free(&parts[i].stages[k].tables);
    return status;
}

/* ---- choosing ------------------------------------------------------------------------- */

static void explain(const problem *p, const division *d, char *why, size_t room)
{
    const char *unit = p->list->needles ? "cell" : "byte";
    const int digits = p->target.gpu ? 5 : 2;
    why[0] = '\0';
    for (uint32_t i = 0; i < d->count; i++) {
        const share *s = &d->shares[i];
        char one[TEXT];
        if (d->count > 1)
            snprintf(one, sizeof one, "%s%zu pattern%s by %s: ", i > 0 ? "; " : "", s->list.count,
                     plural(s->list.count), s->best->name);
        append(why, room, d->count > 1 ? one : "");
        if (s->second)
            snprintf(one, sizeof one, "about %.*f ns a %s expected, %s about %.*f", digits, s->cost,
                     unit, s->second->name, digits, s->second_cost);
        else if (s->cost <= reading_cost(p))
            snprintf(one, sizeof one, "about %.*f ns a %s expected, as fast as text is read",
                     digits, s->cost, unit);
        else
            snprintf(one, sizeof one, "the only engine that takes this set");
        append(why, room, one);
    }
}

static bool is_named(const engine *e, const char *name)
{
    return e && strcmp(e->name, name) == 0;
}

/* The engine of a name as trawl_plan_info gives it: "wm", or "wm/ac" with its fallback; *bare says
 * which. */
static const engine *engine_of_chain(const char *name, bool *bare)
{
    char first[TEXT];
    const char *slash = strchr(name, '/');
    const size_t length = slash ? (size_t)(slash - name) : strlen(name);
    if (length >= sizeof first)
        return NULL;
    memcpy(first, name, length);
    first[length] = '\0';
    const engine *e = engine_by_name(first);
    *bare = !slash;
    const bool known =
        !slash || (e && (is_named(e->fallback, slash + 1) || is_named(e->instead, slash + 1)));
    return known ? e : NULL;
}

static int make_named(const problem *p, const char *name, trawl_plan **plan, trawl_error *error)
{
    division d = { .count = 1 };
    bool bare;
    const engine *e = engine_of_chain(name, &bare);
    if (!e)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "there is no engine '%.40s': see `trawl engines` for the names", name);
    const char *refusal = engine_refusal(e, p->list);
    if (refusal)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "engine '%s' does not take this set: %s", e->name, refusal);
    d.shares[0].list = *p->list;
    d.shares[0].best = e;
    return build_division(p, &d, bare, "asked for by name", plan, error);
}

int plan_make(const problem *p, const char *name, trawl_plan **plan, trawl_error *error)
{
    division d;
    char why[2 * TEXT];
    if (name && strcmp(name, "auto") != 0)
        return make_named(p, name, plan, error);
    choose_division(p, &d);
    int status = TRAWL_OK;
    if (p->memory->failure) {
        status = memory_failed(p->memory, error, "choosing engines for %zu pattern%s",
                               p->list->count, plural(p->list->count));
    } else if (d.shares[0].best) {
        explain(p, &d, why, sizeof why);
        status = build_division(p, &d, false, why, plan, error);
    } else {
        status = fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE, "no engine takes this set");
    }
    division_free(p->memory, &d);
    return status;
}
