/* random_expression.c: see random_expression.h.
 *
 * An expression is written by recursive descent with dice. What cannot be read, or may match
 * nothing, is written anew; texts are made of samples of what the expressions match, some of them
 * changed a little.
 */
#include "random_expression.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "expressions.h"
#include "fence.h"

enum { DEPTH = 4, COPIES = 600, SHORT = 600, SAMPLE = 300, USUAL = 60 };

#define PICK(r, list) ((list)[rng_below(r, sizeof(list) / sizeof *(list))])

typedef struct writer {
    rng *r;
    const expression_case *c;
    char *out;
    size_t length;
    bool plain; /* a sequence of elements: no group, no alternative, nothing lazy */
} writer;

static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    const size_t room = EXPRESSION_WRITTEN - w->length;
    va_start(arguments, format);
    const size_t more = (size_t)vsnprintf(w->out + w->length, room, format, arguments);
    va_end(arguments);
    w->length += more < room ? more : room - 1; /* cut off: it is not read, or reads otherwise */
}

/* ---- writing an expression ------------------------------------------------ */

static char letter(writer *w)
{
    return w->c->letters[rng_below(w->r, (uint32_t)strlen(w->c->letters))];
}

static void put_letter(writer *w)
{
    const unsigned char byte = (unsigned char)letter(w);
    if ((byte | 32) >= 'a' && (byte | 32) <= 'z' && !rng_chance(w->r, 30))
        put(w, "%c", byte);
    else if (byte == '\n' && rng_chance(w->r, 2))
        put(w, "\\n");
    else
        put(w, PICK(w->r, ((const char *const[]){ "\\x%02x", "\\x%02X", "\\x{%x}", "\\%03o" })),
            byte);
}

static void put_class(writer *w)
{
    put(w, rng_chance(w->r, 3) ? "[^" : "[");
    for (uint32_t i = rng_between(w->r, 1, 3); i > 0; i--) {
        if (rng_chance(w->r, 8))
            put(w, "%s", PICK(w->r, ((const char *const[]){ "[:alpha:]", "\\d", "\\s", "a-c" })));
        else
            put_letter(w);
    }
    put(w, "]");
}

/* {low,high} and its kin; what it multiplies the copies of its atom by. */
static uint32_t put_counts(writer *w, uint32_t copies)
{
    const uint32_t most = copies < 10 && rng_chance(w->r, 8) ? COPIES / copies / 10 : 3;
    const uint32_t low = rng_below(w->r, 3), high = low + 1 + rng_below(w->r, most);
    switch (rng_below(w->r, w->c->bounded ? 3 : 4)) {
    case 0:
        put(w, "{%u}", high);
        break;
    case 1:
        put(w, "{%u,%u}", low, high);
        break;
    case 2:
        put(w, "{,%u}", high);
        break;
    default:
        put(w, "{%u,}", low);
    }
    return high;
}

/* The counts are written before their atom is, into `after`, so that the atom knows how many copies
 * there will be. */
static uint32_t make_repeat(writer *w, uint32_t copies, char after[24])
{
    writer counts = *w;
    uint32_t times = 1;
    char room[EXPRESSION_WRITTEN];
    counts.out = room;
    counts.length = 0;
    room[0] = 0;
    if (rng_chance(w->r, 3)) {
        if (rng_chance(w->r, 2))
            times = put_counts(&counts, copies);
        else
            put(&counts, w->c->bounded || rng_chance(w->r, 3) ? "?"
                         : rng_chance(w->r, 2)                ? "*"
                                                              : "+");
        put(&counts, !w->plain && rng_chance(w->r, 3) ? "?" : "");
    }
    memcpy(after, room, 24);
    after[23] = 0;
    return times;
}

static void put_alternatives(writer *w, uint32_t depth, uint32_t copies);

static void put_group(writer *w, uint32_t depth, uint32_t copies)
{
    static const char *const opened[] = { "(",    "(",     "(",       "(?:",      "(?:",
                                          "(?i:", "(?-s:", "(?<x%u>", "(?P<x%u>", "(?-m:" };
    static const char *const set[] = { "(?i)", "(?-i)", "(?-s)", "(?s)", "(?-m)", "(?m)" };
    put(w, PICK(w->r, opened), (unsigned)w->length); /* names differ */
    if (rng_chance(w->r, 20))
        put(w, "%s", PICK(w->r, set));
    put_alternatives(w, depth - 1, copies);
    put(w, ")");
}

