/* find_share.c: see cli/find_share.h. */
#include "cli/find_share.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/records/texts.h"
#include "formats/sources/grow.h"

/* What rank 0 tells of a file; its path is after it, with a NUL byte. */
typedef struct told_file {
    uint64_t length;
    uint64_t kind;
} told_file;

typedef struct list {
    const cluster *c;
    find_search *f;
    bool ranges;
    struct stat output; /* st_nlink 0: there is none */
    uint8_t *bytes;
    size_t used, room;
    size_t count;
} list;

static void give_up(const list *l, const char *path, const char *why)
{
    cluster_fail(l->c, l->f->run->command, shown_name(path), why);
}

static void add(list *l, const char *path, uint64_t length, share_kind kind)
{
    const told_file told = { length, kind };
    const size_t more = sizeof told + strlen(path) + 1;
    if (!grow_array(&l->bytes, l->used + more, &l->room, 1))
        give_up(l, path, strerror(ENOMEM));
    memcpy(l->bytes + l->used, &told, sizeof told);
    memcpy(l->bytes + l->used + sizeof told, path, more - sizeof told);
    l->used += more;
    l->count++;
}

static share_kind kind_of(const list *l, content kind)
{
    const uint32_t format = l->f->format;
    if (format == FORMAT_RAW ||
        (format == FORMAT_TEXT && kind != CONTENT_PACKED && kind != CONTENT_ARCHIVE))
        return l->ranges ? SHARE_RANGES : SHARE_WHOLE;
    if (format == FORMAT_AUTO && kind == CONTENT_TEXT)
        return l->ranges ? SHARE_RANGES : SHARE_WHOLE;
    /* Where a rank's first sequence stands in the file is not known before the others have read. */
    return kind == CONTENT_FASTA && !l->f->output->numbers &&
                   (format == FORMAT_AUTO || format == FORMAT_FASTA)
               ? SHARE_SEQUENCES
               : SHARE_WHOLE;
}

static void add_file(list *l, const char *path)
{
    source s;
    const uint8_t *head = NULL;
    size_t length = 0;
    content kind = CONTENT_TEXT;
    if (!source_open(&s, path))
        give_up(l, path, strerror(errno));
    if (l->output.st_nlink && l->output.st_dev == s.facts.st_dev &&
        l->output.st_ino == s.facts.st_ino)
        give_up(l, path, "the input file is also the output: write to another file");
    if (l->f->format != FORMAT_RAW && !texts_look(&s, &head, &length, &kind))
        give_up(l, path, s.why);
    const content taken = find_search_content(l->f, kind, head, length);
    const share_kind shared = s.facts.st_size ? kind_of(l, taken) : SHARE_WHOLE;
    if (shared != SHARE_WHOLE) /* whoever searches it whole says so */
        find_search_doubt(l->f, path, kind, head, length);
    /* A length of 0 is that of an empty file, or of one of /proc: whoever reads it finds out. */
    add(l, path, (uint64_t)s.facts.st_size, shared);
    source_close(&s);
}

static void add_folder(list *l, const char *folder)
{
    static const tree_filter all = { .follow = false };
    tree *t = tree_open(folder, l->f->bare, &all);
    tree_file member;
    if (!t)
        give_up(l, folder, strerror(ENOMEM));
    while (tree_next(t, &member)) {
        if (member.cause)
            give_up(l, member.path, strerror(member.cause));
        add_file(l, member.path);
    }
    tree_close(t);
}

static void add_operand(list *l, const char *path)
{
    struct stat facts;
    const bool standard = strcmp(path, "-") == 0;
    if (!standard && stat(path, &facts) != 0)
        give_up(l, path, strerror(errno));
    /* A pipe, /dev/stdin for instance, is another one to each rank, or is read once. */
    if (standard || S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode))
        give_up(l, path, "the ranks cannot share it: give files, which all of them can read");
    if (S_ISDIR(facts.st_mode) && l->f->recursive)
        add_folder(l, path);
    else if (S_ISDIR(facts.st_mode))
        give_up(l, path, "Is a directory; -r searches what is in it");
    else if (S_ISREG(facts.st_mode))
        add_file(l, path);
    else
        add(l, path, 0, SHARE_WHOLE);
}

static bool read_list(share *s, const list *l)
{
    const uint8_t *at = l->bytes;
    s->files = calloc(l->count + 1, sizeof *s->files);
    s->paths = malloc(l->used + 1);
    if (!s->files || !s->paths)
        return false;
    char *path = s->paths;
    for (size_t i = 0; i < l->count; i++) {
        told_file told;
        memcpy(&told, at, sizeof told);
        at += sizeof told;
        const size_t length = strlen((const char *)at) + 1;
        memcpy(path, at, length);
        s->files[i] = (shared_file){ path, s->total, told.length, (share_kind)told.kind };
        s->total += told.length;
        at += length;
        path += length;
    }
    s->count = l->count;
    return true;
}

bool share_open(share *s, const cluster *c, find_search *f, char **paths, int count, bool ranges,
                const char *output)
{
    static char standard_input[] = "-";
    list l = { .c = c, .f = f, .ranges = ranges };
    uint64_t sizes[2] = { 0, 0 };
    *s = (share){ .ranks = c->size };
    if (c->rank == 0) {
        if (!output || stat(output, &l.output) != 0 || !S_ISREG(l.output.st_mode))
            l.output.st_nlink = 0;
        if (count == 0)
            add_operand(&l, standard_input);
        for (int i = 0; i < count; i++)
            add_operand(&l, paths[i]);
        sizes[0] = l.used;
        sizes[1] = l.count;
    }
    c->broadcast(sizes, sizeof sizes);
    l.used = (size_t)sizes[0];
    l.count = (size_t)sizes[1];
    if (c->rank)
        l.bytes = malloc(l.used + 1);
    if (l.bytes)
        c->broadcast(l.bytes, l.used);
    const bool fine = (l.bytes || !l.used) && read_list(s, &l);
    free(l.bytes);
    return fine;
}

void share_close(share *s)
{
    free(s->files);
    free(s->paths);
}
