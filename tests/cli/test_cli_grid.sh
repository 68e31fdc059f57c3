#!/bin/sh
# Golden tests of `trawl grid`, `trawl engines` and `trawl devices`: standard output,
# standard error and exit status. Usage: test_cli_grid.sh TRAWL
# Pictures are made here as PNM text; PNG needs pnmtopng and pamtopng (package netpbm).

. "$(dirname "$0")/../support/command.sh"

result() # NAME FINE(0 or 1)
{
    number=$((number + 1))
    if [ "$2" = 1 ]; then
        echo "ok $number - $1"
    else
        failed=$((failed + 1))
        echo "not ok $number - $1"
        echo "# expected status $want_status, got $status; standard output, standard error:"
        sed 's/^/#   /' out err
    fi
}

# Numbers of two bytes, the lower one first.
numbers() # NUMBER...
{
    for value in "$@"; do
        printf "\\$(printf %03o $((value % 256)))\\$(printf %03o $((value / 256)))"
    done
}

# A page of a TIFF, of one cell, 'I', the next page's place is NEXT.
tiff_page() # NEXT
{
    numbers 8 256 3 1 0 1 0 257 3 1 0 1 0 258 3 1 0 8 0 259 3 1 0 1 0 262 3 1 0 1 0 \
        273 3 1 0 0 0 278 3 1 0 1 0 279 3 1 0 1 0 "$1" 0
}

# check NAME STATUS STDOUT STDERR: the last run. Fields of STDOUT are separated by blanks
# that stand for tabs; (stdin) is "(standard input)". STDERR is a part of the message; empty: nothing is printed.
check()
{
    want_status=$2
    fine=1
    [ "$status" = "$2" ] || fine=0
    if [ -n "$3" ]; then
        printf '%s\n' "$3" | tr ' ' '\t' | sed 's/(stdin)/(standard input)/' | cmp -s - out || fine=0
    else
        [ ! -s out ] || fine=0
    fi
    if [ -n "$4" ]; then
        grep -qF -e "$4" err || fine=0
    else
        [ ! -s err ] || fine=0
    fi
    result "$1" $fine
}

# Like check, but STDOUT is compared as it is.
check_text()
{
    want_status=$2
    fine=1
    [ "$status" = "$2" ] && printf '%s\n' "$3" | cmp -s - out && [ ! -s err ] || fine=0
    result "$1" $fine
}

skip()
{
    echo "# skipped: $1"
}

header='file needle name row col'
count_header='file needle name count'

# ---- pictures ----------------------------------------------------------------

printf 'P2\n5 4\n255\n1 2 1 2 1\n3 1 2 1 2\n1 2 1 2 1\n9 1 3 1 2\n' >text.pgm
printf 'P2\n3 2\n255\n1 2 1\n3 1 2\n' >step.pgm
printf 'P2\n2 1\n255\n1 2\n' >pair.pgm
printf 'P2\n1 1\n255\n9\n' >nine.pgm
printf 'P2\n1 1\n255\n77\n' >absent.pgm
printf 'P2\n6 1\n255\n1 2 1 2 1 2\n' >wide.pgm
printf 'P3\n2 2\n255\n1 1 1  9 9 9\n255 0 0  0 255 0\n' >colours.ppm
printf 'P3\n1 1\n255\n255 0 0\n' >red.ppm
printf 'P3\n1 1\n255\n9 9 9\n' >nine.ppm
printf 'P1\n4 2\n0110\n1101\n' >bits.pbm
printf 'P1\n2 1\n11\n' >black.pbm
printf 'P3\n2 2\n65535\n1 2 3  40000 5 6\n40000 5 7  1 2 3\n' >wide.ppm
printf 'P3\n1 1\n65535\n1 2 3\n' >wide1.ppm
printf 'P3\n1 1\n65535\n40000 5 7\n' >wide2.ppm
printf 'P3\n1 1\n65535\n40000 5 8\n' >wide3.ppm

# ---- finding -----------------------------------------------------------------

run grid -n step.pgm text.pgm
check 'one needle, all occurrences' 0 "$header
text.pgm 1 step.pgm 0 0
text.pgm 1 step.pgm 2 2" ''

run grid -n pair.pgm -n nine.pgm text.pgm
check 'two needles, in order of row and column' 0 "$header
text.pgm 1 pair.pgm 0 0
text.pgm 1 pair.pgm 0 2
text.pgm 1 pair.pgm 1 1
text.pgm 1 pair.pgm 1 3
text.pgm 1 pair.pgm 2 0
text.pgm 1 pair.pgm 2 2
text.pgm 2 nine.pgm 3 0
text.pgm 1 pair.pgm 3 3" ''

run grid -n nine.pgm -n nine.pgm --needle=step.pgm text.pgm
check 'equal needles are reported each' 0 "$header
text.pgm 3 step.pgm 0 0
text.pgm 3 step.pgm 2 2
text.pgm 1 nine.pgm 3 0
text.pgm 2 nine.pgm 3 0" ''

run grid -n text.pgm text.pgm
check 'a needle as large as the text' 0 "$header
text.pgm 1 text.pgm 0 0" ''

