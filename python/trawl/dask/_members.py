"""What gzip and zstd pack member by member, read from the middle.

Idea. Such a file is members, one after the other, each packed by itself: bgzip's blocks, the files
of ``cat a.gz b.gz``, the frames of pzstd. The first one that begins in a piece of the file is
looked for by its signature, which packed bytes may hold by chance. So each piece goes from member to
member until one begins after its end: `Walk`. If every piece ends where the next one began, all began
right, for the first one did, at 0. If not, the file is searched whole.

bgzip's blocks say how long they are, packed and unpacked, so they are passed over; so are frames of
zstd that know their length. Others are unpacked to know it, and once more to be searched.
"""
from __future__ import annotations

import mmap
import tempfile
import zlib
from bisect import bisect_right
from contextlib import contextmanager
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .._errors import ReadError
from .._readers import open as open_records
from . import _files

STEP = 1 << 20  # bytes that are read at once, to look for a member
THIN = 1 << 18  # bytes, of the members that begin within which the first is remembered


class Walk(NamedTuple):
    """Members that begin in a piece of a file."""

    begin: Optional[int]  #: the first one; None: there is none, or it could not be followed
    end: int  #: where the one after the last begins
    length: int  #: bytes that they unpack to
    marks: List[Tuple[int, int]]  #: some of them: offset in the file, and in what is unpacked here


class Packed:
    """The bytes of a packed file, through a window that moves on."""

    def __init__(self, fs: Any, place: str, size: int) -> None:
        self._fs, self._place, self.size = fs, place, size
        self._begin, self._data = 0, b""

    def at(self, begin: int, length: int) -> memoryview:
        """Bytes from `begin` on, at least `length` of them if there are."""
        end = min(begin + length, self.size)
        if begin < self._begin or end > self._begin + len(self._data):
            stop = min(max(end, begin + STEP), self.size)
            self._data = _files.read(self._fs, self._place, begin, stop)
            self._begin = begin
        return memoryview(self._data)[begin - self._begin:]


# ---- one member: (where it ends, bytes it unpacks to), or None: none begins there ----------------


def _block(file: Packed, at: int) -> Optional[Tuple[int, int]]:
    """A block of bgzip, which says in its header where it ends."""
    size = _size_of_block(file.at(at, 18))
    end = at + size
    if not size or end > file.size:
        return None
    tail = file.at(at, end - at)
    return end, int.from_bytes(tail[end - at - 4:end - at], "little")


def _size_of_block(head: memoryview) -> int:
    """The size of a block of bgzip that begins so; 0: none does."""
    if len(head) < 18 or head[:4] != b"\x1f\x8b\x08\x04" or head[10:16] != b"\x06\0BC\x02\0":
        return 0
    size = int.from_bytes(head[16:18], "little") + 1
    return size if size >= 26 else 0


def _gzip(file: Packed, at: int) -> Optional[Tuple[int, int]]:
    """A member of gzip, which has to be unpacked."""
    known = _block(file, at)
    if known:
        return known
    unpacker, length, place = zlib.decompressobj(31), 0, at
    try:
        while not unpacker.eof and place < file.size:
            piece = file.at(place, 1)[:STEP]
            length += len(unpacker.decompress(piece))
            place += len(piece)
    except zlib.error:
        return None
    return (place - len(unpacker.unused_data), length) if unpacker.eof else None


def _zstd(file: Packed, at: int) -> Optional[Tuple[int, int]]:
    """A frame of zstd, block by block (RFC 8878, 3.1.1), or one that is passed over."""
    head = file.at(at, 18)
    if len(head) < 8:
        return None
    if head[1:4] == b"\x2a\x4d\x18" and head[0] & 0xf0 == 0x50:
        end = at + 8 + int.from_bytes(head[4:8], "little")
        return (end, 0) if end <= file.size else None
    if head[:4] != b"\x28\xb5\x2f\xfd" or head[4] & 8:
        return None
    single, sized = head[4] >> 5 & 1, head[4] >> 6
    place = at + 5 + (1 - single) + (0, 1, 2, 4)[head[4] & 3]
    width = (single, 2, 4, 8)[sized]
    length = int.from_bytes(file.at(place, 8)[:width], "little") + (256 if sized == 1 else 0)
    place, last = place + width, 0
    while not last:
        block = int.from_bytes(file.at(place, 3)[:3], "little")
        last, kind = block & 1, block >> 1 & 3
        place += 3 + (1 if kind == 1 else block >> 3)
        if kind == 3 or place > file.size:
            return None
    end = place + (4 if head[4] & 4 else 0)
    if end > file.size:
        return None
    return end, length if width else len(unpack("zstd", file.at(at, end - at)[:end - at]))


_MEMBERS = {"gzip": _gzip, "zstd": _zstd}
_SIGNS = {"gzip": (b"\x1f\x8b\x08",), "zstd": (b"\x28\xb5\x2f\xfd", b"\x2a\x4d\x18")}


