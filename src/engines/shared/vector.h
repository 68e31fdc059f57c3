/* vector.h: the vector walks, under the names of the instruction set that includes this. */
#ifndef TRAWL_ENGINES_SHARED_VECTOR_H
#define TRAWL_ENGINES_SHARED_VECTOR_H

#include "engines/shared/vec.h"

/* One file each: vector.c of the algorithm. */
u32 VEC_NAME(packed_walk)(text_task *t);
u32 VEC_NAME(shiftand_walk)(text_task *t);
u32 VEC_NAME(ku_walk)(grid_task *t);
u32 VEC_NAME(direct_walk)(grid_task *t);
u32 VEC_NAME(teddy_walk)(text_task *t);
u32 VEC_NAME(qgrams_walk)(text_task *t);
u32 VEC_NAME(kmers_walk)(text_task *t);
u32 VEC_NAME(bitslice_walk)(text_task *t);

/* What shiftand does with longer texts, when it has tables for it. */
void VEC_NAME(bitstreams_walk)(const text_task *t);
void VEC_NAME(bitstreams_short)(const text_task *t);

#endif
