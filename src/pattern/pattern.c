/* pattern.c: from the caller's patterns and needles to the validated, ordered list.
 *
 * Idea: check the arguments, let the syntax's parser fill each pattern, measure it, sort.
 * Invariant: the list starts zeroed and each pattern owns what it points to, so one
 * function frees a list at any stage and an error leaves nothing behind.
 * Cost: O(bytes of text + n log n) for n patterns; two allocations for each pattern.
 */
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "pattern/border.h"
#include "pattern/extended.h"
#include "pattern/program.h"
#include "pattern/syntax.h"

#define MAX_KINDS 64u                      /* elements that may hold a match's first byte */
#define MIN_RANKED 1000u                   /* fewer patterns are sorted by comparing */
#define MAX_RANKED 2000u                   /* bytes */
#define GRID_MAX_BYTES (UINT64_C(1) << 31) /* of one needle: keeps its offsets within 32 bits */

/* Note which pattern or needle an error belongs to. */
static int blame(trawl_error *error, size_t index, int code)
{
    if (error && code < 0)
        error->pattern = index;
    return code;
}

void pattern_list_free(pattern_list *list)
{
    if (!list)
        return;
    for (size_t i = 0; list->patterns && i < list->count; i++) {
        memory_give(list->memory, list->patterns[i].bytes);
        memory_give(list->memory, list->patterns[i].elements);
        if (!list->patterns[i].shared)
            memory_give(list->memory, list->patterns[i].program);
        memory_give(list->memory, list->patterns[i].name);
    }
    for (size_t i = 0; list->needles && i < list->count; i++) {
        memory_give(list->memory, list->needles[i].cells);
        memory_give(list->memory, list->needles[i].mask);
        memory_give(list->memory, list->needles[i].name);
    }
    memory_give(list->memory, list->patterns);
    memory_give(list->memory, list->needles);
    *list = (pattern_list){ 0 };
}

bool pattern_list_has_programs(const pattern_list *list)
{
    for (size_t i = 0; list->patterns && i < list->count; i++)
        if (pattern_is_program(&list->patterns[i]))
            return true;
    return false;
}

static int copy_name(memory *m, const char *name, char **copy, trawl_error *error)
{
    if (!name)
        return TRAWL_OK;
    size_t size = strlen(name) + 1;
    *copy = memory_take(m, size);
    if (!*copy)
        return memory_failed(m, error, "a name");
    memcpy(*copy, name, size);
    return TRAWL_OK;
}

/* `what` is "patterns" or "needles". */
static int check_count(const void *array, size_t count, const char *what, trawl_error *error)
{
    if (!array || count == 0)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "no %s given: give one at least",
                    what);
    if (count > PATTERN_MAX_COUNT)
        return fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                    "%zu %s are too many for one plan: split them into plans of up to %u", count,
                    what, PATTERN_MAX_COUNT);
    return TRAWL_OK;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* ---- text ---------------------------------------------------------------- */

/* NULL when there is no such syntax. */
static syntax_parser *find_parser(uint32_t number)
{
#define SYNTAX_CASE(number, name, about)                                                           \
    case number:                                                                                   \
        return parse_##name;

    switch (number) {
        SYNTAXES(SYNTAX_CASE)
    default:
        return NULL;
    }
#undef SYNTAX_CASE
}

#define SYNTAX_ABOUT(number, name, about) " " #name " (" about "),"

static int check_pattern(const trawl_pattern *src, trawl_error *error)
{
    if (!src->text && src->length > 0)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the pattern's text is NULL but its length is %zu", src->length);
    if (!find_parser(src->syntax))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "unknown syntax %lu: trawl_syntax has" SYNTAXES(SYNTAX_ABOUT) " and no other",
                    (unsigned long)src->syntax);
    if (src->flags & ~(uint32_t)PATTERN_FLAGS)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "unknown flags 0x%lx: use TRAWL_NOCASE, TRAWL_LINES, TRAWL_ONCE, TRAWL_WORDS, "
                    "TRAWL_WHOLE_LINES, TRAWL_NULS, TRAWL_AMBIGUOUS and TRAWL_OTHER_STRAND",
                    (unsigned long)src->flags);
    if (src->flags & IUPAC_FLAGS && src->syntax != TRAWL_SYNTAX_IUPAC)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "TRAWL_AMBIGUOUS and TRAWL_OTHER_STRAND are for TRAWL_SYNTAX_IUPAC: only "
                    "bases have codes and complements");
    if (src->length == 0)
        return fail(error, TRAWL_ERROR_PATTERN, 0,
                    "the pattern is empty and would match everywhere: give one byte at least");
    return TRAWL_OK;
}

