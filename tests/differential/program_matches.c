/* program_matches.c: what the extended syntax makes of an expression, and all its matches in small
 * texts, found as plainly as can be. For test_programs.py.
 *
 * A line of input is the flags of a pattern, the pattern and texts, in hexadecimal ("-": nothing),
 * with blanks between. A line of output is
 *
 *     E CODE OFFSET MESSAGE, or
 *     FORM STATES LINKS, and for each text its matches: START:END,END;START:...
 *
 * FORM is L (a literal), S (a sequence of elements), A (alternatives of these), P (a program) or B
 * (a sequence, and a program for the order of its ends).
 * The ends of each start are in the order in which they are tried.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/program.h"
#include "pattern/syntax.h"

enum { LINE = 1 << 22, TEXT = 256, ALTERNATIVES = 1024 };

static memory heap = { .limit = UINT64_MAX };

typedef struct text {
    uint8_t bytes[TEXT];
    size_t length;
} text;

/* The ends of one start, each once. */
typedef struct ends {
    size_t list[TEXT];
    size_t count;
} ends;

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "program_matches: %s\n", what);
    exit(1);
}

static void add_end(ends *found, size_t end)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->list[i] == end)
            return;
    found->list[found->count++] = end;
}

/* ---- sequences ------------------------------------------------------------------------ */

static bool allows(const border *b, const text *t, size_t own, ptrdiff_t beside)
{
    const bool word = is_word_byte(t->bytes[own]);
    if (!b->given)
        return true;
    if (beside < 0 || (size_t)beside == t->length)
        return b->edge[word] != 0;
    const uint8_t byte = t->bytes[beside];
    return class_has(&b->set[word], byte) ||
           (byte + 1u == b->last && (size_t)beside + 1 == t->length);
}

/* Take elements from `index` on, of which the first one was taken `taken` times. */
static void take_elements(const pattern *p, const text *t, size_t index, uint32_t taken, size_t at,
                          ends *found)
{
    if (index == p->length) {
        if (allows(&p->after, t, at - 1, (ptrdiff_t)at))
            add_end(found, at);
        return;
    }
    const element *e = &p->elements[index];
    if (taken < e->max && at < t->length && class_has(&e->set, t->bytes[at]))
        take_elements(p, t, index, taken + 1, at + 1, found);
    if (taken >= e->min)
        take_elements(p, t, index + 1, 0, at, found);
}

static void take_literal(const pattern *p, const text *t, size_t start, ends *found)
{
    for (size_t i = 0; i < p->length; i++) {
        if (start + i == t->length)
            return;
        const uint8_t byte = t->bytes[start + i];
        if ((p->flags & TRAWL_NOCASE ? fold_byte(byte) : byte) != p->bytes[i])
            return;
    }
    if (allows(&p->after, t, start + p->length - 1, (ptrdiff_t)(start + p->length)))
        add_end(found, start + p->length);
}

static void run_sequence(const pattern *p, const text *t, size_t start, ends *found)
{
    if (!allows(&p->before, t, start, (ptrdiff_t)start - 1))
        return;
    if (p->literal)
        take_literal(p, t, start, found);
    else
        take_elements(p, t, 0, 0, start, found);
}

/* Whether they are the same, in whatever order. */
static bool same_ends(const ends *one, const ends *other)
{
    ends both = *one;
    for (size_t i = 0; i < other->count; i++)
        add_end(&both, other->list[i]);
    return both.count == one->count && both.count == other->count;
}

/* ---- programs ------------------------------------------------------------------------- */

static uint32_t after_kind(const program *p, const text *t, size_t at)
{
    return at == t->length ? AFTER_END : program_after(p, t->bytes[at], at + 1 == t->length);
}

/* Follow the links of a list, in their order, to where a byte is taken or the match ends. Where a
 * position was met before nothing new follows. */
