#!/bin/sh
# bench_commands.sh BUILD FILE: does bench/commands of that build make its table FILE, small, with
# the lines of all that is installed equal? Nothing is asked about times.
set -eu
build=$1 file=$2

/usr/bin/python3 -c 'import numpy' 2>"$file.log" || {
    echo "skipped: bench/commands needs python3-numpy:"
    tail -n 1 "$file.log"
    exit 77
}
rm -f "$file"
"$build/bench/commands" --quick --out "$file" >"$file.txt" 2>"$file.log" || {
    status=$?
    tail -n 20 "$file.log" "$file.txt"
    exit $status
}
tail -n 1 "$file.txt"
for name in nothing 'frequent word, lines' numbers '1000 words' 'files with a word'; do
    grep -q "^\"*$name.*,trawl,.*,yes" "$file" || {
        echo "$file: no case '$name' that agrees"
        exit 1
    }
done
