/* formats.c: a program that uses the installed library of formats; see tools/consumer.sh. */
#include <stdio.h>
#include <string.h>
#include <trawl/formats.h>

int main(void)
{
    static const char fasta[] = ">a\nGAA\nTTC\n";
    trawl_reader *reader;
    trawl_records records = TRAWL_RECORDS_INIT;
    trawl_file_error error = { .message = "" };
    int status = trawl_reader_open_memory(fasta, sizeof fasta - 1, "f", NULL, &reader, &error);
    if (status == TRAWL_OK)
        status = trawl_reader_next(reader, &records, &error);
    if (status != TRAWL_OK || records.count != 1 || strcmp(records.names[0], "a") != 0 ||
        records.texts[0].length != 6) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%s has %zu letters\n", records.names[0], records.texts[0].length);
    trawl_reader_close(reader);
    return 0;
}
