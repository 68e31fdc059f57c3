/* cpu.c: patterns cut into pieces, found by rare factors and joined by distance.
 *
 * Idea: the text is searched for only one gram of each piece of a pattern (layout.h), the rarest. A
 * bitmap, small enough for the first caches, lets nearly no other place pass. Where a gram stands,
 * the run of positions that holds it is compared, then what is before it, backwards, and what is
 * after it, forwards: the places where such a part may begin or end are the bits of one word, which
 * a gap shifts and widens, and a run thins out. A jump of 180,000 bytes costs a ring of as many
 * bits, in which the piece before it noted its ends, and a look into it, not 180,000 states. A jump
 * over a set of bytes needs all bytes between the two pieces to be in the set: how far back they
 * are is kept, so that no byte is looked at twice.
 *
 * Patterns without a longest match are run by shiftand, each by its own words and only while these
 * are not zero; they begin only around the grams of first pieces, and before the end, where a
 * gram may be cut. So the state is that of shiftand, without what leads to no match, and states
 * unite in the same way.
 *
 * If what is met takes longer than the fallback would, the walk sets its end to the last end that
 * it may have reported, goes on to there, and gives up.
 *
 * Invariant: when the grams at a place are looked at, all pieces whose grams begin before it have
 * been found; so every end of an earlier piece that a jump may lead from is in its ring, for a
 * piece ends after its gram. A ring holds the ends of the last `mask` + 1 places up to the largest
 * one that was put in.
 *
 * Cost: O(n) for the bitmap; for every gram that is met, its run, in the worst case its piece times
 * FACTORS_SLACK, and for a jump its length / 64. A text of nothing but the grams of all patterns
 * costs O(n * pieces), as bit-parallel search of them all always would.
 *
 * Source: Navarro and Raffinot 2002 (searching for factors, then verifying); the pieces with jumps
 * between them as in Rahman, Iliopoulos, Lee, Mohamed and Smyth 2006 (patterns with gaps).
 */
#include "engines/classes/factors/layout.h"
#include "engines/classes/shiftand/layout.h"

#include <string.h>

#include "engines/shared/walk.h"

enum { QUEUE = 128, PAUSE = 4096 };
enum {
    PLACE_WORK = 8,
    ENTRY_WORK = 4,
    CHECK_WORK = 1,
    ATOM_WORK = 4,
    END_WORK = 4
}; /* nanoseconds */

/* What all functions here work with. Places are relative to the window. */
typedef struct search {
    text_task *task;
    const factors_tables *t;
    const u8 *text;
    u32 from, end;
    const u8 *bytes;
    const factors_atom *atoms;
    const factors_check *checks;
    const u32 *sets;
    u64 work;              /* in nanoseconds, about */
    u32 *clock;            /* units: how far each of this pass was run, */
    u32 first_unit, units; /* the first one, and how many */
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
static inline bool run_fits(search *s, const factors_atom *a, u64 at)
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
        s->work += CHECK_WORK;
        if (!set_has(s, c->set, text[c->at]))
            return false;
    }
    return true;
}

/* ---- sets of places ---------------------------------------------------------------- */

/* Bit i: the place i after the lowest one, or i before the highest one. Words [0, words) count,
 * the others are of any content. */
typedef struct places {
    u64 bits[FACTORS_SLACK / 64 + 1];
    u32 words;
} places;

/* The next place of a set from `i` on; FACTORS_NONE: there is none. */
#define FACTORS_NONE UINT32_MAX
static inline u32 place_from(const places *p, u32 i)
{
    u32 w = i / 64;
    if (w >= p->words)
        return FACTORS_NONE;
    u64 word = p->bits[w] >> (i % 64);
    if (word)
        return i + PORT_CTZ64(word);
    while (++w < p->words)
        if (p->bits[w])
            return w * 64 + PORT_CTZ64(p->bits[w]);
    return FACTORS_NONE;
}