run grid -n nine.pgm text.pgm nine.pgm step.pgm
check 'several texts' 0 "$header
text.pgm 1 nine.pgm 3 0
nine.pgm 1 nine.pgm 0 0" ''

run grid -n absent.pgm text.pgm
check 'nothing found: the header alone, status 1' 1 "$header" ''

run grid -n wide.pgm text.pgm
check 'a needle wider than the text' 1 "$header" ''

run grid -n text.pgm step.pgm
check 'a needle higher than the text' 1 "$header" ''

run grid --count=all -n pair.pgm -n absent.pgm text.pgm nine.pgm
check 'counts of every file and needle' 0 "$count_header
text.pgm 1 pair.pgm 7
text.pgm 2 absent.pgm 0
nine.pgm 1 pair.pgm 0
nine.pgm 2 absent.pgm 0" ''

run grid --count -n pair.pgm -n absent.pgm text.pgm nine.pgm
check 'counts of what is there' 0 "$count_header
text.pgm 1 pair.pgm 7" ''
run grid --count=all -n absent.pgm text.pgm
check 'a count of 0 is status 1' 1 "$count_header
text.pgm 1 absent.pgm 0" ''

run grid -n pair.pgm --max-matches 2 text.pgm pair.pgm
check 'a limit is told' 0 "$header
text.pgm 1 pair.pgm 0 0
text.pgm 1 pair.pgm 0 2" \
    'trawl grid: stopped after 2 matches, as --max-matches asks: more may follow'

run grid -n nine.pgm --max-matches 2 text.pgm nine.pgm text.pgm
check 'a limit holds for all files together' 0 "$header
text.pgm 1 nine.pgm 3 0
nine.pgm 1 nine.pgm 0 0" 'stopped after 2 matches'

run grid --count -n pair.pgm --max-matches 2 text.pgm
check 'a limit with --count' 2 '' 'leave one out'

run grid -n nine.pgm - <text.pgm
check '- is standard input' 0 "$header
(stdin) 1 nine.pgm 3 0" ''

run grid -n nine.pgm <text.pgm
check 'without a text, standard input' 0 "$header
(stdin) 1 nine.pgm 3 0" ''

run grid -n - text.pgm <nine.pgm
check 'the needle from standard input' 0 "$header
text.pgm 1 (stdin) 3 0" ''

cp text.pgm 'a	b.pgm'
run grid -n nine.pgm 'a	b.pgm'
check 'a tab in a name is escaped' 0 "$header
a\\tb.pgm 1 nine.pgm 3 0" ''

name=$(printf 'a\nb\\c\r.pgm')
cp text.pgm "$name"
cp nine.pgm "n$name"
run grid --count -n "n$name" "$name"
check 'so are a newline, a backslash and a carriage return, in a needle too' 0 "$count_header
a\\nb\\\\c\\r.pgm 1 na\\nb\\\\c\\r.pgm 1" ''

run grid -n nine.pgm - <colours.ppm
check 'standard input by name in a message' 2 "$header" \
    'trawl grid: (standard input): is rgb8, but the needle is grey8'

run grid -n - text.pgm <colours.ppm
check 'standard input as needle of another kind' 2 "$header" 'text.pgm: is grey8, but the needle'

run grid -n - text.pgm </dev/null
check 'standard input as needle, empty' 2 '' 'trawl grid: (standard input): empty: no picture'

# ---- JSON --------------------------------------------------------------------

run grid --json -n nine.pgm text.pgm
check_text 'JSON, one object a line' 0 \
    '{"file":"text.pgm","needle":1,"name":"nine.pgm","row":3,"col":0}'
run grid --json --count -n nine.pgm -n pair.pgm text.pgm
check_text 'counts as JSON' 0 \
    '{"file":"text.pgm","needle":1,"name":"nine.pgm","count":1}
{"file":"text.pgm","needle":2,"name":"pair.pgm","count":7}'
run grid --json -n nine.pgm -n nine.pgm - <text.pgm
check_text 'equal names and standard input as JSON' 0 \
    '{"file":"(standard input)","needle":1,"name":"nine.pgm","row":3,"col":0}
{"file":"(standard input)","needle":2,"name":"nine.pgm","row":3,"col":0}'
name=$(printf 'bad\377')
cp text.pgm "$name"
cp nine.pgm "n$name"
run grid --json -n "n$name" "$name"
check_text 'JSON of names that are not UTF-8' 0 "$(printf '%s%s%s' \
    '{"file":"bad\357\277\275","file_base64":"YmFk/w==","needle":1,' \
    '"name":"nbad\357\277\275","name_base64":"bmJhZP8=","row":3,"col":0}' |
    sed "s/\\\\357\\\\277\\\\275/$(printf '\357\277\275')/g")"
run grid --json -n absent.pgm text.pgm
check 'JSON of nothing' 1 '' ''
cp text.pgm 'q"\.pgm'
run grid --json -n nine.pgm 'q"\.pgm'
check_text 'JSON escapes names' 0 \
    '{"file":"q\"\\.pgm","needle":1,"name":"nine.pgm","row":3,"col":0}'

# ---- kinds -------------------------------------------------------------------

