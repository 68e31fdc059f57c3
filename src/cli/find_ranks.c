/* find_ranks.c: `trawl find` by all ranks of a cluster.
 *
 * Idea: the files, one behind the other, are cut into shares of equal length (find_share.c), and
 * each rank searches its own, block by block, as ranges (trawl_scan_range). It prints to a file of
 * its own without a name, and notes what of it each block is. When all have searched:
 *
 *   1  Where ranges depend on those before them, the ranks exchange the seams of the last blocks
 *      before their borders. A rank whose share begins within a file searches its first block
 *      again where that says so, and what follows as long as it makes a difference: those blocks
 *      are printed anew. Rounds go on until no rank has news, most often none has any.
 *   2  What is said once for a file (counts, patterns that occur) is put together by neighbours.
 *   3  The shares of the output go to standard output through rank 0, rank by rank, or all at once
 *      into the file of --output.
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

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/find_share.h"
#include "cli/find_spool.h"

#define FIRST_BLOCK (256u << 10) /* of a share that begins within a file: its matches are kept */
#define PIECE (1u << 20)         /* of a file, where a cut is looked for */

typedef struct block {
    size_t file;
    uint64_t begin, end;
    trawl_seam *seam; /* NULL: nothing depends on it */
    segment printed;
    uint64_t matches; /* printed, or counted */
} block;

/* Bytes of a file at hand. */
typedef struct window {
    uint8_t *bytes;
    size_t room, length;
    uint64_t offset;
} window;

typedef struct match_list {
    trawl_match *items;
    size_t count, room;
} match_list;

typedef struct ranks {
    find_search *f;
    const cluster *c;
    share share;
    uint64_t limit;
    trawl_range_needs needs;
    bool ranges;    /* texts are cut */
    uint64_t block; /* bytes of one */

    block *blocks;
    size_t count, room;
    window window;
    void *file; /* the open one, and its number */
    size_t open;

    /* The piece of a file that began before this rank's share. */
    bool continues;     /* there is one */
    size_t first_count; /* its blocks */
    window kept;        /* of its first block, */
    match_list head;    /* and its matches, where they may change */
    match_list *holding;
    match_list ids;   /* -g: of the others the first of each pattern */
    uint8_t *seen;    /* -g: those patterns, a byte each */
    uint64_t *counts; /* -c: of the others */

    /* Of the last file, where it goes on behind the share. */
    bool goes_on;
    uint8_t *last_seen; /* -g and -c: as above, if it is not the first one, too */
    uint64_t *last_counts;

    spool spool;           /* what is printed */
    segment header, first; /* first: what of `continues` was printed last */
    uint64_t again, twice; /* blocks searched, and bytes read, a second time */
} ranks;

/* ---- what goes wrong --------------------------------------------------------- */

static void give_up(const ranks *k, const char *path, const char *why)
{
    cluster_fail(k->c, k->f->run->command, shown_name(path), why);
}

static void no_memory(const ranks *k)
{
    give_up(k, "the ranks' search", strerror(ENOMEM));
}

static void *must_grow(const ranks *k, void *old, size_t bytes)
{
    void *grown = realloc(old, bytes);
    if (!grown)
        no_memory(k);
    return grown;
}

/* What does not work was complained about already. */
static void must(const ranks *k, bool works)
{
    if (!works)
        k->c->abort(EXIT_ERROR);
}

/* ---- files ----------------------------------------------------------------------- */

static const char *path_of(const ranks *k, size_t file)
{
    return k->share.files[file].path;
}

static void open_file(ranks *k, size_t file)
{
    const char *why;
    uint64_t length;
    if (k->file && k->open == file)
        return;
    if (k->file)
        k->c->close(k->file);
    k->file = k->c->open(path_of(k, file), &length, &why);
    k->open = file;
    if (!k->file)
        give_up(k, path_of(k, file), why);
    if (length < k->share.files[file].length)
        give_up(k, path_of(k, file), "the file was shortened while it was searched");
}

