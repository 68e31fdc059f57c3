/* ways.h: every walk that devices have, with tunings that lead through its kernels.
 *
 * What the tests of devices go through: a new walk is there by its line of engines.def, its tunings
 * are lines here.
 */
#ifndef TRAWL_WAYS_H
#define TRAWL_WAYS_H

#include <string.h>

#include "random.h"
#include "targets.h"

/* An engine with a tuning. */
typedef struct way {
    const char *engine, *tuning;
    bool ballot;  /* needs a device that can */
    bool texture; /* likewise */
} way;

/* Group sizes are few: some drivers compile a kernel anew for each. */
static const way ways[] = {
#define NO_KERNELS(name)
#define SOME_KERNELS(name) /* its fallback has to stand behind it */
#define KERNELS(name) { #name, NULL, false, false },
#define ENGINE(name, NAME, kind, room, loop, device, title) device(name)
#include "engines/engines.def"
    { "packed", "group=64,blocks=1,page=64", false, false },
    { "packed", "group=32,queues=2,piece=64", false, false },
    { "packed/bm", NULL, false, false },
    { "kmers", "group=64,blocks=1,page=64", false, false },
    { "kmers", "group=32,queues=2,piece=64", false, false },
    { "kmers/ac", NULL, false, false },
    { "bm", "staged=0,page=64", false, false },
    { "bm", "staged=1,group=64,chars=24,cascade=1", false, false },
    { "bm", "staged=1,group=64,chars=20,cascade=64,blocks=1", false, false },
    { "bm", "staged=1,group=64,chars=100,cascade=3,queues=2,piece=64", false, false },
    { "wm", "page=16,borders=1,group=64", false, false },
    { "wm", "page=512,borders=1,group=64", false, false },
    { "wm", "page=48,borders=0,group=64", false, false },
    { "wm", "page=64,borders=1,group=64,texture=1", false, true },
    { "wm", "page=1024,borders=0,group=64,texture=1,mapped=0", false, true },
    { "wm", "staged=1,page=20,group=64,blocks=1", false, false },
    { "wm", "staged=1,page=64,borders=1,group=64", false, false },
    { "wm/ac", NULL, false, false },
    { "auto", NULL, false, false },
    { "ac", "staged=0,row=0,page=16,group=64", false, false },
    { "ac", "staged=0,row=1,page=100,group=64", false, false },
    { "ac", "staged=1,row=0,page=64,group=64", false, false },
    { "ac", "staged=1,row=1,page=32,group=64,mapped=0", false, false },
    { "ac", "staged=0,row=0,texture=1,page=64,group=64", false, true },
    { "ac", "staged=1,row=1,texture=1,page=64,group=64", false, true },
    { "pfac", "staged=0,row=0,filter=0,chars=1,group=64", false, false },
    { "pfac", "staged=0,row=1,filter=0,chars=4,group=64", false, false },
    { "pfac", "staged=1,row=0,filter=0,chars=8,group=64", false, false },
    { "pfac", "staged=1,row=1,filter=0,chars=16,group=64,mapped=0", false, false },
    { "pfac", "staged=1,row=1,filter=1,chars=16,group=64", false, false },
    { "pfac", "staged=1,row=0,filter=1,chars=4,group=64,queues=2,piece=64", false, false },
    { "pfac", "staged=0,row=0,filter=0,texture=1,group=64", false, true },
    { "pfac", "staged=1,row=1,filter=0,texture=1,group=64,chars=12", false, true },
    { "pfac/ac", NULL, false, false },
    { "pfac/ac", "filter=1,group=64", false, false },
    { "qgrams", "group=64,blocks=1", false, false },
    { "qgrams", "group=32,queues=2,piece=64,mapped=0,copies=1,timed=1", false, false },
    { "qgrams/ac", NULL, false, false },
    { "shiftand", "page=16,group=64", false, false },
    { "shiftand", "page=64,group=64,queues=2,piece=64,carriers=1", false, false },
    { "shiftand", "page=4096,group=64,mapped=0", false, false },
    { "bitslice", "chars=32,queues=2,piece=64", false, false },
    { "bitslice", "chars=32,group=64,queues=2,piece=64", false, false },
    { "bitslice/shiftand", "chars=96,group=64,mapped=0", false, false },
    { "factors", "queues=2", false, false },
    { "factors", "group=64,blocks=1,piece=64", false, false },
    { "factors/shiftand", "group=64,mapped=0", false, false },
    { "hnfa", "exchange=atomic,page=16,group=64", false, false },
    { "hnfa", "exchange=atomic,page=512,group=64,queues=2,piece=64", false, false },
    { "hnfa", "exchange=atomic,page=32,group=1", false, false },
    { "hnfa", "exchange=relay,page=16,group=64", false, false },
    { "hnfa", "exchange=relay,page=512,group=64,mapped=0", false, false },
    { "hnfa", "exchange=ballot,page=16,group=64", true, false },
    { "hnfa", "exchange=ballot,page=512,group=128", true, false },
    { "bb", "stage=1,group=64", false, false },
    { "bb", "stage=2,group=64", false, true },
    { "bb", "stage=3,group=64", false, true },
    { "bb", "stage=4,group=64,mapped=0", false, true },
    { "byr/bb", NULL, false, false },
    { "ku/bb", NULL, false, false },
    { "ku/bb", "group=64,queues=2,piece=64", false, false },
    { "direct", "group=64,queues=2,piece=64", false, false },
    { "byr", "stage=1,group=64,chars=4", false, false },
    { "byr", "stage=2,group=64,chars=16", false, true },
    { "byr", "stage=3,group=64,chars=1", false, true },
    { "byr", "stage=4,group=64,chars=8,queues=2", false, true },
};

enum { WAYS = sizeof ways / sizeof *ways };

static inline bool way_fits(const test_target *t, const way *w, const char *engine)
{
    return strcmp(w->engine, engine) == 0 && (!w->ballot || t->info.lanes) &&
           (!w->texture || t->info.textures);
}

/* One way of this engine on this device, chosen at random. */
static inline size_t way_choose(const test_target *t, const char *engine, rng *r)
{
    size_t fitting[WAYS], count = 0;
    for (size_t w = 0; w < WAYS; w++)
        if (way_fits(t, &ways[w], engine))
            fitting[count++] = w;
    return fitting[rng_below(r, (uint32_t)count)];
}

#endif
