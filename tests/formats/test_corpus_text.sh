#!/bin/sh
# Known facts of real texts: how often and where other programs found words, restriction
# sites, rule contents, signatures and protein motifs. Usage: test_corpus_text.sh TRAWL DATA,
# where DATA is the folder with text/, dna/, ids/ and so on. Each fact is asked of several
# engines, and of each in every way to run it: see scan.

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
if [ -z "$2" ] || [ ! -d "$2/text" ]; then
    echo "# skipped: there is no folder of test data with texts in it (DATA/text)"
    echo "0 passed, 0 failed"
    exit 77
fi
data=$(cd "$2" && pwd) || exit 2
if ! command -v xz >/dev/null; then
    echo "# skipped: the texts are packed and xz (package xz-utils) is not here"
    echo "0 passed, 0 failed"
    exit 77
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2

number=0
passed=0
failed=0

# The file `difference`, empty if all is well, decides the test NAME.
verdict()
{
    number=$((number + 1))
    if [ ! -s difference ]; then
        passed=$((passed + 1))
        echo "ok $number - $1"
    else
        failed=$((failed + 1))
        echo "not ok $number - $1"
        sed 's/^/#   /' difference | head -n 20
    fi
}

compare() # NAME: the files expected and found
{
    diff expected found >difference
    verdict "$1"
}

# ---- running trawl ------------------------------------------------------------

ways='serial dynamic static piped'
literal_engines='wm-2 wm-3 ac pfac'

# scan ENGINE WAY COMMAND ARGUMENT...: search the file `text` (or, when there is none, the
# files among the arguments). What it prints, errors too, is the result.
scan()
{
    engine=$1 way=$2 command=$3
    shift 3
    case $engine in
    wm-*) set -- --engine wm --wm-block "${engine#wm-}" "$@" ;;
    *) set -- --engine "$engine" "$@" ;;
    esac
    case $way in
    serial | piped) set -- --backend serial "$@" ;;
    dynamic) set -- --backend threads --threads 3 --chunks 7 "$@" ;;
    static) set -- --backend threads --threads 3 --schedule static "$@" ;;
    esac
    if [ "$way" = piped ]; then # a file would be mapped: cat makes it a stream
        # shellcheck disable=SC2002
        cat text | "$trawl" "$command" "$@" 2>&1
    elif [ -f text ]; then
        "$trawl" "$command" "$@" text 2>&1
    else
        "$trawl" "$command" "$@" 2>&1
    fi
    status=$?
    [ $status -le 1 ] || echo "exit status $status"
}

