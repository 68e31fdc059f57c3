/* streams_vector.c: SHIFT-AND over 512 bytes of text at once.
 *
 * Idea: shiftand has a bit for each position and takes one byte after the other. Here each position
 * has a stream of bits, one for each byte of the text: bit i of it is that position's bit of
 * shiftand's state after byte i. A step of the automaton becomes one of 512 bits: a position's
 * stream is that of the position before it, moved up by one and ANDed with the row of its class;
 * where the position may be left out, the stream before it is ORed in. A position that repeats
 * spreads through the run of bytes that it takes by one addition, whose carries go through a run of
 * ones. So no branch depends on what the text holds, but for matches.
 *
 * A gap, many positions of any byte, is one step: the stream after it is the union of the stream
 * before it moved up by each number of bytes that the gap may take; it is made by doubling parts.
 * Its state is the past of that stream.
 *
 * A whole text of a few words of bits has its streams in registers, without state, chunks or
 * windows.
 *
 * A row is made by comparing 64 bytes at a time, or by looking up their lower and upper four bits.
 *
 * If a pattern has neighbouring positions that are rare in the text (a window), only their rows are
 * made and joined, until a window ends somewhere. From the earliest place where its match may begin
 * the streams then run, until no position after a window holds. If windows lie close together, they
 * are not looked for for a while, each time twice as long.
 *
 * Invariant: before a chunk at `at` is run, `held` has the streams up to there, of all matches that
 * may end after it; all ends up to `reported` have been reported.
 *
 * Cost: O(n * positions / 512), whatever the text holds.
 *
 * Source: Cameron et al. 2014 (bitwise data parallelism in regular expression matching, icgrep):
 * streams, and repeats by addition; Mula: sets of bytes by two lookups; Navarro and Raffinot 2001.
 */
#include "engines/classes/shiftand/streams_vector.h"
#include "engines/classes/shiftand/layout.h"
#include "engines/classes/shiftand/streams_layout.h"
#include "engines/shared/vec.h"

enum {
    CHUNK = 2048, /* bytes that are run at once, if the text has as many */
    BLOCK = 512,  /* a vector of bits */
    WORDS = BLOCK / 64,
    PAST = 2 * WORDS,
    AHEAD = 4096,  /* bytes that are asked for before they are read */
    FEW_NEAR = 2,  /* windows, each within a chunk of the last: after more none is looked for */
    MAX_NEAR = 8, /* for CHUNK * 2^near bytes */
    FOUND = 16     /* patterns whose matches of a chunk are put in order */
};

/* What rows are made by. */
typedef struct maker {
    const bitstreams_fit *fits;
    const bitstreams_test *tests;
    const u8 *tables;
} maker;

typedef struct streams {
    _Alignas(64) u64 rows[BITSTREAMS_ROWS][CHUNK / 64];
    u64 held[BITSTREAMS_STEPS][WORDS]; /* of each step, in the block before */
    u32 live[BITSTREAMS_GAPS];         /* from which word of its past on a gap is after a window */
    u64 past[BITSTREAMS_GAPS][PAST];   /* of each gap, the stream before it, so far back */
    const text_task *task;
    const bitstreams_tables *t;
    const bitstreams_step *steps;
    maker maker;
    const bitstreams_window *windows;
    u32 reported; /* where all ends up to here have been */
} streams;

/* ---- rows ------------------------------------------------------------------------ */

static maker maker_of(const u32 *tables, const bitstreams_tables *t)
{
    return (maker){ (const bitstreams_fit *)(tables + t->fits),
                    (const bitstreams_test *)(tables + t->tests),
                    (const u8 *)(tables + t->tables) };
}

/* How many of the first fits, tables and tests make the rows that are asked for. */
typedef struct making {
    u32 fits, tables, tests;
} making;

/* Make rows of `vectors` vectors at p, a constant; rows are `per_row` words apart, and the words of
 * a row `per_word`. */
