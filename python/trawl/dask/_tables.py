"""The tasks of a scan, and the table that they make.

Files of one block are a task, or some of them together. Of a file that is divided each block is:

    walk ─► index ──┐  (what is packed: where its members begin)
                    ▼
                  search ─► tell ─► search again ─► ... ─► settle     (where blocks follow others)
                    │                                         │
                    └────► facts ─► sums ─► put together ◄────┘       (records, Flag.ONCE)

What runs between blocks are some bytes of each; matches stay in the worker that found them.
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _members, _search
from ._search import Found, Job

ROUNDS = 2  # in which blocks are searched again at once; what is left is done one by one
MOST_FILES = 100  # of a task: their words have codes of one byte


def columns(job: Job) -> List[str]:
    """Of the table."""
    names = ["path", "pattern", "start", "end", "record"]
    return names + ["name"] * (job.words is not None) + ["record_name"] * (job.records == "auto")


def frame(job: Job, parts: List[Found]) -> Any:
    """Matches as a ``pandas.DataFrame``."""
    import pandas as pd

    matches = np.concatenate([part.matches for part in parts]) if len(parts) > 1 else \
        parts[0].matches
    table = {"path": _categories([part.paths for part in parts])}
    for field in ("pattern", "start", "end", "record"):
        table[field] = np.ascontiguousarray(matches[field])
    if job.unknown:
        table["start"] = pd.arrays.IntegerArray(table["start"], table["start"] < 0)
    if job.words is not None:
        used, codes = np.unique(matches["pattern"], return_inverse=True)
        table["name"] = _categories([(codes, [job.words[i] for i in used])])
    if job.records == "auto":
        table["record_name"] = _categories([part.names for part in parts])
    return pd.DataFrame({name: table[name] for name in columns(job)}, copy=False)


def _categories(parts: List[Tuple[np.ndarray, List[str]]]) -> Any:
    """Codes of words as categories; two words may be the same, and some be used by none."""
    import pandas as pd

    words: List[str] = []
    all_codes = []
    for codes, of_part in parts:
        all_codes.append(codes + len(words))
        words += of_part
    codes = all_codes[0] if len(parts) == 1 else np.concatenate(all_codes)
    different, place = np.unique(np.asarray(words, dtype=object), return_inverse=True)
    return pd.Categorical.from_codes(place[codes], categories=pd.Index(different, dtype=object))


def meta(job: Job) -> Any:
    """The table without rows, whose categories are not known yet."""
    from dask.dataframe.utils import clear_known_categories

    return clear_known_categories(frame(job, [_search.nothing(job.files[0])]))


# ---- tasks -------------------------------------------------------------------------------------


def search_files(job: Job, first: int, last: int) -> Any:
    """Files of one block each."""
    return frame(job, [_search.search_file(job, job.files[i]) for i in range(first, last)])


def search_block(job: Job, number: int, block: int, index: Any) -> Any:
    """A block that nothing is to be told."""
    return frame(job, [_search.search(job, number, block, index)])


def frame_of(job: Job, found: Found) -> Any:
    """A block's part of the table."""
    return frame(job, [found])


def walk(job: Job, number: int, block: int, others: List[_members.Walk]) -> _members.Walk:
    """The members that begin in a block of a packed file."""
    file, begin = job.files[number], block * job.blocksize
    return _members.walk(job.fs, file.place, file.size, file.packed or "", begin,
                         min(begin + job.blocksize, file.size), others)


def index(job: Job, number: int, walks: List[_members.Walk]) -> _members.Index:
    """Of a packed file."""
    file = job.files[number]
    if file.packed == "gzip":
        _members.check_end(job.fs, file.place, file.size)
    return _members.Index(walks, file.size)


class Graph:
    """Tasks of a scan: of each its key, and the function with what it is given, among it keys."""

    def __init__(self, job: Job) -> None:
        from dask.base import tokenize

        self.job = job
        self.token = tokenize(job)[:16]
        self._job = f"trawl-job-{self.token}"
        self.tasks: Dict[Any, Any] = {self._job: (_Constant(job),)}

    def task(self, fn: Any, number: int, block: int, *args: Any, label: str = "") -> str:
        """fn(job, *args), by a key of its own."""
        key = f"trawl-{fn.__name__}{label}-{self.token}-{number}-{block}"
        self.tasks[key] = (fn, self._job, *args)
        return key

    def file(self, number: int) -> List[str]:
        """The parts of the table of a file that is divided."""
        job, file = self.job, self.job.files[number]
        numbers = range(file.blocks)
        known = self._index(number) if file.how == "members" else None
        follows = job.needs is not None and job.needs.follows and not file.unit
        if not (follows or file.unit or job.once):
            return [self.task(search_block, number, i, number, i, known) for i in numbers]
        found = [self.task(_search.search, number, i, number, i, known) for i in numbers]
        if follows:
            found = self._followed(number, found, known)
        if file.unit or job.once:
            facts = [self.task(_search.facts, number, i, found[i]) for i in numbers]
            sums = self.task(_search.before, number, 0, facts)
            found = [self.task(_search.put_together, number, i, number, i, found[i], sums)
                     for i in numbers]
        return [self.task(frame_of, number, i, found[i]) for i in numbers]

    def _index(self, number: int) -> str:
        walks: List[str] = []
        for block in reversed(range(self.job.files[number].blocks)):
            others = walks if block == 0 else []
            walks = [self.task(walk, number, block, number, block, others)] + walks
        return self.task(index, number, 0, number, walks)

    def _followed(self, number: int, found: List[str], known: Optional[str]) -> List[str]:
        for turn in range(ROUNDS):
            told = self.task(_search.tell, number, 0, self._seams(number, found, turn),
                             label=str(turn))
            found = [self.task(_search.search_again, number, i, number, i, known, block, told,
                               label=str(turn)) for i, block in enumerate(found)]
        changes = self.task(_search.settle, number, 0, number, known,
                            self._seams(number, found, ROUNDS))
        return [self.task(_search.settled, number, i, number, i, block, changes)
                for i, block in enumerate(found)]

    def _seams(self, number: int, found: List[str], turn: int) -> List[str]:
        return [self.task(_search.seam_of, number, i, block, label=str(turn))
                for i, block in enumerate(found)]


class _Constant:
    """A task that is a value. (A tuple that is none would be taken for a task.)"""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __call__(self) -> Any:
        return self._value


def build(job: Job, runs: List[Tuple[int, int]]) -> Any:
    """The table of runs of files [first, last)."""
    import dask.dataframe as dd
    from dask.delayed import Delayed
    from dask.highlevelgraph import HighLevelGraph

    graph = Graph(job)
    parts: List[str] = []
    for first, last in runs:
        if job.files[first].blocks > 1:
            parts += graph.file(first)
        else:
            parts.append(graph.task(search_files, first, 0, first, last))
    layers = HighLevelGraph.from_collections(f"trawl-{graph.token}", graph.tasks)
    return dd.from_delayed([Delayed(part, layers, layer=f"trawl-{graph.token}") for part in parts],
                           meta=meta(job), verify_meta=False)
