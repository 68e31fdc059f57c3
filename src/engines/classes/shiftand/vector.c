/* vector.c: extended SHIFT-AND for patterns with classes and repeats.
 *
 * Idea: bit j of the state S says that the text just read ends a match of the pattern's
 * first j + 1 positions. One byte moves all bits at once: shift, and with the positions
 * that take the byte (Ch), or with those that may take it again (Rep). Runs of optional
 * positions are crossed by one subtraction: within a run, the lowest set bit lends to all
 * bits above it (Ebeg, Eend and Eblk delimit the runs).
 *
 * Many patterns share a word; a pattern of more than 64 positions has a chain of words,
 * through which shift and subtraction carry (`link` says which words continue a chain).
 *
 * Invariant: after text[i], S holds exactly the positions that are reachable by some match
 * begun at or after the slice's first byte (or carried in), closed under skipping.
 *
 * Texts that are long enough are searched by bit streams, if the set is not too large:
 * streams_vector.c.
 *
 * Cost: O(n * words).
 * Source: Navarro and Raffinot 2001 (extended Shift-And).
 */
#include "engines/classes/shiftand/layout.h"
#include "engines/classes/shiftand/streams_layout.h"

#include "engines/classes/shiftand/streams_vector.h"
#include "engines/shared/vec.h"

enum {
    STEPS_A_BYTE = 2, /* this many steps of streams take as long as a byte by words */
    ROWS_A_WORD = 8,  /* without vectors: this many rows take as long as a word, */
    MIN_WINDOWS = 512 /* bytes that windows are looked for in */
};

/* ---- one word to four --------------------------------------------------------- */

/* Up to SHIFTAND_FEW independent words in registers; their number and `features` are constants at
 * each call, so no loop over words is left. The step that waits for the last state is kept apart
 * from what is known before, for it sets the pace. */
WALK_INTO void shiftand_few(const text_task *task, u32 words, u32 features)
{
    const u32 *tables = task->tables;
    const u8 *text = task->text;
    const u32 begin = task->begin, end = task->end;
    const shiftand_tables *t = (const shiftand_tables *)tables;
    const u8 *map = (const u8 *)(tables + t->map);
    const u64 *move = (const u64 *)(tables + t->move);
    const u64 *repeat = (const u64 *)(tables + t->repeat);
    const sink out = *task->out;
    u64 s[SHIFTAND_FEW], init[SHIFTAND_FEW], last[SHIFTAND_FEW], ebeg[SHIFTAND_FEW],
        eend[SHIFTAND_FEW], eblk[SHIFTAND_FEW];
    for (u32 w = 0; w < words; w++) {
        s[w] = task->state[w];
        init[w] = task->news ? 0 : ((const u64 *)(tables + t->init))[w];
        last[w] = ((const u64 *)(tables + t->last))[w];
        ebeg[w] = ((const u64 *)(tables + t->ebeg))[w];
        eend[w] = ((const u64 *)(tables + t->eend))[w];
        eblk[w] = ((const u64 *)(tables + t->eblk))[w];
    }
    for (u32 i = task->from; i < end; i++) {
        const size_t c = (size_t)map[text[i]] * words;
        u64 hits = 0;
        for (u32 w = 0; w < words; w++) {
            const u64 step = (s[w] << 1) & move[c + w];
            u64 stay = init[w] & move[c + w];
            if (features & SHIFTAND_REPEATS)
                stay |= s[w] & repeat[c + w];
            u64 moved = step | stay;
            if (features & SHIFTAND_SKIPS) {
                const u64 z = step | (stay | eend[w]);
                moved |= eblk[w] & ~((z - ebeg[w]) ^ z);
            }
            s[w] = moved;
            hits |= s[w] & last[w];
        }
        if (PORT_LIKELY(!hits) || i < begin)
            continue;
        for (u32 w = 0; w < words; w++)
            shiftand_report(tables + t->owner + (size_t)w * 64, s[w] & last[w], i + 1, &out);
    }
    for (u32 w = 0; w < words; w++)
        task->state[w] = s[w];
}

/* `words`, a constant, with the features that the tables have. */
WALK_INTO void shiftand_few_of(const text_task *task, u32 words)
{
    const shiftand_tables *t = (const shiftand_tables *)task->tables;
    if (t->features == 0)
        shiftand_few(task, words, 0);
    else if (t->features == SHIFTAND_SKIPS)
        shiftand_few(task, words, SHIFTAND_SKIPS);
    else if (t->features == SHIFTAND_REPEATS && words == 1)
        shiftand_few(task, words, SHIFTAND_REPEATS);
    else
        shiftand_few(task, words, SHIFTAND_SKIPS | SHIFTAND_REPEATS);
}

#define FEW(words)                                                                                 \
    static void few_##words(const text_task *task)                                                 \
    {                                                                                              \
        shiftand_few_of(task, words);                                                              \
    }
FEW(1)
FEW(2)
FEW(3)
FEW(4)

/* ---- any number of words --------------------------------------------------------- */

