"""Exceptions of Trawl. The extension makes them from what the library says."""
from __future__ import annotations

import re
from typing import Any, Optional, Sequence


class Error(Exception):
    """What the library refused or could not do; the message says why and how to mend it.

    Attributes:
        code: a status of ``trawl.h``, below 0.
        pattern: index of the pattern that it is about, or None.
        offset: the byte in that pattern's text where it is wrong, or None.
    """

    def __init__(self, message: str, code: int = 0, pattern: Optional[int] = None,
                 offset: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code
        self.pattern = pattern
        self.offset = offset

    def __reduce__(self) -> Any:
        return type(self), (str(self),), self.__dict__


class ArgumentError(Error, ValueError):
    """An argument is wrong: the message names it."""


class PatternError(Error, ValueError):
    """A pattern is malformed: the message says which, ``pattern`` and ``offset`` where."""


class UnsupportedError(Error):
    """The engine, the backend or the report cannot do this."""


class PlanError(Error, ValueError):
    """Saved bytes, of a plan or of a stream, are damaged or of another version."""


class LimitError(Error):
    """Larger than Trawl can address, or than ``max_memory``."""


class DeviceError(Error):
    """A device failed: the message names the call and its code."""


class ExpiredError(Error):
    """``max_steps`` or ``max_seconds`` was used up.

    Attributes:
        matches: what was found until then, right, in order and complete up to its last match; None
            of calls that count, and of ``Plan.iter``, which has handed it out.
    """

    matches: Any = None


class ReadError(Error, OSError):
    """A file, or a member of an archive, cannot be read.

    Attributes:
        text: its name; a member's stands after the archive's: ``a.tar:b.fasta``.
    """

    text = ""


MAX_SHOWN = 56  # characters of a pattern in a message

_OF_STATUS = {-1: ArgumentError, -3: PatternError, -4: UnsupportedError, -5: PlanError,
              -6: LimitError, -7: DeviceError}


#: What messages of the library call by C's names.
_OF_C = {"trawl_compile_grid": "trawl.grid", "trawl_plan_load": "trawl.load", "trawl_plan_save": "Plan.save",
         "trawl_scan_grid": "GridPlan.find", "trawl_scan": "Plan.find", "trawl_range_cut": "Plan.range_cut",
         "trawl_plan_get_range_needs": "Plan.range_needs", "trawl_seam_follow": "Plan.follow",
         "trawl_scan_range": "Plan.find_range", "TRAWL_REPORT_ENDS": 'report="ends"'}


def _as_python_says(message: str) -> str:
    """With the arguments of this package in place of the fields and functions of trawl.h; what a
    caller gave stands in quotes, and stays as it is."""
    def ours(found: "re.Match[str]") -> str:
        return _OF_C.get(found[0], found[0]) if found["name"] else found["quoted"] or ""

    return re.sub(r"(?P<quoted>(?<!\w)'[^']*'(?!\w))|\btrawl_\w+_options\.|(?P<name>\b(?:trawl|TRAWL)_\w+)",
                  ours, message)


def name_it(error: Error, what: str, names: Any, texts: Sequence[bytes] = ()) -> Error:
    """Put in front of the message which pattern, or needle, it is about."""
    if error.pattern is None:
        return error
    shown = [what, str(error.pattern)]
    for known, most in ((names, None), (texts, MAX_SHOWN)):
        if known and known[error.pattern]:
            text = known[error.pattern].decode("utf-8", "backslashreplace")
            shown.append("'" + (text[:most] + "..." if most and len(text) > most else text) + "'")
    error.args = (" ".join(shown) + f": {error}",)
    return error


def make(status: int, pattern: Optional[int], offset: Optional[int], message: str) -> Exception:
    """The exception of a status below 0. Called by the extension."""
    if status == -2:
        return MemoryError(message)
    return _OF_STATUS.get(status, Error)(_as_python_says(message), status, pattern, offset)


def expired(matches: Any) -> ExpiredError:
    """Called by the extension."""
    error = ExpiredError("max_steps or max_seconds was used up: more may follow")
    error.matches = matches
    return error