run grid -n nine.pgm text.pgm colours.ppm nine.pgm
check 'another kind gets a message, the others are searched' 2 "$header
text.pgm 1 nine.pgm 3 0
nine.pgm 1 nine.pgm 0 0" \
    'trawl grid: colours.ppm: is rgb8, but the needle is grey8; convert both with --as rgb'

run grid --as rgb -n nine.pgm text.pgm colours.ppm
check '--as rgb makes them comparable' 0 "$header
text.pgm 1 nine.pgm 3 0
colours.ppm 1 nine.pgm 0 1" ''

run grid --as rgba -n red.ppm colours.ppm
check '--as rgba' 0 "$header
colours.ppm 1 red.ppm 1 0" ''

run grid --as grey -n nine.ppm text.pgm colours.ppm
check '--as grey' 0 "$header
text.pgm 1 nine.ppm 3 0
colours.ppm 1 nine.ppm 0 1" ''

run grid --as stored -n red.ppm colours.ppm
check '--as stored' 0 "$header
colours.ppm 1 red.ppm 1 0" ''

run grid -n nine.pgm -n nine.ppm text.pgm
check 'needles of two kinds' 2 '' \
    'trawl grid: nine.ppm: is rgb8, but nine.pgm is grey8; needles must be of one kind'

run grid --as rgb -n nine.pgm -n nine.ppm text.pgm
check 'needles of two kinds, converted' 0 "$header
text.pgm 1 nine.pgm 3 0
text.pgm 2 nine.ppm 3 0" ''

run grid --as colour -n nine.pgm text.pgm
check 'an unknown --as' 2 '' "--as: 'colour' is none of stored rgb rgba grey gray"

run grid -n black.pbm bits.pbm
check 'one bit' 0 "$header
bits.pbm 1 black.pbm 0 1
bits.pbm 1 black.pbm 1 0" ''

run grid -n wide1.ppm -n wide2.ppm -n wide3.ppm wide.ppm
check 'colours of 16 bits' 0 "$header
wide.ppm 1 wide1.ppm 0 0
wide.ppm 2 wide2.ppm 1 0
wide.ppm 1 wide1.ppm 1 1" ''

# ---- raw rasters -------------------------------------------------------------

printf 'abcabcabc' >u1.raw
printf 'bcab' >n1.raw
printf 'aabbccbbcc' >u2.raw
printf 'bbcc' >n2.raw
printf 'aaaabbbbccccbbbb' >u4.raw
printf 'bbbb' >n4.raw
printf 'abc' >row.raw

run grid -n n1.raw --needle-shape 1x4 --shape 1x9 --dtype u1 u1.raw
check 'raw cells of 1 byte' 0 "$header
u1.raw 1 n1.raw 0 1
u1.raw 1 n1.raw 0 4" ''

run grid -n n2.raw --needle-shape 1x2 --shape 1x5 --dtype u2 u2.raw
check 'raw cells of 2 bytes' 0 "$header
u2.raw 1 n2.raw 0 1
u2.raw 1 n2.raw 0 3" ''

run grid -n n1.raw --needle-shape 1x1 --shape 1x3 --dtype u3 u1.raw
check 'a raw needle that is not of whole cells' 2 '' 'n1.raw: 4 bytes, but 1 x 1 cells of 3'

run grid -n row.raw --needle-shape 1x1 --shape 1x3 --dtype u3 u1.raw
check 'raw cells of 3 bytes' 0 "$header
u1.raw 1 row.raw 0 0
u1.raw 1 row.raw 0 1
u1.raw 1 row.raw 0 2" ''

run grid -n n4.raw --needle-shape 1x1 --shape 2x2 --dtype u4 u4.raw
check 'raw cells of 4 bytes' 0 "$header
u4.raw 1 n4.raw 0 1
u4.raw 1 n4.raw 1 1" ''

run grid -n n1.raw -n row.raw --needle-shape 2x2 --needle-shape 1x3 --shape 3x3 --dtype u1 u1.raw
check 'a shape for each needle' 0 "$header
u1.raw 2 row.raw 0 0
u1.raw 2 row.raw 1 0
u1.raw 2 row.raw 2 0" ''

printf 'P2\n1 1\n255\n98\n' >b.pgm
run grid --as grey -n b.pgm --shape 3x3 --dtype u1 u1.raw
check 'a picture in a raw raster, as grey' 0 "$header
u1.raw 1 b.pgm 0 1
u1.raw 1 b.pgm 1 1
u1.raw 1 b.pgm 2 1" ''

run grid -n b.pgm --shape 3x3 --dtype u1 u1.raw
check 'a picture in a raw raster, as stored' 2 "$header" \
    'trawl grid: u1.raw: is raw:u1, but the needle is grey8; convert with --as grey'

run grid -n b.pgm --shape 3x3 u1.raw
check 'a shape without a type' 2 '' 'a raw raster needs its type too: add --dtype u1, u2, u3 or u4'

run grid -n b.pgm --dtype u1 u1.raw
check 'a type without a shape' 2 '' '--dtype is for raw rasters: add --shape'

run grid -n b.pgm --shape 3x3 --dtype i2 u1.raw
check 'an unknown type' 2 '' "is none of u1 u2 u3 u4"

