"""peers.py: the works that bench/peers measures Trawl and others at.

A work is a text or picture and what to look for in it, in words that Trawl and its peers
understand alike. Figures are 10^9 bytes (cells, for pictures) a second; of small texts nanoseconds
a call, of whole programs seconds.
"""
from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from statistics import median
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence

import numpy as np

from .inputs import (QUOTED, generate_text, make_genome, make_picture, make_text, read_data,
                     repeated, rules, stretches)
from .measure import Bench, BenchError, Cell, Input
from .table import Table

COLUMNS = ("section", "work", "engine", "matches", "unit", "trawl", "scan", "threads", "peer",
           "peer_figure", "ratio", "reading", "agrees", "note")


class Line(NamedTuple):
    """A line of the table: Trawl and one peer at one work. `ratio` is above 1 where Trawl is
    faster; 0 in a figure: not known."""
    section: str
    work: str
    engine: str
    matches: int
    unit: str
    trawl: float
    scan: float = 0
    threads: float = 0
    peer: str = ""
    peer_figure: float = 0
    ratio: float = 0
    reading: float = 0
    agrees: str = "yes"
    note: str = ""


class Work(NamedTuple):
    name: str
    text: bytes
    plan: Dict
    peers: Sequence[str]


def quoted(literals: Sequence[bytes], **more) -> Dict:
    """Literals as extended patterns, in which every byte but letters, digits and blanks is \\xNN:
    that means the same to all but memmem, which takes those without."""
    return {"engine": "auto", "extended": True,
            "patterns": ["".join(QUOTED[c] if c != 32 else " " for c in literal)
                         for literal in literals], **more}


SAMPLE = 1 << 16  # of the text, that the planner is given, as the command does


def extended(patterns: Sequence[str]) -> Dict:
    return {"engine": "auto", "extended": True, "patterns": list(patterns)}


# ---- texts ------------------------------------------------------------------------


def english(bench: Bench, length: int) -> bytes:
    data = b"".join(filter(None, (read_data(bench.data, f"text/{name}.xz") for name in (
        "bible.txt", "sherlock.txt")))) if bench.data else b""
    return repeated(data or generate_text(min(length, 1 << 22), bench.seed), length)


def genome(bench: Bench, length: int) -> bytes:
    return make_genome(bench, length) or repeated(
        "".join(Random(bench.seed).choices("ACGT", k=min(length, 1 << 22))).encode(), length)


def proteins(bench: Bench, length: int) -> bytes:
    data = read_data(bench.data, "protein/ecoli_k12_UP000000625.fasta.gz") if bench.data else None
    return repeated(data or "".join(Random(bench.seed).choices("ACDEFGHIKLMNPQRSTVWY\n", k=min(
        length, 1 << 22))).encode(), length)


# ---- works on texts ------------------------------------------------------------------


def literal_works(bench: Bench, n: int) -> Iterator[Work]:
    peers = ("hyperscan", "memmem", "reading")
    texts = {"English": english(bench, n), "source": make_text(bench, n)[0],
             "DNA": genome(bench, n), "random bytes": repeated(
                 Random(bench.seed).randbytes(min(n, 1 << 22)), n)}
    for word in (b"Captain Nemo", b"Sherlock", b"LORD", b"the", b"e"):
        yield Work(f"English, {word.decode()}", texts["English"], quoted([word]), peers)
    yield Work("English, -i LORD", texts["English"], quoted([b"lord"], nocase=True),
               ("hyperscan", "reading"))
    for name, sizes in (("source", (8, 16)), ("DNA", (8, 16, 64)), ("random bytes", (4, 16))):
        for size in sizes:
            literal = stretches(texts[name][:1 << 22], 1, size, size, bench.seed)
            yield Work(f"{name}, one of {size} bytes", texts[name], quoted(literal), peers)
    small = texts["English"][:256 << 10]
    yield Work("English in L2, Captain Nemo", small, quoted([b"Captain Nemo"]), peers)