/* Set the lengths of the matches. The parser has bounded them; they are not 0. */
static void measure(pattern *p)
{
    if (p->literal)
        p->min_length = p->max_length = p->length;
    for (size_t i = 0; !p->literal && i < p->length; i++) {
        p->min_length += p->elements[i].min;
        if (p->elements[i].max == REPEAT_UNBOUNDED)
            p->max_length = LENGTH_UNBOUNDED;
        else if (p->max_length != LENGTH_UNBOUNDED)
            p->max_length += p->elements[i].max;
    }
}

/* Codes of residues have no case: lower case masks them in a text, and is a habit in a pattern. */
static uint32_t implied_flags(uint32_t syntax)
{
    return syntax == TRAWL_SYNTAX_IUPAC || syntax == TRAWL_SYNTAX_PROSITE ? TRAWL_NOCASE : 0;
}

/* Make the alternative that *next tells. */
static int make_pattern(memory *m, const trawl_pattern *src, const trawl_conditions *conditions,
                        size_t order, size_t *next, pattern *out, trawl_error *error)
{
    trawl_pattern meant = *src;
    meant.flags |= implied_flags(src->syntax);
    out->id = src->id;
    out->order = (uint32_t)order;
    out->flags = meant.flags;
    out->folded = meant.flags != src->flags;
    out->syntax = src->syntax;
    out->text = src->text;
    out->text_length = src->length;
    int status = find_parser(src->syntax)(m, &meant, next, out, error);
    if (status == TRAWL_OK && out->program)
        status = border_program(m, out, conditions, error);
    if (status == TRAWL_OK && !pattern_is_program(out))
        status = border_conditions(out, conditions, error);
    if (status == TRAWL_OK && !pattern_is_program(out))
        status = border_flags(out, error);
    if (status != TRAWL_OK)
        return status;
    if (!pattern_is_program(out))
        measure(out);
    return copy_name(m, src->name, &out->name, error);
}

/* Add a zeroed pattern after the others of a list that has room for *room. */
static pattern *add_pattern(pattern_list *list, size_t *room)
{
    if (list->count == *room) {
        const size_t wanted = 2 * *room;
        pattern *grown = memory_grow(list->memory, list->patterns, wanted * sizeof *grown);
        if (!grown)
            return NULL;
        list->patterns = grown;
        *room = wanted;
    }
    pattern *p = &list->patterns[list->count++];
    memset(p, 0, sizeof *p);
    return p;
}

/* Replace the last pattern by alternatives, if what may stand before a match depends on its first
 * byte: in each of them that byte is of one kind. */
static int divide_kinds(pattern_list *list, size_t *room, const char *name, trawl_error *error)
{
    memory *m = list->memory;
    const size_t index = list->count - 1, kinds = border_kinds(&list->patterns[index]);
    int status = TRAWL_OK;
    if (kinds > MAX_KINDS)
        return fail(error, TRAWL_ERROR_LIMIT, 0,
                    "a condition before a match depends on its first byte, which may be of more "
                    "than %u elements: let fewer of the first ones be left out",
                    MAX_KINDS);
    for (size_t k = 0; status == TRAWL_OK && k < 2 * kinds; k++) {
        pattern made;
        bool some;
        status = border_divide(m, &list->patterns[index], k / 2, k % 2, &made, &some, error);
        if (status != TRAWL_OK || !some)
            continue;
        pattern *p = add_pattern(list, room);
        if (!p) {
            memory_give(m, made.elements);
            return memory_failed(m, error, "%zu pattern%s", list->count, plural(list->count));
        }
        *p = made;
        p->min_length = p->max_length = 0;
        measure(p);
        status = copy_name(m, name, &p->name, error);
    }
    pattern *whole = &list->patterns[index];
    if (kinds && list->count == index + 1) {
        border_shorten(whole);
    } else if (kinds) {
        whole[1].shared = false; /* the first alternative owns the program, if there is one */
        memory_give(m, whole->elements);
        memory_give(m, whole->name);
        *whole = list->patterns[--list->count];
    }
    return status;
}

/* The conditions on what stands after a match of a program, each once; NULL: memory. */
static uint32_t *end_conditions(memory *m, const program *p, uint32_t *count)
{
    uint32_t *conditions = memory_take_array(m, AFTER_ANY, sizeof *conditions);
    bool seen[AFTER_ANY + 1] = { false };
    *count = 0;
    for (uint32_t i = 0; conditions && i < p->links; i++) {
        const program_link *l = &program_links(p)[i];
        if (l->to != PROGRAM_END || seen[l->when])
            continue;
        seen[l->when] = true;
        conditions[(*count)++] = l->when;
    }
    return conditions;
}

