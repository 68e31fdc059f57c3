#!/usr/bin/python3
"""Compare `trawl grep` with GNU grep, and where only that has an option with ripgrep 13, on random
command lines over small files: standard output, exit status, and whether there was a message.

Usage: grep_differential.py TRAWL [CASES [SEED]]

GNU grep gives the files of a folder in no order, so lines are compared in any. Differences that are
meant are not asked for (docs/semantics.md): files that become binary after their first line."""
from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Dict, List, Optional, Tuple

TEXTS = {
    "a": b"one\nab\n\nabc ab\nxyz\n1\nab\nx\nx\nx\nb1\n",
    "b": b"b\r\nab\r\n\r\nx y\r\nlast b",
    "none": b"",
    "blank": b"\n\n\n",
    "long": b"".join(b"%d %s\n" % (i, b"ab" if i % 7 == 0 else b"x" * (i % 5)) for i in range(300)),
    "sparse": b"".join(b"%s\n" % (b"1ab" if i % 331 == 9 else b"z" * (i * 7 % 43)) for i in range(900)),
    "binary": b"ab\0x\nab\n\n1\0b\n",
    "nuls": b"ax\0b\nx\0\0xx\nab\nx\0\nab",
    "bytes": b"\xffab\n\xc3\xa9 b\n\x01b\t\x7f\"\\\n",
    "tree/a.c": b"ab\nx\nb\n",
    "tree/a.h": b"x\n1\n",
    "tree/sub/b.c": b"none\nab ab\n",
    "tree/sub/c.txt": b"1\n2\nb\n",
    "tree/sub/deep/d.c": b"x\nx\nab\nx\nx\nx\nb\n",
    "tree/.hidden/e.c": b"ab\n",
    "tree/build/f.c": b"b\n",
}
LINKS = {"tree/link.c": "a.c", "tree/other": "../more", "tree/gone": "nowhere"}
MORE = {"more/m.c": b"ab\nb\n", "more/m.txt": b"x\n"}
GLOBS = ["*.c", "*.h", "a*", "*", "b.c", "sub", "tree", "d?c", "*.[ch]", "tree/a.c", "[!a]*", "f.c",
         "deep/d.c", "nothing", "*/b.c"]
FOLDERS = ["sub", "build", "tree", ".hidden", "d*", "deep/", "sub/deep", "*", "nothing", "other"]
COLOURS = ["", "mt=01;32", "sl=1:cx=2", "sl=1:cx=2:rv", "ne", "ms=:mc=", "fn=:ln=4:bn=5:se=6",
           "sl=33:mt=", "ms=1x:fn=3", "se="]

RULES = ["*.c", "*.o", "build", "build/", "/build", "sub/*.c", "sub/", "**/deep", "deep/**", "a.*",
         "!a.c", "!build/", "*", "!*.h", "!*/", "x?z", "[ab].c", "[!a].c", "sub/**/d.c", "# none", "",
         "\\#odd", "!.hidden", ".hidden/", "**/*.h", "/sub/deep/", "*/deep", "a.c  ", "d*", "!d.c",
         "sub/deep/d.c", "!/sub", "out\\.c", "**", "a/**/b", "[a-c].[ch]", "*.[!h]"]
NAMES = ["a.c", "b.c", "a.h", "b.h", "d.c", "x.o", "xyz", "#odd", "out.c", "notes.md", ".dot.c", "m.py"]
FOLDER_NAMES = ["sub", "build", "deep", ".hidden", "a", "b", "dir"]


def make_files(folder: Path) -> None:
    for name, text in {**TEXTS, **MORE}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    for name, target in LINKS.items():
        (folder / name).symlink_to(target)


BEFORE = ["", "", "", "^", "^", "\\b", "\\B", "\\<", "\\`"]
AFTER = ["", "", "", "", "$", "$", "\\b", "\\>", "\\B", "\\'"]


def literal(random: Random) -> str:
    return "".join(random.choice("ab1x ") for _ in range(random.choice((1, 1, 2, 2, 3))))


