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


@pytest.mark.parametrize("make", [trawl.to_arrow, trawl.to_pandas])
def test_names_of_any_kind(make):
    """A byte of a name that is not UTF-8 becomes U+FFFD; too few names are refused with the numbers."""
    pytest.importorskip(make.__name__[3:].replace("arrow", "pyarrow"))
    plan = trawl.compile(["he", "us"], names=[b"caf\xe9", "\u00e9"])
    found = plan.find_many(TEXTS)
    assert plan.names == ("caf\udce9", "\u00e9")
    table = make(found, plan, ["\udcff", "b", "c"])
    assert list(map(str, table["name"])) == ["\u00e9", "caf\ufffd", "caf\ufffd"]
    assert list(map(str, table["record_name"])) == ["\ufffd", "\ufffd", "c"]
    with pytest.raises(ValueError, match="2 names of records, and matches of record 0 to record 2"):
        make(found, plan, ["a", "b"])
    found["record"] -= 1
    with pytest.raises(ValueError, match="of record -1 to"):
        make(found, plan, ["a", "b"])
    with pytest.raises(ValueError, match="1 names of patterns"):
        make(found, trawl.compile("a", names=["a"]))


@pytest.mark.parametrize("make", [trawl.to_arrow, trawl.to_pandas])
def test_names_of_records(make):
    """Names are words, given as str, bytes or records; what has none is refused: a reader was read."""
    pytest.importorskip(make.__name__[3:].replace("arrow", "pyarrow"))
    found = PLAN.find_many(TEXTS)
    records = list(trawl.open("a", data=b">a\nushers\n>b\n>c\nshe\n"))
    for names in (["a", b"b", bytearray(b"c")], np.array(["a", "b", "c"]), records, iter("abc")):
        assert set(map(str, make(found, PLAN, names)["record_name"])) == {"a", "c"}
    with pytest.raises(TypeError, match=r"reader.read\(\)"):
        make(found, PLAN, trawl.open("a", data=b"ushers"))
    for wrong in ("abc", [1, 2, 3], [None, "b", "c"]):
        with pytest.raises(TypeError):
            make(found, PLAN, wrong)


