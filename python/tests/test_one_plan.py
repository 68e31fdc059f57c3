"""A file of `trawl compile` gives the same matches by the command, a program in C, and `trawl.load`: the
command's own tests of rules, signatures and strings compare them, with the package's Python."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2] / "tests" / "formats"


@pytest.mark.parametrize("name", ["rule_verdicts", "signatures", "syntaxes", "yara_strings"])
def test_compiled_files(name):
    command, program = os.environ.get("TRAWL_COMMAND"), os.environ.get("TRAWL_PLAN_MATCHES")
    if not (command and program):
        pytest.skip("TRAWL_COMMAND and TRAWL_PLAN_MATCHES name no command and no program in C (tests/formats)")
    environment = dict(os.environ, TRAWL_TEST_PACKAGE="1", TRAWL_TEST_CASES="24")
    done = subprocess.run([sys.executable, TESTS / f"test_{name}.py", command], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = done.stdout.decode()
    assert done.returncode == 0, said
    assert "the same matches by command, C and Python" in said and "# 0 compiled" not in said
