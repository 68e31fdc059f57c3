#!/usr/bin/env python3
"""The commands of README.md's "One example a field" are run as they stand there, on files with the names
that they have there, and must print what plain Python finds in these files. A command without a check
here fails; one for which a library is missing is left out, with the message that names it.

Usage: readme_fields.py TRAWL README
"""
import gzip, os, random, re, shutil, struct, subprocess, sys, tarfile, tempfile, zlib

trawl, readme = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
work = tempfile.TemporaryDirectory()
os.chdir(work.name)
random.seed(13)


def write(name, content):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return content


def spans(pattern, text):
    """Start and end of the overlapping matches of a pattern with one match a start."""
    return [(m.start(), m.end(1)) for m in re.finditer(b"(?s)(?=(%s))" % pattern, text)]


def table(head, rows):
    return "".join("\t".join(map(str, row)) + "\n" for row in [head.split()] + rows)


# ---- lines -----------------------------------------------------------------------------------

log = write("app.log", "".join("%d %s %d\n" % (i, random.choice(["ok", "error code"]), random.randrange(3000))
                               for i in range(500)))
hosts = ["mail.example.org", "db7.example.org"]
write("hostnames.txt", "\n".join(hosts) + "\n")
write("logs/a/mail.log", "from mail.example.org\n")
write("logs/b/web.log", "GET / 200 from www.example.org\n")
write("logs/db.log.1", "connect db7.example.org:5432\n")
write("tree/.gitignore", "made.c\n")
write("tree/main.c", "1\n2\n3\n// TODO: 4\n5\n6\n7\n")
write("tree/made.c", "TODO\n")
write("tree/.hidden/main.c", "TODO\n")
write("tree/notes.txt", "TODO\n")
os.makedirs("tree/.git")

# ---- signatures ------------------------------------------------------------------------------

program = bytearray(random.randbytes(9000))
program[0:4] = b"MZ\x90\0"
program[100:107] = b"PE\0\0\x4c\1\0"
program[3000:3004] = b"MZ\x90\0"
program[3100:3104] = b"PE\0\0"
program = bytes(write("program.exe", bytes(program)))
write("daily.ndb", "Win.Test-1:0:*:4d5a9000{-200}50450000\nWin.Test-2:0:*:00112233445566\n")
write("daily.ldb", "Win.Test-3;Engine:51-255,Target:0;0=2&1>1;4d5a9000;50450000::i\n"
                   "Win.Test-4;Engine:51-255,Target:0;0=3;4d5a9000\n")
payloads = [b"GET /cmd.exe HTTP/1.0\r\n", b"POST /x\r\nUser-Agent: EvilBot\r\n", b"nothing", b"evilbot evilbot"]


def packets():
    for i, payload in enumerate(payloads):
        tcp = struct.pack(">HHIIBBHHH", 1000 + i, 80, 0, 0, 0x50, 0x18, 100, 0, 0) + payload
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), i, 0, 64, 6, 0, bytes([10, 0, 0, 1]),
                         bytes([10, 0, 0, 2])) + tcp
        yield bytes(12) + b"\x08\0" + ip


pcap = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
pcapng = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28) + struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20)
for p in packets():
    pcap += struct.pack("<IIII", 0, 0, len(p), len(p)) + p
    padded = p + bytes(-len(p) % 4)
    pcapng += struct.pack("<IIIIIII", 6, 32 + len(padded), 0, 0, 0, len(p), len(p)) + padded
    pcapng += struct.pack("<I", 32 + len(padded))
write("traffic.pcap", pcap)
write("capture.pcapng.gz", gzip.compress(pcapng))
write("emerging-malware.rules",
      'alert tcp any any -> any 80 (msg:"a bot"; content:"EvilBot"; nocase; sid:2000001;)\n'
      'alert tcp any any -> any 80 (msg:"a shell"; content:"GET /"; content:"cmd|2e|exe"; sid:2000002;)\n')
