"""rivals.py: the table of bench/peers as CSV, plot and page."""
from __future__ import annotations

import time
from pathlib import Path

import jinja2
import pandas as pd

from .measure import Bench
from .page import DATE, machine_facts
from .plots import plt


def draw(folder: Path, table: pd.DataFrame) -> None:
    """Ratios over 1 are where Trawl is faster."""
    known = table[table["ratio"] > 0].iloc[::-1]
    if known.empty:
        return
    figure, axes = plt.subplots(figsize=(8.6, 1 + 0.24 * len(known)))
    colours = ["#2a7" if ratio >= 1 else "#b33" for ratio in known["ratio"]]
    axes.barh(range(len(known)), known["ratio"], color=colours)
    axes.set_yticks(range(len(known)), [f"{of.work} / {of.peer}" for of in known.itertuples()],
                    fontsize="x-small")
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=1)
    axes.set(title="Trawl over its peers, one core", xlabel="times as fast")
    figure.savefig(folder / "peers.svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def write(folder: Path, table: pd.DataFrame, bench: Bench) -> None:
    table.to_csv(folder / "peers.csv", index=False, float_format="%.5g")
    draw(folder, table)
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).parent),
                                   autoescape=True, keep_trailing_newline=True)
    html = templates.get_template("peers.html").render(
        facts=machine_facts(bench), when=time.strftime(DATE, time.gmtime()),
        sections=[(name, list(of.itertuples())) for name, of in
                  table.groupby("section", sort=False)], plot=(folder / "peers.svg").exists())
    (folder / "peers.html").write_text(html, encoding="utf-8")
