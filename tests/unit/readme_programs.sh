#!/bin/sh
# readme_programs.sh README WORK [FLAG...]: the programs of README.md do what they say.
# They are taken from its code blocks by language, built in the folder WORK with $CC, $CXX and the
# flags, and run, the one in Python by $PYTHON. That in C is built as a project of CMake, too, by
# $CMAKE, which has to find Trawl installed. A language whose variable is empty is left out.
set -eu
readme=$1 work=$2
shift 2
mkdir -p "$work"

block() { # LANGUAGE [NUMBER]: the code block of that language, the only one, or that one
    awk -v fence="\`\`\`$1" -v number="${2-0}" '
        /^```/ { blocks += $0 == fence; inside = $0 == fence && (!number || blocks == number); next }
        inside
        END { if (number ? blocks < number : blocks != 1) {
            print blocks + 0 " blocks of " fence >"/dev/stderr"; exit 1 } }' "$readme"
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
    block c 1 >"$work/ushers.c"
    $CC -std=c11 -Wall -Wextra -Wpedantic -Werror "$work/ushers.c" "$@" -o "$work/ushers_c"
    expect c "$work/ushers_c"
    block c 2 >"$work/sites.c"
    $CC -std=c11 -Wall -Wextra -Wpedantic -Werror "$work/sites.c" "$@" -o "$work/sites"
    printf '>a x\nACGGAA\nTTC\n>b\nGAATTCGAATTC\n' >"$work/sites.fa"
    printf 'a: [3, 9)\nb: [0, 6)\nb: [6, 12)\n' >"$work/sites.want"
    pack=$(command -v bgzip || command -v gzip || echo cat)
    "$pack" <"$work/sites.fa" >"$work/sites.fa.packed"
    for file in "$work/sites.fa" "$work/sites.fa.packed"; do
        if ! "$work/sites" "$file" | diff -u "$work/sites.want" -; then
            echo "the program that searches FASTA prints something else of $file"
            exit 1
        fi
    done
    echo "ok: c, of $pack"
else
    left_out C
fi
if [ -n "${CMAKE-}" ]; then
    block c 1 >"$work/ushers.c"
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
