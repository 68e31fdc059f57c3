/* vector.c: position automata of patterns with groups and alternatives.
 *
 * Idea: a position of a pattern takes one byte, and bit i of the state says that some match, or the
 * begin of one, has just come to position i. A byte moves all positions at once: to the next one by
 * a shift, to themselves, and, for the few positions that others follow, by a row of bits each; of
 * all these stay those that take the byte. So an automaton of 64 positions costs about a
 * nanosecond a byte, whatever the text.
 *
 * Most automata need not run. Every match of a pattern has one of a few literals near its begin
 * (cut.c); the literals of all patterns are searched for together, by the walk of an engine for
 * literals, and where one ends the automaton runs from as far back as such a match may begin, and
 * on until no position lives. A unit that waits in a position like the .* of foo.*bar does not run
 * either: it is quiet until a literal of what follows ends, if all bytes until then are of its
 * class.
 *
 * Invariant: a unit's state at its clock holds every position that a match has come to whose
 * literal ended before, and what was carried in; beyond the clock no match begins whose literal has
 * been passed. At the end of a slice, where a literal may be cut, all that may begin near the end
 * runs. So states at the end are those of the whole text before it, but for positions that lead to
 * no match, and they unite.
 *
 * Cost: the search for literals; for each that is found, `back` bytes and what lives after it; for
 * units that do not sleep, O(n * words).
 * Source: Glushkov 1961; Navarro and Raffinot 1999 (bit-parallel); Wang, Hong, Chang, Park,
 * Langdale, Hu and Zhu 2019 (Hyperscan: shifts with exceptions, automata behind literals).
 */
#include "engines/programs/glushkov/layout.h"

#include <string.h>

#include "engines/shared/vec.h"

#define GLUSHKOV_NEVER UINT32_MAX /* a clock that has not begun */

extern const walk *const VEC_NAME(walks)[WALK_KINDS];

/* What is known of the bytes outside a class that units wait in. */
typedef struct glushkov_quiet {
    u32 known; /* bytes before it were looked at */
    u32 after; /* the offset after the last one of them that is outside; 0: there is none */
} glushkov_quiet;

typedef struct glushkov_run {
    text_task *task;
    const glushkov_tables *t;
    const glushkov_unit *units;
    u32 from;     /* the first byte that units read */
    u32 *clock;   /* of units [first, first + count): how far they ran, or GLUSHKOV_NEVER */
    u32 *touched; /* those whose clock has begun */
    u32 first, count, touched_count;
    u64 fresh; /* all ones where matches may begin; 0: nowhere */
    glushkov_quiet quiets[GLUSHKOV_QUIETS];
} glushkov_run;

WALK_APART void glushkov_report(const glushkov_run *r, const glushkov_unit *u, const u64 *state,
                                u32 pos)
{
    const u64 *end = (const u64 *)(r->task->tables + u->ends);
    if (pos <= r->task->begin)
        return;
    for (u32 i = 0; u->pack && i < u->end_count; i++, end += 1 + GLUSHKOV_PACK) {
        const u32 word = (u32)(end[0] >> 32);
        if (state[word] & end[1 + word])
            sink_put(r->task->out, pos, (u32)end[0]);
    }
    for (u32 i = 0; !u->pack && i < u->end_count; i++, end += 1 + u->words) {
        u64 hits = 0;
        for (u32 w = 0; w < u->words; w++)
            hits |= state[w] & end[1 + w];
        if (hits)
            sink_put(r->task->out, pos, (u32)end[0]);
    }
}

/* How many bits of `mask` are below the lowest one of `left`, which is not 0. */
static inline u32 glushkov_rank(u64 mask, u64 left)
{
    return VEC_COUNT(mask & ((left & (~left + 1)) - 1));
}

/* The offset after the last byte of [from, to) that is outside a class; `from` if there is none. */
static u32 glushkov_outside(const glushkov_run *r, const u32 *set, u32 from, u32 to)
{
    const u8 *text = r->task->text;
    while (to > from && set[text[to - 1] / 32] >> (text[to - 1] % 32) & 1)
        to--;
    return to;
}

