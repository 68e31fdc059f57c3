/* opencl.c: devices through OpenCL 1.2 (see device.h).
 *
 * The ICD loader is opened at run time: each open device holds its own table of the loader's
 * functions, and there is no global state. A device's programs are built when one of their
 * kernels is first launched, and kept on disk (cache.h); its kernels are kept beside them.
 *
 * Besides the queues that callers open, a device has its own queue, for what must be done at once.
 * New buffers are cleared there, which makes drivers that would allocate late do so at once, so
 * that a lack of memory shows where the buffer is opened.
 */
#ifdef TRAWL_HAVE_OPENCL

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "device/opencl_launch.h"

/* ---- devices ----------------------------------------------------------------- */

static void opencl_close(device *d)
{
    if (!d)
        return;
    opencl_device *o = opencl_of(d);
    opencl_programs_close(o);
    if (o->queue)
        o->cl.ReleaseCommandQueue(o->queue);
    if (o->context)
        o->cl.ReleaseContext(o->context);
    opencl_loader_close(&o->cl);
    memory_give(o->d.memory, o);
}

/* What decides, besides source and options, what a program is compiled to. */
static cache_key key_of_device(const opencl_device *o, cl_platform_id platform)
{
    cache_key key = cache_key_begin();
    char version[512] = "";
    o->cl.GetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL);
    cache_key_add(&key, o->d.info.name, strlen(o->d.info.name));
    cache_key_add(&key, o->d.info.driver, strlen(o->d.info.driver));
    cache_key_add(&key, version, strlen(version));
    return key;
}

/* Whether a caller's context has the device; an error of the driver counts as no. */
static bool context_has(const opencl_device *o, cl_context context)
{
    cl_device_id ids[OPENCL_DEVICES];
    size_t bytes = 0;
    if (o->cl.GetContextInfo(context, CL_CONTEXT_DEVICES, sizeof ids, ids, &bytes) != CL_SUCCESS)
        return false;
    for (size_t i = 0; i < bytes / sizeof *ids; i++)
        if (ids[i] == o->id)
            return true;
    return false;
}

/* The caller's context, or one of the device alone. */
static int open_context(opencl_device *o, const opencl_found *f, size_t index, cl_context native,
                        trawl_error *error)
{
    const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM,
                                                 (cl_context_properties)f->platform, 0 };
    cl_int code = CL_SUCCESS;
    if (!native) {
        o->context = o->cl.CreateContext(properties, 1, &o->id, NULL, NULL, &code);
        return code == CL_SUCCESS ? TRAWL_OK
                                  : opencl_allocation_fail(error, "clCreateContext", code);
    }
    if (!context_has(o, native))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the cl_context given as `native` was not made for OpenCL device %zu (%.80s): "
                    "name in `device` the ones that it has",
                    index, o->d.info.name);
    code = o->cl.RetainContext(native);
    if (code != CL_SUCCESS)
        return opencl_fail(error, "clRetainContext", code);
    o->context = native;
    return TRAWL_OK;
}

static int opencl_open(size_t index, void *native, memory *memory, device **made,
                       trawl_error *error)
{
    char why[OPENCL_TEXT] = "";
    opencl_found all[OPENCL_DEVICES];
    opencl_device *o = memory_take_zeroed(memory, 1, sizeof *o);
    *made = NULL;
    if (!o)
        return memory_failed(memory, error, "a device");
    o->d.memory = memory;
    o->d.api = &device_opencl;
    if (!opencl_loader_open(&o->cl, why)) {
        memory_give(memory, o);
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "OpenCL: %.200s", why);
    }
    size_t count = opencl_find(&o->cl, all, why);
    if (index >= count) {
        opencl_close(&o->d);
        if (count == 0)
            return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "OpenCL: %.200s", why);
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                    "OpenCL: there is no device %zu, only 0 to %zu", index, count - 1);
    }
    opencl_facts(&o->cl, &all[index], &o->d.info);
    o->id = all[index].id;
    o->key = key_of_device(o, all[index].platform);

    int status = open_context(o, &all[index], index, native, error);
    if (status == TRAWL_OK) {
        cl_int code = CL_SUCCESS;
        o->queue = o->cl.CreateCommandQueue(o->context, o->id, 0, &code);
        if (code != CL_SUCCESS)
            status = opencl_allocation_fail(error, "clCreateCommandQueue", code);
    }
    if (status != TRAWL_OK)
        opencl_close(&o->d);
    else
        *made = &o->d;
    return status;
}

/* ---- buffers and textures ---------------------------------------------------- */

