/* info.c: `trawl info`, which says what is in a plan. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plan_options.h"
#include "trawl/experimental.h"

static const char command[] = "info";

enum { OPT_JSON = OPT_OWN, OPT_PATTERNS };

static const option_row own_rows[] = {
    { .about = "Usage: trawl info [OPTION...] PLAN...\n"
               "Say what is in a plan that `trawl compile` or the library has saved; - is standard "
               "input.\n"
               "A plan is verified whole, as before it is searched with.\n"
               "\n" },
    { OPT_PATTERNS, "patterns",
      .about = "the patterns too: number, id, name, syntax, flags and text" },
    { OPT_JSON, "json", .about = "JSON, one object a plan" },
    { 0 },
};

static const option_row end_rows[] = {
    { .about = "\n"
               "Exit status: 0 all are plans, 2 an error.\n"
               "\n"
               "Examples:\n"
               "  trawl info words.trawl                what is it, and how is it searched?\n"
               "  trawl info --patterns words.trawl     and for what?\n" },
    { 0 },
};

static const option_row *const tables[] = { own_rows, help_rows, end_rows, NULL };
static const option_set options = { command, tables, 19, ' ', NULL };

typedef struct info {
    bool json, patterns;
    const char *path;
    const trawl_plan *plan;
    trawl_plan_info facts;
} info;

/* By their numbers in trawl_syntax; by their bits. */
static const char *const syntaxes[] = {
    "literal", "escaped", "extended", "prosite", "iupac", "hex"
};
static const char *const flags[] = { "nocase", "lines", "once",      "words",
                                     "whole",  "nuls",  "ambiguous", "other-strand" };
enum { SYNTAXES = sizeof syntaxes / sizeof *syntaxes, FLAGS = sizeof flags / sizeof *flags };

/* What the patterns have in common. */
typedef struct census {
    size_t syntaxes[SYNTAXES], flags[FLAGS], named;
    uint32_t least_id, most_id;
} census;

static census count_patterns(const info *i)
{
    census c = { .least_id = UINT32_MAX };
    trawl_pattern p;
    for (size_t k = 0; k < i->facts.patterns; k++) {
        if (trawl_plan_get_pattern(i->plan, k, &p) != TRAWL_OK)
            continue;
        c.named += p.name != NULL;
        c.least_id = p.id < c.least_id ? p.id : c.least_id;
        c.most_id = p.id > c.most_id ? p.id : c.most_id;
        if (p.syntax < SYNTAXES)
            c.syntaxes[p.syntax]++;
        for (size_t bit = 0; bit < FLAGS; bit++)
            c.flags[bit] += p.flags >> bit & 1;
    }
    return c;
}

static const char *purpose(const info *i)
{
    const uint32_t known = i->facts.tag & PLAN_FOR;
    return i->facts.cell_size       ? "grids"
           : known == PLAN_FOR_FIND ? "trawl find"
           : known == PLAN_FOR_GREP ? "trawl grep"
                                    : "the library";
}

static size_t note_bytes(const info *i)
{
    size_t length;
    trawl_plan_get_note(i->plan, &length);
    return length;
}

static const char *byte_order(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one ? "little" : "big";
}

/* ---- for people ------------------------------------------------------------- */

/* "extended 3, iupac 12" */
static void print_numbers(const char *title, const char *const *names, const size_t *numbers,
                          size_t count)
{
    const char *between = "";
    printf("%-10s", title);
    for (size_t k = 0; k < count; k++) {
        if (!numbers[k])
            continue;
        printf("%s%s %zu", between, names[k], numbers[k]);
        between = ", ";
    }
    puts(*between ? "" : "none");
}

static void print_lengths(const info *i)
{
    const trawl_plan_info *f = &i->facts;
    const char *unit = f->cell_size ? "row" : "byte";
    printf("lengths   ");
    if (f->max_length == UINT64_MAX)
        printf("%" PRIu64 " %s%s and more\n", f->min_length, unit, plural(f->min_length));
    else if (f->max_length > f->min_length)
        printf("%" PRIu64 " to %" PRIu64 " %ss\n", f->min_length, f->max_length, unit);
    else
        printf("%" PRIu64 " %s%s\n", f->min_length, unit, plural(f->min_length));
}

static void print_stages(const info *i)
{
    trawl_stage_info s = { .size = sizeof s };
    for (size_t k = 0; trawl_plan_get_stage(i->plan, k, &s) == TRAWL_OK; k++)
        printf("%-10spart %" PRIu32 " (%" PRIu32 " pattern%s): %s %s, tables of %zu bytes\n",
               k ? "" : "stages", s.part + 1, s.patterns, plural(s.patterns), s.engine, s.role,
               s.bytes);
}

