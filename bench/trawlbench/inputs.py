"""inputs.py: texts, grids and sets of patterns, all from one seed, or from files.

A generated text reads like source code: lines of words drawn from a vocabulary, frequent ones
more often, with indents, brackets and signs between them. Longer texts repeat shorter ones.
Patterns are stretches of the text, or are derived from one, so that every pattern occurs; or they
are literals of real rules.
"""
from __future__ import annotations

import gzip
import lzma
import os
import re
import sys
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Dict, List, Optional, Tuple

import numpy as np

VOCABULARY = 4000
GENERATED_MOST = 32 << 20
SIGNS = (" ", " ", " ", " ", "_", "(", ") ", " = ", ".", "->", " == ", "; ", ", ", "[", "] ", " + ")
ENDS = (";\n", ";\n", ",\n", " {\n", "}\n", "\n", " */\n")

# ---- texts -----------------------------------------------------------------------


def make_word(random: Random) -> str:
    consonants, vowels = "bcdfglmnprstvxz", "aeiou"
    return "".join(random.choice(consonants) + random.choice(vowels) +
                   (random.choice(consonants) if random.random() < 1 / 3 else "")
                   for _ in range(random.randint(1, 4)))


def generate_text(length: int, seed: int) -> bytes:
    random = Random(seed)
    words = [make_word(random) for _ in range(VOCABULARY)]
    lines, size = [], 0
    while size < length:
        line = " " * random.choice((0, 4, 8, 12, 16))
        for _ in range(random.randint(2, 10)):
            # The product of two numbers favours small ones, as frequent words do.
            line += words[int(VOCABULARY * random.random() * random.random())]
            line += random.choice(SIGNS)
        lines.append(line + random.choice(ENDS))
        size += len(lines[-1])
    return "".join(lines).encode()[:length]


