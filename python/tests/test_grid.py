"""Pictures: every place of every needle, against the oracle."""
import pickle
import time
import warnings

import numpy as np
import oracle
import pytest

import trawl

KINDS = [(np.uint8, None), (np.int8, None), (np.uint16, None), (np.uint32, None),
         (np.float32, None), (bool, None), (np.uint8, 2), (np.uint8, 3), (np.uint8, 4),
         (np.uint16, 2), (np.dtype(">u2"), None), (np.uint16, 3), (np.float64, None), (np.int64, None),
         (np.uint8, 6), (np.dtype(">u2"), 4), (np.float32, 5), (np.complex128, None)]


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


def test_tolerance_of_signs(rng, cases):
    """Signed cells and floats, which would be compared as unsigned ones, are refused under a tolerance,
    with what to do instead; which is right."""
    for kind, bits in ((np.int8, "uint8) ^ 0x80"), (np.int16, "uint16) ^ 0x8000"),
                       (np.int32, "uint32) ^ 0x80000000")):
        numbers = np.iinfo(kind)
        for case in range(cases // 30):
            picture = np.array([rng.choice([numbers.min, numbers.max, rng.randint(-3, 3)])
                                for _ in range(64)], kind).reshape(8, 8)
            needle = picture[2:4, 5:7]
            with pytest.raises(ValueError) as caught:
                trawl.grid(needle, tolerance=2)
            said = str(caught.value).rsplit(": ", 1)[1]
            assert said == f"picture.view(numpy.{bits}"
            flip = eval(f"lambda picture: {said}", {"numpy": np})
            found = trawl.grid(flip(needle), tolerance=2).find(flip(picture))
            windows = np.lib.stride_tricks.sliding_window_view(picture.astype(np.int64), (2, 2))
            apart = np.abs(windows - needle.astype(np.int64)).max(axis=(2, 3))
            assert found[["row", "col"]].tolist() == list(zip(*map(np.ndarray.tolist,
                                                                   np.nonzero(apart <= 2))))
            assert trawl.grid(needle, wrong=1).count(picture) >= 1
    with pytest.raises(ValueError, match="unsigned integers first"):
        trawl.grid(np.zeros((1, 1), np.float32), tolerance=1)
    for kind in (np.uint8, np.uint16, np.uint32, bool):
        assert trawl.grid(np.zeros((1, 1), kind), tolerance=1).count(np.ones((2, 2), kind)) == 4


def test_cells_of_one_type():
    """Needles and pictures whose numbers have other bits are refused, by plans that were pickled, saved or
    are searched elsewhere too; bools are bytes, and floats are compared by their bits."""
    needle, picture = np.ones((1, 1), np.float32), np.ones((3, 3), np.int32)
    plan = trawl.grid(needle)
    for other in (plan, plan.on("serial"), pickle.loads(pickle.dumps(plan)), trawl.load(plan.save())):
        for call in (other.find, other.count):
            with pytest.raises(ValueError, match="int32, the needles' float32"):
                call(picture)
            call(needle)
    for kind, channels in ((np.int32, ()), (np.uint8, (4,)), (np.int8, (4,)), (np.uint16, (2,))):
        with pytest.raises(ValueError, match="as one type"):
            plan.find(np.ones((3, 3, *channels), kind))
    with pytest.raises(ValueError, match="several types, float32, int32"):
        trawl.grid([needle, picture])
    assert trawl.grid(np.array([[True]])).count(np.array([[1, 0, 1]], np.uint8)) == 2
    assert trawl.grid(np.array([[1]], ">u2")).count(np.array([[1, 0, 1]], "<u2")) == 2
    zeros = np.array([[0.0, -0.0, np.nan]], np.float32)
    assert trawl.grid(zeros[:, :1]).find(zeros)["col"].tolist() == [0]
    assert trawl.grid(zeros[:, 2:]).find(zeros)["col"].tolist() == [2]


def test_names_and_errors():
    """Names come back; shapes and types that do not fit are refused with the reason."""
    a = np.zeros((2, 2), np.uint8)
    plan = trawl.grid([a, a + 1], names=["black", "grey"])
    assert plan.names == ("black", "grey") and plan.info.cell_size == 1
    assert trawl.load(plan.save()).find(np.zeros((3, 2), np.uint8)).tolist() == \
        [(0, 0, 0), (0, 1, 0)]
    assert len(plan.find(np.zeros((9, 9), np.uint8), max_matches=5)) == 5
    for bad in (np.zeros((2, 2, 0), np.uint8), np.zeros((2, 2, 2, 2)), np.zeros(4, np.uint8),
                np.array([[None]]), np.zeros((2, 2), np.longdouble)):
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
    with pytest.raises(ValueError, match=r"not 0, as those of an array of \(5, 5, 0\)"):
        plan.find(np.zeros((5, 5, 0), np.uint8))
    with pytest.raises(ValueError, match="2 bytes"):
        plan.find(np.zeros((9, 9), np.uint16))
    masked = np.ma.array(np.zeros((2, 2), np.uint8), mask=[[0, 1], [0, 0]])
    for call in (trawl.grid, plan.find, plan.count):
        with pytest.raises(ValueError, match="masked"):
            call(masked)
    assert plan.count(masked.filled(0)) == plan.count(np.ma.array(a)) == 1
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


def test_pictures_that_are_to_be_turned():
    """Pillow's pictures are searched as they are stored; where EXIF says otherwise there is a warning."""
    Image = pytest.importorskip("PIL.Image")
    picture = Image.fromarray(np.arange(12, dtype=np.uint8).reshape(3, 4))
    plan = trawl.grid(np.array([[1, 2]], np.uint8))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plan.find(picture).tolist() == [(0, 0, 1)]
    picture.getexif()[0x112] = 6
    with pytest.warns(UserWarning, match="orientation 6.*exif_transpose") as caught:
        assert plan.find(picture).tolist() == [(0, 0, 1)]
    assert caught[0].filename == __file__


def test_wide_cells(rng):
    """Cells of more than 4 bytes are compared as wholes, by saved plans too; wrong cells and masks work,
    a tolerance is refused; so are pictures of other cells."""
    picture = np.array([[rng.choice([0.0, -0.0, np.nan, 1e300, -1.5]) for _ in range(50)]
                        for _ in range(40)])
    needle = picture[10:12, 20:23]
    expected = [(0, r, c) for r in range(39) for c in range(48)
                if picture[r:r + 2, c:c + 3].tobytes() == needle.tobytes()]
    plan = trawl.grid(needle, names=["one"])
    for other in (plan, trawl.load(plan.save()), pickle.loads(pickle.dumps(plan)), plan.on("serial")):
        assert other.find(picture).tolist() == expected and (0, 10, 20) in expected
        assert other.find(needle[:0]).tolist() == [] and other.count(picture) == len(expected)
        for wrong in (picture.view(np.int64), picture[:, :, None].view(np.float32),
                      np.zeros((9, 9, 9), np.uint8)):
            with pytest.raises(ValueError):
                other.find(wrong)
    stranger = picture.copy()
    stranger[11, 21] = 7.25  # which no needle has
    assert (0, 10, 20) not in plan.find(stranger).tolist()
    assert (0, 10, 20) in trawl.grid(needle, wrong=1).find(stranger).tolist()
    mask = np.ones((2, 3))
    mask[1, 1] = 0
    assert (0, 10, 20) in trawl.grid(needle, masks=mask).find(stranger).tolist()
    with pytest.raises(ValueError, match="up to 4 bytes"):
        trawl.grid(np.zeros((1, 1, 3), np.uint16), tolerance=1)
    both = trawl.grid([np.full((1, 1, 3), 700, np.uint16), np.full((1, 2, 3), 9, np.uint16)])
    assert both.find(np.full((1, 3, 3), 9, np.uint16)).tolist() == [(1, 0, 0), (1, 0, 1)]


def test_cells_of_three_bytes_cost_no_more():
    """The same picture of three channels takes no longer than that of four: it took 7 to 21 times as long."""
    rng = np.random.default_rng(7)
    four = rng.integers(0, 256, (600, 800, 4), np.uint8)
    four[..., 3] = 255
    spent = {}
    for picture in (four, np.ascontiguousarray(four[..., :3])):
        plan = trawl.grid(picture[10:26, 5:21], wrong=100, threads=1)
        if plan.isa == "portable":
            pytest.skip("without vectors")
        times = []
        for _ in range(5):
            begin = time.process_time()
            assert plan.find(picture).tolist() == [(0, 10, 5)]
            times.append(time.process_time() - begin)
        spent[picture.shape[2]] = min(times)
    assert spent[3] < 3 * spent[4]
