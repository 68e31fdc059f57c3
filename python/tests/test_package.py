"""What pip gets: the package's metadata, and a source archive that is whole."""
import importlib.util
import re
import tarfile
from pathlib import Path

import pytest

PYTHON = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not (PYTHON / "pyproject.toml").exists(), reason="the sources are not there")


def test_what_is_asked_for_alone():
    """Under the name of another project it would be replaced; images for GPUs take minutes to compile."""
    said = (PYTHON / "pyproject.toml").read_text()
    assert re.search(r'^name = "libtrawl"$', said, re.M)
    assert re.search(r'^TRAWL_CUDA = "OFF"', said, re.M)


def test_source_archive(tmp_path, monkeypatch):
    """It holds all that a wheel is built from, says what it is, and is built by what is in it."""
    pytest.importorskip("scikit_build_core")
    where = importlib.util.spec_from_file_location("backend", PYTHON / "backend.py")
    backend = importlib.util.module_from_spec(where)
    where.loader.exec_module(backend)
    monkeypatch.chdir(PYTHON)
    name = backend.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        files = {entry.name.split("/", 1)[1]: entry for entry in archive}
        read = {file: archive.extractfile(files[file]).read() for file in
                ("PKG-INFO", "pyproject.toml", "LICENSE", "python/LICENSE")}
    root = PYTHON.parent
    for part in ("src", "include", "cmake", "python/src", "python/trawl"):
        there = {str(file.relative_to(root)) for file in (root / part).rglob("*")
                 if file.is_file() and file.suffix in (".c", ".h", ".hpp", ".k", ".py", ".cmake")}
        assert there and there <= files.keys()
    assert not [file for file in files if "__pycache__" in file or re.search(r"[.]so\b", file)]
    assert all(entry.isfile() for entry in files.values())
    assert read["LICENSE"] == read["python/LICENSE"] == (root / "LICENSE").read_bytes()
    for field in (b"Name: libtrawl", b"License-File: LICENSE", b"Author-Email: ", b"Project-URL: "):
        assert field in read["PKG-INFO"]
    assert b'backend-path = ["python"]' in read["pyproject.toml"]
