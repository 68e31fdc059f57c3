/* devices.c: the backends opencl and cuda, which differ only in the device interface.
 *
 * Idea: a slice is a piece, or is cut into several when memory is short. Carriers (belt.h) take the
 * next slice, whichever device they belong to, so fast devices take more of them. Pieces overlap by
 * the plan's reach, and a match belongs to the piece that owns its end (its top row), as with
 * slices.
 *
 * Parts that carry have no such reach: their pieces run one after the other on the first
 * device, each from the state that the last one left, while the next one is copied.
 *
 * A text that is in a device's memory already (held.h) is searched by that device alone.
 *
 * Invariant: records beyond a slice's capacity are counted and not stored, as the driver
 * expects. When memory runs out the job is tried again with fewer lanes, smaller pieces and room
 * for fewer records; when that does not help, the driver takes the CPU.
 */
#include <string.h>

#include "backend/cpu.h"
#include "backend/room.h"

#define MIN_PIECE (64u << 10)
#define HELD_CARRIERS 4u
#define HELD_QUEUES 8u /* of a text that nobody copies */
#define HELD_BANDS 8u  /* a piece of rows that are brought on the device is this many times
                          smaller */
#define MIN_LANES 2u   /* one is filled while the other computes */
#define BUSY_CORES 4u  /* with this number of cores, three copy */
#define PIECES_OVER_REACH 8u
#define MIN_CAPACITY 4096u /* records */
#define BYTES_A_RECORD 8u  /* of text, where memory is not short: as much as the text takes */

/* slice_bytes is set when the devices are open. A device that gets less is not busy. */
#define DEVICE_LIMITS                                                                              \
    {                                                                                              \
        .first_window = 64u << 20, .carries_whole = true                                           \
    }

/* ---- opening ------------------------------------------------------------------ */

static int open_opencl(worker *w, trawl_error *error)
{
    return open_devices(w, "opencl", error);
}

static int open_cuda(worker *w, trawl_error *error)
{
    return open_devices(w, "cuda", error);
}

/* ---- lanes of all devices ---------------------------------------------------------- */

/* Whether the stages that a job begins with read text through textures. */
static bool textured(const device_room *room, const trawl_plan *plan,
                     const bool fallback[MAX_PARTS])
{
    const plan_part *parts = plan_parts(plan);
    bool any = false;
    for (u32 i = 0; i < plan_head(plan)->part_count; i++) {
        const plan_stage *stage = searching_stage(plan, &parts[i], fallback[i]);
        any = any || (stage && device_walk_of((walk_kind)stage->kind)->texts_texture);
    }
    return any && room->tuning.texture == 1;
}

/* Bytes of text that a piece may have: a texture over it must hold them. */
static u64 piece_bytes(const device_room *room, const attempt *a, bool textured)
{
    u64 bytes = a->piece;
    if (!textured)
        return bytes;
    for (u32 i = 0; i < room->device_count; i++) {
        const u64 words = room->devices[i].device->info.texture_words;
        if (words > TEXT_PADDING && 4 * words - 2 * TEXT_PADDING < bytes)
            bytes = 4 * words - 2 * TEXT_PADDING;
    }
    return bytes;
}

/* What a job asks of each lane. */
typedef struct demand {
    const trawl_plan *plan;
    const bool *fallback;
    bool carries;              /* the parts that carry, or those that do not */
    bool held;                 /* the text is there already: nobody copies */
    u32 first, devices, lanes; /* that take part: devices from `first` on, lanes of each */
    u32 carriers;              /* of each */
    size_t bytes;              /* of text */
    u64 length, cols;          /* for device_walk.scratch_bytes */
    u64 records;
} demand;

