/* pfac_form.h: one kernel of pfac.k, which defines FORM_NAME and, as 0 or 1, FORM_STAGED, FORM_ROW
 * and FORM_TEXTURE; FORM_KIND is a PFAC_*.
 */
#define FORM_WALK TRIE_NAME(FORM_NAME, _walk)
#define FORM_HAND_OVER TRIE_NAME(FORM_NAME, _hand_over)

#if FORM_TEXTURE
#define FORM_TABLES GLOBAL const u32 *tables, TEXTURE texture
#define FORM_TABLES_GIVEN tables, texture
#define FORM_ROWS(i) PORT_TEXEL(texture, rows + (i))
#else
#define FORM_TABLES GLOBAL const u32 *tables
#define FORM_TABLES_GIVEN tables
#define FORM_ROWS(i) tables[rows + (i)]
#endif
#if FORM_ROW
#define FORM_CLASS(c) ((LOCAL const u8 *)(first + 256))[c]
#define FORM_FIRST(c) first[c]
#else
#define FORM_CLASS(c) ((GLOBAL const u8 *)(tables + map))[c]
#define FORM_FIRST(c) FORM_ROWS(FORM_CLASS(c))
#endif
#if FORM_STAGED
#define FORM_BYTE(i) ((i) < staged ? ((LOCAL const u8 *)tile)[(i)-tile_from] : text[i])
#else
#define FORM_BYTE(i) text[i]
#endif

/* pfac_start of walk/pfac.c, or the rest of it from state `s` at text[i]; at text[start] it is the
 * root. After `depth` bytes it is put into `deep`. `tile` holds text[tile_from .. staged). The byte
 * for the next step is on its way while this one waits for its state; text[end] may be read. */
INLINE void FORM_WALK(FORM_TABLES, GLOBAL const u8 *text, LOCAL const u32 *first,
                      LOCAL const u32 *tile, u32 tile_from, u32 staged, u32 start, u32 i, u32 s,
                      u32 begin, u32 end, u32 depth, LOCAL u32 *deep, box *b, LOCAL u32 *words)
{
    GLOBAL const ac_tables *t = (GLOBAL const ac_tables *)tables;
    GLOBAL const u32 *sparse = tables + t->sparse;
    const u32 rows = t->rows, map = t->map, last = t->sparse_words - 1;
    (void)map;
    (void)first;
    (void)tile;
    (void)tile_from;
    (void)staged;
    if (i == start) {
        s = FORM_FIRST(FORM_BYTE(i));
        i++;
    }
    if (s == AC_DEAD)
        return;
    u32 c = FORM_CLASS(FORM_BYTE(i));
    do {
        if (i - start == depth && pfac_put_deep(deep, start, s))
            return;
        if ((s & AC_MATCH) && i > begin)
            trie_report(tables, text, s, start, i, b, words);
        if (i >= end)
            return;
        i++;
        const u32 byte = FORM_BYTE(i);
        s = s & AC_SPARSE ? pfac_child(sparse, last, s & AC_PLACE, c)
                          : FORM_ROWS((s & AC_PLACE) + c);
        c = FORM_CLASS(byte);
    } while (s != AC_DEAD);
}

#if FORM_KIND != PFAC_DEEP

/* Give the group's deep walks to the list; those that find it full are walked here. By all items
 * of the group; a barrier must follow before the next walk. */
INLINE void FORM_HAND_OVER(FORM_TABLES, GLOBAL const u8 *text, LOCAL const u32 *first, u32 begin,
                           u32 end, const pfac_list *list, LOCAL u32 *deep, box *b,
                           LOCAL u32 *words)
{
    PORT_BARRIER();
    const u32 places = PFAC_DEEP_PLACES(PORT_GROUP_SIZE);
    const u32 count = deep[0] < places ? deep[0] : places;
    if (PORT_LID == 0 && count > 0) {
        const u64 place = PORT_GLOBAL_ADD64(list->count, count);
        deep[2] = (u32)place;
        deep[3] = (u32)(place >> 32);
    }
    PORT_BARRIER();
    const u64 slot = (deep[2] | (u64)deep[3] << 32) + PORT_LID;
    if (PORT_LID == 0)
        deep[0] = 0;
    if (PORT_LID < count) {
        const u32 start = deep[BOX_HEAD + 2 * PORT_LID];
        const u32 s = deep[BOX_HEAD + 2 * PORT_LID + 1];
        if (slot < list->room) {
            list->walks[slot].pos = start;
            list->walks[slot].index = s;
        } else {
            FORM_WALK(FORM_TABLES_GIVEN, text, first, words, 0, 0, start, start + list->depth, s,
                      begin, end, 0, deep, b, words);
        }
    }
}