/* Room for `more` further bits. */
static inline void places_grow(places *p, u32 more)
{
    const u32 most = FACTORS_SLACK / 64 + 1;
    u32 words = p->words + (more + 63) / 64;
    words = words < most ? words : most;
    while (p->words < words)
        p->bits[p->words++] = 0;
}

static inline void places_one(places *p)
{
    p->bits[0] = 1;
    p->words = 1;
}

/* Every place also 1 .. more places higher. */
static void widen(places *p, u32 more)
{
    places_grow(p, more);
    for (u32 width = 1; more;) {
        const u32 by = width < more ? width : more, whole = by / 64, rest = by % 64;
        for (u32 w = p->words; w-- > whole;) {
            u64 moved = p->bits[w - whole] << rest;
            if (rest && w > whole)
                moved |= p->bits[w - whole - 1] >> (64 - rest);
            p->bits[w] |= moved;
        }
        more -= by;
        width += by;
    }
}

/* Add the places [low, high], as far as there is room. */
static void add_range(places *p, u32 low, u32 high)
{
    const u32 room = p->words * 64;
    high = high < room ? high : room - 1;
    for (u32 i = low; i <= high; i = (i / 64 + 1) * 64) {
        const u32 last = high / 64 == i / 64 ? high % 64 : 63;
        p->bits[i / 64] |= (UINT64_MAX >> (63 - last)) & (UINT64_MAX << (i % 64));
    }
}

/* For how many bytes from `at` on the text is in a set, up to `most`. */
static inline u32 stretch(search *s, u32 set, u64 at, u32 most)
{
    u32 n = 0;
    if (at > s->end)
        return 0;
    most = most < s->end - at ? most : s->end - (u32)at;
    if (set == FACTORS_ANY)
        return most;
    while (n < most && set_has(s, set, s->text[at + n]))
        n++;
    s->work += (u64)CHECK_WORK * n;
    return n;
}

/* The same before `at`. */
static inline u32 stretch_back(search *s, u32 set, u64 at, u32 most)
{
    u32 n = 0;
    if (at < s->from)
        return 0;
    most = most < at - s->from ? most : (u32)(at - s->from);
    if (set == FACTORS_ANY)
        return most;
    while (n < most && set_has(s, set, s->text[at - n - 1]))
        n++;
    s->work += (u64)CHECK_WORK * n;
    return n;
}

/* The places p after (before, when `back`) a run, or a gap over a set; base moves on or back by its
 * least length. No byte of a gap is read twice. */
static void cross(search *s, const factors_atom *a, bool back, u64 base, places *p)
{
    places next = { .words = p->words };
    u64 known = 0; /* bytes from the last place on that are in the set */
    u32 last = 0;
    memset(next.bits, 0, sizeof *next.bits * next.words);
    if (!a->length)
        places_grow(&next, a->high - a->low);
    for (u32 i = place_from(p, 0); i != FACTORS_NONE; i = place_from(p, i + 1)) {
        s->work += ATOM_WORK;
        if (back ? base - s->from < (u64)i + a->length : base + i > s->end)
            break;
        const u64 at = back ? base - i : base + i;
        if (a->length) {
            if (run_fits(s, a, back ? at - a->length : at))
                next.bits[i / 64] |= (u64)1 << (i % 64);
            continue;
        }
        known = known > i - last ? known - (i - last) : 0;
        last = i;
        if (known < a->high)
            known += back ? stretch_back(s, a->set, at - known, a->high - (u32)known)
                          : stretch(s, a->set, at + known, a->high - (u32)known);
        if (known >= a->low)
            add_range(&next, i, i + (u32)(known < a->high ? known : a->high) - a->low);
    }
    *p = next;
}

/* Where a match of the atoms [from, to) ends that begins at *base, which becomes the lowest. */
static void go_forward(search *s, const factors_atom *from, const factors_atom *to, u64 *base,
                       places *p)
{
    places_one(p);
    for (; from < to && place_from(p, 0) != FACTORS_NONE; from++) {
        s->work += ATOM_WORK;
        if (!from->length && from->set == FACTORS_ANY)
            widen(p, from->high - from->low);
        else
            cross(s, from, false, *base, p);
        *base += from->length ? from->length : from->low;
        if (*base > s->end)
            p->words = 0;
    }
}

