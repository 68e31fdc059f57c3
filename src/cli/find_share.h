/* find_share.h: the list of files that the ranks share (formats/search/share.h). */
#ifndef TRAWL_FIND_SHARE_H
#define TRAWL_FIND_SHARE_H

#include "cli/cluster.h"
#include "cli/find_search.h"
#include "formats/search/share.h"

/* Rank 0 lists the files, all get the list. `ranges`: texts may be cut. Rank 0 ends all after a
 * complaint. False: no memory. */
bool share_open(share *s, const cluster *c, find_search *f, char **paths, int count, bool ranges,
                const char *output);
void share_close(share *s);

#endif
