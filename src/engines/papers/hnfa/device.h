/* device.h: what the kernels of RunHNFA (device.k) and their host (device.c) agree on. */
#ifndef TRAWL_ENGINES_PAPERS_HNFA_DEVICE_H
#define TRAWL_ENGINES_PAPERS_HNFA_DEVICE_H

#include "engines/papers/hnfa/layout.h"
#include "engines/shared/carry/device.h"

/* EXCHANGE of a variant: how the modules of a pattern come together. */
#define BY_ATOMIC 0
#define BY_RELAY 1
#define BY_BALLOT 2  /* a team inside a warp */
#define BY_BALLOTS 3 /* teams of whole warps */
#define BY_ITEM 4    /* one item has all modules of a pattern */
#define BY_WORD 5    /* patterns of one module: nothing to exchange */

#define HNFA_WARP 32 /* items that vote together */

typedef struct hnfa_args {
    u64 capacity;
    text_cut cut;
    u32 first, count; /* the launch's patterns: list[first .. first + count) */
    u32 team;         /* items of a pattern's team */
    u32 staged;       /* 1: Ch and Rep of the pattern in local memory */
    u32 unused;
} hnfa_args;

SHARED_SIZE(hnfa_args, 72);

/* Words of local memory: the class map, and whether any state is alive; Ch and Rep, when staged;
 * for each team an area for its exchange, unless it votes within a warp. Its odd size puts the
 * teams' words in different banks. */
#define HNFA_ALIVE 64
#define HNFA_FIXED 66
#define HNFA_ROWS(classes, modules) (4 * (classes) * (modules))
#define HNFA_AREA(team) (6 * ((team) / 64 + 1) + 65)

/* BY_WORD: Ch and Rep by byte. */
#define HNFA_WORD_LOCAL (2 * 2 * 256)

#endif
