/* launch.h: scanning a piece in slices, with rounds when the plan carries (device.h): what
 * the hosts of both bit-parallel walks share.
 */
#ifndef TRAWL_ENGINES_SHARED_CARRY_LAUNCH_H
#define TRAWL_ENGINES_SHARED_CARRY_LAUNCH_H

#include "engines/shared/carry/device.h"
#include "engines/shared/device/kernel.h"

/* What a walk needs for a slice. */
typedef struct slice_needs {
    uint64_t items; /* work items */
    bool works;     /* with a bounded reach: working memory */
} slice_needs;

size_t carry_scratch(const device_plan *p, slice_needs needs, uint64_t length);

/* Queue the kernels for one mode of the cut; every work item takes cut->span slices. */
typedef int (*cut_run)(const device_plan *p, device_queue *q, text_piece *piece,
                       const text_cut *cut, trawl_error *error);

/* Scan a piece: one run, or the rounds of a plan that carries. */
int carry_run(const device_plan *p, device_queue *q, text_piece *piece, slice_needs needs,
              cut_run run, trawl_error *error);

/* Add the scratch memory, or any buffer if there is none: then it is not used. */
static inline void launch_scratch(launch *l, const device_plan *p, const text_piece *piece)
{
    launch_buffer(l, piece->scratch ? piece->scratch : &p->tables);
}

#endif
