/* target.h: what a planner may know of where a plan will run. A context says it (trawl_compile's
 * option `context`); without one it is the CPU.
 */
#ifndef TRAWL_BASE_TARGET_H
#define TRAWL_BASE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/isa.h"

typedef struct target {
    bool gpu;             /* kernels on devices: GPUs, or CPUs by OpenCL; */
    bool cpu;             /* these are CPUs */
    uint32_t local_bytes; /* of local memory that a group may have on each of them; 0: not known */
    uint32_t threads;     /* of the CPU; multiprocessors of all devices */
    isa isa;              /* of walks on the CPU */
} target;

#endif
