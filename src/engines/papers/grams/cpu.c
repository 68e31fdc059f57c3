/* cpu.c: a filter before the verification of literals.
 *
 * Idea: test the first q bytes at every start against the bitmap of layout.h; starts that
 * pass go, some dozens at a time, to the stage behind. The bitmap stays in the first-level cache,
 * and no step waits for the one before, so a start that begins nothing costs about a
 * nanosecond, however many patterns there are.
 *
 * Invariant: every start before `start` whose gram has its bit has been verified.
 *
 * Cost: O(n), and what the verification of what passes takes. When that is too much (few of the
 * grams' bits are clear, or the text is made of their beginnings) that stage gives up.
 */
#include "engines/papers/grams/layout.h"

#include "engines/shared/walk.h"

enum { QUEUE = 64, PAUSE = 4096 };

static u32 grams_walk(text_task *task)
{
    const grams_tables *t = (const grams_tables *)task->tables;
    const u32 *bits = task->tables + t->bits;
    const u32 shift = t->shift, fold = t->fold, mask = t->mask, end = task->end;
    const u8 *text = task->text;
    u32 queue[QUEUE + 1];
    u64 work = 0;
    u32 start = task->from;
    u32 queued = 0;
    while (start < end) {
        const u32 pause = end - start > PAUSE ? start + PAUSE : end;
        while (start < pause && queued < QUEUE) {
            u32 gram = mask;
            if (end - start >= 4)
                gram = (u32)text[start] | (u32)text[start + 1] << 8 | (u32)text[start + 2] << 16 |
                       (u32)text[start + 3] << 24;
            const u32 hash = (gram_fold(gram, fold) & mask) * GRAMS_HASH >> shift;
            const u32 passes = end - start < 4 || (bits[hash / 32] >> (hash % 32) & 1);
            queue[queued] = start++;
            queued += passes;
        }
        if (queued == 0)
            continue;
        task->candidates += queued;
        const u32 verified = task->verify(task, queue, queued, &work);
        if (verified < queued)
            return queue[verified];
        queued = 0;
    }
    return end;
}

const walk walk_grams = { .text = grams_walk };
