/* find_ranks.c: `trawl find` by all ranks of a cluster.
 *
 * Idea: the files, one after the other, are cut into shares of equal length (find_share.c), and
 * each rank searches its own, block by block, as ranges (find_blocks.c). It prints to a file of
 * its own without a name, and notes what of it each block is. When all have searched:
 *
 *   1  Where ranges depend on those before them, the ranks exchange the seams of the last blocks
 *      before their borders. A rank whose share begins within a file searches its first block
 *      again where that says so, and what follows as long as it makes a difference: those blocks
 *      are printed anew. Rounds go on until no rank has news, most often none has any
 *      (find_rounds.c).
 *   2  What is said once for a file (counts, patterns that occur) is put together by neighbours
 *      (find_totals.c).
 *   3  The shares of the output go to standard output through rank 0, rank by rank, or all at once
 *      into the file of --output (find_spool.c).
 *
 * A first block may still change, so its matches are kept until then, and printed before the rest.
 *
 * Invariant: what a rank has printed, block by block, are the matches of its share as far as its
 * own begin was right; after the last round it was.
 * Cost: a byte is read once, but for what ranges read around them, a block's share of some KiB, and
 * for what is searched again. Messages: the list of files, the plan, a seam for each rank and
 * round, the output. Any rank's error ends all.
 */
#include "cli/find_ranks.h"

#include <stdlib.h>

#include "cli/find_blocks.h"

/* All that the rank has printed, in order. */
static void put_output(rank_work *k)
{
    const uint64_t before = k->c->sum_before(k->f->stats.matches);
    const size_t count = k->count + 2;
    segment *segments = rank_grow(k, NULL, count * sizeof *segments);
    segments[0] = k->header;
    segments[1] = k->first;
    for (size_t i = 0; i < k->count; i++)
        segments[i + 2] = k->blocks[i].printed;
    spool_put(&k->spool, segments, count, k->limit, before);
    free(segments);
}

static void ranks_open(rank_work *k, char **paths, int count)
{
    find_search *f = k->f;
    const bool text = !f->circular && !f->verdicts;
    k->needs.size = sizeof k->needs;
    k->ranges = text && trawl_plan_get_range_needs(f->plan, f->report, &k->needs, NULL) == TRAWL_OK;
    if (!k->ranges)
        k->needs = (trawl_range_needs){ .size = sizeof k->needs };
    k->limit = f->most;
    f->most = 0;
    if (!share_open(&k->share, k->c, f, paths, count, k->ranges, k->spool.output))
        rank_no_memory(k);
    if (f->output->only_ids)
        k->seen = calloc(f->patterns->count + 1, 1);
    if (f->output->only_ids && !k->seen)
        rank_no_memory(k);
}

static void ranks_close(rank_work *k)
{
    for (size_t i = 0; i < k->count; i++)
        trawl_seam_close(k->blocks[i].seam);
    free(k->blocks);
    shared_bytes_close(&k->bytes);
    free(k->bytes.buffer);
    free(k->head.items);
    free(k->ids.items);
    free(k->seen);
    free(k->counts);
    free(k->last_seen);
    free(k->last_counts);
    share_close(&k->share);
}

/* Rank 0 says what all did. */
static int report(rank_work *k, uint64_t rounds)
{
    find_search *f = k->f;
    f->stats.bytes = k->c->sum(f->stats.bytes);
    f->stats.matches = k->c->sum(f->stats.matches);
    const uint64_t again = k->c->sum(k->again), twice = k->c->sum(k->twice);
    if (k->c->rank)
        return EXIT_MATCH;
    if (k->limit && f->stats.matches >= k->limit)
        limit_reached(f->run->command, k->limit);
    const int status = finish_output(f->run->command, f->stats.matches ? EXIT_MATCH : EXIT_NONE);
    stats_print(&f->stats, f->run, f->plan, f->context);
    if (f->run->stats)
        fprintf(stderr,
                "%d ranks, %llu round%s, %llu block%s searched again, %llu byte%s read twice\n",
                k->c->size, (unsigned long long)rounds, plural(rounds), (unsigned long long)again,
                plural(again), (unsigned long long)twice, plural(twice));
    return status;
}

int find_ranks_files(find_search *f, const cluster *c, char **paths, int count, const char *output)
{
    rank_work k = {
        .f = f,
        .c = c,
        .maps = !cluster_reads(),
        .bytes = { .c = c, .mapped = &f->file },
        .open = SIZE_MAX,
        .spool = { .c = c, .command = f->run->command, .output = output, .fd = -1, .standard = -1 }
    };
    stats_begin(&f->stats, f->run);
    ranks_open(&k, paths, count);
    if (output)
        spool_open(&k.spool);
    if (!f->quiet && (c->rank || k.limit))
        spool_begin(&k.spool);
    if (!f->quiet && c->rank == 0)
        rank_must(&k, find_search_written(f, writer_header(f->output)));
    k.header.length = rank_at(&k);
    rank_search(&k);
    rank_note_last(&k);
    if (f->quiet && c->sum(f->stats.matches))
        k.ranges = false; /* found: nothing is left to settle */
    const uint64_t rounds = rank_settle(&k);
    if (!f->quiet) {
        rank_print_first(&k);
        rank_close_file(&k);
        spool_end(&k.spool);
        put_output(&k);
    } else if (!f->stats.matches) {
        rank_close_file(&k);
    }
    const int status = report(&k, rounds);
    spool_close(&k.spool, status != EXIT_ERROR);
    ranks_close(&k);
    return status;
}
