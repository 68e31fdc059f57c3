/* plan.h: the compiled form of a set of patterns, one flat relocatable block.
 *
 * The block holds offsets and no pointers, so the same bytes are read by the CPU,
 * uploaded to a device, saved to a file or sent to another machine:
 *
 *     header | patterns | elements | strings | engine section
 *
 * Sections start at multiples of 64 bytes. The engine section opens with the table
 * header that its walk declares (walk/NAME.h); offsets in it are in 4-byte words
 * from the start of the section. Immutable once made.
 */
#ifndef TRAWL_PLAN_H
#define TRAWL_PLAN_H

#include "base/block.h"
#include "pattern/pattern.h"
#include "trawl.h"

#define PLAN_MAGIC "TRAWLPLN"
#define PLAN_VERSION 1u
#define PLAN_BYTE_ORDER 0x01020304u
#define PLAN_ALIGN 64u

enum plan_section { PLAN_PATTERNS, PLAN_ELEMENTS, PLAN_STRINGS, PLAN_ENGINE, PLAN_SECTIONS };

typedef struct plan_range {
    uint64_t offset; /* from the start of the block, bytes */
    uint64_t bytes;
} plan_range;

typedef struct plan_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t bytes;    /* of the whole block */
    uint64_t checksum; /* FNV-1a (64 bit, by 8-byte words) of the block with this field 0 */
    uint32_t engine;   /* engine_kind */
    uint32_t pattern_count;
    uint32_t cell_size;   /* 0: text */
    uint32_t carries;     /* 1: state crosses slice borders (reach is not bounded, or long) */
    uint64_t min_length;  /* grids: the fewest rows of a needle */
    uint64_t max_length;  /* LENGTH_UNBOUNDED when there is no longest; grids: the most rows */
    uint64_t state_words; /* 64-bit words of walk state per slice; grids: u32 words a column */
    uint32_t why;         /* offset in PLAN_STRINGS: why this engine */
    uint32_t unused;
    plan_range section[PLAN_SECTIONS];
} plan_header;

/* One pattern, in the order of pattern_list: its index is what walks report. */
typedef struct plan_pattern {
    uint32_t id;
    uint32_t order;      /* index in the caller's array */
    uint32_t name;       /* offset in PLAN_STRINGS; offset 0 holds "" */
    uint32_t elements;   /* number of elements; 0 for a literal or a needle */
    uint64_t first;      /* index of the first one in PLAN_ELEMENTS */
    uint64_t min_length; /* bytes; needles: rows */
    uint64_t max_length; /* bytes or LENGTH_UNBOUNDED; needles: columns */
} plan_pattern;

struct trawl_plan {
    void *block;        /* plan_header.bytes long, aligned to PLAN_ALIGN */
    uint32_t *by_order; /* pattern index of each caller's index */
};

/* Put the plan together from a list and a finished engine section. The section is
 * copied. `carries` and `state_words` as in plan_header. */
int plan_assemble(const pattern_list *list, uint32_t engine, const block *section, uint32_t carries,
                  uint64_t state_words, const char *why, trawl_plan **plan, trawl_error *error);

/* What plan_header.checksum must be. The field itself counts as 0. */
uint64_t plan_checksum(const void *block, size_t size);

/* Verify a block whole but for its engine section, which engine_check does. */
int plan_check(const void *bytes, size_t size, trawl_error *error);

/* Room for a block of `size` bytes, aligned and filled up to PLAN_ALIGN; NULL: no memory. */
void *plan_alloc(size_t size);

/* Make a plan of a verified block that plan_alloc gave. The plan owns it then; on an error it
 * is freed. */
int plan_adopt(void *block, trawl_plan **plan, trawl_error *error);

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

static inline const uint32_t *plan_tables(const trawl_plan *plan)
{
    return (const uint32_t *)plan_at(plan, PLAN_ENGINE);
}

static inline bool plan_fixed_length(const plan_pattern *p)
{
    return p->min_length == p->max_length;
}

#endif
