#!/bin/sh
# bench_peers.sh BUILD FOLDER: does bench/peers of that build make its table, plot and page in FOLDER,
# small and without real data, with all counts equal? Nothing is asked about times.
set -eu
build=$1 folder=$2

/usr/bin/python3 -c 'import jinja2, matplotlib, pandas' 2>"$folder.log" || {
    echo "skipped: bench/peers needs python3-pandas, python3-matplotlib and python3-jinja2:"
    tail -n 1 "$folder.log"
    exit 77
}
rm -rf "$folder"
"$build/bench/peers" --quick --out "$folder" >"$folder.txt" 2>"$folder.log" || {
    status=$?
    tail -n 20 "$folder.log" "$folder.txt"
    exit $status
}
tail -n 1 "$folder.txt"
for name in 'English, the' '1000 rule literals' '100 16-mers' PROSITE photograph '10 class patterns'; do
    grep -q "$name.*,yes," "$folder/peers.csv" || grep -q "$name.*,unsupported," "$folder/peers.csv" || {
        echo "$folder/peers.csv: no work '$name' that agrees"
        exit 1
    }
done
grep -q '<h2>one literal</h2>' "$folder/peers.html"
