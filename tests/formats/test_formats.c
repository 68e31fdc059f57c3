/* test_formats.c: the calls of trawl/formats.h, as a program has them that knows nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl/formats.h"

#include <cmocka.h>

static trawl_file_error warned;
static unsigned warnings;

static void note(const trawl_file_error *warning, void *user)
{
    assert_ptr_equal(user, &warned);
    warned = *warning;
    warnings++;
}

/* Everything that a reader gives, as "text|format|name:number=bytes/qualities ...", with "~" after
 * what is cut off, or "text!line message"; it is closed. */
static const char *all_of(trawl_reader *reader)
{
    static char said[4096];
    trawl_records records = TRAWL_RECORDS_INIT;
    trawl_file_error error;
    size_t at = 0;
    int status;
    said[0] = '\0';
    while ((status = trawl_reader_next(reader, &records, &error)) != TRAWL_END) {
        if (status < 0) {
            assert_int_equal(error.code, status);
            at += (size_t)snprintf(said + at, sizeof said - at, "%s!%d %s ", error.text,
                                   (int)error.line, error.message);
            continue;
        }
        assert_true(records.count > 0);
        if (records.first == 1)
            at += (size_t)snprintf(said + at, sizeof said - at, "%s|%u|", records.text,
                                   records.format);
        for (size_t i = 0; i < records.count; i++) {
            const trawl_text *t = &records.texts[i];
            at += (size_t)snprintf(said + at, sizeof said - at, "%s:%d=%.*s%s%.*s ",
                                   records.names ? records.names[i] : "", (int)(records.first + i),
                                   (int)t->length, (const char *)t->bytes,
                                   records.qualities ? "/" : "",
                                   records.qualities ? (int)t->length : 0,
                                   records.qualities ? (const char *)records.qualities[i] : "");
        }
        at += (size_t)snprintf(said + at, sizeof said - at, records.cut ? "~ " : "");
    }
    assert_int_equal(trawl_reader_next(reader, &records, &error), TRAWL_END);
    trawl_reader_close(reader);
    return said;
}

static uint32_t keeping = TRAWL_READ_QUALITIES; /* or 0 */

static const char *read_as(uint32_t format, const char *text, size_t length)
{
    trawl_reader_options options = TRAWL_READER_OPTIONS_INIT;
    trawl_reader *reader;
    options.format = format;
    options.flags = keeping;
    options.warn = note;
    options.user = &warned;
    warnings = 0;
    assert_int_equal(trawl_reader_open_memory(text, length, "f", &options, &reader, NULL),
                     TRAWL_OK);
    return all_of(reader);
}

#define READ(format, text) read_as(TRAWL_FORMAT_##format, text, sizeof(text) - 1)

static void test_records(void **state)
{
    (void)state;
    assert_string_equal(READ(AUTO, ">a x\nAC\nGT\n>b\nN\n"), "f|3|a:1=ACGT b:2=N ");
    assert_string_equal(READ(AUTO, "@a\nAC\n+\nIJ\n"), "f|4|a:1=AC/IJ ");
    assert_string_equal(READ(AUTO, "@HD\tVN:1\nr\t4\t*\t0\t0\t*\t*\t0\t0\tAC\t*\n"), "f|5|r:1=AC ");
    assert_string_equal(READ(AUTO, "LOCUS       X\nORIGIN\n 1 ac\n//\n"), "f|6|X:1=ac ");
    assert_string_equal(READ(AUTO, "words\nlines\n"), "f|2|:1=words\nlines\n ");
    assert_string_equal(READ(LINES, "words\nlines"), "f|1|:1=words :2=lines ");
    assert_string_equal(READ(TEXT, ">a\nAC\n"), "f|2|:1=>a\nAC\n ");
    assert_string_equal(READ(AUTO, ""), "f|2|:1= ");
    assert_int_equal(warnings, 0);
}

