/* port.h: what kernels need beyond port.h: local memory, barriers, textures, constant
 * memory, ballots. For OpenCL C 1.2 and CUDA C; the file is never compiled as C.
 *
 *   ENTRY(name)              the name of a kernel in this variant: KERNEL void ENTRY(name)(...)
 *   RECORDS_ARGS             two parameters: where matches go, cursor and records
 *   LOCAL CONSTANT TEXTURE   address spaces; a texture parameter is written `TEXTURE name`
 *   LOCAL_ARG                last in a kernel's parameter list when it uses `local`
 *   LOCAL_MEMORY             first in that kernel's body: `local` is LOCAL u32 *, 16-byte aligned
 *   CONSTANT_ARG             in a parameter list, no comma around it: constants is CONSTANT u32 *;
 *   CONSTANT_GIVEN           the same in a call of a function that has it
 *   PORT_TEXEL(t, i)         u32 number i of a texture
 *   PORT_ITEM PORT_LID PORT_GROUP_SIZE PORT_GROUP PORT_GROUPS    u32
 *   PORT_BARRIER()           of the group, for local and global memory
 *   PORT_LOCAL_ADD(p, n)     atomic on LOCAL u32; returns the old value; so does _OR
 *   PORT_GLOBAL_OR(p, n)     atomic on GLOBAL u32
 *   PORT_GLOBAL_ADD64(p, n)  atomic on GLOBAL u64; returns the old value
 *   PORT_POPCOUNT(x)         number of ones of a u32
 *   PORT_CTZ(x)              zeros below the lowest one of a u32 that is not 0
 *   PORT_TOP(x)              the number of the highest one of such a u32
 *   PORT_FUNNEL(a, b, n)     u32: the 64 bits b:a, a lowest, shifted down by n modulo 32
 *   PORT_TOPS(a, b, c, d)    u32 of the highest bytes of four, a's lowest
 *   PORT_BOUND(items)        after KERNEL: no group has more items; registers are for that
 *   PORT_UP(x, n)            u32 x shifted up by n modulo 32
 *   u32x4, PORT_LOAD4(p)     16 bytes from a 16-byte aligned GLOBAL const u32 *; .x .y .z .w
 *   PORT_STREAM4(p)          the same for what is read once: it need not stay in a cache
 *   PORT_FETCH(p)            the line at a GLOBAL address will be read soon
 *   PORT_WARPS               1 if devices have warps, for #if, and what follows; else 0
 * All 32 lanes of a warp must call these together:
 *   PORT_BALLOT(x)           u32 with the bit of every lane whose x != 0
 *   PORT_SHUFFLE(x, lane)    the u32 x of that lane
 *   PORT_WARP_BARRIER()      of the warp, for local and global memory
 */
#ifndef TRAWL_ENGINES_SHARED_DEVICE_PORT_H
#define TRAWL_ENGINES_SHARED_DEVICE_PORT_H

#include "base/port.h"
#include "device/constant.h"

#define PORT_PASTE(a, b) a##b
#define PORT_NAME(a, b) PORT_PASTE(a, b)
#define RECORDS_ARGS GLOBAL u64 *cursor, GLOBAL record *records

#if defined(__OPENCL_VERSION__)

#define ENTRY(name) name
#define PORT_BOUND(items)
#define LOCAL __local
#define CONSTANT __constant
#define TEXTURE __read_only image1d_buffer_t
/* It is uint4, so that the memory is aligned to 16 bytes; `local` is another word for __local in
 * OpenCL C. */
