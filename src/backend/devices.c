/* devices.c: the backends opencl and cuda, which differ only in the device interface.
 *
 * Idea: a slice is cut into pieces; free lanes (lane.h) take the next piece, whichever device
 * they belong to, so fast devices take more of them. Pieces overlap by the plan's reach, and a
 * match belongs to the piece that owns its end (its top row), as with slices.
 *
 * Plans that carry have no such reach: their pieces run one after the other on the first
 * device, each from the state that the last one left, while the next one is copied.
 *
 * Invariant: records beyond a slice's capacity are counted and not stored, as the driver
 * expects. When memory runs out the slice is tried again with fewer lanes, smaller pieces and room
 * for fewer records; when that does not help the CPU does it, and a warning says so.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/lane.h"

#define LEAST_PIECE (64u << 10)
#define GPU_PIECE (16u << 20)
#define CPU_PIECE (8u << 20)
#define GPU_QUEUES 3u
#define CPU_QUEUES 1u
#define PIECES_OVER_REACH 8u
#define LEAST_CAPACITY 4096u /* records */

enum { MOST_DEVICES = 64 };

/* How much room a slice is given. What a plan was content with is tried first next time. */
typedef struct attempt {
    u32 piece;     /* bytes */
    u32 lanes;     /* a device */
    u32 shrinking; /* times that records were halved */
} attempt;

typedef struct device_room {
    const device_api *api;
    tuning tuning;
    attempt usual, next;
    uint64_t next_for; /* checksum of the plan that `next` is for */
    trawl_timing timing;
    char warning[256];
    u32 device_count;
    used_device devices[]; /* [device_count] */
} device_room;

/* ---- opening ------------------------------------------------------------------ */

static int no_devices(const device_api *api, const char *why, trawl_error *error)
{
    return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE, "the backend %s has no device: %s",
                api->name, why);
}

/* Read "0,2" or "all" (NULL: "0") into a set of device numbers. */
static int read_devices(const char *text, size_t count, bool chosen[MOST_DEVICES],
                        trawl_error *error)
{
    memset(chosen, 0, MOST_DEVICES * sizeof *chosen);
    if (text && strcmp(text, "all") == 0) {
        for (size_t i = 0; i < count; i++)
            chosen[i] = true;
        return TRAWL_OK;
    }
    for (const char *at = text ? text : "0";; at++) {
        char *end;
        const unsigned long number = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : count;
        if (number >= count || (*end && *end != ','))
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                        "device '%.40s': give numbers from 0 to %zu, as in 0,1, or all", text,
                        count - 1);
        if (chosen[number])
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "device %lu is named twice",
                        number);
        chosen[number] = true;
        at = end;
        if (!*at)
            return TRAWL_OK;
    }
}

static int open_device(device_room *room, size_t index, used_device *u, trawl_error *error)
{
    int status = room->api->open(index, &u->device, error);
    if (status != TRAWL_OK)
        return status;
    const device_info *info = &u->device->info;
    const u32 queues = tuned(room->tuning.queues, info->cpu ? CPU_QUEUES : GPU_QUEUES);
    u->mapped = tuned(room->tuning.mapped, info->shares_memory) == 1;
    u->most = room->tuning.memory == TUNE_AUTO ? UINT64_MAX : (u64)room->tuning.memory << 20;
    if (room->usual.piece == 0)
        room->usual.piece = room->tuning.piece == TUNE_AUTO ? info->cpu ? CPU_PIECE : GPU_PIECE
                                                            : room->tuning.piece << 10;
    room->usual.lanes = MOST_LANES;
    for (; u->lane_count < queues && status == TRAWL_OK; u->lane_count++)
        status = lane_open(u, &u->lanes[u->lane_count], error);
    return status;
}

static void unload_plan(used_device *u)
{
    const device_api *api = u->device->api;
    device_plan *p = &u->plan;
    if (p->texture.handle || p->texture.number)
        api->texture_close(u->device, &p->texture);
    plan_release(p);
    unused_buffer(u, &p->tables);
    memset(p, 0, sizeof *p);
    u->loaded = NULL;
}