/* What came before the damage is given first; names and lines stand apart from the words. */
static void test_damage(void **state)
{
    (void)state;
    assert_string_equal(
        READ(FASTQ, "@a\nAC\n+\nII\n@b\nA\n+\nIII\n"),
        "f|4|a:1=AC/II b:2=A/I ~ f!8 more qualities than the 1 letters of the record "
        "that begins on line 5 ");
    assert_string_equal(READ(FASTA, "ACGT\n"),
                        "f!1 a record of FASTA should begin here, with '>' ");
    assert_non_null(strstr(READ(AUTO, "CRAM\3\0 and more"), "f!0 is CRAM, "));
    READ(AUTO, ">a\nACGT\nAC?T\n");
    assert_int_equal(warnings, 1);
    assert_int_equal(warned.line, 3);
    assert_int_equal(warned.code, TRAWL_OK);
    assert_string_equal(warned.text, "f");
    assert_non_null(strstr(warned.message, "has a byte that is no letter of a sequence ('?')"));
    READ(FASTA, ">a\nACGT\nAC?T\n");
    assert_int_equal(warnings, 0); /* the format was said */
}

/* A record that the end of a damaged text falls into is given as one that is cut off, and none
 * else is. */
static void test_cut_off(void **state)
{
    static const char all[] = ">a\nACGT\n>b\nGGTT\n";
    const size_t length = sizeof all - 1;
    char packed[100] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01";
    (void)state;
    packed[11] = (char)length; /* a block that is stored as it is */
    packed[13] = (char)~length;
    packed[12] = 0;
    packed[14] = (char)0xff;
    memcpy(packed + 15, all, length);
    const char *said = read_as(TRAWL_FORMAT_AUTO, packed, 15 + length - 3);
    if (strstr(said, "install")) {
        print_message("skipped: gzip, which nothing here unpacks\n");
    } else {
        assert_non_null(strstr(said, "f|3|a:1=ACGT b:2=GG ~ f!0 "));
        said = read_as(TRAWL_FORMAT_LINES, packed, 15 + length - 3);
        assert_non_null(strstr(said, ":3=>b :4=GG ~ f!0 "));
        said = read_as(TRAWL_FORMAT_TEXT, packed, 15 + length - 3);
        assert_non_null(strstr(said, ":1=>a\nACGT\n>b\nGG ~ f!0 "));
    }
    assert_string_equal(READ(AUTO, "@a\nAC\n+\nII\n@b\nACG\n+\nI"),
                        "f|4|a:1=AC/II b:2=ACG/I!! ~ f!8 the text ends within a record, which "
                        "begins on line 5 ");
    assert_non_null(strstr(READ(FASTQ, "@a\nAC\n+\nII\nx"), "a:1=AC/II f!5 "));
    keeping = 0;
    assert_non_null(strstr(READ(AUTO, "@a\nAC\n+\nII\n@b\nACG\n+\nI"), "b:2=ACG ~ f!8 "));
    assert_non_null(strstr(READ(AUTO, "@a\nAC\n+\nII\n@b\nACG\n+\nIIIII\n"), "b:2=ACG ~ f!8 "));
    keeping = TRAWL_READ_QUALITIES;
    assert_non_null(
        strstr(READ(AUTO, "LOCUS       X\nORIGIN\n 1 acgt\n"), "|X:1=acgt ~ f!0 is cut"));
    assert_non_null(strstr(READ(AUTO, "LOCUS       X\nORIGIN\n 1 ac?gt\n//\n"), "X:1=ac ~ f!3 "));
    assert_non_null(strstr(READ(GENBANK, "ORIGIN\n 1 acgt\n"), ":1=acgt ~ f!0 is cut"));
    assert_string_equal(READ(AUTO, "@HD\tVN:1\nr\t4\t*\t0\t0\t*\t*\t0\t0\tACG"),
                        "f|5|r:1=ACG ~ f!2 an alignment of SAM has eleven columns at least, with "
                        "tabs between them ");
}

/* An entry has its own name, or none. */
static void test_entries(void **state)
{
    (void)state;
    assert_string_equal(READ(GENBANK, "LOCUS       X\nORIGIN\n 1 ac\n//\n"
                                      "LOCUS       \nORIGIN\n 1 gg\n//\n"
                                      "ORIGIN\n 1 tt\n//\n"
                                      "ID   Y; SV 2; linear\nSQ   x\n ac 2\n//\n"
                                      "ID   ;\nSQ   x\n gg 2\n//\n"),
                        "f|6|X:1=ac :2=gg :3=tt Y.2:4=ac :5=gg ");
}