static void opencl_buffer_close(device *d, device_buffer *b)
{
    opencl_device *o = opencl_of(d);
    if (!b->handle)
        return;
    if (b->host) {
        o->cl.EnqueueUnmapMemObject(o->queue, b->handle, b->host, 0, NULL, NULL);
        o->cl.Finish(o->queue);
    }
    o->cl.ReleaseMemObject(b->handle);
    memset(b, 0, sizeof *b);
}

/* Sizes are rounded up to whole 16 bytes, and never 0, which OpenCL refuses. */
static int opencl_buffer_open(device *d, buffer_kind kind, size_t bytes, device_buffer *b,
                              trawl_error *error)
{
    opencl_device *o = opencl_of(d);
    const cl_uint zero = 0;
    size_t size = bytes < 16 ? 16 : (bytes + 15) & ~(size_t)15;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (kind == BUFFER_DEVICE ? 0 : CL_MEM_ALLOC_HOST_PTR);
    cl_int code = CL_INVALID_BUFFER_SIZE;
    memset(b, 0, sizeof *b);
    if (size < bytes)
        return opencl_allocation_fail(error, "clCreateBuffer", code);
    b->handle = o->cl.CreateBuffer(o->context, flags, size, NULL, &code);
    if (code != CL_SUCCESS) {
        b->handle = NULL;
        return opencl_allocation_fail(error, "clCreateBuffer", code);
    }
    b->bytes = bytes;
    b->kind = kind;
    const char *call;
    if (kind == BUFFER_PINNED) {
        /* Mapped for good: the host uses the pages that the driver has pinned, and copies from
         * and to them need not wait. */
        call = "clEnqueueMapBuffer";
        b->host = o->cl.EnqueueMapBuffer(o->queue, b->handle, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                         0, size, 0, NULL, NULL, &code);
        if (code != CL_SUCCESS)
            b->host = NULL;
    } else {
        call = "clEnqueueFillBuffer";
        code = o->cl.EnqueueFillBuffer(o->queue, b->handle, &zero, sizeof zero, 0, size, 0, NULL,
                                       NULL);
        if (code == CL_SUCCESS) {
            call = "clFinish";
            code = o->cl.Finish(o->queue);
        }
    }
    if (code != CL_SUCCESS) {
        opencl_buffer_close(d, b);
        return opencl_allocation_fail(error, call, code);
    }
    return TRAWL_OK;
}

/* Fact `what` of a buffer, of `bytes` bytes. */
static int buffer_fact(const opencl_device *o, cl_mem memory, cl_mem_info what, void *fact,
                       size_t bytes, trawl_error *error)
{
    const cl_int code = o->cl.GetMemObjectInfo(memory, what, bytes, fact, NULL);
    return code == CL_SUCCESS
               ? TRAWL_OK
               : opencl_refuse(error, "memory is no cl_mem", "clGetMemObjectInfo", code);
}

/* A part can only be made of a whole buffer: where the caller's is a part itself, its parent is
 * borrowed, up to that part's end. */
static int opencl_buffer_borrow(device *d, void *memory, size_t offset, size_t length, bool written,
                                device_buffer *b, size_t *begin, trawl_error *error)
{
    opencl_device *o = opencl_of(d);
    cl_context context = NULL;
    cl_mem parent = NULL;
    cl_mem_flags flags = 0;
    cl_mem_object_type type = 0;
    size_t size = 0, first = 0;
    memset(b, 0, sizeof *b);
    int status = buffer_fact(o, memory, CL_MEM_CONTEXT, &context, sizeof context, error);
    if (status != TRAWL_OK)
        return status;
    if (context != o->context)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the %s's cl_mem is of another cl_context than Trawl's: open the context "
                    "with that one as `native` (trawl_context_options)",
                    written ? "result" : "text");
    status = buffer_fact(o, memory, CL_MEM_TYPE, &type, sizeof type, error);
    if (status == TRAWL_OK)
        status = buffer_fact(o, memory, CL_MEM_FLAGS, &flags, sizeof flags, error);
    if (status == TRAWL_OK)
        status = buffer_fact(o, memory, CL_MEM_SIZE, &size, sizeof size, error);
    if (status == TRAWL_OK)
        status = buffer_fact(o, memory, CL_MEM_OFFSET, &first, sizeof first, error);
    if (status == TRAWL_OK)
        status = buffer_fact(o, memory, CL_MEM_ASSOCIATED_MEMOBJECT, &parent, sizeof parent, error);
    if (status != TRAWL_OK)
        return status;
    if (type != CL_MEM_OBJECT_BUFFER || flags & (written ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the %s's cl_mem is %s: give a buffer that kernels may %s",
                    written ? "result" : "text",
                    type != CL_MEM_OBJECT_BUFFER ? "an image or a pipe"
                    : written                    ? "CL_MEM_READ_ONLY"
                                                 : "CL_MEM_WRITE_ONLY",
                    written ? "write" : "read");
    if (offset > size || length > size - offset)
        return device_memory_outside(error, written, offset, length, size);
    b->handle = parent ? parent : memory;
    b->bytes = first + size;
    b->kind = BUFFER_BORROWED;
    *begin = first + offset;
    o->cl.RetainMemObject(b->handle);
    return TRAWL_OK;
}

