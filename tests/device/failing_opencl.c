/* failing_opencl.c: a layer for the OpenCL loader (OPENCL_LAYERS), between a program and its
 * devices, which fail when they are told to. Numbers count from 1, over all threads and queues:
 *
 *     FAILING_LAUNCH=N   the N-th kernel, and all after it, cannot be queued
 *     FAILING_COPY=N     the same of copies to a device
 *     FAILING_LATE=N     the N-th kernel is queued, and is said to have failed when it is waited
 * for FAILING_BUFFER=N   there is no memory for the N-th buffer, nor for any after it
 *     FAILING_GPU=1      devices call themselves GPUs with memory of their own, and copies take a
 *                        tenth of their time: so they are chosen as a GPU would be
 *     FAILING_COUNT=FILE when the program ends, FILE gets the numbers of kernels, copies and
 *                        buffers
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct failing {
    unsigned long from; /* 0: never */
    atomic_ulong count;
} failing;

static failing launches, copies, late, buffers;
static _Atomic cl_event lost; /* of the kernel that fails late */
static const struct _cl_icd_dispatch *below;
static struct _cl_icd_dispatch ours;

static unsigned long wish(const char *name)
{
    const char *value = getenv(name);
    return value ? strtoul(value, NULL, 10) : 0;
}

static bool fails(failing *f)
{
    const unsigned long number = atomic_fetch_add(&f->count, 1) + 1;
    return f->from && number >= f->from;
}

static void write_counts(void)
{
    const char *path = getenv("FAILING_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%lu %lu %lu\n", atomic_load(&launches.count), atomic_load(&copies.count),
            atomic_load(&buffers.count));
    fclose(file);
}

/* ---- calls ------------------------------------------------------------------------------ */

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint waits, const cl_event *wait, cl_event *event)
{
    if (fails(&launches))
        return CL_INVALID_OPERATION;
    const cl_int code = below->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                      local, waits, wait, event);
    if (code == CL_SUCCESS && event && late.from &&
        atomic_fetch_add(&late.count, 1) + 1 == late.from)
        atomic_store(&lost, *event);
    return code;
}

static cl_int CL_API_CALL copy(cl_command_queue queue, cl_mem to, cl_bool blocking, size_t offset,
                               size_t bytes, const void *from, cl_uint waits, const cl_event *wait,
                               cl_event *event)
{
    return fails(&copies) ? CL_INVALID_OPERATION
                          : below->clEnqueueWriteBuffer(queue, to, blocking, offset, bytes, from,
                                                        waits, wait, event);
}

static cl_int CL_API_CALL wait_for(cl_uint count, const cl_event *events)
{
    for (cl_uint i = 0; i < count; i++)
        if (events[i] == atomic_load(&lost))
            return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return below->clWaitForEvents(count, events);
}

static cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, size_t room, void *value,
                                     size_t *size)
{
    const cl_int code = below->clGetEventInfo(event, what, room, value, size);
    if (code == CL_SUCCESS && value && what == CL_EVENT_COMMAND_EXECUTION_STATUS &&
        event == atomic_load(&lost))
        *(cl_int *)value = CL_INVALID_OPERATION;
    return code;
}

static cl_mem CL_API_CALL buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                                 cl_int *code)
{
    if (!fails(&buffers))
        return below->clCreateBuffer(context, flags, bytes, host, code);
    if (code)
        *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t room,
                                      void *value, size_t *size)
{
    const cl_int code = below->clGetDeviceInfo(device, what, room, value, size);
    if (code != CL_SUCCESS || !value)
        return code;
    if (what == CL_DEVICE_TYPE)
        *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
    else if (what == CL_DEVICE_HOST_UNIFIED_MEMORY)
        *(cl_bool *)value = CL_FALSE;
    else if (what == CL_DEVICE_MAX_COMPUTE_UNITS)
        *(cl_uint *)value = 132;
    return code;
}

static cl_int CL_API_CALL profile(cl_event event, cl_profiling_info what, size_t room, void *value,
                                  size_t *size)
{
    cl_ulong start = 0;
    const cl_int code = below->clGetEventProfilingInfo(event, what, room, value, size);
    if (code == CL_SUCCESS && value && what == CL_PROFILING_COMMAND_END &&
        below->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                       NULL) == CL_SUCCESS)
        *(cl_ulong *)value = start + (*(cl_ulong *)value - start) / 10 + 1;
    return code;
}

/* ---- what the loader asks for --------------------------------------------------------------- */

static cl_int answer(const void *from, size_t bytes, size_t room, void *to, size_t *size)
{
    if (size)
        *size = bytes;
    if (to && room < bytes)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, from, bytes);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *value,
                                               size_t *size)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "failing_opencl";
    if (what == CL_LAYER_API_VERSION)
        return answer(&version, sizeof version, room, value, size);
    if (what == CL_LAYER_NAME)
        return answer(name, sizeof name, room, value, size);
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
                                            cl_uint *given, const cl_icd_dispatch **layer)
{
    const size_t there = entries * sizeof(void *);
    below = target;
    memcpy(&ours, target, there < sizeof ours ? there : sizeof ours);
    launches.from = wish("FAILING_LAUNCH");
    copies.from = wish("FAILING_COPY");
    late.from = wish("FAILING_LATE");
    buffers.from = wish("FAILING_BUFFER");
    ours.clEnqueueNDRangeKernel = launch;
    ours.clEnqueueWriteBuffer = copy;
    ours.clWaitForEvents = wait_for;
    ours.clGetEventInfo = event_info;
    ours.clCreateBuffer = buffer;
    if (wish("FAILING_GPU")) {
        ours.clGetDeviceInfo = device_info;
        ours.clGetEventProfilingInfo = profile;
    }
    atexit(write_counts);
    *given = (cl_uint)(sizeof ours / sizeof(void *));
    *layer = &ours;
    return CL_SUCCESS;
}
