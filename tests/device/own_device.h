/* own_device.h: a device as the program around Trawl uses it: by the driver's own calls, OpenCL's
 * or CUDA's, with its own memory and its own queue. Every call fails the test on an error.
 *
 * Both drivers are opened at run time, and CUDA's few types are written out, so that this builds
 * without either.
 */
#ifndef TRAWL_OWN_DEVICE_H
#define TRAWL_OWN_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "targets.h"

typedef struct own_device {
    bool cuda;
    void *context; /* cl_context; CUDA's primary context, which is the current one while open */
    void *queue;   /* cl_command_queue, CUstream */
    void *device;  /* cl_device_id, CUdevice */
} own_device;

/* The same device as targets[which]. */
void own_open(own_device *o, const test_target *targets, size_t which);
void own_close(own_device *o);

/* As trawl_context_options.native wants it. */
void *own_native(const own_device *o);

/* `bytes` of the device's memory, as trawl_device_text.memory wants it. */
void *own_memory(own_device *o, size_t bytes);
void own_memory_free(own_device *o, void *memory);

/* Write, and read, now. */
void own_write(own_device *o, void *memory, size_t offset, const void *bytes, size_t count);
void own_read(own_device *o, void *memory, size_t offset, void *bytes, size_t count);

/* Queue a copy of the device's memory, which begins 0.1 seconds later. */
void own_copy_late(own_device *o, void *to, void *from, size_t bytes);
/* After a late copy: wait for the queue, and let go of what held it up. */
void own_finish(own_device *o);

/* OpenCL: a part of a buffer. NULL for CUDA. */
void *own_part(own_device *o, void *memory, size_t offset, size_t bytes);

/* OpenCL: nobody else holds on to the memory, so that it can be freed. A driver's threads may do so
 * for a moment after a command. */
bool own_alone(own_device *o, void *memory);

/* A context of Trawl's, with the program's `native`. */
trawl_context *own_context(const test_target *t, void *native, const char *tuning);

/* A device, the program's own view of it, and Trawl's. */
typedef struct bench {
    const test_target *target;
    own_device own;
    trawl_context *context;
} bench;

/* On targets[which]. */
bench bench_open(const test_target *targets, size_t which, const char *tuning);
void bench_close(bench *b);

/* Another context of the device; memory and a queue of it are a stranger's to Trawl's. */
void own_open_stranger(own_device *o, const own_device *like);

#endif
