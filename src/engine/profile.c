/* profile.c: the text that a planner assumes when it is given none. */
#include "engine/problem.h"

#include <string.h>

#define MOST_SAMPLE (64u << 10)
#define LEAST_BASES 8u
#define LEAST_SAMPLE 1024u /* less says little: it may not even have a window of Wu-Manber */

static const char usual[] =
    "The river had risen in the night, and by the time the first of them came down to the bridge "
    "there was nothing to be seen of the path but the tops of the posts. They stood and talked for "
    "a while of what it would take to bring the carts across; then the older man, who had said "
    "very little, shook his head and turned back towards the houses, and the others followed him "
    "one after another through the wet grass without another word.\n"
    "It is not known who kept the book before 1840. The names in it are those of families which "
    "had lived in the valley for three hundred years, and most of the entries concern the price "
    "of wool, the weather, and the number of sheep that were lost in winter.\n"
    "static int read_header(const unsigned char *buffer, size_t length, struct header *out)\n"
    "{\n"
    "    if (buffer == NULL || length < sizeof(*out))\n"
    "        return -1;\n"
    "    memcpy(out, buffer, sizeof(*out));\n"
    "    for (size_t i = 0; i < out->count && i < MAX_ENTRIES; i++) {\n"
    "        out->sum += buffer[offset + i] & 0xff;\n"
    "    }\n"
    "    return out->sum == 0 ? 0 : check(out, \"checksum\");\n"
    "}\n"
    "#include <stdio.h>\n"
    "def main(args):\n"
    "    with open(args.path, 'rb') as f:\n"
    "        data = json.load(f)\n"
    "    print(len(data['items']), file=sys.stderr)\n"
    "2024-03-17T09:41:58.113Z INFO  [worker-7] request 5f3a9c from 10.32.114.9 took 83 ms\n"
    "2024-03-17T09:41:58.290Z WARN  [worker-2] retry 3 of 5 for "
    "https://example.org/v1/items?id=77\n"
    "192.0.2.44 - - [17/Mar/2024:09:41:59 +0000] \"GET /index.html HTTP/1.1\" 200 5120 "
    "\"Mozilla/5.0\"\n"
    "{\"id\": 40961, \"name\": \"north gate\", \"tags\": [\"a\", \"b7\"], \"ratio\": 0.8125, "
    "\"open\": true}\n"
    "<div class=\"row\"><a href=\"/docs/guide.html\">Guide</a> &middot; <b>12</b></div>\n"
    "MKVLAAGIVGLLLAQPSWAEDTRNQCFHYKELGMTSPDVREAIKRLLNQHGT\n"
    "name,street,zip,city,amount\nMiller,Oak Road 12,30449,Hanover,1290.50\n";

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
    return sample && length >= LEAST_SAMPLE;
}

/* Literals of bases, long enough to be nothing else. */
static bool are_bases(const pattern_list *list)
{
    if (!list->patterns)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        const char *letters = p->flags & TRAWL_NOCASE ? "acgt" : "ACGT";
        if (!p->literal || p->length < LEAST_BASES)
            return false;
        for (size_t k = 0; k < p->length; k++)
            if (!memchr(letters, p->bytes[k], 4))
                return false;
    }
    return true;
}

profile profile_of(const void *sample, size_t length, const pattern_list *list)
{
    if (profile_given(sample, length))
        return (profile){ (const uint8_t *)sample, length < MOST_SAMPLE ? length : MOST_SAMPLE };
    if (are_bases(list))
        return (profile){ (const uint8_t *)bases, sizeof bases - 1 };
    return (profile){ (const uint8_t *)usual, sizeof usual - 1 };
}
