/* plan.c: the plan block, written and verified.
 *
 * Idea: everything a scan needs stands in one block of offsets, so that saving is
 * copying and loading is checking. A loaded block may come from anywhere: plan_check
 * accepts nothing that could lead a reader outside the block, and the engine's own
 * check does the same for its tables.
 */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- checksum --------------------------------------------------------- */

uint64_t plan_checksum(const void *block, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)block;
    const size_t field = offsetof(plan_header, checksum);
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        if (i != field)
            memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* ---- assembling ------------------------------------------------------- */

static uint32_t add_string(block *strings, const char *text)
{
    return text ? (uint32_t)block_append(strings, text, strlen(text) + 1, 1) : 0;
}

static void append_section(block *whole, plan_header *head, enum plan_section which,
                           const block *section)
{
    head->section[which].offset = block_append(whole, section->bytes, section->size, PLAN_ALIGN);
    head->section[which].bytes = section->size;
}

static void add_patterns(const pattern_list *list, block *patterns, block *elements, block *strings)
{
    for (size_t i = 0; i < list->count; i++) {
        plan_pattern entry;
        memset(&entry, 0, sizeof entry);
        if (list->patterns) {
            const pattern *p = &list->patterns[i];
            entry.id = p->id;
            entry.order = p->order;
            entry.name = add_string(strings, p->name);
            entry.min_length = p->min_length;
            entry.max_length = p->max_length;
            entry.first = elements->size / sizeof(element);
            if (!p->literal && p->min_length != p->max_length) {
                entry.elements = (uint32_t)p->length;
                block_append(elements, p->elements, p->length * sizeof(element), 8);
            }
        } else {
            const needle *n = &list->needles[i];
            entry.id = n->id;
            entry.order = n->order;
            entry.name = add_string(strings, n->name);
            entry.min_length = n->rows;
            entry.max_length = n->cols;
        }
        block_append(patterns, &entry, sizeof entry, 8);
    }
}

static void set_lengths(const pattern_list *list, plan_header *head)
{
    head->min_length = UINT64_MAX;
    head->max_length = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint64_t low = list->patterns ? list->patterns[i].min_length : list->needles[i].rows;
        uint64_t high = list->patterns ? list->patterns[i].max_length : list->needles[i].rows;
        head->min_length = low < head->min_length ? low : head->min_length;
        head->max_length = high > head->max_length ? high : head->max_length;
    }
}

int plan_assemble(const pattern_list *list, uint32_t engine, const block *section, uint32_t carries,
                  uint64_t state_words, const char *why, trawl_plan **plan, trawl_error *error)
{
    block whole = { 0 }, patterns = { 0 }, elements = { 0 }, strings = { 0 };
    plan_header head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, PLAN_MAGIC, sizeof head.magic);
    head.version = PLAN_VERSION;
    head.byte_order = PLAN_BYTE_ORDER;
    head.engine = engine;
    head.pattern_count = (uint32_t)list->count;
    head.cell_size = list->cell_size;
    head.carries = carries;
    head.state_words = state_words;
    set_lengths(list, &head);

    block_append(&strings, "", 1, 1);
    head.why = add_string(&strings, why);
    add_patterns(list, &patterns, &elements, &strings);
    block_append(&whole, NULL, sizeof head, 8);
    append_section(&whole, &head, PLAN_PATTERNS, &patterns);
    append_section(&whole, &head, PLAN_ELEMENTS, &elements);
    append_section(&whole, &head, PLAN_STRINGS, &strings);
    append_section(&whole, &head, PLAN_ENGINE, section);
    block_append(&whole, NULL, 0, PLAN_ALIGN);

    int status = TRAWL_OK;
    bool failed = whole.failed || patterns.failed || elements.failed || strings.failed ||
                  section->failed || strings.size > UINT32_MAX;
    void *made = failed ? NULL : plan_alloc(whole.size);
    if (!made) {
        status =
            fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                 "out of memory for the plan of %zu patterns: compile fewer at once", list->count);
    } else {
        head.bytes = whole.size;
        memcpy(whole.bytes, &head, sizeof head);
        head.checksum = plan_checksum(whole.bytes, whole.size);
        memcpy(whole.bytes, &head, sizeof head);
        memcpy(made, whole.bytes, whole.size);
        status = plan_adopt(made, plan, error);
    }
    block_free(&whole);
    block_free(&patterns);
    block_free(&elements);
    block_free(&strings);
    return status;
}

/* ---- loading ---------------------------------------------------------- */

void *plan_alloc(size_t size)
{
    if (size > SIZE_MAX - PLAN_ALIGN)
        return NULL;
    size_t room = (size + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN;
    return aligned_alloc(PLAN_ALIGN, room ? room : PLAN_ALIGN);
}

int plan_adopt(void *block, trawl_plan **plan, trawl_error *error)
{
    const plan_header *head = (const plan_header *)block;
    trawl_plan *made = calloc(1, sizeof *made);
    uint32_t *by_order = calloc(head->pattern_count, sizeof *by_order);
    if (!made || !by_order) {
        int status = fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                          "out of memory for a plan of %u patterns", head->pattern_count);
        free(made);
        free(by_order);
        free(block);
        return status;
    }
    made->block = block;
    made->by_order = by_order;
    const plan_pattern *patterns = plan_patterns(made);
    for (uint32_t i = 0; i < head->pattern_count; i++)
        by_order[patterns[i].order] = i;
    *plan = made;
    return TRAWL_OK;
}

