/* seam.c: the public calls for seams; see seam.h. */
#include "scan/seam.h"

#include <string.h>

#include "scan/carry.h"
#include "scan/saved.h"

/* ---- states ------------------------------------------------------------- */

bool seam_state_set(memory *memory, seam_state *state, uint64_t at, const uint64_t *words,
                    uint64_t count)
{
    uint64_t *copy = memory_take_array(memory, (size_t)count + 1, sizeof *copy);
    if (!copy)
        return false;
    if (count)
        memcpy(copy, words, (size_t)count * sizeof *copy);
    memory_give(memory, state->words);
    *state = (seam_state){ at, count, copy };
    return true;
}

void seam_marks_free(memory *memory, seam_marks *marks)
{
    for (uint32_t i = 0; i < marks->count; i++)
        memory_give(memory, marks->mark[i].words);
    marks->count = 0;
}

/* Word w of carry_mask, counted over all parts that carry. */
static uint64_t mask_word(const trawl_plan *plan, uint32_t which, uint64_t w)
{
    for (uint32_t i = 0; i < plan_head(plan)->part_count; i++) {
        const plan_part *part = &plan_parts(plan)[i];
        const uint64_t words = part_stages(plan, part)->state_words;
        if (part->carries && w >= part->state && w - part->state < words)
            return part_masks(plan, part)[which * words + (w - part->state)];
    }
    return 0;
}

bool seam_same(const trawl_plan *plan, uint32_t report, const seam_state *a, const seam_state *b)
{
    uint64_t differ = a->count != b->count;
    for (uint64_t w = 0; !differ && w < a->count; w++) {
        differ = a->words[w] ^ b->words[w];
        if (differ && !range_chooses(report))
            differ &= mask_word(plan, CARRY_PASSES, w);
    }
    return !differ;
}

/* ---- from begin to end ---------------------------------------------------- */

int trawl_seam_open(const trawl_plan *plan, uint32_t report, trawl_seam **seam, trawl_error *error)
{
    trawl_range_needs needs = { .size = sizeof needs };
    if (!seam)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "seam is NULL");
    *seam = NULL;
    int status = trawl_plan_get_range_needs(plan, report, &needs, error);
    if (status != TRAWL_OK)
        return status;
    memory m;
    memory_open(&m, NULL, UINT64_MAX, "", "");
    trawl_seam *made = memory_take_zeroed(&m, 1, sizeof *made);
    if (!made)
        return memory_failed(&m, error, "a seam");
    memory_open(&made->memory, NULL, UINT64_MAX, "", "");
    made->plan = plan;
    made->report = plan_report(plan, report);
    *seam = made;
    return TRAWL_OK;
}

void trawl_seam_close(trawl_seam *seam)
{
    if (!seam)
        return;
    memory m;
    memory_open(&m, NULL, UINT64_MAX, "", "");
    seam_marks_free(&seam->memory, &seam->marks);
    memory_give(&seam->memory, seam->told.words);
    memory_give(&m, seam);
}

/* ---- following -------------------------------------------------------------- */

static const seam_state *left_of(const trawl_seam *seam)
{
    return &seam->marks.mark[seam->marks.count - 1];
}

static int check_before(const trawl_seam *seam, const trawl_seam *const *before, size_t count,
                        trawl_error *error)
{
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        const trawl_seam *b = before[i];
        if (!b || !b->marks.count)
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                        "seam %zu before is NULL, or of a range that was not searched", i);
        if (plan_head(b->plan)->checksum != plan_head(seam->plan)->checksum ||
            b->report != seam->report)
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                        "seam %zu before is of another plan or report", i);
        if (b->marks.mark[0].at < end)
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                        "the range of seam %zu before begins at %llu, where another one is: give "
                        "them in the order of the text",
                        i, (unsigned long long)b->marks.mark[0].at);
        end = left_of(b)->at;
    }
    if (count && seam->marks.count && seam->marks.mark[0].at != end)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the range begins at %llu, and the last one before it ends at %llu: give the "
                    "seam of that which ends there",
                    (unsigned long long)seam->marks.mark[0].at, (unsigned long long)end);
    return TRAWL_OK;
}

