"""Trawl finds patterns in text, sequences and pictures: all occurrences, exactly.

>>> import trawl
>>> plan = trawl.compile(["he", "she"])
>>> plan.find(b"ushers").tolist()
[(1, 1, 4, 0), (0, 2, 4, 0)]

Matches are NumPy arrays of (pattern, start, end, record): `Plan`. Pictures: `grid`. Files of
records: `open`. The guide is docs/python.md of the project.
"""
from __future__ import annotations

import atexit as _atexit
import os as _os
from typing import Dict, List

from . import _core
from ._errors import (ArgumentError, DeviceError, Error, ExpiredError, LimitError, PatternError,
                      PlanError, ReadError, UnsupportedError)
from ._frames import to_arrow, to_pandas
from ._grid import GRID_MATCH, GridPlan, grid
from ._patterns import Conditions
from ._plan import (MATCH, Batches, Flag, Pattern, Plan, PlanInfo, RangeNeeds, Stage, Stream, compile,
                    load)
from ._readers import Reader, Record, Records, open

NOCASE, LINES, ONCE, WORDS = Flag.NOCASE, Flag.LINES, Flag.ONCE, Flag.WORDS
WHOLE_LINES, NULS = Flag.WHOLE_LINES, Flag.NULS
AMBIGUOUS, OTHER_STRAND = Flag.AMBIGUOUS, Flag.OTHER_STRAND

__version__: str = _core.listing()[2]


def engines() -> Dict[str, str]:
    """The algorithms by name, and a line on each."""
    return _core.listing()[0]


def backends() -> Dict[str, str]:
    """The backends by name, and a line on each."""
    return _core.listing()[1]


def isas() -> List[str]:
    """The instruction sets that this machine runs and this build has loops for, from "portable" to
    the best. Searches take the best (`Plan.isa`), unless ``TRAWL_ISA`` names another."""
    return _core.isas()


def devices(backend: str) -> List[str]:
    """The names of a backend's devices, none where it has none here. Opens its driver, which takes
    tenths of a second."""
    if backend not in backends():
        raise ValueError(f"no backend {backend!r}; there are " + ", ".join(backends()))
    return _core.devices(backend)[0]


def release() -> None:
    """Free the contexts that wait for the next search: their threads, memory, drivers of devices.
    The next search opens new ones."""
    _core.release()


# Contexts of devices do not survive a fork.
_os.register_at_fork(after_in_child=_core.forked)
_atexit.register(_core.release)

__all__ = [
    "AMBIGUOUS", "ArgumentError", "Batches", "Conditions", "DeviceError", "Error", "ExpiredError", "Flag", "GRID_MATCH",
    "GridPlan", "LINES", "LimitError", "MATCH", "NOCASE", "NULS", "ONCE", "OTHER_STRAND",
    "Pattern", "PatternError", "Plan", "PlanError", "PlanInfo", "RangeNeeds", "ReadError", "Reader",
    "Record",
    "Records", "Stage", "Stream", "UnsupportedError", "WHOLE_LINES", "WORDS", "backends",
    "compile", "devices", "engines", "grid", "isas", "load", "open", "release", "to_arrow", "to_pandas",
]
