/* rarity.h: how often short strings of bytes can be expected in the text. */
#ifndef TRAWL_ENGINES_CLASSES_FACTORS_RARITY_H
#define TRAWL_ENGINES_CLASSES_FACTORS_RARITY_H

#include "engines/shared/problem.h"

enum { RARITY_HASHED = 1 << 16 };

/* Counts in the sample. */
typedef struct rarity {
    double places;
    uint32_t one[256];
    uint16_t two[1 << 16];
    uint16_t three[RARITY_HASHED], four[RARITY_HASHED];
} rarity;

/* Count in the problem's sample. NULL: no memory. memory_give frees it. */
rarity *rarity_of(const problem *p);

/* How many times a byte of the text begins this gram of `length` bytes (1 .. 4; the first byte
 * lowest), on average. */
double rarity_rate(const rarity *r, uint32_t gram, uint32_t length);

#endif