/* The last pattern is a program: make a pattern of each condition that it has after its matches. */
static int divide_ends(pattern_list *list, size_t *room, const char *name, trawl_error *error)
{
    memory *m = list->memory;
    const size_t index = list->count - 1;
    uint32_t count;
    uint32_t *conditions = end_conditions(m, list->patterns[index].program, &count);
    int status = conditions ? TRAWL_OK : memory_failed(m, error, "a program");
    for (uint32_t i = 0; status == TRAWL_OK && i < count; i++) {
        pattern *p = &list->patterns[index];
        if (i > 0 && !(p = add_pattern(list, room))) {
            status = memory_failed(m, error, "%zu pattern%s", list->count, plural(list->count));
            break;
        }
        if (i > 0) {
            *p = list->patterns[index];
            p->shared = true;
            p->name = NULL;
            status = copy_name(m, name, &p->name, error);
        }
        border_after(p, conditions[i]);
    }
    memory_give(m, conditions);
    return status;
}

/* Give a literal elements too. */
static int spell(memory *m, pattern *p, trawl_error *error)
{
    p->elements = memory_take_array(m, p->length, sizeof *p->elements);
    if (!p->elements)
        return memory_failed(m, error, "a pattern of %zu elements", p->length);
    for (size_t i = 0; i < p->length; i++) {
        const uint8_t byte = p->bytes[i];
        element e = { .min = 1, .max = 1 };
        class_add(&e.set, byte);
        if (p->flags & TRAWL_NOCASE && byte >= 'a' && byte <= 'z')
            class_add(&e.set, byte - ('a' - 'A'));
        p->elements[i] = e;
    }
    return TRAWL_OK;
}

/* If alternatives have different lengths, each of them is a pattern of variable length. */
static int mark_varied(memory *m, pattern *alternatives, size_t count, trawl_error *error)
{
    bool varied = false;
    int status = TRAWL_OK;
    for (size_t i = 0; i < count; i++)
        varied |= alternatives[i].varied ||
                  alternatives[i].min_length != alternatives[0].max_length ||
                  alternatives[i].max_length != alternatives[0].max_length;
    for (size_t i = 0; status == TRAWL_OK && varied && i < count; i++) {
        if (alternatives[i].literal && alternatives[i].length > PATTERN_MAX_STATES)
            return fail(error, TRAWL_ERROR_LIMIT, 0,
                        "an alternative has more than %u states: give it as its own pattern",
                        PATTERN_MAX_STATES);
        alternatives[i].varied = true;
        if (alternatives[i].literal)
            status = spell(m, &alternatives[i], error);
    }
    return status;
}

/* The alternatives of an expression, from index `first` on, vary in length: which of them is
 * preferred, a program of all tells. The first one owns it. There is none where no text matches. */
static int add_priorities(pattern_list *list, size_t first, const trawl_pattern *src,
                          const trawl_conditions *conditions, trawl_error *error)
{
    memory *m = list->memory;
    pattern *p = &list->patterns[first];
    trawl_error none;
    int status = extended_program(m, src, &p->program, &none);
    p->shared = false; /* it was set if kinds of first bytes have divided the alternative */
    if (status == TRAWL_OK)
        status = border_program(m, p, conditions, &none);
    if (status == TRAWL_ERROR_PATTERN) {
        memory_give(m, p->program);
        p->program = NULL;
    } else if (status != TRAWL_OK) {
        if (error)
            *error = none;
        return status;
    }
    for (size_t i = first + 1; p->program && i < list->count; i++) {
        list->patterns[i].program = p->program;
        list->patterns[i].shared = true;
    }
    return TRAWL_OK;
}

static int make_alternatives(memory *m, const trawl_pattern *src,
                             const trawl_conditions *conditions, size_t order, pattern_list *list,
                             size_t *room, trawl_error *error)
{
    const size_t first = list->count;
    size_t next = 0, written = 0;
    int status = check_pattern(src, error);
    for (; status == TRAWL_OK && next != LAST_ONE; written++) {
        pattern *p = add_pattern(list, room);
        status = p ? make_pattern(m, src, conditions, order, &next, p, error)
                   : memory_failed(m, error, "%zu pattern%s", list->count, plural(list->count));
        if (status == TRAWL_OK && pattern_is_program(p))
            status = divide_ends(list, room, src->name, error);
        else if (status == TRAWL_OK)
            status = divide_kinds(list, room, src->name, error);
    }
    if (status == TRAWL_OK && list->count - first > 1)
        status = mark_varied(m, &list->patterns[first], list->count - first, error);
    return status == TRAWL_OK && written > 1 && src->syntax == TRAWL_SYNTAX_EXTENDED &&
                   list->patterns[first].varied
               ? add_priorities(list, first, src, conditions, error)
               : status;
}

