/* logical.h: the expression of a ClamAV logical signature, as (0&1)|(2|3)>4,2: of which of its
 * parts, by their numbers, occur how often. */
#ifndef TRAWL_LOGICAL_H
#define TRAWL_LOGICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOGICAL_PARTS 64u     /* at most, of a signature */
#define LOGICAL_LONGEST 4096u /* bytes of an expression */

typedef struct logical_node {
    char operator; /* '&' or '|' of two others; 0: how often a part occurs */
    char test;     /* '=', '>', '<': of the number of occurrences in it; 0: none, but for 0 */
    uint32_t part;
    uint64_t occurrences; /* what `test` compares with */
    uint32_t parts;       /* parts in it that must occur at least */
    const struct logical_node *left, *right;
} logical_node;

/* Nodes that an expression of that length has at most. */
#define LOGICAL_NODES(length) ((length) + 1)

/* Read the expression into `nodes`, which outlive what is returned: its root. *parts is one more
 * than the highest number in it. NULL: *why. */
const logical_node *logical_read(const char *text, size_t length, logical_node *nodes,
                                 uint32_t *parts, const char **why);

/* Whether it is true where part i occurs counts[i] times. */
bool logical_holds(const logical_node *root, const uint64_t *counts);

#endif
