/* profile.c: the text that a planner assumes if it is given none. */
#include "engines/shared/problem.h"

#include <string.h>

#define MAX_SAMPLE (64u << 10)
#define MIN_BASES 8u
#define SIGNATURES 32u   /* one pattern in this number has bytes that are no text */
#define MIN_SAMPLE 1024u /* less says little: it may not even have a window of Wu-Manber */

/* Bytes as they stand in what is compressed: no gram is more frequent than another. */
#define MIXED(x) ((uint8_t)((uint32_t)((x) ^ (x) >> 15) * 0x85EBCA6Bu >> 24))
#define NOISE(i) MIXED((uint32_t)(((i) + 1) * 0x9E3779B1u))
#define NOISE_8(i)                                                                                 \
    NOISE(i), NOISE((i) + 1), NOISE((i) + 2), NOISE((i) + 3), NOISE((i) + 4), NOISE((i) + 5),      \
        NOISE((i) + 6), NOISE((i) + 7)
#define NOISE_64(i)                                                                                \
    NOISE_8(i), NOISE_8((i) + 8), NOISE_8((i) + 16), NOISE_8((i) + 24), NOISE_8((i) + 32),         \
        NOISE_8((i) + 40), NOISE_8((i) + 48), NOISE_8((i) + 56)
#define NOISE_256(i) NOISE_64(i), NOISE_64((i) + 64), NOISE_64((i) + 128), NOISE_64((i) + 192)

/* Small numbers of four bytes, as programs have them. */
#define NUMBER(i) NOISE(i), 0, 0, 0
#define NUMBERS_8(i)                                                                               \
    NUMBER(i), NUMBER((i) + 1), NUMBER((i) + 2), NUMBER((i) + 3), NUMBER((i) + 4),                 \
        NUMBER((i) + 5), NUMBER((i) + 6), NUMBER((i) + 7)
#define NUMBERS_64(i)                                                                              \
    NUMBERS_8(i), NUMBERS_8((i) + 8), NUMBERS_8((i) + 16), NUMBERS_8((i) + 24),                    \
        NUMBERS_8((i) + 32), NUMBERS_8((i) + 40), NUMBERS_8((i) + 48), NUMBERS_8((i) + 56)

/* Prose, source, records and addresses. */
#define USUAL_TEXT                                                                                 \
    "The river had risen in the night, and by the time the first of them came down to the bridge " \
    "there was nothing to be seen of the path but the tops of the posts. They stood and talked "   \
    "for "                                                                                         \
    "a while of what it would take to bring the carts across; then the older man, who had said "   \
    "very little, shook his head and turned back towards the houses, and the others followed him " \
    "one after another through the wet grass without another word.\n"                              \
    "It is not known who kept the book before 1840. The names in it are those of families which "  \
    "had lived in the valley for three hundred years, and most of the entries concern the price "  \
    "of wool, the weather, and the number of sheep that were lost in winter.\n"                    \
    "static int read_header(const unsigned char *buffer, size_t length, struct header *out)\n"     \
    "{\n"                                                                                          \
    "    if (buffer == NULL || length < sizeof(*out))\n"                                           \
    "        return -1;\n"                                                                         \
    "    memcpy(out, buffer, sizeof(*out));\n"                                                     \
    "    for (size_t i = 0; i < out->count && i < MAX_ENTRIES; i++) {\n"                           \
    "        out->sum += buffer[offset + i] & 0xff;\n"                                             \
    "    }\n"                                                                                      \
    "    return out->sum == 0 ? 0 : check(out, \"checksum\");\n"                                   \
    "}\n"                                                                                          \
    "#include <stdio.h>\n"                                                                         \
    "def main(args):\n"                                                                            \
    "    with open(args.path, 'rb') as f:\n"                                                       \
    "        data = json.load(f)\n"                                                                \
    "    print(len(data['items']), file=sys.stderr)\n"                                             \
    "2024-03-17T09:41:58.113Z INFO  [worker-7] request 5f3a9c from 10.32.114.9 took 83 ms\n"       \
    "2024-03-17T09:41:58.290Z WARN  [worker-2] retry 3 of 5 for "                                  \
    "https://example.org/v1/items?id=77\n"                                                         \
    "192.0.2.44 - - [17/Mar/2024:09:41:59 +0000] \"GET /index.html HTTP/1.1\" 200 5120 "           \
    "\"Mozilla/5.0\"\n"                                                                            \
    "{\"id\": 40961, \"name\": \"north gate\", \"tags\": [\"a\", \"b7\"], \"ratio\": 0.8125, "     \
    "\"open\": true}\n"                                                                            \
    "<div class=\"row\"><a href=\"/docs/guide.html\">Guide</a> &middot; <b>12</b></div>\n"         \
    "MKVLAAGIVGLLLAQPSWAEDTRNQCFHYKELGMTSPDVREAIKRLLNQHGT\n"                                       \
    "name,street,zip,city,amount\nMiller,Oak Road 12,30449,Hanover,1290.50\n"