#define local port_local
#define LOCAL_ARG , __local uint4 *port_memory
#define LOCAL_MEMORY __local u32 *port_local = (__local u32 *)port_memory;
#define CONSTANT_ARG __constant u32 *constants,
#define CONSTANT_GIVEN constants,
#define PORT_TEXEL(t, i) (read_imageui((t), (int)(i)).x)
#define PORT_ITEM ((u32)get_global_id(0))
#define PORT_LID ((u32)get_local_id(0))
#define PORT_GROUP_SIZE ((u32)get_local_size(0))
#define PORT_GROUP ((u32)get_group_id(0))
#define PORT_GROUPS ((u32)get_num_groups(0))
#define PORT_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define PORT_LOCAL_ADD(p, n) atomic_add((p), (n))
#define PORT_LOCAL_OR(p, n) atomic_or((p), (n))
#define PORT_GLOBAL_OR(p, n) atomic_or((p), (n))
typedef uint4 u32x4;
#define PORT_LOAD4(p) (*(GLOBAL const u32x4 *)(p))
#define PORT_POPCOUNT(x) popcount((u32)(x))
#define PORT_CTZ(x) popcount(((u32)(x) & (~(u32)(x) + 1u)) - 1u)
#define PORT_TOP(x) (31u - clz((u32)(x)))
#define PORT_GLOBAL_ADD64(p, n) atom_add((p), (u64)(n))
#if defined(__NV_CL_C_VERSION)
#define PORT_WARPS 1
INLINE u32 port_ballot(int x)
{
    u32 lanes;
    u32 bit = x != 0;
    __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, -1; }"
                     : "=r"(lanes)
                     : "r"(bit));
    return lanes;
}
INLINE u32 port_shuffle(u32 x, u32 lane)
{
    u32 got;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, -1;" : "=r"(got) : "r"(x), "r"(lane));
    return got;
}
INLINE u32x4 port_stream4(GLOBAL const u32 *p)
{
    u32x4 v;
    __asm__ volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
    return v;
}
INLINE u32 port_permute(u32 a, u32 b, u32 bytes)
{
    u32 got;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(got) : "r"(a), "r"(b), "r"(bytes));
    return got;
}
INLINE u32 port_funnel(u32 a, u32 b, u32 n)
{
    u32 got;
    __asm__("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(got) : "r"(a), "r"(b), "r"(n));
    return got;
}
INLINE u32 port_up(u32 x, u32 n)
{
    u32 got;
    __asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(got) : "r"(0), "r"(x), "r"(n));
    return got;
}
#define PORT_FUNNEL(a, b, n) port_funnel(a, b, n)
#define PORT_UP(x, n) port_up(x, n)
#define PORT_FETCH(p) __asm__ volatile("prefetch.global.L2 [%0];" : : "l"(p))
#define PORT_BALLOT(x) port_ballot(x)
#define PORT_SHUFFLE(x, lane) port_shuffle(x, lane)
#define PORT_TOPS(a, b, c, d)                                                                      \
    port_permute(port_permute(a, b, 0x0073), port_permute(c, d, 0x0073), 0x5410)
#define PORT_WARP_BARRIER() __asm__ volatile("bar.warp.sync -1;" ::: "memory")
#define PORT_STREAM4(p) port_stream4(p)
#else
#define PORT_WARPS 0
#define PORT_FUNNEL(a, b, n) ((u32)(((u64)(b) << 32 | (a)) >> ((n)&31)))
#define PORT_UP(x, n) ((x) << ((n)&31u))
#define PORT_FETCH(p)
#define PORT_TOPS(a, b, c, d) ((a) >> 24 | ((b) >> 24) << 8 | ((c) >> 24) << 16 | ((d) >> 24) << 24)
#define PORT_STREAM4(p) PORT_LOAD4(p)
#endif

#elif defined(__CUDACC__)

#define ENTRY(name) PORT_NAME(name, VARIANT)
#define PORT_BOUND(items) __launch_bounds__(items)
#define LOCAL
#define CONSTANT
#define TEXTURE cudaTextureObject_t
#define LOCAL_ARG
#define LOCAL_MEMORY extern __shared__ __align__(16) u32 local[];
static __constant__ u32 constants[CONSTANT_WORDS];
#define CONSTANT_ARG
#define CONSTANT_GIVEN
#define PORT_TEXEL(t, i) (tex1Dfetch<u32>((t), (int)(i)))
#define PORT_ITEM ((u32)(blockIdx.x * blockDim.x + threadIdx.x))
#define PORT_LID ((u32)threadIdx.x)
#define PORT_GROUP_SIZE ((u32)blockDim.x)
#define PORT_GROUP ((u32)blockIdx.x)
#define PORT_GROUPS ((u32)gridDim.x)
#define PORT_BARRIER() __syncthreads()
#define PORT_LOCAL_ADD(p, n) atomicAdd((p), (u32)(n))
#define PORT_LOCAL_OR(p, n) atomicOr((p), (u32)(n))
#define PORT_GLOBAL_OR(p, n) atomicOr((p), (u32)(n))
typedef uint4 u32x4;
#define PORT_LOAD4(p) (*(const u32x4 *)(p))
#define PORT_WARPS 1
#define PORT_STREAM4(p) __ldcs((const u32x4 *)(p))
#define PORT_FETCH(p) asm volatile("prefetch.global.L2 [%0];" : : "l"(p))
#define PORT_POPCOUNT(x) ((u32)__popc(x))
#define PORT_CTZ(x) ((u32)__ffs((int)(x)) - 1u)
#define PORT_TOP(x) (31u - (u32)__clz((int)(x)))
#define PORT_FUNNEL(a, b, n) __funnelshift_r((a), (b), (n))
#define PORT_UP(x, n) __funnelshift_l(0u, (x), (n))
#define PORT_GLOBAL_ADD64(p, n) atomicAdd((p), (u64)(n))
#define PORT_TOPS(a, b, c, d)                                                                      \
    __byte_perm(__byte_perm((a), (b), 0x0073), __byte_perm((c), (d), 0x0073), 0x5410)
#define PORT_BALLOT(x) __ballot_sync(0xffffffffu, (x) != 0)
#define PORT_SHUFFLE(x, lane) __shfl_sync(0xffffffffu, (x), (int)(lane))
#define PORT_WARP_BARRIER() __syncwarp()

#endif

#endif