/* The most scratch that a part, or its fallback, needs. */
static size_t scratch_of(used_device *u, const demand *d)
{
    const plan_part *parts = plan_parts(d->plan);
    size_t most = 0;
    for (u32 i = 0; i < 2 * plan_head(d->plan)->part_count; i++) {
        const plan_part *part = &parts[i / 2];
        if ((part->carries != 0) != d->carries)
            continue;
        const device_plan *p = loaded_part(u, d->plan, part, d->fallback[i / 2] || i % 2);
        const size_t bytes =
            p->walk->scratch_bytes ? p->walk->scratch_bytes(p, d->length, d->cols) : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* The plan's stages come to the devices, and every lane gets its room before any work begins, so
 * that a lack of memory nearly always shows here. */
static int reserve(device_room *room, const demand *d, trawl_error *error)
{
    const bool texture = textured(room, d->plan, d->fallback);
    int status = TRAWL_OK;
    for (u32 i = 0; i < d->devices && status == TRAWL_OK; i++) {
        used_device *u = &room->devices[d->first + i];
        status = load_parts(u, &room->tuning, d->plan, d->carries, d->fallback, error);
        if (status != TRAWL_OK)
            break;
        const size_t scratch = scratch_of(u, d);
        for (u32 k = 0; k < d->lanes && k < u->lane_count && status == TRAWL_OK; k++)
            status = lane_reserve(u, &u->lanes[k], !d->held, d->bytes, texture, scratch, d->records,
                                  error);
    }
    return status;
}

static void release(device_room *room)
{
    for (u32 i = 0; i < room->device_count; i++)
        for (u32 k = 0; k < room->devices[i].lane_count; k++)
            lane_release(&room->devices[i].lanes[k]);
}

/* Threads that carry to each device: one alone copies at a tenth of the rate of the way there, and
 * they sort and make matches besides. Some cores are left to others. */
static u32 carriers_of(const demand *d)
{
    const u32 cores = cpu_cores(), share = (cores - cores / BUSY_CORES) / d->devices;
    const u32 most = d->held ? HELD_CARRIERS : share;
    return d->lanes < most ? d->lanes : most ? most : 1;
}

/* Who carries, and by which lanes. */
static void staff(const device_room *room, demand *d)
{
    const u32 lanes = room->devices[d->first].lane_count;
    d->lanes = d->lanes < lanes ? d->lanes : lanes;
    d->carriers = d->carries ? 1 : tuned(room->tuning.carriers, carriers_of(d));
}

static void man(device_room *room, const demand *d)
{
    belt_man(&room->belt, &room->devices[d->first], d->devices, d->carriers, d->lanes);
}

/* ---- text ------------------------------------------------------------------------- */

/* A piece of a slice: bytes [begin, end) of the window, and `lead` bytes before it. */
typedef struct piece {
    u32 lead, begin, end;
} piece;

/* The piece that begins at `begin`, of up to `length` bytes. */
static piece cut_piece(const device_room *room, const text_job *job, const slice *s, u32 begin,
                       u32 length, bool carries)
{
    const held_text *held = &room->held;
    const u32 reach = carries ? 0 : (u32)plan_head(job->plan)->reach;
    const u32 rest = s->end - begin;
    piece p = { begin - s->from > reach ? reach : begin - s->from, begin, 0 };
    length = rest > length ? length : rest;
    if (!job->window) {
        const u64 at = held->begin + job->window_at + begin;
        p.lead = held_lead(held, at, p.lead, carries);
        length = held_length(held, at, p.lead, length, reach);
    }
    p.end = begin + length;
    return p;
}

static int bring(const device_room *room, const text_job *job, lane *l, piece p, trawl_error *error)
{
    if (job->window)
        return lane_bring_text(l, job, p.begin - p.lead, p.begin, p.end, error);
    return lane_bring_held(l, &room->held, room->held.begin + job->window_at, p.lead, p.begin,
                           p.end, error);
}

static int send_text(const haul *h, lane *l, slice *s, u32 *at, trawl_error *error)
{
    const device_room *room = h->user;
    const text_job *job = h->job;
    const piece p = cut_piece(room, job, s, *at, h->length, false);
    int status = lane_widen(l, s->capacity, error);
    if (status == TRAWL_OK)
        status = bring(room, job, l, p, error);
    *at = p.end;
    return status == TRAWL_OK ? lane_run_text(l, job, false, s, error) : status;
}

static void text_ready(const void *job, slice *s)
{
    const text_job *j = job;
    if (j->ready)
        j->ready(j, s);
}

static haul text_haul(device_room *room, const text_job *job, u32 length)
{
    return (haul){ .job = job,
                   .user = room,
                   .send = send_text,
                   .ready = text_ready,
                   .slices = job->slices,
                   .count = job->count,
                   .length = length };
}

static int run_pieces(device_room *room, const text_job *job, const demand *d, u32 length,
                      trawl_error *error)
{
    const haul h = text_haul(room, job, length);
    man(room, d);
    return belt_run(&room->belt, &h, error);
}

/* The same, and what is found stays there. */
static int run_keeping(device_room *room, const text_job *job, const demand *d, u32 length,
                       trawl_error *error)
{
    int status = TRAWL_OK;
    for (u32 i = 0; i < d->devices && status == TRAWL_OK; i++)
        status =
            kept_begin(&room->devices[d->first + i], job->plan, job->keeping, job->memory, error);
    if (status == TRAWL_OK)
        status = run_pieces(room, job, d, length, error);
    for (u32 i = 0; i < d->devices && status == TRAWL_OK; i++)
        status = kept_end(&room->devices[d->first + i], job->plan, job->keeping, job->memory,
                          &room->belt.times, error);
    for (u32 i = 0; i < d->devices && status != TRAWL_OK; i++)
        kept_abandon(&room->devices[d->first + i]);
    return status;
}

/* One after the other, on one device; the next piece is brought while one runs. */
static int run_carrying(device_room *room, const text_job *job, slice *s, const demand *d,
                        u32 length, trawl_error *error)
{
    used_device *u = &room->devices[d->first];
    const u32 turns = d->lanes < u->lane_count ? d->lanes : u->lane_count;
    u32 turn = 0;
    piece p = cut_piece(room, job, s, s->begin, length, true);
    u->copiers = room->belt.threads;
    int status = bring(room, job, &u->lanes[0], p, error);
    while (p.begin < s->end && status == TRAWL_OK) {
        lane *l = &u->lanes[turn], *next = &u->lanes[(turn + 1) % turns];
        const piece after = cut_piece(room, job, s, p.end, length, true);
        if (next != l && p.end < s->end)
            status = bring(room, job, next, after, error);
        if (status == TRAWL_OK)
            status = lane_run_text(l, job, true, s, error);
        if (status == TRAWL_OK)
            status = lane_collect(l, &room->belt.times, error);
        if (status == TRAWL_OK && next == l && p.end < s->end)
            status = bring(room, job, next, after, error);
        p = after;
        turn = (turn + 1) % turns;
    }
    for (u32 k = 0; status != TRAWL_OK && k < turns; k++)
        lane_give_up(&u->lanes[k]);
    return status;
}

/* Who runs what is there already. */
static void demand_there(const device_room *room, demand *d)
{
    d->held = true;
    d->first = room->held.index;
    d->devices = 1;
    d->lanes = d->lanes < HELD_QUEUES ? d->lanes : HELD_QUEUES;
    if (room->held.of->info.lone_parts)
        d->lanes = 1;
}

/* How a text that is there already is cut and run. */
static void demand_held(const device_room *room, demand *d, u32 reach, bool texture)
{
    demand_there(room, d);
    d->length += room->held.of->info.part_align; /* see held_lead */
    d->bytes = texture ? (size_t)d->length : held_room(&room->held, reach);
}

/* Bytes that a piece owns, if the slice has as many. A text that is there already is searched
 * faster than small pieces can be started. */
static u64 piece_length(const device_room *room, const attempt *a, u32 reach, bool texture,
                        bool held)
{
    const u64 usual = piece_bytes(room, a, texture), wide = (u64)reach * PIECES_OVER_REACH;
    const u64 least = held && !texture && a->shrinking == 0 ? room->held_piece : 0;
    const u64 piece = usual > wide ? usual : wide;
    return piece > least ? piece : least;
}

/* The parts of the plan that carry, or those that do not, over all slices. */
static int run_group(device_room *room, const attempt *a, const text_job *job, bool carries,
                     trawl_error *error)
{
    const u32 reach = carries ? 0 : (u32)plan_head(job->plan)->reach;
    const bool texture = textured(room, job->plan, job->fallback);
    const u64 piece = piece_length(room, a, reach, texture, !job->window);
    demand d = { .plan = job->plan, .fallback = job->fallback, .carries = carries };
    for (size_t i = 0; i < job->count; i++) {
        const slice *s = &job->slices[i];
        d.length = s->end - s->begin > d.length ? s->end - s->begin : d.length;
        d.records = s->capacity > d.records ? s->capacity : d.records;
    }
    const u64 pieces = job->count * ((d.length - 1) / piece + 1);
    const u64 length = d.length < piece ? d.length : piece;
    d.devices = carries ? 1 : room->device_count;
    d.lanes = carries && a->lanes > 2 ? 2 : a->lanes;
    d.length = d.bytes = (size_t)(length + reach);
    if (pieces / d.devices < d.lanes)
        d.lanes = (u32)(pieces / d.devices) + 1;
    if (!job->window)
        demand_held(room, &d, reach, texture);
    staff(room, &d);
    if (d.records && a->lanes > 1 && a->shrinking == 0 && length / BYTES_A_RECORD > d.records)
        d.records = length / BYTES_A_RECORD;
    if (job->keeping)
        d.records = kept_records(d.length);
    int status = reserve(room, &d, error);
    if (status == TRAWL_OK && job->keeping)
        status = run_keeping(room, job, &d, (u32)length, error);
    else if (status == TRAWL_OK && !carries)
        status = run_pieces(room, job, &d, (u32)length, error);
    for (size_t i = 0; carries && i < job->count && status == TRAWL_OK; i++)
        status = run_carrying(room, job, &job->slices[i], &d, (u32)length, error);
    return status;
}

static int text_on_devices(device_room *room, const attempt *a, const void *work,
                           trawl_error *error)
{
    const text_job *job = work;
    int status = TRAWL_OK;
    for (size_t i = 0; i < job->count && job->widen; i++)
        job->widen(job, &job->slices[i], 0);
    for (u32 i = 0; i < 2 && status == TRAWL_OK; i++) {
        bool any = false;
        for (u32 k = 0; k < plan_head(job->plan)->part_count; k++)
            any = any || plan_parts(job->plan)[k].carries == i;
        if (any)
            status = run_group(room, a, job, i == 1, error);
    }
    return status;
}

/* ---- grids ------------------------------------------------------------------------ */

static held_rows rows_held(const device_room *room, const grid_job *job)
{
    const u32 cell_size = plan_head(job->plan)->cell_size;
    return (held_rows){ room->held.begin + job->window_at, job->stride, (u64)job->cols * cell_size,
                        cell_size };
}

/* Send rows of a held grid: in place, as far as the buffer and `length` allow; else as many as a
 * lane has room for. */
static int send_held_rows(const haul *h, lane *l, u32 top, u32 *end, trawl_error *error)
{
    const device_room *room = h->user;
    const grid_job *job = h->job;
    const held_rows g = rows_held(room, job);
    const u64 overlap = plan_head(job->plan)->reach, stop = held_rows_stop(&room->held, &g);
    u32 bottom = smaller(*end + overlap, job->rows);
    const bool in_place = bottom <= stop || top + overlap < stop;
    const u64 room_end = in_place ? stop : (u64)top + lane_rows(l, job->cols, g.cell_size);
    if (bottom > room_end) {
        bottom = (u32)room_end;
        *end = bottom - (u32)overlap;
    }
    return lane_bring_held_rows(l, &room->held, &g, job, in_place, top, bottom, *end - top, error);
}

static int send_rows(const haul *h, lane *l, slice *s, u32 *at, trawl_error *error)
{
    const grid_job *job = h->job;
    const u64 overlap = plan_head(job->plan)->reach;
    const u32 top = *at;
    u32 end = s->end - top > h->length ? top + h->length : s->end;
    const int status = job->window ? lane_bring_rows(l, job, top, smaller(end + overlap, job->rows),
                                                     end - top, error)
                                   : send_held_rows(h, l, top, &end, error);
    *at = end;
    return status == TRAWL_OK ? lane_run_grid(l, job, s, error) : status;
}

/* How a grid that is there already is cut and run; returns the bytes of a piece. Where rows are
 * brought one lane's are while the other's are searched, and a piece is long enough that to queue
 * it takes no time. */
static u64 demand_held_rows(const device_room *room, const attempt *a, const grid_job *job,
                            demand *d)
{
    const held_rows g = rows_held(room, job);
    const bool suits = held_rows_stop(&room->held, &g) > 0;
    const u32 usual = a->shrinking ? 0 : room->held_piece / (suits ? 1 : HELD_BANDS);
    demand_there(room, d);
    if (!suits && d->lanes > MIN_LANES)
        d->lanes = MIN_LANES;
    if (suits) /* the last rows, perhaps */
        d->bytes = (size_t)((plan_head(job->plan)->reach + TEXT_PADDING / job->stride + 2) *
                            lane_stride(job->cols, plan_head(job->plan)->cell_size));
    return usual > a->piece ? usual : a->piece;
}

static int grid_on_devices(device_room *room, const attempt *a, const void *work,
                           trawl_error *error)
{
    const grid_job *job = work;
    const plan_header *head = plan_head(job->plan);
    const u64 overlap = head->reach, stride = lane_stride(job->cols, head->cell_size);
    u64 tops = 0, piece = a->piece;
    demand d = { .plan = job->plan, .fallback = job->fallback, .cols = job->cols };
    for (size_t i = 0; i < job->count; i++) {
        const slice *s = &job->slices[i];
        tops = s->end - s->begin > tops ? s->end - s->begin : tops;
        d.records = s->capacity > d.records ? s->capacity : d.records;
    }
    d.devices = room->device_count;
    d.lanes = a->lanes;
    if (!job->window)
        piece = demand_held_rows(room, a, job, &d);
    u64 rows = piece / stride;
    rows = rows > 4 * overlap ? rows - overlap : 3 * overlap + 1; /* tops of a piece */
    rows = rows < tops ? rows : tops;
    const u64 most = rows + overlap < job->rows ? rows + overlap : job->rows;
    const u64 pieces = job->count * ((tops - 1) / rows + 1);
    if (d.held && pieces < d.lanes)
        d.lanes = (u32)pieces + 1;
    if (d.bytes == 0)
        d.bytes = (size_t)(most * stride);
    d.length = most * job->cols;
    const haul h = { .job = job,
                     .user = room,
                     .send = send_rows,
                     .slices = job->slices,
                     .count = job->count,
                     .length = (u32)rows };
    staff(room, &d);
    const int status = reserve(room, &d, error);
    if (status != TRAWL_OK)
        return status;
    man(room, &d);
    return belt_run(&room->belt, &h, error);
}

/* ---- when memory runs out -------------------------------------------------------------- */

/* Ask for less. False when that is too little to be worth it. */
static bool ask_less(device_room *room, attempt *a, const trawl_plan *plan)
{
    release(room);
    for (u32 i = 0; i < room->device_count; i++)
        unload(&room->devices[i], plan);
    if (a->lanes > 1) {
        a->lanes = 1;
        return true;
    }
    if (a->piece <= MIN_PIECE)
        return false;
    a->piece /= 2;
    a->shrinking++;
    return true;
}

/* Room for the records of a slice. Those that find none are counted, and the driver scans the
 * slice again in stretches; a single byte or row cannot be cut so. */
static u64 fewer_records(const slice *s, u64 capacity, u32 shrinking)
{
    return s->end - s->begin > 1 && capacity >> shrinking > MIN_CAPACITY ? capacity >> shrinking
                                                                         : capacity;
}

typedef int (*run_fn)(device_room *room, const attempt *a, const void *job, trawl_error *error);

/* Run all slices of a job, however little memory the devices have. TRAWL_ERROR_MEMORY: not even
 * so. All slices have the same capacity; where a plan carries there is one, with a state. `kept`:
 * what its keeping has counted, or NULL. */
static int run_job(worker *w, const trawl_plan *plan, const void *job, slice *slices, size_t count,
                   _Atomic u64 *kept, run_fn run, trawl_error *error)
{
    device_room *room = w->state;
    const plan_header *head = plan_head(plan);
    const u64 kept_before = kept ? *kept : 0;
    const size_t state = head->carries ? (size_t)head->state_words * sizeof(u64) : 0;
    const u64 capacity = slices[0].capacity;
    const spent before = room->belt.times;
    u64 *saved = state ? memory_take(w->memory, state) : NULL;
    if (state && !saved)
        return memory_failed(w->memory, error, "a state");
    if (state)
        memcpy(saved, slices[0].state, state);
    if (room->next_for != head->checksum || room->next.piece == 0)
        room->next = room->usual;
    room->next_for = head->checksum;
    int status;
    do {
        for (size_t i = 0; i < count; i++) {
            slices[i].count = 0;
            slices[i].capacity = fewer_records(&slices[i], capacity, room->next.shrinking);
            for (u32 p = 0; p < MAX_PARTS; p++)
                slices[i].done[p] = slices[i].begin;
        }
        room->belt.times = before;
        if (kept)
            *kept = kept_before;
        if (state)
            memcpy(slices[0].state, saved, state);
        status = run(room, &room->next, job, error);
    } while (status == TRAWL_ERROR_MEMORY && ask_less(room, &room->next, plan));
    if (status == TRAWL_ERROR_MEMORY) {
        room->belt.times = before;
        for (size_t i = 0; i < count; i++) {
            slices[i].count = 0;
            slices[i].capacity = capacity;
        }
        if (state)
            memcpy(slices[0].state, saved, state);
    }
    memory_give(w->memory, saved);
    return status;
}

/* ---- one job after the other ------------------------------------------------------------ */

/* While the belt is led: lanes have room for any job of the plan, or for fewer of its records; the
 * driver scans again what found none, in the end byte by byte, for which lanes grow. */
static haul led_haul(device_room *room, const text_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        slice *s = &job->slices[i];
        const bool one_byte = s->end - s->begin == 1;
        s->count = 0;
        if (!one_byte && s->capacity > room->led_records)
            s->capacity = room->led_records;
        for (u32 p = 0; p < MAX_PARTS; p++)
            s->done[p] = s->begin;
    }
    return text_haul(room, job, room->led_length);
}

static void devices_start(worker *w, const text_job *job)
{
    device_room *room = w->state;
    const haul h = led_haul(room, job);
    belt_put(&room->belt, &h);
}

static int devices_finish(worker *w, const text_job *job, trawl_error *error)
{
    device_room *room = w->state;
    return belt_wait(&room->belt, job, error);
}

/* Where memory was short, jobs come one by one. */
static bool devices_lead(worker *w, const trawl_plan *plan, bool held, bool records,
                         void (*lead)(void *user), void *user)
{
    static const bool first[MAX_PARTS] = { false };
    device_room *room = w->state;
    const plan_header *head = plan_head(plan);
    const u32 reach = (u32)head->reach;
    const bool texture = textured(room, plan, first);
    const u64 piece = piece_length(room, &room->usual, reach, texture, held);
    const bool short_of_memory = room->next_for == head->checksum &&
                                 (room->next.lanes != room->usual.lanes || room->next.shrinking);
    demand d = { .plan = plan, .fallback = first, .devices = room->device_count };
    if (head->carries || short_of_memory || room->devices[0].lane_count < MIN_LANES)
        return false;
    d.lanes = room->usual.lanes;
    d.length = d.bytes = (size_t)(piece + reach);
    d.records = records ? piece / BYTES_A_RECORD : 0;
    if (held)
        demand_held(room, &d, reach, texture);
    staff(room, &d);
    if (reserve(room, &d, NULL) != TRAWL_OK)
        return false;
    man(room, &d);
    room->led_length = (u32)piece;
    room->led_records = d.records;
    return belt_lead(&room->belt, lead, user);
}

static int devices_text(worker *w, const text_job *job, trawl_error *error)
{
    device_room *room = w->state;
    if (room->belt.led) {
        const haul h = led_haul(room, job);
        return belt_run(&room->belt, &h, error);
    }
    return run_job(w, job->plan, job, job->slices, job->count,
                   job->keeping ? &job->keeping->count : NULL, text_on_devices, error);
}

static int devices_grid(worker *w, const grid_job *job, trawl_error *error)
{
    return run_job(w, job->plan, job, job->slices, job->count, NULL, grid_on_devices, error);
}

static void devices_drop(worker *w)
{
    device_room *room = w->state;
    used_device *u = &room->devices[room->held.index];
    for (u32 k = 0; k < u->lane_count; k++)
        lane_forget_held(&u->lanes[k]);
    room->api->buffer_close(u->device, &u->kept.matches);
    room->api->event_close(u->device, &room->held.ready);
    room->api->buffer_close(u->device, &room->held.buffer);
}

static int devices_hold(worker *w, const trawl_device_text *text, trawl_error *error)
{
    device_room *room = w->state;
    held_text *held = &room->held;
    if (text->device >= room->device_count)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "device is %u: the context has %u, counted from 0", text->device,
                    room->device_count);
    used_device *u = &room->devices[text->device];
    *held = (held_text){ .of = u->device, .index = text->device };
    int status = TRAWL_OK;
    if (text->memory) /* else it is empty */
        status = room->api->buffer_borrow(u->device, text->memory, text->offset, text->length,
                                          false, &held->buffer, &held->begin, error);
    if (status == TRAWL_OK && text->queue)
        status = room->api->mark(u->device, text->queue, &held->ready, error);
    for (u32 k = 0; text->queue && k < u->lane_count && k < HELD_QUEUES; k++) {
        if (status == TRAWL_OK)
            status = lane_open(u, &u->lanes[k], error);
        if (status == TRAWL_OK)
            status = room->api->await(u->lanes[k].queue, &held->ready, error);
    }
    if (status != TRAWL_OK)
        devices_drop(w);
    return status;
}