static int opencl_buffer_part(device *d, const device_buffer *of, size_t offset, size_t bytes,
                              device_buffer *b, trawl_error *error)
{
    opencl_device *o = opencl_of(d);
    const cl_buffer_region region = { offset, bytes };
    cl_int code = CL_SUCCESS;
    memset(b, 0, sizeof *b);
    cl_mem made = o->cl.CreateSubBuffer(of->handle, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION,
                                        &region, &code);
    if (code != CL_SUCCESS)
        return opencl_allocation_fail(error, "clCreateSubBuffer", code);
    b->handle = made;
    b->bytes = bytes;
    b->kind = BUFFER_BORROWED;
    return TRAWL_OK;
}

static void opencl_texture_close(device *d, device_texture *t)
{
    if (t->handle)
        opencl_of(d)->cl.ReleaseMemObject(t->handle);
    memset(t, 0, sizeof *t);
}

static int opencl_texture_open(device *d, const device_buffer *b, device_texture *t,
                               trawl_error *error)
{
    opencl_device *o = opencl_of(d);
    const cl_image_format format = { CL_R, CL_UNSIGNED_INT32 };
    cl_image_desc desc;
    size_t words = b->bytes < 4 ? 1 : b->bytes / 4;
    cl_int code = CL_SUCCESS;
    memset(t, 0, sizeof *t);
    if (words > d->info.texture_words)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                    "OpenCL: a texture of %zu words is needed; the device takes %llu", words,
                    (unsigned long long)d->info.texture_words);
    memset(&desc, 0, sizeof desc);
    desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    desc.image_width = words;
    desc.buffer = b->handle;
    t->handle = o->cl.CreateImage(o->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &code);
    if (code != CL_SUCCESS) {
        t->handle = NULL;
        return opencl_allocation_fail(error, "clCreateImage", code);
    }
    return TRAWL_OK;
}

/* ---- queues ------------------------------------------------------------------ */

static int opencl_queue_open(device *d, device_queue **made, trawl_error *error)
{
    opencl_device *o = opencl_of(d);
    cl_int code = CL_SUCCESS;
    device_queue *q = memory_take_zeroed(d->memory, 1, sizeof *q);
    *made = NULL;
    if (!q)
        return memory_failed(d->memory, error, "a queue");
    q->o = o;
    q->handle = o->cl.CreateCommandQueue(o->context, o->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS) {
        memory_give(d->memory, q);
        return opencl_allocation_fail(error, "clCreateCommandQueue", code);
    }
    *made = q;
    return TRAWL_OK;
}

static void opencl_queue_close(device_queue *q)
{
    if (!q)
        return;
    q->o->cl.Finish(q->handle);
    q->o->cl.ReleaseCommandQueue(q->handle);
    memory_give(q->o->d.memory, q);
}

static int opencl_write(device_queue *q, device_buffer *to, size_t offset, const void *from,
                        size_t bytes, device_event *event, trawl_error *error)
{
    cl_event made = NULL;
    if (bytes == 0)
        return opencl_nothing_queued(q, event);
    cl_int code = q->o->cl.EnqueueWriteBuffer(q->handle, to->handle, CL_FALSE, offset, bytes, from,
                                              0, NULL, event ? &made : NULL);
    return opencl_enqueued(q, "clEnqueueWriteBuffer", code, made, event, error);
}

static int opencl_read(device_queue *q, const device_buffer *from, size_t offset, void *to,
                       size_t bytes, device_event *event, trawl_error *error)
{
    cl_event made = NULL;
    if (bytes == 0)
        return opencl_nothing_queued(q, event);
    cl_int code = q->o->cl.EnqueueReadBuffer(q->handle, from->handle, CL_FALSE, offset, bytes, to,
                                             0, NULL, event ? &made : NULL);
    return opencl_enqueued(q, "clEnqueueReadBuffer", code, made, event, error);
}

