#!/usr/bin/env python3
"""`mpirun -n N trawl find` prints what one process prints, byte for byte: every report and every format, repeats
without a bound, sequences, many files, files shorter than there are ranks; and an error in one rank ends all.

Usage: mpi.py TRAWL MPIRUN. Exits with 77 where there is no Open MPI, or the command has no module for it.
"""
import errno, glob, gzip, os, random, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

trawl, mpirun = os.path.abspath(sys.argv[1]), shutil.which(sys.argv[2]) if len(sys.argv) > 2 else None
if not mpirun or not os.path.exists(os.path.join(os.path.dirname(trawl), "trawl-mpi.so")):
    print("skipped: Open MPI (mpirun, libopenmpi-dev) was not there when this was built")
    sys.exit(77)
seed = int(os.environ.get("TRAWL_TEST_SEED", random.randrange(1 << 30)))
print("TRAWL_TEST_SEED=%d" % seed)
r = random.Random(seed)
alone = dict(os.environ, TRAWL_MPI="0")
cases = again = 0
pool = ThreadPoolExecutor(4)  # a start of mpirun is mostly waiting, so some runs go side by side
begun = []


def later(case, *arguments, **more):
    """Begin a case that no other one's files are in the way of; settle() waits for it."""
    global cases
    cases += 1
    begun.append(pool.submit(case, *arguments, **more))


def settle():
    """All cases that were begun have gone well. Adds up the blocks that were searched again."""
    global again
    for case in begun:
        again += case.result() or 0
    begun.clear()


def ranks(n, *arguments, environment=None, given=None, script='exec "$0" "$@"'):
    """`script` is how the shell starts each: $0 is trawl, $@ what it is asked for."""
    command = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(n), "sh", "-c", script, trawl, "find", *arguments]
    piped = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
    return subprocess.run(command, capture_output=True, timeout=120, env=environment, **piped)


def same(*arguments, n=4):
    """Output and status are those of one process, whether ranks map files or read them through MPI-IO."""
    later(compare, arguments, n, r.random() < 0.5)


def compare(arguments, n, reads):
    one = subprocess.run([trawl, "find", *arguments], capture_output=True, env=alone)
    many = ranks(n, "--stats", *arguments, environment=dict(os.environ, TRAWL_MPI="read") if reads else None)
    if one.returncode not in (0, 1) or many.returncode != one.returncode or many.stdout != one.stdout:
        at = next((i for i, (a, b) in enumerate(zip(one.stdout, many.stdout)) if a != b),
                  min(len(one.stdout), len(many.stdout)))
        raise AssertionError("%r, %d ranks, files %s: status %d, not %d; output differs at byte %d of %d and %d:\n%r\n%r\n%s" % (
            arguments, n, "read" if reads else "mapped", many.returncode, one.returncode, at, len(one.stdout), len(many.stdout),
            one.stdout[at - 100:at + 100], many.stdout[at - 100:at + 100], many.stderr.decode()))
    said = [line for line in many.stderr.decode().splitlines() if " read twice" in line]
    assert len(said) == 1, many.stderr
    return int(said[0].split(", ")[2].split()[0])


def words(count, letters=b"abcdefgh"):
    known = [bytes(r.choice(letters) for _ in range(r.randint(1, 9))) for _ in range(500)]
    return b" ".join(r.choice(known) for _ in range(count))


