"""pfac.py: "PFAC on embedded GPUs with OpenCL, and energy": options, threads, joules.

The paper varies one option after the other: how data gets to the device, local memory, the work
group, the characters a work item takes. The cross goes through all tables' places. The serial
reference is Aho-Corasick with failure links.
"""
from __future__ import annotations

from itertools import product
from random import Random
from typing import Dict, List, Optional

import pandas as pd

from .inputs import make_text, plan, rules, trie_states
from .measure import Bench, Cell, Input, Row, readable
from .table import Finding, Paper, Plot, Table, finding, numbers

# Literals of 22 bytes and more have about as many states as the paper's set.
PATTERNS, LONG, SHORT, LONGEST, PLANTED_EVERY = 1000, 22, 5, 128, 8192

OPTIONS, CROSS, THREADS, RATES, ENERGY = TABLES = (
    Table("pfac_options", "Options, one after the other",
          "The rows of the paper's two tables, and its times of the whole for 10 MB on an Adreno "
          "330 and a Mali-T604.", ("data", "local", "group", "chars", "adreno_ms", "mali_ms")),
    Table("pfac_cross", "Where text and tables are",
          "Text staged through local memory, the trie's first row there, tables through the "
          "texture path, starts filtered by a bitmap of prefixes: all combinations.",
          ("staged", "row", "texture", "filter")),
    Table("pfac_threads", "Threads",
          "PFAC and Aho-Corasick on 1 to 4 threads and on all, with the paper's PFAC on the four "
          "cores of the Sony phone.", ("threads", "sony_ms")),
    Table("pfac_rates", "Two sets, two texts",
          "Devices with what Trawl chooses, without the filter, and with Aho-Corasick, on 1000 "
          "literals like the paper's, one of them put into every 8 KiB of the text, and on 1000 of "
          "all lengths from 5 bytes. The serial rows see the first part of a large text only.",
          ("literals", "form")),
    Table("pfac_energy", "Energy",
          "The scan again and again for 1.5 s. Nothing is subtracted; watts while nothing runs "
          "stand beside it. The GPU's meter is NVML's, the CPU's is RAPL's.",
          ("gpu_J_per_GB", "cpu_J_per_GB", "watts", "idle_watts_gpu", "idle_watts_cpu")),
)

PLOTS = (
    Plot("pfac_chars", "PFAC: characters a work item takes (mapped, group 256)", "pfac_options",
         {"data": "mapped", "local": "no", "group": 256}, "chars", "kernel_GBps", "characters",
         "GB/s in kernels", ("backend",)),
    Plot("pfac_group", "PFAC: work group (mapped, one character)", "pfac_options",
         {"data": "mapped", "local": "no", "chars": 1}, "group", "kernel_GBps",
         "work items of a group", "GB/s in kernels", ("backend",), "x"),
    Plot("pfac_threads", "PFAC and Aho-Corasick on threads", "pfac_threads", {}, "threads",
         "speedup", "threads", "times serial Aho-Corasick", ("engine",)),
)

# mapped, local, group, characters, and the paper's times
TRIED = ((0, 1, 128, 1, "492", "446"), (1, 1, 128, 1, "242", "392"), (1, 0, 128, 1, "184", "247"),
         (1, 0, 64, 1, "202", "252"), (1, 0, 256, 1, "174", "240"), (1, 0, 512, 1, "", ""),
         (1, 0, 256, 4, "133", "211"), (1, 0, 256, 8, "114", "201"), (1, 0, 256, 12, "236", "198"),
         (1, 0, 256, 16, "232", "194"), (0, 0, 256, 16, "", ""))


def plant(text: bytes, literals: List[bytes], seed: int) -> bytes:
    """Literals of rules hardly occur in peaceful texts: one is put into every 8 KiB."""
    planted, random = bytearray(text), Random(seed)
    for at in range(0, len(text) - PLANTED_EVERY + 1, PLANTED_EVERY):
        literal = random.choice(literals)
        start = at + random.randrange(PLANTED_EVERY - len(literal))
        planted[start:start + len(literal)] = literal
    return planted


