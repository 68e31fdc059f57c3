/* random.c: random patterns and texts for the property tests.
 *
 * Idea: texts of random letters hardly ever hold a pattern of 60 positions. So each pattern
 * is written together with a sample, a text that it matches, and texts are made of samples
 * as well as of letters. The letters are few, so that patterns overlap with themselves and
 * with each other.
 */
#include "random.h"

#include "fence.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILLER 0x80u /* stands in no alphabet */

/* ---- numbers ------------------------------------------------------------- */

uint64_t rng_next(rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t rng_below(rng *r, uint32_t bound)
{
    return bound ? (uint32_t)((rng_next(r) >> 32) * bound >> 32) : 0;
}

bool rng_chance(rng *r, uint32_t one_in)
{
    return rng_below(r, one_in) == 0;
}

uint32_t rng_between(rng *r, uint32_t low, uint32_t high)
{
    return low + rng_below(r, high - low + 1);
}

/* ---- writing a pattern and its sample -------------------------------------- */

typedef struct writer {
    rng *r;
    scenario *s;
    uint32_t syntax;
    bool may_repeat; /* without bound */
    bool newline;    /* one was written */
    bool varies;     /* matches are of several lengths */
    char *written, *sample;
    size_t written_length, sample_length;
} writer;

/* One set of bytes as it was written, and some bytes of it. */
typedef struct written_set {
    uint8_t members[4];
    uint32_t count;
    bool wide;
} written_set;

static bool full(const writer *w)
{
    return w->written_length > SCENARIO_WRITTEN - 80 || w->sample_length > SCENARIO_SAMPLE - 80;
}

static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->written_length += (size_t)vsnprintf(w->written + w->written_length,
                                           SCENARIO_WRITTEN - w->written_length, format, arguments);
    va_end(arguments);
}

