"""What the tests share. TRAWL_TEST_SEED, TRAWL_TEST_CASES: of the random ones."""
import os
import random
from pathlib import Path

import pytest


@pytest.fixture
def rng(request):
    """Random numbers that are the same for each run of a test, unless TRAWL_TEST_SEED differs."""
    return random.Random(os.environ.get("TRAWL_TEST_SEED", "1") + request.node.nodeid)


@pytest.fixture
def cases():
    """How many random cases a test tries."""
    return int(os.environ.get("TRAWL_TEST_CASES", "300"))


@pytest.fixture
def data():
    """The folder of real data."""
    folder = Path(os.environ.get("TRAWL_DATA") or "/nonexistent")
    if not folder.is_dir():
        pytest.skip("TRAWL_DATA names no folder of real data")
    return folder


@pytest.fixture(params=[
    ("X.*c", "ends", b"aX" + b"ab" * 4000 + b"c" * 9),
    (["X[^Y]*c", "bc"], "ends", b"aX" + b"ab" * 3000 + b"cY" + b"abc" * 900),
    ("a{2,3}", "each", b"b" + b"a" * 7001 + b"b" + b"a" * 2000),
    (["a{5}", "a{3}", "ab?a"], "leftmost-longest", b"a" * 9000),
    (["a{5}", "a{3}", "ab?a"], "leftmost-first", b"a" * 5000 + b"b" + b"a" * 3000),
], ids=lambda case: f"{case[0]}-{case[1]}")
def lasting(request):
    """Patterns, report and a text in which it matters what was thousands of bytes before."""
    return request.param
