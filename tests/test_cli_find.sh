#!/bin/sh
# How `trawl find` is asked and what it prints. Usage: test_cli_find.sh TRAWL

case $1 in
'')
    echo "usage: $0 path/to/trawl" >&2
    exit 2
    ;;
/*) trawl=$1 ;;
*) trawl=$PWD/$1 ;;
esac
LC_ALL=C
export LC_ALL
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
number=0
failed=0

result() { # result NAME STATUS: 0 means it went well
    number=$((number + 1))
    if [ "$2" = 0 ]; then
        printf 'ok %s\n' "$number - $1"
    else
        failed=$((failed + 1))
        printf 'not ok %s\n' "$number - $1"
    fi
}

# check NAME STATUS: that is the status, out is as want, err as said, empty when there is no said.
check() {
    good=0
    [ "$status" = "$2" ] || good="status $status, not $2"
    cmp -s want out || good="output $(diff want out | head -n 3)"
    if [ -s said ]; then grep -qF -e "$(cat said)" err; else ! [ -s err ]; fi ||
        good="errors $(cat err)"
    [ "$good" = 0 ] || echo "# $good"
    [ "$good" = 0 ]
    result "$1" $?
}

expect() { # expect NAME STATUS OUT ERR: of the trawl that wrote out and err
    printf '%b' "$3" >want
    printf '%s' "$4" >said
    check "$1" "$2"
}

run() {
    "$trawl" "$@" >out 2>err
    status=$?
}

header='file\trecord\tpattern\tstart\tend\n'
counts='file\tpattern\tcount\n'

# ---- which files, and how much is said of them -----------------------------------

mkdir -p tree/b tree/c
printf 'one needle' >tree/z
printf 'a needle, a needle' >tree/b/1
printf 'nothing' >tree/b/2
: >tree/c/empty
ln -s z tree/link
mkfifo tree/pipe
run find -r needle tree
expect '-r: names in order, links and pipes passed over' 0 \
    "${header}tree/b/1\t1\t1\t2\t8\ntree/b/1\t1\t1\t12\t18\ntree/z\t1\t1\t4\t10\n"
cd tree || exit 2
run find -r needle
cd .. || exit 2
mv tree/out tree/err .
expect '-r without a file: the working directory' 2 \
    "${header}b/1\t1\t1\t2\t8\nb/1\t1\t1\t12\t18\nz\t1\t1\t4\t10\n" \
    'trawl find: out: the input file is also the output'
run find -rc -e needle -e a tree
expect '-rc: no counts of 0' 0 \
    "${counts}tree/b/1\t1\t2\ntree/b/1\t2\t2\ntree/z\t1\t1\n"
run find -c -e needle -e x tree/z tree/b/2
expect '-c: all counts' 0 "${counts}tree/z\t1\t1\ntree/z\t2\t0\ntree/b/2\t1\t0\ntree/b/2\t2\t0\n"
run find -r needle tree/z tree/b
expect '-r: files and folders' 0 \
    "${header}tree/z\t1\t1\t4\t10\ntree/b/1\t1\t1\t2\t8\ntree/b/1\t1\t1\t12\t18\n"
run find -r needle nosuch tree/z
expect '-r: what is not there' 2 "${header}tree/z\t1\t1\t4\t10\n" 'nosuch: No such file'
run find needle tree
expect 'a folder without -r' 2 "$header" 'tree: Is a directory; -r searches what is in it'
run find -q needle nosuch tree/z
expect '-q: a match wins over an error' 0 '' 'nosuch: No such file'
run find -rq x+ tree
expect '-q: no match' 1 ''
run find -q --max-matches 1 --report leftmost-longest e+ tree/z
expect '-q: nothing is said' 0 ''
run find -cq needle tree/z
expect '-q goes before -c' 0 ''
run find --no-header needle tree/z
expect '--no-header' 0 'tree/z\t1\t1\t4\t10\n'
run find --json --tsv --no-header -c needle tree/z
expect '--tsv: of two formats the last one' 0 'tree/z\t1\t1\n'

echo "$((number - failed)) passed, $failed failed"
[ $failed = 0 ]
