#!/usr/bin/python3
"""`trawl grep` with random groups, many of which may match nothing, against sets of ends: which lines, and
with -o the leftmost longest pieces. GNU grep is no oracle for conditions within what is repeated.

Usage: grep_groups.py TRAWL [CASES [SEED]]"""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Iterator, Set, Tuple

CONDITIONS = ["^", "$", "\\b", "\\B", "\\<", "\\>", "\\A", "\\z"]
REPEATS = {"": (1, 1), "?": (0, 1), "*": (0, 99), "+": (1, 99), "{2}": (2, 2), "{1,3}": (1, 3), "{2,}": (2, 99),
           "*?": (0, 99), "??": (0, 1)}
SETS = {"a": "a", "b": "b", "[ab]": "ab", ".": "ab ;", "\\W": " ;"}


def make(random: Random, depth: int = 0) -> tuple:
    """A choice of rows of parts: (kind, its text, what it holds, its repeat)."""
    def part() -> tuple:
        kind = random.random()
        repeat = random.choice(["", "", "", *REPEATS])
        if kind < .25:
            return "condition", random.choice(CONDITIONS), None, ""
        if kind < .6 or depth == 3:
            return "set", random.choice([*SETS]), None, repeat or random.choice(("", "?", "*"))
        return "group", random.choice(("(", "(?:", "(?<n>")), make(random, depth + 1), repeat
    return tuple(tuple(part() for _ in range(random.choice((0, 1, 1, 2, 3)))) for _ in range(random.choice((1, 1, 2))))


def text_of(choice: tuple) -> str:
    return "|".join("".join(text + (text_of(inner) + ")" if kind == "group" else "") + repeat
                            for kind, text, inner, repeat in row) for row in choice)


def is_word(line: str, at: int) -> bool:
    return 0 <= at < len(line) and line[at] in "ab"


def holds(condition: str, line: str, at: int) -> bool:
    before, after = is_word(line, at - 1), is_word(line, at)
    return {"^": at == 0, "\\A": at == 0, "$": at == len(line), "\\z": at == len(line), "\\b": before != after,
            "\\B": before == after, "\\<": after and not before, "\\>": before and not after}[condition]


def ends_of_part(part: tuple, line: str, at: int) -> Set[int]:
    kind, text, inner, _ = part
    if kind == "condition":
        return {at} if holds(text, line, at) else set()
    if kind == "set":
        return {at + 1} if at < len(line) and line[at] in SETS[text] else set()
    return ends(inner, line, at)


def ends_of_repeat(part: tuple, line: str, at: int) -> Set[int]:
    least, most = REPEATS[part[3]]
    now, found = {at}, {at} if least == 0 else set()
    for count in range(1, min(most, least + len(line) + 1) + 1):
        now = {end for begin in now for end in ends_of_part(part, line, begin)}
        found |= now if count >= least else set()
    return found


def ends(choice: tuple, line: str, at: int) -> Set[int]:
    found: Set[int] = set()
    for row in choice:
        now = {at}
        for part in row:
            now = {end for begin in now for end in ends_of_repeat(part, line, begin)}
        found |= now
    return found


def pieces(choice: tuple, line: str) -> Iterator[Tuple[int, int]]:
    at = 0
    while at < len(line):
        end = max(ends(choice, line, at), default=at)
        if end > at:
            yield at, end
        at = max(end, at + 1)


def main() -> int:
    trawl = sys.argv[1]
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int.from_bytes(os.urandom(4), "big")
    random, failed, refused = Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for case in range(cases):
            choice = make(random)
            pattern = text_of(choice)
            lines = ["".join(random.choices("aab ;", k=random.randrange(6))) for _ in range(20)]
            path = Path(folder) / "text"
            path.write_text("".join(line + "\n" for line in lines))
            runs = [subprocess.run([trawl, "grep", *options, "-e", pattern, str(path)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, universal_newlines=True) for options in (["-n"], ["-on"])]
            if runs[0].returncode == 2:  # no line can match, or one part of it; nothing is printed
                refused += 1
                equal = ": no" in runs[0].stderr and runs[0].stdout == ""
                wanted = [runs[0].stderr]
            else:
                wanted = ["".join(f"{i}:{line}\n" for i, line in enumerate(lines, 1)
                                  if any(ends(choice, line, at) for at in range(len(line) + 1))),
                          "".join(f"{i}:{line[begin:end]}\n" for i, line in enumerate(lines, 1)
                                  for begin, end in pieces(choice, line))]
                equal = [run.stdout for run in runs] == wanted
            if not equal:
                failed += 1
                print(f"not ok: seed {seed}, case {case}: {pattern!r}: {lines!r}\n  {wanted!r}\n"
                      f"  {[run.stdout + run.stderr for run in runs]!r}")
    print(f"seed {seed}: {cases - failed} passed, {failed} failed, {refused} of {cases} refused")
    return 1 if failed or refused > max(5, cases // 4) else 0


if __name__ == "__main__":
    sys.exit(main())
