/* ordered.h: jobs that several threads do, and whose results are taken in the order of the jobs.
 *
 * Idea. Jobs stand in a ring of slots. A free thread deals itself the next one, does it, and goes
 * on; who finishes the oldest one takes its results and those of all after it that are done. A job
 * that cannot keep its results waits until it is the oldest, and gives them out itself.
 *
 * Invariant: one thread deals at a time, and one takes; neither holds the lock meanwhile. The
 * oldest job never waits, so all end.
 *
 * Cost: two locks a job.
 */
#ifndef TRAWL_ORDERED_H
#define TRAWL_ORDERED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_WORKERS = 64, SLOTS_A_WORKER = 4 };

typedef struct ordered ordered;

typedef struct ordered_calls {
    /* Fill a slot with the next job. False: there is none. */
    bool (*deal)(void *user, unsigned worker, unsigned slot);
    void (*work)(void *user, unsigned worker, unsigned slot);
    /* In order. False: no further one is wanted. */
    bool (*take)(void *user, unsigned worker, unsigned slot);
    void *user;
} ordered_calls;

struct ordered {
    const ordered_calls *calls;
    unsigned workers, slots; /* how many there are at most: 1 and more */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned waiting; /* threads for `changed` */
    uint64_t dealt;   /* jobs so far */
    uint64_t turn;    /* of them that are taken */
    bool dealing, taking, ended;
    bool done[MAX_WORKERS * SLOTS_A_WORKER];
    pthread_t threads[MAX_WORKERS];
    bool shared;
    unsigned started, numbered; /* other threads than the caller's */
};

/* Do all jobs. Other threads than the caller's begin with ordered_share. */
void ordered_run(ordered *o, const ordered_calls *calls, unsigned workers);

/* From `deal`: there is work for all threads. Those that cannot be had are done without. */
void ordered_share(ordered *o, unsigned worker);

/* From `work`: until the slot's job is the oldest. */
void ordered_wait(ordered *o, unsigned slot);

#endif
