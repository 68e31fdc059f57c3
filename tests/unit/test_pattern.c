/* test_pattern.c: the syntaxes, the checks and the order of the pattern list.
 *
 * Each row of `cases` is a pattern and what it must become, printed in one canonical
 * form: a literal as 'bytes', an element as <ranges>{min,max}, with * for no bound and
 * bytes that are not letters or digits as \xHH; alternatives with | between. Or the
 * offset of the error and a part of its message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, whose macro fail() would swallow the declaration of the function. */
#include "pattern/pattern.h"

#include <cmocka.h>

/* ---- the canonical form --------------------------------------------------- */

static memory heap = { .limit = UINT64_MAX };

typedef struct printer {
    char text[4096];
    size_t length;
} printer;

static void print_text(printer *out, const char *text)
{
    size_t length = strlen(text);
    assert_true(out->length + length < sizeof out->text);
    memcpy(out->text + out->length, text, length + 1);
    out->length += length;
}

static void print_byte(printer *out, unsigned byte)
{
    char text[8];
    bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                 (byte >= 'a' && byte <= 'z');
    snprintf(text, sizeof text, plain ? "%c" : "\\x%02x", byte);
    print_text(out, text);
}

static void print_set(printer *out, const byte_class *set)
{
    print_text(out, "<");
    for (unsigned low = 0; low < 256; low++) {
        unsigned high = low;
        if (!class_has(set, low))
            continue;
        while (high < 255 && class_has(set, high + 1))
            high++;
        print_byte(out, low);
        if (high > low) {
            print_text(out, "-");
            print_byte(out, high);
        }
        low = high;
    }
    print_text(out, ">");
}

static void print_pattern(printer *out, const pattern *p)
{
    char repeat[32];
    if (p->literal) {
        print_text(out, "'");
        for (size_t i = 0; i < p->length; i++)
            print_byte(out, p->bytes[i]);
        print_text(out, "'");
        return;
    }
    for (size_t i = 0; i < p->length; i++) {
        const element *e = &p->elements[i];
        print_set(out, &e->set);
        if (e->max == REPEAT_UNBOUNDED)
            snprintf(repeat, sizeof repeat, "{%u,*}", (unsigned)e->min);
        else
            snprintf(repeat, sizeof repeat, "{%u,%u}", (unsigned)e->min, (unsigned)e->max);
        print_text(out, repeat);
    }
}

/* ---- the syntaxes --------------------------------------------------------- */

enum {
    LIT = TRAWL_SYNTAX_LITERAL,
    ESC = TRAWL_SYNTAX_ESCAPED,
    EXT = TRAWL_SYNTAX_EXTENDED,
    PRO = TRAWL_SYNTAX_PROSITE,
    NUC = TRAWL_SYNTAX_IUPAC,
    HEX = TRAWL_SYNTAX_HEX,
    I = TRAWL_NOCASE,
    L = TRAWL_LINES,
    W = TRAWL_WORDS,
    X = TRAWL_WHOLE_LINES,
    N = TRAWL_LINES | TRAWL_NULS,
    A = TRAWL_AMBIGUOUS,
    S = TRAWL_OTHER_STRAND
};

typedef struct pattern_case {
    const char *text;
    size_t length;
    uint32_t syntax;
    uint32_t flags;
    const char *expected; /* the canonical form, or NULL for an error ... */
    size_t offset;        /* ... at this offset ... */
    const char *message;  /* ... with this in its message */
} pattern_case;

#define OK(text, syntax, flags, expected)                                                          \
    {                                                                                              \
        text, sizeof text - 1, syntax, flags, expected, 0, NULL                                    \
    }
#define BAD(text, syntax, flags, offset, message)                                                  \
    {                                                                                              \
        text, sizeof text - 1, syntax, flags, NULL, offset, message                                \
    }

