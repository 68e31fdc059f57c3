#!/bin/sh
# How `trawl find` is asked and what it prints. Usage: test_cli_find.sh TRAWL

. "$(dirname "$0")/../support/command.sh"

header='file\trecord\tpattern\tstart\tend\n'
counts='file\tpattern\tcount\n'

# ---- which files, and how much is said of them -----------------------------------

mkdir -p tree/b tree/c
printf 'one needle' >tree/z
printf 'a needle, a needle' >tree/b/1
printf 'nothing' >tree/b/2
: >tree/c/empty
ln -s z tree/link
mkfifo tree/pipe
run find -r needle tree
expect '-r: names in order, links and pipes passed over' 0 \
    "${header}tree/b/1\t1\t1\t2\t8\ntree/b/1\t1\t1\t12\t18\ntree/z\t1\t1\t4\t10\n"
cd tree || exit 2
run find -r needle
cd .. || exit 2
mv tree/out tree/err .
expect '-r without a file: the working directory' 2 \
    "${header}b/1\t1\t1\t2\t8\nb/1\t1\t1\t12\t18\nz\t1\t1\t4\t10\n" \
    'trawl find: out: the input file is also the output'
run find -rc -e needle -e a tree
expect '-rc: no counts of 0' 0 \
    "${counts}tree/b/1\t1\t2\ntree/b/1\t2\t2\ntree/z\t1\t1\n"
run find -rc --count=all -e needle -e x tree/z tree/b/2
expect '--count=all: all counts, with -r too' 0 "${counts}tree/z\t1\t1\ntree/z\t2\t0\ntree/b/2\t1\t0\ntree/b/2\t2\t0\n"
run find -r needle tree/z tree/b
expect '-r: files and folders' 0 \
    "${header}tree/z\t1\t1\t4\t10\ntree/b/1\t1\t1\t2\t8\ntree/b/1\t1\t1\t12\t18\n"
run find -r needle nosuch tree/z
expect '-r: what is not there' 2 "${header}tree/z\t1\t1\t4\t10\n" 'nosuch: No such file'
run find needle tree
expect 'a folder without -r' 2 "$header" 'tree: Is a directory; -r searches what is in it'
run find -q needle nosuch tree/z
expect '-q: a match wins over an error' 0 '' 'nosuch: No such file'
run find -rq x+ tree
expect '-q: no match' 1 ''
run find -q --max-matches 1 --report leftmost-longest e+ tree/z
expect '-q: nothing is said' 0 ''
run find -cq needle tree/z
expect '-q goes before -c' 0 ''
ids='file\trecord\tpattern\n'
run find -g -e nothing -e 'e+d' -e needle tree/z tree/b/1 tree/b/2
expect '-g' 0 "${ids}tree/z\t1\t2\ntree/z\t1\t3\ntree/b/1\t1\t2\ntree/b/1\t1\t3\ntree/b/2\t1\t1\n"
run find -g --format lines -e e -e d tree/b/1
expect '-g: a line is a record' 0 "${ids}tree/b/1\t1\t1\ntree/b/1\t1\t2\n"
printf 'a needle\nof a nut\n' | "$trawl" find -g --format lines -e e -e t >out 2>err
status=$?
expect '-g: standard input' 0 "${ids}(standard input)\t1\t1\n(standard input)\t2\t2\n"
printf 'e+d\nneedle\n' >list
"$trawl" compile -f list -o set.trawl 2>err
run find -g --plan set.trawl tree/z tree/b/1
expect '-g: a plan' 0 "${ids}tree/z\t1\t1\ntree/z\t1\t2\ntree/b/1\t1\t1\ntree/b/1\t1\t2\n"
run find -g --max-matches 3 --plan set.trawl tree/b/1 tree/z
expect '-g: --max-matches' 0 "${ids}tree/b/1\t1\t1\ntree/b/1\t1\t2\ntree/z\t1\t1\n" \
    'stopped after 3 matches'
