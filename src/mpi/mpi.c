/* mpi.c: the module trawl-mpi.so, a cluster (cli/cluster.h) by MPI.
 *
 * Idea: MPI's own waiting polls, and takes a core that another rank could search with. So every
 * call here that may wait is a non-blocking one, whose end is asked for with sleeps in between,
 * longer and longer up to 2 ms: that is small beside the seconds between two such calls.
 *
 * Numbers of MPI 3 are of type int, so what is long goes in pieces.
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/cluster.h"
#include "trawl.h"

#define PIECE (1u << 30)
#define MIN_SLEEP 20000L /* nanoseconds */
#define MAX_SLEEP 2000000L

static cluster calls;

static void wait_asleep(MPI_Request *request)
{
    struct timespec pause = { 0, MIN_SLEEP };
    int done = 0;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        nanosleep(&pause, NULL);
        pause.tv_nsec = 2 * pause.tv_nsec < MAX_SLEEP ? 2 * pause.tv_nsec : MAX_SLEEP;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
}

/* Hand [bytes, bytes + length) to `one`, piece by piece. */
static void by_pieces(void *bytes, size_t length, int peer,
                      void (*one)(void *bytes, int length, int peer, MPI_Request *request))
{
    for (size_t at = 0; at < length; at += PIECE) {
        const size_t left = length - at;
        MPI_Request request;
        one((char *)bytes + at, (int)(left < PIECE ? left : PIECE), peer, &request);
        wait_asleep(&request);
    }
}

static void broadcast_one(void *bytes, int length, int peer, MPI_Request *request)
{
    MPI_Ibcast(bytes, length, MPI_BYTE, peer, MPI_COMM_WORLD, request);
}

static void send_one(void *bytes, int length, int peer, MPI_Request *request)
{
    MPI_Isend(bytes, length, MPI_BYTE, peer, 0, MPI_COMM_WORLD, request);
}

static void receive_one(void *bytes, int length, int peer, MPI_Request *request)
{
    MPI_Irecv(bytes, length, MPI_BYTE, peer, 0, MPI_COMM_WORLD, request);
}

static void broadcast(void *bytes, size_t length)
{
    by_pieces(bytes, length, 0, broadcast_one);
}

static void send_bytes(int to, const void *bytes, size_t length)
{
    by_pieces((void *)bytes, length, to, send_one);
}

static void receive_bytes(int from, void *bytes, size_t length)
{
    by_pieces(bytes, length, from, receive_one);
}

static uint64_t sum(uint64_t number)
{
    uint64_t all = 0;
    MPI_Request request;
    MPI_Iallreduce(&number, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    wait_asleep(&request);
    return all;
}

static uint64_t sum_before(uint64_t number)
{
    uint64_t before = 0;
    MPI_Request request;
    MPI_Iexscan(&number, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    wait_asleep(&request);
    return calls.rank ? before : 0; /* MPI leaves rank 0's as it is */
}

static void abort_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    exit(status); /* not reached */
}

static uint8_t *gather(const void *bytes, size_t length, size_t *lengths)
{
    const size_t size = (size_t)calls.size;
    int *counts = calloc(2 * size, sizeof *counts), *places = counts ? counts + size : NULL;
    MPI_Request request;
    size_t all = 0;
    if (!counts)
        return NULL;
    const uint64_t total = sum(length);
    if (total > INT_MAX) {
        if (calls.rank == 0)
            fprintf(stderr,
                    "trawl find: what the ranks exchange takes %llu bytes, and may take 2 GiB: "
                    "take fewer ranks, or a report that depends on nothing before a range (ends)\n",
                    (unsigned long long)total);
        abort_all(2);
    }
    const int mine = (int)length;
    MPI_Iallgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD, &request);
    wait_asleep(&request);
    for (size_t i = 0; i < size; i++) {
        places[i] = (int)all;
        lengths[i] = (size_t)counts[i];
        all += lengths[i];
    }
    uint8_t *to = malloc(all + 1);
    if (to) {
        MPI_Iallgatherv(bytes, mine, MPI_BYTE, to, counts, places, MPI_BYTE, MPI_COMM_WORLD,
                        &request);
        wait_asleep(&request);
    }
    free(counts);
    return to;
}

/* ---- files ---------------------------------------------------------------- */

