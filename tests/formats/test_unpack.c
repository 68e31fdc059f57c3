/* test_unpack.c: what is in compressed files and archives, from good bytes and from bytes that
 * somebody changed: changed.h. Right is what was compressed.
 */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "changed.h"
#include "formats/records/texts.h"
#include "packed_bytes.h"

#include <cmocka.h>

#define LONGEST ((size_t)1 << 20)

/* ---- what a file holds ----------------------------------------------------- */

typedef struct found {
    unsigned texts, failures, strange;
    char names[1000], why[300];
    uint8_t bytes[LONGEST];
    size_t length;
    content kind; /* of the last */
} found;

static char original[4096];
static size_t original_length;

static void make_original(void)
{
    for (int i = 0; i < 60; i++)
        original_length +=
            (size_t)snprintf(original + original_length, sizeof original - original_length,
                             "%d needle in line %d\n", i, i * i);
}

/* The text, some times over: a compressed file may follow another. Or its first bytes, "two". */
static bool is_original(const found *f)
{
    if (f->length == 200)
        return memcmp(f->bytes, original, 200) == 0;
    for (size_t at = 0; at < f->length; at += original_length)
        if (f->length - at < original_length ||
            memcmp(f->bytes + at, original, original_length) != 0)
            return false;
    return f->length > 0;
}

static bool take(void *user, const char *name, source *text, content kind)
{
    found *f = user;
    ptrdiff_t got;
    f->length = 0;
    f->kind = kind;
    while ((got = source_read(text, f->bytes + f->length, LONGEST - f->length)) > 0)
        f->length += (size_t)got < LONGEST / 2 - f->length ? (size_t)got : 0; /* read on */
    f->texts++;
    f->failures += got < 0;
    if (got < 0)
        snprintf(f->why, sizeof f->why, "%s", text->why);
    /* In a zip file that cannot be positioned a header that says "empty" is believed. */
    f->strange += got == 0 && !is_original(f) && !(f->length == 0 && strchr(name, ':'));
    if (strlen(f->names) + strlen(name) + 2 < sizeof f->names)
        strcat(strcat(f->names, name), "|");
    return true;
}

static found result;
static const char *name_of_file;

static void remove_file(void)
{
    unlink(name_of_file);
}

static const found *look_into_source(source *file, uint64_t ratio)
{
    const unpack_options options = { ratio, 2, NULL };
    texts *t = texts_open(file, "f", &options);
    const char *name, *why;
    source *text;
    content kind;
    assert_non_null(t);
    memset(&result, 0, offsetof(found, bytes));
    result.kind = CONTENT_TEXT;
    for (int got = 1; got;) {
        got = texts_next(t, &name, &text, &kind, &why);
        if (got > 0)
            assert_true(take(&result, name, text, kind));
        if (got < 0) {
            result.failures++;
            snprintf(result.why, sizeof result.why, "%s", why);
        }
    }
    texts_close(t);
    source_close(file);
    return &result;
}

/* What is in these bytes, as they come from a pipe. */
static const found *look_into(const uint8_t *bytes, size_t length, uint64_t ratio)
{
    source_memory memory = { .bytes = bytes, .left = length };
    source file;
    source_open_memory(&file, &memory);
    return look_into_source(&file, ratio);
}

/* And in a file, where a zip file is read from its end. */
static const found *look_into_file(const uint8_t *bytes, size_t length)
{
    static char path[] = "/tmp/trawl-unpack-XXXXXX";
    static int fd = -1;
    source file;
    if (fd < 0) {
        fd = mkstemp(path);
        assert_true(fd >= 0);
        atexit(remove_file);
        name_of_file = path;
    }
    assert_int_equal(pwrite(fd, bytes, length, 0), (ssize_t)length);
    assert_int_equal(ftruncate(fd, (off_t)length), 0);
    assert_true(source_open(&file, path));
    return look_into_source(&file, UNPACK_RATIO);
}

typedef struct packed {
    const char *name;
    const uint8_t *bytes;
    size_t length;
    const char *names; /* of its texts */
    bool sums;         /* every byte that comes out is covered by a sum */
} packed;

#define PACKED(format, names, sums)                                                                \
    {                                                                                              \
#format, format##_bytes, sizeof format##_bytes, names, sums                                \
    }
