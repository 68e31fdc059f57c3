/* tuning.c: the parameters of the walks on devices, by name. */
#include "device/tuning.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "trawl/device.h"

typedef struct tuning_key {
    const char *name;
    size_t offset; /* in tuning */
    uint32_t least, most;
    const char *words; /* names of the values from 0, with a space after each; or NULL */
    const char *about;
} tuning_key;

#define KEY(name, least, most, about)                                                              \
    {                                                                                              \
#name, offsetof(tuning, name), least, most, NULL, about                                    \
    }

static const tuning_key keys[] = {
    KEY(group, 1, 1024, "1 to 1024: work items of a group"),
    KEY(blocks, 1, 32,
        "1 to 32: groups a multiprocessor (bm, wm, pfac, packed, kmers, qgrams, "
        "ku, bitslice)"),
    KEY(cascade, 1, 64, "1 to 64: tiles that a group takes one after the other (bm)"),
    KEY(chars, 1, 4096,
        "1 to 4096: characters that a work item takes of a tile (bm, pfac, byr, "
        "bitslice)"),
    KEY(page, 16, 1u << 20,
        "16 to 1048576: bytes that a work item takes (bm, wm, ac, shiftand, hnfa; "
        "packed, kmers where there are no warps)"),
    KEY(borders, 0, 1, "1: a second kernel finds what crosses pages; 0: pages overlap (wm)"),
    KEY(staged, 0, 1, "1: text goes through local memory (bm, wm, ac, pfac)"),
    KEY(row, 0, 1, "1: the trie's first row is in local memory (ac, pfac)"),
    KEY(filter, 0, 1, "1: starts pass a bitmap of prefixes first (pfac)"),
    KEY(texture, 0, 1, "1: tables are read through textures (ac, pfac; wm: and constant memory)"),
    { "exchange", offsetof(tuning, exchange), 0, 2, "atomic relay ballot ",
      "atomic, relay or ballot: how modules exchange state bits (hnfa)" },
    KEY(stage, 1, 4,
        "1 to 4: 1 tables global, 2 in textures, 3 in local memory, 4 text too (bb, byr)"),
    KEY(mapped, 0, 1, "1: text in buffers mapped for the host, 0: copied"),
    KEY(piece, 64, 262144, "64 to 262144: KiB of text that a queue has on the device at once"),
    KEY(queues, 1, 32, "1 to 32: queues a device, so that copies and kernels overlap"),
    KEY(carriers, 1, 32, "1 to 32: threads that bring text to a device"),
    KEY(copies, 0, 1, "1: one queue copies text to a device, 0: each of its queues"),
    KEY(timed, 0, 1, "1: every piece of text is timed, 0: of many short ones one in eight"),
    KEY(memory, 1, UINT32_MAX - 1, "1 or more: MiB of device memory that may be used"),
};

#define KEYS (sizeof keys / sizeof *keys)

const char *trawl_tuning_name(size_t index)
{
    return index < KEYS ? keys[index].name : NULL;
}

const char *trawl_tuning_about(size_t index)
{
    return index < KEYS ? keys[index].about : NULL;
}

static const tuning_key *find_key(const char *name, size_t length)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strlen(keys[i].name) == length && memcmp(keys[i].name, name, length) == 0)
            return &keys[i];
    return NULL;
}

/* The value at text[0 .. length): a number in range or one of the key's words. */
static bool read_value(const tuning_key *key, const char *text, size_t length, uint32_t *value)
{
    uint64_t number = 0;
    if (key->words) {
        *value = 0;
        for (const char *at = key->words; *at; (*value)++) {
            const size_t word = strcspn(at, " ");
            if (word == length && memcmp(at, text, length) == 0)
                return true;
            at += word + 1;
        }
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || number > UINT32_MAX)
            return false;
        number = 10 * number + (uint64_t)(text[i] - '0');
    }
    *value = (uint32_t)number;
    return length > 0 && number >= key->least && number <= key->most;
}

int tuning_read(const char *text, tuning *out, trawl_error *error)
{
    for (size_t i = 0; i < KEYS; i++)
        *(uint32_t *)(void *)((char *)out + keys[i].offset) = TUNE_AUTO;
    for (const char *at = text ? text : ""; *at;) {
        const size_t length = strcspn(at, ","), name = strcspn(at, "=,");
        const tuning_key *key = find_key(at, name);
        if (!key)
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                        "tuning '%.*s': there is no parameter '%.*s'; `trawl devices --tuning` "
                        "lists them",
                        (int)(length < 40 ? length : 40), at, (int)(name < 40 ? name : 40), at);
        const size_t skip = name < length ? name + 1 : length;
        if (!read_value(key, at + skip, length - skip,
                        (uint32_t *)(void *)((char *)out + key->offset)))
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "tuning '%.*s': %s is %s",
                        (int)(length < 40 ? length : 40), at, key->name, key->about);
        at += length + (at[length] == ',');
    }
    return TRAWL_OK;
}
