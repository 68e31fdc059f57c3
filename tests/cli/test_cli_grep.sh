#!/bin/sh
# `trawl grep` as GNU grep's and ripgrep's users know it: context, colours, names, kinds of files.
# Usage: test_cli_grep.sh TRAWL. Where GNU grep is installed, random command lines are compared with
# it (TRAWL_TEST_CASES, 300).

. "$(dirname "$0")/../support/command.sh"
unset GREP_COLORS NO_COLOR

run() {
    "$trawl" grep "$@" >out 2>err
    status=$?
}

printf 'a\nx1\nb\nc\nd\nx2\ne\n' >few
printf 'x\0y\n' >binary
esc='\033'

# ---- what stands around a line -----------------------------------------------------

run -n -A1 x few
expect '-A' 0 '2:x1\n3-b\n--\n6:x2\n7-e\n'
run -B1 -H x few
expect '-B' 0 'few-a\nfew:x1\n--\nfew-d\nfew:x2\n'
run -1 x few few
expect '-NUM, several files' 0 \
    'few-a\nfew:x1\nfew-b\n--\nfew-d\nfew:x2\nfew-e\n--\nfew-a\nfew:x1\nfew-b\n--\nfew-d\nfew:x2\nfew-e\n'
run -12A0 x2 few
expect '-12 before, -A 0 after' 0 'a\nx1\nb\nc\nd\nx2\n'
run -A0 --group-separator=== x few
expect '--group-separator' 0 'x1\n==\nx2\n'
run -A0 --no-group-separator x few
expect '--no-group-separator' 0 'x1\nx2\n'
run -m1 -A9 x few
expect '-m, and lines after the last one' 0 'x1\nb\nc\nd\nx2\ne\n'
run -A many x few
expect '-A, no number' 2 '' "-A: 'many' is no number of lines"
run -TnH x few
expect '-T' 0 'few: 2:\tx1\nfew: 6:\tx2\n'
run -c '' few
expect 'an empty pattern' 0 '7\n'
run -o -e '' -e x few
expect 'an empty pattern, and -o' 0 'x\nx\n'
printf 'a  b - c\n' >apart
run --color=always -w '' apart
expect 'an empty pattern, -w: nothing is coloured' 0 'a  b - c\n'
run -o -w '' apart
expect 'an empty pattern, -w, and -o' 0 ''

# Patterns that may match nothing select what they select for GNU grep; -o prints what is not empty.
printf 'aa\n\nabc de\n  \n;\n' >blank
run -n 'x*' blank
expect 'every line may match nothing' 0 '1:aa\n2:\n3:abc de\n4:  \n5:;\n'
run -vc 'x*|;' blank
expect 'and -v leaves none' 1 '0\n'
run -n '^\s*$' blank
expect 'lines of blanks' 0 '2:\n4:  \n'
run -n '^.{0,3}$' blank
expect 'short lines' 0 '1:aa\n2:\n4:  \n5:;\n'
run -on -e 'a*|' -e 'e?' blank
expect '-o of what may match nothing' 0 '1:aa\n3:a\n3:e\n'
run -on 'a*\B' blank
expect '-o with a condition: nothing hides a match' 0 '1:a\n3:a\n'
run -n '\b' blank
expect 'a condition alone' 0 '1:aa\n3:abc de\n'
run -nx -e 'a{,2}' -e ';' blank
expect '-x of what may match nothing' 0 '1:aa\n2:\n5:;\n'
printf '^a*$\nde\n' >list
run -cf list blank
expect 'a list with one' 0 '3\n'
"$trawl" compile --grep -o empty.plan -e '^a*$' -e 'de'
run -c --plan empty.plan blank
expect 'a plan with one' 0 '3\n'
run -n '\b[^a]+' blank
expect 'a condition before bytes of both kinds' 0 '3:abc de\n'
run -c '\Aa' blank
expect 'a line is the text: \A is ^' 0 '2\n'
run -n '(x|(a|b)*;?)$' blank
expect 'a group that may match nothing' 0 '1:aa\n2:\n3:abc de\n4:  \n5:;\n'
run -n '^(a|  )*$' blank
expect 'a repeated group between conditions' 0 '1:aa\n2:\n4:  \n'
run -n '(^|b)(c|\b)' blank
expect 'conditions as alternatives' 0 '1:aa\n3:abc de\n'
run -on '(^a?|[d;]){2}' blank
expect '-o of a repeat whose first group may match nothing' 0 '1:a\n3:a\n5:;\n'
run -on '(?:(?<x>a)|(?i:E))*' blank
expect '-o of groups with a name and flags' 0 '1:aa\n3:a\n3:e\n'
run -n '(\A|b)c|(\z|d)e|(?-m)^;(?s-m:$)' blank
expect 'borders of the text within groups are those of a line' 0 '3:abc de\n5:;\n'
printf 'a+\na\n' >plus
run -n '\Qa+' plus
expect 'a quoted + is a byte' 0 '1:a+\n'
run -c '(?>a|)' blank
expect 'what may match nothing and is not known is refused' 2 '' 'can match the empty string'
run -c '(a)(b)\2' blank
expect 'a back-reference' 2 '' 'column 7: back-references are not supported: write out what repeats'

