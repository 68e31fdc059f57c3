/* expression_matches.c: what the library, or the oracle, finds of patterns in a text, for scripts
 * that ask many.
 *
 * Each line of the input is
 *     flags TAB patterns TAB report TAB text
 * with the flags as a number, the patterns, divided by commas, and the text in hexadecimal and the
 * report by its name. A line of the output is "ok", a tab and the matches "2-5:0 ?-7:1", where ? is
 * a start that is not known and what follows the colon the pattern; or "refused", a tab and why.
 * With --oracle as the argument the oracle answers; with --random SEED COUNT it prints so many
 * random flags, patterns and texts instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expressions.h"
#include "oracle.h"
#include "random_expression.h"

enum { REPORTS = TRAWL_REPORT_EACH + 1, MOST = 64 };

static const char *const reports[REPORTS] = {
    "ends", "pairs", "longest", "shortest", "leftmost-longest", "leftmost-first", "each"
};

/* What one line asks. */
typedef struct question {
    trawl_pattern patterns[MOST];
    size_t count;
    uint32_t report;
    const char *text;
    size_t length;
} question;

/* Hexadecimal to bytes, where it stands. */
static size_t unhex(char *field)
{
    size_t length = 0;
    unsigned byte;
    for (char *at = field; sscanf(at, "%2x", &byte) == 1; at += 2)
        field[length++] = (char)byte;
    return length;
}

static int read_question(char *line, question *q)
{
    char *fields[4] = { line };
    for (size_t i = 1; i < 4; i++) {
        char *tab = strchr(fields[i - 1], '\t');
        if (!tab)
            return 0;
        *tab = 0;
        fields[i] = tab + 1;
    }
    q->report = 0;
    while (q->report < REPORTS && strcmp(reports[q->report], fields[2]) != 0)
        q->report++;
    q->length = unhex(fields[3]);
    q->text = fields[3];
    q->count = 0;
    for (char *at = fields[1], *next = at; next && q->count < MOST; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = 0;
        q->patterns[q->count++] = (trawl_pattern){
            at, unhex(at), TRAWL_SYNTAX_EXTENDED, (uint32_t)strtoul(fields[0], NULL, 0), 0, NULL
        };
    }
    return q->report < REPORTS;
}

static void print(const trawl_match *matches, size_t count)
{
    printf("ok\t");
    for (size_t i = 0; i < count; i++) {
        printf(i ? " " : "");
        if (matches[i].start == TRAWL_UNKNOWN)
            printf("?");
        else
            printf("%llu", (unsigned long long)matches[i].start);
        printf("-%llu:%u", (unsigned long long)matches[i].end, matches[i].pattern);
    }
    printf("\n");
}

static void ask_library(const question *q)
{
    trawl_match *matches = NULL;
    size_t count = 0;
    trawl_error error;
    if (trawl_find(q->patterns, q->count, q->text, q->length, q->report, &matches, &count,
                   &error) == TRAWL_OK)
        print(matches, count);
    else
        printf("refused\t%s\n", error.message);
    trawl_matches_free(matches);
}

static void ask_oracle(const question *q)
{
    trawl_match *matches = NULL;
    size_t count = 0;
    for (size_t i = 0; i < q->count; i++) {
        const char *why = "it can match the empty string";
        expression *e = expression_read(&q->patterns[i], &why);
        const bool fine = e && expression_shortest(e) > 0;
        expression_free(e);
        if (!fine) {
            printf("refused\t%s\n", why);
            return;
        }
    }
    count = oracle_scan_expressions(q->patterns, NULL, q->count, q->text, q->length, q->report,
                                    &matches);
    print(matches, count);
    free(matches);
}

static void print_hex(const char *before, const void *bytes, size_t length)
{
    printf("%s", before);
    for (size_t i = 0; i < length; i++)
        printf("%02x", ((const unsigned char *)bytes)[i]);
}

static void print_random(uint64_t seed, uint64_t count)
{
    expression_case *c = malloc(sizeof *c);
    for (uint64_t printed = 0; c && printed < count; seed++) {
        expression_case_make(c, seed, 80);
        for (size_t i = 0; i < c->count && printed < count; i++) {
            if (c->patterns[i].syntax != TRAWL_SYNTAX_EXTENDED)
                continue;
            printf("%u", c->patterns[i].flags);
            print_hex("\t", c->patterns[i].text, c->patterns[i].length);
            print_hex("\t", c->text, c->length);
            printf("\n");
            printed++;
        }
        expression_case_free(c);
    }
    free(c);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    question q;
    const int oracle = argc == 2 && strcmp(argv[1], "--oracle") == 0;
    if (argc == 4 && strcmp(argv[1], "--random") == 0) {
        print_random(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
        return 0;
    }
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (!read_question(line, &q)) {
            fprintf(stderr, "a line cannot be read\n");
            return 2;
        }
        if (oracle)
            ask_oracle(&q);
        else
            ask_library(&q);
    }
    free(line);
    return 0;
}
