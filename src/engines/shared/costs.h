/* costs.h: what things take, in nanoseconds, for the planner. Measured, not guessed:
 *
 * CPU: one core of a cloud machine with AVX-512, 2026-11-21, gcc 12 -O3, `bench/engines`,
 *      `bench/cliffs` and sets of 1 to 100,000 literals in prose, source, DNA and protein
 *      (docs/records/comparisons.md).
 * GPU: NVIDIA H200, 2026-11-21, resident text, one queue.
 *
 * Only ratios matter, and only as far as they tell engines apart.
 */
#ifndef TRAWL_ENGINES_SHARED_COSTS_H
#define TRAWL_ENGINES_SHARED_COSTS_H

#include <stddef.h>

#include "base/target.h"

#define COST_IMPOSSIBLE 1e30
#define COST_OF_READING 0.05 /* memory hardly gives bytes faster: no other engine is asked */
#define COST_PART 0.3        /* a further part: its records are sorted into the others */

/* Of more literals it is not worth finding out what Teddy, Wu-Manber and PFAC cost on a CPU: qgrams
 * or Aho-Corasick are cheaper. */
#define COST_MAX_LITERALS 20000u

/* Boyer-Moore: an alignment; its comparison when the last byte fits. */
#define COST_BM_ALIGN 3.2
#define COST_BM_COMPARE 5.0

/* Packed comparison in the caches, as of the others: a byte of text, and of it by each place that
 * is compared; a start that passes and is compared in full. */
#define COST_PACKED_BYTE 0.001
#define COST_PACKED_PLACE 0.004
#define COST_PACKED_CONFIRM 15.0

/* Wu-Manber: a window; a list of candidates, each on a line of cache of its own; a member; the
 * comparison of one whose prefix fits. */
#define COST_WM_WINDOW 4.8
#define COST_WM_LIST 12.0
#define COST_WM_MEMBER 1.5
#define COST_WM_COMPARE 12.0

/* Aho-Corasick: a byte near the root, whose rows are in the first caches; of a state among others,
 * for each doubling of what these take beyond them; and of those deep in the trie so many, for each
 * failure link leads to another. */
#define COST_AC_BYTE 2.0
#define COST_AC_CACHED (64u << 10)
#define COST_AC_DOUBLING 3.0
#define COST_AC_DEEP 4.0

/* PFAC: a byte through the bitmap of grams, and the verification of what passes. */
#define COST_GRAM 1.9
#define COST_PFAC_VERIFY 40.0

/* Teddy: a byte of the window in a group of buckets, and without vectors; a place that passes the
 * classes; one that passes the bitmap too; each literal of its list. */
#define COST_TEDDY_CLASS 0.01
#define COST_TEDDY_CLASS_PLAIN 0.7
#define COST_TEDDY_GRAM 1.5
#define COST_TEDDY_LIST 6.0
#define COST_TEDDY_ENTRY 1.0

/* Strided q-grams: a place that is looked at, in a bitmap of the first cache or of the second (and
 * by AVX2, which only hashes, against AVX-512); more for q above 4; what passes, each entry of its
 * list, and more when the lists do not fit the second cache. */
#define COST_QGRAMS_PROBE 0.40
#define COST_QGRAMS_PROBE_FAR 0.60
#define COST_QGRAMS_PROBE_AVX2 1.1
#define COST_QGRAMS_WIDE 0.05
#define COST_QGRAMS_CANDIDATE 7.0
#define COST_QGRAMS_ENTRY 1.0
#define COST_QGRAMS_NEAR 32768u
#define COST_QGRAMS_FAR 4.0

/* Packed letters: a byte that is packed; a probe of a bitmap that the first, the second cache
 * holds, and of one that neither does (twice that when it is larger still); what passes, when the
 * second cache holds all entries, and when it does not; an entry of its bucket. */
#define COST_KMERS_PACK 0.08
#define COST_KMERS_PROBE 0.7
#define COST_KMERS_FIRST (32u << 10)
#define COST_KMERS_PROBE_SECOND 1.5
#define COST_KMERS_SECOND (512u << 10)
#define COST_KMERS_PROBE_FAR 7.0
#define COST_KMERS_FAR (2u << 20)
#define COST_KMERS_PASS 7.0
#define COST_KMERS_PASS_FAR 40.0
#define COST_KMERS_ENTRY 2.0

/* Factors: a byte through the bitmap of its grams of four bytes, and through that of shorter ones;
 * a place that they let pass, each piece whose gram stands there, or each unit that it wakes; of
 * what is then compared eight bytes, one that is looked up in a set, a part of a piece. */
