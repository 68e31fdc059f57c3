/* findings.c: a paper's figures and ours, line by line. They are kept as NAME_summary.csv. */
#include <string.h>

#include "cli/bench/bench.h"

static void summary_name(const paper *p, char *name, size_t room)
{
    snprintf(name, room, "%s_summary.csv", p->name);
}

void findings_begin(bench *b, const paper *p)
{
    char name[64];
    summary_name(p, name, sizeof name);
    FILE *out = bench_file(b, name, "w");
    if (!out)
        return;
    fputs("what,paper,ours\n", out);
    fclose(out);
}

void finding(bench *b, const paper *p, const char *what, const char *theirs, const char *format,
             ...)
{
    char name[64], ours[400];
    va_list arguments;
    summary_name(p, name, sizeof name);
    FILE *out = bench_file(b, name, "a");
    if (!out)
        return;
    va_start(arguments, format);
    vsnprintf(ours, sizeof ours, format, arguments);
    va_end(arguments);
    csv_field(out, what);
    putc(',', out);
    csv_field(out, theirs);
    putc(',', out);
    csv_field(out, ours);
    putc('\n', out);
    if (fclose(out) != 0)
        bench_complain(b, "%s/%s: could not be written", b->folder, name);
}

void findings_print(bench *b, const paper *p)
{
    char name[64];
    csv file;
    summary_name(p, name, sizeof name);
    if (!csv_open(b, name, &file))
        return;
    printf("%s: %s\n", p->name, p->title);
    csv_line(&file);
    while (csv_line(&file) && file.count == 3)
        printf("  %s\n      paper: %s\n      here:  %s\n", file.fields[0], file.fields[1],
               file.fields[2]);
    csv_close(&file);
}