static bool plain(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static void put_byte(writer *w, uint8_t byte)
{
    w->newline |= byte == '\n';
    if (w->syntax == TRAWL_SYNTAX_LITERAL || plain(byte))
        w->written[w->written_length++] = (char)byte;
    else
        put(w, rng_chance(w->r, 2) ? "\\x%02x" : "\\x%02X", byte);
}

static uint8_t letter(rng *r, const scenario *s)
{
    return s->alphabet[rng_below(r, s->letters)];
}

static written_set put_set(writer *w)
{
    written_set set = { { letter(w->r, w->s) }, 1, false };
    switch (rng_below(w->r, 8)) {
    case 0:
        put(w, ".");
        set.wide = true;
        break;
    case 1:
        set.wide = rng_chance(w->r, 2);
        put(w, set.wide ? "[^" : "[");
        set.count = rng_between(w->r, 1, 3);
        for (uint32_t i = 0; i < set.count; i++)
            put_byte(w, set.members[i] = letter(w->r, w->s));
        put(w, "]");
        if (set.wide) {
            set.count = 1;
            set.members[0] = FILLER;
        }
        break;
    case 2:
        if (rng_chance(w->r, 6)) {
            put(w, rng_chance(w->r, 2) ? "\\w" : "[[:alpha:]]");
            set.members[0] = 'q';
            break;
        } /* fall through */
    default:
        put_byte(w, set.members[0]);
    }
    return set;
}

/* A repeat {min, max}, written in one of the ways there are; *most is what a sample takes. */
static void put_repeat(writer *w, bool optional, uint32_t *least, uint32_t *most)
{
    const uint32_t longest = rng_chance(w->r, 10) ? 70 : rng_chance(w->r, 40) ? 220 : 4;
    const uint32_t low = optional ? rng_below(w->r, 3) : rng_between(w->r, 1, 3);
    const uint32_t high = low + rng_below(w->r, longest) + (low == 0);
    *least = low;
    *most = low + 3;
    if (w->may_repeat && rng_chance(w->r, 3)) {
        w->s->unbounded = true;
        if (optional && rng_chance(w->r, 2)) {
            put(w, "*");
            *least = 0;
        } else if (rng_chance(w->r, 2)) {
            put(w, "+");
            *least = 1;
        } else {
            put(w, "{%u,}", low);
        }
    } else if (optional && rng_chance(w->r, 2)) {
        put(w, "?");
        *least = 0;
        *most = 1;
    } else if (low && rng_chance(w->r, 3)) {
        put(w, "{%u}", low);
        *most = low;
    } else {
        if (low == 0 && rng_chance(w->r, 2))
            put(w, "{,%u}", high);
        else
            put(w, "{%u,%u}", low, high);
        *most = high;
    }
    w->varies |= *least != *most;
}

static void put_element(writer *w, bool repeat, bool optional)
{
    const written_set set = put_set(w);
    uint32_t least = 1, most = 1;
    if (repeat) {
        put_repeat(w, optional, &least, &most);
        w->s->wide |= set.wide;
    }
    if (most > least + 6 && !rng_chance(w->r, 4))
        most = least + 6;
    uint32_t times = rng_between(w->r, least, most > least ? most : least);
    for (; times > 0 && w->sample_length < SCENARIO_SAMPLE; times--)
        w->sample[w->sample_length++] = (char)set.members[rng_below(w->r, set.count)];
}

static void write_short(writer *w)
{
    const uint32_t count = rng_between(w->r, 1, 5), must = rng_below(w->r, count);
    for (uint32_t i = 0; i < count; i++)
        put_element(w, rng_chance(w->r, 2), i != must);
}

/* About as many positions as fill one, two or three words, with runs of optional positions
 * that may lie across their borders. */
static void write_long(writer *w)
{
    const uint32_t target = rng_between(w->r, 1, 3) * 64 + rng_below(w->r, 5) - 2;
    const uint32_t runs = rng_below(w->r, 5);
    uint32_t positions = 0;
    if (!rng_chance(w->r, 4)) {
        put_element(w, false, false);
        positions++;
    }
    while (positions < target && !full(w)) {
        uint32_t run = rng_chance(w->r, 12) && runs ? rng_between(w->r, 1, runs * 9) : 0;
        for (; run > 0 && positions < target && !full(w); run--, positions++) {
            put_byte(w, letter(w->r, w->s));
            put(w, "?");
            w->varies = true;
        }
        if (rng_chance(w->r, 20)) {
            put_element(w, true, true);
            positions += 3;
        }
        const uint8_t byte = letter(w->r, w->s);
        put_byte(w, byte);
        w->sample[w->sample_length++] = (char)byte;
        positions++;
    }
}

static void write_literal(writer *w)
{
    static const uint32_t borders[] = { 63, 64, 65, 127, 128, 129 };
    uint32_t length = rng_between(w->r, 1, 6);
    if (rng_chance(w->r, 12))
        length = borders[rng_below(w->r, 6)];
    else if (rng_chance(w->r, 12))
        length = rng_between(w->r, 7, 200);
    for (; length > 0 && !full(w); length--) {
        const uint8_t byte = letter(w->r, w->s);
        put_byte(w, byte);
        w->sample[w->sample_length++] = (char)byte;
    }
}

/* A literal made from another's sample: the same, a prefix, a suffix, or one byte changed. */
static void write_relative(writer *w, const char *sample, size_t length)
{
    size_t first = 0, last = length;
    switch (rng_below(w->r, 4)) {
    case 0:
        first = rng_below(w->r, (uint32_t)length);
        break;
    case 1:
        last = rng_between(w->r, 1, (uint32_t)length);
        break;
    default:
        break;
    }
    const size_t changed = rng_chance(w->r, 4) ? rng_below(w->r, (uint32_t)length) : length;
    for (size_t i = first; i < last && !full(w); i++) {
        const uint8_t byte = i == changed ? letter(w->r, w->s) : (uint8_t)sample[i];
        put_byte(w, byte);
        w->sample[w->sample_length++] = (char)byte;
    }
}

/* ---- a set of patterns ------------------------------------------------------ */

static void choose_alphabet(rng *r, scenario *s)
{
    static const struct {
        const char *letters;
        uint32_t count;
    } alphabets[] = {
        { "a", 1 },           { "ab", 2 },           { "abcd", 4 }, { "aAbB", 4 },
        { "\x00\xff", 2 },    { "a\x00\xff", 3 },    { "ACGT", 4 }, { "ab\n", 3 },
        { "aAkKzZ@[`{", 10 }, { "\x7f\xc3\xbf", 3 }, { "a \n", 3 }, { "ab_-\n", 5 },
    };
    const uint32_t kinds = sizeof alphabets / sizeof *alphabets;
    const uint32_t kind = rng_below(r, kinds + 2);
    if (kind < kinds) {
        s->letters = alphabets[kind].count;
        memcpy(s->alphabet, alphabets[kind].letters, s->letters);
        return;
    }
    s->letters = kind == kinds ? 26 : FILLER;
    for (uint32_t i = 0; i < s->letters; i++)
        s->alphabet[i] = (uint8_t)(kind == kinds ? 'a' + i : i);
}

/* Conditions on what stands beside a match. */
static void add_conditions(rng *r, scenario *s, size_t i, writer *w)
{
    static const char *const before[] = { "^", "^", "\\b", "\\B", "\\<", "^\\b", "\\A" };
    static const char *const behind[] = { "$", "\\b", "\\B", "\\>", "\\z", "$\\b" };
    char *written = s->written[i];
    trawl_pattern *p = &s->patterns[i];
    const uint32_t flags = p->flags;
    const size_t length = w->written_length;
    if (rng_chance(r, 6))
        p->flags |= TRAWL_WORDS;
    if (rng_chance(r, 10))
        p->flags |= TRAWL_WHOLE_LINES;
    const bool written_too =
        w->syntax == TRAWL_SYNTAX_EXTENDED && w->written_length + 8 <= SCENARIO_WRITTEN;
    if (written_too && rng_chance(r, 3)) {
        const char *condition = before[rng_below(r, sizeof before / sizeof *before)];
        memmove(written + strlen(condition), written, w->written_length);
        memcpy(written, condition, strlen(condition));
        w->written_length += strlen(condition);
    }
    if (written_too && rng_chance(r, 3)) {
        const char *condition = behind[rng_below(r, sizeof behind / sizeof *behind)];
        memcpy(written + w->written_length, condition, strlen(condition));
        w->written_length += strlen(condition);
    }
    s->bordered |= p->flags != flags || w->written_length != length;
}

/* What another pattern is written as, for an alternative. */
static void add_alternative(const scenario *s, size_t other, writer *w)
{
    const trawl_pattern *p = &s->patterns[other];
    if (w->syntax != TRAWL_SYNTAX_EXTENDED || p->syntax != TRAWL_SYNTAX_EXTENDED ||
        w->written_length + 1 + p->length > SCENARIO_WRITTEN)
        return;
    w->written[w->written_length++] = '|';
    memcpy(w->written + w->written_length, p->text, p->length);
    w->written_length += p->length;
}

static void make_pattern(rng *r, scenario *s, size_t i, bool may_repeat, bool may_ask)
{
    trawl_pattern *p = &s->patterns[i];
    writer w = { .r = r,
                 .s = s,
                 .syntax = TRAWL_SYNTAX_EXTENDED,
                 .may_repeat = may_repeat,
                 .written = s->written[i],
                 .sample = s->sample[i] };
    const size_t other = i ? rng_below(r, (uint32_t)i) : 0;
    if (s->literals)
        w.syntax = rng_chance(r, 3) ? TRAWL_SYNTAX_ESCAPED : TRAWL_SYNTAX_LITERAL;
    if (i && s->sample_length[other] && rng_chance(r, 3))
        write_relative(&w, s->sample[other], s->sample_length[other]);
    else if (s->literals)
        write_literal(&w);
    else if (rng_chance(r, 5))
        write_long(&w);
    else
        write_short(&w);
    s->sample_length[i] = w.sample_length;
    p->text = s->written[i];
    p->syntax = w.syntax;
    p->flags = rng_chance(r, 5) ? TRAWL_NOCASE : 0;
    if (!w.newline && rng_chance(r, 8))
        p->flags |= TRAWL_LINES;
    if (may_ask)
        add_conditions(r, s, i, &w);
    while (i && may_ask && !(p->flags & TRAWL_LINES) && rng_chance(r, 3))
        add_alternative(s, rng_below(r, (uint32_t)i), &w);
    p->length = w.written_length;
    p->id = rng_chance(r, 3) ? rng_below(r, 3) : (uint32_t)i;
}

/* ---- a text ------------------------------------------------------------------ */

static size_t choose_length(rng *r, const scenario *s, size_t longest)
{
    static const uint32_t borders[] = { 0, 1, 2, 64, 4096, 8192, 65536 };
    uint32_t length;
    switch (rng_below(r, 24)) {
    case 0:
        length = borders[rng_below(r, 7)] + rng_below(r, 3);
        length -= length ? 1 : 0;
        break;
    case 1:
        length = rng_below(r, 9000);
        break;
    case 2:
        length = rng_chance(r, 4) ? rng_between(r, 60000, 140000) : rng_below(r, 3000);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
        length = rng_below(r, 700);
        break;
    default:
        length = rng_below(r, 100);
    }
    if (s->wide && length > 4200)
        length = 4090 + length % 10;
    return length <= longest ? length : rng_below(r, (uint32_t)longest + 1);
}

static void fill_letters(rng *r, scenario *s, uint32_t one_in)
{
    for (size_t i = 0; i < s->length; i++)
        s->text[i] = one_in > 1 && !rng_chance(r, one_in) ? FILLER : letter(r, s);
}

/* Random letters with samples among them, some of which have one byte changed. */
static void fill_samples(rng *r, scenario *s, uint32_t one_in)
{
    const uint32_t gap = one_in > 1 ? 40 * one_in : rng_between(r, 1, 20);
    fill_letters(r, s, one_in);
    for (size_t at = rng_below(r, gap); at < s->length; at += rng_below(r, gap)) {
        const size_t which = rng_below(r, (uint32_t)s->count);
        const size_t length = s->sample_length[which];
        const size_t fits = length < s->length - at ? length : s->length - at;
        memcpy(s->text + at, s->sample[which], fits);
        if (fits && rng_chance(r, 4))
            s->text[at + rng_below(r, (uint32_t)fits)] = letter(r, s);
        at += rng_chance(r, 3) ? fits / 2 : fits;
        at += at < s->length && gap == 1;
    }
}

static void fill_periodic(rng *r, scenario *s)
{
    const size_t which = rng_below(r, (uint32_t)s->count);
    const size_t period = rng_chance(r, 2) && s->sample_length[which] ? s->sample_length[which]
                                                                      : rng_between(r, 1, 6);
    for (size_t i = 0; i < s->length; i++)
        s->text[i] = i >= period                   ? s->text[i - period]
                     : i < s->sample_length[which] ? (uint8_t)s->sample[which][i]
                                                   : letter(r, s);
}

static void fill_fibonacci(rng *r, scenario *s)
{
    const uint8_t a = letter(r, s), b = letter(r, s);
    size_t shorter = 1, longer = 2;
    for (size_t i = 0; i < s->length; i++) {
        if (i == longer) {
            const size_t next = shorter + longer;
            shorter = longer;
            longer = next;
        }
        s->text[i] = i == 0 ? a : i == 1 ? b : s->text[i - shorter];
    }
}

static void make_text(rng *r, scenario *s, size_t longest)
{
    const size_t which = rng_below(r, (uint32_t)s->count);
    const bool is_sample = rng_chance(r, 12) && s->sample_length[which] <= longest;
    s->length = is_sample ? s->sample_length[which] : choose_length(r, s, longest);
    s->text = fenced_text(s->length, rng_chance(r, 2));
    const bool sparse = s->length > 1000 && !s->literals;
    const bool crowded = s->length > 9000 && s->count > 2;
    const uint32_t kind = rng_below(r, 8);
    if (is_sample)
        memcpy(s->text, s->sample[which], s->length);
    else if (sparse || (crowded && s->letters < 4) || kind == 0)
        fill_samples(r, s, rng_between(r, 10, 400));
    else if (kind == 1 && !crowded)
        fill_periodic(r, s);
    else if (kind == 2 && !crowded)
        memset(s->text, letter(r, s), s->length);
    else if (kind == 3 && !crowded)
        fill_fibonacci(r, s);
    else if (kind < 6)
        fill_samples(r, s, 1);
    else
        fill_letters(r, s, 1);
}

/* ---- scenarios ---------------------------------------------------------------- */

void scenario_make(scenario *s, uint64_t seed, size_t longest)
{
    rng r = { seed };
    memset(s, 0, sizeof *s);
    s->seed = seed;
    choose_alphabet(&r, s);
    s->literals = rng_chance(&r, 2);
    const bool may_ask = rng_chance(&r, 4);
    s->count = rng_chance(&r, 3) ? 1 : rng_between(&r, 1, rng_chance(&r, 4) ? 12 : 4);
    const bool may_repeat = !s->literals && rng_chance(&r, 2);
    for (size_t i = 0; i < s->count; i++)
        make_pattern(&r, s, i, may_repeat, may_ask);
    make_text(&r, s, longest);
}

void scenario_free(scenario *s)
{
    fenced_free(s->text, s->length);
    s->text = NULL;
}

bool scenario_affords(const scenario *s, uint32_t report)
{
    return report != TRAWL_REPORT_PAIRS || !s->unbounded || s->length <= (s->wide ? 300 : 9000);
}

void print_bytes(const char *bytes, size_t length, FILE *out)
{
    const size_t shown = length < 2000 ? length : 2000;
    fputc('"', out);
    for (size_t i = 0; i < shown; i++) {
        const uint8_t byte = (uint8_t)bytes[i];
        if (byte >= 32 && byte < 127 && byte != '"')
            fputc(byte, out);
        else
            fprintf(out, "<%02x>", byte);
    }
    fprintf(out, shown < length ? "\" and %zu bytes more\n" : "\"\n", length - shown);
}

void scenario_print(const scenario *s, FILE *out)
{
    static const char *const syntaxes[] = { "literal", "escaped", "extended" };
    fprintf(out, "seed %llu\n", (unsigned long long)s->seed);
    for (size_t i = 0; i < s->count; i++) {
        const trawl_pattern *p = &s->patterns[i];
        fprintf(out, "pattern %zu, id %u, %s%s%s: ", i, p->id, syntaxes[p->syntax],
                p->flags & TRAWL_NOCASE ? ", nocase" : "", p->flags & TRAWL_LINES ? ", lines" : "");
        fprintf(out, p->flags & TRAWL_WORDS ? "as words, " : "");
        fprintf(out, p->flags & TRAWL_WHOLE_LINES ? "whole lines, " : "");
        print_bytes(p->text, p->length, out);
    }
    fprintf(out, "text, %zu bytes: ", s->length);
    print_bytes((const char *)s->text, s->length, out);
}

/* ---- the environment ------------------------------------------------------------ */

uint64_t environment_number(const char *name, uint64_t usual)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : usual;
}

uint64_t test_seed(void)
{
    const uint64_t seed = environment_number("TRAWL_TEST_SEED", (uint64_t)time(NULL) * 1000003);
    printf("TRAWL_TEST_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

bool test_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return true;
#endif
#endif
    return false;
}

uint64_t test_cases(uint64_t usual)
{
    const uint64_t every = environment_number("TRAWL_TEST_EVERY", test_sanitized() ? 20 : 1);
    return environment_number("TRAWL_TEST_CASES", (usual + every - 1) / every);
}
