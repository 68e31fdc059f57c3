/* layout.h: the tables of an algorithm that is added to the library by these files and a line in
 * engines.def: see abi.sh.
 */
#ifndef TRAWL_ENGINES_LITERAL_NAIVE_LAYOUT_H
#define TRAWL_ENGINES_LITERAL_NAIVE_LAYOUT_H

#include "engines/shared/literal.h"

typedef struct naive_tables {
    literal_tables literals;
} naive_tables;

SHARED_SIZE(naive_tables, 16);

#endif
