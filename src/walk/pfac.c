/* pfac.c: the parallel failureless form of Aho-Corasick.
 *
 * Idea: start anew at every text position and walk the trie until no transition is left.
 * There are no failure links, so the starts are independent: on a device each is a thread.
 *
 * Invariant: a start reports exactly the patterns that begin there; a state lists only the
 * patterns that are its own string.
 *
 * Cost: O(n * longest match prefix); most starts end after one or two bytes.
 * Source: Lin, Liu, Chien and Chang 2010. Tables: ac.h, without failures.
 */
#include "table/pfac.h"

#include "walk/ac.h"

#define PFAC_STEPS 4u /* more than a start usually takes: such a one counts as work */
#define STEP_WORK 2u

/* All patterns that begin at text[start] and end in (begin, end]. Returns the steps taken. */
static u32 pfac_start(const text_task *task, const u32 *tables, u32 start)
{
    const ac_tables *t = (const ac_tables *)tables;
    const u8 *map = (const u8 *)(tables + t->map);
    const u32 *rows = tables + t->rows;
    const u32 *sparse = tables + t->sparse;
    const u8 *text = task->text;
    const u32 begin = task->begin, end = task->end;
    u32 i = start;
    u32 s = rows[map[text[i++]]];
    while (s != AC_DEAD) {
        if ((s & AC_MATCH) && i > begin)
            ac_report(tables, text, s, start, i, task->out);
        if (i >= end)
            break;
        s = pfac_next(rows, sparse, s, map[text[i++]]);
    }
    return i - start;
}

u32 pfac_walk(text_task *t)
{
    u64 steps = 0;
    for (u32 start = t->from; start < t->end; start++) {
        const u32 taken = pfac_start(t, t->tables, start);
        if (PORT_UNLIKELY(taken > PFAC_STEPS)) {
            t->candidates++;
            steps += taken;
            if (give_up(t, start + 1, steps))
                return start + 1;
        }
    }
    return t->end;
}

u64 pfac_verify(const text_task *t, const u32 *starts, u32 count)
{
    u64 steps = 0;
    for (u32 i = 0; i < count; i++)
        steps += pfac_start(t, t->verify_tables, starts[i]);
    return STEP_WORK * steps;
}
