/* patterns.c: sets of patterns. They are stretches of the text, or are derived from one, so that
 * every pattern occurs; or they are literals of real rules.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

void bag_free(pattern_bag *bag)
{
    free(bag->patterns);
    free(bag->bytes);
    memset(bag, 0, sizeof *bag);
}

static pattern_bag bag_open(size_t count, size_t bytes)
{
    pattern_bag bag = { bench_alloc(count, sizeof *bag.patterns), bench_alloc(bytes + 1, 1), 0 };
    return bag;
}

static char *bag_add(pattern_bag *bag, char *text, size_t length, uint32_t syntax)
{
    trawl_pattern *p = &bag->patterns[bag->count++];
    p->text = text;
    p->length = length;
    p->syntax = syntax;
    p->id = (uint32_t)bag->count;
    return text + length;
}

typedef struct known {
    const trawl_pattern **slots;
    size_t size;
} known;

static known known_open(size_t count)
{
    known k = { NULL, 64 };
    while (k.size < 4 * count)
        k.size *= 2;
    k.slots = bench_alloc(k.size, sizeof *k.slots);
    return k;
}

/* False when an equal pattern is there already. */
static bool known_add(known *k, const trawl_pattern *p)
{
    const uint8_t *bytes = p->text;
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < p->length; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    for (size_t at = hash & (k->size - 1);; at = (at + 1) & (k->size - 1)) {
        const trawl_pattern *other = k->slots[at];
        if (!other) {
            k->slots[at] = p;
            return true;
        }
        if (other->length == p->length && memcmp(other->text, p->text, p->length) == 0)
            return false;
    }
}

/* A word list would not hold it: line ends, and the blanks that indent a line. */
static bool unlikely(const uint8_t *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n' || (i && text[i] == ' ' && text[i - 1] == ' '))
            return true;
    return isspace(text[0]) || isspace(text[size - 1]);
}

pattern_bag input_stretches(const uint8_t *text, uint64_t length, size_t count, uint32_t least,
                            uint32_t most, uint64_t seed)
{
    pattern_bag bag = bag_open(count + 1, count * most + most);
    known k = known_open(count);
    uint64_t state = seed;
    char *at = bag.bytes;
    const size_t limit = 200 * count + 2000;
    for (size_t tries = 0; bag.count < count && tries < limit; tries++) {
        uint32_t size = least + (uint32_t)random_below(&state, most - least + 1);
        uint64_t from = random_below(&state, length - size);
        /* Texts that have no others give what they have. */
        if (tries < limit / 2 && unlikely(text + from, size))
            continue;
        memcpy(at, text + from, size);
        char *end = bag_add(&bag, at, size, TRAWL_SYNTAX_LITERAL);
        if (known_add(&k, &bag.patterns[bag.count - 1]))
            at = end;
        else
            bag.count--;
    }
    free(k.slots);
    return bag;
}

static int hex_value(int c)
{
    return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
}

/* The second column of each row is a literal in hex. They are taken from all over the file. */
static void take_rules(pattern_bag *bag, char *table, uint64_t length, size_t count, uint32_t least,
                       uint32_t most)
{
    known k = known_open(count);
    char *at = bag->bytes;
    uint64_t state = 1;
    for (char *line = table, *next; line < table + length && bag->count < count; line = next) {
        char *end = memchr(line, '\n', (size_t)(table + length - line));
        next = end ? end + 1 : table + length;
        char *hex = memchr(line, '\t', (size_t)(next - line));
        char *tab = hex ? memchr(hex + 1, '\t', (size_t)(next - hex - 1)) : NULL;
        if (!tab || line == table || random_below(&state, 3) != 0)
            continue;
        size_t size = (size_t)(tab - hex - 1) / 2;
        if (size < least || size > most)
            continue;
        for (size_t i = 0; i < size; i++)
            at[i] = (char)(hex_value(hex[1 + 2 * i]) << 4 | hex_value(hex[2 + 2 * i]));
        char *after = bag_add(bag, at, size, TRAWL_SYNTAX_LITERAL);
        if (known_add(&k, &bag->patterns[bag->count - 1]))
            at = after;
        else
            bag->count--;
    }
    free(k.slots);
}

