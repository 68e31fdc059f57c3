/* expressions.c: see expressions.h.
 *
 *     expression = sequence ("|" sequence)*
 *     sequence   = (atom quantifier?)*
 *     atom       = byte | . | class | escape | condition | "(" ("?:" | "?<name>" | "?i-s:")?
 * expression ")" | "(?i-s)" | "(?#comment)" quantifier = (? | * | + | {x} | {x,} | {x,y} | {,y})
 * "?"?
 *
 * Invariant of the sets: after a node the set holds a place exactly when the nodes so far match the
 * text from some first place to it.
 *
 * The backtracker runs over code with one instruction for each choice. It remembers where it has
 * been, as what failed once fails again, so it ends after each instruction was at each place. As in
 * Perl an iteration of a loop that matched nothing ends the loop: where that may be, a bit of each
 * loop says whether a byte was taken since its iteration began, and where it has been is told apart
 * by these bits.
 */
#include "expressions.h"

#include <stdlib.h>
#include <string.h>

#include "written.h"

enum { NOCASE = 1, LINES = 2, DOT_ALL = 4, SPACED = 8, MOST_LOOPS = 6 };

typedef enum node_kind { NOTHING, BYTES, CONDITION, BOTH, EITHER, REPEAT } node_kind;

typedef struct node {
    node_kind kind;
    int left, right; /* BOTH, EITHER; REPEAT has a left one */
    bool set[256];   /* BYTES */
    char condition;
    size_t min, max; /* REPEAT */
    bool lazy;
} node;

typedef enum instruction_kind { TAKE, ASK, SPLIT, JUMP, ENTER, LEAVE, FOUND } instruction_kind;

/* SPLIT goes to `to` or `other`, in that order; ENTER begins an iteration of loop `to`, LEAVE ends
 * one of loop `other` and goes to `to` if it took nothing. */
typedef struct instruction {
    instruction_kind kind;
    int node;
    size_t to, other;
} instruction;

struct expression {
    node *nodes;
    int count, room;
    int root;
    bool begins[256];
    instruction *code;
    size_t code_count, code_room;
    unsigned loops; /* the most within each other of which an iteration may match nothing */
    uint32_t *been; /* the last start from which each instruction, place and bits were tried */
    uint32_t tries;
};

static void *resized(void *block, size_t count, size_t size)
{
    void *made = realloc(block, (count ? count : 1) * size);
    if (!made)
        abort();
    return made;
}

/* ---- reading ------------------------------------------------------------ */

typedef struct parser {
    reader r;
    expression *e;
    unsigned flags;
    bool no_newline; /* TRAWL_LINES */
} parser;

static int read_alternatives(parser *p);

static int add_node(expression *e, node n)
{
    if (e->count == e->room) {
        e->room = e->room ? 2 * e->room : 16;
        e->nodes = resized(e->nodes, (size_t)e->room, sizeof *e->nodes);
    }
    e->nodes[e->count] = n;
    return e->count++;
}

static int add_pair(expression *e, node_kind kind, int left, int right)
{
    return add_node(e, (node){ .kind = kind, .left = left, .right = right });
}

static int add_condition(expression *e, char condition)
{
    return add_node(e, (node){ .kind = CONDITION, .condition = condition });
}

/* Whether it stands at `at`. */
static bool follows(const reader *r, const char *word)
{
    const size_t length = strlen(word);
    return !r->wrong && r->length - r->at >= length && !memcmp(r->text + r->at, word, length);
}

static bool skip_word(reader *r, const char *word)
{
    const bool found = follows(r, word);
    r->at += found ? strlen(word) : 0;
    return found;
}

/* Blanks and comments of (?x), and comments (?#...). */
static void skip_blanks(parser *p)
{
    for (;;) {
        if (skip_word(&p->r, "(?#")) {
            while (!p->r.wrong && reader_take(&p->r) != ')')
                continue;
        } else if ((p->flags & SPACED) && reader_skip(&p->r, '#')) {
            while (!reader_ended(&p->r) && reader_take(&p->r) != '\n')
                continue;
        } else if (!(p->flags & SPACED) || reader_ended(&p->r) || !p->r.text[p->r.at] ||
                   !strchr(" \t\n\v\f\r", p->r.text[p->r.at])) {
            return;
        } else {
            p->r.at++;
        }
    }
}

