/* border.c: see border.h. */
#include "pattern/border.h"

#include <string.h>

#include "base/options.h"
#include "pattern/bytes.h"
#include "pattern/program.h"

byte_class word_bytes(void)
{
    byte_class word = { { 0 } };
    for (unsigned byte = 0; byte < 256; byte++)
        if (is_word_byte((uint8_t)byte))
            class_add(&word, byte);
    return word;
}

byte_class line_border(uint32_t flags)
{
    byte_class end = { { 0 } };
    class_add(&end, line_terminator(flags));
    return end;
}

static void border_begin(border *b)
{
    if (b->given)
        return;
    memset(b, 0, sizeof *b);
    class_invert(&b->set[0]);
    class_invert(&b->set[1]);
    b->edge[0] = b->edge[1] = b->given = 1;
}

void border_add_own(border *b, bool own, byte_class set, bool edge)
{
    border_begin(b);
    for (int i = 0; i < 4; i++)
        b->set[own].bits[i] &= set.bits[i];
    b->edge[own] &= edge;
    b->own = b->edge[0] != b->edge[1] || memcmp(&b->set[0], &b->set[1], sizeof set) != 0;
}

void border_add(border *b, byte_class set, bool edge)
{
    border_add_own(b, false, set, edge);
    border_add_own(b, true, set, edge);
}

static bool is_possible(const border *b)
{
    return !b->given || b->edge[0] || b->edge[1] || !class_empty(&b->set[0]) ||
           !class_empty(&b->set[1]);
}

int border_flags(pattern *p, trawl_error *error)
{
    byte_class other = word_bytes();
    class_invert(&other);
    if (p->flags & TRAWL_WORDS) {
        border_add(&p->before, other, true);
        border_add(&p->after, other, true);
    }
    if (p->flags & TRAWL_WHOLE_LINES) {
        border_add(&p->before, line_border(p->flags), true);
        border_add(&p->after, line_border(p->flags), true);
    }
    if (is_possible(&p->before) && is_possible(&p->after))
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_PATTERN, 0,
                "nothing can stand %s a match, because the conditions there exclude each other: "
                "remove one of them",
                is_possible(&p->before) ? "after" : "before");
}

int border_conditions(pattern *p, const trawl_conditions *conditions, trawl_error *error)
{
    trawl_conditions c = TRAWL_CONDITIONS_INIT;
    const int status = read_options(&c, sizeof c, sizeof c, conditions, "conditions", error);
    if (status != TRAWL_OK)
        return status;
    if (c.place > TRAWL_PLACE_END || c.word > TRAWL_WORD_FULL_WIDE)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "trawl_conditions: there is no %s %u: the greatest is %u",
                    c.place > TRAWL_PLACE_END ? "place" : "word",
                    c.place > TRAWL_PLACE_END ? c.place : c.word,
                    (unsigned)(c.place > TRAWL_PLACE_END ? TRAWL_PLACE_END : TRAWL_WORD_FULL_WIDE));
    if (c.place == TRAWL_PLACE_ANY && (c.offset || c.within))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "trawl_conditions: an offset without a place: say from where it counts "
                    "(TRAWL_PLACE_BEGIN, TRAWL_PLACE_END)");
    p->asks = (demands){ c.place, c.word, c.offset, c.within };
    if (c.word == TRAWL_WORD_FULL) {
        byte_class other = { { 0 } };
        for (unsigned byte = 0; byte < 256; byte++)
            if (!is_alphanumeric((uint8_t)byte))
                class_add(&other, byte);
        border_add(&p->before, other, true);
        border_add(&p->after, other, true);
    }
    return TRAWL_OK;
}

/* The bytes that a match may begin with. */
static byte_class first_bytes(const pattern *p)
{
    byte_class set = { { 0 } };
    if (p->literal)
        class_add(&set, p->bytes[0]);
    for (size_t i = 0; !p->literal && i < p->length; i++) {
        for (int k = 0; k < 4; k++)
            set.bits[k] |= p->elements[i].set.bits[k];
        if (p->elements[i].min > 0)
            break;
    }
    return set;
}

static bool varies(const pattern *p)
{
    return p->min_length != p->max_length;
}

/* ---- programs -------------------------------------------------------------------- */

/* The BEFORE_... or AFTER_... bits that a border allows: it tells no two bytes of one kind apart.
 */
static uint32_t kinds_before(const border *b, const program *p)
{
    uint32_t when = b->edge[0] ? BEFORE_BEGIN : 0;
    if (!b->given)
        return BEFORE_ANY;
    for (unsigned byte = 0; byte < 256; byte++)
        when |= class_has(&b->set[0], byte) ? program_before(p, (uint8_t)byte) : 0;
    return when;
}

