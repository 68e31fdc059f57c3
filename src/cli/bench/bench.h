/* bench.h: what `trawl bench seeds` is made of.
 *
 *     bench.c    the arguments
 *     cell.c     rows of a table measured against each other: medians, agreement
 *     run.c      one run of one row: times, matches, joules
 *     pool.c     contexts kept open between rows; meter.c: joules
 *     inputs.c   texts and grids, by seed or from files; patterns.c: sets of patterns
 *     table.c    rows as CSV, and figures taken from them
 *     plot.c     plots, by gnuplot
 *     findings.c the papers' figures and ours, line by line
 *     csv.c      CSV files read back
 *     page.c     index.html from the CSV files and the plots
 *     seeds_*.c  one file a paper: its tables, its plots, its figures beside ours
 *
 * Only the public interface of the library is used.
 */
#ifndef TRAWL_BENCH_H
#define TRAWL_BENCH_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trawl.h"

#if defined(__GNUC__) || defined(__clang__)
#define BENCH_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define BENCH_PRINTF(at, first)
#endif

enum { BENCH_BACKENDS = 8, TABLE_KEYS = 6, KEY_ROOM = 40, MOST_REPEATS = 31, MOST_PLANS = 64 };

struct energy_meter;
struct context_pool;
struct paper;

typedef struct bench_backend {
    const char *name;
    bool device;     /* not a CPU backend */
    bool cpu;        /* it computes on the CPU, PoCL included */
    size_t devices;  /* how many; 0 for a CPU backend */
    size_t first;    /* the first of those asked for */
    char label[128]; /* the device's name */
} bench_backend;

typedef struct bench {
    const char *folder, *device, *data, *text;
    bool quick;
    uint32_t repeats;
    uint64_t large; /* bytes of the large text; 0: none */
    double seconds; /* after which a cell is repeated no more */
    uint64_t seed;
    bench_backend backends[BENCH_BACKENDS];
    size_t backend_count;
    uint32_t cpus;
    struct context_pool *pool;
    struct energy_meter *energy;
    double idle_watts_gpu, idle_watts_cpu; /* negative: not readable */
    size_t rows, disagreements, failures, unsupported;
    size_t alone; /* rows compared with nothing */
    bool broken;  /* an input could not be made or a file not written */
} bench;

/* "trawl bench: ..." on standard error; `b->broken` is set when b is not NULL. */
void bench_complain(bench *b, const char *format, ...) BENCH_PRINTF(2, 3);
void *bench_alloc(size_t count, size_t size); /* zeroed; ends the program when there is none */
double bench_seconds(void);
const bench_backend *bench_backend_named(const bench *b, const char *name); /* or NULL */
bool bench_has_gpu(const bench *b);
/* The size for a quick trial, for a machine without GPU, or for one with. */
uint64_t bench_size(const bench *b, uint64_t quick, uint64_t cpu, uint64_t gpu);
/* Run a program; what it prints on standard output goes to *bytes (malloc'ed) when that is not
 * NULL. False when it cannot be run or fails. */
bool bench_child(char *const *arguments, uint8_t **bytes, size_t *length);
FILE *bench_file(bench *b, const char *name, const char *mode); /* in the folder; may complain */

/* ---- tables (table.c) ---------------------------------------------------- */

typedef enum row_state {
    ROW_ALONE,  /* nothing to compare with */
    ROW_AGREES, /* same count and same places as the reference */
    ROW_DISAGREES,
    ROW_UNSUPPORTED, /* the backend refuses; the note says why */
    ROW_FAILED,      /* the backend failed; the note says how */
    ROW_SKIPPED,     /* left out; the note says why */
    ROW_DERIVED      /* keys only, computed from other rows */
} row_state;

enum { JOULES_UNMEASURED = -1, JOULES_UNREADABLE = -2 };

typedef struct row {
    /* What is measured. */
    char keys[TABLE_KEYS][KEY_ROOM];
    const char *engine;
    const trawl_plan *plan; /* while its cell is open */
    const bench_backend *backend;
    const char *devices; /* NULL: those of --device */
    uint32_t threads, schedule, chunks;
    char tuning[96];
    uint64_t length; /* bytes of text; less than the text where that would take too long */
    bool energy;     /* measure joules too */
    bool whole_only; /* no time in kernels: several devices take part */
    /* What came out. */
    row_state state;
    uint64_t matches, checksum;
    bool tallied; /* these two are known */
    bool on_cpu;  /* a device had no memory for all of it */
    uint32_t samples;
    double kernel, transfer, end_to_end, spread, speedup, kernel_speedup;
    double joules, joules_gpu, joules_cpu; /* a byte, or JOULES_... */
    double watts;
    char note[160];
} row;

typedef struct table_head {
    const char *name; /* the CSV file is NAME.csv */
    const char *title;
    const char *about;
    const char *keys[TABLE_KEYS];
} table_head;

typedef struct table {
    const table_head *head;
    row *rows;
    size_t count, room;
} table;

row *table_add(table *t);
bool row_ran(const row *r);
bool row_counts(const row *r); /* it ran, and where it was meant to: findings may use it */
void table_free(table *t);
/* Columns by number: keys first, then those of every table. NULL past the end. */
const char *table_column(const table *t, size_t number);
void table_value(const table *t, const row *r, const char *column, char *text, size_t room);
bool table_number(const table *t, const row *r, const char *column, double *number);
void table_write(bench *b, const table *t);
void csv_field(FILE *out, const char *text);

/* Figures of one column over the rows that fit `where`: "backend=threads schedule=dynamic".
 * A row of which the CPU did what a device had no memory for fits nothing. */
typedef struct figures {
    size_t count;
    double least, most, mean;
} figures;
bool row_fits(const table *t, const row *r, const char *where);
figures table_figures(const table *t, const char *column, const char *where);

