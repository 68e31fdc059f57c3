/* trawl/formats.h: what files hold, record by record, and files of patterns, to search by trawl.h.
 *
 * The library libtrawl-formats opens files, unpacks them, and gives the records in them: sequences
 * of FASTA and FASTQ, reads of SAM and BAM, entries of GenBank and EMBL, packets of captures,
 * lines, or whole texts; members of archives too.
 *
 *     trawl_reader_open(path) --trawl_reader_next--> records --trawl_scan_many--> matches
 *     trawl_patterns_open(path) --trawl_patterns_compile--> plan
 *
 * docs/semantics.md, "Records", says what each record holds, and what names it.
 *
 * Conventions are those of trawl.h: 0 or a notice above 0 or an error below 0 is returned, structs
 * carry their size and are filled by ..._INIT, closing NULL does nothing. Nothing is printed. A
 * reader serves one call at a time; several readers are independent, on any threads.
 *
 * Libraries of others (htslib, libarchive, libpcap) are loaded when a file needs them; one that is
 * missing is an error of that file, which says what to install.
 */
#ifndef TRAWL_PUBLIC_FORMATS_H
#define TRAWL_PUBLIC_FORMATS_H

#include "trawl.h"
#include "trawl/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A notice, beside those of trawl_status: there is nothing more. */
#define TRAWL_END 16

/* What went wrong in a file, or may not be meant so. Owned by the caller. */
typedef struct trawl_file_error {
    int code;        /* a trawl_status below 0; TRAWL_OK for a warning */
    uint64_t line;   /* from 1, of the text that `text` names; 0: not known, or it has no lines */
    char text[1024]; /* the file's name, with those of members after it: "a.tar:b.gz"; of a longer
                        name the end */
    char message[512]; /* what is wrong, and what to do: one line, without the name and the line's
                          number; NUL-terminated */
} trawl_file_error;

/* How a text is read, and what it was read as. */
typedef enum trawl_format {
    TRAWL_FORMAT_AUTO = 0,    /* by its first bytes; what is known as none of these: as TEXT */
    TRAWL_FORMAT_LINES = 1,   /* lines without their newline */
    TRAWL_FORMAT_TEXT = 2,    /* all of a text, unpacked, as one record */
    TRAWL_FORMAT_FASTA = 3,   /* sequences, their lines joined without blanks */
    TRAWL_FORMAT_FASTQ = 4,   /* the same, with qualities */
    TRAWL_FORMAT_SAM = 5,     /* SAM and BAM: the bases of reads */
    TRAWL_FORMAT_GENBANK = 6, /* GenBank, EMBL, UniProt: the sequences of entries */
    TRAWL_FORMAT_PCAP = 7     /* pcap and pcapng: payloads of packets */
} trawl_format;

enum {
    TRAWL_READ_QUALITIES = 1 /* keep the qualities of FASTQ */
};

typedef struct trawl_reader_options {
    size_t size;
    uint32_t format;    /* a trawl_format */
    uint32_t flags;     /* TRAWL_READ_QUALITIES */
    uint32_t threads;   /* for what can be unpacked by several; 0: one */
    uint32_t unused;    /* zero */
    uint64_t max_ratio; /* bytes that one byte of a file may unpack to, beyond 64 MiB; 0: 250,
                           UINT64_MAX: any number */
    /* If it is set: takes what may not be meant as it is read (a line of FASTA with a '?'), while
     * trawl_reader_next runs, on its thread. The struct is valid during the call. */
    void (*warn)(const trawl_file_error *warning, void *user);
    void *user; /* for warn */
} trawl_reader_options;

#define TRAWL_READER_OPTIONS_INIT { sizeof(trawl_reader_options), 0, 0, 0, 0, 0, 0, 0 }

/* Some records of one text, whole and in order; `texts` is what trawl_scan_many takes, whose
 * trawl_match.record is then an index of these arrays. Valid until the next call on the reader. */
typedef struct trawl_records {
    size_t size;
    size_t count;
    uint32_t format;          /* what the text was read as, never AUTO */
    uint32_t cut;             /* 1: the last one is cut off, where the text is damaged; the next
                                 call says why. Else 0 */
    uint64_t first;           /* the number of the first, from 1 in its text */
    const char *text;         /* the file's name, with those of members after it: "a.tar:b.gz" */
    const trawl_text *texts;  /* the records' bytes */
    const char *const *names; /* what names them; NULL: records of this format have none. A name is
                                 cut after 4096 bytes */
    const uint8_t *const *qualities; /* as many bytes as of the record; NULL: none, or not kept */
} trawl_records;

#define TRAWL_RECORDS_INIT { sizeof(trawl_records), 0, 0, 0, 0, 0, 0, 0, 0 }

typedef struct trawl_reader trawl_reader;

/* Open a file; "-" is standard input. `options` may be NULL. Memory: some MiB, or as much as the
 * longest record, which may have 1 GiB. TRAWL_ERROR_ARGUMENT: it cannot be opened, or an option is
 * unknown. Thread-safe. */