static void close_devices(worker *w)
{
    device_room *room = w->state;
    for (u32 i = 0; room && i < room->device_count; i++) {
        used_device *u = &room->devices[i];
        if (!u->device)
            continue;
        unload_plan(u);
        for (u32 k = 0; k < MOST_LANES; k++)
            lane_close(&u->lanes[k]);
        room->api->close(u->device);
    }
    free(room);
    w->state = NULL;
}

static int open_devices(worker *w, const char *name, trawl_error *error)
{
    const device_api *api = device_api_by_name(name);
    bool chosen[MOST_DEVICES];
    tuning read;
    char why[256] = "";
    size_t count = 0;
    if (!api)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE, "this build has no backend %s: %s",
                    name,
                    strcmp(name, "cuda") == 0 ? "build it where the CUDA toolkit is installed"
                                              : "build it where ocl-icd-opencl-dev is installed");
    int status = tuning_read(w->options.tuning, &read, error);
    if (status != TRAWL_OK)
        return status;
    if (w->options.threads || w->options.chunks || w->options.schedule)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "threads, chunks and schedule are for the CPU backends, not %s: leave them "
                    "out, and see `trawl devices --tuning`",
                    name);
    api->list(NULL, 0, &count, why);
    if (count == 0)
        return no_devices(api, why, error);
    if (count > MOST_DEVICES)
        count = MOST_DEVICES;
    status = read_devices(w->options.device, count, chosen, error);
    if (status != TRAWL_OK)
        return status;
    device_room *room = calloc(1, sizeof *room + count * sizeof *room->devices);
    if (!room)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for a context");
    room->api = api;
    room->tuning = read;
    w->state = room;
    w->threads = 1;
    for (size_t i = 0; i < count && status == TRAWL_OK; i++)
        if (chosen[i])
            status = open_device(room, i, &room->devices[room->device_count++], error);
    if (status != TRAWL_OK)
        close_devices(w);
    return status;
}

static int open_opencl(worker *w, trawl_error *error)
{
    return open_devices(w, "opencl", error);
}

static int open_cuda(worker *w, trawl_error *error)
{
    return open_devices(w, "cuda", error);
}

/* ---- plans --------------------------------------------------------------------- */

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

static int take(device_plan *p, size_t bytes, device_buffer *b, trawl_error *error)
{
    return used_buffer((used_device *)p->owner, BUFFER_DEVICE, bytes, b, error);
}

static void give(device_plan *p, device_buffer *b)
{
    unused_buffer((used_device *)p->owner, b);
}

static walk_facts facts_of(const trawl_plan *plan)
{
    const plan_header *head = plan_head(plan);
    return (walk_facts){
        .kind = (walk_kind)head->engine,
        .tables = plan_tables(plan),
        .bytes = (size_t)head->section[PLAN_ENGINE].bytes,
        .min_length = head->min_length,
        .max_length = head->max_length,
        .state_words = head->state_words,
        .carries = head->carries,
        .cell_size = head->cell_size,
    };
}

static int load_plan(const device_room *room, used_device *u, const trawl_plan *plan,
                     trawl_error *error)
{
    const uint64_t checksum = plan_head(plan)->checksum;
    if (u->loaded == plan && u->checksum == checksum)
        return TRAWL_OK;
    unload_plan(u);
    device_plan *p = &u->plan;
    p->device = u->device;
    p->queue = u->lanes[0].queue;
    p->facts = facts_of(plan);
    p->walk = device_walk_of(p->facts.kind);
    p->tuning = room->tuning;
    p->take = take;
    p->give = give;
    p->owner = u;
    const size_t bytes = p->facts.bytes;
    int status = used_buffer(u, BUFFER_DEVICE, (bytes + 255) / 256 * 256 + 256, &p->tables, error);
    if (status == TRAWL_OK)
        status = room->api->write(p->queue, &p->tables, 0, p->facts.tables, bytes, NULL, error);
    if (status == TRAWL_OK)
        status = room->api->finish(p->queue, error);
    if (status == TRAWL_OK)
        status = open_texture(p, error);
    if (status == TRAWL_OK)
        status = plan_prepare(p, error);
    if (status != TRAWL_OK) {
        unload_plan(u);
        return status;
    }
    u->checksum = checksum;
    u->loaded = plan;
    return TRAWL_OK;
}

/* ---- lanes of all devices ---------------------------------------------------------- */

