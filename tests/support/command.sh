# command.sh: what the tests of the command begin with: `. "$(dirname "$0")/../support/command.sh"`, given the
# path to trawl. The working directory is a new one then, which is gone at the end.
# What is done here suits most; a test may define its own after it.

case $1 in
'')
    echo "usage: $0 path/to/trawl" >&2
    exit 2
    ;;
/*) trawl=$1 ;;
*) trawl=$PWD/$1 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
LC_ALL=C
export LC_ALL
dir=$(mktemp -d) || exit 2
trap 'chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT
trap 'exit 2' HUP INT TERM
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

run() { # run ARGUMENT...: leaves out, err and status; standard input is the caller's
    "$trawl" "$@" >out 2>err
    status=$?
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

# expect NAME STATUS OUT [ERR], of the last run: OUT is exact, with \n and \t; ERR is a part of what
# standard error holds, which is empty when there is no ERR.
expect() {
    printf '%b' "$3" >want
    printf '%s' "$4" >said
    check "$1" "$2"
}

# Make FILE.gz of FILE. False, with a word: there is no gzip, or trawl reads none of its files.
gzipped() {
    if ! command -v gzip >/dev/null; then
        echo "# $1.gz: skipped: gzip is not installed"
        return 1
    fi
    gzip -c "$1" >"$1.gz"
    "$trawl" find -q x "$1.gz" >out 2>err
    if grep -q ' is compressed (gzip), which this build does not read' err; then
        echo "# $1.gz: skipped: $(cat err)"
        return 1
    fi
}

finish() { # the last line of a test
    echo "$((number - failed)) passed, $failed failed"
    [ $failed = 0 ]
}
