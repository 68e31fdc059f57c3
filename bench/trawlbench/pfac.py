"""pfac.py: "PFAC on embedded GPUs with OpenCL, and energy": options, threads, joules.

The paper varies one option after the other: how data gets to the device, local memory, the work
group, the characters a work item takes. The cross goes through all tables' places. The serial
reference is Aho-Corasick with failure links.
"""
from __future__ import annotations

from itertools import product
from typing import Dict, List, Optional

import pandas as pd

from .inputs import Random, make_text, plan, rules, trie_states
from .measure import Bench, Cell, Input, Row
from .table import Finding, Paper, Plot, Table, figures, select

# Literals of 22 bytes and more have about as many states as the paper's set.
PATTERNS, LONG, SHORT, LONGEST, PLANTED_EVERY = 1000, 22, 5, 128, 8192

TABLES = (
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
          "all lengths from 5 bytes. Of a large text the serial rows see the first part only.",
          ("literals", "form")),
    Table("pfac_energy", "Energy",
          "The scan again and again for 1.5 s. Nothing is subtracted; watts while nothing runs "
          "stand beside it. The GPU's meter is NVML's, the CPU's is RAPL's.",
          ("gpu_J_per_GB", "cpu_J_per_GB", "watts", "idle_watts_gpu", "idle_watts_cpu")),
)

PLOTS = (
    Plot("pfac_chars", "PFAC: characters a work item takes (mapped, group 256)", "pfac_options",
         {"data": "mapped", "local": "no", "group": "256"}, "chars", "kernel_GBps", "characters",
         "GB/s in kernels", ("backend",)),
    Plot("pfac_group", "PFAC: work group (mapped, one character)", "pfac_options",
         {"data": "mapped", "local": "no", "chars": "1"}, "group", "kernel_GBps",
         "work items of a group", "GB/s in kernels", ("backend",), log_x=True),
    Plot("pfac_threads", "PFAC and Aho-Corasick on threads", "pfac_threads", {}, "threads",
         "speedup", "threads", "times serial Aho-Corasick", ("engine",)),
)

# mapped, local, group, characters, and the paper's times
OPTIONS = ((0, 1, 128, 1, "492", "446"), (1, 1, 128, 1, "242", "392"), (1, 0, 128, 1, "184", "247"),
           (1, 0, 64, 1, "202", "252"), (1, 0, 256, 1, "174", "240"), (1, 0, 512, 1, "", ""),
           (1, 0, 256, 4, "133", "211"), (1, 0, 256, 8, "114", "201"),
           (1, 0, 256, 12, "236", "198"), (1, 0, 256, 16, "232", "194"), (0, 0, 256, 16, "", ""))


def plant(text: bytes, literals: List[bytes], seed: int) -> bytes:
    """Literals of rules hardly occur in peaceful texts: one is put into every 8 KiB."""
    planted, below = bytearray(text), Random(seed).below
    for at in range(0, len(text) - PLANTED_EVERY + 1, PLANTED_EVERY):
        literal = literals[below(len(literals))]
        start = at + below(PLANTED_EVERY - len(literal))
        planted[start:start + len(literal)] = literal
    return planted


class Plans:
    """A set of literals for the two engines."""

    def __init__(self, literals: List[bytes]) -> None:
        self.pfac, self.ac = plan("pfac", literals), plan("ac", literals)

    def cell(self, bench: Bench, table: Table, text: Input) -> Cell:
        """The paper's speedups are over serial Aho-Corasick."""
        cell = Cell(bench, table, text, base="ac")
        cell.add(self.ac, "serial")
        cell.add(self.pfac, "serial")
        return cell


def options_cell(bench: Bench, table: Table, text: Input, plans: Plans) -> None:
    cell = plans.cell(bench, table, text)
    for device in bench.devices:
        for mapped, local, group, chars, adreno, mali in OPTIONS:
            if bench.quick and group > 128 and chars != 8:
                continue
            keys = {"data": "mapped" if mapped else "copied", "local": "yes" if local else "no",
                    "group": str(group), "chars": str(chars), "adreno_ms": adreno, "mali_ms": mali}
            cell.add(plans.pfac, device, keys,
                     f"mapped={mapped},staged={local},group={group},chars={chars},filter=0")
        cell.add(plans.pfac, device, {"data": "chosen"})
    cell.run()


