/* devices.c: the table of walks on devices. */
#include "engines/shared/device/kernel.h"

#define NO_KERNELS(text)
#define KERNELS(text) text
#define SOME_KERNELS(text) text

#define ENGINE(name, NAME, kind, room, loop, device, title)                                        \
    device(extern const device_walk device_##name;)
#include "engines/engines.def"

const device_walk *device_walk_of(walk_kind kind)
{
    static const device_walk *const walks[WALK_KINDS] = {
#define ENTRY(name, kind) [kind] = &device_##name,
#define ENGINE(name, NAME, kind, room, loop, device, title) device(ENTRY(name, kind))
#include "engines/engines.def"
    };
    return walks[kind];
}
