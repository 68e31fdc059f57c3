/* compressed.h: files whose bytes are not the text that they stand for. */
#ifndef TRAWL_COMPRESSED_H
#define TRAWL_COMPRESSED_H

#include <stddef.h>
#include <stdint.h>

/* "gzip", "bzip2", "xz", "zstd", "lz4" or "zip" when a file begins as theirs do, NULL otherwise.
 * 10 bytes are enough to tell, after frames that are passed over; a file that begins with these,
 * and what follows is not seen, is "zstd", though it may be lz4. */
const char *compressed_kind(const uint8_t *bytes, size_t length);

/* Bytes of the frame that these begin with when it is one that readers of zstd and lz4 pass over
 * (RFC 8878, 3.1.2), as pzstd writes them; 0: it is none. Bytes that tell: */
#define COMPRESSED_SKIP 8u
uint64_t compressed_skips(const uint8_t *bytes, size_t length);

/* The command that writes what is in such a file, after its name, to standard output: "gzip -dc".
 * `kind` is one that compressed_kind gave. */
const char *compressed_remedy(const char *kind);

#endif
