/* bundle.c: see bundle.h. */
#include "scan/bundle.h"

#include <string.h>

#define BUNDLE_BYTES (32u << 20)
#define BUNDLE_TEXTS (1u << 20)
#define MIN_TEXTS 2u
#define TASK_TEXTS 4096u /* texts that a thread copies at a time */
#define CHECK_EVERY 16u  /* texts: whether the call must end */

typedef struct bundle {
    trawl_context *context;
    delivery *d;
    const trawl_text *texts;
    size_t count;
    size_t first;    /* number of text 0 in the call */
    uint32_t *begin; /* [count + 1]: where each text begins in the bundle, and the bundle's end */
    uint8_t *bytes;
    uint32_t gap; /* bytes before each text, all `between` */
    uint8_t between;
    size_t at;   /* the text whose matches come now */
    bool within; /* it has begun */
} bundle;

/* ---- what keeps texts apart ---------------------------------------------------------------- */

/* The bytes that patterns of no known length hold. */
static byte_class held_bytes(const trawl_plan *plan)
{
    const plan_pattern *patterns = plan_patterns(plan);
    byte_class all = { { 0 } };
    for (uint32_t i = 0; i < plan_head(plan)->pattern_count; i++)
        for (uint32_t e = 0; e < patterns[i].elements; e++)
            for (uint32_t k = 0; k < 4; k++)
                all.bits[k] |= plan_elements(plan, &patterns[i])[e].set.bits[k];
    return all;
}

/* Whether texts can be kept apart: by *gap bytes *between, if need be. */
static bool keeps_apart(const trawl_plan *plan, uint32_t *gap, uint8_t *between)
{
    const plan_pattern *patterns = plan_patterns(plan);
    const byte_class held = held_bytes(plan);
    bool varies = false;
    for (uint32_t i = 0; i < plan_head(plan)->pattern_count; i++)
        varies = varies || patterns[i].min_length != patterns[i].max_length;
    *gap = varies;
    for (uint32_t c = 0; c < 256; c++)
        if (!class_has(&held, (uint8_t)c)) {
            *between = (uint8_t)c;
            return true;
        }
    return !varies;
}

bool bundle_pays(const trawl_context *context, const trawl_plan *plan, const budget *b,
                 size_t count)
{
    uint32_t gap;
    uint8_t between;
    return on_devices(&context->worker) && count >= MIN_TEXTS && b->steps == UINT64_MAX &&
           !plan_head(plan)->carries && !plan_head(plan)->opened &&
           keeps_apart(plan, &gap, &between);
}

/* ---- bringing texts together ------------------------------------------------------------------
 */

static void copy_texts(void *job, uint32_t index)
{
    const bundle *b = job;
    const size_t from = (size_t)index * TASK_TEXTS;
    const size_t end = b->count - from < TASK_TEXTS ? b->count : from + TASK_TEXTS;
    for (size_t i = from; i < end; i++) {
        uint8_t *to = b->bytes + b->begin[i];
        if (b->gap)
            to[-1] = b->between;
        if (b->texts[i].length)
            memcpy(to, b->texts[i].bytes, b->texts[i].length);
    }
}

/* Place as many texts as fit; returns the bundle's length. */
static uint32_t place_texts(bundle *b, size_t count)
{
    uint64_t at = 0;
    b->count = 0;
    while (b->count < count && b->count < BUNDLE_TEXTS &&
           b->texts[b->count].length <= BUNDLE_BYTES - at - b->gap) {
        at += b->gap;
        b->begin[b->count] = (uint32_t)at;
        at += b->texts[b->count++].length;
        if (at + b->gap > BUNDLE_BYTES)
            break;
    }
    b->begin[b->count] = (uint32_t)at + b->gap;
    return (uint32_t)at;
}

/* ---- handing on, text by text --------------------------------------------------------------- */

static int begin_text(bundle *b, trawl_error *error)
{
    delivery *d = b->d;
    if (b->within)
        return TRAWL_OK;
    const int status = b->at % CHECK_EVERY ? TRAWL_OK : budget_check(&d->out.budget);
    if (status != TRAWL_OK)
        return status;
    b->within = true;
    d->text = b->texts[b->at].bytes;
    d->known = b->texts[b->at].length;
    d->window_begin = 0 - (uint64_t)b->begin[b->at];
    return delivery_next(d, b->first + b->at, error);
}

static int end_text(bundle *b, trawl_error *error)
{
    b->within = false;
    return delivery_end(b->d, b->texts[b->at++].length, error);
}

