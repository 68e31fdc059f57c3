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
            entry.flags = p->flags & TRAWL_ONCE;
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

/* The shortest and the longest match of a list. */
static void set_lengths(const pattern_list *list, uint64_t *shortest, uint64_t *longest)
{
    *shortest = UINT64_MAX;
    *longest = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint64_t low = list->patterns ? list->patterns[i].min_length : list->needles[i].rows;
        uint64_t high = list->patterns ? list->patterns[i].max_length : list->needles[i].rows;
        *shortest = low < *shortest ? low : *shortest;
        *longest = high > *longest ? high : *longest;
    }
}

/* The sections of a plan while they grow. */
typedef struct sections {
    block of[PLAN_SECTIONS];
} sections;

static void add_stage(const stage_draft *draft, sections *to)
{
    plan_stage stage = { .role = (uint32_t)draft->role,
                         .kind = draft->kind,
                         .bytes = draft->tables.size / 4 * 4,
                         .state_words = draft->state_words,
                         .masks = draft->masks };
    stage.tables =
        block_append(&to->of[PLAN_TABLES], draft->tables.bytes, draft->tables.size, PLAN_ALIGN);
    block_append(&to->of[PLAN_STAGES], &stage, sizeof stage, 8);
    to->of[PLAN_TABLES].failed |= draft->tables.failed;
}

static void add_part(const part_draft *draft, plan_header *head, sections *to)
{
    plan_part part = { .pattern_count = (uint32_t)draft->list->count,
                       .carries = draft->stages[0].carries,
                       .first_stage = (uint32_t)(to->of[PLAN_STAGES].size / sizeof(plan_stage)),
                       .stage_count = draft->stage_count,
                       .indexes = to->of[PLAN_INDEXES].size / sizeof(uint32_t),
                       .state = draft->stages[0].carries ? head->state_words : 0 };
    set_lengths(draft->list, &part.min_length, &part.max_length);
    if (draft->indexes)
        block_append(&to->of[PLAN_INDEXES], draft->indexes,
                     draft->list->count * sizeof *draft->indexes, 4);
    for (uint32_t i = 0; i < draft->stage_count; i++)
        add_stage(&draft->stages[i], to);
    block_append(&to->of[PLAN_PARTS], &part, sizeof part, 8);
    head->carries |= part.carries;
    if (part.carries)
        head->state_words += draft->stages[0].state_words;
    if (part_reach(&part) > head->reach)
        head->reach = part_reach(&part);
}

/* Write the sections behind the header. NULL: no memory. */
static void *join(plan_header *head, sections *from)
{
    block whole = { 0 };
    bool failed = false;
    block_append(&whole, NULL, sizeof *head, 8);
    for (int i = 0; i < PLAN_SECTIONS; i++) {
        const block *section = &from->of[i];
        head->section[i].offset = block_append(&whole, section->bytes, section->size, PLAN_ALIGN);
        head->section[i].bytes = section->size;
        failed |= section->failed;
    }
    block_append(&whole, NULL, 0, PLAN_ALIGN);
    void *made = failed || whole.failed ? NULL : plan_alloc(whole.size);
    if (made) {
        head->bytes = whole.size;
        memcpy(whole.bytes, head, sizeof *head);
        head->checksum = plan_checksum(whole.bytes, whole.size);
        memcpy(whole.bytes, head, sizeof *head);
        memcpy(made, whole.bytes, whole.size);
    }
    block_free(&whole);
    return made;
}

int plan_assemble(const pattern_list *list, const part_draft *parts, uint32_t part_count,
                  const char *engine, const char *why, trawl_plan **plan, trawl_error *error)
{
    sections all = { 0 };
    block *strings = &all.of[PLAN_STRINGS];
    plan_header head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, PLAN_MAGIC, sizeof head.magic);
    head.version = PLAN_VERSION;
    head.byte_order = PLAN_BYTE_ORDER;
    head.pattern_count = (uint32_t)list->count;
    head.part_count = part_count;
    head.cell_size = list->cell_size;
    set_lengths(list, &head.min_length, &head.max_length);
    for (size_t i = 0; list->patterns && i < list->count; i++)
        head.once += list->patterns[i].flags & TRAWL_ONCE ? 1 : 0;

    block_append(strings, "", 1, 1);
    head.engine = add_string(strings, engine);
    head.why = add_string(strings, why);
    add_patterns(list, &all.of[PLAN_PATTERNS], &all.of[PLAN_ELEMENTS], strings);
    for (uint32_t i = 0; i < part_count; i++)
        add_part(&parts[i], &head, &all);
    if (strings->size > UINT32_MAX)
        strings->failed = true;
    void *made = join(&head, &all);
    for (int i = 0; i < PLAN_SECTIONS; i++)
        block_free(&all.of[i]);
    return made ? plan_adopt(made, plan, error)
                : fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                       "out of memory for the plan of %zu patterns: compile fewer at once",
                       list->count);
}

