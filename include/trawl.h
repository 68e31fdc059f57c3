/* trawl.h: find patterns in text, sequences and images.
 *
 * The flow is always the same:
 *
 *     patterns --trawl_compile--> plan --trawl_scan(context, plan, text)--> matches
 *
 * The headers, each for those who need it:
 *   trawl.h               patterns, plans, contexts, texts, streams
 *   trawl/grid.h          needles in grids of cells
 *   trawl/range.h         a text searched by several processes or machines
 *   trawl/device.h        devices, and what lies in their memory
 *   trawl/experimental.h  what may still change with any version
 *
 * A plan is immutable: any number of threads may scan with one plan at once.
 * A context serves one call at a time; it owns the backend, its worker threads
 * and the scratch memory. There is no global state.
 *
 * Conventions
 *   Offsets are bytes, 0-based; ranges are half open [start, end).
 *   Functions return TRAWL_OK (0), a positive notice (TRAWL_STOPPED and the like)
 *   or a negative error. Where a `trawl_error *` is taken it may be NULL; on an
 *   error it says what, where and how to mend it.
 *   Option structs carry their size: fill them with TRAWL_..._INIT and set what
 *   you need. A NULL option pointer means the defaults.
 *   Freeing or closing NULL does nothing.
 *
 * What holds (docs/embedding.md says how to use it)
 *   Threads. "Thread-safe" functions may be called at any time from any thread.
 *   All others take a context or a stream, which serves one call at a time: a
 *   second one, from another thread or from a callback of the first, is refused
 *   with TRAWL_ERROR_BUSY and does nothing. (Two that search small texts in vain at
 *   the same time may both be served.) trawl_cancel is the exception; and
 *   trawl_context_backend, _threads and _warning cannot say so: not during a call.
 *   Fork. In the child every plan works, and every context of a CPU backend that
 *   was not in a call at the fork (but of openmp: its run-time system may hang
 *   there, once it has had threads); one that was is refused with TRAWL_ERROR_BUSY,
 *   one of a device with TRAWL_ERROR_UNSUPPORTED: open a new one. Freeing is safe.
 *   Signals. The library installs no handler, and its threads block all signals but
 *   those that a thread raises itself (SIGBUS, SIGSEGV and the like).
 *   An interrupted system call is taken up again.
 *   Callbacks run on the thread that called, one at a time. They may use any
 *   other context, may not use this one, and must not leave by longjmp or by a
 *   C++ exception (trawl.hpp takes exceptions through).
 *   Texts, plans' blocks and grids must stay as they are during a call. What
 *   changes underneath gives undefined matches, but no access outside of them. A
 *   mapped file that is shortened raises SIGBUS, as for any reader.
 *   Memory. The library never ends the process: what cannot be had is
 *   TRAWL_ERROR_MEMORY, and the context, plan or stream can be used again or freed.
 *   Versions. From 0.2 on structs only grow, at their ends, and only where they
 *   carry a size; so a program built with this header runs with later libraries
 *   of the same soname. Structs without a size never change. trawl/experimental.h
 *   alone promises nothing.
 */
#ifndef TRAWL_H
#define TRAWL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define TRAWL_API __attribute__((visibility("default")))
#else
#define TRAWL_API
#endif

#define TRAWL_VERSION_MAJOR 0
#define TRAWL_VERSION_MINOR 2
#define TRAWL_VERSION_PATCH 0

/* ---- status ---------------------------------------------------------- */

typedef enum trawl_status {
    TRAWL_OK = 0,
    TRAWL_STOPPED = 1,            /* the callback asked to stop */
    TRAWL_LIMITED = 2,            /* max_matches was reached: more may follow */
    TRAWL_EXPIRED = 3,            /* max_steps or max_seconds was reached: more may follow */
    TRAWL_CANCELLED = 4,          /* trawl_cancel was called: more may follow */
    TRAWL_ERROR_ARGUMENT = -1,    /* a bad argument: the message names it */
    TRAWL_ERROR_MEMORY = -2,      /* out of memory */
    TRAWL_ERROR_PATTERN = -3,     /* a pattern is malformed: see .pattern, .offset */
    TRAWL_ERROR_UNSUPPORTED = -4, /* the engine or backend cannot do this */
    TRAWL_ERROR_PLAN = -5,        /* a plan block or a saved state is corrupt or of another kind */
    TRAWL_ERROR_LIMIT = -6,       /* larger than Trawl can address, or than the room given */
    TRAWL_ERROR_DEVICE = -7,      /* a device failed: the message names the call and its code */
    TRAWL_ERROR_BUSY = -8,        /* the context or stream is in a call already */
    TRAWL_ERROR_THREAD = -9       /* no thread can be had, or the caller's runner failed */
} trawl_status;