/* Word w of the set that a range surely begins with. */
static uint64_t true_word(const trawl_plan *plan, const trawl_seam *const *before, size_t count,
                          uint64_t w)
{
    uint64_t ever = 0;
    for (size_t i = 0; i < count; i++)
        ever |= left_of(before[i])->words[w];
    return (left_of(before[count - 1])->words[w] | (ever & mask_word(plan, CARRY_IMMORTAL, w))) &
           mask_word(plan, CARRY_PASSES, w);
}

/* Tell the seam what the range is to begin with. False: no memory. */
static bool tell(trawl_seam *seam, const trawl_seam *const *before, size_t count)
{
    const seam_state *left = left_of(before[count - 1]), *begun = &seam->marks.mark[0];
    if (!seam_state_set(&seam->memory, &seam->told, left->at, left->words, left->count))
        return false;
    for (uint64_t w = 0; !range_chooses(seam->report) && w < left->count; w++)
        seam->told.words[w] =
            (seam->marks.count ? begun->words[w] : 0) | true_word(seam->plan, before, count, w);
    return true;
}

static void forget_told(trawl_seam *seam)
{
    memory_give(&seam->memory, seam->told.words);
    seam->told = (seam_state){ 0, 0, NULL };
}

int trawl_seam_follow(trawl_seam *seam, const trawl_seam *const *before, size_t count,
                      uint32_t *again, trawl_error *error)
{
    if (!seam || !again || (count && !before))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL",
                    !seam    ? "seam"
                    : !again ? "again"
                             : "before");
    *again = 0;
    int status = check_before(seam, before, count, error);
    if (status != TRAWL_OK || !count)
        return status;
    if (!tell(seam, before, count))
        return memory_failed(&seam->memory, error, "a seam");
    *again = !seam->marks.count ||
             !seam_same(seam->plan, seam->report, &seam->told, &seam->marks.mark[0]);
    if (!*again)
        forget_told(seam);
    return TRAWL_OK;
}

/* ---- saving and loading -------------------------------------------------------- */

static const saved_kind saved_seams = { "TRAWLSEA", 2, "seam", "trawl_seam_save",
                                        "search the range here" };

/* How a saved seam begins. Then, for each mark, and for what it was told, follow: at, count,
 * words. */
typedef struct saved_seam {
    saved_head head;
    uint32_t report;
    uint16_t marks;
    uint16_t told; /* 0 or 1 */
} saved_seam;

_Static_assert(sizeof(saved_seam) == 48, "saved");

static size_t saved_size(const seam_state *s)
{
    return (size_t)(2 + s->count) * sizeof(uint64_t);
}

static uint8_t *save_state(uint8_t *to, const seam_state *s)
{
    memcpy(to, &s->at, sizeof s->at);
    memcpy(to + 8, &s->count, sizeof s->count);
    if (s->count)
        memcpy(to + 16, s->words, (size_t)s->count * sizeof *s->words);
    return to + saved_size(s);
}

int trawl_seam_save(const trawl_seam *seam, void *block, size_t *bytes, trawl_error *error)
{
    if (!seam || !bytes)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL", seam ? "bytes" : "seam");
    const size_t room = *bytes;
    const bool told = seam->told.words;
    *bytes = 0;
    if (!seam->marks.count && !told)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the seam's range was neither searched nor told what comes before it: call "
                    "trawl_scan_range or trawl_seam_follow first");
    *bytes = sizeof(saved_seam) + (told ? saved_size(&seam->told) : 0);
    for (uint32_t i = 0; i < seam->marks.count; i++)
        *bytes += saved_size(&seam->marks.mark[i]);
    if (!block)
        return TRAWL_OK;
    if (room < *bytes)
        return fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                    "the seam takes %zu bytes, but there is room for %zu: call with NULL first, "
                    "which says how many",
                    *bytes, room);
    const saved_seam head = { saved_begin(&saved_seams, seam->plan, *bytes), seam->report,
                              (uint16_t)seam->marks.count, told };
    uint8_t *to = (uint8_t *)block + sizeof head;
    for (uint32_t i = 0; i < seam->marks.count; i++)
        to = save_state(to, &seam->marks.mark[i]);
    if (told)
        save_state(to, &seam->told);
    memcpy(block, &head, sizeof head);
    saved_seal(block);
    return TRAWL_OK;
}