/* clang-format off */
static const pattern_case cases[] = {
    /* literals */
    OK("a", LIT, 0, "'a'"),
    OK("a.*\\n[", LIT, 0, "'a\\x2e\\x2a\\x5cn\\x5b'"),
    OK("a\0b\xff\n", LIT, 0, "'a\\x00b\\xff\\x0a'"),
    OK("AbZ@[\xc4", LIT, I, "'abz\\x40\\x5b\\xc4'"),
    BAD("ab\nc", LIT, L, 2, "never contains a newline"),
    OK("ab\nc", LIT, N, "'ab\\x0ac'"),
    BAD("ab\0c", LIT, N, 2, "never contains a NUL byte"),
    BAD("", LIT, 0, 0, "empty"),

    /* literals with escapes */
    OK("a\\\\b", ESC, 0, "'a\\x5cb'"),
    OK("\\a\\b\\e\\f\\n\\r\\t\\v\\'\\\"\\?", ESC, 0,
       "'\\x07\\x08\\x1b\\x0c\\x0a\\x0d\\x09\\x0b\\x27\\x22\\x3f'"),
    OK("\\0\\12\\0123\\377\\78", ESC, 0, "'\\x00\\x0a\\x0a3\\xff\\x078'"),
    OK("\\x41\\xfF\\x000", ESC, 0, "'A\\xff\\x000'"),
    OK("a.b*\0", ESC, 0, "'a\\x2eb\\x2a\\x00'"),
    OK("\\x41B", ESC, I, "'ab'"),
    BAD("ab\\q", ESC, 0, 2, "column 3: unknown escape \\q"),
    BAD("\\\xc3\xa9", ESC, 0, 0, "0xc3"),
    BAD("\\d", ESC, 0, 0, "unknown escape \\d"),
    BAD("\\8", ESC, 0, 0, "unknown escape \\8"),
    BAD("a\\400", ESC, 0, 1, "\\377"),
    BAD("a\\x4", ESC, 0, 1, "two hexadecimal digits"),
    BAD("\\x", ESC, 0, 0, "two hexadecimal digits"),
    BAD("\\xg1", ESC, 0, 0, "two hexadecimal digits"),
    BAD("abc\\", ESC, 0, 3, "write \\\\"),
    BAD("ab\\n", ESC, L, 2, "never contains a newline"),
    BAD("ab\\x0a", ESC, L, 2, "never contains a newline"),

    /* extended: what is a literal after all */
    OK("abc", EXT, 0, "'abc'"),
    OK("a\0\xff", EXT, 0, "'a\\x00\\xff'"),
    OK("aBc", EXT, I, "'abc'"),
    OK("[a][B][Cc]", EXT, I, "'abc'"),
    OK("[a]b", EXT, 0, "'ab'"),
    OK("[aA]", EXT, 0, "<Aa>{1,1}"),
    OK("a{3}b", EXT, 0, "'aaab'"),
    OK("a{1}", EXT, 0, "'a'"),
    OK("a{4,4}", EXT, 0, "'aaaa'"),
    OK("a{4097}", EXT, 0, "<a>{4097,4097}"),
    OK("\xc3\xa9t", EXT, 0, "'\\xc3\\xa9t'"),
    OK("]}-,/ ", EXT, 0, "'\\x5d\\x7d\\x2d\\x2c\\x2f\\x20'"),
    OK("[^\\x01-\\xff]", EXT, 0, "'\\x00'"),

    /* extended: escapes */
    OK("\\.\\*\\+\\?\\[\\]\\{\\}\\(\\)\\|\\^\\$\\/\\-\\\\", EXT, 0,
       "'\\x2e\\x2a\\x2b\\x3f\\x5b\\x5d\\x7b\\x7d\\x28\\x29\\x7c\\x5e\\x24\\x2f\\x2d\\x5c'"),
    OK("\\~\\_\\@\\\"", EXT, 0, "'\\x7e\\x5f\\x40\\x22'"),
    OK("\\a\\e\\f\\n\\r\\t\\v\\0\\012\\x0A\\0123", EXT, 0,
       "'\\x07\\x1b\\x0c\\x0a\\x0d\\x09\\x0b\\x00\\x0a\\x0a\\x0a3'"),
    OK("\\d", EXT, 0, "<0-9>{1,1}"),
    OK("\\D", EXT, 0, "<\\x00-\\x2f\\x3a-\\xff>{1,1}"),
    OK("\\w", EXT, 0, "<0-9A-Z\\x5fa-z>{1,1}"),
    OK("\\W", EXT, 0, "<\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\xff>{1,1}"),
    OK("\\s", EXT, 0, "<\\x09-\\x0d\\x20>{1,1}"),
    OK("\\S", EXT, 0, "<\\x00-\\x08\\x0e-\\x1f\\x21-\\xff>{1,1}"),
    BAD("ab\\", EXT, 0, 2, "write \\\\"),
    BAD("a\\q", EXT, 0, 1, "unknown escape \\q"),
    BAD("a\\u0041", EXT, 0, 1, "unknown escape \\u"),
    BAD("\\\xc3\xa9", EXT, 0, 0, "unknown escape"),
    BAD("\\ ", EXT, 0, 0, "unknown escape"),
    BAD("\\x1", EXT, 0, 0, "two hexadecimal digits"),
    OK("\\0777", EXT, 0, "'\\x3f7'"),

    /* extended: what other dialects have */
    BAD("a)", EXT, 0, 1, "unmatched ')'"),
    BAD("|a", EXT, 0, 0, "matches no byte"),
    BAD("a|", EXT, 0, 2, "matches no byte"),
    BAD("a||b", EXT, 0, 2, "matches no byte"),
    BAD("a|b?", EXT, 0, 0, "'b?' first"),
    BAD("^|a", EXT, 0, 1, "matches no byte"),
    BAD("a|$", EXT, 0, 2, "matches no byte"),
    BAD("[\\A]", EXT, 0, 1, "a class holds bytes"),
    OK("[\\<\\>\\`\\']", EXT, 0, "<\\x27\\x3c\\x3e\\x60>{1,1}"),
    BAD("a(b", EXT, 0, 1, "unmatched '(': close it with ')', or write [(] for the byte"),
    BAD("a(?:b|(?i", EXT, 0, 6, "unmatched '('"),
    BAD("a(?#b", EXT, 0, 1, "close the comment"),
    BAD("+a", EXT, 0, 0, "write [+] for the byte"),
    BAD("a\\1", EXT, 0, 1, "back-references"),
    BAD("a\\k", EXT, 0, 1, "back-references"),
    BAD("a++", EXT, 0, 2, "possessive"),
    BAD("(ab)*+a", EXT, 0, 5, "possessive"),
    BAD("a++[ab]", EXT, 0, 2, "possessive"),
    BAD("(?>a+?)b", EXT, 0, 0, "atomic"),
    BAD("x(?>|a)b", EXT, 0, 1, "atomic"),
    BAD("(?>a|ab)c", EXT, 0, 0, "atomic"),
    BAD("x(?>a*)", EXT, 0, 1, "atomic"),
    BAD("x(?>a?b?)b", EXT, 0, 1, "atomic"),
    BAD("(?>(a|b)*c|(a))d", EXT, 0, 0, "atomic"),
    BAD("a*??", EXT, 0, 3, "cannot be repeated"),
    BAD("a(?=b)", EXT, 0, 1, "lookahead"),
    BAD("a(?!b)", EXT, 0, 1, "as in foo[^b]"),
    BAD("(?<=b)a", EXT, 0, 0, "lookbehind"),
    BAD("(?<!b)a", EXT, 0, 0, "as in [^a]foo"),
    BAD("a(?|b)", EXT, 0, 1, "share their numbers"),
    BAD("(?<n>a)(?P=n)", EXT, 0, 7, "back-references"),
    BAD("a(?(1)b|c)", EXT, 0, 1, "conditional"),
    BAD("a(?C1)", EXT, 0, 1, "callouts"),
    BAD("a(?R)", EXT, 0, 1, "recursion"),
    BAD("(a)(?1)", EXT, 0, 3, "recursion"),
    BAD("(a)(?-1)", EXT, 0, 3, "recursion"),
    BAD("(?<n>a)(?&n)", EXT, 0, 7, "recursion"),
    BAD("(*UTF8)a", EXT, 0, 0, "verbs"),
    BAD("a(?<1>b)", EXT, 0, 1, "malformed name"),
    BAD("a(?<n b)", EXT, 0, 1, "malformed name"),
    BAD("a(?U)b", EXT, 0, 3, "unknown flag"),
    BAD("a(?i-s-m)b", EXT, 0, 1, "second '-'"),
    BAD("\\p{L}", EXT, 0, 0, "[[:alpha:]]"),
    BAD("a\\Kb", EXT, 0, 1, "\\K"),
    BAD("\\V", EXT, 0, 0, "\\v is the vertical tab"),
    BAD("a\\x{100}", EXT, 0, 1, "above \\x{ff}"),
    BAD("a\\x{}", EXT, 0, 1, "\\x{..} holds"),
    BAD("a\\o{8}", EXT, 0, 1, "\\o{..} octal"),
    BAD("a\\c", EXT, 0, 1, "\\c needs a letter"),
    BAD("a**", EXT, 0, 2, "cannot be repeated"),
    BAD("a{2}{3}", EXT, 0, 4, "cannot be repeated"),

    /* extended: what stands beside a match; lines' literals and class patterns are opened */
    OK("^ab", EXT, 0, "'\\x0aab'"),
    OK("^[ab]", EXT, 0, "<\\x0a>{1,1}<a-b>{1,1}"),
    OK("^a+", EXT, 0, "<\\x0a>{1,1}<a>{1,*}"),
    OK("ab$", EXT, 0, "'ab'"),
    OK("\\bab", EXT, 0, "'ab'"),
    OK("\\Aab\\z", EXT, 0, "'ab'"),
    OK("\\`ab\\'", EXT, 0, "'ab'"),
    OK("\\b[ab]+\\b", EXT, 0,
       "<\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\xff>{1,1}<a-b>{1,*}"),
    OK("\\B[ab]+", EXT, 0, "<0-9A-Z\\x5fa-z>{1,1}<a-b>{1,*}"),
    OK("\\<[ab]?c", EXT, 0,
       "<\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\xff>{1,1}<a-b>{0,1}<c>{1,1}"),
    OK("\\b.", EXT, 0, "<\\x00-\\xff>{1,1}"),
    OK("ab", LIT, W, "'ab'"),
    OK("ab", LIT, X, "'\\x0aab'"),
    OK("a\\^b\\$", EXT, 0, "'a\\x5eb\\x24'"),
    BAD("a^b", EXT, 0, 1, "no text matches"),
    BAD("$a", EXT, 0, 0, "no text matches"),
    BAD("a\\bb", EXT, 0, 1, "no text matches"),
    BAD("a$b", EXT, 0, 1, "no text matches"),
    BAD("(a|ab)\\b[bc]", EXT, 0, 6, "no text matches"),
    BAD("^", EXT, 0, 1, "matches no byte"),
    BAD("^$", EXT, 0, 1, "matches no byte"),
    BAD("^*", EXT, 0, 1, "nothing before"),
    BAD("^a*", EXT, 0, 0, "'a*' first"),

    /* extended: sets */
    OK(".", EXT, 0, "<\\x00-\\xff>{1,1}"),
    OK(".", EXT, L, "<\\x00-\\x09\\x0b-\\xff>{1,1}"),
    OK("[a-cx]", EXT, 0, "<a-cx>{1,1}"),
    OK("[^a-c]", EXT, 0, "<\\x00-\\x60d-\\xff>{1,1}"),
    OK("[]a]", EXT, 0, "<\\x5da>{1,1}"),
    OK("[^]a]", EXT, 0, "<\\x00-\\x5c\\x5e-\\x60b-\\xff>{1,1}"),
    OK("[-a]", EXT, 0, "<\\x2da>{1,1}"),
    OK("[a-]", EXT, 0, "<\\x2da>{1,1}"),
    OK("[^-a]", EXT, 0, "<\\x00-\\x2c\\x2e-\\x60b-\\xff>{1,1}"),
    OK("[+--]", EXT, 0, "<\\x2b-\\x2d>{1,1}"),
    OK("[a-c-e]", EXT, 0, "<\\x2da-ce>{1,1}"),
    OK("[\\w-]", EXT, 0, "<\\x2d0-9A-Z\\x5fa-z>{1,1}"),
    OK("[a^]", EXT, 0, "<\\x5ea>{1,1}"),
    OK("[a[]", EXT, 0, "<\\x5ba>{1,1}"),
    OK("[.*+?(|]", EXT, 0, "<\\x28\\x2a-\\x2b\\x2e\\x3f\\x7c>{1,1}"),
    OK("[\\]\\\\\\-]", EXT, 0, "<\\x2d\\x5c-\\x5d>{1,1}"),
    OK("[\\d\\s]", EXT, 0, "<\\x09-\\x0d\\x200-9>{1,1}"),
    OK("[\\x00-\\x1f\\b]", EXT, 0, "<\\x00-\\x1f>{1,1}"),
    OK("[\\x80-\\xff]", EXT, 0, "<\\x80-\\xff>{1,1}"),
    OK("[\xff\x80]", EXT, 0, "<\\x80\\xff>{1,1}"),
    OK("[[:alpha:]_]", EXT, 0, "<A-Z\\x5fa-z>{1,1}"),
    OK("[^[:space:][:digit:]]", EXT, 0, "<\\x00-\\x08\\x0e-\\x1f\\x21-\\x2f\\x3a-\\xff>{1,1}"),
    OK("[[:ascii:]]", EXT, 0, "<\\x00-\\x7f>{1,1}"),
    OK("[a[:^ascii:]]", EXT, 0, "<a\\x80-\\xff>{1,1}"),
    OK("[[:xdigit:]]", EXT, 0, "<0-9A-Fa-f>{1,1}"),
    OK("[[:cntrl:]]", EXT, 0, "<\\x00-\\x1f\\x7f>{1,1}"),
    OK("[[:punct:]]", EXT, 0, "<\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e>{1,1}"),
    OK("[[:graph:]]", EXT, 0, "<\\x21-\\x7e>{1,1}"),
    OK("[[:print:]]", EXT, 0, "<\\x20-\\x7e>{1,1}"),
    OK("[[:blank:]]", EXT, 0, "<\\x09\\x20>{1,1}"),
    OK("[[:alnum:]]", EXT, 0, "<0-9A-Za-z>{1,1}"),
    OK("[[:]", EXT, 0, "<\\x3a\\x5b>{1,1}"),
    BAD("x[ab", EXT, 0, 1, "unmatched '['"),
    BAD("[]", EXT, 0, 0, "unmatched '['"),
    BAD("[^]", EXT, 0, 0, "unmatched '['"),
    BAD("[", EXT, 0, 0, "unmatched '['"),
    BAD("[^", EXT, 0, 0, "unmatched '['"),
    BAD("[a-", EXT, 0, 0, "unmatched '['"),
    BAD("[a\\", EXT, 0, 2, "write \\\\"),
    BAD("[xz-a]", EXT, 0, 2, "reversed"),
    BAD("[a-\\d]", EXT, 0, 1, "single byte"),
    BAD("[a\\d-z]", EXT, 0, 2, "single byte"),
    BAD("[a\\q]", EXT, 0, 2, "unknown escape"),
    BAD("[\\1]", EXT, 0, 1, "back-references"),
    BAD("[[:foo:]]", EXT, 0, 1, "unknown class name"),
    BAD("[[:^foo:]]", EXT, 0, 1, "unknown class name"),
    BAD("[[:al^pha:]]", EXT, 0, 1, "unknown class name"),
    BAD("[[=a=]]", EXT, 0, 1, "collating"),
    BAD("[:alpha:]", EXT, 0, 0, "[[:name:]]"),
    BAD("a[^\\d\\D]", EXT, 0, 1, "empty"),
    BAD("[a\xc3\xa9]", EXT, 0, 2, "\\xHH"),
    BAD("[a-\xe2\x82\xac]", EXT, 0, 3, "\\xHH"),

    /* extended: flags */
    OK("[^a]", EXT, I, "<\\x00-\\x40B-\\x60b-\\xff>{1,1}"),
    OK("[a-c]x", EXT, I, "<A-Ca-c>{1,1}<Xx>{1,1}"),
    OK("[Y-b]", EXT, I, "<A-BY-by-z>{1,1}"),
    OK("[[:upper:]]", EXT, I, "<A-Za-z>{1,1}"),
    OK("[[:^upper:]]", EXT, I, "<\\x00-\\x40\\x5b-\\x60\\x7b-\\xff>{1,1}"),
    OK("[@`{]", EXT, I, "<\\x40\\x60\\x7b>{1,1}"),
    OK("[^a]", EXT, L, "<\\x00-\\x09\\x0b-\\x60b-\\xff>{1,1}"),
    OK("[\\na]b", EXT, L, "'ab'"),
    OK(".", EXT, N, "<\\x01-\\xff>{1,1}"),
    BAD("a\\x00", EXT, N, 1, "never contains a NUL byte"),
    BAD("a\\0", ESC, N, 1, "never contains a NUL byte"),
    OK("\\s", EXT, L, "<\\x09\\x0b-\\x0d\\x20>{1,1}"),
    BAD("a[\\n]", EXT, L, 1, "never contains a newline"),
    BAD("a\\nb", EXT, L, 1, "never contains a newline"),
    BAD("a\n", EXT, L, 1, "never contains a newline"),

    /* extended: repeats */
    OK("ab?", EXT, 0, "<a>{1,1}<b>{0,1}"),
    OK("ab*", EXT, 0, "<a>{1,1}<b>{0,*}"),
    OK("a+", EXT, 0, "<a>{1,*}"),
    OK(".{3}", EXT, 0, "<\\x00-\\xff>{3,3}"),
    OK("a{2,}", EXT, 0, "<a>{2,*}"),
    OK("a{2,3}", EXT, 0, "<a>{2,3}"),
    OK("xa{,3}", EXT, 0, "<x>{1,1}<a>{0,3}"),
    OK("xa{0,}", EXT, 0, "<x>{1,1}<a>{0,*}"),
    OK("a{0002,03}", EXT, 0, "<a>{2,3}"),
    OK("A.{1,3}C", EXT, 0, "<A>{1,1}<\\x00-\\xff>{1,3}<C>{1,1}"),
    OK("\xff*a", EXT, 0, "<\\xff>{0,*}<a>{1,1}"),
    OK("\\xc3\\xa9+", EXT, 0, "<\\xc3>{1,1}<\\xa9>{1,*}"),
    OK("a{1048576}", EXT, 0, "<a>{1048576,1048576}"),
    BAD("*a", EXT, 0, 0, "nothing before"),
    BAD("+", EXT, 0, 0, "write [+]"),
    BAD("{2}", EXT, 0, 0, "nothing before"),
    BAD("{", EXT, 0, 0, "malformed repeat"),
    BAD("a{", EXT, 0, 1, "write {x}"),
    BAD("a{}", EXT, 0, 1, "malformed repeat"),
    BAD("a{,}", EXT, 0, 1, "malformed repeat"),
    BAD("a{2", EXT, 0, 1, "malformed repeat"),
    BAD("a{2,3", EXT, 0, 1, "malformed repeat"),
    BAD("a{x}", EXT, 0, 1, "[{]"),
    BAD("a{-1}", EXT, 0, 1, "malformed repeat"),
    BAD("a{ 1}", EXT, 0, 1, "malformed repeat"),
    BAD("ab{0}", EXT, 0, 2, "matches nothing"),
    BAD("ab{0,0}", EXT, 0, 2, "matches nothing"),
    BAD("ab{,0}", EXT, 0, 2, "matches nothing"),
    BAD("a{3,2}", EXT, 0, 1, "reversed"),
    BAD("a{1048577}", EXT, 0, 0, "states"),
    BAD("xa{18446744073709551617,}", EXT, 0, 1, "states"),
    BAD("xa{1,4294967295}", EXT, 0, 1, "states"),
    BAD("a{1000000}b{1000000}", EXT, 0, 10, "states"),
    BAD("\xc3\xa9*", EXT, 0, 2, "last byte"),
    BAD("x\xe2\x82\xac{2}", EXT, 0, 4, "last byte"),
    BAD("\xf0\x9f\x98\x80+", EXT, 0, 4, "last byte"),

    /* extended: the empty string */
    BAD("", EXT, 0, 0, "empty"),
    BAD("a*", EXT, 0, 0, "empty string"),
    BAD("a*", EXT, 0, 0, "'a*' first: put + in place of its *"),
    BAD("^a*$", EXT, 0, 3, "write \\n, which ends the line, in place of its $"),
    BAD("^a*", EXT, 0, 0, "'a*' first: put + in place of its *"),
    BAD("[0-9]?b*c{0,3}", EXT, 0, 0, "'[0-9]?' first: remove its ?"),
    BAD("a{0,3}b?", EXT, 0, 0, "'a{0,3}' first: let its repeat begin at 1"),
    BAD("[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]{,4}", EXT, 0, 0, "aaa...' first: let"),

    BAD("(a*)(b?)", EXT, 0, 0, "all from here on"),
    BAD("ab|(c|d*)", EXT, 0, 6, "all from here on"),
    BAD("a*?", EXT, 0, 0, "all from here on"),
    BAD("(^|a)", EXT, 0, 1, "all from here on"),

    /* extended: alternatives */
    OK("ab|c[de]", EXT, 0, "'ab'|<c>{1,1}<d-e>{1,1}"),

    /* extended: groups that are sequences after all, or alternatives of these */
    OK("a(b)", EXT, 0, "'ab'"),
    OK("(?<n>a)(?P<m>b)(?:c)", EXT, 0, "'abc'"),
    OK("a(b|c)", EXT, 0, "<a>{1,1}<b-c>{1,1}"),
    OK("(abd|acd)", EXT, 0, "'abd'|'acd'"),
    OK("x(abd|acd)", EXT, 0, "<x>{1,1}<a>{1,1}<b-c>{1,1}<d>{1,1}"),
    OK("x(ab|a)", EXT, 0, "<x>{1,1}<a>{1,1}<b>{0,1}"),
    OK("(foo|barn)", EXT, 0, "'foo'|'barn'"),
    OK("(\\bfoo|bar$)", EXT, 0, "'foo'|'bar'"),
    OK("(ab){3}", EXT, 0, "'ababab'"),
    OK("(?:a{2}){3}", EXT, 0, "'aaaaaa'"),
    OK("(?:a?){9}b", EXT, 0, "<a>{0,9}<b>{1,1}"),
    OK("(?:(?:a+)*)*b", EXT, 0, "<a>{0,*}<b>{1,1}"),
    OK("a{2}?", EXT, 0, "'aa'"),
    OK("(?i)aB", EXT, 0, "'ab'"),
    OK("(?i:ab|cd)", EXT, 0, "'ab'|'cd'"),
    OK("a(?i)b", EXT, 0, "<a>{1,1}<Bb>{1,1}"),
    OK("a(?i:b)c", EXT, I, "'abc'"),
    OK("a(?-i:b)c", EXT, I, "<Aa>{1,1}<b>{1,1}<Cc>{1,1}"),
    BAD("(?)b$$c^", EXT, 0, 4, "no text matches"),
    OK("(?-s).", EXT, 0, "<\\x00-\\x09\\x0b-\\xff>{1,1}"),
    OK("(?-s:.)(?s:.)", EXT, N, "<\\x01-\\xff>{1,1}<\\x01-\\xff>{1,1}"),
    OK("\\N", EXT, 0, "<\\x00-\\x09\\x0b-\\xff>{1,1}"),
    OK("(?x) a b # c\n [ ] \\  +", EXT, 0, "<a>{1,1}<b>{1,1}<\\x20>{1,1}<\\x20>{1,*}"),
    OK("a(?#b)+", EXT, 0, "<a>{1,*}"),
    OK("\\Qa.b\\E+", EXT, 0, "<a>{1,1}<\\x2e>{1,1}<b>{1,*}"),
    OK("\\Qa.(", EXT, 0, "'a\\x2e\\x28'"),
    OK("[\\Q^]-\\E]", EXT, 0, "<\\x2d\\x5d-\\x5e>{1,1}"),
    OK("\\x{41}\\x{7}\\o{101}\\101\\cA\\cz", EXT, 0, "'A\\x07AA\\x01\\x1a'"),
    OK("\\h\\H", EXT, 0, "<\\x09\\x20>{1,1}<\\x00-\\x08\\x0a-\\x1f\\x21-\\xff>{1,1}"),
    OK("a\\R", EXT, L, "<a>{1,1}<\\x0b-\\x0d>{1,1}"),
    OK("\\Ga\\Z", EXT, 0, "'a'"),
    OK("a(?>b)", EXT, 0, "'ab'"),
    OK("x(?>a|)b", EXT, 0, "<x>{1,1}<a>{0,1}<b>{1,1}"),
    OK("a++b?+c", EXT, 0, "<a>{1,*}<b>{0,1}<c>{1,1}"),
    OK("(?>a|b)*+c{3}+", EXT, 0, "<a-b>{0,*}<c>{3,3}"),
    OK("x(?>a*b?)\\.", EXT, 0, "<x>{1,1}<a>{0,*}<b>{0,1}<\\x2e>{1,1}"),
    OK("(a)+(b|c|[d-f]){2,}", EXT, 0, "<a>{1,*}<b-f>{2,*}"),

    /* PROSITE */
    OK("R-G-D.", PRO, 0, "'rgd'"),
    OK("r-g-d", PRO, 0, "'rgd'"),
    OK("R-G-D", PRO, I, "'rgd'"),
    OK("RG\n  D", PRO, 0, "'rgd'"),
    OK("[AG]-x(4)-G-K-[ST].", PRO, 0, "<AGag>{1,1}<A-Za-z>{4,4}<Gg>{1,1}<Kk>{1,1}<S-Ts-t>{1,1}"),
    OK("C-X(2,4)-{PC}(2)", PRO, 0, "<Cc>{1,1}<A-Za-z>{2,4}<A-BD-OQ-Za-bd-oq-z>{2,2}"),
    OK("x-{p}", PRO, I, "<A-Za-z>{1,1}<A-OQ-Za-oq-z>{1,1}"),
    OK("<A-x*-{C}*>", PRO, 0, "<\\x0a>{1,1}<Aa>{1,1}<A-Za-z>{0,*}<A-BD-Za-bd-z>{0,*}"),
    OK("<{C}*>", PRO, 0, "<\\x0a>{1,1}<A-BD-Za-bd-z>{1,*}"),
    OK("<x(0,1)-[ST]>.", PRO, 0, "<\\x0a>{1,1}<A-Za-z>{0,1}<S-Ts-t>{1,1}"),
    OK("F-L-[G>].", PRO, 0, "'flg'|'fl'"),
    OK("F-L-[GA>]", PRO, 0, "<Ff>{1,1}<Ll>{1,1}<AGag>{1,1}|'fl'"),
    OK("[<M]-K-[G>]", PRO, 0, "'mkg'|'kg'|'mk'|'k'"),
    BAD("", PRO, 0, 0, "empty"),
    BAD("A-", PRO, 0, 2, "an element is a letter"),
    BAD("A-.", PRO, 0, 2, "an element is a letter"),
    BAD("A-1", PRO, 0, 2, "an element is a letter"),
    BAD("A-(D,E)", PRO, 0, 2, "one of several letters is written [DE]"),
    BAD("A-<B", PRO, 0, 2, "'<' stands before the first one"),
    BAD("A>-B", PRO, 0, 2, "the pattern ended before"),
    BAD("A.B", PRO, 0, 2, "the pattern ended before"),
    BAD("A-[BC", PRO, 0, 2, "unmatched '['"),
    BAD("A-{BC]", PRO, 0, 5, "between brackets"),
    BAD("[G>]-A", PRO, 0, 5, "nothing follows"),
    BAD("A-[<G]", PRO, 0, 3, "in the class that comes first"),
    BAD("A-[G>](2)", PRO, 0, 2, "cannot be repeated"),
    BAD("[G>]", PRO, 0, 0, "without the class of the border"),
    BAD("A-x(2", PRO, 0, 3, "malformed repeat"),
    BAD("A-x(2,)", PRO, 0, 3, "malformed repeat"),
    BAD("A-x(4,2)", PRO, 0, 3, "reversed"),
    BAD("A-x(0)", PRO, 0, 3, "matches nothing"),
    BAD("A*-x(0,3)", PRO, 0, 0, "without any residue"),
    BAD("A-{ABCDEFGHIJKLMNOPQRSTUVWXYZ}", PRO, 0, 2, "empty"),
    BAD("A-x(9999999)", PRO, 0, 2, "states"),

    /* IUPAC */
    OK("GAATTC", NUC, 0, "'gaattc'"),
    OK("gaUUC", NUC, 0, "'gauuc'"),
    OK("GAATTC", NUC, I, "'gaattc'"),
    OK("GTYRAC", NUC, 0, "<Gg>{1,1}<Tt>{1,1}<CT-UYct-uy>{1,1}<AGRagr>{1,1}<Aa>{1,1}<Cc>{1,1}"),
    OK("CN{5}g", NUC, 0, "<Cc>{1,1}<A-DG-HKM-NR-WYa-dg-hkm-nr-wy>{5,5}<Gg>{1,1}"),
    OK("Bv", NUC, 0, "<B-CGKS-UYb-cgks-uy>{1,1}<ACGMR-SVacgmr-sv>{1,1}"),
    OK("W", NUC, I, "<AT-UWat-uw>{1,1}"),
    OK("[AT]c", NUC, 0, "<ATWatw>{1,1}<Cc>{1,1}"),
    OK("[ACGT]", NUC, 0, "<A-DG-HKM-NR-TV-WYa-dg-hkm-nr-tv-wy>{1,1}"),
    OK("[^A]", NUC, 0, "<B-CGKS-UYb-cgks-uy>{1,1}"),
    OK("[^SA]c", NUC, 0, "<T-Ut-u>{1,1}<Cc>{1,1}"),
    OK("A?CG+|T{2,4}", NUC, 0, "<Aa>{0,1}<Cc>{1,1}<Gg>{1,*}|<Tt>{2,4}"),
    OK("^GA$", NUC, 0, "'\\x0aga'"),
    OK("A", NUC, A, "<ADHM-NRV-Wadhm-nrv-w>{1,1}"),
    OK("[CG]", NUC, A, "<B-DG-HKM-NR-SVYb-dg-hkm-nr-svy>{1,1}"),
    OK("GAATTC", NUC, S, "'gaattc'"),
    OK("CACCTGC", NUC, S, "'gcaggtg'"),
    OK("ACU", NUC, S, "'agu'"),
    OK("AAR{2}[GT]?", NUC, S, "<ACMacm>{0,1}<CT-UYct-uy>{2,2}<Tt>{1,1}<Tt>{1,1}"),
    OK("[^A]c", NUC, S, "<Gg>{1,1}<ACGMR-SVacgmr-sv>{1,1}"),
    OK("^GAT", NUC, S, "'atc'"),
    BAD("GAEC", NUC, 0, 2, "no code of a base"),
    BAD("GA C", NUC, 0, 2, "no code of a base"),
    BAD("A.C", NUC, 0, 1, "gaps are repeats"),
    BAD("A\\x41", NUC, 0, 1, "no code of a base"),
    BAD("A[C-G]", NUC, 0, 2, "a range takes a single byte"),
    BAD("A[C[:digit:]]", NUC, 0, 3, "no code of a base"),
    BAD("A[^N]", NUC, 0, 1, "the class is empty"),
    BAD("A(C)", NUC, 0, 1, "groups are not supported"),
    BAD("N{0,5}", NUC, 0, 0, "empty string"),

    /* hexadecimal */
    OK("4D5a", HEX, 0, "'MZ'"),
    OK("{ 4D 5A }", HEX, 0, "'MZ'"),
    OK("4D /* a } */ 5A // b\n 41", HEX, 0, "'MZA'"),
    OK("4D", HEX, I, "'m'"),
    OK("4? ?1 30", HEX, 0,
       "<\\x40-O>{1,1}<\\x01\\x11\\x211AQaq\\x81\\x91\\xa1\\xb1\\xc1\\xd1\\xe1\\xf1>{1,1}<0>{1,1}"),
    OK("41 ?? ?? 42", HEX, 0, "<A>{1,1}<\\x00-\\xff>{2,2}<B>{1,1}"),
    OK("41[4]42", HEX, 0, "<A>{1,1}<\\x00-\\xff>{4,4}<B>{1,1}"),
    OK("41[4-6]42[-]43", HEX, 0,
       "<A>{1,1}<\\x00-\\xff>{4,6}<B>{1,1}<\\x00-\\xff>{0,*}<C>{1,1}"),
    OK("41[4-]42{3}43{-2}44*45{1-2}46", HEX, 0,
       "<A>{1,1}<\\x00-\\xff>{4,*}<B>{1,1}<\\x00-\\xff>{3,3}<C>{1,1}<\\x00-\\xff>{0,2}<D>{1,1}"
       "<\\x00-\\xff>{0,*}<E>{1,1}<\\x00-\\xff>{1,2}<F>{1,1}"),
    OK("41[0]42", HEX, 0, "'AB'"),
    OK("41 ?? [2-3] [1] 42 ??", HEX, 0,
       "<A>{1,1}<\\x00-\\xff>{4,5}<B>{1,1}<\\x00-\\xff>{1,1}"),
    OK("~41 !(42|43)", HEX, 0, "<\\x00-\\x40B-\\xff>{1,1}<\\x00-AD-\\xff>{1,1}"),
    OK("~41 !(62|43)", HEX, I,
       "<\\x00-\\x40B-\\x60b-\\xff>{1,1}<\\x00-AD-ad-\\xff>{1,1}"),
    OK("(~41|61)", HEX, I, "<\\x00-\\xff>{1,1}"),
    OK("41(42|43)", HEX, 0, "<A>{1,1}<B-C>{1,1}"),
    OK("41(42|43 44)45", HEX, 0, "'ABE'|'ACDE'"),
    OK("41(42 43|44 45)(46 47|48 49)", HEX, 0, "'ABCFG'|'ADEFG'|'ABCHI'|'ADEHI'"),
    OK("41(42(43 44|45 46)|47 48 49)", HEX, 0, "'ABCD'|'ABEF'|'AGHI'"),
    OK("(41 42)43", HEX, 0, "'ABC'"),
    OK("41([1-2]42|43 44 45)", HEX, 0, "<A>{1,1}<\\x00-\\xff>{1,2}<B>{1,1}|'ACDE'"),
    OK("?? [2] ??", HEX, L, "<\\x00-\\x09\\x0b-\\xff>{4,4}"),
    BAD("4", HEX, 0, 0, "two hexadecimal digits"),
    BAD("41 4 2", HEX, 0, 3, "two hexadecimal digits"),
    BAD("41 zz", HEX, 0, 3, "two hexadecimal digits"),
    BAD("41 /* 42", HEX, 0, 3, "two hexadecimal digits"),
    BAD("{ 41", HEX, 0, 0, "unmatched '{'"),
    BAD("{ }", HEX, 0, 2, "no byte here"),
    BAD("[4]41", HEX, 0, 0, "the one that comes first"),
    BAD("41 [4]", HEX, 0, 3, "the one that comes last"),
    BAD("41[]42", HEX, 0, 2, "malformed jump"),
    BAD("41[2", HEX, 0, 2, "malformed jump"),
    BAD("41{2]42", HEX, 0, 2, "malformed jump"),
    BAD("41[4-2]42", HEX, 0, 2, "reversed"),
    BAD("41[9999999]42", HEX, 0, 11, "states"),
    BAD("41(42", HEX, 0, 2, "unmatched '('"),
    BAD("41(42|)", HEX, 0, 6, "no byte here"),
    BAD("41|42", HEX, 0, 2, "no '(' before it"),
    BAD("41)", HEX, 0, 2, "no '(' before it"),
    BAD("41!(42 43|44)", HEX, 0, 2, "single bytes"),
    BAD("41(L)", HEX, 0, 3, "two hexadecimal digits"),
    BAD("((((((((((((((((((41 42))))))))))))))))))", HEX, 0, 16, "more than 16 deep"),
};
/* clang-format on */

