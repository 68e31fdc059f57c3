"""Patterns, compiled, and the searches of texts with them."""
from __future__ import annotations

import contextlib
import enum
import math
import mmap
import os
from typing import (TYPE_CHECKING, Any, Iterable, List, Mapping, NamedTuple, Optional, Protocol,
                    Sequence, Tuple, TypeVar, Union, overload)

import numpy as np

from . import _circles, _core, _device
from ._errors import Error, name_it
from ._patterns import (SYNTAXES, Conditions, _conditions, _conditions_of, _integer, _labels, _numbers,
                        _patterns, _stranded, _syntax_number)
from ._texts import Letters, Text, Texts, _are_offsets, _as_list, _column, _cuts, _refuse_no_list

if TYPE_CHECKING:
    from ._grid import GridPlan

#: What a match is: ``pattern``, its index in the order given to compile; ``start`` and ``end``,
#: bytes, half open, ``start`` -1 where it is not known; ``record``, which of many texts.
MATCH = np.dtype([("pattern", "<i8"), ("start", "<i8"), ("end", "<i8"), ("record", "<i8")])

REPORTS = {"ends": 0, "pairs": 1, "longest": 2, "shortest": 3, "leftmost-longest": 4,
           "leftmost-first": 5, "each": 6}

_Settings = Tuple[Optional[str], int, Optional[str], Optional[str]]
_Self = TypeVar("_Self", bound="_Compiled")


class Flag(enum.IntFlag):
    """How a pattern is meant; ``trawl.NOCASE | trawl.WORDS``."""

    NOCASE = 1  #: ASCII letters match both cases
    LINES = 2  #: no element matches a newline
    ONCE = 4  #: of each text only the first match
    WORDS = 8  #: no letter, digit or _ beside a match
    WHOLE_LINES = 16  #: a match begins where a line does and ends where one does
    NULS = 32  #: with LINES: a NUL byte ends a line
    AMBIGUOUS = 64  #: iupac: a letter of the text matches if one of its bases may stand there
    OTHER_STRAND = 128  #: iupac: the reverse complement of the pattern


class Stage(NamedTuple):
    """One step of how a plan is searched."""

    engine: str
    role: str  #: "search" or "fallback", which takes over where that is slow
    bytes: int  #: of its tables
    part: int  #: of the set
    patterns: int  #: of that part


class PlanInfo(NamedTuple):
    """Facts about a plan."""

    engine: str  #: the engines, as ``trawl find --explain`` writes them
    why: str  #: one line: why these
    patterns: int  #: number of patterns or needles
    bytes: int  #: size of the saved plan
    min_length: int  #: shortest possible match, bytes (rows for grids)
    max_length: Optional[int]  #: longest possible match; None: unbounded
    cell_size: int  #: 0 for text, else 1 to 4 bytes
    conditions: bool  #: some pattern asks for what stands beside its matches
    tag: int
    keeps_texts: bool  #: ``Plan.patterns`` has the patterns' texts
    cost: float  #: nanoseconds expected for a byte (grids: a cell); 0: not known
    stages: List[Stage]


class RangeNeeds(NamedTuple):
    """What ranges of a text need: `Plan.range_needs`."""

    before: int  #: bytes before a range that its search reads, as far as there are any
    after: int  #: bytes after it that its search reads, as far as there are any
    follows: bool  #: a range depends on those before it: its search leaves a seam
    cuts: bool  #: ranges meet only where `Plan.range_cut` says


class Pattern(NamedTuple):
    """A pattern as it was given to compile."""

    text: Optional[bytes]  #: None: the plan holds no texts
    syntax: str
    flags: Flag
    id: int
    name: str


def _settings(backend: Optional[str], threads: int, device: Optional[Union[str, int]],
              tuning: Optional[str]) -> _Settings:
    return (backend, _integer(threads, "threads", 2**32 - 1),
            None if device is None else str(device), tuning)


def _seconds(value: Any) -> float:
    try:
        seconds = math.ldexp(value, 0)  # float, but of no str
    except TypeError:
        raise TypeError(f"max_seconds is a number, not {type(value).__name__}") from None
    except OverflowError:
        return float("inf")
    if not seconds >= 0:  # nor not a number
        raise ValueError(f"max_seconds is 0 or more, not {seconds}")
    return seconds


