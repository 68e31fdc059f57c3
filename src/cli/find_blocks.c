/* find_blocks.c: see cli/find_blocks.h. */
#include "cli/find_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/find_ranks.h"
#include "formats/records/reader.h"
#include "formats/sources/grow.h"

#define FIRST_BLOCK (256u << 10) /* of a share that begins within a file: its matches are kept */
#define PIECE (64u << 10)        /* of a file, where a cut is looked for */

/* ---- what goes wrong --------------------------------------------------------- */

void rank_fails(const rank_work *k, const char *path, const char *why)
{
    cluster_fail(k->c, k->f->run->command, shown_name(path), why);
}

void rank_no_memory(const rank_work *k)
{
    rank_fails(k, "the ranks' search", strerror(ENOMEM));
}

void *rank_grow(const rank_work *k, void *old, size_t bytes)
{
    void *grown = realloc(old, bytes);
    if (!grown)
        rank_no_memory(k);
    return grown;
}

void rank_must(const rank_work *k, bool works)
{
    if (!works)
        cluster_abort(k->c, EXIT_ERROR);
}

uint64_t rank_at(const rank_work *k)
{
    return spool_at(&k->spool, k->f->cause);
}

/* ---- files ----------------------------------------------------------------------- */

const char *rank_path(const rank_work *k, size_t file)
{
    return k->share.files[file].path;
}

static uint64_t length_of(const rank_work *k, size_t file)
{
    return k->share.files[file].length;
}

/* Which is not there if there is a reason why. */
static void check_bytes(const rank_work *k, size_t file, const char *why)
{
    if (why)
        rank_fails(k, rank_path(k, file), why);
}

void rank_close_file(rank_work *k)
{
    check_bytes(k, k->open, shared_bytes_close(&k->bytes));
    k->open = SIZE_MAX;
}

/* Sequences are read: who has joined their lines has copied them. */
static void open_file(rank_work *k, size_t file)
{
    const bool map = k->maps && k->share.files[file].kind == SHARE_RANGES;
    if (k->open == file)
        return;
    rank_close_file(k);
    k->open = file;
    check_bytes(k, file, shared_bytes_open(&k->bytes, rank_path(k, file), length_of(k, file), map));
}

/* Bytes [offset, end) of a file, until others are asked for. */
static const uint8_t *bytes_of(rank_work *k, size_t file, uint64_t offset, uint64_t end)
{
    const char *why = NULL;
    open_file(k, file);
    const uint8_t *bytes = shared_bytes_at(&k->bytes, offset, (size_t)(end - offset), &why);
    check_bytes(k, file, bytes ? NULL : why);
    return bytes;
}

/* The first place from `wanted` on where the file may be cut. */
static uint64_t cut_from(rank_work *k, size_t file, uint64_t wanted)
{
    const bool sequences = k->share.files[file].kind == SHARE_SEQUENCES;
    const uint64_t length = length_of(k, file);
    uint64_t cut = length;
    if (wanted == 0 || wanted >= length || (!sequences && !k->needs.cuts))
        return wanted;
    for (uint64_t from = wanted - 1; from < length && cut == length; from += PIECE) {
        const size_t some = length - from > PIECE + 1 ? PIECE + 1 : (size_t)(length - from);
        const uint8_t *bytes = bytes_of(k, file, from, from + some);
        size_t at = TRAWL_NONE;
        if (sequences)
            at = sequence_next(bytes, some);
        else
            trawl_range_cut(k->f->plan, k->f->report, bytes, some, &at, NULL);
        cut = at == TRAWL_NONE ? length : from + at;
    }
    return cut;
}

/* ---- what is printed ---------------------------------------------------------------- */

void rank_matches_add(const rank_work *k, rank_matches *list, const trawl_match *matches,
                      size_t count)
{
    if (!grow_array(&list->items, list->count + count, &list->room, sizeof *list->items))
        rank_no_memory(k);
    memcpy(list->items + list->count, matches, count * sizeof *matches);
    list->count += count;
}

/* Matches that may change, in the first block. */
static int hold(const trawl_match *matches, size_t count, void *user)
{
    const rank_work *k = (const rank_work *)user;
    rank_matches_add(k, k->holding, matches, count);
    if (!k->f->quiet)
        return 0;
    k->f->stats.matches++;
    return k->f->finished = true;
}

