/* opencl_driver.h: what the OpenCL interface stands on: the loader's functions, errors, finding
 * devices, events. opencl_launch.h stands on this, and opencl.c on both.
 */
#ifndef TRAWL_OPENCL_DRIVER_H
#define TRAWL_OPENCL_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "device/cache.h"
#include "device/device.h"

#define OPENCL_BUILD_OPTIONS "-cl-std=CL1.2"

enum { OPENCL_TEXT = 256, OPENCL_DEVICES = 64 };

/* ---- the loader ---------------------------------------------------------------- */

#define OPENCL_FUNCTIONS(X)                                                                        \
    X(BuildProgram)                                                                                \
    X(CreateBuffer)                                                                                \
    X(CreateCommandQueue)                                                                          \
    X(CreateContext)                                                                               \
    X(CreateImage)                                                                                 \
    X(CreateKernel)                                                                                \
    X(CreateProgramWithBinary)                                                                     \
    X(CreateProgramWithSource)                                                                     \
    X(CreateSubBuffer)                                                                             \
    X(EnqueueBarrierWithWaitList)                                                                  \
    X(EnqueueCopyBuffer)                                                                           \
    X(EnqueueFillBuffer)                                                                           \
    X(EnqueueMapBuffer)                                                                            \
    X(EnqueueMarkerWithWaitList)                                                                   \
    X(EnqueueNDRangeKernel)                                                                        \
    X(EnqueueReadBuffer)                                                                           \
    X(EnqueueUnmapMemObject)                                                                       \
    X(EnqueueWriteBuffer)                                                                          \
    X(Finish)                                                                                      \
    X(Flush)                                                                                       \
    X(GetCommandQueueInfo)                                                                         \
    X(GetContextInfo)                                                                              \
    X(GetDeviceIDs)                                                                                \
    X(GetDeviceInfo)                                                                               \
    X(GetEventInfo)                                                                                \
    X(GetEventProfilingInfo)                                                                       \
    X(GetKernelInfo)                                                                               \
    X(GetKernelWorkGroupInfo)                                                                      \
    X(GetMemObjectInfo)                                                                            \
    X(GetPlatformIDs)                                                                              \
    X(GetPlatformInfo)                                                                             \
    X(GetProgramBuildInfo)                                                                         \
    X(GetProgramInfo)                                                                              \
    X(ReleaseCommandQueue)                                                                         \
    X(ReleaseContext)                                                                              \
    X(ReleaseEvent)                                                                                \
    X(ReleaseKernel)                                                                               \
    X(ReleaseMemObject)                                                                            \
    X(ReleaseProgram)                                                                              \
    X(RetainContext)                                                                               \
    X(RetainMemObject)                                                                             \
    X(SetKernelArg)                                                                                \
    X(WaitForEvents)

/* The header's declarations are used for their types only; nothing is linked. */
typedef struct opencl_functions {
    void *library;
#define FIELD(name) __typeof__(cl##name) *name;
    OPENCL_FUNCTIONS(FIELD)
#undef FIELD
} opencl_functions;

/* Close with opencl_loader_close. False: `why` says what is missing. */
bool opencl_loader_open(opencl_functions *cl, char why[OPENCL_TEXT]);
void opencl_loader_close(opencl_functions *cl);

/* ---- finding devices ----------------------------------------------------------- */

typedef struct opencl_found {
    cl_platform_id platform;
    cl_device_id id;
} opencl_found;

/* Find all devices that can be used, CPUs last. Returns how many; with none, `why` says so. */
size_t opencl_find(const opencl_functions *cl, opencl_found all[OPENCL_DEVICES],
                   char why[OPENCL_TEXT]);
void opencl_facts(const opencl_functions *cl, const opencl_found *f, device_info *info);
void opencl_list(device_info *infos, size_t room, size_t *count, char why[OPENCL_TEXT]);

/* ---- errors -------------------------------------------------------------------- */

/* Write "clCall: -5 CL_OUT_OF_RESOURCES (meaning)" to `text`, and return that. */
const char *opencl_describe(char text[OPENCL_TEXT], const char *call, cl_int code);

/* Fill *error and return the status that fits. While memory is being allocated, more codes mean
 * that there is too little. */
int opencl_fail(trawl_error *error, const char *call, cl_int code);
int opencl_allocation_fail(trawl_error *error, const char *call, cl_int code);
/* The driver refused something of the caller's: TRAWL_ERROR_ARGUMENT, "`what` (`call`: ...)". */
int opencl_refuse(trawl_error *error, const char *what, const char *call, cl_int code);

/* ---- devices ----------------------------------------------------------------- */

struct opencl_program;

typedef struct opencl_device {
    device d; /* first */
    opencl_functions cl;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;          /* the device's own */
    struct opencl_program *programs; /* built: opencl_launch.c */
    cache_key key;                   /* of the device and the driver */
} opencl_device;

struct device_queue {
    opencl_device *o;
    cl_command_queue handle;
};

static inline opencl_device *opencl_of(device *d)
{
    return (opencl_device *)d;
}

/* ---- events ------------------------------------------------------------------ */

/* The outcome of enqueueing a command that was given `made` as its event. */
int opencl_enqueued(device_queue *q, const char *call, cl_int code, cl_event made,
                    device_event *event, trawl_error *error);
/* For a command of no bytes, which OpenCL refuses: it is done at once. */
int opencl_nothing_queued(device_queue *q, device_event *event);

/* As device_api has them. */
bool opencl_event_done(const device_event *event);
int opencl_event_wait(const device_event *event, trawl_error *error);
double opencl_event_seconds(const device_event *event);
void opencl_event_close(device *d, device_event *event);

#endif