/* The plan is on the first `devices` devices. */
static int load_plans(device_room *room, const trawl_plan *plan, u32 devices, trawl_error *error)
{
    int status = TRAWL_OK;
    for (u32 i = 0; i < devices && status == TRAWL_OK; i++)
        status = load_plan(room, &room->devices[i], plan, error);
    return status;
}

/* Whether the plan that is loaded reads text through textures. */
static bool textured(const device_room *room)
{
    return room->devices[0].plan.walk->texts_texture && room->tuning.texture == 1;
}

/* Bytes of text that a piece may have: a texture over it must hold them. */
static u64 piece_bytes(const device_room *room, const attempt *a)
{
    u64 bytes = a->piece;
    if (!textured(room))
        return bytes;
    for (u32 i = 0; i < room->device_count; i++) {
        const u64 words = room->devices[i].device->info.texture_words;
        if (words > TEXT_PADDING && 4 * words - 2 * TEXT_PADDING < bytes)
            bytes = 4 * words - 2 * TEXT_PADDING;
    }
    return bytes;
}

/* Every lane gets its room before any work begins, so that a lack of memory nearly always
 * shows here. `devices`, `lanes`: how many take part. */
static int reserve(device_room *room, u32 devices, u32 lanes, size_t bytes, u64 length, u64 cols,
                   u64 records, trawl_error *error)
{
    int status = TRAWL_OK;
    for (u32 i = 0; i < devices && status == TRAWL_OK; i++) {
        used_device *u = &room->devices[i];
        const device_walk *walk = u->plan.walk;
        for (u32 k = 0; k < lanes && k < u->lane_count && status == TRAWL_OK; k++) {
            const size_t scratch =
                walk->scratch_bytes ? walk->scratch_bytes(&u->plan, length, cols) : 0;
            status = lane_reserve(&u->lanes[k], bytes, textured(room), scratch, records, error);
        }
    }
    return status;
}

static void release(device_room *room)
{
    for (u32 i = 0; i < room->device_count; i++)
        for (u32 k = 0; k < room->devices[i].lane_count; k++)
            lane_release(&room->devices[i].lanes[k]);
}

/* A lane that is idle: one that never worked, or the first found to be done. */
static int idle_lane(device_room *room, u32 lanes, lane **found, trawl_error *error)
{
    u32 busy = 0;
    lane *only = NULL;
    for (;;) {
        for (u32 k = 0; k < lanes; k++) {
            for (u32 i = 0; i < room->device_count; i++) {
                lane *l = &room->devices[i].lanes[k];
                if (k >= room->devices[i].lane_count)
                    continue;
                *found = l;
                if (!l->busy)
                    return TRAWL_OK;
                if (room->api->event_done(l->into->capacity ? &l->read : &l->counted))
                    return lane_collect(l, &room->timing, error);
                only = l;
                busy++;
            }
        }
        if (busy == 1) {
            *found = only;
            return lane_collect(only, &room->timing, error);
        }
        busy = 0;
        sched_yield();
    }
}

/* Collect what is under way; after an error only wait for it. */
static int drain(device_room *room, int status, trawl_error *error)
{
    for (u32 i = 0; i < room->device_count; i++) {
        for (u32 k = 0; k < room->devices[i].lane_count; k++) {
            lane *l = &room->devices[i].lanes[k];
            if (l->busy && status == TRAWL_OK)
                status = lane_collect(l, &room->timing, error);
            else if (status != TRAWL_OK)
                room->api->finish(l->queue, NULL);
            l->busy = false;
        }
    }
    return status;
}

/* ---- text ------------------------------------------------------------------------- */

static int run_pieces(device_room *room, const text_job *job, slice *s, u32 lanes, u32 piece,
                      u32 reach, trawl_error *error)
{
    int status = TRAWL_OK;
    for (u32 at = s->begin; at < s->end && status == TRAWL_OK;) {
        const u32 end = s->end - at > piece ? at + piece : s->end;
        const u32 from = at - s->from > reach ? at - reach : s->from;
        lane *l;
        status = idle_lane(room, lanes, &l, error);
        if (status == TRAWL_OK)
            status = lane_bring_text(l, job, from, at, end, error);
        if (status == TRAWL_OK)
            status = lane_run_text(l, s, error);
        at = end;
    }
    return drain(room, status, error);
}

