/* find_ranks.h: `trawl find` by all ranks of a cluster; see find_ranks.c. */
#ifndef TRAWL_FIND_RANKS_H
#define TRAWL_FIND_RANKS_H

#include "cli/cluster.h"
#include "cli/find_search.h"

/* Before the command line is read: what is wrong with it is said once, by rank 0. */
void find_ranks_hush(const cluster *c);
/* After that, which gave `status` to leave with, or -1: all ranks leave then (true). */
bool find_ranks_agree(const cluster *c, const char *command, int *status);

/* Each rank takes its share of the machine's cores, or one of its devices. */
void find_ranks_settle(const cluster *c, run_options *o);

/* Each rank's context. NULL after a complaint, which the first of those ranks makes that have
 * none. */
trawl_context *find_ranks_context(const cluster *c, run_options *o);

/* Bytes that a rank searches at once, where they are mapped, or read. */
uint64_t find_ranks_block(const run_options *o, const trawl_context *context, bool mapped);

/* All ranks were asked for the same, or all end after a complaint: what they exchange depends on
 * it. `output`: as in find_ranks_files. */
void find_ranks_same_options(const find_search *f, const cluster *c, const char *output);

/* All ranks have read the same patterns, or all end after a complaint: what is printed of a match
 * is each rank's own. */
void find_ranks_same(const cluster *c, const char *command, const pattern_set *set);

/* Rank 0 has compiled a plan, the others have none: all get that. NULL after a complaint. */
trawl_plan *find_ranks_plan(const cluster *c, const char *command, trawl_plan *plan);

/* Search the files, in place of find_search_files; `output`: a file to print to, NULL: standard
 * output. Returns the status of rank 0; that of others is 0. */
int find_ranks_files(find_search *f, const cluster *c, char **paths, int count, const char *output);

#endif