static int forged(trawl_error *error)
{
    return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                "the seam contradicts its plan: it was not written by Trawl");
}

static int check_saved(const trawl_seam *seam, const void *block, size_t bytes, saved_seam *head,
                       trawl_error *error)
{
    const int status = saved_check(&saved_seams, seam->plan, block, bytes, error);
    if (status != TRAWL_OK)
        return status;
    if (bytes < sizeof *head)
        return forged(error);
    memcpy(head, block, sizeof *head);
    return seam->report == head->report
               ? TRAWL_OK
               : fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                      "the seam is of another report: load it with the one that it was made with");
}

/* Whether a search can leave a state with these words. */
static bool is_sane(const trawl_seam *seam, const seam_state *s)
{
    if (!range_follows(seam->plan, seam->report))
        return s->count == 0;
    if (!range_chooses(seam->report))
        return s->count == plan_head(seam->plan)->state_words;
    for (uint64_t w = 0; s->count % SEAM_TAKEN == 0 && w < s->count; w += SEAM_TAKEN)
        if (s->words[w] >= s->at || s->words[w + 1] <= s->at || s->words[w + 1] == UINT64_MAX ||
            s->words[w + 2] >= plan_head(seam->plan)->given)
            return false;
    return s->count % SEAM_TAKEN == 0;
}

/* Load the state at *at, where *left bytes are left; both move on. */
static int load_state(trawl_seam *seam, seam_state *s, const uint8_t **at, size_t *left,
                      trawl_error *error)
{
    uint64_t head[2];
    if (*left < sizeof head)
        return forged(error);
    memcpy(head, *at, sizeof head);
    *at += sizeof head;
    *left -= sizeof head;
    if (head[1] > *left / 8)
        return forged(error);
    *s = (seam_state){ head[0], head[1], memory_take_array(&seam->memory, (size_t)head[1] + 1, 8) };
    if (!s->words)
        return memory_failed(&seam->memory, error, "a seam");
    if (s->count)
        memcpy(s->words, *at, (size_t)s->count * 8);
    *at += s->count * 8;
    *left -= (size_t)s->count * 8;
    return is_sane(seam, s) ? TRAWL_OK : forged(error);
}

static int load_states(trawl_seam *seam, const uint8_t *at, size_t left, const saved_seam *head,
                       trawl_error *error)
{
    seam_state *mark = seam->marks.mark;
    int status = TRAWL_OK;
    if (head->marks > SEAM_MARKS || head->told > 1 || head->marks + head->told == 0)
        return forged(error);
    for (uint32_t i = 0; i < head->marks && status == TRAWL_OK; i++) {
        status = load_state(seam, &mark[seam->marks.count++], &at, &left, error);
        if (status == TRAWL_OK && i && mark[i].at < mark[i - 1].at)
            status = forged(error);
    }
    if (status == TRAWL_OK && head->told)
        status = load_state(seam, &seam->told, &at, &left, error);
    if (status == TRAWL_OK && head->told && head->marks && seam->told.at != mark[0].at)
        status = forged(error);
    return status == TRAWL_OK && left ? forged(error) : status;
}

int trawl_seam_load(const trawl_plan *plan, uint32_t report, const void *block, size_t bytes,
                    trawl_seam **seam, trawl_error *error)
{
    saved_seam head;
    int status = trawl_seam_open(plan, report, seam, error);
    if (status != TRAWL_OK)
        return status;
    if (!block && bytes)
        status = fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "block is NULL");
    if (status == TRAWL_OK)
        status = check_saved(*seam, block, bytes, &head, error);
    if (status == TRAWL_OK)
        status = load_states(*seam, (const uint8_t *)block + sizeof head, bytes - sizeof head,
                             &head, error);
    if (status != TRAWL_OK) {
        trawl_seam_close(*seam);
        *seam = NULL;
    }
    return status;
}
