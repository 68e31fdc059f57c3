"""What tasks do: a block of a file searched, and the blocks of a file put together.

A block answers for the matches that end in it (`Plan.find_range`), or for the records that begin in
it. Where its neighbours begin and end it finds out by itself, from the same bytes as they do; so
blocks wait for nobody. Only what a block cannot know is told it afterwards, in a few bytes a block:
how many records came before, which patterns of `Flag.ONCE` had their match, what may go on from the
blocks before (seams).
"""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .._plan import MATCH
from .._readers import open as open_records
from . import _files, _members, _workers

LOOK = 1 << 16  # bytes in which a cut is looked for first


class Job(NamedTuple):
    """What all tasks of a scan share; sent to a worker once."""

    token: str
    saved: Any  #: the plan's bytes, or the path of its file
    backend: Optional[str]
    threads: int
    report: str
    records: str
    fs: Any
    files: List[_files.File]
    blocksize: int
    needs: Any  #: RangeNeeds; None: ranges cannot be searched apart
    once: Tuple[int, ...]  #: patterns of Flag.ONCE
    words: Optional[List[str]]  #: names of patterns; None: they have none
    unknown: bool  #: starts may not be known

    def plan(self) -> Any:
        """The plan, in this process."""
        return _workers.plan_of(self.token, self.saved, self.backend, self.threads)


class Found(NamedTuple):
    """What a block has."""

    matches: np.ndarray
    paths: Tuple[np.ndarray, List[str]]  #: of each match: codes, words
    names: Tuple[np.ndarray, List[str]]  #: of its record, likewise
    records: int  #: that begin here
    seam: Optional[bytes]  #: what it leaves to the next block


def no_words(count: int, word: str = "") -> Tuple[np.ndarray, List[str]]:
    """The same word for `count` matches."""
    return np.zeros(count, np.int32), [word]


# ---- texts -------------------------------------------------------------------------------------


class Text:
    """The text of a file, by offsets of what is unpacked of it."""

    def __init__(self, job: Job, file: _files.File, index: Optional[_members.Index]) -> None:
        self._fs, self._file, self._index, self._step = job.fs, file, index, job.blocksize
        self.size = file.size if index is None else index.size
        self.blocks = file.blocks

    def bound(self, block: int) -> int:
        """Where a block begins, but for cuts; of the one behind the last, the end."""
        return min(block * self._step, self.size) if self._index is None else \
            self._index.bounds[block]

    def read(self, begin: int, end: int) -> Any:
        """Bytes [begin, end)."""
        if begin >= end:
            return b""
        if self._index is None:
            return _files.read(self._fs, self._file.place, begin, end)
        first, last, offset = self._index.span(begin, end)
        data = _members.unpack(self._file.packed or "",
                               _files.read(self._fs, self._file.place, first, last))
        return memoryview(data)[begin - offset:end - offset]


# ---- where blocks meet -------------------------------------------------------------------------


def _first_cut(text: Text, begin: int, end: int, look: Any) -> Optional[int]:
    """The first cut in [begin, end) or at `end`, in windows that grow."""
    length = LOOK
    while begin < end:
        stop = min(begin + length, end)
        at = look(text, begin, stop)
        if at is not None:
            return at
        begin, length = stop, 4 * length
    return None


def _cut_of_ranges(job: Job) -> Any:
    def look(text: Text, begin: int, stop: int) -> Optional[int]:
        at = job.plan().range_cut(text.read(begin - 1, stop), report=job.report)
        return None if at is None else begin - 1 + at

    return look


def _cut_of_records(unit: str) -> Any:
    mark = b"\n>" if unit == "fasta" else b"\n"

    def look(text: Text, begin: int, stop: int) -> Optional[int]:
        at = bytes(text.read(begin, min(stop + len(mark) - 1, text.size))).find(mark)
        return None if at < 0 else begin + at + 1

    return look


def cut(text: Text, block: int, look: Any) -> Optional[int]:
    """Where a block begins; None: it does not, the one before goes on."""
    begin, end = text.bound(block), text.bound(block + 1)
    if block == 0:
        return 0
    return _first_cut(text, begin, end, look) if 0 < begin < end else None


