/* device.c: Aho-Corasick on devices: which kernel and how large. The kernels are in device.k.
 *
 * page: on GPUs 256 bytes for an item, or four times the reach if that is more. It is short, since
 * the steps of an item wait for each other, and only many items hide that. On CPUs it is 32 KiB.
 * There is no staging unless asked for: local memory full of text leaves room for fewer items, and
 * an item that loads 16 bytes at once needs them only once. A page that is asked for is rounded up
 * to a multiple of 16, and to an odd multiple when staged. Staged groups that do not fit the local
 * memory are refused; a page that is not asked for is made to fit.
 */
#include "engines/literal/ac/device.h"
#include "base/error.h"
#include "engines/shared/device/kernel.h"

enum {
    DEFAULT_GROUP = 256,
    STAGED_GROUP = 128,
    CPU_GROUP = 8,
    DEFAULT_PAGE = 256,
    CPU_PAGE = 32 * 1024,
    MAX_PAGE = 1 << 20,
    STEP = 16,
    MAX_REACH = 1 << 30 /* windows are shorter */
};

typedef struct ac_device {
    uint32_t staged, row, textured; /* 0 or 1 */
    uint32_t group, page, reach, local_bytes;
} ac_device;

static uint32_t usual_page(uint32_t reach, bool cpu)
{
    const uint32_t usual = cpu ? CPU_PAGE : DEFAULT_PAGE;
    if (reach > MAX_PAGE / 4)
        return MAX_PAGE;
    return 4 * reach > usual ? 4 * reach : usual;
}

/* The page that is not longer than `usual` and leaves two groups room in `room` bytes of local
 * memory, each of which uses `besides` for other things; at least one step. */
static uint32_t fitting_page(uint32_t usual, uint32_t group, uint32_t room, uint64_t besides)
{
    const uint64_t left = room / 2 > besides ? room / 2 - besides : 0;
    const uint64_t pairs = left / group / (2 * STEP); /* an odd number of steps: fill less one */
    const uint64_t page = pairs > 0 ? 2 * STEP * pairs - STEP : STEP;
    return page < usual ? (uint32_t)page : usual;
}

static int ac_prepare(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const tuning *tune = &p->tuning;
    ac_device *d = p->state;
    const uint64_t longest = p->facts.max_length;
    const uint32_t reach =
        longest - 1 < MAX_REACH ? (uint32_t)(longest - 1 + STEP - 1) / STEP * STEP : MAX_REACH;
    const uint32_t row = tuned(tune->row, !info->cpu);
    const bool staged = tuned(tune->staged, 0);
    const uint32_t usual = info->cpu ? CPU_GROUP : staged ? STAGED_GROUP : DEFAULT_GROUP;
    const int status = plan_group(p, usual, &d->group, error);
    if (status != TRAWL_OK)
        return status;

    const uint32_t group = d->group;
    const uint64_t base = 4 * AC_TILE((uint64_t)group, row);
    uint32_t page = tuned(tune->page, usual_page(reach, info->cpu));
    if (staged && tune->page == TUNE_AUTO)
        page = fitting_page(page, group, info->local_bytes, base + reach);
    page = (page + STEP - 1) / STEP * STEP;
    if (staged)
        page |= STEP;
    const uint64_t local = staged ? base + reach + (uint64_t)group * page : base;
    d->staged = staged;
    d->row = row;
    d->textured = tuned(tune->texture, 0);
    d->page = page;
    d->reach = reach;
    d->local_bytes = (uint32_t)local;
    return plan_local(p, "ac", group, local, staged ? ", a smaller page, or staged=0" : "", error);
}

static int ac_run(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const ac_device *d = p->state;
    const ac_args numbers = {
        .capacity = piece->sink.capacity,
        .from = piece->from,
        .begin = piece->begin,
        .end = piece->end,
        .page = d->page,
        .reach = d->reach,
    };
    const uint64_t bytes = piece->end - piece->begin / STEP * STEP;
    launch l =
        launch_of("ac", "ac", parts(bytes, (uint64_t)d->group * d->page), d->group, d->local_bytes);
    launch_define(&l, "STAGED", d->staged);
    launch_define(&l, "ROW", d->row);
    launch_define(&l, "TEXTURED", d->textured);
    launch_tables(&l, p, d->textured);
    launch_buffer(&l, piece->text);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

const device_walk device_ac = {
    .kind = WALK_AC,
    .state_bytes = sizeof(ac_device),
    .prepare = ac_prepare,
    .run_text = ac_run,
};
