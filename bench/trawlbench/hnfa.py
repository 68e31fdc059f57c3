"""hnfa.py: "Extended strings on the GPU": the exchange between the modules of RunHNFA.

The unit of work is a word step: one byte of text for one word of 64 states of one pattern. Each
cell's text is as long as a budget of word steps allows.
"""
from __future__ import annotations

from collections import Counter
from typing import Dict, List

from .inputs import extended, make_text
from .measure import Bench, Cell, Input, Row
from .table import Finding, Paper, Plot, Table, figures, select

MOST_CHECKED, MOST_COMPILED, MOST_ON_CPU = 1 << 20, 1 << 22, 1 << 16
PART, SERIAL_STEPS, MODULE = 4096, 50000000, 64  # serial word steps a second, at least
TOO_LARGE = "more than 4,194,304 states: the tables would take gigabytes"
TOO_SLOW = "more than 65,536 states: too slow without a GPU"
EXCHANGES = ("atomic", "relay", "ballot")

TABLES = (
    Table("hnfa_exchange", "Atomic, relay and ballot",
          "Patterns of m states with classes, optional elements and repeats, each derived from a "
          "stretch of the text. Word steps are bytes times patterns times words of 64 states. Of "
          "more than 1,048,576 states the serial row sees the first 4 KiB at most.",
          ("states", "patterns", "exchange", "Gwordsteps_per_s")),
    Table("hnfa_shiftand", "Extended SHIFT-AND",
          "One word where the states fit into 64 bits, else many.",
          ("states", "patterns", "words", "Gwordsteps_per_s")),
)


def exchange_plot(name: str, title: str, where: Dict[str, str], x: str) -> Plot:
    return Plot(name, f"RunHNFA, {title}: 10^9 word steps a second", "hnfa_exchange", where, x,
                "Gwordsteps_per_s", x, "10^9 word steps/s", ("backend", "exchange"), True, True)


PLOTS = (
    Plot("hnfa_exchange_1", "RunHNFA, one pattern: rate in kernels", "hnfa_exchange",
         {"patterns": "1"}, "states", "kernel_GBps", "states", "GB/s", ("backend", "exchange"),
         True, True),
    exchange_plot("hnfa_exchange_256", "256 patterns", {"patterns": "256"}, "states"),
    exchange_plot("hnfa_exchange_m256", "256 states", {"states": "256"}, "patterns"),
    exchange_plot("hnfa_exchange_m1024", "1024 states", {"states": "1024"}, "patterns"),
    Plot("hnfa_shiftand", "SHIFT-AND: 10^9 word steps a second", "hnfa_shiftand", {}, "words",
         "Gwordsteps_per_s", "words of 64 states", "10^9 word steps/s", ("backend",), True, True),
)


def between(least: int, value: int, most: int) -> int:
    return most if value > most else max(value, least)


def cell_length(bench: Bench, words: int) -> int:
    budget = bench.size(8000000, 60000000, 1000000000)
    return between(bench.size(16 << 10, 32 << 10, 64 << 10), budget // words,
                   bench.size(256 << 10, 1 << 20, 16 << 20))


