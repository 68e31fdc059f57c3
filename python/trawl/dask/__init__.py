"""Files of any size searched on a Dask cluster: `scan`. Needs ``pip install "libtrawl[dask]"``.

>>> import trawl, trawl.dask
>>> matches = trawl.dask.scan("s3://bucket/logs/*.log", trawl.compile(["error [0-9]+"]))
>>> matches.to_parquet("s3://bucket/matches")

The table is that of one search of each file, whatever the blocks, the workers, and those of them
that are lost on the way: a block depends on nothing but its bytes, so Dask may do it again.
"""
from __future__ import annotations

import hashlib
import os
import warnings
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

try:
    import dask as _dask  # noqa: F401
    import fsspec as _fsspec  # noqa: F401
except ModuleNotFoundError as _missing:
    raise ModuleNotFoundError(f"trawl.dask needs {_missing.name}: pip install \"libtrawl[dask]\"",
                              name=_missing.name) from None

from .. import _plan, backends
from .._errors import ArgumentError, UnsupportedError
from .._plan import REPORTS, Flag, Plan
from . import _files, _search, _tables
from ._files import File

__all__ = ["blocks", "scan"]

RECORDS = ("auto", "lines", "whole")

TASKS = 4  # for each thread of a cluster, at most
MAX_TASKS = 1 << 14  # but no more in all, unless threads would have none
ENOUGH = 4  # blocks for each of Dask's tasks: with fewer there are fewer tasks for each thread
LONGEST = 16  # blocks of one of Dask's tasks: of the search of these it takes some percent at most


def scan(urlpath: Union[str, "os.PathLike[str]", Sequence[str]], plan: Any, *,
         blocksize: Union[int, str] = "64 MiB", run: Optional[int] = None, client: Any = None,
         report: str = "each", records: str = "auto", backend: Optional[str] = None,
         threads: int = 1, storage_options: Optional[Dict[str, Any]] = None) -> Any:
    """All matches in files, as a Dask DataFrame.

    Args:
        urlpath: of a file, a folder (with all below it), or files with wildcards; or a list of
            these. Whatever fsspec knows: paths, ``s3://``, ``gs://``, ``hdfs://``, ``http://``, ...
        plan: a `trawl.Plan`; or the path of a saved one, that every worker can open.
        blocksize: bytes of a file that are read and searched at once; of packed files as they are
            packed.
        run: blocks that a task searches, one after the other; its matches are a partition of the
            table. None: as many as give each thread that the cluster has now two to four tasks.
        client: a ``distributed.Client``: the search begins there at once, and what it finds stays
            in its workers' memory. None: it begins when the table is computed or written.
        report: as of `trawl.Plan.find`.
        records: "auto": of FASTA, FASTQ and captures their records, as `trawl.open` reads them;
            "lines", each line a record; "whole", each text is one.
        backend: None: a CPU. "auto": a GPU, where the worker has one; "cuda" or "opencl": it has to
            have one. Each worker of a machine takes a GPU of its own, as long as there are any; more
            workers share them.
        threads: of each task on a CPU; Dask runs as many tasks at once as a worker has threads.
        storage_options: for fsspec.

    Returns:
        Rows in the order of files, then of records, then of ends: ``path``, ``pattern``, ``start``
        (NA where it is not known), ``end``, ``record``; ``name`` of the pattern where the plan has
        names, ``record_name`` with ``records="auto"``. Words are categories.

    Raises:
        FileNotFoundError, ValueError: what is asked for is not there.
    """
    job, notes = _job(urlpath, plan, blocksize, report, records, backend, threads, storage_options)
    threads_there = _threads(client)
    job = job._replace(run=_run(job, threads_there) if run is None else _checked_run(run))
    for note in notes:
        warnings.warn(note, stacklevel=2)
    table = _tables.build(job, list(_parts(job)), threads_there)
    return table if client is None else client.persist(table)


def blocks(urlpath: Any, plan: Any, *, blocksize: Union[int, str] = "64 MiB", report: str = "each",
           records: str = "auto", storage_options: Optional[Dict[str, Any]] = None) -> Any:
    """How `scan` divides files, as a ``pandas.DataFrame``: a row a block. ``how`` is "bytes",
    "fasta", "lines", "members" of what is packed, or "whole", and then ``why``; ``begin`` and
    ``end`` are bytes of the file, at or after which a block begins and ends."""
    import pandas as pd

    job, _ = _job(urlpath, plan, blocksize, report, records, None, 1, storage_options)
    rows = []
    for file in job.files:
        for block in range(file.blocks):
            begin = block * job.blocksize
            end = file.size if block == file.blocks - 1 else begin + job.blocksize
            how = file.how if file.how != "bytes" else file.unit or file.how
            rows.append((file.path, block, begin, end, how, file.why))
    return pd.DataFrame(rows, columns=["path", "block", "begin", "end", "how", "why"])


