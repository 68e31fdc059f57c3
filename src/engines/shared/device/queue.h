/* queue.h: what filters on devices with warps share: queues of a warp, and a box for its matches.
 *
 * Idea: at any time, few lanes of a warp have something that passed a filter. They put it into a
 * queue in local memory, and when 32 things wait, each lane takes one: what follows runs in full
 * warps. It is the same with matches: a scan that stores records takes room for 32 of them with one
 * atomic; one that only counts keeps numbers in registers, and a group adds once, at its end.
 *
 * A queue has room for 63: a push, of at most 32, finds fewer than 32 there. Things are taken from
 * its end, so none moves. All 32 lanes of a warp call all of these functions together.
 */
#ifndef TRAWL_ENGINES_SHARED_DEVICE_QUEUE_H
#define TRAWL_ENGINES_SHARED_DEVICE_QUEUE_H

#include "engines/shared/device/port.h"
#include "engines/shared/device/queue_sizes.h"

#if PORT_WARPS

#define WARP_LANE (PORT_LID & 31u)
#define LANES_BELOW ((1u << WARP_LANE) - 1u)

/* The u64 x of lane `lane`. */
INLINE u64 warp_get(u64 x, u32 lane)
{
    const u32 low = PORT_SHUFFLE((u32)x, lane), high = PORT_SHUFFLE((u32)(x >> 32), lane);
    return low | (u64)high << 32;
}

/* Put x of each lane whose `some` is not 0 after the first `count` of a queue. Returns how many
 * there are then. */
INLINE u32 queue_push(LOCAL u32 *queue, u32 count, u32 some, u32 x)
{
    const u32 lanes = PORT_BALLOT(some);
    if (some)
        queue[count + PORT_POPCOUNT(lanes & LANES_BELOW)] = x;
    return count + PORT_POPCOUNT(lanes);
}

/* The same for pairs, whose second halves stand QUEUE_PLACES after the first. */
INLINE u32 queue_push_pair(LOCAL u32 *queue, u32 count, u32 some, u32 x, u32 y)
{
    const u32 lanes = PORT_BALLOT(some);
    if (some) {
        const u32 place = count + PORT_POPCOUNT(lanes & LANES_BELOW);
        queue[place] = x;
        queue[QUEUE_PLACES + place] = y;
    }
    return count + PORT_POPCOUNT(lanes);
}

/* The sum of x over this lane and those below it. */
INLINE u32 warp_sum_up_to(u32 x)
{
    const u32 lane = WARP_LANE;
    for (u32 n = 1; n < 32; n *= 2) {
        const u32 below = PORT_SHUFFLE(x, lane - n);
        x += lane >= n ? below : 0;
    }
    return x;
}

/* Deal out a row of things to the lanes, 32 a turn. A lane with `some` owns the things from place
 * `at` of this turn on, if that is below 32. Returns the lane that owns this lane's thing; `before`
 * is what it returned the turn before. `begun` is 32 words of 0, and is so again afterwards.
 */
INLINE u32 warp_deal(LOCAL u32 *begun, u32 some, u32 at, u32 before)
{
    const u32 lane = WARP_LANE, last = PORT_SHUFFLE(before, 31);
    PORT_WARP_BARRIER();
    if (some && at < 32)
        begun[at] = lane + 1;
    PORT_WARP_BARRIER();
    const u32 its = begun[lane];
    begun[lane] = 0;
    const u32 lanes = PORT_BALLOT(its) & (LANES_BELOW | 1u << lane);
    const u32 owner = PORT_SHUFFLE(its, lanes ? PORT_TOP(lanes) : lane);
    return lanes ? owner - 1 : last;
}

/* Where the matches of a warp go. Its box, BOX_PLACES words, is handed on beside it, as with
 * engines/literal/ac/device_trie.h. */
typedef struct finds {
    GLOBAL u64 *cursor;
    GLOBAL record *records;
    u64 capacity;
    u64 counted; /* matches of this lane, when the scan only counts */
    u32 held;    /* matches in the box */
} finds;

INLINE void finds_open(finds *f, GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity)
{
    f->cursor = cursor;
    f->records = records;
    f->capacity = capacity;
    f->counted = 0;
    f->held = 0;
}

/* Send off the last `count` matches of the box, at most 32. */
INLINE void finds_send(finds *f, LOCAL const u32 *box, u32 count)
{
    const u32 lane = WARP_LANE;
    u64 slot = 0;
    f->held -= count;
    PORT_WARP_BARRIER();
    const u32 pos = box[f->held + lane], index = box[QUEUE_PLACES + f->held + lane];
    if (lane == 0)
        slot = PORT_GLOBAL_ADD64(f->cursor, count);
    const u64 first = warp_get(slot, 0);
    if (lane < count && first + lane < f->capacity) {
        f->records[first + lane].pos = pos;
        f->records[first + lane].index = index;
    }
    PORT_WARP_BARRIER();
}

/* Put a match of each lane whose `some` is not 0. */
INLINE void finds_put(finds *f, LOCAL u32 *box, u32 some, u32 pos, u32 index)
{
    if (f->capacity == 0) {
        f->counted += some != 0;
        return;
    }
    f->held = queue_push_pair(box, f->held, some, pos, index);
    if (f->held >= 32)
        finds_send(f, box, 32);
}

/* The sum over the lanes of a warp, in lane 0. */
INLINE u64 warp_sum(u64 x)
{
    for (u32 n = 16; n > 0; n /= 2)
        x += warp_get(x, WARP_LANE + n);
    return x;
}

/* Send the rest, with one atomic for the group. All its items call it, as the last thing they do;
 * `sums` has two words for each of its warps, at most 32, and may have been used for something else
 * before. */
INLINE void finds_close(finds *f, LOCAL const u32 *box, LOCAL u32 *sums)
{
    const u32 lane = WARP_LANE, held = f->held, warps = PORT_GROUP_SIZE / 32;
    LOCAL u32 *own = sums + PORT_LID / 32 * 2;
    PORT_WARP_BARRIER();
    const u32 pos = box[lane], index = box[QUEUE_PLACES + lane];
    const u64 sum = f->capacity ? held : warp_sum(f->counted);
    PORT_BARRIER();
    if (lane == 0) {
        own[0] = (u32)sum;
        own[1] = (u32)(sum >> 32);
    }
    PORT_BARRIER();
    if (PORT_LID < 32) {
        const u64 its = lane < warps ? sums[2 * lane] | (u64)sums[2 * lane + 1] << 32 : 0;
        const u32 up_to = warp_sum_up_to((u32)its); /* matches that are held */
        const u64 all = warp_sum(its);
        u64 first = 0;
        if (lane == 0 && all > 0)
            first = PORT_GLOBAL_ADD64(f->cursor, all);
        first = warp_get(first, 0) + up_to - (u32)its;
        if (lane < warps) {
            sums[2 * lane] = (u32)first;
            sums[2 * lane + 1] = (u32)(first >> 32);
        }
    }
    PORT_BARRIER();
    const u64 slot = (own[0] | (u64)own[1] << 32) + lane;
    if (lane < held && slot < f->capacity) {
        f->records[slot].pos = pos;
        f->records[slot].index = index;
    }
}

#endif

#endif