static void read_file(const ranks *k, uint64_t offset, uint8_t *bytes, size_t length)
{
    const char *why;
    if (length && !k->c->read(k->file, offset, bytes, length, &why))
        give_up(k, path_of(k, k->open), why);
}

static uint64_t length_of(const ranks *k, size_t file)
{
    return k->share.files[file].length;
}

/* Bring [offset, end) of a file into the window. */
static void fill_window(ranks *k, window *w, size_t file, uint64_t offset, uint64_t end)
{
    w->offset = offset;
    w->length = (size_t)(end - offset);
    if (w->length > w->room)
        w->bytes = must_grow(k, w->bytes, w->room = w->length);
    open_file(k, file);
    read_file(k, offset, w->bytes, w->length);
}

/* Behind what a line's end and '>' stand for, from `offset` on: where the next record begins. */
static size_t next_record(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        const uint8_t *end = memchr(bytes + i, '\n', length - 1 - i);
        if (!end)
            break;
        i = (size_t)(end - bytes);
        if (bytes[i + 1] == '>')
            return i + 1;
    }
    return TRAWL_NONE;
}

/* The first place from `wanted` on where the file may be cut. */
static uint64_t cut_from(ranks *k, size_t file, uint64_t wanted)
{
    const bool sequences = k->share.files[file].kind == SHARE_SEQUENCES;
    const uint64_t length = length_of(k, file);
    window w = { NULL, 0, 0, 0 };
    if (wanted == 0 || wanted >= length || (!sequences && !k->needs.cuts))
        return wanted;
    size_t at = TRAWL_NONE;
    for (uint64_t from = wanted - 1; from < length && at == TRAWL_NONE; from += PIECE) {
        const uint64_t end = length - from > PIECE + 1 ? from + PIECE + 1 : length;
        fill_window(k, &w, file, from, end);
        if (sequences)
            at = next_record(w.bytes, w.length);
        else
            trawl_range_cut(k->f->plan, k->f->report, w.bytes, w.length, &at, NULL);
    }
    const uint64_t cut = at == TRAWL_NONE ? length : w.offset + at;
    free(w.bytes);
    return cut;
}

/* ---- what is printed ---------------------------------------------------------------- */

static void list_add(const ranks *k, match_list *list, const trawl_match *matches, size_t count)
{
    if (list->count + count > list->room) {
        list->room = 2 * (list->count + count);
        list->items = must_grow(k, list->items, list->room * sizeof *list->items);
    }
    memcpy(list->items + list->count, matches, count * sizeof *matches);
    list->count += count;
}

/* Matches that may change, in the first block. */
static int hold(const trawl_match *matches, size_t count, void *user)
{
    const ranks *k = (const ranks *)user;
    list_add(k, k->holding, matches, count);
    if (!k->f->quiet)
        return 0;
    k->f->stats.matches++;
    return k->f->finished = true;
}

/* -g, of a file that began before: whether they are printed depends on the ranks before. */
static int hold_ids(const trawl_match *matches, size_t count, void *user)
{
    ranks *k = (ranks *)user;
    for (size_t i = 0; i < count; i++)
        if (!k->seen[matches[i].pattern]) {
            k->seen[matches[i].pattern] = 1;
            list_add(k, &k->ids, &matches[i], 1);
        }
    return 0;
}

/* ---- blocks ---------------------------------------------------------------------------- */

static block *add_block(ranks *k, size_t file, uint64_t begin, uint64_t end)
{
    if (k->count == k->room) {
        k->room = k->room ? 2 * k->room : 16;
        k->blocks = must_grow(k, k->blocks, k->room * sizeof *k->blocks);
    }
    k->blocks[k->count] = (block){ file, begin, end, NULL, { spool_at(&k->spool), 0 }, 0 };
    return &k->blocks[k->count++];
}

static void check_scan(const ranks *k, size_t file, int status, const trawl_error *error)
{
    if (status < 0)
        give_up(k, path_of(k, file), error->message);
    must(k, !k->f->failed);
}

