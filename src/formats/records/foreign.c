/* foreign.c: what is known by its first bytes, and not read: a search of its bytes would find
 * nothing of what it stands for, and say so with the status of a search that found nothing. */
#include "formats/records/reader.h"

static void *refuse_cram(source *text, const char **why)
{
    (void)text;
    *why = "is CRAM, whose bases are kept as differences from a reference: search what `samtools "
           "fasta "
           "FILE` makes of it, or the bytes as they stand (format text)";
    return NULL;
}

static void *refuse_twobit(source *text, const char **why)
{
    (void)text;
    *why = "is 2bit, with four bases in a byte: search what `twoBitToFa FILE stdout` makes of it, "
           "or the "
           "bytes as they stand (format text)";
    return NULL;
}

const reader_kind reader_cram = { .named = true, .open = refuse_cram };
const reader_kind reader_twobit = { .named = true, .open = refuse_twobit };