def row(random: Random, sides: bool = True) -> str:
    """A row of elements; in one of four all may be left out."""
    elements = [random.choice(("a", "b", "x", ".", "[ab]", "[^a]", "[0-9]", "1", "[[:alpha:]]"))
                for _ in range(random.choice((1, 1, 2, 3)))]
    whole = random.randrange(len(elements)) if random.random() < .75 else -1
    text = "".join(e + random.choice(("", "", "+", "{2}") if i == whole else
                                      ("", "", "?", "*", "{0,2}", "+"))
                   for i, e in enumerate(elements))
    return random.choice(BEFORE) + text + random.choice(AFTER) if sides else text


def group(random: Random, depth: int, sides: bool) -> str:
    """Conditions within what is repeated are known to lead GNU grep astray: (^[^a]){1,3}([ab]\\B|)
    misses the line one."""
    repeat = random.choice(("", "", "?", "*", "+", "{2}", "{1,3}"))
    sides = sides and repeat in ("", "?")
    make = (lambda: row(random, sides), lambda: row(random, sides), lambda: choice(random, depth + 1, sides),
            lambda: random.choice(("", "^", "$", "\\b", "\\B")) if sides else "")
    alternatives = [random.choice(make)() for _ in range(random.choice((1, 2, 2, 3)))]
    return f"({'|'.join(alternatives)}){repeat}"


def choice(random: Random, depth: int, sides: bool = True) -> str:
    """Rows and groups, one after the other; conditions beside rows, or none."""
    return "".join(group(random, depth, sides) if depth < 3 and random.random() < .5 else
                   row(random, sides and random.random() < .5) for _ in range(random.choice((1, 1, 2))))


def extended(random: Random) -> str:
    text = choice(random, 0) if random.random() < .5 else row(random)
    more = random.random()
    return text + "|" + extended(random) if more < .1 else text + "|" if more < .12 else text


def patterns(random: Random) -> List[str]:
    fixed = random.random() < 0.25
    make = literal if fixed else extended
    texts = [make(random) for _ in range(random.choice((1, 1, 1, 2, 3)))]
    if random.random() < 0.08:
        texts[random.randrange(len(texts))] = random.choice(("", "", "^", "$", "^$") + (
            () if fixed else ("\\b", "\\<", "\\B", "\\>", "^\\B", "\\b$", "|")))
    return ["-F" if fixed else "-E"] + [w for t in texts for w in ("-e", t)]


def maybe(random: Random, chance: float, *words: str) -> List[str]:
    return list(words) if random.random() < chance else []


def gnu_options(random: Random, tree: bool) -> List[str]:
    options = []
    for letter, chance in (("-i", .15), ("-v", .15), ("-o", .15), ("-n", .3), ("-b", .15),
                           ("-H", .2), ("-h", .1), ("-c", .1), ("-l", .07), ("-L", .07),
                           ("-q", .03), ("-s", .1), ("-Z", .1), ("-T", .1), ("-a", .1),
                           ("-I", .1), ("--line-buffered", .03), ("--null-data", .08)):
        options += maybe(random, chance, letter)
    options += maybe(random, .08, "-x")
    number = str(random.choice((0, 1, 1, 2, 3, 10, 1000)))
    for option, chance in (("-A", .15), ("-B", .15), ("-C", .1), ("--context=", .03), ("-", .05)):
        options += maybe(random, chance, option + number)
    options += maybe(random, .1, "--group-separator=" + random.choice(("", "==", "a b")))
    options += maybe(random, .05, "--no-group-separator")
    options += maybe(random, .12, "-m" + random.choice("01123"))
    options += maybe(random, .3, "--color=" + random.choice(("always", "always", "never", "auto")))
    parts = "-o" in options or "--color=always" in options
    if not parts:  # GNU grep passes over some matches of words in a line,
        options += maybe(random, .15, "-w")
    # and 3.8 forgets -x in lines that -v leaves out, after the last one of -m.
    if parts and {"-x", "-v"} <= {*options} and any(option.startswith("-m") for option in options):
        options.remove("-x")
    if tree:
        options += [random.choice(("-r", "-r", "-R"))]
    for _ in range(random.choice((0, 0, 1, 2)) if tree else random.random() < .1):
        options += [random.choice(("--include=", "--exclude=")) + random.choice(GLOBS)]
    options += maybe(random, .2 if tree else .03, "--exclude-dir=" + random.choice(FOLDERS))
    random.shuffle(options)
    return options


