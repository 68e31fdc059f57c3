/* trawl/experimental.h: what may still change, or go, with any version.
 *
 * Functions here have no place in the promise of versions that trawl.h makes: a program that uses
 * them asks for the library's exact version.
 */
#ifndef TRAWL_PUBLIC_EXPERIMENTAL_H
#define TRAWL_PUBLIC_EXPERIMENTAL_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One step of how a plan is searched. */
typedef struct trawl_stage_info {
    size_t size;          /* sizeof(trawl_stage_info), set by the caller */
    const char *engine;   /* whose it is */
    const char *role;     /* "search"; "fallback", which takes over where that is slow */
    size_t bytes;         /* of its tables */
    uint32_t part;        /* of the set, from 0: the patterns are divided among parts */
    uint32_t patterns;    /* of that part; an alternative of a pattern is one by itself */
} trawl_stage_info;

/* Stage `index` of a plan, from 0 to trawl_plan_info.stages - 1. The strings are static.
 * TRAWL_ERROR_ARGUMENT: there is none. Thread-safe. */
TRAWL_API int trawl_plan_get_stage(const trawl_plan *plan, size_t index, trawl_stage_info *info);

/* Where a text would be searched sooner. */
typedef struct trawl_advice {
    size_t size;           /* sizeof(trawl_advice), set by the caller */
    const char *backend;   /* for trawl_context_options: "auto", the CPU, or "cuda" or "opencl"; */
    char device[24];       /* then which device */
    double cpu_seconds;    /* expected of the CPU */
    double device_seconds; /* and of the device; 0: none was considered */
    char why[256];         /* one line */
} trawl_advice;

/* Would a device search `length` bytes from the host's memory with a plan sooner than the CPU does?
 * Asked with a context of the CPU and a plan that was compiled for it, whose cost is known
 * (trawl_plan_info); `device` and `device_plan` are NULL: then a driver is opened, which takes
 * tenths of a second, only if a device could be sooner all the same, and a device that is a CPU is
 * none. When that names a device, open it, compile for it, and ask again with both: now the link
 * to it is measured, and what its plan costs is known; what opening took no longer counts. How many
 * matches there will be is known after a scan of some of the text with the first context and plan,
 * in the way that is meant, and as long as that was its last. These are estimates: they may be
 * wrong by half. */
TRAWL_API int trawl_advise(const trawl_context *cpu, const trawl_plan *plan, uint64_t length,
                           trawl_context *device, const trawl_plan *device_plan,
                           trawl_advice *advice, trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