static trawl_seam *new_seam(const ranks *k)
{
    trawl_seam *seam = NULL;
    if (k->needs.follows && trawl_seam_open(k->f->plan, k->f->report, &seam, NULL) != TRAWL_OK)
        no_memory(k);
    return seam;
}

/* Whether the seam is to be searched (again), told by the one before it. */
static bool told(const ranks *k, trawl_seam *seam, const trawl_seam *const *before, size_t count)
{
    trawl_error error;
    uint32_t again = 0;
    if (seam && trawl_seam_follow(seam, before, count, &again, &error) != TRAWL_OK)
        give_up(k, "the ranks' search", error.message);
    return again;
}

/* Search a block, whose bytes the window gets, or has. */
static uint64_t scan_block(ranks *k, const block *b, window *w, bool there, trawl_match_fn take,
                           void *user)
{
    find_search *f = k->f;
    const uint64_t length = length_of(k, b->file);
    const uint64_t offset = b->begin > k->needs.before ? b->begin - k->needs.before : 0;
    const uint64_t end = length - b->end > k->needs.behind ? b->end + k->needs.behind : length;
    trawl_range range = TRAWL_RANGE_INIT;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_error error;
    uint64_t settled = 0;
    if (!there)
        fill_window(k, w, b->file, offset, end);
    k->twice += end - offset - (b->end - b->begin);
    range.bytes = w->bytes;
    range.length = w->length;
    range.offset = offset;
    range.begin = b->begin;
    range.end = b->end;
    range.last = end == length;
    options.report = f->report;
    f->text = w->bytes;
    f->text_begin = offset;
    f->length = (size_t)length;
    const int status = trawl_scan_range(f->context, f->plan, &range, &options, b->seam, take, user,
                                        &settled, &error);
    check_scan(k, b->file, status, &error);
    return settled;
}

/* The next block of a piece that ends there. */
static uint64_t block_end(ranks *k, size_t file, uint64_t begin, uint64_t end, bool held)
{
    const uint64_t around = 8 * (k->needs.before + k->needs.behind);
    uint64_t wanted = held ? FIRST_BLOCK : k->block;
    wanted = wanted < around ? around : wanted;
    if (end - begin <= wanted)
        return end;
    const uint64_t cut = cut_from(k, file, begin + wanted);
    return cut < end ? cut : end;
}

/* Search block `i`, which the one before it tells, and print what it finds. */
static void print_block(ranks *k, size_t i, bool tell)
{
    block *b = &k->blocks[i];
    const bool ids = k->continues && i < k->first_count && k->f->output->only_ids;
    const trawl_seam *before[] = { tell ? k->blocks[i - 1].seam : NULL };
    if (tell)
        told(k, b->seam, before, 1);
    b->printed.at = spool_at(&k->spool);
    k->f->stats.matches -= b->matches;
    const uint64_t known = k->f->stats.matches;
    const bool counts = k->f->output->count && !k->f->quiet;
    trawl_match_fn take = ids ? hold_ids : counts ? find_search_count : find_search_take;
    scan_block(k, b, &k->window, false, take, ids ? (void *)k : k->f);
    b->matches = k->f->stats.matches - known;
    b->printed.length = spool_at(&k->spool) - b->printed.at;
}

/* The first block of a file that began before, with its matches into a list. */
static uint64_t hold_block(ranks *k, match_list *list, bool there)
{
    k->holding = list;
    return scan_block(k, &k->blocks[0], &k->kept, there, hold, k);
}

static void search_ranges(ranks *k, size_t file, uint64_t begin, uint64_t end, bool continues)
{
    const size_t first = k->count;
    begin = cut_from(k, file, begin);
    end = cut_from(k, file, end);
    k->f->stats.bytes += end - begin;
    for (bool more = true; more && !k->f->finished;) {
        const bool held = continues && k->needs.follows && k->count == first;
        const uint64_t stop = block_end(k, file, begin, end, held);
        block *b = add_block(k, file, begin, stop);
        b->seam = new_seam(k);
        k->first_count = continues ? k->count : k->first_count;
        if (held)
            hold_block(k, &k->head, false);
        else
            print_block(k, k->count - 1, k->needs.follows && k->count > first + 1);
        more = stop < end;
        begin = stop;
    }
}

