"""Plans: what they say of themselves, that they last, and what cannot be one."""
import array
import copy
import gzip
import io
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import trawl


def test_facts():
    """info, names and patterns give back what was compiled."""
    plan = trawl.compile(["foo", "b[a-z]*r"], names=["word", None],
                         flags=[trawl.NOCASE, trawl.WORDS], sample=b"foo bar " * 1000)
    assert plan.info.patterns == 2 and plan.info.min_length == 2
    assert plan.info.max_length is None and plan.info.conditions
    assert plan.info.bytes == len(plan.save()) and plan.info.stages[0].patterns
    assert plan.names == ("word", "") and plan.names is plan.names
    assert plan.patterns[0] == (b"foo", "extended", trawl.NOCASE, 0, "word")
    assert plan.find(b"xFOO bar barx")["start"].tolist() == [1, 5]
    assert trawl.compile("abc").info.max_length == 3
    assert "2 by" in repr(plan)
    assert "ac" in trawl.engines() and "threads" in trawl.backends()
    assert trawl.devices("serial") == []
    with pytest.raises(ValueError, match="no backend 'nonsense'; there are serial"):
        trawl.devices("nonsense")


def test_conditions():
    """Where matches begin and what stands beside them: checked, kept by the plan, and what chooses."""
    asked = [trawl.Conditions(from_begin=1, within=3), trawl.Conditions(from_end=2, word="full"), None]
    plan = trawl.compile(["ab", "cd", "a.*c"], conditions=asked)
    assert plan.find(b"abab_cdabab cd", report="longest")[["pattern", "start"]].tolist() == \
        [(0, 2), (2, 0), (2, 2), (2, 7), (2, 9), (1, 12)]
    assert trawl.load(plan.save()).conditions == plan.conditions == tuple(asked)
    assert trawl.compile("ab", conditions=trawl.Conditions(word="wide")).count(b"abx\0-\0ab-\0") == 1
    assert trawl.compile("ab", conditions=trawl.Conditions()).conditions == (None,)
    both = trawl.compile("GGT", syntax="iupac", strand="both", conditions=trawl.Conditions(from_begin=0))
    assert both.find(b"ACCGGT").tolist() == [(1, 0, 3, 0)]
    with pytest.raises(trawl.UnsupportedError, match="end of the text"):
        plan.stream()
    with pytest.raises(trawl.UnsupportedError, match="circle"):
        plan.find(b"ab", circular=True)
    wrong = [(trawl.Conditions(from_begin=1, from_end=2), "one place"), (trawl.Conditions(within=2), "add from_begin"),
             (trawl.Conditions(word="x"), "full, wide"), (trawl.Conditions(from_end=-1), "from_end is a whole"),
             (trawl.Conditions(from_begin=2**64), "from_begin is a whole"), ([None], "1 conditions for 2"),
             ("ab", "trawl.Conditions or None"), (7, "one, or None, for each")]
    for conditions, message in wrong:
        with pytest.raises((TypeError, ValueError), match=message):
            trawl.compile(["ab", "b"], conditions=conditions)


def test_isas(monkeypatch):
    """The instruction sets that run here, and the one that a plan's searches take."""
    names = trawl.isas()
    assert names[0] == "portable" and set(names) <= {"portable", "neon", "avx2", "avx512"}
    monkeypatch.delenv("TRAWL_ISA", raising=False)
    trawl.release()  # contexts that wait have theirs
    assert trawl.compile("isa").isa == names[-1]
    trawl.release()
    monkeypatch.setenv("TRAWL_ISA", "portable")
    assert trawl.compile("isa").isa == "portable"
    assert trawl.grid([np.zeros((2, 2), np.uint8)]).isa == "portable"
    trawl.release()


