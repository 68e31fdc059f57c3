/* constant.h: how much constant memory a kernel may have on any device. Kernels and hosts include
 * it. */
#ifndef TRAWL_CONSTANT_H
#define TRAWL_CONSTANT_H

#define CONSTANT_WORDS 16128 /* of 32 bits; a multiple of 256 bytes below CUDA's 64 KiB */

#endif
