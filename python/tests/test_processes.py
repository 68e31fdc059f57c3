"""Threads, processes and signals: what Python programs do around a search.

Nothing is timed. A process that does not end has failed: PATIENCE seconds are for that alone.
"""
import gc
import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import trawl

PATIENCE = 120
WORDS = [b"ab", b"abba", b"acdc", b"bcbcb", b"dddd"]


def large_text():
    """Enough for several windows and for threads, without two parts that are alike."""
    block = b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(20000))
    return bytes(b"abcd"[byte & 3] for byte in block) * 10


def digest(found):
    return hashlib.sha256(found.tobytes()).hexdigest()


def work(plan, queue, text):
    queue.put(digest(plan.find(text)))


def test_eight_threads_at_once():
    """Eight threads share a plan, on large and small texts and streams, and find the same."""
    plan, text = trawl.compile(WORDS), large_text()
    small = text[:200]
    expected = digest(plan.find(text)), digest(plan.find(small))
    barrier = threading.Barrier(8)

    def search(number):
        barrier.wait(PATIENCE)
        for _ in range(3):
            large = digest(plan.find(text))
            if number % 2:
                with plan.stream() as stream:
                    parts = [stream.feed(text[at:at + 700001])
                             for at in range(0, len(text), 700001)]
                total = sum(map(len, parts)) + len(stream.last)
                assert total == plan.count(text)
            for _ in range(200):
                assert (large, digest(plan.find(small))) == expected
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(search, range(8), timeout=PATIENCE))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method):
    """Children, forked from a process that has searched with threads or spawned anew, find the
    same with a plan that came with them, or as a pickle."""
    plan, text = trawl.compile(WORDS, threads=4), large_text()
    expected = digest(plan.find(text))
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    children = [context.Process(target=work, args=(plan, queue, text)) for _ in range(4)]
    for child in children:
        child.start()
    assert [queue.get(timeout=PATIENCE) for _ in children] == [expected] * 4
    for child in children:
        child.join(PATIENCE)
        assert child.exitcode == 0
    assert digest(plan.find(text)) == expected


def run_child(code):
    """The output of a Python program."""
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout.decode()
    return done.stdout.decode().strip()


def test_fork_among_threads():
    """A child that is forked while other threads search, and an iterator is half way, searches with
    contexts of its own; what it inherited in the middle of a call does no harm."""
    assert run_child(r"""
import os, threading, trawl
plan = trawl.compile([b"ab", b"dddd"], threads=2)
text = b"abcd" * (2 << 20)
expected = plan.count(text)
batches = plan.iter(text, batch=100)
first = len(next(batches))
going = threading.Event()
def search():
    while not going.is_set():
        assert plan.count(text) == expected
threads = [threading.Thread(target=search) for _ in range(3)]
for t in threads: t.start()
for _ in range(5):
    child = os.fork()
    if child == 0:
        fine = plan.count(text) == expected
        try:
            next(batches)
            fine = False
        except RuntimeError:
            pass
        del batches
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0
going.set()
for t in threads: t.join()
print(sum(map(len, batches)) + first == expected)
""") == "True"


def test_streams_fork():
    """A child goes on with a copy of the stream, and its parent with its own."""
    assert run_child(r"""
import os, trawl
for threads in (1, 2):
    stream = trawl.compile("ab+c", threads=threads).stream()
    stream.feed(b"xab")
    child = os.fork()
    found = stream.feed(b"bc.").tolist()
    if child == 0:
        os._exit(0 if found == [(0, 1, 5, 0)] else 1)
    assert os.waitpid(child, 0)[1] == 0 and found == [(0, 1, 5, 0)]
print("same")
""") == "same"


SLOW = r"""
import mmap, os, signal, threading, trawl
text = mmap.mmap(-1, 8 << 30)  # NUL bytes, which take no memory
plan = trawl.compile("[^x]*x.{30}y[^z]*z", engine="hnfa", threads=1)
def soon(*signals):
    for number in signals:
        threading.Timer(0.3, os.kill, (os.getpid(), number)).start()
"""


@pytest.mark.parametrize("call", ["plan.find(text)", "plan.count(text)", "plan.count_each(text)",
                                  "next(plan.iter(text))", "plan.find_many([text])",
                                  "plan.stream(report='ends').feed(text)"])
