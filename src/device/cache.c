/* cache.c: see cache.h. A file is a header and the program.
 *
 * A file is written under a temporary name and then renamed, so that a reader and two writers
 * at once see whole files only. A writer that was killed leaves its temporary file behind; the
 * next ones remove it once it is old.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device/cache.h"

#define MAGIC UINT64_C(0x31306c6377617274) /* "trawcl01": the last digits are the version */
#define TEMPORARY "trawl-program-being-written-"
enum { MAX_BYTES = 256 << 20, OLD_SECONDS = 600, PATH_ROOM = 1024 };

typedef struct header {
    uint64_t magic;
    cache_key key;
    uint64_t size;     /* of the program after it */
    uint64_t checksum; /* of the header up to here and the program */
} header;

/* FNV-1a. With another start or factor (odd, so that no step loses anything) it is another
 * hash. */
static const uint64_t starts[3] = { UINT64_C(0xcbf29ce484222325), UINT64_C(0x9e3779b97f4a7c15),
                                    UINT64_C(0xd6e8feb86659fd93) };
static const uint64_t factors[3] = { UINT64_C(0x100000001b3), UINT64_C(0x100000001b3),
                                     UINT64_C(0x5851f42d4c957f2d) };

static uint64_t hash_bytes(uint64_t hash, uint64_t factor, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * factor;
    return hash;
}

cache_key cache_key_begin(void)
{
    cache_key key;
    memcpy(key.hash, starts, sizeof starts);
    key.length = 0;
    return key;
}

/* The size goes in first, so that "ab", "c" is another key than "a", "bc". */
void cache_key_add(cache_key *key, const void *bytes, size_t size)
{
    uint64_t length = size;
    for (int i = 0; i < 3; i++) {
        key->hash[i] = hash_bytes(key->hash[i], factors[i], &length, sizeof length);
        key->hash[i] = hash_bytes(key->hash[i], factors[i], bytes, size);
    }
    key->length += size;
}

static uint64_t checksum_of(const header *h, const void *bytes)
{
    uint64_t sum = hash_bytes(starts[0], factors[0], h, offsetof(header, checksum));
    return hash_bytes(sum, factors[0], bytes, h->size);
}

/* ---- the folder ------------------------------------------------------------ */

/* Write a path; false when it does not fit. */
static bool path_join(char path[PATH_ROOM], const char *folder, const char *name)
{
    int n = snprintf(path, PATH_ROOM, "%s/%s", folder, name);
    return n > 0 && n < PATH_ROOM;
}

static bool folder_path(char path[PATH_ROOM])
{
    const char *own = getenv("TRAWL_CACHE_DIR");
    if (own)
        return own[0] && path_join(path, own, "");
    const char *shared = getenv("XDG_CACHE_HOME");
    if (shared && shared[0] == '/') /* others are to be ignored, says the standard */
        return path_join(path, shared, "trawl/");
    const char *home = getenv("HOME");
    return home && home[0] == '/' && path_join(path, home, ".cache/trawl/");
}

/* Make what is missing of a path that ends in a slash. Whether it worked shows when a file is
 * made in it. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static bool file_path(char path[PATH_ROOM], const char *folder, const cache_key *key)
{
    char name[40];
    snprintf(name, sizeof name, "%016llx%016llx", (unsigned long long)key->hash[0],
             (unsigned long long)key->hash[1]);
    return path_join(path, folder, name);
}

static void remove_old_temporaries(const char *folder)
{
    DIR *files = opendir(folder);
    if (!files)
        return;
    time_t now = time(NULL);
    for (struct dirent *f = readdir(files); f; f = readdir(files)) {
        char path[PATH_ROOM];
        struct stat st;
        if (strncmp(f->d_name, TEMPORARY, strlen(TEMPORARY)) == 0 &&
            strlen(f->d_name) == strlen(TEMPORARY "XXXXXX") && path_join(path, folder, f->d_name) &&
            lstat(path, &st) == 0 && S_ISREG(st.st_mode) && now - st.st_mtime > OLD_SECONDS)
            unlink(path);
    }
    closedir(files);
}

/* ---- files ----------------------------------------------------------------- */

static bool read_all(int file, void *to, size_t size)
{
    unsigned char *at = to;
    while (size > 0) {
        ssize_t n = read(file, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t size)
{
    const unsigned char *at = from;
    while (size > 0) {
        ssize_t n = write(file, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static unsigned char *read_program(int file, const cache_key *key, memory *m, size_t *size)
{
    struct stat st;
    header h;
    /* Code is taken from files of this user only. */
    if (fstat(file, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
        return NULL;
    if (!read_all(file, &h, sizeof h) || h.magic != MAGIC ||
        memcmp(&h.key, key, sizeof *key) != 0 || h.size == 0 || h.size > MAX_BYTES ||
        (uint64_t)st.st_size != sizeof h + h.size)
        return NULL;
    unsigned char *bytes = memory_take(m, h.size);
    if (!bytes)
        return NULL;
    if (!read_all(file, bytes, h.size) || checksum_of(&h, bytes) != h.checksum) {
        memory_give(m, bytes);
        return NULL;
    }
    *size = h.size;
    return bytes;
}

bool cache_load(const cache_key *key, memory *m, unsigned char **bytes, size_t *size)
{
    char folder[PATH_ROOM], path[PATH_ROOM];
    if (!folder_path(folder) || !file_path(path, folder, key))
        return false;
    /* O_NONBLOCK: a pipe of that name must not keep us waiting. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    *bytes = read_program(file, key, m, size);
    close(file);
    return *bytes != NULL;
}

void cache_store(const cache_key *key, const void *bytes, size_t size)
{
    char folder[PATH_ROOM], path[PATH_ROOM], temporary[PATH_ROOM];
    header h = { MAGIC, *key, size, 0 };
    if (size == 0 || size > MAX_BYTES || !folder_path(folder) || !file_path(path, folder, key) ||
        !path_join(temporary, folder, TEMPORARY "XXXXXX"))
        return;
    make_folders(folder);
    remove_old_temporaries(folder);
    int file = mkstemp(temporary);
    if (file < 0)
        return;
    h.checksum = checksum_of(&h, bytes);
    bool whole = write_all(file, &h, sizeof h) && write_all(file, bytes, size);
    whole = close(file) == 0 && whole;
    if (!whole || rename(temporary, path) != 0)
        unlink(temporary);
}