write("dumps/a/core", b"\0\1key=00c0ffee\0key=12\n")
write("dumps/b/heap", b"key=0123456789abcdef key")
write("dumps/none", b"nothing")
settings = [b'Token = "abc"\nkey: 0xff\nkeys = 0x1\n', b'KEY="" token=1 token :\t0x0']
write("settings/a/one.toml", settings[0])
write("settings/two.ini", settings[1])
write("markers.tsv", "a key\tkey=\nnever\tk[0-9]y\ncoffee\t(?i)C0FFEE\n")
flow = "10.0.0.1:%d>10.0.0.2:80"
write("etc/app.conf", "user=me\npassword=x\n")
write("etc/empty", "")
with tarfile.open("backup.tar.xz", "w:xz") as tar:
    tar.add("etc")

words = ["cat", "at", "then", "the"]
corpus = "the cat sat, then at last the rest"
write("words.txt", "\n".join(words) + "\n")
write("corpus.txt", corpus + "\n")

# ---- sequences -------------------------------------------------------------------------------

residues = "ACDEFGHIKLMNPQRSTVWY"


def protein(length):
    return "".join(random.choice(residues) for _ in range(length))


zinc = "CAACAAALAAAAAAAAHAAAH"
proteins = {"P1": protein(90) + zinc + protein(50), "P2": protein(200), "P3": "MRGD" + protein(70) + "NGTA"}
proteome = "".join(">%s a protein\n%s\n" % (name, "\n".join(re.findall(".{1,60}", s))) for name, s in proteins.items())
write("proteome.fasta.gz", gzip.compress(proteome.encode()))
write("prosite.dat", "ID   ASN_GLYCOSYLATION; PATTERN.\nAC   PS00001;\nPA   N-{P}-[ST]-{P}.\n//\n"
                     "ID   RGD; PATTERN.\nAC   PS00016;\nPA   R-G-D.\n//\n")
genome = "".join(random.choice("ACGT") for _ in range(4000)) + "GGCCATATAGGCC"
write("genome.fasta", ">chr1 made\n" + "\n".join(re.findall(".{1,70}", genome)) + "\n")
write("enzymes.fasta", ">HincII\nGTYRAC\n>SfiI of Streptomyces\nGGCCN{5}\nGGCC\n")
mirnas = ["UGAGGUAGUAGGUUGUAUAGUU", "UAGCAGCACGUAAAUAUUGGCG"]
write("mature-mirnas.txt", "\n".join(mirnas) + "\n")
hairpins = ["UGGGA" + mirnas[0] + "UUAGGGUCACACC" + mirnas[0], "GUCAGC" + mirnas[1] + "UUAAGAU"]
write("hairpins.fasta", "".join(">h%d\n%s\n%s\n" % (i, h[:30], h[30:]) for i, h in enumerate(hairpins)))


def motif_rows(pattern, number, name):
    return [("proteome.fasta.gz", record, number) + (name and (name,)) + span
            for record, s in proteins.items() for span in spans(pattern, s.encode())]


def count_rows(file, texts, patterns, names=None):
    """One line a pattern that occurs, with the number of overlapping matches."""
    counts = [sum(len(spans(p, t)) for t in texts) for p in patterns]
    return [(file, i + 1) + ((names[i],) if names else ()) + (count,) for i, count in enumerate(counts) if count]


def iupac(text):
    codes = {"Y": "[CT]", "R": "[AG]", "N": "[ACGT]"}
    return "".join(codes.get(c, c) for c in text).encode()


# Both sites read the same on both strands.
sites = sorted([("genome.fasta", "chr1", number, strand) + s for strand in "+-"
                for number, pattern in enumerate(["GTYRAC", "GGCCNNNNNGGCC"], 1)
                for s in spans(iupac(pattern), genome.encode())], key=lambda row: (row[5], row[2], row[3]))

# ---- pictures --------------------------------------------------------------------------------


def rows_of(cells, top, left, height, width):
    return [row[left:left + width] for row in cells[top:top + height]]


