#!/bin/sh
# What is made from --help: manual pages and completions. Usage: test_cli_help.sh TRAWL

. "$(dirname "$0")/../support/command.sh"
root=$here/../..

has() { # has NAME FILE WORD...: the file has each word as a line
    name=$1
    file=$2
    shift 2
    lacking=
    for word; do
        grep -qxF -e "$word" "$file" || lacking="$lacking $word"
    done
    [ -z "$lacking" ] || echo "# lacking:$lacking"
    [ -z "$lacking" ]
    result "$name" $?
}

# The long options in the first column of a help.
options() {
    "$trawl" "$1" --help | awk '/^ +-/ { sub(/^ +/, ""); sub(/  .*/, ""); print }' | tr ', ' '\n\n' |
        sed -n 's/^\(--[a-z-]*\).*/\1/p'
}

# ---- help ------------------------------------------------------------------------------

for command in grep find grid compile info engines devices; do
    "$trawl" $command --list-options >out
    twice=$(cut -f 1 out | sort | uniq -d)
    [ -s out ] && [ -z "$twice" ] && awk -F '\t' 'NF != 4 || $4 == "" { bad = 1 } END { exit bad }' out
    result "$command: each option is in one row, with what it does $twice" $?
done
"$trawl" grep --help | awk 'length($0) > 100 { bad = 1 } END { exit bad }'
result 'grep: its help fits into 100 columns' $?

"$trawl" help patterns >out 2>err
[ "$(head -n 1 out)" = 'Pattern language:' ] && ! [ -s err ] &&
    awk 'length($0) > 90 { bad = 1 } END { exit bad || NR > 24 }' out
result 'help patterns: a screen' $?
"$trawl" find --help | awk '/^Pattern language:/ { on = 1 } !NF { on = 0 } on' | cmp -s - out
result 'find: its help has the language of patterns' $?
printf 'a.b aa+ 4711 foo-bar\nCat\n' >text
for try in '\. 1:2' '\d{3,} 8:12' 'x|4{1}7 8:10' '^C 21:22' '\bbar\b 17:20' '(?i)cat 21:24' '\x2d 16:17' \
    'b(a|o)r\b 17:20' 'b(?:(?<x>o)|a)+r$ 17:20' '(?i:c)at 21:24' '\Qa.b\E 0:3' '(\s|^)4.*?1 7:12'; do
    "$trawl" find --no-header "${try% *}" text | cut -f 4- | tr '\t' : | head -n 1 >said
    [ "${try##* }" = "$(cat said)" ]
    result "the language: ${try% *}" $?
done

for command in find grid compile info engines devices; do
    "$trawl" $command --help >want
    run $command -h
    [ $status = 0 ] && cmp -s want out
    result "$command: -h is --help" $?
done

# ---- advice ----------------------------------------------------------------------------

while read -r letter part; do
    run find $letter x text
    [ $status = 2 ] && grep -qF -e "$part" err
    result "find: what it has in place of $letter" $?
