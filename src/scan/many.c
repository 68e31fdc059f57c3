/* many.c: many small texts in one call, each by itself.
 *
 * If the context has threads, texts are scanned ahead in groups, a task for each group, into a room
 * that a group's texts share; then the caller's thread hands on their matches in order. A text that
 * is not small, or whose matches found no room, is scanned when its turn comes. A device gets them
 * in bundles (bundle.h).
 */
#include "scan/bundle.h"

#define CHECK_EVERY 16u /* texts: whether the call must end */
#define GROUP_TEXTS 128u
#define GROUP_RECORDS 1024u
#define MAX_GROUPS 64u

/* Texts that are scanned ahead together. */
typedef struct ahead {
    const trawl_context *context;
    const trawl_plan *plan;
    const budget *budget;
    const trawl_text *texts;
    size_t count;
    record *records;                          /* GROUP_RECORDS for each group */
    uint32_t found[MAX_GROUPS * GROUP_TEXTS]; /* matches of each text; NOT_YET: it is scanned when
                                                 its turn comes */
} ahead;

#define NOT_YET UINT32_MAX

static int check_many(const trawl_text *texts, size_t count, uint64_t base, trawl_error *error)
{
    if (!texts && count)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "texts is NULL");
    for (size_t i = 0; i < count; i++) {
        if (!texts[i].bytes && texts[i].length)
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "text %zu is NULL", i);
        int status = check_end(base, texts[i].length, error);
        if (status != TRAWL_OK)
            return status;
    }
    return TRAWL_OK;
}

/* ---- one after the other -------------------------------------------------- */

/* Scan text number `i` of the call when its turn comes. */
static int take_turn(trawl_context *context, delivery *d, const trawl_text *text, size_t i,
                     trawl_error *error)
{
    const int status = delivery_next(d, i, error);
    return status == TRAWL_OK ? text_deliver(context, d, text->bytes, text->length, error) : status;
}

static int scan_each(trawl_context *context, delivery *d, const trawl_text *texts, size_t count,
                     trawl_error *error)
{
    int status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        if (i % CHECK_EVERY == 0)
            status = budget_check(&d->out.budget);
        if (status == TRAWL_OK)
            status = take_turn(context, d, &texts[i], i, error);
    }
    return status;
}

/* ---- ahead, by threads ------------------------------------------------------ */

static void scan_group(void *job, uint32_t group)
{
    ahead *a = job;
    record *records = a->records + (size_t)group * GROUP_RECORDS;
    const size_t end = (size_t)(group + 1) * GROUP_TEXTS;
    size_t used = 0;
    bool ended = false;
    for (size_t i = (size_t)group * GROUP_TEXTS; i < end && i < a->count; i++) {
        uint64_t found = 0;
        a->found[i] = NOT_YET;
        ended = ended || (i % CHECK_EVERY == 0 && budget_check(a->budget) != TRAWL_OK);
        if (ended || !small_is(a->context, a->plan, a->texts[i].length) ||
            !small_scan(a->context, a->plan, &a->texts[i], records + used, GROUP_RECORDS - used,
                        &found) ||
            found > GROUP_RECORDS - used)
            continue;
        a->found[i] = (uint32_t)found;
        used += (size_t)found;
    }
}

/* Hand on what was scanned ahead; its first text is number `first` of the call. */
static int hand_on(trawl_context *context, delivery *d, const ahead *a, size_t first,
                   trawl_error *error)
{
    record *scratch = a->records + (size_t)MAX_GROUPS * GROUP_RECORDS, *records = a->records;
    int status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < a->count; i++) {
        const bool ready = a->found[i] != NOT_YET;
        if (i % GROUP_TEXTS == 0)
            records = a->records + i / GROUP_TEXTS * GROUP_RECORDS;
        if (!ready || i % CHECK_EVERY == 0)
            status = budget_check(&d->out.budget);
        if (status != TRAWL_OK)
            break;
        if (!ready || d->out.budget.steps < a->texts[i].length) {
            status = take_turn(context, d, &a->texts[i], first + i, error);
            records += ready ? a->found[i] : 0;
            continue;
        }
        status = delivery_next(d, first + i, error);
        d->text = (const uint8_t *)a->texts[i].bytes;
        d->window_begin = delivery_begins(d->plan);
        if (status == TRAWL_OK)
            status = small_hand_on(d, a->texts[i].length, records, scratch, a->found[i], error);
        records += a->found[i];
    }
    return status;
}

