/* loaded.c: stages of plans on a device. */
#include <string.h>

#include "backend/lane.h"

static int take(device_plan *p, size_t bytes, device_buffer *b, trawl_error *error)
{
    return used_buffer((used_device *)p->owner, BUFFER_DEVICE, bytes, b, error);
}

static void give(device_plan *p, device_buffer *b)
{
    unused_buffer((used_device *)p->owner, b);
}

static void drop(used_device *u, loaded_stage *l)
{
    device_plan *p = &l->plan;
    if (p->texture.handle || p->texture.number)
        u->device->api->texture_close(u->device, &p->texture);
    plan_release(p);
    unused_buffer(u, &p->tables);
    memset(l, 0, sizeof *l);
}

void unload(used_device *u, const trawl_plan *but)
{
    for (u32 i = 0; i < MAX_LOADED; i++)
        if (u->loaded[i].plan.owner && (!but || u->loaded[i].of != but))
            drop(u, &u->loaded[i]);
}

/* Textures are opened where the walk could use them; only an explicit wish must be met. */
static int open_texture(device_plan *p, trawl_error *error)
{
    const device_api *api = p->device->api;
    const tuning *t = &p->tuning;
    const bool grid = p->facts.cell_size != 0;
    if (grid ? t->stage != TUNE_AUTO && t->stage >= 2 : t->texture == 1)
        return api->texture_open(p->device, &p->tables, &p->texture, error);
    if (grid && t->stage == TUNE_AUTO && p->device->info.texture_words >= p->tables.bytes / 4 &&
        api->texture_open(p->device, &p->tables, &p->texture, NULL) != TRAWL_OK)
        memset(&p->texture, 0, sizeof p->texture);
    return TRAWL_OK;
}

static bool has_kernels(const trawl_plan *plan, const plan_stage *stage)
{
    return device_takes((walk_kind)stage->kind, stage_tables(plan, stage));
}

const plan_stage *searching_stage(const trawl_plan *plan, const plan_part *part, bool fallback)
{
    const plan_stage *stage = stage_begun(plan, part, fallback);
    return has_kernels(plan, stage) ? stage : part_fallback(plan, part);
}

static walk_facts facts_of(const trawl_plan *plan, const plan_part *part, const plan_stage *stage)
{
    const plan_stage *last = part_fallback(plan, part);
    return (walk_facts){
        .kind = (walk_kind)stage->kind,
        .tables = stage_tables(plan, stage),
        .bytes = (size_t)stage->bytes,
        .min_length = part->min_length,
        .max_length = part->max_length,
        .state_words = stage->state_words,
        .carries = part->carries,
        .cell_size = plan_head(plan)->cell_size,
        .masks = part->carries ? stage_masks(plan, stage) : NULL,
        .may_stop = last && last != stage,
        .patience = stage->patience,
    };
}

static loaded_stage *find(used_device *u, const trawl_plan *plan, const plan_stage *stage)
{
    for (u32 i = 0; i < MAX_LOADED; i++) {
        loaded_stage *l = &u->loaded[i];
        if (l->of == plan && l->stage == stage && l->checksum == plan_head(plan)->checksum)
            return l;
    }
    return NULL;
}

/* A free place, made so if need be: what was asked for longest ago goes. */
static loaded_stage *free_place(used_device *u)
{
    loaded_stage *oldest = &u->loaded[0];
    for (u32 i = 0; i < MAX_LOADED; i++) {
        loaded_stage *l = &u->loaded[i];
        if (!l->of)
            return l;
        if (l->turn < oldest->turn)
            oldest = l;
    }
    drop(u, oldest);
    return oldest;
}

static int load_stage(used_device *u, const tuning *tuning, const trawl_plan *plan,
                      const plan_part *part, const plan_stage *stage, trawl_error *error)
{
    const device_api *api = u->device->api;
    loaded_stage *l = find(u, plan, stage);
    u->turn++;
    if (l) {
        l->turn = u->turn;
        return TRAWL_OK;
    }
    l = free_place(u);
    device_plan *p = &l->plan;
    p->device = u->device;
    p->queue = u->lanes[0].queue;
    p->memory = u->device->memory;
    p->facts = facts_of(plan, part, stage);
    p->walk = device_walk_of(p->facts.kind);
    p->tuning = *tuning;
    p->take = take;
    p->give = give;
    p->owner = u;
    const size_t bytes = p->facts.bytes;
    int status = used_buffer(u, BUFFER_DEVICE, (bytes + 255) / 256 * 256 + 256, &p->tables, error);
    if (status == TRAWL_OK)
        status = api->write(p->queue, &p->tables, 0, p->facts.tables, bytes, NULL, error);
    if (status == TRAWL_OK)
        status = api->finish(p->queue, error);
    if (status == TRAWL_OK)
        status = open_texture(p, error);
    if (status == TRAWL_OK)
        status = plan_prepare(p, error);
    if (status != TRAWL_OK) {
        drop(u, l);
        return status;
    }
    l->of = plan;
    l->stage = stage;
    l->checksum = plan_head(plan)->checksum;
    l->turn = u->turn;
    return TRAWL_OK;
}

int load_parts(used_device *u, const tuning *tuning, const trawl_plan *plan, bool carries,
               const bool fallback[MAX_PARTS], trawl_error *error)
{
    const plan_part *parts = plan_parts(plan);
    int status = TRAWL_OK;
    for (u32 i = 0; i < plan_head(plan)->part_count && status == TRAWL_OK; i++) {
        const plan_stage *first = searching_stage(plan, &parts[i], fallback[i]);
        const plan_stage *last = part_fallback(plan, &parts[i]);
        if ((parts[i].carries != 0) != carries)
            continue;
        if (!first || !has_kernels(plan, first))
            return fail(
                error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                "the plan's engines are '%s', which have no kernels for devices, or none for these "
                "patterns: compile it with this context (trawl_compile_options.context), and name "
                "no engine, or one that has them (as packed/bm, shiftand)",
                (const char *)plan_at(plan, PLAN_STRINGS) + plan_head(plan)->engine);
        status = load_stage(u, tuning, plan, &parts[i], first, error);
        if (status == TRAWL_OK && last && last != first)
            status = load_stage(u, tuning, plan, &parts[i], last, error);
    }
    return status;
}

device_plan *loaded_part(used_device *u, const trawl_plan *plan, const plan_part *part,
                         bool fallback)
{
    return &find(u, plan, searching_stage(plan, part, fallback))->plan;
}