TRAWL_API int trawl_reader_open(const char *path, const trawl_reader_options *options,
                                trawl_reader **reader, trawl_file_error *error);

/* The same of a file's bytes in memory, which must stay until the reader is closed; `name` is what
 * records' texts are called by. Thread-safe. */
TRAWL_API int trawl_reader_open_memory(const void *bytes, size_t length, const char *name,
                                       const trawl_reader_options *options, trawl_reader **reader,
                                       trawl_file_error *error);

/* The next records: one at least, of one text. TRAWL_END: there are none. An error concerns the
 * text that it names, of which the records before the damage were given, and what is there of the
 * one that is cut off by it (trawl_records.cut); the next call goes on with the texts beside it
 * (members of an archive). TRAWL_ERROR_ARGUMENT: what is there cannot be read;
 * TRAWL_ERROR_LIMIT: it has a record of more than 1 GiB; TRAWL_ERROR_MEMORY;
 * TRAWL_ERROR_UNSUPPORTED: it is of a format that is known and not read. */
TRAWL_API int trawl_reader_next(trawl_reader *reader, trawl_records *records,
                                trawl_file_error *error);

TRAWL_API void trawl_reader_close(trawl_reader *reader);

/* ---- trees ------------------------------------------------------------------------------ */

enum {
    TRAWL_TREE_FOLLOW = 1 /* symbolic links below the folder, too */
};

/* The regular files below a folder, in the order of names, folders in their place. */
typedef struct trawl_tree trawl_tree;

/* TRAWL_ERROR_MEMORY, TRAWL_ERROR_ARGUMENT: an unknown flag. Thread-safe. */
TRAWL_API int trawl_tree_open(const char *folder, uint32_t flags, trawl_tree **tree,
                              trawl_file_error *error);

/* The next file's path, folder/name, valid until the next call. TRAWL_END: there is none.
 * TRAWL_ERROR_ARGUMENT: *path is a folder that cannot be read; the next call goes on beside it. */
TRAWL_API int trawl_tree_next(trawl_tree *tree, const char **path, trawl_file_error *error);

TRAWL_API void trawl_tree_close(trawl_tree *tree);

/* ---- files of patterns --------------------------------------------------------------- */

/* docs/semantics.md, "Lists of patterns", says how each is read. */
typedef enum trawl_patterns_kind {
    TRAWL_PATTERNS_LIST = 0,  /* a pattern a line; FASTA; by syntax files of PROSITE and ClamAV */
    TRAWL_PATTERNS_NAMED = 1, /* lines are a name, a tab and a pattern */
    TRAWL_PATTERNS_YARA = 2,  /* the strings of YARA's rules, named RULE:$STRING */
    TRAWL_PATTERNS_RULES = 3  /* contents of rules of Snort and Suricata; ids are their sids */
} trawl_patterns_kind;

typedef struct trawl_patterns_options {
    size_t size;
    uint32_t kind;   /* a trawl_patterns_kind */
    uint32_t syntax; /* a trawl_syntax, for lines; YARA's strings and rules say theirs */
    uint32_t flags;  /* TRAWL_NOCASE | ..., of lines too */
    uint32_t unused; /* zero */
    /* If it is set: takes what is left out, or may not be meant so, while trawl_patterns_open runs,
     * on its thread. The struct is valid during the call. */
    void (*warn)(const trawl_file_error *warning, void *user);
    void *user; /* for warn */
} trawl_patterns_options;

#define TRAWL_PATTERNS_OPTIONS_INIT { sizeof(trawl_patterns_options), 0, 0, 0, 0, 0, 0 }

/* Patterns of a file; immutable, for any number of threads. */
typedef struct trawl_patterns trawl_patterns;

/* Read a file of patterns, which may be compressed; "-" is standard input. TRAWL_ERROR_ARGUMENT: it
 * cannot be read, has none, or an option is unknown; the error has the line. Thread-safe. */
TRAWL_API int trawl_patterns_open(const char *path, const trawl_patterns_options *options,
                                  trawl_patterns **patterns, trawl_file_error *error);

/* The patterns, valid until they are closed: `count` of them. What else a file asks of a match
 * (where it begins, full words) is known to trawl_patterns_compile alone. */
TRAWL_API const trawl_pattern *trawl_patterns_get(const trawl_patterns *patterns, size_t *count);

/* The line of the file, from 1, where a pattern stands, by its index in trawl_patterns_get or
 * trawl_error.pattern. 0: there is no such pattern. */
TRAWL_API uint64_t trawl_patterns_line(const trawl_patterns *patterns, size_t index);

/* As trawl_compile of these patterns, with what the file asks of their matches; of `options` the
 * conditions are not read. The plan does not need the patterns any more. */
TRAWL_API int trawl_patterns_compile(const trawl_patterns *patterns,
                                     const trawl_compile_options *options, trawl_plan **plan,
                                     trawl_error *error);

