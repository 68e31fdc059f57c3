"""cliffs.py: sets and texts on which engines are slow, each made against some engine.

A case is a set of patterns, a text and the engines that are measured by name. The first of those
is what "auto" is held against: Aho-Corasick, Baker-Bird and, for class patterns, SHIFT-AND, which no
text makes slow.
"""
from __future__ import annotations

import sys
from random import Random
from string import ascii_lowercase, ascii_uppercase
from typing import Dict, Iterator, List, NamedTuple, Sequence, Union

import numpy as np

from .inputs import (generate_text, make_genome, make_picture, plan, read_data, repeated,
                     stretches)

LITERALS = ("ac", "bm", "wm", "pfac", "wm/ac", "pfac/ac", "packed/bm", "teddy/ac", "qgrams/ac",
            "kmers/ac")
CLASSES = ("shiftand", "hnfa", "bitslice/shiftand", "factors/shiftand")
GRIDS = ("bb", "byr", "byr/bb", "ku", "ku/bb")
BOUNDS = ("ac", "bb", "shiftand")
PAIRS = 1  # TRAWL_REPORT_PAIRS
MANY, MANY_QUICK = 10000, 1000
TILE, SIDE, NEEDLE = 16, 2048, 128

Text = Union[bytes, np.ndarray]


class Case(NamedTuple):
    set: str
    text: str
    data: Text
    plan: Dict
    engines: Sequence[str]
    row: Dict = {}


def literals(name: str, of: Sequence[bytes], text: str, data: bytes, **row) -> Case:
    return Case(name, text, data, plan("", list(dict.fromkeys(of))), LITERALS, row)


def classes(name: str, of: Sequence[str], text: str, data: bytes, engines=CLASSES, **row) -> Case:
    return Case(name, text, data, {"extended": True, "patterns": list(of)}, engines, row)


def many(bench) -> int:
    return MANY_QUICK if bench.quick else MANY


def left_out(what: str, files: str) -> None:
    print(f"bench: {what} are left out: they need --data FOLDER with {files}", file=sys.stderr)


def letters(random: Random, count: int) -> bytes:
    return "".join(random.choices(ascii_lowercase, k=count)).encode()


def lines(random: Random, length: int, make) -> bytes:
    """Lines of make(), a quarter of a megabyte of them repeated."""
    made: List[bytes] = []
    size = 0
    while size < min(length, 1 << 18):
        made.append(make() + b"\n")
        size += len(made[-1])
    random.shuffle(made)
    return repeated(b"".join(made), length)


# ---- sets that look alike ----------------------------------------------------------


