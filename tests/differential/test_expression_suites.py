#!/usr/bin/python3
"""Expressions whose matches others know: the suites of Hyperscan (ends) and of Rust's regex crate
(leftmost-first spans) in DATA, and random ones, whose leftmost-first matches are those of Python's re.

Every case that the library takes must be right. What it refuses is counted by its message, and what
this script passes over by its reason; of each suite so many cases at least must be taken as FLOORS
says. Usage: test_expression_suites.py TRAWL [DATA [--oracle]]

With --oracle it is the oracle of the other tests that is asked, instead of the library.
"""
import re
import sys
import tarfile
from collections import Counter
from pathlib import Path

from expressions import NOCASE, SEED, SKIPPED, ask, ask_sets, cases, drawn, for_re, in_time

try:
    import tomllib
except ImportError: # before Python 3.11
    tomllib = None

ORACLE = "--oracle" in sys.argv
# Cases of each suite that must be taken, at least; of what is drawn, so many of a hundred.
FLOORS = {"hyperscan": 5000, "rust": 480, "python": 90} if ORACLE else {"hyperscan": 5000, "rust": 470, "python": 90}

WRONG_SHOWN = 20


class Suite:
    """Cases of one kind, and what became of them."""

    def __init__(self, name: str):
        self.name, self.questions, self.expected = name, [], []
        self.passed, self.wrong, self.refused, self.left_out = 0, [], Counter(), Counter()

    def add(self, question: tuple, expected: list, where: str, limit=None) -> None:
        self.questions.append(question)
        self.expected.append((expected, where, limit))

    def check(self) -> None:
        answers = ask_sets(self.questions, ORACLE)
        for question, (expected, where, limit), found in zip(self.questions, self.expected, answers):
            if isinstance(found, str):
                self.refused[re.sub(r"\d+", "N", re.sub(r"'[^']*'|\"[^\"]*\"", "..", found))] += 1
                continue
            if question[2] == "ends":
                found = [end for _, end, _ in found]
            if found[:limit] == expected:
                self.passed += 1
            else:
                self.wrong.append(f"{where}: {question[1]} in {question[3][:80]}: {found[:9]}, not "
                                  f"{expected[:9]}")

    def show(self) -> bool:
        """Whether all is well."""
        taken = self.passed + len(self.wrong)
        print(f"\n{self.name}: {self.passed} passed, {len(self.wrong)} failed, "
              f"{sum(self.refused.values())} refused, {sum(self.left_out.values())} passed over")
        for what, reasons in (("refused", self.refused), ("passed over", self.left_out)):
            for reason, times in reasons.most_common():
                print(f"  {times:6} {what}: {reason}")
        for line in self.wrong[:WRONG_SHOWN]:
            print(f"  WRONG {line}")
        floor = FLOORS[self.name] * len(self.questions) // 100 if self.name == "python" else FLOORS[self.name]
        if taken < floor:
            print(f"  only {taken} are taken, {floor} at least are expected")
        return not self.wrong and taken >= floor


# ---- Hyperscan ----------------------------------------------------------------------------------------

ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"f": b"\f", b"v": b"\v", b"a": b"\a", b"b": b"\b",
           b"e": b"\x1b", b"0": b"\0"}


def unescaped(text: bytes) -> bytes:
    return re.sub(rb"\\(?:x([0-9a-fA-F]{2})|(.))", lambda found: bytes.fromhex(found[1].decode()) if found[1]
                  else ESCAPES.get(found[2], found[2]), text, flags=re.DOTALL)


def lines_of(folder: Path):
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_bytes().split(b"\n"):
            if line and not line.startswith(b"#"):
                yield path.name, line


def by_flags(flags: bytes, extended) -> str:
    """Why an expression of Hyperscan's with such flags is passed over; "": it is not."""
    if extended:
        return "extended parameters"
    for flag, reason in ((b"8", "UTF-8"), (b"W", "properties of Unicode"), (b"C", "combinations of expressions"),
                         (b"Q", "reports nothing")):
        if flag in flags:
            return reason
    return ""


def hyperscan(folder: Path) -> Suite:
    suite, known = Suite("hyperscan"), {}
    for name, line in lines_of(folder / "pcre"):
        number, pattern, flags, extended = re.fullmatch(rb"(\d+):/(.*)/(\w*)(\{.*\})?", line, re.DOTALL).groups()
        reason = by_flags(flags, extended)
        if re.search(rb"(?<!\\)(?:\\\\)*\\v", pattern):
            reason = reason or r"\v is one byte here"
        off = "".join(flag for flag in "ms" if flag.encode() not in flags)
        known[number] = reason, (f"(?-{off})".encode() if off else b"") + pattern, NOCASE * (b"i" in flags), name
    for _, line in lines_of(folder / "corpora"):
        case = re.fullmatch(rb'(\d+)="(.*)": ?([\d, ]*)', line, re.DOTALL)
        if not case:
            suite.left_out["no ends are given"] += 1
            continue
        reason, pattern, flags, name = known[case[1]]
        if reason:
            suite.left_out[reason] += 1
            continue
        suite.add((flags, [pattern], "ends", unescaped(case[2])), sorted(map(int, re.findall(rb"\d+", case[3]))),
                  f"{name} {case[1].decode()}")
    return suite