run find -gc needle tree/z
expect '-g and -c' 2 '' 'leave one out'
if "$trawl" find --json e tree/z >/dev/null 2>&1; then
    run find --json -g e tree/z
    expect '-g: JSON' 0 '{"file":"tree/z","record":1,"pattern":1,"name":"e"}\n'
fi
run find --no-header needle tree/z
expect '--no-header' 0 'tree/z\t1\t1\t4\t10\n'

# ---- choices that exclude one another ---------------------------------------------

while read -r command; do
    run $command
    [ $status = 2 ] && grep -q 'exclude one another: give one of them' err && ! [ -s out ]
    result "of two choices none goes before: $command" $?
done <<'END'
find --plan set.trawl --plan other.trawl tree/z
find --tsv --bed needle tree/z
find --gff3 --tsv needle tree/z
find --iupac --prosite needle tree/z
find -F --hex needle tree/z
find --syntax literal -F needle tree/z
find --syntax extended --iupac needle tree/z
find --report ends --report each needle tree/z
find --format raw --format lines needle tree/z
find --iupac --strand plus --strand both A tree/z
find --output one --output two needle tree/z
grep --plan set.trawl --plan other.trawl tree/z
grep -F -E needle tree/z
grep -E -F needle tree/z
compile -o one -o two needle
compile -o one --sample tree/z --sample tree/b/1 needle
compile --grep -F -E -o one needle
grid --as rgb --as grey -n x y
grid --shape 2x2 --shape 3x3 -n x y
grid --dtype u1 --dtype u2 -n x y
grid --within 0,0,1,1 --within 0,0,2,2 -n x y
grid --annotate one --annotate two -n x y
END
[ ! -e one ] && [ ! -e two ]
result '... and nothing is written' $?
for command in 'find -F --syntax escaped' 'find --tsv --tsv' 'find --report each --report each' 'grep -F -F'; do
    run $command -c needle tree/z
    result "what is said twice holds: $command" $status
done
for arguments in '-e needle' needle; do
    run find --named $arguments tree/z
    expect "--named without a list: $arguments" 2 '' '--named is for lists'
done

# ---- patterns of variable length -------------------------------------------------

printf 'abbbc abbc\nxabc' >runs
run find -e 'ab+' -e b -e 'b+c?' runs
expect 'leftmost and longest of each pattern, all of fixed length' 0 \
    "${header}$(for match in 2:1:2 2:2:3 1:0:4 2:3:4 3:1:5 2:7:8 1:6:9 2:8:9 3:7:10 1:12:14 2:13:14 \
        3:13:15; do printf 'runs\t1\t%s\t%s\t%s\n' $(echo $match | tr : ' '); done)\n"
mv want all
run find -c -e 'ab+' -e b -e 'b+c?' runs
expect '-c counts what is printed' 0 "${counts}runs\t1\t3\nruns\t2\t6\nruns\t3\t3\n"
run find -c 'ab+' runs
expect '-c counts what is printed, one pattern' 0 "${counts}runs\t1\t3\n"
cat runs | "$trawl" find -e 'ab+' -e b -e 'b+c?' 2>err | sed 's/^(standard input)/runs/' >out
status=0
cp all want
check 'of a pipe' 0
cat runs | TMPDIR=/nosuch "$trawl" find -c 'ab+' 2>err >out
status=$?
expect 'of a pipe: a stream where some byte ends all matches' 0 "${counts}(standard input)\t1\t3\n"
cat runs | TMPDIR=/nosuch "$trawl" find -c 'a.*c' 2>err >out
status=$?
expect 'of a pipe: a file where none does' 2 "$counts" 'set TMPDIR'
run find --format lines 'ab+c|b+' runs
expect 'of records' 0 "${header}runs\t1\t1\t0\t5\nruns\t1\t1\t6\t10\nruns\t2\t1\t1\t4\n"

# ---- the bytes of matches ----------------------------------------------------------

