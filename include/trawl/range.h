/* trawl/range.h: a text that is searched by ranges, by several processes or machines. */
#ifndef TRAWL_PUBLIC_RANGE_H
#define TRAWL_PUBLIC_RANGE_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A text that is too long for one process, or stands in many places, is cut into ranges, which may
 * be searched at once and anywhere. A match belongs to the range in which it ends: the matches of
 * all ranges, one range after the other, are those of the text, in order, each once.
 *
 *     needs --> cuts --> trawl_scan_range of each --> trawl_seam_follow --> some of them again
 *
 * Where a match may be of any length, or the report chooses among matches that overlap, a range
 * depends on those before it. It is searched first as if nothing came from there but what the
 * bytes before it tell. What it begins and ends with stands in its seam; seams are saved and
 * exchanged, and tell which ranges are to be searched again, most often none. That ends as soon as
 * it makes no more difference.
 *
 * trawl_scan_range is the only call that searches: there is no trawl_count_range,
 * trawl_count_each_range or trawl_collect_range. A range that is searched again takes back some of
 * the matches that it reported, by where they end; a number cannot tell which of those it counted
 * these were. A callback that counts or keeps matches up to *settled can. */

/* What ranges of a plan and a report need. */
typedef struct trawl_range_needs {
    size_t size;      /* sizeof(trawl_range_needs), set by the caller */
    uint64_t before;  /* bytes before a range that its search reads, as far as there are any */
    uint64_t after;   /* bytes after it that its search reads, as far as there are any */
    uint32_t follows; /* 1: a range depends on those before it: its search takes a seam */
    uint32_t cuts;    /* 1: ranges meet only where trawl_range_cut says */
} trawl_range_needs;

/* `report` is a trawl_report. Errors: TRAWL_ERROR_UNSUPPORTED where a report other than
 * TRAWL_REPORT_ENDS is asked for of an unbounded repeat that no byte ends (a.*b): such a text is
 * searched whole; TRAWL_ERROR_ARGUMENT. Thread-safe. */
TRAWL_API int trawl_plan_get_range_needs(const trawl_plan *plan, uint32_t report,
                                         trawl_range_needs *needs, trawl_error *error);

/* The first place in `bytes` where ranges may meet: *at bytes from the first one, TRAWL_NONE where
 * there is none. If trawl_range_needs.cuts is 0 that is 0, any place; else it is after a byte that
 * ends all unbounded repeats, so at least 1: to ask for the first place from offset x on, give the
 * text from x - 1 on. The text's ends need not be asked for. Errors as above. Thread-safe. */
TRAWL_API int trawl_range_cut(const trawl_plan *plan, uint32_t report, const void *bytes,
                              size_t length, size_t *at, trawl_error *error);

/* A range, and the bytes at hand. Offsets are those of the text. */
typedef struct trawl_range {
    size_t size;       /* sizeof(trawl_range) */
    const void *bytes; /* of the text; NULL when length is 0 */
    size_t length;     /* of bytes[] */
    uint64_t offset;   /* of the first of them; 0: the text begins there */
    uint64_t begin;    /* matches with begin < end of match <= end are the range's */
    uint64_t end;      /* may be begin: an empty range */
    uint32_t last;     /* 1: the text ends with these bytes */
    uint32_t reserved; /* 0 */
} trawl_range;

#define TRAWL_RANGE_INIT { sizeof(trawl_range), NULL, 0, 0, 0, 0, 0, 0 }

/* What a range begins with and what it leaves to the next: of one plan and one report. A seam is
 * used by one call at a time; different ones by any threads at once. */
typedef struct trawl_seam trawl_seam;

/* The seam of a range that was not searched yet. The plan must outlive it. TRAWL_ERROR_UNSUPPORTED
 * and _ARGUMENT as of trawl_plan_get_range_needs; TRAWL_ERROR_MEMORY. Thread-safe. */
TRAWL_API int trawl_seam_open(const trawl_plan *plan, uint32_t report, trawl_seam **seam,
                              trawl_error *error);
TRAWL_API void trawl_seam_close(trawl_seam *seam);

/* Search a range, and hand its matches to `fn`, as trawl_scan does those of a text; options->base
 * is added to their offsets, and TRAWL_ONCE is once in each range. `seam` may be NULL if
 * trawl_range_needs.follows is 0. *settled (may be NULL) becomes the range's end: all its matches
 * up to there were reported.
 * If trawl_seam_follow said so, the range is searched again, and *settled may be an earlier
 * offset: the matches that end up to there take the place of those reported before that do, and all
 * others stay. (The first match of each pattern with TRAWL_ONCE is to be taken then.)
 * TRAWL_OK: the range is done. After any other status the seam is as it was before.
 * Errors: TRAWL_ERROR_ARGUMENT: the range is not where it may be (cuts), the bytes at hand are
 * fewer than it needs, or the seam is another range's, plan's or report's; those of trawl_scan. */
TRAWL_API int trawl_scan_range(trawl_context *context, const trawl_plan *plan,
                               const trawl_range *range, const trawl_scan_options *options,
                               trawl_seam *seam, trawl_match_fn fn, void *user, uint64_t *settled,
                               trawl_error *error);

/* Tell a seam what the ranges before its own left: `before` are seams of those, searched, in the
 * order of the text; the last one's range ends where this one begins. *again becomes 1: the range
 * is to be searched (trawl_scan_range with this seam), again if it was; 0: its matches are right,
 * if those before it are. Two ways lead to the end:
 *   In order, one range after the other, each told by the one before it alone: before it is
 *   searched, so that it is searched once, or after all have been, as far as *again says.
 *   All at once, each told by all before it, from the text's begin on; those told so are searched
 *   again, at once, and so on: when a round finds none, all are right.
 * Errors: TRAWL_ERROR_ARGUMENT: a seam of another plan or report, not searched, or out of place;
 * TRAWL_ERROR_MEMORY. Thread-safe, as far as the seams are used by no other call. */
TRAWL_API int trawl_seam_follow(trawl_seam *seam, const trawl_seam *const *before, size_t count,
                                uint32_t *again, trawl_error *error);

/* Write a seam that was searched, or told, or both, into `block`: flat, for a file or another
 * machine of the same byte order. *bytes is the room there on the way in, and what the block takes
 * on the way out; with `block` NULL nothing is written. That is some words for each pattern, times
 * the logarithm of the range's length.
 * Errors: TRAWL_ERROR_LIMIT when the room is too small; TRAWL_ERROR_ARGUMENT: neither searched nor
 * told. */
TRAWL_API int trawl_seam_save(const trawl_seam *seam, void *block, size_t *bytes,
                              trawl_error *error);

/* Make a seam from saved bytes (copied), of the same plan to the byte and the same report.
 * Errors: TRAWL_ERROR_PLAN when they are damaged, cut, or of another plan, report or version;
 * TRAWL_ERROR_MEMORY. A block forged with a right checksum may bring wrong matches, but no more.
 * Thread-safe. */
TRAWL_API int trawl_seam_load(const trawl_plan *plan, uint32_t report, const void *block,
                              size_t bytes, trawl_seam **seam, trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
