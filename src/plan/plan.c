/* plan.c: the plan block, written and verified.
 *
 * Idea: everything that a scan needs is in one block with offsets, so that saving is copying and
 * loading is checking. A loaded block may come from anywhere: plan_check accepts nothing that could
 * lead a reader outside the block, and the engine's own check does the same for its tables.
 */
#include "plan/plan.h"

#include <string.h>

/* ---- checksum --------------------------------------------------------- */

/* A step takes as long as a multiplication, so several are in flight at once. */
enum { LANES = 4 };

uint64_t plan_checksum(const void *block, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)block;
    const size_t field = offsetof(plan_header, checksum);
    const uint64_t basis = 0xcbf29ce484222325u, prime = 0x100000001b3u;
    uint64_t hash[LANES] = { basis, basis + 1, basis + 2, basis + 3 }, sum = basis;
    size_t i = 0;
    for (; i + 8 * LANES <= size; i += 8 * LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            uint64_t word;
            memcpy(&word, bytes + i + 8 * lane, 8);
            word = i + 8 * lane == field ? 0 : word;
            hash[lane] = (hash[lane] ^ word) * prime;
            hash[lane] ^= hash[lane] >> 29;
        }
    }
    for (size_t lane = 0; i < size; i += 8, lane++) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        hash[lane] = (hash[lane] ^ word) * prime;
        hash[lane] ^= hash[lane] >> 29;
    }
    for (size_t lane = 0; lane < LANES; lane++) {
        sum = (sum ^ hash[lane]) * prime;
        sum ^= sum >> 29;
    }
    return sum;
}

/* ---- assembling ------------------------------------------------------- */

/* The sections of a plan while they grow. The tables are only counted here: they are copied once,
 * from the drafts into the plan. */
typedef struct sections {
    block of[PLAN_SECTIONS];
    uint64_t table_bytes;
} sections;

static uint32_t add_string(block *strings, const char *text)
{
    return text ? (uint32_t)block_append(strings, text, strlen(text) + 1, 1) : 0;
}

static bool is_bordered(const pattern *p)
{
    return p->before.given || p->after.given || asked_of_start(&p->asks);
}

/* How many bytes beside a match its borders look at. */
static uint32_t beside_of(const border *before, const border *after, const demands *asks)
{
    if (asks->word == TRAWL_WORD_FULL_WIDE || after->last)
        return 2;
    return before->given || after->given ? 1 : 0;
}

/* The number, from 1, of a pattern's borders; 0: it has none. The borders of the pattern before are
 * used again if they are the same. */
static uint32_t add_borders(const pattern *p, block *borders)
{
    const plan_borders both = { p->before, p->after, p->asks };
    const size_t count = borders->size / sizeof both;
    if (!is_bordered(p))
        return 0;
    if (count && memcmp((const plan_borders *)(const void *)borders->bytes + (count - 1), &both,
                        sizeof both) == 0)
        return (uint32_t)count;
    block_append(borders, &both, sizeof both, 8);
    return (uint32_t)(count + 1);
}

/* Add what is said only once of a pattern: with the first of its alternatives. */
static void add_label(const pattern_list *list, const pattern *p, plan_pattern *entry,
                      block *strings)
{
    entry->name = add_string(strings, p->name);
    if (!list->keep_texts)
        return;
    entry->text = (uint32_t)block_append(strings, p->text, p->text_length, 1);
    entry->text_length = (uint32_t)p->text_length;
    block_append(strings, "", 1, 1);
}

/* plan_pattern.program. Patterns of one order share one: `places` has it by order; 0: it is not
 * there yet. */
static uint32_t add_program(const pattern *p, block *programs, uint32_t *places)
{
    uint32_t *place = &places[p->order];
    if (*place == 0)
        *place =
            1 + (uint32_t)(block_append(programs, p->program,
                                        program_size(p->program->positions, p->program->links), 8) /
                           8);
    return *place;
}