/* ---- loading ---------------------------------------------------------- */

void *plan_alloc(size_t size)
{
    if (size > SIZE_MAX - PLAN_ALIGN)
        return NULL;
    size_t room = (size + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN;
    return aligned_alloc(PLAN_ALIGN, room ? room : PLAN_ALIGN);
}

void plan_discard(void *block)
{
    free(block);
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
    uint64_t once = 0;
    bool valid = seen != NULL;
    for (uint32_t i = 0; valid && i < head->pattern_count; i++) {
        const plan_pattern *p = &patterns[i];
        uint64_t longest = head->cell_size ? p->min_length : p->max_length;
        valid = p->order < head->pattern_count && !(seen[p->order / 8] >> (p->order % 8) & 1) &&
                p->name < section[PLAN_STRINGS].bytes && p->min_length >= 1 &&
                (head->cell_size ? !p->elements && p->max_length >= 1 &&
                                       p->min_length <= INT32_MAX && p->max_length <= INT32_MAX
                                 : p->min_length <= p->max_length) &&
                (p->flags & ~(head->cell_size ? 0u : (uint32_t)TRAWL_ONCE)) == 0 && !p->reserved &&
                p->elements <= element_count && p->first <= element_count - p->elements &&
                (head->cell_size || (p->min_length == p->max_length) == (p->elements == 0)) &&
                (p->elements ? elements_valid(p, elements + p->first)
                             : p->min_length <= PATTERN_MAX_LENGTH || head->cell_size);
        if (valid)
            seen[p->order / 8] |= (uint8_t)(1u << (p->order % 8));
        once += p->flags & TRAWL_ONCE ? 1 : 0;
        low = p->min_length < low ? p->min_length : low;
        high = longest > high ? longest : high;
    }
    free(seen);
    return valid && low == head->min_length && high == head->max_length && once == head->once;
}

/* The chain that a backend runs: whole, or filter and verify; then what is optional. */
static bool roles_valid(const plan_stage *stages, uint32_t count)
{
    uint32_t i = 1;
    if (stages[0].role == STAGE_FILTER)
        i = count > 1 && stages[1].role == STAGE_VERIFY ? 2 : 0;
    else if (stages[0].role != STAGE_WHOLE)
        i = 0;
    for (bool fallback = false; i > 0 && i < count; i++) {
        if (stages[i].role == STAGE_FALLBACK && fallback)
            return false;
        fallback = fallback || stages[i].role == STAGE_FALLBACK;
        if (stages[i].role != STAGE_FALLBACK && stages[i].role != STAGE_ASIDE)
            return false;
    }
    return i > 0;
}

static bool stages_valid(const plan_header *head, const plan_part *part, const plan_stage *stages)
{
    const uint64_t count = head->section[PLAN_STAGES].bytes / sizeof *stages;
    const uint64_t room = head->section[PLAN_TABLES].bytes;
    if (part->stage_count < 1 || part->stage_count > MOST_STAGES || part->first_stage > count ||
        part->stage_count > count - part->first_stage)
        return false;
    stages += part->first_stage;
    for (uint32_t i = 0; i < part->stage_count; i++)
        if (stages[i].tables % PLAN_ALIGN || stages[i].tables > room || stages[i].bytes % 4 ||
            stages[i].bytes > room - stages[i].tables || stages[i].state_words > UINT32_MAX ||
            stages[i].role >= STAGE_ROLES)
            return false;
    if (part->carries &&
        (stages[0].masks % 8 || stages[0].masks > stages[0].bytes || part->stage_count > 1 ||
         stages[0].state_words > (stages[0].bytes - stages[0].masks) / 16))
        return false;
    return roles_valid(stages, part->stage_count);
}

/* The patterns of a part: in order, in no part before (`seen` has a bit for each), and as long as
 * the part says. `indexes`: its own in PLAN_INDEXES; NULL: it has all. */
static bool members_valid(const plan_header *head, const plan_part *part, const uint32_t *indexes,
                          const plan_pattern *patterns, uint8_t *seen)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t k = 0; k < part->pattern_count; k++) {
        const uint32_t index = indexes ? indexes[k] : k;
        if (index >= head->pattern_count || seen[index / 8] >> (index % 8) & 1 ||
            (indexes && k > 0 && index <= indexes[k - 1]))
            return false;
        const plan_pattern *p = &patterns[index];
        const uint64_t longest = head->cell_size ? p->min_length : p->max_length;
        seen[index / 8] |= (uint8_t)(1u << (index % 8));
        low = p->min_length < low ? p->min_length : low;
        high = longest > high ? longest : high;
    }
    return part->min_length == low && part->max_length == high &&
           (part->carries || high != LENGTH_UNBOUNDED);
}

