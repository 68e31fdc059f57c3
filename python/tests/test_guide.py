"""docs/python.md, and README.md's example: what stands there in a block of Python runs, and prints the
block of text after it.

A section is one program. Where a package, a GPU or the folder of data (TRAWL_DATA) is not there, the
sections that need it are skipped.
"""
import contextlib
import doctest
import io
import os
import re
from pathlib import Path

import pytest

import trawl

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "python.md"
# What the guide calls its files, and which of the real ones they are.
FILES = {
    "rules.tar.xz": "ids/et_open_2017_rules.tar.xz",
    "traffic.pcap": "ids/http_aptget.pcap",
    "prosite.dat": "prosite/prosite_patterns_1309.dat",
    "proteome.fasta.gz": "protein/ecoli_k12_UP000000625.fasta.gz",
    "map.png": "images/browserquest/map_1x.png",
    "tiles.png": "images/browserquest/tilesheet_1x.png",
}
# What a section leaves behind: files by name.
MADE = {"Motifs over a proteome": "motifs.png", "Tiles over a map": "world.png",
        "Plans that last": "numbers.trawl"}


def sections():
    """Title, and (Python, what it prints or None) of each block, of the sections that have some."""
    for part in re.split(r"^## ", GUIDE.read_text(encoding="utf-8"), flags=re.M)[1:]:
        title = part.splitlines()[0]
        fences = re.findall(r"^```(\w+)\n(.*?)^```$", part, re.M | re.S)
        blocks = [(code, fences[i + 1][1] if fences[i + 1:] and fences[i + 1][0] == "text" else None)
                  for i, (language, code) in enumerate(fences) if language == "python"]
        if blocks:
            yield title, blocks


SECTIONS = dict(sections())


def run(code, names, line=0):
    """What it prints. A package that is not there skips the test."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, str(GUIDE), "exec"), names)
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    return printed.getvalue()


@pytest.mark.parametrize("title", SECTIONS)
def test_section(title, tmp_path, monkeypatch, request):
    """It runs, and prints what the guide says."""
    blocks = SECTIONS[title]
    whole = "".join(code for code, _ in blocks)
    if 'backend="cuda"' in whole and not trawl.devices("cuda"):
        pytest.skip("no CUDA device")
    monkeypatch.chdir(tmp_path)
    for name, real in FILES.items():
        if f'"{name}"' in whole:
            os.symlink(request.getfixturevalue("data") / real, name)
    names = {"__name__": "guide"}
    for code, expected in blocks:
        line = GUIDE.read_text(encoding="utf-8").split(code)[0].count("\n")
        printed = run(code, names, line)
        assert expected is None or printed.split() == expected.split(), printed
    if title in MADE:
        assert (tmp_path / MADE[title]).stat().st_size > 5000


def test_readme():
    """So does the example of README.md, and that of the package's own documentation."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## From Python\n")[1]
    code, expected = re.search(r"^```py\n(.*?)^```\n```text\n(.*?)^```$", section, re.M | re.S).groups()
    assert run(code, {}) == expected
    assert doctest.testmod(trawl) == (0, 3)
