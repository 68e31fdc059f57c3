/* plan.h: the compiled form of a set of patterns, one flat relocatable block.
 *
 * The block holds offsets and no pointers, so the same bytes are read by the CPU,
 * uploaded to a device, saved to a file or sent to another machine:
 *
 *     header | patterns | elements | programs | borders | strings | parts | indexes | stages
 *            | tables | note
 *
 * A part is a share of the set that is searched alike; the records of all parts unite in
 * order. A part has a stage that searches it, and may have a fallback, a second one that takes over
 * where the first gives up, and never does so itself. Each stage has tables, which open with a
 * header, as layout.h of the algorithm declares; offsets in them are in 4-byte words from their
 * start.
 *
 * Sections, and the tables of each stage, start at multiples of 64 bytes. Immutable once made.
 */
#ifndef TRAWL_PLAN_H
#define TRAWL_PLAN_H

#include "base/block.h"
#include "pattern/program.h"
#include "trawl.h"

#define PLAN_MAGIC "TRAWLPLN"
#define PLAN_VERSION 14u
#define PLAN_BYTE_ORDER 0x01020304u
#define PLAN_ALIGN 64u

enum { MAX_PARTS = 5, MAX_STAGES = 2 };

enum plan_section {
    PLAN_PATTERNS,
    PLAN_ELEMENTS,
    PLAN_PROGRAMS,
    PLAN_BORDERS,
    PLAN_STRINGS,
    PLAN_PARTS,
    PLAN_INDEXES,
    PLAN_STAGES,
    PLAN_TABLES,
    PLAN_NOTE,
    PLAN_SECTIONS
};

typedef struct plan_range {
    uint64_t offset; /* from the start of the block, bytes */
    uint64_t bytes;
} plan_range;

typedef struct plan_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t bytes;    /* of the whole block */
    uint64_t checksum; /* of the block with this field 0, in the manner of FNV-1a: plan_checksum */
    uint32_t pattern_count;
    uint32_t part_count;  /* 1 .. MAX_PARTS */
    uint32_t cell_size;   /* 0: text */
    uint32_t carries;     /* 1: some part carries */
    uint32_t engine;      /* offset in PLAN_STRINGS: names of parts and stages */
    uint32_t why;         /* offset in PLAN_STRINGS: why these were chosen */
    uint64_t min_length;  /* grids: the fewest rows of a needle */
    uint64_t max_length;  /* LENGTH_UNBOUNDED: there is no longest; grids: the most rows */
    uint64_t reach;       /* bytes before a slice that its parts must see, but for those that carry;
                             grids: rows below it */
    uint64_t state_words; /* words of state of all parts that carry */
    uint64_t once;        /* how many patterns have TRAWL_ONCE */
    uint64_t bordered;    /* how many patterns have a condition, beside a match or on its place */
    uint32_t opened;      /* 0: no pattern is opened; else the byte of the opening plus 1 */
    uint32_t given;  /* the caller's patterns; fewer than pattern_count: there are alternatives */
    uint32_t tag;    /* the caller's, trawl_compile_options.tag */
    uint32_t texts;  /* 1: the plan holds the texts that its patterns were compiled from */
    uint32_t beside; /* bytes on either side of a match that conditions look at: 0, 1 or 2 */
    uint32_t to_end; /* 1: some condition counts from the end of the text */
    plan_range section[PLAN_SECTIONS];
} plan_header;

/* One pattern, in the order of pattern_list, so that its index is what records say. Elements and
 * lengths are those of its matches; parts also count the byte before the match, if the pattern is
 * opened. */
typedef struct plan_pattern {
    uint32_t id;
    uint32_t order;    /* index in the caller's array; alternatives share it */
    uint32_t name;     /* offset in PLAN_STRINGS; 0, where "" is: it has none, or that of an
                          alternative before it */
    uint32_t elements; /* number of elements; 0 if its length is fixed, and for a needle */
    uint32_t flags;    /* TRAWL_NOCASE | ... | its syntax << PLAN_SYNTAX | PLAN_OPENED | ... */
    uint32_t borders;  /* 0: none; else the number, from 1, of a plan_borders */
    uint32_t text;     /* offset in PLAN_STRINGS of what it was compiled from; 0 without texts */
    uint32_t text_length;
    uint64_t first;      /* index of the first one in PLAN_ELEMENTS */
    uint64_t min_length; /* bytes; needles: rows */
    uint64_t max_length; /* bytes or LENGTH_UNBOUNDED; needles: columns */
    uint32_t when;       /* PLAN_PROGRAM: pattern.when */
    uint32_t program;    /* 0: none; else its place in PLAN_PROGRAMS, in words of 8 bytes, from 1;
                        patterns of one order share it */
} plan_pattern;

