"""What tasks do: a run of blocks of a file searched, and the runs of a file put together.

A block answers for the matches that end in it (`Plan.find_range`), or for the records that begin in
it. Where its neighbours begin and end it finds out by itself, from the same bytes as they do; so
blocks wait for nobody. The blocks of a run are read and searched one after the other, each told by
the one before it; so a task holds one block of the text, and no block is searched twice in it. Only
what a run cannot know is told it afterwards, in a few bytes a block: how many records came before,
which patterns of `Flag.ONCE` had their match, what may go on from the runs before (seams).

Invariant: a run is right, if what its first block was told is.
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
    run: int  #: blocks of a file that a task searches at most
    needs: Any  #: RangeNeeds; None: ranges cannot be searched apart
    once: Tuple[int, ...]  #: patterns of Flag.ONCE
    words: Optional[List[str]]  #: names of patterns; None: they have none
    unknown: bool  #: starts may not be known

    def is_divided(self, file: _files.File) -> bool:
        """It is more than a task's."""
        return file.blocks > (1 if file.how == "members" else self.run)

    def plan(self) -> Any:
        """The plan, in this process."""
        return _workers.plan_of(self.token, self.saved, self.backend, self.threads)


class Found(NamedTuple):
    """What a block has, or a run of them."""

    matches: np.ndarray
    paths: Tuple[np.ndarray, List[str]]  #: of each match: codes, words
    names: Tuple[np.ndarray, List[str]]  #: of its record: codes, words
    records: int  #: that begin here
    seams: Tuple[bytes, ...]  #: of its blocks; empty: they tell each other nothing


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
        """Where a block begins, but for cuts; of the one after the last, the end."""
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
    for later in range(block + 1, text.blocks):
        end = cut(text, later, look)
        if end is not None:
            return (end if begin is None else begin), end
    return (text.size if begin is None else begin), text.size


# ---- a run of blocks ---------------------------------------------------------------------------


def search(job: Job, number: int, first: int, last: int, index: Optional[_members.Index] = None
           ) -> Found:
    """Blocks [first, last) of a file."""
    file = job.files[number]
    if file.blocks == 1 or (index is not None and index.whole):
        return search_file(job, file) if first == 0 else nothing(file)
    text = Text(job, file, index)
    if file.unit:
        return _join([_search_records(job, file, text, block) for block in range(first, last)])
    matches, seams = [], []  # type: List[np.ndarray], List[bytes]
    for block in range(first, last):
        told = job.plan().follow(None, seams[-1:], report=job.report)[1] if seams else None
        part = _search_range(job, text, block, told)
        matches.append(part.matches)
        seams += [] if part.seam is None else [part.seam]
    return _of_text(file, _concatenate(matches), tuple(seams))


def _of_text(file: _files.File, matches: np.ndarray, seams: Tuple[bytes, ...] = ()) -> Found:
    return Found(matches, no_words(len(matches), file.path), no_words(len(matches)), 0, seams)


