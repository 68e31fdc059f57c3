"""Texts in a GPU's memory. Where there is no GPU, what can be said of arrays without one."""
import numpy as np
import pytest

import trawl


class OfHost:
    """An array of the host that shows itself by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Elsewhere:
    """An array that says it is a GPU's."""

    def __init__(self, shape, strides=None, typestr="|u1", **more):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "strides": strides,
                                         "data": (4096, True), "version": 3, **more}


class OfGpu:
    """An array of the host that says by DLPack that it is a GPU's, and notes for which stream."""

    def __init__(self, array, device=2):
        self.array, self.device, self.stream = array, device, None

    def __dlpack__(self, *, stream):
        self.stream = stream
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.device, 0


def test_dlpack_of_the_host():
    """An array of the host that knows DLPack and no buffer is searched where it is."""
    assert trawl.compile("he").find(OfHost(np.frombuffer(b"ushers", np.uint8).copy())).tolist() == \
        [(0, 2, 4, 0)]


@pytest.mark.parametrize("call", [
    trawl.load,
    lambda array: trawl.open("name", data=array),
    lambda array: trawl.compile("he", sample=array),
    lambda array: trawl.compile("he+").range_cut(array),
    lambda array: trawl.compile("he+").find_range(array, 0, 100),
    lambda array: trawl.compile("he+").find_range(b"ushers", 0, 6, seam=array),
    lambda array: trawl.compile("he+").follow(array, []),
    lambda array: trawl.compile("he+").follow(None, [array]),
    lambda array: trawl.compile("he").stream(report="ends", state=array),
    lambda array: trawl.compile("he").find_many((array, np.array([0, 100]))),
])
def test_what_is_read_on_the_host(call):
    """Plans, states, seams, samples and files are the host's: a GPU's address is not followed."""
    with pytest.raises(TypeError, match="host"):
        call(Elsewhere((100,)))


def test_a_cpu_refuses_what_a_gpu_has():
    """A plan for the CPU refuses a GPU's array before it is touched; so do calls that take none."""
    plan = trawl.compile("he")
    array = Elsewhere((100,))
    for call in (plan.find, plan.count, plan.count_each):
        with pytest.raises(trawl.UnsupportedError):
            call(array)
    with pytest.raises(trawl.UnsupportedError):
        plan.collect(array)
    for call in (plan.iter, plan.stream().feed, lambda a: plan.find_many([a])):
        with pytest.raises(TypeError, match="host"):
            call(array)
    with pytest.raises(TypeError, match="device"):
        plan.collect(b"text")
    with pytest.raises(ValueError, match="contiguous"):
        plan.find(Elsewhere((10, 10), (20, 1)))
    picture = np.eye(4, dtype=np.uint8)
    grid = trawl.grid(picture[:2, :2])
    assert len(grid.find(OfHost(picture))) == 3
    for call in (grid.find, grid.count):
        with pytest.raises(trawl.UnsupportedError, match="from the host with GridPlan.find"):
            call(Elsewhere((4, 4)))
        with pytest.raises(ValueError, match="2 bytes"):
            call(Elsewhere((4, 4), typestr="<u2"))
    with pytest.raises(trawl.UnsupportedError, match="numbers, which are made on the host"):
        trawl.grid(np.zeros((1, 1))).find(Elsewhere((4, 4), typestr="<f8"))
    with pytest.raises(trawl.UnsupportedError, match="copy it to the host"):
        trawl.grid([Elsewhere((4, 4))])
    with pytest.raises(ValueError, match="uint64"):
        plan.collect(array, counts=Elsewhere((3,)))


def cells_of(picture):
    """(address, stream, rows, cols, stride, bytes of a cell, of a channel) that the library gets."""
    cells = trawl._grid._cells_there(picture)
    return cells.array[:2] + cells[1:-1]


def test_descriptions_by_the_interface():
    """Shape, strides, type and stream of ``__cuda_array_interface__`` are taken for what they say;
    axes of one item, and empty arrays, may have any strides."""
    for array, expected in (
            (Elsewhere((4, 5)), (4096, 0, 4, 5, 5, 1, 1)),
            (Elsewhere((4, 5), (16, 1), stream=7), (4096, 7, 4, 5, 16, 1, 1)),
            (Elsewhere((4, 5), (16, 1), stream=None), (4096, 0, 4, 5, 16, 1, 1)),
            (Elsewhere((4, 5), (33, 2), "<u2"), (4096, 0, 4, 5, 33, 2, 2)),
            (Elsewhere((4, 5), None, "<f4"), (4096, 0, 4, 5, 20, 4, 4)),
            (Elsewhere((4, 5), None, "|b1"), (4096, 0, 4, 5, 5, 1, 1)),
            (Elsewhere((4, 5, 3)), (4096, 0, 4, 5, 15, 3, 1)),
            (Elsewhere((4, 5, 3), (64, 3, 1)), (4096, 0, 4, 5, 64, 3, 1)),
            (Elsewhere((4, 5, 2), (20, 4, 2), "<u2"), (4096, 0, 4, 5, 20, 4, 2)),
            (Elsewhere((4, 5, 1), (9, 1, 77)), (4096, 0, 4, 5, 9, 1, 1)),
            (Elsewhere((1, 5), (-3, 1)), (4096, 0, 1, 5, 5, 1, 1)),
            (Elsewhere((4, 1), (8, 99)), (4096, 0, 4, 1, 8, 1, 1)),
            (Elsewhere((0, 5), (1, 9)), (4096, 0, 0, 5, 5, 1, 1)),
            (Elsewhere((5, 0), (1, 9)), (4096, 0, 5, 0, 0, 1, 1))):
        assert cells_of(array) == expected


