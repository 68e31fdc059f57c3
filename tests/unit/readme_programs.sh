#!/bin/sh
# readme_programs.sh README WORK [FLAG...]: the programs of README.md do what they say.
# They are taken from its code blocks by language, built in the folder WORK with $CC, $CXX and the
# flags, and run, the one in Python by $PYTHON. That in C is built as a project of CMake, too, by
# $CMAKE, which has to find Trawl installed. A language whose variable is empty is left out.
set -eu
readme=$1 work=$2
shift 2
mkdir -p "$work"

block() { # LANGUAGE: the code block of that language, of which there is one
    awk -v fence="\`\`\`$1" '/^```/ { inside = $0 == fence; blocks += inside; next } inside
        END { if (blocks != 1) { print blocks + 0 " blocks of " fence >"/dev/stderr"; exit 1 } }' \
        "$readme"
}

expect() { # LANGUAGE COMMAND...: what the command prints
    language=$1
    shift
    "$@" >"$work/$language.out"
    if ! printf 'pattern 2: [1, 4)\npattern 1: [2, 4)\n' | diff -u - "$work/$language.out"; then
        echo "the program in $language prints something else"
        exit 1
    fi
    echo "ok: $language"
}

left_out() { # LANGUAGE
    echo "left out: the program in $1"
}

if [ -n "${CC-}" ]; then
    block c >"$work/ushers.c"
    $CC -std=c11 -Wall -Wextra -Wpedantic -Werror "$work/ushers.c" "$@" -o "$work/ushers_c"
    expect c "$work/ushers_c"
else
    left_out C
fi
if [ -n "${CMAKE-}" ]; then
    block c >"$work/ushers.c"
    block cmake >"$work/CMakeLists.txt"
    $CMAKE -S "$work" -B "$work/cmake" >"$work/cmake.log"
    $CMAKE --build "$work/cmake" >>"$work/cmake.log"
    expect cmake "$work/cmake/ushers"
else
    left_out "C, by CMake"
fi
if [ -n "${CXX-}" ]; then
    block cpp >"$work/ushers.cpp"
    $CXX -std=c++17 -Wall -Wextra -Wpedantic -Werror "$work/ushers.cpp" "$@" -o "$work/ushers_cpp"
    expect cpp "$work/ushers_cpp"
else
    left_out C++
fi
if [ -n "${PYTHON-}" ]; then
    block python >"$work/ushers.py"
    expect python "$PYTHON" "$work/ushers.py"
else
    left_out Python
fi
