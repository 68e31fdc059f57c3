/* device.c: text in slices, and the rounds in which states cross their borders. The idea and why
 * it is exact are in device.h.
 */
#include "engines/shared/carry/launch.h"

enum {
    ALIGNED = 32, /* pages and strides are multiples of this, if not given */
    MIN_PAGE = 256,
    MAX_PAGE = 4096, /* of a GPU, unless the reach is long */
    MIN_CPU_PAGE = 4096,
    CARRY_PAGE = 1024, /* the smallest of plans that carry: a round runs a stride */
    STRIDE = 256,
    ITEMS_A_UNIT = 4096, /* work items that keep a multiprocessor busy, twice over */
    SLICES_A_CPU_UNIT = 8,
    CPU_SCRATCH = 64 << 20,
    GPU_SCRATCH = 512 << 20,
    HAND_GROUP = 256,
    CPU_HAND_GROUP = 8,
    SPAN_GROWTH = 4
};

static const uint64_t MAX_ITEMS = (uint64_t)1 << 31; /* item numbers have 32 bits */

/* ---- how a piece is cut ------------------------------------------------------- */

static uint64_t rounded_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

static uint64_t usual_page(const device_plan *p, uint64_t length, uint64_t items, uint64_t lead)
{
    const device_info *info = &p->device->info;
    const uint64_t units = info->units;
    uint64_t page, smallest;
    if (info->cpu) {
        page = length / (units * SLICES_A_CPU_UNIT);
        smallest = MIN_CPU_PAGE;
    } else {
        page = (uint64_t)((double)length * (double)items / (double)(units * ITEMS_A_UNIT));
        page = page < MAX_PAGE ? page : MAX_PAGE;
        smallest = p->facts.carries ? CARRY_PAGE : MIN_PAGE;
    }
    if (smallest < 4 * lead) /* what is read twice stays a quarter */
        smallest = 4 * lead;
    return rounded_up(page < smallest ? smallest : page, ALIGNED);
}

/* Set slices and marks as they follow from the page; returns the bytes of scratch. */
static uint64_t measure(const device_plan *p, text_cut *cut, uint64_t length, uint32_t stride,
                        bool works)
{
    cut->slices = parts(length, cut->page);
    cut->stride = smaller(stride, cut->page);
    cut->marks = parts(cut->page, cut->stride);
    if (p->facts.carries)
        return 8 * (uint64_t)cut_marked(cut, cut->slices, 0);
    return works ? 8 * (uint64_t)cut_news(cut, cut->slices) : 0;
}

/* Cut `length` bytes. Pages grow until the scratch memory, `bytes`, fits into `room`. */
static text_cut cut_choose(const device_plan *p, slice_needs needs, uint64_t length, size_t room,
                           uint64_t *bytes)
{
    const walk_facts *facts = &p->facts;
    const device_info *info = &p->device->info;
    const uint64_t longest = (uint64_t)1 << 28;
    const uint64_t reach = facts->max_length ? facts->max_length - 1 : 0;
    text_cut cut = { .words = (uint32_t)facts->state_words, .span = 1 };
    if (!facts->carries)
        cut.lead = (uint32_t)rounded_up(reach < longest ? reach : longest, 16);
    uint64_t page = p->tuning.page == TUNE_AUTO ? usual_page(p, length, needs.items, cut.lead)
                                                : rounded_up(p->tuning.page, 16);
    uint64_t most = info->cpu ? CPU_SCRATCH : GPU_SCRATCH;
    most = most < info->largest_buffer ? most : info->largest_buffer;
    most = most < room ? most : room;
    uint32_t stride = facts->carries ? STRIDE : UINT32_MAX;
    for (;;) {
        cut.page = (uint32_t)(page < longest ? page : longest);
        *bytes = measure(p, &cut, length, stride, needs.works);
        const bool fits = *bytes <= most && needs.items * cut.slices < MAX_ITEMS;
        if (fits || (cut.page >= length && cut.marks == 1))
            return cut;
        /* First fewer marks, then fewer slices. */
        if (*bytes > most && cut.marks > 1)
            stride = 2 * cut.stride;
        else
            page = 2 * (uint64_t)cut.page;
    }
}

size_t carry_scratch(const device_plan *p, slice_needs needs, uint64_t length)
{
    uint64_t bytes;
    cut_choose(p, needs, length + 15, SIZE_MAX, &bytes); /* borders count from a multiple of 16 */
    return (size_t)bytes;
}

/* ---- rounds ------------------------------------------------------------------- */

/* What every slice ended with goes to the next ones; *left says whether any of it is news. */
static int hand_on(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
                   bool first, uint32_t *left, trawl_error *error)
{
    const device_api *api = p->device->api;
    const uint32_t usual = p->device->info.cpu ? CPU_HAND_GROUP : HAND_GROUP;
    const uint32_t group = smaller(usual, p->device->info.most_group);
    const carry_args numbers = {
        .masks = (uint64_t)((const uint32_t *)p->facts.masks - p->facts.tables),
        .cut = *cut,
        .first = first,
    };
    int status = api->clear(q, piece->scratch, 0, sizeof *left, error);
    if (status != TRAWL_OK)
        return status;
    launch l = launch_of("carry", "carry_hand", cut->words, group, group * sizeof(uint64_t));
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, piece->scratch);
    launch_struct(&l, &numbers, sizeof numbers);
    status = sink_launch(p, q, &l, &piece->sink, error);
    if (status == TRAWL_OK)
        status = api->read(q, piece->scratch, 0, left, sizeof *left, NULL, error);
    if (status == TRAWL_OK)
        status = api->finish(q, error);
    return status == TRAWL_OK ? sink_settle(api, &piece->sink, error) : status;
}

static int carry_rounds(const device_plan *p, device_queue *q, text_piece *piece, text_cut cut,
                        cut_run run, trawl_error *error)
{
    const device_api *api = p->device->api;
    const size_t row = cut.words * sizeof(uint64_t);
    /* The last mark of the last slice is the state after the piece. */
    const size_t initial = 8 * cut_initial(&cut);
    const size_t last = 8 * cut_marked(&cut, cut.slices - 1, cut.marks - 1);
    cut.mode = CUT_FIRST;
    int status = api->write(q, piece->scratch, initial, piece->state, row, NULL, error);
    if (status == TRAWL_OK)
        status = run(p, q, piece, &cut, error);
    uint32_t left = 1;
    for (bool first = true; status == TRAWL_OK && cut.slices > 1; first = false) {
        status = hand_on(p, q, piece, &cut, first, &left, error);
        if (status != TRAWL_OK || !left)
            break;
        if (!first)
            cut.span = cut.span < cut.slices / SPAN_GROWTH ? cut.span * SPAN_GROWTH : cut.slices;
        cut.mode = CUT_NEWS;
        status = run(p, q, piece, &cut, error);
    }
    if (status == TRAWL_OK)
        status = api->read(q, piece->scratch, last, piece->state, row, NULL, error);
    return status == TRAWL_OK ? api->finish(q, error) : status;
}

int carry_run(const device_plan *p, device_queue *q, text_piece *piece, slice_needs needs,
              cut_run run, trawl_error *error)
{
    uint64_t bytes;
    text_cut cut = cut_choose(p, needs, piece->end - (piece->begin & ~15u),
                              piece->scratch ? piece->scratch->bytes : SIZE_MAX, &bytes);
    cut.from = piece->from;
    cut.begin = piece->begin;
    cut.end = piece->end;
    cut.mode = CUT_ALONE;
    return p->facts.carries ? carry_rounds(p, q, piece, cut, run, error)
                            : run(p, q, piece, &cut, error);
}