WALK_INTO void rows_of(const maker *s, const u8 *p, u32 vectors, u64 *rows, u32 per_row,
                       u32 per_word, making m)
{
    const bitstreams_test *test = s->tests, *const stop = test + m.tests;
    vec in[BLOCK / VEC_BYTES];
    for (u32 i = 0; i < m.fits; i++) {
        u64 *row = rows + (size_t)s->fits[i].row * per_row;
        const vec fold = vec_all((u8)s->fits[i].fold), value = vec_all((u8)s->fits[i].value);
        for (u32 k = 0; k < vectors; k++)
            row[k * per_word] = vec_eq(vec_or(vec_load(p + VEC_BYTES * k), fold), value);
    }
    for (u32 i = 0; i < m.tables; i++) {
        const vec_table16 low = vec_table16_load(s->tables + 32 * i),
                          high = vec_table16_load(s->tables + 32 * i + 16);
        for (u32 k = 0; k < vectors; k++) {
            const vec bytes = vec_load(p + VEC_BYTES * k);
            in[k] = vec_and(vec_lookup16(low, vec_low(bytes)), vec_lookup16(high, vec_high(bytes)));
        }
        for (; test < stop && test->table == i; test++) {
            u64 *row = rows + (size_t)test->row * per_row;
            const vec rectangles = vec_all((u8)test->rectangles);
            if (PORT_LIKELY(!test->more))
                for (u32 k = 0; k < vectors; k++)
                    row[k * per_word] = vec_nonzero(vec_and(in[k], rectangles));
            else
                for (u32 k = 0; k < vectors; k++)
                    row[k * per_word] |= vec_nonzero(vec_and(in[k], rectangles));
        }
    }
}

/* The same of the block at text[at], after whose end are zeros. */
WALK_INTO void make_rows(streams *s, u32 at, u32 word, making m)
{
    const u8 *text = s->task->text;
    const u32 left = s->task->end - at;
    if (PORT_LIKELY(left >= BLOCK)) {
        if (left >= BLOCK + AHEAD)
            for (u32 k = 0; k < BLOCK; k += VEC_BYTES)
                VEC_PREFETCH(text + at + AHEAD + k);
        rows_of(&s->maker, text + at, BLOCK / VEC_BYTES, s->rows[0] + word, CHUNK / 64, 1, m);
    } else {
        u8 bytes[BLOCK] = { 0 };
        memcpy(bytes, text + at, left);
        rows_of(&s->maker, bytes, BLOCK / VEC_BYTES, s->rows[0] + word, CHUNK / 64, 1, m);
    }
}

/* ---- matches ----------------------------------------------------------------------- */

/* Where patterns end in a chunk. */
typedef struct found {
    u32 count;
    u32 pattern[FOUND];
    u64 bits[FOUND][CHUNK / 64];
} found;

/* Where several patterns end in word w, and there is room: first which record each place begins
 * with, then the patterns, each by itself, so no branch depends on which of them ends where.
 * `once`, a constant: no two do so at one place. */
WALK_INTO void place_word(record *to, const found *f, u32 w, u32 pos, u64 all, bool once)
{
    u16 next[64];
    u8 count[64] = { 0 };
    for (u32 i = 0; i < f->count && !once; i++)
        for (u64 bits = f->bits[i][w]; bits; bits &= bits - 1)
            count[PORT_CTZ64(bits)]++;
    for (u32 at = 0; all; all &= all - 1) {
        const u32 place = PORT_CTZ64(all);
        next[place] = (u16)at;
        if (once)
            to[at].pos = pos + place;
        at += once ? 1 : count[place];
    }
    for (u32 i = 0; i < f->count; i++)
        for (u64 bits = f->bits[i][w]; bits; bits &= bits - 1) {
            const u32 place = PORT_CTZ64(bits);
            record *one = to + next[place]++;
            one->index = f->pattern[i];
            if (!once)
                one->pos = pos + place;
        }
}

