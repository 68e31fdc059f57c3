/* library.h: libraries of others that are loaded when they are first needed.
 *
 * Some bring forty more with them, which a search that needs none should not wait for. Who uses one
 * lists its functions once, as lines of LINE(result, name, (arguments)), and says where it is:
 *     LIBRARY(CALLS, (void)0, "libtiff.so.6", "libtiff.so")
 * Then library_there() loads it, the first time, and lib.name(...) calls a function. The compiler
 * sees to it that the list and the library's header say the same.
 */
#ifndef TRAWL_LIBRARY_H
#define TRAWL_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define LIBRARY_POINTER(result, name, arguments) result(*name) arguments;
#define LIBRARY_NAME(result, name, arguments) #name,
#define LIBRARY_CHECK(result, name, arguments)                                                     \
    _Static_assert(_Generic(&name, result(*) arguments : 1, default : 0), #name);

/* Once for a file that uses a library: `CALLS` of it, what is to be done when it was loaded, its
 * names from the best on. */
#define LIBRARY(CALLS, begin, ...)                                                                 \
    CALLS(LIBRARY_CHECK)                                                                           \
    static struct {                                                                                \
        CALLS(LIBRARY_POINTER)                                                                     \
    } lib; /* filled once */                                                                       \
    static bool library_loaded;                                                                    \
    static void library_begin(void)                                                                \
    {                                                                                              \
        static const char *const files[] = { __VA_ARGS__, NULL };                                  \
        static const char *const names[] = { CALLS(LIBRARY_NAME) NULL };                           \
        library_loaded = library_load(files, names, &lib);                                         \
        if (library_loaded)                                                                        \
            begin;                                                                                 \
    }                                                                                              \
    static bool library_there(void)                                                                \
    {                                                                                              \
        static pthread_once_t once = PTHREAD_ONCE_INIT;                                            \
        pthread_once(&once, library_begin);                                                        \
        return library_loaded;                                                                     \
    }

/* Load the first of `files` (up to NULL) that is there and has all `names` (up to NULL), and put
 * their addresses into `pointers`. It stays loaded. Thread-safe for pointers of the caller's own.
 * False: nothing was loaded. */
bool library_load(const char *const *files, const char *const *names, void *pointers);

#endif
