/* isa.c: see isa.h. */
#include "base/isa.h"

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

bool isa_runs(isa set)
{
    switch (set) {
#ifdef TRAWL_HAVE_AVX512
    case ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#endif
#ifdef TRAWL_HAVE_AVX2
    case ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#endif
#ifdef TRAWL_HAVE_NEON
    case ISA_NEON:
        return true;
#endif
    case ISA_PORTABLE:
        return true;
    default:
        return false;
    }
}

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