/* ---- measuring (cell.c, run.c) --------------------------------------------------- */

typedef struct cell {
    bench *bench;
    table *table;
    const uint8_t *text;    /* a text or */
    uint64_t length;        /* bytes */
    const trawl_grid *grid; /* a grid */
    size_t first;           /* row of the cell in the table */
    double seconds;         /* after which it is repeated no more */
    const char *base;       /* engine whose serial row speedups are over; NULL: each row's own */
} cell;

cell cell_open(bench *b, table *t, const void *text, uint64_t length);
cell cell_open_grid(bench *b, table *t, const trawl_grid *grid, uint32_t cell_size);
/* One more row; NULL when the backend is not there. `tuning` NULL: chosen. The row may be
 * changed until the next call. */
row *cell_add(cell *c, const char *engine, const trawl_plan *plan, const bench_backend *backend,
              const char *tuning);
void row_key(row *r, size_t key, const char *format, ...) BENCH_PRINTF(3, 4);
/* Measure all rows of the cell: in turn, `repeats` times after a warm-up. */
void cell_run(cell *c);
/* A row that says why it is left out. */
row *cell_skip(cell *c, const char *engine, const char *format, ...) BENCH_PRINTF(3, 4);
struct context_pool *pool_open(void);
void pool_close(struct context_pool *pool);
/* Watts while nothing runs, into the bench. */
void bench_idle(bench *b);
/* The energy meters (meter.c). */
void energy_begin(bench *b);
void energy_end(bench *b);
/* Why the meter of the GPU (or of the CPU) cannot be read; "" when it can. */
void energy_reason(const bench *b, bool gpu, char *text, size_t room);

/* ---- inputs (inputs.c, patterns.c) --------------------------------------------------- */

uint64_t random_next(uint64_t *state); /* splitmix64 */
uint64_t random_below(uint64_t *state, uint64_t bound);

/* A file of --data, unpacked when its name ends in .xz or .gz; NULL when it cannot be read. */
uint8_t *input_data(const bench *b, const char *name, uint64_t *length);
/* A text of `length` bytes: of --text, of the data's source text, or generated; repeated as
 * often as needed. `what` says which. malloc'ed. */
uint8_t *input_text(bench *b, uint64_t length, char what[96]);
/* The sequence of E. coli from --data, repeated; NULL when there is none. */
uint8_t *input_genome(bench *b, uint64_t length);
/* The 8-bit raster at `path` below --data as a grid; NULL when it cannot be read. */
uint8_t *input_raster(bench *b, const char *path, uint64_t *rows, uint64_t *cols,
                      uint32_t *cell_size);

typedef struct pattern_bag {
    trawl_pattern *patterns;
    char *bytes;
    size_t count;
} pattern_bag;

void bag_free(pattern_bag *bag);
/* `count` different stretches of the text, `least` to `most` bytes long. */
pattern_bag input_stretches(const uint8_t *text, uint64_t length, size_t count, uint32_t least,
                            uint32_t most, uint64_t seed);
/* `count` literals of rules from --data, `least` to `most` bytes long; else stretches that look
 * like them. `what` says which. */
pattern_bag input_rules(bench *b, const uint8_t *text, uint64_t length, size_t count,
                        uint32_t least, uint32_t most, char what[96]);
/* `count` extended patterns of exactly `states` states, each of which occurs in the text. */
pattern_bag input_extended(const uint8_t *text, uint64_t length, size_t count, uint32_t states,
                           uint64_t seed);
/* States of the trie of a bag of literals, root included. */
uint64_t input_trie_states(const pattern_bag *bag);
trawl_plan *input_plan(bench *b, const pattern_bag *bag, const char *engine, uint32_t wm_block);
/* Random cells of 1 or 2 bytes below `alphabet`. */
void *input_cells(uint64_t rows, uint64_t cols, uint32_t alphabet, uint64_t seed);

/* ---- papers -------------------------------------------------------------- */

/* y over x, a line for each value of the series' columns. */
typedef struct plot_head {
    const char *name, *title;
    const char *table; /* name of a table of the paper */
    const char *where; /* rows, as for table_figures; "" for all */
    const char *x, *y, *x_label, *y_label;
    const char *series; /* columns whose values name a line, apart by blanks */
    bool log_x, log_y;
} plot_head;

typedef struct paper {
    const char *name, *title;
    const char *about; /* what it reports, in a paragraph */
    const table_head *tables;
    size_t table_count;
    const plot_head *plots;
    size_t plot_count;
    void (*run)(bench *b, table *tables); /* measures, and writes findings */
} paper;

extern const paper paper_bm, paper_wm, paper_pfac, paper_hnfa, paper_grid;
const paper *paper_at(size_t number); /* NULL past the end */

/* A line of the summary: what, the paper's figure, ours. Printed, and kept for the page. */
void finding(bench *b, const paper *p, const char *what, const char *theirs, const char *format,
             ...) BENCH_PRINTF(5, 6);
void findings_begin(bench *b, const paper *p);
void findings_print(bench *b, const paper *p);

/* A CSV file of the folder, line by line. */
typedef struct csv {
    char *text, *at;
    char *fields[40];
    size_t count;
} csv;
bool csv_open(bench *b, const char *name, csv *file); /* false: there is none */
bool csv_line(csv *file);                             /* false: at the end */
void csv_close(csv *file);

void plot_write(bench *b, const paper *p, const table *tables);
/* Draw again what plot_write left in the folder. False, after a complaint, without gnuplot. */
bool plot_redraw(bench *b, const paper *p);
/* index.html of all CSVs in the folder; `measured`: by this run, on this machine. */
void page_write(bench *b, bool measured);

#endif