static void report_word(const sink *out, const found *f, u32 w, u32 pos, u64 all)
{
    const u64 slot = *out->cursor;
    u64 count = 0;
    for (u32 i = 0; i < f->count; i++)
        count += VEC_COUNT(f->bits[i][w]);
    if (slot >= out->capacity)
        *out->cursor = slot + count;
    else if (count > out->capacity - slot)
        for (; all; all &= all - 1)
            for (u32 i = 0; i < f->count; i++) {
                if (f->bits[i][w] >> PORT_CTZ64(all) & 1)
                    sink_put(out, pos + PORT_CTZ64(all), f->pattern[i]);
            }
    else {
        *out->cursor = slot + count;
        if (count == VEC_COUNT(all))
            place_word(out->records + slot, f, w, pos, all, true);
        else
            place_word(out->records + slot, f, w, pos, all, false);
    }
}

/* Byte `at` is bit 0. Only ends after `reported` and up to `end` count. */
WALK_APART void report(const sink *out, found *f, u32 at, u32 reported, u32 end)
{
    const u32 first = reported > at ? reported - at : 0;
    for (u32 w = first / 64; at + 64 * w < end; w++) {
        const u64 counts =
            vec_mask(end - at - 64 * w) & ~(w == first / 64 ? vec_mask(first % 64) : 0);
        u64 all = 0;
        u32 one = 0, several = 0; /* patterns */
        for (u32 i = 0; i < f->count; i++) {
            f->bits[i][w] &= counts;
            all |= f->bits[i][w];
            one = f->bits[i][w] ? i : one;
            several += f->bits[i][w] != 0;
        }
        if (several > 1)
            report_word(out, f, w, at + 64 * w + 1, all);
        else if (several)
            vec_report(out, at + 64 * w + 1, all, f->pattern[one]);
    }
    f->count = 0;
}

/* ---- steps -------------------------------------------------------------------------- */

/* Bytes `from` with those that stay in the runs of `class`; *carry: one ends, or goes on, at the
 * border. */
WALK_INTO vec spread(vec from, vec class, u32 *carry)
{
    const vec sum = vec_sum(class, from, carry);
    return vec_and(vec_or(vec_xor(sum, class), from), class);
}

/* Moved up by n < BLOCK bits, from the second block on; `keep`, a constant: ORed in. */
WALK_INTO void move_up(u64 *restrict to, const u64 *restrict from, u32 count, u32 n, bool keep)
{
    const u32 words = n / 64, bits = n % 64;
    for (u32 w = WORDS; w < count; w++) {
        const u64 moved = from[w - words] << bits | from[w - words - 1] >> 1 >> (63 - bits);
        to[w] = keep ? from[w] | moved : moved;
    }
}

/* A gap: `words` of the stream before it become those of its last position. A match may have passed
 * over least to most bytes, so they are the union of most - least + 1 streams that are moved up;
 * each turn unites twice as many. `past`: what was before these words, which is moved on; NULL:
 * nothing. */
WALK_APART void cross_gap(const bitstreams_step *gap, u64 *past, u64 *stream, u32 words)
{
    u64 rooms[2][PAST + CHUNK / 64], *now = rooms[0], *next = rooms[1];
    const u32 count = PAST + words, wanted = gap->most - gap->least + 1u;
    memset(next, 0, WORDS * sizeof *next);
    memset(now, 0, PAST * sizeof *now);
    if (past)
        memcpy(now, past, PAST * sizeof *now);
    memcpy(now + PAST, stream, words * sizeof *now);
    if (past)
        memcpy(past, now + words, PAST * sizeof *now);
    for (u32 have = 1; have < wanted;) {
        const u32 more = have < wanted - have ? have : wanted - have;
        u64 *old = now;
        move_up(next, now, count, more, true);
        now = next;
        next = old;
        have += more;
    }
    move_up(next, now, count, gap->least, false);
    memcpy(stream, next + PAST, words * sizeof *stream);
}

