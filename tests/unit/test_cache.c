/* test_cache.c: the disk cache of programs gives back what was stored, or nothing.
 *
 * Whatever becomes of a file, cache_load either returns the stored bytes or says that there is
 * no program; and the next store mends it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device/cache.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define ROUNDS 300

static const char program[] = "a small program, built for some device";
static char root[64], folder[128];

/* Each test has a folder of its own, which does not exist yet. */
static int begin(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/trawl-cache-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    snprintf(folder, sizeof folder, "%s/deep/er", root);
    return setenv("TRAWL_CACHE_DIR", folder, 1);
}

static void remove_all(const char *path)
{
    DIR *files = opendir(path);
    if (files) {
        for (struct dirent *f = readdir(files); f; f = readdir(files)) {
            char inner[512];
            if (strcmp(f->d_name, ".") == 0 || strcmp(f->d_name, "..") == 0)
                continue;
            snprintf(inner, sizeof inner, "%s/%s", path, f->d_name);
            remove_all(inner);
        }
        closedir(files);
    }
    remove(path);
}

static int end(void **state)
{
    (void)state;
    remove_all(root);
    return 0;
}

static memory heap; /* what is loaded */

static cache_key key_of(const char *text)
{
    cache_key key = cache_key_begin();
    cache_key_add(&key, text, strlen(text));
    return key;
}

/* The number of files in the folder, and the path of one. */
static int count_files(char path[512])
{
    int count = 0;
    DIR *files = opendir(folder);
    if (!files)
        return 0;
    for (struct dirent *f = readdir(files); f; f = readdir(files))
        if (f->d_name[0] != '.') {
            snprintf(path, 512, "%s/%s", folder, f->d_name);
            count++;
        }
    closedir(files);
    return count;
}

static bool loads(const cache_key *key, const void *expected, size_t expected_size)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (!cache_load(key, &heap, &bytes, &size))
        return false;
    assert_int_equal(size, expected_size);
    assert_memory_equal(bytes, expected, size);
    memory_give(&heap, bytes);
    return true;
}

static size_t read_file(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void test_stored_and_loaded(void **state)
{
    cache_key key = key_of("one"), other = key_of("two");
    struct stat st;
    char path[512];
    (void)state;
    assert_false(loads(&key, program, sizeof program));
    cache_store(&key, program, sizeof program);
    assert_true(loads(&key, program, sizeof program));
    assert_false(loads(&other, program, sizeof program));
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    cache_store(&key, "new", 3); /* takes the old one's place */
    assert_true(loads(&key, "new", 3));
    assert_int_equal(count_files(path), 1);
    cache_store(&other, "", 0); /* nothing to keep */
    assert_false(loads(&other, "", 0));

    unsigned char *big = malloc(3000000);
    assert_non_null(big);
    for (size_t i = 0; i < 3000000; i++)
        big[i] = (unsigned char)(i * 7 + i / 1000);
    cache_store(&other, big, 3000000);
    assert_true(loads(&other, big, 3000000));
    free(big);
}

static void test_keys_differ(void **state)
{
    cache_key keys[6];
    (void)state;
    for (int i = 0; i < 6; i++)
        keys[i] = cache_key_begin();
    cache_key_add(&keys[1], "ab", 2);
    cache_key_add(&keys[1], "c", 1);
    cache_key_add(&keys[2], "a", 1);
    cache_key_add(&keys[2], "bc", 2);
    cache_key_add(&keys[3], "abc", 3);
    cache_key_add(&keys[4], "abc", 3);
    cache_key_add(&keys[4], "", 0);
    cache_key_add(&keys[5], "abd", 3);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            for (int h = 0; h < 3; h++)
                assert_true(keys[i].hash[h] != keys[j].hash[h]);
}

/* Two keys of one file name: the stored rest of the key tells them apart. */
static void test_same_name(void **state)
{
    cache_key key = key_of("one"), third = key, length = key;
    (void)state;
    third.hash[2]++;
    length.length++;
    cache_store(&key, program, sizeof program);
    assert_false(loads(&third, program, sizeof program));
    assert_false(loads(&length, program, sizeof program));
    cache_store(&third, "other", 5);
    assert_true(loads(&third, "other", 5));
    assert_false(loads(&key, program, sizeof program));
}

static void test_truncated(void **state)
{
    cache_key key = key_of("one");
    unsigned char whole[1024];
    char path[512];
    (void)state;
    cache_store(&key, program, sizeof program);
    assert_int_equal(count_files(path), 1);
    size_t size = read_file(path, whole, sizeof whole - 1);
    for (size_t cut = 0; cut < size; cut++) {
        write_file(path, whole, cut);
        assert_false(loads(&key, program, sizeof program));
    }
    whole[size] = 0;
    write_file(path, whole, size + 1); /* and drawn out */
    assert_false(loads(&key, program, sizeof program));
    cache_store(&key, program, sizeof program);
    assert_true(loads(&key, program, sizeof program));
}

static void test_altered(void **state)
{
    cache_key key = key_of("one");
    unsigned char whole[1024];
    char path[512];
    (void)state;
    cache_store(&key, program, sizeof program);
    assert_int_equal(count_files(path), 1);
    size_t size = read_file(path, whole, sizeof whole);
    assert_true(size > sizeof program && size < sizeof whole);
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            whole[i] ^= (unsigned char)(1 << bit);
            write_file(path, whole, size);
            assert_false(loads(&key, program, sizeof program));
            whole[i] ^= (unsigned char)(1 << bit);
        }
    memset(whole, 0, sizeof whole);
    write_file(path, whole, sizeof whole);
    assert_false(loads(&key, program, sizeof program));
    cache_store(&key, program, sizeof program);
    assert_true(loads(&key, program, sizeof program));
}

