#!/bin/bash
# gpu.sh: prove Trawl on an NVIDIA GPU, with CUDA and with NVIDIA's OpenCL.
#
#   tests/device/gpu.sh [BUILD]                          all of it
#   tests/device/gpu.sh BUILD oracle BACKEND [SEED]      a slice of comparisons: cuda or opencl
#   tests/device/gpu.sh BUILD sanitize TOOL [ENGINE]     the self-test, of all or one engine, under a tool
#                                                 of compute-sanitizer: memcheck, racecheck, ...
#
# BUILD is a build folder with its tests; without one this script builds build-gpu (cmake,
# nvcc and cmocka must be there). All of it: the device tests on every CUDA and OpenCL device, the
# self-test, and the self-test under compute-sanitizer's memcheck, racecheck, initcheck and
# synccheck. Logs go to $OUT, or the build folder. The last lines are the verdict; exit status 0
# when nothing failed.
#
# TRAWL_TEST_CASES (default 200000) is the number of comparisons a device: that number of small texts
# in bundles, and a fiftieth of it texts, and grids, each by itself. A slice prints how many it made,
# and of which seeds, so that many slices, each as short as TRAWL_TEST_CASES makes it, add up: where
# TRAWL_TEST_PROCESSES is 4, four processes work side by side, each on seeds of its own.
set -uo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-}
part=${2:-all}
if [ -z "$build" ]; then
    build=$source/build-gpu
    cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release >/dev/null &&
        cmake --build "$build" -j "$(nproc)" || exit 1
fi
logs=${OUT:-$build}
export TRAWL_TEST_CASES=${TRAWL_TEST_CASES:-200000}
export TRAWL_CACHE_DIR=${TRAWL_CACHE_DIR-$build/cache}
export TRAWL_TEST_DEVICES=${TRAWL_TEST_DEVICES-gpu}
PATH=$PATH:/usr/local/cuda/bin
verdict=""
failures=0

# Run a step; its log is kept, and its last words are shown.
step() { # NAME COMMAND...
    local name=${1//\//-} begin=$SECONDS status
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
sanitized() { # TOOL [ENGINE]
    compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 20 \
        "$build/trawl" devices --selftest=cuda${2:+:$2}
}

# The oracle in several processes; seeds of one lie far from those of another.
oracle() { # BACKEND SEED
    local processes=${TRAWL_TEST_PROCESSES:-1} status=0 pids=() i
    export TRAWL_TEST_BACKENDS=$1
    for i in $(seq "$processes"); do
        (
            export TRAWL_TEST_SEED=$(($2 + i * 1000000000))
            "$build/tests/test_bundles" || exit
            export TRAWL_TEST_CASES=$((TRAWL_TEST_CASES / 50 + 1))
            "$build/tests/test_devices" test_texts && "$build/tests/test_devices" test_grids
        ) >"$logs/oracle-$1-$i.log" 2>&1 &
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i" || status=1; done
    for i in $(seq "$processes"); do
        grep -h -e TRAWL_TEST_SEED -e agree "$logs/oracle-$1-$i.log"
        [ $status = 0 ] || tail -n 40 "$logs/oracle-$1-$i.log"
    done
    cat "$logs"/oracle-"$1"-[0-9]*.log | awk '/^[a-z]+ [0-9]+: [0-9]+ (texts|cases) agree/ { all += $3 }
        END { print all + 0 " comparisons agree in all" }'
    return $status
}

case $part in
oracle)
    oracle "${3:?oracle: cuda or opencl?}" "${4:-$(date +%s)}"
    exit
    ;;
sanitize)
    sanitized "${3:?sanitize: which tool?}" "${4:-}"
    exit
    ;;
all) ;;
*)
    echo "usage: $0 [BUILD [oracle BACKEND [SEED] | sanitize TOOL [ENGINE]]]" >&2
    exit 2
    ;;
esac

"$build/trawl" devices
step selftest "$build/trawl" devices --selftest
for backend in cuda opencl; do
    step "oracle-$backend" oracle $backend "$(date +%s)"
    for rest in edges crowds giving_up giving_up_grams borders crowds_in_little_memory; do
        step "$rest-$backend" env TRAWL_TEST_BACKENDS=$backend "$build/tests/test_devices" test_$rest
    done
    for test in plans windows; do
        step "$test-$backend" env TRAWL_TEST_BACKENDS=$backend "$build/tests/test_devices_$test"
    done
    for test in like devices_factors bitslice; do
        step "$test-$backend" env TRAWL_TEST_BACKENDS=$backend TRAWL_TEST_CASES=1000 \
            "$build/tests/test_$test"
    done
    for test in text grid result; do
        step "$test-$backend" env TRAWL_TEST_BACKENDS=$backend TRAWL_TEST_CASES=2000 \
            "$build/tests/test_device_$test"
    done
done
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck initcheck synccheck; do
        step "sanitizer-$tool" sanitized $tool
    done
    for engine in $("$build/trawl" devices --selftest=cuda | awk '$1 == "cuda" { print $3 }' | uniq); do
        step "sanitizer-racecheck-$engine" sanitized racecheck "$engine"
    done
    # Texts of the caller's: nothing outside of a buffer is read or written. Calls that must fail are
    # part of it.
    for test in text grid result; do
        step "sanitizer-$test" env TRAWL_TEST_BACKENDS=cuda TRAWL_TEST_CASES=200 compute-sanitizer \
            --tool memcheck --report-api-errors no --error-exitcode 9 --print-limit 20 \
            "$build/tests/test_device_$test" test_random
    done
else
    echo "compute-sanitizer is not installed (package cuda-sanitizer): left out"
    verdict="${verdict}compute-sanitizer            missing"$'\n'
fi

printf '\nVerdict\n%s%s\n' "$verdict" \
    "$([ $failures = 0 ] && echo 'nothing failed' || echo "$failures FAILED")"
[ $failures = 0 ]