/* -g, of a file that began before: whether they are printed depends on the ranks before. */
static int hold_ids(const trawl_match *matches, size_t count, void *user)
{
    rank_work *k = (rank_work *)user;
    for (size_t i = 0; i < count; i++)
        if (!k->seen[matches[i].pattern]) {
            k->seen[matches[i].pattern] = 1;
            rank_matches_add(k, &k->ids, &matches[i], 1);
        }
    return 0;
}

/* ---- blocks ---------------------------------------------------------------------------- */

static block *add_block(rank_work *k, size_t file, uint64_t begin, uint64_t end)
{
    if (!grow_array(&k->blocks, k->count + 1, &k->room, sizeof *k->blocks))
        rank_no_memory(k);
    k->blocks[k->count] = (block){ file, begin, end, NULL, { rank_at(k), 0 }, 0 };
    return &k->blocks[k->count++];
}

static void check_scan(const rank_work *k, size_t file, int status, const trawl_error *error)
{
    if (status < 0)
        rank_fails(k, rank_path(k, file), error->message);
    rank_must(k, !k->f->failed);
}

trawl_seam *rank_seam(const rank_work *k)
{
    trawl_seam *seam = NULL;
    if (k->needs.follows && trawl_seam_open(k->f->plan, k->f->report, &seam, NULL) != TRAWL_OK)
        rank_no_memory(k);
    return seam;
}

bool rank_told(const rank_work *k, trawl_seam *seam, const trawl_seam *const *before, size_t count)
{
    trawl_error error;
    uint32_t again = 0;
    if (seam && trawl_seam_follow(seam, before, count, &again, &error) != TRAWL_OK)
        rank_fails(k, "the ranks' search", error.message);
    return again;
}

size_t rank_look(rank_work *k, const block *b)
{
    find_search *f = k->f;
    const uint64_t length = length_of(k, b->file);
    const uint64_t end = length - b->end > k->needs.after ? b->end + k->needs.after : length;
    f->texts.begin = b->begin > k->needs.before ? b->begin - k->needs.before : 0;
    f->texts.text = bytes_of(k, b->file, f->texts.begin, end);
    return (size_t)(end - f->texts.begin);
}

static uint64_t scan_block(rank_work *k, const block *b, trawl_match_fn take, void *user)
{
    find_search *f = k->f;
    trawl_range range = TRAWL_RANGE_INIT;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_error error;
    uint64_t settled = 0;
    range.length = rank_look(k, b);
    range.bytes = f->texts.text;
    range.offset = f->texts.begin;
    range.begin = b->begin;
    range.end = b->end;
    range.last = range.offset + range.length == length_of(k, b->file);
    options.report = f->report;
    k->twice += range.length - (b->end - b->begin);
    const int status = trawl_scan_range(f->context, f->plan, &range, &options, b->seam, take, user,
                                        &settled, &error);
    check_bytes(k, b->file, shared_bytes_kept(&k->bytes, range.offset + range.length));
    check_scan(k, b->file, status, &error);
    return settled;
}

/* The next block of a piece that ends there. */
static uint64_t block_end(rank_work *k, size_t file, uint64_t begin, uint64_t end, bool held)
{
    const uint64_t around = 8 * (k->needs.before + k->needs.after);
    open_file(k, file);
    uint64_t wanted = held ? FIRST_BLOCK : find_ranks_block(k->f->run, k->f->context, k->bytes.map);
    wanted = wanted < around ? around : wanted;
    if (end - begin <= wanted)
        return end;
    const uint64_t cut = cut_from(k, file, begin + wanted);
    return cut < end ? cut : end;
}

void rank_print_block(rank_work *k, size_t i, bool tell)
{
    block *b = &k->blocks[i];
    const bool ids = k->continues && i < k->first_count && k->f->output->only_ids;
    const trawl_seam *before[] = { tell ? k->blocks[i - 1].seam : NULL };
    if (tell)
        rank_told(k, b->seam, before, 1);
    b->printed.at = rank_at(k);
    k->f->stats.matches -= b->matches;
    const uint64_t known = k->f->stats.matches;
    const bool counts = k->f->output->count && !k->f->quiet;
    trawl_match_fn take = ids ? hold_ids : counts ? find_search_count : find_search_take;
    scan_block(k, b, take, ids ? (void *)k : k->f);
    b->matches = k->f->stats.matches - known;
    b->printed.length = rank_at(k) - b->printed.at;
}