/* Take all steps in `blocks` blocks, a constant, whose first byte is `at`, and whose rows are the
 * first ones. What is known of all blocks before a step is what the next step waits for. */
WALK_INTO void run_blocks(streams *s, u32 at, u32 end, u32 blocks)
{
    const bitstreams_step *step = s->steps, *const stop = step + s->t->step_count;
    vec before[CHUNK / BLOCK], moved[CHUNK / BLOCK];
    u32 gaps = 0;
    found f;
    f.count = 0;
    for (u32 b = 0; b < blocks; b++)
        before[b] = moved[b] = vec_all(0);
    for (u64 *held = s->held[0]; step < stop; held += WORDS, step++) {
        const u64 *row = s->rows[step->row];
        vec old = vec_load64(held), now[CHUNK / BLOCK], any = vec_all(0);
        u32 carry = (u32)(held[WORDS - 1] >> 63);
        if (step->kind & BITSTREAMS_GAP) {
            u64 stream[CHUNK / 64];
            for (u32 b = 0; b < blocks; b++)
                vec_store64(stream + WORDS * b, before[b]);
            cross_gap(step, s->past[gaps++], stream, blocks * WORDS);
            for (u32 b = 0; b < blocks; b++)
                now[b] = vec_load64(stream + WORDS * b);
        } else if (step->kind & BITSTREAMS_FIRST)
            for (u32 b = 0; b < blocks; b++)
                now[b] = vec_load64(row + WORDS * b);
        else
            for (u32 b = 0; b < blocks; b++)
                now[b] = vec_and(moved[b], vec_load64(row + WORDS * b));
        if (step->kind & BITSTREAMS_STAY)
            for (u32 b = 0; b < blocks; b++)
                now[b] = spread(now[b], vec_load64(row + WORDS * b), &carry);
        if (step->kind & BITSTREAMS_SKIP)
            for (u32 b = 0; b < blocks; b++)
                now[b] = vec_or(now[b], before[b]);
        for (u32 b = 0; b < blocks; b++) {
            moved[b] = vec_up(now[b], old);
            before[b] = old = now[b];
            any = vec_or(any, now[b]);
        }
        vec_store64(held, old);
        if (step->last && vec_any(any)) {
            if (f.count == FOUND)
                report(s->task->out, &f, at, s->reported, end);
            f.pattern[f.count] = step->pattern;
            for (u32 b = 0; b < blocks; b++)
                vec_store64(f.bits[f.count] + WORDS * b, now[b]);
            f.count++;
        }
    }
    if (f.count)
        report(s->task->out, &f, at, s->reported, end);
}

WALK_INTO u32 run_chunk(streams *s, u32 at, u32 blocks)
{
    const u32 end = s->task->end - at < blocks * BLOCK ? s->task->end : at + blocks * BLOCK;
    const making all = { s->t->fit_count, s->t->table_count, s->t->test_count };
    for (u32 b = 0; b < blocks; b++)
        make_rows(s, at + b * BLOCK, b * WORDS, all);
    run_blocks(s, at, end, blocks);
    s->reported = s->reported > end ? s->reported : end;
    return end;
}

/* Both return where they ended: run_one at the end of the text when less than a block is left. */
WALK_APART u32 run_one(streams *s, u32 at)
{
    return run_chunk(s, at, 1);
}

WALK_APART u32 run_all(streams *s, u32 at)
{
    return run_chunk(s, at, CHUNK / BLOCK);
}

/* ---- windows --------------------------------------------------------------------------- */

/* Whether something after a window holds, at the end of a whole block. */
static bool alive(const streams *s)
{
    u64 any = 0;
    for (u32 i = 0; i < s->t->window_count; i++)
        for (u32 k = s->windows[i].live; k < s->windows[i].stop; k++)
            any |= s->held[k][WORDS - 1] >> 63;
    for (u32 i = 0; i < s->t->gap_count; i++)
        for (u32 w = s->live[i]; w < PAST; w++)
            any |= s->past[i][w];
    return any != 0;
}

