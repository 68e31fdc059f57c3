/* logical.c: see formats/patterns/logical.h.
 *
 * Idea: as ClamAV reads them, & and | bind alike. Outside of parentheses an expression is cut at
 * its first operator, and directly in a pair of them at the last: 0&1|2 is 0&(1|2), (0&1|2) is
 * (0&1)|2. A test after parentheses counts what occurs in all of their parts that are true, and is
 * asked where they are false, too: (0|1)=0 holds where neither occurs.
 */
#include "formats/patterns/logical.h"

typedef struct parser {
    logical_node *nodes;
    size_t count;
    uint32_t parts;
    const char *why;
} parser;

static const logical_node *refuse(parser *p, const char *why)
{
    p->why = p->why ? p->why : why;
    return NULL;
}

static logical_node *add_node(parser *p, char operator)
{
    logical_node *node = &p->nodes[p->count++];
    *node = (logical_node){ .operator= operator};
    return node;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits at *at. False: there are none, or the number is above 32 bits. */
static bool read_number(const char **at, const char *end, uint64_t *number)
{
    const char *begin = *at;
    for (*number = 0; *at < end && is_digit(**at) && *number <= UINT32_MAX; ++*at)
        *number = *number * 10 + (uint64_t)(**at - '0');
    return *at > begin && *number <= UINT32_MAX;
}

/* "=3", ">3,2", up to the end. */
static bool read_test(const char *at, const char *end, logical_node *node)
{
    uint64_t parts = 0;
    if (at == end)
        return true;
    node->test = *at++;
    if ((node->test != '=' && node->test != '<' && node->test != '>') ||
        !read_number(&at, end, &node->occurrences))
        return false;
    if (at < end && *at == ',') {
        at++;
        if (!read_number(&at, end, &parts))
            return false;
    }
    node->parts = (uint32_t)parts;
    return at == end;
}

static const logical_node *read_expression(parser *p, const char *at, const char *end);

static const logical_node *join(parser *p, char operator, const logical_node * left,
                                const logical_node *right, const char *test, const char *end)
{
    if (!left || !right)
        return NULL;
    logical_node *node = add_node(p, operator);
    node->left = left;
    node->right = right;
    return read_test(test, end, node)
               ? node
               : refuse(p, "a test is =N, >N or <N, or one of these with ,M");
}

/* From a parenthesis on; the one that closes it is at `close`. */
static const logical_node *read_block(parser *p, const char *at, const char *close, const char *end)
{
    const char *last = NULL;
    size_t depth = 0;
    for (const char *c = at + 1; c < close; c++) {
        depth += *c == '(';
        depth -= *c == ')';
        last = depth == 0 && (*c == '&' || *c == '|') ? c : last;
    }
    if (last)
        return join(p, *last, read_expression(p, at + 1, last), read_expression(p, last + 1, close),
                    close + 1, end);
    return close + 1 == end ? read_expression(p, at + 1, close)
                            : refuse(p, "a test stands after parentheses without & or | in them");
}

static const logical_node *read_part(parser *p, const char *at, const char *end)
{
    uint64_t part;
    if (!read_number(&at, end, &part) || part >= LOGICAL_PARTS)
        return refuse(
            p, "its expression has something else than numbers from 0 to 63, & | ( ) and = > <");
    logical_node *node = add_node(p, 0);
    node->part = (uint32_t)part;
    p->parts = p->parts > node->part ? p->parts : node->part + 1;
    return read_test(at, end, node) ? node
                                    : refuse(p, "a test is =N, >N or <N, or one of these with ,M");
}

static const logical_node *read_expression(parser *p, const char *at, const char *end)
{
    const char *first = NULL, *close = NULL;
    size_t depth = 0;
    for (const char *c = at; c < end && !first; c++) {
        if (*c == ')' && depth-- == 0)
            return refuse(p, "a parenthesis of its expression is not opened");
        depth += *c == '(';
        if (depth == 0 && *c == ')' && !close)
            close = c;
        if (depth == 0 && (*c == '&' || *c == '|'))
            first = c;
    }
    if (depth)
        return refuse(p, "a parenthesis of its expression is not closed");
    if (first) {
        const logical_node *left = read_expression(p, at, first);
        return join(p, *first, left, left ? read_expression(p, first + 1, end) : NULL, end, end);
    }
    return at < end && *at == '(' ? read_block(p, at, close, end) : read_part(p, at, end);
}

const logical_node *logical_read(const char *text, size_t length, logical_node *nodes,
                                 uint32_t *parts, const char **why)
{
    parser p = { .nodes = nodes };
    const logical_node *root = length > LOGICAL_LONGEST
                                   ? refuse(&p, "its expression is longer than 4096 bytes")
                                   : read_expression(&p, text, text + length);
    *parts = p.parts;
    *why = p.why;
    return root;
}

/* What occurs in an expression that is true: occurrences, and parts as bits. */
typedef struct found {
    bool holds;
    uint64_t occurrences, parts;
} found;

static unsigned bits_in(uint64_t word)
{
    unsigned count = 0;
    for (; word; word &= word - 1)
        count++;
    return count;
}

static bool passes(const logical_node *node, uint64_t occurrences)
{
    return node->test == '='   ? occurrences == node->occurrences
           : node->test == '<' ? occurrences < node->occurrences
                               : occurrences > node->occurrences;
}

static found count(const logical_node *node, const uint64_t *counts)
{
    static const found nothing = { false, 0, 0 };
    if (!node->operator) {
        const uint64_t occurrences = counts[node->part];
        return passes(node, occurrences) ? (found){ true, occurrences, (uint64_t)1 << node->part }
                                         : nothing;
    }
    const found left = count(node->left, counts), right = count(node->right, counts);
    const bool holds = node->operator== '&' ? left.holds && right.holds : left.holds || right.holds;
    const found both =
        holds ? (found){ true, left.occurrences + right.occurrences, left.parts | right.parts }
              : nothing;
    if (!node->test)
        return both;
    return passes(node, both.occurrences) && bits_in(both.parts) >= node->parts
               ? (found){ true, both.occurrences, 0 }
               : nothing;
}

bool logical_holds(const logical_node *root, const uint64_t *counts)
{
    return count(root, counts).holds;
}
