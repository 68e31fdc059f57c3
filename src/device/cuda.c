/* cuda.c: devices through the CUDA driver (see device.h).
 *
 * libcuda is opened at run time: each open device holds its own table of the driver's
 * functions, and there is no global state. The types and the versioned names of the functions
 * come from the toolkit's cuda.h.
 *
 * A device is its primary context, which other users of CUDA in the process share. A thread may use
 * several devices, and the program its own contexts, so every entry point pushes the device's
 * context and pops it again.
 *
 * CUDA reports an error of a kernel with some later call, mostly the wait for it; from then on
 * every call on that context fails with the same code.
 */
#ifdef TRAWL_HAVE_CUDA

#ifdef __linux__
#define _GNU_SOURCE /* MADV_HUGEPAGE */
#include <sys/mman.h>
#endif
#include <dlfcn.h>
#include <string.h>

#include "base/error.h"
#include "device/cuda_launch.h"

#define LARGE_PAGE ((size_t)2 << 20)

/* ---- devices ----------------------------------------------------------------- */

static int device_start(cuda_device *d, size_t index, trawl_error *error)
{
    char why[CUDA_TEXT] = "";
    const size_t count = cuda_count(&d->cu, why);
    if (count == 0)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "%s", why);
    if (index >= count)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                    "CUDA: there is no device %zu, only 0 to %zu", index, count - 1);
    int status = CALL(d, error, cuDeviceGet, &d->number, (int)index);
    if (status == TRAWL_OK)
        status = CALL(d, error, cuDevicePrimaryCtxRetain, &d->context, d->number);
    return status;
}

static int cuda_open(size_t index, void *native, memory *memory, device **made, trawl_error *error)
{
    char why[CUDA_TEXT] = "";
    (void)native;
    *made = NULL;
    cuda_device *d = memory_take_zeroed(memory, 1, sizeof *d);
    if (!d)
        return memory_failed(memory, error, "a device");
    d->base.memory = memory;
    if (!cuda_driver_open(&d->cu, why)) {
        memory_give(memory, d);
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "%s", why);
    }
    int status = device_start(d, index, error);
    if (status != TRAWL_OK) {
        dlclose(d->cu.opened);
        memory_give(memory, d);
        return status;
    }
    d->base.api = &device_cuda;
    cuda_facts(&d->cu, d->number, &d->base.info);
    *made = &d->base;
    return TRAWL_OK;
}

static void cuda_close(device *base)
{
    cuda_device *d = (cuda_device *)base;
    if (!d)
        return;
    const bool inside = cuda_enter(d, NULL) == TRAWL_OK;
    cuda_modules_close(d);
    if (inside)
        cuda_leave(d);
    (void)d->cu.cuDevicePrimaryCtxRelease(d->number);
    dlclose(d->cu.opened);
    memory_give(base->memory, d);
}

/* ---- buffers and textures ---------------------------------------------------- */

static bool inside_buffer(const device_buffer *b, size_t offset, size_t bytes, const char *use,
                          trawl_error *error)
{
    if (!cuda_on_device(b, use, error))
        return false;
    if (offset <= b->bytes && bytes <= b->bytes - offset)
        return true;
    fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
         "CUDA: %s: bytes %zu + %zu lie outside a buffer of %zu bytes", use, offset, bytes,
         b->bytes);
    return false;
}

/* The memset is queued on the default stream, which other streams do not wait for. */
static int zero_now(cuda_device *d, CUdeviceptr address, size_t bytes, trawl_error *error)
{
    int status = CALL(d, error, cuMemsetD8, address, 0, bytes);
    if (status == TRAWL_OK)
        status = CALL(d, error, cuStreamSynchronize, NULL);
    return status;
}

static int device_memory(cuda_device *d, size_t bytes, void **handle, trawl_error *error)
{
    CUdeviceptr address = 0;
    int status = CALL(d, error, cuMemAlloc, &address, bytes);
    if (status != TRAWL_OK)
        return status;
    status = zero_now(d, address, bytes, error);
    if (status != TRAWL_OK)
        (void)d->cu.cuMemFree(address);
    else
        *handle = (void *)(uintptr_t)address;
    return status;
}

