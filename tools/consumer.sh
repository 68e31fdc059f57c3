#!/bin/bash
# consumer.sh PREFIX WORK: build and run programs against the Trawl installed under PREFIX,
# in every way that its packaging promises. WORK is a folder for what is built.
set -euo pipefail
prefix=$(realpath "$1") work=$2
here=$(cd "$(dirname "$0")" && pwd)
libdir=$(dirname "$(find "$prefix" -name 'libtrawl.so' | head -n 1)")
export PKG_CONFIG_PATH=$libdir/pkgconfig
mkdir -p "$work"

flags_of() { # OPTION...: what pkg-config says, in the array flags
    local line
    line=$(pkg-config "$@" "${module-trawl}")
    read -ra flags <<<"$line"
}

echo "== pkg-config, shared"
flags_of --cflags --libs
${CC:-cc} -o "$work/pc_shared" "$here/consumer/main.c" "${flags[@]}" "-Wl,-rpath,$libdir"
"$work/pc_shared"
ldd "$work/pc_shared" | grep 'libtrawl\.so\.'

echo "== pkg-config, static"
flags_of --static --cflags --libs
${CC:-cc} -static -o "$work/pc_static" "$here/consumer/main.c" "${flags[@]}"
"$work/pc_static"

echo "== pkg-config, static, the library of formats"
module=trawl-formats flags_of --static --cflags --libs
${CC:-cc} -o "$work/pc_formats" "$here/consumer/formats.c" "${flags[@]/#-ltrawl-formats/-l:libtrawl-formats.a}" "-Wl,-rpath,$libdir"
"$work/pc_formats"

echo "== find_package, shared and static"
cmake -S "$here/consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$work/cmake"
"$work/cmake/consumer_shared"
"$work/cmake/consumer_static"
"$work/cmake/formats_shared"
"$work/cmake/formats_static"

echo "== the programs of README.md"
module=trawl-formats flags_of --cflags --libs
CC=${CC:-cc} CXX=${CXX-$(command -v c++)} PYTHON=${PYTHON-$(command -v python3)} CMAKE=cmake \
    CMAKE_PREFIX_PATH=$prefix LD_LIBRARY_PATH=$libdir sh "$here/../tests/unit/readme_programs.sh" "$here/../README.md" \
    "$work/readme" "${flags[@]}"

echo "== the command"
"$prefix/bin/trawl" --version
echo "she sells sea shells" | "$prefix/bin/trawl" grep -c sea | grep -x 1
