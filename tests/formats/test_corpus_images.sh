#!/bin/sh
# Known facts of real pictures: places and numbers of occurrences that other programs
# found. Usage: test_corpus_images.sh TRAWL DATA, where DATA is the folder with images/ and its
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

# says NAME EXPECTED OPTION...: what `trawl grid OPTION...` prints after the file and the needle.
says()
{
    name=$1
    printf '%s' "${2:+$2
}" >expected
    shift 2
    "$trawl" grid --as rgb "$@" 2>errors | sed 1d | cut -f 4- | tr '\t' ' ' >found
    compare "$name"
}

seven=$images/pyscreeze/calc7key.png
calculator=$images/pyscreeze/calculator.png
house=$images/sikulix/house1_mac.png
shot=$images/sikulix/house_shot_mac.png
slash=$images/pyscreeze/slash.png
says 'its box and its middle' '220 19 19 220 50 41 44 240' --box -n "$seven" "$calculator"
says 'a house whose transparent cells do not count' '90 160' --alpha-mask -n "$house" "$shot"
says 'within a part of the screen' '90 160' --within 90,160,340,294 -n "$house" "$shot"
says 'not within a smaller one' '' --within 90,160,339,294 -n "$house" "$shot"
says 'how many slashes' '3' --count -n "$slash" "$images/pyscreeze/haystack2.png"
says 'by direct comparison' '93 93
94 94
95 95' --engine direct -n "$slash" "$images/pyscreeze/haystack2.png"

# The same pictures in other formats.
if command -v pngtopam >/dev/null && command -v ppmtobmp >/dev/null && command -v pamtotiff >/dev/null
then
    pngtopam "$slash" 2>/dev/null >slash.ppm
    pngtopam "$images/pyscreeze/haystack2.png" 2>/dev/null >haystack2.ppm
    ppmtobmp <haystack2.ppm >haystack2.bmp 2>/dev/null
    pamtotiff -lzw <haystack2.ppm >haystack2.tif 2>/dev/null
    for text in haystack2.ppm haystack2.bmp haystack2.tif; do
        if [ "$text" = haystack2.tif ] && "$trawl" grid -n $text $text 2>&1 | grep -q libtiff; then
            continue
        fi
        says "slashes in $text" '93 93
94 94
95 95' -n slash.ppm $text
    done
else
    echo "# skipped: other formats, for pngtopam, ppmtobmp and pamtotiff (package netpbm) are not here"
fi

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

# Decode $1, keeping its alpha channel. libpng warns of colour profiles: no matter.
decode()
{
    if [ "${1%.tif}" != "$1" ]; then
        decode_tiff "$1"
    elif [ "$(od -An -tu1 -j25 -N1 "$1" | tr -d ' ')" = 6 ]; then
        pngtopam -alphapam "$1" 2>/dev/null
    else
        pngtopam "$1" 2>/dev/null
    fi
}

# netpbm reads no 16 bits of TIFF rightly.
decode_tiff()
{
    case ${1##*/} in
    RGBA.uint16.tif | dem.tif | chessboard_GRAY_U16.tif)
        python3 - "$1" <<'END'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
def number(form, at):
    return struct.unpack_from("<" + form, data, at)[0]
at = number("I", 4)
tags = {number("H", e): (number("I", e + 4), number("I", e + 8))
        for e in range(at + 2, at + 2 + 12 * number("H", at), 12)}
def numbers(tag):
    count, value = tags[tag]
    return [number("I", value + 4 * i) for i in range(count)] if count > 1 else [value]
cols, rows, samples = tags[256][1], tags[257][1], tags.get(277, (1, 1))[1]
out = sys.stdout.buffer
if samples == 4:
    out.write(b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 65535\n"
              b"TUPLTYPE RGB_ALPHA\nENDHDR\n" % (cols, rows))
else:
    out.write(b"P5\n%d %d\n65535\n" % (cols, rows))
if 322 in tags:
    width, height = tags[322][1], tags[323][1]
    tiles, across = numbers(324), -(-cols // width)
    raster = b"".join(b"".join(data[t + y % height * width * 2:][:width * 2]
                      for t in tiles[y // height * across:][:across])[:2 * cols] for y in range(rows))
else:
    strips = [data[a:a + n] for a, n in zip(numbers(273), numbers(279))]
    raster = b"".join(zlib.decompress(s) if tags[259][1] == 8 else s for s in strips)
count = rows * cols * samples
out.write(struct.pack(">%dH" % count, *struct.unpack("<%dH" % count, raster)))
END
        ;;
    *) tifftopnm "$1" 2>/dev/null ;;
    esac
}

# A number of 16 bits for printf; an entry of a TIFF's directory with such a number.
two()
{
    printf '\\%03o\\%03o' $(($1 / 256)) $(($1 % 256))
}
entry() # TAG VALUE
{
    printf "$(two "$1")\\000\\003\\000\\000\\000\\001$(two "$2")\\000\\000"
}

# signed_tiff COLUMNS ROWS: the raster of a PGM of 16 bits as a TIFF of signed numbers.
signed_tiff()
{
    tail -c $(($1 * $2 * 2)) >raster
    printf 'MM\000\052\000\000\000\010\000\012'
    entry 256 "$1"
    entry 257 "$2"
    entry 258 16
    entry 259 1
    entry 262 1
    printf '\001\021\000\004\000\000\000\001\000\000\000\206' # the raster, after all this
    entry 277 1
    entry 278 "$2"
    entry 279 $(($1 * $2 * 2))
    entry 339 2
    printf '\000\000\000\000'
    cat raster
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
if ! command -v python3 >/dev/null; then
    echo "# skipped: rectangles of TIFF files of 16 bits, for python3 is not here"
    sed '/RGBA\.uint16/d; /dem\.tif/d; /U16\.tif/d' crops >others && mv others crops
fi
if "$trawl" grid -n "$images/raster/dem.tif" "$images/raster/dem.tif" 2>&1 | grep -q libtiff; then
    echo "# skipped: rectangles of TIFF files, for this build has no libtiff"
    sed '/\.tif/d' crops >pngs && mv pngs crops
fi

for image in $(awk -F '\t' '{ print $1 }' crops | uniq); do
    text=$images/${image#images/}
    decode "$text" >decoded.pam
    : >list
    : >expected
    awk -F '\t' -v image="$image" '$1 == image' crops >rows
    while read -r _ x y width height count first_x first_y; do
        needle=crop-$x-$y-$width-$height
        cut_out decoded.pam "$x" "$y" "$width" "$height" >"$needle"
        if [ "${image##*/}" = dem.tif ]; then
            signed_tiff "$width" "$height" <"$needle" >signed && mv signed "$needle"
        fi
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

set --
while read -r needle; do
    set -- "$@" -n "$needle"
done <list
awk '{ print $2 }' expected >counts && mv counts expected
"$trawl" grid --as rgb --count=all "$@" "$images/browserquest/map_1x.png" 2>errors | sed 1d | cut -f 4 >found
compare "tiles by --count, $(awk '{ n += $1 } END { print n }' found) in all"
awk '{ n += $1 } END { print n }' found >sum && mv sum found
echo 26178 >expected
compare 'which are 26178'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