/* i-sm, up to the ) or : that ends them, which is left. */
static void read_flags(parser *p)
{
    static const char letters[] = "imsx";
    bool off = false;
    while (!p->r.wrong && !reader_sees(&p->r, ')') && !reader_sees(&p->r, ':')) {
        const char letter = (char)reader_take(&p->r);
        const char *known = letter ? strchr(letters, letter) : NULL;
        if (letter == '-' && !off) {
            off = true;
        } else if (!known) {
            reader_fail(&p->r, "what follows (? is not known");
        } else {
            const unsigned flag = 1u << (known - letters);
            p->flags = off ? p->flags & ~flag : p->flags | flag;
        }
    }
}

/* After (. *none: it was flags for what follows. */
static int read_group(parser *p, bool *none)
{
    const unsigned before = p->flags;
    if (skip_word(&p->r, "?P<") ||
        (!follows(&p->r, "?<=") && !follows(&p->r, "?<!") && skip_word(&p->r, "?<"))) {
        while (!p->r.wrong && reader_take(&p->r) != '>')
            continue;
    } else if (reader_skip(&p->r, '?')) {
        read_flags(p);
        if (reader_skip(&p->r, ')')) {
            *none = true;
            return add_node(p->e, (node){ .kind = NOTHING });
        }
        reader_take(&p->r);
    }
    const int inner = read_alternatives(p);
    p->flags = before;
    if (!reader_skip(&p->r, ')'))
        reader_fail(&p->r, "a group does not end");
    return inner;
}

static char condition_of(parser *p)
{
    if (reader_skip(&p->r, '^'))
        return p->flags & LINES ? '^' : 'A';
    if (reader_skip(&p->r, '$'))
        return p->flags & LINES ? '$' : 'Z';
    if (!follows(&p->r, "\\") || p->r.at + 1 == p->r.length)
        return 0;
    const char letter = (char)p->r.text[p->r.at + 1];
    if (!letter || !strchr("AzZbB<>`'", letter))
        return 0;
    p->r.at += 2;
    return letter == '`' ? 'A' : letter == '\'' ? 'z' : letter;
}

/* \1 and its kin, which are no three octal digits. */
static bool refers_back(const reader *r)
{
    const unsigned char *at = r->text + r->at;
    const size_t left = r->length - r->at;
    return left > 1 && at[0] == '\\' && at[1] >= '1' && at[1] <= '9' &&
           !(left > 3 && at[1] < '8' && at[2] >= '0' && at[2] < '8' && at[3] >= '0' && at[3] < '8');
}

static void read_set(parser *p, bool set[256])
{
    const bool nocase = p->flags & NOCASE;
    if (reader_skip(&p->r, '.')) {
        memset(set, true, 256);
        set['\n'] = p->flags & DOT_ALL;
    } else if (reader_skip(&p->r, '[')) {
        read_class(&p->r, nocase, set);
    } else if (!read_named_class(&p->r, set)) {
        if (!reader_ended(&p->r) && p->r.text[p->r.at] && strchr("?*+{", p->r.text[p->r.at]))
            reader_fail(&p->r, "a quantifier of nothing");
        if (refers_back(&p->r))
            reader_fail(&p->r, "a back-reference");
        set[read_byte(&p->r)] = true;
        if (nocase)
            add_both_cases(set);
    }
    if (p->no_newline)
        set['\n'] = false;
}

static bool read_quantifier(parser *p, node *n)
{
    n->max = UNBOUNDED;
    if (reader_skip(&p->r, '?'))
        n->max = 1;
    else if (reader_skip(&p->r, '+'))
        n->min = 1;
    else if (reader_skip(&p->r, '{'))
        read_counts(&p->r, &n->min, &n->max);
    else if (!reader_skip(&p->r, '*'))
        return false;
    n->lazy = reader_skip(&p->r, '?');
    if (reader_sees(&p->r, '+') || reader_sees(&p->r, '*') || reader_sees(&p->r, '?') ||
        reader_sees(&p->r, '{'))
        reader_fail(&p->r, "a quantifier of a quantifier");
    return true;
}

