/* cluster.c: see cli/cluster.h. */
#include "cli/cluster.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "formats/sources/replace.h"

#define MODULE "trawl-mpi.so"

static bool setting_is(const char *value)
{
    const char *setting = getenv("TRAWL_MPI");
    return setting && strcmp(setting, value) == 0;
}

bool cluster_reads(void)
{
    return setting_is("read");
}

bool cluster_asked(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    if (setting_is("0"))
        return false;
    return size ? strtol(size, NULL, 10) > 1 : getenv("PMIX_RANK") != NULL;
}

/* What it links stays open for libraries that it loads itself. NULL: none there. */
static void *load(const char *folder)
{
    char *path = format_text("%s/%s", folder, MODULE);
    void *module = path && access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    free(path);
    return module;
}

/* Where the command stands, as before it is installed. */
static void *load_beside(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return load(path);
}

const cluster *cluster_open(const char *command)
{
    void *module = load_beside();
    const char *why = "";
    cluster_begin begin = NULL;
    if (!module)
        module = load(TRAWL_MODULES);
    void *entry = module ? dlsym(module, CLUSTER_ENTRY) : NULL;
    if (!entry) {
        const char *cause = dlerror();
        complain(command,
                 "the ranks of mpirun share a search by the module %s, which is not there%s%s: "
                 "install it (built where libopenmpi-dev is), or set TRAWL_MPI=0, and each rank "
                 "searches alone",
                 MODULE, cause ? ", or not to be used: " : "", cause ? cause : "");
        return NULL;
    }
    memcpy(&begin, &entry, sizeof begin); /* POSIX: they are alike */
    const cluster *c = begin(&why);
    if (!c)
        complain(command, "the ranks of mpirun cannot join: %s", why);
    return c;
}

void cluster_abort(const cluster *c, int status)
{
    replace_abandon();
    c->abort(status);
}

void cluster_fail(const cluster *c, const char *command, const char *what, const char *why)
{
    fflush(stdout);
    complain(command, "%s: %s", what, why);
    cluster_abort(c, EXIT_ERROR);
}
