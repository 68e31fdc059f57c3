#!/bin/sh
# Devices that fail: what find prints is right all the same, or it says that the device failed and
# has printed nothing that is wrong.
# Usage: failing_opencl.sh TRAWL LAYER (failing_opencl.c as a layer of the OpenCL loader)

layer=$(realpath "${2:?usage: $0 TRAWL LAYER}") || exit 2
. "$(dirname "$0")/../support/command.sh"
skipped=77

# A text of 80 MB, most of which is not there: pieces of it, 8 MB apart, are full of matches.
awk 'BEGIN {
    x = 7
    for (i = 0; i < 9000; i++) {
        word = ""
        for (k = 0; k < 6; k++) {
            x = x * 16807 % 2147483647
            word = word sprintf("%c", 97 + int(x / 65536) % 12)
        }
        print word
    }
}' >piece
for at in 0 8 16 24 32 40 48 56 64 72 80; do
    dd if=piece of=text bs=1048576 seek=$at conv=notrunc 2>dd.err || exit 2
done
head -n 700 piece | sed 's/^\(..\)./\1[a-z]{0,3}/' >many
printf 'abc\n' >few

with() { # with SETTING ARGUMENT...: run the command with a layer of that setting
    layered=$1
    shift
    env "$layered" FAILING_COUNT=count OPENCL_LAYERS="$layer" "$trawl" "$@" >out 2>err
    status=$?
}

rm -f count
with FAILING_LAUNCH=0 find --backend opencl -F -f few text
if ! [ -s count ]; then
    echo "skipped: no OpenCL device, or its loader has no layers (OPENCL_LAYERS)"
    exit $skipped
fi

# ---- a device that was asked for ----------------------------------------------------------

tuning=piece=256,queues=4,mapped=0
head -c 16777216 text >less
"$trawl" find --backend serial -F -f few less >good || exit 2
lines=$(wc -l <good)

# begins: what is printed is the begin of what is right, and all of it after a success
begins() {
    head -n "$(wc -l <out)" good | cmp -s - out || return 1
    [ "$status" = 0 ] && cmp -s out good && return 0
    [ "$status" = 2 ] && [ -s err ]
}

with FAILING_LAUNCH=0 find --backend opencl --tuning $tuning -F -f few less
read -r launches copies buffers <count
cmp -s good out && [ "$launches" -gt 60 ] && [ "$copies" -gt 60 ]
result "no failure: $lines matches, $launches kernels, $copies copies, $buffers buffers" $?
for setting in FAILING_LAUNCH FAILING_COPY FAILING_LATE; do
    for n in 1 2 30 60; do
        with $setting=$n find --backend opencl --tuning $tuning -F -f few less
        begins && [ "$status" = 2 ] && grep -q 'opencl\|OpenCL' err
        result "$setting=$n: the device failed" $?
    done
done
cpu=0
for n in $(seq 1 "$buffers"); do
    with FAILING_BUFFER=$n find --backend opencl --tuning $tuning -F -f few less
    begins
    result "FAILING_BUFFER=$n: no memory" $?
    if [ $status = 0 ] && grep -q 'warning: the CPU did what the device had no memory for' err; then
        cpu=$((cpu + 1))
    fi
done
[ $cpu -gt 0 ]
result "the CPU did it, $cpu times" $?

# ---- one that was chosen because it is quicker ------------------------------------------------

if ! command -v taskset >/dev/null; then
    echo "# no taskset: the choice of a device is left out"
    finish
    exit
fi
core=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
printf '#!/bin/sh\nexec taskset -c %s "%s" "$@"\n' "$core" "$trawl" >one_core
chmod +x one_core
trawl=$PWD/one_core
FAILING_GPU=1
export FAILING_GPU
"$trawl" find --backend serial -f many text >good || exit 2
with FAILING_LAUNCH=0 find --explain -f many text
grep -q 'backend opencl (.*over a link' err && cmp -s good out
result "a GPU is chosen" $?
sed 's/^/# /' err
read -r launches copies buffers <count
for case in LAUNCH=$((launches / 2)) LAUNCH=$((launches - 1)) LATE=$((launches / 2)) \
    LATE=$launches COPY=$((copies / 2)) COPY=$((copies - 1)); do
    with FAILING_$case find -f many text
    [ "$status" = 0 ] && cmp -s good out &&
        grep -q 'warning: the CPU goes on without opencl, which failed' err
    result "FAILING_$case: the CPU goes on" $?
done
with FAILING_LAUNCH=1 find -f many text
[ "$status" = 0 ] && cmp -s good out && grep -q 'warning: opencl would be quicker, but cannot' err
result "FAILING_LAUNCH=1: found out before the search" $?
with FAILING_LAUNCH=$((launches / 2)) find --count -f many text
"$trawl" find --backend serial --count -f many text >good
cmp -s good out
result "counts, from the begin" $?
finish
