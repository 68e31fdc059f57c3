/* factors.c: patterns cut into pieces, found by rare factors and joined by distance.
 *
 * Idea: of each piece of a pattern (table/factors.h) the text is searched for one gram only, the
 * rarest. A bitmap, small enough for the first caches, lets nearly no other place pass. Where a
 * gram stands, the run of positions that holds it is compared, then what is before it, backwards,
 * and what is behind it, forwards: the places where such a part may begin or end are the bits of
 * one word, which a gap shifts and widens, and a run thins out. A jump of 180,000 bytes costs a
 * ring of as many bits, in which the piece before it noted its ends, and a look into it, not
 * 180,000 states. A jump over a set of bytes needs all of them between the two to be in the set:
 * how far back they are is kept, so that no byte is looked at twice.
 *
 * Where all that is met takes longer than the fallback would, the walk sets its end to the
 * last one that it may have reported, goes on to there, and gives up.
 *
 * Invariant: when the grams at a place are looked at, all pieces whose grams begin before it have
 * been found; so every end of an earlier piece that a jump may lead from is in its ring, for a
 * piece ends behind its gram. A ring holds the ends of the last `mask` + 1 places up to the largest
 * one that was put in.
 *
 * Cost: O(n) for the bitmap, and for every gram that is met its run, in the worst case its piece
 * times FACTORS_SLACK, and for a jump its length / 64. A text of nothing but the grams of all
 * patterns costs O(n * pieces), as bit-parallel search of them all would always.
 *
 * Source: Navarro and Raffinot 2002 (searching for factors, then verifying); the pieces with jumps
 * between them as in Rahman, Iliopoulos, Lee, Mohamed and Smyth 2006 (patterns with gaps).
 */
#include "table/factors.h"

#include <string.h>

#include "walk/walk.h"

enum { QUEUE = 128, PAUSE = 4096 };
enum { PLACE_WORK = 8, ENTRY_WORK = 4, ATOM_WORK = 4, END_WORK = 4 }; /* nanoseconds */

/* What all functions here work with. Places are relative to the window. */
typedef struct search {
    const text_task *task;
    const factors_tables *t;
    const u8 *text;
    u32 from, end;
    const u8 *bytes;
    const factors_atom *atoms;
    const factors_check *checks;
    const u32 *sets;
    u64 work; /* in nanoseconds, about */
} search;

static inline u64 load8(const u8 *p)
{
    u64 x;
    memcpy(&x, p, sizeof x);
    return x;
}

static inline bool set_has(const search *s, u32 set, u8 byte)
{
    return s->sets[(size_t)set * 8 + byte / 32] >> (byte % 32) & 1;
}

/* ---- runs ---------------------------------------------------------------------- */

/* Whether a run fits at a place. */
static inline bool run_fits(const search *s, const factors_atom *a, u64 at)
{
    const u32 length = a->length;
    if (at < s->from || at + length > s->end)
        return false;
    const u8 *text = s->text + at, *value = s->bytes + a->bytes, *mask = value + length;
    u32 i = 0;
    for (; i + 8 <= length; i += 8)
        if ((load8(text + i) & load8(mask + i)) != load8(value + i))
            return false;
    for (; i < length; i++)
        if ((text[i] & mask[i]) != value[i])
            return false;
    for (u32 k = 0; k < a->checks; k++) {
        const factors_check *c = &s->checks[a->check + k];
        if (!set_has(s, c->set, text[c->at]))
            return false;
    }
    return true;
}

/* ---- sets of places: bit i is base + i, or base - i -------------------------------------- */

/* Every bit also 1 .. more places higher. */
static inline u64 widen(u64 set, u32 more)
{
    for (u32 width = 1; more;) {
        const u32 by = width < more ? width : more;
        set |= set << by;
        more -= by;
        width += by;
    }
    return set;
}

/* For how many bytes from `at` on the text is in a set, up to `most`. */
static inline u32 stretch(const search *s, u32 set, u64 at, u32 most)
{
    u32 n = 0;
    if (at > s->end)
        return 0;
    most = most < s->end - at ? most : s->end - (u32)at;
    if (set == FACTORS_ANY)
        return most;
    while (n < most && set_has(s, set, s->text[at + n]))
        n++;
    return n;
}

