/* carry.c: see carry.h. */
#include "scan/carry.h"

#include <string.h>

#define MIN_DISTANCE 1024u     /* distance of marks */
#define STATE_WORDS (4u << 20) /* the most that states and marks of a job take: 32 MiB */

static size_t words_of(const text_scan *scan)
{
    return (size_t)plan_head(scan->plan)->state_words;
}

/* ---- placing --------------------------------------------------------------------- */

/* Gather one of plan_stage.masks of all parts that carry, one after the other. */
static void gather_masks(const trawl_plan *plan, uint32_t which, uint64_t *to)
{
    for (uint32_t i = 0; i < plan_head(plan)->part_count; i++) {
        const plan_part *part = &plan_parts(plan)[i];
        if (!part->carries)
            continue;
        const size_t words = (size_t)part_stages(plan, part)->state_words;
        memcpy(to + part->state, part_masks(plan, part) + which * words, words * sizeof *to);
    }
}

int carry_open(text_scan *scan, trawl_error *error)
{
    const size_t words = words_of(scan);
    scan->state = memory_take_zeroed(&scan->context->memory, 2 * words, sizeof *scan->state);
    if (!scan->state)
        return memory_failed(&scan->context->memory, error, "a scan's state");
    scan->lasting = scan->state + words;
    gather_masks(scan->plan, CARRY_IMMORTAL, scan->lasting);
    return TRAWL_OK;
}

/* After a slice's state come the states that it has begun with, then the marks. */
static uint64_t *known_of(const text_scan *scan, const slice *s)
{
    return s->state + words_of(scan);
}

int carry_place(text_scan *scan, scan_room *room, uint32_t count, uint32_t longest,
                trawl_error *error)
{
    const size_t words = words_of(scan);
    uint32_t distance = MIN_DISTANCE;
    while (distance < longest && words * (3 + longest / distance) * count > STATE_WORDS)
        distance *= 2;
    const size_t each = words * (3 + longest / distance);
    room->mark_bytes = distance;
    if (each * count > room->state_words) {
        memory_give(room->memory, room->states);
        room->states = memory_take_array(room->memory, each, 8 * (size_t)count);
        room->state_words = room->states ? each * count : 0;
        if (!room->states)
            return memory_failed(room->memory, error,
                                 "the states of %u slices (fewer chunks need less)", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        slice *s = &room->slices[i];
        s->state = room->states + i * each;
        s->marks = count > 1 ? s->state + 2 * words : NULL;
        for (size_t w = 0; w < words; w++)
            s->state[w] = i == 0 ? scan->state[w] : scan->state[w] & scan->lasting[w];
        memcpy(known_of(scan, s), s->state, words * sizeof *s->state);
    }
    return TRAWL_OK;
}

/* ---- settling ---------------------------------------------------------------------- */

const uint64_t *carry_end(const text_scan *scan, const text_job *job, uint32_t i)
{
    const slice *s = &job->slices[i];
    if (!s->marks)
        return s->state;
    return s->marks + (size_t)((s->end - s->begin - 1) / job->mark_bytes) * words_of(scan);
}

static int run_range(text_scan *scan, const text_job *job, uint32_t first, uint32_t count,
                     carry_mode carry, trawl_error *error)
{
    text_job some = *job;
    some.slices += first;
    some.count = count;
    some.carry = carry;
    return scan->worker->backend->run_text(scan->worker, &some, error);
}

/* The first slice that has begun with more than its predecessor left; job->count: none. */
static uint32_t first_misled(const text_scan *scan, const text_job *job)
{
    for (uint32_t i = 1; i < job->count; i++) {
        const uint64_t *left = carry_end(scan, job, i - 1);
        const uint64_t *begun = known_of(scan, &job->slices[i]);
        for (size_t w = 0; w < words_of(scan); w++)
            if (begun[w] & ~left[w])
                return i;
    }
    return (uint32_t)job->count;
}

/* Run the slices from `first` on again, only from the states that no byte kills. */
static int run_again(text_scan *scan, const text_job *job, uint32_t first, const uint64_t *immortal,
                     trawl_error *error)
{
    const size_t words = words_of(scan);
    for (uint32_t i = first; i < job->count; i++) {
        slice *s = &job->slices[i];
        uint64_t *known = known_of(scan, s);
        for (size_t w = 0; w < words; w++)
            s->state[w] = known[w] &= immortal[w];
        s->count = 0;
    }
    return run_range(scan, job, first, (uint32_t)job->count - first, CARRY_ALL, error);
}

/* Hand every slice what its predecessors left, if it is news. The range of slices that got some is
 * [*first, *last]; false: none did. */
static bool hand_on(const text_scan *scan, const text_job *job, const uint64_t *immortal,
                    const uint64_t *passes, uint64_t *ever, uint32_t *first, uint32_t *last)
{
    const size_t words = words_of(scan);
    bool any = false;
    memset(ever, 0, words * sizeof *ever);
    for (uint32_t i = 1; i < job->count; i++) {
        slice *s = &job->slices[i];
        const uint64_t *left = carry_end(scan, job, i - 1);
        uint64_t *known = known_of(scan, s), news = 0;
        for (size_t w = 0; w < words; w++) {
            ever[w] |= left[w] & immortal[w];
            s->state[w] = (left[w] | ever[w]) & passes[w] & ~known[w];
            known[w] |= s->state[w];
            news |= s->state[w];
        }
        if (news) {
            *first = any ? *first : i;
            *last = i;
            any = true;
        }
    }
    return any;
}

/* Note the states that all slices ended with, or that no byte kills. */
static void learn(text_scan *scan, const text_job *job, const uint64_t *immortal)
{
    for (size_t w = 0; w < words_of(scan); w++) {
        uint64_t all = UINT64_MAX;
        for (uint32_t i = 0; i < job->count; i++)
            all &= carry_end(scan, job, i)[w];
        scan->lasting[w] = all | immortal[w];
    }
}

int carry_settle(text_scan *scan, text_job *job, trawl_error *error)
{
    const size_t words = words_of(scan);
    if (job->count <= 1)
        return TRAWL_OK;
    uint64_t *immortal = memory_take_array(&scan->context->memory, words, 3 * sizeof *immortal);
    if (!immortal)
        return memory_failed(&scan->context->memory, error, "a scan's state");
    uint64_t *passes = immortal + words, *ever = passes + words;
    uint32_t first, last;
    int status = TRAWL_OK;
    gather_masks(scan->plan, CARRY_IMMORTAL, immortal);
    gather_masks(scan->plan, CARRY_PASSES, passes);
    first = first_misled(scan, job);
    if (first < job->count)
        status = run_again(scan, job, first, immortal, error);
    while (status == TRAWL_OK && hand_on(scan, job, immortal, passes, ever, &first, &last))
        status = run_range(scan, job, first, last - first + 1, CARRY_NEWS, error);
    if (status == TRAWL_OK)
        learn(scan, job, immortal);
    memory_give(&scan->context->memory, immortal);
    return status;
}
