#!/bin/sh
# Every allocation of the command itself is failed once, those of the C library for itself among
# them; torture.c has many more runs, in one process. The run then ends as the good one does, or
# with a message and status 2, and prints whole lines of the good output, in order: what comes after
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

# good: the last run of the command is one of those allowed.
good()
{
    if [ "$status" = "$want" ] && cmp -s want out; then
        return 0
    fi
    [ "$status" = 2 ] && [ -s err ] && ! diff -ad want out | grep -aq '^[>\\]'
}

# torture ARGUMENT...
torture()
{
    cat text | "$trawl" "$@" >want 2>/dev/null
    want=$?
    rm -f count
    cat text | LD_PRELOAD=$shim TRAWL_FAIL=0 TRAWL_FAIL_COUNT=$dir/count \
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
        cat text | timeout 60 env LD_PRELOAD="$shim" TRAWL_FAIL=$k "$trawl" "$@" >out 2>err
        status=$?
        if ! good; then
            bad=$((bad + 1))
            echo "# allocation $k: status $status, $(wc -c <out) of $(wc -c <want) bytes; $(head -n 1 err)"
        fi
        k=$((k + 1))
    done
    result $bad "$calls allocations: trawl $*"
}

torture find --backend serial -f list text "$(printf 'bad\377\tname')" -
torture grep --backend serial -n -f list text -

# What a failure hides of the machine may lack in the object, but it is whole, or there is none: the
# loader of OpenCL, which is not ours, ends by a signal when it gets no memory.
export OCL_ICD_VENDORS=/nowhere
if "$trawl" devices --json >/dev/null 2>&1; then
    LD_PRELOAD=$shim TRAWL_FAIL=0 TRAWL_FAIL_COUNT=$dir/count "$trawl" devices --json >/dev/null
    calls=$(cat count)
    bad=0
    k=1
    while [ $k -le "$calls" ]; do
        timeout 60 env LD_PRELOAD="$shim" TRAWL_FAIL=$k "$trawl" devices --json >out 2>err
        status=$?
        if [ $status = 0 ]; then
            grep -q ']}$' out && ! grep -q ':null' out
        else
            ! [ -s out ] && [ $status != 1 ] && { [ $status != 2 ] || [ -s err ]; }
        fi || {
            bad=$((bad + 1))
            echo "# allocation $k: status $status; $(cat out err)"
        }
        k=$((k + 1))
    done
    result $bad "$calls allocations: trawl devices --json"
fi

[ $failed = 0 ]
