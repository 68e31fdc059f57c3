/* device.c: RunHNFA on devices: which kernel, and how large. The kernels are in device.k.
 *
 * Patterns are listed by the size of their teams: 1, 2, 4, ... 32, then multiples of 32. Each size
 * has its own launch, in which a group takes one pattern and as many slices as it has teams. On a
 * CPU, where a barrier for each byte is expensive, one item takes a pattern over a slice unless an
 * exchange is asked for.
 */
#include "engines/papers/hnfa/device.h"

#include "base/error.h"
#include "engines/shared/carry/launch.h"

enum {
    GPU_GROUP = 256,
    CPU_GROUP = 8,       /* of the forms without an exchange */
    CPU_TEAM_GROUP = 64, /* of those with one */
    MIN_CPU_GROUP = 16,  /* PoCL 3.1 crashes in kernels with many barriers when it is smaller */
    MAX_TEAM = 512,      /* items: the kernels' registers leave no room for more */
    LOCAL_BYTES = 48 << 10,
    EXCHANGE_NONE = 3 /* beside EXCHANGE_ATOMIC, _RELAY, _BALLOT: no teams */
};

typedef struct hnfa_device {
    uint32_t exchange;            /* EXCHANGE_* */
    uint32_t group, team_group;   /* without an exchange; with one, at most */
    uint64_t items;               /* of all teams */
    uint32_t first[MAX_TEAM + 2]; /* place in the list of the first pattern with such a team */
    device_buffer list;           /* patterns by the size of their teams; 0: none */
} hnfa_device;

static const hnfa_tables *tables_of(const device_plan *p)
{
    return (const hnfa_tables *)p->facts.tables;
}

/* Items of pattern i's team; 0: too many modules for one, or none wanted. */
static uint32_t team_of(const device_plan *p, uint32_t i)
{
    const hnfa_device *d = p->state;
    const uint32_t *patterns = p->facts.tables + tables_of(p)->patterns;
    const uint32_t modules = ((const hnfa_pattern *)patterns)[i].modules;
    if (modules == 1)
        return 1;
    if (d->exchange == EXCHANGE_NONE || modules > MAX_TEAM)
        return 0;
    uint32_t team = 2;
    while (team < modules && team < HNFA_WARP)
        team *= 2;
    if (modules > HNFA_WARP)
        team = parts(modules, HNFA_WARP) * HNFA_WARP;
    const uint32_t least = d->exchange == EXCHANGE_BALLOT && team < HNFA_WARP ? HNFA_WARP : team;
    return least > p->device->info.most_group ? 0 : team;
}

static int choose_exchange(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const bool ballots = info->lanes == HNFA_WARP;
    hnfa_device *d = p->state;
    uint32_t usual = ballots ? EXCHANGE_BALLOT : EXCHANGE_ATOMIC;
    if (info->cpu)
        usual = EXCHANGE_NONE;
    d->exchange = tuned(p->tuning.exchange, usual);
    if (d->exchange == EXCHANGE_BALLOT && !ballots)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "exchange=ballot needs a device whose work items vote in 32s, which %s has "
                    "not: take exchange=atomic or relay",
                    info->name);
    return TRAWL_OK;
}

/* The patterns by size of team, the smallest (none: 0) first. */
static int prepare_list(device_plan *p, trawl_error *error)
{
    const uint32_t count = tables_of(p)->count;
    hnfa_device *d = p->state;
    uint32_t *list = memory_take_array(p->memory, count, sizeof *list);
    if (!list)
        return memory_failed(p->memory, error, "%u pattern%s", count, plural(count));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t team = team_of(p, i);
        d->first[team + 1]++;
        d->items += team ? team : 1;
    }
    for (uint32_t team = 0; team <= MAX_TEAM; team++)
        d->first[team + 1] += d->first[team];
    uint32_t next[MAX_TEAM + 1];
    memcpy(next, d->first, sizeof next);
    for (uint32_t i = 0; i < count; i++)
        list[next[team_of(p, i)]++] = i;
    const int status = plan_upload(p, &d->list, list, count * sizeof *list, error);
    memory_give(p->memory, list);
    return status;
}

