/* fuzz_plan.c: libFuzzer target for loading plans.
 *
 * Valid plans are too long and too particular to be found by mutation. So an input is a
 * recipe: the first byte picks a plan, which is compiled here, and every eight bytes after
 * it are one edit of one word (tests/support/hostile.h). The checksum is put right, and what loads
 * is scanned with: whatever was edited, the walks must end and stay within their memory.
 * First bytes from RAW on mean that the rest is a block as it stands.
 */
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

#define RAW 240

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_EDITS = 16 };

static trawl_plan *plans[HOSTILE_PLANS];
static size_t plan_count;
static trawl_context *contexts[2]; /* in three slices; as it is, in plain C */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    trawl_context_options serial = TRAWL_CONTEXT_OPTIONS_INIT;
    (void)argc;
    (void)argv;
    serial.backend = "serial";
    serial.chunks = 3;
    plan_count = hostile_plans(plans);
    if (plan_count == 0 || trawl_context_open(&serial, &contexts[0], NULL) != TRAWL_OK)
        abort();
    serial.chunks = 0;
    serial.isa = "portable";
    if (trawl_context_open(&serial, &contexts[1], NULL) != TRAWL_OK)
        abort();
    return 0;
}

/* ---- one input ---------------------------------------------------------------- */

static plan_edit read_edit(const uint8_t *data)
{
    plan_edit edit = { data[0], data[1], 0, 0 };
    memcpy(&edit.place, data + 2, 2);
    memcpy(&edit.value, data + 4, 4);
    return edit;
}

static void try_edits(const trawl_plan *base, const uint8_t *data, size_t size)
{
    size_t bytes = 0;
    const void *block = trawl_plan_save(base, &bytes);
    uint8_t *copy = malloc(bytes);
    if (!copy)
        return;
    memcpy(copy, block, bytes);
    for (size_t i = 0; i < MAX_EDITS && size >= 8; i++, data += 8, size -= 8) {
        const plan_edit edit = read_edit(data);
        hostile_edit(copy, bytes, &edit);
    }
    hostile_repair(copy, bytes);
    hostile_scan(copy, bytes, contexts[size % 2]);
    free(copy);
}

static void try_raw(const uint8_t *data, size_t size, bool repair)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return;
    memcpy(copy, data, size);
    if (repair)
        hostile_repair(copy, size);
    hostile_scan(copy, size, contexts[size % 2]);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] >= RAW)
        try_raw(data + 1, size - 1, data[0] % 2);
    else
        try_edits(plans[data[0] % plan_count], data + 1, size - 1);
    return 0;
}
