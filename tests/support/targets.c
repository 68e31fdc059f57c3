/* targets.c: see targets.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "targets.h"

enum { SKIPPED = 77 };

size_t targets_find(test_target *targets)
{
    const char *wanted = getenv("TRAWL_TEST_BACKENDS"), *kind = getenv("TRAWL_TEST_DEVICES");
    const bool gpus = kind && strcmp(kind, "gpu") == 0;
    size_t count = 0;
    for (size_t i = 0; i < trawl_backend_count(); i++) {
        const char *backend = trawl_backend_name(i);
        if (wanted && !strstr(wanted, backend))
            continue;
        trawl_device_info info = { .size = sizeof info };
        for (size_t d = 0;
             count < MAX_TARGETS && trawl_device_get_info(backend, d, &info, NULL) == TRAWL_OK;
             d++) {
            if (gpus && info.cpu)
                continue;
            test_target *t = &targets[count++];
            t->backend = backend;
            t->info = info;
            snprintf(t->device, sizeof t->device, "%zu", d);
            printf("%s %zu: %s, %s\n", backend, d, info.name, info.driver);
        }
    }
    return count;
}

bool target_runs(const char *backend)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error;
    options.backend = backend;
    const int status = trawl_context_open(&options, &context, &error);
    trawl_context_close(context);
    if (status == TRAWL_ERROR_UNSUPPORTED)
        printf("the backend %s is not tested: %s\n", backend, error.message);
    else if (status != TRAWL_OK)
        fail_msg("%s: %s", backend, error.message);
    return status == TRAWL_OK;
}

trawl_context *target_cpu(const char *backend, uint32_t threads, uint32_t chunks)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *made = NULL;
    trawl_error error = { 0 };
    options.backend = backend;
    options.threads = threads;
    options.chunks = chunks;
    if (trawl_context_open(&options, &made, &error) != TRAWL_OK) {
        printf("%s\n", error.message);
        exit(1);
    }
    return made;
}

int targets_missing(void)
{
    const char *needed = getenv("TRAWL_NEED_OPENCL");
    printf("no device: install pocl-opencl-icd, which runs OpenCL on the CPU\n");
    return needed && strcmp(needed, "1") == 0 ? 1 : SKIPPED;
}

trawl_context *target_open(const test_target *t, const char *device, const char *tuning)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    options.backend = t->backend;
    options.device = device;
    options.tuning = tuning;
    if (trawl_context_open(&options, &context, &error) != TRAWL_OK)
        fail_msg("%s device %s, tuning %s: %s", t->backend, device, tuning ? tuning : "none",
                 error.message);
    return context;
}

trawl_plan *target_compile(const trawl_pattern *patterns, size_t count, const char *engine)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    options.engine = engine;
    const int status = trawl_compile(patterns, count, &options, &plan, &error);
    if (status != TRAWL_OK && status != TRAWL_ERROR_UNSUPPORTED)
        fail_msg("%s: %s", engine, error.message);
    return plan;
}

bool target_saves(const trawl_stream *stream)
{
    trawl_error error = { 0 };
    size_t bytes = 0;
    const int status = trawl_stream_save(stream, NULL, &bytes, &error);
    if (status == TRAWL_OK)
        return true;
    assert_int_equal(status, TRAWL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "\\A before"));
    return false;
}
