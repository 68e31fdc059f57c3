/* crew.h: the threads that search for `trawl grep`, and their jobs.
 *
 * search.c opens the crew and takes results, search_deal.c deals jobs, search_files.c does those
 * that are files, search_pieces.c those that are pieces of one.
 */
#ifndef TRAWL_CREW_H
#define TRAWL_CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "cli/search.h"
#include "formats/sources/ordered.h"
#include "formats/tree/tree.h"

#ifdef TRAWL_PIECE /* a test has small ones */
#define PIECE TRAWL_PIECE
#else
#define PIECE (256u << 10)
#endif
#define BATCH_FILES 16 /* below a folder, of one job */
#define SLOTS (MAX_WORKERS * SLOTS_A_WORKER)
#define KNOWN (2 * SLOTS) /* pieces of which something is kept: those dealt, and one more */

/* A file that is cut into pieces. */
typedef struct large {
    source file;
    const char *name; /* in output and messages */
    uint64_t pieces, dealt;
    atomic_uint users;
    atomic_bool ended; /* no further piece is wanted */

    /* What the pieces that were taken have: */
    uint64_t selected, lines;
    uint64_t bytes;  /* where the next line begins */
    line_edges last; /* of the last one that printed a line */

    /* Lines before pieces, under the crew's lock. */
    uint64_t known;                         /* pieces that are counted, one after the other */
    uint64_t counted[KNOWN], before[KNOWN]; /* of piece i at i % KNOWN */
    bool is_counted[KNOWN];
} large;

/* A file below a folder. */
typedef struct member {
    tree_folder *folder; /* NULL: there is a cause */
    size_t path, name;   /* where they begin in the job's names */
    bool linked;         /* a link of which the path is opened */
    int cause;
} member;

typedef enum job_kind { OPERAND, MEMBERS, PIECE_OF_FILE } job_kind;

typedef struct crew crew;

typedef struct job {
    crew *crew;
    unsigned slot;
    job_kind kind;
    printer out;
    bool named; /* lines and counts have the file's name */

    /* OPERAND */
    const char *path;
    int cause;   /* errno of opening it */
    bool opened; /* in the worker's file */

    /* MEMBERS */
    member members[BATCH_FILES];
    unsigned count;
    unsigned folders;        /* that are held, or fewer */
    const tree_folder *last; /* of them */
    char *names;
    size_t names_used, names_room;

    /* PIECE_OF_FILE */
    large *large;
    uint64_t piece, lines;
    uint64_t end;   /* of what was searched; 0: nothing was there */
    uint64_t found; /* lines selected in it */
    bool unfit;     /* it needs a history */
    line_edges edges;
    bool joined;             /* what belongs before its lines was printed */
    line_result join_result; /* with this */
    line_result result;
    const char *why;                               /* it could not be read */
    char error[sizeof((trawl_error *)0)->message]; /* or searched */

    /* Results. */
    bool matched, failed;
    uint64_t bytes, selected;
    line_stats stats;
    uint64_t packed;     /* members that are compressed */
    size_t first_packed; /* where its path begins in the job's names */
} job;

typedef struct worker {
    trawl_context *context; /* of one thread */
    source file;
    line_search lines;
    line_piece piece;
} worker;

/* The search and all that works for it. */
struct crew {
    search *search;
    ordered ordered;
    unsigned workers;
    unsigned folders; /* held by a job, at most */
    worker worker[MAX_WORKERS];
    line_search alone; /* with the search's context, at its turn */
    printer between;   /* what join_piece writes */
    job jobs[SLOTS];

    /* Dealing. */
    char **paths;
    int count, next;
    tree *tree;
    large *large; /* being dealt */
    bool input_opened;

    /* Taken results. */
    uint64_t packed;
    char *first_packed; /* of these; NULL: there is none, or no memory */

    struct stat output; /* of standard output */
    bool output_known, with_names;
    bool joined; /* files' outputs: one came before */
    atomic_bool finished;
    pthread_mutex_t lock; /* of the lines that are counted */
    pthread_cond_t counted;
};

/* ---- search_files.c ------------------------------------------------------ */

void file_failed(crew *c, job *j, const char *name, const char *why);
bool has_name(const crew *c, bool several);
bool is_output(const crew *c, const source *file);
void count_selected(job *j, uint64_t selected);

/* A file was searched with this result. */
void file_ended(crew *c, job *j, const char *name, line_result result, const char *why,
                uint64_t selected, bool binary_matched);

/* Say so when an operand is compressed; of members how many are, at the end. */
void warn_of(crew *c, job *j, const char *path, source *file);
void note_packed(crew *c, const job *j);
void warn_of_members(const crew *c);

void search_members(crew *c, job *j, worker *w);
void search_operand(crew *c, job *j, worker *w);

/* ---- search_pieces.c ----------------------------------------------------- */

/* Whether the operand that was opened is cut; then its first piece is dealt. */
bool cut_file(crew *c, job *j, worker *w);
void deal_piece(crew *c, job *j);
void search_piece(crew *c, job *j, worker *w);

/* In its turn, before anything of the piece is written: write what belongs between its lines and
 * those that were printed before. */
void join_piece(crew *c, job *j);

/* Each piece is counted when it is taken: when writing it fails, no other one is. */
void take_piece(crew *c, job *j);
void leave_large(large *l);

/* ---- search_deal.c ------------------------------------------------------- */

/* The walk below a folder. NULL: no memory. */
tree *open_tree(search *s, const char *folder, bool bare);

bool deal_job(void *user, unsigned number, unsigned slot);

#endif
