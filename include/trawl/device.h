/* trawl/device.h: devices, and texts and matches that stay in their memory.
 *
 * A context of a device is opened as any other (trawl.h), and all calls of trawl.h take it. This
 * header is for who asks which devices there are, tunes them, or has texts there already.
 */
#ifndef TRAWL_PUBLIC_DEVICE_H
#define TRAWL_PUBLIC_DEVICE_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trawl_device_info {
    size_t size;      /* sizeof(trawl_device_info), set by the caller */
    char name[128];
    char driver[128]; /* platform and version of the driver */
    char bus[24];     /* PCI address, or "" */
    uint64_t memory;  /* bytes */
    uint32_t units;   /* multiprocessors or compute units */
    uint32_t lanes;   /* work items that can ballot; 0: none */
    uint32_t textures; /* 1: tables can be read through textures */
    uint32_t cpu;     /* 1: the device is a CPU */
} trawl_device_info;

/* How many devices a backend has; 0 for one that has none. `why` (may be NULL) then says why,
 * one line. Opens drivers: not for a hot path. Thread-safe. */
TRAWL_API size_t trawl_device_count(const char *backend, char why[256]);
TRAWL_API int trawl_device_get_info(const char *backend, size_t index, trawl_device_info *info,
                                    trawl_error *error);

/* The parameters of the walks on devices (trawl_context_options.tuning), by number: name, and
 * one line on range and meaning; NULL past the end. */
TRAWL_API const char *trawl_tuning_name(size_t index);
TRAWL_API const char *trawl_tuning_about(size_t index);

/* Where the time of a device backend went, summed over its devices. All zero for CPUs. When pieces
 * are short, one in eight is timed and stands for the others (--tuning timed=1: all are). */
typedef struct trawl_timing {
    size_t size;        /* sizeof(trawl_timing), set by the caller */
    double kernel;      /* seconds in kernels */
    double to_device;   /* seconds of copying text to devices */
    double from_device; /* seconds of copying matches back */
    uint64_t pieces;    /* of text that devices took */
    uint64_t on_cpu;    /* bytes that the CPU took over, because memory ran out */
} trawl_timing;

/* Times since the context was opened or since the last call of this function. */
TRAWL_API int trawl_context_get_timing(trawl_context *context, trawl_timing *timing);

/* ---- texts in a device's memory --------------------------------------- */

/* Text that is in a device's memory already. */
typedef struct trawl_device_text {
    size_t size;     /* sizeof(trawl_device_text) */
    void *memory;    /* cuda: the address (a CUdeviceptr); opencl: the cl_mem, of the cl_context
                        that the context was opened with (trawl_context_options.native) */
    size_t offset;   /* of the text in it, bytes */
    size_t length;   /* bytes */
    void *queue;     /* cuda: a CUstream; opencl: a cl_command_queue: the scan begins when what has
                        been queued there is done. NULL: the text is there already */
    uint32_t device; /* which of the context's devices holds it, from 0 */
    uint32_t reserved; /* 0 */
} trawl_device_text;

#define TRAWL_DEVICE_TEXT_INIT { sizeof(trawl_device_text), NULL, 0, 0, NULL, 0, 0 }

/* Scan a text that stays where it is, on a context of a device. Matches come to the host, as by
 * trawl_scan. TRAWL_ERROR_UNSUPPORTED: the context is of a CPU; or a report other than
 * TRAWL_REPORT_ENDS of patterns of variable length, or conditions on what stands beside a match,
 * which would read the text on the host. */
TRAWL_API int trawl_scan_device(trawl_context *context, const trawl_plan *plan,
                                const trawl_device_text *text,
                                const trawl_scan_options *options,
                                trawl_match_fn fn, void *user, trawl_error *error);

/* Count the matches of such a text, as trawl_count and trawl_count_each. Errors as of
 * trawl_scan_device. */
TRAWL_API int trawl_count_device(trawl_context *context, const trawl_plan *plan,
                                 const trawl_device_text *text,
                                 const trawl_scan_options *options,
                                 uint64_t *count, trawl_error *error);
TRAWL_API int trawl_count_each_device(trawl_context *context, const trawl_plan *plan,
                                      const trawl_device_text *text,
                                      const trawl_scan_options *options,
                                      uint64_t *counts, trawl_error *error);

/* A match that stays in a device's memory. */
typedef struct trawl_device_match {
    uint64_t end;     /* one past the last byte */
    uint32_t pattern; /* the pattern's index in the order given to compile */
    uint32_t length;  /* bytes from its begin to its end; 0: its begin is not known */
} trawl_device_match;

/* Where what is found goes, in memory of the device that holds the text: as
 * trawl_device_text.memory says, but for writing. Offsets are bytes, multiples of 8. */
typedef struct trawl_device_result {
    size_t size;     /* sizeof(trawl_device_result) */
    void *matches;   /* trawl_device_match[capacity], in no order; NULL: they are not wanted */
    size_t matches_offset;
    uint64_t capacity;
    void *counts;    /* uint64_t[trawl_plan_info.patterns]: how many of each pattern, in the order
                        given to compile; NULL: they are not wanted */
    size_t counts_offset;
    uint64_t count;  /* set by the call: of all matches */
} trawl_device_result;

#define TRAWL_DEVICE_RESULT_INIT { sizeof(trawl_device_result), NULL, 0, 0, NULL, 0, 0 }

/* As trawl_scan_device, but what is found stays on the device: matches, counts, or both, of one
 * pass over the text. They are there when the call returns; it writes nothing before the text's
 * queue is there. TRAWL_LIMITED: there are more matches than `capacity`; any `capacity` of them are
 * there, and `count` and the counts are of all. max_matches must be 0. Errors as of
 * trawl_scan_device. Plans with unbounded repeats, with alternatives or with TRAWL_ONCE, other
 * reports, and max_steps, take their way over the host, which is slower. */
TRAWL_API int trawl_collect_device(trawl_context *context, const trawl_plan *plan,
                                   const trawl_device_text *text,
                                   const trawl_scan_options *options,
                                   trawl_device_result *result, trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
