/* room.h: the devices of a context. */
#ifndef TRAWL_ROOM_H
#define TRAWL_ROOM_H

#include "backend/belt.h"

/* How much room a slice is given. What a plan was content with is tried first next time. */
typedef struct attempt {
    u32 piece;     /* bytes */
    u32 lanes;     /* a device */
    u32 shrinking; /* times that records were halved */
} attempt;

typedef struct device_room {
    const device_api *api;
    tuning tuning;
    attempt usual, next;
    uint64_t next_for; /* checksum of the plan that `next` is for */
    held_text held;    /* what jobs without a window are of */
    belt belt;
    u32 held_piece;  /* bytes of it that a piece has, where memory allows */
    u32 led_length;  /* while the belt is led: of pieces, */
    u64 led_records; /* and room for the records of each */
    double link;     /* bytes a second of all devices together; 0: not measured yet */
    u32 device_count;
    used_device devices[]; /* [device_count] */
} device_room;

/* backend.open of the backend with this name of a device interface, and backend.close. The room is
 * worker.state. */
int open_devices(worker *w, const char *name, trawl_error *error);
void close_devices(worker *w);

#endif