/* The same before `at`. */
static inline u32 stretch_back(const search *s, u32 set, u64 at, u32 most)
{
    u32 n = 0;
    if (at < s->from)
        return 0;
    most = most < at - s->from ? most : (u32)(at - s->from);
    if (set == FACTORS_ANY)
        return most;
    while (n < most && set_has(s, set, s->text[at - n - 1]))
        n++;
    return n;
}

/* Where a match of the atoms [from, to) ends that begins at *base. */
static u64 go_forward(search *s, const factors_atom *from, const factors_atom *to, u64 *base)
{
    u64 set = 1;
    for (; from < to && set; from++) {
        u64 next = 0;
        s->work += ATOM_WORK;
        if (!from->length && from->set == FACTORS_ANY) {
            next = widen(set, from->high - from->low);
            *base += from->low;
        } else {
            for (u64 rest = set; rest; rest &= rest - 1, s->work += ATOM_WORK) {
                const u32 i = PORT_CTZ64(rest);
                if (from->length) {
                    next |= (u64)run_fits(s, from, *base + i) << i;
                    continue;
                }
                const u32 n = stretch(s, from->set, *base + i, from->high);
                if (n >= from->low)
                    next |= widen((u64)1 << i, n - from->low);
            }
            *base += from->length ? from->length : from->low;
        }
        set = next;
        if (*base > s->end)
            return 0;
        if (s->end - *base < FACTORS_SLACK)
            set &= ((u64)2 << (s->end - *base)) - 1;
    }
    return set;
}

/* Where a match of the atoms [from, to) begins that ends at *base; places below it. */
static u64 go_back(search *s, const factors_atom *from, const factors_atom *to, u64 *base)
{
    u64 set = 1;
    while (from < to-- && set) {
        const u32 least = to->length ? to->length : to->low;
        u64 next = 0;
        s->work += ATOM_WORK;
        if (*base < (u64)s->from + least)
            return 0;
        if (!to->length && to->set == FACTORS_ANY) {
            next = widen(set, to->high - to->low);
        } else {
            for (u64 rest = set; rest; rest &= rest - 1, s->work += ATOM_WORK) {
                const u32 i = PORT_CTZ64(rest);
                if (to->length) {
                    next |= (u64)(*base - i >= (u64)s->from + least &&
                                  run_fits(s, to, *base - i - least))
                            << i;
                    continue;
                }
                const u32 n = stretch_back(s, to->set, *base - i, to->high);
                if (n >= to->low)
                    next |= widen((u64)1 << i, n - to->low);
            }
        }
        *base -= least;
        set = next;
        if (*base - s->from < FACTORS_SLACK)
            set &= ((u64)2 << (*base - s->from)) - 1;
    }
    return set;
}

/* ---- rings ----------------------------------------------------------------------- */

/* word[0]: the place behind the largest one that is in, 0 when none is. word[1]: for a jump over a
 * set, bytes [low half, high half) are in it; for a tail, the ends that were reported last, first
 * and last. word[2]: for a tail over a set, as word[1] for a jump. Then the bits: bit place & mask.
 */
static inline u32 low_half(u64 x)
{
    return (u32)x;
}

static inline u32 high_half(u64 x)
{
    return (u32)(x >> 32);
}

static inline u64 halves(u32 low, u32 high)
{
    return (u64)high << 32 | low;
}

/* Clear the bits of places [from, to). */
static void ring_clear(u64 *bits, u32 mask, u64 from, u64 to)
{
    if (to - from > mask) {
        memset(bits, 0, ((size_t)mask + 1) / 8);
        return;
    }
    for (; from < to && from % 64; from++)
        bits[(from & mask) / 64] &= ~((u64)1 << (from % 64));
    for (; to - from >= 64; from += 64)
        bits[(from & mask) / 64] = 0;
    for (; from < to; from++)
        bits[(from & mask) / 64] &= ~((u64)1 << (from % 64));
}

/* Put a place in. False: it was. */
static bool ring_put(u64 *ring, u32 mask, u64 place)
{
    u64 *bits = ring + FACTORS_RING, *word = &bits[(place & mask) / 64];
    const u64 bit = (u64)1 << (place % 64);
    if (place >= ring[0]) {
        ring_clear(bits, mask, ring[0], place + 1);
        ring[0] = place + 1;
    }
    const bool fresh = !(*word & bit);
    *word |= bit;
    return fresh;
}