def paste(cells, needle, top, left):
    for i, row in enumerate(needle):
        cells[top + i][left:left + len(row)] = row


def png(name, cells):
    """RGB, or RGBA where cells have four numbers."""
    kind = 6 if len(cells[0][0]) == 4 else 2
    raw = b"".join(b"\0" + b"".join(map(bytes, row)) for row in cells)

    def chunk(tag, body):
        return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))
    write(name, b"\x89PNG\r\n\x1a\n" +
          chunk(b"IHDR", struct.pack(">IIBBBBB", len(cells[0]), len(cells), 8, kind, 0, 0, 0)) +
          chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def tiff(name, cells):
    """8 bits of grey, one strip."""
    height, width = len(cells), len(cells[0])
    tags = [(256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, height),
            (279, width * height)]
    body = b"".join(map(bytes, cells))
    body += bytes(len(body) % 2)
    write(name, struct.pack("<2sHI", b"II", 42, 8 + len(body)) + body + struct.pack("<H", len(tags)) +
          b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags) + bytes(4))


def noise(height, width, cell):
    return [[cell() for _ in range(width)] for _ in range(height)]


def colour():
    return tuple(random.randrange(256) for _ in range(3))


def grey():
    return random.randrange(256)


landscape = noise(60, 90, colour)
tree, house = noise(9, 7, colour), noise(5, 12, colour)
for top, left in [(3, 5), (40, 80)]:
    paste(landscape, tree, top, left)
paste(landscape, house, 20, 30)
for name, cells in [("map.png", landscape), ("tree.png", tree), ("house.png", house)]:
    png(name, cells)
stamp = noise(12, 12, grey)
page = noise(50, 70, grey)
paste(page, stamp, 10, 20)
tiff("page-1.tif", page)
tiff("page-2.tif", noise(50, 70, grey))
damaged = [list(row) for row in stamp]
for i in range(15):
    damaged[i % 12][(5 * i) % 12] ^= 255
paste(page, damaged, 30, 50)
tiff("page.tif", page)
png("stamp.png", [[(c, c, c) for c in row] for row in stamp])
# Flat squares of 16 pixels, which JPEG keeps; the icon's corner lets the ground through.
screen = [[(230, 230, 230)] * 160 for _ in range(96)]
icon = [[(60, 62, 60, 255) if x < 16 else (140, 141, 143, 255) for x in range(32)] for _ in range(32)]
for top, left in [(16, 32), (48, 112)]:
    paste(screen, [[c[:3] for c in row] for row in icon], top, left)
for y in range(16):
    icon[y][0:16] = [(1, 2, 3, 0)] * 16
png("icon.png", icon)
png("screenshot.png", screen)
has_jpeg = shutil.which("pngtopnm") and shutil.which("pnmtojpeg")
if has_jpeg:
    subprocess.run("pngtopnm screenshot.png | pnmtojpeg -quality=98 >screenshot.jpg", shell=True, check=True)

# ---- the commands ----------------------------------------------------------------------------

match = "file record pattern start end"
named = "file record pattern name start end"
lines = log.splitlines()
program_hits = [(100, 104), (3100, 3104)]  # where PE stands, each with one MZ 58 to 200 bytes before
signature = [("program.exe", 1, 1, max(m for m in (0, 3000) if end - m > 57), end) for start, end in program_hits]


def packet(number):
    return "%d tcp 10.0.0.1:%d > 10.0.0.2:80" % (number + 1, 1000 + number)


def literal_rows(file, records, patterns):
    rows = [(record, i + 1, m.start(), m.end()) for record, text in records
            for i, p in enumerate(patterns) for m in re.finditer(re.escape(p), text)]
    return [(file,) + row for row in rows]


def grid_rows(file, needles, cells):
    return sorted((file, i + 1, name, y, x) for i, (name, needle) in enumerate(needles)
                  for y in range(len(cells) - len(needle) + 1) for x in range(len(cells[0]) - len(needle[0]) + 1)
                  if rows_of(cells, y, x, len(needle), len(needle[0])) == needle)


