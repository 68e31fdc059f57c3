/* foreign.c: what is known by its first bytes, and not read: a search of its bytes would find
 * nothing of what it stands for, and say so with the status of a search that found nothing. */
#include "formats/records/reader.h"

static void *refuse_cram(source *text, const char **why)
{
    (void)text;
    *why = "is CRAM, whose bases are kept as differences from a reference: `samtools fasta FILE | "
           "trawl find ...` searches them; --format raw searches the bytes as they stand";
    return NULL;
}

static void *refuse_twobit(source *text, const char **why)
{
    (void)text;
    *why = "is 2bit, with four bases in a byte: `twoBitToFa FILE stdout | trawl find ...` searches "
           "them; --format raw searches the bytes as they stand";
    return NULL;
}

const reader_kind reader_cram = { .named = true, .open = refuse_cram };
const reader_kind reader_twobit = { .named = true, .open = refuse_twobit };