/* Sizes are rounded up to whole 16 bytes, and never 0, which CUDA refuses. */
static size_t room_of(size_t bytes)
{
    return bytes < 16 ? 16 : (bytes + 15) & ~(size_t)15;
}

/* Zeroed memory in large pages, pinned: to pin as much in small ones takes four times as long.
 * Before them stands where the block begins that they are of. NULL: it cannot be had so. */
static void *large_pages(cuda_device *d, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t room = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    void *taken;
    if (bytes < LARGE_PAGE || room > SIZE_MAX - LARGE_PAGE - sizeof taken)
        return NULL;
    taken = memory_take(d->base.memory, sizeof taken + LARGE_PAGE + room);
    if (!taken)
        return NULL;
    const uintptr_t after = (uintptr_t)taken + sizeof taken + LARGE_PAGE - 1;
    unsigned char *pages = (unsigned char *)(after - after % LARGE_PAGE);
    memcpy(pages - sizeof taken, &taken, sizeof taken);
    (void)madvise(pages, room, MADV_HUGEPAGE);
    memset(pages, 0, room);
    if (d->cu.cuMemHostRegister(pages, room, CU_MEMHOSTREGISTER_PORTABLE) == CUDA_SUCCESS)
        return pages;
    memory_give(d->base.memory, taken);
#else
    (void)d;
    (void)bytes;
#endif
    return NULL;
}

/* Only of what may stand in large pages it is asked whether it does. */
static void host_memory_free(cuda_device *d, const device_buffer *b)
{
    if (b->kind == BUFFER_PINNED && room_of(b->bytes) >= LARGE_PAGE &&
        d->cu.cuMemHostUnregister(b->host) == CUDA_SUCCESS) {
        void *taken;
        memcpy(&taken, (unsigned char *)b->host - sizeof taken, sizeof taken);
        memory_give(d->base.memory, taken);
    } else {
        (void)d->cu.cuMemFreeHost(b->host);
    }
}

static int host_memory(cuda_device *d, buffer_kind kind, size_t bytes, void **handle, void **host,
                       trawl_error *error)
{
    const bool mapped = kind == BUFFER_MAPPED;
    CUdeviceptr address = 0;
    void *memory = mapped ? NULL : large_pages(d, bytes);
    if (memory) {
        *handle = *host = memory;
        return TRAWL_OK;
    }
    int status = CALL(d, error, cuMemHostAlloc, &memory, bytes,
                      CU_MEMHOSTALLOC_PORTABLE | (mapped ? CU_MEMHOSTALLOC_DEVICEMAP : 0));
    if (status != TRAWL_OK)
        return status;
    if (mapped)
        status = CALL(d, error, cuMemHostGetDevicePointer, &address, memory, 0);
    if (status != TRAWL_OK) {
        (void)d->cu.cuMemFreeHost(memory);
        return status;
    }
    memset(memory, 0, bytes);
    *host = memory;
    *handle = mapped ? (void *)(uintptr_t)address : memory;
    return TRAWL_OK;
}

static int cuda_buffer_open(device *base, buffer_kind kind, size_t bytes, device_buffer *b,
                            trawl_error *error)
{
    cuda_device *d = (cuda_device *)base;
    memset(b, 0, sizeof *b);
    const size_t room = room_of(bytes);
    if (room < bytes)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "CUDA: a buffer of %zu bytes", bytes);
    int status = cuda_enter(d, error);
    if (status != TRAWL_OK)
        return status;
    if (kind == BUFFER_DEVICE)
        status = device_memory(d, room, &b->handle, error);
    else
        status = host_memory(d, kind, room, &b->handle, &b->host, error);
    cuda_leave(d);
    if (status == TRAWL_OK) {
        b->bytes = bytes;
        b->kind = kind;
    }
    return status;
}

