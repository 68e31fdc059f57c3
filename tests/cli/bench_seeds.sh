#!/bin/sh
# bench_seeds.sh BUILD FOLDER: does bench/seeds of that build make every table, with all counts
# equal, and does each backend with a device find the same matches in each of them?
set -eu
build=$1 folder=$2
# Tables with rows of devices, and those without. Left out: grid_image, which needs --data, and
# wm_devices, which needs several devices; those two have a head alone.
of_devices='bm_speedup bm_pairs bm_acc wm_sets wm_layout pfac_options pfac_cross pfac_rates
pfac_energy hnfa_exchange hnfa_shiftand grid_stages'
others='pfac_threads bm_summary wm_summary pfac_summary hnfa_summary grid_summary machine'
heads='grid_image grid_ratio wm_devices'

complain()
{
    echo "$*"
    exit 1
}

/usr/bin/python3 -c 'import jinja2, matplotlib, pandas' 2>"$folder.log" || {
    echo "skipped: bench/seeds needs python3-pandas, python3-matplotlib and python3-jinja2:"
    tail -n 1 "$folder.log"
    exit 77
}
status=0
"$build/bench/seeds" nonsense >"$folder.txt" 2>&1 || status=$?
[ $status = 2 ] && grep -q "no paper 'nonsense'" "$folder.txt" || complain "nonsense: $status"
rm -rf "$folder"
"$build/bench/seeds" --quick --out "$folder" >"$folder.txt" 2>"$folder.log" || {
    status=$?
    tail -n 20 "$folder.log" "$folder.txt"
    exit $status
}
cat "$folder.txt"
[ -s "$folder/index.html" ] || complain "index.html is missing"
for plot in bm_speedup wm_sets pfac_threads hnfa_shiftand grid_quick; do
    [ -s "$folder/$plot.svg" ] && [ -s "$folder/$plot.png" ] || complain "$plot is not drawn"
done
for table in $of_devices $others; do
    [ -s "$folder/$table.csv" ] || complain "$table.csv is missing"
    [ "$(wc -l <"$folder/$table.csv")" -gt 1 ] || complain "$table.csv is empty"
done
for table in $heads; do
    [ -s "$folder/$table.csv" ] || complain "$table.csv is missing"
done
"$build/trawl" devices >"$folder.devices"
for backend in opencl cuda; do
    grep -q "^$backend  *[0-9]" "$folder.devices" || continue
    for table in $of_devices; do
        # The column after the backend's that says yes is `agrees`.
        grep -q ",$backend,.*,yes," "$folder/$table.csv" ||
            complain "$table.csv: no row of $backend agrees"
    done
    grep -q ",$backend," "$folder/grid_ratio.csv" || complain "grid_ratio.csv: nothing of $backend"
done

# The page and the plots are made of the CSV files alone.
cp "$folder/index.html" "$folder.html"
"$build/bench/seeds" --redraw --out "$folder"
cmp "$folder.html" "$folder/index.html" || complain "--redraw makes another page"