/* Where windows end in `blocks` blocks: the first such byte from `from` on; the end: nowhere. The
 * rows of consecutive blocks are made before they are joined. */
WALK_INTO u32 seek_in(streams *s, u32 at, u32 from, u32 blocks,
                      vec held[BITSTREAMS_WINDOWS][BITSTREAMS_WINDOW])
{
    const u32 end = s->task->end;
    const making some = { s->t->seek_fits, s->t->seek_tables, s->t->seek_tests };
    vec any[CHUNK / BLOCK], all = vec_all(0);
    u64 bits[WORDS];
    for (u32 b = 0; b < blocks; b++) {
        any[b] = vec_all(0);
        if (at + b * BLOCK < end)
            make_rows(s, at + b * BLOCK, b * WORDS, some);
    }
    for (u32 i = 0; i < s->t->window_count; i++) {
        const bitstreams_step *step = s->steps + s->windows[i].first;
        const u32 count = s->windows[i].count;
        vec now[CHUNK / BLOCK];
        for (u32 b = 0; b < blocks; b++)
            now[b] = vec_load64(s->rows[step->row] + WORDS * b);
        for (u32 k = 1; k < count; k++) {
            vec old = held[i][k];
            held[i][k] = now[blocks - 1];
            for (u32 b = 0; b < blocks; b++) {
                const vec moved = vec_up(now[b], old);
                old = now[b];
                now[b] = vec_and(moved, vec_load64(s->rows[step[k].row] + WORDS * b));
            }
        }
        for (u32 b = 0; b < blocks; b++)
            any[b] = vec_or(any[b], now[b]);
    }
    for (u32 b = 0; b < blocks; b++)
        all = vec_or(all, any[b]);
    if (PORT_LIKELY(!vec_any(all)))
        return end;
    for (u32 b = 0; b < blocks; b++) {
        vec_store64(bits, any[b]);
        for (u32 w = 0; w < WORDS; w++) {
            const u32 first = at + b * BLOCK + 64 * w;
            if (first < from)
                bits[w] &= ~vec_mask(from - first);
            if (bits[w])
                return first < end && PORT_CTZ64(bits[w]) < end - first
                           ? first + PORT_CTZ64(bits[w])
                           : end;
        }
    }
    return end;
}

WALK_APART u32 seek(streams *s, u32 from)
{
    enum { ALL = CHUNK / BLOCK };
    const u32 end = s->task->end;
    vec held[BITSTREAMS_WINDOWS][BITSTREAMS_WINDOW];
    for (u32 i = 0; i < s->t->window_count; i++)
        for (u32 k = 0; k < s->windows[i].count; k++)
            held[i][k] = vec_all(0);
    u32 at = from - VEC_BYTES; /* at least; lines of cache are read whole */
    at -= (u32)((uintptr_t)(s->task->text + at) % VEC_BYTES);
    u32 found = seek_in(s, at, from, 1, held);
    for (at += BLOCK; at < end && found == end; at += CHUNK)
        found = seek_in(s, at, from, ALL, held);
    return found;
}

/* ---- the walk --------------------------------------------------------------------------- */

static u64 bit_at(const u64 *words, u32 bit)
{
    return words[bit / 64] >> (bit % 64) & 1;
}

static void set_bit(u64 *words, u32 bit, u64 value)
{
    words[bit / 64] |= value << (bit % 64);
}

/* A past that is as good as the true one: only the last match that passed the places that may be
 * left out counts, since it may go as far as those before it. */
static void take_gap(u64 *past, const u64 *state, const bitstreams_step *gap)
{
    u64 before = bit_at(state, gap->bit - 1);
    set_bit(past, 64 * PAST - 1, before);
    for (u32 k = 1; k <= gap->most; k++) {
        const u64 bit = bit_at(state, gap->bit + k - 1);
        set_bit(past, 64 * PAST - 1 - k, k <= gap->least ? bit : bit & ~before);
        before = bit;
    }
}

