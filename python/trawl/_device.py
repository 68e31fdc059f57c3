"""What is neither bytes nor a buffer: arrays of devices, and of the host through DLPack."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._texts import _says_its_bytes

# DLPack's numbers of devices, and the legacy default stream, by which producers are waited for.
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
_DEFAULT_STREAM = 1


class Memory(NamedTuple):
    """An array in the memory of a CUDA device, as its library describes it."""

    address: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  # bytes
    itemsize: int
    native: bool  # its numbers have this machine's byte order
    stream: int  # to be waited for; 0: none
    owner: Any  # what keeps it there


def is_elsewhere(array: Any) -> bool:
    """Whether an array that knows DLPack or CUDA's interface is in a device's memory."""
    if hasattr(array, "__dlpack_device__"):
        return array.__dlpack_device__()[0] not in (_CPU, _CUDA_HOST)
    return hasattr(array, "__cuda_array_interface__")


def memory_of(array: Any) -> Optional[Memory]:
    """Where an array of a CUDA device is; None: it is none. Nothing is copied."""
    kind = array.__dlpack_device__()[0] if hasattr(array, "__dlpack_device__") else None
    if kind in (_CUDA, _CUDA_MANAGED):
        # The stream waits for what the array's own library has queued; so will the scan.
        capsule = array.__dlpack__(stream=_DEFAULT_STREAM)
        address, size, shape, strides = _core.dlpack(capsule)
        return Memory(address, shape, _strides(shape, strides, size), size, True, _DEFAULT_STREAM,
                      (capsule, array))
    if hasattr(array, "__cuda_array_interface__"):
        return _by_interface(array)
    return None


def _by_interface(array: Any) -> Memory:
    facts = array.__cuda_array_interface__
    if facts.get("mask") is not None:
        raise ValueError("a masked array has no bytes for what is masked: give an array without")
    kind, shape = np.dtype(facts["typestr"]), tuple(facts["shape"])
    return Memory(facts["data"][0], shape, _strides(shape, facts.get("strides"), kind.itemsize),
                  kind.itemsize, kind.isnative, facts.get("stream") or 0, array)


def _strides(shape: Tuple[int, ...], given: Optional[Sequence[int]], size: int) -> Tuple[int, ...]:
    """Those of an array whose items stand side by side, where none are given."""
    if given is not None:
        return tuple(given)
    strides = [size]
    for count in reversed(shape[1:]):
        strides.append(strides[-1] * count)
    return tuple(reversed(strides))[:len(shape)]


def type_of(array: Any) -> str:
    """NumPy's name for the type of an array's numbers; "": not known."""
    kind = getattr(array, "dtype", None)
    if kind is None:
        kind = getattr(array, "__cuda_array_interface__", {}).get("typestr")
    try:
        return np.dtype(kind if isinstance(kind, np.dtype) else str(kind).rpartition(".")[2]).name
    except TypeError:
        return ""


def side_by_side(memory: Memory, first: int = 0) -> bool:
    """Whether all items of axis `first`, and of those after it, do so."""
    shape, expected = memory.shape, _strides(memory.shape, None, memory.itemsize)
    return 0 in shape or all(shape[axis] == 1 or memory.strides[axis] == expected[axis]
                             for axis in range(first, len(shape)))


def _length(memory: Memory) -> int:
    length = memory.itemsize
    for count in memory.shape:
        length *= count
    return length


def look_at(text: Any) -> Any:
    """An array of the host, or (address, bytes, stream, owner) of memory of a CUDA device. Nothing
    is copied, but for the bytes of letters that make them when they are asked. Called by the
    extension."""
    if hasattr(text, "__dlpack_device__") and not is_elsewhere(text):
        return np.from_dlpack(text)
    if _says_its_bytes(text):
        return np.frombuffer(bytes(text), np.uint8)
    memory = memory_of(text)
    if memory is None:
        raise TypeError("a text is bytes, a buffer or an array, not " + type(text).__name__)
    if not side_by_side(memory):
        raise ValueError("the array is not contiguous: copy it to one that is")
    return memory.address, _length(memory), memory.stream, memory.owner


def room(array: Any, items: int) -> int:
    """The address of an array of a device with room for `items` uint64."""
    memory = _by_interface(array)
    if (not side_by_side(memory) or _length(memory) < 8 * items
            or array.__cuda_array_interface__["data"][1]):
        raise ValueError(f"the result needs a contiguous array of {items} uint64 that can be written")
    return memory.address
