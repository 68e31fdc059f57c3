/* streams_vector.h: what shiftand does with longer texts, when it has tables for it. */
#ifndef TRAWL_ENGINES_CLASSES_SHIFTAND_STREAMS_VECTOR_H
#define TRAWL_ENGINES_CLASSES_SHIFTAND_STREAMS_VECTOR_H

#include "engines/shared/vec.h"

void VEC_NAME(bitstreams_walk)(const text_task *t);
void VEC_NAME(bitstreams_short)(const text_task *t);

#endif
