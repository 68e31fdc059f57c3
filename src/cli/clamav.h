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

/* Line `from` becomes pattern *kept. False: no memory. */
bool clamav_read_line(pattern_set *set, size_t from, size_t *kept, clamav_left *left);

/* Warn of what is not done. */
void clamav_warn(const char *command, const clamav_left *left);

#endif
