/* port.h: the small subset of C in which tables and their helpers are written once.
 *
 * The same text is C11 (builders and loops on CPUs), OpenCL C 1.2 and CUDA C (loops on devices).
 * What differs is named here: integer types, address spaces, atomics, bit counts. It has
 *   u8 u16 u32 u64      unsigned integers of 8 .. 64 bits
 *   GLOBAL              the address space of text, tables, state and records
 *   INLINE              in front of every function
 *   KERNEL              in front of a device's entry points (*.k)
 *   SHARED_SIZE(t, n)   after a struct that is saved, or that hosts and devices share: n bytes
 * and neither libraries, recursion, varargs, unions, designated initialisers nor
 * implicit conversions from void *.
 */
#ifndef TRAWL_BASE_PORT_H
#define TRAWL_BASE_PORT_H

#if defined(__OPENCL_VERSION__)

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
#define GLOBAL __global
#define INLINE static inline
#define KERNEL __kernel
#define SHARED_SIZE(type, bytes) typedef char type##_size[sizeof(type) == (bytes) ? 1 : -1]
#define PORT_FETCH_INC(p) atom_inc(p)
#define PORT_CTZ64(x) ((u32)popcount(((x) & (~(x) + 1)) - 1))
#define PORT_LIKELY(x) (x)
#define PORT_UNLIKELY(x) (x)

#elif defined(__CUDACC__)

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
#define GLOBAL
#define INLINE static __device__ inline
#define KERNEL extern "C" __global__
#define SHARED_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type)
#define PORT_FETCH_INC(p) atomicAdd((p), 1ULL)
#define PORT_CTZ64(x) ((u32)(__ffsll((long long)(x)) - 1))
#define PORT_LIKELY(x) (x)
#define PORT_UNLIKELY(x) (x)

#else

#include <stddef.h>
#include <stdint.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#define GLOBAL
#define INLINE static inline
#define SHARED_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#define PORT_FETCH_INC(p) ((*(p))++)
#if defined(__GNUC__) || defined(__clang__)
#define PORT_CTZ64(x) ((u32)__builtin_ctzll(x))
#define PORT_LIKELY(x) __builtin_expect(!!(x), 1)
#define PORT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
INLINE u32 port_ctz64(u64 x)
{
    u32 n = 0;
    while (!(x & 1)) {
        x >>= 1;
        n++;
    }
    return n;
}
#define PORT_CTZ64(x) port_ctz64(x)
#define PORT_LIKELY(x) (x)
#define PORT_UNLIKELY(x) (x)
#endif

#endif

/* One raw match. `pos` is relative to the window that the walk was given: in text the end of the
 * occurrence, in grids row * cols + col of its top left cell. `index` is the pattern's index in the
 * plan. */
typedef struct record {
    u32 pos;
    u32 index;
} record;

SHARED_SIZE(record, 8);

/* Where matches go. The cursor counts every match, also those beyond the capacity. So no match is
 * lost when the buffer is too small: the caller sees the count and scans again. */
typedef struct sink {
    GLOBAL u64 *cursor;
    GLOBAL record *records;
    u64 capacity;
} sink;

INLINE void sink_put(const sink *out, u32 pos, u32 index)
{
    u64 slot = PORT_FETCH_INC(out->cursor);
    if (slot < out->capacity) {
        out->records[slot].pos = pos;
        out->records[slot].index = index;
    }
}

#endif