/* Where a match of the atoms [from, to) begins that ends at *base, which becomes the highest. */
static void go_back(search *s, const factors_atom *from, const factors_atom *to, u64 *base,
                    places *p)
{
    places_one(p);
    while (from < to-- && place_from(p, 0) != FACTORS_NONE) {
        const u32 least = to->length ? to->length : to->low;
        s->work += ATOM_WORK;
        if (*base - s->from < least) {
            p->words = 0;
            return;
        }
        if (!to->length && to->set == FACTORS_ANY)
            widen(p, to->high - to->low);
        else
            cross(s, to, true, *base, p);
        *base -= least;
    }
}

/* ---- rings ----------------------------------------------------------------------- */

/* word[0]: the place after the largest one that is in, 0 when none is. word[1]: for a jump over a
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

/* All ends that the gap after the last piece leads to from `at`, those aside that were just
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
    places set;
    go_back(s, first, anchor, &base, &set);
    bool leads = false;
    for (u32 i = place_from(&set, 0); i <= base - s->from && i != FACTORS_NONE && !leads;
         i = place_from(&set, i + 1), s->work += END_WORK)
        leads = p->flags & FACTORS_FIRST || jump_leads(s, p, base - i);
    if (!leads)
        return;
    base = (u64)at - p->offset + anchor->length;
    go_forward(s, anchor + 1, first + p->atoms, &base, &set);
    for (u32 i = place_from(&set, 0); i != FACTORS_NONE && base + i <= s->end;
         i = place_from(&set, i + 1), s->work += END_WORK) {
        const u64 end = base + i;
        if (!(p->flags & FACTORS_LAST))
            ring_put(s->task->state + p->ring, p->mask, end);
        else if (p->flags & FACTORS_TAIL)
            report_tail(s, p, (u32)end);
        else
            report(s, p, end);
    }
}

/* ---- units ----------------------------------------------------------------------------- */

/* One step of a word; `in`: the bits that move in from below, `borrow` as in shiftand's chains. */
static inline u64 word_step(const factors_word *w, const u64 *row, u64 old, u64 in, u64 *borrow)
{
    const u64 moved = ((old << 1 | in) & row[0]) | (old & row[1]);
    const u64 z = moved | w->eend, less = z - w->ebeg, lent = less - *borrow;
    *borrow = (u64)((z < w->ebeg) | (less < *borrow));
    return moved | (w->eblk & ~(lent ^ z));
}

/* The same for one word, which needs neither: it stays in registers. Returns where it fell
 * asleep. */
static inline u32 run_word(const search *s, const factors_word *word, const u64 *rows,
                           const u32 *owner, u64 *state, u32 from, u32 to, u64 fresh)
{
    const u8 *map = (const u8 *)(s->task->tables + s->t->map), *text = s->text;
    const u64 init = word->init & fresh, last = word->last;
    const u64 ebeg = word->ebeg, eend = word->eend, eblk = word->eblk;
    u64 bits = *state;
    u32 i = from;
    for (; i < to && (bits | fresh); i++) {
        const u64 *row = rows + (size_t)map[text[i]] * 2;
        const u64 moved = ((bits << 1 | init) & row[0]) | (bits & row[1]);
        const u64 z = moved | eend;
        bits = moved | (eblk & ~((z - ebeg) ^ z));
        if (PORT_UNLIKELY((bits & last) != 0))
            shiftand_report(owner, bits & last, i + 1, s->task->out);
    }
    *state = bits;
    return i;
}

