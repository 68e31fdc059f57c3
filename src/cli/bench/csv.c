/* csv.c: CSV files read back, so that the page shows what earlier runs left in the folder. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

bool csv_open(bench *b, const char *name, csv *file)
{
    memset(file, 0, sizeof *file);
    FILE *in = bench_file(b, name, "r");
    if (!in)
        return false;
    size_t used = 0, room = 1 << 16;
    file->text = bench_alloc(room, 1);
    for (size_t got; (got = fread(file->text + used, 1, room - used - 1, in)) > 0;) {
        used += got;
        if (room - used < room / 2) {
            char *grown = bench_alloc(room *= 2, 1);
            memcpy(grown, file->text, used);
            free(file->text);
            file->text = grown;
        }
    }
    fclose(in);
    file->text[used] = '\0';
    file->at = file->text;
    return true;
}

/* A field in quotes loses them, and doubled ones inside become single. */
static char *unquote(char *at, char **end)
{
    char *to = at, *from = at + 1;
    for (; *from; from++) {
        if (*from == '"' && *++from != '"')
            break;
        *to++ = *from;
    }
    *end = from;
    return to;
}

bool csv_line(csv *file)
{
    char *at = file->at;
    file->count = 0;
    if (!at || !*at)
        return false;
    for (;;) {
        char *end = at + strcspn(at, ",\n"), *stop = end;
        if (*at == '"')
            stop = unquote(at, &end);
        const char mark = *end;
        if (file->count < sizeof file->fields / sizeof file->fields[0])
            file->fields[file->count++] = at;
        *stop = '\0';
        at = mark ? end + 1 : end;
        if (mark != ',')
            break;
    }
    file->at = at;
    return true;
}

void csv_close(csv *file)
{
    free(file->text);
    memset(file, 0, sizeof *file);
}
