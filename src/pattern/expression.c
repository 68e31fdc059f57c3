/* expression.c: see expression.h. */
#include "pattern/expression.h"

#include <string.h>

#define MIN_BLOCK 16u /* nodes; each block has room for twice as many as the one before */

void expression_open(memory *m, trawl_error *error, expression *x)
{
    memset(x, 0, sizeof *x);
    x->memory = m;
    x->error = error;
    x->elements = (elements){ .memory = m, .out = &x->spelled, .error = error };
}

void expression_close(expression *x)
{
    for (node_block *b = x->block, *before; b; b = before) {
        before = b->before;
        memory_give(x->memory, b);
    }
    memory_give(x->memory, x->spelled.elements);
}

node *expression_add(expression *x, enum node_kind kind, size_t at)
{
    node_block *b = x->block;
    if (!b || b->count == b->room) {
        const size_t room = b ? 2 * b->room : MIN_BLOCK;
        b = memory_take(x->memory, sizeof *b + room * sizeof *b->nodes);
        if (!b) {
            x->status = memory_failed(x->memory, x->error, "a pattern of %zu parts", room);
            return NULL;
        }
        *b = (node_block){ .before = x->block, .room = room };
        x->block = b;
    }
    node *n = &b->nodes[b->count++];
    *n = (node){ .kind = (uint8_t)kind, .at = at };
    return n;
}

node *expression_add_run(expression *x, size_t first, size_t count, size_t at)
{
    node *run = expression_add(x, NODE_RUN, at);
    if (run) {
        run->first = first;
        run->count = count;
    }
    return run;
}

const node **expression_children(expression *x, const node *n, size_t *count)
{
    *count = 0;
    for (const node *child = n->child; child; child = child->sibling)
        ++*count;
    const node **all = memory_take_array(x->memory, *count, sizeof *all);
    if (!all)
        x->status = memory_failed(x->memory, x->error, "a pattern of %zu parts", *count);
    *count = 0;
    for (const node *child = n->child; all && child; child = child->sibling)
        all[(*count)++] = child;
    return all;
}

static condition empty_run(const expression *x, const node *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (expression_elements(x, run)[i].min > 0)
            return 0;
    return CONDITION_ANY;
}

condition expression_empty(const expression *x, node *n)
{
    condition all = CONDITION_ANY, any = 0;
    for (node *child = n->child; child; child = child->sibling) {
        const condition c = expression_empty(x, child);
        all &= c;
        any |= c;
    }
    switch ((enum node_kind)n->kind) {
    case NODE_RUN:
        return n->empty = empty_run(x, n);
    case NODE_CONDITION:
        return n->empty = n->asks;
    case NODE_CHOICE:
        return n->empty = any;
    case NODE_REPEAT:
        return n->empty = n->min ? all : CONDITION_ANY;
    case NODE_SEQUENCE:
        break;
    }
    return n->empty = all;
}
