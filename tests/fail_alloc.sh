#!/bin/sh
# Every call of a small run that may fail is failed once. The run then ends as the good one does, or
# with a message and status 2, and prints whole lines of the good output, in order: what is behind
# the failure in one file may lack.
# Usage: fail_alloc.sh TRAWL SHIM (fail_alloc.c as a library to preload)

LC_ALL=C
export LC_ALL
trawl=$(realpath "${1:?usage: $0 TRAWL SHIM}") || exit 2
shim=$(realpath "${2:?usage: $0 TRAWL SHIM}") || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 2' HUP INT TERM
cd "$dir" || exit 2

printf 'alpha beta\ngamma\n\nbeta delta alpha\n' >text
printf 'beta\nal[a-f]*pha\nc.\377x\n' >list
cp text "$(printf 'bad\377\tname')"
printf 'P2\n5 4\n255\n1 2 1 2 1\n3 1 2 1 2\n1 2 1 2 1\n9 1 3 1 2\n' >text.pgm
printf 'P2\n2 1\n255\n1 2\n' >pair.pgm
printf 'P3\n2 1\n65535\n1 2 3  4 5 60000\n' >wide.ppm
number=0
failed=0

# result BAD NAME: BAD is 0 when it went well
result()
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2"
    else
        failed=$((failed + 1))
        echo "not ok $number - $2"
    fi
}

# good: the last run of the command with a call of KIND failed is one of those allowed.
good()
{
    if [ "$status" = "$want" ] && cmp -s want out; then
        return 0
    fi
    [ "$status" = 2 ] && [ -s err ] && ! diff -ad want out | grep -aq '^[>\\]'
}

# torture KIND ARGUMENT...
torture()
{
    kind=$1
    shift
    cat text | "$trawl" "$@" >want 2>/dev/null
    want=$?
    rm -f count
    cat text | LD_PRELOAD=$shim TRAWL_FAIL=$kind:0 TRAWL_FAIL_COUNT=$dir/count \
        "$trawl" "$@" >out 2>err
    if ! cmp -s want out || ! [ -s count ]; then
        echo "# $shim cannot be preloaded here: $(head -n 1 err)"
        exit 77
    fi
    calls=$(cat count)
    bad=0
    [ "$calls" -gt 0 ] || bad=1
    k=1
    while [ $k -le "$calls" ]; do
        cat text | timeout 60 env LD_PRELOAD="$shim" TRAWL_FAIL=$kind:$k "$trawl" "$@" >out 2>err
        status=$?
        if ! good; then
            bad=$((bad + 1))
            echo "# call $k: status $status, $(wc -c <out) of $(wc -c <want) bytes; $(head -n 1 err)"
        fi
        k=$((k + 1))
    done
    result $bad "$calls calls of $kind: trawl $*"
}

few='--backend serial'
badname=$(printf 'bad\377\tname')
for options in '' --count '--report pairs'; do
    # shellcheck disable=SC2086 # several words
    torture malloc find $few $options -f list text "$badname" -
done
if "$trawl" find --json beta text >/dev/null 2>&1; then
    for options in '' --count; do
        # shellcheck disable=SC2086
        torture malloc find $few $options --json -f list text "$badname" -
        torture malloc grid $few $options --json -n pair.pgm -n pair.pgm text.pgm wide.ppm
    done
fi
torture malloc find $few -F --max-matches 2 beta text
torture malloc find --threads 2 --count beta text
for options in '' --count '--as grey'; do
    torture malloc grid $few $options -n pair.pgm text.pgm
done
torture malloc grid $few -n wide.ppm wide.ppm
if command -v pamtopng >/dev/null; then
    pamtopng text.pgm >text.png
    torture malloc grid $few -n pair.pgm text.png
fi
for options in -n -c -o; do
    torture malloc grep $few $options -f list text -
done
torture mmap find $few beta text -
torture read find $few beta - text
cat text | LD_PRELOAD=$shim TRAWL_FAIL=read:2 "$trawl" find --count beta >out 2>err
[ $? = 2 ] && [ "$(wc -l <out)" = 1 ] && grep -q 'Input/output error' err
result $? 'a file that cannot be read to its end has no count'
seq 100000 >large
torture pthread_create find --threads 3 --chunks 3 99 large

# What a failure hides of the machine may lack in the object, but it is whole, or there is none: the
# loader of OpenCL, which is not ours, ends by a signal when it gets no memory.
export OCL_ICD_VENDORS=/nowhere
if "$trawl" devices --json >/dev/null 2>&1; then
    LD_PRELOAD=$shim TRAWL_FAIL=malloc:0 TRAWL_FAIL_COUNT=$dir/count "$trawl" devices --json >/dev/null
    calls=$(cat count)
    bad=0
    k=1
    while [ $k -le "$calls" ]; do
        timeout 60 env LD_PRELOAD="$shim" TRAWL_FAIL=malloc:$k "$trawl" devices --json >out 2>err
        status=$?
        if [ $status = 0 ]; then
            grep -q ']}$' out && ! grep -q ':null' out
        else
            ! [ -s out ] && [ $status != 1 ] && { [ $status != 2 ] || [ -s err ]; }
        fi || {
            bad=$((bad + 1))
            echo "# call $k: status $status; $(cat out err)"
        }
        k=$((k + 1))
    done
    result $bad "$calls calls of malloc: trawl devices --json"
fi

[ $failed = 0 ]