def cross_cell(bench: Bench, table: Table, text: Input, plans: Plans) -> None:
    cell = plans.cell(bench, table, text)
    for device in bench.devices:
        for of in product((0, 1), repeat=4):
            filtered, texture, row, staged = of
            # A quick trial takes none, each alone, and all.
            if not bench.quick or sum(of) in (0, 1, 4):
                cell.add(plans.pfac, device,
                         {"staged": str(staged), "row": str(row), "texture": str(texture),
                          "filter": str(filtered)},
                         f"staged={staged},row={row},texture={texture},filter={filtered},group=128")
    cell.run()


def threads_cell(bench: Bench, table: Table, text: Input, plans: Plans) -> None:
    cell = plans.cell(bench, table, text)
    times = {1: "348", 2: "175", 3: "118", 4: "89"}
    for threads in [*times] + [bench.cpus] * (bench.cpus > 4):
        cell.add(plans.pfac, "threads", {"threads": str(threads), "sony_ms": times.get(threads, "")},
                 threads=threads)
        cell.add(plans.ac, "threads", {"threads": str(threads)}, threads=threads)
    cell.run()


def rates_cell(bench: Bench, table: Table, name: str, literals: List[bytes], text: Input) -> None:
    """One set of literals on one text."""
    part = min(text.length, 32 << 20)
    plans = Plans(literals)
    cell = Cell(bench, table, text, base="ac", literals=name)
    for engine in (plans.pfac, plans.ac):
        cell.add(engine, "serial", {"form": "first part" if part < text.length else ""},
                 length=part)
        cell.add(engine, "threads")
    for device in bench.devices:
        for engine, tuning, form in ((plans.pfac, "", "chosen"),
                                     (plans.pfac, "filter=0", "no filter"),
                                     (plans.pfac, "filter=0,staged=1,row=1",
                                      "staged, first row local"),
                                     (plans.ac, "", "chosen")):
            cell.add(engine, device, {"form": form}, tuning)
    cell.run()


def fastest(table: Table, device: str) -> Optional[pd.Series]:
    frame = select(table.frame(), backend=device)
    times = pd.to_numeric(frame["end_to_end_s"]).dropna()
    return frame.loc[times.idxmin()] if len(times) else None


def readable(value: Optional[float], scale: float = 1) -> str:
    return "not readable here" if value is None else f"{scale * value:.4g}"


def energy_cell(bench: Bench, table: Table, tried: Table, text: Input, plans: Plans,
                idle: Dict) -> None:
    least = 0.2 if bench.quick else 1.5
    cell = plans.cell(bench, table, text)
    cell.add(plans.pfac, "threads")
    cell.add(plans.ac, "threads")
    for device in bench.devices:
        best = fastest(tried, device)
        if best is not None:
            cell.add(plans.pfac, device, tuning=best["tuning"])
    for row in cell.rows:
        row.request["energy"] = least

    def joules(row: Row) -> Dict[str, str]:
        keys = {"idle_watts_gpu": readable(idle["gpu"]), "idle_watts_cpu": readable(idle["cpu"])}
        of = row.result.get("joules")
        if of:
            keys.update(gpu_J_per_GB=readable(of["gpu"], 1e9), cpu_J_per_GB=readable(of["cpu"], 1e9))
            if row.joules():
                keys["watts"] = f"{row.joules() / of['seconds']:.4g}"
        return keys

    cell.run(joules)


# ---- the summary -----------------------------------------------------------------


def device_findings(options: Table, rates: Table, device: str) -> List[Finding]:
    best, rows = fastest(options, device), select(options.frame(), backend=device)
    rows = rows[rows["end_to_end_s"] != ""]
    if best is None or not len(rows):
        return []

    def milliseconds(row: pd.Series, column: str) -> str:
        return f"{1e3 * float(row[column] or 0):.3g} ms"

    first = rows.iloc[0]
    found = [(f"{device}: copied, local memory, group 128, one character",
              "492 ms, 2.1x (Adreno 330); 446 ms, 4.7x (Mali-T604)",
              f"{milliseconds(first, 'end_to_end_s')}, {float(first['speedup'] or 0):.2f}x serial "
              f"Aho-Corasick; kernels {milliseconds(first, 'kernel_s')}"),
             (f"{device}: best of the options, end to end",
              "114 ms, 9.2x: mapped, no local memory, 256, 8 characters (Adreno); 194 ms, 10.8x: "
              "16 characters (Mali)",
              f"{milliseconds(best, 'end_to_end_s')}, {float(best['speedup'] or 0):.2f}x: "
              f"{best['tuning'] or 'as chosen by Trawl'}; kernels "
              f"{milliseconds(best, 'kernel_s')}")]
    for least in (SHORT, LONG):
        kernel, whole = (figures(rates.frame(), column, backend=device, engine="pfac",
                                 literals=f"{least}-{LONGEST}")
                         for column in ("kernel_GBps", "end_to_end_GBps"))
        if len(whole):
            found.append((f"{device}: best rates, literals from {least} bytes",
                          "0.088 GB/s end to end (Adreno 330)",
                          f"kernels {kernel.max() if len(kernel) else 0:.4g} GB/s; end to end "
                          f"{whole.max():.4g} GB/s"))
    return found


