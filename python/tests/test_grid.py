"""Pictures: every place of every needle, against the oracle."""
import pickle

import numpy as np
import oracle
import pytest

import trawl

KINDS = [(np.uint8, None), (np.int8, None), (np.uint16, None), (np.uint32, None),
         (np.float32, None), (bool, None), (np.uint8, 2), (np.uint8, 3), (np.uint8, 4),
         (np.uint16, 2), (np.dtype(">u2"), None)]


def random_picture(rng, kind, rows, cols):
    dtype, channels = kind
    shape = (rows, cols) if channels is None else (rows, cols, channels)
    values = [rng.randint(0, 1) for _ in range(int(np.prod(shape)))]
    return np.array(values, dtype=dtype).reshape(shape)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_cell(rng, cases, kind):
    """All places are found, whatever a cell is; count agrees; so does the pickled plan."""
    for case in range(cases // 15):
        picture = random_picture(rng, kind, rng.randint(1, 20), rng.randint(1, 20))
        needles = [random_picture(rng, kind, rng.randint(1, 3), rng.randint(1, 4))
                   for _ in range(rng.randint(1, 3))]
        plan = trawl.grid(needles)
        expected = oracle.find_in_grid(needles, picture)
        assert plan.find(picture).tolist() == expected
        assert plan.count(picture) == len(expected)
        assert pickle.loads(pickle.dumps(plan)).find(picture).tolist() == expected


def test_views(rng):
    """A window of a picture, turned, mirrored or unaligned, is searched as its copy."""
    for kind in KINDS:
        whole = random_picture(rng, kind, 30, 40)
        needle = whole[10:12, 10:13]
        plan = trawl.grid(needle)
        views = [whole[3:20, 5:31], whole[::-1], whole[:, ::-1], whole[::2, ::3],
                 whole.swapaxes(0, 1), np.asfortranarray(whole), whole[:0], whole[:, :0]]
        if whole.itemsize > 1 and whole.dtype.isnative:
            odd = np.zeros(whole.nbytes + 1, np.uint8)[1:]
            odd[:] = np.ascontiguousarray(whole).reshape(-1).view(np.uint8)
            views.append(odd.view(whole.dtype).reshape(whole.shape))
        for view in views:
            assert plan.find(view).tolist() == oracle.find_in_grid([needle], view)
        writeable = whole.copy()
        writeable.flags.writeable = False
        assert plan.count(writeable) >= 1


def test_pictures_of_one_row_or_column(rng, cases):
    """What an array says of the way to a row that it does not have is passed over."""
    for case in range(cases // 10):
        for kind in KINDS:
            whole = random_picture(rng, kind, rng.randint(2, 6), rng.randint(2, 6))
            pictures = [whole[:1], whole[1:2][::-1], whole[::9], whole[:, :1],
                        np.ascontiguousarray(whole[:, :1]).swapaxes(0, 1), whole[:1, :1],
                        np.lib.stride_tricks.as_strided(whole[:1], strides=(-77, *whole.strides[1:]))]
            needle = whole[:1, :rng.randint(1, 2)]
            for picture in pictures:
                expected = oracle.find_in_grid([needle], picture)
                assert trawl.grid(needle).find(picture).tolist() == expected
                assert trawl.grid(picture).count(picture) == 1


def test_likeness(rng, cases):
    """Masks, a tolerance a channel and wrong cells let pass what they say, and nothing else."""
    for case in range(cases // 10):
        picture = np.array([rng.randint(0, 9) for _ in range(12 * 12 * 3)], np.uint8)
        picture = picture.reshape(12, 12, 3)
        row, col = rng.randint(0, 8), rng.randint(0, 8)
        needle = picture[row:row + 3, col:col + 2].copy()
        mask = np.array([[rng.randint(0, 2) > 0 for _ in range(2)] for _ in range(3)])
        mask[0, 0] = True  # a mask compares something
        tolerance, wrong = rng.randint(0, 4), rng.randint(0, 3)
        plan = trawl.grid([needle], masks=[mask], tolerance=tolerance, wrong=wrong)
        expected = []
        for r in range(10):
            for c in range(11):
                apart = np.abs(picture[r:r + 3, c:c + 2].astype(int) - needle).max(axis=2)
                if ((apart > tolerance) & mask).sum() <= wrong:
                    expected.append((0, r, c))
        assert plan.find(picture).tolist() == expected


def test_names_and_errors():
    """Names come back; shapes and types that do not fit are refused with the reason."""
    a = np.zeros((2, 2), np.uint8)
    plan = trawl.grid([a, a + 1], names=["black", "grey"])
    assert plan.names == ["black", "grey"] and plan.info.cell_size == 1
    assert trawl.load(plan.save()).find(np.zeros((3, 2), np.uint8)).tolist() == \
        [(0, 0, 0), (0, 1, 0)]
    assert len(plan.find(np.zeros((9, 9), np.uint8), max_matches=5)) == 5
    for bad in (np.zeros((2, 2, 5), np.uint8), np.zeros((2, 2)), np.zeros(4, np.uint8),
                np.array([[None]])):
        with pytest.raises(ValueError):
            trawl.grid(bad)
        with pytest.raises(ValueError):
            plan.find(bad)
    for name in ("tolerance", "wrong", "max_memory"):
        for wrong in (-1, 2**64, 2**64 + 1):
            with pytest.raises(ValueError, match=f"{name} is a whole number from"):
                trawl.grid(a, **{name: wrong})
        with pytest.raises(TypeError, match=f"{name} is a whole number"):
            trawl.grid(a, **{name: 1.5})
        assert trawl.grid(a + 4, **{name: np.int64(0)}).count(a + 4) == 1
    assert trawl.grid(a, wrong=np.int64(1), tolerance=np.uint8(1)).count(a + 1) == 1
    with pytest.raises(ValueError, match="2 bytes"):
        plan.find(np.zeros((9, 9), np.uint16))
    with pytest.raises(ValueError, match="one size"):
        trawl.grid([a, a.astype(np.uint16)])
    with pytest.raises(ValueError, match="mask"):
        trawl.grid([a], masks=[np.ones((3, 3))])
    with pytest.raises(ValueError):
        trawl.grid([a], names=["a", "b"])
    with pytest.raises(trawl.Error):
        trawl.grid([])
    with pytest.raises(trawl.Error):
        trawl.grid(np.zeros((0, 3), np.uint8))