def run(command: List[str], folder: Path, environment: Dict[str, str],
        text: bytes) -> Optional[Tuple[bytes, int, int]]:
    """None: the pattern was refused since no text matches it, or took GNU grep too long."""
    try:
        done = subprocess.run(command, cwd=folder, env=environment, input=text, timeout=10,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        if command[0] == "grep":
            return None
        raise
    if done.returncode == 2 and re.search(b": no(thing can stand before a match|thing can stand after a match| text matches the pattern| match is possible), ",
                                          done.stderr):
        return None
    return done.stdout, done.returncode, len(done.stderr.splitlines())


def in_any_order(output: bytes) -> List[bytes]:
    """Without what stands between groups: how many there are depends on which file comes first."""
    between = (b"", b"--", b"==", b"a b")
    return sorted(line for line in re.split(rb"[\n\0]", output)
                  if re.sub(rb"\x1b\[[0-9;]*[mK]", b"", line) not in between)


def gnu_case(random: Random) -> Tuple[List[str], bool]:
    tree = random.random() < 0.35
    names = [n for n in TEXTS if "/" not in n] + ["-", "tree", "nosuch"]
    operands = random.choices(names, k=random.choice((1, 1, 2, 3)))
    if tree:
        operands = random.choice((["tree"], ["tree", "a"], [], ["tree/", "b"], ["./tree"],
                                  ["tree/sub", "tree/a.c"], ["tree/link.c", "tree/other"]))
    return patterns(random) + gnu_options(random, tree) + operands, tree


def rg_case(random: Random) -> List[str]:
    """ripgrep takes the first alternative, not the longest: so there is one."""
    element = random.choice(("ab", "b", "x", "[ab]", "[0-9]", "x+", "[ab]+", "1", "zz"))
    options = [random.choice(("--json", "--heading"))]
    for letter, chance in (("-i", .2), ("-v", .15), ("-n", .4), ("-b", .2), ("-o", .15),
                           ("-F", .0), ("-H", .5)):
        options += maybe(random, chance, letter)
    only = "-o" in options
    if not only and options[0] == "--heading":  # of empty matches it prints places
        element = random.choice((
            element, "x*", "^x?$", "^[ab]{0,2}$", "a?b*", "^\\s*$", "a|", "\\b", "(a|)b", "^(a|b1?)*$", "(?:x|1)+?$",
            "(?i:A(?-i:b))", "(^|[0-9] )(ab|x{2,3})", "\\b(?P<word>one|none|ab)\\b", "(x|(?:a|\\b)b)(c|$)", "\\Aa|b\\z"))
    if only and (options[0] == "--json" or "-v" in options):  # ripgrep prints whole lines there
        options.remove("-o")
    elif not only:  # nor is -o with context, nor -A0, what it is for GNU grep
        for option in random.choice((["-A", "-B"], ["-A"], ["-C"], [])):
            options += maybe(random, .5, option + str(random.choice((1, 2, 10))))
    # After the last of -m lines GNU grep has context only, ripgrep matches, too.
    if not any(o[:2] in ("-v", "-A", "-B", "-C") for o in options):
        options += maybe(random, .15, "-m" + random.choice("123"))
    names = ["a", "none", "blank", "long", "sparse", "tree/a.c", "tree/sub/b.c"]
    names += ["b", "bytes"] if options[0] == "--json" else []
    return options + ["-e", element] + random.choices(names, k=random.choice((1, 2, 3)))


def make_tree(random: Random, folder: Path, depth: int) -> None:
    folder.mkdir()
    for name in random.sample(NAMES, random.randrange(1, 7)):
        (folder / name).write_bytes(random.choice((b"ab\n", b"x\nab\n", b"b\n")))
    for name, chance in ((".gitignore", .4), (".ignore", .2), (".rgignore", .1)):
        if random.random() < chance:
            lines = [random.choice(RULES) for _ in range(random.randrange(1, 5))]
            (folder / name).write_text("\n".join(lines) + random.choice(("", "\n")))
    if random.random() < (.7 if depth == 0 else .1):
        (folder / ".git" / "info").mkdir(parents=True)
        if random.random() < .4:
            (folder / ".git" / "info" / "exclude").write_text(random.choice(RULES) + "\n")
    for name in random.sample(FOLDER_NAMES, random.randrange(0, 4 - depth) if depth < 3 else 0):
        make_tree(random, folder / name, depth + 1)


def tree_case(random: Random, folder: Path) -> List[str]:
    """The same words for both; `-r` and `--ignore` become none and --no-ignore for ripgrep."""
    make_tree(random, folder, 0)
    # For a relative one ripgrep 13 puts paths together wrongly for files above it.
    inner = [str(p) for p in folder.rglob("*") if p.is_dir() and ".git" not in p.parts]
    words = [random.choice(("--ignore", "--ignore", "-r"))]
    words += maybe(random, .2, "--hidden") if words[0] == "--ignore" else []
    for _ in range(random.choice((0, 0, 0, 1, 2))):
        words += ["-g", random.choice(("", "", "!")) + random.choice(
            [r for r in RULES if r and r[0] not in "!#\\" and not r.endswith(" ")] +
            ["*.{c,h}", "{a,b}.c", "{sub,build}/", "**/{a,d}.*"])]
    for _ in range(random.choice((0, 0, 0, 1, 2))):
        words += [random.choice(("-t", "-t", "--type-not=")) + random.choice(("c", "h", "py", "md"))]
    return words + ["-c", "-e", "b", random.choice(inner + [folder.name, f"./{folder.name}/"])]


def for_rg(words: List[str]) -> List[str]:
    everything = ["--no-ignore", "--hidden", "--no-heading", "-H"]
    kept = [w.replace("--type-not=", "-T") for w in words if w not in ("-r", "--ignore")]
    return (everything if "-r" in words else ["-H"]) + ["--include-zero"] + kept


def without_times(output: bytes) -> bytes:
    """JSON lines: what must be equal."""
    return re.sub(rb'"elapsed(_total)?":{[^}]*}', b"", output)


def main() -> int:
    trawl = str(Path(sys.argv[1]).resolve())
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int.from_bytes(os.urandom(4), "big")
    try:
        version = subprocess.run(["rg", "--version"], stdout=subprocess.PIPE).stdout
        has_rg = version.startswith(b"ripgrep 13.")
    except OSError:
        has_rg = False
    print(f"seed {seed}, {cases} cases, ripgrep: {'yes' if has_rg else 'no'}", flush=True)
    failed = skipped = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_files(folder)
        for case in range(cases):
            random = Random(f"{seed} {case}")
            environment = {"LC_ALL": "C", "TERM": "xterm", "PATH": os.environ["PATH"]}
            if random.random() < 0.3:
                environment["GREP_COLORS"] = random.choice(COLOURS)
            text = random.choice(list(TEXTS.values()))
            threads = ["--threads", random.choice("13")]
            kind = random.random()
            if has_rg and kind < 0.1:
                words, tree = tree_case(random, folder / f"tree{case}"), True
                other = ["rg", "--no-config", "--color=never", "-j1"] + for_rg(words)
            elif has_rg and kind < 0.3:
                words, tree = rg_case(random), False
                other = ["rg", "--no-config", "--color=never", "--no-unicode", "-j1"] + words
            else:
                words, tree = gnu_case(random)
                other = ["grep"] + words
            if words.count("-") > 1:  # what -m leaves is the next one's, so all must be there at once
                text = text[:select.PIPE_BUF]
            mine = run([trawl, "grep"] + threads + words, folder, environment, text)
            theirs = run(other, folder, environment, text) if mine else None
            shutil.rmtree(folder / f"tree{case}", ignore_errors=True)
            if not mine or not theirs:
                skipped += 1
                continue
            equal = mine == theirs
            if tree and "-q" in words:  # it ends early, but not at the same file
                equal = mine[:2] == theirs[:2]
            elif tree:
                equal = (in_any_order(mine[0]), *mine[1:]) == (in_any_order(theirs[0]), *theirs[1:])
            elif "--json" in words and mine[1:] == theirs[1:]:
                equal = without_times(mine[0]) == without_times(theirs[0])
            if not equal:
                failed += 1
                print(f"not ok: seed {seed}, case {case}: {environment.get('GREP_COLORS')!r} "
                      f"{' '.join(map(repr, words))}")
                if failed <= 3:
                    print(f"  trawl: {mine[1:]} {mine[0][:600]!r}")
                    print(f"  other: {theirs[1:]} {theirs[0][:600]!r}", flush=True)
    print(f"{cases - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or skipped > max(3, cases // 8) else 0


if __name__ == "__main__":
    sys.exit(main())
