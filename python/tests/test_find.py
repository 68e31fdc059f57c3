"""Every way to search text, against the oracle: the same matches, in the same order."""
import array
import mmap
import re

import numpy as np
import oracle
import pytest

import trawl

REPORTS = ["ends", "pairs", "longest", "shortest", "leftmost-longest", "leftmost-first", "each"]


def random_text(rng, most=40):
    return bytes(rng.choice(b"abc\n") for _ in range(rng.randint(0, most)))


def random_patterns(rng):
    """Some that match no empty text, which are no patterns."""
    while True:
        patterns = [oracle.random_pattern(rng) for _ in range(rng.randint(1, 4))]
        if all(map(oracle.is_pattern, patterns)):
            return patterns


def test_every_report_as_the_oracle(rng, cases):
    """find, count, count_each, iter and find_many agree with re under each report."""
    for case in range(cases):
        patterns, text, report = random_patterns(rng), random_text(rng), rng.choice(REPORTS)
        plan = trawl.compile(patterns)
        expected = oracle.find(patterns, text, report)
        found = plan.find(text, report=report)
        assert found.tolist() == expected, (patterns, text, report)
        assert plan.count(text, report=report) == len(expected)
        counts = plan.count_each(text, report=report)
        assert counts.tolist() == [sum(m[0] == i for m in expected) for i in range(len(patterns))]
        batches = list(plan.iter(text, report=report, batch=2))
        assert [m for b in batches for m in b.tolist()] == expected
        many = plan.find_many([text, b"", text], report=report)
        assert many.tolist() == [(*m[:3], r) for r in (0, 2) for m in expected]


def test_flags_as_the_oracle(rng, cases):
    """Each pattern keeps to its own flags, under every report."""
    names = ["NOCASE", "LINES", "ONCE", "WORDS", "WHOLE_LINES"]
    for case in range(cases):
        patterns, report = random_patterns(rng), rng.choice(REPORTS)
        text = bytes(rng.choice(b"abcabcABC_ \n\0") for _ in range(rng.randint(0, 30)))
        chosen = [set(rng.sample(names, rng.randint(0, 3))) for _ in patterns]
        if rng.random() < 0.3:  # what ends lines is one byte for a set
            chosen = [of | {"LINES", "NULS"} for of in chosen]
        flags = [sum(trawl.Flag[name] for name in of) for of in chosen]
        found = trawl.compile(patterns, flags=flags).find(text, report=report).tolist()
        assert found == oracle.find(patterns, text, report, chosen), (patterns, flags, text, report)


@pytest.mark.parametrize("syntax", ["prosite", "iupac", "hex"])
def test_syntaxes_as_the_oracle(rng, cases, syntax):
    """Motifs, nucleotides' codes and hexadecimal mean what re is told in its own language."""
    letters = {"prosite": b"ACDEX-", "iupac": b"ACGTACGTRYNSB", "hex": b"abcdABo\n"}[syntax]
    for case in range(cases):
        text = bytes(rng.choice(letters) for _ in range(rng.randint(0, 30)))
        flags = rng.choice([0, trawl.OTHER_STRAND, trawl.AMBIGUOUS,
                            trawl.OTHER_STRAND | trawl.AMBIGUOUS]) if syntax == "iupac" else 0
        make = {"prosite": lambda: oracle.random_prosite(rng), "hex": lambda: oracle.random_hex(rng),
                "iupac": lambda: oracle.random_iupac(rng, flags & trawl.OTHER_STRAND,
                                                     flags & trawl.AMBIGUOUS)}[syntax]
        given, meant = zip(*(make() for _ in range(rng.randint(1, 3))))
        report = rng.choice(["pairs", "ends", "longest", "shortest"])
        found = trawl.compile(given, syntax=syntax, flags=flags).find(text, report=report).tolist()
        expected = oracle.find(meant, text, report)
        if report == "ends":  # where an alternative is of fixed length, a start may be known
            found = sorted((p, e) for p, s, e, r in found)
            expected = sorted((p, e) for p, s, e, r in expected)
        assert found == expected, (given, meant, flags, text, report)


