/* torture_command.c: the command, in this process, while calls fail.
 *
 * A run that ends with 0 or 1 prints what the good run prints. One that ends with 2 says why, and
 * prints whole lines of the good output, in order: what comes after the failure may lack.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "packed_bytes.h"
#include "torture.h"

#define MAX_ARGUMENTS 24
#define MAX_OUTPUT (1u << 16)

typedef enum input { NOTHING, PIPE, FILE_INPUT } input;

typedef struct command_line {
    input input;
    unsigned kinds;
    bool loose; /* what is there may lack in a good output */
    int (*run)(int argc, char **argv);
    const char *words; /* that follow "trawl NAME" */
} command_line;

/* ---- files -------------------------------------------------------------------------- */

static char folder[] = "/tmp/torture-XXXXXX";
static int saved[3];

static const char text[] = "alpha beta\ngamma\n\nbeta delta alpha\nal-a-pha bet\n";

static void put_file(const char *name, const char *bytes, size_t length)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        abort();
}

static void put_text(const char *name, const char *bytes)
{
    put_file(name, bytes, strlen(bytes));
}

/* text.pgm, interlaced; three pixels of a palette, one half transparent; wide.ppm. */
static const unsigned char interlaced[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x04, 0x08, 0x00, 0x00, 0x00, 0x01, 0x14, 0x5f, 0x9a,
    0x0a, 0x00, 0x00, 0x00, 0x0f, 0x74, 0x45, 0x58, 0x74, 0x54, 0x69, 0x74, 0x6c, 0x65, 0x00, 0x61,
    0x20, 0x70, 0x69, 0x63, 0x74, 0x75, 0x72, 0x65, 0xdb, 0xa8, 0xa3, 0x2a, 0x00, 0x00, 0x00, 0x1c,
    0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x60, 0x64, 0x00, 0x43, 0x46, 0x46, 0x06, 0x26, 0x26,
    0x10, 0x62, 0x66, 0x64, 0x62, 0x64, 0x62, 0xe0, 0x64, 0x04, 0xd2, 0x00, 0x01, 0xac, 0x00, 0x28,
    0x22, 0x35, 0x49, 0xed, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};
static const unsigned char palette[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x00, 0x00, 0x00, 0x66,
    0x8e, 0xfc, 0x27, 0x00, 0x00, 0x00, 0x09, 0x50, 0x4c, 0x54, 0x45, 0x01, 0x02, 0x03, 0x04,
    0x05, 0x06, 0x07, 0x08, 0x09, 0x25, 0x85, 0x56, 0xf0, 0x00, 0x00, 0x00, 0x02, 0x74, 0x52,
    0x4e, 0x53, 0xff, 0x09, 0x9c, 0x6b, 0x88, 0xee, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41,
    0x54, 0x78, 0xda, 0x63, 0x90, 0x00, 0x00, 0x00, 0x1a, 0x00, 0x19, 0x80, 0x00, 0x8e, 0xbb,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};
