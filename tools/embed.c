/* embed.c: at build time, make the devices' programs of src/engines.
 *
 *     embed sources SRC UNIT=FILE...   > programs.c    the units as OpenCL C
 *     embed cuda SRC UNIT=FILE         > UNIT.cu       one unit as CUDA C
 *
 * A unit is SRC/FILE and what that includes: headers, and other .k files, which are parts of it.
 * Its OpenCL C source is that file with all its #include "..." lines resolved; its variants are
 * compiled when first launched, each with its own -D options. Its CUDA C source holds the variants
 * that the unit's opening comment lists, in lines of this form, every combination of a line's
 * values:
 *
 *      * variants NAME=0,1 OTHER=1,2,3
 *
 * Each is the unit's file in a namespace of its own, with NAME and so on defined, and VARIANT as
 * what ENTRY appends to the names of kernels (device/device.h, launch_define). No such line: one
 * variant without definitions. Headers, which have guards, are included once, before; the .k files
 * are included anew in each variant, and what they define is undefined after it.
 *
 * Both hold a stamp of the source, by which the library knows a CUDA image that does not belong to
 * it. Exit status 1 on any error.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 1024, LINE_SIZE = 4096, MAX_FILES = 64, MAX_NAMES = 8, MAX_BYTES = 1 << 20 };

typedef struct source {
    const char *root;
    char seen[MAX_FILES][PATH_SIZE]; /* the first is the unit itself */
    size_t seen_count;
    char bytes[MAX_BYTES]; /* resolved */
    size_t size;
} source;

static bool seen(source *s, const char *name)
{
    for (size_t i = 0; i < s->seen_count; i++)
        if (strcmp(s->seen[i], name) == 0)
            return true;
    if (s->seen_count < MAX_FILES)
        snprintf(s->seen[s->seen_count++], PATH_SIZE, "%s", name);
    return false;
}

/* What follows `word` and the blanks before it, or NULL when that is not what stands at `at`. */
static const char *after(const char *at, const char *word)
{
    at += strspn(at, " \t");
    return strncmp(at, word, strlen(word)) == 0 ? at + strlen(word) : NULL;
}

/* The name in a line #include "name", or false. */
static bool included(const char *line, char name[PATH_SIZE])
{
    const char *at = after(line, "#");
    at = at ? after(at, "include") : NULL;
    at = at ? after(at, "\"") : NULL;
    return at && sscanf(at, "%1023[^\"]", name) == 1;
}

static FILE *open_source(const source *s, const char *name)
{
    char path[PATH_SIZE * 2];
    snprintf(path, sizeof path, "%s/%s", s->root, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fprintf(stderr, "embed: %s cannot be read\n", path);
    return file;
}

static bool resolve(source *s, const char *name)
{
    char line[LINE_SIZE], inner[PATH_SIZE];
    bool whole = true;
    if (seen(s, name))
        return true;
    FILE *file = open_source(s, name);
    if (!file)
        return false;
    while (whole && fgets(line, sizeof line, file)) {
        const size_t length = strlen(line);
        if (included(line, inner)) {
            whole = resolve(s, inner);
        } else if (length < sizeof s->bytes - s->size) {
            memcpy(s->bytes + s->size, line, length);
            s->size += length;
        } else {
            fprintf(stderr, "embed: %s is too long\n", name);
            whole = false;
        }
    }
    fclose(file);
    return whole;
}

/* Read the unit of an argument UNIT=FILE, which is cut to UNIT. */
static bool resolve_unit(source *s, const char *root, char *unit)
{
    char *file = strchr(unit, '=');
    if (!file) {
        fprintf(stderr, "embed: %s is no UNIT=FILE\n", unit);
        return false;
    }
    *file++ = '\0';
    s->root = root;
    s->seen_count = s->size = 0;
    return resolve(s, file);
}

/* The name of a symbol that only images of this very source have. */
static void put_stamp(const source *s, const char *unit)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < s->size; i++)
        hash = (hash ^ (unsigned char)s->bytes[i]) * UINT64_C(0x100000001b3);
    printf("trawl_%s_%016llx", unit, (unsigned long long)hash);
}

static int put_sources(source *s, const char *root, char **units, int count)
{
    printf("/* Made by tools/embed.c. */\n#include <string.h>\n\n#include \"device/program.h\"\n");
    for (int i = 0; i < count; i++) {
        if (!resolve_unit(s, root, units[i]))
            return 1;
        printf("\nstatic const unsigned char %s_source[] = {\n", units[i]);
        for (size_t k = 0; k < s->size; k++)
            printf("%u,%s", (unsigned char)s->bytes[k], k % 24 == 23 ? "\n" : "");
        printf("0};\nstatic const char %s_stamp[] = \"", units[i]);
        put_stamp(s, units[i]);
        printf("\";\n");
    }
    printf("\nstatic const device_program programs[] = {\n");
    for (int i = 0; i < count; i++)
        printf("    { \"%s\", %s_source, sizeof %s_source - 1, %s_stamp },\n", units[i], units[i],
               units[i], units[i]);
    printf("};\n\n"
           "const device_program *device_program_by_name(const char *unit)\n"
           "{\n"
           "    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)\n"
           "        if (strcmp(programs[i].unit, unit) == 0)\n"
           "            return &programs[i];\n"
           "    return NULL;\n"
           "}\n");
    return 0;
}

