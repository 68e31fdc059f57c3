/* device.h: one interface to devices, whatever drives them.
 *
 * It has two implementations: OpenCL through the ICD loader (opencl.c) and the CUDA driver
 * (cuda.c). Both are opened at run time, so one binary runs with or without them. A device has
 * memory (buffers, textures over buffers), queues of commands that run in order, and programs: one
 * for each unit of engines/, which is built or loaded when first launched.
 *
 * Commands of one queue run one after the other; those of two queues may overlap. An event that a
 * command is given serves to wait for it and to time it. Objects belong to the device that made
 * them, and one thread may use them at a time.
 *
 * Every function that can fail returns TRAWL_OK, TRAWL_ERROR_MEMORY when the device (or the
 * host) has too little memory, or TRAWL_ERROR_DEVICE; *error then names the call, its code and
 * what the code means. Closing a zeroed object does nothing.
 */
#ifndef TRAWL_DEVICE_H
#define TRAWL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

typedef struct device_info {
    char name[128];
    char driver[128];        /* platform and version of the driver */
    char bus[24];            /* PCI address as in 0000:0B:00.0, or "" */
    uint64_t memory;         /* bytes */
    uint64_t largest_buffer; /* bytes */
    uint64_t texture_words;  /* u32 texels a texture may have; 0: no textures */
    uint32_t units;          /* multiprocessors, compute units; at least 1 */
    uint32_t most_group;     /* work items of a group */
    uint32_t local_bytes;    /* local (shared) memory of a group */
    uint32_t constant_bytes;
    uint32_t lanes;      /* work items that can ballot; 0: no ballot */
    uint32_t part_align; /* where a part of a buffer may begin: a power of two, at least 16 */
    bool lone_parts;     /* overlapping parts of a buffer may not exist at once */
    bool cpu;            /* the device is a CPU */
    bool shares_memory;  /* it shares the host's memory: a mapped buffer costs no copy */
    bool finish_tells;   /* waiting for a queue says whether a command of it failed */
} device_info;

typedef struct device_api device_api;

/* Each implementation's device begins with this. */
typedef struct device {
    const device_api *api;
    device_info info;
    memory *memory; /* of the context: what the host holds for the device comes from it */
} device;

typedef enum buffer_kind {
    BUFFER_DEVICE,  /* of the device only */
    BUFFER_PINNED,  /* of the host, at `host`; copies from and to it can overlap with kernels */
    BUFFER_MAPPED,  /* seen by both; the host may use `host` between map and unmap only */
    BUFFER_BORROWED /* the caller's, on the device, or a part of it: closing does not free it */
} buffer_kind;

typedef struct device_buffer {
    void *handle; /* the implementation's */
    void *host;   /* see buffer_kind; else NULL */
    size_t bytes;
    buffer_kind kind;
} device_buffer;

/* A whole buffer read as u32 texels through the texture path. */
typedef struct device_texture {
    void *handle;
    uint64_t number; /* CUDA's texture object */
} device_texture;

typedef struct device_queue device_queue;

/* Time and completion of one command. Zero before its first use; it may be used any number of
 * times. */
typedef struct device_event {
    void *begin, *end; /* the implementation's */
} device_event;

typedef enum launch_arg_kind {
    ARG_BUFFER,
    ARG_TEXTURE,
    ARG_CONSTANT, /* CONSTANT_ARG of the kernel: a buffer's content in constant memory */
    ARG_STRUCT    /* `bytes` at `numbers`, which launch reads */
} launch_arg_kind;

typedef struct launch_arg {
    launch_arg_kind kind;
    const device_buffer *buffer;
    const device_texture *texture;
    const void *numbers;
    size_t bytes;
} launch_arg;

enum { LAUNCH_ARGS = 8, LAUNCH_VARIANT = 64 };

/* One kernel over groups * group work items. Arguments in the order of the kernel; LOCAL_ARG
 * is filled in by the implementation from local_bytes. */
typedef struct launch {
    const char *unit;             /* the program: an algorithm's name, as "bm" for bm/device.k */
    const char *kernel;           /* entry point */
    char variant[LAUNCH_VARIANT]; /* " -DNAME=1 -DOTHER=2": see launch_define */
    uint32_t groups, group;
    uint32_t local_bytes;
    uint32_t bound; /* the kernel's PORT_BOUND, which OpenCL does not know; 0: it has none */
    launch_arg args[LAUNCH_ARGS];
    uint32_t arg_count; /* launch refuses more than LAUNCH_ARGS */
} launch;

struct device_api {
    const char *name; /* "opencl", "cuda" */

    /* Facts about up to `room` devices; *count says how many there are. No driver or no device is
     * no error: then *count is 0 and `why` (may be NULL) holds the reason, one line. */
    void (*list)(device_info *infos, size_t room, size_t *count, char why[256]);
    /* `native`: trawl_context_options.native; NULL where an implementation has no use for it. */
    int (*open)(size_t index, void *native, memory *memory, device **made, trawl_error *error);
    void (*close)(device *d);