# Lines before the block, and after it; of a pipe, too.
awk 'BEGIN { for (i = 0; i < 200000; i++) print i % 1000 ? "line " i : "begin " i }' >large
awk '/begin/ { for (k = 997; k < 1000; k++) if (NR > 1) print NR + k - 1000 "-line " NR + k - 1001
    print NR ":" $0; print NR + 1 "-line " NR; if (NR < 199001) print "--" }' large >want
cp want want.large
for threads in 1 3; do
    "$trawl" grep --threads $threads -n -B3 -A1 begin large >out && cmp want out
    result "context across blocks, $threads threads" $?
    cat large | "$trawl" grep --threads $threads -n -B3 -A1 begin >out && cmp want out
    result "context across a pipe's blocks, $threads threads" $?
done

# ---- colours -------------------------------------------------------------------------

run --color=always -n x1 few
expect '--color=always' 0 \
    "$esc[32m$esc[K2$esc[m$esc[K$esc[36m$esc[K:$esc[m$esc[K$esc[01;31m$esc[Kx1$esc[m$esc[K\n"
run --color x1 few
expect '--color, no terminal' 0 'x1\n'
GREP_COLORS='mt=4:ne' "$trawl" grep --color=always x1 few >out 2>err
status=$?
expect 'GREP_COLORS' 0 "$esc[4mx1$esc[m\n"
run --color=sometimes x few
expect '--color, unknown' 2 '' "--color: 'sometimes' is none of always, never and auto"
if command -v script >/dev/null 2>&1; then
    for variable in NO_COLOR= NO_COLOR=1 TERM=dumb; do
        env TERM=xterm "$variable" script -qec "'$trawl' grep -m1 x few" /dev/null </dev/null >out 2>&1
        case $variable in
        NO_COLOR=) grep -q 31m out ;;
        *) ! grep -q 31m out ;;
        esac
        result "a terminal, $variable" $?
    done
fi

# ---- names, messages, kinds of files -------------------------------------------------

