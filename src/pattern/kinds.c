/* kinds.c: links with conditions become a program, whose inner links have none (links.h).
 *
 * Idea: a condition between two positions depends on the kinds of their bytes, which are part of a
 * line's end, of a word, or other. So a position is divided by the kinds of its bytes, where its
 * links tell them apart; then a link between two parts holds always or never, and only what lies
 * outside of a match is left to ask for. A line's end may also be asked to be the text's last byte:
 * that is a part of its own, from which nothing leads but to the end of the text.
 *
 * Cost: a pass over the links with conditions, and one over all. A position has four parts at most.
 */
#include "pattern/links.h"

#include <string.h>

/* Kinds of a position's bytes, and that of the part whose byte is the text's last one. */
enum { KIND_LINE, KIND_WORD, KIND_OTHER, KINDS, KIND_LAST = KINDS, PARTS };

static const uint8_t prior_of[PARTS] = { PRIOR_LINE, PRIOR_WORD, PRIOR_OTHER, PRIOR_LINE };
static const uint8_t next_of[PARTS] = { NEXT_LINE, NEXT_WORD, NEXT_OTHER, NEXT_LAST };

/* Whether links tell two kinds apart: bits of `apart`. */
enum { LINE_WORD = 1, LINE_OTHER = 2, WORD_OTHER = 4 };

typedef struct division {
    uint8_t kinds; /* bits: of the position's bytes */
    uint8_t apart;
    uint8_t parts[PARTS]; /* bits: the kinds of each */
    uint8_t count;
    bool last;       /* one more part: a line's end as the text's last byte */
    uint32_t number; /* of the first part */
} division;

typedef struct resolver {
    const links *in;
    links out;
    uint32_t line;
    division *divisions;
} resolver;

static byte_class bytes_of(const resolver *r, uint32_t kinds)
{
    byte_class set = { { 0 } };
    for (unsigned byte = 0; byte < 256; byte++) {
        const unsigned kind = byte == r->line               ? KIND_LINE
                              : is_word_byte((uint8_t)byte) ? KIND_WORD
                                                            : KIND_OTHER;
        if (kinds >> kind & 1)
            class_add(&set, byte);
    }
    return set;
}

/* ---- which kinds are told apart -------------------------------------------------------------- */

/* The kinds that may come before one of `next`, out of `priors`. */
static uint32_t column(condition c, unsigned next, uint32_t priors)
{
    uint32_t found = 0;
    for (unsigned prior = 0; prior < PRIORS; prior++)
        found |= (c >> (prior * NEXTS + next) & 1) << prior;
    return found & priors;
}

/* Bits of what is not equal, among kinds that a position has. */
static uint8_t differences(const uint32_t value[KINDS], uint32_t kinds)
{
    static const uint8_t pair[] = { LINE_WORD, LINE_OTHER, WORD_OTHER };
    static const uint8_t one[] = { KIND_LINE, KIND_LINE, KIND_WORD };
    static const uint8_t other[] = { KIND_WORD, KIND_OTHER, KIND_OTHER };
    uint8_t apart = 0;
    for (unsigned i = 0; i < 3; i++)
        if (kinds >> one[i] & 1 && kinds >> other[i] & 1 && value[one[i]] != value[other[i]])
            apart |= pair[i];
    return apart;
}

/* What a link tells of the kinds of its target, `priors` being those that may come before it. */
static void tell_target(division *d, condition c, uint32_t priors)
{
    uint32_t value[KINDS];
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const uint32_t may = column(c, next_of[kind], priors);
        value[kind] = may << PRIORS | (kind == KIND_LINE ? column(c, NEXT_LAST, priors) : may);
    }
    d->apart |= differences(value, d->kinds);
    if (d->kinds >> KIND_LINE & 1 && column(c, NEXT_LAST, priors) & ~column(c, NEXT_LINE, priors))
        d->last = true;
}

/* The same of its source, `nexts` being what may come after it. */
static void tell_source(division *d, condition c, uint32_t nexts)
{
    uint32_t value[KINDS];
    for (unsigned kind = 0; kind < KINDS; kind++)
        value[kind] = condition_nexts(c, prior_of[kind]) & nexts;
    d->apart |= differences(value, d->kinds);
}

static uint32_t priors_of(const division *d)
{
    uint32_t priors = 0;
    for (unsigned kind = 0; kind < KINDS; kind++)
        priors |= (d->kinds >> kind & 1u) << prior_of[kind];
    return priors;
}

