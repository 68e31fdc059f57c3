/* saved.c: see saved.h. */
#include "scan/saved.h"

#include <string.h>

saved_head saved_begin(const saved_kind *kind, const trawl_plan *plan, size_t bytes)
{
    saved_head head = { .version = kind->version,
                        .byte_order = PLAN_BYTE_ORDER,
                        .bytes = bytes,
                        .plan = plan_head(plan)->checksum };
    memcpy(head.magic, kind->magic, sizeof head.magic);
    return head;
}

void saved_seal(void *block)
{
    saved_head head;
    memcpy(&head, block, sizeof head);
    head.checksum = plan_checksum(block, (size_t)head.bytes);
    memcpy(block, &head, sizeof head);
}

int saved_check(const saved_kind *kind, const trawl_plan *plan, const void *block, size_t bytes,
                trawl_error *error)
{
    saved_head head;
    if (bytes >= sizeof head)
        memcpy(&head, block, sizeof head);
    if (bytes < sizeof head || memcmp(head.magic, kind->magic, sizeof head.magic) != 0)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "not a %s: the first bytes are not %s; give what %s wrote", kind->name,
                    kind->magic, kind->writer);
    if (head.byte_order != PLAN_BYTE_ORDER)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the %s was saved on a machine of another byte order: %s", kind->name,
                    kind->instead);
    if (head.version != kind->version)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the %s has version %u, this library reads %u: %s", kind->name, head.version,
                    kind->version, kind->instead);
    if (head.bytes != bytes)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the %s says %llu bytes but has %zu: it was cut or joined; copy it again",
                    kind->name, (unsigned long long)head.bytes, bytes);
    if (plan_checksum(block, bytes) != head.checksum)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the %s's checksum is wrong: the bytes were changed; copy it again",
                    kind->name);
    if (plan_head(plan)->checksum != head.plan)
        return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                    "the %s is of another plan: use the plan that it was made with "
                    "(trawl_plan_save carries it to another machine)",
                    kind->name);
    return TRAWL_OK;
}