/* The error of a case that is refused. */
static int refusal(const pattern_case *c)
{
    return strcmp(c->message, "states") == 0 ? TRAWL_ERROR_LIMIT : TRAWL_ERROR_PATTERN;
}

static void check_case(const pattern_case *c)
{
    trawl_pattern src = { c->text, c->length, c->syntax, c->flags, 1, NULL };
    pattern_list list;
    trawl_error error = { 0 };
    int status = pattern_list_make(&heap, &src, 1, NULL, &list, &error);
    if (c->expected) {
        printer out = { .length = 0 };
        if (status != TRAWL_OK)
            fail_msg("pattern \"%s\": %s", c->text, error.message);
        for (size_t i = 0; i < list.count; i++) {
            print_text(&out, i ? "|" : "");
            print_pattern(&out, &list.patterns[i]);
        }
        if (strcmp(out.text, c->expected) != 0)
            fail_msg("pattern \"%s\": %s, expected %s", c->text, out.text, c->expected);
        pattern_list_free(&list);
        return;
    }
    if (status != refusal(c) || error.code != status || error.pattern != 0)
        fail_msg("pattern \"%s\": status %d", c->text, status);
    if (error.offset != c->offset || !strstr(error.message, c->message))
        fail_msg("pattern \"%s\": offset %zu, %s", c->text, error.offset, error.message);
    assert_null(list.patterns);
}

