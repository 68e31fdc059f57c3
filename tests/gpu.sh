#!/bin/bash
# gpu.sh: prove Trawl on an NVIDIA GPU, with CUDA and with NVIDIA's OpenCL.
#
#   tests/gpu.sh [BUILD]
#
# BUILD is a build folder with its tests; without one this script builds build-gpu (cmake,
# nvcc and cmocka must be there). Then: the device tests on every CUDA and OpenCL device, the
# self-test, and the self-test again under compute-sanitizer's memcheck, racecheck and
# initcheck. Logs go to $OUT, or the build folder. The last lines are the verdict; exit
# status 0 when nothing failed.
#
# TRAWL_TEST_CASES (default 20000) is the number of comparisons a device.
set -uo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-}
if [ -z "$build" ]; then
    build=$source/build-gpu
    cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release >/dev/null &&
        cmake --build "$build" -j "$(nproc)" || exit 1
fi
logs=${OUT:-$build}
export TRAWL_TEST_CASES=${TRAWL_TEST_CASES:-20000}
export TRAWL_CACHE_DIR=${TRAWL_CACHE_DIR-$build/cache}
PATH=$PATH:/usr/local/cuda/bin
verdict=""
failures=0

# Run a step; its log is kept, and its last words are shown.
step() { # NAME COMMAND...
    local name=$1 begin=$SECONDS status
    shift
    "$@" >"$logs/$name.log" 2>&1
    status=$?
    [ $status = 0 ] || failures=$((failures + 1))
    verdict="$verdict$(printf '%-28s %-6s %4d s' "$name" \
        "$([ $status = 0 ] && echo ok || echo FAILED)" $((SECONDS - begin)))"$'\n'
    echo "== $name"
    tail -n "$([ $status = 0 ] && echo 4 || echo 40)" "$logs/$name.log"
}

# compute-sanitizer sees what goes through CUDA: the driver's OpenCL is not instrumented.
sanitized() { # TOOL
    compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 20 \
        "$build/trawl" devices --selftest=cuda
}

"$build/trawl" devices
step selftest "$build/trawl" devices --selftest
for backend in cuda opencl; do
    step "oracle-$backend" env TRAWL_TEST_BACKENDS=$backend "$build/tests/test_devices"
    step "plans-$backend" env TRAWL_TEST_BACKENDS=$backend "$build/tests/test_devices_plans"
    step "like-$backend" env TRAWL_TEST_BACKENDS=$backend TRAWL_TEST_CASES=1000 \
        "$build/tests/test_like"
    step "text-$backend" env TRAWL_TEST_BACKENDS=$backend "$build/tests/test_device_text"
done
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck; do
        step "sanitizer-$tool" sanitized $tool
    done
    # Texts of the caller's: nothing outside of a buffer is read. Calls that must fail are part of it.
    step sanitizer-text env TRAWL_TEST_BACKENDS=cuda TRAWL_TEST_CASES=500 compute-sanitizer \
        --tool memcheck --report-api-errors no --error-exitcode 9 --print-limit 20 \
        "$build/tests/test_device_text" test_random
else
    echo "compute-sanitizer is not installed (package cuda-sanitizer): left out"
    verdict="${verdict}compute-sanitizer            missing"$'\n'
fi

printf '\nVerdict\n%s%s\n' "$verdict" \
    "$([ $failures = 0 ] && echo 'nothing failed' || echo "$failures FAILED")"
[ $failures = 0 ]