static int read_atom(parser *p)
{
    bool fixed = false; /* has no quantifier */
    int atom;
    const char condition = condition_of(p);
    if (condition) {
        fixed = true;
        atom = add_condition(p->e, condition);
    } else if (reader_skip(&p->r, '(')) {
        atom = read_group(p, &fixed);
    } else {
        node n = { .kind = BYTES };
        read_set(p, n.set);
        atom = add_node(p->e, n);
    }
    skip_blanks(p);
    node repeat = { .kind = REPEAT, .left = atom };
    if (!read_quantifier(p, &repeat))
        return atom;
    if (fixed)
        reader_fail(&p->r, "a quantifier of nothing");
    return add_node(p->e, repeat);
}

static int read_sequence(parser *p)
{
    int sequence = add_node(p->e, (node){ .kind = NOTHING });
    skip_blanks(p);
    while (!reader_ended(&p->r) && !reader_sees(&p->r, '|') && !reader_sees(&p->r, ')')) {
        sequence = add_pair(p->e, BOTH, sequence, read_atom(p));
        skip_blanks(p);
    }
    return sequence;
}

static int read_alternatives(parser *p)
{
    int first = read_sequence(p);
    return reader_skip(&p->r, '|') ? add_pair(p->e, EITHER, first, read_alternatives(p)) : first;
}

/* ---- what is known of a tree -------------------------------------------- */

static size_t sum(size_t a, size_t b)
{
    return a == UNBOUNDED || b == UNBOUNDED ? UNBOUNDED : a + b;
}

static size_t product(size_t a, size_t b)
{
    return !a || !b ? 0 : a == UNBOUNDED || b == UNBOUNDED ? UNBOUNDED : a * b;
}

/* The length of the longest match of a node, or of the shortest one. */
static size_t extent(const expression *e, int at, bool most)
{
    const node *n = &e->nodes[at];
    switch (n->kind) {
    case BYTES:
        return 1;
    case BOTH:
        return sum(extent(e, n->left, most), extent(e, n->right, most));
    case EITHER: {
        const size_t left = extent(e, n->left, most), right = extent(e, n->right, most);
        return (left > right) == most ? left : right;
    }
    case REPEAT:
        return product(extent(e, n->left, most), most ? n->max : n->min);
    default:
        return 0;
    }
}

/* Add the bytes with which a match of the node may begin. */
static void add_begins(expression *e, int at)
{
    const node *n = &e->nodes[at];
    if (n->kind == BYTES) {
        for (int byte = 0; byte < 256; byte++)
            e->begins[byte] |= n->set[byte];
    } else if (n->kind == EITHER) {
        add_begins(e, n->left);
        add_begins(e, n->right);
    } else if (n->kind == BOTH) {
        add_begins(e, n->left);
        if (!extent(e, n->left, false))
            add_begins(e, n->right);
    } else if (n->kind == REPEAT) {
        add_begins(e, n->left);
    }
}

size_t expression_shortest(const expression *e)
{
    return extent(e, e->root, false);
}

size_t expression_longest(const expression *e)
{
    return extent(e, e->root, true);
}

bool expression_begins(const expression *e, unsigned char byte)
{
    return e->begins[byte];
}

/* ---- what stands beside a place ----------------------------------------- */

typedef struct whole_text {
    const unsigned char *at;
    size_t length;
} whole_text;

static bool word_at(whole_text t, size_t place)
{
    return place < t.length && is_word(t.at[place]);
}

static bool holds(char condition, whole_text t, size_t place)
{
    const bool left = place > 0 && word_at(t, place - 1), right = word_at(t, place);
    switch (condition) {
    case '^':
        return place == 0 || t.at[place - 1] == '\n';
    case '$':
        return place == t.length || t.at[place] == '\n';
    case 'A':
        return place == 0;
    case 'z':
        return place == t.length;
    case 'Z':
        return place == t.length || (place + 1 == t.length && t.at[place] == '\n');
    case 'b':
        return left != right;
    case 'B':
        return left == right;
    case '<':
        return !left && right;
    case '>':
        return left && !right;
    default: /* of TRAWL_WORDS, before and after */
        return condition == 'w' ? !left : !right;
    }
}