/* Two members of a tar archive, of which the first is damaged; and the first half of another. */
static void test_members(void **state)
{
    static char tar[4096];
    static const char *const names[] = { "one.fq", "two.fa" };
    static const char *const texts[] = { "@a\nAC\n+\nIII\n", ">b\nGG\n" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char *head = tar + 1024 * i;
        unsigned sum = 0;
        snprintf(head, 100, "%s", names[i]);
        snprintf(head + 100, 8, "%07o", 0644);
        snprintf(head + 124, 12, "%011o", (unsigned)strlen(texts[i]));
        snprintf(head + 136, 12, "%011o", 0);
        memcpy(head + 257,
               "ustar\0"
               "00",
               8);
        head[156] = '0';
        memset(head + 148, ' ', 8);
        for (size_t k = 0; k < 512; k++)
            sum += (unsigned char)head[k];
        snprintf(head + 148, 8, "%06o", sum);
        memcpy(head + 512, texts[i], strlen(texts[i]));
    }
    const char *said = read_as(TRAWL_FORMAT_AUTO, tar, sizeof tar);
    if (strstr(said, "libarchive")) {
        print_message("skipped: archives, without libarchive\n");
        return;
    }
    assert_string_equal(said,
                        "f:one.fq|4|a:1=AC/II ~ f:one.fq!4 more qualities than the 2 letters of "
                        "the record that begins on line 1 f:two.fa|3|b:1=GG ");
    said = read_as(TRAWL_FORMAT_AUTO, tar, 1024 + 512 + 4);
    assert_non_null(strstr(said, "f:two.fa|3|b:1=G ~ f:two.fa!0 "));
}

static void test_files(void **state)
{
    char path[] = "/tmp/trawl-formats-XXXXXX";
    trawl_reader *reader;
    trawl_file_error error;
    const int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0 && write(fd, ">a\nAC\n", 6) == 6);
    close(fd);
    assert_int_equal(trawl_reader_open(path, NULL, &reader, &error), TRAWL_OK);
    assert_non_null(strstr(all_of(reader), "|3|a:1=AC "));
    unlink(path);
    assert_int_equal(trawl_reader_open(path, NULL, &reader, &error), TRAWL_ERROR_ARGUMENT);
    assert_null(reader);
    assert_string_equal(error.text, path);
    assert_string_equal(error.message, "cannot be opened: No such file or directory");
    assert_int_equal(trawl_reader_open(path, NULL, &reader, NULL), TRAWL_ERROR_ARGUMENT);
    trawl_reader_close(NULL);
}

static int add_end(const trawl_match *matches, size_t count, void *user)
{
    char *said = user;
    for (size_t i = 0; i < count; i++)
        sprintf(said + strlen(said), "%u:%d ", (unsigned)matches[i].id, (int)matches[i].end);
    return 0;
}

static const trawl_compile_options *compiling; /* as */

/* The ids and ends of what a file's patterns find in a text, after each pattern's "NAME@LINE ". */
static const char *found_by(uint32_t kind, uint32_t syntax, const char *content, const char *text)
{
    static char said[1000];
    char path[] = "/tmp/trawl-formats-XXXXXX";
    trawl_patterns_options options = TRAWL_PATTERNS_OPTIONS_INIT;
    trawl_patterns *patterns;
    trawl_file_error error;
    trawl_plan *plan;
    trawl_context *context;
    size_t count;
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content));
    close(fd);
    options.kind = kind;
    options.syntax = syntax;
    options.warn = note;
    options.user = &warned;
    warnings = 0;
    const int status = trawl_patterns_open(path, &options, &patterns, &error);
    unlink(path);
    if (status != TRAWL_OK) {
        assert_null(patterns);
        assert_string_equal(error.text, path);
        snprintf(said, sizeof said, "!%d %s", (int)error.line, error.message);
        return said;
    }
    const trawl_pattern *all = trawl_patterns_get(patterns, &count);
    said[0] = '\0';
    for (size_t i = 0; i < count; i++)
        sprintf(said + strlen(said), "%s@%d ", all[i].name ? all[i].name : "",
                (int)trawl_patterns_line(patterns, i));
    assert_int_equal(trawl_patterns_line(patterns, count), 0);
    assert_int_equal(trawl_patterns_compile(patterns, compiling, &plan, NULL), TRAWL_OK);
    trawl_patterns_close(patterns);
    assert_int_equal(trawl_context_open(NULL, &context, NULL), TRAWL_OK);
    assert_true(trawl_scan(context, plan, text, strlen(text), NULL, add_end, said, NULL) >= 0);
    trawl_context_close(context);
    trawl_plan_free(plan);
    return said;
}