enum {
    PLAN_SYNTAX = 24,      /* the lowest bit of the syntax */
    PLAN_OPENED = 1 << 16, /* its first stage looks at what comes before */
    PLAN_VARIED = 1 << 17, /* an alternative of a pattern that varies in length */
    PLAN_PROGRAM = 1 << 18 /* engines see its program: it has no elements, whatever its length */
};

typedef struct plan_borders {
    border before, after;
    demands asks;
} plan_borders;

/* Stages know the patterns of their part by numbers 0, 1, ...: PLAN_INDEXES turns them into
 * indexes of the plan, and keeps their order. A plan of one part has no such list. */
typedef struct plan_part {
    uint32_t pattern_count;
    uint32_t carries; /* 1: state crosses slice borders (the reach is not bounded, or long) */
    uint32_t first_stage;
    uint32_t stage_count; /* 1 .. MAX_STAGES */
    uint64_t indexes;     /* its first one in PLAN_INDEXES, u32[pattern_count], ascending */
    uint64_t min_length;  /* as in plan_header */
    uint64_t max_length;
    uint64_t state; /* parts that carry: the first word in the state of the plan */
} plan_part;

typedef struct plan_stage {
    uint32_t kind;        /* walk_kind */
    uint32_t patience;    /* nanoseconds of work a byte at which the fallback after it is faster;
                             0: there is none */
    uint64_t tables;      /* in PLAN_TABLES, bytes */
    uint64_t bytes;       /* multiple of 4 */
    uint64_t state_words; /* 64-bit words of state a slice; grids: u32 words a column */
    uint64_t masks;       /* parts that carry: the byte offset in its tables of u64[2][state_words]:
                             the states that no byte kills, and those that are news to the next
                             slice */
} plan_stage;

_Static_assert(sizeof(plan_header) == 128 + 16 * PLAN_SECTIONS, "saved");
_Static_assert(sizeof(plan_pattern) == 64 && sizeof(element) == 40, "saved");
_Static_assert(sizeof(plan_borders) == 168, "saved");
_Static_assert(sizeof(plan_part) == 48 && sizeof(plan_stage) == 40, "saved");

struct trawl_plan {
    void *block;          /* plan_header.bytes long, aligned to PLAN_ALIGN; after this struct, or
                             the caller's (trawl_plan_view) */
    uint32_t *by_order;   /* for each order the index of the pattern, or of its first alternative */
    bool fixed;           /* all patterns have a fixed length: every end tells its start */
    bool doubtful;        /* some pattern is doubtful: see plan_doubtful */
    bool alternatives;    /* some pattern has several, or is what is left of one that varied */
    double cost;          /* trawl_plan_info.cost */
    trawl_allocator from; /* this struct and by_order were taken from it */
};

/* What the tables of a stage are checked against. */
typedef struct stage_facts {
    uint32_t pattern_count; /* of the part, and so of the numbers that the stage reports */
    uint32_t cell_size, carries;
    uint64_t min_length, max_length, state_words;
    memory *memory; /* for the check */
} stage_facts;

/* ---- making one ------------------------------------------------------------- */

typedef struct stage_draft {
    uint32_t kind, patience; /* as in plan_stage */
    block tables;
    uint32_t carries; /* as in plan_part */
    uint64_t state_words, masks;
} stage_draft;

typedef struct part_draft {
    const pattern_list *list; /* a sublist of the plan's */
    const uint32_t *indexes;  /* the plan's indexes of its patterns; NULL: it is the plan's list */
    stage_draft stages[MAX_STAGES];
    uint32_t stage_count;
} part_draft;

/* Put the plan together from a list and its finished parts, whose tables are copied. All memory is
 * taken from list->memory. */
int plan_assemble(const pattern_list *list, const part_draft *parts, uint32_t part_count,
                  const char *engine, const char *why, trawl_plan **plan, trawl_error *error);

/* What plan_header.checksum must be. The field counts as 0 itself. */
uint64_t plan_checksum(const void *block, size_t size);

/* Verify the whole block, except the tables of its stages, which their engines verify. */
int plan_check(memory *m, const void *bytes, size_t size, trawl_error *error);

/* A plan whose block is `size` zero bytes; NULL: no memory. trawl_plan_free frees it. */
trawl_plan *plan_alloc(memory *m, size_t size);

/* Fill in what a plan has besides its block. The block is complete and verified. */
int plan_finish(memory *m, trawl_plan *plan, trawl_error *error);

static inline const plan_header *plan_head(const trawl_plan *plan)
{
    return (const plan_header *)plan->block;
}

