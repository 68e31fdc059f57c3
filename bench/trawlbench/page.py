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
from typing import Dict, List, Sequence

import jinja2
import pandas as pd

from .measure import Bench
from .table import Paper, read

ROWS = 100  # of a table
DATE = "%Y-%m-%d %H:%M UTC"


def is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", text) is not None


def file_time(path: Path) -> str:
    return time.strftime(DATE, time.gmtime(path.stat().st_mtime))


def counted(bench: Bench) -> str:
    of = bench.counts
    return (f"{of['rows']} rows: {of['NO']} disagree, {of['failed']} failed, {of['unsupported']} "
            f"not supported, {of['not compared']} compared with nothing")


def write_machine(folder: Path, bench: Bench) -> None:
    model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    facts = [("date", time.strftime(DATE, time.gmtime())),
             ("version", bench.runner.facts["version"]),
             ("CPU", f"{model[1] if model else 'unknown'}, {bench.cpus} logical CPUs"),
             ("system", f"{platform.system()}, {platform.machine()}")]
    for backend in bench.backends.values():
        for number, device in enumerate(backend.devices):
            facts.append((backend.name, f"{number}: {device['name']}, {device['units']} units, "
                          f"{device['memory'] / 1e9:.1f} GB, {device['driver']}"))
    size = "quick trial (small inputs: no figures to quote)" if bench.quick else "full size"
    facts += [("measured", f"{size}, {bench.repeats} repeats after a warm-up, seed {bench.seed}"),
              ("this run", counted(bench))]
    pd.DataFrame(facts, columns=["what", "value"]).to_csv(folder / "machine.csv", index=False)


def records(frame: pd.DataFrame) -> List[Dict]:
    return frame.to_dict("records")


def shown(folder: Path, paper: Paper) -> Dict:
    """What the folder holds of a paper."""
    tables = [{"table": table, "frame": read(folder, table.name), "when": file_time(path)}
              for table in paper.tables
              for path in [folder / f"{table.name}.csv"] if path.exists()]
    return {"paper": paper, "tables": tables,
            "measured": (folder / f"{paper.name}_summary.csv").exists(),
            "summary": records(read(folder, f"{paper.name}_summary")),
            "plots": [p for p in paper.plots if (folder / f"{p.name}.svg").exists()]}


def write(folder: Path, papers: Sequence[Paper]) -> None:
    files = jinja2.FileSystemLoader(Path(__file__).parent)
    templates = jinja2.Environment(loader=files, autoescape=True, keep_trailing_newline=True)
    templates.tests["number"] = is_number
    html = templates.get_template("page.html").render(
        machine=records(read(folder, "machine")), rows=ROWS,
        papers=[shown(folder, paper) for paper in papers])
    (folder / "index.html").write_text(html, encoding="utf-8")
