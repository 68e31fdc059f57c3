/* cluster.h: the processes that mpirun started to do one search together.
 *
 * What knows MPI is a module, which is loaded when the process is one of several: so `trawl` starts
 * without that library, and runs where there is none. All calls are the module's; whoever waits in
 * one sleeps. "Collective" ones are made by all ranks, in the same order.
 */
#ifndef TRAWL_CLUSTER_H
#define TRAWL_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cluster {
    int rank, size;
    int local, locals; /* the rank's number on its machine, and how many there are */

    /* Collective. Rank 0's bytes, to all. */
    void (*broadcast)(void *bytes, size_t length);
    /* Collective. The sum of all ranks' numbers; and of those of the ranks before. */
    uint64_t (*sum)(uint64_t number);
    uint64_t (*sum_before)(uint64_t number);
    /* Collective. All ranks' bytes, one after the other, which the caller frees; `lengths` has
     * `size` places. NULL: no memory. */
    uint8_t *(*gather)(const void *bytes, size_t length, size_t *lengths);

    void (*send)(int to, const void *bytes, size_t length);
    void (*receive)(int from, void *bytes, size_t length);

    /* A file that is there, of which `*length` is set, to read: each rank by itself. Or to write,
     * collective, from then on of that length. NULL: *why. */
    void *(*open)(const char *path, uint64_t *length, const char **why);
    void *(*open_all)(const char *path, uint64_t length, const char **why);
    /* `length` bytes from an offset on. False: *why; the file is shorter, for instance. */
    bool (*read)(void *file, uint64_t offset, void *bytes, size_t length, const char **why);
    bool (*write)(void *file, uint64_t offset, const void *bytes, size_t length, const char **why);
    void (*close)(void *file);     /* of open */
    void (*close_all)(void *file); /* of open_all, collective */

    /* Collective, the last call. */
    void (*end)(void);
    /* End all processes with that exit status, wherever they are. */
    void (*abort)(int status);
} cluster;

/* What the module shows: begin, and give its calls. NULL: *why. */
#define CLUSTER_ENTRY "trawl_cluster_begin"
typedef const cluster *(*cluster_begin)(const char **why);

/* Whether the process is one of several that mpirun, or srun with PMIx, has started, and is to
 * share their work: not so where the environment says TRAWL_MPI=0. */
bool cluster_asked(void);

/* Whether files are to be read by `read` where they could be mapped as well: TRAWL_MPI=read. */
bool cluster_reads(void);

/* Join them. NULL after a complaint. */
const cluster *cluster_open(const char *command);

/* c->abort, after which nothing of a file is left that is not in its place yet. */
void cluster_abort(const cluster *c, int status);

/* End all ranks with a complaint, after what was printed: what (shown_name of a file) and why. */
void cluster_fail(const cluster *c, const char *command, const char *what, const char *why);

#endif
