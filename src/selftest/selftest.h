/* selftest.h: does every walk find on every device what the serial walk finds? */
#ifndef TRAWL_SELFTEST_H
#define TRAWL_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set, searched on a device. */
typedef struct selftest_walk {
    const char *backend;
    size_t device;
    const char *engine;
    const char *why; /* it failed; NULL: it found what the serial walk finds: */
    uint64_t matches;
} selftest_walk;

typedef struct selftest {
    const char *backend; /* devices of that one alone; NULL: of all */
    const char *engine;  /* sets of that one alone, which has some; NULL: all */
    void (*begin)(void *user, const selftest_walk *walk);
    void (*end)(void *user, const selftest_walk *walk);
    void *user;
} selftest;

/* Whether some set is of that engine. */
bool selftest_has(const char *engine);

/* False: no memory for the text. */
bool selftest_run(const selftest *t, size_t *devices);

#endif