def test_syntaxes():
    """Each syntax means what docs/semantics.md says, also side by side in one plan."""
    plan = trawl.compile(["a.c", "a\\x2ec", "a.c", "N-{P}-[ST]", "GTYRAC", "61 ?? 63"],
                         syntax=["literal", "escaped", "extended", "prosite", "iupac", "hex"])
    assert plan.find(b"a.c")["pattern"].tolist() == [0, 1, 2, 5]
    assert plan.find(b"NAS")["pattern"].tolist() == [3]
    assert plan.find(b"GTCGAC")["pattern"].tolist() == [4]
    assert trawl.compile("caf\u00e9").find("un caf\u00e9".encode())["end"].tolist() == [8]
    both = trawl.compile(["GGT", "GGT"], syntax="iupac", flags=[0, trawl.OTHER_STRAND])
    assert both.find(b"GGTACC")["pattern"].tolist() == [0, 1]


def test_strands():
    """Both strands of a pattern stand side by side in a plan, with its name; a table says which it was."""
    text = b"GGTACCTTGGACC"
    both = trawl.compile({"one": "GGT", "two": "TTGG"}, syntax="iupac", strand="both")
    assert both.names == ("one", "one", "two", "two") and both.strands == ("+", "-", "+", "-")
    assert both.find(text)[["pattern", "start"]].tolist() == [(0, 0), (1, 3), (2, 6), (1, 10)]
    minus = trawl.compile("GGT", syntax="iupac", strand="minus", flags=trawl.NOCASE)
    assert minus.find(text)["start"].tolist() == [3, 10] and minus.strands == ("-",)
    assert minus.patterns[0].flags == trawl.OTHER_STRAND | trawl.NOCASE
    assert trawl.compile(["a", "N"], syntax=["extended", "iupac"]).strands == (".", "+")
    with pytest.raises(trawl.PatternError, match="pattern 1 'GZ'") as caught:
        trawl.compile(["GG", "GZ"], syntax="iupac", strand="both")
    assert caught.value.pattern == 1
    for wrong in ({"strand": "other", "syntax": "iupac"}, {"strand": "both"},
                  {"strand": "minus", "syntax": ["iupac", "hex"]}):
        with pytest.raises(ValueError, match="strand"):
            trawl.compile(["61", "62"], **wrong)
    pandas = pytest.importorskip("pandas")
    frame = trawl.to_pandas(both.find(text), both)
    assert isinstance(frame, pandas.DataFrame) and frame["strand"].tolist() == ["+", "-", "+", "-"]
    assert "strand" not in trawl.to_pandas(both.find(text), trawl.compile(["G"] * 4, names=list("abcd")))


def test_flags_are_numbers():
    """One for all patterns or one for each, and nothing that only looks like a number or a list."""
    words = ["ab", "b"]
    for flags, expected in ((trawl.NOCASE, [1, 1]), (1, [1, 1]), ([0, 1], [0, 1]), ((1, 8), [1, 8]),
                            (np.uint8(1), [1, 1]), (np.array([1, 0], ">u4"), [1, 0]),
                            ([trawl.NOCASE | trawl.WORDS, np.int64(0)], [9, 0])):
        plan = trawl.compile(words, flags=flags)
        assert [pattern.flags for pattern in plan.patterns] == expected
    assert trawl.compile("ab", flags=[1]).count(b"AB") == 1
    for wrong in (1.9, "1", None, b"1", ["0", "1"], [1.0, 0], [[1, 1], [0, 0]], np.ones(2)):
        with pytest.raises(TypeError, match="flags is a whole number"):
            trawl.compile(words, flags=wrong)
    for wrong in ([1], [], [1, 1, 1], np.array([1])):
        with pytest.raises(ValueError, match="flags for 2 patterns"):
            trawl.compile(words, flags=wrong)
    for wrong in (-1, 2**32, 2**32 + 1, [0, 2**64]):
        with pytest.raises(ValueError, match="flags is a whole number from"):
            trawl.compile(words, flags=wrong)
    with pytest.raises(ValueError, match="1 syntaxes for 2 patterns"):
        trawl.compile(words, syntax=["hex"])


