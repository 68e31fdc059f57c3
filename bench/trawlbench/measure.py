"""measure.py: the rows of tables, measured by bench_cells against each other."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import numpy as np

from .table import Table

# KiB of a piece that kernels are timed on; of a device that is the CPU large ones bring nothing.
LEAST_PIECE, MOST_PIECE, MOST_PIECE_CPU, ROW_ALIGN = 64, 262144, 16384, 16
MEASURED = ("not compared", "yes", "NO")


class BenchError(Exception):
    """Why nothing more can be measured."""


class Runner:
    """bench_cells, a request and an answer at a time."""

    def __init__(self) -> None:
        source = Path(__file__).resolve().parents[2]
        places = [Path(sys.argv[0]).absolute().parent, source / "build" / "bench"]
        program = next((p / "bench_cells" for p in places if (p / "bench_cells").exists()), None)
        if not program:
            raise BenchError(f"bench_cells is neither in {places[0]} nor in {places[1]}: build it "
                             "(cmake -B build && cmake --build build, with libjansson-dev), or "
                             "call this script in the bench folder of another build")
        self.process = subprocess.Popen([str(program)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.facts = self._answer()

    def _answer(self) -> Dict:
        line = self.process.stdout.readline()
        if not line:
            raise BenchError(f"bench_cells ended early, status {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise BenchError(f"bench_cells: {answer['error']}")
        return answer

    def ask(self, request: Dict) -> Dict:
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # _answer says so
        return self._answer()


@dataclass
class Backend:
    name: str
    label: str  # the device's name
    cpu: bool   # it computes on the CPU, PoCL included
    devices: List[Dict]
    bus: str = ""


class Bench:
    """What there is to measure with, and what came out so far."""

    def __init__(self, repeats: int, seconds: float, seed: int, quick: bool = False,
                 backends: str = "", device: str = "", data: str = "", text: str = "",
                 large: Optional[int] = None) -> None:
        self.repeats, self.seconds, self.seed, self.quick = repeats, seconds, seed, quick
        self.device, self.data, self.text = device, data, text
        self.cpus = os.cpu_count() or 1
        self.counts: Counter = Counter()
        self.broken = False
        self.began = time.monotonic()
        self.runner = Runner()
        self.work = tempfile.TemporaryDirectory(prefix="trawl-bench-")
        self.backends: Dict[str, Backend] = {}
        known = [facts["name"] for facts in self.runner.facts["backends"]]
        for name in filter(None, backends.split(",")):
            if name not in known:
                raise BenchError(f"there is no backend '{name}': {', '.join(known)} are")
        for facts in self.runner.facts["backends"]:
            if not backends or facts["name"] in backends.split(","):
                self._add(facts)
        if not self.backends:
            raise BenchError("none of the backends asked for runs here")
        self.devices = [b.name for b in self.backends.values() if b.devices]
        self.has_gpu = any(not b.cpu for b in self.backends.values())
        self.large = (large if large is not None else
                      1 << 30 if self.has_gpu and not quick else 0)

    def _add(self, facts: Dict) -> None:
        """A CPU backend that cannot run is left out, as a device backend without device."""
        devices = facts["devices"]
        if facts["why"] or not (devices or facts["cpu"]):
            print(f"bench: {facts['name']} is left out: {facts['why']}", file=sys.stderr)
            return
        first = self.device.split(",")[0]
        number = int(first) if first.isdigit() else 0
        device = devices[number] if number < len(devices) else {"name": "", "cpu": False, "bus": ""}
        if facts["cpu"]:
            device = {"name": "CPU", "cpu": True, "bus": ""}
        self.backends[facts["name"]] = Backend(facts["name"], device["name"], device["cpu"],
                                               devices, device["bus"])

    def complain(self, message: str) -> None:
        print(f"bench: {message}", file=sys.stderr)
        self.broken = True

    def size(self, quick: int, cpu: int, gpu: int) -> int:
        return quick if self.quick else gpu if self.has_gpu else cpu

    def on_several(self, backend: Backend) -> bool:
        """Kernels of several devices run at once, so that the sum of their times says nothing."""
        return bool(backend.devices) and ("," in self.device or
                                          (self.device == "all" and len(backend.devices) > 1))

    def idle(self, seconds: float) -> Dict:
        """Open the meter; watts while nothing runs, and why they cannot be read."""
        buses = [b.bus for b in self.backends.values() if not b.cpu and b.bus]
        several = "," in self.device or self.device == "all"
        return self.runner.ask({"meter": [] if several else buses[:1], "seconds": seconds})


class Input:
    """A text or grid in a file of the work folder, where bench_cells reads it."""

    def __init__(self, bench: Bench, name: str, data) -> None:
        self.data, self.length = data, data.nbytes if isinstance(data, np.ndarray) else len(data)
        path = os.path.join(bench.work.name, name)
        with open(path, "wb") as file:
            file.write(np.ascontiguousarray(data) if isinstance(data, np.ndarray) else data)
        self.request: Dict = {"text": path, "length": self.length}
        if isinstance(data, np.ndarray):
            self.request = {"grid": path, "shape": [*data.shape, data.itemsize]}

    def held(self, plan: Dict, length: int) -> int:
        """Bytes on a device. A backend needs room for the rows that two pieces of a grid would
        share, even when there is one, and begins every row at a multiple of 16 bytes."""
        if "needle" not in plan:
            return length
        rows, cols, size = self.request["shape"]
        return (rows + plan["needle"][2]) * -(-cols * size // ROW_ALIGN) * ROW_ALIGN


@dataclass
class Row:
    keys: Dict[str, str]
    engine: str
    length: int
    backend: Optional[Backend] = None
    request: Dict = field(default_factory=dict)
    note: str = ""
    result: Dict = field(default_factory=dict)
    speedup: float = 0
    kernel_speedup: float = 0

    @property
    def ran(self) -> bool:
        return self.result["agrees"] in MEASURED

    @property
    def kernel(self) -> float:
        """Seconds of the search alone; 0 when they are not known."""
        return self.result["kernel"] if self.ran else 0

    def joules(self) -> Optional[float]:
        """A byte: of a CPU row the CPU's, of a GPU row both; None when not readable."""
        of = self.result["joules"]
        parts = [of["cpu"]] if self.backend.cpu else [of["gpu"], of["cpu"]]
        known = [part for part in parts if part is not None]
        return sum(known) if known else None

    def settings(self) -> str:
        if not self.backend or self.backend.name != "threads":
            return self.request.get("tuning", "")
        text = "threads={} schedule={}".format(
            self.request["threads"], "static" if self.request.get("schedule") else "dynamic")
        return text + (f" chunks={self.request['chunks']}" if self.request.get("chunks") else "")

    def values(self) -> Dict[str, str]:
        """The columns of its line in the CSV file."""
        of = self.result
        values = {**self.keys, "engine": self.engine, "tuning": self.settings(),
                  "agrees": of["agrees"], "note": of["note"] or self.note}
        if self.backend:
            values.update(backend=self.backend.name, device=self.backend.label)
        if not self.ran:
            return values
        values.update(bytes=str(self.length), matches=str(of["matches"]),
                      repeats=str(of["repeats"]), transfer_s=f"{of['transfer']:.5g}",
                      spread=f"{(of['slowest'] - of['fastest']) / of['end_to_end']:.3f}",
                      joules_per_byte="not measured")
        if "joules" in of:
            joules = self.joules()
            values["joules_per_byte"] = "not readable here" if joules is None else f"{joules:.4g}"
        for name, seconds in (("kernel", of["kernel"]), ("end_to_end", of["end_to_end"])):
            if seconds > 0:
                values[f"{name}_s"] = f"{seconds:.5g}"
                values[f"{name}_GBps"] = f"{self.length / seconds / 1e9:.5g}"
        for name in ("speedup", "kernel_speedup"):
            if getattr(self, name) > 0:
                values[name] = f"{getattr(self, name):.5g}"
        return values


