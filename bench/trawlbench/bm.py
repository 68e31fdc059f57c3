"""bm.py: "Boyer-Moore on many cores and GPUs": speedups over the pattern's length, blocks and
threads a multiprocessor, and algorithmic cascading (ACC).

The paper's 240 threads on 60 cores of a Xeon Phi are rows with two and four times as many threads
as cores. What ACC reads twice is computed by the paper's formulas: a thread owns 24 bytes, a block
searches degree * (threads - 1) * (length - 1) bytes twice and copies length - 1 of its neighbour.
"""
from __future__ import annotations

from typing import Dict, List

from .inputs import make_genome, make_text, plan, stretches
from .measure import Bench, Cell, Input
from .table import Finding, Paper, Plot, Table, finding

CHUNKS, BYTES_A_THREAD, THREADS = 1000, 24, 128

SPEEDUP, PAIRS, ACC = TABLES = (
    Table("bm_speedup", "Speedup over pattern lengths",
          "One literal, cut from the text. Static: as many chunks as threads; dynamic: 1000 "
          "chunks; 2x, 4x: more threads than cores, as on the Xeon Phi.",
          ("length", "text", "form")),
    Table("bm_pairs", "Blocks a multiprocessor and threads a block",
          "The four pairs of the paper's Table 8, without cascading.",
          ("length", "blocks", "threads")),
    Table("bm_acc", "Algorithmic cascading",
          "Degrees 1 to 64 at 16 blocks of 128 threads. What is searched and copied twice is by "
          "the paper's formulas for this text, 24 bytes a thread.",
          ("length", "degree", "searched_twice", "copied_twice")),
)

PLOTS = (
    Plot("bm_speedup", "Boyer-Moore: speedup over serial, end to end", "bm_speedup",
         {"text": "source"}, "length", "speedup", "pattern length", "times serial",
         ("backend", "form")),
    Plot("bm_kernel", "Boyer-Moore: rate on a resident text", "bm_speedup", {"text": "source"},
         "length", "kernel_GBps", "pattern length", "GB/s", ("backend", "form"), "y"),
    Plot("bm_pairs", "Boyer-Moore: threads a block (blocks x threads = 2048)", "bm_pairs", {},
         "threads", "kernel_GBps", "threads a block", "GB/s in kernels", ("backend", "length"),
         "x"),
    Plot("bm_acc", "Boyer-Moore: degree of cascading", "bm_acc", {}, "degree", "kernel_GBps",
         "degree of cascading", "GB/s in kernels", ("backend", "length"), "x"),
)


def literal(bench: Bench, text: Input, size: int) -> Dict:
    return plan("bm", stretches(text.data, 1, size, size, bench.seed + size))


def speedup_cell(bench: Bench, text: Input, name: str, size: int) -> None:
    bm, cpus = literal(bench, text, size), bench.cpus
    cell = Cell(bench, SPEEDUP, text, length=size, text=name)
    cell.add(bm, "serial", form="serial")
    cell.add(bm, "threads", options={"threads": cpus, "schedule": 1, "chunks": cpus}, form="static")
    for form, times in (("dynamic", 1), ("2x", 2), ("4x", 4)):
        cell.add(bm, "threads", options={"threads": times * cpus, "chunks": CHUNKS}, form=form)
    for device in bench.devices:
        cell.add(bm, device, form="device")
    cell.run()


def tuning(blocks: int, threads: int, degree: int) -> str:
    return f"blocks={blocks},group={threads},chars={BYTES_A_THREAD},cascade={degree},staged=1"


