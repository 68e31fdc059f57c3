/* test_energy.c: the energy meters against powercap folders made here.
 *
 * Every test has a folder of its own under /tmp, filled with zones whose counters the test
 * writes, and takes it down again. There is no GPU to ask: NVML is a library that does not
 * exist.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "energy/energy.h"

#include <cmocka.h>

#define NO_NVML "libtrawl-test-no-such-library.so"

static char root[64];

static void path_of(char path[256], const char *zone, const char *name)
{
    snprintf(path, 256, "%s/%s%s%s", root, zone, *name ? "/" : "", name);
}

static void put(const char *zone, const char *name, const char *content)
{
    char path[256];
    path_of(path, zone, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *zone, const char *name)
{
    char path[256];
    path_of(path, zone, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

/* A zone that counts to 1 kJ. */
static void make_zone(const char *zone, const char *name, const char *energy)
{
    make_folder(zone, "");
    put(zone, "name", name);
    put(zone, "max_energy_range_uj", "1000000000\n");
    put(zone, "energy_uj", energy);
}

static int setup(void **state)
{
    (void)state;
    strcpy(root, "/tmp/test_energy_XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static void clear(const char *folder, int depth)
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    while (open && (entry = readdir(open))) {
        char path[512];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%.200s/%.200s", folder, entry->d_name);
        if (unlink(path) != 0 && depth < 3)
            clear(path, depth + 1);
    }
    if (open)
        closedir(open);
    rmdir(folder);
}

static int teardown(void **state)
{
    (void)state;
    clear(root, 0);
    return 0;
}

static energy_meter *open_root(void)
{
    energy_meter *m = energy_open_at(NO_NVML, root, NULL, 0);
    assert_non_null(m);
    return m;
}

static void assert_joules(energy_reading before, energy_reading after, double joules)
{
    energy_reading used = energy_between(before, after);
    assert_true(used.cpu);
    assert_true(used.cpu_joules > joules - 1e-6 && used.cpu_joules < joules + 1e-6);
}

static void assert_unknown(energy_meter *m, const char *why)
{
    energy_reading r = energy_read(m);
    assert_false(r.cpu);
    if (!strstr(energy_why(m, ENERGY_CPU), why))
        fail_msg("'%s' does not say '%s'", energy_why(m, ENERGY_CPU), why);
    assert_int_equal(energy_count(m, ENERGY_CPU), 0);
}

/* The folder's zones cannot be used, for a reason that says `why`. */
static void assert_refused(const char *why)
{
    energy_meter *m = open_root();
    assert_unknown(m, why);
    energy_close(m);
}

static void test_no_nvml(void **state)
{
    (void)state;
    energy_meter *m = open_root();
    energy_reading r = energy_read(m);
    assert_false(r.gpu);
    assert_true(r.gpu_joules == 0);
    assert_non_null(strstr(energy_why(m, ENERGY_GPU), NO_NVML));
    assert_int_equal(energy_count(m, ENERGY_GPU), 0);
    assert_false(energy_between(r, r).gpu);
    energy_close(m);
    energy_close(NULL);
}

static void test_this_machine(void **state)
{
    (void)state;
    energy_meter *m = energy_open(NULL, 0);
    assert_non_null(m);
    energy_reading before = energy_read(m);
    energy_reading used = energy_between(before, energy_read(m));
    assert_true(used.gpu || energy_why(m, ENERGY_GPU)[0]);
    assert_true(used.cpu || energy_why(m, ENERGY_CPU)[0]);
    assert_true(used.gpu_joules >= 0 && used.cpu_joules >= 0);
    energy_close(m);
}

static void test_absent(void **state)
{
    (void)state;
    assert_refused("has no zone");
    assert_int_equal(rmdir(root), 0);
    assert_refused("No such file");
}

static void test_long_folder_name(void **state)
{
    (void)state;
    char name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    energy_meter *m = energy_open_at(NO_NVML, name, NULL, 0);
    assert_non_null(m);
    assert_unknown(m, "too long");
    energy_close(m);
}

static void test_one_package(void **state)
{
    (void)state;
    make_zone("intel-rapl:0", "package-0\n", "5000000\n");
    energy_meter *m = open_root();
    assert_string_equal(energy_why(m, ENERGY_CPU), "");
    assert_int_equal(energy_count(m, ENERGY_CPU), 1);
    energy_reading a = energy_read(m), b = energy_read(m);
    assert_joules(a, b, 0);
    put("intel-rapl:0", "energy_uj", "7500000\n");
    b = energy_read(m);
    assert_joules(a, b, 2.5);
    put("intel-rapl:0", "energy_uj", "8500000"); /* no newline */
    energy_reading c = energy_read(m);
    assert_joules(b, c, 1);
    assert_joules(a, c, 3.5);
    energy_close(m);
}

static void test_two_packages(void **state)
{
    (void)state;
    make_zone("intel-rapl:0", "package-0\n", "5000000\n");
    make_zone("intel-rapl:1", "package-1\n", "900000000\n");
    /* None of these counts: the board, a part of a package, another interface's view. */
    make_zone("intel-rapl:2", "psys\n", "5000000\n");
    make_zone("intel-rapl:0:0", "core\n", "5000000\n");
    make_zone("intel-rapl-mmio:0", "package-0\n", "5000000\n");
    make_folder("dtpm", "");
    make_folder("intel-rapl", "");
    put("intel-rapl", "enabled", "1\n");
    energy_meter *m = open_root();
    assert_int_equal(energy_count(m, ENERGY_CPU), 2);
    energy_reading a = energy_read(m);
    put("intel-rapl:0", "energy_uj", "6000000\n");
    put("intel-rapl:1", "energy_uj", "920000000\n");
    put("intel-rapl:2", "energy_uj", "30000000\n");
    put("intel-rapl:0:0", "energy_uj", "30000000\n");
    put("intel-rapl-mmio:0", "energy_uj", "30000000\n");
    assert_joules(a, energy_read(m), 21);
    energy_close(m);
}

static void test_no_package_names(void **state)
{
    (void)state;
    make_zone("intel-rapl:0", "dram\n", "0\n");
    make_zone("intel-rapl:10", "", "0\n");
    energy_meter *m = open_root();
    assert_int_equal(energy_count(m, ENERGY_CPU), 2);
    energy_reading a = energy_read(m);
    put("intel-rapl:0", "energy_uj", "1\n");
    put("intel-rapl:10", "energy_uj", "2000000\n");
    assert_joules(a, energy_read(m), 2.000001);
    energy_close(m);
}

static void test_wrap(void **state)
{
    (void)state;
    make_zone("intel-rapl:0", "package-0\n", "999000000\n");
    energy_meter *m = open_root();
    energy_reading a = energy_read(m);
    put("intel-rapl:0", "energy_uj", "500000\n");
    energy_reading b = energy_read(m);
    assert_joules(a, b, 1.5);
    put("intel-rapl:0", "energy_uj", "400000\n"); /* all round, but for a little */
    assert_joules(b, energy_read(m), 999.9);
    put("intel-rapl:0", "energy_uj", "1400000\n");
    assert_joules(a, energy_read(m), 1002.4);
    energy_close(m);
}

static void test_wrap_of_unknown_range(void **state)
{
    (void)state;
    const char *const ranges[] = { "0\n", "garbage\n", "10\n", NULL };
    make_zone("intel-rapl:0", "package-0\n", "500\n");
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        char path[256];
        path_of(path, "intel-rapl:0", "max_energy_range_uj");
        assert_int_equal(unlink(path), 0);
        if (ranges[i])
            put("intel-rapl:0", "max_energy_range_uj", ranges[i]);
        put("intel-rapl:0", "energy_uj", "500\n");
        energy_meter *m = open_root();
        assert_string_equal(energy_why(m, ENERGY_CPU), "");
        energy_reading a = energy_read(m);
        put("intel-rapl:0", "energy_uj", "1000500\n");
        energy_reading b = energy_read(m);
        assert_joules(a, b, 1);
        put("intel-rapl:0", "energy_uj", "400\n");
        assert_unknown(m, "went back");
        assert_false(energy_between(b, energy_read(m)).cpu);
        energy_close(m);
    }
}

