#!/bin/sh
# Golden tests of the command: what it prints, its exit status, what it says on standard
# error. Usage: test_cli.sh path/to/trawl. Where GNU grep is installed, `trawl grep` is also
# compared with it.

. "$(dirname "$0")/../support/command.sh"

# same SYNTAX ARGUMENT...: standard output and status as those of GNU grep, which visits a
# folder in no order of its own; SYNTAX is E or F.
same() {
    syntax=$1
    shift
    if [ "$syntax" = F ]; then
        run grep -F "$@"
    else
        run grep "$@"
    fi
    grep "-$syntax" "$@" >want 2>/dev/null
    wanted=$?
    case $1 in
    -r*) for file in want out; do sort -o $file $file; done ;;
    esac
    cmp -s want out && [ $wanted = $status ]
    result "as GNU grep: -$syntax $*" $?
}

# ---- inputs ---------------------------------------------------------------------

printf 'alpha beta\ngamma\nAlphabet alpha\n\nlast beta' >text
printf 'one\r\ntwo\r\nthree two\r\n' >crlf
printf 'key\0value\nkey two\nother\n' >binary
printf '\177ELF\0\001PK\003\004\377' >image
printf 'ABCDCACCCC' >seq
printf '\n\n\n' >blank
: >empty
mkdir -p tree/sub
printf 'needle\n' >tree/a
printf 'hay\nneedle\n' >tree/sub/b
ln -s ../text tree/link
mkfifo tree/fifo

# ---- the command itself ---------------------------------------------------------

run --version
expect 'version' 0 "trawl $(sed 's/trawl //' out)\n"
run
[ $status = 2 ] && grep -q '^Usage: trawl COMMAND' err && ! [ -s out ]
result 'without a command the help goes to standard error' $?
run nosuch
expect 'unknown command' 2 '' "there is no command 'nosuch'"
run --help
[ $status = 0 ] && grep -q '^Usage: trawl COMMAND' out && ! [ -s err ]
result 'trawl --help' $?
for command in grep find grid; do
    run $command --help
    [ $status = 0 ] && grep -q '^Usage: trawl' out && grep -q '^Examples:' out && ! [ -s err ]
    result "trawl $command --help has examples" $?
done
for arguments in help -h; do
    run $arguments
    [ $status = 0 ] && grep -q '^Usage: trawl COMMAND' out && ! [ -s err ]
    result "trawl $arguments" $?
done
run help find
[ $status = 0 ] && grep -q '^Usage: trawl find' out && ! [ -s err ]
result 'trawl help COMMAND' $?
run help nosuch
expect 'trawl help, unknown command' 2 '' "there is no command 'nosuch'"
for arguments in -V 'grep --version' 'engines -V'; do
    run $arguments
    [ $status = 0 ] && grep -q '^trawl [0-9.]*$' out && ! [ -s err ]
    result "trawl $arguments" $?
done
run grep --nosuch x
expect 'unknown option' 2 '' "trawl grep: unrecognized option '--nosuch'"
run grep
expect 'no pattern' 2 '' 'give a pattern'

# ---- shared options -------------------------------------------------------------

run grep --threads 0 x text
expect '--threads 0' 2 '' '--threads: give 1 at least'
run grep --threads 2x x text
expect '--threads 2x' 2 '' "--threads: '2x' is not a whole number"
run grep --threads 99999999999999999999999 x text
expect '--threads, too large' 2 '' 'is too large'
run grep --schedule often x text
expect '--schedule' 2 '' "--schedule: 'often' is none of dynamic static"
run grep --wm-block 4 x text
expect '--wm-block' 2 '' "--wm-block: '4' is none of 2 3"
run grep --wm-block 2 --engine ac x text
expect '--wm-block, another engine' 2 '' 'but the engine is ac: add --engine wm'
run find --max-memory 1K -F alpha text
expect '--max-memory: too little' 2 '' '--max-memory of'
# One is no plural, wherever a message has a number.
printf x >one_byte
run find --max-memory 2K -F alpha text
expect 'one pattern' 2 '' ' for choosing engines for 1 pattern: '
run find --stats x one_byte
expect 'one byte' 0 'file\trecord\tpattern\tstart\tend\none_byte\t1\t1\t0\t1\n' 'find: 1 byte, '
printf 'alert ip any any -> any any (content:"x"; content:!"y"; sid:1;)\nalert ip any any -> any any (content:!"y"; sid:2;)\n' >one.rules
run find --rules one.rules one_byte
expect 'two negated contents' 0 'file\trecord\tpattern\tname\tstart\tend\none_byte\t1\t1\tx\t0\t1\n' \
    '2 negated contents are left out'
