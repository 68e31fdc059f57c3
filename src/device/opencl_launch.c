/* opencl_launch.c: programs, kernels and launches (see opencl.c). */
#ifdef TRAWL_HAVE_OPENCL

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "device/opencl_launch.h"
#include "device/program.h"

enum {
    REGISTERS_ROOM = 40,
    UNIT_REGISTERS = 65536, /* of a multiprocessor of NVIDIA's, */
    REGISTERS_STEP = 8      /* which gives each item a multiple of these */
};

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
    char variant[LAUNCH_VARIANT];
    char unit[];
} opencl_program;

/* ---- programs ---------------------------------------------------------------- */

/* The first line of the build log that names an error, else its first line. */
static int build_fail(opencl_device *o, cl_program handle, const char *unit, cl_int code,
                      trawl_error *error)
{
    char text[OPENCL_TEXT];
    size_t size = 0;
    if (code != CL_BUILD_PROGRAM_FAILURE ||
        o->cl.GetProgramBuildInfo(handle, o->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
            CL_SUCCESS)
        return opencl_fail(error, "clBuildProgram", code);
    char *log = memory_take_zeroed(o->d.memory, 1, size + 1);
    if (!log)
        return memory_failed(o->d.memory, error, "the compiler's log");
    o->cl.GetProgramBuildInfo(handle, o->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    char *line = strstr(log, "error");
    while (line && line > log && line[-1] != '\n')
        line--;
    if (!line)
        line = log + strspn(log, " \t\r\n");
    line[strcspn(line, "\r\n")] = '\0';
    int status =
        fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
             "OpenCL: %s; the compiler's log on unit %s says: %.120s",
             opencl_describe(text, "clBuildProgram", code), unit, line[0] ? line : "nothing");
    memory_give(o->d.memory, log);
    return status;
}

static bool build_cached(opencl_device *o, const cache_key *key, const char *options,
                         cl_program *made)
{
    unsigned char *bytes;
    size_t size;
    if (!cache_load(key, o->d.memory, &bytes, &size))
        return false;
    const unsigned char *binary = bytes;
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    *made = o->cl.CreateProgramWithBinary(o->context, 1, &o->id, &size, &binary, &status, &code);
    memory_give(o->d.memory, bytes);
    if (code != CL_SUCCESS)
        return false;
    if (status == CL_SUCCESS &&
        o->cl.BuildProgram(*made, 1, &o->id, options, NULL, NULL) == CL_SUCCESS)
        return true;
    o->cl.ReleaseProgram(*made);
    return false;
}

static void store_program(opencl_device *o, const cache_key *key, cl_program handle)
{
    size_t size = 0;
    if (o->cl.GetProgramInfo(handle, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    unsigned char *bytes = memory_take(o->d.memory, size);
    if (bytes &&
        o->cl.GetProgramInfo(handle, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL) == CL_SUCCESS)
        cache_store(key, bytes, size);
    memory_give(o->d.memory, bytes);
}

static int build_source(opencl_device *o, const device_program *source, const char *options,
                        cl_program *made, trawl_error *error)
{
    const char *text = (const char *)source->source;
    cl_int code = CL_SUCCESS;
    *made = o->cl.CreateProgramWithSource(o->context, 1, &text, &source->source_bytes, &code);
    if (code != CL_SUCCESS)
        return opencl_fail(error, "clCreateProgramWithSource", code);
    code = o->cl.BuildProgram(*made, 1, &o->id, options, NULL, NULL);
    if (code == CL_SUCCESS)
        return TRAWL_OK;
    int status = build_fail(o, *made, source->unit, code, error);
    o->cl.ReleaseProgram(*made);
    return status;
}

static int program_of(opencl_device *o, const launch *l, opencl_program **out, trawl_error *error)
{
    const char *unit = l->unit;
    for (*out = o->programs; *out; *out = (*out)->next)
        if (strcmp((*out)->unit, unit) == 0 && strcmp((*out)->variant, l->variant) == 0)
            return TRAWL_OK;
    const device_program *source = device_program_by_name(unit);
    if (!source)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "OpenCL: there is no unit \"%s\"", unit);
    opencl_program *p = memory_take_zeroed(o->d.memory, 1, sizeof *p + strlen(unit) + 1);
    if (!p)
        return memory_failed(o->d.memory, error, "a program");
    memcpy(p->unit, unit, strlen(unit) + 1);
    memcpy(p->variant, l->variant, sizeof p->variant);
    char options[sizeof OPENCL_BUILD_OPTIONS + LAUNCH_VARIANT + REGISTERS_ROOM],
        registers[REGISTERS_ROOM] = "";
    if (l->bound && o->d.info.lanes) /* which only NVIDIA's have */
        snprintf(registers, sizeof registers, " -cl-nv-maxrregcount=%u",
                 (unsigned)(UNIT_REGISTERS / l->bound / REGISTERS_STEP * REGISTERS_STEP));
    snprintf(options, sizeof options, "%s%s%s", OPENCL_BUILD_OPTIONS, l->variant, registers);
    cache_key key = o->key;
    cache_key_add(&key, options, strlen(options));
    cache_key_add(&key, source->source, source->source_bytes);
    if (!build_cached(o, &key, options, &p->handle)) {
        int status = build_source(o, source, options, &p->handle, error);
        if (status != TRAWL_OK) {
            memory_give(o->d.memory, p);
            return status;
        }
        store_program(o, &key, p->handle);
    }
    p->next = o->programs;
    o->programs = p;
    *out = p;
    return TRAWL_OK;
}

static int kernel_of(opencl_device *o, const launch *l, opencl_kernel **out, trawl_error *error)
{
    const char *unit = l->unit, *name = l->kernel;
    opencl_program *p;
    int status = program_of(o, l, &p, error);
    if (status != TRAWL_OK)
        return status;
    for (*out = p->kernels; *out; *out = (*out)->next)
        if (strcmp((*out)->name, name) == 0)
            return TRAWL_OK;
    opencl_kernel *k = memory_take_zeroed(o->d.memory, 1, sizeof *k + strlen(name) + 1);
    if (!k)
        return memory_failed(o->d.memory, error, "a kernel");
    memcpy(k->name, name, strlen(name) + 1);
    cl_int code = CL_SUCCESS;
    k->handle = o->cl.CreateKernel(p->handle, name, &code);
    if (code != CL_SUCCESS) {
        char text[OPENCL_TEXT];
        memory_give(o->d.memory, k);
        if (code != CL_INVALID_KERNEL_NAME)
            return opencl_fail(error, "clCreateKernel", code);
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "OpenCL: %s: \"%s\" of unit %s",
                    opencl_describe(text, "clCreateKernel", code), name, unit);
    }
    code = o->cl.GetKernelInfo(k->handle, CL_KERNEL_NUM_ARGS, sizeof k->args, &k->args, NULL);
    if (code != CL_SUCCESS) {
        o->cl.ReleaseKernel(k->handle);
        memory_give(o->d.memory, k);
        return opencl_fail(error, "clGetKernelInfo", code);
    }
    k->next = p->kernels;
    p->kernels = k;
    *out = k;
    return TRAWL_OK;
}

void opencl_programs_close(opencl_device *o)
{
    while (o->programs) {
        opencl_program *p = o->programs;
        o->programs = p->next;
        while (p->kernels) {
            opencl_kernel *k = p->kernels;
            p->kernels = k->next;
            o->cl.ReleaseKernel(k->handle);
            memory_give(o->d.memory, k);
        }
        o->cl.ReleaseProgram(p->handle);
        memory_give(o->d.memory, p);
    }
}

/* ---- launches ---------------------------------------------------------------- */

static cl_int set_arg(const opencl_device *o, cl_kernel handle, cl_uint i, const launch_arg *arg)
{
    cl_mem memory = NULL;
    switch (arg->kind) {
    case ARG_STRUCT:
        return o->cl.SetKernelArg(handle, i, arg->bytes, arg->numbers);
    case ARG_TEXTURE:
        memory = arg->texture->handle;
        return o->cl.SetKernelArg(handle, i, sizeof memory, &memory);
    case ARG_BUFFER:
    case ARG_CONSTANT:
        memory = arg->buffer ? arg->buffer->handle : NULL;
        return o->cl.SetKernelArg(handle, i, sizeof memory, &memory);
    }
    return CL_INVALID_ARG_VALUE;
}

/* Set all arguments. A kernel that has one more than the launch uses local memory. */
static int set_args(const opencl_device *o, const opencl_kernel *k, const launch *l,
                    trawl_error *error)
{
    char text[OPENCL_TEXT];
    cl_int code = CL_SUCCESS;
    cl_uint i = 0;
    if (l->arg_count > LAUNCH_ARGS || (k->args != l->arg_count && k->args != l->arg_count + 1))
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                    "OpenCL: kernel %s takes %u arguments and was given %u", l->kernel,
                    (unsigned)k->args, (unsigned)l->arg_count);
    while (i < l->arg_count && code == CL_SUCCESS) {
        code = set_arg(o, k->handle, i, &l->args[i]);
        i++;
    }
    if (code == CL_SUCCESS && k->args > l->arg_count) {
        code = o->cl.SetKernelArg(k->handle, i, l->local_bytes ? l->local_bytes : 4, NULL);
        i++;
    }
    if (code == CL_SUCCESS)
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE, "OpenCL: %s: argument %u of kernel %s",
                opencl_describe(text, "clSetKernelArg", code), (unsigned)i - 1, l->kernel);
}

