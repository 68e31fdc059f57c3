#!/usr/bin/env python3
"""What `trawl find` finds in compressed files, archives, sequences and captures, against Python's own
modules and readers of this file, written as plainly as can be.

Usage: test_find_files.py TRAWL [DATA]   (DATA: real files, searched too where they are)
"""
import bz2, gzip, io, json, lzma, os, pty, random, re, shutil, struct, subprocess, sys, tarfile
import tempfile, zipfile, zlib

trawl, data = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
number = failed = 0


def result(name, good, why=""):
    global number, failed
    number += 1
    failed += not good
    print("%s %d - %s%s" % ("ok" if good else "not ok", number, name, "" if good else ": " + why))


def find(*arguments, text=None):
    """(status, rows without the header, standard error)"""
    done = subprocess.run([trawl, "find", *arguments], input=text, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode().split("\n")[1:-1], done.stderr.decode()


def same(name, got, want, status=0):
    good = got[0] == status and got[1] == want
    first = next((i for i, (a, b) in enumerate(zip(got[1], want)) if a != b), -1)
    why = "status %d, %d rows, not %d; row %d: %s, not %s; %s" % (
        got[0], len(got[1]), len(want), first, got[1][first:][:1], want[first:][:1], got[2])
    result(name, good, why)


def refused(name, got, said, rows=None):
    good = got[0] == 2 and said in got[2] and (rows is None or got[1] == rows)
    result(name, good, "status %d, %s, rows %s" % (got[0], got[2], got[1][:3]))


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)
    return name


def places(pattern, text):
    """Overlapping occurrences of bytes."""
    return [m.start() for m in re.finditer(b"(?=" + re.escape(pattern) + b")", text)]


def rows(file, record, pattern, text):
    return ["%s\t%s\t1\t%d\t%d" % (file, record, at, at + len(pattern)) for at in places(pattern, text)]


# ---- compressed files ------------------------------------------------------------------------

build = subprocess.run([trawl, "find", "x"], input=b"PK\3\4\24\0\0\0\0\0", capture_output=True)
if b"build does not read" in build.stderr:
    print("this build has no libarchive")
    sys.exit(77)

os.chdir(tempfile.mkdtemp())
folder = os.getcwd()
random.seed(7)
words = [b"needle", b"thread", b"hay", b"stack", b"\n", b" ", b"and"]
text = b"".join(random.choice(words) for _ in range(60000))


def tool(*command, content=text):
    """What a program makes of `content`; None where it is not installed."""
    if not shutil.which(command[0]):
        return None
    return subprocess.run(command, input=content, capture_output=True).stdout


packed = {
    "gzip": gzip.compress(text), "bzip2": bz2.compress(text), "xz": lzma.compress(text),
    "zstd": tool("zstd", "-qc"), "lz4": tool("lz4", "-qc"),
    "gzip of two members": gzip.compress(text[:99999]) + gzip.compress(text[99999:]),
    "gzip, zeros after": gzip.compress(text) + bytes(700),
    "bzip2 of two streams": bz2.compress(text[:99999]) + bz2.compress(text[99999:]),
    "xz of two streams": lzma.compress(text[:99999]) + lzma.compress(text[99999:]),
    "gzip in xz in bzip2": bz2.compress(lzma.compress(gzip.compress(text))),
    "zstd of pzstd": tool("pzstd", "-q", "-c", "-p", "2"), "lz4, legacy": tool("lz4", "-qlc"),
    "gzip of nothing": gzip.compress(b""), "bzip2 of nothing": bz2.compress(b""),
    "xz of nothing": lzma.compress(b""),
}
note = struct.pack("<II", 0x184d2a5f, 3) + b"abc" # frames that zstd and lz4 pass over
wide = struct.pack("<II", 0x184d2a50, 70000) + b"needle" + bytes(69994)
for name in "zstd", "lz4", "lz4, legacy":
    if packed[name] is not None:
        packed[name + " after notes"] = note + note + packed[name]
        packed[name + " after a long note"] = wide + note + packed[name]
