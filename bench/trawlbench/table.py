"""table.py: tables as CSV files, and figures taken from them.

Every table has its own keys and then the same columns. Plots, page and summaries are made from
what the CSV files say.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Sequence, Tuple

import pandas as pd

COLUMNS = ("engine", "backend", "device", "tuning", "bytes", "matches", "agrees", "repeats",
           "kernel_s", "transfer_s", "end_to_end_s", "spread", "kernel_GBps", "end_to_end_GBps",
           "speedup", "kernel_speedup", "joules_per_byte", "note")
ON_CPU = "no figures of kernels: the device had no memory"  # so opens the note of such a row


@dataclass
class Table:
    name: str  # the CSV file is NAME.csv
    title: str
    about: str
    keys: Sequence[str]
    rows: List[Dict] = field(default_factory=list)

    def frame(self, **where) -> pd.DataFrame:
        rows = [{column: str(value) for column, value in row.items()} for row in self.rows]
        frame = pd.DataFrame(rows, columns=[*self.keys, *COLUMNS], dtype=str).fillna("")
        return select(frame, **where) if where else frame

    def figures(self, column: str, **where) -> pd.Series:
        """The numbers of a column in the rows with these values."""
        return numbers(self.frame(**where), column)


class Plot(NamedTuple):
    """y over x, a line for each combination of values of the series' columns."""
    name: str
    title: str
    table: str
    where: Dict
    x: str
    y: str
    x_label: str
    y_label: str
    series: Sequence[str]
    log: str = ""  # "x", "y" or "xy"


Finding = Tuple[str, str, str]  # what, the paper's figure, ours


class Paper(NamedTuple):
    name: str
    title: str
    about: str
    tables: Sequence[Table]
    plots: Sequence[Plot]
    run: Callable  # measures, fills the tables and returns the findings


def read(folder: Path, name: str) -> pd.DataFrame:
    """A CSV file of the folder, all values as they stand there; empty when there is none."""
    path = folder / f"{name}.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False) if path.exists() else pd.DataFrame()


def select(frame: pd.DataFrame, **where) -> pd.DataFrame:
    """The rows with these values, without those whose work the CPU did for a device."""
    frame = frame[~frame["note"].str.startswith(ON_CPU)]
    for column, value in where.items():
        frame = frame[frame[column] == str(value)]
    return frame


def numbers(frame: pd.DataFrame, column: str) -> pd.Series:
    return pd.to_numeric(frame[column], errors="coerce").dropna()


class Stats:
    """Figures of a column, as text takes them: {kernel_GBps.most:.0f}."""

    def __init__(self, values: pd.Series) -> None:
        self.least, self.most, self.mean = ((values.min(), values.max(), values.mean())
                                            if len(values) else (0, 0, 0))


def finding(table: Table, what: str, theirs: str, ours: str, need: str = "end_to_end_s",
            **where) -> List[Finding]:
    """A line of the summary, from the rows with these values; none without numbers in `need`."""
    frame = table.frame(**where)
    if not len(numbers(frame, need)):
        return []
    stats = {column: Stats(numbers(frame, column)) for column in frame.columns}
    return [(what, theirs, ours.format(**stats))]
