/* layout.h: tables of the search for literals of up to four letters, two bits a letter.
 *
 * A letter's code is letter_low[low four bits] ^ letter_high[high four bits] of its byte (in lower
 * case when `fold`). Other bytes have some code too; they differ from letters[their code]. Bases
 * are packed from the lowest bits on: four in a byte.
 *
 * If two neighbouring bits of the letters' bytes tell them apart, these are the codes, which suits
 * devices.
 *
 * Shared by the builder (build.c) and the loops (vector.c, device.k).
 */
#ifndef TRAWL_ENGINES_LITERAL_KMERS_LAYOUT_H
#define TRAWL_ENGINES_LITERAL_KMERS_LAYOUT_H

#include "engines/shared/literal.h"

#define MIN_KMER 1u      /* letters of a gram, */
#define MAX_KMER 13u     /* which with its place among four fills 32 bits */
#define KMERS_STRIDE 32u /* the most */
#define KMERS_KNOWN 32u  /* letters of a literal that an entry holds */
#define KMERS_GENERAL 8u /* as letter_bit: there is none */
#define KMERS_HASH 0x9E3779B1u

typedef struct kmers_tables {
    u32 q;          /* letters of a gram: MIN_KMER .. MAX_KMER */
    u32 stride;     /* distance of probes: 1 .. KMERS_STRIDE */
    u32 fold;       /* 1: text is folded before it is packed */
    u32 compare;    /* 1: case counts for some literal, though text is folded */
    u32 bits;       /* u32[4^q / 32 or 1]: the grams that some window holds, word offset */
    u32 shift;      /* bucket of a gram: gram * KMERS_HASH >> shift; 8 .. 26 */
    u32 buckets;    /* u32[2^(32 - shift) + 1]: first entry of each bucket, word offset */
    u32 entries;    /* kmers_entry[buckets[2^(32 - shift)]], word offset */
    u32 letter_bit; /* the lower one of those bits, 0 .. 6; or KMERS_GENERAL: there are none */
    u32 unused[3];
    u8 letter_low[16], letter_high[16];
    u8 letters[16]; /* the letter of each code, 0 .. 3; where there is none, a letter with another
                       code */
    literal_tables literals;
} kmers_tables;

/* One gram of a literal's window. */
typedef struct kmers_entry {
    u64 bases; /* the literal's first KMERS_KNOWN letters, zeros after its end */
    u32 index;
    u32 where; /* the gram's place in the literal, | length << KMERS_LENGTH */
} kmers_entry;

#define KMERS_LENGTH 5u /* bits of a place, which is below KMERS_STRIDE */

SHARED_SIZE(kmers_tables, 112);
SHARED_SIZE(kmers_entry, 16);

#endif
