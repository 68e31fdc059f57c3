/* vector.c: large sets of literals by a strided filter of hashed q-grams.
 *
 * Idea: look only at every s-th place of the text. The gram of q bytes there is hashed, and a bit
 * says whether any pattern has it among the s grams that it was entered with. No place waits for
 * the one before, so sixteen are hashed at once. What passes is compared with the prints of its
 * hash (engines/shared/prints/vector.h, which has the invariant).
 *
 * Cost: O(n / s) probes, and what passes, as engines/shared/prints/vector.h says.
 * Source: Karp and Rabin 1987 (hashed windows); Wu and Manber 1994 (blocks, prefixes); Kim and Kim,
 * A fast multiple string-pattern matching algorithm, 1999 (q-grams of patterns, read at a stride).
 */
#include "engines/literal/qgrams/layout.h"

#include "engines/shared/prints/vector.h"
#include "engines/shared/vec.h"

enum { AHEAD = 4096, REACHES = 2 * VEC_BYTES + 4 }; /* bytes that sixteen grams may be taken from */

/* How a gram is read; a constant at each call, so that the loop is compiled for each. */
typedef enum form { SHORT_GRAM, FOUR_BYTES, TWO_WORDS } form;

/* Up to BATCH places from `at` on, a multiple of LANES. */
WALK_INTO void try_batch(candidates *c, const qgrams_tables *t, u32 at, u32 count, form form)
{
    static const u32 lanes[LANES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    const u8 *text = c->task->text + at;
    const u32 stride = t->stride, q = t->prints.q;
    const vec_every every = vec_every_of(stride);
    const vec fold = vec_all32(t->prints.fold);
    const vec mask = vec_all32(gram_mask(q));
    const vec first = vec_all32(GRAM_FIRST), second = vec_all32(GRAM_SECOND);
    const vec next = vec_all32(LANES * stride);
    vec place = vec_add32(vec_all32(at), vec_times32(vec_load32(lanes), vec_all32(stride)));
    u32 hashes[BATCH], places[BATCH], words[BATCH];
    for (u32 i = 0; i < count; i += LANES, text += LANES * stride) {
        VEC_PREFETCH(text + AHEAD);
        vec grams = fold_grams(vec_load_every(every, text), fold);
        if (form == SHORT_GRAM)
            grams = vec_and(grams, mask);
        vec hash = vec_times32(grams, first);
        if (form == TWO_WORDS) {
            const vec behind = fold_grams(vec_load_every(every, text + (q - 4)), fold);
            hash = vec_add32(hash, vec_times32(behind, second));
        }
        vec_store32(hashes + i, hash);
        vec_store32(words + i, bit_words(hash, t->bits_shift));
        vec_store32(places + i, place);
        place = vec_add32(place, next);
    }
    queue_those_set(c, c->task->tables + t->bits, t->bits_shift, places, hashes, words, count);
}

/* `stride` is a constant of the set, `form` one of the call. */
WALK_INTO bool filter_grams(candidates *c, const qgrams_tables *t, form form)
{
    const text_task *task = c->task;
    const u32 end = task->end, stride = t->stride, last = last_gram(c);
    for (u32 at = c->block; at < last; at = c->reached) {
        const u32 most = last - at < BATCH * stride ? (last - at) / stride : BATCH;
        const u32 inside = end - at < REACHES ? 0 : (end - at - REACHES) / stride;
        const u32 count = (most < inside ? most : inside) / LANES * LANES;
        if (count)
            try_batch(c, t, at, count, form);
        else
            queue_if_set(c, task->tables + t->bits, t->bits_shift, at,
                         gram_hash_at(task->text + at, t->prints.q, t->prints.fold));
        c->reached = at + (count ? count : 1) * stride;
        if (c->queued > QUEUE - BATCH && !settle_queue(c))
            return false;
    }
    return settle_queue(c);
}

WALK_INTO bool filter_block(candidates *c, const void *of)
{
    const qgrams_tables *t = of;
    if (t->prints.q < 4)
        return filter_grams(c, t, SHORT_GRAM);
    return t->prints.q == 4 ? filter_grams(c, t, FOUR_BYTES) : filter_grams(c, t, TWO_WORDS);
}

static u32 qgrams_walk(text_task *task)
{
    const qgrams_tables *t = (const qgrams_tables *)task->tables;
    candidates c;
    return walk_blocks(&c, task, &t->prints, filter_block, t);
}

const walk VEC_NAME(walk_qgrams) = { .text = qgrams_walk };
