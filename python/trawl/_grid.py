"""Rectangles of cells, found in larger ones: tiles in pictures."""
from __future__ import annotations

import warnings
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core, _device, _wide
from ._errors import Error, UnsupportedError, name_it
from ._patterns import _integer, _labels, _listed
from ._plan import _Compiled, _options, _settings
from ._texts import Picture

MAX_BYTES = 4  # of a cell, as the library takes it

#: What a match in a picture is: ``needle``, its index; ``row`` and ``col`` of its top left cell.
GRID_MATCH = np.dtype([("needle", "<i8"), ("row", "<i8"), ("col", "<i8")])


class _Cells(NamedTuple):
    """An array as the library reads it: ``stride`` bytes from row to row."""

    array: Any  # or (address, stream, owner) of memory of a CUDA device
    rows: int
    cols: int
    stride: int
    size: int  # bytes of a cell
    channel: int  # bytes of a channel of it
    type: str  # of a channel: NumPy's name, a bool's that of its byte; "": not known


def _cell_size(shape: Tuple[int, ...], itemsize: int) -> int:
    if len(shape) not in (2, 3):
        raise ValueError("a picture is an array of H x W or H x W x C numbers")
    size = itemsize * (shape[2] if len(shape) == 3 else 1)
    if size == 0:
        raise ValueError(f"a cell has a byte at least, not 0, as those of an array of {shape}")
    return size


def _stride(strides: Sequence[int], rows: int, cols: int, size: int) -> int:
    """Bytes from row to row. Where there is no next row, or nothing in one, an array may say any."""
    return strides[0] if rows > 1 and cols > 0 else cols * size


def _byte_of_bool(name: str) -> str:
    return "uint8" if name == "bool" else name


def _is_elsewhere(picture: Any) -> bool:
    return (not isinstance(picture, np.ndarray)
            and (hasattr(picture, "__dlpack_device__")
                 or hasattr(picture, "__cuda_array_interface__"))
            and _device.is_elsewhere(picture))


def _host(picture: Any) -> np.ndarray:
    if hasattr(picture, "getexif"):  # of Pillow
        turned = picture.getexif().get(0x112, 1)
        if turned != 1:
            warnings.warn("the picture is to be turned or mirrored when it is shown (EXIF's orientation "
                          f"{turned}): it is searched, and rows and columns count, as it is stored; give "
                          "PIL.ImageOps.exif_transpose(picture)", stacklevel=5)
    if isinstance(picture, np.ndarray) or hasattr(picture, "__array__") \
            or not hasattr(picture, "__dlpack_device__"):
        return np.asarray(picture)
    return np.from_dlpack(picture)


def _cells(picture: Any) -> _Cells:
    if np.ma.is_masked(picture):
        raise ValueError("a masked array has no cells where it is masked: grid(masks=) says which cells "
                         "of a needle count; of a picture give filled(value)")
    array = _host(picture)
    if array.dtype.hasobject:
        raise ValueError("a picture is an array of H x W or H x W x C numbers")
    size = _cell_size(array.shape, array.itemsize)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    rows, cols = array.shape[:2]
    if size > MAX_BYTES:  # numbers will stand for them
        if array.dtype.kind not in "biufc" or array.itemsize > 8 * (1 + (array.dtype.kind == "c")):
            raise ValueError(f"cells of {array.dtype} have bytes that are no part of their value")
        return _Cells(array, rows, cols, cols * size, size, array.itemsize,
                      _byte_of_bool(array.dtype.name))
    stride = _stride(array.strides, rows, cols, size)
    aligned = size if size in (2, 4) else 1
    inner = (size,) + ((array.itemsize,) if array.ndim == 3 else ())
    if (array.strides[1:] != inner or stride < cols * size
            or stride % aligned or array.ctypes.data % aligned):
        array = np.ascontiguousarray(array)
        if array.ctypes.data % aligned:  # a view of odd bytes
            array = array.copy()
        stride = cols * size
    return _Cells(array, rows, cols, stride, size, array.itemsize, _byte_of_bool(array.dtype.name))


