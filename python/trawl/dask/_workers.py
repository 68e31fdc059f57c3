"""What a worker's process keeps from task to task: plans by content, and the GPU of its own."""
from __future__ import annotations

import os
import tempfile
import threading
from collections import OrderedDict
from typing import Any, Optional, Tuple, Union

from .. import _core
from .._errors import DeviceError
from .._plan import load

KEPT = 8  # plans

_lock = threading.Lock()
_plans: "OrderedDict[Any, Any]" = OrderedDict()
_own: Any = {}  # by backend: (device, the lock that says so)


def plan_of(token: str, saved: Union[bytes, str], backend: Optional[str], threads: int) -> Any:
    """The plan of these saved bytes, or of the file of this path; loaded once in a process."""
    with _lock:
        backend, device = _choose(backend)
        if device is not None:
            threads = 0  # only backends of CPUs take a number
        key = token, backend, threads
        plan = _plans.pop(key, None)
        if plan is None:
            plan = load(saved, backend=backend, threads=threads, device=device)
        _plans[key] = plan
        while len(_plans) > KEPT:
            _plans.popitem(last=False)
        return plan


def _choose(backend: Optional[str]) -> Tuple[Optional[str], Optional[int]]:
    """A backend, and the device of it that this process takes."""
    if backend not in ("auto", "cuda", "opencl"):
        return backend, None
    name = "cuda" if backend == "auto" else backend
    names, why = _core.devices(name)
    if names:
        return name, _claim(name, len(names))
    if backend == "auto":
        return None, None
    raise DeviceError(f"this worker has no device of {name}: {why}")


def _claim(backend: str, count: int) -> int:
    """One of `count` devices that no other process of this machine and user has claimed, as long as
    this one lives; when all are taken, one by the process's number."""
    if backend not in _own:
        _own[backend] = _first_free(backend, count)
    return _own[backend][0]


def _first_free(backend: str, count: int) -> Tuple[int, Any]:
    seen = os.environ.get("CUDA_VISIBLE_DEVICES", "") if backend == "cuda" else ""
    try:
        import fcntl
    except ImportError:
        return os.getpid() % count, None
    visible = seen.split(",") if seen else [str(device) for device in range(count)]
    for device in range(count):
        label = visible[device].strip() if device < len(visible) else str(device)
        name = f"trawl-{os.getuid()}-{backend}-{''.join(c for c in label if c.isalnum())}.lock"
        file = open(os.path.join(tempfile.gettempdir(), name), "w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return device, file
        except OSError:
            file.close()
    return os.getpid() % count, None