run -L x few binary
expect '-L: status 0 means a selected line' 0 ''
run -L nothing few
expect '-L: a file without one' 1 'few\n'
run -lZ x few binary
expect '-l -Z' 0 'few\0binary\0'
run -cZ x few few
expect '-c -Z' 0 'few\00002\nfew\00002\n'
run -s x few nosuch
expect '-s' 2 'few:x1\nfew:x2\n'
run -I x few binary
expect '-I' 0 'few:x1\nfew:x2\n'
run --binary-files=text x binary
expect '--binary-files=text' 0 'x\0y\n'
run --binary-files=maybe x binary
expect '--binary-files, unknown' 2 '' 'is none of binary text without-match'
run -E x1 few
expect '-E' 0 'x1\n'
run -z x1 few
expect '-z' 2 '' '-z means two things'
expect '-z: what to take' 2 '' 'give --decompress, or pipe them: zcat FILE'
run -P x1 few
expect '-P' 2 '' '-P: the longest match counts here, not the first one: leave it out'
for threads in 1 2; do
    {
        echo x
        sleep 2
    } | "$trawl" grep --line-buffered --threads $threads x | {
        read -r line
        date +%s >first
        cat >/dev/null
        date +%s >last
    }
    [ "$(cat last)" -gt "$(cat first)" ]
    result "--line-buffered, $threads threads" $?
done

# ---- ripgrep's shapes ---------------------------------------------------------------------

run --heading -n x1 few few
expect '--heading' 0 'few\n2:x1\n\nfew\n2:x1\n'
run -h --heading x1 few few
expect '-h --heading: files apart, as ripgrep has them' 0 'x1\n\nx1\n'
run --heading -A1 x few
expect '--heading, one file' 0 'x1\nb\n--\nx2\ne\n'
run --json -B1 x1 few
sed 's/"elapsed[a-z_]*":{[^}]*},//g' out >times && mv times out
expect '--json' 0 '{"type":"begin","data":{"path":{"text":"few"}}}
{"type":"context","data":{"path":{"text":"few"},"lines":{"text":"a\\n"},"line_number":1,"absolute_offset":0,"submatches":[]}}
{"type":"match","data":{"path":{"text":"few"},"lines":{"text":"x1\\n"},"line_number":2,"absolute_offset":2,"submatches":[{"match":{"text":"x1"},"start":0,"end":2}]}}
{"type":"end","data":{"path":{"text":"few"},"binary_offset":null,"stats":{"searches":1,"searches_with_match":1,"bytes_searched":16,"bytes_printed":338,"matched_lines":1,"matches":1}}}
{"data":{"stats":{"bytes_printed":338,"bytes_searched":16,"matched_lines":1,"matches":1,"searches":1,"searches_with_match":1}},"type":"summary"}\n'
run --json -c x few
expect '--json -c' 2 '' '--json prints lines'
printf 'z\377\n' | "$trawl" grep --json z >out
grep -qF '"path":{"text":"<stdin>"},"lines":{"bytes":"ev8K"}' out
result '--json: standard input, bytes that are not UTF-8' $?

# ---- lines that end with a NUL byte --------------------------------------------------------

printf 'a\nx\0b\0xy\nx' >nuls
run --null-data -n x nuls
expect '--null-data' 0 '1:a\nx\00003:xy\nx\0000'
run --null-data -o 'x.x*' nuls
expect '--null-data -o' 0 'xy\0000'
run --null-data -c '[[:space:]]' nuls
expect '--null-data: a newline is a byte' 0 '2\n'
run --null-data 'a\x00' nuls
expect '--null-data: a NUL byte in a pattern' 2 '' 'a line never contains a NUL byte, which ends it here'
tr '\n' '\0' <large >large.nuls
"$trawl" grep --null-data -n -B3 -A1 begin large.nuls | tr '\0' '\n' >out && cmp want.large out
result '--null-data across blocks' $?

# ---- trees -----------------------------------------------------------------------------

mkdir -p tree/sub/deep tree/build
echo needle >tree/a.c
echo needle >tree/sub/b.h
echo needle >tree/sub/deep/c.c
echo needle >tree/build/d.c
ln -s ../few tree/few.link
ln -s .. tree/sub/up
ln -s nowhere tree/gone

