/* opencl_driver.c: opening the ICD loader, errors, finding devices, events (see opencl.c). */
#ifdef TRAWL_HAVE_OPENCL

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "device/opencl_driver.h"

#define LOADER "libOpenCL.so.1"

enum { MAX_PLATFORMS = 16, MAX_EXTENSIONS = 16 << 10 /* bytes; drivers name some 2 KiB */ };

/* NVIDIA's cl_nv_device_attribute_query. */
enum { NV_WARP_SIZE = 0x4003, NV_PCI_BUS = 0x4008, NV_PCI_SLOT = 0x4009, NV_PCI_DOMAIN = 0x400A };

/* ---- the loader -------------------------------------------------------------- */

/* The loader is never unloaded once it was there (RTLD_NODELETE): drivers start threads and
 * register exit handlers. */
bool opencl_loader_open(opencl_functions *cl, char why[OPENCL_TEXT])
{
    cl->library = dlopen(LOADER, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!cl->library) {
        const char *reason = dlerror();
        snprintf(why, OPENCL_TEXT, "the OpenCL loader is missing: %s", reason ? reason : LOADER);
        return false;
    }
    const char *missing = NULL;
    void *symbol;
#define LOAD(name)                                                                                 \
    symbol = dlsym(cl->library, "cl" #name);                                                       \
    memcpy(&cl->name, &symbol, sizeof symbol);                                                     \
    if (!symbol)                                                                                   \
        missing = "cl" #name;
    OPENCL_FUNCTIONS(LOAD)
#undef LOAD
    if (missing) {
        snprintf(why, OPENCL_TEXT, "%s has no %s: OpenCL 1.2 is needed", LOADER, missing);
        dlclose(cl->library);
        cl->library = NULL;
        return false;
    }
    return true;
}

void opencl_loader_close(opencl_functions *cl)
{
    if (cl->library)
        dlclose(cl->library);
}

/* ---- errors ------------------------------------------------------------------ */

static const struct {
    cl_int code;
    const char *name, *meaning;
} codes[] = {
#define CODE(name, meaning)                                                                        \
    {                                                                                              \
        name, #name, meaning                                                                       \
    }
    CODE(CL_DEVICE_NOT_FOUND, "no device of that kind"),
    CODE(CL_DEVICE_NOT_AVAILABLE, "the device cannot be used now"),
    CODE(CL_COMPILER_NOT_AVAILABLE, "the driver has no compiler"),
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory for a buffer"),
    CODE(CL_OUT_OF_RESOURCES, "the device ran out of resources, or a kernel failed"),
    CODE(CL_OUT_OF_HOST_MEMORY, "no memory on the host"),
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE, "the command was not timed"),
    CODE(CL_MEM_COPY_OVERLAP, "source and target overlap"),
    CODE(CL_IMAGE_FORMAT_MISMATCH, "two images differ in format"),
    CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED, "the device has no such image format"),
    CODE(CL_BUILD_PROGRAM_FAILURE, "the program does not compile"),
    CODE(CL_MAP_FAILURE, "the buffer cannot be mapped"),
    CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET, "a part of a buffer begins unaligned"),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an awaited command failed"),
    CODE(CL_COMPILE_PROGRAM_FAILURE, "the program does not compile"),
    CODE(CL_LINKER_NOT_AVAILABLE, "the driver has no linker"),
    CODE(CL_LINK_PROGRAM_FAILURE, "the program does not link"),
    CODE(CL_DEVICE_PARTITION_FAILED, "the device cannot be divided"),
    CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "nothing is known of the arguments"),
    CODE(CL_INVALID_VALUE, "a value out of range"),
    CODE(CL_INVALID_DEVICE_TYPE, "no such type of device"),
    CODE(CL_INVALID_PLATFORM, "no such platform"),
    CODE(CL_INVALID_DEVICE, "no such device"),
    CODE(CL_INVALID_CONTEXT, "no such context"),
    CODE(CL_INVALID_QUEUE_PROPERTIES, "the device has no such queue"),
    CODE(CL_INVALID_COMMAND_QUEUE, "no such queue, or the device stopped working"),
    CODE(CL_INVALID_HOST_PTR, "a host pointer that does not fit"),
    CODE(CL_INVALID_MEM_OBJECT, "no such buffer or image"),
    CODE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "a bad image format"),
    CODE(CL_INVALID_IMAGE_SIZE, "the image is too large for the device"),
    CODE(CL_INVALID_SAMPLER, "no such sampler"),
    CODE(CL_INVALID_BINARY, "the program was not built for this device"),
    CODE(CL_INVALID_BUILD_OPTIONS, "the compiler does not know an option"),
    CODE(CL_INVALID_PROGRAM, "no such program"),
    CODE(CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built"),
    CODE(CL_INVALID_KERNEL_NAME, "the program has no such kernel"),
    CODE(CL_INVALID_KERNEL_DEFINITION, "the kernel differs between devices"),
    CODE(CL_INVALID_KERNEL, "no such kernel"),
    CODE(CL_INVALID_ARG_INDEX, "the kernel has fewer arguments"),
    CODE(CL_INVALID_ARG_VALUE, "an argument of another kind"),
    CODE(CL_INVALID_ARG_SIZE, "an argument of another size"),
    CODE(CL_INVALID_KERNEL_ARGS, "an argument was not given"),
    CODE(CL_INVALID_WORK_DIMENSION, "a bad number of dimensions"),
    CODE(CL_INVALID_WORK_GROUP_SIZE, "the device cannot run a group of this size"),
    CODE(CL_INVALID_WORK_ITEM_SIZE, "too many work items in a group"),
    CODE(CL_INVALID_GLOBAL_OFFSET, "a bad offset of work items"),
    CODE(CL_INVALID_EVENT_WAIT_LIST, "a bad list of events"),
    CODE(CL_INVALID_EVENT, "no such event"),
    CODE(CL_INVALID_OPERATION, "not allowed here"),
    CODE(CL_INVALID_GL_OBJECT, "no such OpenGL object"),
    CODE(CL_INVALID_BUFFER_SIZE, "an empty buffer, or one larger than the device allows"),
    CODE(CL_INVALID_MIP_LEVEL, "no such mip level"),
    CODE(CL_INVALID_GLOBAL_WORK_SIZE, "a bad number of work items"),
    CODE(CL_INVALID_PROPERTY, "no such property"),
    CODE(CL_INVALID_IMAGE_DESCRIPTOR, "a bad image description"),
    CODE(CL_INVALID_COMPILER_OPTIONS, "the compiler does not know an option"),
    CODE(CL_INVALID_LINKER_OPTIONS, "the linker does not know an option"),
    CODE(CL_INVALID_DEVICE_PARTITION_COUNT, "too many parts of a device"),
#undef CODE
    { -1001, "CL_PLATFORM_NOT_FOUND_KHR", "no OpenCL driver is installed" },
    { -9999, "NVIDIA's own", "a kernel read or wrote outside its buffers" }
};

