/* carry.c: text in slices, and the rounds in which states cross their borders. The idea and why
 * it is exact are in carry_form.h.
 */
#include "kernel/carry.h"

#include <string.h>

enum {
    FLAG_WORDS = 16, /* u64, in front of the scratch memory */
    ALIGNED = 32,    /* pages and strides are multiples of this, if not given */
    SMALLEST_PAGE = 256,
    LARGEST_PAGE = 4096, /* of a GPU, unless the reach is long */
    SMALLEST_CPU_PAGE = 4096,
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

static const uint64_t MOST_ITEMS = (uint64_t)1 << 31; /* item numbers have 32 bits */

static uint64_t rounded_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

static uint64_t usual_page(const device_plan *p, uint64_t length, uint64_t items, uint64_t lead)
{
    const device_info *info = &p->device->info;
    const uint64_t units = info->units ? info->units : 1;
    uint64_t page, smallest;
    if (info->cpu) {
        page = length / (units * SLICES_A_CPU_UNIT);
        smallest = SMALLEST_CPU_PAGE;
    } else {
        page = (uint64_t)((double)length * (double)items / (double)(units * ITEMS_A_UNIT));
        page = page < LARGEST_PAGE ? page : LARGEST_PAGE;
        smallest = p->facts.carries ? CARRY_PAGE : SMALLEST_PAGE;
    }
    if (smallest < 4 * lead) /* what is read twice stays a quarter */
        smallest = 4 * lead;
    return rounded_up(page < smallest ? smallest : page, ALIGNED);
}

/* Slices, marks and memory that follow from the page. */
static uint64_t measure(const device_plan *p, text_cut *cut, uint64_t length, uint32_t stride,
                        bool works)
{
    const bool carries = p->facts.carries;
    cut->slices = (uint32_t)((length + cut->page - 1) / cut->page);
    cut->stride = stride < cut->page ? stride : cut->page;
    cut->marks = (cut->page - 1) / cut->stride + 1;
    uint64_t rows = carries ? 1 + (2 + (uint64_t)cut->marks) * cut->slices
                            : (works ? 1 + (uint64_t)cut->slices : 0);
    return rows ? 8 * (FLAG_WORDS + rows * cut->words) : 0;
}

text_cut cut_choose(const device_plan *p, uint64_t length, uint64_t items, bool works, size_t room)
{
    const walk_facts *head = &p->facts;
    const device_info *info = &p->device->info;
    const uint64_t longest = (uint64_t)1 << 28, reach = head->max_length ? head->max_length - 1 : 0;
    text_cut cut = { 0 };
    cut.words = (uint32_t)head->state_words;
    if (!head->carries)
        cut.lead = (uint32_t)rounded_up(reach < longest ? reach : longest, 16);
    uint64_t page = p->tuning.page == TUNE_AUTO ? usual_page(p, length, items, cut.lead)
                                                : rounded_up(p->tuning.page, 16);
    uint64_t most = info->cpu ? CPU_SCRATCH : GPU_SCRATCH;
    most = most < info->largest_buffer ? most : info->largest_buffer;
    most = most < room ? most : room;
    uint32_t stride = head->carries ? STRIDE : UINT32_MAX;
    for (;;) {
        cut.page = (uint32_t)(page < longest ? page : longest);
        uint64_t bytes = measure(p, &cut, length, stride, works);
        cut.scratch = (size_t)bytes;
        const bool fits = bytes <= most && items * cut.slices < MOST_ITEMS;
        if (fits || (cut.page >= length && cut.marks == 1))
            return cut;
        /* First fewer marks, then fewer slices. */
        if (bytes > most && cut.marks > 1)
            stride = 2 * cut.stride;
        else
            page = 2 * (uint64_t)cut.page;
    }
}

int carry_prepare(device_plan *p, const uint64_t *masks, device_buffer *to, trawl_error *error)
{
    return plan_upload(p, to, masks, (size_t)p->facts.state_words * 2 * sizeof *masks, error);
}

void launch_cut(launch *l, const device_plan *p, const text_piece *piece, const text_cut *cut,
                uint32_t mode, uint32_t span)
{
    launch_u32(l, piece->from);
    launch_u32(l, piece->begin);
    launch_u32(l, piece->end);
    launch_u32(l, cut->page);
    launch_u32(l, cut->lead);
    launch_u32(l, mode);
    launch_u32(l, cut->slices);
    launch_u32(l, span);
    launch_u32(l, cut->stride);
    launch_u32(l, cut->marks);
    launch_u32(l, cut->words);
    launch_buffer(l, piece->scratch ? piece->scratch : &p->tables); /* or any: not used then */
}

/* What every slice ended with goes to the next ones; *left says whether any of it is news. */
static int hand_on(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
                   const char *unit, const device_buffer *masks, bool first, uint32_t *left,
                   trawl_error *error)
{
    const device_api *api = p->device->api;
    const uint32_t usual = p->device->info.cpu ? CPU_HAND_GROUP : HAND_GROUP;
    const uint32_t group = smaller(usual, p->device->info.most_group);
    int status = api->clear(q, piece->scratch, 0, sizeof *left, error);
    if (status != TRAWL_OK)
        return status;
    launch l = launch_of(unit, "carry_hand", cut->words, group, group * sizeof(uint64_t));
    launch_buffer(&l, masks);
    launch_u32(&l, first);
    launch_cut(&l, p, piece, cut, CUT_NEWS, 1);
    status = sink_launch(p, q, &l, &piece->sink, error);
    if (status == TRAWL_OK)
        status = api->read(q, piece->scratch, 0, left, sizeof *left, NULL, error);
    if (status == TRAWL_OK)
        status = api->finish(q, error);
    return status == TRAWL_OK ? sink_settle(api, &piece->sink, error) : status;
}

static int carry_rounds(const device_plan *p, device_queue *q, text_piece *piece,
                        const text_cut *cut, const char *unit, const device_buffer *masks,
                        cut_run run, trawl_error *error)
{
    const device_api *api = p->device->api;
    const size_t row = cut->words * sizeof(uint64_t), initial = FLAG_WORDS * sizeof(uint64_t);
    int status = api->write(q, piece->scratch, initial, piece->state, row, NULL, error);
    if (status == TRAWL_OK)
        status = run(p, q, piece, cut, CUT_FIRST, 1, error);
    uint32_t span = 1, left = 1;
    for (bool first = true; status == TRAWL_OK && cut->slices > 1; first = false) {
        status = hand_on(p, q, piece, cut, unit, masks, first, &left, error);
        if (status != TRAWL_OK || !left)
            break;
        status = run(p, q, piece, cut, CUT_NEWS, span, error);
        span = span < cut->slices / SPAN_GROWTH ? span * SPAN_GROWTH : cut->slices;
    }
    if (status != TRAWL_OK)
        return status;
    /* The last mark of the last slice is the state behind the piece. */
    const size_t rows = 1 + 2 * (size_t)cut->slices + (size_t)cut->slices * cut->marks - 1;
    status = api->read(q, piece->scratch, initial + rows * row, piece->state, row, NULL, error);
    return status == TRAWL_OK ? api->finish(q, error) : status;
}

int carry_run(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
              const char *unit, const device_buffer *masks, cut_run run, trawl_error *error)
{
    if (p->facts.carries)
        return carry_rounds(p, q, piece, cut, unit, masks, run, error);
    return run(p, q, piece, cut, CUT_ALONE, 1, error);
}