#endif
#if FORM_KIND == PFAC_FILTERED

/* Starts from .. end; `from` is a multiple of 16. A tile has `chunks` (1 .. 4) times 16 starts for
 * each item. `filter`: 2^(32 - shift) bits. */
KERNEL void FORM_NAME(FORM_TABLES, GLOBAL const u8 *text, GLOBAL const u32 *filter, u32 shift,
                      u32 fold, u32 gram, u32 from, u32 begin, u32 end, u32 chunks, PFAC_LIST_ARGS,
                      GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity LOCAL_ARG)
{
    LOCAL_MEMORY
    const u32 lid = PORT_LID, group = PORT_GROUP_SIZE;
    const u32 places = PFAC_QUEUE * group;
    LOCAL u32 *counts = local + PFAC_FILTER_COUNTS(group);
    LOCAL u32 *queue = local + PFAC_FILTER_QUEUE(group);
    LOCAL u32 *first = local + PFAC_FILTER_FIRST(group);
    LOCAL u32 *bits = local + PFAC_FILTER_BITS(group, FORM_ROW);
    LOCAL u32 *deep = local + PFAC_DEEP_WALKS(group);
    const pfac_list list = PFAC_LIST_GIVEN;
    box b;
    box_open(&b, local, cursor, records, capacity);
    for (u32 i = 0; lid == 0 && i < BOX_HEAD; i++)
        deep[i] = 0;
    for (u32 w = 4 * lid; w < 1u << (27 - shift); w += 4 * group)
        *(LOCAL u32x4 *)(bits + w) = PORT_LOAD4(filter + w);
#if FORM_ROW
    trie_copy_first(tables, first);
#endif
    if (lid == 0) {
        counts[0] = 0;
        counts[1] = 0;
    }
    PORT_BARRIER();

    const u32 tile_bytes = 16 * chunks * group;
    u32 turn = 0;
    for (u32 tile = from + PORT_GROUP * tile_bytes; tile < end; tile += PORT_GROUPS * tile_bytes) {
        /* Bit 16 * c + k of `left`: start k of this item's 16 bytes in chunk c passed. */
        u64 left = 0;
        u32 found = 0;
        u32 at = tile + 16 * lid;
        u32x4 ahead = PORT_LOAD4(text + (at < end ? at : from));
        u32 ahead_next = *(GLOBAL const u32 *)(text + (at < end ? at + 16 : from));
        for (u32 c = 0; c < chunks && at < end; c++) {
            const u32x4 w = ahead;
            const u32 next = ahead_next;
            const u32 after = at + 16 * group;
            if (c + 1 < chunks && after < end) {
                ahead = PORT_LOAD4(text + after);
                ahead_next = *(GLOBAL const u32 *)(text + after + 16);
            }
            u32 passed = 0;
            PFAC_TEST4(w.x, w.y, 0)
            PFAC_TEST4(w.y, w.z, 4)
            PFAC_TEST4(w.z, w.w, 8)
            PFAC_TEST4(w.w, next, 12)
            if (end - at < 16)
                passed &= (1u << (end - at)) - 1;
            found += PORT_POPCOUNT(passed);
            left |= (u64)passed << (16 * c);
            at = after;
        }
        /* What finds no room in the queue stays in `left`: its item walks it itself. */
        if (left) {
            u32 slot = PORT_LOCAL_ADD(counts + turn, found);
            for (; left && slot < places; slot++) {
                const u32 bit = PORT_CTZ64(left);
                queue[slot] = tile + 16 * ((bit >> 4) * group + lid) + (bit & 15);
                left &= left - 1;
            }
        }
        PORT_BARRIER();
        const u32 queued = counts[turn] < places ? counts[turn] : places;
        turn ^= 1;
        if (lid == 0)
            counts[turn] = 0; /* last read before the barriers of the tile before */
        for (u32 i = lid; i < queued || left; i += group) {
            u32 start;
            if (i < queued) {
                start = queue[i];
            } else {
                const u32 bit = PORT_CTZ64(left);
                start = tile + 16 * ((bit >> 4) * group + lid) + (bit & 15);
                left &= left - 1;
            }
            FORM_WALK(FORM_TABLES_GIVEN, text, first, local, 0, 0, start, start, AC_ROOT, begin,
                      end, depth, deep, &b, local);
        }
        FORM_HAND_OVER(FORM_TABLES_GIVEN, text, first, begin, end, &list, deep, &b, local);
        box_flush(&b, local, group / 2 + 1);
    }
    box_close(&b, local);
}