for shape in 3 3x 3x0 x3 3X3 -3x3 3x3x3 '3x 3' 0x3; do
    run grid -n b.pgm --shape "$shape" --dtype u1 u1.raw
    check "a bad shape: $shape" 2 '' "--shape takes ROWSxCOLS, as in 480x640, not '$shape'"
done

run grid -n n1.raw -n row.raw -n b.pgm --needle-shape 2x2 --needle-shape 1x3 --dtype u1 text.pgm
check 'two shapes for three needles' 2 '' '2 times --needle-shape for 3 needles'

run grid -n n1.raw --needle-shape 1x4 --shape 2x9 --dtype u1 u1.raw
check 'a raw raster of another size' 2 "$header" 'trawl grid: u1.raw: 9 bytes, but 2 x 9 cells'

run grid -n n1.raw --needle-shape 2x9 --dtype u1 text.pgm
check 'a raw needle of another size' 2 '' 'make 18 bytes; correct the shape or the type'

run grid -n n1.raw --needle-shape 1x4 --shape 9999999999999999999x9 --dtype u1 u1.raw
check 'a shape that no memory holds' 2 "$header" 'trawl grid: u1.raw: '

for shape in 99999999999999999999x1 1x18446744073709551616; do
    run grid -n b.pgm --shape $shape --dtype u1 u1.raw
    check "a shape of too large a number: $shape" 2 '' "not '$shape', which is too large"
done

# ---- trouble -----------------------------------------------------------------

printf 'P2\n5 4\n255\n1 2 1' >cut.pgm
printf 'P6\n1000000 1000000\n255\n' >huge.ppm
: >empty
echo 'no picture' >words
mkdir folder

for bad in cut.pgm huge.ppm empty words folder missing.pgm; do
    run grid -n nine.pgm "$bad" text.pgm
    check "a bad text: $bad" 2 "$header
text.pgm 1 nine.pgm 3 0" "trawl grid: $bad: "
    run grid -n nine.pgm -n "$bad" text.pgm
    check "a bad needle: $bad" 2 '' "trawl grid: $bad: "
done

run grid text.pgm
check 'no needle' 2 '' 'trawl grid: nothing to find: add -n NEEDLE'

run grid -n
check 'an option without its value' 2 '' 'trawl grid: '

run grid --nonsense -n nine.pgm text.pgm
check 'an unknown option' 2 '' 'trawl grid: '

run grid -n - <nine.pgm
check 'standard input wanted twice' 2 '' 'trawl grid: standard input can be read only once'

run grid -n nine.pgm --max-matches 0 text.pgm
check 'a limit of 0' 2 '' '--max-matches: give 1 at least'

run grid -n nine.pgm --max-matches many text.pgm
check 'a limit that is no number' 2 '' 'max-matches'

if [ -w /dev/full ]; then
    for options in '' --count --stats '--max-matches 1'; do
        # shellcheck disable=SC2086 # several words
        "$trawl" grid $options -n nine.pgm text.pgm >/dev/full 2>err
        status=$?
        : >out
        check "a full disk: grid $options" 2 '' \
            'trawl grid: cannot write the output: No space left on device'
    done
fi

# A wide field of zeros: more output than a pipe holds.
awk 'BEGIN { print "P2\n200 200\n255"; for (i = 0; i < 40000; i++) print 0 }' >zeros.pgm
printf 'P2\n1 1\n255\n0\n' >zero.pgm
closed_pipe()
{
    {
        "$trawl" grid -n zero.pgm zeros.pgm 2>err
        echo $? >code
    } | head -n 2 >out
    status=$(cat code)
}

closed_pipe
[ "$status" != 141 ] || status=0 # the signal SIGPIPE
check 'a closed pipe is quiet' 0 "$header
zeros.pgm 1 zero.pgm 0 0" ''

trap '' PIPE
closed_pipe
trap - PIPE
check 'a closed pipe is quiet where SIGPIPE is ignored' 0 "$header
zeros.pgm 1 zero.pgm 0 0" ''

# ---- engines and backends ----------------------------------------------------

# A text in which rows repeat often and needles overlap; the tallest does not fit a band.
awk 'BEGIN {
    print "P2\n61 53\n255"
    for (r = 0; r < 53; r++)
        for (c = 0; c < 61; c++)
            print (r * r + 3 * c) % 7 % 3
}' >field.pgm
printf 'P2\n3 2\n255\n' >field1.pgm
awk 'BEGIN { for (r = 7; r < 9; r++) for (c = 5; c < 8; c++) print (r * r + 3 * c) % 7 % 3 }' \
    >>field1.pgm
printf 'P2\n9 20\n255\n' >field2.pgm
awk 'BEGIN { for (r = 11; r < 31; r++) for (c = 4; c < 13; c++) print (r * r + 3 * c) % 7 % 3 }' \
    >>field2.pgm
run grid -n field1.pgm -n field2.pgm --engine bb --backend serial field.pgm
cp out expected
if ! grep -q 'field1.pgm	7	5$' out || ! grep -q 'field2.pgm	11	4$' out; then
    : >expected # both needles were cut out of the field