/* Whether all bytes of [from, to) are in a class that units wait in. Most questions come in the
 * order of the text, so each byte is looked at about once, whatever the number of units. */
static bool glushkov_waits(glushkov_run *r, u32 class, u32 from, u32 to)
{
    const u32 *set = r->task->tables + r->t->quiets + 8 * (size_t) class;
    glushkov_quiet *q = &r->quiets[class];
    if (q->known < to) {
        const u32 begin = q->known > r->from ? q->known : r->from;
        const u32 after = glushkov_outside(r, set, begin, to);
        q->after = after > begin ? after : q->after;
        q->known = to;
    }
    if (q->after <= to)
        return q->after <= from;
    return glushkov_outside(r, set, from, to) == from;
}

/* Run a unit of one word, from byte i on up to `to`, or until no position lives but, if `quiet`,
 * those in which it waits. `fresh`: all ones where matches may begin, else 0. Returns where it
 * stopped. */
static u32 glushkov_one(const glushkov_run *r, const glushkov_unit *u, u64 *state, u32 i, u32 to,
                        u64 fresh, bool quiet)
{
    const u32 *tables = r->task->tables;
    const glushkov_word word = *(const glushkov_word *)(tables + u->masks);
    const u8 *map = (const u8 *)(tables + u->map), *text = r->task->text;
    const u64 *rows = (const u64 *)(tables + u->rows), *follow = (const u64 *)(tables + u->follow);
    const u64 init = word.init & fresh, waits = quiet ? word.waits : 0;
    u64 bits = *state;
    for (; i < to && ((bits & ~waits) | fresh); i++) {
        u64 moved = (bits << 1 & word.shift) | (bits << 2 & word.skip) | (bits & word.loop) | init;
        for (u64 left = bits & word.except; left; left &= left - 1)
            moved |= follow[glushkov_rank(word.except, left)];
        bits = moved & rows[map[text[i]]];
        if (PORT_UNLIKELY((bits & word.last) != 0))
            glushkov_report(r, u, &bits, i + 1);
    }
    *state = bits;
    return i;
}

/* What follows the exceptions of one word of `state` in all words of `moved`. */
static inline void glushkov_except(const glushkov_unit *u, const glushkov_word *word,
                                   const u64 *follow, u64 bits, u64 *moved)
{
    for (u64 left = bits & word->except; left; left &= left - 1) {
        const u64 number = word->rank + glushkov_rank(word->except, left);
        const u64 *row = follow + number * u->words;
        for (u32 w = 0; w < u->words; w++)
            moved[w] |= row[w];
    }
}

/* ---- packs ----------------------------------------------------------------------------- */

/* Add what follows the exceptions of a pack: each in its own word. */
WALK_APART void glushkov_pack_except(const glushkov_word *words, const u64 *follow, const u64 *bits,
                                     u64 *moved)
{
    for (u32 w = 0; w < GLUSHKOV_PACK; w++)
        for (u64 left = bits[w] & words[w].except; left; left &= left - 1) {
            const u64 number = words[w].rank + glushkov_rank(words[w].except, left);
            moved[w] |= follow[number * GLUSHKOV_PACK + w];
        }
}

