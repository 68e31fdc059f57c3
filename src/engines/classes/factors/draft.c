/* draft.c: patterns as pieces, and the grams that each piece is found by.
 *
 * A piece's grams are those of one place in one of its runs: all that its sets allow there, so that
 * every match of the piece has one of them there. The place is the one whose grams are the rarest
 * in the sample. Grams have four bytes; they are shorter only if those are frequent, or too many.
 */
#include "engines/classes/factors/draft.h"

#include <string.h>

#include "engines/classes/factors/pieces.h"
#include "engines/shared/costs.h"

#define FEW_GRAMS 4u              /* of a piece: tried first, */
#define MAX_GRAMS FACTORS_SPELLED /* and at most */
#define WINDOW_GRAMS 16u          /* at a place of a window, at most: four letters of either case */
#define MAX_PLACES 4096u          /* that are looked at in a piece, of each length */
#define RARE 0.0005               /* a rate at which no more and no shorter grams are tried */

/* Bytes that a jump leads on, at most: grams that nothing speaks for are rarer than they count. */
#define FOREVER 256.0
#define NEVER 1e-9      /* a share of places that is not worth to be followed */
#define TOO_MANY 1e9    /* the rate of what is no window */
#define RAREST 0.000012 /* a rate at which no other place is tried: nothing speaks for the gram */

typedef struct run {
    uint32_t atom, cell, length;
} run;

typedef struct anchor {
    uint32_t run, offset, length;
    double rate;
} anchor;

static void open_windows(factor_draft *d)
{
    d->near = true;
    d->q = FACTORS_GRAM;
    memset(d->q_rate, 0, sizeof d->q_rate);
    for (uint32_t s = 0; s < DRAFT_STRIDES; s++) {
        d->windowed[s] = true;
        d->window_rate[s] = d->window_grams[s] = 0;
    }
}

void draft_open(factor_draft *d, memory *m, const rarity *rarity, bool strided)
{
    memset(d, 0, sizeof *d);
    block *const all[] = { &d->pieces, &d->atoms, &d->checks,  &d->sets, &d->bytes,
                           &d->cells,  &d->runs,  &d->windows, &d->met };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]->memory = m;
    for (size_t i = 0; i < FACTORS_GRAM; i++)
        d->grams[i].memory = m;
    d->rarity = rarity;
    d->strided = strided;
    open_windows(d);
}

void draft_close(factor_draft *d)
{
    block *const all[] = { &d->pieces, &d->atoms, &d->checks,  &d->sets, &d->bytes,
                           &d->cells,  &d->runs,  &d->windows, &d->met };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        block_free(all[i]);
    for (size_t i = 0; i < FACTORS_GRAM; i++)
        block_free(&d->grams[i]);
}

void draft_clear(factor_draft *d)
{
    block *const all[] = { &d->pieces, &d->atoms,   &d->checks, &d->sets,
                           &d->bytes,  &d->windows, &d->met };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]->size = 0;
    for (size_t i = 0; i < FACTORS_GRAM; i++)
        d->grams[i].size = 0;
    d->first_atom = 0;
    open_windows(d);
}

bool draft_failed(const factor_draft *d)
{
    bool failed = d->pieces.failed || d->atoms.failed || d->checks.failed || d->sets.failed ||
                  d->bytes.failed || d->cells.failed || d->runs.failed || d->windows.failed ||
                  d->met.failed;
    for (size_t i = 0; i < FACTORS_GRAM; i++)
        failed = failed || d->grams[i].failed;
    return failed;
}

/* ---- sets ------------------------------------------------------------------------- */