/* `seen` has a bit for each order, `places` a number, all zero. */
static void add_patterns(const pattern_list *list, sections *to, uint8_t *seen, uint32_t *places)
{
    block *patterns = &to->of[PLAN_PATTERNS], *elements = &to->of[PLAN_ELEMENTS];
    block *strings = &to->of[PLAN_STRINGS];
    for (size_t i = 0; i < list->count; i++) {
        plan_pattern entry;
        memset(&entry, 0, sizeof entry);
        if (list->patterns) {
            const pattern *p = &list->patterns[i];
            entry.id = p->id;
            entry.order = p->order;
            if (!(seen[p->order / 8] >> (p->order % 8) & 1))
                add_label(list, p, &entry, strings);
            seen[p->order / 8] |= (uint8_t)(1u << (p->order % 8));
            const size_t lead = p->opened ? 1 : 0;
            entry.min_length = p->min_length - lead;
            entry.max_length = p->max_length - (p->max_length != LENGTH_UNBOUNDED ? lead : 0);
            entry.flags = (p->folded ? p->flags & ~(uint32_t)TRAWL_NOCASE : p->flags) |
                          p->syntax << PLAN_SYNTAX | (p->opened ? PLAN_OPENED : 0) |
                          (p->varied ? PLAN_VARIED : 0) |
                          (pattern_is_program(p) ? PLAN_PROGRAM : 0);
            entry.borders = add_borders(p, &to->of[PLAN_BORDERS]);
            entry.first = elements->size / sizeof(element);
            entry.when = p->when;
            if (p->program)
                entry.program = add_program(p, &to->of[PLAN_PROGRAMS], places);
            if (!pattern_is_program(p) && (p->varied || p->min_length != p->max_length)) {
                entry.elements = (uint32_t)(p->length - lead);
                block_append(elements, p->elements + lead, entry.elements * sizeof(element), 8);
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

/* The shortest and the longest match of a list; `opened`: with what stages see before it. */
static void set_lengths(const pattern_list *list, bool opened, uint64_t *shortest,
                        uint64_t *longest)
{
    *shortest = UINT64_MAX;
    *longest = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint64_t low = list->patterns ? list->patterns[i].min_length : list->needles[i].rows;
        uint64_t high = list->patterns ? list->patterns[i].max_length : list->needles[i].rows;
        if (list->patterns && list->patterns[i].opened && !opened) {
            low--;
            high -= high != LENGTH_UNBOUNDED;
        }
        *shortest = low < *shortest ? low : *shortest;
        *longest = high > *longest ? high : *longest;
    }
}

static uint64_t aligned(uint64_t size)
{
    return (size + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN;
}

static void add_stage(const stage_draft *draft, sections *to)
{
    plan_stage stage = { .kind = draft->kind,
                         .patience = draft->patience,
                         .tables = aligned(to->table_bytes),
                         .bytes = draft->tables.size / 4 * 4,
                         .state_words = draft->state_words,
                         .masks = draft->masks };
    block_append(&to->of[PLAN_STAGES], &stage, sizeof stage, 8);
    to->table_bytes = stage.tables + draft->tables.size;
}

static void add_part(const part_draft *draft, plan_header *head, sections *to)
{
    plan_part part = { .pattern_count = (uint32_t)draft->list->count,
                       .carries = draft->stages[0].carries,
                       .first_stage = (uint32_t)(to->of[PLAN_STAGES].size / sizeof(plan_stage)),
                       .stage_count = draft->stage_count,
                       .indexes = to->of[PLAN_INDEXES].size / sizeof(uint32_t),
                       .state = draft->stages[0].carries ? head->state_words : 0 };
    set_lengths(draft->list, true, &part.min_length, &part.max_length);
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

/* Set where the sections stand after the header, and the length of the whole. */
static void place_sections(const sections *from, plan_header *head)
{
    head->bytes = aligned(sizeof *head);
    for (int i = 0; i < PLAN_SECTIONS; i++) {
        head->section[i].offset = head->bytes;
        head->section[i].bytes = i == PLAN_TABLES ? from->table_bytes : from->of[i].size;
        head->bytes += aligned(head->section[i].bytes);
    }
}

static void copy_tables(const part_draft *parts, uint32_t part_count, trawl_plan *plan)
{
    uint8_t *tables = (uint8_t *)plan->block + plan_head(plan)->section[PLAN_TABLES].offset;
    const plan_stage *stage = plan_at(plan, PLAN_STAGES);
    for (uint32_t i = 0; i < part_count; i++)
        for (uint32_t k = 0; k < parts[i].stage_count; k++, stage++)
            if (parts[i].stages[k].tables.size)
                memcpy(tables + stage->tables, parts[i].stages[k].tables.bytes,
                       parts[i].stages[k].tables.size);
}

/* Write everything into the plan's block, which is zero. */
static void fill_block(const sections *from, const part_draft *parts, plan_header *head,
                       trawl_plan *plan)
{
    uint8_t *bytes = plan->block;
    memcpy(bytes, head, sizeof *head);
    for (int i = 0; i < PLAN_SECTIONS; i++)
        if (from->of[i].size)
            memcpy(bytes + head->section[i].offset, from->of[i].bytes, from->of[i].size);
    copy_tables(parts, head->part_count, plan);
    head->checksum = plan_checksum(bytes, (size_t)head->bytes);
    memcpy(bytes, head, sizeof *head);
}

int plan_assemble(const pattern_list *list, const part_draft *parts, uint32_t part_count,
                  const char *engine, const char *why, trawl_plan **plan, trawl_error *error)
{
    memory *m = list->memory;
    sections all = { .table_bytes = 0 };
    block *strings = &all.of[PLAN_STRINGS];
    plan_header head;
    uint8_t *seen = memory_take_zeroed(m, list->given / 8 + 1, 1);
    uint32_t *places = memory_take_zeroed(m, list->given + 1, sizeof *places);
    bool failed = !seen || !places;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, PLAN_MAGIC, sizeof head.magic);
    head.version = PLAN_VERSION;
    head.byte_order = PLAN_BYTE_ORDER;
    head.pattern_count = (uint32_t)list->count;
    head.given = (uint32_t)list->given;
    head.part_count = part_count;
    head.cell_size = list->cell_size;
    head.tag = list->tag;
    head.texts = list->keep_texts;
    set_lengths(list, false, &head.min_length, &head.max_length);
    for (size_t i = 0; list->patterns && i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        head.once += p->flags & TRAWL_ONCE ? 1 : 0;
        const uint32_t beside = beside_of(&p->before, &p->after, &p->asks);
        head.bordered += is_bordered(p) || p->opened;
        head.beside = beside > head.beside ? beside : head.beside;
        head.to_end |= p->asks.place == TRAWL_PLACE_END;
        if (p->opened)
            head.opened = (uint32_t)list->opening + 1;
    }

    for (int i = 0; i < PLAN_SECTIONS; i++)
        all.of[i].memory = m;
    block_append(strings, "", 1, 1);
    head.engine = add_string(strings, engine);
    head.why = add_string(strings, why);
    if (!failed)
        add_patterns(list, &all, seen, places);
    memory_give(m, seen);
    memory_give(m, places);
    for (uint32_t i = 0; i < part_count; i++)
        add_part(&parts[i], &head, &all);
    if (list->note_length)
        block_append(&all.of[PLAN_NOTE], list->note, list->note_length, 1);
    place_sections(&all, &head);
    for (int i = 0; i < PLAN_SECTIONS; i++)
        failed |= all.of[i].failed;
    trawl_plan *made = NULL;
    int status = TRAWL_OK;
    if (!failed && strings->size > UINT32_MAX)
        status = fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                      "the names and texts of the patterns are longer than 4 GiB: compile fewer at "
                      "once");
    else if (failed || !(made = plan_alloc(m, (size_t)head.bytes)))
        status =
            memory_failed(m, error, "the plan of %zu pattern%s", list->count, plural(list->count));
    if (made) {
        fill_block(&all, parts, &head, made);
        status = plan_finish(m, made, error);
    }
    for (int i = 0; i < PLAN_SECTIONS; i++)
        block_free(&all.of[i]);
    if (status == TRAWL_OK)
        *plan = made;
    else
        trawl_plan_free(made);
    return status;
}

/* ---- loading ---------------------------------------------------------- */

trawl_plan *plan_alloc(memory *m, size_t size)
{
    const size_t before = sizeof(trawl_plan) + PLAN_ALIGN - 1;
    trawl_plan *plan = size > SIZE_MAX - before ? NULL : memory_take_zeroed(m, before + size, 1);
    if (!plan)
        return NULL;
    plan->from = m->from;
    plan->block = (uint8_t *)plan + before - ((uintptr_t)plan + before) % PLAN_ALIGN;
    return plan;
}

int plan_finish(memory *m, trawl_plan *plan, trawl_error *error)
{
    const uint32_t count = plan_head(plan)->pattern_count;
    const plan_pattern *patterns = plan_patterns(plan);
    plan->by_order = memory_take_array(m, plan_head(plan)->given, sizeof *plan->by_order);
    if (!plan->by_order)
        return memory_failed(m, error, "a plan of %u pattern%s", count, plural(count));
    plan->fixed = true;
    plan->alternatives = plan_head(plan)->given < count;
    for (uint32_t i = count; i-- > 0;) {
        plan->by_order[patterns[i].order] = i;
        plan->doubtful |= plan_doubtful(plan, &patterns[i]);
        plan->alternatives |= (patterns[i].flags & PLAN_VARIED) != 0;
        plan->fixed = plan->fixed && plan_fixed_length(&patterns[i]);
    }
    return TRAWL_OK;
}

static bool element_valid(const element *e)
{
    bool empty = class_empty(&e->set);
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

static bool border_valid(const border *b)
{
    return b->given <= 1 && b->edge[0] <= 1 && b->edge[1] <= 1 && b->own <= 1 && b->last <= 256;
}

/* There is only one valid way to say what it asks for. */
static bool asked_valid(const plan_borders *b)
{
    const demands *d = &b->asks;
    return d->place <= TRAWL_PLACE_END && d->word <= TRAWL_WORD_FULL_WIDE &&
           (d->place != TRAWL_PLACE_ANY || (!d->offset && !d->within)) &&
           (d->word != TRAWL_WORD_FULL || (b->before.given && b->after.given));
}

/* What a pattern says of its borders. What comes before a match of variable length is asked for by
 * the engine, and by its own byte only where its start follows from its end, for the reporter asks
 * for starts before it has read what follows them. */
static bool borders_valid(const plan_pattern *p, const plan_borders *borders, uint64_t count)
{
    const bool opened = (p->flags & PLAN_OPENED) != 0, program = (p->flags & PLAN_PROGRAM) != 0;
    if (p->borders == 0)
        return !opened || program;
    if (p->borders > count)
        return false;
    const plan_borders *b = &borders[p->borders - 1];
    return border_valid(&b->before) && border_valid(&b->after) && asked_valid(b) &&
           (b->before.given || b->after.given || asked_of_start(&b->asks)) &&
           (b->before.given || !opened || program) && !b->before.last &&
           (!b->before.given || plan_one_length(p) || (opened && !b->before.own));
}

/* Programs stand in the order of the patterns, each once; those of one order share one. What has
 * elements too, for engines, may have other lengths than the program. `places` is as in
 * add_program, and *next where the next one begins, in words of 8 bytes. */
static bool program_valid(memory *m, const plan_pattern *p, const uint64_t *programs, uint64_t room,
                          uint32_t *places, uint64_t *next)
{
    const uint64_t at = p->program - UINT64_C(1);
    const program *own = (const void *)(programs + at);
    uint64_t min, max;
    if (at > room || room - at < sizeof *own / 8)
        return false;
    if (places[p->order] == 0) {
        if (at != *next || own->positions > PROGRAM_MAX_POSITIONS || own->links > PROGRAM_MAX_LINKS)
            return false;
        const uint64_t words = program_size(own->positions, own->links) / 8;
        if (words > room - at || !program_check(m, own, (size_t)words * 8))
            return false;
        places[p->order] = p->program;
        *next += words;
    }
    if (places[p->order] != p->program)
        return false;
    return !(p->flags & PLAN_PROGRAM) || p->when == 0 ||
           (program_measure(m, own, &min, &max) && min == p->min_length && max == p->max_length);
}

static bool flags_valid(uint32_t flags)
{
    return flags >> PLAN_SYNTAX <= TRAWL_SYNTAX_HEX &&
           !(flags & ((1u << PLAN_SYNTAX) - 1) &
             ~(uint32_t)(PATTERN_FLAGS | PLAN_OPENED | PLAN_VARIED | PLAN_PROGRAM));
}

/* No search reads the text: it need only be there. */
static bool text_valid(const plan_pattern *p, const plan_header *head)
{
    const uint64_t room = head->section[PLAN_STRINGS].bytes;
    return p->text <= room && p->text_length <= room - p->text &&
           (head->texts || (!p->text && !p->text_length));
}

static bool patterns_valid(memory *m, const uint8_t *bytes, const plan_header *head)
{
    const plan_range *section = head->section;
    const plan_pattern *patterns = (const void *)(bytes + section[PLAN_PATTERNS].offset);
    const element *elements = (const void *)(bytes + section[PLAN_ELEMENTS].offset);
    uint64_t element_count = section[PLAN_ELEMENTS].bytes / sizeof(element);
    uint64_t low = UINT64_MAX, high = 0;
    const plan_borders *borders = (const void *)(bytes + section[PLAN_BORDERS].offset);
    const uint64_t border_count = section[PLAN_BORDERS].bytes / sizeof *borders;
    const uint64_t *own = (const void *)(bytes + section[PLAN_PROGRAMS].offset);
    const uint64_t room = section[PLAN_PROGRAMS].bytes / 8;
    uint8_t *seen = memory_take_zeroed(m, head->pattern_count / 8 + 1, 1);
    uint32_t *places = room ? memory_take_zeroed(m, head->pattern_count, sizeof *places) : NULL;
    uint64_t once = 0, bordered = 0, programs = 0;
    uint32_t opened = 0, orders = 0, beside = 0, to_end = 0;
    bool valid = seen && (places || !room) && head->given <= head->pattern_count;
    for (uint32_t i = 0; valid && i < head->pattern_count; i++) {
        const plan_pattern *p = &patterns[i];
        uint64_t longest = head->cell_size ? p->min_length : p->max_length;
        orders += p->order < head->given && !(seen[p->order / 8] >> (p->order % 8) & 1);
        valid = p->order < head->given && !(p->flags & PLAN_VARIED && head->cell_size) &&
                p->name < section[PLAN_STRINGS].bytes && p->min_length >= 1 &&
                (head->cell_size ? !p->elements && p->max_length >= 1 &&
                                       p->min_length <= INT32_MAX && p->max_length <= INT32_MAX
                                 : p->min_length <= p->max_length) &&
                (head->cell_size ? p->flags == 0 : flags_valid(p->flags)) && text_valid(p, head) &&
                (head->cell_size ? !p->borders : borders_valid(p, borders, border_count)) &&
                !(p->flags & PLAN_PROGRAM && (p->elements || !p->program)) &&
                (p->flags & PLAN_PROGRAM ? !(p->when & ~(uint32_t)AFTER_ANY) : !p->when) &&
                (!p->program ||
                 (places && !head->cell_size && program_valid(m, p, own, room, places, &programs)));
        if (valid && !(p->flags & PLAN_PROGRAM))
            valid = p->elements <= element_count && p->first <= element_count - p->elements &&
                    (head->cell_size || plan_fixed_length(p) == (p->elements == 0)) &&
                    (p->elements ? elements_valid(p, elements + p->first)
                                 : p->min_length <= PATTERN_MAX_LENGTH || head->cell_size);
        if (valid)
            seen[p->order / 8] |= (uint8_t)(1u << (p->order % 8));
        once += p->flags & TRAWL_ONCE ? 1 : 0;
        bordered += p->borders != 0 || p->flags & PLAN_OPENED;
        if (valid && p->borders) {
            const plan_borders *b = &borders[p->borders - 1];
            const uint32_t its = beside_of(&b->before, &b->after, &b->asks);
            beside = its > beside ? its : beside;
            to_end |= b->asks.place == TRAWL_PLACE_END;
        }
        opened |= p->flags & PLAN_OPENED ? 1 : 0;
        low = p->min_length < low ? p->min_length : low;
        high = longest > high ? longest : high;
    }
    memory_give(m, seen);
    memory_give(m, places);
    return valid && programs == room && low == head->min_length && high == head->max_length &&
           once == head->once && bordered == head->bordered && beside == head->beside &&
           to_end == head->to_end && opened == (head->opened ? 1 : 0) && head->opened <= 256 &&
           orders == head->given;
}

static bool stages_valid(const plan_header *head, const plan_part *part, const plan_stage *stages)
{
    const uint64_t count = head->section[PLAN_STAGES].bytes / sizeof *stages;
    const uint64_t room = head->section[PLAN_TABLES].bytes;
    if (part->stage_count < 1 || part->stage_count > MAX_STAGES || part->first_stage > count ||
        part->stage_count > count - part->first_stage)
        return false;
    stages += part->first_stage;
    for (uint32_t i = 0; i < part->stage_count; i++)
        if (stages[i].tables % PLAN_ALIGN || stages[i].tables > room || stages[i].bytes % 4 ||
            stages[i].bytes > room - stages[i].tables || stages[i].state_words > UINT32_MAX)
            return false;
    for (uint32_t i = 0; part->carries && i < part->stage_count; i++)
        if (stages[i].state_words != stages[0].state_words || /* the part has one state */
            stages[i].masks % 8 || stages[i].masks > stages[i].bytes ||
            stages[i].state_words > (stages[i].bytes - stages[i].masks) / 16)
            return false;
    return true;
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
        const uint64_t lead = p->flags & PLAN_OPENED ? 1 : 0;
        const uint64_t most = head->cell_size ? p->min_length : p->max_length;
        const uint64_t longest = most == LENGTH_UNBOUNDED ? most : most + lead;
        seen[index / 8] |= (uint8_t)(1u << (index % 8));
        low = p->min_length + lead < low ? p->min_length + lead : low;
        high = longest > high ? longest : high;
    }
    return part->min_length == low && part->max_length == high &&
           (part->carries || high != LENGTH_UNBOUNDED);
}

/* Every pattern is in one part; lengths, reach and state follow from the parts. */
static bool parts_valid(memory *m, const uint8_t *bytes, const plan_header *head)
{
    const plan_pattern *patterns = (const void *)(bytes + head->section[PLAN_PATTERNS].offset);
    const plan_part *parts = (const void *)(bytes + head->section[PLAN_PARTS].offset);
    const plan_stage *stages = (const void *)(bytes + head->section[PLAN_STAGES].offset);
    const uint32_t *indexes = (const void *)(bytes + head->section[PLAN_INDEXES].offset);
    const bool divided = head->part_count > 1;
    const uint64_t index_count = head->section[PLAN_INDEXES].bytes / sizeof *indexes;
    uint64_t reach = 0, state = 0;
    uint32_t carries = 0, members = 0; /* of the parts so far */
    uint8_t *seen = memory_take_zeroed(m, head->pattern_count / 8 + 1, 1);
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
    memory_give(m, seen);
    return valid && members == head->pattern_count && head->carries == carries &&
           head->reach == reach && head->state_words == state && state <= UINT32_MAX;
}

int plan_check(memory *m, const void *bytes, size_t size, trawl_error *error)
{
    const plan_header *head = (const plan_header *)bytes;
    if (size >= sizeof head->magic &&
        memcmp(bytes, TRAWL_PLAN_CONDITIONAL, sizeof head->magic) == 0)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "the plan is of lines that no match tells (an empty pattern, ^$), or of an "
                    "older form: search with `trawl grep --plan`, or compile the patterns again");
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
        [PLAN_PROGRAMS] = 8,
        [PLAN_BORDERS] = sizeof(plan_borders),
        [PLAN_STRINGS] = 1,
        [PLAN_PARTS] = sizeof(plan_part),
        [PLAN_INDEXES] = sizeof(uint32_t),
        [PLAN_STAGES] = sizeof(plan_stage),
        [PLAN_TABLES] = 4,
        [PLAN_NOTE] = 1,
    };
    bool valid = head->pattern_count >= 1 && head->pattern_count <= PATTERN_MAX_COUNT &&
                 head->part_count >= 1 && head->part_count <= MAX_PARTS && head->cell_size <= 4 &&
                 head->texts <= !head->cell_size;
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
    valid = valid && patterns_valid(m, (const uint8_t *)bytes, head) &&
            parts_valid(m, (const uint8_t *)bytes, head);
    if (m->failure)
        return memory_failed(m, error, "checking a plan of %u pattern%s", head->pattern_count,
                             plural(head->pattern_count));
    if (!valid)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the plan contradicts itself: it was not written by Trawl; compile it again");
    return TRAWL_OK;
}
