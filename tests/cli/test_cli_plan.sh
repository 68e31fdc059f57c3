#!/bin/sh
# `trawl compile`, `trawl info` and --plan: what find and grep print with a plan is what they print
# with its patterns. Usage: test_cli_plan.sh TRAWL

. "$(dirname "$0")/../support/command.sh"
unset GREP_COLORS NO_COLOR

# refused NAME PART COMMAND ARGUMENT...: status 2, and the part in its message
refused() {
    name=$1
    part=$2
    shift 2
    run "$@"
    [ $status = 2 ] && grep -qF -e "$part" err && ! [ -s out ]
    good=$?
    [ $good = 0 ] || echo "# status $status; $(head -n 3 err)"
    result "$name" $good
}

json=
"$trawl" find --json -e x /dev/null >out 2>&1
[ $? = 1 ] && json=--json

for option in '-F -f list' '-e foo --sample list' '-F -f ./other'; do
    printf 'foo\nbar\n' >list
    cp list kept
    ln -sf list other
    refused "compile onto its input: $option" 'is also the output' compile $option -o list
    cmp -s list kept
    result "and it is as it was: $option" $?
done
printf 'foo\n' | "$trawl" compile -F -f - -o stdin.trawl
"$trawl" find --plan - <stdin.trawl >out 2>err
[ $? = 2 ] && grep -q 'standard input is the plan already' err
result 'find: a plan from standard input, and no file' $?
printf 'foo\n' | "$trawl" compile --grep -F -f - -o stdin.trawl
"$trawl" grep --plan - - <stdin.trawl >out 2>err
[ $? = 2 ] && grep -q 'standard input is the plan already' err
result 'grep: a plan from standard input, and that as a file' $?

# ---- texts -----------------------------------------------------------------------------

printf 'the cat sat on the mat; The Cat, 123 and 45\nxyz GAATTC ggatcc key=ab\n' >text
printf '>one two\nACGTGAATTCACNNGT\nGAATTC\n>b\nGGATCCACGTAC\n' >seq.fa
printf 'MZ\220\0\3PE\0\0abc\nPK\3\4abd\0tail' >bytes
printf '>p\nMKCAACGGCVNGTSAA\n' >prot.fa
packed=
gzipped text && packed=text.gz

# same COMMAND NAME FILES -- OPTION...: compile with these options, then print in all ways
same() {
    command=$1
    name=$2
    files=$3
    shift 4
    for_grep=
    ways='--threads=1 --count'
    [ -z "$json" ] || ways="$ways --json"
    [ $command = grep ] && for_grep=--grep && ways='--threads=1 -c -n -o -v -b --color=always -l'
    bad=
    rm -f set.trawl
    run compile $for_grep "$@" -o set.trawl
    [ $status = 0 ] && ! [ -s out ] || bad=compile
    for way in $ways; do
        "$trawl" $command $way "$@" $files >want 2>err.want
        wanted=$?
        "$trawl" $command $way --plan set.trawl $files >got 2>err.got
        got=$?
        [ $got = $wanted ] && cmp -s want got && [ $got -lt 2 ] || bad="$bad $way"
        "$trawl" $command $way --plan - $files <set.trawl >got 2>err.got
        [ $? = $wanted ] && cmp -s want got || bad="$bad $way(-)"
    done
    [ -z "$bad" ] || echo "# other:$bad"
    [ -z "$bad" ]
    result "$command: $name" $?
}

# library YES|NO NAME: whether the library takes the plan of `same` before it, or refuses it for what
# the command alone looks at.
library() {
    case $(head -c 8 set.trawl) in
        TRAWLPLN) taken=yes ;;
        TRAWLCND) taken=no ;;
        *) taken=neither ;;
    esac
    [ $taken = "$1" ]
    result "a plan for the library too, $1: $2" $?
}

