#!/bin/sh
# abi.sh SOURCE WORK LIBRARY PROGRAMS CC [FLAG...]: programs of this version run with a later
# library, and programs of a later version with this one, which refuses what it cannot do.
# The later version is made in the folder WORK: its structs with a size have two more members, and it has
# one more engine, which is a folder (unit/naive) and a line.
# LIBRARY is the shared library as built, PROGRAMS its generated source.
set -eu
source=$1 work=$2 library=$3 programs=$4 cc=$5
shift 5
mkdir -p "$work"

structs='likeness conditions compile_options context_options scan_options plan_info stage_info device_info timing advice
device_text device_grid device_result range_needs range report_info'
edit=
count=0
for name in $structs; do
    edit="$edit;s/^} trawl_$name;/    uint64_t later[2];\\n&/"
    count=$((count + 1))
done
rm -rf "$work/trawl"
cp -R "$source/include/trawl" "$source/include/trawl.h" "$work"
rm "$work/trawl/formats.h" # of the other library
sed -i "${edit#;}" "$work"/trawl.h "$work"/trawl/*.h
for member in 'uint64_t later' 'size_t size;'; do
    [ "$(cat "$work"/trawl.h "$work"/trawl/*.h | grep -c "^    $member")" = $count ] || {
        echo "the structs with a size in the headers are others than: $structs"
        exit 1
    }
done

rm -rf "$work/engines"
cp -R "$source/src/engines" "$work/engines"
cp -R "$source/tests/unit/naive" "$work/engines/literal/naive"
kind=$(grep -cE '^ENGINE\(' "$work/engines/engines.def")
line="ENGINE(naive, NAIVE, $kind, literal, PLAIN, NO_KERNELS, \"comparison at every place\")"
sed "s/^#undef ENGINE/$line\n&/" "$source/src/engines/engines.def" >"$work/engines/engines.def"

build() { # FLAG...
    $cc -std=c11 -w -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -pthread "$@"
}

status=0
run() { # TITLE ADDED LIBRARY FLAG...: abi.c with that library, which has ADDED engines of unit/naive
    title=$1 naive=$2 with=$3
    shift 3
    echo "== $title"
    build "$@" "$source/tests/unit/abi.c" "$with" "-Wl,-rpath,$(dirname "$with")" -o "$work/abi"
    "$work/abi" >"$work/said" || status=1
    cat "$work/said"
    grep -c 'engine naive: 2' "$work/said" | grep -qx "$naive" || {
        echo "the library has $naive engines that were added"
        status=1
    }
}

cd "$source/src"
build "$@" -O0 -shared -fPIC -I "$work" -I "$source/include" -I . base/*.c pattern/*.c plan/*.c \
    -DVEC_PORTABLE $(find "$work/engines" -name '*.c') device/*.c backend/*.c match/*.c scan/*.c "$programs" \
    -o "$work/libtrawl_later.so" -ldl
run "this program, this library" 0 "$library" "$@" -I "$source/include"
run "this program, a later library" 1 "$work/libtrawl_later.so" "$@" -I "$source/include"
run "a later program, this library" 0 "$library" "$@" -DLATER -I "$work"
exit $status
