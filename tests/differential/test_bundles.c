/* test_bundles.c: many small texts on every device against the oracle.
 *
 * A device has such texts in bundles (trawl_scan_many), so that thousands of comparisons cost one
 * launch: this is how millions are made. Each text is a comparison. TRAWL_TEST_CASES says how many
 * a device at least, TRAWL_TEST_SEED where to begin.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "each.h"
#include "fence.h"
#include "oracle.h"
#include "random.h"
#include "targets.h"
#include "ways.h"

#include <cmocka.h>

#define CASES 10000

enum { TEXTS = 256, LONGEST = 300, SCENARIO_LONGEST = 4000 };

/* Scenarios that go one way of an engine. Some drivers have no memory for a context of each way. */
enum { ROUND = 16 };

static test_target targets[MAX_TARGETS];
static size_t target_count;
static trawl_context *contexts[MAX_TARGETS][WAYS]; /* opened when first used in a round */
static uint64_t agreed[MAX_TARGETS];

/* Texts of one scenario, and what the oracle finds in each. */
typedef struct bundle {
    const scenario *scenario;
    trawl_text texts[TEXTS];
    trawl_match *expected; /* of all, in order */
    size_t count;
} bundle;

static int close_contexts(void **state)
{
    (void)state;
    for (size_t t = 0; t < target_count; t++)
        for (size_t w = 0; w < WAYS; w++) {
            trawl_context_close(contexts[t][w]);
            contexts[t][w] = NULL;
        }
    return 0;
}

/* A copy of a stretch of the scenario's text, or of a text that a pattern of it matches. */
static trawl_text choose_text(const scenario *s, rng *r)
{
    const bool last = rng_chance(r, 2);
    if (rng_chance(r, 4)) {
        const uint32_t k = rng_below(r, (uint32_t)s->count);
        return (trawl_text){ fenced_copy(s->sample[k], s->sample_length[k], last),
                             s->sample_length[k] };
    }
    const uint32_t begin = rng_below(r, (uint32_t)s->length + 1);
    const uint32_t rest = (uint32_t)s->length - begin;
    const uint32_t length = rng_below(r, (rest < LONGEST ? rest : LONGEST) + 1);
    return (trawl_text){ fenced_copy(s->text + begin, length, last), length };
}

static void bundle_make(bundle *b, const scenario *s, rng *r)
{
    b->scenario = s;
    b->expected = NULL;
    b->count = 0;
    for (size_t i = 0; i < TEXTS; i++) {
        trawl_match *found = NULL;
        b->texts[i] = choose_text(s, r);
        const size_t count = oracle_scan(s->patterns, s->count, b->texts[i].bytes,
                                         b->texts[i].length, TRAWL_REPORT_ENDS, &found);
        b->expected = realloc(b->expected, (b->count + count + 1) * sizeof *found);
        assert_non_null(b->expected);
        for (size_t k = 0; k < count; k++) {
            found[k].record = i;
            b->expected[b->count++] = found[k];
        }
        free(found);
    }
}

typedef struct follower {
    const bundle *bundle;
    size_t seen;
} follower;

static int follow_one(const trawl_match *m, void *user)
{
    follower *f = user;
    if (f->seen >= f->bundle->count || memcmp(m, &f->bundle->expected[f->seen], sizeof *m) != 0)
        return 1;
    f->seen++;
    return 0;
}

EACH_MATCH(follow)

static void bundle_failed(const bundle *b, const test_target *t, const way *w, const follower *f,
                          const trawl_error *error)
{
    const uint64_t text = f->seen < b->count ? b->expected[f->seen].record : TEXTS;
    printf("\nengine %s, %s device %s (%s), tuning %s: the first %zu of %zu matches agree (text "
           "%llu of %d is next) %s\n",
           w->engine, t->backend, t->device, t->info.name, w->tuning ? w->tuning : "none", f->seen,
           b->count, (unsigned long long)text, TEXTS, error->message);
    scenario_print(b->scenario, stdout);
    printf("again: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_bundles\n",
           (unsigned long long)b->scenario->seed);
    fflush(stdout);
    fail();
}

/* The way that a round goes of an engine, whose first one is given. */
static void run_target(size_t target, size_t first, const trawl_plan *plan, const bundle *b)
{
    const test_target *t = &targets[target];
    rng r = { ~(b->scenario->seed / ROUND * WAYS + first) };
    const size_t w = way_choose(t, ways[first].engine, &r);
    trawl_context **context = &contexts[target][w];
    trawl_error error = { 0 };
    follower f = { b, 0 };
    if (!*context)
        *context = target_open(t, t->device, ways[w].tuning);
    const int status = trawl_scan_many(*context, plan, b->texts, TEXTS, NULL, follow, &f, &error);
    if (status == TRAWL_ERROR_UNSUPPORTED && ways[w].tuning)
        return;
    if (status != TRAWL_OK || f.seen != b->count)
        bundle_failed(b, t, &ways[w], &f, &error);
    agreed[target] += TEXTS;
}

static void run_scenario(const scenario *s)
{
    rng r = { ~s->seed };
    bundle b;
    bundle_make(&b, s, &r);
    for (size_t w = 0; w < WAYS; w++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL;
        options.engine = ways[w].engine;
        if (w && strcmp(ways[w - 1].engine, ways[w].engine) == 0)
            continue; /* those of one engine stand together */
        if (trawl_compile(s->patterns, s->count, &options, &plan, NULL) == TRAWL_OK)
            for (size_t t = 0; t < target_count; t++)
                run_target(t, w, plan, &b);
        trawl_plan_free(plan);
    }
    for (size_t i = 0; i < TEXTS; i++)
        fenced_free(b.texts[i].bytes, b.texts[i].length);
    free(b.expected);
}

static void test_bundles(void **state)
{
    const uint64_t wanted = test_cases(CASES);
    uint64_t seed = test_seed();
    scenario *s = malloc(sizeof *s);
    (void)state;
    assert_non_null(s);
    for (bool enough = false; !enough; seed++) {
        if (seed % ROUND == 0)
            close_contexts(NULL);
        scenario_make(s, seed, SCENARIO_LONGEST);
        if (scenario_affords(s, TRAWL_REPORT_ENDS))
            run_scenario(s);
        scenario_free(s);
        enough = true;
        for (size_t t = 0; t < target_count; t++)
            enough = enough && agreed[t] >= wanted;
    }
    free(s);
    for (size_t t = 0; t < target_count; t++)
        printf("%s %s: %llu texts agree\n", targets[t].backend, targets[t].device,
               (unsigned long long)agreed[t]);
}

int main(void)
{
    target_count = targets_find(targets);
    if (target_count == 0)
        return targets_missing();
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_bundles) };
    return cmocka_run_group_tests(tests, NULL, close_contexts);
}
