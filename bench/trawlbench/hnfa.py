"""hnfa.py: "Extended strings on the GPU": the exchange between the modules of RunHNFA.

The unit of work is a word step: one byte of text for one word of 64 states of one pattern. Each
cell's text is as long as a budget of word steps allows.
"""
from __future__ import annotations

from collections import Counter
from typing import Dict, List

from .inputs import extended, make_text
from .measure import Bench, Cell, Input
from .table import Finding, Paper, Plot, Table, finding, numbers

MAX_CHECKED, MAX_COMPILED, MAX_ON_CPU = 1 << 20, 1 << 22, 1 << 16
PART, SERIAL_STEPS, MODULE = 4096, 50000000, 64  # serial word steps a second, at least
TOO_LARGE = "more than 4,194,304 states: the tables would take gigabytes"
TOO_SLOW = "more than 65,536 states: too slow without a GPU"
FORMS = ("atomic", "relay", "ballot")
RATE = "Gwordsteps_per_s"

EXCHANGE, SHIFTAND = TABLES = (
    Table("hnfa_exchange", "Atomic, relay and ballot",
          "Patterns of m states with classes, optional elements and repeats, each derived from a "
          "stretch of the text. Word steps are bytes times patterns times words of 64 states. "
          "With more than 1,048,576 states the serial row sees the first 4 KiB at most.",
          ("states", "patterns", "exchange", RATE)),
    Table("hnfa_shiftand", "Extended SHIFT-AND",
          "One word where the states fit into 64 bits, else many.",
          ("states", "patterns", "words", RATE)),
)


def exchange_plot(name: str, title: str, where: Dict, x: str) -> Plot:
    return Plot(f"hnfa_exchange_{name}", f"RunHNFA, {title}: 10^9 word steps a second",
                "hnfa_exchange", where, x, RATE, x, "10^9 word steps/s", ("backend", "exchange"),
                "xy")


PLOTS = (
    Plot("hnfa_exchange_1", "RunHNFA, one pattern: rate in kernels", "hnfa_exchange",
         {"patterns": 1}, "states", "kernel_GBps", "states", "GB/s", ("backend", "exchange"), "xy"),
    exchange_plot("256", "256 patterns", {"patterns": 256}, "states"),
    exchange_plot("m256", "256 states", {"states": 256}, "patterns"),
    exchange_plot("m1024", "1024 states", {"states": 1024}, "patterns"),
    Plot("hnfa_shiftand", "SHIFT-AND: 10^9 word steps a second", "hnfa_shiftand", {}, "words", RATE,
         "words of 64 states", "10^9 word steps/s", ("backend",), "xy"),
)


def between(least: int, value: int, most: int) -> int:
    return min(max(least, value), most)


def cell_length(bench: Bench, words: int) -> int:
    budget = bench.size(8000000, 60000000, 1000000000)
    return between(bench.size(16 << 10, 32 << 10, 64 << 10), budget // words,
                   bench.size(256 << 10, 1 << 20, 16 << 20))


