/* cuda_launch.c: programs and launches through the CUDA driver (see cuda.c).
 *
 * A unit's fat binary (program.h) is loaded when one of its kernels is first launched, and kept
 * with its kernels in the device. Constant memory is no argument in CUDA but a symbol of the
 * module, so an ARG_CONSTANT is copied there before the launch. It is known which buffer's content
 * it holds; a buffer that is written, cleared, mapped or closed counts as new. (A kernel that
 * writes the buffer of an ARG_CONSTANT is not noticed.)
 */
#ifdef TRAWL_HAVE_CUDA

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "device/cuda_launch.h"
#include "device/program.h"

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

/* ---- programs ---------------------------------------------------------------- */

static void module_close(const cuda_device *d, cuda_module *m)
{
    while (m->kernels) {
        cuda_kernel *k = m->kernels;
        m->kernels = k->next;
        memory_give(d->base.memory, k);
    }
    (void)d->cu.cuModuleUnload(m->module);
    memory_give(d->base.memory, m);
}

void cuda_modules_close(cuda_device *d)
{
    while (d->modules) {
        cuda_module *m = d->modules;
        d->modules = m->next;
        module_close(d, m);
    }
}

void cuda_forget_constants(cuda_device *d, const device_buffer *b)
{
    for (cuda_module *m = d->modules; m; m = m->next)
        if (m->constant_of == b->handle)
            m->constant_of = NULL;
}

static int module_of(cuda_device *d, const char *unit, cuda_module **found, trawl_error *error)
{
    const device_program *program = device_program_by_name(unit);
    void *image;
    if (!program)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "CUDA: there is no unit '%s'", unit);
    for (cuda_module *m = d->modules; m; m = m->next)
        if (m->program == program) {
            *found = m;
            return TRAWL_OK;
        }
    int status = device_image_read(unit, d->base.memory, &image, error);
    if (status != TRAWL_OK)
        return status;
    cuda_module *m = memory_take_zeroed(d->base.memory, 1, sizeof *m);
    status = m ? cuda_tried(d, error, "cuModuleLoadData", unit,
                            d->cu.cuModuleLoadData(&m->module, image))
               : memory_failed(d->base.memory, error, "a program");
    memory_give(d->base.memory, image);
    if (status != TRAWL_OK) {
        memory_give(d->base.memory, m);
        return status;
    }
    m->program = program;
    CUdeviceptr stamp;
    size_t bytes;
    if (d->cu.cuModuleGetGlobal(&stamp, &bytes, m->module, program->stamp) != CUDA_SUCCESS) {
        module_close(d, m);
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "the CUDA program %s.fatbin belongs to another build of Trawl: install "
                    "library and programs together",
                    unit);
    }
    m->next = d->modules;
    d->modules = m;
    *found = m;
    return TRAWL_OK;
}

/* The kernel's name in the image: " -DNAME=1" is "_NAME1" there. */
static void name_of(const launch *l, char name[CUDA_TEXT])
{
    size_t used = (size_t)snprintf(name, CUDA_TEXT / 2, "%s", l->kernel);
    for (const char *at = l->variant; *at; at++) {
        if (strncmp(at, " -D", 3) == 0) {
            name[used++] = '_';
            at += 2;
        } else if (*at != '=') {
            name[used++] = *at;
        }
    }
    name[used] = '\0';
}

static int kernel_of(cuda_device *d, cuda_module *m, const launch *l, cuda_kernel **found,
                     trawl_error *error)
{
    char name[CUDA_TEXT];
    name_of(l, name);
    for (cuda_kernel *k = m->kernels; k; k = k->next)
        if (strcmp(k->name, name) == 0) {
            *found = k;
            return TRAWL_OK;
        }
    const size_t length = strlen(name) + 1;
    cuda_kernel *k = memory_take_zeroed(d->base.memory, 1, sizeof *k + length);
    if (!k)
        return memory_failed(d->base.memory, error, "a kernel");
    memcpy(k->name, name, length);
    int status = cuda_tried(d, error, "cuModuleGetFunction", name,
                            d->cu.cuModuleGetFunction(&k->function, m->module, name));
    if (status == TRAWL_OK)
        status = CALL(d, error, cuFuncGetAttribute, &k->most_local,
                      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, k->function);
    if (status == TRAWL_OK)
        status = CALL(d, error, cuFuncGetAttribute, &k->most_group,
                      CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k->function);
    if (status != TRAWL_OK) {
        memory_give(d->base.memory, k);
        return status;
    }
    k->next = m->kernels;
    m->kernels = k;
    *found = k;
    return TRAWL_OK;
}

/* Copy the buffer into the module's `constants`, unless that holds it already. The symbol is
 * one for all queues: none may still read the old content, and none begin before the new one
 * is there. This happens once a plan, not once a launch. */
