/* enumerate.c: which devices there are, for choosing one. */
#include "backend/enumerate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/memory.h"
#include "base/options.h"
#include "device/device.h"

size_t trawl_device_count(const char *name, char why[256])
{
    const device_api *api = name ? device_api_by_name(name) : NULL;
    char reason[256] = "";
    size_t count = 0;
    if (api)
        api->list(NULL, 0, &count, reason);
    else if (!name || !backend_by_name(name) || backend_by_name(name)->device)
        snprintf(reason, sizeof reason, "this build has no backend '%.40s'", name ? name : "");
    else
        snprintf(reason, sizeof reason, "the backend %.40s uses the CPU itself", name);
    if (why)
        memcpy(why, reason, sizeof reason);
    return count;
}

int trawl_device_get_info(const char *name, size_t index, trawl_device_info *info,
                          trawl_error *error)
{
    trawl_device_info read = { 0 };
    const device_api *api = name ? device_api_by_name(name) : NULL;
    size_t count = 0;
    if (!info)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "info is NULL");
    if (api)
        api->list(NULL, 0, &count, NULL);
    if (index >= count)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the backend '%.40s' has %zu device%s: there is no number %zu",
                    name ? name : "", count, plural(count), index);
    memory own;
    memory_open(&own, NULL, UINT64_MAX, NULL, "free some");
    device_info *found = memory_take_zeroed(&own, index + 1, sizeof *found);
    if (!found)
        return memory_failed(&own, error, "a device's facts");
    api->list(found, index + 1, &count, NULL);
    const device_info *d = &found[index];
    memcpy(read.name, d->name, sizeof read.name);
    memcpy(read.driver, d->driver, sizeof read.driver);
    memcpy(read.bus, d->bus, sizeof read.bus);
    read.memory = d->memory;
    read.units = d->units;
    read.lanes = d->lanes;
    read.textures = d->texture_words > 0;
    read.cpu = d->cpu;
    memory_give(&own, found);
    return write_info(info, &read, sizeof read, SIZE_UP_TO(trawl_device_info, cpu))
               ? TRAWL_OK
               : fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "the size of info is not set");
}

int choose_devices(const char *text, size_t count, bool chosen[MAX_DEVICES], trawl_error *error)
{
    memset(chosen, 0, MAX_DEVICES * sizeof *chosen);
    if (text && strcmp(text, "all") == 0) {
        for (size_t i = 0; i < count; i++)
            chosen[i] = true;
        return TRAWL_OK;
    }
    for (const char *at = text ? text : "0";; at++) {
        char *end;
        const unsigned long number = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : count;
        if (number >= count || (*end && *end != ','))
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                        "device '%.40s': give numbers from 0 to %zu, as in 0,1, or all", text,
                        count - 1);
        if (chosen[number])
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "device %lu is named twice",
                        number);
        chosen[number] = true;
        at = end;
        if (!*at)
            return TRAWL_OK;
    }
}
