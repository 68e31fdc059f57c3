"""grid.py: "Two-dimensional matching on the GPU": n, alphabet, m and stage.

Random n * n texts and an m * m needle cut from them. Stages: 1 tables in global memory, 2 through
the texture path, 3 the needle in local memory (Baker-Bird), 4 text in local memory by coalesced
reads (Baeza-Yates-Regnier).
"""
from __future__ import annotations

import sys
from random import Random
from typing import Dict, List, Tuple

import numpy as np

from .inputs import make_cells, make_picture
from .measure import Bench, Cell, Input
from .table import Finding, Paper, Plot, Table, finding

NAMES = {"bb": "Baker-Bird", "byr": "Baeza-Yates-Regnier"}
PICTURES = ("images/raster/world.byte.tif", "images/browserquest/map_1x.png",
            "images/leptonica/rabi.png")

STAGES, RATIO, IMAGE = TABLES = (
    Table("grid_stages", "Text, alphabet, needle and stage",
          "Alphabets of 2 and 256 are cells of one byte, 1024 is cells of two; rates are in bytes.",
          ("n", "alphabet", "m", "stage", "Gcells_per_s")),
    Table("grid_ratio", "Final over first stage",
          "Time of the kernels in stage 1 over that in stage 4, the last. The paper's last stage "
          "of Baker-Bird is what is stage 3 here; in the fourth, text is staged too, and what "
          "remains of a row is compared at once where the trie has no branch left.",
          ("n", "alphabet", "m", "algorithm", "on", "final_over_first")),
    Table("grid_image", "Real pictures",
          "Needles cut from a picture of --data; pixels are compared whole.",
          ("picture", "m", "Gcells_per_s")),
)


def stage_plot(name: str, engine: str, n: int) -> Plot:
    return Plot(name, f"{NAMES[engine]}, n = {n}, alphabet 256: kernels", "grid_stages",
                {"engine": engine, "n": n, "alphabet": 256}, "m", "kernel_s", "m", "seconds",
                ("backend", "stage"), "xy")


PLOTS = (
    stage_plot("grid_bb", "bb", 10000), stage_plot("grid_byr", "byr", 10000),
    stage_plot("grid_small_bb", "bb", 1000), stage_plot("grid_small_byr", "byr", 1000),
    Plot("grid_quick", "n = 200 (quick trial): kernels", "grid_stages", {"n": 200}, "m", "kernel_s",
         "m", "seconds", ("engine", "backend", "alphabet", "stage"), "xy"),
    Plot("grid_ratio", "Final over first stage", "grid_ratio", {}, "m", "final_over_first", "m",
         "times faster", ("algorithm", "on", "n", "alphabet"), "x"),
)


def needle(engine: str, line: int, column: int, side: int) -> Dict:
    return {"engine": engine, "needle": [line, column, side]}


def plant(cells: np.ndarray, m: int, seed: int) -> None:
    """Copies of the needle elsewhere, so that there is more than one match."""
    random, n = Random(seed), len(cells)
    for _ in range(8):
        line, column = random.randrange(n - m), random.randrange(n - m)
        for r in range(m):
            cells[line + r, column:column + m] = cells[r, :m]


def stage_cell(bench: Bench, cells: np.ndarray, alphabet: int, m: int) -> None:
    plant(cells, m, bench.seed + m)
    n, keys = len(cells), {"n": len(cells), "alphabet": alphabet, "m": m}
    cell = Cell(bench, STAGES, Input(bench, "grid", cells), part=1 / 3 if n > 1000 else 1, **keys)
    plans = {engine: needle(engine, 0, 0, m) for engine in NAMES}
    for plan in plans.values():
        cell.add(plan, "serial", stage="serial")
        cell.add(plan, "threads", stage="threads")
    for device in bench.devices:
        for plan in plans.values():
            for stage in (1, 2, 3, 4):
                cell.add(plan, device, f"stage={stage}", stage=stage)
    rows = cell.run(lambda row: row.rate_key("Gcells_per_s", 1 / cells.itemsize))
    seconds = {(row.backend.name, row.engine, row.keys["stage"]): row.kernel for row in rows}
    for device in bench.devices:
        for engine in NAMES:
            one, last = (seconds[device, engine, stage] for stage in (1, 4))
            if one > 0 and last > 0:
                RATIO.rows.append({**keys, "algorithm": engine, "on": device,
                                   "final_over_first": f"{one / last:.3f}"})


