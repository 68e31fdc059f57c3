"""Files as records: sequences, packets, lines, members of archives, compressed or not."""
from __future__ import annotations

import builtins
import operator
import os
import stat
import warnings
from bisect import bisect_right
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union, overload

import numpy as np

from . import _core
from ._errors import ReadError
from ._patterns import _integer
from ._texts import Text

_MODES = {name: i for i, name in enumerate(
    ["auto", "lines", "whole", "fasta", "fastq", "sam", "genbank", "pcap"])}


#: How messages of trawl/formats.h end, and what to do is in Python. No name of a file is so near to an end.
_OF_C = {
    "trawl_reader_options.max_ratio allows more": "a larger ratio allows more",
    "the format fasta joins its lines to sequences, the format text is without this warning":
        'records="fasta" joins its lines to sequences, records="whole" is without this warning',
    "(format text)": '(records="whole")',
}


def _as_python_says(why: str) -> str:
    for end, ours in _OF_C.items():
        if why.endswith(end):
            return why[:-len(end)] + ours
    return why


class Record(NamedTuple):
    """One record of a file."""

    name: str  #: of a sequence its first word, of a packet its flow, else ""
    data: bytes
    number: int  #: its index in all that the reader gives, as ``record`` of a match
    text: str  #: the file, and the member in it: "a.tar:b.fasta"
    qualities: bytes = b""  #: of FASTQ, one for each letter, as they stand there; if they are wanted
    cut: bool = False  #: it ends where its text is damaged, and lacks what followed