def _options(report: str, base: int, max_matches: int, max_steps: int,
             max_seconds: float) -> Tuple[int, int, int, int, float]:
    if report not in REPORTS:
        raise ValueError(f"no report {report!r}; there are " + ", ".join(REPORTS))
    return (REPORTS[report], base, max_matches, max_steps,
            max_seconds if max_seconds == 0 else _seconds(max_seconds))


def _replace(path: str, block: bytes) -> None:
    """Write a file beside it under a name that no other writer has, and put it in its place."""
    new = os.path.join(os.path.dirname(path), f".{os.urandom(8).hex()}.new")
    try:
        with open(new, "xb") as file:
            file.write(block)
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise


class _Compiled(_core.Plan):
    """What plans of text and of pictures have in common."""

    __slots__ = ("_settings", "_names", "__weakref__")
    _settings: _Settings
    _names: Any  #: set by the first use of `names`

    def __reduce__(self) -> Any:
        return _restore, (self._save(), self._settings)

    def __repr__(self) -> str:
        info = self.info
        return f"<trawl.{type(self).__name__} of {info.patterns} by {info.engine}>"

    @property
    def info(self) -> PlanInfo:
        """Facts: engines, sizes, the lengths that matches may have."""
        facts = list(self._info())
        facts[5] = None if facts[5] == 2**64 - 1 else facts[5]
        facts[7], facts[9] = bool(facts[7]), bool(facts[9])
        facts[11] = [Stage(*stage) for stage in facts[11]]
        return PlanInfo(*facts)

    @property
    def isa(self) -> str:
        """The instruction set of what its searches do on the CPU: the last of `isas`, or the one that
        the environment's ``TRAWL_ISA`` names."""
        return self._isa()

    @property
    def names(self) -> Tuple[str, ...]:
        """The names given to compile, in order; "" where there was none."""
        try:
            return self._names
        except AttributeError:
            self._names = tuple(super()._names())
            return self._names

    def on(self: _Self, backend: Optional[str] = None, *, threads: int = 0,
           device: Optional[Union[str, int]] = None, tuning: Optional[str] = None) -> _Self:
        """The same plan, searched elsewhere. It shares the tables. Arguments as of `compile`."""
        settings = _settings(backend, threads, device, tuning)
        plan: _Self = self._on(settings)
        plan._settings = settings
        return plan

    @overload
    def save(self, path: None = None) -> bytes: ...

    @overload
    def save(self, path: Union[str, bytes, "os.PathLike[Any]"]) -> None: ...

    def save(self, path: Union[None, str, bytes, "os.PathLike[Any]"] = None) -> Optional[bytes]:
        """The plan as bytes, or written to a file, which is replaced whole: who loads it meanwhile,
        in any thread or process, has the old one or the new one.

        Any machine of the same byte order and the same version of saved plans reads it: `load`, or
        ``trawl find --plan``.
        """
        block = self._save()
        if path is None:
            return block
        _replace(os.fsdecode(path), block)
        return None


class Batches(Protocol):
    """What `Plan.iter` gives: an iterator that can be closed, which ends its search."""

    def __iter__(self) -> "Batches": ...

    def __next__(self) -> np.ndarray: ...

    def close(self) -> None:
        """End the search; there are no more batches."""


