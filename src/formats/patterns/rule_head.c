/* rule_head.c: see formats/patterns/rule_head.h.
 *
 * Idea: ports stay the text that they are, and are read again where a record has come so far that
 * they decide; that is rare. What names a variable cannot be evaluated.
 */
#include "formats/patterns/rule_head.h"

#include <stdint.h>
#include <string.h>

#define DEEPEST 8u /* lists of ports within each other */

enum { ACTION, PROTOCOL, SOURCE, SOURCE_PORTS, DIRECTION, TARGET, TARGET_PORTS, WORDS };

bool rule_span_is(rule_span s, const char *word)
{
    return s.length == strlen(word) && memcmp(s.text, word, s.length) == 0;
}

/* The next word, in which brackets may hold blanks; empty at the end. */
static rule_span next_word(const char **at, const char *end)
{
    while (*at < end && rule_blank(**at))
        ++*at;
    rule_span word = { *at, 0 };
    for (size_t depth = 0; *at < end && (depth || !rule_blank(**at)); ++*at) {
        depth += **at == '[';
        depth -= **at == ']' && depth;
    }
    word.length = (size_t)(*at - word.text);
    return word;
}

/* ---- ports ------------------------------------------------------------------- */

static const char *skip(const char *at, const char *end)
{
    while (at < end && rule_blank(*at))
        at++;
    return at;
}

/* Digits at *at; SIZE_MAX: there are none. */
static size_t read_port(const char **at, const char *end)
{
    size_t number = SIZE_MAX;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
        number = number == SIZE_MAX ? (size_t)(**at - '0')
                 : number > 65535   ? number
                                    : number * 10 + (size_t)(**at - '0');
    return number;
}

/* "80", "80:90", ":80", "80:" or "any": is the port in it? -1: it is none of these. */
static int in_range(const char **at, const char *end, unsigned port)
{
    if (end - *at >= 3 && memcmp(*at, "any", 3) == 0) {
        *at += 3;
        return 1;
    }
    size_t low = read_port(at, end), high = low;
    const bool open = *at < end && **at == ':';
    if (open) {
        ++*at;
        high = read_port(at, end);
    }
    if (low == SIZE_MAX && high == SIZE_MAX)
        return -1;
    return (low == SIZE_MAX || port >= low) && (high == SIZE_MAX || port <= high);
}

/* A list's items, up to its bracket or the end: one of those without ! (if there is any), and none
 * of the others. -1: it is malformed, or names a variable. */
static int in_list(const char **at, const char *end, unsigned port, unsigned depth)
{
    bool listed = false, some = false, refused = false;
    for (;; ++*at) {
        bool negated = false;
        for (*at = skip(*at, end); *at < end && **at == '!'; *at = skip(*at + 1, end))
            negated = !negated;
        int fits = -1;
        if (*at < end && **at == '[' && depth < DEEPEST) {
            ++*at;
            fits = in_list(at, end, port, depth + 1);
            if (*at == end || **at != ']')
                return -1;
            ++*at;
        } else if (*at < end) {
            fits = in_range(at, end, port);
        }
        if (fits < 0)
            return -1;
        some = some || !negated;
        listed = listed || (!negated && fits);
        refused = refused || (negated && fits);
        *at = skip(*at, end);
        if (*at == end || **at != ',')
            return (listed || !some) && !refused;
    }
}

/* Whether the ports hold that one; -1: they cannot be evaluated. */
static int in_ports(rule_span ports, unsigned port)
{
    const char *at = ports.text, *end = ports.text + ports.length;
    const int fits = in_list(&at, end, port, 0);
    return at == end ? fits : -1;
}

/* ---- heads ------------------------------------------------------------------- */

