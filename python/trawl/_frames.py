"""Matches as tables, where pyarrow or pandas is there; neither is needed for anything else."""
from __future__ import annotations

import re
from typing import Any, Dict, List, Optional

import numpy as np

from ._readers import Reader, Record

_NO_CHARACTER = re.compile("[\ud800-\udfff]")


def _word(name: Any, what: str, number: int) -> str:
    """A name that Unicode can write: a byte that is not UTF-8 is its character for such ones."""
    if isinstance(name, Record):
        name = name.name
    if isinstance(name, (bytes, bytearray)):
        return name.decode("utf-8", "replace")
    if not isinstance(name, str):
        raise TypeError(f"name {number} of {what}s is str or bytes, not {type(name).__name__}")
    return _NO_CHARACTER.sub("\ufffd", name)


def _words(names: Any, codes: np.ndarray, what: str) -> List[str]:
    if isinstance(names, (Reader, str, bytes)):
        raise TypeError("records are Records or a list of their names" + (
            ": a reader is read once, so keep records = reader.read(), search these, and give them here"
            if isinstance(names, Reader) else f", not {type(names).__name__}"))
    words = [_word(name, what, i) for i, name in enumerate(names)]
    if len(codes) and not 0 <= codes.min() <= codes.max() < len(words):
        raise ValueError(f"there are {len(words)} names of {what}s, and matches of {what} "
                         f"{codes.min()} to {what} {codes.max()}")
    return words


def _columns(matches: np.ndarray, plan: Any, records: Any) -> Dict[str, Any]:
    """The fields, then what is known of each: ``name`` and ``record_name`` as (codes, words)."""
    fields = matches.dtype.names or ()
    columns: Dict[str, Any] = {name: matches[name] for name in fields}
    if plan is not None and any(plan.names):
        codes = matches[fields[0]]
        columns["name"] = codes, _words(plan.names, codes, fields[0])
    strands = getattr(plan, "strands", ())
    if "-" in strands:
        columns["strand"] = matches["pattern"], _words(strands, matches["pattern"], "pattern")
    if records is not None and "record" in columns:
        codes = matches["record"] - getattr(records, "first", 0)
        columns["record_name"] = codes, _words(getattr(records, "names", records), codes, "record")
    return columns


def to_arrow(matches: np.ndarray, plan: Any = None, records: Any = None) -> Any:
    """Matches as a ``pyarrow.Table``.

    Args:
        matches: of any search.
        plan: for a column ``name`` of the patterns' (needles') names, where they have some; and
            ``strand``, "+" or "-", where some are of the other one.
        records: `Records`, or a list of names, str or bytes, or of each `Record`, for a column
            ``record_name``.

    Returns:
        A table of the fields as int64, a ``start`` that is not known null; names as dictionaries.
    """
    import pyarrow as pa

    def column(name: str, value: Any) -> Any:
        if isinstance(value, tuple):
            codes, words = value
            return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int64()),
                                                  pa.array(words, pa.string()))
        unknown: Optional[np.ndarray] = value < 0 if name == "start" else None
        return pa.array(np.ascontiguousarray(value), pa.int64(), mask=unknown)

    columns = _columns(matches, plan, records)
    return pa.table({name: column(name, value) for name, value in columns.items()})


def to_pandas(matches: np.ndarray, plan: Any = None, records: Any = None) -> Any:
    """Matches as a ``pandas.DataFrame``. Arguments as of `to_arrow`; names are categories, and a
    ``start`` that is not known is NA, in a column of type Int64 then."""
    import pandas as pd

    def column(name: str, value: Any) -> Any:
        if isinstance(value, tuple):
            words, codes = np.unique(np.asarray(value[1], dtype=object), return_inverse=True)
            return pd.Categorical.from_codes(codes[value[0]], words)
        if name == "start" and len(value) and value.min() < 0:
            return pd.arrays.IntegerArray(value.copy(), value < 0)
        return value.copy()

    columns = _columns(matches, plan, records)
    return pd.DataFrame({name: column(name, value) for name, value in columns.items()})