printf 'cat\nThe\nat\n123\n' >list
printf 'c\\x61t\n\\x00\nmat|sat|on the\n' >escapes
printf 'first\tcat\nwith a space\ton\n' >named
printf '>EcoRI\nGAATTC\n>BamHI x\nGGA\nTCC\n' >sites.fa
same find 'a pattern' text -- -e cat
same find 'patterns and alternatives' 'text bytes' -- -e 'c?at|the' -e '[0-9]+' -e 'zz'
same find 'a list' "text $packed" -- -f list
same find 'a list, both cases' text -- -i -f list
same find 'one pattern for both cases' text -- -e '(?i)the' -e cat -e '(?i)[x-z]+'
same find 'a list with names' text -- --named -f named
same find 'sequences as patterns' seq.fa -- --iupac --strand both -f sites.fa
same find 'literals with escapes' 'text bytes' -- -F -f escapes
same find 'the bytes as they are' text -- --syntax literal -f list
same find 'patterns with NUL bytes' bytes -- --syntax literal -f bytes
same find 'borders' text -- -e '^the' -e '\bcat\b' -e 'ab$'
same find 'nucleotides' 'seq.fa text' -- --iupac -e GAATTC -e ACNNGT
same find 'nucleotides of both strands' seq.fa -- --iupac --strand both -e GGATCC -e ACGTG
same find 'nucleotides, the strand as a column' seq.fa -- --iupac --strand plus -e GGATCC
same find 'ambiguous texts' seq.fa -- --iupac --ambiguous --strand minus -e ACGTGT
same find 'a motif' prot.fa -- --prosite -e 'C-x(2,4)-C'
cat >prosite.dat <<'END'
ID   ASN_GLYCOSYLATION; PATTERN.
AC   PS00001;
PA   N-{P}-[ST]-{P}.
//
ID   MADE_UP; PATTERN.
AC   PS99999;
PA   C-x(2)-
PA   C-G.
//
END
same find 'a PROSITE file, with names' prot.fa -- --prosite -f prosite.dat
printf 'Win.A:0:*:4d5a\nZip.B:0:*:504b??04\n' >sigs.ndb
same find 'a ClamAV file, with names' bytes -- --hex -f sigs.ndb
printf 'A:0:0:4d5a\nB:0:0,30:50??\nC:0:EOF-4:74\nD:0:3:5045\nE:0:*:00*00\n' >places.ndb
library yes 'a ClamAV file'
same find 'signatures with offsets' bytes -- --hex -f places.ndb
library yes 'signatures with offsets'
"$trawl" info --patterns set.trawl | grep -q "$(printf '\tB\thex\tfrom-begin:0+30\t50??$')" &&
    "$trawl" info --json --patterns set.trawl | grep -qF '"flags":["from-end:4+0"]'
result 'info: the places that signatures ask for' $?
for length in 8 63 64 100; do
    head -c $length set.trawl >cut
    refused "find: a plan with offsets, cut after $length bytes" 'cut: ' find --plan cut bytes
    ! grep -q 'find --plan' err
    result '... and it is no advice to do what was done' $?
done
same find 'signatures with offsets, both cases' 'bytes text' -- --hex -i -f places.ndb
same find 'one pattern for both cases, and all' text -- -i -e '(?i)the' -e cat
cat >rules.yar <<'END'
rule one { strings: $w = "cat" fullword $n = "The" nocase $i = "abc" wide ascii $h = { 50 45 ?? }
    condition: any of them }
END
same find "YARA's strings" 'text bytes' -- --yara rules.yar
library yes "YARA's full words"
"$trawl" info --patterns set.trawl | grep -q "$(printf 'one:\$w\tliteral\tfull-word\tcat$')"
result 'info: full words' $?
same find 'hexadecimal' bytes -- --hex -e '4D5A??[0-4](50|4?)'
printf 'alert tcp any any -> any any (msg:"x"; content:"PE|00 00|"; content:"tail"; nocase; sid:77;)\n' >rules
same find 'rules, with sids' bytes -- --rules rules
library yes 'rules'

same grep 'a pattern' text -- -e cat
library yes 'a pattern'
same grep 'a list' 'text list' -- -f list
same grep 'plain bytes' text -- -F -e '[0-9]' -e 'on the'
same grep 'words, both cases' text -- -w -i -e the -e sat
same grep 'whole lines' list -- -x -f list
same grep 'an empty line in the list' 'text list' -- -e cat -e ''
same grep 'empty lines' 'text list' -- -e '^$' -e 45
library no 'empty lines'
same grep 'words and an empty pattern' 'text list' -- -w -e cat -e ''
library no 'an empty pattern'
same grep 'two patterns in one' text -- -e 'cat
xyz'
run compile --grep --null-data -e cat -o nul.trawl
printf 'cat\0dog\0' | "$trawl" grep --null-data --plan nul.trawl >got
printf 'cat\0' >want
cmp -s want got
result 'grep: lines that end with NUL bytes' $?

