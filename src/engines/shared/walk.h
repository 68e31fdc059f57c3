/* walk.h: the walks by their kind: the loops of all algorithms on a CPU.
 *
 * A walk is the loop of one stage over one slice. Backends know walks only by their kind, which the
 * plan has (engines.def). Each instruction set has its table of walks: vector walks (vector.c) are
 * compiled for each, the others (cpu.c) once.
 *
 * Giving up is local. A walk whose stage has a fallback may stop where its work no longer pays, and
 * says where: all occurrences that begin before that place have been reported, and none that begins
 * there or later. The fallback begins there. Or (walk.ends) all that end at that place or before it
 * have been reported, and none that ends later: the fallback reads the reach again.
 */
#ifndef TRAWL_ENGINES_SHARED_WALK_H
#define TRAWL_ENGINES_SHARED_WALK_H

#include <stdbool.h>

#include "base/isa.h"
#include "base/port.h"

typedef enum walk_kind {
#define ENGINE(name, NAME, kind, room, loop, device, title) WALK_##NAME = kind,
#include "engines/engines.def"

#define ENGINE(name, NAME, kind, room, loop, device, title) +1
    WALK_KINDS = 0
#include "engines/engines.def"
} walk_kind;

/* WALK_APART: in front of a function that a loop seldom calls, which is kept out of it, so that the
 * loop has the registers. WALK_INTO: in front of a function that is compiled into each of its
 * callers, with the constants that they call it with. */
#if defined(__GNUC__) || defined(__clang__)
#define WALK_APART static __attribute__((noinline))
#define WALK_INTO static inline __attribute__((always_inline))
#else
#define WALK_APART static
#define WALK_INTO static inline
#endif

/* Fetch the line of cache at an address that will be read soon. */
#if defined(__GNUC__) || defined(__clang__)
#define WALK_FETCH(address) __builtin_prefetch(address)
#else
#define WALK_FETCH(address) ((void)(address))
#endif

/* ---- text --------------------------------------------------------------------- */

typedef struct text_task text_task;

#define WALK_NEVER (UINT64_MAX / 2)

/* Report every occurrence whose end e satisfies begin < e <= end, reading from `from` on, which is
 * at most begin - reach unless the text itself begins there; or the state knows what begins before
 * `from`, and then from == begin. Bytes text[low .. end) may be read, low <= from.
 */
struct text_task {
    const u32 *tables;
    const u8 *text;
    u32 low, from, begin, end;
    u64 *state;    /* plan_stage.state_words; in and out; all zero is the state before any byte */
    bool opens;    /* text[from] is the opening, and the text begins after it (pattern/pattern.h) */
    bool whole;    /* `state` is all zero, and nobody needs it after the end */
    bool news;     /* parts that carry: no match begins; only the states in `state` move on */
    u64 allowance; /* how much work beyond what pays ends the walk; WALK_NEVER: it may not stop */
    u32 patience;  /* how much work a byte pays: what the fallback takes; 0: there is none */
    const sink *out;
    u64 candidates; /* out: places looked at more closely */
};

/* Returns t->end, or where it stopped. */
typedef u32 (*text_walk)(text_task *t);

/* Whether a walk that has taken `work` for the bytes from `from` to `at` should stop. A unit of
 * work is about a nanosecond beyond what a byte costs anyhow. With more work than its patience it
 * is slower than the fallback; the allowance keeps one odd place from ending it. */
static inline bool give_up(const text_task *t, u32 at, u64 work)
{
    return work > t->allowance + t->patience * (u64)(at - t->from);
}

/* ---- grids -------------------------------------------------------------------- */

/* Report every occurrence whose top row r satisfies begin <= r < end. rows * cols < 2^32. */
typedef struct grid_task {
    const u32 *tables;
    const u8 *cells;
    u32 rows, cols;
    u64 stride; /* bytes */
    u32 begin, end;
    u32 *state; /* plan_stage.state_words for each column; scratch, with any content */
    u64 allowance;
    const sink *out;
    u64 candidates;
} grid_task;

/* Returns t->end, or the first row whose occurrences were not reported. */
typedef u32 (*grid_walk)(grid_task *t);

/* ---- all of them -------------------------------------------------------------- */

/* What a kind is on a CPU; members that do not apply are NULL. */
typedef struct walk {
    text_walk text;
    grid_walk grid;
    bool ends;    /* it gives up by ends: all ends up to where it stopped were reported, none after
                     it */
    bool scratch; /* its state is room, with any content */
    bool flows;   /* after a run over any text the state is that of the whole text before it */
} walk;

/* The walks by instruction set (NULL: this library has none for it) and kind: engines/vector.c. */
extern const walk *const *const walk_sets[ISA_COUNT];

static inline const walk *walk_of(isa set, u32 kind)
{
    return walk_sets[set][kind];
}

/* What is the same for all instruction sets. */
static inline bool walk_flows(u32 kind)
{
    return walk_sets[ISA_PORTABLE][kind]->flows;
}

#endif