/* What went wrong. Owned by the caller; filled only when a call fails. */
typedef struct trawl_error {
    int code;         /* a trawl_status below 0 */
    size_t pattern;   /* index of the offending pattern, or TRAWL_NONE */
    size_t offset;    /* byte offset in that pattern's text, or TRAWL_NONE */
    char message[256]; /* one line, NUL-terminated, no newline */
} trawl_error;

#define TRAWL_NONE ((size_t)-1)

/* A short English phrase for a status. Static storage; thread-safe. */
TRAWL_API const char *trawl_error_text(int status);

/* "0.2.0". Static storage; thread-safe. */
TRAWL_API const char *trawl_version(void);

/* ---- memory ---------------------------------------------------------- */

/* Where memory comes from instead of malloc. The functions and `user` must serve until everything
 * made with them is freed. They may be called by several threads at once, and must not call Trawl.
 */
typedef struct trawl_allocator {
    void *(*allocate)(void *user, size_t bytes); /* aligned for any object; NULL: there is none */
    void (*release)(void *user, void *memory, size_t bytes); /* what allocate gave, and its size */
    void *user;
} trawl_allocator;

/* ---- patterns -------------------------------------------------------- */

typedef enum trawl_syntax {
    TRAWL_SYNTAX_LITERAL = 0,  /* the bytes as they are */
    TRAWL_SYNTAX_ESCAPED = 1,  /* a literal with C escapes: \n \t \\ \xHH ... */
    TRAWL_SYNTAX_EXTENDED = 2, /* regular expressions: groups, alternatives, repeats, also lazy
                                  ones, conditions, flags; each match has one byte at least */
    TRAWL_SYNTAX_PROSITE = 3,  /* motifs of amino acids: C-x(2,4)-[ST]-{P}-[G>]; either case */
    TRAWL_SYNTAX_IUPAC = 4,    /* nucleotides: GTYRAC GGCCN{5}GGCC; in either case */
    TRAWL_SYNTAX_HEX = 5       /* bytes in hexadecimal: 4D 5A ?? [4-6] ( 50 | 4? ) */
} trawl_syntax;

enum {
    TRAWL_NOCASE = 1, /* ASCII letters match both cases */
    TRAWL_LINES = 2,  /* no element matches a newline, as grep wants it */
    TRAWL_ONCE = 4,   /* of each text (record) only the first match reported; needles: no */
    TRAWL_WORDS = 8,  /* no letter, digit or _ beside a match, as grep -w wants it */
    TRAWL_WHOLE_LINES = 16, /* a match begins where a line does and ends where one does: grep -x */
    TRAWL_NULS = 32,  /* under TRAWL_LINES: a NUL byte ends a line, a newline is a byte */
    TRAWL_AMBIGUOUS = 64, /* IUPAC: a letter of the text matches if one of its bases may stand
                             there; else all of them must */
    TRAWL_OTHER_STRAND = 128 /* IUPAC: the reverse complement of the pattern */
};

typedef struct trawl_pattern {
    const void *text; /* the pattern's text, any bytes */
    size_t length;    /* its length in bytes */
    uint32_t syntax;  /* a trawl_syntax */
    uint32_t flags;   /* TRAWL_NOCASE | TRAWL_LINES | ... */
    uint32_t id;      /* reported with each match; need not be unique */
    const char *name; /* optional label, copied; may be NULL */
} trawl_pattern;

