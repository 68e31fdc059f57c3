/* layout.h: patterns that are cut into pieces, each found by one short factor.
 *
 * Shared by the builder (build.c), the loop (cpu.c) and devices
 * (device.c, which makes its own tables of these).
 *
 * A pattern is a row of pieces with jumps between them. A piece is a row of atoms: runs of
 * positions that take one byte each, and gaps that take `low` to `high` bytes of a set; all its
 * gaps together vary by at most FACTORS_SLACK bytes, so the places where a match of a part of it
 * may end are bits of one word. One run of a piece is its anchor: it holds the piece's gram, up to
 * four bytes that are rare in the text; some pieces have several grams, as [ab]cde does. A bitmap
 * for each length of grams says whether a place of the text may have one, and buckets say which
 * pieces have it.
 *
 * A piece with a jump after it keeps the ends of its matches in the state, in a ring of as many
 * bits as the jump is long. The last piece of a pattern has a ring if it may find an end twice.
 *
 * Patterns without a longest match have no such rings: a set with such a pattern is searched by the
 * words of shiftand, but only where it may have a match. Entries are units then, the words of a
 * pattern or of some short ones; grams are those of the first pieces, and wake their unit. A unit
 * runs some bytes alone, so what it reads stands together: it costs the same however many units
 * there are.
 *
 * If no match is longer than FACTORS_NEAR, each pattern is one piece, which can be verified as a
 * whole around a gram. Devices search only such sets, and look at one in `stride` places: so a
 * piece has a window for them, `stride` neighbouring grams of one of its runs.
 */
#ifndef TRAWL_ENGINES_CLASSES_FACTORS_LAYOUT_H
#define TRAWL_ENGINES_CLASSES_FACTORS_LAYOUT_H

#include "base/port.h"

#define FACTORS_HASH 0x9E3779B1u /* 2^32 / golden ratio */
#define FACTORS_GRAM 4u          /* bytes of the longest grams */
#define FACTORS_SLACK 1023u
#define FACTORS_ANY 0xffffffffu /* as a set: every byte */
#define FACTORS_UNITS 4096u     /* the most units that one pass over the text runs */
#define FACTORS_RING 3u         /* words of state before a ring's bits: see cpu.c */
#define FACTORS_NEAR 255u       /* the most bytes of a match that devices verify */
#define FACTORS_SETS 50000u     /* the most sets for devices */
#define FACTORS_SPELLED 256u    /* the most grams at a place of a piece */

#define FACTORS_FIRST 1u /* flags: no piece of its pattern before it */
#define FACTORS_LAST 2u  /* none after it */
#define FACTORS_TAIL 4u  /* a last piece with a gap after it that varies more than a piece may */

/* Grams of one length, the first byte lowest: (gram * FACTORS_HASH) >> shift is the bit, and the
 * bit >> less is the bucket: entries heads[bucket] .. heads[bucket + 1] - 1. */
typedef struct factors_level {
    u32 shift; /* 32 - log2 of the bits; 0: there are no grams of this length */
    u32 less;
    u32 bits;  /* u32[2^(32 - shift) / 32], word offset */
    u32 heads; /* u32[2^(32 - shift - less) + 1], word offset */
} factors_level;

typedef struct factors_entry {
    u32 gram, piece;
} factors_entry;

/* A position of a run whose set cannot be told by a byte and a mask. */
typedef struct factors_check {
    u32 at, set;
} factors_check;

/* A run (length > 0) or a gap. */
typedef struct factors_atom {
    u32 length;
    u32 bytes;         /* run: u8 value[length], mask[length] of text that fits, byte offset */
    u32 check, checks; /* run: the first check, and how many */
    u32 set, low, high;
    u32 unused;
} factors_atom;

typedef struct factors_jump {
    u32 set, low, high;
} factors_jump;

/* The pieces of a pattern stand one after the other. */
typedef struct factors_piece {
    u32 pattern;
    u32 flags;
    u32 atom, atoms;
    u32 anchor, offset;  /* which of its atoms has its grams, and from which byte on */
    u32 ring, mask;      /* words of state before the ring, its bits less 1; mask 0: none */
    factors_jump before; /* from the piece before it; no meaning in a first piece */
    factors_jump behind; /* FACTORS_TAIL */
    u32 back;            /* how far before the gram a match of it may begin */
    u32 window;          /* FACTORS_WINDOW */
} factors_piece;

/* An atom of a piece, and a byte of it. */
#define FACTORS_WINDOW(atom, byte) ((atom) << 16 | (byte))
#define FACTORS_WINDOW_ATOM(window) ((window) >> 16)
#define FACTORS_WINDOW_BYTE(window) ((window)&0xffffu)

/* Words of state of shiftand that no shift leaves, and so those of some whole patterns. */
typedef struct factors_unit {
    u32 word, words;
    u32 back; /* how far before a gram of a first piece a match of these patterns may begin */
    u32 rows; /* u64[classes][words][2]: Ch and Rep of shiftand, word offset */
} factors_unit;

/* The other masks of a word, as shiftand has them. */
typedef struct factors_word {
    u64 init, last, ebeg, eend, eblk;
    u64 unused[3];
} factors_word;

typedef struct factors_tables {
    factors_level level[FACTORS_GRAM]; /* grams of 1, 2, 3 and 4 bytes */
    u32 entries, entry_count;          /* word offset, and how many; so in what follows */
    u32 pieces, piece_count;
    u32 atoms, atom_count;
    u32 checks, check_count;
    u32 sets, set_count; /* u32[8] each: bit b of [b / 32]: byte b belongs */
    u32 bytes, byte_count;
    u32 forward;           /* how far after its gram a match of a last piece may end */
    u32 units, unit_count; /* 0: pieces are joined by rings */
    u32 words;             /* with units: factors_word[state_words], word offset, */
    u32 map, classes;      /* u8[256]: class of a byte, word offset; how many classes, */
    u32 owner;             /* u32[state_words][64]: pattern of a last position, word offset */
    u32 windows;           /* FACTORS_WINDOWS; 0: the set is not for devices */
} factors_tables;

/* Each piece's window has `stride` neighbouring grams of q bytes. */
#define FACTORS_WINDOWS(q, stride) ((q) | (stride) << 8)
#define FACTORS_Q(windows) ((windows)&0xffu)
#define FACTORS_STRIDE(windows) ((windows) >> 8)

SHARED_SIZE(factors_level, 16);
SHARED_SIZE(factors_entry, 8);
SHARED_SIZE(factors_check, 8);
SHARED_SIZE(factors_atom, 32);
SHARED_SIZE(factors_piece, 64);
SHARED_SIZE(factors_unit, 16);
SHARED_SIZE(factors_word, 64);
SHARED_SIZE(factors_tables, 144);

INLINE u32 factors_hash(u32 gram, u32 shift)
{
    return gram * FACTORS_HASH >> shift;
}

/* The bytes of a gram in a u32. */
INLINE u32 factors_mask(u32 length)
{
    return 0xffffffffu >> (32 - 8 * length);
}

#endif
