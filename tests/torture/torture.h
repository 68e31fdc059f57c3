/* torture.h: each call that may fail is failed, one after another, in many small runs. */
#ifndef TRAWL_TORTURE_H
#define TRAWL_TORTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "failing.h"

#define KIND(kind) (1u << (kind))
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Do it all once, and check what comes of it: the first time nothing fails, and the result is the
 * one that later runs must have too, unless they say that something failed. All that a run takes it
 * gives back. */
typedef void (*torture_run)(void *user, bool first);

/* Have `run` meet each failure of these kinds: the k-th call alone, and the k-th and all after. */
void torture(unsigned kinds, torture_run run, void *user, const char *name, ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* The kind of call that fails in the present case. */
failing_kind torture_kind(void);

/* Say what is wrong with the present case; printf-like. */
void torture_fault(const char *format, ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* Say why a group has no cases here: where nothing else has any, the test is skipped. */
void torture_skip(const char *why);

/* The groups of runs. */
void torture_compile(void);
void torture_scan(void);
void torture_stream(void);
void torture_grid(void);
void torture_device(void);
void torture_device_grid(void); /* of torture_device */
void torture_command(void);

#endif
