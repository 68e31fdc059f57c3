"""How pip and its kin build the package: by scikit-build-core, in this folder, as part of the whole project.

A source archive holds what a wheel is built from, in the folders where it stands, and a pyproject.toml
that leads here. So an archive is built as a clone is.
"""
from __future__ import annotations

import io
import os
import re
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Callable, Iterator

from scikit_build_core import build as _scikit

HERE = Path(__file__).resolve().parent
PARTS = ("CMakeLists.txt", "LICENSE", "README.md", "cmake", "completions", "include", "src", "python",
         "tools/embed.c", "tools/manpage.sh", "tools/manpage.awk")


def _here(hook: Callable[..., Any]) -> Callable[..., Any]:
    """A hook of scikit-build-core, which takes the current folder for the package's."""
    def call(*args: Any, **kwargs: Any) -> Any:
        os.chdir(HERE)
        return hook(*args, **kwargs)
    return call


build_wheel = _here(_scikit.build_wheel)
build_editable = _here(_scikit.build_editable)
get_requires_for_build_wheel = _here(_scikit.get_requires_for_build_wheel)
get_requires_for_build_editable = _here(_scikit.get_requires_for_build_editable)
prepare_metadata_for_build_wheel = _here(_scikit.prepare_metadata_for_build_wheel)
prepare_metadata_for_build_editable = _here(_scikit.prepare_metadata_for_build_editable)


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return []


def _files(root: Path) -> Iterator[Path]:
    for part in PARTS:
        path = root / part
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            inside = file.relative_to(root)
            if file.is_file() and not re.search(r"(^|/)(\.|__pycache__/)|\.(pyc|so[.0-9]*|o)$", str(inside)):
                yield inside


def _metadata() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return (Path(folder) / prepare_metadata_for_build_wheel(folder) / "METADATA").read_bytes()


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """NAME-VERSION.tar.gz."""
    metadata = _metadata()
    version = re.search(rb"^Version: (.*)$", metadata, re.M)[1].decode()
    name = f"libtrawl-{version}"
    table = re.search(r"^\[build-system\]\n.*?(?=^\[)", (HERE / "pyproject.toml").read_text(), re.M | re.S)[0]
    made = {"PKG-INFO": metadata,
            "pyproject.toml": table.replace('backend-path = ["."]', 'backend-path = ["python"]').encode()}
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz", dereference=True) as archive:
        for inside, content in made.items():
            entry = tarfile.TarInfo(f"{name}/{inside}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for file in _files(HERE.parent):
            archive.add(HERE.parent / file, f"{name}/{file}", filter=_nobodys)
    return f"{name}.tar.gz"


def _nobodys(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
