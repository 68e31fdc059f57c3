/* rules.h: Snort's and Suricata's rules, as read: what their contents are asked for; and ClamAV's
 * logical signatures, which are rules with an expression of how often their contents occur. */
#ifndef TRAWL_RULES_H
#define TRAWL_RULES_H

#include "formats/patterns/logical.h"
#include "formats/patterns/pattern_set.h"
#include "formats/patterns/rule_head.h"

#define RULE_ANY UINT64_MAX /* no depth, no within */

/* A content; that a match of `length` bytes is where it is asked for:
 *   offset <= start, end <= offset + depth; of a relative one, after the cursor, which is where
 *   the content before it ends, distance <= start - cursor, end <= cursor + distance + within. */
typedef struct rule_content {
    size_t pattern; /* its number in the set */
    uint64_t length;
    int64_t offset, distance;
    uint64_t depth, within;
    bool negated, windowed, relative;
    bool ends;     /* with the record */
    bool buffered; /* asked for in a part of the record that we do not tell apart: anywhere */
    bool lost;     /* the cursor is where something that is not evaluated put it */
    uint32_t part; /* of a logical signature: which one it is */
} rule_content;

typedef struct rule {
    uint32_t sid;
    const char *message;
    const char *unchecked; /* names of what is not evaluated, with commas */
    rule_head head;
    size_t first, count; /* its contents */
    char size_test;      /* of the record: '=', '!', '<', '>'; 0: none */
    uint64_t size;
    const logical_node *logical; /* of a logical signature; NULL: all contents must be there */
    uint32_t parts;              /* in it */
    size_t signature;            /* its number (pattern_origin.signature) */
    uint64_t least, most;        /* bytes of a record that it is asked of */
} rule;

/* The rules of all files. */
typedef struct rule_list {
    rule *rules;
    rule_content *contents;
    size_t count, room, content_count, content_room;
    size_t empty;   /* rules in which there is nothing to evaluate: they are left out */
    size_t partial; /* of which something is not evaluated */
} rule_list;

/* The set's list, which may be new, with room for one more rule and one more content. NULL: no
 * memory. */
rule_list *rule_list_of(pattern_set *set);
void rule_list_free(rule_list *list);

/* The patterns of a listing: those of negated contents go. Says how many did. */
void rules_for_listing(pattern_set *set);

/* Add a name to a list with commas between, of which `used` bytes are there and there is room,
 * unless it is in it. Returns how many are used then. */
size_t rule_name_once(char *names, size_t used, const char *name, size_t length);

/* Say that of logical signatures the parts are listed. */
void rules_warn_of_parts(const pattern_set *set);

/* Whether all patterns are those of rules, or all of logical signatures, as verdicts want it:
 * tells so if not, and says what is not evaluated of them. */
bool rules_are_alone(const pattern_set *set);

/* The patterns of verdicts: equal ones become one. False, after
 * telling so, without memory. */
bool rules_for_verdicts(pattern_set *set);

#endif