static void test_syntaxes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* Each advice fits the message whole, and names the column. */
static void test_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pattern_case *c = &cases[i];
        trawl_pattern src = { c->text, c->length, c->syntax, c->flags, 1, NULL };
        pattern_list list;
        trawl_error error;
        char column[32];
        if (c->expected)
            continue;
        assert_int_equal(pattern_list_make(&heap, &src, 1, NULL, &list, NULL), refusal(c));
        assert_int_equal(pattern_list_make(&heap, &src, 1, NULL, &list, &error), refusal(c));
        snprintf(column, sizeof column, "column %zu: ", c->offset + 1);
        assert_int_equal(strncmp(error.message, column, strlen(column)), 0);
        assert_true(strlen(error.message) < sizeof error.message - 1);
        assert_null(strchr(error.message, '\n'));
    }
}

/* ---- the list ------------------------------------------------------------- */

static void test_order_and_lengths(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t id;
    } given[] = {
        { "ab", 5 },  { "a+", 2 },   { "abcd", 9 },   { "[xy]z", 3 }, { "ab", 3 },
        { "a?b", 1 }, { ".{4}", 4 }, { "c{2,7}", 2 }, { "z", 1 },
    };
    static const uint32_t order[] = { 6, 2, 3, 4, 0, 8, 5, 1, 7 };
    static const uint64_t lengths[][2] = { { 4, 4 }, { 4, 4 }, { 2, 2 }, { 2, 2 },
                                           { 2, 2 }, { 1, 1 }, { 1, 2 }, { 1, LENGTH_UNBOUNDED },
                                           { 2, 7 } };
    enum { COUNT = sizeof given / sizeof *given };
    trawl_pattern src[COUNT];
    pattern_list list;
    for (size_t i = 0; i < COUNT; i++)
        src[i] = (trawl_pattern){ given[i].text, strlen(given[i].text), EXT, 0,
                                  given[i].id,   i == 2 ? "two" : NULL };
    assert_int_equal(pattern_list_make(&heap, src, COUNT, NULL, &list, NULL), TRAWL_OK);
    assert_int_equal(list.count, COUNT);
    assert_int_equal(list.cell_size, 0);
    for (size_t i = 0; i < COUNT; i++) {
        const pattern *p = &list.patterns[i];
        assert_int_equal(p->order, order[i]);
        assert_int_equal(p->id, given[order[i]].id);
        assert_true(p->min_length == lengths[i][0]);
        assert_true(p->max_length == lengths[i][1]);
        if (p->order == 2)
            assert_string_equal(p->name, "two");
        else
            assert_null(p->name);
    }
    pattern_list_free(&list);
    assert_null(list.patterns);
    pattern_list_free(&list);
    pattern_list_free(NULL);
}

