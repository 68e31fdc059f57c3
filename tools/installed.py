#!/usr/bin/env python3
"""The package `trawl` of this Python, wherever it was installed from: its library is loaded, and what it finds
is what `re`, and plain Python, find, by the processor's best instruction set. Run from a folder without the sources.

Usage: installed.py
"""
import gzip
import importlib.metadata
import os
import platform
import random
import re
import sys
import tempfile

import numpy as np
import trawl

checked = 0


def same(what, found, expected):
    global checked
    checked += 1
    if found != expected:
        sys.exit("%s: trawl says %r, and it is %r" % (what, found, expected))


folder = os.path.dirname(trawl.__file__)
version = importlib.metadata.version("libtrawl")
same("the version", trawl.__version__, version)

# ---- the processor's vectors, as Linux has asked it ------------------------------------------

flags = set()
with open("/proc/cpuinfo") as file:
    for line in file:
        if line.startswith("flags"):
            flags = set(line.split(":")[1].split())
            break
machine = platform.machine()
avx2 = {"avx2", "bmi1", "bmi2", "popcnt"} <= flags
avx512 = avx2 and {"avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512_vbmi2"} <= flags
isas = ["portable"]
if machine == "x86_64":
    isas += ["avx2"] * avx2 + ["avx512"] * avx512
elif machine == "aarch64":
    isas.append("neon")
same("the instruction sets", trawl.isas(), isas)
same("the instruction set in use", trawl.compile("a").isa, os.environ.get("TRAWL_ISA", isas[-1]))

# ---- literals and classes in a text, beside re's lookahead, which finds matches that overlap ------

seed = int(os.environ.get("TRAWL_TEST_SEED", "2"))
rng = random.Random(seed)
words = ["".join(rng.choice("ab ") for _ in range(rng.randint(2, 6))) for _ in range(60)]
text = "".join(rng.choice("abc ") for _ in range(200000)).encode()
patterns = sorted(set(words)) + ["a[bc]{2}a", "c.[^a]"]
plan = trawl.compile(patterns)
expected = [len(re.findall(b"(?s)(?=%s)" % p.encode(), text)) for p in patterns]
same("counts by pattern", plan.count_each(text).tolist(), expected)
same("the number of matches", plan.count(text), sum(expected))
found = plan.find(text)
first = found[found["pattern"] == 0]
same("where they start", first["start"].tolist(),
     [m.start() for m in re.finditer(b"(?=%s)" % patterns[0].encode(), text)])
literals = trawl.compile(patterns[:-2])
pieces = [text[i:i + 100] for i in range(0, 20000, 100)]
same("many texts", len(literals.find_many(pieces)),
     sum(len(re.findall(b"(?=%s)" % p.encode(), piece)) for p in patterns[:-2] for piece in pieces))

# ---- a picture, and a file that is compressed ---------------------------------------------------

picture = np.frombuffer(rng.randbytes(40 * 50), np.uint8).reshape(40, 50) % 2
needle = picture[7:9, 11:14]
same("a picture", trawl.grid([needle]).count(picture),
     sum((picture[y:y + 2, x:x + 3] == needle).all() for y in range(39) for x in range(48)))
with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, "two.fasta.gz")
    with gzip.open(path, "wb") as file:
        file.write(b">first\nACGT\nACGT\n>second\nTTTT\n")
    with trawl.open(path) as records:
        same("a file", [(r.name, r.data) for r in records], [("first", b"ACGTACGT"), ("second", b"TTTT")])

print("trawl %s in %s: %d answers as Python's own (Python %s, NumPy %s, seed %d)"
      % (version, folder, checked, sys.version.split()[0], np.__version__, seed))
