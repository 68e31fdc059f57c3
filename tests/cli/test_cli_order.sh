#!/bin/sh
# Files that are cut into pieces, and folders that threads share: output, messages and statuses are
# those of one thread. Usage: test_cli_order.sh TRAWL

. "$(dirname "$0")/../support/command.sh"

# same INPUT ARGUMENT...: five threads give what one gives, and leave standard input there.
same() {
    input=$1
    shift
    { "$trawl" grep --backend serial "$@" >"$dir/want" 2>"$dir/said" && echo "found" ||
        echo "status $?"; cat; } <"$input" >"$dir/rest"
    { "$trawl" grep --threads 5 "$@" >"$dir/out" 2>"$dir/err" && echo "found" ||
        echo "status $?"; cat; } <"$input" >"$dir/left"
    same=0
    for pair in 'want out' 'said err' 'rest left'; do
        cmp "$dir/${pair% *}" "$dir/${pair#* }" || same=1
    done
    result "$*" $same
}

line='BEGIN { srand(7); for (i = 1; i <= 90000; i++) print "line " i " of some text, " rand() }'
awk "$line" >lines                                             # 3 MB: pieces of all kinds
tr -d '\n' <lines >one                                          # a line, and no newline
{ head -c 600000 one; echo; cat lines; printf end9; } >mixed    # no line begins in a piece
{ cat lines; printf 'nine 99\0 9\n'; cat lines; } >binary       # needs a history from there on
{ printf '\0\n'; cat lines; } >first
tr '\n' '\r' <lines | sed 's/\r/\r\n/g' >crlf
{ cat one one; echo 9; cat lines; } >long                       # a line longer than pieces read on
printf '\037\213\010' | cat - lines >packed
yes | head -n 400000 >dense                                     # more output than waits

for file in lines one mixed binary first crlf long packed dense; do
    for options in -c -n -nb -ob -vc -vn -l -q '-m 3' -a '-an' '-on' '--color=always -nb' '-B1 -A2'; do
        # shellcheck disable=SC2086
        same /dev/null $options -e 99 -e 'e 7[0-9]* of' -e 'y' $file
    done
done
for options in -c -n -q -l '-m 2' -vc; do
    for file in lines binary mixed; do
        # shellcheck disable=SC2086
        same $file $options 777 - lines -
        # shellcheck disable=SC2086
        same $file $options 777
    done
done

# Operands of all kinds in a row, some of which cannot be read.
mkfifo pipe
mkdir tree tree/a tree/b tree/a/deep
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    for folder in tree tree/a tree/b tree/a/deep; do
        awk -v n=$i 'NR % (100 * n) < 50' lines >"$folder/file $i"
    done
done
cp binary tree/a/binary
cat lines lines lines lines >tree/b/large # searched by all threads at its turn
: >tree/a/empty
ln -s /etc tree/link
for options in -n -c -l -q -h '-m 1' -vc '-ob'; do
    for pattern in '777' 'text, 0.12[0-9]*'; do
        # shellcheck disable=SC2086
        same /dev/null -r $options "$pattern" tree lines nosuch tree/a
        # shellcheck disable=SC2086
        same /dev/null $options "$pattern" nosuch lines tree tree/a/* tree/a/binary mixed tree/b/*
    done
done
cd tree || exit 2
same /dev/null -rn 777
cd "$dir" || exit 2

# A pipe that nobody writes to is not opened once the status is known, nor is input read.
"$trawl" grep --threads 5 -q 777 lines pipe
result '-q opens no pipe after the match' $?
for i in 1 2; do
    cat mixed >pipe &
    if [ $i = 1 ]; then set -- --backend serial; else set -- --threads 5; fi
    "$trawl" grep "$@" -n 777 lines pipe one >out$i 2>&1
    wait
done
cmp out1 out2
result 'a pipe between files' $?

# A full disk ends the search, with its message.
if [ -c /dev/full ]; then
    "$trawl" grep --threads 5 -n e lines dense mixed >/dev/full 2>err
    status=$?
    [ $status = 2 ] && grep -q 'cannot write the output: No space left' err
    result 'a full disk' $?
fi
"$trawl" grep --threads 5 -n line lines mixed lines | head -n 1 >out
[ "$(cat out)" = 'lines:1:'"$(head -n 1 lines)" ]
result 'a closed pipe' $?
# Many folders, more output than waits, a slow reader, and few descriptors.
head -n 100000 dense >much
mkdir few
for i in 1 2 3 4 5; do
    for k in 0 1 2 3 4 5 6 7 8 9; do
        mkdir few/$i$k && ln much few/$i$k/much
    done
done
for most in 28 48; do
    (
        ulimit -n $most
        exec "$trawl" grep -r --threads 16 y few 2>err
    ) | {
        sleep 0.5
        wc -l
    } >out
    [ "$(cat out)" -eq 5000000 ] && [ ! -s err ]
    result "a tree, and $most descriptors" $?
done

# The same where the signal is ignored: the lines until then were found, and are counted.
(
    trap '' PIPE
    "$trawl" grep --threads 5 --stats -n line lines lines 2>err
    echo $? >status
) | head -n 1 >out
[ "$(cat status)" = 0 ] && grep -q ' [1-9][0-9]* bytes.* [1-9][0-9]* matches' err
result 'a closed pipe, and no signal' $?

finish
