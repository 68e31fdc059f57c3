#!/usr/bin/python3
"""The syntaxes of motifs and signatures, asked of the command. Usage: test_syntaxes.py TRAWL [DATA]

Patterns are drawn as trees; each is written in Trawl's syntax and as an expression for Python's re,
by rules of this file's own, and all pairs of start and end must be the same. Where there is DATA,
PROSITE's hits and verdicts, restriction sites, YARA's and ClamAV's counts must be those known.
"""
import gzip
import lzma
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile

import asked
import one_plan
from asked import CASES, DATA, SEED, TRAWL, result


def find(*arguments, text: bytes, form="raw"):
    """The rows of trawl find; without another form on the bytes as they stand."""
    with open("text", "wb") as out:
        out.write(text)
    return find_in("--format", form, *arguments, "text")


def find_in(*arguments):
    done = subprocess.run([TRAWL, "find", *arguments], capture_output=True, check=False)
    errors = [line for line in done.stderr.split(b"\n")
              if line and b": warning: " not in line and b": stopped after " not in line]
    if done.returncode > 1 or errors:
        raise SystemExit(f"trawl find {arguments}: {done.stderr.decode()}")
    return [line.split("\t") for line in done.stdout.decode("latin-1").split("\n")[1:-1]]


def listed(patterns) -> str:
    with open("list", "w", encoding="ascii") as out:
        out.writelines(f"{pattern}\n" for pattern in patterns)
    return "list"


# ---- drawn patterns: as Trawl writes them, as re does, whether < and > were asked for ------------

AMINO = "ACDEFGHIKLMNPQRSTVWXY"
IUPAC = {"A": "A", "C": "C", "G": "G", "T": "T", "U": "U", "R": "AGR", "Y": "CTUY", "S": "CGS",
         "W": "ATUW", "K": "GTUK", "M": "ACM", "B": "CGTUBKYS", "D": "AGTUDRKW", "H": "ACTUHMYW",
         "V": "ACGVRSM", "N": "ACGTURYSWKMBDHVN"}
ANY_OF = {"A": "ARWMDHVN", "C": "CYSMBHVN", "G": "GRSKBDVN", "T": "TYWKBDHN", "U": "UYWKBDHN"}
OTHER = str.maketrans("ACGTRYSWKMBDHVN", "TGCAYRSWMKVHDBN")


def repeat(r: random.Random, write) -> tuple:
    kind, low = r.randrange(6), r.randint(1, 3)
    if kind < 4:
        return "", ""
    high = low + (r.randint(0, 3) if kind == 5 else 0)
    return write(low, high), f"{{{low},{high}}}"


def prosite(r: random.Random):
    written, expression = [], []
    for _ in range(r.randint(1, 4)):
        letters = "".join(r.sample(AMINO[:8], r.randint(1, 4)))
        kind = r.randrange(4)
        written.append([letters[0].replace("X", "A"), "x", f"[{letters}]", f"{{{letters}}}"][kind])
        residues = [letters[0], "A-Z", letters,
                    "".join(c for c in map(chr, range(65, 91)) if c not in letters)][kind]
        count = repeat(r, lambda low, high: f"({low})" if low == high else f"({low},{high})")
        written[-1] += count[0]
        expression.append(f"[{residues}]{count[1]}")
    begin, end = r.randrange(6) == 0, r.randrange(6) == 0
    text = ("<" if begin else "") + "-".join(written) + (">" if end else "") + r.choice(["", "."])
    whole = "".join(expression)
    if not end and r.randrange(5) == 0 and not text.endswith("."):
        return text + "-[GA>]", f"{whole}[GA]", begin, False, whole
    return text, whole, begin, end, None


def iupac(r: random.Random):
    written, expression = [], []
    for _ in range(r.randint(1, 6)):
        codes = "".join(r.sample(list(IUPAC), r.choice([1, 1, 1, 2])))
        bases = "".join(sorted(set("".join(IUPAC[c] for c in codes) if len(codes) == 1 else
                                   closure(codes))))
        count = repeat(r, lambda low, high: f"{{{low},{high}}}")
        written.append((codes if len(codes) == 1 else f"[{codes}]") + count[0])
        expression.append(f"[{bases}]{count[1]}")
    return "".join(written), "".join(expression), False, False, None