grep -q 'warning: 1 rule without a content that is not negated is left out' err
result '... and one rule' $?
printf 'a:1:*:78\n' >one.ndb
run find -q --hex -f one.ndb one_byte
expect 'one signature' 0 '' 'warning: 1 signature is for one type of file: it is searched in any'
run grid -n one.pgm --mask a --mask b text
expect 'one needle' 2 '' '2 times --mask for 1 needle; '
run grep --max-memory 1x alpha text
expect '--max-memory: no size' 2 '' '--max-memory'
run grep --max-memory 64M -c alpha text
expect '--max-memory: enough' 0 '2\n' ''
run find --wm-block 2 --engine wm --count alpha text
expect '--wm-block' 0 'file\tpattern\tcount\ntext\t1\t2\n'
run grep --engine nosuch x text
expect '--engine, unknown' 2 '' "there is no engine 'nosuch'"
run grep --backend nosuch x text
expect '--backend, unknown' 2 '' "there is no backend 'nosuch'"
run grep --engine bm 'x+' text
expect '--engine, not for this pattern' 2 '' "engine 'bm' does not take this set"
for engine in bm wm ac pfac shiftand hnfa packed qgrams factors bitslice; do
    run grep --engine $engine -c alpha text
    expect "--engine $engine" 0 '2\n'
done
run grep --backend serial --threads 1 --schedule static --chunks 3 -c alpha text
expect 'backend, threads, schedule and chunks' 0 '2\n'
run grep --stats -c alpha text
expect '--stats' 0 '2\n' ' GB/s, 2 matches, engine '
run grep --engine ac --explain -c alpha text
expect '--explain' 0 '2\n' 'trawl grep: engine ac ('

# ---- grep -----------------------------------------------------------------------

run grep alpha text
expect 'grep: lines' 0 'alpha beta\nAlphabet alpha\n'
run grep beta text
expect 'grep: a last line without newline gets one' 0 'alpha beta\nlast beta\n'
run grep nosuch text
expect 'grep: no match' 1 ''
run grep -nb alpha text
expect 'grep: -n -b' 0 '1:0:alpha beta\n3:17:Alphabet alpha\n'
run grep -onb '[a-z]*bet' text
expect 'grep: -o is leftmost longest, -b the offset of the match' 0 \
    '1:6:bet\n3:18:lphabet\n5:38:bet\n'
run grep -c alpha text empty
expect 'grep: -c of several files' 0 'text:2\nempty:0\n'
run grep -i -o 'ALPHA' text
expect 'grep: -i' 0 'alpha\nAlpha\nalpha\n'
run grep -vn a text
expect 'grep: -v -n' 0 '4:\n'
run grep -m 1 -H alpha text
expect 'grep: -m -H' 0 'text:alpha beta\n'
run grep -h alpha text text
expect 'grep: -h' 0 'alpha beta\nAlphabet alpha\nalpha beta\nAlphabet alpha\n'
run grep -l two text crlf
expect 'grep: -l' 0 'crlf\n'
run grep two crlf
expect 'grep: CRLF stays' 0 'two\r\nthree two\r\n'
run grep -F -e 'a' -e 'g*' -c text
expect 'grep: -e twice, -F' 0 '4\n'
run grep --ignore-case --invert-match --count --with-filename A text
expect 'grep: long names' 0 'text:1\n'
run grep --only-matching --byte-offset --line-number --no-filename --max-count=1 --regexp=be.a text
expect 'grep: more long names' 0 '1:6:beta\n'
run grep -c 'alpha
gamma' text
expect 'grep: a newline separates patterns' 0 '3\n'
run grep -c alpha <text
expect 'grep: standard input' 0 '2\n'
run grep -H gamma - <text
expect 'grep: standard input by name' 0 '(standard input):gamma\n'
run grep -q alpha nosuch text
expect 'grep: -q with a match wins over an error' 0 '' 'nosuch: No such file'
run grep -q zzz nosuch text
expect 'grep: -q without a match does not' 2 '' 'nosuch: No such file'
run grep gamma nosuch text
expect 'grep: a missing file; the others are searched' 2 'text:gamma\n' \
    'trawl grep: nosuch: No such file or directory'