uint64_t rank_hold_block(rank_work *k, rank_matches *list)
{
    k->holding = list;
    return scan_block(k, &k->blocks[0], hold, k);
}

static void search_ranges(rank_work *k, size_t file, uint64_t begin, uint64_t end, bool continues)
{
    const size_t first = k->count;
    begin = cut_from(k, file, begin);
    end = cut_from(k, file, end);
    k->f->stats.bytes += end - begin;
    for (bool more = true; more && !k->f->finished;) {
        const bool held = continues && k->needs.follows && k->count == first;
        const uint64_t stop = block_end(k, file, begin, end, held);
        block *b = add_block(k, file, begin, stop);
        b->seam = rank_seam(k);
        k->first_count = continues ? k->count : k->first_count;
        if (held)
            rank_hold_block(k, &k->head);
        else
            rank_print_block(k, k->count - 1, k->needs.follows && k->count > first + 1);
        more = stop < end;
        begin = stop;
    }
}

/* ---- sequences -------------------------------------------------------------------------- */

typedef struct file_part {
    const rank_work *k;
    uint64_t at, end, taken;
} file_part;

static ptrdiff_t read_part(void *state, void *bytes, size_t length, const char **why)
{
    file_part *p = (file_part *)state;
    const uint64_t left = p->end - p->at;
    length = left < length ? (size_t)left : length;
    if (length && !p->k->c->read(p->k->bytes.file, p->at, bytes, length, why))
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

static void search_sequences(rank_work *k, size_t file, uint64_t begin, uint64_t end)
{
    file_part part = { k, cut_from(k, file, begin), cut_from(k, file, end), 0 };
    block *b = add_block(k, file, part.at, part.end);
    if (part.at < part.end) {
        open_file(k, file);
        source_open_layer(&k->f->file, &part_layer, &part, &part.taken);
        find_search_sequences(k->f, rank_path(k, file), b->begin);
        source_close(&k->f->file);
    }
    rank_must(k, !k->f->failed);
    b->printed.length = rank_at(k) - b->printed.at;
}

/* ---- a rank's share ------------------------------------------------------------------------ */

static void search_whole(rank_work *k, size_t file)
{
    block *b = add_block(k, file, 0, length_of(k, file));
    rank_close_file(k); /* k->f->file is another one now */
    find_search_path(k->f, rank_path(k, file));
    rank_must(k, !k->f->failed);
    b->printed.length = rank_at(k) - b->printed.at;
}

/* What is said of a file when it is over, in this rank's own share. */
static void end_file(rank_work *k, bool continues, bool goes_on)
{
    const writer *o = k->f->output;
    const uint64_t began = rank_at(k);
    if (o->count && continues) {
        k->counts = rank_grow(k, k->counts, o->patterns->count * sizeof *k->counts);
        memcpy(k->counts, k->f->counts, o->patterns->count * sizeof *k->counts);
    } else if (o->count && !goes_on) {
        rank_must(k, find_search_written(k->f, writer_counts(k->f->output, k->f->counts)));
    }
    if (k->count)
        k->blocks[k->count - 1].printed.length += rank_at(k) - began;
}

static void search_piece(rank_work *k, size_t file, uint64_t begin, uint64_t end)
{
    const shared_file *s = &k->share.files[file];
    if (s->kind == SHARE_WHOLE) {
        search_whole(k, file);
        return;
    }
    const bool continues = share_first(&k->share, s) < k->c->rank;
    k->goes_on = share_last(&k->share, s) > k->c->rank;
    k->continues |= continues;
    rank_must(k, find_search_begin(k->f, s->path));
    if (s->kind == SHARE_RANGES)
        search_ranges(k, file, begin, end, continues);
    else
        search_sequences(k, file, begin, end);
    if (s->kind == SHARE_SEQUENCES && continues)
        k->first_count = 0; /* nothing of it may change */
    end_file(k, continues, k->goes_on);
}

void rank_search(rank_work *k)
{
    uint64_t begin, end;
    for (size_t i = 0; i < k->share.count && !k->f->finished; i++)
        if (share_piece(&k->share, &k->share.files[i], k->c->rank, &begin, &end)) {
            k->goes_on = false;
            search_piece(k, i, begin, end);
        }
}