/* Whether some place of [low, high] is in. */
static bool ring_has(const u64 *ring, u32 mask, u64 low, u64 high)
{
    const u64 *bits = ring + FACTORS_RING;
    const u64 top = ring[0];
    if (top == 0 || top <= low)
        return false;
    if (top > (u64)mask + 1 && low < top - mask - 1)
        low = top - mask - 1;
    if (top - 1 <= high)
        return true;
    while (high >= low) {
        const u64 word = bits[(high & mask) / 64] << (63 - high % 64);
        const u64 first = high - high % 64;
        if (word)
            return high - low >= 63 || word >> (63 - (high - low));
        if (first == 0)
            return false;
        high = first - 1;
    }
    return false;
}

/* ---- joining ----------------------------------------------------------------------- */

/* How many bytes before `at` are in the set of a jump, up to `most`; *known as in a ring. */
static u32 known_back(search *s, u32 set, u64 *known, u32 at, u32 most)
{
    const u32 first = low_half(*known), last = high_half(*known);
    const u32 behind = at > last ? at - last : 0; /* bytes that may be news */
    u32 n;
    if (at < first || behind >= most) {
        n = stretch_back(s, set, at, most);
    } else {
        n = stretch_back(s, set, at, behind);
        if (n == behind) {
            const u32 sure = at - first < most ? at - first : most;
            n = sure + stretch_back(s, set, (u64)at - sure, most - sure);
        }
    }
    if (at >= last)
        *known = halves(at - n, at);
    return n;
}

/* Whether the piece before left an end that its jump leads from to `at`. */
static bool jump_leads(search *s, const factors_piece *p, u64 at)
{
    u64 *ring = s->task->state + p[-1].ring;
    u32 high = p->before.high;
    high = high < at - s->from ? high : (u32)(at - s->from);
    if (p->before.set != FACTORS_ANY)
        high = known_back(s, p->before.set, &ring[1], (u32)at, high);
    return high >= p->before.low && ring_has(ring, p[-1].mask, at - high, at - p->before.low);
}

/* ---- ends ---------------------------------------------------------------------------- */

static inline void report(search *s, const factors_piece *p, u64 end)
{
    if (end > s->task->begin && (!p->mask || ring_put(s->task->state + p->ring, p->mask, end)))
        sink_put(s->task->out, (u32)end, p->pattern);
}

/* All ends that the gap behind the last piece leads to from `at`, those aside that were just
 * reported. */
static void report_tail(search *s, const factors_piece *p, u32 at)
{
    u64 *ring = s->task->state + p->ring;
    const factors_jump *j = &p->behind;
    u32 n = j->high < s->end - at ? j->high : s->end - at;
    if (j->set != FACTORS_ANY) {
        const u32 first = low_half(ring[2]), last = high_half(ring[2]);
        u32 sure = at >= first && at <= last ? last - at : 0;
        if (sure < n)
            sure += stretch(s, j->set, (u64)at + sure, n - sure);
        ring[2] = halves(at, at + sure);
        n = sure < n ? sure : n;
    }
    if (n < j->low)
        return;
    const u32 low = at + j->low, high = at + n;
    const u32 first = low_half(ring[1]), last = high_half(ring[1]);
    const bool joins = low >= first && low <= last;
    if (!joins || high > last)
        ring[1] = halves(joins ? first : low, high);
    for (u32 end = joins ? last + 1 : low; end <= high; end++)
        report(s, p, end);
}

/* ---- pieces -------------------------------------------------------------------------- */

/* A gram of the piece stands at `at`. */
WALK_APART void piece_found(search *s, const factors_piece *p, u32 at)
{
    const factors_atom *first = s->atoms + p->atom, *anchor = first + p->anchor;
    if (at - s->from < p->offset || !run_fits(s, anchor, at - p->offset))
        return;
    if (!(p->flags & FACTORS_FIRST) && s->task->state[p[-1].ring] == 0)
        return;
    u64 base = at - p->offset;
    u64 set = go_back(s, first, anchor, &base);
    bool leads = set && p->flags & FACTORS_FIRST;
    for (; set && !leads; set &= set - 1, s->work += END_WORK)
        leads = jump_leads(s, p, base - PORT_CTZ64(set));
    if (!leads)
        return;
    base = (u64)at - p->offset + anchor->length;
    for (set = go_forward(s, anchor + 1, first + p->atoms, &base); set; set &= set - 1) {
        const u64 end = base + PORT_CTZ64(set);
        s->work += END_WORK;
        if (!(p->flags & FACTORS_LAST))
            ring_put(s->task->state + p->ring, p->mask, end);
        else if (p->flags & FACTORS_TAIL)
            report_tail(s, p, (u32)end);
        else
            report(s, p, end);
    }
}

