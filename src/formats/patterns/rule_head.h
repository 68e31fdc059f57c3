/* rule_head.h: what stands before a rule's options: protocol, addresses, ports. */
#ifndef TRAWL_RULE_HEAD_H
#define TRAWL_RULE_HEAD_H

#include <stdbool.h>
#include <stddef.h>

/* Between whom a record went: what a capture's reader calls it, taken apart. */
typedef struct flow {
    char protocol[8]; /* "" where it is not known: no head is asked then */
    bool foreign;     /* the record is a frame without IP, or with a header that is damaged */
    bool ported;
    unsigned from, to; /* its ports */
} flow;

/* Text that is not ended by a NUL byte. */
typedef struct rule_span {
    const char *text;
    size_t length;
} rule_span;

static inline bool rule_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool rule_span_is(rule_span s, const char *word);

typedef struct rule_head {
    const char *protocol;     /* tcp, udp, ...; NULL: any */
    rule_span from, to;       /* ports; empty: any */
    bool frames;              /* of a protocol below IP, or of any packet */
    bool either;              /* the ports may be the other way round */
    const char *unchecked[3]; /* what is not evaluated, and taken to hold; else NULL */
} rule_head;

/* `text` is what stands before the first parenthesis. */
rule_head rule_head_read(const char *text, const char *end);

/* "tcp 10.0.0.1:49152 > 10.0.0.2:80"; "-": a frame without IP; all else is not known */
flow flow_read(const char *name);

bool rule_head_fits(const rule_head *head, const flow *f);

#endif
