/* table.c: the rows of a table, as CSV and as figures.
 *
 * Every table has its own keys and then the same columns. A column is asked for by name, by the
 * CSV, by the plots and by the figures alike.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

static const char *const columns[] = {
    "engine",      "backend",         "device",   "tuning",         "bytes",           "matches",
    "agrees",      "repeats",         "kernel_s", "transfer_s",     "end_to_end_s",    "spread",
    "kernel_GBps", "end_to_end_GBps", "speedup",  "kernel_speedup", "joules_per_byte", "note",
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

row *table_add(table *t)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        row *grown = bench_alloc(t->room, sizeof *grown);
        if (t->count)
            memcpy(grown, t->rows, t->count * sizeof *grown);
        free(t->rows);
        t->rows = grown;
    }
    row *r = &t->rows[t->count++];
    memset(r, 0, sizeof *r);
    r->joules = r->joules_gpu = r->joules_cpu = JOULES_UNMEASURED;
    return r;
}

bool row_ran(const row *r)
{
    return r->samples && r->state <= ROW_DISAGREES;
}

bool row_counts(const row *r)
{
    return row_ran(r) && !r->on_cpu;
}

void table_free(table *t)
{
    free(t->rows);
    t->rows = NULL;
    t->count = t->room = 0;
}

static size_t key_count(const table *t)
{
    size_t keys = 0;
    while (keys < TABLE_KEYS && t->head->keys[keys])
        keys++;
    return keys;
}

const char *table_column(const table *t, size_t number)
{
    const size_t keys = key_count(t);
    if (number < keys)
        return t->head->keys[number];
    return number - keys < COLUMNS ? columns[number - keys] : NULL;
}

static const char *state_text(row_state state)
{
    static const char *const texts[] = { "not compared", "yes",     "NO", "unsupported",
                                         "failed",       "skipped", "" };
    return texts[state];
}

static void settings_text(const row *r, char *text, size_t room)
{
    if (r->backend && strcmp(r->backend->name, "threads") == 0) {
        int used = snprintf(text, room, "threads=%u schedule=%s", r->threads,
                            r->schedule == TRAWL_SCHEDULE_STATIC ? "static" : "dynamic");
        if (r->chunks && used > 0 && (size_t)used < room)
            snprintf(text + used, room - (size_t)used, " chunks=%u", r->chunks);
        return;
    }
    snprintf(text, room, "%s", r->tuning);
}

static void rate_text(double value, char *text, size_t room)
{
    if (value > 0 && isfinite(value))
        snprintf(text, room, "%.5g", value);
}

static void joules_text(double joules, char *text, size_t room)
{
    if (joules >= 0)
        snprintf(text, room, "%.4g", joules);
    else
        snprintf(text, room, "%s",
                 joules <= JOULES_UNREADABLE ? "not readable here" : "not measured");
}

static bool measured(const row *r)
{
    return r->state <= ROW_DISAGREES;
}

void table_value(const table *t, const row *r, const char *column, char *text, size_t room)
{
    text[0] = '\0';
    for (size_t k = 0; k < TABLE_KEYS && t->head->keys[k]; k++)
        if (strcmp(column, t->head->keys[k]) == 0) {
            snprintf(text, room, "%s", r->keys[k]);
            return;
        }
    size_t n = 0;
    while (n < COLUMNS && strcmp(column, columns[n]) != 0)
        n++;
    const double bytes = (double)r->length;
    switch (n) {
    case 0:
        snprintf(text, room, "%s", r->engine ? r->engine : "");
        return;
    case 1:
        snprintf(text, room, "%s", r->backend ? r->backend->name : "");
        return;
    case 2:
        snprintf(text, room, "%s", r->backend ? r->backend->label : "");
        return;
    case 3:
        settings_text(r, text, room);
        return;
    case 6:
        snprintf(text, room, "%s", state_text(r->state));
        return;
    case 17:
        snprintf(text, room, "%s", r->note);
        return;
    default:
        break;
    }
    if (!measured(r))
        return;
    switch (n) {
    case 4:
        snprintf(text, room, "%llu", (unsigned long long)r->length);
        break;
    case 5:
        snprintf(text, room, "%llu", (unsigned long long)r->matches);
        break;
    case 7:
        snprintf(text, room, "%u", r->samples);
        break;
    case 8:
        rate_text(r->kernel, text, room);
        break;
    case 9:
        snprintf(text, room, "%.5g", r->transfer);
        break;
    case 10:
        rate_text(r->end_to_end, text, room);
        break;
    case 11:
        snprintf(text, room, "%.3f", r->spread);
        break;
    case 12:
        rate_text(r->kernel > 0 ? bytes / r->kernel / 1e9 : 0, text, room);
        break;
    case 13:
        rate_text(r->end_to_end > 0 ? bytes / r->end_to_end / 1e9 : 0, text, room);
        break;
    case 14:
        rate_text(r->speedup, text, room);
        break;
    case 15:
        rate_text(r->kernel_speedup, text, room);
        break;
    case 16:
        joules_text(r->joules, text, room);
        break;
    default:
        break;
    }
}

bool table_number(const table *t, const row *r, const char *column, double *number)
{
    char text[200], *end;
    table_value(t, r, column, text, sizeof text);
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number);
}

/* ---- CSV -------------------------------------------------------------------- */

void csv_field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
    putc('"', out);
}

void table_write(bench *b, const table *t)
{
    char name[80], text[200];
    snprintf(name, sizeof name, "%s.csv", t->head->name);
    FILE *out = bench_file(b, name, "w");
    if (!out)
        return;
    for (size_t c = 0; table_column(t, c); c++)
        fprintf(out, "%s%s", c ? "," : "", table_column(t, c));
    putc('\n', out);
    for (size_t i = 0; i < t->count; i++) {
        for (size_t c = 0; table_column(t, c); c++) {
            if (c)
                putc(',', out);
            table_value(t, &t->rows[i], table_column(t, c), text, sizeof text);
            csv_field(out, text);
        }
        putc('\n', out);
    }
    if (fclose(out) != 0)
        bench_complain(b, "%s/%s: could not be written", b->folder, name);
}

/* ---- figures ------------------------------------------------------------------ */

bool row_fits(const table *t, const row *r, const char *where)
{
    char term[128], value[200];
    if (r->on_cpu)
        return false;
    while (*where) {
        size_t length = strcspn(where, " ");
        snprintf(term, sizeof term, "%.*s", (int)length, where);
        where += length;
        where += strspn(where, " ");
        char *equals = strchr(term, '=');
        if (!equals)
            continue;
        *equals = '\0';
        table_value(t, r, term, value, sizeof value);
        if (strcmp(value, equals + 1) != 0)
            return false;
    }
    return true;
}

figures table_figures(const table *t, const char *column, const char *where)
{
    figures f = { 0 };
    double value, sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (!row_fits(t, r, where) || !table_number(t, r, column, &value))
            continue;
        f.least = f.count && f.least < value ? f.least : value;
        f.most = f.count && f.most > value ? f.most : value;
        sum += value;
        f.count++;
    }
    f.mean = f.count ? sum / (double)f.count : 0;
    return f;
}
