/* cpu.c: Aho-Corasick for many literals.
 *
 * Idea: all patterns stand in one trie; every state has a failure link to the state of its
 * longest proper suffix, so one left-to-right pass over the text with one state finds all
 * patterns. Bytes that no pattern holds share one class, which keeps rows short. States near the
 * root have a row with a target for every class, with failure links already followed; states beyond
 * the memory budget have only their children and their failure link.
 *
 * Invariant: after text[i], the state is the longest suffix of text[from .. i] that is a
 * prefix of some pattern; its output list and those linked to it are the patterns that end
 * at i.
 *
 * Cost: O(n + occurrences); one table access a byte in a row state, amortised two in others.
 * Source: Aho and Corasick, Efficient string matching, 1975.
 */
#include "engines/literal/ac/layout.h"

#include "engines/literal/ac/cpu.h"

static u32 ac_next(const u32 *rows, const u32 *sparse, u32 s, u32 class_number)
{
    while (s & AC_SPARSE) {
        const u32 *record = sparse + (s & AC_PLACE);
        u32 child = ac_child(record, class_number);
        if (child != AC_DEAD)
            return child;
        s = record[SPARSE_FAIL];
    }
    return rows[(s & AC_PLACE) + class_number];
}

void ac_report(const u32 *tables, const u8 *text, u32 s, u32 low, u32 pos, const sink *out)
{
    const ac_tables *t = (const ac_tables *)tables;
    const u32 *outputs = tables + t->outputs;
    u32 list = s & AC_SPARSE ? tables[t->sparse + (s & AC_PLACE) + SPARSE_OUTPUT]
                             : tables[t->rows + (s & AC_PLACE) + t->classes];
    while (list) {
        u32 count = outputs[list + OUTPUT_COUNT];
        for (u32 i = 0; i < count; i++) {
            u32 index = outputs[list + OUTPUT_INDEXES + i];
            if (index & AC_VERIFY) {
                index &= ~AC_VERIFY;
                u32 length = literal_length(tables, t->literals.entries, index);
                if (length > pos - low ||
                    !literal_equal(tables, t->literals.entries, t->literals.bytes, index, text,
                                   pos - length))
                    continue;
            }
            sink_put(out, pos, index);
        }
        list = outputs[list + OUTPUT_LINK];
    }
}

/* From a sparse state to the next one that has a row, or to the end. *at moves on. */
static u32 ac_sparse(const text_task *task, const ac_tables *t, u32 s, u32 *at)
{
    const u8 *map = (const u8 *)(task->tables + t->map);
    const u32 *rows = task->tables + t->rows;
    const u32 *sparse = task->tables + t->sparse;
    u32 i = *at;
    while ((s & AC_SPARSE) && i < task->end) {
        s = ac_next(rows, sparse, s, map[task->text[i++]]);
        if ((s & AC_MATCH) && i > task->begin)
            ac_report(task->tables, task->text, s, task->low, i, task->out);
    }
    *at = i;
    return s & ~AC_MATCH;
}

/* Where every byte ends a match, its report is the cost: the usual list, of one pattern that is
 * reported as it is, goes straight to the sink, whose cursor stays in a register. */
static u32 ac_walk(text_task *task)
{
    const ac_tables *t = (const ac_tables *)task->tables;
    const u8 *map = (const u8 *)(task->tables + t->map);
    const u32 *rows = task->tables + t->rows;
    const u32 *outputs = task->tables + t->outputs;
    const u8 *text = task->text;
    const sink out = *task->out;
    const u32 begin = task->begin, end = task->end, classes = t->classes;
    u32 at = task->from; /* its address is taken, which would keep it out of a register */
    u32 s = ac_sparse(task, t, (u32)task->state[0], &at);
    u32 i = at;
    u64 found = *out.cursor;
    while (i < end) {
        s = rows[(size_t)s + map[text[i++]]];
        if (PORT_LIKELY(!(s & (AC_MATCH | AC_SPARSE))))
            continue;
        if (s & AC_SPARSE) {
            *out.cursor = found;
            if ((s & AC_MATCH) && i > begin)
                ac_report(task->tables, text, s, task->low, i, &out);
            at = i;
            s = ac_sparse(task, t, s & ~AC_MATCH, &at);
            i = at;
            found = *out.cursor;
            continue;
        }
        s &= AC_PLACE;
        if (PORT_UNLIKELY(i <= begin))
            continue;
        const u32 *list = outputs + rows[(size_t)s + classes];
        if (PORT_LIKELY(list > outputs && list[OUTPUT_COUNT] == 1 && !list[OUTPUT_LINK] &&
                        !(list[OUTPUT_INDEXES] & AC_VERIFY))) {
            if (found < out.capacity)
                out.records[found] = (record){ i, list[OUTPUT_INDEXES] };
            found++;
        } else {
            *out.cursor = found;
            ac_report(task->tables, text, s, task->low, i, &out);
            found = *out.cursor;
        }
    }
    *out.cursor = found;
    task->state[0] = s;
    return end;
}

const walk walk_ac = { .text = ac_walk, .flows = true };
