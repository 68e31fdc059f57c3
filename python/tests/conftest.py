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
    folder = Path(os.environ.get("TRAWL_DATA", "/nonexistent"))
    if not folder.is_dir():
        pytest.skip("TRAWL_DATA names no folder of real data")
    return folder
