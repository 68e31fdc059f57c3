"""What many texts may be given as."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, Protocol, Tuple, Union

import numpy as np

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._readers import Reader, Records


class Letters(Protocol):
    """A sequence of letters that says its bytes, as Seq of Biopython does."""

    def __bytes__(self) -> bytes: ...

    def __len__(self) -> int: ...


class OfDLPack(Protocol):
    """An array of any library, of the host or of a device."""

    def __dlpack_device__(self) -> Tuple[Any, Any]: ...


class OfCuda(Protocol):
    """An array in the memory of a CUDA device."""

    @property
    def __cuda_array_interface__(self) -> Any: ...


class ArrowArray(Protocol):
    """A column that is handed on by Arrow's capsules."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Tuple[Any, Any]: ...


class ArrowStream(Protocol):
    """The same in chunks."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class SupportsArray(Protocol):
    """What NumPy makes an array of."""

    def __array__(self) -> Any: ...


class OfPillow(Protocol):
    """What Pillow makes an array of."""

    @property
    def __array_interface__(self) -> Any: ...


Text = Union["Buffer", np.ndarray, Letters, OfDLPack, OfCuda]
Texts = Union[Iterable[Union[str, Text]], Tuple["Buffer", np.ndarray], ArrowArray, ArrowStream, "Reader",
              "Records"]
Picture = Union[np.ndarray, SupportsArray, OfPillow, OfDLPack, OfCuda]


def _is_file(given: Any) -> bool:
    """Whether going through it gives lines."""
    return hasattr(given, "read") and hasattr(given, "readline")


def _says_its_bytes(text: Any) -> bool:
    """Whether it is a sequence of letters that says its bytes, as Seq of Biopython does."""
    return all(hasattr(text, name) for name in ("__bytes__", "__len__", "__getitem__"))


def _is_one_text(texts: Any) -> bool:
    """Whether its items are numbers, or its bytes are shown as one text's: it is no list of texts."""
    if isinstance(texts, np.ndarray) or hasattr(texts, "__dlpack__"):
        dimensions = getattr(texts, "ndim", 1)
        kind = getattr(getattr(texts, "dtype", None), "kind", "u")
        return dimensions == 0 or (dimensions == 1 and kind not in "OSUV")
    if isinstance(texts, str) or _says_its_bytes(texts):
        return True
    try:
        memoryview(texts).release()
    except TypeError:
        return False
    return True


def _are_offsets(array: Any) -> bool:
    """Smaller integers are texts."""
    return isinstance(array, np.ndarray) and array.dtype.kind in "iu" and array.itemsize >= 4


def _cuts(offsets: Any) -> np.ndarray:
    """Offsets as the extension reads them: int64, side by side, one at least."""
    given = np.asarray(offsets)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iu":
        raise ValueError("offsets are one dimension of integers, one more than there are texts")
    return np.ascontiguousarray(given, dtype=np.int64)


def _host_bytes(text: Any) -> np.ndarray:
    """Its bytes as an array, which are not copied where they are a buffer's."""
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogateescape")
    if _says_its_bytes(text):
        text = bytes(text)
    return np.frombuffer(text, np.uint8)


def _as_list(texts: Any) -> List[Any]:
    """Texts of a list, of `Records` or of a `Reader`."""
    if hasattr(texts, "batches"):
        texts = texts.read()
    if _column(texts) is not None or isinstance(texts, tuple) and len(texts) == 2 and _are_offsets(texts[1]):
        raise TypeError("circles are a list of texts, Records or a Reader")
    _refuse_no_list(texts)
    return list(texts)


def _column(texts: Any) -> Any:
    """What hands on its texts by Arrow's capsules; None: it does not."""
    array = getattr(texts, "array", texts)  # of a Series of pandas
    if hasattr(array, "__arrow_array__"):
        return array.__arrow_array__()
    is_arrow = hasattr(texts, "__arrow_c_array__") or hasattr(texts, "__arrow_c_stream__")
    return texts if is_arrow and array is texts else None


def _refuse_no_list(texts: Any) -> None:
    """What can be gone through, but gives no texts, or other ones than are meant."""
    if _is_one_text(texts):
        raise TypeError("find_many takes a list of texts; of one text take find")
    if isinstance(texts, Mapping):
        raise TypeError("find_many takes a list of texts, and of a dictionary that would be its keys: "
                        "give list(texts.values())")
    if _is_file(texts):
        raise TypeError("find_many takes a list of texts, and of a file that would be its lines: give "
                        "trawl.open(path, records=\"lines\") or list(file) if lines are meant, "
                        "trawl.open(path) for the file's records; of the whole file as one text take "
                        "find(file.read())")
