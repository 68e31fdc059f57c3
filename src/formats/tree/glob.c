/* glob.c: see glob.h.
 *
 * Idea. Most rules of real lists are a name, or * and how it ends: these are compared at once.
 * Others are matched with two places to come back to, of the last * and of the last **: what is
 * before the last one of its kind need not be tried again, for a * cannot leave its folder, and
 * what an earlier
 * ** could take the last one can take too.
 *
 * Cost: of a glob, its length times the path's at most, times its ** once.
 */
#include "formats/tree/glob.h"

#include <stdlib.h>
#include <string.h>

#include "formats/sources/grow.h"

#define MAX_ALTERNATIVES 1000 /* that the braces of a glob make */

typedef enum rule_kind {
    RULE_NAME,   /* the text is the name */
    RULE_SUFFIX, /* the name ends with it */
    RULE_PATH,   /* the text is the path */
    RULE_GLOB_NAME,
    RULE_GLOB_PATH
} rule_kind;

struct glob_rule {
    const char *text;
    size_t length;
    rule_kind kind;
    bool negated, folders;
};

/* ---- one glob ------------------------------------------------------------ */

/* Whether the class that opens at *glob holds the byte; *glob is put after it. One without an end
 * holds nothing. */
static bool in_class(const char **glob, unsigned char byte)
{
    const char *p = *glob + 1;
    const bool other = *p == '!' || *p == '^';
    bool found = false;
    p += other;
    for (const char *first = p; *p && (*p != ']' || p == first);) {
        p += *p == '\\' && p[1];
        const unsigned char low = (unsigned char)*p++;
        unsigned char high = low;
        if (*p == '-' && p[1] && p[1] != ']') {
            p += p[1] == '\\' && p[2] ? 2 : 1;
            high = (unsigned char)*p++;
        }
        found |= low <= byte && byte <= high;
    }
    if (!*p)
        return false;
    *glob = p + 1;
    return found != other;
}

/* Whether one character of the glob, which is no *, matches the byte; *glob is put after it. */
static bool takes(const char **glob, char byte)
{
    const char c = **glob;
    if (c == '[')
        return byte != '/' && in_class(glob, (unsigned char)byte);
    if (c == '\\' && (*glob)[1]) {
        *glob += 2;
        return (*glob)[-1] == byte;
    }
    ++*glob;
    return c == '?' ? byte != '/' : c == byte;
}

/* As glob_fault, for a class; *glob is put at its end. */
static const char *class_fault(const char **glob)
{
    const char *p = *glob + 1;
    p += *p == '!' || *p == '^';
    for (const char *first = p; *p && (*p != ']' || p == first);) {
        p += *p == '\\' && p[1];
        const unsigned char low = (unsigned char)*p++;
        if (*p == '-' && p[1] && p[1] != ']') {
            p += p[1] == '\\' && p[2] ? 2 : 1;
            if ((unsigned char)*p++ < low)
                return "a range of its [ ] ends before it begins";
        }
    }
    *glob = p;
    return *p ? NULL : "its [ has no ]";
}

const char *glob_fault(const char *glob)
{
    const char *fault = NULL;
    size_t braces = 0;
    while (*glob && !fault) {
        const char c = *glob;
        if (c == '[')
            fault = class_fault(&glob);
        else if (c == '\\' && !*++glob)
            return "nothing stands after its last \\";
        braces += c == '{';
        braces -= c == '}' && braces;
        glob += !fault;
    }
    return fault ? fault : braces ? "its { has no }" : NULL;
}

bool glob_matches(const char *glob, const char *path)
{
    const char *begin = glob, *star = NULL, *star_path = NULL, *deep = NULL, *deep_path = NULL;
    for (;;) {
        if (glob[0] == '*' && glob[1] == '*' && (glob == begin || glob[-1] == '/')) {
            if (!glob[2])
                return *path || glob == begin;
            if (glob[2] == '/') {
                deep = glob += 3;
                deep_path = path;
                star = NULL;
                continue;
            }
        }
        if (*glob == '*') {
            star = glob += strspn(glob, "*");
            star_path = path;
            continue;
        }
        if (!*glob && !*path)
            return true;
        if (*glob && *path && takes(&glob, *path)) {
            path++;
        } else if (star && *star_path && *star_path != '/') {
            glob = star;
            path = ++star_path;
        } else if (deep && (deep_path = strchr(deep_path, '/')) != NULL) {
            glob = deep;
            path = ++deep_path;
            star = NULL;
        } else {
            return false;
        }
    }
}

/* ---- lists --------------------------------------------------------------- */

static bool has_wildcard(const char *text)
{
    return strpbrk(text, "*?[\\");
}