const char *opencl_describe(char text[OPENCL_TEXT], const char *call, cl_int code)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code) {
            snprintf(text, OPENCL_TEXT, "%s: %d %s (%s)", call, (int)code, codes[i].name,
                     codes[i].meaning);
            return text;
        }
    snprintf(text, OPENCL_TEXT, "%s: %d (a code of the driver's own)", call, (int)code);
    return text;
}

int opencl_fail(trawl_error *error, const char *call, cl_int code)
{
    char text[OPENCL_TEXT];
    bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
    return fail(error, memory ? TRAWL_ERROR_MEMORY : TRAWL_ERROR_DEVICE, TRAWL_NONE, "OpenCL: %s",
                opencl_describe(text, call, code));
}

int opencl_allocation_fail(trawl_error *error, const char *call, cl_int code)
{
    char text[OPENCL_TEXT];
    if (code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "OpenCL: %s",
                    opencl_describe(text, call, code));
    return opencl_fail(error, call, code);
}

int opencl_refuse(trawl_error *error, const char *what, const char *call, cl_int code)
{
    char text[OPENCL_TEXT];
    return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s (%s)", what,
                opencl_describe(text, call, code));
}

/* ---- finding devices --------------------------------------------------------- */

static void device_text(const opencl_functions *cl, cl_device_id id, cl_device_info what,
                        char *text, size_t room)
{
    char whole[512] = "";
    if (cl->GetDeviceInfo(id, what, sizeof whole - 1, whole, NULL) != CL_SUCCESS)
        whole[0] = '\0';
    snprintf(text, room, "%s", whole);
}