def closure(codes: str) -> str:
    """The letters whose bases are all among those of the codes; T and U do for each other there."""
    bases = set("".join(IUPAC[c] for c in codes)) & set("ACGTU")
    wide = {"T" if b == "U" else b for b in bases}
    more = [c for c, all_of in IUPAC.items()
            if c not in "ACGTU" and {b for b in all_of if b in "ACGT"} <= wide]
    return "".join(bases) + "".join(more)


def hexadecimal(r: random.Random):
    def byte():
        value, kind = r.choice(b"abcdef"), r.randrange(8)
        if kind == 0:
            return "??", r"[\x00-\xff]"
        if kind == 1:
            return f"{value >> 4:x}?", f"[\\x{value >> 4:x}0-\\x{value >> 4:x}f]"
        if kind == 2:
            return f"?{value & 15:X}", "[" + "".join(f"\\x{h:x}{value & 15:x}" for h in range(16)) + "]"
        if kind == 3:
            return f"~{value:02x}", f"[^\\x{value:02x}]"
        return f"{value:02X}", f"\\x{value:02x}"

    def jump():
        low, more = r.randint(0, 3), r.randint(0, 3)
        either = "{" if r.randrange(2) else "["
        inside = r.choice([f"{low}-{low + more}", f"{low}"])
        most = low + more if "-" in inside else low
        close = "}" if either == "{" else "]"
        return f"{either}{inside}{close}", f"[\\x00-\\xff]{{{low},{most}}}"

    def group(depth):
        branches = [sequence(depth + 1) for _ in range(r.randint(1, 3))]
        return (f"({'|'.join(b[0] for b in branches)})",
                f"(?:{'|'.join(b[1] for b in branches)})")

    def sequence(depth):
        parts = [byte()]
        for _ in range(r.randint(0, 3)):
            kind = r.randrange(6)
            parts.append(jump() if kind == 0 else
                         group(depth) if kind == 1 and depth < 2 else byte())
            if kind == 0:
                parts.append(byte())
        return r.choice(["", " "]).join(p[0] for p in parts), "".join(p[1] for p in parts)

    written, expression = sequence(0)
    return f"{{ {written} }}" if r.randrange(3) == 0 else written, expression, False, False, None


def pairs(text: bytes, drawn, flags=0):
    """All starts and ends by re, [G>] as two expressions."""
    _, expression, begin, end, at_end = drawn
    found = set()
    for one, last in [(expression, end)] + ([(at_end, True)] if at_end else []):
        program = re.compile(one.encode("latin-1"), re.DOTALL | flags)
        for start in range(len(text)):
            if begin and start and text[start - 1] != 10:
                continue
            for stop in range(start + 1, min(len(text), start + 40) + 1):
                if last and stop < len(text) and text[stop] != 10:
                    continue
                if program.fullmatch(text, start, stop):
                    found.add((start, stop))
    return found