/* ---- all ends: sets of places ------------------------------------------- */

/* In order, without repeats. */
typedef struct places {
    size_t *at, count;
} places;

static places no_places(size_t room)
{
    return (places){ resized(NULL, room, sizeof(size_t)), 0 };
}

static places united(places a, places b)
{
    places all = no_places(a.count + b.count);
    for (size_t i = 0, k = 0; i < a.count || k < b.count;) {
        const bool left = i < a.count && (k == b.count || a.at[i] <= b.at[k]);
        const bool right = k < b.count && (i == a.count || b.at[k] <= a.at[i]);
        all.at[all.count++] = left ? a.at[i] : b.at[k];
        i += left;
        k += right;
    }
    free(a.at);
    free(b.at);
    return all;
}

/* Leave out of `these` what `those` have. */
static void subtract(places *these, places those)
{
    size_t kept = 0;
    for (size_t i = 0, k = 0; i < these->count; i++) {
        while (k < those.count && those.at[k] < these->at[i])
            k++;
        if (k == those.count || those.at[k] != these->at[i])
            these->at[kept++] = these->at[i];
    }
    these->count = kept;
}

static places copied(places from)
{
    places copy = no_places(from.count);
    memcpy(copy.at, from.at, from.count * sizeof *copy.at);
    copy.count = from.count;
    return copy;
}

static places after(const expression *e, int at, whole_text t, places from);

/* Bytes without a bound: run on from each place to where the bytes end. */
static places after_run(const bool set[256], whole_text t, places from)
{
    places all = no_places(t.length + 1);
    size_t next = 0; /* up to there all is said */
    for (size_t i = 0; i < from.count; i++) {
        size_t place = from.at[i];
        if (place < next)
            continue;
        all.at[all.count++] = place;
        while (place < t.length && set[t.at[place]])
            all.at[all.count++] = ++place;
        next = place + 1;
    }
    return all;
}

static places after_repeat(const expression *e, const node *n, whole_text t, places from)
{
    const node *inner = &e->nodes[n->left];
    places now = copied(from), all;
    for (size_t i = 0; i < n->min && now.count; i++) {
        places next = after(e, n->left, t, now);
        free(now.at);
        now = next;
    }
    if (n->max == UNBOUNDED && inner->kind == BYTES) {
        all = after_run(inner->set, t, now);
    } else {
        all = copied(now);
        for (size_t i = n->min; i < n->max && now.count; i++) {
            places next = after(e, n->left, t, now);
            free(now.at);
            now = next;
            subtract(&now, all);
            all = united(all, copied(now));
        }
    }
    free(now.at);
    return all;
}

static places after(const expression *e, int at, whole_text t, places from)
{
    const node *n = &e->nodes[at];
    places all = no_places(from.count);
    switch (n->kind) {
    case NOTHING:
        free(all.at);
        return copied(from);
    case BYTES:
        for (size_t i = 0; i < from.count; i++)
            if (from.at[i] < t.length && n->set[t.at[from.at[i]]])
                all.at[all.count++] = from.at[i] + 1;
        return all;
    case CONDITION:
        for (size_t i = 0; i < from.count; i++)
            if (holds(n->condition, t, from.at[i]))
                all.at[all.count++] = from.at[i];
        return all;
    case BOTH: {
        free(all.at);
        places middle = after(e, n->left, t, from);
        all = middle.count ? after(e, n->right, t, middle) : no_places(0);
        free(middle.at);
        return all;
    }
    case EITHER:
        free(all.at);
        return united(after(e, n->left, t, from), after(e, n->right, t, from));
    default:
        free(all.at);
        return after_repeat(e, n, t, from);
    }
}

size_t expression_ends(const expression *e, const unsigned char *text, size_t length, size_t first,
                       size_t last, size_t *ends)
{
    places from = no_places(last - first + 1);
    for (size_t start = first; start <= last; start++)
        from.at[from.count++] = start;
    places found = after(e, e->root, (whole_text){ text, length }, from);
    const size_t count = found.count;
    memcpy(ends, found.at, count * sizeof *ends);
    free(found.at);
    free(from.at);
    return count;
}

