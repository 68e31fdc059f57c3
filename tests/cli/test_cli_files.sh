#!/bin/sh
# Files that are cut off, binary, compressed, deep, or standard input. Usage: test_cli_files.sh TRAWL
# Where GNU grep is installed, `trawl grep` is also compared with it.

. "$(dirname "$0")/../support/command.sh"

gnu=false
grep --version 2>/dev/null | grep -q 'GNU grep' && gnu=true

# ---- files that are shortened ---------------------------------------------------

# The reader takes one line; then the writer stands still, its file loses its end, and it goes on.
awk 'BEGIN { for (i = 1; i <= 400000; i++) print "line " i " of a file that is cut off" }' >whole
echo 'line of another file' >other
for command in 'grep -n line' 'grep -v zzz' 'grep -vn zzz' 'grep -ob line' 'find line' \
    'find --report pairs line'; do
    cp whole file
    {
        timeout 60 "$trawl" $command file other 2>err
        echo $? >code
    } | {
        read -r first
        echo "$first"
        dd if=/dev/null of=file bs=1 seek=3000000 2>/dev/null
        cat
    } >out
    status=$(cat code)
    "$trawl" $command whole other | sed 's/^whole/file/' >all
    lines=$(grep -vc ^other out)
    [ "$lines" -gt 10000 ] || status="only $lines lines"
    { head -n "$lines" all && tail -n 1 all; } >want
    printf '%s' "trawl ${command%% *}: file: was shortened while it was searched" >said
    check "a file that is shortened: $command" 2
done

# What it waits for never comes.
mkfifo silent
sleep 5 >silent &
sleeper=$!
"$trawl" grep x <silent >out 2>err &
victim=$!
sleep 0.3
kill -BUS $victim
wait $victim 2>/dev/null
[ $? -gt 128 ] && ! [ -s err ]
result 'a SIGBUS of another cause acts as by default' $?
kill $sleeper

# ---- binary files ---------------------------------------------------------------

