/* random.h: random patterns and texts for the property tests.
 *
 * One seed gives one scenario, always the same: a test prints the seed, and the seed alone
 * brings the failure back.
 */
#ifndef TRAWL_RANDOM_H
#define TRAWL_RANDOM_H

#include <stdbool.h>
#include <stdio.h>

#include "trawl.h"

enum { SCENARIO_PATTERNS = 12, SCENARIO_WRITTEN = 1500, SCENARIO_SAMPLE = 1000 };

/* Numbers: splitmix64. */
typedef struct rng {
    uint64_t state;
} rng;

uint64_t rng_next(rng *r);
uint32_t rng_below(rng *r, uint32_t bound);                /* 0 .. bound - 1 */
uint32_t rng_between(rng *r, uint32_t low, uint32_t high); /* low .. high */
bool rng_chance(rng *r, uint32_t one_in);

typedef struct scenario {
    uint64_t seed;
    trawl_pattern patterns[SCENARIO_PATTERNS];
    size_t count;
    uint8_t *text; /* begins or ends at a page that nobody may touch: fence.h */
    size_t length;
    bool literals;  /* all patterns are literals */
    bool unbounded; /* some pattern has no longest match */
    bool bordered;  /* some pattern asks what stands beside a match */
    bool wide;      /* some repeat takes nearly every byte, as .{2,9} does */

    /* What the patterns are written as, and a text that each of them matches. */
    char written[SCENARIO_PATTERNS][SCENARIO_WRITTEN];
    char sample[SCENARIO_PATTERNS][SCENARIO_SAMPLE];
    size_t sample_length[SCENARIO_PATTERNS];
    uint8_t alphabet[256];
    uint32_t letters;
} scenario;

/* Texts are mostly short, some around the borders of words, snapshots and slices; `longest`
 * bounds them. */
void scenario_make(scenario *s, uint64_t seed, size_t longest);
void scenario_free(scenario *s);

/* False when this report of this scenario has millions of matches. */
bool scenario_affords(const scenario *s, uint32_t report);

/* All that is needed to see what the scenario was; long texts only in part. */
void scenario_print(const scenario *s, FILE *out);

/* A line: the first 2000 bytes in quotes, those that cannot be printed in hexadecimal, and how many
 * there are besides. */
void print_bytes(const char *bytes, size_t length, FILE *out);

/* An environment variable as a number, or the default. */
uint64_t environment_number(const char *name, uint64_t usual);

/* TRAWL_TEST_SEED, or a new seed; printed in any case. */
uint64_t test_seed(void);

/* TRAWL_TEST_CASES, or one in TRAWL_TEST_EVERY of `usual`: one in 1 without it, in 20 under a
 * sanitizer. Never 0. */
uint64_t test_cases(uint64_t usual);

/* True when this was built with the address sanitizer: tests that take long are left out. */
bool test_sanitized(void);

#endif