def test_series():
    """A column of pandas that holds Arrow's strings is searched as they stand; what is missing is an
    empty text."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    texts = ["ushers", None, "she", "\u00e9 he"]
    expected = PLAN.find_many([(text or "").encode() for text in texts]).tolist()
    series = pandas.Series(texts, dtype="string[pyarrow]", index=list("abcd"))
    assert PLAN.find_many(series).tolist() == PLAN.find_many(series.array).tolist() == expected
    assert PLAN.find_many(series[1:]).tolist() == [(*m[:3], m[3] - 1) for m in expected if m[3]]
    assert PLAN.find_many(pandas.Series([b"she", b""])).tolist() == \
        PLAN.find_many([b"she", b""]).tolist()
    with pytest.raises(TypeError):
        PLAN.find_many(pandas.Series([1, 2]))


def test_pandas():
    """A frame, with categories and NA."""
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


def columns_of_arrow(texts):
    """The same texts in every kind of column."""
    pyarrow = pytest.importorskip("pyarrow")
    words = pyarrow.array(texts, pyarrow.string())
    kinds = ["string", "large_string", "binary", "large_binary", "string_view", "binary_view"]
    columns = [words.cast(getattr(pyarrow, kind)()) for kind in kinds if hasattr(pyarrow, kind)]
    columns += [words.dictionary_encode(), pyarrow.array(["xx", *texts, "she"])[1:-1]]
    columns += [pyarrow.chunked_array([column[:2], column[2:2], column[2:]]) for column in columns]
    batches = pyarrow.table({"text": columns[-1]})
    columns += [batches, batches.to_batches()[0] if len(batches.to_batches()) == 1 else batches,
                pyarrow.RecordBatchReader.from_batches(batches.schema, batches.to_batches())]
    return columns


def test_columns_of_arrow(rng):
    """Columns of texts are searched where they stand, chunk after chunk, whatever they are made of; what
    is missing is an empty text."""
    texts = ["ushers", None, "she", "", "\u00e9 he", "a text that is longer than a view holds: she"]
    texts += ["".join(rng.choices("hes ", k=rng.randint(0, 30))) for _ in range(30)]
    expected = PLAN.find_many([(text or "").encode() for text in texts]).tolist()
    assert len(expected) > 20
    for column in columns_of_arrow(texts):
        assert PLAN.find_many(column).tolist() == expected
    for column in columns_of_arrow(texts):
        assert PLAN.find_many(column, max_matches=9).tolist() == expected[:9]
    import pyarrow
    fixed = pyarrow.array([b"she", b"he ", None], pyarrow.binary(3))
    assert PLAN.find_many(fixed).tolist() == PLAN.find_many([b"she", b"he ", b""]).tolist()
    assert len(PLAN.find_many(pyarrow.nulls(3))) == 0
    assert PLAN.find_many(pyarrow.array([], pyarrow.string())).dtype == trawl.MATCH
    many = pyarrow.chunked_array([["she"] * 20000, ["x"] * 5, ["he"] * 9000])
    assert PLAN.find_many(many)["record"][-1] == 29004 and len(PLAN.find_many(many)) == 49000
    for wrong in (pyarrow.array([1, 2]), pyarrow.table({"a": ["x"], "b": ["y"]}),
                  pyarrow.array([["a"], ["b"]])):
        with pytest.raises(TypeError, match="Arrow|one column"):
            PLAN.find_many(wrong)

    def broken():
        yield pyarrow.record_batch({"text": ["she"]})
        raise RuntimeError("the source went away")
    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema([("text", pyarrow.string())]), broken())
    with pytest.raises(OSError, match="went away"):
        PLAN.find_many(reader)


def test_forged_columns():
    """Offsets and indices that lead out of their buffers are refused."""
    pyarrow = pytest.importorskip("pyarrow")
    data = pyarrow.py_buffer(b"shehe")
    places = pyarrow.py_buffer(np.array([0, 4, 2, 5], np.int32))
    column = pyarrow.Array.from_buffers(pyarrow.string(), 3, [None, places, data])
    with pytest.raises(ValueError, match="text 1 .*no place"):
        PLAN.find_many(column)
    words = pyarrow.array(["she"])
    codes = pyarrow.Array.from_buffers(pyarrow.int8(), 2, [None, pyarrow.py_buffer(b"\0\x07")])
    with pytest.raises(ValueError, match="text 1 .*no place"):
        PLAN.find_many(pyarrow.DictionaryArray.from_arrays(codes, words, safe=False))


def test_columns_without_pyarrow():
    """polars hands its columns on by itself, and str in a list are searched as UTF-8."""
    texts = ["ushers", "", "she", "\u00e9 he", "\udcff she"]
    expected = PLAN.find_many([text.encode("utf-8", "surrogateescape") for text in texts]).tolist()
    for many in (texts, tuple(texts), np.array(texts, object), iter(texts)):
        assert PLAN.find_many(many).tolist() == expected
    polars = pytest.importorskip("polars")
    series = polars.Series(texts[:4])
    for column in (series, series.to_frame("text"), series.cast(polars.Categorical),
                   polars.concat([series[:2], series[2:]])):
        assert PLAN.find_many(column).tolist() == expected[:-2]


def test_columns_above_two_gigabytes():
    """Chunks whose bytes together are more than an offset of 32 bits says are not put together."""
    pyarrow = pytest.importorskip("pyarrow")
    chunk = pyarrow.array([b"x" * (1 << 24)] * 8 + [b"she"])  # 128 MiB, which all chunks share
    column = pyarrow.chunked_array([chunk] * 17)
    assert column.nbytes > 1 << 31
    found = trawl.compile("she").find_many(column)
    assert found["record"].tolist() == list(range(8, 9 * 17, 9))