def _cells_there(picture: Any) -> _Cells:
    """The cells of an array in a device's memory, which stays as it is."""
    memory = _device.memory_of(picture)
    if memory is None:
        raise UnsupportedError("the picture is in the memory of a device that is not CUDA's: copy it "
                               "to the host", -4)
    size = _cell_size(memory.shape, memory.itemsize)
    rows, cols = memory.shape[:2]
    stride = _stride(memory.strides, rows, cols, size)
    if not memory.native:
        raise ValueError("the picture's numbers have another byte order than this machine's: "
                         "convert them there, or copy it to the host")
    if not _device.side_by_side(memory, 1) or stride < cols * size:
        raise ValueError("a picture in a GPU's memory is searched where it is, so the cells of a row "
                         "stand side by side there, and its rows one below the other: copy it to one "
                         "that does (cupy.ascontiguousarray(picture), picture.contiguous() of "
                         "PyTorch)")
    return _Cells((memory.address, memory.stream, memory.owner), rows, cols, stride, size,
                  memory.itemsize, _byte_of_bool(_device.type_of(picture)))


#: A plan's tag says of what type its cells are, if it is this plus an index into _TYPES.
_TAG = 0x43454C00
_TYPES = ("", "uint8", "uint16", "uint32", "int8", "int16", "int32", "float16", "float32", "uint64",
          "int64", "float64", "complex64", "complex128")


def _tag_of(type: str) -> int:
    return _TAG + (_TYPES.index(type) if type in _TYPES else 0)


def _type_of(tag: int) -> str:
    return _TYPES[tag - _TAG] if 0 <= tag - _TAG < len(_TYPES) else ""


def _needle(needle: Any) -> _Cells:
    if _is_elsewhere(needle):
        raise UnsupportedError("needles are compiled on the host, and this one is in a GPU's memory: "
                               "copy it to the host (needle.get() of CuPy, needle.cpu() of PyTorch)",
                               -4)
    return _cells(needle)


class GridPlan(_Compiled):
    """Compiled needles. Immutable, and pickles as its saved bytes, as `Plan`. Made by `grid`.

    One that was not made by this package does not say of what type its needles' cells are, and takes
    pictures of any type with cells of as many bytes."""

    __slots__ = ("_seen",)
    _seen: Any  #: set by the first use of `_numbers`

    def _numbers(self) -> Optional[_wide.Wide]:
        """What stands for cells of more than 4 bytes."""
        try:
            return self._seen
        except AttributeError:
            self._seen = _wide.load(self._note())
            return self._seen

    def _look(self, picture: Any) -> _Cells:
        seen = _cells_there(picture) if _is_elsewhere(picture) else _cells(picture)
        info = self._info()
        numbers = self._numbers()
        size, type = numbers.size if numbers else info[6], _type_of(info[8])
        if seen.size != size:
            raise ValueError(f"the picture's cells have {seen.size} bytes, the needles' {size}")
        if seen.type != type and seen.type and type:
            raise ValueError(f"the picture's cells are {seen.type}, the needles' {type}: cells "
                             "are compared by their bits, so give both as one type")
        if numbers and isinstance(seen.array, tuple):
            raise UnsupportedError(f"cells of {size} bytes are searched by numbers, which are made on the "
                                   "host: copy the picture there (picture.get() of CuPy, picture.cpu() "
                                   "of PyTorch)", -4)
        return _numbered(numbers, seen) if numbers else seen

    def find(self, picture: Picture, *, max_matches: int = 0, max_steps: int = 0,
             max_seconds: float = 0) -> np.ndarray:
        """All places where a needle stands in a picture.

        Args:
            picture: H x W cells, or H x W x C, as the needles have, and of their type. Those of up
                to 4 bytes together are searched as they are; larger ones, as of 16-bit RGB or float64, by
                numbers that stand for the needles' cells, 4 bytes a cell. A view whose rows are
                contiguous is not copied, others are. An array in the memory of the GPU that the plan is for (CuPy, PyTorch;
                DLPack or ``__cuda_array_interface__``) is searched there, if its rows are
                contiguous.
            max_matches, max_steps, max_seconds: as of `Plan`.

        Returns:
            A structured array of dtype `GRID_MATCH`, in order of row, column, needle.
        """
        p = self._look(picture)
        return self._find_grid(p.array, p.rows, p.cols, p.stride,
                               _options("ends", 0, max_matches, max_steps, max_seconds))

    def count(self, picture: Picture, *, max_steps: int = 0, max_seconds: float = 0) -> int:
        """How many places `find` would return."""
        p = self._look(picture)
        return self._count_grid(p.array, p.rows, p.cols, p.stride,
                                _options("ends", 0, 0, max_steps, max_seconds))