/* A pattern's flags, then what it asks for of its matches, each in `quote`s. */
static void print_flags(FILE *to, const info *i, size_t index, uint32_t set, const char *quote)
{
    static const char *const words[] = { "", "full-word", "full-wide-word" };
    trawl_conditions c = TRAWL_CONDITIONS_INIT;
    const char *between = "";
    for (size_t bit = 0; bit < FLAGS; bit++) {
        if (!(set >> bit & 1))
            continue;
        fprintf(to, "%s%s%s%s", between, quote, flags[bit], quote);
        between = ",";
    }
    trawl_plan_get_conditions(i->plan, index, &c);
    if (c.place != TRAWL_PLACE_ANY) {
        fprintf(to, "%s%sfrom-%s:%" PRIu64 "+%" PRIu64 "%s", between, quote,
                c.place == TRAWL_PLACE_END ? "end" : "begin", c.offset, c.within, quote);
        between = ",";
    }
    if (c.word != TRAWL_WORD_ANY)
        fprintf(to, "%s%s%s%s", between, quote, words[c.word], quote);
}

/* A text as a field of TSV: bytes that are not printed are \xHH. */
static void print_text(const char *text, size_t length)
{
    for (size_t k = 0, size; k < length; k += size ? size : 1) {
        size = printable_length(text + k, length - k);
        if (text[k] == '\\')
            fputs("\\\\", stdout);
        else if (size)
            fwrite(text + k, 1, size, stdout);
        else
            printf("\\x%02x", (unsigned char)text[k]);
    }
}

static void print_patterns(const info *i)
{
    trawl_pattern p;
    puts("pattern\tid\tname\tsyntax\tflags\ttext");
    for (size_t k = 0; k < i->facts.patterns; k++) {
        if (trawl_plan_get_pattern(i->plan, k, &p) != TRAWL_OK)
            continue;
        printf("%zu\t%" PRIu32 "\t", k + 1, p.id);
        print_text(p.name ? p.name : "", p.name ? strlen(p.name) : 0);
        printf("\t%s\t", syntaxes[p.syntax]);
        print_flags(stdout, i, k, p.flags, "");
        putchar('\t');
        print_text(p.text, p.length);
        putchar('\n');
    }
}

static void print_facts(const info *i)
{
    const trawl_plan_info *f = &i->facts;
    const census c = count_patterns(i);
    print_text(shown_name(i->path), strlen(shown_name(i->path)));
    printf(": a plan for %s\n", purpose(i));
    printf("form      %" PRIu32 ", %zu bytes\n", f->version, f->bytes);
    printf("%-10s%zu", f->cell_size ? "needles" : "patterns", f->patterns);
    if (!f->cell_size)
        printf(", ids %" PRIu32 " to %" PRIu32 ", %zu with a name, texts %s", c.least_id, c.most_id,
               c.named, f->keeps_texts ? "kept" : "not kept");
    putchar('\n');
    if (f->cell_size) {
        printf("cells     of %" PRIu32 " byte%s\n", f->cell_size, plural(f->cell_size));
    } else {
        print_numbers("syntax", syntaxes, c.syntaxes, SYNTAXES);
        print_numbers("flags", flags, c.flags, FLAGS);
    }
    print_lengths(i);
    printf("engine    %s (%s)\n", f->engine, f->why);
    print_stages(i);
    if (note_bytes(i))
        printf("note      %zu byte%s\n", note_bytes(i), plural(note_bytes(i)));
    printf("runs on   every backend and instruction set; %s-endian machines\n", byte_order());
    if (i->patterns && !f->cell_size)
        print_patterns(i);
}

/* ---- JSON -------------------------------------------------------------------- */

static void put_json_numbers(FILE *to, const char *title, const char *const *names,
                             const size_t *numbers, size_t count)
{
    const char *between = "";
    fprintf(to, ",\"%s\":{", title);
    for (size_t k = 0; k < count; k++) {
        if (!numbers[k])
            continue;
        fprintf(to, "%s\"%s\":%zu", between, names[k], numbers[k]);
        between = ",";
    }
    fputc('}', to);
}

static void put_json_stages(FILE *to, const info *i)
{
    trawl_stage_info s = { .size = sizeof s };
    fputs(",\"stages\":[", to);
    for (size_t k = 0; trawl_plan_get_stage(i->plan, k, &s) == TRAWL_OK; k++)
        fprintf(to,
                "%s{\"part\":%" PRIu32 ",\"patterns\":%" PRIu32
                ",\"engine\":\"%s\",\"role\":\"%s\",\"bytes\":%zu}",
                k ? "," : "", s.part + 1, s.patterns, s.engine, s.role, s.bytes);
    fputc(']', to);
}