/* Where a match may begin, for trawl_conditions.place. */
enum {
    TRAWL_PLACE_ANY = 0,
    TRAWL_PLACE_BEGIN = 1, /* `offset` bytes after the text's begin, or up to `within` bytes more */
    TRAWL_PLACE_END = 2    /* `offset` bytes before the text's end, or up to `within` bytes more:
                              nowhere in a text that is shorter than `offset` */
};

/* What may stand beside a match, for trawl_conditions.word. */
enum {
    TRAWL_WORD_ANY = 0,
    TRAWL_WORD_FULL = 1,     /* no ASCII letter or digit */
    TRAWL_WORD_FULL_WIDE = 2 /* no ASCII letter or digit of two bytes, the second one 0 */
};

/* What a pattern asks of its matches beside its text. What does not meet it is no match, whatever
 * the report: the report chooses among those that do. TRAWL_PLACE_END needs to know where the text
 * ends, so streams and ranges refuse it. */
typedef struct trawl_conditions {
    size_t size;     /* sizeof(trawl_conditions) */
    uint32_t place;  /* TRAWL_PLACE_ANY, ... */
    uint32_t word;   /* TRAWL_WORD_ANY, ... */
    uint64_t offset; /* bytes; of TRAWL_PLACE_ANY 0, and so is `within` */
    uint64_t within; /* bytes */
} trawl_conditions;

#define TRAWL_CONDITIONS_INIT { sizeof(trawl_conditions), TRAWL_PLACE_ANY, TRAWL_WORD_ANY, 0, 0 }

/* ---- plans ----------------------------------------------------------- */

typedef struct trawl_plan trawl_plan;

typedef struct trawl_compile_options {
    size_t size;        /* sizeof(trawl_compile_options) */
    const char *engine; /* "auto" or NULL, or a name that trawl_engine_name gives; with "/" and the
                           name of its fallback after it ("wm/ac"): with all that "auto" adds */
    uint32_t wm_block;  /* Wu-Manber's block B: 2, 3, or 0 to let Trawl choose */
    const void *sample; /* a piece of the text that will be scanned, or like it: "auto" chooses for
                           it. NULL, or less than 1 KiB: text of the usual kinds. Matches
                           never depend on it */
    size_t sample_length; /* its length in bytes; the first 64 KiB count */
    const struct trawl_context *context; /* where the plan will run; NULL: on a CPU. Read during
                                            the call only */
    uint64_t max_memory; /* bytes that the call may hold at once, the plan included, but for what
                            qsort takes; more is TRAWL_ERROR_LIMIT. 0: 1 GiB; UINT64_MAX: any */
    const trawl_allocator *allocator; /* where they come from, and the plan's until it is freed;
                                         NULL: malloc. The struct is copied */
    const struct trawl_likeness *likeness; /* of needles: what trawl_compile_grid shall let pass
                                              (trawl/grid.h). NULL: cells compare exactly. Read
                                              during the call only */
    uint32_t tag;        /* any number of the caller's, for trawl_plan_info.tag */
    uint32_t keep_texts; /* 1: the plan holds the patterns' texts, for trawl_plan_get_pattern */
    const void *note;    /* bytes of the caller's that the plan holds, for trawl_plan_get_note */
    size_t note_length;
    int (*interrupted)(void *user); /* asked whenever memory is taken, on the thread of the call:
                                       non-zero ends it, with TRAWL_CANCELLED. It must not call
                                       Trawl. NULL: nothing is asked */
    void *interrupted_user;
    const trawl_conditions *const *conditions; /* of patterns: one entry for each, NULL: it has
                                                  none. NULL: no pattern has. Read during the call
                                                  only; trawl_compile_grid wants NULL */
} trawl_compile_options;

#define TRAWL_COMPILE_OPTIONS_INIT                                                           \
    { sizeof(trawl_compile_options), NULL, 0, NULL, 0, NULL, 0, NULL, NULL, 0, 0, NULL, 0, NULL, \
      NULL, NULL }