def _numbered(numbers: _wide.Wide, seen: _Cells) -> _Cells:
    return _cells(numbers.number(seen.array))._replace(type=seen.type)


def _refuse_signs(needle: _Cells) -> None:
    """Under a tolerance channels are numbers from 0 up, as which -1 is far from 0."""
    if needle.size > MAX_BYTES:
        raise ValueError(f"a tolerance is for cells of up to {MAX_BYTES} bytes, and these have "
                         f"{needle.size}: make them so first, as (picture >> 8).astype(numpy.uint8) does of 16 bits")
    if needle.type.startswith("uint"):
        return
    how = "make them unsigned integers first, as (picture * 255).astype(numpy.uint8) does of 0 to 1"
    if needle.type.startswith("int"):
        how = ("flip the sign's bit in needles and pictures, which keeps them in order: "
               f"picture.view(numpy.u{needle.type}) ^ {1 << (8 * needle.channel - 1):#x}")
    raise ValueError(f"a tolerance is for unsigned integers, and the cells are {needle.type}: {how}")


def _mask(mask: Any, needle: _Cells) -> Optional[np.ndarray]:
    if mask is None:
        return None
    array = np.ascontiguousarray(np.asarray(mask) != 0, dtype=np.uint8)
    if array.shape != (needle.rows, needle.cols):
        raise ValueError(f"a mask of {array.shape} for a needle of {needle.rows, needle.cols}")
    return array


def grid(needles: Union[np.ndarray, Sequence[Picture], Mapping[str, Picture],
                        Mapping[bytes, Picture]], *,
         names: Optional[Sequence[Optional[Union[str, bytes]]]] = None,
         masks: Union[None, np.ndarray, Sequence[Any]] = None, tolerance: int = 0, wrong: int = 0,
         engine: Optional[str] = None, max_memory: int = 0, backend: Optional[str] = None,
         threads: int = 0, device: Optional[Union[str, int]] = None,
         tuning: Optional[str] = None) -> GridPlan:
    """Compile rectangles of cells into a `GridPlan`.

    Args:
        needles: one array of H x W or H x W x C, or a list of such; or a dictionary of them, whose
            keys are their names; all of one type. Cells are compared by their bits: of floats -0.0
            is not 0.0, and a NaN is a NaN of the same bits.
        names: of each needle, or None.
        masks: of each needle an array of H x W, or None: where it is 0 a cell matches anything.
        tolerance: every channel of a cell may differ by so much. For unsigned integers.
        wrong: how many cells of a place may differ by more.
        engine, max_memory, backend, threads, device, tuning: as of `compile`.

    Raises:
        ValueError: shapes or types do not fit.
        UnsupportedError, LimitError: as of `compile`.
    """
    if isinstance(needles, np.ndarray):
        needles = [needles]
        masks = [masks] if isinstance(masks, np.ndarray) and masks.ndim == 2 else masks
    given, _, names = _listed(needles, names, "needles")
    seen = [_needle(needle) for needle in given]
    if len({(n.size, n.channel) for n in seen}) > 1:
        raise ValueError("the needles' cells are not of one size")
    if len({n.type for n in seen}) > 1:
        raise ValueError("the needles' cells are of several types, " +
                         ", ".join(sorted({n.type for n in seen})) + ": cells are compared by their "
                         "bits, so give all as one")
    if masks is not None and len(masks) != len(seen):
        raise ValueError(f"there are {len(masks)} masks for {len(seen)} needles")
    tolerance = _integer(tolerance, "tolerance", 2**32 - 1)
    if tolerance and seen:
        _refuse_signs(seen[0])
    type, note = seen[0].type if seen else "", b""
    if seen and seen[0].size > MAX_BYTES:
        numbers = _wide.wide_of([n.array for n in seen], seen[0].size)
        seen, note = [_numbered(numbers, n) for n in seen], numbers.save()
    labels = _labels(names, len(seen), "needles") or [None] * len(seen)
    settings = _settings(backend, threads, device, tuning)
    try:
        plan = GridPlan._compile_grid(
            [(n.array, n.rows, n.cols, n.stride, label) for n, label in zip(seen, labels)],
            seen[0].size if seen else 1,
            None if masks is None else [_mask(mask, n) for mask, n in zip(masks, seen)],
            tolerance, seen[0].channel if seen else 0, wrong, engine,
            max_memory, _tag_of(type), note, settings)
    except Error as error:
        raise name_it(error, "needle", labels)
    plan._settings = settings
    return plan
