/* compressed.h: files whose bytes are not the text that they stand for. */
#ifndef TRAWL_COMPRESSED_H
#define TRAWL_COMPRESSED_H

#include <stddef.h>
#include <stdint.h>

/* "gzip", "bzip2", "xz", "zstd", "lz4" or "zip" when a file begins as theirs do, NULL otherwise.
 * 10 bytes are enough to tell. */
const char *compressed_kind(const uint8_t *bytes, size_t length);

/* The command that writes what is in such a file, behind its name, to standard output: "gzip -dc".
 * `kind` is one that compressed_kind gave. */
const char *compressed_remedy(const char *kind);

#endif