def differential(name: str, draw, alphabet: bytes, *options: str) -> None:
    flags = re.IGNORECASE if "-i" in options else 0
    r, wrong = random.Random(SEED), []
    for _ in range(max(CASES // 60, 2)):
        drawn = [draw(r) for _ in range(12)]
        text = bytes(r.choice(alphabet) for _ in range(250))
        got = [set() for _ in drawn]
        for row in find(*options, "--report", "pairs", "-f", listed(d[0] for d in drawn), text=text):
            got[int(row[2]) - 1].add((int(row[3]), int(row[4])))
        for d, found in zip(drawn, got):
            if found != pairs(text, d, flags):
                wrong.append(f"{d[0]} on {text!r}: {sorted(found ^ pairs(text, d, flags))[:5]}")
    result(f"{name}, {SEED}: patterns as Python's re has them", wrong)


def strands() -> None:
    r, wrong = random.Random(SEED), []
    for _ in range(max(CASES // 60, 2)):
        sites = ["".join(r.choice("ACGTRYN") for _ in range(r.randint(2, 6))) for _ in range(8)]
        text = "".join(r.choice("ACGT") for _ in range(300))
        turned = text.translate(OTHER)[::-1]
        rows = find("--iupac", "--strand", "both", "-f", listed(sites), text=text.encode())
        got = {(row[2], row[3], int(row[4]), int(row[5])) for row in rows}
        plus = find("--iupac", "-f", listed(sites), text=text.encode())
        minus = find("--iupac", "-f", listed(sites), text=turned.encode())
        n = len(text)
        want = {(row[2], "+", int(row[3]), int(row[4])) for row in plus}
        want |= {(row[2], "-", n - int(row[4]), n - int(row[3])) for row in minus}
        wrong += sorted(got ^ want)
    result("--strand both: as the reverse complement of the text has it", wrong)


def ambiguous() -> None:
    r, wrong = random.Random(SEED), []
    text = "".join(r.choice("".join(IUPAC)) for _ in range(3000))
    for base, letters in ANY_OF.items():
        rows = find("--iupac", "--ambiguous", base, text=text.encode())
        if {int(row[3]) for row in rows} != {i for i, c in enumerate(text) if c in letters}:
            wrong.append(base)
    result("--ambiguous: letters of the text stand for any of their bases", wrong)


# ---- circles -------------------------------------------------------------------------------------

def motif(r: random.Random):
    """An IUPAC pattern of bounded length, and its expression for the bases A, C, G and T."""
    written, expression = "", ""
    for _ in range(r.randint(1, 5)):
        code, low = r.choice("ACGTRYN"), r.randint(0, 2)
        high = low + r.randint(0, 4)
        count = r.choice(["", "", f"{{{low},{high}}}"]) if high else ""
        written, expression = written + code + count, expression + f"[{IUPAC[code]}]{count}"
    return (written, expression) if not re.fullmatch(expression, "") else motif(r)


def turned_motif(expression: str) -> str:
    elements = re.findall(r"\[([A-Z]*)\]([^\[]*)", expression)
    return "".join(f"[{bases.translate(OTHER)}]{count}" for bases, count in reversed(elements))


def around(text: str, expression: str, report: str):
    """Matches of a circle that go round once at most."""
    program, n, found = re.compile(expression), len(text), set()
    for start in range(n):
        ends = [start + k for k in range(1, n + 1)
                if program.fullmatch(text + text, start, start + k)]
        chosen = {"pairs": ends, "longest": ends[-1:], "shortest": ends[:1]}[report]
        found |= {(start, end) for end in chosen}
    return found


def circles() -> None:
    r, wrong = random.Random(SEED), []
    for case in range(max(CASES // 20, 6)):
        motifs = [motif(r) for _ in range(r.randint(1, 6))]
        bases = r.choice(["A", "AC", "ACGT"])
        records = ["".join(r.choice(bases) for _ in range(r.choice([0, 1, 2, 5, 12, 40])))
                   for _ in range(r.randint(1, 8))]
        text = "".join(f">r{i}\n{record[:7]}\n{record[7:]}\n" for i, record in enumerate(records))
        report, want = r.choice(["longest", "pairs", "shortest"]), []
        option = [] if report == "longest" and case % 2 else ["--report", report]
        for i, record in enumerate(records):
            for k, (_, plus) in enumerate(motifs, 1):
                want += [(f"r{i}", str(k), strand, *match)
                         for strand, expression in [("+", plus), ("-", turned_motif(plus))]
                         for match in around(record, expression, report)]
        rows = find("--circular", "--iupac", "--strand", "both", *option,
                    "-f", listed(m[0] for m in motifs), text=text.encode(), form="fasta")
        got = [(row[1], row[2], row[3], int(row[4]), int(row[5])) for row in rows]
        if sorted(got) != sorted(want):
            wrong.append(f"{motifs} {report} {text!r}: {sorted(set(got) ^ set(want))[:5]}")
        ordered = [(int(g[0][1:]), g[4], g[3]) for g in got]
        if ordered != sorted(ordered):
            wrong.append(f"{motifs} {report} {text!r}: not in order")
    result(f"--circular, {SEED}: as a search from each place of small circles", wrong)
    no_circles()
    large_circles()


def no_circles() -> None:
    """What is refused; what is cut off is no circle."""
    wrong = []
    for arguments, message in [(["--report", "ends", "b"], "--report longest"),
                               (["--report", "leftmost-longest", "b"], "--report longest"),
                               (["-e", "b", "-e", "a+"], "pattern 2: --circular: it may match any"),
                               (["-e", "b", "-e", "^a"], "pattern 2: --circular: it asks for what"),
                               ([r"\<a"], "beside"), (["--prosite", "A-[G>]"], "beside"),
                               (["--hex", "01 [4-] 02"], "give each repeat a bound")]:
        done = subprocess.run([TRAWL, "find", "--circular", *arguments, "text"],
                              capture_output=True, check=False)
        if done.returncode != 2 or done.stdout or message not in done.stderr.decode():
            wrong.append(f"{arguments}: {done.stderr.decode()}")
    sound, cut = b"@a\nACGT\n+\nIIII\n", b"@b\nACGT"
    done = subprocess.run([TRAWL, "find", "--circular", "-e", "TA", "-"], input=sound + cut,
                          capture_output=True, check=False)
    if done.returncode != 2 or not done.stdout.endswith(b"\ta\t1\t3\t5\n"):
        wrong.append(f"cut off: {done.stdout.decode()}")
    for option, want in [("--max-matches=1", b"\ta\t1\t3\t5\n"), ("--count=all", b"\t1\t1\n"),
                         ("-g", b"\ta\t1\n"), ("-q", b""), ("--matched", b"\ta\t1\t3\t5\tTA\n"),
                         ("--gff3", b"\t4\t5\t.\t.\t.\tName=TA{1%2C2};pattern=1\n"),
                         ("--json", b'"record":"a","pattern":1,"name":"TA{1,2}","start":3,"end":5}\n')]:
        done = subprocess.run([TRAWL, "find", "--circular", option, "TA{1,2}"], input=sound,
                              capture_output=True, check=False)
        if done.returncode or not done.stdout.endswith(want):
            wrong.append(f"{option}: {done.stdout.decode()} {done.stderr.decode()}")
    result("--circular: what has no meaning there is refused, what is cut off is no circle", wrong)


def large_circles() -> None:
    """Longer than what is read at once, with patterns longer than a piece and than a circle."""
    r, wrong = random.Random(SEED), []
    bases = bytes(r.choice(b"ACGT") for _ in range(1 << 14))

    def check(form, text, sought, at):
        want = [(at, at + len(sought))] if len(sought) <= len(text) else []
        with open("list", "wb") as out:
            out.write(sought + b"\n")
        rows = find("--circular", "-F", "-f", "list", form=form,
                    text=b">a\nACG\n>b\n" + text + b"\n>c\n" if form == "fasta" else text)
        if [(int(row[3]), int(row[4])) for row in rows] != want:
            wrong.append(f"{form} of {len(text)}, pattern of {len(sought)}: {rows}, not {want}")

    for size in 60, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5 << 20:
        text = (bases * (size // len(bases) + 1))[:size - 50] + bytes(r.choices(b"abcdefgh", k=50))
        for form in "raw", "fasta":
            for behind in 0, 1, 7:
                check(form, text, text[-20:] + text[:behind], size - 20)
            if size < 1 << 20 or form == "raw":
                whole = text[size // 3:] + text[:size // 3]
                check(form, text, whole, size // 3)
                check(form, text, whole + whole[:1], size // 3)
    result("--circular: records, and patterns, longer than a batch", wrong)


RULES = r"""# a comment
alert tcp any any -> any 80 (msg:"a;b"; content:"GET "; nocase; content:!"no"; nocase; \
    content:"a|3A 5c|\"\;"; pcre:"/content:\"x;/"; sid:7; rev:1;)

alert http (content: "pOSt", offset 0, nocase; http_uri; content:"b"; sid:8;)
alert ip any any -> any any (content:!"no"; sid:9;)
"""


def rules() -> None:
    with open("some.rules", "w", encoding="ascii") as out:
        out.write(RULES)
    rows = find("--rules", "some.rules", "-e", "z", text=b'get a:\\";no POST bz')
    result("--rules: one compiled file", one_plan.faults("text", "--rules", "some.rules", "-e", "z"))
    result("--rules: contents with escapes and nocase, sids as ids",
           [f"{row}" for row in {tuple(row[2:]) for row in rows} ^ {
               ("7", "GET ", "0", "4"), ("7", r'a|3A 5c|\\"\\;', "4", "9"), ("8", "pOSt", "12", "16"),
               ("8", "b", "17", "18"), ("5", "", "18", "19")}])
    wrong = []
    for rule, message in [("alert tcp", "options in parentheses"), ("alert (sid:1;", "not closed"),
                          ('alert (content:"a";)', "no sid"), ('a (content:"|4|"; sid:1;)', "pairs"),
                          ("a (content:b; sid:1;)", "in quotes"), ('a (content:""; sid:1;)', "empty"),
                          ("a (sid:x;)", "a sid is a number")]:
        with open("bad.rules", "w", encoding="ascii") as out:
            out.write(f"\n{rule}\n")
        done = subprocess.run([TRAWL, "find", "--rules", "bad.rules", "text"], capture_output=True,
                              check=False)
        said = done.stderr.decode()
        if done.returncode != 2 or "bad.rules:2: " not in said or message not in said:
            wrong.append(f"{rule}: {said}")
    result("--rules: what is malformed is refused, with its line", wrong)


def offsets() -> None:
    """ClamAV's offsets n and EOF-n, with and without a shift, of signatures of any length."""
    r = random.Random(SEED)
    wrong, found = [], 0
    for _ in range(max(1, CASES // 6)):
        text = bytes(r.choice(b"ab") for _ in range(r.choice([3, 10, 40])))
        lines, asked = [], []
        for number in range(r.randint(1, 8)):
            head, tail = (bytes(r.choice(b"ab") for _ in range(r.randint(2, 3))) for _ in "12")
            jump = r.choice(["", "", "{1}", "{1-3}", "*"])
            gap = {"": "", "{1}": ".", "{1-3}": ".{1,3}", "*": ".*"}[jump]
            place, shift = r.randint(0, 12), r.choice([None, None, 0, 1, 5])
            kind = r.choice(["*", "", "EOF-"])
            offset = "*" if kind == "*" else f"{kind}{place}" + ("" if shift is None else f",{shift}")
            lines.append(f"S{number}:0:{offset}:{head.hex()}{jump}{tail.hex()}\n")
            first = place if kind == "" else len(text) - place
            places = range(len(text)) if kind == "*" else range(first, first + (shift or 0) + 1)
            if kind == "EOF-" and first < 0:
                places = []  # the text has no such place to count from
            starts = [m.start() for m in re.finditer(b"(?s)(?=" + head + gap.encode() + tail + b")",
                                                     text) if m.start() in places]
            asked += [(f"S{number}", str(start)) for start in starts]
        with open("signatures.ndb", "w", encoding="ascii") as out:
            out.writelines(lines)
        found += len(asked)
        with open("text", "wb") as out:
            out.write(text)
        wrong += one_plan.faults("text", "--hex", "-f", "signatures.ndb")
        for report in ["longest", "shortest"]:
            rows = find("--hex", "-f", "signatures.ndb", "--report", report, text=text)
            if sorted((row[3], row[4]) for row in rows) != sorted(asked):
                wrong.append(f"{lines} in {text}: {rows}, not {asked}")
        ids = find("--hex", "-f", "signatures.ndb", "-g", text=text)
        if sorted(row[3] for row in ids) != sorted({name for name, _ in asked}):
            wrong.append(f"{lines} in {text}: -g {ids}, not {asked}")
        piped = subprocess.run([TRAWL, "find", "--hex", "-f", "signatures.ndb", "--count=all", "--report",
                                "longest"], input=text, capture_output=True, check=False)
        counted = sum(int(line.split(b"\t")[-1]) for line in piped.stdout.split(b"\n")[1:-1])
        if counted != len(asked):
            wrong.append(f"{lines} in {text}: of a pipe {counted}, not {len(asked)}")
    result(f"{found} places of signatures with offsets", wrong)
    with open("signatures.ndb", "w", encoding="ascii") as out:
        out.write("A:0:1:6162\nB:1:EP+0:6162\n")
    rows = find("--hex", "-f", "signatures.ndb", "--max-matches", "2", text=b"abababab")
    result("--max-matches counts what is printed", [f"{rows}"] * (len(rows) != 2))
    subprocess.run([TRAWL, "compile", "--hex", "-f", "signatures.ndb", "-o", "plan"],
                   capture_output=True, check=True)
    planned = find("--plan", "plan", "--max-matches", "2", text=b"abababab")
    result("a plan of offsets", [f"{planned}, not {rows}"] * (planned != rows))


# ---- what is known of real data ------------------------------------------------------------------

def table(name: str):
    with open(f"{DATA}/{name}", encoding="utf-8") as rows:
        return [row.rstrip("\n").split("\t") for row in rows if not row.startswith("#")]


def packed(name: str) -> bytes:
    opened = gzip.open if name.endswith(".gz") else lzma.open if name.endswith(".xz") else open
    with opened(f"{DATA}/{name}", "rb") as file:
        return file.read()


def proteins() -> None:
    motifs = f"{DATA}/prosite/prosite_patterns_1309.dat"
    known = {row[0]: int(row[2]) for row in table("prosite/expected_ecoli_k12.tsv")}
    rows = find_in("--prosite", "--count=all", "--report", "shortest", "-f", motifs,
                   f"{DATA}/protein/ecoli_k12_UP000000625.fasta.gz")
    result(f"{len(rows)} PROSITE patterns in the proteome of E. coli: starts",
           [row for row in rows if int(row[3]) != known[row[2]]] + [0] * (len(rows) != len(known)))

    rows = find_in("--prosite", "--report", "pairs", "-f", motifs,
                   f"{DATA}/protein/ps_scan_seqs.fasta.gz")
    hits = {(row[1], row[3], int(row[4]) + 1, int(row[5])) for row in rows}
    known = {(row[0].rsplit("|", 1)[0], row[2], int(row[3]), int(row[4]))
             for row in table("prosite/ps_scan_hits.gff")}
    result(f"ps_scan's {len(known)} hits", known - hits)

    known = table("prosite/pftools_expected.tsv")
    wrong = [row for row in known if not any(
        (int(got[3]) + 1, int(got[4])) == (int(row[1]), int(row[2]))
        for got in find_in("--prosite", "--report", "pairs", "-e", row[0],
                           f"{DATA}/prosite/pftools_vav_human.fasta"))]
    result(f"pftools' {len(known)} hits", wrong)
    samples()
    verdicts()


def samples() -> None:
    """PROSITE's most common motifs in Swiss-Prot: records and starts that DATA's README names."""
    known = {"PS00016": (927, 995), "PS00017": (1370, 1441), "PS00018": (45, 80),
             "PS00028": (61, 406), "PS00001": (9759, 25726)}
    got = {}
    for row in find_in("--prosite", "--report", "shortest", "-f",
                       f"{DATA}/prosite/prosite_patterns_1309.dat",
                       f"{DATA}/protein/sprot_sample.fasta.gz"):
        got.setdefault(row[3].split()[0], []).append(row[1])
    result("motifs in Swiss-Prot: records, starts", [
        (name, want) for name, want in known.items()
        if name not in got or (len(set(got[name])), len(got[name])) != want])


def verdicts() -> None:
    known = [row for row in table("prosite/dr_expected.tsv") if row[4] == "1"]
    got = set()
    for name in ["emboss_gpcr", "interproscan_57_6", "interproscan_2023_05"]:
        for row in find_in("--prosite", "-f", f"{DATA}/prosite/prosite_dr_{name}.dat",
                           f"{DATA}/protein/sprot_dr.fasta.gz"):
            got.add((row[3].split()[0], row[1].split("|")[1]))
    wrong = [row for row in known if ((row[0], row[1]) in got) != (row[5] == "1")]
    result(f"{len(known)} verdicts of PROSITE's curators, as re has them", wrong)
    # Sequences that changed between PROSITE's release and Swiss-Prot's.
    changed = {"O02781", "O97661", "Q9Y5P1", "O77700", "P47881", "O95222", "P58181", "Q9VNB3",
               "P30650"}
    wrong = [row for row in known if row[3] in "TF?N" and row[1] not in changed
             and ((row[0], row[1]) in got) != (row[3] != "N")]
    result("verdicts T, F and ? match, N does not, but for nine sequences that changed", wrong)


def sites() -> None:
    for name in ["lambda_phage", "ecoli_k12_mg1655"]:
        known = table(f"dna/rebase404_expected_{name.rsplit('_', 1)[0]}.tsv")
        rows = find_in("--iupac", "--strand", "both", "--count=all", "-f",
                       listed(row[0] for row in known), f"{DATA}/dna/{name}.fasta.gz")
        wrong = [row for row in rows
                 if int(row[3]) != int(known[int(row[1]) - 1][1 if row[2] == "+" else 2])]
        result(f"{name}: {len(known)} sites of REBASE, both strands",
               wrong + [0] * (len(rows) != 2 * len(known)))


def fasta(name: str):
    """Sequences by name, read by this file."""
    records = packed(name).decode().split("\n>")
    return {record.split(None, 1)[0].lstrip(">"): "".join(record.split("\n")[1:])
            for record in records}


def transcripts() -> None:
    """Every mature microRNA is in a hairpin; those of one length are where a dictionary has them."""
    length, mature = 22, fasta("dna/mirbase_mature.fasta.gz")
    rows = find_in("-F", "-f", f"{DATA}/dna/mirbase_mature.fasta.gz",
                   f"{DATA}/dna/mirbase_hairpin.fasta.gz")
    result(f"{len(mature)} microRNAs of miRBase: each in a hairpin",
           {row[3] for row in rows} ^ set(mature))
    named = {}
    for name, letters in mature.items():
        named.setdefault(letters, []).append(name)
    want = [(record, name, at) for record, text in fasta("dna/mirbase_hairpin.fasta.gz").items()
            for at in range(len(text) - length + 1) for name in named.get(text[at:at + length], [])]
    got = [(row[1], row[3], int(row[4])) for row in rows if int(row[5]) - int(row[4]) == length]
    result(f"{len(want)} places of those of {length} bases", set(want) ^ set(got) or
           [0] * (len(want) != len(got)))


def binding_sites() -> None:
    """JASPAR's motifs as consensus, which is exact: both strands of a genome by re."""
    motifs = [row[2] for row in table("dna/jaspar2024_consensus.tsv")]
    genome, = fasta("dna/lambda_phage.fasta.gz").values()
    want = {}
    for turned, strand in (genome, "+"), (genome.translate(OTHER)[::-1], "-"):
        for each in set(motifs):
            expression = "".join(f"[{IUPAC[c]}]" for c in each)
            want[each, strand] = len(re.findall(f"(?={expression})", turned))
    rows = find_in("--iupac", "--strand", "both", "--count=all", "-f", listed(motifs),
                   f"{DATA}/dna/lambda_phage.fasta.gz")
    wrong = [row for row in rows if int(row[3]) != want[motifs[int(row[1]) - 1], row[2]]]
    result(f"{len(motifs)} motifs of JASPAR in phage lambda, both strands",
           wrong + [0] * (len(rows) != 2 * 2346))


def signatures() -> None:
    program = packed("sigs/clamav_test_program.bin.xz")
    strings = [line.split("\t") for line in
               packed("sigs/signature_base_hex_strings.tsv.xz").decode().split("\n")[1:-1]]
    known = {(row[0], row[1]): int(row[3]) for row in table("sigs/signature_base_hex_expected.tsv")}
    rows = find("--hex", "--count=all", "--report", "shortest", "-f",
                listed(string[3] for string in strings), text=program)
    wrong = [(string, row[2]) for string, row in zip(strings, rows)
             if int(row[2]) != known.get((string[1], string[2]), 0)]
    result(f"{len(strings)} hex strings of YARA's rules: starts", wrong)
    known = {row[0]: int(row[2]) for row in table("sigs/clamav_alert_expected.tsv")}
    rows = find("--hex", "--count=all", "-f", f"{DATA}/sigs/clamav_alert.ndb", text=program)
    result(f"{len(rows)} signatures of ClamAV that alert",
           [row for row in rows if int(row[3]) != known[row[2]]] + [0] * (len(rows) != len(known)))
    rows = find("--hex", "--count=all", "-f", f"{DATA}/sigs/clamav_daily.ndb", text=program)
    result(f"{len(rows)} signatures of a ClamAV database are read, and compiled",
           [0] * (len(rows) != 258) + one_plan.faults("text", "--hex", "-f", f"{DATA}/sigs/clamav_daily.ndb"))


def occurrences(sought: bytes, text: bytes) -> int:
    """Overlapping ones too. (By re, which has to look ahead for that, thousands take a minute.)"""
    count, at = 0, text.find(sought)
    while at >= 0:
        count, at = count + 1, text.find(sought, at + 1)
    return count


def real_rules() -> None:
    with tarfile.open(f"{DATA}/ids/et_open_2017_rules.tar.xz") as archive:
        archive.extractall("rules", filter="data") if sys.version_info >= (3, 12) else \
            archive.extractall("rules")
    capture = packed("ids/http_aptget.pcap")
    lower, counted, want = capture.lower(), {}, {}
    for line in packed("ids/et_open_2017_contents.tsv.xz").decode().split("\n")[1:-1]:
        sid, content, nocase, negated = line.split("\t")[:4]
        if negated == "1":
            continue
        key = (bytes.fromhex(content), nocase == "1")
        if key not in counted:
            sought = key[0].lower() if key[1] else key[0]
            counted[key] = occurrences(sought, lower if key[1] else capture)
        want.setdefault(sid, []).append(counted[key])
    files = [os.path.join(path, name) for path, _, names in os.walk("rules") for name in names]
    got = {}
    for row in find("--count=all", *(part for name in files for part in ("--rules", name)),
                    text=capture):
        got.setdefault(row[1], []).append(int(row[3]))
    wrong = [sid for sid in want.keys() | got.keys()
             if sorted(want.get(sid, [])) != sorted(got.get(sid, []))]
    with open("begin", "wb") as out:  # there are dozens of matches a byte, which are compared one by one
        out.write(capture[:10000])
    wrong += one_plan.faults("begin", *(part for name in files for part in ("--rules", name)))
    result(f"{sum(map(len, got.values()))} contents of {len(got)} rules in a capture", wrong)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        differential("PROSITE", prosite, b"ACDEFGHI\n", "--prosite")
        differential("IUPAC", iupac, b"ACGTACGTACGTURYSWKMBDHVN", "--iupac")
        differential("hex", hexadecimal, b"abcdefabcdef\n\x00", "--hex")
        differential("hex, either case", hexadecimal, b"abcdefABCDEF\n\x00", "--hex", "-i")
        strands()
        ambiguous()
        circles()
        rules()
        offsets()
        if DATA:
            proteins()
            sites()
            transcripts()
            binding_sites()
            signatures()
            real_rules()
        else:
            print("# real data: skipped, there is no folder of test data")
        os.chdir("/")
    print("# " + one_plan.told())
    return asked.summary()


if __name__ == "__main__":
    sys.exit(main())
