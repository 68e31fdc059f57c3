/* graph.h: the automaton of a unit while it is built. */
#ifndef TRAWL_ENGINES_PROGRAMS_GLUSHKOV_GRAPH_H
#define TRAWL_ENGINES_PROGRAMS_GLUSHKOV_GRAPH_H

#include "pattern/program.h"

/* How a position may be the first of a match: anywhere, or only at the text's begin. */
enum { GRAPH_INIT = 1, GRAPH_OPENS = 2 };

typedef struct graph_end {
    uint32_t position, pattern;
} graph_end;

/* Positions, and links from one to another. Conditions before a match are positions too, which take
 * the byte before it. Links to positions that begin a match anywhere are left out: what follows
 * such a position follows it when the match begins there, and has the same end. */
typedef struct graph {
    memory *memory;
    uint32_t count, room;
    byte_class *sets; /* empty: the position is only there before the text's first byte */
    uint8_t *begins;  /* GRAPH_INIT | GRAPH_OPENS */
    uint32_t *first;  /* the links of p are links[first[p]] .. links[first[p + 1] - 1] */
    uint32_t *links;
    size_t link_count, link_room;
    graph_end *ends;
    size_t end_count, end_room;
    bool failed; /* memory ran out */
} graph;

/* Make the graph of the patterns [first, first + count) of a list, which share a program, or are
 * one sequence or literal. Patterns keep their numbers in the list. */
void graph_make(memory *m, const pattern_list *list, size_t first, size_t count, graph *g);
void graph_free(graph *g);

/* Add the positions of another graph after those of *g. graph_pad: add positions that no byte leads
 * to until there are `count`. */
void graph_add(graph *g, const graph *more);
void graph_pad(graph *g, uint32_t count);

#endif
