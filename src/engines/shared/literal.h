/* literal.h: the literals of a set as the walks see them, and the full comparison that
 * ends every filter.
 */
#ifndef TRAWL_ENGINES_SHARED_LITERAL_H
#define TRAWL_ENGINES_SHARED_LITERAL_H

#include "base/port.h"

#define LITERAL_FOLDED 0x80000000u /* in `length`: compare the text in lower case */
#define LITERAL_LENGTH 0x7fffffffu

typedef struct literal_tables {
    u32 count;
    u32 entries; /* literal_entry[count], word offset */
    u32 bytes;   /* all literals one after the other, word offset */
    u32 fold;    /* u8[256], word offset: lower case when any literal is folded, else identity */
} literal_tables;

typedef struct literal_entry {
    u32 first;  /* byte offset in bytes */
    u32 length; /* | LITERAL_FOLDED */
} literal_entry;

SHARED_SIZE(literal_tables, 16);
SHARED_SIZE(literal_entry, 8);

INLINE u8 literal_fold(u8 c)
{
    return (u8)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

INLINE u32 literal_length(GLOBAL const u32 *tables, u32 entries, u32 index)
{
    return ((GLOBAL const literal_entry *)(tables + entries))[index].length & LITERAL_LENGTH;
}

/* How many bytes of literal `index` stand at text[start], up to the first that does not: all of
 * them are an occurrence. The caller knows that the literal fits into the text. */
INLINE u32 literal_matched(GLOBAL const u32 *tables, u32 entries, u32 bytes, u32 index,
                           GLOBAL const u8 *text, u32 start)
{
    GLOBAL const literal_entry *e = (GLOBAL const literal_entry *)(tables + entries) + index;
    GLOBAL const u8 *literal = (GLOBAL const u8 *)(tables + bytes) + e->first;
    u32 length = e->length & LITERAL_LENGTH;
    u32 i = 0;
    if (e->length & LITERAL_FOLDED) {
        while (i < length && literal_fold(text[start + i]) == literal[i])
            i++;
    } else {
        while (i < length && text[start + i] == literal[i])
            i++;
    }
    return i;
}

/* Does literal `index` stand at text[start]? */
INLINE int literal_equal(GLOBAL const u32 *tables, u32 entries, u32 bytes, u32 index,
                         GLOBAL const u8 *text, u32 start)
{
    return literal_matched(tables, entries, bytes, index, text, start) ==
           literal_length(tables, entries, index);
}

#endif
