#!/usr/bin/env python3
"""What sharing a search among ranks of mpirun costs: CPU seconds, bytes read twice, beside one process.

Usage: ranks.py TRAWL FOLDER [MEGABYTES [REPEATS [SET [RANKS]]]]

Makes a text of MEGABYTES (2000) in FOLDER, and searches it with one process and with RANKS (1,2,4)
ranks of one thread: strong, the same text; weak, a text of its own length for each number of ranks. CPU seconds are user
and system of all processes, mpirun's too, as the kernel counts them; medians of the repeats (5), which take turns,
and of the ratios to one process in the same turn. What starting takes is measured in each turn, too, with a text of
one byte. What is printed must be what one process prints. SET is a part of a set's name; all are searched without.
"""
import hashlib, os, random, resource, statistics, subprocess, sys

trawl, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
size = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
repeats = int(sys.argv[4]) if len(sys.argv) > 4 else 5
wanted = sys.argv[5] if len(sys.argv) > 5 else ""
os.chdir(folder)
r = random.Random(1)
letters = "etaoinshrdlucmfwypvbgkqjxz"
weights = [12.7, 9, 8.2, 7.5, 7, 6.7, 6.3, 6.1, 6, 4.3, 4, 2.8, 2.8, 2.4, 2.4, 2.2, 2, 1.9, 1, 1.5, 2, .8, .1, .15, .15, .07]
words = ["".join(r.choices(letters, weights, k=r.randint(2, 11))) for _ in range(60000)]


def make(name, megabytes):
    if os.path.exists(name) and os.path.getsize(name) == megabytes * 1000000:
        return name
    page = b"".join(" ".join(r.choices(words, k=12)).encode() + b"\n" for _ in range(200000))
    with open(name, "wb") as file:
        left = megabytes * 1000000
        while left:
            at = r.randrange(len(page) // 2)
            left -= file.write(page[at:at + left])
    return name


def cpu(line):
    """CPU seconds of a command line, what it printed in short, and what --stats says of ranks."""
    if "--output" in line and os.path.exists("printed"):
        os.remove("printed")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.decode())
    found = hashlib.sha256(done.stdout)
    if "--output" in line:
        with open("printed", "rb") as file:
            while page := file.read(1 << 20):
                found.update(page)
    said = [line for line in done.stderr.decode().splitlines() if " read twice" in line]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, found.hexdigest(), said[0] if said else ""


def command(n, arguments):
    """The result of n ranks; 0: of one process."""
    own = [trawl, "find", "--stats", "--threads", "1", "--backend", "serial", *arguments]
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(n)] + own if n else own


def names(n):
    return "%d rank%s" % (n, "s" if n > 1 else "") if n else "1 process"


with open("words.txt", "w") as file:
    file.write("\n".join(r.sample([w for w in words if len(w) > 4], 1000)) + "\n")
with open("one", "w") as file:
    file.write("a")
whole = make("text", size)
sets = {
    "1000 words, counted": ["-c", "-F", "-f", "words.txt"],
    "1000 words, printed to a file": ["--output", "printed", "-F", "-f", "words.txt"],
    "20 patterns of classes, counted": ["-c"] + [
        p for i in range(20) for p in ("-e", "%s[a-m]{1,4}%s [n-z]" % (letters[i], letters[25 - i]))],
    "unbounded, ends": ["--report", "ends", "-c", "-e", "q[a-z]+x[a-z]+ ", "-e", "zz.*qqqj"],
}
ranks = [int(n) for n in sys.argv[6].split(",")] if len(sys.argv) > 6 else [1, 2, 4]
load = lambda: "load %.1f" % os.getloadavg()[0]


def compare(title, sets_of):
    """Run the command lines of `sets_of`, {name: {n: arguments}} (n ranks; 0: one process), in turns; print CPU seconds,
    beside those of one process of the same turn where there is one, with and without what starting takes."""
    taken = {name: {n: [] for n in lines} for name, lines in sets_of.items()}
    start = {n: [] for n in [0] + ranks}
    began = load()
    for _ in range(repeats):
        for n in start:
            start[n].append(cpu(command(n, ["a", "one"]))[0])
        for name, lines in sets_of.items():
            for n, arguments in lines.items():
                taken[name][n].append(cpu(command(n, arguments)))
    print("\n%s (%s before, %s after)" % (title, began, load()))
    begin = {n: statistics.median(seconds) for n, seconds in start.items()}
    print("  starting: " + ", ".join("%s %.2f s" % (names(n), seconds) for n, seconds in begin.items()))
    for name, lines in sets_of.items():
        print("  " + name)
        for n in lines:
            seconds = [s for s, _, _ in taken[name][n]]
            middle = statistics.median(seconds)
            beside = ""
            if 0 in lines:
                both = list(zip(seconds, (s for s, _, _ in taken[name][0])))
                beside = ", %+.1f%%, without starting %+.1f%%" % (
                    100 * statistics.median(s / one - 1 for s, one in both),
                    100 * statistics.median((s - begin[n]) / (one - begin[0]) - 1 for s, one in both))
                if {found for _, found, _ in taken[name][n]} != {taken[name][0][0][1]}:
                    sys.exit("%s: the output of %s is another one than that of one process" % (name, names(n)))
            megabytes = os.path.getsize(lines[n][-1]) / 1e6
            print("    %s: %.2f s CPU%s; %.3f ns a byte without starting  %s" % (
                names(n), middle, beside, (middle - begin[n]) / megabytes * 1000, taken[name][n][0][2]))


print("%d MB, medians of %d turns" % (size, repeats))
compare("strong: the same text, output compared", {
    name: {n: arguments + [whole] for n in [0] + ranks}
    for name, arguments in sets.items() if wanted in name})
compare("weak: as much text a rank", {"20 patterns of classes": {
    n: sets["20 patterns of classes, counted"] + [make("part%d" % n, size * n // max(ranks))] for n in ranks}})