static int opencl_copy(device_queue *q, device_buffer *to, const device_buffer *from, size_t offset,
                       size_t bytes, device_event *event, trawl_error *error)
{
    cl_event made = NULL;
    cl_int code = q->o->cl.EnqueueCopyBuffer(q->handle, from->handle, to->handle, offset, 0, bytes,
                                             0, NULL, event ? &made : NULL);
    return opencl_enqueued(q, "clEnqueueCopyBuffer", code, made, event, error);
}

static int opencl_clear(device_queue *q, device_buffer *b, size_t offset, size_t bytes,
                        trawl_error *error)
{
    const cl_uint zero = 0;
    if (bytes == 0)
        return TRAWL_OK;
    cl_int code = q->o->cl.EnqueueFillBuffer(q->handle, b->handle, &zero, sizeof zero, offset,
                                             bytes, 0, NULL, NULL);
    return opencl_enqueued(q, "clEnqueueFillBuffer", code, NULL, NULL, error);
}

/* The host writes the buffer anew, so nothing need be copied to it. */
static int opencl_map(device_queue *q, device_buffer *b, trawl_error *error)
{
    cl_int code = CL_SUCCESS;
    void *host =
        q->o->cl.EnqueueMapBuffer(q->handle, b->handle, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                  b->bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return opencl_allocation_fail(error, "clEnqueueMapBuffer", code);
    b->host = host;
    return TRAWL_OK;
}

static int opencl_unmap(device_queue *q, device_buffer *b, trawl_error *error)
{
    cl_int code = q->o->cl.EnqueueUnmapMemObject(q->handle, b->handle, b->host, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return opencl_fail(error, "clEnqueueUnmapMemObject", code);
    b->host = NULL;
    code = q->o->cl.Finish(q->handle);
    return opencl_enqueued(q, "clFinish", code, NULL, NULL, error);
}

/* The marker goes to the device at once: what waits for it in another queue would wait for ever. */
static int opencl_mark(device *d, void *queue, device_event *event, trawl_error *error)
{
    opencl_device *o = opencl_of(d);
    cl_context context = NULL;
    cl_event made = NULL;
    cl_int code =
        o->cl.GetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code != CL_SUCCESS)
        return opencl_refuse(error, "queue is no cl_command_queue", "clGetCommandQueueInfo", code);
    if (context != o->context)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the queue is of another cl_context than the text: give one of the same, or "
                    "NULL when the text is there already");
    code = o->cl.EnqueueMarkerWithWaitList(queue, 0, NULL, &made);
    if (code != CL_SUCCESS)
        return opencl_fail(error, "clEnqueueMarkerWithWaitList", code);
    event->begin = o;
    event->end = made;
    code = o->cl.Flush(queue);
    return code == CL_SUCCESS ? TRAWL_OK : opencl_fail(error, "clFlush", code);
}

static int opencl_await(device_queue *q, const device_event *event, trawl_error *error)
{
    const cl_event awaited = event->end;
    const cl_int code = q->o->cl.EnqueueBarrierWithWaitList(q->handle, 1, &awaited, NULL);
    return opencl_enqueued(q, "clEnqueueBarrierWithWaitList", code, NULL, NULL, error);
}

static int opencl_flush(device_queue *q, trawl_error *error)
{
    return opencl_enqueued(q, "clFlush", q->o->cl.Flush(q->handle), NULL, NULL, error);
}

static int opencl_finish(device_queue *q, trawl_error *error)
{
    return opencl_enqueued(q, "clFinish", q->o->cl.Finish(q->handle), NULL, NULL, error);
}

const device_api device_opencl = { .name = "opencl",
                                   .list = opencl_list,
                                   .open = opencl_open,
                                   .close = opencl_close,
                                   .buffer_open = opencl_buffer_open,
                                   .buffer_borrow = opencl_buffer_borrow,
                                   .buffer_part = opencl_buffer_part,
                                   .buffer_close = opencl_buffer_close,
                                   .texture_open = opencl_texture_open,
                                   .texture_close = opencl_texture_close,
                                   .queue_open = opencl_queue_open,
                                   .queue_close = opencl_queue_close,
                                   .write = opencl_write,
                                   .read = opencl_read,
                                   .copy = opencl_copy,
                                   .clear = opencl_clear,
                                   .mark = opencl_mark,
                                   .await = opencl_await,
                                   .map = opencl_map,
                                   .unmap = opencl_unmap,
                                   .launch = opencl_launch,
                                   .flush = opencl_flush,
                                   .finish = opencl_finish,
                                   .event_done = opencl_event_done,
                                   .event_wait = opencl_event_wait,
                                   .event_seconds = opencl_event_seconds,
                                   .event_close = opencl_event_close };

#else

typedef int no_opencl; /* a translation unit must declare something */

#endif
