/* costs.h: what things take, in nanoseconds, for the planner. They are measured, not guessed:
 *
 * CPU: one core of a cloud machine with AVX-512, 2026-11-21, gcc 12 -O3, `bench/engines`,
 *      `bench/cliffs` and sets of 1 to 100,000 literals in prose, source, DNA and protein
 *      (docs/records/comparisons.md).
 * GPU: NVIDIA H200, 2026-11-21, resident text, one queue.
 *
 * A comment before constants names what each of them is for, in order. Only ratios matter, and only
 * as far as they tell engines apart.
 */
#ifndef TRAWL_ENGINES_SHARED_COSTS_H
#define TRAWL_ENGINES_SHARED_COSTS_H

#include <stddef.h>

#include "base/target.h"

#define COST_IMPOSSIBLE 1e30
#define COST_OF_READING 0.05 /* memory hardly delivers bytes faster: no other engine is asked */
#define COST_PART 0.3        /* a further part: its records are sorted into the others */

/* With more literals it is not worth finding out what Teddy, Wu-Manber and PFAC cost on a CPU:
 * qgrams or Aho-Corasick are cheaper. */
#define COST_MAX_LITERALS 20000u

/* Boyer-Moore: an alignment; its comparison when the last byte fits. */
#define COST_BM_ALIGN 3.2
#define COST_BM_COMPARE 5.0

/* Packed comparison, of text in the caches, as for the other engines: a byte of text; each place
 * that is compared, for a byte; a start that passes and is compared in full. */
#define COST_PACKED_BYTE 0.001
#define COST_PACKED_PLACE 0.004
#define COST_PACKED_CONFIRM 15.0

/* Wu-Manber: a window; a list of candidates, each on a line of cache of its own; a member of it;
 * the comparison of a member whose prefix fits. */
#define COST_WM_WINDOW 4.8
#define COST_WM_LIST 12.0
#define COST_WM_MEMBER 1.5
#define COST_WM_COMPARE 12.0

/* Aho-Corasick: a byte near the root, whose rows are in the first caches; the bytes of rows that
 * these hold; more for each doubling of the bytes of rows beyond that; how many times as much it is
 * deep in the trie, where each failure link leads to another. */
#define COST_AC_BYTE 2.0
#define COST_AC_CACHED (64u << 10)
#define COST_AC_DOUBLING 3.0
#define COST_AC_DEEP 4.0

/* PFAC: a byte through the bitmap of grams, and the verification of what passes. */
#define COST_GRAM 1.9
#define COST_PFAC_VERIFY 40.0

/* Teddy: a byte of the window for a group of buckets; the same without vectors; a place that passes
 * the classes; one that passes the bitmap too; each literal of its list. */
#define COST_TEDDY_CLASS 0.01
#define COST_TEDDY_CLASS_PLAIN 0.7
#define COST_TEDDY_GRAM 1.5
#define COST_TEDDY_LIST 6.0
#define COST_TEDDY_ENTRY 1.0

/* Strided q-grams: a place that is looked up in a bitmap in the first cache; the same in the
 * second; how much slower AVX2 is, which only hashes, than AVX-512; more for q above 4; a place
 * that passes; each entry of its list; how many entries the second cache holds; how much more a
 * place that passes costs if there are more. */
#define COST_QGRAMS_PROBE 0.40
#define COST_QGRAMS_PROBE_FAR 0.60
#define COST_QGRAMS_PROBE_AVX2 1.1
#define COST_QGRAMS_WIDE 0.05
#define COST_QGRAMS_CANDIDATE 7.0
#define COST_QGRAMS_ENTRY 1.0
#define COST_QGRAMS_NEAR 32768u
#define COST_QGRAMS_FAR 4.0

/* Packed letters: a byte that is packed; a probe of a bitmap that the first cache holds, one that
 * the second holds, and one that neither holds (twice that when it is larger still), each with the
 * size up to which that is so; a place that passes, when the second cache holds all entries, and
 * when it does not; an entry of its bucket. */
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

