/* isa.h: the instruction sets that vector walks are compiled for, and which of them this machine
 * runs.
 *
 * A context chooses one when it opens: the option `isa`, else the environment's TRAWL_ISA, else
 * the best. No plan knows of it.
 */
#ifndef TRAWL_BASE_ISA_H
#define TRAWL_BASE_ISA_H

#include <stdbool.h>

#include "base/error.h"

/* From what every machine has to the best. avx2 includes BMI 1 and 2; avx512 includes those, and F,
 * BW, VL, VBMI and VBMI2. */
typedef enum isa { ISA_PORTABLE = 0, ISA_NEON, ISA_AVX2, ISA_AVX512, ISA_COUNT } isa;

/* Whether this library has walks for `set` and this machine runs them. */
bool isa_runs(isa set);

const char *isa_name(isa set);

/* What this machine runs best, or what TRAWL_ISA names if it names one that it runs. */
isa isa_usual(void);

/* Set *set to the instruction set called `name`. "auto" is the best; NULL and "" are what TRAWL_ISA
 * names, or else the best. Error: there is none of that name, or it does not run here. */
int isa_choose(const char *name, isa *set, trawl_error *error);

#endif