class Records:
    """Records one after the other: ``data[offsets[i]:offsets[i + 1]]`` is record i.

    Attributes:
        data: their bytes, an array of uint8, without what stood between them.
        offsets: an array of int64, one more than there are records.
        first: the number of the first one.
        qualities: of FASTQ an array of uint8, one for each byte of `data`, as they stand in the file
            (usually 33 more than the quality), if they were asked for; else None. Where a text of
            another kind stands beside, 0.
        cut: the indices of records that end where their text is damaged, and lack what followed.
            `Reader.batches` gives such a record before it says why.
    """

    def __init__(self, data: np.ndarray, offsets: np.ndarray, names: bytes, first: int,
                 texts: List[Tuple[int, str]], qualities: Optional[np.ndarray] = None,
                 cut: Sequence[int] = ()) -> None:
        self.data = data
        self.cut = list(cut)
        self.qualities = qualities
        self.offsets = offsets
        self.first = first
        self._blob = names
        self._texts = texts  # the index of a text's first record, and the text

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def names(self) -> List[str]:
        """A name for each record; "" for all where this kind has none."""
        if not self._blob:
            return [""] * len(self)
        return self._blob.decode("utf-8", "replace").split("\0")[:-1]

    def text_of(self, index: int) -> str:
        """The file, and the member in it, of record `index`."""
        return self._texts[bisect_right([begin for begin, _ in self._texts], index) - 1][1]

    def qualities_of(self, index: int) -> bytes:
        """The qualities of record `index`; b"": there are none."""
        if self.qualities is None:
            return b""
        return self.qualities[self.offsets[index]:self.offsets[index + 1]].tobytes()

    @overload
    def __getitem__(self, index: int) -> bytes: ...

    @overload
    def __getitem__(self, index: slice) -> List[bytes]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[bytes, List[bytes]]:
        """The bytes of a record; of a slice a list of such."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError("no such record")
        index %= len(self)
        return self.data[self.offsets[index]:self.offsets[index + 1]].tobytes()


def _joined_qualities(parts: List[Records]) -> Optional[np.ndarray]:
    if all(part.qualities is None for part in parts):
        return None
    return np.concatenate([np.zeros(len(part.data), np.uint8) if part.qualities is None else part.qualities
                           for part in parts])


class Reader:
    """The records of files. Made by `open`; read once, by one of its three ways: going through it,
    `batches`, `read`. A second one raises ValueError."""

    #: With ``errors="keep"``: (text, why) of what could not be read.
    errors: List[Tuple[str, str]]

    def __init__(self, paths: List[bytes], mode: int, threads: int, ratio: int, keep: bool,
                 data: Any = None, qualities: bool = False) -> None:
        self._start = lambda path: _core.reader(path, mode, threads, ratio, data, qualities)
        self._reader: Any = self._start(paths[0])
        self._rest = paths[:0:-1]  # the next one last
        self._path = os.fsdecode(paths[0])
        self._begun = False
        self._keep = keep
        self.errors = []

    def batches(self) -> Iterator[Records]:
        """Some MiB of whole records at a time, read ahead by a thread: for `Plan.find_many`.

        Raises:
            ValueError: the reader was used before, by any way, or is closed.
        """
        if self._begun or self._reader is None:
            raise ValueError(f"the reader of {self._path!r} {'was used' if self._begun else 'is closed'}, "
                             "and a file is read once: open it again, or keep records = reader.read(), "
                             "which may be searched and gone through as often as you like")
        self._begun = True
        return self._batches()

    def _batches(self) -> Iterator[Records]:
        first = 0
        while self._reader is not None:
            item = next(self._reader, None)
            if item is None and self._rest:
                self._reader = self._start(self._rest.pop())
                continue
            if item is None:
                break
            if len(item) == 3:
                text, why, warns = item
                why = _as_python_says(why)
                if warns:
                    warnings.warn(f"{text}: {why}", stacklevel=3)
                else:
                    self._fail(text, why)
                continue
            text, data, offsets, names, qualities, is_cut = item
            yield Records(data, offsets, names or b"", first, [(0, text)], qualities,
                          [len(offsets) - 2] if is_cut else [])
            first += len(offsets) - 1
        self.close()

    def __iter__(self) -> Iterator[Record]:
        return self._records(self.batches())

    def _records(self, batches: Iterator[Records]) -> Iterator[Record]:
        for batch in batches:
            text = batch.text_of(0)
            for i, name in enumerate(batch.names):
                yield Record(name, batch[i], batch.first + i, text, batch.qualities_of(i), i in batch.cut)

    def read(self) -> Records:
        """All of them at once."""
        parts = list(self.batches())
        if not parts:
            return Records(np.empty(0, np.uint8), np.zeros(1, np.int64), b"", 0, [(0, "")])
        begins = np.cumsum([0] + [len(p.data) for p in parts])
        offsets = [p.offsets[:-1] + begin for p, begin in zip(parts, begins)] + [begins[-1:]]
        named = any(p._blob for p in parts)
        return Records(np.concatenate([p.data for p in parts]), np.concatenate(offsets),
                       b"".join(p._blob or b"\0" * len(p) for p in parts) if named else b"", 0,
                       [(p.first, p._texts[0][1]) for p in parts], _joined_qualities(parts),
                       [p.first + i for p in parts for i in p.cut])

    def close(self) -> None:
        """Read no more."""
        self._reader = None

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def _fail(self, text: str, why: str) -> None:
        self.errors.append((text, why))
        if not self._keep:
            self.close()
            error = ReadError(f"{text}: {why}")
            error.text = text
            raise error


def _is_read_once(path: bytes) -> bool:
    """Whether it is a pipe or the like, where who opens it and goes takes what it holds along."""
    mode = os.stat(path).st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


_Path = Union[str, bytes, "os.PathLike[Any]"]


def open(path: Union[_Path, Iterable[_Path]], *, data: Optional[Text] = None, records: str = "auto",
         threads: int = 0, ratio: int = 250, errors: str = "raise", qualities: bool = False) -> Reader:
    """The records of a file, as ``trawl find`` reads it: what it holds is told by its first bytes.

    Sequences of FASTA and FASTQ, with lines joined, of SAM, BAM, GenBank and EMBL; packets of pcap and pcapng, what comes after
    their headers; of tar and zip each member in turn; all of these also compressed (gzip, bzip2, xz,
    zstd, lz4). Any other text is one record. Memory is some MiB and the longest record, which may
    have 1 GiB.

    Args:
        path: of a file, or of several, which are read one after the other, their records numbered
            through; a file that cannot be opened raises OSError.
        data: the file's bytes, where they are at hand: nothing is opened, and `path` is their name.
            Any text that `Plan.find` takes; it must stay as it is.
        records: "auto", as the first bytes say, with a warning where one line is why a text is no
            FASTA; "lines", each line a record; "whole", each text one record; "fasta", "fastq",
            "sam" (or BAM), "genbank" (or EMBL), "pcap", whatever the first bytes look like.
        threads: of unpacking, where the format allows it; 0: one a core.
        ratio: bytes that one byte of the file may unpack to; 0: any number.
        qualities: of FASTQ, keep them too, for `Record.qualities` and `Records.qualities`.
        errors: "raise" `ReadError` where a text cannot be read; "keep" it in `Reader.errors`, and go
            on with the next.
    """
    if records not in _MODES:
        raise ValueError(f"no records {records!r}; there are " + ", ".join(_MODES))
    if errors not in ("raise", "keep"):
        raise ValueError('errors is "raise" or "keep"')
    given: Any = path
    several = not isinstance(path, (str, bytes, os.PathLike)) and hasattr(path, "__iter__")
    names = [os.fsencode(one) for one in (given if several else [given])]  # paths, no descriptors' numbers
    if not names or (data is not None and len(names) > 1):
        raise ValueError("data is of one file" if names else "there is no file to open: the list is empty")
    for name in names:
        if data is None and not _is_read_once(name):
            builtins.open(name, "rb").close()  # whose exceptions are Python's own
    return Reader(names, _MODES[records],
                  _integer(threads, "threads", 2**32 - 1) or os.cpu_count() or 1,
                  ratio, errors == "keep", data, bool(qualities))