static int compare_patterns(const void *left, const void *right)
{
    const pattern *a = left, *b = right;
    const bool a_varies = a->varied || a->min_length != a->max_length;
    const bool b_varies = b->varied || b->min_length != b->max_length;
    if (a_varies != b_varies)
        return a_varies ? 1 : -1;
    if (!a_varies && a->max_length != b->max_length)
        return compare(b->max_length, a->max_length);
    if (a->id != b->id)
        return compare(a->id, b->id);
    return a->order != b->order ? compare(a->order, b->order) : compare(a->when, b->when);
}

/* A pattern's rank by length: the longest fixed ones first, those of variable length last. */
static size_t length_rank(const pattern *p)
{
    return p->min_length == p->max_length && !p->varied ? MAX_RANKED - (size_t)p->max_length
                                                        : MAX_RANKED;
}

/* Whether all can be ranked, and ids do not fall: then a stable sort by rank is the order. */
static bool is_ranked(const pattern_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        if ((p->min_length == p->max_length && p->max_length > MAX_RANKED) ||
            (i && p->id < p[-1].id))
            return false;
    }
    return true;
}

/* Sort a large list by counting. False, and the list is as it was: it cannot be ranked, or memory
 * is short. */
static bool sort_ranked(memory *m, pattern_list *list)
{
    size_t begins[MAX_RANKED + 2] = { 0 };
    if (list->count < MIN_RANKED || !is_ranked(list))
        return false;
    pattern *sorted = memory_take_array(m, list->count, sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < list->count; i++)
        begins[length_rank(&list->patterns[i]) + 1]++;
    for (size_t rank = 1; rank <= MAX_RANKED; rank++)
        begins[rank] += begins[rank - 1];
    for (size_t i = 0; i < list->count; i++)
        sorted[begins[length_rank(&list->patterns[i])]++] = list->patterns[i];
    memory_give(m, list->patterns);
    list->patterns = sorted;
    return true;
}

int pattern_list_make(memory *m, const trawl_pattern *patterns, size_t count,
                      const trawl_conditions *const *conditions, pattern_list *list,
                      trawl_error *error)
{
    *list = (pattern_list){ .memory = m };
    int status = check_count(patterns, count, "patterns", error);
    if (status != TRAWL_OK)
        return status;
    size_t room = count;
    list->given = count;
    list->patterns = memory_take_array(m, room, sizeof *list->patterns);
    if (!list->patterns)
        return memory_failed(m, error, "%zu pattern%s", count, plural(count));
    for (size_t i = 0; i < count; i++) {
        status = make_alternatives(m, &patterns[i], conditions ? conditions[i] : NULL, i, list,
                                   &room, error);
        blame(error, i, status);
        if (status == TRAWL_OK && list->count > PATTERN_MAX_COUNT)
            status = check_count(patterns, list->count, "patterns", error);
        if (status != TRAWL_OK) {
            pattern_list_free(list);
            return status;
        }
    }
    if (!sort_ranked(m, list))
        qsort(list->patterns, list->count, sizeof *list->patterns, compare_patterns);
    status = border_open(m, list, error);
    if (status != TRAWL_OK)
        pattern_list_free(list);
    return status;
}

/* ---- grids --------------------------------------------------------------- */

bool cells_aligned(const void *cells, uint64_t stride, uint32_t cell_size)
{
    const uint32_t unit = cell_size == 3 ? 1 : cell_size;
    return stride % unit == 0 && (uintptr_t)cells % unit == 0;
}

/* `stride` is the needle's with its default filled in. */
static int check_needle(const trawl_needle *src, uint32_t cell_size, uint64_t stride,
                        trawl_error *error)
{
    if (!src->cells)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "the needle's cells are NULL");
    if (src->rows == 0 || src->cols == 0)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the needle is empty: give one row and one column at least");
    if (src->cols > GRID_MAX_BYTES / cell_size ||
        src->rows > GRID_MAX_BYTES / cell_size / src->cols)
        return fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                    "the needle is larger than 2 GiB: cut a part out of it");
    if (stride < src->cols * cell_size)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the needle's stride of %zu bytes is shorter than its row", src->stride);
    if (stride > PTRDIFF_MAX / src->rows)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the needle's stride of %zu bytes is larger than memory", src->stride);
    if (!cells_aligned(src->cells, stride, cell_size))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the needle's cells or stride are not aligned to cells of %u bytes",
                    (unsigned)cell_size);
    return TRAWL_OK;
}

