/* texts.h: the texts that a file holds: itself, what it is compressed from, the members of the
 * archive that it is, and so on inwards. */
#ifndef TRAWL_TEXTS_H
#define TRAWL_TEXTS_H

#include "formats/records/content.h"
#include "formats/sources/unpack.h"

#define TEXTS_DEPTH 8 /* compressed files and archives within one another */

typedef struct texts texts;

/* The texts of an open file of which nothing was read but looked at; both stay until texts_close.
 * NULL: out of memory. */
texts *texts_open(source *file, const char *name, const unpack_options *options);

/* The next one: 1, a text that may be read until the next call, its name (the file's, with the
 * members' after it: "a.tar:b.zip:c") and what it is; 0, there is none; -1, of *name nothing more
 * can be read: *why, and another call goes on with what is beside it. */
int texts_next(texts *t, const char **name, source **text, content *kind, const char **why);

void texts_close(texts *t);

/* The first bytes of what a file holds that begins with `head`, as far as they can be told from it:
 * sequences and payloads joined. Returns how many of `room` there are. */
size_t texts_sample(const uint8_t *head, size_t length, uint8_t *to, size_t room);

/* Why there is not one text in what holds several files. */
#define TEXTS_ARCHIVE "is an archive, and no single file"

/* Go on with what a file is compressed from, if it is: nothing was read of it but looked at. False:
 * why, such as TEXTS_ARCHIVE. */

bool texts_unpack(source *s, const unpack_options *options);

/* Whether that would change anything. */
bool texts_packed(source *s);

/* What a source holds. False: why. */
bool texts_look(source *s, const uint8_t **head, size_t *length, content *kind);

#endif
