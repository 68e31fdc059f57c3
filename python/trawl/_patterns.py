"""Arguments of compile and grid as the extension wants them."""
from __future__ import annotations

import operator
from typing import Any, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._texts import _is_file, _says_its_bytes

_OTHER_STRAND = 128
SYNTAXES = {"literal": 0, "escaped": 1, "extended": 2, "prosite": 3, "iupac": 4, "hex": 5}


WORDS = {None: 0, "full": 1, "wide": 2}


class Conditions(NamedTuple):
    """What a pattern asks of its matches beside its text: what does not meet it is no match, whatever
    the report."""

    from_begin: Optional[int] = None  #: bytes between the text's begin and its own
    from_end: Optional[int] = None  #: bytes between its begin and the text's end; a match elsewhere is none
    within: int = 0  #: bytes by which either may be more
    word: Optional[str] = None  #: "full": no ASCII letter or digit stands on either side of it;
    #: "wide": none of two bytes, the second one 0


def _row(given: Any, number: int) -> Tuple[int, int, int, int]:
    """Place, word, offset and within, as the library numbers them."""
    if given is None:
        return 0, 0, 0, 0
    if not isinstance(given, Conditions):
        raise TypeError(f"conditions {number} are a trawl.Conditions or None, not {type(given).__name__}")
    if given.from_begin is not None and given.from_end is not None:
        raise ValueError(f"conditions {number}: from_begin and from_end: a match has one place: leave one out")
    if given.word not in WORDS:
        raise ValueError(f"conditions {number}: no word {given.word!r}; there are full, wide")
    place = 1 if given.from_begin is not None else 2 if given.from_end is not None else 0
    within = _integer(given.within, "within", 2**64 - 1)
    if within and not place:
        raise ValueError(f"conditions {number}: within is of a place: add from_begin or from_end")
    offset = (0, given.from_begin, given.from_end)[place]
    return place, WORDS[given.word], _integer(offset, "from_end" if place == 2 else "from_begin", 2**64 - 1), within


def _conditions(given: Any, count: int) -> Optional[np.ndarray]:
    """A row for each pattern, of conditions of all or of each."""
    if given is None:
        return None
    if not hasattr(given, "__iter__"):
        raise TypeError("conditions are a trawl.Conditions for all patterns, or one, or None, for each, not "
                        f"{type(given).__name__}")
    listed = [given] * count if isinstance(given, Conditions) else list(given)
    if len(listed) != count:
        raise ValueError(f"there are {len(listed)} conditions for {count} patterns")
    return np.array([_row(one, i) for i, one in enumerate(listed)], np.uint64).reshape(count, 4)


def _conditions_of(row: Tuple[int, int, int, int]) -> Optional[Conditions]:
    place, word, offset, within = row
    return Conditions(offset if place == 1 else None, offset if place == 2 else None, within,
                      list(WORDS)[word]) if place or word else None


def _integer(value: Any, name: str, most: int = 2**63 - 1, least: int = 0) -> int:
    """A whole number for what the extension does not check itself (number_get)."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is a whole number from {least} to {most}, not {number}")
    return number


def _numbers(given: Any, count: int, name: str) -> np.ndarray:
    """Whole numbers of 32 bits, one for all patterns or one for each."""
    if np.ndim(given) == 0:
        return np.array([_integer(given, name, 2**32 - 1)], np.uint32)
    numbers = [_integer(number, name, 2**32 - 1) for number in given]
    if len(numbers) != count:
        raise ValueError(f"there are {len(numbers)} {name} for {count} patterns")
    return np.array(numbers, np.uint32)


def _bytes_of(text: Any, what: str, number: Any) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8", "surrogateescape")
    if _says_its_bytes(text):
        return bytes(text)
    try:
        # A number, and letters of more than a byte each, would show the bytes that they are stored in.
        if isinstance(text, np.number) or memoryview(text).format in ("u", "w"):
            raise TypeError
        return bytes(memoryview(text))  # bytes(7) would be seven of them
    except TypeError:
        raise TypeError(f"{what} {number!r} is str or bytes, not {type(text).__name__}") from None


def _is_one(text: Any) -> bool:
    """Whether it is one pattern and no list of them."""
    return isinstance(text, (str, bytes, bytearray, memoryview)) or _says_its_bytes(text)


def _listed(given: Any, names: Any, of: str) -> Tuple[List[Any], Iterable[Any], Any]:
    """The items, what messages call each, and their names, which are the keys of a dictionary."""
    if not isinstance(given, Mapping):
        items = list(given)
        return items, range(len(items)), (names,) if isinstance(names, (str, bytes)) else names
    if names is not None:
        raise TypeError(f"the keys of a dictionary are the names of its {of}: leave names= out, or give "
                        "list(dictionary.values())")
    return list(given.values()), list(given), list(given)


def _patterns(patterns: Any, names: Any) -> Tuple[Tuple[bytes, ...], Any]:
    """The bytes of each pattern, and their names."""
    if _is_one(patterns):
        patterns = (patterns,)
    if _is_file(patterns):
        raise TypeError("patterns are str or bytes, one or many, and a file's lines would be looked for with "
                        "their newlines: give file.read().splitlines()")
    if not hasattr(patterns, "__iter__"):
        raise TypeError(f"patterns are str or bytes, one or many, not {type(patterns).__name__}")
    given, called, names = _listed(patterns, names, "patterns")
    return tuple(_bytes_of(text, "pattern", call) for call, text in zip(called, given)), names


STRANDS = ("plus", "minus", "both")


def _stranded(strand: str, columns: Sequence[Any], flags: np.ndarray, syntaxes: np.ndarray) -> List[Any]:
    """Columns and flags, an item a pattern, for a strand, or for both: then each twice, plus first."""
    if strand not in STRANDS:
        raise ValueError(f"no strand {strand!r}; there are " + ", ".join(STRANDS))
    if (syntaxes != SYNTAXES["iupac"]).any():
        raise ValueError('a strand is of patterns of syntax="iupac"')
    times = 2 if strand == "both" else 1
    flags = np.repeat(np.broadcast_to(flags, len(columns[0])), times)
    flags[0 if strand == "minus" else 1::times] |= 0 if strand == "plus" else _OTHER_STRAND
    return [column and tuple(item for item in column for _ in range(times)) for column in columns] + [flags]


def _labels(names: Optional[Sequence[Optional[Union[str, bytes]]]], count: int, of: str) -> Any:
    """Names as the library wants them: bytes that end with NUL."""
    if names is None:
        return None
    labels = tuple(None if name is None else _bytes_of(name, "name", i)
                   for i, name in enumerate(names))
    if len(labels) != count:
        raise ValueError(f"there are {len(labels)} names for {count} {of}")
    if any(b"\0" in label for label in labels if label):
        raise ValueError("a name has no NUL")
    return labels


def _syntax_number(name: str) -> int:
    if name not in SYNTAXES:
        raise ValueError(f"no syntax {name!r}; there are " + ", ".join(SYNTAXES))
    return SYNTAXES[name]