matched='file\trecord\tpattern\tstart\tend\tmatched\n'
printf 'key=\0\t\\v\377\303\244\r\nkey=none' >binary
for source in binary -; do
    cat binary | "$trawl" find --matched --no-header -e 'key=[^\n]*' "$source" 2>err | cut -f 3- >out
    status=0
    expect "--matched: $source" 0 '1\t0\t12\tkey=\\x00\\t\\\\v\\xff\0303\0244\\r\n1\t13\t21\tkey=none\n'
    cat binary | "$trawl" find --matched --no-header --report ends -e 'ke?y=.' -e ne "$source" 2>err |
        cut -f 3- >out
    expect "--matched: $source, ends" 0 \
        '1\t-\t5\t-\n1\t-\t18\t-\n2\t19\t21\tne\n'
done
printf '>one\nGAATTC\nGAATTC\n>two\nGAATT\nC\n' >some.fasta
run find --matched --iupac 'TYGA{1,3}|T{2}CG' some.fasta
expect '--matched: records' 0 "${matched}some.fasta\tone\t1\t3\t7\tTTCG\n"
run find --matched -e 'C.?G' -e 'A+' some.fasta
expect '--matched: over the end of a line' 0 \
    "${matched}some.fasta\tone\t2\t1\t3\tAA\nsome.fasta\tone\t1\t5\t7\tCG\nsome.fasta\tone\t2\t7\t9\tAA\nsome.fasta\ttwo\t2\t1\t3\tAA\n"
printf '>p\nTTCAAAAGAA\n' >circle.fasta
run find --circular --matched --iupac 'GAATTC|AAAAG' circle.fasta
expect '--matched: a circle' 0 \
    "${matched}circle.fasta\tp\t1\t3\t8\tAAAAG\ncircle.fasta\tp\t1\t7\t13\tGAATTC\n"
run find --matched -c A some.fasta
expect '--matched and -c' 2 '' 'leave one out'
if "$trawl" find --json k binary >/dev/null 2>&1; then
    run find --json --matched -e 'key=n.*' -e '\\v[^\n]' binary
    expect '--matched: JSON' 0 \
        '{"file":"binary","record":1,"pattern":2,"name":"\\\\\\\\v[^\\\\n]","start":6,"end":9,"matched":"\\\\v\0357\0277\0275","matched_base64":"XHb/"}\n{"file":"binary","record":1,"pattern":1,"name":"key=n.*","start":13,"end":21,"matched":"key=none"}\n'
    run find --json --matched --report ends 'ke?y=n' binary
    expect '--matched: JSON, nobody knows' 0 \
        '{"file":"binary","record":1,"pattern":1,"name":"ke?y=n","start":null,"end":18,"matched":null}\n'
fi

# ---- BED and GFF3 --------------------------------------------------------------------

printf '>chr 1\nAAGAATTCGG\nTCTCAAGAGACC\n>a;b=%%\nGAATTC\n' >genome.fasta
printf '>EcoRI\nGAATTC\n>Bsa;I,1\nGGTCTC\n' >sites.fasta
run find --bed --iupac --strand both -f sites.fasta genome.fasta
expect '--bed' 0 'chr\t2\t8\tEcoRI\t0\t+\nchr\t2\t8\tEcoRI\t0\t-\nchr\t8\t14\tBsa;I,1\t0\t+\nchr\t16\t22\tBsa;I,1\t0\t-\na;b=%\t0\t6\tEcoRI\t0\t+\na;b=%\t0\t6\tEcoRI\t0\t-\n'
run find --gff3 --iupac -f sites.fasta genome.fasta
feature='trawl\tsequence_feature'
expect '--gff3' 0 "##gff-version 3\nchr\t$feature\t3\t8\t.\t+\t.\tName=EcoRI;pattern=1\nchr\t$feature\t9\t14\t.\t+\t.\tName=Bsa%3BI%2C1;pattern=2\na%3Bb%3D%25\t$feature\t1\t6\t.\t+\t.\tName=EcoRI;pattern=1\n"
cp genome.fasta 'a file'

