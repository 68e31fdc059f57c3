"""What many texts may be given as."""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np


def _is_one_text(texts: Any) -> bool:
    """Whether its items are numbers, or its bytes are shown as one text's: it is no list of texts."""
    if isinstance(texts, np.ndarray) or hasattr(texts, "__dlpack__"):
        dimensions = getattr(texts, "ndim", 1)
        kind = getattr(getattr(texts, "dtype", None), "kind", "u")
        return dimensions == 0 or (dimensions == 1 and kind not in "OSUV")
    if isinstance(texts, str):
        return True
    try:
        memoryview(texts).release()
    except TypeError:
        return False
    return True


def _are_offsets(array: Any) -> bool:
    """Smaller integers are texts."""
    return isinstance(array, np.ndarray) and array.dtype.kind in "iu" and array.itemsize >= 4


def _cuts(offsets: Any) -> np.ndarray:
    """Offsets as the extension reads them: int64, side by side, one at least."""
    given = np.asarray(offsets)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iu":
        raise ValueError("offsets are one dimension of integers, one more than there are texts")
    return np.ascontiguousarray(given, dtype=np.int64)


def _cut_of_arrow(array: Any) -> Tuple[Any, np.ndarray]:
    """Buffer and offsets of an Arrow array of strings or binaries."""
    kind = str(array.type)
    size = {"string": np.int32, "binary": np.int32, "large_string": np.int64,
            "large_binary": np.int64}.get(kind)
    if size is None:
        raise TypeError(f"an Arrow array of {kind} has no texts")
    _, offsets, data = array.buffers()
    places = np.zeros(1, np.int64)
    if offsets is not None:
        places = np.frombuffer(offsets, size)[array.offset:array.offset + len(array) + 1]
    if array.null_count and np.diff(places)[np.asarray(array.is_null())].any():
        return _cut_of_arrow(array.fill_null(""))  # bytes that are no text's
    return (b"" if data is None else data), places.astype(np.int64)