def test_errors_say_which_and_where():
    """A malformed pattern is named by its index and the offset of what is wrong."""
    with pytest.raises(trawl.PatternError) as caught:
        trawl.compile(["fine", "also", "not[this"])
    assert (caught.value.pattern, caught.value.offset) == (2, 3)
    assert isinstance(caught.value, ValueError) and caught.value.code == -3
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.pattern, again.offset, str(again)) == (2, 3, str(caught.value))
    with pytest.raises(trawl.Error):
        trawl.compile([])
    with pytest.raises(trawl.UnsupportedError):
        trawl.compile(["a", "b"], engine="bm")
    with pytest.raises(trawl.ArgumentError, match="engine"):
        trawl.compile("a", engine="nonesuch")
    with pytest.raises(trawl.Error, match="'trawl_scan'"):  # what was given stays as it is
        trawl.compile("a", engine="trawl_scan")
    with pytest.raises(trawl.Error):
        trawl.compile("a", backend="nonesuch")
    with pytest.raises(trawl.LimitError):
        trawl.compile([b"%032d" % i for i in range(10000)], max_memory=1 << 16)
    for wrong in ({"syntax": "perl"}, {"syntax": ["hex"] * 3}, {"flags": [0, 0, 0]},
                  {"names": ["one"]}):
        with pytest.raises(ValueError):
            trawl.compile(["a", "b"], **wrong)
    with pytest.raises(TypeError):
        trawl._core.Plan()
    for name in ("threads", "max_memory", "wm_block"):
        for wrong in (-1, 2**64, 2**64 + 1):
            with pytest.raises(ValueError, match=name):
                trawl.compile("a", **{name: wrong})
        with pytest.raises(TypeError, match=name):
            trawl.compile("a", **{name: 1.5})
    with pytest.raises(ValueError, match="name"):
        trawl.compile("a", names=["a\0b"])
    for wrong, message in (([7], "pattern 0 is str or bytes, not int"), (None, "not NoneType"),
                           (["a", None], "pattern 1 is str or bytes, not NoneType"), (7, "not int"),
                           ([["a"]], "pattern 0 is str or bytes, not list"),
                           (np.frombuffer(b"ab", np.uint8), "pattern 0 is str or bytes, not uint8")):
        with pytest.raises(TypeError, match=message):
            trawl.compile(wrong)
    with pytest.raises(TypeError, match="name 1 is str or bytes, not int"):
        trawl.compile(["a", "b"], names=["a", 2])
    for one in (b"ab", bytearray(b"ab"), memoryview(b"ab")):
        assert [pattern.text for pattern in trawl.compile(one).patterns] == [b"ab"]
    assert trawl.compile([bytearray(b"ab"), np.bytes_(b"b")]).count(b"ab") == 2


def test_plans_last(tmp_path):
    """A plan saved as bytes, in a file, or pickled, finds the same; a file is mapped."""
    plan = trawl.compile(["abba", "[0-9]+x"], names=["a", "b"], threads=2)
    text = b"abba 123x" * 100
    expected = plan.find(text)
    path = tmp_path / "rules.trawl"
    assert plan.save(path) is None and os.listdir(tmp_path) == ["rules.trawl"]
    assert path.read_bytes() == plan.save()
    for other in (trawl.load(plan.save()), trawl.load(path), trawl.load(str(path), threads=1),
                  pickle.loads(pickle.dumps(plan)), plan.on("serial"),
                  pickle.loads(pickle.dumps(plan.on("serial")))):
        assert (other.find(text) == expected).all() and other.names == ("a", "b")
        assert other.save() == plan.save()
    mapped = trawl.load(path)
    shared = mapped.on(threads=1)
    del mapped  # the mapping stays for the other
    assert (shared.find(text) == expected).all()


