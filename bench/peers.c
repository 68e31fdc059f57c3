/* peers.c: memmem, Hyperscan and plain reading through one interface. */
#include "peers.h"

#include <stdlib.h>
#include <string.h>

#ifdef TRAWL_HAVE_HS
#include <hs.h>
#else
typedef void hs_database_t, hs_scratch_t;
#endif

struct peer {
    const trawl_pattern *pattern; /* of memmem */
    bool reads;
    /* Or it is Hyperscan. */
    hs_database_t *database;
    hs_scratch_t *scratch;
};

#ifdef TRAWL_HAVE_HS
/* Ids differ: of equal ones Hyperscan reports an end once. */
static int compile(peer *p, const trawl_pattern *patterns, size_t count)
{
    const char **texts = calloc(count, sizeof *texts);
    unsigned *flags = calloc(count, sizeof *flags), *ids = calloc(count, sizeof *ids);
    hs_compile_error_t *error = NULL;
    int fine = texts && flags && ids;
    for (size_t i = 0; fine && i < count; i++) {
        texts[i] = patterns[i].text;
        flags[i] = HS_FLAG_DOTALL | HS_FLAG_MULTILINE |
                   (patterns[i].flags & TRAWL_NOCASE ? HS_FLAG_CASELESS : 0);
        ids[i] = patterns[i].id;
    }
    fine = fine &&
           hs_compile_multi(texts, flags, ids, (unsigned)count, HS_MODE_BLOCK, NULL, &p->database,
                            &error) == HS_SUCCESS &&
           hs_alloc_scratch(p->database, &p->scratch) == HS_SUCCESS;
    hs_free_compile_error(error);
    free(texts);
    free(flags);
    free(ids);
    return fine;
}

static int count_one(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                     void *user)
{
    (void)id, (void)from, (void)to, (void)flags;
    ++*(uint64_t *)user;
    return 0;
}
#endif

peer *peer_open(const char *name, const trawl_pattern *patterns, size_t count)
{
    peer *p = calloc(1, sizeof *p);
    if (p && strcmp(name, "memmem") == 0 && count == 1) {
        p->pattern = patterns;
        return p;
    }
    if (p && strcmp(name, "reading") == 0) {
        p->reads = true;
        return p;
    }
#ifdef TRAWL_HAVE_HS
    if (p && strcmp(name, "hyperscan") == 0 && compile(p, patterns, count))
        return p;
#endif
    peer_close(p);
    return NULL;
}

bool peer_searches(const peer *p)
{
    return !p->reads;
}

/* All words of the text in one: eight at a time, so that no sum waits for another. */
static uint64_t read_text(const char *at, const char *end)
{
    uint64_t all[8] = { 0 }, word[8];
    for (; end - at >= (ptrdiff_t)sizeof word; at += sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < 8; i++)
            all[i] |= word[i];
    }
    return all[0] | all[1] | all[2] | all[3] | all[4] | all[5] | all[6] | all[7];
}

uint64_t peer_count(const peer *p, const void *text, size_t length)
{
    const char *at = text, *end = at + length;
    uint64_t count = 0;
    if (p->reads)
        return read_text(at, end);
#ifdef TRAWL_HAVE_HS
    if (!p->pattern)
        hs_scan(p->database, text, (unsigned)length, 0, p->scratch, count_one, &count);
#endif
    while (p->pattern && (at = memmem(at, end - at, p->pattern->text, p->pattern->length))) {
        count++;
        at++;
    }
    return count;
}

void peer_close(peer *p)
{
#ifdef TRAWL_HAVE_HS
    if (p) {
        hs_free_scratch(p->scratch);
        hs_free_database(p->database);
    }
#endif
    free(p);
}
