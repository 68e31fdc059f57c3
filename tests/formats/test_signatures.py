#!/usr/bin/python3
"""ClamAV's signatures (trawl find --hex -f). Usage: test_signatures.py TRAWL [DATA]

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
import one_plan
from asked import CASES, SEED, TRAWL, changed, result

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
    result("one compiled file", one_plan.faults("text", "--hex", "-f", "some.ndb"))
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
    return b"\1" + wide + b"\2\3\4\5\6" + letters[:7]  # which ClamAV takes for no kind of text


def compare(r: random.Random, database: str, options, signatures, wrong) -> int:
    """In drawn files; how many hold."""
    held = 0
    for _ in range(4):
        text = draw_text(r)
        write("text", text)
        want, (rows, _, said) = clamscan(database, "text"), find("-f", database, *options, "text")
        got = {row[3] for row in rows}
        if want is None:
            wrong.append(f"clamscan refuses; {said}")
            continue
        held += len(want)
        wrong += [f"{name} {signatures[name]}: {name in got} in {text}" for name in got ^ want]
    return held


def write_extended(r: random.Random) -> dict:
    signatures = {}
    for number in range(60):
        place = r.choice(["*", "*", "*", "1", "0", "2,3", "EOF-5", "EOF-9,4"])
        body = draw_bytes(r, 2)
        if "-" not in body and "*" not in body:  # else ClamAV finds a part without bytes
            body = (r.choice(["", "", "{1}", "{3}"]) + body +
                    r.choice(["", "", "{1}", "{4}", "??"]))
        signatures[f"N{number}"] = f"0:{place}:{body}"
    write("drawn.ndb", "".join(f"{name}:{rest}\n" for name, rest in signatures.items()))
    return signatures


def extended_drawn(r: random.Random) -> None:
    wrong, held = [], 0
    for _ in range(max(1, CASES // 30)):
        signatures = write_extended(r)
        held += compare(r, "drawn.ndb", [], signatures, wrong)
    result(f"{held} drawn extended signatures hold, as clamscan says", wrong)


# ---- logical signatures (.ldb) ----------------------------------------------------------------------

LOGICAL = r"""# a comment
and;Engine:51-255,Target:0;0&1;6162;6364
more;Engine:51-255,Target:0;(0|1)>2;6162;6364
too many;Engine:51-255,Target:0;(0|1)>3;6162;6364
both;Engine:51-255,Target:0;(0|1)>2,2;6162;6364
all three;Engine:51-255,Target:0;(0|1|2)>2,3;6162;6364;7878
none;Engine:51-255,Target:1;0=0;7878
none of two;Engine:51-255,Target:0;(0|1)=0;7878;7979
short;Engine:51-255,Target:0,FileSize:1-3;0;6162
long;Engine:51-255,Target:0,FileSize:14-14;0;6162
begin;Engine:51-255,Target:0;0;0:6162
not there;Engine:51-255,Target:0;0;1:6162
jump;Engine:51-255,Target:0;0;0:6162*6566
jump two;Engine:51-255,Target:0;0=2;0:6162*6566
case;Engine:51-255,Target:0;0=2;4142::i
wide;Engine:51-255,Target:0;0;6162::w
word;Engine:51-255,Target:0;0=2;6162::f
first binds;Engine:51-60,Target:0;0&2|1;6162;6364;7878
last binds;Engine:51-255,Target:0;(0|2&1);6162;7878;7979
entry;Engine:51-255,Target:0;0;EP+0:6162
blanks;Engine:51-255,Target:0,Container:CL_TYPE_ZIP;0 & 1;6162;6364
"""
LEFT_OUT = [("pcre;Engine:51-255,Target:0;0&1;6162;0/a.*;b/s", "PCRE, 1"),
            ("bytes;Engine:51-255,Target:0;0&1;6162;0(>>4#hb2#=10)", "comparison of bytes (1)"),
            ("macro;Engine:51-255,Target:0;0&1;6162;${6-7}12$", "macro (1)"),
            ("fuzzy;Engine:51-255,Target:0;0;fuzzy_img#af2ad01ed42993c7#0", "fuzzy hash (1)")]
MALFORMED = ["parts;Engine:51-255,Target:0;0&1;6162", "parts;Engine:51-255,Target:0;0;6162;6364",
             "parts;Engine:51-255,Target:0;64;" + ";".join(["6162"] * 65), "hex;Engine:51-255,Target:0;0;61x2",
             "hex;Engine:51-255,Target:0;0&1;6162;6364{1-", "test;Engine:51-255,Target:0;0=;6162",
             "test;Engine:51-255,Target:0;(0)>1;6162", "test;Engine:51-255,Target:0;((0|1))>1;6162;6364",
             "open;Engine:51-255,Target:0;(0&1;6162;6364", "close;Engine:51-255,Target:0;0&1);6162;6364",
             "letters;Engine:51-255,Target:0;a;6162", "right;Engine:51-255,Target:0;0&;6162",
             "left;Engine:51-255,Target:0;&0;6162", "nothing;Engine:51-255,Target:0;;6162",
             "modifier;Engine:51-255,Target:0;0;6162::x", "size;Engine:51-255,Target:0,FileSize:7;0;6162",
             "description;;0;6162", "fields;Engine:51-255,Target:0;0", "a part;Engine:51-255,Target:0;0;",
             "test;Engine:51-255,Target:0;0>4294967296;6162", ";Engine:51-255,Target:0;0;6162",
             "deep;Engine:51-255,Target:0;" + "(" * 5000 + "0" + ")" * 5000 + ";6162"]


def logical() -> None:
    lines = LOGICAL.split("\n")[:-1] + [line for line, _ in LEFT_OUT] + MALFORMED
    write("some.ldb", "\n".join(lines) + "\n")
    write("text", b"ab..cd..ab..ef")
    rows, status, said = find("-f", "some.ldb", "--verdicts", "text")
    got = {row[3]: row[4] for row in rows}
    want = dict.fromkeys(["and", "more", "both", "none of two", "long", "begin", "jump", "case", "word"], "-")
    want.update({"none": "target", "first binds": "Engine", "entry": "offset", "blanks": "Container"})
    result("signatures hold by how often their parts occur", [f"{got}, {status}, {said}"] * (
        got != want or status != 0))
    wrong = [why for _, why in LEFT_OUT if why not in said]
    first = len(lines) - len(MALFORMED) + 1
    named = [int(number) for number in re.findall(r"some\.ldb:(\d+): .*left out: ", said)]
    wrong += [f"{named}"] * (sorted(named) != list(range(first, len(lines) + 1)))
    wrong += [said] * (f" {len(LEFT_OUT) + len(MALFORMED)} signatures are left out" not in said)
    result("what is not evaluated is named, what is malformed left out", wrong)
    result("... and one compiled file", one_plan.faults("text", "--hex", "-f", "some.ldb"))
    rows, status, said = find("-f", "some.ldb", "text")
    names = {row[3] for row in rows}
    result("without --verdicts: the parts", [f"{names}, {said}"] * (
        not {"and:0", "and:1", "more:0", "word:0"} <= names or "their verdicts say which" not in said))
    for options, message in [(["--strict"], "--strict"), (["-e", "61"], "no pattern"),
                             (["--rules", "some.rules"], "no pattern")]:
        write("some.rules", 'alert ip any any -> any any (content:"a"; sid:1;)\n')
        rows, status, said = find("-f", "some.ldb", "--verdicts", *options, "text")
        result(f"refused with {options[0]}", [said] * (status != 2 or bool(rows) or message not in said))
    write("none.ldb", "# nothing\n" + MALFORMED[0] + "\n")
    rows, status, said = find("-f", "none.ldb", "--verdicts", "text")
    result("nothing is left", [said] * (status != 2 or "no pattern is left" not in said))
    write("long.ldb", "far;Engine:51-255,Target:0;0=3&1;6162;EOF-2:6364\n")
    write("long", b"ab" + b"." * 9000000 + b"abab" + b"cd")
    rows, status, said = find("-f", "long.ldb", "--verdicts", "long")
    result("a file of 9 MB", [f"{rows}, {said}"] * ([row[3] for row in rows] != ["far"]))
    write("lines", "abab\n\nab ab ab\nzz\n")
    write("lines.ldb", "n;Engine:51-255,Target:0;0>1;6162\nz;Engine:51-255,Target:0;0=0;6162\n")
    rows, status, said = find("-f", "lines.ldb", "--verdicts", "--format", "lines", "lines")
    result("lines, each for itself", [f"{rows}"] * (
        [row[1:4:2] for row in rows] != [["1", "n"], ["3", "n"], ["4", "z"]]))


def draw_expression(r: random.Random, parts: int) -> str:
    """One that has all parts."""
    if parts == 1:
        return "@" + r.choice(["", "", "", "=0", "=1", "=2", ">1", "<2", "<1", ">0,2"])
    left = r.randint(1, parts - 1)
    both = draw_expression(r, left) + r.choice("&|") + draw_expression(r, parts - left)
    test = r.choice(["", "", "", "=0", "=2", ">1", "<3", ">1,2", "<5,2", "=3,1", "<1"])
    return f"({both}){test}" if r.randrange(3) or test else both


def draw_logical(r: random.Random) -> str:
    parts = []
    for _ in range(r.choice([1, 2, 2, 3, 4, 6])):
        place = r.choice(["", "", "", "", "*:", "1:", "0:", "2,3:", "EOF-5:", "EOF-9,4:"])
        modifiers = r.choice(["", "", "", "::i", "::w", "::wa", "::f", "::iwa", "::fi", "::wf"])
        parts.append(("" if "f" in modifiers else place) + draw_bytes(r, r.choice([0, 0, 1])) + modifiers)
    expression = draw_expression(r, len(parts))
    for part in r.sample(range(len(parts)), len(parts)):
        expression = expression.replace("@", str(part), 1)
    size = r.choice(["", "", "", ",FileSize:10-30"])
    return f"Engine:51-255,Target:0{size};{expression};" + ";".join(parts)


def write_logical(r: random.Random) -> dict:
    signatures = {f"N{number}": draw_logical(r) for number in range(60)}
    write("drawn.ldb", "".join(f"{name};{rest}\n" for name, rest in signatures.items()))
    return signatures


def compiled(r: random.Random) -> None:
    wrong = []
    for _ in range(max(1, CASES // 30)):
        write_extended(r)
        write_logical(r)
        write("text", draw_text(r))
        for database in ["drawn.ndb", "drawn.ldb"]:
            wrong += one_plan.faults("text", "--hex", "-f", database)
    result("drawn signatures in one compiled file", wrong)


def logical_drawn(r: random.Random) -> None:
    wrong, held = [], 0
    for _ in range(max(1, CASES // 30)):
        signatures = write_logical(r)
        held += compare(r, "drawn.ldb", ["--verdicts"], signatures, wrong)
    result(f"{held} drawn logical signatures hold, as clamscan says", wrong)


TOKENS = [b":", b";", b"{", b"}", b"-", b"*", b"(", b")", b"|", b"&", b"=", b">", b"<", b",", b"::w", b"::f", b"#", b"\0",
          b"\xff", b"$", b"64", b"4294967296", b"/", b"fuzzy_img#", b"(" * 50, b"FileSize:", b"EOF-", b"{9999999999}", b"\n"]


def damaged(r: random.Random) -> None:
    """Whatever a list is, it ends with a status that is one."""
    wrong, lines = [], 0
    for case in range(max(1, CASES // 25)):
        drawn = [f"N;{draw_logical(r)}" if r.randrange(2) else f"N:0:0:{draw_bytes(r, 2)}" for _ in range(40)]
        write("damaged", b"\n".join(changed(r, line.encode(), TOKENS) for line in drawn))
        write("text", draw_text(r))
        rows, status, said = find("-f", "damaged", *r.choice([[], ["--verdicts"]]), "text")
        lines += len(drawn)
        wrong += [f"case {case}: {status}, {said[-400:]}"] * (status not in (0, 1, 2) or "Sanitizer" in said or
                                                              bool(rows) != (status == 0))
    result(f"{lines} damaged lines", wrong)


def main() -> int:
    r = random.Random(SEED)
    print(f"TRAWL_TEST_SEED={SEED}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        extended()
        logical()
        damaged(r)
        compiled(r)
        if CLAMSCAN:
            extended_drawn(r)
            logical_drawn(r)
        else:
            print("# beside ClamAV: skipped, there is no clamscan (Debian: clamav)")
        os.chdir("/")
    print("# " + one_plan.told())
    return asked.summary()


if __name__ == "__main__":
    sys.exit(main())
