/* cpu.c: RunHNFA, extended SHIFT-AND for patterns of any length as a hierarchy.
 *
 * Idea: a pattern of m positions is cut into k = ceil(m / 64) lower modules of one word
 * each, which know nothing of one another. An upper module has a bit for each border: bit j says
 * that module j may begin, bit k that the pattern has ended. For each byte: upper to lower (initial
 * bits), a step of every lower module, lower to upper (final bits), closure of the upper module, in
 * which a module of optional positions only is skipped as a whole.
 *
 * Invariant: after each byte, lower module j holds the positions reachable within it and
 * upper bit j says whether all before it has been matched; both closed under skipping.
 *
 * Cost: O(n * k) for a pattern at worst; a module with no state and no initial bit is passed over.
 * The modules are independent within a byte, which is what devices use.
 * Source: Sasakawa and Arimura, RunHNFA (algorithms 1 to 5).
 */
#include "engines/papers/hnfa/layout.h"

#include "engines/shared/walk.h"

static void hnfa_run(const text_task *task, const hnfa_pattern *p)
{
    const u32 *tables = task->tables;
    const u8 *text = task->text;
    const u32 begin = task->begin, end = task->end;
    const hnfa_tables *t = (const hnfa_tables *)tables;
    const u8 *map = (const u8 *)(tables + t->map);
    const hnfa_module *modules = (const hnfa_module *)(tables + p->module);
    const u64 *moves = (const u64 *)(tables + p->move);
    const u64 *repeats = (const u64 *)(tables + p->repeat);
    const u32 k = p->modules;
    u64 *lower = task->state + p->lower_state;
    u64 *upper = lower + k;
    upper[0] = task->news ? upper[0] & ~(u64)1 : upper[0] | 1;
    if (p->skips)
        hnfa_close_upper((const u64 *)(tables + p->upper), k / 64 + 1, upper);
    for (u32 i = task->from; i < end; i++) {
        size_t row = (size_t)map[text[i]] * k;
        /* From the last module to the first: bit j + 1 is written after it was read. */
        for (u32 j = k; j-- > 0;) {
            u64 initial = upper[j / 64] >> (j % 64) & 1;
            u64 s = lower[j];
            if (s | initial) {
                s = hnfa_lower(modules + j, s, initial, moves[row + j], repeats[row + j]);
                lower[j] = s;
            }
            u64 bit = (u64)1 << ((j + 1) % 64);
            u64 rest = upper[(j + 1) / 64] & ~bit;
            upper[(j + 1) / 64] = s & modules[j].top ? rest | bit : rest;
        }
        if (p->skips)
            hnfa_close_upper((const u64 *)(tables + p->upper), k / 64 + 1, upper);
        if (PORT_UNLIKELY(upper[k / 64] >> (k % 64) & 1) && i >= begin)
            sink_put(task->out, i + 1, p->index);
    }
}

/* A pattern of one module: the upper module is one initial bit, set unless there is only news.
 * `initial` is a constant at each call. */
static inline void hnfa_run_one(const text_task *task, const hnfa_pattern *p, u64 initial)
{
    const u32 *tables = task->tables;
    const u8 *text = task->text;
    const u32 begin = task->begin, end = task->end;
    const hnfa_tables *t = (const hnfa_tables *)tables;
    const u8 *map = (const u8 *)(tables + t->map);
    const hnfa_module *m = (const hnfa_module *)(tables + p->module);
    const u64 *moves = (const u64 *)(tables + p->move);
    const u64 *repeats = (const u64 *)(tables + p->repeat);
    u64 s = task->state[p->lower_state];
    for (u32 i = task->from; i < end; i++) {
        u32 c = map[text[i]];
        s = hnfa_lower(m, s, initial, moves[c], repeats[c]);
        if (PORT_UNLIKELY(s & m->top) && i >= begin)
            sink_put(task->out, i + 1, p->index);
    }
    task->state[p->lower_state] = s;
}

static u32 hnfa_walk(text_task *task)
{
    const hnfa_tables *t = (const hnfa_tables *)task->tables;
    const hnfa_pattern *patterns = (const hnfa_pattern *)(task->tables + t->patterns);
    for (u32 p = 0; p < t->count; p++) {
        if (patterns[p].modules == 1 && task->news)
            hnfa_run_one(task, patterns + p, 0);
        else if (patterns[p].modules == 1)
            hnfa_run_one(task, patterns + p, 1);
        else
            hnfa_run(task, patterns + p);
    }
    return task->end;
}

const walk walk_hnfa = { .text = hnfa_walk, .flows = true };