    int (*buffer_open)(device *d, buffer_kind kind, size_t bytes, device_buffer *b,
                       trawl_error *error);
    /* The caller's buffer: `memory`, as in trawl_device_text, holds a text of `length` bytes from
     * `offset` on, or, if `written`, has room for that number of bytes. They begin at byte *begin
     * of `b`. TRAWL_ERROR_ARGUMENT when it is not of this device, or has fewer bytes. */
    int (*buffer_borrow)(device *d, void *memory, size_t offset, size_t length, bool written,
                         device_buffer *b, size_t *begin, trawl_error *error);
    /* A part of a borrowed buffer; `offset` is a multiple of part_align. */
    int (*buffer_part)(device *d, const device_buffer *of, size_t offset, size_t bytes,
                       device_buffer *b, trawl_error *error);
    void (*buffer_close)(device *d, device_buffer *b);
    int (*texture_open)(device *d, const device_buffer *b, device_texture *t, trawl_error *error);
    void (*texture_close)(device *d, device_texture *t);

    int (*queue_open)(device *d, device_queue **q, trawl_error *error);
    void (*queue_close)(device_queue *q);
    /* Asynchronous when `from` or `to` lies in a pinned buffer. `event` may be NULL. */
    int (*write)(device_queue *q, device_buffer *to, size_t offset, const void *from, size_t bytes,
                 device_event *event, trawl_error *error);
    int (*read)(device_queue *q, const device_buffer *from, size_t offset, void *to, size_t bytes,
                device_event *event, trawl_error *error);
    /* On the device, to the begin of the buffer `to`. */
    int (*copy)(device_queue *q, device_buffer *to, const device_buffer *from, size_t offset,
                size_t bytes, device_event *event, trawl_error *error);
    int (*clear)(device_queue *q, device_buffer *b, size_t offset, size_t bytes,
                 trawl_error *error); /* to zero; multiples of 4 bytes */
    /* mark: make an event, without time, for what has been queued so far in a queue of the caller's
     * (see trawl_device_text). await: have what is queued in `q` from now on wait for it.
     * TRAWL_ERROR_ARGUMENT when the queue is not of this device. */
    int (*mark)(device *d, void *queue, device_event *event, trawl_error *error);
    int (*await)(device_queue *q, const device_event *event, trawl_error *error);
    /* Both wait for what was queued before. */
    int (*map)(device_queue *q, device_buffer *b, trawl_error *error);
    int (*unmap)(device_queue *q, device_buffer *b, trawl_error *error);
    int (*launch)(device_queue *q, const launch *l, device_event *event, trawl_error *error);
    int (*flush)(device_queue *q, trawl_error *error);  /* let the device begin */
    int (*finish)(device_queue *q, trawl_error *error); /* wait for all */

    bool (*event_done)(const device_event *event); /* true also when it failed: then wait says so */
    int (*event_wait)(const device_event *event, trawl_error *error);
    double (*event_seconds)(const device_event *event); /* once done; 0 when unknown */
    void (*event_close)(device *d, device_event *event);
};

extern const device_api device_opencl, device_cuda;

/* All interfaces of this build, by number; NULL past the end. */
const device_api *device_api_at(size_t index);
const device_api *device_api_by_name(const char *name);

/* Fail, for buffer_borrow: the buffer has only `room` bytes. TRAWL_ERROR_ARGUMENT. */
int device_memory_outside(trawl_error *error, bool written, size_t offset, size_t length,
                          size_t room);

/* ---- launches ----------------------------------------------------------- */

static inline launch launch_of(const char *unit, const char *kernel, uint32_t groups,
                               uint32_t group, uint32_t local_bytes)
{
    launch l = { 0 };
    l.unit = unit;
    l.kernel = kernel;
    l.groups = groups;
    l.group = group;
    l.local_bytes = local_bytes;
    return l;
}

/* Add one of the definitions that choose the unit's variant: give all that the unit's file lists,
 * in the order of that list. OpenCL compiles the variant when it is first launched; CUDA images
 * hold all variants, whose kernels have names like bm_staged_FOLDED1. */
static inline void launch_define(launch *l, const char *name, uint32_t value)
{
    const size_t used = strlen(l->variant);
    snprintf(l->variant + used, sizeof l->variant - used, " -D%s=%u", name, (unsigned)value);
}

static inline void launch_add(launch *l, launch_arg arg)
{
    if (l->arg_count < LAUNCH_ARGS)
        l->args[l->arg_count] = arg;
    l->arg_count++;
}

static inline void launch_buffer(launch *l, const device_buffer *b)
{
    launch_add(l, (launch_arg){ .kind = ARG_BUFFER, .buffer = b });
}

static inline void launch_constant(launch *l, const device_buffer *b)
{
    launch_add(l, (launch_arg){ .kind = ARG_CONSTANT, .buffer = b });
}

static inline void launch_texture(launch *l, const device_texture *t)
{
    launch_add(l, (launch_arg){ .kind = ARG_TEXTURE, .texture = t });
}

/* The kernel's numbers: a struct that both sides know, valid until the launch. */
static inline void launch_struct(launch *l, const void *numbers, size_t bytes)
{
    launch_add(l, (launch_arg){ .kind = ARG_STRUCT, .numbers = numbers, .bytes = bytes });
}

#endif