def serial_length(bench: Bench, words: int, length: int) -> int:
    budget = bench.size(8000000, 60000000, 30000000)
    return between(min(length, PART), budget // words, length)


def part_length(bench: Bench, words: int) -> int:
    """A check of a very large set: the first bytes, in a run and in counting no longer than
    --seconds allows; so many that some patterns end there."""
    return between(1, int(bench.seconds * SERIAL_STEPS) // words, PART)


def steps(words: int):
    """Word steps a second of the kernels, once they are measured."""
    def rate(row: Row) -> Dict[str, str]:
        return {"Gwordsteps_per_s": f"{row.length * words / row.kernel / 1e9:.4g}"
                } if row.kernel > 0 else {}
    return rate


def exchange_cell(bench: Bench, table: Table, text: bytes, states: int, patterns: int) -> None:
    words, size = patterns * -(-states // 64), states * patterns
    keys = {"states": str(states), "patterns": str(patterns)}
    if size > MOST_COMPILED or (size > MOST_ON_CPU and not bench.has_gpu):
        why = TOO_LARGE if size > MOST_COMPILED else TOO_SLOW
        Cell(bench, table, Input(bench, "part", b""), **keys).skip("hnfa", why)
        return
    part = Input(bench, "part", text[:cell_length(bench, words)])
    cell = Cell(bench, table, part, part=1 / 2, **keys)  # 56 such cells
    plan = extended("hnfa", part.data, patterns, states, bench.seed + states)
    checked = size <= MOST_CHECKED
    cell.add(plan, "serial", {"exchange": "serial"},
             length=serial_length(bench, words, part.length) if checked
             else part_length(bench, words))
    if checked:
        cell.add(plan, "threads", {"exchange": "threads"})
    for device in bench.devices:
        for exchange in EXCHANGES:
            cell.add(plan, device, {"exchange": exchange}, f"exchange={exchange}",
                     note="one module: nothing to exchange" if states <= MODULE else "")
    cell.run(steps(words))


def shiftand_cell(bench: Bench, table: Table, text: bytes, states: int, patterns: int) -> None:
    words = -(-states * patterns // 64)
    part = Input(bench, "part", text[:cell_length(bench, words)])
    cell = Cell(bench, table, part, states=str(states), patterns=str(patterns), words=str(words))
    plan = extended("shiftand", part.data, patterns, states, bench.seed + states)
    cell.add(plan, "serial", length=serial_length(bench, words, part.length))
    for backend in ["threads", *bench.devices]:
        cell.add(plan, backend)
    cell.run(steps(words))


# ---- the summary -----------------------------------------------------------------


def winner(rates: List[float]) -> str:
    """The exchange that is faster than all others by 3% in a cell; "" when there are no two."""
    second, best = sorted(rates)[-2:]
    if second <= 0:
        return ""
    return EXCHANGES[rates.index(best)] if best >= 1.03 * second else "even"


def exchange_findings(table: Table, device: str) -> List[Finding]:
    frame = select(table.frame(), backend=device)
    wins, most = Counter(), dict.fromkeys(EXCHANGES, 0.0)
    for (states, _), group in frame.groupby(["states", "patterns"]):
        if int(states) <= MODULE:
            continue
        rates = [figures(group, "Gwordsteps_per_s", exchange=of).max() for of in EXCHANGES]
        rates = [rate if rate > 0 else 0 for rate in rates]
        most = {of: max(most[of], rate) for of, rate in zip(EXCHANGES, rates)}
        wins[winner(rates)] += 1
    if not sum(wins.values()) - wins[""]:
        return []
    return [(f"{device}: which exchange is fastest, from two modules on",
             "the relay should beat atomics; the proof on hardware is left open",
             f"atomic in {wins['atomic']} cells, relay in {wins['relay']}, ballot in "
             f"{wins['ballot']}, even (within 3%) in {wins['even']}; at best {most['atomic']:.3g}, "
             f"{most['relay']:.3g} and {most['ballot']:.3g} billion word steps a second")]


def run(bench: Bench) -> List[Finding]:
    exchange, shiftand = TABLES
    text, what = make_text(bench, bench.size(256 << 10, 1 << 20, 16 << 20))
    for patterns in (1, 16) if bench.quick else (1, 16, 4, 64, 256, 1024, 4096):
        for states in (32, 128) if bench.quick else (32, 64, 128, 256, 512, 1024, 2048, 4096):
            exchange_cell(bench, exchange, text, states, patterns)
    single = ((32, 1), (64, 1), (256, 1), (1024, 1), (32, 16), (32, 256), (32, 1024))
    for states, patterns in single[::2] if bench.quick else single:
        shiftand_cell(bench, shiftand, text, states, patterns)
    found = [("text", "no measurements", f"up to {len(text) / 1e6:.1f} MB: {what}")]
    for why in (TOO_LARGE, TOO_SLOW):
        rows = select(exchange.frame(), agrees="skipped", note=why)
        cells = ", ".join(f"({s}, {p})" for s, p in zip(rows["states"], rows["patterns"]))
        if cells:
            found.append(("left out (states, patterns)", "-", f"{why}: {cells}"))
    for backend in bench.backends:
        if backend in bench.devices:
            found += exchange_findings(exchange, backend)
        one = figures(shiftand.frame(), "kernel_GBps", backend=backend, words=1)
        rates = figures(shiftand.frame(), "Gwordsteps_per_s", backend=backend)
        if len(one) and len(rates):
            found.append((f"SHIFT-AND on {backend}", "-", f"one word: {one.max():.3g} GB/s; at "
                          f"best {rates.max():.3g} billion word steps a second"))
    return found


PAPER = Paper(
    "hnfa", "Extended strings on the GPU",
    "A pattern of m states is cut into words (lower modules), which tell an upper module when they "
    "end and are told when they begin. All modules touching the upper word with atomics is the "
    "baseline; the relay, a helper that broadcasts and collects through an array in shared memory, "
    "brings O(n * (m / wb) * broadcast). The paper has no measurements and leaves the proof on "
    "hardware open. ballot, the third form, uses the votes of today's hardware.",
    TABLES, PLOTS, run)