def test_types():
    """The type of a GPU's picture is that of the needles, where its library says it: by NumPy's name,
    by its own, or by the interface."""
    needle = np.zeros((1, 1), np.uint8)
    plan = trawl.grid(needle)
    named = OfGpu(np.zeros((2, 2), np.int8))
    for kind in (np.dtype(np.int8), "torch.int8"):
        named.dtype = kind
        for picture in (named, Elsewhere((2, 2), None, "|i1")):
            with pytest.raises(ValueError, match="picture's cells are int8, the needles' uint8"):
                plan.find(picture)
    for kind in (np.dtype(np.uint8), np.dtype(bool), "torch.uint8", "torch.bool", "torch.bfloat16"):
        named.dtype = kind
        for picture in (named, Elsewhere((2, 2)), Elsewhere((2, 2), None, "|b1")):
            with pytest.raises(trawl.UnsupportedError):  # a CPU's plan, which would take it else
                plan.find(picture)


def test_descriptions_by_dlpack():
    """So are those of a capsule; and the array's library is asked to have its work done."""
    for kind, shape, view in (
            (np.uint8, (6, 7), np.s_[:]), (np.uint8, (6, 7), np.s_[2:5, 1:4]),
            (np.uint8, (6, 7), np.s_[::2]), (np.uint16, (6, 7), np.s_[1:, 3:]),
            (np.float32, (6, 7), np.s_[:, :1]), (np.uint8, (6, 7, 4), np.s_[:, 2:]),
            (np.int16, (6, 7, 2), np.s_[3:])):
        array = np.zeros(shape, kind)[view]
        picture = OfGpu(array)
        size = array.itemsize * (array.shape[2] if array.ndim == 3 else 1)
        assert cells_of(picture) == (array.ctypes.data, 1, *array.shape[:2], array.strides[0], size,
                                     array.itemsize)
        assert picture.stream == 1


@pytest.mark.parametrize("array, error, message", [
    (Elsewhere((4, 5), (1, 4)), ValueError, "one below the other"),
    (Elsewhere((4, 5), (10, 2)), ValueError, "side by side"),
    (Elsewhere((4, 5), (-5, 1)), ValueError, "one below the other"),
    (Elsewhere((4, 5), (0, 1)), ValueError, "one below the other"),
    (Elsewhere((4, 5), (4, 1)), ValueError, "one below the other"),
    (Elsewhere((4, 5, 3), (20, 4, 1)), ValueError, "side by side"),
    (Elsewhere((4, 5, 3), (5, 1, 20)), ValueError, "side by side"),
    (Elsewhere((4, 5), None, ">u2"), ValueError, "byte order"),
    (Elsewhere((4, 5), None, "<f8"), ValueError, "8 bytes, the needles' 1"),
    (Elsewhere((4, 5, 5)), ValueError, "5 bytes, the needles' 1"),
    (Elsewhere((4, 5, 0)), ValueError, "not 0"),
    (Elsewhere((20,)), ValueError, "H x W"),
    (Elsewhere((4, 5), mask=np.ones((4, 5))), ValueError, "masked"),
    (OfGpu(np.zeros((4, 5), np.uint8), 10), trawl.UnsupportedError, "not CUDA's"),
])
def test_pictures_that_cannot_be_searched_there(array, error, message):
    """What is not rows of cells is refused, and not copied unasked."""
    plan = trawl.grid(np.zeros((1, 1), np.uint8))
    for call in (plan.find, plan.count):
        with pytest.raises(error, match=message):
            call(array)


@pytest.fixture
def opencl():
    if not trawl.devices("opencl"):
        pytest.skip("no OpenCL device")


def test_opencl_refuses_what_cuda_has(opencl):
    """An address of CUDA's is no handle of OpenCL's, whose loader would follow it to nowhere."""
    plan = trawl.compile("he", backend="opencl")
    array = Elsewhere((100,))
    grid = trawl.grid(np.zeros((1, 1), np.uint8), backend="opencl")
    for call in (plan.find, plan.count, plan.count_each, plan.collect):
        with pytest.raises(trawl.UnsupportedError, match="opencl"):
            call(array)
    for call in (grid.find, grid.count):
        with pytest.raises(trawl.UnsupportedError, match="opencl"):
            call(Elsewhere((4, 5)))
    assert plan.count(b"ushers") == 1 and grid.count(np.zeros((4, 5), np.uint8)) == 20


