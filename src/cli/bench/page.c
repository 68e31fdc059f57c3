/* page.c: index.html, one page with all that the folder holds.
 *
 * Static, without scripts and without links to elsewhere: the plots are inside. Tables come from
 * the CSV files, so that papers measured by earlier runs are shown too. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "cli/bench/bench.h"

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            putc(*text, out);
        }
    }
}

static void put_element(FILE *out, const char *tag, const char *text)
{
    fprintf(out, "<%s>", tag);
    put_text(out, text);
    fprintf(out, "</%s>", tag);
}

/* "2026-01-31 12:00 UTC" of a file in the folder; false when there is none. */
static bool file_time(const bench *b, const char *name, char *text, size_t room)
{
    char path[1024];
    struct stat facts;
    struct tm parts;
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    if (stat(path, &facts) != 0 || !gmtime_r(&facts.st_mtime, &parts))
        return false;
    return strftime(text, room, "%Y-%m-%d %H:%M UTC", &parts) > 0;
}

static bool is_number(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end != text && *end == '\0';
}

static bool known_word(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* The cells of one line; the agreement is coloured. */
static void put_line(FILE *out, const csv *file, bool head)
{
    fputs("<tr>", out);
    for (size_t i = 0; i < file->count; i++) {
        const char *text = file->fields[i];
        const char *style = known_word(text, "NO") || known_word(text, "failed") ? " class=bad"
                            : is_number(text)                                    ? " class=n"
                                                                                 : "";
        if (head)
            fputs("<th>", out);
        else
            fprintf(out, "<td%s>", style);
        put_text(out, text);
        fputs(head ? "</th>" : "</td>", out);
    }
    fputs("</tr>\n", out);
}

#define PAGE_ROWS 101 /* of a table, its head included */

static bool put_table(bench *b, FILE *out, const table_head *h)
{
    char name[80], when[40];
    csv file;
    snprintf(name, sizeof name, "%s.csv", h->name);
    if (!file_time(b, name, when, sizeof when) || !csv_open(b, name, &file))
        return false;
    fputs("<h3>", out);
    put_text(out, h->title);
    fputs("</h3>\n<p>", out);
    put_text(out, h->about);
    fprintf(out, " <span class=when><a href=\"%s\">%s</a>, %s</span></p>\n", name, name, when);
    fputs("<div class=wide><table>\n", out);
    size_t rows = 0;
    for (; rows < PAGE_ROWS && csv_line(&file); rows++)
        put_line(out, &file, rows == 0);
    fputs("</table></div>\n", out);
    if (rows == PAGE_ROWS && csv_line(&file))
        fprintf(out, "<p>These are the first %d rows: the file has all.</p>\n", PAGE_ROWS - 1);
    csv_close(&file);
    return true;
}

static void put_plot(bench *b, FILE *out, const plot_head *h)
{
    char name[100], when[40];
    snprintf(name, sizeof name, "%s.svg", h->name);
    if (!file_time(b, name, when, sizeof when))
        return;
    fputs("<figure><img alt=\"", out);
    put_text(out, h->title);
    fprintf(out, "\" src=\"%s\"></figure>\n", name);
}

static void put_summary(bench *b, FILE *out, const paper *p)
{
    char name[80];
    csv file;
    snprintf(name, sizeof name, "%s_summary.csv", p->name);
    if (!csv_open(b, name, &file))
        return;
    fputs("<table class=summary>\n<tr><th></th><th>the paper</th><th>here</th></tr>\n", out);
    csv_line(&file);
    while (csv_line(&file)) {
        fputs("<tr>", out);
        for (size_t i = 0; i < file.count; i++)
            put_element(out, i ? "td" : "th", file.fields[i]);
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
    csv_close(&file);
}

static void put_paper(bench *b, FILE *out, const paper *p)
{
    char when[40], name[80];
    snprintf(name, sizeof name, "%s_summary.csv", p->name);
    fprintf(out, "<section id=%s>\n", p->name);
    put_element(out, "h2", p->title);
    put_element(out, "p", p->about);
    if (!file_time(b, name, when, sizeof when)) {
        fprintf(out, "<p>Not measured: <code>trawl bench seeds %s</code>.</p>\n", p->name);
    } else {
        put_summary(b, out, p);
        for (size_t i = 0; i < p->plot_count; i++)
            put_plot(b, out, &p->plots[i]);
        fputs("<details><summary>All tables</summary>\n", out);
        for (size_t i = 0; i < p->table_count; i++)
            put_table(b, out, &p->tables[i]);
        fputs("</details>\n", out);
    }
    fputs("</section>\n", out);
}

#define MACHINE_FILE "machine.html"

/* ---- the machine ------------------------------------------------------------------ */

static void cpu_model(char *model, size_t room)
{
    char line[256];
    FILE *in = fopen("/proc/cpuinfo", "r");
    snprintf(model, room, "unknown");
    while (in && fgets(line, sizeof line, in)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(model, room, "%s", colon + 1 + strspn(colon + 1, " \t"));
        break;
    }
    if (in)
        fclose(in);
}

static void put_fact(FILE *out, const char *what, const char *value)
{
    fputs("<tr>", out);
    put_element(out, "th", what);
    put_element(out, "td", value);
    fputs("</tr>\n", out);
}

static void put_devices(const bench *b, FILE *out)
{
    char value[512];
    trawl_error error;
    for (size_t i = 0; i < b->backend_count; i++) {
        const bench_backend *k = &b->backends[i];
        for (size_t d = 0; d < k->devices; d++) {
            trawl_device_info info;
            memset(&info, 0, sizeof info);
            info.size = sizeof info;
            if (trawl_device_get_info(k->name, d, &info, &error) != TRAWL_OK)
                continue;
            snprintf(value, sizeof value, "%zu: %s, %u units, %.1f GB, %s", d, info.name,
                     info.units, (double)info.memory / 1e9, info.driver);
            put_fact(out, k->name, value);
        }
    }
}

/* The facts stand in a file of their own, so that --redraw elsewhere does not change them. */
static void write_machine(bench *b)
{
    FILE *out = bench_file(b, MACHINE_FILE, "w");
    if (!out)
        return;
    char value[512], model[256];
    struct utsname system;
    time_t now = time(NULL);
    struct tm parts;
    fputs("<table class=summary>\n", out);
    if (gmtime_r(&now, &parts) && strftime(value, sizeof value, "%Y-%m-%d %H:%M UTC", &parts))
        put_fact(out, "date", value);
    put_fact(out, "version", trawl_version());
    cpu_model(model, sizeof model);
    snprintf(value, sizeof value, "%s, %u logical CPUs", model, b->cpus);
    put_fact(out, "CPU", value);
    if (uname(&system) == 0) {
        snprintf(value, sizeof value, "%.60s, %.60s", system.sysname, system.machine);
        put_fact(out, "system", value);
    }
    put_devices(b, out);
    snprintf(value, sizeof value, "%s, %u repeats after a warm-up, seed %llu",
             b->quick ? "quick trial (small inputs: no figures to quote)" : "full size", b->repeats,
             (unsigned long long)b->seed);
    put_fact(out, "measured", value);
    snprintf(value, sizeof value,
             "%zu rows: %zu disagree, %zu failed, %zu not supported, %zu compared with nothing",
             b->rows, b->disagreements, b->failures, b->unsupported, b->alone);
    put_fact(out, "this run", value);
    fputs("</table>\n", out);
    fclose(out);
}

static void put_machine(bench *b, FILE *out)
{
    FILE *facts = bench_file(b, MACHINE_FILE, "r");
    for (int c; facts && (c = getc(facts)) != EOF;)
        putc(c, out);
    if (facts)
        fclose(facts);
}

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
    "<meta name=viewport content=\"width=device-width\">\n"
    "<title>Trawl beside five papers</title>\n<style>\n"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;"
    "color:#1b1f24;background:#fff}\n"
    "h1,h2,h3{line-height:1.25}\nsection{border-top:1px solid #ccd;margin-top:3rem}\n"
    "table{border-collapse:collapse;font-size:.82rem;font-variant-numeric:tabular-nums}\n"
    "th,td{border:1px solid #d5dae1;padding:.2rem .5rem;text-align:left;vertical-align:top}\n"
    "tr:nth-child(even) td{background:#f6f8fa}\nth{background:#eef1f5}\n"
    ".n{text-align:right}\n.bad{background:#b00020!important;color:#fff}\n"
    ".wide{overflow-x:auto}\n.summary{font-size:.95rem}\n.when{color:#667}\n"
    "img{max-width:100%}\nfigure{margin:1rem 0}\n"
    "summary{cursor:pointer;font-weight:600;margin:1rem 0}\n"
    "</style>\n</head>\n<body>\n<h1>Trawl beside five papers</h1>\n"
    "<p>The engines of Trawl come from five papers. Here are their tables, measured with this "
    "program. The papers' machines are of other years: ratios within one column can be compared, "
    "absolute figures cannot.</p>\n";

static const char page_notes[] =
    "<p>Columns: <b>kernel</b> is the time of the search alone. On a device: the kernels of a run "
    "that only counts matches (of grids: a whole scan), with one queue and the text in the largest "
    "pieces, 256 MiB at most (16 MiB where the device is the CPU); copies do not count. On a CPU "
    "backend: wall time of a run that only counts; of grids, of a whole scan. <b>transfer</b> is "
    "the time of copies to and from the device in the run end to end, which overlap with kernels "
    "and with each other. <b>end to end</b> is wall time from a text in the host's memory to all "
    "matches handed over, in order. Times are medians; <b>spread</b> is slowest less fastest over "
    "the median, end to end. <b>speedup</b> is the rate end to end over that of the serial row of "
    "the same engine and text; in the tables of PFAC, of serial Aho-Corasick. "
    "<b>kernel_speedup</b> is the rate of the search alone over that of the same serial row: "
    "counting over counting. A serial row that saw fewer bytes than the others was cut short to "
    "save time. Where a device had no memory and the CPU took over, nothing is said of kernels, "
    "and the row counts in no summary and no plot. <b>agrees</b>: the same number of matches at "
    "the same places as the first row of its kind, in every run. GB are 10<sup>9</sup> "
    "bytes.</p>\n";

void page_write(bench *b, bool measured)
{
    if (measured)
        write_machine(b);
    FILE *out = bench_file(b, "index.html", "w");
    if (!out)
        return;
    fputs(page_head, out);
    put_machine(b, out);
    fputs(page_notes, out);
    for (size_t i = 0; paper_at(i); i++)
        put_paper(b, out, paper_at(i));
    fputs("</body>\n</html>\n", out);
    if (fclose(out) != 0)
        bench_complain(b, "%s/index.html: could not be written", b->folder);
}