/* A caller's address: device memory, of this device and its primary context. */
static int address_check(const cuda_device *d, CUdeviceptr address, trawl_error *error)
{
    const char *name = d->base.info.name;
    CUmemorytype type = CU_MEMORYTYPE_HOST;
    int device = -1;
    CUcontext context = NULL; /* stays so where memory is of none in particular, as from a pool */
    CUresult code = d->cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
    if (code == CUDA_SUCCESS)
        code = d->cu.cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
    if (code == CUDA_ERROR_INVALID_VALUE)
        return fail(
            error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
            "the text's address is not of memory that CUDA gave out: give one of "
            "cudaMalloc or cuMemAlloc, or scan from the host with trawl_scan (trawl_scan_grid)");
    if (code != CUDA_SUCCESS)
        return cuda_tried(d, error, "cuPointerGetAttribute", NULL, code);
    (void)d->cu.cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, address);
    if (type != CU_MEMORYTYPE_DEVICE)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the memory is the host's: call trawl_scan, or trawl_scan_grid for a grid");
    if (device != d->number)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the text is in memory of CUDA device %d, not of %d (%.80s): name the one that "
                    "has it in `device`, of the text and of the context's options",
                    device, (int)d->number, name);
    if (context && context != d->context)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the text is in memory of another CUDA context: take it from the primary "
                    "context of %.80s, which Trawl and the CUDA runtime use",
                    name);
    return TRAWL_OK;
}

/* The buffer is the whole allocation: what lies in it around the text may be read. */
static int cuda_buffer_borrow(device *base, void *memory, size_t offset, size_t length,
                              bool written, device_buffer *b, size_t *begin, trawl_error *error)
{
    cuda_device *d = (cuda_device *)base;
    const CUdeviceptr address = (CUdeviceptr)(uintptr_t)memory;
    CUdeviceptr whole = 0;
    size_t bytes = 0;
    memset(b, 0, sizeof *b);
    int status = cuda_enter(d, error);
    if (status != TRAWL_OK)
        return status;
    status = address_check(d, address, error);
    if (status == TRAWL_OK)
        status = CALL(d, error, cuMemGetAddressRange, &whole, &bytes, address);
    cuda_leave(d);
    if (status != TRAWL_OK)
        return status;
    const size_t first = (size_t)(address - whole);
    if (offset > bytes - first || length > bytes - first - offset)
        return device_memory_outside(error, written, offset, length, bytes - first);
    b->handle = (void *)(uintptr_t)whole;
    b->bytes = bytes;
    b->kind = BUFFER_BORROWED;
    *begin = first + offset;
    return TRAWL_OK;
}

static int cuda_buffer_part(device *base, const device_buffer *of, size_t offset, size_t bytes,
                            device_buffer *b, trawl_error *error)
{
    (void)base;
    if (!inside_buffer(of, offset, bytes, "part", error))
        return TRAWL_ERROR_DEVICE;
    *b = (device_buffer){ .handle = (unsigned char *)of->handle + offset,
                          .bytes = bytes,
                          .kind = BUFFER_BORROWED };
    return TRAWL_OK;
}

/* Freeing waits for nothing by itself that could be relied upon, so all queues are waited for. */
static void cuda_buffer_close(device *base, device_buffer *b)
{
    cuda_device *d = (cuda_device *)base;
    if (!b->handle)
        return;
    cuda_forget_constants(d, b);
    if (b->kind != BUFFER_BORROWED && cuda_enter(d, NULL) == TRAWL_OK) {
        (void)d->cu.cuCtxSynchronize();
        if (b->host)
            host_memory_free(d, b);
        else
            (void)d->cu.cuMemFree(cuda_address(b));
        cuda_leave(d);
    }
    memset(b, 0, sizeof *b);
}

static int cuda_texture_open(device *base, const device_buffer *b, device_texture *t,
                             trawl_error *error)
{
    cuda_device *d = (cuda_device *)base;
    memset(t, 0, sizeof *t);
    if (!cuda_on_device(b, "texture", error))
        return TRAWL_ERROR_DEVICE;
    const size_t words = b->bytes < 4 ? 1 : b->bytes / 4;
    if (words > d->base.info.texture_words)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                    "CUDA: a texture of %zu words is needed; the device takes %llu", words,
                    (unsigned long long)d->base.info.texture_words);
    CUDA_RESOURCE_DESC memory;
    memset(&memory, 0, sizeof memory);
    memory.resType = CU_RESOURCE_TYPE_LINEAR;
    memory.res.linear.devPtr = cuda_address(b);
    memory.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
    memory.res.linear.numChannels = 1;
    memory.res.linear.sizeInBytes = words * 4;
    CUDA_TEXTURE_DESC reading;
    memset(&reading, 0, sizeof reading);
    reading.filterMode = CU_TR_FILTER_MODE_POINT;
    reading.flags = CU_TRSF_READ_AS_INTEGER;
    for (int i = 0; i < 3; i++)
        reading.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    int status = cuda_enter(d, error);
    if (status != TRAWL_OK)
        return status;
    CUtexObject object = 0;
    status = CALL(d, error, cuTexObjectCreate, &object, &memory, &reading, NULL);
    cuda_leave(d);
    if (status == TRAWL_OK) {
        t->handle = b->handle; /* of its memory: only a sign that it is open */
        t->number = object;
    }
    return status;
}

