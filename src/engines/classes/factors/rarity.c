/* rarity.c: how often a gram is to be expected.
 *
 * Grams in the sample are counted. Others are estimated as if their halves were independent; but
 * grams of the bytes that fill files of all kinds (zeros, spaces, ones, no-operations) are taken as
 * common in some text, if not in this sample.
 */
#include "engines/classes/factors/rarity.h"

#include <string.h>

#include "engines/classes/factors/layout.h"

#define TRUST 0.25       /* in independence */
#define FILLED 0.00002   /* the rate of a gram with one of the bytes that fill, */
#define FILLED_MORE 6.0  /* and by how much each further one makes it more frequent */
#define MIN_RATE 0.00001 /* of any gram: what a place in the tables costs */

static uint32_t hashed(uint32_t gram)
{
    return factors_hash(gram, 16);
}

static uint32_t read_gram(const uint8_t *text, uint32_t length)
{
    uint32_t gram = 0;
    for (uint32_t i = 0; i < length; i++)
        gram |= (uint32_t)text[i] << (8 * i);
    return gram;
}

static void count(uint16_t *counter)
{
    *counter = (uint16_t)(*counter + (*counter < UINT16_MAX));
}

rarity *rarity_of(const problem *p)
{
    const uint8_t *text = p->sample.bytes;
    const size_t length = p->sample.length;
    rarity *r = memory_take_zeroed(p->memory, 1, sizeof *r);
    if (!r)
        return NULL;
    r->places = (double)length;
    for (size_t i = 0; i < length; i++) {
        r->one[text[i]]++;
        if (length - i < 4)
            continue;
        const uint32_t gram = read_gram(text + i, 4);
        count(&r->two[gram & 0xffff]);
        count(&r->three[hashed(gram & 0xffffff)]);
        count(&r->four[hashed(gram)]);
    }
    return r;
}

static double filled(uint32_t gram, uint32_t length)
{
    double rate = 0;
    for (uint32_t i = 0; i < length; i++, gram >>= 8) {
        const uint32_t byte = gram & 0xff;
        if (byte == 0 || byte == 0xff || byte == 0x20 || byte == 0x90 || byte == 0xcc)
            rate = rate > 0 ? rate * FILLED_MORE : FILLED;
    }
    return rate;
}

double rarity_rate(const rarity *r, uint32_t gram, uint32_t length)
{
    double seen, both;
    switch (length) {
    case 1:
        seen = r->one[gram];
        both = r->places / 256;
        break;
    case 2:
        seen = r->two[gram];
        both = (double)r->one[gram & 0xff] * r->one[gram >> 8] / r->places;
        break;
    case 3:
        seen = r->three[hashed(gram)];
        both = (double)r->two[gram & 0xffff] * r->one[gram >> 16] / r->places;
        break;
    default:
        seen = r->four[hashed(gram)];
        both = (double)r->two[gram & 0xffff] * r->two[gram >> 16] / r->places;
        break;
    }
    return (seen + TRUST * both) / r->places + filled(gram, length) + MIN_RATE;
}