static void follow(const program *p, uint32_t list, uint32_t before, const text *t, size_t at,
                   uint8_t *met, ends *found)
{
    const program_link *l, *end;
    program_list(p, list, &l, &end);
    for (; l < end; l++) {
        if (list == 0 && !(l->when & before))
            continue;
        if (l->to == PROGRAM_END) {
            if (l->when & after_kind(p, t, at))
                add_end(found, at);
            continue;
        }
        uint8_t *here = &met[(size_t)l->to * TEXT + at];
        if (at == t->length || *here || !class_has(&program_sets(p)[l->to], t->bytes[at]))
            continue;
        *here = 1;
        follow(p, l->to + 1, 0, t, at + 1, met, found);
    }
}

static void run_program(const program *p, const text *t, size_t start, ends *found)
{
    uint8_t *met = calloc(p->positions, TEXT);
    require(met != NULL, "no memory");
    const uint32_t before = start == 0 ? BEFORE_BEGIN : program_before(p, t->bytes[start - 1]);
    follow(p, 0, before, t, start, met, found);
    free(met);
}

/* ---- input and output ----------------------------------------------------------------- */

static unsigned digit_value(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static size_t read_hex(const char *word, uint8_t *bytes)
{
    size_t length = 0;
    for (; word[0] && word[0] != '-'; word += 2)
        bytes[length++] = (uint8_t)(digit_value(word[0]) * 16 + digit_value(word[1]));
    return length;
}

static void print_matches(const pattern *all, size_t count, const text *t)
{
    putchar(' ');
    for (size_t start = 0; start < t->length; start++) {
        ends found = { .count = 0 };
        for (size_t i = 0; i < count; i++) {
            const pattern *p = &all[i];
            ends same = { .count = 0 };
            if (p->program)
                run_program(p->program, t, start, &found);
            if (p->literal || p->elements)
                run_sequence(p, t, start, p->program ? &same : &found);
            require(!p->program || !p->elements || same_ends(&found, &same),
                    "a sequence and its program have different ends");
        }
        for (size_t i = 0; i < found.count; i++)
            printf(i ? ",%zu" : "%zu:%zu", i ? found.list[i] : start, found.list[0]);
        if (found.count)
            putchar(';');
    }
}

static void print_form(const pattern *all, size_t count)
{
    size_t states = 0, links = 0;
    for (size_t i = 0; i < count; i++) {
        const program *p = all[i].program;
        require(!p || (count == 1 && !all[i].literal && !all[i].elements == !all[i].length),
                "a program is not of all there is");
        require(!p || program_check(&heap, p, program_size(p->positions, p->links)),
                "a program's check fails");
        states += p ? p->positions : all[i].length;
        links += p ? p->links : 0;
    }
    printf("%c %zu %zu",
           all[0].program   ? (all[0].elements ? 'B' : 'P')
           : count > 1      ? 'A'
           : all[0].literal ? 'L'
                            : 'S',
           states, links);
}

static void answer(char *line)
{
    static uint8_t bytes[LINE];
    static pattern all[ALTERNATIVES];
    size_t count = 0, next = 0;
    int status = TRAWL_OK;
    trawl_error error = { 0 };
    trawl_pattern src = { .text = bytes, .syntax = TRAWL_SYNTAX_EXTENDED };
    src.flags = (uint32_t)strtoul(strtok(line, " \n"), NULL, 16);
    src.length = read_hex(strtok(NULL, " \n"), bytes);
    while (status == TRAWL_OK && next != LAST_ONE) {
        require(count < ALTERNATIVES, "too many alternatives");
        all[count] = (pattern){ .flags = src.flags };
        status = parse_extended(&heap, &src, &next, &all[count++], &error);
    }
    if (status == TRAWL_OK)
        print_form(all, count);
    else
        printf("E %d %zu %s", status, error.offset, error.message);
    for (char *word; status == TRAWL_OK && (word = strtok(NULL, " \n"));) {
        text t;
        require(strlen(word) / 2 < TEXT, "the text is too long");
        t.length = read_hex(word, t.bytes);
        print_matches(all, count, &t);
    }
    putchar('\n');
    for (size_t i = 0; i < count; i++) {
        memory_give(&heap, all[i].bytes);
        memory_give(&heap, all[i].elements);
        memory_give(&heap, all[i].program);
    }
    require(heap.used == 0, "memory is left");
}

int main(void)
{
    static char line[LINE];
    while (fgets(line, sizeof line, stdin))
        answer(line);
    return 0;
}