/* One after the other, on one device; the next piece is brought while one runs. */
static int run_carrying(device_room *room, const text_job *job, slice *s, u32 lanes, u32 piece,
                        trawl_error *error)
{
    used_device *u = &room->devices[0];
    const u32 turns = lanes < u->lane_count ? lanes : u->lane_count;
    u32 at = s->begin, turn = 0;
    u32 end = s->end - at > piece ? at + piece : s->end;
    int status = lane_bring_text(&u->lanes[0], job, at, at, end, error);
    while (at < s->end && status == TRAWL_OK) {
        lane *l = &u->lanes[turn], *next = &u->lanes[(turn + 1) % turns];
        const u32 after = s->end - end > piece ? end + piece : s->end;
        if (next != l && end < s->end)
            status = lane_bring_text(next, job, end, end, after, error);
        if (status == TRAWL_OK)
            status = lane_run_text(l, s, error);
        if (status == TRAWL_OK)
            status = lane_collect(l, &room->timing, error);
        if (status == TRAWL_OK && next == l && end < s->end)
            status = lane_bring_text(next, job, end, end, after, error);
        at = end;
        end = after;
        turn = (turn + 1) % turns;
    }
    return drain(room, status, error);
}

static int text_on_devices(device_room *room, const attempt *a, const void *work, slice *s,
                           trawl_error *error)
{
    const text_job *job = work;
    const plan_header *head = plan_head(job->plan);
    const u32 reach = head->carries ? 0 : (u32)(head->max_length - 1);
    const u32 devices = head->carries ? 1 : room->device_count;
    const u32 lanes = head->carries && a->lanes > 2 ? 2 : a->lanes;
    int status = load_plans(room, job->plan, devices, error);
    if (status != TRAWL_OK)
        return status;
    const u64 usual = piece_bytes(room, a), wide = (u64)reach * PIECES_OVER_REACH;
    const u64 piece = usual > wide ? usual : wide;
    const u64 length = s->end - s->begin < piece ? s->end - s->begin : piece;
    status = reserve(room, devices, lanes, (size_t)(length + reach), length + reach, 0, s->capacity,
                     error);
    if (status != TRAWL_OK)
        return status;
    return head->carries ? run_carrying(room, job, s, lanes, (u32)length, error)
                         : run_pieces(room, job, s, lanes, (u32)length, reach, error);
}

/* ---- grids ------------------------------------------------------------------------ */

static int grid_on_devices(device_room *room, const attempt *a, const void *work, slice *s,
                           trawl_error *error)
{
    const grid_job *job = work;
    const plan_header *head = plan_head(job->plan);
    const u64 overlap = head->max_length - 1, tops = s->end - s->begin;
    const u64 stride = lane_stride(job->cols, head->cell_size);
    u64 rows = a->piece / stride;
    rows = rows > 4 * overlap ? rows - overlap : 3 * overlap + 1; /* tops of a piece */
    rows = rows < tops ? rows : tops;
    const u64 most = rows + overlap < job->rows ? rows + overlap : job->rows;
    int status = load_plans(room, job->plan, room->device_count, error);
    if (status == TRAWL_OK)
        status = reserve(room, room->device_count, a->lanes, (size_t)(most * stride),
                         most * job->cols, job->cols, s->capacity, error);
    for (u64 at = s->begin; at < s->end && status == TRAWL_OK; at += rows) {
        const u64 end = s->end - at > rows ? at + rows : s->end;
        const u64 bottom = end + overlap < job->rows ? end + overlap : job->rows;
        lane *l;
        status = idle_lane(room, a->lanes, &l, error);
        if (status == TRAWL_OK)
            status = lane_bring_rows(l, job, (u32)at, (u32)bottom, (u32)(end - at), error);
        if (status == TRAWL_OK)
            status = lane_run_grid(l, s, error);
    }
    return drain(room, status, error);
}

/* ---- when memory runs out -------------------------------------------------------------- */

/* Ask for less. False when that is too little to be worth it. */
static bool ask_less(device_room *room, attempt *a)
{
    release(room);
    if (a->lanes > 1) {
        a->lanes = 1;
        return true;
    }
    if (a->piece <= LEAST_PIECE)
        return false;
    a->piece /= 2;
    a->shrinking++;
    return true;
}

/* Room for the records of a slice. Those that find none are counted, and the driver scans the
 * slice again in stretches; a single byte or row cannot be cut so. */