static const char *transport(rule_span word, const char **unchecked)
{
    static const char *const names[][2] = { { "tcp", "tcp" },     { "udp", "udp" },
                                            { "icmp", "icmp" },   { "sctp", "sctp" },
                                            { "tcp-pkt", "tcp" }, { "tcp-stream", "tcp" },
                                            { "arp", "arp" },     { "ip", NULL },
                                            { "any", NULL } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (rule_span_is(word, names[i][0]))
            return names[i][1];
    *unchecked = word.length ? "protocol" : NULL;
    return NULL;
}

/* Protocols of frames, and of all that is captured. All others are IP's, or stand in its packets.
 */
static bool is_below_ip(rule_span word)
{
    return rule_span_is(word, "arp") || rule_span_is(word, "ether") || rule_span_is(word, "pkthdr");
}

/* Ports that can be evaluated, and are not any; else nothing. */
static rule_span evaluable(rule_span ports, const char **unchecked)
{
    const int fits = in_ports(ports, 0);
    if (fits < 0)
        *unchecked = "ports";
    return fits < 0 || rule_span_is(ports, "any") ? (rule_span){ NULL, 0 } : ports;
}

rule_head rule_head_read(const char *text, const char *end)
{
    rule_span words[WORDS], more;
    rule_head head = { .protocol = NULL };
    for (size_t i = 0; i < WORDS; i++)
        words[i] = next_word(&text, end);
    more = next_word(&text, end);
    head.protocol = transport(words[PROTOCOL], &head.unchecked[0]);
    head.frames = is_below_ip(words[PROTOCOL]);
    if (head.frames) /* which one it is */
        head.unchecked[0] = "protocol";
    if (!words[SOURCE].length)
        return head; /* as Snort 3 may have it */
    head.either = rule_span_is(words[DIRECTION], "<>");
    if (more.length || !words[TARGET_PORTS].length ||
        (!head.either && !rule_span_is(words[DIRECTION], "->"))) {
        head.unchecked[1] = "addresses";
        head.unchecked[2] = "ports";
        return head;
    }
    if (!rule_span_is(words[SOURCE], "any") || !rule_span_is(words[TARGET], "any"))
        head.unchecked[1] = "addresses";
    head.from = evaluable(words[SOURCE_PORTS], &head.unchecked[2]);
    head.to = evaluable(words[TARGET_PORTS], &head.unchecked[2]);
    return head;
}

/* ---- flows ------------------------------------------------------------------- */

/* The port of "10.0.0.1:80" or "[2001:db8::1]:80". An address of IPv6 alone has two colons. */
static bool read_end(const char *text, const char *end, unsigned *port)
{
    const char *first = memchr(text, ':', (size_t)(end - text)), *last = end;
    if (!first)
        return false;
    while (*--last != ':')
        ;
    if (first != last && *text != '[')
        return false;
    last++;
    *port = (unsigned)read_port(&last, end);
    return last == end;
}

flow flow_read(const char *name)
{
    flow f = { .protocol = "" };
    const char *blank = strchr(name, ' '), *arrow = strstr(name, " > ");
    f.foreign = strcmp(name, "-") == 0;
    if (!blank || !arrow || blank >= arrow || (size_t)(blank - name) >= sizeof f.protocol)
        return f;
    memcpy(f.protocol, name, (size_t)(blank - name));
    f.ported =
        read_end(blank + 1, arrow, &f.from) && read_end(arrow + 3, arrow + strlen(arrow), &f.to);
    return f;
}

static bool ports_fit(rule_span ports, const flow *f, unsigned port)
{
    return !ports.length || (f->ported && in_ports(ports, port) > 0);
}

bool rule_head_fits(const rule_head *head, const flow *f)
{
    if (f->foreign)
        return head->frames;
    if (!*f->protocol)
        return true;
    if (head->protocol && strcmp(head->protocol, f->protocol) != 0)
        return false;
    return (ports_fit(head->from, f, f->from) && ports_fit(head->to, f, f->to)) ||
           (head->either && ports_fit(head->from, f, f->to) && ports_fit(head->to, f, f->from));
}
