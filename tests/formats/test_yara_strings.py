#!/usr/bin/python3
"""Strings of YARA's rules (trawl find --yara). Usage: test_yara_strings.py TRAWL [DATA]

Rules are drawn, and their strings searched for as YARA's manual explains them; where yara is
installed it must find all strings where Trawl does. Where there is DATA, so with real rules in a
program, in their own text and in that text as UTF-16, and hex strings must occur as often as known.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import lzma

import asked
import one_plan
from asked import CASES, DATA, SEED, TRAWL, result

YARA = shutil.which("yara")


def find(rules: str, *arguments):
    """Starts of each string, and what is said on standard error."""
    done = subprocess.run([TRAWL, "find", "--yara", rules, "--format", "raw", *arguments], capture_output=True, check=False,
                          timeout=300)
    if done.returncode > 1:
        raise SystemExit(f"trawl find {arguments}: {done.stderr.decode()}")
    starts = {}
    for line in done.stdout.decode("latin-1").split("\n")[1:-1]:
        row = line.split("\t")
        starts.setdefault(row[3], set()).add(int(row[4]))
    return starts, done.stderr.decode("latin-1")


def yara(rules: str, text: str):
    """The same of yara: strings of rules that hold, and of those that do not. None: it refuses."""
    starts = {}
    for negated in [[], ["-n"]]:
        options = [part for name in ["filename", "filepath", "extension", "filetype", "owner"]
                   for part in ["-d", f"{name}=x"]]
        done = subprocess.run([YARA, "-w", "-s", *negated, *options, rules, text],
                              capture_output=True, check=False)
        if done.returncode:
            return None
        rule = ""
        for line in done.stdout.split(b"\n"):
            match = re.match(rb"0x([0-9a-f]+):(\$\w*): ", line)
            if match:
                starts.setdefault(f"{rule}:{match[2].decode()}", set()).add(int(match[1], 16))
            elif line.strip():
                rule = line.split()[0].decode("latin-1")
    return starts


# ---- drawn rules ---------------------------------------------------------------------------------

def draw_text(r: random.Random):
    sought = bytes(r.choice(b"aA1_") for _ in range(r.randint(1, 3)))
    written = "".join(r.choice([chr(b), f"\\x{b:02x}"]) for b in sought)
    modifiers = {name for name in ["nocase", "wide", "ascii", "fullword"] if r.randrange(3) == 0}
    return f"\"{written}\" {' '.join(sorted(modifiers))}", (sought, modifiers)


def draw_regex(r: random.Random):
    def atom():
        return r.choice(["a", "A", "1", "_", "\\x61", "[a1]", "[^a]", "[a-c_]", "\\w", "\\d", ".", " "])

    def repeated():
        return atom() + r.choice(["", "", "", "", "?", "{2}", "{1,3}", "+", "{0,2}?"])

    def group():
        inside = "|".join("".join(atom() for _ in range(r.randint(1, 2))) for _ in range(r.randint(1, 3)))
        return f"({inside})" + r.choice(["", "", "?", "{2}", "*", "+?", "{1,3}"])

    body = "".join(r.choice([repeated, repeated, group])() for _ in range(r.randint(1, 3)))
    body = r.choice(["", "", "", "\\b", "^"]) + atom() + body + r.choice(["", "", "", "\\b", "$"])
    flags = r.choice(["", "", "i", "s"])
    modifiers = r.choice(["", "", "nocase", "ascii", "wide", "wide ascii", "fullword"])
    folded = "i" in flags or "nocase" in modifiers
    expression = re.compile(body.encode(), (re.IGNORECASE if folded else 0) |
                            (re.DOTALL if "s" in flags else 0))
    return f"/{body}/{flags} {modifiers}", (expression, modifiers)


def regex_starts(string, text: bytes):
    expression, modifiers = string
    endless = re.compile(expression.pattern.replace(b"$", b"(?!)"), expression.flags)
    starts = set()
    if "wide" not in modifiers or "ascii" in modifiers:
        for start in range(len(text)):
            match = expression.match(text, start)
            beside = match and (text[max(start - 1, 0):start] + b" " + text[match.end():match.end() + 1])
            if match and not ("fullword" in modifiers and re.search(b"[A-Za-z0-9]", beside)):
                starts.add(start)
    for first in [0, 1] if "wide" in modifiers else []:
        # Characters of two bytes; a run of these ends where the second one is not 0.
        pairs = [text[at:at + 2] for at in range(first, len(text) - 1, 2)]
        for number in range(len(pairs)):
            end = number
            while end < len(pairs) and pairs[end][1] == 0:
                end += 1
            run = b"".join(pair[:1] for pair in pairs[:end])
            last = first == 0 and first + 2 * end >= len(text)
            match = (expression if last else endless).match(run if first == 0 else b"\xff" + run, number + (first == 1))
            if match:
                starts.add(first + 2 * number)
    return starts


def draw_hex(r: random.Random):
    return "{ " + " ".join(r.choice(["61", "41", "6?", "??", "[1-2]", "(61|31 5F)", "/* } */ 31"])
                           for _ in range(r.randint(0, 2))) + " 61 }"


def text_starts(string, text: bytes):
    sought, modifiers = string
    starts = set()
    for wide in [False, True]:
        if wide and "wide" not in modifiers or not wide and "wide" in modifiers and "ascii" not in modifiers:
            continue
        bytes_sought = b"".join(bytes([b, 0]) for b in sought) if wide else sought
        for start in range(len(text) - len(bytes_sought) + 1):
            piece, end = text[start:start + len(bytes_sought)], start + len(bytes_sought)
            if piece != bytes_sought and not ("nocase" in modifiers and
                                              piece.lower() == bytes_sought.lower()):
                continue
            if wide:
                beside = [text[start - 2:start] if start >= 2 else b"", text[end:end + 2]]
                words = [len(b) == 2 and b[1] == 0 and b[:1].isalnum() for b in beside]
            else:
                words = [text[max(start - 1, 0):start].isalnum(), text[end:end + 1].isalnum()]
            if "fullword" not in modifiers or not any(words):
                starts.add(start)
    return starts


def differential() -> None:
    r = random.Random(SEED)
    wrong, found, compared, left = [], 0, 0, 0
    for case in range(max(1, CASES // 6)):
        texts, regexes, values = {}, {}, {}
        for number in range(r.randint(1, 12)):
            kind = r.randrange(4)
            if kind < 2:
                values[f"$t{number}"], texts[f"r:$t{number}"] = draw_text(r)
            elif kind == 2:
                values[f"$r{number}"], regexes[f"r:$r{number}"] = draw_regex(r)
            else:
                values[f"$h{number}"] = draw_hex(r)
        with open("drawn.yar", "w", encoding="ascii") as out:
            out.write("rule r {\nstrings:\n" + "".join(f"  {name} = {value}\n" for name, value in
                                                       values.items()) + "condition: any of them }\n")
        text = b"".join(bytes([r.choice(b"aA1_ b")]) + r.choice([b"", b"\0"])
                        for _ in range(r.choice([5, 40, 120])))
        text = b"a" + text + b"a"  # to yara the borders of a file are those of words, always
        with open("text", "wb") as out:
            out.write(text)
        got, said = find("drawn.yar", "-e", "never", "text")
        wrong += one_plan.faults("text", "--yara", "drawn.yar", "-e", "never")
        out = set(re.findall(r": (r:\$\w*): .*left out", said))
        left += len(out)
        expected = {name: text_starts(string, text) for name, string in texts.items()}
        expected.update({name: regex_starts(string, text) for name, string in regexes.items()})
        for name in expected.keys() - out:
            found += len(expected[name])
            if got.get(name, set()) != expected[name]:
                wrong.append(f"case {case}: {values[name[2:]]} in {text}: {got.get(name)}, not "
                             f"{expected[name]}")
        want = yara("drawn.yar", "text") if YARA else None
        # yara overlooks some places of regular expressions with both modifiers.
        out |= {name for name, (_, modifiers) in regexes.items() if modifiers == "wide ascii"}
        if want is not None:
            compared += len(values) - len(out)
            wrong += [f"case {case}: {name} {values[name[2:]]} in {text}: {got.get(name)}, yara "
                      f"{want.get(name)}" for name in (got.keys() | want.keys()) - out
                      if got.get(name) != want.get(name)]
    result(f"{found} places of drawn strings; yara agrees on {compared} strings; {left} were "
           "left out", wrong)


# ---- what was chosen by hand ---------------------------------------------------------------------

CHOSEN = r"""// rule no { strings: $no = "no" }
import "pe"
/* rule no { */ private global rule First : tag other {
    meta:
        author = "} strings: $no = \"no\""
        strings = "a key"
    strings:
        $a = "one\x20\"two\"\t" // $no = "no"
        $b = "wide" wide fullword
        $  = { 6F /* } */ 6E [1-2] 65
               (20 | 21) } private
        $x = "key" xor(0x01-0xff) nocase
        $r = /(one|two)[^\/"}]{1,2}\// nocase
        $left = /a**d/
    condition:
        $a at 0 and $r /* } */ and /x}"/ matches filename and @a[1] > 0
}
rule Second{strings:$a="}"condition:any of them}
"""


def chosen() -> None:
    with open("chosen.yar", "w", encoding="ascii") as out:
        out.write(CHOSEN)
    with open("text", "wb") as out:
        out.write(b"one \"two\"\tOnE1/}on..e!no key abcd " + "x_wide wide1".encode("utf-16-le"))
    got, said = find("chosen.yar", "text")
    want = {"First:$a": {0}, "First:$r": {10}, "First:$": {16}, "Second:$a": {15}, "First:$b": {38}}
    result("chosen: places", [f"{got}, not {want}"] * (got != want))
    warned = re.findall(r"chosen.yar:(\d+): First:(\$\w*): .*left out: (\w+)", said)
    want = [("12", "$x", "xor"), ("14", "$left", "a")]
    result("chosen: what is left out is named", [said] * (warned != want))
    wrong = []
    for text, line, message in [("rule {", 1, "name"), ("rule a\n{ strings:\n $a = 5 }", 3, "value"),
                                ('rule a {\n\nstrings: $a = "x\n" }', 3, "not closed"),
                                ("rule a { condition: true", 1, "not closed"), ("}", 1, "made of rules"),
                                ("rule a { strings: $a { 61 } }", 1, "$name = value"),
                                ("rule a { strings: $a = { 61", 1, "not closed")]:
        with open("bad.yar", "w", encoding="ascii") as out:
            out.write(text)
        done = subprocess.run([TRAWL, "find", "--yara", "bad.yar", "text"], capture_output=True,
                              check=False)
        said = done.stderr.decode()
        if done.returncode != 2 or f"bad.yar:{line}: " not in said or message not in said:
            wrong.append(f"{text}: {said}")
        if text == "}":
            continue
        with open("bad.yar", "w", encoding="ascii") as out:
            out.write(f'rule before {{ strings: $a = "one" }}\n{text}\nprivate rule after {{ strings: $a = "two" }}\n')
        got, said = find("bad.yar", "text")
        if got != {"before:$a": {0}, "after:$a": {5}} or f"bad.yar:{line + 1}: " not in said or message not in said:
            wrong.append(f"{text}, between rules: {got} {said}")
        done = subprocess.run([TRAWL, "find", "--yara", "bad.yar", "--strict", "text"], capture_output=True, check=False)
        if done.returncode != 2 or b"1 rule is left out" not in done.stderr:
            wrong.append(f"{text}, --strict: {done.stderr.decode()}")
    result("what is malformed is left out, with its line, and the next rule read", wrong)
    outputs = []
    subprocess.run([TRAWL, "compile", "--yara", "chosen.yar", "-o", "plan"], capture_output=True,
                   check=True)
    with open("text", "ab") as out:
        out.write(b" one..one../")
    for patterns in [["--yara", "chosen.yar"], ["--plan", "plan"]]:
        outputs.append(subprocess.run([TRAWL, "find", *patterns, "text"], capture_output=True,
                                      check=False).stdout)
    result("a plan: the same strings and the same report",
           outputs if outputs[0] != outputs[1] or b"First:$r" not in outputs[0] else [])
    with open("word.yar", "w", encoding="ascii") as out:
        out.write('rule r { strings: $a = "be" fullword $b = "ta" condition: any of them }')
    with open("words", "wb") as out:
        out.write(b"beta be. b\0e\0")
    wrong = one_plan.faults("text", "--yara", "chosen.yar") + one_plan.faults("words", "--yara", "word.yar")
    result("chosen: one compiled file", wrong)
    done = subprocess.run([TRAWL, "find", "--yara", "word.yar", "--count"], capture_output=True,
                          input=b"beta be.", check=False)
    result("a pipe, and fullword",
           [done] * ([line[-1:] for line in done.stdout.split(b"\n")[1:-1]] != [b"1", b"1"]))
    done = subprocess.run([TRAWL, "find", "--yara", "chosen.yar", "--count"], capture_output=True,
                          stdin=open("text", "rb"), check=False)
    counts = {tuple(line.split(b"\t")[2:]) for line in done.stdout.split(b"\n")[1:-1]}
    result("a pipe", [done] * ((b"First:$b", b"1") not in counts))


def repeats() -> None:
    """A repeat of any number is one, right or refused, and never the bytes that it is written with."""
    refused = ["a{99999999999}b", "a{100000000,}", "a{4294967295}", "a{4294967297}", "a{3}{2}", "{2}a",
               "a{3,2}b", "a{3,0}b", "a{1000000,5}", "(ab){1000000}", "a**", "[ab]{0,99999999}c"]
    right = ["a{1000000,}", "a{1000000}", "a{0,1000000}b", "x{32768}b", "x{40001,}b", "a{,3}b", "a{,}b", "a{}b",
             "a{3", "a{x}", "a{ 3}b", "a{3,b}", "a{0000000003}b"]
    text = b"".join(expression.encode() + b" " for expression in refused + right) + b"aaab xb"
    for name, content in [("text", text), ("long", b"a" * 100 + b"x" * 40000 + b"b")]:
        with open(name, "wb") as out:
            out.write(content)
    wrong, compared = [], 0
    for expression in refused + right:
        with open("repeat.yar", "w", encoding="ascii") as out:
            out.write(f"rule r {{ strings: $a = /{expression}/ $b = /never/ condition: any of them }}")
        long = expression.startswith("x")  # too many for re, which is slow at them
        got, said = find("repeat.yar", "long" if long else "text")
        got = got.get("r:$a", set())
        if expression in refused:
            wrong += [f"{expression}: {sorted(got)[:5]}, {said}"] * ("left out" not in said or got != set())
            continue
        plain = re.sub(r"\{,(\d*)\}", r"{0,\1}", expression).replace("1000000", "9999")  # as Python has it
        want = ({40100 - 32768} if expression == "x{32768}b" else set() if long else
                {start for start in range(len(text)) if re.compile(plain.encode()).match(text, start)})
        wrong += [f"{expression}: {sorted(got)[:5]}, not {sorted(want)[:5]}, {said}"] * (got != want)
        seen = yara("repeat.yar", "text") if YARA and not long else None
        compared += seen is not None
        wrong += [f"{expression}: {sorted(got)[:5]}, yara {seen}"] * (
            seen is not None and seen.get("r:$a", set()) != got)
    result(f"repeats of any number; yara agrees on {compared}", wrong)


# ---- what was made to take long ------------------------------------------------------------------

def hostile() -> None:
    """What looks for an end that never comes does so once: of this, each took minutes."""
    wrong, many = [], 100000
    with open("text", "wb") as out:
        out.write(b"one \"two\"")
    for name, rule, left in [
            ("not opened", "rule r{}\n", many), ("tags", "rule r{} : tag\n", many),
            ("a hex string", "rule r{} {{ strings: $a = {{ 4D\n", many),
            ("a modifier", "rule r{} {{ strings: $a = \"x\" wide (\n", many),
            ("a comment", "rule r{} {{ strings: $a = \"x\" /* \n", 1)]:
        with open("hostile.yar", "w", encoding="ascii") as out:
            out.write("".join(rule.format(number) for number in range(many)))
        try:
            done = subprocess.run([TRAWL, "find", "--yara", "hostile.yar", "-e", "two", "text"], capture_output=True,
                                  check=False, timeout=60)
            said = f"{left} rule{'s are' if left > 1 else ' is'} left out"
            wrong += [f"{name}: {done.stderr[-200:]}"] * (done.returncode != 0 or said not in done.stderr.decode())
        except subprocess.TimeoutExpired:
            wrong.append(f"{name}: it did not end")
    result(f"{many} rules that are not closed", wrong)
    with open("hostile.yar", "w", encoding="ascii") as out:
        out.write("rule r { strings: $a = /(" + "|" * 1023 + ")" + "(){4096}" * 20000 + "two/ condition: $a }")
    try:
        got = find("hostile.yar", "text")[0]
    except subprocess.TimeoutExpired:
        got = "it did not end"
    result("groups of nothing", [got] * (got != {"r:$a": {5}}))


# ---- real rules -----------------------------------------------------------------------------------

def real() -> None:
    with tarfile.open(f"{DATA}/sigs/signature_base_yara.tar.xz") as archive:
        if sys.version_info >= (3, 12):
            archive.extractall("rules", filter="data")
        else:
            archive.extractall("rules")
    names = sorted(os.path.join(path, name) for path, _, names in os.walk("rules") for name in names)
    with open("all.yar", "wb") as out:
        for name in names:
            with open(name, "rb") as file:
                out.write(file.read() + b"\n")
    with lzma.open(f"{DATA}/sigs/clamav_test_program.bin.xz") as file, open("program", "wb") as out:
        out.write(file.read())
    with open("all.yar", encoding="latin-1") as file:
        rules = file.read()
    with open("plain", "wb") as out:
        out.write(rules[:600000].encode("latin-1"))
    with open("wide", "wb") as out:
        out.write(rules[1000000:1300000].encode("utf-16-le"))
    got, said = find("all.yar", "program")
    with open(f"{DATA}/sigs/signature_base_hex_expected.tsv", encoding="ascii") as rows:
        known = {f"{row.split()[0]}:{row.split()[1]}": int(row.split()[3]) for row in rows
                 if not row.startswith("#")}
    result(f"{len(names)} files: {len(known)} hex strings occur as often as known",
           [f"{name}: {len(got.get(name, set()))}, not {count}" for name, count in known.items()
            if len(got.get(name, set())) != count])
    result("... and one compiled file of them", one_plan.faults("program", "--yara", "all.yar"))
    if not YARA:
        print("# real rules: yara is not installed")
        return
    left = set(re.findall(r": (\w+:\$\w*): .*left out", said))
    passed_over = left | unseen(rules)
    for text in ["program", "plain", "wide"]:
        got, want = find("all.yar", text)[0], yara("all.yar", text)
        wrong = [f"{name}: {sorted(got.get(name, set()))[:5]}, not {sorted(want.get(name, set()))[:5]}"
                 for name in (got.keys() | want.keys()) - passed_over if got.get(name) != want.get(name)]
        count = sum(len(want[name]) for name in want.keys() - passed_over)
        result(f"{text}: {count} places of {len(want.keys() - passed_over)} strings, as yara's "
               f"({len(left)} strings are left out)", wrong)


def unseen(rules: str):
    """Strings that yara looks for at one place, as they stand in `$a at 0`, or does not print."""
    names = set()
    for rule in re.finditer(r"^((?:private |global )*)rule\s+(\w+).*?(?=^(?:private |global |import )*"
                            r"(?:rule\s|\")|\Z)", rules, re.MULTILINE | re.DOTALL):
        one_place = re.findall(r"(\$\w*)\s*\)?\s+at\s", rule[0])
        hidden = re.findall(r"(\$\w*)\s*=", rule[0]) if "private" in rule[1] else []
        names |= {f"{rule[2]}:{name}" for name in one_place + hidden}
    return names


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        differential()
        chosen()
        repeats()
        hostile()
        if DATA:
            real()
        else:
            print("# real rules: skipped, there is no folder of test data")
        os.chdir("/")
    print("# " + one_plan.told())
    return asked.summary()


if __name__ == "__main__":
    sys.exit(main())
