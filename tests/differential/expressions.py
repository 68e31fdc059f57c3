"""Expressions, asked of the library or of the oracle ($TRAWL_EXPRESSION_MATCHES, see
expression_matches.c), and written for Python's re."""
import os
import re
import signal
import subprocess
import sys
import time
from typing import Callable

PROGRAM = os.environ.get("TRAWL_EXPRESSION_MATCHES")
SEED = int(os.environ.get("TRAWL_TEST_SEED") or time.time_ns())
NOCASE, LINES, WORDS, WHOLE_LINES = 1, 2, 8, 16
SKIPPED = 77

if not PROGRAM:
    print("TRAWL_EXPRESSION_MATCHES is not set: it needs libcmocka-dev to be built")
    sys.exit(SKIPPED)


def cases(usual: int) -> int:
    """As test_cases of support/random.h."""
    every = int(os.environ.get("TRAWL_TEST_EVERY") or 1)
    return int(os.environ.get("TRAWL_TEST_CASES") or max(usual // every, 1))


def run(arguments: list, lines: bytes) -> list:
    done = subprocess.run([PROGRAM, *arguments], input=lines, capture_output=True, check=False)
    if done.returncode or b"Sanitizer" in done.stderr:
        sys.exit(f"{PROGRAM} {arguments}: status {done.returncode}, {done.stderr.decode()}")
    return [line.split("\t") for line in done.stdout.decode("latin-1").split("\n")[:-1]]


def ask_sets(questions: list, oracle: bool = False) -> list:
    """Each question is (flags, patterns, report, text); each answer a list of (start, end, pattern),
    where a start that is not known is None, or a string that says why they are refused."""
    lines = "".join(f"{flags}\t{','.join(pattern.hex() for pattern in patterns)}\t{report}\t{text.hex()}\n"
                    for flags, patterns, report, text in questions)
    answers = run(["--oracle"] if oracle else [], lines.encode())
    if len(answers) != len(questions):
        sys.exit(f"{len(questions)} questions have {len(answers)} answers")
    return [[tuple(None if number == "?" else int(number) for number in re.split("[-:]", match))
             for match in answer.split()]
            if kind == "ok" else answer for kind, answer in answers]


def ask(questions: list, oracle: bool = False) -> list:
    """The same of (flags, pattern, report, text), with answers of (start, end)."""
    answers = ask_sets([(flags, [pattern], report, text) for flags, pattern, report, text in questions],
                       oracle)
    return [answer if isinstance(answer, str) else [match[:2] for match in answer] for answer in answers]


def drawn(seed: int, count: int) -> list:
    """Random (flags, pattern, text)."""
    return [(int(flags), bytes.fromhex(pattern), bytes.fromhex(text))
            for flags, pattern, text in run(["--random", str(seed % (1 << 63)), str(count)], b"")]


# ---- for Python's re -----------------------------------------------------------------------------

TOKENS = re.compile(rb"""
    \(\?(?P<set>[imsx]*-?[imsx]+)\)                      # flags for the rest of the group
  | (?P<open>\((?:\?(?:[imsx-]*:|P?<\w+>))?)
  | (?P<close>\))
  | (?P<bar>\|)
  | (?P<quantifier>(?:[*+?]|\{\d*,?\d*\})\??)
  | (?P<class>\[\^?\]?(?:\[:\w+:\]|\\.|[^]\\])*\])
  | (?P<escape>\\(?:x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[0-7]{1,3}|.))
  | (?P<byte>.)""", re.VERBOSE | re.DOTALL)
CONDITIONS = {b"\\z": rb"\Z", b"\\Z": rb"(?=\n?\Z)", b"\\<": rb"\b(?=\w)", b"\\>": rb"\b(?<=\w)",
              b"\\A": rb"\A", b"\\b": rb"\b", b"\\B": rb"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))"}
POSIX = {b"[:alpha:]": b"a-zA-Z", b"[:digit:]": b"0-9", b"[:space:]": rb"\s", b"[:word:]": rb"\w"}


def plain(escape: bytes) -> bytes:
    """Bytes by number as re has them."""
    if escape.startswith(b"\\x{"):
        return rb"\x%02x" % int(escape[3:-1], 16)
    if escape[1:2].isdigit():
        return rb"\x%02x" % int(escape[1:], 8)
    return escape


def for_re(flags: int, pattern: bytes, behind: bytes = b"") -> "re.Pattern":
    """The expression as Python has it, with `behind` after it. Flags within a group are written as a group of their own, as
    there."""
    out, open_flags = [], [[]]
    lines = flags & LINES
    for token in TOKENS.finditer(pattern):
        kind, text = token.lastgroup, token[0]
        if kind == "set":
            out.append(b"(?" + token["set"] + b":")
            open_flags[-1].append(out[-1])
        elif kind == "open":
            out.append(text.replace(b"(?<", b"(?P<"))
            open_flags.append([])
        elif kind == "close":
            out.append(b")" * len(open_flags.pop()) + b")")
        elif kind == "bar":
            out.append(b")" * len(open_flags[-1]) + b"|" + b"".join(open_flags[-1]))
        elif kind == "quantifier":
            out.append(text)
        elif text in CONDITIONS or text in (b"^", b"$"):
            out.append(CONDITIONS.get(text, text))
        else:
            if kind == "class":
                text = re.sub(rb"\[:\w+:\]", lambda found: POSIX[found[0]], text)
                text = re.sub(rb"\\(?:x\{\w+\}|[0-7]{3}|.)", lambda found: plain(found[0]), text)
            elif kind == "escape":
                text = plain(text)
            out.append(b"(?:(?!\\n)" + text + b")" if lines else text)
    out.append(b")" * len(open_flags[0]))
    whole = b"(?:" + b"".join(out) + b")"
    if flags & WHOLE_LINES:
        whole = b"^" + whole + b"$"
    if flags & WORDS:
        whole = rb"(?<!\w)" + whole + rb"(?!\w)"
    return re.compile(whole + behind, re.MULTILINE | re.DOTALL | (re.IGNORECASE if flags & NOCASE else 0))


class TooLong(Exception):
    """Python tries too many ways."""


def _give_up(*_):
    raise TooLong


signal.signal(signal.SIGALRM, _give_up)


def in_time(work: Callable):
    """What the call gives; None where it backtracks for too long."""
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        return work()
    except TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
