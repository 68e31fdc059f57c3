#!/bin/sh
# bench_cliffs.sh BUILD FILE: does bench/cliffs of that build make its table FILE, small and without
# real data, with all counts equal? Nothing is asked about times.
set -eu
build=$1 file=$2

/usr/bin/python3 -c 'import jinja2, matplotlib, pandas' 2>"$file.log" || {
    echo "skipped: bench/cliffs needs python3-pandas, python3-matplotlib and python3-jinja2:"
    tail -n 1 "$file.log"
    exit 77
}
rm -f "$file"
"$build/bench/cliffs" --quick --out "$file" >"$file.txt" 2>"$file.log" || {
    status=$?
    tail -n 20 "$file.log" "$file.txt"
    exit $status
}
tail -n 1 "$file.txt"
for name in ACGT zeros Fibonacci checkerboard 'by 256' pairs; do
    grep -q "$name.*,yes," "$file" || {
        echo "$file: no case '$name' that agrees"
        exit 1
    }
done
