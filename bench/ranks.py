#!/usr/bin/env python3
"""What sharing a search among ranks of mpirun costs: CPU seconds, bytes read twice, beside one process.

Usage: ranks.py TRAWL FOLDER [MEGABYTES [REPEATS]]

Makes a text of so many megabytes (2000) in FOLDER, and searches it with 1, 2, 4 and 8 ranks of one thread
(strong: the same text; weak: the first 1/8, 2/8, 4/8, 8/8 of it). CPU seconds are user and system of all
processes, mpirun's too, as the kernel counts them; medians of the repeats, which take turns. What starting
the ranks takes is measured with a text of one byte.
"""
import os, random, resource, statistics, subprocess, sys

trawl, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
size = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
repeats = int(sys.argv[4]) if len(sys.argv) > 4 else 3
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


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.decode())
    said = [line for line in done.stderr.decode().splitlines() if " rounds, " in line]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said[0] if said else ""


def command(ranks, arguments):
    own = [trawl, "find", "--stats", "--threads", "1", "--backend", "serial", *arguments]
    if ranks == 1:
        return own
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)] + own


with open("words.txt", "w") as file:
    file.write("\n".join(r.sample([w for w in words if len(w) > 4], 1000)) + "\n")
with open("one", "w") as file:
    file.write("a")
whole = make("text", size)
sets = {
    "1000 words, printed to a file": ["--output", "printed", "-F", "-f", "words.txt"],
    "20 patterns of classes, counted": ["-c"] + [
        p for i in range(20) for p in ("-e", "%s[a-m]{1,4}%s [n-z]" % (letters[i], letters[25 - i]))],
    "unbounded, ends": ["--report", "ends", "-c", "-e", "q[a-z]+x[a-z]+ ", "-e", "zz.*qqqj"],
}
counts = [1, 2, 4, 8]
print("%d MB, medians of %d" % (size, repeats))
start = {n: statistics.median(cpu(command(n, ["x", "one"]))[0] for _ in range(repeats)) for n in counts}
print("starting: " + ", ".join("%d: %.2f s" % item for item in start.items()))
for name, arguments in sets.items():
    taken = {n: [] for n in counts}
    for _ in range(repeats):
        for n in counts:
            seconds, said = cpu(command(n, arguments + [whole]))
            taken[n].append((seconds, said))
    one = statistics.median(s for s, _ in taken[1])
    print("%s, strong:" % name)
    for n in counts:
        seconds = statistics.median(s for s, _ in taken[n])
        print("  %d: %.2f s CPU, %+.1f%% (%+.1f%% without starting), %.3f ns a byte  %s" % (
            n, seconds, 100 * (seconds / one - 1), 100 * ((seconds - start[n] + start[1]) / one - 1),
            seconds / size * 1000, taken[n][0][1]))
arguments = sets["20 patterns of classes, counted"]
print("weak, 20 patterns of classes:")
for n in counts:
    part = make("part%d" % n, size * n // 8)
    seconds = statistics.median(cpu(command(n, arguments + [part]))[0] for _ in range(repeats))
    print("  %d: %d MB, %.2f s CPU, %.3f ns a byte, %.3f without starting" % (
        n, size * n // 8, seconds, seconds / (size * n / 8) * 1000,
        (seconds - start[n] + start[1]) / (size * n / 8) * 1000))