def set_works(bench: Bench, n: int) -> Iterator[Work]:
    random, sizes = Random(bench.seed), (10, 100, 1000) + (() if bench.quick else (10000,))
    source, prose, dna = make_text(bench, n)[0], english(bench, n), genome(bench, n)
    for count in sizes:
        yield Work(f"source, {count} rule literals", source,
                   quoted(rules(bench, source, count, 5, 40)[0]), ("hyperscan",))
    words = list(dict.fromkeys(re.findall(rb"[A-Za-z]{4,}", prose[:8 << 20])))
    random.shuffle(words)
    for count in sizes:
        if count <= len(words) or count == sizes[-1]:
            yield Work(f"English, {min(count, len(words))} of its words", prose,
                       quoted(words[:count]), ("hyperscan",))
    for count in sizes:
        yield Work(f"DNA, {count} 16-mers", dna,
                   quoted(stretches(dna[:1 << 22], count, 16, 16, bench.seed)), ("hyperscan",))
    yield Work("a match a byte", b"ab" * (n // 16),
               quoted([b"ab", b"ba", b"abab", b"baba"]), ("hyperscan",))


def prosite_patterns(bench: Bench) -> List[str]:
    """The motifs without anchors, as extended patterns."""
    data = read_data(bench.data, "prosite/prosite_patterns_1309.dat") if bench.data else None
    found = []
    joined = re.findall(r"^AC.*?^//", (data or b"").decode("latin-1"), re.M | re.S)
    for entry in joined:
        motif = "".join(re.findall(r"^PA   (.*)$", entry, re.M)).rstrip(".")
        if not motif or re.search(r"[<>]", motif):
            continue
        parts = []
        for part in motif.split("-"):
            part = re.sub(r"\((\d+(?:,\d+)?)\)$", r"{\1}", re.sub(
                r"^\{(\w+)\}", r"[^\1]", part))
            parts.append(re.sub(r"^x", r"[^\\x0a]", part))
        found.append("".join(parts))
    return found


# First bytes rare and frequent, words within, gaps, unbounded repeats, a rare end.
CLASS_PATTERNS = (
    "[0-9]+", "[A-Z][a-z]+ing", "s.{0,3}h[aeiou]+nd", "[Ss]herlock.{1,20}Watson", "the[rnm]e",
    "[0-9]{2,4}[a-z]?of", "the.{100,200}and", "[a-z]+ed ", "[A-Za-z0-9_]{5}[ \\t]+[A-Za-z0-9_]{5}",
    "[A-Z][a-z]{3,8}", "[a-zA-Z_]+[(]", "0x[0-9a-fA-F]+", "q[^u]")


def class_works(bench: Bench, n: int) -> Iterator[Work]:
    prose = english(bench, n)
    for pattern in CLASS_PATTERNS:
        yield Work(f"English, {pattern}", prose, extended([pattern]), ("hyperscan",))
    source = make_text(bench, n)[0]
    for pattern in CLASS_PATTERNS:
        yield Work(f"source, {pattern}", source, extended([pattern]), ("hyperscan",))
    motifs = prosite_patterns(bench) or ["[ST][^P][DE]", "N[^P][ST][^P]", "[RK]{2}.[ST]"]
    yield Work(f"proteins, {len(motifs)} PROSITE motifs", proteins(bench, n // 4),
               extended(motifs), ("hyperscan",))


def text_lines(bench: Bench, section: str, works: Iterator[Work]) -> Iterator[Line]:
    for work in works:
        cell = Cell(bench, Table("peers", "", "", ()), Input(bench, "text", work.text))
        most = {"most": bench.seconds / 4}
        plan = {**work.plan, "sample": min(SAMPLE, len(work.text))}
        cell.add(plan, "serial", options=most)
        cell.add(plan, "threads", options={"scan": 0, **most})
        peers = [peer for peer in work.peers
                 if peer != "memmem" or "\\" not in work.plan["patterns"][0]]
        for peer in peers:
            cell.add_peer(plan, peer)
            cell.rows[-1].request.update(most)
        own, threads, *others = cell.run()

        def rate(row, seconds: float) -> float:
            return row.length / seconds / 1e9 if seconds else 0

        known = dict(zip(peers, others))
        reading = known.pop("reading", None)
        shared = dict(section=section, work=work.name, engine=own.result["engine"],
                      matches=own.result["matches"], unit="GB/s", trawl=rate(own, own.kernel),
                      scan=rate(own, own.wall), threads=rate(threads, threads.wall),
                      reading=rate(reading, reading.wall) if reading else 0)
        if not own.kernel:
            raise BenchError(f"{work.name}: {own.result['note']}")
        for peer, row in known.items():
            figure = rate(row, row.wall)
            yield Line(**shared, peer=peer, peer_figure=figure,
                       ratio=shared["trawl"] / figure if figure else 0,
                       agrees="yes" if row.result["agrees"] == "yes" else row.result["agrees"],
                       note=row.result["note"])


# ---- small texts -----------------------------------------------------------------------


def call_lines(bench: Bench) -> Iterator[Line]:
    """100 bytes a call, by bench_calls."""
    folder, text = Path(bench.work.name), english(bench, 1 << 22)
    words = list(dict.fromkeys(re.findall(rb"[A-Za-z]{4,}", text)))
    Random(bench.seed).shuffle(words)
    sets = {f"{count}_words": quoted(words[:count])["patterns"]
            for count in (1, 10, 1000) + (() if bench.quick else (10000,))}
    sets["10_class_patterns"] = [
        "[0-9]{4}", "[A-Z][a-z]+ing", "wh[aeiou]le", "th[rnm]ough", "[Ss]ea.{1,4}sand",
        "gr[ae]y", "[0-9]+:[0-9]+", "qu[aeiou]{2}r", "s.{0,3}hand", "[bcd]ight[sy]"]
    (folder / "calls").write_bytes(text)
    for name, patterns in sets.items():
        (folder / name).write_text("\n".join(patterns) + "\n")
    answer = subprocess.run([bench.build / "bench" / "bench_calls", folder / "calls", *(
        folder / name for name in sets)], stdout=subprocess.PIPE, check=True, text=True).stdout
    for of in map(json.loads, answer.splitlines()):
        for call in ("trawl_scan", "trawl_scan_many"):
            yield Line("calls of 100 bytes", f"{of['name'].replace('_', ' ')}, {call}",
                       of["engine"], of["matches"], "ns", of[call], peer="hyperscan",
                       peer_figure=of["hyperscan"] or 0,
                       ratio=(of["hyperscan"] or 0) / of[call],
                       agrees="yes" if of["hyperscan"] else "unsupported")


# ---- pictures ----------------------------------------------------------------------------


def opencv_seconds(cells: np.ndarray, needle: np.ndarray, repeats: int) -> Optional[float]:
    """The best that OpenCV has for an exact needle in grey: correlation by squared differences."""
    try:
        import cv2
    except ImportError:
        return None
    if cells.dtype != np.uint8:
        return None
    cv2.setNumThreads(1)
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        cv2.matchTemplate(cells, needle, cv2.TM_SQDIFF)
        times.append(time.perf_counter() - began)
    return median(times)


def picture(bench: Bench) -> np.ndarray:
    """A grey photograph, or what looks like one, tiled to 4000 x 4000."""
    side = 512 if bench.quick else 4000
    cells = make_picture(bench, "images/skimage/camera.png") if bench.data else None
    if cells is None or cells.dtype != np.uint8:
        noise = np.random.default_rng(bench.seed).integers(8, size=(512, 512), dtype=np.uint8)
        line, column = np.ogrid[:512, :512]
        cells = ((line // 3 + column // 2) & 0xf8).astype(np.uint8) | noise
    times = -(-side // min(cells.shape))
    return np.ascontiguousarray(np.tile(cells, (times, times))[:side, :side])


def picture_lines(bench: Bench) -> Iterator[Line]:
    cells = picture(bench)
    side = len(cells)
    blank = np.zeros_like(cells)
    blank[side // 2, side // 2] = 1
    for name, grid, place in (("photograph", cells, (side // 3, side // 2)),
                              ("blank page", blank, (side // 2 - 8, side // 2 - 8))):
        for size in (16, 64):
            needle = [*place, size]
            cell = Cell(bench, Table("peers", "", "", ()), Input(bench, "grid", grid))
            for engine in ("auto", "bb"):
                cell.add({"engine": engine, "needle": needle}, "serial")
            cell.add({"engine": "auto", "needle": needle}, "threads")
            own, bound, threads = cell.run()
            line = dict(section="pictures", work=f"{name} {side} x {side}, {size} x {size}",
                        engine=own.result["engine"], matches=own.result["matches"],
                        unit="gigacells/s", trawl=grid.size / own.wall / 1e9,
                        threads=grid.size / threads.wall / 1e9,
                        agrees=own.result["agrees"])
            yield Line(**line, peer="Baker-Bird (bb)", peer_figure=grid.size / bound.wall / 1e9,
                       ratio=bound.wall / own.wall)
            row, column = place
            took = opencv_seconds(grid, np.ascontiguousarray(
                grid[row:row + size, column:column + size]), 1 if bench.quick else 3)
            if took:
                yield Line(**line, peer="OpenCV", peer_figure=grid.size / took / 1e9,
                           ratio=took / own.wall)


# ---- signatures, by whole commands -----------------------------------------------------------


def timed(command: Sequence, repeats: int) -> tuple:
    """Median seconds of a command, and what it prints."""
    times, out = [], b""
    for _ in range(repeats):
        began = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        times.append(time.perf_counter() - began)
        if done.returncode not in (0, 1):
            raise BenchError(f"{command[0]}: {done.stderr.decode(errors='replace')[:300]}")
        out = done.stdout
    return median(times), out


def signature_lines(bench: Bench) -> Iterator[Line]:
    """Hex strings of YARA rules in a program: which of them occur?"""
    table = read_data(bench.data, "sigs/signature_base_hex_strings.tsv.xz") if bench.data else None
    program = read_data(bench.data, "sigs/clamav_test_program.bin.xz") if bench.data else None
    if not table or not program or not shutil.which("yara"):
        print("bench: signatures are left out: they need yara and --data FOLDER with sigs/",
              file=sys.stderr)
        return
    folder = Path(bench.work.name)
    strings = list(dict.fromkeys(line.split("\t")[3] for line in table.decode().splitlines()[1:]))
    (folder / "program").write_bytes(program)
    (folder / "hex").write_text("".join(f"{s}\n" for s in strings))
    (folder / "rules.yar").write_text("".join(
        f"rule r{i} {{ strings: $s = {{ {s} }} condition: $s }}\n" for i, s in enumerate(strings)))
    repeats = max(bench.repeats, 3)
    own, out = timed([bench.build / "trawl", "find", "--threads", "1", "--only-ids", "--hex",
                      "-f", folder / "hex", folder / "program"], repeats)
    other, theirs = timed(["yara", "-w", folder / "rules.yar", folder / "program"], repeats)
    found = len(out.splitlines()[1:])
    expected = len(theirs.splitlines())
    yield Line("signatures", f"{len(strings)} hex strings in a program, whole command", "", found,
               "s", own, peer="yara", peer_figure=other, ratio=other / own,
               agrees="yes" if found == expected else "NO",
               note="" if found == expected else f"{found} strings occur, yara finds {expected}")


SECTIONS = {
    "literals": lambda bench, n: text_lines(bench, "one literal", literal_works(bench, n)),
    "sets": lambda bench, n: text_lines(bench, "sets of literals", set_works(bench, n)),
    "classes": lambda bench, n: text_lines(bench, "class patterns", class_works(bench, n)),
    "calls": lambda bench, n: call_lines(bench),
    "pictures": lambda bench, n: picture_lines(bench),
    "signatures": lambda bench, n: signature_lines(bench),
}
