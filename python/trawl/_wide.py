"""Cells of more than 4 bytes, as of 16-bit RGB, float64 or six bands: numbers stand for the needles'.

A cell is words of 8 bytes. The needles' values of each word are sorted, and so are the pairs of what
the words before have become with them; the place of a pair is the number. What is in no needle is 0,
and matches nothing. The tables are kept in the plan, as its note.
"""
from __future__ import annotations

import io
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

_MARK = b"trawl cells 1\n"
_BAND = 1 << 20  # cells of a picture that are looked up at once


def _words(cells: np.ndarray, size: int) -> np.ndarray:
    """A row of words for each cell of some rows, with zeros after them."""
    flat = np.ascontiguousarray(cells).reshape(-1).view(np.uint8).reshape(-1, size)
    words = np.zeros((len(flat), -(-size // 8) * 8), np.uint8)
    words[:, :size] = flat
    return words.view(np.uint64)


def _places(table: np.ndarray, values: np.ndarray) -> np.ndarray:
    """From 1 on; 0: it is not there."""
    if not len(table):
        return np.zeros(len(values), np.uint64)
    places = np.searchsorted(table, values)
    places[places == len(table)] = 0
    return np.where(table[places] == values, places + 1, 0).astype(np.uint64)


class Wide(NamedTuple):
    """The numbers of cells of `size` bytes."""

    size: int
    tables: List[Tuple[np.ndarray, np.ndarray]]  # of each word its values, and pairs of a code and a value

    def number(self, array: np.ndarray) -> np.ndarray:
        """A picture of numbers, an array of uint32."""
        rows, cols = array.shape[:2]
        made = np.zeros((rows, cols), np.uint32)
        height = max(1, _BAND // max(1, cols))
        for row in range(0, rows, height):
            words = _words(array[row:row + height], self.size)
            codes = np.ones(len(words), np.uint64)
            for word, (values, pairs) in zip(words.T, self.tables):
                places = _places(values, word)
                codes = _places(pairs, _paired(codes, places, values)) if len(pairs) else places
            made[row:row + height] = codes.reshape(-1, cols) if cols else 0
        return made

    def save(self) -> bytes:
        file = io.BytesIO()
        tables: Dict[str, Any] = {f"{kind}{i}": table for i, pair in enumerate(self.tables)
                                  for kind, table in zip(("values", "pairs"), pair)}
        np.savez(file, size=np.array(self.size), **tables)
        return _MARK + file.getvalue()


def _paired(codes: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Pairs of a code and a place as one number; 0: one of them is none."""
    known = (codes > 0) & (places > 0)
    return np.where(known, codes * np.uint64(len(values) + 1) + places, 0).astype(np.uint64)


def wide_of(needles: Sequence[np.ndarray], size: int) -> Wide:
    """Numbers for all cells of these."""
    words = np.concatenate([_words(needle, size) for needle in needles])
    codes, none = np.ones(len(words), np.uint64), np.zeros(0, np.uint64)
    tables: List[Tuple[np.ndarray, np.ndarray]] = []
    for word in words.T:
        values = np.unique(word)
        places = _places(values, word)
        paired = _paired(codes, places, values)
        pairs = np.unique(paired) if tables else none  # before the first word there is but one code
        codes = _places(pairs, paired) if tables else places
        tables.append((values, pairs))
    return Wide(size, tables)


def load(note: Any) -> Optional[Wide]:
    """What a plan's note holds; None: its cells have up to 4 bytes."""
    if not note.startswith(_MARK):
        return None
    with np.load(io.BytesIO(note[len(_MARK):]), allow_pickle=False) as file:
        count = len(file.files) // 2
        return Wide(int(file["size"]), [(file[f"values{i}"], file[f"pairs{i}"]) for i in range(count)])