/* What the file asks of a match (YARA's fullword, at the begin of a text) is in the plan. */
static void test_patterns(void **state)
{
    (void)state;
    assert_string_equal(found_by(TRAWL_PATTERNS_LIST, TRAWL_SYNTAX_LITERAL, "he\nshe\n", "ushers"),
                        "@1 @2 2:4 1:4 ");
    assert_string_equal(
        found_by(TRAWL_PATTERNS_NAMED, TRAWL_SYNTAX_IUPAC, "EcoRI\tGAATTC\nany\tN\n", "GAATTC"),
        "EcoRI@1 any@2 2:1 2:2 2:3 2:4 2:5 1:6 2:6 ");
    assert_string_equal(
        found_by(TRAWL_PATTERNS_LIST, TRAWL_SYNTAX_IUPAC, ">a x\nGAA\nTTC\n", "GAATTC"),
        "a@1 1:6 ");
    assert_string_equal(found_by(TRAWL_PATTERNS_YARA, 0,
                                 "rule r { strings: $a = \"ab\" fullword condition: $a }\n",
                                 "abc ab"),
                        "r:$a@1 1:6 ");
    assert_string_equal(found_by(TRAWL_PATTERNS_LIST, 0, "", ""), "!0 has no patterns");
    assert_int_equal(warnings, 0);
    const char *said = found_by(TRAWL_PATTERNS_RULES, 0,
                                "alert tcp any any -> any any (content:\"ab\"; sid:7;)\n"
                                "alert nonsense\n",
                                "xab");
    assert_string_equal(said, "ab@1 7:3 ");
    assert_int_equal(warnings, 1);
    assert_int_equal(warned.line, 2);
    trawl_patterns *patterns;
    trawl_file_error error;
    assert_int_equal(trawl_patterns_open("/nowhere/list", NULL, &patterns, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_string_equal(error.text, "/nowhere/list");
    trawl_patterns_close(NULL);
}

/* What a file asks for holds whichever library the caller's struct was made for. */
static void test_older_options(void **state)
{
    static const char rule[] = "rule r { strings: $a = \"ab\" fullword condition: $a }\n";
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    struct {
        trawl_compile_options known;
        uint64_t more;
    } newer = { TRAWL_COMPILE_OPTIONS_INIT, 0 };
    trawl_patterns *patterns;
    trawl_plan *plan;
    trawl_error error;
    (void)state;
    compiling = &options;
    options.size = offsetof(trawl_compile_options, likeness);
    assert_string_equal(found_by(TRAWL_PATTERNS_YARA, 0, rule, "abc ab"), "r:$a@1 1:6 ");
    newer.known.size = sizeof newer;
    compiling = &newer.known;
    assert_string_equal(found_by(TRAWL_PATTERNS_YARA, 0, rule, "abc ab"), "r:$a@1 1:6 ");
    compiling = NULL;
    char path[] = "/tmp/trawl-formats-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "ab\n", 3) == 3);
    close(fd);
    assert_int_equal(trawl_patterns_open(path, NULL, &patterns, NULL), TRAWL_OK);
    unlink(path);
    newer.more = 1;
    options.size = sizeof(size_t);
    const trawl_compile_options *const refused[] = { &newer.known, &options };
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(trawl_patterns_compile(patterns, refused[i], &plan, &error),
                         TRAWL_ERROR_ARGUMENT);
        assert_int_equal(error.code, TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "trawl_compile_options of "));
        assert_null(plan);
    }
    trawl_patterns_close(patterns);
}