# ---- what is asked for -------------------------------------------------------------------------


def _job(urlpath: Any, plan: Any, blocksize: Union[int, str], report: str, records: str,
         backend: Optional[str], threads: int, storage_options: Optional[Dict[str, Any]]
         ) -> Tuple[_search.Job, List[str]]:
    from dask.utils import parse_bytes

    if report not in REPORTS:
        raise ArgumentError(f"no report {report!r}; there are " + ", ".join(REPORTS))
    if records not in RECORDS:
        raise ArgumentError(f"no records {records!r}; there are " + ", ".join(RECORDS))
    if backend not in (None, "auto", *backends()):
        raise ArgumentError(f"no backend {backend!r}; there are auto, " + ", ".join(backends()))
    size = int(parse_bytes(blocksize))
    if size < 1:
        raise ArgumentError("a block has at least one byte")
    saved: Any = plan.save() if isinstance(plan, Plan) else os.fspath(plan)
    loaded = plan if isinstance(plan, Plan) else _plan.load(plan)
    if not isinstance(loaded, Plan):
        raise ArgumentError("a plan of pictures searches no files: see trawl.grid")
    needs, why = None, ""
    try:
        needs = loaded.range_needs(report=report)
    except UnsupportedError as error:
        why = str(error)
    found = _files.Blocks(urlpath, storage_options)
    files = [_describe(found.fs, place, length, stamp, head, records, size, why)
             for (place, length, stamp), head in zip(found.found, found.heads())]
    token = hashlib.sha256(loaded.save()).hexdigest()
    once = tuple(i for i, pattern in enumerate(loaded.patterns) if pattern.flags & Flag.ONCE)
    words = list(loaded.names) if any(loaded.names) else None
    job = _search.Job(token, saved, backend, threads, report, records, found.fs, files, size, 1,
                      needs, once, words, _unknown_starts(loaded, report))
    return job, _notes(files, size)


def _unknown_starts(plan: Any, report: str) -> bool:
    """Matches may have none."""
    return report == "ends" and plan.info.min_length != plan.info.max_length


def _describe(fs: Any, place: str, length: int, stamp: str, head: bytes, records: str, size: int,
              why: str) -> File:
    path = place if _files.is_local(fs) else fs.unstrip_protocol(place)
    file = _files.describe(path, place, length, head, records, size, stamp)
    if why and not file.unit and file.how != "whole":  # its text is one, and cannot be divided
        file = file._replace(blocks=1, why=why)
    return file


def _notes(files: List[File], size: int) -> List[str]:
    whole = [file for file in files if file.why and file.size > size]
    if not whole:
        return []
    return [f"{len(whole)} of {len(files)} files are searched by one task each, the first of them "
            f"{whole[0].path}: {whole[0].why}"]


# ---- what tasks there are ----------------------------------------------------------------------


def _checked_run(run: int) -> int:
    if run < 1:
        raise ArgumentError("a task searches at least one block")
    return run


def _run(job: _search.Job, threads: int) -> int:
    """How many blocks a task is to search in a cluster of as many threads, for Dask takes some
    10 ms for each task."""
    if not threads:  # nobody knows
        return 1
    blocks = -(-sum(file.size for file in job.files) // job.blocksize)
    follows = job.needs is not None and job.needs.follows and \
        any(file.blocks > 1 and not file.unit for file in job.files)
    least, cost = (threads, 3) if follows else (2 * threads, 1)  # `cost`: a run is five tasks then
    tasks = max(threads, min(TASKS * threads, max(least, blocks // (cost * ENOUGH)), MAX_TASKS))
    return max(1, min(blocks // tasks, cost * LONGEST))


def _threads(client: Any) -> int:
    """The threads of the cluster that is going to be asked, as far as is known; 0: there is none."""
    if client is None:
        try:
            from distributed import get_client

            client = get_client()
        except (ImportError, ValueError):
            return 0
    about = client.scheduler_info()
    return about.get("total_threads") or sum(worker["nthreads"]
                                             for worker in about["workers"].values())


def _parts(job: _search.Job) -> Iterator[Tuple[int, int]]:
    """Files [first, last): those that are not divided, together about as long as a run; others
    alone."""
    first, together = 0, 0
    for number, file in enumerate(job.files):
        alone = job.is_divided(file)
        if number > first and (alone or together + file.size > job.run * job.blocksize
                               or number - first == _tables.MAX_FILES):
            yield first, number
            first, together = number, 0
        together += file.size
        if alone:
            yield number, number + 1
            first, together = number + 1, 0
    if first < len(job.files):
        yield first, len(job.files)
