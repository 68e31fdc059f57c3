/* find_rounds.c: see cli/find_blocks.h. */

#include "cli/find_blocks.h"

#include <stdlib.h>
#include <string.h>

size_t rank_last_file(const rank_work *k)
{
    return k->blocks[k->count - 1].file;
}

uint8_t *rank_tell(rank_work *k, const void *bytes, size_t length, size_t *lengths)
{
    const uint64_t head = k->goes_on && k->count ? rank_last_file(k) + 1 : 0;
    uint8_t *mine = rank_grow(k, NULL, sizeof head + length);
    memcpy(mine, &head, sizeof head);
    if (length)
        memcpy(mine + sizeof head, bytes, length);
    uint8_t *all = k->c->gather(mine, head ? sizeof head + length : sizeof head, lengths);
    free(mine);
    if (!all)
        rank_no_memory(k);
    return all;
}

const uint8_t *rank_told_of_first(const rank_work *k, const uint8_t *at, size_t length)
{
    uint64_t head;
    memcpy(&head, at, sizeof head);
    const bool same = k->continues && k->count && head == k->blocks[0].file + 1;
    return same && length > sizeof head ? at + sizeof head : NULL;
}

static uint8_t *saved_seam(const rank_work *k, size_t *length)
{
    const trawl_seam *seam = k->goes_on && k->count ? k->blocks[k->count - 1].seam : NULL;
    *length = 0;
    if (!seam)
        return NULL;
    trawl_error error;
    uint8_t *block = NULL;
    int status = trawl_seam_save(seam, NULL, length, &error);
    if (status == TRAWL_OK) {
        block = rank_grow(k, NULL, *length);
        status = trawl_seam_save(seam, block, length, &error);
    }
    if (status != TRAWL_OK)
        rank_fails(k, "the ranks' search", error.message);
    return block;
}

void rank_begin_first(const rank_work *k)
{
    rank_must(
        k, find_search_written(k->f, writer_file(k->f->output, rank_path(k, k->blocks[0].file))));
}

/* The blocks after the first of the piece that began before, as long as it makes a difference. */
static void print_again(rank_work *k)
{
    const writer *o = k->f->output;
    const bool all = o->count || o->only_ids; /* which are put together of all blocks */
    if (o->count)
        memset(k->f->counts, 0, o->patterns->count * sizeof *k->f->counts);
    if (o->only_ids)
        memset(k->seen, 0, o->patterns->count);
    k->ids.count = 0;
    rank_begin_first(k);
    for (size_t i = 1; i < k->first_count; i++) {
        const trawl_seam *before[] = { k->blocks[i - 1].seam };
        if (!rank_told(k, k->blocks[i].seam, before, 1) && !all)
            break;
        trawl_seam_close(k->blocks[i].seam);
        k->blocks[i].seam = rank_seam(k);
        rank_print_block(k, i, true);
        k->again++;
        k->twice += k->blocks[i].end - k->blocks[i].begin;
    }
    if (o->count)
        memcpy(k->counts, k->f->counts, o->patterns->count * sizeof *k->counts);
}

/* The first block begins with what was told; then what follows. */
static void search_again(rank_work *k)
{
    rank_matches news = { NULL, 0, 0 };
    const rank_matches old = k->head;
    const uint64_t settled = rank_hold_block(k, &news);
    for (size_t i = 0; i < old.count; i++)
        if (old.items[i].end > settled)
            rank_matches_add(k, &news, &old.items[i], 1);
    free(old.items);
    k->head = news;
    k->again++;
    k->twice += settled - k->blocks[0].begin;
    if (k->first_count > 1 && settled == k->blocks[0].end)
        print_again(k);
}

/* Tell the first block what the ranks before left. True: it was searched again. */
static bool follow(rank_work *k, const uint8_t *all, const size_t *lengths)
{
    trawl_seam **before = rank_grow(k, NULL, ((size_t)k->c->rank + 1) * sizeof *before);
    size_t count = 0;
    trawl_error error;
    for (int r = 0; r < k->c->rank; r++) {
        const uint8_t *saved = rank_told_of_first(k, all, lengths[r]);
        if (saved && trawl_seam_load(k->f->plan, k->f->report, saved, lengths[r] - sizeof(uint64_t),
                                     &before[count++], &error) != TRAWL_OK)
            rank_fails(k, "the ranks' search", error.message);
        all += lengths[r];
    }
    const bool again =
        count && rank_told(k, k->blocks[0].seam, (const trawl_seam *const *)before, count);
    if (again)
        search_again(k);
    for (size_t i = 0; i < count; i++)
        trawl_seam_close(before[i]);
    free(before);
    return again;
}

uint64_t rank_settle(rank_work *k)
{
    size_t *lengths = rank_grow(k, NULL, (size_t)k->c->size * sizeof *lengths);
    uint64_t rounds = 0, any = k->needs.follows && k->ranges;
    for (; any; rounds++) {
        size_t length;
        uint8_t *seam = saved_seam(k, &length);
        uint8_t *all = rank_tell(k, seam, length, lengths);
        any = k->c->sum(follow(k, all, lengths));
        any = any && !(k->f->quiet && k->c->sum(k->f->stats.matches)); /* found: stopped */
        free(all);
        free(seam);
    }
    free(lengths);
    return rounds;
}