in_turn() # WORD...: one of the words, another one in the next test
{
    shift $((number % $#))
    echo "$1"
}

# agree NAME ENGINES WAYS FILTER COMMAND ARGUMENT...: a test for each engine: in every one
# of the ways, the output of trawl COMMAND as FILTER reads it is the file `expected`. Where tests
# are shortened (TRAWL_TEST_EVERY), each is run in one way, all ways in turn.
agree()
{
    name=$1 engines=$2 list_of_ways=$3 filter=$4
    shift 4
    for one_engine in $engines; do
        : >difference
        tried_ways=$list_of_ways
        # shellcheck disable=SC2086
        [ "${TRAWL_TEST_EVERY:-1}" = 1 ] || tried_ways=$(in_turn $list_of_ways)
        for one_way in $tried_ways; do
            scan "$one_engine" "$one_way" "$@" | "$filter" >found
            diff expected found >new || { echo "$one_way:" && cat new; } >>difference
        done
        verdict "$name, $one_engine"
    done
}

# Filters. A line that is none of trawl's results, such as an error, is passed on.

counts() # of find --count: the counts alone, in the order of the patterns
{
    awk -F '\t' '$1 != "file" { print NF == 3 ? $3 : $0 }'
}

tally() # of find --count: all occurrences and how many patterns occur
{
    awk -F '\t' '
        NF != 3 { print }
        $1 != "file" { sum += $3; if ($3 > 0) patterns++ }
        END { print sum + 0, patterns + 0 }'
}

total() # of find --count: all occurrences
{
    tally | sed 's/ [0-9]*$//'
}

count_and_first() # of find: "pattern count first_offset" for each pattern that occurs
{
    awk -F '\t' '
        NF != 5 { print }
        NF == 5 && $1 != "file" {
            if (count[$3]++ == 0 || $4 < first[$3]) first[$3] = $4
        }
        END { for (p in count) print p, count[p], first[p] }' | sort -n
}

number_of_lines()
{
    wc -l | tr -d ' '
}

# ---- texts --------------------------------------------------------------------

# Overlapping occurrences, and newlines and code points. File, number, literal.
cat >facts <<'EOF'
text/sherlock.txt|91|Sherlock Holmes
text/sherlock.txt|97|Sherlock
text/sherlock.txt|461|Holmes
text/sherlock.txt|7218|the
text/sherlock.txt|2235| a 
text/sherlock.txt|13052|\n
text/bible.txt|4040|God
text/bible.txt|5695|the LORD
text/bible.txt|225|begat
text/bible.txt|0|aaa
text/bible.txt|30383|\n
text/enwik8_first_4154517|40836|[[
text/enwik8_first_4154517|54|Wikipedia
text/enwik8_first_4154517|7354|&quot;
text/enwik8_first_4154517|46678|\n
text/enwik8_first_4154517|0|\r
text/UnicodeData-15.0.0.txt|11626|LETTER
text/UnicodeData-15.0.0.txt|65|<control>
text/UnicodeData-15.0.0.txt|34924|\n
text/chinese_23962.txt|4222|行者
text/chinese_23962.txt|1570|師父
text/chinese_23962.txt|54188|，
text/chinese_23962.txt|27507|\n
text/japanese_neko.txt|274|先生
text/japanese_neko.txt|1114|て いる
text/japanese_neko.txt|7486|。
text/japanese_neko.txt|1|\n
text/opensubtitles_en.txt|1|Sherlock Holmes
text/opensubtitles_en.txt|5292|the
text/opensubtitles_en.txt|22927|\n
text/opensubtitles_ru.txt|1|Шерлок Холмс
text/opensubtitles_ru.txt|3092|не
text/opensubtitles_ru.txt|12685|\n
text/opensubtitles_zh.txt|1|夏洛克·福尔摩斯
text/opensubtitles_zh.txt|5841|的
text/opensubtitles_zh.txt|22000|\n
text/tcpdump_source.c|2900|return
text/tcpdump_source.c|3443|struct 
text/tcpdump_source.c|6168|ND_PRINT
text/tcpdump_source.c|10231|/*
text/tcpdump_source.c|116164|\n
text/world192.txt|274|Population
text/world192.txt|8296|the
text/world192.txt|535| km2
text/world192.txt|65119|\n
EOF

# literal_facts NAME: the lines "number|literal" of the file `asked` hold in `text`.
# Boyer-Moore takes one literal: it is asked once for each.
literal_facts()
{
    cut -d '|' -f 1 asked >numbers
    cut -d '|' -f 2 asked >list
    cp numbers expected
    agree "$1: $(grep -c . list) literals" "$literal_engines shiftand hnfa" "$ways" \
        counts find --count=all -F -f list
    while IFS='|' read -r count literal; do
        echo "$count" >expected
        agree "$1: '$literal' $count times" bm "$ways" counts find --count=all -F -e "$literal"
    done <asked
}

for file in $(cut -d '|' -f 1 facts | uniq); do
    xz -dc "$data/$file.xz" >text
    awk -F '|' -v file="$file" '$1 == file { print $2 "|" $3 }' facts >asked
    literal_facts "$file"
    case $file in
    *chinese*) echo 805005 >expected ;;
    *japanese*) echo 529019 >expected ;;
    *) continue ;;
    esac
    agree "$file: its code points, as bytes that open one" 'shiftand hnfa' "$ways" counts \
        find --count=all -e '[^\x80-\xbf]'
done

# ---- case, and a dictionary ------------------------------------------------------

xz -dc "$data/text/sherlock.txt.xz" >sherlock.txt
cp sherlock.txt text
echo 96 >expected
agree 'sherlock.txt: -i sherlock holmes' "bm $literal_engines shiftand hnfa" "$ways" counts \
    find --count=all -i 'sherlock holmes'
agree 'sherlock.txt: grep -o -i sherlock holmes' "bm $literal_engines shiftand hnfa" "$ways" \
    number_of_lines grep -o -i 'sherlock holmes'

xz -dc "$data/dict/american-english-huge.xz" >list
echo "348454 words" >expected
echo "$(wc -l <list | tr -d ' ') words" >found
compare 'the dictionary is whole'
head -c 200000 sherlock.txt >text
echo '310778 8771' >expected
agree 'words of the dictionary in 200000 bytes' ac 'dynamic piped' tally find --count=all -F -f list
agree 'words of the dictionary in 200000 bytes' 'pfac wm-3' dynamic tally \
    find --count=all -F -f list

# ---- genomes ------------------------------------------------------------------

# The bases of a FASTA file without the lines' ends.
bases()
{
    gzip -dc "$1" | grep -v '^>' | tr -d '\n'
}

# genome NAME FILE COUNT...: counts of the ten restriction sites below.
genome()
{
    name=$1 file=$2
    shift 2
    bases "$data/dna/$file" >text
    : >asked
    for site in GAATTC AAGCTT GGATCC GCGGCCGC CTGCAG AGATCT GGTACC CTCGAG GTCGAC CCCGGG; do
        echo "$1|$site" >>asked
        shift
    done
    [ "$name" != 'E. coli' ] || printf '%s\n' '499|GCTGGTGG' '509|CCACCAGC' '1142742|A' \
        '1180091|C' '1177437|G' '1141382|T' >>asked
    literal_facts "$name"
}

# Ambiguity codes to classes; two patterns a site: itself and its reverse complement.
iupac()
{
    awk '
        BEGIN {
            codes = "ACGTRYSWKMBDHVN"
            paired = "TGCAYRSWMKVHDBN"
            split("A C G T [AG] [CT] [CG] [AT] [GT] [AC] [CGT] [AGT] [ACT] [ACG] [ACGT]", set)
        }
        {
            forward = reverse = ""
            for (i = 1; i <= length($1); i++) {
                code = index(codes, substr($1, i, 1))
                forward = forward set[code]
                reverse = set[index(codes, substr(paired, code, 1))] reverse
            }
            print forward
            print reverse
        }'
}

# sites_of_rebase NAME EXPECTED.TSV: all sites, in the genome that is `text`.
sites_of_rebase()
{
    grep -v '^#' "$data/dna/$2" | sort >rows
    awk '{ print $1 }' rows >expected
    cp sites found
    compare "$1: the file of counts has all sites"
    iupac <sites >list
    awk '{ print $2; print $3 }' rows >expected
    agree "$1: $(grep -c . list) sites and reverse complements" shiftand 'serial dynamic' counts \
        find --count=all -f list
    # Sites of plain bases are literals.
    paste expected list | grep -v '\[' >plain
    cut -f 1 plain >expected
    cut -f 2 plain >list
    agree "$1: the $(grep -c . list) without ambiguity codes" "$literal_engines" 'static piped' \
        counts find --count=all -F -f list
}

grep -v '^#' "$data/dna/rebase404_sites.tsv" | cut -f 2 | grep -v '|' | sort -u >sites

genome 'yeast' yeast_chrI.fasta.gz 79 64 22 1 50 60 66 24 23 3
genome 'lambda' lambda_phage.fasta.gz 5 6 5 0 28 6 2 1 2 3
sites_of_rebase 'lambda' rebase404_expected_lambda.tsv
awk '{ print $2; print $3 }' rows >expected
iupac <sites >list
agree "lambda: $(grep -c . list) sites and reverse complements" hnfa "$ways" counts \
    find --count=all -f list
genome 'E. coli' ecoli_k12_mg1655.fasta.gz 646 556 494 23 958 701 517 178 544 426
sites_of_rebase 'E. coli' rebase404_expected_ecoli_k12.tsv
printf '%s\n' 4070 4070 31 31 >expected
printf '%s\n' GTYRAC GGCCNNNNNGGCC | iupac >list
agree 'E. coli: HincII and SfiI' hnfa "$ways" counts find --count=all -f list

# ---- RNA and reads ------------------------------------------------------------

# The records of a packed FASTA file, one a line. The file opens with a newline, so that a
# newline stands on either side of each record.
records()
{
    gzip -dc "$1" | awk '/^>/ { print ""; next } { printf "%s", $0 } END { print "" }'
}

records "$data/dna/mirbase_hairpin.fasta.gz" >text
records "$data/dna/mirbase_mature.fasta.gz" | grep . | sort -u >list
echo "$(wc -l <list | tr -d ' ') of them" >found
echo '23571 of them' >expected
compare 'distinct mature miRNAs'
echo 23571 >expected
patterns_that_occur()
{
    tally | sed 's/^[0-9]* //'
}
agree 'each mature miRNA in a hairpin' 'ac pfac' "$ways" patterns_that_occur \
    find --count=all -F -f list
agree 'each mature miRNA in a hairpin' wm-3 dynamic patterns_that_occur find --count=all -F -f list

# reads FILE ADAPTER COUNT: COUNT reads hold the adapter.
reads()
{
    gzip -dc "$data/dna/$1" | awk 'NR % 4 == 2' >text
    echo "$3" >expected
    agree "$1: reads with $2" 'bm ac wm-3 shiftand' "$ways" cat grep -c "$2"
}

reads adapterremoval_demux_1.fastq.gz AGATCGGAAGAGC 56
reads adapterremoval_reads_1.fastq.gz AGATCGGAAGAGC 92
reads adapterremoval_reads_2.fastq.gz AGATCGGAAGAGC 94
reads illumina_10K.fastq.gz AGATCGGAAGAGC 2862
reads illumina_10K.fastq.gz CTGTCTCTTATA 0
reads illumina_10K.fastq.gz TGGAATTCTCGG 0

# ---- rules of intrusion detection -----------------------------------------------

# Lines of hexadecimal digits to escapes.
escapes()
{
    sed 's/../\\x&/g'
}

xz -dc "$data/ids/et_open_2017_contents.tsv.xz" |
    awk -F '\t' '!/^#/ && length($2) >= 8 { print $2 }' | sort -u | escapes >list
echo "$(wc -l <list | tr -d ' ') strings" >found
echo '16654 strings' >expected
compare 'contents of at least 4 bytes'
cp "$data/ids/http_aptget.pcap" text
echo '472 74' >expected
agree '16654 contents in HTTP traffic' "$literal_engines" "$ways" tally find --format raw --count -F -f list

# asked_only: of find --count=all over many files, the "file pattern count" that `expected` has.
asked_only()
{
    awk -F '\t' '
        FNR == NR { asked[$1, $2]; next }
        NF != 3 || ($1, $2) in asked' expected - | sort
}

# contents NOCASE ENGINES WAYS OPTION...: all contents of that case in all captures at once.
contents()
{
    awk -F '\t' -v nocase="$1" '$3 == nocase' "$data/ids/suricata_verify_raw_counts.tsv" >rows
    cut -f 1 rows | sort -u >captures
    cut -f 2 rows | sort -u >hex
    escapes <hex >list
    awk -F '\t' '
        FNR == NR { number[$1] = FNR; next }
        { print $1 "\t" number[$2] "\t" $4 }' hex rows | sort -u >expected
    name="$(grep -c . rows) contents in $(grep -c . captures) captures, nocase $1"
    engines=$2 some_ways=$3
    shift 3
    while read -r capture; do
        set -- "$@" "$capture"
    done <captures
    agree "$name" "$engines" "$some_ways" asked_only find --format raw --count=all -F \
        -f list "$@"
}

rm text # the captures are the arguments
tar -xJf "$data/ids/suricata_verify_content.tar.xz"
contents 0 "$literal_engines shiftand" 'serial dynamic static'
contents 0 hnfa dynamic
contents 1 "$literal_engines shiftand hnfa" 'serial dynamic static' -i

# ---- signatures ---------------------------------------------------------------

xz -dc "$data/sigs/clamav_test_program.bin.xz" >text
cut -d : -f 4 "$data/sigs/clamav_alert.ndb" | escapes >list
awk -F '\t' '
    FNR == NR { number[$1] = FNR; next }
    !/^#/ { print number[$1], $3, $4 }' FS=: "$data/sigs/clamav_alert.ndb" FS='\t' \
    "$data/sigs/clamav_alert_expected.tsv" | sort -n >expected
agree "$(grep -c . list) ClamAV signatures in a program" "$literal_engines shiftand hnfa" "$ways" \
    count_and_first find -F -f list

# signatures NAME ENGINES WAYS OPTION...: the rows of the file `chosen`, by distinct starts.
signatures()
{
    cut -f 3 chosen >list
    awk -F '\t' '
        FNR == NR { if (!/^#/) row[$1, $2] = $4 " " $5; next }
        ($1, $2) in row { print FNR, row[$1, $2] }' \
        "$data/sigs/signature_base_hex_expected.tsv" chosen >expected
    name="$(grep -c . list) $1, $(grep -c . expected) of them in a program"
    engines=$2 some_ways=$3
    shift 3
    agree "$name" "$engines" "$some_ways" count_and_first find --hex "$@" -f list
}

xz -dc "$data/sigs/signature_base_hex_strings.tsv.xz" |
    awk 'BEGIN { FS = OFS = "\t" } !/^#/ { print $2, $3, $4 }' >all_strings
awk -F '\t' '$3 !~ /[?[(]/' all_strings >chosen
signatures 'hex signatures of plain bytes' "$literal_engines" "$ways"
awk -F '\t' '$3 ~ /[?[(]/' all_strings >extended
cp extended chosen
signatures 'hex signatures with wildcards, jumps and alternatives' shiftand dynamic --report shortest
awk -F '\t' '
    FNR == NR { occurs[$1, $2]; next }
    ($1, $2) in occurs || index($3, "(") || FNR % 40 == 0' \
    "$data/sigs/signature_base_hex_expected.tsv" extended >chosen
signatures 'hex signatures with wildcards, jumps and alternatives' 'shiftand hnfa' "$ways" \
    --report shortest

# ---- protein motifs -----------------------------------------------------------

# The motifs of a PROSITE file, "accession<TAB>pattern", for a text of one record a line: no
# element matches a newline, and an anchor is the newline.
motifs()
{
    awk '
        function element(e,   opens, closes, repeat, at) {
            if (sub(/^</, "", e))
                opens = "\\n"
            if (sub(/>$/, "", e))
                closes = "\\n"
            at = index(e, "(")
            if (at) {
                repeat = "{" substr(e, at + 1, length(e) - at - 1) "}"
                e = substr(e, 1, at - 1)
            }
            sub(/>/, "\\n", e) # [G>]: a G, or the end
            if (e == "x")
                e = "[^\\n]"
            if (sub(/^[{]/, "[^", e))
                sub(/[}]$/, "\\n]", e)
            return opens e repeat closes
        }
        $1 == "AC" { name = $2; sub(/;/, "", name) }
        $1 == "PA" { motif = motif $2 }
        $1 == "//" && motif != "" {
            sub(/[.]$/, "", motif)
            elements = split(motif, part, "-")
            pattern = ""
            for (i = 1; i <= elements; i++)
                pattern = pattern element(part[i])
            print name "\t" pattern
            motif = ""
        }' "$@"
}

# proteome FILE.GZ: its records to `text` as above, and to `places` the offset of the newline
# before each record, and its accession.
proteome()
{
    records "$1" >text
    gzip -dc "$1" | awk '
        /^>/ {
            name = substr($1, 2)
            if (split(name, part, "|") > 1)
                name = part[2]
            print at "\t" name
            at++
        }
        !/^>/ { at += length($0) }' at=0 >places
}

# hits: of find with the patterns of `chosen`: "motif accession first last" of each match,
# residues from 1.
hits()
{
    awk -F '\t' '
        FILENAME == "chosen" {
            motif[FNR] = $1
            opens[FNR] = $2 ~ /^\\n/
            closes[FNR] = $2 ~ /\\n$/
            next
        }
        FILENAME == "places" { place[++count] = $1; record[count] = $2; next }
        NF != 5 { print }
        NF == 5 && $1 != "file" {
            low = 1
            high = count
            while (low < high) {
                middle = int((low + high + 1) / 2)
                if (place[middle] <= $4)
                    low = middle
                else
                    high = middle - 1
            }
            print motif[$3], record[low], $4 - place[low] + opens[$3],
                $5 - 1 - place[low] - closes[$3]
        }' chosen places -
}

records_and_starts() # "motif records starts" of the motifs that occur
{
    hits | awk '
        { starts[$1]++ }
        !seen[$1, $2]++ { records[$1]++ }
        END { for (m in starts) print m, records[m], starts[m] }' | sort
}

records_hit() # "motif accession" of those that `expected` asks for
{
    hits | awk '
        FNR == NR { asked[$1, $2]; next }
        NF != 4 || (($1, $2) in asked && !seen[$1, $2]++) { print $1, $2 }' asked - | sort
}

all_hits()
{
    hits | sort
}

hits_asked_for() # those in `expected`
{
    hits | awk 'FNR == NR { asked[$0]; next } NF != 4 || $0 in asked' expected - | sort
}

# search_motifs NAME ENGINES WAYS FILTER REPORT: the motifs in the file `chosen`.
search_motifs()
{
    cut -f 2 chosen >list
    agree "$(grep -c . list) motifs in $1, $5" "$2" "$3" "$4" find --report "$5" -f list
}

motifs "$data/prosite/prosite_patterns_1309.dat" >prosite
proteome "$data/protein/ecoli_k12_UP000000625.fasta.gz"

# expected_starts: of the chosen motifs in the proteome of E. coli.
expected_starts()
{
    awk -F '\t' '
        FNR == NR { asked[$1]; next }
        $1 in asked && $3 > 0 { print $1, $2, $3 }' chosen \
        "$data/prosite/expected_ecoli_k12.tsv" | sort >expected
}

cp prosite chosen
expected_starts
search_motifs 'the proteome of E. coli' 'shiftand bitslice' 'dynamic piped' records_and_starts shortest
search_motifs 'the proteome of E. coli' 'shiftand bitslice' static records_and_starts longest
awk 'NR % 20 == 1 || /\\n$|\t\\n/' prosite >chosen
expected_starts
search_motifs 'the proteome of E. coli' hnfa "$ways" records_and_starts shortest

proteome "$data/protein/sprot_sample.fasta.gz"
cat >expected <<'EOF'
PS00001 9759 25726
PS00016 927 995
PS00017 1370 1441
PS00018 45 80
PS00028 61 406
EOF
awk 'FNR == NR { asked[$1]; next } $1 in asked' expected prosite >chosen
search_motifs 'Swiss-Prot' 'shiftand hnfa bitslice' "$ways" records_and_starts shortest
cp expected rows
while read -r motif count _; do
    echo "$count" >expected
    agree "$motif in records of Swiss-Prot" 'shiftand hnfa' 'dynamic piped' cat \
        grep -c "$(awk -F '\t' -v m="$motif" '$1 == m { print $2 }' chosen)"
done <rows

proteome "$data/protein/sprot_dr.fasta.gz"
motifs "$data"/prosite/prosite_dr_*.dat >chosen
awk -F '\t' '$5 == 1 { print $1, $2 }' "$data/prosite/dr_expected.tsv" >asked
awk -F '\t' '$5 == 1 && $6 == 1 { print $1, $2 }' "$data/prosite/dr_expected.tsv" | sort >expected
search_motifs "$(grep -c . asked) pairs of motif and protein" 'shiftand hnfa' "$ways" \
    records_hit shortest

gzip -c "$data/prosite/pftools_vav_human.fasta" >vav.fasta.gz
proteome vav.fasta.gz
awk -F '\t' '!/^#/ && !seen[$1]++ { print "AC   " $1 ";\nPA   " $1 ".\n//" }' \
    "$data/prosite/pftools_expected.tsv" | motifs - >chosen
awk -F '\t' '!/^#/ { print $1, "P15498", $2, $3 }' "$data/prosite/pftools_expected.tsv" |
    sort >expected
search_motifs 'VAV_HUMAN, as pftools finds them' 'shiftand hnfa' "$ways" all_hits longest

proteome "$data/protein/ps_scan_seqs.fasta.gz"
cp prosite chosen
awk -F '\t' '{ split($1, part, "|"); print $3, part[2], $4, $5 }' \
    "$data/prosite/ps_scan_hits.gff" | sort -u >expected
search_motifs "proteins with $(grep -c . expected) hits of ps_scan" 'shiftand hnfa' "$ways" \
    hits_asked_for pairs

# ---- logs ---------------------------------------------------------------------

# A run for each literal, so each log has one engine and way of its own.
for log in 'Apache bm dynamic' 'BGL bm serial' 'HDFS ac static' 'Linux ac serial' \
    'OpenSSH wm-2 piped' 'Proxifier shiftand dynamic'; do
    # shellcheck disable=SC2086
    set -- $log
    xz -dc "$data/logs/$1_2k.log.xz" >text
    awk -F '\t' -v log_name="$1" '$1 == log_name { print $3 "\t" $5 }' \
        "$data/logs/expected_templates.tsv" >rows
    cut -f 2 rows >expected
    cut -f 1 rows >list
    while IFS= read -r literal; do
        scan "$2" "$3" grep -c -F -e "$literal"
    done <list >found
    compare "$1.log: lines with each of $(grep -c . list) event texts, $2 $3"
done

# ---- rebar's benchmarks -------------------------------------------------------

# Leftmost-first matches, which do not overlap.
tar -xJf "$data/vectors/rebar_definitions.tar.xz"
tar -xJf "$data/vectors/rebar_opensubtitles.tar.xz"
cp sherlock.txt haystacks/sherlock.txt
for language in en ru zh; do
    xz -dc "$data/text/opensubtitles_$language.txt.xz" >"haystacks/opensubtitles/$language-huge.txt"
done
grep -v '^#' "$data/vectors/rebar_literal_expected.tsv" >rows
while IFS='	' read -r bench haystack nocase patterns count _; do
    cp "haystacks/$haystack" text
    case $patterns in
    file*) cp "${patterns#file }" list ;;
    *) echo "$patterns" | tr '|' '\n' >list ;;
    esac
    set -- --syntax literal -f list
    [ "$nocase" = 0 ] || set -- -i "$@"
    engines="$literal_engines shiftand hnfa"
    case $(wc -l <list) in
    1) engines="bm $engines" ;;
    ?????*) engines='ac' ;;
    ????) engines='ac wm-3' ;;
    esac
    echo "$count" >expected
    agree "rebar: $bench" "$engines" 'dynamic piped' total \
        find --count=all --report leftmost-first "$@"
done <rows

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