static uint32_t nexts_of(const division *d)
{
    uint32_t nexts = 0;
    for (unsigned kind = 0; kind < KINDS; kind++)
        nexts |= (d->kinds >> kind & 1u) << next_of[kind];
    return d->kinds >> KIND_LINE & 1 ? nexts | 1u << NEXT_LAST : nexts;
}

static void tell_apart(resolver *r)
{
    const links *in = r->in;
    for (uint32_t list = 0; list <= in->positions; list++) {
        division *source = list > 0 ? &r->divisions[list - 1] : NULL;
        const uint32_t priors = source ? priors_of(source) : (1u << PRIORS) - 1;
        for (uint32_t i = in->first[list]; i < in->first[list + 1]; i++) {
            const program_link *l = &in->items[i];
            if (l->when == CONDITION_ANY)
                continue;
            if (l->to != PROGRAM_END)
                tell_target(&r->divisions[l->to], l->when, priors);
            if (source)
                tell_source(source, l->when,
                            l->to == PROGRAM_END ? NEXT_ANY : nexts_of(&r->divisions[l->to]));
        }
    }
}

/* Kinds that no link tells apart are one part. */
static void make_parts(division *d)
{
    static const uint8_t apart[KINDS][KINDS] = { { 0, LINE_WORD, LINE_OTHER },
                                                 { LINE_WORD, 0, WORD_OTHER },
                                                 { LINE_OTHER, WORD_OTHER, 0 } };
    uint32_t left = d->kinds;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        if (!(left >> kind & 1))
            continue;
        uint8_t part = 0;
        for (unsigned other = kind; other < KINDS; other++)
            if (left >> other & 1 && !(d->apart & apart[kind][other]))
                part |= (uint8_t)(1u << other);
        left &= ~(uint32_t)part;
        d->parts[d->count++] = part;
    }
    if (d->last)
        d->parts[d->count++] = 1u << KIND_LAST;
}

/* ---- the parts' links ------------------------------------------------------------------------ */

static unsigned lowest(uint32_t part)
{
    unsigned kind = 0;
    while (!(part >> kind & 1))
        kind++;
    return kind;
}

static uint32_t before_bits(uint32_t priors)
{
    return (priors >> PRIOR_BEGIN & 1 ? BEFORE_BEGIN : 0u) |
           (priors >> PRIOR_LINE & 1 ? BEFORE_LINE : 0u) |
           (priors >> PRIOR_WORD & 1 ? BEFORE_LETTER | BEFORE_LOW_LINE : 0u) |
           (priors >> PRIOR_OTHER & 1 ? BEFORE_OTHER : 0u);
}

static uint32_t after_bits(uint32_t nexts)
{
    return (nexts >> NEXT_END & 1 ? AFTER_END : 0u) | (nexts >> NEXT_LINE & 1 ? AFTER_LINE : 0u) |
           (nexts >> NEXT_LAST & 1 ? AFTER_LAST_LINE : 0u) |
           (nexts >> NEXT_WORD & 1 ? AFTER_LETTER | AFTER_LOW_LINE : 0u) |
           (nexts >> NEXT_OTHER & 1 ? AFTER_OTHER : 0u);
}

/* The kinds that may come before a part of a link's target. The text's last byte is a part of its
 * own only where other ends of lines may not stand. */
static uint32_t may_precede(condition c, unsigned kind, uint32_t priors)
{
    const uint32_t may = column(c, next_of[kind], priors);
    return kind == KIND_LAST ? may & ~column(c, NEXT_LINE, priors) : may;
}

/* Append what a link becomes, from the start (prior == PRIORS) or a part of that kind. */
static int add_link(resolver *r, const program_link *l, unsigned prior)
{
    const uint32_t priors = prior == PRIORS ? (1u << PRIORS) - 1 : 1u << prior;
    if (l->to == PROGRAM_END) {
        const uint32_t when = after_bits(condition_nexts(l->when, prior));
        return when ? links_append(&r->out, PROGRAM_END, when) : TRAWL_OK;
    }
    const division *d = &r->divisions[l->to];
    int status = TRAWL_OK;
    for (uint32_t part = 0; status == TRAWL_OK && part < d->count; part++) {
        const uint32_t may = may_precede(l->when, lowest(d->parts[part]), priors);
        if (may)
            status =
                links_append(&r->out, d->number + part, prior == PRIORS ? before_bits(may) : 0);
    }
    return status;
}

