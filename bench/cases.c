/* cases.c: what bench_engines measures. Patterns are drawn from the text itself, so that
 * any text serves and matches occur. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void set_pattern(trawl_pattern *p, const char *text, size_t length, uint32_t syntax,
                        uint32_t id)
{
    char *copy = malloc(length + 1);
    if (!copy)
        abort();
    memcpy(copy, text, length);
    copy[length] = 0;
    memset(p, 0, sizeof *p);
    p->text = copy;
    p->length = length;
    p->syntax = syntax;
    p->id = id;
}

static trawl_pattern *one_pattern(const char *text, uint32_t syntax)
{
    trawl_pattern *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    set_pattern(p, text, strlen(text), syntax, 1);
    return p;
}

/* `count` different words of 5 to 12 letters from the text. */
static trawl_pattern *draw_words(const uint8_t *text, size_t length, size_t *count, uint64_t *rng)
{
    trawl_pattern *set = calloc(*count, sizeof *set);
    size_t found = 0;
    if (!set)
        abort();
    for (size_t tries = 0; found < *count && tries < 1000 * *count; tries++) {
        size_t at = next_random(rng) % length, size = 0;
        while (at < length && isalpha(text[at]))
            at++;
        while (at < length && !isalpha(text[at]))
            at++;
        while (at + size < length && isalpha(text[at + size]) && size < 13)
            size++;
        bool known = size < 5 || size > 12;
        for (size_t i = 0; i < found && !known; i++)
            known = set[i].length == size && memcmp(set[i].text, text + at, size) == 0;
        if (!known) {
            set_pattern(&set[found], (const char *)text + at, size, TRAWL_SYNTAX_LITERAL,
                        (uint32_t)found + 1);
            found++;
        }
    }
    *count = found;
    return set;
}

/* A stretch of 16 letters and blanks from the text. */
static trawl_pattern *draw_phrase(const uint8_t *text, size_t length, uint64_t *rng)
{
    trawl_pattern *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    for (;;) {
        size_t at = next_random(rng) % (length - 16), size = 0;
        while (size < 16 && (isalpha(text[at + size]) || text[at + size] == ' '))
            size++;
        if (size == 16) {
            set_pattern(p, (const char *)text + at, 16, TRAWL_SYNTAX_LITERAL, 1);
            return p;
        }
    }
}

static void add_peer(text_case *c)
{
#ifdef TRAWL_HAVE_HS
    c->peer_state = peer_hyperscan_prepare(c);
    if (c->peer_state) {
        c->peer = peer_hyperscan;
        c->peer_name = "hyperscan";
    }
#else
    (void)c;
#endif
}

text_case *make_text_cases(const uint8_t *text, size_t length, uint64_t seed, size_t *count)
{
    static const char *const set_engines[] = { "wm", "ac", "pfac" };
    static const char *const single[] = { "the[rnm]e", "[A-Z][a-z]+ing", "[0-9]{2,4}[a-z]?of",
                                          "s.{0,3}h[aeiou]+nd" };
    text_case *cases = calloc(32, sizeof *cases);
    size_t n = 0, words = BENCH_PATTERNS;
    uint64_t rng = seed ? seed : 1;
    if (!cases)
        abort();
    cases[n++] = (text_case){ .engine = "bm",
                              .what = "1 literal of 16 bytes",
                              .patterns = draw_phrase(text, length, &rng),
                              .count = 1,
                              .peer = peer_memmem,
                              .peer_name = "memmem" };
    trawl_pattern *set = draw_words(text, length, &words, &rng);
    for (size_t i = 0; i < 3; i++) {
        cases[n] = (text_case){ .engine = set_engines[i],
                                .what = "1000 words of 5 to 12 bytes",
                                .patterns = set,
                                .count = words };
        add_peer(&cases[n++]);
    }
    for (size_t i = 0; i < 4; i++) {
        cases[n] = (text_case){ .engine = "shiftand",
                                .what = single[i],
                                .count = 1,
                                .patterns = one_pattern(single[i], TRAWL_SYNTAX_EXTENDED) };
        add_peer(&cases[n++]);
    }
    cases[n] = (text_case){ .engine = "shiftand",
                            .what = "200 words",
                            .patterns = set,
                            .count = words < 200 ? words : 200 };
    add_peer(&cases[n++]);
    cases[n] = (text_case){ .engine = "hnfa",
                            .what = single[2],
                            .count = 1,
                            .patterns = one_pattern(single[2], TRAWL_SYNTAX_EXTENDED) };
    add_peer(&cases[n++]);
    cases[n] = (text_case){ .engine = "hnfa",
                            .what = "the.{100,200}and",
                            .count = 1,
                            .patterns = one_pattern("the.{100,200}and", TRAWL_SYNTAX_EXTENDED) };
    *count = n + 1;
    return cases;
}

/* A photograph-like picture: smooth shades with noise in the low bits; or a bilevel page,
 * mostly white with runs of black. */
static void *make_picture(uint64_t rows, uint64_t cols, uint32_t cell_size, uint64_t *rng)
{
    uint8_t *cells = malloc(rows * cols * cell_size);
    if (!cells)
        abort();
    for (uint64_t r = 0; r < rows; r++) {
        for (uint64_t c = 0; c < cols; c++) {
            uint64_t noise = next_random(rng);
            if (cell_size == 4) {
                uint32_t shade = (uint32_t)((r / 16 + c / 24) & 0xf8) | (noise & 3);
                uint32_t pixel = shade | (shade / 2 + (noise >> 8 & 1)) << 8 | (255 - shade) << 16;
                memcpy(cells + (r * cols + c) * 4, &pixel, 4);
            } else {
                cells[r * cols + c] = (r % 50 > 20) && (noise % 100 < 30) && (c % 100 > 10);
            }
        }
    }
    return cells;
}

grid_case *make_grid_cases(uint64_t seed, size_t *count)
{
    grid_case *cases = calloc(4, sizeof *cases);
    uint64_t rng = seed ? seed : 1;
    if (!cases)
        abort();
    void *photo = make_picture(4000, 4000, 4, &rng);
    void *page = make_picture(14000, 14000, 1, &rng);
    cases[0] = (grid_case){ "byr", "photo 4000 x 4000, 64 x 64", 4, 4000, 4000, 64, photo };
    cases[1] = (grid_case){ "bb", "photo 4000 x 4000, 64 x 64", 4, 4000, 4000, 64, photo };
    cases[2] = (grid_case){ "byr", "page 14000 x 14000, 64 x 64", 1, 14000, 14000, 64, page };
    cases[3] = (grid_case){ "bb", "page 14000 x 14000, 64 x 64", 1, 14000, 14000, 64, page };
    *count = 4;
    return cases;
}