def test_ctrl_c(call):
    """Ctrl-C ends a search of minutes by KeyboardInterrupt; the plan goes on."""
    assert run_child(SLOW + f"""
soon(signal.SIGINT)
try:
    {call}
except KeyboardInterrupt:
    print(plan.count(b"xx" + 30 * b"." + b"yz"))
""") == "1"


def test_ctrl_c_of_many_matches():
    """A text of less than 4 MiB may take minutes too: with a match of each pattern at each byte."""
    assert run_child(SLOW + r"""
plan = trawl.compile([b"a" * n for n in range(1, 2001)])
soon(signal.SIGINT)
try:
    plan.count_each(b"a" * 4_000_000)
except KeyboardInterrupt:
    print("ended")
""") == "ended"


def test_a_stream_that_was_cut_off():
    """After Ctrl-C in a piece a stream has lost matches: it says so until it is closed or dropped,
    and a ``with`` block that goes on over it says so at its end."""
    assert run_child(SLOW + r"""
def cut_off():
    stream = plan.stream(report="ends")
    soon(signal.SIGINT)
    try:
        stream.feed(text)
    except KeyboardInterrupt:
        return stream
def refused(call):
    try:
        call()
    except ValueError as error:
        return "cut the stream off" in str(error)
stream = cut_off()
calls = [lambda: stream.feed(b"x"), stream.next_record, stream.save, stream.close]
print([refused(call) for call in calls[:3]], stream.closed, refused(stream.close), stream.closed)
print([refused(call) for call in calls])
def block():
    with cut_off():
        pass
print(refused(block))
try:
    with cut_off():
        raise KeyError
except KeyError:
    print("dropped")
""").split("\n") == ["[True, True, True] False True True", "[False, False, False, False]", "True",
                      "dropped"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_ctrl_c_while_a_pipe_is_silent(tmp_path):
    """Ctrl-C ends the wait for a writer that says nothing; the thread that reads ends with it, and
    leaves no file open."""
    assert run_child(SLOW + f"path = {str(tmp_path / 'pipe')!r}" + r"""
os.mkfifo(path)
writer = os.open(path, os.O_RDWR)
def counts():
    return [len(os.listdir("/proc/self/" + of)) for of in ("task", "fd") if os.path.isdir("/proc/self")]
before = counts()
reader = trawl.open(path, records="lines")
soon(signal.SIGINT)
try:
    reader.read()
except KeyboardInterrupt:
    print("came back")
del reader
os.write(writer, b"line\n")
os.close(writer)
before[1:] = [files - 1 for files in before[1:]]
while counts() != before:
    threading.Event().wait(0.01)
""") == "came back"


def test_interrupted_compiling():
    """Ctrl-C ends the compiling of a large set, and the next one is as if it had not been."""
    assert run_child(r"""
import signal, time
import trawl
class Alarm(Exception): pass
def raise_it(*_): raise Alarm
signal.signal(signal.SIGVTALRM, raise_it)
words = [b"%016x" % (i * 0x9E3779B97F4A7C15 % 2**64) for i in range(100000)]
begin = time.process_time()
trawl.compile(words, engine="ac")
whole = time.process_time() - begin
signal.setitimer(signal.ITIMER_VIRTUAL, whole / 5)
begin = time.process_time()
try:
    trawl.compile(words, engine="ac")
    print("not interrupted")
except Alarm:
    print(time.process_time() - begin < 0.8 * whole, end=" ")
print(trawl.compile(words[:2]).count(words[1]))
""") == "True 1"


def test_signals_that_do_not_raise():
    """A handler that returns runs during a search, which goes on and finds all."""
    assert run_child(SLOW + r"""
handled = []
signal.signal(signal.SIGALRM, lambda *_: handled.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
small = memoryview(text)[:64 << 20]
print(plan.count(small), len(handled) > 0)
signal.setitimer(signal.ITIMER_REAL, 0)
""") == "0 True"


@pytest.mark.parametrize("call", [
    "plan.find(small)", "plan.count(small)", "plan.find_many([small])", "list(plan.iter(small))",
    "plan.stream(report='ends').feed(small)", "plan.find_range(small, 0, len(small), report='ends')"])
def test_a_handler_that_forks(call):
    """A handler forks in the middle of a search. It goes on in the parent; the child, where its
    thread never was, is told, and searches anew."""
    assert run_child(SLOW + f"""
child = None
def handler(*_):
    global child
    if child is None:
        child = os.fork()
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.05)
small = memoryview(text)[:64 << 20]
try:
    {call}
except RuntimeError as error:
    fine = "fork" in str(error) and plan.count(b"xx" + 30 * b"." + b"yz") == 1
    os._exit(0 if child == 0 and fine else 1)
print(os.waitpid(child, 0)[1])
""") == "0"


def test_the_gil_is_released():
    """Another thread runs Python while a long search is under way: it is what ends it."""
    assert run_child(SLOW + r"""
class Enough(Exception): pass
def handler(*_): raise Enough
signal.signal(signal.SIGTERM, handler)
def other():
    total = sum(i for i in range(100000))  # Python code
    os.kill(os.getpid(), signal.SIGTERM)
threading.Timer(0.2, other).start()
try:
    plan.find(text)
except Enough:
    print("ended")
""") == "ended"


@pytest.mark.parametrize("run", range(2))
def test_daemon_threads(run):
    """A program ends while its daemon threads search; Python ends them where they stand."""
    assert run_child(r"""
import threading, time, trawl
plan, text = trawl.compile([b"ab", b"b"]), b"xy" * 100_000_000
def search():
    while True:
        plan.count(text)
for _ in range(8):
    threading.Thread(target=search, daemon=True).start()
time.sleep(0.1)
print("left")
""") == "left"


def test_memory_comes_back():
    """Results, plans, streams, iterators that are dropped give their memory back."""
    resource = pytest.importorskip("resource")
    text = b"ab" * (1 << 20)

    def once():
        plan = trawl.compile([b"a", b"b"])
        plan.find(text)
        stream = plan.stream()
        stream.feed(text)
        next(plan.iter(text, batch=5))
        plan.find_many([text[:1000]] * 100)
        with pytest.raises(trawl.PatternError):
            trawl.compile("(")

    for _ in range(3):
        once()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20):
        once()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 64 << 10, f"{grown} KiB more after 20 times the same"


