"""Matches as tables of Arrow and pandas."""
import numpy as np
import pytest

import trawl

PLAN = trawl.compile(["he", "h[a-z]*s", "she"], names=["short", "long", "short"])
TEXTS = [b"ushers", b"", b"she"]


def test_arrow():
    """A table has the fields, names as dictionaries, and nulls for starts that are not known."""
    pytest.importorskip("pyarrow")
    found = PLAN.find_many(TEXTS, report="ends")
    table = trawl.to_arrow(found, PLAN, ["a", "b", "c"])
    assert table.column_names == ["pattern", "start", "end", "record", "name", "record_name"]
    assert table["end"].to_pylist() == found["end"].tolist()
    assert table["start"].to_pylist() == [None if s < 0 else s for s in found["start"].tolist()]
    assert table["start"].null_count == 1
    assert table["name"].to_pylist() == [PLAN.names[i] for i in found["pattern"]]
    assert table["record_name"].to_pylist() == ["abc"[i] for i in found["record"]]
    assert trawl.to_arrow(found[:0], PLAN).num_rows == 0
    assert trawl.to_arrow(found).column_names == ["pattern", "start", "end", "record"]


def test_pandas():
    """A frame likewise, with categories and NA."""
    pandas = pytest.importorskip("pandas")
    found = PLAN.find_many(TEXTS, report="ends")
    frame = trawl.to_pandas(found, PLAN, ["a", "b", "c"])
    assert frame["name"].tolist() == [PLAN.names[i] for i in found["pattern"]]
    assert frame["name"].dtype == "category" and frame["start"].isna().sum() == 1
    assert frame.groupby("record_name", observed=True).size().to_dict() == {"a": 3, "c": 2}
    known = trawl.to_pandas(PLAN.find(b"ushers"), PLAN)
    assert known["start"].dtype == np.int64 and len(known) == 3
    assert len(trawl.to_pandas(found[:0], PLAN)) == 0
    grid = trawl.grid(np.zeros((1, 1), np.uint8), names=["black"])
    frame = trawl.to_pandas(grid.find(np.zeros((2, 2), np.uint8)), grid)
    assert list(frame.columns) == ["needle", "row", "col", "name"]
    assert set(frame["name"]) == {"black"} and isinstance(frame, pandas.DataFrame)