static const unsigned char wide[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x10, 0x02, 0x00, 0x00, 0x00, 0x2b, 0xd0, 0x34,
    0x9e, 0x00, 0x00, 0x00, 0x15, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x60, 0x60, 0x64, 0x60,
    0x62, 0x60, 0x66, 0x60, 0x61, 0x60, 0x7d, 0x95, 0x00, 0x00, 0x02, 0x96, 0x01, 0x5a, 0xff, 0x6c,
    0x1c, 0xa5, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

/* One of two pixels, and one of run lengths. */
static const unsigned char bmp[] = {
    0x42, 0x4d, 0x3e, 0, 0, 0, 0, 0,  0, 0, 0x36, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0,
    0,    1,    0,    0, 0, 1, 0, 24, 0, 0, 0,    0, 0, 8, 0,  0, 0, 0, 0, 0, 0,
    0,    0,    0,    0, 0, 0, 0, 0,  0, 0, 0,    0, 3, 2, 1,  6, 5, 4, 0, 0,
};
static const unsigned char runs[] = {
    0x42, 0x4d, 0x42, 0, 0, 0, 0, 0, 0, 0, 0x3e, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0,
    1,    0,    0,    0, 1, 0, 8, 0, 1, 0, 0,    0, 4, 0, 0,  0, 0, 0, 0, 0, 0, 0,
    0,    0,    2,    0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 6,  5, 4, 0, 2, 1, 0, 1,
};

/* `count` lines with their number. */
static void put_many(const char *name, size_t count, const char *line)
{
    FILE *file = fopen(name, "wb");
    for (size_t i = 0; file && i < count; i++)
        fprintf(file, line, i);
    if (!file || fclose(file) != 0)
        abort();
}

static void make_files(void)
{
    char path[200] = "tree/deep";
    put_text("text", text);
    put_text("bad\377\tname", text);
    put_text("list", "beta\nal[a-f]*pha\nc.\377x\n");
    put_text("words", "beta\r\nalpha\r\n");
    put_text("rules", "alert ip any any -> any any (msg:\"m\"; content:\"al\"; content:\"pha\"; "
                      "within:3; content:!\"x\"; pcre:\"/a/\"; sid:1;)\n"
                      "a (content:\"beta\"; startswith; sid:2;)\n");
    put_text("yara", "rule r { strings: $a = \"be\" wide ascii fullword\n"
                     "$b = /a(l|m)?p{1,2}h/ wide ascii\n$c = { 61 [1-2] 70 } $d = \"x\" xor\n"
                     "condition: any of them }");
    put_text("ndb", "A:0:0:616c*61\nB:0:EOF-4:626574\nC:0:*:6x\n");
    put_text("ldb", "A;Engine:51-255,Target:1;(0|1)>1&2=0;616c::iwa;0:616c*61;7878\n"
                    "B;Engine:51-255,Target:0;0;61/x/\nC;Target:0;0;6x\nD;Target:0;0=0;7878\n");
    put_text("text.pgm", "P2\n5 4\n255\n1 2 1 2 1\n3 1 2 1 2\n1 2 1 2 1\n9 1 3 1 2\n");
    put_text("pair.pgm", "P2\n2 1\n255\n1 2\n");
    put_text("bits.pbm", "P1\n3 2\n101\n010\n");
    put_text("wide.ppm", "P3\n2 1\n65535\n1 2 3  4 5 60000\n");
    put_file("interlaced.png", (const char *)interlaced, sizeof interlaced);
    put_file("palette.png", (const char *)palette, sizeof palette);
    put_file("wide.png", (const char *)wide, sizeof wide);
    put_file("pixels.bmp", (const char *)bmp, sizeof bmp);
    put_file("runs.bmp", (const char *)runs, sizeof runs);
    put_many("large", 400, "alpha %zu\n");
    put_many("many", 500, "alpha %0150zu\n");            /* more than a read of patterns */
    put_many("long", 60000, "alpha and no newline %zu"); /* more than a block of lines */
    put_many("cut", 130000, "line %zu alpha\n");         /* more than two pieces */
    put_text("nothing", "");
    put_text("pair", "\1\2");
    put_file("raw", "\1\2\1\2\1\2", 6);
    put_file("binary", "alpha\nbeta\0beta\nalpha\n", 22);
    put_file("packed.gz", (const char *)gzip_bytes, sizeof gzip_bytes);
    put_file("packed.xz", (const char *)xz_bytes, sizeof xz_bytes);
    put_file("packed.zip", (const char *)zip_bytes, sizeof zip_bytes);
    put_file("packed.tgz", (const char *)tar_gzip_bytes, sizeof tar_gzip_bytes);
    put_text("fasta", ">one x\nalp\nha\n>two\n\n>three\nbetalpha\n");
    put_text("odd", ">one x\nalp\nha2\n>two\n\n>three\nbetalpha\n");
    put_text("sam", "@CO\t\na\t4\t*\t0\t0\t*\t*\t0\t0\talpha\t*\n");
    put_text("genbank", "LOCUS       a\nORIGIN\n        1 al pha\n//\n");
    put_text("rebase", "#x\n\none\tG^AATTC\ntwo\t(1/2)ACG(3/4)\tx\n");
    put_text("fastq", "@one\nalpha\n+\nIIIII\n@two\nbeta\n+\nIIII\n");
    put_file("gzip", "\x1f\x8b\x08 alpha", 9);
    if (mkdir("tree", 0700) || mkdir("tree/a", 0700) || mkdir("tree/a/b", 0700))
        abort();
    put_text("tree/one", text);
    put_text("tree/a/two", text);
    put_text("tree/a/b/three", "alpha\n");
    for (int i = 0; i < 20; i++) { /* deeper than folders stay open */
        if (mkdir(path, 0700))
            abort();
        strcat(path, "/d");
    }
    put_text("tree/deep/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/last", "alpha\n");
    put_text("tree/deep/d/zeta", "alpha\n");
    put_text("tree/z", "alpha\n");
    for (int i = 0; i < 40; i++) { /* more than a folder has room for at first */
        snprintf(path, sizeof path, "tree/a/b/name %d", i);
        put_text(path, i % 8 ? "" : "alpha\n");
    }
}

/* Empty files for what is printed in place of the standard ones. */
static void lead_away(void)
{
    static const char *const names[] = { "in", "out", "err" };
    for (int fd = 0; fd < 3; fd++) {
        const int file = open(names[fd], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
        if (file < 0 || saved[fd] < 0 || dup2(file, fd) < 0 || close(file) != 0)
            abort();
    }
}

static void lead_back(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (dup2(saved[fd], fd) < 0 || close(saved[fd]) != 0)
            abort();
}

static void empty(int fd)
{
    if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        abort();
}

/* Standard input is a file with the text, the text in a pipe, or no text. */
static void place_input(input input)
{
    int ends[2];
    const size_t length = input == NOTHING ? 0 : strlen(text);
    rewind(stdin);
    if (input == PIPE) {
        if (pipe(ends) != 0 || write(ends[1], text, length) != (ssize_t)length ||
            close(ends[1]) != 0 || dup2(ends[0], STDIN_FILENO) < 0 || close(ends[0]) != 0)
            abort();
        return;
    }
    const int file = open("in", O_RDWR | O_CLOEXEC);
    if (file < 0 || dup2(file, STDIN_FILENO) < 0 || close(file) != 0)
        abort();
    empty(STDIN_FILENO);
    if (write(STDIN_FILENO, text, length) != (ssize_t)length || lseek(STDIN_FILENO, 0, SEEK_SET))
        abort();
}

/* ---- what is printed -------------------------------------------------------------- */

typedef struct output {
    int status;
    char out[MAX_OUTPUT], err[MAX_OUTPUT]; /* NUL-terminated; NUL bytes are \1 */
} output;

static output good, got;

static void read_back(int fd, char *to)
{
    const ssize_t length = pread(fd, to, MAX_OUTPUT - 1, 0);
    if (length < 0 || length == MAX_OUTPUT - 1)
        abort();
    to[length] = '\0';
    for (ssize_t i = 0; i < length; i++)
        to[i] = to[i] ? to[i] : '\1';
}

/* Whether each line of `some` is whole, and one of `all`, in their order. */
static bool is_part(const char *some, const char *all)
{
    while (*some) {
        const char *end = strchr(some, '\n');
        if (!end)
            return false;
        const size_t length = (size_t)(end - some) + 1;
        while (*all && strncmp(all, some, length) != 0) {
            const char *next = strchr(all, '\n');
            all = next ? next + 1 : all + strlen(all);
        }
        if (!*all)
            return false;
        all += length;
        some += length;
    }
    return true;
}

/* What a message about the failure must hold. */
static bool says_why(const char *err)
{
    static const char *const words[FAILING_KINDS][3] = {
        [FAIL_MEMORY] = { "out of memory", "Cannot allocate memory", "fit neither memory" },
        [FAIL_THREAD] = { "no thread", NULL, NULL },
        [FAIL_MAP] = { "Cannot allocate memory", NULL, NULL },
        [FAIL_READ] = { "Input/output error", NULL, NULL },
        [FAIL_OPEN] = { "Too many open files", NULL, NULL },
        [FAIL_WRITE] = { "No space left on device", NULL, NULL },
        [FAIL_FACTS] = { "Input/output error", NULL, NULL },
    };
    for (size_t i = 0; i < COUNT(words[0]); i++) {
        const char *word = words[torture_kind()][i];
        if (word && strstr(err, word))
            return true;
    }
    return false;
}

static void check_output(const command_line *c)
{
    const bool same = got.status == good.status && strcmp(got.out, good.out) == 0;
    const char *end = strchr(got.err, '\n');
    const int shown = end ? (int)(end - got.err) : (int)strlen(got.err);
    if (strstr(got.err, "(null)") || strstr(got.out, "(null)"))
        torture_fault("prints what is NULL: %.*s", shown, got.err);
    if (same || (c->loose && got.status == good.status))
        return;
    if (got.status != EXIT_ERROR || !failing_hit())
        torture_fault("status %d, not %d, %zu bytes, not %zu: %.*s", got.status, good.status,
                      strlen(got.out), strlen(good.out), shown, got.err);
    else if (!is_part(got.out, good.out))
        torture_fault("prints what is not there: %.60s", got.out);
    else if (!says_why(got.err))
        torture_fault("does not say why: %.*s", shown, got.err);
}

/* ---- runs --------------------------------------------------------------------------- */

static void begin_line(const command_line *c)
{
    empty(STDOUT_FILENO);
    empty(STDERR_FILENO);
    place_input(c->input);
}

static void run_line(void *user, bool first)
{
    const command_line *c = user;
    char words[512], *argv[MAX_ARGUMENTS + 1] = { "trawl" };
    int argc = 1;
    snprintf(words, sizeof words, "%s", c->words);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    optind = 0;
    got.status = c->run(argc, argv);
    failing_end();
    fflush(stdout);
    clearerr(stdout);
    read_back(STDOUT_FILENO, got.out);
    read_back(STDERR_FILENO, got.err);
    if (first)
        good = got;
    check_output(c);
    begin_line(c); /* the next one; here nothing fails */
}

#define ANY (KIND(FAIL_MEMORY) | FILES)
#define FILES                                                                                      \
    (KIND(FAIL_MAP) | KIND(FAIL_READ) | KIND(FAIL_OPEN) | KIND(FAIL_WRITE) | KIND(FAIL_FACTS) |    \
     KIND(FAIL_INTERRUPT) | KIND(FAIL_SHORT))
#define ONCE (KIND(FAIL_MEMORY) | KIND(FAIL_READ) | KIND(FAIL_OPEN)) /* of what is large */
#define THREADS (KIND(FAIL_MEMORY) | KIND(FAIL_THREAD))

/* Words of all that reads texts; a line with .png needs libpng. */
static const command_line lines[] = {
    { PIPE, ANY, false, command_grep, "-n -f list text -" },
    { FILE_INPUT, ANY, false, command_grep, "-c -f list text bad\377\tname -" },
    { PIPE, ANY, false, command_grep, "-o -b -f list text -" },
    { NOTHING, ANY, false, command_grep, "-l -i -F BETA text words binary nothing" },
    { NOTHING, ANY, false, command_grep, "-v -m 2 alpha text words" },
    { NOTHING, ANY, false, command_grep, "-a -n beta binary gzip" },
    { NOTHING, ANY | THREADS, false, command_grep, "-r -n alpha tree" },
    { NOTHING, ANY | THREADS, false, command_grep, "--threads 3 -r -c -F alpha tree text" },
    { NOTHING, ONCE | THREADS, false, command_grep, "--threads 3 -n 9999.alpha cut text" },
    { NOTHING, ONCE | THREADS, false, command_grep, /* across the ends of the first two pieces */
      "--threads 3 -n -C30 -e 16060.alpha -e 31500.alpha cut text" },
    { PIPE, ANY, false, command_grep, "-n -C1 --color=always -f list text -" },
    { NOTHING, ANY, false, command_grep, "--heading -T -B1 -A1 -e be text words" },
    { PIPE, ANY, false, command_grep, "--null-data -c al - binary text" },
    { NOTHING, ANY | THREADS, false, command_grep, "-R -n --exclude=z* alpha tree" },
    { NOTHING, ANY | THREADS, false, command_grep, "--ignore -n -g !{x,y}* alpha tree" },
    { NOTHING, ANY, false, command_grep, "--stats --explain -e alpha -e bet text" },
    { PIPE, ANY, false, command_grep, "-f - text" },
    { NOTHING, THREADS, false, command_grep, "--threads 3 --chunks 4 -n alpha large" },
    { NOTHING, ONCE, false, command_grep, "-c beta text long" },
    { NOTHING, ONCE, false, command_grep, "-n -F -f many text" },
    { NOTHING, ANY, false, command_find, "--rules rules --verdicts --format lines text words" },
    { PIPE, ANY, false, command_find, "--rules rules text -" },
    { PIPE, ANY, false, command_find, "--yara yara --count text -" },
    { NOTHING, ANY, false, command_find, "--hex -f ndb -g text words" },
    { NOTHING, ANY, false, command_find, "--hex -f ldb --verdicts --format lines text words" },
    { PIPE, ANY, false, command_find, "-f list text bad\377\tname -" },
    { PIPE, ANY, false, command_find, "--count -f list text bad\377\tname -" },
    { FILE_INPUT, ANY, false, command_find, "--report pairs -f list text -" },
    { PIPE, ANY, false, command_find, "--report longest -e al.*a -e bet+ text -" },
    { FILE_INPUT, ANY, false, command_find, "--report leftmost-longest -i -f words - gzip" },
    { NOTHING, ANY, false, command_find, "-F --max-matches 2 beta text" },
    { PIPE, ANY, false, command_find, "--matched -e be?ta -e [a-z]{3,9} text - fasta" },
    { PIPE, ANY, false, command_find, "-c -e [a-z]+ -e al text - fasta" },
    { NOTHING, ANY, false, command_find, "-r -g -e (?i)ALPHA -f fasta tree text" },
    { NOTHING, ANY, false, command_find, "--bed --iupac --strand both -e RY{1,3} fasta" },
    { NOTHING, ANY, false, command_find, "--record-number --json -e al sam genbank odd" },
    { NOTHING, ANY, false, command_find, "--iupac --named -f rebase odd" },
    { NOTHING, ANY, false, command_find, "--circular --matched --gff3 -e a{2,4} fasta" },
    { NOTHING, ANY, false, command_find, "--circular --matched -e [a-z]{2,4} fasta" },
    { NOTHING, ANY, false, command_find, "--engine wm --wm-block 2 --syntax literal beta text" },
    { PIPE, ANY, false, command_find, "--json -f list text bad\377\tname -" },
    { PIPE, ANY, false, command_find, "--json --count -f list text bad\377\tname -" },
    { NOTHING, ANY, false, command_find, "--report longest needle+.* packed.gz packed.xz" },
    { NOTHING, ANY, false, command_find, "-e needle packed.gz packed.tgz packed.zip" },
    { NOTHING, ANY, false, command_find, "--count 9 packed.zip packed.tgz packed.xz" },
    { NOTHING, ANY, false, command_find, "-f list --report pairs fasta fastq" },
    { NOTHING, ANY, false, command_find, "--json -e alpha fastq fasta" },
    { NOTHING, ANY, false, command_find, "--circular -e [a-z]{2,40} -e alpha fasta fastq text" },
    { NOTHING, ANY, false, command_grep, "-n --decompress needle packed.gz text packed.xz" },
    { PIPE, ANY, false, command_grep, "-c --decompress --threads 3 alpha packed.gz - tree cut" },
    { PIPE, ANY, false, command_find, "--format lines --count alpha - text" },
    { NOTHING, THREADS, false, command_find, "--threads 3 --chunks 4 --count alpha large" },
    { NOTHING, THREADS, false, command_find, "--backend threads --threads 2 --chunks 9 a large" },
    { NOTHING, ANY, false, command_grid, "-n pair.pgm text.pgm" },
    { NOTHING, ANY, false, command_grid, "--count -n pair.pgm -n pair.pgm text.pgm wide.ppm" },
    { NOTHING, ANY, false, command_grid, "--as grey -n pair.pgm text.pgm wide.ppm bits.pbm" },
    { NOTHING, ANY, false, command_grid, "--as rgb -n wide.ppm wide.ppm text.pgm" },
    { NOTHING, ANY, false, command_grid, "-n wide.ppm wide.ppm" },
    { FILE_INPUT, ANY, false, command_grid, "-n pair.pgm -" },
    { NOTHING, ANY, false, command_grid, "--as rgba -n palette.png palette.png text.pgm" },
    { NOTHING, ANY, false, command_grid, "-n bits.pbm --max-matches 1 --stats bits.pbm" },
    { NOTHING, ANY, false, command_grid,
      "--dtype u1 --shape 2x3 --needle-shape 1x2 -n pair --threads 2 raw" },
    { NOTHING, ANY, false, command_grid, "--json -n pair.pgm -n pair.pgm text.pgm" },
    { NOTHING, ANY, false, command_grid, "--json --count -n pair.pgm text.pgm wide.ppm" },
    { NOTHING, ANY, false, command_grid, "-n pair.pgm interlaced.png" },
    { NOTHING, ANY, false, command_grid, "-n palette.png palette.png" },
    { NOTHING, ANY, false, command_grid, "-n wide.ppm wide.png" },
    { NOTHING, ANY, false, command_grid, "--as grey -n pair.pgm interlaced.png palette.png" },
    { NOTHING, ANY, false, command_grid, "--csv --box -n pixels.bmp pixels.bmp runs.bmp" },
    { NOTHING, ANY, false, command_grid,
      "--mask pair.pgm --tolerance 1 --wrong 1 --within 1,0,3,4 -n pair.pgm text.pgm" },
    { NOTHING, ANY, false, command_grid, "--as rgb --alpha-mask -n palette.png palette.png" },
    { NOTHING, ANY, false, command_grid, "--annotate framed.png -n pair.pgm text.pgm" },
    { NOTHING, ANY, false, command_compile, "--hex --stats -i -f ndb -o signatures.trawl" },
    { NOTHING, ANY, false, command_compile, "--sample text -e (?i)alpha -e bet+ -o find.trawl" },
    { NOTHING, ANY, false, command_compile, "--grep -w -f list -o grep.trawl" },
    { NOTHING, ANY, false, command_info, "--patterns signatures.trawl find.trawl grep.trawl" },
    { NOTHING, ANY, false, command_info, "--json --patterns signatures.trawl text" },
    { NOTHING, ANY, false, command_find, "--plan signatures.trawl text words" },
    { PIPE, ANY, false, command_find, "--count --plan find.trawl text -" },
    { NOTHING, ANY, false, command_grep, "-n -o --plan grep.trawl text words" },
    { NOTHING, ANY, false, command_engines, "" },
    { NOTHING, ANY, false, command_engines, "--json" },
    { NOTHING, ANY, true, command_devices, "" },
    { NOTHING, ANY, true, command_devices, "--json" },
    { NOTHING, ANY, false, command_devices, "--tuning" },
};

static const char *name_of(int (*run)(int argc, char **argv))
{
    return run == command_grep      ? "grep"
           : run == command_find    ? "find"
           : run == command_grid    ? "grid"
           : run == command_compile ? "compile"
           : run == command_info    ? "info"
           : run == command_engines ? "engines"
                                    : "devices";
}

static bool is_built(const char *words)
{
#ifndef TRAWL_HAVE_PNG
    if (strstr(words, ".png"))
        return false;
#endif
    return words;
}

void torture_command(void)
{
    char remove[64];
    const int before = open(".", O_RDONLY | O_CLOEXEC);
    if (before < 0 || !mkdtemp(folder) || chdir(folder) != 0)
        abort();
    make_files();
    lead_away();
    for (size_t i = 0; i < COUNT(lines); i++) {
        command_line c = lines[i];
        begin_line(&c);
        if (is_built(c.words))
            torture(c.kinds, run_line, &c, "%s %s", name_of(c.run), c.words);
    }
    lead_back();
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    if (fchdir(before) != 0 || close(before) != 0 || system(remove) != 0)
        abort();
}