/* On the CPU: what prepares a job. */
static int devices_tasks(worker *w, trawl_task_fn task, void *job, uint32_t count,
                         trawl_error *error)
{
    device_room *room = w->state;
    const u32 cores = cpu_cores(), helpers = (cores < count ? cores : count) - 1;
    (void)error;
    pool_grow(room->belt.threads, helpers);
    pool_run(room->belt.threads, helpers, false, task, job, count);
    return TRAWL_OK;
}

static int devices_keep(worker *w, void *memory, size_t offset, u64 capacity, trawl_error *error)
{
    device_room *room = w->state;
    return kept_take(&room->devices[room->held.index], memory, offset, capacity, error);
}

static int devices_put(worker *w, void *memory, size_t offset, const void *from, size_t bytes,
                       trawl_error *error)
{
    device_room *room = w->state;
    return kept_put(&room->devices[room->held.index], &room->held.ready, memory, offset, from,
                    bytes, error);
}

static double devices_link(worker *w)
{
    device_room *room = w->state;
    if (room->link == 0)
        room->link = link_rate(room->devices, room->device_count);
    return room->link;
}

static void devices_timing(worker *w, trawl_timing *timing)
{
    device_room *room = w->state;
    const spent t = room->belt.times;
    const double all = t.timed_bytes ? (double)t.bytes / (double)t.timed_bytes : 1;
    *timing = (trawl_timing){ .kernel = t.kernel * all,
                              .to_device = t.to_device * all,
                              .from_device = t.from_device * all,
                              .pieces = t.pieces };
    memset(&room->belt.times, 0, sizeof room->belt.times);
}

static const device_calls device_table = {
    .hold = devices_hold,
    .drop = devices_drop,
    .lead = devices_lead,
    .start = devices_start,
    .finish = devices_finish,
    .keep = devices_keep,
    .put = devices_put,
    .link = devices_link,
    .timing = devices_timing,
};

/* Both, but for their names. */
#define DEVICE_BACKEND(opener)                                                                     \
    .limits = DEVICE_LIMITS, .open = opener, .close = close_devices, .run_text = devices_text,     \
    .run_grid = devices_grid, .run_tasks = devices_tasks, .device = &device_table

const backend backend_opencl = {
    .name = "opencl",
    .about = "GPUs, CPUs and others through OpenCL",
    DEVICE_BACKEND(open_opencl),
};

const backend backend_cuda = {
    .name = "cuda",
    .about = "NVIDIA GPUs through CUDA",
    DEVICE_BACKEND(open_cuda),
};
