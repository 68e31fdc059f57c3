/* choices.h: what trawl_compile_options.engine may say, for tests that try each: every engine, a
 * chain of each that may give up, and auto. */
#ifndef TRAWL_CHOICES_H
#define TRAWL_CHOICES_H

#include <stddef.h>

/* The i-th: an engine by its name, then chains of two, then "auto"; NULL after the last. */
const char *engine_choice(size_t i);

#endif