/* ---- sequences -------------------------------------------------------------------------- */

typedef struct file_part {
    const ranks *k;
    uint64_t at, end, taken;
} file_part;

static ptrdiff_t read_part(void *state, void *bytes, size_t length, const char **why)
{
    file_part *p = (file_part *)state;
    const uint64_t left = p->end - p->at;
    length = left < length ? (size_t)left : length;
    if (length && !p->k->c->read(p->k->file, p->at, bytes, length, why))
        return -1;
    p->at += length;
    p->taken += length;
    return (ptrdiff_t)length;
}

static void close_part(void *state)
{
    (void)state;
}

static const source_layer part_layer = { read_part, close_part };

static void search_sequences(ranks *k, size_t file, uint64_t begin, uint64_t end)
{
    file_part part = { k, cut_from(k, file, begin), cut_from(k, file, end), 0 };
    block *b = add_block(k, file, part.at, part.end);
    if (part.at < part.end) {
        open_file(k, file);
        source_open_layer(&k->f->file, &part_layer, &part, &part.taken);
        find_search_sequences(k->f, path_of(k, file));
        source_close(&k->f->file);
    }
    must(k, !k->f->failed);
    b->printed.length = spool_at(&k->spool) - b->printed.at;
}

/* ---- a rank's share ------------------------------------------------------------------------ */

static void search_whole(ranks *k, size_t file)
{
    block *b = add_block(k, file, 0, length_of(k, file));
    find_search_path(k->f, path_of(k, file));
    must(k, !k->f->failed);
    b->printed.length = spool_at(&k->spool) - b->printed.at;
}

/* What is said of a file when it is over, in this rank's own share. */
static void end_file(ranks *k, bool continues, bool goes_on)
{
    const find_output *o = k->f->output;
    const uint64_t began = spool_at(&k->spool);
    if (o->count && continues) {
        k->counts = must_grow(k, k->counts, o->patterns->count * sizeof *k->counts);
        memcpy(k->counts, k->f->counts, o->patterns->count * sizeof *k->counts);
    } else if (o->count && !goes_on) {
        must(k, find_output_counts(k->f->output, k->f->counts));
    }
    if (k->count)
        k->blocks[k->count - 1].printed.length += spool_at(&k->spool) - began;
}

static void search_piece(ranks *k, size_t file, uint64_t begin, uint64_t end)
{
    const shared_file *s = &k->share.files[file];
    if (s->kind == SHARE_WHOLE) {
        search_whole(k, file);
        return;
    }
    const bool continues = share_first(&k->share, s) < k->c->rank;
    k->goes_on = share_last(&k->share, s) > k->c->rank;
    k->continues |= continues;
    must(k, find_search_begin(k->f, s->path));
    if (s->kind == SHARE_RANGES)
        search_ranges(k, file, begin, end, continues);
    else
        search_sequences(k, file, begin, end);
    if (s->kind == SHARE_SEQUENCES && continues)
        k->first_count = 0; /* nothing of it may change */
    end_file(k, continues, k->goes_on);
}

static void search_share(ranks *k)
{
    uint64_t begin, end;
    for (size_t i = 0; i < k->share.count && !k->f->finished; i++)
        if (share_piece(&k->share, &k->share.files[i], k->c->rank, &begin, &end)) {
            k->goes_on = false;
            search_piece(k, i, begin, end);
        }
}

/* ---- 1: rounds ------------------------------------------------------------------------------ */

static size_t last_file(const ranks *k)
{
    return k->blocks[k->count - 1].file;
}

/* What a rank tells those behind it: the number of the file that goes on there, plus 1 (0: none
 * does), and of that `length` bytes. All ranks' come back. */