def test_many_threads_save_one_file(tmp_path):
    """Who loads a file while others replace it has a whole plan; nothing else is left there, also of
    a file that cannot be replaced; what is new may be read by whom the umask says."""
    plans = [trawl.compile([b"%d" % i for i in range(n)], syntax="literal") for n in (9999, 99, 3)]
    path = os.fsencode(tmp_path / "rules")
    plans[0].save(path)

    def work(number):
        for _ in range(30):
            plans[number % 3].save(path)
            assert trawl.load(os.fsdecode(path)).info.patterns in (9999, 99, 3)
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
    (tmp_path / "plain").write_bytes(b"")
    assert os.stat(path).st_mode == os.stat(tmp_path / "plain").st_mode
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        plans[2].save(tmp_path / "folder")
    with pytest.raises(OSError):
        plans[2].save(tmp_path / "none" / "rules")
    assert sorted(os.listdir(tmp_path)) == ["folder", "plain", "rules"]


def test_pickles_across_processes(tmp_path):
    """A pickle is read by another process, which has never seen the patterns."""
    plan = trawl.compile([b"%05d" % i for i in range(0, 99999, 7)])
    text = b"".join(b"%06d" % i for i in range(20000))
    (tmp_path / "plan").write_bytes(pickle.dumps(plan))
    (tmp_path / "text").write_bytes(text)
    code = ("import pickle, sys; plan = pickle.load(open(sys.argv[1], 'rb'));"
            "sys.stdout.buffer.write(plan.find(open(sys.argv[2], 'rb').read()).tobytes())")
    found = subprocess.run([sys.executable, "-c", code, tmp_path / "plan", tmp_path / "text"],
                           stdout=subprocess.PIPE, check=True).stdout
    assert (np.frombuffer(found, trawl.MATCH) == plan.find(text)).all()


def test_errors_pickle(tmp_path):
    """An exception that comes from another process has all that it had there."""
    with pytest.raises(trawl.ExpiredError) as expired:
        trawl.compile("ab").find(b"ab" * 100000, max_steps=50000)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"text" * 9999)[:-20])
    with pytest.raises(trawl.ReadError) as unread:
        trawl.open(tmp_path / "cut.gz").read()
    with pytest.raises(trawl.PatternError) as pattern:
        trawl.compile(["fine", "not[this"])
    for error in (expired.value, unread.value, pattern.value):
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert type(again) is type(error) and str(again) == str(error)
            assert again.__dict__.keys() == error.__dict__.keys()
            assert (again.code, again.pattern, again.offset) == \
                (error.code, error.pattern, error.offset)
    again = pickle.loads(pickle.dumps(expired.value)).matches
    assert len(again) and (again == expired.value.matches).all()
    assert pickle.loads(pickle.dumps(unread.value)).text == str(tmp_path / "cut.gz")


def test_damaged_plans(rng, tmp_path):
    """Bytes that were damaged, cut or never a plan are refused, from memory and from a file."""
    block = trawl.compile(["abba", "foo"]).save()
    for case in range(100):
        damaged = bytearray(block)
        damaged[rng.randrange(len(block))] ^= 1 << rng.randrange(8)
        with pytest.raises(trawl.PlanError):
            trawl.load(bytes(damaged))
    with pytest.raises(trawl.UnsupportedError, match="trawl grep --plan"):
        trawl.load(b"TRAWLCND" + bytes(56) + block)
    path = tmp_path / "plan"
    for bad in (b"", b"x", block[:-1], block[:100]):
        with pytest.raises(trawl.PlanError):
            trawl.load(bad)
        path.write_bytes(bad)
        with pytest.raises(trawl.PlanError):
            trawl.load(path)
    with pytest.raises(FileNotFoundError):
        trawl.load(tmp_path / "none")