fi
for engine in bb byr ku auto; do
    for how in '--backend serial' '--backend serial --chunks 9' '--backend threads --threads 3' \
        '--backend openmp --threads 3' \
        '--threads 2 --schedule static' '--threads 4 --chunks 53 --schedule dynamic'; do
        # shellcheck disable=SC2086 # $how is several words
        run grid -n field1.pgm -n field2.pgm --engine $engine $how field.pgm
        if grep -q OpenMP err; then
            skip "$how: this build has no OpenMP"
            continue
        fi
        check_text "the same matches: $engine $how" 0 "$(cat expected)"
    done
done

run grid -n nine.pgm --engine bm text.pgm
check 'an engine that takes no needles' 2 '' 'trawl grid: '

run grid -n nine.pgm --engine nonsense text.pgm
check 'an unknown engine' 2 '' 'nonsense'

run grid -n nine.pgm --backend nonsense text.pgm
check 'an unknown backend' 2 '' 'nonsense'

run grid --stats -n nine.pgm text.pgm text.pgm
check '--stats' 0 "$header
text.pgm 1 nine.pgm 3 0
text.pgm 1 nine.pgm 3 0" '40 bytes, '
grep -q ' GB/s, 2 matches, engine .*, backend .*, [0-9]* thread' err && fine=1 || fine=0
result '--stats, the rest of the line' $fine

run grid --wm-block 2 -n nine.pgm text.pgm
check '--wm-block is not for grids' 2 '' "unrecognized option '--wm-block'"

run grid --explain --engine byr -n nine.pgm text.pgm
check '--explain' 0 "$header
text.pgm 1 nine.pgm 3 0" 'engine byr'

# ---- places that may differ --------------------------------------------------

printf 'P1\n3 2\n000\n100\n' >all-but-corner.pbm # 0 is white: compared
printf 'P1\n3 2\n011\n111\n' >corner.pbm
printf 'P1\n2 1\n00\n' >pair.pbm
printf 'P1\n2 1\n11\n' >nothing.pbm

run grid -n step.pgm --mask all-but-corner.pbm text.pgm
check 'a mask: one cell matches anything' 0 "$header
text.pgm 1 step.pgm 0 0
text.pgm 1 step.pgm 0 2
text.pgm 1 step.pgm 1 1
text.pgm 1 step.pgm 2 2" ''
run grid -n step.pgm -n pair.pgm --mask corner.pbm --mask pair.pbm text.pgm
check 'a mask for each needle' 0 "$header
text.pgm 1 step.pgm 0 0
text.pgm 2 pair.pgm 0 0
text.pgm 1 step.pgm 0 2
text.pgm 2 pair.pgm 0 2
text.pgm 1 step.pgm 1 1
text.pgm 2 pair.pgm 1 1
text.pgm 2 pair.pgm 1 3
text.pgm 1 step.pgm 2 0
text.pgm 2 pair.pgm 2 0
text.pgm 1 step.pgm 2 2
text.pgm 2 pair.pgm 2 2
text.pgm 2 pair.pgm 3 3" ''
echo 'P2 3 2 65535 1 0 1 1 1 1' >deep.pgm
echo 'P3 3 2 255 0 0 1 0 0 0 1 0 0 0 1 0 9 9 9 0 0 2' >dark.ppm
echo 'P2 3 2 65535 1 1 1 1 1 1' >whole.pgm
run grid -n step.pgm text.pgm
mv out expected
run grid -n step.pgm --mask whole.pgm text.pgm
check 'a mask of 16 bits is not black where it is dark' 0 "$(tr '\t' ' ' <expected)" ''
run grid -n step.pgm --mask deep.pgm text.pgm
mv out expected
run grid -n step.pgm --mask dark.ppm text.pgm
check 'nor is one of colours' 0 "$(tr '\t' ' ' <expected)" ''
run grid -n step.pgm --mask pair.pbm text.pgm
check 'a mask of another size' 2 '' \
    'pair.pbm: the mask has 1 x 2 cells (rows x columns), but step.pgm has 2 x 3'
run grid -n pair.pgm --mask nothing.pbm text.pgm
check 'a mask that leaves nothing' 2 '' 'pair.pgm: the mask leaves no cell of the needle to compare'
run grid -n pair.pgm -n nine.pgm -n step.pgm --mask pair.pbm --mask pair.pbm text.pgm
check 'masks for some needles' 2 '' '2 times --mask for 3 needles'
run grid -n nine.pgm --tolerance 6 text.pgm
check 'a tolerance' 0 "$header
text.pgm 1 nine.pgm 1 0
text.pgm 1 nine.pgm 3 0
text.pgm 1 nine.pgm 3 2" ''
run grid --count -n step.pgm --wrong 1 text.pgm
check 'a wrong cell' 0 "$count_header
text.pgm 1 step.pgm 4" ''
run grid --count -n step.pgm --wrong 6 text.pgm
check 'all cells wrong' 0 "$count_header
text.pgm 1 step.pgm 9" ''
run grid --tolerance 1 -n wide1.ppm wide.ppm
check 'a tolerance of colours of 16 bits' 2 '' '--tolerance does not work on rgb16'
run grid --tolerance x -n nine.pgm text.pgm
check 'a tolerance that is none' 2 '' "--tolerance"
run grid --engine ku --wrong 1 -n nine.pgm text.pgm
check 'an engine for equal cells' 2 '' "direct takes masks, tolerance and wrong cells, ku masks"
run grid --explain --tolerance 1 -n nine.pgm text.pgm
check 'the engine for it' 0 "$header
text.pgm 1 nine.pgm 3 0" 'engine direct (the only engine that takes this set)'
run grid --alpha-mask -n - text.pgm <nine.pgm
check 'alpha of standard input' 2 '' '--alpha-mask reads a needle twice'

