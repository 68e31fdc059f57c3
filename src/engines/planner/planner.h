/* planner.h: from a problem, or from saved bytes, to a plan. */
#ifndef TRAWL_ENGINES_PLANNER_PLANNER_H
#define TRAWL_ENGINES_PLANNER_PLANNER_H

#include "engines/shared/problem.h"
#include "plan/plan.h"

/* Build the plan of a problem with the engine of that name, or with the best parts and stages
 * ("auto"). Errors: an unknown engine, or one that does not take the set; memory. */
int plan_make(const problem *p, const char *engine, trawl_plan **plan, trawl_error *error);

/* As trawl_plan_load; *plan is set only on success. */
int plan_load(memory *m, const void *bytes, size_t size, trawl_plan **plan, trawl_error *error);

#endif
