"""plots.py: plots of the CSV files in a folder, as SVG and PNG."""
from __future__ import annotations

from pathlib import Path

import matplotlib
import pandas as pd

from .table import Plot, read, select

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (after the choice of what draws)

plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "trawl", "axes.grid": True,
                     "grid.alpha": 0.4, "axes.prop_cycle": plt.cycler(
                         linestyle=("-", "--", ":")) * plt.cycler(color=plt.cm.tab10.colors)})


def draw(folder: Path, plot: Plot) -> None:
    """NAME.svg and NAME.png; none when there are no two different x to draw between. A plot of an
    earlier run would stand beside the tables of this one."""
    for ending in ("svg", "png"):
        (folder / f"{plot.name}.{ending}").unlink(missing_ok=True)
    frame = read(folder, plot.table)
    if frame.empty:
        return
    frame = select(frame, **plot.where)
    points = pd.DataFrame({
        "x": pd.to_numeric(frame[plot.x], errors="coerce"),
        "y": pd.to_numeric(frame[plot.y], errors="coerce"),
        "line": [" ".join(filter(None, of)) for of in frame[list(plot.series)].values]
    }).dropna()
    if points["x"].nunique() < 2:
        return
    figure, axes = plt.subplots(figsize=(8.6, 4.8))
    for label, line in points.groupby("line", sort=False):
        line.groupby("x")["y"].mean().plot(ax=axes, marker="o", markersize=4, label=label)
    axes.set(title=plot.title, xlabel=plot.x_label, ylabel=plot.y_label)
    if "x" in plot.log:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
    axes.set_yscale("log") if "y" in plot.log else axes.set_ylim(bottom=0)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
    for ending, metadata in (("svg", {"Date": None}), ("png", None)):
        figure.savefig(folder / f"{plot.name}.{ending}", bbox_inches="tight", metadata=metadata)
    plt.close(figure)