# ---- Rust ---------------------------------------------------------------------------------------------

def rust_pattern(pattern: str) -> str:
    """As it is written here: without (?m), $ is the end of the text alone; bytes are the default."""
    pattern = re.sub(r"\(\?-u\)", "", pattern).replace("(?-u:", "(?:")
    if "m" not in "".join(re.findall(r"\(\?([a-z]+)", pattern)):
        pattern = re.sub(r"\\.|\[\^?\]?(?:\\.|[^]\\])*\]|\$", lambda found: r"\z" if found[0] == "$" else found[0],
                         pattern, flags=re.DOTALL)
    return "(?-ms)" + pattern


def rust_reason(case: dict, patterns: list, text: bytes) -> str:
    """Why a case is passed over; "": it is not."""
    if case.get("match-kind", "leftmost-first") != "leftmost-first" or case.get("search-kind", "leftmost") != "leftmost":
        return "another kind of search"
    if not case.get("compiles", True):
        return "Rust refuses it"
    for key in ("bounds", "line-terminator"):
        if key in case:
            return key
    if case.get("anchored") and len(case["matches"]) > 1:
        return "anchored at the end of the match before"
    if any(re.search(r"\[[^]]*(?:(?<!\\)\[(?!:)|&&|--|~~)", pattern) for pattern in patterns):
        return "operations on classes"
    if any(re.search(r"\(\?[a-z]*[UR]", pattern) for pattern in patterns):
        return "flags U and R"
    unicode = case.get("unicode", True) and not all(pattern.startswith("(?-u)") for pattern in patterns)
    if not text.isascii() and (unicode or case.get("utf8", True)):
        return "Unicode"
    return ""


def span(match) -> list:
    """[pattern, start, end] of what a case expects: [0, 1], [[0, 1], [], ..] with groups, {id, span(s)}."""
    if isinstance(match, dict):
        return [match["id"], *(match["span"] if "span" in match else match["spans"][0])]
    return [0, *(match[0] if match and isinstance(match[0], list) else match)]


def rust(archive: Path) -> Suite:
    suite = Suite("rust")
    with tarfile.open(archive) as tar:
        files = [(member.name, tar.extractfile(member).read()) for member in tar if member.name.endswith(".toml")]
    for name, content in sorted(files):
        for case in tomllib.loads(content.decode()).get("test", []):
            text = case["haystack"].encode()
            if case.get("unescape"):
                text = unescaped(text)
            patterns = case["regex"] if isinstance(case["regex"], list) else [case["regex"]]
            reason = rust_reason(case, patterns, text)
            if reason or not patterns:
                suite.left_out[reason or "no pattern"] += 1
                continue
            written = [rust_pattern(pattern) for pattern in patterns]
            if case.get("anchored"):
                written = [rf"\A(?:{pattern})" for pattern in written]
            expected = [(start, end, pattern) for pattern, start, end in map(span, case["matches"])]
            suite.add((NOCASE if case.get("case-insensitive") else 0, [pattern.encode() for pattern in written],
                       "leftmost-first", text), expected, f"{name} {case['name']}", case.get("match-limit"))
    return suite


# ---- Python -------------------------------------------------------------------------------------------

def python(count: int) -> Suite:
    suite = Suite("python")
    for flags, pattern, text in drawn(SEED, count):
        expected = in_time(lambda: [(*match.span(), 0) for match in for_re(flags, pattern).finditer(text)])
        if expected is None:
            suite.left_out["Python takes too long"] += 1
        else:
            suite.add((flags, [pattern], "leftmost-first", text), expected, "random")
    return suite


def main() -> int:
    data = Path(sys.argv[2]) if len(sys.argv) > 2 else Path("none")
    print(f"TRAWL_TEST_SEED={SEED}")
    suites = [python(cases(3000))]
    if (data / "regex/collider").is_dir():
        suites.append(hyperscan(data / "regex/collider"))
    else:
        print(f"passed over: there is no {data}/regex/collider")
    archive = data / "vectors/rust_regex_testdata.tar.xz"
    if archive.exists() and tomllib:
        suites.append(rust(archive))
    else:
        print(f"passed over: {archive} is not there, or Python is older than 3.11")
    for suite in suites:
        suite.check()
    return 0 if all([suite.show() for suite in suites]) else 1


if __name__ == "__main__":
    sys.exit(main())