class Plan(_Compiled):
    """Compiled patterns. Immutable: any number of threads may search with one at once.

    Made by `compile` and `load`. It pickles as its saved bytes. Each search of 2 KiB and more
    releases the GIL, and one of more than 4 MiB (by many patterns 256 KiB) is ended by Ctrl-C.

    Searches take these options:

    - ``report``: which occurrences: "each" (every match of patterns of fixed length; of the others
      the leftmost and longest that do not overlap), "ends", "pairs", "longest", "shortest",
      "leftmost-longest" or "leftmost-first".
    - ``base``: the offset of the text's first byte, added to what is reported.
    - ``max_matches``: the number of matches after which to end; 0: no limit.
    - ``max_steps``, ``max_seconds``: a byte searched and a match found are a step each; beyond a
      limit the search raises `ExpiredError`. 0: no limit.
    - ``circular``, of `find` and `find_many`: a text is a circle, as a plasmid: matches that cross its
      end are found, and ``end`` is above its length then. With ``report`` "longest" (which "each" is
      here), "shortest" or "pairs", and no other option; for patterns of bounded length.

    A text is anything that shows a contiguous buffer: bytes, bytearray, memoryview, mmap, a NumPy
    array, an array of the host that knows DLPack. Nothing is copied; a mask of numpy.ma is not
    looked at. On a plan for "cuda" it may also be an array in a GPU's memory (CuPy, PyTorch, ...),
    which stays where it is.
    """

    __slots__ = ()

    @property
    def patterns(self) -> List[Pattern]:
        """The patterns as they were given, with their names."""
        syntaxes = list(SYNTAXES)
        given = (self._pattern(i) for i in range(self._info()[2]))
        return [Pattern(text, syntaxes[syntax], Flag(flags), id, name)
                for text, syntax, flags, id, name in given]

    @property
    def conditions(self) -> Tuple[Optional[Conditions], ...]:
        """What each pattern asks of its matches beside its text; None: nothing."""
        return tuple(_conditions_of(row) for row in self._conditions())

    @property
    def strands(self) -> Tuple[str, ...]:
        """For each pattern "+", or "-" for one that is looked for as its reverse complement
        (`Flag.OTHER_STRAND`); "." where its syntax knows none."""
        return tuple("-" if pattern.flags & Flag.OTHER_STRAND else
                     "+" if pattern.syntax == "iupac" else "." for pattern in self.patterns)

    def find(self, text: Text, *, report: str = "each", base: int = 0, max_matches: int = 0,
             max_steps: int = 0, max_seconds: float = 0, circular: bool = False) -> np.ndarray:
        """All matches in a text.

        Returns:
            A structured array of dtype `MATCH`, one item a match, in order of end, then start, then
            pattern. ``record`` is 0.

        Raises:
            ExpiredError: a limit of time or steps was reached.
            UnsupportedError: the backend cannot do this report.
            TypeError, ValueError: no text, or one that is not contiguous.
        """
        if circular:
            return self.find_many([text], report=report, base=base, max_matches=max_matches,
                                  max_steps=max_steps, max_seconds=max_seconds, circular=True)
        if report == "each" and 0 == base == max_matches == max_steps == max_seconds:
            return self._find(text, None)
        return self._find(text, _options(report, base, max_matches, max_steps, max_seconds))

    def count(self, text: Text, *, report: str = "each", max_matches: int = 0, max_steps: int = 0,
              max_seconds: float = 0) -> int:
        """How many matches `find` would return; cheaper."""
        if report == "each" and 0 == max_matches == max_steps == max_seconds:
            return self._count(text, None)
        return self._count(text, _options(report, 0, max_matches, max_steps, max_seconds))

    def count_each(self, text: Text, *, report: str = "each", max_steps: int = 0,
                   max_seconds: float = 0) -> np.ndarray:
        """How many matches each pattern has: an array of int64, one item a pattern."""
        return self._count_each(text, _options(report, 0, 0, max_steps, max_seconds))

    def iter(self, text: Text, *, batch: int = 65536, report: str = "each", base: int = 0,
             max_matches: int = 0, max_steps: int = 0, max_seconds: float = 0
             ) -> Batches:
        """The matches of `find`, lazily: arrays of about ``batch`` matches, while a thread searches
        on. It waits when two batches are ready, and ends when the iterator is closed or dropped."""
        return self._batches(text, _options(report, base, max_matches, max_steps, max_seconds),
                             _integer(batch, "batch", least=1))

    def find_many(self, texts: Texts, *, report: str = "each", base: int = 0, max_matches: int = 0,
                  max_steps: int = 0, max_seconds: float = 0, circular: bool = False) -> np.ndarray:
        """All matches in many texts, each by itself: no match crosses from one to the next.

        Args:
            texts: a sequence of texts, which may be str here, searched as its bytes in UTF-8; or a
                pair (buffer, offsets), of which text i is ``buffer[offsets[i]:offsets[i + 1]]``,
                with offsets an array of integers of 32 or 64 bits; or one column of strings or
                binaries of Arrow, polars or pandas, chunked or not, also views, dictionaries and a
                reader of record batches (what has ``__arrow_c_array__`` or ``__arrow_c_stream__``),
                of which null is an empty text; or `Records`, or a `Reader`, which is read batch by
                batch. The last ones make no Python object a text. With a limit, chunks of a reader
                are all held.

        Returns:
            As `find`, and so ``start`` and ``end`` are bytes, also of str and of columns of
            strings; ``record`` is the text's index. Order is by record first.
        """
        given: Any = texts
        if circular:
            if base or max_matches or max_steps or max_seconds:
                raise ValueError("circular=True takes no option but report: search without it, or cut "
                                 "the result")
            report = "longest" if report == "each" else report
            options = _options(report, 0, 0, 0, 0)
            return _circles.find(self, _as_list(given), report,
                                 lambda pieces: self._find_many(pieces, options))
        options = _options(report, base, max_matches, max_steps, max_seconds)
        if hasattr(given, "batches") and any(options[2:]):  # a limit is of all records
            given = given.read()
        if hasattr(given, "batches"):  # a Reader
            found = [self._find_cut(b.data, _cuts(b.offsets), options, b.first)
                     for b in given.batches()]
            return np.concatenate(found) if found else self.find(b"")
        if hasattr(given, "offsets") and hasattr(given, "data"):  # Records
            return self._find_cut(given.data, _cuts(given.offsets), options, given.first)
        column = _column(given)
        if column is not None:
            return self._find_arrow(column, options)
        if isinstance(given, tuple) and len(given) == 2 and _are_offsets(given[1]):
            return self._find_cut(given[0], _cuts(given[1]), options, 0)
        if isinstance(given, list):
            if len(given) == 2 and _are_offsets(given[1]):
                raise TypeError("a buffer and its offsets are a pair, find_many((buffer, offsets)); if "
                                "both are texts, give the second one's bytes, array.view(numpy.uint8)")
        elif not isinstance(given, tuple):
            _refuse_no_list(given)
        elif isinstance(given, np.ndarray) and given.dtype.kind == "S":
            given = given.tolist()
        return self._find_many(given, options)

    def stream(self, *, report: str = "each", base: int = 0, max_matches: int = 0,
               max_steps: int = 0, max_seconds: float = 0, state: Optional[bytes] = None
               ) -> "Stream":
        """A text that comes in pieces: ``with plan.stream() as s: s.feed(piece)``.

        ``report="ends"`` takes every plan. The others keep back what may still be part of a match,
        and refuse patterns that nothing ends (``a.*b``) with `UnsupportedError`. With ``state``, of
        `Stream.save` of the same plan, it goes on where that one was.
        """
        options = _options(report, base, max_matches, max_steps, max_seconds)
        return Stream(self._stream(options), state)

    def range_needs(self, *, report: str = "each") -> RangeNeeds:
        """What it takes to search a text range by range, on several machines: `find_range`.

        Raises:
            UnsupportedError: the report must see the whole text, as of ``a.*b``, which no byte ends.
        """
        before, after, follows, cuts = self._range_needs(_options(report, 0, 0, 0, 0)[0])
        return RangeNeeds(before, after, bool(follows), bool(cuts))

    def range_cut(self, text: Text, *, report: str = "each") -> Optional[int]:
        """The first offset in a piece of a text at which ranges may meet, or None. Where
        ``range_needs().cuts`` is set it is 1 at least: for the first one from offset x of the whole
        text on, give what begins at x - 1."""
        return self._range_cut(text, _options(report, 0, 0, 0, 0)[0])

    def find_range(self, text: Text, begin: int, end: int, *, offset: int = 0, last: bool = False,
                   report: str = "each", seam: Optional[bytes] = None
                   ) -> Tuple[np.ndarray, int, Optional[bytes]]:
        """The matches of a text that end in (begin, end]: those of all its ranges are `find`'s.

        Args:
            text: the bytes at hand: the range, and beside it what `range_needs` says, as far as the
                text goes.
            begin, end: the range, offsets in the whole text, as all that is reported.
            offset: of the first byte at hand.
            last: the whole text ends with these bytes.
            seam: of this range, when `follow` said that it is to be searched.

        Returns:
            The matches; an offset; and a seam, where ranges depend on those before them, else None.
            In a second search the matches are those up to that offset, and take the place of the first
            search's that end there; all others stay.
        """
        follows = bool(self._range_needs(_options(report, 0, 0, 0, 0)[0])[2])
        return self._find_range(text, _options(report, 0, 0, 0, 0), begin, end, offset, last, follows,
                                seam)

    def follow(self, seam: Optional[bytes], before: Sequence[bytes], *, report: str = "each"
               ) -> Tuple[bool, bytes]:
        """Tell a range what those before it left.

        Args:
            seam: the range's, of `find_range`; None: it was not searched yet.
            before: the seams of all before it, in order; or of the last ones, from one on that was
                told False here. If it was not searched yet the last one is enough.

        Returns:
            Whether it is to be searched (again), and its seam for that.
        """
        return self._follow(seam, list(before), _options(report, 0, 0, 0, 0)[0])

    def collect(self, text: Text, *, matches: Any = None, counts: Any = None) -> int:
        """Search a text in a GPU's memory and leave what is found there.

        Args:
            text: an array in the memory of the device that the plan is for.
            matches: an array of uint64 there, of shape (n, 2), or None. Item i is set to a match, in
                no order: its end, and ``pattern | length << 32``; of length 0 the start is not
                known.
            counts: an array of uint64 there, one item a pattern, or None. It is set to how many each
                has.

        Returns:
            The number of all matches, of which n at most are in ``matches``.
        """
        capacity = 0 if matches is None else matches.shape[0]
        return self._collect_device(
            text, _options("ends", 0, 0, 0, 0),
            0 if matches is None else _device.room(matches, 2 * capacity), capacity,
            0 if counts is None else _device.room(counts, self._info()[2]))


