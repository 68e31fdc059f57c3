/* ways.h: every walk that devices have, with tunings that lead through its kernels.
 *
 * What the tests of devices go through: a new walk is there by its lines of engines.def.
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
#define SOME_KERNELS(name) /* its fallback does the rest */
#define KERNELS(name) { #name, NULL, false, false },
#define ENGINE(name, NAME, kind, room, loop, device, title) device(name)
#define ANY false, false
#define LANES true, false
#define TEXTURES false, true
#define TUNED(engine, tuning, needs) { engine, tuning, needs },
#include "engines/engines.def"
    { "auto", NULL, ANY },
};

#undef ANY
#undef LANES
#undef TEXTURES

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
