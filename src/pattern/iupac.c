/* iupac.c: patterns of nucleotides, such as GTYRAC or GGCCN{5}GGCC.
 *
 * Idea: the extended syntax, whose letters are IUPAC's codes for one base or several. A set is made
 * of bases; then the codes that a text may have in their place are added: those all of whose bases
 * are in the set, or, under TRAWL_AMBIGUOUS, at least one. Case does not count (TRAWL_NOCASE is
 * implied).
 * Invariant: a single letter that stands for one base is one byte, so patterns of such letters are
 * literals; T and U are two letters, and either fits a code of several bases. The other strand is
 * the pattern of complements in reverse, with its two conditions exchanged.
 */
#include <string.h>

#include "pattern/elements.h"
#include "pattern/extended.h"
#include "pattern/syntax.h"

enum { BASE_A = 1, BASE_C = 2, BASE_G = 4, BASE_T = 8, BASES = 15 };

typedef struct code {
    char letter, complement;
    uint8_t bases;
} code;

static const code codes[] = {
    { 'A', 'T', BASE_A },          { 'C', 'G', BASE_C },          { 'G', 'C', BASE_G },
    { 'T', 'A', BASE_T },          { 'U', 'A', BASE_T },          { 'R', 'Y', BASE_A | BASE_G },
    { 'Y', 'R', BASE_C | BASE_T }, { 'S', 'S', BASE_C | BASE_G }, { 'W', 'W', BASE_A | BASE_T },
    { 'K', 'M', BASE_G | BASE_T }, { 'M', 'K', BASE_A | BASE_C }, { 'B', 'V', BASES & ~BASE_A },
    { 'D', 'H', BASES & ~BASE_C }, { 'H', 'D', BASES & ~BASE_G }, { 'V', 'B', BASES & ~BASE_T },
    { 'N', 'N', BASES },
};

#define CODES (sizeof codes / sizeof *codes)
#define SINGLE 5 /* the first ones, which stand for one base */

/* What is added to a letter in upper case to make it lower case. */
#define LOWER 32

static const code *find_code(char upper)
{
    for (size_t i = 0; i < CODES; i++)
        if (codes[i].letter == upper)
            return &codes[i];
    return NULL;
}

static bool has_uracil(const trawl_pattern *src)
{
    return memchr(src->text, 'U', src->length) || memchr(src->text, 'u', src->length);
}

/* The code on the other strand: for A it is U if the pattern is RNA. */
static const code *complement(const trawl_pattern *src, const code *c)
{
    return find_code(c->letter == 'A' && has_uracil(src) ? 'U' : c->complement);
}

/* Add the bases of a code as bytes. */
static bool add_bases(const trawl_pattern *src, uint8_t byte, byte_class *set)
{
    const unsigned shift = byte >= 'a' && byte <= 'z' ? LOWER : 0;
    const code *c = find_code((char)(byte - shift));
    if (!c)
        return false;
    if (src->flags & TRAWL_OTHER_STRAND)
        c = complement(src, c);
    if (c < codes + SINGLE)
        class_add(set, (uint8_t)c->letter + shift);
    for (size_t i = 0; c >= codes + SINGLE && i < SINGLE; i++)
        if (c->bases & codes[i].bases)
            class_add(set, (uint8_t)codes[i].letter + shift);
    return true;
}

/* Finish letters of one case: keep the bases that are in the set, or, if it is negated, those that
 * are not; then add the codes of several bases that the text may have. */
static void finish_case(uint32_t flags, bool negated, unsigned shift, byte_class *set)
{
    unsigned bases = 0;
    byte_class found = { { 0 } };
    for (size_t i = 0; i < SINGLE; i++) {
        const unsigned byte = (uint8_t)codes[i].letter + shift;
        if (!class_has(set, byte))
            continue;
        class_add(&found, byte);
        bases |= codes[i].bases;
    }
    if (bases == 0)
        return;
    if (negated) {
        bases = BASES & ~bases;
        for (size_t i = 0; i < SINGLE; i++)
            if (codes[i].bases & bases)
                class_add(set, (uint8_t)codes[i].letter + shift);
        for (int k = 0; k < 4; k++)
            set->bits[k] &= ~found.bits[k];
    }
    for (size_t i = SINGLE; i < CODES; i++) {
        const unsigned common = codes[i].bases & bases;
        if (flags & TRAWL_AMBIGUOUS ? common != 0 : common == codes[i].bases)
            class_add(set, (uint8_t)codes[i].letter + shift);
    }
}

static void finish(uint32_t flags, bool negated, byte_class *set)
{
    finish_case(flags, negated, 0, set);
    finish_case(flags, negated, LOWER, set);
}

static void reverse(pattern *p)
{
    const border before = p->before;
    p->before = p->after;
    p->after = before;
    for (size_t i = 0; p->literal && i < p->length / 2; i++) {
        const uint8_t byte = p->bytes[i];
        p->bytes[i] = p->bytes[p->length - 1 - i];
        p->bytes[p->length - 1 - i] = byte;
    }
    for (size_t i = 0; !p->literal && i < p->length / 2; i++) {
        const element e = p->elements[i];
        p->elements[i] = p->elements[p->length - 1 - i];
        p->elements[p->length - 1 - i] = e;
    }
}

int parse_iupac(memory *m, const trawl_pattern *src, size_t *next, pattern *out, trawl_error *error)
{
    static const dialect bases = {
        add_bases, finish,
        "no code of a base: those of IUPAC are A C G T U, R Y S W K M for two bases, B D H V for "
        "three and N for any; gaps are repeats, as N{2,5}"
    };
    const int status = parse_dialect(&bases, m, src, next, out, error);
    if (status == TRAWL_OK && src->flags & TRAWL_OTHER_STRAND)
        reverse(out);
    return status;
}
