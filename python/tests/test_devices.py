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

    def __init__(self, shape, strides=None):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": "|u1", "strides": strides,
                                         "data": (4096, False), "version": 3}


def test_dlpack_of_the_host():
    """An array of the host that knows DLPack and no buffer is searched where it is."""
    if not hasattr(np, "from_dlpack"):
        pytest.skip("this NumPy knows no DLPack")
    assert trawl.compile("he").find(OfHost(np.frombuffer(b"ushers", np.uint8).copy())).tolist() == \
        [(0, 2, 4, 0)]


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
    for call in (grid.find, grid.count, lambda a: trawl.grid([a])):
        with pytest.raises(trawl.UnsupportedError, match="copy it to the host"):
            call(Elsewhere((4, 4)))
    with pytest.raises(ValueError, match="uint64"):
        plan.collect(array, counts=Elsewhere((3,)))


@pytest.fixture
def opencl():
    if not trawl.devices("opencl"):
        pytest.skip("no OpenCL device")


def test_opencl_refuses_what_cuda_has(opencl):
    """An address of CUDA's is no handle of OpenCL's, whose loader would follow it to nowhere."""
    plan = trawl.compile("he", backend="opencl")
    array = Elsewhere((100,))
    for call in (plan.find, plan.count, plan.count_each, plan.collect):
        with pytest.raises(trawl.UnsupportedError, match="opencl"):
            call(array)
    assert plan.count(b"ushers") == 1


def gpu_arrays(text):
    """The text as arrays of a GPU, by each library that is there."""
    arrays = {}
    try:
        import cupy
        arrays["cupy"] = cupy.asarray(np.frombuffer(text, np.uint8))
    except ImportError:
        pass
    try:
        import torch
        arrays["torch"] = torch.frombuffer(bytearray(text), dtype=torch.uint8).cuda()
    except ImportError:
        pass
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
    for name, array in gpu_arrays(text).items():
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