def serial_length(bench: Bench, words: int, length: int, checked: bool = True) -> int:
    """The first bytes of a very large set, in a run and in counting no longer than --seconds
    allows; enough that some patterns end there."""
    if not checked:
        return between(1, int(bench.seconds * SERIAL_STEPS) // words, PART)
    return between(min(length, PART), bench.size(8000000, 60000000, 30000000) // words, length)


def exchange_cell(bench: Bench, text: bytes, states: int, patterns: int) -> None:
    words, size = patterns * -(-states // 64), states * patterns
    part = Input(bench, "part", text[:cell_length(bench, words)])
    cell = Cell(bench, EXCHANGE, part, part=1 / 2, states=states, patterns=patterns)  # of 56
    if size > MAX_COMPILED or (size > MAX_ON_CPU and not bench.has_gpu):
        cell.skip("hnfa", TOO_LARGE if size > MAX_COMPILED else TOO_SLOW)
        return
    plan = extended("hnfa", part.data, patterns, states, bench.seed + states)
    length = serial_length(bench, words, part.length, size <= MAX_CHECKED)
    cell.add(plan, "serial", "", {"length": length}, exchange="serial")
    if size <= MAX_CHECKED:
        cell.add(plan, "threads", exchange="threads")
    note = {"note": "one module: nothing to exchange"} if states <= MODULE else {}
    for device in bench.devices:
        for form in FORMS:
            cell.add(plan, device, f"exchange={form}", note, exchange=form)
    cell.run(lambda row: row.rate_key(RATE, words))


def shiftand_cell(bench: Bench, text: bytes, states: int, patterns: int) -> None:
    words = -(-states * patterns // 64)
    part = Input(bench, "part", text[:cell_length(bench, words)])
    cell = Cell(bench, SHIFTAND, part, states=states, patterns=patterns, words=words)
    plan = extended("shiftand", part.data, patterns, states, bench.seed + states)
    cell.add(plan, "serial", "", {"length": serial_length(bench, words, part.length)})
    for backend in ["threads", *bench.devices]:
        cell.add(plan, backend)
    cell.run(lambda row: row.rate_key(RATE, words))


def winner(rates: List[float]) -> str:
    """The form that is faster than all others by 3% in a cell; "" when there are no two."""
    second, best = sorted(rates)[-2:]
    if second <= 0:
        return ""
    return FORMS[rates.index(best)] if best >= 1.03 * second else "even"


def exchange_findings(device: str) -> List[Finding]:
    wins: Counter = Counter()
    most = dict.fromkeys(FORMS, 0.0)
    for (states, _), group in EXCHANGE.frame(backend=device).groupby(["states", "patterns"]):
        if int(states) > MODULE:
            rates = [max(numbers(group[group["exchange"] == of], RATE), default=0) for of in FORMS]
            most = {of: max(most[of], rate) for of, rate in zip(FORMS, rates)}
            wins[winner(rates)] += 1
    if not any(wins[of] for of in (*FORMS, "even")):
        return []
    return [(f"{device}: which exchange is fastest, from two modules on",
             "the relay should beat atomics; the proof on hardware is left open",
             f"atomic in {wins['atomic']} cells, relay in {wins['relay']}, ballot in "
             f"{wins['ballot']}, even (within 3%) in {wins['even']}; at best {most['atomic']:.3g}, "
             f"{most['relay']:.3g} and {most['ballot']:.3g} billion word steps a second")]


def run(bench: Bench) -> List[Finding]:
    text, what = make_text(bench, bench.size(256 << 10, 1 << 20, 16 << 20))
    for patterns in (1, 16) if bench.quick else (1, 16, 4, 64, 256, 1024, 4096):
        for states in (32, 128) if bench.quick else (32, 64, 128, 256, 512, 1024, 2048, 4096):
            exchange_cell(bench, text, states, patterns)
    single = ((32, 1), (64, 1), (256, 1), (1024, 1), (32, 16), (32, 256), (32, 1024))
    for states, patterns in single[::2] if bench.quick else single:
        shiftand_cell(bench, text, states, patterns)
    found = [("text", "no measurements", f"up to {len(text) / 1e6:.1f} MB: {what}")]
    for why in (TOO_LARGE, TOO_SLOW):
        rows = EXCHANGE.frame(agrees="skipped", note=why)
        cells = ", ".join(f"({s}, {p})" for s, p in zip(rows["states"], rows["patterns"]))
        found += [("left out (states, patterns)", "-", f"{why}: {cells}")] * bool(cells)
    for backend in bench.backends:
        found += exchange_findings(backend) if backend in bench.devices else []
        best = max(SHIFTAND.figures(RATE, backend=backend), default=0)
        found += finding(SHIFTAND, f"SHIFT-AND on {backend}", "-", "one word: "
                         "{kernel_GBps.most:.3g} GB/s; at best " + f"{best:.3g} billion word steps "
                         "a second", "kernel_GBps", backend=backend, words=1)
    return found


PAPER = Paper(
    "hnfa", "Extended strings on the GPU",
    "A pattern of m states is cut into words (lower modules), which tell an upper module when they "
    "end and are told when they begin. All modules touching the upper word with atomics is the "
    "baseline; the relay, a helper that broadcasts and collects through an array in shared memory, "
    "brings O(n * (m / wb) * broadcast). The paper has no measurements and leaves the proof on "
    "hardware open. ballot, the third form, uses the votes of today's hardware.",
    TABLES, PLOTS, run)
