"""The tasks of a scan, and the table that they make.

A task searches a run of blocks, for Dask takes its time for each task: a file of no more blocks, or
some such files together. A longer file is divided into runs, and each is:

    walk ─► index ──┐  (what is packed: where its members begin)
                    ▼
                  search ─► tell ─► search again ─► settle            (where blocks follow others)
                    │                                  │
                    └────► facts ─► sums ─► put together              (records, Flag.ONCE)

What goes between runs are some bytes of each; matches stay in the worker that found them.
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _members, _search
from ._search import Found, Job

MANY = 2  # tasks for each thread: Dask spreads more than these by itself
MAX_COPIED = 1 << 26  # bytes of plans that go out through the scheduler
MAX_FILES = 100  # of a task: their words have codes of one byte


def columns(job: Job) -> List[str]:
    """The names of the table's columns."""
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
    """Files of one run each."""
    return frame(job, [_search.search_all(job, i) for i in range(first, last)])


def search_run(job: Job, number: int, first: int, last: int, index: Any) -> Any:
    """A run that is to be told nothing."""
    return frame(job, [_search.search(job, number, first, last, index)])


def frame_of(job: Job, found: Found) -> Any:
    """A run's part of the table."""
    return frame(job, [found])


def walk(job: Job, number: int, first: int, last: int, others: List[List[_members.Walk]]
         ) -> List[_members.Walk]:
    """The members that begin in the blocks of a run of a packed file."""
    file, size = job.files[number], job.blocksize
    walks = [piece for run in others for piece in run]
    for begin in range((last - 1) * size, first * size - 1, -size):
        walks.insert(0, _members.walk(job.fs, file.place, file.size, file.packed or "", begin,
                                      min(begin + size, file.size), walks if begin == 0 else ()))
    return walks[:last - first]


def index(job: Job, number: int, walks: List[List[_members.Walk]]) -> _members.Index:
    """The index of a packed file."""
    file = job.files[number]
    if file.packed == "gzip":
        _members.check_end(job.fs, file.place, file.size)
    return _members.Index([piece for run in walks for piece in run], file.size)


class Graph:
    """Tasks of a scan: of each its key, and the function with what it is given, among it keys.

    Dask gives a task to the worker that has what the task is given, unless there are many of the
    kind. So where there may be few, the job is there several times, for as many workers.
    """

    def __init__(self, job: Job, copies: int) -> None:
        from dask.base import tokenize

        self.job = job
        saved = job.saved if isinstance(job.saved, str) else None  # bytes: job.token is their hash
        self.token = tokenize(job._replace(saved=saved))[:16]
        self._jobs = [f"trawl-job-{self.token}-{i}" for i in range(copies)]
        constant = _Constant(job, self.token)
        self.tasks: Dict[Any, Any] = {key: (constant,) for key in self._jobs}
        self._turn = 0

    def task(self, fn: Any, number: int, place: int, *args: Any, label: str = "") -> str:
        """fn(job, *args), by a key of its own."""
        key = f"trawl-{fn.__name__}{label}-{self.token}-{number}-{place}"
        self.tasks[key] = self.step(fn, place, *args)
        return key

    def step(self, fn: Any, place: int, *args: Any) -> Any:
        """The same, to be done as a part of another one."""
        return (fn, self._jobs[(self._turn + place) % len(self._jobs)], *args)

    def part(self, first: int, last: int) -> List[str]:
        """The parts of the table of files [first, last), a task's, or one that is divided."""
        if self.job.is_divided(self.job.files[first]):
            parts = self.file(first)
        else:
            parts = [self.task(search_files, first, 0, first, last)]
        self._turn += len(parts)
        return parts

    def file(self, number: int) -> List[str]:
        """The parts of the table of a file that is divided."""
        job, file = self.job, self.job.files[number]
        runs = runs_of(file.blocks, job.run)
        known = self._index(number, runs) if file.how == "members" else None
        follows = job.needs is not None and job.needs.follows and not file.unit
        if not (follows or file.unit or job.once):
            return [self.task(search_run, number, i, number, *run, known)
                    for i, run in enumerate(runs)]
        found = [self.task(_search.search, number, i, number, *run, known)
                 for i, run in enumerate(runs)]
        made: List[Any] = self._followed(number, runs, found, known) if follows else list(found)
        if file.unit or job.once:
            facts = [self.task(_search.facts, number, i, run) for i, run in enumerate(made)]
            sums = self.task(_search.before, number, 0, facts)
            made = [self.step(_search.put_together, i, number, i, run, sums)
                    for i, run in enumerate(made)]
        return [self.task(frame_of, number, i, run) for i, run in enumerate(made)]

    def _index(self, number: int, runs: List[Tuple[int, int]]) -> str:
        walks: List[str] = []
        for place, run in reversed(list(enumerate(runs))):
            others = walks if place == 0 else []
            walks = [self.task(walk, number, place, number, *run, others)] + walks
        return self.task(index, number, 0, number, walks)

    def _followed(self, number: int, runs: List[Tuple[int, int]], found: List[str],
                  known: Optional[str]) -> List[Any]:
        """Tasks, to be done where they are asked for."""
        told = self.task(_search.tell, number, 0, self._seams(number, found, "first"))
        firsts = [first for first, _ in runs]
        found = [self.task(_search.search_again, number, i, number, firsts[i], i, known, run, told)
                 for i, run in enumerate(found)]
        changes = self.task(_search.settle, number, 0, number, firsts, known,
                            self._seams(number, found, "again"))
        return [self.step(_search.settled, i, number, i, run, changes)
                for i, run in enumerate(found)]

    def _seams(self, number: int, found: List[str], label: str) -> List[str]:
        return [self.task(_search.seams_of, number, i, run, label=f"-{label}")
                for i, run in enumerate(found)]


def runs_of(blocks: int, most: int) -> List[Tuple[int, int]]:
    """A file's blocks as runs [first, last) of `most` blocks or fewer, about as long each."""
    count = -(-blocks // most)
    return [(i * blocks // count, (i + 1) * blocks // count) for i in range(count)]


class _Constant:
    """A task that is a value. (A tuple that is none would be taken for a task.)"""

    def __init__(self, value: Any, token: str) -> None:
        self._value, self._token = value, token

    def __call__(self) -> Any:
        return self._value

    def __dask_tokenize__(self) -> str:
        return self._token


def build(job: Job, together: List[Tuple[int, int]], threads: int) -> Any:
    """The table of files [first, last), each time a task's, or one that is divided; for a cluster
    of as many threads, 0: not known."""
    import dask.dataframe as dd

    count = sum(len(runs_of(job.files[first].blocks, job.run)) for first, _ in together)
    few = min(count, threads) if count <= MANY * threads else 1
    graph = Graph(job, max(1, min(few, MAX_COPIED // max(1, len(job.saved)))))
    parts = [part for first, last in together for part in graph.part(first, last)]
    return dd.from_graph(graph.tasks, meta(job), (None,) * (len(parts) + 1), parts, "trawl")
