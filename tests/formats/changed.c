/* changed.c: see changed.h. */
#define _DEFAULT_SOURCE
#include "changed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

size_t change(rng *r, uint8_t *bytes, size_t length, size_t room)
{
    for (uint32_t changes = rng_between(r, 1, 4); changes && length; changes--) {
        const size_t at = rng_below(r, (uint32_t)length);
        const size_t other = rng_below(r, (uint32_t)length);
        switch (rng_below(r, 8)) {
        case 0:
            bytes[at] = (uint8_t)rng_next(r);
            break;
        case 1:
            bytes[at] = rng_chance(r, 2) ? 0xff : 0;
            break;
        case 2:
            length = rng_chance(r, 4) ? at : length;
            break;
        case 3: /* a piece again */
            if (length + (length - at) <= room && length - at < 600) {
                memmove(bytes + length, bytes + at, length - at);
                length += length - at;
            }
            break;
        case 4: /* a piece elsewhere */
            memmove(bytes + at, bytes + other, length - (at > other ? at : other));
            break;
        default:
            bytes[at] ^= (uint8_t)(1u << rng_below(r, 8));
        }
    }
    return length;
}

void changed_failed(const char *test, uint64_t seed, const char *format)
{
    fail_msg("%s; again: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 %s", format,
             (unsigned long long)seed, test);
}

void changed_limit_memory(void)
{
    struct rlimit memory = { (rlim_t)3 << 30, (rlim_t)3 << 30 };
    if (!test_sanitized())
        setrlimit(RLIMIT_AS, &memory);
}