static const packed formats[] = {
    PACKED(gzip, "f|", true), PACKED(bzip2, "f|", true), PACKED(xz, "f|", true),
    PACKED(zstd, "f|", true), PACKED(lz4, "f|", true),   PACKED(zip, "f:one|f:two|f:three|", true),
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool left_out(const char *name)
{
#ifndef TRAWL_HAVE_ZLIB
    if (strcmp(name, "gzip") == 0 || strcmp(name, "tar") == 0)
        return true;
#endif
#ifndef TRAWL_HAVE_ARCHIVE
    if (strcmp(name, "gzip") != 0)
        return true;
#endif
    return *name == '\0';
}

static void test_packed(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++) {
        if (left_out(formats[i].name))
            continue;
        const found *f = look_into(formats[i].bytes, formats[i].length, UNPACK_RATIO);
        if (f->failures)
            fail_msg("%s: %s", formats[i].name, f->why);
        assert_int_equal(f->strange, 0);
        assert_string_equal(f->names, formats[i].names);
    }
}

static void test_tar(void **state)
{
    char want[400] = "f:one|f:two|f:";
    (void)state;
    if (left_out("tar"))
        skip();
    for (int i = 0; i < 40; i++)
        strcat(want, "three");
    const found *f = look_into(tar_gzip_bytes, sizeof tar_gzip_bytes, UNPACK_RATIO);
    assert_int_equal(f->failures + f->strange, 0);
    assert_string_equal(f->names, strcat(want, "|"));
}

/* Every prefix is an error: or, of a few bytes, a text. */
static void test_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t length = 12; length < formats[i].length && !left_out(formats[i].name);
             length++) {
            const found *f = look_into(formats[i].bytes, length, UNPACK_RATIO);
            /* bytes of a zip file after its members say again what they are */
            if (!f->failures && f->strange)
                fail_msg("%s, %zu bytes of %zu", formats[i].name, length, formats[i].length);
        }
}

/* ---- changed bytes --------------------------------------------------------- */

static void test_changed(void **state)
{
    static uint8_t bytes[1 << 16];
    uint64_t right = 0, refused = 0, other = 0;
    const uint64_t seed = test_seed(), cases = test_cases(10000);
    (void)state;
    for (size_t i = 0; i < FORMATS; i++)
        for (uint64_t c = 0; c < cases && !left_out(formats[i].name); c++) {
            rng r = { seed + c };
            memcpy(bytes, formats[i].bytes, formats[i].length);
            const size_t length = change(&r, bytes, formats[i].length, sizeof bytes);
            alarm(SECONDS);
            const bool in_file = rng_chance(&r, 2);
            const found *f =
                in_file ? look_into_file(bytes, length) : look_into(bytes, length, UNPACK_RATIO);
            const bool untold = f->texts == 1 && strcmp(f->names, "f|") == 0 &&
                                f->length == length && memcmp(f->bytes, bytes, length) == 0;
            right += !f->failures && !f->strange;
            refused += f->failures > 0;
            other += !f->failures && untold; /* its first bytes are another's, or nobody's */
            if (f->strange && !f->failures && !untold)
                changed_failed("test_unpack", seed + c, formats[i].name);
        }
    alarm(0);
    printf("%llu right, %llu refused, %llu texts as they stand\n", (unsigned long long)right,
           (unsigned long long)refused, (unsigned long long)other);
}

/* A tar file has sums of its headers only: its members end, whatever they hold. */
static void test_changed_tar(void **state)
{
    static uint8_t tar[1 << 16], bytes[1 << 16];
    const uint64_t seed = test_seed(), cases = test_cases(10000);
    source_memory memory = { .bytes = tar_gzip_bytes, .left = sizeof tar_gzip_bytes };
    const unpack_options options = { UNPACK_RATIO, 1, NULL };
    source s;
    (void)state;
    if (left_out("tar"))
        skip();
    source_open_memory(&s, &memory);
    assert_true(unpack_source(&s, "gzip", &options));
    size_t whole = 0;
    for (ptrdiff_t got = 1; got > 0; whole += (size_t)got)
        got = source_read(&s, tar + whole, sizeof tar - whole);
    source_close(&s);
    for (uint64_t c = 0; c < cases; c++) {
        rng r = { seed + c };
        memcpy(bytes, tar, whole);
        const size_t length = change(&r, bytes, whole, sizeof bytes);
        alarm(SECONDS);
        const found *f = look_into(bytes, length, UNPACK_RATIO);
        if (f->texts > 200)
            changed_failed("test_unpack", seed + c, "tar");
    }
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed),      cmocka_unit_test(test_tar),
        cmocka_unit_test(test_cut),         cmocka_unit_test(test_changed),
        cmocka_unit_test(test_changed_tar),
    };
    make_original();
    changed_limit_memory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