/* What packets and programs hold: that text, noise, and numbers. Both halves have both, for engines
 * that compare them. */
static const struct page {
    char text[sizeof USUAL_TEXT];
    uint8_t noise[768];
    char again[sizeof USUAL_TEXT];
    uint8_t more[768];
} page = { USUAL_TEXT,
           { NOISE_256(0u), NUMBERS_64(256u), NOISE_256(320u) },
           USUAL_TEXT,
           { NOISE_256(576u), NUMBERS_64(832u), NOISE_256(896u) } };

/* What sets of bases are looked for in. */
static const char bases[] =
    "AGCTAATTAACTGCGCTTGCGGTTTGCCTGTTAACGTCCGTTCCTGTAGGGTCTTTTACCTCCGTAATACCTTGTGGTCCCTTAATTTAA"
    "AAACCCTGGGTAACGATTTTACCGCTAAGTGTACCAATTAACAAATTAAACTGATGTTATGTTATTGCTCACCTGTACGCAATGAATTTG"
    "CGGTTTGAAAAACCCAGAGGTGCTTATACATAAAAAAAAAAGTTGGCCCATTATTGAGCACCCTTTTACAAAACTTTCCTGCAGGAAAGC"
    "GGGGCCCTGCGTTAAGGTCAATCACGTTTGATAAGTCTTTAAAATTCTGGACGCCGCAAACAACATTATATGGGTGAATGTATGAACGTG"
    "AAAAAAACGATCTAAAAATTGCATGGGGAAATCTCGCTGATACCAAGCCTCGTCATATTTTCGAAAAAATTAAGTTTCTGGAAATCTTTT"
    "TGATTAATATTTCCGCAATGGCCTGCCTTCCTGGTTAATGTAAATGGGGGTTTCGCCCTGAAGCAGGAGGGTAATAATAAAAATAAGCCA"
    "ACGTAGCTAAAAGAAAATTGGAATGTCGCCGAGATTATGTGCAAAAATCCCCTCAATGGGGTTAATTTGGTCGCCCTGGCTTGGTGTATT"
    "AGTTGCCATAAAATTAAAGGCAGCATGCGTTCATGCAATTGATTATTTGGGAGGTTGCTGCTGTTTTGTGTGGTAACGATTTTAATGCAT"
    "AGAAAAATGAATCAATGACGCTGTTAGCTTTTGAATGCCTAGTTTAACAGCCCCCCGTCCACCTATTAGTGCATAATTGCAAAAGTTAAA"
    "GCGCTCCTTGATAAGTATGAGGTTAAAGGCTTGGCCCAGAATGTTAAGAAGAAGCACTTAAATCGGATGAAGTGTTATAAAATCAATAGG"
    "CGGTAAATTGCATTTTTTCGCGTTTGCGCTAATATGGCTTAGTTATGGATGCGTGAACCAGCGATTTATCAAAGCAATGCGCCCTTTTGG"
    "ATCTGAAATCTCTTTTAAGGCGCGAAACCCAGATTCGGGGTGTGGTGGGGTCTTTGATTTTTAATAGTTGACCGAAGCATGCTTTGGACG"
    "ATAAAAAGCCCAGCTCTTTATTAGAAATACCTCTTGGTGGCGGCCCTTTTGCCCTTTTTTGCCTTAAACTTGTCGCCAAGCTTCCGTTTG"
    "GTCGACATGAACACGCTAAGATGTTTTAATCAATTTAGTATAGAAGTTTCCGGAAGAAAATGACCAGCGAGGCGTTTACATTGGACGCCG"
    "AGTGCATCCGATATGGGGCTGGATGGTTGCCAATGCGCCTACGTACTAATAAAATTTTACAGACGTTGGGCGCCGGCTTAATGTTAAATT"
    "ACGGTTCGAAAGAGGCGGGGGTCGCTTGACCCTTGTAGGAAAGGCATGACTTTTAACACGTGACGCCGGGGCAATTATAAAAAAAAACAC"
    "TGGTTAAAGAATAATAATTTCGAAGTATTATTACCCCCGAATTCTGTAGTTCCGCCCTTTGGATTCAATGGTTTTATGGGGCTCCCCCCC"
    "CATCGTGATAGTAAAATCTATGATTTGTGATAAAATCCCAATGTGACAACCAATATTCCGGGCAAAGCCCAATATGTTGCTTGATTTAGG"
    "CTATCAAGTAAAAACCCTGGAAACTGTGTCGTGTATAGCGTGATTTTTTTAGTAATCCGGTTGAAATATATAAAATTAGGCGAGGGTTTG"
    "TTAGACAGCTTGGAGTTGCGAATTCGGGTTGTTAAACATGGAACGACGTTAACCATCATTTAGCTTAGAACTGCGCTCCCGTTTTACGTT"
    "TTCCCCCCGGCTACCGCAAAAGAATTATTAGGGATGCCATTTTAAGTGAGTCTTTTCGGGGCTCAACCTATTTGGAAGTATAAGTGAAAT"
    "AAAGTGCATTATAAAACGGCACGTGATCAAGTGAATCCAAGATGCGCCCGGCGAAAGGGAACGTGTACCCGGCGCTTACCCAAAGCCTGT"
    "TTGCCTGCCTGAGAAGCATATCGTTGTTTTCCTCATCGATTTTCCAGGATAAGCTAACCTCCCAGAAA";