def words_cases(bench, n: int) -> Iterator[Case]:
    """Words of a large list in a text of the same language, alone and beside what is unlike."""
    random = Random(bench.seed)
    english = read_data(bench.data, "text/bible.txt.xz") if bench.data else None
    listed = read_data(bench.data, "dict/american-english-huge.xz") if bench.data else None
    if not english or not listed:
        left_out("words in English", "text/bible.txt.xz and dict/american-english-huge.xz")
        return
    text, dna = repeated(english, n), make_genome(bench, n // 3)
    every = listed.split()
    random.shuffle(every)
    words = [word for word in every if len(word) >= 4 and word.isalpha() and word.isascii()]
    for count in (10, 100, 1000, 10000):
        yield literals(f"{count} words", words[:count], "English", text)
    yield literals("100000 words of any length", every[:100000], "English", text)
    yield literals("1000 words, 3 short ones", words[:1000] + [b"qz", b"!", b"Zx"], "English", text)
    yield literals("1 name", [b"Captain Nemo"], "English", text)
    yield literals("1 sentence", [b"In the beginning God created the heaven and the earth"],
                   "English", text)
    spelled = [word.decode() for word in words[:10000]]
    # RunHNFA would need a module for each of the words.
    yield classes(r"10000 words, err\d", spelled + [r"err\d"], "English", text, CLASSES[:1])
    yield classes("10000 words, [0-9]{3}\\.[0-9]{3}", spelled + ["[0-9]{3}\\.[0-9]{3}"], "English",
                  text, CLASSES[:1])
    if dna:
        zeros, third = bytes(n // 3), text[:n // 3]
        mixed = words[:1000] + stretches(dna, 1000, 16, 16, bench.seed) + [bytes(64)]
        for name, parts in (("English, DNA, zeros", (third, dna, zeros)),
                            ("zeros, DNA, English", (zeros, dna, third)),
                            ("DNA, zeros, English", (dna, zeros, third))):
            yield literals("1000 words, 1000 16-mers, 64 zeros", mixed, name, b"".join(parts))


def dna_cases(bench, n: int) -> Iterator[Case]:
    random = Random(bench.seed)
    genome = make_genome(bench, n)
    name = "genome" if genome else "random ACGT"
    text = genome or repeated("".join(random.choices("ACGT", k=min(n, 1 << 22))).encode(), n)
    for size, count in ((16, 10), (16, 100), (16, 1000), (16, many(bench)), (8, 1000)):
        yield literals(f"{count} {size}-mers", stretches(text, count, size, size, bench.seed), name,
                       text)


def prefix_cases(bench, n: int) -> Iterator[Case]:
    """Beginnings that all share, and one pattern that is nothing else."""
    random, count = Random(bench.seed), many(bench)

    def host() -> bytes:
        return letters(random, random.randint(3, 9)) + b"." + random.choice((b"com", b"org"))

    urls = [b"https://www." + host() + b"/" for _ in range(count - 1)] + [b"https://www"]
    yield literals(f"{count - 1} URLs, https://www", urls, "log of URLs",
                   lines(random, n, lambda: b"GET " + random.choice(urls) + b"index.html"))

    def address() -> bytes:
        return b"192.168.%d.%d" % (random.randrange(256), random.randrange(256))

    yield literals(f"{count - 1} addresses, 192.168.1",
                   [address() for _ in range(count - 1)] + [b"192.168.1"], "log of addresses",
                   lines(random, n, lambda: b"%s -> %s len %d" % (address(), address(),
                                                                  random.randrange(1500))))

    def moment() -> bytes:
        day, hour, rest = random.randint(1, 28), random.randrange(24), random.randrange(3600)
        return b"2024-%02d-%02dT%02d:%02d:%02d" % (random.randint(1, 12), day, hour, rest // 60,
                                                   rest % 60)

    yield literals(f"{count} ISO times", [moment() for _ in range(count)], "log with times",
                   lines(random, n, lambda: moment() + b".123Z INFO request done"))

    def tag() -> bytes:
        return b'<div class="' + letters(random, 8)

    yield literals(f'{count} of <div class="????????', [tag() for _ in range(count)], "HTML",
                   lines(random, n, lambda: tag() + b'">x</div>'))
    hexed = [random.randbytes(8).hex().encode() for _ in range(1000)]
    yield literals("1000 hex numbers of 16", hexed, "hex",
                   repeated(random.randbytes(min(n, 1 << 20)).hex().encode(), n))


# ---- texts that repeat themselves ---------------------------------------------------


def run_cases(bench, n: int) -> Iterator[Case]:
    random, count = Random(bench.seed), many(bench)
    a, zeros = b"a" * n, bytes(n)
    yield literals(f"{count} of aa??????aaa", [b"aa" + letters(random, 6) + b"aaa"
                                              for _ in range(count)], "a", a)
    yield literals("16384 zeros", [bytes(16384)], "zeros", zeros)
    disk = bytearray(n)
    for at in range(0, n - 16384, 65536):
        disk[at:at + 16384] = random.randbytes(16384)
    yield literals("512 zeros", [bytes(512)], "disk image", bytes(disk))
    yield literals("23 zeros", [bytes(23)], "random bytes", random.randbytes(n))
    # 200 matches a byte: less of the text.
    yield literals("a^20 .. a^219", [b"a" * k for k in range(20, 220)], "a", a[:n // 8])
    yield literals("a^20 b .. a^219 b", [b"a" * k + b"b" for k in range(20, 220)], "a", a)
    yield literals("26 of a^31 b a^31 ?", [b"a" * 31 + b"b" + b"a" * 31 + bytes([c])
                                         for c in ascii_lowercase.encode()], "a", a)
    fib = [b"a", b"ab"]
    while len(fib[-1]) < n:
        fib.append(fib[-1] + fib[-2])
    # A factor of the word of 233 letters, and one letter more.
    yield literals("26 Fibonacci words and a letter", [fib[11] + bytes([c])
                                                       for c in ascii_lowercase.encode()],
                   "Fibonacci word", fib[-1][:n])


# ---- texts made against filters ------------------------------------------------------


def shuffled(random: Random, pieces: Sequence[bytes], n: int) -> bytes:
    """A quarter of a megabyte of the pieces in any order, repeated."""
    made: List[bytes] = []
    size = 0
    while size < min(n, 1 << 18):
        made.append(random.choice(pieces))
        size += len(made[-1])
    return repeated(b"".join(made), n)


def filter_cases(bench, n: int) -> Iterator[Case]:
    """Texts in which a filter finds candidates everywhere, and nothing matches, or nearly nothing."""
    random = Random(bench.seed)
    one = b"<needle!>"
    yield literals("1 of 9 bytes", [one], "it but for its first byte",
                   repeated(b"[" + one[1:], n))
    yield literals("1 of 9 bytes", [one], "it but for its middle",
                   repeated(one[:4] + b"_" + one[5:], n))
    yield literals("1 of 9 bytes", [one], "its bytes in any order",
                   shuffled(random, [bytes([c]) for c in one], n))
    yield literals("1 of 33 a, b in the middle", [b"a" * 16 + b"b" + b"a" * 16],
                   "a, b at every 33rd place but one", repeated((b"a" * 31 + b"b") * 32, n))
    for count in (10, 1000, many(bench)):
        words = [letters(random, random.randint(6, 12)) for _ in range(count)]
        yield literals(f"{count} words", words, "them without their last letters",
                       shuffled(random, [word[:-1] for word in words], n))
        yield literals(f"{count} words", words, "their grams of 4 in any order",
                       shuffled(random, [word[at:at + 4] for word in words for at in range(2)], n))
    bases = ["".join(random.choices("ACGT", k=16)).encode() for _ in range(1000)]
    yield literals("1000 16-mers", bases, "them without their last bases",
                   shuffled(random, [base[:-1] for base in bases], n))
    yield literals("1000 16-mers, A^16", bases + [b"A" * 16], "A", b"A" * n)
    yield literals("1000 16-mers", bases, "N, single bases",
                   shuffled(random, [b"N", b"N", b"A", b"C", b"G", b"T"], n))
    motif = "[ST][^P][DE][RK]{2}[ST][^P][DE]"
    motifs = [motif[:at] + "W" + motif[at:] for at in (0, 4, 8, 12)]
    yield classes(f"{len(motifs)} motifs with a W", motifs, "the motif without the W",
                  shuffled(random, [b"SADRKSAD", b"TGEKRTGE"], n))
    many_motifs = [f"[ST][^P][DE]{a}.{{2,4}}{b}[RK]" for a in ascii_uppercase[:16]
                   for b in ascii_uppercase[:8]]
    yield classes(f"{len(many_motifs)} motifs", many_motifs, "one letter", b"S" * n)
    yield classes(f"{len(many_motifs)} motifs", many_motifs, "their letters in any order",
                  shuffled(random, [bytes([c]) for c in b"STDERKABCD"], n))
    heads = ["header.{0,200}trailer", "begin.{10,1000}finish"]
    yield classes("2 with jumps", heads, "their first factors", shuffled(
        random, [b"header", b"begin"], n))
    yield classes("2 with jumps", heads, "all their factors", shuffled(
        random, [b"header", b"begin", b"traile_", b"finis_"], n))


# ---- class patterns, streams, pairs ----------------------------------------------------


def fed_cases(bench, n: int) -> Iterator[Case]:
    random = Random(bench.seed)
    text, small = letters(random, n // 2), letters(random, n // 32)
    for pattern in ("qq.{0,4000}qq", ".{0,4000}q"):
        yield classes(pattern, [pattern], "random letters by 256", text, feed=256)
    source = generate_text(n // 4, bench.seed)
    long = stretches(source, 1000, 60, 60, bench.seed)
    fed = LITERALS[:1] + LITERALS[4:]
    yield literals("1000 stretches of 60", long, "source by 256", source, feed=256)._replace(
        engines=fed)
    yield literals("1000 stretches of 60", long, "source by 1", source[:n // 32],
                   feed=1)._replace(engines=fed)
    yield classes("a[bc]+d", ["a[bc]+d"], "random letters by 1", small, feed=1)
    pairs = b"x" + b"c" * (min(n, 32769) - 1)
    yield classes("x.*c", ["x.*c"], "x c^32768, pairs", pairs, report=PAIRS)


# ---- grids --------------------------------------------------------------------------


def grid(name: str, text: str, cells: np.ndarray, *needles: List[int]) -> Case:
    return Case(name, text, cells, {"needles": list(needles)}, GRIDS)


def grid_cases(bench) -> Iterator[Case]:
    side, needle = (SIDE // 16, NEEDLE // 4) if bench.quick else (SIDE, NEEDLE)
    line, column = np.ogrid[:side, :side]
    checkers = ((line + column) & 1).astype(np.uint8)
    at, last = side // 2, side // 2 + needle - 1
    for where, flaw in (("at its end", (last, last)), ("in the middle", (at + needle // 2,) * 2)):
        flawed = checkers.copy()
        flawed[flaw] = 2
        yield grid(f"checkerboard {needle}, a flaw {where}", f"checkerboard {side}", flawed,
                   [at, at, needle])
    yield grid(f"checkerboard {needle}", f"checkerboard {side}", checkers, [0, 0, needle])
    plain = np.zeros((side, side), np.uint8)
    yield grid("one colour, 16 and 64" if not bench.quick else "one colour, 16 and 32",
               f"one colour {side}", plain, [0, 0, 16], [0, 0, needle // 2 if needle > 64 else 32])
    spot = plain.copy()
    spot[last, last] = 1
    yield grid(f"one colour {needle}, a spot at its end", f"one colour {side}", spot,
               [at, at, needle])
    for name, axis in (("lying", line), ("standing", column)):
        stripes = (axis & 1).astype(np.uint8) + 0 * checkers
        yield grid(f"stripes {needle}", f"{name} stripes {side}", stripes, [0, 0, needle])
        stripes[last, last] = 2
        yield grid(f"stripes {needle}, a flaw", f"{name} stripes {side}", stripes,
                   [at, at, needle])
    name = "images/browserquest/map_1x.png"
    cells = make_picture(bench, name) if bench.data else None
    if cells is None:
        left_out("tiles in a map", name)
        return
    random, rows, cols = Random(bench.seed), len(cells) // TILE, len(cells[0]) // TILE
    tiles: Dict[bytes, List[int]] = {}
    for _ in range(4000):
        row, col = TILE * random.randrange(rows), TILE * random.randrange(cols)
        if len(tiles) < 64:
            tiles.setdefault(cells[row:row + TILE, col:col + TILE].tobytes(), [row, col, TILE])
    yield grid(f"{len(tiles)} tiles of {TILE}", "map of tiles", np.ascontiguousarray(cells),
               *tiles.values())


def cases(bench, n: int) -> Iterator[Case]:
    """All of them, with texts of about n bytes."""
    yield from words_cases(bench, n)
    yield from dna_cases(bench, n)
    yield from prefix_cases(bench, n)
    yield from run_cases(bench, n)
    yield from filter_cases(bench, n)
    yield from fed_cases(bench, n)
    yield from grid_cases(bench)
