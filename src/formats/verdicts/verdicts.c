/* verdicts.c: see verdicts.h.
 *
 * Idea. Each rule has an anchor, its longest content: only rules whose anchor occurs are looked at.
 * So a record is searched for the anchors; it is only noted which occur, and of those whose places
 * matter all ends, in a log, which is sorted by pattern after the record. The other contents of a
 * rule, which are short and occur everywhere, are looked for when it is their turn, once a record.
 * A record that comes in pieces is gone by then: it is searched for all patterns.
 *
 * The cursors of a rule whose contents have windows are carried from content to content: all places
 * where the contents so far may end. Both they and a pattern's ends ascend, so a step takes their
 * sum, and no choice is ever taken back.
 *
 * All patterns of a logical signature are anchors, and places do not matter: it is counted how
 * often each occurs.
 *
 * Memory: 40 bytes for each place of the present record, of which there may be VERDICTS_PLACES.
 */
#include "formats/verdicts/verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "formats/patterns/entries.h"
#include "formats/sources/grow.h"

#define SHORT 3 /* bytes */

/* A pattern, and what is known of it in the present record. */
typedef struct spot {
    uint64_t record; /* the last one in which it occurred */
    uint64_t sought; /* the last one in which it was looked for when it was its turn */
    size_t first;    /* of its places in `ends`, while the record is judged */
    size_t count;
    uint64_t ends, last; /* in that record at which it ended, and where it did so last */
    bool placed;         /* some rule wants its places */
    bool counted;        /* ... or how often it occurs */
    size_t rules; /* whose anchor it is begin here in `anchored`, and end where the next's do */
} spot;

typedef struct place {
    uint64_t end;
    size_t pattern;
} place;

typedef struct places {
    uint64_t *ends;
    size_t count;
} places;

struct verdicts {
    rule_list *rules;
    pattern_set *set; /* anchors come first in it */
    size_t patterns, anchors;
    spot *spots;          /* and one more */
    const uint8_t *bytes; /* of the present record; NULL: it came in pieces */
    uint64_t length;
    size_t *anchored; /* rules, by their anchors; after them those that have none */
    size_t anchored_count;
    bool *plain;      /* of each rule: places do not matter */
    uint64_t *judged; /* of each: the last record in which it was */
    uint64_t record;  /* number of the present one, of all files */
    size_t *touched, touched_count;
    place *log; /* of the present record */
    size_t log_count, log_room;
    uint64_t *ends; /* by pattern */
    size_t ends_count, ends_room;
    uint64_t *cursors[2];
    size_t cursors_room[2], most; /* places of a pattern */
    bool overflown, out_of_memory;
    const rule **held;
    size_t held_count;
    flow flow;
};

/* ---- one content ---------------------------------------------------------------- */

/* Nothing is known of where it is. */
static bool is_loose(const rule_content *c)
{
    return c->buffered || (c->relative && c->lost);
}

/* Those of a content's places that are in its own window, which are next to each other. */
static places inside(const rule_content *c, places found, uint64_t length)
{
    const uint64_t offset = c->offset > 0 ? (uint64_t)c->offset : 0;
    while (found.count &&
           (found.ends[0] - c->length < offset || (c->ends && *found.ends < length))) {
        found.ends++;
        found.count--;
    }
    while (found.count && c->depth != RULE_ANY && found.ends[found.count - 1] - offset > c->depth)
        found.count--;
    return found;
}

/* May a content with a cursor end there, as far as `within` goes, and begin there? */
static bool is_within(const rule_content *c, uint64_t cursor, uint64_t end)
{
    return c->within == RULE_ANY ||
           (int64_t)end <= (int64_t)cursor + c->distance + (int64_t)c->within;
}

static bool is_after(const rule_content *c, uint64_t cursor, uint64_t end)
{
    return (int64_t)(end - c->length) >= (int64_t)cursor + c->distance;
}

