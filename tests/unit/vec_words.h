/* vec_words.h: the words of engines/shared/vec.h, tried once for each instruction set. */
#ifndef TRAWL_TESTS_VEC_WORDS_H
#define TRAWL_TESTS_VEC_WORDS_H

#include "base/port.h"

/* Try every word on a[0 .. 63] and b[0 .. 63], of which `part` bytes are loaded alone. Returns the
 * name of one that is wrong, or NULL. */
typedef const char *(*vec_words_fn)(const u8 *a, const u8 *b, u32 part);

const char *vec_words_portable(const u8 *a, const u8 *b, u32 part);
const char *vec_words_neon(const u8 *a, const u8 *b, u32 part);
const char *vec_words_avx2(const u8 *a, const u8 *b, u32 part);
const char *vec_words_avx512(const u8 *a, const u8 *b, u32 part);

#endif