def energy_findings(table: Table, idle: Dict) -> List[Finding]:
    found = []
    for of, meter in (("gpu", "the GPU's"), ("cpu", "the CPU's")):
        if idle[of] is None:
            found.append((f"{meter} meter", "an oscilloscope on the board's supply",
                          f"not readable here: {idle['why_' + of]}"))
        else:
            found.append((f"{meter} power when idle", "-", f"{idle[of]:.1f} W (not subtracted)"))
    serial = None
    for _, row in select(table.frame()).iterrows():
        if row["end_to_end_s"] == "":
            continue
        joules = pd.to_numeric(row["joules_per_byte"], errors="coerce")
        if row["backend"] == "serial" and serial is None:
            serial = joules
        ours = "not readable here"
        if joules >= 0:
            ours = f"{1e9 * joules:.3g} J/GB" + (
                f", {serial / joules:.2f}x better than serial Aho-Corasick"
                if serial is not None and serial > 0 else "; the serial row cannot be read here")
        found.append((f"energy: {row['engine']} on {row['backend']}",
                      "15.1x better than a core (Adreno), 9.5x (Mali)", ours))
    return found


def run(bench: Bench) -> List[Finding]:
    options, cross, threads, rates, energy = TABLES
    data, what = make_text(bench, bench.size(1 << 20, 10000000, 10000000))
    long, which = rules(bench, data, PATTERNS, LONG, LONGEST)
    planted = plant(data, long, bench.seed)
    plans, text = Plans(long), Input(bench, "text", planted)
    idle = bench.idle(0.2 if bench.quick else 1.5)
    options_cell(bench, options, text, plans)
    cross_cell(bench, cross, text, plans)
    threads_cell(bench, threads, text, plans)
    short, _ = rules(bench, planted, PATTERNS, SHORT, LONGEST)
    for length in [text.length] + [bench.large] * (bench.large > text.length):
        data, _ = make_text(bench, length)
        rates_cell(bench, rates, f"{SHORT}-{LONGEST}", short, Input(bench, "rates", data))
        data = plant(data, long, bench.seed)
        rates_cell(bench, rates, f"{LONG}-{LONGEST}", long, Input(bench, "rates", data))
    energy_cell(bench, energy, options, text, plans, idle)
    found = [("patterns", "1000 of Snort, up to 128 characters, 27,570 states",
              f"{len(long)} {which}, up to {LONGEST}, {trie_states(long)} states"),
             ("text", "10 MB", f"{text.length / 1e6:.1f} MB: {what}, with a pattern put into every "
              "8 KiB")]
    times = [figures(threads.frame(), "end_to_end_s", backend="threads", engine="pfac", threads=n)
             for n in (1, 2, 3, 4)]
    if any(map(len, times)):
        ours = ", ".join(f"{1e3 * of.mean():.1f}" for of in times if len(of))
        found.append(("PFAC on 1, 2, 3, 4 threads", "348, 175, 118, 89 ms (Sony phone)",
                      f"{ours} ms, {bench.cpus} cores"))
    for device in bench.devices:
        found += device_findings(options, rates, device)
    return found + energy_findings(energy, idle)


PAPER = Paper(
    "pfac", "PFAC on embedded GPUs with OpenCL, and energy",
    "A work item starts at every character and walks the trie until there is no transition. 1000 "
    "Snort patterns, 10 MB of text. Adreno 330: copied buffers and local memory 492 ms, 2.1x over "
    "one core; mapped 242 ms; without local memory 184 ms; groups of 256 174 ms; 8 characters a "
    "work item 114 ms, 9.2x, 15.1x less energy. Mali-T604: 446 ms to 194 ms, 10.8x, 9.5x less "
    "energy. Four cores of the phone: 89 ms.",
    TABLES, PLOTS, run)