static const char *text_of(int status)
{
    static char text[MPI_MAX_ERROR_STRING + 1];
    int length = 0;
    MPI_Error_string(status, text, &length);
    text[length] = '\0';
    return text;
}

/* A file of some ranks; NULL: *why. */
static MPI_File *open_file(MPI_Comm ranks, const char *path, int mode, const char **why)
{
    MPI_File *file = malloc(sizeof *file);
    *why = "out of memory";
    if (!file)
        return NULL;
    const int status = MPI_File_open(ranks, path, mode, MPI_INFO_NULL, file);
    if (status == MPI_SUCCESS)
        return file;
    *why = text_of(status);
    free(file);
    return NULL;
}

static void *open_to_read(const char *path, uint64_t *length, const char **why)
{
    MPI_Offset size = 0;
    MPI_File *file = open_file(MPI_COMM_SELF, path, MPI_MODE_RDONLY, why);
    if (file)
        MPI_File_get_size(*file, &size);
    *length = (uint64_t)size;
    return file;
}

/* Opening and closing a file of all ranks polls: they come together first. */
static void *open_to_write(const char *path, uint64_t length, const char **why)
{
    sum(0);
    MPI_File *file = open_file(MPI_COMM_WORLD, path, MPI_MODE_WRONLY, why);
    const int status = file ? MPI_File_set_size(*file, (MPI_Offset)length) : MPI_SUCCESS;
    if (status == MPI_SUCCESS)
        return file;
    *why = text_of(status);
    MPI_File_close(file);
    free(file);
    return NULL;
}

/* As MPI_File_read_at. */
typedef int (*move_at)(MPI_File file, MPI_Offset offset, void *bytes, int length, MPI_Datatype type,
                       MPI_Status *moved);

static int write_at(MPI_File file, MPI_Offset offset, void *bytes, int length, MPI_Datatype type,
                    MPI_Status *moved)
{
    return MPI_File_write_at(file, offset, bytes, length, type, moved);
}

/* All of them, by `move`. False: *why, which is `none` when it moves none. */
static bool move_all(MPI_File file, uint64_t offset, char *bytes, size_t length, move_at move,
                     const char *none, const char **why)
{
    for (size_t at = 0; at < length;) {
        const size_t left = length - at;
        MPI_Status moved;
        int count = 0;
        const int status = move(file, (MPI_Offset)(offset + at), bytes + at,
                                (int)(left < PIECE ? left : PIECE), MPI_BYTE, &moved);
        if (status == MPI_SUCCESS)
            MPI_Get_count(&moved, MPI_BYTE, &count);
        if (count <= 0) {
            *why = status == MPI_SUCCESS ? none : text_of(status);
            return false;
        }
        at += (size_t)count;
    }
    return true;
}

static bool read_file(void *file, uint64_t offset, void *bytes, size_t length, const char **why)
{
    return move_all(*(MPI_File *)file, offset, bytes, length, MPI_File_read_at,
                    "the file was shortened while it was searched", why);
}

/* That nothing is written is how Open MPI tells of a full disk. */
static bool write_file(void *file, uint64_t offset, const void *bytes, size_t length,
                       const char **why)
{
    return move_all(*(MPI_File *)file, offset, (char *)bytes, length, write_at,
                    "it cannot be written any further: is there room left?", why);
}

static void close_file(void *file)
{
    MPI_File_close(file);
    free(file);
}

static void close_all(void *file)
{
    sum(0);
    close_file(file);
}

/* ---- begin and end -------------------------------------------------------- */

static void end(void)
{
    sum(0); /* whoever is first sleeps until all are there */
    MPI_Finalize();
}

TRAWL_API const cluster *trawl_cluster_begin(const char **why);

const cluster *trawl_cluster_begin(const char **why)
{
    MPI_Comm machine;
    int given;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) {
        *why = "MPI_Init_thread failed";
        return NULL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &calls.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &calls.size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &calls.local);
    MPI_Comm_size(machine, &calls.locals);
    MPI_Comm_free(&machine);
    calls.broadcast = broadcast;
    calls.sum = sum;
    calls.sum_before = sum_before;
    calls.gather = gather;
    calls.send = send_bytes;
    calls.receive = receive_bytes;
    calls.open = open_to_read;
    calls.open_all = open_to_write;
    calls.read = read_file;
    calls.write = write_file;
    calls.close = close_file;
    calls.close_all = close_all;
    calls.end = end;
    calls.abort = abort_all;
    return &calls;
}