def extent(text: Text, block: int, look: Any) -> Tuple[int, int]:
    """Where a block begins and ends, so that blocks meet only at cuts."""
    begin = cut(text, block, look)
    for behind in range(block + 1, text.blocks):
        end = cut(text, behind, look)
        if end is not None:
            return (end if begin is None else begin), end
    return (text.size if begin is None else begin), text.size


# ---- a block -----------------------------------------------------------------------------------


def search(job: Job, number: int, block: int, index: Optional[_members.Index] = None) -> Found:
    """A block of a file."""
    file = job.files[number]
    if file.blocks == 1 or (index is not None and index.whole):
        return search_file(job, file) if block == 0 else nothing(file)
    text = Text(job, file, index)
    if file.unit:
        return _search_records(job, file, text, block)
    matches, _, seam = _search_range(job, text, block, None)
    return _of_text(file, matches, seam)


def search_again(job: Job, number: int, block: int, index: Optional[_members.Index], found: Found,
                 told: Sequence[Tuple[bool, Optional[bytes]]]) -> Found:
    """A block, when it was told what those before it left: its matches are right as far as theirs
    are."""
    again, seam = told[block]
    if not again:
        return found
    file = job.files[number]
    matches, settled, seam = _search_range(job, Text(job, file, index), block, seam)
    return _renewed(file, found, settled, matches, seam)


def _renewed(file: _files.File, found: Found, settled: int, matches: np.ndarray,
             seam: Optional[bytes] = None) -> Found:
    """A block with other matches up to an offset."""
    stay = found.matches[np.searchsorted(found.matches["end"], settled, "right"):]
    return _of_text(file, np.concatenate([matches, stay]), seam)


def _of_text(file: _files.File, matches: np.ndarray, seam: Optional[bytes] = None) -> Found:
    return Found(matches, no_words(len(matches), file.path), no_words(len(matches)), 0, seam)


def nothing(file: _files.File) -> Found:
    """Of a block that others have taken."""
    return Found(np.empty(0, MATCH), no_words(0, file.path), no_words(0), 0, None)


def search_file(job: Job, file: _files.File) -> Found:
    """A file as one."""
    data = _files.read(job.fs, file.place, 0, file.size)
    if file.how == "bytes" and not file.unit:
        return _of_text(file, job.plan().find(data, report=job.report))
    if file.how == "members" and file.packed == "gzip" and not file.unit:
        _members.check_end(job.fs, file.place, file.size)
        with _members.spool(file.path, data) as text:
            return _of_text(file, job.plan().find(text, report=job.report))
    return _search_reader(job, file, data, job.records)


def _search_range(job: Job, text: Text, block: int, told: Optional[bytes]) -> Any:
    begin, end = extent(text, block, _cut_of_ranges(job)) if job.needs.cuts else \
        (text.bound(block), text.bound(block + 1))
    first = max(0, begin - job.needs.before)
    last = min(text.size, end + job.needs.behind)
    return job.plan().find_range(text.read(first, last), begin, end, offset=first,
                                 last=last == text.size, report=job.report, seam=told)


def _search_records(job: Job, file: _files.File, text: Text, block: int) -> Found:
    begin, end = extent(text, block, _cut_of_records(file.unit or ""))
    if begin == end:
        return nothing(file)
    return _search_reader(job, file, text.read(begin, end), file.unit or "")


def _search_reader(job: Job, file: _files.File, data: Any, records: str) -> Found:
    """Records of a file, or of a part of it."""
    plan = job.plan()
    reader = open_records(file.path, data=data, records=records, threads=1)
    matches, count = [np.empty(0, MATCH)], 0
    paths, names = _Words(), _Words()
    for batch in reader.batches():
        found = plan.find_many(batch, report=job.report)
        count = batch.first + len(batch)
        if len(found):
            matches.append(found)
            paths.add(np.zeros(len(found), np.int32), [batch.text_of(0)])
            used, codes = np.unique(found["record"] - batch.first, return_inverse=True)
            words = batch.names if job.records == "auto" else [""] * len(batch)
            names.add(codes, [words[i] for i in used])
    return Found(np.concatenate(matches), paths.all(), names.all(), count, None)


