/* find_totals.c: see cli/find_blocks.h. */

#include "cli/find_blocks.h"

#include <stdlib.h>
#include <string.h>

static void print_matches(rank_work *k, const rank_matches *list)
{
    if (list->count)
        find_search_take(list->items, list->count, k->f);
    rank_must(k, !k->f->failed);
}

/* Whether the file that goes on after the share has begun before it. */
static bool is_middle(const rank_work *k)
{
    return k->continues && k->goes_on && rank_last_file(k) == k->blocks[0].file;
}

void rank_note_last(rank_work *k)
{
    const writer *o = k->f->output;
    const size_t patterns = o->patterns->count;
    if (!k->goes_on || is_middle(k))
        return;
    if (o->count) {
        k->last_counts = rank_grow(k, NULL, patterns * sizeof *k->last_counts);
        memcpy(k->last_counts, k->f->counts, patterns * sizeof *k->last_counts);
    }
    if (o->only_ids)
        k->last_seen = rank_grow(k, NULL, patterns);
    for (size_t i = 0; o->only_ids && i < patterns; i++)
        k->last_seen[i] = o->said[i] == o->place;
}

/* Those that the ranks before have printed of the first file count as said. */
static void print_ids(rank_work *k)
{
    const size_t patterns = k->f->patterns->count;
    size_t *lengths = rank_grow(k, NULL, (size_t)k->c->size * sizeof *lengths);
    for (size_t i = 0; i < k->head.count; i++)
        k->seen[k->head.items[i].pattern] = 1;
    uint8_t *all = rank_tell(k, k->last_seen ? k->last_seen : k->seen, patterns, lengths);
    const uint8_t *at = all;
    if (k->continues)
        rank_begin_first(k);
    for (int r = 0; r < k->c->rank; r++) {
        const uint8_t *said = rank_told_of_first(k, at, lengths[r]);
        for (size_t i = 0; said && i < patterns; i++)
            if (said[i])
                writer_wants(k->f->output, (uint32_t)i);
        at += lengths[r];
    }
    free(all);
    free(lengths);
    print_matches(k, &k->head);
    print_matches(k, &k->ids);
}

/* Counts of the first file from the ranks before, of the last one to the rank that ends it. */
static void print_counts(rank_work *k)
{
    const size_t patterns = k->f->patterns->count, bytes = patterns * sizeof *k->counts;
    const shared_file *first = k->count ? &k->share.files[k->blocks[0].file] : NULL;
    if (k->continues) {
        memcpy(k->f->counts, k->counts, bytes);
        print_matches(k, &k->head); /* which counts them */
        memcpy(k->counts, k->f->counts, bytes);
    }
    if (k->continues && !is_middle(k)) {
        uint64_t *others = rank_grow(k, NULL, bytes);
        uint64_t begin, end;
        for (int r = share_first(&k->share, first); r < k->c->rank; r++) {
            if (!share_piece(&k->share, first, r, &begin, &end))
                continue;
            k->c->receive(r, others, bytes);
            for (size_t i = 0; i < patterns; i++)
                k->counts[i] += others[i];
        }
        free(others);
        rank_begin_first(k);
        rank_must(k, find_search_written(k->f, writer_counts(k->f->output, k->counts)));
    }
}

static void send_counts(const rank_work *k)
{
    if (k->goes_on)
        k->c->send(share_last(&k->share, &k->share.files[rank_last_file(k)]),
                   is_middle(k) ? k->counts : k->last_counts,
                   k->f->patterns->count * sizeof *k->counts);
}

void rank_print_first(rank_work *k)
{
    const writer *o = k->f->output;
    k->first.at = rank_at(k);
    if (k->head.count || k->ids.count)
        rank_look(k, &k->blocks[0]); /* they are of that file, not of the one that is open */
    if (o->count) {
        print_counts(k);
        send_counts(k);
    } else if (o->only_ids) {
        print_ids(k);
    } else if (k->head.count) {
        rank_begin_first(k);
        print_matches(k, &k->head);
    }
    k->first.length = rank_at(k) - k->first.at;
}