run -r --include='*.c' needle tree
expect '--include' 0 'tree/a.c:needle\ntree/build/d.c:needle\ntree/sub/deep/c.c:needle\n'
run -r --exclude='*.c' needle tree
expect '--exclude' 0 'tree/sub/b.h:needle\n'
run -rl --include='*.c' --exclude='[ad].c' --exclude-dir=deep/ needle tree tree/a.c
expect 'the last of --include and --exclude decides' 1 ''
run -rl --exclude-dir=build --exclude-dir=sub needle tree
expect '--exclude-dir' 0 'tree/a.c\n'
run -c --exclude='b*' x few binary
expect '--exclude, an operand' 0 'few:2\n'
run -Rl --exclude=gone -e needle -e x1 tree
expect '-R' 0 'tree/a.c\ntree/build/d.c\ntree/few.link\ntree/sub/b.h\ntree/sub/deep/c.c\n' \
    'tree/sub/up: warning: recursive directory loop'
run -Rl needle tree/build tree/gone
expect '-R, an operand that leads nowhere' 2 'tree/build/d.c\n' 'tree/gone: No such file or directory'
run -Rls x1 tree
expect '-R -s, a link that leads nowhere' 2 'tree/few.link\n'

# ---- what is ignored -------------------------------------------------------------------

mkdir -p repo/.git/info repo/src/old repo/out repo/.cache
for file in a.c a.o b.py notes.md src/c.c src/keep.o src/old/d.c out/e.c .cache/f.c .env.c; do
    echo needle >repo/$file
done
printf '*.o\n!keep.o\n/out/\n# a comment\nsrc/**/d.c\n' >repo/.gitignore
printf 'notes.md\n' >repo/.git/info/exclude
run --ignore -l needle repo
expect '--ignore' 0 'repo/a.c\nrepo/b.py\nrepo/src/c.c\nrepo/src/keep.o\n'
(cd repo/src && "$trawl" grep --ignore -l needle) >out 2>err
status=$?
expect '--ignore: rules of folders above' 0 'c.c\nkeep.o\n'
run --ignore --hidden -l needle repo
expect '--ignore --hidden' 0 \
    'repo/.cache/f.c\nrepo/.env.c\nrepo/a.c\nrepo/b.py\nrepo/src/c.c\nrepo/src/keep.o\n'
mv repo/.git repo/not.git
run --ignore -l needle repo
expect '--ignore: .gitignore is for repositories' 0 \
    'repo/a.c\nrepo/a.o\nrepo/b.py\nrepo/notes.md\nrepo/out/e.c\nrepo/src/c.c\nrepo/src/keep.o\nrepo/src/old/d.c\n'
printf '*.c\n' >repo/.ignore
run --ignore -l -g '!*.o' needle repo
expect '.ignore is for all folders; -g' 0 'repo/b.py\nrepo/notes.md\n'
run -r -l -t c -t py needle repo
expect '-t' 0 'repo/.cache/f.c\nrepo/.env.c\nrepo/a.c\nrepo/b.py\nrepo/out/e.c\nrepo/src/c.c\nrepo/src/old/d.c\n'
run -r -l -g '*.{py,md}' needle repo
expect '-g, alternatives' 0 'repo/b.py\nrepo/notes.md\n'
run -r -l -g 'repo/src/*' --type-not=c needle repo
expect '-g, a path; --type-not' 0 'repo/src/c.c\nrepo/src/keep.o\n'
run -r -t pyhton needle repo
expect '-t, unknown' 2 '' "there is no type 'pyhton'"
run --type-list
[ $status = 0 ] && grep -q '^c: .*\.\[chH\]' out
result '--type-list' $?

# ---- what was meant -----------------------------------------------------------------------

run --ingore-case x few
expect 'an option that is nearly one' 2 '' 'Did you mean --ignore-case?'
run --max-cuont=3 x few
expect 'with a value' 2 '' 'Did you mean --max-count?'
run --no x few
[ $status = 2 ] && grep -q ambiguous err && ! grep -q 'Did you' err
result 'an option that may be several' $?
run --zzzzzzzz x few
[ $status = 2 ] && ! grep -q 'Did you' err
result 'an option that is like none' $?
"$trawl" fnid x few >out 2>err
status=$?
expect 'a command that is nearly one' 2 '' "there is no command 'fnid': did you mean 'find'?"

