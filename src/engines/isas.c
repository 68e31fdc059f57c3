/* isas.c: the tables of walks, by instruction set. */
#include "engines/shared/walk.h"

extern const walk *const walks_avx512[WALK_KINDS],
    *const walks_avx2[WALK_KINDS], *const walks_neon[WALK_KINDS], *const walks_portable[WALK_KINDS];

const walk *const *const walk_sets[ISA_COUNT] = {
#ifdef TRAWL_HAVE_AVX512
    [ISA_AVX512] = walks_avx512,
#endif
#ifdef TRAWL_HAVE_AVX2
    [ISA_AVX2] = walks_avx2,
#endif
#ifdef TRAWL_HAVE_NEON
    [ISA_NEON] = walks_neon,
#endif
    [ISA_PORTABLE] = walks_portable,
};