/* Factors: a byte looked up in the bitmap for grams of four bytes; one for each bitmap for shorter
 * grams; a place that they let pass; each piece whose gram stands there; each unit that it wakes;
 * in what is then compared, eight bytes, a byte that is looked up in a set, a part of a piece. */
#define COST_FACTORS_BYTE 1.3
#define COST_FACTORS_LEVEL 0.5
#define COST_FACTORS_PLACE 10.0
#define COST_FACTORS_ENTRY 5.0
#define COST_FACTORS_WAKE 12.0
#define COST_FACTORS_EIGHT 0.5
#define COST_FACTORS_CHECK 0.7
#define COST_FACTORS_ATOM 4.0

/* SHIFT-AND: a byte when all positions fit one word; when they fit a few; with more words, a byte,
 * and for it each packed word, and each word of a chain, which waits for the word before. RunHNFA:
 * a module that is a whole pattern; one of several of a pattern; more for it if positions may be
 * skipped. */
#define COST_SHIFTAND_WORD 1.6
#define COST_SHIFTAND_FEW 2.3
#define COST_SHIFTAND_BYTE 3.0
#define COST_SHIFTAND_PACKED 0.65
#define COST_SHIFTAND_CHAINED 3.5
#define COST_HNFA_MODULE 4.5
#define COST_HNFA_JOINED 2.7
#define COST_HNFA_SKIPS 0.8

/* Position automata: a byte for a word of one that runs alone; for a word in a pack of those that
 * do not sleep; more if it has exceptions; a literal that is found; how many bytes are run for
 * it. */
#define COST_GLUSHKOV_WORD 1.2
#define COST_GLUSHKOV_PACKED 0.35
#define COST_GLUSHKOV_EXCEPTION 0.4
#define COST_GLUSHKOV_WAKE 25.0
#define COST_GLUSHKOV_RUN 20.0

/* SHIFT-AND by bit streams: a byte that is loaded; a row of bits for a class; a position, one
 * that repeats, and a gap. */
#define COST_STREAM_BYTE 0.02
#define COST_STREAM_ROW 0.006
#define COST_STREAM_STEP 0.0025
#define COST_STREAM_STAY 0.01
#define COST_STREAM_GAP 0.1

/* The share of the places of a text around which there is only one colour. */
#define COST_EVEN_SHARE 0.5

/* Bit-slicing: a byte of text made into rows of bytes; for 512 starts, a row of a class, a pattern,
 * and one of its tests; four rows in which some start survived; such a start. */
#define COST_SLICE_BYTE 0.5
#define COST_SLICE_ROW 2.0
#define COST_SLICE_PATTERN 1.0
#define COST_SLICE_TEST 0.4
#define COST_SLICE_HIT 40.0
#define COST_SLICE_START 20.0

/* Grids, for a cell: a step along a row, near the root or deep; a step down a column; a comparison
 * that fails early. */
#define COST_GRID_STEP 3.0
#define COST_GRID_DEEP_STEP 5.0
#define COST_GRID_COLUMN 6.0
#define COST_GRID_COMPARE 4.0

/* Kärkkäinen-Ukkonen: a test point; more if the bitmap is beyond the first cache; a list that is
 * asked in vain; a test that is compared; a byte of the text that comes into the caches; a byte
 * that vectors test; a place that they let pass; a cell, for all around it. */
#define COST_KU_POINT 2.5
#define COST_KU_CACHED 1.2
#define COST_KU_LIST 6.0
#define COST_KU_TEST 10.0
#define COST_KU_BYTE 0.02
#define COST_KU_SWEEP 0.05
#define COST_KU_LOOK 3.0
#define COST_KU_CELL 0.002

/* GPU, strided q-grams, 2026-11-22: a byte that is read; a place that is looked at; one that
 * passes; an entry for it. */
#define COST_GPU_QGRAMS_BYTE 0.0001
#define COST_GPU_QGRAMS_PROBE 0.0004
#define COST_GPU_QGRAMS_LOOK_UP 0.025
#define COST_GPU_QGRAMS_ENTRY 0.006

