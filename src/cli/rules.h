/* rules.h: Snort's and Suricata's rules, as read: what their contents are asked for. */
#ifndef TRAWL_RULES_H
#define TRAWL_RULES_H

#include "cli/cli.h"
#include "cli/rule_head.h"

#define RULE_ANY UINT64_MAX /* no depth, no within */

/* A content; that a match of `length` bytes is where it is asked for:
 *   offset <= start, end <= offset + depth; of a relative one, behind the cursor, which is where
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
} rule_content;

typedef struct rule {
    uint32_t sid;
    const char *message;
    const char *unchecked; /* names of what is not evaluated, with commas */
    rule_head head;
    size_t first, count; /* its contents */
    char size_test;      /* of the record: '=', '!', '<', '>'; 0: none */
    uint64_t size;
} rule;

/* Of all files. */
typedef struct rule_list {
    rule *rules;
    rule_content *contents;
    size_t count, room, content_count, content_room;
    size_t empty;   /* rules in which there is nothing to evaluate: they are left out */
    size_t partial; /* of which something is not evaluated */
} rule_list;

void rule_list_free(rule_list *list);

/* The patterns of a listing: those of negated contents go. Says how many did. */
void rules_for_listing(pattern_set *set, const char *command);

/* Whether all patterns are those of rules, as verdicts want it: complains if not, and says what is
 * not evaluated of these rules. */
bool rules_are_alone(const pattern_set *set, const char *command);

/* The patterns of verdicts: equal ones become one. False, after a
 * complaint, without memory. */
bool rules_for_verdicts(pattern_set *set, const char *command);

#endif