/* Compile `count` patterns (at least one) into a plan.
 * Errors: TRAWL_ERROR_PATTERN names the pattern and the offset in it;
 * TRAWL_ERROR_UNSUPPORTED when the named engine does not take this set; TRAWL_ERROR_LIMIT when
 * max_memory is too small, or a pattern, their number or tables too large; TRAWL_ERROR_MEMORY.
 * TRAWL_CANCELLED when `interrupted` said so: there is no plan. Thread-safe. */
TRAWL_API int trawl_compile(const trawl_pattern *patterns, size_t count,
                            const trawl_compile_options *options,
                            trawl_plan **plan, trawl_error *error);

typedef struct trawl_plan_info {
    size_t size;          /* sizeof(trawl_plan_info), set by the caller */
    const char *engine;   /* the engines: of each part of the set, joined by " + "; after a "/" the
                             one that takes over where the first is slow: "wm/ac + shiftand" */
    const char *why;      /* one line: why these */
    size_t patterns;      /* number of patterns or needles */
    size_t bytes;         /* size of the plan block */
    uint64_t min_length;  /* shortest possible match, bytes (rows for grids) */
    uint64_t max_length;  /* longest possible match, or UINT64_MAX when unbounded */
    uint32_t cell_size;   /* 0 for text, else 1 to 4 */
    uint32_t conditions;  /* 1: some pattern asks for what stands beside its matches, or
                             where they begin */
    uint32_t tag;         /* trawl_compile_options.tag */
    uint32_t keeps_texts; /* 1: it holds the patterns' texts */
    uint32_t version;     /* of the form of saved plans: a library reads its own only */
    uint32_t stages;      /* see trawl_plan_get_stage */
    double cost;          /* nanoseconds expected for a byte (grids: a cell) of text like the
                             sample, by one thread of a CPU or by all of a GPU; 0: not known, as of
                             an engine by name and of a plan that was loaded */
} trawl_plan_info;

/* Facts about a plan. The strings live as long as the plan. Thread-safe. */
TRAWL_API int trawl_plan_get_info(const trawl_plan *plan, trawl_plan_info *info);

/* Name of pattern `index` (in the order given to compile), "" when it had none. */
TRAWL_API const char *trawl_plan_pattern_name(const trawl_plan *plan, size_t index);

/* Pattern `index` as it was given to compile. Its text is NULL, and its length 0, unless the plan
 * holds texts (trawl_compile_options.keep_texts). What it points to lives as long as the plan.
 * TRAWL_ERROR_ARGUMENT: there is none, or the plan is of needles. Thread-safe. */
TRAWL_API int trawl_plan_get_pattern(const trawl_plan *plan, size_t index, trawl_pattern *pattern);

/* What pattern `index` asks of its matches, as it was given to compile, into a struct whose size is
 * set. TRAWL_ERROR_ARGUMENT: there is no such pattern, or the plan is of needles. Thread-safe. */
TRAWL_API int trawl_plan_get_conditions(const trawl_plan *plan, size_t index,
                                        trawl_conditions *conditions);

/* The bytes of trawl_compile_options.note, as they were given, and how many: the library looks at
 * nothing in them, and a hostile plan may hold any. They live as long as the plan; NULL: there are
 * none. Thread-safe. */
TRAWL_API const void *trawl_plan_get_note(const trawl_plan *plan, size_t *length);

/* The plan as bytes, for a file or another machine of the same byte order.
 * The pointer lives as long as the plan. Thread-safe. */
TRAWL_API const void *trawl_plan_save(const trawl_plan *plan, size_t *bytes);

/* The first eight bytes of a file of `trawl compile --grep` that selects lines which no match
 * tells, as an empty pattern and ^$ do. The command alone looks at that, so the library would find
 * too much or too little. */
#define TRAWL_PLAN_CONDITIONAL "TRAWLCND"

/* Make a plan from saved bytes (copied). The block is verified whole, so a
 * damaged or hostile one gives TRAWL_ERROR_PLAN and never a bad scan. What begins with
 * TRAWL_PLAN_CONDITIONAL is TRAWL_ERROR_UNSUPPORTED. Thread-safe. */
TRAWL_API int trawl_plan_load(const void *block, size_t bytes, trawl_plan **plan,
                              trawl_error *error);

