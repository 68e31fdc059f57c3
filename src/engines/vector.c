/* vector.c: the table of walks of one instruction set. */
#include "engines/shared/vector.h"

extern const walk VEC_NAME(walks)[WALK_KINDS];

const walk VEC_NAME(walks)[WALK_KINDS] = {
    [WALK_BM] = { .text = bm_walk },
    [WALK_WM] = { .text = wm_walk },
    [WALK_AC] = { .text = ac_walk, .flows = true },
    [WALK_PFAC] = { .text = pfac_walk, .verify = pfac_verify },
    [WALK_SHIFTAND] = { .text = VEC_NAME(shiftand_walk), .flows = true },
    [WALK_HNFA] = { .text = hnfa_walk, .flows = true },
    [WALK_BB] = { .grid = bb_walk },
    [WALK_BYR] = { .grid = byr_walk },
    [WALK_KU] = { .grid = VEC_NAME(ku_walk) },
    [WALK_DIRECT] = { .grid = VEC_NAME(direct_walk) },
    [WALK_GRAMS] = { .text = grams_walk },
    [WALK_PACKED] = { .text = VEC_NAME(packed_walk) },
    [WALK_TEDDY] = { .text = VEC_NAME(teddy_walk) },
    [WALK_QGRAMS] = { .text = VEC_NAME(qgrams_walk) },
    [WALK_KMERS] = { .text = VEC_NAME(kmers_walk) },
    [WALK_BITSLICE] = { .text = VEC_NAME(bitslice_walk), .scratch = true },
    [WALK_FACTORS] = { .text = factors_walk, .ends = true },
};