/* What is told of a YARA file, as "line message" of the last one, after what is found. */
static const char *found_by_yara(const char *content, unsigned count)
{
    static char said[1200];
    const char *found = found_by(TRAWL_PATTERNS_YARA, 0, content, "ab cd");
    assert_int_equal(warnings, count);
    snprintf(said, sizeof said, "%s%d %s", found, count ? (int)warned.line : 0,
             count ? warned.message : "");
    return said;
}

#define RULE(name, string) "rule " name " { strings: " string " condition: any of them }\n"

/* What yara refuses is told with its line, and goes. */
static void test_yara(void **state)
{
    (void)state;
    assert_string_equal(found_by_yara(RULE("r", "$a = \"ab\"") "\n" RULE("r", "$b = \"cd\"")
                                          RULE("s", "$a = \"cd\""),
                                      1),
                        "r:$a@1 s:$a@4 1:2 2:5 3 r: left out: another rule before it has the same "
                        "name");
    assert_string_equal(found_by_yara(RULE("r", "$a = \"ab\"\n$ = \"cd\"\n$ = \"ab\"\n$a = /cd/")
                                          RULE("s", "$a = \"cd\""),
                                      1),
                        "s:$a@5 1:5 4 r: left out: another string of the rule has the same name");
    assert_string_equal(found_by_yara(RULE("r", "$ = \"ab\" $ = \"cd\""), 0),
                        "r:$@1 r:$@1 1:2 2:5 0 ");
    assert_string_equal(
        found_by_yara(RULE("r", "$a = \"ab\"") "\n/* open\n" RULE("s", "$a = \"cd\""), 1),
        "r:$a@1 1:2 3 the comment is not closed: what follows is left out");
    assert_string_equal(found_by_yara("rule r { strings: $a = \"ab\" /* open\n", 2),
                        "!0 has no patterns1 r: left out: the rule is not closed");
    assert_string_equal(
        found_by_yara(RULE("r", "$a = \"ab\"") "\nfoo bar \"x\n" RULE("s", "$a = \"cd\""), 1),
        "r:$a@1 s:$a@4 1:2 2:5 3 left out: 'foo' and what follows, up to the next "
        "rule, import or include");
    assert_string_equal(
        found_by_yara(RULE("r", "$a = \"ab\"") "import pe " RULE("s", "$a = \"cd\""), 1),
        "r:$a@1 s:$a@2 1:2 2:5 2 left out: 'import' and what follows, up to the "
        "next rule, import or include");
    assert_string_equal(
        found_by_yara("import \"pe\"\nprivate global " RULE("s : t u", "$a = \"cd\""), 0),
        "s:$a@2 1:5 0 ");
    assert_string_equal(found_by_yara("words\n" RULE("s", "$a = \"cd\""), 0),
                        "!1 a YARA file is made of rules: rule NAME { strings: ... }0 ");
}

/* The sid is that of all contents, wherever it stands. */
static void test_sids(void **state)
{
    (void)state;
    assert_string_equal(found_by(TRAWL_PATTERNS_RULES, 0,
                                 "alert tcp any any -> any any (sid:7; content:\"ab\";)\n"
                                 "alert tcp any any -> any any (content:\"x\"; sid:8; "
                                 "content:\"b\";)\n",
                                 "xab"),
                        "ab@1 x@2 b@2 8:1 7:3 8:3 ");
    assert_int_equal(warnings, 0);
}

