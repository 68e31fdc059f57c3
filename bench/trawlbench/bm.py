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
from .table import Finding, Paper, Plot, Table, figures

CHUNKS, BYTES_A_THREAD, STATIC, DYNAMIC = 1000, 24, 1, 0

TABLES = (
    Table("bm_speedup", "Speedup over pattern lengths",
          "One literal, cut from the text. Static: as many chunks as threads; dynamic: 1000 chunks; "
          "2x, 4x: more threads than cores, as on the Xeon Phi.", ("length", "text", "form")),
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
         "length", "kernel_GBps", "pattern length", "GB/s", ("backend", "form"), log_y=True),
    Plot("bm_pairs", "Boyer-Moore: threads a block (blocks x threads = 2048)", "bm_pairs", {},
         "threads", "kernel_GBps", "threads a block", "GB/s in kernels", ("backend", "length"),
         log_x=True),
    Plot("bm_acc", "Boyer-Moore: degree of cascading", "bm_acc", {}, "degree", "kernel_GBps",
         "degree of cascading", "GB/s in kernels", ("backend", "length"), log_x=True),
)


def literal(bench: Bench, text: Input, size: int) -> Dict:
    return plan("bm", stretches(text.data, 1, size, size, bench.seed + size))


def speedup_cell(bench: Bench, table: Table, text: Input, name: str, size: int) -> None:
    bm, cpus = literal(bench, text, size), bench.cpus
    cell = Cell(bench, table, text, length=str(size), text=name)
    cell.add(bm, "serial", {"form": "serial"})
    for form, threads, schedule, chunks in (("static", cpus, STATIC, cpus),
                                            ("dynamic", cpus, DYNAMIC, CHUNKS),
                                            ("2x", 2 * cpus, DYNAMIC, CHUNKS),
                                            ("4x", 4 * cpus, DYNAMIC, CHUNKS)):
        cell.add(bm, "threads", {"form": form}, threads=threads, schedule=schedule, chunks=chunks)
    for device in bench.devices:
        cell.add(bm, device, {"form": "device"})
    cell.run()


def tuning(blocks: int, threads: int, degree: int) -> str:
    return f"blocks={blocks},group={threads},chars={BYTES_A_THREAD},cascade={degree},staged=1"