TRAWL_API void trawl_patterns_close(trawl_patterns *patterns);

/* ---- rules ----------------------------------------------------------------------------- */

/* Rules of Snort and Suricata, or ClamAV's logical signatures, that hold for a record or do not:
 * docs/semantics.md, "Verdicts". They serve one call at a time. */
typedef struct trawl_rules trawl_rules;

typedef struct trawl_held_rule {
    uint32_t sid;          /* of a logical signature its number in the file, from 1 */
    uint32_t unused;       /* zero */
    const char *message;   /* its msg, or its name */
    const char *unchecked; /* names of what is asked for and not evaluated, with commas between;
                              NULL or "": nothing */
} trawl_held_rule;

/* Read rules: options as of trawl_patterns_open, with kind TRAWL_PATTERNS_RULES, or for logical
 * signatures TRAWL_PATTERNS_LIST and syntax TRAWL_SYNTAX_HEX. Errors as there. Thread-safe. */
TRAWL_API int trawl_rules_open(const char *path, const trawl_patterns_options *options,
                               trawl_rules **rules, trawl_file_error *error);

/* The rules that hold for a record: `count` of them in the order of the file, valid until the next
 * call. `flow` is between whom it went, as trawl_records.names has it of packets; NULL: not known,
 * so that no rule is left out for it. A record of no byte has none. TRAWL_ERROR_LIMIT: contents
 * occur at more than 8 million places; other errors are those of trawl_scan. */
TRAWL_API int trawl_rules_judge(trawl_rules *rules, trawl_context *context,
                                const trawl_text *record, const char *flow,
                                const trawl_held_rule **held, size_t *count, trawl_error *error);

TRAWL_API void trawl_rules_close(trawl_rules *rules);

/* ---- pictures -------------------------------------------------------------------------- */

/* What a cell holds; docs/semantics.md, "Pictures". */
typedef enum trawl_picture_as {
    TRAWL_PICTURE_STORED = 0, /* what the file holds; pictures of one kind compare */
    TRAWL_PICTURE_RGB = 1,    /* r | g << 8 | b << 16 in 4 bytes; alpha is dropped */
    TRAWL_PICTURE_RGBA = 2,   /* the same, with alpha << 24 */
    TRAWL_PICTURE_GREY = 3,   /* luma in 1 byte */
    TRAWL_PICTURE_MASK = 4    /* 0 where all numbers but alpha are 0, else 1, in 1 byte */
} trawl_picture_as;

typedef struct trawl_picture_options {
    size_t size;
    uint32_t as;        /* a trawl_picture_as */
    uint32_t unused;    /* zero */
    uint64_t max_bytes; /* in memory at once; 0: 1 GiB */
} trawl_picture_options;

#define TRAWL_PICTURE_OPTIONS_INIT { sizeof(trawl_picture_options), 0, 0, 0 }

typedef struct trawl_picture_info {
    size_t size;
    trawl_grid grid;        /* the pixels as cells, for trawl_scan_grid, or as a needle */
    uint32_t cell_size;     /* bytes: 1, 2 or 4 */
    uint32_t channel_bytes; /* bytes of each number in a cell; 0: it holds none that differ by
                               little where colours do */
    uint32_t hidden;        /* 1: alpha was dropped, and a pixel was not opaque */
    uint32_t orientation;   /* 2 to 8: EXIF's, how it is turned when it is shown; else 0 */
    char kind[16];          /* what a cell holds: "grey8", "rgb8", "rgba8", "grey16" ... */
} trawl_picture_info;

#define TRAWL_PICTURE_INFO_INIT { sizeof(trawl_picture_info), { 0, 0, 0, 0 }, 0, 0, 0, 0, { 0 } }

/* A picture in memory; immutable, for any number of threads. */
typedef struct trawl_picture trawl_picture;

/* Read a picture of PNG, PNM, TIFF, JPEG, WebP or BMP, by its first bytes; "-" is standard input.
 * TRAWL_ERROR_ARGUMENT: it is none, damaged, too large, of several pages, or its colours have more
 * than 32 bits (take TRAWL_PICTURE_RGB). Thread-safe. */
TRAWL_API int trawl_picture_open(const char *path, const trawl_picture_options *options,
                                 trawl_picture **picture, trawl_file_error *error);

/* The same of bytes in memory, which are not needed afterwards; `name` is for errors. Thread-safe.
 */
TRAWL_API int trawl_picture_open_memory(const void *bytes, size_t length, const char *name,
                                        const trawl_picture_options *options,
                                        trawl_picture **picture, trawl_file_error *error);

/* What the picture holds, valid until it is closed. TRAWL_ERROR_ARGUMENT: the struct's size is
 * none. */
TRAWL_API int trawl_picture_get(const trawl_picture *picture, trawl_picture_info *info);

TRAWL_API void trawl_picture_close(trawl_picture *picture);

#ifdef __cplusplus
}
#endif

#endif
