/* reporter.h: what the reporter's parts share: report.c and immediate.c. */
#ifndef TRAWL_REPORTER_H
#define TRAWL_REPORTER_H

#include "match/match.h"
#include "match/merge.h"
#include "match/order.h"
#include "match/pairs.h"
#include "match/spans.h"

/* A pattern of variable length that has occurred. Those of one order that are a program share
 * theirs. */
typedef struct variable {
    struct variable *next; /* of all that were made */
    struct variable *next_seen;
    struct variable *sibling; /* another one of the caller's pattern */
    bool seen;                /* it occurred in this text */
    const plan_pattern *pattern;
    pairs *pairs;             /* a sequence's */
    spans *spans;             /* a program's */
    const byte_class *passes; /* what the last element of a sequence repeats, where ends before it
                                 may be passed over; else NULL */
    uint64_t end;             /* where a match ended last; 0: none has */
    uint64_t last;            /* and its last start there */
} variable;

struct reporter {
    const trawl_plan *plan;
    uint32_t report;
    uint32_t wanted; /* SPANS_...: the match of each start that programs are asked for */
    match_out *out;
    memory *memory;
    size_t first_variable; /* patterns before it have a fixed length */
    bool programs;         /* some program varies in length */
    bool by_priority;      /* LEFTMOST_FIRST was asked for: programs say which match is preferred */
    uint64_t span;         /* the longest match of variable length, 0: there are none */
    uint64_t horizon;      /* the longest match, of bounded ones, that settling must wait for */
    byte_class unbroken;   /* bytes of unbounded patterns; only when span is unbounded */
    uint64_t gap;          /* the offset after the last byte up to `done` not in it; 0: none */
    uint64_t step;         /* bytes in a step, in which a batch is taken */
    uint64_t done;         /* ends up to here have been fed */
    uint64_t settled;      /* starts below it are settled */
    uint64_t cursor;       /* LEFTMOST_...: where the next match may start */
    match_list found;      /* not handed on yet */
    match_list back;       /* empty: what is handed on in parts is kept here meanwhile */
    match_list apart;      /* found by alternatives, which are not united yet */
    size_t *latest;        /* by pattern index: where in its list the last match was put, which the
                              next one may follow; NULL if no match waits long */
    size_t looked;         /* when `found` has this many, it is checked which may be handed on */
    variable **variables;  /* by pattern index - first_variable; NULL: not seen yet */
    variable *made;        /* all of them, linked */
    variable *seen;        /* those of this text, linked */
    variable **siblings;   /* by the caller's index: its alternatives in `seen` that are
                              sequences of several lengths; NULL if none are united */
    uint64_t *cursors;     /* EACH: by the caller's index, where its next match may start; ENDS:
                              where its last match ended */
    bool began;            /* ENDS: doubtful patterns are followed */
    merge heads;           /* the starts of each pattern that ends at one place */
};

int reporter_memory_failed(const memory *m, trawl_error *error);

/* What is kept for pattern `index`, made when it is first asked for; NULL: no memory. */
variable *reporter_variable(reporter *r, uint32_t index);

/* Whether the starts of a pattern's matches are found by its program. */
static inline bool has_program(const reporter *r, const plan_pattern *p)
{
    return (p->flags & PLAN_PROGRAM || (p->program && r->by_priority)) && !plan_fixed_length(p);
}

/* Note an end of a program for what is kept of it. False: no memory. */
bool reporter_note(reporter *r, uint32_t index, uint64_t end, text_view text);

/* Put the starts first .. last of a pattern on the heap. */
bool reporter_add_run(reporter *r, const plan_pattern *p, uint64_t first, uint64_t last);

/* ---- immediate.c ------------------------------------------------------------ */

/* Put the starts of pattern `index` that reach `end` on the heap; under SHORTEST those that reached
 * none before. */
bool reporter_add_starts(reporter *r, uint32_t index, uint64_t end, text_view text);

/* Under SHORTEST, drop starts that have ended. */
void reporter_drop_starts(reporter *r, const record *records, size_t count, uint64_t end);

/* Hand on what the records say, as reporter_feed does: where all patterns have a fixed length; all
 * starts of each end; the ends of a plan with doubtful patterns. */
int reporter_feed_fixed(reporter *r, const record *records, size_t count, uint64_t shift);
int reporter_feed_pairs(reporter *r, const record *records, size_t count, uint64_t shift,
                        text_view text, trawl_error *error);
int reporter_feed_ends(reporter *r, const record *records, size_t count, uint64_t shift,
                       text_view text, uint64_t upto, trawl_error *error);

#endif