class Stream:
    """Pieces of a text, searched as they come. Made by `Plan.stream`.

    Left by the end of ``with``, it is closed, and ``last`` has the matches of `close`; left by an
    exception it is dropped.
    """

    #: What `close` returned when the ``with`` block ended.
    last: Optional[np.ndarray] = None

    def __init__(self, stream: Any, state: Optional[bytes]) -> None:
        self._stream = stream
        if state is not None:
            stream.restore(state)

    def feed(self, piece: Text) -> np.ndarray:
        """Search the next piece. Returns the matches that are settled now, also across pieces."""
        return self._stream.feed(piece)

    def next_record(self) -> np.ndarray:
        """The text ends, and another begins, whose offsets count from 0 and whose ``record`` is one
        more. Returns the matches that were still open."""
        return self._stream.next_record()

    def close(self) -> np.ndarray:
        """The text ends. Returns the matches that were still open."""
        return self._stream.close()

    def save(self) -> bytes:
        """What a stream of the same plan, here or elsewhere, needs to go on (``report="ends"``)."""
        return self._stream.save()

    @property
    def closed(self) -> bool:
        return self._stream.closed

    def __enter__(self) -> "Stream":
        if self.closed:
            raise ValueError("the stream is closed")
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None:
            self._stream.drop()
        elif not self.closed:
            self.last = self.close()