def gpu_arrays(array):
    """An array as one of a GPU, by each library that is there."""
    arrays = {}
    try:
        import cupy
        arrays["cupy"] = cupy.asarray(array)
    except ImportError:
        pass
    try:
        import torch
        arrays["torch"] = torch.from_numpy(array).cuda()
    except ImportError:
        pass
    if not arrays:
        pytest.skip("neither CuPy nor PyTorch is installed")
    return arrays


@pytest.fixture
def cuda():
    if not trawl.devices("cuda"):
        pytest.skip("no CUDA device")


def test_texts_of_a_gpu(cuda, rng):
    """CuPy's and PyTorch's arrays are searched where they are, with the matches of the host."""
    text = bytes(rng.choices(b"abcd", k=1 << 20))
    words = [b"abbacd", b"dddddd", b"abcabc"]
    expected = trawl.compile(words).find(text)
    plan = trawl.compile(words, backend="cuda")
    assert (plan.find(text) == expected).all()
    for name, array in gpu_arrays(np.frombuffer(text, np.uint8).copy()).items():
        assert (plan.find(array) == expected).all(), name
        assert plan.count(array) == len(expected)
        assert plan.count_each(array).tolist() == np.bincount(expected["pattern"]).tolist()


def test_results_on_a_gpu(cuda, rng):
    """collect leaves matches and counts on the device."""
    cupy = pytest.importorskip("cupy")
    text = bytes(rng.choices(b"abcd", k=1 << 20))
    plan = trawl.compile([b"abbacd", b"dddddd"], backend="cuda")
    expected = plan.find(text)
    matches = cupy.zeros((len(expected) + 10, 2), cupy.uint64)
    counts = cupy.zeros(2, cupy.uint64)
    array = cupy.asarray(np.frombuffer(text, np.uint8))
    assert plan.collect(array, matches=matches, counts=counts) == len(expected)
    assert counts.get().tolist() == np.bincount(expected["pattern"]).tolist()
    found = matches.get()[:len(expected)]
    pairs = sorted(zip(found[:, 0].tolist(), (found[:, 1] & 0xffffffff).tolist()))
    assert pairs == sorted(zip(expected["end"].tolist(), expected["pattern"].tolist()))
    assert plan.collect(array, matches=matches[:5]) == len(expected)


def test_pictures_on_a_gpu(cuda, rng):
    """A grid is searched by the GPU, with the places of the CPU."""
    picture = np.array(rng.choices([0, 1], k=100 * 100), np.uint8).reshape(100, 100)
    needle = picture[10:13, 20:23]
    assert (trawl.grid(needle, backend="cuda").find(picture)
            == trawl.grid(needle).find(picture)).all()


VIEWS = [np.s_[:], np.s_[16:, 32:], np.s_[3:200, 5:190], np.s_[:, :256], np.s_[::3], np.s_[:0],
         np.s_[:, :0], np.s_[-1:], np.s_[:, -3:]]


@pytest.mark.parametrize("kind, channels", [(np.uint8, None), (np.int16, None), (np.float32, None),
                                            (np.uint8, 2), (np.uint8, 3), (np.uint8, 4)])
def test_pictures_of_a_gpu(cuda, rng, kind, channels):
    """Pictures in a GPU's memory, and windows of them, are searched there, with the places of the
    CPU, also by masks."""
    shape = (300, 333) if channels is None else (300, 333, channels)
    picture = np.array(rng.choices([0, 1, 2], k=int(np.prod(shape))), kind).reshape(shape)
    picture[::50] = 1
    needles = [picture[49:51, 7:10], picture[20:25, 40:47], picture[-2:, -4:]]
    mask = np.array([[1, 0, 1], [1, 1, 0]])
    plans = [trawl.grid(needles), trawl.grid(needles[:1], masks=[mask]),
             trawl.grid(needles[2:], wrong=1)]
    for name, array in gpu_arrays(picture).items():
        for plan in plans:
            there = plan.on("cuda")
            for view in VIEWS:
                expected = plan.find(picture[view])
                assert (there.find(array[view]) == expected).all(), (name, view)
                assert there.count(array[view]) == len(expected), (name, view)
            assert (there.find(array, max_matches=2) == plan.find(picture)[:2]).all()
            with pytest.raises(ValueError, match="one below the other"):
                there.find(array.swapaxes(0, 1))


def test_pictures_that_a_stream_makes(cuda):
    """A search waits for the stream that makes its picture."""
    cupy = pytest.importorskip("cupy")
    plan = trawl.grid(np.ones((2, 2), np.uint8), backend="cuda")
    for _ in range(20):
        with cupy.cuda.Stream(non_blocking=True):
            work = cupy.random.random((2000, 2000))
            picture = ((work @ work) > -1).astype(cupy.uint8)
            assert plan.count(picture) == 1999 * 1999