/* All grams at a place. */
static u32 look_up(search *s, u32 gram, u32 at)
{
    const u32 *tables = s->task->tables;
    const factors_entry *entries = (const factors_entry *)(tables + s->t->entries);
    const factors_piece *pieces = (const factors_piece *)(tables + s->t->pieces);
    u32 found = 0;
    s->work += PLACE_WORK;
    for (u32 length = 1; length <= FACTORS_GRAM && length <= s->end - at; length++) {
        const factors_level *l = &s->t->level[length - 1];
        if (l->shift == 0)
            continue;
        const u32 mine = gram & factors_mask(length);
        const u32 *head = tables + l->heads + (factors_hash(mine, l->shift) >> l->less);
        for (u32 i = head[0]; i < head[1]; i++)
            if (entries[i].gram == mine) {
                piece_found(s, &pieces[entries[i].piece], at);
                s->work += ENTRY_WORK;
                found++;
            }
    }
    return found;
}

/* ---- the filter ----------------------------------------------------------------------- */

static inline u32 load4(const u8 *p)
{
    return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

/* Whether the bitmaps let a gram pass. `only`: all grams have four bytes, a constant. */
static inline u32 passes(const u32 *tables, const factors_tables *t, u32 gram, bool only)
{
    u32 any = 0;
    for (u32 i = only ? FACTORS_GRAM - 1 : 0; i < FACTORS_GRAM; i++) {
        const factors_level *l = &t->level[i];
        if (!only && l->shift == 0)
            continue;
        const u32 hash = factors_hash(gram & factors_mask(i + 1), l->shift);
        any |= tables[l->bits + hash / 32] >> (hash % 32);
    }
    return any & 1;
}

/* No more ends than those that may have been reported: the search goes on to where these are all
 * that there are, and ends there. */
static u32 stop_soon(search *s, u32 at)
{
    if (s->end - at > s->t->forward)
        s->end = at + s->t->forward;
    return s->end;
}

static inline u32 last_whole(u32 at, u32 end)
{
    return end - at >= FACTORS_GRAM ? end - FACTORS_GRAM + 1 : at;
}

/* Returns where it ended. */
static inline u32 walk_places(search *s, text_task *task, bool only)
{
    const u32 *tables = task->tables;
    const factors_tables t = *s->t;
    const u8 *text = task->text;
    u32 queue[QUEUE + 1];
    u32 at = s->from, end = s->end, whole = last_whole(at, end);
    bool stops = false;
    while (at < whole) {
        const u32 pause = whole - at > PAUSE ? at + PAUSE : whole;
        u32 queued = 0;
        while (at < pause && queued < QUEUE) {
            queue[queued] = at;
            queued += passes(tables, &t, load4(text + at), only);
            at++;
        }
        for (u32 i = 0; i < queued; i++)
            task->candidates += look_up(s, load4(text + queue[i]), queue[i]);
        if (s->work > task->allowance + t.patience * (u64)(at - s->from) && !stops) {
            stops = true;
            end = stop_soon(s, at);
            whole = last_whole(at, end);
        }
    }
    for (; at < end; at++) {
        u32 gram = 0;
        for (u32 i = 0; i < end - at && i < FACTORS_GRAM; i++)
            gram |= (u32)text[at + i] << (8 * i);
        task->candidates += look_up(s, gram, at);
    }
    return end;
}

u32 factors_walk(text_task *task)
{
    const factors_tables *t = (const factors_tables *)task->tables;
    search s = { .task = task,
                 .t = t,
                 .text = task->text,
                 .from = task->from,
                 .end = task->end,
                 .bytes = (const u8 *)(task->tables + t->bytes),
                 .atoms = (const factors_atom *)(task->tables + t->atoms),
                 .checks = (const factors_check *)(task->tables + t->checks),
                 .sets = task->tables + t->sets };
    return t->level[0].shift || t->level[1].shift || t->level[2].shift || !t->level[3].shift
               ? walk_places(&s, task, false)
               : walk_places(&s, task, true);
}
