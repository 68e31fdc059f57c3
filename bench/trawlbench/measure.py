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
from statistics import median
from typing import Callable, Dict, List, Optional

import numpy as np

from .table import ON_CPU, Table

# KiB of a piece that kernels are timed on; of a device that is the CPU large ones bring nothing.
MIN_PIECE, MAX_PIECE, MAX_PIECE_CPU, ROW_ALIGN = 64, 262144, 16384, 16
MEASURED = ("not compared", "yes", "NO")


class BenchError(Exception):
    """Why nothing more can be measured."""


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
        self.counts: Counter = Counter()
        self.broken = False
        self.build = build = self._build()
        self.facts = json.loads(subprocess.check_output([build / "trawl", "devices", "--json"]))
        self.cpus = self.facts["logical_cpus"]
        self.backends: Dict[str, Backend] = {}
        known = [facts["backend"] for facts in self.facts["backends"]]
        for name in filter(None, backends.split(",")):
            if name not in known:
                raise BenchError(f"there is no backend '{name}': {', '.join(known)} are")
        for facts in self.facts["backends"]:
            name = facts["backend"]
            if name in backends.split(",") or (not backends and name != "openmp"):
                self._add(facts)
        if not self.backends:
            raise BenchError("none of the backends asked for runs here")
        self.devices = [b.name for b in self.backends.values() if b.devices]
        self.has_gpu = any(not b.cpu for b in self.backends.values())
        self.large = large if large is not None else 1 << 30 if self.has_gpu and not quick else 0
        self.several = "," in device or device == "all"
        self.work = tempfile.TemporaryDirectory(prefix="trawl-bench-")
        self.runner = subprocess.Popen([build / "bench" / "bench_cells"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)

    @staticmethod
    def _build() -> Path:
        """The build folder: the one of the link that was called, or build/ of the sources."""
        places = (Path(sys.argv[0]).absolute().parents[1],
                  Path(__file__).resolve().parents[2] / "build")
        for place in places:
            if (place / "bench" / "bench_cells").exists():
                return place
        raise BenchError(f"there is no bench/bench_cells in {places[1]}: build it (cmake -B build "
                         "&& cmake --build build, with libjansson-dev), or call this script in "
                         "the bench folder of another build")

    def _add(self, facts: Dict) -> None:
        """A backend that cannot run is left out."""
        name, first = facts["backend"], self.device.split(",")[0]
        if not facts["threads"]:
            print(f"bench: {name} is left out: {facts['about']}", file=sys.stderr)
            return
        devices = [d for d in self.facts["devices"] if d["backend"] == name]
        number = int(first) if first.isdigit() and int(first) < len(devices) else 0
        of = devices[number] if devices else {"name": "CPU", "cpu": True, "bus": ""}
        self.backends[name] = Backend(name, of["name"], of["cpu"], devices, of["bus"])

    def complain(self, why: str) -> None:
        """What was asked for cannot be measured: go on, but do not end well."""
        print(f"bench: {why}", file=sys.stderr)
        self.broken = True

    def ask(self, request: Dict, runner: Optional[subprocess.Popen] = None) -> Dict:
        """A request to bench_cells, or to another build's, and its answer."""
        runner = runner or self.runner
        try:
            runner.stdin.write(json.dumps(request) + "\n")
            runner.stdin.flush()
        except BrokenPipeError:
            pass  # there is no answer then
        line = runner.stdout.readline()
        answer = json.loads(line) if line else {"error": f"ended, status {runner.wait()}"}
        if "error" in answer:
            raise BenchError(f"bench_cells: {answer['error']}")
        return answer

    def size(self, quick: int, cpu: int, gpu: int) -> int:
        return quick if self.quick else gpu if self.has_gpu else cpu

    def idle(self) -> Dict:
        """Open the meter; watts while nothing runs, or why they cannot be read."""
        buses = [b.bus for b in self.backends.values() if not b.cpu and b.bus]
        before, began = self.ask({"meter": [] if self.several else buses[:1]}), time.monotonic()
        if before["gpu"] is not None or before["cpu"] is not None:
            time.sleep(0.2 if self.quick else 1.5)
        after, took = self.ask({"meter": []}), time.monotonic() - began
        watts = {of: None if None in (before[of], after[of]) else (after[of] - before[of]) / took
                 for of in ("gpu", "cpu")}
        return {**after, **watts}

    def summary(self) -> str:
        of = self.counts
        return (f"{of['NO']} disagree, {of['failed']} failed, {of['unsupported']} not supported, "
                f"{of['not compared']} compared with nothing")


class Input:
    """A text or grid in a file of the work folder, where bench_cells reads it."""

    def __init__(self, bench: Bench, name: str, data) -> None:
        grid = isinstance(data, np.ndarray)
        self.data, self.length = data, data.nbytes if grid else len(data)
        path = os.path.join(bench.work.name, name)
        with open(path, "wb") as file:
            file.write(np.ascontiguousarray(data) if grid else data)
        self.request = {"grid": path, "shape": [*data.shape, data.itemsize]} if grid else {
            "text": path, "length": self.length}

    def held(self, plan: Dict, length: int) -> int:
        """Bytes on a device. A backend needs room for the rows that two pieces of a grid would
        share, even when there is one, and begins every row at a multiple of 16 bytes."""
        if "needle" not in plan:
            return length
        rows, cols, size = self.request["shape"]
        return (rows + plan["needle"][2]) * -(-cols * size // ROW_ALIGN) * ROW_ALIGN


@dataclass
class Row:
    keys: Dict[str, object]
    engine: str
    length: int
    backend: Backend
    request: Dict
    result: Dict = field(default_factory=dict)
    kernel: float = 0  # medians; 0: not known
    wall: float = 0

    def read(self, result: Dict) -> None:
        self.result, ran = result, result["agrees"] in MEASURED
        self.length = result["length"]
        self.wall = median(result["wall"]) if ran else 0
        self.kernel = median(result["kernel"]) if ran and not result["on_cpu"] else 0
        if result["on_cpu"]:
            result["note"] = f"{ON_CPU}, the CPU scanned {result['on_cpu']} bytes"

    def rate_key(self, key: str, per_byte: float) -> None:
        """A key that is 10^9 of something a second of the search alone."""
        if self.kernel > 0:
            self.keys[key] = f"{self.length * per_byte / self.kernel / 1e9:.4g}"

    def joules(self) -> Optional[float]:
        """A byte: of a CPU row the CPU's, of a GPU row both; None when not readable."""
        of = self.result["joules"]
        known = [of[meter] for meter in ("gpu", "cpu")
                 if of[meter] is not None and (meter == "cpu" or not self.backend.cpu)]
        return sum(known) if known else None

    def settings(self) -> str:
        of = self.request
        if self.backend.name != "threads":
            return of.get("tuning", "")
        return (f"threads={of['threads']} schedule={'static' if of.get('schedule') else 'dynamic'}"
                + (f" chunks={of['chunks']}" if of.get("chunks") else ""))

    def values(self, base: Optional[Row]) -> Dict[str, object]:
        """The columns of its line in the CSV file. Speedups are by rates, because the serial row
        may have seen less text."""
        of = self.result
        values = {**self.keys, "engine": self.engine, "backend": self.backend.name,
                  "device": self.backend.label, "tuning": self.settings(), "agrees": of["agrees"],
                  "note": of["note"] or self.request.get("note", "")}
        if not self.wall:
            return values
        values.update(bytes=self.length, matches=of["matches"], repeats=len(of["wall"]),
                      transfer_s=f"{median(of['transfer']):.5g}", joules_per_byte="not measured",
                      spread=f"{(max(of['wall']) - min(of['wall'])) / self.wall:.3f}")
        if "joules" in of:
            values["joules_per_byte"] = readable(self.joules())
        for name, ratio, own, other in (
                ("kernel", "kernel_speedup", self.kernel, base.kernel if base else 0),
                ("end_to_end", "speedup", self.wall, base.wall if base else 0)):
            if own > 0:
                values[f"{name}_s"] = f"{own:.5g}"
                values[f"{name}_GBps"] = f"{self.length / own / 1e9:.5g}"
            if own > 0 and other > 0:
                values[ratio] = f"{self.length / base.length * other / own:.5g}"
        return values


def readable(value: Optional[float], scale: float = 1) -> str:
    return "not readable here" if value is None else f"{scale * value:.4g}"


class Cell:
    """One text or grid and the rows that search it, with the keys that they share."""

    def __init__(self, bench: Bench, table: Table, data: Input, base: str = "", part: float = 1,
                 **keys) -> None:
        self.bench, self.table, self.data, self.keys = bench, table, data, keys
        self.base = base  # engine whose serial row speedups are over; "": each row's own
        self.seconds = bench.seconds * part  # after which it is repeated no more
        self.plans: List[Dict] = []
        self.rows: List[Row] = []

    def add(self, plan: Dict, backend: str, tuning: str = "", options: Optional[Dict] = None,
            **keys) -> None:
        """One more row, when the backend is there."""
        of = self.bench.backends.get(backend)
        if not of:
            return
        request = {"backend": backend, "length": self.data.length, **(options or {})}
        if of.devices:
            piece = self.data.held(plan, request["length"]) // 1024 + 1
            piece = min(max(piece, MIN_PIECE), MAX_PIECE_CPU if of.cpu else MAX_PIECE)
            request["tuning"] = tuning
            request["resident"] = f"{tuning}{',' if tuning else ''}piece={piece},queues=1"
            request.setdefault("device", self.bench.device or "0")
            # Kernels of several devices run at once: the sum of their times says nothing.
            several = "," in request["device"] or (request["device"] == "all" and
                                                   len(of.devices) > 1)
            request.setdefault("count", 0 if several else 1)
        elif backend == "threads":
            request.setdefault("threads", self.bench.cpus)
        self._append(plan, of, request, keys)

    def _append(self, plan: Dict, backend: Backend, request: Dict, keys: Dict) -> None:
        number = next((i for i, known in enumerate(self.plans) if known is plan), len(self.plans))
        if number == len(self.plans):
            self.plans.append(plan)
        length = request.get("length", self.data.length)
        self.rows.append(Row({**self.keys, **keys}, plan["engine"], length, backend,
                             {"plan": number, **request}))

    def add_peer(self, plan: Dict, name: str) -> None:
        """Another program."""
        self._append(plan, Backend(name, "CPU", True, []), {"peer": name}, {})

    def skip(self, engine: str, why: str) -> None:
        """A line that says why there is none."""
        self.table.rows.append({**self.keys, "engine": engine, "agrees": "skipped", "note": why})
        self.bench.counts["rows"] += 1

    def run(self, keys: Callable[[Row], None] = lambda row: None) -> List[Row]:
        """Measure all rows; `keys` adds those that are known only then."""
        answer = self.bench.ask(
            {**self.data.request, "repeats": self.bench.repeats, "seconds": self.seconds,
             "plans": self.plans, "rows": [row.request for row in self.rows]})
        for row, result in zip(self.rows, answer["rows"]):
            row.read(result)
            keys(row)
        serial = {row.engine: row for row in reversed(self.rows)
                  if row.wall and row.backend.name == "serial"}
        for row in self.rows:
            values = row.values(serial.get(self.base or row.engine))
            self.table.rows.append(values)
            self.bench.counts.update(["rows", row.result["agrees"]])
            print("bench:", self.table.name, *(f"{name}={values[name]}" for name in [
                *self.table.keys, "engine", "backend", "tuning", "end_to_end_GBps", "kernel_GBps",
                "matches", "agrees", "note"] if values.get(name)), file=sys.stderr)
        return self.rows