/* GPU, factors: a gram of a pattern that is met, and verified with what is around it. */
#define COST_GPU_FACTORS_MET 0.05

/* GPU, for a byte: COST_OF_READING there; packed comparison, which is as fast; COST_PART there;
 * Boyer-Moore; PFAC, and what passes its filter; Aho-Corasick with ten literals, and how many times
 * as much it is with ten times as many; the same for Wu-Manber; a byte of SHIFT-AND, and for it a
 * packed word, a word of a chain, and a word of a chain whose state crosses borders; a module of
 * RunHNFA that is a whole pattern, and one of several of a pattern. */
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

/* GPU, for a cell of a grid: the ratio to a CPU for Baker-Bird and Baeza-Yates-Regnier; the least
 * that the latter takes; the ratio of a cell in direct comparison to a byte of it on a CPU; a byte
 * that is read; for Kärkkäinen-Ukkonen a test point, a word of its string, a candidate, a point
 * where bits of two rows are compared, and a pair of rows there. */
#define COST_GPU_GRID 0.0013
#define COST_GPU_BYR 0.0004
#define COST_GPU_DIRECT 0.033
#define COST_GPU_READ 0.00023
#define COST_GPU_KU_POINT 0.0007
#define COST_GPU_KU_WORD 0.0001
#define COST_GPU_KU_TEST 0.02
#define COST_GPU_KU_BITS 0.0006
#define COST_GPU_KU_PAIR 0.00003

/* Where a scan is to run, 2026-11-22, on a machine of 16 cores with an H200: opening a device, its
 * context and its programs (0.32 s with CUDA, 0.4 with OpenCL); a byte of a mapped file that one
 * thread reads, at best, and that all of them read together; a byte that one thread copies for a
 * device; a byte over the link, before that is measured; the share of the link that a scan gets;
 * the multiprocessors that the costs of GPUs are for; the share of the CPU's time that a GPU must
 * be expected to take at most; a match that the caller's thread makes and hands on, one that it
 * only hands on, and one that a reporter puts together. */
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

/* Packed letters on a GPU, 2026-11-22: a byte; the largest bitmap that local memory holds; a probe
 * of such a bitmap, and of a larger one; a place that passes; an entry of its bucket. */
#define COST_GPU_KMERS_BYTE 0.00028
#define COST_GPU_KMERS_NEAR (128u << 10)
#define COST_GPU_KMERS_PROBE 0.0002
#define COST_GPU_KMERS_PROBE_FAR 0.007
#define COST_GPU_KMERS_PASS 0.018
#define COST_GPU_KMERS_ENTRY 0.002

/* Bit-slicing on a GPU, 2026-11-22: a byte of text made into rows of letters; for 1024 starts, a
 * row of a class, and a test, and about as much again for each pattern; for 2048 starts, that some
 * start survived, and such a start: these two were found by trying. */
#define COST_GPU_SLICE_BYTE 0.0045
#define COST_GPU_SLICE_ROW 0.07
#define COST_GPU_SLICE_TEST 0.0036
#define COST_GPU_SLICE_HIT 0.045
#define COST_GPU_SLICE_START 0.0135

/* What costs on a CPU are multiplied by to stand among those of GPUs, for a device that is a CPU:
 * the ratio for a word of SHIFT-AND. */
#define COST_GPU_AS_CPU (COST_GPU_SHIFTAND_PACKED / COST_SHIFTAND_PACKED)

/* The cost of a vector walk in the target's instruction set; `cost` is that with AVX-512. The
 * ratios are about what the width and the missing words make. A plan for a device has them, too,
 * since the CPU takes over what a device has no memory for. */
static inline double cost_of_vector(double cost, const target *t)
{
    static const double slower[ISA_COUNT] = {
        [ISA_PORTABLE] = 8, [ISA_NEON] = 3, [ISA_AVX2] = 1.7, [ISA_AVX512] = 1
    };
    return cost * slower[t->isa];
}

/* The cost for `count` things, when it is `cost` for ten, and ten times as many cost `tenfold`
 * times as much. */
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