/* Run a unit on to a place. `fresh`: all ones where matches may begin, else 0. */
static void unit_run(search *s, u32 number, u32 to, u64 fresh)
{
    const u32 *tables = s->task->tables;
    const factors_unit *unit = (const factors_unit *)(tables + s->t->units) + number;
    const factors_word *words = (const factors_word *)(tables + s->t->words) + unit->word;
    const u32 *owner = tables + s->t->owner + (size_t)unit->word * 64;
    const u64 *rows = (const u64 *)(tables + unit->rows);
    const u8 *map = (const u8 *)(tables + s->t->map);
    const u32 count = unit->words;
    u64 *state = s->task->state + unit->word;
    u32 *clock = &s->clock[number - s->first_unit];
    u64 alive = fresh;
    u32 i = *clock;
    if (count == 1) {
        run_word(s, words, rows, owner, state, i, to, fresh);
        *clock = i < to ? to : i;
        return;
    }
    for (u32 w = 0; w < count; w++)
        alive |= state[w];
    for (; alive && i < to; i++) {
        const u64 *row = rows + (size_t)map[s->text[i]] * count * 2;
        u64 hits = 0, in = 0, borrow = 0;
        alive = fresh;
        for (u32 w = 0; w < count; w++) {
            const u64 old = state[w];
            state[w] = word_step(&words[w], row + 2 * (size_t)w, old, in | (words[w].init & fresh),
                                 &borrow);
            in = old >> 63;
            alive |= state[w];
            hits |= state[w] & words[w].last;
        }
        for (u32 w = 0; hits && w < count; w++)
            shiftand_report(owner + (size_t)w * 64, state[w] & words[w].last, i + 1, s->task->out);
    }
    if (*clock < to)
        *clock = to;
}

/* A match of the unit may begin up to `at`, where one of its grams stands or the end cuts one. A
 * longer gram that the end cuts may begin before `at`, and is not seen: no begin that it needs may
 * be passed by here. */
static void unit_wake(search *s, u32 number, u32 at)
{
    const factors_unit *unit = (const factors_unit *)(s->task->tables + s->t->units) + number;
    const u32 back = unit->back + (s->end - at < FACTORS_GRAM ? FACTORS_GRAM : 0);
    unit_run(s, number, at - s->from > back ? at - back : s->from, 0);
    unit_run(s, number, at + 1, UINT64_MAX);
}

/* What is awake goes on to the end; there all may begin whose gram is not whole before it. */
static void units_end(search *s)
{
    const u32 end = s->task->end;
    for (u32 i = 0; i < s->units && end > s->from; i++) {
        if (s->task->news)
            unit_run(s, s->first_unit + i, end, 0);
        else
            unit_wake(s, s->first_unit + i, end - 1);
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
                if (!s->clock)
                    piece_found(s, &pieces[entries[i].piece], at);
                else if (entries[i].piece - s->first_unit < s->units)
                    unit_wake(s, entries[i].piece, at);
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
        if (s->work > task->allowance + task->patience * (u64)(at - s->from) && !stops) {
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

static u32 walk_pieces(search *s)
{
    const factors_level *level = s->t->level;
    return level[0].shift || level[1].shift || level[2].shift || !level[3].shift
               ? walk_places(s, s->task, false)
               : walk_places(s, s->task, true);
}

/* A pass for each FACTORS_UNITS of them. */
WALK_APART u32 walk_units(const search *with)
{
    u32 clock[FACTORS_UNITS];
    const u32 all = with->t->unit_count;
    with->task->allowance = WALK_NEVER;
    for (u32 first = 0; first < all; first += FACTORS_UNITS) {
        search s = *with;
        s.clock = clock;
        s.first_unit = first;
        s.units = all - first < FACTORS_UNITS ? all - first : FACTORS_UNITS;
        for (u32 i = 0; i < s.units; i++)
            clock[i] = s.from;
        if (!s.task->news)
            walk_pieces(&s);
        units_end(&s);
    }
    return with->end;
}

static u32 factors_walk(text_task *task)
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
    return t->unit_count ? walk_units(&s) : walk_pieces(&s);
}

const walk walk_factors = { .text = factors_walk, .ends = true };