static int hnfa_prepare(device_plan *p, trawl_error *error)
{
    const bool cpu = p->device->info.cpu;
    hnfa_device *d = p->state;
    int status = choose_exchange(p, error);
    if (status == TRAWL_OK)
        status = plan_group(p, cpu ? CPU_GROUP : GPU_GROUP, &d->group, error);
    if (status == TRAWL_OK)
        status = plan_group(p, cpu ? CPU_TEAM_GROUP : GPU_GROUP, &d->team_group, error);
    return status == TRAWL_OK ? prepare_list(p, error) : status;
}

static void hnfa_release(device_plan *p)
{
    hnfa_device *d = p->state;
    p->give(p, &d->list);
}

static slice_needs needs_of(const device_plan *p)
{
    const hnfa_device *d = p->state;
    return (slice_needs){ d->items, d->first[1] != 0 };
}

static size_t hnfa_scratch(const device_plan *p, uint64_t length, uint64_t cols)
{
    (void)cols;
    return carry_scratch(p, needs_of(p), length);
}

/* The launch of patterns whose teams have one size; sets numbers->staged. */
static launch team_launch(const device_plan *p, hnfa_args *numbers)
{
    const hnfa_device *d = p->state;
    const uint32_t team = numbers->team, count = numbers->count;
    const uint32_t chunks = parts(numbers->cut.slices, numbers->cut.span);
    uint32_t exchange = BY_ITEM, group = d->group, groups, words = 0;
    if (team == 0) {
        groups = parts((uint64_t)chunks * count, group);
    } else if (team == 1) {
        exchange = BY_WORD;
        groups = parts(chunks, group) * count;
        words = HNFA_WORD_LOCAL;
    } else {
        const uint32_t room = smaller(LOCAL_BYTES, p->device->info.local_bytes) / 4;
        const uint32_t rows = HNFA_ROWS(tables_of(p)->classes, team);
        exchange = d->exchange == EXCHANGE_ATOMIC  ? BY_ATOMIC
                   : d->exchange == EXCHANGE_RELAY ? BY_RELAY
                   : team <= HNFA_WARP             ? BY_BALLOT
                                                   : BY_BALLOTS;
        const uint32_t area = exchange == BY_BALLOT ? 0 : HNFA_AREA(team);
        group = smaller(d->team_group, MAX_TEAM);
        if (p->device->info.cpu && group < MIN_CPU_GROUP)
            group = MIN_CPU_GROUP;
        /* Whole teams, and whole warps where they vote. */
        group = group < team ? team : group / team * team;
        if (d->exchange == EXCHANGE_BALLOT)
            group = group < HNFA_WARP ? HNFA_WARP : group / HNFA_WARP * HNFA_WARP;
        uint32_t teams = group / team;
        while (teams > 1 && HNFA_FIXED + teams * area > room) {
            teams = (teams + 1) / 2;
            group = teams * team;
        }
        groups = parts(chunks, teams) * count;
        words = HNFA_FIXED + teams * area;
        numbers->staged = words + rows <= room;
        words += numbers->staged ? rows : 0;
    }
    launch l = launch_of("hnfa", "hnfa", groups, group, 4 * words);
    launch_define(&l, "EXCHANGE", exchange);
    return l;
}

static int run_cut(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
                   trawl_error *error)
{
    const hnfa_device *d = p->state;
    int status = TRAWL_OK;
    for (uint32_t team = 0; team <= MAX_TEAM && status == TRAWL_OK; team++) {
        hnfa_args numbers = {
            .capacity = piece->sink.capacity,
            .cut = *cut,
            .first = d->first[team],
            .count = d->first[team + 1] - d->first[team],
            .team = team,
        };
        if (numbers.count == 0)
            continue;
        launch l = team_launch(p, &numbers);
        launch_buffer(&l, &p->tables);
        launch_buffer(&l, piece->text);
        launch_buffer(&l, &d->list);
        launch_scratch(&l, p, piece);
        status = launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
    }
    return status;
}

static int hnfa_run_text(const device_plan *p, device_queue *q, text_piece *piece,
                         trawl_error *error)
{
    return carry_run(p, q, piece, needs_of(p), run_cut, error);
}

const device_walk device_hnfa = {
    .kind = WALK_HNFA,
    .state_bytes = sizeof(hnfa_device),
    .prepare = hnfa_prepare,
    .release = hnfa_release,
    .scratch_bytes = hnfa_scratch,
    .run_text = hnfa_run_text,
};