static inline const void *plan_at(const trawl_plan *plan, enum plan_section section)
{
    return (const uint8_t *)plan->block + plan_head(plan)->section[section].offset;
}

static inline const plan_pattern *plan_patterns(const trawl_plan *plan)
{
    return (const plan_pattern *)plan_at(plan, PLAN_PATTERNS);
}

static inline const element *plan_elements(const trawl_plan *plan, const plan_pattern *p)
{
    return (const element *)plan_at(plan, PLAN_ELEMENTS) + p->first;
}

/* NULL: the pattern has none. If it has elements too, what its longest matches are does not ask for
 * the program. */
static inline const program *plan_program(const trawl_plan *plan, const plan_pattern *p)
{
    return p->program
               ? (const program *)(const void *)((const uint64_t *)plan_at(plan, PLAN_PROGRAMS) +
                                                 (p->program - 1))
               : NULL;
}

/* NULL: the pattern has none. */
static inline const plan_borders *plan_borders_of(const trawl_plan *plan, const plan_pattern *p)
{
    return p->borders ? (const plan_borders *)plan_at(plan, PLAN_BORDERS) + (p->borders - 1) : NULL;
}

static inline const plan_part *plan_parts(const trawl_plan *plan)
{
    return (const plan_part *)plan_at(plan, PLAN_PARTS);
}

static inline const plan_stage *part_stages(const trawl_plan *plan, const plan_part *part)
{
    return (const plan_stage *)plan_at(plan, PLAN_STAGES) + part->first_stage;
}

/* The stage that takes over where the first one of a part gives up, or NULL. */
static inline const plan_stage *part_fallback(const trawl_plan *plan, const plan_part *part)
{
    return part->stage_count > 1 ? part_stages(plan, part) + 1 : NULL;
}

static inline const uint32_t *stage_tables(const trawl_plan *plan, const plan_stage *stage)
{
    return (const uint32_t *)(const void *)((const uint8_t *)plan_at(plan, PLAN_TABLES) +
                                            stage->tables);
}

/* The plan's indexes of a part's patterns; NULL: the numbers are the indexes. */
static inline const uint32_t *part_indexes(const trawl_plan *plan, const plan_part *part)
{
    return plan_head(plan)->part_count == 1
               ? NULL
               : (const uint32_t *)plan_at(plan, PLAN_INDEXES) + part->indexes;
}

/* plan_stage.masks of a part that carries. All its stages have the same. */
static inline const uint64_t *stage_masks(const trawl_plan *plan, const plan_stage *stage)
{
    return (const uint64_t *)(stage_tables(plan, stage) + stage->masks / 4);
}

static inline const uint64_t *part_masks(const trawl_plan *plan, const plan_part *part)
{
    return stage_masks(plan, part_stages(plan, part));
}

/* How many bytes before a slice, or rows below a band, a part must see. */
static inline uint64_t part_reach(const plan_part *part)
{
    return part->carries ? 0 : part->max_length - 1;
}

/* Whether all matches of the pattern, or of this alternative, have one length. */
static inline bool plan_one_length(const plan_pattern *p)
{
    return p->min_length == p->max_length;
}

/* Whether the end of a match tells its start, whatever other alternatives the pattern has. */
static inline bool plan_fixed_length(const plan_pattern *p)
{
    return plan_one_length(p) && !(p->flags & PLAN_VARIED);
}

/* The quickest report that gives the same matches as `report`. */
static inline uint32_t plan_report(const trawl_plan *plan, uint32_t report)
{
    return report == TRAWL_REPORT_EACH && plan->fixed ? TRAWL_REPORT_ENDS : report;
}

static inline bool plan_has_alternatives(const trawl_plan *plan)
{
    return plan->alternatives;
}

/* Whether what is asked of a match depends on where it begins, beyond what engines know. */
static inline bool asked_of_start(const demands *d)
{
    return d->place != TRAWL_PLACE_ANY || d->word == TRAWL_WORD_FULL_WIDE;
}

/* Whether engines may report ends of a pattern that have no start: because something is asked of
 * the starts of a pattern of variable length; or because, of the opening's byte and the border of
 * the text, only one may stand before a match, as with \A: engines cannot tell them apart. */
static inline bool plan_doubtful(const trawl_plan *plan, const plan_pattern *p)
{
    const plan_borders *b = plan_borders_of(plan, p);
    const uint32_t opened = plan_head(plan)->opened;
    if (b && !plan_one_length(p) && asked_of_start(&b->asks))
        return true;
    return b && p->flags & PLAN_OPENED && opened &&
           class_has(&b->before.set[0], opened - 1) != (b->before.edge[0] != 0);
}

#endif