int opencl_launch(device_queue *q, const launch *l, device_event *event, trawl_error *error)
{
    opencl_device *o = q->o;
    opencl_kernel *k;
    if (l->groups == 0)
        return opencl_nothing_queued(q, event);
    int status = kernel_of(o, l, &k, error);
    if (status != TRAWL_OK)
        return status;
    /* The device's limit, not the kernel's CL_KERNEL_WORK_GROUP_SIZE: NVIDIA's driver says 256
     * there for every kernel, and runs groups of 1024. */
    if (l->group == 0 || l->group > o->d.info.most_group)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                    "OpenCL: kernel %s cannot run in groups of %u work items; 1 to %u fit",
                    l->kernel, (unsigned)l->group, (unsigned)o->d.info.most_group);
    if (l->local_bytes > o->d.info.local_bytes)
        return fail(error, TRAWL_ERROR_DEVICE, TRAWL_NONE,
                    "OpenCL: kernel %s needs %u bytes of local memory; the device has %u",
                    l->kernel, (unsigned)l->local_bytes, (unsigned)o->d.info.local_bytes);
    status = set_args(o, k, l, error);
    if (status != TRAWL_OK)
        return status;
    const size_t global = (size_t)l->groups * l->group, local = l->group;
    cl_event made = NULL;
    cl_int code = o->cl.EnqueueNDRangeKernel(q->handle, k->handle, 1, NULL, &global, &local, 0,
                                             NULL, event ? &made : NULL);
    if (code != CL_SUCCESS) {
        char text[OPENCL_TEXT];
        snprintf(text, sizeof text, "clEnqueueNDRangeKernel of %.60s in groups of %u", l->kernel,
                 (unsigned)l->group);
        return opencl_fail(error, text, code);
    }
    return opencl_enqueued(q, NULL, code, made, event, error);
}

#else

typedef int no_opencl; /* a translation unit must declare something */

#endif