/* `last`: the bit of the last byte in past. */
static void leave_gap(const u64 *past, u32 last, u64 *state, const bitstreams_step *gap)
{
    u64 bit = bit_at(past, last);
    for (u32 k = 1; k <= gap->most; k++) {
        bit = bit_at(past, last - k) | (k <= gap->least ? 0 : bit);
        set_bit(state, gap->bit + k - 1, bit);
    }
}

static void clear_state(streams *s)
{
    memset(s->held, 0, s->t->step_count * sizeof *s->held);
    memset(s->past, 0, s->t->gap_count * sizeof *s->past);
}

static bool behind_window(const streams *s, u32 step)
{
    for (u32 i = 0; i < s->t->window_count; i++)
        if (s->windows[i].live <= step && step < s->windows[i].stop)
            return true;
    return false;
}

static void take_state(streams *s)
{
    clear_state(s);
    for (u32 i = 0, gaps = 0; i < s->t->step_count; i++) {
        const bitstreams_step *step = &s->steps[i];
        const bool gap = step->kind & BITSTREAMS_GAP;
        const u32 bit = gap ? step->bit + step->most - 1u : step->bit;
        s->held[i][WORDS - 1] = bit_at(s->task->state, bit) << 63;
        if (!gap)
            continue;
        s->live[gaps] = behind_window(s, i) ? PAST - 1 - step->most / 64 : PAST;
        take_gap(s->past[gaps++], s->task->state, step);
    }
}

/* `last`: the bit of the last byte, in the last block. */
static void leave_state(const streams *s, u32 last)
{
    const shiftand_tables *a = (const shiftand_tables *)s->task->tables;
    u64 *state = s->task->state;
    memset(state, 0, a->words * sizeof(u64));
    for (u32 i = 0, gaps = 0; i < s->t->step_count; i++)
        if (s->steps[i].kind & BITSTREAMS_GAP)
            leave_gap(s->past[gaps++], 64 * (PAST - WORDS) + last, state, &s->steps[i]);
        else
            set_bit(state, s->steps[i].bit, bit_at(s->held[i], last));
}

void VEC_NAME(bitstreams_walk)(const text_task *task)
{
    const u32 *tables = task->tables;
    const bitstreams_tables *t =
        (const bitstreams_tables *)(tables + ((const shiftand_tables *)tables)->streams);
    streams s;
    s.task = task;
    s.t = t;
    s.steps = (const bitstreams_step *)(tables + t->steps);
    s.maker = maker_of(tables, t);
    s.windows = (const bitstreams_window *)(tables + t->windows);
    s.reported = task->begin;
    memset(s.rows[t->rows - 1], 0xff, sizeof s.rows[0]);
    take_state(&s);
    u32 begun = task->from; /* where the last chunk began */
    u32 at = run_one(&s, begun), near = 0;
    u64 again = at; /* from where on windows are looked for */
    while (at < task->end) {
        bool all = true;
        if (t->window_count && at >= again && !alive(&s)) {
            const u32 ends = seek(&s, at);
            all = ends - at < CHUNK;
            near = !all ? 0 : near < MAX_NEAR ? near + 1 : near;
            again = near > FEW_NEAR ? ends + ((u64)CHUNK << near) : ends;
            if (ends - at >= t->back) {
                at = ends - t->back + 1;
                clear_state(&s);
                if (at == task->end) /* nothing goes on, and there is no byte to run */
                    break;
            }
        }
        begun = at;
        at = all && task->end - begun >= CHUNK ? run_all(&s, begun) : run_one(&s, begun);
    }
    leave_state(&s, (task->end - begun - 1) % BLOCK);
}

/* ---- short texts -------------------------------------------------------------------------- */

/* Make the streams of one pattern, whose steps begin at `step`; `now` becomes that of its last
 * position. Returns the step of that. Which branches are taken depends on the pattern alone. */