/* Copy the mask, unless it hides nothing. */
static int copy_mask(memory *m, const uint8_t *mask, needle *out, trawl_error *error)
{
    const size_t cells = (size_t)out->rows * out->cols;
    size_t compared = 0;
    for (size_t i = 0; mask && i < cells; i++)
        compared += mask[i] != 0;
    if (!mask || compared == cells)
        return TRAWL_OK;
    if (compared == 0)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the mask leaves no cell of the needle to compare");
    out->mask = memory_take_array(m, cells, 1);
    if (!out->mask)
        return memory_failed(m, error, "a needle's mask");
    memcpy(out->mask, mask, cells);
    return TRAWL_OK;
}

static int make_needle(memory *m, const trawl_needle *src, uint32_t cell_size, size_t order,
                       const uint8_t *mask, needle *out, trawl_error *error)
{
    uint64_t stride = src->stride ? src->stride : src->cols * cell_size;
    int status = check_needle(src, cell_size, stride, error);
    if (status != TRAWL_OK)
        return status;
    size_t width = (size_t)src->cols * cell_size;
    out->id = src->id;
    out->order = (uint32_t)order;
    out->rows = (uint32_t)src->rows;
    out->cols = (uint32_t)src->cols;
    out->cells = memory_take_array(m, out->rows, width);
    if (!out->cells)
        return memory_failed(m, error, "a needle");
    for (size_t row = 0; row < out->rows; row++)
        memcpy(out->cells + row * width, (const uint8_t *)src->cells + row * stride, width);
    status = copy_mask(m, mask, out, error);
    return status == TRAWL_OK ? copy_name(m, src->name, &out->name, error) : status;
}

static int compare_needles(const void *left, const void *right)
{
    const needle *a = left, *b = right;
    return a->id != b->id ? compare(a->id, b->id) : compare(a->order, b->order);
}

/* Read what the caller lets pass, except the masks. */
static int read_likeness(const trawl_likeness *likeness, pattern_list *list, trawl_error *error)
{
    const uint32_t size = list->cell_size;
    trawl_likeness read = TRAWL_LIKENESS_INIT;
    int status = read_options(&read, sizeof read, SIZE_UP_TO(trawl_likeness, wrong), likeness,
                              "likeness", error);
    if (status != TRAWL_OK)
        return status;
    list->channel_bytes = read.channel_bytes ? read.channel_bytes : size;
    if (size % list->channel_bytes != 0)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "channels of %u bytes do not divide cells of %u bytes",
                    (unsigned)read.channel_bytes, (unsigned)size);
    list->tolerance = read.tolerance;
    list->wrong = read.wrong < UINT32_MAX ? (uint32_t)read.wrong : UINT32_MAX;
    list->alike = read.tolerance || read.wrong;
    return TRAWL_OK;
}

int pattern_list_make_grid(memory *m, const trawl_needle *needles, size_t count, uint32_t cell_size,
                           const trawl_likeness *likeness, pattern_list *list, trawl_error *error)
{
    *list = (pattern_list){ .memory = m };
    int status = check_count(needles, count, "needles", error);
    if (status != TRAWL_OK)
        return status;
    if (cell_size < 1 || cell_size > 4)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "cells of %lu bytes are not supported: use 1 to 4", (unsigned long)cell_size);
    list->cell_size = cell_size;
    status = read_likeness(likeness, list, error);
    if (status != TRAWL_OK)
        return status;
    list->needles = memory_take_zeroed(m, count, sizeof *list->needles);
    if (!list->needles)
        return memory_failed(m, error, "%zu needle%s", count, plural(count));
    list->count = list->given = count;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *mask = likeness && likeness->masks ? likeness->masks[i] : NULL;
        status = blame(error, i,
                       make_needle(m, &needles[i], cell_size, i, mask, &list->needles[i], error));
        list->alike |= list->needles[i].mask != NULL;
        if (status != TRAWL_OK) {
            pattern_list_free(list);
            return status;
        }
    }
    qsort(list->needles, count, sizeof *list->needles, compare_needles);
    return TRAWL_OK;
}