/* The cursors after the content, into `to`: its places that are where it is asked for. */
static size_t advance(const rule_content *c, places found, places from, uint64_t length,
                      uint64_t *to)
{
    size_t count = 0, near = 0;
    const bool loose = is_loose(c);
    found = loose ? found : inside(c, found, length);
    for (size_t i = 0; i < found.count; i++) {
        const uint64_t end = found.ends[i];
        while (c->relative && !loose && near < from.count && !is_within(c, from.ends[near], end))
            near++;
        if (!c->relative || loose || (near < from.count && is_after(c, from.ends[near], end)))
            to[count++] = end;
    }
    return count;
}

/* The cursors, in place, in front of which a negated content does not stand. */
static size_t avoid(const rule_content *c, places found, places from, uint64_t length)
{
    size_t kept = 0, next = 0;
    found = inside(c, found, length);
    if (!c->relative)
        return found.count ? 0 : from.count;
    for (size_t i = 0; i < from.count; i++) {
        const uint64_t cursor = from.ends[i];
        while (next < found.count && !is_after(c, cursor, found.ends[next]))
            next++;
        if (next == found.count || !is_within(c, cursor, found.ends[next]))
            from.ends[kept++] = cursor;
    }
    return kept;
}

/* ---- one rule ---------------------------------------------------------------------- */