done <<'END'
-l a line each, is -g
-o --matched
-m --max-matches N
-w whole words are \b
-n --format lines
-E leave it out
--max-count=1 --max-matches N
--files-with-matches a line each, is -g
--word-regexp whole words are \b
END
run find '^\s*$' text
[ $status = 2 ] && grep -qF 'write \n, which ends the line, in place of its $' err
result 'lines that may be empty' $?
printf 'a\n \n\nb\n' >blank
run find --no-header --report longest '^\s*\n' blank
[ $status = 0 ] && [ "$(head -n 1 out | cut -f 4)" = 2 ]
result '... with that advice' $?
run find '\<-+' text
[ $status = 1 ] && ! [ -s err ]
result 'no word begins there, as grep has it' $?
run grep -E 'a\|b' text
[ $status = 1 ] && ! [ -s err ]
result 'grep -E: who writes \| means the byte' $?
run grep 'a\|b' text
grep -qF 'for alternatives write |;' err
result '... and without -E is told of alternatives' $?
seq 3000 >numbers
run find --max-memory 10K -F -f numbers text
[ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && ! grep -q trawl_compile err && grep -q 'find: --max-memory of 10240 bytes' err
result 'a limit of memory is named as the option is' $?
run find --stats 4711 text
[ "$(grep -c 'not readable here' err)" -le 1 ] && ! grep -q 'not readable here.*not readable here' err
result '--stats: energy that cannot be read is named once' $?

# ---- manual pages ----------------------------------------------------------------------

for page in trawl trawl-grep trawl-find trawl-grid trawl-compile trawl-info trawl-engines trawl-devices; do
    sh "$root/tools/manpage.sh" "$trawl" $page $page.1 && [ "$(sed -n 3p $page.1)" != "$page \\- " ]
    result "$page.1" $?
    tr -d '\\' <$page.1 >plain
    bad=
    for option in $(options "${page#trawl-}" 2>/dev/null); do
        grep -q "^fB.*$option" plain || bad="$bad $option"
    done
    [ -z "$bad" ]
    result "$page.1 has all options$bad" $?
    awk '/^\.TP$/ { head = 1; next } head { if ($0 ~ /[a-z] [a-z]+ [a-z]+ / || /  / || length($0) > 60) bad = 1 } { head = 0 } END { exit bad }' plain
    result "$page.1: an option is no sentence" $?
    bad=
    for other in trawl trawl-grep trawl-find trawl-grid trawl-compile trawl-info trawl-engines trawl-devices; do
        [ $other = $page ] || sed -n '/^.SH SEE ALSO/,$p' plain | grep -q "$other(1)" || bad="$bad $other"
    done
    [ -z "$bad" ]
    result "$page.1 names the others$bad" $?
    [ $page != trawl-find ] || grep -qF '  GTYRAC  GGCCN{5}GGCC' plain
    result "$page.1 has the language of patterns, if it should" $?
    if command -v groff >/dev/null 2>&1; then
        groff -man -Tascii -ww -z $page.1 >said 2>&1 && ! [ -s said ]
        result "$page.1: groff has no complaint" $?
    fi
done

# ---- completions -----------------------------------------------------------------------

values() { # values SHELL, by its `complete`: options that have a list of them
    shell=$1
    for values in 'find --format fasta pcap' 'find --syntax escaped literal' 'find --strand minus both' \
        'grid --as grey stored' 'grid --dtype u1 u4' 'grid --schedule static' 'find --report each' \
        'grep --backend serial auto' 'compile --isa auto'; do
        set -- $values
        complete "$1" "$2" ''
        shift 2
        has "$shell: values: $values" out "$@"
    done
}

ln -sf "$trawl" trawl
PATH=$dir:$PATH
export PATH
if command -v bash >/dev/null 2>&1; then
    cat >try <<'END'
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_trawl
printf '%s\n' "${COMPREPLY[@]}"
END
    complete() { bash try "$root/completions/trawl.bash" trawl "$@" >out 2>&1; }
    complete g
    has 'bash: commands' out grep grid
    complete grep --in
    has 'bash: options' out --include --invert-match --initial-tab
    complete grep -
    has 'bash: letters' out -A -o --json --engine
    complete find --engine b
    has 'bash: values' out bm byr bb
    complete grep --color = al
    has 'bash: values after =' out always
    values bash
    complete find --progress = ''
    has 'bash: values of --progress' out always never auto
    complete grep -t p
    has 'bash: types' out py perl
    complete grep -e file
    [ "$(cat out)" = '' ]
    result 'bash: files are left to the shell' $?
fi
if command -v fish >/dev/null 2>&1; then
    complete() {
        HOME=$dir fish -c "source '$root/completions/trawl.fish'; complete -C 'trawl $*'" >out 2>&1
    }
    complete g
    has 'fish: commands' out "$(printf 'grep\tprint the lines that match, as grep does')" \
        "$(printf 'grid\tfind small pictures in large ones')"
    complete grep --incl
    grep -q '^--include	of files' out
    result 'fish: options' $?
    values fish
    complete find --progress=
    has 'fish: values of --progress' out --progress=always --progress=never
fi
if command -v zsh >/dev/null 2>&1; then
    zsh -n "$root/completions/_trawl" && cat >try <<'END'
_describe() { print -l -- "${(P@)@[-1]}" }
_files() { print files }
compset() { PREFIX=${PREFIX#*=} }
words=(trawl "${@:2}")
CURRENT=$#words
PREFIX=$words[CURRENT]
. "$1"
END
    complete() { zsh -f try "$root/completions/_trawl" "$@" >out 2>&1; }
    complete g
    has 'zsh: commands' out 'grep:print the lines that match, as grep does'
    complete grep --
    has 'zsh: options' out '--count:the number of selected lines of each file' \
        '-c:the number of selected lines of each file'
    complete grep --engine b
    has 'zsh: values' out bm
    values zsh
    complete find --progress=
    has 'zsh: values of --progress' out always never auto
    complete grep x
    has 'zsh: files' out files
fi

finish