run grep gamma tree text
expect 'grep: a folder' 2 'text:gamma\n' 'trawl grep: tree: Is a directory; -r searches what is in it'
if [ "$(id -u)" != 0 ]; then
    cp text locked
    chmod 000 locked
    run grep gamma locked text
    expect 'grep: an unreadable file' 2 'text:gamma\n' 'locked: Permission denied'
fi
run grep key binary
expect 'grep: a binary file' 0 '' 'trawl grep: binary: binary file matches'
run grep -a -c key binary
expect 'grep: -a' 0 '2\n'
run grep -a -o 'y.v' binary
expect 'grep: -a, a NUL byte is a byte' 0 'y\0v\n'
run grep -r needle tree
expect 'grep: -r follows no link and reads no pipe' 0 'tree/a:needle\ntree/sub/b:needle\n'
(cd tree && run grep -rn needle && cp out ../inside)
cp inside out
: >err
status=0
expect 'grep: -r without a file' 0 'a:1:needle\nsub/b:2:needle\n'
run grep -r gamma tree/link
expect 'grep: -r follows the links of the command line' 0 'gamma\n'
cp text both
"$trawl" grep alpha both text >>both 2>err
status=$?
tail -n 2 both >out
expect 'grep: the output is also an input' 2 'last betatext:alpha beta\ntext:Alphabet alpha\n' \
    'also the output'
run grep '' text
expect 'grep: an empty pattern' 0 'alpha beta\ngamma\nAlphabet alpha\n\nlast beta\n'
printf 'alpha\r\ngamma\r\n' >list
run grep -c -f list text
expect 'grep: -f, CRLF' 0 '3\n'
run grep -c -f list -e last text
expect 'grep: -f and -e' 0 '4\n'
printf 'alpha\n\ngamma\n' >list
run grep -c -f list text
expect 'grep: -f, an empty line' 0 '5\n'
run find --count -f list text
expect 'find: -f, an empty line' 2 '' 'trawl find: list:2: the line is empty'
run grep -f empty text
expect 'grep: -f, an empty file matches nothing' 1 ''
run grep -vc -f empty text
expect 'grep: -v -f, an empty file' 0 '5\n'
run grep -f nosuch text
expect 'grep: -f, a missing file' 2 '' 'trawl grep: nosuch: No such file'
run grep -m x alpha text
expect 'grep: -m x' 2 '' "--max-count: 'x' is not a whole number"
run grep -c 'alpha|beta' text
expect 'grep: alternatives' 0 "$(grep -cE 'alpha|beta' text)\n" ''
run grep 'a(b' text
expect 'grep: a group that is not closed' 2 '' "trawl grep: pattern 1: column 2: unmatched '('"
grep -q '^   ^$' err
result 'grep: a caret stands under the column' $?
printf 'a+b c|d a(b\n' >marks
while read -r pattern remedy; do
    run grep "$pattern" marks
    good=1
    [ "$(wc -l <err)" = 1 ] && grep -qF -e "warning: pattern 1: column $remedy" err && good=0
    [ -s out ] || [ $status = 1 ] || good=1
    result "grep: $pattern is no operator" $good
