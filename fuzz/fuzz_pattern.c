/* fuzz_pattern.c: libFuzzer target for the pattern parsers.
 *
 * The first byte picks syntax and flags, the rest is one pattern's text. Whatever it
 * is, the parser must either fail with a complete error and an empty list, or give a
 * pattern that holds every promise of pattern.h. A broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "pattern/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
    if (!promise)
        abort();
}

static void check_error(int status, const trawl_error *error, const pattern_list *list,
                        size_t length)
{
    require(status == error->code && status < 0);
    require(error->pattern == 0 || error->pattern == TRAWL_NONE);
    require(error->offset == TRAWL_NONE || error->offset <= length);
    require(memchr(error->message, '\0', sizeof error->message) != NULL);
    require(error->message[0] != '\0' && !strpbrk(error->message, "\r\n"));
    require(error->offset == TRAWL_NONE || strncmp(error->message, "column ", 7) == 0);
    require(list->count == 0 && !list->patterns && !list->needles);
}

static void check_literal(const pattern *p)
{
    require(p->bytes && (!p->elements || p->varied) && p->length >= 1);
    require(p->min_length == p->length && p->max_length == p->length);
    for (size_t i = 0; i < p->length; i++) {
        require(!(p->flags & TRAWL_LINES) || p->bytes[i] != '\n' || (p->opened && i == 0));
        require(!(p->flags & TRAWL_NOCASE) || p->bytes[i] == fold_byte(p->bytes[i]));
    }
}

static void check_folded(const byte_class *set)
{
    for (unsigned c = 'A'; c <= 'Z'; c++)
        require(class_has(set, c) == class_has(set, c + 32));
}

static void check_element(const element *e, uint32_t flags)
{
    require(e->max >= 1 && e->min <= e->max);
    require(e->min <= PATTERN_MAX_STATES);
    require(e->max <= PATTERN_MAX_STATES || e->max == REPEAT_UNBOUNDED);
    require(e->set.bits[0] | e->set.bits[1] | e->set.bits[2] | e->set.bits[3]);
    require(!(flags & TRAWL_LINES) || !class_has(&e->set, '\n'));
    if (flags & TRAWL_NOCASE)
        check_folded(&e->set);
}

static void check_elements(const pattern *p)
{
    uint64_t min = 0, max = 0;
    bool unbounded = false;
    require(p->elements && !p->bytes && p->length >= 1);
    for (size_t i = 0; i < p->length; i++) {
        const uint32_t own = p->opened && i == 0 ? ~(uint32_t)TRAWL_LINES : ~0u;
        check_element(&p->elements[i], p->flags & own);
        min += p->elements[i].min;
        max += p->elements[i].max;
        unbounded |= p->elements[i].max == REPEAT_UNBOUNDED;
    }
    require(min >= 1 && p->min_length == min);
    require(p->max_length == (unbounded ? LENGTH_UNBOUNDED : max));
}

static void check_program(const pattern *p)
{
    memory heap = { .limit = UINT64_MAX };
    if (pattern_is_program(p))
        require(!p->elements && !p->bytes && !p->literal);
    require(
        program_check(&heap, p->program, program_size(p->program->positions, p->program->links)));
    for (uint32_t q = 0; q < p->program->positions && p->flags & TRAWL_LINES; q++)
        require(!class_has(&program_sets(p->program)[q], '\n'));
    /* that of alternatives is of all of them, of which some may fold case */
    for (uint32_t q = 0; q < p->program->positions && pattern_is_program(p); q++)
        if (p->flags & TRAWL_NOCASE)
            check_folded(&program_sets(p->program)[q]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    trawl_pattern src = { .text = data + 1,
                          .length = size - 1,
                          .syntax = data[0] % 6u,
                          .flags = (uint32_t)(data[0] >> 6),
                          .id = 7,
                          .name = "label" };
    memory heap = { .limit = UINT64_MAX };
    pattern_list list;
    trawl_error error;
    memset(&error, 0xff, sizeof error);
    int status = pattern_list_make(&heap, &src, 1, NULL, &list, &error);
    if (status != TRAWL_OK) {
        check_error(status, &error, &list, src.length);
        return 0;
    }
    require(list.count >= 1 && list.given == 1 && !list.needles && list.cell_size == 0);
    for (size_t i = 0; i < list.count; i++) {
        const pattern *p = &list.patterns[i];
        require(p->id == 7 && p->order == 0);
        /* (?i) and (?-i) turn it on and off */
        require(p->flags == (src.flags | (p->folded ? (uint32_t)TRAWL_NOCASE : 0)) ||
                (src.syntax == TRAWL_SYNTAX_EXTENDED &&
                 p->flags == (src.flags & ~(uint32_t)TRAWL_NOCASE)));
        require(strcmp(p->name, "label") == 0);
        if (p->program)
            check_program(p);
        if (p->literal)
            check_literal(p);
        else if (!pattern_is_program(p))
            check_elements(p);
    }
    pattern_list_free(&list);
    return 0;
}