# ---- parts, columns, formats, frames ----------------------------------------------

run grid -n pair.pgm --within 1,1,2,4 text.pgm
check 'a part of the text' 0 "$header
text.pgm 1 pair.pgm 1 1
text.pgm 1 pair.pgm 1 3
text.pgm 1 pair.pgm 2 2" ''
run grid -n pair.pgm --within 3,0,99,99 text.pgm
check 'a part that goes beyond' 0 "$header
text.pgm 1 pair.pgm 3 3" ''
run grid -n pair.pgm --within 9,0,1,1 text.pgm
check 'a part outside' 1 "$header" ''
for part in 1,2,3 1,2,3,4,5 1,2,0,4 a,2,3,4 1,,2,3 ''; do
    run grid -n pair.pgm --within "$part" text.pgm
    check "no part: $part" 2 '' '--within takes ROW,COL,H,W'
done
run grid --box -n step.pgm text.pgm
check 'boxes' 0 "$header x y w h centre_x centre_y
text.pgm 1 step.pgm 0 0 0 0 3 2 1 1
text.pgm 1 step.pgm 2 2 2 2 3 2 3 3" ''
cp step.pgm 'a, "b".pgm'
run grid --csv --box -n 'a, "b".pgm' text.pgm
check_text 'CSV' 0 'file,needle,name,row,col,x,y,w,h,centre_x,centre_y
text.pgm,1,"a, ""b"".pgm",0,0,0,0,3,2,1,1
text.pgm,1,"a, ""b"".pgm",2,2,2,2,3,2,3,3'
run grid --csv --count -n step.pgm text.pgm
check_text 'CSV of counts' 0 'file,needle,name,count
text.pgm,1,step.pgm,2'
run grid --annotate out.png -n step.pgm text.pgm step.pgm
check 'frames in two texts' 2 '' '--annotate reads its one text twice'
run grid --annotate out.png -n step.pgm - <text.pgm
check 'frames in standard input' 2 '' '--annotate reads its one text twice'

# ---- memory ------------------------------------------------------------------

run grid -n nine.pgm --max-memory 100 text.pgm
check 'a picture over the limit' 2 "$header" \
    'text.pgm: too large: 4 x 5 cells (rows x columns) need '
grep -q ' need [0-9]* bytes of memory, and the limit is 100; raise it (--max-memory), or cut' err &&
    fine=1 || fine=0
result 'a picture over the limit: what it needs, the limit, the option' $fine
run grid -n text.pgm --max-memory 100 nine.pgm
check 'a needle over the limit' 2 '' 'text.pgm: too large: 4 x 5'
for size in 200 1K 1M 1G; do
    run grid -n nine.pgm --max-memory $size text.pgm
    check "a picture within the limit of $size" 0 "$header
text.pgm 1 nine.pgm 3 0" ''
done
run grid -n nine.pgm --max-memory 12 text.pgm
check 'a file over the limit' 2 '' 'nine.pgm: the file alone has more than the limit of 12 bytes'
run grid -n b.pgm --as grey --shape 3x3 --dtype u1 --max-memory 8 u1.raw
check 'a file over the limit, before a raster' 2 '' 'b.pgm: the file alone'
run grid -n nine.pgm --shape 30000x40000 --dtype u1 u1.raw
check 'the limit of 1 GiB, a raster' 2 "$header" \
    'u1.raw: 9 bytes, but 30000 x 40000 cells of 1 make 1200000000 bytes; correct the shape or the type'
printf 'P5\n40000 30000\n255\n' >large.pgm
run grid -n nine.pgm large.pgm
check 'the limit of 1 GiB, a picture' 2 "$header" 'large.pgm: too large: 30000 x 40000 cells'
run grid -n nine.pgm --max-memory 2G large.pgm
check 'a higher limit' 2 "$header" 'large.pgm: truncated PNM'
for size in 1X K 1KB -1 '1 K' '' 1.5G; do
    run grid -n nine.pgm --max-memory "$size" text.pgm
    check "a bad size: $size" 2 '' "--max-memory: '$size' is no size: give bytes, or as in 64K"
done
for size in 99999999999999999999 99999999999G; do
    run grid -n nine.pgm --max-memory $size text.pgm
    check "too large a size: $size" 2 '' "--max-memory: $size is too large"
done
run grid -n nine.pgm --max-memory 0 text.pgm
check 'a size of 0' 2 '' '--max-memory: give 1 at least'

# ---- compressed --------------------------------------------------------------

