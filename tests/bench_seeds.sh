#!/bin/sh
# bench_seeds.sh TRAWL FOLDER: does `trawl bench seeds` make every table, with all counts equal,
# and does each backend with a device find the same matches in each of them?
set -eu
trawl=$1 folder=$2
# Tables with rows of devices, and those without. Left out: grid_image, which needs --data, and
# wm_devices, which needs several devices; those two have a head alone.
of_devices='bm_speedup bm_pairs bm_acc wm_sets wm_layout pfac_options pfac_cross pfac_rates
pfac_energy hnfa_exchange hnfa_shiftand grid_stages'
others='pfac_threads bm_summary wm_summary pfac_summary hnfa_summary grid_summary'
heads='grid_image grid_ratio wm_devices'

complain()
{
    echo "$*"
    exit 1
}

rm -rf "$folder"
"$trawl" bench seeds --quick --out "$folder" >"$folder.txt" 2>"$folder.log" || {
    status=$?
    tail -n 20 "$folder.log" "$folder.txt"
    exit $status
}
cat "$folder.txt"
[ -s "$folder/index.html" ] || complain "index.html is missing"
for table in $of_devices $others; do
    [ -s "$folder/$table.csv" ] || complain "$table.csv is missing"
    [ "$(wc -l <"$folder/$table.csv")" -gt 1 ] || complain "$table.csv is empty"
done
for table in $heads; do
    [ -s "$folder/$table.csv" ] || complain "$table.csv is missing"
done
"$trawl" devices >"$folder.devices"
for backend in opencl cuda; do
    grep -q "^$backend  *[0-9]" "$folder.devices" || continue
    for table in $of_devices; do
        # The column behind the backend's that says yes is `agrees`.
        grep -q ",$backend,.*,yes," "$folder/$table.csv" ||
            complain "$table.csv: no row of $backend agrees"
    done
    grep -q ",$backend," "$folder/grid_ratio.csv" || complain "grid_ratio.csv: nothing of $backend"
done