static uint8_t *tell_all(ranks *k, const void *bytes, size_t length, size_t *lengths)
{
    const uint64_t head = k->goes_on && k->count ? last_file(k) + 1 : 0;
    uint8_t *mine = must_grow(k, NULL, sizeof head + length);
    memcpy(mine, &head, sizeof head);
    if (length)
        memcpy(mine + sizeof head, bytes, length);
    uint8_t *all = k->c->gather(mine, head ? sizeof head + length : sizeof head, lengths);
    free(mine);
    if (!all)
        no_memory(k);
    return all;
}

/* The bytes behind it of a rank before this one that has some of the file that this one goes on
 * with; NULL: it has none. */
static const uint8_t *told_of_first(const ranks *k, const uint8_t *at, size_t length)
{
    uint64_t head;
    memcpy(&head, at, sizeof head);
    const bool same = k->continues && k->count && head == k->blocks[0].file + 1;
    return same && length > sizeof head ? at + sizeof head : NULL;
}

static uint8_t *saved_seam(const ranks *k, size_t *length)
{
    const trawl_seam *seam = k->goes_on && k->count ? k->blocks[k->count - 1].seam : NULL;
    *length = 0;
    if (!seam)
        return NULL;
    trawl_seam_save(seam, NULL, length, NULL);
    uint8_t *block = must_grow(k, NULL, *length);
    if (trawl_seam_save(seam, block, length, NULL) != TRAWL_OK)
        no_memory(k);
    return block;
}

/* What is printed next is of the file that began before the share. */
static void begin_first(const ranks *k)
{
    must(k, find_output_file(k->f->output, path_of(k, k->blocks[0].file)));
}

/* The blocks behind the first of the piece that began before, as long as it makes a difference. */
static void print_again(ranks *k)
{
    const find_output *o = k->f->output;
    const bool all = o->count || o->only_ids; /* which are put together of all blocks */
    if (o->count)
        memset(k->f->counts, 0, o->patterns->count * sizeof *k->f->counts);
    if (o->only_ids)
        memset(k->seen, 0, o->patterns->count);
    k->ids.count = 0;
    begin_first(k);
    for (size_t i = 1; i < k->first_count; i++) {
        const trawl_seam *before[] = { k->blocks[i - 1].seam };
        if (!told(k, k->blocks[i].seam, before, 1) && !all)
            break;
        trawl_seam_free(k->blocks[i].seam);
        k->blocks[i].seam = new_seam(k);
        print_block(k, i, true);
        k->again++;
        k->twice += k->blocks[i].end - k->blocks[i].begin;
    }
    if (o->count)
        memcpy(k->counts, k->f->counts, o->patterns->count * sizeof *k->counts);
}

/* The first block begins with what was told; then what follows. */
static void search_again(ranks *k)
{
    match_list news = { NULL, 0, 0 };
    const match_list old = k->head;
    const uint64_t settled = hold_block(k, &news, true);
    for (size_t i = 0; i < old.count; i++)
        if (old.items[i].end > settled)
            list_add(k, &news, &old.items[i], 1);
    free(old.items);
    k->head = news;
    k->again++;
    k->twice += settled - k->blocks[0].begin;
    if (k->first_count > 1 && settled == k->blocks[0].end)
        print_again(k);
}

/* Tell the first block what the ranks before left. True: it was searched again. */
static bool follow(ranks *k, const uint8_t *all, const size_t *lengths)
{
    trawl_seam **before = must_grow(k, NULL, ((size_t)k->c->rank + 1) * sizeof *before);
    size_t count = 0;
    trawl_error error;
    for (int r = 0; r < k->c->rank; r++) {
        const uint8_t *saved = told_of_first(k, all, lengths[r]);
        if (saved && trawl_seam_load(k->f->plan, k->f->report, saved, lengths[r] - sizeof(uint64_t),
                                     &before[count++], &error) != TRAWL_OK)
            give_up(k, "the ranks' search", error.message);
        all += lengths[r];
    }
    const bool again =
        count && told(k, k->blocks[0].seam, (const trawl_seam *const *)before, count);
    if (again)
        search_again(k);
    for (size_t i = 0; i < count; i++)
        trawl_seam_free(before[i]);
    free(before);
    return again;
}