/* Make a plan that reads `block` where it stands, as in a mapped file: nothing is copied but the
 * order of the patterns. The block is verified whole, as by trawl_plan_load; it must be aligned to
 * 64 bytes, as a mapping is, and must stay as it is until the plan is freed. Thread-safe. */
TRAWL_API int trawl_plan_view(const void *block, size_t bytes, trawl_plan **plan,
                              trawl_error *error);

TRAWL_API void trawl_plan_free(trawl_plan *plan);

/* ---- engines and backends -------------------------------------------- */

/* Engines and backends by number, 0 .. count-1; NULL past the end. Thread-safe. */
TRAWL_API size_t trawl_engine_count(void);
TRAWL_API const char *trawl_engine_name(size_t index);
TRAWL_API const char *trawl_engine_about(size_t index);
TRAWL_API size_t trawl_backend_count(void);
TRAWL_API const char *trawl_backend_name(size_t index);
TRAWL_API const char *trawl_backend_about(size_t index);

/* The instruction sets that this machine runs and this library has loops for, by number, from
 * "portable" to the best; NULL past the end. Thread-safe. */
TRAWL_API const char *trawl_isa_name(size_t index);

/* ---- contexts -------------------------------------------------------- */

typedef struct trawl_context trawl_context;

typedef enum trawl_schedule {
    TRAWL_SCHEDULE_DYNAMIC = 0, /* many chunks; a free thread takes the next one */
    TRAWL_SCHEDULE_STATIC = 1   /* as many chunks as threads, dealt out beforehand */
} trawl_schedule;

/* Threads of the caller's, instead of a context's own. A runner calls task(job, 0) ..
 * task(job, count - 1), each exactly once, in any order, on any threads, and returns when all have
 * returned. Non-zero: it could not run all, and none is running; the scan then returns
 * TRAWL_ERROR_THREAD. So it does when a task was not run, or was called twice. Small jobs are not
 * handed to it. */
typedef void (*trawl_task_fn)(void *job, uint32_t index);
typedef int (*trawl_runner_fn)(void *user, trawl_task_fn task, void *job, uint32_t count);

typedef struct trawl_context_options {
    size_t size;          /* sizeof(trawl_context_options) */
    const char *backend;  /* "auto" or NULL (threads, or serial on one core),
                             "serial", "threads", "openmp", "opencl", "cuda" */
    uint32_t threads;     /* 0: one a core; may exceed the number of cores */
    uint32_t schedule;    /* a trawl_schedule */
    uint32_t chunks;      /* chunks a window of text is cut into; 0: chosen. Devices take
                             neither threads nor schedule nor chunks */
    const char *device;   /* devices of the backend: "0" or NULL, "0,1", "all" */
    const char *tuning;   /* "name=value,...": see trawl_tuning_name; NULL: all chosen. A plan's
                             algorithm takes what it knows; the rest is for others */
    trawl_runner_fn runner; /* NULL: the context has threads of its own, from the first large scan
                               on. With a runner the backend is NULL, "auto" or "threads", and
                               `threads` says how many tasks at once are worth it */
    void *runner_user;
    const trawl_allocator *allocator; /* for all that the context, its calls and its streams hold on
                                         the host, drivers of devices aside; copied; NULL: malloc */
    void *native; /* opencl: the cl_context whose buffers trawl_scan_device shall read, retained;
                     NULL: one of its own. Else NULL */
    const char *isa; /* instruction set of what the CPU does, a name that trawl_isa_name gives,
                        or "auto": the best; NULL: that of the environment's TRAWL_ISA, else the
                        best */
} trawl_context_options;