#elif FORM_KIND == PFAC_DEEP

/* The walks of the list. */
KERNEL void FORM_NAME(FORM_TABLES, GLOBAL const u8 *text, u32 begin, u32 end, PFAC_LIST_ARGS,
                      GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity LOCAL_ARG)
{
    LOCAL_MEMORY
    const u32 items = PORT_GROUP_SIZE * PORT_GROUPS;
    const pfac_list list = PFAC_LIST_GIVEN;
    const u32 count = *list.count < room ? (u32)*list.count : room;
    box b;
    box_open(&b, local, cursor, records, capacity);
    PORT_BARRIER();
    for (u32 n = PORT_LID * PORT_GROUPS + PORT_GROUP; n < count; n += items) {
        const u32 start = list.walks[n].pos;
        FORM_WALK(FORM_TABLES_GIVEN, text, local, local, 0, 0, start, start + depth,
                  list.walks[n].index, begin, end, 0, local, &b, local);
    }
    box_close(&b, local);
}

#else

/* Starts from .. end. A group takes a tile of `chars` starts for each item, and stages `halo` bytes
 * more. */
KERNEL void FORM_NAME(FORM_TABLES, GLOBAL const u8 *text, u32 from, u32 begin, u32 end, u32 chars,
                      u32 halo, PFAC_LIST_ARGS, GLOBAL u64 *cursor, GLOBAL record *records,
                      u64 capacity LOCAL_ARG)
{
    LOCAL_MEMORY
    const u32 lid = PORT_LID, group = PORT_GROUP_SIZE;
    const u32 tile_begin = from + PORT_GROUP * group * chars;
    const u32 tile_end = group * chars < end - tile_begin ? tile_begin + group * chars : end;
    const u32 tile_from = tile_begin & ~15u;
    const u32 staged = halo < end - tile_end ? tile_end + halo : end;
    LOCAL u32 *first = local + PFAC_FIRST(group);
    LOCAL u32 *tile = local + PFAC_TILE(group, FORM_ROW);
    LOCAL u32 *deep = local + PFAC_DEEP_WALKS(group);
    const pfac_list list = PFAC_LIST_GIVEN;
    box b;
    box_open(&b, local, cursor, records, capacity);
    for (u32 i = 0; lid == 0 && i < BOX_HEAD; i++)
        deep[i] = 0;
#if FORM_ROW
    trie_copy_first(tables, first);
#endif
#if FORM_STAGED
    trie_stage(text, tile_from, staged, tile);
#endif
    PORT_BARRIER();
    for (u32 start = tile_begin + lid; start < tile_end; start += group)
        FORM_WALK(FORM_TABLES_GIVEN, text, first, tile, tile_from, staged, start, start, AC_ROOT,
                  begin, end, depth, deep, &b, local);
    FORM_HAND_OVER(FORM_TABLES_GIVEN, text, first, begin, end, &list, deep, &b, local);
    box_close(&b, local);
}

#endif

#undef FORM_WALK
#undef FORM_HAND_OVER
#undef FORM_TABLES
#undef FORM_TABLES_GIVEN
#undef FORM_ROWS
#undef FORM_CLASS
#undef FORM_FIRST
#undef FORM_BYTE
#undef FORM_NAME
#undef FORM_STAGED
#undef FORM_ROW
#undef FORM_TEXTURE
#undef FORM_KIND
