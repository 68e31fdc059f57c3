#!/bin/sh
# bench_seeds.sh TRAWL FOLDER: does `trawl bench seeds` make every table, with all counts equal?
set -eu
trawl=$1 folder=$2
rm -rf "$folder"
"$trawl" bench seeds --quick --out "$folder" >"$folder.txt" 2>"$folder.log" || {
    status=$?
    tail -n 20 "$folder.log" "$folder.txt"
    exit $status
}
cat "$folder.txt"
[ -s "$folder/index.html" ]
tables=0
for table in "$folder"/*.csv; do
    rows=$(tail -n +2 "$table" | wc -l)
    [ "$rows" -gt 0 ] || { echo "$table is empty"; exit 1; }
    tables=$((tables + 1))
done
[ $tables -ge 8 ] || { echo "only $tables tables"; exit 1; }
