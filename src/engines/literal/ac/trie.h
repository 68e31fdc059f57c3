/* trie.h: the trie of a set of literals, from which Aho-Corasick and PFAC are laid out. */
#ifndef TRAWL_ENGINES_LITERAL_AC_TRIE_H
#define TRAWL_ENGINES_LITERAL_AC_TRIE_H

#include "engines/shared/literals.h"

#define TRIE_NONE UINT32_MAX
#define TRIE_NODE_BYTES 17 /* bytes that a trie holds for each node */

/* Nodes are numbered breadth first, those of one depth in the order of their strings. So the
 * children of node n are [child[n], child[n + 1]), their keys rise, and a failure link, which the
 * layout makes, leads to a smaller number. */
typedef struct trie {
    uint32_t count;  /* of nodes; the root is 0 */
    uint32_t *child; /* [count + 1] */
    uint8_t *key;    /* class of the byte that leads here */
    uint32_t
        *first; /* where in `order` the patterns begin that are this node's string, or TRIE_NONE */
    uint32_t *state; /* room for what the layout keeps for each node: */
    uint32_t *output;
    uint32_t *order;  /* patterns, by their strings, equal ones by index */
    uint32_t *equals; /* for a place in `order`: how many patterns from there on are equal */
    uint8_t map[256]; /* class of a byte */
    uint32_t classes;
} trie;

/* Build it. False: no memory, or more nodes than numbers. It must be closed in any case. */
bool trie_open(memory *m, const pattern_list *list, trie *t);
void trie_close(memory *m, trie *t);

#endif