static void test_unreadable(void **state)
{
    (void)state;
    char path[256];
    make_zone("intel-rapl:0", "package-0\n", "1\n");
    make_zone("intel-rapl:1", "package-1\n", "1\n");
    path_of(path, "intel-rapl:1", "energy_uj");
    assert_int_equal(unlink(path), 0);
    assert_refused("intel-rapl:1/energy_uj: No such file");
    make_folder("intel-rapl:1", "energy_uj");
    assert_refused("intel-rapl:1/energy_uj: Is a directory");
    assert_int_equal(rmdir(path), 0);
    put("intel-rapl:1", "energy_uj", "1\n");
    if (geteuid() != 0) { /* root reads everything */
        assert_int_equal(chmod(path, 0), 0);
        assert_refused("intel-rapl:1/energy_uj: Permission denied");
        assert_int_equal(chmod(path, 0600), 0);
    }
    /* One that disappears later: from then on nothing is known, also when it comes back. */
    energy_meter *m = open_root();
    energy_reading a = energy_read(m);
    assert_true(a.cpu);
    assert_int_equal(unlink(path), 0);
    assert_unknown(m, "No such file");
    put("intel-rapl:1", "energy_uj", "2\n");
    assert_unknown(m, "No such file");
    assert_false(energy_between(a, energy_read(m)).cpu);
    energy_close(m);
}

static void test_garbage(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "x\n",
        "-1\n",
        "+1\n",
        " 1\n",
        "1 \n",
        "12x\n",
        "0x10\n",
        "\n",
        "99999999999999999999999\n",
        "1111111111111111111111111111111111111111111111111111111111111111111111111111111\n",
    };
    make_zone("intel-rapl:0", "package-0\n", "1\n");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        put("intel-rapl:0", "energy_uj", numbers[i]);
        assert_refused("energy_uj: not a number");
    }
    put("intel-rapl:0", "energy_uj", "");
    assert_refused("energy_uj: empty");
    put("intel-rapl:0", "energy_uj", "18446744073709551615\n");
    energy_meter *m = open_root();
    assert_true(energy_read(m).cpu);
    energy_close(m);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_no_nvml),          TEST(test_this_machine), TEST(test_absent),
        TEST(test_long_folder_name), TEST(test_one_package),  TEST(test_two_packages),
        TEST(test_no_package_names), TEST(test_wrap),         TEST(test_wrap_of_unknown_range),
        TEST(test_unreadable),       TEST(test_garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