/* Every pattern is in one part; lengths, reach and state follow from the parts. */
static bool parts_valid(const uint8_t *bytes, const plan_header *head)
{
    const plan_pattern *patterns = (const void *)(bytes + head->section[PLAN_PATTERNS].offset);
    const plan_part *parts = (const void *)(bytes + head->section[PLAN_PARTS].offset);
    const plan_stage *stages = (const void *)(bytes + head->section[PLAN_STAGES].offset);
    const uint32_t *indexes = (const void *)(bytes + head->section[PLAN_INDEXES].offset);
    const bool divided = head->part_count > 1;
    const uint64_t index_count = head->section[PLAN_INDEXES].bytes / sizeof *indexes;
    uint64_t reach = 0, state = 0;
    uint32_t carries = 0, members = 0; /* of the parts so far */
    uint8_t *seen = calloc(head->pattern_count / 8 + 1, 1);
    bool valid = seen && index_count == (divided ? head->pattern_count : 0);
    for (uint32_t i = 0; valid && i < head->part_count; i++) {
        const plan_part *part = &parts[i];
        valid = stages_valid(head, part, stages) && part->carries <= 1 &&
                part->indexes == (divided ? members : 0) && part->pattern_count >= 1 &&
                part->pattern_count <= head->pattern_count - members &&
                part->state == (part->carries ? state : 0) && !(part->carries && head->cell_size) &&
                members_valid(head, part, divided ? indexes + members : NULL, patterns, seen);
        if (!valid)
            break;
        members += part->pattern_count;
        carries |= part->carries;
        if (part->carries)
            state += stages[part->first_stage].state_words;
        reach = part_reach(part) > reach ? part_reach(part) : reach;
    }
    free(seen);
    return valid && members == head->pattern_count && head->carries == carries &&
           head->reach == reach && head->state_words == state && state <= UINT32_MAX;
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

    static const size_t entry_bytes[PLAN_SECTIONS] = {
        [PLAN_PATTERNS] = sizeof(plan_pattern),
        [PLAN_ELEMENTS] = sizeof(element),
        [PLAN_STRINGS] = 1,
        [PLAN_PARTS] = sizeof(plan_part),
        [PLAN_INDEXES] = sizeof(uint32_t),
        [PLAN_STAGES] = sizeof(plan_stage),
        [PLAN_TABLES] = 4,
    };
    bool valid = head->pattern_count >= 1 && head->pattern_count <= PATTERN_MAX_COUNT &&
                 head->part_count >= 1 && head->part_count <= MOST_PARTS &&
                 (head->cell_size == 0 || head->cell_size == 1 || head->cell_size == 2 ||
                  head->cell_size == 4);
    for (int i = 0; valid && i < PLAN_SECTIONS; i++) {
        plan_range r = head->section[i];
        valid = r.offset % PLAN_ALIGN == 0 && r.offset >= sizeof *head && r.offset <= size &&
                r.bytes <= size - r.offset && r.bytes % entry_bytes[i] == 0;
    }
    valid = valid &&
            head->section[PLAN_PATTERNS].bytes ==
                (uint64_t)head->pattern_count * sizeof(plan_pattern) &&
            head->section[PLAN_PARTS].bytes == (uint64_t)head->part_count * sizeof(plan_part);
    plan_range strings = head->section[PLAN_STRINGS];
    valid = valid && strings.bytes >= 1 && head->why < strings.bytes &&
            head->engine < strings.bytes && ((const char *)bytes)[strings.offset] == 0 &&
            ((const char *)bytes)[strings.offset + strings.bytes - 1] == 0;
    if (!valid || !patterns_valid((const uint8_t *)bytes, head) ||
        !parts_valid((const uint8_t *)bytes, head))
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the plan contradicts itself: it was not written by Trawl; compile it again");
    return TRAWL_OK;
}