#define COST_FACTORS_BYTE 1.3
#define COST_FACTORS_LEVEL 0.5
#define COST_FACTORS_PLACE 10.0
#define COST_FACTORS_ENTRY 5.0
#define COST_FACTORS_WAKE 12.0
#define COST_FACTORS_EIGHT 0.5
#define COST_FACTORS_CHECK 0.7
#define COST_FACTORS_ATOM 4.0

/* SHIFT-AND: a byte when all positions fit one word, or a few; a byte with more, a packed word, a
 * word of a chain, which waits for the one before. RunHNFA: a module that is a pattern, one of
 * several of a pattern, and what it takes more where positions may be skipped. */
#define COST_SHIFTAND_WORD 1.6
#define COST_SHIFTAND_FEW 2.3
#define COST_SHIFTAND_BYTE 3.0
#define COST_SHIFTAND_PACKED 0.65
#define COST_SHIFTAND_CHAINED 3.5
#define COST_HNFA_MODULE 4.5
#define COST_HNFA_JOINED 2.7
#define COST_HNFA_SKIPS 0.8

/* SHIFT-AND by bit streams: a byte that is loaded; a row of bits for a class; a position, one
 * that repeats, and a gap. */
#define COST_STREAM_BYTE 0.02
#define COST_STREAM_ROW 0.006
#define COST_STREAM_STEP 0.0025
#define COST_STREAM_STAY 0.01
#define COST_STREAM_GAP 0.1

/* The share of places of a text around which there is one colour alone. */
#define COST_EVEN_SHARE 0.5

/* Bit-slicing: a byte of text into rows of bytes; of 512 starts, a row of a class, a pattern, one
 * of its tests; four rows of which some start survived, and such a start. */
#define COST_SLICE_BYTE 0.5
#define COST_SLICE_ROW 2.0
#define COST_SLICE_PATTERN 1.0
#define COST_SLICE_TEST 0.4
#define COST_SLICE_HIT 40.0
#define COST_SLICE_START 20.0

/* Grids, a cell: a step along a row or down a column; a comparison that fails early. */
#define COST_GRID_STEP 3.0
#define COST_GRID_DEEP_STEP 5.0
#define COST_GRID_COLUMN 6.0
#define COST_GRID_COMPARE 4.0

/* Kärkkäinen-Ukkonen: a test point; more where the bitmap is beyond the first cache; a list that is
 * asked in vain, a test that is compared; a byte of the text that comes into the caches; one of
 * vectors; a place that they let pass; a cell, for all around it. */
#define COST_KU_POINT 2.5
#define COST_KU_CACHED 1.2
#define COST_KU_LIST 6.0
#define COST_KU_TEST 10.0
#define COST_KU_BYTE 0.02
#define COST_KU_SWEEP 0.05
#define COST_KU_LOOK 3.0
#define COST_KU_CELL 0.002

/* GPU, strided q-grams, 2026-11-22: a byte that is read, a place that is looked at, one that
 * passes, an entry of it. */
#define COST_GPU_QGRAMS_BYTE 0.0001
#define COST_GPU_QGRAMS_PROBE 0.0004
#define COST_GPU_QGRAMS_LOOK_UP 0.025
#define COST_GPU_QGRAMS_ENTRY 0.006

/* GPU, factors: a gram of a pattern that is met, and what is around it verified. */
#define COST_GPU_FACTORS_MET 0.05

/* GPU, a byte: what COST_OF_READING and COST_PART are there; packed comparison, which is as fast;
 * Boyer-Moore; PFAC, and what passes its filter; Aho-Corasick and Wu-Manber with ten literals, and
 * how that grows with ten times as many; a word of SHIFT-AND, one of a chain, one of a chain whose
 * state crosses borders; a module of RunHNFA, one of several of a pattern. */
#define COST_GPU_OF_READING 0.0002
#define COST_GPU_PACKED COST_GPU_OF_READING
#define COST_GPU_PART 0.0002
#define COST_GPU_BM 0.0007
#define COST_GPU_PFAC 0.0014
#define COST_GPU_PFAC_VERIFY 0.12
#define COST_GPU_AC 0.0030
#define COST_GPU_AC_TENFOLD 2.0
#define COST_GPU_WM 0.0016
#define COST_GPU_WM_TENFOLD 3.5
#define COST_GPU_BYTE 0.0006
#define COST_GPU_SHIFTAND_PACKED 0.0050
#define COST_GPU_SHIFTAND_CHAINED 0.0080
#define COST_GPU_SHIFTAND_CARRIED 3.9
#define COST_GPU_HNFA_MODULE 0.0018
#define COST_GPU_HNFA_JOINED 0.0037