zinc_motif = rb"C.{2,4}C.{3}[LIVMFYWC].{8}H.{3,5}H"
checks = {
    "trawl grep -n 'error code [0-9]{3,}' app.log":
        "".join("%d:%s\n" % (i + 1, l) for i, l in enumerate(lines) if re.search("error code [0-9]{3,}", l)),
    "trawl grep -r -l -F -f hostnames.txt logs": "logs/a/mail.log\nlogs/db.log.1\n",
    "trawl grep --ignore -n -C 2 -t c -t py 'TODO' tree":
        "tree/main.c-2-2\ntree/main.c-3-3\ntree/main.c:4:// TODO: 4\ntree/main.c-5-5\ntree/main.c-6-6\n",
    r"trawl find -F -e '\x4d\x5a\x90\x00' -e 'PE\0\0' program.exe":
        table(match, sorted(literal_rows("program.exe", [(1, program)], [b"MZ\x90\0", b"PE\0\0"]),
                            key=lambda row: row[4])),
    r"trawl find --json -e '\x4d\x5a.{58,200}PE\x00\x00' program.exe": "".join(
        '{"file":"program.exe","record":1,"pattern":1,"name":"\\\\x4d\\\\x5a.{58,200}PE\\\\x00\\\\x00",'
        '"start":%d,"end":%d}\n' % row[3:] for row in signature),
    "trawl find --hex -e '4D 5A [58-200] 50 45 00 (00 | 4?)' program.exe": table(match, signature),
    "trawl find --hex --count -f daily.ndb program.exe":
        table("file pattern name count", [("program.exe", 1, "Win.Test-1", 2)]),
    "trawl find --hex --verdicts -f daily.ldb program.exe":
        table("file record sid msg unchecked", [("program.exe", 1, 1, "Win.Test-3", "-")]),
    "trawl find --rules emerging-malware.rules --count traffic.pcap":
        table("file pattern name count", [("traffic.pcap", 2000001, "EvilBot", 3), ("traffic.pcap", 2000002, "GET /", 1),
                                          ("traffic.pcap", 2000002, "cmd|2e|exe", 1)]),
    "trawl find -r --matched -e 'key=[0-9a-f]{8,}' dumps":
        table(match + " matched", [("dumps/a/core", 1, 1, 2, 14, "key=00c0ffee"),
                                   ("dumps/b/heap", 1, 1, 0, 20, "key=0123456789abcdef")]),
    r"""trawl find -r --matched -e '(?i:key|token)\s*[:=]\s*(0x[0-9a-f]+|"[^"]*")' settings""":
        table(match + " matched", [
            (name, 1, 1, m.start(), m.end(), m.group().decode().replace("\t", "\\t"))
            for name, text in zip(["settings/a/one.toml", "settings/two.ini"], settings)
            for m in re.finditer(rb'(?i:key|token)\s*[:=]\s*(0x[0-9a-f]+|"[^"]*")', text)]),
    "trawl find -r -g --named -f markers.tsv dumps":
        table("file record pattern name", [("dumps/a/core", 1, 1, "a_key"), ("dumps/a/core", 1, 3, "coffee"),
                                           ("dumps/b/heap", 1, 1, "a_key")]).replace("_", " "),
    "trawl find -F -e 'GET /' -e 'cmd.exe' capture.pcapng.gz":
        table(match, literal_rows("capture.pcapng.gz", [(packet(i), p) for i, p in enumerate(payloads)],
                                  [b"GET /", b"cmd.exe"])),
    "trawl find -F password= backup.tar.xz":
        table(match, [("backup.tar.xz:etc/app.conf", 1, 1, 8, 17)]),
    "trawl find --prosite -e 'C-x(2,4)-C-x(3)-[LIVMFYWC]-x(8)-H-x(3,5)-H' proteome.fasta.gz":
        table(match, [("proteome.fasta.gz", name, 1, m.start(), m.end()) for name, s in proteins.items()
                      for m in re.finditer(zinc_motif, s.encode())]),
    "trawl find --prosite --count -f prosite.dat proteome.fasta.gz":
        table("file pattern name count", count_rows(
            "proteome.fasta.gz", [s.encode() for s in proteins.values()], [rb"N[^P][ST][^P]", b"RGD"],
            ["PS00001 ASN_GLYCOSYLATION", "PS00016 RGD"])),
    "trawl find --iupac --strand both -e GTYRAC -e 'GGCCN{5}GGCC' genome.fasta":
        table("file record pattern strand start end", sites),
    "trawl find --bed --iupac --strand both -f enzymes.fasta genome.fasta":
        "".join("chr1\t%d\t%d\t%s\t0\t%s\n" % (row[4], row[5], ["HincII", "SfiI"][row[2] - 1], row[3]) for row in sites),
    "trawl find --count -F -f mature-mirnas.txt hairpins.fasta":
        table("file pattern count", count_rows("hairpins.fasta", [h.encode() for h in hairpins],
                                               [m.encode() for m in mirnas])),
    "trawl compile -F -f words.txt -o words.trawl": "",
    "trawl find --plan words.trawl --progress corpus.txt":
        table(match, sorted(literal_rows("corpus.txt", [(1, corpus.encode())], [w.encode() for w in words]),
                            key=lambda row: (row[4], row[2]))),
    "trawl info words.trawl": re.compile(r"words.trawl: a plan for trawl find\n(?s:.*)patterns +4, ids 1 to 4,"),
    "trawl grid -n tree.png -n house.png map.png":
        table("file needle name row col", sorted(
            grid_rows("map.png", [("tree.png", tree), ("house.png", house)], landscape), key=lambda row: row[3:])),
    "trawl grid --count --as grey -n stamp.png page-*.tif":
        table("file needle name count", [("page-1.tif", 1, "stamp.png", 1)]),
    "trawl grid --as grey --wrong 20 --annotate found.png -n stamp.png page.tif":
        table("file needle name row col", [("page.tif", 1, "stamp.png", 10, 20), ("page.tif", 1, "stamp.png", 30, 50)]),
}
if has_jpeg:
    checks["trawl grid --as rgb --alpha-mask --tolerance 8 --box -n icon.png screenshot.jpg"] = table(
        "file needle name row col x y w h centre_x centre_y",
        [("screenshot.jpg", 1, "icon.png", y, x, x, y, 32, 32, x + 16, y + 16) for y, x in [(16, 32), (48, 112)]])

