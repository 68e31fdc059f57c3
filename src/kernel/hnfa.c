/* hnfa.c: launching the kernels of RunHNFA (kernel/hnfa.k).
 *
 * Patterns are listed by the size of their teams: 1, 2, 4, ... 32, then multiples of 32. Each
 * size is a launch of its own, in which a group takes one pattern and as many slices as it has
 * teams. On a CPU, where a barrier a byte is dear, one item takes a pattern over a slice unless
 * an exchange is asked for.
 */
#include "table/hnfa.h"

#include <stdlib.h>

#include "base/error.h"
#include "kernel/carry.h"

enum {
    GPU_GROUP = 256,
    CPU_GROUP = 8,       /* of the forms without an exchange */
    CPU_TEAM_GROUP = 64, /* of those with one */
    MOST_TEAM = 512,     /* items: the kernels' registers leave no room for more */
    LOCAL_BYTES = 48 << 10,
    WARP = 32,
    EXCHANGE_NONE = 3 /* beside EXCHANGE_ATOMIC, _RELAY, _BALLOT: hnfa_plain */
};

typedef struct hnfa_device {
    uint32_t exchange;   /* EXCHANGE_* */
    uint32_t items;      /* of all teams */
    uint32_t plain;      /* patterns without a team */
    device_buffer masks; /* plans that carry */
    device_buffer list;  /* patterns by the size of their teams */
} hnfa_device;

static hnfa_device *state_of(const device_plan *p)
{
    return p->state;
}

static const hnfa_tables *tables_of(const device_plan *p)
{
    return (const hnfa_tables *)p->facts.tables;
}

static const hnfa_pattern *patterns_of(const device_plan *p)
{
    return (const hnfa_pattern *)(p->facts.tables + tables_of(p)->patterns);
}

static uint32_t usual_group(const device_plan *p, uint32_t cpu)
{
    const device_info *info = &p->device->info;
    return tuned(p->tuning.group, smaller(info->cpu ? cpu : GPU_GROUP, info->most_group));
}

/* Items of a pattern's team; 0: too many modules for one, or none wanted. */
static uint32_t team_of(const device_plan *p, uint32_t modules)
{
    if (modules == 1)
        return 1;
    const uint32_t exchange = state_of(p)->exchange;
    if (exchange == EXCHANGE_NONE || modules > MOST_TEAM)
        return 0;
    uint32_t team = 2;
    while (team < modules && team < WARP)
        team *= 2;
    if (modules > WARP)
        team = (modules + WARP - 1) / WARP * WARP;
    const uint32_t least = exchange == EXCHANGE_BALLOT && team < WARP ? WARP : team;
    return least > p->device->info.most_group ? 0 : team;
}

static int choose_exchange(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const bool ballots = info->lanes == WARP;
    uint32_t usual = ballots ? EXCHANGE_BALLOT : EXCHANGE_ATOMIC;
    if (info->cpu)
        usual = EXCHANGE_NONE;
    const uint32_t exchange = tuned(p->tuning.exchange, usual);
    if (exchange == EXCHANGE_BALLOT && !ballots)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "exchange=ballot needs a device whose work items vote in 32s, which %s has "
                    "not: take exchange=atomic or relay",
                    info->name);
    if (p->tuning.group != TUNE_AUTO && p->tuning.group > info->most_group)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "group=%u is more than the %u work items of a group on %s", p->tuning.group,
                    info->most_group, info->name);
    state_of(p)->exchange = exchange;
    return TRAWL_OK;
}

/* The patterns by size of team, the smallest (none: 0) first. */
static int prepare_list(device_plan *p, trawl_error *error)
{
    const uint32_t count = tables_of(p)->count;
    uint32_t *list = malloc(count * sizeof *list);
    if (!list)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for %u patterns", count);
    uint32_t starts[MOST_TEAM + 2] = { 0 };
    uint64_t items = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t team = team_of(p, patterns_of(p)[i].modules);
        starts[team + 1]++;
        items += team ? team : 1;
    }
    state_of(p)->plain = starts[1];
    state_of(p)->items = items < UINT32_MAX ? (uint32_t)items : UINT32_MAX;
    for (uint32_t team = 0; team < MOST_TEAM; team++)
        starts[team + 1] += starts[team];
    for (uint32_t i = 0; i < count; i++)
        list[starts[team_of(p, patterns_of(p)[i].modules)]++] = i;
    int status = plan_upload(p, &state_of(p)->list, list, count * sizeof *list, error);
    free(list);
    return status;
}

/* States that stay whatever byte comes, and what is handed on: all but the first border of an
 * upper module, which says that matches begin here. */
static int prepare_masks(device_plan *p, trawl_error *error)
{
    const hnfa_tables *t = tables_of(p);
    const uint32_t *tables = p->facts.tables;
    const size_t words = (size_t)p->facts.state_words;
    uint64_t *masks = calloc(words * 2, sizeof *masks);
    if (!masks)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for %zu words", words);
    for (uint32_t i = 0; i < t->count; i++) {
        const hnfa_pattern *pattern = &patterns_of(p)[i];
        const uint64_t *repeat = (const uint64_t *)(tables + pattern->repeat);
        const uint32_t k = pattern->modules;
        uint64_t *immortal = masks + pattern->lower_state, *passes = immortal + words;
        for (uint32_t j = 0; j < k; j++) {
            immortal[j] = passes[j] = UINT64_MAX;
            for (uint32_t c = 0; c < t->classes; c++)
                immortal[j] &= repeat[(size_t)c * k + j];
        }
        for (uint32_t j = k; k > 1 && j < k + k / 64 + 1; j++)
            passes[j] = j == k ? ~(uint64_t)1 : UINT64_MAX;
    }
    int status = carry_prepare(p, masks, &state_of(p)->masks, error);
    free(masks);
    return status;
}

