"""One file of `trawl compile`, and three who search with it: the command, a program in C on trawl.h
alone ($TRAWL_PLAN_MATCHES), and Python's trawl.load (where TRAWL_TEST_PACKAGE is set)."""
import os
import subprocess

from asked import TRAWL

PROGRAM = os.environ.get("TRAWL_PLAN_MATCHES")
REPORTS = {"ends": 0, "longest": 2, "each": 6}
if os.environ.get("TRAWL_TEST_PACKAGE"):
    import trawl
else:
    trawl = None
_files = 0


def _asked(*command) -> list:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode > 1 or b"Sanitizer" in done.stderr:
        raise SystemExit(f"{command}: {done.stderr.decode()}")
    return [line.split("\t") for line in done.stdout.decode("latin-1").split("\n")[:-1]]


def _by_command(report: str, text: str) -> list:
    head, *rows = _asked(TRAWL, "find", "--plan", "one.trawl", "--format", "raw", "--report", report, text)
    columns = [head.index(name) for name in ("pattern", "start", "end")]
    return sorted([row[column] for column in columns] for row in rows)


def _by_python(plan, report: str, text: str) -> list:
    with open(text, "rb") as file:
        found = plan.find(file.read(), report=report)
    ids = [pattern.id for pattern in plan.patterns]
    return sorted([str(ids[pattern]), "-" if start < 0 else str(start), str(end)]
                  for pattern, start, end, _ in found.tolist())


def faults(text: str, *patterns) -> list:
    """What the three find otherwise than one another, in that text for patterns given so."""
    global _files
    if not PROGRAM:
        return []
    made = subprocess.run([TRAWL, "compile", *patterns, "-o", "one.trawl"], capture_output=True, check=False)
    if b"no pattern is left" in made.stderr or b"the list of patterns is empty" in made.stderr:
        return []
    if made.returncode:
        return [f"compile {patterns}: {made.stderr.decode()}"]
    by_c = _asked(PROGRAM, "one.trawl", text, *map(str, REPORTS.values()))
    plan = trawl and trawl.load("one.trawl")
    wrong = []
    for report, number in REPORTS.items():
        want = _by_command(report, text)
        found = {"C": sorted(row[1:] for row in by_c if row[0] == str(number))}
        if plan:
            found["Python"] = _by_python(plan, report, text)
        wrong += [f"{patterns}, {report}: by {who} {rows[:9]}, not {want[:9]}"
                  for who, rows in found.items() if rows != want]
    _files += 1
    return wrong


def told() -> str:
    """How many files there were, for the name of a test."""
    users = "command, C and Python" if trawl else "command and C"
    return f"{_files} compiled files: the same matches by {users}" if PROGRAM else \
        "compiled files: skipped, TRAWL_PLAN_MATCHES names no program in C"