def test_streams_as_the_oracle(rng, cases):
    """A text cut anywhere gives a stream's matches as one text; so does a stream that is saved and
    restored at the cut; records of a stream are texts of their own."""
    for case in range(cases):
        patterns, text = random_patterns(rng), random_text(rng)
        cut = rng.randint(0, len(text))
        plan = trawl.compile(patterns)
        expected = oracle.find(patterns, text, "ends")
        with plan.stream(report="ends") as stream:
            found = stream.feed(text[:cut]).tolist() + stream.feed(text[cut:]).tolist()
        assert found + stream.last.tolist() == expected, (patterns, text, cut)
        assert stream.closed

        first = plan.stream(report="ends")
        found = first.feed(text[:cut]).tolist()
        second = plan.stream(report="ends", state=first.save())
        found += second.feed(text[cut:]).tolist() + second.close().tolist()
        assert found == expected

        records = plan.stream(report="ends")
        found = records.feed(text).tolist() + records.next_record().tolist()
        found += records.feed(text).tolist() + records.close().tolist()
        assert found == [(*m[:3], r) for r in (0, 1) for m in expected]


@pytest.mark.parametrize("engine", ["auto", "bm", "packed", "teddy/ac", "qgrams", "wm", "wm/ac",
                                    "ac", "pfac", "shiftand", "hnfa"])
