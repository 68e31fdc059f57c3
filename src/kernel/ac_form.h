/* ac_form.h: one kernel of ac.k, which defines FORM_NAME and, as 0 or 1, FORM_STAGED, FORM_ROW and
 * FORM_TEXTURE.
 */
#define FORM_NEXT TRIE_NAME(FORM_NAME, _next)

#if FORM_TEXTURE
#define FORM_TABLES GLOBAL const u32 *tables, TEXTURE texture
#define FORM_TABLES_GIVEN tables, texture
#define FORM_ROWS(i) PORT_TEXEL(texture, t->rows + (i))
#else
#define FORM_TABLES GLOBAL const u32 *tables
#define FORM_TABLES_GIVEN tables
#define FORM_ROWS(i) tables[t->rows + (i)]
#endif
#if FORM_ROW
#define FORM_CLASS(c) ((LOCAL const u8 *)(first + 256))[c]
#else
#define FORM_CLASS(c) ((GLOBAL const u8 *)(tables + t->map))[c]
#endif
#if FORM_STAGED
#define FORM_LOAD4(i) (*(LOCAL const u32x4 *)(tile + ((i)-tile_from) / 4))
#else
#define FORM_LOAD4(i) PORT_LOAD4(text + (i))
#endif

/* The state after state s and byte c: ac_next of walk/ac.c. */
INLINE u32 FORM_NEXT(FORM_TABLES, LOCAL const u32 *first, u32 s, u32 c)
{
    GLOBAL const ac_tables *t = (GLOBAL const ac_tables *)tables;
#if FORM_ROW
    if (s == AC_ROOT)
        return first[c];
#else
    (void)first;
#endif
    const u32 k = FORM_CLASS(c);
    while (s & AC_SPARSE) {
        GLOBAL const u32 *sparse = tables + t->sparse + (s & AC_PLACE);
        const u32 child = ac_child(sparse, k);
        if (child != AC_DEAD)
            return child;
        s = sparse[SPARSE_FAIL];
    }
    return FORM_ROWS((s & AC_PLACE) + k);
}

/* Ends in (begin, end]. Item n of all takes the page of `page` bytes at `origin` + n * page, where
 * origin is `begin` down to a multiple of 16; page and reach are multiples of 16. */
KERNEL void FORM_NAME(FORM_TABLES, GLOBAL const u8 *text, u32 from, u32 begin, u32 end, u32 page,
                      u32 reach, GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity LOCAL_ARG)
{
    LOCAL_MEMORY
    const u32 lid = PORT_LID, group = PORT_GROUP_SIZE;
    const u32 pages = (begin & ~15u) + PORT_GROUP * group * page;
    LOCAL u32 *first = local + TRIE_FIRST(group);
    box b;
    box_open(&b, local, cursor, records, capacity);
#if FORM_ROW
    trie_copy_first(tables, first);
#endif
#if FORM_STAGED
    LOCAL u32 *tile = local + TRIE_TILE(group, FORM_ROW);
    const u32 tile_from = pages - from > reach ? pages - reach : from;
    trie_stage(text, tile_from, end - pages < group * page ? end : pages + group * page, tile);
#endif
    PORT_BARRIER();

    const u32 mine = pages + lid * page;
    if (mine < end) {
        const u32 stop = end - mine < page ? end : mine + page;
        const u32 after = mine > begin ? mine : begin;
        const u32 start = mine - from > reach ? mine - reach : from;
        u32 s = AC_ROOT;
        u32 i = start;
        while (i < stop) {
            u32x4 w = FORM_LOAD4(i);
            const u32 pause = stop - i < 16 ? stop : i + 16;
            while (i < pause) {
                s = FORM_NEXT(FORM_TABLES_GIVEN, first, s, w.x & 255);
                i++;
                if (i & 3) {
                    w.x >>= 8;
                } else {
                    w.x = w.y;
                    w.y = w.z;
                    w.z = w.w;
                }
                if (PORT_UNLIKELY(s & AC_MATCH) && i > after)
                    trie_report(tables, text, s, start, i, &b, local);
            }
        }
    }
    box_close(&b, local);
}

#undef FORM_NEXT
#undef FORM_TABLES
#undef FORM_TABLES_GIVEN
#undef FORM_ROWS
#undef FORM_CLASS
#undef FORM_LOAD4
#undef FORM_NAME
#undef FORM_STAGED
#undef FORM_ROW
#undef FORM_TEXTURE
