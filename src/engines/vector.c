/* vector.c: the table of walks of one instruction set. */
#include "engines/shared/vec.h"

#define PLAIN(walk_name) walk_name
#define VECTOR(walk_name) VEC_NAME(walk_name)

#define ENGINE(name, NAME, kind, room, loop, device, title) extern const walk loop(walk_##name);
#include "engines/engines.def"

extern const walk *const VEC_NAME(walks)[WALK_KINDS];

const walk *const VEC_NAME(walks)[WALK_KINDS] = {
#define ENGINE(name, NAME, kind, room, loop, device, title) [kind] = &loop(walk_##name),
#include "engines/engines.def"
};