class Task:
    """A text and literals for the two engines. The paper's speedups are over serial AC."""

    def __init__(self, bench: Bench, name: str, data: bytes, literals: List[bytes]) -> None:
        self.bench, self.text = bench, Input(bench, name, data)
        self.pfac, self.ac = plan("pfac", literals), plan("ac", literals)

    def cell(self, table: Table, **keys) -> Cell:
        return Cell(self.bench, table, self.text, base="ac", **keys)

    def begun(self, table: Table) -> Cell:
        cell = self.cell(table)
        cell.add(self.ac, "serial")
        cell.add(self.pfac, "serial")
        return cell

    def options(self) -> None:
        cell = self.begun(OPTIONS)
        for device in self.bench.devices:
            for mapped, local, group, chars, adreno, mali in TRIED:
                if not self.bench.quick or group <= 128 or chars == 8:
                    cell.add(self.pfac, device, f"mapped={mapped},staged={local},group={group},"
                             f"chars={chars},filter=0", data="mapped" if mapped else "copied",
                             local="yes" if local else "no", group=group, chars=chars,
                             adreno_ms=adreno, mali_ms=mali)
            cell.add(self.pfac, device, data="chosen")
        cell.run()

    def cross(self) -> None:
        cell = self.begun(CROSS)
        for device in self.bench.devices:
            for bits in product((0, 1), repeat=4):
                keys = dict(zip(("staged", "row", "texture", "filter"), reversed(bits)))
                if not self.bench.quick or sum(bits) in (0, 1, 4):  # none, each alone, and all
                    tuning = ",".join(f"{key}={on}" for key, on in keys.items())
                    cell.add(self.pfac, device, f"{tuning},group=128", **keys)
        cell.run()

    def threads(self) -> None:
        cell, cpus = self.begun(THREADS), self.bench.cpus
        times = {1: "348", 2: "175", 3: "118", 4: "89"}
        for count in [*times] + [cpus] * (cpus > 4):
            options = {"threads": count}
            cell.add(self.pfac, "threads", "", options, threads=count, sony_ms=times.get(count, ""))
            cell.add(self.ac, "threads", "", options, threads=count)
        cell.run()

    def rates(self, literals: str) -> None:
        part = min(self.text.length, 32 << 20)
        cell, form = self.cell(RATES, literals=literals), "first part"
        for engine in (self.pfac, self.ac):
            cell.add(engine, "serial", "", {"length": part},
                     form=form if part < self.text.length else "")
            cell.add(engine, "threads")
        for device in self.bench.devices:
            cell.add(self.pfac, device, form="chosen")
            cell.add(self.pfac, device, "filter=0", form="no filter")
            cell.add(self.pfac, device, "filter=0,staged=1,row=1", form="staged, first row local")
            cell.add(self.ac, device, form="chosen")
        cell.run()

    def energy(self, idle: Dict) -> None:
        cell = self.begun(ENERGY)
        cell.add(self.pfac, "threads")
        cell.add(self.ac, "threads")
        for device in self.bench.devices:
            best = fastest(device)
            if best is not None:
                cell.add(self.pfac, device, best.tuning)
        for row in cell.rows:
            row.request["energy"] = 0.2 if self.bench.quick else 1.5

        def joules(row: Row) -> None:
            of = row.result.get("joules")
            row.keys.update(idle_watts_gpu=readable(idle["gpu"]),
                            idle_watts_cpu=readable(idle["cpu"]))
            if of:
                row.keys.update(gpu_J_per_GB=readable(of["gpu"], 1e9),
                                cpu_J_per_GB=readable(of["cpu"], 1e9))
                if row.joules():
                    row.keys["watts"] = f"{row.joules() / of['seconds']:.4g}"

        cell.run(joules)


def fastest(device: str) -> Optional[pd.Series]:
    frame = OPTIONS.frame(backend=device)
    times = numbers(frame, "end_to_end_s")
    return frame.loc[times.idxmin()] if len(times) else None


# ---- the summary -----------------------------------------------------------------


def milliseconds(seconds: str) -> str:
    return f"{1e3 * float(seconds or 0):.3g} ms"


