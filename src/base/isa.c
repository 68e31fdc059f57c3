/* isa.c: see isa.h. */
#include "base/isa.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[ISA_COUNT] = {
    [ISA_PORTABLE] = "portable",
    [ISA_NEON] = "neon",
    [ISA_AVX2] = "avx2",
    [ISA_AVX512] = "avx512",
};

const char *isa_name(isa set)
{
    return names[set];
}

/* ---- what the processor and the system can do -------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)
/* Ask the processor itself: __builtin_cpu_supports asks the compiler's run-time library, and that
 * of some compilers says no to everything. */
static uint32_t cpuid(uint32_t leaf, uint32_t *b, uint32_t *c)
{
    uint32_t a = leaf, d;
    *c = 0;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(*b), "+c"(*c), "=d"(d));
    return a;
}

/* Which registers the system saves when it switches threads. */
static uint32_t saved_registers(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static bool has(uint32_t word, uint32_t bits)
{
    return (word & bits) == bits;
}

/* The vectors that run here, as a bit for each isa. The flags are those of cmake/vector.cmake. */
static unsigned vectors(void)
{
    enum { POPCNT = 1u << 23, OSXSAVE = 1u << 27, AVX = 1u << 28 };            /* leaf 1, ecx */
    enum { BMI1 = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8 };                   /* leaf 7, ebx */
    enum { AVX512F = 1u << 16, AVX512BW = 1u << 30 };                          /* leaf 7, ebx */
    const uint32_t avx512vl = 1u << 31;                                        /* leaf 7, ebx */
    enum { AVX512VBMI = 1u << 1, AVX512VBMI2 = 1u << 6 };                      /* leaf 7, ecx */
    enum { YMM = 1u << 1 | 1u << 2, ZMM = YMM | 1u << 5 | 1u << 6 | 1u << 7 }; /* saved */
    uint32_t b, c;
    if (cpuid(0, &b, &c) < 7)
        return 0;
    cpuid(1, &b, &c);
    if (!has(c, POPCNT | OSXSAVE | AVX))
        return 0;
    const uint32_t saved = saved_registers();
    cpuid(7, &b, &c);
    if (!has(saved, YMM) || !has(b, BMI1 | AVX2 | BMI2))
        return 0;
    const bool avx512 = has(saved, ZMM) && has(b, AVX512F | AVX512BW | avx512vl) &&
                        has(c, AVX512VBMI | AVX512VBMI2);
    return 1u << ISA_AVX2 | (avx512 ? 1u << ISA_AVX512 : 0);
}
#elif defined(__aarch64__)
static unsigned vectors(void)
{
    return 1u << ISA_NEON; /* every such processor has it */
}
#else
static unsigned vectors(void)
{
    return 0;
}
#endif

/* The sets that this library has walks for. */
static unsigned compiled(void)
{
    unsigned sets = 1u << ISA_PORTABLE;
#ifdef TRAWL_HAVE_NEON
    sets |= 1u << ISA_NEON;
#endif
#ifdef TRAWL_HAVE_AVX2
    sets |= 1u << ISA_AVX2;
#endif
#ifdef TRAWL_HAVE_AVX512
    sets |= 1u << ISA_AVX512;
#endif
    return sets;
}

/* The machine does not change, and asking takes 25 microseconds on a virtual one, where cpuid is
 * emulated: as long as a small compile. So the first answer is kept. */
bool isa_runs(isa set)
{
    static atomic_uint known; /* 0: not asked yet; all threads get the same answer */
    unsigned runs = atomic_load_explicit(&known, memory_order_relaxed);
    if (!runs) {
        runs = 1u << ISA_PORTABLE | (vectors() & compiled());
        atomic_store_explicit(&known, runs, memory_order_relaxed);
    }
    return runs >> set & 1;
}

/* ---- choosing ------------------------------------------------------------------ */

static isa best(void)
{
    isa set = ISA_AVX512;
    while (!isa_runs(set))
        set = (isa)(set - 1);
    return set;
}

static isa of_name(const char *name)
{
    isa set = ISA_PORTABLE;
    while (set < ISA_COUNT && strcmp(names[set], name) != 0)
        set = (isa)(set + 1);
    return set;
}

isa isa_usual(void)
{
    const char *name = getenv("TRAWL_ISA");
    const isa set = name ? of_name(name) : ISA_COUNT;
    return set < ISA_COUNT && isa_runs(set) ? set : best();
}

int isa_choose(const char *name, isa *set, trawl_error *error)
{
    const char *from = "";
    char here[64] = "";
    if (!name || !*name) {
        name = getenv("TRAWL_ISA");
        from = "TRAWL_ISA: ";
    }
    *set = best();
    if (!name || !*name || strcmp(name, "auto") == 0)
        return TRAWL_OK;
    const isa found = of_name(name);
    if (found < ISA_COUNT && isa_runs(found)) {
        *set = found;
        return TRAWL_OK;
    }
    for (isa each = ISA_PORTABLE; each < ISA_COUNT; each = (isa)(each + 1))
        if (isa_runs(each)) {
            const size_t length = strlen(here);
            snprintf(here + length, sizeof here - length, "%s%s", length ? ", " : "", names[each]);
        }
    return fail(error, found < ISA_COUNT ? TRAWL_ERROR_UNSUPPORTED : TRAWL_ERROR_ARGUMENT,
                TRAWL_NONE, "%sthe instruction set '%.20s' %s: use one of %s", from, name,
                found < ISA_COUNT ? "does not run on this machine" : "is not known", here);
}

const char *trawl_isa_name(size_t index)
{
    for (isa each = ISA_PORTABLE; each < ISA_COUNT; each = (isa)(each + 1))
        if (isa_runs(each) && index-- == 0)
            return names[each];
    return NULL;
}