bool profile_given(const void *sample, size_t length)
{
    return sample && length >= MIN_SAMPLE;
}

/* Whether every byte of a pattern is a base, or may be any. */
static bool is_bases(const pattern *p)
{
    byte_class bases = { { 0 } };
    for (const char *c = p->flags & TRAWL_NOCASE ? "ACGTacgt" : "ACGT"; *c; c++)
        class_add(&bases, (unsigned char)*c);
    for (size_t k = 0; k < p->length; k++)
        if (p->literal
                ? !class_has(&bases, p->bytes[k])
                : !class_holds(&bases, &p->elements[k].set) && !class_full(&p->elements[k].set))
            return false;
    return true;
}

/* Patterns of bases, long enough to be nothing else. */
static bool are_bases(const pattern_list *list)
{
    if (!list->patterns)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        if (p->min_length < MIN_BASES || (p->syntax != TRAWL_SYNTAX_IUPAC && !is_bases(p)))
            return false;
    }
    return true;
}

/* Bytes that text has in no language. */
static bool is_control(uint8_t byte)
{
    return byte < 9 || (byte > 13 && byte < 32) || byte == 127;
}

/* Whether a class is one such byte. */
static bool says_control(const byte_class *set)
{
    unsigned byte = 0;
    while (byte < 127 && !class_has(set, byte))
        byte++;
    byte_class one = { { 0 } };
    class_add(&one, byte);
    return is_control((uint8_t)byte) && class_holds(&one, set);
}

static bool has_control(const pattern *p)
{
    for (size_t i = 0; i < p->length; i++) {
        const byte_class *set = p->literal ? NULL : &p->elements[i].set;
        if (set ? says_control(set) : is_control(p->bytes[i]))
            return true;
    }
    return false;
}

/* Signatures: some patterns say what no text does. */
static bool are_signatures(const pattern_list *list)
{
    size_t with = 0;
    for (size_t i = 0; list->patterns && i < list->count; i++)
        with += has_control(&list->patterns[i]);
    return with * SIGNATURES > list->count;
}

profile profile_of(const void *sample, size_t length, const pattern_list *list)
{
    if (profile_given(sample, length))
        return (profile){ (const uint8_t *)sample, length < MAX_SAMPLE ? length : MAX_SAMPLE };
    if (are_bases(list))
        return (profile){ (const uint8_t *)bases, sizeof bases - 1 };
    if (are_signatures(list))
        return (profile){ (const uint8_t *)&page, sizeof page };
    return (profile){ (const uint8_t *)page.text, sizeof page.text - 1 };
}
