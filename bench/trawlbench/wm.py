"""wm.py: "Wu-Manber on CUDA": sets of 100 to 2000 patterns, and how the work is laid out.

grid * block * page is the text's length. The paper's form has a second kernel for the borders
between pages (borders=1); its optimised form keeps the tables in texture and constant memory
(texture=1).
"""
from __future__ import annotations

from typing import Dict, List

from .inputs import make_text, plan, stretches
from .measure import Bench, Cell, Input
from .table import Finding, Paper, Plot, Table, finding, numbers

SETS, LAYOUT, DEVICES = TABLES = (
    Table("wm_sets", "Sizes of the set, before and after the optimisation",
          "Patterns of 6 to 17 characters. paper: pages of 512 bytes, 128 threads, a second kernel "
          "for the borders; optimised: the same with tables in texture and constant memory; "
          "chosen: as Trawl runs it when nothing is asked.", ("patterns", "B", "form")),
    Table("wm_layout", "Grid, block and page",
          "1000 patterns, not optimised. 128 x 512 x 512 failed on the paper's GPU.",
          ("grid", "block", "page", "B", "paper")),
    Table("wm_devices", "Several devices",
          "The paper's next step: the text divided among devices (1000 patterns), in pieces of 4 "
          "MiB with three queues a device; times end to end only. The text is 512 MiB.",
          ("devices", "B")),
)

PLOTS = (
    Plot("wm_sets", "Wu-Manber: rate in kernels over the size of the set (B = 2)", "wm_sets",
         {"B": 2}, "patterns", "kernel_GBps", "patterns", "GB/s", ("backend", "form"), "y"),
    Plot("wm_speedup", "Wu-Manber: speedup of kernels over serial (B = 2)", "wm_sets", {"B": 2},
         "patterns", "kernel_speedup", "patterns", "times serial", ("backend", "form"), "y"),
    Plot("wm_layout", "Wu-Manber: bytes of a page, 1000 patterns", "wm_layout", {}, "page",
         "kernel_GBps", "bytes a page", "GB/s in kernels", ("backend", "B", "block"), "x"),
)

# grid, block, page, the paper's speedup
LAYOUTS = ((512, 128, 512, "9.42"), (128, 512, 512, "error"), (256, 128, 1024, "7.43"),
           (128, 256, 1024, "7.26"), (128, 128, 2048, "7.31"), (128, 64, 4096, "6.12"))


def word_set(bench: Bench, text: Input, patterns: int, block: int) -> Dict:
    return plan("wm", stretches(text.data, patterns, 6, 17, bench.seed + 5), block)


def set_cell(bench: Bench, text: Input, patterns: int, block: int) -> None:
    wm = word_set(bench, text, patterns, block)
    cell = Cell(bench, SETS, text, patterns=patterns, B=block)
    cell.add(wm, "serial", form="serial")
    cell.add(wm, "threads", form="threads")
    for device in bench.devices:
        cell.add(wm, device, "group=128,page=512,borders=1,texture=0", form="paper")
        cell.add(wm, device, "group=128,page=512,borders=1,texture=1", form="optimised")
        cell.add(wm, device, form="chosen")
    cell.run()


def layout_cell(bench: Bench, text: Input, B: int) -> None:
    wm, cell = word_set(bench, text, 1000, B), Cell(bench, LAYOUT, text, B=B)
    cell.add(wm, "serial")
    for device in bench.devices:
        for grid, block, page, paper in LAYOUTS:
            if not bench.quick or block <= 128:
                cell.add(wm, device, f"group={block},page={page},borders=1", grid=grid,
                         block=block, page=page, paper=paper)
    cell.run()


def device_cell(bench: Bench) -> None:
    """One, two, ... devices of each backend that has several. The text is long and the pieces are
    small, so that all devices have many."""
    text = Input(bench, "large", make_text(bench, bench.size(8 << 20, 512 << 20, 512 << 20))[0])
    wm, cell = word_set(bench, text, 1000, 2), Cell(bench, DEVICES, text, B=2)
    cell.add(wm, "serial")
    for name in bench.devices:
        there = len(bench.backends[name].devices)
        for count in [n for n in (1, 2, 4, 8) if 1 < there >= n]:
            cell.add(wm, name, f"piece={64 if bench.quick else 4096},queues=3",
                     {"device": ",".join(map(str, range(count))), "count": 0}, devices=count)
    cell.run()


def device_findings(device: str) -> List[Finding]:
    found = []
    for form, what, theirs in (
            ("paper", "without optimisation, B = 2", "6.12x to 9.42x, by layout"),
            ("optimised", "optimised, B = 2", "over 10x for every set"),
            ("chosen", "as chosen by Trawl, B = 2", "-")):
        found += finding(SETS, f"{device} over serial, {what}", theirs,
                         "kernels {kernel_speedup.least:.1f}x to {kernel_speedup.most:.1f}x; end "
                         "to end {speedup.least:.2f}x to {speedup.most:.2f}x", "kernel_speedup",
                         backend=device, B=2, form=form)
    frame = LAYOUT.frame(backend=device, B=2)
    rates = numbers(frame, "kernel_GBps")
    if len(rates):
        best = frame.loc[rates.idxmax()]
        found.append((f"{device}: best grid x block, page", "512 x 128, 512 bytes: 9.42x",
                      f"{best.grid} x {best.block}, {best.page} bytes: kernels "
                      f"{float(best.kernel_speedup or 0):.1f}x"))
    return found


def run(bench: Bench) -> List[Finding]:
    data, what = make_text(bench, bench.size(1 << 20, 32 << 20, 32 << 20))
    text = Input(bench, "text", data)
    for block in (2, 3):
        for patterns in (100, 1000) if bench.quick else (100, 200, 500, 1000, 1500, 2000):
            set_cell(bench, text, patterns, block)
    for block in (2,) if bench.quick else (2, 3):
        layout_cell(bench, text, block)
    if any(len(b.devices) > 1 for b in bench.backends.values()):
        device_cell(bench)
    found = [("text", "32 MB", f"{text.length / 1e6:.1f} MB: {what}")]
    found += finding(SETS, "serial, B = 2", "not said (Core 2 E7200)",
                     "{end_to_end_GBps.least:.3f} to {end_to_end_GBps.most:.3f} GB/s",
                     backend="serial", B=2)
    found += finding(SETS, "threads over serial, B = 2", "-", "{speedup.least:.2f}x to "
                     "{speedup.most:.2f}x, " + f"{bench.cpus} cores", "speedup",
                     backend="threads", B=2)
    return found + [line for device in bench.devices for line in device_findings(device)]


PAPER = Paper(
    "wm", "Wu-Manber on CUDA",
    "Each thread searches a page of the text; a second kernel searches the borders between pages. "
    "32 MB of text, 100 to 2000 patterns of 6 to 17 characters, GeForce 9800GT against one core of "
    "a Core 2 E7200. By grid, block and page: 6.12x to 9.42x over serial. With the patterns in "
    "constant memory and the tables in texture memory over 10x for every set, rising up to 1000 "
    "patterns, then falling.",
    TABLES, PLOTS, run)