/* After the text's last byte there is its end alone. */
static int add_last_link(resolver *r, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        const program_link *l = &r->in->items[i];
        if (l->to == PROGRAM_END && condition_nexts(l->when, PRIOR_LINE) >> NEXT_END & 1)
            return links_append(&r->out, PROGRAM_END, AFTER_END);
    }
    return TRAWL_OK;
}

static int add_part(resolver *r, uint32_t p, uint32_t part)
{
    const links *in = r->in;
    const division *d = &r->divisions[p];
    const unsigned kind = lowest(d->parts[part]);
    const bool whole = d->parts[part] == d->kinds;
    byte_class set = in->sets[p],
               kinds = bytes_of(r, kind == KIND_LAST ? 1u << KIND_LINE : d->parts[part]);
    for (int i = 0; i < 4 && !whole; i++)
        set.bits[i] &= kinds.bits[i];
    r->out.sets[d->number + part] = set;
    r->out.first[d->number + part + 1] = r->out.count;
    if (kind == KIND_LAST)
        return add_last_link(r, in->first[p + 1], in->first[p + 2]);
    int status = TRAWL_OK;
    for (uint32_t i = in->first[p + 1]; status == TRAWL_OK && i < in->first[p + 2]; i++)
        status = add_link(r, &in->items[i], prior_of[kind]);
    return status;
}

static int add_parts(resolver *r)
{
    const links *in = r->in;
    int status = TRAWL_OK;
    for (uint32_t i = in->first[0]; status == TRAWL_OK && i < in->first[1]; i++)
        status = add_link(r, &in->items[i], PRIORS);
    for (uint32_t p = 0; p < in->positions; p++)
        for (uint32_t part = 0; status == TRAWL_OK && part < r->divisions[p].count; part++)
            status = add_part(r, p, part);
    if (status == TRAWL_OK)
        r->out.first[r->out.positions + 1] = r->out.count;
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int divide(resolver *r)
{
    const links *in = r->in;
    const byte_class all[KINDS] = { bytes_of(r, 1u << KIND_LINE), bytes_of(r, 1u << KIND_WORD),
                                    bytes_of(r, 1u << KIND_OTHER) };
    for (uint32_t p = 0; p < in->positions; p++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            if (!class_avoids(&in->sets[p], &all[kind]))
                r->divisions[p].kinds |= (uint8_t)(1u << kind);
    tell_apart(r);
    for (uint32_t p = 0; p < in->positions; p++) {
        make_parts(&r->divisions[p]);
        r->divisions[p].number = r->out.positions;
        r->out.positions += r->divisions[p].count;
    }
    if (r->out.positions > PROGRAM_MAX_POSITIONS)
        return fail(in->error, TRAWL_ERROR_LIMIT, 0,
                    "the pattern has more than %u positions, since conditions tell apart which "
                    "bytes stand beside them: remove some, or lower the repeats",
                    PROGRAM_MAX_POSITIONS);
    return TRAWL_OK;
}

static int make(resolver *r, program **made)
{
    const links *in = r->in;
    memory *m = in->memory;
    links *out = &r->out;
    r->divisions = memory_take_zeroed(m, in->positions, sizeof *r->divisions);
    int status = r->divisions ? divide(r) : memory_failed(m, in->error, "a pattern's positions");
    if (status != TRAWL_OK)
        return status;
    out->sets = memory_take_array(m, out->positions, sizeof *out->sets);
    out->first = memory_take_zeroed(m, (size_t)out->positions + 2, sizeof *out->first);
    if (!out->sets || !out->first)
        return memory_failed(m, in->error, "a pattern of %u positions", out->positions);
    status = add_parts(r);
    if (status != TRAWL_OK || out->count == 0)
        return status;
    program *all = program_make(m, out->positions, out->sets, out->first, out->items, r->line);
    if (!all || !program_restrict(m, all, BEFORE_ANY, AFTER_ANY, made))
        status = memory_failed(m, in->error, "a pattern of %u positions", out->positions);
    memory_give(m, all);
    return status;
}

int links_resolve(const links *l, uint32_t line, program **made)
{
    resolver r = { .in = l, .line = line, .out = { .memory = l->memory, .error = l->error } };
    *made = NULL;
    const int status = make(&r, made);
    memory_give(l->memory, r.divisions);
    links_close(&r.out);
    return status;
}
