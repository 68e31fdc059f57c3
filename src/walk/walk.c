/* walk.c: the table of walks. */
#include "walk/walk.h"

text_walk walk_text(walk_kind kind)
{
    static const text_walk walks[WALK_KINDS] = {
        [WALK_BM] = bm_walk,     [WALK_WM] = wm_walk,     [WALK_AC] = ac_walk,
        [WALK_PFAC] = pfac_walk, [WALK_HNFA] = hnfa_walk, [WALK_SHIFTAND] = shiftand_walk,
    };
    return walks[kind];
}

grid_walk walk_grid(walk_kind kind)
{
    static const grid_walk walks[WALK_KINDS] = { [WALK_BB] = bb_walk, [WALK_BYR] = byr_walk };
    return walks[kind];
}
