/* graph.c: see graph.h. */
#include "engines/programs/glushkov/graph.h"

#include <string.h>

#include "engines/shared/positions.h"

/* ---- growing ---------------------------------------------------------------------- */

/* Make room for `wanted` entries of `size` bytes in an array that has *room of them. */
static void *grown(graph *g, void *array, size_t *room, size_t wanted, size_t size)
{
    if (wanted <= *room || g->failed)
        return array;
    const size_t next = wanted > 2 * *room ? wanted + 8 : 2 * *room;
    void *made = memory_grow(g->memory, array, next * size);
    g->failed = !made;
    if (!made)
        return array;
    *room = next;
    return made;
}

static bool grow_positions(graph *g)
{
    const size_t room = g->room > 0 ? 2 * (size_t)g->room : 16;
    byte_class *sets = memory_grow(g->memory, g->sets, room * sizeof *sets);
    g->sets = sets ? sets : g->sets;
    uint8_t *begins = sets ? memory_grow(g->memory, g->begins, room) : NULL;
    g->begins = begins ? begins : g->begins;
    uint32_t *first = begins ? memory_grow(g->memory, g->first, (room + 1) * sizeof *first) : NULL;
    g->first = first ? first : g->first;
    g->room = first ? (uint32_t)room : g->room;
    g->failed = !first;
    return first != NULL;
}

static void add_position(graph *g, const byte_class *set, uint8_t begins)
{
    if (g->failed || (g->count == g->room && !grow_positions(g)))
        return;
    g->sets[g->count] = *set;
    g->begins[g->count] = begins;
    g->first[g->count] = (uint32_t)g->link_count;
    g->first[++g->count] = (uint32_t)g->link_count;
}

/* Add a link of the last position. */
static void add_link(graph *g, uint32_t to)
{
    g->links = grown(g, g->links, &g->link_room, g->link_count + 1, sizeof *g->links);
    if (g->failed)
        return;
    g->links[g->link_count++] = to;
    g->first[g->count] = (uint32_t)g->link_count;
}

static void add_end(graph *g, uint32_t position, uint32_t pattern)
{
    g->ends = grown(g, g->ends, &g->end_room, g->end_count + 1, sizeof *g->ends);
    if (!g->failed)
        g->ends[g->end_count++] = (graph_end){ position, pattern };
}

void graph_free(graph *g)
{
    memory_give(g->memory, g->sets);
    memory_give(g->memory, g->begins);
    memory_give(g->memory, g->first);
    memory_give(g->memory, g->links);
    memory_give(g->memory, g->ends);
    *g = (graph){ .memory = g->memory };
}

void graph_pad(graph *g, uint32_t count)
{
    const byte_class none = { { 0 } };
    while (g->count < count && !g->failed)
        add_position(g, &none, 0);
}

void graph_add(graph *g, const graph *more)
{
    const uint32_t base = g->count;
    for (uint32_t p = 0; p < more->count; p++) {
        add_position(g, &more->sets[p], more->begins[p]);
        for (uint32_t l = more->first[p]; l < more->first[p + 1]; l++)
            add_link(g, base + more->links[l]);
    }
    for (size_t i = 0; i < more->end_count; i++)
        add_end(g, base + more->ends[i].position, more->ends[i].pattern);
}

static bool has_link(const graph *g, uint32_t from, uint32_t to)
{
    for (uint32_t l = g->first[from]; l < g->first[from + 1]; l++)
        if (g->links[l] == to)
            return true;
    return false;
}

static bool ends_pattern(const graph *g, uint32_t position, uint32_t pattern)
{
    for (size_t i = 0; i < g->end_count; i++)
        if (g->ends[i].position == position && g->ends[i].pattern == pattern)
            return true;
    return false;
}

