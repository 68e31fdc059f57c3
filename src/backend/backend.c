/* backend.c: the table of backends. */
#include "backend/backend.h"

#include <string.h>

static const backend *const backends[] = { &backend_serial, &backend_threads, &backend_openmp,
                                           &backend_opencl, &backend_cuda };

const backend *backend_at(size_t index)
{
    return index < sizeof backends / sizeof *backends ? backends[index] : NULL;
}

const backend *backend_by_name(const char *name)
{
    for (size_t i = 0; backend_at(i); i++)
        if (strcmp(backend_at(i)->name, name) == 0)
            return backend_at(i);
    return NULL;
}

size_t trawl_backend_count(void)
{
    return sizeof backends / sizeof *backends;
}

const char *trawl_backend_name(size_t index)
{
    return backend_at(index) ? backend_at(index)->name : NULL;
}

const char *trawl_backend_about(size_t index)
{
    return backend_at(index) ? backend_at(index)->about : NULL;
}
