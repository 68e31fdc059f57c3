/* embed.c: at build time, write the devices' programs as a C file.
 *
 *     embed SRC IMAGES UNIT...      > programs.c
 *
 * For each UNIT the OpenCL C source, which is SRC/kernel/UNIT.h with all its #include "..."
 * lines resolved (files named *_form.h as often as they are asked for, all others once), and
 * the CUDA image IMAGES/UNIT.fatbin. IMAGES may be "-": no CUDA. Exit status 1 on any error.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 1024, LINE_SIZE = 4096, MOST_FILES = 64 };

typedef struct source {
    const char *root;
    char seen[MOST_FILES][PATH_SIZE];
    size_t seen_count;
    size_t bytes;
} source;

static void put_byte(source *s, unsigned char c)
{
    printf("%u,%s", c, ++s->bytes % 24 == 0 ? "\n" : "");
}

static bool seen(source *s, const char *name)
{
    const size_t length = strlen(name);
    if (length > 7 && strcmp(name + length - 7, "_form.h") == 0)
        return false;
    for (size_t i = 0; i < s->seen_count; i++)
        if (strcmp(s->seen[i], name) == 0)
            return true;
    if (s->seen_count < MOST_FILES)
        snprintf(s->seen[s->seen_count++], PATH_SIZE, "%s", name);
    return false;
}

/* The name in a line #include "name", or false. */
static bool included(const char *line, char name[PATH_SIZE])
{
    const char *at = line + strspn(line, " \t");
    if (*at != '#')
        return false;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "include", 7) != 0)
        return false;
    at += 7 + strspn(at + 7, " \t");
    const char *close = *at == '"' ? strchr(at + 1, '"') : NULL;
    if (!close || close - at >= PATH_SIZE)
        return false;
    memcpy(name, at + 1, (size_t)(close - at - 1));
    name[close - at - 1] = '\0';
    return true;
}

static bool put_source(source *s, const char *name)
{
    char path[PATH_SIZE * 2], line[LINE_SIZE], inner[PATH_SIZE];
    bool whole = true;
    if (seen(s, name))
        return true;
    snprintf(path, sizeof path, "%s/%s", s->root, name);
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "embed: %s cannot be read\n", path);
        return false;
    }
    while (whole && fgets(line, sizeof line, file)) {
        if (included(line, inner)) {
            whole = put_source(s, inner);
            continue;
        }
        for (const char *at = line; *at; at++)
            put_byte(s, (unsigned char)*at);
    }
    fclose(file);
    return whole;
}

static bool put_image(source *s, const char *images, const char *unit)
{
    char path[PATH_SIZE * 2];
    int c;
    snprintf(path, sizeof path, "%s/%s.fatbin", images, unit);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "embed: %s cannot be read\n", path);
        return false;
    }
    while ((c = getc(file)) != EOF)
        put_byte(s, (unsigned char)c);
    fclose(file);
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: embed SRC IMAGES|- UNIT...\n");
        return 1;
    }
    const bool images = strcmp(argv[2], "-") != 0;
    printf("/* Made by tools/embed.c. */\n#include <string.h>\n\n#include \"device/device.h\"\n");
    source *s = calloc(1, sizeof *s);
    if (!s)
        return 1;
    for (int i = 3; i < argc; i++) {
        char name[PATH_SIZE];
        s->root = argv[1];
        s->seen_count = s->bytes = 0;
        snprintf(name, sizeof name, "kernel/%s.h", argv[i]);
        printf("\nstatic const unsigned char %s_source[] = {\n", argv[i]);
        if (!put_source(s, name))
            return 1;
        printf("0};\n");
        if (!images)
            continue;
        s->bytes = 0;
        printf("static _Alignas(16) const unsigned char %s_image[] = {\n", argv[i]);
        if (!put_image(s, argv[2], argv[i]))
            return 1;
        printf("0};\n");
    }
    printf("\nstatic const device_program programs[] = {\n");
    for (int i = 3; i < argc; i++) {
        printf("    { \"%s\", %s_source, sizeof %s_source - 1, ", argv[i], argv[i], argv[i]);
        if (images)
            printf("%s_image, sizeof %s_image - 1 },\n", argv[i], argv[i]);
        else
            printf("NULL, 0 },\n");
    }
    printf("};\n\n"
           "const device_program *device_program_by_name(const char *unit)\n"
           "{\n"
           "    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)\n"
           "        if (strcmp(programs[i].unit, unit) == 0)\n"
           "            return &programs[i];\n"
           "    return NULL;\n"
           "}\n");
    free(s);
    return fflush(stdout) == 0 ? 0 : 1;
}
