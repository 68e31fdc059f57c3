/* elements.c: see elements.h. */
#include "pattern/elements.h"

#include <string.h>

#include "pattern/bytes.h"

#define UNROLL_MAX 4096

/* ---- byte classes -------------------------------------------------------- */

void class_add_range(byte_class *set, unsigned low, unsigned high)
{
    for (unsigned byte = low; byte <= high; byte++)
        class_add(set, byte);
}

void class_unite(byte_class *set, const byte_class *other)
{
    for (int i = 0; i < 4; i++)
        set->bits[i] |= other->bits[i];
}

/* Bytes 64..127 share a word: 'A' is its bit 1 and 'a' its bit 33. */
static void add_other_case(byte_class *set)
{
    uint64_t letters = (set->bits[1] >> 1 | set->bits[1] >> 33) & 0x03ffffff;
    set->bits[1] |= letters << 1 | letters << 33;
}

void class_fold(uint32_t flags, byte_class *set)
{
    if (flags & TRAWL_NOCASE)
        add_other_case(set);
}

bool class_is_folded(const byte_class *set)
{
    byte_class folded = *set;
    add_other_case(&folded);
    return memcmp(&folded, set, sizeof folded) == 0;
}

static int lowest_bit(uint64_t word)
{
    int bit = 0;
    for (int step = 32; step > 0; step /= 2) {
        if (word << (64 - step) == 0) {
            word >>= step;
            bit += step;
        }
    }
    return bit;
}

/* The byte that a set stands for, or -1 when it stands for several. Under TRAWL_NOCASE
 * both cases of a letter are that letter in lower case. */
static int single_byte(const byte_class *set, bool nocase)
{
    int word = 0;
    while (word < 3 && set->bits[word] == 0)
        word++;
    uint8_t byte = (uint8_t)(word * 64 + lowest_bit(set->bits[word]));
    byte_class single = { { 0 } };
    class_add(&single, byte);
    if (nocase) {
        add_other_case(&single);
        byte = fold_byte(byte);
    }
    return memcmp(&single, set, sizeof single) == 0 ? byte : -1;
}

int class_settle(uint32_t flags, size_t offset, bool negated, byte_class *set, trawl_error *error)
{
    static const byte_class empty = { { 0 } };
    class_fold(flags, set);
    if (negated)
        class_invert(set);
    if (memcmp(set, &empty, sizeof empty) == 0)
        return fail(error, TRAWL_ERROR_PATTERN, offset,
                    "the class is empty: it excludes every byte; remove it");
    if (flags & TRAWL_LINES)
        set->bits[0] &= ~((uint64_t)1 << line_terminator(flags));
    if (memcmp(set, &empty, sizeof empty) == 0)
        return reject_terminator(flags, offset, error);
    return TRAWL_OK;
}

/* ---- elements ------------------------------------------------------------ */

int elements_add(elements *e, element added)
{
    if (e->out->length == e->room) {
        const size_t room = e->room ? 2 * e->room : 8;
        element *grown = memory_grow(e->memory, e->out->elements, room * sizeof *grown);
        if (!grown)
            return memory_failed(e->memory, e->error, "a pattern of %zu elements", room);
        e->out->elements = grown;
        e->room = room;
    }
    e->out->elements[e->out->length++] = added;
    return TRAWL_OK;
}

int elements_append(elements *e, size_t offset, const byte_class *set, uint32_t min, uint32_t max)
{
    uint32_t states = max != REPEAT_UNBOUNDED ? max : min > 1 ? min : 1;
    if (states > PATTERN_MAX_STATES - e->states)
        return fail(e->error, TRAWL_ERROR_LIMIT, offset,
                    "the pattern has more than %u states here: lower the repeats, or shorten it",
                    PATTERN_MAX_STATES);
    e->states += states;
    e->required |= min > 0;
    return elements_add(e, (element){ *set, min, max });
}

/* Length of the literal that the elements spell, or 0 when they spell none. */
static size_t literal_length(const pattern *out)
{
    bool nocase = (out->flags & TRAWL_NOCASE) != 0, repeats = false;
    size_t length = 0;
    for (size_t i = 0; i < out->length; i++) {
        const element *e = &out->elements[i];
        if (e->min != e->max || single_byte(&e->set, nocase) < 0)
            return 0;
        repeats |= e->min > 1;
        length += e->min;
    }
    return repeats && length > UNROLL_MAX ? 0 : length;
}

static int make_literal(elements *all, size_t length)
{
    pattern *out = all->out;
    out->bytes = memory_take(all->memory, length);
    if (!out->bytes)
        return memory_failed(all->memory, all->error, "a literal of %zu bytes", length);
    uint8_t *next = out->bytes;
    for (size_t i = 0; i < out->length; i++) {
        const element *e = &out->elements[i];
        memset(next, single_byte(&e->set, (out->flags & TRAWL_NOCASE) != 0), e->min);
        next += e->min;
    }
    memory_give(all->memory, out->elements);
    out->elements = NULL;
    out->length = length;
    out->literal = true;
    return TRAWL_OK;
}

int elements_settle(elements *e)
{
    const size_t length = literal_length(e->out);
    return length ? make_literal(e, length) : TRAWL_OK;
}
