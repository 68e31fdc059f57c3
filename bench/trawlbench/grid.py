"""grid.py: "Two-dimensional matching on the GPU": n, alphabet, m and stage.

Random n * n texts and an m * m needle cut from them. Stages: 1 tables in global memory, 2 through
the texture path, 3 the needle in local memory (Baker-Bird), 4 text in local memory by coalesced
reads (Baeza-Yates-Regnier).
"""
from __future__ import annotations

import sys
from typing import Dict, List, Tuple

import numpy as np

from .inputs import Random, make_cells, make_picture
from .measure import Bench, Cell, Input, Row
from .table import Finding, Paper, Plot, Table, figures

ENGINES = ("bb", "byr")
NAMES = {"bb": "Baker-Bird", "byr": "Baeza-Yates-Regnier"}
PICTURES = ("images/raster/world.byte.tif", "images/browserquest/map_1x.png",
            "images/leptonica/rabi.png")

TABLES = (
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
                {"engine": engine, "n": str(n), "alphabet": "256"}, "m", "kernel_s", "m",
                "seconds", ("backend", "stage"), True, True)


PLOTS = (
    stage_plot("grid_bb", "bb", 10000), stage_plot("grid_byr", "byr", 10000),
    stage_plot("grid_small_bb", "bb", 1000), stage_plot("grid_small_byr", "byr", 1000),
    Plot("grid_quick", "n = 200 (quick trial): kernels", "grid_stages", {"n": "200"}, "m",
         "kernel_s", "m", "seconds", ("engine", "backend", "alphabet", "stage"), True, True),
    Plot("grid_ratio", "Final over first stage", "grid_ratio", {}, "m", "final_over_first", "m",
         "times faster", ("algorithm", "on", "n", "alphabet"), True),
)


def needle(engine: str, line: int, column: int, side: int) -> Dict:
    return {"engine": engine, "needle": [line, column, side]}


def plant(cells: np.ndarray, m: int, seed: int) -> None:
    """Copies of the needle elsewhere, so that there is more than one match."""
    below, n = Random(seed).below, len(cells)
    for _ in range(8):
        line, column = below(n - m), below(n - m)
        for r in range(m):
            cells[line + r, column:column + m] = cells[r, :m]


def cells_rate(cell: Cell):
    size = cell.data.data.itemsize

    def rate(row: Row) -> Dict[str, str]:
        return {"Gcells_per_s": f"{row.length / size / row.kernel / 1e9:.4g}"
                } if row.kernel > 0 else {}
    return rate


def stage_cell(bench: Bench, stages: Table, ratios: Table, cells: np.ndarray, alphabet: int,
               m: int) -> None:
    n, keys = len(cells), {"n": str(len(cells)), "alphabet": str(alphabet), "m": str(m)}
    plant(cells, m, bench.seed + m)
    plans = {engine: needle(engine, 0, 0, m) for engine in ENGINES}
    cell = Cell(bench, stages, Input(bench, "grid", cells),
                part=1 / 3 if n > 1000 else 1, **keys)  # 21 such large cells
    for engine in ENGINES:
        cell.add(plans[engine], "serial", {"stage": "serial"})
        cell.add(plans[engine], "threads", {"stage": "threads"})
    for device in bench.devices:
        for engine in ENGINES:
            for stage in "1234":
                cell.add(plans[engine], device, {"stage": stage}, f"stage={stage}")
    rows = cell.run(cells_rate(cell))
    seconds = {(row.backend.name, row.engine, row.keys["stage"]): row.kernel for row in rows}
    for device in bench.devices:
        for engine in ENGINES:
            one, last = (seconds[device, engine, stage] for stage in "14")
            if one > 0 and last > 0:
                ratios.rows.append({**keys, "algorithm": engine, "on": device,
                                    "final_over_first": f"{one / last:.3f}"})


def choose_place(cells: np.ndarray, m: int, below) -> Tuple[int, int]:
    """A place whose m * m cells are not all alike: blank ones occur millions of times."""
    for _ in range(1000):
        line, column = below(cells.shape[0] - m), below(cells.shape[1] - m)
        lines = cells[line + m // 4:line + m:m // 4, column:column + m]
        if (lines[:, 1:] != lines[:, :-1]).any():
            break
    return line, column


def image_cells(bench: Bench, table: Table, path: str) -> None:
    cells, below = make_picture(bench, path), Random(bench.seed).below
    for m in (16, 256) if bench.quick else (16, 64, 256):
        if cells is None or m >= min(cells.shape):
            break
        place = choose_place(cells, m, below)
        cell = Cell(bench, table, Input(bench, "grid", cells), picture=path.split("/")[-1],
                    m=str(m))
        for engine in ENGINES:
            plan = needle(engine, *place, m)
            for backend in bench.backends:
                cell.add(plan, backend)
        cell.run(cells_rate(cell))


def speedup_findings(table: Table, backend: str) -> List[Finding]:
    found = []
    for engine in ENGINES:
        kernel, whole, rate = (figures(table.frame(), column, engine=engine, backend=backend)
                               for column in ("kernel_speedup", "speedup", "Gcells_per_s"))
        if len(kernel):
            found.append((f"{engine} on {backend} over serial", "over ten times, all stages",
                          f"kernels mean {kernel.mean():.3g}x, best {kernel.max():.3g}x; end to "
                          f"end mean {whole.mean():.3g}x; up to {rate.max():.3g} billion cells a "
                          "second"))
    return found


def ratio_findings(table: Table, device: str) -> List[Finding]:
    found = []
    for engine, n, theirs in (("bb", 1000, "1 to 1.20x"), ("bb", 10000, "0.96 to 1.50x"),
                              ("byr", 1000, "1 to 2x"), ("byr", 10000, "2 to 15x")):
        of = figures(table.frame(), "final_over_first", algorithm=engine, n=n, on=device)
        if len(of):
            found.append((f"{NAMES[engine]}, n = {n}, final over first stage, {device}", theirs,
                          f"{of.min():.2f} to {of.max():.2f}x, mean {of.mean():.2f}x"))
    return found


def run(bench: Bench) -> List[Finding]:
    stages, ratios, images = TABLES
    for n in (200,) if bench.quick else (1000, 10000):
        for number, alphabet in enumerate((2, 256, 1024)):
            if bench.quick and number == 1:
                continue
            cells = make_cells(n, alphabet, bench.seed + number)
            for m in (4, 16) if bench.quick else (4, 8, 16, 32, 64, 128, 256):
                stage_cell(bench, stages, ratios, cells, alphabet, m)
    if bench.data:
        for path in PICTURES:
            image_cells(bench, images, path)
    else:
        print("bench: pictures are left out: --data FOLDER has them", file=sys.stderr)
    found = []
    for backend in bench.backends:
        if backend != "serial":
            found += speedup_findings(stages, backend)
        found += ratio_findings(ratios, backend)
    runs = len(figures(stages.frame(), "kernel_s", m=256, stage=2))
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