class Cell:
    """One text or grid and the rows that search it, with the keys that they share."""

    def __init__(self, bench: Bench, table: Table, data: Input, base: str = "", part: float = 1,
                 **keys) -> None:
        self.bench, self.table, self.data, self.keys = bench, table, data, keys
        self.base = base  # engine whose serial row speedups are over; "": each row's own
        self.seconds = bench.seconds * part  # after which it is repeated no more
        self.plans: List[Dict] = []
        self.rows: List[Row] = []

    def add(self, plan: Dict, backend: str, keys: Optional[Dict] = None, tuning: str = "",
            whole_only: bool = False, length: int = 0, note: str = "", **request) -> None:
        """One more row, when the backend is there."""
        of = self.bench.backends.get(backend)
        if not of:
            return
        if not any(plan is known for known in self.plans):
            self.plans.append(plan)
        length = length or self.data.length
        request = {"plan": next(i for i, known in enumerate(self.plans) if known is plan),
                   "backend": backend, "length": length, **request}
        if of.devices:
            piece = self.data.held(plan, length) // 1024 + 1
            piece = min(max(piece, LEAST_PIECE), MOST_PIECE_CPU if of.cpu else MOST_PIECE)
            resident = f"piece={piece},queues=1"
            request = {"device": self.bench.device or None, "tuning": tuning,
                       "resident": f"{tuning},{resident}" if tuning else resident,
                       "count": not (whole_only or self.bench.on_several(of)), **request}
        elif backend == "threads":
            request.setdefault("threads", self.bench.cpus)
        self.rows.append(Row({**self.keys, **(keys or {})}, plan["engine"], length, of, request,
                             note))

    def add_peer(self, plan: Dict, name: str) -> None:
        """Another program, for a plan of rows before."""
        peer = Backend(name, "CPU", True, [])
        if name in self.bench.runner.facts["peers"]:
            request = {"plan": self.plans.index(plan), "peer": name}
            self.rows.append(Row(dict(self.keys), plan["engine"], self.data.length, peer, request))

    def skip(self, engine: str, why: str) -> None:
        """A line that says why there is none."""
        row = Row(dict(self.keys), engine, 0, note=why)
        row.result = {"agrees": "skipped", "note": ""}
        self.table.rows.append(row.values())
        self.bench.counts["rows"] += 1

    def run(self, more: Optional[Callable[[Row], Dict[str, str]]] = None) -> List[Row]:
        """Measure all rows; `more` gives the keys that are known only then."""
        answer = self.bench.runner.ask(
            {**self.data.request, "repeats": self.bench.repeats, "seconds": self.seconds,
             "plans": self.plans, "rows": [row.request for row in self.rows]})
        for row, result in zip(self.rows, answer["rows"]):
            row.result = result
        for row in self.rows:
            self._compare(row)
            if more:
                row.keys.update(more(row))
            self.table.rows.append(row.values())
            self._show(row)
            self.bench.counts.update(["rows", row.result["agrees"]])
        return self.rows

    def _compare(self, row: Row) -> None:
        """By rates, because the serial row may have seen less text."""
        base = next((r for r in self.rows if r.ran and r.backend.name == "serial" and
                     r.engine == (self.base or row.engine)), None)
        if not base or not row.ran:
            return
        part = row.length / base.length
        row.speedup = part * base.result["end_to_end"] / row.result["end_to_end"]
        if row.kernel > 0:
            row.kernel_speedup = part * base.kernel / row.kernel

    def _show(self, row: Row) -> None:
        values = row.values()
        keys = " ".join(f"{key}={values[key]}" for key in self.table.keys if values.get(key))
        figures = "".join(f", {name} {values[name]}" for name in
                          ("end_to_end_GBps", "kernel_GBps", "matches", "note") if values.get(name))
        print(f"bench: {self.table.name} {keys} {row.engine} on {row.backend.name} "
              f"({values['tuning']}): {values['agrees']}{figures}", file=sys.stderr)