done <<'END'
c\|d 2: '\|' is a plain | here; for alternatives write |; write [|] to silence this
a\+b 2: '\+' is a plain + here; for a repeat write +; write [+] to silence this
a\?b 2: '\?' is a plain ? here; for what may be left out write ?; write [?]
[a\+]\{2\} 6: '\{' is a plain { here; for a repeat write {x,y}; write [{]
[]\+[:alpha:]\+]b\} 18: '\}' is a plain } here
[^]]\(b\) 5: '\(' is a plain ( here; for a group write ( ); write [(]
END
for pattern in 'a[+]b' '[a\+]+' '\\+' '[[:alpha:]\|]' 'a\.b' '[\]\+]'; do
    run grep "$pattern" marks
    ! [ -s err ]
    result "grep: $pattern gives no warning" $?
done
run grep -F 'a\+b' marks
expect 'grep: -F, a backslash gives no warning' 1 ''
run grep 'a\+b' marks
expect 'grep: \+, the line with a plus' 0 'a+b c|d a(b\n' "warning: pattern 1: column 2: '\+'"
printf 'x\ny\\|z\n' >list
run find --count=all -f list text
expect 'find: \| in a list' 1 'file\tpattern\tcount\ntext\t1\t0\ntext\t2\t0\n' \
    "trawl find: warning: pattern 2 (from list line 2): column 2: '\|' is a plain | here"
awk 'BEGIN { for (i = 0; i < 100; i++) print "a\\(" i }' >list
run grep -f list text
[ "$(wc -l <err)" = 6 ] && grep -qF 'warning: 95 more patterns hold such a byte' err
result 'grep: a hundred such warnings are cut short' $?
run grep -c '\<alpha' text
expect 'grep: a word boundary' 0 "$(grep -c '\<alpha' text)\n" ''
run grep 'al\bpha' text
expect 'grep: a word boundary within a word' 2 '' 'pattern 1: column 3: no text matches'
printf 'a\n\nb\n' >list
run grep -cf - text <list
expect 'grep: -f -, an empty line' 0 '5\n'
run grep -i 'é' text
expect 'grep: -i and letters that are not ASCII' 1 '' 'warning: in either case match the letters A to Z only'

for escape in '\xe9' '\xC3\xA9' 'a\\\xff' '\351'; do
    run find -F -i --count=all "$escape" empty
    expect "find: -i and $escape" 1 'file\tpattern\tcount\nempty\t1\t0\n' 'warning: in either case match'
done
for escape in '\x79' '\\xe9' '\177' '\37'; do
    run find -F -i --count=all "$escape" empty
    expect "find: -i and $escape" 1 'file\tpattern\tcount\nempty\t1\t0\n'
done

# ---- find -----------------------------------------------------------------------

header='file\trecord\tpattern\tstart\tend\n'
run find alpha text
expect 'find: TSV' 0 "${header}text\t1\t1\t0\t5\ntext\t1\t1\t26\t31\n"
run find -e alpha -e phab -e nosuch text
expect 'find: several patterns' 0 \
    "${header}text\t1\t1\t0\t5\ntext\t1\t2\t19\t23\ntext\t1\t1\t26\t31\n"
run find CC seq
expect 'find: overlapping' 0 "${header}seq\t1\t1\t6\t8\nseq\t1\t1\t7\t9\nseq\t1\t1\t8\t10\n"
run find -F -e '\x7fELF\0' -e 'PK\x03\x04' -e '\xFF' image
expect 'find: -F with escapes' 0 "${header}image\t1\t1\t0\t5\nimage\t1\t2\t6\t10\nimage\t1\t3\t10\t11\n"
printf 'a\\nb' >escape
run find --syntax literal 'a\n' escape
expect 'find: --syntax literal' 0 "${header}escape\t1\t1\t0\t3\n"
run find nosuch text
expect 'find: no match' 1 "$header"
run find alpha empty
expect 'find: an empty file' 1 "$header"
run find 'A.{1,3}C' seq
expect 'find: leftmost and longest without --report' 0 "${header}seq\t1\t1\t0\t5\nseq\t1\t1\t5\t10\n"
run find --report ends 'A.{1,3}C' seq
expect 'find: --report ends' 0 \
    "${header}seq\t1\t1\t-\t3\nseq\t1\t1\t-\t5\nseq\t1\t1\t-\t8\nseq\t1\t1\t-\t9\nseq\t1\t1\t-\t10\n"
run find --report pairs 'A.{1,3}C' seq
expect 'find: --report pairs' 0 \
    "${header}seq\t1\t1\t0\t3\nseq\t1\t1\t0\t5\nseq\t1\t1\t5\t8\nseq\t1\t1\t5\t9\nseq\t1\t1\t5\t10\n"
for mode in each longest leftmost-longest leftmost-first; do
    run find --report $mode 'A.{1,3}C' seq
    expect "find: --report $mode" 0 "${header}seq\t1\t1\t0\t5\nseq\t1\t1\t5\t10\n"
done
run find --report shortest 'A.{1,3}C' seq
expect 'find: --report shortest' 0 "${header}seq\t1\t1\t0\t3\nseq\t1\t1\t5\t8\n"
run find --report all A seq
expect 'find: --report, unknown' 2 '' "--report: 'all' is none of ends pairs"
for mode in each pairs longest shortest leftmost-longest leftmost-first; do
    run find --report $mode 'x+' empty
    expect "find: --report $mode, unbounded on an empty file" 1 "$header"
    : | "$trawl" find --report $mode --count=all 'x+' >out 2>err
    status=$?
    expect "find: --report $mode, unbounded on an empty pipe" 1 'file\tpattern\tcount\n(standard input)\t1\t0\n'
done
if grep -q '^Linux' /proc/version 2>/dev/null; then
    run find --report leftmost-longest --max-matches 1 'L[inux]+' /proc/version
    expect 'find: unbounded on a file of /proc' 0 "${header}/proc/version\t1\t1\t0\t5\n" \
        'stopped after 1 match, as'
fi
cat seq | "$trawl" find --report longest 'A.+C' >out 2>err
status=$?
expect 'find: unbounded on a pipe' 0 "${header}(standard input)\t1\t1\t0\t10\n(standard input)\t1\t1\t5\t10\n"
cat seq | TMPDIR=/nosuch "$trawl" find --report longest 'A.+C' >out 2>err
status=$?
expect 'find: no place to spool' 2 "$header" 'set TMPDIR'
cat seq | "$trawl" find -e 'DC' -e 'A.?C' --report pairs >out 2>err
status=$?
stdin='(standard input)\t1'
expect 'find: bounded on a pipe' 0 \
    "${header}$stdin\t2\t0\t3\n$stdin\t1\t3\t5\n$stdin\t2\t5\t7\n$stdin\t2\t5\t8\n"
run find --count=all -e alpha -e zeta text empty
expect 'find: --count=all' 0 'file\tpattern\tcount\ntext\t1\t2\ntext\t2\t0\nempty\t1\t0\nempty\t2\t0\n'
run find --count -e alpha -e zeta text empty
expect 'find: --count, what occurs' 0 'file\tpattern\tcount\ntext\t1\t2\n'
run find --count -e zeta text empty
expect 'find: --count, and nothing does' 1 'file\tpattern\tcount\n'
for command in 'find x' 'grid -n x'; do
    run $command --count=al text
    expect "$command: --count=al" 2 '' "--count: 'al' is not all"
done
run find --max-matches 2 a text
expect 'find: --max-matches says so' 0 "${header}text\t1\t1\t0\t1\ntext\t1\t1\t4\t5\n" \
    'stopped after 2 matches'
run find --max-matches 0 a text
expect 'find: --max-matches 0' 2 '' '--max-matches: give 1 at least'
run find --max-matches 1 --count a text
expect 'find: --max-matches with --count' 2 '' 'leave one out'
run find gamma nosuch tree text
expect 'find: missing file and folder; the others are searched' 2 \
    "${header}text\t1\t1\t11\t16\n" 'trawl find: tree: Is a directory; -r searches what is in it'
name=$(printf 'a\tb')
cp seq "$name"
run find D "$name"
expect 'find: a tab in a name is escaped' 0 "${header}a\\\\tb\t1\t1\t3\t4\n"
name=$(printf 'a\nb\\c\r')
cp seq "$name"
run find --count D "$name"
expect 'find: so are a newline, a backslash and a carriage return' 0 \
    'file\tpattern\tcount\na\\nb\\\\c\\r\t1\t1\n'
run find D - <tree
expect 'find: standard input by name in a message' 2 "$header" \
    'trawl find: (standard input): Is a directory'
run find -f empty text
expect 'find: no pattern in the list' 2 '' 'the list of patterns is empty'
printf 'ok\nb[\n' >list
run find -f list text
expect 'find: an error in a list' 2 '' 'trawl find: pattern 2 (from list line 2): column 2: '
run find 'a*' text
expect 'find: a pattern that matches the empty string' 2 '' 'can match the empty string'
seq 1 100000 >many 2>/dev/null || awk 'BEGIN { for (i = 1; i <= 100000; i++) print i }' >many
printf '99999' | "$trawl" find --syntax literal -f many --count=all >out 2>err
status=$?
awk -F '\t' '$3 > 0 { n++ } END { print NR, n }' out >counts && mv counts out
expect 'find: 100,000 patterns' 0 '100001 6\n'

run find --json D seq
expect 'find: --json' 0 '{"file":"seq","record":1,"pattern":1,"name":"D","start":3,"end":4}\n'
run find --json -F -e '"\x44' -e '\x44' seq
expect 'find: --json, quoting' 0 \
    '{"file":"seq","record":1,"pattern":2,"name":"\\\\x44","start":3,"end":4}\n'
run find --json --report ends 'A.{1,3}CA' seq
expect 'find: --json, unknown start' 0 \
    '{"file":"seq","record":1,"pattern":1,"name":"A.{1,3}CA","start":null,"end":6}\n'
run find --json --count=all -e D -e x seq
expect 'find: --json --count' 0 \
    '{"file":"seq","pattern":1,"name":"D","count":1}\n{"file":"seq","pattern":2,"name":"x","count":0}\n'
badname=$(printf 'bad\377')
cp seq "$badname"
run find --json D "$badname"
expect 'find: --json, a name that is not UTF-8' 0 \
    '{"file":"bad\0357\0277\0275","file_base64":"YmFk/w==","record":1,"pattern":1,"name":"D","start":3,"end":4}\n'
printf 'x\377y\376z\360\235\204\236\355\240\200' >bytes
run find --json --count -f bytes - <bytes
expect 'find: --json, a pattern that is not UTF-8, standard input' 0 \
    '{"file":"(standard input)","pattern":1,"name":"x\0357\0277\0275y\0357\0277\0275z\0360\0235\0204\0236\0357\0277\0275\0357\0277\0275\0357\0277\0275","name_base64":"eP95/nrwnYSe7aCA","count":1}\n'
printf '\357\277\275' >bytes
run find --json --count -f bytes bytes
expect 'find: --json, U+FFFD itself is UTF-8' 0 \
    '{"file":"bytes","pattern":1,"name":"\0357\0277\0275","count":1}\n'

if command -v gzip >/dev/null; then
    gzip -c text >text.gz
    gzip -dc text.gz | "$trawl" find --count alpha >out 2>err
    status=$?
    expect 'find: decompressed first' 0 'file\tpattern\tcount\n(standard input)\t1\t2\n'
    run find --format raw -F -e '\x1f\x8b' text.gz
    expect 'find: the bytes of a compressed file' 0 "${header}text.gz\t1\t1\t0\t2\n"
fi

# ---- plans for the text ---------------------------------------------------------

# Bases and 16-mers of them, each of which occurs; prose, and long words of it.
awk 'BEGIN {
    x = 12345
    for (line = 0; line < 3000; line++) {
        bases = ""
        for (i = 0; i < 60; i++) {
            x = (x * 16807) % 2147483647
            bases = bases substr("ACGT", int(x / 536870912) + 1, 1)
        }
        print bases
    }
}' >dna
awk 'NR % 15 == 1 { print substr($0, 1 + NR % 40, 16) }' dna >mers
awk 'BEGIN { for (i = 0; i < 3000; i++) print "nobody remembered the afternoon of the expedition " i; print "understanding" }' >prose
printf 'understanding\ncircumstances\nextraordinary\nconsideration\n' >words
planned() { # planned NAME ENGINE ARGUMENT...: the engines begin so; find says which backend, too
    name=$1 engine=$2
    shift 2
    run "$@" --explain
    [ $status = 0 ] && grep -q "^trawl $1: engine $engine (" err &&
        [ "$(grep -vc "^trawl find: backend [a-z]* (" err)" = 1 ]
    result "$name" $?
}
planned 'find: bases get a filter for bases' '[kq][a-z]*/ac' find --count -F -f mers dna
planned 'find: prose gets Teddy' teddy/ac find --count -F -f words prose
planned 'grep: bases get a filter for bases' '[kq][a-z]*/ac' grep -c -F -f mers dna
planned 'grep: prose gets Teddy' teddy/ac grep -c -F -f words prose
head -c 1000 dna >few
planned 'find: a text too short to go by' '[a-z]*/ac' find --count -F -f mers few
planned 'find: a chain by name' wm/ac find --count -F -f mers dna --engine wm/ac
planned 'grep: the first file that is not empty counts' '[kq][a-z]*/ac' grep -c -F -f mers empty dna prose
planned 'find: an engine by name' pfac find --count -F -f mers dna --engine pfac
run find --explain --count -F -f mers nosuch tree empty /dev/null dna
[ $status = 2 ] && [ "$(wc -l <err)" = 4 ] && grep -q 'engine [kq][a-z]*/ac (' err &&
    [ "$(grep -c 'nosuch' err)" = 1 ] && [ "$(grep -c 'tree: Is a directory' err)" = 1 ]
result 'find: what cannot be read is passed over, and said once' $?
run grep --engine wm/bm x text
expect '--engine, no such chain' 2 '' "there is no engine 'wm/bm'"
run find --count -F --engine wm/ac --wm-block 2 -f words prose
[ $status = 0 ] && ! [ -s err ]
result '--wm-block, with its engine' $?

# A pipe, at once and with a first piece of few bytes, gives what the file gives.
slowly() {
    head -c 100 "$1"
    sleep 0.2
    tail -c +101 "$1"
}
for command in 'grep -nb' 'grep -c' 'grep -v' 'grep -ob' 'find' 'find --count' \
    'find --report leftmost-longest'; do
    "$trawl" $command -F -f mers - <dna >want 2>err
    for way in cat slowly; do
        $way dna | "$trawl" $command -F -f mers - >out 2>err
        [ -s want ] && cmp -s want out && ! [ -s err ]
        result "a pipe as the file: $way, $command" $?
    done
done
"$trawl" find --report longest -e 'A[^C]*T' - <dna >want 2>err
cat dna | "$trawl" find --report longest -e 'A[^C]*T' - >out 2>err
cmp -s want out && [ -s out ]
result 'a pipe as the file: spooled' $?
awk '{ printf "%s", $0 }' dna | "$trawl" grep -c -F -f mers >out 2>err
status=$?
expect 'a pipe of one long line' 0 '1\n'
cat dna | "$trawl" grep --explain -c -F -f mers >out 2>err
grep -q 'engine [kq][a-z]*/ac (' err
result 'a pipe is looked at, too' $?
mkfifo late
cat dna >late &
run find --count -e '[ACGT]' nosuch late late2
expect 'a pipe by name' 2 'file\tpattern\tcount\nlate\t1\t180000\n' 'nosuch: No such file'
wait
mkfifo silent
sleep 20 >silent &
sleeper=$!
"$trawl" grep 'a(b' <silent >out 2>err
status=$?
kill -0 $sleeper 2>/dev/null || status=late
kill $sleeper
expect 'a malformed pattern does not wait for a pipe' 2 '' "unmatched '('"

# ---- output ---------------------------------------------------------------------

if [ -w /dev/full ]; then
    for command in 'grep a' 'find a' 'find --count a' 'find --json a' 'find --max-matches 1 a' \
        '--help'; do
        [ "$command" != 'find --json a' ] || "$trawl" $command text >/dev/null 2>&1 || continue
        "$trawl" $command text >/dev/full 2>err
        status=$?
        : >out
        expect "full disk: $command" 2 '' 'cannot write the output: No space left on device'
    done
fi
for command in 'grep -n 9' 'find 9'; do
    { "$trawl" $command many 2>err; } | head -n 1 >out
    [ "$(wc -l <out)" = 1 ] && ! [ -s err ]
    result "closed pipe: $command" $?
done
(
    trap '' PIPE
    "$trawl" grep 9 many 2>err
    echo $? >code
) | head -n 1 >out
cp code out
status=0
expect 'closed pipe with SIGPIPE ignored' 0 '0\n'

# ---- a repeat at the end, which lines do not need ---------------------------------

printf 'a1\nb22\nc+\nno\n' >plus
run grep -n '[0-9]+' plus
expect 'a repeat at the end' 0 '1:a1\n2:b22\n'
run grep -no '[0-9]+' plus
expect 'a repeat at the end, -o' 0 '1:1\n2:22\n'
run grep -vc '[+]+' plus
expect 'a repeat of a sign' 0 '3\n'
run grep -c '[0-9]++' plus
expect 'a repeat that is none' 2 '' 'possessive repeats are not supported'
run grep -c "$(printf 'caf\303\251+')" plus
expect 'a repeat of a part of a character' 2 '' 'the repeat would apply to the last byte'
run grep --engine bm -c 'a+' plus
expect 'a repeat that an engine refuses' 2 '' 'bm'

# ---- no threads -----------------------------------------------------------------

# Without a thread auto goes on alone, and threads says what is wrong. OpenMP's library may end the
# program, which must not look like no match. The limit does not bind root; shells call it -u or -p.
few_processes() {
    ulimit -u 1 2>/dev/null || ulimit -p 1 2>/dev/null
}
if [ "$(id -u)" != 0 ] && (few_processes); then
    yes 'a line with a 9 in it' | head -n 50000 >large
    (few_processes && exec "$trawl" find --count --threads 64 9 large) >out 2>err
    status=$?
    expect 'threads that cannot be had: auto' 0 \
        'file\tpattern\tcount\nlarge\t1\t50000\n' ''
    (few_processes && exec "$trawl" find --count --backend threads --threads 64 9 large) >out 2>err
    status=$?
    expect 'threads that cannot be had: threads' 2 'file\tpattern\tcount\n' 'ulimit -u'
    (few_processes && exec "$trawl" find --count --backend openmp --threads 64 9 large) >out 2>err
    case $? in
    0 | 2) true ;;
    *) false ;;
    esac
    result 'threads that cannot be had: openmp' $?
fi

# ---- as GNU grep ----------------------------------------------------------------

if grep --version 2>/dev/null | grep -q 'GNU grep'; then
    awk 'BEGIN { for (i = 1; i <= 20000; i++) print "line " i " of some text, " i * 7919 % 1000 }' >long
    tr '\n' ' ' <long >one
    for options in -c -n -b -nb -on -ob -obn -v -vc -vn -l -h -H -i '-m 3' '-vm 3' '-cm 3' \
        '-om 2' -q -ov -oc -lc -lv -a; do
        for pattern in 'of s' '9{2}' 'e.*x' '[^a-z ]+' 'LINE' '.'; do
            same E $options "$pattern" long
        done
        same F $options 99 text long crlf empty blank nosuch one
        same E $options alpha text tree binary
    done
    same E -e 'e 1' -e '1 of' -on long
    same F -f list -c text
    same E -rn needle tree
    same E -rc needle tree text
    same E -rh e tree/sub
    same E -c e - text
    same E -m 0 e text
    same E -rl . tree/sub/
fi

finish
