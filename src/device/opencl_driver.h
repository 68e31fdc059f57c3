/* opencl_driver.h: what the files of the OpenCL interface share: the loader's functions, the
 * state of a device, errors. How it works is told in opencl.c.
 */
#ifndef TRAWL_OPENCL_DRIVER_H
#define TRAWL_OPENCL_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "device/cache.h"
#include "device/device.h"

#define OPENCL_BUILD_OPTIONS "-cl-std=CL1.2"

enum { OPENCL_TEXT = 256, OPENCL_DEVICES = 64 };

/* ---- the loader (opencl_driver.c) -------------------------------------------- */

#define OPENCL_FUNCTIONS(X)                                                                        \
    X(BuildProgram)                                                                                \
    X(CreateBuffer)                                                                                \
    X(CreateCommandQueue)                                                                          \
    X(CreateContext)                                                                               \
    X(CreateImage)                                                                                 \
    X(CreateKernel)                                                                                \
    X(CreateProgramWithBinary)                                                                     \
    X(CreateProgramWithSource)                                                                     \
    X(EnqueueFillBuffer)                                                                           \
    X(EnqueueMapBuffer)                                                                            \
    X(EnqueueNDRangeKernel)                                                                        \
    X(EnqueueReadBuffer)                                                                           \
    X(EnqueueUnmapMemObject)                                                                       \
    X(EnqueueWriteBuffer)                                                                          \
    X(Finish)                                                                                      \
    X(Flush)                                                                                       \
    X(GetDeviceIDs)                                                                                \
    X(GetDeviceInfo)                                                                               \
    X(GetEventInfo)                                                                                \
    X(GetEventProfilingInfo)                                                                       \
    X(GetKernelInfo)                                                                               \
    X(GetKernelWorkGroupInfo)                                                                      \
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
    X(SetKernelArg)                                                                                \
    X(WaitForEvents)

/* The header's declarations serve for the types only; nothing is linked. */
typedef struct opencl_functions {
    void *library;
#define FIELD(name) __typeof__(cl##name) *name;
    OPENCL_FUNCTIONS(FIELD)
#undef FIELD
} opencl_functions;

/* Close with opencl_loader_close. False: `why` says what is missing. */
bool opencl_loader_open(opencl_functions *cl, char why[OPENCL_TEXT]);
void opencl_loader_close(opencl_functions *cl);

/* ---- finding devices (opencl_driver.c) --------------------------------------- */

typedef struct opencl_found {
    cl_platform_id platform;
    cl_device_id id;
} opencl_found;

/* All devices that serve, CPUs last; with none, `why` says so. */
size_t opencl_find(const opencl_functions *cl, opencl_found all[OPENCL_DEVICES],
                   char why[OPENCL_TEXT]);
void opencl_facts(const opencl_functions *cl, const opencl_found *f, device_info *info);
void opencl_list(device_info *infos, size_t room, size_t *count, char why[OPENCL_TEXT]);

/* ---- errors (opencl_driver.c) ------------------------------------------------ */

/* "clCall: -5 CL_OUT_OF_RESOURCES (meaning)" into `text`, which is returned. */
const char *opencl_describe(char text[OPENCL_TEXT], const char *call, cl_int code);

/* Fill *error and return the status that fits. Where memory is being allocated more codes mean
 * that there is too little. */
int opencl_fail(trawl_error *error, const char *call, cl_int code);
int opencl_allocation_fail(trawl_error *error, const char *call, cl_int code);
int opencl_no_memory(trawl_error *error);

/* ---- devices (opencl.c) ------------------------------------------------------ */

typedef struct opencl_kernel {
    struct opencl_kernel *next;
    cl_kernel handle;
    cl_uint args;
    char name[];
} opencl_kernel;

typedef struct opencl_program {
    struct opencl_program *next;
    cl_program handle;
    opencl_kernel *kernels;
    char unit[];
} opencl_program;

typedef struct opencl_device {
    device d; /* first */
    opencl_functions cl;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue; /* the device's own */
    opencl_program *programs;
    cache_key key; /* of the device, the driver and the options */
} opencl_device;

struct device_queue {
    opencl_device *o;
    cl_command_queue handle;
};

/* The outcome of enqueueing a command that was given `made` as its event. */
int opencl_enqueued(device_queue *q, const char *call, cl_int code, cl_event made,
                    device_event *event, trawl_error *error);
/* A command of nothing, which OpenCL refuses: done at once. */
int opencl_nothing_queued(device_queue *q, device_event *event);

/* ---- programs and launches (opencl_launch.c) --------------------------------- */

int opencl_launch(device_queue *q, const launch *l, device_event *event, trawl_error *error);
void opencl_programs_close(opencl_device *o);

#endif