/* Whether all that position q leads to, position p leads to as well, and both have one class. */
static bool is_shadow(const graph *g, uint32_t q, uint32_t p)
{
    if (memcmp(&g->sets[q], &g->sets[p], sizeof *g->sets) != 0)
        return false;
    for (uint32_t l = g->first[q]; l < g->first[q + 1]; l++)
        if (g->links[l] != q && !has_link(g, p, g->links[l]))
            return false;
    for (size_t i = 0; i < g->end_count; i++)
        if (g->ends[i].position == q && !ends_pattern(g, p, g->ends[i].pattern))
            return false;
    return true;
}

/* Links to positions that a match need not come to: it may begin anywhere with one that leads to
 * all that they lead to, as the first of two in xx*y. */
static void drop_shadows(graph *g)
{
    uint8_t *shadow = memory_take_zeroed(g->memory, (size_t)g->count + 1, 1);
    size_t kept = 0;
    g->failed = !shadow;
    if (g->failed)
        return;
    for (uint32_t p = 0; p < g->count; p++)
        for (uint32_t l = g->first[p]; g->begins[p] & GRAPH_INIT && l < g->first[p + 1]; l++)
            if (!g->begins[g->links[l]] && is_shadow(g, g->links[l], p))
                shadow[g->links[l]] = 1;
    for (uint32_t p = 0, from = 0; p < g->count; p++) {
        const uint32_t to = g->first[p + 1];
        g->first[p] = (uint32_t)kept;
        for (uint32_t l = from; l < to; l++)
            if (!shadow[g->links[l]])
                g->links[kept++] = g->links[l];
        from = to;
    }
    g->first[g->count] = (uint32_t)kept;
    g->link_count = kept;
    for (size_t i = 0, ends = g->end_count; i < ends; i++) {
        if (i == 0)
            g->end_count = 0;
        if (!shadow[g->ends[i].position])
            g->ends[g->end_count++] = g->ends[i];
    }
    memory_give(g->memory, shadow);
}

/* Leave out positions that lead to no end: those that led only to positions that now begin a match
 * themselves. */
static void prune(graph *g)
{
    uint32_t *number = memory_take_zeroed(g->memory, (size_t)g->count + 1, sizeof *number);
    uint32_t kept = 0;
    size_t links = 0;
    g->failed = !number;
    if (g->failed)
        return;
    for (size_t i = 0; i < g->end_count; i++)
        number[g->ends[i].position] = 1;
    for (bool changed = true; changed;) { /* two or three rounds: most links lead on */
        changed = false;
        for (uint32_t p = g->count; p-- > 0;)
            for (uint32_t l = g->first[p]; !number[p] && l < g->first[p + 1]; l++)
                if (number[g->links[l]])
                    number[p] = changed = true;
    }
    for (uint32_t p = 0; p < g->count; p++)
        number[p] = number[p] ? kept++ : UINT32_MAX;
    for (uint32_t p = 0; p < g->count; p++) {
        const uint32_t from = g->first[p], to = g->first[p + 1];
        if (number[p] == UINT32_MAX)
            continue;
        g->sets[number[p]] = g->sets[p];
        g->begins[number[p]] = g->begins[p];
        g->first[number[p]] = (uint32_t)links; /* at most `from`, which has been read */
        for (uint32_t l = from; l < to; l++)
            if (number[g->links[l]] != UINT32_MAX)
                g->links[links++] = number[g->links[l]];
    }
    for (size_t i = 0; i < g->end_count; i++)
        g->ends[i].position = number[g->ends[i].position];
    g->count = kept;
    g->first[kept] = (uint32_t)links;
    g->link_count = links;
    memory_give(g->memory, number);
}

/* ---- programs ---------------------------------------------------------------------- */

/* The positions that stand for conditions before a match: one for each condition. */
typedef struct openers {
    uint32_t when[BEFORE_ANY];
    uint32_t count;
} openers;

static openers openers_of(const program *p)
{
    openers o = { .count = 0 };
    const program_link *l, *end;
    bool seen[BEFORE_ANY + 1] = { false };
    program_list(p, 0, &l, &end);
    for (; l < end; l++)
        if (l->when != BEFORE_ANY && !seen[l->when]) {
            seen[l->when] = true;
            o.when[o.count++] = l->when;
        }
    return o;
}

