"""Files, where they stand, and how each may be divided."""
from __future__ import annotations

import mmap
import os
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .. import _core
from .._errors import ReadError

HEAD = 1 << 16  # bytes that say what a file holds


class File(NamedTuple):
    """A file, and how it is searched."""

    path: str  #: as the table shows it
    place: str  #: as its file system calls it
    size: int  #: bytes
    how: str  #: "bytes", "members" or "whole"
    unit: Optional[str]  #: what a record is: "fasta", "lines"; None: the text is one
    packed: Optional[str]  #: "gzip", "zstd", ...
    why: str  #: of "whole": why it is not divided
    blocks: int
    stamp: str  #: changes with the file, as far as the storage says so


class Blocks:
    """Files in a storage that fsspec knows, and their heads. Texts are read by tasks."""

    def __init__(self, urlpath: Any, storage_options: Optional[Dict[str, Any]]) -> None:
        import fsspec

        urls = [urlpath] if isinstance(urlpath, (str, os.PathLike)) else list(urlpath)
        if not urls:
            raise ValueError("there is no file to search: the list is empty")
        self.fs: Any = None
        self.found: List[Tuple[str, int, str]] = []
        for url in urls:
            fs, place = fsspec.core.url_to_fs(os.fspath(url), **(storage_options or {}))
            if self.fs is not None and fs != self.fs:
                raise ValueError("all files of a scan are in one storage: scan each by itself")
            self.fs = fs
            self.found += _list(fs, place)

    def heads(self) -> List[bytes]:
        """The first bytes of each file."""
        if is_local(self.fs):
            return [read(self.fs, place, 0, min(size, HEAD)) for place, size, _ in self.found]
        heads = self.fs.cat_ranges([place for place, _, _ in self.found], 0,
                                   [min(size, HEAD) for _, size, _ in self.found])
        for head in heads:
            if isinstance(head, BaseException):
                raise head
        return heads


def _list(fs: Any, place: str) -> List[Tuple[str, int, str]]:
    """Files of a path, a folder or a pattern with wildcards, their sizes and stamps."""
    if any(c in place for c in "*?["):
        found = fs.glob(place, detail=True)
    elif fs.isdir(place):
        found = fs.find(place, detail=True)
    else:
        found = {place: fs.info(place)}
    files = [(name, facts) for name, facts in sorted(found.items()) if facts["type"] != "directory"]
    if not files:
        raise FileNotFoundError(f"{place}: there is no file")
    for name, facts in files:
        if facts.get("size") is None:
            raise ReadError(f"{name}: the storage does not say how long it is, so it cannot be "
                            "divided: copy it, or open it with trawl.open")
    stamps = ("mtime", "ETag", "etag", "LastModified", "last_modified", "generation", "created")
    return [(name, int(facts["size"]), str([facts.get(stamp) for stamp in stamps]))
            for name, facts in files]


def is_local(fs: Any) -> bool:
    """Files of it can be mapped."""
    from fsspec.implementations.local import LocalFileSystem

    return isinstance(fs, LocalFileSystem)


def read(fs: Any, place: str, begin: int, end: int) -> Any:
    """Bytes [begin, end) of a file: mapped, where it is local."""
    if begin >= end:
        return b""
    if is_local(fs):
        data = _map(place, begin, end)
    else:
        data = fs.cat_file(place, start=begin, end=end)
    if len(data) != end - begin:
        raise ReadError(f"{place}: has changed while it was searched: bytes {begin} to {end} were "
                        f"asked for, {len(data)} are there")
    return data


def _map(place: str, begin: int, end: int) -> Any:
    first = begin - begin % mmap.ALLOCATIONGRANULARITY
    with open(place, "rb") as file:
        end = min(end, os.fstat(file.fileno()).st_size)
        if begin >= end:
            return b""
        mapped = mmap.mmap(file.fileno(), end - first, access=mmap.ACCESS_READ, offset=first)
    return memoryview(mapped)[begin - first:]


def describe(path: str, place: str, size: int, head: bytes, records: str,
             blocksize: int, stamp: str = "") -> File:
    """How a file that begins with `head` is divided into blocks of its bytes."""
    packed, holds = _core.content(head)
    how, why = "members" if packed else "bytes", ""
    if holds == "archive" and not packed:
        how, why = "whole", "an archive is read member by member"
    elif packed and packed not in ("gzip", "zstd"):
        how, why = "whole", f"{packed} is unpacked from its begin on"
    elif packed and holds in ("packed", "archive"):
        how, why = "whole", f"what {packed} has packed is packed itself"
    elif records == "auto" and holds in ("fastq", "capture", "bam", "sam", "cram", "entries",
                                            "twobit"):
        how, why = "whole", f"where a record of {holds} begins is known from the file's begin on"
    unit = "lines" if records == "lines" else \
        "fasta" if records == "auto" and holds == "fasta" else None
    blocks = 1 if how == "whole" else max(1, -(-size // blocksize))
    return File(path, place, size, how, None if how == "whole" else unit, packed, why, blocks,
                stamp)
