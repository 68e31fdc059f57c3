/* cuda_driver.c: opening the CUDA driver, errors, contexts, finding devices, events (see cuda.c).
 */
#ifdef TRAWL_HAVE_CUDA

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "device/constant.h"
#include "device/cuda_driver.h"
#include "device/program.h"

#define LIBRARY "libcuda.so.1"
#define PART_ALIGN 128u /* a line of cache; all allocations begin at multiples of 256 */

/* ---- the driver -------------------------------------------------------------- */

/* "call(detail) failed: NAME (code): meaning" into `text`. */
static const char *describe(const driver *cu, char text[CUDA_TEXT], const char *call,
                            const char *detail, CUresult code)
{
    const char *name = NULL, *meaning = NULL;
    if (cu->cuGetErrorName(code, &name) != CUDA_SUCCESS || !name)
        name = "a code unknown to the driver";
    if (cu->cuGetErrorString(code, &meaning) != CUDA_SUCCESS || !meaning)
        meaning = "no description";
    if (detail)
        snprintf(text, CUDA_TEXT, "%s(%s) failed: %s (%d): %s", call, detail, name, (int)code,
                 meaning);
    else
        snprintf(text, CUDA_TEXT, "%s failed: %s (%d): %s", call, name, (int)code, meaning);
    return text;
}