run find --bed --format raw 'G{2}\n[TC]{2,}' 'a file'
expect '--bed: a file that is not divided' 0 'a_file\t15\t22\tG{2}\\n[TC]{2,}\t0\t.\n'
run find --no-header --gff3 --format lines 'G{2}' 'a file'
expect '--gff3: numbers of lines' 0 "2\t$feature\t9\t10\t.\t.\t.\tName=G{2};pattern=1\n"
run find --bed --report ends A genome.fasta
expect '--bed: starts' 2 '' '--bed needs the start of each match'
run find --gff3 -c A genome.fasta
expect '--gff3 and -c' 2 '' 'leave -c out, or --gff3'
run find --bed --matched A genome.fasta
expect '--bed and --matched' 2 '' 'leave --matched out'
if command -v seqkit >/dev/null 2>&1; then
    printf '>s\nGTYRAC\n>t\nRGGNCCY\n>u\nAAN\n' >sites.fasta
    awk 'BEGIN { srand(7); for (r = 1; r <= 20; r++) { print ">r" r; for (i = 0; i < 70; i++) {
        line = ""; for (k = 0; k < 60; k++) line = line substr("ACGT", 1 + int(4 * rand()), 1)
        print line } } }' >genome.fasta
    "$trawl" find --bed --iupac --strand both -f sites.fasta genome.fasta 2>err | sort >out
    seqkit locate --bed -d -f sites.fasta genome.fasta 2>/dev/null | sort >want
    status=$?
    : >said
    [ -s want ] && check '--bed: as seqkit has it' 0
fi

# ---- patterns with names, flags of one --------------------------------------------

printf 'GAATTC xx gaattc GGATCC\nGAAT TC' >dna
printf '%b' 'EcoRI\tGAATTC\nBam HI\tGGATCC\n' >named
names='file\trecord\tpattern\tname\tstart\tend\n'
run find -F --named -f named dna
expect '--named' 0 "${names}dna\t1\t1\tEcoRI\t0\t6\ndna\t1\t2\tBam HI\t17\t23\n"
if gzipped named; then
    run find -F --named -f named.gz dna
    expect 'a compressed list' 0 "${names}dna\t1\t1\tEcoRI\t0\t6\ndna\t1\t2\tBam HI\t17\t23\n"
    head -c 20 named.gz >cut.gz
    run find -F -f cut.gz dna
    expect 'a compressed list, cut off' 2 '' 'cut.gz: is cut off'
fi
run find --named -e GGA -f named -i dna
expect '--named: a pattern of the command line has no name' 0 \
    "${names}dna\t1\t2\tEcoRI\t0\t6\ndna\t1\t2\tEcoRI\t10\t16\ndna\t1\t1\t\t17\t20\ndna\t1\t3\tBam HI\t17\t23\n"
printf '%b' 'EcoRI\tGAATTC\nGGATCC\n' >bad
run find --named -f bad dna
expect '--named: a line without a tab' 2 '' 'bad:2: in a list with names a line is NAME, a tab and a pattern'
printf '>EcoRI a site\r\nGAA\r\n TTC\r\n\r\n>BamHI\n;no base\nGGATCC\n' >sites.fasta
for syntax in literal escaped extended iupac prosite; do
    masked=
    case $syntax in iupac | prosite) masked='dna\t1\t1\tEcoRI\t10\t16\n' ;; esac
    run find --syntax $syntax -f sites.fasta dna
    expect "FASTA of patterns, $syntax" 0 \
        "${names}dna\t1\t1\tEcoRI\t0\t6\n${masked}dna\t1\t2\tBamHI\t17\t23\n"
done
printf '>one\n>two\nGA\n' >titles
run find --count=all -f titles dna
expect 'a list whose first lines begin with > is none' 0 \
    "${counts}dna\t1\t0\ndna\t2\t0\ndna\t3\t3\n"
