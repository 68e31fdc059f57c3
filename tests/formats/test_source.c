/* test_source.c: files that fail, shrink or change while they are read. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/sources/source.h"

#include <cmocka.h>

static size_t page;

/* ---- a file that can be read up to some place, then no more: our own memory ---- */

/* Lines, and after them memory that cannot be read, as standard input. */
static bool broken_input(const char *lines, void **map)
{
    char path[] = "/tmp/trawl-broken-XXXXXX";
    const size_t length = strlen(lines);
    const int backing = mkstemp(path), memory = open("/proc/self/mem", O_RDONLY);
    unlink(path);
    assert_true(backing >= 0);
    assert_int_equal(ftruncate(backing, (off_t)(2 * page)), 0);
    *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, backing, 0);
    assert_true(*map != MAP_FAILED);
    close(backing);
    char *begin = (char *)*map + page - length;
    memcpy(begin, lines, length);
    munmap((char *)*map + page, page);
    if (memory < 0 || lseek(memory, (off_t)(uintptr_t)begin, SEEK_SET) < 0)
        return false;
    dup2(memory, STDIN_FILENO);
    close(memory);
    return true;
}

static void test_read_error(void **state)
{
    static const char lines[] = "one\ntwo\nhalf a li";
    source s;
    void *map;
    uint8_t *text;
    size_t length;
    (void)state;
    if (!broken_input(lines, &map))
        skip();
    assert_true(source_open(&s, "-"));
    assert_true(source_lines(&s, &text, &length));
    assert_int_equal(length, 8);
    assert_memory_equal(text, lines, 8);
    assert_false(source_lines(&s, &text, &length));
    assert_string_equal(s.why, strerror(EIO));
    source_close(&s);
    munmap(map, page);
}

static void test_read_error_of_bytes(void **state)
{
    source s;
    void *map;
    char bytes[64];
    (void)state;
    if (!broken_input("1234567890", &map))
        skip();
    assert_true(source_open(&s, "-"));
    assert_int_equal(source_read(&s, bytes, sizeof bytes), 10);
    assert_int_equal(source_read(&s, bytes, sizeof bytes), -1);
    assert_string_equal(s.why, strerror(EIO));
    source_close(&s);
    munmap(map, page);
}

/* ---- files that lose their end -------------------------------------------------- */

/* A file of `pages` pages of lines "0123456", open as s and for writing as *other. */
static void open_pages(source *s, size_t pages, int *other)
{
    char path[] = "/tmp/trawl-source-XXXXXX";
    *other = mkstemp(path);
    assert_true(*other >= 0);
    for (size_t i = 0; i < pages * page; i += 8)
        assert_int_equal(write(*other, "0123456\n", 8), 8);
    assert_true(source_open(s, path));
    unlink(path);
}

static void test_mapped(void **state)
{
    source s;
    int other;
    const uint8_t *text;
    size_t length;
    (void)state;
    guard_install(); /* cmocka has a handler of its own for each test */
    open_pages(&s, 8, &other);
    assert_true(source_map(&s, &text, &length));
    assert_int_equal(length, 8 * page);
    assert_int_equal(source_sound(&s), 8 * page);
    assert_false(source_lost(&s, 8 * page));

    /* within a page nothing is raised, and only the size tells */
    assert_int_equal(ftruncate(other, (off_t)(7 * page + 8)), 0);
    assert_int_equal(text[7 * page + 8], 0);
    assert_int_equal(source_sound(&s), 7 * page + 8);

    assert_int_equal(ftruncate(other, (off_t)(3 * page + 80)), 0);
    assert_int_equal(text[6 * page + 5], 0);
    assert_true(source_lost(&s, 6 * page + 1));
    assert_false(source_lost(&s, 6 * page));
    assert_int_equal(text[4 * page], 0);
    assert_false(source_lost(&s, 4 * page));
    assert_true(source_lost(&s, 4 * page + 1));
    assert_int_equal(text[3 * page + 7], '\n');
    assert_int_equal(source_sound(&s), 3 * page + 80);
    assert_non_null(strstr(s.why, "was shortened"));

    /* grown again: what was lost stays so */
    assert_int_equal(ftruncate(other, (off_t)(8 * page)), 0);
    assert_int_equal(source_sound(&s), 4 * page);
    assert_non_null(strstr(s.why, "changed while"));
    close(other);
    source_close(&s);
}

static void test_read_lines(void **state)
{
    const size_t pages = (3u << 20) / page;
    source s;
    int other;
    uint8_t *text;
    size_t length;
    (void)state;
    open_pages(&s, pages, &other);
    assert_true(source_lines(&s, &text, &length));
    assert_int_equal(length, 1u << 20);
    assert_int_equal(ftruncate(other, (2 << 20) + 3), 0);
    assert_true(source_lines(&s, &text, &length));
    assert_int_equal(length, 1u << 20);
    assert_false(source_lines(&s, &text, &length));
    assert_non_null(strstr(s.why, "was shortened"));

    /* the same source, another file, which grows */
    source_close(&s);
    close(other);
    open_pages(&s, 1, &other);
    assert_int_equal(write(other, "more\n", 5), 5);
    assert_true(source_lines(&s, &text, &length));
    assert_int_equal(length, page);
    assert_true(source_lines(&s, &text, &length));
    assert_int_equal(length, 0);
    close(other);
    source_close(&s);
}

/* ---- a text that does not begin where its file does ------------------------------ */

static void test_positioned(void **state)
{
    const uint8_t *text;
    uint8_t *lines;
    source s, input;
    int other;
    size_t length;
    (void)state;
    guard_install();
    open_pages(&s, 2, &other);
    dup2(other, STDIN_FILENO);
    lseek(STDIN_FILENO, 8 * 5 + 4, SEEK_SET);
    assert_true(source_open(&input, "-"));
    assert_true(source_map(&input, &text, &length));
    assert_int_equal(length, 2 * page - 44);
    assert_memory_equal(text, "456\n0123", 8);
    assert_int_equal(ftruncate(other, (off_t)page), 0);
    assert_int_equal(text[page - 44], 0);
    assert_int_equal(source_sound(&input), page - 44);
    source_leave(&input, 4);
    source_close(&input);
    assert_int_equal(lseek(STDIN_FILENO, 0, SEEK_CUR), 48);

    assert_true(source_open(&input, "-"));
    assert_true(source_peek(&input, &text, &length));
    assert_int_equal(length, page - 48);
    assert_true(source_lines(&input, &lines, &length));
    assert_int_equal(length, page - 48);
    source_leave(&input, 8);
    source_close(&input);
    assert_int_equal(lseek(STDIN_FILENO, 0, SEEK_CUR), 56);
    lseek(STDIN_FILENO, 0, SEEK_END);
    assert_true(source_open(&input, "-"));
    assert_true(source_lines(&input, &lines, &length));
    assert_int_equal(length, 0);
    source_close(&input);
    close(other);
    source_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_error), cmocka_unit_test(test_read_error_of_bytes),
        cmocka_unit_test(test_mapped),     cmocka_unit_test(test_read_lines),
        cmocka_unit_test(test_positioned),
    };
    page = (size_t)sysconf(_SC_PAGESIZE);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
