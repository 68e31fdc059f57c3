"""Type hints: mypy finds no fault in the package, nor in a program that uses them rightly, and finds one
in a program that does not."""
import subprocess
import sys
from pathlib import Path

import pytest

import trawl

PROGRAM = """
import array
import mmap
import numpy as np
import trawl

plan: trawl.Plan = trawl.compile(["a", b"b"], syntax="literal", flags=[trawl.NOCASE, 0])
found: np.ndarray = plan.find(b"ab", report="pairs")
number: int = plan.count(b"ab")
with plan.stream() as stream:
    pieces: np.ndarray = stream.feed(b"a")
for record in trawl.open("file"):
    name: str = record.name
longest = plan.info.max_length
if longest is not None:
    longest += 1
places: np.ndarray = trawl.grid([np.zeros((2, 2))], names=["black"]).find(np.zeros((9, 9)))
tiles: trawl.GridPlan = trawl.grid(np.zeros((2, 2)), masks=np.ones((2, 2)), names=[b"black"])
batches = plan.iter(b"ab", batch=1)
sizes = [len(batch) for batch in batches]
batches.close()
there: trawl.Plan = plan.on("serial")
block: bytes = there.save()
loaded = trawl.load(block)
if isinstance(loaded, trawl.Plan):
    places = loaded.find_many([b"ab"])
trawl.compile(bytearray(b"ab"))
words: tuple[str, ...] = plan.names
plan.find(bytearray(b"a"))
plan.find(memoryview(b"a"), circular=True)
plan.find(mmap.mmap(-1, 9))
plan.find(array.array("B", b"a"))
plan.find(np.zeros(9, np.uint8))
plan.find_many(["a", b"b"])
plan.find_many([np.zeros(9, np.uint8)])
plan.find_many((b"ab", np.array([0, 1])))
plan.find_many(trawl.open(["a", "b"]))
plan.find_many(trawl.open("a").read())
trawl.compile({"name": "ab", "other": "b"}, conditions=[trawl.Conditions(from_begin=0, within=9), None])
asked: "trawl.Conditions | None" = trawl.compile("ab", conditions=trawl.Conditions(word="full")).conditions[0]
trawl.compile({"name": b"ab"}, strand="both", syntax="iupac")
trawl.compile(np.array([b"ab"]))
tiles = trawl.grid({"name": np.zeros((2, 2))})
first: bytes = trawl.open("a").read()[0]
some: list[bytes] = trawl.open("a").read()[0:2]
"""
# Each a fault of its own.
WRONG = """
plan.find(b'', reports='ends')
name = plan.count(b'')
trawl.Plan()
tiles = plan.on("serial")
loaded.find_many([b"ab"])
plan.names.append("")
found = plan.save("file")
plan.find(7)
plan.find("text")
plan.count(None)
plan.find_many(7)
plan.find_many([7])
plan.iter(7.5)
stream.feed(7)
trawl.compile(7)
trawl.compile([7])
trawl.open(7)
tiles.find(7)
trawl.grid([7])
"""


def test_hints(tmp_path):
    """All in one run, for mypy reads NumPy's hints first, which takes most of the time."""
    pytest.importorskip("mypy")
    assert (Path(trawl.__file__).parent / "py.typed").exists()
    sources = (Path(__file__).parents[1] / "trawl").glob("*.py")
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(PROGRAM)
    wrong.write_text(PROGRAM + WRONG)
    options = ["--ignore-missing-imports", "--follow-imports=silent", "--cache-dir=/dev/null"]
    found = subprocess.run([sys.executable, "-m", "mypy", *options, right, wrong, *sources],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
    errors = [line for line in found.splitlines() if " error: " in line]
    lines = [int(line.split(":")[1]) for line in errors if str(wrong) in line]
    first = PROGRAM.count("\n") + 2
    assert len(errors) == len(lines), found
    assert sorted(set(lines)) == list(range(first, first + WRONG.count("\n") - 1)), found
