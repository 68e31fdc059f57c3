#!/bin/sh
# --progress of find, grep and grid: a line on standard error that is never mixed with what is
# printed. Usage: test_cli_progress.sh TRAWL

. "$(dirname "$0")/../support/command.sh"
unset GREP_COLORS NO_COLOR

slowly() { # two lines with more than a second between them
    echo 'needle one'
    sleep 1.5
    echo 'needle two'
}

frames() { # what stood on the line, one after the other
    tr '\r' '\n' <"$1"
}

# ---- pipes -----------------------------------------------------------------------------

for command in find grep; do
    printf 'needle one\nneedle two\n' >lines
    "$trawl" $command needle <lines >want
    slowly | "$trawl" $command --progress=always needle >got 2>err
    status=$?
    [ $status = 0 ] && cmp -s want got
    result "$command: what is printed stays as it is" $?
    frames err | grep -q '^[0-9]* bytes  [0-9]* bytes/s  0:0[1-9]'
    result "$command: bytes, rate and time of a pipe" $?
    [ "$(frames err | tail -n 1 | tr -d ' ')" = '' ] && ! frames err | grep -q of
    result "$command: the line is gone at the end" $?
    slowly | "$trawl" $command --progress=always needle >mixed 2>&1
    sed 's/.*\r//' mixed | cmp -s want - && grep -q 'bytes/s' mixed
    result "$command: on one file with the output" $?
    slowly | "$trawl" $command --progress needle >got 2>err
    cmp -s want got && ! [ -s err ]
    result "$command: nothing where there is no terminal" $?
    slowly | "$trawl" $command --progress=always needle - missing >got 2>err
    [ $? = 2 ] && [ "$(grep -c needle got)" = "$(grep -c needle want)" ] && frames err | grep -q "^trawl $command: missing: "
    result "$command: messages have a line of their own" $?
    if command -v script >/dev/null 2>&1; then
        cat >again <<END
{ head -n 1 lines; sleep 1.5; tail -n 1 lines; } | "$trawl" $command --progress needle
END
        script -qec 'sh again' typed </dev/null >/dev/null 2>&1
        sed 's/\r$//; s/.*\r//' typed | grep -v '^Script' >got
        grep -q 'bytes/s' typed && ! grep -q 'bytes/s' got && [ "$(grep -c '[15o]' got)" -ge 2 ]
        result "$command: a terminal" $?
        sed "s/--progress/--progress=never/" again >never
        script -qec 'sh never' typed </dev/null >/dev/null 2>&1
        ! grep -q 'bytes/s' typed
        result "$command: --progress=never" $?
    fi
done

# ---- files -----------------------------------------------------------------------------

echo needle >short
for command in 'find' 'grep'; do
    "$trawl" $command --progress=always needle short >got 2>err
    ! [ -s err ]
    result "$command: nothing before a second of work" $?
done

# Holes are as good as text, and take no room; one that takes two seconds is looked for.
for size in 200 800 3200; do
    truncate -s ${size}M zeros 2>/dev/null || break
    began=$(date +%s)
    "$trawl" find --progress=always --threads 1 --engine hnfa --count '\0{3}[a-c]x+y' zeros >got 2>err
    [ $(($(date +%s) - began)) -lt 2 ] || break
done
if [ -s err ]; then
    frames err | grep -q '^\[=*>\{0,1\} *\] *[0-9]*%  [0-9.]* [MG]B of [0-9.]* [MG]B  [0-9.]* [MG]B/s  0:[0-9]* left *$'
    result 'find: a bar, of a mapped file' $?
    frames err | awk '/%/ { sub(/%.*/, ""); sub(/.*\] */, ""); if ($0 + 0 < last || $0 + 0 > 100) bad = 1; last = $0 + 0 }
        END { exit bad || !last }'
    result 'find: it grows' $?
fi
rm -f zeros

# ---- pictures --------------------------------------------------------------------------

printf 'P1\n2 1\n1 1\n' >needle.pbm
{
    printf 'P1\n8 2\n'
    printf '0 1 1 0 0 0 0 0\n'
    sleep 1.5
    printf '0 0 0 0 0 0 0 0\n'
} | "$trawl" grid --progress=always -n needle.pbm - >got 2>err
[ $? = 0 ] && frames err | grep -q 'bytes/s' && [ "$(wc -l <got)" = 2 ]
result 'grid: a pipe' $?

# ---- WHEN ------------------------------------------------------------------------------

for command in 'find x' 'grep x' 'grid -n needle.pbm'; do
    "$trawl" $command --progress=often short >got 2>err
    [ $? = 2 ] && grep -q "'often' is none of never auto always" err
    result "$command: --progress=often" $?
done

finish