static u64 fewer_records(const slice *s, u64 capacity, u32 shrinking)
{
    return s->end - s->begin > 1 && capacity >> shrinking > LEAST_CAPACITY ? capacity >> shrinking
                                                                           : capacity;
}

typedef int (*on_devices)(device_room *room, const attempt *a, const void *job, slice *s,
                          trawl_error *error);

/* Run one slice on the devices, however little memory they have. TRAWL_ERROR_MEMORY: not even so;
 * the slice and its state are then as before. */
static int run_slice(device_room *room, const trawl_plan *plan, const void *job, slice *s,
                     on_devices run, trawl_error *error)
{
    const plan_header *head = plan_head(plan);
    const size_t state = head->carries ? (size_t)head->state_words * sizeof(u64) : 0;
    const u64 capacity = s->capacity;
    const trawl_timing before = room->timing;
    u64 *saved = state ? malloc(state) : NULL;
    if (state && !saved)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for a state");
    if (state)
        memcpy(saved, s->state, state);
    if (room->next_for != head->checksum || room->next.piece == 0)
        room->next = room->usual;
    room->next_for = head->checksum;
    int status;
    do {
        s->count = 0;
        s->capacity = fewer_records(s, capacity, room->next.shrinking);
        room->timing = before;
        if (state)
            memcpy(s->state, saved, state);
        status = run(room, &room->next, job, s, error);
    } while (status == TRAWL_ERROR_MEMORY && ask_less(room, &room->next));
    if (status == TRAWL_ERROR_MEMORY) {
        room->timing = before;
        s->capacity = capacity;
        if (state)
            memcpy(s->state, saved, state);
    }
    free(saved);
    return status;
}

static void warn_of_memory(device_room *room, u64 bytes, const trawl_error *error)
{
    room->timing.on_cpu += bytes;
    snprintf(room->warning, sizeof room->warning,
             "the CPU did what the device had no memory for: %.180s", error->message);
}

static int devices_text(worker *w, const text_job *job, trawl_error *error)
{
    device_room *room = w->state;
    int status = TRAWL_OK;
    for (size_t i = 0; i < job->count && status == TRAWL_OK; i++) {
        slice *s = &job->slices[i];
        trawl_error why = { 0 };
        status = run_slice(room, job->plan, job, s, text_on_devices, &why);
        if (status == TRAWL_ERROR_MEMORY) {
            warn_of_memory(room, s->end - s->begin, &why);
            status = slice_run_text(job, s);
        }
        if (status != TRAWL_OK && error)
            *error = why;
    }
    return status;
}

static int devices_grid(worker *w, const grid_job *job, trawl_error *error)
{
    device_room *room = w->state;
    int status = TRAWL_OK;
    for (size_t i = 0; i < job->count && status == TRAWL_OK; i++) {
        slice *s = &job->slices[i];
        trawl_error why = { 0 };
        status = run_slice(room, job->plan, job, s, grid_on_devices, &why);
        if (status == TRAWL_ERROR_MEMORY) {
            warn_of_memory(room, (u64)(s->end - s->begin) * job->stride, &why);
            status = slice_run_grid(job, s);
        }
        if (status != TRAWL_OK && error)
            *error = why;
    }
    return status;
}

static void devices_timing(worker *w, trawl_timing *timing)
{
    device_room *room = w->state;
    const size_t size = timing->size;
    *timing = room->timing;
    timing->size = size;
    memset(&room->timing, 0, sizeof room->timing);
}

static const char *devices_warning(const worker *w)
{
    const device_room *room = w->state;
    return room->warning[0] ? room->warning : NULL;
}

const backend backend_opencl = {
    .name = "opencl",
    .about = "GPUs, CPUs and others through OpenCL",
    .whole = true,
    .open = open_opencl,
    .close = close_devices,
    .run_text = devices_text,
    .run_grid = devices_grid,
    .timing = devices_timing,
    .warning = devices_warning,
};

const backend backend_cuda = {
    .name = "cuda",
    .about = "NVIDIA GPUs through CUDA",
    .whole = true,
    .open = open_cuda,
    .close = close_devices,
    .run_text = devices_text,
    .run_grid = devices_grid,
    .timing = devices_timing,
    .warning = devices_warning,
};