pattern_bag input_rules(bench *b, const uint8_t *text, uint64_t length, size_t count,
                        uint32_t least, uint32_t most, char what[96])
{
    uint64_t size = 0;
    uint8_t *table = input_data(b, "ids/et_open_2017_contents.tsv.xz", &size);
    if (table) {
        pattern_bag bag = bag_open(count + 1, count * most + most);
        take_rules(&bag, (char *)table, size, count, least, most);
        free(table);
        if (bag.count == count) {
            snprintf(what, 96, "literals of IDS rules (Emerging Threats 2017)");
            return bag;
        }
        bag_free(&bag);
    }
    /* About as many states as literals of rules: 27,570 for the paper's 1000, the longest 128. */
    snprintf(what, 96, "stretches of the text");
    pattern_bag bag = input_stretches(text, length, count, 4, most / 2 - 8, b->seed + least);
    return bag;
}

/* ---- extended patterns ------------------------------------------------------------ */

static char *put_char(char *at, uint8_t c)
{
    if (isalnum(c)) {
        *at++ = (char)c;
        return at;
    }
    return at + sprintf(at, "\\x%02x", c);
}

/* One element for the byte c, and at most one more; *states says how many it has. */
static char *put_element(char *at, uint8_t c, uint32_t left, uint64_t *state, uint32_t *states,
                         bool *takes)
{
    const uint64_t kind = random_below(state, 100);
    const uint8_t other = (uint8_t)('a' + random_below(state, 26));
    *states = 1;
    *takes = true;
    if (kind < 60 || left < 3)
        return put_char(at, c);
    if (kind < 75) {
        *at++ = '[';
        at = put_char(put_char(at, c), other);
        *at++ = ']';
        return at;
    }
    if (kind < 85) { /* one that may be left out, and is */
        *at++ = (char)other;
        *at++ = '?';
        *takes = false;
        return at;
    }
    if (kind < 95) {
        at = put_char(at, c);
        *at++ = '+';
        return at;
    }
    *states = 3;
    *at++ = '[';
    at = put_char(put_char(at, c), other);
    return at + sprintf(at, "]{1,3}");
}

pattern_bag input_extended(const uint8_t *text, uint64_t length, size_t count, uint32_t states,
                           uint64_t seed)
{
    enum { ELEMENT_ROOM = 20 };
    pattern_bag bag = bag_open(count, count * ((size_t)states + 1) * ELEMENT_ROOM);
    uint64_t state = seed;
    char *at = bag.bytes;
    for (size_t i = 0; i < count; i++) {
        uint64_t from = random_below(&state, length - states);
        char *begin = at;
        while (isspace(text[from]) && from + states + 1 < length)
            from++;
        at = put_char(at, text[from++]); /* no repeat at the ends: few matches */
        for (uint32_t used = 1; used < states;) {
            uint32_t more;
            bool takes;
            at = put_element(at, text[from], states - used, &state, &more, &takes);
            used += more;
            from += takes;
        }
        bag_add(&bag, begin, (size_t)(at - begin), TRAWL_SYNTAX_EXTENDED);
    }
    return bag;
}

/* ---- sets --------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
    const trawl_pattern *const *x = a, *const *y = b;
    size_t size = (*x)->length < (*y)->length ? (*x)->length : (*y)->length;
    int order = memcmp((*x)->text, (*y)->text, size);
    return order ? order : ((*x)->length > (*y)->length) - ((*x)->length < (*y)->length);
}

uint64_t input_trie_states(const pattern_bag *bag)
{
    const trawl_pattern **sorted = bench_alloc(bag->count + 1, sizeof *sorted);
    uint64_t states = 1;
    for (size_t i = 0; i < bag->count; i++)
        sorted[i] = &bag->patterns[i];
    qsort(sorted, bag->count, sizeof *sorted, by_bytes);
    for (size_t i = 0; i < bag->count; i++) {
        size_t shared = 0;
        const uint8_t *now = sorted[i]->text, *before = i ? sorted[i - 1]->text : NULL;
        while (i && shared < sorted[i]->length && shared < sorted[i - 1]->length &&
               now[shared] == before[shared])
            shared++;
        states += sorted[i]->length - shared;
    }
    free(sorted);
    return states;
}

trawl_plan *input_plan(bench *b, const pattern_bag *bag, const char *engine, uint32_t wm_block)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error;
    options.engine = engine;
    options.wm_block = wm_block;
    if (trawl_compile(bag->patterns, bag->count, &options, &plan, &error) != TRAWL_OK) {
        bench_complain(b, "%s: %s", engine, error.message);
        return NULL;
    }
    return plan;
}
