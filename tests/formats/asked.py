"""What tests in Python share: which command they ask, on which data, and what they say of it.

Their arguments are TRAWL [DATA]; TRAWL_TEST_SEED (1) and TRAWL_TEST_CASES are read, or in place of
the latter TRAWL_TEST_EVERY, which is by what 300 cases are divided.
"""
import os
import sys

TRAWL = os.path.abspath(sys.argv[1])
DATA = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 and os.path.isdir(sys.argv[2]) else ""
SEED = int(os.environ.get("TRAWL_TEST_SEED", "1"))
CASES = int(os.environ.get("TRAWL_TEST_CASES", 300 // int(os.environ.get("TRAWL_TEST_EVERY", "1"))))
_counts = {False: 0, True: 0}  # tests by whether they failed


def result(name: str, wrong) -> None:
    """A test ended; `wrong` lists what was not as it should be, of which some is shown."""
    _counts[bool(wrong)] += 1
    print(f"{'not ok' if wrong else 'ok'} {sum(_counts.values())} - {name}")
    for line in list(wrong)[:10]:
        print(f"#   {line}")


def changed(r, content: bytes, tokens) -> bytes:
    """With some bytes changed, left out, doubled, or a token of the language put in."""
    for _ in range(r.choice([1, 1, 2, 3, 6])):
        at, kind = r.randrange(len(content) + 1), r.randrange(4)
        length = r.choice([1, 1, 3, 10, 40])
        if kind == 0:
            content = content[:at] + bytes([r.randrange(256)]) + content[at + 1:]
        elif kind == 1:
            content = content[:at] + content[at + length:]
        elif kind == 2:
            content = content[:at] + r.choice(tokens) + content[at:]
        else:
            content = content[:at] + content[at - length if at > length else 0:]
    return content


def summary() -> int:
    """The exit status: 77 where there was no test at all."""
    print(f"{_counts[False]} passed, {_counts[True]} failed")
    return int(_counts[True] > 0) if sum(_counts.values()) else 77