for report in pairs longest shortest leftmost-longest leftmost-first; do
    "$trawl" compile -e '[a-z]+t' -e 'on|o' -e '\d{1,3}' -o set.trawl
    "$trawl" find --report $report -e '[a-z]+t' -e 'on|o' -e '\d{1,3}' text >want
    "$trawl" find --report $report --plan set.trawl text >got && cmp -s want got
    result "find: --report $report" $?
done
cat text | "$trawl" find --plan set.trawl >got
cat text | "$trawl" find -e '[a-z]+t' -e 'on|o' -e '\d{1,3}' >want
cmp -s want got
result 'find: a pipe' $?
same=0
"$trawl" find -F -f list text >want
for engine in ac wm pfac teddy; do
    "$trawl" compile --engine $engine -F -f list -o set.trawl &&
        "$trawl" find --explain --plan set.trawl text >got 2>err && cmp -s want got &&
        grep -q "engine $engine" err || same=1
done
result 'compile: --engine' $same
for isa in portable auto; do
    "$trawl" find --isa $isa --plan set.trawl text >got && cmp -s want got || same=1
done
result 'find: a plan under other instruction sets' $same
run compile --sample text --explain -F -f list -o sampled.trawl
[ $status = 0 ] && grep -q 'engine' err && "$trawl" find --plan sampled.trawl text | cmp -s want -
result 'compile: --sample' $?
"$trawl" compile cat -o - >piped.trawl && "$trawl" find --plan piped.trawl text >got &&
    "$trawl" find cat text | cmp -s - got
result 'compile: to standard output, a pattern as operand' $?

# ---- refusals --------------------------------------------------------------------------

"$trawl" compile -f list -o find.trawl
"$trawl" compile --grep -f list -o grep.trawl
"$trawl" compile --grep --null-data -f list -o nul.trawl
refused 'find: a plan and patterns' 'leave the other patterns' find --plan find.trawl -e x text
refused 'find: a plan and -i' 'leave the other patterns' find --plan find.trawl -i text
refused 'find: a plan and --strand' 'leave the other patterns' find --strand both --plan find.trawl text
refused 'find: a plan and --named' 'leave the other patterns' find --named --plan find.trawl text
refused 'find: a plan and --engine' '--engine to `trawl compile`' find --plan find.trawl --engine ac text
refused 'find: a plan of grep' 'leave --grep out' find --plan grep.trawl text
refused 'grep: a plan and patterns' 'leave the other patterns' grep --plan grep.trawl -f list text
refused 'grep: a plan and -w' 'leave the other patterns' grep -w --plan grep.trawl text
refused 'grep: a plan of find' 'trawl compile --grep' grep --plan find.trawl text
refused 'grep: a plan for other lines' 'add --null-data' grep --plan nul.trawl text
refused 'grep: a plan for lines' 'give --null-data' grep --null-data --plan grep.trawl text
refused 'find: no plan' 'is no plan' find --plan text text
refused 'find: no file' 'No such file' find --plan missing text
refused 'find: a folder' 'Is a directory' find --plan . text
refused 'compile: no output' 'add -o PLAN' compile -e x
refused 'compile: no pattern' 'give a pattern' compile -o new.trawl
refused 'compile: a text' 'reads no texts' compile -o new.trawl -e x text
refused 'compile: -w without --grep' 'add --grep' compile -w -e x -o new.trawl
refused 'compile: --iupac with --grep' '--iupac is for plans of find' compile --grep --iupac -e x -o new.trawl
refused 'compile: nothing but an empty pattern' 'needs no plan' compile --grep -e '' -o new.trawl
refused 'compile: a bad pattern' 'pattern 1' compile -e '[a' -o find.trawl
refused 'compile: no sample' 'No such file' compile -e a --sample missing -o new.trawl
refused 'compile: no folder' 'No such file' compile -e a -o nowhere/new.trawl
[ ! -e new.trawl ]
result 'compile: a refusal leaves no plan' $?
"$trawl" find --plan find.trawl text >got && "$trawl" find -f list text | cmp -s - got
result 'compile: a refusal leaves the old plan' $?

# ---- writing ---------------------------------------------------------------------------

