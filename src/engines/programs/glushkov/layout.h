/* layout.h: position automata of patterns, and the literals that wake them.
 *
 * Shared by the builder (build.c) and the loop (vector.c).
 *
 * A unit is an automaton of one pattern, or of some small ones, with words of state of its own. Bit
 * i of them is a position of the automaton. Most positions are followed by the next one (`shift`),
 * or by themselves (`loop`); those that are followed by others (`except`) have a row of `follow`.
 *
 * The first `awake` units run over the whole text. Those of one word are put together in packs,
 * whose words share their rows and are stepped at once, each by itself. The others sleep until one
 * of their literals ends: every match has one of them within its first `back` bytes. A unit may be
 * quiet too: while it waits in positions that take nearly any byte, as in foo.*bar, another of its
 * literals must end within `back` bytes of when a match goes on from there. Members say which of
 * both they are.
 */
#ifndef TRAWL_ENGINES_PROGRAMS_GLUSHKOV_LAYOUT_H
#define TRAWL_ENGINES_PROGRAMS_GLUSHKOV_LAYOUT_H

#include "base/port.h"

#define GLUSHKOV_UNITS 4096u  /* the most units that one pass over the text wakes */
#define GLUSHKOV_HITS 2048u   /* literals that are found in one go, */
#define GLUSHKOV_CHUNK 16384u /* in as many bytes at most, */
#define GLUSHKOV_LEAST 64u    /* and at least: some 16 literals may end at one place */
#define GLUSHKOV_LITERAL 8u   /* bytes of the longest literal */
#define GLUSHKOV_PACK 8u
#define GLUSHKOV_QUIETS 256u         /* classes of the positions that quiet units wait in */
#define GLUSHKOV_GOES_ON 0x80000000u /* of a member: it is for a unit that lives */
#define GLUSHKOV_STATE 8u            /* words of state of the walk that finds literals */

typedef struct glushkov_unit {
    u32 word, words;        /* its first word of state, and how many */
    u32 back;               /* see above; 0: it is always awake */
    u32 opens;              /* 1: some match may begin at the text's begin alone */
    u32 quiet, quiet_count; /* u32[quiet_count]: the classes that it waits in, in the order of
                           positions */
    u32 map, classes;       /* u8[256]: class of a byte; word offsets here and below */
    u32 rows;               /* u64[classes][words]: the positions that take a byte */
    u32 masks;              /* glushkov_word[words] */
    u32 follow, exceptions; /* u64[exceptions][words], in the order of positions */
    u32 ends, end_count; /* u64[1 + words] each: a pattern, its last positions; in a pack the upper
                            half of the first says in which word these are */
    u32 pack;            /* 1: it is a pack of GLUSHKOV_PACK words */
    u32 unused;
} glushkov_unit;

typedef struct glushkov_word {
    u64 init;   /* positions that a match may begin with */
    u64 opens;  /* those that are there before the text's first byte */
    u64 shift;  /* positions that may follow the one before them, */
    u64 skip;   /* and the one before that */
    u64 loop;   /* positions that may follow themselves */
    u64 except; /* positions that others may follow */
    u64 last;   /* positions that end a match */
    u64 rank;   /* exceptions in the words before this one */
    u64 waits;  /* positions in which a quiet unit waits */
    u64 waited; /* how many there are in the words before this one */
    u64 unused[6];
} glushkov_word;

typedef struct glushkov_tables {
    u32 units, unit_count, awake;
    u32 words;                 /* of state, in all */
    u32 kind;                  /* the walk that finds the literals, */
    u32 filter, filter_words;  /* its tables, */
    u32 filter_state;          /* and its words of state */
    u32 literals;              /* how many there are; 0: there is no filter */
    u32 shortest, longest;     /* of the literals */
    u32 heads;                 /* u32[literals + 1]: the units that a literal wakes are */
    u32 members, member_count; /* members[heads[i]] .. members[heads[i + 1] - 1] */
    u32 quiets, quiet_count;   /* u32[8] each: bit b of [b / 32]: byte b belongs to the class */
} glushkov_tables;

SHARED_SIZE(glushkov_unit, 64);
SHARED_SIZE(glushkov_word, 128);
SHARED_SIZE(glushkov_tables, 64);

#endif
