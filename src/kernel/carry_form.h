/* carry_form.h: text in slices, and states that cross their borders; for the kernels of both
 * bit-parallel walks. The host's side is carry.c.
 *
 * A plan of bounded reach: a slice begins `lead` bytes early, from the empty state, and reports
 * what ends in its own part. CUT_ALONE.
 *
 * A plan that carries: the step of a set of states is linear over union, f(A | B) = f(A) | f(B).
 * So first every slice runs from the empty state (CUT_FIRST; slice 0 from the piece's state) and
 * marks down the states it has every `stride` bytes. Then `carry_hand` hands what a slice ends
 * with to the next one, as far as that did not know it, and the next one runs only this news,
 * with no match beginning (CUT_NEWS). At every mark the news loses the states that are marked
 * already, whose future was run, and the rest is marked. When nothing is left, it stops. What is
 * left at the slice's end is handed on in the next round.
 *
 * Invariant: a state that is marked has been run, or is being run, to the end of its slice;
 * `known` holds what a slice was begun with. Both only grow, so the rounds end, and then the
 * last marks are the true states.
 *
 * Cost: a round a slice that news crosses. Two things keep rounds few. States that no byte
 * kills (`x.*y` behind an x) are handed to all later slices at once. And in later rounds a work
 * item takes `span` slices, one after the other, and carries its news through them; the span
 * grows to the whole piece, so that few rounds remain, with little parallelism: slow, but exact.
 *
 * Scratch, in u64: flag[16], initial[words], news[slices][words], known[slices][words],
 * mark[slices][marks][words]. Plans of bounded reach use `news` as working memory, if any.
 */
#define CUT_ALONE 0u
#define CUT_FIRST 1u
#define CUT_NEWS 2u

#define CUT_FLAGS 16u

typedef struct cut {
    u32 from, begin, end; /* of the piece */
    u32 page;             /* bytes of a slice; a multiple of 16 */
    u32 lead;             /* bytes to begin early */
    u32 mode;
    u32 slices;
    u32 span;          /* slices that one work item takes */
    u32 stride, marks; /* distance of marks, and how many a slice has; the last is at its end */
    u32 words;         /* of state, a slice */
    GLOBAL u64 *scratch;
} cut;

#define CUT_PARAMETERS                                                                             \
    u32 from, u32 begin, u32 end, u32 page, u32 lead, u32 mode, u32 slices, u32 span, u32 stride,  \
        u32 marks, u32 words, GLOBAL u64 *scratch
#define CUT_MEMBERS                                                                                \
    {                                                                                              \
        from, begin, end, page, lead, mode, slices, span, stride, marks, words, scratch            \
    }

/* Slice n of a chunk; c->slices: none. */
INLINE u32 cut_slice(const cut *c, u32 chunk, u32 n)
{
    return chunk <= c->slices / c->span ? chunk * c->span + n : c->slices;
}

/* First byte of a slice; borders are multiples of 16. */
INLINE u32 cut_at(const cut *c, u32 slice)
{
    if (slice >= c->slices)
        return c->end;
    return slice ? (c->begin & ~15u) + slice * c->page : c->begin;
}

/* Where to begin reading for a slice; a multiple of 16 unless the slice is empty. */
INLINE u32 cut_start(const cut *c, u32 slice)
{
    const u32 at = cut_at(c, slice);
    if (slice >= c->slices)
        return at;
    return at - c->from > c->lead ? (at - c->lead) & ~15u : c->from;
}

/* Where stretch m of a slice ends: at mark m. */
INLINE u32 cut_stop(const cut *c, u32 slice, u32 m)
{
    const u32 at = cut_at(c, slice), end = cut_at(c, slice + 1);
    if (m + 1 >= c->marks || end - at <= (m + 1) * c->stride)
        return end;
    return at + (m + 1) * c->stride;
}

INLINE GLOBAL u64 *cut_initial(const cut *c)
{
    return c->scratch + CUT_FLAGS;
}

INLINE GLOBAL u64 *cut_news(const cut *c, u32 slice)
{
    return c->scratch + CUT_FLAGS + c->words * (size_t)(1 + slice);
}

INLINE GLOBAL u64 *cut_known(const cut *c, u32 slice)
{
    return c->scratch + CUT_FLAGS + c->words * ((size_t)1 + c->slices + slice);
}

INLINE GLOBAL u64 *cut_mark(const cut *c, u32 slice, u32 m)
{
    const size_t rows = 1 + 2 * (size_t)c->slices + (size_t)slice * c->marks + m;
    return c->scratch + CUT_FLAGS + c->words * rows;
}

/* One group a word of state. masks: u64[words], the states that no byte kills; u64[words], the
 * states that are handed on. `first`: nothing is known yet. */
KERNEL void carry_hand(GLOBAL const u64 *masks, u32 first, CUT_PARAMETERS LOCAL_ARG)
{
    LOCAL_MEMORY
    const cut c = CUT_MEMBERS;
    LOCAL u64 *kept = (LOCAL u64 *)local;
    const u32 w = PORT_GROUP;
    const u64 immortal = masks[w], passes = masks[(size_t)words + w];
    const u32 each = (slices + PORT_GROUP_SIZE - 1) / PORT_GROUP_SIZE;
    const u32 low = PORT_LID * each < slices ? PORT_LID * each : slices;
    const u32 high = slices - low < each ? slices : low + each;
    u64 mine = 0;
    if (immortal)
        for (u32 slice = low; slice < high; slice++)
            mine |= cut_mark(&c, slice, marks - 1)[w];
    kept[PORT_LID] = mine & immortal;
    PORT_BARRIER();
    u64 ever = 0;
    if (immortal)
        for (u32 item = 0; item < PORT_LID; item++)
            ever |= kept[item];
    u64 any = 0;
    for (u32 slice = low; slice < high; slice++) {
        u64 before = slice ? cut_mark(&c, slice - 1, marks - 1)[w] : 0;
        ever |= before & immortal;
        u64 known = first ? 0 : cut_known(&c, slice)[w];
        u64 news = (before | ever) & passes & ~known;
        cut_news(&c, slice)[w] = news;
        cut_known(&c, slice)[w] = known | news;
        any |= news;
    }
    if (any)
        PORT_GLOBAL_OR((GLOBAL u32 *)scratch, 1u);
}
