"""The benchmarks: bench_cells measures, this package says what and shows what came out.

inputs   texts, grids and patterns, by seed or from files
measure  the rows of tables, measured against each other
table    tables as CSV files, and figures taken from them
plots    plots of the CSV files
page     index.html of the CSV files and plots
bm, wm, pfac, hnfa, grid   one module a paper: its tables, its plots, its figures beside ours
"""
