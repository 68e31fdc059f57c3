/* cpu.c: every literal is compared at every place where it could end. */
#include "engines/literal/naive/layout.h"
#include "engines/shared/walk.h"

static u32 naive_walk(text_task *task)
{
    const literal_tables *t = &((const naive_tables *)task->tables)->literals;
    for (u32 end = task->begin + 1; end <= task->end; end++)
        for (u32 i = 0; i < t->count; i++) {
            const u32 length = literal_length(task->tables, t->entries, i);
            if (length <= end - task->from &&
                literal_equal(task->tables, t->entries, t->bytes, i, task->text, end - length))
                sink_put(task->out, end, i);
        }
    return task->end;
}

const walk walk_naive = { .text = naive_walk };
