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
    block c 3 >"$work/judge.c"
    $CC -std=c11 -Wall -Wextra -Wpedantic -Werror "$work/judge.c" "$@" -o "$work/judge"
    echo 'alert tcp any any -> any 80 (msg:"a shell"; content:"/bin/"; content:"sh"; sid:7;)' >"$work/rules"
    { # a capture of raw IP: one packet of TCP from 10.0.0.1, port 9, to 10.0.0.2, port 80
        printf '\324\303\262\241\2\0\4\0\0\0\0\0\0\0\0\0\377\377\0\0\145\0\0\0'
        printf '\0\0\0\0\0\0\0\0\57\0\0\0\57\0\0\0'
        printf 'E\0\0\57\0\0\0\0\100\6\0\0\12\0\0\1\12\0\0\2'
        printf '\0\11\0\120\0\0\0\0\0\0\0\0\120\0\0\0\0\0\0\0/bin/sh'
    } >"$work/capture.pcap"
    said=$("$work/judge" "$work/rules" "$work/capture.pcap" 2>&1) || true
    case $said in
    "1 tcp 10.0.0.1:9 > 10.0.0.2:80: 7 a shell") echo "ok: c, of rules" ;;
    *libpcap*) left_out "C of rules, without libpcap" ;;
    *) echo "the program that judges packets prints something else: $said" && exit 1 ;;
    esac
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