def device_cells(bench: Bench, pairs: Table, acc: Table, text: Input, size: int) -> None:
    """Devices only, with a serial row to compare with."""
    bm, threads = literal(bench, text, size), 128
    cell = Cell(bench, pairs, text, length=str(size))
    cell.add(bm, "serial")
    for device in bench.devices:
        for blocks in (16, 8, 4, 2):
            cell.add(bm, device, {"blocks": str(blocks), "threads": str(2048 // blocks)},
                     tuning(blocks, 2048 // blocks, 1))
    cell.run()
    cell = Cell(bench, acc, text, length=str(size))
    cell.add(bm, "serial")
    for device in bench.devices:
        for degree in (1, 8, 64) if bench.quick else (1, 2, 4, 8, 16, 32, 64):
            blocks = -(-text.length // (threads * BYTES_A_THREAD * degree))
            keys = {"degree": str(degree),
                    "searched_twice": str(degree * blocks * (threads - 1) * (size - 1)),
                    "copied_twice": str((blocks - 1) * (size - 1))}
            cell.add(bm, device, keys, tuning(16, threads, degree))
    cell.run()


def threads_findings(bench: Bench, table: Table) -> List[Finding]:
    found, frame = [], table.frame()
    for form, what, theirs in (
            ("static", "static schedule over serial", "10x, 12 Xeon cores"),
            ("dynamic", "dynamic schedule, 1000 chunks, over serial", "11x, 12 Xeon cores"),
            ("2x", "twice as many threads as cores", "mean 14.75x, best 17.14x, over 80 Gbit/s: "
             "180 threads, 60 cores (Xeon Phi)"),
            ("4x", "four times as many threads as cores", "240 threads were slower than 180")):
        where = {"text": "source", "backend": "threads", "form": form}
        speedup = figures(frame, "speedup", **where)
        rate = figures(frame, "end_to_end_GBps", **where)
        if len(speedup):
            found.append((what, theirs, f"mean {speedup.mean():.2f}x, best {speedup.max():.2f}x, "
                          f"up to {8 * rate.max():.1f} Gbit/s, {bench.cpus} cores"))
    return found


def device_findings(speedup: Table, pairs: Table, acc: Table, device: str) -> List[Finding]:
    frame = speedup.frame()
    kernel, whole, rate = (figures(frame, column, text="source", backend=device)
                           for column in ("kernel_speedup", "speedup", "kernel_GBps"))
    if not len(kernel):
        return []
    found = [(f"{device} over serial", "mean 33x, best 47x (Tesla K20, ACC)",
              f"kernels mean {kernel.mean():.1f}x, best {kernel.max():.1f}x, up to "
              f"{rate.max():.0f} GB/s; end to end mean {whole.mean():.2f}x, best "
              f"{whole.max():.2f}x")]
    one, most = (figures(acc.frame(), "kernel_GBps", backend=device, degree=degree)
                 for degree in (1, 64))
    if len(one) and len(most):
        found.append((f"{device}: cascading 64 over 1, in kernels", "30% faster",
                      f"{100 * (most.mean() / one.mean() - 1):+.0f}% (mean of the lengths)"))
    means = {blocks: figures(pairs.frame(), "kernel_GBps", backend=device, blocks=blocks).mean()
             for blocks in (16, 8, 4, 2)}
    best = max(means, key=lambda blocks: means[blocks] if means[blocks] > 0 else 0)
    if means[best] > 0:
        found.append((f"{device}: best (blocks, threads)", "(16, 128)",
                      f"({best}, {2048 // best}), {means[best]:.0f} GB/s in kernels"))
    return found


def run(bench: Bench) -> List[Finding]:
    speedup, pairs, acc = TABLES
    length = bench.size(1 << 20, 64 << 20, 256 << 20)
    data, what = make_text(bench, length)
    text, genome = Input(bench, "text", data), make_genome(bench, length)
    for size in range(5, 51, 15 if bench.quick else 5):
        speedup_cell(bench, speedup, text, "source", size)
    if genome:
        sequence = Input(bench, "genome", genome)
        for size in range(5, 51, 15):
            speedup_cell(bench, speedup, sequence, "genome", size)
    for size in (50,) if bench.quick else (50, 5, 25):
        device_cells(bench, pairs, acc, text, size)
    found = [("text", "not said; about 4 GB on the GPU", f"{length / 1e6:.0f} MB: {what}"),
             ("bytes read twice, 1000 chunks: (chunks - 1) * (length - 1)",
              "3,996 for length 5, 48,951 for length 50",
              f"{(CHUNKS - 1) * 4} and {(CHUNKS - 1) * 49} by that formula"),
             ("bytes searched twice, degree 64, length 50, 21,730 blocks", "8,654,450,560",
              f"{64 * 21730 * 127 * 49} by degree * blocks * (threads - 1) * (length - 1)")]
    found += threads_findings(bench, speedup)
    for device in bench.devices:
        found += device_findings(speedup, pairs, acc, device)
    return found


PAPER = Paper(
    "bm", "Boyer-Moore on many cores and GPUs",
    "The text is cut into chunks, each of which reads length - 1 bytes of its neighbour. Static "
    "scheduling deals out as many chunks as threads, dynamic scheduling has 1000. 12 Xeon cores: "
    "10x static, 11x dynamic over serial. Xeon Phi, 180 threads on 60 cores: mean 14.75x, best "
    "17.14x, over 80 Gbit/s. Tesla K20 with algorithmic cascading: mean 33x, best 47x, of which "
    "cascading is worth 30%; 16 blocks of 128 threads and degree 64 were best.",
    TABLES, PLOTS, run)