/* Run a pack over [i, to): matches may begin anywhere. */
static void glushkov_pack(const glushkov_run *r, const glushkov_unit *u, u64 *state, u32 i, u32 to)
{
    const u32 *tables = r->task->tables;
    const glushkov_word *words = (const glushkov_word *)(tables + u->masks);
    const u8 *map = (const u8 *)(tables + u->map), *text = r->task->text;
    const u64 *rows = (const u64 *)(tables + u->rows), *follow = (const u64 *)(tables + u->follow);
    u64 masks[6][GLUSHKOV_PACK];
    for (u32 w = 0; w < GLUSHKOV_PACK; w++) {
        masks[0][w] = words[w].init;
        masks[1][w] = words[w].shift;
        masks[2][w] = words[w].skip;
        masks[3][w] = words[w].loop;
        masks[4][w] = words[w].except;
        masks[5][w] = words[w].last;
    }
    const vec init = vec_load64(masks[0]), shift = vec_load64(masks[1]),
              skip = vec_load64(masks[2]), loop = vec_load64(masks[3]),
              except = vec_load64(masks[4]), last = vec_load64(masks[5]);
    vec bits = vec_load64(state);
    for (; i < to; i++) {
        vec moved = vec_or(vec_or(vec_and(vec_up64(bits, 1), shift), vec_and(bits, loop)),
                           vec_or(vec_and(vec_up64(bits, 2), skip), init));
        if (PORT_UNLIKELY(vec_any(vec_and(bits, except)))) {
            u64 now[GLUSHKOV_PACK], more[GLUSHKOV_PACK];
            vec_store64(now, bits);
            vec_store64(more, moved);
            glushkov_pack_except(words, follow, now, more);
            moved = vec_load64(more);
        }
        bits = vec_and(moved, vec_load64(rows + (size_t)map[text[i]] * GLUSHKOV_PACK));
        if (PORT_UNLIKELY(vec_any(vec_and(bits, last)))) {
            vec_store64(state, bits);
            glushkov_report(r, u, state, i + 1);
        }
    }
    vec_store64(state, bits);
}

/* ---- units of many words ----------------------------------------------------------------- */

/* The same for any number of words, up to what the stack holds. */
enum { GLUSHKOV_WORDS = 1024 };

static u32 glushkov_many(const glushkov_run *r, const glushkov_unit *u, u64 *state, u32 i, u32 to,
                         u64 fresh, bool quiet)
{
    const u32 *tables = r->task->tables;
    const glushkov_word *words = (const glushkov_word *)(tables + u->masks);
    const u8 *map = (const u8 *)(tables + u->map), *text = r->task->text;
    const u64 *rows = (const u64 *)(tables + u->rows), *follow = (const u64 *)(tables + u->follow);
    u64 moved[GLUSHKOV_WORDS], alive = fresh;
    const u64 waits = quiet ? UINT64_MAX : 0;
    for (u32 w = 0; w < u->words; w++)
        alive |= state[w] & ~(words[w].waits & waits);
    for (; i < to && alive; i++) {
        const u64 *row = rows + (size_t)map[text[i]] * u->words;
        u64 in = 0, hits = 0;
        for (u32 w = 0; w < u->words; w++) {
            const u64 old = state[w];
            moved[w] = ((old << 1 | in >> 1) & words[w].shift) | ((old << 2 | in) & words[w].skip) |
                       (old & words[w].loop) | (words[w].init & fresh);
            in = old >> 62;
        }
        for (u32 w = 0; w < u->words; w++)
            if (state[w] & words[w].except)
                glushkov_except(u, &words[w], follow, state[w], moved);
        alive = fresh;
        for (u32 w = 0; w < u->words; w++) {
            state[w] = moved[w] & row[w];
            alive |= state[w] & ~(words[w].waits & waits);
            hits |= state[w] & words[w].last;
        }
        if (PORT_UNLIKELY(hits != 0))
            glushkov_report(r, u, state, i + 1);
    }
    return i;
}

static inline bool glushkov_lives(const glushkov_unit *u, const u64 *state)
{
    u64 all = 0;
    for (u32 w = 0; w < u->words; w++)
        all |= state[u->word + w];
    return all != 0;
}

/* All that lives in the unit waits: it goes on waiting from `from` to `to`, where all bytes are of
 * its class. */
static void glushkov_rest(glushkov_run *r, const glushkov_unit *u, u64 *state, u32 from, u32 to)
{
    const u32 *classes = r->task->tables + u->quiet;
    const glushkov_word *words = (const glushkov_word *)(r->task->tables + u->masks);
    for (u32 w = 0; w < u->words; w++)
        for (u64 left = state[w]; left; left &= left - 1) {
            const u64 bit = left & (~left + 1);
            const u64 number = words[w].waited + glushkov_rank(words[w].waits, left);
            if (!glushkov_waits(r, classes[number], from, to))
                state[w] &= ~bit;
        }
}