/* A member, after `before`; nothing without a text. False: no memory. */
static bool put_json_member(FILE *to, const char *before, const char *name, const char *text,
                            size_t length)
{
    char *member = text ? json_member(name, text, length) : NULL;
    if (member)
        fprintf(to, "%s%s", before, member);
    free(member);
    return member || !text;
}

static bool put_json_pattern(FILE *to, const info *i, size_t index)
{
    trawl_pattern p;
    if (trawl_plan_get_pattern(i->plan, index, &p) != TRAWL_OK)
        return false;
    fprintf(to, "%s{\"pattern\":%zu,\"id\":%" PRIu32, index ? "," : "", index + 1, p.id);
    bool fine = put_json_member(to, ",", "name", p.name, p.name ? strlen(p.name) : 0);
    fprintf(to, ",\"syntax\":\"%s\",\"flags\":[", syntaxes[p.syntax]);
    print_flags(to, i, index, p.flags, "\"");
    fputc(']', to);
    fine = put_json_member(to, ",", "text", p.text, p.length) && fine;
    fputc('}', to);
    return fine;
}

static bool put_json(FILE *to, void *user)
{
    const info *i = user;
    const trawl_plan_info *f = &i->facts;
    const census c = count_patterns(i);
    const char *path = shown_name(i->path);
    bool fine = put_json_member(to, "{", "file", path, strlen(path));
    fprintf(to, ",\"for\":\"%s\",\"form\":%" PRIu32 ",\"bytes\":%zu,\"byte_order\":\"%s\"",
            purpose(i), f->version, f->bytes, byte_order());
    fprintf(to, ",\"%s\":%zu,\"cell_size\":%" PRIu32, f->cell_size ? "needles" : "patterns",
            f->patterns, f->cell_size);
    if (!f->cell_size) {
        fprintf(to, ",\"least_id\":%" PRIu32 ",\"most_id\":%" PRIu32 ",\"named\":%zu,\"texts\":%s",
                c.least_id, c.most_id, c.named, f->keeps_texts ? "true" : "false");
        put_json_numbers(to, "syntax", syntaxes, c.syntaxes, SYNTAXES);
        put_json_numbers(to, "flags", flags, c.flags, FLAGS);
    }
    fprintf(to, ",\"note_bytes\":%zu,\"min_length\":%" PRIu64 ",\"max_length\":", note_bytes(i),
            f->min_length);
    if (f->max_length == UINT64_MAX)
        fputs("null", to);
    else
        fprintf(to, "%" PRIu64, f->max_length);
    fputs(",\"engine\":", to);
    fine = put_quoted(to, f->engine) && fine;
    fputs(",\"why\":", to);
    fine = put_quoted(to, f->why) && fine;
    put_json_stages(to, i);
    const bool listed = i->patterns && !f->cell_size;
    fputs(listed ? ",\"list\":[" : "", to);
    for (size_t k = 0; listed && fine && k < f->patterns; k++)
        fine = put_json_pattern(to, i, k);
    fputs(listed ? "]}\n" : "}\n", to);
    return fine;
}

/* ---- the command --------------------------------------------------------------- */

static bool read_option(void *user, int option, const char *value)
{
    info *i = user;
    (void)value;
    if (option == OPT_PATTERNS)
        return i->patterns = true;
    return i->json = true;
}

static bool print_plan(info *i, const char *path)
{
    void *block = NULL;
    trawl_plan *plan = plan_read(command, path, &block);
    bool fine = plan != NULL;
    i->path = path;
    i->plan = plan;
    i->facts = (trawl_plan_info){ .size = sizeof i->facts };
    if (plan) {
        trawl_plan_get_info(plan, &i->facts);
        fine = !i->json || print_whole(command, put_json, i);
    }
    if (plan && !i->json)
        print_facts(i);
    trawl_plan_free(plan);
    free(block);
    return fine;
}

int command_info(int argc, char **argv)
{
    info i = { .json = false };
    bool fine = true;
    int status = parse_options(&options, argc, argv, read_option, &i);
    if (status >= 0)
        return status;
    if (optind == argc) {
        complain(command, "give a plan, which `trawl compile` makes");
        return usage_hint(command);
    }
    for (int k = optind; k < argc; k++) {
        fine = print_plan(&i, argv[k]) && fine;
        fflush(stdout); /* before complaints of the next one */
    }
    return finish_output(command, fine ? EXIT_MATCH : EXIT_ERROR);
}
