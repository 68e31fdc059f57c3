/* random_syntax.c: see random_syntax.h.
 *
 * A syntax is words: elements, what repeats them, what stands before and after all of them. A
 * pattern is some words in that order, an alternative some more.
 */
#include "random_syntax.h"

#include <string.h>

enum { MAX_WORDS = 14 };

/* What is not given is empty. */
typedef struct words {
    uint32_t syntax, flags;
    const char *elements[MAX_WORDS], *repeats[MAX_WORDS];
    const char *before[MAX_WORDS], *behind[MAX_WORDS];
    const char *between, *bar;
} words;

#define SIDES                                                                                      \
    .before = { "^", "\\b", "\\B", "\\<", "\\A" }, .behind = { "$", "\\b", "\\B", "\\>", "\\z" }

static const words syntaxes[] = {
    { .syntax = TRAWL_SYNTAX_LITERAL,
      .elements = { "a", "b", "ab", "A", "_", "-", "\n", "needle" } },
    { .syntax = TRAWL_SYNTAX_ESCAPED,
      .elements = { "a", "b", "ab", "\\x00", "\\n", "\\xff", "-" } },
    { .syntax = TRAWL_SYNTAX_EXTENDED,
      .elements = { "a", "b", "bab", ".", "[ab]", "[^a]", "\\w", "\\W", "-", "\\d", "\\x00" },
      .repeats = { "", "", "?", "{2}", "{1,3}", "{0,70}", "{2,}", "*", "+" },
      .bar = "|",
      SIDES },
    { .syntax = TRAWL_SYNTAX_EXTENDED,
      .elements = { "a", "b", "aba", ".", "[ab]" },
      .repeats = { "", "?", "{2}", "{3,5}" },
      .bar = "|",
      SIDES },
    { .syntax = TRAWL_SYNTAX_IUPAC,
      .flags = TRAWL_AMBIGUOUS | TRAWL_OTHER_STRAND,
      .elements = { "A", "C", "G", "T", "N", "RY", "[AG]", "[^A]", "GATTACA" },
      .repeats = { "", "", "?", "{2}", "{1,3}", "*" },
      .bar = "|",
      SIDES },
    { .syntax = TRAWL_SYNTAX_PROSITE,
      .elements = { "A", "x", "[ST]", "{P}", "[G>]", "[<M]", "C" },
      .repeats = { "", "", "(2)", "(1,3)", "*" },
      .before = { "<" },
      .behind = { ">", "." },
      .between = "-" },
    { .syntax = TRAWL_SYNTAX_HEX,
      .elements = { "4D", "61", "??", "4?", "?1", "~41", "[2-4]", "[1-]", "(50 45|4?)", "!(41|42)",
                    "(61|62 ??|63)" },
      .between = " " },
};

#undef SIDES

static const uint32_t flags[] = { TRAWL_NOCASE, TRAWL_LINES,       TRAWL_ONCE,
                                  TRAWL_WORDS,  TRAWL_WHOLE_LINES, TRAWL_NULS };

static const char *one_of(rng *r, const char *const *list)
{
    uint32_t count = 0;
    while (count < MAX_WORDS && list[count])
        count++;
    return count ? list[rng_below(r, count)] : NULL;
}

/* Add a word at the end, if it fits. */
static void put(char *written, size_t *length, const char *word)
{
    const size_t more = word ? strlen(word) : 0;
    if (more && *length + more < SYNTAX_WRITTEN) {
        memcpy(written + *length, word, more);
        *length += more;
    }
}

static void put_alternative(rng *r, const words *w, char *written, size_t *length)
{
    if (rng_chance(r, 3))
        put(written, length, one_of(r, w->before));
    for (uint32_t i = rng_between(r, 1, rng_chance(r, 4) ? 12 : 3); i > 0; i--) {
        put(written, length, one_of(r, w->elements));
        put(written, length, one_of(r, w->repeats));
        put(written, length, i > 1 ? w->between : NULL);
    }
    if (rng_chance(r, 4))
        put(written, length, one_of(r, w->behind));
}

static void make_pattern(rng *r, const words *w, uint32_t id, char *written, trawl_pattern *p)
{
    size_t length = 0;
    put_alternative(r, w, written, &length);
    while (w->bar && rng_chance(r, 2)) {
        put(written, &length, w->bar);
        put_alternative(r, w, written, &length);
    }
    *p = (trawl_pattern){ written, length, w->syntax, 0, id, rng_chance(r, 3) ? "named" : NULL };
    if (rng_chance(r, 3))
        p->flags |= flags[rng_below(r, sizeof flags / sizeof *flags)];
    if (rng_chance(r, 3))
        p->flags |= w->flags & (uint32_t)rng_next(r);
}

void syntax_set_make(syntax_set *set, rng *r)
{
    const uint32_t count = sizeof syntaxes / sizeof *syntaxes, one = rng_below(r, count);
    const bool mixed = rng_chance(r, 3);
    set->count = rng_chance(r, 2) ? 1 : rng_between(r, 1, SYNTAX_PATTERNS);
    for (size_t i = 0; i < set->count; i++)
        make_pattern(r, &syntaxes[mixed ? rng_below(r, count) : one],
                     rng_chance(r, 3) ? 0 : (uint32_t)i, set->written[i], &set->patterns[i]);
}

void syntax_set_print(const syntax_set *set, FILE *out)
{
    for (size_t i = 0; i < set->count; i++) {
        const trawl_pattern *p = &set->patterns[i];
        fprintf(out, "pattern %zu, id %u, syntax %u, flags 0x%x: %.*s\n", i, p->id, p->syntax,
                p->flags, (int)p->length, (const char *)p->text);
    }
}