static uint8_t folded(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

static bool is_there(const uint8_t *text, const trawl_pattern *p)
{
    const uint8_t *sought = p->text;
    if (!(p->flags & TRAWL_NOCASE))
        return memcmp(text, sought, p->length) == 0;
    for (size_t i = 0; i < p->length; i++)
        if (folded(text[i]) != folded(sought[i]))
            return false;
    return true;
}

/* The next place that may be one of the pattern, from `at` on; NULL: there is none. */
static const uint8_t *next_place(const uint8_t *at, const uint8_t *last, const trawl_pattern *p)
{
    const uint8_t first = *(const uint8_t *)p->text, lower = folded(first);
    if (at > last)
        return NULL;
    if (!(p->flags & TRAWL_NOCASE) || lower < 'a' || lower > 'z')
        return memchr(at, first, (size_t)(last - at) + 1);
    while (at <= last && folded(*at) != lower)
        at++;
    return at <= last ? at : NULL;
}

/* Room for `wanted` numbers. False: there is none, and no verdict of this record. */
static bool number_room(verdicts *v, uint64_t **numbers, size_t *room, size_t wanted)
{
    const bool grown = grow_array(numbers, wanted, room, sizeof **numbers);
    v->out_of_memory = v->out_of_memory || !grown;
    return grown;
}

/* Look for a pattern in the record: all of its places if they matter, else the first. */
static void seek(verdicts *v, size_t pattern)
{
    const trawl_pattern *p = &v->set->patterns[pattern];
    spot *s = &v->spots[pattern];
    s->sought = v->record;
    s->first = v->ends_count;
    s->count = 0;
    if (p->length > v->length)
        return;
    const uint8_t *at = v->bytes, *last = v->bytes + v->length - p->length;
    for (; (at = next_place(at, last, p)) != NULL; at++) {
        if (!is_there(at, p))
            continue;
        s->record = v->record;
        if (!s->placed)
            return;
        v->overflown = v->overflown || v->ends_count == VERDICTS_PLACES;
        if (v->overflown || !number_room(v, &v->ends, &v->ends_room, v->ends_count + 1))
            return;
        v->ends[v->ends_count++] = (uint64_t)(at - v->bytes) + p->length;
        s->count++;
    }
    v->most = s->count > v->most ? s->count : v->most;
}

static bool occurs(verdicts *v, const rule_content *c)
{
    const spot *s = &v->spots[c->pattern];
    if (v->bytes && c->pattern >= v->anchors && s->sought != v->record)
        seek(v, c->pattern);
    return s->record == v->record;
}

static places places_of(verdicts *v, const rule_content *c)
{
    const bool there = occurs(v, c);
    const spot *s = &v->spots[c->pattern];
    return there ? (places){ v->ends + s->first, s->count } : (places){ NULL, 0 };
}

/* Whether all contents are where they are asked for; those that must be there are. */
static bool is_placed(verdicts *v, const rule *r, uint64_t length)
{
    if (v->overflown || v->out_of_memory) /* places were given up: v->most is not the most */
        return false;
    if (!number_room(v, &v->cursors[0], &v->cursors_room[0], v->most + 1) ||
        !number_room(v, &v->cursors[1], &v->cursors_room[1], v->most + 1))
        return false;
    places cursors = { v->cursors[0], 1 };
    size_t present = 0;
    cursors.ends[0] = 0;
    for (size_t i = r->first; cursors.count && i < r->first + r->count; i++) {
        const rule_content *c = &v->rules->contents[i];
        if (c->buffered || (c->negated && is_loose(c)))
            continue;
        const places found = places_of(v, c);
        if (c->negated) {
            cursors.count = avoid(c, found, cursors, length);
            continue;
        }
        present = !present;
        cursors.count = advance(c, found, cursors, length, v->cursors[present]);
        cursors.ends = v->cursors[present];
    }
    return cursors.count > 0;
}

static bool fits_size(const rule *r, uint64_t length)
{
    switch (r->size_test) {
    case '=':
        return length == r->size;
    case '!':
        return length != r->size;
    case '<':
        return length < r->size;
    case '>':
        return length > r->size;
    default:
        return true;
    }
}

/* By how often the parts occur. */
static bool holds_logical(const verdicts *v, const rule *r)
{
    uint64_t counts[LOGICAL_PARTS] = { 0 };
    for (size_t i = r->first; i < r->first + r->count; i++) {
        const rule_content *c = &v->rules->contents[i];
        const spot *s = &v->spots[c->pattern];
        counts[c->part] += s->record == v->record ? s->ends : 0;
    }
    return logical_holds(r->logical, counts);
}

static bool holds(verdicts *v, size_t index, uint64_t length)
{
    const rule *r = &v->rules->rules[index];
    if (r->logical)
        return length >= r->least && length <= r->most && holds_logical(v, r);
    if (!fits_size(r, length) || !rule_head_fits(&r->head, &v->flow))
        return false;
    for (size_t i = r->first; i < r->first + r->count; i++) {
        const rule_content *c = &v->rules->contents[i];
        if (c->negated ? v->plain[index] && !is_loose(c) && occurs(v, c) : !occurs(v, c))
            return false;
    }
    return v->plain[index] || is_placed(v, r, length);
}

/* ---- all rules ----------------------------------------------------------------- */

static bool has_window(const rule_content *c)
{
    return !is_loose(c) && (c->windowed || c->relative || c->ends);
}

/* Note whose places matter: contents with windows, and those that a relative one follows. */
static void place_contents(verdicts *v, size_t index)
{
    const rule *r = &v->rules->rules[index];
    bool asked = false; /* the cursor, by what comes after it */
    v->plain[index] = true;
    for (size_t i = r->first; r->logical && i < r->first + r->count; i++)
        v->spots[v->rules->contents[i].pattern].counted = true;
    if (r->logical)
        return;
    for (size_t i = r->first + r->count; i-- > r->first;) {
        const rule_content *c = &v->rules->contents[i];
        if (c->buffered || (c->negated && is_loose(c)))
            continue;
        if (has_window(c) || (asked && !c->negated)) {
            v->spots[c->pattern].placed = true;
            v->plain[index] = false;
        }
        asked = (c->relative && !c->lost) || (asked && c->negated);
    }
    for (size_t i = r->first; !v->plain[index] && i < r->first + r->count; i++)
        v->spots[v->rules->contents[i].pattern].placed |= !v->rules->contents[i].buffered;
}

/* The longest content that is not negated; or the last spot, of a rule that is looked at in every
 * record: it has none, or a short one, which occurs in most packets, while its ports rule out more
 * of them for less. */
static size_t anchor_of(const verdicts *v, const rule *r)
{
    const rule_content *longest = NULL;
    for (size_t i = r->first; i < r->first + r->count; i++) {
        const rule_content *c = &v->rules->contents[i];
        if (!c->negated && (!longest || c->length > longest->length))
            longest = c;
    }
    const bool ports = r->head.from.length || r->head.to.length;
    return longest && (longest->length > SHORT || !ports) ? longest->pattern : v->patterns;
}

/* How many anchors the rule has: one; a logical signature each of its contents, and, as the last
 * one, none, if it holds for a record in which nothing occurs. */
static size_t anchors_of(const rule *r)
{
    static const uint64_t nothing[LOGICAL_PARTS] = { 0 };
    return r->logical ? r->count + logical_holds(r->logical, nothing) : 1;
}

static size_t one_anchor(const verdicts *v, const rule *r, size_t which)
{
    return !r->logical        ? anchor_of(v, r)
           : which < r->count ? v->rules->contents[r->first + which].pattern
                              : v->patterns;
}

/* Sort the rules by their anchors. */
static void anchor_rules(verdicts *v)
{
    const rule *rules = v->rules->rules;
    size_t before = 0;
    for (size_t i = 0; i < v->rules->count; i++)
        for (size_t k = anchors_of(&rules[i]); k-- > 0;)
            v->spots[one_anchor(v, &rules[i], k)].rules++;
    for (size_t p = 0; p <= v->patterns; p++) {
        before += v->spots[p].rules;
        v->spots[p].rules = before;
    }
    v->anchored_count = before;
    for (size_t i = v->rules->count; i-- > 0;)
        for (size_t k = anchors_of(&rules[i]); k-- > 0;)
            v->anchored[--v->spots[one_anchor(v, &rules[i], k)].rules] = i;
}

/* Anchors to the front of the set, by numbers that the contents take over. */
static bool order_patterns(verdicts *v)
{
    trawl_pattern *ordered = malloc((v->patterns + 1) * sizeof *ordered);
    pattern_origin *origins = malloc((v->patterns + 1) * sizeof *origins);
    size_t *number = calloc(v->patterns + 1, sizeof *number), next;
    for (size_t i = 0; number && i < v->rules->count; i++)
        for (size_t k = anchors_of(&v->rules->rules[i]); k-- > 0;)
            number[one_anchor(v, &v->rules->rules[i], k)] = 1;
    for (size_t p = 0; number && p < v->patterns; p++)
        v->anchors += number[p];
    size_t others = v->anchors;
    next = 0;
    const bool fine = ordered && origins && number;
    for (size_t p = 0; fine && p < v->patterns; p++) {
        number[p] = number[p] ? next++ : others++;
        ordered[number[p]] = v->set->patterns[p];
        origins[number[p]] = v->set->origins[p];
    }
    for (size_t i = 0; fine && i < v->rules->content_count; i++)
        v->rules->contents[i].pattern = number[v->rules->contents[i].pattern];
    if (fine && v->patterns) {
        memcpy(v->set->patterns, ordered, v->patterns * sizeof *ordered);
        memcpy(v->set->origins, origins, v->patterns * sizeof *origins);
    }
    free(ordered);
    free(origins);
    free(number);
    return fine;
}

verdicts *verdicts_open(pattern_set *set)
{
    verdicts *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->rules = set->rules;
    v->set = set;
    v->patterns = set->count;
    v->spots = calloc(set->count + 1, sizeof *v->spots);
    v->touched = calloc(set->count + 1, sizeof *v->touched);
    v->anchored = calloc(v->rules->count + v->rules->content_count + 1, sizeof *v->anchored);
    v->judged = calloc(v->rules->count + 1, sizeof *v->judged);
    v->held = calloc(v->rules->count + 1, sizeof *v->held);
    v->plain = calloc(v->rules->count + 1, sizeof *v->plain);
    if (!v->spots || !v->touched || !v->anchored || !v->held || !v->plain || !v->judged ||
        !order_patterns(v)) {
        verdicts_close(v);
        return NULL;
    }
    v->record = 1;
    for (size_t i = 0; i < v->rules->count; i++)
        place_contents(v, i);
    anchor_rules(v);
    for (size_t p = 0; p < set->count; p++)
        if (!v->spots[p].placed && !v->spots[p].counted)
            set->patterns[p].flags |= TRAWL_ONCE;
    verdicts_choose(v, false);
    return v;
}

void verdicts_choose(verdicts *v, bool all)
{
    v->set->count = all || !v->anchors ? v->patterns : v->anchors;
}

void verdicts_close(verdicts *v)
{
    if (!v)
        return;
    free(v->spots);
    free(v->touched);
    free(v->anchored);
    free(v->held);
    free(v->plain);
    free(v->judged);
    free(v->log);
    free(v->ends);
    free(v->cursors[0]);
    free(v->cursors[1]);
    free(v);
}

/* ---- a record -------------------------------------------------------------------- */

static bool log_place(verdicts *v, const trawl_match *match)
{
    if (v->log_count == VERDICTS_PLACES) {
        v->overflown = true;
        return true;
    }
    if (!grow_array(&v->log, v->log_count + 1, &v->log_room, sizeof *v->log))
        return false;
    v->log[v->log_count++] = (place){ match->end, match->pattern };
    return true;
}

bool verdicts_take(verdicts *v, const trawl_match *matches, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        spot *s = &v->spots[matches[i].pattern];
        if (s->record != v->record) {
            s->record = v->record;
            s->count = 0;
            s->ends = 0;
            v->touched[v->touched_count++] = matches[i].pattern;
        }
        s->ends += !s->ends || s->last != matches[i].end;
        s->last = matches[i].end;
        s->count++;
        if (s->placed && !log_place(v, &matches[i]))
            return false;
    }
    return true;
}