folder = tempfile.mkdtemp()
try:
    os.chdir(folder)
    files = {
        "words": words(40000),
        "small": b"abc", "one": b"a", "empty": b"", "few": b"ab cd\nab\n",
        "run": b"a" * 700000 + b"X" + b"a" * 700000,
        "far": b"X" + b"abc" * 400000 + b"X",
        "lines": b"".join(words(r.randint(1, 30)) + b"\n" for _ in range(3000)),
        "reads.fa": b"".join(b">r%d of some\n%s\n" % (i, b"\n".join(
            bytes(r.choice(b"ACGT") for _ in range(70)) for _ in range(r.randint(0, 40)))) for i in range(700)),
    }
    for name, content in files.items():
        with open(name, "wb") as file:
            file.write(content)
    with gzip.open("packed.gz", "wb") as file:
        file.write(files["words"][:100000])
    texts = ["words", "few", "empty", "small", "lines"]

    # ---- reports and formats ------------------------------------------------------------------------
    reports = ["each", "ends", "pairs", "longest", "shortest", "leftmost-longest", "leftmost-first"]
    for report in reports:
        same("--report", report, "-e", "ab[a-f]{0,5}", "-e", "bc", "-e", "c d", *texts)
        same("--report", report, "-e", "a[b-g]+", "-e", "b a", *texts)     # ends at a blank
        same("--report", report, "-c", "-e", "a[a-d]*", "-e", "h.h", *texts)
        same("--report", report, "-g", "-e", "a[a-d]*h", "-e", "hgf", "-e", "zz", *texts)
    for form in ([], ["--json"], ["--bed"], ["--gff3"], ["--matched"], ["--no-header"], ["--json", "--matched"]):
        same(*form, "-e", "ab[a-f]{0,5}", "-e", "bc", *texts)

    # ---- what lives on from rank to rank ---------------------------------------------------------------
    settle()
    again = 0
    same("--report", "ends", "X.*c", "far")
    settle()
    assert again > 0, "no block was searched again"
    same("--report", "ends", "-c", "X.*c", "far")
    same("--report", "ends", "-g", "-e", "X.*c", "-e", "b", "far")
    same("-c", "--report", "leftmost-longest", "a{1,3}", "run")
    for report in reports[:2] + reports[3:]:
        same("--report", report, "-c", "Xa+", "run")
    same("--report", "leftmost-first", "-e", "aba", "-e", "bcab", "-e", "cabc", "far")
    same("--report", "each", "cab{0,2}c", "far")
    same("--report", "longest", "X.*c", "far")                             # cannot be cut: one rank has it

    # ---- records, what is packed, many files --------------------------------------------------------------
    for more in ([], ["-c"], ["-g"], ["--bed"], ["--json"], ["--report", "ends"], ["--circular"]):
        same(*more, "--iupac", "-e", "GATN{1,3}TC", "-e", "ACGTRY", "reads.fa", "few")
    same("--iupac", "--strand", "both", "--record-number", "GGNCC", "reads.fa", "reads.fa")
    same("ab", "packed.gz", "words", "packed.gz")
    same("--format", "lines", "ab", "lines", "few")
    same("--format", "raw", "ab", "packed.gz", "reads.fa")
    same(r"\\babc\\b", *texts)
    same("--format", "text", "-e", "^[a-h]+$", "-e", "^a", "lines", "few")
    same("ab", "empty")
    same("a", "one")
    same("abc", "small", "one", "one", "small", n=7)
    same("--no-header", "ab", *texts * 3, n=3)
    os.mkdir("deep")
    for i in range(30):
        with open("deep/%02d" % i, "wb") as file:
            file.write(words(r.randint(0, 400)))
    same("-r", "-c", "ab", "deep")
    same("-r", "ab", "deep", n=2)
    same("-q", "ab", *texts)
    same("-q", "zzzz", *texts)
    same("-q", "X.*bcX", "far")                                            # found in a later round
    if os.path.exists("/proc/cpuinfo"):
        same("-c", "e", "/proc/version", "few")                            # of length 0, as it says
    same("zzzz", *texts)
    for most in (1, 5, 100, 5000, 10**9):
        same("--max-matches", str(most), "-e", "ab", "-e", "bc", *texts)

    settle()

    # ---- into a file, all ranks at once ---------------------------------------------------------------------
    expected = subprocess.run([trawl, "find", "ab", *texts], capture_output=True, env=alone).stdout
    with open("printed", "wb") as file:
        file.write(b"z" * (len(expected) + 1000))                          # what was there is gone
    assert ranks(4, "--output", "printed", "ab", *texts).returncode == 0
    with open("printed", "rb") as file:
        assert file.read() == expected
    assert subprocess.run([trawl, "find", "--output", "printed", "ab", "few"], env=alone).returncode == 0
    with open("printed", "rb") as file:
        assert file.read().count(b"\n") == 3

    # ---- errors: one message of trawl's, status 2 ---------------------------------------------------------------
    def fails(expects, *arguments, n=4, **more):
        later(refuse, expects, arguments, n, **more)

    def refuse(expects, arguments, n, **more):
        done = ranks(n, *arguments, **more)
        said = [line for line in done.stderr.decode().splitlines() if line.startswith("trawl")]
        assert done.returncode == 2 and len(said) >= 1 and expects in said[0], (arguments, done)
        assert sum(expects in line for line in said) == 1, (arguments, done)

    # Ranks of other options than rank 0's, of which each would wait for, or print, something else.
    for more in ("-c", "-g", "-q", "-r", "--json", "--bed", "--matched", "--no-header", "--output printed", "--report pairs",
                 "--max-matches 3", "--format raw", "--max-ratio 7", "--circular --report longest"):
        for rank in (0, 1):
            fails("rank 1: has other options than rank 0", "ab", "words", "few", n=2,
                  script='[ $OMPI_COMM_WORLD_RANK != %d ] || set -- "$@" %s; exec "$0" "$@"' % (rank, more))
    # What cannot be written ends all at once, for the reason that it has: no rank waits for what another did not do.
    if os.path.exists("/dev/full"):
        fasta = ["reads.fa", "reads.fa", "reads.fa"]
        for more in (["-c"], ["-g"], [], ["--max-matches", "1000"]):
            fails("cannot write the output: " + os.strerror(errno.ENOSPC), *more, "-e", "ACGT", *fasta, n=2,
                  script='exec "$0" "$@" > /dev/full')
    for full in range(3):                                                  # a rank may write 64 KiB to a file
        for report in ("ends", "each", "leftmost-longest"):
            name = "full-%d-%s" % (full, report)
            fails(("the copy of the output in $TMPDIR: " if full else name + ": ") + os.strerror(errno.EFBIG),
                  "--output", name, "--report", report, "-e", "a|ab", "run", n=3,
                  script='trap "" XFSZ; [ $OMPI_COMM_WORLD_RANK != %d ] || ulimit -f 128; exec "$0" "$@"' % full)
    settle()
    with open("slow.gz", "wb") as file:                                    # seconds, for one rank
        file.write(gzip.compress(bytes(10 << 20)) * 60)
    for change in ("rm $made", "mv $made elsewhere", "mv $made elsewhere; : > $made", ": > $made"):
        fails("moved: it was", "--output", "moved", "--max-ratio", "0", "X", "run", "slow.gz", n=2,
              script='[ $OMPI_COMM_WORLD_RANK = 0 ] || { until [ -s moved.* ]; do sleep 0.01; done; made=$(echo moved.*); %s; } & exec "$0" "$@"'
                     % change)
        settle()
        assert not glob.glob("moved*"), change                             # neither half an output nor what it was made in
    reader = ranks(2, "ACGT", "reads.fa", "reads.fa",                      # who has read enough has no error
                   script='trap "" PIPE; "$0" "$@" | sed 1q')
    assert reader.stdout.startswith(b"file\t") and b"trawl find:" not in reader.stderr, reader

    with open("packed.gz", "rb") as file:
        damaged = bytearray(file.read())
    damaged[len(damaged) // 2] ^= 0xff
    with open("damaged.gz", "wb") as file:
        file.write(damaged)
    fails("damaged.gz", "ab", "words", "damaged.gz", "lines")              # in the rank that unpacks it
    fails("missing", "ab", "words", "missing")
    fails("column 2", "a(b", "words")
    fails("standard input", "ab")
    fails("/dev/stdin", "ab", "/dev/stdin", given=b"ab" * 100)             # which is another one to each rank
    os.mkfifo("pipe")
    writer = os.open("pipe", os.O_RDWR)
    os.write(writer, b"ab" * 100)
    fails("pipe", "ab", "words", "pipe")
    settle()
    os.close(writer)
    fails("other patterns", "-e", "ab", "-f", "-", "words", given=b"bc\n", n=2)
    fails("--report", "--report", "nothing", "ab", "words")
    fails("deep", "ab", "deep")
    fails("regular file", "--output", "/dev/null", "ab", "few")
    fails("no/such/folder", "--output", "no/such/folder", "ab", "few")
    fails("100000 threads", "--threads", "100000", "ab", "few")            # what is wrong for all is said once
    fails("--circular", "--circular", "a[bc]*", "reads.fa")
    fails("also the output", "--output", "few", "ab", "words", "few")
    fails("also the output", "--output", "few", "-f", "few", "words")
    fails("missing", "--output", "few", "ab", "words", "missing")
    settle()
    with open("few", "rb") as file:
        assert file.read() == files["few"]                                 # and is not lost
    assert not glob.glob("few.*"), glob.glob("few.*")
    for environment in (alone, None):                                      # -q: the file is emptied all the same
        with open("printed", "wb") as file:
            file.write(b"z")
        assert ranks(2, "-q", "--output", "printed", "ab", "few", environment=environment).returncode == 0
        assert os.path.getsize("printed") == 0
    assert b"Usage" in ranks(3, "--help").stdout
    assert ranks(3, "--help").stdout.count(b"Usage: trawl find [OPTION...] PATTERN") == 1
    each = ranks(3, "ab", "few", environment=alone)                        # three searches
    assert each.stdout.count(b"few\t") == 6, each
    print("%d cases agree, %d blocks were searched again" % (cases, again))
finally:
    pool.shutdown()
    os.chdir("/")
    shutil.rmtree(folder)
