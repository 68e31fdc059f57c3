/* belt.h: several threads carry the slices of jobs to devices.
 *
 * Idea: the slices of a job lie on a belt in their order, and jobs one after the other. Carriers
 * take them off, each to its own lanes (lane.h) on one device: a carrier copies a piece's text,
 * queues the work on it, and comes back for the next piece while that is in flight. So several
 * cores copy, several devices are fed, and none waits for another.
 *
 * A job is run in one of two ways. belt_run: the caller is a carrier too, and returns when the job
 * is done. belt_lead: the caller runs a function, which puts jobs on the belt and waits for each
 * when it wants its records, while all others carry.
 *
 * Invariant: all pieces of a slice go through the lanes of one carrier, in their order. So a slice
 * and a lane belong to one thread at a time; what carriers of a device share is under its lock.
 *
 * Cost: the belt's lock for each slice and piece, and the device's lock for what is queued.
 */
#ifndef TRAWL_BELT_H
#define TRAWL_BELT_H

#include <pthread.h>

#include "backend/lane.h"

enum { MAX_CARRIERS = 64, MAX_HAULS = 8 };

/* A job on the belt. */
typedef struct haul {
    const void *job;
    void *user; /* for `send` */
    /* Bring and run the piece of a slice that begins at *at, and move *at to its end. */
    int (*send)(const struct haul *h, lane *l, slice *s, u32 *at, trawl_error *error);
    void (*ready)(const void *job, slice *s); /* a slice is done; may be NULL */
    slice *slices;
    size_t count;
    u32 length; /* of a piece, in bytes or rows */
    /* For the belt alone: */
    struct haul *behind;
    bool there;  /* this place of belt.hauls is taken */
    size_t next; /* the slice to be taken next */
    size_t open; /* slices that are not completely sent, and pieces that are in flight */
    int status;
    trawl_error why;
} haul;

/* A piece in flight. */
typedef struct trip {
    haul *of;
    slice *s;
    bool last; /* of its slice */
} trip;

typedef struct carrier {
    used_device *device;
    u32 first, step, lanes; /* its lanes: first, first + step, ... */
    u32 oldest, busy;       /* its lanes with pieces in flight, in this order */
    trip trips[MAX_LANES];
} carrier;

typedef struct belt {
    pool *threads;
    pthread_mutex_t lock;
    pthread_cond_t more; /* there are slices to take, or there will be no more */
    pthread_cond_t done; /* a job is done */
    haul hauls[MAX_HAULS];
    haul *first; /* the first job with slices to be taken */
    bool led;    /* belt_lead is at work: more jobs may come */
    spent times;
    carrier carriers[MAX_CARRIERS];
    u32 carrier_count;
    void (*lead)(void *user);
    void *lead_user;
} belt;

int belt_open(belt *b, memory *memory, trawl_error *error);
void belt_close(belt *b);

/* Set the carriers of the next jobs: on each of `count` devices up to `carriers`, which share its
 * first `lanes` lanes. Nothing is in flight. */
void belt_man(belt *b, used_device *devices, u32 count, u32 carriers, u32 lanes);

/* Run a job to its end. */
int belt_run(belt *b, const haul *job, trawl_error *error);

/* Call lead(user), which may put jobs on the belt and wait for them. False: there are no threads,
 * and it was not called. */
bool belt_lead(belt *b, void (*lead)(void *user), void *user);

/* Within belt_lead: belt_put begins a job, and belt_wait waits for it; `job` must stay until then.
 * At most MAX_HAULS jobs are there at once. */
void belt_put(belt *b, const haul *job);
int belt_wait(belt *b, const void *job, trawl_error *error);

#endif