# ---- context in pieces: test_cli_grep_pieces has small ones ---------------------------

awk 'BEGIN { for (i = 0; i < 3000; i++) print i % 331 == 9 ? "1ab" : substr("zzzzzzzzzzzzzzzzzzzzzzzz", i * 7 % 24) }' >sparse
{ cat sparse; printf '1ab\0\n1ab\n'; } >sparse_binary
for options in -B1000 '-nB 1000' '-nbC 165' '-nC 166' '-A 9999' '-nB 320' '-vnC 2' '-HT -B 400' '--heading -Hn' '-oC 170' \
    '-C 330 --color=always' '-aC 330'; do
    for file in sparse sparse_binary; do
        for threads in 1 4; do
            # shellcheck disable=SC2086
            "$trawl" grep --threads $threads $options 1ab few $file few >out$threads 2>&1
        done
        cmp out1 out4 && grep -q 1ab out1
        result "pieces: $options $file" $?
    done
done

# ---- compressed files ----------------------------------------------------------------

# Whoever names one, or pipes it, is told at once; of a tree one line comes at the end.
printf 'BZh91AY&SYx\n' >packed
run -c x - <packed
expect 'standard input is compressed' 0 '1\n' 'grep: warning: (standard input): is compressed (bzip2)'
cat packed | "$trawl" grep -c x >out 2>err
status=$?
expect 'a compressed pipe' 0 '1\n' 'grep: warning: (standard input): is compressed (bzip2)'
mkdir heap heap/below
for name in 1 2 below/3; do
    cp packed "heap/$name"
done
echo x1 >heap/4
run -rc --threads 3 x heap
sort out >sorted && mv sorted out
[ "$(wc -l <err)" = 1 ] || echo 'more than one line' >>out
expect 'of a tree' 0 'heap/1:1\nheap/2:1\nheap/4:1\nheap/below/3:1\n' 'warning: 3 files below folders are compressed'
run -r x heap/below heap/4
expect 'of a tree, one file' 0 'heap/below/3:BZh91AY&SYx\nheap/4:x1\n' \
    'warning: 1 file below folders is compressed, heap/below/3 first'
for option in -s -I --decompress; do
    [ $option != -I ] || printf 'BZh91AY&SY\0x\n' >heap/below/3
    [ $option != --decompress ] || rm -r heap/1 heap/2 heap/below
    run -rh $option x1 heap
    expect "nothing is said of a tree: $option" 0 'x1\n'
done

# ---- random command lines --------------------------------------------------------------

if grep --version 2>/dev/null | grep -q 'GNU grep) 3\.[5-9]' && command -v python3 >/dev/null 2>&1; then
    python3 "$here/grep_differential.py" "$trawl" "${TRAWL_TEST_CASES:-300}"
    result 'random command lines' $?
fi

if command -v python3 >/dev/null 2>&1; then
    python3 "$here/grep_groups.py" "$trawl" "${TRAWL_TEST_CASES:-200}"
    result 'random groups' $?
fi

# ---- globs that are none ------------------------------------------------------------------

mkdir globs
echo xx >globs/a.c
for glob in '[' 'a[b' '[z-a]' '{a,b' '*.c\'; do
    run -r -g "$glob" xx globs
    expect "-g '$glob'" 2 '' "'$glob' is no glob"
done
for glob in '*.{c,h}' '[]a]*' 'a.[!]]' '*}' '\{' 'a.c'; do
    run -r -g "$glob" xx globs
    [ $status -lt 2 ] && ! [ -s err ]
    result "-g '$glob' is one" $?
done

finish
