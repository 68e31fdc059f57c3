/* suggest.c: see suggest.h. Words are compared by how many letters are to be put, taken, changed or
 * exchanged with their neighbour (Damerau's distance, in its restricted form). */
#include "formats/writers/suggest.h"

#include <string.h>

#define LONGEST 40 /* of words that are compared */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Rows of the usual table: the one before the last, the last, and the present one. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1];
    size_t *older = rows[0], *old = rows[1], *row = rows[2];
    const size_t width = strlen(b);
    for (size_t k = 0; k <= width; k++)
        old[k] = k;
    for (size_t i = 1; a[i - 1]; i++) {
        row[0] = i;
        for (size_t k = 1; k <= width; k++) {
            row[k] = least(least(row[k - 1], old[k]) + 1, old[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = least(row[k], older[k - 2] + 1);
        }
        size_t *spare = older;
        older = old;
        old = row;
        row = spare;
    }
    return old[width];
}

const char *suggest(const char *word, const char *(*name_at)(const void *user, size_t number),
                    const void *user)
{
    const size_t length = strlen(word);
    const char *best = NULL, *name;
    size_t least_distance = 1 + (length < 3 ? 0 : length / 3);
    for (size_t i = 0; length > 1 && length <= LONGEST && (name = name_at(user, i)) != NULL; i++) {
        const size_t d = strlen(name) <= LONGEST ? distance(word, name) : LONGEST;
        if (d < least_distance + !best) {
            least_distance = d;
            best = name;
        }
    }
    return best;
}
