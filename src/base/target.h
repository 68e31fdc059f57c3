/* target.h: what a planner may know of where a plan will run. A context says it (trawl_compile's
 * option `context`); without one it is the CPU.
 */
#ifndef TRAWL_BASE_TARGET_H
#define TRAWL_BASE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/isa.h"

typedef struct target {
    bool gpu;         /* kernels on a GPU; OpenCL on a CPU counts as one */
    uint32_t threads; /* of the CPU; a GPU's multiprocessors */
    isa isa;          /* of walks on the CPU */
} target;

#endif
