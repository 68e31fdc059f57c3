/* each.h: a callback that looks at matches one by one, made one that takes batches. */
#ifndef TRAWL_TESTS_EACH_H
#define TRAWL_TESTS_EACH_H

#include "trawl.h"
#include "trawl/grid.h"

#define EACH_OF(name, type)                                                                        \
    static int name(const type *matches, size_t count, void *user)                                 \
    {                                                                                              \
        int stop = 0;                                                                              \
        for (size_t i = 0; i < count && !stop; i++)                                                \
            stop = name##_one(&matches[i], user);                                                  \
        return stop;                                                                               \
    }

/* Make name, a trawl_match_fn, of name_one(const trawl_match *, void *) (or trawl_grid_match). */
#define EACH_MATCH(name) EACH_OF(name, trawl_match)
#define EACH_GRID_MATCH(name) EACH_OF(name, trawl_grid_match)

#endif
