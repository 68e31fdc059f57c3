"""What must be found, by Python's own means: slow, and without a line of Trawl's."""
import re


def random_pattern(rng):
    """An extended pattern over a few letters, which mean the same to Python's re."""
    return "|".join(random_alternative(rng) for _ in range(rng.choice([1, 1, 1, 2])))


def random_alternative(rng):
    parts = []
    for _ in range(rng.randint(1, 4)):
        element = rng.choice(["a", "b", "c", ".", "[ab]", "[^b]", "[a-c]"])
        parts.append(element + rng.choice(["", "", "", "?", "*", "+", "{2}", "{1,3}", "{0,2}"]))
    return "".join(parts)


def pairs_of(pattern, text, flags=()):
    """All (start, end) that it matches, but for the empty ones and those that flags forbid."""
    matcher = re.compile(pattern.encode(), re.DOTALL | (re.IGNORECASE if "NOCASE" in flags else 0))
    return [(start, end) for end in range(1, len(text) + 1) for start in range(end)
            if matcher.fullmatch(text, start, end) and is_allowed(text, start, end, flags)]


def is_allowed(text, start, end, flags):
    """By the flags that are about lines and words."""
    newline = b"\0" if "NULS" in flags else b"\n"
    before, after = text[:start][-1:], text[end:end + 1]
    if "LINES" in flags and newline in text[start:end]:
        return False
    if "WORDS" in flags and re.match(rb"\w", before) or "WORDS" in flags and re.match(rb"\w", after):
        return False
    return "WHOLE_LINES" not in flags or (before in (b"", newline) and after in (b"", newline))


def is_pattern(pattern):
    """No alternative matches an empty text."""
    return all(lengths_of(part)[0] > 0 for part in pattern.split("|"))


def lengths_of(pattern):
    """Least and greatest length of a match; None: no greatest one."""
    parser = getattr(re, "_parser", None) or __import__("sre_parse")
    least, most = parser.parse(pattern).getwidth()
    return least, most if most < 10**6 else None


# ---- other languages: a pattern, and what it is in re ----------------------------


def _repeat(rng, least, most):
    """A repeat of an element: how often, as (least, most), and what re writes after it."""
    a = rng.randint(least, most)
    b = rng.choice([a or 1, rng.randint(a or 1, most)])
    return a, b, "{%d,%d}" % (a, b)


def random_prosite(rng):
    """A motif of PROSITE over the letters that `random_text` has."""
    given, meant = [], []
    for place in range(rng.randint(1, 5)):
        letters = "".join(rng.sample("ACDE", rng.randint(1, 3)))
        kind = rng.randrange(4 if place else 2)  # the first is a letter, so none is empty
        given.append([letters[0], f"[{letters}]", f"{{{letters}}}", "x"][kind])
        meant.append([letters[0], f"[{letters}]", f"(?![{letters}])[A-Z]", "[A-Z]"][kind])
        if place and rng.random() < 0.4:
            a, b, repeat = _repeat(rng, 0, 3)
            given[-1] += f"({a})" if a == b else f"({a},{b})"
            meant[-1] = f"(?:{meant[-1]})" + repeat
    return "-".join(given), "".join(meant)


_CODES = {"A": "A", "C": "C", "G": "G", "T": "T", "R": "AG", "Y": "CT", "S": "CG", "W": "AT",
          "K": "GT", "M": "AC", "B": "CGT", "D": "AGT", "H": "ACT", "V": "ACG", "N": "ACGT"}
_COMPLEMENT = dict(zip("ACGT", "TGCA"))


def random_iupac(rng, other_strand, ambiguous):
    """A pattern of nucleotides' codes. A code of the text matches where all that it stands for is
    allowed, or, ambiguous, one of it."""
    given, meant = [], []
    for place in range(rng.randint(1, 6)):
        code = rng.choice("ACGTACGT" + "".join(_CODES))
        bases = {_COMPLEMENT[b] for b in _CODES[code]} if other_strand else set(_CODES[code])
        passes = bases.intersection if ambiguous else bases.issuperset
        letters = "".join(c for c, of in _CODES.items() if passes(of))
        a, b, repeat = _repeat(rng, 1, 3) if rng.random() < 0.3 else (1, 1, "")
        given.append(code + (f"{{{a},{b}}}" if repeat else ""))
        meant.append(f"[{letters}]" + repeat)
    return "".join(given), "".join(reversed(meant) if other_strand else meant)