/* Whether a match may begin with the position anywhere. */
static uint8_t *anywhere(memory *m, const program *p)
{
    uint8_t *init = memory_take_zeroed(m, p->positions, 1);
    const program_link *l, *end;
    program_list(p, 0, &l, &end);
    for (; init && l < end; l++)
        if (l->when == BEFORE_ANY)
            init[l->to] = GRAPH_INIT;
    return init;
}

/* A link may stand in a list twice, with two conditions. */
static void add_new_link(graph *g, uint32_t to)
{
    for (size_t i = g->first[g->count - 1]; i < g->link_count; i++)
        if (g->links[i] == to)
            return;
    add_link(g, to);
}

static void add_opener(graph *g, const program *p, uint32_t when, const uint8_t *init,
                       uint32_t base)
{
    const program_link *l, *end;
    const byte_class set = program_bytes_before(p, when);
    add_position(
        g, &set,
        (uint8_t)((class_empty(&set) ? 0 : GRAPH_INIT) | (when & BEFORE_BEGIN ? GRAPH_OPENS : 0)));
    program_list(p, 0, &l, &end);
    for (; l < end && !g->failed; l++)
        if (l->when == when && !init[l->to])
            add_new_link(g, base + l->to);
}

static void add_program(graph *g, const pattern_list *list, size_t first, size_t count)
{
    const program *p = list->patterns[first].program;
    const openers o = openers_of(p);
    uint8_t *init = anywhere(g->memory, p);
    g->failed = !init;
    for (uint32_t i = 0; i < o.count && !g->failed; i++)
        add_opener(g, p, o.when[i], init, o.count);
    for (uint32_t q = 0; q < p->positions && !g->failed; q++) {
        const program_link *l, *end;
        add_position(g, &program_sets(p)[q], init[q]);
        program_list(p, q + 1, &l, &end);
        for (; l < end && !g->failed; l++) {
            if (l->to != PROGRAM_END && !init[l->to])
                add_new_link(g, o.count + l->to);
            for (size_t k = first; l->to == PROGRAM_END && k < first + count; k++)
                if (list->patterns[k].when == l->when)
                    add_end(g, o.count + q, (uint32_t)k);
        }
    }
    memory_give(g->memory, init);
}

/* ---- sequences --------------------------------------------------------------------- */

/* Positions that may be left out are passed by links. */
static void add_sequence(graph *g, const pattern_list *list, size_t index)
{
    const pattern *p = &list->patterns[index];
    const uint32_t count = (uint32_t)position_count(p);
    position *positions = memory_take_array(g->memory, count, sizeof *positions);
    g->failed = !positions;
    if (g->failed)
        return;
    expand_positions(p, positions);
    uint32_t lead = 0; /* what comes before position `lead` may be left out */
    while (lead < count && positions[lead].optional)
        lead++;
    for (uint32_t i = 0; i < count && !g->failed; i++) {
        uint32_t to = i + 1;
        const bool opens = i == 0 && p->opened && p->before.edge[0]; /* the byte before a match */
        add_position(g, &positions[i].set,
                     (uint8_t)((i <= lead ? GRAPH_INIT : 0) | (opens ? GRAPH_OPENS : 0)));
        if (positions[i].repeat && i > lead)
            add_link(g, i);
        for (; to < count; to++) {
            if (to > lead)
                add_link(g, to);
            if (!positions[to].optional)
                break;
        }
        if (to == count)
            add_end(g, i, (uint32_t)index);
    }
    memory_give(g->memory, positions);
}

void graph_make(memory *m, const pattern_list *list, size_t first, size_t count, graph *g)
{
    *g = (graph){ .memory = m };
    if (pattern_is_program(&list->patterns[first]))
        add_program(g, list, first, count);
    else
        add_sequence(g, list, first);
    if (!g->failed)
        drop_shadows(g);
    if (!g->failed)
        prune(g);
}