static int hnfa_prepare(device_plan *p, trawl_error *error)
{
    int status = choose_exchange(p, error);
    if (status == TRAWL_OK)
        status = prepare_list(p, error);
    if (status == TRAWL_OK && p->facts.carries)
        status = prepare_masks(p, error);
    return status;
}

static void hnfa_release(device_plan *p)
{
    p->give(p, &state_of(p)->masks);
    p->give(p, &state_of(p)->list);
}

static text_cut cut_for(const device_plan *p, uint64_t length, size_t room)
{
    return cut_choose(p, length, state_of(p)->items, state_of(p)->plain != 0, room);
}

static size_t hnfa_scratch(const device_plan *p, uint64_t length, uint64_t cols)
{
    (void)cols;
    return cut_for(p, length + 15, SIZE_MAX).scratch;
}

/* HNFA_FIXED and HNFA_AREA of the kernels. */
enum { FIXED_WORDS = 66 };

/* PoCL 3.1 crashes in kernels with many barriers when groups are smaller. */
enum { LEAST_CPU_GROUP = 16 };

static uint32_t area_words(uint32_t team)
{
    return 6 * (team / 64 + 1) + 65;
}

/* The launch of a list of patterns whose teams have one size. */
static launch team_launch(const device_plan *p, uint32_t team, uint32_t count, uint32_t chunks,
                          uint32_t *staged)
{
    const uint32_t exchange = state_of(p)->exchange;
    if (team == 0) {
        const uint32_t group = usual_group(p, CPU_GROUP);
        return launch_of("hnfa", "hnfa_plain", groups_for(chunks * count, group, 1), group, 0);
    }
    if (team == 1) {
        const uint32_t group = usual_group(p, CPU_GROUP);
        return launch_of("hnfa", "hnfa_one", groups_for(chunks, group, count), group,
                         512 * sizeof(uint64_t));
    }
    /* Whole teams, and whole warps where they vote. */
    uint32_t group = smaller(usual_group(p, CPU_TEAM_GROUP), MOST_TEAM);
    if (p->device->info.cpu && group < LEAST_CPU_GROUP)
        group = LEAST_CPU_GROUP;
    group = group < team ? team : group / team * team;
    if (exchange == EXCHANGE_BALLOT)
        group = group < WARP ? WARP : group / WARP * WARP;
    const bool votes = exchange == EXCHANGE_BALLOT && team <= WARP;
    const uint32_t room = smaller(LOCAL_BYTES, p->device->info.local_bytes);
    uint32_t teams = group / team;
    while (!votes && teams > 1 &&
           (FIXED_WORDS + teams * area_words(team)) * sizeof(uint32_t) > room) {
        teams = (teams + 1) / 2;
        group = teams * team;
    }
    uint32_t words = FIXED_WORDS + (votes ? 0 : teams * area_words(team));
    const uint32_t rows = 4 * tables_of(p)->classes * team;
    *staged = (words + rows) * sizeof(uint32_t) <= room;
    words += *staged ? rows : 0;
    const char *const kernels[] = { "hnfa_atomic", "hnfa_relay",
                                    votes ? "hnfa_ballot" : "hnfa_ballots" };
    return launch_of("hnfa", kernels[exchange], groups_for(chunks, teams, count), group,
                     words * (uint32_t)sizeof(uint32_t));
}

static int run_class(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
                     uint32_t mode, uint32_t span, uint32_t team, uint32_t first, uint32_t count,
                     trawl_error *error)
{
    uint32_t staged = 0;
    launch l = team_launch(p, team, count, chunks_of(cut, span), &staged);
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, piece->text);
    launch_buffer(&l, &state_of(p)->list);
    launch_u32(&l, first);
    launch_u32(&l, count);
    if (team > 1) {
        launch_u32(&l, team);
        launch_u32(&l, staged);
    }
    launch_cut(&l, p, piece, cut, mode, span);
    launch_sink(&l, &piece->sink);
    return sink_launch(p, q, &l, &piece->sink, error);
}

static int run_patterns(const device_plan *p, device_queue *q, text_piece *piece,
                        const text_cut *cut, uint32_t mode, uint32_t span, trawl_error *error)
{
    uint32_t counts[MOST_TEAM + 1] = { 0 };
    for (uint32_t i = 0; i < tables_of(p)->count; i++)
        counts[team_of(p, patterns_of(p)[i].modules)]++;
    uint32_t first = 0;
    int status = TRAWL_OK;
    for (uint32_t team = 0; team <= MOST_TEAM && status == TRAWL_OK; team++) {
        if (counts[team])
            status = run_class(p, q, piece, cut, mode, span, team, first, counts[team], error);
        first += counts[team];
    }
    return status;
}

static int hnfa_run_text(const device_plan *p, device_queue *q, text_piece *piece,
                         trawl_error *error)
{
    if (piece->begin >= piece->end)
        return TRAWL_OK;
    const size_t room = piece->scratch ? piece->scratch->bytes : SIZE_MAX;
    const text_cut cut = cut_for(p, cut_length(piece), room);
    return carry_run(p, q, piece, &cut, "hnfa", &state_of(p)->masks, run_patterns, error);
}

const device_walk device_hnfa = {
    .kind = WALK_HNFA,
    .state_bytes = sizeof(hnfa_device),
    .prepare = hnfa_prepare,
    .release = hnfa_release,
    .scratch_bytes = hnfa_scratch,
    .run_text = hnfa_run_text,
};
