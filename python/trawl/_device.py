"""Texts that are neither bytes nor buffers: arrays of devices, and of the host through DLPack."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core

# DLPack's numbers of devices, and the legacy default stream, by which producers are waited for.
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
_DEFAULT_STREAM = 1


def look_at(text: Any) -> Any:
    """An array of the host, or (address, bytes, stream, owner) of memory of a CUDA device. Nothing
    is copied. Called by the extension."""
    kind = text.__dlpack_device__()[0] if hasattr(text, "__dlpack_device__") else None
    if kind in (_CPU, _CUDA_HOST):
        return np.from_dlpack(text)
    if kind in (_CUDA, _CUDA_MANAGED):
        # The stream waits for what the array's own library has queued; so will the scan.
        capsule = text.__dlpack__(stream=_DEFAULT_STREAM)
        address, length, contiguous = _core.dlpack(capsule)
        _need(contiguous)
        return address, length, _DEFAULT_STREAM, (capsule, text)
    if hasattr(text, "__cuda_array_interface__"):
        return _by_interface(text, text.__cuda_array_interface__)
    raise TypeError("a text is bytes, a buffer or an array, not " + type(text).__name__)


def is_elsewhere(array: Any) -> bool:
    """Whether an array that knows DLPack or CUDA's interface is in a device's memory."""
    if hasattr(array, "__dlpack_device__"):
        return array.__dlpack_device__()[0] not in (_CPU, _CUDA_HOST)
    return hasattr(array, "__cuda_array_interface__")


def _by_interface(text: Any, facts: dict) -> Any:
    size = np.dtype(facts["typestr"]).itemsize
    length, strides, expected = size, facts.get("strides"), size
    for axis in reversed(range(len(facts["shape"]))):
        count = facts["shape"][axis]
        _need(strides is None or count == 1 or strides[axis] == expected)
        expected *= count
        length *= count
    return facts["data"][0], length, facts.get("stream") or 0, text


def _need(contiguous: Any) -> None:
    if not contiguous:
        raise ValueError("the array is not contiguous: copy it to one that is")


def room(array: Any, items: int) -> int:
    """The address of an array of a device with room for so many uint64."""
    facts = array.__cuda_array_interface__
    _, length, _, _ = _by_interface(array, facts)
    if length < 8 * items or facts["data"][1]:
        raise ValueError(f"the result needs an array of {items} uint64 that can be written")
    return facts["data"][0]
