#!/usr/bin/python3
"""ClamAV's signatures (trawl find --hex -f). Usage: signatures.py TRAWL [DATA]

What is malformed is left out, line by line. Drawn signatures hold for drawn files as clamscan says,
where it is installed.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import asked
from asked import CASES, SEED, TRAWL, result

CLAMSCAN = shutil.which("clamscan")


def find(*arguments):
    done = subprocess.run([TRAWL, "find", "--no-header", "--hex", *arguments], capture_output=True,
                          check=False)
    rows = [line.split("\t") for line in done.stdout.decode("latin-1").split("\n")[:-1]]
    return rows, done.returncode, done.stderr.decode("latin-1")


def clamscan(database: str, text: str):
    """Names of the signatures that hold; None: it does not take the database."""
    done = subprocess.run([CLAMSCAN, "-z", "--no-summary", "--scan-html=no",
                           "-d", database, text],
                          capture_output=True, check=False)
    said = done.stdout.decode("latin-1")
    if done.returncode == 2:
        return None
    return set(re.findall(r": (\S+)\.UNOFFICIAL FOUND", said))


def write(name: str, content) -> None:
    with open(name, "wb") as out:
        out.write(content if isinstance(content, bytes) else content.encode())


# ---- extended signatures (.ndb) -------------------------------------------------------------------

def extended() -> None:
    nested = "(" * 20 + "4546|47" + "|4849)" * 20
    lines = ["# a comment", "A:0:*:41424344{4}", f"B:0:*:4142{nested}", "C:0:0:7878:51", "D:0:*:4", "E:0:*",
             "F:0:*:4546 // a: b", "G:0:*:{-4}41", "4748", "H:x:*:41", "I::*:4344:51:255", "#J:0:*:41",
             "K:0:*:{2}4142", "L:0:*:41424344{9}", "M:0:2:4142"]
    write("some.ndb", "\n".join(lines) + "\n")
    write("text", "xxABCDEFGHxx")
    rows, status, said = find("-f", "some.ndb", "text")
    want = {("A", "2"), ("C", "0"), ("F", "6"), ("", "8"), ("I", "4"), ("K", "0"), ("M", "2")}
    got = {(row[3], row[4]) for row in rows}
    result("lines of an .ndb: comments, {n} at an end, what is malformed",
           [f"{got}, {status}"] * (got != want or status != 0))
    named = {int(number) for number in re.findall(r"some\.ndb:(\d+): .*left out: ", said)}
    result("each with its line, and counted", [f"{named}, {said}"] * (
        named != {3, 5, 6, 8, 10} or "5 signatures are left out" not in said))
    rows, status, said = find("--strict", "-f", "some.ndb", "text")
    result("--strict", [f"{rows}, {said}"] * (bool(rows) or status != 2 or "--strict" not in said))
    write("list", "4142\n4x\n")
    rows, status, said = find("-f", "list", "text")
    result("a list that is not ClamAV's: refused", [said] * (status != 2 or "line 2" not in said))


def draw_bytes(r: random.Random, most: int) -> str:
    """Bytes in hexadecimal, with what may stand among them; ClamAV wants three that are fixed."""
    def fixed() -> str:
        return "".join(r.choice(["61", "62", "62"]) for _ in range(r.randint(3, 4)))
    parts = [fixed()]
    for _ in range(r.randint(0, most)):
        parts.append(r.choice(["", "", "??", "{1}", "{2}", "{1-2}", "*", "(61|62)"]) + fixed())
    return "".join(parts)


def draw_text(r: random.Random) -> bytes:
    rare = r.choice([b"", b"AB", b"\0"])
    letters = bytes(r.choice(b"aabbb" + rare) for _ in range(r.choice([0, 1, 5, 20, 40])))
    wide = b"".join(bytes([b, 0]) for b in letters) if r.randrange(3) == 0 else letters
    return b"\1" + wide + b"\2\3\4\5" + letters[:7]  # which ClamAV takes for no kind of text


def extended_drawn(r: random.Random) -> None:
    wrong, held = [], 0
    for case in range(max(1, CASES // 30)):
        signatures = {}
        for number in range(60):
            place = r.choice(["*", "*", "*", "1", "0", "2,3", "EOF-5", "EOF-9,4"])
            body = draw_bytes(r, 2)
            if "-" not in body and "*" not in body:  # else ClamAV finds a part without bytes
                body = (r.choice(["", "", "{1}", "{3}"]) + body +
                        r.choice(["", "", "{1}", "{4}", "??"]))
            signatures[f"N{number}"] = f"0:{place}:{body}"
        write("drawn.ndb", "".join(f"{name}:{rest}\n" for name, rest in signatures.items()))
        for number in range(4):
            write("text", draw_text(r))
            want, (rows, _, said) = clamscan("drawn.ndb", "text"), find("-f", "drawn.ndb", "text")
            got = {row[3] for row in rows}
            if want is None:
                wrong.append(f"case {case}: clamscan refuses; {said}")
                continue
            held += len(want)
            wrong += [f"case {case}.{number}: {name}:{signatures[name]}: {name in got} "
                      f"in {open('text', 'rb').read()}" for name in got ^ want]
    result(f"{held} drawn extended signatures hold, as clamscan says", wrong)


def main() -> int:
    r = random.Random(SEED)
    print(f"TRAWL_TEST_SEED={SEED}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        extended()
        if CLAMSCAN:
            extended_drawn(r)
        else:
            print("# beside ClamAV: skipped, there is no clamscan (Debian: clamav)")
        os.chdir("/")
    return asked.summary()


if __name__ == "__main__":
    sys.exit(main())