def repeated(data: bytes, length: int) -> bytes:
    return (data * (length // len(data) + 1))[:length]


def read_data(folder: Optional[str], name: str) -> Optional[bytes]:
    """A file, unpacked when its name ends in .xz or .gz; None when it cannot be read."""
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(Path(name).suffix, open)
    try:
        with opener(os.path.join(folder or "", name), "rb") as file:
            return file.read()
    except (OSError, EOFError, lzma.LZMAError):
        return None


def make_text(bench, length: int) -> Tuple[bytes, str]:
    """A text of --text, of the data's source text, or generated; and which it is."""
    if bench.text:
        data = read_data(None, bench.text)
        if data:
            return repeated(data, length), f"{bench.text}, repeated"
        bench.complain(f"{bench.text}: cannot be read, or is empty; a generated text is taken")
    data = read_data(bench.data, "text/tcpdump_source.c.xz") if bench.data else None
    if data:
        return repeated(data, length), "C source (tcpdump), repeated"
    data = generate_text(min(length, GENERATED_MOST), bench.seed)
    what = "generated, like source code" + (", repeated" if length > len(data) else "")
    return repeated(data, length), what


def make_genome(bench, length: int) -> Optional[bytes]:
    """The sequence of E. coli from --data, repeated; None when there is none."""
    fasta = read_data(bench.data, "dna/ecoli_k12_mg1655.fasta.gz") if bench.data else None
    letters = re.sub(rb">.*\n|[^A-Za-z]", b"", fasta or b"")
    return repeated(letters, length) if letters else None


# ---- patterns --------------------------------------------------------------------


def plan(engine: str, literals: List[bytes], wm_block: int = 0) -> Dict:
    """A plan of literals, as bench_cells takes it: escaped."""
    return {"engine": engine, "wm_block": wm_block,
            "patterns": ["".join(SHOWN[c] for c in literal) for literal in literals]}


SHOWN = [chr(c) if 32 <= c < 127 and c != 92 else f"\\x{c:02x}" for c in range(256)]
QUOTED = [chr(c) if chr(c).isalnum() and c < 128 else f"\\x{c:02x}" for c in range(256)]


def unlikely(stretch: bytes) -> bool:
    """A word list would not hold it: line ends, and the blanks that indent a line."""
    return b"\n" in stretch or b"  " in stretch or stretch.strip() != stretch


def stretches(text: bytes, count: int, least: int, most: int, seed: int) -> List[bytes]:
    """`count` different stretches of the text, `least` to `most` bytes long."""
    random = Random(seed)
    found: Dict[bytes, None] = {}
    limit = 200 * count + 2000
    for tries in range(limit):
        if len(found) == count:
            break
        size = random.randint(least, most)
        start = random.randrange(len(text) - size)
        stretch = bytes(text[start:start + size])
        # Texts that have no others give what they have.
        if tries >= limit // 2 or not unlikely(stretch):
            found[stretch] = None
    return list(found)


def rules(bench, text: bytes, count: int, least: int, most: int) -> Tuple[List[bytes], str]:
    """Literals of rules from --data, from all over the file; else stretches that look like them."""
    name = "ids/et_open_2017_contents.tsv.xz"
    table = read_data(bench.data, name) if bench.data else None
    random = Random(1)
    found: Dict[bytes, None] = {}
    others: Dict[bytes, None] = {}  # for when one in three is too few
    for line in (table or b"").split(b"\n")[1:]:
        fields = line.split(b"\t")  # the second one is a literal in hex
        if len(found) == count:
            break
        if len(fields) > 2:
            taken = found if random.random() < 1 / 3 else others
            if least <= len(fields[1]) // 2 <= most:
                taken[bytes.fromhex(fields[1].decode())] = None
    found.update(dict.fromkeys(random.sample(list(others), len(others))))
    if len(found) >= count:
        return list(found)[:count], "literals of IDS rules (Emerging Threats 2017)"
    # About as many states as literals of rules: 27,570 for the paper's 1000, the longest 128.
    return stretches(text, count, 4, most // 2 - 8, bench.seed + least), "stretches of the text"


def trie_states(literals: List[bytes]) -> int:
    """States of the trie of the literals, root included."""
    states, before = 1, b""
    for literal in sorted(literals):
        states += len(literal) - len(os.path.commonprefix([literal, before]))
        before = literal
    return states


def extended(engine: str, text: bytes, count: int, states: int, seed: int) -> Dict:
    """A plan of extended patterns of exactly `states` states, each of which occurs in the text."""
    random = Random(seed)
    return {"engine": engine, "extended": True,
            "patterns": [extended_pattern(text, states, random) for _ in range(count)]}


def extended_pattern(text: bytes, states: int, random: Random) -> str:
    at = random.randrange(len(text) - states)
    while text[at:at + 1].isspace() and at + states + 1 < len(text):
        at += 1
    pattern = [QUOTED[text[at]]]  # no repeat at the ends: few matches
    at += 1
    used = 1
    while used < states:
        kind, other, c = random.randrange(100), random.choice(ascii_lowercase), QUOTED[text[at]]
        used += 1
        at += 1
        if kind < 60 or states - used < 2:
            pattern.append(c)
        elif kind < 75:
            pattern.append(f"[{c}{other}]")
        elif kind < 85:  # one that may be left out, and is
            pattern.append(other + "?")
            at -= 1
        elif kind < 95:
            pattern.append(c + "+")
        else:
            pattern.append(f"[{c}{other}]{{1,3}}")
            used += 2
    return "".join(pattern)


# ---- grids -----------------------------------------------------------------------


def make_cells(size: int, alphabet: int, seed: int) -> np.ndarray:
    """size * size random cells of 1 or 2 bytes below `alphabet`."""
    kind = np.uint8 if alphabet <= 256 else np.uint16
    return np.random.default_rng(seed).integers(alphabet, size=(size, size), dtype=kind)


def make_picture(bench, name: str) -> Optional[np.ndarray]:
    """A picture below --data, a pixel a cell; None when it cannot be read."""
    from PIL import Image, UnidentifiedImageError
    try:
        with Image.open(os.path.join(bench.data, name)) as picture:
            if picture.mode in ("1", "L"):
                return np.asarray(picture.convert("L"))
            return np.asarray(picture.convert("RGBA")).view(np.uint32)[:, :, 0]
    except (OSError, UnidentifiedImageError) as error:
        print(f"bench: {name} is left out: {error}", file=sys.stderr)
        return None
