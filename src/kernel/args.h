/* args.h: structs that hosts and kernels share.
 *
 * A kernel takes its numbers as one struct, by value, behind its buffers. It consists of u64 and
 * u32, the wide ones first, so that all compilers lay it out alike: SHARED_SIZE says its size and
 * has each of them check it.
 */
#ifndef TRAWL_KERNEL_ARGS_H
#define TRAWL_KERNEL_ARGS_H

#include "table/port.h"

#if defined(__OPENCL_VERSION__)
#define SHARED_SIZE(type, bytes) typedef char type##_size[sizeof(type) == (bytes) ? 1 : -1]
#elif defined(__CUDACC__)
#define SHARED_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type)
#else
#define SHARED_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#endif

SHARED_SIZE(record, 8);

#endif