# Lines of 16 bytes, so that line 65536 ends where the first block does; one NUL byte, wherever.
# The lines before its own are printed; the others only make the file match.
awk 'BEGIN { for (i = 1; i <= 66000; i++) printf "%07d of text\n", i }' >plain
slowly() { # blocks of a pipe, which end before and after the NUL byte
    head -c $(($2 - 9)) "$1"
    sleep 0.01
    tail -c +$(($2 - 8)) "$1"
}
compared=0
wrong=0
for at in 4 1048544 1048559 1048560 1048575 1048576 1048577 1048591; do
    cp plain holed
    dd if=/dev/zero of=holed bs=1 count=1 seek=$at conv=notrunc 2>/dev/null
    lines=$(head -c $at plain | wc -l)
    head -n "$lines" plain >text
    tail -n +$((lines + 1)) holed | tr '\0' '\n' >rest
    for options in -nb -c -l '-m 99' '-m 30' '-vm 65535' -on '-cm 50' -vc; do
        for way in file pipe; do
            case $options in
            -c* | -l | -vc) # counted in both parts alike
                { cat text && cat rest; } | "$trawl" grep $options '655[0-9]' |
                    sed 's/.standard input./file/' >want
                : >said ;;
            *)
                "$trawl" grep $options '655[0-9]' <text >want
                invert=
                left=1
                case $options in -vm*) invert=-v ;; esac
                case $options in *m*) left=$((${options#*m } - $(wc -l <want))) ;; esac
                "$trawl" grep $invert -m $left '655[0-9]' <rest 2>/dev/null | head -n 1 >said ;;
            esac
            ln -f holed file
            if [ $way = file ]; then
                "$trawl" grep $options '655[0-9]' file >out 2>err
            else
                slowly holed $((at + 16)) | "$trawl" grep $options '655[0-9]' 2>err |
                    sed 's/.standard input./file/' >out
            fi
            compared=$((compared + 1))
            cmp -s want out && [ "$(wc -l <said)" = "$(grep -c 'binary file matches' err)" ] || {
                wrong=$((wrong + 1))
                echo "# NUL at $at, $options, $way: $(diff want out | head -n 3) $(cat err)"
            }
        done
    done
done
[ $compared = 144 ] && [ $wrong = 0 ]
result "a NUL byte at the borders of blocks, $compared times" $?

if $gnu; then
    # One NUL byte far after the text, and many in every line.
    { cat plain && printf 'tail\0end of text\nlast of text\n'; } >late
    awk 'BEGIN { for (i = 1; i <= 3000; i++) printf "%d%c%d of%c%c\n", i, 0, i * 7, 0, 0 }' >dense
    compared=0
    for file in late dense holed; do
        for options in -c -vc -l -q '-cm 2' -vl '-cm 70000'; do
            for pattern in of 0065 end '[^a-z]3 of' zzz; do
                "$trawl" grep $options "$pattern" $file >out 2>err
                status=$?
                grep -E $options "$pattern" $file >want
                [ $? = $status ] && cmp -s want out && ! [ -s err ] && compared=$((compared + 1)) ||
                    echo "# $options $pattern $file"
            done
        done
    done
    for options in -n -b -on '-m 3'; do
        "$trawl" grep $options '00[14]0*[12] of' late >out 2>err
        grep -E $options '00[14]0*[12] of' late >want 2>said
        cmp -s want out && compared=$((compared + 1)) || echo "# $options late"
    done
    [ $compared = 109 ]
    result "binary files as in GNU grep, $compared of 109" $?
fi

# ---- standard input -------------------------------------------------------------

printf 'a1\nb2\na3\n\nc4\na5' >short
# left REST ARGUMENT...: what the next reader gets
left() {
    wanted=$1
    shift
    { "$trawl" "$@" >out 2>err; cat; } <short >rest
    printf "$wanted" | cmp -s - rest
    result "standard input is left after what was used: $*" $?
}
left 'b2\na3\n\nc4\na5' grep -m 1 a
left '\nc4\na5' grep -m 2 a
left '' grep -m 3 a
left '' grep -m 9 a
left 'a3\n\nc4\na5' grep -vm 1 a
left 'a3\n\nc4\na5' grep -vcm 1 a
left 'c4\na5' grep -vm 2 -n a
left 'b2\na3\n\nc4\na5' grep -om 1 a
left 'a3\n\nc4\na5' grep -q b
left '\nc4\na5' grep -l 3
left '' grep -c a
left '' grep zzz
left 'a1\nb2\na3\n\nc4\na5' grep -m 0 a
left '' find a
left '' find --count a
left '\n\nc4\na5' find --max-matches 1 3
left '\nb2\na3\n\nc4\na5' find --max-matches 1 a1
{ dd bs=1 count=5 of=skipped 2>/dev/null; "$trawl" grep -nb a >out 2>err; } <short
status=$?
expect 'grep: offsets and numbers begin where standard input stands' 0 '2:1:a3\n5:8:a5\n' ''
{ dd bs=1 count=5 of=skipped 2>/dev/null; "$trawl" find a >out 2>err; } <short
status=$?
expect 'find: offsets begin where standard input stands' 0 \
    'file\trecord\tpattern\tstart\tend\n(standard input)\t1\t1\t1\t2\n(standard input)\t1\t1\t8\t9\n' ''
"$trawl" grep -c a - - <short >out 2>err
status=$?
expect 'grep: standard input again, at its end' 0 '(standard input):3\n(standard input):0\n' ''
mkdir tree
cp short tree/file
"$trawl" grep -r b - tree <short >out 2>err
status=$?
expect 'grep: the name of standard input with -r' 0 '(standard input):b2\ntree/file:b2\n' ''
"$trawl" grep -c b - short <tree >out 2>err
status=$?
expect 'grep: standard input is a folder' 2 '(standard input):0\nshort:1\n' \
    'trawl grep: (standard input): Is a directory'
for arguments in '- short' 'short -'; do
    "$trawl" grep b $arguments <&- >out 2>err
    status=$?
    expect "grep: standard input is closed: $arguments" 2 'short:b2\n' \
        'trawl grep: (standard input): Bad file descriptor'
done

# ---- compressed files -----------------------------------------------------------

# What each begins with, and what only looks like it.
while IFS='|' read -r kind remedy bytes; do
    printf "$bytes" >packed
    run grep x packed short
    expect "$kind: $bytes" 1 '' "trawl grep: warning: packed: is compressed ($kind): its bytes are searched \
as they stand; $remedy searches what it holds"
    [ "$(wc -l <err)" = 1 ] && [ -s err ]
    result "$kind: said once" $?
done <<'END'
gzip|--decompress|\037\213\010\000\000\000\000\000
bzip2|--decompress|BZh91AY&SY\000
bzip2|--decompress|BZh1\027rE8P\220\000
xz|--decompress|\3757zXZ\000\000
zstd|--decompress|\050\265\057\375\044\000
lz4|--decompress|\004\042\115\030\144\100
zip|trawl find|PK\003\004\024\000\000\000\010\000
END
while read -r bytes; do
    printf "$bytes" >packed
    run grep @ packed
    expect "not compressed: $bytes" 1 '' ''
done <<'END'
\037\213
\037\213\010\340
\037\213\007\000
BZh9 is text
BZhx1AY&SY
\3757zXZ text
\050\265\057\375
PK\003\004 text that goes on
PK text
END

# ---- deep trees -----------------------------------------------------------------

# 40 folders with names of 200 bytes: two nests of 20, of which the shell and its tools can name
# all, one moved into the other.
name=$(printf '%0200d' 0)
nest() { # nest FOLDER: with a file after the next folder in each
    mkdir "$1"
    (
        cd "$1" || exit
        i=0
        while [ $i -lt 19 ]; do
            echo "hay $i" >z
            mkdir "$name"
            cd "$name" || exit
            i=$((i + 1))
        done
    )
}
mkdir deep
nest "deep/$name"
nest "$name"
path=$name
i=1
while [ $i -lt 20 ]; do
    path=$path/$name
    i=$((i + 1))
done
echo needle >"$path/found"
mv "$name" "deep/$path/"
run grep -r needle deep
expect 'a path longer than the system takes' 0 "deep/$path/$path/found:needle\n" ''
(
    ulimit -n 32
    cd deep && exec "$trawl" grep -rc -e needle -e hay
) >out 2>err
status=$?
awk -F: '{ n += $NF } END { print NR, n, length($1) }' out >counts && mv counts out
expect 'folders are opened again on the way back' 0 '39 39 202\n' ''

# ---- --output: nothing that is read is written over, and nothing is there by halves ------------

mkdir output
cd output || exit 2
printf 'abc99def\n99\n' >in
cp in kept
ln -s in link
ln in hard
"$trawl" compile 99 -o plan 2>err
cp plan kept.plan
printf 'alert ip any any -> any any (content:"a"; sid:1;)\n' >rules
printf 'rule r { strings: $a = "abc" condition: $a }\n' >yara
for arguments in '99 in' '99 link' '99 ./hard' '-f in kept' '-f link kept' '99 kept in' '99' '-f -'; do
    for to in in link hard; do
        run find --output $to $arguments <in
        expect "--output over an input: $to, $arguments" 2 '' 'the input file is also the output'
    done
done
result 'it is left' "$(cmp in kept >&2; echo $?)"
for arguments in '--plan plan' '--rules rules' '--yara yara'; do
    to=${arguments#* }
    cp $to before
    run find --output $to $arguments kept
    expect "--output over an input: $arguments" 2 '' "$to: the input file is also the output"
    result "it is left: $to" "$(cmp $to before >&2; echo $?)"
done
mkdir tree
cp in tree/in
ln tree/in linked
for to in tree/in; do
    run find -r --output $to 99 tree
    expect '--output over what is in a folder' 2 '' "$to: is in a folder that is searched"
done
run find -r --output linked 99 tree
expect '... and over a link to it' 2 '' 'tree/in: the input file is also the output'
result 'it is left: a folder' "$(cmp tree/in kept >&2; echo $?)"
run find -r --output tree/new 99 tree
expect '--output into a folder that is searched' 0 ''
printf 'file\trecord\tpattern\tstart\tend\ntree/in\t1\t1\t3\t5\ntree/in\t1\t1\t9\t11\n' >want
result '... is not searched itself' "$(cmp want tree/new >&2; echo $?)"
mkdir tree/below
for arguments in '-c' '-g' '--report ends' '--format lines' '--backend serial'; do
    rm -f tree/new tree/below/new
    run find -r $arguments --output tree/below/new 99 tree
    result "... below it, $arguments" "$([ $status = 0 ] && ! grep -q new err tree/below/new; echo $?)"
done
rm -r tree/below
run find -rq --format pcap --output tree/new 99 tree # which says of each file that it is no capture
result '... nor under -q' "$([ $status = 2 ] && ! grep 'tree/new\..*:' err >&2; echo $?)"

printf 'file\trecord\tpattern\tstart\tend\nkept\t1\t1\t3\t5\nkept\t1\t1\t9\t11\n' >want
printf 'what was there, and is longer than what will be, by so many bytes as that takes\n' >to
for arguments in "a(b kept" "99 nosuch" "--report nothing 99 kept" "--backend serial --threads 2 99 kept"; do
    run find --output to $arguments
    result "an error leaves what was there: $arguments" "$([ $status = 2 ] && grep -q '^what was' to; echo $?)"
done
chmod 640 to
ln -s to other
ln -s made nowhere
for to in to other fresh nowhere; do
    run find --output $to 99 kept
    result "--output $to" "$([ $status = 0 ] && cmp want $to >&2; echo $?)"
done
result 'rights and links stay' \
    "$([ "$(ls -l to | cut -c 1-10)" = -rw-r----- ] && [ -h other ] && [ -h nowhere ] && [ -f made ]; echo $?)"
long=$(printf '%0255d' 0)
run find --output "$long" 99 kept
result 'the longest of names' "$([ $status = 0 ] && cmp want "$long" >&2; echo $?)"
if unshare -rm sh -c 'mount --bind to fresh' 2>/dev/null; then
    echo old >to
    unshare -rm sh -c 'mount --bind to fresh && exec "$0" find --output fresh 99 kept' "$trawl"
    result 'a file that is mounted' "$([ $? = 0 ] && cmp want to >&2 && ! ls fresh.* 2>/dev/null; echo $?)"
fi
run find --output - 99 kept
expect '--output -' 0 "$(cat want)\n"
result '... is no file' "$([ ! -e ./- ]; echo $?)"
for to in /dev/stdout /dev/fd/1; do
    [ -e $to ] || continue
    echo before >appended
    "$trawl" find --output $to 99 kept >>appended 2>err
    { echo before && cat want; } | cmp - appended >&2
    result "--output $to, which is a file" $?
done
mkfifo pipe
cat pipe >got &
run find --output pipe 99 kept
wait $!
result '--output to a pipe' "$([ -p pipe ] && cmp want got >&2; echo $?)"
run find --output to 99 nosuch kept
result 'what could be searched is there' "$([ $status = 2 ] && cmp want to >&2; echo $?)"
run find --output /dev/null 99 kept
expect '--output /dev/null' 0 ''
[ -c /dev/null ]
result '... which it stays' $?
printf 'what was there\n' >to
for signal in TERM HUP; do
    "$trawl" find --output to 99 pipe 2>err &
    search=$!
    exec 3>pipe
    for try in 1 2 3 4 5 6 7 8 9 10; do
        ls to.* >out 2>&1 || sleep 0.1
    done
    kill -$signal $search
    wait $search
    [ $? -gt 128 ] && ! ls to.* >out 2>&1 && grep -q '^what was there' to
    result "SIG$signal leaves what was there, and nothing else" $?
    exec 3>&-
done
seq 20000 | sed 's/.*/kept-&/' >many
cp plan before
for command in 'compile -F -f many -o plan' 'find --output plan -F -f many many'; do
    (
        ulimit -f 8
        exec "$trawl" $command >out 2>err
    )
    [ $? -gt 1 ] && cmp -s plan before && ! ls plan.* >out 2>&1
    result "no room for the whole of it: $command" $?
done
cd .. || exit 2

finish