/* `text` outlives the rule, and may be written to. */
static bool add_rule(glob_list *list, char *text)
{
    glob_rule rule = { .negated = *text == '!' };
    size_t length = strlen(text += rule.negated);
    rule.folders = length && text[length - 1] == '/';
    text[length -= rule.folders] = '\0';
    if (strncmp(text, "**/", 3) == 0 && text[3] && !strchr(text + 3, '/'))
        text += 3; /* as it were without */
    const bool path = strchr(text, '/');
    text += *text == '/';
    length = strlen(text);
    if (!length)
        return true;
    rule.kind = path                  ? has_wildcard(text) ? RULE_GLOB_PATH : RULE_PATH
                : !has_wildcard(text) ? RULE_NAME
                : text[0] == '*' && !has_wildcard(text + 1) ? RULE_SUFFIX
                                                            : RULE_GLOB_NAME;
    rule.text = text + (rule.kind == RULE_SUFFIX);
    rule.length = length - (rule.kind == RULE_SUFFIX);
    if (!grow_array(&list->rules, list->count + 1, &list->room, sizeof *list->rules))
        return false;
    list->rules[list->count++] = rule;
    list->plain += !rule.negated;
    return true;
}

/* Takes the text over, on failure too. */
static bool own(glob_list *list, char *text)
{
    if (!text ||
        !grow_array(&list->owned, list->owned_count + 1, &list->owned_room, sizeof *list->owned)) {
        free(text);
        return false;
    }
    list->owned[list->owned_count++] = text;
    return true;
}

/* Without spaces at its end, unless a backslash stands before them. */
static void cut_spaces(char *line)
{
    size_t length = strlen(line);
    while (length && line[length - 1] == ' ' && !(length > 1 && line[length - 2] == '\\'))
        line[--length] = '\0';
}

bool glob_list_add_lines(glob_list *list, const char *text, size_t length)
{
    char *copy = malloc(length + 1), *next;
    if (!own(list, copy))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    for (char *line = copy; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        const size_t end = strlen(line);
        if (end && line[end - 1] == '\r')
            line[end - 1] = '\0';
        cut_spaces(line);
        if (*line && *line != '#' && !add_rule(list, line))
            return false;
    }
    return true;
}

/* The brace that closes the one at `open`, or the next comma within it; NULL: there is none. */
static const char *next_part(const char *open)
{
    size_t depth = 0;
    for (const char *p = open + 1; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '{')
            depth++;
        else if (*p == '}' && depth)
            depth--;
        else if (*p == '}' || (*p == ',' && !depth))
            return p;
    }
    return NULL;
}

/* Where a brace opens that closes. */
static const char *first_brace(const char *glob)
{
    for (; *glob; glob++) {
        const char *part = *glob == '{' ? next_part(glob) : NULL;
        while (part && *part == ',')
            part = next_part(part);
        if (part)
            return glob;
        glob += *glob == '\\' && glob[1];
    }
    return NULL;
}

/* The text with what the first braces stand for, one after the other. */
static bool expand(glob_list *list, char *glob, size_t *left)
{
    const char *open = first_brace(glob);
    if (!open && *left == 0) {
        free(glob);
        return false;
    }
    if (!open) {
        --*left;
        return own(list, glob) && add_rule(list, glob);
    }
    const char *close = next_part(open);
    while (*close == ',')
        close = next_part(close);
    bool added = true;
    for (const char *part = open; added && *part != '}';) {
        const char *end = next_part(part);
        const size_t head = (size_t)(open - glob), length = (size_t)(end - part - 1);
        char *text = malloc(head + length + strlen(close + 1) + 1);
        if (text) {
            memcpy(text, glob, head);
            memcpy(text + head, part + 1, length);
            strcpy(text + head + length, close + 1);
        }
        added = text && expand(list, text, left);
        part = end;
    }
    free(glob);
    return added;
}

bool glob_list_add(glob_list *list, const char *glob)
{
    size_t left = MAX_ALTERNATIVES;
    char *copy = strdup(glob);
    return copy && expand(list, copy, &left);
}

static bool rule_matches(const glob_rule *r, const char *path, const char *name, size_t length)
{
    switch (r->kind) {
    case RULE_NAME:
        return length == r->length && memcmp(name, r->text, length) == 0;
    case RULE_SUFFIX:
        return length >= r->length && memcmp(name + length - r->length, r->text, r->length) == 0;
    case RULE_PATH:
        return strcmp(path, r->text) == 0;
    case RULE_GLOB_NAME:
        return glob_matches(r->text, name);
    default:
        return glob_matches(r->text, path);
    }
}

glob_verdict glob_list_match(const glob_list *list, const char *path, const char *name, bool folder)
{
    const size_t length = strlen(name);
    for (size_t i = list->count; i > 0; i--) {
        const glob_rule *r = &list->rules[i - 1];
        if ((folder || !r->folders) && rule_matches(r, path, name, length))
            return r->negated ? GLOB_NEGATED : GLOB_PLAIN;
    }
    return GLOB_NONE;
}

void glob_list_free(glob_list *list)
{
    for (size_t i = 0; i < list->owned_count; i++)
        free(list->owned[i]);
    free(list->owned);
    free(list->rules);
    memset(list, 0, sizeof *list);
}
