/* arrow.h: columns of texts that come by the capsules of Arrow's C data interface. */
#ifndef TRAWL_PYTHON_ARROW_H
#define TRAWL_PYTHON_ARROW_H

#include "core.h"

typedef struct arrow_texts arrow_texts;

/* The column of an object with __arrow_c_array__ or __arrow_c_stream__. NULL: an exception. */
arrow_texts *arrow_open(PyObject *object);
void arrow_close(arrow_texts *a);

/* Go on to the next chunk, or to all that are left; the last ones are dropped. At the end there are
 * none. False: an exception. */
bool arrow_next(arrow_texts *a, bool all);
size_t arrow_chunks(const arrow_texts *a);
size_t arrow_count(const arrow_texts *a, size_t chunk); /* texts of it */

/* Text i of a chunk. False: an exception. */
bool arrow_text(const arrow_texts *a, size_t chunk, size_t i, trawl_text *t);

#endif
