#!/usr/bin/python3
"""trawl find beside seqkit, EMBOSS, cutadapt and yara, on real sequences and a real program: the same
places, or a difference that docs/semantics.md explains and that is looked for here.

Usage: test_sequence_peers.py TRAWL DATA. A tool that is not here is left out, with a word.
"""
import csv
import gzip
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import asked
from asked import DATA, SEED, TRAWL

IUPAC = "ACGTRYSWKMBDHVN"


def same(name: str, got, want) -> None:
    """Both are lists of places, in any order."""
    got, want = sorted(got), sorted(want)
    wrong = [] if got == want else [
        f"trawl has {len(got)}, of which the other lacks {sorted(set(got) - set(want))[:4]};"
        f" trawl lacks {sorted(set(want) - set(got))[:4]}"]
    asked.result(f"{name}: {len(want)} places", wrong)


def run(*command) -> str:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode > (command[0] == TRAWL):
        raise SystemExit(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout.decode("latin-1")


def find(*arguments):
    """Rows of trawl find, as dictionaries by the names of their columns."""
    return list(csv.DictReader(run(TRAWL, "find", *arguments).split("\n"), delimiter="\t",
                               quoting=csv.QUOTE_NONE))


def has(tool: str) -> bool:
    here = shutil.which(tool) is not None
    if not here:
        print(f"# left out: {tool} is not installed")
    return here


def written(name: str, lines) -> str:
    with open(name, "w", encoding="ascii") as out:
        out.writelines(f"{line}\n" for line in lines)
    return name


def unpacked(name: str) -> bytes:
    with (gzip if name.endswith(".gz") else lzma).open(f"{DATA}/{name}", "rb") as file:
        return file.read()


def fasta(name: str):
    for record in unpacked(name).decode().lstrip(">").split("\n>"):
        head, _, body = record.partition("\n")
        yield head.split()[0], body.replace("\n", "")


# ---- seqkit locate ---------------------------------------------------------------------------

def seqkit(patterns, file: str, *options):
    """Places as (record, pattern's number, strand, start, end)."""
    sought = written("seqkit.fa", (f">{i}\n{p}" for i, p in enumerate(patterns)))
    rows = run("seqkit", "locate", "-M", *options, "-f", sought, file).split("\n")[1:-1]
    return [(row[0], int(row[1]), row[-3], int(row[-2]) - 1, int(row[-1]))
            for row in (line.split("\t") for line in rows)]


def as_they_are(places):
    return places


def not_inside(places):
    """Without those that lie within an earlier one of the pattern, which seqkit leaves out."""
    kept, farthest = [], {}
    for place in sorted(places, key=lambda p: (p[3], -p[4])):
        if place[4] > farthest.get(place[:3], -1):
            kept.append(place)
            farthest[place[:3]] = place[4]
    return kept


def apart(places):
    """Without overlaps, and, as seqkit -G has it, with a letter between two."""
    kept, free = [], {}
    for place in sorted(places, key=lambda p: p[3]):
        if place[3] >= free.get(place[:3], 0):
            kept.append(place)
            free[place[:3]] = place[4] + 1
    return kept


def beside_seqkit(name: str, patterns, file: str, ours, theirs, choose=as_they_are) -> None:
    rows = find(*ours, "-f", written("patterns", patterns), file)
    got = [(row["record"], int(row["pattern"]) - 1, row.get("strand", "+"), int(row["start"]),
            int(row["end"])) for row in rows]
    same(f"seqkit locate {' '.join(theirs)}: {name}", choose(got), seqkit(patterns, file, *theirs))


def drawn_sites(r: random.Random, count: int, least=3, most=7):
    return ["".join(r.choice(IUPAC) for _ in range(r.randint(least, most))) for _ in range(count)]


def seqkit_places(r: random.Random) -> None:
    with open(f"{DATA}/dna/rebase404_expected_lambda.tsv", encoding="ascii") as rows:
        sites = [row.split("\t")[0] for row in rows if not row.startswith("#")]
    both = ["--iupac", "--strand", "both"]
    phage, genome = f"{DATA}/dna/lambda_phage.fasta.gz", f"{DATA}/dna/ecoli_k12_mg1655.fasta.gz"
    beside_seqkit("sites of REBASE in phage lambda", sites, phage, both, ["-d"])
    beside_seqkit("the phage as a circle", sites, phage, [*both, "--circular"], ["-d", "--circular"])
    chosen = r.sample([site for site in sites if len(site) > 5], 5)
    beside_seqkit("E. coli's chromosome as a circle", chosen, genome, [*both, "--circular"],
                  ["-d", "--circular"])
    (_, letters), = fasta("dna/lambda_phage.fasta.gz")
    pieces = []
    for i in range(300):
        at, length = r.randrange(48000), r.randint(8, 60)
        pieces.append(f">piece{i}\n{letters[at:at + length]}")
    pieces = written("pieces.fa", pieces)
    beside_seqkit("300 small circles", drawn_sites(r, 40), pieces, [*both, "--circular"],
                  ["-d", "--circular"])
    beside_seqkit("the same as lines", drawn_sites(r, 40), pieces, both, ["-d"])
    mixed = "".join(c.lower() if i // 90 % 2 else c for i, c in enumerate(letters))
    mixed = written("mixed.fa", [">mixed", mixed])
    plain = ["".join(r.choice("ACGT") for _ in range(4)) for _ in range(30)]
    beside_seqkit("either case", plain, mixed, both, ["-i"])
    beside_seqkit("one case, one strand", plain, mixed, ["-F"], ["-P"])
    beside_seqkit("one strand", plain, mixed, ["--iupac"], ["-P", "-i"])
    hairpins = written("hairpins.fa", (f">{name}\n{body}" for name, body in r.sample(
        list(fasta("dna/mirbase_hairpin.fasta.gz")), 1500)))
    mature = r.sample([body for _, body in fasta("dna/mirbase_mature.fasta.gz") if "U" in body], 100)
    seeds = ["".join(r.choice("ACGU") for _ in range(4)) + "U" for _ in range(30)]
    beside_seqkit("microRNAs and seeds in hairpins", mature + seeds, hairpins, both, [])
    triple = written("triple.fa", [">triple", "ACA"])
    same("seqkit goes round a circle more than once",
           [place for place in seqkit(["NNNN", "AAC"], triple, "-d", "--circular", "-P")],
           [("triple", 0, "+", i, i + 4) for i in range(3)] + [("triple", 1, "+", 2, 5)])
    beside_seqkit("but for what goes round more than once", ["AAC"], triple,
                  ["--iupac", "--circular"], ["--circular", "-P"])


def seqkit_classes(r: random.Random) -> None:
    proteins = written("proteins.fa", (f">{name}\n{body}" for name, body in r.sample(
        list(fasta("protein/ecoli_k12_UP000000625.fasta.gz")), 300)))

    def element() -> str:
        letters = "".join(r.sample("ACDEFGHIKLMNPQRSTVWY", r.randint(1, 6)))
        return r.choice([letters[0], f"[{letters}]", f"[^{letters}]"]) + \
            r.choice(["", "", "", "?", "{2}", "{1,3}", "+"])

    for _ in range(3):
        patterns = []
        while len(patterns) < 15:
            made = "".join(element() for _ in range(r.randint(2, 5)))
            if not re.fullmatch(made, ""):
                patterns.append(made)
        beside_seqkit("expressions in proteins, but for places within places", patterns, proteins,
                      ["--report", "longest"], ["-P", "-r", "-t", "protein"], not_inside)
        beside_seqkit("expressions in proteins, apart", patterns, proteins,
                      ["--report", "longest"], ["-P", "-r", "-G", "-t", "protein"], apart)


# ---- EMBOSS ------------------------------------------------------------------------------------

def emboss(tool: str, patterns, file: str, *options):
    """Places as (record, pattern's number, strand, start, end); each place of a strand once."""
    sought = written("emboss.pat", (f">{i}\n{p}" for i, p in enumerate(patterns)))
    run(tool, "-auto", "-sequence", file, "-pattern", f"@{sought}", "-rformat", "excel",
        "-outfile", "emboss.out", *options)
    with open("emboss.out", encoding="ascii") as rows:
        fields = [row.rstrip("\n").split("\t") for row in rows if not row.startswith("SeqName")]
    return [(row[0], int(row[5].split(":")[0]), row[4], min(int(row[1]), int(row[2])) - 1,
             max(int(row[1]), int(row[2]))) for row in fields]


def beside_emboss(tool: str, name: str, patterns, theirs, file: str, ours, *options) -> None:
    rows = find(*ours, "--report", "pairs", "-f", written("patterns", patterns), file)
    got = [(row["record"], int(row["pattern"]) - 1, row.get("strand", "+"), int(row["start"]),
            int(row["end"])) for row in rows]
    same(f"{tool}: {name}", got, emboss(tool, theirs, file, *options))


def fuzznuc_places(r: random.Random) -> None:
    (_, letters), = fasta("dna/lambda_phage.fasta.gz")
    phage = written("phage.fa", [">phage", letters])

    def motif():
        ours = theirs = ""
        for _ in range(r.randint(2, 6)):
            codes, low = r.choice("ACGTACGTRYSWKMBDHVN"), r.randint(1, 4)
            each = r.randrange(8)
            if each == 0:
                codes = "".join(r.sample("ACGT", 2))
                ours, theirs = f"{ours}[{codes}]", f"{theirs}[{codes}]"
            elif each == 1 and codes in "ACGT": # of others fuzznuc makes no pattern
                ours, theirs = f"{ours}[^{codes[0]}]", f"{theirs}{{{codes[0]}}}"
            else:
                ours, theirs = ours + codes, theirs + codes
            high = low + r.randint(1, 3)
            count = r.choice([None, None, (f"{{{low}}}", f"({low})"),
                              (f"{{{low},{high}}}", f"({low},{high})")])
            if count:
                ours, theirs = ours + count[0], theirs + count[1]
        return ours, theirs

    motifs = [motif() for _ in range(40)]
    beside_emboss("fuzznuc", "drawn motifs, both strands", [m[0] for m in motifs],
                  [m[1] for m in motifs], phage, ["--iupac", "--strand", "both"], "-complement")
    masked = written("masked.fa", [">masked", "".join(
        c.lower() if i // 90 % 2 else c for i, c in enumerate(letters))])
    beside_emboss("fuzznuc", "the same, in either case", [m[0] for m in motifs],
                  [m[1].lower() for m in motifs], masked, ["--iupac", "--strand", "both"], "-complement")

    sites = written("site.fa", [">site", "GATTACAGAAT"])
    same("fuzznuc: -scircular is a line all the same", emboss("fuzznuc", ["GAAT", "AATG"], sites,
                                                                "-scircular"), [("site", 0, "+", 7, 11)])


def fuzzpro_places(r: random.Random) -> None:
    proteins = written("proteins.fa", (f">{name.split('|')[1]}\n{body}" for name, body in r.sample(
        list(fasta("protein/ecoli_k12_UP000000625.fasta.gz")), 700)))
    with open(f"{DATA}/prosite/prosite_patterns_1309.dat", encoding="ascii") as file:
        entries = "".join(re.sub("^PA   ", "", line.rstrip("\n")) + ("" if line.startswith("PA") else "\n")
                          for line in file if line[:2] in ("PA", "//"))
    motifs = [line.replace("//", "").rstrip(".") for line in entries.split("\n") if len(line) > 4]
    motifs = r.sample(motifs, 100)
    beside_emboss("fuzzpro", f"{len(motifs)} motifs of PROSITE", motifs, motifs, proteins,
                  ["--prosite"])
    ends = written("ends.fa", [">one", "MKFSPRL", ">two", "FSPRLG"])
    motifs = ["F-[GSTV]-P-R-L-[G>]", "<M-x(1,2)"]
    found = find("--prosite", "--report", "pairs", "-f", written("patterns", motifs), ends)
    missed = [("one", 0, "+", 2, 7), ("one", 1, "+", 0, 2)]
    same("fuzzpro: misses > in a class, and behind < all but the longest",
           [(row["record"], int(row["pattern"]) - 1, "+", int(row["start"]), int(row["end"]))
            for row in found], emboss("fuzzpro", motifs, ends) + missed)


# ---- cutadapt -----------------------------------------------------------------------------------

def cutadapt_places() -> None:
    """Where an exact adapter first stands whole: what is before it stays."""
    for name, adapter, options in [
            ("adapterremoval_reads_1", "AGATCGGAAGAGC", ["-F"]),
            ("adapterremoval_reads_2", "AGATCGGAAGAGC", ["-F"]),
            ("illumina_10K", "AGATCGG", ["-F"]), ("illumina_10K", "TTAGTTTA", ["-F"]),
            ("illumina_10K", "TNGTYTA", ["--iupac"])]:
        reads = f"{DATA}/dna/{name}.fastq.gz"
        got = {}
        for row in find("--report", "leftmost-first", *options, adapter, reads):
            got.setdefault(row["record"], (int(row["start"]), int(row["end"])))
        run("cutadapt", "--quiet", "-e", "0", "--no-indels", "-O", str(len(adapter)), "-a", adapter,
            "--info-file", "info", "-o", os.devnull, reads)
        with open("info", encoding="ascii") as rows:
            fields = [row.split("\t") for row in rows]
        want = [(row[0].split()[0], int(row[2]), int(row[3])) for row in fields if row[1] != "-1"]
        same(f"cutadapt -e 0 -a {adapter}: {name}", [(r, *p) for r, p in got.items()], want)


# ---- yara ---------------------------------------------------------------------------------------

def yara_strings(r: random.Random) -> None:
    program = unpacked("sigs/clamav_test_program.bin.xz")
    with open("program", "wb") as out:
        out.write(program)

    def drawn() -> str:
        at, length, parts = r.randrange(len(program) - 40), r.randint(6, 14), []
        for byte in program[at:at + length]:
            kind = r.randrange(10) if 4 <= len(parts) < length - 1 else 9
            parts.append({0: "??", 1: f"{byte >> 4:X}?", 2: f"?{byte & 15:X}",
                          3: f"( {byte:02X} | 00 90 )", 4: f"[0-3] {byte:02X}"}.get(kind, f"{byte:02X}"))
        return " ".join(parts)

    known = [line.split("\t")[3] for line in
             unpacked("sigs/signature_base_hex_strings.tsv.xz").decode().split("\n")[1:-1]]
    strings = [drawn() for _ in range(200)] + r.sample(known, 600)
    written("rules.yar", ["rule r { strings:", *(f"$s{i} = {{ {s} }}" for i, s in enumerate(strings)),
                          "condition: any of them }"])
    want = [(int(row.split(":")[1][2:]), int(row.split(":")[0], 16))
            for row in run("yara", "-w", "-s", "rules.yar", "program").split("\n")[1:-1]]
    rows = find("--hex", "--report", "shortest", "-f", written("patterns", strings), "program")
    same("yara -s: hex strings in a program", [(int(row["pattern"]) - 1, int(row["start"]))
                                                 for row in rows], want)


def main() -> int:
    if not DATA:
        print("# skipped: there is no folder of test data\n0 passed, 0 failed")
        return 77
    r = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if has("seqkit"):
            seqkit_places(r)
            seqkit_classes(r)
        if has("fuzznuc"):
            fuzznuc_places(r)
        if has("fuzzpro"):
            fuzzpro_places(r)
        if has("cutadapt"):
            cutadapt_places()
        if has("yara"):
            yara_strings(r)
        os.chdir("/")
    return asked.summary()


if __name__ == "__main__":
    sys.exit(main())