with open(readme) as file:
    section = file.read().split("## One example a field")[1].split("**The library**")[0]
commands = [re.sub(r"\s+# .*", "", line) for block in re.findall(r"```sh\n(.*?)```", section, re.S)
            for line in block.split("\n") if line]
environment = dict(os.environ, PATH=os.path.dirname(trawl) + ":" + os.environ["PATH"], LC_ALL="C")
failed = left_out = 0
for number, command in enumerate(commands, 1):
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, timeout=120)
    missing = re.search("this build|built without|(takes|which) lib.* read.*: install", done.stderr)
    if missing or ("screenshot.jpg" in command and not has_jpeg):
        left_out += 1
        print("ok %d - %s # skipped: %s" % (number, command, done.stderr.strip() or "no pnmtojpeg (netpbm)"))
        continue
    wanted = checks.get(command, re.compile("(?!)"))
    says = wanted.match(done.stdout) if isinstance(wanted, re.Pattern) else done.stdout == wanted
    good = says and done.returncode == 0 and not done.stderr
    print("%s %d - %s" % ("ok" if good else "not ok", number, command))
    if not good:
        failed += 1
        print("status %d\n%s%swanted:\n%s" % (done.returncode, done.stdout, done.stderr,
                                              checks.get(command, "a check in this file")))
for command in checks.keys() - set(commands):
    failed += 1
    print("not ok - README.md has no longer: " + command)
print("%d commands, %d failed, %d left out" % (len(commands), failed, left_out))
sys.exit(failed != 0)
