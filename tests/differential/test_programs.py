"""The language of expressions, beside Python: random ones, on small texts.

For each start the ends in the order in which they are tried (program_matches.c) must begin with the
end that Python's re finds, and must be, as a set, those that a table of sets gives: an oracle of a
few lines, over the tree that an expression was written from.

Usage: test_programs.py TRAWL DATA. TRAWL_PROGRAM_MATCHES names the program; TRAWL_TEST_SEED and
TRAWL_TEST_CASES (4000, or one in TRAWL_TEST_EVERY of these) are read. What differs is printed whole.
"""

import os
import random
import re
import signal
import subprocess
import sys
import warnings

HELPER = os.environ.get("TRAWL_PROGRAM_MATCHES")
SEED = int(os.environ.get("TRAWL_TEST_SEED", random.randrange(1 << 30)))
CASES = int(os.environ.get("TRAWL_TEST_CASES", 4000 // int(os.environ.get("TRAWL_TEST_EVERY", "1"))))
NOCASE, LINES = 1, 2
GAVE_UP = -1
LETTERS = "aaaaabbbbc_ -\n\nA"
WORD = frozenset(range(48, 58)) | frozenset(range(65, 91)) | {95} | frozenset(range(97, 123))

# ---- expressions: (kind, what is written for Trawl, for Python, ...) ---------------------------

SETS = [("a", "a"), ("b", "b"), ("c", "c"), ("_", "_"), (" ", " "), ("\\n", "\\n"), (".", "."),
        ("[ab]", "[ab]"), ("[^a]", "[^a]"), ("[^\\n]", "[^\\n]"), ("\\w", "\\w"), ("\\W", "\\W"), ("\\s", "\\s"),
        ("\\S", "\\S"), ("[\\w-]", "[\\w-]"), ("\\x61", "a"), ("\\x{62}", "b"), ("\\141", "a"),
        ("\\o{142}", "b"), ("\\h", "[ \\t]"), ("\\H", "[^ \\t]"), ("\\N", "(?-s:.)"), ("[[:alpha:]]", "[A-Za-z]"),
        ("[^[:space:]]", "\\S"), ("\\Qa\\E", "a"), ("[\\Qab\\E]", "[ab]"), ("\\cJ", "\\n"), ("\\-", "-")]
# What a condition asks for, of text and place, with lines or without.
CONDITIONS = [("^", "^", lambda t, i, m: i == 0 or (m and t[i - 1] == 10)),
              ("$", "$", lambda t, i, m: i == len(t) or (t[i] == 10 and (m or i + 1 == len(t)))),
              ("\\A", "\\A", lambda t, i, m: i == 0),
              ("\\G", "\\A", lambda t, i, m: i == 0),
              ("\\z", "\\Z", lambda t, i, m: i == len(t)),
              ("\\Z", "(?=\\n?\\Z)", lambda t, i, m: i == len(t) or (t[i] == 10 and i + 1 == len(t))),
              ("\\b", "\\b", lambda t, i, m: word(t, i - 1) != word(t, i)),
              ("\\B", "(?!\\b)", lambda t, i, m: word(t, i - 1) == word(t, i)),
              ("\\<", "(?=\\w)(?<!\\w)", lambda t, i, m: word(t, i) and not word(t, i - 1)),
              ("\\>", "(?!\\w)(?<=\\w)", lambda t, i, m: word(t, i - 1) and not word(t, i))]
REPEATS = [("?", 0, 1), ("*", 0, None), ("+", 1, None), ("{2}", 2, 2), ("{0,2}", 0, 2), ("{1,3}", 1, 3),
           ("{2,}", 2, None), ("{,2}", 0, 2), ("{3}", 3, 3)]
MODES = ["i", "s", "m", "-s", "-m", "-i", "i-s", "s-m", "-sm"]


def word(text, i):
    return 0 <= i < len(text) and text[i] in WORD


def make_set(rng):
    trawl, python = rng.choice(SETS[:12] if rng.random() < 0.8 else SETS)
    return ("set", trawl, python)


def make_part(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.45:
        return make_set(rng)
    if kind < 0.6:
        condition = rng.choice(CONDITIONS)
        return ("condition",) + condition
    if kind < 0.65:
        return ("line end", "\\R", "(?:\\r\\n|[\\n-\\r])")
    return make_group(rng, depth - 1)


def make_group(rng, depth):
    inner = make_choice(rng, depth)
    opening = rng.choice(["(", "(?:", "(?<n%d>", "(?P<n%d>"])
    kind = rng.random()
    if kind < 0.15:
        modes = rng.choice(MODES)
        return ("modes", "(?%s:%s)" % (modes, inner[1]), "(?%s:%s)" % (modes, inner[2]), inner, modes)
    if "%d" in opening:
        opening %= rng.randrange(1000)
    if rng.random() < 0.02:
        return ("group", "(?>%s)" % inner[1], "(?>%s)" % inner[2], inner)
    comment = "(?#note)" if rng.random() < 0.03 else ""
    return ("group", opening + comment + inner[1] + ")", "(?:" + inner[2] + ")", inner)


def make_repeat(rng, depth):
    part = make_part(rng, depth)
    if part[0] == "condition" or rng.random() < 0.6:
        return part
    suffix, low, high = rng.choice(REPEATS)
    manner = "?" if rng.random() < 0.3 else "+" if rng.random() < 0.02 else ""
    return ("repeat", part[1] + suffix + manner, "(?:%s)%s%s" % (part[2], suffix, manner), part, low, high)


def make_sequence(rng, depth):
    count = rng.choice([0, 1, 1, 2, 2, 3, 4]) if depth < 3 else rng.choice([1, 2, 3, 3, 4])
    parts = [make_repeat(rng, depth) for _ in range(count)]
    return ("sequence", "".join(p[1] for p in parts), "".join(p[2] for p in parts), parts)


def make_choice(rng, depth):
    count = rng.choice([1, 1, 1, 2, 2, 3, 5])
    parts = [make_sequence(rng, depth) for _ in range(count)]
    if len(parts) == 1:
        return parts[0]
    return ("choice", "|".join(p[1] for p in parts), "|".join(p[2] for p in parts), parts)


# ---- the oracle: all ends of a part that begins at a place ---------------------------------------

class Oracle:
    def __init__(self, text):
        self.text = text
        self.known = {}

    def ends(self, n, at, modes):
        key = (id(n), at, modes)
        if key not in self.known:
            self.known[key] = self.find(n, at, modes)
        return self.known[key]

    def find(self, n, at, modes):
        kind = n[0]
        if kind == "set":
            flags = (re.I if "i" in modes else 0) | (re.S if "s" in modes else 0)
            one = self.text[at:at + 1]
            return {at + 1} if one and re.fullmatch(n[2].encode(), one, flags) else set()
        if kind == "line end":
            found = {at + 1} if self.text[at:at + 1] in (b"\n", b"\v", b"\f", b"\r") else set()
            return found | ({at + 2} if self.text[at:at + 2] == b"\r\n" else set())
        if kind == "condition":
            return {at} if n[3](self.text, at, "m" in modes) else set()
        if kind == "group":
            return self.ends(n[3], at, modes)
        if kind == "modes":
            on, _, off = n[4].partition("-")
            return self.ends(n[3], at, frozenset(modes | set(on)) - set(off))
        if kind == "choice":
            return set().union(*(self.ends(p, at, modes) for p in n[3]))
        if kind == "sequence":
            places = {at}
            for part in n[3]:
                places = self.step(part, places, modes)
            return places
        _, _, _, part, low, high = n
        places = {at}
        for _ in range(low):
            places = self.step(part, places, modes)
        found, count = set(places), low
        while places and (high is None or count < high):
            places = self.step(part, places, modes) - (found if high is None else set())
            found |= places
            count += 1
        return found

    def step(self, part, places, modes):
        return set().union(*(self.ends(part, at, modes) for at in places))


# ---- the comparison ------------------------------------------------------------------------------

def make_case(number):
    rng = random.Random(SEED * 1000003 + number)
    tree = make_choice(rng, rng.choice([1, 1, 2, 2, 3]))
    if rng.random() < 0.7:  # a byte that must be there, so that no match is empty
        parts = [("group", "(" + tree[1] + ")", "(?:" + tree[2] + ")", tree), make_set(rng)]
        rng.shuffle(parts)
        tree = ("sequence", parts[0][1] + parts[1][1], parts[0][2] + parts[1][2], parts)
    flags = NOCASE if rng.random() < 0.1 else 0
    flags |= LINES if rng.random() < 0.1 else 0
    texts = ["".join(rng.choice(LETTERS) for _ in range(rng.choice([1, 3, 5, 8, 12]))).encode() for _ in range(3)]
    if flags & LINES:
        texts = [t.replace(b"\n", b"\t") for t in texts]
    return tree, flags, texts


def hexadecimal(data):
    return data.hex() or "-"


def ask(cases):
    lines = ["%x %s %s" % (flags, hexadecimal(tree[1].encode()), " ".join(map(hexadecimal, texts)))
             for tree, flags, texts in cases]
    answer = subprocess.run([HELPER], input="\n".join(lines) + "\n", capture_output=True, text=True)
    if answer.returncode:
        print(answer.stdout[-300:], answer.stderr, lines[len(answer.stdout.splitlines())])
        sys.exit("program_matches ended with %d" % answer.returncode)
    return answer.stdout.splitlines()


def read_matches(word):
    found = {}
    for entry in filter(None, word.split(";")):
        start, ends = entry.split(":")
        found[int(start)] = [int(end) for end in ends.split(",")]
    return found


def give_up(*_):
    raise TimeoutError


def first_end(python, text, start):
    """The end that Python tries first. Some expressions take it hours."""
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        first = python.match(text, start)
        return first.end() if first else None
    except TimeoutError:
        return GAVE_UP
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def differences(case, line):
    """Yield what is wrong with an answer, in words."""
    tree, flags, texts = case
    modes = frozenset("sm" + ("i" if flags & NOCASE else ""))
    python = re.compile(tree[2].encode(), re.S | re.M | (re.I if flags & NOCASE else 0))
    oracles = [Oracle(text) for text in texts]
    expected = [{s: e for s in range(len(t)) if (e := o.ends(tree, s, modes))} for t, o in zip(texts, oracles)]
    if line.startswith("E "):
        if "and so everywhere" in line:  # a sequence: conditions on its sides do not count
            pass
        elif "empty" in line:
            probes = [b"", b"a", b"\n", b"a ", b" a", b"aa", b"\na", b"a\n", b"\n\n", b" \n", b"a\n\n", b"\n ",
                      b"  ", b"aaa", b"a a"] + texts
            if not any(at in Oracle(t).ends(tree, at, modes) for t in probes for at in range(len(t) + 1)):
                yield "no empty match, though the message says so"
        elif "no text matches" in line:
            if any(expected):
                yield "there are matches, though the message says that there are none"
        elif not ("where they hide matches" in line or "matches no byte" in line or (flags & LINES and "never contains" in line)
                  or "exclude each other" in line):
            yield "refused"
        return
    for text, ends, word in zip(texts, expected, line.split(" ")[3:]):
        found = read_matches(word)
        if {s: set(e) for s, e in found.items()} != ends:
            yield "%r: found %s, expected %s" % (text, found, ends)
            continue
        for start, tried in found.items():
            end = first_end(python, text, start)
            if end not in (tried[0], GAVE_UP):
                yield "%r at %d: first %s, Python's %s" % (text, start, tried, end)


def main():
    print("TRAWL_TEST_SEED=%d" % SEED)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, give_up)
    if not HELPER:
        print("TRAWL_PROGRAM_MATCHES is not set")
        sys.exit(77)
    forms, wrong = {}, 0
    for begin in range(0, CASES, 1000):
        cases = [make_case(number) for number in range(begin, min(begin + 1000, CASES))]
        for case, line in zip(cases, ask(cases), strict=True):
            form = line[0] if line[0] != "E" else "E: " + re.sub(r"^.*?: ", "", line)[:34]
            forms[form] = forms.get(form, 0) + 1
            for what in differences(case, line):
                wrong += 1
                print("%r, for Python %r, flags %x: %s\n    %s" % (case[0][1], case[0][2], case[1], line[:60], what))
    print(forms)
    if wrong:
        sys.exit("%d differences" % wrong)


main()