static void cuda_texture_close(device *base, device_texture *t)
{
    cuda_device *d = (cuda_device *)base;
    if (!t->handle)
        return;
    if (cuda_enter(d, NULL) == TRAWL_OK) {
        (void)d->cu.cuCtxSynchronize();
        (void)d->cu.cuTexObjectDestroy((CUtexObject)t->number);
        cuda_leave(d);
    }
    memset(t, 0, sizeof *t);
}

/* ---- queues ------------------------------------------------------------------ */

static int cuda_queue_open(device *base, device_queue **made, trawl_error *error)
{
    cuda_device *d = (cuda_device *)base;
    *made = NULL;
    device_queue *q = memory_take_zeroed(base->memory, 1, sizeof *q);
    if (!q)
        return memory_failed(base->memory, error, "a queue");
    q->device = d;
    int status = cuda_enter(d, error);
    if (status == TRAWL_OK) {
        status = CALL(d, error, cuStreamCreate, &q->stream, CU_STREAM_NON_BLOCKING);
        cuda_leave(d);
    }
    if (status != TRAWL_OK)
        memory_give(base->memory, q);
    else
        *made = q;
    return status;
}

static void cuda_queue_close(device_queue *q)
{
    if (!q)
        return;
    if (cuda_enter(q->device, NULL) == TRAWL_OK) {
        (void)q->device->cu.cuStreamSynchronize(q->stream);
        (void)q->device->cu.cuStreamDestroy(q->stream);
        cuda_leave(q->device);
    }
    memory_give(q->device->base.memory, q);
}

static int cuda_finish(device_queue *q, trawl_error *error)
{
    int status = cuda_enter(q->device, error);
    if (status != TRAWL_OK)
        return status;
    status = cuda_waited(q->device, error, "cuStreamSynchronize",
                         q->device->cu.cuStreamSynchronize(q->stream));
    cuda_leave(q->device);
    return status;
}

/* Commands go to the device when they are queued. */
static int cuda_flush(device_queue *q, trawl_error *error)
{
    (void)q;
    (void)error;
    return TRAWL_OK;
}

/* ---- copies ------------------------------------------------------------------ */

static int write_inside(device_queue *q, device_buffer *to, CUdeviceptr at, const void *from,
                        size_t bytes, trawl_error *error)
{
    if (bytes == 0)
        return TRAWL_OK;
    if (to->kind == BUFFER_DEVICE)
        return CALL(q->device, error, cuMemcpyHtoDAsync, at, from, bytes, q->stream);
    return CALL(q->device, error, cuMemcpyAsync, at, (CUdeviceptr)(uintptr_t)from, bytes,
                q->stream);
}

static int cuda_write(device_queue *q, device_buffer *to, size_t offset, const void *from,
                      size_t bytes, device_event *event, trawl_error *error)
{
    cuda_device *d = q->device;
    if (!inside_buffer(to, offset, bytes, "write", error))
        return TRAWL_ERROR_DEVICE;
    cuda_forget_constants(d, to);
    int status = cuda_enter(d, error);
    if (status != TRAWL_OK)
        return status;
    status = cuda_event_begin(q, event, error);
    if (status == TRAWL_OK)
        status = write_inside(q, to, cuda_address(to) + offset, from, bytes, error);
    if (status == TRAWL_OK)
        status = cuda_event_end(q, event, error);
    cuda_leave(d);
    return status;
}

