"""python.py LIBRARY: Trawl in Python programs, through ctypes: threads that share a plan, and
processes of multiprocessing, forked from one that has scanned with threads and spawned anew.

Every process ends by itself: what takes longer than PATIENCE seconds has failed.
"""
import ctypes as c
import hashlib
import multiprocessing
import random
import signal
import sys
from multiprocessing.pool import ThreadPool

PATIENCE = 60
LENGTH = 8 << 20  # bytes: enough for several windows, and so for threads
WORKERS = 4
WORDS = [b"ab", b"abba", b"acdc", b"bcbcb", b"dddd"]


class Pattern(c.Structure):
    _fields_ = [("text", c.c_char_p), ("length", c.c_size_t), ("syntax", c.c_uint32),
                ("flags", c.c_uint32), ("id", c.c_uint32), ("name", c.c_char_p)]


class Match(c.Structure):
    _fields_ = [("start", c.c_uint64), ("end", c.c_uint64), ("id", c.c_uint32),
                ("pattern", c.c_uint32), ("record", c.c_uint64)]


class Error(c.Structure):
    _fields_ = [("code", c.c_int), ("pattern", c.c_size_t), ("offset", c.c_size_t),
                ("message", c.c_char * 256)]


class ContextOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("backend", c.c_char_p), ("threads", c.c_uint32),
                ("schedule", c.c_uint32), ("chunks", c.c_uint32), ("device", c.c_char_p),
                ("tuning", c.c_char_p), ("runner", c.c_void_p), ("runner_user", c.c_void_p),
                ("allocator", c.c_void_p), ("native", c.c_void_p)]


library = c.CDLL(sys.argv[1])
library.trawl_plan_save.restype = c.c_void_p


def call(function, *arguments):
    error = Error()
    if function(*arguments, c.byref(error)) < 0:
        raise RuntimeError(error.message.decode())


def compile_plan():
    plan = c.c_void_p()
    patterns = (Pattern * len(WORDS))(*[(w, len(w), 0, 0, i) for i, w in enumerate(WORDS)])
    call(library.trawl_compile, patterns, c.c_size_t(len(WORDS)), None, c.byref(plan))
    return plan


def save_plan(plan):
    length = c.c_size_t()
    return c.string_at(library.trawl_plan_save(plan, c.byref(length)), length.value)


def load_plan(block):
    plan = c.c_void_p()
    call(library.trawl_plan_load, block, c.c_size_t(len(block)), c.byref(plan))
    return plan


def open_context():
    """One with threads, also where there is one core."""
    context = c.c_void_p()
    options = ContextOptions(size=c.sizeof(ContextOptions), threads=WORKERS)
    call(library.trawl_context_open, c.byref(options), c.byref(context))
    return context


def scan(context, plan, text):
    """A digest of all matches."""
    matches, count = c.POINTER(Match)(), c.c_size_t()
    call(library.trawl_collect, context, plan, text, c.c_size_t(len(text)), None,
         c.byref(matches), c.byref(count))
    assert count.value > 1000
    digest = hashlib.sha256(c.string_at(matches, count.value * c.sizeof(Match))).hexdigest()
    library.trawl_matches_free(matches)
    return digest


def scan_alone(plan, text):
    context = open_context()
    try:
        return scan(context, plan, text)
    finally:
        library.trawl_context_close(context)


def make_text():
    return bytes(random.Random(4).choices(b"abcd", k=LENGTH))


# ---- what children do ------------------------------------------------------------------

def end_in_time():
    signal.alarm(PATIENCE)


def scan_inherited(answers, context, plan, text):
    end_in_time()
    answers.put(scan(context, plan, text))


def scan_loaded(answers, block, text):
    end_in_time()
    answers.put(scan_alone(load_plan(block), text))


def run_children(method, work, arguments, meanwhile):
    """The answers of WORKERS processes at once, while this one does something too."""
    make = multiprocessing.get_context(method)
    answers = make.Queue()
    children = [make.Process(target=work, args=(answers, *arguments)) for _ in range(WORKERS)]
    for child in children:
        child.start()
    try:
        return [answers.get(timeout=PATIENCE) for _ in children] + [meanwhile()]
    finally:
        for child in children:
            child.join(5)
            if child.is_alive():
                child.kill()


# ---- the tests --------------------------------------------------------------------------

def main():
    text, plan, context = make_text(), compile_plan(), open_context()
    expected = scan(context, plan, text)
    failures = []

    def test(name, run):
        try:
            answers = run()
            verdict = "ok" if set(answers) == {expected} else "other matches"
        except Exception as problem:  # all of them, so that the other tests run
            verdict = f"{type(problem).__name__} {problem}"
        if verdict != "ok":
            failures.append(name)
        print(f"{name}: {verdict}", flush=True)

    def threads():
        with ThreadPool(8) as pool:
            return pool.starmap_async(scan_alone, [(plan, text)] * 16).get(timeout=PATIENCE)

    def again():
        return scan(context, plan, text)

    test("8 threads, one plan", threads)
    test("spawned", lambda: run_children("spawn", scan_loaded, (save_plan(plan), text), again))
    test("forked", lambda: run_children("fork", scan_inherited, (context, plan, text), again))
    test("afterwards", lambda: [again()])
    library.trawl_context_close(context)
    library.trawl_plan_free(plan)
    return bool(failures)


if __name__ == "__main__":
    signal.alarm(4 * PATIENCE)
    sys.exit(main())