if command -v gzip >/dev/null; then
    gzip -c text.pgm >text.pgm.gz
    run grid -n nine.pgm text.pgm.gz
    check 'a compressed text' 2 "$header" \
        'text.pgm.gz: is compressed (gzip), no picture; decompress it first: gzip -dc FILE'
fi

# ---- PNG ---------------------------------------------------------------------

if ! command -v pnmtopng >/dev/null || ! command -v pamtopng >/dev/null; then
    skip 'PNG: pnmtopng and pamtopng (package netpbm) are not here'
elif pnmtopng text.pgm >probe.png 2>/dev/null && "$trawl" grid -n probe.png probe.png 2>&1 |
    grep -q 'libpng'; then
    skip 'PNG: this build has no libpng'
else
    pamtopng text.pgm >text.png
    pamtopng step.pgm >step.png
    run grid -n step.pgm -n step.png text.png
    check 'PNG and PNM are comparable' 0 "$header
text.png 1 step.pgm 0 0
text.png 2 step.png 0 0
text.png 1 step.pgm 2 2
text.png 2 step.png 2 2" ''

    run grid -n step.png - <text.png
    check 'PNG from standard input' 0 "$header
(stdin) 1 step.png 0 0
(stdin) 1 step.png 2 2" ''

    # pnmtopng stores four colours as a palette.
    pnmtopng -force colours.ppm >true.png 2>/dev/null
    pnmtopng colours.ppm >palette.png 2>/dev/null
    [ "$(od -An -tu1 -j25 -N1 palette.png | tr -d ' ')" = 3 ] || echo '# palette.png has none'
    run grid -n red.ppm palette.png true.png
    check 'a palette counts as its colours' 0 "$header
palette.png 1 red.ppm 1 0
true.png 1 red.ppm 1 0" ''

    pnmtopng -interlace colours.ppm >interlaced.png 2>/dev/null
    run grid -n red.ppm interlaced.png
    check 'interlaced' 0 "$header
interlaced.png 1 red.ppm 1 0" ''

    pamtopng bits.pbm >bits.png
    run grid -n black.pbm bits.png
    check 'PNG of one bit' 0 "$header
bits.png 1 black.pbm 0 1
bits.png 1 black.pbm 1 0" ''

    pamtopng wide.ppm >wide.png
    pamtopng wide2.ppm >wide2.png
    run grid -n wide1.ppm -n wide2.png -n wide3.ppm wide.png wide.ppm
    check 'PNG of 16 bits' 0 "$header
wide.png 1 wide1.ppm 0 0
wide.png 2 wide2.png 1 0
wide.png 1 wide1.ppm 1 1
wide.ppm 1 wide1.ppm 0 0
wide.ppm 2 wide2.png 1 0
wide.ppm 1 wide1.ppm 1 1" ''

    # Two red pixels, the second half transparent.
    {
        printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
        printf '\377\000\000\377\377\000\000\200'
    } | pamtopng >alpha.png
    run grid --as rgb -n red.ppm alpha.png
    check 'as RGB the hidden colours count, with a warning' 0 "$header
alpha.png 1 red.ppm 0 0
alpha.png 1 red.ppm 0 1" \
        'warning: alpha.png: has transparent pixels: --as rgb compares their hidden colours; take --as rgba to compare transparency too'
    result 'which comes once a picture' "$(grep -c . err)"
    run grid --as grey -n alpha.png alpha.png
    check 'as grey too, of needles as well' 0 "$header
alpha.png 1 alpha.png 0 0" 'warning: alpha.png: has transparent pixels: --as grey compares'
    result 'once each' "$(($(grep -c . err) - 1))"
    pamtopng -transparent=rgb:ff/00/00 colours.ppm >keyed.png
    pamtopng -transparent=rgb:77/77/77 colours.ppm >unkeyed.png
    run grid --as rgb -n red.ppm keyed.png
    check 'one transparent colour is hidden too' 0 "$header
keyed.png 1 red.ppm 1 0" 'warning: keyed.png: has transparent pixels'
    run grid --as rgb -n red.ppm unkeyed.png
    check 'one that no pixel has is not' 0 "$header
unkeyed.png 1 red.ppm 1 0" ''
    printf 'P3\n2 1\n255\n255 0 0  1 2 3\n' >any.ppm
    run grid --as rgb --alpha-mask -n alpha.png any.ppm
    check 'what is not opaque matches anything' 0 "$header
any.ppm 1 alpha.png 0 0" ''
    run grid --as rgb -n alpha.png any.ppm
    check 'not without --alpha-mask' 1 "$header" 'warning: alpha.png: has transparent pixels'
    run grid --annotate out.png -n nine.pgm text.pgm
    check 'frames' 0 "$header
text.pgm 1 nine.pgm 3 0" ''
    printf 'P3\n2 2\n255\n255 0 0  255 0 0\n9 9 9  255 0 0\n' >frame.ppm
    run grid -n frame.ppm out.png
    check 'a frame around a match at the corner' 0 "$header
out.png 1 frame.ppm 2 0" ''
    run grid --annotate none/out.png -n nine.pgm text.pgm
    check 'frames that cannot be written' 2 "$header
