/* inputs.c: texts and grids, all from one seed, or from files.
 *
 * A generated text reads like source code: lines of words drawn from a vocabulary, frequent ones
 * more often, with indents, brackets and signs between them. Longer texts repeat shorter ones.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "io/image.h"

enum { VOCABULARY = 4000, WORD_ROOM = 16 };
#define GENERATED_MOST (32ull << 20)

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return random_next(state) % bound;
}

/* ---- texts ------------------------------------------------------------------ */

static void make_word(char *word, uint64_t *state)
{
    static const char consonants[] = "bcdfglmnprstvxz", vowels[] = "aeiou";
    size_t syllables = 1 + random_below(state, 4), n = 0;
    for (size_t s = 0; s < syllables; s++) {
        word[n++] = consonants[random_below(state, sizeof consonants - 1)];
        word[n++] = vowels[random_below(state, sizeof vowels - 1)];
        if (random_below(state, 3) == 0)
            word[n++] = consonants[random_below(state, sizeof consonants - 1)];
    }
    word[n] = '\0';
}

static void generate_text(uint8_t *text, uint64_t length, uint64_t seed)
{
    static const char *const signs[] = { " ", " ",  " ",    " ",  "_",  "(", ") ", " = ",
                                         ".", "->", " == ", "; ", ", ", "[", "] ", " + " };
    static const char *const ends[] = { ";\n", ";\n", ",\n", " {\n", "}\n", "\n", " */\n" };
    char(*words)[WORD_ROOM] = bench_alloc(VOCABULARY, WORD_ROOM);
    uint64_t state = seed, at = 0;
    for (size_t i = 0; i < VOCABULARY; i++)
        make_word(words[i], &state);
    while (at < length) {
        char line[512];
        size_t n = 4 * random_below(&state, 5), count = 2 + random_below(&state, 9);
        memset(line, ' ', n);
        for (size_t i = 0; i < count; i++) {
            /* The product of two numbers favours small ones, as frequent words do. */
            uint64_t a = random_below(&state, VOCABULARY), b = random_below(&state, VOCABULARY);
            const char *word = words[a * b / VOCABULARY];
            const char *sign = signs[random_below(&state, 16)];
            n += (size_t)snprintf(line + n, sizeof line - n, "%s%s", word, sign);
        }
        n += (size_t)snprintf(line + n, sizeof line - n, "%s", ends[random_below(&state, 7)]);
        uint64_t take = length - at < n ? length - at : n;
        memcpy(text + at, line, take);
        at += take;
    }
    free(words);
}

static void repeat_text(uint8_t *text, uint64_t have, uint64_t length)
{
    while (have < length) {
        uint64_t take = have < length - have ? have : length - have;
        memcpy(text + have, text, take);
        have += take;
    }
}

/* A file as it is, or what its unpacker makes of it. NULL when it cannot be read. */
static uint8_t *read_file(const char *path, uint64_t *length)
{
    char *unpacker = NULL, option[] = "-dc", name[1024];
    uint8_t *bytes = NULL;
    size_t read = 0, room = 0;
    snprintf(name, sizeof name, "%s", path);
    const char *ending = strrchr(name, '.');
    char xz[] = "xz", gzip[] = "gzip";
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    if (ending && strcmp(ending, ".xz") == 0)
        unpacker = xz;
    if (ending && strcmp(ending, ".gz") == 0)
        unpacker = gzip;
    if (unpacker) {
        char *arguments[] = { unpacker, option, name, NULL };
        fclose(in);
        if (!bench_child(arguments, &bytes, &read))
            return NULL;
        *length = read;
        return bytes;
    }
    for (;;) {
        if (read == room) {
            room = room ? 2 * room : 1 << 20;
            uint8_t *grown = realloc(bytes, room);
            if (!grown)
                break;
            bytes = grown;
        }
        size_t got = fread(bytes + read, 1, room - read, in);
        if (!got)
            break;
        read += got;
    }
    fclose(in);
    *length = read;
    return bytes;
}

uint8_t *input_data(const bench *b, const char *name, uint64_t *length)
{
    char path[1024];
    if (!b->data)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", b->data, name);
    return read_file(path, length);
}

uint8_t *input_text(bench *b, uint64_t length, char what[96])
{
    uint8_t *text = bench_alloc(length + 1, 1);
    uint64_t have = 0;
    uint8_t *source = b->text ? read_file(b->text, &have) : NULL;
    snprintf(what, 96, "%.80s, repeated", b->text ? b->text : "");
    if (b->text && (!source || !have))
        bench_complain(b, "%s: cannot be read, or is empty; a generated text is taken", b->text);
    if (!source && b->data) {
        source = input_data(b, "text/tcpdump_source.c.xz", &have);
        snprintf(what, 96, "C source (tcpdump), repeated");
    }
    if (source && have) {
        have = have < length ? have : length;
        memcpy(text, source, have);
    } else {
        have = length < GENERATED_MOST ? length : GENERATED_MOST;
        generate_text(text, have, b->seed);
        snprintf(what, 96, "generated, like source code%s", have < length ? ", repeated" : "");
    }
    free(source);
    repeat_text(text, have, length);
    return text;
}

uint8_t *input_genome(bench *b, uint64_t length)
{
    uint64_t read = 0, n = 0;
    uint8_t *fasta = input_data(b, "dna/ecoli_k12_mg1655.fasta.gz", &read);
    if (!fasta)
        return NULL;
    for (uint64_t i = 0; i < read; i++) {
        if (fasta[i] == '>') /* a header line */
            while (i < read && fasta[i] != '\n')
                i++;
        else if (isalpha(fasta[i]))
            fasta[n++] = fasta[i];
    }
    uint8_t *text = bench_alloc(length + 1, 1);
    n = n < length ? n : length;
    memcpy(text, fasta, n);
    free(fasta);
    if (n)
        repeat_text(text, n, length);
    return text;
}

uint8_t *input_raster(bench *b, const char *path, uint64_t *rows, uint64_t *cols,
                      uint32_t *cell_size)
{
    char whole[1024], message[256];
    image picture;
    if (!b->data)
        return NULL;
    snprintf(whole, sizeof whole, "%s/%s", b->data, path);
    if (image_read(whole, IMAGE_AS_STORED, NULL, NULL, &picture, message, sizeof message) != 0) {
        fprintf(stderr, "trawl bench: %s is left out: %s\n", path, message);
        return NULL;
    }
    *rows = picture.rows;
    *cols = picture.cols;
    *cell_size = picture.cell_size;
    return picture.cells;
}

void *input_cells(uint64_t rows, uint64_t cols, uint32_t alphabet, uint64_t seed)
{
    const uint64_t count = rows * cols;
    uint8_t *bytes = bench_alloc(count + 8, alphabet > 256 ? 2 : 1);
    uint16_t *words = (uint16_t *)(void *)bytes;
    uint64_t state = seed;
    /* The alphabets are powers of two: four cells of one number are as random as one. */
    for (uint64_t i = 0; i < count; i += 4) {
        uint64_t number = random_next(&state);
        for (uint64_t j = i; j < i + 4; j++, number >>= 16) {
            if (alphabet > 256)
                words[j] = (uint16_t)(number % alphabet);
            else
                bytes[j] = (uint8_t)(number % alphabet);
        }
    }
    return bytes;
}