def test_what_is_one_pattern():
    """A sequence of letters is one pattern, one of a list, and a text; a dictionary's keys are names; what
    would be taken for a list of others is refused with what to write."""
    class Letters:  # as Seq of Biopython
        def __init__(self, text):
            self.text = text

        def __bytes__(self):
            return self.text

        def __len__(self):
            return len(self.text)

        def __getitem__(self, index):
            return chr(self.text[index])

    site = Letters(b"GAATTC")
    for patterns in (site, [site], (site,), {"EcoRI": site}):
        plan = trawl.compile(patterns)
        assert [pattern.text for pattern in plan.patterns] == [b"GAATTC"]
    assert plan.names == ("EcoRI",)
    assert plan.count(Letters(b"xGAATTCx")) == 1
    assert plan.find_many([Letters(b"xGAATTCx"), b"", site])["record"].tolist() == [0, 2]
    named = trawl.compile({"CAT": "GAATTC", b"b": b"GGCC"}, syntax="iupac")
    assert named.names == ("CAT", "b") and named.find(b"CATGGCC")["pattern"].tolist() == [1]
    assert trawl.compile("ab", names="one").names == ("one",)
    tiles = trawl.grid({"black": np.zeros((1, 1), bool), "white": np.ones((1, 1), bool)})
    assert tiles.names == ("black", "white")
    for call, message in ((lambda: trawl.compile({"a": "b"}, names=["c"]), "leave names= out"),
                          (lambda: trawl.compile({"a": ["b"]}), "pattern 'a' is str or bytes, not list"),
                          (lambda: trawl.compile({7: "b"}), "name 0 is str or bytes, not int"),
                          (lambda: trawl.compile(io.StringIO("a\nb\n")), "splitlines"),
                          (lambda: trawl.compile([array.array("u", "ab")]), "not array"),
                          (lambda: plan.find(array.array("u", "ab")), "tounicode"),
                          (lambda: plan.find_many(site), "of one text take find"),
                          (lambda: plan.find_many({b"a": b"b"}), "texts.values"),
                          (lambda: plan.find_many(io.BytesIO(b"a\nb\n")), "trawl.open")):
        with pytest.raises(TypeError, match=message):
            call()


def test_sequences_of_biopython():
    """Seq, MutableSeq and SeqRecord are a pattern or a text each."""
    Seq = pytest.importorskip("Bio.Seq")
    site, text = Seq.Seq("GAATTC"), Seq.MutableSeq("CCGAATTCGG")
    plan = trawl.compile(site, syntax="iupac")
    assert plan.info.patterns == 1 and plan.find(text)["start"].tolist() == [2]
    assert plan.find_many([site, text])["record"].tolist() == [0, 1]


def test_errors_name_the_pattern():
    """What is wrong with one of many says which: by number, by name, by what it is."""
    for patterns, names, expected in ((["fine", "not[this"], None, r"pattern 1 'not\[this': column 4"),
                                      (["fine", b"\xff["], ["a", "b"], r"pattern 1 'b' '\\xff\[': col"),
                                      ({"rule": "(" + "a" * 99}, None, r"0 'rule' '\(a{55}\.\.\.': col")):
        with pytest.raises(trawl.PatternError, match=expected) as caught:
            trawl.compile(patterns, names=names)
        assert caught.value.pattern == len(patterns) - 1 and caught.value.offset is not None
    with pytest.raises(trawl.Error, match="needle 1 'b': "):
        trawl.grid({"a": np.zeros((1, 1), bool), "b": np.zeros((0, 1), bool)})


def test_limits_name_arguments():
    """A limit's message names the argument of Python's, not the field of C's."""
    words = [b"%d" % i for i in range(9999)]
    for call in (lambda: trawl.compile(words, max_memory=1000),
                 lambda: trawl.grid(np.arange(10000, dtype=np.uint8).reshape(100, 100), max_memory=100)):
        with pytest.raises(trawl.LimitError, match="max_memory") as caught:
            call()
        assert "trawl_" not in str(caught.value)
    with pytest.raises(trawl.Error, match="Plan.range_needs") as caught:
        trawl.compile("aaaa").find_range(b"aaaa", 2, 4, offset=2)
    assert "trawl_" not in str(caught.value)