static int set_constants(device_queue *q, cuda_module *m, const device_buffer *b,
                         trawl_error *error)
{
    cuda_device *d = q->device;
    if (!cuda_on_device(b, "constant memory", error))
        return TRAWL_ERROR_DEVICE;
    if (m->constant_of == b->handle)
        return TRAWL_OK;
    int status = TRAWL_OK;
    if (!m->constants)
        status = cuda_tried(
            d, error, "cuModuleGetGlobal", "constants",
            d->cu.cuModuleGetGlobal(&m->constants, &m->constant_bytes, m->module, "constants"));
    if (status != TRAWL_OK)
        return status;
    if (b->bytes > m->constant_bytes)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                    "CUDA: %zu bytes do not fit the %zu of constant memory", b->bytes,
                    m->constant_bytes);
    m->constant_of = NULL;
    status = cuda_waited(d, error, "cuCtxSynchronize", d->cu.cuCtxSynchronize());
    if (status == TRAWL_OK && b->bytes)
        status = CALL(d, error, cuMemcpyAsync, m->constants, cuda_address(b), b->bytes, q->stream);
    if (status == TRAWL_OK)
        status = CALL(d, error, cuStreamSynchronize, q->stream);
    if (status == TRAWL_OK)
        m->constant_of = b->handle;
    return status;
}

/* ---- launches ---------------------------------------------------------------- */

typedef union value {
    CUdeviceptr address;
    CUtexObject texture;
} value;

typedef struct value_list {
    value values[LAUNCH_ARGS];
    void *pointers[LAUNCH_ARGS];
    uint32_t count;
} value_list;

static int read_args(device_queue *q, cuda_module *m, const launch *l, value_list *list,
                     trawl_error *error)
{
    int status;
    if (l->arg_count > LAUNCH_ARGS)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "CUDA: %s: too many arguments",
                    l->kernel);
    for (uint32_t i = 0; i < l->arg_count; i++) {
        const launch_arg *arg = &l->args[i];
        value *v = &list->values[list->count];
        void *given = v;
        switch (arg->kind) {
        case ARG_BUFFER:
            if (!cuda_on_device(arg->buffer, l->kernel, error))
                return TRAWL_ERROR_DEVICE;
            v->address = cuda_address(arg->buffer);
            break;
        case ARG_TEXTURE:
            if (!arg->texture || !arg->texture->handle)
                return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                            "CUDA: %s: the texture is not open", l->kernel);
            v->texture = (CUtexObject)arg->texture->number;
            break;
        case ARG_CONSTANT: /* no argument in CUDA: the kernel reads the symbol */
            status = set_constants(q, m, arg->buffer, error);
            if (status != TRAWL_OK)
                return status;
            continue;
        case ARG_STRUCT:
            given = (void *)arg->numbers;
            break;
        }
        list->pointers[list->count] = given;
        list->count++;
    }
    return TRAWL_OK;
}

static int check_group(const cuda_kernel *k, uint32_t group, trawl_error *error)
{
    if (group != 0 && group <= (uint32_t)k->most_group)
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                "CUDA: kernel %s cannot run in groups of %u work items; 1 to %d fit", k->name,
                group, k->most_group);
}

/* More than 48 KiB of local memory must be asked for. */
static int allow_local(cuda_device *d, cuda_kernel *k, uint32_t bytes, trawl_error *error)
{
    if (bytes > d->base.info.local_bytes)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                    "CUDA: kernel %s: %u bytes of local memory, the device has %u", k->name, bytes,
                    d->base.info.local_bytes);
    if ((int)bytes <= k->most_local)
        return TRAWL_OK;
    int status =
        cuda_tried(d, error, "cuFuncSetAttribute", k->name,
                   d->cu.cuFuncSetAttribute(
                       k->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes));
    if (status == TRAWL_OK)
        k->most_local = (int)bytes;
    return status;
}

static int launch_kernel(device_queue *q, cuda_kernel *k, const launch *l, value_list *list,
                         trawl_error *error)
{
    char detail[128];
    const cuda_device *d = q->device;
    snprintf(detail, sizeof detail, "%.60s, %u groups of %u, %u bytes", k->name, l->groups,
             l->group, l->local_bytes);
    return cuda_tried(d, error, "cuLaunchKernel", detail,
                      d->cu.cuLaunchKernel(k->function, l->groups, 1, 1, l->group, 1, 1,
                                           l->local_bytes, q->stream, list->pointers, NULL));
}

static int launch_inside(device_queue *q, const launch *l, device_event *event, trawl_error *error)
{
    cuda_device *d = q->device;
    cuda_module *m = NULL;
    cuda_kernel *k = NULL;
    value_list list;
    memset(&list, 0, sizeof list);
    int status = module_of(d, l->unit, &m, error);
    if (status == TRAWL_OK)
        status = kernel_of(d, m, l, &k, error);
    if (status == TRAWL_OK)
        status = check_group(k, l->group, error);
    if (status == TRAWL_OK)
        status = read_args(q, m, l, &list, error);
    if (status == TRAWL_OK)
        status = allow_local(d, k, l->local_bytes, error);
    if (status == TRAWL_OK)
        status = cuda_event_begin(q, event, error);
    if (status == TRAWL_OK)
        status = launch_kernel(q, k, l, &list, error);
    if (status == TRAWL_OK)
        status = cuda_event_end(q, event, error);
    return status;
}

int cuda_launch(device_queue *q, const launch *l, device_event *event, trawl_error *error)
{
    if (l->groups == 0) { /* nothing to do, and CUDA refuses it */
        cuda_event_none(event);
        return TRAWL_OK;
    }
    int status = cuda_enter(q->device, error);
    if (status != TRAWL_OK)
        return status;
    status = launch_inside(q, l, event, error);
    cuda_leave(q->device);
    return status;
}

#else

typedef int no_cuda; /* a translation unit must declare something */

#endif
