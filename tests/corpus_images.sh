#!/bin/sh
# Known facts of real pictures: places and numbers of occurrences that other programs
# found. Usage: corpus_images.sh TRAWL DATA, where DATA is the folder with images/ and its
# expected_crops.tsv. Needles are cut out of the pictures with netpbm.

LC_ALL=C
export LC_ALL
case $1 in
/*) trawl=$1 ;;
*) trawl=$PWD/$1 ;;
esac
if [ ! -f "$trawl" ] || [ ! -x "$trawl" ]; then
    echo "usage: $0 TRAWL DATA (the program to test and the folder of test data)" >&2
    exit 2
fi
if [ -z "$2" ] || [ ! -d "$2/images" ]; then
    echo "# skipped: there is no folder of test data with pictures in it (DATA/images)"
    echo "0 passed, 0 failed"
    exit 77
fi
images=$(cd "$2/images" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2

if "$trawl" grid -n "$images/pyscreeze/slash.png" "$images/pyscreeze/slash.png" 2>&1 |
    grep -q 'libpng'; then
    echo "# skipped: this build has no libpng"
    echo "0 passed, 0 failed"
    exit 77
fi

number=0
passed=0
failed=0

compare() # NAME: the files expected and found
{
    number=$((number + 1))
    if diff expected found >difference; then
        passed=$((passed + 1))
        echo "ok $number - $1"
    else
        failed=$((failed + 1))
        echo "not ok $number - $1"
        sed 's/^/#   /' difference | head -n 20
    fi
}

# ---- needle and text from other projects -------------------------------------

# place NAME NEEDLE TEXT "ROW COL"...: all places, compared as RGB.
place()
{
    name=$1
    needle=$2
    text=$3
    shift 3
    for at; do
        echo "$at"
    done >expected
    "$trawl" grid --as rgb -n "$images/$needle" "$images/$text" 2>errors |
        awk -F '\t' 'NR > 1 { print $4, $5 }' >found
    compare "$name"
}

place 'the 7 of a calculator' pyscreeze/calc7key.png pyscreeze/calculator.png '220 19'
place 'one slash' pyscreeze/slash.png pyscreeze/haystack1.png '94 94'
place 'three slashes that overlap' pyscreeze/slash.png pyscreeze/haystack2.png \
    '93 93' '94 94' '95 95'
place 'no slash in noise' pyscreeze/slash.png pyscreeze/colornoise.png
place 'a face in a photograph' pyscreeze/zophie_face.png pyscreeze/zophie.png '352 340'
place 'a house in a screenshot' sikulix/house1_mac.png sikulix/house_shot_mac.png '90 160'

# ---- rectangles cut out ------------------------------------------------------

# count_needles TEXT OPTION...: search the needles in the file `list` (a path a line) in
# TEXT; a line "needle count first_row first_col" each, in the order of the list.
count_needles()
{
    text=$1
    shift
    while read -r needle; do
        set -- "$@" -n "$needle"
    done <list
    "$trawl" grid "$@" "$text" 2>errors >matches || cat errors >&2
    awk -F '\t' '
        FNR == NR { if (FNR > 1 && count[$3]++ == 0) first[$3] = $4 " " $5; next }
        { print $1, count[$1] + 0, first[$1] }' matches list
}

# Decode the PNG $1, keeping its alpha channel. libpng warns of colour profiles: no matter.
decode()
{
    if [ "$(od -An -tu1 -j25 -N1 "$1" | tr -d ' ')" = 6 ]; then
        pngtopam -alphapam "$1" 2>/dev/null
    else
        pngtopam "$1" 2>/dev/null
    fi
}

# cut_out FILE X Y WIDTH HEIGHT: a rectangle; with alpha as PNG, for PNM has none.
cut_out()
{
    if [ "$(head -c 2 "$1")" = P7 ]; then
        pamcut -left "$2" -top "$3" -width "$4" -height "$5" "$1" | pamtopng
    else
        pamcut -left "$2" -top "$3" -width "$4" -height "$5" "$1"
    fi
}

if ! command -v pngtopam >/dev/null || ! command -v pamtopng >/dev/null; then
    echo "# skipped: rectangles cut out, for pngtopam, pamcut and pamtopng (package netpbm) are" \
        "not here"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
fi

grep -v '^#' "$images/expected_crops.tsv" >crops
grep '\.tif' crops >tiffs
echo "# skipped: $(grep -c . tiffs) rectangles of $(awk '{ print $1 }' tiffs | sort -u | wc -l)" \
    "TIFF files; this release reads PNG, PNM and raw rasters, TIFF comes later"

for image in $(awk -F '\t' '/\.png\t/ { print $1 }' crops | uniq); do
    text=$images/${image#images/}
    decode "$text" >decoded.pam
    : >list
    : >expected
    awk -F '\t' -v image="$image" '$1 == image' crops >rows
    while read -r _ x y width height count first_x first_y; do
        needle=crop-$x-$y-$width-$height
        cut_out decoded.pam "$x" "$y" "$width" "$height" >"$needle"
        echo "$needle" >>list
        echo "$needle $count $first_y $first_x" >>expected
    done <rows
    for engine in bb byr ku auto; do
        count_needles "$text" --engine $engine >found
        compare "rectangles: $(grep -c . list) of $image, $engine"
    done
    rm -f crop-*
done

# ---- the tiles of a map ------------------------------------------------------

decode "$images/browserquest/tilesheet_1x.png" >decoded.pam
: >list
: >expected
grep -v '^#' "$images/browserquest/expected_tiles.tsv" >rows
while read -r id x y _ count first_x first_y; do
    needle=tile-$id
    cut_out decoded.pam "$x" "$y" 16 16 >"$needle"
    echo "$needle" >>list
    echo "$needle $count $first_y $first_x" >>expected
done <rows
for engine in bb byr ku auto; do
    count_needles "$images/browserquest/map_1x.png" --as rgb --engine $engine >found
    compare "$(grep -c . list) tiles in a map, $(awk '{ n += $2 } END { print n }' expected) times, $engine"
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
