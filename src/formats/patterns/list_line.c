/* list_line.c: see formats/patterns/list_line.h. */
#include "formats/patterns/list_line.h"

#include <string.h>

list_line list_line_of(const pattern_set *set, size_t index)
{
    return (list_line){ set->patterns[index].text, set->patterns[index].length };
}

bool list_line_begins(list_line l, const char *word)
{
    const size_t length = strlen(word);
    return l.length >= length && memcmp(l.text, word, length) == 0;
}

bool list_line_is(list_line l, const char *word)
{
    return l.length == strlen(word) && memcmp(l.text, word, l.length) == 0;
}

char *list_line_name(pattern_set *set, list_line l)
{
    char *name = pattern_set_room(set, l.length);
    if (name) {
        memcpy(name, l.text, l.length);
        name[l.length] = '\0';
    }
    return name;
}

void list_line_move(pattern_set *set, size_t to, size_t from, const char *text, size_t length,
                    const char *name)
{
    set->patterns[to] = set->patterns[from];
    set->origins[to] = set->origins[from];
    set->patterns[to].text = text;
    set->patterns[to].length = length;
    if (!set->origins[to].styled)
        set->patterns[to].id = (uint32_t)(to + 1);
    if (name)
        set->patterns[to].name = name;
}
