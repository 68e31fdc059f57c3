/* plot.c: plots of a paper's tables, drawn by gnuplot when it is installed.
 *
 * For each plot the folder gets NAME.dat (a block for each line), NAME.gp (the commands), and
 * from them NAME.svg and NAME.png. */
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "cli/bench/bench.h"

enum { MOST_LINES = 64, LABEL_ROOM = 120 };

static const table *table_named(const paper *p, const table *tables, const char *name)
{
    for (size_t i = 0; i < p->table_count; i++)
        if (strcmp(p->tables[i].name, name) == 0)
            return &tables[i];
    return NULL;
}

/* The label of the line that a row belongs to: the values of the series' columns. */
static void row_label(const table *t, const row *r, const char *series, char *label)
{
    char column[64], value[200];
    size_t n = 0;
    label[0] = '\0';
    while (*series) {
        size_t length = strcspn(series, " ");
        snprintf(column, sizeof column, "%.*s", (int)length, series);
        series += length;
        series += strspn(series, " ");
        table_value(t, r, column, value, sizeof value);
        int used = snprintf(label + n, LABEL_ROOM - n, "%s%s", n && value[0] ? " " : "", value);
        n += used > 0 ? (size_t)used : 0;
        if (n >= LABEL_ROOM)
            return;
    }
}

/* The lines of a plot; none when there are no two different x to draw between. */
static size_t find_lines(const table *t, const plot_head *h, char labels[][LABEL_ROOM])
{
    char label[LABEL_ROOM];
    size_t count = 0;
    double x, y, first = 0;
    bool spread = false;
    for (size_t i = 0; i < t->count && count < MOST_LINES; i++) {
        const row *r = &t->rows[i];
        if (!row_fits(t, r, h->where) || !table_number(t, r, h->x, &x) ||
            !table_number(t, r, h->y, &y))
            continue;
        first = count ? first : x;
        spread = spread || x != first;
        row_label(t, r, h->series, label);
        size_t known = 0;
        while (known < count && strcmp(labels[known], label) != 0)
            known++;
        if (known == count)
            memcpy(labels[count++], label, LABEL_ROOM);
    }
    return spread ? count : 0;
}

static void write_points(FILE *out, const table *t, const plot_head *h, const char *label)
{
    char own[LABEL_ROOM];
    double x, y;
    for (size_t i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        row_label(t, r, h->series, own);
        if (strcmp(own, label) == 0 && row_fits(t, r, h->where) && table_number(t, r, h->x, &x) &&
            table_number(t, r, h->y, &y))
            fprintf(out, "%g %g\n", x, y);
    }
    fputs("\n\n", out);
}

/* A string of gnuplot in single quotes. */
static void put_quoted(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc(*text, out);
    }
    putc('\'', out);
}

static void write_commands(FILE *out, const plot_head *h, char labels[][LABEL_ROOM], size_t lines)
{
    static const char *const terminals[][2] = {
        { "svg", "svg size 860,480 enhanced background 'white' font 'sans,13'" },
        { "png", "pngcairo size 860,480 background 'white' font 'sans,11'" }
    };
    fputs("set title ", out);
    put_quoted(out, h->title);
    fputs(" noenhanced\nset xlabel ", out);
    put_quoted(out, h->x_label);
    fputs("\nset ylabel ", out);
    put_quoted(out, h->y_label);
    fputs("\nset grid\nset key outside right noenhanced\nset yrange [0:*]\n", out);
    if (h->log_x)
        fputs("set logscale x 2\n", out);
    if (h->log_y)
        fputs("set yrange [*:*]\nset logscale y\n", out);
    for (size_t k = 0; k < 2; k++) {
        fprintf(out, "set terminal %s\nset output ", terminals[k][1]);
        char name[100];
        snprintf(name, sizeof name, "%s.%s", h->name, terminals[k][0]);
        put_quoted(out, name);
        fputs("\nplot", out);
        for (size_t i = 0; i < lines; i++) {
            /* unique: in the order of x, whatever that of the rows is */
            fprintf(out, "%s '%s.dat' index %zu smooth unique with linespoints lw 2 title ",
                    i ? "," : "", h->name, i);
            put_quoted(out, labels[i]);
        }
        fputs("\nunset output\n", out);
    }
}

/* gnuplot runs in the folder, so that its files have short names. */
static bool run_gnuplot(const bench *b, const char *name)
{
    char program[] = "sh", option[] = "-c", script[] = "cd \"$0\" && exec gnuplot \"$1\"";
    char folder[1024], file[100];
    snprintf(folder, sizeof folder, "%s", b->folder);
    snprintf(file, sizeof file, "%s.gp", name);
    char *arguments[] = { program, option, script, folder, file, NULL };
    return bench_child(arguments, NULL, NULL);
}

static bool have_gnuplot(void)
{
    char program[] = "gnuplot", option[] = "--version";
    char *arguments[] = { program, option, NULL };
    return bench_child(arguments, NULL, NULL);
}

/* The points and gnuplot's commands. False: no points, or the files cannot be written. */
static bool write_plot(bench *b, const plot_head *h, const table *t)
{
    char(*labels)[LABEL_ROOM] = bench_alloc(MOST_LINES, LABEL_ROOM);
    char name[100];
    size_t lines = find_lines(t, h, labels);
    FILE *data = NULL, *commands = NULL;
    if (lines) {
        snprintf(name, sizeof name, "%s.dat", h->name);
        data = bench_file(b, name, "w");
        snprintf(name, sizeof name, "%s.gp", h->name);
        commands = bench_file(b, name, "w");
    }
    if (data && commands) {
        for (size_t i = 0; i < lines; i++)
            write_points(data, t, h, labels[i]);
        write_commands(commands, h, labels, lines);
    }
    if (data)
        fclose(data);
    if (commands)
        fclose(commands);
    free(labels);
    return data && commands;
}

static void draw(bench *b, const plot_head *h)
{
    if (!run_gnuplot(b, h->name))
        bench_complain(b, "gnuplot failed on %s/%s.gp", b->folder, h->name);
}

/* Plots of an earlier run would stand beside the tables of this one. */
static void remove_plot(const bench *b, const plot_head *h)
{
    static const char *const endings[] = { "svg", "png", "gp", "dat" };
    char path[1024];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", b->folder, h->name, endings[i]);
        (void)remove(path);
    }
}

void plot_write(bench *b, const paper *p, const table *tables)
{
    const bool drawn = have_gnuplot();
    for (size_t i = 0; i < p->plot_count; i++) {
        const plot_head *h = &p->plots[i];
        const table *t = table_named(p, tables, h->table);
        remove_plot(b, h);
        if (t && write_plot(b, h, t) && drawn)
            draw(b, h);
    }
    if (!drawn)
        fprintf(stderr,
                "trawl bench: no plots: gnuplot is not installed (package gnuplot-nox); with it, "
                "`trawl bench seeds --redraw --out %s` draws them from what was measured\n",
                b->folder);
}

bool plot_redraw(bench *b, const paper *p)
{
    if (!have_gnuplot()) {
        bench_complain(b, "--redraw needs gnuplot: install gnuplot-nox");
        return false;
    }
    for (size_t i = 0; i < p->plot_count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.gp", b->folder, p->plots[i].name);
        if (access(path, R_OK) == 0)
            draw(b, &p->plots[i]);
    }
    return true;
}