def random_hex(rng):
    """Bytes in hexadecimal, with wild digits, jumps and choices."""
    given, meant = [], []
    for place in range(rng.randint(1, 5)):
        byte, other = rng.choice(b"abcd\n"), rng.choice(b"abcd\n")
        high, low = byte >> 4, byte & 15
        kind = rng.randrange(6)
        given.append([f"{byte:02x}", f"{high:X}?", f"?{low:x}", "??", f"~{byte:02x}",
                      f"({byte:02x} | {other:02X} {byte:02x})"][kind])
        one, two = f"\\x{byte:02x}", f"\\x{other:02x}"
        meant.append([one, f"[\\x{high:x}0-\\x{high:x}f]",
                      "[" + "".join(f"\\x{i:x}{low:x}" for i in range(16)) + "]", ".",
                      f"[^{one}]", f"(?:{one}|{two}{one})"][kind])
        if place and rng.random() < 0.3:
            a, b, repeat = _repeat(rng, 0, 3)
            given.insert(-1, f"[{a}-{b}]" if a != b else f"[{a}]")
            meant.insert(-1, "." + repeat)
    return " ".join(given), "".join(meant)


# ---- reports ---------------------------------------------------------------------


def _extreme(pairs, choose):
    best = {}
    for start, end in pairs:
        best[start] = choose(best.get(start, end), end)
    return [(start, end) for start, end in best.items()]


def _apart(candidates):
    """Of (start, end, pattern) by preference those that do not overlap, from the left."""
    taken, at = [], 0
    for start, end, pattern in candidates:
        if start >= at:
            taken.append((start, end, pattern))
            at = end
    return taken


def find(patterns, text, report, flags=None):
    """Matches of extended patterns as tuples (pattern, start, end, 0), in the order promised; of each
    there may be a set of names of flags."""
    found = []
    longest = []
    for number, pattern in enumerate(patterns):
        pairs = pairs_of(pattern, text, flags[number] if flags else ())
        least, most = lengths_of(pattern)
        fixed = least == most
        if report == "pairs":
            found += [(number, *pair) for pair in pairs]
        elif report == "ends":
            starts = {end: start for start, end in pairs}
            found += [(number, starts[end] if fixed else -1, end) for end in sorted(starts)]
        elif report in ("longest", "shortest"):
            found += [(number, *pair) for pair in _extreme(pairs, max if report == "longest" else min)]
        elif report == "each" and fixed:
            found += [(number, *pair) for pair in pairs]
        elif report == "each":
            found += [(number, start, end) for start, end, _ in
                      _apart(sorted((s, e, number) for s, e in _extreme(pairs, max)))]
        elif report == "leftmost-first":
            firsts = {}  # of a row the longest match is the first, of alternatives the first one's
            for part in pattern.split("|"):
                for start, end in _extreme(pairs_of(part, text, flags[number] if flags else ()), max):
                    firsts.setdefault(start, end)
            longest += [(start, end, number) for start, end in firsts.items()]
        else:
            longest += [(start, end, number) for start, end in _extreme(pairs, max)]
    if report == "leftmost-longest":
        longest.sort(key=lambda m: (m[0], -m[1], m[2]))
    elif report == "leftmost-first":
        longest.sort(key=lambda m: (m[0], m[2]))
    found += [(number, start, end) for start, end, number in _apart(longest)]
    unknown_last = 10**9
    found.sort(key=lambda m: (m[2], m[1] if m[1] >= 0 else unknown_last, m[0]))
    if flags:
        first = {m[0]: m for m in reversed(found)}
        found = [m for m in found if "ONCE" not in flags[m[0]] or m is first[m[0]]]
    return [(*m, 0) for m in found]


def find_literals(words, text):
    """Every occurrence of every word, in the order of `find`."""
    found = []
    for number, word in enumerate(words):
        at = text.find(word)
        while at >= 0:
            found.append((at + len(word), at, number))
            at = text.find(word, at + 1)
    return [(number, start, end, 0) for end, start, number in sorted(found)]


def find_in_grid(needles, picture):
    """Every place of every needle: (needle, row, col)."""
    found = []
    for number, needle in enumerate(needles):
        rows, cols = needle.shape[:2]
        for row in range(picture.shape[0] - rows + 1):
            for col in range(picture.shape[1] - cols + 1):
                if (picture[row:row + rows, col:col + cols] == needle).all():
                    found.append((row, col, number))
    return [(number, row, col) for row, col, number in sorted(found)]
