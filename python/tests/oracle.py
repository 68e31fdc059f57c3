"""What must be found, by Python's own means: slow, and without a line of Trawl's."""
import re


def random_pattern(rng):
    """An extended pattern over a few letters, which Python's re means likewise."""
    return "|".join(random_alternative(rng) for _ in range(rng.choice([1, 1, 1, 2])))


def random_alternative(rng):
    parts = []
    for _ in range(rng.randint(1, 4)):
        element = rng.choice(["a", "b", "c", ".", "[ab]", "[^b]", "[a-c]"])
        parts.append(element + rng.choice(["", "", "", "?", "*", "+", "{2}", "{1,3}", "{0,2}"]))
    return "".join(parts)


def pairs_of(pattern, text):
    """All (start, end) that it matches, but for the empty ones."""
    matcher = re.compile(pattern.encode(), re.DOTALL)
    return [(start, end) for end in range(1, len(text) + 1) for start in range(end)
            if matcher.fullmatch(text, start, end)]


def is_pattern(pattern):
    """No alternative matches an empty text."""
    return all(lengths_of(part)[0] > 0 for part in pattern.split("|"))


def lengths_of(pattern):
    """Least and greatest length of a match; None: no greatest one."""
    parser = getattr(re, "_parser", None) or __import__("sre_parse")
    least, most = parser.parse(pattern).getwidth()
    return least, most if most < 10**6 else None


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


def find(patterns, text, report):
    """Matches of extended patterns as tuples (pattern, start, end, 0), in the order promised."""
    found = []
    longest = []
    for number, pattern in enumerate(patterns):
        pairs = pairs_of(pattern, text)
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
        else:
            longest += [(start, end, number) for start, end in _extreme(pairs, max)]
    if report == "leftmost-longest":
        longest.sort(key=lambda m: (m[0], -m[1], m[2]))
    elif report == "leftmost-first":
        longest.sort(key=lambda m: (m[0], m[2]))
    found += [(number, start, end) for start, end, number in _apart(longest)]
    unknown_last = 10**9
    found.sort(key=lambda m: (m[2], m[1] if m[1] >= 0 else unknown_last, m[0]))
    return [(*m, 0) for m in found]


def find_literals(words, text):
    """Every occurrence of every word, likewise."""
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
