/* library.h: libraries of others that are loaded when they are first needed.
 *
 * Some bring forty more with them, which a search that needs none should not wait for. Who uses one
 * lists its functions once, as lines of LINE(result, name, (arguments)), and gets with
 *     struct { LIST(LIBRARY_POINTER) }       pointers to them, which library_load fills in order,
 *     { LIST(LIBRARY_NAME) NULL }            their names,
 *     LIST(LIBRARY_CHECK)                    the compiler's word that the header says the same.
 */
#ifndef TRAWL_LIBRARY_H
#define TRAWL_LIBRARY_H

#include <stdbool.h>

#define LIBRARY_POINTER(result, name, arguments) result(*name) arguments;
#define LIBRARY_NAME(result, name, arguments) #name,
#define LIBRARY_CHECK(result, name, arguments)                                                     \
    _Static_assert(_Generic(&name, result(*) arguments : 1, default : 0), #name);

/* Load the first of `files` (up to NULL) that is there and has all `names` (up to NULL), and put
 * their addresses into `pointers`. It stays loaded. Thread-safe for pointers of the caller's own.
 * False: nothing was loaded. */
bool library_load(const char *const *files, const char *const *names, void *pointers);

#endif