text.pgm 1 nine.pgm 3 0" '--annotate: none/out.png: cannot be written: No such file'
    cp text.png own.png
    cp step.pgm own.pgm
    ln -s own.png link.png
    ln own.png hard.png
    for to in own.png link.png hard.png own.pgm; do
        run grid --annotate $to -n own.pgm own.png
        case $to in own.pgm) read=own.pgm ;; *) read=own.png ;; esac
        check "frames over an input: $to" 2 '' "$read: the input file is also the output"
        result "it is left: $to" "$(cmp -s own.png text.png && cmp -s own.pgm step.pgm && echo 1)"
    done
    run grid --annotate own.pgm -n step.pgm --mask own.pgm own.png
    check 'frames over a mask' 2 '' 'own.pgm: the input file is also the output'
    echo kept >other
    {
        printf 'II*\0\10\0\0\0'
        tiff_page 110
        tiff_page 0
    } >two.tif
    echo 'P2 1 1 255 73' >one.pgm
    run grid --annotate other -n one.pgm two.tif
    if ! grep -q 'built without TIFF' err; then
        check 'frames in a file of two pages' 2 "$header
two.tif:1 1 one.pgm 0 0
two.tif:2 1 one.pgm 0 0" '--annotate: other: cannot be written: the picture has several pages'
        result 'what was there is left' "$([ "$(cat other)" = kept ] && echo 1)"
        {
            printf 'II*\0\10\0\0\0'
            numbers 9 256 3 1 0 1 0 257 3 1 0 1 0 258 3 1 0 8 0 259 3 1 0 1 0 262 3 1 0 1 0 \
                273 3 1 0 0 0 274 3 1 0 3 0 278 3 1 0 1 0 279 3 1 0 1 0 0 0
        } >turned.tif
        run grid -n one.pgm turned.tif
        check 'a picture that is to be turned is searched as it is stored, with a warning' 0 "$header
turned.tif 1 one.pgm 0 0" 'turned.tif: is to be turned or mirrored when it is shown (orientation 3'
        {
            printf 'II*\0\10\0\0\0'
            numbers 9 256 3 1 0 1 0 257 3 1 0 1 0 258 3 1 0 32 0 259 3 1 0 1 0 262 3 1 0 1 0 \
                273 3 1 0 0 0 278 3 1 0 1 0 279 3 1 0 4 0 339 3 1 0 3 0 0 0
        } >float.tif
        run grid -n one.pgm float.tif
        check 'numbers that --as does not convert get other advice' 2 "$header" \
            'is float32, but the needle is grey8; such numbers are no colours, which --as converts'
    fi
    ln -s other other.link
    run grid --annotate other.link -n step.pgm text.png
    check 'frames through a link' 0 "$header
text.png 1 step.pgm 0 0
text.png 1 step.pgm 2 2" ''
    result 'it stays one' "$([ -L other.link ] && ! grep -q kept other && echo 1)"
    if mknod full c 1 7 2>/dev/null && dd if=full of=zero bs=1 count=1 2>/dev/null; then # our own
        run grid --annotate full -n step.pgm text.png
        check 'frames on a full disk' 2 "$header
text.png 1 step.pgm 0 0
text.png 1 step.pgm 2 2" '--annotate: full: cannot be written'
        result 'the device is there' "$([ -c full ] && echo 1)"
    fi
    result 'no part of a file is left' "$(set -- other?* own*.??????; [ "$*" = 'other.link own*.??????' ] && echo 1)"
    run grid --as rgba -n red.ppm alpha.png
    check 'transparency matters as RGBA' 0 "$header
alpha.png 1 red.ppm 0 0" ''
    run grid -n red.ppm alpha.png
    check 'RGBA and RGB as stored' 2 "$header" 'alpha.png: is rgba8, but the needle is rgb8'

    head -c 60 text.png >cut.png
    run grid -n step.png cut.png text.png
    check 'a truncated PNG, the others are searched' 2 "$header
text.png 1 step.png 0 0
text.png 1 step.png 2 2" 'trawl grid: cut.png: '
    run grid -n cut.png text.png
    check 'a truncated PNG as needle' 2 '' 'trawl grid: cut.png: '
fi

# ---- engines, devices, help --------------------------------------------------

# has NAME WORD...: the last run ended well and quietly, and printed all the words.
has()
{
    want_status=0
    name=$1
    shift
    fine=1
    [ "$status" = 0 ] && [ ! -s err ] || fine=0
    for word; do
        grep -qw -e "$word" out || fine=0
    done
    result "$name" $fine
}

run engines
has 'engines' bm wm ac pfac shiftand hnfa bb byr packed teddy qgrams kmers bitslice factors ku
run devices
has 'devices' CPU serial threads
for command in grid engines devices; do
    run $command --help
    has "$command --help" "Usage: trawl $command" Examples
done
for command in engines devices; do
    run $command --json
    has "$command --json" about
    grep -q '":"' out && ! grep -q '": ' out && fine=1 || fine=0
    result "$command --json is compact" $fine
    run $command nonsense
    check "$command takes no argument" 2 '' "trawl $command: takes no argument, but got 'nonsense'"
    run $command --nonsense
    check "$command: an unknown option" 2 '' "trawl $command: "
done

finish