class Text(bytearray):
    """A text that may have attributes."""


@pytest.mark.parametrize("make, name, hold", [
    (lambda: Text(b"a" * 1000), "held", lambda text: trawl.compile("a").iter(text)),
    (lambda: Text(b"a" * 1000), "held", lambda text: trawl.open("name", data=text)),
    (lambda: trawl.compile("a"), "_names", lambda plan: [plan.stream()]),
], ids=["iter", "open", "stream"])
def test_circles(make, name, hold):
    """A text that holds what searches it is freed with it, and its thread ends; so is a plan that
    has its stream."""
    thing = make()
    setattr(thing, name, hold(thing))
    gone = weakref.ref(thing)
    del thing
    gc.collect()
    assert gone() is None


def test_settings_that_nothing_opens():
    """Settings that are none leave nothing behind, neither by `on` nor by compile."""
    resource = pytest.importorskip("resource")
    plan = trawl.compile("a")

    def once(number):
        name = f"{number:>20000}"
        with pytest.raises((trawl.Error, ValueError)):
            plan.on(name).find(b"a")
        with pytest.raises((trawl.Error, ValueError)):
            trawl.compile("a", backend="serial", device=name)
        assert plan.on("serial").count(b"aa") == 2

    once(0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(1, 1000):
        once(number)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 8 << 10, f"{grown} KiB more after 1000 names of backends and devices"


def test_release():
    """Idle contexts can be freed at any time; the next search opens new ones."""
    plan = trawl.compile("ab")
    plan.count(b"ab")
    trawl.release()
    assert plan.count(b"ab") == 1


def test_batches_of_two_threads():
    """Threads that take from one iterator at once get each batch once, or are told."""
    plan, text = trawl.compile(WORDS), large_text()
    expected = plan.count(text)
    for _ in range(5):
        batches, told = plan.iter(text, batch=5000), []
        barrier = threading.Barrier(2)

        def take():
            barrier.wait(PATIENCE)
            found = 0
            while True:
                try:
                    array = next(batches, None)
                except RuntimeError as error:
                    assert "another thread" in str(error)
                    told.append(1)
                    continue
                if array is None:
                    return found
                found += len(array)

        with ThreadPoolExecutor(2) as pool:
            parts = [pool.submit(take) for _ in range(2)]
            assert sum(part.result(PATIENCE) for part in parts) == expected
