/* sample.h: the begin of what will be searched, for which the plan is chosen.
 *
 * It is the first block of the first operand that can be read and is not empty. That operand stays
 * open until its turn comes: a pipe can be read only once. The others are passed over in silence,
 * and get their message in their turn. A folder has no sample.
 */
#ifndef TRAWL_SAMPLE_H
#define TRAWL_SAMPLE_H

#include "formats/sources/source.h"

typedef struct sample {
    const char *path; /* of the operand that is open, or NULL */
    source file;
    const uint8_t *bytes; /* valid until the file is read */
    size_t length;
    bool inside;       /* of what the file holds (formats/records/texts.h): set before */
    uint8_t *unpacked; /* then */
} sample;

/* Take the sample; no path means standard input. *s is all zero before, but for `inside`. Before
 * the first operand that may wait for somebody `ready` is asked; false: it said no. */
bool sample_take(sample *s, char **paths, int count, bool (*ready)(void *user), void *user);

/* What is in it will be searched as it stands: it is not packed, and has no records. */
bool sample_is_text(const sample *s);

/* As source_reopen, of the operand that is open as well. */
bool sample_open(sample *s, source *file, const char *path);

/* Close it if its turn did not come; in any case at the end. */
void sample_close(sample *s);

/* Bytes of all operands (none: standard input) that are regular files, of those that have `least`
 * at least; UINT64_MAX: there is another kind. */
uint64_t operand_bytes(char **paths, size_t count, uint64_t least);

#endif