static uint32_t bits_of(uint64_t x)
{
    uint32_t n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

/* Its number among the draft's sets: one of the last, or a new one. */
static uint32_t add_set(factor_draft *d, const byte_class *set)
{
    enum { LAST = 32 };
    const byte_class *sets = (const void *)d->sets.bytes;
    const size_t count = d->sets.size / sizeof *sets;
    if (class_full(set))
        return FACTORS_ANY;
    for (size_t i = count; i-- > 0 && count - i <= LAST;)
        if (memcmp(&sets[i], set, sizeof *set) == 0)
            return (uint32_t)i;
    uint32_t words[8];
    for (uint32_t i = 0; i < 8; i++)
        words[i] = (uint32_t)(set->bits[i / 2] >> (32 * (i % 2)));
    block_append(&d->sets, words, sizeof words, 8);
    return (uint32_t)count;
}

/* The bytes that fit value under mask, where mask has a bit for each that all members share, are
 * the set when they are as many. */
static cell cell_of(factor_draft *d, const byte_class *set)
{
    if (class_full(set))
        return (cell){ 0, 0, 256, FACTORS_ANY };
    uint32_t all = 0xff, some = 0, count = 0;
    for (uint32_t word = 0; word < 4; word++)
        for (uint64_t bits = set->bits[word]; bits; bits &= bits - 1) {
            const uint32_t byte = word * 64 + PORT_CTZ64(bits);
            all &= byte;
            some |= byte;
            count++;
        }
    cell c = { (uint8_t)all, (uint8_t) ~(all ^ some), (uint16_t)count, FACTORS_ANY };
    if (count != 1u << bits_of(all ^ some)) {
        c.value = c.mask = 0;
        c.set = add_set(d, set);
    }
    return c;
}

static bool set_has(const factor_draft *d, uint32_t set, uint32_t byte)
{
    const uint32_t *words = (const void *)(d->sets.bytes + (size_t)set * 32);
    return words[byte / 32] >> (byte % 32) & 1;
}

/* All its bytes, ascending; returns how many. */
static uint32_t cell_bytes(const factor_draft *d, const cell *c, uint8_t bytes[256])
{
    uint32_t n = 0;
    if (c->count == 1) {
        bytes[0] = c->value;
        return 1;
    }
    for (uint32_t b = 0; b < 256; b++)
        if (c->set == FACTORS_ANY ? (b & c->mask) == c->value : set_has(d, c->set, b))
            bytes[n++] = (uint8_t)b;
    return n;
}

/* ---- atoms ------------------------------------------------------------------------- */

static void add_atom(factor_draft *d, const factors_atom *a)
{
    block_append(&d->atoms, a, sizeof *a, 8);
}

static uint32_t atom_count(const factor_draft *d)
{
    return (uint32_t)(d->atoms.size / sizeof(factors_atom));
}

/* The positions since the last gap as an atom. */
static void end_run(factor_draft *d)
{
    const uint32_t end = (uint32_t)(d->cells.size / sizeof(cell));
    const uint32_t length = end - d->run_begin;
    const size_t bytes = block_append(&d->bytes, NULL, 2 * (size_t)length, 1);
    const run made = { atom_count(d), d->run_begin, length };
    factors_atom a = { .length = length,
                       .bytes = (uint32_t)bytes,
                       .check = (uint32_t)(d->checks.size / sizeof(factors_check)) };
    if (length == 0 || d->bytes.failed || d->cells.failed)
        return;
    for (uint32_t i = 0; i < length; i++) {
        const cell *c = (const cell *)(const void *)d->cells.bytes + d->run_begin + i;
        const factors_check check = { i, c->set };
        d->bytes.bytes[bytes + i] = c->value;
        d->bytes.bytes[bytes + length + i] = c->mask;
        if (c->set == FACTORS_ANY)
            continue;
        block_append(&d->checks, &check, sizeof check, 8);
        a.checks++;
    }
    block_append(&d->runs, &made, sizeof made, 4);
    add_atom(d, &a);
    d->run_begin = end;
}

/* How far the atoms [from, to) reach at most, and by how much that varies. */
static uint64_t extent(const factor_draft *d, uint32_t from, uint32_t to, uint64_t *varies)
{
    const factors_atom *atoms = (const void *)d->atoms.bytes;
    uint64_t length = 0;
    *varies = 0;
    for (uint32_t i = from; i < to; i++) {
        length += atoms[i].length ? atoms[i].length : atoms[i].high;
        *varies += atoms[i].length ? 0 : atoms[i].high - atoms[i].low;
    }
    return length;
}

/* ---- grams ------------------------------------------------------------------------- */

/* The rate of all grams that `length` cells allow; each goes to `to`, when there is one. */
static double spell(const factor_draft *d, const cell *cells, uint32_t length, uint32_t piece,
                    block *to)
{
    uint8_t bytes[FACTORS_GRAM][256];
    uint32_t count[FACTORS_GRAM] = { 0 }, turn[FACTORS_GRAM] = { 0 };
    double rate = 0;
    for (uint32_t i = 0; i < length; i++)
        count[i] = cell_bytes(d, &cells[i], bytes[i]);
    for (uint32_t i = 0; i < length;) {
        factors_entry e = { 0, piece };
        for (uint32_t k = 0; k < length; k++)
            e.gram |= (uint32_t)bytes[k][turn[k]] << (8 * k);
        rate += rarity_rate(d->rarity, e.gram, length);
        if (to)
            block_append(to, &e, sizeof e, 8);
        for (i = 0; i < length && ++turn[i] == count[i]; i++)
            turn[i] = 0;
    }
    return rate;
}

/* How many grams `length` cells allow. */
static uint64_t grams_at(const cell *cells, uint32_t length)
{
    uint64_t grams = 1;
    for (uint32_t k = 0; k < length; k++)
        grams *= cells[k].count;
    return grams;
}

/* The best place for `least` to `most` grams of a length, if it is better than what is there. */
static void try_length(const factor_draft *d, uint32_t length, uint64_t least, uint64_t most,
                       anchor *best)
{
    const run *runs = (const void *)d->runs.bytes;
    const uint32_t count = (uint32_t)(d->runs.size / sizeof *runs);
    uint32_t places = 0;
    for (uint32_t r = 0; r < count; r++) {
        const cell *cells = (const cell *)(const void *)d->cells.bytes + runs[r].cell;
        for (uint32_t at = 0; at + length <= runs[r].length && places < MAX_PLACES; at++) {
            const uint64_t grams = grams_at(cells + at, length);
            places++;
            if (grams < least || grams > most)
                continue;
            const double rate = spell(d, cells + at, length, 0, NULL);
            if (best->length == 0 || rate < best->rate)
                *best = (anchor){ r, at, length, rate };
            if (rate < RAREST)
                return;
        }
    }
}

/* One position may always be an anchor, so there is one. */
static anchor choose_anchor(const factor_draft *d)
{
    anchor best = { 0, 0, 0, 0 };
    for (uint32_t length = FACTORS_GRAM; length > 0; length--) {
        if (best.length == 0 || best.rate > RARE)
            try_length(d, length, 1, FEW_GRAMS, &best);
        if (best.length == 0 || best.rate > RARE)
            try_length(d, length, FEW_GRAMS + 1, MAX_GRAMS, &best);
    }
    return best;
}

/* ---- what is compared ---------------------------------------------------------------- */

/* The share of places whose byte a cell takes. */
static double cell_share(const factor_draft *d, const cell *c)
{
    uint8_t bytes[256];
    double places = 0;
    for (uint32_t n = cell_bytes(d, c, bytes); n > 0; n--)
        places += d->rarity->one[bytes[n - 1]];
    return places / d->rarity->places;
}

/* What it takes to compare a run at `places` places, which become those that it fits. The cells
 * [from, upto) are known to fit. */
static double run_work(const factor_draft *d, const run *r, uint32_t from, uint32_t upto,
                       double *places)
{
    const cell *cells = (const cell *)(const void *)d->cells.bytes + r->cell;
    double work = 0;
    for (uint32_t i = 0; i < r->length; i++) {
        work += i % 8 == 0 ? COST_FACTORS_EIGHT * *places : 0;
        if (cells[i].set == FACTORS_ANY && (i < from || i >= upto))
            *places *= cell_share(d, &cells[i]);
    }
    for (uint32_t i = 0; i < r->length; i++) {
        if (cells[i].set == FACTORS_ANY)
            continue;
        work += COST_FACTORS_CHECK * *places;
        *places *= i < from || i >= upto ? cell_share(d, &cells[i]) : 1;
    }
    return work;
}

/* The same of a gap, whose bytes are read once for all places. */
static double gap_work(const factor_draft *d, const factors_atom *a, double *places)
{
    const cell c = { .set = a->set };
    double fit = *places < 1 ? *places : 1, read = 0, ends = 0;
    if (a->set == FACTORS_ANY) {
        *places *= a->high - a->low + 1;
        return 0;
    }
    const double share = cell_share(d, &c);
    for (uint32_t i = 0; i < a->high && fit > NEVER; i++) {
        read += fit;
        fit *= share;
        ends += i + 1 >= a->low ? fit : 0;
    }
    *places = a->low ? ends : *places + ends;
    return COST_FACTORS_CHECK * read;
}

/* What it takes to compare the present piece, for each gram that is met; *fits: how often it is
 * there. */
static double piece_work(const factor_draft *d, const anchor *at, double *fits)
{
    const run *runs = (const void *)d->runs.bytes;
    const factors_atom *atoms = (const void *)d->atoms.bytes;
    const uint32_t anchor_atom = runs[at->run].atom, end = atom_count(d);
    double places = 1;
    double work = run_work(d, &runs[at->run], at->offset, at->offset + at->length, &places);
    for (uint32_t back = 0; back < 2; back++) {
        double there = places;
        uint32_t r = at->run;
        for (uint32_t i = anchor_atom; back ? i > d->first_atom : i + 1 < end;) {
            i = back ? i - 1 : i + 1;
            work += COST_FACTORS_ATOM * (there < 1 ? there : 1);
            if (!atoms[i].length)
                work += gap_work(d, &atoms[i], &there);
            else
                work += run_work(d, &runs[back ? --r : ++r], 0, 0, &there);
        }
        places = there < places ? there : places; /* none before it: nothing is sought after it */
    }
    *fits = places;
    return work;
}

/* For how many bytes a jump leads on. */
static double jump_goes_on(const factor_draft *d, const factors_jump *j)
{
    const cell c = { .set = j->set };
    const double share = j->set == FACTORS_ANY ? 1 : cell_share(d, &c);
    const double most = j->high < FOREVER ? j->high : FOREVER;
    return share < 1 && 1 / (1 - share) < most ? 1 / (1 - share) : most;
}

/* ---- windows for devices ------------------------------------------------------------- */

/* The rarest window in a run, if it is rarer than *best. */
static void try_windows(const factor_draft *d, const run *r, const double *rates, uint32_t s,
                        uint32_t *at, double *best)
{
    const uint32_t stride = 1u << s;
    for (uint32_t i = 0; i + stride - 1 + FACTORS_GRAM <= r->length; i++) {
        double rate = 0;
        for (uint32_t k = 0; k < stride; k++)
            rate += rates[i + k];
        if (rate < *best) {
            *best = rate;
            *at = FACTORS_WINDOW(r->atom - d->first_atom, i);
        }
    }
}

/* Windows of four bytes a gram, for the longer strides. The piece is near. */
static void find_windows(factor_draft *d, draft_windows *w)
{
    const run *runs = (const void *)d->runs.bytes;
    const uint32_t count = (uint32_t)(d->runs.size / sizeof *runs);
    double best[DRAFT_STRIDES] = { TOO_MANY, TOO_MANY, TOO_MANY };
    for (uint32_t r = 0; r < count; r++) {
        const cell *cells = (const cell *)(const void *)d->cells.bytes + runs[r].cell;
        double rates[FACTORS_NEAR];
        for (uint32_t i = 0; i + FACTORS_GRAM <= runs[r].length; i++)
            rates[i] = grams_at(cells + i, FACTORS_GRAM) <= WINDOW_GRAMS
                           ? spell(d, cells + i, FACTORS_GRAM, 0, NULL)
                           : TOO_MANY;
        for (uint32_t s = 1; s < DRAFT_STRIDES; s++)
            try_windows(d, &runs[r], rates, s, &w->at[s], &best[s]);
    }
    for (uint32_t s = 1; s < DRAFT_STRIDES; s++) {
        d->windowed[s] = d->windowed[s] && best[s] < TOO_MANY;
        d->window_rate[s] += best[s];
        d->window_grams[s] += (double)(1u << s);
    }
}

/* Add the windows of a piece with this anchor. */
static void add_windows(factor_draft *d, const factors_piece *p, const anchor *a)
{
    const run *at = (const run *)(const void *)d->runs.bytes + a->run;
    const cell *cells = (const cell *)(const void *)d->cells.bytes + at->cell + a->offset;
    draft_windows w = { { FACTORS_WINDOW(p->anchor, p->offset) } };
    uint64_t varies;
    d->near = d->near && p->flags == (FACTORS_FIRST | FACTORS_LAST) &&
              extent(d, d->first_atom, atom_count(d), &varies) <= FACTORS_NEAR;
    if (!d->near)
        return;
    d->q = a->length < d->q ? a->length : d->q;
    d->window_grams[0] += (double)grams_at(cells, a->length);
    for (uint32_t q = 1; d->strided && q <= a->length; q++)
        d->q_rate[q - 1] += spell(d, cells, q, 0, NULL);
    if (d->strided)
        find_windows(d, &w);
    block_append(&d->windows, &w, sizeof w, 4);
}

/* ---- pieces ------------------------------------------------------------------------- */

/* A ring that never holds more than `bits` places at once. */
static void add_ring(factor_draft *d, factors_piece *p, uint64_t bits)
{
    uint64_t size = 64;
    while (size < bits)
        size *= 2;
    p->ring = (uint32_t)d->state_words;
    p->mask = (uint32_t)(size - 1);
    d->state_words += FACTORS_RING + size / 64;
}

/* What was added since the last piece becomes one. `behind`: the jump after it, or NULL. */
static void end_piece(factor_draft *d, uint32_t number, uint32_t flags, const factors_jump *behind)
{
    end_run(d);
    if (draft_failed(d))
        return;
    const anchor a = choose_anchor(d);
    const run *at = (const run *)(const void *)d->runs.bytes + a.run;
    const uint32_t count = (uint32_t)(d->pieces.size / sizeof(factors_piece));
    uint64_t varies, before_varies;
    const uint64_t backward = a.offset + extent(d, d->first_atom, at->atom, &before_varies);
    const uint64_t forward =
        at->length - a.offset + extent(d, at->atom + 1, atom_count(d), &varies);
    factors_piece p = { .pattern = number,
                        .flags = flags,
                        .atom = d->first_atom,
                        .atoms = atom_count(d) - d->first_atom,
                        .anchor = at->atom - d->first_atom,
                        .offset = a.offset,
                        .back = (uint32_t)backward,
                        .before = d->before };
    if (!(flags & FACTORS_FIRST))
        add_ring(d, (factors_piece *)(void *)d->pieces.bytes + count - 1,
                 p.before.high + d->forward + backward + 2);
    if (flags & FACTORS_TAIL)
        p.behind = *behind;
    if (flags & FACTORS_LAST && (varies || flags & FACTORS_TAIL))
        add_ring(d, &p, varies + p.behind.high - p.behind.low + 2);
    const double rate = spell(d, (const cell *)(const void *)d->cells.bytes + at->cell + a.offset,
                              a.length, count, &d->grams[a.length - 1]);
    d->rate += rate;
    draft_met met = { rate, 0 };
    if (d->works) {
        double fits;
        d->work += rate * piece_work(d, &a, &fits);
        met.goes_on = fits * ((double)forward + (behind ? jump_goes_on(d, behind) : 0));
    }
    block_append(&d->met, &met, sizeof met, 8);
    block_append(&d->pieces, &p, sizeof p, 8);
    add_windows(d, &p, &a);
    if (flags & FACTORS_LAST && forward + p.behind.high > d->furthest)
        d->furthest = forward + p.behind.high;
    if (behind)
        d->before = *behind;
    d->forward = forward;
    d->first_atom = atom_count(d);
    d->cells.size = d->runs.size = d->run_begin = 0;
}

static void add_literal(factor_draft *d, const pattern *p)
{
    for (size_t i = 0; i < p->length; i++) {
        const uint8_t byte = p->bytes[i];
        const bool both = p->flags & TRAWL_NOCASE && byte >= 'a' && byte <= 'z';
        const cell c = { both ? (uint8_t)(byte & ~0x20u) : byte, both ? 0xdf : 0xff, both ? 2 : 1,
                         FACTORS_ANY };
        block_append(&d->cells, &c, sizeof c, 8);
    }
}

/* A class pattern's step; `last`: none follows. */
static void add_step(factor_draft *d, const step *s, bool last, uint32_t number, uint32_t *flags)
{
    if (s->kind == STEP_CELLS) {
        const cell c = cell_of(d, s->set);
        for (uint32_t i = 0; i < s->low; i++)
            block_append(&d->cells, &c, sizeof c, 8);
        return;
    }
    const factors_jump jump = { add_set(d, s->set), s->low, s->high };
    const factors_atom gap = { .set = jump.set, .low = s->low, .high = s->high };
    if (s->kind == STEP_GAP) {
        end_run(d);
        add_atom(d, &gap);
    } else {
        end_piece(d, number, *flags | (last ? FACTORS_LAST | FACTORS_TAIL : 0), &jump);
        *flags = 0;
    }
}

void draft_add(factor_draft *d, const pattern *p, uint32_t number)
{
    steps s = { .of = p };
    uint32_t flags = FACTORS_FIRST;
    if (p->literal) {
        add_literal(d, p);
        end_piece(d, number, FACTORS_FIRST | FACTORS_LAST, NULL);
        return;
    }
    step present = steps_next(&s);
    while (present.kind != STEP_END && !draft_failed(d)) {
        const step next = steps_next(&s);
        add_step(d, &present, next.kind == STEP_END, number, &flags);
        if (next.kind == STEP_END && present.kind != STEP_JUMP)
            end_piece(d, number, flags | FACTORS_LAST, NULL);
        present = next;
    }
}

void draft_add_first(factor_draft *d, const pattern *p, uint32_t number)
{
    steps s = { .of = p };
    uint32_t flags = FACTORS_FIRST;
    if (p->literal) {
        draft_add(d, p, number);
        return;
    }
    step next = steps_next(&s);
    for (; next.kind < STEP_JUMP && !draft_failed(d); next = steps_next(&s))
        add_step(d, &next, false, number, &flags);
    const bool jumps = next.kind == STEP_JUMP;
    const factors_jump jump = { jumps ? add_set(d, next.set) : FACTORS_ANY, next.low, next.high };
    end_piece(d, number, FACTORS_FIRST | FACTORS_LAST, jumps ? &jump : NULL);
}