/* The independent words for one byte; returns whether any pattern ends here. `fresh` is a constant
 * at each call: 0 when no match begins, else all ones. */
static inline int shiftand_packed(const u32 *tables, u32 c, u64 *state, u64 fresh)
{
    const shiftand_tables *t = (const shiftand_tables *)tables;
    const u64 *init = (const u64 *)(tables + t->init);
    const u64 *last = (const u64 *)(tables + t->last);
    const u64 *ebeg = (const u64 *)(tables + t->ebeg);
    const u64 *eend = (const u64 *)(tables + t->eend);
    const u64 *eblk = (const u64 *)(tables + t->eblk);
    const u64 *move = (const u64 *)(tables + t->move) + (size_t)c * t->words;
    const u64 *repeat = (const u64 *)(tables + t->repeat) + (size_t)c * t->words;
    const u32 packed = t->packed;
    u64 hits = 0;
    for (u32 w = 0; w < packed; w++) {
        u64 s = state[w];
        s = (((s << 1) | (init[w] & fresh)) & move[w]) | (s & repeat[w]);
        s = shiftand_close(s, ebeg[w], eend[w], eblk[w]);
        state[w] = s;
        hits |= s & last[w];
    }
    return hits != 0;
}

/* The chains for one byte: the shift carries and the subtraction borrows along a chain. */
static inline int shiftand_chains(const u32 *tables, u32 c, u64 *state, u64 fresh)
{
    const shiftand_tables *t = (const shiftand_tables *)tables;
    const u64 *init = (const u64 *)(tables + t->init);
    const u64 *last = (const u64 *)(tables + t->last);
    const u64 *link = (const u64 *)(tables + t->link);
    const u64 *ebeg = (const u64 *)(tables + t->ebeg);
    const u64 *eend = (const u64 *)(tables + t->eend);
    const u64 *eblk = (const u64 *)(tables + t->eblk);
    const u64 *move = (const u64 *)(tables + t->move) + (size_t)c * t->words;
    const u64 *repeat = (const u64 *)(tables + t->repeat) + (size_t)c * t->words;
    const u32 words = t->words;
    u64 hits = 0, carry = 0, borrow = 0;
    for (u32 w = t->packed; w < words; w++) {
        u64 old = state[w];
        u64 moved =
            (((old << 1) | (carry & link[w]) | (init[w] & fresh)) & move[w]) | (old & repeat[w]);
        u64 z = moved | eend[w];
        u64 less = z - ebeg[w];
        u64 lent = less - (borrow & link[w]);
        borrow = (u64)((z < ebeg[w]) | (less < (borrow & link[w])));
        carry = old >> 63;
        state[w] = moved | (eblk[w] & ~(lent ^ z));
        hits |= state[w] & last[w];
    }
    return hits != 0;
}

static inline void shiftand_words(const text_task *task, u64 fresh)
{
    const u32 *tables = task->tables;
    const shiftand_tables *t = (const shiftand_tables *)tables;
    const u8 *map = (const u8 *)(tables + t->map);
    const u64 *last = (const u64 *)(tables + t->last);
    u64 *state = task->state;
    for (u32 i = task->from; i < task->end; i++) {
        u32 c = map[task->text[i]];
        int hit = shiftand_packed(tables, c, state, fresh);
        hit |= shiftand_chains(tables, c, state, fresh);
        if (PORT_LIKELY(!hit) || i < task->begin)
            continue;
        for (u32 w = 0; w < t->words; w++)
            shiftand_report(tables + t->owner + (size_t)w * 64, state[w] & last[w], i + 1,
                            task->out);
    }
}

/* Whether streams are faster than words; *brief: those of short texts. */
static bool streamed(const text_task *task, bool *brief)
{
    const shiftand_tables *a = (const shiftand_tables *)task->tables;
    const bitstreams_tables *t = (const bitstreams_tables *)(task->tables + a->streams);
    const u32 length = task->end - task->from;
    *brief = length <= BITSTREAMS_SHORT;
    if (!a->streams || task->news ||
        (*brief && (!task->whole || length * STEPS_A_BYTE < t->step_count)))
        return false;
#if defined(VEC_PORTABLE)
    return (t->window_count && length >= MIN_WINDOWS) ||
           t->fit_count + t->test_count <= ROWS_A_WORD * a->words;
#else
    return true;
#endif
}

static u32 shiftand_walk(text_task *task)
{
    static void (*const few[SHIFTAND_FEW + 1])(const text_task *) = { NULL, few_1, few_2, few_3,
                                                                      few_4 };
    const shiftand_tables *t = (const shiftand_tables *)task->tables;
    bool brief;
    if (streamed(task, &brief))
        brief ? VEC_NAME(bitstreams_short)(task) : VEC_NAME(bitstreams_walk)(task);
    else if (t->packed == t->words && t->words <= SHIFTAND_FEW)
        few[t->words](task);
    else if (task->news)
        shiftand_words(task, 0);
    else
        shiftand_words(task, UINT64_MAX);
    return task->end;
}

const walk VEC_NAME(walk_shiftand) = { .text = shiftand_walk, .flows = true };