/* dlsym's pointers to objects become pointers to functions. */
static bool find(void *opened, const char *name, void *function)
{
    void *symbol = dlsym(opened, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

/* The library is never unloaded once it was there (RTLD_NODELETE): it starts threads and
 * registers exit handlers. */
bool cuda_driver_open(driver *cu, char why[CUDA_TEXT])
{
    memset(cu, 0, sizeof *cu);
    cu->opened = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!cu->opened) {
        const char *reason = dlerror();
        snprintf(why, CUDA_TEXT, "no CUDA driver: %s", reason ? reason : LIBRARY);
        return false;
    }
    const char *missing = NULL;
#define STRING(name) #name
#define LOAD(name)                                                                                 \
    if (!find(cu->opened, STRING(name), &cu->name))                                                \
        missing = STRING(name);
    FUNCTIONS(LOAD)
#undef LOAD
#undef STRING
    if (!find(cu->opened, "cuEventElapsedTime", &cu->elapsed))
        missing = "cuEventElapsedTime";
    CUresult code = CUDA_SUCCESS;
    if (missing)
        snprintf(why, CUDA_TEXT, "the CUDA driver is too old: %s has no %s", LIBRARY, missing);
    else if ((code = cu->cuInit(0)) != CUDA_SUCCESS)
        describe(cu, why, "cuInit", NULL, code);
    if (missing || code != CUDA_SUCCESS) {
        dlclose(cu->opened);
        return false;
    }
    return true;
}

/* ---- errors and contexts ----------------------------------------------------- */

int cuda_tried(const cuda_device *d, trawl_error *error, const char *call, const char *detail,
               CUresult code)
{
    char text[CUDA_TEXT];
    if (code == CUDA_SUCCESS)
        return TRAWL_OK;
    return fail(error, code == CUDA_ERROR_OUT_OF_MEMORY ? TRAWL_ERROR_MEMORY : TRAWL_ERROR_DEVICE,
                TRAWL_NONE, "%s", describe(&d->cu, text, call, detail, code));
}

/* What a wait returns may be the fault of anything queued before it. */
int cuda_waited(const cuda_device *d, trawl_error *error, const char *call, CUresult code)
{
    char text[CUDA_TEXT];
    if (code == CUDA_SUCCESS)
        return TRAWL_OK;
    return fail(error, code == CUDA_ERROR_OUT_OF_MEMORY ? TRAWL_ERROR_MEMORY : TRAWL_ERROR_DEVICE,
                TRAWL_NONE, "%s (in a command queued before)",
                describe(&d->cu, text, call, NULL, code));
}

int cuda_enter(const cuda_device *d, trawl_error *error)
{
    return CALL(d, error, cuCtxPushCurrent, d->context);
}

void cuda_leave(const cuda_device *d)
{
    CUcontext popped;
    (void)d->cu.cuCtxPopCurrent(&popped);
}

/* ---- finding devices --------------------------------------------------------- */

/* 0 when the driver does not know. */
static uint32_t attribute(const driver *cu, CUdevice number, CUdevice_attribute what)
{
    int value = 0;
    if (cu->cuDeviceGetAttribute(&value, what, number) != CUDA_SUCCESS || value < 0)
        return 0;
    return (uint32_t)value;
}

void cuda_facts(const driver *cu, CUdevice number, device_info *info)
{
    memset(info, 0, sizeof *info);
    int version = 0;
    size_t bytes = 0, texels = 0;
    if (cu->cuDeviceGetName(info->name, (int)sizeof info->name - 1, number) != CUDA_SUCCESS)
        snprintf(info->name, sizeof info->name, "CUDA device");
    (void)cu->cuDriverGetVersion(&version);
    snprintf(info->driver, sizeof info->driver, "CUDA driver %d.%d, compute capability %u.%u",
             version / 1000, version % 1000 / 10,
             attribute(cu, number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
             attribute(cu, number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    if (cu->cuDeviceGetPCIBusId(info->bus, (int)sizeof info->bus - 1, number) != CUDA_SUCCESS)
        info->bus[0] = '\0';
    for (char *c = info->bus; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    if (cu->cuDeviceTotalMem(&bytes, number) == CUDA_SUCCESS)
        info->memory = info->largest_buffer = bytes;
    if (cu->cuDeviceGetTexture1DLinearMaxWidth(&texels, CU_AD_FORMAT_UNSIGNED_INT32, 1, number) !=
            CUDA_SUCCESS ||
        texels == 0)
        texels = attribute(cu, number, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    info->texture_words = texels;
    info->units = attribute(cu, number, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    info->most_group = attribute(cu, number, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    info->local_bytes =
        attribute(cu, number, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    info->constant_bytes = attribute(cu, number, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    if (info->constant_bytes > 4 * CONSTANT_WORDS)
        info->constant_bytes = 4 * CONSTANT_WORDS;
    info->lanes = attribute(cu, number, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    info->part_align = PART_ALIGN;
    info->finish_tells = true;
    info->shares_memory = attribute(cu, number, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
}

size_t cuda_count(const driver *cu, char why[CUDA_TEXT])
{
    int count = 0;
    CUresult code = cu->cuDeviceGetCount(&count);
    if (code != CUDA_SUCCESS) {
        describe(cu, why, "cuDeviceGetCount", NULL, code);
        return 0;
    }
    if (count <= 0) {
        snprintf(why, CUDA_TEXT, "the CUDA driver finds no device");
        return 0;
    }
    return (size_t)count;
}

void cuda_list(device_info *infos, size_t room, size_t *count, char why[256])
{
    driver cu;
    char reason[CUDA_TEXT] = "";
    *count = 0;
    if (cuda_driver_open(&cu, reason)) {
        trawl_error missing = { 0 };
        *count = cuda_count(&cu, reason);
        if (*count > 0 && !device_image_exists("bm", &missing)) { /* this unit for all */
            *count = 0;
            memcpy(reason, missing.message, sizeof reason);
        }
        for (size_t i = 0; i < *count && i < room; i++) {
            CUdevice number;
            memset(&infos[i], 0, sizeof infos[i]);
            if (cu.cuDeviceGet(&number, (int)i) == CUDA_SUCCESS)
                cuda_facts(&cu, number, &infos[i]);
        }
        dlclose(cu.opened);
    }
    if (why)
        snprintf(why, CUDA_TEXT, "%s", reason);
}

/* ---- buffers ----------------------------------------------------------------- */

bool cuda_on_device(const device_buffer *b, const char *use, trawl_error *error)
{
    if (b && b->handle && b->kind != BUFFER_PINNED)
        return true;
    fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "CUDA: %s: the buffer is not open on the device",
         use);
    return false;
}

/* ---- events ------------------------------------------------------------------ */

static int event_make(cuda_device *d, device_event *event, trawl_error *error)
{
    cuda_event *e = memory_take_zeroed(d->base.memory, 1, sizeof *e);
    if (!e)
        return memory_failed(d->base.memory, error, "an event");
    e->device = d;
    int status = CALL(d, error, cuEventCreate, &e->begin, CU_EVENT_DEFAULT);
    if (status == TRAWL_OK) {
        status = CALL(d, error, cuEventCreate, &e->end, CU_EVENT_DEFAULT);
        if (status != TRAWL_OK)
            (void)d->cu.cuEventDestroy(e->begin);
    }
    if (status != TRAWL_OK)
        memory_give(d->base.memory, e);
    else
        event->begin = e;
    return status;
}

/* Around a command, with the context current. */
int cuda_event_begin(device_queue *q, device_event *event, trawl_error *error)
{
    if (!event)
        return TRAWL_OK;
    if (!event->begin) {
        int status = event_make(q->device, event, error);
        if (status != TRAWL_OK)
            return status;
    }
    cuda_event *e = event->begin;
    e->recorded = false;
    return CALL(q->device, error, cuEventRecord, e->begin, q->stream);
}

int cuda_event_end(device_queue *q, device_event *event, trawl_error *error)
{
    if (!event)
        return TRAWL_OK;
    cuda_event *e = event->begin;
    int status = CALL(q->device, error, cuEventRecord, e->end, q->stream);
    e->recorded = status == TRAWL_OK;
    return status;
}

void cuda_event_none(device_event *event)
{
    if (event && event->begin)
        ((cuda_event *)event->begin)->recorded = false;
}

bool cuda_event_done(const device_event *event)
{
    const cuda_event *e = event->begin;
    if (!e || !e->recorded || cuda_enter(e->device, NULL) != TRAWL_OK)
        return true;
    CUresult code = e->device->cu.cuEventQuery(e->end);
    cuda_leave(e->device);
    return code != CUDA_ERROR_NOT_READY;
}

int cuda_event_wait(const device_event *event, trawl_error *error)
{
    const cuda_event *e = event->begin;
    if (!e || !e->recorded)
        return TRAWL_OK;
    int status = cuda_enter(e->device, error);
    if (status != TRAWL_OK)
        return status;
    status = cuda_waited(e->device, error, "cuEventSynchronize",
                         e->device->cu.cuEventSynchronize(e->end));
    cuda_leave(e->device);
    return status;
}

double cuda_event_seconds(const device_event *event)
{
    const cuda_event *e = event->begin;
    float milliseconds = 0;
    if (!e || !e->recorded || cuda_enter(e->device, NULL) != TRAWL_OK)
        return 0;
    CUresult code = e->device->cu.elapsed(&milliseconds, e->begin, e->end);
    cuda_leave(e->device);
    return code == CUDA_SUCCESS ? (double)milliseconds / 1000 : 0;
}

/* A stream of another context is an invalid handle to an event of this one. */
int cuda_mark(device *base, void *queue, device_event *event, trawl_error *error)
{
    cuda_device *d = (cuda_device *)base;
    int status = cuda_enter(d, error);
    if (status != TRAWL_OK)
        return status;
    status = event_make(d, event, error);
    if (status == TRAWL_OK) {
        cuda_event *e = event->begin;
        const CUresult code = d->cu.cuEventRecord(e->end, queue);
        e->recorded = code == CUDA_SUCCESS;
        status = code == CUDA_ERROR_INVALID_HANDLE || code == CUDA_ERROR_INVALID_CONTEXT
                     ? fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                            "the queue is no stream of the primary context of %.80s, which Trawl "
                            "and the CUDA runtime use: give one, or NULL when the text is there "
                            "already",
                            base->info.name)
                     : cuda_tried(d, error, "cuEventRecord", NULL, code);
    }
    cuda_leave(d);
    return status;
}

int cuda_await(device_queue *q, const device_event *event, trawl_error *error)
{
    const cuda_event *e = event->begin;
    int status = cuda_enter(q->device, error);
    if (status != TRAWL_OK)
        return status;
    status = CALL(q->device, error, cuStreamWaitEvent, q->stream, e->end, CU_EVENT_WAIT_DEFAULT);
    cuda_leave(q->device);
    return status;
}

void cuda_event_close(device *base, device_event *event)
{
    const cuda_device *d = (const cuda_device *)base;
    cuda_event *e = event->begin;
    if (!e)
        return;
    if (cuda_enter(d, NULL) == TRAWL_OK) {
        (void)d->cu.cuEventDestroy(e->begin);
        (void)d->cu.cuEventDestroy(e->end);
        cuda_leave(d);
    }
    memory_give(base->memory, e);
    memset(event, 0, sizeof *event);
}

#else

typedef int no_cuda; /* a translation unit must declare something */

#endif
