"""Texts that are circles, as plasmids are: matches may cross their end.

A match that begins so far before the end that it cannot reach it is one of the text itself. Any
other lies in a seam: the last bytes and the first ones, as many as the longest match has, less one.
In a text that is no longer than that a match may be longer than the circle. Under "longest", which
would show nothing else, each start is a text of its own; else the text is searched twice over.
"""
from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from ._errors import UnsupportedError
from ._texts import _host_bytes

REPORTS = ("longest", "shortest", "pairs")


def _reach(plan: Any, report: str) -> int:
    info = plan.info
    if report not in REPORTS:
        raise ValueError("a circle has no begin, so circular=True takes report " + ", ".join(REPORTS))
    if info.conditions:
        raise UnsupportedError("a circle has no begin and no end, and some pattern asks for what stands "
                               "beside its matches: leave ^ $ < > \\b and their kin out", -4)
    if info.max_length is None:
        raise UnsupportedError("on a circle a match has at most its length: give each repeat a bound, as "
                               "in {0,500}", -4)
    return info.max_length - 1


def _pieces(texts: List[Any], reach: int, report: str
            ) -> Tuple[List[np.ndarray], List[Tuple[int, int, int, int]]]:
    """What is searched, and of each piece: the text, where it begins there, how many of its starts
    count, and the text's length."""
    pieces: List[np.ndarray] = []
    facts = []
    for number, given in enumerate(texts):
        text = _host_bytes(given)
        n = len(text)
        if n > reach:
            pieces += [text, np.concatenate([text[n - reach:], text[:reach]])]
            facts += [(number, 0, n - reach, n), (number, n - reach, reach, n)]
        elif report != "longest":
            pieces.append(np.concatenate([text, text]))
            facts.append((number, 0, n, n))
        else:
            pieces += [np.concatenate([text[start:], text[:start]]) for start in range(n)]
            facts += [(number, start, 1, n) for start in range(n)]
    return pieces, facts


def find(plan: Any, texts: List[Any], report: str, search: Any) -> np.ndarray:
    """The matches in circles; an ``end`` above a text's length is after its end, at ``end`` less that."""
    pieces, facts = _pieces(texts, _reach(plan, report), report)
    found = search(pieces)
    number, base, starts, length = np.array(facts or [(0, 0, 0, 0)], np.int64).T[:, found["record"]]
    kept = (found["start"] < starts) & (found["end"] - found["start"] <= length)
    found["start"] += base
    found["end"] += base
    found["record"] = number
    found = found[kept]
    return found[np.lexsort((found["pattern"], found["start"], found["end"], found["record"]))]