/* ---- the first end: backtracking ---------------------------------------- */

static size_t put(expression *e, instruction i)
{
    if (e->code_count == e->code_room) {
        e->code_room = e->code_room ? 2 * e->code_room : 32;
        e->code = resized(e->code, e->code_room, sizeof *e->code);
    }
    e->code[e->code_count] = i;
    return e->code_count++;
}

static void put_node(expression *e, int at, unsigned loops);

/* An iteration that may be left out, and after it up to `more`. Whoever leaves one out leaves out
 * all that come after it. */
static void put_iterations(expression *e, const node *n, unsigned loops, size_t more)
{
    const bool may_be_empty = extent(e, n->left, false) == 0;
    const size_t split = put(e, (instruction){ .kind = SPLIT });
    size_t leave = 0;
    if (may_be_empty && loops == MOST_LOOPS)
        abort();
    if (may_be_empty) {
        put(e, (instruction){ .kind = ENTER, .to = loops });
        e->loops = loops + 1 > e->loops ? loops + 1 : e->loops;
    }
    put_node(e, n->left, loops + may_be_empty);
    if (may_be_empty)
        leave = put(e, (instruction){ .kind = LEAVE, .other = loops });
    if (more == UNBOUNDED)
        put(e, (instruction){ .kind = JUMP, .to = split });
    else if (more > 0)
        put_iterations(e, n, loops, more - 1);
    const size_t end = e->code_count;
    e->code[split].to = n->lazy ? end : split + 1;
    e->code[split].other = n->lazy ? split + 1 : end;
    if (may_be_empty)
        e->code[leave].to = end;
}

static void put_repeat(expression *e, const node *n, unsigned loops)
{
    for (size_t i = 0; i < n->min; i++)
        put_node(e, n->left, loops);
    if (n->max > n->min)
        put_iterations(e, n, loops, n->max == UNBOUNDED ? UNBOUNDED : n->max - n->min - 1);
}

static void put_node(expression *e, int at, unsigned loops)
{
    const node n = e->nodes[at];
    switch (n.kind) {
    case NOTHING:
        return;
    case BYTES:
        put(e, (instruction){ .kind = TAKE, .node = at });
        return;
    case CONDITION:
        put(e, (instruction){ .kind = ASK, .node = at });
        return;
    case BOTH:
        put_node(e, n.left, loops);
        put_node(e, n.right, loops);
        return;
    case EITHER: {
        const size_t split = put(e, (instruction){ .kind = SPLIT });
        put_node(e, n.left, loops);
        const size_t jump = put(e, (instruction){ .kind = JUMP });
        e->code[split].to = split + 1;
        e->code[split].other = e->code_count;
        put_node(e, n.right, loops);
        e->code[jump].to = e->code_count;
        return;
    }
    default:
        put_repeat(e, &n, loops);
    }
}

/* A place of the code and the text, and which loops took a byte in this iteration. */
typedef struct trial {
    size_t code, place;
    unsigned taken;
} trial;

typedef struct trials {
    trial *at;
    size_t count, room;
} trials;

static void push(trials *t, trial one)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->at = resized(t->at, t->room, sizeof *t->at);
    }
    t->at[t->count++] = one;
}

/* Whether this is tried for the first time from this start. */
static bool is_new(expression *e, trial t)
{
    uint32_t *been = &e->been[((t.place << e->loops) + t.taken) * e->code_count + t.code];
    const bool fresh = *been != e->tries;
    *been = e->tries;
    return fresh;
}

/* One step on; false: it fails there. Where there is a choice, what is to be tried later is kept.
 */
static bool go_on(const expression *e, whole_text text, trial *t, trials *later)
{
    const instruction *i = &e->code[t->code];
    t->code++;
    switch (i->kind) {
    case TAKE:
        t->taken = (1u << e->loops) - 1;
        return t->place < text.length && e->nodes[i->node].set[text.at[t->place++]];
    case ASK:
        return holds(e->nodes[i->node].condition, text, t->place);
    case SPLIT:
        push(later, (trial){ i->other, t->place, t->taken });
        t->code = i->to;
        return true;
    case ENTER:
        t->taken &= ~(1u << i->to);
        return true;
    case LEAVE:
        if (!(t->taken >> i->other & 1))
            t->code = i->to;
        return true;
    default:
        t->code = i->to;
        return true;
    }
}

