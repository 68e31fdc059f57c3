#!/bin/sh
# exports.sh: the libraries show trawl_* and nothing else; the shared one with versions (exports.map).
#
#     exports.sh LIBRARY.SO LIBRARY.A NAMES
#
# NAMES are some that have to be there.
set -u

fail=0

# check WHAT SYMBOLS: every name begins with trawl_, and the known ones are there.
check()
{
    foreign=$(printf '%s\n' "$2" | grep -v '^trawl_')
    if [ -n "$foreign" ]; then
        printf '%s exports what it should not:\n%s\n' "$1" "$foreign"
        fail=1
    fi
    for name in $names; do
        if ! printf '%s\n' "$2" | grep -qx "$name"; then
            printf '%s does not export %s\n' "$1" "$name"
            fail=1
        fi
    done
}

if [ $# -ne 3 ] || [ ! -r "$1" ] || [ ! -r "$2" ]; then
    echo "usage: exports.sh LIBRARY.SO LIBRARY.A NAMES" >&2
    exit 2
fi
names=$3
nm=${NM:-nm} # of the machine that they are for
if ! command -v "$nm" >/dev/null; then
    echo "skipped: there is no nm (package binutils)"
    exit 77
fi

# Linkers define _init, _fini and marks of the segments in some shared libraries, and a symbol A for
# each version.
versioned=$("$nm" -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | grep -vxE '_init|_fini|_edata|_end|__bss_start')
shared=$(printf '%s\n' "$versioned" | sed 's/@.*//')
static=$("$nm" -g --defined-only "$2" | awk 'NF == 3 { print $3 }')

# With a sanitizer the library is linked without exports.map (CMakeLists.txt).
if "$nm" -u "$2" | grep -qE ' __(asan|ubsan|tsan)_'; then
    echo "skipped: built with a sanitizer"
    exit 77
fi
if printf '%s\n' "$versioned" | grep -v '@@TRAWL_[0-9]'; then
    echo "$1 shows these without a version: cmake/exports.map has to name them"
    fail=1
fi
check "$1" "$shared"
check "$2" "$static"
exit $fail