def device_cells(bench: Bench, text: Input, size: int) -> None:
    """Devices only, with a serial row to compare with."""
    bm = literal(bench, text, size)
    pairs, acc = (Cell(bench, table, text, length=size) for table in (PAIRS, ACC))
    for cell in (pairs, acc):
        cell.add(bm, "serial")
    for device in bench.devices:
        for blocks in (16, 8, 4, 2):
            threads = 2048 // blocks
            pairs.add(bm, device, tuning(blocks, threads, 1), blocks=blocks, threads=threads)
        for degree in (1, 8, 64) if bench.quick else (1, 2, 4, 8, 16, 32, 64):
            blocks = -(-text.length // (THREADS * BYTES_A_THREAD * degree))
            acc.add(bm, device, tuning(16, THREADS, degree), degree=degree,
                    searched_twice=degree * blocks * (THREADS - 1) * (size - 1),
                    copied_twice=(blocks - 1) * (size - 1))
    pairs.run()
    acc.run()


def device_findings(device: str) -> List[Finding]:
    found = finding(SPEEDUP, f"{device} over serial", "mean 33x, best 47x (Tesla K20, ACC)",
                    "kernels mean {kernel_speedup.mean:.1f}x, best {kernel_speedup.most:.1f}x, up "
                    "to {kernel_GBps.most:.0f} GB/s; end to end mean {speedup.mean:.2f}x, best "
                    "{speedup.most:.2f}x", "kernel_speedup", text="source", backend=device)
    one, most = (ACC.figures("kernel_GBps", backend=device, degree=of) for of in (1, 64))
    if len(one) and len(most):
        found.append((f"{device}: cascading 64 over 1, in kernels", "30% faster",
                      f"{100 * (most.mean() / one.mean() - 1):+.0f}% (mean of the lengths)"))
    best, pair = max((PAIRS.figures("kernel_GBps", backend=device, blocks=of).mean() or 0, of)
                     for of in (16, 8, 4, 2))
    return found + [(f"{device}: best (blocks, threads)", "(16, 128)",
                     f"({pair}, {2048 // pair}), {best:.0f} GB/s in kernels")] * (best > 0)


def run(bench: Bench) -> List[Finding]:
    length = bench.size(1 << 20, 64 << 20, 256 << 20)
    data, what = make_text(bench, length)
    text, genome = Input(bench, "text", data), make_genome(bench, length)
    for size in range(5, 51, 15 if bench.quick else 5):
        speedup_cell(bench, text, "source", size)
    if genome:
        sequence = Input(bench, "genome", genome)
        for size in range(5, 51, 15):
            speedup_cell(bench, sequence, "genome", size)
    for size in (50,) if bench.quick else (50, 5, 25):
        device_cells(bench, text, size)
    found = [("text", "not said; about 4 GB on the GPU", f"{length / 1e6:.0f} MB: {what}"),
             ("bytes read twice, 1000 chunks: (chunks - 1) * (length - 1)",
              "3,996 for length 5, 48,951 for length 50",
              f"{(CHUNKS - 1) * 4} and {(CHUNKS - 1) * 49} by that formula"),
             ("bytes searched twice, degree 64, length 50, 21,730 blocks", "8,654,450,560",
              f"{64 * 21730 * 127 * 49} by degree * blocks * (threads - 1) * (length - 1)")]
    for form, what, theirs in (
            ("static", "static schedule over serial", "10x, 12 Xeon cores"),
            ("dynamic", "dynamic schedule, 1000 chunks, over serial", "11x, 12 Xeon cores"),
            ("2x", "twice as many threads as cores", "mean 14.75x, best 17.14x, over 80 Gbit/s: "
             "180 threads, 60 cores (Xeon Phi)"),
            ("4x", "four times as many threads as cores", "240 threads were slower than 180")):
        where = {"text": "source", "backend": "threads", "form": form}
        bits = 8 * SPEEDUP.figures("end_to_end_GBps", **where).max()
        found += finding(SPEEDUP, what, theirs, "mean {speedup.mean:.2f}x, best {speedup.most:.2f}x"
                         f", up to {bits:.1f} Gbit/s, {bench.cpus} cores", "speedup", **where)
    return found + [line for device in bench.devices for line in device_findings(device)]


PAPER = Paper(
    "bm", "Boyer-Moore on many cores and GPUs",
    "The text is cut into chunks, each of which reads length - 1 bytes of its neighbour. Static "
    "scheduling deals out as many chunks as threads, dynamic scheduling has 1000. 12 Xeon cores: "
    "10x static, 11x dynamic over serial. Xeon Phi, 180 threads on 60 cores: mean 14.75x, best "
    "17.14x, over 80 Gbit/s. Tesla K20 with algorithmic cascading: mean 33x, best 47x, of which "
    "cascading is worth 30%; 16 blocks of 128 threads and degree 64 were best.",
    TABLES, PLOTS, run)
