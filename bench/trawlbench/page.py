"""page.py: index.html, one page with all that the folder holds.

Static, without scripts and without links to elsewhere. Everything comes from the CSV files and
plots, so that papers measured by earlier runs are shown too; the facts of the machine stand in a
file of their own, so that --redraw elsewhere does not change them.
"""
from __future__ import annotations

import platform
import re
import time
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

import jinja2
import pandas as pd

from .measure import Bench
from .table import Paper, read

ROWS = 100  # of a table
DATE = "%Y-%m-%d %H:%M UTC"


def machine_facts(bench: Bench) -> List[Tuple[str, str]]:
    of = bench.facts
    return [("date", time.strftime(DATE, time.gmtime())), ("version", of["version"]),
            ("CPU", f"{of['cpu']}, {bench.cpus} logical CPUs, {', '.join(of['isas'])}"),
            ("system", f"{platform.system()}, {platform.machine()}")]


def write_machine(folder: Path, bench: Bench) -> None:
    of, facts = bench.facts, machine_facts(bench)
    facts += [(d["backend"], f"{d['device']}: {d['name']}, {d['units']} units, "
               f"{d['memory'] / 1e9:.1f} GB, {d['driver']}") for d in of["devices"]
              if d["backend"] in bench.backends]
    size = "quick trial (small inputs: no figures to quote)" if bench.quick else "full size"
    facts += [("measured", f"{size}, {bench.repeats} repeats after a warm-up, seed {bench.seed}"),
              ("this run", f"{bench.counts['rows']} rows: {bench.summary()}")]
    pd.DataFrame(facts, columns=["what", "value"]).to_csv(folder / "machine.csv", index=False)


def shown(folder: Path, paper: Paper) -> Dict:
    """What the folder holds of a paper."""
    files = [(table, folder / f"{table.name}.csv") for table in paper.tables]
    return {"paper": paper, "summary": read(folder, f"{paper.name}_summary"),
            "plots": [plot for plot in paper.plots if (folder / f"{plot.name}.svg").exists()],
            "tables": [{"table": table, "frame": read(folder, table.name),
                        "when": time.strftime(DATE, time.gmtime(path.stat().st_mtime))}
                       for table, path in files if path.exists()]}


def write(folder: Path, papers: Sequence[Paper]) -> None:
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).parent),
                                   autoescape=True, keep_trailing_newline=True)
    number = re.compile(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?")
    templates.tests["number"] = lambda text: number.fullmatch(text) is not None
    html = templates.get_template("page.html").render(
        machine=read(folder, "machine"), rows=ROWS, papers=[shown(folder, p) for p in papers])
    (folder / "index.html").write_text(html, encoding="utf-8")