static bool element_valid(const element *e)
{
    bool empty = !(e->set.bits[0] | e->set.bits[1] | e->set.bits[2] | e->set.bits[3]);
    return !empty && e->max >= 1 && e->min <= e->max && e->min <= PATTERN_MAX_STATES &&
           (e->max == REPEAT_UNBOUNDED || e->max <= PATTERN_MAX_STATES);
}

/* The lengths that the elements give must be the ones that the entry says. */
static bool elements_valid(const plan_pattern *p, const element *elements)
{
    uint64_t low = 0, high = 0;
    bool unbounded = false;
    for (uint32_t i = 0; i < p->elements; i++) {
        if (!element_valid(&elements[i]))
            return false;
        low += elements[i].min;
        unbounded |= elements[i].max == REPEAT_UNBOUNDED;
        high += elements[i].max == REPEAT_UNBOUNDED ? elements[i].min + 1u : elements[i].max;
    }
    return high <= PATTERN_MAX_STATES && low == p->min_length &&
           (unbounded ? LENGTH_UNBOUNDED : high) == p->max_length;
}

static bool patterns_valid(const uint8_t *bytes, const plan_header *head)
{
    const plan_range *section = head->section;
    const plan_pattern *patterns = (const void *)(bytes + section[PLAN_PATTERNS].offset);
    const element *elements = (const void *)(bytes + section[PLAN_ELEMENTS].offset);
    uint64_t element_count = section[PLAN_ELEMENTS].bytes / sizeof(element);
    uint64_t low = UINT64_MAX, high = 0;
    uint8_t *seen = calloc(head->pattern_count / 8 + 1, 1);
    bool valid = seen != NULL;
    for (uint32_t i = 0; valid && i < head->pattern_count; i++) {
        const plan_pattern *p = &patterns[i];
        uint64_t longest = head->cell_size ? p->min_length : p->max_length;
        valid = p->order < head->pattern_count && !(seen[p->order / 8] >> (p->order % 8) & 1) &&
                p->name < section[PLAN_STRINGS].bytes && p->min_length >= 1 &&
                (head->cell_size ? !p->elements && p->max_length >= 1 &&
                                       p->min_length <= INT32_MAX && p->max_length <= INT32_MAX
                                 : p->min_length <= p->max_length) &&
                p->elements <= element_count && p->first <= element_count - p->elements &&
                (head->cell_size || (p->min_length == p->max_length) == (p->elements == 0)) &&
                (p->elements ? elements_valid(p, elements + p->first)
                             : p->min_length <= PATTERN_MAX_LENGTH || head->cell_size);
        if (valid)
            seen[p->order / 8] |= (uint8_t)(1u << (p->order % 8));
        low = p->min_length < low ? p->min_length : low;
        high = longest > high ? longest : high;
    }
    free(seen);
    return valid && low == head->min_length && high == head->max_length;
}

int plan_check(const void *bytes, size_t size, trawl_error *error)
{
    const plan_header *head = (const plan_header *)bytes;
    if (size < sizeof *head || memcmp(head->magic, PLAN_MAGIC, sizeof head->magic) != 0)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "not a Trawl plan: the first bytes are not %s; compile the patterns again",
                    PLAN_MAGIC);
    if (head->byte_order != PLAN_BYTE_ORDER)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the plan was made on a machine of another byte order: compile it here");
    if (head->version != PLAN_VERSION)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the plan has version %u, this library reads %u: compile the patterns again",
                    head->version, PLAN_VERSION);
    if (head->bytes != size)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the plan says %llu bytes but has %zu: it was cut or joined; copy it again",
                    (unsigned long long)head->bytes, size);
    if (plan_checksum(bytes, size) != head->checksum)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the plan's checksum is wrong: the bytes were changed; copy it again");

    bool valid = head->pattern_count >= 1 && head->pattern_count <= PATTERN_MAX_COUNT &&
                 head->carries <= 1 && head->state_words <= UINT32_MAX &&
                 (head->cell_size == 0 || head->cell_size == 1 || head->cell_size == 2 ||
                  head->cell_size == 4);
    for (int i = 0; valid && i < PLAN_SECTIONS; i++) {
        plan_range r = head->section[i];
        valid = r.offset % PLAN_ALIGN == 0 && r.offset >= sizeof *head && r.offset <= size &&
                r.bytes <= size - r.offset;
    }
    valid = valid && head->section[PLAN_PATTERNS].bytes ==
                         (uint64_t)head->pattern_count * sizeof(plan_pattern);
    plan_range strings = head->section[PLAN_STRINGS];
    valid = valid && strings.bytes >= 1 && head->why < strings.bytes &&
            ((const char *)bytes)[strings.offset] == 0 &&
            ((const char *)bytes)[strings.offset + strings.bytes - 1] == 0;
    if (!valid || !patterns_valid((const uint8_t *)bytes, head))
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the plan contradicts itself: it was not written by Trawl; compile it again");
    return TRAWL_OK;
}

/* ---- public accessors ------------------------------------------------- */

const void *trawl_plan_save(const trawl_plan *plan, size_t *bytes)
{
    if (!plan)
        return NULL;
    if (bytes)
        *bytes = (size_t)plan_head(plan)->bytes;
    return plan->block;
}

const char *trawl_plan_pattern_name(const trawl_plan *plan, size_t index)
{
    if (!plan || index >= plan_head(plan)->pattern_count)
        return "";
    const plan_pattern *p = plan_patterns(plan) + plan->by_order[index];
    return (const char *)plan_at(plan, PLAN_STRINGS) + p->name;
}

void trawl_plan_free(trawl_plan *plan)
{
    if (!plan)
        return;
    free(plan->block);
    free(plan->by_order);
    free(plan);
}
