/* ahead.c: see ahead.h.
 *
 * Invariant: of the two batches the caller has one, and the thread fills the other, or waits until
 * it is asked to. What the caller has is read by both, and changed by neither: the thread takes
 * over an open record from it.
 */
#include "formats/records/ahead.h"

#include <pthread.h>
#include <stdlib.h>

struct ahead {
    const reader_kind *kind;
    void *state;
    batch batches[2];
    unsigned present; /* the caller's */
    bool began, threads;
    int more; /* of the batch that was filled last */
    const char *why;

    bool threaded; /* the thread runs */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool wanted, ready, ended; /* the next batch is to be filled, is filled; the thread is to end */
};

static void fill(ahead *a, unsigned which)
{
    a->more = a->kind->fill(a->state, &a->batches[which], &a->why);
}

static void fill_other(ahead *a)
{
    const unsigned other = 1 - a->present;
    batch_next(&a->batches[other], &a->batches[a->present]);
    fill(a, other);
}

static void *run(void *user)
{
    ahead *a = user;
    pthread_mutex_lock(&a->lock);
    while (!a->ended) {
        if (a->wanted) {
            a->wanted = false;
            pthread_mutex_unlock(&a->lock);
            fill_other(a);
            pthread_mutex_lock(&a->lock);
            a->ready = true;
            pthread_cond_broadcast(&a->changed);
        } else {
            pthread_cond_wait(&a->changed, &a->lock);
        }
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* A thread, or memory, that cannot be had is no error. */
static void start(ahead *a)
{
    batch *other = &a->batches[1];
    a->threaded = batch_open(other, false) && pthread_create(&a->thread, NULL, run, a) == 0;
    if (!a->threaded)
        batch_free(other);
}

ahead *ahead_open(const reader_kind *kind, void *state, const source *text, bool whole)
{
    ahead *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->kind = kind;
    a->state = state;
    a->threads = !source_waits(text) && !whole;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (batch_open(&a->batches[0], whole))
        return a;
    ahead_close(a);
    return NULL;
}

static void want_other(ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->wanted = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static void await_other(ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (!a->ready)
        pthread_cond_wait(&a->changed, &a->lock);
    a->ready = false;
    pthread_mutex_unlock(&a->lock);
}

int ahead_next(ahead *a, batch **b, const char **why)
{
    if (!a->began) {
        fill(a, 0);
        a->began = true;
        if (a->more > 0 && a->threads)
            start(a);
    } else if (a->threaded) {
        await_other(a);
        a->present = 1 - a->present;
    } else {
        batch_next(&a->batches[0], &a->batches[0]);
        fill(a, 0);
    }
    const int more = a->more;
    *b = &a->batches[a->present];
    *why = a->why;
    if (more > 0 && a->threaded)
        want_other(a);
    return more;
}

void ahead_close(ahead *a)
{
    if (a->threaded) {
        pthread_mutex_lock(&a->lock);
        a->ended = true;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
        pthread_join(a->thread, NULL);
    }
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    batch_free(&a->batches[0]);
    batch_free(&a->batches[1]);
    free(a);
}