static uint64_t settle(ranks *k)
{
    size_t *lengths = must_grow(k, NULL, (size_t)k->c->size * sizeof *lengths);
    uint64_t rounds = 0, any = k->needs.follows && k->ranges;
    for (; any; rounds++) {
        size_t length;
        uint8_t *seam = saved_seam(k, &length);
        uint8_t *all = tell_all(k, seam, length, lengths);
        any = k->c->sum(follow(k, all, lengths));
        any = any && !(k->f->quiet && k->c->sum(k->f->stats.matches)); /* found: stopped */
        free(all);
        free(seam);
    }
    free(lengths);
    return rounds;
}

/* ---- 2: what is said once for a file ---- */

static void print_matches(ranks *k, const match_list *list)
{
    if (list->count)
        find_search_take(list->items, list->count, k->f);
    must(k, !k->f->failed);
}

/* Whether the file that goes on behind the share has begun before it. */
static bool is_middle(const ranks *k)
{
    return k->continues && k->goes_on && last_file(k) == k->blocks[0].file;
}

/* Before the rounds, for what is printed again is of another file: what was found in this rank's
 * piece of the last one. */
static void note_last(ranks *k)
{
    const find_output *o = k->f->output;
    const size_t patterns = o->patterns->count;
    if (!k->goes_on || is_middle(k))
        return;
    if (o->count) {
        k->last_counts = must_grow(k, NULL, patterns * sizeof *k->last_counts);
        memcpy(k->last_counts, k->f->counts, patterns * sizeof *k->last_counts);
    }
    if (o->only_ids)
        k->last_seen = must_grow(k, NULL, patterns);
    for (size_t i = 0; o->only_ids && i < patterns; i++)
        k->last_seen[i] = o->said[i] == o->place;
}

/* Those that the ranks before have printed of the first file count as said. */
static void print_ids(ranks *k)
{
    const size_t patterns = k->f->output->patterns->count;
    size_t *lengths = must_grow(k, NULL, (size_t)k->c->size * sizeof *lengths);
    for (size_t i = 0; i < k->head.count; i++)
        k->seen[k->head.items[i].pattern] = 1;
    uint8_t *all = tell_all(k, k->last_seen ? k->last_seen : k->seen, patterns, lengths);
    const uint8_t *at = all;
    if (k->continues)
        begin_first(k);
    for (int r = 0; r < k->c->rank; r++) {
        const uint8_t *said = told_of_first(k, at, lengths[r]);
        for (size_t i = 0; said && i < patterns; i++)
            if (said[i])
                find_output_wants(k->f->output, (uint32_t)i);
        at += lengths[r];
    }
    free(all);
    free(lengths);
    print_matches(k, &k->head);
    print_matches(k, &k->ids);
}

/* Counts of the first file from the ranks before, of the last one to the rank that ends it. */
static void print_counts(ranks *k)
{
    const size_t patterns = k->f->output->patterns->count, bytes = patterns * sizeof *k->counts;
    const shared_file *first = k->count ? &k->share.files[k->blocks[0].file] : NULL;
    if (k->continues) {
        memcpy(k->f->counts, k->counts, bytes);
        print_matches(k, &k->head); /* which counts them */
        memcpy(k->counts, k->f->counts, bytes);
    }
    if (k->continues && !is_middle(k)) {
        uint64_t *others = must_grow(k, NULL, bytes);
        uint64_t begin, end;
        for (int r = share_first(&k->share, first); r < k->c->rank; r++) {
            if (!share_piece(&k->share, first, r, &begin, &end))
                continue;
            k->c->receive(r, others, bytes);
            for (size_t i = 0; i < patterns; i++)
                k->counts[i] += others[i];
        }
        free(others);
        begin_first(k);
        must(k, find_output_counts(k->f->output, k->counts));
    }
}

