/* clamav.h: ClamAV's signatures. */
#ifndef TRAWL_CLAMAV_H
#define TRAWL_CLAMAV_H

#include "cli/list_line.h"

enum { ENTRY_POINT, SECTION, VERSION, OTHER, PLACES };

/* What signatures say and is not done. */
typedef struct clamav_left {
    size_t types;          /* signatures that are for one type of file */
    size_t places[PLACES]; /* offsets that ask for the file's format to be read */
} clamav_left;

/* Line `from` of bytes in hexadecimal, of ClamAV's lists or another, becomes pattern *kept, unless
 * it is a comment or a signature that is left out, with a warning. False: no memory. */
bool clamav_read_line(pattern_set *set, const char *command, size_t from, size_t *kept,
                      clamav_left *left);

/* All patterns have their syntax: signatures that the library does not read go, with a warning.
 * False, after a complaint: no memory. */
bool clamav_leave_out_malformed(pattern_set *set, const char *command);

/* Warn of what is not done. */
void clamav_warn(const char *command, const clamav_left *left);

#endif