WALK_INTO const bitstreams_step *run_pattern(const bitstreams_step *step,
                                             u64 rows[][BITSTREAMS_ROWS], u32 words, u64 *now)
{
    for (u32 w = 0; w < words; w++)
        now[w] = rows[w][step->row];
    while (!step->last) {
        step++;
        const u32 kind = step->kind;
        u64 old[BITSTREAMS_SHORT / 64], high = 0, carry = 0;
        for (u32 w = 0; w < words; w++) {
            old[w] = now[w];
            now[w] = (old[w] << 1 | high) & rows[w][step->row];
            high = old[w] >> 63;
        }
        if (PORT_LIKELY(!kind))
            continue;
        if (kind & BITSTREAMS_GAP) {
            u64 stream[BITSTREAMS_SHORT / 64];
            for (u32 w = 0; w < words; w++)
                stream[w] = old[w];
            cross_gap(step, NULL, stream, words);
            for (u32 w = 0; w < words; w++)
                now[w] = stream[w];
            continue;
        }
        if (kind & BITSTREAMS_FIRST)
            for (u32 w = 0; w < words; w++)
                now[w] = rows[w][step->row];
        if (kind & BITSTREAMS_STAY)
            for (u32 w = 0; w < words; w++) {
                const u64 row = rows[w][step->row], sum = row + now[w], more = sum + carry;
                carry = (sum < row) | (more < sum);
                now[w] = ((more ^ row) | now[w]) & row;
            }
        if (kind & BITSTREAMS_SKIP)
            for (u32 w = 0; w < words; w++)
                now[w] |= old[w];
    }
    return step;
}

/* A whole text of up to 64 * words bytes, a constant; the streams are in registers. */
WALK_INTO void run_short(const text_task *task, u32 words)
{
    const u32 *tables = task->tables;
    const bitstreams_tables *t =
        (const bitstreams_tables *)(tables + ((const shiftand_tables *)tables)->streams);
    const maker maker = maker_of(tables, t);
    const bitstreams_step *step = (const bitstreams_step *)(tables + t->steps), *const stop =
                                                                                    step +
                                                                                    t->step_count;
    const u32 length = task->end - task->from;
    u64 rows[BITSTREAMS_SHORT / 64][BITSTREAMS_ROWS];
    _Alignas(64) u8 bytes[BITSTREAMS_SHORT];
    found f;
    f.count = 0;
    for (u32 w = 0; w < words; w++) {
        const u32 first = 64 * w, left = length > first ? length - first : 0;
        const u8 *from = task->text + task->from + first;
        vec_store(bytes + first, left >= VEC_BYTES ? vec_load(from) : vec_load_part(from, left));
        rows[w][t->rows - 1] = UINT64_MAX;
    }
    rows_of(&maker, bytes, words, rows[0], 1, BITSTREAMS_ROWS,
            (making){ t->fit_count, t->table_count, t->test_count });
    while (step < stop) {
        u64 now[BITSTREAMS_SHORT / 64], any = 0;
        const bitstreams_step *last = run_pattern(step, rows, words, now);
        for (u32 w = 0; w < words; w++)
            any |= now[w];
        if (any) {
            if (f.count == FOUND)
                report(task->out, &f, task->from, task->begin, task->end);
            f.pattern[f.count] = last->pattern;
            for (u32 w = 0; w < words; w++)
                f.bits[f.count][w] = now[w];
            f.count++;
        }
        step = last + 1;
    }
    if (f.count)
        report(task->out, &f, task->from, task->begin, task->end);
}

void VEC_NAME(bitstreams_short)(const text_task *task)
{
    const u32 length = task->end - task->from;
    if (length <= 64)
        run_short(task, 1);
    else if (length <= 128)
        run_short(task, 2);
    else if (length <= 192)
        run_short(task, 3);
    else
        run_short(task, 4);
}
