/* ordered.c: see ordered.h. */
#include "formats/sources/ordered.h"

#include <string.h>

static void wait_change(ordered *o)
{
    o->waiting++;
    pthread_cond_wait(&o->changed, &o->lock);
    o->waiting--;
}

static void tell_change(ordered *o)
{
    if (o->waiting)
        pthread_cond_broadcast(&o->changed);
}

/* Take what is done, from the oldest job on. */
static void take_done(ordered *o, unsigned worker)
{
    while (!o->taking && o->turn < o->dealt && o->done[o->turn % o->slots]) {
        const unsigned slot = (unsigned)(o->turn % o->slots);
        o->taking = true;
        pthread_mutex_unlock(&o->lock);
        const bool wanted = o->calls->take(o->calls->user, worker, slot);
        pthread_mutex_lock(&o->lock);
        o->taking = false;
        o->done[slot] = false;
        o->ended = o->ended || !wanted;
        o->turn++;
        tell_change(o);
    }
}

/* Deal the next job. False: there is none, or none is wanted. */
static bool next_job(ordered *o, unsigned worker, unsigned *slot)
{
    while (!o->ended && (o->dealing || o->dealt - o->turn == o->slots))
        wait_change(o);
    if (o->ended)
        return false;
    *slot = (unsigned)(o->dealt % o->slots);
    o->dealing = true;
    pthread_mutex_unlock(&o->lock);
    const bool dealt = o->calls->deal(o->calls->user, worker, *slot);
    pthread_mutex_lock(&o->lock);
    o->dealing = false;
    o->dealt += dealt;
    o->ended = o->ended || !dealt;
    tell_change(o);
    return dealt;
}

static void do_jobs(ordered *o, unsigned worker)
{
    unsigned slot;
    pthread_mutex_lock(&o->lock);
    while (next_job(o, worker, &slot)) {
        pthread_mutex_unlock(&o->lock);
        o->calls->work(o->calls->user, worker, slot);
        pthread_mutex_lock(&o->lock);
        o->done[slot] = true;
        take_done(o, worker);
    }
    pthread_mutex_unlock(&o->lock);
}

static void *run_thread(void *argument)
{
    ordered *o = argument;
    pthread_mutex_lock(&o->lock);
    const unsigned worker = ++o->numbered;
    pthread_mutex_unlock(&o->lock);
    do_jobs(o, worker);
    return NULL;
}

void ordered_share(ordered *o, unsigned worker)
{
    if (worker || o->shared) /* the caller's thread starts the others, once */
        return;
    o->shared = true;
    while (o->started + 1 < o->workers &&
           pthread_create(&o->threads[o->started], NULL, run_thread, o) == 0)
        o->started++;
}

void ordered_wait(ordered *o, unsigned slot)
{
    pthread_mutex_lock(&o->lock);
    while (o->taking || o->turn % o->slots != slot)
        wait_change(o);
    pthread_mutex_unlock(&o->lock);
}

void ordered_run(ordered *o, const ordered_calls *calls, unsigned workers)
{
    memset(o, 0, sizeof *o);
    o->calls = calls;
    o->workers = workers < MAX_WORKERS ? workers : MAX_WORKERS;
    o->slots = o->workers > 1 ? o->workers * SLOTS_A_WORKER : 1;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->changed, NULL);
    do_jobs(o, 0);
    for (unsigned i = 0; i < o->started; i++)
        pthread_join(o->threads[i], NULL);
    pthread_cond_destroy(&o->changed);
    pthread_mutex_destroy(&o->lock);
}