# Records of one name are told apart by their number.
printf '@m\nACGAT\n+\nIIIII\n@m\nGATGA\n+\nIIIII\n' >mates
run find --record-number GA mates
expect '--record-number' 0 'file\trecord\tnumber\tpattern\tstart\tend\nmates\tm\t1\t1\t2\t4\nmates\tm\t2\t1\t0\t2\nmates\tm\t2\t1\t3\t5\n'
run find --record-number -g GA mates
expect '--record-number -g' 0 'file\trecord\tnumber\tpattern\nmates\tm\t1\t1\nmates\tm\t2\t1\n'
run find --record-number --format text GATGA mates
expect '--record-number, one text' 0 'file\trecord\tnumber\tpattern\tstart\tend\nmates\t1\t1\t1\t20\t25\n'
run find --record-number --matched --format lines GATGA mates
expect '--record-number, lines' 0 'file\trecord\tnumber\tpattern\tstart\tend\tmatched\nmates\t6\t6\t1\t0\t5\tGATGA\n'
run find --record-number --gff3 GATG mates
expect '--record-number --gff3' 0 '##gff-version 3\nm\ttrawl\tsequence_feature\t1\t4\t.\t.\t.\tName=GATG;pattern=1;record=2\n'
if "$trawl" find --json GA mates >/dev/null 2>&1; then
    run find --record-number --json GATG mates
    expect '--record-number --json' 0 '{"file":"mates","record":"m","number":2,"pattern":1,"name":"GATG","start":0,"end":4}\n'
fi
run find --record-number --bed GATG mates
expect '--record-number --bed' 2 '' '--bed has no column for --record-number'
run find --record-number -c GATG mates
expect '--record-number -c' 2 '' '--record-number is for lines of records'

# Lists of residues: comments, columns, cuts of REBASE; what would be misread is named with its line.
printf '>s\nTTGAATTCGATC\n' >site.fa
printf '#name\tsite\n\nEcoRI\tG^AATTC\t6\nMboI\t^GATC\r\nMbo\t GATC (5/-10) \nBcgI\t(10/12)ATT|[^A]AAT(12/10)\tx y\n' >rebase
run find --iupac --named -f rebase site.fa
expect 'a list of REBASE: cuts are no part of sites' 0 "${names}site.fa\ts\t4\tBcgI\t2\t6\nsite.fa\ts\t1\tEcoRI\t2\t8\nsite.fa\ts\t2\tMboI\t8\t12\nsite.fa\ts\t3\tMbo\t8\t12\n" \
    "warning: rebase: REBASE's marks of cuts"
printf '>MboI\nGATC^\n>EcoRI\nGA^A\nTTC\n' >rebase.fa
run find --iupac -f rebase.fa site.fa
expect 'cuts in FASTA of sites' 0 "${names}site.fa\ts\t2\tEcoRI\t2\t8\nsite.fa\ts\t1\tMboI\t8\t12\n" "REBASE's marks"
printf 'MboI\t^GATC\n' >first
run find --iupac --named -f first site.fa
expect 'a first ^ alone is the begin, and said to be' 1 "$names" "first:1: '^' before a pattern is the begin"
run find --iupac '^GATC' site.fa
expect 'a first ^ on the command line' 1 'file\trecord\tpattern\tstart\tend\n'
printf 'GAATTC\n\n# more\nGATC EcoRI\n' >columns
run find --iupac -f columns site.fa
expect 'a list of bases: a blank within a pattern' 2 '' 'columns:4: a blank stands within the pattern'
printf 'N - {P}-[ST] - {P}\n#\nR-G-D attachment\n' >motifs
run find --prosite -f motifs site.fa
expect 'a list of motifs: a blank within a pattern' 2 '' 'motifs:3: a blank stands within the pattern'
printf 'one\tAT\tmore\ntwo\tTC\n' >tabs
run find --named -f tabs site.fa
expect 'a second tab is told' 0 "${names}site.fa\ts\t2\ttwo\t6\t8\nsite.fa\ts\t2\ttwo\t10\t12\n" 'tabs:1: the pattern holds a tab'
printf '\n#\n' >comments
run find --iupac -f comments site.fa
expect 'a list of comments' 2 '' 'no pattern is left of the list'
printf 'AT\n\nTC\n' >empty
run find -f empty site.fa
expect 'an empty line' 2 '' 'empty:2: the line is empty'
printf 'AC   PS1;\nPA   N-(D,E).\n//\nAC   PS2;\nPA   [GA](2)-T.\n//\n' >entries.dat
run find --prosite -f entries.dat site.fa
expect 'an entry that cannot be read is left out, and named' 0 "${names}site.fa\ts\t1\tPS2\t3\t6\nsite.fa\ts\t1\tPS2\t8\t11\n" \
    'warning: entries.dat:2: PS1 is left out: column 3'
