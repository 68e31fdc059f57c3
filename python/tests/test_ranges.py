"""A text searched range by range: the matches are those of one search, wherever it is cut."""
import numpy as np
import pytest

import oracle
import trawl

REPORTS = ["each", "ends", "pairs", "longest", "shortest", "leftmost-longest", "leftmost-first"]


def search(plan, text, cuts, report, needs, rng):
    """The matches of ranges between cuts, searched in any order and told in rounds."""
    order, found, seams = list(range(len(cuts) - 1)), {}, {}

    def one(i, seam=None):
        first = max(0, cuts[i] - needs.before)
        last = min(len(text), cuts[i + 1] + needs.after)
        return plan.find_range(text[first:last], cuts[i], cuts[i + 1], offset=first,
                               last=last == len(text), report=report, seam=seam)

    rng.shuffle(order)
    for i in order:
        matches, settled, seams[i] = one(i)
        assert settled == cuts[i + 1]
        found[i] = matches.tolist()
    again, rounds = needs.follows, 0
    while again:
        rounds += 1
        assert rounds <= len(cuts), (text, cuts)
        told = {i: plan.follow(seams[i], [seams[k] for k in range(i)], report=report)
                for i in order}
        again = [i for i in order if told[i][0]]
        for i in again:
            matches, settled, seams[i] = one(i, told[i][1])
            found[i] = matches.tolist() + [m for m in found[i] if m[2] > settled]
    return sum((found[i] for i in range(len(cuts) - 1)), [])


@pytest.mark.parametrize("report", REPORTS)
def test_random_ranges(rng, cases, report):
    """Random patterns and cuts, against one search and against the oracle."""
    tried = 0
    for _ in range(cases // 3 + 10):
        patterns = [p for p in (oracle.random_pattern(rng) for _ in range(rng.randint(1, 3)))
                    if oracle.is_pattern(p)] or ["ab"]
        text = bytes(rng.choice(b"abcx") for _ in range(rng.randint(0, 60)))
        plan = trawl.compile(patterns)
        try:
            needs = plan.range_needs(report=report)
        except trawl.UnsupportedError:
            continue
        places = [rng.randint(0, len(text)) for _ in range(rng.randint(0, 5))]
        if needs.cuts:
            at = [plan.range_cut(text[p - 1:], report=report) if p else 0 for p in places]
            places = [p - 1 + a if p else 0 for p, a in zip(places, at) if a is not None]
        cuts = [0] + sorted(places) + [len(text)]
        expected = oracle.find(patterns, text, report)
        assert plan.find(text, report=report).tolist() == expected, (patterns, text)
        assert search(plan, text, cuts, report, needs, rng) == expected, (patterns, text, cuts)
        tried += 1
    assert tried > 5


def in_order(plan, text, cuts, report, needs):
    """The matches of ranges that are each told by the one before it, and searched once."""
    found, seam = [], None
    for begin, end in zip(cuts, cuts[1:]):
        told = plan.follow(None, [seam], report=report)[1] if seam else None
        first, last = max(0, begin - needs.before), min(len(text), end + needs.after)
        matches, settled, seam = plan.find_range(text[first:last], begin, end, offset=first,
                                                 last=last == len(text), report=report, seam=told)
        assert settled == end
        found += matches.tolist()
    return found


def test_what_lives_on(rng, lasting):
    """From so long before a range that the bytes before it do not tell: seams do, in rounds, and in
    order, where no range is searched twice."""
    patterns, report, text = lasting
    plan = trawl.compile(patterns)
    needs = plan.range_needs(report=report)
    expected = plan.find(text, report=report).tolist()
    assert needs.follows and len(expected) > 5
    for count in (1, 4, 9):
        cuts = [0, *sorted(rng.sample(range(1, len(text)), count)), len(text)]
        assert search(plan, text, cuts, report, needs, rng) == expected, cuts
        assert in_order(plan, text, cuts, report, needs) == expected, cuts


def test_needs():
    """What ranges need is said, and what cannot be searched so is refused."""
    assert trawl.compile("abc").range_needs(report="ends") == (4, 0, False, False)
    assert trawl.compile("a.*b").range_needs(report="ends").follows
    assert trawl.compile("[a-z]+").range_needs().cuts
    assert trawl.compile("[a-z]+").range_cut(b"ab cd") == 3
    assert trawl.compile("[a-z]+").range_cut(b"abcd") is None
    with pytest.raises(trawl.UnsupportedError):
        trawl.compile("a.*b").range_needs(report="longest")
    with pytest.raises(ValueError):
        trawl.compile("ab").range_needs(report="all")


def test_places_of_numpy():
    """Cuts may come out of an array."""
    plan, text = trawl.compile("ab"), b"abxxab"
    cuts = np.array([0, 3, 6])
    found = [plan.find_range(text, *cuts[i:i + 2], offset=cuts[0], last=True)[0] for i in (0, 1)]
    assert np.concatenate(found).tolist() == plan.find(text).tolist()


def test_ranges_that_are_wrong():
    """Too few bytes at hand, a cut where none may be, foreign and damaged seams are refused."""
    plan = trawl.compile("abc")
    with pytest.raises(trawl.ArgumentError):
        plan.find_range(b"bcabc", 10, 15, offset=10)
    for wrong in (-1, 2**63, 2**64, 2**64 + 5):
        for name in ("begin", "end", "offset"):
            with pytest.raises(ValueError, match=f"{name} is a whole number from"):
                plan.find_range(b"abcab", **{"begin": 0, "end": 5, name: wrong}, last=True)
    with pytest.raises(TypeError, match="end is a whole number, not float"):
        plan.find_range(b"abcab", 0, 5.0, last=True)
    carries, other = trawl.compile("a.*b"), trawl.compile("a.*c")
    _, _, seam = carries.find_range(b"xax", 0, 3, report="ends")
    with pytest.raises(trawl.PlanError):
        other.follow(seam, [], report="ends")
    with pytest.raises(trawl.PlanError):
        carries.follow(seam[:-1], [], report="ends")
    with pytest.raises(TypeError):
        carries.follow("seam", [], report="ends")
    with pytest.raises(trawl.ArgumentError):
        carries.follow(None, [], report="ends")