static uint32_t kinds_after(const border *b, const program *p)
{
    uint32_t when = b->edge[0] ? AFTER_END : 0;
    if (!b->given)
        return AFTER_ANY;
    for (unsigned byte = 0; byte < 256; byte++)
        when |= class_has(&b->set[0], byte)
                    ? program_after(p, (uint8_t)byte, false) | program_after(p, (uint8_t)byte, true)
                    : 0;
    return when;
}

/* Whether some match may not begin anywhere. */
static bool chooses_begins(const program *p)
{
    const program_link *l, *end;
    program_list(p, 0, &l, &end);
    for (; l < end; l++)
        if (l->when != BEFORE_ANY)
            return true;
    return false;
}

int border_program(memory *m, pattern *p, const trawl_conditions *conditions, trawl_error *error)
{
    program *made;
    pattern asked = { .flags = p->flags };
    int status = border_conditions(&asked, conditions, error);
    if (status == TRAWL_OK)
        status = border_flags(&asked, error);
    if (status != TRAWL_OK)
        return status;
    p->asks = asked.asks;
    if (!program_restrict(m, p->program, kinds_before(&asked.before, p->program),
                          kinds_after(&asked.after, p->program), &made))
        return memory_failed(m, error, "a program");
    if (!made)
        return fail(error, TRAWL_ERROR_PATTERN, 0,
                    "no match is possible, because the conditions of the pattern exclude each "
                    "other: remove one of them");
    memory_give(m, p->program);
    p->program = made;
    if (!pattern_is_program(p))
        return TRAWL_OK;
    if (!program_measure(m, made, &p->min_length, &p->max_length))
        return memory_failed(m, error, "a program");
    p->opened = chooses_begins(made); /* border_open counts the byte before it */
    return TRAWL_OK;
}

void border_after(pattern *p, uint32_t when)
{
    p->when = when;
    p->after = (border){ .given = 0 };
    if (when == AFTER_ANY)
        return;
    border_add(&p->after, program_bytes_after(p->program, when), (when & AFTER_END) != 0);
    if (when & AFTER_LAST_LINE && !(when & AFTER_LINE))
        p->after.last = p->program->line + 1;
}

/* ---- kinds of first bytes ------------------------------------------------------ */

size_t border_kinds(const pattern *p)
{
    const byte_class word = word_bytes(), first = first_bytes(p);
    const border *b = &p->before;
    const bool words = class_holds(&word, &first), others = class_avoids(&word, &first);
    if (!b->own || p->literal || !varies(p) ||
        (words && (b->edge[1] || !class_empty(&b->set[1]))) ||
        (others && (b->edge[0] || !class_empty(&b->set[0]))))
        return 0;
    size_t count = 0;
    while (count < p->length && p->elements[count].min == 0)
        count++;
    return count + (count < p->length);
}

int border_divide(memory *m, const pattern *whole, size_t first, bool own, pattern *out, bool *some,
                  trawl_error *error)
{
    byte_class kind = word_bytes();
    const element *e = &whole->elements[first];
    const bool again = e->max > 1;
    const size_t rest = whole->length - first - 1;
    if (!own)
        class_invert(&kind);
    for (int i = 0; i < 4; i++)
        kind.bits[i] &= e->set.bits[i];
    *some =
        !class_empty(&kind) && (whole->before.edge[own] || !class_empty(&whole->before.set[own]));
    if (!*some)
        return TRAWL_OK;
    element *elements = memory_take_array(m, 1 + again + rest, sizeof *elements);
    if (!elements)
        return memory_failed(m, error, "a pattern of %zu elements", whole->length);
    elements[0] = (element){ kind, 1, 1 };
    if (again)
        elements[1] = (element){ e->set, e->min > 0 ? e->min - 1 : 0,
                                 e->max == REPEAT_UNBOUNDED ? REPEAT_UNBOUNDED : e->max - 1 };
    if (rest)
        memcpy(elements + 1 + again, e + 1, rest * sizeof *elements);
    *out = *whole;
    out->elements = elements;
    out->length = 1 + again + rest;
    out->before.set[!own] = out->before.set[own];
    out->before.edge[!own] = out->before.edge[own];
    out->before.own = 0;
    out->varied = true; /* as the whole is, even if this part has one length */
    out->name = NULL;
    out->shared = true;
    return TRAWL_OK;
}