run find --strict --prosite -f entries.dat site.fa
expect 'an entry that cannot be read, --strict' 2 '' 'mend them, or search without --strict'
printf '>one\nGA\n>two\n' >titles
run find -f titles dna
expect 'FASTA of patterns: a title alone' 2 '' 'titles:3: the sequence is empty'
run find --count=all -e '(?i)gaattc' -e ggatcc dna
expect '(?i) is for one pattern' 0 "${counts}dna\t1\t2\ndna\t2\t0\n"
run find -c --iupac --strand both '(?i)gaattc' dna
expect '(?i), both strands' 0 'file\tpattern\tstrand\tcount\ndna\t1\t+\t2\ndna\t1\t-\t2\n'
printf '>s\nttgaatTCnGAATTC\n' >masked
for site in GAATTC gaattc GAATYC gaatyc; do
    run find --iupac $site masked
    expect "--iupac: $site, in either case" 0 'file\trecord\tpattern\tstart\tend\nmasked\ts\t1\t2\t8\nmasked\ts\t1\t9\t15\n'
done
for motif in G-A-A-[ST]-T-C g-a-a-[st]-t-c; do
    run find --prosite $motif masked
    expect "--prosite: $motif, in either case" 0 'file\trecord\tpattern\tstart\tend\nmasked\ts\t1\t2\t8\nmasked\ts\t1\t9\t15\n'
done
printf 'GGA' >strands
run find --iupac --strand both --report leftmost-first -e CC -e GGA strands
expect 'both strands of a pattern come before the next pattern' 0 \
    'file\trecord\tpattern\tstrand\tstart\tend\nstrands\t1\t1\t-\t0\t2\n'
printf '(?i)a' >odd
run find -F '(?i)' odd
expect '(?i) in a literal is text' 0 "${header}odd\t1\t1\t0\t4\n"
run find '(?i)' odd
expect '(?i) alone' 2 '' 'column 1: the pattern matches no byte'
run find '(?i)g[' odd
expect '(?i): the column of an error' 2 '' 'column 2'
printf 'xabcd abd' >groups
for try in 'ends -:3- -:4- -:5- -:8- -:9-' 'pairs 1:3ab 1:4abc 1:5abcd 6:8ab 6:9abd' 'longest 1:5abcd 6:9abd' \
    'shortest 1:3ab 6:8ab' 'leftmost-longest 1:5abcd 6:9abd' 'leftmost-first 1:3ab 6:9abd' 'each 1:5abcd 6:9abd'; do
    "$trawl" find --no-header --matched --report "${try%% *}" -e 'a(b|bc)d?' groups >said
    [ "$(awk '{ printf " %s:%s%s", $4, $5, $6 }' said)" = " ${try#* }" ]
    result "a group, --report ${try%% *}" $?
done
run find --json --matched --report leftmost-first '(?<x>a)(bc|b)+?' groups
expect 'a group with a name, --json' 0 \
    '{"file":"groups","record":1,"pattern":1,"name":"(?<x>a)(bc|b)+?","start":1,"end":4,"matched":"abc"}\n{"file":"groups","record":1,"pattern":1,"name":"(?<x>a)(bc|b)+?","start":6,"end":8,"matched":"ab"}\n'