/* Keep the records of one text that begin in it. Returns how many are left. */
static size_t keep_own(const bundle *b, record *records, size_t count)
{
    const plan_pattern *patterns = plan_patterns(b->d->plan);
    const uint32_t begin = b->begin[b->at];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const plan_pattern *p = &patterns[records[i].index];
        records[kept] = records[i];
        kept += !plan_one_length(p) || p->min_length <= records[i].pos - begin;
    }
    return kept;
}

/* If a text without matches needs no attention, skip to the text of the next match. */
static void skip_texts(bundle *b, const record *records, size_t count, uint32_t upto)
{
    const size_t before = b->at;
    if (b->within || b->d->reports)
        return;
    while (b->at < b->count) {
        const uint32_t end = b->begin[b->at] + (uint32_t)b->texts[b->at].length;
        if (end > upto || (count && records[0].pos <= end))
            break;
        b->at++;
    }
    b->d->texts += b->at - before;
}

/* A records_fn: all ends up to `upto` in the bundle. */
static int take_records(void *user, record *records, size_t count, uint32_t upto,
                        trawl_error *error)
{
    bundle *b = user;
    int status = TRAWL_OK;
    for (;;) {
        skip_texts(b, records, count, upto);
        if (status != TRAWL_OK || b->at == b->count || b->begin[b->at] > upto)
            break;
        const uint32_t end = b->begin[b->at] + (uint32_t)b->texts[b->at].length;
        const uint32_t known = end < upto ? end : upto;
        size_t some = 0;
        while (some < count && records[some].pos <= end)
            some++;
        status = begin_text(b, error);
        const size_t own = status == TRAWL_OK ? keep_own(b, records, some) : 0;
        if (own || (status == TRAWL_OK && b->d->reports && known > b->begin[b->at]))
            status = deliver(b->d, records, own, known, error);
        records += some;
        count -= some;
        if (status == TRAWL_OK && end > upto)
            break;
        if (status == TRAWL_OK)
            status = end_text(b, error);
    }
    return status;
}

/* ---- the call
 * ------------------------------------------------------------------------------------ */

static int scan_bytes(bundle *b, uint32_t length, trawl_error *error)
{
    text_scan scan;
    int status = text_scan_open(&scan, b->context, b->d->plan, false, take_records, b, error);
    if (status != TRAWL_OK)
        return status;
    if (length) {
        status = text_scan_window(&scan, b->bytes, 0, length, error);
        context_scanned(b->context, length - b->count * b->gap);
    }
    if (status == TRAWL_OK) /* texts at the end that are empty */
        status = take_records(b, NULL, 0, UINT32_MAX, error);
    text_scan_close(&scan);
    return status;
}

int bundle_open(bundle_room *r, memory *m, const trawl_text *texts, size_t count,
                trawl_error *error)
{
    const size_t most = count < BUNDLE_TEXTS ? count : BUNDLE_TEXTS;
    uint64_t bytes = most; /* for the bytes between texts */
    for (size_t i = 0; i < count && bytes < BUNDLE_BYTES; i++)
        bytes += texts[i].length;
    r->begin = memory_take_array(m, most + 1, sizeof *r->begin);
    r->bytes = memory_take(m, bytes < BUNDLE_BYTES ? (size_t)bytes : BUNDLE_BYTES);
    if (r->begin && r->bytes)
        return TRAWL_OK;
    bundle_close(r, m);
    return memory_failed(m, error, "many texts");
}

void bundle_close(bundle_room *r, memory *m)
{
    memory_give(m, r->begin);
    memory_give(m, r->bytes);
    r->begin = NULL;
    r->bytes = NULL;
}

int bundle_scan(const bundle_room *r, trawl_context *context, delivery *d, const trawl_text *texts,
                size_t count, size_t first, size_t *done, trawl_error *error)
{
    worker *w = &context->worker;
    bundle b = { .context = context,
                 .d = d,
                 .texts = texts,
                 .first = first,
                 .begin = r->begin,
                 .bytes = r->bytes };
    int status = budget_check(&d->out.budget);
    *done = 0;
    (void)keeps_apart(d->plan, &b.gap, &b.between);
    const uint32_t length = place_texts(&b, count);
    if (status == TRAWL_OK && b.count)
        status = w->backend->run_tasks(w, copy_texts, &b,
                                       (uint32_t)((b.count + TASK_TEXTS - 1) / TASK_TEXTS), error);
    if (status == TRAWL_OK && b.count)
        status = scan_bytes(&b, length, error);
    *done = b.count;
    return status;
}
