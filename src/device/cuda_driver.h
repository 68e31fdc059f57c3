/* cuda_driver.h: what the CUDA interface stands on: the driver's functions, errors, contexts,
 * finding devices, events. cuda_launch.h stands on this, and cuda.c on both.
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
    X(cuMemGetAddressRange)                                                                        \
    X(cuMemHostAlloc)                                                                              \
    X(cuMemHostGetDevicePointer)                                                                   \
    X(cuMemHostRegister)                                                                           \
    X(cuMemHostUnregister)                                                                         \
    X(cuMemcpyAsync)                                                                               \
    X(cuMemcpyDtoHAsync)                                                                           \
    X(cuMemcpyHtoDAsync)                                                                           \
    X(cuMemsetD32Async)                                                                            \
    X(cuMemsetD8)                                                                                  \
    X(cuModuleGetFunction)                                                                         \
    X(cuModuleGetGlobal)                                                                           \
    X(cuModuleLoadData)                                                                            \
    X(cuModuleUnload)                                                                              \
    X(cuPointerGetAttribute)                                                                       \
    X(cuStreamCreate)                                                                              \
    X(cuStreamDestroy)                                                                             \
    X(cuStreamSynchronize)                                                                         \
    X(cuStreamWaitEvent)                                                                           \
    X(cuTexObjectCreate)                                                                           \
    X(cuTexObjectDestroy)

/* cuda.h is full of lines like `#define cuMemAlloc cuMemAlloc_v2`. They expand the arguments of X,
 * so the fields, their types and the symbols all have the versioned names; so has
 * `driver.cuMemAlloc`. The declarations are used for their types only. */
typedef struct driver {
    void *opened;
#define FIELD(name) __typeof__(name) *name;
    FUNCTIONS(FIELD)
#undef FIELD
    /* Versions 1 and 2 of cuEventElapsedTime have one type, and every driver has the first. */
    CUresult(CUDAAPI *elapsed)(float *milliseconds, CUevent begin, CUevent end);
} driver;

/* ---- devices ----------------------------------------------------------------- */

struct cuda_module;

typedef struct cuda_device {
    device base;
    driver cu;
    CUdevice number;
    CUcontext context;
    struct cuda_module *modules; /* loaded programs: cuda_launch.c */
} cuda_device;

struct device_queue {
    cuda_device *device;
    CUstream stream;
};

/* What device_event.begin points to; device_event.end is not used. */
typedef struct cuda_event {
    cuda_device *device;
    CUevent begin, end;
    bool recorded; /* `end` is recorded, for the last command that was given the event */
} cuda_event;

/* Close `opened` with dlclose. False: `why` says what is missing. */
bool cuda_driver_open(driver *cu, char why[CUDA_TEXT]);

/* How many devices there are; with none, `why` says so. */
size_t cuda_count(const driver *cu, char why[CUDA_TEXT]);
void cuda_facts(const driver *cu, CUdevice number, device_info *info);
void cuda_list(device_info *infos, size_t room, size_t *count, char why[256]);

/* Returns the status for a code that a function of the driver returned, and fills *error unless it
 * is success: "call(detail) failed: NAME (code): meaning". `detail` may be NULL. */
int cuda_tried(const cuda_device *d, trawl_error *error, const char *call, const char *detail,
               CUresult code);
/* The same for a wait: anything queued before may be at fault. */
int cuda_waited(const cuda_device *d, trawl_error *error, const char *call, CUresult code);

/* Call a function of the driver; the value is the status, and *error is filled when it fails. */
#define CALL(d, error, name, ...) cuda_tried(d, error, #name, NULL, (d)->cu.name(__VA_ARGS__))

/* Make the device's context the current one, and undo that. */
int cuda_enter(const cuda_device *d, trawl_error *error);
void cuda_leave(const cuda_device *d);

/* Around a command that is given an event (or NULL), with the context current. */
int cuda_event_begin(device_queue *q, device_event *event, trawl_error *error);
int cuda_event_end(device_queue *q, device_event *event, trawl_error *error);
void cuda_event_none(device_event *event); /* for no command: done at once */

/* As device_api has them. */
bool cuda_event_done(const device_event *event);
int cuda_event_wait(const device_event *event, trawl_error *error);
double cuda_event_seconds(const device_event *event);
void cuda_event_close(device *base, device_event *event);
int cuda_mark(device *base, void *queue, device_event *event, trawl_error *error);
int cuda_await(device_queue *q, const device_event *event, trawl_error *error);

/* The handle of a buffer is its address on the device; of a pinned one, which kernels do not see,
 * it is the address on the host. */
static inline CUdeviceptr cuda_address(const device_buffer *b)
{
    return (CUdeviceptr)(uintptr_t)b->handle;
}

bool cuda_on_device(const device_buffer *b, const char *use, trawl_error *error);

#endif
