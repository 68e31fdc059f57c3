/* program.c: finding and reading CUDA images.
 *
 * If $TRAWL_PROGRAMS is set, only that folder is looked in. Otherwise these are, relative to the
 * file that this code is part of (libtrawl, or a program that holds the static library): trawl/,
 * lib/trawl/ (in the build folder) and ../lib/trawl/; and last the folder that Trawl was configured
 * to be installed in.
 */
#define _GNU_SOURCE /* dladdr */
#include "device/program.h"

#ifdef TRAWL_HAVE_CUDA

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

enum { PATH_ROOM = 1024 };

/* The folder of the file that holds this code, or "." */
static void own_folder(char folder[PATH_ROOM])
{
    static const char here = 0;
    Dl_info self;
    ssize_t length = 0;
    if (dladdr(&here, &self) && self.dli_fname && strchr(self.dli_fname, '/'))
        length = snprintf(folder, PATH_ROOM, "%s", self.dli_fname);
    else /* a program found through PATH */
        length = readlink("/proc/self/exe", folder, PATH_ROOM - 1);
    folder[length > 0 && length < PATH_ROOM ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    else
        memcpy(folder, ".", 2);
}

static FILE *try_open(const char *folder, const char *below, const char *unit)
{
    char path[2 * PATH_ROOM];
    snprintf(path, sizeof path, "%s%s/%s.fatbin", folder, below, unit);
    return fopen(path, "rb");
}

static FILE *image_open(const char *unit, trawl_error *error)
{
    static const char *const below[] = { "/trawl", "/lib/trawl", "/../lib/trawl" };
    const char *given = getenv("TRAWL_PROGRAMS");
    char folder[PATH_ROOM];
    FILE *file = NULL;
    if (given) {
        file = try_open(given, "", unit);
        if (!file)
            fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                 "the CUDA program %s.fatbin is not in %.120s, which TRAWL_PROGRAMS names: unset "
                 "it, or set it to Trawl's lib/trawl",
                 unit, given);
        return file;
    }
    own_folder(folder);
    for (size_t i = 0; !file && i < sizeof below / sizeof *below; i++)
        file = try_open(folder, below[i], unit);
    if (!file)
        file = try_open(TRAWL_PROGRAM_FOLDER, "", unit);
    if (!file)
        fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
             "the CUDA program %s.fatbin is missing in trawl, lib/trawl and ../lib/trawl of %.60s, "
             "and in %.40s: install Trawl whole, or set TRAWL_PROGRAMS to its folder",
             unit, folder, TRAWL_PROGRAM_FOLDER);
    return file;
}

bool device_image_exists(const char *unit, trawl_error *error)
{
    FILE *file = image_open(unit, error);
    if (file)
        fclose(file);
    return file;
}

int device_image_read(const char *unit, memory *m, void **image, trawl_error *error)
{
    FILE *file = image_open(unit, error);
    long size = 0;
    *image = NULL;
    if (!file)
        return TRAWL_ERROR_UNSUPPORTED;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0)
        *image = memory_take(m, (size_t)size);
    const bool whole = *image && fread(*image, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    if (whole)
        return TRAWL_OK;
    memory_give(m, *image);
    return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                "the CUDA program %s.fatbin, of %ld bytes, cannot be read: install Trawl again",
                unit, size);
}

#endif