class _Words:
    """Codes of words, batch behind batch."""

    def __init__(self) -> None:
        self._codes: List[np.ndarray] = [np.empty(0, np.int32)]
        self._words: List[str] = []

    def add(self, codes: np.ndarray, words: List[str]) -> None:
        self._codes.append((codes + len(self._words)).astype(np.int32))
        self._words += words

    def all(self) -> Tuple[np.ndarray, List[str]]:
        return np.concatenate(self._codes), self._words or [""]


# ---- the blocks of a file ----------------------------------------------------------------------


def seam_of(job: Job, found: Found) -> Optional[bytes]:
    """What a block leaves to the next."""
    return found.seam


def tell(job: Job, seams: Sequence[Optional[bytes]]) -> List[Tuple[bool, Optional[bytes]]]:
    """Of each block of a file: whether it is to be searched again for what those before it left,
    and its seam for that. All at once: those before it may be searched again, too."""
    told: List[Tuple[bool, Optional[bytes]]] = []
    sure = 0  # the last one that knew all: what came before it, it has passed on
    for block, seam in enumerate(seams):
        if seam is None:  # the file was not divided
            return [(False, None)] * len(seams)
        told.append(job.plan().follow(seam, seams[sure:block], report=job.report))
        sure = sure if told[-1][0] else block
    return told


def settle(job: Job, number: int, index: Optional[_members.Index],
           seams: Sequence[Optional[bytes]]) -> List[Tuple[int, Optional[np.ndarray]]]:
    """What rounds of `tell` have left open, block by block: (offset, the matches up to there)."""
    seams, changes, sure = list(seams), [], 0  # type: List[Optional[bytes]], List[Any], int
    for block, seam in enumerate(seams):
        again = False
        if seam is not None:
            again, seam = job.plan().follow(seam, seams[sure:block], report=job.report)
        change: Tuple[int, Optional[np.ndarray]] = 0, None
        if again:
            matches, settled, seams[block] = _search_range(
                job, Text(job, job.files[number], index), block, seam)
            change = settled, matches
        sure = sure if again else block
        changes.append(change)
    return changes


def settled(job: Job, number: int, block: int, found: Found,
            changes: Sequence[Tuple[int, Optional[np.ndarray]]]) -> Found:
    """A block with what `settle` says of it."""
    end, matches = changes[block]
    return found if matches is None else _renewed(job.files[number], found, end, matches)


class Facts(NamedTuple):
    """What the blocks behind one want to know of it."""

    records: int
    once: Tuple[int, ...]  #: patterns of Flag.ONCE that were found


def facts(job: Job, found: Found) -> Facts:
    """Of a block that was searched."""
    seen = np.intersect1d(found.matches["pattern"], job.once) if job.once else ()
    return Facts(found.records, tuple(int(pattern) for pattern in seen))


def before(job: Job, blocks: Sequence[Facts]) -> List[Facts]:
    """For each block what all before it had."""
    sums, records, once = [], 0, set()  # type: List[Facts], int, set
    for block in blocks:
        sums.append(Facts(records, tuple(sorted(once))))
        records += block.records
        once.update(block.once)
    return sums


def put_together(job: Job, number: int, block: int, found: Found, sums: List[Facts]) -> Found:
    """A block's matches as they are in the whole file."""
    if job.files[number].unit:
        matches = found.matches.copy()
        matches["record"] += sums[block].records
        return found._replace(matches=matches)
    keep = ~np.isin(found.matches["pattern"], sums[block].once)
    keep[_repeated(found.matches["pattern"], job.once)] = False
    return found._replace(matches=found.matches[keep], paths=(found.paths[0][keep], found.paths[1]),
                          names=(found.names[0][keep], found.names[1]))


def _repeated(patterns: np.ndarray, once: Sequence[int]) -> np.ndarray:
    """Where a pattern of `once` is that was there before."""
    places = np.flatnonzero(np.isin(patterns, once))
    _, first = np.unique(patterns[places], return_index=True)
    return np.delete(places, first)