static uint64_t device_u64(const opencl_functions *cl, cl_device_id id, cl_device_info what)
{
    /* The fact may have 4 or 8 bytes; it is 0 when not known. */
    unsigned char bytes[8] = { 0 };
    size_t size = 0;
    if (cl->GetDeviceInfo(id, what, sizeof bytes, bytes, &size) != CL_SUCCESS)
        return 0;
    uint64_t wide;
    uint32_t narrow;
    memcpy(&wide, bytes, sizeof wide);
    memcpy(&narrow, bytes, sizeof narrow);
    return size == sizeof narrow ? narrow : wide;
}

static bool device_has(const opencl_functions *cl, cl_device_id id, const char *extension)
{
    char names[MAX_EXTENSIONS] = "";
    return cl->GetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof names - 1, names, NULL) ==
               CL_SUCCESS &&
           strstr(names, extension);
}

/* Kernels need a compiler and 64-bit atomics (the cursor of the records). */
static bool device_serves(const opencl_functions *cl, cl_device_id id)
{
    return device_u64(cl, id, CL_DEVICE_AVAILABLE) &&
           device_u64(cl, id, CL_DEVICE_COMPILER_AVAILABLE) &&
           device_u64(cl, id, CL_DEVICE_ENDIAN_LITTLE) &&
           device_has(cl, id, "cl_khr_int64_base_atomics");
}

/* A platform that fails is passed over. */
size_t opencl_find(const opencl_functions *cl, opencl_found all[OPENCL_DEVICES],
                   char why[OPENCL_TEXT])
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0;
    cl_int code = cl->GetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count);
    if (code != CL_SUCCESS || platform_count == 0) {
        opencl_describe(why, "clGetPlatformIDs", code != CL_SUCCESS ? code : -1001);
        return 0;
    }
    if (platform_count > MAX_PLATFORMS)
        platform_count = MAX_PLATFORMS;
    size_t count = 0, unfit = 0;
    for (int cpus = 0; cpus < 2; cpus++)
        for (cl_uint p = 0; p < platform_count; p++) {
            cl_device_id ids[OPENCL_DEVICES];
            cl_uint id_count = 0;
            if (cl->GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, OPENCL_DEVICES, ids,
                                 &id_count) != CL_SUCCESS)
                continue;
            for (cl_uint i = 0; i < id_count && i < OPENCL_DEVICES && count < OPENCL_DEVICES; i++) {
                uint64_t type = device_u64(cl, ids[i], CL_DEVICE_TYPE);
                if (((type & CL_DEVICE_TYPE_CPU) != 0) != cpus)
                    continue;
                if (!device_serves(cl, ids[i])) {
                    unfit++;
                    continue;
                }
                all[count].platform = platforms[p];
                all[count].id = ids[i];
                count++;
            }
        }
    if (count == 0)
        snprintf(why, OPENCL_TEXT,
                 unfit ? "no OpenCL device has a compiler and 64-bit atomics"
                       : "no OpenCL platform has a device");
    return count;
}

