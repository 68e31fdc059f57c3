/* version.c: which library this is. */
#include "trawl.h"

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *trawl_version(void)
{
    return VERSION_TEXT(TRAWL_VERSION_MAJOR, TRAWL_VERSION_MINOR, TRAWL_VERSION_PATCH);
}