static void put_atom(writer *w, uint32_t depth, uint32_t copies)
{
    static const char *const conditions[] = { "^",   "$",   "\\b", "\\b", "\\B",
                                              "\\A", "\\z", "\\Z", "\\<", "\\>" };
    static const char *const classes[] = { "\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "[^\\n]" };
    char repeat[24];
    const uint32_t times = make_repeat(w, copies, repeat), dice = rng_below(w->r, 40);
    if (dice < 10 && depth > 0 && copies * times <= COPIES) {
        put_group(w, depth, copies * times);
    } else if (dice < 12 && !w->plain) {
        put(w, "%s", PICK(w->r, conditions));
        return;
    } else if (dice < 18) {
        put_class(w);
    } else if (dice < 20) {
        put(w, ".");
    } else if (dice < 22) {
        put(w, "%s", PICK(w->r, classes));
    } else {
        put_letter(w);
    }
    put(w, "%s", repeat);
}

static void put_sequence(writer *w, uint32_t depth, uint32_t copies)
{
    if (depth < DEPTH && !w->plain && rng_chance(w->r, 12))
        return; /* matches nothing */
    for (uint32_t i = rng_between(w->r, 1, rng_chance(w->r, 6) ? 7 : 3); i > 0; i--)
        put_atom(w, w->plain ? 0 : depth, copies);
}

static void put_alternatives(writer *w, uint32_t depth, uint32_t copies)
{
    put_sequence(w, depth, copies);
    while (!w->plain && rng_chance(w->r, depth == DEPTH ? 5 : 2)) {
        put(w, "|");
        put_sequence(w, depth, copies);
    }
}

/* ---- sets ----------------------------------------------------------------- */

static uint32_t flags_of(rng *r)
{
    return (rng_chance(r, 6) ? TRAWL_NOCASE : 0u) | (rng_chance(r, 8) ? TRAWL_LINES : 0u) |
           (rng_chance(r, 12) ? TRAWL_WORDS : 0u) | (rng_chance(r, 24) ? TRAWL_WHOLE_LINES : 0u);
}

static void write_literal(writer *w)
{
    for (uint32_t i = rng_between(w->r, 1, rng_chance(w->r, 5) ? 20 : 4); i > 0; i--)
        w->out[w->length++] = letter(w);
}

/* Whether it can be read, matches some bytes at least, and has a longest match if it must. */
static bool is_fine(const expression_case *c, const trawl_pattern *p, size_t longest)
{
    const char *why;
    expression *e = p->length < longest ? expression_read(p, &why) : NULL;
    const bool fine = e && expression_shortest(e) > 0 &&
                      (!c->bounded || expression_longest(e) < SIZE_MAX) &&
                      (expression_longest(e) < 4 * COPIES || expression_longest(e) == SIZE_MAX);
    expression_free(e);
    return fine;
}

static void make_pattern(expression_case *c, rng *r, size_t i)
{
    trawl_pattern *p = &c->patterns[i];
    const uint32_t kind = rng_below(r, 6);
    const size_t longest = rng_chance(r, 10) ? EXPRESSION_WRITTEN - 1 : USUAL;
    do {
        writer w = { r, c, c->written[i], 0, kind == 1 };
        if (kind == 0) {
            write_literal(&w);
        } else {
            put(&w, "%s", kind > 1 && rng_chance(r, 8) ? "(?i)" : "");
            put_alternatives(&w, DEPTH, 1);
        }
        *p = (trawl_pattern){ c->written[i], w.length, TRAWL_SYNTAX_EXTENDED, 0, 0, NULL };
        p->flags = flags_of(r);
        p->id = rng_chance(r, 8) ? 0 : (uint32_t)i;
        if (kind == 0)
            p->syntax = TRAWL_SYNTAX_LITERAL;
    } while (kind != 0 && !is_fine(c, p, longest));
}

/* ---- texts ---------------------------------------------------------------- */

static size_t choose_length(rng *r, size_t longest)
{
    static const uint32_t borders[] = { 64, 128, 256, 512, 1024, 4096, 8192, 20000 };
    const size_t usual = rng_below(r, 81);
    const size_t length = rng_chance(r, 8) ? PICK(r, borders) + rng_below(r, 5) - 2 : usual;
    return length < longest ? length : longest;
}

/* Change, take out or put in a byte of the sample. */
static size_t mutate(rng *r, const char *letters, char *sample, size_t length)
{
    const size_t at = rng_below(r, (uint32_t)length);
    const char byte = letters[rng_below(r, (uint32_t)strlen(letters))];
    if (length == 0)
        return 0;
    switch (rng_below(r, 4)) {
    case 0:
        memmove(sample + at, sample + at + 1, length - at - 1);
        return length - 1;
    case 1:
        memmove(sample + at + 1, sample + at, length - at);
        sample[at] = byte;
        return length + 1;
    case 2:
        sample[at] = (char)rng_below(r, 256);
        return length;
    default:
        sample[at] = byte;
        return length;
    }
}

static size_t make_sample(const expression_case *c, rng *r, expression *const *read, char *sample)
{
    const size_t i = rng_below(r, (uint32_t)c->count);
    size_t length;
    if (read[i]) {
        length = expression_sample(read[i], r, c->letters, sample, SAMPLE);
    } else {
        length = c->patterns[i].length;
        memcpy(sample, c->patterns[i].text, length);
    }
    return rng_chance(r, 3) ? mutate(r, c->letters, sample, length) : length;
}

static void make_text(expression_case *c, rng *r, size_t longest)
{
    const uint32_t noise = PICK(r, ((const uint32_t[]){ 0, 2, 5, 5, 40 }));
    const uint32_t letters = (uint32_t)strlen(c->letters);
    expression *read[EXPRESSION_PATTERNS] = { NULL };
    const char *why;
    for (size_t i = 0; i < c->count; i++)
        if (c->patterns[i].syntax == TRAWL_SYNTAX_EXTENDED)
            read[i] = expression_read(&c->patterns[i], &why);
    c->length = choose_length(r, longest);
    c->text = fenced_text(c->length, rng_chance(r, 2));
    for (size_t at = 0; at < c->length;) {
        char sample[SAMPLE + 1];
        size_t length = make_sample(c, r, read, sample);
        length = length < c->length - at ? length : c->length - at;
        memcpy(c->text + at, sample, length);
        at += length;
        for (uint32_t i = rng_below(r, noise + 1); i > 0 && at < c->length; i--)
            c->text[at++] = (uint8_t)c->letters[rng_below(r, letters)];
        if (rng_chance(r, 3) && at < c->length)
            c->text[at++] = (uint8_t) " \n-\n"[rng_below(r, 4)];
    }
    for (size_t i = 0; i < c->count; i++)
        expression_free(read[i]);
}

void expression_case_make(expression_case *c, uint64_t seed, size_t longest)
{
    static const char *const alphabets[] = { "ab",     "ab",       "abc",     "aAbB",
                                             "ab1_ ",  "ab\n",     "ab -\n_", "abcdefgh",
                                             "a\xff.", "aB0\n_- ", "abab\r\n" };
    rng r = { seed };
    memset(c, 0, sizeof *c);
    c->seed = seed;
    c->letters = PICK(&r, alphabets);
    c->bounded = rng_chance(&r, 3);
    c->count = rng_chance(&r, 2) ? 1 : rng_between(&r, 1, EXPRESSION_PATTERNS);
    for (size_t i = 0; i < c->count; i++) {
        const char *why;
        make_pattern(c, &r, i);
        if (c->patterns[i].syntax != TRAWL_SYNTAX_EXTENDED)
            continue;
        expression *e = expression_read(&c->patterns[i], &why);
        c->unbounded |= expression_longest(e) == SIZE_MAX;
        expression_free(e);
    }
    make_text(c, &r, longest);
}

void expression_case_free(expression_case *c)
{
    fenced_free(c->text, c->length);
    c->text = NULL;
}

bool expression_case_affords(const expression_case *c, uint32_t report)
{
    return report == TRAWL_REPORT_ENDS || c->length <= SHORT || !c->unbounded;
}

void expression_case_print(const expression_case *c, FILE *out)
{
    fprintf(out, "seed %llu\n", (unsigned long long)c->seed);
    for (size_t i = 0; i < c->count; i++) {
        const trawl_pattern *p = &c->patterns[i];
        fprintf(out, "pattern %zu, id %u, %s, flags 0x%x: ", i, p->id,
                p->syntax == TRAWL_SYNTAX_LITERAL ? "literal" : "extended", p->flags);
        print_bytes(p->text, p->length, out);
    }
    fprintf(out, "text, %zu bytes: ", c->length);
    print_bytes((const char *)c->text, c->length, out);
}