void opencl_facts(const opencl_functions *cl, const opencl_found *f, device_info *info)
{
    char platform[64] = "", version[64];
    cl_device_id id = f->id;
    memset(info, 0, sizeof *info);
    if (cl->GetPlatformInfo(f->platform, CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL) !=
        CL_SUCCESS)
        snprintf(platform, sizeof platform, "OpenCL");
    device_text(cl, id, CL_DRIVER_VERSION, version, sizeof version);
    snprintf(info->driver, sizeof info->driver, "%s %s", platform, version);
    device_text(cl, id, CL_DEVICE_NAME, info->name, sizeof info->name);

    info->memory = device_u64(cl, id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->largest_buffer = device_u64(cl, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    if (device_u64(cl, id, CL_DEVICE_IMAGE_SUPPORT))
        info->texture_words = device_u64(cl, id, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
    info->units = (uint32_t)device_u64(cl, id, CL_DEVICE_MAX_COMPUTE_UNITS);
    if (info->units == 0) /* the driver does not say */
        info->units = 1;
    info->most_group = (uint32_t)device_u64(cl, id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->local_bytes = (uint32_t)device_u64(cl, id, CL_DEVICE_LOCAL_MEM_SIZE);
    info->constant_bytes = (uint32_t)device_u64(cl, id, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
    info->part_align = (uint32_t)(device_u64(cl, id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
    if (info->part_align < 16)
        info->part_align = 16;
    info->cpu = (device_u64(cl, id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    info->shares_memory = device_u64(cl, id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;

    if (device_has(cl, id, "cl_nv_device_attribute_query")) {
        info->lanes = (uint32_t)device_u64(cl, id, NV_WARP_SIZE);
        /* Sub-buffers that overlap and that kernels have used crash the driver at their release. */
        info->lone_parts = true;
        /* The driver keeps a byte of each group's local memory: all of it is refused. */
        if (info->local_bytes > 16)
            info->local_bytes -= 16;
        snprintf(info->bus, sizeof info->bus, "%04X:%02X:%02X.0",
                 (unsigned)device_u64(cl, id, NV_PCI_DOMAIN) & 0xffff,
                 (unsigned)device_u64(cl, id, NV_PCI_BUS) & 0xff,
                 (unsigned)device_u64(cl, id, NV_PCI_SLOT) & 0xff);
    }
}

void opencl_list(device_info *infos, size_t room, size_t *count, char why[256])
{
    opencl_functions cl;
    opencl_found all[OPENCL_DEVICES];
    char reason[OPENCL_TEXT] = "";
    *count = 0;
    if (opencl_loader_open(&cl, reason)) {
        *count = opencl_find(&cl, all, reason);
        for (size_t i = 0; i < *count && i < room; i++)
            opencl_facts(&cl, &all[i], &infos[i]);
        opencl_loader_close(&cl);
    }
    if (why)
        snprintf(why, OPENCL_TEXT, "%s", *count ? "" : reason);
}

/* ---- events ------------------------------------------------------------------ */

/* `end` is the command's event, `begin` the device whose functions it needs. */
void opencl_event_close(device *d, device_event *event)
{
    if (event->end)
        opencl_of(d)->cl.ReleaseEvent(event->end);
    memset(event, 0, sizeof *event);
}

/* The outcome of enqueueing a command that was given `made` as its event. */
int opencl_enqueued(device_queue *q, const char *call, cl_int code, cl_event made,
                    device_event *event, trawl_error *error)
{
    if (code != CL_SUCCESS)
        return opencl_fail(error, call, code);
    if (event) {
        opencl_event_close(&q->o->d, event);
        event->begin = q->o;
        event->end = made;
    }
    return TRAWL_OK;
}

/* A command's status: CL_COMPLETE, above it while it is in flight, below it an error. */
static cl_int event_status(const device_event *event)
{
    const opencl_device *o = event->begin;
    cl_int status = CL_COMPLETE;
    cl_int code = o->cl.GetEventInfo(event->end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                     &status, NULL);
    return code != CL_SUCCESS ? code : status;
}

bool opencl_event_done(const device_event *event)
{
    return !event->end || event_status(event) <= CL_COMPLETE;
}

int opencl_event_wait(const device_event *event, trawl_error *error)
{
    if (!event->end)
        return TRAWL_OK;
    const opencl_device *o = event->begin;
    cl_event handle = event->end;
    cl_int code = o->cl.WaitForEvents(1, &handle);
    if (code == CL_SUCCESS)
        return TRAWL_OK;
    cl_int status = event_status(event); /* says more than that an event failed */
    return status < 0 ? opencl_fail(error, "a queued command", status)
                      : opencl_fail(error, "clWaitForEvents", code);
}

double opencl_event_seconds(const device_event *event)
{
    cl_ulong start = 0, end = 0;
    if (!event->end)
        return 0;
    const opencl_device *o = event->begin;
    if (o->cl.GetEventProfilingInfo(event->end, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                    NULL) != CL_SUCCESS ||
        o->cl.GetEventProfilingInfo(event->end, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) !=
            CL_SUCCESS ||
        end < start)
        return 0;
    return (double)(end - start) * 1e-9;
}

/* A command of no bytes, which OpenCL refuses: done at once. */
int opencl_nothing_queued(device_queue *q, device_event *event)
{
    if (event)
        opencl_event_close(&q->o->d, event);
    return TRAWL_OK;
}

#else

typedef int no_opencl; /* a translation unit must declare something */

#endif