def choose_place(cells: np.ndarray, m: int, random: Random) -> Tuple[int, int]:
    """A place whose m * m cells are not all alike: blank ones occur millions of times."""
    for _ in range(1000):
        line, column = (random.randrange(side - m) for side in cells.shape)
        lines = cells[line + m // 4:line + m:m // 4, column:column + m]
        if (lines[:, 1:] != lines[:, :-1]).any():
            break
    return line, column


def image_cells(bench: Bench, path: str) -> None:
    cells, random = make_picture(bench, path), Random(bench.seed)
    for m in (16, 256) if bench.quick else (16, 64, 256):
        if cells is None or m >= min(cells.shape):
            break
        cell = Cell(bench, IMAGE, Input(bench, "grid", cells), picture=path.split("/")[-1], m=m)
        place = choose_place(cells, m, random)
        for engine in NAMES:
            plan = needle(engine, *place, m)
            for backend in bench.backends:
                cell.add(plan, backend)
        cell.run(lambda row: row.rate_key("Gcells_per_s", 1 / cells.itemsize))


def run(bench: Bench) -> List[Finding]:
    for n in (200,) if bench.quick else (1000, 10000):
        for number, alphabet in enumerate((2, 256, 1024)):
            if not bench.quick or number != 1:
                cells = make_cells(n, alphabet, bench.seed + number)
                for m in (4, 16) if bench.quick else (4, 8, 16, 32, 64, 128, 256):
                    stage_cell(bench, cells, alphabet, m)
    for path in PICTURES if bench.data else ():
        image_cells(bench, path)
    if not bench.data:
        print("bench: pictures are left out: --data FOLDER has them", file=sys.stderr)
    found = []
    for backend in bench.backends:
        for engine in NAMES if backend != "serial" else ():
            found += finding(STAGES, f"{engine} on {backend} over serial",
                             "over ten times, all stages", "kernels mean {kernel_speedup.mean:.3g}"
                             "x, best {kernel_speedup.most:.3g}x; end to end mean "
                             "{speedup.mean:.3g}x; up to {Gcells_per_s.most:.3g} billion cells a "
                             "second", "kernel_speedup", engine=engine, backend=backend)
        for engine, n, theirs in (("bb", 1000, "1 to 1.20x"), ("bb", 10000, "0.96 to 1.50x"),
                                  ("byr", 1000, "1 to 2x"), ("byr", 10000, "2 to 15x")):
            found += finding(RATIO, f"{NAMES[engine]}, n = {n}, final over first stage, {backend}",
                             theirs, "{final_over_first.least:.2f} to {final_over_first.most:.2f}"
                             "x, mean {final_over_first.mean:.2f}x", "final_over_first",
                             algorithm=engine, n=n, on=backend)
    runs = len(STAGES.figures("kernel_s", m=256, stage=2))
    return found + [("needles of 256 x 256, stage 2",
                     "not possible: 65,537 states exceed a texture's rows",
                     "runs" if runs else "not measured in this run")]


PAPER = Paper(
    "grid", "Two-dimensional matching on the GPU",
    "Baker-Bird gives each cell the number of a needle's row by Aho-Corasick and matches columns "
    "of numbers; Baeza-Yates-Regnier scans every m-th row and checks around a hit. Random texts of "
    "1,000 and 10,000 cells squared, alphabets of 2, 256 and 1024, needles of 4 to 256 cells "
    "squared, GTX 970. Final over first stage: Baker-Bird 1 to 1.20x and 0.96 to 1.50x, "
    "Baeza-Yates-Regnier 1 to 2x and 2 to 15x; both over ten times faster than serial. Stages "
    "with textures ended at m = 128.",
    TABLES, PLOTS, run)
