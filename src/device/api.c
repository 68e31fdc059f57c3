/* api.c: the device interfaces of this build. */
#include <string.h>

#include "base/error.h"
#include "device/device.h"

static const device_api *const interfaces[] = {
#ifdef TRAWL_HAVE_CUDA
    &device_cuda,
#endif
#ifdef TRAWL_HAVE_OPENCL
    &device_opencl,
#endif
    NULL
};

const device_api *device_api_at(size_t index)
{
    return index < sizeof interfaces / sizeof interfaces[0] ? interfaces[index] : NULL;
}

const device_api *device_api_by_name(const char *name)
{
    for (size_t i = 0; interfaces[i]; i++)
        if (strcmp(interfaces[i]->name, name) == 0)
            return interfaces[i];
    return NULL;
}

int device_memory_outside(trawl_error *error, bool written, size_t offset, size_t length,
                          size_t room)
{
    return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                "the %s, %zu bytes at offset %zu, ends outside of its buffer, which has %zu bytes",
                written ? "result" : "text", length, offset, room);
}