/* GPU, a cell of a grid: what Baker-Bird and Baeza-Yates-Regnier take there against a CPU, and what
 * the latter takes at least; what direct comparison takes against a byte of it on a CPU; a byte
 * that is read; Kärkkäinen-Ukkonen's test point, a word of its string, a candidate; a point where
 * bits of two rows are compared, a pair of rows there. */
#define COST_GPU_GRID 0.0013
#define COST_GPU_BYR 0.0004
#define COST_GPU_DIRECT 0.033
#define COST_GPU_READ 0.00023
#define COST_GPU_KU_POINT 0.0007
#define COST_GPU_KU_WORD 0.0001
#define COST_GPU_KU_TEST 0.02
#define COST_GPU_KU_BITS 0.0006
#define COST_GPU_KU_PAIR 0.00003

/* Where a scan is to run, 2026-11-22, a machine of 16 cores with an H200: opening a device, its
 * context and its programs, all in all (0.32 s with CUDA, 0.4 with OpenCL). A byte that no thread
 * reads faster from a mapped file, nor all of them together; that one thread copies for a device;
 * that a scan gets by the link, before it is measured. What it gets of the link. The
 * multiprocessors that the costs of GPUs are for. The share of the CPU's time that a GPU must be
 * expected to take. A match that the caller's thread makes and hands on, that it only hands on, and
 * that a reporter puts together. */
#define COST_OPENING 0.3e9
#define COST_READ_ALONE 0.08
#define COST_READ_TOGETHER 0.026
#define COST_COPY_ALONE 0.1
#define COST_LINK 0.0215
#define COST_LINK_SHARE 0.85
#define COST_GPU_UNITS 132
#define COST_GPU_PAYS 0.8
#define COST_MATCH 10
#define COST_MATCH_MADE 2
#define COST_MATCH_REPORTED 75

/* Packed letters on a GPU, 2026-11-22: a byte; a probe of a bitmap that local memory holds, of 128
 * KiB at most, and of one that it does not; what passes; an entry of its bucket. */
#define COST_GPU_KMERS_BYTE 0.00028
#define COST_GPU_KMERS_NEAR (128u << 10)
#define COST_GPU_KMERS_PROBE 0.0002
#define COST_GPU_KMERS_PROBE_FAR 0.007
#define COST_GPU_KMERS_PASS 0.018
#define COST_GPU_KMERS_ENTRY 0.002

/* Bit-slicing on a GPU, 2026-11-22: a byte of text into rows of letters; of 1024 starts, a row of a
 * class, a test, and about as much besides for each pattern; of 2048, that some start survived, and
 * such a start: these two were found by trying. */
#define COST_GPU_SLICE_BYTE 0.0045
#define COST_GPU_SLICE_ROW 0.07
#define COST_GPU_SLICE_TEST 0.0036
#define COST_GPU_SLICE_HIT 0.045
#define COST_GPU_SLICE_START 0.0135

/* What costs on a CPU are taken for among those of GPUs, for a device that is one: as they compare
 * in words of SHIFT-AND. */
#define COST_GPU_AS_CPU (COST_GPU_SHIFTAND_PACKED / COST_SHIFTAND_PACKED)

/* What a vector walk costs in an instruction set, against AVX-512, which its constant is for: about
 * what the width and the missing words make. A plan for a device has tables for it, too: the CPU
 * takes over what a device has no memory for. */
static inline double cost_of_vector(double cost, const target *t)
{
    static const double slower[ISA_COUNT] = {
        [ISA_PORTABLE] = 8, [ISA_NEON] = 3, [ISA_AVX2] = 1.7, [ISA_AVX512] = 1
    };
    return cost * slower[t->isa];
}

/* `cost` for ten, for `count`, when ten times as many cost `tenfold` times as much. */
static inline double cost_of_many(double cost, double tenfold, size_t count)
{
    double many = (double)count;
    for (; many >= 100; many /= 10)
        cost *= tenfold;
    return many > 10 ? cost * (1 + (tenfold - 1) * (many - 10) / 90) : cost;
}

/* Direct comparison: a byte of a cell, for each cell that is compared until all places are dead. */
#define COST_DIRECT 0.04

#endif