void border_shorten(pattern *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->length; i++) {
        p->elements[kept] = p->elements[i];
        p->elements[kept].max = p->elements[i].min;
        kept += p->elements[i].min > 0;
    }
    p->length = kept;
    p->max_length = p->min_length;
    p->varied = true; /* as it is written */
}

/* ---- opening ----------------------------------------------------------------- */

/* Make the condition independent of the match's first byte, if it is the same for all that this
 * byte may be. */
static void settle_own(pattern *p)
{
    const byte_class word = word_bytes(), first = first_bytes(p);
    border *b = &p->before;
    if (!b->own || !(class_holds(&word, &first) || class_avoids(&word, &first)))
        return;
    const bool own = class_holds(&word, &first);
    b->set[!own] = b->set[own];
    b->edge[!own] = b->edge[own];
    b->own = 0;
}

/* The opening may stand for the border of the text if both are allowed, or neither. An element
 * needs some byte. */
static bool can_open(const pattern_list *list, const border *b)
{
    return !b->own && !class_empty(&b->set[0]) &&
           class_has(&b->set[0], (unsigned)list->opening) == (b->edge[0] != 0);
}

/* Literals keep their order by length only if all become longer by one. */
static bool opens_literals(const pattern_list *list)
{
    byte_class opening = { { 0 } };
    class_add(&opening, (unsigned)list->opening);
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        if (p->literal && !(p->before.given && can_open(list, &p->before) &&
                            memcmp(&p->before.set[0], &opening, sizeof opening) == 0))
            return false;
    }
    return true;
}

static bool open_literal(memory *m, pattern *p, int opening)
{
    uint8_t *bytes = memory_take(m, p->length + 1);
    if (!bytes)
        return false;
    bytes[0] = (uint8_t)opening;
    memcpy(bytes + 1, p->bytes, p->length);
    memory_give(m, p->bytes);
    p->bytes = bytes;
    return true;
}

static bool open_elements(memory *m, pattern *p, int opening)
{
    element *elements = memory_take_array(m, p->length + 1, sizeof *elements);
    if (!elements)
        return false;
    elements[0] = (element){ p->before.set[0], 1, 1 };
    if (p->before.edge[0])
        class_add(&elements[0].set, (unsigned)opening);
    memcpy(elements + 1, p->elements, p->length * sizeof *elements);
    memory_give(m, p->elements);
    p->elements = elements;
    return true;
}

static int open_pattern(memory *m, pattern *p, int opening, trawl_error *error)
{
    if ((p->literal && !open_literal(m, p, opening)) ||
        (p->elements && !open_elements(m, p, opening)))
        return memory_failed(m, error, "a pattern of %zu elements", p->length);
    p->opened = true;
    p->length++;
    p->min_length++;
    p->max_length += p->max_length != LENGTH_UNBOUNDED;
    return TRAWL_OK;
}

/* No pattern of variable length may take the opening for its first byte: so those that have no
 * condition are opened to begin after any byte. Matches of fixed length that begin there are known
 * by their start. */
static int open_others(memory *m, pattern_list *list, trawl_error *error)
{
    int status = TRAWL_OK;
    byte_class any = { { 0 } };
    class_invert(&any);
    for (size_t i = 0; status == TRAWL_OK && i < list->count; i++) {
        pattern *p = &list->patterns[i];
        if (p->opened || pattern_is_program(p) || !varies(p)) /* programs are told of the opening */
            continue;
        border_add(&p->before, any, true);
        status = open_pattern(m, p, list->opening, error);
    }
    return status;
}

/* The byte that ends the lines of the first pattern with a condition before it. */
static uint8_t choose_opening(const pattern_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->patterns[i].before.given)
            return line_terminator(list->patterns[i].flags);
    return line_terminator(0);
}

int border_open(memory *m, pattern_list *list, trawl_error *error)
{
    list->opening = choose_opening(list);
    const bool literals = opens_literals(list);
    bool opened = false;
    int status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < list->count; i++) {
        pattern *p = &list->patterns[i];
        if (p->opened) { /* a program */
            p->min_length++;
            p->max_length += p->max_length != LENGTH_UNBOUNDED;
        }
        opened |= p->opened;
        if (!p->before.given)
            continue;
        settle_own(p);
        if (p->literal && !literals)
            continue;
        if (can_open(list, &p->before) || varies(p)) /* of others, ends are doubtful (plan.h) */
            status = open_pattern(m, p, list->opening, error);
        opened |= p->opened;
        if (status != TRAWL_OK && error)
            error->pattern = p->order;
    }
    if (status == TRAWL_OK && opened)
        return open_others(m, list, error);
    list->opening = -1;
    return status;
}