static void send_counts(const ranks *k)
{
    if (k->goes_on)
        k->c->send(share_last(&k->share, &k->share.files[last_file(k)]),
                   is_middle(k) ? k->counts : k->last_counts,
                   k->f->output->patterns->count * sizeof *k->counts);
}

static void print_first(ranks *k)
{
    const find_output *o = k->f->output;
    k->first.at = spool_at(&k->spool);
    k->f->text = k->kept.bytes;
    k->f->text_begin = k->kept.offset;
    if (o->count) {
        print_counts(k);
        send_counts(k);
    } else if (o->only_ids) {
        print_ids(k);
    } else if (k->head.count) {
        begin_first(k);
        print_matches(k, &k->head);
    }
    k->first.length = spool_at(&k->spool) - k->first.at;
}

/* ---- 3: output ---- */

/* All that the rank has printed, in order. */
static void put_output(ranks *k)
{
    const uint64_t before = k->c->sum_before(k->f->stats.matches);
    const size_t count = k->count + 2;
    segment *segments = must_grow(k, NULL, count * sizeof *segments);
    segments[0] = k->header;
    segments[1] = k->first;
    for (size_t i = 0; i < k->count; i++)
        segments[i + 2] = k->blocks[i].printed;
    spool_put(&k->spool, segments, count, k->limit, before);
    free(segments);
}

/* ---- all ---- */

static void ranks_open(ranks *k, char **paths, int count)
{
    find_search *f = k->f;
    const bool text = !f->output->patterns->filtered && !f->circular && !f->verdicts;
    k->needs.size = sizeof k->needs;
    k->ranges = text && trawl_plan_get_range_needs(f->plan, f->report, &k->needs, NULL) == TRAWL_OK;
    if (!k->ranges)
        k->needs = (trawl_range_needs){ .size = sizeof k->needs };
    k->block = find_ranks_block(f->run, f->context);
    k->limit = f->most;
    f->most = 0;
    if (!share_open(&k->share, k->c, f, paths, count, k->ranges, k->spool.output))
        no_memory(k);
    if (f->output->only_ids)
        k->seen = calloc(f->output->patterns->count + 1, 1);
    if (f->output->only_ids && !k->seen)
        no_memory(k);
}

static void ranks_close(ranks *k)
{
    for (size_t i = 0; i < k->count; i++)
        trawl_seam_free(k->blocks[i].seam);
    if (k->file)
        k->c->close(k->file);
    free(k->blocks);
    free(k->window.bytes);
    free(k->kept.bytes);
    free(k->head.items);
    free(k->ids.items);
    free(k->seen);
    free(k->counts);
    free(k->last_seen);
    free(k->last_counts);
    share_close(&k->share);
}

/* Rank 0 says what all did. */
static int report(ranks *k, uint64_t rounds)
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
                "%d ranks, %llu rounds, %llu blocks searched again, %llu bytes read twice\n",
                k->c->size, (unsigned long long)rounds, (unsigned long long)again,
                (unsigned long long)twice);
    return status;
}

int find_ranks_files(find_search *f, const cluster *c, char **paths, int count, const char *output)
{
    ranks k = { .f = f, .c = c, .spool = { c, f->run->command, output, -1, -1 } };
    stats_begin(&f->stats, f->run);
    ranks_open(&k, paths, count);
    if (!f->quiet && (c->rank || output || k.limit))
        spool_begin(&k.spool);
    if (!f->quiet && c->rank == 0)
        find_output_header(f->output);
    k.header.length = spool_at(&k.spool);
    search_share(&k);
    note_last(&k);
    if (f->quiet && c->sum(f->stats.matches))
        k.ranges = false; /* found: nothing is left to settle */
    const uint64_t rounds = settle(&k);
    if (!f->quiet) {
        print_first(&k);
        spool_end(&k.spool);
        put_output(&k);
    }
    const int status = report(&k, rounds);
    ranks_close(&k);
    return status;
}