/* Scan texts ahead. The context's room cannot be used: texts that are scanned in turn need it. */
static int scan_ahead(trawl_context *context, delivery *d, const trawl_text *texts, size_t count,
                      trawl_error *error)
{
    worker *w = &context->worker;
    memory *m = &context->memory;
    ahead *a = memory_take(m, sizeof *a);
    record *records = memory_take_array(m, MAX_GROUPS + 1, GROUP_RECORDS * sizeof *records);
    int status = a && records ? TRAWL_OK : memory_failed(m, error, "many texts");
    if (status == TRAWL_OK) {
        a->context = context;
        a->plan = d->plan;
        a->budget = &d->out.budget;
        a->records = records;
    }
    for (size_t at = 0; status == TRAWL_OK && at < count; at += MAX_GROUPS * GROUP_TEXTS) {
        const size_t left = count - at, most = MAX_GROUPS * GROUP_TEXTS;
        a->texts = texts + at;
        a->count = left < most ? left : most;
        status = w->backend->run_tasks(
            w, scan_group, a, (uint32_t)((a->count + GROUP_TEXTS - 1) / GROUP_TEXTS), error);
        if (status == TRAWL_OK)
            status = hand_on(context, d, a, at, error);
    }
    memory_give(m, records);
    memory_give(m, a);
    return status;
}

/* ---- by a device ---------------------------------------------------------------- */

static int scan_bundles(trawl_context *context, delivery *d, const trawl_text *texts, size_t count,
                        trawl_error *error)
{
    bundle_room room;
    int status = bundle_open(&room, &context->memory, texts, count, error);
    if (status != TRAWL_OK)
        return status;
    for (size_t at = 0, done = 0; status == TRAWL_OK && at < count; at += done) {
        status = bundle_scan(&room, context, d, texts + at, count - at, at, &done, error);
        if (status == TRAWL_OK && done == 0) {
            status = take_turn(context, d, &texts[at], at, error);
            done = 1;
        }
    }
    bundle_close(&room, &context->memory);
    return status;
}

/* ---- the call ----------------------------------------------------------------- */

/* Whether threads pay. */
static bool is_shared(const trawl_context *context, const trawl_text *texts, size_t count)
{
    uint64_t bytes = 0;
    if (context->worker.threads < 2 || on_devices(&context->worker) || count <= GROUP_TEXTS)
        return false;
    for (size_t i = 0; i < count && bytes < MIN_SHARED; i++)
        bytes += texts[i].length;
    return bytes >= MIN_SHARED;
}

int trawl_scan_many(trawl_context *context, const trawl_plan *plan, const trawl_text *texts,
                    size_t count, const trawl_scan_options *options, trawl_match_fn fn, void *user,
                    trawl_error *error)
{
    trawl_scan_options read;
    trawl_match batch[MATCH_BATCH];
    delivery d;
    if (!fn)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "fn is NULL");
    int status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = check_text(plan, options, 0, &read, error);
    if (status == TRAWL_OK)
        status = check_many(texts, count, read.base, error);
    if (status == TRAWL_OK) {
        status = delivery_open(&d, context, plan, &read, fn, user, batch, error);
        if (status == TRAWL_OK)
            status = bundle_pays(context, plan, &d.out.budget, count)
                         ? scan_bundles(context, &d, texts, count, error)
                     : is_shared(context, texts, count)
                         ? scan_ahead(context, &d, texts, count, error)
                         : scan_each(context, &d, texts, count, error);
        status = delivery_flush(&d, status);
        delivery_close(&d);
    }
    context_leave(context);
    return status;
}
