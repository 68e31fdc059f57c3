/* cuda_driver.h: what the files of the CUDA interface share: the driver's functions, the state
 * of a device, errors. How it works is told in cuda.c.
 */
#ifndef TRAWL_CUDA_DRIVER_H
#define TRAWL_CUDA_DRIVER_H

#include <cuda.h>

#include "device/device.h"

enum { CUDA_TEXT = 256 };

/* ---- the driver -------------------------------------------------------------- */

#define FUNCTIONS(X)                                                                               \
    X(cuCtxPopCurrent)                                                                             \
    X(cuCtxPushCurrent)                                                                            \
    X(cuCtxSynchronize)                                                                            \
    X(cuDeviceGet)                                                                                 \
    X(cuDeviceGetAttribute)                                                                        \
    X(cuDeviceGetCount)                                                                            \
    X(cuDeviceGetName)                                                                             \
    X(cuDeviceGetPCIBusId)                                                                         \
    X(cuDeviceGetTexture1DLinearMaxWidth)                                                          \
    X(cuDevicePrimaryCtxRelease)                                                                   \
    X(cuDevicePrimaryCtxRetain)                                                                    \
    X(cuDeviceTotalMem)                                                                            \
    X(cuDriverGetVersion)                                                                          \
    X(cuEventCreate)                                                                               \
    X(cuEventDestroy)                                                                              \
    X(cuEventQuery)                                                                                \
    X(cuEventRecord)                                                                               \
    X(cuEventSynchronize)                                                                          \
    X(cuFuncGetAttribute)                                                                          \
    X(cuFuncSetAttribute)                                                                          \
    X(cuGetErrorName)                                                                              \
    X(cuGetErrorString)                                                                            \
    X(cuInit)                                                                                      \
    X(cuLaunchKernel)                                                                              \
    X(cuMemAlloc)                                                                                  \
    X(cuMemFree)                                                                                   \
    X(cuMemFreeHost)                                                                               \
    X(cuMemHostAlloc)                                                                              \
    X(cuMemHostGetDevicePointer)                                                                   \
    X(cuMemcpyAsync)                                                                               \
    X(cuMemcpyDtoHAsync)                                                                           \
    X(cuMemcpyHtoDAsync)                                                                           \
    X(cuMemsetD32Async)                                                                            \
    X(cuMemsetD8)                                                                                  \
    X(cuModuleGetFunction)                                                                         \
    X(cuModuleGetGlobal)                                                                           \
    X(cuModuleLoadData)                                                                            \
    X(cuModuleUnload)                                                                              \
    X(cuStreamCreate)                                                                              \
    X(cuStreamDestroy)                                                                             \
    X(cuStreamSynchronize)                                                                         \
    X(cuTexObjectCreate)                                                                           \
    X(cuTexObjectDestroy)

/* cuda.h is full of lines like `#define cuMemAlloc cuMemAlloc_v2`. The arguments of X are
 * expanded by them, so the fields, their types and the symbols all have the versioned names;
 * `driver.cuMemAlloc` is expanded likewise. The declarations serve for the types only. */
typedef struct driver {
    void *opened;
#define FIELD(name) __typeof__(name) *name;
    FUNCTIONS(FIELD)
#undef FIELD
    /* Versions 1 and 2 of cuEventElapsedTime have one type, and every driver has the first. */
    CUresult(CUDAAPI *elapsed)(float *milliseconds, CUevent begin, CUevent end);
} driver;

/* ---- devices ----------------------------------------------------------------- */

typedef struct cuda_kernel {
    struct cuda_kernel *next;
    CUfunction function;
    int most_local; /* dynamic shared memory that it may be launched with now */
    int most_group; /* work items of a group that its registers leave room for */
    char name[];
} cuda_kernel;

typedef struct cuda_module {
    struct cuda_module *next;
    const device_program *program;
    CUmodule module;
    CUdeviceptr constants; /* the symbol; 0 before it was asked for */
    size_t constant_bytes;
    const void *constant_of; /* handle of the buffer whose content it holds, or NULL */
    cuda_kernel *kernels;
} cuda_module;

typedef struct cuda_device {
    device base;
    driver cu;
    CUdevice number;
    CUcontext context;
    cuda_module *modules;
} cuda_device;

struct device_queue {
    cuda_device *device;
    CUstream stream;
};

/* Behind device_event.begin; device_event.end is not used. */
typedef struct cuda_event {
    cuda_device *device;
    CUevent begin, end;
    bool recorded; /* `end` is, for the command that had the event last */
} cuda_event;

/* The status for a code that a function of the driver returned; *error is filled when it is
 * not success: "call(detail) failed: NAME (code): meaning". `detail` may be NULL. */
int cuda_tried(const cuda_device *d, trawl_error *error, const char *call, const char *detail,
               CUresult code);
/* The same for a wait: the fault may be that of anything queued before. */
int cuda_waited(const cuda_device *d, trawl_error *error, const char *call, CUresult code);
int cuda_no_memory(trawl_error *error);

/* Call a function of the driver; the status, with *error filled when it fails. */
#define CALL(d, error, name, ...) cuda_tried(d, error, #name, NULL, (d)->cu.name(__VA_ARGS__))

/* Make the device's context the current one, and undo that. */
int cuda_enter(const cuda_device *d, trawl_error *error);
void cuda_leave(const cuda_device *d);

/* Around a command that is given an event (or NULL), with the context current. */
int cuda_event_begin(device_queue *q, device_event *event, trawl_error *error);
int cuda_event_end(device_queue *q, device_event *event, trawl_error *error);
void cuda_event_none(device_event *event); /* no command: done at once */

/* The handle of a buffer is its address on the device; that of a pinned one, which kernels do
 * not see, its address on the host. */
static inline CUdeviceptr cuda_address(const device_buffer *b)
{
    return (CUdeviceptr)(uintptr_t)b->handle;
}

bool cuda_on_device(const device_buffer *b, const char *use, trawl_error *error);

/* ---- programs (cuda_launch.c) ------------------------------------------------ */

int cuda_launch(device_queue *q, const launch *l, device_event *event, trawl_error *error);
void cuda_modules_close(cuda_device *d); /* the context is current */
/* The constant memory of every module that holds this buffer's content is out of date. */
void cuda_forget_constants(cuda_device *d, const device_buffer *b);

#endif
