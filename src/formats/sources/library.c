/* library.c: see library.h. */
#include "formats/sources/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static bool find_all(void *library, const char *const *names, char *pointers)
{
    for (size_t i = 0; names[i]; i++) {
        void *address = dlsym(library, names[i]);
        if (!address)
            return false;
        memcpy(pointers + i * sizeof address, &address, sizeof address); /* POSIX: they are alike */
    }
    return true;
}

bool library_load(const char *const *files, const char *const *names, void *pointers)
{
    for (size_t i = 0; files[i]; i++) {
        void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
        if (library && find_all(library, names, pointers))
            return true;
        if (library)
            dlclose(library);
    }
    return false;
}