def _concatenate(arrays: List[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _join(blocks: List[Found]) -> Found:
    """Blocks of records, one after the other, as one."""
    matches, count = [], 0  # type: List[np.ndarray], int
    paths, names = _Words(), _Words()
    for block in blocks:
        block.matches["record"] += count
        matches.append(block.matches)
        paths.add(*block.paths)
        names.add(*block.names)
        count += block.records
    return Found(_concatenate(matches), paths.all(), names.all(), count, ())


def nothing(file: _files.File) -> Found:
    """What a block has that others have taken."""
    return _of_text(file, np.empty(0, MATCH))


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


class Part(NamedTuple):
    """What a search of a block has found."""

    matches: np.ndarray
    begin: int  #: they end after it,
    settled: int  #: and up to here
    seam: Optional[bytes]  #: what it leaves to the next block


def _search_range(job: Job, text: Text, block: int, told: Optional[bytes]) -> Part:
    begin, end = extent(text, block, _cut_of_ranges(job)) if job.needs.cuts else \
        (text.bound(block), text.bound(block + 1))
    first = max(0, begin - job.needs.before)
    last = min(text.size, end + job.needs.after)
    matches, settled, seam = job.plan().find_range(
        text.read(first, last), begin, end, offset=first, last=last == text.size,
        report=job.report, seam=told)
    return Part(matches, begin, settled, seam)


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
    return Found(np.concatenate(matches), paths.all(), names.all(), count, ())


class _Words:
    """Codes of words, batch after batch."""

    def __init__(self) -> None:
        self._codes: List[np.ndarray] = [np.empty(0, np.int32)]
        self._words: List[str] = []

    def add(self, codes: np.ndarray, words: List[str]) -> None:
        self._codes.append((codes + len(self._words)).astype(np.int32))
        self._words += words

    def all(self) -> Tuple[np.ndarray, List[str]]:
        return np.concatenate(self._codes), self._words or [""]


# ---- the runs of a file ------------------------------------------------------------------------


def seams_of(job: Job, found: Found) -> Tuple[bytes, ...]:
    """What a run and those after it want to know of each other."""
    return found.seams


Told = Tuple[bool, Optional[bytes]]  # whether a block is to be searched again, its seam for that


def tell(job: Job, runs: Sequence[Sequence[bytes]]) -> List[Told]:
    """What the first block of each run of a file is told, all at once: the runs before may be
    searched again, too."""
    told: List[Told] = []
    sure = 0  # the last one that knew all: what came before it, it has passed on
    for number, seams in enumerate(runs):
        if not seams:  # the file was not divided
            return [(False, None)] * len(runs)
        before = [run[-1] for run in runs[sure:number]]
        told.append(job.plan().follow(seams[0], before, report=job.report))
        sure = sure if told[-1][0] else number
    return told


class News(NamedTuple):
    """What a run that was searched again has, as far as it made a difference."""

    parts: List[Part]
    seams: Tuple[bytes, ...]


def _again(job: Job, text: Text, first: int, seams: Sequence[bytes], told: Told) -> News:
    """The run that begins with a block, which was told something."""
    parts, after = [], list(seams)  # type: List[Part], List[bytes]
    for i in range(len(seams)):
        if i > 0:
            told = job.plan().follow(seams[i], [after[i - 1]], report=job.report)
        if not told[0]:
            break
        parts.append(_search_range(job, text, first + i, told[1]))
        after[i] = parts[-1].seam or seams[i]
    return News(parts, tuple(after))


def _renewed(file: _files.File, found: Found, news: News) -> Found:
    """A run with what there is anew."""
    pieces, stay = [], found.matches  # type: List[np.ndarray], np.ndarray
    for part in news.parts:
        begin, settled = np.searchsorted(stay["end"], [part.begin, part.settled], "right")
        pieces += [stay[:begin], part.matches]
        stay = stay[settled:]
    return _of_text(file, np.concatenate([*pieces, stay]), news.seams)


def search_again(job: Job, number: int, first: int, place: int, index: Optional[_members.Index],
                 found: Found, told: Sequence[Told]) -> Found:
    """A run, when it was told what those before it left: it is right as far as they are."""
    if not told[place][0]:
        return found
    file = job.files[number]
    text = Text(job, file, index)
    return _renewed(file, found, _again(job, text, first, found.seams, told[place]))


def settle(job: Job, number: int, firsts: Sequence[int], index: Optional[_members.Index],
           runs: Sequence[Sequence[bytes]]) -> List[Optional[News]]:
    """What `tell` and `search_again` have left open, run by run."""
    changes: List[Optional[News]] = []
    left: List[bytes] = []  # by the run before
    for first, seams in zip(firsts, runs):
        news = None
        told = job.plan().follow(seams[0], left, report=job.report) if seams else (False, None)
        if told[0]:
            news = _again(job, Text(job, job.files[number], index), first, seams, told)
        changes.append(news)
        left = [news.seams[-1]] if news else list(seams[-1:])
    return changes


def settled(job: Job, number: int, place: int, found: Found, changes: Sequence[Optional[News]]
            ) -> Found:
    """A run with what `settle` says of it."""
    news = changes[place]
    return found if news is None else _renewed(job.files[number], found, news)


class Facts(NamedTuple):
    """What the runs after one want to know of it."""

    records: int
    once: Tuple[int, ...]  #: patterns of Flag.ONCE that were found


def facts(job: Job, found: Found) -> Facts:
    """The facts of a run that was searched."""
    seen = np.intersect1d(found.matches["pattern"], job.once) if job.once else ()
    return Facts(found.records, tuple(int(pattern) for pattern in seen))


def before(job: Job, runs: Sequence[Facts]) -> List[Facts]:
    """For each run what all before it had."""
    sums, records, once = [], 0, set()  # type: List[Facts], int, set
    for run in runs:
        sums.append(Facts(records, tuple(sorted(once))))
        records += run.records
        once.update(run.once)
    return sums


def put_together(job: Job, number: int, place: int, found: Found, sums: Sequence[Facts]) -> Found:
    """A run's matches as they are in the whole file."""
    if job.files[number].unit:
        matches = found.matches.copy()
        matches["record"] += sums[place].records
        return found._replace(matches=matches)
    keep = ~np.isin(found.matches["pattern"], sums[place].once)
    keep[_repeated(found.matches["pattern"], job.once)] = False
    return found._replace(matches=found.matches[keep], paths=(found.paths[0][keep], found.paths[1]),
                          names=(found.names[0][keep], found.names[1]))


def search_all(job: Job, number: int) -> Found:
    """A file, by a task of its own."""
    found = search(job, number, 0, job.files[number].blocks)
    if job.once and not job.files[number].unit:
        found = put_together(job, number, 0, found, [Facts(0, ())])
    return found


def _repeated(patterns: np.ndarray, once: Sequence[int]) -> np.ndarray:
    """Where a pattern of `once` is that was there before."""
    places = np.flatnonzero(np.isin(patterns, once))
    _, first = np.unique(patterns[places], return_index=True)
    return np.delete(places, first)