static void test_rules(void **state)
{
    static const char content[] =
        "alert tcp any any -> any 80 (msg:\"both\"; content:\"ab\"; content:\"cd\"; sid:7;)\n"
        "alert udp any any -> any any (msg:\"other\"; content:\"ab\"; sid:8;)\n"
        "alert tcp any any -> any any (msg:\"not\"; content:\"ab\"; content:!\"cd\"; sid:9;)\n";
    static const struct {
        const char *record, *flow, *want;
    } cases[] = {
        { "xab cd", "tcp 10.0.0.1:9 > 10.0.0.2:80", "7 both " },
        { "xab cd", "tcp 10.0.0.1:9 > 10.0.0.2:81", "" },
        { "xab", "tcp 10.0.0.1:9 > 10.0.0.2:80", "9 not " },
        { "ab", "udp 10.0.0.1:9 > 10.0.0.2:80", "8 other " },
        { "ab", NULL, "8 other 9 not " },
        { "cd", NULL, "" },
        { "", NULL, "" },
    };
    char path[] = "/tmp/trawl-formats-XXXXXX", said[200];
    trawl_patterns_options options = TRAWL_PATTERNS_OPTIONS_INIT;
    trawl_rules *rules;
    trawl_context *context;
    trawl_file_error error;
    const trawl_held_rule *held;
    size_t count;
    const int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content));
    close(fd);
    options.kind = TRAWL_PATTERNS_RULES;
    assert_int_equal(trawl_rules_open(path, &options, &rules, &error), TRAWL_OK);
    unlink(path);
    assert_int_equal(trawl_context_open(NULL, &context, NULL), TRAWL_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const trawl_text record = { cases[i].record, strlen(cases[i].record) };
        assert_int_equal(
            trawl_rules_judge(rules, context, &record, cases[i].flow, &held, &count, NULL),
            TRAWL_OK);
        said[0] = '\0';
        for (size_t k = 0; k < count; k++)
            sprintf(said + strlen(said), "%u %s ", (unsigned)held[k].sid, held[k].message);
        if (strcmp(said, cases[i].want) != 0)
            fail_msg("%s, %s: %s", cases[i].record, cases[i].flow ? cases[i].flow : "", said);
    }
    trawl_context_close(context);
    trawl_rules_close(rules);
    assert_int_equal(trawl_rules_open(path, &options, &rules, &error), TRAWL_ERROR_ARGUMENT);
    assert_null(rules);
    trawl_rules_close(NULL);
}

static void test_pictures(void **state)
{
    static const char pgm[] = "P5\n3 2\n255\nabcdef";
    trawl_picture_options options = TRAWL_PICTURE_OPTIONS_INIT;
    trawl_picture_info info = TRAWL_PICTURE_INFO_INIT;
    trawl_picture *picture;
    trawl_file_error error;
    (void)state;
    assert_int_equal(trawl_picture_open_memory(pgm, sizeof pgm - 1, "p", NULL, &picture, &error),
                     TRAWL_OK);
    assert_int_equal(trawl_picture_get(picture, &info), TRAWL_OK);
    assert_int_equal(info.grid.rows, 2);
    assert_int_equal(info.grid.cols, 3);
    assert_int_equal(info.cell_size, 1);
    assert_string_equal(info.kind, "grey8");
    assert_memory_equal(info.grid.cells, "abcdef", 6);
    info.size = 8;
    assert_int_equal(trawl_picture_get(picture, &info), TRAWL_ERROR_ARGUMENT);
    info.size = sizeof info;
    trawl_picture_close(picture);
    options.max_bytes = 4;
    assert_int_equal(
        trawl_picture_open_memory(pgm, sizeof pgm - 1, "p", &options, &picture, &error),
        TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "raise it (trawl_picture_options.max_bytes)"));
    options.max_bytes = 0;
    options.as = TRAWL_PICTURE_RGBA;
    assert_int_equal(
        trawl_picture_open_memory(pgm, sizeof pgm - 1, "p", &options, &picture, &error), TRAWL_OK);
    assert_int_equal(trawl_picture_get(picture, &info), TRAWL_OK);
    assert_int_equal(info.cell_size, 4);
    assert_memory_equal(info.grid.cells, "aaa\xff", 4);
    trawl_picture_close(picture);
    options.as = TRAWL_PICTURE_MASK + 1;
    assert_int_equal(
        trawl_picture_open_memory(pgm, sizeof pgm - 1, "p", &options, &picture, &error),
        TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_picture_open_memory(pgm, 12, "p", NULL, &picture, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_null(picture);
    assert_string_equal(error.text, "p");
    assert_true(error.message[0]);
    assert_int_equal(trawl_picture_open("/nowhere/p", NULL, &picture, &error),
                     TRAWL_ERROR_ARGUMENT);
    trawl_picture_close(NULL);
}

static void test_trees(void **state)
{
    static const char *const names[] = { "a", "b/c", "d" };
    char folder[] = "/tmp/trawl-formats-XXXXXX", path[100];
    const char *found;
    trawl_tree *tree;
    trawl_file_error error;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/b", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
    }
    assert_int_equal(trawl_tree_open(folder, 0, &tree, &error), TRAWL_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(trawl_tree_next(tree, &found, &error), TRAWL_OK);
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_string_equal(found, path);
        unlink(path);
    }
    assert_int_equal(trawl_tree_next(tree, &found, &error), TRAWL_END);
    trawl_tree_close(tree);
    snprintf(path, sizeof path, "%s/b", folder);
    rmdir(path);
    rmdir(folder);
    assert_int_equal(trawl_tree_open(folder, 0, &tree, &error), TRAWL_OK);
    assert_int_equal(trawl_tree_next(tree, &found, &error), TRAWL_ERROR_ARGUMENT);
    assert_string_equal(error.text, folder);
    assert_string_equal(error.message, "No such file or directory");
    assert_int_equal(trawl_tree_next(tree, &found, &error), TRAWL_END);
    trawl_tree_close(tree);
    assert_int_equal(trawl_tree_open(folder, 2, &tree, &error), TRAWL_ERROR_ARGUMENT);
    trawl_tree_close(NULL);
}