#define TRAWL_CONTEXT_OPTIONS_INIT \
    { sizeof(trawl_context_options), NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

/* Open a context. It holds little before its first call: threads and memory are taken when a call
 * needs them. A context serves one call at a time; open one per thread. Thread-safe. */
TRAWL_API int trawl_context_open(const trawl_context_options *options,
                                 trawl_context **context, trawl_error *error);
/* Not while a call is in progress, or a stream of it is open. */
TRAWL_API void trawl_context_close(trawl_context *context);

/* End the call that is in progress on `context`, from another thread or a signal handler: it
 * returns TRAWL_CANCELLED soon, usually within 0.1 seconds, when what it handed on was right and in
 * order. Without a call in progress nothing happens, the next one included. A stream that was cut
 * off so has ended. */
TRAWL_API void trawl_cancel(trawl_context *context);

TRAWL_API const char *trawl_context_backend(const trawl_context *context);
TRAWL_API uint32_t trawl_context_threads(const trawl_context *context);
/* The instruction set of what the CPU does, a name that trawl_isa_name gives. */
TRAWL_API const char *trawl_context_isa(const trawl_context *context);

/* Bytes, or cells of grids, that calls on the context have scanned since it was opened, as far as
 * the call in progress has come: for who shows how far a long one is. Small texts and streams, of
 * which the caller knows, are left out. Thread-safe, as trawl_cancel is. */
TRAWL_API uint64_t trawl_context_scanned(const trawl_context *context);

/* What the context had to do otherwise than asked since it was opened, one line, or NULL. A scan
 * that returns TRAWL_OK is right all the same. The text changes with the next scan. */
TRAWL_API const char *trawl_context_warning(const trawl_context *context);

/* ---- scanning text --------------------------------------------------- */

typedef enum trawl_report {
    TRAWL_REPORT_ENDS = 0,     /* every end, once per pattern */
    TRAWL_REPORT_PAIRS,        /* every start and end */
    TRAWL_REPORT_LONGEST,      /* per start and pattern the longest */
    TRAWL_REPORT_SHORTEST,     /* per start and pattern the shortest */
    TRAWL_REPORT_LEFTMOST_LONGEST, /* no overlaps; the longest at the leftmost start */
    TRAWL_REPORT_LEFTMOST_FIRST,   /* no overlaps; the first pattern given wins */
    TRAWL_REPORT_EACH              /* each pattern by itself: of fixed length every match, else no
                                      overlaps among its own, the longest at the leftmost start */
} trawl_report;

#define TRAWL_UNKNOWN UINT64_MAX

typedef struct trawl_match {
    uint64_t start;   /* first byte, or TRAWL_UNKNOWN (ENDS of variable-length patterns) */
    uint64_t end;     /* one past the last byte */
    uint32_t id;      /* the pattern's id */
    uint32_t pattern; /* the pattern's index in the order given to compile */
    uint64_t record;  /* which text: its index in trawl_scan_many; in a stream the number of
                         trawl_stream_break calls before it; else 0 */
} trawl_match;

/* Called with `count` matches at once, at least one; all matches come, batch after batch, in order
 * of record, then end, then start, then id. They are valid during the call. A non-zero return stops
 * the scan, which then returns TRAWL_STOPPED. */
typedef int (*trawl_match_fn)(const trawl_match *matches, size_t count, void *user);

typedef struct trawl_scan_options {
    size_t size;          /* sizeof(trawl_scan_options) */
    uint32_t report;      /* a trawl_report */
    uint32_t reserved;    /* 0 */
    uint64_t base;        /* offset of the text's first byte, added to what is reported */
    uint64_t max_matches; /* stop with TRAWL_LIMITED when this many were handed on; 0: no limit */
    uint64_t max_steps;   /* of one call: a byte or cell scanned and a match handed on are a step
                             each. Beyond them it ends with TRAWL_EXPIRED; matches are counted by
                             batches, so a few more may come. 0: no limit */
    double max_seconds;   /* of one call: beyond them it ends so too; looked at about ten times a
                             second. 0: no limit */
} trawl_scan_options;

#define TRAWL_SCAN_OPTIONS_INIT { sizeof(trawl_scan_options), 0, 0, 0, 0, 0, 0 }

/* What a report of a plan asks of those who have the text. */
typedef struct trawl_report_info {
    size_t size;          /* sizeof(trawl_report_info), set by the caller */
    uint32_t starts;      /* 1: every match has a start; 0: some are TRAWL_UNKNOWN */
    uint32_t whole_text;  /* 1: matches may be open until the text ends, wherever that is:
                             trawl_stream_open and trawl_scan_range refuse the plan */
    uint32_t reads_again; /* 1: starts, or what stands beside a match, are looked for in the text
                             once more, on the host: trawl_scan_device refuses the plan */
    uint32_t reserved;    /* 0 */
    uint64_t keeps;       /* bytes of the text that a stream holds from one call to the next, at
                             most; UINT64_MAX: as many as there are since a byte that ends all
                             unbounded repeats */
} trawl_report_info;

/* `report` is a trawl_report. TRAWL_ERROR_ARGUMENT: there is no such report, or the plan is of
 * needles, which have one. Thread-safe. */
TRAWL_API int trawl_plan_get_report(const trawl_plan *plan, uint32_t report,
                                    trawl_report_info *info, trawl_error *error);

/* The calls that search, by where the text is and by what becomes of its matches:
 *
 *                          handed on            counted         counted each        an array
 *     text             trawl_scan           trawl_count     trawl_count_each    trawl_collect
 *     many texts       trawl_scan_many      .._count_many   .._count_each_many  .._collect_many
 *     grid             trawl_scan_grid      .._count_grid   .._count_each_grid  .._collect_grid
 *     a device's text  trawl_scan_device    .._count_device .._count_each_device
 *                      and trawl_collect_device, whose array stays on the device
 *     a device's grid  trawl_scan_grid_device, and so on
 *     a range          trawl_scan_range alone: its matches may be replaced when it is searched
 *                      again, so whoever counts or collects them does so when they are settled
 *     a stream         trawl_stream_open takes a callback
 */

/* Scan `length` bytes and hand the matches to `fn`. */
TRAWL_API int trawl_scan(trawl_context *context, const trawl_plan *plan,
                         const void *text, size_t length,
                         const trawl_scan_options *options,
                         trawl_match_fn fn, void *user, trawl_error *error);

/* Count the matches; cheaper than trawl_scan, no match is stored. */
TRAWL_API int trawl_count(trawl_context *context, const trawl_plan *plan,
                          const void *text, size_t length,
                          const trawl_scan_options *options,
                          uint64_t *count, trawl_error *error);

/* Count the matches of each pattern: counts[i] of pattern i in the order given to compile
 * (trawl_plan_info.patterns of them). */
TRAWL_API int trawl_count_each(trawl_context *context, const trawl_plan *plan,
                               const void *text, size_t length,
                               const trawl_scan_options *options,
                               uint64_t *counts, trawl_error *error);

/* Collect the matches into an array of malloc; free it with trawl_matches_free.
 * *matches is NULL when there are none. */
TRAWL_API int trawl_collect(trawl_context *context, const trawl_plan *plan,
                            const void *text, size_t length,
                            const trawl_scan_options *options,
                            trawl_match **matches, size_t *count, trawl_error *error);
TRAWL_API void trawl_matches_free(trawl_match *matches);

/* All that, for whoever searches one text once: compile `count` patterns, search the text on the
 * CPU under `report` (a trawl_report), and collect the matches; free them with trawl_matches_free.
 * Errors are those of trawl_compile, trawl_context_open and trawl_collect. Thread-safe. */
TRAWL_API int trawl_find(const trawl_pattern *patterns, size_t count,
                         const void *text, size_t length, uint32_t report,
                         trawl_match **matches, size_t *found, trawl_error *error);

typedef struct trawl_text {
    const void *bytes; /* may be NULL when length is 0 */
    size_t length;
} trawl_text;

/* Scan `count` texts, each by itself: no match begins in one and ends in another. A match says in
 * `record` which, and its offsets are those of that text (plus base). Made for many small texts;
 * the context's threads share them out. On devices text by text. */
TRAWL_API int trawl_scan_many(trawl_context *context, const trawl_plan *plan,
                              const trawl_text *texts, size_t count,
                              const trawl_scan_options *options,
                              trawl_match_fn fn, void *user, trawl_error *error);

/* As trawl_count, trawl_count_each and trawl_collect, of all the texts together. */
TRAWL_API int trawl_count_many(trawl_context *context, const trawl_plan *plan,
                               const trawl_text *texts, size_t count,
                               const trawl_scan_options *options,
                               uint64_t *matches, trawl_error *error);
TRAWL_API int trawl_count_each_many(trawl_context *context, const trawl_plan *plan,
                                    const trawl_text *texts, size_t count,
                                    const trawl_scan_options *options,
                                    uint64_t *counts, trawl_error *error);
TRAWL_API int trawl_collect_many(trawl_context *context, const trawl_plan *plan,
                                 const trawl_text *texts, size_t count,
                                 const trawl_scan_options *options,
                                 trawl_match **matches, size_t *found, trawl_error *error);

/* ---- streams --------------------------------------------------------- */

typedef struct trawl_stream trawl_stream;

/* A text that arrives piece by piece: matches across the pieces are found.
 * TRAWL_REPORT_ENDS takes every plan. The other reports need starts, and keep the text back to
 * where one may still match: twice the longest match, and of unbounded repeats back to the last
 * byte that ends them all, as a blank does [a-z]+. Where no byte does (a.*b), and under
 * TRAWL_REPORT_PAIRS, such a plan gives TRAWL_ERROR_UNSUPPORTED.
 * Where a pattern asks what comes after a match ($, \b, TRAWL_WORDS, ...), matches that end with
 * what was fed are reported when the next byte, or the end, is known.
 * The plan and the context must outlive the stream. A context may have many streams, and other
 * calls between those of its streams; all together it serves one call at a time.
 * max_steps and max_seconds hold for each feed, break and close. */
TRAWL_API int trawl_stream_open(trawl_context *context, const trawl_plan *plan,
                                const trawl_scan_options *options,
                                trawl_match_fn fn, void *user,
                                trawl_stream **stream, trawl_error *error);
TRAWL_API int trawl_stream_feed(trawl_stream *stream, const void *bytes, size_t length,
                                trawl_error *error);
/* The text ends here and another begins: what was still open is reported, no match crosses the
 * place, offsets count from 0 (plus base) again, and trawl_match.record is one more. max_matches
 * goes on counting. */
TRAWL_API int trawl_stream_break(trawl_stream *stream, trawl_error *error);
/* The text ends: report what was still open, and free the stream, whatever is returned but
 * TRAWL_ERROR_BUSY. */
TRAWL_API int trawl_stream_close(trawl_stream *stream, trawl_error *error);
/* Free a stream whose text does not end: it goes on elsewhere (trawl_stream_save), or nobody wants
 * to know. Nothing is reported. TRAWL_ERROR_BUSY: the context is in use; it is not freed. */
TRAWL_API int trawl_stream_drop(trawl_stream *stream, trawl_error *error);

/* Write what a stream needs to go on later, elsewhere, into `state`: a flat block, for a file or
 * another machine of the same byte order. *bytes is the room there on the way in, and what the
 * block takes on the way out; with `state` NULL nothing is written. The block holds the end of the
 * text, as many bytes as the longest bounded match less one, and a few words for each other
 * pattern. The stream is left as it is.
 * Errors: TRAWL_ERROR_LIMIT when the room is too small; TRAWL_ERROR_UNSUPPORTED for another report
 * than TRAWL_REPORT_ENDS, as their matches may still be open; TRAWL_ERROR_ARGUMENT, or the
 * stream's own error, when it has ended. */
TRAWL_API int trawl_stream_save(const trawl_stream *stream, void *state, size_t *bytes,
                                trawl_error *error);

/* Have a stream go on where a saved one was: what it was fed before is forgotten, and offsets
 * count from the saved offset. It must be of the same plan to the byte (trawl_plan_save carries
 * it: compiled elsewhere the same patterns may give another) and report TRAWL_REPORT_ENDS; its
 * backend, threads, base and what it may still report of max_matches are its own. `state` needs no
 * alignment and is not kept.
 * Errors: TRAWL_ERROR_PLAN when the state is damaged, cut, or of another plan or version;
 * TRAWL_ERROR_UNSUPPORTED and _ARGUMENT as above; TRAWL_ERROR_MEMORY. The stream is then left as
 * it was. A state forged with a right checksum may bring wrong matches, but no more. */
TRAWL_API int trawl_stream_restore(trawl_stream *stream, const void *state, size_t bytes,
                                   trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
