/* room.h: the devices of a context. */
#ifndef TRAWL_ROOM_H
#define TRAWL_ROOM_H

#include "backend/belt.h"

/* How much room a slice is given. What was enough for a plan is tried first the next time. */
typedef struct attempt {
    u32 piece;     /* bytes */
    u32 lanes;     /* a device */
    u32 shrinking; /* how often the room for records was halved */
} attempt;

typedef struct device_room {
    const device_api *api;
    tuning tuning;
    attempt usual, next;
    uint64_t next_for; /* the checksum of the plan that `next` is for */
    held_text held;    /* the text that jobs without a window search */
    belt belt;
    u32 held_piece;  /* bytes of a piece of it, if memory allows */
    u32 led_length;  /* while the belt is led: bytes of a piece, */
    u64 led_records; /* and room for the records of each */
    double link;     /* bytes a second of all devices together; 0: not measured yet */
    u32 device_count;
    used_device devices[]; /* [device_count] */
} device_room;

/* backend.open for the backend that has the device interface `name`, and backend.close. The room is
 * worker.state. */
int open_devices(worker *w, const char *name, trawl_error *error);
void close_devices(worker *w);

#endif