/* Structs of another library's, and values of none. */
static void test_refused(void **state)
{
    struct {
        trawl_reader_options known;
        uint64_t more;
    } newer = { TRAWL_READER_OPTIONS_INIT, 0 };
    trawl_reader *reader;
    trawl_records records = { 0 };
    trawl_file_error error;
    (void)state;
    newer.known.size = sizeof newer;
    assert_int_equal(trawl_reader_open_memory("", 0, "f", &newer.known, &reader, &error), TRAWL_OK);
    assert_int_equal(trawl_reader_next(reader, &records, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "TRAWL_RECORDS_INIT"));
    trawl_reader_close(reader);
    newer.more = 1;
    assert_int_equal(trawl_reader_open_memory("", 0, "f", &newer.known, &reader, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "link the newer library"));
    newer.known.size = 8;
    assert_int_equal(trawl_reader_open_memory("", 0, "f", &newer.known, &reader, &error),
                     TRAWL_ERROR_ARGUMENT);
    newer.known.size = sizeof newer.known;
    newer.known.format = 8;
    assert_int_equal(trawl_reader_open_memory("", 0, "f", &newer.known, &reader, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "trawl_reader_options.format"));
}

/* Records of several batches, each whole, and one that is longer than a batch. */
static void test_large(void **state)
{
    const size_t count = 40000, longest = 3u << 20;
    char *text = malloc(count * 70 + longest + 100);
    trawl_reader *reader;
    trawl_records records = TRAWL_RECORDS_INIT;
    size_t at = 0, seen = 0, calls = 0;
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        at += (size_t)sprintf(text + at, ">r%zu\n%.*s\n", i, (int)(i % 50),
                              "ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT");
    at += (size_t)sprintf(text + at, ">last\n");
    memset(text + at, 'A', longest);
    at += longest;
    assert_int_equal(trawl_reader_open_memory(text, at, "f", NULL, &reader, NULL), TRAWL_OK);
    while (trawl_reader_next(reader, &records, NULL) == TRAWL_OK) {
        calls++;
        assert_int_equal(records.first, seen + 1);
        for (size_t i = 0; i < records.count; i++, seen++) {
            char name[20];
            snprintf(name, sizeof name, seen < count ? "r%zu" : "last", seen);
            assert_string_equal(records.names[i], name);
            assert_int_equal(records.texts[i].length, seen < count ? seen % 50 : longest);
        }
    }
    assert_int_equal(seen, count + 1);
    assert_true(calls > 2);
    trawl_reader_close(reader);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),       cmocka_unit_test(test_damage),
        cmocka_unit_test(test_members),       cmocka_unit_test(test_files),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_rules),         cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_trees),         cmocka_unit_test(test_large),
        cmocka_unit_test(test_cut_off),       cmocka_unit_test(test_entries),
        cmocka_unit_test(test_older_options), cmocka_unit_test(test_yara),
        cmocka_unit_test(test_sids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