/* The log by patterns. */
static bool sort_log(verdicts *v)
{
    if (!number_room(v, &v->ends, &v->ends_room, v->log_count))
        return false;
    v->ends_count = v->log_count;
    v->most = 0;
    size_t first = 0;
    for (size_t i = 0; i < v->touched_count; i++) {
        spot *s = &v->spots[v->touched[i]];
        s->first = first;
        first += s->placed ? s->count : 0;
        v->most = s->placed && s->count > v->most ? s->count : v->most;
        s->count = 0;
    }
    for (size_t i = 0; i < v->log_count; i++) {
        spot *s = &v->spots[v->log[i].pattern];
        v->ends[s->first + s->count++] = v->log[i].end;
    }
    return true;
}

static void judge(verdicts *v, size_t pattern, uint64_t length)
{
    const size_t end = pattern < v->patterns ? v->spots[pattern + 1].rules : v->anchored_count;
    for (size_t i = v->spots[pattern].rules; i < end; i++) {
        const size_t index = v->anchored[i];
        if (v->judged[index] != v->record && holds(v, index, length))
            v->held[v->held_count++] = &v->rules->rules[index];
        v->judged[index] = v->record;
    }
}

/* They stand in one array. */
static int compare_rules(const void *a, const void *b)
{
    const rule *left = *(const rule *const *)a, *right = *(const rule *const *)b;
    return (left > right) - (left < right);
}

static verdicts_status judge_all(verdicts *v, const verdicts_record *r)
{
    if (!v->overflown && sort_log(v)) {
        v->flow = flow_read(r->flow);
        v->bytes = r->bytes;
        v->length = r->length;
        for (size_t i = 0; i < v->touched_count; i++)
            judge(v, v->touched[i], r->length);
        judge(v, v->patterns, r->length);
    }
    qsort(v->held, v->held_count, sizeof *v->held, compare_rules);
    return v->out_of_memory ? VERDICTS_NO_MEMORY
           : v->overflown   ? VERDICTS_TOO_MANY
                            : VERDICTS_KNOWN;
}

verdicts_status verdicts_judge(verdicts *v, const verdicts_record *r, verdicts_held *held)
{
    const bool some = v->touched_count || v->spots[v->patterns].rules < v->anchored_count;
    v->held_count = 0;
    const verdicts_status status = r->length && some ? judge_all(v, r) : VERDICTS_KNOWN;
    *held = (verdicts_held){ v->held, status == VERDICTS_KNOWN ? v->held_count : 0 };
    v->record++;
    v->touched_count = v->log_count = 0;
    v->overflown = false;
    return status;
}