_Text = Union[str, bytes, bytearray, memoryview, np.ndarray, Letters]
_Name = Union[str, bytes]


def compile(patterns: Union[_Text, Iterable[_Text], Mapping[_Name, _Text]], *,
            syntax: Union[str, Sequence[str]] = "extended",
            names: Optional[Sequence[Optional[_Name]]] = None,
            flags: Union[int, Sequence[int]] = 0, engine: Optional[str] = None,
            sample: Optional[Text] = None, max_memory: int = 0, wm_block: int = 0,
            backend: Optional[str] = None, threads: int = 0,
            device: Optional[Union[str, int]] = None, tuning: Optional[str] = None,
            strand: str = "plus",
            conditions: Union[None, Conditions, Sequence[Optional[Conditions]]] = None) -> Plan:
    """Compile patterns into a `Plan`.

    Args:
        patterns: one or many; or a dictionary of them, whose keys are their names. str stands for its
            bytes in UTF-8; a sequence of letters that says its bytes, as Seq of Biopython, is one
            pattern.
        syntax: "literal" (the bytes as they are), "escaped" (with C's escapes), "extended" (regular
            expressions), "prosite", "iupac" or "hex"; one for all, or one for each pattern.
        names: of each pattern, or None; str stands for its bytes in UTF-8.
        flags: of `Flag`, for all or for each pattern.
        engine: an algorithm's name (`engines`); None lets Trawl choose.
        sample: a piece of the text to be searched, or like it; the first 64 KiB count. Speed may
            depend on it, matches never do.
        max_memory: bytes that compiling may take; 0: 1 GiB.
        wm_block: Wu-Manber's block, 2 or 3; 0: chosen.
        backend: "serial", "threads", "openmp", "opencl", "cuda"; None: the CPU's threads.
        threads: how many; 0: one a core.
        device: of the backend: 0, "0,1", "all".
        tuning: parameters of devices' algorithms, "name=value,...".
        strand: of patterns of "iupac" "plus" as they are, "minus" for their reverse complements, or
            "both": then pattern i of these is 2 * i of the plan, its reverse complement 2 * i + 1
            (`Plan.strands`). Offsets are those of the text.
        conditions: where matches must begin, and what may not stand beside them: `Conditions` for all
            patterns, or one, or None, for each. The plan keeps them (`Plan.conditions`). A place
            that counts from the text's end needs the whole text: streams and ranges refuse it.

    Raises:
        PatternError: ``pattern`` and ``offset`` say which and where.
        UnsupportedError: the engine does not take this set; the backend is not there.
        LimitError: ``max_memory`` is too small.
    """
    texts, names = _patterns(patterns, names)
    numbers = _syntax_number(syntax) if isinstance(syntax, str) else \
        [_syntax_number(name) for name in syntax]
    labels = _labels(names, len(texts), "patterns")
    settings = _settings(backend, threads, device, tuning)
    syntaxes, bits = _numbers(numbers, len(texts), "syntaxes"), _numbers(flags, len(texts), "flags")
    all_texts, all_labels, rows = texts, labels, _conditions(conditions, len(texts))
    if strand != "plus":
        all_texts, all_labels, bits = _stranded(strand, (texts, labels), bits, syntaxes)
        rows = None if rows is None else np.repeat(rows, len(all_texts) // len(texts), axis=0)
        syntaxes = syntaxes[:1]
    try:
        plan = Plan._compile(all_texts, syntaxes, bits, all_labels, rows, engine, sample,
                             max_memory, _integer(wm_block, "wm_block", 2**32 - 1), settings)
    except Error as error:
        if error.pattern is not None:
            error.pattern //= len(all_texts) // len(texts)
        raise name_it(error, "pattern", labels, texts)
    plan._settings = settings
    return plan


def _restore(block: Any, settings: _Settings, view: bool = False) -> Any:
    plan: Any = Plan._load(block, view, settings)
    if plan.info.cell_size:
        from ._grid import GridPlan
        plan = GridPlan._load(block, view, settings)
    plan._settings = settings
    return plan


def load(source: Union[bytes, bytearray, memoryview, str, "os.PathLike[str]"], *,
         backend: Optional[str] = None, threads: int = 0,
         device: Optional[Union[str, int]] = None, tuning: Optional[str] = None
         ) -> "Union[Plan, GridPlan]":
    """A plan that was saved: `Plan`, or `GridPlan` of needles.

    Args:
        source: the bytes of `Plan.save`, which are copied; or the path of a file, also of
            ``trawl compile``, which is mapped: processes that load it share its pages.
        backend, threads, device, tuning: as of `compile`.

    Raises:
        PlanError: it is damaged, forged or of another version.
        UnsupportedError: it is of lines that no match tells (``trawl compile --grep``, of an empty
            pattern).
        OSError: the file cannot be read.
    """
    settings = _settings(backend, threads, device, tuning)
    if not isinstance(source, (str, os.PathLike)):
        return _restore(source, settings)
    with open(source, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return _restore(b"", settings)  # which says what is wrong
        return _restore(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), settings, True)