static int read_inside(device_queue *q, const device_buffer *from, CUdeviceptr at, void *to,
                       size_t bytes, trawl_error *error)
{
    if (bytes == 0)
        return TRAWL_OK;
    if (from->kind == BUFFER_DEVICE)
        return CALL(q->device, error, cuMemcpyDtoHAsync, to, at, bytes, q->stream);
    return CALL(q->device, error, cuMemcpyAsync, (CUdeviceptr)(uintptr_t)to, at, bytes, q->stream);
}

static int cuda_read(device_queue *q, const device_buffer *from, size_t offset, void *to,
                     size_t bytes, device_event *event, trawl_error *error)
{
    cuda_device *d = q->device;
    if (!inside_buffer(from, offset, bytes, "read", error))
        return TRAWL_ERROR_DEVICE;
    int status = cuda_enter(d, error);
    if (status != TRAWL_OK)
        return status;
    status = cuda_event_begin(q, event, error);
    if (status == TRAWL_OK)
        status = read_inside(q, from, cuda_address(from) + offset, to, bytes, error);
    if (status == TRAWL_OK)
        status = cuda_event_end(q, event, error);
    cuda_leave(d);
    return status;
}

static int cuda_copy(device_queue *q, device_buffer *to, const device_buffer *from, size_t offset,
                     size_t bytes, device_event *event, trawl_error *error)
{
    cuda_device *d = q->device;
    if (!inside_buffer(from, offset, bytes, "copy", error) ||
        !inside_buffer(to, 0, bytes, "copy", error))
        return TRAWL_ERROR_DEVICE;
    int status = cuda_enter(d, error);
    if (status != TRAWL_OK)
        return status;
    status = cuda_event_begin(q, event, error);
    if (status == TRAWL_OK)
        status = CALL(d, error, cuMemcpyAsync, cuda_address(to), cuda_address(from) + offset, bytes,
                      q->stream);
    if (status == TRAWL_OK)
        status = cuda_event_end(q, event, error);
    cuda_leave(d);
    return status;
}

static int cuda_clear(device_queue *q, device_buffer *b, size_t offset, size_t bytes,
                      trawl_error *error)
{
    cuda_device *d = q->device;
    if (!inside_buffer(b, offset, bytes, "clear", error))
        return TRAWL_ERROR_DEVICE;
    cuda_forget_constants(d, b);
    if (bytes == 0)
        return TRAWL_OK;
    int status = cuda_enter(d, error);
    if (status != TRAWL_OK)
        return status;
    status = CALL(d, error, cuMemsetD32Async, cuda_address(b) + offset, 0, bytes / 4, q->stream);
    cuda_leave(d);
    return status;
}

/* Mapped memory has its address on the host all the time: only the order counts. */
static int cuda_map(device_queue *q, device_buffer *b, trawl_error *error)
{
    if (b->kind != BUFFER_MAPPED || !b->host)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "CUDA: map: not a mapped buffer");
    cuda_forget_constants(q->device, b);
    return cuda_finish(q, error);
}

/* ---- the interface ----------------------------------------------------------- */

const device_api device_cuda = {
    .name = "cuda",
    .list = cuda_list,
    .open = cuda_open,
    .close = cuda_close,
    .buffer_open = cuda_buffer_open,
    .buffer_borrow = cuda_buffer_borrow,
    .buffer_part = cuda_buffer_part,
    .buffer_close = cuda_buffer_close,
    .texture_open = cuda_texture_open,
    .texture_close = cuda_texture_close,
    .queue_open = cuda_queue_open,
    .queue_close = cuda_queue_close,
    .write = cuda_write,
    .read = cuda_read,
    .copy = cuda_copy,
    .clear = cuda_clear,
    .mark = cuda_mark,
    .await = cuda_await,
    .map = cuda_map,
    .unmap = cuda_map,
    .launch = cuda_launch,
    .flush = cuda_flush,
    .finish = cuda_finish,
    .event_done = cuda_event_done,
    .event_wait = cuda_event_wait,
    .event_seconds = cuda_event_seconds,
    .event_close = cuda_event_close,
};

#else

typedef int no_cuda; /* a translation unit must declare something */

#endif