/* A folder or a pipe where the file should be. */
static void test_not_a_file(void **state)
{
    cache_key key = key_of("one");
    char path[512];
    (void)state;
    cache_store(&key, program, sizeof program);
    assert_int_equal(count_files(path), 1);
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(loads(&key, program, sizeof program));
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(loads(&key, program, sizeof program));
    cache_store(&key, program, sizeof program);
    assert_false(loads(&key, program, sizeof program));
    assert_int_equal(count_files(path), 1); /* no temporary file was left */
}

static void test_folders(void **state)
{
    cache_key key = key_of("one");
    char path[512];
    (void)state;
    /* Below a file no folder can be made, not even by root. */
    snprintf(path, sizeof path, "%s/file", root);
    write_file(path, (const unsigned char *)"", 0);
    snprintf(path, sizeof path, "%s/file/folder", root);
    setenv("TRAWL_CACHE_DIR", path, 1);
    cache_store(&key, program, sizeof program);
    assert_false(loads(&key, program, sizeof program));

    /* A path too long for us. */
    char *endless = malloc(5000);
    assert_non_null(endless);
    memset(endless, 'x', 4999);
    endless[0] = '/';
    endless[4999] = '\0';
    setenv("TRAWL_CACHE_DIR", endless, 1);
    free(endless);
    cache_store(&key, program, sizeof program);
    assert_false(loads(&key, program, sizeof program));

    /* Empty: switched off, whatever the others say. */
    setenv("TRAWL_CACHE_DIR", "", 1);
    setenv("XDG_CACHE_HOME", root, 1);
    cache_store(&key, program, sizeof program);
    assert_false(loads(&key, program, sizeof program));

    unsetenv("TRAWL_CACHE_DIR");
    cache_store(&key, program, sizeof program);
    assert_true(loads(&key, program, sizeof program));
    snprintf(folder, sizeof folder, "%s/trawl", root);
    assert_int_equal(count_files(path), 1);

    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", root, 1);
    assert_false(loads(&key, program, sizeof program));
    cache_store(&key, program, sizeof program);
    assert_true(loads(&key, program, sizeof program));
    snprintf(folder, sizeof folder, "%s/.cache/trawl", root);
    assert_int_equal(count_files(path), 1);

    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    cache_store(&key, program, sizeof program);
    assert_false(loads(&key, program, sizeof program));
}

