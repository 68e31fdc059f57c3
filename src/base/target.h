/* target.h: what a planner may know of where a plan will run. A context says where (trawl_compile's
 * option `context`); without one it is the CPU.
 */
#ifndef TRAWL_BASE_TARGET_H
#define TRAWL_BASE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/isa.h"

typedef struct target {
    bool gpu;             /* the plan runs as kernels on devices: GPUs, or CPUs by OpenCL */
    bool cpu;             /* those devices are CPUs */
    uint32_t local_bytes; /* local memory that a group may have on each device; 0: not known */
    uint32_t threads;     /* threads of the CPU, or multiprocessors of all devices */
    isa isa;              /* instruction set of the walks on the CPU */
} target;

#endif
