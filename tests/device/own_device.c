/* own_device.c: see own_device.h. */
#include "own_device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fence.h"

#include <cmocka.h>

/* A function of the driver, as a pointer of that type. */
static void find(const char *library, const char *name, void *function)
{
    void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *symbol = opened ? dlsym(opened, name) : NULL;
    if (!symbol)
        fail_msg("%s has no %s", library, name);
    memcpy(function, &symbol, sizeof symbol);
}

static void sleep_a_while(void *unused)
{
    const struct timespec while_ = { 0, 100000000 };
    (void)unused;
    nanosleep(&while_, NULL);
}

/* ---- CUDA ---------------------------------------------------------------------- */

typedef unsigned long long address;

#define CUDA_FUNCTIONS(X)                                                                          \
    X(cuInit, (unsigned))                                                                          \
    X(cuDeviceGet, (int *, int))                                                                   \
    X(cuDevicePrimaryCtxRetain, (void **, int))                                                    \
    X(cuDevicePrimaryCtxRelease_v2, (int))                                                         \
    X(cuCtxCreate_v2, (void **, unsigned, int))                                                    \
    X(cuCtxDestroy_v2, (void *))                                                                   \
    X(cuCtxSetCurrent, (void *))                                                                   \
    X(cuStreamCreate, (void **, unsigned))                                                         \
    X(cuStreamDestroy_v2, (void *))                                                                \
    X(cuStreamSynchronize, (void *))                                                               \
    X(cuMemAlloc_v2, (address *, size_t))                                                          \
    X(cuMemFree_v2, (address))                                                                     \
    X(cuMemcpyHtoD_v2, (address, const void *, size_t))                                            \
    X(cuMemcpyDtoH_v2, (void *, address, size_t))                                                  \
    X(cuMemcpyDtoDAsync_v2, (address, address, size_t, void *))                                    \
    X(cuLaunchHostFunc, (void *, void (*)(void *), void *))

static struct {
#define FIELD(name, arguments) int(*name) arguments;
    CUDA_FUNCTIONS(FIELD)
#undef FIELD
} cu;

#define CU(name, ...) assert_int_equal(cu.name(__VA_ARGS__), 0)

static address address_of(void *memory)
{
    return (address)(uintptr_t)memory;
}

static void cuda_load(void)
{
#define LOAD(name, arguments) find("libcuda.so.1", #name, &cu.name);
    CUDA_FUNCTIONS(LOAD)
#undef LOAD
    CU(cuInit, 0);
}

static void cuda_queue(own_device *o)
{
    CU(cuCtxSetCurrent, o->context);
    CU(cuStreamCreate, &o->queue, 1); /* it does not wait for the default stream, nor that for it */
}

static void cuda_open(own_device *o, int number)
{
    int device;
    cuda_load();
    CU(cuDeviceGet, &device, number);
    CU(cuDevicePrimaryCtxRetain, &o->context, device);
    o->device = (void *)(intptr_t)device;
    cuda_queue(o);
}

/* ---- OpenCL ---------------------------------------------------------------------- */

#ifdef TRAWL_HAVE_OPENCL

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define OPENCL_FUNCTIONS(X)                                                                        \
    X(CreateBuffer)                                                                                \
    X(CreateCommandQueue)                                                                          \
    X(CreateContext)                                                                               \
    X(CreateSubBuffer)                                                                             \
    X(CreateUserEvent)                                                                             \
    X(EnqueueCopyBuffer)                                                                           \
    X(EnqueueReadBuffer)                                                                           \
    X(EnqueueWriteBuffer)                                                                          \
    X(Finish)                                                                                      \
    X(GetDeviceIDs)                                                                                \
    X(GetDeviceInfo)                                                                               \
    X(GetMemObjectInfo)                                                                            \
    X(GetPlatformIDs)                                                                              \
    X(ReleaseCommandQueue)                                                                         \
    X(ReleaseContext)                                                                              \
    X(ReleaseEvent)                                                                                \
    X(ReleaseMemObject)                                                                            \
    X(SetMemObjectDestructorCallback)                                                              \
    X(SetUserEventStatus)

static struct {
#define FIELD(name) __typeof__(cl##name) *name;
    OPENCL_FUNCTIONS(FIELD)
#undef FIELD
} cl;

/* What holds the queue up, and who lets it go. */
static struct {
    cl_event event;
    pthread_t thread;
} gate;