def device_findings(device: str) -> List[Finding]:
    best, rows = fastest(device), OPTIONS.frame(backend=device)
    if best is None:
        return []
    first = rows[rows["end_to_end_s"] != ""].iloc[0]
    found = [(f"{device}: copied, local memory, group 128, one character",
              "492 ms, 2.1x (Adreno 330); 446 ms, 4.7x (Mali-T604)",
              f"{milliseconds(first.end_to_end_s)}, {float(first.speedup or 0):.2f}x serial "
              f"Aho-Corasick; kernels {milliseconds(first.kernel_s)}"),
             (f"{device}: best of the options, end to end",
              "114 ms, 9.2x: mapped, no local memory, 256, 8 characters (Adreno); 194 ms, 10.8x: "
              "16 characters (Mali)",
              f"{milliseconds(best.end_to_end_s)}, {float(best.speedup or 0):.2f}x: "
              f"{best.tuning or 'as chosen by Trawl'}; kernels {milliseconds(best.kernel_s)}")]
    for least in (SHORT, LONG):
        found += finding(RATES, f"{device}: best rates, literals from {least} bytes",
                         "0.088 GB/s end to end (Adreno 330)", "kernels {kernel_GBps.most:.4g} "
                         "GB/s; end to end {end_to_end_GBps.most:.4g} GB/s",
                         backend=device, engine="pfac", literals=f"{least}-{LONGEST}")
    return found


def energy_findings(idle: Dict) -> List[Finding]:
    found = []
    for of, meter in (("gpu", "the GPU's"), ("cpu", "the CPU's")):
        if idle[of] is None:
            found.append((f"{meter} meter", "an oscilloscope on the board's supply",
                          f"not readable here: {idle['why_' + of]}"))
        else:
            found.append((f"{meter} power when idle", "-", f"{idle[of]:.1f} W (not subtracted)"))
    frame = ENERGY.frame()
    serial = numbers(frame[frame["backend"] == "serial"].head(1), "joules_per_byte")
    for row in frame[frame["end_to_end_s"] != ""].itertuples():
        ours, joules = "not readable here", pd.to_numeric(row.joules_per_byte, errors="coerce")
        if joules >= 0:
            ours = f"{1e9 * joules:.3g} J/GB" + (
                f", {serial.iloc[0] / joules:.2f}x better than serial Aho-Corasick"
                if len(serial) else "; the serial row cannot be read here")
        found.append((f"energy: {row.engine} on {row.backend}",
                      "15.1x better than a core (Adreno), 9.5x (Mali)", ours))
    return found


def run(bench: Bench) -> List[Finding]:
    data, what = make_text(bench, bench.size(1 << 20, 10000000, 10000000))
    long, which = rules(bench, data, PATTERNS, LONG, LONGEST)
    task, idle = Task(bench, "text", plant(data, long, bench.seed), long), bench.idle()
    task.options()
    task.cross()
    task.threads()
    short, _ = rules(bench, task.text.data, PATTERNS, SHORT, LONGEST)
    for length in [len(data)] + [bench.large] * (bench.large > len(data)):
        text, _ = make_text(bench, length)
        Task(bench, "rates", text, short).rates(f"{SHORT}-{LONGEST}")
        Task(bench, "rates", plant(text, long, bench.seed), long).rates(f"{LONG}-{LONGEST}")
    task.energy(idle)
    found = [("patterns", "1000 of Snort, up to 128 characters, 27,570 states",
              f"{len(long)} {which}, up to {LONGEST}, {trie_states(long)} states"),
             ("text", "10 MB", f"{len(data) / 1e6:.1f} MB: {what}, with a pattern put into every "
              "8 KiB")]
    times = [THREADS.figures("end_to_end_s", backend="threads", engine="pfac", threads=n)
             for n in (1, 2, 3, 4)]
    if any(map(len, times)):
        ours = ", ".join(f"{1e3 * of.mean():.1f}" for of in times if len(of))
        found.append(("PFAC on 1, 2, 3, 4 threads", "348, 175, 118, 89 ms (Sony phone)",
                      f"{ours} ms, {bench.cpus} cores"))
    for device in bench.devices:
        found += device_findings(device)
    return found + energy_findings(idle)


PAPER = Paper(
    "pfac", "PFAC on embedded GPUs with OpenCL, and energy",
    "A work item starts at every character and walks the trie until there is no transition. 1000 "
    "Snort patterns, 10 MB of text. Adreno 330: copied buffers and local memory 492 ms, 2.1x over "
    "one core; mapped 242 ms; without local memory 184 ms; groups of 256 174 ms; 8 characters a "
    "work item 114 ms, 9.2x, 15.1x less energy. Mali-T604: 446 ms to 194 ms, 10.8x, 9.5x less "
    "energy. Four cores of the phone: 89 ms.",
    TABLES, PLOTS, run)