/* Run a unit on to a place. `quiet`: nothing goes on from where it waits before that place. */
static void glushkov_go(glushkov_run *r, u32 number, u32 to, u64 fresh, bool quiet)
{
    const glushkov_unit *u = &r->units[number];
    u32 *clock = &r->clock[number - r->first];
    u64 *state = r->task->state;
    if (*clock == GLUSHKOV_NEVER) {
        *clock = r->from;
        r->touched[r->touched_count++] = number;
    }
    if (*clock >= to)
        return;
    const u32 at = u->words == 1 ? glushkov_one(r, u, state + u->word, *clock, to, fresh, quiet)
                                 : glushkov_many(r, u, state + u->word, *clock, to, fresh, quiet);
    *clock = to;
    if (quiet && at < to && u->quiet_count)
        glushkov_rest(r, u, state + u->word, at, to);
}

/* Run a unit to `pos`, where a literal of it ends, or may go on after the end of the slice. */
static void glushkov_near(glushkov_run *r, u32 number, u32 pos)
{
    const u32 back = r->units[number].back;
    glushkov_go(r, number, pos - r->from > back ? pos - back : r->from, 0, true);
    glushkov_go(r, number, pos, r->fresh, false);
}

/* A literal of a member ends at `pos`. */
static void glushkov_wake(glushkov_run *r, u32 member, u32 pos)
{
    const u32 number = r->t->awake + (member & ~GLUSHKOV_GOES_ON);
    if (number - r->first < r->count && ((r->fresh && !(member & GLUSHKOV_GOES_ON)) ||
                                         glushkov_lives(&r->units[number], r->task->state)))
        glushkov_near(r, number, pos);
}

/* ---- literals ------------------------------------------------------------------------ */

static void glushkov_sort(record *hits, u32 count)
{
    for (u32 i = 1; i < count; i++) {
        const record h = hits[i];
        u32 k = i;
        for (; k > 0 && hits[k - 1].pos > h.pos; k--)
            hits[k] = hits[k - 1];
        hits[k] = h;
    }
}

/* All literals that end in (begin, end], in order. Returns how many; more than GLUSHKOV_HITS: they
 * are not all there. */
static u64 glushkov_find(const glushkov_run *r, u32 begin, u32 end, record *hits)
{
    const glushkov_tables *t = r->t;
    const u32 reach = t->longest - 1;
    u64 state[GLUSHKOV_STATE] = { 0 }, count = 0;
    const sink out = { &count, hits, GLUSHKOV_HITS };
    text_task task = { .tables = r->task->tables + t->filter,
                       .text = r->task->text,
                       .low = r->from,
                       .from = begin - r->from > reach ? begin - reach : r->from,
                       .begin = begin,
                       .end = end,
                       .state = state,
                       .whole = true,
                       .allowance = WALK_NEVER,
                       .out = &out };
    VEC_NAME(walks)[t->kind]->text(&task);
    return count;
}

static void glushkov_hits(glushkov_run *r)
{
    record hits[GLUSHKOV_HITS];
    const glushkov_tables *t = r->t;
    const u32 *heads = r->task->tables + t->heads, *members = r->task->tables + t->members;
    const u32 end = r->task->end;
    u32 chunk = GLUSHKOV_CHUNK;
    for (u32 at = r->from; at < end;) {
        const u32 upto = end - at > chunk ? at + chunk : end;
        const u64 count = glushkov_find(r, at, upto, hits);
        if (count > GLUSHKOV_HITS) {
            chunk = chunk / 4 > GLUSHKOV_LEAST ? chunk / 4 : GLUSHKOV_LEAST;
            continue;
        }
        glushkov_sort(hits, (u32)count);
        for (u32 i = 0; i < count; i++)
            for (u32 k = heads[hits[i].index]; k < heads[hits[i].index + 1]; k++)
                glushkov_wake(r, members[k], hits[i].pos);
        r->task->candidates += count;
        if (count < GLUSHKOV_HITS / 8 && chunk < GLUSHKOV_CHUNK)
            chunk *= 2;
        at = upto;
    }
}