if [ -w /dev/full ]; then
    refused 'compile: a full disk' 'cannot write the plan' compile -e a -o /dev/full
fi
ln -s find.trawl link.trawl
chmod 640 find.trawl
"$trawl" compile -e sat -o link.trawl && [ -L link.trawl ] &&
    "$trawl" find --plan find.trawl text >got && "$trawl" find sat text | cmp -s - got &&
    ls -l find.trawl | grep -q '^-rw-r-----'
result 'compile: a link and the rights of a file stay' $?
(
    ulimit -f 1 # blocks of 512 bytes or of a KiB
    trap '' XFSZ
    "$trawl" compile -f "$trawl" --syntax literal -o find.trawl 2>/dev/null
)
"$trawl" find --plan find.trawl text >got && "$trawl" find sat text | cmp -s - got
result 'compile: what cannot be written whole leaves the old plan' $?
[ "$(echo *.trawl.*)" = '*.trawl.*' ]
result 'compile: nothing is left behind' $?

# ---- info ------------------------------------------------------------------------------

"$trawl" compile --iupac --strand both -i -e GGATCC -e ACGTG -o set.trawl
run info --patterns set.trawl
[ $status = 0 ] && grep -q '^set.trawl: a plan for trawl find$' out &&
    grep -q '^patterns  4, ids 1 to 2, 0 with a name, texts kept$' out &&
    grep -q '^syntax    iupac 4$' out && grep -q '^flags     nocase 4, other-strand 2$' out &&
    grep -q '^lengths   5 to 6 bytes$' out && grep -q '^engine    ' out &&
    grep -q '^stages    part 1 ' out && grep -q '^runs on ' out &&
    grep -q "$(printf '^2\t1\t\tiupac\tnocase,other-strand\tGGATCC$')" out
result 'info: what it says' $?
"$trawl" compile --prosite -f prosite.dat -o set.trawl
if [ -n "$json" ] && command -v python3 >/dev/null 2>&1; then
    "$trawl" info --json --patterns set.trawl | python3 -c '
import json, sys
plan = json.load(sys.stdin)
assert plan["for"] == "trawl find" and plan["patterns"] == 2 and plan["named"] == 2
assert plan["syntax"] == {"prosite": 2} and plan["min_length"] == 4
assert plan["stages"] and all(s["bytes"] > 0 for s in plan["stages"])
assert plan["list"][0]["name"] == "PS00001 ASN_GLYCOSYLATION"
assert plan["list"][1]["text"] == "C-x(2)-C-G."'
    result 'info: --json' $?
fi
"$trawl" info - <set.trawl | grep -q '^(standard input): a plan for trawl find$'
result 'info: standard input' $?
refused 'info: a text' 'is no plan' info text
for head in '' TRAWLCND; do # as conditions were saved when they were the command's
    {
        [ -z "$head" ] || {
            printf %s $head
            head -c 56 /dev/zero
        }
        head -c 8 find.trawl
        printf '\013\0\0\0'
        tail -c +13 find.trawl
    } >older.trawl
    refused "find: a plan of an older form $head" 'compile the patterns again' \
        find --plan older.trawl text
done
refused 'info: no file' 'No such file' info missing
refused 'info: no operand' 'give a plan' info
: >empty
refused 'info: an empty file' 'not a Trawl plan' info empty
size=$(wc -c <set.trawl)
bad=
for length in 7 8 9 100 119 200 $((size / 2)) $((size - 1)); do
    head -c $length set.trawl >cut
    for command in 'info' 'find --plan' 'grep --plan'; do
        run $command cut
        [ $status = 2 ] && [ -s err ] && ! [ -s out ] || bad="$bad $length"
    done
done
{
    cat set.trawl
    echo
} >cut
run info cut
[ $status = 2 ] || bad="$bad longer"
at=0
while [ $at -lt "$size" ]; do
    {
        head -c $at set.trawl
        printf '\252'
        tail -c +$((at + 2)) set.trawl
    } >cut
    cmp -s cut set.trawl || {
        run info cut
        [ $status = 2 ] && [ -s err ] || bad="$bad at$at"
    }
    at=$((at + 97))
done
[ -z "$bad" ]
result "info: damaged plans$bad" $?
run info set.trawl text set.trawl
[ $status = 2 ] && [ "$(grep -c 'a plan for' out)" = 2 ]
result 'info: several, of which one is none' $?

finish
