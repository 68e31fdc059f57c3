/* plan_matches.c: what trawl.h alone finds with a file of `trawl compile`. Usage: plan_matches PLAN
 * TEXT REPORT... prints for each report, a number of trawl_report, lines of it, an id, a start and
 * an end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trawl.h"

static uint8_t *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    *length = 0;
    while (file && !feof(file) && !ferror(file)) {
        uint8_t *grown = realloc(bytes, *length + 65536);
        if (!grown)
            break;
        bytes = grown;
        *length += fread(bytes + *length, 1, 65536, file);
    }
    if (!file || !feof(file)) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return bytes;
}

static int print(const trawl_match *matches, size_t count, void *report)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s\t%" PRIu32 "\t", (const char *)report, matches[i].id);
        if (matches[i].start == TRAWL_UNKNOWN)
            printf("-");
        else
            printf("%" PRIu64, matches[i].start);
        printf("\t%" PRIu64 "\n", matches[i].end);
    }
    return 0;
}

int main(int argc, char **argv)
{
    size_t bytes, length;
    trawl_plan *plan = NULL;
    trawl_context *context = NULL;
    trawl_error error = { .message = "PLAN TEXT REPORT..." };
    int status = argc > 3 ? TRAWL_OK : TRAWL_ERROR_ARGUMENT;
    uint8_t *block = argc > 3 ? read_file(argv[1], &bytes) : NULL;
    uint8_t *text = argc > 3 ? read_file(argv[2], &length) : NULL;
    if (status == TRAWL_OK)
        status = trawl_plan_load(block, bytes, &plan, &error);
    if (status == TRAWL_OK)
        status = trawl_context_open(NULL, &context, &error);
    for (int i = 3; status == TRAWL_OK && i < argc; i++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        options.report = (uint32_t)atoi(argv[i]);
        status = trawl_scan(context, plan, text, length, &options, print, argv[i], &error);
    }
    if (status != TRAWL_OK)
        fprintf(stderr, "plan_matches: %s\n", error.message);
    trawl_context_close(context);
    trawl_plan_free(plan);
    free(block);
    free(text);
    return status == TRAWL_OK ? 0 : 2;
}
