/* cpu.c: the parallel failureless form of Aho-Corasick.
 *
 * Idea: start anew at every text position and walk the trie until no transition is left.
 * There are no failure links, so the starts are independent: on a device each is a thread.
 *
 * Invariant: a start reports exactly the patterns that begin there; a state lists only the
 * patterns that are its own string.
 *
 * Cost: O(n * longest match prefix); most starts end after one or two bytes.
 * Source: Lin, Liu, Chien and Chang 2010. Tables: engines/literal/ac/cpu.h, without failures.
 */
#include "engines/papers/pfac/layout.h"

#include "engines/literal/ac/cpu.h"

#define STEP_WORK 2u /* of a start that has passed a filter */

/* All patterns that begin at text[start] and end in (begin, end]; state `s` is that behind its
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

static u32 pfac_verify(const text_task *t, const u32 *starts, u32 count, u64 *work)
{
    const ac_tables *tables = (const ac_tables *)t->verify_tables;
    const u8 *map = (const u8 *)(t->verify_tables + tables->map);
    const u32 *root = t->verify_tables + tables->rows;
    u32 i = 0;
    for (; i < count && !give_up(t, starts[i], *work); i++)
        *work += STEP_WORK *
                 (u64)pfac_start(t, t->verify_tables, starts[i], root[map[t->text[starts[i]]]]);
    return i;
}

const walk walk_pfac = { .text = pfac_walk, .verify = pfac_verify };