static void opencl_context(own_device *o)
{
    cl_device_id id = o->device;
    cl_int code;
    o->context = cl.CreateContext(NULL, 1, &id, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    o->queue = cl.CreateCommandQueue(o->context, id, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
}

/* Number `which` of the devices of that name, in the driver's order, which is Trawl's too. */
static void opencl_open(own_device *o, const char *name, size_t which)
{
    enum { MOST = 32 };
    cl_platform_id platforms[MOST];
    cl_uint platform_count = 0;
#define LOAD(name) find("libOpenCL.so.1", "cl" #name, &cl.name);
    OPENCL_FUNCTIONS(LOAD)
#undef LOAD
    assert_int_equal(cl.GetPlatformIDs(MOST, platforms, &platform_count), CL_SUCCESS);
    for (cl_uint p = 0; p < platform_count && !o->device; p++) {
        cl_device_id ids[MOST];
        cl_uint count = 0;
        if (cl.GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, ids, &count) != CL_SUCCESS)
            continue;
        for (cl_uint i = 0; i < count && !o->device; i++) {
            char named[128] = "";
            cl.GetDeviceInfo(ids[i], CL_DEVICE_NAME, sizeof named - 1, named, NULL);
            if (strcmp(named, name) == 0 && which-- == 0)
                o->device = ids[i];
        }
    }
    if (!o->device)
        fail_msg("OpenCL has no device %s", name);
    opencl_context(o);
}

static void *let_go(void *unused)
{
    sleep_a_while(unused);
    cl.SetUserEventStatus(gate.event, CL_COMPLETE);
    return NULL;
}

static void opencl_copy_late(own_device *o, void *to, void *from, size_t bytes)
{
    cl_int code;
    gate.event = cl.CreateUserEvent(o->context, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(cl.EnqueueCopyBuffer(o->queue, from, to, 0, 0, bytes, 1, &gate.event, NULL),
                     CL_SUCCESS);
    assert_int_equal(pthread_create(&gate.thread, NULL, let_go, NULL), 0);
}

static void opencl_finish(own_device *o)
{
    assert_int_equal(pthread_join(gate.thread, NULL), 0);
    assert_int_equal(cl.Finish(o->queue), CL_SUCCESS);
    cl.ReleaseEvent(gate.event);
}

static void CL_CALLBACK release_fence(cl_mem unused, void *user)
{
    (void)unused;
    fence_close(user);
    free(user);
}

/* Where the device is a CPU it lies within a fence, in turns at its begin and, as far as buffers
 * can, at its end. */
static void *opencl_memory(own_device *o, size_t bytes)
{
    static unsigned turn;
    cl_device_type type = 0;
    cl_uint align = 0; /* in bits */
    cl_int code;
    fence *f = NULL;
    uint8_t *at = NULL;
    cl.GetDeviceInfo(o->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    cl.GetDeviceInfo(o->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL);
    if (type & CL_DEVICE_TYPE_CPU) {
        const size_t step = align / 8, room = (bytes + step - 1) / step * step;
        f = malloc(sizeof *f);
        assert_non_null(f);
        *f = fence_open(room);
        at = ++turn % 2 ? f->first : f->stop - room;
    }
    void *made = cl.CreateBuffer(o->context, CL_MEM_READ_WRITE | (f ? CL_MEM_USE_HOST_PTR : 0),
                                 bytes, at, &code);
    assert_int_equal(code, CL_SUCCESS);
    if (f)
        assert_int_equal(cl.SetMemObjectDestructorCallback(made, release_fence, f), CL_SUCCESS);
    return made;
}

static void *opencl_part(void *memory, size_t offset, size_t bytes)
{
    const cl_buffer_region region = { offset, bytes };
    cl_int code;
    void *made =
        cl.CreateSubBuffer(memory, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    assert_int_equal(code, CL_SUCCESS);
    return made;
}

static void opencl_write(own_device *o, void *memory, size_t offset, const void *bytes,
                         size_t count)
{
    assert_int_equal(
        cl.EnqueueWriteBuffer(o->queue, memory, CL_TRUE, offset, count, bytes, 0, NULL, NULL),
        CL_SUCCESS);
}

static void opencl_read(own_device *o, void *memory, size_t offset, void *bytes, size_t count)
{
    assert_int_equal(
        cl.EnqueueReadBuffer(o->queue, memory, CL_TRUE, offset, count, bytes, 0, NULL, NULL),
        CL_SUCCESS);
}

static unsigned opencl_references(void *memory)
{
    cl_uint count = 0;
    assert_int_equal(
        cl.GetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL),
        CL_SUCCESS);
    return count;
}

static void opencl_release(void *memory)
{
    assert_int_equal(cl.ReleaseMemObject(memory), CL_SUCCESS);
}

static void opencl_close(own_device *o)
{
    cl.ReleaseCommandQueue(o->queue);
    cl.ReleaseContext(o->context);
}

#else /* no target is of OpenCL then */

#define opencl_context(o) ((void)(o))
#define opencl_open(o, name, which) ((void)(o), (void)(name), (void)(which))
#define opencl_copy_late(o, to, from, bytes) ((void)(o))
#define opencl_finish(o) ((void)(o))
#define opencl_memory(o, bytes) NULL
#define opencl_part(memory, offset, bytes) ((void)(memory), (void)(offset), (void)(bytes), NULL)
#define opencl_write(o, memory, offset, bytes, count) ((void)(o))
#define opencl_read(o, memory, offset, bytes, count) ((void)(o))
#define opencl_references(memory) ((void)(memory), 0)
#define opencl_release(memory) ((void)(memory))
#define opencl_close(o) ((void)(o))

#endif

/* ---- either ---------------------------------------------------------------------- */

void own_open(own_device *o, const test_target *targets, size_t which)
{
    const test_target *t = &targets[which];
    size_t before = 0; /* of that name */
    *o = (own_device){ .cuda = strcmp(t->backend, "cuda") == 0 };
    for (size_t i = 0; i < which; i++)
        before += strcmp(targets[i].backend, t->backend) == 0 &&
                  strcmp(targets[i].info.name, t->info.name) == 0;
    if (o->cuda)
        cuda_open(o, t->device[0] - '0');
    else
        opencl_open(o, t->info.name, before);
}

void own_open_stranger(own_device *o, const own_device *like)
{
    *o = (own_device){ .cuda = like->cuda, .device = like->device };
    if (o->cuda) {
        CU(cuCtxCreate_v2, &o->context, 0, (int)(intptr_t)o->device);
        cuda_queue(o);
    } else {
        opencl_context(o);
    }
}

void own_close(own_device *o)
{
    if (o->cuda) {
        void *primary;
        const int device = (int)(intptr_t)o->device;
        CU(cuCtxSetCurrent, o->context);
        CU(cuStreamDestroy_v2, o->queue);
        CU(cuDevicePrimaryCtxRetain, &primary, device);
        if (primary != o->context)
            CU(cuCtxDestroy_v2, o->context);
        else
            CU(cuDevicePrimaryCtxRelease_v2, device);
        CU(cuDevicePrimaryCtxRelease_v2, device);
    } else {
        opencl_close(o);
    }
}

void *own_native(const own_device *o)
{
    return o->cuda ? NULL : o->context;
}

void *own_memory(own_device *o, size_t bytes)
{
    address memory = 0;
    if (!o->cuda)
        return opencl_memory(o, bytes);
    CU(cuCtxSetCurrent, o->context);
    CU(cuMemAlloc_v2, &memory, bytes);
    return (void *)(uintptr_t)memory;
}

void own_memory_free(own_device *o, void *memory)
{
    if (o->cuda) {
        CU(cuCtxSetCurrent, o->context);
        CU(cuMemFree_v2, address_of(memory));
    } else {
        opencl_release(memory);
    }
}

void own_write(own_device *o, void *memory, size_t offset, const void *bytes, size_t count)
{
    if (count == 0)
        return;
    if (o->cuda) {
        CU(cuCtxSetCurrent, o->context);
        CU(cuMemcpyHtoD_v2, address_of(memory) + offset, bytes, count);
    } else {
        opencl_write(o, memory, offset, bytes, count);
    }
}

void own_read(own_device *o, void *memory, size_t offset, void *bytes, size_t count)
{
    if (o->cuda) {
        CU(cuCtxSetCurrent, o->context);
        CU(cuMemcpyDtoH_v2, bytes, address_of(memory) + offset, count);
    } else {
        opencl_read(o, memory, offset, bytes, count);
    }
}

void own_copy_late(own_device *o, void *to, void *from, size_t bytes)
{
    if (o->cuda) {
        CU(cuCtxSetCurrent, o->context);
        CU(cuLaunchHostFunc, o->queue, sleep_a_while, NULL);
        CU(cuMemcpyDtoDAsync_v2, address_of(to), address_of(from), bytes, o->queue);
    } else {
        opencl_copy_late(o, to, from, bytes);
    }
}

void own_finish(own_device *o)
{
    if (o->cuda)
        CU(cuStreamSynchronize, o->queue);
    else
        opencl_finish(o);
}

void *own_part(own_device *o, void *memory, size_t offset, size_t bytes)
{
    return o->cuda ? NULL : opencl_part(memory, offset, bytes);
}

bool own_alone(own_device *o, void *memory)
{
    unsigned tries = 20;
    while (!o->cuda && opencl_references(memory) != 1 && --tries)
        sleep_a_while(NULL);
    return tries != 0;
}

/* ---- beside Trawl's ------------------------------------------------------------------- */

trawl_context *own_context(const test_target *t, void *native, const char *tuning)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    options.backend = t->backend;
    options.device = t->device;
    options.tuning = tuning;
    options.native = native;
    if (trawl_context_open(&options, &context, &error) != TRAWL_OK)
        fail_msg("%s device %s: %s", t->backend, t->device, error.message);
    return context;
}

bench bench_open(const test_target *targets, size_t which, const char *tuning)
{
    bench b = { .target = &targets[which] };
    own_open(&b.own, targets, which);
    b.context = own_context(b.target, own_native(&b.own), tuning);
    return b;
}

void bench_close(bench *b)
{
    trawl_context_close(b->context);
    own_close(&b->own);
}
