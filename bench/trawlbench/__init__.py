"""The benchmarks: bench_cells measures, this package says what and shows what came out.

inputs   texts, grids and patterns, by seed or from files
measure  the rows of tables, measured against each other
table    tables as CSV files, and figures taken from them
plots    plots of the CSV files
page     index.html of the CSV files and plots
cliffs   sets and texts on which engines are slow
peers    works at which Trawl stands beside other matchers
rivals   their table, plot and page
bm, wm, pfac, hnfa, grid   one module a paper: its tables, its plots, its figures beside ours
"""
import sys

try:
    import jinja2, matplotlib, pandas  # noqa: E401, F401 (are they there?)
except ModuleNotFoundError as missing:
    print(f"{sys.argv[0]}: {missing}: install python3-pandas, python3-matplotlib and "
          "python3-jinja2", file=sys.stderr)
    sys.exit(2)