size_t expression_first(expression *e, const unsigned char *text, size_t length, size_t start)
{
    trials later = { NULL, 0, 0 };
    size_t found = SIZE_MAX;
    if (!e->been)
        e->been = calloc(((length + 1) << e->loops) * e->code_count, sizeof *e->been);
    if (!e->been)
        abort();
    e->tries++;
    push(&later, (trial){ 0, start, 0 });
    while (later.count && found == SIZE_MAX) {
        trial t = later.at[--later.count];
        while (is_new(e, t)) {
            if (e->code[t.code].kind == FOUND) {
                found = t.place;
                break;
            }
            if (!go_on(e, (whole_text){ text, length }, &t, &later))
                break;
        }
    }
    free(later.at);
    return found;
}

/* ---- samples ------------------------------------------------------------ */

typedef struct sampler {
    const expression *e;
    rng *r;
    const char *letters;
    char *sample;
    size_t length, room;
} sampler;

static void sample_byte(sampler *s, const bool set[256])
{
    const uint32_t letters = (uint32_t)strlen(s->letters);
    unsigned char byte = (unsigned char)s->letters[rng_below(s->r, letters)];
    for (int tries = 0; tries < 8 && !set[byte]; tries++)
        byte = (unsigned char)s->letters[rng_below(s->r, letters)];
    for (int tries = 0; tries < 256 && !set[byte]; tries++)
        byte++;
    if (s->length < s->room)
        s->sample[s->length++] = (char)byte;
}

static void sample_node(sampler *s, int at)
{
    const node *n = &s->e->nodes[at];
    if (n->kind == BYTES)
        sample_byte(s, n->set);
    if (n->kind == BOTH) {
        sample_node(s, n->left);
        sample_node(s, n->right);
    }
    if (n->kind == EITHER)
        sample_node(s, rng_chance(s->r, 2) ? n->left : n->right);
    if (n->kind == REPEAT) {
        const size_t more = n->max - n->min, most = more < 3 || rng_chance(s->r, 8) ? more : 3;
        size_t times = n->min + rng_below(s->r, (uint32_t)(most < 100 ? most : 100) + 1);
        for (; times > 0 && s->length < s->room; times--)
            sample_node(s, n->left);
    }
}

size_t expression_sample(const expression *e, rng *r, const char *letters, char *sample,
                         size_t room)
{
    sampler s = { e, r, letters, sample, 0, room };
    sample_node(&s, e->root);
    return s.length;
}

/* ---- an expression ------------------------------------------------------ */

void expression_free(expression *e)
{
    if (e) {
        free(e->nodes);
        free(e->code);
        free(e->been);
    }
    free(e);
}

/* What its flags ask for beside it, around the tree. */
static int between(expression *e, int root, char before, char behind)
{
    root = add_pair(e, BOTH, add_condition(e, before), root);
    return add_pair(e, BOTH, root, add_condition(e, behind));
}

expression *expression_read(const trawl_pattern *pattern, const char **why)
{
    expression *e = resized(NULL, 1, sizeof *e);
    parser p = { .r = { pattern->text, pattern->length, 0, NULL }, .e = e };
    memset(e, 0, sizeof *e);
    p.flags = LINES | DOT_ALL | (pattern->flags & TRAWL_NOCASE ? NOCASE : 0);
    p.no_newline = pattern->flags & TRAWL_LINES;
    e->root = read_alternatives(&p);
    if (!reader_ended(&p.r))
        reader_fail(&p.r, "a ) without a (");
    if (p.r.wrong) {
        *why = p.r.wrong;
        expression_free(e);
        return NULL;
    }
    if (pattern->flags & TRAWL_WORDS)
        e->root = between(e, e->root, 'w', 'W');
    if (pattern->flags & TRAWL_WHOLE_LINES)
        e->root = between(e, e->root, '^', '$');
    put_node(e, e->root, 0);
    put(e, (instruction){ .kind = FOUND });
    add_begins(e, e->root);
    return e;
}