/* ---- the whole ------------------------------------------------------------------------- */

/* Units [r->first, r->first + r->count). */
static void glushkov_pass(glushkov_run *r)
{
    text_task *task = r->task;
    const u32 end = task->end;
    memset(r->clock, 0xff, r->count * sizeof *r->clock);
    r->touched_count = 0;
    for (u32 i = r->first; i < r->first + r->count; i++)
        if ((!task->whole && glushkov_lives(&r->units[i], task->state)) ||
            (task->opens && r->units[i].opens))
            glushkov_go(r, i, r->from, 0, true); /* its clock begins */
    if (r->first + r->count > r->t->awake && r->t->literals && (r->fresh || r->t->quiet_count))
        glushkov_hits(r);
    for (u32 i = r->first; r->fresh && !task->whole && i < r->first + r->count; i++)
        glushkov_near(r, i, end);
    for (u32 i = 0; i < r->touched_count; i++) {
        if (!r->fresh && !task->whole && r->touched[i] >= r->t->awake)
            glushkov_near(r, r->touched[i], end);
        else
            glushkov_go(r, r->touched[i], end, 0, true);
    }
}

/* Units that do not sleep, chunk by chunk. */
static void glushkov_awake(glushkov_run *r)
{
    const u32 end = r->task->end;
    for (u32 at = r->from; at < end;) {
        const u32 upto = end - at > GLUSHKOV_CHUNK ? at + GLUSHKOV_CHUNK : end;
        for (u32 i = 0; i < r->t->awake; i++) {
            const glushkov_unit *u = &r->units[i];
            u64 *state = r->task->state + u->word;
            if (u->pack)
                glushkov_pack(r, u, state, at, upto);
            else if (u->words == 1)
                glushkov_one(r, u, state, at, upto, UINT64_MAX, false);
            else
                glushkov_many(r, u, state, at, upto, UINT64_MAX, false);
        }
        at = upto;
    }
}

/* The text begins: what may begin there alone is put into the states. */
static void glushkov_open(const glushkov_run *r)
{
    for (u32 i = 0; i < r->t->unit_count; i++) {
        const glushkov_unit *u = &r->units[i];
        const glushkov_word *words = (const glushkov_word *)(r->task->tables + u->masks);
        for (u32 w = 0; u->opens && w < u->words; w++)
            r->task->state[u->word + w] |= words[w].opens;
    }
}

static u32 glushkov_walk(text_task *task)
{
    u32 clock[GLUSHKOV_UNITS], touched[GLUSHKOV_UNITS];
    const glushkov_tables *t = (const glushkov_tables *)task->tables;
    glushkov_run r = { .task = task,
                       .t = t,
                       .units = (const glushkov_unit *)(task->tables + t->units),
                       .from = task->from,
                       .clock = clock,
                       .touched = touched,
                       .fresh = task->news ? 0 : UINT64_MAX };
    if (task->opens) {
        glushkov_open(&r);
        r.from++;
    }
    if (r.from >= task->end)
        return task->end;
    const u32 begun = task->news ? 0 : t->awake; /* units that do not sleep carry news, too */
    if (!task->news)
        glushkov_awake(&r);
    for (r.first = begun; r.first < t->unit_count; r.first += r.count) {
        memset(r.quiets, 0, sizeof r.quiets);
        r.count =
            t->unit_count - r.first < GLUSHKOV_UNITS ? t->unit_count - r.first : GLUSHKOV_UNITS;
        glushkov_pass(&r);
    }
    return task->end;
}

const walk VEC_NAME(walk_glushkov) = { .text = glushkov_walk, .flows = true };
