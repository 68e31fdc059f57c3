"""table.py: tables as CSV files, and figures taken from them.

Every table has its own keys and then the same columns. Plots, page and summaries are made from
what the CSV files say.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Tuple

import pandas as pd

COLUMNS = ("engine", "backend", "device", "tuning", "bytes", "matches", "agrees", "repeats",
           "kernel_s", "transfer_s", "end_to_end_s", "spread", "kernel_GBps", "end_to_end_GBps",
           "speedup", "kernel_speedup", "joules_per_byte", "note")

ON_CPU = "no figures of kernels"  # so opens the note of a row that a device had no memory for


@dataclass
class Table:
    name: str  # the CSV file is NAME.csv
    title: str
    about: str
    keys: Sequence[str]
    rows: List[Dict[str, str]] = field(default_factory=list)

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.rows, columns=[*self.keys, *COLUMNS], dtype=str).fillna("")

    def write(self, folder: Path) -> None:
        self.frame().to_csv(folder / f"{self.name}.csv", index=False)


@dataclass
class Plot:
    """y over x, a line for each combination of values of the series' columns."""
    name: str
    title: str
    table: str
    where: Dict[str, str]
    x: str
    y: str
    x_label: str
    y_label: str
    series: Sequence[str]
    log_x: bool = False
    log_y: bool = False


Finding = Tuple[str, str, str]  # what, the paper's figure, ours


@dataclass
class Paper:
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


def figures(frame: pd.DataFrame, column: str, **where) -> pd.Series:
    """The numbers of a column in the rows with these values."""
    return pd.to_numeric(select(frame, **where)[column], errors="coerce").dropna()