/* A writer that stops half way (here: at a limit of the file's size) leaves nothing. */
static void test_failed_write(void **state)
{
    cache_key key = key_of("one");
    unsigned char big[8192] = { 1 };
    char path[512];
    int status = 0;
    (void)state;
    cache_store(&key, program, sizeof program);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = { 4096, 4096 };
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) == 0)
            cache_store(&key, big, sizeof big);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(loads(&key, program, sizeof program));
    assert_int_equal(count_files(path), 1);
}

/* What a killed writer left is removed once it is old, and not before. */
static void test_leftovers(void **state)
{
    cache_key key = key_of("one");
    struct timespec old[2];
    char path[512];
    (void)state;
    cache_store(&key, program, sizeof program);
    for (int i = 0; i < 20; i++) {
        snprintf(path, sizeof path, "%s/trawl-program-being-written-%06d", folder, i);
        write_file(path, (const unsigned char *)"half", 4);
        clock_gettime(CLOCK_REALTIME, &old[0]);
        old[0].tv_sec -= 3600;
        old[1] = old[0];
        if (i > 0)
            assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    }
    snprintf(path, sizeof path, "%s/trawl-program-being-written-by-me", folder); /* not ours */
    write_file(path, (const unsigned char *)"mine", 4);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_int_equal(count_files(path), 22);
    cache_store(&key, program, sizeof program);
    assert_int_equal(count_files(path), 3);
    assert_true(loads(&key, program, sizeof program));
}

/* Two processes write one key over and over, with contents of their own; a reader sees one of
 * the two whole, or at first nothing. */
static void test_two_writers(void **state)
{
    cache_key key = key_of("one");
    static unsigned char contents[2][20000];
    pid_t children[2];
    char path[512];
    (void)state;
    memset(contents[0], 'a', sizeof contents[0]);
    memset(contents[1], 'b', sizeof contents[1]);
    for (int c = 0; c < 2; c++) {
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c] == 0) {
            for (int i = 0; i < ROUNDS; i++)
                cache_store(&key, contents[c], sizeof contents[c] - (size_t)c);
            _exit(0);
        }
    }
    bool seen = false;
    for (int i = 0; i < ROUNDS || !seen; i++) {
        unsigned char *bytes = NULL;
        size_t size = 0;
        bool there = cache_load(&key, &heap, &bytes, &size);
        assert_true(there || !seen);
        if (!there) {
            assert_true(i < 1000000);
            continue;
        }
        seen = true;
        int c = bytes[0] == 'b';
        assert_int_equal(size, sizeof contents[c] - (size_t)c);
        assert_memory_equal(bytes, contents[c], size);
        memory_give(&heap, bytes);
    }
    for (int c = 0; c < 2; c++) {
        int status = 0;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_files(path), 1);
}

int main(void)
{
    memory_open(&heap, NULL, UINT64_MAX, NULL, "free some");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_stored_and_loaded, begin, end),
        cmocka_unit_test_setup_teardown(test_keys_differ, begin, end),
        cmocka_unit_test_setup_teardown(test_same_name, begin, end),
        cmocka_unit_test_setup_teardown(test_truncated, begin, end),
        cmocka_unit_test_setup_teardown(test_altered, begin, end),
        cmocka_unit_test_setup_teardown(test_not_a_file, begin, end),
        cmocka_unit_test_setup_teardown(test_failed_write, begin, end),
        cmocka_unit_test_setup_teardown(test_leftovers, begin, end),
        cmocka_unit_test_setup_teardown(test_two_writers, begin, end),
        cmocka_unit_test_setup_teardown(test_folders, begin, end), /* last: changes HOME */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