run find '(a|)(b*)' groups
expect 'a group that may match nothing is refused' 2 '' 'column 1: the pattern can match the empty string'
if "$trawl" find --json a dna >/dev/null 2>&1; then
    run find --json '(?i)ggatcc' dna
    expect '(?i) is shown' 0 \
        '{"file":"dna","record":1,"pattern":1,"name":"(?i)ggatcc","start":17,"end":23}\n'
fi
run grep -c -e '(?i)ECORI' -e nosuch sites.fasta
expect 'grep: (?i)' 0 '1\n'

# ---- texts that come piece by piece, packed or damaged -------------------------------

(
    printf '\nkey='
    sleep 1
    printf 'abcdef\n'
) | "$trawl" find --format lines --matched --no-header 'key=\w{1,9}' >out 2>err
status=$?
expect 'a record after an empty one, whose rest comes late' 0 \
    '(standard input)\t2\t1\t0\t10\tkey=abcdef\n'
printf 'a needle' >plain
gzip -c plain >plain.gz
run find --bed needle plain plain.gz
if [ "$status" != 2 ]; then
    expect 'BED: a packed text has the name of its file' 0 \
        'plain\t2\t8\tneedle\t0\t.\nplain.gz\t2\t8\tneedle\t0\t.\n'
    awk 'BEGIN { for (i = 0; i < 200000; i++) print "line", i * 7919 % 100003, "needle" }' >many
    gzip -c many | head -c 300000 >cut.gz
    run find --no-header --report pairs --count 'a.*b|needle' cut.gz
    [ $status = 2 ] && grep -q 'cut.gz: is cut off' err
    result 'a damaged text that must be there whole: why' $?
    gzip -dc cut.gz 2>/dev/null | grep -c needle >want
    run find --no-header --report pairs 'a.*b|needle' cut.gz
    [ "$(wc -l <out)" -ge "$(cat want)" ]
    result 'a damaged text that must be there whole: what stands before' $?
fi

printf '>\nneedle\n>#c\nneedle\n' >odd.fa
run find --bed --format fasta needle odd.fa
expect 'BED: no title, and one that would be a comment' 0 \
    'odd.fa\t0\t6\tneedle\t0\t.\n_c\t0\t6\tneedle\t0\t.\n'
printf ab >ab
run find --no-header --report leftmost-longest -g -e ab -e b ab
expect '-g, and a report in which patterns hide one another' 0 'ab\t1\t1\n'

# ---- what a pattern cannot be ------------------------------------------------------

for pattern in '{}' '[]' '[>]'; do
    run find --prosite -e "$pattern" tree/z
    expect "--prosite, $pattern" 2 '' 'no letter stands between the brackets'
done
run find --prosite -e 'PA   A-C.' tree/z
expect '--prosite, a line of a file' 2 '' "leave its 'PA' out"
printf 'alert tcp any any -> any any (content:"a"; sid:1;) alert tcp any any -> any any (content:"b"; sid:2;)\n' >two.rules
run find --rules two.rules tree/z
expect 'two rules in a line' 2 '' "two.rules:1: the rule is left out: after its closing parenthesis there is more text"
printf 'alert tcp any any -> any any (content:"a"; sid:1; sid:2;)\n' >sids.rules
for content in '"a" nocase' '"a"x'; do
    printf 'alert tcp any any -> any any (content:%s; sid:1;)\n' "$content" >quotes.rules
    run find --rules quotes.rules tree/z
    expect "a content, and what follows: $content" 2 '' "quotes.rules:1: the rule is left out: after a content's quotes"
done
printf 'alert ip any any -> any any (msg:"m"; content:"a",foo 3,fast_pattern; sid:1;)\n' >named.rules
run find --no-header --rules named.rules --verdicts ab
expect 'what is not known of a content is named' 0 'ab\t1\t1\tm\tfoo\n' 'not all is evaluated'
run find --rules sids.rules tree/z
expect 'two sids' 2 '' 'sids.rules:1: the rule is left out: it has two sids'

finish