def test_literals_by_each_engine(rng, cases, engine):
    """Each algorithm finds every word of a set, as bytes.find does."""
    for case in range(cases // 10):
        size = 1 if engine in ("bm", "packed") else rng.randint(1, 30)
        words = [bytes(rng.choice(b"abcd") for _ in range(rng.randint(2, 6))) for _ in range(size)]
        text = bytes(rng.choice(b"abcd") for _ in range(rng.randint(0, 3000)))
        plan = trawl.compile(words, syntax="literal", engine=engine)
        assert plan.find(text).tolist() == oracle.find_literals(words, text)


@pytest.mark.parametrize("backend", ["serial", "threads", "openmp", "opencl"])
def test_backends_agree(rng, backend):
    """A text of several windows gives the same matches on each backend that is there."""
    words = [b"abba", b"cdcd", b"dddd", b"abcabc"]
    text = bytes(rng.choices(b"abcd", k=3 << 20))
    expected = trawl.compile(words, threads=1).find(text)
    try:
        plan = trawl.compile(words, backend=backend, threads=3 if backend in ("threads", "openmp") else 0)
    except trawl.UnsupportedError as error:
        pytest.skip(str(error))
    assert (plan.find(text) == expected).all() and len(expected) > 10000
    assert plan.count(text) == len(expected)


def test_every_kind_of_buffer(tmp_path):
    """What shows a contiguous buffer is searched where it is, whatever its items."""
    text = b"xxushersxx--"
    plan = trawl.compile(["he", "she"])
    expected = plan.find(text).tolist()
    (tmp_path / "text").write_bytes(text)
    with open(tmp_path / "text", "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    buffers = [bytearray(text), memoryview(text), memoryview(text).cast("B", (3, 4)), mapped,
               array.array("H", text), np.frombuffer(text, np.uint8), np.frombuffer(text, "<u4"),
               np.frombuffer(text, "S1"), np.frombuffer(text, np.uint8).reshape(2, 6),
               np.frombuffer(text, np.uint8).copy()]
    for buffer in buffers:
        assert plan.find(buffer).tolist() == expected, type(buffer)
        assert plan.count(buffer) == len(expected)
    assert plan.find_many(buffers).tolist() == \
        [(*m[:3], r) for r in range(len(buffers)) for m in expected]
    mapped.close()  # nothing holds it any more
    assert plan.find(b"").tolist() == plan.find(bytearray()).tolist() == []


def test_what_is_no_text():
    """str, gaps, objects and numbers are refused with the reason."""
    plan = trawl.compile("a")
    with pytest.raises(TypeError, match="encode"):
        plan.find("a")
    with pytest.raises(ValueError, match="contiguous"):
        plan.find(np.zeros((4, 4), np.uint8)[:, 1])
    with pytest.raises((ValueError, BufferError)):
        plan.find(memoryview(b"abcd")[::2])
    with pytest.raises(TypeError, match="encode"):
        plan.find(np.array(["abc"]))  # UTF-32
    for kind in ("M8[s]", "m8[s]"):
        with pytest.raises(TypeError, match="no bytes"):
            plan.find(np.zeros(3, kind))
    with pytest.raises(TypeError, match="objects"):
        plan.find(np.array([None]))
    for wrong in (7, None, [b"a"]):
        with pytest.raises(TypeError):
            plan.find(wrong)
    with pytest.raises(TypeError):
        plan.find_many(b"abc")
    with pytest.raises(TypeError):
        plan.find_many([b"abc", 7])


def test_many_of_a_list(rng):
    """A long list, tuple or generator is searched as each of its texts, and limits are of all."""
    texts = [random_text(rng, 9) for _ in range(20001)]
    words = [b"ab", b"cc"]
    plan = trawl.compile(words, syntax="literal")
    expected = [(*m[:3], r) for r, t in enumerate(texts) for m in oracle.find_literals(words, t)]
    for given in (texts, tuple(texts), iter(texts), [bytearray(t) for t in texts]):
        assert plan.find_many(given).tolist() == expected
    assert plan.find_many(texts, max_matches=3000).tolist() == expected[:3000]
    with pytest.raises(trawl.ExpiredError) as expired:
        plan.find_many(texts, max_steps=50000)
    found = expired.value.matches.tolist()
    assert found == expected[:len(found)] and 0 < len(found) < len(expected)


def test_many_of_a_list_that_changes():
    """A list that is searched part by part must stay: no text of it is left out unsaid."""
    if not hasattr(np, "from_dlpack"):
        pytest.skip("this NumPy knows no DLPack")
    plan, texts = trawl.compile("a"), []
    array = np.zeros(3, np.uint8)

    class Text:
        def __dlpack_device__(self):
            change(texts)
            return 1, 0

        def __dlpack__(self, **options):
            return array.__dlpack__(**options)

    for change in (list.pop, list.clear, lambda texts: texts.append(b"a")):
        texts[:] = [Text()] + [b"a"] * 30000
        with pytest.raises(RuntimeError, match="longer or shorter"):
            plan.find_many(texts)


def test_many_of_one_buffer(rng):
    """Texts cut out of a buffer, as Arrow has them, are found as the same texts of a list."""
    pa = pytest.importorskip("pyarrow")
    texts = [random_text(rng) for _ in range(500)]
    plan = trawl.compile(["ab", "c+", "[ab]c"])
    expected = plan.find_many(texts)
    offsets = np.cumsum([0] + [len(t) for t in texts])
    assert len(expected) > 100
    assert (plan.find_many((b"".join(texts), offsets)) == expected).all()
    for kind in (pa.binary(), pa.large_binary(), pa.string(), pa.large_string()):
        items = pa.array(texts, pa.binary()).cast(kind)
        assert (plan.find_many(items) == expected).all()
        part = plan.find_many(items[100:300])
        part["record"] += 100
        assert (part == expected[(expected["record"] >= 100) & (expected["record"] < 300)]).all()
    assert len(plan.find_many(pa.array([], pa.binary()))) == len(plan.find_many([])) == 0
    chunked = pa.chunked_array([pa.array(texts[:100], pa.binary()), pa.array(texts[100:], pa.binary())])
    assert (plan.find_many(chunked) == expected).all()
    hidden = pa.Array.from_buffers(pa.binary(), 2, [pa.py_buffer(b"\1"), pa.py_buffer(
        np.array([0, 2, 4], "<i4")), pa.py_buffer(b"abab")], 1)  # the second is null, and has bytes
    assert plan.find_many(hidden)["record"].tolist() == [0]
    small = np.frombuffer(b"\0\3ab", np.uint8)
    assert plan.find_many((small, small))["record"].tolist() == [0, 1]  # two texts, no offsets
    numpy_texts = np.array([b"xab", b"", b"cab"])
    assert plan.find_many(numpy_texts)["record"].tolist() == [0, 2, 2]
    for bad in ([0, 5, 3], [0, 99], [-1, 2]):
        with pytest.raises(ValueError, match="no place"):
            plan.find_many((b"0123456789", np.array(bad)))


def test_many_of_what_is_one():
    """One text in the place of many is refused, not searched byte by byte; so is a list of a buffer and
    its offsets, which would be two texts. What holds texts is searched, arrays of them too."""
    plan, text = trawl.compile("abc"), np.frombuffer(b"abcabc", np.uint8).copy()
    mapped = mmap.mmap(-1, 8)
    for one in (text, text.view(np.uint16), text > 97, text.astype(float), np.array(b"abc"), mapped,
                b"abc", "abc", bytearray(b"abc"), memoryview(b"abc"), np.bytes_(b"abc"), np.void(b"abc"),
                array.array("B", b"abc"), text[:0]):
        with pytest.raises(TypeError, match="take find"):
            plan.find_many(one)
    offsets = np.array([0, 3, 6])
    for pair in ([b"abcabc", offsets], [text, offsets.astype(np.int32)]):
        with pytest.raises(TypeError, match="pair"):
            plan.find_many(pair)
    expected = [(0, 0, 3, 0), (0, 0, 3, 1)]
    for many in (text.reshape(2, 3), [text[:3], text[3:]], (b"abc", text[3:]), np.array([b"abc", b"abc"]),
                 np.array([b"abc", b"abc"], object), (text, offsets), iter([b"abc", b"abc"]),
                 [b"abc", offsets.view(np.uint8), b"abc"][::2]):
        assert plan.find_many(many).tolist() == expected


def test_many_of_offsets_of_any_kind():
    """Offsets are read for what they say, in pairs and in Records: a list, steps, any size of integer
    and order of its bytes; what is no row of integers is refused."""
    plan, texts = trawl.compile("abc"), np.frombuffer(b"abcxabcabcxx", np.uint8)
    places = [0, 4, 7, 7, 12]
    expected = plan.find_many([b"abcx", b"abc", b"", b"abcxx"]).tolist()
    steps = np.repeat(places, 2)[::2]
    assert not steps.flags.c_contiguous and len(expected) == 3
    for offsets in (places, steps, *(np.array(places, kind) for kind in ("<i4", ">i4", "<u8", ">i8"))):
        records = trawl.Records(texts, offsets, b"", 0, [(0, "")])
        assert plan.find_many(records).tolist() == expected
        if isinstance(offsets, np.ndarray):
            assert plan.find_many((texts, offsets)).tolist() == expected
    for bad in ([], np.empty(0, np.int64), np.zeros((2, 2), int), 5, [0.0, 3.0], ["0", "3"]):
        with pytest.raises(ValueError, match="one dimension of integers"):
            plan.find_many(trawl.Records(texts, bad, b"", 0, [(0, "")]))


def test_options():
    """base is added, limits end early and say so, wrong ones are refused."""
    plan, text = trawl.compile("ab"), b"ab" * 1000
    assert plan.find(text, base=1 << 40)[0].tolist() == (0, 1 << 40, (1 << 40) + 2, 0)
    assert len(plan.find(text, max_matches=7)) == 7
    assert plan.count(text, max_matches=7) == 7
    large = b"ab" * (4 << 20)
    with pytest.raises(trawl.ExpiredError) as expired:
        plan.find(large, max_steps=1 << 20)
    found = expired.value.matches
    assert 0 < len(found) < 4 << 20
    assert (found["start"] == 2 * np.arange(len(found))).all()
    with pytest.raises(trawl.ExpiredError):
        plan.count(large, max_steps=100)
    with pytest.raises(ValueError, match="leftmost-longest"):
        plan.find(text, report="all")
    for wrong in ({"base": -1}, {"max_seconds": float("nan")}, {"max_matches": -1}):
        with pytest.raises(ValueError):
            plan.find(text, **wrong)


def test_numbers():
    """A number beyond what the library takes is refused by its name, and not wrapped; NumPy's integers
    are numbers like Python's."""
    plan, text = trawl.compile(["ab", "b"]), b"abxab"
    calls = {"base": plan.find, "max_matches": plan.count, "max_steps": plan.count_each,
             "batch": plan.iter}
    for name, call in calls.items():
        for wrong in (2**64, 2**64 + 2, 2**200, -1, -2**64):
            for options in ({}, {"report": "ends"}):
                with pytest.raises(ValueError, match=f"{name} is a whole number from"):
                    call(text, **{name: wrong}, **options)
        for wrong in (1.5, "3", None, [1], np.float64(1)):
            with pytest.raises(TypeError, match=f"{name} is a whole number, not"):
                call(text, **{name: wrong})
    with pytest.raises(ValueError, match="base"):
        plan.stream(base=2**63)
    with pytest.raises(ValueError, match="max_matches"):
        plan.find_many([text], max_matches=2**64 + 2)
    assert len(plan.find(text, max_matches=2**64 - 1, max_steps=2**64 - 1)) == 4
    for kind in (np.int64, np.uint8, np.int32):
        assert plan.find(text, base=kind(5)).tolist() == plan.find(text, base=5).tolist()
        assert plan.count(text, max_matches=kind(3), max_steps=kind(99)) == 3
        assert [len(found) for found in plan.iter(text, batch=kind(1), base=kind(2))] == [4]
        assert trawl.compile("ab", threads=kind(1), max_memory=kind(0)).count(text) == 2
    for wrong in (-1, -0.5, float("-inf"), float("nan")):
        with pytest.raises(ValueError, match="max_seconds is 0 or more"):
            plan.find(text, max_seconds=wrong)
    for wrong in ("3", None, b"1"):
        with pytest.raises(TypeError, match="max_seconds is a number"):
            plan.find(text, max_seconds=wrong)
    for fine in (10**400, float("inf"), np.float32(99), True):
        assert plan.count(text, max_seconds=fine) == 4


def test_large_results(rng):
    """Millions of matches come as one array, and its memory is the array's own."""
    text = b"a" * (3 << 20)
    found = trawl.compile(["a", "aa"]).find(text)
    assert len(found) == 2 * len(text) - 1
    starts = found["start"][found["pattern"] == 0]
    del found
    assert (starts == np.arange(len(text))).all()
    assert starts.flags.writeable


def test_iter_is_lazy():
    """Batches come while the text is searched; an iterator that is closed or dropped ends the
    search; one of a text with no match ends by itself."""
    text = mmap.mmap(-1, 1 << 30)  # a GiB of NUL bytes that takes no memory
    plan = trawl.compile("\\x00", syntax="escaped")
    batches = plan.iter(text, batch=1000)
    first = next(batches)
    assert first["start"][0] == 0 and (np.diff(first["start"]) == 1).all()
    second = next(batches)
    assert second["start"][0] == first["start"][-1] + 1
    batches.close()
    assert list(batches) == []
    dropped = plan.iter(text, batch=10)
    next(dropped)
    del dropped
    assert list(trawl.compile("x").iter(b"abc")) == []
    assert len(plan.find(b"\0\0")) == 2


def test_streams_that_end():
    """A stream refuses what comes after its end, an exception drops it, and what cannot be a
    stream is refused when it is opened."""
    plan = trawl.compile("ab$")
    stream = plan.stream()
    assert stream.feed(b"ab").tolist() == []  # the end is not known yet
    assert stream.close().tolist() == [(0, 0, 2, 0)]
    for call in (stream.close, stream.save, lambda: stream.feed(b"")):
        with pytest.raises(ValueError, match="closed"):
            call()
    with pytest.raises(ValueError, match="closed"):
        with stream:
            pass
    with pytest.raises(KeyError):
        with plan.stream() as dropped:
            raise KeyError
    assert dropped.closed and dropped.last is None
    with pytest.raises(trawl.UnsupportedError):
        trawl.compile("a.*b").stream(report="pairs")
    with pytest.raises(trawl.PlanError):
        plan.stream(report="ends", state=b"not one")
    assert len(plan.stream().feed(memoryview(b"x"))) == 0  # and is dropped while it is open


def test_each_array_has_its_own_names():
    """Who renames the fields of a result renames those of no other."""
    plan, names = trawl.compile("he"), trawl.MATCH.names
    for text in (b"he", b"he" * 5000):  # small ones are copied
        plan.find(text).dtype.names = "a", "b", "c", "d"
        assert plan.find(text).dtype.names == names == trawl.MATCH.names
        assert plan.find(text).dtype == trawl.MATCH
    picture = np.zeros((3, 3), np.uint8)
    grid = trawl.grid(picture[:1, :1])
    grid.find(picture).dtype.names = "a", "b", "c"
    assert grid.find(picture).dtype.names == ("needle", "row", "col")


@pytest.mark.parametrize("call", [
    lambda plan, number: plan.find(b"ab", base=number),
    lambda plan, number: plan.find_many([b"ab"], base=number),
    lambda plan, number: plan.find_many((b"ab", np.array([0, 2])), base=number),
    lambda plan, number: plan.find_many(trawl.Records(b"ab", [0, 2], b"", number, [(0, "")])),
    lambda plan, number: list(plan.iter(b"ab", base=number)),
    lambda plan, number: plan.stream(base=number).feed(b"ab"),
    lambda plan, number: plan.find_range(b"      ab", number + 6, number + 8, offset=number),
], ids=["find", "many", "cut", "records", "iter", "stream", "range"])
def test_offsets_that_int64_does_not_hold(call):
    """An offset that a match cannot say is refused: it is not taken modulo 2**64, nor negative."""
    plan = trawl.compile("ab")
    for number in (-1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**64 + 5, 10**30):
        with pytest.raises(ValueError):
            call(plan, number)
    for number in (1.5, "1"):
        with pytest.raises(TypeError):
            call(plan, number)
    for number in (0, np.int64(7), 2**63 - 9):
        call(plan, number)


def test_the_largest_offset():
    """Up to 2**63 - 1 every offset is right, also of a stream's pieces."""
    plan, base = trawl.compile("ab"), 2**63 - 7
    expected = [(0, base + i, base + i + 2, 0) for i in (0, 2, 4)]
    assert plan.find(b"ababab", base=base).tolist() == expected
    stream = plan.stream(base=base)
    assert np.concatenate([stream.feed(b"ab") for _ in range(3)]).tolist() == expected
    with pytest.raises(ValueError, match="int64"):
        stream.feed(b"ab")


def test_limits_of_any_size():
    """A limit is what was asked for, whatever a machine's number holds."""
    plan, text = trawl.compile("ab"), b"ab" * 9
    assert len(plan.find(text, max_matches=2**64 - 1, max_steps=2**64 - 1)) == 9
    assert len(plan.find(text, max_matches=np.uint8(2))) == 2
    for limits in ({"max_matches": 2**64 + 2}, {"max_steps": 2**64 + 2}, {"max_matches": -1}):
        with pytest.raises(ValueError):
            plan.find(text, **limits)


@pytest.mark.parametrize("report", ["longest", "shortest", "pairs"])
def test_circles(rng, cases, report):
    """Matches on circles are those that begin in them when they are written again and again, and that go
    round once at most."""
    for case in range(cases // 3):
        words = ["".join(rng.choices("ab", k=rng.randint(1, 3))) + rng.choice(["", "[ab]{0,3}a"])
                 for _ in range(rng.randint(1, 3))]
        plan = trawl.compile(words)
        texts = ["".join(rng.choices("ab", k=rng.randint(0, 12))).encode() for _ in range(3)]
        expected = []
        for record, text in enumerate(texts):
            n = len(text)
            for start in range(n):
                turned = text[start:] + text[:start]
                expected += [(p, start, start + end, record)
                             for p, begin, end, _ in plan.find(turned, report=report).tolist() if begin == 0]
        expected.sort(key=lambda m: (m[3], m[2], m[1], m[0]))
        found = plan.find_many(texts, report=report, circular=True)
        assert found.tolist() == expected and found.dtype == trawl.MATCH
        assert plan.find(texts[0], report=report, circular=True).tolist() == \
            [m for m in expected if m[3] == 0]


def test_circles_of_any_kind():
    """Sequences of a file are circles too; what has no meaning on a circle is refused."""
    plan = trawl.compile("CAG", syntax="iupac")
    assert plan.find(b"AGTTC", circular=True).tolist() == [(0, 4, 7, 0)]
    for texts in (trawl.open("a", data=b">p\nAGTTC\n>q\nGCA\n"), ["AGTTC", b"GCA"],
                  trawl.open("a", data=b">p\nAGTTC\n>q\nGCA\n").read()):
        assert plan.find_many(texts, circular=True).tolist() == [(0, 4, 7, 0), (0, 1, 4, 1)]
    assert len(plan.find_many([], circular=True)) == 0
    for wrong in ({"report": "ends"}, {"max_matches": 1}, {"base": 1}):
        with pytest.raises(ValueError, match="circular"):
            plan.find(b"CAG", circular=True, **wrong)
    for pattern in ("^a", "ab*"):
        with pytest.raises(trawl.UnsupportedError, match="circle"):
            trawl.compile(pattern).find(b"ab", circular=True)
    with pytest.raises(TypeError, match="take find"):
        plan.find_many(b"CAG", circular=True)


GROUPS = [  # patterns and a text; of each report the matches of the first pattern
    ("a(b|bc)d?", b"xabcd abd",
     {"ends": [3, 4, 5, 8, 9], "pairs": [(1, 3), (1, 4), (1, 5), (6, 8), (6, 9)], "longest": [(1, 5), (6, 9)],
      "shortest": [(1, 3), (6, 8)], "leftmost-longest": [(1, 5), (6, 9)], "leftmost-first": [(1, 3), (6, 9)],
      "each": [(1, 5), (6, 9)]}),
    ("(?<year>\\d{4})-(?P<month>\\d\\d)(?:-\\d\\d)??", b"2026-11-27", {"each": [(0, 10)], "leftmost-first": [(0, 7)]}),
    ("(?i:get|post) (/|\\*)", b"GET / Post * get x", {"each": [(0, 5), (6, 12)], "leftmost-first": [(0, 5), (6, 12)]}),
    ('(^|,)("[^"]*"|x+)', b'x,"a,b",xx', {"leftmost-first": [(0, 1), (1, 7), (7, 10)]}),
]


@pytest.mark.parametrize("pattern, text, expected", GROUPS)
def test_groups(pattern, text, expected):
    """Groups with alternatives, names, flags and lazy repeats, under each report."""
    plan = trawl.compile(pattern)
    for report, spans in expected.items():
        found = plan.find(text, report=report)
        ends = found["end"].tolist()
        assert (ends if report == "ends" else list(zip(found["start"].tolist(), ends))) == spans, report


def test_groups_as_re(rng, cases):
    """leftmost-first is what re finds, where no match is empty."""
    def make(depth=0):
        parts = []
        for _ in range(rng.randint(1, 3)):
            part = rng.choice(["a", "b", "[ab]", "[^c]", "."])
            if depth < 2 and rng.random() < .4:
                part = "(?:" + "|".join(make(depth + 1) for _ in range(rng.randint(1, 3))) + ")"
            parts.append(part + rng.choice(["", "", "", "?", "*", "+?", "{1,2}", "??"]))
        return "".join(parts)

    for _ in range(cases):
        pattern, text = make() + rng.choice("abc"), random_text(rng)
        expected = [m.span() for m in re.finditer(pattern.encode(), text, re.DOTALL)]
        found = trawl.compile(pattern).find(text, report="leftmost-first")
        assert list(zip(found["start"].tolist(), found["end"].tolist())) == expected, (pattern, text)


@pytest.mark.parametrize("pattern, column", [("(a|b)\\1", 5), ("a(?=b)", 1), ("(a|b", 0), ("(a|)*", None)])
def test_what_groups_are_refused(pattern, column):
    """Back-references, lookahead, a group that is open, and what may match nothing."""
    with pytest.raises(trawl.PatternError) as error:
        trawl.compile(pattern)
    assert column is None or error.value.offset == column