packed["notes of nothing"] = note + wide
for name, content in packed.items():
    if content is None:
        continue
    want = [] if "nothing" in name else rows("f", 1, b"needle", text)
    write("f", content)
    same(name, find("needle", "f"), want, 0 if want else 1)
    piped = [row.replace("f\t", "(standard input)\t", 1) for row in want]
    same(name + ", a pipe", find("needle", text=content), piped, 0 if want else 1)
    if "of" not in name and "zeros after" not in name:
        refused(name + ", cut", find("--count", "needle", write("f", content[:-9])), "trawl find: f: ")
    if "of" not in name and "after" not in name and "legacy" not in name: # it has no checksum
        changed = bytearray(content)
        changed[len(changed) // 2] ^= 16
        refused(name + ", changed", find("--count", "needle", write("f", changed)), "trawl find: f: ")
refused("a note, cut", find("needle", write("f", note + wide[:-1])), "is cut off", [])
refused("a long note, then no zstd", find("needle", write("f", wide + b"needle")), "is damaged", [])
same("a note, then no zstd", find("needle", write("f", note + b"  needle   ")), ["f\t1\t1\t13\t19"])
refused("gzip, other bytes after", find("needle", write("f", gzip.compress(text) + b"more")),
        "other bytes follow", rows("f", 1, b"needle", text))
for name in "bzip2", "lz4", "bzip2 of nothing":
    if packed[name] is not None:
        want = [] if "nothing" in name else rows("f", 1, b"needle", text)
        for more in gzip.compress(text), b"\0" * 200000 + b"more":
            refused(name + ", other bytes after", find("needle", write("f", packed[name] + more)), "other bytes follow", want)
        same(name + ", zeros after", find("needle", write("f", packed[name] + bytes(200000))), want, 0 if want else 1)
write("f", gzip.compress(text) + b"more")
result("the bytes as they stand", find("--format", "raw", "-F", r"\x1f\x8b\x08", "f")[1][:1] ==
       ["f\t1\t1\t0\t3"])
for report in "pairs", "longest", "leftmost-longest", "leftmost-first":
    write("f", gzip.compress(text)), write("g", text)
    got, want = (find("--report", report, "d[a-z ]*le", file) for file in "fg")
    same("gzip, --report " + report, got, ["f" + row[1:] for row in want[1]])

# ---- damage: what stands before it is found, but for what a filter had made of the block that failed ----

story = b"".join(b"line %d: a needle in %d\n" % (i, i * 7919 % 100003) for i in range(60000))


def until_damage(name, content, member, plain, said, lost=128 << 10):
    """`plain`: what another reader makes of it"""
    got, want = find("needle", write("f", content)), rows("f" + member, 1, b"needle", story)
    least = len(places(b"needle", plain[:max(0, len(plain) - lost)]))
    result(name, got[0] == 2 and said in got[2] and got[1] == want[:len(got[1])] and len(got[1]) >= least,
           "status %d, %d rows, not %d of %d; %s" % (got[0], len(got[1]), least, len(want), got[2]))


story_bz2, story_xz, story_gzip = bz2.compress(story), lzma.compress(story), gzip.compress(story)
until_damage("bzip2, cut", story_bz2[:-6], "", bz2.BZ2Decompressor().decompress(story_bz2[:-6]),
             "is cut off (bzip2)")
until_damage("xz, cut", story_xz[:-6], "", lzma.LZMADecompressor().decompress(story_xz[:-6]), "is cut off (xz)")
until_damage("xz, other bytes after", story_xz + b"any other bytes", "", story, "trawl find: f: ")
until_damage("gzip, cut", story_gzip[:-6], "", story, "is cut off (gzip)", 0)
for program in "zstd", "lz4":
    if not shutil.which(program):
        print("skipped: damage of %s, whose program is not installed" % program)
        continue
    content = tool(program, "-qc", content=story)
    until_damage(program + ", cut", content[:-6], "", tool(program, "-dc", content=content[:-6]), "is cut off (%s)" % program)
    if program == "zstd":
        until_damage("zstd, other bytes after", content + b"any other bytes", "", story, "trawl find: f: ")

out = io.BytesIO()
with tarfile.open(fileobj=out, mode="w") as tar:
    member = tarfile.TarInfo("story")
    member.size = len(story)
    tar.addfile(member, io.BytesIO(story))
story_tar = out.getvalue()
until_damage("tar, cut", story_tar[:len(story) - 20000], ":story", story[:-20512], "trawl find: f:story: ")
packed = gzip.compress(story_tar)
plain = zlib.decompressobj(31).decompress(packed[:len(packed) // 2])[512:]
until_damage("tar.gz, cut", packed[:len(packed) // 2], ":story", plain, "is cut off (gzip)")
until_damage("tar.gz, cut after the members", packed[:-6], ":story", story, "is cut off (gzip)", 0)
packed = packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:]
until_damage("tar.gz, a wrong CRC", packed, ":story", story, "is damaged (gzip)", 0)
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("story", story)
crc = struct.pack("<I", zlib.crc32(story))
until_damage("zip, a wrong CRC", out.getvalue().replace(crc, bytes(4)), ":story", story, "bad CRC", 0)

with open("sparse", "wb") as file: # holes before, between and after
    for at in 100000, 3000000:
        file.seek(at)
        file.write(b"a needle")
    file.truncate(5000000)
if shutil.which("tar") and subprocess.run(["tar", "cSf", "f", "sparse"]).returncode == 0:
    want = rows("f:sparse", 1, b"needle", open("sparse", "rb").read())
    same("tar of a sparse file", find("needle", "f"), want)
    same("its zeros", find("--count", "-F", r"\0\0", "f"), ["f:sparse\t1\t%d" % (5000000 - 19)])

# ---- archives ----------------------------------------------------------------------------------

members = [("one", text), ("empty", b""), ("folder/two", b"a needle"), ("three.gz", gzip.compress(text)),
           ("\u00fcml\u00e4ut", b"needle"), ("tab\tand\nline", b"needle")]
want = []
for name, content in members:
    content = text if name == "three.gz" else content
    name = name.replace("\t", "\\t").replace("\n", "\\n")
    want += rows("f:" + name, 1, b"needle", content)


def make_tar(form, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=form) as tar:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        for kind in tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE:
            member = tarfile.TarInfo("no file %s" % kind.decode())
            member.type, member.linkname = kind, "one"
            tar.addfile(member)
    return out.getvalue()


def make_zip(method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
        archive.mkdir("folder") if hasattr(archive, "mkdir") else None
    return out.getvalue()


archives = {"tar, GNU": make_tar(tarfile.GNU_FORMAT), "tar, pax": make_tar(tarfile.PAX_FORMAT),
            "tar, ustar": make_tar(tarfile.USTAR_FORMAT), "tar.gz": make_tar(tarfile.GNU_FORMAT, "w:gz"),
            "tar.xz": make_tar(tarfile.GNU_FORMAT, "w:xz"), "zip": make_zip(zipfile.ZIP_DEFLATED),
            "zip, stored": make_zip(zipfile.ZIP_STORED), "zip, bzip2": make_zip(zipfile.ZIP_BZIP2)}
for name, content in archives.items():
    same(name, find("needle", write("f", content)), want)
    piped = [row.replace("f:", "(standard input):", 1) for row in want]
    same(name + ", a pipe", find("needle", text=content), piped)



class OneWay(io.BytesIO):
    """What cannot go back: lengths stand after members, not before."""
    def seekable(self): return False
    def tell(self): raise OSError
    def seek(self, *_): raise OSError


for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2:
    out = OneWay()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("m1", text)
        archive.writestr("m2", text)
    one_way = rows("f:m1", "1", b"needle", text) + rows("f:m2", "1", b"needle", text)
    same("zip, written to a pipe, %d" % method, find("needle", write("f", out.getvalue())), one_way)
    piped = find("needle", text=out.getvalue())
    if method == zipfile.ZIP_BZIP2:  # libarchive cannot tell where it ends
        refused("the same, a pipe", piped, "save the zip file, and search that", [])
    else:
        same("the same, a pipe", piped, [row.replace("f:", "(standard input):", 1) for row in one_way])
archive = bytearray(archives["zip"])
archive[200] ^= 16 # in the first member
refused("zip, a broken member", find("needle", write("f", archive)), "trawl find: f:one: ")
result("zip, the others", [row for row in find("needle", "f")[1] if not row.startswith("f:one\t")] ==
       [row for row in want if not row.startswith("f:one\t")])
refused("tar, cut", find("needle", write("f", archives["tar, GNU"][:5000])), "trawl find: f:one: ")
count = find("--count=all", "needle", write("f", archives["zip"]))
same("zip, --count", count, ["f:%s\t1\t%d" % (name.replace("\t", "\\t").replace("\n", "\\n"), len(
    places(b"needle", text if name == "three.gz" else content))) for name, content in members])
same("zip, --max-matches", find("--max-matches", "3", "needle", "f"), want[:3])

nest = text[:1000]
for _ in range(8):
    nest = gzip.compress(nest)
same("eight within one another", find("--count", "needle", write("f", nest)),
     ["f\t1\t%d" % len(places(b"needle", text[:1000]))])
refused("nine", find("--count", "needle", write("f", gzip.compress(nest))), "packed within eight", [])

# ---- bombs -----------------------------------------------------------------------------------------

zeros = bytes(100 << 20)
for name, content in ("gzip", gzip.compress(zeros)), ("xz", lzma.compress(zeros, preset=0)):
    write("f", content)
    refused("a bomb of " + name, find("--count", "needle", "f"), "--max-ratio")
    same("it all, " + name, find("--count", "--max-ratio", "0", "-F", r"\0\0", "f"),
         ["f\t1\t%d" % (len(zeros) - 1)])
    refused("a bomb in gzip", find("--count", "needle", write("f", gzip.compress(content))), "--max-ratio")
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
    for i in range(4):
        archive.writestr("zeros%d" % i, zeros[:30 << 20])
refused("a bomb of members", find("--count", "needle", write("f", out.getvalue())), "--max-ratio")

# ---- sequences -----------------------------------------------------------------------------------------


def read_fasta(content):
    for part in re.split(rb"(?m)^>", content)[1:]:
        title, _, lines = part.partition(b"\n")
        yield (title.split(None, 1) or [b""])[0].decode(), b"".join(lines.split())


def read_fastq(content):
    lines = content.split(b"\n")
    for i in range(0, len(lines) - 3, 4):
        yield lines[i][1:].split(None, 1)[0].decode(), lines[i + 1].strip()


def record_rows(file, records, pattern):
    return [row for name, letters in records for row in rows(file, name, pattern, letters)]


def fold(letters, width):
    return b"\n".join(letters[i:i + width] for i in range(0, len(letters), width)) + b"\n"


genome = b"".join(random.choice([b"A", b"C", b"G", b"T"]) for _ in range(300000))
fasta = b"".join(b">seq%d words\n" % i + fold(genome[i * 71:i * 71 + i * 13], 60 + i % 7)
                 for i in range(300))
long = genome * 40 # three batches of a reader
fasta += b">long\n" + fold(long, 70) + b">last\nGATTACA"
want = record_rows("f", read_fasta(fasta), b"GATTACA")
same("FASTA", find("GATTACA", write("f", fasta)), want)
same("FASTA, in gzip", find("GATTACA", write("f", gzip.compress(fasta, 1))), want)
same("FASTA, CRLF", find("GATTACA", write("f", fasta.replace(b"\n", b"\r\n"))), want)
for report in "ends", "pairs", "leftmost-longest":
    wide = [row for row in find("--report", report, "GATTAC+A{1,5}", write("f", fasta))[1] if "long" in row]
    flat = find("--report", report, "GATTAC+A{1,5}", write("g", long))[1]
    result("FASTA, a long record, --report " + report,
           [row.split("\t")[2:] for row in wide] == [row.split("\t")[2:] for row in flat] and flat)
seen = {
    "blanks after lines": fasta.replace(b"\n", b" \t\n"), "blank lines": fasta.replace(b"\n>", b"\n \n>"),
    "empty lines in front": b"\n\r\n  \n" + fasta, "a mark of UTF-8": b"\xef\xbb\xbf" + fasta,
    "groups of nucleotides": re.sub(rb"(?m)^([ACGT]{3})([ACGT]{2})", rb"\1 \2\t", fasta),
}
for name, content in seen.items():
    same("FASTA, " + name, find("GATTACA", write("f", content)), want)
    same("FASTA, %s, forced" % name, find("--format", "fasta", "GATTACA", "f"), want)
    same("FASTA, %s, a pipe" % name, find("GATTACA", text=content), ["(standard input)" + row[1:] for row in want])
protein = b">P1\nMKTAYIAKQR QISFVKSHFS RQLEERLGLI\nEVQAPILSRV GDGTQDNLSG AEKAV\n"
same("FASTA, groups of ten", find("RVGDG", write("f", protein)), ["f\tP1\t1\t38\t43"])
for text_like in (b"> quoted\n> lines\nneedle\n", b">From here\na needle in words\n", b">>> print\nneedle here\n",
                  b"\n\n>head\n\nWords, and a needle.\n", b"\xef\xbb\xbf# needle\n", b"<a\n>\nneedle\n",
                  b">greetings\nhello world needle\n", b">x\ninternational needle\n",
                  b">x\nmotherhood needle\n", b">X\nINTERNATIONAL needle\n"):
    same("no FASTA: %r" % text_like, find("needle", write("f", text_like)), rows("f", 1, b"needle", text_like))
# One odd line: told, with its line, and of bases what begins with '>' is FASTA all the same.
sites = [("a", b"ACGTGATTACAG"), ("b", b"GATTACA")]
odd_titles = b">a\nACGTGA\nTTACAG\n> b\nGATTACA\n"
same("FASTA, a title with a blank", find("GATTACA", write("f", odd_titles)), record_rows("f", sites, b"GATTACA"))
for name, content, line in (("first title with a blank", b"> a\nACGTGA\nTTACAG\n>b\nGATTACA\n", 1),
                            ("a long title", b">a " + b"x" * 70000 + b"\nACGTGA\nTTACAG\n>b\nGATTACA\n", 1),
                            ("a byte", b">a\nACGTGA\nTTACAG\n>b\nGATTACA\n?\n", 6),
                            ("numbers", b">a\nACGTGA\nTTACAG\n>b\n\nGATTACA 7\n", 6)):
    got = find("GATTACA", write("f", content))
    result("no FASTA: %s, told" % name, got[0] == 0 and "f: line %d " % line in got[2] and
           got[1] == rows("f", 1, b"GATTACA", content), str(got))
    got = find("--iupac", "GATTACA", "f")
    same("--iupac: FASTA, %s" % name, got, record_rows("f", sites, b"GATTACA"))
    result("--iupac: %s, %s" % (name, "told" if line > 1 else "no word of it"),
           ("f: line %d " % line in got[2]) == (line > 1), got[2])
    got = find("--format", "text", "GATTACA", "f")
    result("--format text: %s, no word of it" % name, got[0] == 0 and not got[2], got[2])
# One that stands after what is looked at is told by its number, and read as a part of its sequence.
long = b">z\n" + b"ACGTTGCAACGTTGCA\n" * 6000
for name, line, number in (("a byte", b"GATTACA?\n", 6003), ("a title", b">\x02\nGATTACA\n", 6002),
                           ("words", b"some words GATTACA\n", 6003), ("a comment", b"#GATTACA\n", 6003)):
    got = find("GATTACA", write("f", long + (b"" if line[:1] == b">" else b">y\n") + line))
    result("FASTA, %s late, told" % name, got[0] == 0 and "f: line %d " % number in got[2] and len(got[1]) == 1, str(got))
    got = find("--format", "fasta", "GATTACA", "f")
    result("--format fasta: %s late, no word of it" % name, got[0] == 0 and not got[2], got[2])
same("FASTA, carriage returns alone", find("GATTACA", write("f", fasta.replace(b"\n", b"\r"))), want)
same("FASTA, carriage returns alone, a pipe", find("GATTACA", text=fasta.replace(b"\n", b"\r")),
     ["(standard input)" + row[1:] for row in want])
write("f", fasta)
same("FASTA, --format text", find("--format", "text", ">seq7 ", "f"), rows("f", 1, b">seq7 ", fasta))
refused("FASTA, forced", find("--format", "fasta", "A", write("f", b"words\n")), "line 1: a record of FASTA")
same("FASTA, empty, forced", find("--count=all", "--format", "fasta", "A", write("f", b"")), ["f\t1\t0"], 1)

fastq = b"".join(b"@read%d/1 x\n%s\n+\n%s\n" % (i, genome[i * 97:i * 97 + 30 + i % 90],
                 bytes(random.randrange(33, 127) for _ in range(30 + i % 90))) for i in range(3000))
want = record_rows("f", read_fastq(fastq), b"GATT")
same("FASTQ", find("GATT", write("f", fastq)), want)
same("FASTQ, a pipe", find("GATT", text=fastq), ["(standard input)" + row[1:] for row in want])
same("FASTQ, in xz", find("GATT", write("f", lzma.compress(fastq))), want)
refused("FASTQ, cut", find("GATT", write("f", fastq[:-7])), "the text ends within a record", want)
for end in b"\n", b"\r\n": # what trimming leaves
    empty = (b"@none\n\n+\n\n" + fastq + b"@last\n\n+\n\n").replace(b"\n", end)
    same("FASTQ, empty records", find("GATT", write("f", empty)), want)
    same("FASTQ, empty records, a pipe", find("GATT", text=empty), ["(standard input)" + row[1:] for row in want])
refused("FASTQ, too few qualities in front", find("GATT", write("f", b"@a\nCGATT\n+\nIII\n" + fastq)),
        "line 5: more qualities than the 5 letters of the record that begins on line 1", rows("f", "a", b"GATT", b"CGATT"))

write("f", fastq)
first = json.loads(subprocess.run([trawl, "find", "--json", "GATT", "f"], capture_output=True)
                   .stdout.split(b"\n")[0])
result("FASTQ, --json", "%(file)s\t%(record)s\t%(pattern)d\t%(start)d\t%(end)d" % first == want[0])

# ---- alignments, entries, and what is not read ---------------------------------------------------------

reads = [("r%d" % (i // 2), genome[i * 83:i * 83 + i % 150]) for i in range(400)]
sam = b"@HD\tVN:1.6\n@SQ\tSN:c\tLN:9\n" + b"".join(
    b"%s\t4\t*\t0\t0\t*\t*\t0\t0\t%s\t%s\n" % (name.encode(), letters or b"*", b"I" * len(letters) or b"*")
    for name, letters in reads)
bam = b"BAM\1" + struct.pack("<I3sI", 3, b"@CO", 1) + struct.pack("<I2sI", 2, b"c\0", 9)
for name, letters in reads:
    codes = ["=ACMGRSVTWYHKDBN".index(chr(c)) for c in letters] + [0]
    seq = bytes(codes[i] << 4 | codes[i + 1] for i in range(0, len(letters), 2))
    body = struct.pack("<iiBBHHHIiii", -1, -1, len(name) + 1, 0, 0, 0, 4, len(letters), -1, -1, 0)
    body += name.encode() + b"\0" + seq + b"\xff" * len(letters)
    bam += struct.pack("<I", len(body)) + body
want = record_rows("f", reads, b"GATT")
same("SAM", find("GATT", write("f", sam)), want)
same("SAM without a head", find("GATT", write("f", sam.split(b"\n", 2)[2])), want)
same("SAM without a head, a pipe", find("GATT", text=sam.split(b"\n", 2)[2]), ["(standard input)" + row[1:] for row in want])
same("SAM without a head, --format sam", find("--format", "sam", "GATT", write("f", sam.split(b"\n", 2)[2])), want)
for name, content in ("BAM", gzip.compress(bam, 1)), ("BAM, not compressed", bam):
    same(name, find("GATT", write("f", content)), want)
    same(name + ", a pipe", find("GATT", text=content), ["(standard input)" + row[1:] for row in want])
refused("BAM, cut", find("GATT", write("f", bam[:-1])), "is cut off (BAM)", want)
if shutil.which("samtools"):
    made = subprocess.run(["samtools", "view", "-b", "-"], input=sam, capture_output=True).stdout
    same("BAM of samtools", find("GATT", write("f", made)), want)
entries = b"".join(b"LOCUS       %s\nFEATURES    GATT\nORIGIN\n%s//\n" % (name.encode(), b"".join(
    b"%9d %s\n" % (i + 1, b" ".join(letters[k:k + 10] for k in range(i, min(i + 60, len(letters)), 10)))
    for i in range(0, len(letters), 60))) for name, letters in reads)
same("GenBank", find("GATT", write("f", entries)), want)
refused("GenBank, cut", find("GATT", write("f", entries[:-3])), "is cut off", want)
for name, head, tool_name in (("2bit", b"\x43\x27\x41\x1a" + bytes(12), "twoBitToFa"), ("CRAM", b"CRAM\3\1", "samtools")):
    refused(name + ", refused with what to do", find("GATT", write("f", head + bytes(99))), tool_name, [])
    same(name + ", --format raw", find("--format", "raw", "-F", r"\0\0\0", "--count", "f"), ["f\t1\t%d" % (
        len(places(bytes(3), head + bytes(99))))])

lines = text.split(b"\n")[:-1] if text.endswith(b"\n") else text.split(b"\n")
same("--format lines", find("--format", "lines", "needle", write("f", text)),
     [row for i, line in enumerate(lines) for row in rows("f", i + 1, b"needle", line)])

# ---- bgzip: blocks, and threads --------------------------------------------------------------------------


def bgzip(content):
    out = []
    for at in list(range(0, len(content), 60000)) + [None]:
        block = b"" if at is None else content[at:at + 60000]
        pack = zlib.compressobj(1, zlib.DEFLATED, -15)
        body = pack.compress(block) + pack.flush()
        out.append(struct.pack("<4BI2BH2BHH", 31, 139, 8, 4, 0, 0, 255, 6, 66, 67, 2, len(body) + 25)
                   + body + struct.pack("<II", zlib.crc32(block), len(block)))
    return out


fasta = b"".join(b">seq%d\n" % i + fold(bytes(random.choices(b"ACGTNRYKM", k=40000)), 60)
                 for i in range(350))
blocks = bgzip(fasta)
want = record_rows("f", read_fasta(fasta), b"GATTAC")
large = len(b"".join(blocks)) > 4 << 20
for threads in "1", "3":
    same("bgzip, %s threads" % threads, find("--threads", threads, "GATTAC", write("f", b"".join(blocks))),
         want)
result("bgzip, large enough for threads", large)
refused("bgzip, cut between blocks", find("GATTAC", write("f", b"".join(blocks[:-9]))), "is cut off (gzip)")
refused("bgzip, cut in a block", find("GATTAC", write("f", b"".join(blocks)[:-9999])), "(gzip)")
small = fasta[:200000]
want = record_rows("f", read_fasta(small), b"GATTAC")
for name, content in ("bgzip", small), ("bgzip of nothing", b""):
    want = want if content else []
    same(name + ", small", find("--format", "fasta", "GATTAC", write("f", b"".join(bgzip(content)))), want, 0 if want else 1)
refused("bgzip, small, cut between blocks", find("GATTAC", write("f", b"".join(bgzip(small)[:-1]))), "is cut off (gzip)",
        record_rows("f", read_fasta(small), b"GATTAC"))
refused("the same, a pipe", find("GATTAC", text=b"".join(blocks[:-1])), "is cut off (gzip)")
want = record_rows("f", read_fasta(fasta), b"GATTAC")
changed = bytearray(b"".join(blocks))
changed[len(changed) // 2] ^= 16
refused("bgzip, changed", find("GATTAC", write("f", changed)), "is damaged (gzip)")

whole = b"".join(blocks)
wrong = 0
for _ in range(30):
    changed = bytearray(whole)
    for _ in range(random.randrange(1, 4)):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    status, rows_now, said = find("GATTAC", write("f", changed[:random.choice([len(whole), len(whole) // 2])]))
    wrong += not (status == 2 and said if rows_now != want else status == 0)
result("bgzip, thirty changed", wrong == 0, "%d wrong" % wrong)

# ---- captures ----------------------------------------------------------------------------------------------


def packet_payload(frame):
    """What stands after TCP's or UDP's header in an Ethernet frame of IPv4, with the flow."""
    at = 14
    kind = struct.unpack(">H", frame[12:14])[0]
    while kind in (0x8100, 0x88a8):
        kind, at = struct.unpack(">H", frame[at + 2:at + 4])[0], at + 4
    if kind != 0x0800:
        return None
    ip = frame[at:]
    head, total, protocol = 4 * (ip[0] & 15), struct.unpack(">H", ip[2:4])[0], ip[9]
    ip = ip[:total] if total else ip
    ends = [".".join(map(str, ip[i:i + 4])) for i in (12, 16)]
    if protocol not in (6, 17) or struct.unpack(">H", ip[6:8])[0] & 0x1fff:
        return None
    rest = ip[head:]
    payload = rest[4 * (rest[12] >> 4):] if protocol == 6 else rest[8:]
    return "%s %s:%d > %s:%d" % (("tcp" if protocol == 6 else "udp", ends[0]) + (
        struct.unpack(">H", rest[:2])[0], ends[1], struct.unpack(">H", rest[2:4])[0])), payload


def read_pcap(content):
    order = "<" if content[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at, i = 24, 0
    while at < len(content):
        length = struct.unpack(order + "I", content[at + 8:at + 12])[0]
        i += 1
        yield i, content[at + 16:at + 16 + length]
        at += 16 + length


def frame(payload, port):
    tcp = struct.pack(">HHIIBBHHH", port, 80, 1, 1, 0x50, 24, 1000, 0, 0) + payload
    ip = struct.pack(">BBHHHBBH4B4B", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, 10, 0, 0, 1, 10, 0, 0, 2)
    return bytes(12) + b"\x08\x00" + ip + tcp


frames = [frame(text[i * 17:i * 17 + i % 1400], 1024 + i) for i in range(20000)]
pcap = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) + b"".join(
    struct.pack("<IIII", 0, 0, len(f), len(f)) + f for f in frames)


def capture_rows(file, content, pattern):
    out = []
    for i, packet in read_pcap(content):
        parsed = packet_payload(packet)
        if parsed:
            out += rows(file, "%d %s" % (i, parsed[0]), pattern, parsed[1])
    return out


want = capture_rows("f", pcap, b"needlethread")
probe = find("needlethread", write("f", pcap))
if "build does not read" not in probe[2]:
    same("pcap", probe, want)
    same("pcap, in gzip", find("needlethread", write("f", gzip.compress(pcap, 1))), want)
    same("pcap, a pipe", find("needlethread", text=pcap), ["(standard input)" + row[1:] for row in want])
    short = pcap[:16] + struct.pack("<I", 200) + pcap[20:] # shorter than its packets
    same("pcap, packets above its snapshot length", find("needlethread", write("f", short)), want)
    same("the same, a pipe", find("needlethread", text=short), ["(standard input)" + row[1:] for row in want])
    for order in "<>":
        modified = struct.pack(order + "IHHiIII", 0xa1b2cd34, 2, 4, 0, 0, 65535, 1) + b"".join(
            struct.pack(order + "IIIIIHBB", 0, 0, len(f), len(f), 1, 8, 0, 0) + f for f in frames)
        same("pcap, modified records, %s" % order, find("needlethread", write("f", modified)), want)

    def block(kind, body):
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    def pcapng(second):
        packet = lambda i: block(6, struct.pack("<IIIII", i, 0, 0, len(frames[40]), len(frames[40])) + frames[40])
        return (block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)) + block(1, struct.pack("<HHI", 1, 0, 200))
                + packet(0) + block(1, struct.pack("<HHI", *second)) + packet(1))

    payload, flow = packet_payload(frames[40])[::-1]
    both = [rows("f", "%d %s" % (i, flow), payload[:8], payload) for i in (1, 2)]
    pattern = "".join("\\x%02x" % c for c in payload[:8])
    same("pcapng, interfaces alike", find("-F", pattern, write("f", pcapng((1, 0, 200)))), both[0] + both[1])
    refused("pcapng, another snapshot length", find("-F", pattern, write("f", pcapng((1, 0, 70)))), "editcap -F pcap", both[0])
    refused("pcapng, another link type", find("-F", pattern, write("f", pcapng((101, 0, 200)))), "differ in link type", both[0])
    refused("pcap, cut", find("needlethread", write("f", pcap[:-100])), "trawl find: f: ",
            [row for row in want if not row.startswith("f\t20000 ")])

# ---- real files ------------------------------------------------------------------------------------------------

for name, read, pattern in (("dna/ecoli_k12_mg1655.fasta.gz", read_fasta, b"GAATTC"),
                            ("dna/mirbase_hairpin.fasta.gz", read_fasta, b"UGAGGUAGUAGG"),
                            ("protein/ecoli_k12_UP000000625.fasta.gz", read_fasta, b"MKK"),
                            ("dna/illumina_10K.fastq.gz", read_fastq, b"AGATCGGAAGAGC"),
                            ("dna/adapterremoval_reads_1.fastq.gz", read_fastq, b"AGATCGGAAGAGC")):
    path = os.path.join(data, name)
    if data and os.path.exists(path):
        content = gzip.open(path).read()
        same(name, find(pattern.decode(), path), record_rows(path, read(content), pattern))
path = os.path.join(data, "ids/http_aptget.pcap")
if data and os.path.exists(path) and "build does not read" not in probe[2]:
    same("http_aptget.pcap", find("HTTP/1.1", path), capture_rows(path, open(path, "rb").read(), b"HTTP/1.1"))
path = os.path.join(data, "ids/et_open_2017_rules.tar.xz")
if data and os.path.exists(path):
    want = ["%s:%s\t1\t%d" % (path, member.name, len(places(b"nocase", tar.extractfile(member).read())))
            for tar in [tarfile.open(path)] for member in tar if member.isfile()]
    same("et_open_2017_rules.tar.xz", find("--count=all", "nocase", path), want)

# ---- trawl grep --decompress ---------------------------------------------------------------------------------


def grep(*arguments, text=None):
    done = subprocess.run([trawl, "grep", *arguments], input=text, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode().split("\n")[:-1], done.stderr.decode()


plain = text * 40 # more than a piece of a file
want = grep("-nb", "needle.*hay", write("plain", plain))[1]
for name, content in ("gzip", gzip.compress(plain, 1)), ("bzip2", bz2.compress(plain)), (
        "xz", lzma.compress(plain, preset=0)), ("gzip in xz", lzma.compress(gzip.compress(plain, 1))):
    same("grep, " + name, grep("-nb", "--decompress", "needle.*hay", write("f", content)), want)
    same("grep, a pipe of " + name, grep("-nb", "--decompress", "needle.*hay", text=content), want)
same("grep, a plain file", grep("-nb", "--decompress", "needle.*hay", "plain"), want)
os.mkdir("tree")
for i in range(9):
    write("tree/%d" % i, [text, gzip.compress(text), lzma.compress(text)][i % 3])
count = len([line for line in text.split(b"\n") if b"needle" in line])
same("grep -r", grep("-rc", "--decompress", "--threads", "4", "needle", "tree"),
     ["tree/%d:%d" % (i, count) for i in range(9)])
refused("grep, damaged", grep("-r", "--decompress", "needle", write("f", gzip.compress(plain)[:-9])), "is cut off")
refused("grep, zip", grep("--decompress", "needle", write("f", archives["zip"])), "`trawl find` searches", [])
refused("grep, a bomb", grep("-c", "--decompress", "x", write("f", gzip.compress(zeros))), "--max-ratio")

# ---- names and messages: a terminal obeys none of their bytes, and a file gets them as they are ---------------


def shown(*arguments):
    """What a terminal gets."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(trawl, [trawl, *arguments])
    got = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            got += piece
    except OSError:                                                        # the other side is closed
        pass
    os.waitpid(child, 0)
    os.close(terminal)
    return got


os.mkdir("odd")
odd, seen = "\x1b]0;a\x07b\u009bc\x7fd\u00fc", "\\x1b]0;a\\x07b\\xc2\\x9bc\\x7fd\u00fc"
archive = write("odd/a.tar", b"")
with tarfile.open(archive, "w") as tar:
    member = tarfile.TarInfo(odd)
    member.size = 6
    tar.addfile(member, io.BytesIO(b"needle"))
write("odd/" + odd, b"needle\n")
write("odd.list", (odd + "\tneedle\n").encode())
write("odd/" + odd + ".pgm", b"P5 1 1 255 a")
for arguments in (["find", "needle", archive], ["find", "-c", "needle", archive], ["find", "--matched", "needle", archive],
                  ["find", "--bed", "needle", archive], ["find", "--gff3", "needle", archive],
                  ["find", "--named", "-f", "odd.list", archive], ["find", "needle", "odd/no" + odd],
                  ["grep", "-r", "--color=never", "needle", "odd"], ["grep", "-rc", "needle", "odd"],
                  ["grep", "-rl", "needle", "odd"], ["grep", "-rn", "--heading", "--color=never", "needle", "odd"],
                  ["grep", "-a", "needle", "odd/no" + odd], ["grid", "-n", "odd/" + odd + ".pgm", "odd/" + odd + ".pgm"],
                  ["find", "--report", odd, "needle", archive], ["info", "odd/no" + odd]):
    got = shown(*arguments).decode()
    name = seen.replace("\\x1b", "_").replace("\\x07", "_").replace("\\x7f", "_") if "--bed" in arguments else seen
    result("a terminal: " + " ".join(arguments[:-1]).replace(odd, "ODD"), (
        "--gff3" in arguments or name in got) and not re.search("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]|\x1b]", got), repr(got))
got = shown("compile", "-o", "-", "needle")
result("a terminal gets no plan", b"standard output is a terminal" in got and b"TRAWLPLN" not in got, repr(got))
want = archive + ":" + odd + "\t1\t1\t0\t6"
same("a file has the exact name", find("needle", archive), [want])
got = shown("find", "--json", "needle", archive).decode()
result("JSON on a terminal", json.loads(got)["file"] == archive + ":" + odd and got.strip().isprintable(), repr(got))

os.chdir("/")
shutil.rmtree(folder)
print("%d passed, %d failed" % (number - failed, failed))
sys.exit(failed > 0)
