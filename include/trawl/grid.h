/* trawl/grid.h: rectangles of cells in larger ones: tiles in rasters, symbols in pictures.
 *
 *     needles --trawl_compile_grid--> plan --trawl_scan_grid(context, plan, grid)--> matches
 *
 * Plans and contexts are those of trawl.h, and so is what holds of them.
 */
#ifndef TRAWL_PUBLIC_GRID_H
#define TRAWL_PUBLIC_GRID_H

#include "trawl/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rectangle of cells to find in a larger one. Cells are compared exactly, unless
 * trawl_compile_options.likeness says otherwise. */
typedef struct trawl_needle {
    const void *cells;  /* row by row; cells of 2 and 4 bytes aligned to their size */
    uint64_t rows;      /* >= 1 */
    uint64_t cols;      /* >= 1 */
    size_t stride;      /* bytes from row to row; 0 means cols * cell_size */
    uint32_t id;        /* reported with each match; need not be unique */
    const char *name;   /* optional label, copied; may be NULL */
} trawl_needle;

/* How a place may differ from its needle and be an occurrence all the same. All such places are
 * found, and no others. It takes time in proportion to the needles, not as for equal cells. */
typedef struct trawl_likeness {
    size_t size;            /* sizeof(trawl_likeness) */
    const uint8_t *const *masks; /* of each needle rows * cols bytes, row by row: where one is 0 its
                               cell matches anything. NULL, or an entry NULL: none */
    uint32_t tolerance;     /* how much every channel of a cell may differ */
    uint32_t channel_bytes; /* of a channel, a number in this machine's byte order; a divisor of the
                               cell's size. 0: the cell is one channel */
    uint64_t wrong;         /* how many cells of a place may differ by more */
} trawl_likeness;

#define TRAWL_LIKENESS_INIT { sizeof(trawl_likeness), NULL, 0, 0, 0 }

/* Compile `count` needles (at least one) of cells of 1 to 4 bytes. Thread-safe. */
TRAWL_API int trawl_compile_grid(const trawl_needle *needles, size_t count,
                                 uint32_t cell_size,
                                 const trawl_compile_options *options,
                                 trawl_plan **plan, trawl_error *error);

/* ---- scanning grids -------------------------------------------------- */

typedef struct trawl_grid {
    const void *cells; /* row by row; cells of 2 and 4 bytes aligned to their size */
    uint64_t rows;     /* 0 is allowed: nothing is found */
    uint64_t cols;
    size_t stride;     /* bytes from row to row; 0 means cols * cell_size */
} trawl_grid;

typedef struct trawl_grid_match {
    uint64_t row, col; /* top left cell, 0-based */
    uint32_t id;       /* the needle's id */
    uint32_t needle;   /* the needle's index in the order given to compile */
} trawl_grid_match;

/* As trawl_match_fn; matches come in order of row, then column, then id. */
typedef int (*trawl_grid_match_fn)(const trawl_grid_match *matches, size_t count, void *user);

/* The scan options of a grid are max_matches, max_steps and max_seconds; its report and base must
 * be 0. */
TRAWL_API int trawl_scan_grid(trawl_context *context, const trawl_plan *plan,
                              const trawl_grid *text, const trawl_scan_options *options,
                              trawl_grid_match_fn fn, void *user, trawl_error *error);

/* As trawl_count, trawl_count_each (by needle) and trawl_collect. */
TRAWL_API int trawl_count_grid(trawl_context *context, const trawl_plan *plan,
                               const trawl_grid *text, const trawl_scan_options *options,
                               uint64_t *count, trawl_error *error);
TRAWL_API int trawl_count_each_grid(trawl_context *context, const trawl_plan *plan,
                                    const trawl_grid *text, const trawl_scan_options *options,
                                    uint64_t *counts, trawl_error *error);
TRAWL_API int trawl_collect_grid(trawl_context *context, const trawl_plan *plan,
                                 const trawl_grid *text, const trawl_scan_options *options,
                                 trawl_grid_match **matches, size_t *count, trawl_error *error);
TRAWL_API void trawl_grid_matches_free(trawl_grid_match *matches);

/* ---- grids in a device's memory --------------------------------------- */

/* A grid that is in a device's memory already. */
typedef struct trawl_device_grid {
    size_t size;     /* sizeof(trawl_device_grid) */
    void *memory;    /* as trawl_device_text.memory */
    size_t offset;   /* of the first cell in it, bytes; cells need no alignment */
    uint64_t rows;   /* 0 is allowed: nothing is found */
    uint64_t cols;
    size_t stride;   /* bytes from row to row; 0 means cols * cell_size */
    void *queue;     /* as trawl_device_text.queue */
    uint32_t device; /* which of the context's devices holds it, from 0 */
    uint32_t reserved; /* 0 */
} trawl_device_grid;

#define TRAWL_DEVICE_GRID_INIT { sizeof(trawl_device_grid), NULL, 0, 0, 0, 0, NULL, 0, 0 }

/* Scan, count and collect the matches of a grid that stays there, on a context of a device. Matches
 * come to the host, those of trawl_scan_grid in its order.
 * Rows are read where they are. Kernels read whole words, so some pass through the context's own
 * memory on the device, some MiB at a time (trawl_timing.to_device says how long that took):
 *   - all, where cells of 2 or 4 bytes are not at multiples of their size;
 *   - all, where one begins within the first 96 bytes of what was allocated, and not at a multiple
 *     of 16;
 *   - the last few, where what was allocated ends within 256 bytes after them.
 * TRAWL_ERROR_UNSUPPORTED: the context is of a CPU; TRAWL_ERROR_ARGUMENT: the memory is not that
 * device's, or has less than the grid. */
TRAWL_API int trawl_scan_grid_device(trawl_context *context, const trawl_plan *plan,
                                     const trawl_device_grid *grid,
                                     const trawl_scan_options *options,
                                     trawl_grid_match_fn fn, void *user, trawl_error *error);
TRAWL_API int trawl_count_grid_device(trawl_context *context, const trawl_plan *plan,
                                      const trawl_device_grid *grid,
                                      const trawl_scan_options *options,
                                      uint64_t *count, trawl_error *error);
TRAWL_API int trawl_count_each_grid_device(trawl_context *context, const trawl_plan *plan,
                                           const trawl_device_grid *grid,
                                           const trawl_scan_options *options,
                                           uint64_t *counts, trawl_error *error);
TRAWL_API int trawl_collect_grid_device(trawl_context *context, const trawl_plan *plan,
                                        const trawl_device_grid *grid,
                                        const trawl_scan_options *options,
                                        trawl_grid_match **matches, size_t *count,
                                        trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