# ---- from member to member ---------------------------------------------------------------------


def _candidates(file: Packed, packed: str, begin: int, end: int) -> Iterator[int]:
    """Where a signature of a member stands in [begin, end)."""
    for place in range(begin, end, STEP):
        data = bytes(file.at(place, STEP + 4)[:min(STEP, end - place) + 4])
        found = set()
        for sign in _SIGNS[packed]:
            at = data.find(sign)
            while at >= 0:
                found.add(place + at - (1 if sign == b"\x2a\x4d\x18" else 0))
                at = data.find(sign, at + 1)
        yield from (at for at in sorted(found) if place <= at < min(end, place + STEP))


def _padded(file: Packed, packed: str, at: int) -> int:
    """Where the next member begins: zero bytes may stand before it, or to the end (gzip)."""
    while packed == "gzip" and at < file.size and file.at(at, 1)[0] == 0:
        at += 1
    return at


def walk(fs: Any, place: str, size: int, packed: str, begin: int, end: int,
         others: Sequence[Walk] = ()) -> Walk:
    """The members that begin in [begin, end) of a file. The first piece is given the others: if no
    member begins in any of them, it is one for all, and need not be unpacked to know that."""
    file, member = Packed(fs, place, size), _MEMBERS[packed]
    if others and all(piece.begin is None for piece in others) and _block(file, 0) is None:
        return Walk(None, begin, 0, [])
    for first in [0] if begin == 0 else _candidates(file, packed, begin, end):
        at, length, marks = first, 0, []  # type: int, int, List[Tuple[int, int]]
        while at < end:
            known = member(file, at)
            if known is None:
                break
            if not marks or at - marks[-1][0] >= THIN:
                marks.append((at, length))
            at, length = _padded(file, packed, known[0]), length + known[1]
        if at >= end and marks:
            return Walk(first, at, length, marks)
    return Walk(None, begin, 0, [])


class Index:
    """All pieces of a file put together: where members begin, in the file and unpacked.

    Attributes:
        whole: the pieces do not meet, so the file is not to be divided.
        bounds: the offsets, unpacked, at which the pieces begin, and the end.
    """

    def __init__(self, walks: Sequence[Walk], size: int) -> None:
        self.bounds = [0]
        self._marks: List[Tuple[int, int]] = []
        at = 0
        for piece in walks:
            if piece.begin is not None and piece.begin == at:
                base = self.bounds[-1]
                self._marks += [(place, base + offset) for place, offset in piece.marks]
                at = piece.end
                self.bounds.append(base + piece.length)
            else:
                self.bounds.append(self.bounds[-1])
        self.whole = at != size
        self.size = self.bounds[-1]
        self._end = size
        self._offsets = [offset for _, offset in self._marks]

    def span(self, begin: int, end: int) -> Tuple[int, int, int]:
        """The members that [begin, end) of what is unpacked lies in: their bytes of the file, and
        the offset of the first of them."""
        first = max(0, bisect_right(self._offsets, begin) - 1)
        last = bisect_right(self._offsets, max(begin, end - 1))
        stop = self._marks[last][0] if last < len(self._marks) else self._end
        return self._marks[first][0], stop, self._marks[first][1]


def unpack(packed: str, data: Any) -> bytes:
    """What whole members unpack to."""
    if packed == "gzip":
        return b"".join(_unpack_gzip(memoryview(data)))
    return open_records(packed, data=data, records="whole", threads=1, ratio=0).read() \
        .data.tobytes()


def _unpack_gzip(data: memoryview) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        if data[at] == 0:  # between members and after the last
            at += 1
            continue
        unpacker = zlib.decompressobj(31)
        while not unpacker.eof:
            size = _size_of_block(data[at:at + 18]) or STEP
            if at >= len(data):
                raise EOFError("a member of gzip is cut off")
            yield unpacker.decompress(data[at:at + size])
            at += min(size, len(data) - at) - len(unpacker.unused_data)


@contextmanager
def spool(name: str, data: Any) -> Iterator[Any]:
    """The text of a gzip file, in a temporary file, mapped: it may be larger than memory."""
    with tempfile.TemporaryFile() as file:
        try:
            for piece in _unpack_gzip(memoryview(data)):
                file.write(piece)
        except (zlib.error, EOFError) as error:
            raise ReadError(f"{name}: is damaged or cut off (gzip): {error}") from error
        file.flush()
        yield mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if file.tell() else b""


def check_end(fs: Any, place: str, size: int) -> None:
    """bgzip marks the end of its files by an empty block: without it one is cut off."""
    file, at = Packed(fs, place, size), max(0, size - (1 << 16) - 64)
    last = [c for c in _candidates(file, "gzip", at, size)
            if (_block(file, c) or (0, 0))[0] == size]
    if last and _block(file, last[-1])[1]:  # type: ignore[index]
        raise ReadError(f"{place}: is cut off (gzip): bgzip's mark is missing at its end")
