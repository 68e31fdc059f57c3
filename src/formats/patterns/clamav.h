/* clamav.h: ClamAV's signatures. */
#ifndef TRAWL_CLAMAV_H
#define TRAWL_CLAMAV_H

#include "formats/patterns/list_line.h"

enum { ENTRY_POINT, SECTION, VERSION, OTHER, PLACES };

/* What parts of logical signatures may ask for that is not evaluated. */
typedef enum clamav_kind {
    CLAMAV_PCRE,
    CLAMAV_BYTES,
    CLAMAV_MACRO,
    CLAMAV_FUZZY,
    CLAMAV_KINDS
} clamav_kind;

/* What signatures say and is not done. */
typedef struct clamav_left {
    size_t types;               /* signatures that are for one type of file */
    size_t places[PLACES];      /* offsets that ask for the file's format to be read */
    size_t kinds[CLAMAV_KINDS]; /* logical signatures that are left out */
} clamav_left;

/* Line `from` of bytes in hexadecimal, of ClamAV's lists or another, becomes pattern *kept, unless
 * it is a comment, a signature that is left out, with a warning, or a logical one, of which the
 * patterns are added after all others. False: no memory. */
bool clamav_read_line(pattern_set *set, size_t from, size_t *kept, clamav_left *left);

/* Warn of what is not done. */
void clamav_warn(const pattern_set *set, const clamav_left *left);

/* All patterns have their syntax: signatures that the library does not read go, with a warning.
 * False, after telling why: no memory. */
bool clamav_leave_out_malformed(pattern_set *set);

/* ---- for clamav_logical.c ------------------------------------------------------------ */

/* Line `index` is a logical signature: it is read, or left out, with a warning. False: no memory.
 */
bool clamav_read_logical(pattern_set *set, size_t index, clamav_left *left);

/* The signature of pattern `index`, a line so far or read, is left out. */
void clamav_leave_out(pattern_set *set, size_t index, const char *why);

/* What the signature's offset asks for. False: it asks for the file's format. */
bool clamav_take_place(pattern_set *set, size_t index, list_line place, list_line signature,
                       clamav_left *left);

/* The signature has conditions: where it varies in length, all starts are printed. */
void clamav_take_starts(pattern_set *set, list_line signature);

#endif
