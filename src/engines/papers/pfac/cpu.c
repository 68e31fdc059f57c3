/* cpu.c: the parallel failureless form of Aho-Corasick.
 *
 * Idea: start anew at every text position and walk the trie until no transition is left.
 * There are no failure links, so the starts are independent: on a device each is a thread.
 *
 * If there is a fallback, starts are first tested against a bitmap of grams that stays in the
 * first-level cache, and no test waits for the one before: a start that begins nothing costs about
 * a nanosecond, however many patterns there are. When too much passes, the walk gives up. Without a
 * fallback it walks from all starts, as in the paper.
 *
 * Invariant: a start reports exactly the patterns that begin there; a state lists only the
 * patterns that are its own string.
 *
 * Cost: O(n * longest match prefix); most starts end after one or two bytes.
 * Source: Lin, Liu, Chien and Chang 2010. Tables: engines/literal/ac/cpu.h, without failures.
 */
#include "engines/papers/pfac/layout.h"

#include "engines/literal/ac/cpu.h"

#define STEP_WORK 2u /* of a start that has passed the bitmap */

enum { QUEUE = 64, PAUSE = 4096 };

/* All patterns that begin at text[start] and end in (begin, end]; state `s` is that after its
 * first byte. Returns the steps taken. */
static inline u32 pfac_start(const text_task *task, const u32 *tables, u32 start, u32 s)
{
    const ac_tables *t = (const ac_tables *)tables;
    const u8 *map = (const u8 *)(tables + t->map);
    const u32 *rows = tables + t->rows;
    const u32 *sparse = tables + t->sparse;
    const u8 *text = task->text;
    const u32 begin = task->begin, end = task->end;
    u32 i = start + 1;
    while (s != AC_DEAD) {
        if ((s & AC_MATCH) && i > begin)
            ac_report(tables, text, s, start, i, task->out);
        if (i >= end)
            break;
        s = pfac_next(rows, sparse, s, map[text[i++]]);
    }
    return i - start;
}

static u32 pfac_walk(text_task *task)
{
    const ac_tables *t = (const ac_tables *)task->tables;
    const u8 *map = (const u8 *)(task->tables + t->map);
    const u32 *root = task->tables + t->rows;
    const u8 *text = task->text;
    u64 steps = 0;
    for (u32 start = task->from; start < task->end; start++) {
        const u32 s = root[map[text[start]]];
        if (s != AC_DEAD)
            steps += pfac_start(task, task->tables, start, s);
    }
    task->candidates = steps;
    return task->end;
}

/* The gram at text[start]. */
static inline u32 gram_at(const u8 *text, u32 start)
{
    return (u32)text[start] | (u32)text[start + 1] << 8 | (u32)text[start + 2] << 16 |
           (u32)text[start + 3] << 24;
}

/* Starts that pass the bitmap, some dozens at a time; those near the end all do. Invariant: every
 * start before `start` is walked or queued. */
static u32 pfac_filtered(text_task *task)
{
    const ac_tables *t = (const ac_tables *)task->tables;
    const grams_tables *g = &((const pfac_tables *)task->tables)->grams;
    const u8 *map = (const u8 *)(task->tables + t->map), *text = task->text;
    const u32 *root = task->tables + t->rows, *bits = task->tables + g->bits;
    const u32 shift = g->shift, fold = g->fold, mask = g->mask, end = task->end;
    u32 queue[QUEUE + 1], start = task->from, queued = 0;
    u64 work = 0;
    while (start < end) {
        const u32 pause = end - start > PAUSE ? start + PAUSE : end;
        while (start < pause && queued < QUEUE) {
            const u32 gram = end - start < 4 ? 0 : gram_at(text, start);
            const u32 hash = (gram_fold(gram, fold) & mask) * GRAMS_HASH >> shift;
            queue[queued] = start;
            queued += end - start < 4 || (bits[hash / 32] >> (hash % 32) & 1);
            start++;
        }
        task->candidates += queued;
        for (u32 i = 0; i < queued; i++) {
            if (give_up(task, queue[i], work))
                return queue[i];
            work += STEP_WORK *
                    (u64)pfac_start(task, task->tables, queue[i], root[map[text[queue[i]]]]);
        }
        queued = 0;
    }
    return end;
}

static u32 pfac_either(text_task *task)
{
    return task->patience ? pfac_filtered(task) : pfac_walk(task);
}

const walk walk_pfac = { .text = pfac_either };