static void test_error_names_the_pattern(void **state)
{
    (void)state;
    trawl_pattern src[] = { { "a", 1, EXT, 0, 0, "name" }, { "b(", 2, EXT, 0, 0, NULL } };
    pattern_list list;
    trawl_error error;
    assert_int_equal(pattern_list_make(&heap, src, 2, NULL, &list, &error), TRAWL_ERROR_PATTERN);
    assert_int_equal(error.pattern, 1);
    assert_int_equal(error.offset, 1);
    assert_null(list.patterns);
    assert_int_equal(list.count, 0);
}

static void test_arguments(void **state)
{
    (void)state;
    trawl_pattern good = { "a", 1, LIT, 0, 0, NULL };
    trawl_pattern bad[] = { { NULL, 1, LIT, 0, 0, NULL },
                            { "a", 1, 99, 0, 0, NULL },
                            { "a", 1, LIT, 1u << 30, 0, NULL },
                            { "A", 1, PRO, TRAWL_OTHER_STRAND, 0, NULL } };
    trawl_pattern empty = { NULL, 0, LIT, 0, 0, NULL };
    pattern_list list;
    trawl_error error;
    for (size_t i = 0; i < 4; i++) {
        trawl_pattern pair[] = { good, bad[i] };
        assert_int_equal(pattern_list_make(&heap, pair, 2, NULL, &list, &error),
                         TRAWL_ERROR_ARGUMENT);
        assert_int_equal(error.pattern, 1);
        assert_true(error.offset == TRAWL_NONE);
    }
    assert_int_equal(pattern_list_make(&heap, &bad[1], 1, NULL, &list, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "syntax 99: trawl_syntax has literal (the bytes"));
    assert_int_equal(pattern_list_make(&heap, &empty, 1, NULL, &list, &error), TRAWL_ERROR_PATTERN);
    assert_int_equal(pattern_list_make(&heap, &good, 0, NULL, &list, &error), TRAWL_ERROR_ARGUMENT);
    assert_true(error.pattern == TRAWL_NONE);
    assert_int_equal(pattern_list_make(&heap, NULL, 1, NULL, &list, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(
        pattern_list_make(&heap, &good, (size_t)PATTERN_MAX_COUNT + 1, NULL, &list, &error),
        TRAWL_ERROR_LIMIT);
}

static void test_limits(void **state)
{
    (void)state;
    size_t length = (size_t)PATTERN_MAX_LENGTH + 1;
    char *text = malloc(length);
    pattern_list list;
    trawl_error error;
    assert_non_null(text);
    memset(text, 'a', length);
    for (uint32_t syntax = LIT; syntax <= ESC; syntax++) {
        trawl_pattern src = { text, length, syntax, 0, 0, NULL };
        assert_int_equal(pattern_list_make(&heap, &src, 1, NULL, &list, &error), TRAWL_ERROR_LIMIT);
        assert_int_equal(error.pattern, 0);
    }
    trawl_pattern src = { text, PATTERN_MAX_STATES, EXT, 0, 0, NULL };
    assert_int_equal(pattern_list_make(&heap, &src, 1, NULL, &list, &error), TRAWL_OK);
    assert_true(list.patterns[0].literal && list.patterns[0].length == PATTERN_MAX_STATES);
    pattern_list_free(&list);
    src.length++;
    assert_int_equal(pattern_list_make(&heap, &src, 1, NULL, &list, &error), TRAWL_ERROR_LIMIT);
    assert_int_equal(error.offset, PATTERN_MAX_STATES);
    free(text);
}

static void test_many(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    trawl_pattern *src = calloc(COUNT, sizeof *src);
    char(*texts)[16] = malloc(COUNT * sizeof *texts);
    pattern_list list;
    assert_non_null(src);
    assert_non_null(texts);
    for (size_t i = 0; i < COUNT; i++) {
        int length = snprintf(texts[i], sizeof *texts, "word%zu", i * 7919 % COUNT);
        src[i] = (trawl_pattern){ texts[i], (size_t)length, LIT, 0, (uint32_t)i, NULL };
    }
    assert_int_equal(pattern_list_make(&heap, src, COUNT, NULL, &list, NULL), TRAWL_OK);
    for (size_t i = 1; i < COUNT; i++) {
        const pattern *a = &list.patterns[i - 1], *b = &list.patterns[i];
        assert_true(a->length > b->length || (a->length == b->length && a->id < b->id));
    }
    pattern_list_free(&list);
    free(texts);
    free(src);
}

/* ---- grids ---------------------------------------------------------------- */

/* Cells of 3 bytes begin anywhere and have any stride that holds a row. */
static void test_grid_of_three_bytes(void **state)
{
    (void)state;
    static const uint8_t bytes[] = "-abcdefxghijkl";
    trawl_needle needle = { bytes + 1, 2, 2, 7, 0, NULL };
    pattern_list list;
    assert_int_equal(pattern_list_make_grid(&heap, &needle, 1, 3, NULL, &list, NULL), TRAWL_OK);
    assert_int_equal(list.cell_size, 3);
    assert_memory_equal(list.needles[0].cells, "abcdefghijkl", 12);
    pattern_list_free(&list);
    needle.stride = 5;
    assert_int_equal(pattern_list_make_grid(&heap, &needle, 1, 3, NULL, &list, NULL),
                     TRAWL_ERROR_ARGUMENT);
}

static void test_grid(void **state)
{
    (void)state;
    static const uint16_t cells[] = { 1, 2, 99, 3, 4, 99, 5, 6 };
    static const uint16_t packed[] = { 1, 2, 3, 4, 5, 6 };
    trawl_needle src[] = { { cells, 3, 2, 6, 8, "wide" },
                           { packed, 1, 6, 0, 3, NULL },
                           { packed, 6, 1, 0, 8, NULL } };
    static const uint32_t order[] = { 1, 0, 2 };
    pattern_list list;
    assert_int_equal(pattern_list_make_grid(&heap, src, 3, 2, NULL, &list, NULL), TRAWL_OK);
    assert_int_equal(list.cell_size, 2);
    assert_int_equal(list.count, 3);
    assert_null(list.patterns);
    for (size_t i = 0; i < 3; i++) {
        const needle *n = &list.needles[i];
        assert_int_equal(n->order, order[i]);
        assert_int_equal(n->id, src[order[i]].id);
        assert_int_equal(n->rows, src[order[i]].rows);
        assert_int_equal(n->cols, src[order[i]].cols);
        assert_memory_equal(n->cells, packed, sizeof packed);
    }
    assert_string_equal(list.needles[1].name, "wide");
    pattern_list_free(&list);
    assert_null(list.needles);
}

static void test_grid_errors(void **state)
{
    (void)state;
    static const uint32_t cells[4] = { 0 };
    const uint8_t *odd = (const uint8_t *)cells + 1;
    const uint64_t huge = UINT64_C(1) << 62;
    const struct {
        trawl_needle needle;
        int status;
    } bad[] = {
        { { NULL, 1, 1, 0, 0, NULL }, TRAWL_ERROR_ARGUMENT },
        { { cells, 0, 1, 0, 0, NULL }, TRAWL_ERROR_ARGUMENT },
        { { cells, 1, 0, 0, 0, NULL }, TRAWL_ERROR_ARGUMENT },
        { { cells, huge, 4, 0, 0, NULL }, TRAWL_ERROR_LIMIT },
        { { cells, 4, huge, 0, 0, NULL }, TRAWL_ERROR_LIMIT },
        { { cells, 1 << 15, (1 << 14) + 1, 0, 0, NULL }, TRAWL_ERROR_LIMIT },
        { { cells, 1, 2, 4, 0, NULL }, TRAWL_ERROR_ARGUMENT },
        { { cells, 1, 1, 5, 0, NULL }, TRAWL_ERROR_ARGUMENT },
        { { cells, 3, 1, SIZE_MAX - 3, 0, NULL }, TRAWL_ERROR_ARGUMENT },
        { { odd, 1, 1, 0, 0, NULL }, TRAWL_ERROR_ARGUMENT },
    };
    trawl_needle good = { cells, 2, 2, 0, 0, "name" };
    pattern_list list;
    trawl_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        trawl_needle pair[] = { good, bad[i].needle };
        assert_int_equal(pattern_list_make_grid(&heap, pair, 2, 4, NULL, &list, &error),
                         bad[i].status);
        assert_int_equal(error.pattern, 1);
        assert_null(list.needles);
    }
    assert_int_equal(pattern_list_make_grid(&heap, &good, 0, 4, NULL, &list, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(pattern_list_make_grid(&heap, NULL, 1, 4, NULL, &list, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(pattern_list_make_grid(&heap, &good, 1, 5, NULL, &list, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(pattern_list_make_grid(&heap, &good, 1, 0, NULL, &list, NULL),
                     TRAWL_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_syntaxes),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_order_and_lengths),
        cmocka_unit_test(test_error_names_the_pattern),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_grid_of_three_bytes),
        cmocka_unit_test(test_grid_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
