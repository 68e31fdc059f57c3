/* hnfa_form.h: a kernel for RunHNFA with one work item a module. Before including define
 *   HNFA_KERNEL      its name
 *   HNFA_EXCHANGE    BY_ATOMIC, BY_RELAY, BY_BALLOT (a team inside a warp) or BY_BALLOTS (teams
 *                    of whole warps), a constant
 * Both are undefined at the end.
 *
 * A group takes one pattern; its teams of `team` >= k items take slices. All loops are as long
 * for every item of the group, for there are barriers (or ballots) in each step; an item whose
 * slice has ended keeps its state and publishes it again.
 */
KERNEL void HNFA_KERNEL(GLOBAL const u32 *tables, GLOBAL const u8 *text, GLOBAL const u32 *list,
                        u32 first, u32 count, u32 team, u32 staged, CUT_PARAMETERS,
                        GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity LOCAL_ARG)
{
    LOCAL_MEMORY
    GLOBAL const hnfa_tables *t = (GLOBAL const hnfa_tables *)tables;
    GLOBAL const hnfa_pattern *p =
        (GLOBAL const hnfa_pattern *)(tables + t->patterns) + list[first + PORT_GROUP % count];
    const cut c = CUT_MEMBERS;
    const sink out = { cursor, records, capacity };
    const u32 k = p->modules, skips = p->skips, uppers = k / 64 + 1;
    const u32 mine = PORT_LID / team, j = PORT_LID % team;
    const u32 chunk = PORT_GROUP / count * (PORT_GROUP_SIZE / team) + mine;
    const int works = j < k;
    const u64 border_0 = c.mode != CUT_NEWS; /* a match may begin */

    /* The module, in registers. */
    u64 lead_run = 0, top = 0, ebeg = 0, eend = 0, eblk = 0;
    if (works) {
        GLOBAL const hnfa_module *m = (GLOBAL const hnfa_module *)(tables + p->module) + j;
        lead_run = m->lead;
        top = m->top;
        ebeg = m->ebeg;
        eend = m->eend;
        eblk = m->eblk;
    }
    GLOBAL const u64 *masks = (GLOBAL const u64 *)(tables + p->upper);

    /* Local memory: class map, whether anything lives, Ch and Rep, what the teams exchange. */
    LOCAL const u8 *map = (LOCAL const u8 *)local;
    LOCAL u32 *alive = local + 64;
    LOCAL u64 *near_move = (LOCAL u64 *)(local + HNFA_FIXED);
    const u32 entries = t->classes * k;
    GLOBAL const u64 *far_move = (GLOBAL const u64 *)(tables + p->move);
    GLOBAL const u64 *far_repeat = (GLOBAL const u64 *)(tables + p->repeat);
    for (u32 i = PORT_LID; i < 64; i += PORT_GROUP_SIZE)
        local[i] = tables[t->map + i];
    if (staged)
        for (u32 i = PORT_LID; i < entries; i += PORT_GROUP_SIZE) {
            near_move[i] = far_move[i];
            near_move[entries + i] = far_repeat[i];
        }
#if HNFA_EXCHANGE != BY_BALLOT
    /* Final bits of the modules as they are, by u32; border j + 1 is bit j. */
    const u32 bits = 2 * uppers;
    LOCAL u32 *areas = local + HNFA_FIXED + (staged ? 4 * entries : 0);
    LOCAL u32 *area = areas + mine * HNFA_AREA(team);
    for (u32 i = PORT_LID; i < PORT_GROUP_SIZE / team * HNFA_AREA(team); i += PORT_GROUP_SIZE)
        areas[i] = 0;
    LOCAL u32 *finals = area;
#else
    const u32 shift = PORT_LID % 32 - j;
    const u32 whole = team == 32 ? 0xffffffffu : (1u << team) - 1;
#endif
    PORT_BARRIER();

    u64 s = 0;       /* states of this module */
    u32 final = 0;   /* its final bit: border j + 1 */
    u64 initial = 0; /* its initial bit: border j, closed */
    u32 ended = 0;   /* the pattern's end, closed; known to item `teller` */
#if HNFA_EXCHANGE == BY_BALLOT
    u64 upper = 0; /* every item has the upper module, closed */
    const u64 upper_ebeg = masks[0], upper_eend = masks[1], upper_eblk = masks[2];
    const u32 teller = 0;
#define HNFA_UPPER(x) upper
#elif HNFA_EXCHANGE == BY_RELAY
    const u32 teller = 0;
#define HNFA_UPPER(x) hnfa_borders(finals, masks, uppers, skips, border_0, x)
#else
    const u32 teller = k - 1;
#define HNFA_UPPER(x) hnfa_borders(finals, masks, uppers, skips, border_0, x)
#endif

    /* From `final` of all modules to `initial` of all: lower to upper, closure, upper to lower. */
#if HNFA_EXCHANGE == BY_BALLOT
#define HNFA_PUBLISH()                                                                             \
    do {                                                                                           \
        const u32 lanes = PORT_BALLOT(final) >> shift & whole;                                     \
        upper = (u64)lanes << 1 | border_0;                                                        \
        if (skips)                                                                                 \
            upper = shiftand_close(upper, upper_ebeg, upper_eend, upper_eblk);                     \
        initial = upper >> j & 1;                                                                  \
        ended = (u32)(upper >> k & 1);                                                             \
    } while (0)
#elif HNFA_EXCHANGE == BY_RELAY
    LOCAL u32 *cells = area + bits;
    const u32 turns = (k + 31) / 32;
/* First the turns that collect, then those that hand out. Two arrays alternate, so that one barrier
 * a turn is enough: who comes to write the first again has passed the barrier that its last reader
 * reached after reading. One loop for both: PoCL 3.1 loses values between two loops with barriers.
 */
#define HNFA_PUBLISH()                                                                             \
    do {                                                                                           \
        for (u32 phase = 0; phase < 2 * turns; phase++) {                                          \
            LOCAL u32 *now = cells + phase % 2 * 32;                                               \
            const u32 r = phase < turns ? phase : phase - turns;                                   \
            const u32 upto = k - 32 * r < 32 ? k - 32 * r : 32;                                    \
            if (phase < turns && j / 32 == r)                                                      \
                now[j % 32] = final;                                                               \
            if (phase >= turns && j == 0) {                                                        \
                const u32 word = (u32)(HNFA_UPPER(r / 2) >> (r % 2 * 32));                         \
                for (u32 cell = 0; cell < upto; cell++)                                            \
                    now[cell] = word;                                                              \
            }                                                                                      \
            PORT_BARRIER();                                                                        \
            if (phase < turns && j == 0) {                                                         \
                u32 collected = 0;                                                                 \
                for (u32 cell = 0; cell < upto; cell++)                                            \
                    collected |= now[cell] << cell;                                                \
                finals[r] = collected;                                                             \
            }                                                                                      \
            if (phase >= turns && works && j / 32 == r)                                            \
                initial = now[j % 32] >> (j % 32) & 1;                                             \
        }                                                                                          \
        if (j == 0)                                                                                \
            ended = (u32)(HNFA_UPPER(k / 64) >> (k % 64) & 1);                                     \
    } while (0)
#else
#if HNFA_EXCHANGE == BY_ATOMIC
#define HNFA_SET()                                                                                 \
    do {                                                                                           \
        if (final)                                                                                 \
            PORT_LOCAL_OR(&finals[j / 32], (u32)1 << (j % 32));                                    \
    } while (0)
#else
#define HNFA_SET()                                                                                 \
    do {                                                                                           \
        const u32 lanes = PORT_BALLOT(final);                                                      \
        if (works && j % 32 == 0)                                                                  \
            finals[j / 32] = lanes;                                                                \
    } while (0)
#endif
    /* Three arrays in turn: one is set, the one set next is cleared, and the third, which the
     * slowest item may still read, is left alone. So one barrier is enough. */
    u32 turn = 0;
#define HNFA_PUBLISH()                                                                             \
    do {                                                                                           \
        turn = turn == 2 ? 0 : turn + 1;                                                           \
        finals = area + turn * bits;                                                               \
        if (j < bits)                                                                              \
            area[(turn == 2 ? 0 : turn + 1) * bits + j] = 0;                                       \
        HNFA_SET();                                                                                \
        PORT_BARRIER();                                                                            \
        if (works) {                                                                               \
            initial = HNFA_UPPER(j / 64) >> (j % 64) & 1;                                          \
            if (j == teller)                                                                       \
                ended = (u32)(HNFA_UPPER(k / 64) >> (k % 64) & 1);                                 \
        }                                                                                          \
    } while (0)
#endif

    for (u32 n = 0; n < c.span; n++) {
        const u32 slice = cut_slice(&c, chunk, n);
        const int real = slice < c.slices;
        /* What the slice begins with. `s` and `final` are what the one before ended with. */
        if (c.mode == CUT_NEWS && real && works) {
            if (s) {
                const u64 known = cut_known(&c, slice)[p->lower_state + j];
                s &= ~known;
                cut_known(&c, slice)[p->lower_state + j] = known | s;
            }
            s |= cut_news(&c, slice)[p->lower_state + j];
            GLOBAL const u64 *borders = cut_news(&c, slice) + p->lower_state + k;
            final |= (u32)(borders[(j + 1) / 64] >> ((j + 1) % 64) & 1);
        } else {
            s = 0;
            final = 0;
            if (c.mode == CUT_FIRST && slice == 0 && works) {
                s = cut_initial(&c)[p->lower_state + j];
                GLOBAL const u64 *borders = cut_initial(&c) + p->lower_state + k;
                final = (u32)(borders[(j + 1) / 64] >> ((j + 1) % 64) & 1);
            }
        }
        u32 lives = hnfa_any(c.mode != CUT_NEWS || s != 0 || final, alive);
        const u32 own = cut_at(&c, slice);
        u32 at = cut_start(&c, slice);
        for (u32 m = 0; m < c.marks && lives; m++) {
            const u32 stop = cut_stop(&c, slice, m), length = stop - at;
            u32 steps = c.stride;
            if (m + 1 == c.marks)
                steps = c.mode == CUT_ALONE ? page + lead + 15 : page - m * c.stride;
            u32 bytes = 0, coming = 0;
            if (length)
                coming = *(GLOBAL const u32 *)(text + at);
            /* In round i the states behind i bytes are published, then byte i is taken. */
            for (u32 i = 0; i <= steps; i++) {
                HNFA_PUBLISH();
                if (PORT_UNLIKELY(ended) && j == teller && i > 0 && i <= length && at + i > own)
                    sink_put(&out, at + i, p->index);
                if (i % 4 == 0) {
                    bytes = coming;
                    if (length > i + 4)
                        coming = *(GLOBAL const u32 *)(text + at + i + 4);
                }
                if (i < length && works) {
                    const u32 entry = map[bytes >> (i % 4 * 8) & 255] * k + j;
                    u64 move, repeat;
                    if (staged) {
                        move = near_move[entry];
                        repeat = near_move[entries + entry];
                    } else {
                        move = far_move[entry];
                        repeat = far_repeat[entry];
                    }
                    if (initial)
                        s |= lead_run;
                    s = (((s << 1) | initial) & move) | (s & repeat);
                    s = shiftand_close(s, ebeg, eend, eblk);
                    final = (s & top) != 0;
                }
            }
            at = stop;
            /* At a mark. Item j has the state of module j, and of the upper module border j + 1;
             * the first items store the upper module's words, when all have read them. */
            const int stores = c.mode != CUT_ALONE && real && works;
            GLOBAL u64 *mark = cut_mark(&c, stores ? slice : 0, m) + p->lower_state;
            const u64 states = j < uppers ? HNFA_UPPER(j) : 0;
            if (stores && c.mode == CUT_FIRST)
                mark[j] = s;
            if (stores && c.mode == CUT_NEWS) {
                const u64 marked = mark[j];
                s &= ~marked;
                mark[j] = marked | s;
                final = (u32)(HNFA_UPPER((j + 1) / 64) >> ((j + 1) % 64) & 1);
                final &= (u32) ~(mark[k + (j + 1) / 64] >> ((j + 1) % 64)) & 1;
            }
            lives = hnfa_any(c.mode != CUT_NEWS || s != 0 || final, alive);
            if (stores && j < uppers)
                mark[k + j] = c.mode == CUT_NEWS ? mark[k + j] | states : states;
        }
    }
}

#undef HNFA_UPPER
#undef HNFA_PUBLISH
#undef HNFA_SET
#undef HNFA_KERNEL
#undef HNFA_EXCHANGE
