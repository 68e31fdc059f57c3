/* line_matches.c: see line_matches.h. A line is scanned alone, for only few are printed. */
#include "formats/patterns/line_matches.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/patterns/pattern_set.h"
#include "formats/sources/grow.h"

static int keep_matches(const trawl_match *matches, size_t count, void *user)
{
    line_matches *m = user;
    if (!grow_array(&m->items, m->count + count, &m->room, sizeof *m->items)) {
        m->error = (trawl_error){ .code = TRAWL_ERROR_MEMORY,
                                  .message = "out of memory for the matches of a line" };
        return 1;
    }
    for (size_t i = 0; i < count; i++)
        if (matches[i].id != NO_PIECE)
            m->items[m->count++] = (line_match){ (size_t)matches[i].start, (size_t)matches[i].end };
    return 0;
}

static int by_start(const void *left, const void *right)
{
    const line_match *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end);
}

/* Those of the longest matches of all starts that do not overlap. */
static void drop_overlaps(line_matches *m)
{
    size_t kept = 0, end = 0;
    if (m->count)
        qsort(m->items, m->count, sizeof *m->items, by_start);
    for (size_t i = 0; i < m->count; i++) {
        const line_match next = m->items[i];
        if (next.begin < end)
            continue;
        m->items[kept++] = next;
        end = next.end;
    }
    m->count = kept;
}

static bool open_context(line_matches *m)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    options.backend = "serial";
    options.isa = m->isa;
    return m->context || trawl_context_open(&options, &m->context, &m->error) == TRAWL_OK;
}

bool line_matches_find(line_matches *m, const uint8_t *line, size_t length)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    options.report = m->empties ? TRAWL_REPORT_LONGEST : TRAWL_REPORT_LEFTMOST_LONGEST;
    m->count = 0;
    m->error.code = TRAWL_OK;
    if (!m->plan)
        return true;
    const bool fine = open_context(m) && trawl_scan(m->context, m->plan, line, length, &options,
                                                    keep_matches, m, &m->error) >= 0;
    if (m->empties)
        drop_overlaps(m);
    return fine && m->error.code == TRAWL_OK;
}

void line_matches_free(line_matches *m)
{
    trawl_context_close(m->context);
    free(m->items);
    m->context = NULL;
    m->items = NULL;
    m->count = m->room = 0;
}
