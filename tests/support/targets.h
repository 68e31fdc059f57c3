/* targets.h: the devices, and the backends of the CPU, that tests run on.
 *
 * All devices of all device backends: on most machines that is PoCL, the CPU as an OpenCL device.
 * TRAWL_TEST_BACKENDS ("cuda", "opencl cuda") leaves others out, TRAWL_TEST_DEVICES=gpu those that
 * are CPUs. Without a device a test is skipped, unless TRAWL_NEED_OPENCL=1 says that there must be
 * one.
 */
#ifndef TRAWL_TARGETS_H
#define TRAWL_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "trawl.h"
#include "trawl/device.h"

enum { MAX_TARGETS = 16 };

typedef struct test_target {
    const char *backend;
    trawl_device_info info;
    char device[8];
} test_target;

/* Fills targets[0 .. MAX_TARGETS) and prints what they are. Returns how many there are. */
size_t targets_find(test_target *targets);

/* Whether a backend of the CPU runs in this build; says so if not. Fails the test on any other
 * error. */
bool target_runs(const char *backend);

/* The exit status of a test without targets; says why. */
int targets_missing(void);

/* A context on a device, "all" for instance, of that backend. Fails the test on any error. */
trawl_context *target_open(const test_target *t, const char *device, const char *tuning);

/* A context of a backend of the CPU; 0: as many threads, or chunks, as it takes by itself. Ends the
 * test on an error. */
trawl_context *target_cpu(const char *backend, uint32_t threads, uint32_t chunks);

/* A plan by that engine; NULL where it refuses the patterns. Fails the test on any other error. */
trawl_plan *target_compile(const trawl_pattern *patterns, size_t count, const char *engine);

/* Whether a stream under TRAWL_REPORT_ENDS has a state: not where it follows what began with the
 * text. Fails the test where it has none for any other reason. */
bool target_saves(const trawl_stream *stream);

#endif