/* ---- CUDA ------------------------------------------------------------------- */

/* One line of variants: names, and the values of each as in "0,1". */
typedef struct variants {
    char names[MAX_NAMES][64], values[MAX_NAMES][64];
    unsigned chosen[MAX_NAMES]; /* value of each, in the variant at hand */
    int count;
} variants;

/* Fill in what a line lists. */
static bool read_variants(variants *v, const char *line)
{
    int used = 0;
    v->count = 0;
    while (v->count < MAX_NAMES && sscanf(line, " %63[A-Z_]=%63[0-9,]%n", v->names[v->count],
                                          v->values[v->count], &used) == 2) {
        line += used;
        v->count++;
    }
    return line[strspn(line, " \t\r\n")] == '\0';
}

/* Is it a part of a unit, not a header? */
static bool is_part(const char *name)
{
    const size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, ".k") == 0;
}

/* Undefine what the parts of a unit define, or (`includes`) include the headers that they do. */
static void put_names(source *s, const char *name, bool includes)
{
    char line[LINE_SIZE], inner[PATH_SIZE];
    FILE *file = open_source(s, name);
    while (file && fgets(line, sizeof line, file)) {
        const char *at = after(line, "#define ");
        if (included(line, inner) && is_part(inner))
            put_names(s, inner, includes);
        else if (includes && included(line, inner))
            printf("#include \"%s\"\n", inner);
        else if (!includes && at)
            printf("#undef %.*s\n", (int)strcspn(at, " (\n"), at);
    }
    if (file)
        fclose(file);
}

static void put_variant(source *s, const char *unit, const variants *v)
{
    printf("\n");
    for (int i = 0; i < v->count; i++)
        printf("#define %s %u\n", v->names[i], v->chosen[i]);
    printf("#define VARIANT ");
    for (int i = 0; i < v->count; i++)
        printf("_%s%u", v->names[i], v->chosen[i]);
    printf("\nnamespace %s", unit);
    for (int i = 0; i < v->count; i++)
        printf("_%s%u", v->names[i], v->chosen[i]);
    printf("\n{\n#include \"%s\"\n}\n#undef VARIANT\n", s->seen[0]);
    for (int i = 0; i < v->count; i++)
        printf("#undef %s\n", v->names[i]);
    put_names(s, s->seen[0], false);
}

/* Every combination of the values from name `i` on. */
static void put_combinations(source *s, const char *unit, variants *v, int i)
{
    if (i == v->count) {
        put_variant(s, unit, v);
        return;
    }
    for (const char *at = v->values[i]; at; at = strchr(at, ',')) {
        at += *at == ',';
        v->chosen[i] = (unsigned)strtoul(at, NULL, 10);
        put_combinations(s, unit, v, i + 1);
    }
}

static int put_cuda(source *s, const char *root, char *unit)
{
    static variants v;
    int lines = 0;
    if (!resolve_unit(s, root, unit))
        return 1;
    printf("/* Made by tools/embed.c. */\n");
    put_names(s, s->seen[0], true);
    printf("\nextern \"C\" __device__ char ");
    put_stamp(s, unit);
    printf(" = 1;\n");
    s->bytes[s->size] = '\0';
    for (const char *at = s->bytes; (at = strstr(at, "\n * variants ")) != NULL;) {
        char line[LINE_SIZE];
        at += strlen("\n * variants ");
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        if (!read_variants(&v, line)) {
            fprintf(stderr, "embed: unit %s: cannot read 'variants %s'\n", unit, line);
            return 1;
        }
        put_combinations(s, unit, &v, 0);
        lines++;
    }
    v.count = 0;
    if (lines == 0)
        put_variant(s, unit, &v);
    return 0;
}

int main(int argc, char **argv)
{
    static source s;
    int status = 1;
    if (argc >= 4 && strcmp(argv[1], "sources") == 0)
        status = put_sources(&s, argv[2], argv + 3, argc - 3);
    else if (argc == 4 && strcmp(argv[1], "cuda") == 0)
        status = put_cuda(&s, argv[2], argv[3]);
    else
        fprintf(stderr, "usage: embed sources SRC UNIT=FILE...\n       embed cuda SRC UNIT=FILE\n");
    return status == 0 && fflush(stdout) == 0 ? 0 : 1;
}
